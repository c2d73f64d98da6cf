// SPDX-License-Identifier: MIT
/* base/command/signals.h: signals go to the command, and never to who has its number after it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command/signals.h"
#include "base/tests/tt.h"

#define SKIPPED 77
#define FAILED 1

/* As on Linux before 5.3. */
static bool forbid_pidfds(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_send_signal, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Before cli_signals_init(): with handlers of nobody. */
static pid_t start(void)
{
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	return child;
}

static int status_of(pid_t child)
{
	int status = 0;

	return waitpid(child, &status, 0) == child ? status : -1;
}

/* In a process of its own: 0, FAILED, SKIPPED. */
static int reach_the_command(void)
{
	pid_t first = start(), second = start();

	cli_signals_init();
	/* One that comes before there is anybody is kept for it. */
	raise(SIGUSR1);
	cli_signals_forward(first);
	if (status_of(first) != SIGUSR1)
		return FAILED;
	cli_signals_forward(second);
	raise(SIGUSR2);
	return status_of(second) == SIGUSR2 ? 0 : FAILED;
}

static int heard;

static void on_question(int sig)
{
	(void)sig;
	if (write(heard, "!", 1) != 1)
		_exit(1);
}

/*
 * A process of that number, which is not our child: clone3(2), by a child that ends. Asked by
 * SIGUSR2, it writes to @to. Whether there is one.
 */
static bool start_as(pid_t number, int to)
{
	struct clone_args args = { .exit_signal = SIGCHLD,
				   .set_tid = (uintptr_t)&number,
				   .set_tid_size = 1 };
	pid_t helper = fork();
	long child;

	if (helper)
		return status_of(helper) == 0;
	heard = to;
	(void)signal(SIGUSR1, SIG_DFL);
	(void)signal(SIGUSR2, on_question);
	child = syscall(SYS_clone3, &args, sizeof(args));
	if (child)
		_exit(child < 0);
	for (;;)
		pause();
}

static int spare_strangers(void)
{
	pid_t child = start();
	int ends[2], status = FAILED;
	char answer;

	cli_signals_init();
	cli_signals_forward(child);
	kill(child, SIGKILL);
	if (status_of(child) != SIGKILL || pipe(ends))
		return FAILED;
	if (!start_as(child, ends[1]))
		return SKIPPED;
	close(ends[1]);
	/* Its number is right, and it is not the command. */
	raise(SIGUSR1);
	kill(child, SIGUSR2);
	if (read(ends[0], &answer, 1) == 1)
		status = 0;
	kill(child, SIGKILL);
	return status;
}

static int run(int (*fn)(void), bool is_old)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (is_old && !forbid_pidfds())
			_exit(SKIPPED);
		_exit(fn());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void check(int (*fn)(void))
{
	for (int is_old = 0; is_old < 2; is_old++) {
		int status = run(fn, is_old);

		if (status == SKIPPED)
			TT_SKIP("this user may not choose process numbers, or filter system calls");
		TT_IS(status, 0);
	}
}

TEST(signals_reach_the_command)
{
	check(reach_the_command);
}

TEST(strangers_get_no_signals)
{
	check(spare_strangers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_reach_the_command),
		cmocka_unit_test(strangers_get_no_signals),
	};

	return TT_RUN(tests);
}
