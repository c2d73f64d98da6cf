/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells everybody in text files below /proc and /sys: how busy CPUs are, switches,
 * faults, pressure, frequency, temperature. Events of the unit "proc": counters that always run,
 * and states.
 */
#ifndef NTI_PROC_H
#define NTI_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/common/absence.h"
#include "base/os/os.h"

/* A file, or one for each CPU or sensor. */
enum nti_proc_file {
	NTI_PROC_STAT_CPU, /* of /proc/stat the line of a CPU */
	NTI_PROC_STAT,
	NTI_PROC_VMSTAT,
	NTI_PROC_MEMINFO,
	NTI_PROC_PRESSURE_CPU,
	NTI_PROC_PRESSURE_MEMORY,
	NTI_PROC_PRESSURE_IO,
	NTI_PROC_FREQUENCY, /* this one and the next two: of each CPU */
	NTI_PROC_CORE_THROTTLE,
	NTI_PROC_PACKAGE_THROTTLE,
	NTI_PROC_TEMPERATURE, /* of each sensor */
	NTI_PROC_CGROUP,      /* those of a control group, as nti_cgroup_read() has them */
	NTI_PROC_FILES
};

/**
 * struct nti_proc_row - an event
 * @key:	word at the beginning of its line
 * @column:	of NTI_PROC_STAT_CPU: which number behind "cpuN", from 0
 * @scale:	from the file's number to @unit
 * @is_per_cpu:	each CPU has one; else there is one for the machine
 * @is_state:	tells how things are, not what happened; of several CPUs the highest counts
 */
struct nti_proc_row {
	const char *name, *about, *unit, *source;
	enum nti_proc_file file;
	const char *key;
	unsigned int column;
	double scale;
	bool is_per_cpu, is_state;
};

/* NULL behind the last one. */
const struct nti_proc_row *nti_proc_row(size_t i);
/* Number of the event called @name of @bytes bytes; -1: there is none. */
int nti_proc_find(const char *name, size_t bytes);
/* Why event @i cannot be read here, in @out, which stays empty where it can. 0 or -ENOMEM. */
int nti_proc_problem(struct nti_os *os, size_t i, struct nti_absence *out);

/* Why none can be: static memory. */
const struct nti_why *nti_proc_why(struct nti_os *os);

struct nti_proc;

/*
 * A reader of events of CPUs below @cpus; it keeps files open. 0, -ENOMEM, or -errno. Free it with
 * nti_proc_free().
 */
int nti_proc_new(struct nti_os *os, unsigned int cpus, struct nti_proc **out);
/* From now on event @row is read too: its place, or -ENOMEM. */
int nti_proc_add(struct nti_proc *p, size_t row);
/* Read all: each file once. What cannot be read has no value until the next call. 0 or -ENOMEM. */
int nti_proc_read(struct nti_proc *p);
#define NTI_PROC_NONE UINT64_MAX
/* It is there, and no count: negative, 2^64 - 2 and more, not digits; or its file failed. */
#define NTI_PROC_BAD (UINT64_MAX - 1)
/* What was read last at @place of CPU @cpu (0 of what the machine has once); or one of these. */
uint64_t nti_proc_value(const struct nti_proc *p, size_t place, unsigned int cpu);
/*
 * Why the file of @place could not be read last, -errno, or 0; *@path is its name, NULL where there
 * is one for each CPU or sensor, of which some may go.
 */
int nti_proc_error(const struct nti_proc *p, size_t place, const char **path);
void nti_proc_free(struct nti_proc *p);

#define NTI_CGROUP_BYTES 1024

/* A control group: its folder, of which @mount bytes are the mount, and why it is none. */
struct nti_cgroup {
	char path[NTI_CGROUP_BYTES];
	size_t mount;
	bool has_usage; /* of v1: cpuacct has the same group */
	int error;
};

/*
 * The group whose CPU quota limits this process: its own or one above it. .error is -ENOENT where
 * there is no CPU controller, -ENODATA without a quota.
 */
void nti_cgroup_find(struct nti_os *os, struct nti_cgroup *out);
/*
 * What its files say as lines "cgroup-cpu NUMBER", times in ns, the quota in millionths of a CPU;
 * what they lack has no line. 0, or .error.
 */
ssize_t nti_cgroup_read(struct nti_os *os, const struct nti_cgroup *g, char *text, size_t size);

#endif
