/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Inside of card.c and card_count.c: one card and the events that perf has of it. */
#ifndef NTD_CARD_INNER_H
#define NTD_CARD_INNER_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/seq/nv50_pm.h"
#include "driver/card.h"
#include "driver/who.h"

/* An event of perf's, from event_init to destroy. */
struct ntd_user {
	struct list_head node; /* in ntd_card.users */
	struct list_head added; /* in ntd_card.added; empty: perf does not count it now */
	struct perf_event *event;
	struct nthw_nv50_event what;
	u32 counter; /* NTHW_NV50_COUNTERS: none yet */
	bool is_failed; /* its count is none any more */
	bool is_ended; /* and perf knows */
	struct ntd_who who;
};

/* What can be counted at one time. Events that are equal have one counter. */
struct plan {
	const struct nthw_nv50_event *event[NTHW_NV50_COUNTERS];
	u32 counter[NTHW_NV50_COUNTERS];
	unsigned int count;
	u64 taken;
};

struct ntd_card {
	struct pmu pmu; /* first */
	struct hlist_node cpu_node;
	const struct nthw_nv_chip *chip;
	struct ntd_device *device;
	struct ntd_unit *unit; /* of the device, with a reference: it stays */
	char name[16];
	int cpu; /* that all events are on; -1: none yet */
	bool is_registered; /* with perf, which has a context for it then */
	raw_spinlock_t lock; /* of what follows, and of every access; ntd_card_lock() */
	int holder; /* the CPU that has the lock; -1: none */
	struct list_head users, added;
	void __iomem *map; /* while users are; NULL: the device is not to be touched */
	bool is_held; /* it goes, or a driver comes or has it */
	bool is_asleep; /* the machine is */
	bool is_changed; /* .added is not what is programmed */
	bool is_running;
	unsigned int txn; /* PERF_PMU_TXN_*: what perf is about to do */
	int txn_error; /* of a read */
	struct nthw_io io;
	struct nthw_nv50_pm pm;
	struct nthw_nv50_state state;
	struct nthw_nv50_period period;
	u32 units; /* as NTHW_NV_UNITS has them */
	struct hrtimer timer;
	ktime_t interval;
	struct irq_work fail_irq; /* begins .failing: who fails may hold a run queue's lock */
	struct work_struct failing;
	struct ntd_user *busy; /* whom .failing is at */
	wait_queue_head_t wait;
};

static inline struct ntd_card *card_of(struct pmu *pmu)
{
	return (struct ntd_card *)pmu;
}

static inline struct ntd_user *user_of(const struct perf_event *event)
{
	return event->pmu_private;
}

/*
 * With interrupts off. perf reads from anywhere, on this CPU also while it has the lock: from an
 * NMI, and from a tracepoint in what is called under it. .holder tells.
 */
static inline void ntd_card_lock(struct ntd_card *card)
{
	raw_spin_lock(&card->lock);
	WRITE_ONCE(card->holder, smp_processor_id());
}

static inline void ntd_card_unlock(struct ntd_card *card)
{
	WRITE_ONCE(card->holder, -1);
	raw_spin_unlock(&card->lock);
}

static inline void ntd_card_lock_irq(struct ntd_card *card)
{
	local_irq_disable();
	ntd_card_lock(card);
}

static inline void ntd_card_unlock_irq(struct ntd_card *card)
{
	ntd_card_unlock(card);
	local_irq_enable();
}

/* ---- card_count.c: what perf counts ---- */

/* The counter of @event beside what is planned; NTHW_NV50_COUNTERS: there is no room. */
u32 ntd_card_plan(const struct ntd_card *card, struct plan *plan,
		  const struct nthw_nv50_event *event);
/* All under ntd_card.lock. The period ends, and goes to the events: 0, or they are failed. */
int ntd_card_collect(struct ntd_card *card);
/* What was counted is less than it should be: all events end as errors, soon. */
void ntd_card_fail(struct ntd_card *card);
/* Count what is added, and nothing else. */
void ntd_card_set_up(struct ntd_card *card);
/* Of a new card: its registers, its timer, and what perf calls to count. */
void ntd_card_init_counting(struct ntd_card *card);

#endif
