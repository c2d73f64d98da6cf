// SPDX-License-Identifier: MIT
/* What self-tests found is remembered until the next boot, where nobody else can write it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/tests/session/fake_pmu.h"
#include "base/tests/tt.h"

struct rig {
	struct fake_pmu pmu;
	char file[96];
};

static void init(struct rig *r)
{
	char folder[] = "/tmp/ntime-remembered-XXXXXX";

	fake_pmu_init(&r->pmu, 6);
	assert_non_null(mkdtemp(folder));
	snprintf(r->pmu.directory, sizeof(r->pmu.directory), "%s", folder);
	snprintf(r->file, sizeof(r->file), "%s/.self-test", folder);
	r->pmu.boot = "b0";
}

static void fini(struct rig *r)
{
	(void)unlink(r->file);
	TT_IS(rmdir(r->pmu.directory), 0);
	fake_pmu_fini(&r->pmu);
}

/* How often a counter is opened by a new context that resolves @name. */
static unsigned int opens_of(struct rig *r, const char *name, enum ntime_reason reason)
{
	struct fake_pmu *p = &r->pmu;
	struct nti_event event;
	unsigned int opens;

	fake_pmu_new_context(p);
	opens = p->opens;
	TT_IS(nti_context_event(&p->ctx, name, &event, &p->ctx.error), 0);
	TT_IS(event.absent.code, reason);
	nti_event_fini(&event);
	return p->opens - opens;
}

/* What a new context that opens no counter has against it. */
static enum ntime_reason doubt_of(struct rig *r, const char *name)
{
	struct fake_pmu *p = &r->pmu;
	struct nti_absence doubt = { 0 };
	struct nti_event event;
	enum ntime_reason code;
	unsigned int opens;

	fake_pmu_new_context(p);
	opens = p->opens;
	TT_IS(nti_context_event(&p->ctx, name, &event, &p->ctx.error), 0);
	TT_IS(nti_context_selftest_doubt(&p->ctx, &event, false, false, &doubt), 0);
	TT_IS(p->opens, opens);
	code = doubt.code;
	nti_absence_fini(&doubt);
	nti_event_fini(&event);
	return code;
}

static void write_file(const struct rig *r, const char *text, size_t bytes)
{
	FILE *f = fopen(r->file, "w");

	assert_non_null(f);
	TT_IS(fwrite(text, 1, bytes, f), bytes);
	fclose(f);
}

static size_t read_file(const struct rig *r, char *text, size_t size)
{
	FILE *f = fopen(r->file, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, size - 1, f);
	fclose(f);
	text[n] = '\0';
	return n;
}

TEST(it_is_tried_once_a_boot)
{
	struct rig r;

	init(&r);
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	TT_IS(opens_of(&r, "cycles", NTIME_REASON_NONE), 0);
	TT_IS(opens_of(&r, "instructions:u", NTIME_REASON_NONE), 0);
	/* Each of these is tried alone, and then known as well. */
	assert_true(opens_of(&r, "cache-misses", NTIME_REASON_NONE) > 0);
	TT_IS(opens_of(&r, "cache-misses", NTIME_REASON_NONE), 0);
	assert_true(opens_of(&r, "branch-misses", NTIME_REASON_NONE) > 0);
	TT_IS(opens_of(&r, "cache-misses", NTIME_REASON_NONE), 0);
	r.pmu.boot = "b1";
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	TT_IS(opens_of(&r, "cycles", NTIME_REASON_NONE), 0);
	/* Another PMU: one that has lost a counter. */
	r.pmu.unit[0].counters = 5;
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	r.pmu.boot = NULL;
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	fini(&r);
}

TEST(what_is_wrong_is_remembered_as_well)
{
	struct rig r;

	init(&r);
	r.pmu.lie = LIE_DEAD;
	r.pmu.code = FAKE_BRANCHES;
	assert_true(opens_of(&r, "branches", NTIME_REASON_NOT_COUNTING) > 3);
	/* It lies no longer, but nobody asks. */
	r.pmu.lie = LIE_NONE;
	TT_IS(opens_of(&r, "branches", NTIME_REASON_NOT_COUNTING), 0);
	TT_IS(opens_of(&r, "instructions", NTIME_REASON_NONE), 0);
	r.pmu.lie = LIE_DEAD;
	r.pmu.code = FAKE_MISSES;
	assert_true(opens_of(&r, "cache-misses", NTIME_REASON_NOT_COUNTING) > 0);
	r.pmu.lie = LIE_NONE;
	TT_IS(opens_of(&r, "cache-misses", NTIME_REASON_NOT_COUNTING), 0);
	r.pmu.lie = LIE_TIMES_8;
	r.pmu.code = FAKE_BRANCH_MISSES;
	assert_true(opens_of(&r, "branch-misses", NTIME_REASON_NONE) > 0);
	r.pmu.lie = LIE_NONE;
	TT_IS(doubt_of(&r, "branch-misses"), NTIME_REASON_IMPLAUSIBLE);
	TT_IS(doubt_of(&r, "cycles"), NTIME_REASON_NONE);
	fini(&r);
}

/* What a session that counts the kernel too has against its event. */
static enum ntime_reason kernel_doubt_of(struct rig *r, const char *name)
{
	const struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_THREAD };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_session *s;

	fake_pmu_new_context(&r->pmu);
	TT_IS(ntime_session_new(&r->pmu.ctx, &target, &s), 0);
	TT_IS(ntime_session_add(s, name, NULL), 0);
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_session_item(s, 0, &item), 0);
	ntime_session_free(s);
	return item.reason_code;
}

/* Somebody else has all counters: nothing is found out, and nothing remembered. */
TEST(what_nobody_could_find_out_is_tried_again)
{
	struct rig r;

	init(&r);
	assert_true(opens_of(&r, "cycles:u", NTIME_REASON_NONE) > 3);
	r.pmu.counters = 0;
	assert_true(opens_of(&r, "cache-misses", NTIME_REASON_NONE) > 0);
	TT_IS(kernel_doubt_of(&r, "instructions"), NTIME_REASON_NONE);
	r.pmu.counters = 6;
	r.pmu.lie = LIE_DEAD;
	r.pmu.code = FAKE_MISSES;
	assert_true(opens_of(&r, "cache-misses", NTIME_REASON_NOT_COUNTING) > 0);
	r.pmu.lie = LIE_KERNEL_TWICE;
	r.pmu.code = FAKE_INSTRUCTIONS;
	TT_IS(kernel_doubt_of(&r, "instructions"), NTIME_REASON_IMPLAUSIBLE);
	fini(&r);
}

/* Each byte cut off or changed makes it no file; then it is tried again, and written anew. */
TEST(a_damaged_file_is_no_file)
{
	char text[2048], bad[2048];
	size_t bytes, i;
	struct rig r;

	init(&r);
	(void)opens_of(&r, "cycles", NTIME_REASON_NONE);
	bytes = read_file(&r, text, sizeof(text));
	assert_true(bytes > 100);
	for (i = 0; i < bytes; i++) {
		write_file(&r, text, i);
		assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	}
	snprintf(bad, sizeof(bad), "%sx", text);
	write_file(&r, bad, bytes + 1);
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	for (i = 0; i < bytes; i++) {
		memcpy(bad, text, bytes);
		bad[i] = '\0';
		write_file(&r, bad, bytes);
		assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	}
	write_file(&r, text, bytes);
	TT_IS(opens_of(&r, "cycles", NTIME_REASON_NONE), 0);
	fini(&r);
}

TEST(others_are_not_believed)
{
	struct rig r;

	init(&r);
	(void)opens_of(&r, "cycles", NTIME_REASON_NONE);
	TT_IS(opens_of(&r, "cycles", NTIME_REASON_NONE), 0);
	/* Anybody may have written it. */
	TT_IS(chmod(r.file, 0666), 0);
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	TT_IS(opens_of(&r, "cycles", NTIME_REASON_NONE), 0);
	TT_IS(chmod(r.pmu.directory, 0777), 0);
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	TT_IS(chmod(r.pmu.directory, 0755), 0);
	TT_IS(opens_of(&r, "cycles", NTIME_REASON_NONE), 0);
	/* A link may lead anywhere. */
	TT_IS(unlink(r.file), 0);
	TT_IS(symlink("/etc/passwd", r.file), 0);
	assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	TT_IS(opens_of(&r, "cycles", NTIME_REASON_NONE), 0);
	/* Root of a container may lack the capability; to another user the file may belong. */
	if (geteuid() == 0 && chown(r.file, 65534, 65534) == 0)
		assert_true(opens_of(&r, "cycles", NTIME_REASON_NONE) > 3);
	fini(&r);
}

/* Six events on three counters, of a program that does the same all the time. */
static void take_turns(struct rig *r, bool is_bad)
{
	const struct fake_amounts a = { .of = { [FAKE_USER] = { [FAKE_CYCLES] = 60000000,
								[FAKE_INSTRUCTIONS] = 40000000,
								[FAKE_BRANCHES] = 10000000 } } };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_session *s;
	struct ntime_value v[6];
	size_t i;

	fake_pmu_new_context(&r->pmu);
	TT_IS(ntime_session_new(&r->pmu.ctx, NULL, &s), 0);
	for (i = 0; i < 6; i++)
		TT_IS(ntime_session_add(s, "instructions:u", NULL), 0);
	TT_IS(ntime_session_start(s), 0);
	for (i = 0; i < 10; i++)
		fake_pmu_work(&r->pmu, &a, 20000000);
	TT_IS(ntime_session_read(s, v, 6), 6);
	for (i = 0; i < 6; i++) {
		TT_IS(!!(v[i].flags & NTIME_SCALED), 1);
		TT_IS(!!(v[i].flags & NTIME_IMPLAUSIBLE), is_bad);
		TT_IS(ntime_session_item(s, i, &item), 0);
		TT_IS(item.reason_code, is_bad ? NTIME_REASON_IMPLAUSIBLE : NTIME_REASON_NONE);
		if (is_bad)
			TT_HAS(item.reason, "take turns");
	}
	ntime_session_free(s);
}

/* Tried once, where it can be remembered: it takes long. */
TEST(events_that_take_turns)
{
	struct rig r;

	init(&r);
	r.pmu.counters = r.pmu.unit[0].counters = 3;
	take_turns(&r, false);
	r.pmu.loses_turns = true;
	take_turns(&r, false); /* it is remembered that they do not */
	TT_IS(unlink(r.file), 0);
	take_turns(&r, true);
	r.pmu.loses_turns = false;
	take_turns(&r, true);
	/* Nobody would remember it. */
	r.pmu.boot = NULL;
	r.pmu.loses_turns = true;
	take_turns(&r, false);
	fini(&r);
}

/* How many counters a session of @name opens, and whether its value is marked. */
static unsigned int opens_of_session(struct rig *r, const char *name, bool is_bad)
{
	struct fake_pmu *p = &r->pmu;
	struct ntime_session *s;
	struct ntime_value v;
	unsigned int opens;

	fake_pmu_new_context(p);
	opens = p->opens;
	TT_IS(ntime_session_new(&p->ctx, NULL, &s), 0);
	TT_IS(ntime_session_add(s, name, NULL), 0);
	TT_IS(ntime_session_start(s), 0);
	TT_IS(ntime_session_read(s, &v, 1), 1);
	TT_IS(!!(v.flags & NTIME_IMPLAUSIBLE), is_bad);
	ntime_session_free(s);
	return p->opens - opens;
}

/* Tried once, by who counts it. */
TEST(the_kernels_part)
{
	struct rig r;

	init(&r);
	r.pmu.lie = LIE_KERNEL_TWICE;
	r.pmu.code = FAKE_INSTRUCTIONS;
	assert_true(opens_of_session(&r, "instructions:u", false) > 1);
	TT_IS(opens_of_session(&r, "instructions:u", false), 1);
	assert_true(opens_of_session(&r, "instructions", true) > 1);
	TT_IS(opens_of_session(&r, "instructions", true), 1);
	TT_IS(opens_of_session(&r, "instructions:k", true), 1);
	TT_IS(opens_of_session(&r, "instructions:u", false), 1);
	fini(&r);
}

/* A session of @name in the context at hand, in which things happen: is its value marked? */
static bool is_marked(struct rig *r, const char *name)
{
	const struct fake_amounts a = { .of = { { [FAKE_BRANCHES] = 5000 },
						{ [FAKE_BRANCH_MISSES] = 5000 } } };
	struct ntime_session *s;
	struct ntime_value v;

	TT_IS(ntime_session_new(&r->pmu.ctx, NULL, &s), 0);
	TT_IS(ntime_session_add(s, name, NULL), 0);
	TT_IS(ntime_session_start(s), 0);
	fake_pmu_work(&r->pmu, &a, 1000000);
	TT_IS(ntime_session_read(s, &v, 1), 1);
	ntime_session_free(s);
	return v.flags & NTIME_IMPLAUSIBLE;
}

/* What was counted where events are missing takes the place of no trial. */
TEST(what_counted_is_no_trial)
{
	struct rig r;

	init(&r);
	r.pmu.ctx.has_no_selftest = true;
	r.pmu.ctx.units.cpu.missing = 1;
	TT_IS(is_marked(&r, "r04c4:u"), false);
	TT_IS(access(r.file, F_OK), -1);
	r.pmu.lie = LIE_DEAD;
	r.pmu.code = FAKE_MISSES;
	assert_true(opens_of(&r, "cache-misses", NTIME_REASON_NOT_COUNTING) > 0);
	/* The same counter, which nobody tried in this mode. */
	TT_IS(is_marked(&r, "cache-misses:k"), true);
	r.pmu.lie = LIE_TIMES_8;
	r.pmu.code = FAKE_BRANCH_MISSES;
	TT_IS(is_marked(&r, "branch-misses:k"), false);
	assert_true(opens_of(&r, "branch-misses", NTIME_REASON_NONE) > 0);
	TT_IS(doubt_of(&r, "branch-misses"), NTIME_REASON_IMPLAUSIBLE);
	fini(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_tried_once_a_boot),
		cmocka_unit_test(what_is_wrong_is_remembered_as_well),
		cmocka_unit_test(what_nobody_could_find_out_is_tried_again),
		cmocka_unit_test(a_damaged_file_is_no_file),
		cmocka_unit_test(others_are_not_believed),
		cmocka_unit_test(events_that_take_turns),
		cmocka_unit_test(the_kernels_part),
		cmocka_unit_test(what_counted_is_no_trial),
	};

	return TT_RUN(tests);
}
