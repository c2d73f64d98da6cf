// SPDX-License-Identifier: MIT
/* Contexts of EGL: made, destroyed, made current. */
#include <string.h>

#include "compat/glperf/egl_context.h"

EGLContext EGLAPIENTRY eglCreateContext(EGLDisplay display, EGLConfig config, EGLContext share,
					const EGLint *attributes)
{
	EGLContext context = glp_egl_of(display)->CreateContext(display, config, share, attributes);

	glp_context_forget(context);
	return context;
}

EGLBoolean EGLAPIENTRY eglDestroyContext(EGLDisplay display, EGLContext context)
{
	/* Before: its handle may be another context's at once. */
	glp_context_forget(context);
	return glp_egl_of(display)->DestroyContext(display, context);
}

EGLBoolean EGLAPIENTRY eglMakeCurrent(EGLDisplay display, EGLSurface draw, EGLSurface read,
				      EGLContext context)
{
	struct glp_egl *egl = glp_egl_of(display);
	EGLBoolean ret = egl->MakeCurrent(display, draw, read, context);

	if (ret)
		glp_context_make_current(&egl->driver, context);
	return ret;
}

EGLBoolean glp_egl_release_thread(struct glp_egl *egl)
{
	EGLBoolean ret = egl->ReleaseThread();

	if (ret)
		glp_context_make_current(&egl->driver, NULL);
	return ret;
}

void glp_egl_init(struct glp_egl *egl, void *(*get_proc)(const char *name))
{
#define FILL(name) *(void **)&egl->name = get_proc("egl" #name);
	GLP_EGL_FUNCTIONS(FILL)
#undef FILL
	glp_driver_init(&egl->driver, get_proc);
}

void *glp_egl_find(const char *name)
{
	if (strcmp(name, "eglMakeCurrent") == 0)
		return (void *)eglMakeCurrent;
	if (strcmp(name, "eglCreateContext") == 0)
		return (void *)eglCreateContext;
	if (strcmp(name, "eglDestroyContext") == 0)
		return (void *)eglDestroyContext;
	return NULL;
}
