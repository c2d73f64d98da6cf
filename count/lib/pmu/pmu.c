// SPDX-License-Identifier: MIT
/*
 * The PMU instances of a session: taken, given back, and why one cannot be had. What hardware it
 * is, core_hw.c and box_hw.c know.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/names.h"
#include "count/lib/access/why.h"
#include "count/lib/pmu/pmu_group.h"
#include "base/common/grow.h"
#include "base/os/process.h"

void nti_pmu_lock(struct nti_pmus *pmus)
{
	(void)pthread_mutex_lock(&pmus->lock);
	__atomic_store_n(&pmus->is_changing, true, __ATOMIC_SEQ_CST);
}

void nti_pmu_unlock(struct nti_pmus *pmus)
{
	__atomic_store_n(&pmus->is_changing, false, __ATOMIC_SEQ_CST);
	(void)pthread_mutex_unlock(&pmus->lock);
}

int nti_pmus_new(struct nti_os *os, const char *context, struct nti_pmus **out)
{
	struct nti_pmus *pmus = calloc(1, sizeof(*pmus));
	int ret;

	*out = NULL;
	if (!pmus)
		return -ENOMEM;
	pmus->os = os;
	pmus->context = context;
	pmus->owner = nti_process_self();
	ret = nti_handles_new(os, &pmus->handles);
	if (ret == 0)
		ret = -pthread_mutex_init(&pmus->lock, NULL);
	if (ret < 0) {
		nti_handles_free(pmus->handles);
		free(pmus);
		return ret;
	}
	*out = pmus;
	return 0;
}

/* In a forked child the registers are its parent's: nothing is restored. */
static void release(const struct nti_pmus *pmus, struct nti_pmu *pmu)
{
	int ret;

	if (nti_pmu_is_child(pmus))
		return;
	ret = pmu->hw->ops->release(pmu->hw);
	/* What could not be written once may be the second time: to leave it would be worse. */
	if (ret < 0)
		ret = pmu->hw->ops->release(pmu->hw);
	if (ret == 0)
		nti_handle_settle(pmu->handle);
}

static void free_pmu(struct nti_pmu *pmu)
{
	free(pmu->hw);
	nti_handle_free(pmu->handle);
	free(pmu);
}

void nti_pmus_free(struct nti_pmus *pmus)
{
	size_t i;

	if (!pmus)
		return;
	/* Stopped before the registers are given back, which is done one after the other. */
	for (i = 0; i < pmus->count; i++)
		release(pmus, pmus->pmu[i]);
	while (pmus->count)
		free_pmu(pmus->pmu[--pmus->count]);
	nti_handles_free(pmus->handles);
	nti_absence_fini(&pmus->refusal);
	(void)pthread_mutex_destroy(&pmus->lock);
	free(pmus->pmu);
	free(pmus);
}

struct nti_pmu *nti_pmu_find(const struct nti_pmus *pmus, const struct nti_unit *unit,
			     unsigned int cpu)
{
	struct nti_pmu *pmu = pmus->slot[cpu % NTI_PMU_SLOTS];

	while (pmu && (pmu->unit != unit || pmu->cpu != cpu))
		pmu = pmu->next_of_cpu;
	return pmu;
}

static void put_into_slot(struct nti_pmus *pmus, struct nti_pmu *pmu)
{
	struct nti_pmu **slot = &pmus->slot[pmu->cpu % NTI_PMU_SLOTS];

	pmu->next_of_cpu = *slot;
	*slot = pmu;
}

static void take_from_slot(struct nti_pmus *pmus, const struct nti_pmu *pmu)
{
	struct nti_pmu **slot = &pmus->slot[pmu->cpu % NTI_PMU_SLOTS];

	while (*slot != pmu)
		slot = &(*slot)->next_of_cpu;
	*slot = pmu->next_of_cpu;
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

static struct wanted request_for(const struct nti_pmus *pmus, const struct nti_unit *unit,
				 unsigned int cpu, enum nti_method method)
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
			    .context = nti_unit_is_context(unit) ? pmus->context : NULL,
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
	return (what->handle.box || !nti_method_get(what->handle.method)->is_guarded) &&
	       what->unit->has_sysfs && (hw->all & ~hw->counters);
}

/* The PMU instance's registers and what it has; ours from now on. */
static int open_pmu(struct nti_pmus *pmus, const struct wanted *what, struct nti_pmu *pmu)
{
	int ret = nti_handle_new(pmus->handles, &what->handle, &pmu->handle);

	if (ret < 0)
		return ret;
	if (what->handle.context)
		ret = nti_mp_hw_new(pmu->handle, &pmu->hw);
	else if (what->handle.card)
		ret = nti_card_hw_new(pmu->handle, what->handle.card->chip, &pmu->hw);
	else if (what->handle.box)
		ret = nti_box_hw_new(pmu->handle, what->handle.box->kind, what->handle.box->number,
				     &pmu->hw);
	else
		ret = nti_core_hw_new(pmus->os, pmu->handle, what->unit, &pmu->hw);
	if (ret == 0 && (!pmu->hw->counters || kernel_may_count(what, pmu->hw)))
		ret = -EBUSY;
	return ret;
}

/* Somebody has counter @counter enabled, and no claim or driver says who. */
static int explain_in_use(const struct nti_pmu_hw *hw, const struct wanted *what,
			  unsigned int counter, struct nti_absence *out)
{
	char name[NTHW_NAME_SIZE], where[NTI_HANDLE_WHERE_BYTES], guess[128];
	struct nti_user user = { .guess = "a program that does not say so" };

	hw->ops->name(hw, counter, name, sizeof(name));
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

static int explain_no_sequence(const struct nti_pmus *pmus, const struct wanted *what,
			       struct nti_absence *out)
{
	char where[NTI_HANDLE_WHERE_BYTES];
	const struct nti_why *why;

	nti_handle_where(&what->handle, where, sizeof(where));
	if (what->handle.card)
		return nti_absence_set(out, NTIME_REASON_FAILED, what->unit->name,
				       "run ntime again",
				       "%s is another chip than before: %s was there", where,
				       what->handle.card->chip->name);
	if (what->unit->kind == NTI_UNIT_CORE)
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, what->unit->name,
				       "count through perf: --via perf",
				       "ntime does not know how to program this processor's core "
				       "PMU");
	/*
	 * Registers that are not there read alike, whether it is the way or the box that is
	 * missing.
	 */
	if (nti_method_probe(pmus->os, what->handle.method, &why) < 0)
		return nti_absence_set_why(out, why);
	return nti_absence_set(out, NTIME_REASON_FAILED, what->unit->name, "ntime list -v",
			       "none of the counters of %s of %s can be read", what->unit->name,
			       where);
}

static int explain(struct nti_pmus *pmus, const struct wanted *what, const struct nti_pmu *pmu,
		   int error, struct nti_absence *out)
{
	const struct nti_pmu_hw *hw = pmu ? pmu->hw : NULL;

	if (!is_countable(what) || (error == -ENOTSUP && pmu && pmu->handle))
		return explain_no_sequence(pmus, what, out);
	if (error == -EBUSY && hw && hw->all & ~hw->counters)
		return explain_in_use(hw, what, nti_pmu_lowest(hw->all & ~hw->counters), out);
	return nti_handles_explain(pmus->handles, &what->handle, error, out);
}

/* Remember why: with the PMU instance goes what it knows. */
static int refuse(struct nti_pmus *pmus, const struct wanted *what, const struct nti_pmu *pmu,
		  int error)
{
	nti_absence_fini(&pmus->refusal);
	pmus->refused = what->unit;
	pmus->refused_cpu = what->handle.cpu;
	return explain(pmus, what, pmu, error, &pmus->refusal);
}

static int add_pmu(struct nti_pmus *pmus, struct nti_pmu *pmu)
{
	if (!nti_grow(&pmus->pmu, pmus->count))
		return -ENOMEM;
	pmus->pmu[pmus->count++] = pmu;
	put_into_slot(pmus, pmu);
	return 0;
}

int nti_pmus_take(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu,
		  enum nti_method method, uint64_t *counters)
{
	const struct wanted what = request_for(pmus, unit, cpu, method);
	struct nti_pmu *pmu = nti_pmu_find(pmus, unit, cpu);
	int ret;

	if (pmu) {
		*counters = pmu->hw->counters;
		return 0;
	}
	pmu = calloc(1, sizeof(*pmu));
	if (!pmu)
		return -ENOMEM;
	pmu->unit = unit;
	pmu->cpu = cpu;
	pmu->box = what.handle.box;
	pmu->method = method;
	ret = is_countable(&what) ? open_pmu(pmus, &what, pmu) : -ENOTSUP;
	if (ret == 0)
		ret = add_pmu(pmus, pmu);
	if (ret < 0) {
		if (refuse(pmus, &what, pmu, ret) < 0)
			ret = -ENOMEM;
		free_pmu(pmu);
		return ret;
	}
	*counters = pmu->hw->counters;
	return 0;
}

/* Those of @unit, or, where @only is not NULL, that one. */
static void give_back(struct nti_pmus *pmus, const struct nti_unit *unit,
		      const struct nti_pmu *only)
{
	size_t i, kept = 0;

	for (i = 0; i < pmus->count; i++) {
		struct nti_pmu *pmu = pmus->pmu[i];

		if (pmu->unit != unit || (only && pmu != only)) {
			pmus->pmu[kept++] = pmu;
			continue;
		}
		release(pmus, pmu);
		take_from_slot(pmus, pmu);
		free_pmu(pmu);
	}
	pmus->count = kept;
}

void nti_pmus_give_back(struct nti_pmus *pmus, const struct nti_unit *unit)
{
	give_back(pmus, unit, NULL);
}

void nti_pmus_forget(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu)
{
	const struct nti_pmu *pmu = nti_pmu_find(pmus, unit, cpu);

	if (pmu)
		give_back(pmus, unit, pmu);
}

int nti_pmus_explain(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu,
		     int error, struct nti_absence *out)
{
	const struct nti_pmu *pmu = nti_pmu_find(pmus, unit, cpu);
	const struct wanted what =
		request_for(pmus, unit, cpu, pmu ? pmu->method : NTI_METHOD_PERF);

	if (!pmu && pmus->refused == unit && pmus->refused_cpu == cpu && pmus->refusal.reason)
		return nti_absence_copy(out, &pmus->refusal);
	return explain(pmus, &what, pmu, error, out);
}

int nti_pmus_explain_taken(struct nti_pmus *pmus, const struct nti_unit *unit, unsigned int cpu,
			   uint64_t counters, struct nti_absence *out)
{
	const struct nti_pmu *pmu = nti_pmu_find(pmus, unit, cpu);
	const struct wanted what = request_for(pmus, unit, cpu, NTI_METHOD_PERF);
	uint64_t taken = pmu ? pmu->hw->all & ~pmu->hw->counters & counters : 0;

	if (!taken)
		return 0;
	return explain_in_use(pmu->hw, &what, nti_pmu_lowest(taken), out) < 0 ? -ENOMEM : 1;
}

const char *nti_pmus_error(const struct nti_pmus *pmus, int error)
{
	if (error == -EBUSY)
		return "another program has taken them meanwhile";
	return nti_handles_error(pmus->handles, error);
}

uint64_t nti_pmus_max_read_interval_ns(const struct nti_pmus *pmus)
{
	const struct nti_pmu_group *g;
	uint64_t least = UINT64_MAX, ns;
	size_t i;

	for (i = 0; i < pmus->count; i++) {
		for (g = pmus->pmu[i]->first; g; g = g->next) {
			ns = nti_pmu_max_read_interval_ns(g);
			least = ns < least ? ns : least;
		}
	}
	return least;
}
