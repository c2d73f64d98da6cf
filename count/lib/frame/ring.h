/* SPDX-License-Identifier: MIT */
/*
 * The ring of frames: one writer, any number of readers, no locks. <ntime/frame.h> has the layout.
 *
 * A sequence lock per slot whose version also names the frame. All shared words are atomics
 * (base/common/shared.h): a reader that loses the race reads a mixture, notices it by the version
 * and throws it away; under the C11 memory model that is no data race. H.-J. Boehm, "Can seqlocks
 * get along with programming language memory models?", MSPC 2012.
 */
#ifndef NTI_FRAME_RING_H
#define NTI_FRAME_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/frame.h>

#include "base/common/shared.h"
#include "base/os/map.h"

struct nti_error;

struct nti_frame_slot {
	union {
		struct nti_shared_counter version;
		uint64_t room[2];
	};
	struct nti_shared_word begin_ns, end_ns, pass, zero;
	struct nti_shared_word word[]; /* NTIME_FRAME_WORDS for each item */
};

_Static_assert(sizeof(struct nti_frame_slot) == NTIME_FRAME_SLOT_BYTES, "it is in a file");

/* Words of an item. */
enum nti_frame_word {
	NTI_FRAME_COUNT,
	NTI_FRAME_WANTED_NS,
	NTI_FRAME_COUNTED_NS,
	NTI_FRAME_FLAGS,
	NTI_FRAME_SPAN,
	NTI_FRAME_VALUE,
	NTI_FRAME_BELOW,
	NTI_FRAME_ABOVE,
};

/*
 * What is in .file was checked once and is copied from there: who writes the file could change it.
 */
struct ntime_frame_ring {
	struct nti_map map; /* of a file; else .file is from calloc() */
	bool is_mapped;
	bool is_ours; /* to write */
	struct ntime_frame_file *file;
	struct ntime_frame_file head;
	char *slots; /* within .file */
	struct ntime_frame_file_item *item;
	char *strings;
};

static inline struct nti_frame_slot *nti_frame_slot(const struct ntime_frame_ring *r,
						    uint64_t number)
{
	uint64_t at = (number & (r->head.depth - 1)) * r->head.slot_bytes;

	return (struct nti_frame_slot *)(void *)(r->slots + at);
}

static inline struct nti_shared_counter *nti_frame_next(const struct ntime_frame_ring *r)
{
	return (struct nti_shared_counter *)(void *)r->file->next;
}

/* The frame whose turn it is; its words may be stored now. */
static inline struct nti_frame_slot *nti_frame_begin(struct ntime_frame_ring *r, uint64_t number)
{
	struct nti_frame_slot *slot = nti_frame_slot(r, number);

	/*
	 * This mark must be seen before any word: each is a release store, which nothing before it
	 * may pass.
	 */
	nti_shared_counter_set(&slot->version, 2 * number + 1);
	return slot;
}

static inline void nti_frame_complete(struct ntime_frame_ring *r, struct nti_frame_slot *slot,
				      uint64_t number)
{
	nti_shared_counter_set(&slot->version, 2 * number + 2);
	nti_shared_counter_set(nti_frame_next(r), number + 1);
}

/*
 * make.c: a ring for the items of @s, which is open, and @n of the caller's own, in the file
 * behind @fd, or in memory if that is -1. 0 or -errno with a sentence. nti_frame_ring_fini() frees.
 */
int nti_frame_ring_new(struct ntime_frame_ring *r, struct ntime_session *s,
		       const struct ntime_item *own, size_t n, size_t depth, unsigned int passes,
		       int fd);
/* No further frame comes. */
void nti_frame_ring_end(struct ntime_frame_ring *r);
/* Of a zeroed one too. */
void nti_frame_ring_fini(struct ntime_frame_ring *r);

#endif
