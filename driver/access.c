// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Registers read, written and given back, on the CPU that has them.
 *
 * A unit of a CPU comes and goes in hotplug callbacks on that CPU only, a package's on the first
 * and the last CPU of it. So a thread that runs there with interrupts off needs no lock to know
 * that the unit stays.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "core/base/names.h"
#include "core/base/write.h"
#include "driver/access.h"
#include "driver/compat.h"
#include "driver/file.h"
#include "driver/status.h"
#include "driver/trace.h"

static bool spare_isolated;
module_param(spare_isolated, bool, 0644);
MODULE_PARM_DESC(spare_isolated,
		 "serve registers of isolated and nohz_full CPUs on these alone (default: no)");

struct access {
	struct ntd_reg *reg;
	u32 addr; /* the register's, or where its bits are cleared */
	u64 value;
	bool is_write;
	int ret;
};

static bool row_is_restored(const struct nthw_reg *row)
{
	return nthw_reg_kept(row) || nthw_reg_bits_of(row, NTHW_RW1S);
}

/* Bits of which one that is set says that somebody counts. */
static u64 row_counts(const struct nthw_reg *row)
{
	return row->role == NTHW_ROLE_SELECT ? row->runs : 0;
}

/*
 * A register that changes by itself, so that giving it back is exact only when nothing counts any
 * more.
 */
static bool row_is_counter(const struct nthw_reg *row)
{
	return row->role == NTHW_ROLE_COUNTER;
}

bool ntd_reg_is_readable(const struct ntd_reg *reg)
{
	return nthw_reg_is_readable(reg->row);
}

bool ntd_reg_is_writable(const struct ntd_reg *reg)
{
	return nthw_write_is_allowed(reg->row);
}

int ntd_reg_name(const struct ntd_reg *reg, char *text, size_t size)
{
	int length = scnprintf(text, size, "%s/", reg->unit->folder);

	return length + nthw_reg_name(reg->row, reg->index, text + length, size - length);
}

unsigned int ntd_package_of(unsigned int cpu)
{
	int package = topology_physical_package_id(cpu);

	return package < 0 ? 0 : package; /* not told: there is one */
}

static bool unit_is_on(const struct ntd_unit *unit, unsigned int cpu)
{
	switch (unit->kind) {
	case NTD_UNIT_CORE:
		return unit->number == cpu;
	case NTD_UNIT_PACKAGE:
		return unit->number == ntd_package_of(cpu);
	case NTD_UNIT_DEVICE:
		break;
	}
	return false;
}

static bool is_current(const struct ntd_reg *reg, unsigned int generation)
{
	return READ_ONCE(reg->unit->is_here) && READ_ONCE(reg->unit->generation) == generation;
}

/* On a CPU that has the register, interrupts off; for devices anywhere. */
static void access_here(struct access *a)
{
	const struct ntd_reg *reg = a->reg;
	const struct nthw_reg *row = reg->row;
	struct ntd_device *device = reg->unit->device;

	if (device && a->is_write)
		a->ret = ntd_device_write(device, row, a->addr, a->value);
	else if (device)
		a->ret = ntd_device_read(device, row, a->addr, &a->value);
	else if (a->is_write)
		a->ret = ntd_arch_write(row->space, a->addr, a->value);
	else
		a->ret = ntd_arch_read(row->space, a->addr, &a->value);

	if (a->is_write)
		this_cpu_inc(ntd_status_cpu.writes);
	else
		this_cpu_inc(ntd_status_cpu.reads);
	if (a->ret)
		this_cpu_inc(ntd_status_cpu.errors);
	trace_ntime_access(reg->unit->folder, row->space, a->addr, a->value, a->is_write, a->ret);
}

static void access_call(void *arg)
{
	access_here(arg);
}

/* Any CPU on line that has the unit: this one if it can be, no isolated one if not; -ENODEV. */
static int unit_cpu(const struct ntd_unit *unit)
{
	int cpu = raw_smp_processor_id(), found = -ENODEV;

	if (unit_is_on(unit, cpu))
		return cpu;
	if (unit->kind == NTD_UNIT_CORE)
		return cpu_online(unit->number) ? (int)unit->number : -ENODEV;
	for_each_online_cpu(cpu) {
		if (!unit_is_on(unit, cpu))
			continue;
		found = cpu;
		if (!ntd_cpu_is_isolated(cpu))
			break;
	}
	return found;
}

/*
 * May a program be served that is not on a CPU of the unit? What a register held is put back in any
 * case.
 */
static bool may_disturb(const struct ntd_unit *unit)
{
	int cpu;

	if (unit->kind == NTD_UNIT_DEVICE || !READ_ONCE(spare_isolated))
		return true;
	cpu = unit_cpu(unit);
	return cpu < 0 || cpu == raw_smp_processor_id() || !ntd_cpu_is_isolated(cpu);
}

/* Under ntd_unit.lock; for registers of CPUs with cpu_hotplug_lock, which modules cannot assert. */
static int access_locked(struct access *a)
{
	const struct ntd_unit *unit = a->reg->unit;
	int cpu;

	lockdep_assert_held(&unit->lock);
	if (unit->kind == NTD_UNIT_DEVICE) {
		access_here(a);
		return a->ret;
	}
	cpu = unit_cpu(unit);
	if (cpu < 0 || smp_call_function_single(cpu, access_call, a, true))
		return -ENODEV;
	return a->ret;
}

static int read_locked(struct ntd_reg *reg, u64 *value)
{
	struct access a = { .reg = reg, .addr = reg->addr };
	int ret = access_locked(&a);

	if (!ret)
		*value = a.value;
	return ret;
}

static int write_locked(struct ntd_reg *reg, u32 addr, u64 value)
{
	struct access a = { .reg = reg, .addr = addr, .value = value, .is_write = true };

	return access_locked(&a);
}

int ntd_access_read(struct ntd_reg *reg, unsigned int generation, u64 *value)
{
	struct access a = { .reg = reg, .addr = reg->addr };
	unsigned long flags;
	int ret;

	/* The register of this CPU: see above. */
	local_irq_save(flags);
	if (unit_is_on(reg->unit, smp_processor_id())) {
		if (is_current(reg, generation))
			access_here(&a);
		else
			a.ret = -ENODEV;
		local_irq_restore(flags);
		if (!a.ret)
			*value = a.value;
		return a.ret;
	}
	local_irq_restore(flags);

	cpus_read_lock();
	down_read(&reg->unit->lock);
	if (!is_current(reg, generation))
		ret = -ENODEV;
	else
		ret = may_disturb(reg->unit) ? read_locked(reg, value) : -EBUSY;
	up_read(&reg->unit->lock);
	cpus_read_unlock();
	return ret;
}

/*
 * As for msr.ko: who writes registers behind the kernel's back is answerable for what comes of it.
 */
static void report(const struct ntd_reg *reg)
{
	static struct ratelimit_state limit =
		RATELIMIT_STATE_INIT_FLAGS(limit, 30 * HZ, 1, RATELIMIT_MSG_ON_RELEASE);
	char name[NTD_NAME_SIZE];

	add_taint(TAINT_CPU_OUT_OF_SPEC, LOCKDEP_STILL_OK);
	if (!__ratelimit(&limit))
		return;
	ntd_reg_name(reg, name, sizeof(name));
	/* Whoever runs a program chooses its name. */
	pr_notice("%s is written by %*pEop (pid %d)\n", name, (int)strlen(current->comm),
		  current->comm, task_tgid_nr(current));
}

/* Under ntd_reg.lock. */
static int write_claimed(struct ntd_reg *reg, u64 value)
{
	bool is_read = nthw_reg_is_readable(reg->row);
	u64 old = 0, new;
	int ret;

	lockdep_assert_held(&reg->lock);
	ret = is_read ? read_locked(reg, &old) : 0;
	if (ret)
		return ret;
	if (nthw_write_refuses(reg->row, old, value))
		return -EINVAL;
	new = nthw_write_merge(reg->row, old, value);
	report(reg);
	if (!reg->is_changed && row_is_restored(reg->row)) {
		reg->saved = old;
		reg->written = old;
		reg->is_changed = true;
	}
	ret = write_locked(reg, reg->addr, new);
	if (!ret)
		reg->written = new | (old & nthw_reg_bits_of(reg->row, NTHW_RW1S));
	return ret;
}

int ntd_access_write(struct ntd_reg *reg, struct ntd_file *file, unsigned int generation, u64 value)
{
	int ret = -ENODEV;

	cpus_read_lock();
	down_read(&reg->unit->lock);
	mutex_lock(&reg->lock);
	if (is_current(reg, generation) && reg->writer == file)
		ret = may_disturb(reg->unit) ? write_claimed(reg, value) : -EBUSY;
	mutex_unlock(&reg->lock);
	up_read(&reg->unit->lock);
	cpus_read_unlock();
	return ret;
}

/*
 * Bits that are set and cleared at two addresses: clear those that were not, set those that were.
 */
static int restore_set(struct ntd_reg *reg, u64 now)
{
	u64 bits = nthw_reg_bits_of(reg->row, NTHW_RW1S);
	int ret = 0;

	if (now & ~reg->saved & bits)
		ret = write_locked(reg, reg->row->clear_addr, now & ~reg->saved & bits);
	if (!ret && (reg->saved & ~now & bits))
		ret = write_locked(reg, reg->addr, reg->saved & bits);
	return ret;
}

static int restore_kept(struct ntd_reg *reg, u64 now)
{
	u64 kept = nthw_reg_kept(reg->row);

	if (!((reg->saved ^ now) & kept))
		return 0;
	return write_locked(reg, reg->addr, nthw_write_restore(reg->row, kept, reg->saved, now));
}

/* Under ntd_reg.lock. A failure can be told to nobody but the log. */
static void restore(struct ntd_reg *reg)
{
	char name[NTD_NAME_SIZE];
	u64 now;
	int ret;

	lockdep_assert_held(&reg->lock);
	if (!reg->is_changed)
		return;
	ret = read_locked(reg, &now);
	if (!ret)
		ret = restore_kept(reg, now);
	if (!ret)
		ret = restore_set(reg, now);
	if (ret) {
		ntd_reg_name(reg, name, sizeof(name));
		pr_err("%s could not be given back 0x%llx (%d)\n", name, reg->saved, ret);
	}
}

static bool needs_pmu(const struct ntd_reg *reg)
{
	return reg->unit->kind == NTD_UNIT_CORE && ntd_arch_needs_pmu(reg->row);
}

static bool is_same_box(const struct ntd_reg *a, const struct ntd_reg *b)
{
	return a->table == b->table && a->row->box == b->row->box;
}

/*
 * Nothing in the kernel reserves boxes outside of cores, but one that counts is somebody's, unless
 * what makes it count has a writer here. perf may still begin later, and would then be disturbed.
 */
static int claim_idle(struct ntd_reg *claimed, const char **why)
{
	struct ntd_unit *unit = claimed->unit;
	struct ntd_reg *reg;
	u64 counts, now;
	int ret;

	lockdep_assert_held_write(&unit->lock);
	if (needs_pmu(claimed))
		return 0;
	list_for_each_entry(reg, &unit->regs, node) {
		counts = row_counts(reg->row);
		if (!counts || !is_same_box(reg, claimed) || reg->generation != unit->generation ||
		    reg->writer || needs_pmu(reg) || !nthw_reg_is_readable(reg->row))
			continue;
		ret = read_locked(reg, &now);
		if (ret && reg == claimed) {
			*why = "the hardware refuses the register";
			return ret;
		}
		if (!ret && (now & counts)) {
			*why = "its counters count for someone else";
			return -EBUSY;
		}
	}
	return 0;
}

/*
 * Whoever writes a unit may let counters run that he does not write: before the first writer of a
 * unit, what all of them hold is remembered for settle(). Only of counters that are reserved:
 * others may be perf's by then.
 */
static void remember_counters(struct ntd_unit *unit)
{
	struct ntd_reg *reg;
	u64 now;

	lockdep_assert_held_write(&unit->lock);
	list_for_each_entry(reg, &unit->regs, node) {
		if (reg->generation != unit->generation || !row_is_counter(reg->row) ||
		    !needs_pmu(reg) || !ntd_reg_is_writable(reg) || !nthw_reg_is_readable(reg->row))
			continue;
		mutex_lock(&reg->lock);
		if (!reg->is_changed && !read_locked(reg, &now)) {
			reg->saved = now;
			reg->written = now;
			reg->is_changed = true;
		}
		mutex_unlock(&reg->lock);
	}
}

static int claim_locked(struct ntd_reg *reg, struct ntd_file *file, unsigned int generation,
			const char **why)
{
	struct ntd_unit *unit = reg->unit;
	int ret;

	lockdep_assert_held_write(&unit->lock);
	if (!is_current(reg, generation)) {
		*why = "it went away";
		return -ENODEV;
	}
	mutex_lock(&reg->lock);
	if (reg->writer) {
		*why = "another descriptor has it open for writing";
		ret = -EBUSY;
	} else if (unit->device && ntd_device_is_counted(unit->device)) {
		*why = "perf counts with its card";
		ret = -EBUSY;
	} else {
		ret = claim_idle(reg, why);
	}
	if (!ret)
		WRITE_ONCE(reg->writer, file);
	mutex_unlock(&reg->lock);
	if (!ret && atomic_inc_return(&unit->writers) == 1)
		remember_counters(unit);
	return ret;
}

const char ntd_access_isolated[] =
	"its CPU is isolated, and spare_isolated is set: use it on that CPU";
static const char counters_busy[] = "perf or the NMI watchdog uses the counters of the CPU";

static const char *begin_refusal(int error)
{
	switch (error) {
	case -EBUSY:
		return counters_busy;
	case -ENOMEM:
		return "there is no memory";
	}
	return "its program was killed";
}

static int claim(struct ntd_reg *reg, struct ntd_file *file, unsigned int generation,
		 const char **why)
{
	struct ntd_unit *unit = reg->unit;
	int ret;

	cpus_read_lock();
	/*
	 * Units of CPUs do not go while this lock is held: no need of ntd_unit.lock, which
	 * reserving must not hold.
	 */
	if (needs_pmu(reg)) {
		if (!is_current(reg, generation)) {
			*why = "it went away";
			ret = -ENODEV;
			goto unlock;
		}
		ret = ntd_arch_reserve(unit->number);
		if (ret) {
			*why = counters_busy;
			goto unlock;
		}
	}
	down_write(&unit->lock);
	ret = claim_locked(reg, file, generation, why);
	up_write(&unit->lock);
	if (ret && needs_pmu(reg))
		ntd_arch_release(unit->number);
unlock:
	cpus_read_unlock();
	return ret;
}

int ntd_access_claim(struct ntd_reg *reg, struct ntd_file *file, unsigned int generation,
		     const char **why)
{
	int ret;

	if (!may_disturb(reg->unit)) {
		*why = ntd_access_isolated;
		return -EBUSY;
	}
	if (!needs_pmu(reg))
		return claim(reg, file, generation, why);
	ret = ntd_arch_claim_begin(reg->unit->number);
	if (ret) {
		*why = begin_refusal(ret);
		return ret;
	}
	ret = claim(reg, file, generation, why);
	ntd_arch_claim_end(reg->unit->number);
	return ret;
}

/* Nobody writes the unit any more, so nothing counts: give counters back once more, now exactly. */
static void settle(struct ntd_unit *unit)
{
	struct ntd_reg *reg;

	lockdep_assert_held_write(&unit->lock);
	/* The list grows at its end only, and not while a unit is here. */
	list_for_each_entry(reg, &unit->regs, node) {
		mutex_lock(&reg->lock);
		if (!reg->writer) {
			restore(reg);
			reg->is_changed = false;
		}
		mutex_unlock(&reg->lock);
	}
}

void ntd_access_give_up(struct ntd_reg *reg, struct ntd_file *file)
{
	struct ntd_unit *unit = reg->unit;
	bool was_mine;

	cpus_read_lock();
	down_write(&unit->lock);
	mutex_lock(&reg->lock);
	was_mine = reg->writer == file;
	if (was_mine) {
		restore(reg);
		WRITE_ONCE(reg->writer, NULL);
		/* A counter may count on, and is given back once more. */
		if (!row_is_counter(reg->row))
			reg->is_changed = false;
	}
	mutex_unlock(&reg->lock);
	if (was_mine && atomic_dec_and_test(&unit->writers))
		settle(unit);
	up_write(&unit->lock);
	if (was_mine && needs_pmu(reg))
		ntd_arch_release(unit->number);
	cpus_read_unlock();
}

/* Registers that let others count are given back first. */
static void cut_regs(struct ntd_unit *unit, bool counters, bool is_reachable)
{
	struct ntd_reg *reg;

	list_for_each_entry(reg, &unit->regs, node) {
		if (row_is_counter(reg->row) != counters)
			continue;
		mutex_lock(&reg->lock);
		if (is_reachable)
			restore(reg);
		reg->is_changed = false;
		mutex_unlock(&reg->lock);
	}
}

void ntd_access_cut(struct ntd_unit *unit, bool is_reachable)
{
	struct ntd_reg *reg;
	unsigned int reserved = 0;

	down_write(&unit->lock);
	cut_regs(unit, false, is_reachable);
	cut_regs(unit, true, is_reachable);
	list_for_each_entry(reg, &unit->regs, node) {
		mutex_lock(&reg->lock);
		if (reg->writer) {
			reserved += needs_pmu(reg);
			WRITE_ONCE(reg->writer, NULL);
		}
		mutex_unlock(&reg->lock);
	}
	atomic_set(&unit->writers, 0);
	WRITE_ONCE(unit->is_here, false);
	unit->device = NULL;
	up_write(&unit->lock);
	while (reserved--)
		ntd_arch_release(unit->number);
}

static void resume_regs(struct ntd_unit *unit, bool enables)
{
	struct ntd_reg *reg;

	list_for_each_entry(reg, &unit->regs, node) {
		struct access a = { .reg = reg, .addr = reg->addr, .is_write = true };

		if (!reg->is_changed || !reg->writer || !!reg->row->runs != enables)
			continue;
		a.value = reg->written & (~nthw_write_acting(reg->row) |
					  nthw_reg_bits_of(reg->row, NTHW_RW1S));
		access_here(&a);
	}
}

static void resume_unit(struct ntd_unit *unit)
{
	resume_regs(unit, false);
	resume_regs(unit, true);
}

void ntd_access_resume(struct ntd_unit *unit)
{
	unsigned long flags;

	/* Accesses to devices may sleep. */
	if (unit->kind == NTD_UNIT_DEVICE) {
		resume_unit(unit);
		return;
	}
	local_irq_save(flags);
	resume_unit(unit);
	local_irq_restore(flags);
}
