/* SPDX-License-Identifier: MIT */
/*
 * Text of others, made fit for a terminal.
 *
 * Names of processes, events, units and files, and what stands in traces and recordings, come from
 * people whom nobody knows. Escape sequences among it would steer the terminal of who reads it,
 * newlines would forge lines of ours, and bidirectional controls would show it in another order.
 * All text for people goes through here; CSV and JSON keep it exact and have escapes of their own.
 */
#ifndef CLI_OUTPUT_CLEAN_H
#define CLI_OUTPUT_CLEAN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Bytes of the UTF-8 character at @s, which has @bytes more; 0 when it is none (RFC 3629: no
 * surrogates, shortest form, below U+110000). Its number goes to @code. A NUL ends it, too.
 */
size_t cli_utf8_char(const char *s, size_t bytes, uint32_t *code);

/*
 * Does this character do more than stand there: C0 and C1 controls, DEL, bidirectional embeddings,
 * overrides and isolates (U+202A to U+202E, U+2066 to U+2069, Unicode Standard Annex 9)?
 */
int cli_is_control(uint32_t code);

/*
 * Copy @bytes of @text to @to, which has room for as many: what would steer a terminal and what is
 * no UTF-8 becomes '?'. No NUL is put behind them. Returns how many there are now.
 */
size_t cli_clean_copy(char *to, const char *text, size_t bytes);

/*
 * The same for a printf: @text itself where there is nothing to do, else static memory that is used
 * again by the eighth call after this; very long texts are cut there. For one thread.
 */
const char *cli_clean(const char *text);

/* Write @bytes of @text so. */
void cli_clean_print(FILE *f, const char *text, size_t bytes);

#endif
