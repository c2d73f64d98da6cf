/* SPDX-License-Identifier: MIT */
/* Groups and counters of one context: the driver's own first, ours behind. */
#ifndef GLP_GROUPS_H
#define GLP_GROUPS_H

#include <stddef.h>

#include "gl/extension/counts.h"
#include "gl/extension/driver.h"

struct glp_context;

enum glp_group_kind {
	GLP_CPU,      /* counts of this process */
	GLP_PIPELINE, /* queries of the driver */
	GLP_NTIME,    /* events that the user chose */
	GLP_N_KINDS
};

/**
 * struct glp_counter - one counter; its number is its index in the group
 * @event:	of the kinds that are counted by libntime
 * @query:	of GLP_PIPELINE
 */
struct glp_counter {
	const char *name;
	GLenum type;
	const struct glp_event *event;
	unsigned int query;
};

/**
 * struct glp_group - one of our groups
 * @id:		the number that the program knows it by
 * @max_active:	counters that can be begun together
 */
struct glp_group {
	enum glp_group_kind kind;
	const char *name;
	GLuint id;
	struct glp_counter *counters;
	size_t n;
	unsigned int max_active;
};

/**
 * struct glp_groups - all of a context
 * @drivers:	numbers of the driver's groups, @n_drivers
 * @own:	@n_own of ours; those without a counter are left out
 * @events:	what the counters of GLP_CPU and GLP_NTIME point to
 */
struct glp_groups {
	GLuint *drivers;
	GLint n_drivers;
	struct glp_group own[GLP_N_KINDS];
	size_t n_own;
	struct glp_counting counting;
	struct glp_events events[GLP_N_KINDS];
};

/* Those of @c, which are found out when they are first asked for. NULL after an error of GL. */
struct glp_groups *glp_groups_get(struct glp_context *c);
void glp_groups_free(struct glp_groups *g);

/* One of ours by its number, or NULL. */
const struct glp_group *glp_group_find(const struct glp_groups *g, GLuint id);

#endif
