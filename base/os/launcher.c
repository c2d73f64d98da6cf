// SPDX-License-Identifier: MIT
/* A process that starts the same commands again and again: see launcher.h. */
#include "base/os/launcher.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os/process.h"

/* What execvp(3) needs, but for its list of arguments where it gives a script to sh. */
#define STACK_BYTES (64u << 10)

/* From this process to the launcher, and past it to the child that waits before exec. */
enum order {
	ORDER_FORK = 'f',
	ORDER_GO = 'g',
};

/* Seen by this process, the launcher and its children. */
struct board {
	pid_t pid; /* of the last child: the kernel writes it (CLONE_PARENT_SETTID) */
	/*
	 * The kernel writes 0 and wakes who waits for it when the child gives up the launcher's
	 * memory: at exec or at its end (CLONE_CHILD_CLEARTID).
	 */
	pid_t before_exec;
	size_t which; /* of the commands is to be started */
	struct nti_moment exec;
	int error; /* of exec */
};

struct nti_launcher {
	struct board *board;
	pid_t pid;	    /* the launcher */
	int fd;		    /* here our end, there the other one */
	unsigned char turn; /* number of the run, such that an answer to an earlier one is known */
	bool has_child;	    /* that was not waited for */
	uint64_t max_rss_floor_bytes; /* of all children, 0: not known yet */

	/* In the launcher alone. */
	char *const *const *argv;
	sigset_t mask; /* of the commands */
	char *stack;
	size_t stack_bytes;
	bool is_trial;
	bool has_answered; /* by the child that shares this memory */

	bool has_run[]; /* of each command: one has come through exec */
};

/*
 * The launcher is halted while it runs. The trial touches what the way to exec touches, for
 * max_rss_floor_bytes. AddressSanitizer says aloud that it does not know this stack.
 */
__attribute__((no_sanitize_address)) static int run_child(void *arg)
{
	struct nti_launcher *l = arg;
	struct board *board = l->board;
	unsigned char order;

	if (l->is_trial) {
		(void)execvp("", l->argv[0]); /* exec(3): ENOENT, found without asking the kernel */
		nti_moment_take(&board->exec);
		l->has_answered = true;
		_exit(0);
	}
	(void)pthread_sigmask(SIG_SETMASK, &l->mask, NULL);
	/* Where it cannot answer the launcher does; or the caller is gone: nothing must be run. */
	l->has_answered = nti_process_put(l->fd, l->turn);
	if (l->has_answered && nti_process_get(l->fd, &order)) {
		nti_moment_take(&board->exec);
		(void)execvp(l->argv[board->which][0], l->argv[board->which]);
	}
	board->error = errno;
	_exit(board->error == ENOENT ? 127 : 126);
}

static int clone_child(struct nti_launcher *l)
{
	const int flags = CLONE_VM | CLONE_VFORK | CLONE_PARENT | CLONE_PARENT_SETTID |
			  CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;

	l->has_answered = false;
	return clone(run_child, l->stack + l->stack_bytes, flags, l, &l->board->pid, NULL,
		     &l->board->before_exec);
}

/*
 * The launcher: only async-signal-safe calls. It has all signals blocked, so that what is sent to
 * the whole process group reaches the command and this process alone.
 */
static void serve(struct nti_launcher *l)
{
	unsigned char order;

	while (nti_process_get(l->fd, &order)) {
		/* An order that the child did not live to read. */
		if (order != ORDER_FORK)
			continue;
		l->turn++;
		l->board->pid = 0;
		(void)clone_child(l);
		/* It was killed before it could say anything. */
		if (!l->has_answered && !nti_process_put(l->fd, l->turn))
			break;
	}
	_exit(0);
}

/*
 * Does clone(2) do what the above builds on? Emulators make a fork(2) of CLONE_VFORK, of which the
 * launcher's memory would tell nothing.
 */
static bool try_clone(struct nti_launcher *l)
{
	bool is_shared;

	l->is_trial = true;
	is_shared = clone_child(l) > 0 && l->has_answered && !l->board->before_exec;
	l->is_trial = false;
	return is_shared;
}

static size_t count_args(char *const argv[])
{
	size_t args = 0;

	while (argv[args])
		args++;
	return args;
}

static void run_launcher(struct nti_launcher *l, int fd, char *const *const argv[], size_t commands,
			 const sigset_t *mask)
{
	size_t most = 0;

	(void)close(l->fd);
	l->fd = fd;
	l->argv = argv;
	l->mask = *mask;
	for (size_t i = 0; i < commands; i++) {
		size_t args = count_args(argv[i]);

		most = args > most ? args : most;
	}
	l->stack_bytes = STACK_BYTES + most * 16; /* more than a pointer, and aligned */
	l->stack = mmap(NULL, l->stack_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	nti_process_drop_handlers();
	if (l->stack == MAP_FAILED || !try_clone(l) || !nti_process_put(l->fd, l->turn))
		_exit(1);
	serve(l);
}

/* The launcher answers once it has tried. */
static int await_trial(struct nti_launcher *l)
{
	unsigned char turn;
	bool is_good = nti_process_get(l->fd, &turn);
	pid_t pid = l->board->pid;
	pid_t reaped;

	do
		reaped = pid > 0 ? waitpid(pid, NULL, 0) : 0;
	while (reaped < 0 && errno == EINTR);
	return is_good ? 0 : -EOPNOTSUPP;
}

int nti_launcher_new(char *const *const argv[], size_t commands, struct nti_launcher **out)
{
	struct nti_launcher *l = calloc(1, sizeof(*l) + commands * sizeof(l->has_run[0]));
	int ret, ends[2];
	sigset_t all, before;

	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->fd = -1;
	l->board = mmap(NULL, sizeof(*l->board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (l->board == MAP_FAILED) {
		free(l);
		return -ENOMEM;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
		ret = -errno;
		nti_launcher_free(l);
		return ret;
	}
	l->fd = ends[0];
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	l->pid = fork();
	ret = l->pid < 0 ? -errno : 0;
	if (l->pid == 0)
		run_launcher(l, ends[1], argv, commands, &before);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)close(ends[1]);
	ret = ret < 0 ? ret : await_trial(l);
	if (ret < 0)
		nti_launcher_free(l);
	else
		*out = l;
	return ret;
}

int nti_launcher_fork(struct nti_launcher *l, size_t which, struct nti_process *p)
{
	unsigned char turn;
	int ret;

	*p = (struct nti_process){ .pidfd = -1, .door = -1, .news = -1 };
	if (l->has_child)
		return -EBUSY;
	l->board->exec = (struct nti_moment){ 0 };
	l->board->error = 0;
	l->board->which = which;
	l->turn++;
	if (!nti_process_put(l->fd, ORDER_FORK))
		return -EPIPE;
	do {
		if (!nti_process_get(l->fd, &turn))
			return -EPIPE;
	} while (turn != l->turn);
	p->pid = l->board->pid;
	if (p->pid <= 0)
		return -EAGAIN;
	p->launcher = l;
	l->has_child = true;
	ret = nti_process_hold(p);
	if (ret < 0)
		return ret;
	/* The same memory each time, and it takes as long as a fork to look at it. */
	if (!l->max_rss_floor_bytes)
		l->max_rss_floor_bytes = nti_process_resident_bytes(p->pid);
	p->max_rss_floor_bytes = l->max_rss_floor_bytes;
	return 0;
}

/* Nobody has the other end any more. */
static bool is_alone(const struct nti_launcher *l)
{
	char byte;
	ssize_t n = recv(l->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno == ECONNRESET);
}

/* Until the child calls exec successfully, or ends. */
static void await_exec(const struct nti_launcher *l)
{
	/* Such that a launcher that is killed just now, which ends the kernel's duty, is seen. */
	const struct timespec a_while = { .tv_nsec = 50000000 };
	struct board *board = l->board;
	pid_t before_exec;

	for (;;) {
		before_exec = __atomic_load_n(&board->before_exec, __ATOMIC_ACQUIRE);
		if (!before_exec || is_alone(l))
			break;
		(void)syscall(SYS_futex, &board->before_exec, FUTEX_WAIT, before_exec, &a_while,
			      NULL, 0);
	}
}

int nti_launcher_release(struct nti_launcher *l)
{
	/* EPIPE: nobody is there any more, which is seen below. */
	if (!nti_process_put(l->fd, ORDER_GO) && errno != EPIPE)
		return -errno;
	if (l->has_run[l->board->which])
		return 0;
	await_exec(l);
	l->has_run[l->board->which] = !l->board->error;
	return -l->board->error;
}

int nti_launcher_end(struct nti_launcher *l, struct nti_moment *exec)
{
	l->has_child = false;
	*exec = l->board->exec;
	return -l->board->error;
}

void nti_launcher_free(struct nti_launcher *l)
{
	pid_t pid;

	if (!l)
		return;
	/* Whatever has a copy of it: a launcher that was forked later. */
	(void)shutdown(l->fd, SHUT_RDWR);
	if (l->fd >= 0)
		(void)close(l->fd);
	do
		pid = l->pid > 0 ? waitpid(l->pid, NULL, 0) : 0;
	while (pid < 0 && errno == EINTR);
	(void)munmap(l->board, sizeof(*l->board));
	free(l);
}
