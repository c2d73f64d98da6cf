// SPDX-License-Identifier: MIT
/*
 * base/os/process.c and launcher.c: a child before exec. After each test no descriptor and no child
 * may be left.
 */
#include <dirent.h>
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/launcher.h"
#include "base/os/process.h"
#include "base/tests/tt.h"

#define NS_PER_MS 1000000u

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	(void)closedir(dir);
	return n;
}

/*
 * Descriptors that go through exec. This program as its own child answers with their number as exit
 * status.
 */
#define COUNT_OPTION "--count-inherited"
#define IDENTIFY_OPTION "--identify"
static int count_inherited(void)
{
	int fd, flags, n = 0;

	for (fd = 0; fd < 1024; fd++) {
		flags = fcntl(fd, F_GETFD);
		n += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	return n;
}

/* Most tests are run in both ways: with a child of this process, and with one of a launcher. */
static bool is_launched;
static struct nti_launcher *launcher;

static int remember_descriptors(void **state)
{
	is_launched = false;
	*state = (void *)(intptr_t)count_descriptors();
	return 0;
}

static int remember_and_launch(void **state)
{
	(void)remember_descriptors(state);
	is_launched = true;
	return 0;
}

static int start(struct nti_process *p, char *const argv[])
{
	int ret;

	if (!is_launched)
		return nti_process_fork(p, argv);
	nti_launcher_free(launcher);
	ret = nti_launcher_new(&argv, 1, &launcher);
	return ret < 0 ? ret : nti_launcher_fork(launcher, 0, p);
}

static int check_leftovers(void **state)
{
	nti_launcher_free(launcher);
	launcher = NULL;
	if (count_descriptors() != (int)(intptr_t)*state)
		return -1;
	/* No child at all, dead or alive. */
	return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static char *const exit_3[] = { "sh", "-c", "exit 3", NULL };
static char *const sleep_long[] = { "sleep", "1000", NULL };
/* Of one launcher, by number. */
static char *const exit_4[] = { "sh", "-c", "exit $#", "sh", "a", "b", "c", "d", NULL };
static char *const not_there[] = { "/nonexistent/command", NULL };
static char *const *const three[] = { exit_3, exit_4, not_there };

TEST(runs_when_released)
{
	char path[] = "/tmp/ntime-test-process-XXXXXX";
	char *argv[] = { "rm", path, NULL };
	struct nti_process_end end;
	struct nti_process p;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	(void)close(fd);
	TT_IS(start(&p, argv), 0);
	assert_true(p.pid > 0);
	/* It waits: looking does not find its end, and the file stays. */
	TT_IS(nti_process_wait(&p, 20 * NS_PER_MS, &end), 0);
	TT_IS(access(path, F_OK), 0);
	TT_IS(nti_process_release(&p), 0);
	TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
	TT_IS(WIFEXITED(end.status), true);
	TT_IS(WEXITSTATUS(end.status), 0);
	TT_IS(access(path, F_OK), -1);
	assert_true(end.real_ns > 0);
	assert_true(end.usage.ru_maxrss > 0);
	TT_IS(p.pid, 0);
	nti_process_fini(&p);
}

TEST(exit_status)
{
	struct nti_process_end end;
	struct nti_process p;

	TT_IS(start(&p, exit_3), 0);
	TT_IS(nti_process_release(&p), 0);
	TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
	TT_IS(WIFEXITED(end.status), true);
	TT_IS(WEXITSTATUS(end.status), 3);
	/* Only once. */
	TT_IS(nti_process_wait(&p, 0, &end), -ECHILD);
	TT_IS(nti_process_kill(&p, SIGTERM), -ESRCH);
	TT_IS(nti_process_release(&p), -ECHILD);
	nti_process_fini(&p);
	nti_process_fini(&p);
}

/*
 * What this program, and so the copy of it before exec, has resident shows in ru_maxrss; the floor
 * must tell.
 */
TEST(max_rss_floor_is_the_size_of_the_copy)
{
	const size_t bytes = 32u << 20;
	char *argv[] = { "true", NULL };
	char *resident = malloc(bytes);
	struct nti_process_end end;
	struct nti_process p;

	assert_non_null(resident);
	memset(resident, 1, bytes);
	TT_IS(start(&p, argv), 0);
	TT_IS(nti_process_release(&p), 0);
	while (nti_process_wait(&p, UINT64_MAX, &end) == -EINTR)
		;
	nti_process_fini(&p);
	assert_true(end.usage.ru_maxrss * 1024ul >= bytes - (1u << 20));
	assert_true(end.max_rss_floor_bytes >= bytes);
	/* What count/cli/report/report.h leaves room for. */
	assert_true((uint64_t)end.usage.ru_maxrss * 1024u <= end.max_rss_floor_bytes + (1u << 20));
	free(resident);
}

/*
 * As with a program whose file has capabilities: exits with 0 when the floor is not below what
 * wait4(2) tells.
 */
static _Noreturn void measure_without_page_tables(void)
{
	char *argv[] = { "true", NULL };
	struct nti_process_end end;
	struct nti_process p;

	if (getuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		_exit(77);
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || start(&p, argv) < 0)
		_exit(2);
	if (nti_process_release(&p) < 0)
		_exit(3);
	while (nti_process_wait(&p, UINT64_MAX, &end) == -EINTR)
		;
	nti_process_fini(&p);
	_exit((uint64_t)end.usage.ru_maxrss * 1024u > end.max_rss_floor_bytes);
}

TEST(max_rss_floor_without_page_tables_is_generous)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		measure_without_page_tables();
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(WIFEXITED(status), true);
	if (WEXITSTATUS(status) == 77)
		TT_SKIP("root without capabilities cannot become nobody");
	TT_IS(WEXITSTATUS(status), 0);
}

static const struct exec_row {
	int line;
	char *argv[2];
	int ret;
} exec_rows[] = {
	{ __LINE__, { "ntime-test-no-such-command", NULL }, -ENOENT },
	{ __LINE__, { "/no/such/folder/command", NULL }, -ENOENT },
	{ __LINE__, { "/etc/passwd", NULL }, -EACCES }, /* no x bit */
	{ __LINE__, { "/", NULL }, -EACCES },
	{ __LINE__, { "", NULL }, -ENOENT },
};

TEST(exec_failures)
{
	TT_FOR_EACH_ROW(r, exec_rows) {
		struct nti_process_end end;
		struct nti_process p;

		TT_EQ(r, start(&p, r->argv), 0);
		TT_EQ(r, nti_process_release(&p), r->ret);
		TT_EQ(r, p.pid, 0);
		TT_EQ(r, nti_process_wait(&p, 0, &end), -ECHILD);
		nti_process_fini(&p);
	}
}

TEST(waiting_ends_in_time)
{
	struct nti_process_end end;
	struct nti_process p;

	TT_IS(start(&p, sleep_long), 0);
	TT_IS(nti_process_release(&p), 0);
	TT_IS(nti_process_wait(&p, 0, &end), 0);
	TT_IS(nti_process_wait(&p, 10 * NS_PER_MS, &end), 0);
	TT_IS(nti_process_kill(&p, SIGTERM), 0);
	TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
	TT_IS(WIFSIGNALED(end.status), true);
	TT_IS(WTERMSIG(end.status), SIGTERM);
	nti_process_fini(&p);
}

static void do_nothing(int sig)
{
	(void)sig;
}

/* Ctrl-C reaches the caller's handler; the wait says so, the child still runs. */
TEST(waiting_is_interrupted)
{
	struct sigaction action = { .sa_handler = do_nothing }, old;
	char script[64];
	char *argv[] = { "sh", "-c", script, NULL };
	struct nti_process_end end;
	struct nti_process p, poker;

	TT_IS(sigaction(SIGUSR1, &action, &old), 0);
	/* Pokes until it is told to stop: the first signal may come before the wait. */
	(void)snprintf(script, sizeof(script), "while kill -USR1 %d; do sleep 0.02; done",
		       getpid());
	TT_IS(start(&p, sleep_long), 0);
	TT_IS(nti_process_release(&p), 0);
	TT_IS(nti_process_fork(&poker, argv), 0);
	TT_IS(nti_process_release(&poker), 0);
	TT_IS(nti_process_wait(&p, UINT64_MAX, &end), -EINTR);
	nti_process_fini(&poker);
	TT_IS(nti_process_wait(&p, 0, &end), 0);
	nti_process_fini(&p);
	TT_IS(sigaction(SIGUSR1, &old, NULL), 0);
}

/*
 * The child is killed while it waits before exec. Writing to it must not end this program with
 * SIGPIPE.
 */
TEST(killed_at_the_door)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, old;
	struct nti_process_end end;
	struct nti_process p;

	TT_IS(sigaction(SIGPIPE, &standard, &old), 0);
	TT_IS(start(&p, exit_3), 0);
	TT_IS(nti_process_kill(&p, SIGKILL), 0);
	/* Wait until it is dead but not reaped, so that the door has nobody behind it for sure. */
	TT_IS(waitid(P_PID, (id_t)p.pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	TT_IS(nti_process_release(&p), 0);
	TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
	TT_IS(WIFSIGNALED(end.status), true);
	TT_IS(WTERMSIG(end.status), SIGKILL);
	nti_process_fini(&p);
	TT_IS(sigaction(SIGPIPE, &old, NULL), 0);
}

/* As strace -f does with commands: is told of the end of @pid first, and takes its time. */
static void trace(pid_t pid, int ready)
{
	siginfo_t info;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0 || write(ready, "", 1) != 1)
		return;
	(void)waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | __WALL);
	(void)usleep(100000);
	(void)waitpid(pid, NULL, __WALL);
}

TEST(an_end_that_another_is_told_first)
{
	struct nti_process_end end;
	struct nti_process p;
	int ready[2], status;
	bool is_traced;
	pid_t tracer;
	char byte;

	TT_IS(start(&p, exit_3), 0);
	/* Now, or the child would have the other end as well. */
	TT_IS(pipe(ready), 0);
	tracer = fork();
	assert_true(tracer >= 0);
	if (tracer == 0) {
		trace(p.pid, ready[1]);
		_exit(0);
	}
	(void)close(ready[1]);
	is_traced = read(ready[0], &byte, 1) == 1;
	(void)close(ready[0]);
	if (is_traced) {
		TT_IS(nti_process_kill(&p, SIGKILL), 0);
		TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
		TT_IS(WTERMSIG(end.status), SIGKILL);
	}
	nti_process_fini(&p);
	TT_IS(waitpid(tracer, &status, 0), tracer);
	if (!is_traced)
		TT_SKIP("this process may not trace another one");
}

static const struct signal_row {
	int line;
	void (*handler)(int);
	int killed_by; /* 0: it runs to its end */
} signal_rows[] = {
	{ __LINE__, SIG_DFL, SIGUSR1 },
	{ __LINE__, SIG_IGN, 0 },
	{ __LINE__, do_nothing, SIGUSR1 }, /* the caller's handler is not the command's */
};

/* At the door a signal does what it would do to the command. */
TEST(signals_at_the_door)
{
	TT_FOR_EACH_ROW(r, signal_rows) {
		struct sigaction action = { .sa_handler = r->handler }, old;
		struct nti_process_end end;
		struct nti_process p;

		TT_EQ(r, sigaction(SIGUSR1, &action, &old), 0);
		TT_EQ(r, start(&p, exit_3), 0);
		TT_EQ(r, nti_process_kill(&p, SIGUSR1), 0);
		TT_EQ(r, nti_process_release(&p), 0);
		TT_EQ(r, nti_process_wait(&p, UINT64_MAX, &end), 1);
		TT_EQ(r, WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0, r->killed_by);
		nti_process_fini(&p);
		TT_EQ(r, sigaction(SIGUSR1, &old, NULL), 0);
	}
}

/* A child that is given up never runs its command. */
TEST(given_up)
{
	char path[] = "/tmp/ntime-test-process-XXXXXX";
	char *argv[] = { "rm", path, NULL };
	struct nti_process p;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	(void)close(fd);
	TT_IS(start(&p, argv), 0);
	nti_process_fini(&p);
	TT_IS(p.pid, 0);
	TT_IS(unlink(path), 0);
}

/* Who held the door is gone without a word (killed, say): the command must not run then. */
TEST(parent_dies)
{
	char *argv[] = { "sh", "-c", "echo ran", NULL };
	int ends[2], status;
	char text[8];
	pid_t parent;

	TT_IS(pipe(ends), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (parent == 0) {
		struct nti_process p;

		if (dup2(ends[1], STDOUT_FILENO) < 0 || start(&p, argv) < 0)
			_exit(1);
		_exit(0);
	}
	(void)close(ends[1]);
	TT_IS(waitpid(parent, &status, 0), parent);
	TT_IS(status, 0);
	/* The end comes when the child before exec has ended as well; it must have said nothing. */
	TT_IS(read(ends[0], text, sizeof(text)), 0);
	(void)close(ends[0]);
}

/* The command gets what is open for every command, and nothing of ours: no door, no pidfd. */
TEST(command_inherits_nothing)
{
	char *argv[] = { "/proc/self/exe", COUNT_OPTION, NULL };
	int wanted = count_inherited();
	struct nti_process_end end;
	struct nti_process p;

	TT_IS(start(&p, argv), 0);
	TT_IS(nti_process_release(&p), 0);
	TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
	TT_IS(WIFEXITED(end.status), true);
	TT_IS(WEXITSTATUS(end.status), wanted);
	nti_process_fini(&p);
}

/* Many of them, so that a leak of one each cannot hide. */
TEST(many)
{
	struct nti_process_end end;
	struct nti_process p;
	int i;

	for (i = 0; i < 50; i++) {
		TT_IS(start(&p, exit_3), 0);
		if (i % 2) {
			TT_IS(nti_process_release(&p), 0);
			TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
		}
		nti_process_fini(&p);
	}
}

/* One launcher for many: released, given up, killed before exec, and killed itself. */
TEST(again_and_again)
{
	struct nti_process_end end;
	struct nti_process p, other;

	TT_IS(nti_launcher_new(three, 3, &launcher), 0);
	for (int i = 0; i < 60; i++) {
		int which = i / 3 % 2;

		TT_IS(nti_launcher_fork(launcher, (size_t)which, &p), 0);
		TT_IS(nti_launcher_fork(launcher, 0, &other), -EBUSY);
		if (i % 3 == 1)
			TT_IS(nti_process_kill(&p, SIGKILL), 0);
		if (i % 3) {
			TT_IS(nti_process_release(&p), 0);
			TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
			TT_IS(end.status, i % 3 == 1 ? SIGKILL : (3 + which) << 8);
			assert_true(end.max_rss_floor_bytes > 0);
		}
		nti_process_fini(&p);
	}
	/* That others were executed does not show that this one can be. */
	TT_IS(nti_launcher_fork(launcher, 2, &p), 0);
	TT_IS(nti_process_release(&p), -ENOENT);
	nti_process_fini(&p);
}

/* What the first run has shown later ones need not show again, and their end tells otherwise. */
TEST(a_command_that_goes_away)
{
	char path[] = "/tmp/ntime-test-process-XXXXXX";
	char *argv[] = { path, NULL }, *const *const one[] = { argv };
	struct nti_process_end end;
	struct nti_process p;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	TT_IS(write(fd, "#!/bin/sh\n", 10), 10);
	TT_IS(fchmod(fd, 0700), 0);
	(void)close(fd);
	TT_IS(nti_launcher_new(one, 1, &launcher), 0);
	for (int i = 0; i < 4; i++) {
		int wanted = i < 2 ? 1 : -ENOENT;

		if (i == 2)
			TT_IS(unlink(path), 0);
		TT_IS(nti_launcher_fork(launcher, 0, &p), 0);
		TT_IS(nti_process_release(&p), 0);
		TT_IS(nti_process_wait(&p, UINT64_MAX, &end), wanted);
		TT_IS(p.pid, 0);
		nti_process_fini(&p);
	}
}

/* Of this process, but for @other; 0: the kernel lists none (CONFIG_PROC_CHILDREN). */
static pid_t child_beside(pid_t other)
{
	char path[64], text[64] = "";
	int first = 0, second = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f) || sscanf(text, "%d %d", &first, &second) != 2)
		first = second = 0;
	(void)fclose(f);
	return first == other ? second : first;
}

TEST(a_launcher_that_is_killed)
{
	struct nti_process_end end;
	struct nti_process p;
	pid_t pid;

	TT_IS(nti_launcher_new(three, 3, &launcher), 0);
	TT_IS(nti_launcher_fork(launcher, 0, &p), 0);
	pid = child_beside(p.pid);
	if (!pid)
		TT_SKIP("the kernel does not list children (CONFIG_PROC_CHILDREN)");
	TT_IS(kill(pid, SIGKILL), 0);
	/* The child has its memory still. */
	TT_IS(nti_process_release(&p), 0);
	TT_IS(nti_process_wait(&p, UINT64_MAX, &end), 1);
	TT_IS(WEXITSTATUS(end.status), 3);
	nti_process_fini(&p);
	TT_IS(nti_launcher_fork(launcher, 0, &p), -EPIPE);
	nti_process_fini(&p);
}

#define CLEAN_TEST(name)                                                                           \
	cmocka_unit_test_setup_teardown(name, remember_descriptors, check_leftovers)
#define LAUNCHED_TEST(name)                                                                        \
	{                                                                                          \
#name " of a launcher", name, remember_and_launch, check_leftovers, NULL           \
	}

static int identify(void)
{
	struct nti_process_identity self;

	nti_process_identify(&self);
	printf("%d %llu %s %s|", (int)self.pid, (unsigned long long)self.started_ticks, self.boot,
	       self.command);
	return 0;
}

/*
 * This program as its own child, called by a name and with words that nobody wants on a terminal.
 */
TEST(identity)
{
	char name[] = "/a/b/some name", option[] = IDENTIFY_OPTION, words[] = "a\tb\x1b[2J\xc3\xa9",
	     empty[] = "", more[] = "0123456789012345678901234567890123456789";
	char *argv[] = { name, option, words, empty, more, NULL };
	struct nti_process_identity self, again;
	unsigned long long started;
	char text[256] = "", boot[64], *command;
	int out[2], status, pid;
	ssize_t n;

	nti_process_identify(&self);
	TT_IS(self.pid, getpid());
	TT_HAS(self.command, "test_process");
	/* Without /proc/sys there is nothing to know the boot by. */
	TT_IS(strlen(self.boot),
	      access("/proc/sys/kernel/random/boot_id", R_OK) == 0 ? 36 : strlen("-"));
	assert_true(self.started_ticks > 0);
	TT_IS(nti_process_started_ticks(getpid()), self.started_ticks);
	TT_IS(nti_process_started_ticks(0x7fffffff), 0);
	nti_process_identify(&again);
	TT_TEXT(again.boot, self.boot);
	TT_IS(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)dup2(out[1], 1);
		(void)execv("/proc/self/exe", argv);
		_exit(127);
	}
	TT_IS(close(out[1]), 0);
	n = read(out[0], text, sizeof(text) - 1);
	assert_true(n > 0);
	TT_IS(close(out[0]), 0);
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	TT_IS(sscanf(text, "%*d %llu %63s", &started, boot), 2);
	TT_IS(strtol(text, NULL, 10), pid);
	assert_true(started >= self.started_ticks);
	TT_TEXT(boot, self.boot);
	command = strstr(text, "some name");
	TT_TEXT(command,
		"some name " IDENTIFY_OPTION " a?b?[2J??  0123456789012345678901234567...|");
}

/* What a container's limits may do; the child at the door is killed and reaped. */
TEST(pidfd_open_is_refused)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };
	char *argv[] = { (char[]){ "true" }, NULL };
	struct nti_process p;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(2);
		_exit(nti_process_fork(&p, argv) == -ENOSYS && !p.pid && wait(NULL) < 0 ? 0 : 1);
	}
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CLEAN_TEST(runs_when_released),
		CLEAN_TEST(max_rss_floor_is_the_size_of_the_copy),
		CLEAN_TEST(max_rss_floor_without_page_tables_is_generous),
		CLEAN_TEST(exit_status),
		CLEAN_TEST(exec_failures),
		CLEAN_TEST(waiting_ends_in_time),
		CLEAN_TEST(waiting_is_interrupted),
		CLEAN_TEST(killed_at_the_door),
		CLEAN_TEST(an_end_that_another_is_told_first),
		CLEAN_TEST(signals_at_the_door),
		CLEAN_TEST(given_up),
		CLEAN_TEST(parent_dies),
		CLEAN_TEST(command_inherits_nothing),
		CLEAN_TEST(many),
		CLEAN_TEST(identity),
		CLEAN_TEST(pidfd_open_is_refused),
		LAUNCHED_TEST(runs_when_released),
		LAUNCHED_TEST(max_rss_floor_is_the_size_of_the_copy),
		LAUNCHED_TEST(max_rss_floor_without_page_tables_is_generous),
		LAUNCHED_TEST(exit_status),
		LAUNCHED_TEST(exec_failures),
		LAUNCHED_TEST(waiting_ends_in_time),
		LAUNCHED_TEST(waiting_is_interrupted),
		LAUNCHED_TEST(killed_at_the_door),
		LAUNCHED_TEST(an_end_that_another_is_told_first),
		LAUNCHED_TEST(signals_at_the_door),
		LAUNCHED_TEST(given_up),
		LAUNCHED_TEST(parent_dies),
		LAUNCHED_TEST(command_inherits_nothing),
		LAUNCHED_TEST(many),
		CLEAN_TEST(again_and_again),
		CLEAN_TEST(a_command_that_goes_away),
		CLEAN_TEST(a_launcher_that_is_killed),
	};

	if (argc == 2 && strcmp(argv[1], COUNT_OPTION) == 0)
		return count_inherited();
	if (argc > 2 && strcmp(argv[1], IDENTIFY_OPTION) == 0)
		return identify();
	return TT_RUN(tests);
}
