// SPDX-License-Identifier: MIT
/*
 * The PMU instances of a session: taken, given back, and why one cannot be had. What hardware it
 * is, core_hw.c and box_hw.c know.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/names.h"
#include "lib/access/why.h"
#include "lib/count/pmu/pmu_group.h"
#include "lib/os/process.h"

void nti_pmu_lock(struct nti_pmus *banks)
{
	(void)pthread_mutex_lock(&banks->lock);
	__atomic_store_n(&banks->is_changing, true, __ATOMIC_SEQ_CST);
}

void nti_pmu_unlock(struct nti_pmus *banks)
{
	__atomic_store_n(&banks->is_changing, false, __ATOMIC_SEQ_CST);
	(void)pthread_mutex_unlock(&banks->lock);
}

int nti_pmus_new(struct nti_os *os, struct nti_pmus **out)
{
	struct nti_pmus *banks = calloc(1, sizeof(*banks));
	int ret;

	*out = NULL;
	if (!banks)
		return -ENOMEM;
	banks->os = os;
	banks->owner = nti_process_self();
	ret = nti_handles_new(os, &banks->handles);
	if (ret == 0)
		ret = -pthread_mutex_init(&banks->lock, NULL);
	if (ret < 0) {
		nti_handles_free(banks->handles);
		free(banks);
		return ret;
	}
	*out = banks;
	return 0;
}

/* In a forked child the registers are its parent's: nothing is restored. */
static void release(const struct nti_pmus *banks, struct nti_pmu *bank)
{
	int ret;

	if (nti_pmu_is_child(banks))
		return;
	ret = bank->hw->ops->release(bank->hw);
	/* What could not be written once may be the second time: to leave it would be worse. */
	if (ret < 0)
		ret = bank->hw->ops->release(bank->hw);
	if (ret == 0)
		nti_handle_settle(bank->handle);
}

static void free_bank(struct nti_pmu *bank)
{
	if (bank->hw)
		bank->hw->ops->free(bank->hw);
	nti_handle_free(bank->handle);
	free(bank);
}

void nti_pmus_free(struct nti_pmus *banks)
{
	size_t i;

	if (!banks)
		return;
	/* Stopped before the registers are given back, which is done one after the other. */
	for (i = 0; i < banks->count; i++)
		release(banks, banks->bank[i]);
	while (banks->count)
		free_bank(banks->bank[--banks->count]);
	nti_handles_free(banks->handles);
	nti_absence_fini(&banks->refusal);
	(void)pthread_mutex_destroy(&banks->lock);
	free(banks->bank);
	free(banks);
}

struct nti_pmu *nti_pmu_find(const struct nti_pmus *banks, const struct nti_unit *unit,
			     unsigned int cpu)
{
	struct nti_pmu *bank = banks->slot[cpu % NTI_PMU_SLOTS];

	while (bank && (bank->unit != unit || bank->cpu != cpu))
		bank = bank->next_of_cpu;
	return bank;
}

static void put_into_slot(struct nti_pmus *banks, struct nti_pmu *bank)
{
	struct nti_pmu **slot = &banks->slot[bank->cpu % NTI_PMU_SLOTS];

	bank->next_of_cpu = *slot;
	*slot = bank;
}

static void take_from_slot(struct nti_pmus *banks, const struct nti_pmu *bank)
{
	struct nti_pmu **slot = &banks->slot[bank->cpu % NTI_PMU_SLOTS];

	while (*slot != bank)
		slot = &(*slot)->next_of_cpu;
	*slot = bank->next_of_cpu;
}

/* A PMU instance that somebody asks for. */
struct wanted {
	const struct nti_unit *unit;
	struct nti_handle_request handle;
};

/* The box of @unit that is counted at @cpu; NULL: it has none, it is a core PMU. */
static const struct nti_unit_box *box_of(const struct nti_unit *unit, unsigned int cpu)
{
	size_t low = 0, high = unit->boxes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (unit->box[middle].cpu == cpu)
			return &unit->box[middle];
		if (unit->box[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static bool is_countable(const struct wanted *what)
{
	return what->handle.box || what->handle.card || what->unit->kind == NTI_UNIT_CORE;
}

static struct wanted request_for(const struct nti_unit *unit, unsigned int cpu,
				 enum nti_method method)
{
	const struct nti_unit_box *box = box_of(unit, cpu);

	return (struct wanted){
		.unit = unit,
		.handle = { .name = unit->name,
			    .scope = unit->scope,
			    .cpu = cpu,
			    .method = method,
			    .box = box,
			    .card = unit->card,
			    .reads_only = box && box->kind->free },
	};
}

/*
 * Somebody counts in a box that the kernel has a driver for: when that driver is done, or its
 * events take turns, it stops and starts the box as a whole, and ours with it (Linux
 * nhm_uncore_msr_disable_box() writes 0 to the global enable). ntime's driver refuses such a box,
 * too. The core PMU likewise (intel_pmu_disable_all()), but through ntime's driver, which has
 * reserved it from perf.
 */
static bool kernel_may_count(const struct wanted *what, const struct nti_pmu_hw *hw)
{
	return (what->handle.box || what->handle.method == NTI_METHOD_MSR) &&
	       what->unit->has_sysfs && (hw->all & ~hw->seats);
}

/* The PMU instance's registers and what it has; ours from now on. */
static int open_bank(struct nti_pmus *banks, const struct wanted *what, struct nti_pmu *bank)
{
	int ret = nti_handle_new(banks->handles, &what->handle, &bank->handle);

	if (ret < 0)
		return ret;
	if (what->handle.card)
		ret = nti_card_hw_new(bank->handle, what->handle.card->chip, &bank->hw);
	else if (what->handle.box)
		ret = nti_box_hw_new(bank->handle, what->handle.box->kind, what->handle.box->number,
				     &bank->hw);
	else
		ret = nti_core_hw_new(banks->os, bank->handle, what->unit, &bank->hw);
	if (ret == 0 && (!bank->hw->seats || kernel_may_count(what, bank->hw)))
		ret = -EBUSY;
	return ret;
}

/* Somebody has counter @seat enabled, and no claim or driver says who. */
static int explain_in_use(const struct nti_pmu_hw *hw, const struct wanted *what, unsigned int seat,
			  struct nti_absence *out)
{
	char name[NTHW_NAME_SIZE], where[NTI_HANDLE_WHERE_BYTES], guess[128];
	struct nti_user user = { .guess = "a program that does not say so" };

	hw->ops->name(hw, seat, name, sizeof(name));
	nti_handle_where(&what->handle, where, sizeof(where));
	if (!what->handle.box) {
		user.guess = "perf, the NMI watchdog or a program that does not say so";
		user.remedy = "end what counts with perf, and the NMI watchdog: sysctl "
			      "kernel.nmi_watchdog=0";
	} else if (what->unit->has_sysfs) {
		(void)snprintf(guess, sizeof(guess),
			       "perf (the kernel's own unit \"%.40s\"), or a program that does not "
			       "say so",
			       what->unit->name);
		user.guess = guess;
		user.remedy = "end what counts there, or count through perf: --via perf";
	}
	return nti_why_in_use(out, &user, "counter %s of %s", name, where);
}

static int explain_no_sequence(const struct nti_pmus *banks, const struct wanted *what,
			       struct nti_absence *out)
{
	char where[NTI_HANDLE_WHERE_BYTES];
	const struct nti_why *why;

	if (what->handle.card)
		return nti_absence_set(out, NTIME_REASON_FAILED, what->unit->name,
				       "run ntime again",
				       "%s is another chip than before: %s was there",
				       what->handle.card->socket, what->handle.card->chip->name);
	if (what->unit->kind == NTI_UNIT_CORE)
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, what->unit->name,
				       "count through perf: --via perf",
				       "ntime does not know how to program this processor's core "
				       "PMU");
	/*
	 * Registers that are not there read alike, whether it is the way or the box that is
	 * missing.
	 */
	if (nti_method_probe(banks->os, what->handle.method, &why) < 0)
		return nti_absence_set_why(out, why);
	nti_handle_where(&what->handle, where, sizeof(where));
	return nti_absence_set(out, NTIME_REASON_FAILED, what->unit->name, "ntime list -v",
			       "none of the counters of %s of %s can be read", what->unit->name,
			       where);
}

static int explain(struct nti_pmus *banks, const struct wanted *what, const struct nti_pmu *bank,
		   int error, struct nti_absence *out)
{
	const struct nti_pmu_hw *hw = bank ? bank->hw : NULL;

	if (!is_countable(what) || (error == -ENOTSUP && bank && bank->handle))
		return explain_no_sequence(banks, what, out);
	if (error == -EBUSY && hw && hw->all & ~hw->seats)
		return explain_in_use(hw, what, nti_pmu_lowest(hw->all & ~hw->seats), out);
	return nti_handles_explain(banks->handles, &what->handle, error, out);
}

/* Remember why: with the PMU instance goes what it knows. */
static int refuse(struct nti_pmus *banks, const struct wanted *what, const struct nti_pmu *bank,
		  int error)
{
	nti_absence_fini(&banks->refusal);
	banks->refused = what->unit;
	banks->refused_cpu = what->handle.cpu;
	return explain(banks, what, bank, error, &banks->refusal);
}

static int add_bank(struct nti_pmus *banks, struct nti_pmu *bank)
{
	struct nti_pmu **bigger = realloc(banks->bank, (banks->count + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	banks->bank = bigger;
	bigger[banks->count++] = bank;
	put_into_slot(banks, bank);
	return 0;
}

int nti_pmus_take(struct nti_pmus *banks, const struct nti_unit *unit, unsigned int cpu,
		  enum nti_method method, uint64_t *seats)
{
	const struct wanted what = request_for(unit, cpu, method);
	struct nti_pmu *bank = nti_pmu_find(banks, unit, cpu);
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
	bank->box = what.handle.box;
	bank->method = method;
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

/* Those of @unit, or, where @only is not NULL, that one. */
static void give_back(struct nti_pmus *banks, const struct nti_unit *unit,
		      const struct nti_pmu *only)
{
	size_t i, kept = 0;

	for (i = 0; i < banks->count; i++) {
		struct nti_pmu *bank = banks->bank[i];

		if (bank->unit != unit || (only && bank != only)) {
			banks->bank[kept++] = bank;
			continue;
		}
		release(banks, bank);
		take_from_slot(banks, bank);
		free_bank(bank);
	}
	banks->count = kept;
}

void nti_pmus_give_back(struct nti_pmus *banks, const struct nti_unit *unit)
{
	give_back(banks, unit, NULL);
}

void nti_pmus_forget(struct nti_pmus *banks, const struct nti_unit *unit, unsigned int cpu)
{
	const struct nti_pmu *bank = nti_pmu_find(banks, unit, cpu);

	if (bank)
		give_back(banks, unit, bank);
}

int nti_pmus_explain(struct nti_pmus *banks, const struct nti_unit *unit, unsigned int cpu,
		     int error, struct nti_absence *out)
{
	const struct nti_pmu *bank = nti_pmu_find(banks, unit, cpu);
	const struct wanted what = request_for(unit, cpu, bank ? bank->method : NTI_METHOD_PERF);

	if (!bank && banks->refused == unit && banks->refused_cpu == cpu && banks->refusal.reason)
		return nti_absence_copy(out, &banks->refusal);
	return explain(banks, &what, bank, error, out);
}

int nti_pmus_explain_taken(struct nti_pmus *banks, const struct nti_unit *unit, unsigned int cpu,
			   uint64_t seats, struct nti_absence *out)
{
	const struct nti_pmu *bank = nti_pmu_find(banks, unit, cpu);
	const struct wanted what = request_for(unit, cpu, NTI_METHOD_PERF);
	uint64_t taken = bank ? bank->hw->all & ~bank->hw->seats & seats : 0;

	if (!taken)
		return 0;
	return explain_in_use(bank->hw, &what, nti_pmu_lowest(taken), out) < 0 ? -ENOMEM : 1;
}

const char *nti_pmus_error(const struct nti_pmus *banks, int error)
{
	if (error == -EBUSY)
		return "another program has taken them meanwhile";
	return nti_handles_error(banks->handles, error);
}

uint64_t nti_pmus_max_read_interval_ns(const struct nti_pmus *banks)
{
	const struct nti_pmu_group *g;
	uint64_t least = UINT64_MAX, ns;
	size_t i;

	for (i = 0; i < banks->count; i++) {
		for (g = banks->bank[i]->first; g; g = g->next) {
			ns = nti_pmu_max_read_interval_ns(g);
			least = ns < least ? ns : least;
		}
	}
	return least;
}
