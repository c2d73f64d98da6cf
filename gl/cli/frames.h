/* SPDX-License-Identifier: MIT */
/*
 * Frames of the program that ntime gl runs: it makes a ring for each of its drawables (struct
 * glp_wire_hello), and they are copied out of it while it runs.
 */
#ifndef CLI_GL_FRAMES_H
#define CLI_GL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ntime/frame.h>

#include "base/output/whole.h"
#include "gl/extension/wire.h"

/**
 * struct cli_gl_series - frames of a drawable
 * @fd:		the program makes the ring: what it says then; else -1
 * @file:	of the ring
 * @ring:	NULL: it is not there, or could not be made
 * @item:	@items of a frame
 * @frame:	@n of them, by number; those that were lost are left out
 * @value:	@items of each. What came some frames later stands in its own frame
 * @lost:	overwritten before they could be copied
 * @failed_at:	frame in which the driver could not swap; UINT64_MAX: none
 */
struct cli_gl_series {
	struct glp_wire_hello hello;
	int fd, file;
	struct ntime_frame_ring *ring;
	struct ntime_item *item;
	size_t items, n, room;
	struct ntime_frame *frame;
	struct ntime_value *value;
	struct ntime_frame_value *got;
	uint64_t next, lost, failed_at;
};

/**
 * struct cli_gl_frames - all of them
 * @answer:	what is counted
 * @path:	of the user's ring, or NULL; the first drawable that swaps has it
 * @hides_events: they are counted because a ring needs one: nobody has asked for them
 * @has_stranger: a process of another user wanted to tell of frames
 * @is_full:	there were more drawables than are looked at
 * @socket:	that programs connect to
 */
struct cli_gl_frames {
	struct ntime_ctx *ctx;
	struct glp_wire_answer answer;
	const char *path;
	struct cli_whole whole;
	bool has_whole, hides_events, has_stranger, is_full;
	int socket;
	struct cli_gl_series *series;
	size_t n;
};

/*
 * Before the program starts: what its environment tells it. 0 or -errno after a sentence;
 * cli_gl_frames_fini() in either case.
 */
int cli_gl_frames_begin(struct cli_gl_frames *f, struct ntime_ctx *ctx);
/* Copy frames until @pid, a child, has ended. 0 or -errno. */
int cli_gl_frames_follow(struct cli_gl_frames *f, pid_t pid);
void cli_gl_frames_fini(struct cli_gl_frames *f);

/* Value @item of the frame at place @i, or with SIZE_MAX its length in ns; NAN: it has none. */
double cli_gl_number(const struct cli_gl_series *s, size_t i, size_t item);

#endif
