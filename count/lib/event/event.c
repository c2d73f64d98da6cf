// SPDX-License-Identifier: MIT
/*
 * An event's name turned into what the kernel wants to hear: tries each language in the order
 * event.h gives.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/library.h"
#include "base/common/text.h"
#include "count/lib/event/box_events.h"
#include "count/lib/event/resolve.h"
#include "base/lazy/lazy.h"

/* longer than any sane list of terms; bounds the work on hostile input */
#define TEXT_MAX_CHARS 4096
#define PARTS_MAX 4096

void nti_event_fini(struct nti_event *event)
{
	free(event->name);
	free(event->desc);
	free(event->unit_text);
	free(event->corrected);
	free(event->part);
	nti_absence_fini(&event->absent);
	memset(event, 0, sizeof(*event));
}

int nti_event_no_memory(struct nti_error *e, const char *text)
{
	return nti_error(e, -ENOMEM, "not enough memory for event '%.200s'", text);
}

int nti_event_add_part(struct nti_event *event, const struct nti_unit *unit,
		       const struct perf_event_attr *attr)
{
	if (event->parts >= PARTS_MAX || !nti_grow(&event->part, event->parts))
		return -ENOMEM;
	event->part[event->parts++] = (struct nti_part){ .unit = unit, .attr = *attr };
	return 0;
}

static int fill(char **field, const char *text)
{
	char *copy;

	if (!text || (*field && (**field || !*text)))
		return 0;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	free(*field);
	*field = copy;
	return 0;
}

int nti_event_describe(struct nti_event *event, const char *desc, const char *unit_text)
{
	int ret = fill(&event->desc, desc);

	return ret < 0 ? ret : fill(&event->unit_text, unit_text);
}

const struct nti_unit *nti_core_next(const struct nti_units *units, size_t *from)
{
	while (*from < units->count) {
		const struct nti_unit *unit = units->unit[(*from)++];

		if (unit->kind == NTI_UNIT_CORE)
			return unit;
	}
	return NULL;
}

size_t nti_core_count(const struct nti_units *units)
{
	size_t at = 0, n = 0;

	while (nti_core_next(units, &at))
		n++;
	return n;
}

/* An event text cut into what it says and the modifiers behind. */
struct cut {
	char base[TEXT_MAX_CHARS + 1];
	char mods[64];
};

/* ":u", ":k:ppp": take trailing groups of letters off, as many as there are. */
static void cut_mods(struct cut *c)
{
	char *colon;

	c->mods[0] = '\0';
	while ((colon = strrchr(c->base, ':')) && colon > c->base && colon[-1] != ':' &&
	       nti_mods_is(colon + 1) && nti_text_append(c->mods, sizeof(c->mods), colon + 1))
		*colon = '\0';
}

static int apply_mods(const char *letters, struct nti_event *out, struct nti_error *e)
{
	struct nti_mods mods;
	int ret;

	if (!*letters)
		return 0;
	ret = nti_mods_parse(letters, out->name, &mods, e);
	return ret < 0 ? ret : nti_mods_apply(&mods, out, e);
}

/* ":u:k" and "u:k" say the same as "uk": groups of a list put theirs behind a colon. */
static void drop_colons(char *mods)
{
	char *to = mods;

	for (; *mods; mods++)
		if (*mods != ':')
			*to++ = *mods;
	*to = '\0';
}

/* "pmu/terms/mods" or "pmu/terms/:mods". */
static int parse_terms(const struct nti_names *names, char *base, char *terms,
		       struct nti_event *out, struct nti_error *e)
{
	char *end = strrchr(terms, '/'), *mods;
	int ret;

	if (terms == end)
		return nti_error(
			e, -EINVAL,
			"event '%s': a / must also follow the terms, as in cpu/event=0x3c/",
			out->name);
	*terms++ = '\0';
	*end = '\0';
	mods = end + 1;
	if (!*base)
		return nti_error(e, -EINVAL,
				 "event '%s': the name of a PMU is missing before the /",
				 out->name);
	if (!*terms)
		return nti_error(e, -EINVAL, "event '%s': no terms between the slashes", out->name);
	if (strchr(terms, '/'))
		return nti_error(e, -EINVAL, "event '%s': more than two slashes", out->name);
	drop_colons(mods);
	ret = nti_terms_resolve(names, base, terms, out, e);
	return ret < 0 ? ret : apply_mods(mods, out, e);
}

/* The languages that know single words; @unit NULL: any. -ENOENT without a sentence. */
static int resolve_word(const struct nti_names *names, const struct nti_unit *unit,
			const char *word, struct nti_event *out, struct nti_error *e)
{
	const struct nti_unit *core;
	size_t at = 0;
	int ret;

	ret = nti_generic_resolve(names, unit, word, out, e);
	if (ret == -ENOENT)
		ret = nti_raw_resolve(names, unit, word, out, e);
	if (ret != -ENOENT)
		return ret;
	if (unit)
		return nti_alias_resolve(names, unit, word, out, e);
	while ((core = nti_core_next(names->units, &at))) {
		int one = nti_alias_resolve(names, core, word, out, e);

		if (one != -ENOENT)
			ret = one;
		if (ret < 0 && ret != -ENOENT)
			break;
	}
	return ret;
}

/* Words with their modifiers cut off; keeps @out clean when it is not a word. */
static int parse_word(const struct nti_names *names, const struct nti_unit *unit, const char *text,
		      struct nti_event *out, struct nti_error *e)
{
	struct cut c;
	int ret;

	(void)snprintf(c.base, sizeof(c.base), "%s", text);
	cut_mods(&c);
	ret = resolve_word(names, unit, c.base, out, e);
	if (ret == -ENOENT && !unit && strchr(c.base, ':'))
		ret = nti_tracepoint_resolve(names, c.base, out, e);
	if (ret == 0)
		ret = apply_mods(c.mods, out, e);
	return ret;
}

/* "cycles:x": a known word with something behind it that is no modifier. */
static int check_suffix(const struct nti_names *names, const struct nti_unit *unit,
			const char *text, struct nti_error *e)
{
	struct nti_event probe = { .scale = 1.0 };
	struct nti_mods mods;
	char *base = strdup(text), *colon = base ? strchr(base, ':') : NULL;
	int ret = -ENOENT;

	if (colon && colon[1] != ':') {
		*colon = '\0';
		probe.name = strdup(base);
		if (probe.name && resolve_word(names, unit, base, &probe, NULL) == 0)
			ret = nti_mods_parse(colon + 1, text, &mods, e);
		nti_event_fini(&probe);
	}
	free(base);
	return ret < 0 ? ret : -ENOENT;
}

/* "unit::name": one of this machine's units, "core" for its core PMUs, or a libpfm4 model. */
static int parse_qualified(const struct nti_names *names, char *base, struct nti_event *out,
			   struct nti_error *e)
{
	char *name = strstr(base, "::");
	const struct nti_unit *unit;
	size_t at = 0;
	int ret;

	*name = '\0';
	name += 2;
	if (!*base || !*name)
		return nti_error(e, -EINVAL, "event '%s': %s is missing %s the ::", out->name,
				 *base ? "the event" : "the unit", *base ? "after" : "before");
	unit = nti_units_find(names->units, base);
	/* A single core PMU needs no filter; several answer together. */
	if (!unit && strcmp(base, "core") == 0)
		unit = nti_core_count(names->units) == 1 ? nti_core_next(names->units, &at) : NULL;
	else if (!unit && nti_pfm_start() == -ENOMEM)
		return nti_event_no_memory(e, out->name);
	else if (!unit && nti_pfm_is_model(base))
		return nti_pfm_resolve(names, base, NULL, name, out, e);
	else if (!unit)
		return nti_lazy_load(&nti_lazy_pfm, NULL) < 0 ? -ENOENT
							      : nti_suggest_unit(names, base, e);
	ret = parse_word(names, unit, name, out, e);
	if (ret == -ENOENT &&
	    (!unit || unit->kind == NTI_UNIT_CORE || unit->kind == NTI_UNIT_UNCORE))
		ret = nti_pfm_resolve(names, NULL, unit, name, out, e);
	/* libpfm4 calls the Core 2 "core"; its events are behind this machine's own. */
	if (ret == -ENOENT && strcmp(base, "core") == 0)
		ret = nti_pfm_resolve(names, base, NULL, name, out, e);
	return ret == -ENOENT ? check_suffix(names, unit, name, e) : ret;
}

static int parse_plain(const struct nti_names *names, const char *text, struct nti_event *out,
		       struct nti_error *e)
{
	struct nti_absence locked = { 0 };
	int ret = parse_word(names, NULL, text, out, e);

	if (ret == 0 && out->absent.reason && !out->parts) {
		/*
		 * Perhaps a tracepoint, which cannot be looked up here: libpfm4 may know the name.
		 */
		locked = out->absent;
		memset(&out->absent, 0, sizeof(out->absent));
		free(out->desc);
		out->desc = NULL;
		ret = -ENOENT;
	}
	if (ret == -ENOENT)
		ret = nti_pfm_resolve(names, NULL, NULL, text, out, e);
	if (ret == -ENOENT)
		ret = check_suffix(names, NULL, text, e);
	if (ret == -ENOENT && locked.reason) {
		out->absent = locked;
		return 0;
	}
	nti_absence_fini(&locked);
	return ret;
}

static int parse(const struct nti_names *names, char *base, struct nti_event *out,
		 struct nti_error *e)
{
	const char *text = out->name;
	struct nti_error kept = { 0 };
	char *slash = strchr(base, '/');
	int ret;

	if (!*base)
		return nti_error(e, -EINVAL, "the name of an event is missing");
	/*
	 * A resolver that answers -ENOENT with a sentence has said all; the nearest names are for
	 * those without.
	 */
	if (slash)
		return parse_terms(names, base, slash, out, e);
	if (strstr(base, "::"))
		ret = parse_qualified(names, base, out, &kept);
	else
		ret = parse_plain(names, base, out, &kept);
	if (ret == -ENOENT && !kept.code) {
		/* Whether there is such an event only libpfm4 could tell. */
		ret = nti_library_explain(&nti_lazy_pfm, &out->absent);
		if (ret < 0)
			return nti_event_no_memory(e, text);
		return ret ? 0 : nti_suggest_event(names, text, e);
	}
	return ret < 0 ? nti_error(e, ret, "%s", kept.text) : 0;
}

/* A state is one by whatever name it was asked for. */
static void note_state(const struct nti_box_family *family, uint64_t config, struct nti_event *out)
{
	const struct nti_box_event *event = nti_box_event_by_config(family, config);

	if (event && event->is_state) {
		out->is_state = true;
		out->together = event->together;
	}
}

/* Steps of unknown energy are no Joules. */
static int note_scale(struct nti_event *out)
{
	if (out->scale > 0 || out->absent.reason)
		return 0;
	return nti_absence_set(
		&out->absent, NTIME_REASON_NO_HARDWARE,
		out->parts && out->part[0].unit ? out->part[0].unit->name : out->name, "",
		"the processor does not report what one step of this counter means");
}

/*
 * The reason of a unit that cannot be used holds for its events, and every part tells the planner
 * its needs.
 */
static int complete(struct nti_event *out, struct nti_error *e)
{
	size_t i;

	for (i = 0; i < out->parts; i++) {
		const struct nti_unit *unit = out->part[i].unit;
		const struct nti_box_family *family = nti_box_family_of(unit);

		nti_need_fill(&out->part[i]);
		if (family)
			note_state(family, out->part[i].attr.config, out);
		if (unit && unit->absent.reason && !out->absent.reason &&
		    nti_absence_copy(&out->absent, &unit->absent) < 0)
			return nti_event_no_memory(e, out->name);
	}
	if (note_scale(out) < 0 || nti_event_describe(out, "", "") < 0)
		return nti_event_no_memory(e, out->name);
	return 0;
}

bool nti_event_is_software(const char *text)
{
	struct cut c;

	(void)snprintf(c.base, sizeof(c.base), "%s", text);
	cut_mods(&c);
	return nti_generic_is_software(c.base);
}

int nti_event_parse(const struct nti_names *names, const char *text, struct nti_event *out,
		    struct nti_error *e)
{
	char *base;
	int ret;

	memset(out, 0, sizeof(*out));
	if (strlen(text) > TEXT_MAX_CHARS)
		return nti_error(e, -EINVAL, "event '%.60s...' is longer than %d characters", text,
				 TEXT_MAX_CHARS);
	base = strdup(text);
	if (!base)
		return nti_event_no_memory(e, text);
	out->scale = 1.0;
	out->name = strdup(nti_text_trim(base));
	if (!out->name) {
		free(base);
		nti_event_fini(out);
		return nti_event_no_memory(e, text);
	}
	memmove(base, out->name, strlen(out->name) + 1);
	ret = parse(names, base, out, e);
	if (ret == 0)
		ret = complete(out, e);
	if (ret < 0)
		nti_event_fini(out);
	free(base);
	return ret;
}

int nti_event_for_each(const struct nti_names *names,
		       int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg,
		       struct nti_error *e)
{
	int ret = nti_generic_for_each(names, fn, arg);

	(void)e; /* only @fn and memory can fail, and @fn has its own words */
	if (ret == 0)
		ret = nti_alias_for_each(names, fn, arg);
	if (ret == 0)
		ret = nti_tracepoint_for_each(names, fn, arg);
	return ret ? ret : nti_pfm_for_each(names, fn, arg);
}
