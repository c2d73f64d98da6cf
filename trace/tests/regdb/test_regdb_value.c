// SPDX-License-Identifier: MIT
/* Values of each kind in words, without a database. */
#include "trace/lib/regdb/value.h"
#include "base/tests/tt.h"

static const struct nti_value colour_values[] = {
	{ .name = "RED", .value = 0, .has_value = true },
	{ .name = "BLUE", .value = 0x80000000, .has_value = true },
	{ .name = "NOWHERE" },
	{ .name = "GREEN", .value = 2, .has_value = true },
};
static const uint32_t colour_sorted[] = { 0, 3, 1 };
static const struct nti_enum colours = {
	.name = "colours",
	.values = colour_values,
	.count = 4,
	.sorted = colour_sorted,
	.sorted_count = 3,
};

static const struct value_row {
	int line;
	struct nti_type type;
	uint32_t bits;
	uint64_t value;
	const char *text;
} rows[] = {
	{ __LINE__, { .kind = NTI_TYPE_HEX }, 32, 0, "0" },
	{ __LINE__, { .kind = NTI_TYPE_HEX }, 32, 0xdeadbeef, "0xdeadbeef" },
	{ __LINE__, { .kind = NTI_TYPE_HEX }, 64, UINT64_MAX, "0xffffffffffffffff" },
	{ __LINE__, { .kind = NTI_TYPE_HEX, .shr = 12 }, 32, 0x123, "0x123000" },
	{ __LINE__, { .kind = NTI_TYPE_UINT }, 64, UINT64_MAX, "18446744073709551615" },
	{ __LINE__, { .kind = NTI_TYPE_UINT, .add = 1 }, 8, 31, "32" },
	{ __LINE__, { .kind = NTI_TYPE_INT }, 8, 0x7f, "127" },
	{ __LINE__, { .kind = NTI_TYPE_INT }, 8, 0xff, "-1" },
	{ __LINE__, { .kind = NTI_TYPE_INT }, 64, UINT64_C(1) << 63, "-9223372036854775808" },
	{ __LINE__, { .kind = NTI_TYPE_BOOLEAN }, 1, 1, "TRUE" },
	{ __LINE__, { .kind = NTI_TYPE_BOOLEAN }, 1, 0, "FALSE" },
	{ __LINE__, { .kind = NTI_TYPE_BOOLEAN }, 32, 3, "0x3" },
	{ __LINE__, { .kind = NTI_TYPE_FLOAT }, 32, 0x3fc00000, "1.500000" },
	{ __LINE__, { .kind = NTI_TYPE_FLOAT }, 64, 0xbff8000000000000, "-1.500000" },
	{ __LINE__, { .kind = NTI_TYPE_FLOAT }, 16, 0x3e00, "1.500000" },
	{ __LINE__, { .kind = NTI_TYPE_FLOAT }, 16, 0xc000, "-2.000000" },
	{ __LINE__, { .kind = NTI_TYPE_FLOAT }, 16, 0x0001, "0.000000" },
	{ __LINE__, { .kind = NTI_TYPE_FLOAT }, 16, 0x7c00, "inf" },
	{ __LINE__, { .kind = NTI_TYPE_FLOAT }, 8, 0x7c, "0x7c" },
	{ __LINE__, { .kind = NTI_TYPE_UFIXED, .radix = 4 }, 16, 0x18, "1.500000" },
	{ __LINE__, { .kind = NTI_TYPE_FIXED, .radix = 4 }, 16, 0xffe8, "-1.500000" },
	{ __LINE__, { .kind = NTI_TYPE_REGID }, 8, 10, "r2.z" },
	{ __LINE__, { .kind = NTI_TYPE_ENUM, .values = &colours }, 32, 2, "GREEN" },
	{ __LINE__, { .kind = NTI_TYPE_ENUM, .values = &colours }, 32, 0, "RED" },
	{ __LINE__, { .kind = NTI_TYPE_ENUM, .values = &colours }, 32, 0x80000000, "BLUE" },
	{ __LINE__, { .kind = NTI_TYPE_ENUM, .values = &colours }, 32, 3, "0x3" },
	/* a value in some of the bits */
	{ __LINE__,
	  { .kind = NTI_TYPE_UINT, .low = 8, .width = 8 },
	  32,
	  0x10002a01,
	  "42 | 0x10000001" },
};

TEST(each_kind_has_its_words)
{
	const struct nti_view view = { .chip = "" };
	char text[64];

	TT_FOR_EACH_ROW(r, rows) {
		TT_EQ(r,
		      nti_value_format(&r->type, &view, r->value, r->bits, UINT64_MAX, text,
				       sizeof(text)),
		      strlen(r->text));
		TT_STR(r, text, r->text);
	}
}

TEST(nothing_is_written_beyond_the_room)
{
	const struct nti_view view = { .chip = "" };
	const struct nti_type hex = { .kind = NTI_TYPE_HEX };
	char text[8] = "zzzzzzz";

	TT_IS(nti_value_format(&hex, &view, 0x12345678, 32, UINT64_MAX, text, 0), 0);
	TT_TEXT(text, "zzzzzzz");
	TT_IS(nti_value_format(&hex, &view, 0x12345678, 32, UINT64_MAX, text, 5), 4);
	TT_TEXT(text, "0x12");
	TT_TEXT(text + 5, "zz");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_words),
		cmocka_unit_test(nothing_is_written_beyond_the_room),
	};

	return TT_RUN(tests);
}
