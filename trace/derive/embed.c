// SPDX-License-Identifier: MIT
/*
 * Build program, not part of the library: check files of data/counters and write them as the table of trace/derive/names.h.
 *
 *     derive-embed OUT.c FILE...
 *
 * Prints FILE:LINE: and what is wrong and exits 1, so that a bad file ends the build; OUT.c is then not left behind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

enum { EVENT, PART, CHIPS, SET, MODE, START, SELECT, GROUP, MUX, COLUMNS };

static const char *const modes[] = { "SIMPLE", "EVENT_B4", "EVENT_B6", "EXTRA_B4",
				     "EXTRA_B6_EVENT_B2" };
static const char *const trusts[] = { "documented", "measured", "guessed" };

static const char *file;
static unsigned int line;
static unsigned int rows;
static char source[1024], trust[1024];

static bool bad(const char *what, const char *where)
{
	fprintf(stderr, "%s:%u: %s: %s\n", file, line, what, where);
	return false;
}

/* "03020100/ffff": eight and four digits. */
static bool is_pair(const char *text)
{
	return strspn(text, "0123456789abcdef") == 8 && text[8] == '/' &&
	       strspn(text + 9, "0123456789abcdef") == strlen(text + 9) && strlen(text + 9) >= 4;
}

static bool is_hex(const char *text)
{
	return *text && strspn(text, "0123456789abcdef") == strlen(text);
}

static bool is_decimal_up_to(const char *text, unsigned long most)
{
	return *text && strspn(text, "0123456789") == strlen(text) &&
	       strtoul(text, NULL, 10) <= most;
}

/* @mark, then a number that begins with 0x; steps behind them. */
static bool takes(const char **text, const char *mark)
{
	const char *at = *text;
	uint32_t number;

	if (strncmp(at, mark, strlen(mark)) != 0 || strncmp(at + strlen(mark), "0x", 2) != 0)
		return false;
	at += strlen(mark) + 2;
	if (!nti_text_take_u32(&at, 16, &number))
		return false;
	*text = at;
	return true;
}

/* "0xADDRESS=0xVALUE", "|0xVALUE" more, "&0xMASK", joined by ';'. */
static bool is_mux(const char *text)
{
	for (;;) {
		if (!takes(&text, "") || !takes(&text, "="))
			return false;
		while (takes(&text, "|"))
			;
		(void)takes(&text, "&");
		if (*text == '\0')
			return true;
		if (*text++ != ';')
			return false;
	}
}

static int find(const char *const *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i], word) == 0)
			return (int)i;
	return -1;
}

static bool check(char *column[COLUMNS])
{
	if (!source[0] || !trust[0])
		return bad("source and trust must stand before the first row", column[EVENT]);
	if (!is_decimal_up_to(column[PART], 9))
		return bad("no part", column[PART]);
	if (!is_decimal_up_to(column[SET], 7))
		return bad("no domain", column[SET]);
	if (find(modes, 5, column[MODE]) < 0)
		return bad("no mode", column[MODE]);
	if (strcmp(column[START], "-") != 0 && !is_pair(column[START]))
		return bad("no SRC/OP", column[START]);
	if (!is_pair(column[SELECT]))
		return bad("no SRC/OP", column[SELECT]);
	if (strcmp(column[GROUP], "-") != 0 && !is_hex(column[GROUP]))
		return bad("no group select", column[GROUP]);
	if (strcmp(column[MUX], "-") != 0 && !is_mux(column[MUX]))
		return bad("no multiplexers", column[MUX]);
	return true;
}

static bool write_row(FILE *out, char *text)
{
	char *column[COLUMNS], *save = NULL;
	int n = 0;

	for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (n == COLUMNS)
			return bad("more than nine columns", word);
		column[n++] = word;
	}
	if (n != COLUMNS)
		return bad("fewer than nine columns", n ? column[0] : "");
	if (!check(column))
		return false;
	fprintf(out, "\t{ \"%s\", %s, %s, %d, %s, %s, 0x%.8s, 0x%s, 0x%.8s, 0x%s, 0x%s, ",
		column[EVENT], column[PART], column[SET], find(modes, 5, column[MODE]),
		column[START][0] == '-' ? "false" : "true",
		column[GROUP][0] == '-' ? "false" : "true",
		column[START][0] == '-' ? "0" : column[START],
		column[START][0] == '-' ? "0" : column[START] + 9, column[SELECT],
		column[SELECT] + 9, column[GROUP][0] == '-' ? "0" : column[GROUP]);
	fprintf(out, "\"%s\", \"%s\", \"%s\", \"%s\" },\n", column[CHIPS],
		column[MUX][0] == '-' ? "" : column[MUX], source, trust);
	rows++;
	return true;
}

static bool write_line(FILE *out, char *text)
{
	if (!text[0] || text[0] == '#')
		return true;
	for (const char *p = text; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\\')
			return bad("only printable ASCII without quotes and backslashes", text);
	if (strncmp(text, "source ", 7) == 0) {
		snprintf(source, sizeof(source), "%s", text + 7);
		return true;
	}
	if (strncmp(text, "trust ", 6) == 0) {
		if (find(trusts, 3, text + 6) < 0)
			return bad("trust is documented, measured or guessed", text + 6);
		snprintf(trust, sizeof(trust), "%s", text + 6);
		return true;
	}
	return write_row(out, text);
}

static bool write_file(FILE *out)
{
	FILE *in = fopen(file, "rb");
	char text[1024];
	bool is_good = true;

	if (!in)
		return bad("cannot be opened", strerror(errno));
	source[0] = trust[0] = '\0';
	for (line = 1; is_good && fgets(text, sizeof(text), in); line++) {
		size_t n = strlen(text);

		if (!n || text[n - 1] != '\n') {
			is_good = bad("a line has no end, or more than 1,022 characters", "");
			break;
		}
		text[n - 1] = '\0';
		is_good = write_line(out, text);
	}
	fclose(in);
	return is_good;
}

int main(int argc, char **argv)
{
	bool is_good = true;
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: derive-embed OUT.c FILE...\n");
		return 2;
	}
	out = fopen(argv[1], "wb");
	if (!out) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	fprintf(out, "/* Made by trace/derive/embed.c. */\n#include \"trace/derive/names.h\"\n\n"
		     "const struct nti_known_counter nti_known_counters[] = {\n");
	for (int i = 2; i < argc && is_good; i++) {
		file = argv[i];
		is_good = write_file(out);
	}
	fprintf(out, "};\nconst unsigned int nti_known_counter_count = %u;\n", rows);
	if (fclose(out))
		is_good = false;
	if (!is_good)
		remove(argv[1]);
	return is_good ? 0 : 1;
}
