// SPDX-License-Identifier: MIT
/*
 * What a slot of a domain counts: mode, truth table and selectors made into a function of wires, or
 * into numbers of several wires.
 *
 * Source: envytools' description of PCOUNTER (arguments, delays, modes). Trust: documented; that
 * signal 0xef is a constant 0 in domains of GPCs and partitions from Fermi on is a guess from its
 * use as filler and as gate by NVIDIA's driver.
 */
#include <string.h>

#include "trace/lib/derive/registers.h"
#include "trace/lib/derive/state.h"

#define FILLER_LATER 0xef

enum { SIMPLE, EVENT_B4, EVENT_B6, EXTRA_B4, EXTRA_B6_EVENT_B2, MODES };

static bool is_later(const struct nti_derive_domain *dom)
{
	return dom->unit != NTI_UNIT_PCOUNTER;
}

#define CTRL_MODE NTI_TESLA_PCOUNTER_CTRL_MODE
#define RECORD 2

/* Value of the field @mask, -1 unknown. */
static int field_of(const struct nti_derive_word *w, uint32_t mask)
{
	return (w->known & mask) == mask ? (int)nti_derive_field(w->value, mask) : -1;
}

int nti_derive_mode(const struct nti_derive_domain *dom)
{
	int mode = field_of(&dom->ctrl, CTRL_MODE);

	if (is_later(dom))
		return field_of(&dom->ctrl, NTI_GF100_PCOUNTER_GPC_DOM_CTRL_CTR_MODE);
	if (mode < 0)
		return -1;
	/* In record mode counters show nothing of use. */
	return mode == RECORD ? 8 : field_of(&dom->ctrl, NTI_TESLA_PCOUNTER_CTRL_CTR_MODE);
}

/* A TPC's register, if the trace tells any of @bits. */
static const struct nti_derive_reg *tpc_reg(const struct nti_derive_device *dev, unsigned int tpc,
					    uint32_t offset, uint32_t bits)
{
	uint32_t stride = dev->stride;
	const struct nti_derive_reg *reg =
		nti_derive_regs_find(&dev->regs, NTI_TESLA_PGRAPH_TPC_BASE + tpc * stride + offset);

	return reg && reg->known & bits ? reg : NULL;
}

/*
 * The TPC that drives the wires: the first one that is enabled, else the first one whose groups
 * were written.
 */
static int mpc_tpc(const struct nti_derive_device *dev)
{
	uint32_t stride = dev->stride;
	const struct nti_derive_reg *reg;

	for (unsigned int t = 0; t < NTI_G200_PGRAPH_TPC_COUNT; t++) {
		reg = tpc_reg(dev, t, nti_derive_mpc_enable(stride), 1);
		if (reg && reg->value & 1)
			return (int)t;
	}
	for (unsigned int t = 0; t < NTI_G200_PGRAPH_TPC_COUNT; t++) {
		reg = tpc_reg(dev, t, nti_derive_mpc_select(stride), 0xffffffff);
		if (reg && reg->epoch)
			return (int)t;
	}
	return -1;
}

/*
 * Signals of the shader domain become a group and a wire of it where the trace tells the group: the
 * same group may stand in any of the four bytes.
 */
static uint32_t mpc_wire(const struct nti_derive_device *dev, unsigned int signal, int *tpc)
{
	uint32_t shift = signal / 4 * 8;
	const struct nti_derive_reg *reg;
	int t;

	if (!dev->stride)
		return NTI_WIRE_SIGNAL | signal;
	t = mpc_tpc(dev);
	if (t < 0)
		return NTI_WIRE_SIGNAL | signal;
	*tpc = t;
	reg = tpc_reg(dev, (unsigned int)t, nti_derive_mpc_select(dev->stride), 0xffu << shift);
	if (!reg || (reg->known >> shift & 0xff) != 0xff)
		return NTI_WIRE_SIGNAL | signal;
	return NTI_WIRE_MPC | (reg->value >> shift & 0xff) << 2 | signal % 4;
}

static uint32_t wire_of(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
			const struct nti_derive_word *src, unsigned int slot, unsigned int i,
			struct nti_derive_count *c)
{
	unsigned int signal = src->value >> 8 * i & 0xff;

	if ((src->known >> 8 * i & 0xff) != 0xff)
		return NTI_WIRE_UNKNOWN | (slot * 4 + i);
	if (is_later(dom)) {
		if (signal != FILLER_LATER)
			return NTI_WIRE_SIGNAL | signal;
		c->has_filler = true;
		return NTI_WIRE_ZERO;
	}
	if ((int)signal == nti_derive_zero(dev->chips, dom->set))
		return NTI_WIRE_ZERO;
	if (dom->set == NTI_MPC_DOMAIN && signal < NTI_MPC_SIGNALS)
		return mpc_wire(dev, signal, &c->tpc);
	return NTI_WIRE_SIGNAL | signal;
}

static uint32_t delayed(uint32_t wire)
{
	return wire == NTI_WIRE_ZERO ? wire : wire | NTI_WIRE_DELAYED;
}

/*
 * Arguments 0 and 1 may be late, 2 and 3 be replaced by late ones: bits of OP from 16 on, and not
 * the same for all slots.
 */
static void delay(const struct nti_derive_device *dev, uint32_t op, bool is_counting_slot,
		  struct nti_derive_input *in)
{
	uint32_t raw[2] = { in->arg[0], in->arg[1] };
	unsigned int first = is_counting_slot ? 19 : 18;
	bool has_alternates = false;

	for (unsigned int i = 0; i < nti_derive_chips(); i++)
		if (dev->chips >> i & 1 && nti_derive_chip_at(i)->has_alternates)
			has_alternates = true;
	if (op >> 16 & 1)
		in->arg[0] = delayed(raw[0]);
	if (op >> 17 & 1)
		in->arg[1] = delayed(raw[1]);
	if (has_alternates && op >> first & 1)
		in->arg[2] = delayed(raw[0]);
	if (has_alternates && op >> (first + 1) & 1)
		in->arg[3] = delayed(raw[1]);
}

static void flag_input(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
		       struct nti_derive_input *out, bool is_clear, struct nti_derive_count *c)
{
	const struct nti_derive_word *op = is_clear ? &dom->clrflag : &dom->setflag;
	/*
	 * SETFLAG has no selectors of its own: START 2 and 3, PRE 0 and 1; CLRFLAG PRE 2 and 3,
	 * START 0 and 1.
	 */
	static const uint8_t from[2][4][2] = {
		{ { NTI_SLOT_START, 2 },
		  { NTI_SLOT_START, 3 },
		  { NTI_SLOT_PRE, 0 },
		  { NTI_SLOT_PRE, 1 } },
		{ { NTI_SLOT_PRE, 2 },
		  { NTI_SLOT_PRE, 3 },
		  { NTI_SLOT_START, 0 },
		  { NTI_SLOT_START, 1 } },
	};

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int slot = from[is_clear][i][0];

		out->arg[i] = wire_of(dev, dom, &dom->src[slot], slot, from[is_clear][i][1], c);
	}
	out->table = (uint16_t)op->value;
	out->flag = NULL;
	delay(dev, op->value, false, out);
}

/* Function of a slot. False: its truth table is not in the trace. */
static bool function(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
		     unsigned int slot, struct nti_derive_count *c)
{
	const struct nti_derive_word *op = &dom->op[slot];
	struct nti_derive_input in = { .table = (uint16_t)op->value }, flag;
	bool is_counting_slot = slot >= NTI_SLOT_EVENT;

	if ((op->known & 0xffff) != 0xffff)
		return false;
	for (unsigned int i = 0; i < 4; i++)
		in.arg[i] = wire_of(dev, dom, &dom->src[slot], slot, i, c);
	delay(dev, op->value, is_counting_slot, &in);
	if (is_counting_slot && op->value >> 18 & 1) {
		if ((dom->setflag.known & 0xffff) != 0xffff) {
			in.arg[3] = NTI_WIRE_UNKNOWN | 16;
		} else {
			flag_input(dev, dom, &flag, false, c);
			in.flag = &flag;
		}
	}
	nti_derive_logic_make(&c->logic, &in);
	return true;
}

static void one(struct nti_derive_logic *l)
{
	memset(l, 0, sizeof(*l));
	l->table[0] = 1;
}

/*
 * Numbers with high wires that are constant 0 are shorter numbers; of one wire they are that wire.
 */
static void shorten(struct nti_derive_count *c)
{
	while (c->wires && c->wire[c->wires - 1] == NTI_WIRE_ZERO)
		c->wires--;
	if (c->wires > 1 || c->logic.n + 1 > NTI_LOGIC_WIRES)
		return;
	nti_derive_logic_and(&c->logic, c->wires ? c->wire[0] : NTI_WIRE_ZERO);
	c->is_integer = false;
	c->wires = 0;
}

static void number(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
		   unsigned int bits, struct nti_derive_count *c)
{
	c->is_integer = true;
	c->wires = bits;
	for (unsigned int i = 0; i < bits; i++) {
		unsigned int slot = bits == 2 || i >= 4 ? NTI_SLOT_EVENT : NTI_SLOT_START;
		unsigned int arg = bits == 2 ? i : i >= 4 ? i - 2 : i;

		c->wire[i] = wire_of(dev, dom, &dom->src[slot], slot, arg, c);
	}
	shorten(c);
}

static void set_role(struct nti_derive_count *c)
{
	bool is_unknown = nti_derive_logic_has(&c->logic, NTI_WIRE_UNKNOWN);

	for (unsigned int i = 0; i < c->wires; i++)
		is_unknown |= (c->wire[i] & NTI_WIRE_KIND) == NTI_WIRE_UNKNOWN;
	if (nti_derive_logic_is(&c->logic, false))
		c->role = NTIME_DERIVED_NOTHING;
	else if (is_unknown)
		c->role = NTIME_DERIVED_UNKNOWN;
	else if (!c->is_integer && nti_derive_logic_is(&c->logic, true))
		c->role = NTIME_DERIVED_CLOCK;
	else
		c->role = NTIME_DERIVED_EVENT;
}

void nti_derive_count(const struct nti_derive_device *dev, const struct nti_derive_domain *dom,
		      unsigned int slot, struct nti_derive_count *out)
{
	int mode = nti_derive_mode(dom);
	bool is_single = !is_later(dom) && field_of(&dom->ctrl, CTRL_MODE) == 0;
	unsigned int sum = is_single ? NTI_SLOT_PRE : NTI_SLOT_START;

	memset(out, 0, sizeof(*out));
	out->tpc = -1;
	if (slot == NTI_SLOT_CYCLES) {
		out->role = NTIME_DERIVED_CLOCK;
		one(&out->logic);
		return;
	}
	if (mode >= MODES) {
		out->is_raw = true;
		/* Drivers write zeros to all slots first: this one was left so. */
		if (dom->src[slot].known && dom->op[slot].known && !dom->src[slot].value &&
		    !dom->op[slot].value)
			out->role = NTIME_DERIVED_NOTHING;
		return;
	}
	/* These sum numbers whatever the slot's own truth table says. */
	if ((mode == EXTRA_B4 || mode == EXTRA_B6_EVENT_B2) && slot == sum) {
		one(&out->logic);
		number(dev, dom, mode == EXTRA_B4 ? 4 : 6, out);
		set_role(out);
		return;
	}
	if (mode == EXTRA_B6_EVENT_B2 && slot == NTI_SLOT_EVENT) {
		one(&out->logic);
		number(dev, dom, 2, out);
		set_role(out);
		return;
	}
	if (!function(dev, dom, slot, out)) {
		out->role = NTIME_DERIVED_UNKNOWN;
		return;
	}
	if ((mode == EVENT_B4 || mode == EVENT_B6) && slot == NTI_SLOT_EVENT &&
	    !nti_derive_logic_is(&out->logic, false))
		number(dev, dom, mode == EVENT_B4 ? 4 : 6, out);
	set_role(out);
}

static void put_wire(struct nti_derive_text *t, const char *before, uint32_t wire)
{
	char name[32];

	nti_derive_wire_text(wire, name, sizeof(name));
	nti_derive_put(t, "%s%s", before, name);
}

void nti_derive_count_key(const struct nti_derive_count *c, struct nti_derive_text *t)
{
	char text[512];

	if (c->is_integer) {
		nti_derive_put(t, "int{");
		for (unsigned int i = 0; i < c->wires; i++)
			put_wire(t, i ? "," : "", c->wire[i]);
		nti_derive_put(t, "}*");
	}
	nti_derive_logic_key(&c->logic, text, sizeof(text));
	nti_derive_put(t, "%s", text);
}

void nti_derive_count_text(const struct nti_derive_count *c, struct nti_derive_text *t)
{
	char text[1024];

	nti_derive_logic_text(&c->logic, text, sizeof(text));
	if (!c->is_integer) {
		nti_derive_put(t, "%s", text);
		return;
	}
	for (unsigned int i = 0; i < c->wires; i++) {
		if (c->wire[i] == NTI_WIRE_ZERO)
			continue;
		if (i)
			nti_derive_put(t, "%s%u*", t->n ? " + " : "", 1u << i);
		put_wire(t, "", c->wire[i]);
	}
	if (!nti_derive_logic_is(&c->logic, true))
		nti_derive_put(t, " while %s", text);
}

static bool uses(uint32_t wire, const struct nti_derive_mux *m, uint64_t chips, unsigned int domain)
{
	return (wire & NTI_WIRE_KIND) == NTI_WIRE_SIGNAL &&
	       nti_derive_mux_feeds(m, chips, domain, wire & 0xff);
}

bool nti_derive_count_uses(const struct nti_derive_count *c, const struct nti_derive_mux *m,
			   uint64_t chips, unsigned int domain)
{
	for (unsigned int i = 0; i < c->logic.n; i++)
		if (uses(c->logic.wire[i], m, chips, domain))
			return true;
	for (unsigned int i = 0; i < c->wires; i++)
		if (uses(c->wire[i], m, chips, domain))
			return true;
	return false;
}
