// SPDX-License-Identifier: MIT
/*
 * Sessions on registers that somebody else writes meanwhile, and registers that fail at a bad
 * moment: no number is made of what he did, what is his stays, and what can be counted still is.
 */
#include <errno.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "count/tests/session/fake_boxes.h"

#define SECOND_NS 1000000000ull

static struct ntime_session *start(struct fake_boxes *f, const char *list)
{
	struct ntime_session *s;

	fake_boxes_init(f, false);
	if (fake_boxes_open(&f->ctx, "0", 0, NTIME_VIA_AUTO, list, &s) < 0 ||
	    ntime_session_start(s) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
	return s;
}

static void end(struct fake_boxes *f, struct ntime_session *s)
{
	ntime_session_free(s);
	fake_boxes_fini(f);
}

static void read_all(struct fake_boxes *f, struct ntime_session *s, struct ntime_value *v)
{
	if (ntime_session_read(s, v, ntime_session_count(s)) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
}

/*
 * A counter that was stopped stands, whatever else failed: the time after that is not time in which
 * it counted.
 */
TEST(stopping_fails)
{
	unsigned int at, failures = 0;
	int ret = -1;

	for (at = 1; ret < 0 || !failures; at++) {
		struct fake_boxes f;
		struct ntime_session *s;
		struct ntime_value v;

		s = start(&f, THROTTLED);
		fake_boxes_work(&f, 0, 1000, 1000, 0);
		f.now_ns += SECOND_NS;
		f.accesses = 0;
		f.fail_from = f.fail_to = at;
		f.fail_with = -EIO;
		ret = ntime_session_stop(s);
		failures += ret < 0;
		f.fail_from = f.fail_to = 0;
		fake_boxes_work(&f, 0, 500, 500, 0);
		f.now_ns += SECOND_NS;
		read_all(&f, s, &v);
		TT_IS(v.count == 1000 || v.count == 1500, 1);
		TT_IS(v.counted_ns / SECOND_NS, v.count == 1000 ? 1 : 2);
		end(&f, s);
	}
}

/* 12 events on 8 counters. */
#define MANY                                                                                       \
	"{" THROTTLED "," CORE0 "}," THROTTLED "," CORE0 "," THROTTLED "," CORE0 "," THROTTLED     \
	"," CORE0 "," THROTTLED "," CORE0 "," THROTTLED "," CORE0
#define MANY_COUNT 12

static void advance(struct fake_boxes *f)
{
	fake_boxes_work(f, 0, 1000, 500, 7);
	f->now_ns += 10000000;
}

/*
 * Who took one counter has that one; the events that were on it say so, and the others go on taking
 * turns.
 */
TEST(turns_without_a_counter)
{
	struct ntime_value v[MANY_COUNT];
	struct fake_boxes f;
	struct ntime_session *s;
	unsigned int turn, lost = 0;
	size_t i;

	s = start(&f, MANY);
	for (turn = 0; turn < 20; turn++) {
		advance(&f);
		if (turn == 3)
			f.silicon.uncore[0].select[3] = 0x400981;
		read_all(&f, s, v);
	}
	for (i = 0; i < MANY_COUNT; i++) {
		lost += v[i].flags & NTIME_LOST ? 1 : 0;
		if (!(v[i].flags & NTIME_LOST))
			TT_IS(v[i].count, i % 2 ? 70 : 5000);
	}
	TT_IS(lost >= 1, 1);
	TT_IS(lost <= 2, 1);
	ntime_session_free(s);
	TT_IS(f.silicon.uncore[0].select[3], 0x400981);
	fake_boxes_fini(&f);
}

/* One access that fails costs no more than a turn. */
TEST(turning_fails)
{
	unsigned int at, failures = 0;
	int ret = -1;

	for (at = 1; ret < 0 || !failures; at++) {
		struct ntime_value v[MANY_COUNT];
		struct fake_boxes f;
		struct ntime_session *s;
		unsigned int turn;
		uint64_t total = 0;
		size_t i;

		s = start(&f, MANY);
		advance(&f);
		f.accesses = 0;
		f.fail_from = f.fail_to = at;
		f.fail_with = -EIO;
		ret = ntime_session_read(s, v, MANY_COUNT);
		failures += ret < 0;
		f.fail_from = f.fail_to = 0;
		for (turn = 0; turn < 20; turn++) {
			read_all(&f, s, v);
			advance(&f);
		}
		for (i = 0; i < MANY_COUNT; i++) {
			TT_IS(v[i].flags & NTIME_LOST, 0);
			total += v[i].count;
		}
		/* 19 more in turns of 8 and 4 of the events. */
		TT_IS(total >= 19 * 507 * 6 / 2, 1);
		end(&f, s);
	}
	TT_IS(failures > 10, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopping_fails),
		cmocka_unit_test(turns_without_a_counter),
		cmocka_unit_test(turning_fails),
	};

	return TT_RUN(tests);
}
