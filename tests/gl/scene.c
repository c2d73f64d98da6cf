// SPDX-License-Identifier: MIT
/* Frames whose work follows their number, to be recorded and replayed: scene FRAMES. */
#include "tests/gl/window.h"

int main(int argc, char **argv)
{
	int frames = argc > 1 ? atoi(argv[1]) : 10;

	new_context();
	glViewport(0, 0, WIDTH, HEIGHT);
	glMatrixMode(GL_PROJECTION);
	glLoadIdentity();
	glOrtho(0, WIDTH, 0, HEIGHT, -1, 1);
	for (int frame = 0; frame < frames; frame++) {
		glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
		/* Frame k has k % 7 + 1 rectangles of 8 by k % 5 + 1 pixels. */
		for (int i = 0; i <= frame % 7; i++) {
			GLfloat y = (GLfloat)(8 * i), height = (GLfloat)(frame % 5 + 1);
			const GLfloat vertex[6][2] = { { 0, y },	  { 8, y },
						       { 0, y + height }, { 0, y + height },
						       { 8, y },	  { 8, y + height } };

			glEnableClientState(GL_VERTEX_ARRAY);
			glVertexPointer(2, GL_FLOAT, 0, vertex);
			glDrawArrays(GL_TRIANGLES, 0, 6);
		}
		eglSwapBuffers(display, surface);
	}
	return 0;
}
