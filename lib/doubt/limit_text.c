// SPDX-License-Identifier: MIT
/* Files of data/limits: text into rows, with a lint that names file and line. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/entry.h"
#include "lib/doubt/limit_text.h"

enum key {
	KEY_NONE, /* between entries */
	KEY_LIMIT,
	KEY_EVENT,
	KEY_BOUND,
	KEY_SLACK,
	KEY_ABOUT,
	KEY_SOURCE,
	KEY_COUNT,
};

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_LIMIT, "an entry begins with 'limit'" },
	[KEY_LIMIT] = { "limit", 1u << KEY_EVENT, "'limit' is followed by 'event'" },
	[KEY_EVENT] = { "event", 1u << KEY_BOUND, "'event' is followed by 'bound'" },
	[KEY_BOUND] = { "bound", 1u << KEY_SLACK | 1u << KEY_ABOUT,
			"'bound' is followed by 'slack' or 'about'" },
	[KEY_SLACK] = { "slack", 1u << KEY_ABOUT, "'slack' is followed by 'about'" },
	[KEY_ABOUT] = { "about", 1u << KEY_SOURCE, "'about' is followed by 'source'" },
	[KEY_SOURCE] = { "source", 0, "'source' is followed by a blank line" },
};

struct limit_parser {
	struct nti_limit_text *out;
	struct nti_error *e;
};

static struct nti_limit *last(struct limit_parser *p)
{
	return &p->out->limit[p->out->count - 1];
}

static int set_text(struct limit_parser *p, const char **to, const char *value)
{
	*to = strdup(value);
	return *to ? 0 : nti_error(p->e, -ENOMEM, "memory is short for a limit");
}

static int add_limit(struct limit_parser *p, const char *name)
{
	struct nti_limit *more;
	size_t i;

	for (i = 0; i < p->out->count; i++)
		if (strcmp(p->out->limit[i].name, name) == 0)
			return nti_error(p->e, -EINVAL, "there is a limit %s already", name);
	more = reallocarray(p->out->limit, p->out->count + 1, sizeof(*more));
	if (!more)
		return nti_error(p->e, -ENOMEM, "memory is short for a limit");
	p->out->limit = more;
	more[p->out->count++] = (struct nti_limit){ 0 };
	return set_text(p, &last(p)->name, name);
}

/* strtod(3) would read by the rules of whatever locale the program chose. */
static int parse_number(struct limit_parser *p, const char *text, double *out)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	char *end = NULL;

	if (!c)
		return nti_error(p->e, -ENOMEM, "memory is short for a limit");
	*out = strtod_l(text, &end, c);
	freelocale(c);
	if (end == text || *end || !(*out > -1e18 && *out < 1e18))
		return nti_error(p->e, -EINVAL, "'%.40s' is no number", text);
	return 0;
}

#define WORDS_MAX 5

static int split(char *text, char *words[WORDS_MAX + 1])
{
	char *save = NULL, *word;
	int n = 0;

	for (word = strtok_r(text, " \t", &save); word && n <= WORDS_MAX;
	     word = strtok_r(NULL, " \t", &save))
		words[n++] = word;
	return n;
}

static bool is_said(char *const *words, int n, const char *const *form)
{
	int i;

	for (i = 0; i < n; i++)
		if (form[i] && strcmp(form[i], words[i]) != 0)
			return false;
	return true;
}

/* Words of each form; NULL: anything. .number is the place of .most, .of that of the event. */
static const struct bound_form {
	const char *word[WORDS_MAX];
	int words, number, of;
	enum nti_limit_kind kind;
} bound_forms[] = {
	{ { "at", "most", NULL, "of", NULL }, 5, 2, 4, NTI_LIMIT_OF },
	{ { "at", "most", NULL, "per", "second" }, 5, 2, 0, NTI_LIMIT_SECOND },
	{ { "moves", "within", NULL, "of", NULL }, 5, 2, 4, NTI_LIMIT_MOVES_OF },
	{ { "moves", "within", NULL, "seconds" }, 4, 2, 0, NTI_LIMIT_MOVES },
	{ { "between", NULL, "and", NULL }, 4, 3, 0, NTI_LIMIT_RANGE },
};

static int set_bound(struct limit_parser *p, char *value)
{
	struct nti_limit *l = last(p);
	char *words[WORDS_MAX + 1];
	int n = split(value, words), ret;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(bound_forms); i++) {
		const struct bound_form *f = &bound_forms[i];

		if (n != f->words || !is_said(words, n, f->word))
			continue;
		l->kind = f->kind;
		ret = parse_number(p, words[f->number], &l->most);
		if (ret == 0 && f->kind == NTI_LIMIT_RANGE)
			ret = parse_number(p, words[1], &l->least);
		if (ret == 0 && f->kind != NTI_LIMIT_RANGE && !(l->most > 0))
			ret = nti_error(p->e, -EINVAL, "a bound is a positive number");
		return ret == 0 && f->of ? set_text(p, &l->of, words[f->of]) : ret;
	}
	return nti_error(p->e, -EINVAL,
			 "a bound is 'at most N of EVENT', 'at most N per second', 'moves within N "
			 "of EVENT', 'moves within N seconds' or 'between N and N'");
}

static int set_slack(struct limit_parser *p, const char *value)
{
	int ret = parse_number(p, value, &last(p)->slack);

	if (ret == 0 && last(p)->kind > NTI_LIMIT_SECOND)
		return nti_error(p->e, -EINVAL, "only 'at most' has a slack");
	return ret;
}

static int set_about(struct limit_parser *p, const char *value)
{
	if (value[strlen(value) - 1] != '.')
		return nti_error(p->e, -EINVAL, "'about' is a sentence and ends with a full stop");
	return set_text(p, &last(p)->about, value);
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct limit_parser *p = arg;

	p->e = e;
	switch (key) {
	case KEY_LIMIT:
		return add_limit(p, value);
	case KEY_EVENT:
		return set_text(p, &last(p)->event, value);
	case KEY_BOUND:
		return set_bound(p, value);
	case KEY_SLACK:
		return set_slack(p, value);
	case KEY_ABOUT:
		return set_about(p, value);
	default:
		return set_text(p, &last(p)->source, value);
	}
}

static const struct nti_entries limit_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_entry_check_ascii,
	.set = set_value,
};

int nti_limit_text_parse(const char *file, const char *text, size_t bytes,
			 struct nti_limit_text *out, struct nti_error *e)
{
	struct limit_parser p = { .out = out, .e = e };

	return nti_entries_parse(&limit_entries, file, text, bytes, &p, e);
}

void nti_limit_text_fini(struct nti_limit_text *t)
{
	size_t i;

	for (i = 0; i < t->count; i++) {
		const struct nti_limit *l = &t->limit[i];

		free((char *)l->name);
		free((char *)l->event);
		free((char *)l->of);
		free((char *)l->about);
		free((char *)l->source);
	}
	free(t->limit);
	*t = (struct nti_limit_text){ 0 };
}
