/* SPDX-License-Identifier: MIT */
/* The functions of EGL that tell which context is current, or swap: ours call the driver's. */
#ifndef GLP_EGL_CONTEXT_H
#define GLP_EGL_CONTEXT_H

#include "gl/extension/frames.h"
#include "gl/extension/glperf.h"

/* What of them a library shows, its .map file says. */
#pragma GCC visibility push(default)
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#pragma GCC visibility pop

#define GLP_EGL_HOOKED(X)                                                                          \
	X(CreateContext)                                                                           \
	X(DestroyContext)                                                                          \
	X(MakeCurrent)                                                                             \
	X(SwapBuffers)                                                                             \
	X(SwapBuffersWithDamageEXT)                                                                \
	X(SwapBuffersWithDamageKHR)
#define GLP_EGL_FUNCTIONS(X)                                                                       \
	GLP_EGL_HOOKED(X)                                                                          \
	X(ReleaseThread)

/* struct glp_egl - one driver: its functions of EGL, and those of GL */
struct glp_egl {
	struct glp_driver driver;
#define MEMBER(name) __typeof__(&egl##name) name;
	GLP_EGL_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* The front end's: whose display it is. Never NULL. */
struct glp_egl *glp_egl_of(EGLDisplay display);

/* Fill it with what @get_proc knows of each name. */
void glp_egl_init(struct glp_egl *egl, void *(*get_proc)(const char *name));

/* eglReleaseThread(), which has no display that tells whose it is. */
EGLBoolean glp_egl_release_thread(struct glp_egl *egl);

/* Ours of this name, but for eglReleaseThread; NULL: there is none. */
void *glp_egl_find(const char *name);

#endif
