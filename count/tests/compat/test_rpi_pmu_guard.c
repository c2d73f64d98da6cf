// SPDX-License-Identifier: MIT
/* The handler of SIGILL: its own faults are skipped, all others are the program's as they were. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count/compat/rpi_pmu/guard.h"
#include "count/compat/rpi_pmu/pmu.h"
#include "base/tests/tt.h"

const struct rpi_method *const rpi_methods[] = { NULL };

/* An instruction that is undefined for ever, of the length that guard.c skips. */
#if defined(__x86_64__)
#define ILLEGAL "ud2"
#elif defined(__aarch64__)
#define ILLEGAL "udf #0"
#else
#define ILLEGAL ".inst 0xe7f000f0"
#endif

RPI_GUARDED static int guarded_fault(int value)
{
	__asm__ volatile(ILLEGAL);
	return value + 1;
}

static __attribute__((noinline)) void other_fault(void)
{
	__asm__ volatile(ILLEGAL);
}

/* How a child ends that runs @fn: its exit status, or 1000 and the signal. */
static int ends(void (*fn)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct rlimit none = { 0, 0 };

		(void)setrlimit(RLIMIT_CORE, &none);
		/* The sanitizers' own handlers are none of the program's. */
		(void)signal(SIGILL, SIG_DFL);
		fn();
		_exit(0);
	}
	TT_IS(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void exit_3(int number)
{
	(void)number;
	_exit(3);
}

static void exit_4(int number, siginfo_t *info, void *context)
{
	(void)number;
	_exit(info && context ? 4 : 5);
}

static void own_faults(void)
{
	if (rpi_guard_raise() < 0 || rpi_guard_has_caught())
		_exit(1);
	if (guarded_fault(1) != 2 || !rpi_guard_has_caught() || guarded_fault(2) != 3)
		_exit(2);
	rpi_guard_lower();
	/* A new guard has caught nothing. */
	if (rpi_guard_raise() < 0 || rpi_guard_has_caught())
		_exit(3);
	rpi_guard_lower();
}

static void own_fault_while_blocked(void)
{
	sigset_t illegal;

	(void)sigemptyset(&illegal);
	(void)sigaddset(&illegal, SIGILL);
	(void)sigprocmask(SIG_BLOCK, &illegal, NULL);
	own_faults();
}

static void raise_twice(void)
{
	if (rpi_guard_raise() < 0 || rpi_guard_raise() != -EBUSY)
		_exit(1);
}

static void own_fault_after_lowering(void)
{
	(void)rpi_guard_raise();
	rpi_guard_lower();
	(void)guarded_fault(1);
}

static void fault_without_handler(void)
{
	(void)rpi_guard_raise();
	other_fault();
}

static void fault_ignored(void)
{
	(void)signal(SIGILL, SIG_IGN);
	(void)rpi_guard_raise();
	other_fault();
}

static void fault_with_handler(void)
{
	(void)signal(SIGILL, exit_3);
	(void)rpi_guard_raise();
	other_fault();
}

static void fault_with_action(void)
{
	struct sigaction action = { .sa_sigaction = exit_4, .sa_flags = SA_SIGINFO };

	(void)sigaction(SIGILL, &action, NULL);
	(void)rpi_guard_raise();
	other_fault();
}

static void sent_without_handler(void)
{
	(void)rpi_guard_raise();
	(void)raise(SIGILL);
	_exit(6);
}

static void sent_ignored(void)
{
	(void)signal(SIGILL, SIG_IGN);
	(void)rpi_guard_raise();
	(void)raise(SIGILL);
}

static void put_back(void)
{
	struct sigaction now;

	(void)signal(SIGILL, exit_3);
	(void)rpi_guard_raise();
	rpi_guard_lower();
	(void)sigaction(SIGILL, NULL, &now);
	_exit(now.sa_handler == exit_3 ? 0 : 1);
}

static void installed_meanwhile(void)
{
	struct sigaction now;

	(void)rpi_guard_raise();
	(void)signal(SIGILL, exit_3);
	rpi_guard_lower();
	(void)sigaction(SIGILL, NULL, &now);
	_exit(now.sa_handler == exit_3 ? 0 : 1);
}

static const struct row {
	int line;
	void (*fn)(void);
	int end;
} rows[] = {
	{ __LINE__, own_faults, 0 },
	{ __LINE__, own_fault_while_blocked, 0 },
	{ __LINE__, raise_twice, 0 },
	{ __LINE__, own_fault_after_lowering, 1000 + SIGILL },
	{ __LINE__, fault_without_handler, 1000 + SIGILL },
	{ __LINE__, fault_ignored, 1000 + SIGILL },
	{ __LINE__, fault_with_handler, 3 },
	{ __LINE__, fault_with_action, 4 },
	{ __LINE__, sent_without_handler, 1000 + SIGILL },
	{ __LINE__, sent_ignored, 0 },
	{ __LINE__, put_back, 0 },
	{ __LINE__, installed_meanwhile, 0 },
};

TEST(faults_go_where_they_belong)
{
	TT_FOR_EACH_ROW(r, rows)
		TT_EQ(r, ends(r->fn), r->end);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(faults_go_where_they_belong) };

	return TT_RUN(tests);
}
