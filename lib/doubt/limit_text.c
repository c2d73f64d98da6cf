// SPDX-License-Identifier: MIT
/* Files of data/limits: text into rows, with a lint that names file and line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/entry.h"
#include "lib/base/text.h"
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

#define TEXT(member) NTI_ENTRY_TO(struct nti_limit, member)
#define SENTENCE(member) NTI_ENTRY_SAYS(struct nti_limit, member)

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_LIMIT },
	[KEY_LIMIT] = { "limit", 1u << KEY_EVENT, TEXT(name) },
	[KEY_EVENT] = { "event", 1u << KEY_BOUND, TEXT(event) },
	[KEY_BOUND] = { "bound", 1u << KEY_SLACK | 1u << KEY_ABOUT },
	[KEY_SLACK] = { "slack", 1u << KEY_ABOUT },
	[KEY_ABOUT] = { "about", 1u << KEY_SOURCE, SENTENCE(about) },
	[KEY_SOURCE] = { "source", 0, TEXT(source) },
};

static void *begin_entry(void *arg)
{
	struct nti_limit_text *t = arg;
	struct nti_limit *more = reallocarray(t->limit, t->count + 1, sizeof(*more));

	if (!more)
		return NULL;
	t->limit = more;
	more[t->count] = (struct nti_limit){ 0 };
	return &more[t->count++];
}

static int check_name(const struct nti_limit_text *t, const char *name, struct nti_error *e)
{
	size_t i;

	for (i = 0; i + 1 < t->count; i++)
		if (strcmp(t->limit[i].name, name) == 0)
			return nti_error(e, -EINVAL, "there is a limit %s already", name);
	return 0;
}

static int parse_number(const char *text, double *out, struct nti_error *e)
{
	return nti_text_parse_real(text, out) < 0 || !(*out > -1e18 && *out < 1e18)
		       ? nti_error(e, -EINVAL, "'%.40s' is no number", text)
		       : 0;
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

static int set_bound(struct nti_limit *l, char *value, struct nti_error *e)
{
	char *words[WORDS_MAX + 1] = { NULL };
	int n = split(value, words), ret;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(bound_forms); i++) {
		const struct bound_form *f = &bound_forms[i];

		if (n != f->words || !is_said(words, n, f->word))
			continue;
		l->kind = f->kind;
		ret = parse_number(words[f->number], &l->most, e);
		if (ret == 0 && f->kind == NTI_LIMIT_RANGE)
			ret = parse_number(words[1], &l->least, e);
		if (ret == 0 && f->kind != NTI_LIMIT_RANGE && !(l->most > 0))
			ret = nti_error(e, -EINVAL, "a bound is a positive number");
		if (ret == 0 && f->of) {
			l->of = strdup(words[f->of]);
			ret = l->of ? 0 : nti_error(e, -ENOMEM, "memory is short for a limit");
		}
		return ret;
	}
	return nti_error(e, -EINVAL,
			 "a bound is 'at most N of EVENT', 'at most N per second', 'moves within N "
			 "of EVENT', 'moves within N seconds' or 'between N and N'");
}

static int set_slack(struct nti_limit *l, const char *value, struct nti_error *e)
{
	int ret = parse_number(value, &l->slack, e);

	if (ret == 0 && l->kind > NTI_LIMIT_SECOND)
		return nti_error(e, -EINVAL, "only 'at most' has a slack");
	return ret;
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct nti_limit_text *t = arg;
	struct nti_limit *now = &t->limit[t->count - 1];

	switch (key) {
	case KEY_LIMIT:
		return check_name(t, value, e);
	case KEY_BOUND:
		return set_bound(now, value, e);
	case KEY_SLACK:
		return set_slack(now, value, e);
	default:
		return 0;
	}
}

static const struct nti_entries limit_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_entry_check_ascii,
	.begin = begin_entry,
	.set = set_value,
};

int nti_limit_text_parse(const char *file, const char *text, size_t bytes,
			 struct nti_limit_text *out, struct nti_error *e)
{
	return nti_entries_parse(&limit_entries, file, text, bytes, out, e);
}

void nti_limit_text_fini(struct nti_limit_text *t)
{
	size_t i;

	for (i = 0; i < t->count; i++) {
		nti_entry_fini(&limit_entries, &t->limit[i]);
		free((char *)t->limit[i].of);
	}
	free(t->limit);
	*t = (struct nti_limit_text){ 0 };
}
