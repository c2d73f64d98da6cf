/* SPDX-License-Identifier: MIT */
/**
 * DOC: A command that is started after counters are attached
 */
#ifndef NTIME_COMMAND_H
#define NTIME_COMMAND_H

#include <stdint.h>
#include <sys/types.h>

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_command;
struct ntime_launcher;

/**
 * struct ntime_command_end - how a command ended, from wait4(2)
 * @status:	as wait(2) gives it: use WIFEXITED() and the like
 * @real_ns:	CLOCK_MONOTONIC from the call of exec to the moment at which the caller learned of
 *		the end; see ntime_session_take_times()
 * @user_ns:	CPU time in user mode, of the command and the children it waited for
 * @sys_ns:	CPU time in the kernel
 * @max_rss_bytes: largest resident set of one process, as wait4(2) reports it: it includes
 *	@max_rss_floor_bytes
 * @minor_faults, @major_faults, @voluntary_switches, @involuntary_switches: as getrusage(2)
 * @max_rss_floor_bytes: resident set of the child just before exec, when it was a copy of the
 *	caller; 0 if not known. The kernel carries it over exec into @max_rss_bytes, along with the
 *	pages that the way into exec needs (0.1 to 0.4 MiB were measured). Where
 *	@max_rss_bytes is not more than 1 MiB larger, it is only an upper bound of what the command
 *	needed
 * @in_blocks, @out_blocks: of 512 bytes, which it had read from and written to block devices
 *	(getrusage(2)); 0 also where the kernel has no CONFIG_TASK_IO_ACCOUNTING
 */
struct ntime_command_end {
	uint32_t size;
	int32_t status;
	uint64_t real_ns;
	uint64_t user_ns;
	uint64_t sys_ns;
	uint64_t max_rss_bytes;
	uint64_t minor_faults;
	uint64_t major_faults;
	uint64_t voluntary_switches;
	uint64_t involuntary_switches;
	uint64_t max_rss_floor_bytes;
	uint64_t in_blocks;
	uint64_t out_blocks;
	uint64_t reserved[1];
};

/**
 * ntime_command_new() - fork a child that is held just before exec
 * @ctx:	context, for the error's sentence
 * @argv:	NULL-terminated; argv[0] is looked up in PATH
 * @out:	the command; NULL on failure. Free with ntime_command_free()
 *
 * Return: 0, -EINVAL (no argv[0]), -ENOMEM, -EAGAIN and other errors of fork(2). Since 0.1.
 */
NTIME_API int ntime_command_new(struct ntime_ctx *ctx, char *const argv[],
				struct ntime_command **out);

/** ntime_command_pid() - the child, to be given to struct ntime_target */
NTIME_API pid_t ntime_command_pid(const struct ntime_command *c);

/**
 * ntime_command_start() - let it exec
 *
 * Return: 0, or exec's own error: -ENOENT (not found), -EACCES, -ENOEXEC, ... with a sentence. The
 * child is then reaped.
 */
NTIME_API int ntime_command_start(struct ntime_command *c);

/**
 * ntime_command_began_ns() - CLOCK_MONOTONIC when the command called exec, as it says itself
 *
 * 0 before ntime_command_start(). Since 0.1.
 */
NTIME_API uint64_t ntime_command_began_ns(const struct ntime_command *c);

/**
 * ntime_command_wait() - wait for the end
 * @c:		started command
 * @timeout_ns:	at most so long; UINT64_MAX: until the end; 0: only look
 * @end:	how it ended; @end->size must be set. Filled only when the result is 1
 *
 * Return: 1 ended, 0 time is over, -EINTR (a signal handler ran), -ECHILD; of a launcher's command
 * also exec's own error. Since 0.1.
 */
NTIME_API int ntime_command_wait(struct ntime_command *c, uint64_t timeout_ns,
				 struct ntime_command_end *end);

/** ntime_command_kill() - send @sig to the child if it still runs; 0 or -errno of kill(2) */
NTIME_API int ntime_command_kill(struct ntime_command *c, int sig);

/** ntime_command_free() - kill (SIGKILL) and reap what still runs, free; NULL is accepted */
NTIME_API void ntime_command_free(struct ntime_command *c);

/**
 * ntime_launcher_new() - fork a process that starts the same commands again and again
 * @ctx:	context, for the error's sentence
 * @argv:	of each of the @n commands, NULL-terminated; argv[i][0] is looked up in PATH at each
 *		start
 * @n:		commands; those that are compared must have one launcher, as two launchers differ
 * @out:	the launcher; NULL on failure. Free with ntime_launcher_free()
 *
 * A command of a launcher costs no copy of the caller: it shares the memory of the launcher until
 * exec. What its commands inherit (environment, working directory, signal mask, limits, open files)
 * is what the caller has now; the launcher, a child of the caller, keeps those files open.
 *
 * Return: 0, -EOPNOTSUPP (an emulator or a sandbox does not let it; use ntime_command_new()),
 * -EINVAL, -ENOMEM, -EAGAIN. Since 0.1.
 */
NTIME_API int ntime_launcher_new(struct ntime_ctx *ctx, char *const *const argv[], size_t n,
				 struct ntime_launcher **out);

/**
 * ntime_launcher_command() - as ntime_command_new(), of the launcher's command number @which
 *
 * One at a time, and the launcher must outlive it. Once it was started, errors of exec of those of
 * it that follow are ntime_command_wait()'s, and ntime_command_began_ns() is exact when they have
 * ended; before, it is when they were started.
 *
 * Return: 0, -EINVAL (@which), -EBUSY (the one before was not waited for), -EPIPE (the launcher was
 * killed), -ENOMEM, -EAGAIN. Since 0.1.
 */
NTIME_API int ntime_launcher_command(struct ntime_launcher *l, size_t which,
				     struct ntime_command **out);

/** ntime_launcher_free() - end it and free; NULL is accepted */
NTIME_API void ntime_launcher_free(struct ntime_launcher *l);

#ifdef __cplusplus
}
#endif
#endif
