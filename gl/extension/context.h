/* SPDX-License-Identifier: MIT */
/* What is known of one context. One thread at a time has it current, so nothing in it is locked. */
#ifndef GLP_CONTEXT_H
#define GLP_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gl/extension/driver.h"
#include "gl/extension/pipeline.h"

#define GLP_EXTENSION "GL_AMD_performance_monitor"

struct glp_monitor;
struct glp_groups;

/**
 * struct glp_context - one context of the program
 * @serial:	of no other one, as handles are used again
 * @next, @handle, @is_current, @is_dead: of the list in context.c, under its lock
 * @driver:	whose functions it has
 * @pid:	the process that made it current first
 * @is_learned:	the members behind are known; glp_context_learn()
 * @version:	100 * major + minor, as in 405; of GL or of ES
 * @is_es:	GL ES
 * @is_core:	a core profile, which has neither lists nor a string of extensions
 * @driver_has:	the driver has the extension itself
 * @n_extensions: how many the driver has; 0 where extensions have no numbers
 * @extensions:	the driver's string and ours; NULL where the driver has no string, or the extension
 * @kept:	errors of the driver that the program has not asked for yet, the oldest first
 * @error:	our own; 0: none
 * @groups:	NULL until the program asks for them
 * @monitors:	@n_monitors by name - 1; NULL where there is none of this name
 */
struct glp_context {
	struct glp_context *next;
	uint64_t serial;
	const void *handle;
	bool is_current, is_dead;
	const struct glp_driver *driver;
	pid_t pid;
	bool is_learned, is_es, is_core, driver_has;
	unsigned int version;
	GLint n_extensions;
	char *extensions;
	GLenum kept[4];
	unsigned int n_kept;
	GLenum error;
	struct glp_groups *groups;
	struct glp_monitor **monitors;
	size_t n_monitors;
	struct glp_pipeline pipeline;
};

/* That of the calling thread, or NULL. */
struct glp_context *glp_context_current(void);

/*
 * Whose functions the calling thread has: @c is its context, or NULL where no front end has told us
 * of one. The program must not notice that either.
 */
static inline const struct glp_driver *glp_context_driver(const struct glp_context *c)
{
	return c ? c->driver : glp_driver_first();
}

/* Asks the driver what it is, once. */
void glp_context_learn(struct glp_context *c);

/* Has this context an extension of the driver? For names that a program does not need often. */
bool glp_context_has(struct glp_context *c, const char *extension);

/* An error of our own, which the program gets after those of the driver. */
void glp_context_raise(struct glp_context *c, GLenum error);

/* Frees memory and counters; its query objects are the context's. NULL is accepted. */
void glp_monitor_free(struct glp_monitor *m);

/*
 * Around calls of ours to the driver: the program's pending errors are put aside, and errors of our
 * calls do not become the program's. hush() is called before, heard() after: the first error
 * between, or 0.
 */
void glp_context_hush(struct glp_context *c);
GLenum glp_context_heard(struct glp_context *c);

#endif
