// SPDX-License-Identifier: MIT
/*
 * How long the planner takes, family by family: share of plans proven minimal, median and maximum
 * of time and of search nodes. Time is CPU time, so that a busy machine does not look like a slow
 * planner. Arguments: rounds a family (default 200), seed (default 1), one family by name.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "count/lib/plan/plan.h"

#define MAX_ROUNDS 100000

/* xorshift64*; the state is never 0. */
static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * 0x2545f4914f6cdd1dull;
}

static unsigned int below(uint64_t *seed, unsigned int n)
{
	return (unsigned int)((random_next(seed) >> 33) % n);
}

static bool chance(uint64_t *seed, unsigned int percent)
{
	return below(seed, 100) < percent;
}

static void want(struct nti_plan_event *event, unsigned int resource, unsigned int value)
{
	for (unsigned int i = 0; i < event->want_count; i++)
		if (event->wants[i].resource == resource)
			return;
	if (event->want_count == NTI_PLAN_MAX_WANTS)
		return;
	event->wants[event->want_count].resource = (uint8_t)resource;
	event->wants[event->want_count].value = value;
	event->want_count++;
}

/* Put runs of 2 to @most events into groups, @percent of the time. */
static void group_runs(uint64_t *seed, struct nti_plan_event *events, size_t n,
		       unsigned int percent, unsigned int most)
{
	uint16_t group = 1;

	for (size_t i = 0; i + 1 < n;) {
		size_t size = 2 + below(seed, most - 1);

		if (!chance(seed, percent)) {
			i++;
			continue;
		}
		for (; size && i < n; size--)
			events[i++].group = group;
		group++;
	}
}

/*
 * An Intel core: @general counters at bits 0.., fixed counters at bits 16-18 that count one event
 * each, which general counters count as well; some events are bound to few counters; two off-core
 * response registers and a latency threshold (Intel SDM vol. 3B, "Performance Monitoring").
 */
static void intel_event(uint64_t *seed, unsigned int general, struct nti_plan_event *event)
{
	uint32_t all = (1u << general) - 1;
	unsigned int kind = below(seed, 100);

	event->counters = all;
	if (kind < 12)
		event->counters = all | 1u << (16 + below(seed, 3));
	else if (kind < 22)
		event->counters = 1u << below(seed, 4);
	else if (kind < 32)
		event->counters = 0x3u << (2 * below(seed, 2));
	else if (kind < 37)
		event->counters = all & 0xf;
	if (kind >= 75 && kind < 95)
		want(event, below(seed, 2), below(seed, 12));
	if (kind >= 95)
		want(event, 2, below(seed, 3));
}

static size_t intel4(uint64_t *seed, struct nti_plan_event *events)
{
	size_t n = 4 + below(seed, 37);

	for (size_t i = 0; i < n; i++)
		intel_event(seed, 4, &events[i]);
	group_runs(seed, events, n, 25, 3);
	return n;
}

static size_t intel8(uint64_t *seed, struct nti_plan_event *events)
{
	size_t n = 8 + below(seed, 57);

	for (size_t i = 0; i < n; i++)
		intel_event(seed, 8, &events[i]);
	group_runs(seed, events, n, 25, 4);
	return n;
}

/*
 * AMD family 17h: six counters, all alike (PPR 54945, "Performance Monitor Counters"), with groups.
 */
static size_t amd6(uint64_t *seed, struct nti_plan_event *events)
{
	size_t n = 6 + below(seed, 59);

	for (size_t i = 0; i < n; i++)
		events[i].counters = 0x3f;
	group_runs(seed, events, n, 50, 6);
	return n;
}

/*
 * A core and eight uncore boxes of four counters with a filter each; an event in a hundred must be
 * alone.
 */
static size_t uncore(uint64_t *seed, struct nti_plan_event *events)
{
	for (size_t i = 0; i < 64; i++) {
		events[i].pmu = (uint16_t)below(seed, 9);
		if (events[i].pmu == 0) {
			intel_event(seed, 8, &events[i]);
			continue;
		}
		events[i].counters = chance(seed, 30) ? 1u << below(seed, 4) : 0xf;
		if (chance(seed, 40))
			want(&events[i], 2u + events[i].pmu, below(seed, 4));
		events[i].is_exclusive = chance(seed, 1);
	}
	group_runs(seed, events, 64, 10, 3);
	return 64;
}

static uint32_t random_mask(uint64_t *seed, unsigned int counters)
{
	uint32_t mask = 1u << below(seed, counters);

	switch (below(seed, 4)) {
	case 0:
		return mask;
	case 1:
		return mask | 1u << below(seed, counters);
	case 2:
		return (mask | (uint32_t)random_next(seed)) & ((1u << counters) - 1);
	default:
		return (1u << counters) - 1;
	}
}

/*
 * The largest PMU promised: 16 counters, 64 events, 16 resources, a third of the events wanting one
 * or two.
 */
static size_t largest(uint64_t *seed, struct nti_plan_event *events)
{
	for (size_t i = 0; i < 64; i++) {
		events[i].counters = random_mask(seed, 16);
		if (chance(seed, 33))
			want(&events[i], below(seed, 16), below(seed, 4));
		if (chance(seed, 15))
			want(&events[i], below(seed, 16), below(seed, 4));
	}
	group_runs(seed, events, 64, 15, 4);
	return 64;
}

/* Every event wants resources and counters are plenty: colouring a random graph. */
static size_t colouring(uint64_t *seed, unsigned int wants, unsigned int values,
			struct nti_plan_event *events)
{
	for (size_t i = 0; i < 64; i++) {
		events[i].counters = 0xffff;
		for (unsigned int w = 0; w < wants; w++)
			want(&events[i], below(seed, 16), below(seed, values));
	}
	return 64;
}

static size_t colour1(uint64_t *seed, struct nti_plan_event *events)
{
	return colouring(seed, 1, 8, events);
}

static size_t colour2(uint64_t *seed, struct nti_plan_event *events)
{
	return colouring(seed, 2, 4, events);
}

static size_t colour4(uint64_t *seed, struct nti_plan_event *events)
{
	return colouring(seed, 4, 3, events);
}

static size_t colour4x2(uint64_t *seed, struct nti_plan_event *events)
{
	return colouring(seed, 4, 2, events);
}

/* Packing bins: groups of 2 to 7 events on 10 counters that are all alike. */
static size_t bins(uint64_t *seed, struct nti_plan_event *events)
{
	for (size_t i = 0; i < 64; i++)
		events[i].counters = 0x3ff;
	group_runs(seed, events, 64, 100, 6);
	return 64;
}

/* Bins with groups over two PMUs, so that both must fit at once. */
static size_t bins2(uint64_t *seed, struct nti_plan_event *events)
{
	for (size_t i = 0; i < 64; i++) {
		events[i].pmu = (uint16_t)below(seed, 2);
		events[i].counters = 0xff;
	}
	group_runs(seed, events, 64, 100, 6);
	return 64;
}

/*
 * Triples that must fill passes of three kinds of counters exactly, the classic hard case of
 * matching in three parts.
 */
static size_t triples(uint64_t *seed, struct nti_plan_event *events)
{
	for (size_t i = 0; i < 63; i++) {
		events[i].counters = 0x3fu << (6 * (i % 3));
		events[i].pmu = 0;
		want(&events[i], (unsigned int)(i % 3), below(seed, 7));
		want(&events[i], 3 + below(seed, 4), below(seed, 3));
	}
	return 63;
}

/* Few counters that few events can use, wants and groups on top. */
static size_t tight(uint64_t *seed, struct nti_plan_event *events)
{
	for (size_t i = 0; i < 64; i++) {
		events[i].counters =
			1u << below(seed, 16) | 1u << below(seed, 16) | 1u << below(seed, 16);
		if (chance(seed, 60))
			want(&events[i], below(seed, 16), below(seed, 3));
		if (chance(seed, 60))
			want(&events[i], below(seed, 16), below(seed, 3));
	}
	group_runs(seed, events, 64, 30, 3);
	return 64;
}

/* Everything at random at once, four PMUs. */
static size_t chaos(uint64_t *seed, struct nti_plan_event *events)
{
	unsigned int counters = 2 + below(seed, 15), resources = 1 + below(seed, 16);
	unsigned int values = 2 + below(seed, 6), wants = below(seed, 5),
		     percent = below(seed, 100);
	unsigned int pmus = 1 + below(seed, 4);

	for (size_t i = 0; i < 64; i++) {
		events[i].pmu = (uint16_t)below(seed, pmus);
		events[i].counters = random_mask(seed, counters);
		for (unsigned int w = 0; w < wants; w++)
			if (chance(seed, percent))
				want(&events[i], below(seed, resources), below(seed, values));
		events[i].is_exclusive = chance(seed, 2);
	}
	group_runs(seed, events, 64, below(seed, 60), 2 + below(seed, 4));
	return 64;
}

static const struct family {
	const char *name, *what;
	size_t (*make)(uint64_t *seed, struct nti_plan_event *events);
} families[] = {
	{ "intel4", "4 + 3 counters, off-core responses, 4-40 events", intel4 },
	{ "intel8", "8 + 3 counters, off-core responses, 8-64 events", intel8 },
	{ "amd6", "6 counters alike, 6-64 events, groups", amd6 },
	{ "uncore", "a core and 8 boxes with filters, 64 events", uncore },
	{ "largest", "16 counters, 16 resources, 64 events", largest },
	{ "colour1", "64 events, one want of 8 values each", colour1 },
	{ "colour2", "64 events, two wants of 4 values each", colour2 },
	{ "colour4", "64 events, four wants of 3 values each", colour4 },
	{ "colour4x2", "64 events, four wants of 2 values each", colour4x2 },
	{ "bins", "groups of 2-7 on 10 counters", bins },
	{ "bins2", "groups of 2-7 over two PMUs of 8", bins2 },
	{ "triples", "63 events in 3 kinds, two wants each", triples },
	{ "tight", "3 of 16 counters each, wants, groups", tight },
	{ "chaos", "random in everything", chaos },
};

struct sample {
	double ms;
	unsigned int nodes, gap;
};

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int compare_numbers(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

/* The next problem of a family that can be planned: random groups may ask for the impossible. */
static size_t next_problem(const struct family *f, uint64_t *seed, struct nti_plan_event *events,
			   struct nti_plan *plan, struct sample *sample)
{
	for (;;) {
		size_t n;
		double start;
		int ret;

		memset(events, 0, NTI_PLAN_MAX_EVENTS * sizeof(*events));
		n = f->make(seed, events);
		start = now_ms();
		ret = nti_plan_make(events, n, NULL, plan, NULL);
		sample->ms = now_ms() - start;
		/* A group that cannot be: take the groups apart one by one. */
		for (unsigned int group = 1; ret == -ENOSPC && group <= NTI_PLAN_MAX_EVENTS;
		     group++) {
			struct nti_plan_event part[NTI_PLAN_MAX_EVENTS];
			size_t count = 0;

			for (size_t i = 0; i < n; i++)
				if (events[i].group == group)
					part[count++] = events[i];
			if (nti_plan_make(part, count, NULL, plan, NULL) == 0)
				continue;
			for (size_t i = 0; i < n; i++)
				if (events[i].group == group)
					events[i].group = 0;
		}
		if (ret == -ENOSPC) {
			start = now_ms();
			ret = nti_plan_make(events, n, NULL, plan, NULL);
			sample->ms = now_ms() - start;
		}
		if (ret == 0)
			return n;
	}
}

static void run_family(const struct family *f, unsigned int rounds, uint64_t seed)
{
	static struct nti_plan_event events[NTI_PLAN_MAX_EVENTS];
	static double ms[MAX_ROUNDS];
	static unsigned int nodes[MAX_ROUNDS];
	unsigned int proven = 0, wrong = 0, gap = 0;
	struct nti_plan plan;

	for (unsigned int i = 0; i < rounds; i++) {
		struct sample sample = { 0 };
		size_t n = next_problem(f, &seed, events, &plan, &sample);

		ms[i] = sample.ms;
		nodes[i] = plan.nodes;
		proven += plan.is_minimal ? 1 : 0;
		wrong += nti_plan_check(events, n, &plan) < 0 ? 1 : 0;
		if (plan.passes - plan.lower > gap)
			gap = plan.passes - plan.lower;
	}
	qsort(ms, rounds, sizeof(ms[0]), compare_doubles);
	qsort(nodes, rounds, sizeof(nodes[0]), compare_numbers);
	printf("%-10s %-48s %7.2f%% %5u %9.3f %9.3f %9.3f %7u %8u\n", f->name, f->what,
	       100.0 * proven / rounds, gap, ms[rounds / 2], ms[rounds * 99ul / 100],
	       ms[rounds - 1], nodes[rounds / 2], nodes[rounds - 1]);
	if (wrong)
		printf("%s: %u plans are WRONG\n", f->name, wrong);
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 0) : 200;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;

	if (rounds < 1 || rounds > MAX_ROUNDS || !seed) {
		fprintf(stderr, "use: %s [ROUNDS (1-%d) [SEED (not 0) [FAMILY]]]\n", argv[0],
			MAX_ROUNDS);
		return 2;
	}
	printf("seed %#" PRIx64 ", %u problems a family\n", seed, rounds);
	printf("%-10s %-48s %8s %5s %9s %9s %9s %7s %8s\n", "family", "problems", "proven", "gap",
	       "median ms", "99% ms", "max ms", "median", "max nodes");
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (argc < 4 || strcmp(argv[3], families[i].name) == 0)
			run_family(&families[i], rounds, seed);
	return 0;
}
