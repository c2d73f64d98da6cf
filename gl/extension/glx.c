// SPDX-License-Identifier: MIT
/*
 * libGLX_ntime.so.0: a vendor library of glvnd that opens the real vendor's and stands in between.
 *
 * glvnd has one vendor for a screen of X, and loads this one by its name.
 */
/* First: it asks for the prototypes of GL. */
#include "gl/extension/glx_context.h"

#include <string.h>

#include <glvnd/libglxabi.h>

#include "gl/extension/vendor.h"

/* Of the real vendor. */
static struct glp_glx glx;
static void *(*get_proc)(const GLubyte *name);

struct glp_glx *glp_glx_real(void)
{
	return &glx;
}

static void *find_function(const GLubyte *wanted)
{
	const char *name = (const char *)wanted;
	void *found = get_proc(wanted);
	void *hook = strncmp(name, "glX", 3) == 0 ? glp_glx_find(name) : glp_hook_find(name);

	return hook && (found || glp_hook_is_own(name)) ? hook : found;
}

static void *get_proc_by_text(const char *name)
{
	return get_proc((const GLubyte *)name);
}

__attribute__((visibility("default"))) Bool __glx_Main(uint32_t version,
						       const __GLXapiExports *exports,
						       __GLXvendorInfo *vendor,
						       __GLXapiImports *imports)
{
	__PFNGLXMAINPROC real_main = NULL;

	/*
	 * Mesa's loader opens its own library once more for everybody, and that one has all
	 * functions of GL: who looks them up among all libraries has to find ours before.
	 */
	glp_vendor_show_own((void *)__glx_Main);
	for (unsigned int n = 0; n < 2 && !real_main; n++)
		real_main = (__PFNGLXMAINPROC)glp_vendor_open("NTIME_GL_GLX_VENDORS",
							      "libGLX_mesa.so.0:libGLX_nvidia.so.0",
							      n, __GLX_MAIN_PROTO_NAME);
	if (!real_main || !real_main(version, exports, vendor, imports))
		return False;
	get_proc = imports->getProcAddress;
	glp_glx_init(&glx, get_proc_by_text);
	imports->getProcAddress = find_function;
	/* A vendor that writes its functions into glvnd's own would be called past us. */
	imports->isPatchSupported = NULL;
	imports->initiatePatch = NULL;
	imports->releasePatch = NULL;
	imports->patchThreadAttach = NULL;
	return True;
}
