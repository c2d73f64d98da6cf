// SPDX-License-Identifier: MIT
/*
 * Sessions on a graphics card: a place of its own, beginning and end, periods, lower bounds, and a
 * card that stands still or goes away. The card is made up (fake_card.h), the machine is this one.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/tests/session/fake_card.h"
#include "base/tests/tt.h"

struct rig {
	struct fake_card *card;
	struct ntime_ctx *ctx;
	struct ntime_session *s;
	uint64_t found;
};

static struct rig open_rig(uint32_t kind, uint32_t flags, pid_t pid, const char *list)
{
	struct rig r = { .card = fake_card_new(FAKE_CARD_G96) };
	struct ntime_options options = { .size = sizeof(options), .model = fake_card_path(r.card) };
	struct ntime_target target = { .size = sizeof(target),
				       .kind = kind,
				       .flags = flags,
				       .pid = pid,
				       .cpus = kind == NTIME_TARGET_CPUS ? "0" : NULL };

	r.found = fake_card_sum(r.card);
	TT_IS(ntime_open(&r.ctx, &options), 0);
	TT_IS(ntime_session_new(r.ctx, &target, &r.s), 0);
	TT_IS(ntime_session_add_list(r.s, list), 0);
	return r;
}

static struct rig start_rig(uint32_t kind, uint32_t flags, pid_t pid, const char *list)
{
	struct rig r = open_rig(kind, flags, pid, list);

	TT_IS(ntime_session_start(r.s), 0);
	return r;
}

/* Of a card that nothing can be put back in. */
static void close_lost(struct rig *r)
{
	ntime_session_free(r->s);
	ntime_close(r->ctx);
	fake_card_free(r->card);
}

/* All registers are as they were found. */
static void close_rig(struct rig *r)
{
	ntime_session_free(r->s);
	r->s = NULL;
	TT_IS(fake_card_sum(r->card), r->found);
	close_lost(r);
}

static struct ntime_value value_of(struct rig *r)
{
	struct ntime_value values[16];
	size_t n = ntime_session_count(r->s);

	assert_true(n <= 16);
	if (ntime_session_read(r->s, values, n) < 0)
		fail_msg("%s", ntime_error_text(r->ctx));
	return values[0];
}

#define ONE "gpu0/gpu_idle/"

/* ---- a place of its own ---- */

static void *wait_for_end(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

static const struct target_row {
	int line;
	uint32_t kind;
} target_rows[] = {
	{ __LINE__, NTIME_TARGET_THREAD },
	{ __LINE__, NTIME_TARGET_PROCESS },
	{ __LINE__, NTIME_TARGET_CPUS },
	{ __LINE__, NTIME_TARGET_MACHINE },
};

/* Once for the card, however many threads or CPUs the target has. */
TEST(a_card_is_counted_once)
{
	pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread[3];

	pthread_mutex_lock(&end);
	for (size_t i = 0; i < 3; i++)
		assert_true(pthread_create(&thread[i], NULL, wait_for_end, &end) == 0);
	TT_FOR_EACH_ROW(row, target_rows) {
		struct rig r = start_rig(row->kind, 0, 0, ONE);
		struct ntime_where_info where = { .size = sizeof(where) };
		struct ntime_item item = { .size = sizeof(item) };
		struct ntime_value v, *rows;
		size_t n;

		fake_card_count(r.card, 100);
		v = value_of(&r);
		TT_EQ(row, v.count, 100);
		TT_EQ(row, v.flags, NTIME_SIMULATED);
		TT_EQ(row, ntime_session_item(r.s, 0, &item), 0);
		TT_EQ(row, item.scope, NTIME_SCOPE_DEVICE);
		TT_STR(row, item.method, "model");
		/* Its place is the last one; at the others it is absent. */
		n = ntime_session_where_count(r.s);
		assert_true(n >= 2);
		TT_EQ(row, ntime_session_where(r.s, n - 1, &where), 0);
		TT_EQ(row, where.cpu, -1);
		TT_EQ(row, where.pid, -1);
		rows = calloc(n, sizeof(*rows));
		fake_card_count(r.card, 11);
		TT_EQ(row, ntime_session_read_where(r.s, rows, 1, n), (int)n);
		for (size_t i = 0; i + 1 < n; i++)
			TT_EQ(row, rows[i].flags & NTIME_ABSENT, NTIME_ABSENT);
		TT_EQ(row, rows[n - 1].count, 111);
		free(rows);
		close_rig(&r);
	}
	pthread_mutex_unlock(&end);
	for (size_t i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

/* CPUs that are looked for do not take the card for one of them. */
TEST(following_cpus_leaves_the_card_alone)
{
	struct rig r = start_rig(NTIME_TARGET_MACHINE, 0, 0, ONE);
	struct ntime_value v;

	fake_card_count(r.card, 7);
	v = value_of(&r);
	TT_IS(ntime_session_follow(r.s), 0);
	fake_card_count(r.card, 5);
	v = value_of(&r);
	TT_IS(v.count, 12);
	TT_IS(v.flags, NTIME_SIMULATED);
	close_rig(&r);
}

/* ---- beginning and end ---- */

/* A process that never calls exec(), and ends with this one. */
static pid_t start_idle(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

static void end_idle(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Nothing of a card waits for exec: it begins with the session, which can be stopped. */
TEST(a_card_does_not_wait_for_exec)
{
	pid_t pid = start_idle();
	struct rig r;

	r = start_rig(NTIME_TARGET_PROCESS, NTIME_ON_EXEC, pid, ONE);
	fake_card_count(r.card, 42);
	if (ntime_session_stop(r.s) < 0)
		fail_msg("%s", ntime_error_text(r.ctx));
	TT_IS(value_of(&r).count, 42);
	/* What happens while it is stopped is not counted; then it goes on. */
	fake_card_count(r.card, 1000);
	TT_IS(ntime_session_start(r.s), 0);
	fake_card_count(r.card, 1);
	TT_IS(ntime_session_stop(r.s), 0);
	TT_IS(value_of(&r).count, 43);
	end_idle(pid);
	close_rig(&r);
}

/* That a card has run is no proof that perf's counters have. */
TEST(what_waits_for_exec_beside_a_card_still_does)
{
	pid_t pid = start_idle();
	struct rig r = start_rig(NTIME_TARGET_PROCESS, NTIME_ON_EXEC, pid, ONE ",page-faults");
	struct ntime_value v[2];

	fake_card_count(r.card, 1);
	TT_IS(ntime_session_read(r.s, v, 2), 2);
	TT_IS(v[0].count, 1);
	/* Where users may not count page faults, nothing waits. */
	TT_IS(ntime_session_stop(r.s), v[1].flags & NTIME_ABSENT ? 0 : -EBUSY);
	end_idle(pid);
	close_rig(&r);
}

TEST(four_events_at_once_and_more_pass_by_pass)
{
	struct rig r = start_rig(NTIME_TARGET_THREAD, NTIME_BY_PASS, 0,
				 ONE ",gpu0/setup_point_count/,gpu0/setup_line_count/,"
				     "gpu0/setup_triangle_count/,gpu0/stream_out_busy/");
	struct ntime_value values[5];
	struct ntime_item item = { .size = sizeof(item) };
	unsigned int counted = 0;

	TT_IS(ntime_session_passes(r.s), 2);
	fake_card_count(r.card, 10);
	TT_IS(ntime_session_next_pass(r.s), 1);
	fake_card_count(r.card, 20);
	TT_IS(ntime_session_next_pass(r.s), -ENODATA);
	TT_IS(ntime_session_read(r.s, values, 5), 5);
	for (size_t i = 0; i < 5; i++) {
		TT_IS(ntime_session_item(r.s, i, &item), 0);
		TT_IS(values[i].count, item.pass ? 20 : 10);
		counted += item.pass;
	}
	assert_true(counted == 1 || counted == 4);
	close_rig(&r);
}

/* ---- periods ---- */

static const struct bound_row {
	int line;
	uint32_t count;
	bool is_disturbed;
	uint32_t flags;
	uint64_t sum;
} bound_rows[] = {
	{ __LINE__, 0xfffffffe, false, NTIME_SIMULATED, 0xfffffffe },
	/* full; what another one's trigger took is not known */
	{ __LINE__, 0xffffffff, false, NTIME_SIMULATED | NTIME_OVERFLOWED, 0xffffffff },
	{ __LINE__, 50, true, NTIME_SIMULATED | NTIME_OVERFLOWED, 0 },
};

TEST(lower_bounds_are_flagged_for_good)
{
	TT_FOR_EACH_ROW(row, bound_rows) {
		struct rig r = start_rig(NTIME_TARGET_MACHINE, 0, 0, ONE);
		struct ntime_value v;

		fake_card_count(r.card, row->count);
		if (row->is_disturbed)
			fake_card_disturb(r.card);
		v = value_of(&r);
		TT_EQ(row, v.count, row->sum);
		TT_EQ(row, v.flags, row->flags);
		fake_card_count(r.card, 3);
		v = value_of(&r);
		TT_EQ(row, v.count, row->sum + 3);
		TT_EQ(row, v.flags, row->flags);
		close_rig(&r);
	}
}

/* 2^32 clocks of 2.5 GHz, less an eighth for what reading takes. */
TEST(counters_want_to_be_read_in_time)
{
	struct rig r = start_rig(NTIME_TARGET_MACHINE, 0, 0, ONE);

	TT_IS(ntime_session_max_read_interval_ns(r.s), 1503238554);
	close_rig(&r);
}

TEST(readers_call)
{
	struct rig r = start_rig(NTIME_TARGET_THREAD, 0, 0, ONE);
	struct ntime_reader reader = { .size = sizeof(reader) };
	uint64_t count = 0;

	TT_IS(ntime_get_reader(r.s, 0, &reader), 0);
	assert_non_null(strstr(ntime_reader_why(&reader), "ends a period"));
	fake_card_count(r.card, 8);
	TT_IS(ntime_read(&reader, &count), NTIME_SIMULATED);
	TT_IS(count, 8);
	close_rig(&r);
}

/* Reading ends a period, which is the parent's. */
TEST(a_forked_child_does_not_read)
{
	struct rig r = start_rig(NTIME_TARGET_THREAD, 0, 0, ONE);
	unsigned int writes;
	int status = 0;
	pid_t pid;

	fake_card_count(r.card, 9);
	writes = fake_card_writes(r.card);
	pid = fork();
	if (pid == 0) {
		struct ntime_value v;

		_exit(ntime_session_read(r.s, &v, 1) == -EIO ? 0 : 1);
	}
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	TT_IS(fake_card_writes(r.card), writes);
	TT_IS(value_of(&r).count, 9);
	close_rig(&r);
}

/* ---- what goes wrong ---- */

TEST(a_clock_that_stands_is_an_error)
{
	struct rig r = start_rig(NTIME_TARGET_MACHINE, 0, 0, ONE);
	struct ntime_value v;

	fake_card_set_stuck(r.card, true);
	TT_IS(ntime_session_read(r.s, &v, 1), -EIO);
	assert_non_null(strstr(ntime_error_text(r.ctx), "clock"));
	/* What was lost meanwhile is not known. */
	fake_card_set_stuck(r.card, false);
	fake_card_count(r.card, 4);
	v = value_of(&r);
	TT_IS(v.count, 4);
	TT_IS(v.flags, NTIME_SIMULATED | NTIME_OVERFLOWED);
	close_rig(&r);
}

TEST(a_card_that_is_unplugged_is_gone)
{
	struct rig r = start_rig(NTIME_TARGET_THREAD, 0, 0, ONE ",page-faults");
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_value values[2];

	fake_card_count(r.card, 6);
	TT_IS(ntime_session_read(r.s, values, 2), 2);
	fake_card_unplug(r.card);
	if (values[1].flags & NTIME_ABSENT) {
		/* Where perf is refused the card is all there was. */
		TT_IS(ntime_session_read(r.s, values, 2), -EIO);
	} else {
		TT_IS(ntime_session_read(r.s, values, 2), 2);
		TT_IS(values[0].count, 6);
		TT_IS(values[0].flags & NTIME_GONE, NTIME_GONE);
		TT_IS(ntime_session_item(r.s, 0, &item), 0);
		assert_non_null(strstr(item.reason, "the model has ended"));
	}
	close_lost(&r);
}

/* An answer that came too late or in pieces would be the next question's. */
TEST(a_connection_that_failed_is_not_used_again)
{
	struct rig r = start_rig(NTIME_TARGET_THREAD, 0, 0, ONE);
	struct ntime_value v;
	unsigned int writes;

	fake_card_stammer(r.card);
	TT_IS(ntime_session_read(r.s, &v, 1), -EIO);
	TT_HAS(ntime_error_text(r.ctx), "what serves it is no model of a card");
	writes = fake_card_writes(r.card);
	TT_IS(ntime_session_read(r.s, &v, 1), -EIO);
	ntime_session_free(r.s);
	TT_IS(fake_card_writes(r.card), writes);
	ntime_close(r.ctx);
	fake_card_free(r.card);
}

TEST(registers_that_read_as_all_ones)
{
	struct rig r = start_rig(NTIME_TARGET_THREAD, 0, 0, ONE);
	struct ntime_value v;

	fake_card_set_boot_0(r.card, 0xffffffff);
	TT_IS(ntime_session_read(r.s, &v, 1), -EIO);
	TT_HAS(ntime_error_text(r.ctx), "a register reads as all ones");
	fake_card_set_boot_0(r.card, FAKE_CARD_G96);
	close_rig(&r);
}

TEST(another_chip_than_before_is_not_counted_on)
{
	struct rig r = open_rig(NTIME_TARGET_MACHINE, 0, 0, ONE);
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_value v;

	fake_card_set_boot_0(r.card, 0x0a8c00b1);
	TT_IS(ntime_session_start(r.s), 0);
	v = value_of(&r);
	TT_IS(v.flags & NTIME_ABSENT, NTIME_ABSENT);
	TT_IS(fake_card_writes(r.card), 0);
	TT_IS(ntime_session_item(r.s, 0, &item), 0);
	TT_HAS(item.reason, "is another chip than before: G96 was there");
	close_rig(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_card_is_counted_once),
		cmocka_unit_test(following_cpus_leaves_the_card_alone),
		cmocka_unit_test(a_card_does_not_wait_for_exec),
		cmocka_unit_test(what_waits_for_exec_beside_a_card_still_does),
		cmocka_unit_test(four_events_at_once_and_more_pass_by_pass),
		cmocka_unit_test(lower_bounds_are_flagged_for_good),
		cmocka_unit_test(counters_want_to_be_read_in_time),
		cmocka_unit_test(readers_call),
		cmocka_unit_test(a_forked_child_does_not_read),
		cmocka_unit_test(a_clock_that_stands_is_an_error),
		cmocka_unit_test(a_card_that_is_unplugged_is_gone),
		cmocka_unit_test(a_connection_that_failed_is_not_used_again),
		cmocka_unit_test(registers_that_read_as_all_ones),
		cmocka_unit_test(another_chip_than_before_is_not_counted_on),
	};

	return TT_RUN(tests);
}
