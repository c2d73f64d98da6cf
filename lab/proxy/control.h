/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A stream over which somebody tells served devices what happened and asks what they know: a pipe
 * from the runner, or a serial line of the guest. One command a line, one line of answer, "ok ..."
 * or "error: ...":
 *
 *     echo TEXT...              ok TEXT...          find out where in the stream you are
 *     list                      ok NAME=KIND:STATE ...   STATE is waiting, plugged or gone
 *     count NAME WHAT NUMBER    ok                  NUMBER more of WHAT happened (reads, clocks,
 *                                                   ticks, ...)
 *     truth NAME                ok WHAT=NUMBER ...  all it was told, then what its counters hold
 *     VERB NAME WORD...         ok ANSWER           a command of the kind's own: play card 5
 */
#ifndef NTM_PROXY_CONTROL_H
#define NTM_PROXY_CONTROL_H

#include "lab/proxy/proxy.h"

#define NTM_CONTROL_LINE_BYTES 256

struct ntm_control {
	struct ntm_proxy *devices; /* borrowed */
	size_t device_count;
	int in, out; /* the caller's; in is -1 after the stream has ended */
	char line[NTM_CONTROL_LINE_BYTES];
	size_t have;
	bool is_too_long; /* the line that is arriving does not fit and is skipped */
};

/* Answer to the command @line, without newline, in @text. */
void ntm_control_answer(struct ntm_control *c, const char *line, char *text, size_t bytes);

/*
 * Take what has arrived and answer it: 1 while the stream lasts, 0 when it has ended, which is no
 * error. Call it when readable.
 */
int ntm_control_receive(struct ntm_control *c);

#endif
