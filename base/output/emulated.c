// SPDX-License-Identifier: MIT
/* The lab's mark: NTIME_LAB_GUEST. */
#include <stdlib.h>
#include <string.h>

#include "base/output/emulated.h"

#define NAME_CHARS 40

const char *cli_emulated(void)
{
	static const char name_chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					 "0123456789._-";
	static char name[NAME_CHARS + 1];
	const char *text = getenv("NTIME_LAB_GUEST");
	size_t i;

	if (!text || !*text)
		return NULL;
	/* A name that is odd is no reason to leave the mark out: other characters become _. */
	for (i = 0; i < NAME_CHARS && text[i]; i++)
		name[i] = strchr(name_chars, text[i]) ? text[i] : '_';
	name[i] = '\0';
	return name;
}

void cli_emulated_put(FILE *f, const struct cli_look *look, const char *guest)
{
	char line[128];

	if (!guest)
		return;
	snprintf(line, sizeof(line), "emulated machine: %s (counts are QEMU's, not silicon)",
		 guest);
	fputs(cli_colour(look, CLI_BAD), f);
	cli_wrap(f, look, 0, 0, line);
	fputs(cli_colour(look, CLI_PLAIN), f);
}
