// SPDX-License-Identifier: MIT
/* What ntime does with signals while it measures. */
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command/signals.h"

/* Handlers have no other way to know; written before signals can matter, or atomically. */
static volatile sig_atomic_t forward_pid;
static volatile sig_atomic_t stop_signal;

/* SIGHUP that a program sent is no end: it came. */
static volatile sig_atomic_t is_hangup_kept, has_hangup;

/* The library may be interrupted. */
static bool is_interrupting;

/* From cli_signals_block() on: they wait, and .before is the mask to which it leads back. */
static struct {
	bool is_on;
	sigset_t before;
} blocked;

/* Came while it was not known yet whom to send it to. */
static volatile sig_atomic_t is_held[NSIG];

static const int stop_signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
static const int pass_signals[] = { SIGUSR1, SIGUSR2 };

/* To all of a command that has a process group of its own. */
static bool has_group(pid_t pid)
{
	return getpgid(pid) == pid && getpgrp() != pid;
}

static void send_on(int sig)
{
	pid_t pid = (pid_t)forward_pid;
	siginfo_t info;

	/*
	 * Is it our child, and nobody has waited for it? Then its number cannot be another's: the
	 * library waits for it in the thread that handles signals.
	 */
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0)
		(void)kill(has_group(pid) ? -pid : pid, sig);
}

static void pass_on(int sig, const siginfo_t *info)
{
	int saved = errno;

	/*
	 * SI_KERNEL: from the terminal, which has sent it to the command as well, also just before
	 * exec, unless that has a group of its own.
	 */
	if (info->si_code > 0 && (forward_pid <= 0 || !has_group((pid_t)forward_pid)))
		return;
	if (forward_pid > 0)
		send_on(sig);
	else
		is_held[sig] = 1;
	errno = saved;
}

static void on_stop(int sig, siginfo_t *info, void *context)
{
	(void)context;
	/* From the terminal (SI_KERNEL) it asks for an end all the same. */
	if (sig == SIGHUP && is_hangup_kept && info->si_code <= 0) {
		has_hangup = 1;
		return;
	}
	if (!stop_signal)
		stop_signal = sig;
	pass_on(sig, info);
}

static void on_other(int sig, siginfo_t *info, void *context)
{
	(void)context;
	pass_on(sig, info);
}

/*
 * Writing then fails with EPIPE or EFBIG, which is reported where it happens. Not SIG_IGN: the
 * command would inherit that.
 */
static void on_failed_write(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
}

static void take(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags }, old;

	/* nohup(1) and shells that start jobs in the background have their reasons. */
	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
		return;
	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

void cli_signals_limits(void)
{
	take(SIGXFSZ, on_failed_write, SA_RESTART);
}

void cli_signals_init(void)
{
	/* No SA_RESTART: waits are to return so that the end can be seen. */
	for (size_t i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
		take(stop_signals[i], on_stop, 0);
	for (size_t i = 0; i < sizeof(pass_signals) / sizeof(pass_signals[0]); i++)
		take(pass_signals[i], on_other, SA_RESTART);
	take(SIGPIPE, on_failed_write, SA_RESTART);
	/*
	 * Who started us may ignore it and hand that on; then the kernel would reap the command
	 * before we can.
	 */
	(void)signal(SIGCHLD, SIG_DFL);
}

void cli_signals_forward(pid_t pid)
{
	forward_pid = pid;
	for (int sig = 1; pid && sig < NSIG; sig++) {
		if (!is_held[sig])
			continue;
		is_held[sig] = 0;
		send_on(sig);
	}
}

void cli_signals_drop_held(void)
{
	for (int sig = 1; sig < NSIG; sig++)
		is_held[sig] = 0;
}

int cli_signals_stop(void)
{
	return stop_signal;
}

void cli_signals_keep_hangup(bool is_on)
{
	is_hangup_kept = is_on;
}

bool cli_signals_took_hangup(void)
{
	bool had = has_hangup;

	has_hangup = 0;
	return had;
}

void cli_signals_interrupt(bool is_on)
{
	is_interrupting = is_on;
}

/* What is blocked comes later; whoever started us may have blocked it as well, for good. */
static bool is_waiting(void)
{
	sigset_t pending;

	if (!blocked.is_on || sigpending(&pending))
		return false;
	for (size_t i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
		if (sigismember(&pending, stop_signals[i]) &&
		    !sigismember(&blocked.before, stop_signals[i]))
			return true;
	return false;
}

int cli_signals_interrupted(void *arg)
{
	(void)arg;
	return is_interrupting && (stop_signal || is_waiting());
}

void cli_signals_block(sigset_t *old)
{
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < sizeof(stop_signals) / sizeof(stop_signals[0]); i++)
		sigaddset(&mask, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &mask, old);
	blocked.before = *old;
	blocked.is_on = true;
}

void cli_signals_unblock(const sigset_t *old)
{
	blocked.is_on = false;
	sigprocmask(SIG_SETMASK, old, NULL);
}

void cli_signals_die(int sig)
{
	struct rlimit none = { 0, 0 };
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t mask;

	/* The command has dumped its core; one of ntime would overwrite it. */
	setrlimit(RLIMIT_CORE, &none);
	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, sig);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	kill(getpid(), sig);
}
