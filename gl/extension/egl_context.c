// SPDX-License-Identifier: MIT
/* Contexts of EGL: made, destroyed, made current. */
#include "gl/extension/egl_context.h"

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

static EGLBoolean made_current(struct glp_egl *egl, struct glp_frames *before, EGLBoolean is,
			       EGLSurface draw, EGLContext context)
{
	if (is)
		glp_context_make_current(&egl->driver, context);
	glp_frames_enter(before, is, draw, context, true);
	return is;
}

EGLBoolean EGLAPIENTRY eglMakeCurrent(EGLDisplay display, EGLSurface draw, EGLSurface read,
				      EGLContext context)
{
	struct glp_egl *egl = glp_egl_of(display);
	struct glp_frames *before = glp_frames_leave(context);

	return made_current(egl, before, egl->MakeCurrent(display, draw, read, context), draw,
			    context);
}

EGLBoolean glp_egl_release_thread(struct glp_egl *egl)
{
	struct glp_frames *before = glp_frames_leave(NULL);

	return made_current(egl, before, egl->ReleaseThread(), NULL, NULL);
}

/* The last two with what has changed. */
#define SWAP(name, parameters, ...)                                                                \
	EGLBoolean EGLAPIENTRY egl##name parameters                                                \
	{                                                                                          \
		struct glp_frames *f = glp_frames_ending(surface);                                 \
		EGLBoolean ret = glp_egl_of(display)->name(__VA_ARGS__);                           \
                                                                                                   \
		glp_frames_ended(f, ret);                                                          \
		return ret;                                                                        \
	}
SWAP(SwapBuffers, (EGLDisplay display, EGLSurface surface), display, surface)
SWAP(SwapBuffersWithDamageEXT,
     (EGLDisplay display, EGLSurface surface, const EGLint *rects, EGLint n), display, surface,
     rects, n)
SWAP(SwapBuffersWithDamageKHR,
     (EGLDisplay display, EGLSurface surface, const EGLint *rects, EGLint n), display, surface,
     rects, n)

void glp_egl_init(struct glp_egl *egl, void *(*get_proc)(const char *name))
{
#define FILL(name) *(void **)&egl->name = get_proc("egl" #name);
	GLP_EGL_FUNCTIONS(FILL)
#undef FILL
	glp_driver_init(&egl->driver, get_proc);
}

void *glp_egl_find(const char *name)
{
	static const struct glp_hook hooks[] = {
#define HOOK(function) { "egl" #function, (void *)egl##function },
		GLP_EGL_HOOKED(HOOK)
#undef HOOK
	};

	return glp_hook_among(hooks, sizeof(hooks) / sizeof(hooks[0]), name);
}
