// SPDX-License-Identifier: MIT
/* Frames of a ring in place of samples of a session. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command/cut.h"
#include "base/command/signals.h"
#include "base/command/wait.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "count/cli/watch/frames.h"
#include "count/cli/watch/watch.h"

static int say_cut(const struct cli_watch *w)
{
	cli_say("%s was cut short: start it anew", w->o.frames);
	return -EBADMSG;
}

static int open_ring(struct cli_watch *w)
{
	int fd = open(w->o.frames, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;

	if (fd < 0) {
		ret = -errno;
		cli_say("cannot read %s: %s", w->o.frames, strerror(-ret));
		return ret;
	}
	cli_cut_survive();
	ret = ntime_frame_ring_open(w->ctx, fd, &w->frames.ring);
	(void)close(fd);
	if (cli_cut_happened())
		return say_cut(w);
	if (ret < 0)
		cli_say("%s: %s", w->o.frames,
			*ntime_error_text(w->ctx) ? ntime_error_text(w->ctx) : strerror(-ret));
	return ret;
}

/* -errno after a sentence: the file was cut short meanwhile. */
static int look(const struct cli_watch *w, struct ntime_frame_ring_info *info)
{
	int ret;

	*info = (struct ntime_frame_ring_info){ .size = sizeof(*info) };
	ret = ntime_frame_ring_get_info(w->frames.ring, info);
	return ret < 0 || cli_cut_happened() ? say_cut(w) : 0;
}

/* Which items there are shows in the values of a frame. 1: there is none, and none will come. */
static int wait_for_first(struct cli_watch *w, struct ntime_frame_ring_info *info)
{
	for (;;) {
		int ret = look(w, info);

		if (ret < 0)
			return ret;
		if (info->next || info->state != NTIME_FRAMES_RUNNING)
			return !info->next;
		if (cli_watch_pause(w, cli_now_ns() + w->o.interval_ns) || cli_signals_stop())
			return 1;
	}
}

static void alloc_rows(struct cli_watch *w, size_t items)
{
	w->rows = (struct cli_rows){ .per = CLI_PER_FRAME, .items = items };
	w->rows.row = cli_calloc(CLI_WATCH_FRAMES, sizeof(*w->rows.row));
	w->rows.value = cli_calloc(CLI_WATCH_FRAMES * items, sizeof(*w->rows.value));
	w->frames.value = cli_calloc(CLI_WATCH_FRAMES * items, sizeof(*w->frames.value));
}

/*
 * Frame @number into row @row. 0; -ESTALE: it was overwritten; other -errno after a sentence.
 */
static int take_frame(struct cli_watch *w, uint64_t number, size_t row,
		      const struct ntime_frame_ring_info *info)
{
	struct ntime_frame frame = { .size = sizeof(frame) };
	size_t at = row * w->rows.items;
	int ret = ntime_frame_read(w->frames.ring, number, &frame, &w->frames.value[at],
				   w->rows.items);

	if (cli_cut_happened())
		return say_cut(w);
	if (ret == -ESTALE)
		return ret;
	if (ret < 0) {
		cli_say("%s cannot be read any more: %s", w->o.frames, strerror(-ret));
		return ret;
	}
	for (size_t i = 0; i < w->rows.items; i++)
		w->rows.value[at + i] = w->frames.value[at + i].value;
	w->rows.row[row] =
		(struct cli_row){ .kind = CLI_ROW_MACHINE, .package = -1, .core = -1, .cpu = -1 };
	snprintf(w->rows.row[row].name, sizeof(w->rows.row[row].name), "frame %" PRIu64, number);
	w->frames.number[row] = number;
	w->frames.frame_begin_ns = frame.begin_ns;
	w->sampler.number = number;
	w->period_ns = frame.end_ns - frame.begin_ns;
	w->at_ns = frame.end_ns - w->frames.begin_ns;
	w->wall_ns = frame.end_ns + info->wall_offset_ns;
	return 0;
}

static void make_wide(struct cli_watch *w)
{
	struct cli_watch_frames *f = &w->frames;

	f->item = cli_calloc(w->items.n + 1, sizeof(*f->item));
	for (size_t i = 0; i < w->items.n; i++) {
		f->item[i] = w->items.item[i].info;
		f->item[i].name = w->items.item[i].name;
		f->item[i].is_hidden = !w->items.item[i].is_shown;
	}
	cli_wide_init(&f->wide, f->item, w->items.n);
}

/* Who is overtaken so often reads no frame at all, or the ring is damaged. */
#define PREPARE_TRIES 100

int cli_watch_frames_prepare(struct cli_watch *w)
{
	struct ntime_frame_ring_info info;
	int ret = open_ring(w);

	if (ret < 0)
		return ret;
	ret = look(w, &info);
	if (ret < 0)
		return ret;
	alloc_rows(w, info.items);
	ret = wait_for_first(w, &info);
	if (ret > 0 && !cli_signals_stop())
		cli_say("%s has no frame, and none will come", w->o.frames);
	if (ret)
		return ret < 0 ? ret : -ENODATA;
	/* The oldest one says when all began, the newest one what there is. */
	for (unsigned int i = 0; i < PREPARE_TRIES; i++) {
		w->frames.next = info.oldest;
		ret = take_frame(w, info.oldest, 0, &info);
		w->frames.begin_ns = w->frames.frame_begin_ns;
		if (ret == 0)
			ret = take_frame(w, info.next - 1, 0, &info);
		if (ret != -ESTALE)
			break;
		if (look(w, &info) < 0)
			return -EBADMSG;
	}
	if (ret == -ESTALE)
		cli_say("%s is damaged, or frames are overwritten faster than they can be read",
			w->o.frames);
	if (ret < 0)
		return ret;
	w->rows.n = 1;
	w->ends_by_itself = info.state != NTIME_FRAMES_RUNNING;
	ret = cli_watch_items_of_ring(&w->items, w->frames.ring, w->rows.value, w->rows.items,
				      w->o.verbose);
	if (!ret && w->o.form == CLI_WATCH_CSV)
		make_wide(w);
	return ret;
}

static bool is_enough(const struct cli_watch *w)
{
	return cli_signals_stop() || w->out.error || (w->o.samples && w->shown >= w->o.samples);
}

static int show(struct cli_watch *w)
{
	w->shown++;
	return w->view->sample(w);
}

/* All frames that have come, one after the other. */
static int show_all(struct cli_watch *w, struct ntime_frame_ring_info *info)
{
	struct cli_watch_frames *f = &w->frames;
	uint64_t lost;
	int ret = 0;

	while (!ret && f->next < info->next && !is_enough(w)) {
		ret = take_frame(w, f->next, 0, info);
		if (ret == -ESTALE) {
			ret = look(w, info);
			lost = info->oldest > f->next ? info->oldest - f->next : 1;
			w->missed += lost;
			f->lost += lost;
			f->next += lost;
			continue;
		}
		f->next++;
		if (!ret)
			ret = show(w);
		w->missed = 0;
	}
	if (!ret && w->out.buffer)
		ret = cli_watch_out_flush(&w->out);
	return ret;
}

/* The newest frames beside each other, the newest one first. */
static int show_newest(struct cli_watch *w, const struct ntime_frame_ring_info *info)
{
	uint64_t there = info->next - info->oldest;
	size_t n = there < CLI_WATCH_FRAMES ? (size_t)there : CLI_WATCH_FRAMES;
	int ret = 0;

	if ((w->frames.next == info->next && w->shown) || !n)
		return 0;
	w->frames.next = info->next;
	w->rows.n = n;
	/* What is said of a sample as a whole is that of the newest, which comes last. */
	while (n-- > 0 && ret >= 0) {
		ret = take_frame(w, info->next - 1 - n, n, info);
		/* Overwritten meanwhile, and older than all that are shown. */
		if (ret == -ESTALE) {
			w->rows.n = n;
			ret = 0;
		}
	}
	return ret < 0 || !w->rows.n ? ret : show(w);
}

int cli_watch_frames_run(struct cli_watch *w)
{
	struct ntime_frame_ring_info info;
	int ret = 0;

	while (!is_enough(w)) {
		ret = look(w, &info);
		if (ret < 0)
			break;
		ret = w->out.buffer ? show_all(w, &info) : show_newest(w, &info);
		if (ret < 0 || is_enough(w) || info.state != NTIME_FRAMES_RUNNING)
			break;
		ret = cli_watch_pause(w, cli_now_ns() + w->o.interval_ns);
		if (ret)
			break;
	}
	return ret < 0 ? ret : 0;
}

int cli_watch_frames_say_end(const struct cli_watch *w)
{
	struct ntime_frame_ring_info info;

	if (w->frames.lost && !w->o.is_quiet)
		cli_say("%" PRIu64 " frames were overwritten before they could be read: a shorter "
			"-i looks more often",
			w->frames.lost);
	if (look(w, &info) < 0)
		return CLI_EXIT_FAILED;
	if (info.state != NTIME_FRAMES_LOST || is_enough(w))
		return 0;
	cli_say("process %" PRIu32 ", which stored the frames, died: nothing came since %s %s",
		info.pid, cli_stamp_day(info.wall_ns).text,
		cli_stamp_clock(info.wall_ns, true).text);
	return CLI_EXIT_FAILED;
}

void cli_watch_frames_fini(struct cli_watch *w)
{
	ntime_frame_ring_close(w->frames.ring);
	free(w->frames.value);
	cli_wide_fini(&w->frames.wide);
	free(w->frames.item);
	w->frames = (struct cli_watch_frames){ .ring = NULL };
}
