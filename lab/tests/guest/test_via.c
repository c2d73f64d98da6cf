// SPDX-License-Identifier: MIT
/*
 * Counting through ntime's driver: sessions that program the core PMU themselves, the reader that
 * is an instruction, and perf beside them. All of it is of a whole CPU, so other programs would
 * count; in user mode of a guest there are none, and where one comes by once, the smallest of
 * several measurements has none of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <unistd.h>

#include "guest.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/workloads/count.h"

#define USER "instructions:u"
#define TRIES 9
#define MANY 12

static const unsigned long turns[] = { 1, 2, 1000, 30000, 2000000 };
/*
 * What is measured must be the same instructions each time but for the turns: functions that are
 * not merged into their callers, and a number of turns that the compiler does not know.
 */
#define MEASURES __attribute__((noinline))
static volatile unsigned long none = 0;

static struct ntime_target cpu0(uint32_t via, uint32_t flags)
{
	return (struct ntime_target){ .size = sizeof(struct ntime_target),
				      .kind = NTIME_TARGET_CPUS,
				      .cpus = "0",
				      .via = via,
				      .flags = flags };
}

static struct ntime_session *started(const char *list, uint32_t via)
{
	const struct ntime_target target = cpu0(via, 0);
	struct ntime_session *s = lab_session(list, &target);

	LAB_OK(ntime_session_start(s));
	return s;
}

static struct ntime_item item_of(const struct ntime_session *s, size_t i)
{
	struct ntime_item item = { .size = sizeof(item) };

	LAB_OK(ntime_session_item(s, i, &item));
	return item;
}

/* How often an event counts while an instruction is executed. */
static uint64_t truth_of(const char *event, uint64_t instructions)
{
	return strncmp(event, "cycles", 6) == 0 ? instructions << lab_shift() : instructions;
}

/* ---- by reading the session ---- */

static void read_whole(struct ntime_session *s, struct ntime_value *v, size_t n)
{
	LAB_OK(ntime_session_read(s, v, n));
	for (size_t i = 0; i < n; i++) {
		if (v[i].flags)
			print_message("# %s: flags %#x, %s\n", item_of(s, i).name, v[i].flags,
				      item_of(s, i).reason);
		TT_IS(v[i].flags, 0);
	}
}

/* The least that @n turns cost between two reads, for each of @items events. */
MEASURES static void by_session(struct ntime_session *s, unsigned long n, uint64_t *least,
				size_t items)
{
	struct ntime_value before[MANY], after[MANY];

	for (size_t i = 0; i < items; i++)
		least[i] = UINT64_MAX;
	for (int try = 0; try < TRIES; try++) {
		lab_leave_end_of_second();
		read_whole(s, before, items);
		lab_turns(n);
		read_whole(s, after, items);
		for (size_t i = 0; i < items; i++) {
			uint64_t d = after[i].count - before[i].count;

			least[i] = d < least[i] ? d : least[i];
		}
	}
}

static void must_be_exact(struct ntime_session *s)
{
	size_t items = ntime_session_count(s);
	uint64_t nothing[MANY], some[MANY];

	/* The first read of all asks less than those after it. */
	by_session(s, none, nothing, items);
	by_session(s, none, nothing, items);
	for (size_t k = 0; k < sizeof(turns) / sizeof(turns[0]); k++) {
		by_session(s, turns[k], some, items);
		for (size_t i = 0; i < items; i++)
			TT_IS(some[i] - nothing[i],
			      truth_of(item_of(s, i).name, LAB_TURN * turns[k]));
	}
}

/* Before the first event of a core PMU the library asks perf whether it counts at all. */
TEST(library_tries_the_pmu)
{
	struct ntime_session *s;

	lab_perf_begins();
	s = started(USER, NTIME_VIA_PERF);
	TT_TEXT(item_of(s, 0).method, "perf");
	ntime_session_free(s);
	lab_perf_has_ended();
}

TEST(session_is_exact)
{
	struct ntime_session *s = started(USER ",cycles:u", NTIME_VIA_NTIMEFS);

	TT_TEXT(item_of(s, 0).method, "ntimefs");
	must_be_exact(s);
	ntime_session_free(s);
}

/* The same by perf, in turn. */
TEST(perf_is_exact_too)
{
	struct ntime_session *s;

	lab_perf_begins();
	s = started(USER ",cycles:u", NTIME_VIA_PERF);
	TT_TEXT(item_of(s, 0).method, "perf");
	must_be_exact(s);
	ntime_session_free(s);
	lab_perf_has_ended();
}

/* As many events as fit at once: every general and fixed counter counts the same. */
TEST(every_counter)
{
	char list[MANY * sizeof(USER)] = USER;
	const struct ntime_target target = cpu0(NTIME_VIA_NTIMEFS, 0);
	struct ntime_session *s = NULL, *more;
	size_t n;

	for (n = 1; n < MANY; n++) {
		more = lab_session(list, &target);
		if (ntime_session_passes(more) > 1) {
			ntime_session_free(more);
			break;
		}
		ntime_session_free(more);
		strcat(list, "," USER);
	}
	/* One fewer: that is what fits. */
	list[strlen(list) - strlen("," USER)] = '\0';
	s = started(list, NTIME_VIA_NTIMEFS);
	print_message("# %zu events at once\n", ntime_session_count(s));
	TT_IS(ntime_session_passes(s), 1);
	TT_IS(ntime_session_count(s) >= 2, 1);
	must_be_exact(s);
	ntime_session_free(s);
}

/* ---- by the instruction ---- */

MEASURES static uint64_t by_reader(const struct ntime_reader *r, unsigned long n)
{
	uint64_t before = 0, after = 0, least = UINT64_MAX;

	for (int try = 0; try < TRIES; try++) {
		TT_IS(ntime_read(r, &before), 0);
		lab_turns(n);
		TT_IS(ntime_read_pinned(r, &after), 0);
		least = after - before < least ? after - before : least;
	}
	return least;
}

/*
 * From one read to the next: what a read costs, the counter's instruction and the sum of the loop's
 * variables included.
 */
static uint64_t cost_of(const struct ntime_reader *r)
{
	uint64_t a = 0, b = 0, least = UINT64_MAX;

	for (int try = 0; try < TRIES; try++) {
		if (ntime_read_pinned(r, &a) || ntime_read_pinned(r, &b))
			return UINT64_MAX;
		least = b - a < least ? b - a : least;
	}
	return least;
}

static void reader_is_exact(const char *event)
{
	struct ntime_session *s;
	struct ntime_reader r;
	uint64_t nothing;
	cpu_set_t set;

	if (!lab_can_read_counters())
		TT_SKIP("the library reads no counter by an instruction on this architecture");
	s = started(event, NTIME_VIA_NTIMEFS);
	r = lab_reader(s, 0);
	print_message("# %s: %s\n", event, ntime_reader_why(&r));
	TT_IS(r.state->type, NTIME_READER_CORE);
	TT_IS(sched_getaffinity(0, sizeof(set), &set), 0);
	TT_IS(CPU_COUNT(&set) == 1 && CPU_ISSET(0, &set), 1);
	nothing = by_reader(&r, none);
	for (size_t k = 0; k < sizeof(turns) / sizeof(turns[0]); k++)
		TT_IS(by_reader(&r, turns[k]) - nothing, truth_of(event, LAB_TURN * turns[k]));
	print_message("# %s: %" PRIu64 " instructions' worth from one read to the next\n", event,
		      cost_of(&r));
	/* The instruction did that, and not the call. */
	TT_IS(cost_of(&r) <= truth_of(event, 40), 1);
	ntime_session_free(s);
	LAB_GOOD(lab_unpin());
}

TEST(reader_of_instructions_is_exact)
{
	reader_is_exact(USER);
}

TEST(reader_of_cycles_is_exact)
{
	reader_is_exact("cycles:u");
}

/* What the instruction reads and what the calls read is one count. */
TEST(reader_agrees_with_session)
{
	struct ntime_session *s = started(USER, NTIME_VIA_NTIMEFS);
	struct ntime_reader r = lab_reader(s, 0);
	struct ntime_value v;
	uint64_t before = 0, after = 0;

	for (int i = 0; i < 1000; i++) {
		TT_IS(ntime_read(&r, &before), 0);
		read_whole(s, &v, 1);
		TT_IS(ntime_read(&r, &after), 0);
		TT_IS(before < v.count && v.count < after, 1);
		if (i % 100 == 50) {
			LAB_OK(ntime_session_stop(s));
			LAB_OK(ntime_session_start(s));
		}
	}
	ntime_session_free(s);
	LAB_GOOD(lab_unpin());
}

static long read_in_child(void *arg)
{
	const struct ntime_reader *r = arg;
	uint64_t count = 0;

	return r->state->type == NTIME_READER_CALL && ntime_read(r, &count) == 0 && count > 0;
}

TEST(reader_in_a_child_is_a_call)
{
	struct ntime_session *s = started(USER, NTIME_VIA_NTIMEFS);
	struct ntime_reader r = lab_reader(s, 0);

	TT_IS(lab_child(&lab_root, read_in_child, &r), 1);
	ntime_session_free(s);
	LAB_GOOD(lab_unpin());
}

/* ---- more events than counters ---- */

static void many_list(char *list, size_t bytes)
{
	size_t used = 0;

	for (int i = 0; i < MANY; i++)
		used += (size_t)snprintf(list + used, bytes - used, "%s%s", i ? "," : "", USER);
}

MEASURES static void work_in_passes(unsigned long n, uint64_t count[MANY])
{
	const struct ntime_target target = cpu0(NTIME_VIA_NTIMEFS, NTIME_BY_PASS);
	char list[MANY * sizeof(USER) + 1];
	struct ntime_value v[MANY];
	struct ntime_session *s;
	int ret;

	many_list(list, sizeof(list));
	s = lab_session(list, &target);
	TT_IS(ntime_session_passes(s) >= 2, 1);
	LAB_OK(ntime_session_start(s));
	do {
		lab_turns(n);
		ret = ntime_session_next_pass(s);
	} while (ret >= 0);
	TT_IS(ret, -ENODATA);
	read_whole(s, v, MANY);
	for (int i = 0; i < MANY; i++)
		count[i] = v[i].count < count[i] ? v[i].count : count[i];
	ntime_session_free(s);
}

TEST(passes_are_exact)
{
	uint64_t nothing[MANY], some[MANY];

	memset(nothing, 0xff, sizeof(nothing));
	memset(some, 0xff, sizeof(some));
	for (int try = 0; try < TRIES; try++) {
		work_in_passes(none, nothing);
		work_in_passes(none + 100000, some);
	}
	for (int i = 0; i < MANY; i++)
		TT_IS(some[i] - nothing[i], LAB_TURN * 100000);
}

/*
 * Turns end when the session is read: the estimates come near what was done. The rounds are long
 * beside what a turn's change costs.
 */
TEST(turns_come_near)
{
	const unsigned long n = 2000000, rounds = 30;
	double truth = (double)(LAB_TURN * n * rounds);
	char list[MANY * sizeof(USER) + 1];
	struct ntime_value v[MANY];
	struct ntime_session *s;

	many_list(list, sizeof(list));
	s = started(list, NTIME_VIA_NTIMEFS);
	for (unsigned long i = 0; i < rounds; i++) {
		lab_turns(n);
		LAB_OK(ntime_session_read(s, v, MANY));
	}
	LAB_OK(ntime_session_stop(s));
	LAB_OK(ntime_session_read(s, v, MANY));
	for (int i = 0; i < MANY; i++) {
		TT_IS(v[i].flags, NTIME_SCALED);
		if (v[i].value < 0.8 * truth || v[i].value > 1.2 * truth)
			fail_msg("event %d: %.0f, but %.0f was done", i, v[i].value, truth);
	}
	print_message("# %u passes: ~%.0f +- %.0f, truth %.0f\n", ntime_session_passes(s),
		      v[0].value, v[0].error, truth);
	ntime_session_free(s);
}

/* ---- perf and ntimefs ---- */

/* Who comes second is told why; when the first one has gone, it counts. */
TEST(perf_has_the_counters)
{
	const struct ntime_target target = cpu0(NTIME_VIA_NTIMEFS, 0);
	struct ntime_session *perf, *own;

	lab_perf_begins();
	perf = started(USER, NTIME_VIA_PERF);
	LAB_OK(ntime_session_new(lab_ctx(), &target, &own));
	LAB_OK(ntime_session_add_list(own, USER));
	LAB_OK(ntime_session_open(own));
	print_message("# %s; remedy: %s\n", item_of(own, 0).reason, item_of(own, 0).remedy);
	TT_HAS(item_of(own, 0).reason, "is in use by perf");
	ntime_session_free(own);
	must_be_exact(perf);
	ntime_session_free(perf);
	lab_perf_has_ended();
	own = started(USER, NTIME_VIA_NTIMEFS);
	must_be_exact(own);
	ntime_session_free(own);
}

/* How the other way round is told is the kernel's; that the count is right is ours. */
TEST(perf_counts_again)
{
	struct ntime_session *own = started(USER, NTIME_VIA_NTIMEFS), *perf;

	must_be_exact(own);
	ntime_session_free(own);
	lab_perf_begins();
	perf = started(USER, NTIME_VIA_PERF);
	must_be_exact(perf);
	ntime_session_free(perf);
	lab_perf_has_ended();
}

/* ---- the command ---- */

static double command(const char *via, unsigned long n)
{
	struct lab_value v[2];
	double least = 1e300;
	char line[160];

	snprintf(line, sizeof(line), "--via %s -C 0 -e " USER ",cycles:u -- ./loop %lu", via, n);
	for (int try = 0; try < 3; try++) {
		lab_ntime(line, v, 2);
		TT_IS(v[0].is_absent || v[0].is_scaled, 0);
		/*
		 * Where nothing starts all counters at once, ntime does something between the first
		 * and the last.
		 */
		TT_IS(v[1].value > 0.999 * (double)truth_of("cycles:u", v[0].count), 1);
		TT_IS(v[1].value < 1.001 * (double)truth_of("cycles:u", v[0].count), 1);
		least = v[0].value < least ? v[0].value : least;
	}
	return least;
}

/* The command's own user mode is in both, before and after what it runs. */
TEST(command_agrees_with_perf)
{
	const unsigned long n = 2000000;
	double truth = (double)lab_count_loop(n), own, perf;

	/* Both ask perf whether the PMU counts. */
	lab_perf_begins();
	own = command("ntimefs", n);
	perf = command("perf", n);
	lab_perf_has_ended();
	print_message("# ntimefs %.0f, perf %.0f, the program %.0f\n", own, perf, truth);
	TT_IS(own >= truth && own < 1.02 * truth, 1);
	TT_IS(perf >= truth && perf < 1.02 * truth, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(library_tries_the_pmu),
		LAB_DRIVER_TEST(session_is_exact),
		LAB_DRIVER_TEST(perf_is_exact_too),
		LAB_DRIVER_TEST(every_counter),
		LAB_DRIVER_TEST(reader_of_instructions_is_exact),
		LAB_DRIVER_TEST(reader_of_cycles_is_exact),
		LAB_DRIVER_TEST(reader_agrees_with_session),
		LAB_DRIVER_TEST(reader_in_a_child_is_a_call),
		LAB_DRIVER_TEST(passes_are_exact),
		LAB_DRIVER_TEST(turns_come_near),
		LAB_DRIVER_TEST(perf_has_the_counters),
		LAB_DRIVER_TEST(perf_counts_again),
		LAB_DRIVER_TEST(command_agrees_with_perf),
		LAB_DRIVER_LAST,
	};

	lab_stop_watchdog();
	return LAB_DRIVER_RUN(tests);
}
