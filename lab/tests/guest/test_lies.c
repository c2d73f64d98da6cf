// SPDX-License-Identifier: MIT
/*
 * Counters that lie, and nobody told ntime: each number that it shows of them is right, or marked
 * implausible, or not there. First perf_event_open(2) alone shows that this guest lies in just the
 * ways that are known of it, so that there is something to be found; then the command is asked. In
 * guests that do not lie nothing may be marked.
 */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "guest.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/workloads/count.h"

/* Ways to lie, and which guest does it (lab/guests; facts of QEMU, not of ntime). */
enum lie {
	LIE_TWICE = 1, /* one event on several counters: but one read 0 */
	LIE_MODES = 2, /* user mode is not told from the kernel's */
	LIE_DEAD = 4,  /* an event opens and counts nothing */
	LIE_TURNS = 8, /* estimates of events that take turns are far off */
};

static const struct liar_row {
	int line;
	const char *guest;
	unsigned int lies;
} liar_rows[] = {
	{ __LINE__, "riscv64", LIE_TWICE | LIE_TURNS },
	{ __LINE__, "riscv64-7.2", LIE_TWICE | LIE_MODES | LIE_TURNS },
	{ __LINE__, "ppc64el", LIE_MODES | LIE_DEAD | LIE_TURNS },
	{ __LINE__, "arm64", 0 },
	{ __LINE__, "x86-nehalem", 0 },
	{ __LINE__, "x86-amd", LIE_DEAD },
};

static unsigned int lies_of_guest(void)
{
	const char *guest = getenv("NTIME_LAB_GUEST");

	TT_FOR_EACH_ROW(r, liar_rows) {
		if (guest && strcmp(r->guest, guest) == 0)
			return r->lies;
	}
	fail_msg("nothing is known about guest %s: give it a row", guest ? guest : "(none)");
	return 0;
}

static void must_lie(unsigned int lie, bool does)
{
	bool should = lies_of_guest() & lie;

	if (does != should)
		fail_msg("this guest %s, which is new: see lab/guests", does ? "lies" : "does not");
}

/* The kernel alone. */

#define RAW 16

struct raw {
	uint64_t count, enabled_ns, running_ns;
};

static int open_raw(uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0ul);

	return fd < 0 ? -1 : (int)fd;
}

/* Instructions and cycles by turns, @n of them, around the turns of a loop. */
static void count_raw(struct raw *out, size_t n, unsigned long turns)
{
	int fd[RAW];

	for (size_t i = 0; i < n; i++) {
		fd[i] = open_raw(i % 2 ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS);
		assert_true(fd[i] >= 0);
	}
	lab_turns(turns);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(read(fd[i], &out[i], sizeof(out[i])), sizeof(out[i]));
		(void)close(fd[i]);
	}
}

static bool counts_same_event_wrongly(void)
{
	struct raw raw[4];
	bool lies = false;

	count_raw(raw, 4, 1000000);
	for (size_t i = 0; i < 4; i++) {
		print_message("# event %zu: %" PRIu64 ", enabled %" PRIu64 " ns, running %" PRIu64
			      " ns\n",
			      i, raw[i].count, raw[i].enabled_ns, raw[i].running_ns);
		lies |= !raw[i].count && raw[i].running_ns == raw[i].enabled_ns;
	}
	return lies;
}

/* A system call is some ten instructions in user mode and hundreds in the kernel. */
static bool counts_kernel_too(void)
{
	uint64_t before, after;
	int fd = open_raw(PERF_COUNT_HW_INSTRUCTIONS);
	struct raw raw;

	assert_true(fd >= 0);
	assert_int_equal(read(fd, &raw, sizeof(raw)), sizeof(raw));
	before = raw.count;
	for (int i = 0; i < 1000; i++)
		(void)syscall(SYS_getppid);
	assert_int_equal(read(fd, &raw, sizeof(raw)), sizeof(raw));
	after = raw.count;
	(void)close(fd);
	print_message("# %" PRIu64 " instructions for 1000 system calls\n", after - before);
	return after - before > 1000 * 50;
}

static bool counts_no_branches(void)
{
	int fd = open_raw(PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	struct raw raw;

	if (fd < 0)
		return false;
	lab_turns(1000000);
	assert_int_equal(read(fd, &raw, sizeof(raw)), sizeof(raw));
	(void)close(fd);
	print_message("# %" PRIu64 " branches of a million\n", raw.count);
	return !raw.count;
}

static bool loses_turns(void)
{
	const unsigned long turns = 40000000;
	struct raw raw[RAW];
	bool lies = false;

	count_raw(raw, RAW, turns);
	for (size_t i = 0; i < RAW; i++) {
		double truth =
			ldexp((double)LAB_TURN * (double)turns, i % 2 ? (int)lab_shift() : 0);
		double value = (double)raw[i].count * (double)raw[i].enabled_ns /
			       (double)raw[i].running_ns;

		/* What never ran says so itself. */
		if (!raw[i].running_ns)
			continue;
		print_message("# event %zu: %.0f for %.0f\n", i, value, truth);
		lies |= fabs(value - truth) > truth / 4;
	}
	return lies;
}

/* The command. */

#define ITEMS 8
/* Of whole programs in all modes: what the kernel may add. */
#define KERNEL_PART 8e6

struct verdict {
	unsigned int right, marked, absent;
};

/* The least and the most that an item of this name can be for a program of @truth instructions. */
static void bounds_of(const struct lab_value *v, double truth, double least_branches, double out[2])
{
	double all = strncmp(v->name, "cycles", 6) == 0 ? ldexp(truth, (int)lab_shift()) : truth;
	bool is_branches = strncmp(v->name, "branches", 8) == 0;
	bool is_user = strstr(v->name, ":u") != NULL, is_kernel = strstr(v->name, ":k") != NULL;

	out[0] = is_kernel ? 0 : is_branches ? least_branches : all;
	out[1] = (is_kernel ? 0 : all) + (is_user ? 0 : ldexp(KERNEL_PART, (int)lab_shift()));
	if (v->is_scaled) {
		double slack = fmax(2 * v->error, all / 4);

		out[0] -= slack;
		out[1] += slack;
	}
}

static void judge(const char *command, const struct lab_value *v, const double bounds[2],
		  struct verdict *sum)
{
	bool is_right = v->value >= bounds[0] && v->value <= bounds[1];
	bool may_mark = lies_of_guest() != 0;
	const char *text = v->is_absent	       ? "absent"
			   : v->is_implausible ? "implausible"
			   : is_right	       ? "right"
					       : "WRONG";

	print_message("# %s: %s %.0f (truth %.0f to %.0f)%s: %s\n", command, v->name, v->value,
		      bounds[0], bounds[1], v->is_scaled ? ", scaled" : "", text);
	sum->absent += v->is_absent;
	sum->marked += v->is_implausible;
	sum->right += is_right && !v->is_absent && !v->is_implausible;
	if (!v->is_absent && !v->is_implausible && !is_right)
		fail_msg("%s: %s is %.0f, which is wrong, and nothing says so", command, v->name,
			 v->value);
	if (v->is_implausible && !may_mark)
		fail_msg("%s: %s is called implausible, and this guest does not lie", command,
			 v->name);
}

/* @events are at most ITEMS, separated by commas. */
static struct verdict ask(const char *events, uint64_t turns)
{
	struct lab_value v[ITEMS];
	struct verdict sum = { 0 };
	char command[512];
	size_t n = 1;

	for (const char *at = events; (at = strchr(at, ',')) != NULL; at++)
		n++;
	assert_true(n <= ITEMS);
	snprintf(command, sizeof(command), "-e %s -- ./loop %" PRIu64, events, turns);
	lab_ntime(command, v, n);
	for (size_t i = 0; i < n; i++) {
		double bounds[2];

		bounds_of(&v[i], (double)lab_count_loop(turns), (double)turns, bounds);
		judge(events, &v[i], bounds, &sum);
	}
	return sum;
}

#define FOUR "instructions:u,instructions:u,cycles:u,cycles:u"
#define EIGHT FOUR "," FOUR

TEST(same_event_several_times)
{
	struct verdict v;

	must_lie(LIE_TWICE, counts_same_event_wrongly());
	v = ask(FOUR, 1000000);
	if (lies_of_guest() & LIE_TWICE)
		TT_IS(v.marked + v.absent > 0, 1);
	(void)ask("instructions:u,instructions:u", 1000);
	(void)ask("instructions:u", 0);
}

TEST(user_mode_alone)
{
	must_lie(LIE_MODES, counts_kernel_too());
	for (uint64_t turns = 1; turns <= 1000000; turns *= 1000) {
		struct verdict v = ask("instructions:u,cycles:u", turns);

		if (lies_of_guest() & LIE_MODES)
			TT_IS(v.right, 0);
		else
			TT_IS(v.right, 2);
	}
	/* Without a filter there is nothing to lie about. */
	(void)ask("instructions,cycles", 1000000);
}

TEST(events_that_count_nothing)
{
	struct verdict v;

	must_lie(LIE_DEAD, counts_no_branches());
	v = ask("branches", 1000000);
	if (lies_of_guest() & LIE_DEAD)
		TT_IS(v.right, 0);
}

/*
 * Events that the emulated processors do not count, though a loop of branches and loads has them.
 */
static const struct zero_row {
	int line;
	const char *guest, *events; /* at most ITEMS */
	bool is_absent;		    /* as the generic event with the same code */
} zero_rows[] = {
	{ __LINE__, "x86-nehalem", "r00c4,BR_INST_RETIRED:ALL_BRANCHES,r7f89:u,r412e,branches",
	  true },
	{ __LINE__, "x86-nehalem", "MEM_INST_RETIRED:LOADS,UOPS_RETIRED:ANY:u,r02c4,r00c5", false },
	{ __LINE__, "arm64", "r10,arm_ac57::BRANCH_MISPRED,armv8_pmuv3/event=4/,cache-references",
	  true },
	{ __LINE__, "arm64", "arm_ac57::BRANCH_PRED,r12,arm_ac57::DATA_MEM_READ_ACCESS:u", false },
};

TEST(a_0_of_what_nobody_counts)
{
	const char *guest = getenv("NTIME_LAB_GUEST");

	TT_FOR_EACH_ROW(r, zero_rows) {
		struct lab_value v[ITEMS];
		char command[512];
		size_t n = 1;

		if (!guest || strcmp(r->guest, guest) != 0)
			continue;
		for (const char *at = r->events; (at = strchr(at, ',')) != NULL; at++)
			n++;
		(void)snprintf(command, sizeof(command), "-e %s -- ./loop 1000000", r->events);
		lab_ntime(command, v, n);
		for (size_t i = 0; i < n; i++) {
			print_message("# %s: %s\n", v[i].name, v[i].is_absent ? "absent" : "0?");
			TT_EQ(r, v[i].is_absent, r->is_absent);
			TT_EQ(r, v[i].is_implausible, !r->is_absent);
		}
	}
}

TEST(events_that_take_turns)
{
	must_lie(LIE_TURNS, loses_turns());
	(void)ask(EIGHT, 20000000);
	(void)ask("instructions,cycles,instructions,cycles,instructions,cycles,instructions,cycles",
		  20000000);
	/* All different, so none can be counted once for several. */
	(void)ask("instructions,cycles,instructions:u,cycles:u,instructions:k,cycles:k", 20000000);
}

/* A counter of CPU 0 that nobody else gets: bus cycles, which no counter has for itself. */
static int hold_counter(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_BUS_CYCLES,
					.pinned = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

/* Who holds counters is not known, but that they are held: doctor tells where their number is. */
TEST(counters_that_others_hold)
{
	static char out[LAB_OUTPUT];
	const char *guest = getenv("NTIME_LAB_GUEST"), *row;
	unsigned int is_free, all;
	int fd[2];

	if (!guest || strcmp(guest, "x86-nehalem") != 0)
		TT_SKIP("how many counters there are is looked at in the guest x86-nehalem");
	fd[0] = hold_counter();
	fd[1] = hold_counter();
	assert_true(fd[0] >= 0 && fd[1] >= 0);
	(void)lab_shell("ntime doctor --self-test --json | grep -A9 '\"counters\"'", out);
	row = strstr(out, "\"event\": \"counters\"");
	assert_non_null(row);
	TT_HAS(row, "\"result\": \"taken\"");
	row = strstr(row, "\"reason\": \"");
	assert_non_null(row);
	TT_IS(sscanf(row, "\"reason\": \"%u of the %u counters", &is_free, &all), 2);
	TT_IS(is_free, all - 2);
	close(fd[0]);
	close(fd[1]);
}

#define KEPT "/run/ntime/.self-test"
/* The file says that instructions count nothing; as many bytes as before. */
#define POISON                                                                                     \
	"rm -rf /run/ntime; ntime -q -e instructions:u -- true; "                                  \
	"sed 's/^\\(trial [0-9a-f]* \\)1 /\\13 /' " KEPT " >/tmp/poison; cat /tmp/poison >" KEPT   \
	"; "

static const struct poison_row {
	int line;
	const char *then; /* what is done to the file that root wrote */
	bool is_believed;
} poison_rows[] = {
	{ __LINE__, "true", true },
	{ __LINE__, "chown 1 " KEPT, false },
	{ __LINE__, "chmod 666 " KEPT, false },
	{ __LINE__, "chown 1 /run/ntime", false },
	{ __LINE__, "chmod 777 /run/ntime", false },
	{ __LINE__, "mv " KEPT " /tmp/moved; ln -s /tmp/moved " KEPT, false },
	{ __LINE__, "mv /run/ntime /tmp/dir; ln -s /tmp/dir /run/ntime", false },
	{ __LINE__, "sed -i 's/^boot ./boot x/' " KEPT, false },
	{ __LINE__, "sed -i '/^trial/d' " KEPT, false },
	{ __LINE__, "rm " KEPT "; mkfifo " KEPT, false },
};

/*
 * What self-tests found is believed if root alone can have written it, and is found out anew else.
 */
TEST(poisoned_results)
{
	static char out[LAB_OUTPUT];
	const char *guest = getenv("NTIME_LAB_GUEST");
	char line[1024];

	if (!guest || strcmp(guest, "x86-nehalem") != 0)
		TT_SKIP("files that somebody else may have written are tried in x86-nehalem");
	TT_FOR_EACH_ROW(r, poison_rows) {
		(void)snprintf(line, sizeof(line),
			       POISON "%s; ntime --json -e instructions:u -- true", r->then);
		TT_EQ(r, lab_shell(line, out), 0);
		TT_EQ(r, strstr(out, "\"not-counting\"") != NULL, r->is_believed);
		TT_EQ(r, strstr(out, "\"flags\": []") != NULL, !r->is_believed);
		(void)lab_shell("rm -rf /run/ntime /tmp/dir /tmp/moved", out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_event_several_times),
		cmocka_unit_test(user_mode_alone),
		cmocka_unit_test(events_that_count_nothing),
		cmocka_unit_test(a_0_of_what_nobody_counts),
		cmocka_unit_test(events_that_take_turns),
		cmocka_unit_test(counters_that_others_hold),
		cmocka_unit_test(poisoned_results),
	};

	return LAB_RUN(tests);
}
