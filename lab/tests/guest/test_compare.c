// SPDX-License-Identifier: MIT
/*
 * ntime compare where instructions are counted: a program with 1 % more of them is found each time,
 * by just that much, and the same program against itself never differs.
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>

#include "base/tests/tt.h"

#define COMPARISONS 25
#define OUTPUT "/tmp/test_compare.json"
/* /lab/loop N makes 2 N instructions and a few, here as much work as to start it. */
#define PROGRAM "/lab/loop 1000000"
#define SAME "/lab/loop 1000000 "
#define LONGER "/lab/loop 1010000"
/* Hardly any of their time is the kernel's. */
#define USER "/lab/loop 20000000"
#define LONGER_USER "/lab/loop 20002000"

/* What the metric that decides says of the second command. */
struct answer {
	char metric[64];
	double factor, low, high;
	bool differs;
};

static double number(const json_t *of, const char *key)
{
	return json_number_value(json_object_get(of, key));
}

/* 0 where nothing decides. */
static size_t ask(const char *options, const char *one, const char *other, struct answer *a)
{
	char line[512];
	json_error_t error;
	json_t *root, *change;
	size_t i, runs;

	(void)snprintf(line, sizeof(line), "ntime compare %s --json -o " OUTPUT " '%s' '%s'",
		       options, one, other);
	TT_IS(system(line), 0);
	root = json_load_file(OUTPUT, 0, &error);
	assert_non_null(root);
	*a = (struct answer){ 0 };
	json_array_foreach(json_object_get(root, "changes"), i, change)
	{
		if (!json_is_true(json_object_get(change, "decides")))
			continue;
		(void)snprintf(a->metric, sizeof(a->metric), "%s",
			       json_string_value(json_object_get(change, "metric")));
		a->factor = number(change, "factor");
		a->low = number(change, "low");
		a->high = number(change, "high");
		a->differs = json_is_true(json_object_get(change, "differs"));
	}
	change = json_array_get(json_object_get(root, "commands"), 0);
	runs = json_array_size(json_object_get(change, "rounds"));
	json_decref(root);
	return runs;
}

TEST(a_hundredth_is_found)
{
	int found = 0, right = 0;
	struct answer a;

	for (int i = 0; i < COMPARISONS; i++) {
		TT_IS(ask("--by instructions:u -n 6", PROGRAM, LONGER, &a), 6);
		TT_TEXT(a.metric, "instructions:u");
		found += a.differs;
		right += fabs(a.factor - 1.01) < 1e-4 && a.low <= a.factor && a.factor <= a.high;
	}
	print_message("# 1 %% of the instructions found in %d of %d comparisons of 6 runs\n", found,
		      COMPARISONS);
	assert_true(found == COMPARISONS && right == COMPARISONS);
}

/* A ten thousandth, which no other metric could find. */
TEST(instructions_decide_in_user_mode)
{
	struct answer a;

	(void)ask("-n 6", USER, LONGER_USER, &a);
	TT_TEXT(a.metric, "instructions:u");
	TT_IS(a.differs, true);
}

TEST(nothing_is_found_where_nothing_is)
{
	int found = 0;
	struct answer a;

	for (int i = 0; i < COMPARISONS; i++) {
		(void)ask("--by instructions:u -n 6", PROGRAM, SAME, &a);
		TT_TEXT(a.metric, "instructions:u");
		found += a.differs;
	}
	print_message("# a difference of the same program found in %d of %d\n", found, COMPARISONS);
	assert_true(found <= 1);
}

/* How many runs real time takes for what instructions tell in six; nothing is asserted of it. */
TEST(by_real_time)
{
	struct answer a;
	size_t runs = ask("--by real --precision 0.4%", PROGRAM, LONGER, &a);

	TT_TEXT(a.metric, "real");
	print_message("# real time alone: %zu runs of each, %.2f %% (%.2f .. %.2f %%), %s\n", runs,
		      (a.factor - 1) * 100, (a.low - 1) * 100, (a.high - 1) * 100,
		      a.differs ? "found" : "not found");
	assert_true(a.low <= a.factor && a.factor <= a.high);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundredth_is_found),
		cmocka_unit_test(instructions_decide_in_user_mode),
		cmocka_unit_test(nothing_is_found_where_nothing_is),
		cmocka_unit_test(by_real_time),
	};

	return TT_RUN(tests);
}
