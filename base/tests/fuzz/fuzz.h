/* SPDX-License-Identifier: MIT */
/* What the fuzz targets share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* A promise of what is tested; a broken one is found as a crash is. */
#define fuzz_expect(is_so)                                                                         \
	((is_so) ? (void)0 : fuzz_end(__FILE__ ":" FUZZ_TEXT(__LINE__) ": " #is_so "\n"))
#define FUZZ_TEXT(line) FUZZ_TEXT_OF(line)
#define FUZZ_TEXT_OF(line) #line

static inline void __attribute__((noreturn)) fuzz_end(const char *broken)
{
	fputs(broken, stderr);
	abort();
}

/* The input with a NUL behind it, in memory of its own, so that reading behind that is seen. */
static inline char *fuzz_text(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);

	fuzz_expect(text != NULL);
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	return text;
}

/*
 * True for one of @n inputs, always the same ones: for what would take most of the time if each
 * input did it.
 */
static inline bool fuzz_is_chosen(const uint8_t *data, size_t bytes, uint32_t n)
{
	uint32_t hash = 2166136261u;

	while (bytes--)
		hash = (hash ^ *data++) * 16777619u;
	return (hash >> 16) % n == 0;
}

/* Bytes of the input, from front to back; zeros behind the end. */
struct fuzz_bytes {
	const uint8_t *at, *end;
};

static inline uint64_t fuzz_get(struct fuzz_bytes *b, unsigned int n)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < n && b->at < b->end; i++)
		value |= (uint64_t)*b->at++ << 8 * i;
	return value;
}

#endif
