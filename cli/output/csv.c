// SPDX-License-Identifier: MIT
/* One field of CSV. */
#include <string.h>

#include "cli/output/csv.h"

void cli_csv_put(FILE *f, const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, f);
		return;
	}
	putc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', f);
		putc(*text, f);
	}
	putc('"', f);
}
