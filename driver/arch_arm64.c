// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * 64-bit ARM: the architected monitor (PMUv3), and user access to its counters by the rules of
 * perf.
 *
 * Registers and their meaning: ARM DDI 0487 (not opened), as Linux 6.1
 * arch/arm64/kernel/perf_event.c and arch/arm64/include/asm/sysreg.h have them.
 */
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <asm/sysreg.h>

#include "core/regs/regs.h"
#include "driver/arm.h"

/* Addresses of rows. */
#define PMCR NTHW_SYSREG(3, 3, 9, 12, 0)
#define PMCNTENSET NTHW_SYSREG(3, 3, 9, 12, 1)
#define PMCNTENCLR NTHW_SYSREG(3, 3, 9, 12, 2)
#define PMOVSCLR NTHW_SYSREG(3, 3, 9, 12, 3)
#define PMCEID0 NTHW_SYSREG(3, 3, 9, 12, 6)
#define PMCEID1 NTHW_SYSREG(3, 3, 9, 12, 7)
#define PMCCNTR NTHW_SYSREG(3, 3, 9, 13, 0)
#define PMUSERENR NTHW_SYSREG(3, 3, 9, 14, 0)
#define PMOVSSET NTHW_SYSREG(3, 3, 9, 14, 3)
#define PMCCFILTR NTHW_SYSREG(3, 3, 14, 15, 7)
#define PMINTENSET NTHW_SYSREG(3, 0, 9, 14, 1)
#define PMINTENCLR NTHW_SYSREG(3, 0, 9, 14, 2)
#define PMEVCNTR NTHW_SYSREG(3, 3, 14, 8, 0) /* the first of four rows of eight */
#define PMEVTYPER NTHW_SYSREG(3, 3, 14, 12, 0)

#define PMCR_E BIT(0) /* everything counts */
#define PMCR_RESETS (BIT(1) | BIT(2)) /* write only: clear counters */
#define PMCR_N(pmcr) ((unsigned int)((pmcr) >> 11) & 0x1f)
#define PMUVER(dfr0) ((unsigned int)((dfr0) >> 8) & 0xf)
#define PMUVER_V3P5 6
#define PMUVER_OWN 0xf /* not this architecture's */
#define EVENT_CYCLES 0x11
#define ALL_COUNTERS(n) (BIT_ULL(NTD_ARM_CYCLES) | (BIT_ULL(n) - 1))

/* ---- one register ---- */

/* Which of the 31 it is: numbers follow each other by eight, the next eight are 16 on. -1: none. */
static int number_from(u32 first, u32 addr)
{
	u32 offset = addr - first;

	if (addr < first || offset >= 0x40 || offset % 0x10 >= 8 || offset == 0x37)
		return -1;
	return (int)(offset / 0x10 * 8 + offset % 0x10);
}

/*
 * Counters and their types are reached through the selector, since MRS and MSR have the register in
 * the instruction. Programs that may read counters may use the selector too: it is restored.
 */
static u64 get_counter(unsigned int number)
{
	u64 old = read_sysreg(pmselr_el0), value;

	write_sysreg(number, pmselr_el0);
	isb();
	value = read_sysreg(pmxevcntr_el0);
	write_sysreg(old, pmselr_el0);
	isb();
	return value;
}

static u64 get_event(unsigned int number)
{
	u64 old = read_sysreg(pmselr_el0), value;

	write_sysreg(number, pmselr_el0);
	isb();
	value = read_sysreg(pmxevtyper_el0);
	write_sysreg(old, pmselr_el0);
	isb();
	return value;
}

static void set_counter(unsigned int number, u64 value)
{
	u64 old = read_sysreg(pmselr_el0);

	write_sysreg(number, pmselr_el0);
	isb();
	write_sysreg(value, pmxevcntr_el0);
	isb();
	write_sysreg(old, pmselr_el0);
	isb();
}

static void set_event(unsigned int number, u64 value)
{
	u64 old = read_sysreg(pmselr_el0);

	write_sysreg(number, pmselr_el0);
	isb();
	write_sysreg(value, pmxevtyper_el0);
	isb();
	write_sysreg(old, pmselr_el0);
	isb();
}

static unsigned int counters_here(void)
{
	return PMCR_N(read_sysreg(pmcr_el0));
}

/* Is @addr the counter (or type) of a number that this CPU has? */
static bool has_number(u32 first, u32 addr, unsigned int *number)
{
	int found = number_from(first, addr);

	if (found < 0 || found >= (int)counters_here())
		return false;
	*number = (unsigned int)found;
	return true;
}

static int read_register(u32 addr, u64 *value)
{
	unsigned int number;

	switch (addr) {
	case PMCR:
		*value = read_sysreg(pmcr_el0);
		return 0;
	case PMCNTENSET:
		*value = read_sysreg(pmcntenset_el0);
		return 0;
	case PMCNTENCLR:
		*value = read_sysreg(pmcntenclr_el0);
		return 0;
	case PMOVSCLR:
		*value = read_sysreg(pmovsclr_el0);
		return 0;
	case PMOVSSET:
		*value = read_sysreg(pmovsset_el0);
		return 0;
	case PMCEID0:
		*value = read_sysreg(pmceid0_el0);
		return 0;
	case PMCEID1:
		*value = read_sysreg(pmceid1_el0);
		return 0;
	case PMCCNTR:
		*value = read_sysreg(pmccntr_el0);
		return 0;
	case PMCCFILTR:
		*value = read_sysreg(pmccfiltr_el0);
		return 0;
	case PMUSERENR:
		*value = read_sysreg(pmuserenr_el0);
		return 0;
	case PMINTENSET:
		*value = read_sysreg(pmintenset_el1);
		return 0;
	case PMINTENCLR:
		*value = read_sysreg(pmintenclr_el1);
		return 0;
	}
	if (has_number(PMEVCNTR, addr, &number))
		*value = get_counter(number);
	else if (has_number(PMEVTYPER, addr, &number))
		*value = get_event(number);
	else
		return -EIO;
	return 0;
}

/* Before it, what was written earlier has its effect; behind it, this. */
static int write_register(u32 addr, u64 value)
{
	unsigned int number;

	isb();
	switch (addr) {
	case PMCR:
		write_sysreg(value, pmcr_el0);
		break;
	case PMCNTENSET:
		write_sysreg(value, pmcntenset_el0);
		break;
	case PMCNTENCLR:
		write_sysreg(value, pmcntenclr_el0);
		break;
	case PMOVSCLR:
		write_sysreg(value, pmovsclr_el0);
		break;
	case PMOVSSET:
		write_sysreg(value, pmovsset_el0);
		break;
	case PMCCNTR:
		write_sysreg(value, pmccntr_el0);
		break;
	case PMCCFILTR:
		write_sysreg(value, pmccfiltr_el0);
		break;
	case PMINTENCLR:
		write_sysreg(value, pmintenclr_el1);
		break;
	default:
		if (has_number(PMEVCNTR, addr, &number))
			set_counter(number, value);
		else if (has_number(PMEVTYPER, addr, &number))
			set_event(number, value);
		else
			return -EIO;
	}
	isb();
	return 0;
}

int ntd_arch_read(enum nthw_space space, u32 addr, u64 *value)
{
	if (space != NTHW_SPACE_SYSREG || !ntd_arm_is_here())
		return -EIO;
	return read_register(addr, value);
}

int ntd_arch_write(enum nthw_space space, u32 addr, u64 value)
{
	if (space != NTHW_SPACE_SYSREG || !ntd_arm_is_here())
		return -EIO;
	return write_register(addr, value);
}

/* ---- the monitor of one CPU ---- */

/* What kind of monitor this CPU has; 0: none that we know. */
static unsigned int version_here(void)
{
	unsigned int version = PMUVER(read_sysreg(id_aa64dfr0_el1));

	return version == PMUVER_OWN ? 0 : version;
}

bool ntd_arm_is_here(void)
{
	return version_here() != 0;
}

bool ntd_arm_is_shared(void)
{
	return false;
}

void ntd_arm_save(struct ntd_arm_state *state)
{
	unsigned int i, n = counters_here();

	state->control = read_sysreg(pmcr_el0);
	state->enable = read_sysreg(pmcntenset_el0);
	state->interrupts = read_sysreg(pmintenset_el1);
	state->overflow = read_sysreg(pmovsset_el0);
	state->user = read_sysreg(pmuserenr_el0);
	state->filter = read_sysreg(pmccfiltr_el0);
	state->cycles = read_sysreg(pmccntr_el0);
	for (i = 0; i < n; i++) {
		state->event[i] = get_event(i);
		state->count[i] = get_counter(i);
	}
}

void ntd_arm_restore(const struct ntd_arm_state *state)
{
	unsigned int i, n = counters_here();
	u64 all = ALL_COUNTERS(n);

	write_sysreg(read_sysreg(pmcr_el0) & ~(PMCR_E | PMCR_RESETS), pmcr_el0);
	write_sysreg(all, pmcntenclr_el0);
	write_sysreg(all & ~state->interrupts, pmintenclr_el1);
	isb();
	/* The width of the counters, before they are written. */
	write_sysreg(state->control & ~(PMCR_E | PMCR_RESETS), pmcr_el0);
	isb();
	for (i = 0; i < n; i++) {
		set_event(i, state->event[i]);
		set_counter(i, state->count[i]);
	}
	write_sysreg(state->filter, pmccfiltr_el0);
	write_sysreg(state->cycles, pmccntr_el0);
	write_sysreg(all & ~state->overflow, pmovsclr_el0);
	write_sysreg(all & state->overflow, pmovsset_el0);
	write_sysreg(all & state->interrupts, pmintenset_el1);
	write_sysreg(state->user, pmuserenr_el0);
	write_sysreg(all & state->enable, pmcntenset_el0);
	isb();
	write_sysreg(state->control & ~PMCR_RESETS, pmcr_el0);
	isb();
}

/* ---- rows ---- */

/* Of all CPUs that came on line so far: counters have 64 bits only if all of them have such. */
static unsigned int oldest_version = PMUVER_OWN;

struct monitor {
	unsigned int version, counters;
};

static void look_here(void *result)
{
	struct monitor *m = result;

	m->version = version_here();
	if (m->version)
		m->counters = counters_here();
}

/*
 * A register that does not exist is an undefined instruction, which the kernel does not survive:
 * rows that are guesses are left out.
 */
static bool has_register(const struct monitor *m, const struct nthw_reg *row, u32 addr)
{
	int number = number_from(PMEVCNTR, addr);

	if (row->trust == NTHW_GUESSED)
		return false;
	if (number < 0)
		number = number_from(PMEVTYPER, addr);
	return number < (int)m->counters;
}

int ntd_arch_add_regs(unsigned int cpu, enum nthw_scope scope, ntd_add_fn add, void *arg)
{
	const struct nthw_table *table = &nthw_armv8_pmu;
	struct monitor m = { 0 };
	u32 index;
	size_t i;
	int ret;

	if (scope != NTHW_SCOPE_CPU)
		return 0;
	ret = smp_call_function_single(cpu, look_here, &m, 1);
	if (ret)
		return ret;
	if (!m.version)
		return 0;
	if (m.version < oldest_version)
		oldest_version = m.version;
	for (i = 0; i < table->count; i++) {
		const struct nthw_reg *row = table->regs[i];

		for (index = 0; index < row->count; index++) {
			if (!has_register(&m, row, nthw_reg_addr(row, index)))
				continue;
			ret = add(arg, table, row, index);
			if (ret < 0)
				return ret;
		}
	}
	return 0;
}

const char *ntd_arch_vendor(void)
{
	return "arm";
}

/*
 * perf's driver sets PMCR.LP wherever there is PMUv3p5 and leaves it so (Linux 6.1 perf_event.c,
 * armv8pmu_reset()); then event counters have 64 bits.
 */
bool ntd_arch_is_pmc(const struct nthw_reg *row, u32 index, struct ntd_pmc *out)
{
	u32 addr = nthw_reg_addr(row, index);
	int number = number_from(PMEVCNTR, addr);

	if (row->space != NTHW_SPACE_SYSREG || (addr != PMCCNTR && number < 0))
		return false;
	memset(out, 0, sizeof(*out));
	if (addr == PMCCNTR) {
		out->index = NTD_ARM_CYCLES;
		out->width = 64;
		out->is_fixed = true;
		return true;
	}
	out->index = (u32)number;
	out->number = (u32)number;
	out->width = oldest_version >= PMUVER_V3P5 ? 64 : 32;
	return true;
}

bool ntd_arch_is_tsc(const struct nthw_reg *row)
{
	return false;
}

bool ntd_arch_needs_pmu(const struct nthw_reg *row)
{
	return row->space == NTHW_SPACE_SYSREG && row->writable;
}

/* ---- user access ---- */

/*
 * PMUSERENR is perf's: its driver opens it while a task runs that has an event with the flag for
 * user reads, closes it for the next one, and sets it anew whenever it touches the monitor (Linux
 * 6.1 perf_event.c, armv8pmu_start()); /proc/sys/kernel/perf_user_access allows it. So a mapping
 * gives its thread such an event, which is never enabled and uses no counter. The counters that
 * perf clears for such tasks are those that are not in use; ours are (reserve_arm.c).
 *
 * Events take a lock that perf holds over page faults (kernel/events/core.c, lock order:
 * perf_event_context::mutex before mmap_lock), and a mapping is made and unmade under mmap_lock. So
 * event and end of event wait in the thread until it returns to user mode, which is before it can
 * use or miss them. The call for that is exported by Debian's kernels, not by all: found at run
 * time.
 */
enum grant_state { GRANT_ASKED, GRANT_GIVEN, GRANT_TAKEN };

/*
 * One for a thread and a CPU, whatever it maps there: perf walks the events of a thread at each
 * switch to it, and their memory is charged to nobody. Mappings know theirs, so only who makes a
 * mapping looks for it.
 */
struct ntd_grant {
	struct hlist_node node; /* in the table until it is taken */
	struct kref ref; /* of mappings, and one of the event's */
	unsigned int vmas; /* of .mm; 0: taken */
	struct callback_head at_return;
	struct work_struct later;
	struct mm_struct *mm; /* compared, never used; it is there while it has VMAs */
	unsigned int cpu;
	struct task_struct *task;
	enum grant_state state;
	struct perf_event *event; /* NULL if it could not be made */
};

/* As many threads as there are, each on one CPU at a time: chains are short. */
#define GRANT_BITS 10

static DEFINE_HASHTABLE(grants, GRANT_BITS);
static DEFINE_SPINLOCK(grant_lock); /* of the table, .vmas and .state */
static atomic_t grant_count = ATOMIC_INIT(0); /* whose event is still to be ended */
static DECLARE_WAIT_QUEUE_HEAD(grant_wait);
static struct workqueue_struct *grant_queue;
static int (*add_task_work)(struct task_struct *task, struct callback_head *work,
			    enum task_work_notify_mode notify);

/* A copy of what perf's driver looks at to tell whether user mode may read an event now. */
static struct perf_event *example;

/*
 * perf's sysctl is not shown to modules, but its PMU answers by it: 0 where user mode may not read.
 */
static bool is_user_access_allowed(const struct pmu *pmu)
{
	return pmu->event_idx && pmu->event_idx(example);
}

/* On the CPU, interrupts off: let perf decide anew whether the task that runs here may read. */
static void decide_here(void *unused)
{
	struct pmu *pmu = ntd_arm_perf(smp_processor_id());
	u64 control;

	if (!pmu || !ntd_arm_is_here())
		return;
	if (!ntd_arm_is_held() && !ntd_arm_is_perf_counting()) {
		/* perf touches nothing while no counter is in use, and leaves open what was. */
		write_sysreg(0, pmuserenr_el0);
		return;
	}
	control = read_sysreg(pmcr_el0);
	pmu->pmu_disable(pmu);
	pmu->pmu_enable(pmu);
	write_sysreg(control & ~PMCR_RESETS, pmcr_el0);
	isb();
}

static void free_grant(struct kref *ref)
{
	kfree(container_of(ref, struct ntd_grant, ref));
}

void ntd_arch_grant_put(struct ntd_grant *grant)
{
	if (grant)
		kref_put(&grant->ref, free_grant);
}

static void grant_is_over(struct ntd_grant *g)
{
	put_task_struct(g->task);
	ntd_arch_grant_put(g);
	if (atomic_dec_and_test(&grant_count))
		wake_up_all(&grant_wait);
}

static void end_event(struct ntd_grant *g)
{
	if (!IS_ERR_OR_NULL(g->event))
		perf_event_release_kernel(g->event);
	/*
	 * Everywhere: perf opens whatever CPU the thread runs on, which need not stay the grant's,
	 * and closes only when it next starts a monitor there. CPUs that come on line are closed.
	 */
	on_each_cpu(decide_here, NULL, 1);
	grant_is_over(g);
}

static void end_at_return(struct callback_head *head)
{
	end_event(container_of(head, struct ntd_grant, at_return));
}

static void end_later(struct work_struct *work)
{
	end_event(container_of(work, struct ntd_grant, later));
}

static struct perf_event *make_event(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = EVENT_CYCLES,
		.config1 = BIT(1), /* user mode may read it */
		.disabled = 1,
	};

	return perf_event_create_kernel_counter(&attr, (int)cpu, current, NULL, NULL);
}

static void begin_at_return(struct callback_head *head)
{
	struct ntd_grant *g = container_of(head, struct ntd_grant, at_return);
	unsigned int cpu = g->cpu; /* another thread can end it as soon as it is given */
	struct perf_event *event = make_event(cpu);
	bool is_taken;

	if (IS_ERR(event))
		pr_notice_ratelimited("no user access to counters of CPU %u for %*pEop[%d]: perf makes no event (%ld)\n",
				      cpu, (int)strlen(current->comm), current->comm,
				      current->pid, PTR_ERR(event));
	spin_lock(&grant_lock);
	g->event = event;
	is_taken = g->state == GRANT_TAKEN;
	g->state = GRANT_GIVEN;
	spin_unlock(&grant_lock);
	if (is_taken)
		end_event(g);
	else
		smp_call_function_single(cpu, decide_here, NULL, 1);
}

static unsigned long grant_key(const struct task_struct *task, unsigned int cpu)
{
	return (unsigned long)task + cpu;
}

/* Another VMA of what this thread was granted on @cpu before; NULL. Under grant_lock. */
static struct ntd_grant *grant_found(const struct mm_struct *mm, unsigned int cpu)
{
	struct ntd_grant *g;

	lockdep_assert_held(&grant_lock);
	hash_for_each_possible(grants, g, node, grant_key(current, cpu)) {
		if (g->task != current || g->cpu != cpu || g->mm != mm)
			continue;
		g->vmas++;
		kref_get(&g->ref);
		return g;
	}
	return NULL;
}

/* Only this thread makes its own: nobody else adds the same meanwhile. */
static struct ntd_grant *grant_made(struct mm_struct *mm, unsigned int cpu)
{
	struct ntd_grant *g = kzalloc(sizeof(*g), GFP_KERNEL_ACCOUNT);

	if (!g)
		return ERR_PTR(-ENOMEM);
	g->mm = mm;
	g->cpu = cpu;
	g->vmas = 1;
	g->task = get_task_struct(current);
	g->state = GRANT_ASKED;
	kref_init(&g->ref);
	INIT_WORK(&g->later, end_later);
	init_task_work(&g->at_return, begin_at_return);
	atomic_inc(&grant_count);
	if (add_task_work(current, &g->at_return, TWA_RESUME)) {
		grant_is_over(g);
		return ERR_PTR(-EOPNOTSUPP);
	}
	kref_get(&g->ref); /* the mapping's */
	spin_lock(&grant_lock);
	hash_add(grants, &g->node, grant_key(current, cpu));
	spin_unlock(&grant_lock);
	return g;
}

int ntd_arch_grant(struct mm_struct *mm, unsigned int cpu, struct ntd_grant **grant)
{
	struct pmu *pmu = ntd_arm_perf(cpu);
	struct ntd_grant *g;

	/* Without a reservation nothing counts that perf would not clear. */
	if (!pmu || !add_task_work || mm != current->mm || !is_user_access_allowed(pmu) ||
	    !ntd_arm_is_held_on(cpu))
		return -EOPNOTSUPP;
	spin_lock(&grant_lock);
	g = grant_found(mm, cpu);
	spin_unlock(&grant_lock);
	if (!g)
		g = grant_made(mm, cpu);
	if (IS_ERR(g))
		return PTR_ERR(g);
	*grant = g;
	return 0;
}

/*
 * A further VMA: its thread has its event already. The child of fork(2) has none, and no access;
 * nor has who comes to an address space at the place of one that is no more.
 */
void ntd_arch_grant_again(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu)
{
	spin_lock(&grant_lock);
	if (grant->mm == mm && grant->vmas)
		grant->vmas++;
	spin_unlock(&grant_lock);
}

static bool grant_take(struct ntd_grant *g, const struct mm_struct *mm)
{
	lockdep_assert_held(&grant_lock);
	if (g->mm != mm || !g->vmas || --g->vmas)
		return false;
	hash_del(&g->node);
	return true;
}

void ntd_arch_revoke(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu)
{
	bool is_waiting;

	spin_lock(&grant_lock);
	if (!grant_take(grant, mm)) {
		spin_unlock(&grant_lock);
		return;
	}
	is_waiting = grant->state == GRANT_ASKED;
	grant->state = GRANT_TAKEN;
	spin_unlock(&grant_lock);
	if (is_waiting)
		return; /* its thread, on its way back to user mode, ends it */
	if (grant->task == current) {
		init_task_work(&grant->at_return, end_at_return);
		if (!add_task_work(current, &grant->at_return, TWA_RESUME))
			return;
	}
	queue_work(grant_queue, &grant->later);
}

void ntd_arch_cpu_up(void)
{
}

void ntd_arch_cpu_down(void)
{
}

/* ---- begin and end ---- */

static void look_for_any(void *found)
{
	if (version_here())
		WRITE_ONCE(*(bool *)found, true);
}

int ntd_arch_init(void)
{
	bool is_found = false;
	int ret;

	on_each_cpu(look_for_any, &is_found, 1);
	if (!is_found)
		return -ENODEV;
	example = kzalloc(sizeof(*example), GFP_KERNEL);
	if (!example)
		return -ENOMEM;
	example->hw.flags = PERF_EVENT_FLAG_USER_READ_CNT;
	example->hw.idx = 1;
	grant_queue = alloc_workqueue("ntime", 0, 0);
	if (!grant_queue) {
		ret = -ENOMEM;
		goto err_example;
	}
	ret = ntd_arm_reserve_init();
	if (ret)
		goto err_queue;
	add_task_work = symbol_get(task_work_add);
	return 0;
err_queue:
	destroy_workqueue(grant_queue);
err_example:
	kfree(example);
	return ret;
}

void ntd_arch_exit(void)
{
	wait_event(grant_wait, !atomic_read(&grant_count));
	destroy_workqueue(grant_queue);
	/*
	 * The thread of the last one may be in its last instructions of ours, or preempted there;
	 * this waits until each task has slept by itself or been in user mode. Where the kernel
	 * cannot preempt, it is synchronize_rcu().
	 */
	synchronize_rcu_tasks();
	if (add_task_work)
		symbol_put(task_work_add);
	ntd_arm_reserve_exit();
	kfree(example);
}
