/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Text files of words, a line at a time: what scenes and vectors are written in. */
#ifndef NTM_LINES_H
#define NTM_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NTM_LINES_BYTES_MAX (1u << 20)
#define NTM_LINE_BYTES 512
#define NTM_LINE_WORDS 40

struct ntm_lines {
	const char *file; /* for sentences */
	size_t line;	  /* number of the one that is read */
	char *why;
	size_t why_bytes;
	char *word[NTM_LINE_WORDS + 1]; /* of that line; may be changed */
	size_t words;
};

/* A line that begins with .name; what .parse returns but 0 ends the file. */
struct ntm_lines_word {
	const char *name;
	int (*parse)(void *arg);
};

/*
 * Call the one of @count @words with which a line of @text begins, for each that has words; "#"
 * begins a comment. 0, -EINVAL with "FILE:LINE: ..." in .why, or the first other result of a
 * .parse.
 */
int ntm_lines_each(struct ntm_lines *l, const char *text, size_t bytes,
		   const struct ntm_lines_word *words, size_t count, void *arg);
/* Put "FILE:LINE: " and the sentence into .why. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int ntm_lines_fail(struct ntm_lines *l, const char *format,
							 ...);
/* Step behind a number of at most @most. False: there is none, or a larger one. */
bool ntm_number_take(const char **text, uint64_t most, uint64_t *out);

#endif
