// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * x86: which registers a CPU has, by CPUID (core/regs/devices.h) and by asking them; RDMSR and
 * WRMSR; the counters reserved against perf; RDPMC for user mode.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kstrtox.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include <asm/asm.h>
#include <asm/cpufeature.h>
#include <asm/mmu_context.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/processor.h>
#include <asm/tlbflush.h>

#include "core/regs/devices.h"
#include "core/regs/regs.h"
#include "driver/compat.h"
#include "driver/ntd.h"

/*
 * Of the CPU that loaded the module: widths, and what must be reserved. Those of CPUs of another
 * kind beside it differ in number only.
 */
static struct nthw_x86_cpu boot;
static const struct nthw_table *boot_table; /* of its core counters; NULL: none that we know */

static int read_cpuid(struct nthw_cpuid *unused, u32 leaf, u32 r[4])
{
	if (boot_cpu_data.cpuid_level < 0)
		return -ENODEV;
	cpuid(leaf, &r[0], &r[1], &r[2], &r[3]);
	return 0;
}

/* What CPUID says of the CPU that asks. */
static void identify(struct nthw_x86_cpu *out)
{
	struct nthw_cpuid source = { .read = read_cpuid };

	nthw_x86_identify(&source, out);
}

/* ---- which registers there are ---- */

static bool has_energy_unit(void)
{
	u64 unit;

	return !rdmsrl_safe(MSR_RAPL_POWER_UNIT, &unit) && unit;
}

static bool has_row(const struct nthw_x86_cpu *cpu, const struct nthw_table *table,
		    const struct nthw_reg *row, u32 index)
{
	return nthw_cpu_has(cpu, table, row, index) &&
	       (!nthw_cpu_is_energy(row) || has_energy_unit());
}

/*
 * What CPUID promises can still be missing, under hypervisors above all. Registers that only clear
 * are not asked.
 */
static bool answers(const struct nthw_reg *row, u32 index)
{
	u64 value;

	return !nthw_reg_is_readable(row) || !rdmsrl_safe(nthw_reg_addr(row, index), &value);
}

static int add_table(const struct nthw_x86_cpu *cpu, const struct nthw_table *table,
		     enum nthw_scope scope, ntd_add_fn add, void *arg)
{
	size_t i;
	u32 index;
	int ret;

	for (i = 0; i < table->count; i++) {
		const struct nthw_reg *row = table->regs[i];

		if (nthw_reg_listed(row) != scope || row->space != NTHW_SPACE_MSR)
			continue;
		for (index = 0; index < row->count; index++) {
			if (!has_row(cpu, table, row, index) || !answers(row, index))
				continue;
			ret = add(arg, table, row, index);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int ntd_arch_add_regs(unsigned int cpu, enum nthw_scope scope, ntd_add_fn add, void *arg)
{
	struct nthw_x86_cpu here;
	size_t i;
	int ret = 0;

	identify(&here);
	for (i = 0; !ret && i < nthw_table_count; i++)
		ret = add_table(&here, nthw_tables[i], scope, add, arg);
	return ret;
}

const char *ntd_arch_vendor(void)
{
	return boot.vendor == NTHW_VENDOR_AMD ? "amd" : "intel";
}

/* ---- access ---- */

int ntd_arch_read(enum nthw_space space, u32 addr, u64 *value)
{
	return space == NTHW_SPACE_MSR && !rdmsrl_safe(addr, value) ? 0 : -EIO;
}

int ntd_arch_write(enum nthw_space space, u32 addr, u64 value)
{
	return space == NTHW_SPACE_MSR && !wrmsrl_safe(addr, value) ? 0 : -EIO;
}

bool ntd_arch_is_pmc(const struct nthw_reg *row, u32 index, struct ntd_pmc *out)
{
	if (row->space != NTHW_SPACE_MSR)
		return false;
	memset(out, 0, sizeof(*out));
	out->number = index;
	out->index = index;
	out->width = boot.general_width;
	switch (row->addr) {
	case MSR_ARCH_PERFMON_PERFCTR0:
	case MSR_K7_PERFCTR0:
	case MSR_F15H_PERF_CTR:
		return true;
	case MSR_ARCH_PERFMON_FIXED_CTR0:
		out->is_fixed = true;
		out->index |= BIT(30);
		out->width = boot.fixed_width;
		return true;
	}
	return false;
}

bool ntd_arch_is_tsc(const struct nthw_reg *row)
{
	return row->space == NTHW_SPACE_MSR && row->addr == MSR_IA32_TSC;
}

bool ntd_arch_needs_pmu(const struct nthw_reg *row)
{
	if (row->space != NTHW_SPACE_MSR)
		return false;
	switch (row->addr) {
	case MSR_ARCH_PERFMON_PERFCTR0:
	case MSR_ARCH_PERFMON_EVENTSEL0:
	case MSR_ARCH_PERFMON_FIXED_CTR0:
	case MSR_ARCH_PERFMON_FIXED_CTR_CTRL:
	case MSR_CORE_PERF_GLOBAL_CTRL:
	case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
	case MSR_K7_EVNTSEL0:
	case MSR_K7_PERFCTR0:
	case MSR_F15H_PERF_CTL:
	case MSR_F15H_PERF_CTR:
	case MSR_AMD64_PERF_CNTR_GLOBAL_CTL:
	case MSR_AMD64_PERF_CNTR_GLOBAL_STATUS_CLR:
		return true;
	}
	return false;
}

/* ---- counters reserved against perf ---- */

/*
 * The kernel reserves counters and selectors by number, for all CPUs at once, and perf takes all of
 * them before its first hardware event (the NMI watchdog is one) and gives them back after its
 * last: Linux 6.1 arch/x86/events/core.c, reserve_pmc_hardware(). Fixed counters and global
 * registers go with them.
 */
static DEFINE_MUTEX(reserve_lock);
static unsigned int reserved; /* registers open, all CPUs; by reserve_lock */
static cpumask_t cleaned; /* CPUs on which clean() ran since */

static u32 counter_addr(unsigned int i)
{
	if (boot_table == &nthw_amd_core)
		return MSR_F15H_PERF_CTR + 2 * i;
	return (boot_table == &nthw_amd_legacy ? MSR_K7_PERFCTR0 : MSR_ARCH_PERFMON_PERFCTR0) + i;
}

static u32 selector_addr(unsigned int i)
{
	if (boot_table == &nthw_amd_core)
		return MSR_F15H_PERF_CTL + 2 * i;
	return (boot_table == &nthw_amd_legacy ? MSR_K7_EVNTSEL0 : MSR_ARCH_PERFMON_EVENTSEL0) +
	       i;
}

static void unreserve(unsigned int count)
{
	while (count--) {
		release_evntsel_nmi(selector_addr(count));
		release_perfctr_nmi(counter_addr(count));
	}
}

static int reserve_all(void)
{
	unsigned int i;

	for (i = 0; i < boot.general; i++) {
		if (!reserve_perfctr_nmi(counter_addr(i)))
			break;
		if (!reserve_evntsel_nmi(selector_addr(i))) {
			release_perfctr_nmi(counter_addr(i));
			break;
		}
	}
	if (i == boot.general)
		return 0;
	unreserve(i);
	return -EBUSY;
}

int ntd_arch_reserve(unsigned int cpu)
{
	int ret = 0;

	mutex_lock(&reserve_lock);
	if (!reserved) {
		ret = reserve_all();
		cpumask_clear(&cleaned);
	}
	if (!ret)
		reserved++;
	mutex_unlock(&reserve_lock);
	return ret;
}

void ntd_arch_release(unsigned int cpu)
{
	mutex_lock(&reserve_lock);
	if (!--reserved)
		unreserve(boot.general);
	mutex_unlock(&reserve_lock);
}

/* ---- RDPMC for user mode ---- */

/*
 * CR4.PCE belongs to perf, which sets it for address spaces with a count of mappings above 0,
 * whenever one is switched to. Our mappings count there as perf's do. The attribute "rdpmc" of
 * perf's core PMU is the administrator's: 0 forbids, 1 is as described, 2 allows all.
 */
static struct device *policy_device; /* NULL: no such PMU */
static struct device_attribute *policy_attribute;

enum { POLICY_NEVER, POLICY_MAPPED, POLICY_ALWAYS };

/*
 * CPUID of AMD has no word for counters, so an emulator or a hypervisor can show the family and
 * lack RDPMC (QEMU 7.2 raises #UD). A program must not be told to use it then.
 */
static bool has_rdpmc;

static bool try_rdpmc(void)
{
	u32 low, high, failed = 1;

	if (!boot.general)
		return false;
	asm volatile("1: rdpmc\n"
		     "   xorl %[failed], %[failed]\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : "=a"(low), "=d"(high), [failed] "+r"(failed)
		     : "c"(0));
	return !failed;
}

static int policy(void)
{
	unsigned int value = POLICY_MAPPED;
	char *page;

	if (!policy_device)
		return POLICY_MAPPED;
	page = (char *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		return POLICY_NEVER;
	if (policy_attribute->show(policy_device, policy_attribute, page) < 0 ||
	    kstrtouint(page, 0, &value))
		value = POLICY_NEVER;
	free_page((unsigned long)page);
	return value;
}

static struct attribute *find_attribute(const struct attribute_group **groups, const char *name)
{
	struct attribute **a;

	for (; groups && *groups; groups++)
		for (a = (*groups)->attrs; a && *a; a++)
			if (!strcmp((*a)->name, name))
				return *a;
	return NULL;
}

static int find_policy(struct device *device, void *unused)
{
	struct attribute *attribute = find_attribute(device->groups, "rdpmc");

	if (!attribute)
		return 0;
	policy_device = get_device(device);
	policy_attribute = container_of(attribute, struct device_attribute, attr);
	return 1;
}

/* The bus on which perf's PMUs are has no name for modules: it is that of any event's PMU. */
static void policy_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event =
		perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL, NULL,
						 NULL);

	if (IS_ERR(event))
		return;
	if (event->pmu->dev && event->pmu->dev->bus)
		bus_for_each_dev(event->pmu->dev->bus, NULL, NULL, find_policy);
	perf_event_release_kernel(event);
}

static void allow_here(void *mm)
{
	/*
	 * A CPU that only lends its address space to the kernel returns to user mode without a
	 * switch.
	 */
	if (current->active_mm == mm)
		cr4_update_irqsoff(X86_CR4_PCE, 0);
}

static void forbid_here(void *mm)
{
	if (current->active_mm == mm)
		cr4_update_irqsoff(0, X86_CR4_PCE);
}

static void allow(struct mm_struct *mm)
{
	if (atomic_inc_return(&mm->context.perf_rdpmc_allowed) == 1)
		on_each_cpu_mask(mm_cpumask(mm), allow_here, mm, true);
}

/*
 * A mapping that came between the copy of the count and that of mappings is not in a child's count:
 * hence not below 0.
 */
static void forbid(struct mm_struct *mm)
{
	if (!atomic_dec_if_positive(&mm->context.perf_rdpmc_allowed) && policy() != POLICY_ALWAYS)
		on_each_cpu_mask(mm_cpumask(mm), forbid_here, mm, true);
}

int ntd_arch_grant(struct mm_struct *mm, unsigned int cpu, struct ntd_grant **grant)
{
	if (!has_rdpmc || policy() == POLICY_NEVER)
		return -EOPNOTSUPP;
	if (mm == current->mm)
		allow(mm);
	return 0;
}

/*
 * A child has its parent's count already, from the copy of all that an address space holds: each of
 * its mappings is in it. More can be: fork copies the count first and without mmap_lock, so
 * mappings that are not copied or go meanwhile, and what clean() adds for a moment, stay in it
 * until the child ends or calls exec. It is the same with perf's.
 */
void ntd_arch_grant_again(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu)
{
	if (mm == current->mm)
		allow(mm);
}

void ntd_arch_revoke(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu)
{
	forbid(mm);
}

/* The count is all there is. */
void ntd_arch_grant_put(struct ntd_grant *grant)
{
}

/* ---- counters that perf left ---- */

struct cleaning {
	struct work_struct work;
	struct mm_struct *mm;
	unsigned int cpu;
	bool is_done;
};

/*
 * Counters that perf used last keep their values until the CPU switches to an address space that
 * may use RDPMC; then perf sets them to 0, so that nothing of them is seen: Linux 6.1
 * arch/x86/mm/tlb.c, cr4_update_pce_mm(). That must not happen later, to counters that are ours, so
 * it is made to happen now, by such a switch. leave_mm() first, because switching to what is loaded
 * does nothing.
 */
static void clean_work(struct work_struct *work)
{
	struct cleaning *c = container_of(work, struct cleaning, work);

	/* Elsewhere when the CPU went: then there is nothing to claim on it. */
	if (raw_smp_processor_id() != c->cpu)
		return;
	preempt_disable();
	ntd_leave_mm();
	preempt_enable();
	kthread_use_mm(c->mm);
	kthread_unuse_mm(c->mm);
	c->is_done = true;
}

/*
 * With counters reserved and no locks held: mmap_lock can be another thread's for as long as it
 * likes. Where user mode may never read counters perf does not set them to 0 either.
 */
static int clean(unsigned int cpu)
{
	struct mm_struct *mm = current->mm;
	struct cleaning c = { .mm = mm, .cpu = cpu };

	if (!mm || cpumask_test_cpu(cpu, &cleaned) || policy() == POLICY_NEVER)
		return 0;
	if (mmap_write_lock_killable(mm)) /* as around every change of the count */
		return -EINTR;
	allow(mm); /* no address space but programs' is to be had here */
	mmap_write_unlock(mm);
	INIT_WORK_ONSTACK(&c.work, clean_work);
	queue_work_on(cpu, system_highpri_wq, &c.work);
	flush_work(&c.work);
	destroy_work_on_stack(&c.work);
	mmap_write_lock(mm);
	forbid(mm);
	mmap_write_unlock(mm);
	if (c.is_done)
		cpumask_set_cpu(cpu, &cleaned);
	return 0;
}

int ntd_arch_claim_begin(unsigned int cpu)
{
	int ret = ntd_arch_reserve(cpu);

	if (ret)
		return ret;
	ret = clean(cpu);
	if (ret)
		ntd_arch_release(cpu);
	return ret;
}

void ntd_arch_claim_end(unsigned int cpu)
{
	ntd_arch_release(cpu);
}

/* Nothing is given to CPUs. */
void ntd_arch_cpu_up(void)
{
}

void ntd_arch_cpu_down(void)
{
}

int ntd_arch_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_MSR))
		return -ENODEV;
	identify(&boot);
	boot_table = nthw_cpu_core_table(&boot);
	has_rdpmc = try_rdpmc();
	policy_init();
	return 0;
}

void ntd_arch_exit(void)
{
	put_device(policy_device);
}
