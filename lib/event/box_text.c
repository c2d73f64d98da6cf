// SPDX-License-Identifier: MIT
/*
 * Files of data/events: text into families of boxes, with a lint that names file and line.
 * box_text.h has the format.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/entry.h"
#include "lib/base/text.h"
#include "lib/event/box_text.h"
#include "lib/event/format.h"

#define NAME_BYTES 40
#define KINDS_MAX 8
#define TERMS_MAX 32
#define EVENTS_MAX 256
#define FAMILIES_MAX 64

enum key {
	KEY_NONE, /* between entries */
	KEY_KIND,
	KEY_PMU,
	KEY_TERM,
	KEY_EVENT,
	KEY_TERMS,
	KEY_MORE,
	KEY_ABSENT,
	KEY_REMEDY,
	KEY_SCALE,
	KEY_UNIT,
	KEY_STATE,
	KEY_ABOUT,
	KEY_SOURCE,
	KEY_COUNT,
};

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_KIND | 1u << KEY_EVENT },
	[KEY_KIND] = { "kind", 1u << KEY_PMU },
	[KEY_PMU] = { "pmu", 1u << KEY_TERM },
	[KEY_TERM] = { "term", 1u << KEY_TERM | 1u << KEY_SOURCE },
	[KEY_EVENT] = { "event", 1u << KEY_TERMS | 1u << KEY_ABSENT },
	[KEY_TERMS] = { "terms", 1u << KEY_MORE | 1u << KEY_SCALE | 1u << KEY_UNIT |
					 1u << KEY_STATE | 1u << KEY_ABOUT },
	[KEY_MORE] = { "more", 1u << KEY_ABOUT },
	[KEY_ABSENT] = { "absent", 1u << KEY_REMEDY },
	[KEY_REMEDY] = { "remedy", 1u << KEY_ABOUT },
	[KEY_SCALE] = { "scale", 1u << KEY_UNIT },
	[KEY_UNIT] = { "unit", 1u << KEY_STATE | 1u << KEY_ABOUT },
	[KEY_STATE] = { "state", 1u << KEY_ABOUT },
	[KEY_ABOUT] = { "about", 1u << KEY_SOURCE },
	[KEY_SOURCE] = { "source" },
};

/*
 * What one "kind" entry and the events below it make; the families of @out point here at the end.
 */
struct building {
	const char *kind[KINDS_MAX];
	size_t kinds;
	const char *pmu;
	struct nti_box_term term[TERMS_MAX];
	size_t terms;
	struct nti_box_event event[EVENTS_MAX];
	size_t events;
};

struct text_parser {
	unsigned int last; /* key of the line before */
	struct building *now;
	struct nti_box_text *out;
	struct nti_error *e;
};

static int fail_memory(struct text_parser *p)
{
	return nti_error(p->e, -ENOMEM, "memory is short for an event");
}

/* @memory belongs to the result from now on; freed at once when that has no room. */
static void *own(struct text_parser *p, void *memory)
{
	void **more = memory ? realloc(p->out->owned, (p->out->owns + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(memory);
		return NULL;
	}
	p->out->owned = more;
	more[p->out->owns++] = memory;
	return memory;
}

static const char *own_text(struct text_parser *p, const char *text)
{
	return own(p, strdup(text));
}

/* Small letters, digits and @more, a letter first. */
static bool is_name(const char *text, const char *more)
{
	const char *c;

	for (c = text; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') &&
		    !(c > text && ((*c >= '0' && *c <= '9') || strchr(more, *c))))
			return false;
	return c > text && c - text <= NAME_BYTES;
}

static int check_name(struct text_parser *p, const char *what, const char *text, const char *more)
{
	if (is_name(text, more))
		return 0;
	return nti_error(p->e, -EINVAL, "'%.60s' is no name of %s", text, what);
}

static struct nti_box_event *last_event(struct text_parser *p)
{
	return &p->now->event[p->now->events - 1];
}

/* The families of the entry that is complete now. */
static int end_building(struct text_parser *p)
{
	struct building *now = p->now;
	struct nti_box_term *term;
	struct nti_box_event *event;
	struct nti_box_family *more;
	size_t i;

	if (!now->kinds)
		return 0;
	term = own(p, malloc(sizeof(now->term)));
	event = own(p, malloc(sizeof(now->event)));
	more = reallocarray(p->out->family, p->out->families + now->kinds, sizeof(*more));
	if (more)
		p->out->family = more;
	if (!term || !event || !more)
		return fail_memory(p);
	memcpy(term, now->term, sizeof(now->term));
	memcpy(event, now->event, sizeof(now->event));
	for (i = 0; i < now->kinds; i++)
		more[p->out->families++] = (struct nti_box_family){
			.kind = now->kind[i],
			.unit = now->pmu,
			.term = term,
			.terms = now->terms,
			.event = event,
			.events = now->events,
		};
	memset(now, 0, sizeof(*now));
	return 0;
}

static bool has_kind(const struct text_parser *p, const char *kind)
{
	size_t i;

	for (i = 0; i < p->out->families; i++)
		if (strcmp(p->out->family[i].kind, kind) == 0)
			return true;
	for (i = 0; i < p->now->kinds; i++)
		if (strcmp(p->now->kind[i], kind) == 0)
			return true;
	return false;
}

static int add_kind(struct text_parser *p, const char *kind)
{
	const char *copy;
	int ret = check_name(p, "a kind", kind, "_");

	if (ret < 0)
		return ret;
	if (has_kind(p, kind))
		return nti_error(p->e, -EINVAL, "there is a kind %s already", kind);
	if (p->now->kinds == KINDS_MAX || p->out->families + p->now->kinds >= FAMILIES_MAX)
		return nti_error(p->e, -EINVAL, "more kinds than there is room for");
	copy = own_text(p, kind);
	if (!copy)
		return fail_memory(p);
	p->now->kind[p->now->kinds++] = copy;
	return 0;
}

static int add_kinds(struct text_parser *p, char *list)
{
	char *save = NULL, *kind;
	int ret = end_building(p);

	for (kind = strtok_r(list, " \t", &save); ret == 0 && kind;
	     kind = strtok_r(NULL, " \t", &save))
		ret = add_kind(p, kind);
	return ret;
}

static int set_pmu(struct text_parser *p, const char *value)
{
	int ret = check_name(p, "a PMU", value, "_");

	if (ret < 0)
		return ret;
	p->now->pmu = own_text(p, value);
	return p->now->pmu ? 0 : fail_memory(p);
}

static const struct nti_box_term *find_term(const struct building *b, const char *name)
{
	size_t i;

	for (i = 0; i < b->terms; i++)
		if (strcmp(b->term[i].name, name) == 0)
			return &b->term[i];
	return NULL;
}

#define CONFIG_WORDS 3

/* NULL: @format is of none of perf's three words. */
static const char *ranges_of(const char *format, size_t *word)
{
	static const char *const words[CONFIG_WORDS] = { "config:", "config1:", "config2:" };
	size_t i;

	for (i = 0; i < CONFIG_WORDS; i++) {
		*word = i;
		if (strncmp(format, words[i], strlen(words[i])) == 0)
			return format + strlen(words[i]);
	}
	return NULL;
}

/* "umask config:8-15" */
static int add_term(struct text_parser *p, char *value)
{
	char *format = value + strcspn(value, " \t");
	const char *ranges;
	unsigned int width;
	__u64 bits = 0;
	size_t word;
	int ret;

	if (*format)
		*format++ = '\0';
	format += strspn(format, " \t");
	ret = check_name(p, "a term", value, "_");
	if (ret < 0)
		return ret;
	ranges = ranges_of(format, &word);
	if (!ranges || nti_format_scatter(ranges, 0, &bits, &width) < 0)
		return nti_error(p->e, -EINVAL, "'%.60s' are no bits of a term, as in config:8-15",
				 format);
	if (find_term(p->now, value))
		return nti_error(p->e, -EINVAL, "there is a term %s already", value);
	if (p->now->terms == TERMS_MAX)
		return nti_error(p->e, -EINVAL, "more than %d terms", TERMS_MAX);
	p->now->term[p->now->terms].name = own_text(p, value);
	p->now->term[p->now->terms].format = own_text(p, format);
	if (!p->now->term[p->now->terms].name || !p->now->term[p->now->terms].format)
		return fail_memory(p);
	p->now->terms++;
	return 0;
}

/*
 * Events of boxes are known by config alone, and perf's PMUs have files such as "event.scale";
 * those of cards have all three words, and parts ".0", ".1".
 */
static bool is_card(const struct building *b)
{
	return strcmp(b->pmu, "gpu") == 0;
}

static int add_event(struct text_parser *p, const char *value)
{
	struct building *b = p->now;
	size_t i;
	int ret;

	if (!b->kinds)
		return nti_error(p->e, -EINVAL, "a file begins with 'kind'");
	ret = check_name(p, "an event", value, is_card(b) ? "_-." : "_-");
	if (ret < 0)
		return ret;
	for (i = 0; i < b->events; i++)
		if (strcmp(b->event[i].name, value) == 0)
			return nti_error(p->e, -EINVAL, "there is an event %s already", value);
	if (find_term(b, value))
		return nti_error(p->e, -EINVAL, "%s is the name of a term", value);
	if (b->events == EVENTS_MAX)
		return nti_error(p->e, -EINVAL, "more than %d events", EVENTS_MAX);
	b->event[b->events] = (struct nti_box_event){
		.name = own_text(p, value), .terms = "", .unit = "", .scale = 1
	};
	if (!b->event[b->events].name)
		return fail_memory(p);
	b->events++;
	return 0;
}

static int apply_term(struct text_parser *p, const struct nti_term *term,
		      __u64 config[CONFIG_WORDS])
{
	const struct nti_box_term *known = find_term(p->now, term->name);
	const char *ranges;
	unsigned int width;
	uint64_t value;
	size_t word = 0;

	ranges = known ? ranges_of(known->format, &word) : NULL;
	if (!ranges || (word && !is_card(p->now)))
		return nti_error(p->e, -EINVAL, "there is no term '%.60s' of config", term->name);
	if (!term->value || nti_term_value(term, &value) < 0)
		return nti_error(p->e, -EINVAL, "term %s needs a number, as in %s=0x04", term->name,
				 term->name);
	if (nti_format_scatter(ranges, value, &config[word], &width) < 0)
		return nti_error(p->e, -EINVAL, "%s=%s does not fit into %s", term->name,
				 term->value, known->format);
	return 0;
}

static int apply_terms(struct text_parser *p, char *list, __u64 config[CONFIG_WORDS])
{
	struct nti_term term;
	int ret = 0;

	while (ret == 0 && nti_term_next(&list, &term))
		ret = apply_term(p, &term, config);
	return ret;
}

static int set_terms(struct text_parser *p, char *value)
{
	struct nti_box_event *event = last_event(p);
	__u64 config[CONFIG_WORDS] = { 0 };
	size_t i;
	int ret;

	event->terms = own_text(p, value);
	if (!event->terms)
		return fail_memory(p);
	ret = apply_terms(p, value, config);
	event->config = config[0];
	/* Of a card two names may be one set-up (docs/adr/0019). */
	for (i = 0; ret == 0 && !is_card(p->now) && i + 1 < p->now->events; i++)
		if (p->now->event[i].config == event->config)
			ret = nti_error(p->e, -EINVAL, "%s has the same encoding as %s",
					event->name, p->now->event[i].name);
	return ret;
}

static int set_more(struct text_parser *p, char *value)
{
	char *save = NULL, *list;
	int ret = 0;

	last_event(p)->more = own_text(p, value);
	if (!last_event(p)->more)
		return fail_memory(p);
	for (list = strtok_r(value, " ", &save); ret == 0 && list;
	     list = strtok_r(NULL, " ", &save)) {
		__u64 config[CONFIG_WORDS] = { 0 };

		ret = apply_terms(p, list, config);
	}
	return ret;
}

static int set_absent(struct text_parser *p, unsigned int key, const char *value)
{
	struct nti_box_event *event = last_event(p);
	const char *copy = own_text(p, value);

	*(key == KEY_ABSENT ? &event->absent : &event->remedy) = copy;
	return copy ? 0 : fail_memory(p);
}

static int set_scale(struct text_parser *p, const char *value)
{
	double *scale = &last_event(p)->scale;

	if (nti_text_parse_real(value, scale) == 0 && *scale > 0 && *scale < 1e300)
		return 0;
	*scale = 0;
	if (strcmp(value, "energy") == 0)
		return 0;
	return nti_error(p->e, -EINVAL, "'%.60s' is neither a positive number nor 'energy'", value);
}

static int set_unit(struct text_parser *p, const char *value)
{
	last_event(p)->unit = own_text(p, value);
	return last_event(p)->unit ? 0 : fail_memory(p);
}

static int set_state(struct text_parser *p, const char *value)
{
	struct nti_box_event *event = last_event(p);

	event->is_state = true;
	if (strcmp(value, "max") != 0 && strcmp(value, "min") != 0)
		return nti_error(p->e, -EINVAL,
				 "a state is 'max' or 'min' of several places, not "
				 "'%.60s'",
				 value);
	event->together = strcmp(value, "max") == 0 ? NTI_MAX : NTI_MIN;
	return 0;
}

static int set_about(struct text_parser *p, const char *value)
{
	last_event(p)->about = own_text(p, value);
	if (!last_event(p)->about)
		return fail_memory(p);
	if (value[strlen(value) - 1] != '.')
		return nti_error(p->e, -EINVAL, "'about' is a sentence and ends with a full stop");
	return 0;
}

/*
 * Of a kind the source stays in the file: it speaks for order and bits of terms, which nobody asks
 * the library for.
 */
static int set_source(struct text_parser *p, const char *value)
{
	if (p->last == KEY_TERM)
		return 0;
	last_event(p)->source = own_text(p, value);
	return last_event(p)->source ? 0 : fail_memory(p);
}

static int set_key(struct text_parser *p, unsigned int key, char *value)
{
	switch (key) {
	case KEY_KIND:
		return add_kinds(p, value);
	case KEY_PMU:
		return set_pmu(p, value);
	case KEY_TERM:
		return add_term(p, value);
	case KEY_EVENT:
		return add_event(p, value);
	case KEY_TERMS:
		return set_terms(p, value);
	case KEY_MORE:
		return set_more(p, value);
	case KEY_ABSENT:
	case KEY_REMEDY:
		return set_absent(p, key, value);
	case KEY_SCALE:
		return set_scale(p, value);
	case KEY_UNIT:
		return set_unit(p, value);
	case KEY_STATE:
		return set_state(p, value);
	case KEY_ABOUT:
		return set_about(p, value);
	default:
		return set_source(p, value);
	}
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct text_parser *p = arg;
	int ret;

	p->e = e;
	ret = set_key(p, key, value);
	p->last = key;
	return ret;
}

static const struct nti_entries box_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_entry_check_ascii,
	.set = set_value,
};

int nti_box_text_parse(const char *file, const char *text, size_t bytes, struct nti_box_text *out,
		       struct nti_error *e)
{
	struct text_parser p = { .out = out, .e = e };
	int ret;

	p.now = calloc(1, sizeof(*p.now));
	if (!p.now)
		return fail_memory(&p);
	ret = nti_entries_parse(&box_entries, file, text, bytes, &p, e);
	if (ret == 0)
		ret = end_building(&p);
	free(p.now);
	return ret;
}

void nti_box_text_fini(struct nti_box_text *t)
{
	size_t i;

	for (i = 0; i < t->owns; i++)
		free(t->owned[i]);
	free(t->owned);
	free(t->family);
	*t = (struct nti_box_text){ 0 };
}
