// SPDX-License-Identifier: MIT
/* The handler behind guard.h. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "count/compat/rpi_pmu/guard.h"

/* The linker gives a section whose name is a C identifier these two (ld, "Orphan Sections"). */
extern const char guarded_begin[] __asm__("__start_rpi_guarded");
extern const char guarded_end[] __asm__("__stop_rpi_guarded");

static struct sigaction before; /* the guard was raised */
static volatile sig_atomic_t is_raised, has_caught;

/* The instruction that faulted, and how long it is: MRC and MCR in ARM state; UD2 in tests. */
#if defined(__arm__)
#define WHERE(context) ((context)->uc_mcontext.arm_pc)
#define LENGTH 4
#elif defined(__aarch64__)
#define WHERE(context) ((context)->uc_mcontext.pc)
#define LENGTH 4
#elif defined(__x86_64__)
#define WHERE(context) ((context)->uc_mcontext.gregs[REG_RIP])
#define LENGTH 2
#endif

/* As if the guard did not stand. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
		/* Sent by a process (sigaction(2), si_code), and to be ignored. */
		if (before.sa_handler == SIG_IGN && info->si_code <= 0)
			return;
		/*
		 * The instruction faults once more, or the signal comes once more, and ends the
		 * program.
		 */
		(void)signal(number, SIG_DFL);
		if (info->si_code <= 0)
			(void)raise(number);
	} else {
		before.sa_handler(number);
	}
}

static void on_illegal(int number, siginfo_t *info, void *context)
{
#ifdef WHERE
	ucontext_t *at = context;
	uintptr_t where = (uintptr_t)WHERE(at);

	if (info->si_code > 0 && where >= (uintptr_t)guarded_begin &&
	    where < (uintptr_t)guarded_end) {
		has_caught = 1;
		WHERE(at) += LENGTH;
		return;
	}
#endif
	pass_on(number, info, context);
}

int rpi_guard_raise(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
	sigset_t illegal;

	if (is_raised)
		return -EBUSY;
	(void)sigemptyset(&action.sa_mask);
	(void)sigemptyset(&illegal);
	(void)sigaddset(&illegal, SIGILL);
	action.sa_sigaction = on_illegal;
	/* What is passed on must be known before the first signal can come. */
	if (sigaction(SIGILL, NULL, &before) < 0 || sigaction(SIGILL, &action, NULL) < 0)
		return -errno;
	has_caught = 0;
	is_raised = 1;
	return -pthread_sigmask(SIG_UNBLOCK, &illegal, NULL);
}

void rpi_guard_lower(void)
{
	struct sigaction now;

	if (!is_raised)
		return;
	is_raised = 0;
	if (sigaction(SIGILL, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
	    now.sa_sigaction == on_illegal)
		(void)sigaction(SIGILL, &before, NULL);
}

bool rpi_guard_has_caught(void)
{
	return has_caught;
}
