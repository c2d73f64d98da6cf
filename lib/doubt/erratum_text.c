// SPDX-License-Identifier: MIT
/* Files of data/errata: text into rows, with a lint that names file and line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/entry.h"
#include "lib/doubt/erratum_text.h"

enum key {
	KEY_NONE, /* between entries */
	KEY_ERRATUM,
	KEY_CPU,
	KEY_EVENT,
	KEY_DOES,
	KEY_WHEN,
	KEY_ABOUT,
	KEY_REMEDY,
	KEY_SOURCE,
	KEY_TRUST,
	KEY_COUNT,
};

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_ERRATUM, "an entry begins with 'erratum'" },
	[KEY_ERRATUM] = { "erratum", 1u << KEY_CPU, "'erratum' is followed by 'cpu'" },
	[KEY_CPU] = { "cpu", 1u << KEY_CPU | 1u << KEY_EVENT,
		      "'cpu' is followed by 'cpu' or 'event'" },
	[KEY_EVENT] = { "event", 1u << KEY_EVENT | 1u << KEY_DOES,
			"'event' is followed by 'event' or 'does'" },
	[KEY_DOES] = { "does", 1u << KEY_WHEN | 1u << KEY_ABOUT,
		       "'does' is followed by 'when' or 'about'" },
	[KEY_WHEN] = { "when", 1u << KEY_ABOUT, "'when' is followed by 'about'" },
	[KEY_ABOUT] = { "about", 1u << KEY_REMEDY, "'about' is followed by 'remedy'" },
	[KEY_REMEDY] = { "remedy", 1u << KEY_SOURCE, "'remedy' is followed by 'source'" },
	[KEY_SOURCE] = { "source", 1u << KEY_TRUST, "'source' is followed by 'trust'" },
	[KEY_TRUST] = { "trust", 0, "'trust' is followed by a blank line" },
};

struct erratum_parser {
	struct nti_erratum_text *out;
	struct nti_error *e;
};

static struct nti_erratum *last(struct erratum_parser *p)
{
	return &p->out->erratum[p->out->count - 1];
}

static int fail_memory(struct erratum_parser *p)
{
	return nti_error(p->e, -ENOMEM, "memory is short for an erratum");
}

static int set_text(struct erratum_parser *p, const char **to, const char *value)
{
	*to = strdup(value);
	return *to ? 0 : fail_memory(p);
}

static int add_erratum(struct erratum_parser *p, const char *name)
{
	struct nti_erratum *more;
	size_t i;

	for (i = 0; i < p->out->count; i++)
		if (strcmp(p->out->erratum[i].name, name) == 0)
			return nti_error(p->e, -EINVAL, "there is an erratum %s already", name);
	more = reallocarray(p->out->erratum, p->out->count + 1, sizeof(*more));
	if (!more)
		return fail_memory(p);
	p->out->erratum = more;
	more[p->out->count++] = (struct nti_erratum){ 0 };
	return set_text(p, &last(p)->name, name);
}

/* "0x3c", "1-3" or "all". */
static int parse_range(struct erratum_parser *p, const char *text, uint16_t range[2])
{
	unsigned long first, end;
	char *rest;

	range[0] = 0;
	range[1] = UINT16_MAX;
	if (strcmp(text, "all") == 0)
		return 0;
	first = end = strtoul(text, &rest, 0);
	if (rest != text && *rest == '-') {
		text = rest + 1;
		end = strtoul(text, &rest, 0);
	}
	if (rest == text || *rest || end > UINT16_MAX || first > end)
		return nti_error(p->e, -EINVAL, "'%.40s' are no numbers as in 0x3c, 1-3 or all",
				 text);
	range[0] = (uint16_t)first;
	range[1] = (uint16_t)end;
	return 0;
}

#define CPU_WORDS 4

static int parse_cpu(struct erratum_parser *p, char *value, struct nti_erratum_cpu *cpu)
{
	static const char *const vendors[] = { "intel", "amd", "hygon", "arm" };
	char *save = NULL, *word[CPU_WORDS + 1] = { NULL };
	uint16_t family[2];
	size_t i, n = 0;
	int ret;

	for (word[n] = strtok_r(value, " \t", &save); n < CPU_WORDS && word[n];
	     word[n] = strtok_r(NULL, " \t", &save))
		n++;
	for (i = 0; n && i < NTI_ARRAY_SIZE(vendors); i++)
		if (strcmp(vendors[i], word[0]) == 0)
			cpu->vendor = vendors[i];
	if (n != CPU_WORDS || word[CPU_WORDS] || !cpu->vendor)
		return nti_error(p->e, -EINVAL,
				 "a cpu is intel, amd, hygon or arm, a family, models and "
				 "steppings");
	ret = parse_range(p, word[1], family);
	if (ret == 0 && family[0] != family[1])
		ret = nti_error(p->e, -EINVAL, "a cpu has one family");
	cpu->family = family[0];
	if (ret == 0)
		ret = parse_range(p, word[2], cpu->model);
	return ret < 0 ? ret : parse_range(p, word[3], cpu->stepping);
}

static int add_cpu(struct erratum_parser *p, char *value)
{
	struct nti_erratum *now = last(p);
	struct nti_erratum_cpu cpu = { 0 }, *more;
	int ret = parse_cpu(p, value, &cpu);

	if (ret < 0)
		return ret;
	more = reallocarray((void *)now->cpu, now->cpus + 1, sizeof(*more));
	if (!more)
		return fail_memory(p);
	now->cpu = more;
	more[now->cpus++] = cpu;
	return 0;
}

static int add_event(struct erratum_parser *p, const char *value)
{
	struct nti_erratum *now = last(p);
	const char **more = reallocarray((void *)now->event, now->events + 1, sizeof(*more));

	if (!more)
		return fail_memory(p);
	now->event = more;
	more[now->events] = NULL;
	return set_text(p, &more[now->events++], value);
}

static int set_action(struct erratum_parser *p, const char *value)
{
	static const char *const actions[] = { [NTI_ERRATUM_NOTE] = "note",
					       [NTI_ERRATUM_DOUBT] = "doubt",
					       [NTI_ERRATUM_REFUSE] = "refuse" };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(actions); i++) {
		if (strcmp(actions[i], value) != 0)
			continue;
		last(p)->action = (enum nti_erratum_action)i;
		return 0;
	}
	return nti_error(p->e, -EINVAL, "an erratum does note, doubt or refuse, not '%.40s'",
			 value);
}

static int set_when(struct erratum_parser *p, const char *value)
{
	last(p)->with_smt = strcmp(value, "smt") == 0;
	return last(p)->with_smt
		       ? 0
		       : nti_error(p->e, -EINVAL, "'when' is followed by smt, not '%.40s'", value);
}

static int set_about(struct erratum_parser *p, const char *value)
{
	if (value[strlen(value) - 1] != '.')
		return nti_error(p->e, -EINVAL, "'about' is a sentence and ends with a full stop");
	return set_text(p, &last(p)->about, value);
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct erratum_parser *p = arg;

	p->e = e;
	switch (key) {
	case KEY_ERRATUM:
		return add_erratum(p, value);
	case KEY_CPU:
		return add_cpu(p, value);
	case KEY_EVENT:
		return add_event(p, value);
	case KEY_DOES:
		return set_action(p, value);
	case KEY_WHEN:
		return set_when(p, value);
	case KEY_ABOUT:
		return set_about(p, value);
	case KEY_REMEDY:
		return set_text(p, &last(p)->remedy, value);
	case KEY_SOURCE:
		return set_text(p, &last(p)->source, value);
	default:
		return set_text(p, &last(p)->trust, value);
	}
}

static const struct nti_entries erratum_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_entry_check_ascii,
	.set = set_value,
};

int nti_erratum_text_parse(const char *file, const char *text, size_t bytes,
			   struct nti_erratum_text *out, struct nti_error *e)
{
	struct erratum_parser p = { .out = out, .e = e };

	return nti_entries_parse(&erratum_entries, file, text, bytes, &p, e);
}

void nti_erratum_text_fini(struct nti_erratum_text *t)
{
	size_t i, k;

	for (i = 0; i < t->count; i++) {
		const struct nti_erratum *row = &t->erratum[i];

		for (k = 0; k < row->events; k++)
			free((char *)row->event[k]);
		free((void *)row->event);
		free((void *)row->cpu);
		free((char *)row->name);
		free((char *)row->about);
		free((char *)row->remedy);
		free((char *)row->source);
		free((char *)row->trust);
	}
	free(t->erratum);
	*t = (struct nti_erratum_text){ 0 };
}
