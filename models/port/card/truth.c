// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Functions of wires over the stretches of frames. */
#include "models/port/card/truth.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "models/port/card/frames.h"

/* Parentheses in each other; bounds the stack. */
#define DEPTH_MAX 32

/* A function, read again for each stretch: it is short. */
struct reader {
	const char *at;
	uint64_t wires; /* those that are 1 */
	unsigned int depth;
	bool is_bad;
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

static bool read_wire(struct reader *r)
{
	uint32_t wire = 0;
	const struct nthw_nv_wires *unit = nthw_nv_wires_take(r->at, &wire, &r->at);

	if (!unit) {
		r->is_bad = true;
		return false;
	}
	return r->wires & ntm_wire_bit(unit, wire);
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
	if (++r->depth > DEPTH_MAX) {
		r->is_bad = true;
		return false;
	}
	value = read_or(r);
	r->depth--;
	if (!r->is_bad && !take(r, ')'))
		r->is_bad = true;
	return value != is_not;
}

static bool read_and(struct reader *r)
{
	bool value = read_not(r);

	while (!r->is_bad && take(r, '&'))
		value = read_not(r) && value;
	return value;
}

static bool read_or(struct reader *r)
{
	bool value = read_and(r);

	while (!r->is_bad && take(r, '|'))
		value = read_and(r) || value;
	return value;
}

/* -1: @text is no function; then *@at is where. */
static int value_of(const char *text, uint64_t wires, const char **at)
{
	struct reader r = { .at = text, .wires = wires };
	bool value = read_or(&r);

	if (!r.is_bad && take(&r, '\0'))
		return value;
	*at = r.at;
	return -1;
}

/* What a clock adds in which the function is 1. */
static uint64_t amount_of(const char *text, uint64_t wires)
{
	struct reader r = { .at = text, .wires = wires };
	uint64_t amount = 0;

	if (!*text)
		return 1;
	for (unsigned int i = 0; !take(&r, '\0'); i++)
		amount |= (uint64_t)read_wire(&r) << i;
	return amount;
}

static struct ntm_card_event event_of(const char *text)
{
	for (size_t i = 0; i < ntm_card_event_count; i++)
		if (strcmp(ntm_card_events[i].name, text) == 0)
			return ntm_card_events[i];
	return (struct ntm_card_event){ text, text, "" };
}

static int explain(const char *text, const char *at, char *why, size_t bytes)
{
	size_t n = (size_t)snprintf(
		why, bytes,
		"'%.80s' is neither an event nor a function of wires (%s '%.20s'). Events:", text,
		*at ? "not understood from" : "it ends too early at", at);

	for (size_t i = 0; i < ntm_card_event_count && n < bytes; i++)
		n += (size_t)snprintf(why + n, bytes - n, " %s", ntm_card_events[i].name);
	if (n < bytes)
		n += (size_t)snprintf(why + n, bytes - n, "; wires:");
	for (size_t i = 0; i < nthw_nv_wires_count && n < bytes; i++)
		n += (size_t)snprintf(why + n, bytes - n, " %s.0%s%.0d", nthw_nv_wires[i].name,
				      nthw_nv_wires[i].count > 1 ? "-" : "",
				      nthw_nv_wires[i].count - 1);
	return -EINVAL;
}

int ntm_truth(const char *text, uint32_t frames, uint64_t busy, uint64_t *clocks, char *why,
	      size_t bytes)
{
	const struct ntm_card_event event = event_of(text);
	const char *at;
	struct ntm_stretch stretch[NTM_FRAME_STRETCHES_MAX];
	uint64_t wires = ntm_busy_wires(), sum = 0;

	if (value_of(event.function, 0, &at) < 0)
		return explain(text, at, why, bytes);
	for (uint32_t frame = 1; frame <= frames; frame++) {
		size_t n = ntm_frame(frame, stretch);

		for (size_t i = 0; i < n; i++)
			if (value_of(event.function, stretch[i].wires, &at) == 1)
				sum += stretch[i].clocks *
				       amount_of(event.amount, stretch[i].wires);
	}
	if (value_of(event.function, wires, &at) == 1)
		sum += busy * amount_of(event.amount, wires);
	*clocks = sum;
	return 0;
}
