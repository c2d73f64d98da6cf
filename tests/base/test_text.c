// SPDX-License-Identifier: MIT
/* lib/base/text.h: lists, numbers, distances, appending. */
#include <errno.h>

#include "lib/base/text.h"
#include "tests/tt.h"

static const struct list_row {
	int line;
	const char *list;
	int ret;
	const char *seen;
} list_rows[] = {
	{ __LINE__, "0", 0, "0 " },
	{ __LINE__, "0-3,8", 0, "0 1 2 3 8 " },
	{ __LINE__, "0-7:2/4", 0, "0 1 4 5 " },
	{ __LINE__, "3-1", -EINVAL, "" },
	{ __LINE__, "", -EINVAL, "" },
	{ __LINE__, "1,", -EINVAL, "1 " },
	{ __LINE__, "1 2", -EINVAL, "1 " },
	{ __LINE__, "-1", -EINVAL, "" },
	{ __LINE__, "64", -ERANGE, "" },
	{ __LINE__, "0-99999999999999999999", -ERANGE, "" },
	{ __LINE__, "0-7:0/4", -EINVAL, "" },
};

static int append(void *arg, unsigned int n)
{
	char *seen = arg;

	sprintf(seen + strlen(seen), "%u ", n);
	return 0;
}

TEST(lists)
{
	TT_FOR_EACH_ROW(r, list_rows) {
		char seen[256] = "";

		TT_EQ(r, nti_text_for_each_in_list(r->list, 64, append, seen), r->ret);
		TT_STR(r, seen, r->seen);
	}
}

static const struct distance_row {
	int line;
	const char *a, *b;
	unsigned int limit, distance;
} distance_rows[] = {
	{ __LINE__, "cycles", "cycles", 3, 0 },
	{ __LINE__, "cycles", "CYCLES", 3, 0 },
	{ __LINE__, "cycles", "cylces", 3, 1 },
	{ __LINE__, "cycles", "cycle", 3, 1 },
	{ __LINE__, "cycles", "bicycles", 3, 2 },
	{ __LINE__, "cycles", "instructions", 3, 4 },
	{ __LINE__, "", "ab", 3, 2 },
};

TEST(distances)
{
	TT_FOR_EACH_ROW(r, distance_rows) {
		TT_EQ(r, nti_text_distance(r->a, r->b, r->limit), r->distance);
		TT_EQ(r, nti_text_distance(r->b, r->a, r->limit), r->distance);
	}
}

static const struct number_row {
	int line;
	const char *text;
	int ret;
	uint64_t number;
} number_rows[] = {
	{ __LINE__, "0", 0, 0 },
	{ __LINE__, "0x1f", 0, 31 },
	{ __LINE__, "18446744073709551615", 0, UINT64_MAX },
	{ __LINE__, "18446744073709551616", -ERANGE, 0 },
	{ __LINE__, "-1", -EINVAL, 0 },
	{ __LINE__, " 1", -EINVAL, 0 },
	{ __LINE__, "1x", -EINVAL, 0 },
	{ __LINE__, "", -EINVAL, 0 },
};

TEST(numbers)
{
	TT_FOR_EACH_ROW(r, number_rows) {
		uint64_t number = 0;

		TT_EQ(r, nti_text_parse_u64(r->text, &number), r->ret);
		TT_EQ(r, number, r->number);
	}
}

static const struct append_row {
	int line;
	const char *text, *more;
	bool fits;
	const char *whole;
} append_rows[] = {
	{ __LINE__, "", "", true, "" },
	{ __LINE__, "ab", "cde", true, "abcde" },
	{ __LINE__, "", "1234567", true, "1234567" },
	{ __LINE__, "", "12345678", false, "" },
	{ __LINE__, "abcd", "efgh", false, "abcd" },
	{ __LINE__, "1234567", "", true, "1234567" },
	{ __LINE__, "1234567", "8", false, "1234567" },
};

TEST(appending)
{
	TT_FOR_EACH_ROW(r, append_rows) {
		char buf[8];

		(void)snprintf(buf, sizeof(buf), "%s", r->text);
		TT_EQ(r, nti_text_append(buf, sizeof(buf), r->more), r->fits);
		TT_STR(r, buf, r->whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(distances),
		cmocka_unit_test(numbers),
		cmocka_unit_test(appending),
	};

	return TT_RUN(tests);
}
