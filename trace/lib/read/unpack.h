/* SPDX-License-Identifier: MIT */
/* Ways to compress: each undone piece by piece. */
#ifndef NTI_TRACE_UNPACK_H
#define NTI_TRACE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/lazy/lazy.h"

/* Bytes that tell the way. */
#define NTI_UNPACK_MAGIC_BYTES 6

/**
 * struct nti_unpack_step - from @in to @out as far as either goes
 * @in, @in_bytes:   what is there; moved on by what was used
 * @out, @out_bytes: room; moved on by what was made
 * @is_last:	    nothing follows @in
 * @back:	    with -EILSEQ: so many bytes in front of @in what is not of the way begins
 */
struct nti_unpack_step {
	const unsigned char *in;
	size_t in_bytes;
	unsigned char *out;
	size_t out_bytes;
	bool is_last;
	size_t back;
};

/**
 * struct nti_unpack - one way
 * @name:	"gzip"
 * @library:	that does it; NULL: this build cannot undo it
 * @make:	state; NULL without memory
 * @run:	0; -EBADMSG (damaged), -EILSEQ (something else stands behind a whole one), -E2BIG
 *		(needs more memory than we give), -ENOMEM
 * @is_whole:	nothing has begun that has not ended
 * @free:	of the state
 */
struct nti_unpack {
	const char *name;
	struct nti_lazy *library;
	void *(*make)(void);
	int (*run)(void *state, struct nti_unpack_step *step);
	bool (*is_whole)(const void *state);
	void (*free)(void *state);
};

extern const struct nti_unpack nti_unpack_gzip;
extern const struct nti_unpack nti_unpack_xz;
extern const struct nti_unpack nti_unpack_zstd;

/**
 * struct nti_unpack_gap - what stands between two parts that are compressed alike, and behind the
 * last
 * @magic, @bytes: what the next one begins with
 * @pad:	zeros come in multiples of it
 * @found:	bytes of @magic that are there
 * @zeros:	in front of them
 */
struct nti_unpack_gap {
	const char *magic;
	size_t bytes, pad;
	size_t found;
	size_t zeros;
};

/*
 * 1: all of @magic is there, and was taken from @step; 0: more is needed, or nothing follows;
 * -EILSEQ.
 */
int nti_unpack_gap_run(struct nti_unpack_gap *gap, struct nti_unpack_step *step);
/* Nothing but zeros was there. */
bool nti_unpack_gap_is_end(const struct nti_unpack_gap *gap);

/* The way that @magic tells of; NULL: not compressed. */
const struct nti_unpack *nti_unpack_find(const unsigned char *magic, size_t n);

/**
 * struct nti_unpack_other - what nothing here undoes: compressed data, and archives of files
 * @name:	for people
 * @command:	that writes what is inside to its standard output, in front of a file's name
 */
struct nti_unpack_other {
	const char *name;
	const char *command;
	const char *magic;
	size_t bytes;
};

/* The one that @magic tells of, or NULL. */
const struct nti_unpack_other *nti_unpack_find_other(const unsigned char *magic, size_t n);

#endif
