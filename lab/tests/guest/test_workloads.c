// SPDX-License-Identifier: MIT
/*
 * The workloads make as many instructions as count.h says: each is stepped through, one instruction
 * at a time.
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "guest.h"
#include "steps.h"
#include "lab/tests/workloads/count.h"

static const char *folder = ".";

static const struct step_row {
	int line;
	const char *name;
	uint64_t (*count)(uint64_t n);
	uint64_t n;
} step_rows[] = {
	{ __LINE__, "loop", lab_count_loop, 0 },
	{ __LINE__, "loop", lab_count_loop, 1 },
	{ __LINE__, "loop", lab_count_loop, 1000 },
	{ __LINE__, "straight", lab_count_straight, 0 },
	{ __LINE__, "forks", lab_count_forks, 0 },
	{ __LINE__, "forks", lab_count_forks, 1 },
	{ __LINE__, "forks", lab_count_forks, 3 },
	{ __LINE__, "threads", lab_count_threads, 0 },
	{ __LINE__, "threads", lab_count_threads, 1 },
	{ __LINE__, "threads", lab_count_threads, 3 },
	{ __LINE__, "switches", lab_count_switches, 0 },
	{ __LINE__, "switches", lab_count_switches, 1 },
	{ __LINE__, "switches", lab_count_switches, 20 },
};

static int count_steps(const char *name, const char *argument, uint64_t *steps)
{
	char path[4096], number[24], *argv[] = { path, number, NULL };

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(number, sizeof(number), "%s", argument);
	return lab_steps(argv, steps);
}

TEST(steps_are_what_count_h_says)
{
	TT_FOR_EACH_ROW(r, step_rows) {
		uint64_t steps = 0;
		char number[24];
		int ret;

		snprintf(number, sizeof(number), "%" PRIu64, r->n);
		ret = count_steps(r->name, number, &steps);
		if (ret == -ENOTSUP)
			TT_SKIP("this kernel cannot step through programs of this processor");
		TT_EQ(r, ret, 0);
		print_message("# %s %" PRIu64 ": %" PRIu64 " single steps\n", r->name, r->n, steps);
		TT_EQ(r, steps, r->count(r->n));
	}
}

/* The instrument must be able to say no: a command that fails or does not exist is not 0 steps. */
TEST(failing_commands_are_told)
{
	uint64_t steps;

	if (count_steps("loop", "0", &steps) == -ENOTSUP)
		TT_SKIP("this kernel cannot step through programs of this processor");
	TT_IS(count_steps("nothing-of-that-name", "0", &steps), -ECHILD);
	/*
	 * Wrong usage. A program with a libc must not be stepped through on ARM: an exclusive store
	 * never succeeds there.
	 */
	TT_IS(count_steps("loop", "x", &steps), -ECHILD);
}

/* test_workloads [FOLDER]: where the workloads are */
int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_what_count_h_says),
		cmocka_unit_test(failing_commands_are_told),
	};

	if (argc > 1)
		folder = argv[1];
	return LAB_RUN(tests);
}
