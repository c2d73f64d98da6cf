// SPDX-License-Identifier: MIT
/*
 * How simulated events count: who is on the counters when, and what a stretch of time adds.
 *
 * Time is cut into slices; slice number s begins the list of groups with group s modulo their
 * number and puts groups on the counters until one does not fit, which is what the kernel's
 * rotation of flexible groups amounts to. Over as many slices as there are groups every group runs
 * equally often.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/tests/sim/sim.h"

#define MAX_FIXED 4
/* Between two looks no more than this many slices are walked; a longer pause gets longer slices. */
#define MAX_SLICES 100000

/* Counters in use. */
struct use {
	unsigned int general;
	unsigned int fixed; /* mask */
	bool is_exclusive;
	bool is_any;
};

/*
 * Fixed counter that could take the event, -1 for none. x86: IA32_FIXED_CTR0 instructions, 1
 * cycles, 2 reference cycles, 3 slots (Intel SDM vol. 3B, table 20-2; event codes as in
 * arch/x86/events/intel/core.c). arm64: PMCCNTR_EL0 counts cycles (event 0x11).
 */
static int fixed_of(const struct nti_sim *sim, const struct nti_sim_event *event)
{
	static const uint64_t x86_codes[MAX_FIXED] = { 0xc0, 0x3c, 0x300, 0x400 };
	static const uint64_t x86_generic[3] = { PERF_COUNT_HW_INSTRUCTIONS,
						 PERF_COUNT_HW_CPU_CYCLES,
						 PERF_COUNT_HW_REF_CPU_CYCLES };
	uint64_t config = event->attr.config;
	int i;

	if (event->attr.type == PERF_TYPE_HW_CACHE)
		return -1;
	if (event->attr.type == PERF_TYPE_HARDWARE) {
		config &= UINT32_MAX;
		if (!sim->is_x86)
			return config == PERF_COUNT_HW_CPU_CYCLES ? 0 : -1;
		for (i = 0; i < 3; i++)
			if (x86_generic[i] == config)
				return i;
		return -1;
	}
	if (!sim->is_x86)
		return config == 0x11 ? 0 : -1;
	for (i = 0; i < MAX_FIXED; i++)
		if (x86_codes[i] == config)
			return i;
	return -1;
}

static bool use_event(const struct nti_sim *sim, const struct nti_sim_pmu *pmu,
		      const struct nti_sim_event *event, struct use *use)
{
	int fixed;

	if (event->pmu != pmu || !pmu->is_limited)
		return true;
	fixed = pmu->fixed ? fixed_of(sim, event) : -1;
	if (fixed >= 0 && (unsigned int)fixed < pmu->fixed && !(use->fixed & 1u << fixed)) {
		use->fixed |= 1u << fixed;
		return true;
	}
	/* Reference cycles and slots exist on their fixed counters only. */
	if (fixed >= 2 || use->general >= pmu->general)
		return false;
	use->general++;
	return true;
}

static bool is_active(const struct nti_sim_event *event)
{
	return event->is_enabled && event->leader->is_enabled && !event->leader->is_error;
}

/* Put a group on the counters; @use is changed only when all of it fits. */
static bool use_group(const struct nti_sim *sim, const struct nti_sim_pmu *pmu,
		      const struct nti_sim_event *leader, struct use *use)
{
	const struct nti_sim_event *event;
	struct use wish = *use;

	if (use->is_exclusive || (leader->attr.exclusive && use->is_any))
		return false;
	for (event = leader; event; event = event->next)
		if (event->is_enabled && !use_event(sim, pmu, event, &wish))
			return false;
	wish.is_any = true;
	wish.is_exclusive = leader->attr.exclusive;
	*use = wish;
	return true;
}

/*
 * Arm's drivers leave a leader that waits disabled out of their account (drivers/perf/arm_pmu.c,
 * validate_event()).
 */
static bool is_overlooked(const struct nti_sim_event *leader)
{
	return leader->attr.disabled && !leader->attr.enable_on_exec;
}

bool nti_sim_group_fits(const struct nti_sim *sim, const struct nti_sim_pmu *pmu,
			const struct nti_sim_event *leader, const struct nti_sim_event *more)
{
	const struct nti_sim_event *event;
	struct use use = { 0 };

	for (event = leader; event; event = event->next) {
		if (event == leader && !sim->is_x86 && pmu->kind == NTI_SIM_CORE &&
		    is_overlooked(event))
			continue;
		if (!use_event(sim, pmu, event, &use))
			return false;
	}
	return !more || use_event(sim, pmu, more, &use);
}

/*
 * Integral of (1000 + wobble) over 0..@t, modulo 2^64: 1000 + permille in the first half of each
 * period, 1000 - permille in the second.
 */
static uint64_t weight_at(const struct nti_sim_counting *c, uint64_t t)
{
	uint64_t period = c->wobble_period_ns, half = period / 2, part;
	uint64_t high = 1000 + c->wobble_permille, low = 1000 - c->wobble_permille, sum;

	if (!c->wobble_permille || !period)
		return t * 1000;
	part = t % period;
	sum = (half * high + (period - half) * low) * (t / period);
	return part <= half ? sum + part * high : sum + half * high + (part - half) * low;
}

static void run_group(const struct nti_sim *sim, struct nti_sim_event *leader, uint64_t from,
		      uint64_t to)
{
	uint64_t weight = weight_at(sim->counting, to) - weight_at(sim->counting, from);
	struct nti_sim_event *event;

	for (event = leader; event; event = event->next) {
		if (!is_active(event))
			continue;
		event->running_ns += to - from;
		event->weight += weight;
	}
}

/*
 * Pinned groups come first in every slice; one that does not fit is in error until it is enabled
 * again.
 */
static void run_pinned(const struct nti_sim *sim, struct nti_sim_bank *bank, uint64_t from,
		       uint64_t to, struct use *use)
{
	size_t i;

	for (i = 0; i < bank->count; i++) {
		struct nti_sim_event *leader = bank->leaders[i];

		if (!is_active(leader) || !leader->attr.pinned)
			continue;
		if (use_group(sim, bank->pmu, leader, use))
			run_group(sim, leader, from, to);
		else
			leader->is_error = true;
	}
}

static bool is_flexible(const struct nti_sim_event *leader)
{
	return is_active(leader) && !leader->attr.pinned;
}

static size_t count_flexible(const struct nti_sim_bank *bank)
{
	size_t i, n = 0;

	for (i = 0; i < bank->count; i++)
		n += is_flexible(bank->leaders[i]);
	return n;
}

/* Index of flexible group number @n. */
static size_t nth_flexible(const struct nti_sim_bank *bank, size_t n)
{
	size_t i;

	for (i = 0; i < bank->count; i++)
		if (is_flexible(bank->leaders[i]) && n-- == 0)
			break;
	return i;
}

static void run_flexible(const struct nti_sim *sim, struct nti_sim_bank *bank, uint64_t turn,
			 uint64_t from, uint64_t to, struct use *use)
{
	size_t n = count_flexible(bank), i, k;

	if (!n)
		return;
	i = nth_flexible(bank, (size_t)(turn % n));
	for (k = 0; k < bank->count; k++, i = (i + 1) % bank->count) {
		if (!is_flexible(bank->leaders[i]))
			continue;
		if (!use_group(sim, bank->pmu, bank->leaders[i], use))
			return;
		run_group(sim, bank->leaders[i], from, to);
	}
}

static void run_slice(const struct nti_sim *sim, struct nti_sim_bank *bank, uint64_t turn,
		      uint64_t from, uint64_t to)
{
	struct use use = { 0 };

	run_pinned(sim, bank, from, to, &use);
	run_flexible(sim, bank, turn, from, to, &use);
}

static bool do_all_fit(const struct nti_sim *sim, const struct nti_sim_bank *bank)
{
	struct use use = { 0 };
	size_t i;

	for (i = 0; i < bank->count; i++)
		if (is_active(bank->leaders[i]) &&
		    !use_group(sim, bank->pmu, bank->leaders[i], &use))
			return false;
	return true;
}

static void run_slices(const struct nti_sim *sim, struct nti_sim_bank *bank, uint64_t from,
		       uint64_t to)
{
	uint64_t slice = sim->counting->slice_ns;

	if ((to - from) / slice >= MAX_SLICES)
		slice *= (to - from) / slice / MAX_SLICES + 1;
	while (from < to) {
		uint64_t turn = from / slice, end = (turn + 1) * slice;

		end = end < to ? end : to;
		run_slice(sim, bank, turn, from, end);
		from = end;
	}
}

static void add_enabled(struct nti_sim_bank *bank, uint64_t ns)
{
	struct nti_sim_event *event;
	size_t i;

	for (i = 0; i < bank->count; i++)
		for (event = bank->leaders[i]; event; event = event->next)
			if (is_active(event))
				event->enabled_ns += ns;
}

void nti_sim_advance(const struct nti_sim *sim, struct nti_sim_bank *bank, uint64_t now_ns)
{
	uint64_t from = bank->last_ns;

	if (now_ns <= from)
		return;
	bank->last_ns = now_ns;
	add_enabled(bank, now_ns - from);
	if (do_all_fit(sim, bank))
		run_slice(sim, bank, 0, from, now_ns);
	else
		run_slices(sim, bank, from, now_ns);
}

uint64_t nti_sim_scale(uint64_t number, uint64_t by, uint64_t unit)
{
	uint64_t whole = number / unit, part = number % unit, out = 0, rest = 0;
	int bit;

	/* Bit by bit of @by, with the remainder beside: the product itself needs 128 bits. */
	for (bit = 63; bit >= 0; bit--) {
		uint64_t now = by >> bit & 1;

		rest = 2 * rest + now * part;
		out = 2 * out + now * whole + rest / unit;
		rest %= unit;
	}
	return out;
}

uint64_t nti_sim_count(const struct nti_sim_event *event)
{
	bool is_clock = event->attr.type == PERF_TYPE_SOFTWARE &&
			(event->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
			 event->attr.config == PERF_COUNT_SW_TASK_CLOCK);
	/* rate is per 10^9 ns, weight and share are thousandths */
	const uint64_t scale = UINT64_C(1000000000) * 1000000;

	if (is_clock)
		return event->running_ns - event->base;
	return nti_sim_scale(event->weight, event->rate * event->share_permille, scale) -
	       event->base;
}

struct nti_sim_bank *nti_sim_bank_get(struct nti_sim *sim, const struct nti_sim_pmu *pmu, pid_t pid,
				      int cpu, uint64_t now_ns)
{
	/* Only .pid or .cpu tells most of them apart. */
	size_t slot = ((size_t)(pmu - sim->pmus) * 31 + (unsigned int)pid + (unsigned int)cpu) %
		      NTI_SIM_BANK_SLOTS;
	struct nti_sim_bank *bank;

	for (bank = sim->banks[slot]; bank; bank = bank->next)
		if (bank->pmu == pmu && bank->pid == pid && bank->cpu == cpu)
			return bank;
	bank = calloc(1, sizeof(*bank));
	if (!bank)
		return NULL;
	bank->pmu = pmu;
	bank->pid = pid;
	bank->cpu = cpu;
	bank->last_ns = now_ns;
	bank->next = sim->banks[slot];
	sim->banks[slot] = bank;
	return bank;
}

int nti_sim_bank_reserve(struct nti_sim_bank *bank, size_t more)
{
	size_t room = bank->room ? bank->room : 4;
	struct nti_sim_event **leaders;

	while (room < bank->events + more)
		room *= 2;
	if (room == bank->room)
		return 0;
	leaders = realloc(bank->leaders, room * sizeof(*leaders));
	if (!leaders)
		return -ENOMEM;
	bank->leaders = leaders;
	bank->room = room;
	return 0;
}

void nti_sim_bank_add(struct nti_sim_bank *bank, struct nti_sim_event *leader)
{
	assert(bank->count < bank->room);
	bank->leaders[bank->count++] = leader;
}

void nti_sim_bank_remove(struct nti_sim_bank *bank, struct nti_sim_event *leader)
{
	size_t i;

	for (i = 0; i < bank->count && bank->leaders[i] != leader; i++)
		;
	if (i == bank->count)
		return;
	memmove(&bank->leaders[i], &bank->leaders[i + 1],
		(bank->count - i - 1) * sizeof(struct nti_sim_event *));
	bank->count--;
}
