// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * ARM: take the whole monitor of a CPU from perf, and give it back as it was.
 *
 * The kernel has no call for that. A pinned kernel event on each counter keeps others away, but not
 * perf itself: each time perf reschedules the CPU's events, as when anybody opens a pinned one, it
 * takes them off and on again and writes event, filter and count of each anew (Linux 6.1
 * drivers/perf/arm_pmu.c, armpmu_start() and armpmu_event_set_period()), over what our writers
 * wrote: wrong numbers. Pinned events also push away the counters of a "perf stat -a" instead of
 * failing, and who is not root may not make them. So we mark all counters as used in the allocation
 * map of perf's driver (struct pmu_hw_events in include/linux/perf/arm_pmu.h), on the CPU itself
 * with interrupts off, which is how perf allocates them. An event of perf then finds no counter, as
 * when others have them, and no handler touches a counter without event.
 *
 * Between, perf may still set the enable bit of the whole monitor (armpmu_enable(), at context
 * switches of tasks with events); counters have their own enable bits on ARMv7 and later.
 */
#include <linux/cpu_pm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf/arm_pmu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "driver/arm.h"

/* Of one CPU. */
struct reservation {
	unsigned int users; /* under reserve_lock */
	bool is_held; /* read and written on the CPU itself, or while it is off line */
	bool is_asleep; /* .slept is valid */
	struct ntd_arm_state found; /* when it was reserved */
	struct ntd_arm_state slept; /* when the CPU lost power */
};

static DEFINE_MUTEX(reserve_lock);
static struct reservation __percpu *reservations;

#if IS_ENABLED(CONFIG_ARM_PMU)

#define MAX_PMUS 8 /* kinds of core in one machine: 3 are the most that were ever built */

/* Grows only, under reserve_lock; readers need none. perf never takes such a PMU away again. */
static struct arm_pmu *pmus[MAX_PMUS];

static struct arm_pmu *known_pmu(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < MAX_PMUS; i++) {
		struct arm_pmu *pmu = READ_ONCE(pmus[i]);

		if (!pmu)
			break;
		if (cpumask_test_cpu(cpu, &pmu->supported_cpus))
			return pmu;
	}
	return NULL;
}

/* Which PMU would serve a cycle event of the CPU? An event that is never enabled tells. */
static int find_perf(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	struct perf_event *event;
	struct arm_pmu *pmu;
	unsigned int i;

	event = perf_event_create_kernel_counter(&attr, (int)cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENOMEM ? -ENOMEM : 0;
	pmu = to_arm_pmu(event->pmu);
	/*
	 * Only in a struct arm_pmu the attributes of the PMU lie behind it (Linux 6.1
	 * drivers/perf/arm_pmu.c, __armpmu_alloc()).
	 */
	if (event->pmu->attr_groups == pmu->attr_groups) {
		mutex_lock(&reserve_lock);
		for (i = 0; i < MAX_PMUS && pmus[i] && pmus[i] != pmu; i++)
			;
		if (i < MAX_PMUS && !pmus[i])
			WRITE_ONCE(pmus[i], pmu);
		mutex_unlock(&reserve_lock);
	}
	perf_event_release_kernel(event);
	return 0;
}

struct finding {
	struct work_struct work;
	unsigned int cpu;
	int ret;
};

static void find_work(struct work_struct *work)
{
	struct finding *f = container_of(work, struct finding, work);

	f->ret = find_perf(f->cpu);
}

/* Not everybody may make events of a CPU; threads of the kernel may. */
static int ensure_perf(unsigned int cpu)
{
	struct finding f = { .cpu = cpu };

	if (known_pmu(cpu))
		return 0;
	INIT_WORK_ONSTACK(&f.work, find_work);
	queue_work(system_unbound_wq, &f.work);
	flush_work(&f.work);
	destroy_work_on_stack(&f.work);
	return f.ret;
}

static unsigned long *used_of(unsigned int cpu)
{
	struct arm_pmu *pmu = known_pmu(cpu);

	return pmu ? per_cpu_ptr(pmu->hw_events, cpu)->used_mask : NULL;
}

struct pmu *ntd_arm_perf(unsigned int cpu)
{
	struct arm_pmu *pmu = known_pmu(cpu);

	return pmu ? &pmu->pmu : NULL;
}

/* On that CPU with interrupts off. */
static bool take_counters(void)
{
	unsigned long *used = used_of(smp_processor_id());

	if (!used)
		return true;
	if (!bitmap_empty(used, ARMPMU_MAX_HWEVENTS))
		return false;
	bitmap_fill(used, ARMPMU_MAX_HWEVENTS);
	return true;
}

/*
 * Bit by bit, each atomic, as perf allocates them: the CPU may be off line, and come back in this
 * moment.
 */
static void leave_counters(unsigned int cpu)
{
	unsigned long *used = used_of(cpu);
	unsigned int i;

	for (i = 0; used && i < ARMPMU_MAX_HWEVENTS; i++)
		clear_bit(i, used);
}

static bool are_counters_used(void)
{
	unsigned long *used = used_of(smp_processor_id());

	return used && !bitmap_empty(used, ARMPMU_MAX_HWEVENTS);
}

#else

static int ensure_perf(unsigned int cpu)
{
	return 0;
}

struct pmu *ntd_arm_perf(unsigned int cpu)
{
	return NULL;
}

static bool take_counters(void)
{
	return true;
}

static void leave_counters(unsigned int cpu)
{
}

static bool are_counters_used(void)
{
	return false;
}

#endif

bool ntd_arm_is_held(void)
{
	return this_cpu_ptr(reservations)->is_held;
}

bool ntd_arm_is_held_on(unsigned int cpu)
{
	return READ_ONCE(per_cpu_ptr(reservations, cpu)->is_held);
}

bool ntd_arm_is_perf_counting(void)
{
	return !ntd_arm_is_held() && are_counters_used();
}

/* ---- reserve and release ---- */

static void reserve_here(void *result)
{
	struct reservation *r = this_cpu_ptr(reservations);
	int *ret = result;

	if (!take_counters()) {
		*ret = -EBUSY;
		return;
	}
	ntd_arm_save(&r->found);
	WRITE_ONCE(r->is_held, true);
	*ret = 0;
}

static void release_here(void *unused)
{
	struct reservation *r = this_cpu_ptr(reservations);

	ntd_arm_restore(&r->found);
	WRITE_ONCE(r->is_held, false);
	leave_counters(smp_processor_id());
}

int ntd_arch_reserve(unsigned int cpu)
{
	struct reservation *r = per_cpu_ptr(reservations, cpu);
	int ret = 0;
	int sent;

	mutex_lock(&reserve_lock);
	if (!r->users) {
		sent = smp_call_function_single(cpu, reserve_here, &ret, 1);
		if (sent)
			ret = -ENODEV;
	}
	if (!ret)
		r->users++;
	mutex_unlock(&reserve_lock);
	return ret;
}

void ntd_arch_release(unsigned int cpu)
{
	struct reservation *r = per_cpu_ptr(reservations, cpu);

	mutex_lock(&reserve_lock);
	if (!--r->users && smp_call_function_single(cpu, release_here, NULL, 1)) {
		/*
		 * The CPU is off line. It starts with a monitor that perf has reset, so there is
		 * nothing to put back.
		 */
		WRITE_ONCE(r->is_held, false);
		leave_counters(cpu);
	}
	mutex_unlock(&reserve_lock);
}

/* ---- loss of power while idle or suspended ---- */

/*
 * perf's driver stops and resets the monitor around a power-down and starts only its own events
 * again (Linux 6.1 drivers/perf/arm_pmu.c, cpu_pm_pmu_notify()). Notifiers are called in the order
 * of their priority, so one of ours comes before perf's and one behind it.
 */
static int save_notify(struct notifier_block *block, unsigned long what, void *unused)
{
	struct reservation *r = this_cpu_ptr(reservations);

	if (what != CPU_PM_ENTER || !ntd_arm_is_here())
		return NOTIFY_OK;
	r->is_asleep = ntd_arm_is_held() || (ntd_arm_is_shared() && !ntd_arm_is_perf_counting());
	if (r->is_asleep)
		ntd_arm_save(&r->slept);
	return NOTIFY_OK;
}

static int restore_notify(struct notifier_block *block, unsigned long what, void *unused)
{
	struct reservation *r = this_cpu_ptr(reservations);

	if (what != CPU_PM_EXIT && what != CPU_PM_ENTER_FAILED)
		return NOTIFY_OK;
	if (r->is_asleep)
		ntd_arm_restore(&r->slept);
	r->is_asleep = false;
	return NOTIFY_OK;
}

static struct notifier_block save_block = { .notifier_call = save_notify, .priority = 100 };
static struct notifier_block restore_block = { .notifier_call = restore_notify, .priority = -100 };

static int ensure_perf_everywhere(void)
{
	unsigned int cpu;
	int ret = 0;

	for_each_online_cpu(cpu)
		ret = ret ?: ensure_perf(cpu);
	return ret;
}

int ntd_arm_reserve_init(void)
{
	int ret = ensure_perf_everywhere();

	if (ret)
		return ret;
	reservations = alloc_percpu(struct reservation);
	if (!reservations)
		return -ENOMEM;
	ret = cpu_pm_register_notifier(&save_block);
	if (ret)
		goto err_free;
	ret = cpu_pm_register_notifier(&restore_block);
	if (ret)
		goto err_save;
	return 0;
err_save:
	cpu_pm_unregister_notifier(&save_block);
err_free:
	free_percpu(reservations);
	return ret;
}

void ntd_arm_reserve_exit(void)
{
	cpu_pm_unregister_notifier(&restore_block);
	cpu_pm_unregister_notifier(&save_block);
	free_percpu(reservations);
}

/*
 * perf leaves nothing behind that it would clear later. But a CPU that came after the module may
 * have a PMU of another kind. It is looked for here, not in the CPU's hotplug callback: an event
 * takes memory and perf's mutex of the CPU's events, which perf holds over user memory.
 */
int ntd_arch_claim_begin(unsigned int cpu)
{
	return ensure_perf(cpu);
}

void ntd_arch_claim_end(unsigned int cpu)
{
}
