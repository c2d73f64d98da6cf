// SPDX-License-Identifier: MIT
/* What the library knows of a machine, copied. */
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "count/cli/list/catalog.h"
#include "base/output/memory.h"

#define TEXTS_BYTES 65536

/* Texts behind one another: there are some ten an event. */
struct cli_texts {
	struct cli_texts *next;
	char *free;
	size_t room;
	_Alignas(max_align_t) char text[];
};

/* Copy a string of an entry in place. */
static void own(struct cli_catalog *c, const char **text)
{
	size_t bytes = *text ? strlen(*text) + 1 : 1;

	if (!c->texts || c->texts->room < bytes) {
		size_t room = bytes > TEXTS_BYTES ? bytes : TEXTS_BYTES;
		struct cli_texts *more = cli_malloc(sizeof(*more) + room);

		*more = (struct cli_texts){ .next = c->texts, .room = room };
		more->free = more->text;
		c->texts = more;
	}
	*text = memcpy(c->texts->free, *text ? *text : "", bytes);
	c->texts->free += bytes;
	c->texts->room -= bytes;
}

/* Each of @texts, which ends with NULL. */
static void own_all(struct cli_catalog *c, const char **const *texts)
{
	for (; *texts; texts++)
		own(c, *texts);
}

static int add_method(void *arg, const struct ntime_method_info *method)
{
	struct cli_catalog *c = arg;
	struct ntime_method_info *w;

	cli_grow(&c->method, c->methods);
	w = &c->method[c->methods++];
	*w = *method;
	own_all(c, (const char **const[]){ &w->name, &w->reaches, &w->reason, &w->remedy, &w->about,
					   &w->cost, NULL });
	return 0;
}

static int add_unit(void *arg, const struct ntime_unit_info *unit)
{
	struct cli_catalog *c = arg;
	struct ntime_unit_info *u;

	cli_grow(&c->unit, c->units);
	u = &c->unit[c->units++];
	c->all_units = c->units;
	*u = *unit;
	own_all(c, (const char **const[]){ &u->name, &u->desc, &u->method, &u->cpus, &u->reason,
					   &u->remedy, &u->about, NULL });
	return 0;
}

/* Bytes behind the texts, at a place where any value may be. */
static void *own_bytes(struct cli_catalog *c, const void *bytes, size_t size)
{
	struct cli_texts *own = cli_malloc(sizeof(*own) + size);

	*own = (struct cli_texts){ .next = c->texts };
	c->texts = own;
	return memcpy(own->text, bytes, size);
}

static const struct ntime_card_event *own_card(struct cli_catalog *c,
					       const struct ntime_card_event *card)
{
	struct ntime_card_event *e = own_bytes(c, card, sizeof(*card));
	struct ntime_card_mux *mux = own_bytes(c, e->mux, e->muxes * sizeof(*e->mux));
	struct ntime_card_perfkit *perfkit;

	for (size_t i = 0; i < e->muxes; i++)
		own(c, &mux[i].name);
	e->mux = mux;
	e->setup = own_bytes(c, e->setup, e->setups * sizeof(*e->setup));
	perfkit = own_bytes(c, e->perfkit, e->perfkits * sizeof(*perfkit));
	for (size_t i = 0; i < e->perfkits; i++)
		own(c, &perfkit[i].name);
	e->perfkit = perfkit;
	own_all(c, (const char **const[]){ &e->terms, &e->trust, &e->source, NULL });
	return e;
}

static int add_event_to(struct cli_catalog *c, struct ntime_event_info **array, size_t *n,
			const struct ntime_event_info *event)
{
	struct ntime_event_info *e;

	cli_grow(array, *n);
	e = &(*array)[(*n)++];
	*e = *event;
	own_all(c, (const char **const[]){ &e->name, &e->unit, &e->desc, &e->unit_text, &e->formula,
					   &e->reason, &e->remedy, &e->about, &e->cause, &e->beside,
					   &e->group, NULL });
	if (e->card)
		e->card = own_card(c, e->card);
	return 0;
}

static int add_event(void *arg, const struct ntime_event_info *event)
{
	struct cli_catalog *c = arg;

	return add_event_to(c, &c->event, &c->events, event);
}

static int add_metric(void *arg, const struct ntime_event_info *metric)
{
	struct cli_catalog *c = arg;

	return add_event_to(c, &c->metric, &c->metrics, metric);
}

static int add_problem(void *arg, const struct ntime_problem *problem)
{
	struct cli_catalog *c = arg;
	struct ntime_problem *o;

	cli_grow(&c->problem, c->problems);
	o = &c->problem[c->problems++];
	*o = *problem;
	own_all(c, (const char **const[]){ &o->what, &o->reason, &o->remedy, &o->about, NULL });
	return 0;
}

int cli_catalog_load(struct cli_catalog *c, struct ntime_ctx *ctx, unsigned int parts,
		     const char *model)
{
	int ret = 0;

	*c = (struct cli_catalog){ 0 };
	if (parts & CLI_METHODS)
		ret = ntime_method_for_each(ctx, add_method, c);
	if (ret >= 0 && (parts & CLI_UNITS))
		ret = ntime_unit_for_each(ctx, add_unit, c);
	if (ret >= 0 && (parts & CLI_EVENTS))
		ret = ntime_event_for_each(ctx, model, add_event, c);
	if (ret >= 0 && (parts & CLI_METRICS))
		ret = ntime_metric_for_each(ctx, add_metric, c);
	if (ret >= 0 && (parts & CLI_PROBLEMS))
		ret = ntime_problem_for_each(ctx, add_problem, c);
	return ret < 0 ? ret : 0;
}

void cli_catalog_fini(struct cli_catalog *c)
{
	for (struct cli_texts *t = c->texts, *next; t; t = next) {
		next = t->next;
		free(t);
	}
	free(c->method);
	free(c->unit);
	free(c->event);
	free(c->metric);
	free(c->problem);
	*c = (struct cli_catalog){ 0 };
}

size_t cli_catalog_usable(const struct ntime_event_info *event, size_t n)
{
	size_t usable = 0;

	for (size_t i = 0; i < n; i++)
		usable += event[i].usable != 0;
	return usable;
}

static bool fits_any(char *const *patterns, size_t n, const char *name, const char *desc)
{
	for (size_t i = 0; i < n; i++) {
		const char *p = patterns[i];

		if (p[strcspn(p, "*?[")] ? fnmatch(p, name, FNM_CASEFOLD) == 0
					 : strcasestr(name, p) || strcasestr(desc, p))
			return true;
	}
	return false;
}

/*
 * A unit that is named itself stands for all of its events, a group for its metrics; so CLI_NVPM.
 */
static bool is_named(char *const *patterns, size_t n, const char *whole)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(patterns[i], whole) == 0)
			return true;
	return false;
}

static void choose_methods(struct cli_catalog *c, char *const *patterns, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->methods; i++) {
		if (fits_any(patterns, n, c->method[i].name, c->method[i].reaches))
			c->method[kept++] = c->method[i];
	}
	c->methods = kept;
}

static void choose_units(struct cli_catalog *c, char *const *patterns, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->units; i++) {
		struct ntime_unit_info unit = c->unit[i];

		if (!fits_any(patterns, n, unit.name, ""))
			continue;
		/* Those between keep their order. */
		memmove(&c->unit[kept + 1], &c->unit[kept], (i - kept) * sizeof(unit));
		c->unit[kept++] = unit;
	}
	c->units = kept;
}

static size_t choose_events(struct ntime_event_info *event, size_t events, char *const *patterns,
			    size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < events; i++) {
		if (is_named(patterns, n, event[i].unit) || is_named(patterns, n, event[i].group) ||
		    (event[i].card && event[i].card->perfkits && is_named(patterns, n, CLI_NVPM)) ||
		    fits_any(patterns, n, event[i].name, event[i].desc))
			event[kept++] = event[i];
	}
	return kept;
}

void cli_catalog_keep_contexts(struct cli_catalog *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->events; i++)
		if (c->event[i].card && c->event[i].card->control)
			c->event[kept++] = c->event[i];
	c->events = kept;
}

size_t cli_catalog_choose(struct cli_catalog *c, unsigned int parts, char *const *patterns,
			  size_t n)
{
	if (n) {
		choose_methods(c, patterns, n);
		choose_units(c, patterns, n);
		c->events = choose_events(c->event, c->events, patterns, n);
		c->metrics = choose_events(c->metric, c->metrics, patterns, n);
	}
	return (parts & CLI_METHODS ? c->methods : 0) + (parts & CLI_UNITS ? c->units : 0) +
	       (parts & CLI_EVENTS ? c->events : 0) + (parts & CLI_METRICS ? c->metrics : 0);
}
