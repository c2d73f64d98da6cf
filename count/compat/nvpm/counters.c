// SPDX-License-Identifier: MIT
/*
 * Which counters there are: those of the published list that the card's events give, under their
 * names and numbers, then the events that NTIME_NVPM_EVENTS names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/compat/nvpm/nvpm.h"

#define DOMAINS 8
/* The published list ends far below. */
#define FIRST_USER_ID 1000

struct found {
	char card[32];		     /* the unit that is asked for */
	const char *clocks[DOMAINS]; /* events of the card's clocks */
	bool has_card_event;	     /* among those of the environment */
	int result;
};

static void log_line(void *arg, const char *line)
{
	(void)arg;
	nvpm_debug("%s", line);
}

/* NULL where it is "" or not set. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static struct nvpm_counter *add_counter(struct found *found)
{
	struct nvpm_counter *more =
		realloc(nvpm.counter, (nvpm.counters + 1) * sizeof(*nvpm.counter));

	if (!more) {
		found->result = NVPM_NO_MEMORY;
		return NULL;
	}
	nvpm.counter = more;
	more += nvpm.counters++;
	*more = (struct nvpm_counter){ .item = -1, .clock_item = -1 };
	return more;
}

/* The set-ups of "gpu0/TERMS TERMS/", each as an event of its own. */
static int keep_setups(struct nvpm_counter *c, const char *unit, const struct ntime_card_event *e)
{
	const char *terms = e->terms;

	c->setups = e->counters ? e->setups : 0;
	for (uint32_t i = 0; i < c->setups && i < NVPM_SETUPS; i++) {
		char text[512];
		int length = (int)strcspn(terms, " ");

		(void)snprintf(text, sizeof(text), "%s/%.*s/", unit, length, terms);
		c->setup[i] = c->setups == 1 ? c->event : nvpm_keep(text);
		if (!c->setup[i])
			return NVPM_NO_MEMORY;
		terms += length + (terms[length] == ' ');
	}
	return NVPM_DONE;
}

static int add_published(void *arg, const struct ntime_event_info *e)
{
	struct found *found = arg;

	if (!e->card || strcmp(e->unit, found->card) != 0)
		return 0;
	if (!e->card->counters && e->card->domain < DOMAINS)
		found->clocks[e->card->domain] = nvpm_keep(e->name);
	for (uint32_t i = 0; i < e->card->perfkits; i++) {
		const struct ntime_card_perfkit *of = &e->card->perfkit[i];
		struct nvpm_counter *c = add_counter(found);

		if (!c)
			return 1;
		c->name = nvpm_keep(of->name);
		c->desc = nvpm_keep(e->desc);
		c->event = nvpm_keep(e->name);
		c->id = of->id;
		c->domain = of->domain;
		c->pm_domain = e->card->domain;
		c->is_ratio = of->is_ratio;
		c->is_rest = of->is_rest;
		if (!c->name || !c->desc || !c->event || keep_setups(c, e->unit, e->card)) {
			found->result = NVPM_NO_MEMORY;
			return 1;
		}
	}
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	const struct nvpm_counter *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Where the newest counter, an event of the environment, is counted. */
static int find_place(void *arg, const struct ntime_encoding *part)
{
	struct found *found = arg;
	struct nvpm_counter *c = &nvpm.counter[nvpm.counters - 1];

	if (strncmp(part->unit, "gpu", 3) != 0)
		return 0;
	c->target = NVPM_CARD;
	c->pm_domain = part->config >> 53 & 7; /* docs/adr/0019 */
	c->domain = c->pm_domain + 1;
	c->setups = 1;
	c->setup[0] = c->event;
	found->has_card_event = true;
	return strcmp(part->unit, found->card) == 0 ? 0 : -EXDEV;
}

/* Of the environment's events those with several set-ups, and clocks, which have none. */
static int find_setups(void *arg, const struct ntime_event_info *e)
{
	struct found *found = arg;

	for (uint32_t i = 0; i < nvpm.counters && e->card; i++)
		if (nvpm.counter[i].is_user && strcmp(nvpm.counter[i].event, e->name) == 0 &&
		    keep_setups(&nvpm.counter[i], e->unit, e->card))
			found->result = NVPM_NO_MEMORY;
	return 0;
}

static void add_user(struct found *found, const struct ntime_item *item, enum nvpm_target target)
{
	struct nvpm_counter *c;
	char text[512];

	if (nvpm_find_name(item->name))
		return;
	c = add_counter(found);
	if (!c)
		return;
	(void)snprintf(text, sizeof(text), "%s, as ntime counts it%s%s%s%s", item->name,
		       *item->unit_text ? ", in " : "", item->unit_text, *item->reason ? ": " : "",
		       item->reason);
	c->name = c->event = nvpm_keep(item->name);
	c->desc = nvpm_keep(text);
	c->id = FIRST_USER_ID + nvpm.counters - 1;
	c->target = target;
	c->is_user = true;
	if (!c->name || !c->desc) {
		found->result = NVPM_NO_MEMORY;
		return;
	}
	if (ntime_event_encode(nvpm.ctx, c->event, find_place, found) != -EXDEV)
		return;
	nvpm.counters--;
	nvpm_say("NTIME_NVPM_EVENTS: '%s' is not of %s, the card of this program (NTIME_NVPM_GPU)",
		 item->name, found->card);
}

static void add_events(struct found *found, const char *list, enum nvpm_target target);

static void add_item(struct found *found, struct ntime_session *s, size_t i, uint32_t flags,
		     enum nvpm_target target)
{
	struct ntime_item item = { .size = sizeof(item) };

	if (ntime_session_item(s, i, &item) < 0 || item.is_hidden)
		return;
	if (item.is_metric)
		nvpm_say("NTIME_NVPM_EVENTS: '%s' is a metric, and programs of NVPerfKit know "
			 "counts: name the events that it is made of",
			 item.name);
	else if (!(flags & NTIME_ABSENT))
		add_user(found, &item, target);
	else if (item.reason_code == NTIME_REASON_SCOPE && target == NVPM_PROCESS)
		add_events(found, item.name, NVPM_MACHINE);
	else
		nvpm_debug("NTIME_NVPM_EVENTS: '%s' cannot be counted: %s; remedy: %s", item.name,
			   item.reason, item.remedy);
}

static void add_events(struct found *found, const char *list, enum nvpm_target target)
{
	const struct ntime_target of = {
		.size = sizeof(of),
		.kind = target == NVPM_MACHINE ? NTIME_TARGET_MACHINE : NTIME_TARGET_THREAD,
		.flags = NTIME_BY_PASS,
	};
	struct ntime_session *s = NULL;
	struct ntime_value *values = NULL;
	size_t n = 0;
	int ret = ntime_session_new(nvpm.ctx, &of, &s);

	if (ret == 0)
		ret = ntime_session_add_list(s, list);
	if (ret == -ENOENT || ret == -EINVAL) {
		nvpm_say("NTIME_NVPM_EVENTS: %s: no event of it is a counter",
			 ntime_error_text(nvpm.ctx));
		ntime_session_free(s);
		return;
	}
	if (ret == 0)
		ret = ntime_session_open(s);
	if (ret == 0) {
		n = ntime_session_count(s);
		values = calloc(n + 1, sizeof(*values));
		ret = values ? ntime_session_read(s, values, n) : -ENOMEM;
	}
	for (size_t i = 0; ret >= 0 && i < n; i++)
		add_item(found, s, i, values[i].flags, target);
	if (ret == -ENOMEM)
		found->result = NVPM_NO_MEMORY;
	else if (ret < 0)
		(void)nvpm_failed(ret);
	free(values);
	ntime_session_free(s);
}

/* Why there is no card: libntime has the sentence, the doctor shows it as well. */
static int say_why(void *arg, const struct ntime_method_info *method)
{
	(void)arg;
	if (!method->usable && strcmp(method->name, "model") == 0)
		nvpm_debug("no card: %s; remedy: %s", method->reason, method->remedy);
	return 0;
}

static void find_card(struct found *found)
{
	const char *card = environment("NTIME_NVPM_GPU");

	/* "1" or "gpu1" */
	(void)snprintf(found->card, sizeof(found->card), "gpu%s",
		       !card			      ? "0"
		       : strncmp(card, "gpu", 3) == 0 ? card + 3
						      : card);
	if (ntime_event_for_each(nvpm.ctx, NULL, add_published, found) == -ENOMEM)
		found->result = NVPM_NO_MEMORY;
	if (nvpm.counters)
		qsort(nvpm.counter, nvpm.counters, sizeof(*nvpm.counter), compare_ids);
	else if (card)
		nvpm_say("NTIME_NVPM_GPU: there is no card %s whose events can be counted: "
			 "'ntime list --units' has those that there are",
			 found->card);
	if (!nvpm.counters && nvpm.is_debug)
		(void)ntime_method_for_each(nvpm.ctx, say_why, NULL);
}

/* NTIME_NVPM_SCHEDULE */
static void choose_schedule(void)
{
	const char *schedule = environment("NTIME_NVPM_SCHEDULE");

	nvpm.is_nvidia = schedule && strcmp(schedule, "nvidia") == 0;
	if (schedule && !nvpm.is_nvidia && strcmp(schedule, "ntime") != 0)
		nvpm_say("NTIME_NVPM_SCHEDULE is 'ntime' or 'nvidia', not '%s': it is 'ntime' now",
			 schedule);
}

static int open_library(void)
{
	struct ntime_options options = { .size = sizeof(options),
					 .log = nvpm.is_debug ? log_line : NULL };
	int ret = ntime_open(&nvpm.ctx, &options);

	if (ret == 0 || ret == -ENOMEM)
		return ret;
	/* Its model is not there. Events of the CPU are. */
	(void)nvpm_failed(ret);
	ntime_close(nvpm.ctx);
	options.model = "";
	return ntime_open(&nvpm.ctx, &options);
}

int nvpm_find_counters(void)
{
	const char *events = environment("NTIME_NVPM_EVENTS");
	struct found found = { .result = NVPM_DONE };
	int ret;

	nvpm.is_debug = environment("NTIME_DEBUG") != NULL;
	ret = open_library();
	if (ret == -ENOMEM)
		return NVPM_NO_MEMORY;
	if (ret < 0) {
		(void)nvpm_failed(ret);
		return NVPM_DONE;
	}
	choose_schedule();
	find_card(&found);
	if (events && found.result == NVPM_DONE)
		add_events(&found, events, NVPM_PROCESS);
	if (found.has_card_event)
		(void)ntime_event_for_each(nvpm.ctx, NULL, find_setups, &found);
	for (uint32_t i = 0; i < nvpm.counters; i++) {
		struct nvpm_counter *c = &nvpm.counter[i];

		if (c->target == NVPM_CARD)
			c->clocks = found.clocks[c->pm_domain];
	}
	nvpm.active = calloc(nvpm.counters + 1, sizeof(*nvpm.active));
	return nvpm.active ? found.result : NVPM_NO_MEMORY;
}
