// SPDX-License-Identifier: MIT
/*
 * libepoxy, which opens libraries of GL itself and looks functions up when they are called first.
 */
#include <stdio.h>
#include <string.h>

#include <epoxy/egl.h>
#include <epoxy/gl.h>

#define SIZE 64

static bool make_context(void)
{
	static const EGLint wanted[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RED_SIZE, 8,
					 EGL_NONE };
	static const EGLint size[] = { EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE };
	EGLDisplay d = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL);
	EGLSurface surface;
	EGLConfig config;
	EGLint n = 0;

	if (!d || !eglInitialize(d, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API) ||
	    !eglChooseConfig(d, wanted, &config, 1, &n) || n < 1)
		return false;
	surface = eglCreatePbufferSurface(d, config, size);
	return eglMakeCurrent(d, surface, surface, eglCreateContext(d, config, NULL, NULL));
}

/* glRectf() fills as many pixels; llvmpipe counts nothing before it has drawn once. */
static void draw(int width, int height)
{
	glRectf(-1, -1, -1 + 2.0f * (float)width / SIZE, -1 + 2.0f * (float)height / SIZE);
}

/* The only counter of its group that is called so. */
static GLuint64 count_samples(GLuint group)
{
	GLuint monitor, counter = 0, data[4] = { 0 };
	GLuint64 value = 0;
	char name[100] = "";
	GLint bytes = 0;

	for (; strcmp(name, "samples-passed") != 0 && counter < 100; counter++)
		glGetPerfMonitorCounterStringAMD(group, counter, sizeof(name), NULL, name);
	counter--;
	glGenPerfMonitorsAMD(1, &monitor);
	glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counter);
	glBeginPerfMonitorAMD(monitor);
	draw(7, 9);
	glEndPerfMonitorAMD(monitor);
	glFinish();
	glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data, &bytes);
	memcpy(&value, &data[2], sizeof(value));
	return value;
}

int main(void)
{
	GLuint groups[16];
	GLint n = 0;

	if (!make_context())
		return 77;
	if (!epoxy_has_gl_extension("GL_AMD_performance_monitor")) {
		fprintf(stderr, "libepoxy does not find the extension\n");
		return 1;
	}
	draw(1, 1);
	glFinish();
	glGetPerfMonitorGroupsAMD(&n, 16, groups);
	for (GLint i = 0; i < n; i++) {
		char name[100] = "";

		glGetPerfMonitorGroupStringAMD(groups[i], sizeof(name), NULL, name);
		if (strcmp(name, "pipeline") == 0 && count_samples(groups[i]) == 63)
			return 0;
	}
	fprintf(stderr, "no group counts 63 samples\n");
	return 1;
}
