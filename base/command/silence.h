/* SPDX-License-Identifier: MIT */
/* For a while, what is started reads nothing, and what it writes goes nowhere. */
#ifndef CLI_BASE_SILENCE_H
#define CLI_BASE_SILENCE_H

/**
 * struct cli_silence - what the three standard descriptors were
 * @fd:		copies of them, -1 for one that was not open
 */
struct cli_silence {
	int fd[3];
};

/* 0, or -errno; everything is as before then. */
int cli_silence_begin(struct cli_silence *s);
void cli_silence_end(struct cli_silence *s);

#endif
