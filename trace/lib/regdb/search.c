// SPDX-License-Identifier: MIT
/*
 * Registers by name. A pattern is compared with the name without numbers, from its beginning or
 * behind any point; the numbers it gives are those of the parts of the name that are called so.
 *
 *	PRE_SRC              all copies of PCOUNTER.PRE_SRC
 *	TPC[2].*SEL          PGRAPH.TPC[2].MPC.PM_GROUP_SEL
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "trace/lib/base/context.h"
#include "trace/lib/regdb/decoder.h"

#define PARTS 32u
#define LOOKS 4000000u

#define PART_BYTES 64u

/* A number that the pattern gives, of the array that has a name like @part. */
struct number {
	char part[PART_BYTES];
	uint32_t place; /* among the numbers there */
	bool is_any;	/* "[*]" */
	uint64_t value;
};

struct search {
	struct ntime_decoder *d;
	const struct nti_view *view;
	uint8_t region;
	const struct nti_layer *layer;
	const struct nti_domain *domain;
	char pattern[NTI_REGDB_NAME_BYTES]; /* without numbers */
	struct number numbers[PARTS];
	uint32_t number_count;
	int (*fn)(void *arg, uint8_t region, uint64_t offset, const struct ntime_regdb_hit *hit);
	void *arg;
	struct nti_found found; /* the way that is looked at */
	char near[128];		/* a name that looks like the pattern */
	char array[128];	/* an array that has no copy of the pattern's number, "" none */
	uint64_t copies;	/* how many it has */
	unsigned int distance;
	uint32_t looks;
	int count;
};

static bool glob(const char *pattern, const char *text)
{
	const char *star = NULL, *again = NULL;

	while (*text) {
		if (*pattern == '*') {
			star = pattern++;
			again = text;
		} else if (*pattern == '?' || nti_text_lower(*pattern) == nti_text_lower(*text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star + 1;
			text = ++again;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* The whole name, or what is behind one of its points. */
static bool is_named(const char *pattern, const char *name)
{
	for (;;) {
		if (glob(pattern, name))
			return true;
		name = strchr(name, '.');
		if (!name)
			return false;
		name++;
	}
}

/*
 * One "[3]", "[0x3]" or "[*]" of the pattern. Returns what is behind it, NULL when it is no number.
 */
static const char *read_number(const char *at, struct number *n)
{
	const char *end = strchr(at, ']');
	char digits[24];

	if (!end || (size_t)(end - at) > sizeof(digits))
		return NULL;
	memcpy(digits, at + 1, (size_t)(end - at) - 1);
	digits[end - at - 1] = '\0';
	n->is_any = strcmp(digits, "*") == 0 || !*digits;
	if (!n->is_any && nti_text_parse_u64(digits, &n->value))
		return NULL;
	return end + 1;
}

/* Split the pattern into text and numbers. False when it is neither. */
static bool read_pattern(struct search *s, const char *pattern)
{
	uint32_t place = 0;
	size_t used = 0, part = 0;

	while (*pattern) {
		if (*pattern == '[') {
			struct number *n = &s->numbers[s->number_count];

			if (s->number_count == PARTS || used - part >= sizeof(n->part))
				return false;
			pattern = read_number(pattern, n);
			if (!pattern)
				return false;
			memcpy(n->part, s->pattern + part, used - part);
			n->part[used - part] = '\0';
			n->place = place++;
			s->number_count++;
			continue;
		}
		if (used + 1 >= sizeof(s->pattern))
			return false;
		s->pattern[used++] = *pattern;
		if (*pattern++ == '.') {
			part = used;
			place = 0;
		}
	}
	return used > 0;
}

/* Name of the way that is looked at, without numbers. */
static void plain_name(const struct nti_found *f, char *buf, size_t size)
{
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < f->depth; i++) {
		const char *name = f->steps[i].element->name;
		size_t n = name ? strlen(name) : 0;

		if (!name || used + n + 2 > size)
			continue;
		if (used)
			buf[used++] = '.';
		memcpy(buf + used, name, n);
		used += n;
	}
	buf[used] = '\0';
}

/*
 * The part of the name that step @at counts in: the last one of its own name, or of the next step
 * that has one.
 */
static const char *part_of(const struct nti_found *f, uint32_t at)
{
	const char *name, *point;

	while (at + 1 < f->depth && !f->steps[at].element->name)
		at++;
	name = f->steps[at].element->name ? f->steps[at].element->name : "";
	point = strrchr(name, '.');
	return point ? point + 1 : name;
}

/* How many arrays before step @at count in the same part. */
static uint32_t place_of(const struct nti_found *f, uint32_t at)
{
	uint32_t i, place = 0;

	for (i = 0; i < at; i++)
		if (f->steps[i].element->length != 1 && part_of(f, i) == part_of(f, at))
			place++;
	return place;
}

/* The number that the pattern gives for step @at; NULL: none. */
static const struct number *number_of(const struct search *s, uint32_t at)
{
	uint32_t place = place_of(&s->found, at), i;

	for (i = 0; i < s->number_count; i++)
		if (s->numbers[i].place == place &&
		    glob(s->numbers[i].part, part_of(&s->found, at)))
			return &s->numbers[i];
	return NULL;
}

/* All numbers that the pattern gives are of arrays of this name. */
static bool has_numbers(const struct search *s)
{
	uint32_t i, k, matched = 0;

	for (k = 0; k < s->number_count; k++) {
		for (i = 0; i < s->found.depth; i++) {
			if (s->found.steps[i].element->length != 1 &&
			    number_of(s, i) == &s->numbers[k]) {
				matched++;
				break;
			}
		}
	}
	return matched == s->number_count;
}

/* Step @at is an array that has not the copy that was asked for. */
static void note_copies(struct search *s, uint32_t at)
{
	struct nti_found f = s->found;

	/* a part of the way without a name is called as what is in it */
	f.depth = f.steps[at].element->name ? at + 1 : f.depth;
	plain_name(&f, s->array, sizeof(s->array));
	s->copies = f.steps[at].element->length;
}

/* Fill in the copies and the arrays; false when a number is beyond its array. */
static bool choose_copies(struct search *s, struct ntime_regdb_array *arrays, uint32_t *count,
			  uint64_t *offset)
{
	uint64_t copy;
	uint32_t i;

	*count = 0;
	*offset = 0;
	for (i = 0; i < s->found.depth; i++) {
		const struct nti_element *e = s->found.steps[i].element;
		const struct number *n = e->length == 1 ? NULL : number_of(s, i);

		if (n && n->is_any)
			n = NULL;
		copy = n ? n->value : 0;
		if (n && e->length && copy >= e->length) {
			note_copies(s, i);
			return false;
		}
		s->found.steps[i].copy = copy;
		*offset += e->offsets ? e->offsets[copy] : e->offset + copy * e->stride;
		if (e->length == 1)
			continue;
		arrays[*count].index = copy;
		arrays[*count].length = n ? 1 : e->length;
		arrays[*count].stride = e->offsets ? 0 : e->stride * s->domain->unit;
		(*count)++;
	}
	*offset *= s->domain->unit;
	return true;
}

/* Does @offset have this register, or does another database hide it? */
static bool is_seen(const struct search *s, uint64_t offset)
{
	struct nti_found f;

	if (s->layer == s->d->db->layers && !s->layer->is_own)
		return true;
	return nti_decoder_look(s->d, s->view, s->region, offset, &f) &&
	       f.steps[f.depth - 1].element == s->found.steps[s->found.depth - 1].element;
}

static int report(struct search *s, bool is_guess)
{
	const struct nti_element *e = s->found.steps[s->found.depth - 1].element;
	struct ntime_regdb_array arrays[NTI_REGDB_DEPTH];
	struct ntime_regdb_hit hit = { .size = sizeof(hit), .arrays = arrays };
	struct nti_hit inner = { .element = e, .bits = e->bits, .view = s->view };
	char name[NTI_REGDB_NAME_BYTES], source[NTI_REGDB_NAME_BYTES];
	uint32_t count;
	uint64_t offset;

	if (!has_numbers(s) || !choose_copies(s, arrays, &count, &offset) || !is_seen(s, offset))
		return 0;
	nti_found_name(&s->found, name, sizeof(name));
	hit.array_count = count;
	hit.name = name;
	hit.bits = e->bits;
	hit.is_guess = is_guess || e->is_guess;
	nti_element_source(e, source, sizeof(source));
	hit.source = source;
	hit.about = e->about ? e->about : "";
	hit.inner = &inner;
	s->count++;
	return s->fn(s->arg, s->region, offset, &hit);
}

/* Remember a name that could have been meant. */
static void note_near(struct search *s, const char *name)
{
	const char *last = strrchr(name, '.'), *wanted = strrchr(s->pattern, '.');
	unsigned int far;

	last = last ? last + 1 : name;
	wanted = wanted ? wanted + 1 : s->pattern;
	far = nti_text_distance(last, wanted, s->distance);
	if (far >= s->distance || strlen(name) >= sizeof(s->near))
		return;
	s->distance = far;
	memcpy(s->near, name, strlen(name) + 1);
}

static int search_body(struct search *s, const struct nti_body *body, bool is_guess)
{
	uint32_t depth = s->found.depth, i;
	int ret = 0;

	if (depth >= NTI_REGDB_DEPTH)
		return 0;
	for (i = 0; i < body->count && !ret && s->looks; i++) {
		const struct nti_element *e = &body->elements[i];
		char name[NTI_REGDB_NAME_BYTES];
		bool is_guess_here = is_guess;

		s->looks--;
		if (!nti_variants_match(e->variants, s->view, &is_guess_here))
			continue;
		s->found.steps[depth] = (struct nti_found_step){ e, 0 };
		s->found.depth = depth + 1;
		if (e->kind == NTI_ELEMENT_REG) {
			plain_name(&s->found, name, sizeof(name));
			if (is_named(s->pattern, name))
				ret = report(s, is_guess_here);
			else if (s->count == 0)
				note_near(s, name);
		} else {
			ret = search_body(s, &e->body, is_guess_here);
		}
	}
	s->found.depth = depth;
	return ret;
}

static int not_found(const struct search *s, const char *pattern)
{
	const char *chip = s->view->chip;

	if (s->array[0])
		return nti_error(&s->d->db->ctx->error, -ENOENT,
				 "no register is called '%s'%s%s: %s has %llu copies, 0 to %llu",
				 pattern, *chip ? " on " : "", chip, s->array,
				 (unsigned long long)s->copies, (unsigned long long)s->copies - 1);
	if (s->near[0])
		return nti_error(&s->d->db->ctx->error, -ENOENT,
				 "no register is called '%s'%s%s: did you mean %s?", pattern,
				 *chip ? " on " : "", chip, s->near);
	return nti_error(&s->d->db->ctx->error, -ENOENT,
			 "no register is called '%s'%s%s; what is known depends on the chip and "
			 "on the databases given",
			 pattern, *chip ? " on " : " for an unknown chip", chip);
}

int ntime_decoder_search(struct ntime_decoder *d, uint32_t device, const char *pattern,
			 int (*fn)(void *arg, uint8_t region, uint64_t offset,
				   const struct ntime_regdb_hit *hit),
			 void *arg)
{
	struct search *s = calloc(1, sizeof(*s));
	int ret = 0;

	if (!s)
		return -ENOMEM;
	s->d = d;
	s->view = nti_decoder_view(d, device);
	s->fn = fn;
	s->arg = arg;
	s->looks = LOOKS;
	s->distance = 4;
	if (read_pattern(s, pattern)) {
		for (s->region = 0; s->region < NTI_REGIONS && !ret; s->region++) {
			for (s->layer = d->db->layers; s->layer && !ret;
			     s->layer = s->layer->next) {
				s->domain = nti_decoder_domain(d, s->layer, s->view, s->region);
				if (s->domain)
					ret = search_body(s, &s->domain->body, false);
			}
		}
	}
	if (!ret)
		ret = s->count ? s->count : not_found(s, pattern);
	free(s);
	return ret;
}
