/* SPDX-License-Identifier: MIT */
/*
 * What a database of registers consists of, whatever it was read from.
 *
 *	database -> layer (one call of ntime_regdb_add(), and ntime's rows) -> domain -> elements:
 *	registers, and arrays and stripes of elements
 *
 * Addresses are in units of the domain: bytes, or words of 32 bits. Nothing changes once a layer is
 * complete, so that any number of decoders may look at it. All memory is the layer's arena's.
 */
#ifndef NTI_REGDB_MODEL_H
#define NTI_REGDB_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/trace/regdb.h>

#include "trace/lib/regdb/arena.h"

/* Bounds of what a database may hold. */
#define NTI_REGDB_FILE_BYTES ((size_t)64 << 20)
#define NTI_REGDB_LAYER_BYTES ((size_t)512 << 20)
#define NTI_REGDB_ELEMENTS 2000000u /* after groups were put where they are used */
#define NTI_REGDB_DEPTH 64u	    /* elements in each other, and files that import each other */
#define NTI_REGDB_NAME_BYTES 512u   /* a name that is longer is cut */

struct nti_enum;
struct nti_field;
struct nti_element;

/* Which of an enumeration's values a thing exists for; all of a list must agree. */
struct nti_variants {
	const struct nti_variants *next;
	const struct nti_enum *of;
	uint64_t bits[]; /* bit n: value n of @of, in their order */
};

/*
 * Texts of fields and values are copied whole, without a look at their length: so much is copied.
 */
#define NTI_SHORT 32u

/**
 * struct nti_value - one of an enumeration
 * @text:	@name again, where it has no more than NTI_SHORT bytes
 * @text_bytes:	of it; 0: it is longer, or nobody asked for it
 */
struct nti_value {
	const char *name;
	char text[NTI_SHORT];
	uint8_t text_bytes;
	uint64_t value;
	bool has_value;
	const struct nti_variants *variants;
};

#define NTI_NO_CHOICE UINT32_MAX

struct nti_enum {
	const char *name;
	const struct nti_value *values;
	size_t count;
	const uint32_t *sorted; /* places of those with a value, by value and then place */
	size_t sorted_count;
	uint32_t choice; /* place in a view's choices when variants are of it, else NTI_NO_CHOICE */
};

enum nti_type_kind {
	NTI_TYPE_HEX = 0,
	NTI_TYPE_UINT,
	NTI_TYPE_INT,
	NTI_TYPE_BOOLEAN,
	NTI_TYPE_FLOAT,
	NTI_TYPE_FIXED,
	NTI_TYPE_UFIXED,
	NTI_TYPE_REGID, /* of Adreno's shaders: "r2.y" */
	NTI_TYPE_ENUM,
	NTI_TYPE_FIELDS,
};

struct nti_type {
	uint8_t kind;
	uint8_t shr;   /* the value lacks so many low bits */
	uint8_t radix; /* bits behind the point */
	uint8_t low;   /* of a register that has its value in some of its bits only */
	uint8_t width; /* how many those are; 0: it is in all */
	uint64_t add;
	const struct nti_enum *values;
	const struct nti_field *fields;
	size_t field_count;
};

/**
 * struct nti_field - bits of a register
 * @label:	" | NAME = ", where that has no more than NTI_SHORT bytes; it may be copied from
 *		behind the bar as well
 * @label_bytes: of it; 0: it is longer
 */
struct nti_field {
	const char *name;
	char label[NTI_SHORT + 3];
	uint8_t label_bytes;
	uint16_t name_bytes;
	uint8_t low;
	uint8_t high;
	uint64_t mask; /* in place */
	const struct nti_variants *variants;
	struct nti_type type;
};

enum nti_element_kind { NTI_ELEMENT_REG, NTI_ELEMENT_ARRAY, NTI_ELEMENT_STRIPE };

/*
 * One copy, or all, of an element in its body: what an address is looked up in. Sorted by @first; a
 * tree over the middles, see find.c.
 */
struct nti_span {
	uint64_t first;
	uint64_t last;	   /* with it */
	uint64_t last_max; /* of the part of the tree below */
	uint32_t element;
	uint32_t copy; /* of an element with a list of offsets */
};

struct nti_body {
	struct nti_element *elements;
	struct nti_span *spans;
	uint32_t count;
	uint32_t span_count;
};

struct nti_element {
	uint8_t kind;
	uint8_t bits; /* of registers */
	bool is_guess;
	uint32_t line;
	const char *name;	 /* NULL: of a stripe without one */
	const char *file;	 /* or the source of a row */
	const char *about;	 /* "" */
	uint64_t offset;	 /* of the first copy */
	uint64_t stride;	 /* from copy to copy */
	uint64_t length;	 /* copies; 0: without end */
	const uint64_t *offsets; /* of each copy, where they are listed */
	uint64_t extent;	 /* units that a copy reaches */
	const struct nti_variants *variants;
	struct nti_type type;
	struct nti_body body;
};

struct nti_domain {
	struct nti_domain *next;
	const char *name;
	uint32_t unit; /* bytes of one address */
	size_t registers;
	struct nti_body body;
};

struct nti_layer {
	struct nti_layer *next; /* asked after this one */
	struct nti_arena arena;
	struct nti_domain *domains; /* in their order */
	struct nti_enum **choices;  /* enumerations that variants are of */
	size_t choice_count;
	uint32_t first_choice; /* number of the first one in views */
	bool is_own;	       /* ntime's rows: only for chips that it knows */
};

struct ntime_regdb {
	struct ntime_trace_ctx *ctx;
	struct nti_layer *layers; /* newest first */
	uint32_t choice_count;
};

/*
 * What a view says of an enumeration: which of its values, that nobody knows, or that it is none of
 * them.
 */
#define NTI_CHOICE_UNKNOWN UINT16_MAX
#define NTI_CHOICE_NONE (UINT16_MAX - 1)

/* One kind of chip: what was chosen in each enumeration that variants are of. */
struct nti_view {
	const char *chip; /* "" unknown */
	bool is_nvidia;	  /* the vendor is known, or the chip */
	const uint16_t *choice;
};

/*
 * Does it exist for the chips of @view? Sets *@is_guess where that depends on a choice that nobody
 * knows.
 */
static inline bool nti_variants_match(const struct nti_variants *v, const struct nti_view *view,
				      bool *is_guess)
{
	for (; v; v = v->next) {
		uint16_t c = view->choice[v->of->choice];

		if (c == NTI_CHOICE_UNKNOWN) {
			*is_guess = true;
			continue;
		}
		if (c == NTI_CHOICE_NONE || !(v->bits[c / 64] >> c % 64 & 1))
			return false;
	}
	return true;
}

/* model.c: what all builders share. */

/* @name, which must stay, and what is made of it. */
void nti_field_name(struct nti_field *f, const char *name);
void nti_value_name(struct nti_value *v, const char *name);
/* Make @e one that variants may be of. False without memory. */
bool nti_layer_choose(struct nti_layer *layer, struct nti_enum *e);
/* Constraint that none of @of's values meets yet, in front of @next. NULL without memory. */
struct nti_variants *nti_variants_new(struct nti_layer *layer, const struct nti_enum *of,
				      const struct nti_variants *next);
/* Sort the values of @e, so that they are found. */
bool nti_enum_sort(struct nti_layer *layer, struct nti_enum *e);
/*
 * Where @e is from: the source of a row, "FILE:LINE" of a database. Cut where it is too long;
 * returns the length.
 */
size_t nti_element_source(const struct nti_element *e, char *buf, size_t size);
/*
 * The last step of a body: its elements' extents are known, its spans are not. 0, -ENOMEM or
 * -E2BIG.
 */
int nti_body_index(struct nti_layer *layer, struct nti_body *body);
/* What the copies of the elements of @body reach. */
uint64_t nti_body_extent(const struct nti_body *body);
/* An empty layer whose choices have numbers from @first_choice on. NULL without memory. */
struct nti_layer *nti_layer_new(uint32_t first_choice);
void nti_layer_free(struct nti_layer *layer);

/* rows.c: the layer of ntime's own rows. 0 or -ENOMEM. */
int nti_regdb_rows(uint32_t first_choice, struct nti_layer **out);

/* build.c: the layer of @path. 0 or -errno with a sentence. */
int nti_regdb_xml(struct ntime_trace_ctx *ctx, const char *path, uint32_t first_choice,
		  struct nti_layer **out);

#endif
