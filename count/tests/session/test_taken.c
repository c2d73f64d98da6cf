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

#define THROTTLED "uncore/event=0x67,umask=0x1/"

static struct ntime_session *session(struct fake_boxes *f, uint32_t via, const char *list)
{
	const struct ntime_target target = {
		.size = sizeof(target), .kind = NTIME_TARGET_CPUS, .cpus = "0", .via = via
	};
	struct ntime_session *s;

	TT_IS(ntime_session_new(&f->ctx, &target, &s), 0);
	TT_IS(ntime_session_add_list(s, list), 0);
	if (ntime_session_open(s) < 0 || ntime_session_start(s) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
	return s;
}

static void read_all(struct fake_boxes *f, struct ntime_session *s, struct ntime_value *v)
{
	if (ntime_session_read(s, v, ntime_session_count(s)) < 0)
		fail_msg("%s", ntime_error_text(&f->ctx));
}

/* As many throttled clocks in package 0. */
static void throttle(struct fake_boxes *f, uint64_t clocks)
{
	const struct ntm_nhm_work w = { .clocks = clocks, .memory_throttled = clocks };

	ntm_nhm_uncore_advance(&f->silicon.uncore[0], &w);
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

		fake_boxes_init(&f, false);
		s = session(&f, NTIME_VIA_AUTO, THROTTLED);
		throttle(&f, 1000);
		f.now_ns += SECOND_NS;
		f.accesses = 0;
		f.fail_from = f.fail_to = at;
		f.fail_with = -EIO;
		ret = ntime_session_stop(s);
		failures += ret < 0;
		f.fail_from = f.fail_to = 0;
		throttle(&f, 500);
		f.now_ns += SECOND_NS;
		read_all(&f, s, &v);
		TT_IS(v.count == 1000 || v.count == 1500, 1);
		TT_IS(v.counted_ns / SECOND_NS, v.count == 1000 ? 1 : 2);
		ntime_session_free(s);
		fake_boxes_fini(&f);
	}
}

#define CORE0 "uncore/event=0x81,umask=0x1/"
/* 12 events on 8 counters. */
#define MANY                                                                                       \
	"{" THROTTLED "," CORE0 "}," THROTTLED "," CORE0 "," THROTTLED "," CORE0 "," THROTTLED     \
	"," CORE0 "," THROTTLED "," CORE0 "," THROTTLED "," CORE0
#define MANY_COUNT 12

static void advance(struct fake_boxes *f)
{
	const struct ntm_nhm_work w = { .clocks = 1000,
					.memory_throttled = 500,
					.core_throttled = { 7 } };

	ntm_nhm_uncore_advance(&f->silicon.uncore[0], &w);
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

	fake_boxes_init(&f, false);
	s = session(&f, NTIME_VIA_AUTO, MANY);
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

		fake_boxes_init(&f, false);
		s = session(&f, NTIME_VIA_AUTO, MANY);
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
		ntime_session_free(s);
		fake_boxes_fini(&f);
	}
	TT_IS(failures > 10, 1);
}

/* What somebody has taken since the last look goes on counting when the session ends. */
TEST(freed_while_others_count)
{
	struct ntime_value v;
	struct fake_boxes f;
	struct ntime_session *s;

	fake_boxes_init(&f, false);
	s = session(&f, NTIME_VIA_AUTO, THROTTLED);
	read_all(&f, s, &v);
	f.silicon.uncore[0].select[7] = 0x400981;
	f.silicon.uncore[0].global_ctrl = 0x1000000ff;
	ntime_session_free(s);
	TT_IS(f.silicon.uncore[0].select[7], 0x400981);
	TT_IS(f.silicon.uncore[0].global_ctrl, 0x1000000ff);
	fake_boxes_fini(&f);
}

/* The same with a core PMU, which msr keeps nobody away from, and behind the last look at it. */
TEST(core_freed_while_others_count)
{
	struct ntime_value v[2];
	struct fake_boxes f;
	struct ntime_session *s;
	unsigned int i;

	fake_boxes_init(&f, false);
	s = session(&f, NTIME_VIA_MSR, "cpu/event=0xc0/,cpu/event=0xc4/");
	read_all(&f, s, v);
	TT_IS(ntime_session_stop(s), 0);
	for (i = 0; i < 4; i++)
		TT_IS(ntm_x86_pmu_wrmsr(&f.silicon.pmu[0], 0x186 + i, 0x5300c4), 0);
	ntime_session_free(s);
	for (i = 0; i < 4; i++)
		TT_IS(f.silicon.pmu[0].select[i], 0x5300c4);
	fake_boxes_fini(&f);
}

#define READS "uncore_imc_0/event=0x04,umask=0x03/"

static const struct written_row {
	int line;
	const char *event;
	uint64_t
		/* that somebody writes into the counter, with and without flags of overflow */
		value;
} written_rows[] = {
	{ __LINE__, THROTTLED, 0 },
	{ __LINE__, THROTTLED, 0xfffffff00000 },
	{ __LINE__, READS, 0 },
	{ __LINE__, READS, 0xfffffff00000 },
};

/* More than can have been counted since the last look was not counted. */
TEST(counters_written)
{
	TT_FOR_EACH_ROW(r, written_rows) {
		const uint64_t cas[NTM_SNBEP_IMC_CAS_KINDS] = { [NTM_SNBEP_IMC_READ] = 5000 };
		struct ntime_value v;
		struct fake_boxes f;
		struct ntime_session *s;
		unsigned int again;

		fake_boxes_init(&f, false);
		s = session(&f, NTIME_VIA_AUTO, r->event);
		throttle(&f, 5000);
		ntm_snbep_imc_advance(&f.silicon.imc[0][0], 40000, cas);
		f.now_ns += 10000000;
		read_all(&f, s, &v);
		TT_EQ(r, v.count, 5000);
		TT_EQ(r, v.flags, 0);
		f.silicon.uncore[0].count[7] = r->value;
		ntm_pci_config_put(&f.silicon.imc[0][0].config, 0xa0 + 8 * 3, 8, r->value);
		for (again = 0; again < 2; again++) {
			f.now_ns += 10000000;
			read_all(&f, s, &v);
			TT_EQ(r, v.count, 5000);
			TT_EQ(r, v.flags, NTIME_LOST);
		}
		ntime_session_free(s);
		fake_boxes_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopping_fails),
		cmocka_unit_test(turns_without_a_counter),
		cmocka_unit_test(turning_fails),
		cmocka_unit_test(freed_while_others_count),
		cmocka_unit_test(core_freed_while_others_count),
		cmocka_unit_test(counters_written),
	};

	return TT_RUN(tests);
}
