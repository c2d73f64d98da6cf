/* SPDX-License-Identifier: MIT */
/* Making a layer of XML elements: what is shared by elements (build.c) and types (build_type.c). */
#ifndef NTI_REGDB_BUILD_H
#define NTI_REGDB_BUILD_H

#include "base/common/compiler.h"
#include "trace/lib/regdb/model.h"
#include "trace/lib/regdb/node.h"

enum nti_def_kind { NTI_DEF_ENUM, NTI_DEF_BITSET, NTI_DEF_GROUP, NTI_DEF_DOMAIN, NTI_DEF_SPECTYPE };

/* An element with a name of its own may be given in several parts. */
struct nti_def_part {
	struct nti_def_part *next;
	const struct nti_xml_node *node;
};

/*
 * What "variants" of an element are of: @prefix and @varset are attributes that go on to what is
 * inside, as envytools reads them. @prefix names an enumeration as well, and counts where no varset
 * is given.
 */
struct nti_scope {
	struct nti_enum *prefix;
	struct nti_enum *varset;
	bool is_unknown; /* a varset was named that no file has: a file that others import */
};

/* A type that was made before, for one scope. */
struct nti_made {
	struct nti_made *next;
	struct nti_scope scope;
	struct nti_enum *values;
	const struct nti_field *fields;
	size_t field_count;
};

struct nti_def {
	struct nti_def *next;  /* in the table */
	struct nti_def *later; /* in the order of the files */
	uint8_t kind;
	bool is_inline;
	const char *name;
	struct nti_def_part *parts;
	struct nti_def_part *last;
	struct nti_enum *names; /* of an enumeration: its values without their variants */
	struct nti_made *made;
	bool is_open; /* being made: it is in itself */
};

#define NTI_DEFS 4096u
/* Elements whose warning is not given again where a group or type is used again. */
#define NTI_TOLD 64u

struct nti_builder {
	struct ntime_trace_ctx *ctx;
	struct nti_arena *scratch; /* definitions, freed when the layer is complete */
	struct nti_layer *layer;
	struct nti_def *table[NTI_DEFS];
	struct nti_def *first;
	struct nti_def *last;
	uint32_t elements;
	const struct nti_xml_node *told[NTI_TOLD];
	uint32_t told_count;
};

struct nti_def *nti_def_find(const struct nti_builder *b, enum nti_def_kind kind, const char *name);

/* "FILE:LINE: ..." as the error of the context. Returns @code. */
int nti_build_error(struct nti_builder *b, int code, const struct nti_xml_node *n,
		    const char *format, ...) NTI_PRINTF(4, 5);
int nti_build_no_memory(struct nti_builder *b);

/*
 * What is wrong and costs no more than a name: "warning: FILE:LINE: ..." in the log of the context,
 * as rnn of envytools goes on there.
 */
void nti_build_warn(struct nti_builder *b, const struct nti_xml_node *n, const char *format, ...)
	NTI_PRINTF(3, 4);

/* A number that an attribute has; *@out stays where there is no such attribute. 0 or -EBADMSG. */
int nti_build_number(struct nti_builder *b, const struct nti_xml_node *n, const char *name,
		     uint64_t *out);

/* Scope of what is inside @n. 0, -ENOMEM. */
int nti_build_scope(struct nti_builder *b, const struct nti_xml_node *n,
		    const struct nti_scope *outer, struct nti_scope *out);

/*
 * Constraint of @n's "variants" in front of @outer. @in is the scope that holds for @n itself. 0,
 * -EBADMSG, -ENOMEM.
 */
int nti_build_variants(struct nti_builder *b, const struct nti_xml_node *n,
		       const struct nti_scope *in, const struct nti_variants *outer,
		       const struct nti_variants **out);

/* Type of a register or field of @bits. 0, -EBADMSG, -E2BIG, -ENOMEM. */
int nti_build_type(struct nti_builder *b, const struct nti_xml_node *n,
		   const struct nti_scope *scope, uint32_t bits, uint32_t depth,
		   struct nti_type *out);

#endif
