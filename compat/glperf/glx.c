// SPDX-License-Identifier: MIT
/*
 * libGLX_ntime.so.0: a vendor library of glvnd that opens the real vendor's and stands in between.
 *
 * glvnd has one vendor for a screen of X, and loads this one by its name.
 */
/* First: it asks for the prototypes of GL. */
#include "compat/glperf/glperf.h"

#include <dlfcn.h>
#include <string.h>

#define GLX_GLXEXT_PROTOTYPES
#include <GL/glx.h>
#include <glvnd/libglxabi.h>

#include "compat/glperf/vendor.h"

/* Of the real vendor. */
static struct glp_driver driver;
static void *(*get_proc)(const GLubyte *name);

/* Functions that make contexts, destroy them, and make them current. */
#define FUNCTIONS(X)                                                                               \
	X(CreateContext)                                                                           \
	X(CreateContextAttribsARB)                                                                 \
	X(CreateContextWithConfigSGIX)                                                             \
	X(CreateNewContext)                                                                        \
	X(DestroyContext)                                                                          \
	X(FreeContextEXT)                                                                          \
	X(ImportContextEXT)                                                                        \
	X(MakeContextCurrent)                                                                      \
	X(MakeCurrent)                                                                             \
	X(MakeCurrentReadSGI)

static struct {
#define MEMBER(name) __typeof__(&glX##name) name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} real;

static GLXContext made(GLXContext context)
{
	glp_context_forget(context);
	return context;
}

static GLXContext CreateContext(Display *display, XVisualInfo *visual, GLXContext share,
				Bool is_direct)
{
	return made(real.CreateContext(display, visual, share, is_direct));
}

static GLXContext CreateContextAttribsARB(Display *display, GLXFBConfig config, GLXContext share,
					  Bool is_direct, const int *attributes)
{
	return made(real.CreateContextAttribsARB(display, config, share, is_direct, attributes));
}

static GLXContext CreateContextWithConfigSGIX(Display *display, GLXFBConfigSGIX config, int type,
					      GLXContext share, Bool is_direct)
{
	return made(real.CreateContextWithConfigSGIX(display, config, type, share, is_direct));
}

static GLXContext CreateNewContext(Display *display, GLXFBConfig config, int type, GLXContext share,
				   Bool is_direct)
{
	return made(real.CreateNewContext(display, config, type, share, is_direct));
}

static GLXContext ImportContextEXT(Display *display, GLXContextID id)
{
	return made(real.ImportContextEXT(display, id));
}

/* Before it is destroyed: its handle may be another context's at once. */
static void DestroyContext(Display *display, GLXContext context)
{
	glp_context_forget(context);
	real.DestroyContext(display, context);
}

static void FreeContextEXT(Display *display, GLXContext context)
{
	glp_context_forget(context);
	real.FreeContextEXT(display, context);
}

static Bool made_current(Bool is, GLXContext context)
{
	if (is)
		glp_context_make_current(&driver, context);
	return is;
}

static Bool MakeCurrent(Display *display, GLXDrawable drawable, GLXContext context)
{
	return made_current(real.MakeCurrent(display, drawable, context), context);
}

static Bool MakeContextCurrent(Display *display, GLXDrawable draw, GLXDrawable read,
			       GLXContext context)
{
	return made_current(real.MakeContextCurrent(display, draw, read, context), context);
}

static Bool MakeCurrentReadSGI(Display *display, GLXDrawable draw, GLXDrawable read,
			       GLXContext context)
{
	return made_current(real.MakeCurrentReadSGI(display, draw, read, context), context);
}

static void *find_glx(const char *name, void *found)
{
	static const struct {
		const char *name;
		void *function;
	} hooks[] = {
#define HOOK(function) { #function, (void *)(function) },
		FUNCTIONS(HOOK)
#undef HOOK
	};

	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (strcmp(name, hooks[i].name) == 0)
			return hooks[i].function;
	return found;
}

static void *find_function(const GLubyte *wanted)
{
	const char *name = (const char *)wanted;
	void *found = get_proc(wanted);
	void *hook;

	if (strncmp(name, "glX", 3) == 0)
		return found ? find_glx(name + 3, found) : NULL;
	hook = glp_hook_find(name);
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
#define FILL(name) *(void **)&real.name = get_proc_by_text("glX" #name);
	FUNCTIONS(FILL)
#undef FILL
	glp_driver_init(&driver, get_proc_by_text);
	imports->getProcAddress = find_function;
	/* A vendor that writes its functions into glvnd's own would be called past us. */
	imports->isPatchSupported = NULL;
	imports->initiatePatch = NULL;
	imports->releasePatch = NULL;
	imports->patchThreadAttach = NULL;
	return True;
}
