// SPDX-License-Identifier: MIT
/*
 * Files of data/counters: text into rows, with a lint that names file and line. known_text.h has
 * the format.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/entry.h"
#include "lib/base/text.h"
#include "trace/derive/known_text.h"

enum key { KEY_NONE, KEY_SOURCE, KEY_TRUST, KEY_COUNTER, KEY_COUNT };

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_SOURCE },
	[KEY_SOURCE] = { "source", 1u << KEY_TRUST },
	[KEY_TRUST] = { "trust", 1u << KEY_COUNTER },
	[KEY_COUNTER] = { "counter", 1u << KEY_COUNTER | 1u << KEY_NONE },
};

enum { EVENT, PART, CHIPS, SET, MODE, START, SELECT, GROUP, MUX, COLUMNS };

static const char *const modes[] = { "SIMPLE", "EVENT_B4", "EVENT_B6", "EXTRA_B4",
				     "EXTRA_B6_EVENT_B2" };
static const char *const trusts[] = { "documented", "measured", "guessed" };

struct text_parser {
	struct nti_known_text *out;
	const char *source, *trust; /* of this entry */
};

static int fail(struct nti_error *e, const char *what, const char *where)
{
	return nti_error(e, -EINVAL, "%s: %s", what, where);
}

/* A copy that belongs to the result; NULL without memory. */
static const char *own(struct text_parser *p, const char *text)
{
	char **more = realloc(p->out->owned, (p->out->owns + 1) * sizeof(*more));
	char *copy = strdup(text);

	if (more)
		p->out->owned = more;
	if (!more || !copy) {
		free(copy);
		return NULL;
	}
	more[p->out->owns++] = copy;
	return copy;
}

/* "03020100/ffff": eight and four digits. */
static bool is_pair(const char *text)
{
	return strspn(text, "0123456789abcdef") == 8 && text[8] == '/' &&
	       strspn(text + 9, "0123456789abcdef") == strlen(text + 9) && strlen(text + 9) >= 4 &&
	       strlen(text + 9) <= 8;
}

static bool is_hex(const char *text)
{
	return *text && strlen(text) <= 8 && strspn(text, "0123456789abcdef") == strlen(text);
}

static bool is_decimal_up_to(const char *text, unsigned long most)
{
	return *text && strspn(text, "0123456789") == strlen(text) &&
	       strtoul(text, NULL, 10) <= most;
}

/* @mark, then a number that begins with 0x; steps behind them. */
static bool takes(const char **text, const char *mark)
{
	const char *at = *text;
	uint32_t number;

	if (strncmp(at, mark, strlen(mark)) != 0 || strncmp(at + strlen(mark), "0x", 2) != 0)
		return false;
	at += strlen(mark) + 2;
	if (!nti_text_take_u32(&at, 16, &number))
		return false;
	*text = at;
	return true;
}

/* "0xADDRESS=0xVALUE", "|0xVALUE" more, "&0xMASK", joined by ';'. */
static bool is_mux(const char *text)
{
	for (;;) {
		if (!takes(&text, "") || !takes(&text, "="))
			return false;
		while (takes(&text, "|"))
			;
		(void)takes(&text, "&");
		if (*text == '\0')
			return true;
		if (*text++ != ';')
			return false;
	}
}

static int find(const char *const *list, size_t n, const char *word)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(list[i], word) == 0)
			return (int)i;
	return -1;
}

static bool is_none(const char *column)
{
	return strcmp(column, "-") == 0;
}

static int check_row(char *column[COLUMNS], struct nti_error *e)
{
	if (!is_decimal_up_to(column[PART], 9))
		return fail(e, "no part", column[PART]);
	if (!is_decimal_up_to(column[SET], 7))
		return fail(e, "no domain", column[SET]);
	if (find(modes, NTI_ARRAY_SIZE(modes), column[MODE]) < 0)
		return fail(e, "no mode", column[MODE]);
	if (!is_none(column[START]) && !is_pair(column[START]))
		return fail(e, "no SRC/OP", column[START]);
	if (!is_pair(column[SELECT]))
		return fail(e, "no SRC/OP", column[SELECT]);
	if (!is_none(column[GROUP]) && !is_hex(column[GROUP]))
		return fail(e, "no group select", column[GROUP]);
	if (!is_none(column[MUX]) && !is_mux(column[MUX]))
		return fail(e, "no multiplexers", column[MUX]);
	return 0;
}

static uint32_t hex(const char *digits)
{
	return (uint32_t)strtoul(digits, NULL, 16);
}

static int add_row(struct text_parser *p, char *column[COLUMNS], struct nti_error *e)
{
	struct nti_known_counter *more =
		realloc(p->out->counter, (p->out->count + 1) * sizeof(*more));
	struct nti_known_counter k = {
		.event = own(p, column[EVENT]),
		.part = (uint8_t)strtoul(column[PART], NULL, 10),
		.set = (uint8_t)strtoul(column[SET], NULL, 10),
		.mode = (uint8_t)find(modes, NTI_ARRAY_SIZE(modes), column[MODE]),
		.has_start = !is_none(column[START]),
		.has_group = !is_none(column[GROUP]),
		.event_src = hex(column[SELECT]),
		.event_op = hex(column[SELECT] + 9),
		.chips = own(p, column[CHIPS]),
		.mux = own(p, is_none(column[MUX]) ? "" : column[MUX]),
		.source = p->source,
		.trust = p->trust,
	};

	if (more)
		p->out->counter = more;
	if (!more || !k.event || !k.chips || !k.mux)
		return nti_error(e, -ENOMEM, "memory is short for a counter");
	if (k.has_start) {
		k.start_src = hex(column[START]);
		k.start_op = hex(column[START] + 9);
	}
	if (k.has_group)
		k.group = hex(column[GROUP]);
	more[p->out->count++] = k;
	return 0;
}

static int set_row(struct text_parser *p, char *text, struct nti_error *e)
{
	char *column[COLUMNS], *save = NULL, *word;
	int n = 0, ret;

	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (n == COLUMNS)
			return fail(e, "more than nine columns", word);
		column[n++] = word;
	}
	if (n != COLUMNS)
		return fail(e, "fewer than nine columns", n ? column[0] : text);
	ret = check_row(column, e);
	return ret < 0 ? ret : add_row(p, column, e);
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct text_parser *p = arg;
	const char **to = key == KEY_SOURCE ? &p->source : &p->trust;

	if (key == KEY_COUNTER)
		return set_row(p, value, e);
	if (key == KEY_TRUST && find(trusts, NTI_ARRAY_SIZE(trusts), value) < 0)
		return fail(e, "trust is documented, measured or guessed", value);
	*to = own(p, value);
	return *to ? 0 : nti_error(e, -ENOMEM, "memory is short for a counter");
}

static const struct nti_entries counter_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_entry_check_ascii,
	.set = set_value,
};

int nti_known_text_parse(const char *file, const char *text, size_t bytes,
			 struct nti_known_text *out, struct nti_error *e)
{
	struct text_parser p = { .out = out };

	return nti_entries_parse(&counter_entries, file, text, bytes, &p, e);
}

void nti_known_text_fini(struct nti_known_text *t)
{
	size_t i;

	for (i = 0; i < t->owns; i++)
		free(t->owned[i]);
	free(t->owned);
	free(t->counter);
	*t = (struct nti_known_text){ 0 };
}
