// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * 32-bit ARM: the monitor of ARMv7 (CP15 c9, counters behind a selector) and that of the ARM1176
 * (CP15 c15), whichever this processor has.
 *
 * With user_access=1, which the administrator must choose, loading lets user mode at the monitor:
 * PMUSERENR.EN on ARMv7, V of the access validation register on ARM1176. All programs may then also
 * write it: the hardware has one bit a CPU for all of that, and perf has no fast reads there.
 * Unloading takes that back and puts the monitor back as it was found, if perf does not use it now.
 *
 * Registers: Linux 6.1 arch/arm/kernel/perf_event_v7.c and perf_event_v6.c, and the rows in
 * core/regs. Instructions are encoded for ARMv6: the same source runs on both.
 */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include <asm/barrier.h>
#include <asm/cputype.h>

#include "core/regs/regs.h"
#include "driver/arm.h"

static bool user_access;
module_param(user_access, bool, 0444);
MODULE_PARM_DESC(user_access,
		 "let all programs read and write the performance monitor (default: no)");

enum monitor_kind { MONITOR_NONE, MONITOR_V7, MONITOR_1176 };

/* ARMv7 */
#define PMCR_E BIT(0) /* everything counts */
#define PMCR_RESETS (BIT(1) | BIT(2)) /* write only: clear counters */
#define PMCR_N(pmcr) ((unsigned int)((pmcr) >> 11) & 0x1f)
#define PMUSERENR_EN BIT(0)
#define ALL_COUNTERS(n) ((u32)(BIT(NTD_ARM_CYCLES) | (BIT(n) - 1)))
#define PMSEL_EVENTS 0x20 /* in the addresses of space PMSEL: types begin here */
#define PMSEL_FILTER 0x3f /* and this is the type of the cycle counter */
#define DFR0_PERFMON(dfr0) ((unsigned int)((dfr0) >> 24) & 0xf)
#define PERFMON_V2 2 /* has a filter for the cycle counter */
#define PERFMON_NONE 0xf

/* ARM1176; PMCR.E and the resets are as above. */
#define PMCR_FLAGS (BIT(8) | BIT(9) | BIT(10)) /* overflow: writing 1 clears */
#define ACCESS_V BIT(0)
#define ADDR_1176_PMCR NTHW_CP15(15, 0, 12, 0)

#define MIDR_SCHEME(midr) ((midr) >> 16 & 0xf)
#define SCHEME_BY_FEATURES 0xf /* the architecture is told by the feature registers */

/* ---- coprocessor registers: the instruction has the number ---- */

#define GET(crn, opc1, crm, opc2)                                                                  \
	({                                                                                         \
		u32 got_;                                                                          \
		asm volatile("mrc p15, " #opc1 ", %0, c" #crn ", c" #crm ", " #opc2 : "=r"(got_)); \
		got_;                                                                              \
	})
#define SET(crn, opc1, crm, opc2, value)                                                           \
	({                                                                                         \
		asm volatile("mcr p15, " #opc1 ", %0, c" #crn ", c" #crm ", " #opc2                \
			     : : "r"((u32)(value)));                                               \
	})

#define get_dfr0() GET(0, 0, 1, 2)

/* ARMv7 (ARM DDI 0406, not opened; as Linux has them) */
#define get_pmcr() GET(9, 0, 12, 0)
#define set_pmcr(v) SET(9, 0, 12, 0, v)
#define get_cntenset() GET(9, 0, 12, 1)
#define set_cntenset(v) SET(9, 0, 12, 1, v)
#define get_cntenclr() GET(9, 0, 12, 2)
#define set_cntenclr(v) SET(9, 0, 12, 2, v)
#define get_ovsr() GET(9, 0, 12, 3)
#define set_ovsr(v) SET(9, 0, 12, 3, v)
#define set_swinc(v) SET(9, 0, 12, 4, v)
#define get_selr() GET(9, 0, 12, 5)
#define set_selr(v) SET(9, 0, 12, 5, v)
#define get_ccntr() GET(9, 0, 13, 0)
#define set_ccntr(v) SET(9, 0, 13, 0, v)
#define get_xevtyper() GET(9, 0, 13, 1)
#define set_xevtyper(v) SET(9, 0, 13, 1, v)
#define get_xevcntr() GET(9, 0, 13, 2)
#define set_xevcntr(v) SET(9, 0, 13, 2, v)
#define get_userenr() GET(9, 0, 14, 0)
#define set_userenr(v) SET(9, 0, 14, 0, v)
#define get_intenset() GET(9, 0, 14, 1)
#define set_intenset(v) SET(9, 0, 14, 1, v)
#define get_intenclr() GET(9, 0, 14, 2)
#define set_intenclr(v) SET(9, 0, 14, 2, v)

/* ARM1176 */
#define get_validation() GET(15, 0, 9, 0)
#define set_validation(v) SET(15, 0, 9, 0, v)
#define get_1176_pmcr() GET(15, 0, 12, 0)
#define set_1176_pmcr(v) SET(15, 0, 12, 0, v)
#define get_1176_ccr() GET(15, 0, 12, 1)
#define set_1176_ccr(v) SET(15, 0, 12, 1, v)
#define get_1176_cr0() GET(15, 0, 12, 2)
#define set_1176_cr0(v) SET(15, 0, 12, 2, v)
#define get_1176_cr1() GET(15, 0, 12, 3)
#define set_1176_cr1(v) SET(15, 0, 12, 3, v)

/* ---- what this CPU has ---- */

static enum monitor_kind kind_here(void)
{
	u32 midr = read_cpuid_id();
	unsigned int perfmon;

	if ((midr & ARM_CPU_PART_MASK) == ARM_CPU_PART_ARM1176)
		return MONITOR_1176;
	/* The other processors of that age are none of ours, though some have feature registers. */
	if (MIDR_SCHEME(midr) != SCHEME_BY_FEATURES ||
	    (midr & ARM_CPU_PART_MASK) == ARM_CPU_PART_ARM11MPCORE ||
	    (midr & ARM_CPU_PART_MASK) == ARM_CPU_PART_ARM1136 ||
	    (midr & ARM_CPU_PART_MASK) == ARM_CPU_PART_ARM1156)
		return MONITOR_NONE;
	perfmon = DFR0_PERFMON(get_dfr0());
	return perfmon == 0 || perfmon == PERFMON_NONE ? MONITOR_NONE : MONITOR_V7;
}

bool ntd_arm_is_here(void)
{
	return kind_here() != MONITOR_NONE;
}

static unsigned int counters_here(void)
{
	return PMCR_N(get_pmcr());
}

static bool has_filter(void)
{
	return DFR0_PERFMON(get_dfr0()) >= PERFMON_V2;
}

/* ---- one register ---- */

static int read_v7(u32 addr, u64 *value)
{
	switch (addr) {
	case NTHW_CP15(9, 0, 12, 0):
		*value = get_pmcr();
		return 0;
	case NTHW_CP15(9, 0, 12, 1):
		*value = get_cntenset();
		return 0;
	case NTHW_CP15(9, 0, 12, 2):
		*value = get_cntenclr();
		return 0;
	case NTHW_CP15(9, 0, 12, 3):
		*value = get_ovsr();
		return 0;
	case NTHW_CP15(9, 0, 13, 0):
		*value = get_ccntr();
		return 0;
	case NTHW_CP15(9, 0, 14, 0):
		*value = get_userenr();
		return 0;
	case NTHW_CP15(9, 0, 14, 1):
		*value = get_intenset();
		return 0;
	case NTHW_CP15(9, 0, 14, 2):
		*value = get_intenclr();
		return 0;
	default:
		return -EIO;
	}
}

static int write_v7(u32 addr, u32 value)
{
	isb();
	switch (addr) {
	case NTHW_CP15(9, 0, 12, 0):
		set_pmcr(value);
		break;
	case NTHW_CP15(9, 0, 12, 1):
		set_cntenset(value);
		break;
	case NTHW_CP15(9, 0, 12, 2):
		set_cntenclr(value);
		break;
	case NTHW_CP15(9, 0, 12, 3):
		set_ovsr(value);
		break;
	case NTHW_CP15(9, 0, 12, 4):
		set_swinc(value);
		break;
	case NTHW_CP15(9, 0, 13, 0):
		set_ccntr(value);
		break;
	case NTHW_CP15(9, 0, 14, 2):
		set_intenclr(value);
		break;
	default:
		return -EIO;
	}
	isb();
	return 0;
}

/* Programs in user mode and perf use the selector too: it is restored. */
static u32 get_selected(u32 addr)
{
	u32 old = get_selr(), value;

	set_selr(addr & 0x1f);
	isb();
	value = addr < PMSEL_EVENTS ? get_xevcntr() : get_xevtyper();
	set_selr(old);
	isb();
	return value;
}

static void set_selected(u32 addr, u32 value)
{
	u32 old = get_selr();

	set_selr(addr & 0x1f);
	isb();
	if (addr < PMSEL_EVENTS)
		set_xevcntr(value);
	else
		set_xevtyper(value);
	isb();
	set_selr(old);
	isb();
}

static bool has_selected(u32 addr)
{
	if (addr == PMSEL_FILTER)
		return has_filter();
	return addr <= PMSEL_FILTER && (addr & 0x1f) < counters_here();
}

static int read_1176(u32 addr, u64 *value)
{
	switch (addr) {
	case NTHW_CP15(15, 0, 9, 0):
		*value = get_validation();
		return 0;
	case ADDR_1176_PMCR:
		*value = get_1176_pmcr();
		return 0;
	case NTHW_CP15(15, 0, 12, 1):
		*value = get_1176_ccr();
		return 0;
	case NTHW_CP15(15, 0, 12, 2):
		*value = get_1176_cr0();
		return 0;
	case NTHW_CP15(15, 0, 12, 3):
		*value = get_1176_cr1();
		return 0;
	default:
		return -EIO;
	}
}

static int write_1176(u32 addr, u32 value)
{
	switch (addr) {
	case ADDR_1176_PMCR:
		set_1176_pmcr(value);
		break;
	case NTHW_CP15(15, 0, 12, 1):
		set_1176_ccr(value);
		break;
	case NTHW_CP15(15, 0, 12, 2):
		set_1176_cr0(value);
		break;
	case NTHW_CP15(15, 0, 12, 3):
		set_1176_cr1(value);
		break;
	default:
		return -EIO;
	}
	isb();
	return 0;
}

int ntd_arch_read(enum nthw_space space, u32 addr, u64 *value)
{
	enum monitor_kind kind = kind_here();

	if (space == NTHW_SPACE_CP15 && kind == MONITOR_1176)
		return read_1176(addr, value);
	if (space == NTHW_SPACE_CP15 && kind == MONITOR_V7)
		return read_v7(addr, value);
	if (space != NTHW_SPACE_PMSEL || kind != MONITOR_V7 || !has_selected(addr))
		return -EIO;
	*value = get_selected(addr);
	return 0;
}

int ntd_arch_write(enum nthw_space space, u32 addr, u64 value)
{
	enum monitor_kind kind = kind_here();

	if (space == NTHW_SPACE_CP15 && kind == MONITOR_1176)
		return write_1176(addr, (u32)value);
	if (space == NTHW_SPACE_CP15 && kind == MONITOR_V7)
		return write_v7(addr, (u32)value);
	if (space != NTHW_SPACE_PMSEL || kind != MONITOR_V7 || !has_selected(addr))
		return -EIO;
	set_selected(addr, (u32)value);
	return 0;
}

/* ---- all of it ---- */

static void save_v7(struct ntd_arm_state *state)
{
	unsigned int i, n = counters_here();

	state->control = get_pmcr();
	state->enable = get_cntenset();
	state->interrupts = get_intenset();
	state->overflow = get_ovsr();
	state->user = get_userenr();
	state->cycles = get_ccntr();
	if (has_filter())
		state->filter = get_selected(PMSEL_FILTER);
	for (i = 0; i < n; i++) {
		state->event[i] = get_selected(PMSEL_EVENTS + i);
		state->count[i] = get_selected(i);
	}
}

/* Flags of overflow can be cleared here, but not set. */
static void restore_v7(const struct ntd_arm_state *state)
{
	unsigned int i, n = counters_here();
	u32 all = ALL_COUNTERS(n);

	set_pmcr(get_pmcr() & ~(PMCR_E | PMCR_RESETS));
	set_cntenclr(all);
	set_intenclr(all & ~state->interrupts);
	isb();
	if (has_filter())
		set_selected(PMSEL_FILTER, (u32)state->filter);
	for (i = 0; i < n; i++) {
		set_selected(PMSEL_EVENTS + i, (u32)state->event[i]);
		set_selected(i, (u32)state->count[i]);
	}
	set_ccntr(state->cycles);
	set_ovsr(all & ~state->overflow);
	set_intenset(all & state->interrupts);
	set_userenr(state->user);
	set_cntenset(all & state->enable);
	isb();
	set_pmcr(state->control & ~PMCR_RESETS);
	isb();
}

static void save_1176(struct ntd_arm_state *state)
{
	state->control = get_1176_pmcr();
	state->user = get_validation();
	state->cycles = get_1176_ccr();
	state->count[0] = get_1176_cr0();
	state->count[1] = get_1176_cr1();
}

static void restore_1176(const struct ntd_arm_state *state)
{
	u32 control = state->control & ~(PMCR_RESETS | PMCR_FLAGS);

	set_1176_pmcr((control & ~PMCR_E) | (~state->control & PMCR_FLAGS));
	set_1176_ccr(state->cycles);
	set_1176_cr0(state->count[0]);
	set_1176_cr1(state->count[1]);
	set_validation(state->user);
	set_1176_pmcr(control);
	isb();
}

void ntd_arm_save(struct ntd_arm_state *state)
{
	if (kind_here() == MONITOR_V7)
		save_v7(state);
	else if (kind_here() == MONITOR_1176)
		save_1176(state);
}

void ntd_arm_restore(const struct ntd_arm_state *state)
{
	if (kind_here() == MONITOR_V7)
		restore_v7(state);
	else if (kind_here() == MONITOR_1176)
		restore_1176(state);
}

/* ---- rows ---- */

struct monitor {
	enum monitor_kind kind;
	unsigned int counters;
	bool has_filter;
};

static void look_here(void *result)
{
	struct monitor *m = result;

	m->kind = kind_here();
	if (m->kind != MONITOR_V7)
		return;
	m->counters = counters_here();
	m->has_filter = has_filter();
}

/*
 * A register that does not exist is an undefined instruction, which the kernel does not survive:
 * rows that are guesses are left out. QEMU 7.2 has no PMCEID on ARMv7, for example.
 */
static bool has_register(const struct monitor *m, const struct nthw_reg *row, u32 addr)
{
	if (row->trust == NTHW_GUESSED)
		return false;
	if (row->space != NTHW_SPACE_PMSEL)
		return true;
	if (addr == PMSEL_FILTER)
		return m->has_filter;
	return (addr & 0x1f) < m->counters;
}

int ntd_arch_add_regs(unsigned int cpu, enum nthw_scope scope, ntd_add_fn add, void *arg)
{
	const struct nthw_table *table;
	struct monitor m = { 0 };
	u32 index;
	size_t i;
	int ret;

	if (scope != NTHW_SCOPE_CPU)
		return 0;
	ret = smp_call_function_single(cpu, look_here, &m, 1);
	if (ret)
		return ret;
	if (m.kind == MONITOR_NONE)
		return 0;
	table = m.kind == MONITOR_1176 ? &nthw_arm1176 : &nthw_armv7_pmu;
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

bool ntd_arch_is_pmc(const struct nthw_reg *row, u32 index, struct ntd_pmc *out)
{
	u32 addr = nthw_reg_addr(row, index);

	memset(out, 0, sizeof(*out));
	out->index = index;
	out->number = index;
	out->width = 32;
	if (row->space == NTHW_SPACE_PMSEL)
		return addr < PMSEL_EVENTS;
	if (row->space != NTHW_SPACE_CP15)
		return false;
	if (addr == NTHW_CP15(15, 0, 12, 2) || addr == NTHW_CP15(15, 0, 12, 3))
		return true;
	if (addr != NTHW_CP15(9, 0, 13, 0) && addr != NTHW_CP15(15, 0, 12, 1))
		return false;
	out->index = NTD_ARM_CYCLES;
	out->number = 0;
	out->is_fixed = true;
	return true;
}

bool ntd_arch_is_tsc(const struct nthw_reg *row)
{
	return false;
}

bool ntd_arch_needs_pmu(const struct nthw_reg *row)
{
	return true;
}

/* ---- user access ---- */

/* Of one CPU: what it held before user mode was let at it. */
struct found {
	bool is_valid;
	bool was_perf_counting; /* then only .state.user is to be restored */
	struct ntd_arm_state state;
};

static struct found __percpu *found;

static bool is_open_here(void)
{
	switch (kind_here()) {
	case MONITOR_V7:
		return get_userenr() & PMUSERENR_EN;
	case MONITOR_1176:
		return get_validation() & ACCESS_V;
	case MONITOR_NONE:
		break;
	}
	return false;
}

static void set_user_here(u32 value)
{
	if (kind_here() == MONITOR_V7)
		set_userenr(value);
	else
		set_validation(value);
	isb();
}

static void open_here(void)
{
	if (kind_here() == MONITOR_V7)
		set_userenr(get_userenr() | PMUSERENR_EN);
	else
		set_validation(get_validation() | ACCESS_V);
	isb();
}

/* Worth keeping: programs use it without telling us. */
bool ntd_arm_is_shared(void)
{
	return user_access;
}

void ntd_arch_cpu_up(void)
{
	unsigned long flags;
	struct found *f;

	if (!user_access)
		return;
	local_irq_save(flags);
	f = this_cpu_ptr(found);
	if (ntd_arm_is_here()) {
		if (!f->is_valid) {
			f->was_perf_counting = ntd_arm_is_perf_counting();
			ntd_arm_save(&f->state);
			f->is_valid = true;
		}
		open_here();
	}
	local_irq_restore(flags);
}

/* Nobody has a register open for writing any more. */
void ntd_arch_cpu_down(void)
{
	unsigned long flags;
	struct found *f;

	local_irq_save(flags);
	f = this_cpu_ptr(found);
	if (f->is_valid) {
		if (f->was_perf_counting || ntd_arm_is_perf_counting())
			set_user_here((u32)f->state.user);
		else
			ntd_arm_restore(&f->state);
		f->is_valid = false;
	}
	local_irq_restore(flags);
}

/*
 * With user_access=1 everybody is let in as long as the module is loaded, else nobody. Stock
 * emulators have the bit read as 0: then it is not so.
 */
int ntd_arch_grant(struct mm_struct *mm, unsigned int cpu, struct ntd_grant **grant)
{
	bool is_open;

	preempt_disable();
	is_open = smp_processor_id() == cpu && user_access && is_open_here();
	preempt_enable();
	return is_open ? 0 : -EOPNOTSUPP;
}

void ntd_arch_grant_again(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu)
{
}

void ntd_arch_revoke(struct ntd_grant *grant, struct mm_struct *mm, unsigned int cpu)
{
}

void ntd_arch_grant_put(struct ntd_grant *grant)
{
}

/* ---- begin and end ---- */

static void look_for_any(void *is_found)
{
	if (ntd_arm_is_here())
		WRITE_ONCE(*(bool *)is_found, true);
}

int ntd_arch_init(void)
{
	bool is_found = false;
	int ret;

	on_each_cpu(look_for_any, &is_found, 1);
	if (!is_found)
		return -ENODEV;
	found = alloc_percpu(struct found);
	if (!found)
		return -ENOMEM;
	ret = ntd_arm_reserve_init();
	if (ret)
		free_percpu(found);
	return ret;
}

/* cpuhp_remove_state() has called ntd_arch_cpu_down() on each CPU. */
void ntd_arch_exit(void)
{
	ntd_arm_reserve_exit();
	free_percpu(found);
}
