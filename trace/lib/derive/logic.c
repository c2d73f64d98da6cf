// SPDX-License-Identifier: MIT
/* Boolean functions of wires in a form in which equal functions are equal. */
#include <stdio.h>
#include <string.h>

#include "trace/lib/derive/logic.h"

static bool get(const uint64_t *table, unsigned int i)
{
	return table[i / 64] >> i % 64 & 1;
}

static void set(uint64_t *table, unsigned int i)
{
	table[i / 64] |= UINT64_C(1) << i % 64;
}

/*
 * Put a wire into the sorted list unless it is there or constant. More than 8 never come: 3 of a
 * slot and 4 of its flag.
 */
static void add_wire(struct nti_derive_logic *l, uint32_t wire)
{
	unsigned int at = 0;

	if (wire == NTI_WIRE_ZERO)
		return;
	while (at < l->n && l->wire[at] < wire)
		at++;
	if ((at < l->n && l->wire[at] == wire) || l->n == NTI_LOGIC_WIRES)
		return;
	memmove(&l->wire[at + 1], &l->wire[at], (l->n - at) * sizeof(l->wire[0]));
	l->wire[at] = wire;
	l->n++;
}

static bool level(const struct nti_derive_logic *l, uint32_t wire, unsigned int levels)
{
	for (unsigned int i = 0; i < l->n; i++)
		if (l->wire[i] == wire)
			return levels >> i & 1;
	return false;
}

static bool result(const struct nti_derive_logic *l, const struct nti_derive_input *in,
		   unsigned int levels)
{
	unsigned int index = 0;

	for (unsigned int i = 0; i < 4; i++) {
		bool is_high = i == 3 && in->flag ? result(l, in->flag, levels)
						  : level(l, in->arg[i], levels);

		index |= (unsigned int)is_high << i;
	}
	return in->table >> index & 1;
}

static bool depends(const struct nti_derive_logic *l, unsigned int bit)
{
	for (unsigned int i = 0; i < 1u << l->n; i++)
		if (get(l->table, i) != get(l->table, i ^ 1u << bit))
			return true;
	return false;
}

static void drop(struct nti_derive_logic *l, unsigned int bit)
{
	uint64_t table[4] = { 0 };

	for (unsigned int i = 0; i < 1u << (l->n - 1); i++) {
		unsigned int low = i & ((1u << bit) - 1);

		if (get(l->table, (i ^ low) << 1 | low))
			set(table, i);
	}
	memcpy(l->table, table, sizeof(table));
	l->n--;
	memmove(&l->wire[bit], &l->wire[bit + 1], (l->n - bit) * sizeof(l->wire[0]));
	l->wire[l->n] = 0;
}

static void simplify(struct nti_derive_logic *l)
{
	for (unsigned int bit = l->n; bit-- > 0;)
		if (!depends(l, bit))
			drop(l, bit);
}

static void add_wires(struct nti_derive_logic *l, const struct nti_derive_input *in)
{
	for (unsigned int i = 0; i < 4; i++) {
		if (i == 3 && in->flag)
			add_wires(l, in->flag);
		else
			add_wire(l, in->arg[i]);
	}
}

void nti_derive_logic_make(struct nti_derive_logic *out, const struct nti_derive_input *in)
{
	memset(out, 0, sizeof(*out));
	add_wires(out, in);
	for (unsigned int i = 0; i < 1u << out->n; i++)
		if (result(out, in, i))
			set(out->table, i);
	simplify(out);
}

void nti_derive_logic_and(struct nti_derive_logic *l, uint32_t wire)
{
	struct nti_derive_logic old = *l;

	memset(l->table, 0, sizeof(l->table));
	if (wire == NTI_WIRE_ZERO) {
		memset(l, 0, sizeof(*l));
		return;
	}
	add_wire(l, wire);
	for (unsigned int i = 0; i < 1u << l->n; i++) {
		unsigned int inner = 0;

		for (unsigned int j = 0; j < old.n; j++)
			inner |= (unsigned int)level(l, old.wire[j], i) << j;
		if (level(l, wire, i) && get(old.table, inner))
			set(l->table, i);
	}
	simplify(l);
}

bool nti_derive_logic_is(const struct nti_derive_logic *l, bool constant)
{
	return l->n == 0 && (l->table[0] & 1) == constant;
}

bool nti_derive_logic_has(const struct nti_derive_logic *l, uint32_t kind)
{
	for (unsigned int i = 0; i < l->n; i++)
		if ((l->wire[i] & NTI_WIRE_KIND) == kind)
			return true;
	return false;
}

size_t nti_derive_wire_text(uint32_t wire, char *buf, size_t bytes)
{
	const char *late = wire & NTI_WIRE_DELAYED ? "'" : "";
	uint32_t number = wire & 0x07ffffff;
	int n;

	switch (wire & NTI_WIRE_KIND) {
	case NTI_WIRE_SIGNAL:
		n = snprintf(buf, bytes, "%02x%s", number, late);
		break;
	case NTI_WIRE_MPC:
		n = snprintf(buf, bytes, "MPC.%02x.%u%s", number >> 2, number & 3, late);
		break;
	case NTI_WIRE_UNKNOWN:
		n = snprintf(buf, bytes, "?%u%s", number, late);
		break;
	default:
		n = snprintf(buf, bytes, "0");
	}
	return n < 0 ? 0 : (size_t)n;
}

/* Text in the making; what does not fit is counted and dropped. */
struct text {
	char *buf;
	size_t bytes, n;
};

static void put(struct text *t, const char *more)
{
	size_t bytes = strlen(more);

	if (t->n + bytes < t->bytes)
		memcpy(t->buf + t->n, more, bytes + 1);
	t->n += bytes;
}

/* Product of wires: a wire of @care is there, as it is in @is or negated. */
struct cube {
	unsigned int care, is;
};

static bool holds(const struct nti_derive_logic *l, struct cube c)
{
	for (unsigned int i = 0; i < 1u << l->n; i++)
		if ((i & c.care) == c.is && !get(l->table, i))
			return false;
	return true;
}

/* The widest product that covers @minterm and holds: fewest wires, of those the first. */
static struct cube widest(const struct nti_derive_logic *l, unsigned int minterm)
{
	struct cube best = { (1u << l->n) - 1, minterm };
	int fewest = (int)l->n;

	for (unsigned int care = 0; care < 1u << l->n; care++) {
		struct cube c = { care, minterm & care };
		int wires = __builtin_popcount(care);

		if (wires < fewest && holds(l, c)) {
			fewest = wires;
			best = c;
		}
	}
	return best;
}

static void put_cube(struct text *t, const struct nti_derive_logic *l, struct cube c,
		     bool has_others)
{
	bool has_brackets = has_others && __builtin_popcount(c.care) > 1, is_first = true;
	char name[32];

	if (has_brackets)
		put(t, "(");
	for (unsigned int i = 0; i < l->n; i++) {
		if (!(c.care >> i & 1))
			continue;
		put(t, is_first ? "" : " & ");
		put(t, c.is >> i & 1 ? "" : "!");
		nti_derive_wire_text(l->wire[i], name, sizeof(name));
		put(t, name);
		is_first = false;
	}
	if (has_brackets)
		put(t, ")");
}

/*
 * The first uncovered combination gets its widest product until all are covered: at most 128 of
 * them.
 */
size_t nti_derive_logic_text(const struct nti_derive_logic *l, char *buf, size_t bytes)
{
	struct text t = { buf, bytes, 0 };
	struct cube cubes[1u << (NTI_LOGIC_WIRES - 1)];
	uint64_t covered[4] = { 0 };
	unsigned int n = 0;

	if (bytes)
		buf[0] = '\0';
	if (l->n == 0) {
		put(&t, l->table[0] & 1 ? "1" : "0");
		return t.n;
	}
	for (unsigned int i = 0; i < 1u << l->n && n < 1u << (NTI_LOGIC_WIRES - 1); i++) {
		if (!get(l->table, i) || get(covered, i))
			continue;
		cubes[n] = widest(l, i);
		for (unsigned int j = 0; j < 1u << l->n; j++)
			if ((j & cubes[n].care) == cubes[n].is)
				set(covered, j);
		n++;
	}
	for (unsigned int i = 0; i < n; i++) {
		put(&t, i ? " | " : "");
		put_cube(&t, l, cubes[i], n > 1);
	}
	return t.n;
}

size_t nti_derive_logic_key(const struct nti_derive_logic *l, char *buf, size_t bytes)
{
	struct text t = { buf, bytes, 0 };
	unsigned int words = l->n > 6 ? 1u << (l->n - 6) : 1;
	char part[32];

	if (bytes)
		buf[0] = '\0';
	put(&t, "f{");
	for (unsigned int i = 0; i < l->n; i++) {
		nti_derive_wire_text(l->wire[i], part, sizeof(part));
		put(&t, i ? "," : "");
		put(&t, part);
	}
	put(&t, "}=");
	for (unsigned int i = words; i-- > 0;) {
		snprintf(part, sizeof(part), i + 1 == words ? "%llx" : "%016llx",
			 (unsigned long long)l->table[i]);
		put(&t, part);
	}
	return t.n;
}
