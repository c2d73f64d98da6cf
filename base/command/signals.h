/* SPDX-License-Identifier: MIT */
/*
 * What ntime does with signals while it measures.
 *
 * Ctrl-C and Ctrl-\ reach the command too, because the terminal sends them to the whole foreground
 * group, to a command that is held just before exec as well: ntime goes on and reports what was
 * counted. What was sent to ntime alone is passed on. The command is started with the handling that
 * ntime was started with: it has none of ntime's handlers, and what was ignored stays ignored.
 */
#ifndef CLI_BASE_SIGNALS_H
#define CLI_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Of the whole command: a write beyond the limit of file sizes (ulimit -f) fails instead of ending
 * it without a word.
 */
void cli_signals_limits(void);

/*
 * Take over SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE, except for those that are
 * ignored.
 */
void cli_signals_init(void);

/*
 * From now on pass signals on to @pid, a child that nobody has waited for yet, at once those that
 * came while there was nobody; 0: to nobody. Once it was waited for, they go nowhere, whoever has
 * its number then.
 */
void cli_signals_forward(pid_t pid);

/* What came while there was nobody to pass it on to goes to nobody. */
void cli_signals_drop_held(void);

/* The first signal that asked for an end (INT, QUIT, TERM, HUP), 0 when there was none. */
int cli_signals_stop(void);

/*
 * While @is_on, SIGHUP from a program asks for no end: cli_signals_took_hangup() says once that it
 * came.
 */
void cli_signals_keep_hangup(bool is_on);
bool cli_signals_took_hangup(void);

/*
 * While @is_on, a signal that asks for an end interrupts what the library prepares:
 * cli_signals_interrupted() is its struct ntime_options, @interrupt, and tells of the signal then.
 */
void cli_signals_interrupt(bool is_on);
int cli_signals_interrupted(void *arg);

/* Block those signals; @old gets the mask from before, to be used while waiting. */
void cli_signals_block(sigset_t *old);
void cli_signals_unblock(const sigset_t *old);

/* End ntime by @sig, without a core file. Returns only if the signal does not kill. */
void cli_signals_die(int sig);

#endif
