// SPDX-License-Identifier: MIT
/*
 * A layer of rules-ng-ng XML, as envytools, freedreno and etnaviv keep it. First all definitions
 * are gathered, from wherever they stand; then domains are built, with groups put where they are
 * used.
 */
#include "trace/lib/regdb/build.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/hash.h"
#include "base/common/text.h"
#include "trace/lib/base/context.h"

int nti_build_error(struct nti_builder *b, int code, const struct nti_xml_node *n,
		    const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	nti_text_vprint(text, sizeof(text), format, args);
	va_end(args);
	return nti_error(&b->ctx->error, code, "%s:%u: %s", n->file, n->line, text);
}

void nti_build_warn(struct nti_builder *b, const struct nti_xml_node *n, const char *format, ...)
{
	char text[400];
	va_list args;
	uint32_t i;

	for (i = 0; i < b->told_count; i++)
		if (b->told[i] == n)
			return;
	if (b->told_count < NTI_TOLD)
		b->told[b->told_count++] = n;
	va_start(args, format);
	nti_text_vprint(text, sizeof(text), format, args);
	va_end(args);
	nti_trace_log(b->ctx, "warning: %s:%u: %s", n->file, n->line, text);
}

int nti_build_no_memory(struct nti_builder *b)
{
	if (b->layer->arena.is_full || b->scratch->is_full)
		return nti_error(&b->ctx->error, -E2BIG,
				 "the database is larger than %zu MiB once it is read",
				 NTI_REGDB_LAYER_BYTES >> 20);
	return nti_error(&b->ctx->error, -ENOMEM, "no memory for the database");
}

int nti_build_number(struct nti_builder *b, const struct nti_xml_node *n, const char *name,
		     uint64_t *out)
{
	const char *text = nti_xml_node_get(n, name);
	char *end;
	bool is_hex;

	if (!text)
		return 0;
	/* a leading 0 does not make it octal */
	is_hex = strpbrk(text, "xX") != NULL;
	errno = 0;
	*out = strtoull(text, &end, is_hex ? 16 : 10);
	if (!*text || *end || errno || *text == '-')
		return nti_build_error(b, -EBADMSG, n, "%s='%.60s' is no number", name, text);
	return 0;
}

static uint32_t hash_of(enum nti_def_kind kind, const char *name)
{
	return nti_hash_text(NTI_HASH_TEXT + (uint32_t)kind, name, strlen(name)) % NTI_DEFS;
}

struct nti_def *nti_def_find(const struct nti_builder *b, enum nti_def_kind kind, const char *name)
{
	struct nti_def *def = b->table[hash_of(kind, name)];

	while (def && (def->kind != kind || strcmp(def->name, name) != 0))
		def = def->next;
	return def;
}

static struct nti_def *add_def(struct nti_builder *b, enum nti_def_kind kind, const char *name)
{
	struct nti_def **slot = &b->table[hash_of(kind, name)];
	struct nti_def *def = nti_arena_new(b->scratch, sizeof(*def));

	if (!def)
		return NULL;
	def->kind = (uint8_t)kind;
	def->name = name;
	def->next = *slot;
	*slot = def;
	if (b->last)
		b->last->later = def;
	else
		b->first = def;
	b->last = def;
	return def;
}

static bool is_yes(const char *text)
{
	return text && (strcmp(text, "yes") == 0 || strcmp(text, "1") == 0);
}

/* Parts that do not agree: what the first one says counts. */
static void compare_parts(struct nti_builder *b, const struct nti_def *def,
			  const struct nti_xml_node *n)
{
	static const char *const shared[] = { "prefix", "varset", "inline", "width", "size" };
	const char *first, *here;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(shared); i++) {
		first = nti_xml_node_get(def->parts->node, shared[i]);
		here = nti_xml_node_get(n, shared[i]);
		if (first && here && strcmp(first, here) != 0)
			nti_build_warn(b, n, "<%s name='%s'> has %s='%s', and '%s' at %s:%u",
				       n->tag, def->name, shared[i], here, first,
				       def->parts->node->file, def->parts->node->line);
	}
}

static int gather_def(struct nti_builder *b, enum nti_def_kind kind, const struct nti_xml_node *n)
{
	const char *name = nti_xml_node_get(n, "name");
	struct nti_def_part *part = nti_arena_new(b->scratch, sizeof(*part));
	struct nti_def *def;

	if (!name) {
		nti_build_warn(b, n, "<%s> has no name, so it is left out", n->tag);
		return 0;
	}
	def = nti_def_find(b, kind, name);
	if (def && kind == NTI_DEF_SPECTYPE) {
		nti_build_warn(b, n, "the spectype '%s' is there already, at %s:%u", name,
			       def->parts->node->file, def->parts->node->line);
		return 0;
	}
	if (def)
		compare_parts(b, def, n);
	if (!def) {
		def = add_def(b, kind, name);
		if (def)
			def->is_inline = is_yes(nti_xml_node_get(n, "inline"));
	}
	if (!def || !part)
		return nti_build_no_memory(b);
	part->node = n;
	if (def->last)
		def->last->next = part;
	else
		def->parts = part;
	def->last = part;
	return 0;
}

static const char *const def_tags[] = {
	[NTI_DEF_ENUM] = "enum",     [NTI_DEF_BITSET] = "bitset",     [NTI_DEF_GROUP] = "group",
	[NTI_DEF_DOMAIN] = "domain", [NTI_DEF_SPECTYPE] = "spectype",
};

/* Definitions may stand in each other, and in registers. */
static int gather(struct nti_builder *b, const struct nti_xml_node *n)
{
	const struct nti_xml_node *child;
	size_t i;
	int ret = 0;

	for (child = n->first; child && !ret; child = child->next) {
		for (i = 0; i < NTI_ARRAY_SIZE(def_tags) && !ret; i++)
			if (strcmp(child->tag, def_tags[i]) == 0)
				ret = gather_def(b, (enum nti_def_kind)i, child);
		if (!ret && child->first)
			ret = gather(b, child);
	}
	return ret;
}

/* Bits of a register of that name; 0: it is none. */
static uint32_t register_bits(const char *tag)
{
	static const struct {
		const char *tag;
		uint32_t bits;
	} tags[] = { { "reg32", 32 }, { "reg64", 64 }, { "reg16", 16 }, { "reg8", 8 } };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(tags); i++)
		if (strcmp(tag, tags[i].tag) == 0)
			return tags[i].bits;
	return 0;
}

static bool is_element(const struct nti_xml_node *n)
{
	/* Offsets that only a running driver knows: such an array is nowhere. */
	return (register_bits(n->tag) && nti_xml_node_get(n, "name")) ||
	       strcmp(n->tag, "use-group") == 0 ||
	       ((strcmp(n->tag, "array") == 0 || strcmp(n->tag, "stripe") == 0) &&
		!nti_xml_node_get(n, "doffset") && !nti_xml_node_get(n, "doffsets"));
}

static size_t count_elements(const struct nti_def_part *parts)
{
	const struct nti_xml_node *n;
	size_t count = 0;

	for (; parts; parts = parts->next)
		for (n = parts->node->first; n; n = n->next)
			count += is_element(n);
	return count;
}

struct place {
	struct nti_domain *domain;
	struct nti_scope scope;
	const struct nti_variants *variants; /* of the domain, on elements that are right in it */
	uint32_t depth;
};

static int build_body(struct nti_builder *b, const struct nti_def_part *parts,
		      const struct place *place, bool has_scope, struct nti_body *out);

/* "0x100,0x200, 0x500" */
static int read_offsets(struct nti_builder *b, const struct nti_xml_node *n, struct nti_element *e)
{
	const char *text = nti_xml_node_get(n, "offsets"), *p;
	uint64_t *list;
	size_t count = 1, i;
	char *end;

	for (p = text; *p; p++)
		count += *p == ',';
	if (count > NTI_REGDB_ELEMENTS / 16)
		return nti_build_error(b, -E2BIG, n, "%zu offsets are too many", count);
	list = nti_arena_array(&b->layer->arena, count, sizeof(*list));
	if (!list)
		return nti_build_no_memory(b);
	for (i = 0, p = text; i < count; i++, p = end + 1) {
		errno = 0;
		list[i] = strtoull(p, &end, 0);
		while (*end == ' ')
			end++;
		if (end == p || errno || *end != (i + 1 < count ? ',' : '\0'))
			return nti_build_error(b, -EBADMSG, n,
					       "offsets='%.60s' is no list of numbers", text);
	}
	e->offsets = list;
	e->offset = list[0];
	e->length = count;
	return 0;
}

/* Where its copies are. */
static int read_place(struct nti_builder *b, const struct nti_xml_node *n,
		      const struct place *place, struct nti_element *e)
{
	int ret = nti_build_number(b, n, "offset", &e->offset);

	e->length = 1;
	if (!ret)
		ret = nti_build_number(b, n, "length", &e->length);
	if (!ret)
		ret = nti_build_number(b, n, "stride", &e->stride);
	if (!ret && nti_xml_node_get(n, "offsets"))
		return read_offsets(b, n, e);
	if (ret || e->length == 1 || e->stride)
		return ret;
	if (e->kind != NTI_ELEMENT_REG)
		return nti_build_error(b, -EBADMSG, n, "<%s> has a length and no stride", n->tag);
	e->stride = e->bits / 8 / place->domain->unit;
	if (!e->stride)
		e->stride = 1;
	return 0;
}

/* brief, else doc */
static int read_about(struct nti_builder *b, const struct nti_xml_node *n, struct nti_element *e)
{
	const struct nti_xml_node *child;
	const char *about = "";

	for (child = n->first; child; child = child->next) {
		if (!child->text || !*child->text)
			continue;
		if (strcmp(child->tag, "brief") == 0 || !*about)
			about = child->text;
		if (strcmp(child->tag, "brief") == 0)
			break;
	}
	e->about = nti_arena_text(&b->layer->arena, about, strlen(about));
	return e->about ? 0 : nti_build_no_memory(b);
}

/* freedreno: the value of a register may be in some of its bits only. */
static int read_bits(struct nti_builder *b, const struct nti_xml_node *n, struct nti_element *e)
{
	uint64_t low = 0, high = e->bits - 1u;
	int ret = nti_build_number(b, n, "low", &low);

	if (!ret)
		ret = nti_build_number(b, n, "high", &high);
	if (!ret && nti_xml_node_get(n, "pos")) {
		ret = nti_build_number(b, n, "pos", &low);
		high = low;
	}
	if (ret)
		return ret;
	if (low > high || high >= e->bits)
		return nti_build_error(b, -EBADMSG, n, "low and high are no bits of the register");
	if (e->type.kind == NTI_TYPE_FIELDS || high - low + 1 == e->bits)
		return 0;
	e->type.low = (uint8_t)low;
	e->type.width = (uint8_t)(high - low + 1);
	return 0;
}

static int build_register(struct nti_builder *b, const struct nti_xml_node *n,
			  const struct place *place, struct nti_element *e)
{
	int ret;

	if (!e->name)
		return nti_build_error(b, -EBADMSG, n, "a register has no name");
	e->extent = e->bits / 8 / place->domain->unit;
	if (!e->extent)
		e->extent = 1;
	place->domain->registers++;
	ret = nti_build_type(b, n, &place->scope, e->bits, 0, &e->type);
	return ret ? ret : read_bits(b, n, e);
}

/* Copies that reach into each other are tried one after the other. */
static int check_copies(struct nti_builder *b, const struct nti_xml_node *n,
			const struct nti_element *e)
{
	if (e->kind == NTI_ELEMENT_STRIPE && e->stride && e->length != 1 &&
	    e->extent / e->stride > 4096 && (!e->length || e->length > 4096))
		return nti_build_error(b, -E2BIG, n, "more than 4096 copies reach one address");
	return 0;
}

static int build_group(struct nti_builder *b, const struct nti_xml_node *n, const struct place *in,
		       struct nti_element *e)
{
	/* freedreno has "ref" as well */
	const char *name = nti_xml_node_get(n, "name") ? nti_xml_node_get(n, "name")
						       : nti_xml_node_get(n, "ref");
	struct nti_def *def = name ? nti_def_find(b, NTI_DEF_GROUP, name) : NULL;

	e->name = NULL;
	e->kind = NTI_ELEMENT_STRIPE;
	e->length = 1;
	/* files that others import lack what those have: all else of them is worth having */
	if (!def) {
		nti_build_warn(b, n, "there is no group '%s'", name ? name : "");
		return 0;
	}
	return build_body(b, def->parts, in, false, &e->body);
}

static int build_element(struct nti_builder *b, const struct nti_xml_node *n,
			 const struct place *outer, struct nti_element *e)
{
	struct nti_def_part self = { .node = n };
	const char *name = nti_xml_node_get(n, "name");
	struct place in = *outer;
	int ret;

	if (++b->elements > NTI_REGDB_ELEMENTS)
		return nti_build_error(b, -E2BIG, n, "the database has more than %u elements",
				       NTI_REGDB_ELEMENTS);
	if (++in.depth > NTI_REGDB_DEPTH - 2)
		return nti_build_error(
			b, -E2BIG, n,
			"elements are in each other more than %u deep; does a group use itself?",
			NTI_REGDB_DEPTH - 2);
	e->bits = (uint8_t)register_bits(n->tag);
	e->kind = e->bits			 ? NTI_ELEMENT_REG
		  : strcmp(n->tag, "array") == 0 ? NTI_ELEMENT_ARRAY
						 : NTI_ELEMENT_STRIPE;
	e->file = n->file;
	e->line = n->line;
	e->name = name && *name ? nti_arena_text(&b->layer->arena, name, strlen(name)) : NULL;
	if (name && *name && !e->name)
		return nti_build_no_memory(b);
	ret = nti_build_scope(b, n, &outer->scope, &in.scope);
	if (!ret)
		ret = nti_build_variants(b, n, &in.scope, outer->variants, &e->variants);
	in.variants = NULL;
	if (!ret)
		ret = read_about(b, n, e);
	if (!ret && strcmp(n->tag, "use-group") == 0)
		ret = build_group(b, n, &in, e);
	else if (!ret)
		ret = read_place(b, n, outer, e);
	if (ret)
		return ret;
	if (e->kind == NTI_ELEMENT_REG)
		return build_register(b, n, &in, e);
	if (strcmp(n->tag, "use-group") != 0)
		ret = build_body(b, &self, &in, false, &e->body);
	if (ret)
		return ret;
	e->extent = nti_body_extent(&e->body);
	return check_copies(b, n, e);
}

/* @has_scope: each part has attributes of its own that count, as those of a domain do. */
static int build_body(struct nti_builder *b, const struct nti_def_part *parts,
		      const struct place *place, bool has_scope, struct nti_body *out)
{
	size_t count = count_elements(parts);
	const struct nti_xml_node *n;
	int ret = 0;

	if (count > NTI_REGDB_ELEMENTS)
		return nti_build_error(b, -E2BIG, parts->node,
				       "the database has more than %u elements",
				       NTI_REGDB_ELEMENTS);
	out->elements = nti_arena_array(&b->layer->arena, count, sizeof(*out->elements));
	if (!out->elements)
		return nti_build_no_memory(b);
	for (; parts && !ret; parts = parts->next) {
		struct place in = *place;

		if (has_scope) {
			ret = nti_build_scope(b, parts->node, &place->scope, &in.scope);
			if (!ret)
				ret = nti_build_variants(b, parts->node, &in.scope, NULL,
							 &in.variants);
		}
		for (n = parts->node->first; n && !ret; n = n->next)
			if (is_element(n))
				ret = build_element(b, n, &in, &out->elements[out->count++]);
			else if (register_bits(n->tag))
				nti_build_warn(b, n, "a register has no name, so it is left out");
	}
	if (ret)
		return ret;
	ret = nti_body_index(b->layer, out);
	return ret == -E2BIG
		       ? nti_error(&b->ctx->error, -E2BIG, "the database has more than %u elements",
				   NTI_REGDB_ELEMENTS)
	       : ret ? nti_build_no_memory(b)
		     : 0;
}

/* The first part that has an attribute, else the first. */
static const struct nti_xml_node *first_with(const struct nti_def *def, const char *name)
{
	const struct nti_def_part *part = def->parts;

	while (part->next && !nti_xml_node_get(part->node, name))
		part = part->next;
	return nti_xml_node_get(part->node, name) ? part->node : def->parts->node;
}

static int read_domain(struct nti_builder *b, const struct nti_def *def, struct nti_domain *d)
{
	uint64_t width = 8;
	int ret = nti_build_number(b, first_with(def, "width"), "width", &width);

	if (ret)
		return ret;
	if (width != 8 && width != 16 && width != 32 && width != 64)
		return nti_build_error(b, -EBADMSG, def->parts->node,
				       "the domain's width is %llu: 8, 16, 32 and 64 are possible",
				       (unsigned long long)width);
	d->unit = (uint32_t)width / 8;
	d->name = nti_arena_text(&b->layer->arena, def->name, strlen(def->name));
	return d->name ? 0 : nti_build_no_memory(b);
}

static int build_domains(struct nti_builder *b)
{
	struct nti_domain **end = &b->layer->domains;
	struct nti_def *def;
	int ret = 0;

	for (def = b->first; def && !ret; def = def->later) {
		struct place place = { 0 };

		if (def->kind != NTI_DEF_DOMAIN)
			continue;
		place.domain = nti_arena_new(&b->layer->arena, sizeof(*place.domain));
		if (!place.domain)
			return nti_build_no_memory(b);
		ret = read_domain(b, def, place.domain);
		if (!ret)
			ret = build_body(b, def->parts, &place, true, &place.domain->body);
		*end = place.domain;
		end = &place.domain->next;
	}
	return ret;
}

/* Names of files are the scratch memory's: the layer needs its own. */
static int keep_files(struct nti_builder *b, struct nti_xml_node *n)
{
	const char *from = NULL, *kept = NULL;

	for (n = n->first; n; n = n->next) {
		if (n->file != from) {
			from = n->file;
			kept = nti_arena_text(&b->layer->arena, from, strlen(from));
			if (!kept)
				return nti_build_no_memory(b);
		}
		n->file = kept;
		if (n->first && keep_files(b, n))
			return -ENOMEM;
	}
	return 0;
}

int nti_regdb_xml(struct ntime_trace_ctx *ctx, const char *path, uint32_t first_choice,
		  struct nti_layer **out)
{
	struct nti_arena scratch = { .limit = NTI_NODES_BYTES };
	struct nti_builder *b = calloc(1, sizeof(*b));
	struct nti_xml_node *root;
	int ret = -ENOMEM;

	*out = NULL;
	if (b)
		b->layer = nti_layer_new(first_choice);
	if (!b || !b->layer) {
		free(b);
		return nti_error(&ctx->error, -ENOMEM, "no memory for the database %s", path);
	}
	b->ctx = ctx;
	b->scratch = &scratch;
	ret = nti_nodes_read(ctx, path, &scratch, &root);
	if (!ret)
		ret = keep_files(b, root);
	if (!ret)
		ret = gather(b, root);
	if (!ret)
		ret = build_domains(b);
	nti_arena_free(&scratch);
	if (ret)
		nti_layer_free(b->layer);
	else
		*out = b->layer;
	free(b);
	return ret;
}
