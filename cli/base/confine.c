// SPDX-License-Identifier: MIT
/* Few rights for a process that reads files which strangers may have written. */
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/base/confine.h"
#include "cli/output/memory.h"
#include "cli/output/say.h"

#ifdef CLI_HAS_SECCOMP
#include <seccomp.h>

#include "lib/lazy/lazy.h"
#endif

/* LeakSanitizer looks at the process from another one, by ptrace(2), when it ends. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/*
 * Files of any owner are opened (root is used to that), and a file that is replaced keeps its owner
 * and mode.
 */
#define KEPT_CAPABILITIES                                                                          \
	(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_CHOWN | 1u << CAP_FOWNER | \
	 1u << CAP_FSETID)

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct set[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, set))
		return -errno;
	set[0].effective &= KEPT_CAPABILITIES;
	set[0].permitted &= KEPT_CAPABILITIES;
	set[0].inheritable = 0;
	set[1] = (struct __user_cap_data_struct){ 0 };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, set))
		return -errno;
	return 0;
}

#ifdef CLI_HAS_SECCOMP

/* By the names that any architecture has for them; one that this one has not is left out. */
static const char *const calls[] = {
	/* files */
	"access",
	"close",
	"close_range",
	"dup",
	"dup2",
	"dup3",
	"faccessat",
	"faccessat2",
	"fadvise64",
	"fadvise64_64",
	"arm_fadvise64_64",
	"fallocate",
	"fchdir",
	"fchmod",
	"fchmodat",
	"fchown",
	"fchown32",
	"fchownat",
	"fcntl",
	"fcntl64",
	"fdatasync",
	"fgetxattr",
	"flock",
	"fremovexattr",
	"fsetxattr",
	"fstat",
	"fstat64",
	"fstatat64",
	"fstatfs",
	"fstatfs64",
	"fsync",
	"ftruncate",
	"ftruncate64",
	"getcwd",
	"getdents64",
	"_llseek",
	"link",
	"linkat",
	"lseek",
	"lstat",
	"lstat64",
	"newfstatat",
	"open",
	"openat",
	"openat2",
	"pread64",
	"pwrite64",
	"read",
	"readahead",
	"readlink",
	"readlinkat",
	"readv",
	"rename",
	"renameat",
	"renameat2",
	"stat",
	"stat64",
	"statfs",
	"statfs64",
	"statx",
	"umask",
	"unlink",
	"unlinkat",
	"utimensat",
	"write",
	"writev",
	/* waiting for them */
	"epoll_create1",
	"epoll_ctl",
	"epoll_pwait",
	"epoll_wait",
	"eventfd2",
	"inotify_add_watch",
	"inotify_init1",
	"inotify_rm_watch",
	"_newselect",
	"pipe",
	"pipe2",
	"poll",
	"ppoll",
	"ppoll_time64",
	"pselect6",
	"pselect6_time64",
	"select",
	"signalfd4",
	"timerfd_create",
	"timerfd_gettime",
	"timerfd_settime",
	"timerfd_settime64",
	/* memory */
	"brk",
	"madvise",
	"mincore",
	"mmap",
	"mmap2",
	"mprotect",
	"mremap",
	"munmap",
	/* threads, and the process that writes a file in the folder of another user */
	"exit",
	"exit_group",
	"futex",
	"futex_time64",
	"get_robust_list",
	"getpgrp",
	"getpid",
	"getppid",
	"gettid",
	"membarrier",
	"pidfd_open",
	"pidfd_send_signal",
	"prctl",
	"rseq",
	"sched_getaffinity",
	"sched_yield",
	"set_robust_list",
	"set_tid_address",
	"setpgid",
	"setsid",
	"tgkill",
	"vfork",
	"fork",
	"wait4",
	"waitid",
	/* signals, and ending by one */
	"alarm",
	"kill",
	"pause",
	"restart_syscall",
	"rt_sigaction",
	"rt_sigpending",
	"rt_sigprocmask",
	"rt_sigreturn",
	"rt_sigsuspend",
	"rt_sigtimedwait",
	"rt_sigtimedwait_time64",
	"sigaltstack",
	"sigreturn",
	/* time, and what the machine is */
	"clock_getres",
	"clock_getres_time64",
	"clock_gettime",
	"clock_gettime64",
	"clock_nanosleep",
	"clock_nanosleep_time64",
	"getcpu",
	"getegid",
	"getegid32",
	"geteuid",
	"geteuid32",
	"getgid",
	"getgid32",
	"getitimer",
	"getrandom",
	"getrusage",
	"gettimeofday",
	"getuid",
	"getuid32",
	"nanosleep",
	"prlimit64",
	"setitimer",
	"sysinfo",
	"times",
	"uname",
	"ugetrlimit",
};

/*
 * ioctl(2) that ask for and set what a terminal is. TIOCSTI would put words into it, which the
 * shell that reads them next runs with all rights of its user.
 */
static const unsigned int requests[] = {
	TCGETS,
	TCSETS,
	TCSETSW,
	TCSETSF,
	TCFLSH,
	TIOCGWINSZ,
	FIONREAD,
	/* TCGETS2 and what sets it, of 44 bytes: since version 2.42 glibc uses these */
	_IOC(_IOC_READ, 'T', 0x2a, 44),
	_IOC(_IOC_WRITE, 'T', 0x2b, 44),
	_IOC(_IOC_WRITE, 'T', 0x2c, 44),
	_IOC(_IOC_WRITE, 'T', 0x2d, 44),
};

/* In a namespace of its own a process has all capabilities again. */
#define NAMESPACES                                                                                 \
	((unsigned int)(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS |              \
			CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS))

/* Allow @name where the bits @mask of argument @arg are @value. */
static int allow_masked(scmp_filter_ctx filter, const char *name, unsigned int arg,
			unsigned int mask, unsigned int value)
{
	const struct scmp_arg_cmp is_value = {
		.arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value
	};

	return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(name), 1,
				      &is_value);
}

/* The kernel reads 32 bits of a request, whatever else is in the register. */
static int allow_some(scmp_filter_ctx filter)
{
	int ret = allow_masked(filter, "clone", 0, NAMESPACES, 0);

	for (size_t i = 0; !ret && i < sizeof(requests) / sizeof(requests[0]); i++)
		ret = allow_masked(filter, "ioctl", 1, UINT32_MAX, requests[i]);
	/* Its flags are in memory, where no filter sees them; glibc then does with clone(2). */
	if (!ret)
		ret = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
					     seccomp_syscall_resolve_name("clone3"), 0, NULL);
	return ret;
}

static int filter_calls(void)
{
	scmp_filter_ctx filter;
	int ret = 0;

	if (IS_SANITIZED)
		return 0;
	filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	if (!filter)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < sizeof(calls) / sizeof(calls[0]); i++) {
		int number = seccomp_syscall_resolve_name(calls[i]);

		/* Numbers below 0 are libseccomp's, of calls that this architecture has not. */
		if (number >= 0)
			ret = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, number, 0, NULL);
	}
	if (!ret)
		ret = allow_some(filter);
	if (!ret)
		ret = seccomp_load(filter);
	seccomp_release(filter);
	return ret;
}

static void limit_calls(unsigned int verbose)
{
	char why[NTI_LAZY_WHY_BYTES];
	int ret = nti_lazy_load(&nti_lazy_seccomp, why);

	if (ret == -ENOMEM)
		cli_memory_end();
	if (ret && verbose > 1)
		cli_say("all system calls stay allowed: %s; install %s", why,
			nti_lazy_seccomp.package);
	if (ret)
		return;
	ret = filter_calls();
	if (ret == -ENOMEM)
		cli_memory_end();
	if (ret && verbose > 1)
		cli_say("all system calls stay allowed: seccomp(2): %s", strerror(-ret));
}

#else

static void limit_calls(unsigned int verbose)
{
	if (verbose > 1)
		cli_say("all system calls stay allowed: built without libseccomp");
}

#endif

void cli_confine(unsigned int verbose)
{
	int ret = drop_capabilities();

	if (ret && verbose > 1)
		cli_say("all capabilities are kept: %s", strerror(-ret));
	limit_calls(verbose);
}
