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

#define TEXT(member) NTI_ENTRY_TO(struct nti_erratum, member)
#define SENTENCE(member) NTI_ENTRY_SAYS(struct nti_erratum, member)

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_ERRATUM },
	[KEY_ERRATUM] = { "erratum", 1u << KEY_CPU, TEXT(name) },
	[KEY_CPU] = { "cpu", 1u << KEY_CPU | 1u << KEY_EVENT },
	[KEY_EVENT] = { "event", 1u << KEY_EVENT | 1u << KEY_DOES },
	[KEY_DOES] = { "does", 1u << KEY_WHEN | 1u << KEY_ABOUT },
	[KEY_WHEN] = { "when", 1u << KEY_ABOUT },
	[KEY_ABOUT] = { "about", 1u << KEY_REMEDY, SENTENCE(about) },
	[KEY_REMEDY] = { "remedy", 1u << KEY_SOURCE, TEXT(remedy) },
	[KEY_SOURCE] = { "source", 1u << KEY_TRUST, TEXT(source) },
	[KEY_TRUST] = { "trust", 0, TEXT(trust) },
};

static int fail_memory(struct nti_error *e)
{
	return nti_error(e, -ENOMEM, "memory is short for an erratum");
}

static void *begin_entry(void *arg)
{
	struct nti_erratum_text *t = arg;
	struct nti_erratum *more = reallocarray(t->erratum, t->count + 1, sizeof(*more));

	if (!more)
		return NULL;
	t->erratum = more;
	more[t->count] = (struct nti_erratum){ 0 };
	return &more[t->count++];
}

static int check_name(const struct nti_erratum_text *t, const char *name, struct nti_error *e)
{
	size_t i;

	for (i = 0; i + 1 < t->count; i++)
		if (strcmp(t->erratum[i].name, name) == 0)
			return nti_error(e, -EINVAL, "there is an erratum %s already", name);
	return 0;
}

/* "0x3c", "1-3" or "all". */
static int parse_range(const char *text, uint16_t range[2], struct nti_error *e)
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
		return nti_error(e, -EINVAL, "'%.40s' are no numbers as in 0x3c, 1-3 or all", text);
	range[0] = (uint16_t)first;
	range[1] = (uint16_t)end;
	return 0;
}

#define CPU_WORDS 4

static int parse_cpu(char *value, struct nti_erratum_cpu *cpu, struct nti_error *e)
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
		return nti_error(e, -EINVAL,
				 "a cpu is intel, amd, hygon or arm, a family, models and "
				 "steppings");
	ret = parse_range(word[1], family, e);
	if (ret == 0 && family[0] != family[1])
		ret = nti_error(e, -EINVAL, "a cpu has one family");
	cpu->family = family[0];
	if (ret == 0)
		ret = parse_range(word[2], cpu->model, e);
	return ret < 0 ? ret : parse_range(word[3], cpu->stepping, e);
}

static int add_cpu(struct nti_erratum *now, char *value, struct nti_error *e)
{
	struct nti_erratum_cpu cpu = { 0 }, *more;
	int ret = parse_cpu(value, &cpu, e);

	if (ret < 0)
		return ret;
	more = reallocarray((void *)now->cpu, now->cpus + 1, sizeof(*more));
	if (!more)
		return fail_memory(e);
	now->cpu = more;
	more[now->cpus++] = cpu;
	return 0;
}

static int add_event(struct nti_erratum *now, const char *value, struct nti_error *e)
{
	const char **more = reallocarray((void *)now->event, now->events + 1, sizeof(*more));

	if (!more)
		return fail_memory(e);
	now->event = more;
	more[now->events] = strdup(value);
	return more[now->events++] ? 0 : fail_memory(e);
}

static int set_action(struct nti_erratum *now, const char *value, struct nti_error *e)
{
	static const char *const actions[] = { [NTI_ERRATUM_NOTE] = "note",
					       [NTI_ERRATUM_DOUBT] = "doubt",
					       [NTI_ERRATUM_REFUSE] = "refuse" };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(actions); i++) {
		if (strcmp(actions[i], value) != 0)
			continue;
		now->action = (enum nti_erratum_action)i;
		return 0;
	}
	return nti_error(e, -EINVAL, "an erratum does note, doubt or refuse, not '%.40s'", value);
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct nti_erratum_text *t = arg;
	struct nti_erratum *now = &t->erratum[t->count - 1];

	switch (key) {
	case KEY_ERRATUM:
		return check_name(t, value, e);
	case KEY_CPU:
		return add_cpu(now, value, e);
	case KEY_EVENT:
		return add_event(now, value, e);
	case KEY_DOES:
		return set_action(now, value, e);
	case KEY_WHEN:
		now->with_smt = strcmp(value, "smt") == 0;
		return now->with_smt ? 0
				     : nti_error(e, -EINVAL,
						 "'when' is followed by smt, not '%.40s'", value);
	default:
		return 0;
	}
}

static const struct nti_entries erratum_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_entry_check_ascii,
	.begin = begin_entry,
	.set = set_value,
};

int nti_erratum_text_parse(const char *file, const char *text, size_t bytes,
			   struct nti_erratum_text *out, struct nti_error *e)
{
	return nti_entries_parse(&erratum_entries, file, text, bytes, out, e);
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
		nti_entry_fini(&erratum_entries, row);
	}
	free(t->erratum);
	*t = (struct nti_erratum_text){ 0 };
}
