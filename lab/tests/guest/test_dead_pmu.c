// SPDX-License-Identifier: MIT
/*
 * A PMU whose driver binds and whose registers read 0 (guest rpi-stock): the kernel then gives
 * multiples of 2^31-1 and says that it counted. The library must take no number from it, and say
 * why; what needs no PMU counts.
 */
#include <math.h>
#include <sys/wait.h>

#include "lab/tests/guest/ask.h"
#include "base/tests/tt.h"

#define WHY "the counters of armv6_1176 do not count, although its driver says so"

TEST(no_number_is_taken_from_it)
{
	static const char *const events[] = { "instructions", "cycles", "branches" };

	TT_FOR_EACH_ROW(event, events) {
		struct lab_question q = { .event = *event, .tested = true };
		struct lab_answer a;

		TT_IS(lab_ask(&q, &a), 0);
		TT_IS(a.ret, 0);
		print_message("# %s: %s\n", *event, a.reason);
		assert_true(a.value.flags & NTIME_ABSENT);
		assert_true(isnan(a.value.value));
		TT_IS(a.value.count, 0);
		TT_HAS(a.reason, WHY);
		TT_HAS(a.remedy, "count on hardware");
	}
}

TEST(software_events_count)
{
	struct lab_question q = { .event = "task-clock" };
	struct lab_answer a;

	TT_IS(lab_ask(&q, &a), 0);
	TT_IS(a.ret, 0);
	TT_IS(a.value.flags, 0);
	TT_TEXT(a.reason, "");
	assert_true(a.value.count > 0);
}

/*
 * Its exit status is that of the program it ran: events that are not there are told, and are no
 * failure (man ntime).
 */
TEST(the_command_tells_why)
{
	char text[4096], *absent;
	size_t n;
	FILE *f = popen(
		"ntime -e instructions,cycles,page-faults -- sh -c './loop 1000; exit 3' 2>&1",
		"r");
	int status;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	status = pclose(f);
	TT_IS(WEXITSTATUS(status), 3);
	absent = strstr(text, "Not counted here:");
	assert_non_null(absent);
	TT_HAS(absent, "instructions cycles");
	TT_HAS(absent, "the counters of armv6_1176 do not count");
	*absent = '\0';
	/* What stands above has numbers. */
	TT_HAS(text, "page-faults");
	assert_null(strstr(text, "instructions"));
	assert_null(strstr(text, "cycles"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_number_is_taken_from_it),
		cmocka_unit_test(software_events_count),
		cmocka_unit_test(the_command_tells_why),
	};

	return TT_RUN(tests);
}
