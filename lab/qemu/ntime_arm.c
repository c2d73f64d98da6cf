// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ntime's model of the ARM1176's performance monitor as coprocessor registers of QEMU 7.2.
 *
 * Instructions come from QEMU's instruction counter (-icount), cycles are instructions shifted by
 * icount's shift; without -icount instructions stand still and a cycle is a nanosecond of virtual
 * time. The instruction counter is one for the machine: machines with an ARM1176 have one CPU. The
 * monitor's interrupt leads nowhere, as in the device tree of the BCM2835. Its state is not saved
 * with a snapshot.
 */
#include <qemu/osdep.h>
#include <cpu.h>
#include <cpregs.h>
#include <qemu/timer.h>
#include <sysemu/cpu-timers.h>

#include "core/regs/regs.h"
#include "core/models/arm1176_pmu.h"
#include "lab/qemu/ntime_arm.h"

/* Main ID register: ARM Ltd., part 0xb76; variant and revision vary. */
#define MIDR_ARM1176 0x4100b760
#define MIDR_MASK 0xff00fff0

struct monitor {
	struct ntm_arm1176_pmu model;
	uint64_t instructions; /* model knows of everything up to here */
	uint64_t cycles;
};

static uint64_t instructions_now(void)
{
	return icount_enabled() ? (uint64_t)icount_get_raw() : 0;
}

static uint64_t cycles_now(uint64_t instructions)
{
	return icount_enabled() ? (uint64_t)icount_to_ns((int64_t)instructions)
				: (uint64_t)qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Tell the model what happened since the last access. */
static void catch_up(struct monitor *m)
{
	uint64_t instructions = instructions_now(), cycles = cycles_now(instructions);

	ntm_arm1176_pmu_advance(&m->model, instructions - m->instructions, cycles - m->cycles);
	m->instructions = instructions;
	m->cycles = cycles;
}

static uint32_t addr_of(const ARMCPRegInfo *ri)
{
	return NTHW_CP15(ri->crn, ri->opc1, ri->crm, ri->opc2);
}

static CPAccessResult monitor_access(CPUARMState *env, const ARMCPRegInfo *ri, bool isread)
{
	const struct monitor *m = ri->opaque;
	bool is_privileged = arm_current_el(env) > 0;

	return ntm_arm1176_pmu_is_allowed(&m->model, addr_of(ri), is_privileged)
		       ? CP_ACCESS_OK
		       : CP_ACCESS_TRAP_UNCATEGORIZED;
}

static uint64_t monitor_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
	struct monitor *m = ri->opaque;
	uint64_t value = 0;

	catch_up(m);
	/* Cannot fail: monitor_access() was asked before, and the addresses are the model's own. */
	if (ntm_arm1176_pmu_read(&m->model, addr_of(ri), arm_current_el(env) > 0, &value) != 0)
		g_assert_not_reached();
	return value;
}

static void monitor_write(CPUARMState *env, const ARMCPRegInfo *ri, uint64_t value)
{
	struct monitor *m = ri->opaque;

	catch_up(m);
	if (ntm_arm1176_pmu_write(&m->model, addr_of(ri), arm_current_el(env) > 0, value) != 0)
		g_assert_not_reached();
}

/* Called for every register: once would do. */
static void monitor_reset(CPUARMState *env, const ARMCPRegInfo *ri)
{
	struct monitor *m = ri->opaque;

	ntm_arm1176_pmu_reset(&m->model);
	m->instructions = instructions_now();
	m->cycles = cycles_now(m->instructions);
}

/*
 * One register of QEMU for each instance of each row. User mode is let in or not by
 * monitor_access().
 */
static void define_row(ARMCPU *cpu, struct monitor *m, const struct nthw_reg *row)
{
	uint32_t i;

	for (i = 0; i < row->count; i++) {
		uint32_t addr = row->addr + i * row->step;
		const ARMCPRegInfo info = {
			.name = row->name,
			.cp = 15,
			.crn = addr >> 12 & 0xf,
			.opc1 = addr >> 8 & 0xf,
			.crm = addr >> 4 & 0xf,
			.opc2 = addr & 0xf,
			.access = PL0_RW,
			.type = ARM_CP_IO | ARM_CP_NO_RAW | ARM_CP_OVERRIDE,
			.accessfn = monitor_access,
			.readfn = monitor_read,
			.writefn = monitor_write,
			.resetfn = monitor_reset,
		};

		define_one_arm_cp_reg_with_opaque(cpu, &info, m);
	}
}

void ntime_arm_define(ARMCPU *cpu)
{
	struct monitor *m;
	size_t i;

	if ((cpu->midr & MIDR_MASK) != MIDR_ARM1176)
		return;
	/* Lives as long as the registers, which QEMU never takes away from a CPU. */
	m = g_new0(struct monitor, 1);
	for (i = 0; i < nthw_arm1176.count; i++)
		define_row(cpu, m, nthw_arm1176.regs[i]);
}
