// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Functions of wires over the stretches of a scene. */
#include "lab/card/truth.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parentheses in each other; bounds the stack. */
#define DEPTH_MAX 32
/* What a counter can add in a clock. */
#define AMOUNT_BITS 6

/* A function, read again for each stretch: it is short. */
struct reader {
	const char *at;
	const struct nthw_nv_chip *chip;
	uint32_t mps; /* of the board */
	const struct ntm_stretch *stretch;
	int domain; /* that of all its wires; negative: none yet */
	unsigned int depth;
	const char *bad; /* NULL: nothing is */
};

static bool read_or(struct reader *r);

static bool take(struct reader *r, char c)
{
	r->at += strspn(r->at, " \t");
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool give_up(struct reader *r, const char *why)
{
	if (!r->bad)
		r->bad = why;
	return false;
}

static bool is_of_mps(const char *text)
{
	return strncmp(text, "mp", 2) == 0;
}

static bool read_wire(struct reader *r)
{
	struct ntm_wire wire = { .domain = 3 };
	struct ntm_mp_signal signal;
	const char *why, *begin;

	r->at += strspn(r->at, " \t");
	begin = r->at;
	if (is_of_mps(begin))
		why = ntm_mp_take(r->at, r->chip, &signal, &r->at);
	else
		why = *r->at ? ntm_wire_take(r->at, r->chip, &wire, &r->at) : "it ends too early";
	if (why)
		return give_up(r, why);
	if (r->domain >= 0 && (uint32_t)r->domain != wire.domain) {
		r->at = begin;
		return give_up(r, "its wires are of different domains");
	}
	r->domain = (int)wire.domain;
	if (is_of_mps(begin))
		return ntm_mp_high(&signal, r->stretch, r->mps) != 0;
	return ntm_wire_is_high(&wire, r->chip, r->stretch);
}

static bool read_not(struct reader *r)
{
	bool is_not = false, value;

	while (take(r, '!'))
		is_not = !is_not;
	if (take(r, '1'))
		return !is_not;
	if (!take(r, '('))
		return read_wire(r) != is_not;
	if (++r->depth > DEPTH_MAX)
		return give_up(r, "parentheses are too deep");
	value = read_or(r);
	r->depth--;
	if (!r->bad && !take(r, ')'))
		return give_up(r, "a ')' is missing");
	return value != is_not;
}

static bool read_and(struct reader *r)
{
	bool value = read_not(r);

	while (!r->bad && take(r, '&'))
		value = read_not(r) && value;
	return value;
}

static bool read_or(struct reader *r)
{
	bool value = read_and(r);

	while (!r->bad && take(r, '|'))
		value = read_and(r) || value;
	return value;
}

/* "d1:", which may stand before a function. */
static void read_domain(struct reader *r)
{
	r->at += strspn(r->at, " \t");
	if (r->at[0] != 'd' || r->at[1] < '0' || r->at[1] > '9' || r->at[2] != ':')
		return;
	r->domain = r->at[1] - '0';
	if (r->domain >= NTHW_NV_DOMAINS || !r->chip->last[r->domain])
		(void)give_up(r, "the chip has no such domain");
	r->at += 3;
}

/* "; amount zcull_in.0 zcull_in.1", the lowest bit first: what a clock adds; 1 without. */
static uint64_t read_amount(struct reader *r)
{
	static const char word[] = "amount";
	uint64_t amount = 0;
	unsigned int bits;

	if (!take(r, ';'))
		return 1;
	r->at += strspn(r->at, " \t");
	if (strncmp(r->at, word, strlen(word)) != 0 ||
	    (r->at[strlen(word)] && !strchr(" \t", r->at[strlen(word)]))) {
		(void)give_up(r, "'amount' and its wires are missing behind ';'");
		return 0;
	}
	r->at += strlen(word);
	for (bits = 0; !r->bad && *(r->at += strspn(r->at, " \t")); bits++) {
		if (bits == AMOUNT_BITS)
			(void)give_up(r, "an amount has six bits, and these are more");
		else
			amount |= (uint64_t)read_wire(r) << bits;
	}
	if (!bits)
		(void)give_up(r, "'amount' is followed by no wire");
	return amount;
}

/* What a clock of r->stretch adds. */
static uint64_t read_text(struct reader *r)
{
	uint64_t amount;
	bool value;

	read_domain(r);
	value = read_or(r);
	amount = r->bad ? 0 : read_amount(r);
	if (!r->bad && !take(r, '\0'))
		(void)give_up(r, "something follows that is no operator");
	return value ? amount : 0;
}

static bool has_event(const struct nthw_nv_chip *chip, const struct ntm_card_event *event)
{
	return event->families >> chip->family & 1;
}

/* The function of @event, of which *@memory is freed; NULL: memory is short. */
static const char *function_of(const struct ntm_card_event *event, char **memory)
{
	*memory = NULL;
	if (!*event->amount)
		return event->function;
	if (asprintf(memory, "%s; amount %s", event->function, event->amount) < 0)
		*memory = NULL;
	return *memory;
}

static bool is_repeated(size_t i)
{
	const struct ntm_card_event *e = &ntm_card_events[i];

	return i && e[-1].families == e->families && strcmp(e[-1].name, e->name) == 0;
}

static int explain(const char *text, const struct reader *r, char *why, size_t bytes)
{
	size_t n = (size_t)snprintf(why, bytes,
				    "'%.80s' is neither an event nor a function of wires: %s at "
				    "'%.20s'. Events:",
				    text, r->bad, r->at);

	for (size_t i = 0; i < ntm_card_event_count && n < bytes; i++)
		n += !has_event(r->chip, &ntm_card_events[i]) || is_repeated(i)
			     ? 0
			     : (size_t)snprintf(why + n, bytes - n, " %s", ntm_card_events[i].name);
	if (n < bytes)
		n += (size_t)snprintf(why + n, bytes - n,
				      "; mp.EVENT of those in a context; wires:");
	for (size_t i = 0; i < nthw_nv_wires_count && n < bytes; i++)
		n += (size_t)snprintf(why + n, bytes - n, " %s.0%s%.0d", nthw_nv_wires[i].name,
				      nthw_nv_wires[i].count > 1 ? "-" : "",
				      nthw_nv_wires[i].count - 1);
	return -EINVAL;
}

struct sum {
	const char *text, *context, *only; /* NULL: all contexts */
	const struct nthw_nv_chip *chip;
	uint32_t mps;
	uint64_t sum;
};

static void add(void *arg, const struct ntm_stretch *stretch)
{
	struct sum *s = arg;
	struct reader r = {
		.at = s->text, .chip = s->chip, .mps = s->mps, .stretch = stretch, .domain = -1
	};
	const char *end, *context = *stretch->context ? stretch->context : s->context;
	struct ntm_mp_signal signal;

	if (s->only && strcmp(s->only, context) != 0)
		return;
	if (is_of_mps(s->text) && !ntm_mp_take(s->text, s->chip, &signal, &end) && !*end)
		s->sum += stretch->clocks *
			  (uint64_t)__builtin_popcount(ntm_mp_high(&signal, stretch, s->mps));
	else
		s->sum += stretch->clocks * read_text(&r);
}

static int sum_up(const char *text, const struct ntm_scene *scene, struct sum s, uint32_t first,
		  uint32_t last, uint64_t busy, uint64_t *clocks, char *why, size_t bytes)
{
	const struct ntm_stretch stretch = ntm_scene_busy(busy);
	struct reader r = { .at = text, .chip = s.chip, .stretch = &stretch, .domain = -1 };

	s.text = text;

	(void)read_text(&r);
	if (r.bad)
		return explain(text, &r, why, bytes);
	for (uint32_t frame = first; frame <= last; frame++)
		ntm_scene_frame(scene, frame, add, &s);
	add(&s, &stretch);
	*clocks += s.sum;
	return 0;
}

/* "EVENT in NAME": both apart, in @memory, without blanks around the first. */
static void split(char *memory, const char **only)
{
	static const char in[] = " in ";
	char *at = strstr(memory, in);
	size_t n;

	*only = at ? at + strlen(in) : NULL;
	if (at)
		*at = '\0';
	n = strspn(memory, " \t");
	memmove(memory, memory + n, strlen(memory + n) + 1);
	for (n = strlen(memory); n && strchr(" \t", memory[n - 1]); n--)
		memory[n - 1] = '\0';
}

int ntm_truth(const char *whole, const struct ntm_scene *scene, const char *context, uint32_t first,
	      uint32_t last, uint64_t busy, uint64_t *clocks, char *why, size_t bytes)
{
	const struct ntm_card_event *event = ntm_card_events;
	char *text = strdup(whole);
	struct sum s = { .context = context,
			 .chip = ntm_scene_chip(scene),
			 .mps = ntm_scene_mps(scene) };
	bool is_event = false;
	int ret = 0;

	*clocks = 0;
	if (!text)
		return -ENOMEM;
	split(text, &s.only);
	for (; ret == 0 && event < ntm_card_events + ntm_card_event_count; event++) {
		const char *function;
		char *memory;

		if (!has_event(ntm_scene_chip(scene), event) || strcmp(event->name, text) != 0)
			continue;
		is_event = true;
		function = function_of(event, &memory);
		ret = function ? sum_up(function, scene, s, first, last, busy, clocks, why, bytes)
			       : -ENOMEM;
		free(memory);
	}
	if (!is_event)
		ret = sum_up(text, scene, s, first, last, busy, clocks, why, bytes);
	free(text);
	return ret;
}
