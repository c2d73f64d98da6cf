// SPDX-License-Identifier: MIT
/*
 * ntime's own rows as a layer. Chips that share a list of places share its elements: the list is
 * the variant.
 *
 *	place "PGRAPH.TPC[#].MP[#]"  ->  stripe "PGRAPH.TPC" of 8 -> stripe "MP" of 2 -> registers
 *                                       of the table
 */
#include <errno.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "trace/lib/regdb/model.h"

struct rows {
	struct nti_layer *layer;
	struct nti_enum *chips;
	struct nti_domain *domain;
};

static struct nti_enum *make_chips(struct nti_layer *layer)
{
	struct nti_enum *e = nti_arena_new(&layer->arena, sizeof(*e));
	struct nti_value *values =
		nti_arena_array(&layer->arena, nthw_nv_chip_count, sizeof(*values));
	size_t i;

	if (!e || !values)
		return NULL;
	for (i = 0; i < nthw_nv_chip_count; i++) {
		nti_value_name(&values[i], nthw_nv_chips[i].name);
		values[i].value = nthw_nv_chips[i].id;
		values[i].has_value = true;
	}
	e->name = "chips of NVIDIA";
	e->values = values;
	e->count = nthw_nv_chip_count;
	e->choice = NTI_NO_CHOICE;
	if (!nti_enum_sort(layer, e) || !nti_layer_choose(layer, e))
		return NULL;
	return e;
}

static struct nti_enum *make_choices(struct rows *r, const struct nthw_nv_table *table,
				     const struct nthw_field *fields, const char *name)
{
	struct nti_enum *e;
	struct nti_value *values;
	size_t i, n = 0;

	for (i = 0; i < table->choice_count; i++)
		n += table->choices[i].fields == fields &&
		     strcmp(table->choices[i].field, name) == 0;
	e = nti_arena_new(&r->layer->arena, sizeof(*e));
	values = nti_arena_array(&r->layer->arena, n, sizeof(*values));
	if (!e || !values)
		return NULL;
	e->name = name;
	e->values = values;
	e->choice = NTI_NO_CHOICE;
	for (i = 0; i < table->choice_count; i++) {
		const struct nthw_choice *c = &table->choices[i];

		if (c->fields != fields || strcmp(c->field, name) != 0)
			continue;
		if (!c->name)
			return r->chips;
		values[e->count] = (struct nti_value){ .value = c->value, .has_value = true };
		nti_value_name(&values[e->count++], c->name);
	}
	return nti_enum_sort(r->layer, e) ? e : NULL;
}

static int make_field(struct rows *r, const struct nthw_nv_table *table, const struct nthw_reg *row,
		      const struct nthw_field *f, struct nti_field *out)
{
	struct nti_enum *e = make_choices(r, table, row->fields, f->name);

	if (!e)
		return -ENOMEM;
	nti_field_name(out, f->name);
	out->low = f->shift;
	out->high = (uint8_t)(f->shift + f->width - 1);
	out->mask = nthw_field_mask(f);
	if (e->count) {
		out->type.kind = NTI_TYPE_ENUM;
		out->type.values = e;
	} else if (f->width == 1) {
		out->type.kind = NTI_TYPE_BOOLEAN;
	}
	return 0;
}

/* Fields of bits of which nothing is known are left out: those bits show as they are. */
static int make_type(struct rows *r, const struct nthw_nv_table *table, const struct nthw_reg *row,
		     struct nti_type *out)
{
	struct nti_field *fields;
	uint32_t i;
	int ret = 0;

	if (row->field_count == 1 && row->fields[0].width == row->bits)
		return 0;
	fields = nti_arena_array(&r->layer->arena, row->field_count, sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	out->kind = NTI_TYPE_FIELDS;
	out->fields = fields;
	for (i = 0; i < row->field_count && !ret; i++)
		if (strncmp(row->fields[i].name, "unknown", 7) != 0)
			ret = make_field(r, table, row, &row->fields[i],
					 &fields[out->field_count++]);
	return ret;
}

static int make_registers(struct rows *r, const struct nthw_nv_table *table, struct nti_body *body)
{
	uint32_t i;
	int ret;

	body->count = (uint32_t)table->rows.count;
	body->elements = nti_arena_array(&r->layer->arena, body->count, sizeof(*body->elements));
	if (!body->elements)
		return -ENOMEM;
	for (i = 0; i < body->count; i++) {
		const struct nthw_reg *row = table->rows.regs[i];
		struct nti_element *e = &body->elements[i];

		e->kind = NTI_ELEMENT_REG;
		e->bits = (uint8_t)row->bits;
		e->is_guess = row->trust == NTHW_GUESSED;
		e->name = row->name;
		e->file = row->source;
		e->about = row->field_count == 1 ? row->fields[0].about : "";
		e->offset = row->addr;
		e->stride = row->step;
		e->length = row->count;
		e->extent = (row->bits + 7) / 8;
		ret = make_type(r, table, row, &e->type);
		if (ret)
			return ret;
		r->domain->registers++;
	}
	return nti_body_index(r->layer, body);
}

/* A stripe, whose body is still to come. */
static struct nti_element *make_stripe(struct rows *r, struct nti_body *in, const char *name,
				       size_t bytes, uint32_t step, uint32_t count)
{
	struct nti_element *e = nti_arena_new(&r->layer->arena, sizeof(*e));

	if (!e)
		return NULL;
	in->elements = e;
	in->count = 1;
	e->kind = NTI_ELEMENT_STRIPE;
	e->name = bytes ? nti_arena_text(&r->layer->arena, name, bytes) : NULL;
	e->file = "";
	e->about = "";
	e->stride = step;
	e->length = count ? count : 1;
	return bytes && !e->name ? NULL : e;
}

/* Stripes in each other: one for each number in the name, and for what steps without one. */
static int make_place(struct rows *r, const struct nthw_nv_place *p,
		      const struct nti_variants *variants, struct nti_element *out)
{
	struct nti_body body = { 0 }, *in = &body;
	struct nti_element *way[4] = { 0 };
	size_t depth = 0, used = 0, k;
	const char *name = p->name;
	int ret;

	while (depth < 4 && (*name || (used < 2 && p->count[used]))) {
		const char *end = strstr(name, "[#]");
		size_t bytes = end ? (size_t)(end - name) : strlen(name);
		bool is_counted = end || !*name;

		way[depth] = make_stripe(r, in, name, bytes, is_counted ? p->step[used] : 0,
					 is_counted ? p->count[used] : 1);
		if (!way[depth])
			return -ENOMEM;
		in = &way[depth++]->body;
		used += is_counted;
		name += bytes + (end ? 3 : 0);
		name += *name == '.';
	}
	ret = make_registers(r, p->table, in);
	for (k = depth; k-- > 0 && !ret;) {
		way[k]->extent = nti_body_extent(&way[k]->body);
		if (k)
			ret = nti_body_index(r->layer, &way[k - 1]->body);
	}
	if (ret || !way[0])
		return ret ? ret : -EINVAL; /* a place without a name has no way */
	way[0]->offset = p->base;
	way[0]->variants = variants;
	*out = *way[0];
	return 0;
}

/* The chips that have exactly this list of places. */
static const struct nti_variants *make_variants(struct rows *r, const struct nthw_nv_place *places)
{
	struct nti_variants *v = nti_variants_new(r->layer, r->chips, NULL);
	size_t i;

	for (i = 0; v && i < nthw_nv_chip_count; i++)
		if (nthw_nv_chips[i].places == places)
			v->bits[i / 64] |= (uint64_t)1 << i % 64;
	return v;
}

static bool is_first_of_its_kind(size_t chip)
{
	return chip == 0 || nthw_nv_chips[chip].places != nthw_nv_chips[chip - 1].places;
}

static int make_domain(struct rows *r)
{
	struct nti_body *body = &r->domain->body;
	size_t i, k, n = 0;
	int ret;

	for (i = 0; i < nthw_nv_chip_count; i++)
		n += is_first_of_its_kind(i) ? nthw_nv_chips[i].place_count : 0;
	body->elements = nti_arena_array(&r->layer->arena, n, sizeof(*body->elements));
	if (!body->elements)
		return -ENOMEM;
	for (i = 0; i < nthw_nv_chip_count; i++) {
		const struct nthw_nv_chip *chip = &nthw_nv_chips[i];
		const struct nti_variants *variants;

		if (!is_first_of_its_kind(i))
			continue;
		variants = make_variants(r, chip->places);
		if (!variants)
			return -ENOMEM;
		for (k = 0; k < chip->place_count; k++) {
			ret = make_place(r, &chip->places[k], variants,
					 &body->elements[body->count++]);
			if (ret)
				return ret;
		}
	}
	return nti_body_index(r->layer, body);
}

int nti_regdb_rows(uint32_t first_choice, struct nti_layer **out)
{
	struct rows r = { .layer = nti_layer_new(first_choice) };
	int ret = -ENOMEM;

	*out = NULL;
	if (!r.layer)
		return -ENOMEM;
	r.layer->is_own = true;
	r.chips = make_chips(r.layer);
	r.domain = nti_arena_new(&r.layer->arena, sizeof(*r.domain));
	if (r.chips && r.domain) {
		r.domain->name = "NV_MMIO";
		r.domain->unit = 1;
		r.layer->domains = r.domain;
		ret = make_domain(&r);
	}
	if (ret) {
		nti_layer_free(r.layer);
		return ret;
	}
	*out = r.layer;
	return 0;
}
