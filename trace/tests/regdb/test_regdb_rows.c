// SPDX-License-Identifier: MIT
/*
 * Names that ntime has by itself: addresses typed in again from envytools' documentation, for each
 * step of the hardware.
 */
#include <errno.h>

#include "core/regs/nv50_chip.h"
#include "trace/lib/regdb/decoder.h"
#include "trace/tests/regdb/database.h"
#include "base/tests/tt.h"

static const struct name_row {
	int line;
	const char *chip;
	uint64_t offset;
	const char *name;
} name_rows[] = {
	/* what all have in one place */
	{ __LINE__, "G80", 0x0, "PMC.BOOT_0" },
	{ __LINE__, "MCP89", 0x1540, "PBUS.UNITS" },
	{ __LINE__, "G98", 0x400084, "PGRAPH.DEBUG_1" },
	{ __LINE__, "G92", 0x4008fc, "PGRAPH.UNITS" },
	{ __LINE__, "G80", 0xa400, "PCOUNTER.PRE_SRC[0]" },
	{ __LINE__, "GT218", 0xa40c, "PCOUNTER.PRE_SRC[3]" },
	{ __LINE__, "GT218", 0xa42c, "PCOUNTER.PRE_OP[3]" },
	{ __LINE__, "GT218", 0xa7cc, "PCOUNTER.CTRL[3]" },
	{ __LINE__, "GT218", 0xa70c, "PCOUNTER.CTR_PRE[3]" },
	{ __LINE__, "GT218", 0xa7fc, "PCOUNTER.QUAD_ACK_TRIGGER[7]" },
	{ __LINE__, "GT218", 0xa800, "PCOUNTER.SIG_STATUS[0][0]" },
	{ __LINE__, "GT218", 0xa8fc, "PCOUNTER.SIG_STATUS[7][7]" },
	/* what came later */
	{ __LINE__, "G80", 0xa560, "" },
	{ __LINE__, "G84", 0xa560, "PCOUNTER.SPEC_SRC[0]" },
	{ __LINE__, "G86", 0xa6a0, "" },
	{ __LINE__, "G92", 0xa6a0, "PCOUNTER.RECORD_ADDRESS_HIGH[0]" },
	{ __LINE__, "G200", 0xa580, "" },
	{ __LINE__, "GT215", 0xa580, "PCOUNTER.USER_TRIGGER[0]" },
	/* two layouts of a TPC */
	{ __LINE__, "G96", 0x408330, "PGRAPH.TPC[0].MPC.PM_GROUP_SEL" },
	{ __LINE__, "G96", 0x409334, "PGRAPH.TPC[1].MPC.PM_OUT_ENABLE" },
	{ __LINE__, "GT218", 0x40833c, "PGRAPH.TPC[0].MPC.PM_GROUP_SEL" },
	{ __LINE__, "GT218", 0x408b40, "PGRAPH.TPC[1].MPC.PM_OUT_ENABLE" },
	{ __LINE__, "GT218", 0x408508, "PGRAPH.TPC[0].TEX.PM_MUX" },
	{ __LINE__, "G80", 0x40be50, "PGRAPH.TPC[3].PROP.PM_MUX" },
	{ __LINE__, "G200", 0x408f50, "PGRAPH.TPC[1].PROP.PM_MUX" },
	{ __LINE__, "G84", 0x408290, "PGRAPH.TPC[0].MP[1].PM_SIG" },
	{ __LINE__, "G200", 0x408210, "PGRAPH.TPC[0].MP[2].PM_SIG" },
	{ __LINE__, "G92", 0x40708c, "PGRAPH.ROP[0].ZROP.PM_MUX" },
	{ __LINE__, "G92", 0x407208, "PGRAPH.ROP[2].CROP.PM_MUX" },
	/* Fermi */
	{ __LINE__, "GF108", 0x180040, "PCOUNTER.GPC[0].DOM[0].PRE_SRC" },
	{ __LINE__, "GF108", 0x1a1244, "PCOUNTER.PART[1].DOM[1].PRE_OP" },
	{ __LINE__, "GF108", 0x1b009c, "PCOUNTER.HUB.DOM[0].CTRL" },
	{ __LINE__, "GF108", 0xa40c, "" },
	{ __LINE__, "GF108", 0x50440c, "PGRAPH.GPC[0].TPC[0].UNK400.PM_MUX" },
	{ __LINE__, "GF110", 0x50cac8, "PGRAPH.GPC[1].TPC[1].TEX.PM_UNKC8" },
	{ __LINE__, "GF100", 0x504604, "PGRAPH.GPC[0].TPC[0].MP.PM_SIGSEL[0]" },
	{ __LINE__, "GF116", 0x50474c, "PGRAPH.GPC[0].TPC[0].MP.PM_SRCSEL[7]" },
	{ __LINE__, "GF108", 0x110100, "PBFB[0].PM_UNK100" },
	{ __LINE__, "GF108", 0x140028, "PMFB[0].PM_UNK28" },
	{ __LINE__, "GF108", 0x1b4028, "PCOUNTER.MAIN.UNK20[2]" },
	/* Kepler and Maxwell */
	{ __LINE__, "GK110", 0x180040, "PCOUNTER.GPC[0].DOM[0].PRE_SRC" },
	{ __LINE__, "GK104", 0x419e58, "PGRAPH.GPC_BROADCAST.TPC_ALL.MP.PM_B_MODE" },
	{ __LINE__, "GK106", 0x50de94, "PGRAPH.GPC[1].TPC[3].MP.PM_COUNTER_OVERFLOW_B" },
	{ __LINE__, "GK106", 0x50def0, "" },
	{ __LINE__, "GM206", 0x50df2c, "PGRAPH.GPC[1].TPC[3].MP.PM_COUNTER_F0[15]" },
	/* other names of chips */
	{ __LINE__, "nva8", 0xa40c, "PCOUNTER.PRE_SRC[3]" },
	{ __LINE__, "nv126", 0x504674, "PGRAPH.GPC[0].TPC[0].MP.PM_COUNTER[0]" },
	{ __LINE__, "GT200", 0x4008fc, "PGRAPH.UNITS" },
	/* whose width is a guess, as the row says */
	{ __LINE__, "GT200", 0x408128, "PGRAPH.TPC[0].MP[0].PM_COUNTER[0]?" },
};

static const char *name_at(const struct tt_database *b, uint32_t device, uint64_t offset)
{
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };

	assert_true(ntime_decoder_find(b->d, device, 0, offset, 4, &hit) >= 0);
	return hit.name;
}

TEST(each_step_has_its_names)
{
	struct tt_database b;

	tt_database_rows(&b);
	TT_FOR_EACH_ROW(r, name_rows) {
		TT_EQ(r, ntime_decoder_set_chip(b.d, 0, r->chip), 0);
		TT_STR(r, name_at(&b, 0, r->offset), r->name);
	}
	tt_database_close(&b);
}

static const struct value_row {
	int line;
	const char *chip;
	uint64_t offset;
	uint32_t width;
	uint64_t value;
	const char *text;
} value_rows[] = {
	{ __LINE__, "GT218", 0, 4, 0x0a8c00b1,
	  "{ STEPPING = 0xb1 | DEVICE_ID = 0x18 | CHIPSET = GT218 | FOUNDRY = TSMC }" },
	{ __LINE__, "G96", 0x4008fc, 4, 0x00c30003,
	  "{ TPC_MASK = 0x3 | ROP_MASK = 0x3 | MP_MASK = 0x3 }" },
	{ __LINE__, "GT218", 0x4008fc, 4, 0x30010001,
	  "{ TPC_MASK = 0x1 | ROP_MASK = 0x1 | MP_MASK = 0x3 }" },
	{ __LINE__, "GT218", 0x400084, 4, 0x20, "{ PM_TRIGGER }" },
	{ __LINE__, "GT218", 0x408508, 4, 0x803, "{ PM_ENABLE | 0x3 }" },
	{ __LINE__, "GT218", 0xa40c, 4, 0x020100,
	  "{ SRC0 = 0 | SRC1 = 0x1 | SRC2 = 0x2 | SRC3 = 0 }" },
	/* bit 18 of PRE_OP is nothing before G92 */
	{ __LINE__, "G86", 0xa420, 4, 0x4aaaa, "{ FUNC = 0xaaaa | 0x40000 }" },
	{ __LINE__, "G92", 0xa420, 4, 0x4aaaa,
	  "{ FUNC = 0xaaaa | ARG2 = SRC0_DELAY1 | ARG3 = SRC3 }" },
	/* one field that is all of it: a number */
	{ __LINE__, "GT218", 0xa70c, 4, 0xc4, "0xc4" },
	{ __LINE__, "GT218", 0xa70c, 4, 0, "0" },
	/* parts: fields outside of the access are left out */
	{ __LINE__, "GT218", 0xa40e, 2, 0x2c04, "{ SRC2 = 0x4 | SRC3 = 0x2c }" },
	{ __LINE__, "GT218", 0xa40c, 1, 7, "{ SRC0 = 0x7 }" },
	{ __LINE__, "GT218", 0xa70e, 2, 7, "0x7" },
};

TEST(values_become_words)
{
	struct tt_database b;
	char text[600];

	tt_database_rows(&b);
	TT_FOR_EACH_ROW(r, value_rows) {
		struct ntime_regdb_hit hit = { .size = sizeof(hit) };
		char small[6];

		TT_EQ(r, ntime_decoder_set_chip(b.d, 0, r->chip), 0);
		TT_EQ(r, ntime_decoder_find(b.d, 0, 0, r->offset, r->width, &hit), 1);
		TT_EQ(r, ntime_decoder_value(b.d, &hit, r->width, r->value, text, sizeof(text)),
		      strlen(r->text));
		TT_STR(r, text, r->text);
		/* where there is no room it is cut */
		ntime_decoder_value(b.d, &hit, r->width, r->value, small, sizeof(small));
		TT_EQ(r, strncmp(small, r->text, sizeof(small) - 1), 0);
		TT_EQ(r, strlen(small) < sizeof(small), 1);
	}
	tt_database_close(&b);
}

static const struct identify_row {
	int line;
	uint32_t vendor_device;
	uint8_t region;
	uint64_t offset, value;
	int ret;
	const char *chip, *name; /* of 0xa40c */
} identify_rows[] = {
	{ __LINE__, 0x10de0640, UINT8_MAX, 0, 0, 1, "G96", "PCOUNTER.PRE_SRC[3]" },
	{ __LINE__, 0x10de05e1, UINT8_MAX, 0, 0, 1, "G200", "PCOUNTER.PRE_SRC[3]" },
	/* the card itself tells, also where its id is not known */
	{ __LINE__, 0, 0, 0, 0x0a8c00b1, 1, "GT218", "PCOUNTER.PRE_SRC[3]" },
	{ __LINE__, 0x10de0000, 0, 0, 0x084300a2, 1, "G84", "PCOUNTER.PRE_SRC[3]" },
	{ __LINE__, 0x10de0a65, 0, 0, 0x0a3280a2, 1, "GT215", "PCOUNTER.PRE_SRC[3]" },
	/* the vendor alone: names, which may be wrong */
	{ __LINE__, 0x10de0001, UINT8_MAX, 0, 0, 1, "", "PCOUNTER.PRE_SRC[3]?" },
	/*
	 * nobody's word, another vendor, another register, a chip that is not known, no register at
	 * all
	 */
	{ __LINE__, 0, UINT8_MAX, 0, 0, 0, "", "" },
	{ __LINE__, 0x80861521, 0, 0, 0x0a8c00b1, 0, "", "" },
	{ __LINE__, 0, 0, 4, 0x0a8c00b1, 0, "", "" },
	{ __LINE__, 0, 1, 0, 0x0a8c00b1, 0, "", "" },
	{ __LINE__, 0, 0, 0, 0x172000a1, 0, "", "" },
	{ __LINE__, 0, 0, 0, 0xffffffff, 0, "", "" },
	{ __LINE__, 0, 0, 0, 0x0a800001, 0, "", "" },
};

TEST(chips_tell_who_they_are)
{
	struct tt_database b;

	TT_FOR_EACH_ROW(r, identify_rows) {
		tt_database_rows(&b);
		TT_EQ(r,
		      ntime_decoder_identify(b.d, 7, r->vendor_device, r->region, r->offset,
					     r->value),
		      r->ret);
		TT_STR(r, ntime_decoder_chip(b.d, 7), r->chip);
		TT_STR(r, name_at(&b, 7, 0xa40c), r->name);
		/* of another device nothing was told */
		TT_STR(r, name_at(&b, 8, 0xa40c), "");
		tt_database_close(&b);
	}
}

TEST(what_the_user_says_stays)
{
	struct tt_database b;

	tt_database_rows(&b);
	TT_IS(ntime_decoder_set_chip(b.d, UINT32_MAX, "G92"), 0);
	TT_IS(ntime_decoder_set_chip(b.d, 1, "G80"), 0);
	TT_TEXT(ntime_decoder_chip(b.d, 0), "G92");
	TT_TEXT(ntime_decoder_chip(b.d, 1), "G80");
	/* what is meant for all gives way to what a card says, what is meant for one does not */
	TT_IS(ntime_decoder_identify(b.d, 0, 0, 0, 0, 0x0a8c00b1), 1);
	TT_IS(ntime_decoder_identify(b.d, 0, 0, 0, 0, 0x0a8c00b1), 0);
	TT_IS(ntime_decoder_identify(b.d, 1, 0, 0, 0, 0x0a8c00b1), 0);
	TT_TEXT(ntime_decoder_chip(b.d, 0), "GT218");
	TT_TEXT(ntime_decoder_chip(b.d, 1), "G80");
	TT_IS(ntime_decoder_set_chip(b.d, 1, NULL), 0);
	TT_TEXT(ntime_decoder_chip(b.d, 1), "G92");
	tt_database_close(&b);
}

/* GT218: PRE_SRC[0] and those behind it have 32 bits each, from 0xa400 on; before it is none. */
static const struct access_row {
	int line;
	uint64_t offset;
	uint32_t width;
	uint64_t value;
	const char *name, *words;
} access_rows[] = {
	{ __LINE__, 0xa400, 4, 0x04030201, "PCOUNTER.PRE_SRC[0]",
	  "{ SRC0 = 0x1 | SRC1 = 0x2 | SRC2 = 0x3 | SRC3 = 0x4 }" },
	{ __LINE__, 0xa402, 2, 0x0403, "PCOUNTER.PRE_SRC[0]+0x2", "{ SRC2 = 0x3 | SRC3 = 0x4 }" },
	{ __LINE__, 0xa400, 8, 0x0807060504030201, "PCOUNTER.PRE_SRC[0], PCOUNTER.PRE_SRC[1]",
	  "{ SRC0 = 0x1 | SRC1 = 0x2 | SRC2 = 0x3 | SRC3 = 0x4 }, "
	  "{ SRC0 = 0x5 | SRC1 = 0x6 | SRC2 = 0x7 | SRC3 = 0x8 }" },
	{ __LINE__, 0xa402, 4, 0x06050403, "PCOUNTER.PRE_SRC[0]+0x2, PCOUNTER.PRE_SRC[1]",
	  "{ SRC2 = 0x3 | SRC3 = 0x4 }, { SRC0 = 0x5 | SRC1 = 0x6 }" },
	{ __LINE__, 0xa3fc, 8, 0x0403020100000007, "0xa3fc, PCOUNTER.PRE_SRC[0]",
	  "0x00000007, { SRC0 = 0x1 | SRC1 = 0x2 | SRC2 = 0x3 | SRC3 = 0x4 }" },
	{ __LINE__, 0xffff00, 8, 7, "", "" },
	{ __LINE__, 0xffff00, 4, 7, "", "" },
};

TEST(accesses_reach_several_registers)
{
	char text[512];
	struct tt_database b;

	tt_database_rows(&b);
	TT_IS(ntime_decoder_set_chip(b.d, 0, "GT218"), 0);
	TT_FOR_EACH_ROW(r, access_rows) {
		TT_EQ(r, ntime_decoder_name(b.d, 0, 0, r->offset, r->width, text, sizeof(text)),
		      strlen(r->name));
		TT_STR(r, text, r->name);
		TT_EQ(r,
		      ntime_decoder_words(b.d, 0, 0, r->offset, r->width, r->value, text,
					  sizeof(text)),
		      strlen(r->words));
		TT_STR(r, text, r->words);
		/* Cut, and never beyond. */
		for (size_t room = 1; room < 40; room++) {
			memset(text, 'x', sizeof(text));
			(void)ntime_decoder_name(b.d, 0, 0, r->offset, r->width, text, room);
			TT_EQ(r, strlen(text) < room && strncmp(text, r->name, strlen(text)) == 0,
			      1);
			TT_EQ(r, text[room], 'x');
			(void)ntime_decoder_words(b.d, 0, 0, r->offset, r->width, r->value, text,
						  room);
			TT_EQ(r, strlen(text) < room, 1);
			TT_EQ(r, text[room], 'x');
		}
	}
	tt_database_close(&b);
}

TEST(wrong_questions_get_a_sentence)
{
	struct ntime_regdb_hit hit = { .size = 1 };
	struct tt_database b;

	tt_database_rows(&b);
	TT_IS(ntime_decoder_set_chip(b.d, 0, "GT281"), -ENOENT);
	TT_HAS(ntime_trace_error_text(b.ctx), "did you mean GT218?");
	TT_IS(ntime_decoder_set_chip(b.d, 0, "Voodoo"), -ENOENT);
	TT_HAS(ntime_trace_error_text(b.ctx), "no chip is called 'Voodoo'");
	TT_IS(ntime_decoder_set_domain(b.d, 9, "NV_MMIO"), -ERANGE);
	TT_IS(ntime_decoder_set_domain(b.d, 0, "A6XX"), -ENOENT);
	TT_HAS(ntime_trace_error_text(b.ctx), "there are: NV_MMIO");
	TT_IS(ntime_decoder_find(b.d, 0, 0, 0, 4, &hit), -EINVAL);
	TT_IS(ntime_regdb_add(b.db, "/nonexistent/root.xml") < 0, 1);
	assert_true(ntime_trace_error_text(b.ctx)[0] != '\0');
	tt_database_close(&b);
}

TEST(regions_have_the_domain_that_is_chosen)
{
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	struct tt_database b;

	tt_database_rows(&b);
	TT_IS(ntime_decoder_set_chip(b.d, 0, "G80"), 0);
	TT_IS(ntime_decoder_find(b.d, 0, 3, 0xa400, 4, &hit), 0);
	TT_TEXT(hit.name, "");
	TT_IS(ntime_decoder_set_domain(b.d, 3, "NV_MMIO"), 0);
	TT_IS(ntime_decoder_find(b.d, 0, 3, 0xa400, 4, &hit), 1);
	TT_IS(hit.array_count, 1);
	TT_IS(hit.arrays[0].length, 8);
	TT_IS(hit.arrays[0].stride, 4);
	TT_IS(hit.bits, 32);
	TT_IS(ntime_decoder_find(b.d, 0, 0xff, 0xa400, 4, &hit), 0);
	tt_database_close(&b);
}

/* More addresses than are remembered: the same answers before and after. */
TEST(memory_is_bounded)
{
	struct tt_database b;
	uint64_t i;

	tt_database_rows(&b);
	TT_IS(ntime_decoder_set_chip(b.d, 0, "GT218"), 0);
	for (i = 0; i < 200000; i++)
		(void)name_at(&b, 0, i * 4);
	TT_TEXT(name_at(&b, 0, 0xa40c), "PCOUNTER.PRE_SRC[3]");
	tt_database_close(&b);
}

/*
 * Words of which it is remembered that they have nothing: asked of the database itself, there is
 * nothing either, and the other way round.
 */
TEST(what_is_remembered_is_true)
{
	static const char *const chips[] = { "G80", "G98", "GT218", "GF100", NULL };
	struct tt_database b;

	tt_database_rows(&b);
	for (int c = 0; c < 5; c++) {
		TT_IS(ntime_decoder_set_chip(b.d, 0, chips[c]), 0);
		for (uint64_t i = 0; i < 0x1000000; i += i < 0xc000 ? 1 : i & 1 ? 3 : 61) {
			struct ntime_regdb_hit hit = { .size = sizeof(hit) };
			struct nti_found found;
			bool is = nti_decoder_look(b.d, nti_decoder_view(b.d, 0), 0, i, &found);

			TT_IS(ntime_decoder_find(b.d, 0, 0, i, 4, &hit), is);
		}
	}
	tt_database_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_step_has_its_names),
		cmocka_unit_test(values_become_words),
		cmocka_unit_test(chips_tell_who_they_are),
		cmocka_unit_test(what_the_user_says_stays),
		cmocka_unit_test(accesses_reach_several_registers),
		cmocka_unit_test(wrong_questions_get_a_sentence),
		cmocka_unit_test(regions_have_the_domain_that_is_chosen),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(what_is_remembered_is_true),
	};

	return TT_RUN(tests);
}
