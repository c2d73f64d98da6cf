// SPDX-License-Identifier: MIT
/*
 * System call number N of a program fails, or all of its kind from there on:
 *
 *	calls FAULTS.so FILE N MODE PROGRAM [ARG...]
 *
 * FILE holds a struct faults_page; MODE is "count", "once" or "good" (for good). Calls are counted
 * once the program has said so (FAULTS_BEGIN, by faults.so) and if they are in the table: each
 * fails with an error that machines bring. What the program forks is followed until it executes
 * another program. Exit status 77 and a sentence where nothing can be traced.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#include "tests/faults/faults.h"

#define SKIPPED 77

static const struct call {
	long number;
	int error;
	const char *name;
	bool has_fd;  /* fails for descriptors above 2 only: the others are the test's */
	bool is_made; /* and fails all the same: a descriptor is closed whatever close(2) answers */
} calls[] = {
#define CALL(name, error)                                                                          \
	{                                                                                          \
		SYS_##name, error, #name, false, false                                             \
	}
#define CALL_FD(name, error)                                                                       \
	{                                                                                          \
		SYS_##name, error, #name, true, false                                              \
	}
#define CALL_MADE(name, error)                                                                     \
	{                                                                                          \
		SYS_##name, error, #name, true, true                                               \
	}
	CALL(openat, EMFILE),
	CALL(openat2, EMFILE),
	CALL_FD(read, ENOMEM),
	CALL_FD(pread64, EIO),
	CALL_FD(write, ENOSPC),
	CALL_FD(pwrite64, ENOSPC),
	CALL(mmap, ENOMEM),
	CALL(brk, ENOMEM),
	CALL(ioctl, EIO),
	CALL(fstat, ENOMEM),
	CALL(newfstatat, ENOMEM),
	CALL(statx, ENOMEM),
	CALL(getdents64, ENOMEM),
	CALL(perf_event_open, EMFILE),
	CALL(clone, EAGAIN),
	CALL(clone3, EAGAIN),
	CALL(pipe2, EMFILE),
	CALL(socketpair, EMFILE),
	CALL(fcntl, EMFILE),
	CALL(lseek, EIO),
	CALL(ftruncate, EIO),
	CALL(fsync, EIO),
	CALL(linkat, ENOSPC),
	CALL(renameat, ENOSPC),
	CALL(unlinkat, EIO),
	CALL(ppoll, ENOMEM),
	CALL(pidfd_open, EMFILE),
	CALL(faccessat, EIO),
	CALL(readlinkat, EIO),
	CALL(getcwd, ENOMEM),
	CALL(statfs, EIO),
	CALL(fgetxattr, EIO),
	CALL(fsetxattr, ENOSPC),
	CALL(fchmod, EIO),
	CALL(fchown, EIO),
	CALL(getrandom, ENOSYS),
	CALL(sched_setaffinity, EINVAL),
	CALL(flock, ENOLCK),
	CALL(sched_getaffinity, EINVAL), /* more CPUs than the mask has room for */
	CALL_MADE(close, EIO),		 /* what NFS could not write before */
	CALL(faccessat2, ENOMEM),
	CALL(fremovexattr, EIO),
	CALL(mprotect, ENOMEM),
	CALL(mremap, ENOMEM),
	CALL(munmap, ENOMEM), /* one mapping would become two, and there are as many as may be */
	CALL(memfd_create, EMFILE),
	CALL(socket, EMFILE),
	CALL(sendto, ENOBUFS),
	CALL(recvfrom, ECONNRESET),
	CALL(pidfd_send_signal, ESRCH),
	CALL(kill, ESRCH),
	CALL(wait4, ECHILD), /* who started the program ignores SIGCHLD */
	CALL(prctl, EINVAL), /* an older kernel, or a filter */
	CALL(prlimit64, EPERM),
	CALL(capget, EINVAL),
	CALL(capset, EPERM),
	CALL(setsid, EPERM),
#ifdef SYS_open
	CALL(open, EMFILE),
	CALL(stat, ENOMEM),
	CALL(lstat, ENOMEM),
	CALL(access, EIO),
	CALL(readlink, EIO),
	CALL(rename, ENOSPC),
	CALL(unlink, EIO),
	CALL(poll, ENOMEM),
	CALL(pipe, EMFILE),
	CALL(fork, EAGAIN),
	CALL(vfork, EAGAIN),
	CALL(dup2, EMFILE),
#endif
};

static const struct call *find(uint64_t number)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if ((uint64_t)calls[i].number == number)
			return &calls[i];
	return NULL;
}

/* ---- registers ---- */

#if defined(__x86_64__)
static int skip_call(pid_t pid)
{
	return (int)ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, orig_rax), -1L);
}

static int set_result(pid_t pid, long result)
{
	return (int)ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, rax), result);
}
#elif defined(__aarch64__)
static int skip_call(pid_t pid)
{
	int number = -1;
	struct iovec data = { &number, sizeof(number) };

	return (int)ptrace(PTRACE_SETREGSET, pid, NT_ARM_SYSTEM_CALL, &data);
}

static int set_result(pid_t pid, long result)
{
	struct user_regs_struct regs;
	struct iovec data = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &data))
		return -1;
	regs.regs[0] = (unsigned long long)result;
	return (int)ptrace(PTRACE_SETREGSET, pid, NT_PRSTATUS, &data);
}
#else
static int skip_call(pid_t pid)
{
	(void)pid;
	puts("calls: not written for this architecture");
	exit(SKIPPED);
}

static int set_result(pid_t pid, long result)
{
	(void)pid;
	(void)result;
	return -1;
}
#endif

/* ---- who calls ---- */

/*
 * These take what they cannot open or read for something that is not there, or crash (README.md).
 */
static const char *const spared[] = { "/libhwloc", "/libpciaccess", "/libpfm" };

static const char *const loader[] = { "/ld-linux" };

/* Code of the libraries @names; the number of ranges. */
static size_t find_code(pid_t pid, const char *const *names, size_t names_n, uint64_t range[8][2])
{
	char path[32], line[512], rights[8];
	size_t n = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (n < 8 && fgets(line, sizeof(line), f)) {
		bool is_one = false;

		for (size_t i = 0; i < names_n; i++)
			is_one |= strstr(line, names[i]) != NULL;
		if (is_one &&
		    sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &range[n][0], &range[n][1],
			   rights) == 3 &&
		    rights[2] == 'x')
			n++;
	}
	(void)fclose(f);
	return n;
}

static bool is_within(uint64_t (*range)[2], size_t ranges, uint64_t address)
{
	for (size_t k = 0; k < ranges; k++)
		if (address >= range[k][0] && address < range[k][1])
			return true;
	return false;
}

#define STACK_BYTES 16384

/* Whether a return address into one of them lies not far up the stack. */
static bool is_theirs(pid_t pid, uint64_t sp)
{
	static uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
	struct iovec here = { stack, sizeof(stack) },
		     there = { (void *)(uintptr_t)sp, STACK_BYTES };
	uint64_t range[8][2];
	size_t ranges = find_code(pid, spared, sizeof(spared) / sizeof(spared[0]), range);
	ssize_t bytes = ranges ? process_vm_readv(pid, &here, 1, &there, 1, 0) : 0;

	for (ssize_t i = 0; i < bytes / (ssize_t)sizeof(stack[0]); i++)
		if (is_within(range, ranges, stack[i]))
			return true;
	return false;
}

/* A library that is wanted while the program runs; the loader calls from its own code. */
static bool is_the_loaders(pid_t pid, uint64_t ip)
{
	uint64_t range[8][2];

	return is_within(range, find_code(pid, loader, 1, range), ip);
}

/* ---- one program and what it forks ---- */

struct task {
	pid_t pid;		    /* 0: none */
	long end_of_data;	    /* what brk(2) answered last; if it fails, that is its answer */
	uint64_t number;	    /* of the call under way */
	const struct call *failing; /* that one, if it was left out */
};

struct tracing {
	struct faults_page *page;
	uint64_t fail_at;
	bool for_good, has_begun;
	long kind;	      /* number of the first that failed */
	struct task task[64]; /* the first one is the program */
};

static void note(struct tracing *t, pid_t pid, const struct call *call,
		 const struct ptrace_syscall_info *info)
{
	size_t room = sizeof(t->page->where), used;

	t->kind = call->number;
	used = (size_t)snprintf(t->page->where, room, "%s\n%s", strerror(call->error), call->name);
	for (int i = 0; i < 4 && used < room; i++)
		used += (size_t)snprintf(t->page->where + used, room - used, " %#llx",
					 (unsigned long long)info->entry.args[i]);
	if (strstr(call->name, "at") && strcmp(call->name, "fstat") != 0 && used < room - 64) {
		t->page->where[used++] = ' ';
		for (size_t i = 0; i < 200 && used < room - 1; i += sizeof(long)) {
			long word = ptrace(PTRACE_PEEKDATA, pid, info->entry.args[1] + i, 0);

			memcpy(t->page->where + used, &word, sizeof(word));
			if (memchr(&word, 0, sizeof(word)))
				break;
			used += sizeof(word);
		}
	}
}

static void on_entry(struct tracing *t, struct task *task, const struct ptrace_syscall_info *info)
{
	const struct call *call = find(info->entry.nr);
	pid_t pid = task->pid;
	uint64_t number;
	bool fails;

	if (info->entry.nr == SYS_prctl && info->entry.args[0] == FAULTS_BEGIN)
		t->has_begun = true;
	if (!t->has_begun || !call || (call->has_fd && info->entry.args[0] <= STDERR_FILENO))
		return;
	number = ++t->page->calls;
	fails = t->fail_at && (number == t->fail_at ||
			       (t->for_good && number > t->fail_at && call->number == t->kind));
	if (!fails)
		return;
	if (is_theirs(pid, info->stack_pointer)) {
		t->kind = t->page->failed ? t->kind : call->number;
		t->page->spared++;
		return;
	}
	t->page->loading += is_the_loaders(pid, info->instruction_pointer);
	if (!t->page->failed++)
		note(t, pid, call, info);
	if (call->is_made || skip_call(pid) == 0)
		task->failing = call;
}

static void on_stop(struct tracing *t, struct task *task)
{
	struct ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, task->pid, sizeof(info), &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		task->number = info.entry.nr;
		on_entry(t, task, &info);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && task->failing) {
		(void)set_result(task->pid, task->failing->number == SYS_brk
						    ? task->end_of_data
						    : -task->failing->error);
		task->failing = NULL;
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && task->number == SYS_brk) {
		task->end_of_data = (long)info.exit.rval;
	}
}

#define FOLLOW                                                                                     \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |  \
	 PTRACE_O_TRACEEXEC)

/* Of @pid; one that is new goes on without this tracer, so that what is left is found. */
static struct task *task_of(struct tracing *t, pid_t pid, bool *is_new)
{
	struct task *free_one = NULL;

	*is_new = false;
	for (size_t i = 0; i < sizeof(t->task) / sizeof(t->task[0]); i++) {
		if (t->task[i].pid == pid)
			return &t->task[i];
		if (i && !free_one && !t->task[i].pid)
			free_one = &t->task[i];
	}
	if (!free_one)
		return NULL;
	*is_new = true;
	*free_one = (struct task){ .pid = pid, .end_of_data = t->task[0].end_of_data };
	(void)ptrace(PTRACE_SETOPTIONS, pid, 0, FOLLOW);
	return free_one;
}

/* The signal that a stopped task goes on with; -1: it is another program from now on. */
static int on_signal(struct tracing *t, struct task *task, int status)
{
	int sig = WSTOPSIG(status);

	if (sig == (SIGTRAP | 0x80))
		on_stop(t, task);
	else if (status >> 16 == PTRACE_EVENT_EXEC && task != &t->task[0])
		return -1;
	return sig == (SIGTRAP | 0x80) || sig == SIGTRAP ? 0 : sig;
}

/* The program's status as of wait(2). */
static int trace(struct tracing *t)
{
	pid_t pid = t->task[0].pid;
	struct task *task = &t->task[0];
	int status, sig = 0;
	bool is_new;

	for (;;) {
		if (ptrace(sig < 0 ? PTRACE_DETACH : PTRACE_SYSCALL, pid, 0, sig < 0 ? 0 : sig) &&
		    errno != ESRCH)
			return -1;
		if (task && sig < 0)
			task->pid = 0;
		for (;;) {
			pid = waitpid(-1, &status, __WALL);
			if (pid < 0)
				return -1;
			task = task_of(t, pid, &is_new);
			if (WIFSTOPPED(status))
				break;
			if (task == &t->task[0])
				return status;
			if (task)
				task->pid = 0;
		}
		/* It begins with a stop of ptrace's own. */
		sig = !task ? -1 : is_new ? 0 : on_signal(t, task, status);
	}
}

static struct faults_page *open_page(const char *path)
{
	void *at;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	at = mmap(NULL, sizeof(struct faults_page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return at == MAP_FAILED ? NULL : at;
}

int main(int argc, char **argv)
{
	struct tracing t = { .fail_at = argc > 5 ? strtoull(argv[3], NULL, 10) : 0 };
	int status;
	pid_t pid;

	if (argc < 6)
		return 2;
	t.for_good = strcmp(argv[4], "good") == 0;
	t.page = open_page(argv[2]);
	if (!t.page)
		return 2;
	pid = fork();
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(SKIPPED);
		raise(SIGSTOP);
		/* It marks the beginning, and has no page to count in. */
		setenv("LD_PRELOAD", argv[1], 1);
		setenv("NTIME_FAULTS", ",0,none", 1);
		execv(argv[5], argv + 5);
		_exit(2);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 2;
	if (!WIFSTOPPED(status) || ptrace(PTRACE_SETOPTIONS, pid, 0, FOLLOW | PTRACE_O_EXITKILL)) {
		printf("calls: programs may not be traced here: %s\n", strerror(errno));
		return SKIPPED;
	}
	t.task[0].pid = pid;
	status = trace(&t);
	t.page->status = (uint64_t)status;
	return 0;
}
