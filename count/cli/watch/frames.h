/* SPDX-License-Identifier: MIT */
/* ntime watch --frames: shows frames that another process stores in a ring. */
#ifndef CLI_WATCH_FRAMES_H
#define CLI_WATCH_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/frame.h>

#include "count/cli/report/wide.h"

struct cli_watch;

/* Frames beside each other on a screen; lines have one at a time. */
#define CLI_WATCH_FRAMES 8

/**
 * struct cli_watch_frames - the ring, and the frames that the rows tell of
 * @number:	of each row
 * @value:	of each row, with the frames that they are of
 * @next:	that is to be shown
 * @begin_ns, @frame_begin_ns: of the oldest one there was at first, and of the last one taken
 * @lost:	overwritten before they could be read
 * @item, @wide: of CSV, which has a row a frame
 */
struct cli_watch_frames {
	struct ntime_frame_ring *ring;
	uint64_t number[CLI_WATCH_FRAMES];
	struct ntime_frame_value *value;
	uint64_t next, begin_ns, frame_begin_ns, lost;
	struct ntime_item *item;
	struct cli_wide wide;
};

/* Open the ring of the options, and wait for its first frame. 0, or -errno after a sentence. */
int cli_watch_frames_prepare(struct cli_watch *w);
/* Show frames until it ends. 0, or -errno: after a sentence, or the output is gone. */
int cli_watch_frames_run(struct cli_watch *w);
/*
 * How the ring ended, and what was lost: 0, or CLI_EXIT_FAILED after a sentence: the frames do not
 * go to the end.
 */
int cli_watch_frames_say_end(const struct cli_watch *w);
void cli_watch_frames_fini(struct cli_watch *w);

#endif
