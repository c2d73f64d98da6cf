// SPDX-License-Identifier: MIT
/*
 * Frames on a graphics card that is a model: its scene is another one in each frame, and what each
 * number must be follows from the scene alone. Each access goes through the model's socket, so
 * there are fewer frames than on the PMU of test_frames.c, unless the first argument says how many.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>

#include <ntime/ntime.h>

#include "include/uapi/ntime_model.h"
#include "base/os/file.h"
#include "base/os/socket.h"
#include "lab/card/server.h"
#include "lab/card/truth.h"
#include "base/tests/tt.h"

#define DEPTH 8
#define MOST_EVENTS 6
#define PARTS 3

static uint32_t frames = 300;

/* Wires that one multiplexer leads out, which has one value at a time. */
static const char scene_text[] = "seed 11\n"
				 "frame\n"
				 "  gap 10-90\n"
				 "  clocks 1-200 prop_rop.2 prop_rop.3\n"
				 "  clocks 1-200 prop_out.7 prop_out.6\n"
				 "  clocks 1-200 prop_samples.7 prop_samples.6\n"
				 "  clocks 1-20 prop_earlyz.7 prop_earlyz.1 prop_earlyz.5\n"
				 "  clocks 1-20 prop_latez.7 prop_latez.0 prop_latez.4\n"
				 "  clocks 1-200 prop_shaded_a.1\n"
				 "  clocks 1-200 prop_shaded_b.1\n"
				 "  clocks 1-200 prop_shaded_c.1\n"
				 "between\n"
				 "  gap 5\n";

/* Each is a pass, but for the last one, which is a sum of three. */
static const struct card_event {
	const char *name;
	const char *part[PARTS];
} card_events[MOST_EVENTS] = {
	{ "gpu0/rop_busy/", { "rop_busy" } },
	{ "gpu0/rasterizer_pixels_out_count.0/", { "rasterizer_pixels_out_count.0" } },
	{ "gpu0/rop_samples_in_count.0/", { "rop_samples_in_count.0" } },
	{ "gpu0/rop_samples_killed_by_earlyz_count/", { "rop_samples_killed_by_earlyz_count" } },
	{ "gpu0/rop_samples_killed_by_latez_count/", { "rop_samples_killed_by_latez_count" } },
	{ "gpu0/shaded_pixel_count.0/",
	  { "!prop_shaded_a.0 & prop_shaded_a.1 & !prop_shaded_a.2",
	    "!prop_shaded_b.0 & prop_shaded_b.1 & !prop_shaded_b.2",
	    "!prop_shaded_c.0 & prop_shaded_c.1 & !prop_shaded_c.2" } },
};

static const struct pass_row {
	int line;
	size_t singles;
	bool has_sum;
	unsigned int passes;
} pass_rows[] = {
	{ __LINE__, 1, false, 1 }, { __LINE__, 2, false, 2 }, { __LINE__, 3, false, 3 },
	{ __LINE__, 4, false, 4 }, { __LINE__, 5, false, 5 }, { __LINE__, 3, true, 6 },
	{ __LINE__, 4, true, 7 },  { __LINE__, 5, true, 8 },
};

/* A card that is served by a thread, and somebody who lets it work. */
struct rig {
	struct ntm_scene *scene;
	struct ntm_server *server;
	pthread_t thread;
	int end[2];
	int player;
	char folder[32], path[64];
	struct ntime_ctx *ctx;
};

static void *serve(void *arg)
{
	struct rig *r = arg;

	return (void *)(intptr_t)ntm_server_run(r->server, r->end[0]);
}

static void open_rig(struct rig *r)
{
	static const uint32_t all[NTM_NV50_KINDS];
	struct ntime_model_hello hello;
	struct ntime_options options = { .size = sizeof(options) };
	char why[256] = "";

	*r = (struct rig){ .folder = "/tmp/ntime-frames-XXXXXX" };
	assert_non_null(mkdtemp(r->folder));
	(void)snprintf(r->path, sizeof(r->path), "%s/card", r->folder);
	TT_IS(ntm_scene_parse("scene", scene_text, strlen(scene_text),
			      nthw_nv_chip_by_name("GT218"), &r->scene, why, sizeof(why)),
	      0);
	TT_IS(ntm_server_new(r->scene, all, r->path, &r->server), 0);
	TT_IS(nti_file_pipe(r->end), 0);
	TT_IS(pthread_create(&r->thread, NULL, serve, r), 0);
	r->player = nti_socket_open(r->path, &hello);
	assert_true(r->player >= 0);
	nti_socket_wait(r->player);
	options.model = r->path;
	TT_IS(ntime_open(&r->ctx, &options), 0);
}

static void close_rig(struct rig *r)
{
	void *ret;

	ntime_close(r->ctx);
	nti_socket_close(r->player);
	nti_file_poke(r->end[1]);
	TT_IS(pthread_join(r->thread, &ret), 0);
	TT_IS((intptr_t)ret, 0);
	ntm_server_free(r->server);
	ntm_scene_free(r->scene);
	nti_file_close(r->end[0]);
	nti_file_close(r->end[1]);
	(void)rmdir(r->folder);
}

/* The card's frames are numbered from 1. */
static void play(struct rig *r, uint64_t number)
{
	const struct ntime_model_request request = { .kind = NTIME_MODEL_TEXT };
	char command[32], answer[NTIME_MODEL_TEXT_BYTES + 1];

	(void)snprintf(command, sizeof(command), "frame %" PRIu64, number + 1);
	if (nti_socket_ask(r->player, &request, command, NULL, answer, sizeof(answer)) < 0)
		fail_msg("%s: %s", command, answer);
}

static uint64_t truth_of(const struct rig *r, const char *what, uint64_t number)
{
	char why[256] = "";
	uint64_t clocks = 0;

	if (ntm_truth(what, r->scene, "", (uint32_t)number + 1, (uint32_t)number + 1, 0, &clocks,
		      why, sizeof(why)) < 0)
		fail_msg("%s", why);
	return clocks;
}

/*
 * Its parts are of three frames one after the other, in the order of the passes, which is not told.
 */
static bool is_sum_of_frames(const struct rig *r, const struct card_event *e, uint64_t count,
			     uint64_t first)
{
	static const unsigned int orders[][PARTS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
						      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	size_t i, k;

	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		uint64_t sum = 0;

		for (k = 0; k < PARTS; k++)
			sum += truth_of(r, e->part[orders[i][k]], first + k);
		if (sum == count)
			return true;
	}
	return false;
}

/* A busy machine reads so late that a counter could have been full: that is not known here. */
#define MAY_BE (NTIME_SIMULATED | NTIME_OVERFLOWED)

static void check(const struct rig *r, const struct card_event *e, const struct ntime_item *item,
		  const struct ntime_frame_value *v, uint64_t n, unsigned int passes)
{
	unsigned int parts = e->part[1] ? PARTS : 1;
	uint64_t last = n - (n + passes - item->pass) % passes;

	if (n < item->pass) {
		TT_IS(v->value.flags & NTIME_NOT_COUNTED, NTIME_NOT_COUNTED);
		return;
	}
	TT_IS(v->value.flags & ~MAY_BE, 0);
	TT_IS(v->last, last);
	TT_IS(v->first, last + 1 - parts);
	if (parts == 1)
		TT_IS(v->value.count, truth_of(r, e->part[0], last));
	else
		assert_true(is_sum_of_frames(r, e, v->value.count, v->first));
}

/* All frames of a session with these events; a sum over what was read. */
static uint64_t run(const struct pass_row *row)
{
	const struct ntime_target target = { .size = sizeof(target), .flags = NTIME_BY_PASS };
	struct ntime_item item[MOST_EVENTS];
	struct ntime_frame_value v[MOST_EVENTS];
	const struct card_event *event[MOST_EVENTS];
	struct ntime_session *s;
	struct ntime_frames *f;
	struct rig r;
	size_t i, n = 0;
	uint64_t number, back, sum = 0;

	open_rig(&r);
	TT_IS(ntime_session_new(r.ctx, &target, &s), 0);
	for (i = 0; i < row->singles; i++)
		event[n++] = &card_events[i];
	if (row->has_sum)
		event[n++] = &card_events[MOST_EVENTS - 1];
	for (i = 0; i < n; i++)
		TT_IS(ntime_session_add(s, event[i]->name, NULL), 0);
	TT_IS(ntime_session_start(s), 0);
	TT_EQ(row, ntime_session_passes(s), row->passes);
	for (i = 0; i < n; i++) {
		item[i].size = sizeof(item[i]);
		TT_IS(ntime_session_item(s, i, &item[i]), 0);
	}
	TT_IS(ntime_frames_new(s, DEPTH, -1, &f), 0);
	for (number = 0; number < frames; number++) {
		play(&r, number);
		TT_IS(ntime_frame_end(f, NULL), 0);
		TT_IS(ntime_frame_read(ntime_frames_ring(f), number + 1, NULL, v, n), -EAGAIN);
		if (number >= DEPTH)
			TT_IS(ntime_frame_read(ntime_frames_ring(f), number - DEPTH, NULL, v, n),
			      -ESTALE);
		back = number % DEPTH;
		TT_IS(ntime_frame_read(ntime_frames_ring(f), number - back, NULL, v, n), 0);
		for (i = 0; i < n; i++) {
			check(&r, event[i], &item[i], &v[i], number - back, row->passes);
			sum = sum * 31 + v[i].value.count + v[i].first * 7 + v[i].last * 3;
		}
	}
	ntime_frames_free(f);
	ntime_session_free(s);
	close_rig(&r);
	return sum;
}

TEST(every_number_is_of_its_frame)
{
	TT_FOR_EACH_ROW(row, pass_rows)
		TT_EQ(row, run(row), run(row));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_is_of_its_frame),
	};

	if (argc > 1)
		frames = (uint32_t)strtoul(argv[1], NULL, 10);
	return TT_RUN(tests);
}
