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

EGLBoolean EGLAPIENTRY eglMakeCurrent(EGLDisplay display, EGLSurface draw, EGLSurface read,
				      EGLContext context)
{
	struct glp_egl *egl = glp_egl_of(display);
	struct glp_frames *before = glp_frames_leave(context);
	EGLBoolean ret = egl->MakeCurrent(display, draw, read, context);

	if (ret)
		glp_context_make_current(&egl->driver, context);
	glp_frames_enter(before, ret, draw, context, true);
	return ret;
}

EGLBoolean glp_egl_release_thread(struct glp_egl *egl)
{
	struct glp_frames *before = glp_frames_leave(NULL);
	EGLBoolean ret = egl->ReleaseThread();

	if (ret)
		glp_context_make_current(&egl->driver, NULL);
	glp_frames_enter(before, ret, NULL, NULL, true);
	return ret;
}

EGLBoolean EGLAPIENTRY eglSwapBuffers(EGLDisplay display, EGLSurface surface)
{
	struct glp_frames *f = glp_frames_ending(surface);
	EGLBoolean ret = glp_egl_of(display)->SwapBuffers(display, surface);

	glp_frames_ended(f, ret);
	return ret;
}

/* The same with what has changed: of EXT and of KHR. */
#define SWAP_WITH_DAMAGE(name, rectangles)                                                         \
	EGLBoolean EGLAPIENTRY egl##name(EGLDisplay display, EGLSurface surface,                   \
					 rectangles *rects, EGLint n)                              \
	{                                                                                          \
		struct glp_frames *f = glp_frames_ending(surface);                                 \
		EGLBoolean ret = glp_egl_of(display)->name(display, surface, rects, n);            \
                                                                                                   \
		glp_frames_ended(f, ret);                                                          \
		return ret;                                                                        \
	}
SWAP_WITH_DAMAGE(SwapBuffersWithDamageEXT, const EGLint)
SWAP_WITH_DAMAGE(SwapBuffersWithDamageKHR, const EGLint)

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
