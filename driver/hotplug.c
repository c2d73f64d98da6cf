// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Units of CPUs and packages, following the CPUs: on line, off line, and through suspend.
 *
 * Suspend takes all CPUs but one off line and brings them back, with all programs frozen. Their
 * units stay, so that descriptors do, and what writers had written is written again when the CPU is
 * back. One that does not come back goes before programs run again. The CPU that slept with the
 * machine is seen to when devices resume, which is after all CPUs and before programs: a platform
 * device without hardware is there for that.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/smp.h>
#include <linux/suspend.h>

#include "driver/access.h"
#include "driver/hotplug.h"
#include "driver/tree.h"

static enum cpuhp_state state; /* as given by cpuhp_setup_state() */
static bool is_loading; /* a CPU that cannot be shown fails the load, not the CPU */
/* CPUs that came back on line in this resume; changed with programs frozen */
static cpumask_t woken;

static int add_reg(void *arg, const struct nthw_table *table, const struct nthw_reg *row, u32 index)
{
	return ntd_tree_add_reg(arg, table, row, index);
}

/* The unit of @cpu, shown unless it is already. On that CPU. */
static int unit_come(enum ntd_unit_kind kind, unsigned int number, unsigned int cpu)
{
	bool is_core = kind == NTD_UNIT_CORE;
	enum nthw_scope scope = is_core ? NTHW_SCOPE_CPU : NTHW_SCOPE_PACKAGE;
	struct ntd_unit *unit;
	char folder[24];
	int ret = 0;

	scnprintf(folder, sizeof(folder), "%s%u", is_core ? "core" : "uncore", number);
	unit = ntd_tree_unit(kind, number, folder, ntd_arch_vendor());
	if (IS_ERR(unit))
		return PTR_ERR(unit);
	if (!unit->is_here) {
		ret = ntd_arch_add_regs(cpu, scope, add_reg, unit);
		if (!ret)
			ntd_tree_come(unit, NULL);
	}
	ntd_tree_put(unit);
	return ret;
}

/* The unit of @cpu or its package if it is here, with a reference. */
static struct ntd_unit *unit_get(enum ntd_unit_kind kind, unsigned int number)
{
	struct ntd_unit *unit, *found = NULL;

	mutex_lock(&ntd_tree_lock);
	list_for_each_entry(unit, &ntd_tree_units, node)
		if (unit->kind == kind && unit->number == number && unit->is_here)
			found = ntd_tree_get(unit);
	mutex_unlock(&ntd_tree_lock);
	return found;
}

static void unit_go(enum ntd_unit_kind kind, unsigned int number, bool is_reachable)
{
	struct ntd_unit *unit = unit_get(kind, number);

	if (!unit)
		return;
	ntd_tree_go(unit, is_reachable);
	ntd_tree_put(unit);
}

static bool package_has_other(unsigned int package, unsigned int cpu)
{
	unsigned int other;

	for_each_online_cpu(other)
		if (other != cpu && ntd_package_of(other) == package)
			return true;
	return false;
}

static void unit_resume(enum ntd_unit_kind kind, unsigned int number)
{
	struct ntd_unit *unit = unit_get(kind, number);

	if (!unit)
		return;
	ntd_access_resume(unit);
	ntd_tree_put(unit);
}

static int cpu_up_again(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &woken);
	unit_resume(NTD_UNIT_CORE, cpu);
	/*
	 * Other CPUs of the package may have stayed; then its registers hold what they held, and
	 * get it once more.
	 */
	if (!package_has_other(ntd_package_of(cpu), cpu))
		unit_resume(NTD_UNIT_PACKAGE, ntd_package_of(cpu));
	return 0;
}

static int on_cpu_up(unsigned int cpu)
{
	struct ntd_unit *unit = unit_get(NTD_UNIT_CORE, cpu);
	int ret;

	ntd_arch_cpu_up();
	if (unit) {
		ntd_tree_put(unit);
		return cpu_up_again(cpu);
	}
	ret = unit_come(NTD_UNIT_PACKAGE, ntd_package_of(cpu), cpu);
	if (!ret)
		ret = unit_come(NTD_UNIT_CORE, cpu, cpu);
	if (ret && is_loading) {
		/* The CPU that fails is not asked to take back what it did. */
		ntd_arch_cpu_down();
		return ret;
	}
	if (ret)
		pr_err("registers of CPU %u cannot be shown (%d)\n", cpu, ret);
	return 0;
}

static int on_cpu_down(unsigned int cpu)
{
	unsigned int package = ntd_package_of(cpu);

	if (!cpuhp_tasks_frozen) {
		unit_go(NTD_UNIT_CORE, cpu, true);
		if (!package_has_other(package, cpu))
			unit_go(NTD_UNIT_PACKAGE, package, true);
	}
	ntd_arch_cpu_down();
	return 0;
}

/* ---- suspend ---- */

static void wake_cpu(void *unused)
{
	ntd_arch_cpu_up();
}

static void wake_unit(void *unit)
{
	ntd_access_resume(unit);
}

static bool unit_slept(const struct ntd_unit *unit, unsigned int cpu)
{
	if (!unit->is_here)
		return false;
	if (unit->kind == NTD_UNIT_CORE)
		return unit->number == cpu;
	return unit->kind == NTD_UNIT_PACKAGE && unit->number == ntd_package_of(cpu);
}

/* Programs are frozen: nobody else uses the registers. */
static void wake(bool is_lost)
{
	struct ntd_unit *unit;
	unsigned int cpu;

	mutex_lock(&ntd_tree_lock);
	for_each_online_cpu(cpu) {
		if (cpumask_test_cpu(cpu, &woken))
			continue;
		smp_call_function_single(cpu, wake_cpu, NULL, true);
		list_for_each_entry(unit, &ntd_tree_units, node)
			if (is_lost && unit_slept(unit, cpu))
				smp_call_function_single(cpu, wake_unit, unit, true);
	}
	list_for_each_entry(unit, &ntd_tree_units, node)
		if (is_lost && unit->is_here && unit->kind == NTD_UNIT_DEVICE)
			ntd_access_resume(unit);
	mutex_unlock(&ntd_tree_lock);
}

static int on_suspend(struct device *device)
{
	cpumask_clear(&woken);
	ntd_device_sleep();
	return 0;
}

/*
 * Where the machine only idles, registers hold what they held, and counters may have counted on.
 */
static int on_resume(struct device *device)
{
	wake(pm_suspend_via_firmware());
	ntd_device_wake();
	return 0;
}

static int on_restore(struct device *device)
{
	wake(true);
	ntd_device_wake();
	return 0;
}

/* Of CPUs that did not come back. */
static void drop_lost(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		if (cpu_online(cpu))
			continue;
		unit_go(NTD_UNIT_CORE, cpu, false);
		if (!package_has_other(ntd_package_of(cpu), cpu))
			unit_go(NTD_UNIT_PACKAGE, ntd_package_of(cpu), false);
	}
	cpus_read_unlock();
}

static void on_complete(struct device *device)
{
	drop_lost();
}

static const struct dev_pm_ops pm_ops = {
	.suspend = on_suspend,
	.freeze = on_suspend,
	.poweroff = on_suspend,
	.resume = on_resume,
	.thaw = on_resume,
	.restore = on_restore,
	.complete = on_complete,
};

static struct platform_driver pm_driver = {
	.driver = {
		.name = KBUILD_MODNAME,
		.pm = &pm_ops,
		.suppress_bind_attrs = true,
	},
};

static struct platform_device *pm_device;

static int pm_init(void)
{
	int ret = platform_driver_register(&pm_driver);

	if (ret)
		return ret;
	pm_device = platform_device_register_simple(KBUILD_MODNAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (!IS_ERR(pm_device))
		return 0;
	platform_driver_unregister(&pm_driver);
	return PTR_ERR(pm_device);
}

static void pm_exit(void)
{
	platform_device_unregister(pm_device);
	platform_driver_unregister(&pm_driver);
}

int ntd_hotplug_init(void)
{
	int ret;

	is_loading = true;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "ntime:online", on_cpu_up, on_cpu_down);
	is_loading = false;
	if (ret < 0)
		return ret;
	state = ret;
	ret = pm_init();
	if (ret)
		cpuhp_remove_state(state);
	return ret;
}

void ntd_hotplug_exit(void)
{
	pm_exit();
	cpuhp_remove_state(state);
}
