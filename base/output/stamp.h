/* SPDX-License-Identifier: MIT */
/* Where and when something was measured. */
#ifndef CLI_OUTPUT_STAMP_H
#define CLI_OUTPUT_STAMP_H

#include <stdbool.h>
#include <stdint.h>

struct cli_stamp {
	char text[40];
};

/* As uname(2) has it; static memory, "" where it fails. */
const char *cli_host_name(void);

/* CLOCK_REALTIME now, in ns. */
uint64_t cli_wall_ns(void);
/* "2026-11-26T07:44:01.123Z"; without @has_ms to seconds. */
struct cli_stamp cli_stamp_utc(uint64_t wall_ns, bool has_ms);
/* "07:44:01.123" and "2026-11-26 +0100", as people here read it. */
struct cli_stamp cli_stamp_clock(uint64_t wall_ns, bool has_ms);
struct cli_stamp cli_stamp_day(uint64_t wall_ns);

#endif
