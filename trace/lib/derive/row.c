// SPDX-License-Identifier: MIT
/*
 * Rows of what was counted: the columns of the event tables, the key that tells equal set-ups, and
 * where each part comes from.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/derive/registers.h"
#include "base/common/text.h"
#include "trace/lib/derive/state.h"

static const char *const slot_names[] = { "PRE", "START", "EVENT", "STOP", "CYCLES" };
static const char *const mode_names[] = { "SIMPLE", "EVENT_B4", "EVENT_B6", "EXTRA_B4",
					  "EXTRA_B6_EVENT_B2" };
static const char *const unit_names[] = { "PCOUNTER", "GPC", "PART", "HUB", "MP" };

void nti_derive_put(struct nti_derive_text *t, const char *format, ...)
{
	size_t left = t->room - t->n;
	va_list args;
	int bytes;

	if (t->failed || t->is_unwanted)
		return;
	va_start(args, format);
	bytes = nti_text_vprint(left ? t->p + t->n : NULL, left, format, args);
	va_end(args);
	if (bytes >= 0 && (size_t)bytes >= left) {
		size_t room = 2 * (t->n + (size_t)bytes + 1);
		char *bigger = realloc(t->p, room);

		if (!bigger) {
			t->failed = true;
			if (left)
				t->p[t->n] = '\0';
			return;
		}
		t->p = bigger;
		t->room = room;
		va_start(args, format);
		nti_text_vprint(t->p + t->n, t->room - t->n, format, args);
		va_end(args);
	}
	if (bytes > 0)
		t->n += (size_t)bytes;
}

void nti_derive_text_fini(struct nti_derive_text *t)
{
	free(t->p);
	*t = (struct nti_derive_text){ 0 };
}

void nti_derive_row_init(struct nti_derive_row *r)
{
	memset(r, 0, sizeof(*r));
	r->d.size = sizeof(r->d);
}

/* Text number @i of a row; NULL behind the last one. */
static struct nti_derive_text *text_at(struct nti_derive_row *r, size_t i)
{
	struct nti_derive_text *const texts[] = { &r->chip,	 &r->event,	&r->instance,
						  &r->counter,	 &r->start_src, &r->start_op,
						  &r->event_src, &r->event_op,	&r->group_sel,
						  &r->extra,	 &r->mux,	&r->relative,
						  &r->logic,	 &r->key,	&r->notes,
						  &r->origin,	 &r->windows,	&r->changed };

	return i < NTI_ARRAY_SIZE(texts) ? texts[i] : NULL;
}

bool nti_derive_row_is_short(struct nti_derive_row *r)
{
	struct nti_derive_text *text;

	for (size_t i = 0; (text = text_at(r, i)); i++)
		if (text->failed)
			return true;
	return false;
}

void nti_derive_row_shrink(struct nti_derive_row *r)
{
	struct nti_derive_text *text;

	for (size_t i = 0; (text = text_at(r, i)); i++) {
		char *smaller = text->p ? realloc(text->p, text->n + 1) : NULL;

		if (!smaller)
			continue;
		text->p = smaller;
		text->room = text->n + 1;
	}
}

size_t nti_derive_row_bytes(struct nti_derive_row *r)
{
	struct nti_derive_text *text;
	size_t bytes = 0;

	for (size_t i = 0; (text = text_at(r, i)); i++)
		bytes += text->room;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) the row is there */
	for (unsigned int i = 0; i < r->owns; i++)
		bytes += sizeof(r->own[i]) + r->own[i].text.room;
	return bytes;
}

void nti_derive_row_fini(struct nti_derive_row *r)
{
	struct nti_derive_text *text;

	for (size_t i = 0; (text = text_at(r, i)); i++)
		nti_derive_text_fini(text);
	nti_derive_keys_fini(r);
}

static void note(struct nti_derive_row *r, const char *sentence)
{
	nti_derive_put(&r->notes, "%s%s", r->notes.n ? "; " : "", sentence);
}

static void put_word(struct nti_derive_text *t, const struct nti_derive_word *w,
		     unsigned int digits)
{
	if (w->known)
		nti_derive_put(t, "0x%0*x", (int)digits, w->value);
	else
		nti_derive_put(t, "?");
}

static void put_origin(struct nti_derive_row *r, const char *part, uint32_t address, uint32_t value,
		       uint64_t access, uint64_t list)
{
	nti_derive_put(&r->origin, "%s: access %llu", part, (unsigned long long)access);
	if (list)
		nti_derive_put(&r->origin, " (list %llu)", (unsigned long long)list);
	nti_derive_put(&r->origin, ": 0x%06x = 0x%08x\n", address, value);
}

static uint32_t domain_address(const struct nti_derive_domain *dom, uint32_t tesla, uint32_t later)
{
	switch (dom->unit) {
	case NTI_UNIT_PCOUNTER:
		return tesla + dom->set * NTI_TESLA_PCOUNTER_CTRL_STEP;
	case NTI_UNIT_GPC:
		return NTI_GF100_PCOUNTER_GPC_DOM_BASE +
		       dom->instance * NTI_GF100_PCOUNTER_GPC_DOM_STEP +
		       dom->set * NTI_GF100_PCOUNTER_GPC_DOM_STEP_2 + later;
	case NTI_UNIT_PART:
		return NTI_GF100_PCOUNTER_PART_DOM_BASE +
		       dom->instance * NTI_GF100_PCOUNTER_PART_DOM_STEP +
		       dom->set * NTI_GF100_PCOUNTER_PART_DOM_STEP_2 + later;
	default:
		return NTI_GF100_PCOUNTER_HUB_DOM_BASE +
		       dom->set * NTI_GF100_PCOUNTER_HUB_DOM_STEP + later;
	}
}

/* Of a row that both kinds of PCOUNTER have. */
#define DOMAIN_ADDRESS(dom, row)                                                                   \
	domain_address((dom), NTI_TESLA_PCOUNTER_##row, NTI_GF100_PCOUNTER_GPC_DOM_##row)

static void word_origin(struct nti_derive_row *r, const char *name, const struct nti_derive_word *w,
			uint32_t address)
{
	if (w->access)
		put_origin(r, name, address, w->value, w->access, w->list);
}

static void slot_origin(struct nti_derive_row *r, const struct nti_derive_domain *dom,
			unsigned int slot)
{
	const uint32_t src[] = { DOMAIN_ADDRESS(dom, PRE_SRC), DOMAIN_ADDRESS(dom, START_SRC),
				 DOMAIN_ADDRESS(dom, EVENT_SRC), DOMAIN_ADDRESS(dom, STOP_SRC) };
	const uint32_t op[] = { DOMAIN_ADDRESS(dom, PRE_OP), DOMAIN_ADDRESS(dom, START_OP),
				DOMAIN_ADDRESS(dom, EVENT_OP), DOMAIN_ADDRESS(dom, STOP_OP) };
	char name[16];

	snprintf(name, sizeof(name), "%s_SRC", slot_names[slot]);
	word_origin(r, name, &dom->src[slot], src[slot]);
	snprintf(name, sizeof(name), "%s_OP", slot_names[slot]);
	word_origin(r, name, &dom->op[slot], op[slot]);
}

static void put_changed(struct nti_derive_row *r, const char *relative,
			const struct nti_derive_reg *reg)
{
	uint32_t changed = (reg->value ^ reg->base) & reg->known & reg->base_known;

	nti_derive_put(&r->changed, "%s%s=", r->changed.n ? ";" : "", relative);
	if (reg->known & ~reg->base_known)
		nti_derive_put(&r->changed, "?");
	else
		nti_derive_put(&r->changed, "0x%08x", changed);
}

/* One multiplexer into the columns and the key; the key's part only once, whatever the instance. */
static void put_mux(struct nti_derive_row *r, const char *relative, uint32_t address,
		    uint32_t value, uint32_t mask, bool is_part, const struct nti_derive_reg *reg)
{
	char part[96];

	snprintf(part, sizeof(part), "; %s/%08x=%08x", relative, mask, value & mask);
	if (r->key.p && strstr(r->key.p, part))
		return;
	nti_derive_put(&r->key, "%s", part);
	nti_derive_put(&r->mux, "%s0x%06x=0x%08x", r->mux.n ? ";" : "", address,
		       is_part ? value & mask : value);
	nti_derive_put(&r->relative, "%s%s=0x%08x", r->relative.n ? ";" : "", relative,
		       is_part ? value & mask : value);
	if (is_part) {
		nti_derive_put(&r->mux, "&0x%08x", mask);
		nti_derive_put(&r->relative, "&0x%08x", mask);
	}
	put_changed(r, relative, reg);
	if (reg->epoch)
		put_origin(r, "multiplexer", address, reg->value, reg->access, reg->list);
	else
		nti_derive_put(&r->origin, "multiplexer: 0x%06x = 0x%08x as it was read\n", address,
			       reg->value);
}

static void relative_name(const struct nti_derive_spot *spot, char *buf, size_t bytes)
{
	if (spot->area == NTI_AREA_OTHER)
		snprintf(buf, bytes, "0x%06x", spot->offset);
	else
		snprintf(buf, bytes, "%s+0x%03x", nti_derive_area_name(spot->area), spot->offset);
}

/*
 * The unit whose register drives the wires: the first that is enabled, else the first that was
 * written, else any that is known.
 */
static const struct nti_derive_reg *driving(const struct nti_derive_device *dev,
					    const struct nti_derive_mux *m, uint32_t stride,
					    int *instance)
{
	uint32_t offset = nti_derive_mux_offset(m, stride), base = NTI_TESLA_PGRAPH_TPC_BASE,
		 step = stride;
	unsigned int units = NTI_G200_PGRAPH_TPC_COUNT;
	const struct nti_derive_reg *best = NULL;

	if (m->area == NTI_AREA_OTHER) {
		*instance = -1;
		return nti_derive_regs_find(&dev->regs, offset);
	}
	if (m->area == NTI_AREA_PART) {
		base = NTI_TESLA_PGRAPH_ROP_BASE;
		step = NTI_TESLA_PGRAPH_ROP_STEP;
		units = NTI_TESLA_PGRAPH_ROP_COUNT;
	}
	for (unsigned int i = 0; i < units; i++) {
		const struct nti_derive_reg *reg =
			nti_derive_regs_find(&dev->regs, base + i * step + offset);

		if (!reg || !reg->known)
			continue;
		if (m->enable && reg->known & m->enable && reg->value & m->enable) {
			*instance = (int)i;
			return reg;
		}
		if (!best || (!best->epoch && reg->epoch)) {
			*instance = (int)i;
			best = reg;
		}
	}
	return best;
}

/* Bits: rows of nti_derive_muxes that feed the wires in use, by whether their unit drives them. */
struct driven {
	uint32_t on, off;
};

static bool is_driven_by_another(const struct driven *d, const struct nti_derive_mux *m)
{
	for (size_t i = 0; i < nti_derive_mux_count; i++)
		if (d->on >> i & 1 && nti_derive_mux_shares(m, &nti_derive_muxes[i]))
			return true;
	return false;
}

static void say_off(struct nti_derive_row *r, const struct driven *d)
{
	char sentence[96];

	for (size_t i = 0; i < nti_derive_mux_count; i++) {
		const struct nti_derive_mux *m = &nti_derive_muxes[i];

		if (!(d->off >> i & 1) || is_driven_by_another(d, m))
			continue;
		snprintf(sentence, sizeof(sentence), "multiplexer %s is off and drives no wires",
			 m->name);
		if (!r->notes.p || !strstr(r->notes.p, sentence))
			note(r, sentence);
		r->is_off = true;
	}
}

/*
 * Known multiplexers that feed the wires in use, whenever they were set; their other bits and other
 * wires do not matter.
 */
static void known_muxes(struct nti_derive_row *r, const struct nti_derive_device *dev,
			const struct nti_derive_domain *dom, struct nti_derive_count *c)
{
	struct driven driven = { 0 };
	uint32_t stride = dev->stride;
	char name[32], sentence[96];

	if (dom->unit != NTI_UNIT_PCOUNTER)
		return;
	for (size_t i = 0; i < nti_derive_mux_count; i++) {
		const struct nti_derive_mux *m = &nti_derive_muxes[i];
		const struct nti_derive_reg *reg;
		struct nti_derive_spot spot;
		int instance = -1;

		if (!nti_derive_count_uses(c, m, dev->chips, dom->set) ||
		    (!stride && m->area != NTI_AREA_OTHER))
			continue;
		reg = driving(dev, m, stride, &instance);
		if (!reg || !(reg->known & m->mask)) {
			snprintf(sentence, sizeof(sentence), "multiplexer %s is not in the trace",
				 m->name);
			if (!r->notes.p || !strstr(r->notes.p, sentence))
				note(r, sentence);
			continue;
		}
		/* Does the register say that the unit does not drive its wires? */
		if (m->enable && reg->known & m->enable && !(reg->value & m->enable))
			driven.off |= UINT32_C(1) << i;
		else if (m->enable)
			driven.on |= UINT32_C(1) << i;
		spot = nti_derive_spot_of(reg->address, stride);
		relative_name(&spot, name, sizeof(name));
		if (m->area == NTI_AREA_TPC)
			c->tpc = instance;
		put_mux(r, name, reg->address, reg->value, m->mask & reg->known,
			m->mask == m->enable || (m->mask & reg->known) != m->mask, reg);
	}
	say_off(r, &driven);
}

/* Does a register of no known use belong to the unit that counts? */
static bool is_of(const struct nti_derive_domain *dom, const struct nti_derive_spot *spot)
{
	switch (dom->unit) {
	case NTI_UNIT_GPC:
		return spot->area != NTI_AREA_PART && spot->area != NTI_AREA_L2;
	case NTI_UNIT_PART:
		return spot->area != NTI_AREA_TPC && spot->area != NTI_AREA_GPC;
	default:
		return true;
	}
}

static bool is_group_register(const struct nti_derive_spot *spot, uint32_t stride)
{
	return spot->area == NTI_AREA_TPC && stride &&
	       (spot->offset == nti_derive_mpc_select(stride) ||
		spot->offset == nti_derive_mpc_enable(stride));
}

/* Was it written in this set-up, in the unit that counts, and is nothing else known of it? */
static bool is_unknown_mux(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
			   const struct nti_derive_reg *reg)
{
	uint32_t stride = dev->stride;
	struct nti_derive_spot spot = nti_derive_spot_of(reg->address, stride);

	if (!reg->epoch || reg->epoch != dev->epoch || is_group_register(&spot, stride) ||
	    nti_derive_mux_at(spot, stride) || !is_of(dom, &spot))
		return false;
	/*
	 * The multiplexers of G80 to GT218 are known; what else a driver writes there has to do
	 * with other things, unless it is in a list.
	 */
	return !stride || reg->list;
}

/* Nobody sets up more multiplexers for one measurement than this; a driver that starts does. */
#define UNKNOWN_MUXES 32

/* Registers of no known use that have a value in this set-up. */
struct unknown {
	const struct nti_derive_reg *reg[UNKNOWN_MUXES];
	unsigned int n; /* may be more than there is room for */
	size_t looked;	/* registers that were looked at */
};

static void add_unknown(struct unknown *u, const struct nti_derive_reg *reg)
{
	if (u->n < UNKNOWN_MUXES)
		u->reg[u->n] = reg;
	u->n++;
}

/* From Fermi on it makes a unit drive its wires. */
#define DRIVES 0x80000000u

/*
 * Does the 0 that was written to @reg say nothing of what counts? It was 0, or nobody knows what it
 * was; or it switches a unit off: one that drove wires before, or one of several of which another
 * has a value (the first @n of @u).
 */
static bool is_off(const struct nti_derive_device *dev, const struct nti_derive_reg *reg,
		   const struct unknown *u, unsigned int n)
{
	uint32_t stride = dev->stride, before = reg->base & reg->base_known;
	struct nti_derive_spot spot = nti_derive_spot_of(reg->address, stride);

	if (!(before & reg->known) || (!stride && before & DRIVES))
		return true;
	for (unsigned int i = 0; spot.area != NTI_AREA_OTHER && i < n; i++) {
		struct nti_derive_spot other = nti_derive_spot_of(u->reg[i]->address, stride);

		if (other.area == spot.area && other.offset == spot.offset)
			return true;
	}
	return false;
}

static int compare_regs(const void *a, const void *b)
{
	const struct nti_derive_reg *const *x = a, *const *y = b;

	return (*x > *y) - (*x < *y);
}

/* In the order in which the trace came to know them, from number @first on. */
static void sort_unknown(struct unknown *u, unsigned int first)
{
	if (u->n <= UNKNOWN_MUXES)
		qsort(&u->reg[first], u->n - first, sizeof(u->reg[0]), compare_regs);
}

static void find_unknown(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
			 struct unknown *u)
{
	const struct nti_derive_regs_list *written = &dev->regs.written[dev->epoch % 2];
	unsigned int n;

	for (size_t i = 0; i < written->n; i++) {
		const struct nti_derive_reg *reg = &dev->regs.reg[written->at[i]];

		if (reg->value & reg->known && is_unknown_mux(dev, dom, reg))
			add_unknown(u, reg);
	}
	sort_unknown(u, 0);
	n = u->n;
	for (size_t i = 0; n <= UNKNOWN_MUXES && i < written->n; i++) {
		const struct nti_derive_reg *reg = &dev->regs.reg[written->at[i]];

		if (!(reg->value & reg->known) && is_unknown_mux(dev, dom, reg) &&
		    !is_off(dev, reg, u, n))
			add_unknown(u, reg);
	}
	sort_unknown(u, n);
	u->looked = written->n;
}

/*
 * What was written to them makes the event, whatever they held before: bits that were set already
 * belong to it, too.
 */
static void unknown_muxes(struct nti_derive_row *r, const struct nti_derive_device *dev,
			  const struct nti_derive_domain *dom)
{
	struct unknown u = { .n = 0 };
	char name[96];

	find_unknown(dev, dom, &u);
	r->looked += u.looked;
	if (u.n > UNKNOWN_MUXES) {
		snprintf(name, sizeof(name),
			 "%u registers of no known use were written, too many to be multiplexers",
			 u.n);
		note(r, name);
		return;
	}
	for (unsigned int i = 0; i < u.n; i++) {
		const struct nti_derive_reg *reg = u.reg[i];
		struct nti_derive_spot spot = nti_derive_spot_of(reg->address, dev->stride);

		relative_name(&spot, name, sizeof(name));
		put_mux(r, name, reg->address, reg->value, reg->known, reg->known != 0xffffffff,
			reg);
	}
}

/* Group select and enable of the shader domain's wires. */
static void groups(struct nti_derive_row *r, const struct nti_derive_device *dev,
		   const struct nti_derive_domain *dom, const struct nti_derive_count *c)
{
	uint32_t stride = dev->stride, base;
	const struct nti_derive_reg *select, *enable;

	if (!stride || dom->unit != NTI_UNIT_PCOUNTER || dom->set != NTI_MPC_DOMAIN || c->tpc < 0)
		return;
	base = NTI_TESLA_PGRAPH_TPC_BASE + (uint32_t)c->tpc * stride;
	select = nti_derive_regs_find(&dev->regs, base + nti_derive_mpc_select(stride));
	enable = nti_derive_regs_find(&dev->regs, base + nti_derive_mpc_enable(stride));
	if (select && select->known) {
		nti_derive_put(&r->group_sel, "0x%x", select->value);
		nti_derive_put(&r->relative, "%sTPC+0x%03x=0x%08x", r->relative.n ? ";" : "",
			       nti_derive_mpc_select(stride), select->value);
		put_origin(r, "group select", select->address, select->value, select->access,
			   select->list);
	}
	if (enable && enable->known & 1) {
		nti_derive_put(&r->extra, "PM_OUT_ENABLE=0x%x", enable->value & 1);
		nti_derive_put(&r->relative, "%sTPC+0x%03x=0x%08x", r->relative.n ? ";" : "",
			       nti_derive_mpc_enable(stride), enable->value);
		put_origin(r, "output enable", enable->address, enable->value, enable->access,
			   enable->list);
		if (!(enable->value & 1)) {
			nti_derive_put(&r->key, "; TPC+0x%03x/00000001=00000000",
				       nti_derive_mpc_enable(stride));
			note(r, "the trace enables no TPC to drive the wires");
			r->is_off = true;
		}
	} else {
		note(r, "which TPC drives the wires is not in the trace");
	}
}

/* Signals of the trailer of a domain depend on what other domains' flags do. */
static void trailer(struct nti_derive_row *r, const struct nti_derive_device *dev,
		    const struct nti_derive_domain *dom, const struct nti_derive_count *c)
{
	int zero = nti_derive_zero(dev->chips, dom->set), last;
	char sentence[128];

	if (dom->unit != NTI_UNIT_PCOUNTER || zero < 0)
		return;
	last = zero + (nti_derive_all_of(dev->chips, NTHW_NV_G80, NTHW_NV_G80) ? 0x11 : 0x13);
	for (unsigned int i = 0; i < c->logic.n; i++) {
		int signal = (int)(c->logic.wire[i] & 0xff);

		if ((c->logic.wire[i] & NTI_WIRE_KIND) != NTI_WIRE_SIGNAL || signal > last ||
		    signal < last - 0x12)
			continue;
		if (signal == last - 0x12)
			snprintf(sentence, sizeof(sentence), "signal %02x is PERIODIC", signal);
		else if (signal == last - 0x11)
			snprintf(sentence, sizeof(sentence), "signal %02x is WRCACHE_FLUSH",
				 signal);
		else if (signal == last - 0x10)
			snprintf(sentence, sizeof(sentence), "signal %02x is PM_TRIGGER", signal);
		else
			snprintf(sentence, sizeof(sentence),
				 "signal %02x is %s of domain %d, whose set-up decides what it "
				 "means",
				 signal, signal > last - 8 ? "FLAG" : "EVENT", (last - signal) % 8);
		note(r, sentence);
	}
}

static void put_chips(struct nti_derive_row *r, uint64_t chips, bool is_told)
{
	unsigned int n = (unsigned int)__builtin_popcountll(chips);

	/* Of all chips of a generation only the generation is worth saying. */
	if (n > 8)
		return;
	for (unsigned int i = 0; i < nti_derive_chips(); i++)
		if (chips >> i & 1)
			nti_derive_put(&r->chip, "%s%s", r->chip.n ? " " : "",
				       nti_derive_chip_at(i)->name);
	if (n > 1 && !is_told)
		note(r, "the trace does not show which of these chips it is");
}

/* In single mode counting waits for PRE and START and ends with STOP, so all of them decide. */
static void single_mode(struct nti_derive_row *r, const struct nti_derive_device *dev,
			const struct nti_derive_domain *dom)
{
	struct nti_derive_count c;

	if (dom->unit != NTI_UNIT_PCOUNTER || (dom->ctrl.known & 3) != 3 || dom->ctrl.value & 3)
		return;
	note(r, "single event mode: counted from PRE and START to STOP");
	for (unsigned int slot = 0; slot < NTI_SLOTS; slot++) {
		nti_derive_count(dev, dom, slot, &c);
		nti_derive_put(&r->key, " %s ", slot_names[slot]);
		nti_derive_count_key(&c, &r->key);
	}
	nti_derive_put(&r->key, " %s", dom->ctrl.value >> 8 & 1 ? "ALL" : "ONE");
}

static void raw_key(struct nti_derive_row *r, const struct nti_derive_domain *dom,
		    unsigned int counter)
{
	nti_derive_put(&r->key, "mode %d %s", nti_derive_mode(dom), slot_names[counter]);
	for (unsigned int slot = 0; slot < NTI_SLOTS; slot++) {
		nti_derive_put(&r->key, " ");
		put_word(&r->key, &dom->src[slot], 8);
		nti_derive_put(&r->key, "/");
		put_word(&r->key, &dom->op[slot], 4);
		nti_derive_put(&r->logic, "%s%s ", slot ? ", " : "", slot_names[slot]);
		put_word(&r->logic, &dom->src[slot], 8);
		nti_derive_put(&r->logic, "/");
		put_word(&r->logic, &dom->op[slot], 4);
	}
	note(r, "what this mode does is not known, so selectors stand as written");
}

/*
 * The slot that was read stands in the columns of the event; START beside it where the mode takes
 * its wires.
 */
static void columns(struct nti_derive_row *r, const struct nti_derive_domain *dom,
		    unsigned int slot, const struct nti_derive_count *c)
{
	int mode = nti_derive_mode(dom);

	if (slot == NTI_SLOT_CYCLES) {
		nti_derive_put(&r->event_src, "-");
		nti_derive_put(&r->event_op, "-");
	} else {
		put_word(&r->event_src, &dom->src[slot], 8);
		put_word(&r->event_op, &dom->op[slot], 4);
	}
	if ((mode >= 1 && slot != NTI_SLOT_CYCLES && slot != NTI_SLOT_START) ||
	    (c->is_raw && slot != NTI_SLOT_START)) {
		put_word(&r->start_src, &dom->src[NTI_SLOT_START], 8);
		put_word(&r->start_op, &dom->op[NTI_SLOT_START], 4);
	} else {
		nti_derive_put(&r->start_src, "-");
		nti_derive_put(&r->start_op, "-");
	}
}

static void put_mode(struct nti_derive_row *r, const struct nti_derive_domain *dom)
{
	int mode = nti_derive_mode(dom);

	if (mode < 0)
		snprintf(r->mode, sizeof(r->mode), "?");
	else if (mode < (int)NTI_ARRAY_SIZE(mode_names))
		snprintf(r->mode, sizeof(r->mode), "%s", mode_names[mode]);
	else if (mode == 8)
		snprintf(r->mode, sizeof(r->mode), "RECORD");
	else
		snprintf(r->mode, sizeof(r->mode), "mode %d", mode);
}

static void origins(struct nti_derive_row *r, const struct nti_derive_domain *dom,
		    unsigned int slot, bool needs_start)
{
	word_origin(r, "CTRL", &dom->ctrl, DOMAIN_ADDRESS(dom, CTRL));
	if (needs_start && slot != NTI_SLOT_START)
		slot_origin(r, dom, NTI_SLOT_START);
	if (slot != NTI_SLOT_CYCLES)
		slot_origin(r, dom, slot);
	if (slot != NTI_SLOT_CYCLES && dom->op[slot].value >> 18 & 1)
		word_origin(r, "SETFLAG_OP", &dom->setflag, DOMAIN_ADDRESS(dom, SETFLAG_OP));
}

static void put_counted(struct nti_derive_row *r, struct nti_derive_device *dev,
			struct nti_derive_domain *dom, unsigned int slot,
			struct nti_derive_count *c)
{
	nti_derive_put(&r->key, "%s %u ", unit_names[dom->unit], dom->set);
	if (nti_derive_mode(dom) < 0 && slot != NTI_SLOT_CYCLES)
		note(r, "the mode (CTRL) is not in the trace");
	if (c->is_raw) {
		raw_key(r, dom, slot);
	} else if (slot == NTI_SLOT_CYCLES) {
		nti_derive_put(&r->key, "clock");
		nti_derive_put(&r->logic, "1");
	} else if (c->role == NTIME_DERIVED_UNKNOWN && !dom->op[slot].known) {
		nti_derive_put(&r->key, "unknown");
		nti_derive_put(&r->logic, "?");
		note(r, "its set-up is not in the trace");
	} else {
		nti_derive_count_key(c, &r->key);
		if (!r->logic.is_unwanted)
			nti_derive_count_text(c, &r->logic);
		if (nti_derive_mode(dom) < 0)
			nti_derive_put(&r->key, " mode ?");
		if (c->role == NTIME_DERIVED_UNKNOWN)
			note(r, "a selector that it needs is not in the trace");
		single_mode(r, dev, dom);
	}
	if (c->has_filler)
		note(r, "signal ef is taken as constant 0");
	trailer(r, dev, dom, c);
	groups(r, dev, dom, c);
	known_muxes(r, dev, dom, c);
	unknown_muxes(r, dev, dom);
}

/* A row without values and windows. */
static void make(struct nti_derive_row *r, struct nti_derive_device *dev,
		 struct nti_derive_domain *dom, unsigned int slot)
{
	struct nti_derive_count c;

	nti_derive_count(dev, dom, slot, &c);
	r->chips = dev->chips;
	r->d.device = dev->number;
	r->d.role = c.role;
	r->d.set = dom->set;
	r->d.unit = unit_names[dom->unit];
	if (c.has_filler)
		r->d.flags |= NTIME_DERIVED_INFERRED;
	put_mode(r, dom);
	columns(r, dom, slot, &c);
	origins(r, dom, slot, c.is_integer || c.is_raw);
	put_counted(r, dev, dom, slot, &c);
	nti_derive_put(&r->counter, "%s", slot_names[slot]);
	if (dom->unit != NTI_UNIT_PCOUNTER && dom->unit != NTI_UNIT_HUB)
		nti_derive_put(&r->instance, "%u", dom->instance);
	else if (c.tpc >= 0)
		nti_derive_put(&r->instance, "TPC %d", c.tpc);
	put_chips(r, dev->chips, dev->is_told);
}

void nti_derive_row_make_key(struct nti_derive_row *r, struct nti_derive_device *dev,
			     struct nti_derive_domain *dom, unsigned int slot)
{
	struct nti_derive_text *text;

	nti_derive_row_init(r);
	for (size_t i = 0; (text = text_at(r, i)); i++)
		text->is_unwanted = text != &r->key;
	make(r, dev, dom, slot);
}

bool nti_derive_row_add(struct ntime_derive *d, struct nti_derive_device *dev,
			struct nti_derive_domain *dom, unsigned int slot, uint32_t window)
{
	struct nti_derive_row r;
	bool is_event;

	nti_derive_row_init(&r);
	make(&r, dev, dom, slot);
	if (!nti_derive_keys_make(&r, dev, dom, slot))
		d->failed = true;
	r.d.flags |= dom->flags;
	r.tally = dom->read[slot];
	if (!dev->was_triggered)
		r.d.flags |= NTIME_DERIVED_UNTRIGGERED;
	if (r.tally.max == 0xffffffff)
		r.d.flags |= NTIME_DERIVED_SATURATED;
	is_event = r.d.role == NTIME_DERIVED_EVENT || r.d.role == NTIME_DERIVED_UNKNOWN;
	d->looked += r.looked;
	nti_derive_row_join(d, &r, window);
	return is_event;
}
