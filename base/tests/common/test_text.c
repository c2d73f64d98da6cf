// SPDX-License-Identifier: MIT
/* base/common/text.h: lists, numbers, distances, appending. */
#include <errno.h>

#include "base/common/set.h"
#include "base/common/text.h"
#include "base/tests/tt.h"

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

/* What asks for single numbers finds those that are walked. */
TEST(lists_are_asked)
{
	TT_FOR_EACH_ROW(r, list_rows) {
		struct nti_set set = { 0 };
		char seen[256] = "";
		unsigned int n;

		TT_EQ(r, nti_set_add_list(&set, r->list, 64), r->ret);
		for (n = 0; n < 64; n++)
			if (nti_set_has(&set, n))
				append(seen, n);
		TT_STR(r, seen, r->seen);
		for (n = 0; n < 64 && r->ret == 0; n++)
			TT_EQ(r, nti_text_list_has(r->list, n), nti_set_has(&set, n));
		TT_EQ(r, nti_set_has(&set, UINT_MAX), 0);
		nti_set_fini(&set);
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

static const struct take_row {
	int line;
	const char *text;
	int base;
	bool is_there;
	uint32_t number;
	const char *rest;
} take_rows[] = {
	{ __LINE__, "1f=2", 16, true, 31, "=2" },
	{ __LINE__, "10.", 10, true, 10, "." },
	{ __LINE__, "ffffffff", 16, true, UINT32_MAX, "" },
	{ __LINE__, "100000000", 16, false, 0, "100000000" },
	{ __LINE__, "99999999999999999999", 10, false, 0, "99999999999999999999" },
	{ __LINE__, "a", 10, false, 0, "a" },
	{ __LINE__, "0x1", 16, false, 0, "0x1" },
	{ __LINE__, "-1", 10, false, 0, "-1" },
	{ __LINE__, " 1", 10, false, 0, " 1" },
	{ __LINE__, "", 10, false, 0, "" },
};

TEST(numbers_are_taken)
{
	TT_FOR_EACH_ROW(r, take_rows) {
		const char *at = r->text;
		uint32_t number = 0;

		TT_EQ(r, nti_text_take_u32(&at, r->base, &number), r->is_there);
		TT_EQ(r, number, r->number);
		TT_STR(r, at, r->rest);
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

static int note_line(void *arg, const char *line, size_t bytes)
{
	char *seen = arg;

	assert_true(nti_text_append(seen, 64, "<"));
	memcpy(seen + strlen(seen), line, bytes);
	return nti_text_append(seen, 64, ">") && bytes == 4 ? 7 : 0;
}

TEST(lines)
{
	char seen[64] = { 0 };

	TT_IS(nti_text_for_each_line("a\n\nbc", 5, note_line, seen), 0);
	TT_TEXT(seen, "<a><><bc>");
	memset(seen, 0, sizeof(seen));
	TT_IS(nti_text_for_each_line("", 0, note_line, seen), 0);
	TT_TEXT(seen, "");
	TT_IS(nti_text_for_each_line("x\nfour\nno\n", 10, note_line, seen), 7);
	TT_TEXT(seen, "<x><four>");
}

TEST(appending)
{
	TT_FOR_EACH_ROW(r, append_rows) {
		char buf[8];

		(void)snprintf(buf, sizeof(buf), "%s", r->text);
		TT_EQ(r, nti_text_append(buf, sizeof(buf), r->more), r->fits);
		TT_STR(r, buf, r->whole);
	}
}

/* None of these depends on the program's locale: tests/meson.build has some. */
static const struct compare_row {
	int line;
	const char *a, *b;
	int order; /* of the first 3 letters; 0 of all means that @b is in @a */
	bool is_part;
} compare_rows[] = {
	{ __LINE__, "IPC", "ipc", 0, true },	   { __LINE__, "ipc", "IPC", 0, true },
	{ __LINE__, "iPCs", "IpC", 0, true },	   { __LINE__, "a-INT", "int", -1, true },
	{ __LINE__, "ab", "abc", -1, false },	   { __LINE__, "abc", "ab", 1, true },
	{ __LINE__, "I_A", "IbA", -1, false },	   { __LINE__, "\xdd", "\xfd", -1, false },
	{ __LINE__, "\xc4\xb0x", "ix", 1, false }, { __LINE__, "", "", 0, true },
};

TEST(letters)
{
	TT_FOR_EACH_ROW(r, compare_rows) {
		int order = nti_text_compare_n(r->a, r->b, 3), whole = nti_text_compare(r->a, r->b);

		TT_EQ(r, (order > 0) - (order < 0), r->order);
		TT_EQ(r, whole < 0, r->order < 0);
		TT_EQ(r, nti_text_find(r->a, r->b) != NULL, r->is_part);
	}
	TT_IS(nti_text_is_alnum('_') || nti_text_is_alnum('\xfd') || nti_text_is_alnum('['), 0);
	TT_IS(nti_text_is_alnum('I') && nti_text_is_alnum('z') && nti_text_is_alnum('0'), 1);
	TT_IS(nti_text_fits("cpu[h-j]*", "cpui0"), 1);
	TT_IS(nti_text_fits("cpu[h-j]*", "cpuI0"), 0);
}

TEST(points)
{
	double number = 0, again = 0;
	char text[16], *whole = nti_text_format("%g", 1.5);

	TT_TEXT(whole, "1.5");
	free(whole);
	TT_IS(nti_text_print(text, sizeof(text), "%.2f", -0.25), 5);
	TT_TEXT(text, "-0.25");
	TT_IS(nti_text_scan(text, "%lf", &again), 1);
	TT_IS(nti_text_parse_real("2.5e1", &number), 0);
	assert_true(number == 25 && again == -0.25);
	TT_IS(nti_text_parse_real("2,5", &number), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(lists_are_asked),
		cmocka_unit_test(distances),
		cmocka_unit_test(numbers),
		cmocka_unit_test(numbers_are_taken),
		cmocka_unit_test(lines),
		cmocka_unit_test(appending),
		cmocka_unit_test(letters),
		cmocka_unit_test(points),
	};

	return TT_RUN(tests);
}
