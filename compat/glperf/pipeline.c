// SPDX-License-Identifier: MIT
/* Group "pipeline": the driver's own queries, for monitors and the program at one time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/glperf/context.h"
#include "compat/glperf/pipeline.h"

/* OpenGL 4.6 Core, section 4.2, and ARB_pipeline_statistics_query; the last one ARB_timer_query. */
static const struct target {
	const char *name;
	GLenum target;
} targets[GLP_N_QUERIES] = {
	{ "samples-passed", GL_SAMPLES_PASSED },
	{ "primitives-generated", GL_PRIMITIVES_GENERATED },
	{ "transform-feedback-primitives", GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN },
	{ "vertices-submitted", GL_VERTICES_SUBMITTED },
	{ "primitives-submitted", GL_PRIMITIVES_SUBMITTED },
	{ "vertex-shader-invocations", GL_VERTEX_SHADER_INVOCATIONS },
	{ "tess-control-shader-patches", GL_TESS_CONTROL_SHADER_PATCHES },
	{ "tess-evaluation-shader-invocations", GL_TESS_EVALUATION_SHADER_INVOCATIONS },
	{ "geometry-shader-invocations", GL_GEOMETRY_SHADER_INVOCATIONS },
	{ "geometry-shader-primitives", GL_GEOMETRY_SHADER_PRIMITIVES_EMITTED },
	{ "clipping-input-primitives", GL_CLIPPING_INPUT_PRIMITIVES },
	{ "clipping-output-primitives", GL_CLIPPING_OUTPUT_PRIMITIVES },
	{ "fragment-shader-invocations", GL_FRAGMENT_SHADER_INVOCATIONS },
	{ "compute-shader-invocations", GL_COMPUTE_SHADER_INVOCATIONS },
	{ "gpu-time [ns]", GL_TIMESTAMP },
};

const char *glp_pipeline_name(unsigned int q)
{
	return targets[q].name;
}

static bool is_time(unsigned int q)
{
	return targets[q].target == GL_TIMESTAMP;
}

/* The queries that may not run beside each other are one: the three of samples. */
static struct glp_query *find_query(struct glp_context *c, GLenum target)
{
	if (target == GL_ANY_SAMPLES_PASSED || target == GL_ANY_SAMPLES_PASSED_CONSERVATIVE)
		target = GL_SAMPLES_PASSED;
	for (unsigned int q = 0; q < GLP_N_QUERIES; q++)
		if (targets[q].target == target && !is_time(q))
			return &c->pipeline.queries[q];
	return NULL;
}

static GLenum target_of(const struct glp_context *c, const struct glp_query *q)
{
	return targets[q - c->pipeline.queries].target;
}

void glp_pipeline_fini(struct glp_pipeline *p)
{
	for (unsigned int q = 0; q < GLP_N_QUERIES; q++) {
		free(p->queries[q].segments);
		free(p->queries[q].spare);
	}
}

static GLuint take_object(struct glp_context *c, struct glp_query *q)
{
	GLuint id = 0;

	if (q->n_spare)
		return q->spare[--q->n_spare];
	c->driver->GenQueries(1, &id);
	return id;
}

static void put_object(struct glp_context *c, struct glp_query *q, GLuint id)
{
	if (!id)
		return;
	if (q->n_spare == q->spare_room) {
		size_t room = q->spare_room ? 2 * q->spare_room : 4;
		GLuint *more = realloc(q->spare, room * sizeof(*more));

		if (!more) {
			c->driver->DeleteQueries(1, &id);
			return;
		}
		q->spare = more;
		q->spare_room = room;
	}
	q->spare[q->n_spare++] = id;
}

/* Why the driver does not have this query; NULL: it has. */
static const char *probe_query(struct glp_context *c, unsigned int n)
{
	const struct glp_driver *d = c->driver;
	struct glp_query *q = &c->pipeline.queries[n];
	GLint bits = 0, running = 0;
	GLuint id;

	d->GetQueryiv(targets[n].target, GL_QUERY_COUNTER_BITS, &bits);
	if (glp_context_heard(c))
		return c->is_es ? "OpenGL ES has no such query" : "the driver has no such query";
	if (bits == 0)
		return "the driver has this query, but does not count it";
	if (is_time(n))
		return NULL;
	/* Whether it can be begun is found out by trying, where the program leaves room for it. */
	d->GetQueryiv(targets[n].target, GL_CURRENT_QUERY, &running);
	if (running)
		return NULL;
	id = take_object(c, q);
	d->BeginQuery(targets[n].target, id);
	if (!glp_context_heard(c))
		d->EndQuery(targets[n].target);
	else if (n != 0)
		return "the driver refuses to begin this query";
	if (glp_context_heard(c))
		return "the driver refuses to end this query";
	put_object(c, q, id);
	return NULL;
}

void glp_pipeline_probe(struct glp_context *c)
{
	struct glp_pipeline *p = &c->pipeline;
	const char *none = NULL;

	if (p->is_probed)
		return;
	p->is_probed = true;
	glp_context_hush(c);
	if (c->is_es ? c->version < 300 : c->version < 105)
		none = c->is_es ? "needs OpenGL ES 3.0" : "needs OpenGL 1.5";
	p->has_64 = !c->is_es && (c->version >= 303 || glp_context_has(c, "GL_ARB_timer_query"));
	for (unsigned int q = 0; q < GLP_N_QUERIES; q++) {
		struct glp_query *query = &p->queries[q];

		query->why = none;
		if (is_time(q) && !p->has_64 && !none)
			query->why = c->is_es ? "OpenGL ES has no such query"
					      : "needs OpenGL 3.3 or GL_ARB_timer_query";
		if (!query->why)
			query->why = probe_query(c, q);
	}
	(void)glp_context_heard(c);
}

static uint64_t ask_result(struct glp_context *c, GLuint id)
{
	GLuint64 wide = 0;
	GLuint narrow = 0;

	if (c->pipeline.has_64) {
		c->driver->GetQueryObjectui64v(id, GL_QUERY_RESULT, &wide);
		return wide;
	}
	c->driver->GetQueryObjectuiv(id, GL_QUERY_RESULT, &narrow);
	return narrow;
}

static bool ask_ready(struct glp_context *c, GLuint id)
{
	/* A driver whose context is lost may leave it as it is: there is nothing to wait for. */
	GLuint is_ready = GL_TRUE;

	c->driver->GetQueryObjectuiv(id, GL_QUERY_RESULT_AVAILABLE, &is_ready);
	return is_ready;
}

/*
 * Waits for the result, if it must. An error of the driver (the context is lost) leaves no result.
 */
static void resolve(struct glp_context *c, struct glp_segment *s)
{
	if (s->is_known || s->is_void)
		return;
	glp_context_hush(c);
	s->count = ask_result(c, s->id);
	s->is_known = true;
	s->is_void = glp_context_heard(c) != 0;
	if (s->is_programs)
		c->pipeline.n_borrowed--;
}

static struct glp_segment *add_segment(struct glp_query *q)
{
	if (q->n == q->room) {
		size_t room = q->room ? 2 * q->room : 8;
		struct glp_segment *more = realloc(q->segments, room * sizeof(*more));

		if (!more)
			return NULL;
		q->segments = more;
		q->room = room;
	}
	q->segments[q->n] = (struct glp_segment){ .users = q->users };
	return &q->segments[q->n++];
}

/* Ends our running segment. Its users are those that count now. */
static void close_segment(struct glp_context *c, struct glp_query *q)
{
	c->driver->EndQuery(target_of(c, q));
	q->segments[q->n - 1].users = q->users;
	q->is_open = false;
}

/* Begins a segment of ours. -EBUSY: the driver does not let us; one that is void stands there. */
static int open_segment(struct glp_context *c, struct glp_query *q)
{
	struct glp_segment *s = add_segment(q);

	if (!s)
		return -ENOMEM;
	glp_context_hush(c);
	s->id = take_object(c, q);
	c->driver->BeginQuery(target_of(c, q), s->id);
	if (glp_context_heard(c)) {
		s->is_void = true;
		return -EBUSY;
	}
	q->is_open = true;
	return 0;
}

/* Numbers of segments grow for ever; those that nobody needs are forgotten from the front. */
static void forget_segments(struct glp_context *c, struct glp_query *q)
{
	size_t n = 0;

	while (n < q->n - q->is_open && q->segments[n].users == 0) {
		struct glp_segment *s = &q->segments[n++];

		if (!s->is_programs)
			put_object(c, q, s->id);
		else if (!s->is_known && !s->is_void)
			c->pipeline.n_borrowed--;
	}
	if (n == 0)
		return;
	q->first += n;
	q->n -= n;
	memmove(q->segments, q->segments + n, q->n * sizeof(*q->segments));
}

static int begin_time(struct glp_context *c, struct glp_query *q, struct glp_span *span)
{
	for (unsigned int i = 0; i < 2; i++)
		span->marks[i] = take_object(c, q);
	c->driver->QueryCounter(span->marks[0], GL_TIMESTAMP);
	return 0;
}

int glp_pipeline_begin(struct glp_context *c, unsigned int n, struct glp_span *span)
{
	struct glp_query *q = &c->pipeline.queries[n];
	int ret;

	memset(span, 0, sizeof(*span));
	if (is_time(n))
		return begin_time(c, q, span);
	if (q->users && !q->is_open)
		return -EBUSY;
	if (q->is_open)
		close_segment(c, q);
	ret = open_segment(c, q);
	if (ret < 0) {
		forget_segments(c, q);
		return ret;
	}
	span->from = q->first + q->n - 1;
	q->users++;
	return 0;
}

void glp_pipeline_end(struct glp_context *c, unsigned int n, struct glp_span *span)
{
	struct glp_query *q = &c->pipeline.queries[n];

	if (is_time(n)) {
		c->driver->QueryCounter(span->marks[1], GL_TIMESTAMP);
		return;
	}
	span->is_void = !q->is_open;
	if (q->is_open) {
		close_segment(c, q);
		span->to = q->first + q->n;
		if (--q->users)
			(void)open_segment(c, q);
		return;
	}
	span->to = q->first + q->n;
	q->users--;
}

bool glp_pipeline_is_ready(struct glp_context *c, unsigned int n, const struct glp_span *span)
{
	struct glp_query *q = &c->pipeline.queries[n];

	if (is_time(n))
		return ask_ready(c, span->marks[1]);
	for (size_t i = span->from; i < span->to; i++) {
		struct glp_segment *s = &q->segments[i - q->first];

		if (!s->is_known && !s->is_void && !ask_ready(c, s->id))
			return false;
	}
	return true;
}

static bool get_time(struct glp_context *c, const struct glp_span *span, uint64_t *count)
{
	uint64_t begin, end;

	glp_context_hush(c);
	begin = ask_result(c, span->marks[0]);
	end = ask_result(c, span->marks[1]);
	*count = end - begin;
	/* llvmpipe has no time before it has drawn for the first time. */
	return !glp_context_heard(c) && begin != 0 && end >= begin;
}

bool glp_pipeline_get(struct glp_context *c, unsigned int n, const struct glp_span *span,
		      uint64_t *count)
{
	struct glp_query *q = &c->pipeline.queries[n];
	bool is_void = span->is_void;

	if (is_time(n))
		return get_time(c, span, count);
	*count = 0;
	for (size_t i = span->from; i < span->to; i++) {
		struct glp_segment *s = &q->segments[i - q->first];

		resolve(c, s);
		is_void |= s->is_void;
		*count += s->count;
	}
	return !is_void;
}

void glp_pipeline_drop(struct glp_context *c, unsigned int n, struct glp_span *span)
{
	struct glp_query *q = &c->pipeline.queries[n];

	for (unsigned int i = 0; i < 2; i++)
		put_object(c, q, span->marks[i]);
	for (size_t i = span->from; i < span->to; i++)
		q->segments[i - q->first].users--;
	forget_segments(c, q);
	memset(span, 0, sizeof(*span));
}

/* The program's own queries: it must not notice ours. */

/* Before the program uses a query object anew or deletes it: what a monitor needs of it is read. */
static void rescue(struct glp_context *c, GLuint id)
{
	for (unsigned int q = 0; q < GLP_N_QUERIES && c->pipeline.n_borrowed; q++) {
		struct glp_query *query = &c->pipeline.queries[q];

		for (size_t i = 0; i < query->n; i++)
			if (query->segments[i].is_programs && query->segments[i].id == id)
				resolve(c, &query->segments[i]);
	}
}

/* The program's query is over: it becomes a segment, and ours goes on. */
static void step_back(struct glp_context *c, struct glp_query *q, bool is_void)
{
	struct glp_segment *s = add_segment(q);

	if (s) {
		s->id = q->aside;
		s->is_programs = true;
		s->is_void = is_void || q->aside_target != target_of(c, q);
		if (!s->is_void)
			c->pipeline.n_borrowed++;
	}
	q->aside = 0;
	/* Where this fails it stays closed, and the monitors' spans are void. */
	(void)open_segment(c, q);
}

/* An error of the program's own call, which our call must not take away. */
static bool keeps_error(struct glp_context *c)
{
	GLenum e = glp_context_heard(c);

	if (e && c->n_kept < sizeof(c->kept) / sizeof(c->kept[0]))
		c->kept[c->n_kept++] = e;
	return e != 0;
}

/* Through glBeginQuery, or glBeginQueryIndexed where @is_indexed. */
static void begin_query(GLenum target, GLuint id, bool is_indexed)
{
	struct glp_context *c = glp_context_current();
	struct glp_query *q = c ? find_query(c, target) : NULL;
	bool steps_aside = q && q->users && q->is_open;
	const struct glp_driver *d = glp_context_driver(c);

	if (c && c->pipeline.n_borrowed)
		rescue(c, id);
	if (steps_aside) {
		close_segment(c, q);
		glp_context_hush(c);
	}
	if (is_indexed)
		d->BeginQueryIndexed(target, 0, id);
	else
		d->BeginQuery(target, id);
	if (!steps_aside)
		return;
	if (keeps_error(c)) {
		(void)open_segment(c, q);
		return;
	}
	q->aside = id;
	q->aside_target = target;
}

static void end_query(GLenum target, bool is_indexed)
{
	struct glp_context *c = glp_context_current();
	struct glp_query *q = c ? find_query(c, target) : NULL;
	const struct glp_driver *d = glp_context_driver(c);

	if (q && q->is_open) {
		/* The query that runs is ours; the program has none. */
		glp_context_raise(c, GL_INVALID_OPERATION);
		return;
	}
	if (q && q->aside)
		glp_context_hush(c);
	if (is_indexed)
		d->EndQueryIndexed(target, 0);
	else
		d->EndQuery(target);
	if (q && q->aside && !keeps_error(c))
		step_back(c, q, false);
}

void glBeginQuery(GLenum target, GLuint id)
{
	begin_query(target, id, false);
}

void glEndQuery(GLenum target)
{
	end_query(target, false);
}

void glBeginQueryIndexed(GLenum target, GLuint index, GLuint id)
{
	struct glp_context *c = glp_context_current();

	if (index == 0)
		begin_query(target, id, true);
	else
		glp_context_driver(c)->BeginQueryIndexed(target, index, id);
}

void glEndQueryIndexed(GLenum target, GLuint index)
{
	struct glp_context *c = glp_context_current();

	if (index == 0)
		end_query(target, true);
	else
		glp_context_driver(c)->EndQueryIndexed(target, index);
}

void glDeleteQueries(GLsizei n, const GLuint *ids)
{
	struct glp_context *c = glp_context_current();

	for (GLsizei i = 0; i < n && c && c->pipeline.n_borrowed; i++)
		rescue(c, ids[i]);
	glp_context_driver(c)->DeleteQueries(n, ids);
	/* One that runs ends with its name. */
	for (unsigned int q = 0; q < GLP_N_QUERIES && c; q++) {
		struct glp_query *query = &c->pipeline.queries[q];

		for (GLsizei i = 0; i < n && query->aside; i++)
			if (ids[i] == query->aside)
				step_back(c, query, true);
	}
}

/* Of our own query the program sees nothing. */
static bool hides_query(GLenum target, GLenum pname)
{
	struct glp_context *c = glp_context_current();
	struct glp_query *q = c ? find_query(c, target) : NULL;

	return pname == GL_CURRENT_QUERY && q && q->is_open;
}

void glGetQueryiv(GLenum target, GLenum pname, GLint *data)
{
	struct glp_context *c = glp_context_current();

	if (hides_query(target, pname))
		*data = 0;
	else
		glp_context_driver(c)->GetQueryiv(target, pname, data);
}

void glGetQueryIndexediv(GLenum target, GLuint index, GLenum pname, GLint *data)
{
	struct glp_context *c = glp_context_current();

	if (index == 0 && hides_query(target, pname))
		*data = 0;
	else
		glp_context_driver(c)->GetQueryIndexediv(target, index, pname, data);
}
