// SPDX-License-Identifier: MIT
/* Databases in XML: each feature of the form in a few lines of its own. */
#include <errno.h>

#include "trace/lib/regdb/decoder.h"
#include "trace/tests/regdb/database.h"
#include "base/tests/tt.h"

/* Chips of a family that does not exist: an enumeration that variants are of. */
static const char chips[] =
	"<enum name=\"beast\" bare=\"yes\">"
	"<value value=\"1\" name=\"CAT\"/><value value=\"2\" name=\"DOG\"/>"
	"<value value=\"3\" name=\"EEL\"/><value value=\"4\" name=\"FOX\"/></enum>\n";

static const char everything[] =
	"<import file=\"chips.xml\"/>\n"
	"<copyright year=\"2026\"><author name=\"nobody\"><nick name=\"n\"/></author></copyright>\n"
	"<brief>a database</brief>\n"
	"<enum name=\"speed\"><value value=\"0\" name=\"SLOW\"/><value value=\"0x1\" "
	"name=\"FAST\"/>"
	"<value value=\"2\" name=\"BARK\" varset=\"beast\" variants=\"DOG\"/>"
	"<value value=\"2\" name=\"SWIM\" varset=\"beast\" variants=\"EEL\"/></enum>\n"
	"<enum name=\"speed\"><value value=\"3\" name=\"LATE\"/></enum>\n"
	"<bitset name=\"parts\" inline=\"yes\" prefix=\"beast\">"
	"<bitfield pos=\"0\" name=\"FUR\" variants=\"CAT:EEL\"/>"
	"<bitfield pos=\"0\" name=\"FINS\" variants=\"EEL\"/>"
	"<bitfield low=\"4\" high=\"7\" name=\"LEGS\" type=\"uint\"/></bitset>\n"
	"<bitset name=\"point\"><bitfield low=\"0\" high=\"7\" name=\"X\" type=\"int\"/>"
	"<bitfield low=\"8\" high=\"15\" name=\"Y\" type=\"int\"/></bitset>\n"
	"<spectype name=\"kilo\" shr=\"10\" type=\"hex\"/>\n"
	"<group name=\"pair\"><reg32 offset=\"0\" name=\"LOW\"/><reg32 offset=\"4\" "
	"name=\"HIGH\"/></group>\n"
	"<domain name=\"ZOO\" size=\"0x1000\" prefix=\"beast\" bare=\"yes\">\n"
	"<reg32 offset=\"0x0\" name=\"ID\"><brief>who\n  it is</brief>"
	"<bitfield low=\"0\" high=\"7\" name=\"KIND\" type=\"beast\"/>"
	"<bitfield pos=\"31\" name=\"TAME\"/></reg32>\n"
	"<reg32 offset=\"0x4\" name=\"PARTS\" type=\"parts\"/>\n"
	"<reg32 offset=\"0x8\" name=\"AT\" type=\"point\"/>\n"
	"<reg32 offset=\"0xc\" name=\"BASE\" type=\"kilo\"/>\n"
	"<reg32 offset=\"0x10\" name=\"SPEED\" type=\"speed\"/>\n"
	"<reg32 offset=\"0x14\" name=\"MODE\"><value value=\"0\" name=\"OFF\"/><value value=\"1\" "
	"name=\"ON\"/></reg32>\n"
	"<reg16 offset=\"0x18\" name=\"HALF\"/><reg8 offset=\"0x1a\" name=\"BYTE\"/>\n"
	"<reg64 offset=\"0x20\" name=\"LONG\" type=\"uint\"/>\n"
	"<reg32 offset=\"0x28\" name=\"FLOAT\" type=\"float\"/>\n"
	"<reg32 offset=\"0x2c\" name=\"FIXED\" type=\"fixed\" radix=\"8\"/>\n"
	"<reg32 offset=\"0x30\" name=\"ODD\" type=\"never heard of\"/>\n"
	"<reg32 offset=\"0x34\" name=\"OUTER\"><bitfield low=\"16\" high=\"31\" name=\"POINT\" "
	"type=\"point\"/></reg32>\n"
	/* variants of registers: ranges with and without their ends */
	"<reg32 offset=\"0x40\" name=\"MEOW\" variants=\"CAT\"/>\n"
	"<reg32 offset=\"0x40\" name=\"OTHER\" variants=\"DOG-\"/>\n"
	"<reg32 offset=\"0x44\" name=\"UP_TO_DOG\" variants=\"-DOG\"/>\n"
	"<reg32 offset=\"0x44\" name=\"FOX_ONLY\" variants=\"FOX EEL:FOX\"/>\n"
	/* arrays */
	"<reg32 offset=\"0x80\" name=\"ROW\" length=\"4\"/>\n"
	"<reg32 offset=\"0x90\" name=\"WIDE\" length=\"4\" stride=\"8\"/>\n"
	"<reg32 offset=\"0x94\" name=\"GAP\" length=\"4\" stride=\"8\"/>\n"
	"<array offset=\"0x100\" name=\"CAGE\" stride=\"0x40\" length=\"4\">\n"
	" <use-group name=\"pair\"/>\n"
	" <array offset=\"0x20\" name=\"BOX\" stride=\"0x10\" length=\"2\"><reg32 offset=\"8\" "
	"name=\"LID\"/></array>\n"
	"</array>\n"
	"<stripe offset=\"0x200\" stride=\"4\" length=\"4\"><reg32 offset=\"0\" name=\"A\"/>"
	"<reg32 offset=\"0x100\" name=\"B\" length=\"2\" stride=\"0x10\"/></stripe>\n"
	"<stripe name=\"NAMED\" offset=\"0x400\"><reg32 offset=\"4\" name=\"IN\"/></stripe>\n"
	"<array name=\"SPREAD\" offsets=\"0x500,0x540, 0x520\"><reg32 offset=\"0\" "
	"name=\"R\"/></array>\n"
	"<array name=\"NOWHERE\" doffset=\"base\" length=\"2\" stride=\"4\"><reg32 offset=\"0\" "
	"name=\"R\"/></array>\n"
	"<array offset=\"0x600\" name=\"FAST_ONLY\" stride=\"0x10\" variants=\"FOX\"><reg32 "
	"offset=\"0\" name=\"R\"/></array>\n"
	"<array offset=\"0x800\" name=\"REST\" stride=\"0x10\" length=\"0\"><reg32 offset=\"4\" "
	"name=\"R\"/></array>\n"
	"</domain>\n"
	/* words instead of bytes */
	"<domain name=\"WORDS\" width=\"32\"><reg32 offset=\"0x10\" name=\"W\"/>"
	"<reg64 offset=\"0x11\" name=\"D\"/><reg32 offset=\"0x14\" name=\"V\" type=\"uint\" "
	"low=\"8\" high=\"15\"/></domain>\n"
	"<domain name=\"ZOO\"><reg32 offset=\"0xf0\" name=\"MORE\"/></domain>\n";

static void open_everything(struct tt_database *t, const char *chip)
{
	tt_database_open(t);
	tt_database_file(t, "chips.xml", chips);
	tt_database_file(t, "all.xml", everything);
	TT_IS(tt_database_add(t, "all.xml"), 0);
	tt_database_decoder(t, chip);
}

static const struct name_row {
	int line;
	const char *chip;
	uint64_t offset;
	const char *name;
} name_rows[] = {
	{ __LINE__, "CAT", 0x0, "ID" },
	{ __LINE__, "CAT", 0x2, "ID+0x2" },
	{ __LINE__, "CAT", 0x18, "HALF" },
	{ __LINE__, "CAT", 0x19, "HALF+0x1" },
	{ __LINE__, "CAT", 0x1a, "BYTE" },
	{ __LINE__, "CAT", 0x1b, "" },
	{ __LINE__, "CAT", 0x24, "LONG+0x4" },
	{ __LINE__, "CAT", 0x40, "MEOW" },
	{ __LINE__, "DOG", 0x40, "OTHER" },
	{ __LINE__, "FOX", 0x40, "OTHER" },
	{ __LINE__, "CAT", 0x44, "UP_TO_DOG" },
	{ __LINE__, "DOG", 0x44, "UP_TO_DOG" },
	{ __LINE__, "EEL", 0x44, "FOX_ONLY" },
	{ __LINE__, "FOX", 0x44, "FOX_ONLY" },
	{ __LINE__, "CAT", 0x80, "ROW[0]" },
	{ __LINE__, "CAT", 0x8c, "ROW[3]" },
	{ __LINE__, "CAT", 0x90, "WIDE[0]" },
	{ __LINE__, "CAT", 0x94, "GAP[0]" },
	{ __LINE__, "CAT", 0xa8, "WIDE[3]" },
	{ __LINE__, "CAT", 0xac, "GAP[3]" },
	{ __LINE__, "CAT", 0xb0, "" },
	{ __LINE__, "CAT", 0xf0, "MORE" },
	{ __LINE__, "CAT", 0x100, "CAGE[0].LOW" },
	{ __LINE__, "CAT", 0x1c4, "CAGE[3].HIGH" },
	{ __LINE__, "CAT", 0x1f8, "CAGE[3].BOX[1].LID" },
	{ __LINE__, "CAT", 0x1f0, "CAGE[3].BOX[1]" },
	{ __LINE__, "CAT", 0x1f4, "CAGE[3].BOX[1]+0x4" },
	{ __LINE__, "CAT", 0x10c, "CAGE[0]+0xc" },
	{ __LINE__, "CAT", 0x208, "A[2]" },
	{ __LINE__, "CAT", 0x210, "" },
	{ __LINE__, "CAT", 0x318, "B[2][1]" },
	{ __LINE__, "CAT", 0x404, "NAMED.IN" },
	{ __LINE__, "CAT", 0x500, "SPREAD[0].R" },
	{ __LINE__, "CAT", 0x540, "SPREAD[1].R" },
	{ __LINE__, "CAT", 0x520, "SPREAD[2].R" },
	{ __LINE__, "CAT", 0x530, "" },
	{ __LINE__, "CAT", 0x600, "" },
	{ __LINE__, "FOX", 0x600, "FAST_ONLY.R" },
	{ __LINE__, "CAT", 0x800 + 0x10 * 1000000 + 4, "REST[1000000].R" },
};

TEST(addresses_have_names)
{
	struct tt_database t;

	open_everything(&t, NULL);
	TT_FOR_EACH_ROW(r, name_rows) {
		TT_EQ(r, ntime_decoder_set_chip(t.d, 0, r->chip), 0);
		TT_STR(r, tt_database_name(&t, r->offset), r->name);
		TT_EQ(r, tt_database_is_guess(&t, r->offset), 0);
	}
	tt_database_close(&t);
}

/*
 * Words of which it is remembered that they have nothing: asked of the database itself, there is
 * nothing either, and the other way round.
 */
TEST(what_is_remembered_is_true)
{
	static const char *const chosen[] = { "CAT", "DOG", "EEL", "FOX", NULL };
	struct tt_database t;

	open_everything(&t, NULL);
	TT_IS(ntime_decoder_set_domain(t.d, 1, "WORDS"), 0);
	for (int c = 0; c < 5; c++) {
		TT_IS(ntime_decoder_set_chip(t.d, 0, chosen[c]), 0);
		for (uint64_t i = 0; i < 0x8000; i++) {
			uint8_t region = i & 1;
			uint64_t offset = i / 2 + (i > 0x6000 ? UINT64_MAX - 0x7000 : 0);
			struct ntime_regdb_hit hit = { .size = sizeof(hit) };
			struct nti_found found;
			bool is = nti_decoder_look(t.d, nti_decoder_view(t.d, 0), region, offset,
						   &found);

			TT_IS(ntime_decoder_find(t.d, 0, region, offset, 4, &hit), is);
		}
	}
	tt_database_close(&t);
}

static const struct value_row {
	int line;
	const char *chip;
	uint64_t offset;
	uint32_t width;
	uint64_t value;
	const char *text;
} value_rows[] = {
	{ __LINE__, "CAT", 0x0, 4, 0x80000102, "{ KIND = DOG | TAME | 0x100 }" },
	{ __LINE__, "CAT", 0x0, 4, 0, "{ KIND = 0 }" },
	{ __LINE__, "CAT", 0x4, 4, 0x41, "{ FUR | LEGS = 4 }" },
	{ __LINE__, "EEL", 0x4, 4, 0x01, "{ FINS | LEGS = 0 }" },
	{ __LINE__, "FOX", 0x4, 4, 0x41, "{ LEGS = 4 | 0x1 }" },
	{ __LINE__, "CAT", 0x8, 4, 0x01ff, "{ X = -1 | Y = 1 }" },
	{ __LINE__, "CAT", 0x9, 1, 0x80, "{ Y = -128 }" },
	{ __LINE__, "CAT", 0xc, 4, 3, "0xc00" },
	{ __LINE__, "CAT", 0x10, 4, 1, "FAST" },
	{ __LINE__, "CAT", 0x10, 4, 2, "0x2" },
	{ __LINE__, "DOG", 0x10, 4, 2, "BARK" },
	{ __LINE__, "EEL", 0x10, 4, 2, "SWIM" },
	{ __LINE__, "CAT", 0x10, 4, 3, "LATE" },
	{ __LINE__, "CAT", 0x14, 4, 1, "ON" },
	{ __LINE__, "CAT", 0x14, 4, 7, "0x7" },
	{ __LINE__, "CAT", 0x14, 1, 1, "0x1" },
	{ __LINE__, "CAT", 0x20, 8, 1000, "1000" },
	{ __LINE__, "CAT", 0x28, 4, 0x40200000, "2.500000" },
	{ __LINE__, "CAT", 0x2c, 4, 0xffffff80, "-0.500000" },
	{ __LINE__, "CAT", 0x30, 4, 0x1f, "0x1f" },
	{ __LINE__, "CAT", 0x34, 4, 0x02010000, "{ POINT = { X = 1 | Y = 2 } }" },
	{ __LINE__, "CAT", 0x1000, 4, 0x1f, "0x1f" },
};

TEST(values_become_words)
{
	struct tt_database t;

	open_everything(&t, NULL);
	TT_FOR_EACH_ROW(r, value_rows) {
		TT_EQ(r, ntime_decoder_set_chip(t.d, 0, r->chip), 0);
		TT_STR(r, tt_database_value(&t, r->offset, r->width, r->value), r->text);
	}
	tt_database_close(&t);
}

TEST(sources_and_sentences_are_told)
{
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	struct tt_database t;

	open_everything(&t, "CAT");
	TT_IS(ntime_decoder_find(t.d, 0, 0, 0, 4, &hit), 1);
	TT_TEXT(hit.about, "who it is");
	TT_HAS(hit.source, "/all.xml:12");
	TT_IS(ntime_decoder_find(t.d, 0, 0, 0x1f8, 4, &hit), 1);
	TT_IS(hit.array_count, 2);
	TT_IS(hit.arrays[0].index, 3);
	TT_IS(hit.arrays[0].stride, 0x40);
	TT_IS(hit.arrays[1].length, 2);
	tt_database_close(&t);
}

TEST(words_are_addresses_too)
{
	struct tt_database t;

	open_everything(&t, "CAT");
	TT_IS(ntime_decoder_set_domain(t.d, 0, "WORDS"), 0);
	TT_TEXT(tt_database_name(&t, 0x40), "W");
	TT_TEXT(tt_database_name(&t, 0x42), "W+0x2");
	TT_TEXT(tt_database_name(&t, 0x44), "D");
	TT_TEXT(tt_database_name(&t, 0x48), "D+0x4");
	TT_TEXT(tt_database_name(&t, 0x4c), "");
	TT_TEXT(tt_database_value(&t, 0x50, 4, 0x2a00), "42");
	TT_IS(ntime_decoder_set_domain(t.d, 0, NULL), 0);
	TT_TEXT(tt_database_name(&t, 0x40), "MEOW");
	tt_database_close(&t);
}

/* Without a chip the first variant of the file is shown, and said to be a guess. */
TEST(an_unknown_chip_is_a_guess)
{
	struct tt_database t;

	open_everything(&t, NULL);
	TT_TEXT(tt_database_name(&t, 0x40), "MEOW?");
	TT_IS(tt_database_is_guess(&t, 0x40), 1);
	TT_IS(tt_database_is_guess(&t, 0x0), 0);
	/* the user's databases hold for any vendor */
	TT_IS(ntime_decoder_identify(t.d, 0, 0x12340001, UINT8_MAX, 0, 0), 0);
	TT_TEXT(tt_database_name(&t, 0), "ID");
	TT_TEXT(tt_database_name(&t, 0xa40c), "REST[2496]+0xc");
	tt_database_close(&t);
}

TEST(newer_databases_are_asked_first)
{
	struct tt_database t;

	tt_database_open(&t);
	tt_database_file(&t, "one.xml",
			 "<domain name=\"NV_MMIO\"><reg32 offset=\"0xa40c\" name=\"MINE\"/>"
			 "<array offset=\"0\" stride=\"0x100000\" name=\"ALL\"/>"
			 "<reg32 offset=\"0x10\" name=\"ONE\"/></domain>");
	tt_database_file(&t, "two.xml",
			 "<domain name=\"NV_MMIO\"><reg32 offset=\"0x10\" name=\"TWO\"/></domain>");
	TT_IS(tt_database_add(&t, "one.xml"), 0);
	TT_IS(tt_database_add(&t, "two.xml"), 0);
	tt_database_decoder(&t, "GT218");
	TT_TEXT(tt_database_name(&t, 0x10), "TWO");
	TT_TEXT(tt_database_name(&t, 0xa40c), "MINE");
	/* a register below is worth more than an array above */
	TT_TEXT(tt_database_name(&t, 0xa408), "PCOUNTER.PRE_SRC[2]");
	TT_TEXT(tt_database_name(&t, 0x20), "ALL+0x20");
	tt_database_close(&t);
}

/*
 * Files that import each other in a ring, a folder without root.xml, and XML of something else in
 * it.
 */
TEST(folders_and_rings_are_read_once)
{
	struct tt_database t;

	tt_database_open(&t);
	tt_database_file(&t, "a.xml",
			 "<import file=\"b.xml\"/><domain name=\"D\"><reg32 offset=\"0\" "
			 "name=\"A\"/></domain>");
	tt_database_file(
		&t, "b.xml",
		"<import file=\"a.xml\"/><import file=\"b.xml\"/><import file=\"sub/c.xml\"/>"
		"<domain name=\"D\"><reg32 offset=\"4\" name=\"B\"/></domain>");
	/* found in the folder above */
	tt_database_file(&t, "sub/c.xml",
			 "<import file=\"sub/d.xml\"/><domain name=\"D\"><reg32 offset=\"8\" "
			 "name=\"C\"/></domain>");
	tt_database_file(&t, "sub/d.xml",
			 "<domain name=\"D\"><reg32 offset=\"12\" name=\"D\"/></domain>");
	tt_database_raw(&t, "page.xml", "<html/>", 7);
	tt_database_raw(&t, "notes.txt", "<", 1);
	TT_IS(tt_database_add(&t, ""), 0);
	tt_database_decoder(&t, NULL);
	TT_IS(ntime_decoder_set_domain(t.d, 0, "D"), 0);
	TT_TEXT(tt_database_name(&t, 0), "A");
	TT_TEXT(tt_database_name(&t, 4), "B");
	TT_TEXT(tt_database_name(&t, 8), "C");
	TT_TEXT(tt_database_name(&t, 12), "D");
	/* with a root.xml only what it imports */
	tt_database_file(&t, "root.xml", "<import file=\"sub/d.xml\"/>");
	TT_IS(tt_database_add(&t, ""), 0);
	tt_database_decoder(&t, NULL);
	TT_IS(ntime_decoder_set_domain(t.d, 0, "D"), 0);
	TT_TEXT(tt_database_name(&t, 12), "D");
	tt_database_close(&t);
}

/* A number of a chip that is in a database, and the series of Adreno. */
TEST(chips_of_databases_are_known)
{
	struct tt_database t;

	tt_database_with(
		&t, "A630",
		"<enum name=\"chipset\"><value value=\"0x172\" name=\"GA102\"/></enum>"
		"<enum name=\"chip\"><value name=\"A5XX\"/><value name=\"A6XX\"/></enum>"
		"<domain name=\"A6XX\"><reg32 offset=\"0\" name=\"SIX\" varset=\"chip\" "
		"variants=\"A6XX-\"/>"
		"<reg32 offset=\"0\" name=\"FIVE\" varset=\"chip\" variants=\"A5XX\"/></domain>"
		"<domain name=\"NV_MMIO\"><reg32 offset=\"0\" name=\"ID\" varset=\"chipset\" "
		"variants=\"GA102\"/></domain>");
	TT_TEXT(ntime_decoder_chip(t.d, 0), "A6XX");
	/* the domain that is called like the chip */
	TT_TEXT(tt_database_name(&t, 0), "SIX");
	TT_IS(ntime_decoder_set_chip(t.d, 0, NULL), 0);
	TT_IS(ntime_decoder_identify(t.d, 0, 0, 0, 0, 0x172000a1), 1);
	TT_TEXT(ntime_decoder_chip(t.d, 0), "GA102");
	TT_TEXT(tt_database_name(&t, 0), "ID");
	TT_TEXT(tt_database_name(&t, 0xa40c), "");
	tt_database_close(&t);
}

/* One bitset serves registers of several widths. */
TEST(fields_without_room_are_left_out)
{
	struct tt_database t;

	tt_database_with(&t, NULL,
			 "<bitset name=\"wide\"><bitfield name=\"LOW\" pos=\"0\"/><bitfield "
			 "name=\"HIGH\" low=\"12\" high=\"15\"/></bitset><domain name=\"D\">"
			 "<reg8 offset=\"0\" name=\"NARROW\" type=\"wide\"/><reg32 offset=\"4\" "
			 "name=\"R\"><bitfield name=\"PART\" low=\"16\" high=\"27\" type=\"wide\"/>"
			 "</reg32><reg16 offset=\"8\" name=\"WIDE\" type=\"wide\"/></domain>");
	TT_TEXT(tt_database_value(&t, 0, 1, 0x3), "{ LOW | 0x2 }");
	TT_TEXT(tt_database_value(&t, 8, 2, 0x3001), "{ LOW | HIGH = 0x3 }");
	TT_HAS(tt_database_value(&t, 4, 4, 0x10000), "PART = { LOW");
	tt_database_close(&t);
}

/*
 * Laid out as a checkout of envytools: the root is a folder below, and one file is made by
 * building.
 */
TEST(checkouts_have_their_database_below)
{
	static const char *const places[] = { "rnndb-generated/nvchipsets.xml",
					      "build/rnndb-generated/nvchipsets.xml",
					      "rnndb/nvchipsets.xml" };
	static const char text[] = "<import file=\"nvchipsets.xml\"/><domain name=\"NV_MMIO\" "
				   "prefix=\"chipset\"><reg32 offset=\"0x30\" name=\"HERE\" "
				   "variants=\"NV99\"/></domain>";

	TT_FOR_EACH_ROW(place, places) {
		struct tt_database t;

		tt_database_open(&t);
		tt_database_file(&t, "rnndb/root.xml", text);
		TT_IS(tt_database_add(&t, ""), -ENOENT);
		tt_database_file(&t, "build/other.xml", "");
		tt_database_file(&t, *place,
				 "<enum name=\"chipset\" bare=\"yes\"><value value=\"0x99\" "
				 "name=\"NV99\"/></enum>");
		TT_IS(tt_database_add(&t, ""), 0);
		tt_database_decoder(&t, "NV99");
		TT_TEXT(tt_database_name(&t, 0x30), "HERE");
		tt_database_close(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_have_names),
		cmocka_unit_test(checkouts_have_their_database_below),
		cmocka_unit_test(what_is_remembered_is_true),
		cmocka_unit_test(values_become_words),
		cmocka_unit_test(sources_and_sentences_are_told),
		cmocka_unit_test(words_are_addresses_too),
		cmocka_unit_test(an_unknown_chip_is_a_guess),
		cmocka_unit_test(newer_databases_are_asked_first),
		cmocka_unit_test(folders_and_rings_are_read_once),
		cmocka_unit_test(chips_of_databases_are_known),
		cmocka_unit_test(fields_without_room_are_left_out),
	};

	return TT_RUN(tests);
}
