// SPDX-License-Identifier: MIT
/* What libntime counts of this process. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "gl/extension/counts.h"

/**
 * struct part - a session and what it counted
 * @session:	NULL: there is nothing for it
 * @n_items:	hidden ones included
 * @before, @after: @n_items each: at the end of the measurement before this one, and of this one
 * @counted:	their difference, once it is asked for
 * @is_stale:	@after is older than the last measurement, which could not be read
 */
struct part {
	struct ntime_session *session;
	size_t n_items;
	struct ntime_value *before, *after, *counted;
	bool is_stale;
};

/**
 * struct glp_count - what a monitor counts
 * @part:	of this process, and of the whole machine
 * @events:	@n of them
 * @items:	item number of each, in its part
 * @is_known:	there was a measurement
 * @is_settled:	the differences are there
 */
struct glp_count {
	struct part part[GLP_N_TARGETS];
	pid_t pid;
	size_t n;
	bool is_known, is_settled;
	const struct glp_event **events;
	size_t *items;
};

void glp_counting_fini(struct glp_counting *k)
{
	if (k->pid == getpid())
		ntime_close(k->ctx);
}

/* What a forked process inherited belongs to its parent: it is left alone, and opened anew. */
static int open_library(struct glp_counting *k)
{
	if (k->ctx && k->pid == getpid())
		return 0;
	k->ctx = NULL;
	k->pid = getpid();
	return ntime_open(&k->ctx, NULL);
}

static int new_session(struct glp_counting *k, enum glp_target of, struct ntime_session **out)
{
	/* This process: threads that are there and those that come. */
	const struct ntime_target self = { .size = sizeof(self),
					   .kind = NTIME_TARGET_PROCESS,
					   .flags = NTIME_CHILDREN,
					   .pid = getpid() };
	const struct ntime_target machine = { .size = sizeof(machine),
					      .kind = NTIME_TARGET_MACHINE };
	int ret = open_library(k);

	*out = NULL;
	return ret < 0 ? ret : ntime_session_new(k->ctx, of == GLP_MACHINE ? &machine : &self, out);
}

/* What a count covers beyond this process. */
static const char *words_of_scope(uint32_t scope)
{
	static const char *const words[] = {
		[NTIME_SCOPE_CORE] = " (whole cores)",
		[NTIME_SCOPE_L3] = " (whole caches)",
		[NTIME_SCOPE_PACKAGE] = " (whole sockets)",
		[NTIME_SCOPE_MACHINE] = " (whole machine)",
		[NTIME_SCOPE_DEVICE] = " (whole device)",
	};

	return scope < sizeof(words) / sizeof(words[0]) && words[scope] ? words[scope] : "";
}

static GLenum type_of(const struct ntime_item *item)
{
	if (item->is_metric && strcmp(item->unit_text, "%") == 0)
		return GL_PERCENTAGE_AMD;
	return item->is_metric || item->is_state || item->scale != 1 ? GL_FLOAT
								     : GL_UNSIGNED_INT64_AMD;
}

static void forget_event(struct glp_event *e)
{
	free(e->event);
	free(e->name);
	free(e->plain);
	free(e->why);
	free(e->remedy);
}

void glp_events_fini(struct glp_events *list)
{
	for (size_t i = 0; i < list->n; i++)
		forget_event(&list->events[i]);
	free(list->events);
	memset(list, 0, sizeof(*list));
}

static struct glp_event *add_event(struct glp_events *list)
{
	struct glp_event *more = realloc(list->events, (list->n + 1) * sizeof(*more));

	if (!more)
		return NULL;
	list->events = more;
	memset(&more[list->n], 0, sizeof(*more));
	return &more[list->n++];
}

/* One that cannot be counted. 0 or -ENOMEM. */
static int add_missing(struct glp_events *list, const char *name, const char *why,
		       const char *remedy)
{
	struct glp_event *e = add_event(list);

	if (!e)
		return -ENOMEM;
	e->name = strdup(name);
	e->why = strdup(why);
	e->remedy = strdup(remedy);
	return e->name && e->why && e->remedy ? 0 : -ENOMEM;
}

static int add_item(struct glp_events *list, const struct ntime_item *item, enum glp_target of,
		    uint32_t flags)
{
	bool has_unit = item->unit_text[0] != '\0';
	struct glp_event *e;

	if (flags & NTIME_ABSENT)
		return add_missing(list, item->name, item->cause, item->remedy);
	e = add_event(list);
	if (!e)
		return -ENOMEM;
	e->type = type_of(item);
	e->of = of;
	e->event = strdup(item->name);
	if (asprintf(&e->name, "%s%s%s%s%s", item->name, has_unit ? " [" : "", item->unit_text,
		     has_unit ? "]" : "",
		     of == GLP_MACHINE ? words_of_scope(NTIME_SCOPE_MACHINE)
				       : words_of_scope(item->scope)) < 0)
		e->name = NULL;
	if (e->name && flags & NTIME_USER_ONLY) {
		e->plain = e->name;
		if (asprintf(&e->name, "%s (user mode)", e->plain) < 0)
			e->name = NULL;
	}
	return e->event && e->name ? 0 : -ENOMEM;
}

/* Can it be begun alone? A metric may need more events than there are counters. */
static int check_alone(struct glp_counting *k, struct glp_event *e)
{
	const struct glp_event *const one = e;
	struct glp_count *count;
	int ret = glp_count_new(k, &one, 1, &count);

	if (ret == -ENOMEM)
		return ret;
	if (ret < 0) {
		e->why = strdup(ret == -ENOSPC ? "its events do not fit into the counters at once"
					       : ntime_error_text(k->ctx));
		e->remedy = strdup("none");
		return e->why && e->remedy ? 0 : -ENOMEM;
	}
	glp_count_free(count);
	return 0;
}

static int list_events(struct glp_counting *k, const char *list, enum glp_target of,
		       struct glp_events *out);

/* How many events the fullest pass has of those that are counted. */
static unsigned int events_at_once(const struct ntime_session *s, const struct ntime_value *values)
{
	unsigned int passes = ntime_session_passes(s), most = 0;

	for (unsigned int pass = 0; pass < passes; pass++) {
		unsigned int here = 0;

		for (size_t i = 0; i < ntime_session_count(s); i++) {
			struct ntime_item item = { .size = sizeof(item) };

			if (ntime_session_item(s, i, &item) == 0 && !item.is_hidden &&
			    !(values[i].flags & NTIME_ABSENT))
				here += item.in_every_pass || item.pass == pass;
		}
		most = here > most ? here : most;
	}
	return most;
}

/*
 * @s is open: its items, as it knows them now. What counts for more than a process is tried on the
 * whole machine.
 */
static int list_items(struct glp_counting *k, struct ntime_session *s, enum glp_target of,
		      struct glp_events *out)
{
	size_t n = ntime_session_count(s);
	struct ntime_value *values = calloc(n, sizeof(*values));
	int ret = values ? ntime_session_read(s, values, n) : -ENOMEM;

	for (size_t i = 0; i < n && ret >= 0; i++) {
		struct ntime_item item = { .size = sizeof(item) };
		struct glp_event *e;

		ret = ntime_session_item(s, i, &item);
		if (ret < 0 || item.is_hidden)
			continue;
		if (of == GLP_PROCESS && values[i].flags & NTIME_ABSENT &&
		    item.reason_code == NTIME_REASON_SCOPE) {
			ret = list_events(k, item.name, GLP_MACHINE, out);
			continue;
		}
		ret = add_item(out, &item, of, values[i].flags);
		e = &out->events[out->n - 1];
		if (ret == 0 && ntime_session_passes(s) > 1 && !e->why)
			ret = check_alone(k, e);
	}
	if (ret >= 0)
		out->max_active += events_at_once(s, values);
	free(values);
	return ret < 0 ? ret : 0;
}

static int list_events(struct glp_counting *k, const char *list, enum glp_target of,
		       struct glp_events *out)
{
	struct ntime_session *s = NULL;
	int ret = new_session(k, of, &s);

	if (ret == 0)
		ret = ntime_session_add_list(s, list);
	if (ret == 0)
		ret = ntime_session_open(s);
	if (ret == 0)
		ret = list_items(k, s, of, out);
	/* Nothing of it then: one sentence for all. */
	if (ret < 0 && ret != -ENOMEM)
		ret = add_missing(out, list, k->ctx ? ntime_error_text(k->ctx) : strerror(-ret),
				  "none");
	ntime_session_free(s);
	return ret < 0 ? ret : 0;
}

int glp_events_list(struct glp_counting *k, const char *list, struct glp_events *out)
{
	memset(out, 0, sizeof(*out));
	return list_events(k, list, GLP_PROCESS, out);
}

static int add_events(struct glp_counting *k, struct glp_count *count,
		      const struct glp_event *const *events, size_t n)
{
	count->events = calloc(n, sizeof(*count->events));
	count->items = calloc(n, sizeof(*count->items));
	if (!count->events || !count->items)
		return -ENOMEM;
	for (count->n = 0; count->n < n; count->n++) {
		const struct glp_event *e = events[count->n];
		struct part *part = &count->part[e->of];
		int index = 0, ret = part->session ? 0 : new_session(k, e->of, &part->session);
		size_t same = 0;

		/* What is there by another name is counted once. */
		while (same < count->n && count->events[same] != e)
			same++;
		if (same < count->n)
			index = (int)count->items[same];
		else if (ret == 0)
			ret = ntime_session_add(part->session, e->event, &index);
		if (ret < 0)
			return ret;
		count->events[count->n] = e;
		count->items[count->n] = (size_t)index;
	}
	return 0;
}

/* Opened, and read once: what is counted later is the difference. */
static int open_part(struct part *part)
{
	int ret = ntime_session_open(part->session);

	if (ret < 0)
		return ret;
	if (ntime_session_passes(part->session) > 1)
		return -ENOSPC;
	part->n_items = ntime_session_count(part->session);
	part->before = calloc(part->n_items, sizeof(*part->before));
	part->after = calloc(part->n_items, sizeof(*part->after));
	part->counted = calloc(part->n_items, sizeof(*part->counted));
	if (!part->before || !part->after || !part->counted)
		return -ENOMEM;
	ret = ntime_session_read(part->session, part->after, part->n_items);
	return ret < 0 ? ret : 0;
}

/* NOLINTBEGIN(bugprone-macro-parentheses) the name of a variable cannot have any */
#define FOR_EACH_PART(part, count)                                                                 \
	for (struct part *part = (count)->part; part < (count)->part + GLP_N_TARGETS; part++)      \
		if (part->session)
/* NOLINTEND(bugprone-macro-parentheses) */

int glp_count_new(struct glp_counting *k, const struct glp_event *const *events, size_t n,
		  struct glp_count **out)
{
	struct glp_count *count = calloc(1, sizeof(*count));
	int ret;

	*out = NULL;
	if (!count)
		return -ENOMEM;
	count->pid = getpid();
	ret = add_events(k, count, events, n);
	FOR_EACH_PART(part, count)
	ret = ret < 0 ? ret : open_part(part);
	if (ret == 0)
		*out = count;
	else
		glp_count_free(count);
	return ret;
}

bool glp_count_is_inherited(const struct glp_count *count)
{
	return count->pid != getpid();
}

void glp_count_free(struct glp_count *count)
{
	if (!count)
		return;
	FOR_EACH_PART(part, count)
	{
		/* The counters of a parent are not stopped by its child. */
		if (!glp_count_is_inherited(count))
			ntime_session_free(part->session);
		free(part->before);
		free(part->after);
		free(part->counted);
	}
	free(count->events);
	free(count->items);
	free(count);
}

static int start_part(struct part *part)
{
	int ret = 0;

	if (part->is_stale)
		ret = ntime_session_read(part->session, part->after, part->n_items);
	if (ret < 0)
		return ret;
	part->is_stale = false;
	return ntime_session_start(part->session);
}

static int stop_part(struct part *part)
{
	struct ntime_value *before = part->after;
	int ret = ntime_session_stop(part->session);

	/* What the last one ended with is what this one began with: nothing runs between. */
	if (ret >= 0)
		ret = ntime_session_read(part->session, part->before, part->n_items);
	part->is_stale = ret < 0;
	if (ret < 0)
		return ret;
	part->after = part->before;
	part->before = before;
	return 0;
}

int glp_count_start(struct glp_count *count)
{
	int ret = 0;

	count->is_known = false;
	count->is_settled = false;
	FOR_EACH_PART(part, count)
	ret = ret < 0 ? ret : start_part(part);
	if (ret < 0)
		FOR_EACH_PART(part, count)
	(void)stop_part(part);
	return ret;
}

int glp_count_stop(struct glp_count *count)
{
	int ret = 0, one;

	if (glp_count_is_inherited(count))
		return -ESRCH;
	FOR_EACH_PART(part, count)
	{
		one = stop_part(part);
		ret = ret < 0 ? ret : one;
	}
	count->is_known = ret == 0;
	return ret;
}

/* What was counted, once somebody asks: events are differences, metrics are made from them. */
static void settle(struct glp_count *count)
{
	count->is_settled = true;
	FOR_EACH_PART(part, count)
	{
		for (size_t i = 0; i < part->n_items; i++)
			ntime_value_delta(&part->before[i], &part->after[i], &part->counted[i]);
		if (ntime_session_metrics(part->session, part->counted, part->n_items) < 0)
			count->is_known = false;
	}
}

/* Flags with which a number is no count of the whole measurement. */
#define UNSURE                                                                                     \
	(NTIME_ABSENT | NTIME_NOT_COUNTED | NTIME_SCALED | NTIME_OVERFLOWED | NTIME_PARTIAL |      \
	 NTIME_ELSEWHERE | NTIME_LOST | NTIME_GONE | NTIME_IMPLAUSIBLE)

void glp_count_get(struct glp_count *count, size_t i, struct glp_value *v)
{
	const struct ntime_value *value =
		&count->part[count->events[i]->of].counted[count->items[i]];

	if (count->is_known && !count->is_settled)
		settle(count);
	v->type = count->events[i]->type;
	v->is_known = count->is_known && !(value->flags & UNSURE);
	if (v->type == GL_UNSIGNED_INT64_AMD) {
		v->integer = value->count;
		return;
	}
	v->real = (float)value->value;
	if (v->type != GL_PERCENTAGE_AMD) {
		v->is_known &= isfinite(value->value) && value->value >= 0;
		return;
	}
	/*
	 * Both times of a share are not read at one moment: all of it may come out as a bit more.
	 */
	v->is_known &= value->value >= 0 && value->value <= 105;
	v->real = v->real > 100 ? 100 : v->real;
}
