// SPDX-License-Identifier: MIT
/*
 * Types of registers and fields: enumerations, sets of fields, numbers. A type that is "inline" is
 * read as if it stood where it is used, so that its variants are of what is active there; it is
 * made once for each such place.
 */
#include <errno.h>
#include <string.h>

#include "base/common/text.h"
#include "trace/lib/base/context.h"
#include "trace/lib/regdb/build.h"

/*
 * The values of an enumeration by name alone: enough to be what variants are of. NULL without
 * memory.
 */
static struct nti_enum *names_of(struct nti_builder *b, struct nti_def *def)
{
	struct nti_value *values;
	const struct nti_def_part *part;
	const struct nti_xml_node *n;
	size_t count = 0;

	if (def->names)
		return def->names;
	for (part = def->parts; part; part = part->next)
		for (n = part->node->first; n; n = n->next)
			count += strcmp(n->tag, "value") == 0 && nti_xml_node_get(n, "name");
	def->names = nti_arena_new(&b->layer->arena, sizeof(*def->names));
	values = nti_arena_array(&b->layer->arena, count, sizeof(*values));
	if (!def->names || !values)
		return NULL;
	def->names->name = nti_arena_text(&b->layer->arena, def->name, strlen(def->name));
	def->names->choice = NTI_NO_CHOICE;
	def->names->values = values;
	for (part = def->parts; part; part = part->next) {
		for (n = part->node->first; n; n = n->next) {
			const char *name = nti_xml_node_get(n, "name"), *value;
			struct nti_value *v = &values[def->names->count];

			if (strcmp(n->tag, "value") != 0 || !name)
				continue;
			v->name = nti_arena_text(&b->layer->arena, name, strlen(name));
			if (!v->name)
				return NULL;
			value = nti_xml_node_get(n, "value");
			v->has_value = value && !nti_build_number(b, n, "value", &v->value);
			def->names->count++;
		}
	}
	return def->names;
}

int nti_build_scope(struct nti_builder *b, const struct nti_xml_node *n,
		    const struct nti_scope *outer, struct nti_scope *out)
{
	const char *prefix = nti_xml_node_get(n, "prefix"), *varset = nti_xml_node_get(n, "varset");
	struct nti_def *def;

	*out = *outer;
	if (prefix) {
		def = nti_def_find(b, NTI_DEF_ENUM, prefix);
		out->prefix = def ? names_of(b, def) : NULL;
		if (def && !out->prefix)
			return nti_build_no_memory(b);
	}
	out->varset = out->prefix ? NULL : outer->varset;
	if (varset) {
		def = nti_def_find(b, NTI_DEF_ENUM, varset);
		out->varset = def ? names_of(b, def) : NULL;
		if (def && !out->varset)
			return nti_build_no_memory(b);
		out->is_unknown = !def;
	}
	return 0;
}

/* Place of the value called so; @of->count when there is none. */
static size_t place_of(const struct nti_enum *of, const char *name, size_t bytes)
{
	size_t i;

	for (i = 0; i < of->count; i++)
		if (strncmp(of->values[i].name, name, bytes) == 0 && !of->values[i].name[bytes])
			break;
	return i;
}

static bool is_between(char c)
{
	return c == ' ' || c == ',' || c == '\t' || c == '\n';
}

/*
 * One of "A", "A-B" (with B), "A:B" (without), each end may be left out. One with an end that is
 * none holds nothing.
 */
static void read_range(struct nti_builder *b, const struct nti_xml_node *n,
		       const struct nti_enum *of, const char *text, size_t bytes,
		       struct nti_variants *v)
{
	size_t middle = 0, first = 0, end = of->count, i;

	while (middle < bytes && text[middle] != '-' && text[middle] != ':')
		middle++;
	if (middle) {
		first = place_of(of, text, middle);
		if (first == of->count) {
			nti_build_warn(b, n, "%s has no value '%.*s'", of->name, (int)middle, text);
			return;
		}
	}
	if (middle == bytes) {
		end = first + 1;
	} else if (middle + 1 < bytes) {
		end = place_of(of, text + middle + 1, bytes - middle - 1);
		if (end == of->count) {
			nti_build_warn(b, n, "%s has no value '%.*s'", of->name,
				       (int)(bytes - middle - 1), text + middle + 1);
			return;
		}
		end += text[middle] == '-';
	}
	for (i = first; i < end; i++)
		v->bits[i / 64] |= (uint64_t)1 << i % 64;
}

int nti_build_variants(struct nti_builder *b, const struct nti_xml_node *n,
		       const struct nti_scope *in, const struct nti_variants *outer,
		       const struct nti_variants **out)
{
	const char *text = nti_xml_node_get(n, "variants");
	struct nti_enum *of = in->varset ? in->varset : in->prefix;
	struct nti_variants *v;

	*out = outer;
	if (!text)
		return 0;
	if (!of) {
		nti_build_warn(b, n, "%s, so they count for all chips",
			       in->is_unknown
				       ? "it is unknown what the variants are of"
				       : "variants without a varset or prefix that says of what");
		return 0;
	}
	v = nti_layer_choose(b->layer, of) ? nti_variants_new(b->layer, of, outer) : NULL;
	if (!v)
		return nti_build_no_memory(b);
	for (;;) {
		size_t bytes = 0;

		while (is_between(*text))
			text++;
		while (text[bytes] && !is_between(text[bytes]))
			bytes++;
		if (!bytes)
			break;
		read_range(b, n, of, text, bytes, v);
		text += bytes;
	}
	*out = v;
	return 0;
}

/* How many children of that name all parts have. */
static size_t count_children(const struct nti_xml_node *n, const struct nti_def_part *parts,
			     const char *tag)
{
	const struct nti_xml_node *child;
	size_t count = 0;

	for (child = n ? n->first : NULL; child; child = child->next)
		count += strcmp(child->tag, tag) == 0;
	for (; parts; parts = parts->next)
		for (child = parts->node->first; child; child = child->next)
			count += strcmp(child->tag, tag) == 0;
	return count;
}

static int make_value(struct nti_builder *b, const struct nti_xml_node *n,
		      const struct nti_scope *scope, struct nti_value *out)
{
	const char *name = nti_xml_node_get(n, "name");
	struct nti_scope in;
	int ret;

	name = nti_arena_text(&b->layer->arena, name, strlen(name));
	if (!name)
		return nti_build_no_memory(b);
	nti_value_name(out, name);
	out->has_value = nti_xml_node_get(n, "value") != NULL;
	ret = nti_build_number(b, n, "value", &out->value);
	if (!ret)
		ret = nti_build_scope(b, n, scope, &in);
	return ret ? ret : nti_build_variants(b, n, &in, NULL, &out->variants);
}

static int make_values(struct nti_builder *b, const struct nti_xml_node *from,
		       const struct nti_scope *scope, struct nti_value *values, size_t *count)
{
	const struct nti_xml_node *n;
	int ret = 0;

	for (n = from->first; n && !ret; n = n->next) {
		if (strcmp(n->tag, "value") != 0)
			continue;
		if (nti_xml_node_get(n, "name"))
			ret = make_value(b, n, scope, &values[(*count)++]);
		else
			nti_build_warn(b, n, "a value has no name, so it is left out");
	}
	return ret;
}

/* An enumeration of the values of @n (may be NULL) and of all @parts. */
static int make_enum(struct nti_builder *b, const char *name, const struct nti_xml_node *n,
		     const struct nti_def_part *parts, const struct nti_scope *scope,
		     struct nti_enum **out)
{
	size_t room = count_children(n, parts, "value"), count = 0;
	struct nti_enum *e = nti_arena_new(&b->layer->arena, sizeof(*e));
	struct nti_value *values = nti_arena_array(&b->layer->arena, room, sizeof(*values));
	int ret = 0;

	if (!e || !values)
		return nti_build_no_memory(b);
	if (n)
		ret = make_values(b, n, scope, values, &count);
	for (; parts && !ret; parts = parts->next) {
		struct nti_scope in;

		ret = nti_build_scope(b, parts->node, scope, &in);
		if (!ret)
			ret = make_values(b, parts->node, &in, values, &count);
	}
	if (ret)
		return ret;
	e->name = name;
	e->values = values;
	e->count = count;
	e->choice = NTI_NO_CHOICE;
	if (!nti_enum_sort(b->layer, e))
		return nti_build_no_memory(b);
	*out = e;
	return 0;
}

/* What was made of @def for @scope before, or an empty one to be filled. */
static struct nti_made *made_for(struct nti_builder *b, struct nti_def *def,
				 const struct nti_scope *scope, bool *is_new)
{
	struct nti_made *m;

	for (m = def->made; m; m = m->next)
		if (m->scope.prefix == scope->prefix && m->scope.varset == scope->varset)
			return m;
	m = nti_arena_new(b->scratch, sizeof(*m));
	if (!m)
		return NULL;
	*is_new = true;
	m->scope = *scope;
	m->next = def->made;
	def->made = m;
	return m;
}

static const struct nti_scope nowhere;

static int enum_type(struct nti_builder *b, const struct nti_xml_node *n, struct nti_def *def,
		     const struct nti_scope *scope, struct nti_type *out)
{
	bool is_new = false;
	struct nti_made *m;
	int ret;

	out->kind = NTI_TYPE_ENUM;
	if (!def->is_inline)
		scope = &nowhere;
	/* values of its own come first, and are nobody else's */
	if (def->is_inline && count_children(n, NULL, "value")) {
		struct nti_enum *e = NULL;

		ret = make_enum(b, "", n, def->parts, scope, &e);
		out->values = e;
		return ret;
	}
	m = made_for(b, def, scope, &is_new);
	if (!m)
		return nti_build_no_memory(b);
	ret = is_new ? make_enum(b, "", NULL, def->parts, scope, &m->values) : 0;
	out->values = m->values;
	return ret;
}

/* 1: left out, with a warning. */
static int make_field(struct nti_builder *b, const struct nti_xml_node *n,
		      const struct nti_scope *scope, uint32_t depth, struct nti_field *out)
{
	const char *name = nti_xml_node_get(n, "name");
	uint64_t low = UINT64_MAX, high = UINT64_MAX;
	struct nti_scope in;
	int ret;

	if (!name) {
		nti_build_warn(b, n, "a bit field has no name, so it is left out");
		return 1;
	}
	ret = nti_build_number(b, n, "low", &low);
	if (!ret)
		ret = nti_build_number(b, n, "high", &high);
	if (!ret && nti_xml_node_get(n, "pos")) {
		ret = nti_build_number(b, n, "pos", &low);
		high = low;
	}
	if (ret)
		return ret;
	if (low > high || high > 63) {
		nti_build_warn(b, n,
			       "the bit field %s needs low and high, or pos, from 0 to 63, so it "
			       "is left out",
			       name);
		return 1;
	}
	name = nti_arena_text(&b->layer->arena, name, strlen(name));
	if (!name)
		return nti_build_no_memory(b);
	nti_field_name(out, name);
	out->low = (uint8_t)low;
	out->high = (uint8_t)high;
	out->mask = (UINT64_MAX >> (63 - (high - low))) << low;
	ret = nti_build_scope(b, n, scope, &in);
	if (!ret)
		ret = nti_build_variants(b, n, &in, NULL, &out->variants);
	return ret ? ret
		   : nti_build_type(b, n, &in, (uint32_t)(high - low + 1), depth + 1, &out->type);
}

/* Fields that stand in an element which has @bits must be in it; 0: it has none itself. */
static int make_fields_of(struct nti_builder *b, const struct nti_xml_node *from, uint32_t bits,
			  const struct nti_scope *scope, uint32_t depth, struct nti_field *fields,
			  size_t *count)
{
	const struct nti_xml_node *n;
	uint64_t shr = 0;
	int ret = bits ? nti_build_number(b, from, "shr", &shr) : 0;

	for (n = from->first; n && ret >= 0; n = n->next) {
		const struct nti_field *field = &fields[*count];

		if (strcmp(n->tag, "bitfield") != 0)
			continue;
		ret = make_field(b, n, scope, depth, &fields[*count]);
		*count += !ret;
		if (!ret && bits && field->high >= bits + shr)
			ret = nti_build_error(b, -EBADMSG, n,
					      "the bit field %s has bits %u to %u, and <%s> has "
					      "bits 0 to %u",
					      field->name, field->low, field->high, from->tag,
					      (unsigned int)(bits + shr) - 1);
	}
	return ret < 0 ? ret : 0;
}

/* Fields of @n (may be NULL), which has @bits, and of all @parts. */
static int make_fields(struct nti_builder *b, const struct nti_xml_node *n, uint32_t bits,
		       const struct nti_def_part *parts, const struct nti_scope *scope,
		       uint32_t depth, const struct nti_field **out, size_t *count)
{
	size_t room = count_children(n, parts, "bitfield");
	struct nti_field *fields = nti_arena_array(&b->layer->arena, room, sizeof(*fields));
	int ret = 0;

	*count = 0;
	b->elements += (uint32_t)(room > UINT32_MAX / 4 ? UINT32_MAX / 4 : room);
	if (b->elements > NTI_REGDB_ELEMENTS)
		return nti_error(&b->ctx->error, -E2BIG, "the database has more than %u elements",
				 NTI_REGDB_ELEMENTS);
	if (!fields)
		return nti_build_no_memory(b);
	if (n)
		ret = make_fields_of(b, n, bits, scope, depth, fields, count);
	for (; parts && !ret; parts = parts->next) {
		struct nti_scope in;

		ret = nti_build_scope(b, parts->node, scope, &in);
		if (!ret)
			ret = make_fields_of(b, parts->node, 0, &in, depth, fields, count);
	}
	*out = fields;
	return ret;
}

static int bitset_type(struct nti_builder *b, const struct nti_xml_node *n, struct nti_def *def,
		       const struct nti_scope *scope, uint32_t bits, uint32_t depth,
		       struct nti_type *out)
{
	bool is_new = false;
	struct nti_made *m;
	int ret = 0;

	out->kind = NTI_TYPE_FIELDS;
	if (!def->is_inline)
		scope = &nowhere;
	if (def->is_open)
		return nti_build_error(b, -EBADMSG, n, "the bitset %s is in itself", def->name);
	def->is_open = true;
	if (def->is_inline && count_children(n, NULL, "bitfield")) {
		ret = make_fields(b, n, bits, def->parts, scope, depth, &out->fields,
				  &out->field_count);
		def->is_open = false;
		return ret;
	}
	m = made_for(b, def, scope, &is_new);
	if (!m)
		return nti_build_no_memory(b);
	if (is_new)
		ret = make_fields(b, NULL, 0, def->parts, scope, depth, &m->fields,
				  &m->field_count);
	def->is_open = false;
	if (ret)
		return ret;
	out->fields = m->fields;
	out->field_count = m->field_count;
	return 0;
}

static int plain_type(struct nti_builder *b, const struct nti_xml_node *n,
		      const struct nti_scope *scope, uint32_t bits, uint32_t depth,
		      struct nti_type *out)
{
	struct nti_enum *e = NULL;
	int ret;

	if (count_children(n, NULL, "bitfield")) {
		out->kind = NTI_TYPE_FIELDS;
		return make_fields(b, n, bits, NULL, scope, depth, &out->fields, &out->field_count);
	}
	if (count_children(n, NULL, "value")) {
		out->kind = NTI_TYPE_ENUM;
		ret = make_enum(b, "", n, NULL, scope, &e);
		out->values = e;
		return ret;
	}
	out->kind = bits == 1 ? NTI_TYPE_BOOLEAN : NTI_TYPE_HEX;
	return 0;
}

static const struct {
	const char *name;
	enum nti_type_kind kind;
} built_in[] = {
	{ "hex", NTI_TYPE_HEX },	  { "uint", NTI_TYPE_UINT },   { "int", NTI_TYPE_INT },
	{ "boolean", NTI_TYPE_BOOLEAN },  { "float", NTI_TYPE_FLOAT }, { "fixed", NTI_TYPE_FIXED },
	{ "ufixed", NTI_TYPE_UFIXED },	  { "address", NTI_TYPE_HEX }, { "waddress", NTI_TYPE_HEX },
	{ "a3xx_regid", NTI_TYPE_REGID },
};

static int named_type(struct nti_builder *b, const struct nti_xml_node *n, const char *name,
		      const struct nti_scope *scope, uint32_t bits, uint32_t depth,
		      struct nti_type *out)
{
	struct nti_def *def = nti_def_find(b, NTI_DEF_ENUM, name);
	size_t i;

	if (def)
		return enum_type(b, n, def, scope, out);
	def = nti_def_find(b, NTI_DEF_BITSET, name);
	if (def)
		return bitset_type(b, n, def, scope, bits, depth, out);
	def = nti_def_find(b, NTI_DEF_SPECTYPE, name);
	if (def)
		return nti_build_type(b, def->parts->node, &nowhere, bits, depth + 1, out);
	if (strcmp(name, "bitfield") == 0 || strcmp(name, "enum") == 0)
		return plain_type(b, n, scope, bits, depth, out);
	for (i = 0; i < NTI_ARRAY_SIZE(built_in); i++) {
		if (strcmp(name, built_in[i].name) == 0) {
			out->kind = (uint8_t)built_in[i].kind;
			return 0;
		}
	}
	/*
	 * a type that nobody defines is a number: the name of the register is worth more than its
	 * type
	 */
	nti_build_warn(b, n, "there is no type '%s'", name);
	out->kind = NTI_TYPE_HEX;
	return 0;
}

/*
 * A bitset serves registers of several widths (nv_evo.xml of envytools: G80_EVO_INTERLOCK of 16
 * bits in a field of 12): what does not fit never shows there.
 */
static void tell_lost_fields(struct nti_builder *b, const struct nti_xml_node *n,
			     const struct nti_type *type, uint32_t bits)
{
	size_t i;

	for (i = 0; type->kind == NTI_TYPE_FIELDS && i < type->field_count; i++)
		if (type->fields[i].high >= bits + type->shr)
			nti_trace_log(b->ctx,
				      "regdb: %s:%u: the bit field %s has no room in %u bits",
				      n->file, n->line, type->fields[i].name, bits);
}

int nti_build_type(struct nti_builder *b, const struct nti_xml_node *n,
		   const struct nti_scope *scope, uint32_t bits, uint32_t depth,
		   struct nti_type *out)
{
	const char *name = nti_xml_node_get(n, "type");
	uint64_t shr = 0, radix = 0, add = 0, other = 0;
	int ret;

	if (depth > NTI_REGDB_DEPTH)
		return nti_build_error(b, -E2BIG, n, "types are in each other more than %u deep",
				       NTI_REGDB_DEPTH);
	ret = nti_build_number(b, n, "shr", &shr);
	if (!ret)
		ret = nti_build_number(b, n, "radix", &radix);
	if (!ret)
		ret = nti_build_number(b, n, "add", &add);
	if (!ret)
		ret = nti_build_number(b, n, "min", &other);
	if (!ret)
		ret = nti_build_number(b, n, "max", &other);
	if (!ret)
		ret = nti_build_number(b, n, "align", &other);
	if (!ret && (shr > 63 || radix > 63))
		ret = nti_build_error(b, -EBADMSG, n, "shr and radix are 0 to 63");
	if (ret)
		return ret;
	ret = name ? named_type(b, n, name, scope, bits, depth, out)
		   : plain_type(b, n, scope, bits, depth, out);
	/* those of a spectype stay where the user of it has none */
	if (shr)
		out->shr = (uint8_t)shr;
	if (radix)
		out->radix = (uint8_t)radix;
	if (add)
		out->add = add;
	if (!ret)
		tell_lost_fields(b, n, out, bits);
	return ret;
}
