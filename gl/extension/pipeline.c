// SPDX-License-Identifier: MIT
/* Group "pipeline": the driver's own queries, for monitors and the program at one time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gl/extension/context.h"
#include "gl/extension/pipeline.h"
#include "gl/extension/wire.h"

/* OpenGL 4.6 Core, section 4.2, and ARB_pipeline_statistics_query; the last one ARB_timer_query. */
static const struct target {
	const char *name;
	GLenum target;
} targets[] = {
#define TARGET(name, unit, behind, target) { name behind, target },
	GLP_QUERIES(TARGET)
#undef TARGET
};

_Static_assert(sizeof(targets) / sizeof(targets[0]) == GLP_N_QUERIES &&
		       GLP_WIRE_QUERIES == GLP_N_QUERIES,
	       "all of them are known");

const char *glp_pipeline_name(unsigned int q)
{
	return targets[q].name;
}

bool glp_pipeline_is_time(unsigned int q)
{
	return targets[q].target == GL_TIMESTAMP;
}

/* The queries that may not run beside each other are one: the three of samples. */
static struct glp_query *find_query(struct glp_context *c, GLenum target)
{
	if (target == GL_ANY_SAMPLES_PASSED || target == GL_ANY_SAMPLES_PASSED_CONSERVATIVE)
		target = GL_SAMPLES_PASSED;
	for (unsigned int q = 0; q < GLP_N_QUERIES; q++)
		if (targets[q].target == target && !glp_pipeline_is_time(q))
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
	const char *why = NULL;
	GLuint id;

	d->GetQueryiv(targets[n].target, GL_QUERY_COUNTER_BITS, &bits);
	if (glp_context_heard(c))
		return c->is_es ? "OpenGL ES has no such query" : "the driver has no such query";
	if (bits == 0)
		return "the driver has this query, but does not count it";
	if (glp_pipeline_is_time(n))
		return NULL;
	/* Whether it can be begun is found out by trying, where the program leaves room for it. */
	d->GetQueryiv(targets[n].target, GL_CURRENT_QUERY, &running);
	if (running)
		return NULL;
	id = take_object(c, q);
	d->BeginQuery(targets[n].target, id);
	if (glp_context_heard(c))
		why = "the driver refuses to begin this query";
	else
		d->EndQuery(targets[n].target);
	if (glp_context_heard(c))
		why = "the driver refuses to end this query";
	put_object(c, q, id);
	return why;
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
	p->has_buffers = !c->is_es &&
			 (c->version >= 404 || glp_context_has(c, "GL_ARB_query_buffer_object"));
	for (unsigned int q = 0; q < GLP_N_QUERIES; q++) {
		struct glp_query *query = &p->queries[q];

		query->why = none;
		if (glp_pipeline_is_time(q) && !p->has_64 && !none)
			query->why = c->is_es ? "OpenGL ES has no such query"
					      : "needs OpenGL 3.3 or GL_ARB_timer_query";
		if (!query->why)
			query->why = probe_query(c, q);
	}
	(void)glp_context_heard(c);
}

/*
 * Results go to memory of ours, not into a buffer of the program's that is bound for its own: it is
 * taken off meanwhile. Errors are the caller's to hush.
 */
static GLuint take_buffer_off(struct glp_context *c)
{
	GLint buffer = 0;

	if (!c->pipeline.has_buffers)
		return 0;
	c->driver->GetIntegerv(GL_QUERY_BUFFER_BINDING, &buffer);
	if (buffer)
		c->driver->BindBuffer(GL_QUERY_BUFFER, 0);
	return (GLuint)buffer;
}

static uint64_t ask_result(struct glp_context *c, GLuint id)
{
	GLuint buffer = take_buffer_off(c);
	GLuint64 wide = 0;
	GLuint narrow = 0;

	if (c->pipeline.has_64) {
		c->driver->GetQueryObjectui64v(id, GL_QUERY_RESULT, &wide);
	} else {
		c->driver->GetQueryObjectuiv(id, GL_QUERY_RESULT, &narrow);
		wide = narrow;
	}
	if (buffer)
		c->driver->BindBuffer(GL_QUERY_BUFFER, buffer);
	return wide;
}

static bool ask_ready(struct glp_context *c, GLuint id)
{
	/* A driver whose context is lost may leave it as it is: there is nothing to wait for. */
	GLuint is_ready = GL_TRUE;
	GLuint buffer;

	glp_context_hush(c);
	buffer = take_buffer_off(c);
	c->driver->GetQueryObjectuiv(id, GL_QUERY_RESULT_AVAILABLE, &is_ready);
	if (buffer)
		c->driver->BindBuffer(GL_QUERY_BUFFER, buffer);
	(void)glp_context_heard(c);
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
	q->segments[q->n] = (struct glp_segment){ .number = q->next++, .users = q->users };
	return &q->segments[q->n++];
}

/*
 * Ends our running segment. Its users are those that count now. A list of the program's
 * (glCallList) may have ended it before: then nobody knows what it counted.
 */
static void close_segment(struct glp_context *c, struct glp_query *q)
{
	struct glp_segment *s = &q->segments[q->n - 1];

	glp_context_hush(c);
	c->driver->EndQuery(target_of(c, q));
	s->is_void = glp_context_heard(c) != 0;
	s->users = q->users;
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

/* Its query object is not needed any more. */
static void release_object(struct glp_context *c, struct glp_query *q, struct glp_segment *s)
{
	if (!s->is_programs)
		put_object(c, q, s->id);
	else if (!s->is_known && !s->is_void)
		c->pipeline.n_borrowed--;
	s->id = 0;
}

/* Those that nobody needs, wherever they stand. */
static void forget_segments(struct glp_context *c, struct glp_query *q)
{
	size_t kept = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct glp_segment *s = &q->segments[i];
		bool is_running = q->is_open && i == q->n - 1;

		if (s->users == 0 && !is_running)
			release_object(c, q, s);
		else
			q->segments[kept++] = *s;
	}
	q->n = kept;
}

static bool is_settled(struct glp_context *c, struct glp_segment *s)
{
	if (!s->is_known && !s->is_void && ask_ready(c, s->id))
		resolve(c, s);
	return s->is_known || s->is_void;
}

#define MANY_SEGMENTS 32

/*
 * A program with many queries of its own within one monitor makes many segments. Where no monitor
 * begins or ends between two whose results are there, they become one.
 */
static void fold_segments(struct glp_context *c, struct glp_query *q)
{
	size_t last = 0;

	if (q->n < MANY_SEGMENTS)
		return;
	for (size_t i = 1; i < q->n; i++) {
		struct glp_segment *s = &q->segments[i], *to = &q->segments[last];

		if (s->is_first || !is_settled(c, to) || !is_settled(c, s)) {
			q->segments[++last] = *s;
			continue;
		}
		to->count += s->count;
		to->is_void |= s->is_void;
		to->is_known = true;
		release_object(c, q, s);
	}
	q->n = last + 1;
}

bool glp_pipeline_is_compiling(struct glp_context *c)
{
	GLint list = 0;

	if (c->is_es || c->is_core)
		return false;
	c->driver->GetIntegerv(GL_LIST_INDEX, &list);
	return list != 0;
}

int glp_pipeline_begin(struct glp_context *c, unsigned int n, struct glp_span *span)
{
	struct glp_query *q = &c->pipeline.queries[n];
	int ret;

	memset(span, 0, sizeof(*span));
	if (glp_pipeline_is_compiling(c))
		return -EBUSY;
	if (glp_pipeline_is_time(n)) {
		for (unsigned int i = 0; i < 2; i++)
			span->marks[i] = take_object(c, q);
		c->driver->QueryCounter(span->marks[0], GL_TIMESTAMP);
		return 0;
	}
	if (q->users && !q->is_open)
		return -EBUSY;
	if (q->is_open)
		close_segment(c, q);
	ret = open_segment(c, q);
	if (ret < 0) {
		forget_segments(c, q);
		return ret;
	}
	q->segments[q->n - 1].is_first = true;
	span->from = q->segments[q->n - 1].number;
	q->users++;
	c->pipeline.n_users++;
	return 0;
}

void glp_pipeline_end(struct glp_context *c, unsigned int n, struct glp_span *span)
{
	struct glp_query *q = &c->pipeline.queries[n];

	if (glp_pipeline_is_time(n)) {
		if (span->marks[1])
			c->driver->QueryCounter(span->marks[1], GL_TIMESTAMP);
		return;
	}
	/* What the program's query counts until now cannot be taken apart. */
	span->is_void = !q->is_open;
	if (q->is_open)
		close_segment(c, q);
	span->to = q->next;
	q->users--;
	c->pipeline.n_users--;
	if (q->users && !span->is_void && open_segment(c, q) == 0)
		q->segments[q->n - 1].is_first = true;
}

void glp_pipeline_cut(struct glp_context *c, bool is_end)
{
	for (unsigned int n = 0; n < GLP_N_QUERIES && c->pipeline.n_users; n++) {
		struct glp_query *q = &c->pipeline.queries[n];

		if (is_end && q->is_open)
			close_segment(c, q);
		else if (!is_end && q->users && !q->is_open && !q->aside)
			(void)open_segment(c, q);
	}
}

/* NOLINTBEGIN(bugprone-macro-parentheses) the name of a variable cannot have any */
#define FOR_EACH_SEGMENT(s, q, span)                                                               \
	for (struct glp_segment *s = (q)->segments; s < (q)->segments + (q)->n; s++)               \
		if (s->number >= (span)->from && s->number < (span)->to)
/* NOLINTEND(bugprone-macro-parentheses) */

bool glp_pipeline_is_ready(struct glp_context *c, unsigned int n, const struct glp_span *span)
{
	struct glp_query *q = &c->pipeline.queries[n];

	if (glp_pipeline_is_time(n))
		return ask_ready(c, span->marks[1]);
	FOR_EACH_SEGMENT(s, q, span)
	if (!s->is_known && !s->is_void && !ask_ready(c, s->id))
		return false;
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

	if (glp_pipeline_is_time(n))
		return get_time(c, span, count);
	*count = 0;
	FOR_EACH_SEGMENT(s, q, span)
	{
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
	FOR_EACH_SEGMENT(s, q, span)
	s->users--;
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
	struct glp_segment *s = q->users ? add_segment(q) : NULL;

	if (s) {
		s->id = q->aside;
		s->is_programs = true;
		s->is_void = is_void || q->aside_target != target_of(c, q);
		if (!s->is_void)
			c->pipeline.n_borrowed++;
	}
	q->aside = 0;
	fold_segments(c, q);
	/* Where this fails it stays closed, and the monitors' spans are void. */
	if (q->users)
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

/* Through glBeginQuery, or glBeginQueryIndexed where @is_indexed. Ours have index 0. */
static void begin_query(GLenum target, GLuint index, GLuint id, bool is_indexed)
{
	struct glp_context *c = glp_context_current();
	struct glp_query *q = c && index == 0 ? find_query(c, target) : NULL;
	bool steps_aside = q && q->is_open && !glp_pipeline_is_compiling(c);
	const struct glp_driver *d = glp_context_driver(c);

	if (c && c->pipeline.n_borrowed)
		rescue(c, id);
	if (steps_aside) {
		close_segment(c, q);
		glp_context_hush(c);
	}
	if (is_indexed)
		d->BeginQueryIndexed(target, index, id);
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

static void end_query(GLenum target, GLuint index, bool is_indexed)
{
	struct glp_context *c = glp_context_current();
	struct glp_query *q = c && index == 0 ? find_query(c, target) : NULL;
	const struct glp_driver *d = glp_context_driver(c);
	bool is_back;

	if (q && q->is_open && !glp_pipeline_is_compiling(c)) {
		/* The query that runs is ours; the program has none. */
		glp_context_raise(c, GL_INVALID_OPERATION);
		return;
	}
	is_back = q && q->aside && !glp_pipeline_is_compiling(c);
	if (is_back)
		glp_context_hush(c);
	if (is_indexed)
		d->EndQueryIndexed(target, index);
	else
		d->EndQuery(target);
	if (is_back && !keeps_error(c))
		step_back(c, q, false);
}

void glBeginQuery(GLenum target, GLuint id)
{
	begin_query(target, 0, id, false);
}

void glEndQuery(GLenum target)
{
	end_query(target, 0, false);
}

void glBeginQueryIndexed(GLenum target, GLuint index, GLuint id)
{
	begin_query(target, index, id, true);
}

void glEndQueryIndexed(GLenum target, GLuint index)
{
	end_query(target, index, true);
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
