// SPDX-License-Identifier: MIT
/*
 * A trial of the kernel's part of counts. Nobody knows how many instructions a system call takes,
 * so three things are looked at that hold whatever it takes:
 *
 * - an event in both modes is that of user mode and that of the kernel;
 * - cycles go on as fast in the kernel as in user mode;
 * - of two filters of packets the longer one takes so many instructions and branches more.
 */
#include <math.h>

#include "count/lib/perf/trial.h"
#include "count/lib/perf/work.h"

/* Somebody may interrupt, and clocks change: it is bad only if it is bad each time. */
#define TRIES 3

/* Loop and calls take some 10 microseconds and more each. Readings are numbered as they end. */
enum { BEGIN, ON, NOTHING, LOOP, CALLS };
static const struct nti_trial_step steps[CALLS] = {
	{ .work = NTI_TRIAL_START },
	{ .work = NTI_TRIAL_NOTHING },
	{ .work = NTI_TRIAL_LOOP, .amount = 4000 },
	{ .work = NTI_TRIAL_CALLS, .amount = 200 },
};

/*
 * The members of a group are read one after the other, in the kernel, each time by the same
 * instructions. A quarter of what the system calls took, and some more.
 */
#define SUM_SHARE 0.25
#define SUM_SLACK 500

/* Of two, one and the other one's half are far. Cycles: the kernel's clock is the same. */
#define CYCLES_HIGH 1.4
#define RATES 9
/* Of the time between two readings; less is lost in what one reading takes more than another. */
#define LEAST_WORK 0.5
#define INSTRUCTIONS_HIGH 1.4
/* From there on it is a kernel that interprets filters: nothing is known then. */
#define INTERPRETED 3
#define BRANCHES_HIGH 1.4
/* Nothing makes a filter shorter; an interrupt in each run of the shorter one would. */
#define FILTER_LOW 0.7

/* Turns of the filters; how often each is run: the least of them has no interrupt in it. */
static const unsigned int filter_turns[] = { 8, 264 };
enum { FILTERS = 2, RUNS = 8 };

/* What one event did: @members of enum nti_trial_mode; @run: of filters, if @has_run. */
struct seen {
	size_t members;
	struct nti_perf_reading at[CALLS + 1];
	double run[FILTERS][NTI_TRIAL_MODES];
	bool has_run;
};

struct run {
	struct nti_os *os;
	const struct nti_unit *unit;
	const struct nti_work *work;
	struct nti_filter filter[FILTERS];
	bool has_filters;
	struct seen seen[NTI_TRIAL_EVENTS];
};

static void open_filters(struct run *r)
{
	if (!r->work->filter_instructions ||
	    r->work->filter_open(r->os, &r->filter[0], filter_turns[0]) < 0)
		return;
	r->has_filters = r->work->filter_open(r->os, &r->filter[1], filter_turns[1]) == 0;
	if (!r->has_filters)
		r->work->filter_close(r->os, &r->filter[0]);
}

static void close_filters(struct run *r)
{
	size_t i;

	for (i = 0; r->has_filters && i < FILTERS; i++)
		r->work->filter_close(r->os, &r->filter[i]);
}

/* As many of an event's modes as fit: the first one is enough for the clock and for filters. */
static bool open_group(struct run *r, enum nti_trial_event event, struct nti_perf_group *g)
{
	size_t mode, modes = r->unit->is_mode_blind ? 1 : NTI_TRIAL_MODES;

	nti_trial_group_init(g);
	for (mode = 0; mode < modes; mode++) {
		const struct perf_event_attr attr =
			nti_trial_attr(r->unit, PERF_TYPE_HARDWARE, nti_trial_config(event), mode);

		if (nti_perf_group_add(r->os, g, &attr) < 0)
			break;
	}
	return g->count;
}

/* False: it could not be found out. */
static bool count_event(struct run *r, enum nti_trial_event event, bool has_filters)
{
	const struct nti_trial_step filters[FILTERS] = {
		{ .work = NTI_TRIAL_FILTER, .filter = &r->filter[0] },
		{ .work = NTI_TRIAL_FILTER, .filter = &r->filter[1] },
	};
	struct seen *s = &r->seen[event];
	struct nti_perf_group g;

	*s = (struct seen){ 0 };
	if (open_group(r, event, &g) && nti_trial_steps(r->os, &g, steps, CALLS, s->at)) {
		s->has_run =
			has_filters && nti_trial_least(r->os, &g, filters, FILTERS, RUNS, s->run);
		if (nti_trial_is_whole(&s->at[BEGIN], &s->at[CALLS]))
			s->members = g.count;
	}
	nti_perf_group_fini(r->os, &g);
	return s->members;
}

/* What is found is kept if it is farther from 1 than what was found before. */
static void keep(struct nti_trial *out, double ratio)
{
	if (fabs(ratio - 1) > fabs(out->kernel - 1))
		out->kernel = ratio;
}

static void judge_sum(const struct seen *s, struct nti_trial *out)
{
	double kernel, rest;

	/* Nor can a counter that does not know modes, or that counts one of several, add them. */
	if (s->members != NTI_TRIAL_MODES || out->faults & (NTI_TRIAL_UNFILTERED | NTI_TRIAL_TWINS))
		return;
	kernel = nti_trial_change(&s->at[LOOP], &s->at[CALLS], NTI_TRIAL_IN_KERNEL);
	rest = nti_trial_change(&s->at[LOOP], &s->at[CALLS], NTI_TRIAL_IN_BOTH) -
	       nti_trial_change(&s->at[LOOP], &s->at[CALLS], NTI_TRIAL_IN_USER);
	if (kernel <= 0)
		return;
	keep(out, rest / kernel);
	if (fabs(rest - kernel) > SUM_SHARE * kernel + SUM_SLACK)
		out->faults |= NTI_TRIAL_KERNEL;
}

/*
 * Cycles a nanosecond of the step that ends with reading @i, without what a reading takes: in a
 * virtual machine the host does a part of it, and counts no cycles of the guest then. 0: not known.
 */
static double rate(const struct seen *s, size_t i)
{
	double reading_ns = (double)(int64_t)(s->at[NOTHING].running_ns - s->at[ON].running_ns);
	double ns = (double)(int64_t)(s->at[i].running_ns - s->at[i - 1].running_ns);

	if (ns - reading_ns <= ns * LEAST_WORK)
		return 0;
	return (nti_trial_change(&s->at[i - 1], &s->at[i], 0) -
		nti_trial_change(&s->at[ON], &s->at[NOTHING], 0)) /
	       (ns - reading_ns);
}

/*
 * A clock that changes between the two, and a host that takes time away, are rare: it is bad if
 * most are. What is kept is the least of those.
 */
static void judge_rates(struct run *r, struct nti_trial *out)
{
	double least = INFINITY;
	size_t i, n = 0, high = 0;

	for (i = 0; i < RATES && count_event(r, NTI_TRIAL_CYCLES, false); i++) {
		const struct seen *s = &r->seen[NTI_TRIAL_CYCLES];
		double loop = rate(s, LOOP), calls = rate(s, CALLS);
		/* Of the calls by that of the loop before them; 0: not known. */
		double ratio = loop > 0 && calls > 0 ? calls / loop : 0;

		n += ratio > 0;
		if (ratio <= CYCLES_HIGH)
			continue;
		high++;
		least = fmin(least, ratio);
	}
	if (high <= n / 2 || n <= RATES / 2)
		return;
	keep(out, least);
	out->faults |= NTI_TRIAL_KERNEL;
}

/* By what was to be counted; less than 0: it is not known. */
static double filter_ratio(const struct seen *s, size_t k, unsigned int per_turn)
{
	if (!s->has_run || k >= s->members)
		return -1;
	return (s->run[1][k] - s->run[0][k]) /
	       ((double)(filter_turns[1] - filter_turns[0]) * per_turn);
}

static void judge_filters(const struct run *r, struct nti_trial *out)
{
	const struct seen *instructions = &r->seen[NTI_TRIAL_INSTRUCTIONS];
	const struct seen *branches = &r->seen[NTI_TRIAL_BRANCHES];
	/* In user mode it may count both of a pair. */
	double per_branch = fmax(out->ratio[NTI_TRIAL_BRANCHES], 1);
	size_t k;

	for (k = NTI_TRIAL_IN_BOTH; k <= NTI_TRIAL_IN_KERNEL; k++) {
		double i = filter_ratio(instructions, k, r->work->filter_instructions);
		double b = filter_ratio(branches, k, r->work->filter_branches) / per_branch;

		if (i < 0 || i > INTERPRETED)
			continue;
		keep(out, i);
		if (i > INSTRUCTIONS_HIGH || i < FILTER_LOW)
			out->faults |= NTI_TRIAL_KERNEL;
		if (b < 0)
			continue;
		keep(out, b);
		if (b > BRANCHES_HIGH || b < FILTER_LOW)
			out->faults |= NTI_TRIAL_KERNEL;
	}
}

/* False: no event could be looked at. */
static bool try_kernel(struct run *r, struct nti_trial *out)
{
	enum nti_trial_event event;
	bool has_seen = false;

	out->faults &= ~NTI_TRIAL_KERNEL;
	out->kernel = 1;
	for (event = 0; event < NTI_TRIAL_EVENTS; event++) {
		r->seen[event].members = 0;
		r->seen[event].has_run = false;
		/* What is wrong in user mode says nothing about the kernel's part. */
		if (out->event[event] != NTI_TRIAL_TRIED || !count_event(r, event, r->has_filters))
			continue;
		judge_sum(&r->seen[event], out);
		has_seen = true;
	}
	judge_filters(r, out);
	if (out->event[NTI_TRIAL_CYCLES] == NTI_TRIAL_TRIED)
		judge_rates(r, out);
	return has_seen;
}

void nti_trial_kernel(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	struct run r = { .os = os, .unit = unit, .work = nti_work_of(os) };
	bool is_tried = false;
	unsigned int i;

	open_filters(&r);
	for (i = 0; i < TRIES; i++) {
		is_tried = try_kernel(&r, out);
		if (!(out->faults & NTI_TRIAL_KERNEL))
			break;
	}
	/* Once bad and then not to be tried any more is not known. */
	if (is_tried)
		out->faults |= NTI_TRIAL_KERNEL_TRIED;
	close_filters(&r);
}
