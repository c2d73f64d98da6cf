/* SPDX-License-Identifier: MIT */
/*
 * XML files as trees of elements, with what they import in the place of the import: what build.c
 * makes a layer of.
 */
#ifndef NTI_REGDB_NODE_H
#define NTI_REGDB_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/trace/context.h>

#include "trace/lib/regdb/arena.h"

struct nti_attribute {
	const char *name;
	const char *value;
};

struct nti_xml_node {
	struct nti_xml_node *next;
	struct nti_xml_node *first; /* elements in it */
	struct nti_xml_node *last;
	const char *tag;
	const char *file;
	const char *text; /* of a "brief" or "doc": white space as single blanks, cut; else NULL */
	const struct nti_attribute *attributes;
	uint32_t attribute_count;
	uint32_t line;
};

/* Bounds of the trees of all files of a database. */
#define NTI_NODES_BYTES ((size_t)384 << 20)
#define NTI_TEXT_BYTES 240u

/*
 * Read @path, a file or a folder, and all that it imports, into @arena. @out has the files in the
 * order in which they were named. 0; -ENOENT, -EACCES, ...; -EBADMSG; -E2BIG; -ENOMEM; with a
 * sentence.
 */
int nti_nodes_read(struct ntime_trace_ctx *ctx, const char *path, struct nti_arena *arena,
		   struct nti_xml_node **out);

/* Value of an attribute, NULL when it is not there. */
const char *nti_xml_node_get(const struct nti_xml_node *n, const char *name);

#endif
