// SPDX-License-Identifier: MIT
/* What an output looks like, and lines broken to fit. */
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/output/clean.h"
#include "base/output/term.h"

static unsigned int terminal_width(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return CLI_TERM_WIDTH;
	return size.ws_col < CLI_TERM_MIN_WIDTH ? CLI_TERM_MIN_WIDTH : size.ws_col;
}

static bool is_utf8;

void cli_look_begin(void)
{
	setlocale(LC_CTYPE, "");
	is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	setlocale(LC_CTYPE, "C");
}

struct cli_look cli_look_at(int fd)
{
	struct cli_look look = { .width = CLI_TERM_WIDTH };
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	look.utf8 = is_utf8;
	look.is_terminal = isatty(fd);
	if (!look.is_terminal)
		return look;
	look.width = terminal_width(fd);
	/* https://no-color.org: any value that is not empty. */
	look.colour = !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
	return look;
}

const char *cli_colour(const struct cli_look *look, enum cli_colour colour)
{
	static const char *const escapes[] = {
		[CLI_PLAIN] = "\033[0m", [CLI_BOLD] = "\033[1m", [CLI_DIM] = "\033[2m",
		[CLI_WARN] = "\033[33m", [CLI_BAD] = "\033[31m", [CLI_GOOD] = "\033[32m",
	};

	return look->colour ? escapes[colour] : "";
}

static inline uint64_t eight(const char *letters)
{
	uint64_t w;

	memcpy(&w, letters, sizeof(w));
	return w;
}

/* Most texts are: eight letters at a time, the last eight over those before. */
static bool is_ascii(const char *text, size_t bytes)
{
	uint64_t any = 0;

	if (bytes < 8)
		return false;
	for (size_t i = 0; i < bytes - 8; i += 8)
		any |= eight(text + i);
	return !((any | eight(text + bytes - 8)) & 0x8080808080808080u);
}

size_t cli_text_columns_n(const char *text, size_t bytes)
{
	size_t n = 0;

	if (is_ascii(text, bytes))
		return bytes;
	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

size_t cli_text_columns(const char *text)
{
	return cli_text_columns_n(text, strlen(text));
}

void cli_print_safe(FILE *f, const char *text)
{
	cli_clean_print(f, text, strlen(text));
}

void cli_wrap(FILE *f, const struct cli_look *look, size_t column, size_t indent, const char *text)
{
	size_t room = look->width > indent + 10 ? look->width : indent + 10;
	bool is_first = true;

	while (*text) {
		size_t bytes = strcspn(text, " \n");
		size_t word = cli_text_columns_n(text, bytes);

		if (!bytes) {
			text++;
			continue;
		}
		if (!is_first && column + 1 + word > room) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!is_first) {
			putc(' ', f);
			column++;
		} else if (column > indent && column + word > room) {
			fprintf(f, "\n%*s", (int)indent, "");
			column = indent;
		}
		cli_clean_print(f, text, bytes);
		column += word;
		is_first = false;
		text += bytes;
	}
	putc('\n', f);
}
