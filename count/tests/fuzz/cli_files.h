/* SPDX-License-Identifier: MIT */
/*
 * Parts of the command under a fuzzer: files that they open come from the input, what they print
 * goes nowhere, and nothing is executed. meson.build puts these functions in the place of those of
 * the C library and the command.
 */
#ifndef FUZZ_CLI_FILES_H
#define FUZZ_CLI_FILES_H

#include "base/tests/fuzz/fuzz.h"

/* A file that is there while an input is tried. */
struct fuzz_opened {
	const char *path;
	const char *bytes;
	size_t n;
};

/* Only these @n can be opened from here on. */
void fuzz_files(const struct fuzz_opened *file, size_t n);

/* How many sentences were printed for people since the last call. */
unsigned int fuzz_said(void);

#endif
