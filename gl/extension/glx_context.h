/* SPDX-License-Identifier: MIT */
/* The functions of GLX that tell which context is current, or swap: ours call the driver's. */
#ifndef GLP_GLX_CONTEXT_H
#define GLP_GLX_CONTEXT_H

#include "gl/extension/frames.h"
#include "gl/extension/glperf.h"

/* What of them a library shows, its .map file says. */
#define GLX_GLXEXT_PROTOTYPES
#pragma GCC visibility push(default)
#include <GL/glx.h>
#pragma GCC visibility pop

/* They make contexts, destroy them, make them current, and swap. */
#define GLP_GLX_FUNCTIONS(X)                                                                       \
	X(CreateContext)                                                                           \
	X(CreateContextAttribsARB)                                                                 \
	X(CreateContextWithConfigSGIX)                                                             \
	X(CreateNewContext)                                                                        \
	X(DestroyContext)                                                                          \
	X(FreeContextEXT)                                                                          \
	X(ImportContextEXT)                                                                        \
	X(MakeContextCurrent)                                                                      \
	X(MakeCurrent)                                                                             \
	X(MakeCurrentReadSGI)                                                                      \
	X(SwapBuffers)                                                                             \
	X(SwapBuffersMscOML)

/* struct glp_glx - the driver: its functions of GLX, and those of GL */
struct glp_glx {
	struct glp_driver driver;
#define MEMBER(name) __typeof__(&glX##name) name;
	GLP_GLX_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* The front end's. Never NULL. */
struct glp_glx *glp_glx_real(void);

/* Fill it with what @get_proc knows of each name. */
void glp_glx_init(struct glp_glx *glx, void *(*get_proc)(const char *name));

/* Ours of this name; NULL: there is none. */
void *glp_glx_find(const char *name);

#endif
