// SPDX-License-Identifier: MIT
/*
 * Frames whose work follows their number, to be recorded and replayed: scene FRAMES [HOW].
 *
 * HOW: "exit" ends by _exit(2), "abort" by a signal; "two" draws frame k on one surface and frame
 * k + 1 on another in turn, with one context; "threads" draws on two at one time, with a context
 * each; "flush" has no surface; "none" never swaps; "many" has a
 * surface of its own for each frame, after the first three; "list" has a list open as frame 3 ends;
 * "wrong" has no surface any more from frame 3 on.
 */
#include "gl/tests/programs/window.h"

#include <pthread.h>
#include <unistd.h>

static const char *how = "";
static int frames = 10;

static bool is(const char *what)
{
	return strcmp(how, what) == 0;
}

/* Frame k has k % 7 + 1 rectangles of 8 by k % 5 + 1 pixels. */
static void draw(int frame)
{
	glViewport(0, 0, WIDTH, HEIGHT);
	glMatrixMode(GL_PROJECTION);
	glLoadIdentity();
	glOrtho(0, WIDTH, 0, HEIGHT, -1, 1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	for (int i = 0; i <= frame % 7; i++) {
		GLfloat y = (GLfloat)(8 * i), height = (GLfloat)(frame % 5 + 1);
		const GLfloat vertex[6][2] = { { 0, y },	  { 8, y }, { 0, y + height },
					       { 0, y + height }, { 8, y }, { 8, y + height } };

		glEnableClientState(GL_VERTEX_ARRAY);
		glVertexPointer(2, GL_FLOAT, 0, vertex);
		glDrawArrays(GL_TRIANGLES, 0, 6);
	}
}

/* What is drawn without a surface goes there. */
static void make_framebuffer(void)
{
	GLuint framebuffer, colour;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(1, &colour);
	glBindRenderbuffer(GL_RENDERBUFFER, colour);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour);
}

static void *draw_all(void *of)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	EGLSurface own, other;
	EGLContext context;

	(void)of;
	pthread_mutex_lock(&lock);
	context = new_context();
	own = other = surface;
	pthread_mutex_unlock(&lock);
	if (is("two")) {
		(void)new_context();
		other = surface;
		eglMakeCurrent(display, own, own, context);
	}
	if (is("flush")) {
		eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context);
		make_framebuffer();
	}
	for (int frame = 0; frame < frames; frame++) {
		if (is("two"))
			eglMakeCurrent(display, frame % 2 ? other : own, frame % 2 ? other : own,
				       context);
		if (is("many") && frame >= 3) {
			(void)new_context();
			own = other = surface;
		}
		draw(frame);
		if (is("list") && frame == 3)
			glNewList(glGenLists(1), GL_COMPILE);
		if (is("flush"))
			glFlush();
		else if (!is("none"))
			eglSwapBuffers(display, is("two") && frame % 2 ? other : own);
		if (is("list") && frame == 3) {
			glEndList();
			if (glGetError())
				fail_with("the list has an error");
		}
		if (is("wrong") && frame == 2)
			eglDestroySurface(display, own);
	}
	if (is("threads"))
		eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other = 0;

	if (argc > 1)
		frames = atoi(argv[1]);
	if (argc > 2)
		how = argv[2];
	if (is("threads"))
		pthread_create(&other, NULL, draw_all, NULL);
	(void)draw_all(NULL);
	if (is("threads"))
		pthread_join(other, NULL);
	if (is("exit"))
		_exit(3);
	if (is("abort"))
		abort();
	return 0;
}
