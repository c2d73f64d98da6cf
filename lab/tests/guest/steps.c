// SPDX-License-Identifier: MIT
/* Single steps of a command and of all its children and threads. */
#if defined(__riscv)
#include <asm/ptrace.h>
#endif
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steps.h"

#define FOLLOW (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL)
#define TASKS 64

#if defined(__x86_64__)
#define PC_REGS user_regs_struct
#define PC_OF(regs) ((regs).rip)
#elif defined(__aarch64__)
#define PC_REGS user_regs_struct
#define PC_OF(regs) ((regs).pc)
#elif defined(__riscv)
#define PC_REGS user_regs_struct
#define PC_OF(regs) ((regs).pc) /* never asked: RISC-V has no single steps */
#elif defined(__powerpc64__)
#define PC_REGS pt_regs
#define PC_OF(regs) ((regs).nip)
#else
#define PC_REGS user_regs
#define PC_OF(regs) 0 /* never asked: 32-bit ARM has no single steps */
#endif

/* Tasks that were stopped once, and where. */
struct tasks {
	size_t n;
	struct task {
		pid_t pid;
		uint64_t pc;
	} task[TASKS];
};

static _Noreturn void be_traced(char *const argv[])
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(126);
	execv(argv[0], argv);
	_exit(127);
}

static int get_pc(pid_t pid, uint64_t *pc)
{
	struct PC_REGS regs;
	struct iovec io = { .iov_base = &regs, .iov_len = sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &io) < 0)
		return -errno;
	*pc = PC_OF(regs);
	return 0;
}

static struct task *find_task(struct tasks *t, pid_t pid)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->task[i].pid == pid)
			return &t->task[i];
	}
	return NULL;
}

#if defined(__powerpc64__)
#define SC 0x44000002u
/*
 * Linux on POWER does not stop a task behind a system call unless something else does (6.1,
 * arch/powerpc/kernel/interrupt.c, syscall_exit_prepare(): it asks for _TIF_SYSCALL_DOTRACE, and
 * _TIF_SINGLESTEP is not in it): it is met one instruction further on, and has made two. No
 * workload jumps there.
 */
static uint64_t made(pid_t pid, uint64_t from, uint64_t to)
{
	if (to - from != 2 * sizeof(uint32_t))
		return from != to;
	return 1 + ((uint32_t)ptrace(PTRACE_PEEKTEXT, pid, (void *)from, NULL) == SC);
}
#else
static uint64_t made(pid_t pid, uint64_t from, uint64_t to)
{
	(void)pid;
	return from != to;
}
#endif

/*
 * An instruction is a task that stands elsewhere than before (no workload jumps to the same
 * instruction). Counting stops would not do: the kernel stops a task twice behind a system call
 * that makes another, and a new task twice at its first instruction.
 */
static int look(struct tasks *t, pid_t pid, uint64_t *steps)
{
	struct task *task = find_task(t, pid);
	uint64_t pc = 0;
	int ret = get_pc(pid, &pc);

	if (ret < 0)
		return ret;
	if (!task) {
		if (t->n == TASKS)
			return -E2BIG;
		task = &t->task[t->n++];
		*task = (struct task){ .pid = pid, .pc = pc };
	}
	*steps += made(pid, task->pc, pc);
	task->pc = pc;
	return 0;
}

/*
 * SIGSTOP is how a new task is met, SIGTRAP what follows each step; what else came is the task's
 * own.
 */
static int signal_of(int status)
{
	int sig = WSTOPSIG(status);

	return sig == SIGTRAP || sig == SIGSTOP ? 0 : sig;
}

static int step(pid_t pid, int status)
{
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)signal_of(status)) == 0)
		return 0;
	return errno == EIO ? -ENOTSUP : -errno;
}

static int step_all(pid_t first, uint64_t *steps)
{
	struct tasks tasks = { 0 };
	int status, ret = 0;
	pid_t pid = first;

	/* The first one stands behind exec. */
	status = SIGTRAP << 8 | 0x7f;
	while (ret == 0) {
		if (WIFSTOPPED(status)) {
			ret = look(&tasks, pid, steps);
			if (ret == 0)
				ret = step(pid, status);
		} else {
			/* The exit's system call does not come back to be looked at. */
			*steps += 1;
			if (pid == first && status != 0)
				return -ECHILD;
		}
		if (ret == 0)
			pid = waitpid(-1, &status, __WALL);
		if (pid < 0)
			return errno == ECHILD ? 0 : -errno;
	}
	return ret;
}

int lab_steps(char *const argv[], uint64_t *steps)
{
	pid_t pid = fork();
	int status, ret = 0;

	if (pid == 0)
		be_traced(argv);
	if (pid < 0)
		return -errno;
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	if (!WIFSTOPPED(status))
		return -ECHILD;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(long)FOLLOW) < 0)
		ret = -errno;
	*steps = 0;
	if (ret == 0)
		ret = step_all(pid, steps);
	if (ret < 0) {
		(void)kill(pid, SIGKILL);
		while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
			;
	}
	return ret;
}
