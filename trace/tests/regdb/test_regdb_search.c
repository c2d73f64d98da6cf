// SPDX-License-Identifier: MIT
/*
 * Registers by name: the end of a name is enough, numbers choose copies, stars stand for anything.
 */
#include <errno.h>

#include "trace/tests/regdb/database.h"
#include "base/tests/tt.h"

static const char zoo[] =
	"<enum name=\"beast\"><value name=\"CAT\"/><value name=\"DOG\"/></enum>"
	"<domain name=\"ZOO\" prefix=\"beast\">"
	"<array offset=\"0x1000\" name=\"HOUSE.CAGE\" stride=\"0x100\" length=\"4\">"
	"<reg32 offset=\"0\" name=\"DOOR\"/><reg32 offset=\"4\" name=\"FOOD\" length=\"3\"/>"
	"<array offset=\"0x80\" name=\"BOX\" stride=\"8\" length=\"2\"><reg32 offset=\"4\" "
	"name=\"DOOR\"/></array></array>"
	"<stripe offset=\"0x2000\" stride=\"0x10\" length=\"8\"><reg32 offset=\"0\" name=\"SIG\" "
	"length=\"4\"/></stripe>"
	"<reg32 offset=\"0\" name=\"OLD\" variants=\"CAT\"/><reg32 offset=\"0\" name=\"NEW\" "
	"variants=\"DOG\"/>"
	"</domain>";

/* What was found, one line each: "0x1000 HOUSE.CAGE[0].DOOR 4x0x100". */
static int note(void *arg, uint8_t region, uint64_t offset, const struct ntime_regdb_hit *hit)
{
	char *text = arg;
	uint64_t i;

	assert_int_equal(region, 0);
	sprintf(text + strlen(text), "%s0x%llx %s", *text ? "; " : "", (unsigned long long)offset,
		hit->name);
	for (i = 0; i < hit->array_count; i++)
		if (hit->arrays[i].length != 1)
			sprintf(text + strlen(text), " %llux0x%llx",
				(unsigned long long)hit->arrays[i].length,
				(unsigned long long)hit->arrays[i].stride);
	return 0;
}

static const struct search_row {
	int line;
	const char *pattern;
	int ret;
	const char *found;
} rows[] = {
	{ __LINE__, "NEW", 1, "0x0 NEW" },
	{ __LINE__, "new", 1, "0x0 NEW" },
	{ __LINE__, "OLD", -ENOENT, "" },
	{ __LINE__, "BOX.DOOR", 1, "0x1084 HOUSE.CAGE[0].BOX[0].DOOR 4x0x100 2x0x8" },
	{ __LINE__, "HOUSE.CAGE.DOOR", 1, "0x1000 HOUSE.CAGE[0].DOOR 4x0x100" },
	{ __LINE__, "DOOR", 2,
	  "0x1000 HOUSE.CAGE[0].DOOR 4x0x100; 0x1084 HOUSE.CAGE[0].BOX[0].DOOR 4x0x100 2x0x8" },
	{ __LINE__, "CAGE[2].DOOR", 1, "0x1200 HOUSE.CAGE[2].DOOR" },
	{ __LINE__, "CAGE[0x3].BOX[1].DOOR", 1, "0x138c HOUSE.CAGE[3].BOX[1].DOOR" },
	{ __LINE__, "CAGE[*].BOX[1].DOOR", 1, "0x108c HOUSE.CAGE[0].BOX[1].DOOR 4x0x100" },
	{ __LINE__, "CAGE[1]*DOOR", 2,
	  "0x1100 HOUSE.CAGE[1].DOOR; 0x1184 HOUSE.CAGE[1].BOX[0].DOOR 2x0x8" },
	{ __LINE__, "FOOD[2]", 1, "0x100c HOUSE.CAGE[0].FOOD[2] 4x0x100" },
	{ __LINE__, "FOOD[3]", -ENOENT, "" },
	{ __LINE__, "DOOR[1]", -ENOENT, "" },
	{ __LINE__, "SIG[5]", 1, "0x2050 SIG[5][0] 4x0x4" },
	{ __LINE__, "SIG[5][2]", 1, "0x2058 SIG[5][2]" },
	{ __LINE__, "SI?", 1, "0x2000 SIG[0][0] 8x0x10 4x0x4" },
	{ __LINE__, "*OO*", 3,
	  "0x1000 HOUSE.CAGE[0].DOOR 4x0x100; 0x1004 HOUSE.CAGE[0].FOOD[0] 4x0x100 3x0x4; "
	  "0x1084 HOUSE.CAGE[0].BOX[0].DOOR 4x0x100 2x0x8" },
	{ __LINE__, "OOR", -ENOENT, "" },
	{ __LINE__, "", -ENOENT, "" },
	{ __LINE__, "FOOD[", -ENOENT, "" },
	{ __LINE__, "FOOD[x]", -ENOENT, "" },
};

TEST(patterns_find_registers)
{
	struct tt_database t;
	char text[1000];

	tt_database_with(&t, "DOG", zoo);
	TT_FOR_EACH_ROW(r, rows) {
		text[0] = '\0';
		TT_EQ(r, ntime_decoder_search(t.d, 0, r->pattern, note, text), r->ret);
		TT_STR(r, text, r->found);
	}
	tt_database_close(&t);
}

TEST(near_names_are_told)
{
	struct tt_database t;
	char text[1000] = "";

	tt_database_with(&t, "DOG", zoo);
	TT_IS(ntime_decoder_search(t.d, 0, "FODO", note, text), -ENOENT);
	TT_HAS(ntime_trace_error_text(t.ctx),
	       "no register is called 'FODO' on DOG: did you mean HOUSE.CAGE.FOOD?");
	tt_database_close(&t);
}

/* A number that an array does not have. */
TEST(copies_that_are_missing_are_told)
{
	static const struct {
		int line;
		const char *pattern, *sentence;
	} beyond[] = {
		{ __LINE__, "FOOD[3]",
		  "no register is called 'FOOD[3]' on DOG: HOUSE.CAGE.FOOD has 3 copies, 0 to "
		  "2" },
		{ __LINE__, "CAGE[4].FOOD[1]", "HOUSE.CAGE has 4 copies, 0 to 3" },
		{ __LINE__, "CAGE[3].BOX[2].DOOR", "HOUSE.CAGE.BOX has 2 copies, 0 to 1" },
		{ __LINE__, "SIG[7][4]", "SIG has 4 copies, 0 to 3" },
		{ __LINE__, "SIG[8][2]", "SIG has 8 copies, 0 to 7" },
	};
	struct tt_database t;
	char text[1000] = "";

	tt_database_with(&t, "DOG", zoo);
	TT_FOR_EACH_ROW(r, beyond) {
		TT_EQ(r, ntime_decoder_search(t.d, 0, r->pattern, note, text), -ENOENT);
		TT_EQ(r, strstr(ntime_trace_error_text(t.ctx), r->sentence) != NULL, 1);
	}
	tt_database_close(&t);
}

/* What a newer database hides is not found below it. */
TEST(what_is_hidden_is_not_found)
{
	struct tt_database t;
	char text[1000] = "";

	tt_database_with(&t, "GT218",
			 "<domain name=\"NV_MMIO\"><reg32 offset=\"0xa400\" name=\"MINE\" "
			 "length=\"8\"/></domain>");
	TT_IS(ntime_decoder_search(t.d, 0, "PRE_SRC", note, text), -ENOENT);
	TT_IS(ntime_decoder_search(t.d, 0, "START_SRC[1]", note, text), 1);
	TT_TEXT(text, "0xa444 PCOUNTER.START_SRC[1]");
	tt_database_close(&t);
}

static int refuse(void *arg, uint8_t region, uint64_t offset, const struct ntime_regdb_hit *hit)
{
	(void)region, (void)offset, (void)hit;
	++*(int *)arg;
	return 42;
}

TEST(a_caller_may_end_the_search)
{
	struct tt_database t;
	int calls = 0;

	tt_database_open(&t);
	tt_database_decoder(&t, "GT218");
	TT_IS(ntime_decoder_search(t.d, 0, "*", refuse, &calls), 42);
	TT_IS(calls, 1);
	tt_database_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_find_registers),
		cmocka_unit_test(near_names_are_told),
		cmocka_unit_test(copies_that_are_missing_are_told),
		cmocka_unit_test(what_is_hidden_is_not_found),
		cmocka_unit_test(a_caller_may_end_the_search),
	};

	return TT_RUN(tests);
}
