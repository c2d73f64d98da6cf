// SPDX-License-Identifier: MIT
/*
 * The report that everybody sees first, on terminals of three widths, where there is a PMU. Numbers
 * are taken out of the comparison, and so is what depends on how busy the guest was.
 */
#include <ctype.h>
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tests/tt.h"

#define MOST_BYTES 8192
#define MOST_LINES 16

/* What the terminal got, without carriage returns. */
static void run(unsigned short columns, char text[MOST_BYTES])
{
	struct winsize size = { .ws_row = 24, .ws_col = columns };
	size_t used = 0;
	int fd, status;
	pid_t child = forkpty(&fd, NULL, NULL, &size);
	ssize_t n;

	assert_true(child >= 0);
	if (!child) {
		setenv("NO_COLOR", "1", 1);
		setenv("LC_ALL", "C.UTF-8", 1);
		execlp("ntime", "ntime", "loop", "1000000", (char *)NULL);
		_exit(127);
	}
	while (used < MOST_BYTES - 1) {
		n = read(fd, text + used, MOST_BYTES - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		for (ssize_t i = 0, at = (ssize_t)used; i < n; i++)
			if (text[at + i] != '\r')
				text[used++] = text[at + i];
	}
	text[used] = '\0';
	close(fd);
	TT_IS(waitpid(child, &status, 0), child);
	TT_IS(status, 0);
}

/* Numbers with their prefix or unit become N, rows of blanks one; lines without a word go. */
static void mask(const char *text, char out[MOST_BYTES])
{
	static const char *const units[] = { "k", "M", "G", "ms", "s" };
	size_t used = 0;

	while (*text) {
		if (!isdigit((unsigned char)*text)) {
			bool is_blank = *text == ' ' || *text == '\n';

			if (is_blank && used && (out[used - 1] == '\n' || out[used - 1] == ' '))
				used -= out[used - 1] == ' ' && *text == '\n';
			if (!is_blank || (used && out[used - 1] != '\n' &&
					  (*text == '\n' || out[used - 1] != ' ')))
				out[used++] = *text;
			text++;
			continue;
		}
		text += strspn(text, "0123456789.,");
		out[used++] = 'N';
		for (size_t i = 0; *text == ' ' && i < sizeof(units) / sizeof(units[0]); i++) {
			size_t bytes = strlen(units[i]);

			if (strncmp(text + 1, units[i], bytes) != 0 || isalnum(text[1 + bytes]))
				continue;
			text += 1 + bytes;
			break;
		}
	}
	out[used] = '\0';
}

/* What is not always there. */
static void cut(char *text, const char *part)
{
	char *at = strstr(text, part);

	if (at)
		memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

#define WIDE                                                                                       \
	"emulated machine: xN-nehalem (counts are QEMU's, not silicon)\n"                          \
	"N cycles N GHz\n"                                                                         \
	"N instructions N per cycle\n"                                                             \
	"N page faults N from disk\n"                                                              \
	"N switches\n"                                                                             \
	"no branches, caches: this machine has none (ntime doctor)\n"                              \
	"real N N % of a CPU\n"                                                                    \
	"user N\n"                                                                                 \
	"sys N\n"

static const struct row {
	int line;
	unsigned short columns;
	const char *text;
} rows[] = {
	{ __LINE__, 80, WIDE },
	{ __LINE__, 40,
	  "emulated machine: xN-nehalem (counts\n"
	  "are QEMU's, not silicon)\n"
	  "N cycles N GHz\n"
	  "N instructions N per cycle\n"
	  "N page faults N from disk\n"
	  "N switches\n"
	  "no branches, caches: this machine has\n"
	  "none (ntime doctor)\n"
	  "real N N % of a CPU\n"
	  "user N\n"
	  "sys N\n" },
	{ __LINE__, 200, WIDE },
};

TEST(the_report_is_one_screen)
{
	TT_FOR_EACH_ROW(r, rows) {
		char text[MOST_BYTES], masked[MOST_BYTES];
		size_t lines = 0;

		run(r->columns, text);
		for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
			lines++;
			if (strcspn(at, "\n") > r->columns)
				fail_msg("wider than %u columns: %s", r->columns, at);
		}
		if (r->columns >= 80 && lines > MOST_LINES)
			fail_msg("%zu lines:\n%s", lines, text);
		mask(text, masked);
		cut(masked, " N involuntary");
		cut(masked, "\nN involuntary");
		TT_STR(r, masked, r->text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_report_is_one_screen) };

	return TT_RUN(tests);
}
