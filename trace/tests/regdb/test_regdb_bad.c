// SPDX-License-Identifier: MIT
/*
 * Databases that are wrong, by accident or on purpose: a sentence with file and line, nothing
 * changed, and no more memory or time than is sensible.
 */
#include <errno.h>
#include <unistd.h>

#include "trace/tests/regdb/database.h"
#include "base/tests/tt.h"

#define DOMAIN(in) "<domain name=\"D\">" in "</domain>"
#define REG(in) DOMAIN("<reg32 offset=\"0x30\" name=\"R\">" in "</reg32>")
/* A register of 8, 16 or 32 bits with attributes, and what stands in it. */
#define BITS(bits, with, in) "<reg" #bits " name=\"R\" " with ">" in "</reg" #bits ">"
#define AT0 "offset=\"0\" "
/* Fields: one that has another in it, and types. */
#define FIELD(with) "<bitfield name=\"F\" " with "/>"
#define SET(name, with, in) "<bitset name=\"" name "\" " with ">" in "</bitset>"
#define INLINE "inline=\"yes\""
#define IMPORT(file) "<import file=\"" file "\"/>"

static const struct bad_row {
	int line;
	const char *text, *sentence;
	int ret; /* 0: -EBADMSG */
} rows[] = {
	{ __LINE__, "<domain name=\"D\">", "bad.xml:2: not well-formed XML: " },
	{ __LINE__, DOMAIN(BITS(32, "offset=\"0x\"", "")), "offset='0x' is no number" },
	{ __LINE__, DOMAIN(BITS(32, "offset=\"-1\"", "")), "is no number" },
	{ __LINE__, DOMAIN(BITS(32, "offset=\"99999999999999999999999\"", "")), "is no number" },
	{ __LINE__, "<domain name=\"D\" width=\"7\"/>", "the domain's width is 7" },
	{ __LINE__,
	  DOMAIN(BITS(32, AT0,
		      "\n<bitfield name=\"A\" pos=\"31\"/>\n" FIELD("low=\"30\" high=\"40\""))),
	  "bad.xml:4: the bit field F has bits 30 to 40, and <reg32> has bits 0 to 31" },
	{ __LINE__, DOMAIN(BITS(8, AT0, FIELD("pos=\"8\""))),
	  "F has bits 8 to 8, and <reg8> has bits 0 to 7" },
	{ __LINE__,
	  DOMAIN(BITS(32, AT0,
		      "<bitfield name=\"F\" low=\"4\" high=\"7\"><bitfield name=\"G\" "
		      "pos=\"4\"/></bitfield>")),
	  "G has bits 4 to 4, and <bitfield> has bits 0 to 3" },
	{ __LINE__, SET("b", INLINE, "") DOMAIN(BITS(16, AT0 "type=\"b\"", FIELD("pos=\"16\""))),
	  "F has bits 16 to 16, and <reg16> has bits 0 to 15" },
	{ __LINE__, DOMAIN(BITS(32, AT0 "shr=\"64\"", "")), "shr and radix are 0 to 63" },
	{ __LINE__, DOMAIN(BITS(32, AT0 "low=\"3\" high=\"40\"", "")), "no bits of the register" },
	{ __LINE__, DOMAIN("<array name=\"A\" offset=\"0\" length=\"3\"/>"),
	  "<array> has a length and no stride" },
	{ __LINE__, DOMAIN("<array name=\"A\" offsets=\"1,x\"/>"), "is no list of numbers" },
	{ __LINE__,
	  SET("b", INLINE, FIELD("pos=\"0\" type=\"b\"")) DOMAIN(BITS(32, AT0 "type=\"b\"", "")),
	  "the bitset b is in itself" },
	{ __LINE__,
	  SET("b", "", FIELD("pos=\"0\" type=\"c\"")) SET("c", "", FIELD("pos=\"0\" type=\"b\""))
		  DOMAIN(BITS(32, AT0 "type=\"b\"", "")),
	  "is in itself" },
	{ __LINE__, "<spectype name=\"s\" type=\"s\"/>" DOMAIN(BITS(32, AT0 "type=\"s\"", "")),
	  "types are in each other more than 64 deep", -E2BIG },
	{ __LINE__,
	  "<group name=\"g\"><use-group name=\"g\"/></group>" DOMAIN("<use-group name=\"g\"/>"),
	  "does a group use itself?", -E2BIG },
	{ __LINE__, IMPORT("none.xml"),
	  "bad.xml:2: the imported file none.xml is neither beside it nor in /", -ENOENT },
	{ __LINE__, IMPORT("nvchipsets.xml"),
	  "; the build of envytools makes it: in its checkout run "
	  "'python3 -m ssot.gen_rnndb_nvchipsets rnndb/nvchipsets.xml'",
	  -ENOENT },
	{ __LINE__, IMPORT("/etc/passwd"),
	  "the imported file /etc/passwd is not in the database's folder" },
	{ __LINE__, IMPORT("../../etc/passwd"),
	  "the imported file ../../etc/passwd is not in the database's folder" },
	{ __LINE__, IMPORT("no/../../x.xml"), "is neither beside it nor in", -ENOENT },
	/* of the folders above a file that was named, only plain names */
	{ __LINE__, IMPORT("etc/passwd"), "is neither beside it nor in", -ENOENT },
	{ __LINE__,
	  DOMAIN("<stripe offset=\"0\" stride=\"1\" length=\"0\">" BITS(32, "offset=\"0x100000\"",
									"") "</stripe>"),
	  "more than 4096 copies reach one address", -E2BIG },
};

TEST(each_mistake_has_its_sentence)
{
	struct tt_database t;

	TT_FOR_EACH_ROW(r, rows) {
		tt_database_open(&t);
		tt_database_file(&t, "bad.xml", r->text);
		TT_EQ(r, tt_database_add(&t, "bad.xml"), r->ret ? r->ret : -EBADMSG);
		tt_has_(ntime_trace_error_text(t.ctx), r->sentence, "sentence", __FILE__, r->line);
		/* as it was */
		tt_database_decoder(&t, "GT218");
		TT_STR(r, tt_database_name(&t, 0xa40c), "PCOUNTER.PRE_SRC[3]");
		TT_STR(r, tt_database_name(&t, 0x30), "");
		tt_database_close(&t);
	}
}

/* What rnn of envytools says and passes over; the register GOOD is read all the same. */
static const struct told_row {
	int line;
	const char *text, *value; /* of the register at 0x30, which is 1 */
	const char *warning;
} told_rows[] = {
	{ __LINE__, "<domain/>", NULL, "bad.xml:2: <domain> has no name" },
	{ __LINE__, "\n<domain name=\"D\"><reg32 offset=\"0x30\"/></domain>", NULL,
	  "bad.xml:3: a register has no name" },
	{ __LINE__,
	  REG("<bitfield name=\"F\" low=\"9\" high=\"3\"/><bitfield name=\"G\" pos=\"0\"/>"),
	  "{ G }", "bad.xml:2: the bit field F needs low and high" },
	{ __LINE__, REG("<bitfield name=\"F\" pos=\"64\"/>"), "{ 0x1 }", "from 0 to 63" },
	{ __LINE__, REG("<bitfield pos=\"1\"/><bitfield name=\"G\" pos=\"0\"/>"), "{ G }",
	  "bad.xml:2: a bit field has no name" },
	{ __LINE__, REG("<value value=\"0\"/><value value=\"1\" name=\"V\"/>"), "V",
	  "bad.xml:2: a value has no name" },
	{ __LINE__, REG("<value value=\"1\" name=\"V\" variants=\"X,Y\"/>"), "V",
	  "bad.xml:2: variants without a varset" },
	{ __LINE__, REG("<value value=\"1\" name=\"V\" varset=\"none\" variants=\"X\"/>"), "V",
	  "bad.xml:2: it is unknown what the variants are of" },
	{ __LINE__,
	  "<enum name=\"e\"><value name=\"A\"/></enum>\n" REG(
		  "<value value=\"1\" name=\"V\"/><value value=\"1\" name=\"N\" varset=\"e\" "
		  "variants=\"B-\"/>"),
	  "V", "bad.xml:3: e has no value 'B'" },
	{ __LINE__,
	  "<enum name=\"e\"><value name=\"A\"/></enum>" REG(
		  "<value value=\"1\" name=\"V\"/><value value=\"1\" name=\"N\" varset=\"e\" "
		  "variants=\"A:BB\"/>"),
	  "V", "e has no value 'BB'" },
	{ __LINE__, "<domain name=\"D\"><use-group name=\"g\"/></domain>", NULL,
	  "bad.xml:2: there is no group 'g'" },
	{ __LINE__, REG("<bitfield name=\"G\" low=\"0\" high=\"3\" type=\"t\"/>"), "{ G = 0x1 }",
	  "bad.xml:2: there is no type 't'" },
	{ __LINE__, "<spectype name=\"s\" type=\"int\"/>\n<spectype name=\"s\" shr=\"9\"/>", NULL,
	  "bad.xml:3: the spectype 's' is there already, at " },
	{ __LINE__, "<domain name=\"D\" width=\"8\"/>\n<domain name=\"D\" width=\"32\"/>", NULL,
	  "bad.xml:3: <domain name='D'> has width='32', and '8' at " },
	{ __LINE__, "<import/>", NULL, "bad.xml:2: an import names no file" },
};

TEST(what_rnn_passes_over_is_told)
{
	struct tt_database t;
	char text[1024];

	TT_FOR_EACH_ROW(r, told_rows) {
		tt_database_open(&t);
		snprintf(text, sizeof(text),
			 "%s<domain name=\"D\"><reg32 offset=\"0x34\" name=\"GOOD\"/></domain>",
			 r->text);
		tt_database_file(&t, "bad.xml", text);
		TT_EQ(r, tt_database_add(&t, "bad.xml"), 0);
		tt_has_(t.log, r->warning, "warning", __FILE__, r->line);
		TT_EQ(r, strncmp(t.log, "warning: ", 9), 0);
		tt_database_decoder(&t, "GT218");
		TT_STR(r, tt_database_name(&t, 0x34), "GOOD");
		TT_STR(r, tt_database_name(&t, 0x30), r->value ? "R" : "");
		if (r->value)
			TT_STR(r, tt_database_value(&t, 0x30, 4, 1), r->value);
		tt_database_close(&t);
	}
}

/* A file in a folder of the database by its path from the root, and on the path of rnn. */
TEST(imports_are_found_from_the_root)
{
	static const char by_path[] = "<import file=\"sub/good.xml\"/>";
	struct tt_database t;
	char path[300];

	tt_database_open(&t);
	tt_database_file(&t, "sub/in.xml", by_path);
	tt_database_file(&t, "next/in.xml", by_path);
	tt_database_file(&t, "sub/good.xml", "<domain name=\"D\"/>");
	TT_IS(tt_database_add(&t, "sub/in.xml"), 0);
	TT_IS(tt_database_add(&t, "next/in.xml"), 0);
	tt_database_file(&t, "next/in.xml", "<import file=\"far/good.xml\"/>");
	TT_IS(tt_database_add(&t, "next/in.xml"), -ENOENT);
	tt_database_file(&t, "lib/x.xml", "");
	tt_database_file(&t, "lib/far/good.xml", "<domain name=\"D\"/>");
	snprintf(path, sizeof(path), "/nowhere::%s/lib", t.folder);
	TT_IS(setenv("RNN_PATH", path, 1), 0);
	TT_IS(tt_database_add(&t, "next/in.xml"), 0);
	TT_IS(unsetenv("RNN_PATH"), 0);
	tt_database_close(&t);
}

/* Links and ".." may go about in the folder, but not out of it. */
static const struct way_row {
	int line;
	const char *folder, *name, *text; /* what is read, and what root.xml imports from it */
	int ret;
	const char *sentence;
} way_rows[] = {
	{ __LINE__, "sub", "in.xml", "<import file=\"../sub/good.xml\"/>", -EBADMSG,
	  "is not in the database's folder" },
	{ __LINE__, "", "sub/in.xml", "<import file=\"../sub/good.xml\"/>", 0, NULL },
	{ __LINE__, "", "in.xml", "<import file=\"sub/../sub/good.xml\"/>", 0, NULL },
	{ __LINE__, "", "in.xml", "<import file=\"sub/same.xml\"/>", 0, NULL },
	{ __LINE__, "", "in.xml", "<import file=\"sub/up/sub/good.xml\"/>", 0, NULL },
	{ __LINE__, "sub", "in.xml", "<import file=\"up/secret.xml\"/>", -EBADMSG,
	  "is not in the database's folder" },
	{ __LINE__, "sub", "in.xml", "<import file=\"out.xml\"/>", -EBADMSG,
	  "is not in the database's folder" },
};

static void link_in(const struct tt_database *t, const char *to, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", t->folder, name);
	TT_IS(symlink(to, path), 0);
}

static void unlink_in(const struct tt_database *t, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", t->folder, name);
	TT_IS(unlink(path), 0);
}

TEST(imports_stay_in_the_folder)
{
	static const char secret[] = "<domain name=\"S\"><reg32 offset=\"0\" name=\"X\"/></domain>";
	struct tt_database t;
	char path[64];

	TT_FOR_EACH_ROW(r, way_rows) {
		tt_database_open(&t);
		tt_database_file(&t, "sub/good.xml", secret);
		tt_database_file(&t, "secret.xml", secret);
		link_in(&t, "good.xml", "sub/same.xml");
		link_in(&t, "..", "sub/up");
		link_in(&t, "../secret.xml", "sub/out.xml");
		snprintf(path, sizeof(path), "%s/%s", r->folder, r->name);
		tt_database_file(&t, path, r->text);
		snprintf(path, sizeof(path), "%s/root.xml", r->folder);
		tt_database_file(&t, path,
				 strchr(r->name, '/') ? "<import file=\"sub/in.xml\"/>"
						      : "<import file=\"in.xml\"/>");
		TT_EQ(r, tt_database_add(&t, r->folder), r->ret);
		if (r->sentence)
			tt_has_(ntime_trace_error_text(t.ctx), r->sentence, "sentence", __FILE__,
				r->line);
		unlink_in(&t, "sub/same.xml");
		unlink_in(&t, "sub/up");
		unlink_in(&t, "sub/out.xml");
		tt_database_close(&t);
	}
}

/* Files of a folder without root.xml are found by walking it. */
TEST(links_out_of_a_folder)
{
	struct tt_database t;

	tt_database_open(&t);
	tt_database_file(&t, "secret.xml", "");
	tt_database_file(&t, "sub/good.xml", "<domain name=\"D\"/>");
	link_in(&t, "../secret.xml", "sub/out.xml");
	TT_IS(tt_database_add(&t, "sub"), -EBADMSG);
	TT_HAS(ntime_trace_error_text(t.ctx), "sub/out.xml leads out of the database's folder");
	unlink_in(&t, "sub/out.xml");
	TT_IS(tt_database_add(&t, "sub"), 0);
	tt_database_close(&t);
}

/* expat needs time that grows with the square of it. */
TEST(tags_and_comments_have_a_size)
{
	static const struct token_row {
		int line;
		size_t bytes;
		const char *before, *after;
		int ret;
	} token_rows[] = {
		{ __LINE__, 100000, "<domain name=\"D", "\"/>", 0 },
		{ __LINE__, 1u << 20, "<domain name=\"D", "\"/>", -E2BIG },
		{ __LINE__, 16u << 20, "<domain name=\"D", "\"/>", -E2BIG },
		{ __LINE__, 1u << 20, "<domain name=\"D\"/><!--", "-->", -E2BIG },
		/* text between tags comes in pieces */
		{ __LINE__, 1u << 20, "<domain name=\"D\"><doc>", "</doc></domain>", 0 },
	};

	TT_FOR_EACH_ROW(r, token_rows) {
		char *text = malloc(r->bytes + 64);
		size_t at = strlen(r->before);
		struct tt_database t;

		memcpy(text, r->before, at);
		memset(text + at, 'x', r->bytes);
		strcpy(text + at + r->bytes, r->after);
		tt_database_open(&t);
		tt_database_file(&t, "long.xml", text);
		TT_EQ(r, tt_database_add(&t, "long.xml"), r->ret);
		if (r->ret)
			TT_HAS(ntime_trace_error_text(t.ctx),
			       "a tag or comment exceeds the 256 KiB limit");
		tt_database_close(&t);
		free(text);
	}
}

static int add_raw(const char *text, size_t bytes, char *sentence, size_t size)
{
	struct tt_database t;
	int ret;

	tt_database_open(&t);
	tt_database_raw(&t, "raw.xml", text, bytes);
	ret = tt_database_add(&t, "raw.xml");
	snprintf(sentence, size, "%s", ret ? ntime_trace_error_text(t.ctx) : "");
	tt_database_close(&t);
	return ret;
}

TEST(what_is_no_database_is_refused)
{
	static const char laughs[] = "<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY a "
				     "\"ha\"><!ENTITY b \"&a;&a;\">]><database>&b;</database>";
	static const char outside[] =
		"<!DOCTYPE d [<!ENTITY a SYSTEM \"/etc/passwd\">]><database>&a;</database>";
	char sentence[600];

	TT_IS(add_raw("", 0, sentence, sizeof(sentence)), -EBADMSG);
	TT_HAS(sentence, "not well-formed");
	TT_IS(add_raw("plain text", 10, sentence, sizeof(sentence)), -EBADMSG);
	TT_IS(add_raw("<html/>", 7, sentence, sizeof(sentence)), -EBADMSG);
	TT_HAS(sentence, "it begins with <html>");
	TT_IS(add_raw("<database>\0</database>", 22, sentence, sizeof(sentence)), -EBADMSG);
	TT_IS(add_raw(laughs, sizeof(laughs) - 1, sentence, sizeof(sentence)), -EBADMSG);
	TT_HAS(sentence, "declares an entity 'a'");
	TT_IS(add_raw(outside, sizeof(outside) - 1, sentence, sizeof(sentence)), -EBADMSG);
	TT_HAS(sentence, "declares an entity");
}

/* "<a><a>..." deeper than anything honest. */
TEST(depth_is_bounded)
{
	size_t n = 100000, i;
	char *text = malloc(n * 8 + 64), *at = text, sentence[600];

	assert_non_null(text);
	at += sprintf(at, "<database>");
	for (i = 0; i < n; i++)
		at += sprintf(at, "<array>");
	TT_IS(add_raw(text, (size_t)(at - text), sentence, sizeof(sentence)), -E2BIG);
	TT_HAS(sentence, "more than 64 deep");
	free(text);
}

/* Groups that use the one before twice each: 2^40 registers in a few lines. */
TEST(groups_that_multiply_are_refused)
{
	char *text = malloc(65536), *at = text;
	struct tt_database t;
	int i;

	assert_non_null(text);
	at += sprintf(at, "<group name=\"g0\"><reg32 offset=\"0\" name=\"R\"/></group>");
	for (i = 1; i < 40; i++)
		at += sprintf(at,
			      "<group name=\"g%d\"><use-group name=\"g%d\"/><use-group "
			      "name=\"g%d\"/></group>",
			      i, i - 1, i - 1);
	sprintf(at, "<domain name=\"D\"><use-group name=\"g39\"/></domain>");
	tt_database_open(&t);
	tt_database_file(&t, "bad.xml", text);
	TT_IS(tt_database_add(&t, "bad.xml"), -E2BIG);
	TT_HAS(ntime_trace_error_text(t.ctx), "more than 2000000 elements");
	tt_database_close(&t);
	free(text);
}

/* Many that reach one address, each without an answer: the search ends. */
TEST(a_look_has_an_end)
{
	char *text = malloc(1 << 20), *at = text;
	struct tt_database t;
	int i;

	assert_non_null(text);
	at += sprintf(at, "<domain name=\"D\">");
	for (i = 0; i < 5000; i++)
		at += sprintf(at, "<stripe offset=\"0\" stride=\"0x10\" length=\"3000\"><reg32 "
				  "offset=\"0x8000\" name=\"R\"/></stripe>");
	sprintf(at, "</domain>");
	tt_database_with(&t, NULL, text);
	for (i = 0; i < 100; i++)
		TT_TEXT(tt_database_name(&t, 0x7000 + (unsigned int)i), "");
	TT_TEXT(tt_database_name(&t, 0x8000), "R[0]");
	tt_database_close(&t);
	free(text);
}

/* Addresses at the end of what 64 bits hold. */
TEST(the_largest_numbers_are_no_problem)
{
	struct tt_database t;

	tt_database_with(
		&t, NULL,
		"<domain name=\"D\" size=\"0xffffffffffffffff\" width=\"32\">"
		"<reg64 offset=\"0xffffffffffffffff\" name=\"LAST\"/>"
		"<array offset=\"0xfffffffffffffff0\" name=\"A\" stride=\"0xffffffffffffffff\" "
		"length=\"0xffffffffffffffff\"><reg32 offset=\"2\" name=\"R\"/></array>"
		"<stripe offset=\"0x10\" stride=\"0x8000000000000000\" "
		"length=\"0xffffffffffffffff\"><reg32 offset=\"0xffffffffffffffff\" "
		"name=\"S\"/></stripe>"
		"<reg32 offset=\"1\" name=\"R\" length=\"0xffffffffffffffff\" "
		"stride=\"0x4000000000000000\"/></domain>");
	TT_TEXT(tt_database_name(&t, 4), "R[0]");
	(void)tt_database_name(&t, UINT64_MAX);
	(void)tt_database_name(&t, UINT64_MAX / 2);
	(void)tt_database_name(&t, 0x40);
	tt_database_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mistake_has_its_sentence),
		cmocka_unit_test(what_rnn_passes_over_is_told),
		cmocka_unit_test(imports_are_found_from_the_root),
		cmocka_unit_test(imports_stay_in_the_folder),
		cmocka_unit_test(links_out_of_a_folder),
		cmocka_unit_test(tags_and_comments_have_a_size),
		cmocka_unit_test(what_is_no_database_is_refused),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(groups_that_multiply_are_refused),
		cmocka_unit_test(a_look_has_an_end),
		cmocka_unit_test(the_largest_numbers_are_no_problem),
	};

	return TT_RUN(tests);
}
