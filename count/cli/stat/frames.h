/* SPDX-License-Identifier: MIT */
/*
 * ntime stat --frames: a command says where its frames end, and a ring gets what was counted in
 * each.
 *
 * The command has a descriptor, whose number is in its environment (CLI_FRAMES_VARIABLE). It writes
 * a byte there at the end of a frame, and reads one, which comes when the frame is stored: between
 * the two it does nothing that would be counted in the next one.
 */
#ifndef CLI_STAT_FRAMES_H
#define CLI_STAT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <ntime/frame.h>

#include "base/output/whole.h"

#define CLI_FRAMES_VARIABLE "NTIME_FRAME_FD"
/*
 * Frames that the ring keeps: what who looks ten times a second needs at 10,000 frames a second. An
 * event takes 64 KiB.
 */
#define CLI_FRAMES_DEPTH 1024

/**
 * struct cli_frames - zeroed: there are none
 * @path:	of the ring, the command line's
 * @clock:	NULL: not begun, or it has failed
 * @ours, @theirs: both ends of what the command writes to
 * @pidfd:	readable when the command has ended
 * @n:		frames that ended
 * @has_failed:	a sentence was printed; the command goes on, and gets its answers
 */
struct cli_frames {
	const char *path;
	struct ntime_ctx *ctx;
	struct ntime_frames *clock;
	struct cli_whole file;
	bool has_file;
	int ours, theirs, pidfd;
	uint64_t n;
	bool has_failed;
};

/*
 * Begin the file of a ring, which becomes visible by cli_whole_end(). 0 or -errno after a sentence;
 * cli_whole_drop() in either case.
 */
int cli_frames_file_begin(struct cli_whole *w, const char *path);

/*
 * Before the command is forked: what it inherits. 0 or -errno after a sentence; cli_frames_fini()
 * in either case, here and below.
 */
int cli_frames_init(struct cli_frames *f, struct ntime_ctx *ctx, const char *path);
/*
 * Before command @pid is started: make the ring of @s, which is open. 0 or -errno after a sentence.
 */
int cli_frames_begin(struct cli_frames *f, struct ntime_session *s, pid_t pid);
/* The command runs: its ring gets its name. 0 or -errno after a sentence. */
int cli_frames_show(struct cli_frames *f);
/*
 * End frames as the command says, until it has ended or @left_ns are over (UINT64_MAX: never). 0 or
 * -EINTR. What fails is told, and @f->has_failed.
 */
int cli_frames_wait(struct cli_frames *f, uint64_t left_ns);
/* No further frame comes; that none came is told. */
void cli_frames_end(struct cli_frames *f);
void cli_frames_fini(struct cli_frames *f);

#endif
