// SPDX-License-Identifier: MIT
/* Trials of a core PMU with known work. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "count/lib/perf/trial.h"
#include "count/lib/perf/work.h"

/*
 * Turns of the loop are of many lengths, so that low bits of a counter change in many ways, and one
 * is long beside what the readings themselves take. Calls come twice, in different numbers: what is
 * the same for each call is the calls'.
 */
#define STEP(what, often)                                                                          \
	{                                                                                          \
		.work = NTI_TRIAL_##what, .amount = (often)                                        \
	}
#define TWIN_TURNS 1000
static const struct nti_trial_step steps[] = {
	/* Nothing: the first call of anything takes longer. */
	STEP(START, 1),	 STEP(NOTHING, 1), STEP(LOOP, 1),	   STEP(LOOP, 301),
	STEP(LOOP, 2),	 STEP(LOOP, 160),  STEP(LOOP, 997),	   STEP(LOOP, 5),
	STEP(LOOP, 707), STEP(LOOP, 13),   STEP(LOOP, 1300),	   STEP(LOOP, 80),
	STEP(LOOP, 37),	 STEP(LOOP, 601),  STEP(LOOP, 4000),	   STEP(CALLS, 24),
	STEP(CALLS, 60), STEP(STOP, 1),	   STEP(LOOP, TWIN_TURNS),
};
/* The first of each kind above; behind the last one. */
enum { LOOPS = 2, CALLS = 15, OFF = 17, STEPS = NTI_ARRAY_SIZE(steps), LOOP_STEPS = CALLS - LOOPS };

/* Somebody may interrupt: it is bad only if it is bad each time. */
#define TRIES 3

/* Interrupts add a few to a step, whose own number is the same each time. */
#define STEP_SLACK 16
#define STEP_SHARE 500
/* A kernel that is counted along with it differs by some each time. */
#define BLIND_SLACK 20000

/*
 * A turn takes no less: two products that wait for each other take 6 cycles on hardware, and an
 * emulator that counts instructions as cycles has 4.
 */
#define LEAST_CYCLES_PER_TURN 1
/* As in count/data/limits; what the system calls take is in it. */
#define MOST_CYCLES_PER_NS 10
/*
 * User mode alone: each interrupt may add an instruction or two of the 16,000 in the longest step,
 * or a branch of the 4,000. Else the kernel is in it.
 */
#define RATIO_EXACT 0.006
#define RATIO_LOW 0.9
#define RATIO_HIGH 1.1
/* What a branch is, is not the same everywhere: calls, exceptions, both of a pair. */
#define BRANCH_RATIO_HIGH 1.6

/* No kernel does a system call in less; user mode has none of it. */
#define KERNEL_PER_CALL 30
#define CALL_SHARE 0.5

/* What a counter may have before the first step: the ends of two system calls. */
#define MOST_BEFORE 1000

#define TWINS_MAX 8

/* Above every clock; a counter that starts late or steps by large numbers stays below. */
#define MAX_CYCLES_PER_NS 100
#define MAX_CYCLES_AT_ONCE 1000000

struct run {
	struct nti_os *os;
	const struct nti_unit *unit;
	const struct nti_work *work;
	struct nti_perf_group group;
	enum nti_trial_event of[NTI_TRIAL_EVENTS]; /* of the members of .group */
	struct nti_perf_reading at[STEPS + 1];
};

uint64_t nti_trial_config(enum nti_trial_event event)
{
	static const uint64_t configs[] = {
		[NTI_TRIAL_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
		[NTI_TRIAL_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
		[NTI_TRIAL_BRANCHES] = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	};

	return configs[event];
}

struct perf_event_attr nti_trial_attr(const struct nti_unit *unit, uint32_t type, uint64_t config,
				      enum nti_trial_mode mode)
{
	return (struct perf_event_attr){
		.type = type,
		.config = config,
		.exclude_user = !unit->is_mode_blind && mode == NTI_TRIAL_IN_KERNEL,
		.exclude_kernel = !unit->is_mode_blind && mode == NTI_TRIAL_IN_USER,
		.exclude_hv = !unit->is_mode_blind,
	};
}

static struct perf_event_attr user_attr(const struct nti_unit *unit, enum nti_trial_event event)
{
	return nti_trial_attr(unit, PERF_TYPE_HARDWARE, nti_trial_config(event), NTI_TRIAL_IN_USER);
}

void nti_trial_group_init(struct nti_perf_group *g)
{
	nti_perf_group_init(g, (struct nti_perf_where){ .pid = 0, .cpu = -1 });
}

static bool do_step(struct nti_os *os, const struct nti_perf_group *g,
		    const struct nti_trial_step *step)
{
	const struct nti_work *work = nti_work_of(os);
	void (*const run[])(struct nti_os *, unsigned long) = {
		[NTI_TRIAL_LOOP] = work->loop,
		[NTI_TRIAL_CALLS] = work->calls,
		[NTI_TRIAL_LOADS] = work->misses,
		[NTI_TRIAL_GUESSES] = work->guesses,
	};

	if (step->work == NTI_TRIAL_START)
		return nti_perf_group_enable(os, g) == 0;
	if (step->work == NTI_TRIAL_STOP)
		return nti_perf_group_disable(os, g) == 0;
	if (step->work == NTI_TRIAL_FILTER)
		return work->filter_run(os, step->filter);
	if (step->work != NTI_TRIAL_NOTHING)
		run[step->work](os, step->amount);
	return true;
}

bool nti_trial_steps(struct nti_os *os, const struct nti_perf_group *g,
		     const struct nti_trial_step *step, size_t n, struct nti_perf_reading *at)
{
	size_t i;

	if (nti_perf_group_read(os, g, &at[0]) < 0)
		return false;
	for (i = 0; i < n; i++)
		if (!do_step(os, g, &step[i]) || nti_perf_group_read(os, g, &at[i + 1]) < 0)
			return false;
	return true;
}

bool nti_trial_least(struct nti_os *os, const struct nti_perf_group *g,
		     const struct nti_trial_step *step, size_t n, unsigned int tries,
		     double (*least)[NTI_TRIAL_MODES])
{
	struct nti_perf_reading at[NTI_TRIAL_LEAST_STEPS + 1];
	unsigned int try;
	size_t i, k;

	for (try = 0; try < tries; try++) {
		if (!nti_trial_steps(os, g, step, n, at))
			return false;
		for (i = 0; i < n; i++) {
			for (k = 0; k < g->count; k++) {
				double change = nti_trial_change(&at[i], &at[i + 1], k);

				least[i][k] = try ? fmin(least[i][k], change) : change;
			}
		}
	}
	return true;
}

double nti_trial_change(const struct nti_perf_reading *from, const struct nti_perf_reading *to,
			size_t k)
{
	return (double)(int64_t)(to->count[k] - from->count[k]);
}

bool nti_trial_is_whole(const struct nti_perf_reading *from, const struct nti_perf_reading *to)
{
	return to->running_ns > from->running_ns &&
	       to->running_ns - from->running_ns >= to->enabled_ns - from->enabled_ns;
}

static void open_events(struct run *r, struct nti_trial *out)
{
	enum nti_trial_event event;
	int ret;

	nti_trial_group_init(&r->group);
	for (event = 0; event < NTI_TRIAL_EVENTS; event++) {
		const struct perf_event_attr attr = user_attr(r->unit, event);

		ret = nti_perf_group_add(r->os, &r->group, &attr);
		if (ret == 0)
			r->of[r->group.count - 1] = event;
		else if (ret == -ENOENT || ret == -EOPNOTSUPP)
			out->event[event] = NTI_TRIAL_REFUSED;
	}
}

/*
 * Each reading is looked at: what a register that reads 0 makes of the number that the driver began
 * with comes at once, and is divided by a long time later, in which a host had other things to do.
 */
static void judge_missing(const struct run *r, struct nti_trial *out)
{
	size_t i;

	if (r->of[0] != NTI_TRIAL_CYCLES || !r->at[STEPS].running_ns)
		return;
	for (i = 0; i <= STEPS && !(out->faults & NTI_TRIAL_MISSING); i++) {
		out->cycles = r->at[i].count[0];
		out->ns = r->at[i].running_ns;
		if ((i == STEPS && !out->cycles) ||
		    (out->cycles > MAX_CYCLES_AT_ONCE && out->cycles / MAX_CYCLES_PER_NS > out->ns))
			out->faults |= NTI_TRIAL_MISSING;
	}
}

/* Counted in step @i by member @k. */
static double step_of(const struct run *r, size_t k, size_t i)
{
	return nti_trial_change(&r->at[i], &r->at[i + 1], k);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What the steps of the loop have beside their turns, and the one in the middle of them. */
static double rests_of(const struct run *r, size_t k, double per_turn, double *rest)
{
	double sorted[LOOP_STEPS];
	size_t i;

	for (i = 0; i < LOOP_STEPS; i++)
		sorted[i] = rest[i] =
			step_of(r, k, LOOPS + i) - per_turn * (double)steps[LOOPS + i].amount;
	qsort(sorted, LOOP_STEPS, sizeof(*sorted), compare);
	return sorted[LOOP_STEPS / 2];
}

/* It is the same each time, or nearly. */
static bool is_rough(const struct run *r, size_t k, double per_turn)
{
	double rest[LOOP_STEPS], middle = rests_of(r, k, per_turn, rest);
	size_t i, far = 0;

	if (!r->unit->is_mode_blind && r->at[LOOPS].count[k] > MOST_BEFORE)
		return true;
	for (i = 0; i < LOOP_STEPS; i++)
		far += fabs(rest[i] - middle) >
		       (r->unit->is_mode_blind ? BLIND_SLACK : STEP_SLACK) +
			       per_turn * (double)steps[LOOPS + i].amount / STEP_SHARE;
	return far > 1;
}

static bool is_rate(const struct run *r, enum nti_trial_event event, double ratio,
		    bool is_user_only)
{
	uint64_t ns = r->at[CALLS].running_ns - r->at[CALLS - 1].running_ns;
	double high = event == NTI_TRIAL_BRANCHES ? BRANCH_RATIO_HIGH : RATIO_HIGH;

	if (event == NTI_TRIAL_CYCLES)
		return ratio < LEAST_CYCLES_PER_TURN ||
		       ratio * (double)steps[CALLS - 1].amount >
			       MOST_CYCLES_PER_NS * ((double)ns + 100);
	if (is_user_only)
		return fabs(ratio - 1) > RATIO_EXACT;
	return ratio < RATIO_LOW || ratio > high;
}

static void judge_event(const struct run *r, size_t k, struct nti_trial *out)
{
	enum nti_trial_event event = r->of[k];
	double rate, per_turn = event == NTI_TRIAL_INSTRUCTIONS ? r->work->turn_instructions : 1;
	bool is_user_only = !r->unit->is_mode_blind && !(out->faults & NTI_TRIAL_UNFILTERED);
	uint32_t *seen = &out->event[event];

	*seen = NTI_TRIAL_TRIED;
	if (r->at[OFF + 1].count[k] == 0) {
		*seen |= NTI_TRIAL_DEAD;
		return;
	}
	if (!r->work->turn_instructions)
		return;
	/* What a turn makes it count: the longest step against the shortest. */
	rate = (step_of(r, k, CALLS - 1) - step_of(r, k, LOOPS)) /
	       (double)(steps[CALLS - 1].amount - steps[LOOPS].amount);
	out->ratio[event] = rate / per_turn;
	if (is_rate(r, event, out->ratio[event], is_user_only))
		*seen |= NTI_TRIAL_RATE;
	/* Cycles follow caches and clocks; and the kernel, which differs, may be in the count. */
	else if (event != NTI_TRIAL_CYCLES && !(out->faults & NTI_TRIAL_UNFILTERED) &&
		 is_rough(r, k, per_turn))
		*seen |= NTI_TRIAL_ROUGH;
}

/* Only what counts instructions can tell the kernel's from others. */
static void judge_filter(const struct run *r, struct nti_trial *out)
{
	double rest[LOOP_STEPS], per_call[OFF - CALLS], middle;
	size_t i, k;

	for (k = 0; k < r->group.count && r->of[k] != NTI_TRIAL_INSTRUCTIONS; k++)
		;
	if (k == r->group.count || r->unit->is_mode_blind || !r->work->turn_instructions)
		return;
	middle = rests_of(r, k, r->work->turn_instructions, rest);
	for (i = CALLS; i < OFF; i++)
		per_call[i - CALLS] = (step_of(r, k, i) - middle) / (double)steps[i].amount -
				      r->work->call_instructions;
	out->per_call = per_call[1];
	if (per_call[0] > KERNEL_PER_CALL && per_call[1] > KERNEL_PER_CALL &&
	    fabs(per_call[0] - per_call[1]) < CALL_SHARE * per_call[1])
		out->faults |= NTI_TRIAL_UNFILTERED;
}

static void judge_stop(const struct run *r, struct nti_trial *out)
{
	size_t k;

	for (k = 0; k < r->group.count; k++)
		if (r->at[STEPS].count[k] != r->at[OFF + 1].count[k])
			out->faults |= NTI_TRIAL_RUNS_ON;
}

static bool try_events(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	struct run r = { .os = os, .unit = unit, .work = nti_work_of(os) };
	bool is_read;
	size_t k;

	*out = (struct nti_trial){ 0 };
	open_events(&r, out);
	is_read = r.group.count && nti_trial_steps(os, &r.group, steps, STEPS, r.at);
	if (is_read)
		judge_missing(&r, out);
	if (is_read && nti_trial_is_whole(&r.at[0], &r.at[STEPS])) {
		judge_stop(&r, out);
		judge_filter(&r, out);
		for (k = 0; k < r.group.count; k++)
			judge_event(&r, k, out);
	} else {
		is_read = out->faults & NTI_TRIAL_MISSING;
	}
	nti_perf_group_fini(os, &r.group);
	return is_read;
}

static const struct nti_trial_step twin_steps[] = { STEP(START, 1), STEP(LOOP, TWIN_TURNS),
						    STEP(STOP, 1) };
enum { TWIN_STEPS = NTI_ARRAY_SIZE(twin_steps) };

/* As many of the same as there are counters; fewer, until they run. @at: before and after it. */
static bool count_twins(struct nti_os *os, const struct nti_unit *unit, struct nti_perf_reading *at)
{
	const struct perf_event_attr attr = user_attr(unit, NTI_TRIAL_INSTRUCTIONS);
	size_t most = unit->counters && unit->counters < TWINS_MAX ? unit->counters : TWINS_MAX;
	struct nti_perf_group g;
	bool is_whole = false;

	nti_trial_group_init(&g);
	while (g.count < most && nti_perf_group_add(os, &g, &attr) == 0)
		;
	for (; g.count > 1; nti_perf_group_drop(os, &g)) {
		/* Time in which a larger group waited in vain is in both. */
		is_whole = nti_trial_steps(os, &g, twin_steps, TWIN_STEPS, at) &&
			   nti_trial_is_whole(&at[0], &at[TWIN_STEPS]);
		if (is_whole)
			break;
	}
	nti_perf_group_fini(os, &g);
	return is_whole;
}

/* Whether they differ. */
static bool try_twins(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	struct nti_perf_reading at[TWIN_STEPS + 1];
	uint64_t count;
	size_t i;

	out->faults &= ~NTI_TRIAL_TWINS;
	if (!count_twins(os, unit, at))
		return false;
	out->twin[0] = UINT64_MAX;
	out->twin[1] = 0;
	for (i = 0; i < at[0].members; i++) {
		count = at[TWIN_STEPS].count[i] - at[0].count[i];
		out->twin[0] = count < out->twin[0] ? count : out->twin[0];
		out->twin[1] = count > out->twin[1] ? count : out->twin[1];
	}
	/* They are switched on one after the other. */
	if (out->twin[1] - out->twin[0] >
	    (unit->is_mode_blind ? BLIND_SLACK : STEP_SLACK) + out->twin[1] / STEP_SHARE)
		out->faults |= NTI_TRIAL_TWINS;
	return out->faults & NTI_TRIAL_TWINS;
}

/* Several turns of each event: the kernel's are 1 to 10 ms long. */
#define ROTATION_NS 120000000u
#define ROTATION_TURNS 20000
#define ROTATION_LOW 0.75
#define ROTATION_HIGH 1.25
#define ROTATED_MAX (2 * TWINS_MAX)

/* Instructions of the work that was done. */
static double work_on(struct nti_os *os)
{
	const struct nti_work *work = nti_work_of(os);
	uint64_t end_ns = os->ops->now_ns(os) + ROTATION_NS;
	double turns = 0;

	while (os->ops->now_ns(os) < end_ns) {
		work->loop(os, ROTATION_TURNS);
		turns += ROTATION_TURNS;
	}
	return turns * work->turn_instructions;
}

static void judge_rotated(struct nti_os *os, const struct nti_perf_group *g, double truth,
			  struct nti_trial *out)
{
	struct nti_perf_reading r;
	double ratio;

	if (nti_perf_group_read(os, g, &r) < 0 || !r.running_ns)
		return;
	ratio = (double)r.count[0] * ((double)r.enabled_ns / (double)r.running_ns) / truth;
	if (fabs(ratio - 1) > fabs(out->rotation - 1))
		out->rotation = ratio;
}

/* Whether estimates are far off. */
static bool try_rotation(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	const struct perf_event_attr attr = user_attr(unit, NTI_TRIAL_INSTRUCTIONS);
	unsigned int counters = unit->counters ? unit->counters : TWINS_MAX / 2;
	size_t most = 2 * counters < ROTATED_MAX ? 2 * counters : ROTATED_MAX, n, i;
	struct nti_perf_group g[ROTATED_MAX];
	double truth;

	out->faults &= ~(NTI_TRIAL_ROTATED | NTI_TRIAL_ROTATION);
	if (unit->is_mode_blind || !nti_work_of(os)->turn_instructions)
		return false;
	out->rotation = 1;
	for (n = 0; n < most; n++) {
		nti_trial_group_init(&g[n]);
		if (nti_perf_group_add(os, &g[n], &attr) < 0)
			break;
	}
	for (i = 0; i < n; i++)
		(void)nti_perf_group_enable(os, &g[i]);
	truth = work_on(os);
	for (i = 0; i < n; i++)
		(void)nti_perf_group_disable(os, &g[i]);
	for (i = 0; i < n; i++) {
		judge_rotated(os, &g[i], truth, out);
		nti_perf_group_fini(os, &g[i]);
	}
	if (n)
		out->faults |= NTI_TRIAL_ROTATED;
	if (out->rotation < ROTATION_LOW || out->rotation > ROTATION_HIGH)
		out->faults |= NTI_TRIAL_ROTATION;
	return out->faults & NTI_TRIAL_ROTATION;
}

/* A host that takes the CPU away in step with the turns does so now, and hardly each time. */
void nti_trial_rotate(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	unsigned int i;

	for (i = 0; i < TRIES && try_rotation(os, unit, out); i++)
		;
}

/* Is there anything in @t that speaks against @unit's counters? */
static bool is_clean(const struct nti_trial *t)
{
	uint32_t bad = t->faults & ~(NTI_TRIAL_ROTATED | NTI_TRIAL_KERNEL_TRIED);
	size_t i;

	for (i = 0; i < NTI_TRIAL_EVENTS; i++)
		bad |= t->event[i] & ~NTI_TRIAL_TRIED;
	return !bad;
}

bool nti_trial_run(struct nti_os *os, const struct nti_unit *unit, struct nti_trial *out)
{
	struct nti_trial now;
	unsigned int i, bad = 0;
	bool is_good = false;

	for (i = 0; i < TRIES && !is_good; i++) {
		if (!try_events(os, unit, &now))
			continue;
		*out = now;
		if (now.faults & NTI_TRIAL_MISSING)
			return true;
		is_good = is_clean(&now);
		bad += !is_good;
	}
	if (!is_good && bad < TRIES) {
		*out = (struct nti_trial){ 0 };
		return false;
	}
	for (i = 0; i < TRIES && try_twins(os, unit, out); i++)
		;
	return true;
}
