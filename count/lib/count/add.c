// SPDX-License-Identifier: MIT
/* Adding items: names become events or metrics, metrics bring the events that they need. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/text.h"
#include "count/lib/context/problem.h"
#include "count/lib/count/emulator.h"
#include "count/lib/count/session.h"

void nti_session_item_fini(struct nti_session_item *item)
{
	free(item->name);
	free(item->unit_text);
	free(item->beside);
	free(item->input);
	nti_event_fini(&item->event);
	nti_absence_fini(&item->absent);
	nti_absence_fini(&item->doubt);
	nti_metric_fini(&item->inline_metric);
}

/* A new zeroed item named @name at the end, or NULL. */
static struct nti_session_item *new_item(struct ntime_session *s, const char *name)
{
	struct nti_session_item *item;

	if (!nti_grow(&s->item, s->items))
		return NULL;
	item = &s->item[s->items];
	*item = (struct nti_session_item){ .name = strdup(name) };
	if (!item->name)
		return NULL;
	s->items++;
	return item;
}

static void forget_items(struct ntime_session *s, size_t from)
{
	while (s->items > from) {
		s->metrics -= s->item[--s->items].is_metric;
		nti_session_item_fini(&s->item[s->items]);
	}
}

static int check_can_add(struct ntime_session *s)
{
	if (s->is_open)
		return nti_error(&s->ctx->error, -EBUSY,
				 "events are added before a session is opened");
	if (s->items >= NTI_SESSION_MAX_ITEMS)
		return nti_error(&s->ctx->error, -E2BIG, "a session takes at most %d items",
				 NTI_SESSION_MAX_ITEMS);
	return 0;
}

/* An event that the emulator counts, in place of the PMU's of that name. */
static int add_emulated(struct ntime_session *s, const char *name, unsigned int group,
			bool is_hidden)
{
	struct nti_session_item *item = new_item(s, name);

	if (!item)
		return -ENOMEM;
	item->event.scale = 1;
	item->group = group;
	item->is_hidden = is_hidden;
	item->is_emulated = true;
	item->emulated = nti_emulated_find(name);
	return nti_emulated_want(s->target.emulator, name, &item->absent);
}

/* What a slot counts is counted in the session's context, or absent. 0 or -ENOMEM. */
static int place_slots(const struct ntime_session *s, struct nti_session_item *item)
{
	size_t i;

	for (i = 0; i < item->event.parts; i++) {
		struct nti_part *part = &item->event.part[i];

		if (!part->unit || !nti_card_is_slot(part))
			continue;
		if (!part->unit->card->mps)
			return nti_card_explain_channel(part->unit, &item->absent);
		if (!s->context)
			return nti_absence_set(&item->absent, NTIME_REASON_NOT_SUPPORTED,
					       part->unit->name, "name one: --context",
					       "multiprocessors count in a context, and none was "
					       "named");
		part->unit = part->unit->card->mps;
	}
	return 0;
}

static bool any_part(const struct nti_session_item *item,
		     bool (*is_one)(const struct nti_part *part))
{
	for (size_t i = 0; !item->is_metric && i < item->event.parts; i++)
		if (item->event.part[i].unit && is_one(&item->event.part[i]))
			return true;
	return false;
}

/* Who counts by slots sets them, so nobody counts what they see at the same time. 0 or -ENOMEM. */
static int refuse_both(const struct ntime_session *s, struct nti_session_item *item)
{
	bool is_slot = any_part(item, nti_card_is_slot);
	bool shows = any_part(item, nti_card_shows_slots);

	for (size_t i = 0; (is_slot || shows) && !item->absent.reason && i + 1 < s->items; i++) {
		const struct nti_session_item *other = &s->item[i];

		if (!other->absent.reason &&
		    any_part(other, is_slot ? nti_card_shows_slots : nti_card_is_slot))
			return nti_absence_set(
				&item->absent, NTIME_REASON_NOT_SUPPORTED,
				item->event.part[0].unit->name, "count them apart",
				"slots of multiprocessors are what %s counts, and what "
				"%s sees",
				is_slot ? item->name : other->name,
				is_slot ? other->name : item->name);
	}
	return 0;
}

static int add_event(struct ntime_session *s, const char *name, unsigned int group, bool is_hidden)
{
	struct nti_session_item *item;
	const struct nti_unit *unit;
	struct nti_event event;
	int ret;

	if (s->target.emulator && nti_emulated_find(name) >= 0)
		return add_emulated(s, name, group, is_hidden);
	ret = nti_context_event(s->ctx, name, &event, &s->ctx->error);
	if (ret == -ENOENT && nti_emulated_find(name) >= 0)
		return nti_error(&s->ctx->error, ret, "'%s' is counted by --via emulator alone",
				 name);
	if (ret < 0)
		return ret;
	item = new_item(s, name);
	if (!item) {
		nti_event_fini(&event);
		return -ENOMEM;
	}
	item->event = event;
	item->group = group;
	item->is_hidden = is_hidden;
	ret = place_slots(s, item);
	if (ret == 0)
		ret = refuse_both(s, item);
	if (ret < 0)
		return ret;
	/* An event of another machine's PMU has a part without unit, and is absent. */
	unit = nti_session_unit_of(item);
	item->is_clock = unit && unit->kind == NTI_UNIT_CLOCK;
	item->is_proc = unit && unit->kind == NTI_UNIT_PROC;
	if (item->is_clock && !event.absent.reason)
		return nti_unit_problem(s->ctx, unit, &item->absent);
	if (event.absent.reason)
		return nti_absence_copy(&item->absent, &event.absent);
	return nti_session_refuse_erratum(s, item);
}

/* An event item with the same words, so that a metric shares the counter of the event beside it. */
static bool find_event(const struct ntime_session *s, const char *name, size_t *index)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		if (!s->item[i].is_metric && strcmp(s->item[i].name, name) == 0) {
			*index = i;
			return true;
		}
	}
	return false;
}

/* Items for the events of @formula, in its order, in @input. */
static int add_inputs(struct ntime_session *s, const struct nti_formula *formula,
		      unsigned int group, size_t *input)
{
	size_t i, n = nti_formula_count(formula);
	int ret = 0;

	for (i = 0; ret == 0 && i < n; i++) {
		const char *name = nti_formula_event(formula, i);

		if (find_event(s, name, &input[i]))
			continue;
		ret = check_can_add(s);
		if (ret == 0)
			ret = add_event(s, name, group, true);
		input[i] = s->items - 1;
	}
	return ret;
}

/* First event of @input that cannot be counted here, or NULL. */
static const struct nti_session_item *missing_input(const struct ntime_session *s,
						    const size_t *input, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (nti_session_item_is_absent(&s->item[input[i]]))
			return &s->item[input[i]];
	}
	return NULL;
}

/*
 * Try one formula of a metric. 0: all its events are there, or @is_last; AGAIN: try the next one,
 * nothing was added. An unknown event name in a formula that is not the last one is no error:
 * processors name things differently.
 */
#define AGAIN 1
static int add_formula(struct ntime_session *s, const struct nti_formula *f, bool is_last,
		       unsigned int group, const struct nti_formula **formula, size_t **input)
{
	size_t before = s->items, *inputs = calloc(nti_formula_count(f) + 1, sizeof(*inputs));
	int ret = inputs ? add_inputs(s, f, group, inputs) : -ENOMEM;

	*formula = NULL;
	*input = NULL;
	if (ret == 0 && (is_last || !missing_input(s, inputs, nti_formula_count(f)))) {
		*formula = f;
		*input = inputs;
		return 0;
	}
	forget_items(s, before);
	free(inputs);
	return is_last || ret == -ENOMEM || ret == -E2BIG ? ret : AGAIN;
}

static int explain_missing(struct nti_session_item *item, const struct nti_session_item *missing)
{
	return nti_absence_set_needs(&item->absent, missing->name, &missing->absent);
}

int nti_session_explain_metrics(struct ntime_session *s)
{
	const struct nti_session_item *missing;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < s->items; i++) {
		struct nti_session_item *item = &s->item[i];

		if (!item->is_metric || item->absent.reason)
			continue;
		missing = missing_input(s, item->input, item->inputs);
		if (missing)
			ret = explain_missing(item, missing);
	}
	return ret;
}

/* Why @item has no value: an event that does not exist here, or one of its events. 0 or -ENOMEM. */
static int explain_new_metric(struct ntime_session *s, const struct nti_metric *metric,
			      struct nti_session_item *item)
{
	const struct nti_session_item *missing;
	size_t chosen;

	if (!item->formula || !item->input)
		return nti_metric_problem(s->ctx, metric, &chosen, &item->absent);
	missing = missing_input(s, item->input, item->inputs);
	return missing ? explain_missing(item, missing) : 0;
}

/*
 * The first formula whose events are all there, else the one that comes nearest to what this
 * machine has: that is then there in order to say what is missing. *@formula stays NULL when even
 * that one has events that nobody knows.
 */
static int choose_formula(struct ntime_session *s, const struct nti_metric *metric,
			  unsigned int group, bool is_own, const struct nti_formula **formula,
			  size_t **input)
{
	struct nti_absence absent = { 0 };
	size_t i, nearest = 0;
	int ret = AGAIN;

	for (i = 0; ret == AGAIN && i < metric->formulas; i++)
		ret = add_formula(s, metric->formula[i], metric->formulas == 1, group, formula,
				  input);
	if (ret == AGAIN) {
		ret = nti_metric_problem(s->ctx, metric, &nearest, &absent);
		nti_absence_fini(&absent);
		if (ret == 0)
			ret = add_formula(s, metric->formula[nearest], true, group, formula, input);
	}
	return ret == -ENOENT && !is_own ? 0 : ret;
}

/*
 * A ready-made metric with events that this machine does not know is absent; in one's own formula
 * they are an error.
 */
static int add_metric(struct ntime_session *s, const struct nti_metric *metric, const char *name,
		      unsigned int group, bool is_own)
{
	const struct nti_formula *formula = NULL;
	struct nti_session_item *item;
	size_t *input = NULL;
	int ret = nti_context_count_cpus(s->ctx);

	if (ret == 0)
		ret = choose_formula(s, metric, group, is_own, &formula, &input);
	if (ret < 0)
		return nti_error_prefix(&s->ctx->error, ret, "metric %s", metric->name);
	ret = check_can_add(s);
	item = ret == 0 ? new_item(s, name) : NULL;
	if (!item) {
		free(input);
		return ret < 0 ? ret : -ENOMEM;
	}
	item->is_metric = true;
	s->metrics++;
	item->group = group;
	item->formula = formula;
	item->input = input;
	item->inputs = formula ? nti_formula_count(formula) : 0;
	/* What a user's own formula means by % is his. */
	item->is_share = !is_own && strcmp(metric->unit, "%") == 0;
	item->unit_text = strdup(metric->unit);
	if (!item->unit_text)
		return -ENOMEM;
	if (metric->beside) {
		item->beside = strdup(metric->beside);
		if (!item->beside)
			return -ENOMEM;
	}
	return explain_new_metric(s, metric, item);
}

static int add_inline_metric(struct ntime_session *s, const char *text)
{
	struct nti_metric metric;
	int ret = nti_metric_parse_inline(text, &metric, &s->ctx->error);

	if (ret < 0)
		return ret;
	ret = add_metric(s, &metric, metric.name, 0, true);
	if (ret < 0)
		nti_metric_fini(&metric);
	else
		s->item[s->items - 1].inline_metric = metric;
	return ret;
}

/* Takes @candidate when it is nearer to @name than what was nearest. */
static void offer(const char *name, const char *candidate, unsigned int *distance,
		  const char **nearest)
{
	unsigned int d = nti_text_distance(name, candidate, 3);

	if (d < *distance) {
		*distance = d;
		*nearest = candidate;
	}
}

/*
 * The event's sentence offers events only; a metric, or a group of them, may have been meant as
 * well.
 */
static int offer_metric(struct ntime_session *s, const char *name, int code)
{
	/* A third of the letters may be wrong: else every short name were near to a metric. */
	unsigned int distance = (unsigned int)(strlen(name) < 9 ? strlen(name) / 3 : 3) + 1;
	const char *nearest = NULL;
	char text[NTI_ERROR_TEXT_BYTES];
	size_t i;

	for (i = 0; i < nti_metrics_count(&s->ctx->metrics); i++) {
		const struct nti_metric *metric = nti_metrics_get(&s->ctx->metrics, i);

		offer(name, metric->name, &distance, &nearest);
		if (metric->group)
			offer(name, metric->group, &distance, &nearest);
	}
	if (!nearest)
		return code;
	(void)snprintf(text, sizeof(text), "%s", s->ctx->error.text);
	return nti_error(&s->ctx->error, code, "%s; the nearest metric%s is %s", text,
			 nti_metrics_has_group(&s->ctx->metrics, nearest) ? " group" : "", nearest);
}

static bool has_metric(const struct ntime_session *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		if (s->item[i].is_metric && strcmp(s->item[i].name, name) == 0)
			return true;
	}
	return false;
}

/*
 * All metrics of a group that the session does not have yet; those that this machine lacks are
 * added, too, and say why they are absent.
 */
static int add_metrics(struct ntime_session *s, const char *name, unsigned int group)
{
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < nti_metrics_count(&s->ctx->metrics); i++) {
		const struct nti_metric *metric = nti_metrics_get(&s->ctx->metrics, i);

		if (nti_metric_is_in_group(metric, name) && !has_metric(s, metric->name))
			ret = add_metric(s, metric, metric->name, group, false);
	}
	return ret;
}

/* Nobody meant events of a context who named none. */
static bool lacks_context(const struct ntime_session *s, const struct nti_session_item *item)
{
	return !s->context && item->event.parts && item->event.part[0].unit &&
	       nti_card_is_slot(&item->event.part[0]);
}

struct pattern_walk {
	struct ntime_session *s;
	const char *pattern;
	unsigned int group;
	size_t found; /* those that nobody can count too */
	/* the first one that lacks a context; "": none does */
	char lacking[64];
};

static int add_fitting(void *arg, const struct nti_event_entry *entry)
{
	struct pattern_walk *w = arg;
	int ret;

	if (!entry->unit || !nti_text_fits(w->pattern, entry->name))
		return 0;
	w->found++;
	if (entry->absent)
		return 0;
	ret = check_can_add(w->s);
	if (ret == 0)
		ret = add_event(w->s, entry->name, w->group, false);
	if (ret < 0)
		return ret;
	w->s->item[w->s->items - 1].is_of_pattern = true;
	if (!lacks_context(w->s, &w->s->item[w->s->items - 1]))
		return 0;
	forget_items(w->s, w->s->items - 1);
	if (!*w->lacking)
		(void)snprintf(w->lacking, sizeof(w->lacking), "%s", entry->name);
	return 0;
}

/* Within a unit's slashes "shader_*", and not a term's value, which may have any character. */
static bool is_pattern(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && strpbrk(slash, "*?[") && !strchr(slash, '=');
}

/* All events that it stands for, but those that nobody can count. -ENOENT: there is none. */
static int add_pattern(struct ntime_session *s, const char *name, unsigned int group)
{
	struct pattern_walk w = { .s = s, .pattern = name, .group = group };
	size_t before = s->items;
	int ret = nti_context_core(s->ctx);

	if (ret == 0)
		ret = nti_event_for_each(&s->ctx->names, add_fitting, &w, &s->ctx->error);
	/* Where nothing else fits, one says why. */
	if (ret == 0 && *w.lacking && s->items == before)
		ret = add_event(s, w.lacking, group, false);
	if (ret < 0 || w.found)
		return ret;
	return nti_error(&s->ctx->error, -ENOENT, "no event is like '%s' ('ntime list' shows all)",
			 name);
}

/* The group of shares that are counted in one pass: a card by its name stands for them. */
#define CARD_SHARES "gpu"

static bool is_card(struct ntime_session *s, const char *name)
{
	const struct nti_unit *unit;

	if (strncmp(name, "gpu", 3) != 0 || nti_context_units(s->ctx) < 0)
		return false;
	unit = nti_units_find(&s->ctx->units, name);
	return unit && unit->card;
}

/* Add one item, or several that a name stands for; on failure the session is as before. */
static int add_one(struct ntime_session *s, const char *name, unsigned int group)
{
	const struct nti_metric *metric;
	size_t before = s->items;
	int ret = check_can_add(s);

	if (ret < 0)
		return ret;
	metric = nti_metrics_find(&s->ctx->metrics, name);
	if (metric)
		ret = add_metric(s, metric, metric->name, group, false);
	else if (nti_metrics_has_group(&s->ctx->metrics, name))
		ret = add_metrics(s, name, group);
	else if (is_card(s, name))
		ret = add_metrics(s, CARD_SHARES, group);
	else if (nti_metric_is_inline(name))
		ret = add_inline_metric(s, name);
	else if (is_pattern(name))
		ret = add_pattern(s, name, group);
	else
		ret = add_event(s, name, group, false);
	if (ret < 0)
		forget_items(s, before);
	if (ret == -ENOENT && !nti_metric_is_inline(name))
		ret = offer_metric(s, name, ret);
	return ret;
}

/* The list is through: what it unhid stays so, or is hidden again. */
static void settle_hidden(struct ntime_session *s, bool is_kept)
{
	size_t i;

	for (i = 0; i < s->items; i++) {
		if (s->item[i].was_hidden && !is_kept)
			s->item[i].is_hidden = true;
		s->item[i].was_hidden = false;
	}
}

/* Hidden events that somebody asked for by name meanwhile are shown. */
static bool unhide(struct ntime_session *s, const char *name, size_t *index)
{
	if (!find_event(s, name, index) || !s->item[*index].is_hidden)
		return false;
	s->item[*index].is_hidden = false;
	s->item[*index].was_hidden = true;
	return true;
}

int ntime_session_add(struct ntime_session *s, const char *name, int *index)
{
	size_t at = 0;
	int ret = check_can_add(s);

	if (ret == 0 && !unhide(s, name, &at)) {
		ret = add_one(s, name, 0);
		at = s->items - 1;
	}
	settle_hidden(s, true);
	if (ret == 0 && index)
		*index = (int)at;
	return ret;
}

/* True when every event of @formula is an item already. */
static bool is_covered(const struct ntime_session *s, const struct nti_formula *formula)
{
	size_t i, at;

	for (i = 0; i < nti_formula_count(formula); i++)
		if (!find_event(s, nti_formula_event(formula, i), &at))
			return false;
	return true;
}

static bool costs_nothing(const struct ntime_session *s, const struct nti_metric *metric)
{
	size_t i, at;

	if (!metric->beside || !find_event(s, metric->beside, &at) || s->item[at].is_hidden)
		return false;
	for (i = 0; i < metric->formulas; i++) {
		if (is_covered(s, metric->formula[i]))
			return true;
	}
	return false;
}

int ntime_session_add_beside(struct ntime_session *s)
{
	int ret = check_can_add(s), added = 0;
	size_t i;

	for (i = 0; ret == 0 && i < nti_metrics_count(&s->ctx->metrics); i++) {
		const struct nti_metric *metric = nti_metrics_get(&s->ctx->metrics, i);

		if (!costs_nothing(s, metric) || has_metric(s, metric->name))
			continue;
		ret = add_one(s, metric->name, 0);
		added++;
	}
	return ret < 0 ? ret : added;
}

/* A list may be added to a session that has groups already: numbers go on. */
struct list_walk {
	struct ntime_session *s;
	unsigned int base;
};

static int add_entry(void *arg, const char *text, unsigned int group)
{
	struct list_walk *w = arg;
	size_t at = 0;

	if (!group && unhide(w->s, text, &at))
		return 0;
	if (group && group > w->s->user_groups - w->base)
		w->s->user_groups = w->base + group;
	return add_one(w->s, text, group ? w->base + group : 0);
}

int ntime_session_add_list(struct ntime_session *s, const char *list)
{
	struct list_walk walk = { .s = s, .base = s->user_groups };
	size_t before = s->items;
	int ret = check_can_add(s);

	if (ret == 0)
		ret = nti_event_list_split(list, add_entry, &walk, &s->ctx->error);
	settle_hidden(s, ret == 0);
	if (ret) {
		forget_items(s, before);
		s->user_groups = walk.base;
	}
	return ret;
}
