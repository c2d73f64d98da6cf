// SPDX-License-Identifier: MIT
/*
 * Taking note of perf_event_open(2) by ptrace(2): a seccomp filter stops the command at this call
 * and at no other, since each stop is dear in an emulated machine. PTRACE_GET_SYSCALL_INFO (Linux
 * 5.3) makes it the same on every architecture.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/tests/guest/opens.h"

/*
 * linux/ptrace.h cannot be had beside sys/ptrace.h with every C library: its layout
 * (uapi/linux/ptrace.h).
 */
#define GET_SYSCALL_INFO 0x420e
#define INFO_EXIT 2
#define INFO_SECCOMP 3

struct syscall_info {
	uint8_t op;
	uint8_t reserved[3];
	uint32_t arch;
	uint64_t instruction_pointer;
	uint64_t stack_pointer;
	union {
		struct {
			uint64_t number;
			uint64_t argument[6];
		} entry;
		struct {
			int64_t value;
			uint8_t is_error;
		} exit;
	};
};

#define OPTIONS                                                                                    \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |  \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL)

/* Calls that were entered and not left: one for each thread at most. */
struct trace {
	struct lab_open *out;
	pid_t tid[LAB_OPENS_MAX]; /* that made the call; 0: it has returned */
	int count;
	bool is_full;
};

static int stop_at_opens(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void run_child(char *const *argv)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(126);
	(void)raise(SIGSTOP);
	/* Only now there is a tracer, without whom the call would fail. */
	if (stop_at_opens() < 0)
		_exit(126);
	(void)execvp(argv[0], argv);
	_exit(127);
}

/* Short where the mapping ends: the structure may be the last thing on its page. */
static void copy_attr(pid_t tid, uint64_t address, struct lab_open *open)
{
	uint32_t size = 0;
	struct iovec local = { .iov_base = open->bytes, .iov_len = PERF_ATTR_SIZE_VER0 };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)address,
				.iov_len = PERF_ATTR_SIZE_VER0 };

	if (process_vm_readv(tid, &local, 1, &remote, 1, 0) != (ssize_t)local.iov_len)
		return;
	size = open->attr.size;
	if (size <= PERF_ATTR_SIZE_VER0)
		return;
	local.iov_len = size < sizeof(open->bytes) ? size : sizeof(open->bytes);
	remote.iov_len = local.iov_len;
	(void)process_vm_readv(tid, &local, 1, &remote, 1, 0);
}

static void note_entry(struct trace *t, pid_t tid, const struct syscall_info *info)
{
	const uint64_t *argument = info->entry.argument;
	struct lab_open *open;

	if (t->count == LAB_OPENS_MAX) {
		t->is_full = true;
		return;
	}
	open = &t->out[t->count];
	memset(open, 0, sizeof(*open));
	open->pid = (int32_t)argument[1];
	open->cpu = (int32_t)argument[2];
	open->group = (int32_t)argument[3];
	open->flags = argument[4];
	copy_attr(tid, argument[0], open);
	t->tid[t->count++] = tid;
}

static void note_exit(struct trace *t, pid_t tid, const struct syscall_info *info)
{
	for (int i = 0; i < t->count; i++) {
		if (t->tid[i] != tid)
			continue;
		t->out[i].result = info->exit.value;
		t->tid[i] = 0;
	}
}

static int note_call(struct trace *t, pid_t tid)
{
	struct syscall_info info = { 0 };

	if (ptrace(GET_SYSCALL_INFO, tid, (void *)sizeof(info), &info) < 0)
		return errno == ESRCH ? 0 : -errno;
	if (info.op == INFO_SECCOMP)
		note_entry(t, tid, &info);
	else if (info.op == INFO_EXIT)
		note_exit(t, tid, &info);
	return 0;
}

/* Thread @tid stopped: look why, and let it go on. */
static int handle_stop(struct trace *t, pid_t tid, int wait_status)
{
	int number = WSTOPSIG(wait_status), event = wait_status >> 16, ret = 0;
	bool is_call = event == PTRACE_EVENT_SECCOMP || number == (SIGTRAP | 0x80);

	if (is_call)
		ret = note_call(t, tid);
	/*
	 * Events of ptrace, and the stop with which a new thread begins, are no signals to hand on.
	 */
	if (is_call || event || number == SIGSTOP)
		number = 0;
	/* From the call's beginning to its end. */
	if (ptrace(event == PTRACE_EVENT_SECCOMP ? PTRACE_SYSCALL : PTRACE_CONT, tid, NULL,
		   (void *)(intptr_t)number) < 0 &&
	    errno != ESRCH)
		ret = -errno;
	return ret;
}

static int follow(struct trace *t, pid_t child, int *status)
{
	int wait_status, ret;
	pid_t tid;

	while ((tid = waitpid(-1, &wait_status, __WALL)) > 0) {
		if (WIFEXITED(wait_status) || WIFSIGNALED(wait_status)) {
			if (tid == child)
				*status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
								 : 128 + WTERMSIG(wait_status);
			continue;
		}
		ret = handle_stop(t, tid, wait_status);
		if (ret < 0)
			return ret;
	}
	return errno == ECHILD ? 0 : -errno;
}

int lab_trace_opens(char *const *argv, struct lab_open *out, int *status)
{
	struct trace trace = { .out = out };
	pid_t child = fork();
	int wait_status, ret = 0;

	if (child < 0)
		return -errno;
	if (child == 0)
		run_child(argv);
	if (waitpid(child, &wait_status, 0) != child || !WIFSTOPPED(wait_status) ||
	    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(intptr_t)OPTIONS) < 0 ||
	    ptrace(PTRACE_CONT, child, NULL, NULL) < 0)
		ret = -EPROTO;
	if (ret == 0)
		ret = follow(&trace, child, status);
	if (ret < 0) {
		(void)kill(child, SIGKILL);
		while (waitpid(-1, NULL, __WALL) > 0)
			;
		return ret;
	}
	return trace.is_full ? -E2BIG : trace.count;
}
