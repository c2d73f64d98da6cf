/* SPDX-License-Identifier: MIT */
/*
 * The driver's own queries, shared between monitors and the program.
 *
 * GL runs one query of a target at a time. So each target has one chain of queries, its segments:
 * where a monitor begins or ends, or the program begins or ends a query of its own, the running
 * segment ends and the next one begins. A monitor's count is the sum of its segments:
 *
 *     monitor 1   |-------------------------------|
 *     monitor 2             |---------------|
 *     program                    |----|
 *     segments    [  ours   ][ours][its][o. ][ours]
 *
 * The program's query is a segment too, and its result is read before the program can lose it.
 */
#ifndef GLP_PIPELINE_H
#define GLP_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gl/extension/driver.h"

struct glp_context;

/* Counters of the group: queries of a target, and last the time between two marks. */
#define GLP_N_QUERIES 15

/**
 * struct glp_segment - what one query object counted, or several in a row
 * @number:	grows; by which monitors know it
 * @id:		the query object
 * @is_first:	a monitor begins or ends right before it
 * @is_programs: it is the program's
 * @is_known:	@count is its result
 * @is_void:	what was counted meanwhile cannot be known
 * @users:	monitors that still need it
 */
struct glp_segment {
	uint64_t number;
	GLuint id;
	bool is_first, is_programs, is_known, is_void;
	unsigned int users;
	uint64_t count;
};

/**
 * struct glp_query - one target
 * @why:	why this context does not have it; NULL: it has
 * @users:	monitors between Begin and End
 * @is_open:	the last segment is ours and counts now
 * @aside, @aside_target: where it is not open though it has users: the program's query that runs
 * @segments:	@n of them, by number; the next one gets number @next
 * @spare:	query objects that nobody needs
 */
struct glp_query {
	const char *why;
	unsigned int users;
	bool is_open;
	GLuint aside;
	GLenum aside_target;
	struct glp_segment *segments;
	uint64_t next;
	size_t n, room;
	GLuint *spare;
	size_t n_spare, spare_room;
};

struct glp_pipeline {
	bool is_probed;
	bool has_64;	   /* results of 64 bits */
	bool has_buffers;  /* results may go into a buffer of the program's */
	size_t n_borrowed; /* segments of the program whose result is not known yet */
	size_t n_users;	   /* of all queries */
	struct glp_query queries[GLP_N_QUERIES];
};

/**
 * struct glp_span - one counter of a monitor
 * @from, @to:	its segments, @to excluded
 * @marks:	of the time: query objects at both ends
 * @is_void:	it ended within a query of the program
 */
struct glp_span {
	uint64_t from, to;
	GLuint marks[2];
	bool is_void;
};

/* Finds out, once a context, what the driver has. The program's pending errors stay. */
void glp_pipeline_probe(struct glp_context *c);
/* Frees memory; query objects end with their context. */
void glp_pipeline_fini(struct glp_pipeline *p);

/* "samples-passed"; of all contexts. */
const char *glp_pipeline_name(unsigned int q);
/* Is it the time, which is marked at one moment and shared with nobody? */
bool glp_pipeline_is_time(unsigned int q);

/*
 * A monitor's span. begin(): 0, -EBUSY (a query of the program runs), -ENOMEM. is_ready() asks the
 * driver without waiting; get() after it: false where the count cannot be known. drop() after end()
 * and at most once: the objects are not needed any more.
 */
int glp_pipeline_begin(struct glp_context *c, unsigned int q, struct glp_span *span);
void glp_pipeline_end(struct glp_context *c, unsigned int q, struct glp_span *span);
bool glp_pipeline_is_ready(struct glp_context *c, unsigned int q, const struct glp_span *span);
bool glp_pipeline_get(struct glp_context *c, unsigned int q, const struct glp_span *span,
		      uint64_t *count);
void glp_pipeline_drop(struct glp_context *c, unsigned int q, struct glp_span *span);

/* While the program compiles a list, calls of ours would become a part of it. */
bool glp_pipeline_is_compiling(struct glp_context *c);

/* Ours that run end, and go on at the next call with @is_end false. */
void glp_pipeline_cut(struct glp_context *c, bool is_end);

#endif
