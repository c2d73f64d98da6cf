/* SPDX-License-Identifier: MIT */
/*
 * The input in pieces of whole lines (or, of binary forms, of whatever is there), in blocks that
 * stay in a core's cache.
 */
#ifndef NTI_TRACE_PIECES_H
#define NTI_TRACE_PIECES_H

#include "trace/lib/read/front.h"

struct nti_error;
struct nti_input;

/* A block, and the zeros behind it that parsers may read. */
#define NTI_BLOCK_BYTES ((size_t)128 << 10)
#define NTI_BLOCK_PAD 64

/**
 * struct nti_pieces - cuts the input
 * @in:		lent
 * @is_text:	pieces end behind a newline
 * @carry:	what was behind the end of the piece before, @carry_n bytes of it
 * @is_first:	nothing was given yet
 * @is_skipping: a line that is too long for a block is passed over
 * @ended:	there is no more
 * @error:	comes when what is before it was given
 */
struct nti_pieces {
	struct nti_input *in;
	bool is_text, is_first, is_skipping, ended;
	char *carry;
	size_t carry_n, carry_room;
	int error;
};

/**
 * struct nti_cut - a piece and what happened to it
 * @piece:	what is to be parsed; may be empty
 * @is_long:	@piece is the beginning of a line that is longer than any tracer's, and nothing else
 * @is_restart:	the input begins anew behind @piece: what was not read is lost
 * @position:	in the input, behind the piece
 */
struct nti_cut {
	struct nti_trace_piece piece;
	bool is_long, is_restart;
	uint64_t position;
};

int nti_pieces_init(struct nti_pieces *p, struct nti_input *in);
void nti_pieces_fini(struct nti_pieces *p);

/*
 * Put @n bytes in front of what is read next: what a look at the beginning took, or a binary form
 * did not use. 0 or -ENOMEM.
 */
int nti_pieces_return(struct nti_pieces *p, const char *bytes, size_t n);

/*
 * The next piece into @block (of NTI_BLOCK_BYTES + NTI_BLOCK_PAD). 1; 0 at the end; -errno as
 * nti_input_read().
 */
int nti_pieces_next(struct nti_pieces *p, struct nti_error *e, char *block, struct nti_cut *out);

#endif
