// SPDX-License-Identifier: MIT
/*
 * The filter of system calls that base/command/confine.h sets: instructions made when this is
 * compiled, so that nothing is allocated for it and no library can fail. That they do what
 * libseccomp makes of the same calls is looked at by base/tests/command/test_cli_confine.c.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "base/command/confine_filter.h"

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__) && !defined(__AARCH64EB__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__) && !defined(__ARMEB__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#endif

/* Numbers from here on are of the x32 ABI, which has calls of its own. */
#define X32 0x40000000u
/* -1, which a debugger puts in the place of a call that is not to be made. */
#define NO_CALL 0xffffffffu

/* In a namespace of its own a process has all capabilities again. */
#define NAMESPACES                                                                                 \
	((unsigned int)(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS |              \
			CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS))

/* The kernel reads 32 bits of a request and of these flags, whatever else is in the register. */
#define LOW_HALF(argument)                                                                         \
	(offsetof(struct seccomp_data, args[argument]) +                                           \
	 (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

#define LOAD(at) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define IF_IS(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define ALLOW RETURN(SECCOMP_RET_ALLOW)
#define ALLOW_IF(value) IF_IS(value, 0, 1), ALLOW
#define CALL(name) ALLOW_IF(__NR_##name),

#ifdef ARCHITECTURE

static const struct sock_filter begin[] = {
	LOAD(offsetof(struct seccomp_data, arch)),
	IF_IS(ARCHITECTURE, 1, 0),
	RETURN(SECCOMP_RET_KILL_PROCESS),
	LOAD(offsetof(struct seccomp_data, nr)),
#ifdef __x86_64__
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 2),
	IF_IS(NO_CALL, 1, 0),
	RETURN(SECCOMP_RET_KILL_PROCESS),
#endif
};

static const struct sock_filter of_servers[] = {
#include "base/command/calls_server.h"
	REFUSE(EPERM),
};

static const struct sock_filter of_files[] = {
#include "base/command/calls.h"
	/* Its flags are in memory, where no filter sees them; glibc then does with clone(2). */
	IF_IS(__NR_clone3, 0, 1),
	REFUSE(ENOSYS),
	IF_IS(__NR_clone, 0, 4),
	LOAD(LOW_HALF(0)),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 1, 0),
	ALLOW,
	REFUSE(EPERM),
	IF_IS(__NR_ioctl, 1, 0),
	REFUSE(EPERM),
	/*
	 * Requests that ask for and set what a terminal is. TIOCSTI would put words into it, which
	 * the shell that reads them next runs with all rights of its user.
	 */
	LOAD(LOW_HALF(1)),
#ifdef __powerpc__
	/* The kernel's struct termios, which these have the size of, is not the C library's. */
	ALLOW_IF(_IOC(_IOC_READ, 't', 19, 44)),
	ALLOW_IF(_IOC(_IOC_WRITE, 't', 20, 44)),
	ALLOW_IF(_IOC(_IOC_WRITE, 't', 21, 44)),
	ALLOW_IF(_IOC(_IOC_WRITE, 't', 22, 44)),
#else
	ALLOW_IF(TCGETS),
	ALLOW_IF(TCSETS),
	ALLOW_IF(TCSETSW),
	ALLOW_IF(TCSETSF),
#endif
	ALLOW_IF(TCFLSH),
	ALLOW_IF(TIOCGWINSZ),
	ALLOW_IF(FIONREAD),
	/* TCGETS2 and what sets it, of 44 bytes: since version 2.42 glibc uses these */
	ALLOW_IF(_IOC(_IOC_READ, 'T', 0x2a, 44)),
	ALLOW_IF(_IOC(_IOC_WRITE, 'T', 0x2b, 44)),
	ALLOW_IF(_IOC(_IOC_WRITE, 'T', 0x2c, 44)),
	ALLOW_IF(_IOC(_IOC_WRITE, 'T', 0x2d, 44)),
	REFUSE(EPERM),
};

const struct sock_filter *cli_confine_filter(enum cli_confined as, unsigned short *n)
{
	static struct sock_filter
		code[(sizeof(begin) + sizeof(of_files) + sizeof(of_servers)) / sizeof(begin[0])];
	size_t bytes = as == CLI_CONFINED_FILES ? sizeof(of_files) : sizeof(of_servers);

	memcpy(code, begin, sizeof(begin));
	memcpy((char *)code + sizeof(begin), as == CLI_CONFINED_FILES ? of_files : of_servers,
	       bytes);
	*n = (unsigned short)((sizeof(begin) + bytes) / sizeof(code[0]));
	return code;
}

#else

const struct sock_filter *cli_confine_filter(enum cli_confined as, unsigned short *n)
{
	(void)as;
	*n = 0;
	return NULL;
}

#endif
