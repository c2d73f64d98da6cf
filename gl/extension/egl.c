// SPDX-License-Identifier: MIT
/*
 * libEGL_ntime.so.0: a vendor library of glvnd that opens the real vendors' and stands in between.
 *
 * glvnd calls __egl_Main() once for each file that names this library; the n-th call opens the n-th
 * real vendor. All that glvnd learns of a vendor it asks imports->getProcAddress for, which has no
 * argument that says whose it is: there is one of ours for each vendor.
 */
/* First: it asks for the prototypes of GL. */
#include "gl/extension/egl_context.h"

#include <string.h>

#include <glvnd/libeglabi.h>

#include "gl/extension/vendor.h"

#define MOST_VENDORS 4

static struct vendor {
	struct glp_egl egl;
	const __EGLvendorInfo *info;
	const __EGLapiExports *exports;
	void *(*get_proc)(const char *name);
} vendors[MOST_VENDORS];
static unsigned int n_vendors;

struct glp_egl *glp_egl_of(EGLDisplay display)
{
	const __EGLvendorInfo *info;

	if (n_vendors == 1)
		return &vendors[0].egl;
	info = vendors[0].exports->getVendorFromDisplay(display);
	for (unsigned int i = 1; i < n_vendors; i++)
		if (vendors[i].info == info)
			return &vendors[i].egl;
	return &vendors[0].egl;
}

static void *find_function(struct vendor *v, const char *name, EGLBoolean (*release)(void))
{
	void *real = v->get_proc(name);
	void *hook;

	if (!real && !glp_hook_is_own(name))
		return NULL;
	if (strcmp(name, "eglReleaseThread") == 0)
		return (void *)release;
	hook = strncmp(name, "gl", 2) == 0 ? glp_hook_find(name) : glp_egl_find(name);
	return hook ? hook : real;
}

/* One pair for each vendor. */
#define INSTANCES(X) X(0) X(1) X(2) X(3)
#define FUNCTIONS(n)                                                                               \
	static EGLBoolean EGLAPIENTRY release_##n(void)                                            \
	{                                                                                          \
		return glp_egl_release_thread(&vendors[n].egl);                                    \
	}                                                                                          \
	static void *get_proc_##n(const char *name)                                                \
	{                                                                                          \
		return find_function(&vendors[n], name, release_##n);                              \
	}
INSTANCES(FUNCTIONS)
#define GET_PROC(n) get_proc_##n,
static void *(*const get_procs[MOST_VENDORS])(const char *name) = { INSTANCES(GET_PROC) };

__attribute__((visibility("default"))) EGLBoolean __egl_Main(uint32_t version,
							     const __EGLapiExports *exports,
							     __EGLvendorInfo *info,
							     __EGLapiImports *imports)
{
	static unsigned int n_calls;
	struct vendor *v = &vendors[n_vendors];
	__PFNEGLMAINPROC real_main;

	if (n_vendors == MOST_VENDORS)
		return EGL_FALSE;
	real_main = (__PFNEGLMAINPROC)glp_vendor_open("NTIME_GL_EGL_VENDORS", "libEGL_mesa.so.0",
						      n_calls++, __EGL_MAIN_PROTO_NAME);
	if (!real_main || !real_main(version, exports, info, imports))
		return EGL_FALSE;
	v->info = info;
	v->exports = exports;
	v->get_proc = imports->getProcAddress;
	glp_egl_init(&v->egl, v->get_proc);
	imports->getProcAddress = get_procs[n_vendors++];
	/* A vendor that writes its functions into glvnd's own would be called past us. */
	imports->isPatchSupported = NULL;
	imports->initiatePatch = NULL;
	imports->releasePatch = NULL;
	imports->patchThreadAttach = NULL;
	return EGL_TRUE;
}
