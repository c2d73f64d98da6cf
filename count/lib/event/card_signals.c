// SPDX-License-Identifier: MIT
/* Names of signals, and truth tables of functions of them. */
#include "count/lib/event/card_signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"

#define NAME_CHARS 64
#define DEPTH_MAX 32
#define SAME_NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"

/*
 * Each domain ends with these, counted from its last signal (envytools, PCOUNTER: trailers). Of
 * EVENT and FLAG the one of domain n stands n before the first.
 */
static const struct trailer {
	const char *name;
	uint8_t from_last, count;
	bool not_on_g80;
} trailers[] = {
	{ "ZERO", 0x13, 1, true },	   { "ZERO", 0x11, 1, false },
	{ "PERIODIC", 0x12, 1, true },	   { "WRCACHE_FLUSH", 0x11, 1, true },
	{ "PM_TRIGGER", 0x10, 1 },	   { "EVENT", 0x08, NTHW_NV_DOMAINS },
	{ "FLAG", 0x00, NTHW_NV_DOMAINS },
};

struct parser {
	const struct nthw_nv_chip *chip;
	const char *at, *event;
	int domain;		/* negative: not known yet */
	bool is_given;		/* by the user */
	char first[NAME_CHARS]; /* the signal that said which domain */
	uint8_t signal[NTI_CARD_ARGUMENTS];
	unsigned int signals, depth;
	struct nti_error *e;
	int error;
};

/* What stands next; blanks, and quotes around all of it, say nothing. */
static char next(struct parser *p)
{
	p->at += strspn(p->at, " \t\"'");
	return *p->at;
}

static bool take(struct parser *p, char c)
{
	if (next(p) != c)
		return false;
	p->at++;
	return true;
}

static uint32_t give_up(struct parser *p, const char *why)
{
	if (!p->error)
		p->error =
			nti_error(p->e, -EINVAL, "event '%s': %s at '%.20s'", p->event, why, p->at);
	return 0;
}

/* Is @text @name, or that and a number, which goes to *@number? Without one that is negative. */
static bool is_name(const char *text, const char *name, long *number)
{
	char *end;

	for (; *name; name++, text++) {
		char a = nti_text_lower(*text), b = nti_text_lower(*name);

		if ((a == '_' ? '.' : a) != (b == '_' ? '.' : b))
			return false;
	}
	*number = -1;
	if (!*text)
		return true;
	if ((*text != '.' && *text != '_') || !nti_text_is_alnum(text[1]))
		return false;
	*number = strtol(text + 1, &end, 0);
	return !*end && *number >= 0;
}

static bool is_of_chip(const struct nti_card_signal *row, const struct nthw_nv_chip *chip)
{
	size_t i;

	for (i = 0; i < nti_card_signal_chip_count; i++)
		if (row->chips >> i & 1 && strcmp(nti_card_signal_chips[i], chip->name) == 0)
			return true;
	return false;
}

static uint32_t refuse(struct parser *p, const char *name)
{
	struct nti_suggest suggest = { .text = name };
	char near[NTI_SUGGEST_BYTES * NTI_SUGGEST_COUNT], chips[160] = "";
	size_t i, used = 0;
	uint32_t has = 0;
	long number;

	for (i = 0; i < nti_card_signal_count; i++) {
		const struct nti_card_signal *row = &nti_card_signals[i];

		if (is_of_chip(row, p->chip))
			nti_suggest_offer(&suggest, row->name);
		has |= is_name(name, row->name, &number) ? row->chips : 0;
	}
	for (i = 0; i < nti_card_signal_chip_count && used < sizeof(chips); i++)
		if (has >> i & 1)
			used += (size_t)snprintf(chips + used, sizeof(chips) - used, "%s%s",
						 used ? ", " : "; it is one of ",
						 nti_card_signal_chips[i]);
	nti_suggest_finish(&suggest, near, sizeof(near));
	p->error = nti_error(p->e, -EINVAL, "event '%s': %s has no signal '%s'%s", p->event,
			     p->chip->name, name, used ? chips : near);
	return 0;
}

/* The argument that is signal @number of @domain: a mask of the rows of the truth table. */
static uint32_t argument(struct parser *p, const char *name, uint32_t domain, uint32_t number)
{
	static const uint32_t tables[NTI_CARD_ARGUMENTS] = { 0xaaaa, 0xcccc, 0xf0f0, 0xff00 };
	unsigned int i;

	if (p->domain >= 0 && (uint32_t)p->domain != domain) {
		p->error = nti_error(
			p->e, -EINVAL,
			"event '%s': %s is of domain %u and %s%sof domain %d: a counter "
			"has signals of one domain",
			p->event, name, domain, p->is_given ? "the term domain " : p->first,
			p->is_given ? "" : " ", p->domain);
		return 0;
	}
	if (p->domain < 0)
		(void)snprintf(p->first, sizeof(p->first), "%s", name);
	p->domain = (int)domain;
	for (i = 0; i < p->signals && p->signal[i] != number; i++)
		;
	if (i == NTI_CARD_ARGUMENTS)
		return give_up(p, "a counter has four signals, and these are more,");
	if (i == p->signals)
		p->signal[p->signals++] = (uint8_t)number;
	return tables[i];
}

/* One of a name that @count signals have: *@number, or -1 of a single one. */
static bool is_in_range(struct parser *p, const char *name, unsigned int count, long *number)
{
	if (count == 1 && *number < 0)
		*number = 0;
	if (*number >= 0 && *number < (long)count)
		return true;
	p->error = nti_error(p->e, -EINVAL, "event '%s': %s has %u signal%s: %s.0 is the first one",
			     p->event, name, count, count == 1 ? "" : "s", name);
	return false;
}

static const char several[] = "several domains have such a signal: say which, as in domain=1,";

static uint32_t take_trailer(struct parser *p, const char *name, bool *is_one)
{
	bool is_g80 = p->chip->family == NTHW_NV_G80;
	size_t i;
	long number;

	for (i = 0; i < NTI_ARRAY_SIZE(trailers); i++) {
		const struct trailer *t = &trailers[i];

		if (!is_name(name, t->name, &number) || (is_g80 && t->not_on_g80))
			continue;
		*is_one = true;
		if (p->domain < 0)
			return give_up(p, several);
		if (!is_in_range(p, t->name, t->count, &number))
			return 0;
		return argument(p, name, (uint32_t)p->domain,
				p->chip->last[p->domain] - t->from_last - (uint32_t)number);
	}
	return 0;
}

/*
 * The row of @name: of the domain that is known, if there is one. *@is_open: of several domains,
 * and nothing says which.
 */
static const struct nti_card_signal *find(const struct parser *p, const char *name, bool *is_open)
{
	const struct nti_card_signal *found = NULL;
	long number;
	size_t i;

	*is_open = false;
	for (i = 0; i < nti_card_signal_count; i++) {
		const struct nti_card_signal *row = &nti_card_signals[i];

		if (!is_name(name, row->name, &number) || !is_of_chip(row, p->chip))
			continue;
		if (row->domain == p->domain)
			return row;
		*is_open = found && p->domain < 0;
		found = found ? found : row;
	}
	return found;
}

static uint32_t take_signal(struct parser *p)
{
	const struct nti_card_signal *row;
	char name[NAME_CHARS];
	size_t length = strspn(p->at, SAME_NAME);
	bool is_trailer = false, is_open;
	uint32_t table;
	long number;

	if (!length || length >= sizeof(name))
		return give_up(p, "the name of a signal is missing");
	(void)snprintf(name, sizeof(name), "%.*s", (int)length, p->at);
	table = take_trailer(p, name, &is_trailer);
	if (!is_trailer) {
		row = find(p, name, &is_open);
		if (!row)
			return refuse(p, name);
		if (is_open)
			return give_up(p, several);
		(void)is_name(name, row->name, &number);
		if (is_in_range(p, row->name, row->count, &number))
			table = argument(p, name, row->domain, row->first + (uint32_t)number);
	}
	p->at += length;
	return table;
}

static uint32_t take_or(struct parser *p);

static uint32_t take_not(struct parser *p)
{
	uint32_t table;
	bool is_not = false;

	while (take(p, '!'))
		is_not = !is_not;
	if (!take(p, '(')) {
		table = p->at[0] == '1' && !nti_text_is_alnum(p->at[1]) ? take(p, '1') * 0xffffu
									: take_signal(p);
		return is_not ? ~table : table;
	}
	if (++p->depth > DEPTH_MAX)
		return give_up(p, "parentheses are too deep");
	table = take_or(p);
	p->depth--;
	if (!p->error && !take(p, ')'))
		return give_up(p, "a ')' is missing");
	return is_not ? ~table : table;
}

static uint32_t take_and(struct parser *p)
{
	uint32_t table = take_not(p);

	while (!p->error && take(p, '&'))
		table &= take_not(p);
	return table;
}

static uint32_t take_or(struct parser *p)
{
	uint32_t table = take_and(p);

	while (!p->error && take(p, '|'))
		table |= take_and(p);
	return table;
}

int nti_card_function_parse(const struct nthw_nv_chip *chip, const char *text, int domain,
			    const char *event, struct nti_card_function *out, struct nti_error *e)
{
	struct parser p = { .chip = chip,
			    .at = text,
			    .event = event,
			    .domain = domain,
			    .is_given = domain >= 0,
			    .e = e };
	unsigned int i;

	if (domain >= NTHW_NV_DOMAINS || (domain >= 0 && !chip->last[domain]))
		return nti_error(e, -EINVAL, "event '%s': %s has no domain %d", event, chip->name,
				 domain);
	out->table = take_or(&p) & 0xffff;
	if (!p.error && next(&p))
		(void)give_up(&p, "something follows that is no operator");
	if (p.error)
		return p.error;
	if (p.domain < 0)
		return nti_error(e, -EINVAL, "event '%s': it has no signal", event);
	out->domain = (uint32_t)p.domain;
	out->src = 0;
	for (i = 0; i < NTI_CARD_ARGUMENTS; i++)
		out->src |=
			(i < p.signals ? p.signal[i] : (uint32_t)nthw_nv_zero(chip, out->domain))
			<< 8 * i;
	return 0;
}
