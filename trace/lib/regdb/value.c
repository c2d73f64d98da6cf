// SPDX-License-Identifier: MIT
/*
 * Values in words, in the form that envytools made known: "{ MODE = QUAD | ENABLE | 0x40 }", a
 * name, a number. This runs once for each line that is shown, so digits are made by hand.
 */
#include "trace/lib/regdb/value.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/common/text.h"
#include "trace/lib/base/digits.h"

struct writer {
	char *at;
	char *end; /* where the NUL must be at the latest */
};

/*
 * Texts are short. Two copies of a known size, which may overlap, are a few instructions; a call
 * for any size is many.
 */
static inline void copy(char *to, const char *from, size_t n)
{
	if (n > 32) {
		memcpy(to, from, n);
	} else if (n >= 16) {
		memcpy(to, from, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		memcpy(to, from, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else if (n) {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
}

static inline void put(struct writer *w, const char *text, size_t n)
{
	size_t room = (size_t)(w->end - w->at);

	if (n > room)
		n = room;
	copy(w->at, text, n);
	w->at += n;
}

/* @n with "0x", 0 without; returns how many bytes of the 18 that @to must have. */
static inline size_t make_hex(char *to, uint64_t n)
{
	unsigned int digits = nti_hex_digits(n);

	memcpy(to, "0x", 2);
	nti_put_hex16(to + 2, n << (64 - 4 * digits));
	return n ? 2 + digits : 1;
}

static void put_hex(struct writer *w, uint64_t n)
{
	char text[18];

	if (w->end - w->at >= (ptrdiff_t)sizeof(text))
		w->at += make_hex(w->at, n);
	else
		put(w, text, make_hex(text, n));
}

static void put_decimal(struct writer *w, uint64_t n)
{
	char text[20];
	size_t at = sizeof(text), room = (size_t)(w->end - w->at);

	do {
		text[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	if (room > sizeof(text) - at)
		room = sizeof(text) - at;
	memcpy(w->at, text + at, room);
	w->at += room;
}

static void put_double(struct writer *w, double d)
{
	char text[400]; /* the largest has 309 digits before the point */
	int n = nti_text_print(text, sizeof(text), "%f", d);

	put(w, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* IEEE 754 half precision. */
static double half(uint32_t bits)
{
	uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
	double d = exponent ? 1.0 + fraction / 1024.0 : fraction / 1024.0;
	int power = (exponent ? (int)exponent : 1) - 15;

	if (exponent == 31)
		d = fraction ? __builtin_nan("") : __builtin_inf();
	for (; power > 0 && exponent != 31; power--)
		d *= 2;
	for (; power < 0; power++)
		d /= 2;
	return bits & 0x8000 ? -d : d;
}

static void put_float(struct writer *w, uint64_t value, uint32_t bits)
{
	uint32_t low = (uint32_t)value;
	double d;
	float f;

	if (bits == 64) {
		memcpy(&d, &value, sizeof(d));
	} else if (bits == 32) {
		memcpy(&f, &low, sizeof(f));
		d = f;
	} else if (bits == 16) {
		d = half(low);
	} else {
		put_hex(w, value);
		return;
	}
	put_double(w, d);
}

static uint64_t ones(uint32_t bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static bool is_negative(uint64_t value, uint32_t bits)
{
	return bits && bits <= 64 && value >> (bits - 1) & 1;
}

static void put_int(struct writer *w, uint64_t value, uint32_t bits)
{
	if (is_negative(value, bits)) {
		put(w, "-", 1);
		value = (~value & ones(bits)) + 1;
	}
	put_decimal(w, value);
}

static void put_fixed(struct writer *w, const struct nti_type *t, uint64_t value, uint32_t bits)
{
	double scale = 1;
	uint64_t n = value;
	uint32_t i;

	for (i = 0; i < t->radix; i++)
		scale *= 2;
	if (t->kind == NTI_TYPE_FIXED && is_negative(value, bits)) {
		put(w, "-", 1);
		n = (~value & ones(bits)) + 1;
	}
	put_double(w, (double)n / scale);
}

/* The first value of the enumeration that is @value and exists for the chip. */
static const struct nti_value *find_value(const struct nti_enum *e, const struct nti_view *view,
					  uint64_t value)
{
	size_t low = 0, high = e->sorted_count;
	bool is_guess = false;

	/*
	 * most have all values from 0 on: the first that is not less is where the search would end
	 */
	if (value < high && e->values[e->sorted[value]].value == value &&
	    (!value || e->values[e->sorted[value - 1]].value < value))
		low = high = (size_t)value;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->values[e->sorted[middle]].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < e->sorted_count && e->values[e->sorted[low]].value == value; low++)
		if (nti_variants_match(e->values[e->sorted[low]].variants, view, &is_guess))
			return &e->values[e->sorted[low]];
	return NULL;
}

static void put_enum(struct writer *w, const struct nti_enum *e, const struct nti_view *view,
		     uint64_t value)
{
	const struct nti_value *v = find_value(e, view, value);

	if (v && v->text_bytes && w->end - w->at >= (ptrdiff_t)NTI_SHORT) {
		memcpy(w->at, v->text, NTI_SHORT);
		w->at += v->text_bytes;
	} else if (v) {
		put(w, v->name, strlen(v->name));
	} else {
		put_hex(w, value);
	}
}

static void put_scalar(struct writer *w, const struct nti_type *t, const struct nti_view *view,
		       uint64_t value, uint32_t bits)
{
	switch (t->kind) {
	case NTI_TYPE_ENUM:
		put_enum(w, t->values, view, value);
		break;
	case NTI_TYPE_BOOLEAN:
		if (value <= 1)
			put(w, value ? "TRUE" : "FALSE", value ? 4 : 5);
		else
			put_hex(w, value);
		break;
	case NTI_TYPE_REGID:
		put(w, "r", 1);
		put_decimal(w, value >> 2);
		put(w, ".", 1);
		put(w, &"xyzw"[value & 3], 1);
		break;
	case NTI_TYPE_UINT:
		put_decimal(w, value);
		break;
	case NTI_TYPE_INT:
		put_int(w, value, bits);
		break;
	case NTI_TYPE_FLOAT:
		put_float(w, value, bits);
		break;
	case NTI_TYPE_FIXED:
	case NTI_TYPE_UFIXED:
		put_fixed(w, t, value, bits);
		break;
	default:
		put_hex(w, value);
	}
}

static void put_type(struct writer *w, const struct nti_type *t, const struct nti_view *view,
		     uint64_t value, uint32_t bits, uint64_t seen, uint32_t depth);

/* The number is the value, as it is in nearly all fields. */
static inline bool is_plain(const struct nti_type *t)
{
	return !(t->width | t->shr | t->add);
}

/* A label, and a value that is short. */
#define FIELD_BYTES (ptrdiff_t)(NTI_SHORT + 32)

/* What most fields are, without another call. */
static inline void put_short(struct writer *w, const struct nti_type *t,
			     const struct nti_view *view, uint64_t value, uint32_t bits,
			     uint32_t depth)
{
	if (t->kind == NTI_TYPE_ENUM)
		put_enum(w, t->values, view, value);
	else if (t->kind == NTI_TYPE_HEX)
		put_hex(w, value);
	else
		put_type(w, t, view, value, bits, UINT64_MAX, depth + 1);
}

static void put_fields(struct writer *w, const struct nti_type *t, const struct nti_view *view,
		       uint64_t value, uint64_t seen, uint32_t depth)
{
	uint64_t known = 0;
	bool is_first = true, is_guess = false;
	size_t i;

	put(w, "{ ", 2);
	for (i = 0; i < t->field_count; i++) {
		const struct nti_field *f = &t->fields[i];
		uint64_t v = (value & f->mask) >> f->low;
		unsigned int bar = is_first ? 3 : 0; /* nothing to be set apart from */

		if (f->mask & ~seen || !nti_variants_match(f->variants, view, &is_guess))
			continue;
		known |= f->mask;
		if (f->label_bytes && w->end - w->at >= FIELD_BYTES && is_plain(&f->type)) {
			memcpy(w->at, f->label + bar, NTI_SHORT);
			if (f->type.kind == NTI_TYPE_BOOLEAN && v <= 1) {
				/* shown or not is as good as random in many traces: no branch */
				w->at += v ? f->label_bytes - 3u - bar : 0;
				is_first &= !v;
				continue;
			}
			w->at += f->label_bytes - bar;
			is_first = false;
			put_short(w, &f->type, view, v, f->high - f->low + 1u, depth);
			continue;
		}
		if (f->type.kind == NTI_TYPE_BOOLEAN && v == 0)
			continue;
		if (!is_first)
			put(w, " | ", 3);
		is_first = false;
		put(w, f->name, f->name_bytes);
		if (f->type.kind == NTI_TYPE_BOOLEAN && v == 1)
			continue;
		put(w, " = ", 3);
		put_type(w, &f->type, view, v, f->high - f->low + 1u, UINT64_MAX, depth + 1);
	}
	if (value & seen & ~known) {
		if (!is_first)
			put(w, " | ", 3);
		put_hex(w, value & seen & ~known);
	} else if (is_first) {
		put(w, "0", 1);
	}
	put(w, " }", 2);
}

static void put_type(struct writer *w, const struct nti_type *t, const struct nti_view *view,
		     uint64_t value, uint32_t bits, uint64_t seen, uint32_t depth)
{
	uint64_t rest = 0;

	if (t->width) {
		rest = value & ~(ones(t->width) << t->low);
		value = value >> t->low & ones(t->width);
		bits = t->width;
	}
	if (t->shr)
		value = t->shr < 64 ? value << t->shr : 0;
	value += t->add;
	if (t->kind == NTI_TYPE_FIELDS && depth < NTI_REGDB_DEPTH)
		put_fields(w, t, view, value, t->shr || t->add ? UINT64_MAX : seen, depth);
	else
		put_scalar(w, t, view, value, bits);
	if (rest) {
		put(w, " | ", 3);
		put_hex(w, rest);
	}
}

size_t nti_value_format(const struct nti_type *type, const struct nti_view *view, uint64_t value,
			uint32_t bits, uint64_t seen, char *buf, size_t size)
{
	struct writer w = { buf, buf + size - 1 };

	if (!size)
		return 0;
	put_type(&w, type, view, value & seen, bits, seen, 0);
	*w.at = '\0';
	return (size_t)(w.at - buf);
}
