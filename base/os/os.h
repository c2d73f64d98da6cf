/* SPDX-License-Identifier: MIT */
/*
 * The one door to the operating system. Everything above calls these functions, never the C
 * library's system calls, so that another root directory or a recorded machine can stand in for the
 * real one.
 *
 * Paths are absolute ("/sys/..."); the implementation puts its root in front. Errors are negative
 * errno values.
 */
#ifndef NTI_OS_H
#define NTI_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/common/interrupt.h"

struct perf_event_attr;
struct nti_os;
struct nti_work;

#define NTI_PERF_PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define NTI_SYSFS_DEVICES "/sys/bus/event_source/devices"
#define NTI_SYSFS_LINE_BYTES 4096 /* sysfs shows at most one page */
#define NTI_SYSFS_PATH_BYTES 512
/* Room for any text file that we read from sysfs or procfs. */
#define NTI_OS_TEXT_BYTES 65536
/*
 * More CPUs than any kernel has (CONFIG_NR_CPUS is 8192 at most today); bounds lists of CPUs and of
 * packages.
 */
#define NTI_CPU_LIMIT 65536
/* Newer than the headers we may be built with (linux/capability.h, Linux 5.8). */
#define NTI_CAP_PERFMON 38

/* Entry points of one operating system. Every member is set; nothing here may be NULL. */
struct nti_os_ops {
	const char *name; /* "linux", "replay", or a test's own */

	/*
	 * Read a text file whole into @buf, NUL at the end. Returns its length; -E2BIG when @size
	 * is too small.
	 */
	int (*text)(struct nti_os *os, const char *path, char *buf, size_t size);
	/*
	 * Call @fn for each name in a directory, sorted by strcmp, without . and ..; stops at the
	 * first non-zero.
	 */
	int (*list)(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		    void *arg);
	/* Target of a symbolic link, NUL at the end. */
	int (*link)(struct nti_os *os, const char *path, char *buf, size_t size);
	/*
	 * A number that what is at @path has, and what is put there in its place has not: in sysfs,
	 * which numbers its files as they come. 0; -errno; -EOPNOTSUPP of a machine that is
	 * elsewhere.
	 */
	int (*identity)(struct nti_os *os, const char *path, uint64_t *out);
	/* access(2) with the effective ids: 0, -ENOENT, -EACCES. @mode is R_OK | W_OK or F_OK. */
	int (*access)(struct nti_os *os, const char *path, int mode);

	/*
	 * CPUID on the calling CPU, @r is eax ebx ecx edx; -ENOTSUP where the processor has no such
	 * instruction.
	 */
	int (*cpuid)(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t r[4]);
	/* uname -m of the machine looked at ("x86_64", "aarch64"), static memory. */
	const char *(*arch)(struct nti_os *os);
	/*
	 * Effective user is root (or holds CAP_PERFMON / CAP_SYS_ADMIN where @perf): what
	 * permissions will say.
	 */
	bool (*is_privileged)(struct nti_os *os, bool perf);
	/* Time stamp counter now; 0 and -ENOTSUP where user space has none. */
	int (*tsc)(struct nti_os *os, uint64_t *ticks);
	/* CLOCK_MONOTONIC in ns. */
	uint64_t (*now_ns)(struct nti_os *os);

	/*
	 * Descriptors. perf_open is perf_event_open(2); the others are the system calls of their
	 * names.
	 */
	int (*perf_open)(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			 int group, unsigned long flags);
	int (*open)(struct nti_os *os, const char *path, int flags);
	ssize_t (*read)(struct nti_os *os, int fd, void *buf, size_t size);
	ssize_t (*pread)(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset);
	ssize_t (*pwrite)(struct nti_os *os, int fd, const void *buf, size_t size, uint64_t offset);
	int (*ioctl)(struct nti_os *os, int fd, unsigned long request, unsigned long arg);
	int (*map)(struct nti_os *os, int fd, size_t bytes, void **out); /* shared, read only */
	void (*unmap)(struct nti_os *os, void *address, size_t bytes);
	void (*close)(struct nti_os *os, int fd);
	/*
	 * Descriptor of a directory (base/os/locked.h) that is no symbolic link; where @make, it
	 * and its parent are made if they are missing. -ENOTDIR for anything else of that name.
	 * -EOPNOTSUPP in a recording.
	 */
	int (*directory)(struct nti_os *os, const char *path, bool make);

	void (*free)(struct nti_os *os); /* the os object itself */
};

#define NTI_OS_SHORTAGE_BYTES 128

/**
 * struct nti_os_shortage - a file that may be there and could not be looked at
 * @error:	-ENOMEM, -EMFILE, -ENFILE; 0: none
 * @path:	the first one
 *
 * Most who read files take any error for an absence. This says that it was none;
 * nti_os_take_shortage() hands it on.
 */
struct nti_os_shortage {
	int error;
	char path[NTI_OS_SHORTAGE_BYTES];
};

struct nti_os {
	const struct nti_os_ops *ops;
	/* what long work asks; NULL: nobody interrupts. Lives as long as this does */
	const struct nti_interrupt *interrupt;
	struct nti_os_shortage shortage;
	/* what self-tests have done (count/lib/perf/work.h); NULL: the processor does it */
	const struct nti_work *work;
	/* ---- what is not there; a real machine lacks nothing ---- */
	/* it is not the one that this runs on: what asks no files sees this one all the same */
	bool is_elsewhere;
	/*
	 * Nobody's hardware: values are made up, registers are as they were recorded, and no
	 * program runs there. What is refused is refused as it was, and nobody knows by whom.
	 */
	bool is_simulated;
	bool is_timeless; /* no time passes there: its clock moves when it is looked at */
	bool is_still;	  /* nothing counts there, so nothing can be started */
};

/* Is there that process? Where none can be, the one that is meant is this machine's. */
bool nti_os_has_process(struct nti_os *os, pid_t pid);

struct nti_error;
/* 0, or the shortage with a sentence in @e, once. */
int nti_os_take_shortage(struct nti_os *os, struct nti_error *e);

/* This machine; @root is put before every path ("" or NULL: none). 0 or -ENOMEM / -ENAMETOOLONG. */
int nti_os_linux_new(const char *root, struct nti_os **out);

/* Descriptor (O_PATH) of the other root; -ENOENT: it is this machine, or a recording. */
int nti_os_linux_root(struct nti_os *os);

/*
 * Convenience on top of the operations: read a number, or the first line without white space at
 * both ends and its length, of a file whose name is printf-formatted.
 */
int nti_os_u64(struct nti_os *os, uint64_t *out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int nti_os_line(struct nti_os *os, char *buf, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
bool nti_os_exists(struct nti_os *os, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Can the kernel load modules? Of a recording that is not known, and taken for granted. */
bool nti_os_has_modules(struct nti_os *os);
/*
 * List of the CPUs that are on line, such as 0-3,8, and its length. Where /sys is not mounted
 * /proc/stat tells them; a recording that has neither is of CPU 0. -ENOENT: this machine has
 * neither.
 */
int nti_os_online(struct nti_os *os, char *buf, size_t size);
/*
 * Package of @cpu as the kernel numbers it (physical_package_id), below NTI_CPU_LIMIT; -1: not
 * known, as of a CPU that is off line.
 */
int nti_os_package(struct nti_os *os, unsigned int cpu);
/*
 * Whether the package of @cpu has several dies, and which of them @cpu is on as the kernel's die_id
 * has it. Linux counts power, uncore, Data Fabric and idle states of packages once a die (6.1,
 * arch/x86/events: rapl.c, intel/uncore.c, intel/cstate.c, amd/uncore.c).
 */
bool nti_os_die(struct nti_os *os, unsigned int cpu, unsigned int *die);
/*
 * What the setting of a machine that is elsewhere (perf_event_paranoid; 2 where it is not known)
 * has perf_event_open(2) say to this user: 0, -EACCES, -EPERM. Which events its kernel would refuse
 * nobody knows.
 */
int nti_os_perf_refusal(struct nti_os *os, const struct perf_event_attr *attr, pid_t pid);
/*
 * Is this process in another user namespace than the machine's first one? Its capabilities are
 * worth nothing then where the kernel asks for those over the machine. False where it is not known.
 */
bool nti_os_is_in_user_namespace(struct nti_os *os);
/* As nti_os_ops.list. */
int nti_os_list(struct nti_os *os, int (*fn)(void *arg, const char *name), void *arg,
		const char *format, ...) __attribute__((format(printf, 4, 5)));
/* May @name become a part of a path? Not empty, no slash, not . or .., of sane length. */
bool nti_os_is_component(const char *name);
/* As nti_os_line() into new memory that the caller frees. */
int nti_os_dup(struct nti_os *os, char **out, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
