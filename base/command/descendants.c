// SPDX-License-Identifier: MIT
/* What a command leaves running when it ends: see descendants.h. */
#include "base/command/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/command/wait.h"
#include "base/output/memory.h"

#define NS_PER_SECOND 1000000000u
/* Processes may fork as fast as they are killed. */
#define PASSES 100

struct pids {
	pid_t *of;
	size_t n, room;
};

/* Children of this process that others made, and all that the command did not make. */
static struct pids strangers, known;
/* Whether these are all: else nothing is said of what is left, and nothing done to it. */
static bool knows_strangers, knows_all;

/* What the handler of SIGCHLD reaps: all but the command. */
static volatile sig_atomic_t is_reaping, running;
static struct rusage ended;

static void add(struct pids *p, pid_t pid)
{
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		p->of = cli_realloc(p->of, p->room, sizeof(*p->of));
	}
	p->of[p->n++] = pid;
}

static FILE *open_children(pid_t pid, int thread)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, thread);
	return cli_fopen(path, "re");
}

static void add_all(struct pids *p, FILE *children)
{
	int child;

	while (fscanf(children, "%d", &child) == 1)
		add(p, child);
}

static void add_of_thread(struct pids *p, pid_t pid, int thread)
{
	FILE *f = open_children(pid, thread);

	if (!f)
		return;
	add_all(p, f);
	(void)fclose(f);
}

static void add_children(struct pids *p, pid_t pid)
{
	const struct dirent *thread;
	char path[32];
	DIR *d;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = cli_opendir(path);
	if (!d)
		return;
	while ((thread = readdir(d)))
		if (thread->d_name[0] != '.')
			add_of_thread(p, pid, atoi(thread->d_name));
	(void)closedir(d);
}

/*
 * The kernel gives orphans to the first thread. The file stays open: it is read twice a run, and to
 * open it takes longer than to read it. False: it could not be read. A kernel may lack it.
 */
static bool add_own(struct pids *p)
{
	static FILE *own;

	if (!own)
		own = open_children(getpid(), getpid());
	if (!own)
		return true;
	clearerr(own);
	if (fseek(own, 0, SEEK_SET))
		return false;
	add_all(p, own);
	return !ferror(own);
}

static bool has(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->of[i] == pid)
			return true;
	return false;
}

void cli_descendants_look(void)
{
	static bool has_looked;

	if (!has_looked)
		knows_strangers = add_own(&strangers);
	has_looked = true;
}

/* Our children that the command left. */
static void add_left(struct pids *p)
{
	size_t n = 0;

	(void)add_own(p);
	for (size_t i = 0; knows_all && i < p->n; i++)
		if (!has(&known, p->of[i]))
			p->of[n++] = p->of[i];
	p->n = n;
}

static void add_time(struct timeval *sum, const struct timeval *t)
{
	sum->tv_sec += t->tv_sec;
	sum->tv_usec += t->tv_usec;
}

static void add_usage(struct rusage *sum, const struct rusage *u)
{
	add_time(&sum->ru_utime, &u->ru_utime);
	add_time(&sum->ru_stime, &u->ru_stime);
	sum->ru_maxrss = sum->ru_maxrss > u->ru_maxrss ? sum->ru_maxrss : u->ru_maxrss;
	sum->ru_minflt += u->ru_minflt;
	sum->ru_majflt += u->ru_majflt;
	sum->ru_nvcsw += u->ru_nvcsw;
	sum->ru_nivcsw += u->ru_nivcsw;
}

/* A process that has ended must not look as if it were there, also while the command runs. */
static void on_child(int sig)
{
	int saved = errno;
	struct rusage u;

	(void)sig;
	while (is_reaping) {
		siginfo_t info = { .si_pid = 0 };

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || !info.si_pid ||
		    info.si_pid == running || wait4(info.si_pid, NULL, WNOHANG, &u) != info.si_pid)
			break;
		if (!has(&known, info.si_pid))
			add_usage(&ended, &u);
	}
	errno = saved;
}

void cli_descendants_begin(pid_t command)
{
	const struct sigaction action = { .sa_handler = on_child, .sa_flags = SA_NOCLDSTOP };
	static bool is_ready;
	bool is_alone;

	/* The handler reads what is made anew here. */
	is_reaping = 0;
	known.n = 0;
	knows_all = add_own(&known) && knows_strangers;
	is_alone = knows_all;
	for (size_t i = 0; i < strangers.n; i++)
		is_alone = is_alone && !has(&known, strangers.of[i]);
	if (!is_alone)
		return;
	ended = (struct rusage){ .ru_maxrss = 0 };
	running = command;
	is_reaping = 1;
	if (!is_ready)
		(void)sigaction(SIGCHLD, &action, NULL);
	is_ready = true;
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	/* What an earlier run left, and has ended since. */
	on_child(SIGCHLD);
}

void cli_descendants_finish(void)
{
	is_reaping = 0;
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

size_t cli_descendants_left(struct rusage *used)
{
	struct pids left = { 0 };
	sigset_t child, before;
	struct rusage u;
	size_t n = 0;

	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, &before);
	running = 0;
	add_left(&left);
	for (size_t i = 0; i < left.n; i++) {
		if (wait4(left.of[i], NULL, WNOHANG, &u) != left.of[i])
			n++;
		else
			add_usage(&ended, &u);
	}
	if (used)
		add_usage(used, &ended);
	ended = (struct rusage){ .ru_maxrss = 0 };
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	free(left.of);
	return n;
}

void cli_descendants_wait(uint64_t timeout_ns)
{
	struct timespec timeout = { .tv_sec = (time_t)(timeout_ns / NS_PER_SECOND),
				    .tv_nsec = (long)(timeout_ns % NS_PER_SECOND) };
	struct pollfd end = { .events = POLLIN };
	struct pids left = { 0 };

	add_left(&left);
	end.fd = left.n ? (int)syscall(SYS_pidfd_open, left.of[0], 0) : -1;
	if (end.fd >= 0) {
		(void)ppoll(&end, 1, timeout_ns == UINT64_MAX ? NULL : &timeout, NULL);
		(void)close(end.fd);
	}
	free(left.of);
}

void cli_descendants_signal(pid_t command, int sig)
{
	struct pids all = { 0 };

	add_left(&all);
	if (command)
		add(&all, command);
	/* All are found before the first is told: with its end its children would be elsewhere. */
	for (size_t i = 0; i < all.n; i++)
		add_children(&all, all.of[i]);
	for (size_t i = 0; i < all.n; i++)
		(void)kill(all.of[i], sig);
	free(all.of);
}

void cli_descendants_end(uint64_t grace_ns, struct rusage *used)
{
	uint64_t until = cli_now_ns() + grace_ns, now = 0;

	if (!cli_descendants_left(used))
		return;
	cli_descendants_signal(0, SIGTERM);
	/* A stopped process would see the signal only when it goes on. */
	cli_descendants_signal(0, SIGCONT);
	while (cli_descendants_left(used) && (now = cli_now_ns()) < until)
		cli_descendants_wait(until - now);
	for (int i = 0; i < PASSES && cli_descendants_left(used); i++) {
		cli_descendants_signal(0, SIGKILL);
		cli_descendants_wait(NS_PER_SECOND / PASSES);
	}
}
