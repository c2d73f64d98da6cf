// SPDX-License-Identifier: MIT
/* What a program can count in a context, and the calls that list it. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gl/extension/context.h"
#include "gl/extension/groups.h"

static const char *const kind_names[GLP_N_KINDS] = {
	[GLP_CPU] = "cpu",
	[GLP_PIPELINE] = "pipeline",
	[GLP_NTIME] = "ntime",
};

/* What a process can be asked for on any machine. What is there is found out by opening it. */
static const char cpu_events[] =
	"task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,"
	"cycles,instructions,branches,branch-misses,cache-references,cache-misses,IPC,CPUs-used,"
	"machine-share";

/* Where "ntime gl -e" puts the user's choice. */
#define CHOICE "NTIME_GL_EVENTS"

static struct glp_group *add_group(struct glp_groups *g, enum glp_group_kind kind, size_t room)
{
	struct glp_group *group = &g->own[g->n_own];

	group->counters = calloc(room, sizeof(*group->counters));
	if (!group->counters)
		return NULL;
	group->kind = kind;
	group->name = kind_names[kind];
	/* Numbers of drivers may be any; ours are the next ones. */
	group->id = (GLuint)g->n_own;
	for (GLint i = 0; i < g->n_drivers; i++)
		if (group->id <= g->drivers[i])
			group->id = g->drivers[i] + 1 + (GLuint)g->n_own;
	return group;
}

/* Groups without counters stay free for the next one. */
static void end_group(struct glp_groups *g, struct glp_group *group)
{
	if (group->n) {
		g->n_own++;
		return;
	}
	free(group->counters);
	memset(group, 0, sizeof(*group));
}

static void add_counter(struct glp_group *group, const char *name, const struct glp_event *e)
{
	group->counters[group->n++] =
		(struct glp_counter){ .name = name, .type = e->type, .event = e };
}

static int add_events(struct glp_groups *g, enum glp_group_kind kind, const char *list)
{
	struct glp_events *events = &g->events[kind];
	struct glp_group *group;
	bool fit_at_once;

	if (glp_events_list(&g->counting, list, events) < 0)
		return -1;
	group = add_group(g, kind, 2 * events->n + 1);
	if (!group)
		return -1;
	for (size_t i = 0; i < events->n; i++)
		if (!events->events[i].why)
			add_counter(group, events->events[i].name, &events->events[i]);
	fit_at_once = group->n <= events->max_active;
	/*
	 * Once more by the name that it has for who may count in the kernel: clients look counters
	 * up by the whole name, and what was written for root would lose them.
	 */
	for (size_t i = 0; i < events->n; i++)
		if (!events->events[i].why && events->events[i].plain)
			add_counter(group, events->events[i].plain, &events->events[i]);
	group->max_active = fit_at_once ? (unsigned int)group->n : events->max_active;
	end_group(g, group);
	return 0;
}

static int add_queries(struct glp_context *c, struct glp_groups *g)
{
	struct glp_group *group = add_group(g, GLP_PIPELINE, GLP_N_QUERIES);
	GLenum type;

	if (!group)
		return -1;
	glp_pipeline_probe(c);
	type = c->pipeline.has_64 ? GL_UNSIGNED_INT64_AMD : GL_UNSIGNED_INT;
	for (unsigned int q = 0; q < GLP_N_QUERIES; q++)
		if (!c->pipeline.queries[q].why)
			group->counters[group->n++] = (struct glp_counter){
				.name = glp_pipeline_name(q), .type = type, .query = q
			};
	group->max_active = (unsigned int)group->n;
	end_group(g, group);
	return 0;
}

/* The driver's groups, where it has the extension itself. */
static int ask_driver(struct glp_context *c, struct glp_groups *g)
{
	GLint n = 0;

	if (!c->driver_has)
		return 0;
	c->driver->GetPerfMonitorGroupsAMD(&n, 0, NULL);
	g->drivers = calloc((size_t)(n > 0 ? n : 1), sizeof(*g->drivers));
	if (!g->drivers)
		return -1;
	c->driver->GetPerfMonitorGroupsAMD(NULL, n, g->drivers);
	g->n_drivers = n > 0 ? n : 0;
	return 0;
}

static int fill_groups(struct glp_context *c, struct glp_groups *g)
{
	const char *choice = getenv(CHOICE);
	int ret = ask_driver(c, g);

	if (ret == 0)
		ret = add_events(g, GLP_CPU, cpu_events);
	if (ret == 0)
		ret = add_queries(c, g);
	if (ret == 0 && choice && *choice)
		ret = add_events(g, GLP_NTIME, choice);
	return ret;
}

struct glp_groups *glp_groups_get(struct glp_context *c)
{
	struct glp_groups *g = c->groups;

	if (g)
		return g;
	glp_context_learn(c);
	/* Between glBegin and glEnd the driver answers no question. */
	if (!c->is_learned) {
		glp_context_raise(c, GL_INVALID_OPERATION);
		return NULL;
	}
	g = calloc(1, sizeof(*g));
	if (!g || fill_groups(c, g) < 0) {
		glp_context_raise(c, GL_OUT_OF_MEMORY);
		glp_groups_free(g);
		g = NULL;
	}
	c->groups = g;
	return g;
}

void glp_groups_free(struct glp_groups *g)
{
	if (!g)
		return;
	for (unsigned int kind = 0; kind < GLP_N_KINDS; kind++) {
		free(g->own[kind].counters);
		glp_events_fini(&g->events[kind]);
	}
	glp_counting_fini(&g->counting);
	free(g->drivers);
	free(g);
}

const struct glp_group *glp_group_find(const struct glp_groups *g, GLuint id)
{
	for (size_t i = 0; i < g->n_own; i++)
		if (g->own[i].id == id)
			return &g->own[i];
	return NULL;
}

/*
 * What a call of the program is about: @group and @counter are ours, or NULL. @is_drivers: the
 * driver answers.
 */
struct asked {
	struct glp_context *c;
	const struct glp_group *group;
	const struct glp_counter *counter;
	bool is_drivers;
};

/* Of a group by number, and with @counter of one of its counters; after an error it has none. */
static struct asked ask(GLuint group, const GLuint *counter)
{
	struct glp_context *c = glp_context_current();
	const struct glp_groups *g = c ? glp_groups_get(c) : NULL;
	struct asked a = { .c = c, .group = g ? glp_group_find(g, group) : NULL };

	a.is_drivers = g && !a.group && c->driver_has;
	if (a.group && counter && *counter < a.group->n)
		a.counter = &a.group->counters[*counter];
	if (g && !a.is_drivers && !(counter ? (const void *)a.counter : a.group))
		glp_context_raise(c, GL_INVALID_VALUE);
	return a;
}

void glGetPerfMonitorGroupsAMD(GLint *numGroups, GLsizei groupsSize, GLuint *groups)
{
	struct glp_context *c = glp_context_current();
	const struct glp_groups *g = c ? glp_groups_get(c) : NULL;
	GLsizei n = 0;

	if (!g)
		return;
	if (numGroups)
		*numGroups = g->n_drivers + (GLint)g->n_own;
	if (!groups)
		return;
	for (GLint i = 0; i < g->n_drivers && n < groupsSize; i++)
		groups[n++] = g->drivers[i];
	for (size_t i = 0; i < g->n_own && n < groupsSize; i++)
		groups[n++] = g->own[i].id;
}

void glGetPerfMonitorCountersAMD(GLuint group, GLint *numCounters, GLint *maxActiveCounters,
				 GLsizei counterSize, GLuint *counters)
{
	struct asked a = ask(group, NULL);

	if (!a.group) {
		if (a.is_drivers)
			a.c->driver->GetPerfMonitorCountersAMD(
				group, numCounters, maxActiveCounters, counterSize, counters);
		return;
	}
	if (numCounters)
		*numCounters = (GLint)a.group->n;
	if (maxActiveCounters)
		*maxActiveCounters = (GLint)a.group->max_active;
	if (!counters)
		return;
	for (GLuint i = 0; i < a.group->n && (GLsizei)i < counterSize; i++)
		counters[i] = i;
}

/*
 * Programs ask for exactly as many bytes as the length, and for one more: the NUL is written where
 * it fits. Without a buffer the length is that of the whole string.
 */
static void copy_string(const char *from, GLsizei size, GLsizei *length, GLchar *to)
{
	size_t n = strlen(from);

	if (to && size > 0) {
		if (n > (size_t)size)
			n = (size_t)size;
		memcpy(to, from, n);
		if (n < (size_t)size)
			to[n] = '\0';
	}
	if (length)
		*length = (GLsizei)n;
}

void glGetPerfMonitorGroupStringAMD(GLuint group, GLsizei bufSize, GLsizei *length,
				    GLchar *groupString)
{
	struct asked a = ask(group, NULL);

	if (a.group)
		copy_string(a.group->name, bufSize, length, groupString);
	else if (a.is_drivers)
		a.c->driver->GetPerfMonitorGroupStringAMD(group, bufSize, length, groupString);
}

void glGetPerfMonitorCounterStringAMD(GLuint group, GLuint counter, GLsizei bufSize,
				      GLsizei *length, GLchar *counterString)
{
	struct asked a = ask(group, &counter);

	if (a.counter)
		copy_string(a.counter->name, bufSize, length, counterString);
	else if (a.is_drivers)
		a.c->driver->GetPerfMonitorCounterStringAMD(group, counter, bufSize, length,
							    counterString);
}

static void put_range(GLenum type, void *data)
{
	static const GLuint integers[2] = { 0, UINT32_MAX };
	static const GLuint64 longs[2] = { 0, UINT64_MAX };
	const GLfloat reals[2] = { 0, type == GL_PERCENTAGE_AMD ? 100 : FLT_MAX };

	if (type == GL_UNSIGNED_INT)
		memcpy(data, integers, sizeof(integers));
	else if (type == GL_UNSIGNED_INT64_AMD)
		memcpy(data, longs, sizeof(longs));
	else
		memcpy(data, reals, sizeof(reals));
}

void glGetPerfMonitorCounterInfoAMD(GLuint group, GLuint counter, GLenum pname, void *data)
{
	struct asked a = ask(group, &counter);

	if (!a.counter) {
		if (a.is_drivers)
			a.c->driver->GetPerfMonitorCounterInfoAMD(group, counter, pname, data);
		return;
	}
	if (pname != GL_COUNTER_TYPE_AMD && pname != GL_COUNTER_RANGE_AMD)
		glp_context_raise(a.c, GL_INVALID_ENUM);
	else if (data && pname == GL_COUNTER_TYPE_AMD)
		memcpy(data, &a.counter->type, sizeof(a.counter->type));
	else if (data)
		put_range(a.counter->type, data);
}

/* The driver's queries and the events that are missing, in the order of groups. */
GLboolean glGetPerfMonitorMissingNTIME(GLuint index, GLsizei size, GLchar *group, GLchar *counter,
				       GLchar *reason, GLchar *remedy)
{
	struct glp_context *c = glp_context_current();
	const struct glp_groups *g = c ? glp_groups_get(c) : NULL;
	size_t room = size > 0 ? (size_t)size : 0;

	for (unsigned int kind = 0; g && room && kind < GLP_N_KINDS; kind++) {
		size_t queries = kind == GLP_PIPELINE ? GLP_N_QUERIES : 0;

		for (unsigned int i = 0; i < g->events[kind].n + queries; i++) {
			const struct glp_event *e = queries ? NULL : &g->events[kind].events[i];
			const char *why = e ? e->why : c->pipeline.queries[i].why;

			if (!why || index--)
				continue;
			snprintf(group, room, "%s", kind_names[kind]);
			snprintf(counter, room, "%s", e ? e->name : glp_pipeline_name(i));
			snprintf(reason, room, "%s", why);
			snprintf(remedy, room, "%s", e ? e->remedy : "none");
			return GL_TRUE;
		}
	}
	return GL_FALSE;
}
