// SPDX-License-Identifier: MIT
/* What an output looks like, and lines broken to fit. */
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/term.h"

static unsigned int terminal_width(int fd)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) || !size.ws_col)
		return CLI_TERM_WIDTH;
	return size.ws_col < CLI_TERM_MIN_WIDTH ? CLI_TERM_MIN_WIDTH : size.ws_col;
}

struct cli_look cli_look_at(int fd)
{
	struct cli_look look = { .width = CLI_TERM_WIDTH };
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	look.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
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

/* Columns of the @bytes first bytes: every byte but the following ones of a UTF-8 character. */
static size_t columns(const char *text, size_t bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

size_t cli_text_columns(const char *text)
{
	return columns(text, strlen(text));
}

static void print_bytes(FILE *f, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		/* C1 controls are two bytes in UTF-8, 0xc2 0x80..0x9f; the second one alone does no harm. */
		putc(c < 0x20 || c == 0x7f ? '?' : c, f);
	}
}

void cli_print_safe(FILE *f, const char *text)
{
	print_bytes(f, text, strlen(text));
}

void cli_wrap(FILE *f, const struct cli_look *look, size_t column, size_t indent, const char *text)
{
	size_t room = look->width > indent + 10 ? look->width : indent + 10;
	bool is_first = true;

	while (*text) {
		size_t bytes = strcspn(text, " \n");
		size_t word = columns(text, bytes);

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
		print_bytes(f, text, bytes);
		column += word;
		is_first = false;
		text += bytes;
	}
	putc('\n', f);
}
