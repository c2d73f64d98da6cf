// SPDX-License-Identifier: MIT
/* Monitors: select, begin, end, and the results of each of our groups behind the driver's. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gl/extension/context.h"
#include "gl/extension/groups.h"

enum monitor_state {
	MONITOR_EMPTY,	/* no results: it never ran, or counters were selected since */
	MONITOR_ACTIVE, /* between Begin and End */
	MONITOR_ENDED,	/* results are on their way */
	MONITOR_DONE,	/* results are in .records */
};

/**
 * struct chosen - one counter of ours that is selected
 * @value:	of the last measurement
 * @span:	of a query
 */
struct chosen {
	const struct glp_group *group;
	GLuint counter;
	struct glp_value value;
	struct glp_span span;
};

/**
 * struct glp_monitor - a monitor
 * @state:	where it stands
 * @is_void:	active, but counters were selected since Begin: nothing runs, no result will come
 * @chosen:	@n of them, by group and counter; @n_queries are of GLP_PIPELINE
 * @count:	the session of those that libntime counts; NULL: there are none, or they were chosen
 *		anew
 * @drivers:	the driver's own monitor, 0: none of its counters was ever selected
 * @runs_drivers: it was begun
 * @records:	what the program gets, @n_words of 32 bits
 */
struct glp_monitor {
	enum monitor_state state;
	bool is_void, runs_drivers;
	struct chosen *chosen;
	size_t n, n_queries;
	struct glp_count *count;
	GLuint drivers;
	GLuint *records;
	size_t n_words;
};

/* A record: group, counter, value. */
#define MOST_WORDS 4

static const struct glp_counter *counter_of(const struct chosen *k)
{
	return &k->group->counters[k->counter];
}

static bool is_query(const struct chosen *k)
{
	return k->group->kind == GLP_PIPELINE;
}

void glp_monitor_free(struct glp_monitor *m)
{
	if (!m)
		return;
	glp_count_free(m->count);
	free(m->chosen);
	free(m->records);
	free(m);
}

/* The monitor of this name; NULL after an error. */
static struct glp_monitor *find_monitor(struct glp_context *c, GLuint name)
{
	if (name && name <= c->n_monitors && c->monitors[name - 1])
		return c->monitors[name - 1];
	glp_context_raise(c, GL_INVALID_VALUE);
	return NULL;
}

/* The lowest name that is free; 0: no memory. */
static GLuint new_monitor(struct glp_context *c)
{
	struct glp_monitor *m = calloc(1, sizeof(*m));
	size_t i = 0;

	while (i < c->n_monitors && c->monitors[i])
		i++;
	if (i == c->n_monitors) {
		struct glp_monitor **more = realloc(c->monitors, (i + 1) * sizeof(*more));

		if (!more || !m) {
			c->monitors = more ? more : c->monitors;
			free(m);
			return 0;
		}
		c->monitors = more;
		c->n_monitors++;
	}
	c->monitors[i] = m;
	return m ? (GLuint)i + 1 : 0;
}

/* Of a call about @n monitors; NULL: there is none, or @n is an error. */
static struct glp_context *context_for(GLsizei n)
{
	struct glp_context *c = glp_context_current();

	if (!c || n >= 0)
		return c;
	glp_context_raise(c, GL_INVALID_VALUE);
	return NULL;
}

void glGenPerfMonitorsAMD(GLsizei n, GLuint *monitors)
{
	struct glp_context *c = context_for(n);

	for (GLsizei i = 0; c && i < n && monitors; i++) {
		monitors[i] = new_monitor(c);
		if (!monitors[i])
			glp_context_raise(c, GL_OUT_OF_MEMORY);
	}
}

/* To the queries among the first @n of the selection. */
static void for_queries(struct glp_context *c, struct glp_monitor *m, size_t n,
			void (*does)(struct glp_context *c, unsigned int q, struct glp_span *span))
{
	for (struct chosen *k = m->chosen; m->n_queries && k < m->chosen + n; k++)
		if (is_query(k))
			does(c, counter_of(k)->query, &k->span);
}

/* Results and what they are made from are not needed any more. */
static void drop_results(struct glp_context *c, struct glp_monitor *m)
{
	if (m->state == MONITOR_ENDED)
		for_queries(c, m, m->n, glp_pipeline_drop);
	m->state = MONITOR_EMPTY;
}

/*
 * A forked process has the context of its parent, but neither the driver's threads nor a connection
 * of its own to the X server: asking the driver would break the parent's. Nothing that it could
 * wait for is its work.
 */
static void finish(struct glp_context *c)
{
	if (c->pid != getpid())
		return;
	/*
	 * llvmpipe in a window of GLX forgets at any flush what queries that run have counted. Ours
	 * are cut here; one of the program's loses it without us too.
	 */
	glp_pipeline_cut(c, true);
	c->driver->Finish();
	glp_pipeline_cut(c, false);
}

/* From active to ended. */
static void end_monitor(struct glp_context *c, struct glp_monitor *m)
{
	/* First: the time on the GPU is not ours. */
	for_queries(c, m, m->n, glp_pipeline_end);
	if (m->runs_drivers)
		c->driver->EndPerfMonitorAMD(m->drivers);
	if (m->count) {
		/* What the program has queued is work of this measurement. */
		finish(c);
		(void)glp_count_stop(m->count);
	}
	m->state = MONITOR_ENDED;
}

void glDeletePerfMonitorsAMD(GLsizei n, GLuint *monitors)
{
	struct glp_context *c = context_for(n);

	for (GLsizei i = 0; c && i < n && monitors; i++) {
		struct glp_monitor *m = find_monitor(c, monitors[i]);

		if (!m)
			continue;
		if (m->state == MONITOR_ACTIVE && !m->is_void)
			end_monitor(c, m);
		drop_results(c, m);
		if (m->drivers)
			c->driver->DeletePerfMonitorsAMD(1, &m->drivers);
		glp_monitor_free(m);
		c->monitors[monitors[i] - 1] = NULL;
	}
}

/* Where a counter stands in the list, or would stand. */
static size_t place_of(const struct glp_monitor *m, const struct glp_group *group, GLuint counter)
{
	size_t i = 0;

	while (i < m->n && (m->chosen[i].group < group ||
			    (m->chosen[i].group == group && m->chosen[i].counter < counter)))
		i++;
	return i;
}

/* 0 or -ENOMEM. */
static int select_counter(struct glp_monitor *m, const struct glp_group *group, GLuint counter,
			  bool enable)
{
	size_t i = place_of(m, group, counter);
	bool is_there = i < m->n && m->chosen[i].group == group && m->chosen[i].counter == counter;
	struct chosen *more;

	if (is_there == enable)
		return 0;
	if (!enable) {
		m->n_queries -= group->kind == GLP_PIPELINE;
		m->n--;
		memmove(&m->chosen[i], &m->chosen[i + 1], (m->n - i) * sizeof(*m->chosen));
		return 0;
	}
	more = realloc(m->chosen, (m->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	m->n_queries += group->kind == GLP_PIPELINE;
	m->chosen = more;
	memmove(&more[i + 1], &more[i], (m->n - i) * sizeof(*more));
	m->n++;
	more[i] = (struct chosen){ .group = group, .counter = counter };
	return 0;
}

/* A call with an error has no effect. */
static bool may_select(const struct glp_context *c, const struct glp_group *own, GLint n,
		       const GLuint *counters)
{
	if (n < 0 || (n > 0 && !counters) || (!own && !c->driver_has))
		return false;
	for (GLint i = 0; own && i < n; i++)
		if (counters[i] >= own->n)
			return false;
	return true;
}

static void select_own(struct glp_context *c, struct glp_monitor *m, const struct glp_group *group,
		       bool enable, GLint n, const GLuint *counters)
{
	/* The next Begin opens what is selected then. */
	glp_count_free(m->count);
	m->count = NULL;
	for (GLint i = 0; i < n; i++)
		if (select_counter(m, group, counters[i], enable) < 0)
			glp_context_raise(c, GL_OUT_OF_MEMORY);
}

void glSelectPerfMonitorCountersAMD(GLuint monitor, GLboolean enable, GLuint group,
				    GLint numCounters, GLuint *counterList)
{
	struct glp_context *c = glp_context_current();
	const struct glp_groups *g = c ? glp_groups_get(c) : NULL;
	struct glp_monitor *m = g ? find_monitor(c, monitor) : NULL;
	const struct glp_group *own = m ? glp_group_find(g, group) : NULL;
	bool is_active;

	if (!m)
		return;
	if (!may_select(c, own, numCounters, counterList)) {
		glp_context_raise(c, GL_INVALID_VALUE);
		return;
	}
	/* What is counted now ends without a result. The program calls End all the same. */
	is_active = m->state == MONITOR_ACTIVE;
	if (is_active && !m->is_void)
		end_monitor(c, m);
	drop_results(c, m);
	if (is_active) {
		m->state = MONITOR_ACTIVE;
		m->is_void = true;
	}
	if (own) {
		select_own(c, m, own, enable, numCounters, counterList);
		return;
	}
	if (!m->drivers)
		c->driver->GenPerfMonitorsAMD(1, &m->drivers);
	c->driver->SelectPerfMonitorCountersAMD(m->drivers, enable, group, numCounters,
						counterList);
}

/* The session of what libntime counts of the selection. 0; -ENOSPC: not in one pass. */
static int open_count(struct glp_context *c, struct glp_monitor *m)
{
	const struct glp_event **events;
	size_t n = 0;
	int ret;

	if (m->count && glp_count_is_inherited(m->count)) {
		glp_count_free(m->count);
		m->count = NULL;
	}
	if (m->count)
		return 0;
	events = calloc(m->n + 1, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < m->n; i++)
		if (!is_query(&m->chosen[i]))
			events[n++] = counter_of(&m->chosen[i])->event;
	ret = n ? glp_count_new(&c->groups->counting, events, n, &m->count) : 0;
	free(events);
	return ret;
}

/* One of the selection; 0 also where it is no query. */
static int begin_query(struct glp_context *c, struct chosen *k, bool is_time)
{
	if (!is_query(k) || glp_pipeline_is_time(counter_of(k)->query) != is_time)
		return 0;
	return glp_pipeline_begin(c, counter_of(k)->query, &k->span);
}

/* All of them but the time. 0; else none runs. */
static int begin_queries(struct glp_context *c, struct glp_monitor *m)
{
	for (size_t i = 0; m->n_queries && i < m->n; i++) {
		int ret = begin_query(c, &m->chosen[i], false);

		if (ret < 0) {
			for_queries(c, m, i, glp_pipeline_end);
			for_queries(c, m, i, glp_pipeline_drop);
			return ret;
		}
	}
	return 0;
}

/* 0, or the error that the driver raised. */
static GLenum begin_drivers(struct glp_context *c, struct glp_monitor *m)
{
	GLenum error = 0;

	m->runs_drivers = false;
	if (!m->drivers)
		return 0;
	glp_context_hush(c);
	c->driver->BeginPerfMonitorAMD(m->drivers);
	error = glp_context_heard(c);
	m->runs_drivers = !error;
	return error;
}

/* All or nothing. 0, or the error of the call. */
static GLenum begin_monitor(struct glp_context *c, struct glp_monitor *m)
{
	GLenum error = begin_drivers(c, m);

	if (error)
		return error;
	if (begin_queries(c, m) < 0)
		goto err_driver;
	if (m->count) {
		/* What the program has queued is not work of this measurement. */
		finish(c);
		if (glp_count_start(m->count) < 0)
			goto err_queries;
	}
	/*
	 * Time, last, so that what begins before is not in it. Where it cannot begin, it has no
	 * record.
	 */
	for (size_t i = 0; m->n_queries && i < m->n; i++)
		(void)begin_query(c, &m->chosen[i], true);
	return 0;
err_queries:
	for_queries(c, m, m->n, glp_pipeline_end);
	for_queries(c, m, m->n, glp_pipeline_drop);
err_driver:
	if (m->runs_drivers)
		c->driver->EndPerfMonitorAMD(m->drivers);
	return GL_INVALID_OPERATION;
}

void glBeginPerfMonitorAMD(GLuint monitor)
{
	struct glp_context *c = glp_context_current();
	struct glp_monitor *m = c ? find_monitor(c, monitor) : NULL;
	GLenum error;

	if (!m)
		return;
	/* What does not fit leaves the results of last time. */
	if (m->state == MONITOR_ACTIVE || open_count(c, m) < 0) {
		glp_context_raise(c, GL_INVALID_OPERATION);
		return;
	}
	drop_results(c, m);
	error = begin_monitor(c, m);
	if (error) {
		glp_context_raise(c, error);
		return;
	}
	m->state = MONITOR_ACTIVE;
	m->is_void = false;
}

void glEndPerfMonitorAMD(GLuint monitor)
{
	struct glp_context *c = glp_context_current();
	struct glp_monitor *m = c ? find_monitor(c, monitor) : NULL;

	if (!m)
		return;
	if (m->state != MONITOR_ACTIVE)
		glp_context_raise(c, GL_INVALID_OPERATION);
	else if (m->is_void)
		m->state = MONITOR_EMPTY;
	else
		end_monitor(c, m);
}

static GLuint drivers_word(struct glp_context *c, const struct glp_monitor *m, GLenum pname)
{
	GLuint word = 0;

	if (m->runs_drivers)
		c->driver->GetPerfMonitorCounterDataAMD(m->drivers, pname, sizeof(word), &word,
							NULL);
	return word;
}

/* Asks; never waits. */
static bool is_ready(struct glp_context *c, const struct glp_monitor *m)
{
	if (m->state == MONITOR_DONE)
		return true;
	if (m->state != MONITOR_ENDED)
		return false;
	for (const struct chosen *k = m->chosen; k < m->chosen + m->n; k++)
		if (is_query(k) && !glp_pipeline_is_ready(c, counter_of(k)->query, &k->span))
			return false;
	return !m->runs_drivers || drivers_word(c, m, GL_PERFMON_RESULT_AVAILABLE_AMD);
}

static void take_value(struct glp_context *c, struct glp_monitor *m, struct chosen *k,
		       size_t *event)
{
	struct glp_value *v = &k->value;

	if (!is_query(k)) {
		glp_count_get(m->count, (*event)++, v);
		return;
	}
	v->type = counter_of(k)->type;
	v->is_known = glp_pipeline_get(c, counter_of(k)->query, &k->span, &v->integer);
}

/* Words of the value; 0: it has none. */
static size_t put_value(GLuint *to, const struct glp_value *v)
{
	const uint32_t narrow = (uint32_t)v->integer;

	if (v->type == GL_UNSIGNED_INT64_AMD) {
		memcpy(to, &v->integer, sizeof(v->integer));
		return 2;
	}
	memcpy(to, v->type == GL_UNSIGNED_INT ? (const void *)&narrow : &v->real, sizeof(narrow));
	return 1;
}

/*
 * From ended to done: one record for each counter whose value is known. A number that nobody can
 * vouch for has no record; the extension has no other way to say so. 0 or -ENOMEM.
 */
static int collect(struct glp_context *c, struct glp_monitor *m)
{
	GLuint *records = calloc(m->n + 1, MOST_WORDS * sizeof(*records));
	size_t event = 0;

	if (!records)
		return -ENOMEM;
	free(m->records);
	m->records = records;
	m->n_words = 0;
	for (struct chosen *k = m->chosen; k < m->chosen + m->n; k++) {
		take_value(c, m, k, &event);
		if (!k->value.is_known)
			continue;
		records[m->n_words++] = k->group->id;
		records[m->n_words++] = k->counter;
		m->n_words += put_value(&records[m->n_words], &k->value);
	}
	for_queries(c, m, m->n, glp_pipeline_drop);
	m->state = MONITOR_DONE;
	return 0;
}

/* Words of whole records that fit into @room words. */
static size_t words_that_fit(const struct glp_monitor *m, size_t room)
{
	size_t n = 0;

	for (const struct chosen *k = m->chosen; k < m->chosen + m->n; k++) {
		GLuint value[2];
		size_t words = k->value.is_known ? 2 + put_value(value, &k->value) : 0;

		if (n + words > room)
			break;
		n += words;
	}
	return n;
}

/* The driver's records, ours behind them. Bytes written. */
static GLsizei put_results(struct glp_context *c, const struct glp_monitor *m, GLsizei size,
			   GLuint *data)
{
	GLint written = 0;
	size_t words;

	if (m->runs_drivers)
		c->driver->GetPerfMonitorCounterDataAMD(m->drivers, GL_PERFMON_RESULT_AMD, size,
							data, &written);
	words = words_that_fit(m, (size_t)(size - written) / sizeof(*data));
	if (words)
		memcpy((char *)data + written, m->records, words * sizeof(*data));
	return written + (GLsizei)(words * sizeof(*data));
}

void glGetPerfMonitorCounterDataAMD(GLuint monitor, GLenum pname, GLsizei dataSize, GLuint *data,
				    GLint *bytesWritten)
{
	struct glp_context *c = glp_context_current();
	struct glp_monitor *m = c ? find_monitor(c, monitor) : NULL;
	GLsizei written = sizeof(*data);

	if (!m)
		return;
	if (!data || (pname != GL_PERFMON_RESULT_AVAILABLE_AMD &&
		      pname != GL_PERFMON_RESULT_SIZE_AMD && pname != GL_PERFMON_RESULT_AMD)) {
		glp_context_raise(c, data ? GL_INVALID_ENUM : GL_INVALID_OPERATION);
		return;
	}
	if (dataSize < (GLsizei)sizeof(*data))
		written = 0;
	else if (!is_ready(c, m) || (m->state == MONITOR_ENDED && collect(c, m) < 0))
		*data = 0;
	else if (pname == GL_PERFMON_RESULT_AVAILABLE_AMD)
		*data = GL_TRUE;
	else if (pname == GL_PERFMON_RESULT_SIZE_AMD)
		*data = drivers_word(c, m, pname) + (GLuint)(m->n_words * sizeof(*data));
	else
		written = put_results(c, m, dataSize, data);
	if (bytesWritten)
		*bytesWritten = written;
}
