// SPDX-License-Identifier: MIT
/* Counting with core PMUs that we program ourselves. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/backend/core.h"
#include "lib/backend/core_hw.h"

/*
 * No processor counts faster: 8 events a cycle at 4 GHz. Only what this bound excludes is excluded; a generous one makes a count unsure a
 * little earlier, a tight one could make it wrong.
 */
#define EVENTS_PER_NS 32

struct member {
	struct nti_code code;
	uint64_t seats;
	unsigned int seat;
	uint64_t done;	  /* what the register does not show any more: wraps, earlier turns */
	uint64_t raw;	  /* as last looked at */
	uint64_t mark_ns; /* before that look: no overflow was unaccounted for */
	bool is_unsure;
};

struct nti_core_group {
	struct nti_core *core;
	unsigned int cpu; /* index in core->cpu */
	struct nti_core_group *next;
	struct member member[NTI_CORE_SEATS];
	size_t count;
	bool is_enabled;
	uint64_t enabled_at, enabled_ns, begun_at, running_ns;
};

struct cpu {
	struct nti_core_hw hw;
	struct nti_core_group *first; /* its groups, as they were made */
	struct nti_core_group *on;    /* whose events the counters have */
	bool is_counting;
};

struct nti_core {
	struct nti_os *os;
	struct nti_ntimefs *fs;
	/* Over everything below: readers call from any thread, also while the session is read. */
	pthread_mutex_t lock;
	/*
	 * A forked child has a copy of this and the same registers: it may look at them, and neither write nor believe a copy that was made in
	 * the middle of a change.
	 */
	pid_t owner;
	bool is_changing;
	struct cpu *cpu;
	size_t cpus;
};

static uint64_t now_ns(const struct nti_core *core)
{
	return core->os->ops->now_ns(core->os);
}

static bool is_child(const struct nti_core *core)
{
	return core->owner != getpid();
}

static void lock(struct nti_core *core)
{
	(void)pthread_mutex_lock(&core->lock);
	__atomic_store_n(&core->is_changing, true, __ATOMIC_SEQ_CST);
}

static void unlock(struct nti_core *core)
{
	__atomic_store_n(&core->is_changing, false, __ATOMIC_SEQ_CST);
	(void)pthread_mutex_unlock(&core->lock);
}

static struct cpu *cpu_of(const struct nti_core_group *g)
{
	return &g->core->cpu[g->cpu];
}

static bool is_on(const struct nti_core_group *g)
{
	return cpu_of(g)->on == g;
}

static bool is_counting(const struct nti_core_group *g)
{
	return is_on(g) && cpu_of(g)->is_counting;
}

int nti_core_new(struct nti_os *os, struct nti_core **out)
{
	struct nti_core *core = calloc(1, sizeof(*core));
	int ret;

	*out = NULL;
	if (!core)
		return -ENOMEM;
	core->os = os;
	core->owner = getpid();
	ret = nti_ntimefs_new(os, &core->fs);
	if (ret == 0)
		ret = -pthread_mutex_init(&core->lock, NULL);
	if (ret < 0) {
		nti_ntimefs_free(core->fs);
		free(core);
		return ret;
	}
	*out = core;
	return 0;
}

void nti_core_free(struct nti_core *core)
{
	size_t i;

	if (!core)
		return;
	/* Stopped before the registers are put back, which is done one after the other. */
	for (i = 0; i < core->cpus && !is_child(core); i++)
		nti_core_hw_release(&core->cpu[i].hw);
	nti_ntimefs_free(core->fs);
	(void)pthread_mutex_destroy(&core->lock);
	free(core->cpu);
	free(core);
}

static struct cpu *find_cpu(const struct nti_core *core, unsigned int number)
{
	size_t i;

	for (i = 0; i < core->cpus; i++) {
		if (core->cpu[i].hw.cpu == number)
			return &core->cpu[i];
	}
	return NULL;
}

int nti_core_take(struct nti_core *core, const struct nti_unit *unit, unsigned int number,
		  uint64_t *seats)
{
	struct cpu *cpu = find_cpu(core, number), *bigger;
	int ret;

	if (!cpu) {
		bigger = realloc(core->cpu, (core->cpus + 1) * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		core->cpu = bigger;
		cpu = &bigger[core->cpus];
		memset(cpu, 0, sizeof(*cpu));
		ret = nti_core_hw_take(&cpu->hw, core->os, core->fs, unit, number);
		if (ret < 0) {
			nti_ntimefs_close_unit(core->fs, number);
			return ret;
		}
		core->cpus++;
	}
	*seats = cpu->hw.seats;
	return 0;
}

int nti_core_explain(struct nti_core *core, unsigned int cpu, int error, struct nti_absence *out)
{
	if (error == -ENOTSUP)
		return nti_absence_set(out, "count through perf: --via perf",
				       "ntime does not know how to program this processor's core "
				       "PMU");
	return nti_ntimefs_explain(core->fs, cpu, error, out);
}

struct nti_core_group *nti_core_group_new(struct nti_core *core, unsigned int number)
{
	struct nti_core_group *g = calloc(1, sizeof(*g)), **last;
	struct cpu *cpu = find_cpu(core, number);

	if (!g || !cpu) {
		free(g);
		return NULL;
	}
	g->core = core;
	g->cpu = (unsigned int)(cpu - core->cpu);
	for (last = &cpu->first; *last; last = &(*last)->next)
		;
	*last = g;
	return g;
}

/* A seat for member @k, moving others where that helps; @tried are seats that were looked at. */
static bool seat(const struct nti_core_group *g, size_t k, int on[NTI_CORE_SEATS], uint64_t *tried)
{
	int i;

	/* Fixed counters first, as perf does: that leaves the others for events that have no choice. */
	for (i = NTI_CORE_SEATS - 1; i >= 0; i--) {
		uint64_t bit = (uint64_t)1 << i;

		if (!(g->member[k].seats & bit) || *tried & bit)
			continue;
		*tried |= bit;
		if (on[i] < 0 || seat(g, (size_t)on[i], on, tried)) {
			on[i] = (int)k;
			return true;
		}
	}
	return false;
}

/* Seats for all members; false: there are none, and those that members had stay. */
static bool seat_all(struct nti_core_group *g)
{
	int on[NTI_CORE_SEATS];
	size_t k;
	int i;

	for (i = 0; i < NTI_CORE_SEATS; i++)
		on[i] = -1;
	for (k = 0; k < g->count; k++) {
		uint64_t tried = 0;

		if (!seat(g, k, on, &tried))
			return false;
	}
	for (i = 0; i < NTI_CORE_SEATS; i++) {
		if (on[i] >= 0)
			g->member[on[i]].seat = (unsigned int)i;
	}
	return true;
}

int nti_core_group_add(struct nti_core_group *g, const struct nti_code *code, uint64_t seats)
{
	if (g->count == NTI_CORE_SEATS)
		return -ENOSPC;
	g->member[g->count++] =
		(struct member){ .code = *code, .seats = seats & cpu_of(g)->hw.seats };
	if (seat_all(g))
		return 0;
	g->count--;
	return -ENOSPC;
}

void nti_core_group_drop(struct nti_core_group *g)
{
	g->count--;
}

/* 2^bits of @width, or the largest number. */
static uint64_t range_of(unsigned int width)
{
	return width < 64 ? (uint64_t)1 << width : UINT64_MAX;
}

/* Could more than @events have happened since @member was last looked at? */
static bool could_exceed(const struct member *m, uint64_t now, uint64_t events)
{
	return now - m->mark_ns >= events / EVENTS_PER_NS;
}

/*
 * A flag that was set (and is cleared now) stands for one wrap, if there was no time for a second one behind what was left before the first.
 * Read anew: what was read before the flag may be of either side of the wrap. The flag is gone, so this accounts for it in any case.
 */
static int settle_flag(struct nti_core_group *g, struct member *m)
{
	struct nti_core_hw *hw = &cpu_of(g)->hw;
	uint64_t range = range_of(nti_core_hw_width(hw, m->seat));
	uint64_t left = range - m->raw, raw = 0;
	int ret = nti_core_hw_read(hw, m->seat, &raw);

	m->is_unsure = m->is_unsure || ret < 0 ||
		       could_exceed(m, now_ns(g->core),
				    left > UINT64_MAX - range ? UINT64_MAX : left + range);
	m->done += range;
	m->raw = raw;
	return ret;
}

/* Without flags: what was seen before is larger than what is seen now, and there was no time for a whole round. */
static void settle_by_time(struct nti_core_group *g, struct member *m, uint64_t raw)
{
	uint64_t range = range_of(nti_core_hw_width(&cpu_of(g)->hw, m->seat));

	m->is_unsure = m->is_unsure || could_exceed(m, now_ns(g->core), range);
	if (raw < m->raw)
		m->done += range;
	m->raw = raw;
}

/* Bring all members of a group whose events are on the counters up to date. Counters first, flags behind them. */
static int look(struct nti_core_group *g)
{
	struct nti_core_hw *hw = &cpu_of(g)->hw;
	uint64_t raw[NTI_CORE_SEATS], flags = 0, start = now_ns(g->core);
	int ret = 0;
	size_t k;

	for (k = 0; ret == 0 && k < g->count; k++)
		ret = nti_core_hw_read(hw, g->member[k].seat, &raw[k]);
	if (ret == 0 && hw->has_flags)
		ret = nti_core_hw_overflows(hw, &flags);
	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		struct member *m = &g->member[k];
		int one = 0;

		if (!hw->has_flags)
			settle_by_time(g, m, raw[k]);
		else if (flags >> m->seat & 1)
			one = settle_flag(g, m);
		else
			m->raw = raw[k];
		m->mark_ns = start;
		ret = ret < 0 ? ret : one;
	}
	return ret;
}

/* What the registers have of the group that is on them, which stands still, becomes a sum: others come there. */
static int leave(struct nti_core_group *g)
{
	int ret = look(g);
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		g->member[k].done += g->member[k].raw;
		g->member[k].raw = 0;
	}
	cpu_of(g)->on = NULL;
	return 0;
}

static int program(struct nti_core_group *g)
{
	struct nti_core_hw_event event[NTI_CORE_SEATS];
	struct cpu *cpu = cpu_of(g);
	int ret = cpu->on ? leave(cpu->on) : 0;
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++)
		event[k] = (struct nti_core_hw_event){ .code = g->member[k].code,
						       .seat = g->member[k].seat };
	return nti_core_hw_program(&cpu->hw, event, g->count);
}

static int begin_turn(struct nti_core_group *g, uint64_t now)
{
	struct cpu *cpu = cpu_of(g);
	/* Starting clears the flags of overflow: first what they say is taken. */
	int ret = cpu->on == g ? look(g) : program(g);
	size_t k;

	if (ret == 0)
		ret = nti_core_hw_start(&cpu->hw);
	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++)
		g->member[k].mark_ns = now;
	cpu->on = g;
	cpu->is_counting = true;
	g->begun_at = now;
	return 0;
}

static int end_turn(struct nti_core_group *g, uint64_t now)
{
	struct cpu *cpu = cpu_of(g);
	int ret = nti_core_hw_stop(&cpu->hw);

	if (ret < 0)
		return ret;
	cpu->is_counting = false;
	g->running_ns += now - g->begun_at;
	return 0;
}

static int enable(struct nti_core_group *g, uint64_t now)
{
	int ret = 0;

	if (g->is_enabled)
		return 0;
	if (!cpu_of(g)->is_counting)
		ret = begin_turn(g, now);
	if (ret < 0)
		return ret;
	g->is_enabled = true;
	g->enabled_at = now;
	return 0;
}

int nti_core_group_enable(struct nti_core_group *g)
{
	int ret;

	if (is_child(g->core))
		return -EPERM;
	lock(g->core);
	ret = enable(g, now_ns(g->core));
	unlock(g->core);
	return ret;
}

static int disable(struct nti_core_group *g, uint64_t now)
{
	int ret = 0;

	if (!g->is_enabled)
		return 0;
	if (is_counting(g))
		ret = end_turn(g, now);
	if (ret < 0)
		return ret;
	g->is_enabled = false;
	g->enabled_ns += now - g->enabled_at;
	return 0;
}

int nti_core_group_disable(struct nti_core_group *g)
{
	int ret;

	if (is_child(g->core))
		return -EPERM;
	lock(g->core);
	ret = disable(g, now_ns(g->core));
	unlock(g->core);
	return ret;
}

/* Who waits behind @g, in a circle; NULL: nobody. */
static struct nti_core_group *next_waiting(const struct nti_core_group *g)
{
	struct nti_core_group *next;

	for (next = g->next; next; next = next->next) {
		if (next->is_enabled)
			return next;
	}
	for (next = cpu_of(g)->first; next != g; next = next->next) {
		if (next->is_enabled)
			return next;
	}
	return NULL;
}

static int turn_cpu(struct cpu *cpu, uint64_t now)
{
	struct nti_core_group *next = cpu->is_counting ? next_waiting(cpu->on) : NULL;
	int ret = next ? end_turn(cpu->on, now) : 0;

	return ret == 0 && next ? begin_turn(next, now) : ret;
}

int nti_core_turn(struct nti_core *core)
{
	uint64_t now;
	int ret = 0;
	size_t i;

	if (is_child(core))
		return -EPERM;
	lock(core);
	now = now_ns(core);
	for (i = 0; ret == 0 && i < core->cpus; i++)
		ret = turn_cpu(&core->cpu[i], now);
	unlock(core);
	return ret;
}

/* Only a group that is alone on its CPU has its counters to itself; one that was never started has none yet. */
static bool is_alone(const struct nti_core_group *g)
{
	return cpu_of(g)->first == g && !g->next && is_on(g);
}

static void read_times(const struct nti_core_group *g, uint64_t now, struct nti_perf_reading *out)
{
	out->members = g->count;
	out->enabled_ns = g->enabled_ns + (g->is_enabled ? now - g->enabled_at : 0);
	out->running_ns = g->running_ns + (is_counting(g) ? now - g->begun_at : 0);
	out->overflowed = 0;
}

/*
 * In a forked child: what the counters went on since the copy was made. Flags of overflow would be cleared by asking for them, so the time
 * that passed tells wraps. Who takes turns writes, and the copy does not know.
 */
static int read_in_child(const struct nti_core_group *g, struct nti_perf_reading *out)
{
	struct nti_core_hw *hw = &cpu_of(g)->hw;
	uint64_t raw, now, unsure = 0;
	size_t k;

	if (__atomic_load_n(&g->core->is_changing, __ATOMIC_SEQ_CST) || !is_alone(g))
		return -EIO;
	for (k = 0; k < g->count; k++) {
		const struct member *m = &g->member[k];
		uint64_t range = range_of(nti_core_hw_width(hw, m->seat));
		int ret = nti_core_hw_read(hw, m->seat, &raw);

		if (ret < 0)
			return ret;
		now = now_ns(g->core);
		out->count[k] = m->done + raw + (raw < m->raw ? range : 0);
		if (m->is_unsure || could_exceed(m, now, range))
			unsure |= (uint64_t)1 << k;
	}
	read_times(g, now_ns(g->core), out);
	out->overflowed = unsure;
	return 0;
}

static int read_group(struct nti_core_group *g, struct nti_perf_reading *out)
{
	uint64_t now = now_ns(g->core);
	int ret = is_on(g) ? look(g) : 0;
	size_t k;

	if (ret < 0)
		return ret;
	read_times(g, now, out);
	for (k = 0; k < g->count; k++) {
		const struct member *m = &g->member[k];

		out->count[k] = m->done + m->raw;
		out->overflowed |= (uint64_t)m->is_unsure << k;
	}
	return 0;
}

int nti_core_group_read(struct nti_core_group *g, struct nti_perf_reading *out)
{
	int ret;

	if (is_child(g->core))
		return read_in_child(g, out);
	lock(g->core);
	ret = read_group(g, out);
	unlock(g->core);
	return ret;
}

void nti_core_group_free(struct nti_core_group *g)
{
	struct nti_core_group **at;
	struct cpu *cpu;

	if (!g)
		return;
	cpu = cpu_of(g);
	if (is_counting(g) && !is_child(g->core)) {
		/* What cannot be stopped is given back with its file. */
		(void)nti_core_hw_stop(&cpu->hw);
		cpu->is_counting = false;
	}
	if (cpu->on == g)
		cpu->on = NULL;
	for (at = &cpu->first; *at != g; at = &(*at)->next)
		;
	*at = g->next;
	free(g);
}

/* The clock that the inline code looks at, and its frequency; 0: there is none. */
#if defined(__aarch64__)
#define WIDE 64 /* narrower counters need the clock: user mode cannot see the flags of overflow */

static uint64_t clock_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return ticks;
}

static double clock_hz(void)
{
	uint64_t hz;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	return (double)hz;
}
#else
#define WIDE 48 /* see NTIME_CORE_FULL_ of <ntime/reader_inline.h> */

static uint64_t clock_ticks(void)
{
	return 0;
}

static double clock_hz(void)
{
	return 0;
}
#endif

/*
 * A narrow counter, and where the clock was before it was looked at: from there on it is a whole round to the next wrap, less what of the
 * round it has behind it, at the fastest that anything counts. False: the clock is of no use.
 */
static bool set_window(const struct member *m, unsigned int width, uint64_t ticks,
		       struct nti_core_inline *out)
{
	double ticks_per_event = clock_hz() / 1e9 / EVENTS_PER_NS;

	out->limit = (uint64_t)((double)range_of(width) * ticks_per_event);
	out->origin = ticks - (uint64_t)((double)m->raw * ticks_per_event) - 1;
	return out->limit > 0;
}

/* What user mode reads of @m: the register holds the count, or the lower part of it. @ticks: the clock before it was looked at. */
static bool set_inline(const struct nti_core_group *g, const struct member *m, uint64_t ticks,
		       struct nti_core_inline *out)
{
	unsigned int width = nti_core_hw_width(&cpu_of(g)->hw, m->seat);

	out->base = m->done;
	out->origin = 0;
	out->limit = UINT64_MAX;
	if (!is_on(g) || m->is_unsure)
		return false;
	if (width < WIDE)
		return set_window(m, width, ticks, out);
	/* x86's inline code adds nothing, and makes the call from the counter's highest bit on. */
	return !m->done && !(m->raw >> (WIDE - 1));
}

static bool look_inline(struct nti_core_group *g, size_t member, struct nti_core_inline *out)
{
	uint64_t ticks = clock_ticks();

	return is_on(g) && look(g) == 0 && set_inline(g, &g->member[member], ticks, out);
}

bool nti_core_group_window(struct nti_core_group *g, size_t member, struct nti_core_inline *out)
{
	bool is_good;

	if (is_child(g->core))
		return false;
	lock(g->core);
	is_good = look_inline(g, member, out);
	unlock(g->core);
	return is_good;
}

int nti_core_group_inline(struct nti_core_group *g, size_t member, struct nti_core_inline *out)
{
	struct ntime_page page;
	int ret = -ENOTSUP;

	if (is_child(g->core))
		return ret;
	lock(g->core);
	if (is_alone(g))
		ret = nti_core_hw_describe(&cpu_of(g)->hw, g->member[member].seat, &page);
	if (ret == 0 && (page.type != NTIME_PAGE_PMC || page.cpu != cpu_of(g)->hw.cpu ||
			 !look_inline(g, member, out)))
		ret = -ENOTSUP;
	if (ret == 0)
		out->index = page.index;
	unlock(g->core);
	return ret;
}
