/* SPDX-License-Identifier: MIT */
/* A GL context of EGL without a window, and the extension's functions in it: for test programs. */
#ifndef GL_WINDOW_H
#define GL_WINDOW_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>

#define WIDTH 64
#define HEIGHT 64

#define AMD_FUNCTIONS(X)                                                                           \
	X(BeginPerfMonitorAMD)                                                                     \
	X(DeletePerfMonitorsAMD)                                                                   \
	X(EndPerfMonitorAMD)                                                                       \
	X(GenPerfMonitorsAMD)                                                                      \
	X(GetPerfMonitorCounterDataAMD)                                                            \
	X(GetPerfMonitorCounterInfoAMD)                                                            \
	X(GetPerfMonitorCounterStringAMD)                                                          \
	X(GetPerfMonitorCountersAMD)                                                               \
	X(GetPerfMonitorGroupStringAMD)                                                            \
	X(GetPerfMonitorGroupsAMD)                                                                 \
	X(SelectPerfMonitorCountersAMD)

/* libGL has no symbols of extensions that are not old. */
static struct {
#define MEMBER(name) __typeof__(&gl##name) name;
	AMD_FUNCTIONS(MEMBER)
#undef MEMBER
} amd;

static EGLDisplay display;
static EGLSurface surface;

static inline void fail_with(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/* A context of its own, sharing nothing, of OpenGL or of ES 3; 77: there is no driver. */
static inline EGLContext new_context_of(EGLenum api)
{
	static const EGLint version3[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE };
	static const EGLint wanted[] = {
		EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8, EGL_DEPTH_SIZE, 24, EGL_NONE
	};
	static const EGLint size[] = { EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_NONE };
	EGLConfig config;
	EGLContext context;
	EGLint n = 0;

	if (!display) {
		display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
		if (!display || !eglInitialize(display, NULL, NULL)) {
			fprintf(stderr, "no EGL without a window\n");
			exit(77);
		}
	}
	eglBindAPI(api);
	if (!eglChooseConfig(display, wanted, &config, 1, &n) || n < 1)
		fail_with("no configuration of EGL has a pbuffer with depth");
	surface = eglCreatePbufferSurface(display, config, size);
	context = eglCreateContext(display, config, EGL_NO_CONTEXT,
				   api == EGL_OPENGL_ES_API ? version3 : NULL);
	if (!context || !eglMakeCurrent(display, surface, surface, context))
		fail_with("no context of OpenGL");
#define LOAD(name) *(void **)&amd.name = (void *)eglGetProcAddress("gl" #name);
	AMD_FUNCTIONS(LOAD)
#undef LOAD
	return context;
}

static inline EGLContext new_context(void)
{
	return new_context_of(EGL_OPENGL_API);
}

/* Numbers of a counter by its name; false: there is none. */
static inline bool find_counter(const char *wanted_group, const char *wanted, GLuint *group,
				GLuint *counter)
{
	GLuint groups[16];
	GLint n_groups = 0;

	amd.GetPerfMonitorGroupsAMD(&n_groups, 16, groups);
	for (GLint g = 0; g < n_groups; g++) {
		char name[100] = "";
		GLint n = 0;

		amd.GetPerfMonitorGroupStringAMD(groups[g], sizeof(name), NULL, name);
		if (strcmp(name, wanted_group) != 0)
			continue;
		amd.GetPerfMonitorCountersAMD(groups[g], &n, NULL, 0, NULL);
		for (GLint i = 0; i < n; i++) {
			char counter_name[200] = "";

			amd.GetPerfMonitorCounterStringAMD(
				groups[g], (GLuint)i, sizeof(counter_name), NULL, counter_name);
			if (strcmp(counter_name, wanted) == 0) {
				*group = groups[g];
				*counter = (GLuint)i;
				return true;
			}
		}
	}
	return false;
}

#endif
