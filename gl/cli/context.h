/* SPDX-License-Identifier: MIT */
/* A context of EGL in this process, which is not linked with EGL. */
#ifndef CLI_GL_CONTEXT_H
#define CLI_GL_CONTEXT_H

#include <stdbool.h>

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#define CLI_EGL_FUNCTIONS(X)                                                                       \
	X(GetProcAddress)                                                                          \
	X(GetPlatformDisplay)                                                                      \
	X(Initialize)                                                                              \
	X(BindAPI)                                                                                 \
	X(ChooseConfig)                                                                            \
	X(GetConfigAttrib)                                                                         \
	X(CreatePbufferSurface)                                                                    \
	X(CreatePlatformWindowSurface)                                                             \
	X(CreateContext)                                                                           \
	X(MakeCurrent)                                                                             \
	X(SwapBuffers)                                                                             \
	X(DestroyContext)                                                                          \
	X(Terminate)

/* What is drawn on. @width 0: nothing; in a window of X11, or in a pbuffer. */
struct cli_gl_surface {
	int width, height;
	bool is_window, is_es;
};

/* @library stays open: drivers have threads and exit handlers. */
struct cli_gl_context {
	void *library;
	struct {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) the name of a member cannot have any */
#define MEMBER(name) __typeof__(&egl##name) name;
		CLI_EGL_FUNCTIONS(MEMBER)
#undef MEMBER
	} egl;
	EGLDisplay display;
	EGLSurface surface;
	EGLContext context;
};

/* Make it current. 0 or -1 after a sentence; cli_gl_context_end() in either case. */
int cli_gl_context_begin(struct cli_gl_context *c, const struct cli_gl_surface *of);
void cli_gl_context_end(struct cli_gl_context *c);

#endif
