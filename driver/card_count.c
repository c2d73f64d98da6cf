// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Counting with a graphics card for perf.
 *
 * A period is the whole card's: who reads one event ends it for all, and what it had goes to each.
 * So nothing is lost by reading; but who comes or goes has all of them programmed anew, and the
 * others miss the microseconds that this takes. Whatever makes a count less than it should be (a
 * card that does not answer, another program's trigger, a driver that comes) makes all events
 * errors, of which perf reads nothing: perf has no other word for a number that is not good.
 *
 * perf calls with interrupts off, on the CPU that the events are on.
 */
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/kernel.h>

#include "driver/card_inner.h"

/* ---- registers ---- */

static int card_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, u32 address,
		     u64 *value)
{
	struct ntd_card *card = container_of(io, struct ntd_card, io);

	if (!card->map || address > NTHW_NV_COUNTING_BYTES - 4)
		return -ENODEV;
	*value = readl(card->map + address);
	return 0;
}

static int card_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, u32 address,
		      u64 value)
{
	struct ntd_card *card = container_of(io, struct ntd_card, io);

	if (!card->map || address > NTHW_NV_COUNTING_BYTES - 4)
		return -ENODEV;
	writel((u32)value, card->map + address);
	return 0;
}

/* ---- counting, all under ntd_card.lock ---- */

/* Who reads before perf knows has 0, and no time in which it was counted. */
static void fail_user(struct ntd_card *card, struct ntd_user *user)
{
	user->is_failed = true;
	local64_set(&user->event->count, 0);
	irq_work_queue(&card->fail_irq);
}

void ntd_card_fail(struct ntd_card *card)
{
	struct ntd_user *user;

	lockdep_assert_held(&card->lock);
	card->is_running = false;
	/* What it cannot put back now it tries again when the next one counts. */
	(void)nthw_nv50_restore(&card->pm, &card->state);
	list_for_each_entry(user, &card->users, node)
		fail_user(card, user);
}

static void add_period(struct ntd_card *card)
{
	struct ntd_user *user;

	list_for_each_entry(user, &card->added, added)
		if (user->counter < NTHW_NV50_COUNTERS)
			local64_add(card->period.count[user->counter], &user->event->count);
}

/* The period ends, and goes to the events. */
int ntd_card_collect(struct ntd_card *card)
{
	int ret;

	lockdep_assert_held(&card->lock);
	if (!card->is_running)
		return 0;
	ret = ntd_mmio_is_lent(card->device) ? 0 : -ENODEV;
	if (!ret)
		ret = nthw_nv50_end(&card->pm, &card->state, &card->period);
	if (!ret && card->period.unsure)
		ret = -EIO;
	if (ret)
		ntd_card_fail(card);
	else
		add_period(card);
	return ret;
}

/* And nobody has set something else up since, whose events it would have counted. */
static int collect_and_check(struct ntd_card *card)
{
	bool is_running = card->is_running;
	u64 lost = 0;
	int ret = ntd_card_collect(card);

	if (ret || !is_running)
		return ret;
	ret = nthw_nv50_check(&card->pm, &card->state, &lost);
	if (!ret && lost)
		ret = -EIO;
	if (ret)
		ntd_card_fail(card);
	return ret;
}

/*
 * The counter of @event beside what is planned; NTHW_NV50_COUNTERS: there is no room. A sum takes
 * EVENT and START, which others take last: so any order finds room where one does.
 */
u32 ntd_card_plan(const struct ntd_card *card, struct plan *plan,
		  const struct nthw_nv50_event *event)
{
	static const u32 order[] = { NTHW_NV50_STOP, NTHW_NV50_PRE, NTHW_NV50_START,
				     NTHW_NV50_EVENT };
	u64 can = nthw_nv50_counters(card->chip, event) & ~plan->taken;
	u32 counter = can ? __ffs64(can) : 0;
	unsigned int i;

	for (i = 0; i < plan->count; i++) {
		if (!memcmp(plan->event[i], event, sizeof(*event)))
			return plan->counter[i];
		if (!nthw_nv50_can_share(plan->event[i], event))
			return NTHW_NV50_COUNTERS;
	}
	if (!can || nthw_nv50_also(event) & plan->taken)
		return NTHW_NV50_COUNTERS;
	for (i = ARRAY_SIZE(order); !event->is_clocks && i--;)
		if (can >> (NTHW_NV50_SLOTS * event->domain + order[i]) & 1)
			counter = NTHW_NV50_SLOTS * event->domain + order[i];
	plan->taken |= BIT_ULL(counter) | nthw_nv50_also(event);
	plan->event[plan->count] = event;
	plan->counter[plan->count++] = counter;
	return counter;
}

/* Of all that are added: there is room. */
static void give_counters(struct ntd_card *card)
{
	struct plan plan = { .count = 0 };
	struct ntd_user *user;

	list_for_each_entry(user, &card->added, added)
		user->counter = ntd_card_plan(card, &plan, &user->what);
}

/*
 * Writing the function of a PRE counter ends a period: they come last. Who cannot be goes to *@bad.
 */
static int program(struct ntd_card *card, struct ntd_user **bad)
{
	struct ntd_user *user;
	u64 done = 0;
	int pre, ret;

	for (pre = 0; pre <= 1; pre++)
		list_for_each_entry(user, &card->added, added) {
			bool is_pre = !user->what.is_clocks &&
				      user->counter % NTHW_NV50_SLOTS == NTHW_NV50_PRE;

			if (is_pre != pre || done >> user->counter & 1)
				continue;
			done |= BIT_ULL(user->counter);
			*bad = user;
			ret = nthw_nv50_program(&card->pm, user->counter, &user->what,
						&card->state);
			if (ret)
				return ret;
		}
	return 0;
}

/* An event that the card does not take, a value that no register keeps, ends alone. */
static int program_all(struct ntd_card *card)
{
	struct ntd_user *bad;
	int ret;

	do {
		ret = nthw_nv50_restore(&card->pm, &card->state);
		if (ret)
			return ret;
		give_counters(card);
		ret = program(card, &bad);
		if (ret) {
			fail_user(card, bad);
			list_del_init(&bad->added);
		}
	} while (ret && !list_empty(&card->added));
	return ret;
}

/* Before any counter that is used can be full. */
static ktime_t interval_of(const struct ntd_card *card)
{
	const struct ntd_user *user;
	u64 ns = U64_MAX;

	list_for_each_entry(user, &card->added, added)
		ns = min(ns, nthw_nv50_horizon_ns(&user->what) / 2);
	return ns_to_ktime(ns);
}

/* Count what is added, and nothing else. */
void ntd_card_set_up(struct ntd_card *card)
{
	int ret;

	lockdep_assert_held(&card->lock);
	if (!card->is_changed || card->is_asleep || card->txn & PERF_PMU_TXN_ADD)
		return;
	if (ntd_card_collect(card))
		return;
	card->is_changed = false;
	card->is_running = false;
	if (list_empty(&card->added)) {
		(void)nthw_nv50_restore(&card->pm, &card->state);
		hrtimer_try_to_cancel(&card->timer);
		return;
	}
	ret = card->is_held || !ntd_mmio_is_lent(card->device) ? -ENODEV : program_all(card);
	if (!ret)
		ret = nthw_nv50_begin(&card->pm, &card->state);
	if (ret) {
		ntd_card_fail(card);
		return;
	}
	card->is_running = true;
	card->interval = interval_of(card);
	hrtimer_start(&card->timer, card->interval, HRTIMER_MODE_REL_PINNED_HARD);
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct ntd_card *card = container_of(timer, struct ntd_card, timer);
	bool is_running;

	ntd_card_lock(card);
	(void)collect_and_check(card);
	/* Another CPU, to which events moved, has started it anew already. */
	is_running = card->is_running && !hrtimer_is_queued(timer);
	if (is_running)
		hrtimer_forward_now(timer, card->interval);
	ntd_card_unlock(card);
	return is_running ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* ---- events that fail ---- */

static struct ntd_user *next_failed(struct ntd_card *card)
{
	struct ntd_user *user, *found = NULL;

	ntd_card_lock_irq(card);
	list_for_each_entry(user, &card->users, node)
		/* perf can switch it off when it has a context; pmu_add() tells again. */
		if (user->is_failed && !user->is_ended && READ_ONCE(user->event->ctx) && !found)
			found = user;
	if (found)
		found->is_ended = true;
	card->busy = found;
	ntd_card_unlock_irq(card);
	return found;
}

/*
 * An event in error state is read as nothing, by whoever. perf has no function that puts one there:
 * it is switched off, and its state is written under the lock that guards it.
 */
static void end_event(struct perf_event *event)
{
	struct perf_event_context *ctx;

	perf_event_disable(event);
	ctx = READ_ONCE(event->ctx);
	raw_spin_lock_irq(&ctx->lock);
	if (event->state == PERF_EVENT_STATE_OFF)
		event->state = PERF_EVENT_STATE_ERROR;
	raw_spin_unlock_irq(&ctx->lock);
}

/* Takes perf's mutexes, so nobody waits for it but destroy(), which is called with none. */
static void end_failed(struct work_struct *work)
{
	struct ntd_card *card = container_of(work, struct ntd_card, failing);
	struct ntd_user *user;

	while ((user = next_failed(card))) {
		/* Contexts change when a CPU goes. */
		cpus_read_lock();
		end_event(user->event);
		cpus_read_unlock();
		WRITE_ONCE(card->busy, NULL);
		wake_up_all(&card->wait);
	}
}

static void on_fail_irq(struct irq_work *work)
{
	schedule_work(&container_of(work, struct ntd_card, fail_irq)->failing);
}

/* ---- what perf asks for ---- */

static void pmu_enable(struct pmu *pmu)
{
	struct ntd_card *card = card_of(pmu);

	ntd_card_lock(card);
	ntd_card_set_up(card);
	ntd_card_unlock(card);
}

static void pmu_disable(struct pmu *pmu)
{
}

static int pmu_add(struct perf_event *event, int flags)
{
	struct ntd_card *card = card_of(event->pmu);
	struct ntd_user *user = user_of(event), *other;
	struct plan plan = { .count = 0 };
	int ret = 0;

	ntd_card_lock(card);
	if (card->is_held || user->is_failed)
		ret = -ENODEV;
	/* Switched on again, or failed before perf had a context for it. */
	if (user->is_failed) {
		user->is_ended = false;
		event->total_time_running = 0;
		irq_work_queue(&card->fail_irq);
	}
	list_for_each_entry(other, &card->added, added)
		(void)ntd_card_plan(card, &plan, &other->what);
	if (!ret && ntd_card_plan(card, &plan, &user->what) == NTHW_NV50_COUNTERS)
		ret = -EAGAIN;
	if (!ret) {
		user->counter = NTHW_NV50_COUNTERS;
		list_add_tail(&user->added, &card->added);
		card->is_changed = true;
	}
	ntd_card_unlock(card);
	return ret;
}

static void pmu_del(struct perf_event *event, int flags)
{
	struct ntd_card *card = card_of(event->pmu);

	ntd_card_lock(card);
	(void)collect_and_check(card);
	list_del_init(&user_of(event)->added);
	card->is_changed = true;
	ntd_card_unlock(card);
}

/* perf asks for it to sample, which is refused. */
static void pmu_start_or_stop(struct perf_event *event, int flags)
{
}

/*
 * perf cannot be told that reading one event failed, before that is in error state: but who has not
 * run has no count. Who reads while this CPU counts has what was counted last.
 */
static void pmu_read(struct perf_event *event)
{
	struct ntd_card *card = card_of(event->pmu);

	if (READ_ONCE(card->holder) == smp_processor_id())
		return;
	/* start_txn() has, on this CPU. */
	if (!(card->txn & PERF_PMU_TXN_READ)) {
		ntd_card_lock(card);
		(void)ntd_card_collect(card);
		ntd_card_unlock(card);
	}
	if (!READ_ONCE(user_of(event)->is_failed))
		return;
	event->total_time_running = 0;
	card->txn_error = -EIO;
}

/* A group is programmed once, and read at one moment. */
static void start_txn(struct pmu *pmu, unsigned int what)
{
	struct ntd_card *card = card_of(pmu);

	ntd_card_lock(card);
	card->txn_error = 0;
	if (what & PERF_PMU_TXN_READ)
		(void)ntd_card_collect(card);
	card->txn = what;
	ntd_card_unlock(card);
}

static void cancel_txn(struct pmu *pmu)
{
	struct ntd_card *card = card_of(pmu);

	ntd_card_lock(card);
	card->txn = 0;
	ntd_card_set_up(card);
	ntd_card_unlock(card);
}

static int commit_txn(struct pmu *pmu)
{
	struct ntd_card *card = card_of(pmu);
	bool is_read = card->txn & PERF_PMU_TXN_READ;

	cancel_txn(pmu);
	return is_read ? card->txn_error : 0;
}

void ntd_card_init_counting(struct ntd_card *card)
{
	card->pmu.pmu_enable = pmu_enable;
	card->pmu.pmu_disable = pmu_disable;
	card->pmu.add = pmu_add;
	card->pmu.del = pmu_del;
	card->pmu.start = pmu_start_or_stop;
	card->pmu.stop = pmu_start_or_stop;
	card->pmu.read = pmu_read;
	card->pmu.start_txn = start_txn;
	card->pmu.commit_txn = commit_txn;
	card->pmu.cancel_txn = cancel_txn;
	raw_spin_lock_init(&card->lock);
	card->holder = -1;
	INIT_LIST_HEAD(&card->users);
	INIT_LIST_HEAD(&card->added);
	card->io = (struct nthw_io){ .read = card_read, .write = card_write };
	card->pm = (struct nthw_nv50_pm){ .chip = card->chip, .io = &card->io };
	hrtimer_init(&card->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	card->timer.function = on_timer;
	init_irq_work(&card->fail_irq, on_fail_irq);
	INIT_WORK(&card->failing, end_failed);
	init_waitqueue_head(&card->wait);
}
