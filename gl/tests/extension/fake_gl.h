/* SPDX-License-Identifier: MIT */
/*
 * A driver of OpenGL that is made up: it counts what fake_gl_draw() says, and has errors and lost
 * contexts at will.
 */
#ifndef FAKE_GL_H
#define FAKE_GL_H

#include <stdbool.h>

#include "gl/extension/driver.h"

/**
 * struct fake_gl - what a context of it is like; changed by tests
 * @version:	"4.5 (Compatibility Profile) fake"
 * @extensions:	words; also numbered from version 3.0 on
 * @is_core:	no string of extensions
 * @lacks:	targets without a query, 0 ends
 * @refuses:	a target that is known, but whose query cannot be begun; 0: none
 * @is_late:	results of queries are not there until fake_gl_finish_all()
 * @is_lost:	every call raises GL_CONTEXT_LOST
 * @is_begun:	between glBegin() and glEnd(), where calls that ask for something are errors
 * @list:	the display list that the program compiles, 0: none
 * @query_buffer: the buffer of the program's that results of queries go to, 0: none
 * @group:	number of the driver's own group of GL_AMD_performance_monitor; 0: it has none
 */
struct fake_gl {
	const char *version, *extensions;
	bool is_core, is_late, is_lost, is_begun;
	GLenum lacks[16], refuses;
	GLuint group, list, query_buffer;
};

/* That of this thread. */
extern __thread struct fake_gl fake;

/* As if it had just been made: no objects, no errors. */
void fake_gl_reset(const struct fake_gl *as);
/* What a thread that ends leaves. */
void fake_gl_fini(void);
void *fake_gl_get_proc(const char *name);
/* Each running query counts @n more, and the driver's own group too. */
void fake_gl_draw(unsigned int n);
/* The driver has an error for the program. */
void fake_gl_raise(GLenum error);
/* Results are there now. */
void fake_gl_finish_all(void);
/* Query objects that exist, and calls of glFinish since the reset. */
unsigned int fake_gl_objects(void);
unsigned int fake_gl_finishes(void);

#endif
