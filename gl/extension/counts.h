/* SPDX-License-Identifier: MIT */
/*
 * Groups "cpu" and "ntime": events and metrics that sessions of this process count, or of the
 * machine where an event counts for nothing less.
 */
#ifndef GLP_COUNTS_H
#define GLP_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gl/extension/driver.h"

/**
 * struct glp_value - a number as the extension has it
 * @type:	GL_UNSIGNED_INT, GL_UNSIGNED_INT64_AMD, GL_FLOAT or GL_PERCENTAGE_AMD
 * @is_known:	false: nobody can vouch for it
 */
struct glp_value {
	GLenum type;
	bool is_known;
	union {
		uint64_t integer;
		float real;
	};
};

enum glp_target {
	GLP_PROCESS, /* this process, all its threads included */
	GLP_MACHINE, /* what counts for everything that runs */
	GLP_N_TARGETS
};

/**
 * struct glp_event - an event or a metric
 * @of:		what is counted
 * @event:	as libntime takes it
 * @name:	as programs see it: with its unit, and with what it covers if that is not this
 *		process
 * @plain:	the same without " (user mode)", NULL where that is not in it: the name that others
 *		find the counter by
 * @type:	enum of struct glp_value
 * @why, @remedy: why it cannot be counted; NULL: it can
 */
struct glp_event {
	char *event, *name, *plain;
	GLenum type;
	enum glp_target of;
	char *why, *remedy;
};

/**
 * struct glp_events - those of a group
 * @max_active:	how many of them fit beside each other into one pass
 */
struct glp_events {
	struct glp_event *events;
	size_t n;
	unsigned int max_active;
};

/**
 * struct glp_counting - libntime as one GL context uses it; zeroed: nothing is open yet
 * @ctx:	NULL: not opened, or it was not possible
 * @pid:	process that opened it
 */
struct glp_counting {
	struct ntime_ctx *ctx;
	pid_t pid;
};
/* One monitor's session. */
struct glp_count;

/** glp_counting_fini() - its counts must be free */
void glp_counting_fini(struct glp_counting *k);

/**
 * glp_events_list() - what can be counted of a list
 * @list:	events and metrics separated by commas
 * @out:	free with glp_events_fini(); what cannot be counted is in it with its reason. A list
 *		that libntime does not understand as a whole is one event with that reason
 *
 * Return: 0 or -ENOMEM.
 */
int glp_events_list(struct glp_counting *k, const char *list, struct glp_events *out);
void glp_events_fini(struct glp_events *e);

/**
 * glp_count_new() - a session of this process, and one of the machine where it takes that
 * @events:	@n that can be counted
 *
 * Return: 0; -ENOSPC (they do not fit into one pass); or as ntime_session_open().
 */
int glp_count_new(struct glp_counting *k, const struct glp_event *const *events, size_t n,
		  struct glp_count **out);
/** glp_count_free() - stops it as well; NULL is accepted */
void glp_count_free(struct glp_count *count);

/* A process that was forked since has another set of threads, and must not touch this session. */
bool glp_count_is_inherited(const struct glp_count *count);

/* Begins a measurement. 0, or as ntime_session_start(). */
int glp_count_start(struct glp_count *count);
/* Ends it. 0, or as ntime_session_read(): then no value is known. */
int glp_count_stop(struct glp_count *count);
/* Of event @i of the last measurement; @v->type is set. */
void glp_count_get(struct glp_count *count, size_t i, struct glp_value *v);

#endif
