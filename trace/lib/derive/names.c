// SPDX-License-Identifier: MIT
/*
 * Names for set-ups: known events are put through the same simplification, as registers of their
 * chip, and compared by key. Where several fit, all are named: the accesses cannot tell them apart.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/hash.h"
#include "base/common/text.h"
#include "trace/lib/derive/names.h"
#include "trace/lib/derive/registers.h"
#include "trace/lib/derive/state.h"

/* One "NAME/MASK=VALUE" of a key; returns what is behind it, NULL at the end. */
struct part {
	const char *name;
	size_t bytes;
	unsigned int mask, value;
};

static const char *next_part(const char *key, struct part *p)
{
	const char *slash, *at = strstr(key, "; ");

	if (!at)
		return NULL;
	p->name = at + 2;
	slash = strchr(p->name, '/');
	if (!slash)
		return NULL;
	at = slash + 1;
	if (!nti_text_take_u32(&at, 16, &p->mask) || *at++ != '=' ||
	    !nti_text_take_u32(&at, 16, &p->value))
		return NULL;
	p->bytes = (size_t)(slash - p->name);
	return slash;
}

static bool find_part(const char *key, const struct part *wanted, struct part *out)
{
	while ((key = next_part(key, out)))
		if (out->bytes == wanted->bytes && memcmp(out->name, wanted->name, out->bytes) == 0)
			return true;
	return false;
}

static size_t logic_bytes(const char *key)
{
	const char *end = strstr(key, "; ");

	return end ? (size_t)(end - key) : strlen(key);
}

/* "NAME=0x00000fff" of a list of changed bits, in whole bytes; 0: it is not in it, or not known. */
static unsigned int changed_bytes(const char *list, const struct part *p)
{
	unsigned int bits, bytes = 0;

	for (const char *at = list; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
		if (strncmp(at, p->name, p->bytes) != 0 || at[p->bytes] != '=')
			continue;
		at += p->bytes + 1;
		if (strncmp(at, "0x", 2) != 0 || (at += 2, !nti_text_take_u32(&at, 16, &bits)))
			return 0;
		for (unsigned int i = 0; i < 32; i += 8)
			bytes |= bits >> i & 0xff ? 0xffu << i : 0;
		return bytes;
	}
	return 0;
}

/*
 * Bits of a register of no known use that both set-ups left as they were, while both changed
 * others: a driver that changes a field keeps the rest. Selectors are no wider than a byte, and
 * which of their bits differ is chance.
 */
static unsigned int kept_bits(const struct nti_derive_changes *c, const struct part *p,
			      const struct part *q)
{
	unsigned int a, b;

	if (!c || p->mask != UINT32_MAX || q->mask != UINT32_MAX)
		return 0;
	a = changed_bytes(c->a, p);
	b = changed_bytes(c->b, p);
	return a && b ? ~(a | b) : 0;
}

static bool is_same_logic(const char *a, const char *b)
{
	size_t n = logic_bytes(a);

	return n == logic_bytes(b) && memcmp(a, b, n) == 0;
}

bool nti_derive_key_agrees(const char *a, const char *b, bool wants,
			   const struct nti_derive_changes *changes)
{
	struct part p, q;

	if (!is_same_logic(a, b))
		return false;
	while ((a = next_part(a, &p))) {
		if (!find_part(b, &p, &q)) {
			if (wants)
				return false;
			continue;
		}
		if (!(p.mask & q.mask) ||
		    ((p.value ^ q.value) & p.mask & q.mask & ~kept_bits(changes, &p, &q)))
			return false;
	}
	return true;
}

/* Multiplexers of @known that @key has too. */
static unsigned int parts_in(const char *known, const char *key)
{
	struct part p, q;
	unsigned int n = 0;

	while ((known = next_part(known, &p)))
		n += find_part(key, &p, &q);
	return n;
}

/*
 * The register of one multiplexer of a row, "0x408508=0x800&0x800" or "0x408e50=0x1|0x2"; @pass:
 * which alternative. True: there are more.
 */
static bool set_mux(struct nti_derive_device *dev, const char *text, unsigned int pass)
{
	struct nti_derive_reg *reg;
	char *end;
	uint32_t address = (uint32_t)strtoul(text, &end, 16), value;
	bool has_more;

	value = (uint32_t)strtoul(end + 1, &end, 16);
	for (unsigned int i = 0; i < pass && *end == '|'; i++)
		value = (uint32_t)strtoul(end + 1, &end, 16);
	has_more = *end == '|';
	while (*end == '|')
		strtoul(end + 1, &end, 16);
	reg = nti_derive_regs_get(&dev->regs, address);
	if (reg) {
		reg->value = value;
		reg->known = *end == '&' ? (uint32_t)strtoul(end + 1, NULL, 16) : 0xffffffff;
	}
	return has_more;
}

static void set_reg(struct nti_derive_device *dev, uint32_t address, uint32_t value)
{
	struct nti_derive_reg *reg = nti_derive_regs_get(&dev->regs, address);

	if (reg) {
		reg->value = value;
		reg->known = 0xffffffff;
	}
}

static void set_word(struct nti_derive_word *w, uint32_t value)
{
	*w = (struct nti_derive_word){ .value = value, .known = 0xffffffff };
}

/* @k as a chip that is set up so. True: it has another alternative. */
static bool set_up(const struct nti_known_counter *k, uint64_t chip, unsigned int pass,
		   struct nti_derive_device *dev, struct nti_derive_domain *dom)
{
	bool has_more = false;
	uint32_t stride;

	*dev = (struct nti_derive_device){ .epoch = 2 };
	nti_derive_set_chips(dev, chip);
	*dom = (struct nti_derive_domain){ .set = k->set };
	stride = dev->stride;
	set_word(&dom->ctrl, 1 | (uint32_t)k->mode << 4);
	set_word(&dom->src[NTI_SLOT_EVENT], k->event_src);
	set_word(&dom->op[NTI_SLOT_EVENT], k->event_op);
	if (k->has_start) {
		set_word(&dom->src[NTI_SLOT_START], k->start_src);
		set_word(&dom->op[NTI_SLOT_START], k->start_op);
	}
	if (k->has_group) {
		set_reg(dev, NTI_TESLA_PGRAPH_TPC_BASE + nti_derive_mpc_select(stride), k->group);
		set_reg(dev, NTI_TESLA_PGRAPH_TPC_BASE + nti_derive_mpc_enable(stride), 1);
	}
	for (const char *m = k->mux; *m; m = strchr(m, ';') ? strchr(m, ';') + 1 : "")
		has_more |= set_mux(dev, m, pass);
	return has_more;
}

/* Key of a known event on @chip. True: it has another alternative. */
static bool known_key(const struct nti_known_counter *k, uint64_t chip, unsigned int pass,
		      struct nti_derive_text *key)
{
	struct nti_derive_device dev;
	struct nti_derive_domain dom;
	struct nti_derive_row r;
	bool has_more = set_up(k, chip, pass, &dev, &dom);

	nti_derive_row_make_key(&r, &dev, &dom, NTI_SLOT_EVENT);
	r.key.failed |= dev.regs.failed;
	*key = r.key;
	r.key = (struct nti_derive_text){ 0 };
	nti_derive_row_fini(&r);
	nti_derive_regs_fini(&dev.regs);
	return has_more;
}

static bool has_chip(const char *chips, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = chips; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
			return true;
	return false;
}

/* Of what is_same_logic() compares, and a chip. */
static uint32_t hash_logic(const char *key, unsigned int chip)
{
	return nti_hash_text(NTI_HASH_TEXT ^ chip, key, logic_bytes(key));
}

/* The first event that may count on @chip what @key does. */
static uint32_t first_of(const struct nti_derive_names *n, const char *key, unsigned int chip)
{
	return nti_derive_index_find(&n->index, hash_logic(key, chip));
}

/* Put the last entry behind those that count the same. */
static bool chain_entry(struct nti_derive_names *n)
{
	struct nti_derive_name *e = &n->name[n->n - 1];
	uint32_t place = (uint32_t)n->n, first = first_of(n, e->key.p, e->chip);

	if (!first) {
		e->last = place;
		return nti_derive_index_add(&n->index, hash_logic(e->key.p, e->chip), place);
	}
	n->name[n->name[first - 1].last - 1].next = place;
	n->name[first - 1].last = place;
	return true;
}

/* @key is taken over. 0 or -ENOMEM, also where it was made without memory. */
static int add_entry(struct nti_derive_names *n, unsigned int known, unsigned int chip,
		     struct nti_derive_text *key)
{
	if (key->failed || !key->p || !nti_grow(&n->name, n->n)) {
		nti_derive_text_fini(key);
		return -ENOMEM;
	}
	n->name[n->n++] = (struct nti_derive_name){ .known = (uint16_t)known,
						    .chip = (uint8_t)chip,
						    .key = *key };
	return chain_entry(n) ? 0 : -ENOMEM;
}

static void fill_entries(struct nti_derive_names *n)
{
	for (unsigned int i = 0; i < nti_known_counter_count; i++)
		for (unsigned int c = 0; c < nti_derive_chips(); c++) {
			unsigned int pass = 0;
			bool has_more = true;

			if (!has_chip(nti_known_counters[i].chips, nti_derive_chip_at(c)->name))
				continue;
			while (has_more) {
				struct nti_derive_text key;

				has_more = known_key(&nti_known_counters[i], UINT64_C(1) << c,
						     pass++, &key);
				if (add_entry(n, i, c, &key)) {
					n->failed = true;
					return;
				}
			}
		}
}

static void fill(struct nti_derive_names *n)
{
	n->is_filled = true;
	fill_entries(n);
	n->fit = malloc((n->n ? n->n : 1) * sizeof(*n->fit));
	n->failed |= !n->fit;
}

void nti_derive_names_fini(struct nti_derive_names *n)
{
	for (size_t i = 0; i < n->n; i++)
		nti_derive_text_fini(&n->name[i].key);
	free(n->name);
	free(n->fit);
	nti_derive_index_fini(&n->index);
	*n = (struct nti_derive_names){ 0 };
}

/*
 * Any slot of any MP stands behind a group of its own, 14, 28, 3c, 50 (0 and 1 before G200), with
 * four wires: the events of the MPs' own counters are the same there. Gives the key of slot 0 of MP
 * 0.
 */
#define MPC "PCOUNTER 3 f{MPC."
static bool mp_key(const char *key, unsigned int chip, char *buf, size_t bytes)
{
	unsigned int group, wire;
	unsigned int family = nti_derive_chip_at(chip)->family;
	bool is_new = family == NTHW_NV_G200 || family == NTHW_NV_GT215;
	bool is_old = family == NTHW_NV_G84;
	const char *at;

	if (strncmp(key, MPC, strlen(MPC)) != 0)
		return false;
	at = key + strlen(MPC);
	if (!nti_text_take_u32(&at, 16, &group) || *at++ != '.' ||
	    !nti_text_take_u32(&at, 10, &wire) || strncmp(at, "}=2", 3) != 0)
		return false;
	if (!(is_new && (group == 0x14 || group == 0x28 || group == 0x3c || group == 0x50)) &&
	    !(is_old && group <= 1))
		return false;
	snprintf(buf, bytes, MPC "%02x.0}=2%s", is_new ? 0x14 : 0, at + 3);
	return true;
}

static bool has_parts(const char *event)
{
	for (unsigned int i = 0; i < nti_known_counter_count; i++)
		if (nti_known_counters[i].part && strcmp(nti_known_counters[i].event, event) == 0)
			return true;
	return false;
}

/* Events that fit, each with the chips it does so on. */
#define CLASS_MAX 64

struct class
{
	const char *event[CLASS_MAX];
	uint64_t chips[CLASS_MAX];
	unsigned int n, parts; /* @parts: bit n, part n fits */
	uint64_t named;
	bool has_parts, is_guess;
};

static void class_add(struct class *c, const struct nti_known_counter *k, unsigned int chip)
{
	unsigned int i = 0;

	while (i < c->n && strcmp(c->event[i], k->event) != 0)
		i++;
	if (i == CLASS_MAX)
		return;
	if (i == c->n) {
		c->event[c->n++] = k->event;
		c->chips[i] = 0;
	}
	c->chips[i] |= UINT64_C(1) << chip;
	c->named |= UINT64_C(1) << chip;
	c->parts |= 1u << k->part;
	c->has_parts |= has_parts(k->event);
	c->is_guess |= strcmp(k->trust, "guessed") == 0;
}

/*
 * "branch|gld_request@G200": behind the at sign, chips where a class of several chips has the name.
 */
static void put_class(struct nti_derive_row *r, const struct class *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		const char *before = "@";

		nti_derive_put(&r->event, "%s%s", i ? "|" : "", c->event[i]);
		for (unsigned int chip = 0; c->chips[i] != c->named && chip < nti_derive_chips();
		     chip++)
			if (c->chips[i] >> chip & 1) {
				nti_derive_put(&r->event, "%s%s", before,
					       nti_derive_chip_at(chip)->name);
				before = ",";
			}
	}
	if (c->n && (c->parts & (c->parts - 1)) == 0)
		snprintf(r->part, sizeof(r->part), "%d", __builtin_ctz(c->parts));
}

static void name_notes(struct nti_derive_row *r, uint64_t chips, uint64_t named, bool is_guess)
{
	if (named != (chips & named) || named == 0)
		return;
	if (__builtin_popcountll(chips) > 1 && named != chips) {
		nti_derive_put(&r->notes, "%sthe name holds on", r->notes.n ? "; " : "");
		for (unsigned int i = 0; i < nti_derive_chips(); i++)
			if (named >> i & 1)
				nti_derive_put(&r->notes, " %s", nti_derive_chip_at(i)->name);
	}
	if (strchr(r->event.p, '|'))
		nti_derive_put(&r->notes, "%sthe accesses of these events are equal",
			       r->notes.n ? "; " : "");
	if (is_guess)
		nti_derive_put(&r->notes, "%sthe table of the event is completed by guess",
			       r->notes.n ? "; " : "");
}

/* What a chip that the row may be of says to its set-up. */
struct on_chip {
	const char *key;
	char mp[128];
};

/* The first multiplexer that an event has otherwise than a row of the same signals. */
static bool find_difference(const char *known, const char *key, struct part *p, struct part *q)
{
	if (!is_same_logic(known, key))
		return false;
	while ((known = next_part(known, p)))
		if (find_part(key, p, q) && (p->value ^ q->value) & p->mask & q->mask)
			return true;
	return false;
}

/* No event fits: say what the first one with the same signals has otherwise. */
static void say_difference(const struct nti_derive_names *n, struct nti_derive_row *r,
			   const struct on_chip *on)
{
	const struct nti_derive_name *first = NULL;
	struct part p, q;

	for (unsigned int chip = 0; chip < nti_derive_chips(); chip++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) the row's chips have keys */
		uint32_t at = r->chips >> chip & 1 ? first_of(n, on[chip].key, chip) : 0;

		while (at && !find_difference(n->name[at - 1].key.p, on[chip].key, &p, &q))
			at = n->name[at - 1].next;
		if (at && (!first || &n->name[at - 1] < first))
			first = &n->name[at - 1];
	}
	if (!first || !find_difference(first->key.p, on[first->chip].key, &p, &q))
		return;
	nti_derive_put(&r->notes,
		       "%sthe signals are those of %s, which has 0x%08x in %.*s, not 0x%08x",
		       r->notes.n ? "; " : "", nti_known_counters[first->known].event,
		       p.value & p.mask & q.mask, (int)p.bytes, p.name, q.value & p.mask & q.mask);
}

/*
 * Put the events that fit on @chip behind the @fits that there are; their number. An event whose
 * multiplexers the trace confirms is meant rather than one whose table has none; but what one chip
 * has tells nothing of what another would count.
 */
static size_t fit_on(struct nti_derive_names *n, const char *key, unsigned int chip, size_t fits)
{
	uint32_t first = first_of(n, key, chip);
	unsigned int most = 0;

	for (unsigned int round = 0; round < 2; round++)
		for (uint32_t at = first; at; at = n->name[at - 1].next) {
			const char *known = n->name[at - 1].key.p;
			unsigned int parts;

			if (!nti_derive_key_agrees(known, key, false, NULL))
				continue;
			parts = parts_in(known, key);
			if (round == 0)
				most = parts > most ? parts : most;
			else if (parts == most)
				n->fit[fits++] = at - 1;
		}
	return fits;
}

static int compare_fits(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void nti_derive_row_name(struct nti_derive_names *n, struct nti_derive_row *r)
{
	struct class c = { .n = 0 };
	struct on_chip on[NTI_DERIVE_CHIPS_MAX];
	size_t fits = 0;

	/* Nothing drives its wires, and the notes say why. */
	if (r->is_off)
		return;
	if (!n->is_filled)
		fill(n);
	if (n->failed)
		return;
	for (unsigned int i = 0; i < nti_derive_chips(); i++) {
		if (!(r->chips >> i & 1))
			continue;
		on[i].key = nti_derive_key_on(r, i);
		if (mp_key(on[i].key, i, on[i].mp, sizeof(on[i].mp)))
			on[i].key = on[i].mp;
		fits = fit_on(n, on[i].key, i, fits);
	}
	/* In the order of the tables. */
	if (fits > 1)
		qsort(n->fit, fits, sizeof(*n->fit), compare_fits);
	for (size_t i = 0; i < fits; i++)
		class_add(&c, &nti_known_counters[n->name[n->fit[i]].known],
			  n->name[n->fit[i]].chip);
	put_class(r, &c);
	n->failed |= r->event.failed;
	if (r->event.n)
		name_notes(r, r->chips, c.named, c.is_guess);
	else
		say_difference(n, r, on);
	n->failed |= r->notes.failed;
}
