/* SPDX-License-Identifier: MIT */
/* What all registers of a machine held at one time: read from the machine or from a file. */
#ifndef CLI_REG_DUMP_H
#define CLI_REG_DUMP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "count/cli/reg/reg.h"

/* One register; the strings are the dump's. */
struct cli_dumped {
	char *path, *table, *name;
	char *reason; /* why it could not be read, NULL when @value is what it held */
	uint64_t value;
};

struct cli_dump {
	struct cli_dumped *reg;
	size_t n;
};

/*
 * 0, or CLI_EXIT_FAILED after a sentence. Registers that are readable but refuse are there with
 * their reason.
 */
int cli_dump_read(struct cli_dump *d, struct cli_reg *r);
int cli_dump_load(struct cli_dump *d, const char *path);
void cli_dump_fini(struct cli_dump *d);

#endif
