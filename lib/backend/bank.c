// SPDX-License-Identifier: MIT
/* Counting with counters that we program ourselves: groups, seats, turns, 64-bit counts. What hardware it is, core_hw.c and box_hw.c know. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/names.h"
#include "lib/backend/bank.h"
#include "lib/backend/bank_hw.h"

/* Whether others have taken a counter from us is looked at so often when it is read, and whenever it stops. */
#define CHECK_NS 100000000u

/* Registers of energy move once a millisecond (Intel SDM 3B, RAPL): what they show may have happened so much before. */
#define GRAIN_NS 1000000u

struct member {
	struct nti_bank_event event; /* its seat with it */
	uint64_t seats;		     /* those that could count it */
	uint64_t count;		     /* all of it, as of the last look */
	uint64_t raw;		     /* what the register showed then */
	uint64_t mark_ns;	     /* before that look: no overflow was unaccounted for */
	bool is_unsure, is_lost;
	bool is_missing; /* as of the last look: hardware had no valid value */
};

struct nti_bank_group {
	struct nti_banks *banks;
	struct bank *bank;
	struct nti_bank_group *next;
	struct member member[NTI_BANK_SEATS];
	size_t count;
	bool is_enabled;
	bool is_on; /* its events are on the counters */
	bool is_counting;
	uint64_t enabled_at, enabled_ns, begun_at, running_ns;
};

struct bank {
	const struct nti_unit *unit;
	unsigned int cpu;
	enum nti_way way;
	struct nti_loan *loan;
	struct nti_bank_hw *hw;
	struct nti_bank_group *first; /* its groups, as they were made */
	struct nti_bank_group *
		on; /* whose events the counters have; of counters that always run all groups have them */
	uint64_t checked_ns;
	struct nti_error gone; /* .code is 0 as long as it is there */
};

struct nti_banks {
	struct nti_os *os;
	struct nti_lender *lender;
	/* Over everything below: readers call from any thread, also while the session is read. */
	pthread_mutex_t lock;
	/*
	 * A forked child has a copy of this and the same registers: it may look at them, and neither write nor believe a copy that was made in
	 * the middle of a change.
	 */
	pid_t owner;
	bool is_changing;
	struct bank **bank;
	size_t count;
	/* The bank that could not be had last, and why. */
	const struct nti_unit *refused;
	unsigned int refused_cpu;
	struct nti_absence refusal;
};

static uint64_t now_ns(const struct nti_banks *banks)
{
	return banks->os->ops->now_ns(banks->os);
}

static bool is_child(const struct nti_banks *banks)
{
	return banks->owner != getpid();
}

static void lock(struct nti_banks *banks)
{
	(void)pthread_mutex_lock(&banks->lock);
	__atomic_store_n(&banks->is_changing, true, __ATOMIC_SEQ_CST);
}

static void unlock(struct nti_banks *banks)
{
	__atomic_store_n(&banks->is_changing, false, __ATOMIC_SEQ_CST);
	(void)pthread_mutex_unlock(&banks->lock);
}

static struct nti_bank_hw *hw_of(const struct nti_bank_group *g)
{
	return g->bank->hw;
}

int nti_banks_new(struct nti_os *os, struct nti_banks **out)
{
	struct nti_banks *banks = calloc(1, sizeof(*banks));
	int ret;

	*out = NULL;
	if (!banks)
		return -ENOMEM;
	banks->os = os;
	banks->owner = getpid();
	ret = nti_lender_new(os, &banks->lender);
	if (ret == 0)
		ret = -pthread_mutex_init(&banks->lock, NULL);
	if (ret < 0) {
		nti_lender_free(banks->lender);
		free(banks);
		return ret;
	}
	*out = banks;
	return 0;
}

/* In a forked child the registers are its parent's: nothing is put back. */
static void release(const struct nti_banks *banks, struct bank *bank)
{
	int ret;

	if (is_child(banks))
		return;
	ret = bank->hw->ops->release(bank->hw);
	/* What could not be written once may be the second time: to leave it would be worse. */
	if (ret < 0)
		ret = bank->hw->ops->release(bank->hw);
	if (ret == 0)
		nti_loan_settle(bank->loan);
}

static void free_bank(struct bank *bank)
{
	if (bank->hw)
		bank->hw->ops->free(bank->hw);
	nti_loan_free(bank->loan);
	free(bank);
}

void nti_banks_free(struct nti_banks *banks)
{
	size_t i;

	if (!banks)
		return;
	/* Stopped before the registers are given back, which is done one after the other. */
	for (i = 0; i < banks->count; i++)
		release(banks, banks->bank[i]);
	while (banks->count)
		free_bank(banks->bank[--banks->count]);
	nti_lender_free(banks->lender);
	nti_absence_fini(&banks->refusal);
	(void)pthread_mutex_destroy(&banks->lock);
	free(banks->bank);
	free(banks);
}

static struct bank *find_bank(const struct nti_banks *banks, const struct nti_unit *unit,
			      unsigned int cpu)
{
	size_t i;

	for (i = 0; i < banks->count; i++) {
		if (banks->bank[i]->unit == unit && banks->bank[i]->cpu == cpu)
			return banks->bank[i];
	}
	return NULL;
}

/* The box of @unit that is counted at @cpu; NULL: it has none, it is a core PMU. */
static const struct nti_unit_box *box_of(const struct nti_unit *unit, unsigned int cpu)
{
	size_t i;

	for (i = 0; i < unit->boxes; i++) {
		if (unit->box[i].cpu == cpu)
			return &unit->box[i];
	}
	return NULL;
}

static bool is_countable(const struct nti_loan_request *what)
{
	return what->box || what->unit->kind == NTI_UNIT_CORE;
}

static struct nti_loan_request request_for(const struct nti_unit *unit, unsigned int cpu,
					   enum nti_way way)
{
	const struct nti_unit_box *box = box_of(unit, cpu);

	return (struct nti_loan_request){ .unit = unit,
					  .cpu = cpu,
					  .way = way,
					  .box = box,
					  .reads_only = box && box->kind->free };
}

/*
 * Somebody counts in a box that the kernel has a driver for: when that driver is done, or its events take turns, it stops and starts the box as
 * a whole, and ours with it (Linux nhm_uncore_msr_disable_box() writes 0 to the global enable). ntime's driver refuses such a box, too. The core
 * PMU likewise (intel_pmu_disable_all()), but through ntime's driver, which has reserved it from perf.
 */
static bool kernel_may_count(const struct nti_loan_request *what, const struct nti_bank_hw *hw)
{
	return (what->box || what->way == NTI_WAY_MSR) && what->unit->has_sysfs &&
	       (hw->all & ~hw->seats);
}

/* The bank's registers and what it has; ours from now on. */
static int open_bank(struct nti_banks *banks, const struct nti_loan_request *what,
		     struct bank *bank)
{
	int ret = nti_loan_new(banks->lender, what, &bank->loan);

	if (ret < 0)
		return ret;
	ret = what->box ? nti_box_hw_new(bank->loan, what->box->kind, what->box->number, &bank->hw)
			: nti_core_hw_new(banks->os, bank->loan, what, &bank->hw);
	if (ret == 0 && (!bank->hw->seats || kernel_may_count(what, bank->hw)))
		ret = -EBUSY;
	return ret;
}

static unsigned int lowest(uint64_t set)
{
	return (unsigned int)__builtin_ctzll(set);
}

/* Somebody has counter @seat enabled, and no claim or driver says who. */
static int explain_in_use(const struct nti_bank_hw *hw, const struct nti_loan_request *what,
			  unsigned int seat, struct nti_absence *out)
{
	char name[NTHW_NAME_SIZE], place[NTI_LENDER_PLACE_BYTES];

	hw->ops->name(hw, seat, name, sizeof(name));
	nti_lender_place(what, place, sizeof(place));
	if (!what->box)
		return nti_absence_set(
			out,
			"end what counts with perf, and the NMI watchdog: sysctl "
			"kernel.nmi_watchdog=0",
			"counter %s of %s is in use; perf or the NMI watchdog may count with it",
			name, place);
	if (!what->unit->has_sysfs)
		return nti_absence_set(out, "end what counts there",
				       "counter %s of %s is in use by a program that does not say "
				       "so",
				       name, place);
	return nti_absence_set(out, "end what counts there, or count through perf: --via perf",
			       "counter %s of %s is in use; the kernel's own unit \"%s\" may count "
			       "with it (perf)",
			       name, place, what->unit->name);
}

static int explain_no_sequence(const struct nti_banks *banks, const struct nti_loan_request *what,
			       struct nti_absence *out)
{
	const char *reason, *remedy;

	if (what->unit->kind == NTI_UNIT_CORE)
		return nti_absence_set(out, "count through perf: --via perf",
				       "ntime does not know how to program this processor's core "
				       "PMU");
	/* Registers that are not there read alike, whether it is the way or the box that is missing. */
	if (nti_lender_probe(banks->os, what->way, &reason, &remedy) < 0)
		return nti_absence_set(out, remedy, "%s", reason);
	return nti_absence_set(out, "ntime list -v", "none of the counters of %s can be read",
			       what->unit->name);
}

static int explain(struct nti_banks *banks, const struct nti_loan_request *what,
		   const struct bank *bank, int error, struct nti_absence *out)
{
	const struct nti_bank_hw *hw = bank ? bank->hw : NULL;

	if (!is_countable(what) || (error == -ENOTSUP && bank && bank->loan))
		return explain_no_sequence(banks, what, out);
	if (error == -EBUSY && hw && hw->all & ~hw->seats)
		return explain_in_use(hw, what, lowest(hw->all & ~hw->seats), out);
	return nti_lender_explain(banks->lender, what, error, out);
}

/* Remember why: with the bank goes what it knows. */
static int refuse(struct nti_banks *banks, const struct nti_loan_request *what,
		  const struct bank *bank, int error)
{
	nti_absence_fini(&banks->refusal);
	banks->refused = what->unit;
	banks->refused_cpu = what->cpu;
	return explain(banks, what, bank, error, &banks->refusal);
}

static int add_bank(struct nti_banks *banks, struct bank *bank)
{
	struct bank **bigger = realloc(banks->bank, (banks->count + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	banks->bank = bigger;
	bigger[banks->count++] = bank;
	return 0;
}

int nti_banks_take(struct nti_banks *banks, const struct nti_unit *unit, unsigned int cpu,
		   enum nti_way way, uint64_t *seats)
{
	const struct nti_loan_request what = request_for(unit, cpu, way);
	struct bank *bank = find_bank(banks, unit, cpu);
	int ret;

	if (bank) {
		*seats = bank->hw->seats;
		return 0;
	}
	bank = calloc(1, sizeof(*bank));
	if (!bank)
		return -ENOMEM;
	bank->unit = unit;
	bank->cpu = cpu;
	bank->way = way;
	ret = is_countable(&what) ? open_bank(banks, &what, bank) : -ENOTSUP;
	if (ret == 0)
		ret = add_bank(banks, bank);
	if (ret < 0) {
		if (refuse(banks, &what, bank, ret) < 0)
			ret = -ENOMEM;
		free_bank(bank);
		return ret;
	}
	*seats = bank->hw->seats;
	return 0;
}

void nti_banks_give_back(struct nti_banks *banks, const struct nti_unit *unit)
{
	size_t i, kept = 0;

	for (i = 0; i < banks->count; i++) {
		if (banks->bank[i]->unit != unit) {
			banks->bank[kept++] = banks->bank[i];
			continue;
		}
		release(banks, banks->bank[i]);
		free_bank(banks->bank[i]);
	}
	banks->count = kept;
}

int nti_banks_explain(struct nti_banks *banks, const struct nti_unit *unit, unsigned int cpu,
		      int error, struct nti_absence *out)
{
	const struct bank *bank = find_bank(banks, unit, cpu);
	const struct nti_loan_request what =
		request_for(unit, cpu, bank ? bank->way : NTI_WAY_PERF);

	if (!bank && banks->refused == unit && banks->refused_cpu == cpu && banks->refusal.reason)
		return nti_absence_copy(out, &banks->refusal);
	return explain(banks, &what, bank, error, out);
}

int nti_banks_explain_taken(struct nti_banks *banks, const struct nti_unit *unit, unsigned int cpu,
			    uint64_t seats, struct nti_absence *out)
{
	const struct bank *bank = find_bank(banks, unit, cpu);
	const struct nti_loan_request what = request_for(unit, cpu, NTI_WAY_PERF);
	uint64_t taken = bank ? bank->hw->all & ~bank->hw->seats & seats : 0;

	if (!taken)
		return 0;
	return explain_in_use(bank->hw, &what, lowest(taken), out) < 0 ? -ENOMEM : 1;
}

const char *nti_banks_error(const struct nti_banks *banks)
{
	return nti_lender_error(banks->lender);
}

struct nti_bank_group *nti_bank_group_new(struct nti_banks *banks, const struct nti_unit *unit,
					  unsigned int cpu)
{
	struct nti_bank_group *g = calloc(1, sizeof(*g)), **last;
	struct bank *bank = find_bank(banks, unit, cpu);

	if (!g || !bank) {
		free(g);
		return NULL;
	}
	g->banks = banks;
	g->bank = bank;
	for (last = &bank->first; *last; last = &(*last)->next)
		;
	*last = g;
	return g;
}

/* A seat for member @k, moving others where that helps; @tried are seats that were looked at. */
static bool seat(const struct nti_bank_group *g, size_t k, int on[NTI_BANK_SEATS], uint64_t *tried)
{
	int i;

	/* Fixed counters first, as perf does: that leaves the others for events that have no choice. */
	for (i = NTI_BANK_SEATS - 1; i >= 0; i--) {
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
static bool seat_all(struct nti_bank_group *g)
{
	int on[NTI_BANK_SEATS];
	size_t k;
	int i;

	for (i = 0; i < NTI_BANK_SEATS; i++)
		on[i] = -1;
	for (k = 0; k < g->count; k++) {
		uint64_t tried = 0;

		if (!seat(g, k, on, &tried))
			return false;
	}
	for (i = 0; i < NTI_BANK_SEATS; i++) {
		if (on[i] >= 0)
			g->member[on[i]].event.seat = (unsigned int)i;
	}
	return true;
}

/* Counters that always run are read by any number of members. */
static bool seat_reader(struct member *m)
{
	if (!m->seats)
		return false;
	m->event.seat = lowest(m->seats);
	return true;
}

static bool can_share_with_all(const struct nti_bank_group *g, const struct nti_bank_event *event)
{
	size_t k;

	for (k = 0; k < g->count; k++) {
		if (!hw_of(g)->ops->can_share(&g->member[k].event, event))
			return false;
	}
	return true;
}

int nti_bank_group_add(struct nti_bank_group *g, const struct nti_names *names,
		       const struct nti_part *part, uint64_t seats, struct nti_absence *absent)
{
	struct nti_bank_hw *hw = hw_of(g);
	struct member *m = &g->member[g->count];
	struct nti_bank_event event = { 0 };
	int ret = hw->ops->encode(hw, names, part, &event, absent);

	if (ret < 0)
		return ret;
	if (g->count == NTI_BANK_SEATS || !can_share_with_all(g, &event))
		return -ENOSPC;
	*m = (struct member){ .event = event, .seats = seats & hw->seats };
	g->count++;
	if (hw->always_runs ? seat_reader(m) : seat_all(g))
		return 0;
	g->count--;
	return -ENOSPC;
}

void nti_bank_group_drop(struct nti_bank_group *g)
{
	g->count--;
}

static unsigned int width_of(const struct nti_bank_group *g, const struct member *m)
{
	return hw_of(g)->ops->width(hw_of(g), m->event.seat);
}

/* Its value is how things are: nothing is counted. */
static bool is_state(const struct nti_bank_group *g, const struct member *m)
{
	return !width_of(g, m);
}

/* 2^bits of @width, or the largest number. */
static uint64_t range_of(unsigned int width)
{
	return width < 64 ? (uint64_t)1 << width : UINT64_MAX;
}

/* events_per_us as a power of two, rounded up; it is above 0 and has far fewer than 54 bits. */
static unsigned int shift_of(const struct nti_bank_hw *hw)
{
	return hw->events_per_us > 1 ? 64 - (unsigned int)__builtin_clzll(hw->events_per_us - 1)
				     : 0;
}

/*
 * How long the bank needs for @events at least, in ns. Without a division: that takes processors of 32 bits as many instructions as the
 * numbers are large, and they are counted where a program measures itself.
 */
static uint64_t time_for(const struct nti_bank_hw *hw, uint64_t events)
{
	unsigned int shift = shift_of(hw);
	uint64_t whole, rest;

	if (!hw->events_per_us)
		return UINT64_MAX;
	whole = events >> shift;
	rest = events & (((uint64_t)1 << shift) - 1);
	if (whole >= UINT64_MAX / 1000 - 1000)
		return UINT64_MAX;
	return whole * 1000 + (rest * 1000 >> shift);
}

/* Could more than @events have happened since @member was last looked at? */
static bool could_exceed(const struct nti_bank_group *g, const struct member *m, uint64_t now,
			 uint64_t events)
{
	return now - m->mark_ns >= time_for(hw_of(g), events);
}

/* Can @added have happened since @m was last looked at? If not, somebody wrote the register, or it was reset. */
static bool is_possible(const struct nti_bank_group *g, const struct member *m, uint64_t added)
{
	const struct nti_bank_hw *hw = hw_of(g);

	return !hw->events_per_us ||
	       now_ns(g->banks) - m->mark_ns + GRAIN_NS >= time_for(hw, added);
}

/* From @m->raw to @raw, with one wrap where that went back. */
static uint64_t distance(const struct nti_bank_group *g, const struct member *m, uint64_t raw)
{
	unsigned int width = width_of(g, m);

	return raw - m->raw + (raw < m->raw && width < 64 ? range_of(width) : 0);
}

/* The register does not go on from where it was: what was counted until then stands. Counters that always run nobody takes; they go on. */
static void break_off(const struct nti_bank_group *g, struct member *m, uint64_t raw)
{
	if (hw_of(g)->always_runs) {
		m->is_unsure = true;
		m->raw = raw;
	} else {
		m->is_lost = true;
	}
}

/*
 * A flag that was set (and is cleared now) stands for one wrap, if there was no time for a second one behind what was left before the first.
 * Read anew: what was read before the flag may be of either side of the wrap. The flag is gone, so this accounts for it in any case.
 */
static int settle_flag(struct nti_bank_group *g, struct member *m)
{
	uint64_t range = range_of(width_of(g, m));
	uint64_t left = range - m->raw, raw = 0;
	int ret = hw_of(g)->ops->read(hw_of(g), m->event.seat, &raw);

	if (ret == 0 && !is_possible(g, m, left > UINT64_MAX - raw ? UINT64_MAX : left + raw)) {
		break_off(g, m, raw);
		return 0;
	}
	m->is_unsure = m->is_unsure || ret < 0 ||
		       could_exceed(g, m, now_ns(g->banks),
				    left > UINT64_MAX - range ? UINT64_MAX : left + range);
	m->count += left + raw;
	m->raw = raw;
	return ret;
}

/* No flag, though there could be one: it only went on. Nothing but another's hand brings a counter back. */
static void settle_plain(struct nti_bank_group *g, struct member *m, uint64_t raw)
{
	if (raw < m->raw || !is_possible(g, m, raw - m->raw)) {
		break_off(g, m, raw);
		return;
	}
	m->count += raw - m->raw;
	m->raw = raw;
}

/* Without flags: what was seen before is larger than what is seen now, and there was no time for a whole round. */
static void settle_by_time(struct nti_bank_group *g, struct member *m, uint64_t raw)
{
	if (!is_possible(g, m, distance(g, m, raw))) {
		break_off(g, m, raw);
		return;
	}
	m->is_unsure =
		m->is_unsure || could_exceed(g, m, now_ns(g->banks), range_of(width_of(g, m)));
	m->count += distance(g, m, raw);
	m->raw = raw;
}

static int settle(struct nti_bank_group *g, struct member *m, uint64_t raw, uint64_t flags)
{
	/* What somebody else counts with it is not ours. */
	if (m->is_lost)
		return 0;
	if (is_state(g, m)) {
		m->count = raw;
		m->raw = raw;
	} else if (!hw_of(g)->has_flags) {
		settle_by_time(g, m, raw);
	} else if (flags >> m->event.seat & 1) {
		return settle_flag(g, m);
	} else {
		settle_plain(g, m, raw);
	}
	return 0;
}

static int read_all(struct nti_bank_group *g, uint64_t raw[NTI_BANK_SEATS])
{
	int ret = 0;
	size_t k;

	hw_of(g)->ops->begin(hw_of(g));
	for (k = 0; ret == 0 && k < g->count; k++) {
		struct member *m = &g->member[k];

		ret = hw_of(g)->ops->read(hw_of(g), m->event.seat, &raw[k]);
		m->is_missing = ret == -ENODATA;
		if (m->is_missing) {
			raw[k] = m->raw;
			ret = 0;
		}
	}
	return ret;
}

/* Bring all members of a group whose events are on the counters up to date. Counters first, flags behind them. */
static int look(struct nti_bank_group *g)
{
	struct nti_bank_hw *hw = hw_of(g);
	uint64_t raw[NTI_BANK_SEATS], flags = 0, start = now_ns(g->banks);
	int ret = read_all(g, raw);
	size_t k;

	if (ret == 0 && hw->has_flags)
		ret = hw->ops->overflows(hw, &flags);
	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		int one = settle(g, &g->member[k], raw[k], flags);

		g->member[k].mark_ns = start;
		ret = ret < 0 ? ret : one;
	}
	return ret;
}

/* Members whose counters are in @seats are no longer ours to count. */
static void lose(struct nti_bank_group *g, uint64_t seats)
{
	size_t k;

	for (k = 0; k < g->count; k++) {
		struct member *m = &g->member[k];

		m->is_lost = m->is_lost || seats >> m->event.seat & 1;
	}
}

/* Has somebody else taken counters of the group, which counts? What they then show is not ours. */
static int check(struct nti_bank_group *g)
{
	struct nti_bank_hw *hw = hw_of(g);
	uint64_t lost = 0;
	int ret;

	if (hw->always_runs)
		return 0;
	ret = hw->ops->check(hw, &lost);
	g->bank->checked_ns = now_ns(g->banks);
	if (ret == 0)
		lose(g, lost);
	return ret;
}

static int check_now_and_then(struct nti_bank_group *g)
{
	if (!g->is_counting || now_ns(g->banks) - g->bank->checked_ns < CHECK_NS)
		return 0;
	return check(g);
}

/* What the registers have of the group that is on them, which stands still, is all of it: others come there. */
static int leave(struct nti_bank_group *g)
{
	int ret = look(g);

	if (ret < 0)
		return ret;
	g->is_on = false;
	g->bank->on = NULL;
	return 0;
}

static int program(struct nti_bank_group *g)
{
	struct nti_bank_event event[NTI_BANK_SEATS];
	struct bank *bank = g->bank;
	uint64_t taken = 0;
	int ret = bank->on ? leave(bank->on) : 0;
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		event[k] = g->member[k].event;
		g->member[k].raw = 0;
	}
	ret = bank->hw->ops->program(bank->hw, event, g->count, &taken);
	if (ret < 0)
		return ret;
	/* The others count. But who begins does so with all of them. */
	if (taken && !g->is_enabled)
		return -EBUSY;
	lose(g, taken);
	return 0;
}

/* Counters that always run: what they show now is where we begin. */
static int begin_looking(struct nti_bank_group *g)
{
	uint64_t raw[NTI_BANK_SEATS];
	int ret = read_all(g, raw);
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++) {
		g->member[k].raw = raw[k];
		if (is_state(g, &g->member[k]))
			g->member[k].count = raw[k];
	}
	return 0;
}

static int begin_counting(struct nti_bank_group *g)
{
	struct bank *bank = g->bank;
	/* Starting clears the flags of overflow: first what they say is taken. */
	int ret = g->is_on ? look(g) : program(g);

	if (ret == 0)
		ret = bank->hw->ops->start(bank->hw);
	if (ret < 0)
		return ret;
	bank->on = g;
	bank->checked_ns = now_ns(g->banks);
	return 0;
}

static int begin_turn(struct nti_bank_group *g, uint64_t now)
{
	int ret = hw_of(g)->always_runs ? begin_looking(g) : begin_counting(g);
	size_t k;

	if (ret < 0)
		return ret;
	for (k = 0; k < g->count; k++)
		g->member[k].mark_ns = now;
	g->is_on = true;
	g->is_counting = true;
	g->begun_at = now;
	return 0;
}

/* An error of one that stands nevertheless, .is_counting is false then: it could not be looked at. */
static int end_turn(struct nti_bank_group *g, uint64_t now)
{
	struct nti_bank_hw *hw = hw_of(g);
	int ret = hw->always_runs ? look(g) : check(g);
	int stopped = hw->always_runs ? ret : hw->ops->stop(hw);

	if (stopped < 0)
		return stopped;
	g->is_on = !hw->always_runs;
	g->is_counting = false;
	g->running_ns += now - g->begun_at;
	return ret;
}

/* What was seen last is all that there is of @g, and the time until then all that it was counted. */
static void end_for_good(struct nti_bank_group *g, uint64_t seen_ns)
{
	size_t k;

	if (g->is_counting && seen_ns > g->begun_at)
		g->running_ns += seen_ns - g->begun_at;
	if (g->is_enabled && seen_ns > g->enabled_at)
		g->enabled_ns += seen_ns - g->enabled_at;
	g->is_enabled = false;
	g->is_on = false;
	g->is_counting = false;
	for (k = 0; k < g->count; k++)
		g->member[k].is_lost = true;
}

static uint64_t seen_last(const struct bank *bank)
{
	const struct nti_bank_group *g;
	uint64_t last = 0;

	for (g = bank->first; g; g = g->next) {
		if (g->count && g->member[0].mark_ns > last)
			last = g->member[0].mark_ns;
	}
	return last;
}

/*
 * A device that was taken away never comes back as the one that we programmed. A CPU that is off line may be back with all its counts, so its
 * boxes, and those of a package, fail as long as it is. What fails otherwise must do so twice.
 */
static bool is_lost_for_good(struct nti_bank_group *g, int error)
{
	const struct nti_unit_box *box = box_of(g->bank->unit, g->bank->cpu);
	uint64_t raw[NTI_BANK_SEATS];

	if (!box)
		return false;
	if (error == -ENODEV)
		return box->kind->space != NTHW_SPACE_MSR;
	return error == -EIO && read_all(g, raw) == -EIO;
}

/* @error of an access for @g, or 0 if it is of no more weight: the bank is gone, and its groups say so from now on. */
static int settle_error(struct nti_bank_group *g, int error)
{
	struct bank *bank = g->bank;
	const char *why = nti_banks_error(g->banks);
	uint64_t seen_ns;

	if (error >= 0 || !is_lost_for_good(g, error))
		return error;
	(void)nti_error(&bank->gone, error, "%s", *why ? why : strerror(-error));
	seen_ns = seen_last(bank);
	for (g = bank->first; g; g = g->next)
		end_for_good(g, seen_ns);
	bank->on = NULL;
	return 0;
}

static bool is_gone(const struct nti_bank_group *g)
{
	return g->bank->gone.code;
}

const char *nti_bank_group_why_gone(const struct nti_bank_group *g)
{
	return is_gone(g) ? g->bank->gone.text : NULL;
}

static bool is_counting(const struct bank *bank)
{
	return bank->on && bank->on->is_counting;
}

static int enable(struct nti_bank_group *g, uint64_t now)
{
	int ret = 0;

	if (g->is_enabled || is_gone(g))
		return 0;
	if (!is_counting(g->bank))
		ret = begin_turn(g, now);
	if (ret < 0)
		return ret;
	g->is_enabled = true;
	g->enabled_at = now;
	return 0;
}

int nti_bank_group_enable(struct nti_bank_group *g)
{
	int ret;

	if (is_child(g->banks))
		return -EPERM;
	lock(g->banks);
	ret = enable(g, now_ns(g->banks));
	unlock(g->banks);
	return ret;
}

static int disable(struct nti_bank_group *g, uint64_t now)
{
	int ret = 0;

	if (!g->is_enabled)
		return 0;
	if (g->is_counting)
		ret = end_turn(g, now);
	if (g->is_counting)
		return ret;
	g->is_enabled = false;
	g->enabled_ns += now - g->enabled_at;
	return ret;
}

int nti_bank_group_disable(struct nti_bank_group *g)
{
	int ret;

	if (is_child(g->banks))
		return -EPERM;
	lock(g->banks);
	ret = settle_error(g, disable(g, now_ns(g->banks)));
	unlock(g->banks);
	return ret;
}

/* Who waits behind @g, in a circle; NULL: nobody. */
static struct nti_bank_group *next_waiting(const struct nti_bank_group *g)
{
	struct nti_bank_group *next;

	for (next = g->next; next; next = next->next) {
		if (next->is_enabled)
			return next;
	}
	for (next = g->bank->first; next != g; next = next->next) {
		if (next->is_enabled)
			return next;
	}
	return NULL;
}

static struct nti_bank_group *first_enabled(const struct bank *bank)
{
	struct nti_bank_group *g;

	for (g = bank->first; g && !g->is_enabled; g = g->next)
		;
	return g;
}

/* Where nobody counts beginning a turn failed, or its group was stopped: somebody else has it then. */
static int turn_bank(struct bank *bank, uint64_t now)
{
	bool is_on = is_counting(bank);
	struct nti_bank_group *next = is_on ? next_waiting(bank->on) : first_enabled(bank);
	int ret;

	if (!next || bank->hw->always_runs)
		return 0;
	ret = is_on ? end_turn(bank->on, now) : 0;
	if (ret == 0)
		ret = begin_turn(next, now);
	return settle_error(next, ret);
}

int nti_banks_turn(struct nti_banks *banks)
{
	uint64_t now;
	int ret = 0;
	size_t i;

	if (is_child(banks))
		return -EPERM;
	lock(banks);
	now = now_ns(banks);
	for (i = 0; i < banks->count; i++) {
		int one = turn_bank(banks->bank[i], now);

		ret = ret < 0 ? ret : one;
	}
	unlock(banks);
	return ret;
}

/* Only a group that is alone on its bank has its counters to itself; one that was never started has none yet. */
static bool is_alone(const struct nti_bank_group *g)
{
	return g->bank->first == g && !g->next && g->is_on;
}

static void read_times(const struct nti_bank_group *g, uint64_t now, struct nti_perf_reading *out)
{
	out->members = g->count;
	out->enabled_ns = g->enabled_ns + (g->is_enabled ? now - g->enabled_at : 0);
	out->running_ns = g->running_ns + (g->is_counting ? now - g->begun_at : 0);
	out->overflowed = 0;
	out->lost = 0;
	out->missing = 0;
}

/* What is known of @g, as of the last look. */
static void report(const struct nti_bank_group *g, uint64_t now, struct nti_perf_reading *out)
{
	size_t k;

	read_times(g, now, out);
	for (k = 0; k < g->count; k++) {
		const struct member *m = &g->member[k];

		out->count[k] = m->count;
		out->overflowed |= (uint64_t)m->is_unsure << k;
		out->lost |= (uint64_t)m->is_lost << k;
		out->missing |= (uint64_t)m->is_missing << k;
	}
}

/* *@is_lost: the register does not go on from where it was. */
static uint64_t count_in_child(const struct nti_bank_group *g, const struct member *m, uint64_t raw,
			       bool *is_lost)
{
	*is_lost = m->is_lost;
	if (is_state(g, m))
		return m->is_lost ? m->count : raw;
	*is_lost = m->is_lost || !is_possible(g, m, distance(g, m, raw));
	return m->count + (*is_lost ? 0 : distance(g, m, raw));
}

/*
 * In a forked child: what the counters went on since the copy was made. Flags of overflow would be cleared by asking for them, so the time
 * that passed tells wraps. Who takes turns writes, and the copy does not know.
 */
static int read_in_child(const struct nti_bank_group *g, struct nti_perf_reading *out)
{
	uint64_t raw, unsure = 0, lost = 0, missing = 0;
	size_t k;

	if (__atomic_load_n(&g->banks->is_changing, __ATOMIC_SEQ_CST))
		return -EIO;
	if (is_gone(g)) {
		report(g, now_ns(g->banks), out);
		return 0;
	}
	if (!is_alone(g))
		return -EIO;
	hw_of(g)->ops->begin(hw_of(g));
	for (k = 0; k < g->count; k++) {
		const struct member *m = &g->member[k];
		int ret = hw_of(g)->ops->read(hw_of(g), m->event.seat, &raw);
		bool is_lost;

		if (ret == -ENODATA) {
			missing |= (uint64_t)1 << k;
			raw = m->raw;
		} else if (ret < 0) {
			return ret;
		}
		out->count[k] = count_in_child(g, m, raw, &is_lost);
		if (m->is_unsure || (!is_state(g, m) && could_exceed(g, m, now_ns(g->banks),
								     range_of(width_of(g, m)))))
			unsure |= (uint64_t)1 << k;
		lost |= (uint64_t)is_lost << k;
	}
	read_times(g, now_ns(g->banks), out);
	out->overflowed = unsure;
	out->lost = lost;
	out->missing = missing;
	return 0;
}

static int look_now(struct nti_bank_group *g)
{
	int ret = check_now_and_then(g);

	return ret == 0 && g->is_on ? look(g) : ret;
}

static int read_group(struct nti_bank_group *g, struct nti_perf_reading *out)
{
	uint64_t now = now_ns(g->banks);
	int ret = settle_error(g, look_now(g));

	if (ret == 0)
		report(g, now, out);
	return ret;
}

int nti_bank_group_read(struct nti_bank_group *g, struct nti_perf_reading *out)
{
	int ret;

	if (is_child(g->banks))
		return read_in_child(g, out);
	lock(g->banks);
	ret = read_group(g, out);
	unlock(g->banks);
	return ret;
}

void nti_bank_group_free(struct nti_bank_group *g)
{
	struct nti_bank_group **at;
	struct bank *bank;

	if (!g)
		return;
	bank = g->bank;
	/* What cannot be stopped is tried again when it is given back. What is somebody else's by now is left alone. */
	if (bank->on == g && g->is_counting && !is_child(g->banks))
		(void)end_turn(g, now_ns(g->banks));
	if (bank->on == g)
		bank->on = NULL;
	for (at = &bank->first; *at != g; at = &(*at)->next)
		;
	*at = g->next;
	free(g);
}

/* What reading takes beside the time between two reads: an eighth of it, generously. */
static uint64_t horizon_of(const struct nti_bank_group *g)
{
	uint64_t least = UINT64_MAX, ns;
	size_t k;

	for (k = 0; k < g->count; k++) {
		unsigned int width = width_of(g, &g->member[k]);

		/* 64 bits outlast everybody. */
		ns = width && width < 64 ? time_for(hw_of(g), range_of(width)) : UINT64_MAX;
		if (ns < UINT64_MAX)
			ns -= ns / 8;
		least = ns < least ? ns : least;
	}
	return least;
}

uint64_t nti_banks_horizon_ns(const struct nti_banks *banks)
{
	const struct nti_bank_group *g;
	uint64_t least = UINT64_MAX, ns;
	size_t i;

	for (i = 0; i < banks->count; i++) {
		for (g = banks->bank[i]->first; g; g = g->next) {
			ns = horizon_of(g);
			least = ns < least ? ns : least;
		}
	}
	return least;
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
static bool set_window(const struct nti_bank_group *g, const struct member *m, uint64_t ticks,
		       struct nti_bank_inline *out)
{
	double ticks_per_event = clock_hz() / 1e6 / (double)hw_of(g)->events_per_us;

	out->limit = (uint64_t)((double)range_of(width_of(g, m)) * ticks_per_event);
	out->origin = ticks - (uint64_t)((double)m->raw * ticks_per_event) - 1;
	return out->limit > 0;
}

/* What user mode reads of @m: the register holds the count, or the lower part of it. @ticks: the clock before it was looked at. */
static bool set_inline(const struct nti_bank_group *g, const struct member *m, uint64_t ticks,
		       struct nti_bank_inline *out)
{
	out->base = m->count - m->raw;
	out->origin = 0;
	out->limit = UINT64_MAX;
	if (!g->is_on || m->is_unsure || m->is_lost)
		return false;
	if (width_of(g, m) < WIDE)
		return set_window(g, m, ticks, out);
	/* x86's inline code adds nothing, and makes the call from the counter's highest bit on. */
	return !out->base && !(m->raw >> (WIDE - 1));
}

static bool look_inline(struct nti_bank_group *g, size_t member, struct nti_bank_inline *out)
{
	uint64_t ticks = clock_ticks();

	return g->is_on && look(g) == 0 && set_inline(g, &g->member[member], ticks, out);
}

bool nti_bank_group_window(struct nti_bank_group *g, size_t member, struct nti_bank_inline *out)
{
	bool is_good;

	if (is_child(g->banks))
		return false;
	lock(g->banks);
	is_good = look_inline(g, member, out);
	unlock(g->banks);
	return is_good;
}

int nti_bank_group_inline(struct nti_bank_group *g, size_t member, struct nti_bank_inline *out)
{
	struct ntime_page page;
	int ret = -ENOTSUP;

	if (is_child(g->banks))
		return ret;
	lock(g->banks);
	if (is_alone(g))
		ret = hw_of(g)->ops->describe(hw_of(g), g->member[member].event.seat, &page);
	if (ret == 0 && (page.type != NTIME_PAGE_PMC || page.cpu != g->bank->cpu ||
			 !look_inline(g, member, out)))
		ret = -ENOTSUP;
	if (ret == 0)
		out->index = page.index;
	unlock(g->banks);
	return ret;
}
