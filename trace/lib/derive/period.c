// SPDX-License-Identifier: MIT
/*
 * Which clocks a count has: reads of a domain's counters, cut into periods.
 *
 * Registers hold the counts of the period that ended last. A trigger and an acknowledge in the
 * trace end a stretch of reads; in a stretch the chip may end periods by itself, and nothing but
 * the values shows where. Reads may be in any order. Of a reader it is taken for granted that
 *
 * - in all periods of a stretch it reads the same counters, each once or more often, or
 * - it reads each of them once a period, always in the same order, and is stopped in the middle of
 *   the last one.
 *
 *     read       C1 E1 C2 E2 C3 E3	CYCLES and EVENT of periods 1, 2, 3
 *     cut      |C1 E1|C2 E2|C3 E3|	not C1|E1 C2|...: the first period would lack EVENT
 *
 * All ways to cut a stretch so are looked at. A count has the clocks that it has in all of them; if
 * two differ it has none, for a wrong rate is worse than none. Each counter once a period has one
 * way only, whatever the order, unless clocks of two periods are equal by chance.
 */
#include <string.h>

#include "trace/lib/derive/state.h"

/* Bits of a mask of counters, the slots and CYCLES. */
#define BIT(counter) (1u << (counter))

struct period {
	uint32_t mask; /* counters that were read */
	uint32_t value[NTI_SLOT_CYCLES + 1];
};

/* What is known of the clocks of one read. */
struct answer {
	bool is_there;
	uint64_t clocks;
};

struct cutting {
	const struct nti_derive_read *read;
	uint32_t n, mask;
	bool is_open; /* the last period may lack counters */
	/* Before read i: the reads before it, and those from it on, can be cut into periods. */
	bool head[NTI_DERIVE_READS + 1], tail[NTI_DERIVE_READS + 1];
	struct answer answer[NTI_DERIVE_READS];
};

/* False: a period has one value of a counter, so this is a read of the next one. */
static bool period_add(struct period *p, const struct nti_derive_read *r)
{
	if (p->mask & BIT(r->counter) && p->value[r->counter] != r->value)
		return false;
	p->mask |= BIT(r->counter);
	p->value[r->counter] = r->value;
	return true;
}

/* May a period end before read @end? */
static bool is_period(const struct cutting *c, const struct period *p, uint32_t end)
{
	return p->mask == c->mask || (c->is_open && end == c->n);
}

/* Which periods begin at read @first: cuts behind it that they allow. */
static void find_heads(struct cutting *c, uint32_t first)
{
	struct period p = { 0 };

	for (uint32_t i = first; i < c->n && period_add(&p, &c->read[i]); i++)
		c->head[i + 1] |= is_period(c, &p, i + 1);
}

static bool has_tail(const struct cutting *c, uint32_t first)
{
	struct period p = { 0 };

	for (uint32_t i = first; i < c->n && period_add(&p, &c->read[i]); i++)
		if (c->tail[i + 1] && is_period(c, &p, i + 1))
			return true;
	return false;
}

static void answer_period(struct cutting *c, const struct period *p, uint32_t first, uint32_t end)
{
	uint64_t clocks = p->mask & BIT(NTI_SLOT_CYCLES) ? p->value[NTI_SLOT_CYCLES]
							 : NTIME_DERIVED_NO_CLOCKS;

	for (uint32_t i = first; i < end; i++) {
		struct answer *a = &c->answer[i];

		a->clocks = a->is_there && a->clocks != clocks ? NTIME_DERIVED_NO_CLOCKS : clocks;
		a->is_there = true;
	}
}

/* The longest of the periods that begin at @first: the others have its clocks. */
static void answer_longest(struct cutting *c, uint32_t first)
{
	struct period p = { 0 }, longest = { 0 };
	uint32_t end = first;

	for (uint32_t i = first; i < c->n && period_add(&p, &c->read[i]); i++)
		if (c->tail[i + 1] && is_period(c, &p, i + 1)) {
			longest = p;
			end = i + 1;
		}
	answer_period(c, &longest, first, end);
}

/* Add what all ways to cut have in common. False: there is none. */
static bool cut_all_ways(struct cutting *c, bool is_open)
{
	c->is_open = is_open;
	memset(c->head, 0, sizeof(c->head));
	memset(c->tail, 0, sizeof(c->tail));
	c->head[0] = c->tail[c->n] = true;
	for (uint32_t i = 0; i < c->n; i++)
		if (c->head[i])
			find_heads(c, i);
	for (uint32_t i = c->n; i-- > 0;)
		c->tail[i] = has_tail(c, i);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->head[i] && c->tail[i])
			answer_longest(c, i);
	return c->tail[0];
}

/* Where the period ends that begins at @first, if each counter is read once. */
static uint32_t find_again(const struct cutting *c, uint32_t first, struct period *p)
{
	uint32_t i = first;

	*p = (struct period){ 0 };
	while (i < c->n && !(p->mask & BIT(c->read[i].counter)))
		(void)period_add(p, &c->read[i++]);
	return i;
}

/* Is the period of reads @first to @end, which may be cut off, in the order of the first one? */
static bool is_in_order(const struct cutting *c, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (c->read[i].counter != c->read[i - first].counter)
			return false;
	return true;
}

/* The same of a reader that reads each counter once and is stopped: one way at most. */
static bool cut_once(struct cutting *c, bool is_ordered)
{
	struct period p;
	uint32_t end;

	for (uint32_t first = 0; first < c->n; first = end) {
		end = find_again(c, first, &p);
		if ((end < c->n && p.mask != c->mask) ||
		    (is_ordered && !is_in_order(c, first, end)))
			return false;
	}
	for (uint32_t first = 0; first < c->n; first = end) {
		end = find_again(c, first, &p);
		answer_period(c, &p, first, end);
	}
	return true;
}

/*
 * Where no way leads to whole periods, a reader that leaves some counters out now and then looks
 * like one that was stopped, but for the order.
 */
static void cut(struct cutting *c, bool is_full)
{
	if (is_full)
		/* its end is ours: the last period may lack anything */
		(void)cut_all_ways(c, true);
	else
		(void)cut_once(c, !cut_all_ways(c, false));
}

void nti_derive_reads_add(struct nti_derive_reads *reads, unsigned int counter, uint32_t value,
			  uint64_t nth)
{
	reads->is_full |= reads->n == NTI_DERIVE_READS;
	if (!reads->is_full)
		reads->read[reads->n++] = (struct nti_derive_read){ nth, value, counter };
}

/* Tallies have no clocks but those that are found here. */
void nti_derive_reads_end(struct nti_derive_reads *reads, struct nti_derive_tally *tally)
{
	struct cutting c = { .read = reads->read, .n = reads->n };

	if (!reads->n)
		return;
	for (uint32_t i = 0; i < c.n; i++)
		c.mask |= BIT(c.read[i].counter);
	if (c.mask & BIT(NTI_SLOT_CYCLES) && c.mask != BIT(NTI_SLOT_CYCLES)) {
		cut(&c, reads->is_full);
		for (uint32_t i = 0; i < c.n; i++)
			if (c.answer[i].is_there && c.read[i].counter != NTI_SLOT_CYCLES)
				nti_derive_tally_clock(&tally[c.read[i].counter], c.read[i].nth,
						       c.answer[i].clocks);
	}
	reads->n = 0;
	reads->is_full = false;
}
