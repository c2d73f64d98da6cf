/* SPDX-License-Identifier: MIT */
/*
 * One thread's view of a database: what is known of devices, and a store of what was asked before.
 */
#ifndef NTI_REGDB_DECODER_H
#define NTI_REGDB_DECODER_H

#include "trace/lib/regdb/find.h"

#define NTI_REGIONS 9u
#define NTI_HITS 16384u /* addresses that are remembered; with one more everything is forgotten */
/* pages of addresses of which it is remembered whether anything is there; a power of two */
#define NTI_PAGES 4096u
#define NTI_WORDS 320u /* text of a value that is remembered with its address */

/* One address that was asked for, found or not. */
struct nti_hit {
	uint64_t offset;
	uint32_t key; /* view and region */
	uint32_t bits;
	uint32_t skew;
	bool is_found;
	bool is_guess;
	uint8_t array_count;
	uint8_t width;	      /* of @value */
	uint16_t words_bytes; /* of the text of @value; 0: there is none */
	uint16_t words_room;
	uint64_t value;
	char *words;
	const char *name;
	const char *source;
	const struct nti_element *element;
	const struct nti_view *view;
	struct ntime_regdb_array *arrays;
};

/* Part of a region: most of its words have no register at all. */
struct nti_page {
	uint64_t number;
	uint32_t key;
	bool is_known;
	uint64_t bits[NTI_REGDB_PAGE_WORDS];
};

/* By hash. */
struct nti_slot {
	uint64_t offset;
	struct nti_hit *hit; /* NULL: empty */
};

struct ntime_decoder {
	const struct ntime_regdb *db;
	struct nti_arena arena; /* views */
	struct nti_view **views;
	size_t view_count;
	uint16_t *device_view; /* by device: 1 + its view, 0: that of unknown devices */
	size_t device_count;
	uint16_t default_view;
	const char *domain[NTI_REGIONS]; /* chosen by name; NULL: not chosen */

	struct nti_arena store; /* hits and what they point to */
	struct nti_slot *table; /* twice as many as there may be */
	size_t hits;
	struct nti_hit *last;
	struct nti_page *pages;
	struct nti_hit nothing; /* of all words that have nothing */
};

/* View of @device. */
const struct nti_view *nti_decoder_view(const struct ntime_decoder *d, uint32_t device);

/* The domain that @region is in @layer, NULL when it is none. */
const struct nti_domain *nti_decoder_domain(const struct ntime_decoder *d,
					    const struct nti_layer *layer,
					    const struct nti_view *view, uint8_t region);

/*
 * What is at @offset: in the newest layer that has a register there, else what an array has for
 * itself.
 */
bool nti_decoder_look(const struct ntime_decoder *d, const struct nti_view *view, uint8_t region,
		      uint64_t offset, struct nti_found *out);

/*
 * What is remembered of an address, valid until the next call; .is_found is false where nothing is.
 * NULL without memory.
 */
struct nti_hit *nti_decoder_hit(struct ntime_decoder *d, uint32_t device, uint8_t region,
				uint64_t offset);

/* As ntime_decoder_value(). */
size_t nti_decoder_value(struct ntime_decoder *d, struct nti_hit *h, uint32_t width, uint64_t value,
			 char *buf, size_t bytes);

/*
 * chip.c: the view of a chip of that name, or of one that is told by an id, made if it is new.
 * -ENOENT: no database has it.
 */
int nti_view_of_name(struct ntime_decoder *d, const char *name, uint16_t *out);
int nti_view_of_id(struct ntime_decoder *d, uint32_t id, uint16_t *out);
int nti_view_of_vendor(struct ntime_decoder *d, bool is_nvidia, uint16_t *out);

#endif
