// SPDX-License-Identifier: MIT
/* Events of the kernel's text files, and why one is not there. */
#include <errno.h>
#include <string.h>

#include "count/lib/access/method.h"
#include "count/lib/access/proc.h"

const struct nti_method_row nti_method_proc = {
	.name = "proc",
	.reaches = "what the kernel tells everybody in files of /proc and /sys",
	.cost = "a system call a file, some of which the kernel makes up anew",
};

/*
 * Ticks of USER_HZ, which is 100 wherever programs see it (Linux 6.1, include/asm-generic/param.h,
 * USER_HZ).
 */
#define NS_PER_TICK 1e7

#define CPU_TIME(name, column, about)                                                              \
	{                                                                                          \
		name, about, "ns", "proc(5), /proc/stat", NTI_PROC_STAT_CPU, "cpu", column,        \
			NS_PER_TICK, .is_per_cpu = true                                            \
	}
#define STAT(name, key, about)                                                                     \
	{                                                                                          \
		name, about, "", "proc(5), /proc/stat", NTI_PROC_STAT, key, 0, 1                   \
	}
#define VMSTAT(name, key, about)                                                                   \
	{                                                                                          \
		name, about, "", "proc(5), /proc/vmstat", NTI_PROC_VMSTAT, key, 0, 1               \
	}
/* Microseconds. */
#define PRESSURE(what, name, key, about)                                                           \
	{                                                                                          \
		name, about, "ns", "Linux 6.1, Documentation/accounting/psi.rst",                  \
			NTI_PROC_PRESSURE_##what, key, 0, 1e3                                      \
	}

#define CGROUP(name, unit, about)                                                                  \
	{                                                                                          \
		"cgroup-" name, about, unit, "Linux 6.1, Documentation/admin-guide/cgroup-v2.rst", \
			NTI_PROC_CGROUP, "cgroup-" name, 0, 1                                      \
	}

static const struct nti_proc_row rows[] = {
	CPU_TIME("user", 0, "time in user mode, without niced programs and guests"),
	CPU_TIME("nice", 1, "time in user mode of niced programs"),
	CPU_TIME("system", 2, "time in the kernel, without interrupts"),
	CPU_TIME("idle", 3, "time without anything to do"),
	CPU_TIME("iowait", 4, "idle time while something waited for a disk"),
	CPU_TIME("irq", 5, "time in interrupts"),
	CPU_TIME("softirq", 6, "time in soft interrupts"),
	CPU_TIME("steal", 7, "time in which the hypervisor ran others"),
	CPU_TIME("guest", 8, "time in which virtual machines of this one ran"),
	CPU_TIME("guest-nice", 9, "the same of niced ones"),
	STAT("context-switches", "ctxt", "switches to another task"),
	STAT("interrupts", "intr", "interrupts"),
	STAT("forks", "processes", "processes and threads that were started"),
	{ "running", "tasks that run or could", "", "proc(5), /proc/stat", NTI_PROC_STAT,
	  "procs_running", 0, 1, .is_state = true },
	{ "blocked", "tasks that wait for a disk", "", "proc(5), /proc/stat", NTI_PROC_STAT,
	  "procs_blocked", 0, 1, .is_state = true },
	VMSTAT("page-faults", "pgfault", "page faults, minor and major"),
	VMSTAT("major-faults", "pgmajfault", "page faults that needed the disk"),
	VMSTAT("swap-in", "pswpin", "pages read from swap"),
	VMSTAT("swap-out", "pswpout", "pages written to swap"),
	VMSTAT("oom-kills", "oom_kill", "processes killed for want of memory"),
	{ "available", "memory that programs can still get", "bytes", "proc(5), /proc/meminfo",
	  NTI_PROC_MEMINFO, "MemAvailable:", 0, 1024, .is_state = true },
	PRESSURE(CPU, "pressure-cpu", "some", "time in which a task waited for a CPU"),
	PRESSURE(MEMORY, "pressure-memory", "some", "time in which a task waited for memory"),
	PRESSURE(MEMORY, "pressure-memory-full", "full",
		 "time in which all tasks waited for memory"),
	PRESSURE(IO, "pressure-io", "some", "time in which a task waited for a disk"),
	PRESSURE(IO, "pressure-io-full", "full", "time in which all tasks waited for a disk"),
	{ "frequency", "clock of the CPU, as its driver tells it", "GHz",
	  "Linux 6.1, Documentation/admin-guide/pm/cpufreq.rst, scaling_cur_freq",
	  NTI_PROC_FREQUENCY, "", 0, 1e-6, .is_per_cpu = true, .is_state = true },
	{ "core-throttles", "times that the core was slowed down for its heat", "",
	  "Linux 6.1, arch/x86/kernel/cpu/mce/therm_throt.c", NTI_PROC_CORE_THROTTLE, "", 0, 1,
	  .is_per_cpu = true },
	{ "package-throttles", "times that the package was slowed down, as each of its CPUs saw it",
	  "", "Linux 6.1, drivers/thermal/intel/therm_throt.c", NTI_PROC_PACKAGE_THROTTLE, "", 0, 1,
	  .is_per_cpu = true },
	{ "temperature", "the hottest sensor of the processors", "C",
	  "Linux 6.1, Documentation/hwmon/sysfs-interface.rst", NTI_PROC_TEMPERATURE, "", 0, 1e-3,
	  .is_state = true },
	CGROUP("cpu", "ns", "CPU time of the control group whose quota limits this process"),
	CGROUP("throttled", "ns", "time for which its quota stopped that group, of all CPUs"),
	CGROUP("throttles", "", "periods of the quota in which that group was stopped"),
	CGROUP("periods", "", "periods of the quota in which that group had work"),
	{ "cgroup-quota", "CPU time that the group may use, in CPUs", "CPUs",
	  "Linux 6.1, Documentation/admin-guide/cgroup-v2.rst, cpu.max", NTI_PROC_CGROUP,
	  "cgroup-quota", 0, 1e-6, .is_state = true },
};

static const struct nti_why no_quota = {
	NTIME_REASON_SETTING, "CPU quota",
	"no CPU quota limits this process's control group or one above it",
	"systemd-run --scope -p CPUQuota=50%"
};

/* Why a file is not there. */
static const struct nti_why missing[NTI_PROC_FILES] = {
	[NTI_PROC_STAT_CPU] = { NTIME_REASON_NOT_MOUNTED, "/proc/stat", "/proc/stat is not there",
				"mount -t proc proc /proc" },
	[NTI_PROC_STAT] = { NTIME_REASON_NOT_MOUNTED, "/proc/stat", "/proc/stat is not there",
			    "mount -t proc proc /proc" },
	[NTI_PROC_VMSTAT] = { NTIME_REASON_KERNEL, "/proc/vmstat",
			      "this kernel shows no /proc/vmstat",
			      "boot a kernel with CONFIG_VM_EVENT_COUNTERS=y" },
	[NTI_PROC_MEMINFO] = { NTIME_REASON_NOT_MOUNTED, "/proc/meminfo",
			       "/proc/meminfo is not there", "mount -t proc proc /proc" },
#define NO_PRESSURE                                                                                \
	{                                                                                          \
		NTIME_REASON_KERNEL, "/proc/pressure",                                             \
			"this kernel does not tell how long tasks wait (pressure stall "           \
			"information)",                                                            \
			"boot with psi=1, a kernel with CONFIG_PSI=y"                              \
	}
	[NTI_PROC_PRESSURE_CPU] = NO_PRESSURE,
	[NTI_PROC_PRESSURE_MEMORY] = NO_PRESSURE,
	[NTI_PROC_PRESSURE_IO] = NO_PRESSURE,
	[NTI_PROC_FREQUENCY] = { NTIME_REASON_KERNEL, "cpufreq",
				 "no cpufreq driver tells the clock of the CPUs here",
				 "modprobe acpi-cpufreq; virtual machines have none" },
#define NO_THROTTLE                                                                                \
	{                                                                                          \
		NTIME_REASON_NO_HARDWARE, "thermal_throttle",                                      \
			"the kernel counts throttling of Intel's processors alone, and not in "    \
			"virtual machines",                                                        \
			NULL                                                                       \
	}
	[NTI_PROC_CORE_THROTTLE] = NO_THROTTLE,
	[NTI_PROC_PACKAGE_THROTTLE] = NO_THROTTLE,
	[NTI_PROC_TEMPERATURE] = { NTIME_REASON_KERNEL, "hwmon",
				   "no sensor of a processor is in /sys/class/hwmon or "
				   "/sys/class/thermal",
				   "modprobe coretemp or k10temp; virtual machines have none" },
	[NTI_PROC_CGROUP] = { NTIME_REASON_NOT_MOUNTED, "/sys/fs/cgroup",
			      "no control groups with a CPU controller are mounted",
			      "mount -t cgroup2 cgroup2 /sys/fs/cgroup" },
};

const struct nti_proc_row *nti_proc_row(size_t i)
{
	return i < sizeof(rows) / sizeof(rows[0]) ? &rows[i] : NULL;
}

const struct nti_why *nti_proc_why(struct nti_os *os)
{
	return nti_os_exists(os, "/proc/stat") ? &nti_why_nothing : &missing[NTI_PROC_STAT];
}

int nti_proc_find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strlen(rows[i].name) == bytes && strncmp(rows[i].name, name, bytes) == 0)
			return (int)i;
	return -1;
}

/* @error: of reading the file, or 0: it does not tell this. */
static int explain(enum nti_proc_file file, int error, struct nti_absence *out)
{
	bool is_closed = error == -EACCES || error == -EPERM;

	if (error == -ENODATA)
		return nti_absence_set_why(out, &no_quota);
	/* Pressure is switched off: EOPNOTSUPP (Linux 6.1, kernel/sched/psi.c, psi_open()). */
	if (!error || error == -ENOENT || error == -EOPNOTSUPP)
		return nti_absence_set_why(out, &missing[file]);
	return nti_absence_set_failed(
		out, is_closed ? NTIME_REASON_PERMISSION : NTIME_REASON_FAILED, missing[file].about,
		error, is_closed ? NTI_AS_ROOT : NULL, "%s cannot be read: %s", missing[file].about,
		strerror(-error));
}

/* The file is there: what it says of @row is no count, or it says nothing of it. */
static int explain_text(const struct nti_proc_row *row, const char *path, bool is_bad,
			struct nti_absence *out)
{
	if (is_bad)
		return nti_absence_set(out, NTIME_REASON_FAILED, missing[row->file].about,
				       "look at that file; another kernel may be right",
				       "what %s says of %s is negative, too large or no number",
				       path ? path : missing[row->file].about, row->name);
	return nti_absence_set(out, NTIME_REASON_KERNEL, path,
			       row->file == NTI_PROC_CGROUP
				       ? "another kernel may have it, and one with cgroup v1 where "
					 "the controllers cpu and cpuacct have the same groups"
				       : "look at that file; another kernel may have it",
			       "%s says nothing of %s", path, row->name);
}

int nti_proc_problem(struct nti_os *os, size_t i, struct nti_absence *out)
{
	struct nti_proc *p;
	const char *path;
	int ret = nti_proc_new(os, 1, &p), place, error;
	uint64_t value;

	if (ret < 0)
		return ret;
	place = nti_proc_add(p, i);
	ret = place < 0 ? place : nti_proc_read(p);
	value = ret < 0 ? 0 : nti_proc_value(p, (size_t)place, 0);
	if (value >= NTI_PROC_BAD) {
		error = nti_proc_error(p, (size_t)place, &path);
		ret = error || (!path && value == NTI_PROC_NONE)
			      ? explain(rows[i].file, error, out)
			      : explain_text(&rows[i], path, value == NTI_PROC_BAD, out);
	}
	nti_proc_free(p);
	return ret;
}
