// SPDX-License-Identifier: MIT
/* Which chip a device is: names and ids to what that means in each database. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_chip.h"
#include "base/common/grow.h"
#include "base/common/text.h"
#include "trace/lib/base/context.h"
#include "trace/lib/regdb/decoder.h"

/* A view of which nothing is known yet. */
static struct nti_view *new_view(struct ntime_decoder *d, uint16_t **choice)
{
	struct nti_view *v = nti_arena_new(&d->arena, sizeof(*v));
	uint32_t i;

	*choice = nti_arena_array(&d->arena, d->db->choice_count + 1, sizeof(**choice));
	if (!v || !*choice)
		return NULL;
	for (i = 0; i < d->db->choice_count; i++)
		(*choice)[i] = NTI_CHOICE_UNKNOWN;
	v->chip = "";
	v->choice = *choice;
	return v;
}

/* The number of @v, or of one that says the same. */
static int keep_view(struct ntime_decoder *d, struct nti_view *v, uint16_t *out)
{
	size_t i;

	for (i = 0; i < d->view_count; i++) {
		if (strcmp(d->views[i]->chip, v->chip) == 0 &&
		    d->views[i]->is_nvidia == v->is_nvidia) {
			*out = (uint16_t)i;
			return 0;
		}
	}
	if (d->view_count >= 0x7ffe || !nti_grow(&d->views, d->view_count))
		return -ENOMEM;
	d->views[d->view_count] = v;
	*out = (uint16_t)d->view_count++;
	return 0;
}

int nti_view_of_vendor(struct ntime_decoder *d, bool is_nvidia, uint16_t *out)
{
	uint16_t *choice;
	struct nti_view *v = new_view(d, &choice);

	if (!v)
		return -ENOMEM;
	v->is_nvidia = is_nvidia;
	return keep_view(d, v, out);
}

static bool is_name_of(const char *value, const char *name, const struct nthw_nv_chip *chip)
{
	return nti_text_compare(value, name) == 0 || (chip && nthw_nv_chip_by_name(value) == chip);
}

/* Adreno's databases know series: A630 is an A6XX. False when @name is no such number. */
static bool series_of(const char *name, char out[5])
{
	if (nti_text_lower(name[0]) != 'a' || strlen(name) != 4 ||
	    !isdigit((unsigned char)name[1]) || !isdigit((unsigned char)name[2]) ||
	    !isdigit((unsigned char)name[3]))
		return false;
	out[0] = 'A';
	out[1] = name[1];
	out[2] = out[3] = 'X';
	out[4] = '\0';
	return true;
}

/*
 * Choose in all databases the value of that name; the chip's name is that of the first that has it.
 */
static bool choose(const struct ntime_decoder *d, struct nti_view *v, uint16_t *choice,
		   const char *name)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(name);
	const struct nti_layer *layer;
	bool is_found = false;
	size_t i, k;

	for (layer = d->db->layers; layer; layer = layer->next) {
		for (i = 0; i < layer->choice_count; i++) {
			const struct nti_enum *e = layer->choices[i];

			if (layer->is_own)
				choice[e->choice] = NTI_CHOICE_NONE;
			for (k = 0; k < e->count && k < NTI_CHOICE_NONE; k++) {
				if (!is_name_of(e->values[k].name, name, chip))
					continue;
				choice[e->choice] = (uint16_t)k;
				v->is_nvidia |= layer->is_own;
				if (!is_found || layer->is_own)
					v->chip = e->values[k].name;
				is_found = true;
				break;
			}
		}
	}
	return is_found;
}

static void look_nearer(const char *name, const char *wanted, const char **best,
			unsigned int *least)
{
	unsigned int far = nti_text_distance(name, wanted, 3);

	if (far < *least) {
		*least = far;
		*best = name;
	}
}

static int unknown_name(const struct ntime_decoder *d, const char *name)
{
	const struct nti_layer *layer;
	const char *best = NULL;
	unsigned int least = 3;
	size_t i, k;

	for (layer = d->db->layers; layer; layer = layer->next)
		for (i = 0; i < layer->choice_count; i++)
			for (k = 0; k < layer->choices[i]->count; k++)
				look_nearer(layer->choices[i]->values[k].name, name, &best, &least);
	if (best)
		return nti_error(&d->db->ctx->error, -ENOENT,
				 "no chip is called '%s': did you mean %s?", name, best);
	return nti_error(&d->db->ctx->error, -ENOENT,
			 "no chip is called '%s'; NVIDIA's are known by name or number (GT218, "
			 "NVA8, 0xa8; ntime's own rows have %s to %s), others come with --regs",
			 name, nthw_nv_chips[0].name, nthw_nv_chips[nthw_nv_chip_count - 1].name);
}

/* What a chip of NVIDIA's is called of which no database knows anything; NULL: no memory. */
static const char *own_name(struct ntime_decoder *d, const char *name)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(name);
	char *text;

	if (chip)
		return chip->name;
	text = nti_arena_array(&d->arena, sizeof("NV1FF"), 1);
	if (text)
		(void)snprintf(text, sizeof("NV1FF"), "NV%02X", nthw_nv_chip_number(name) & 0x1ffu);
	return text;
}

int nti_view_of_name(struct ntime_decoder *d, const char *name, uint16_t *out)
{
	uint16_t *choice;
	struct nti_view *v = new_view(d, &choice);
	char series[5];

	if (!v)
		return -ENOMEM;
	if (choose(d, v, choice, name) || (series_of(name, series) && choose(d, v, choice, series)))
		return keep_view(d, v, out);
	if (!nthw_nv_chip_number(name))
		return unknown_name(d, name);
	v->is_nvidia = true;
	v->chip = own_name(d, name);
	return v->chip ? keep_view(d, v, out) : -ENOMEM;
}

int nti_view_of_id(struct ntime_decoder *d, uint32_t id, uint16_t *out)
{
	const struct nti_layer *layer;
	size_t i, k;

	for (i = 0; i < nthw_nv_chip_count; i++)
		if (nthw_nv_chips[i].id == id)
			return nti_view_of_name(d, nthw_nv_chips[i].name, out);
	/* newer and older ones: envytools keeps the id as the value */
	for (layer = d->db->layers; layer; layer = layer->next) {
		for (i = 0; i < layer->choice_count; i++) {
			const struct nti_enum *e = layer->choices[i];

			for (k = 0; strcmp(e->name, "chipset") == 0 && k < e->count; k++)
				if (e->values[k].has_value && e->values[k].value == id)
					return nti_view_of_name(d, e->values[k].name, out);
		}
	}
	return -ENOENT;
}
