// SPDX-License-Identifier: MIT
/* What builders of layers share: memory, choices, and the order in which addresses are found. */
#include "trace/lib/regdb/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"

struct nti_layer *nti_layer_new(uint32_t first_choice)
{
	struct nti_layer *layer = calloc(1, sizeof(*layer));

	if (!layer)
		return NULL;
	layer->arena.limit = NTI_REGDB_LAYER_BYTES;
	layer->first_choice = first_choice;
	return layer;
}

void nti_layer_free(struct nti_layer *layer)
{
	if (!layer)
		return;
	nti_arena_free(&layer->arena);
	free(layer->choices);
	free(layer);
}

bool nti_layer_choose(struct nti_layer *layer, struct nti_enum *e)
{
	if (e->choice != NTI_NO_CHOICE)
		return true;
	if (!nti_grow(&layer->choices, layer->choice_count))
		return false;
	e->choice = layer->first_choice + (uint32_t)layer->choice_count;
	layer->choices[layer->choice_count++] = e;
	return true;
}

struct nti_variants *nti_variants_new(struct nti_layer *layer, const struct nti_enum *of,
				      const struct nti_variants *next)
{
	size_t words = of->count / 64 + 1;
	struct nti_variants *v;

	v = nti_arena_new(&layer->arena, sizeof(*v) + words * sizeof(v->bits[0]));
	if (!v)
		return NULL;
	v->next = next;
	v->of = of;
	return v;
}

/* qsort has no argument for what is sorted: pairs that carry their keys. */
struct keyed {
	uint64_t key;
	uint32_t place;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

void nti_field_name(struct nti_field *f, const char *name)
{
	size_t n = strlen(name);

	f->name = name;
	f->name_bytes = (uint16_t)(n > UINT16_MAX ? UINT16_MAX : n);
	if (n + 6 > NTI_SHORT)
		return;
	memcpy(f->label, " | ", 3);
	memcpy(f->label + 3, name, n);
	memcpy(f->label + 3 + n, " = ", 3);
	f->label_bytes = (uint8_t)(n + 6);
}

void nti_value_name(struct nti_value *v, const char *name)
{
	size_t n = strlen(name);

	v->name = name;
	if (n > NTI_SHORT)
		return;
	memcpy(v->text, name, n);
	v->text_bytes = (uint8_t)n;
}

bool nti_enum_sort(struct nti_layer *layer, struct nti_enum *e)
{
	struct keyed *keyed = calloc(e->count + 1, sizeof(*keyed));
	uint32_t *sorted = nti_arena_array(&layer->arena, e->count + 1, sizeof(*sorted));
	size_t i, n = 0;

	if (!keyed || !sorted) {
		free(keyed);
		return false;
	}
	for (i = 0; i < e->count; i++)
		if (e->values[i].has_value)
			keyed[n++] = (struct keyed){ e->values[i].value, (uint32_t)i };
	qsort(keyed, n, sizeof(*keyed), compare_keyed);
	for (i = 0; i < n; i++)
		sorted[i] = keyed[i].place;
	free(keyed);
	e->sorted = sorted;
	e->sorted_count = n;
	return true;
}

size_t nti_element_source(const struct nti_element *e, char *buf, size_t size)
{
	int n = e->line ? snprintf(buf, size, "%s:%u", e->file, e->line)
			: snprintf(buf, size, "%s", e->file);

	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

/* a + b * c, or the largest number where that is more. */
static uint64_t reach(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t sum;

	if (b && c > UINT64_MAX / b)
		return UINT64_MAX;
	sum = a + b * c;
	return sum < a ? UINT64_MAX : sum;
}

/* Last unit of an element, all copies counted. */
static uint64_t last_of(const struct nti_element *e)
{
	uint64_t extent = e->extent ? e->extent : 1;

	/* the copies of an array have their stride for themselves and no more, whatever is in it */
	if (e->kind == NTI_ELEMENT_ARRAY && e->stride)
		extent = e->stride;
	if (e->length == 0)
		return UINT64_MAX;
	return reach(reach(e->offset, e->stride, e->length - 1), extent - 1, 1);
}

uint64_t nti_body_extent(const struct nti_body *body)
{
	uint64_t extent = 0;
	uint32_t i;

	for (i = 0; i < body->span_count; i++) {
		uint64_t end = body->spans[i].last;

		if (end != UINT64_MAX)
			end++;
		if (end > extent)
			extent = end;
	}
	return extent;
}

static int compare_spans(const void *a, const void *b)
{
	const struct nti_span *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->element < y->element ? -1 : x->element > y->element;
}

/* last_max of the middle of each part: the tree that find.c walks. */
static uint64_t link_spans(struct nti_span *spans, size_t n)
{
	size_t middle = n / 2;
	uint64_t left, right, most;

	if (!n)
		return 0;
	left = link_spans(spans, middle);
	right = link_spans(spans + middle + 1, n - middle - 1);
	most = spans[middle].last;
	if (middle && left > most)
		most = left;
	if (n - middle > 1 && right > most)
		most = right;
	spans[middle].last_max = most;
	return most;
}

static size_t count_spans(const struct nti_body *body)
{
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < body->count; i++)
		n += body->elements[i].offsets ? body->elements[i].length : 1;
	return n;
}

int nti_body_index(struct nti_layer *layer, struct nti_body *body)
{
	size_t n = count_spans(body), at = 0;
	uint32_t i, k;

	if (n > NTI_REGDB_ELEMENTS)
		return -E2BIG;
	body->spans = nti_arena_array(&layer->arena, n, sizeof(*body->spans));
	if (!body->spans)
		return -ENOMEM;
	for (i = 0; i < body->count; i++) {
		const struct nti_element *e = &body->elements[i];

		if (!e->offsets) {
			body->spans[at++] = (struct nti_span){ e->offset, last_of(e), 0, i, 0 };
			continue;
		}
		for (k = 0; k < e->length; k++)
			body->spans[at++] = (struct nti_span){
				e->offsets[k],
				reach(e->offsets[k], e->extent ? e->extent - 1 : 0, 1), 0, i, k
			};
	}
	body->span_count = (uint32_t)n;
	if (n)
		qsort(body->spans, n, sizeof(*body->spans), compare_spans);
	link_spans(body->spans, n);
	return 0;
}
