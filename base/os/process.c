// SPDX-License-Identifier: MIT
/* A child process that waits before exec until it is released. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/launcher.h"
#include "base/os/os.h"
#include "base/os/process.h"

#define NS_PER_SECOND 1000000000u

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/*
 * A signal that comes while the child waits before exec does what it would do to the command,
 * instead of being eaten by a copy of the caller's handler.
 */
void nti_process_drop_handlers(void)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, now;
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		if (sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_IGN &&
		    now.sa_handler != SIG_DFL)
			(void)sigaction(sig, &standard, NULL);
}

/* What fits into a pipe as a whole; false: it could not be told, errno says why. */
static bool tell(int fd, const void *what, size_t bytes)
{
	ssize_t n;

	do
		n = write(fd, what, bytes);
	while (n < 0 && errno == EINTR);
	return n >= 0;
}

/* Length of what was told, 0 where the other end is closed, -errno. */
static ssize_t hear(int fd, void *what, size_t bytes)
{
	ssize_t n;

	do
		n = read(fd, what, bytes);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

bool nti_process_put(int fd, unsigned char byte)
{
	ssize_t n;

	do
		n = send(fd, &byte, 1, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

bool nti_process_get(int fd, unsigned char *byte)
{
	ssize_t n = hear(fd, byte, 1);

	if (n < 1)
		errno = n < 0 ? (int)-n : EPIPE;
	return n == 1;
}

/* In the child: the command does not run because of errno. */
static void give_up(int news, int status)
{
	int error = errno;

	(void)tell(news, &error, sizeof(error));
	_exit(status);
}

/*
 * In the child, after fork: only async-signal-safe calls. A byte out says that it waits before
 * exec. One byte in means go; end of file means that the parent is gone or gave up, and then
 * nothing must be run.
 *
 * What the child touches after it said so is not in max_rss_floor() and yet in ru_maxrss. So it
 * makes its calls once before, such that nothing happens: the first call of a name makes the
 * dynamic linker look into the symbol table of every library that is loaded, and fork leaves pages
 * of files to be faulted in again, 64 KiB at a time (fault_around_bytes, mm/memory.c).
 */
static void run_child(int door, int news, char *const argv[])
{
	struct nti_moment exec;
	unsigned char go;

	if (read(door, &go, 0) < 0)
		give_up(news, 127);
	(void)execvp("", argv); /* exec(3): ENOENT, found without asking the kernel */
	nti_moment_take(&exec);
	/* The parent waits for that byte: where it cannot be sent the end must come instead. */
	if (!nti_process_put(door, 0) || !nti_process_get(door, &go))
		give_up(news, 127);
	nti_moment_take(&exec);
	if (tell(news, &exec, sizeof(exec)))
		(void)execvp(argv[0], argv);
	give_up(news, errno == ENOENT ? 127 : 126);
}

int nti_process_hold(struct nti_process *p)
{
	int ret;

	nti_moment_take(&p->begin); /* until it is released */
	/*
	 * pidfd_open(2), Linux 5.3; without it waiting would need a signal handler of ours in the
	 * caller's program.
	 */
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pidfd >= 0)
		return 0;
	ret = errno == EPERM || errno == EACCES ? -ENOSYS : -errno;
	nti_process_fini(p);
	return ret;
}

int nti_process_fork(struct nti_process *p, char *const argv[])
{
	sigset_t all, before;
	int door[2], report[2];
	int ret;

	*p = (struct nti_process){ .pidfd = -1, .door = -1, .news = -1 };
	/*
	 * A socket, not a pipe: writing to a child that was killed meanwhile must not raise SIGPIPE
	 * here.
	 */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, door) < 0)
		return -errno;
	if (pipe2(report, O_CLOEXEC) < 0) {
		ret = -errno;
		goto err_door;
	}
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	p->pid = fork();
	if (p->pid == 0) {
		nti_process_drop_handlers();
		(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
		(void)close(door[1]);
		(void)close(report[0]);
		run_child(door[0], report[1], argv);
	}
	ret = -errno;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (p->pid < 0)
		goto err_report;
	(void)close(door[0]);
	(void)close(report[1]);
	p->door = door[1];
	p->news = report[0];
	return nti_process_hold(p);
err_report:
	p->pid = 0;
	(void)close(report[0]);
	(void)close(report[1]);
err_door:
	(void)close(door[0]);
	(void)close(door[1]);
	return ret;
}

/* The first @key of /proc/PID/@file, of those that are in "kB"; 0 when it cannot be read. */
static uint64_t memory_bytes(pid_t pid, const char *file, const char *key)
{
	uint64_t bytes = 0;
	char text[256]; /* a longer line (Groups:) comes in pieces, which begin with digits */
	FILE *f;

	(void)snprintf(text, sizeof(text), "/proc/%d/%s", (int)pid, file);
	f = fopen(text, "re");
	if (!f)
		return 0;
	while (!bytes && fgets(text, sizeof(text), f)) {
		if (strncmp(text, key, strlen(key)) == 0)
			bytes = strtoull(text + strlen(key), NULL, 10) * 1024u;
	}
	(void)fclose(f);
	return bytes;
}

/*
 * How far VmHWM may lag. Up to Linux 6.1 a thread keeps to itself what its last 64 faults mapped
 * (check_sync_rss_stat() in mm/memory.c) until exec adds it, and the child makes some 25 before the
 * door, of 64 KiB each. Since 6.2 (f1a7941243c1) each of three counters may lack max(32, 2 *
 * CPUs) - 1 pages for each CPU that the child was on: 0.4 MiB with 16 CPUs, 6 MiB with 256. Exact
 * since 6.16 (82241a83cd15).
 */
#define VM_HWM_LAG_BYTES (16u << 20)

/*
 * The kernel hands the peak of the memory that exec drops on to the process's ru_maxrss
 * (exec_mmap() in fs/exec.c calls setmax_mm_hiwater_rss()), so how much the child has now is the
 * least that wait4(2) will ever say of the command. Measured when the child waits before exec:
 * between fork and there it still grows.
 *
 * The kernel's counters lag, but Rss of smaps_rollup is counted from the page tables. That takes
 * about as long as fork itself, in this process and before real_ns begins. Some kernels are built
 * without (CONFIG_PROC_PAGE_MONITOR), and who was given capabilities by the file of the program may
 * not read it (proc(5), ptrace access mode).
 */
uint64_t nti_process_resident_bytes(pid_t pid)
{
	uint64_t peak = memory_bytes(pid, "status", "VmHWM:");
	uint64_t now = memory_bytes(pid, "smaps_rollup", "Rss:");

	if (!now && peak)
		return peak + VM_HWM_LAG_BYTES;
	return peak > now ? peak : now;
}

static int reap(struct nti_process *p, struct nti_process_end *end)
{
	struct nti_moment exec;
	int ret = 0;
	pid_t pid;

	do
		pid = wait4(p->pid, &end->status, 0, &end->usage);
	while (pid < 0 && errno == EINTR);
	/* Somebody else reaped it: its number may belong to a stranger by now. */
	if (pid < 0 && errno != ECHILD)
		return -errno;
	nti_moment_take(&p->end);
	p->pid = 0;
	if (p->launcher) {
		ret = nti_launcher_end(p->launcher, &exec);
		if (exec.ns)
			p->begin = exec;
	}
	p->launcher = NULL;
	if (p->is_unheard && pid > 0 && WIFEXITED(end->status))
		ret = -EPIPE;
	if (pid < 0 || ret < 0)
		return pid < 0 ? -ECHILD : ret;
	end->real_ns = p->end.ns - p->begin.ns;
	end->max_rss_floor_bytes = p->max_rss_floor_bytes;
	return 1;
}

/* 0 or -errno of exec. */
static int open_door(struct nti_process *p)
{
	struct nti_moment exec;
	int error = 0;
	ssize_t n;

	/* EPIPE: it was killed, which its status tells. */
	if (!nti_process_put(p->door, 0) && errno != EPIPE)
		return -errno;
	close_fd(&p->door);
	/*
	 * The moment of exec, then the end that exec makes by closing the pipe, or the errno of the
	 * exec that failed. That errno alone: it did not come so far. Nothing at all: it was killed
	 * before, or could tell nothing.
	 */
	n = hear(p->news, &exec, sizeof(exec));
	p->is_unheard = n == 0;
	if (n == sizeof(exec)) {
		p->begin = exec;
		n = hear(p->news, &error, sizeof(error));
	} else if (n == sizeof(error)) {
		memcpy(&error, &exec, sizeof(error));
	}
	close_fd(&p->news);
	return n < 0 ? (int)n : -error;
}

int nti_process_release(struct nti_process *p)
{
	struct nti_process_end end;
	unsigned char there;
	int ret;

	if (p->pid <= 0 || (p->door < 0 && !p->launcher))
		return -ECHILD;
	if (!p->launcher && nti_process_get(p->door, &there))
		p->max_rss_floor_bytes = nti_process_resident_bytes(p->pid);
	nti_moment_take(&p->begin);
	ret = p->launcher ? nti_launcher_release(p->launcher) : open_door(p);
	if (ret < 0) {
		/* Where it was not told to go it still waits. */
		(void)nti_process_kill(p, SIGKILL);
		close_fd(&p->door);
		(void)reap(p, &end);
	}
	return ret;
}

int nti_process_wait(struct nti_process *p, uint64_t timeout_ns, struct nti_process_end *end)
{
	struct pollfd ended = { .fd = p->pidfd, .events = POLLIN };
	struct timespec timeout = { .tv_sec = (time_t)(timeout_ns / NS_PER_SECOND),
				    .tv_nsec = (long)(timeout_ns % NS_PER_SECOND) };
	int ret;

	if (p->pid <= 0)
		return -ECHILD;
	ret = ppoll(&ended, 1, timeout_ns == UINT64_MAX ? NULL : &timeout, NULL);
	if (ret < 0)
		return -errno;
	if (ret == 0)
		return 0;
	/*
	 * It has ended, but who traces it (strace -f) is the first to be told: only then has it
	 * ended for wait4(2).
	 */
	return reap(p, end);
}

int nti_process_kill(const struct nti_process *p, int sig)
{
	if (p->pid <= 0)
		return -ESRCH;
	/* By descriptor: a number may be given to another process, a descriptor never. */
	return syscall(SYS_pidfd_send_signal, p->pidfd, sig, NULL, 0) < 0 ? -errno : 0;
}

bool nti_process_exists(pid_t pid)
{
	return pid == 0 || kill(pid, 0) == 0 || errno == EPERM;
}

int nti_process_pin(unsigned int cpu, void **before)
{
	size_t bytes = CPU_ALLOC_SIZE(NTI_CPU_LIMIT);
	cpu_set_t *old = CPU_ALLOC(NTI_CPU_LIMIT), *one = CPU_ALLOC(NTI_CPU_LIMIT);
	int ret = old && one ? 0 : -ENOMEM;

	*before = NULL;
	if (ret == 0 && sched_getaffinity(0, bytes, old) < 0)
		ret = -errno;
	if (ret == 0 && (cpu >= NTI_CPU_LIMIT || !CPU_ISSET_S(cpu, bytes, old)))
		ret = -EPERM;
	if (ret == 0) {
		CPU_ZERO_S(bytes, one);
		CPU_SET_S(cpu, bytes, one);
		ret = sched_setaffinity(0, bytes, one) < 0 ? -errno : 0;
	}
	if (one)
		CPU_FREE(one);
	if (ret == 0)
		*before = old;
	else if (old)
		CPU_FREE(old);
	return ret;
}

void nti_process_unpin(void *before, bool is_undone)
{
	if (!before)
		return;
	if (is_undone)
		(void)sched_setaffinity(0, CPU_ALLOC_SIZE(NTI_CPU_LIMIT), before);
	CPU_FREE(before);
}

/* Small files of procfs that come in one piece: length, 0 where there is none. */
static size_t read_small(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd < 0)
		return 0;
	do
		n = read(fd, buf, size - 1);
	while (n < 0 && errno == EINTR);
	(void)close(fd);
	n = n < 0 ? 0 : n;
	buf[n] = '\0';
	return (size_t)n;
}

/*
 * proc(5): field 22 is starttime; the second one, the name, may have blanks and ends with the last
 * parenthesis.
 */
uint64_t nti_process_started_ticks(pid_t pid)
{
	char path[40], text[1024], *at;
	unsigned int field;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (!read_small(path, text, sizeof(text)))
		return 0;
	at = strrchr(text, ')');
	for (field = 2; at && field < 22; field++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

/* "/usr/bin/ntime\0watch\0" becomes "ntime watch"; what does not fit ends with dots. */
static void command_line(char *buf, size_t size)
{
	char text[4096] = "";
	size_t chars = read_small("/proc/self/cmdline", text, sizeof(text)), i, n = 0;
	const char *name = strrchr(text, '/');

	while (chars && !text[chars - 1])
		chars--;
	/* The last '/' of the first word, which ends with NUL. */
	i = chars && name ? (size_t)(name + 1 - text) : 0;
	for (; i < chars && n < size - 1; i++)
		buf[n++] = text[i] ? text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?' : ' ';
	buf[n] = '\0';
	if (i < chars)
		memcpy(buf + n - 3, "...", 3);
}

pid_t nti_process_self(void)
{
	return getpid();
}

void nti_process_identify(struct nti_process_identity *out)
{
	size_t chars = read_small("/proc/sys/kernel/random/boot_id", out->boot, sizeof(out->boot));

	while (chars && (unsigned char)out->boot[chars - 1] <= ' ')
		out->boot[--chars] = '\0';
	if (!chars)
		(void)snprintf(out->boot, sizeof(out->boot), "-");
	out->pid = getpid();
	out->started_ticks = nti_process_started_ticks(out->pid);
	command_line(out->command, sizeof(out->command));
}

void nti_process_fini(struct nti_process *p)
{
	struct nti_process_end end;

	/*
	 * A child that waits before exec goes when it closes, also where no descriptor of it could
	 * be had to kill it by.
	 */
	close_fd(&p->door);
	if (p->pid > 0) {
		/* Without descriptor it was made just now, and nobody has reaped it. */
		if (p->pidfd < 0)
			(void)kill(p->pid, SIGKILL);
		else
			(void)nti_process_kill(p, SIGKILL);
		(void)reap(p, &end);
	}
	close_fd(&p->news);
	close_fd(&p->pidfd);
}
