// SPDX-License-Identifier: MIT
/*
 * Accesses of one device in their order: registers take their values, and a measurement ends where
 * something is set up again behind a read of counters.
 *
 *     set-up (selectors, modes, multiplexers) -> [end of period] -> reads, acknowledges, ends of
 *     periods, reads ... -> next set-up
 *
 * Sequences that this follows: nouveau (CTRL, SRC, OP of four slots, then multiplexers; a trigger;
 * reads), nvacounter of envytools (a trigger before and behind the work), NVIDIA's driver under
 * CUPTI (multiplexers, then slots; reads, acknowledges, a trigger). What is written between a
 * trigger and the reads without any set-up is the work that is measured; a list of register
 * operations has no such writes.
 *
 * A measurement is derived from what its registers had when its counters were read. Before anything
 * behind that changes what is known of them - the next session finds a fresh context, a driver
 * clears its selectors - the measurement is settled: its rows are made.
 */
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "trace/lib/derive/registers.h"
#include "trace/lib/derive/state.h"

static void tally_add(struct nti_derive_tally *t, uint64_t value)
{
	if (!t->n || value < t->min)
		t->min = value;
	if (value > t->max)
		t->max = value;
	t->sum += value;
	t->last = value;
	t->last_clocks = NTIME_DERIVED_NO_CLOCKS;
	t->n++;
	if (t->kept == NTI_DERIVE_VALUES)
		return;
	t->clocks[t->kept] = NTIME_DERIVED_NO_CLOCKS;
	t->value[t->kept++] = value;
}

void nti_derive_tally_clock(struct nti_derive_tally *t, uint64_t nth, uint64_t clocks)
{
	if (nth + 1 == t->n)
		t->last_clocks = clocks;
	if (nth < t->kept)
		t->clocks[nth] = clocks;
}

void nti_derive_tally_join(struct nti_derive_tally *t, const struct nti_derive_tally *more)
{
	if (!more->n)
		return;
	t->min = t->n && t->min < more->min ? t->min : more->min;
	t->max = t->max > more->max ? t->max : more->max;
	t->sum += more->sum;
	t->last = more->last;
	t->last_clocks = more->last_clocks;
	t->n += more->n;
	for (uint32_t i = 0; i < more->kept && t->kept < NTI_DERIVE_VALUES; i++) {
		t->clocks[t->kept] = more->clocks[i];
		t->value[t->kept++] = more->value[i];
	}
}

void nti_derive_set_chips(struct nti_derive_device *dev, uint64_t chips)
{
	dev->chips = chips;
	dev->stride = 0;
	if (nti_derive_all_of(chips, NTHW_NV_G80, NTHW_NV_G84))
		dev->stride = NTI_G80_PGRAPH_TPC_STEP;
	else if (nti_derive_all_of(chips, NTHW_NV_G200, NTHW_NV_GT215))
		dev->stride = NTI_G200_PGRAPH_TPC_STEP;
	dev->may_be_tesla = nti_derive_any_of(chips, NTHW_NV_G80, NTHW_NV_GT215);
	dev->may_be_later = nti_derive_any_of(chips, NTHW_NV_FERMI, NTHW_NV_FERMI);
}

/*
 * Keep those of the chips that it may be, unless none would be left: then the evidence is of
 * something else.
 */
static void narrow(struct nti_derive_device *dev, uint64_t chips)
{
	if (!dev->is_told && dev->chips & chips && dev->chips & ~chips)
		nti_derive_set_chips(dev, dev->chips & chips);
}

static uint64_t tesla_chips(void)
{
	return ~nti_derive_chips_of(NTHW_NV_FERMI);
}

/* Of a domain, in the index of a device. */
#define DOMAIN_KEY(unit, instance, set)                                                            \
	((uint32_t)(unit) << 28 | (uint32_t)(instance) << 12 | (uint32_t)(set))

#define OFFSETS(chip)                                                                              \
	{                                                                                          \
		NTI_##chip##_PGRAPH_TPC_MPC_PM_GROUP_SEL,                                          \
			NTI_##chip##_PGRAPH_TPC_MPC_PM_OUT_ENABLE,                                 \
			NTI_##chip##_PGRAPH_TPC_TEX_PM_MUX, NTI_##chip##_PGRAPH_TPC_TEX_PM_MUX2,   \
			NTI_##chip##_PGRAPH_TPC_PROP_PM_MUX                                        \
	}
/*
 * Multiplexers of TPCs tell the stride of TPCs where nothing else does: those of the two strides
 * have no offset in common.
 */
static void narrow_by_routing(struct nti_derive_device *dev, uint32_t address)
{
	static const uint16_t old_offsets[] = OFFSETS(G80);
	static const uint16_t new_offsets[] = OFFSETS(G200);

	if (!nti_derive_is_tpc(address) || dev->stride)
		return;
	for (size_t i = 0; i < NTI_ARRAY_SIZE(old_offsets); i++) {
		if ((address - NTI_TESLA_PGRAPH_TPC_BASE) % NTI_G80_PGRAPH_TPC_STEP ==
		    old_offsets[i])
			narrow(dev,
			       nti_derive_chips_of(NTHW_NV_G80) | nti_derive_chips_of(NTHW_NV_G84));
		if ((address - NTI_TESLA_PGRAPH_TPC_BASE) % NTI_G200_PGRAPH_TPC_STEP ==
		    new_offsets[i])
			narrow(dev, nti_derive_chips_of(NTHW_NV_G200) |
					    nti_derive_chips_of(NTHW_NV_GT215));
	}
}

void nti_derive_units_fini(struct nti_derive_units *u)
{
	nti_derive_index_fini(&u->index);
	free(u->read);
	*u = (struct nti_derive_units){ 0 };
}

static int compare_places(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void nti_derive_units_sort(struct nti_derive_units *u)
{
	if (u->reads > 1)
		qsort(u->read, u->reads, sizeof(*u->read), compare_places);
}

/* One more unit at the end of @array, of elements of @size bytes; NULL without memory. */
static void *add_unit(struct nti_derive_units *u, void **array, size_t size, uint32_t key)
{
	if (!nti_grow(&u->read, u->n) || !nti_grow_bytes(array, u->n, size) ||
	    !nti_derive_index_add(&u->index, key, (uint32_t)u->n + 1))
		return NULL;
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker) room is there: not NULL */
	return memset((char *)*array + u->n++ * size, 0, size);
}

static void note_read(struct nti_derive_units *u, size_t place, bool *is_read)
{
	if (!*is_read)
		u->read[u->reads++] = (uint32_t)place;
	*is_read = true;
}

/* For one more domain or MP, of any device; else what is done to it is left out. */
static bool has_room(struct ntime_derive *d)
{
	d->counts.left_out += d->units == NTI_DERIVE_UNITS_MAX;
	return d->units < NTI_DERIVE_UNITS_MAX;
}

/* The register, a new one if it was never met; NULL without memory or room. */
static struct nti_derive_reg *reg_of(struct ntime_derive *d, struct nti_derive_device *dev,
				     uint32_t address)
{
	struct nti_derive_reg *reg = nti_derive_regs_find(&dev->regs, address);

	if (reg)
		return reg;
	if (d->regs == NTI_DERIVE_REGS_ALL_MAX) {
		d->counts.left_out++;
		return NULL;
	}
	reg = nti_derive_regs_get(&dev->regs, address);
	d->regs += reg != NULL;
	return reg;
}

/* NULL: the trace has not told of it yet. */
static struct nti_derive_domain *find_domain(struct nti_derive_device *dev, unsigned int unit,
					     unsigned int instance, unsigned int set)
{
	uint32_t place =
		nti_derive_index_find(&dev->domains.index, DOMAIN_KEY(unit, instance, set));

	return place ? &dev->domain[place - 1] : NULL;
}

static struct nti_derive_domain *domain_of(struct ntime_derive *d, struct nti_derive_device *dev,
					   const struct nti_derive_place *p)
{
	struct nti_derive_domain *dom = find_domain(dev, p->unit, p->instance, p->set);
	void *array = dev->domain;

	if (dom || !has_room(d))
		return dom;
	dom = add_unit(&dev->domains, &array, sizeof(*dom),
		       DOMAIN_KEY(p->unit, p->instance, p->set));
	dev->domain = array;
	if (!dom) {
		d->failed = true;
		return NULL;
	}
	d->units++;
	dom->unit = p->unit;
	dom->instance = p->instance;
	dom->set = p->set;
	return dom;
}

static struct nti_derive_mp *mp_of(struct ntime_derive *d, struct nti_derive_device *dev,
				   uint16_t instance)
{
	uint32_t place = nti_derive_index_find(&dev->mps.index, instance);
	struct nti_derive_mp *mp;
	void *array = dev->mp;

	if (place)
		return &dev->mp[place - 1];
	if (!has_room(d))
		return NULL;
	mp = add_unit(&dev->mps, &array, sizeof(*mp), instance);
	dev->mp = array;
	if (!mp) {
		d->failed = true;
		return NULL;
	}
	d->units++;
	mp->instance = instance;
	/* It has what was written to all. */
	place = nti_derive_index_find(&dev->mps.index, NTI_MP_ALL);
	if (place && instance != NTI_MP_ALL) {
		memcpy(mp->config, dev->mp[place - 1].config, sizeof(mp->config));
		memcpy(mp->epoch, dev->mp[place - 1].epoch, sizeof(mp->epoch));
	}
	return mp;
}

/*
 * What is known of registers is about to change: what was counted has nothing to do with that.
 * Counters read behind it are another measurement.
 */
static void settle(struct ntime_derive *d, struct nti_derive_device *dev)
{
	if (!dev->is_reading || dev->is_settled)
		return;
	nti_derive_window_end(d, dev);
	dev->is_settled = true;
}

/* Something is set up: what was read before belongs to the set-up before. */
static void begin(struct ntime_derive *d, struct nti_derive_device *dev, bool is_counter)
{
	if (dev->is_reading) {
		settle(d, dev);
		dev->is_reading = dev->is_settled = false;
		dev->is_set_up = false;
		nti_derive_regs_begin(&dev->regs, ++dev->epoch);
		dev->triggers = 0;
	}
	if (is_counter) {
		dev->is_set_up = true;
		dev->triggers = 0;
	}
}

static void word_write(struct ntime_derive *d, struct nti_derive_word *w, uint32_t value,
		       uint32_t mask)
{
	w->value = (w->value & ~mask) | (value & mask);
	w->known |= mask;
	w->list = d->list_number;
	w->access = d->access;
}

static void mp_write(struct ntime_derive *d, struct nti_derive_device *dev,
		     const struct nti_derive_place *p, uint32_t value, uint32_t mask)
{
	struct nti_derive_mp *mp;

	/* Selectors that go back to 0 behind the reads are the end, not a set-up of nothing. */
	if (!(dev->is_reading && value == 0))
		begin(d, dev, true);
	mp = mp_of(d, dev, p->instance);
	if (!mp)
		return;
	settle(d, dev);
	for (size_t i = 0; i < dev->mps.n; i++) {
		if (p->instance != NTI_MP_ALL && &dev->mp[i] != mp)
			continue;
		word_write(d, &dev->mp[i].config[p->slot / 4], value, mask);
		dev->mp[i].epoch[p->slot / 4] = dev->is_reading ? 0 : dev->epoch;
	}
}

static void reg_write(struct ntime_derive *d, struct nti_derive_device *dev,
		      struct nti_derive_reg *reg, uint32_t epoch, uint32_t value, uint32_t mask)
{
	if (!reg->epoch) {
		reg->base = reg->value;
		reg->base_known = reg->known;
	}
	reg->value = (reg->value & ~mask) | (value & mask);
	reg->known |= mask;
	reg->epoch = epoch;
	nti_derive_regs_note(&dev->regs, reg, epoch);
	reg->list = d->list_number;
	reg->access = d->access;
}

/* Multiplexers that are known, and the groups of the shader domain. */
static bool is_known_mux(const struct nti_derive_device *dev, uint32_t address)
{
	uint32_t stride = dev->stride, offset;

	if (nti_derive_mux_at(nti_derive_spot_of(address, stride), stride))
		return true;
	if (!stride || !nti_derive_is_tpc(address))
		return false;
	offset = (address - NTI_TESLA_PGRAPH_TPC_BASE) % stride;
	return offset == nti_derive_mpc_select(stride) || offset == nti_derive_mpc_enable(stride);
}

/*
 * A register that is none of the counters'. In lists of register operations all of them are meant;
 * elsewhere a driver works on the whole chip, and only what may be a multiplexer and was not
 * written by the measured work is looked at.
 */
static void other_write(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t address,
			uint32_t value, uint32_t mask)
{
	bool is_list = d->list_number != 0, is_known;
	uint32_t epoch;
	struct nti_derive_reg *reg;

	if (!is_list && !nti_derive_place_is_routing(address, dev->may_be_tesla, dev->may_be_later))
		return;
	narrow_by_routing(dev, address);
	is_known = is_known_mux(dev, address);
	if (is_list || is_known)
		begin(d, dev, false);
	epoch = dev->epoch;
	if (!is_list && !is_known) {
		/*
		 * Work of the measured program, or the beginning of the next set-up: that one will
		 * tell.
		 */
		if (dev->is_reading)
			epoch++;
		else if (dev->triggers && dev->is_set_up)
			return;
	}
	reg = reg_of(d, dev, address);
	if (!reg)
		return;
	if (reg->epoch == dev->epoch)
		settle(d, dev);
	reg_write(d, dev, reg, epoch, value, mask);
}

static void domain_write(struct ntime_derive *d, struct nti_derive_device *dev,
			 const struct nti_derive_place *p, uint32_t value, uint32_t mask)
{
	struct nti_derive_domain *dom;

	narrow(dev, p->unit == NTI_UNIT_PCOUNTER ? tesla_chips() : ~tesla_chips());
	begin(d, dev, true);
	dom = domain_of(d, dev, p);
	if (!dom)
		return;
	switch (p->kind) {
	case NTI_PLACE_SRC:
		word_write(d, &dom->src[p->slot], value, mask);
		break;
	case NTI_PLACE_OP:
		word_write(d, &dom->op[p->slot], value, mask);
		break;
	case NTI_PLACE_SETFLAG:
		word_write(d, &dom->setflag, value, mask);
		break;
	case NTI_PLACE_CLRFLAG:
		word_write(d, &dom->clrflag, value, mask);
		break;
	default:
		word_write(d, &dom->ctrl, value, mask);
	}
}

/* Values of MODE and QUAD_STATE. */
enum { QUAD = 1, QUAD_EMPTY = 0, QUAD_OVERFLOW = 3 };

/*
 * Values have the state that CTRL had last: a driver polls EMPTY until a period ends. Behind an
 * acknowledge it tells nothing of values that were read.
 */
static void ctrl_read(struct nti_derive_domain *dom, uint32_t value)
{
	uint32_t quad = nti_derive_field(value, NTI_TESLA_PCOUNTER_CTRL_QUAD_STATE);

	if (dom->unit != NTI_UNIT_PCOUNTER ||
	    nti_derive_field(value, NTI_TESLA_PCOUNTER_CTRL_MODE) != QUAD)
		return;
	dom->state = 0;
	if (quad == QUAD_OVERFLOW)
		dom->state = NTIME_DERIVED_OVERFLOW;
	else if (quad == QUAD_EMPTY)
		dom->state = NTIME_DERIVED_EMPTY;
	if (dom->is_read && !dom->is_acked)
		dom->flags |= dom->state;
}

static void end_reads(struct nti_derive_domain *dom)
{
	if (dom->reads)
		nti_derive_reads_end(dom->reads, dom->read);
}

static void acknowledge(struct nti_derive_device *dev, const struct nti_derive_place *p)
{
	struct nti_derive_domain *dom = find_domain(dev, p->unit, p->instance, p->set);

	if (!dom)
		return;
	dom->state = 0;
	dom->is_acked = true;
	end_reads(dom);
}

static void trigger(struct nti_derive_device *dev)
{
	dev->triggers++;
	/* Only these have a state. */
	for (unsigned int set = 0; set < NTI_TESLA_PCOUNTER_CTRL_LENGTH; set++) {
		struct nti_derive_domain *dom = find_domain(dev, NTI_UNIT_PCOUNTER, 0, set);

		if (dom)
			dom->state &= ~NTIME_DERIVED_EMPTY;
	}
	for (size_t i = 0; i < dev->domains.reads; i++)
		end_reads(&dev->domain[dev->domains.read[i]]);
}

void nti_derive_write(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t address,
		      uint32_t value, uint32_t mask)
{
	struct nti_derive_place p =
		nti_derive_place_of(address, dev->may_be_tesla, dev->may_be_later);

	switch (p.kind) {
	case NTI_PLACE_SRC:
	case NTI_PLACE_OP:
	case NTI_PLACE_SETFLAG:
	case NTI_PLACE_CLRFLAG:
	case NTI_PLACE_CTRL:
		domain_write(d, dev, &p, value, mask);
		break;
	case NTI_PLACE_MP_CONFIG:
		if (p.instance != NTI_MP_ALL)
			narrow(dev, ~tesla_chips());
		mp_write(d, dev, &p, value, mask);
		break;
	case NTI_PLACE_ACK:
		acknowledge(dev, &p);
		break;
	case NTI_PLACE_TRIGGER:
		/* DEBUG_1 has other bits too. */
		if (address != NTI_TESLA_PGRAPH_DEBUG_1 ||
		    value & mask & NTI_TESLA_PGRAPH_DEBUG_1_PM_TRIGGER)
			trigger(dev);
		break;
	case NTI_PLACE_OTHER:
		other_write(d, dev, address, value, mask);
		break;
	default:
		break;
	}
}

static void counter_read(struct nti_derive_device *dev)
{
	if (!dev->is_reading || dev->is_settled)
		dev->was_triggered = dev->triggers != 0;
	dev->is_reading = true;
	dev->is_settled = false;
}

static void word_read(struct ntime_derive *d, struct nti_derive_device *dev,
		      struct nti_derive_word *w, uint32_t value)
{
	if (w->known)
		return;
	settle(d, dev);
	*w = (struct nti_derive_word){ .value = value, .known = 0xffffffff };
}

/* Clocks are found when the period has an end in the trace: they may be read before or after it. */
static void value_read(struct ntime_derive *d, struct nti_derive_device *dev,
		       struct nti_derive_domain *dom, unsigned int counter, uint32_t value)
{
	if (!dom->reads)
		dom->reads = calloc(1, sizeof(*dom->reads));
	if (!dom->reads) {
		d->failed = true;
		return;
	}
	note_read(&dev->domains, (size_t)(dom - dev->domain), &dom->is_read);
	nti_derive_reads_add(dom->reads, counter, value, dom->read[counter].n);
	tally_add(&dom->read[counter], value);
}

static void domain_read(struct ntime_derive *d, struct nti_derive_device *dev,
			const struct nti_derive_place *p, uint32_t value)
{
	struct nti_derive_domain *dom = domain_of(d, dev, p);

	if (!dom)
		return;
	switch (p->kind) {
	case NTI_PLACE_SRC:
		word_read(d, dev, &dom->src[p->slot], value);
		break;
	case NTI_PLACE_OP:
		word_read(d, dev, &dom->op[p->slot], value);
		break;
	case NTI_PLACE_SETFLAG:
		word_read(d, dev, &dom->setflag, value);
		break;
	case NTI_PLACE_CLRFLAG:
		word_read(d, dev, &dom->clrflag, value);
		break;
	case NTI_PLACE_CTRL:
		ctrl_read(dom, value);
		word_read(d, dev, &dom->ctrl, value);
		break;
	default:
		counter_read(dev);
		dom->flags |= dom->state;
		dom->is_acked = false;
		value_read(d, dev, dom, p->kind == NTI_PLACE_CYCLES ? NTI_SLOT_CYCLES : p->slot,
			   value);
	}
}

static void mp_read(struct ntime_derive *d, struct nti_derive_device *dev,
		    const struct nti_derive_place *p, uint32_t value)
{
	struct nti_derive_mp *mp = mp_of(d, dev, p->instance);
	unsigned int word = p->slot / 4;

	if (!mp)
		return;
	if (!mp->read[word])
		mp->read[word] = calloc(1, sizeof(*mp->read[word]));
	if (!mp->read[word]) {
		d->failed = true;
		return;
	}
	counter_read(dev);
	note_read(&dev->mps, (size_t)(mp - dev->mp), &mp->is_read);
	tally_add(mp->read[word], value);
}

static void other_read(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t address,
		       uint32_t value)
{
	struct nti_derive_reg *reg;

	if (!d->list_number &&
	    !nti_derive_place_is_routing(address, dev->may_be_tesla, dev->may_be_later))
		return;
	reg = reg_of(d, dev, address);
	if (!reg || (reg->known == 0xffffffff && reg->value == value))
		return;
	if (reg->epoch || is_known_mux(dev, address))
		settle(d, dev);
	/*
	 * What the hardware answers counts more than what was written; in its own set-up that is an
	 * answer, later it is another value. Nothing wrote that: a fresh context, a reset. It is as
	 * if the trace began here.
	 */
	if (reg->epoch && (reg->value ^ value) & reg->known &&
	    (dev->is_reading ? reg->epoch <= dev->epoch : reg->epoch < dev->epoch)) {
		reg->base = value;
		reg->base_known = 0xffffffff;
		reg->epoch = 0;
	}
	reg->value = value;
	reg->known = 0xffffffff;
}

static void boot0_read(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t value)
{
	uint64_t chips = nti_derive_chip_boot0(value);

	if (!chips || dev->is_told)
		return;
	if (dev->chips != chips)
		settle(d, dev);
	nti_derive_set_chips(dev, chips);
	dev->is_told = true;
}

static void units_read(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t value)
{
	uint64_t chips;

	if (!dev->may_be_tesla)
		return;
	chips = nti_derive_chips_units(dev->chips, value);
	if (!dev->is_told && dev->chips & chips && dev->chips & ~chips)
		settle(d, dev);
	dev->units = value;
	dev->has_units = true;
	narrow(dev, chips);
}

void nti_derive_read(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t address,
		     uint32_t value)
{
	struct nti_derive_place p =
		nti_derive_place_of(address, dev->may_be_tesla, dev->may_be_later);

	switch (p.kind) {
	case NTI_PLACE_BOOT0:
		boot0_read(d, dev, value);
		break;
	case NTI_PLACE_UNITS:
		units_read(d, dev, value);
		break;
	case NTI_PLACE_SRC:
	case NTI_PLACE_OP:
	case NTI_PLACE_SETFLAG:
	case NTI_PLACE_CLRFLAG:
	case NTI_PLACE_CTRL:
	case NTI_PLACE_COUNTER:
	case NTI_PLACE_CYCLES:
		domain_read(d, dev, &p, value);
		break;
	case NTI_PLACE_MP_COUNTER:
		mp_read(d, dev, &p, value);
		break;
	case NTI_PLACE_OTHER:
		other_read(d, dev, address, value);
		break;
	default:
		break;
	}
}

static void domain_rows(struct ntime_derive *d, struct nti_derive_device *dev,
			struct nti_derive_domain *dom, uint32_t window)
{
	bool has_event = false;

	end_reads(dom);
	/* In the order in which drivers name the slots. */
	for (unsigned int slot = 0; slot < NTI_SLOTS; slot++)
		if (dom->read[slot].n)
			has_event |= nti_derive_row_add(d, dev, dom, slot, window);
	if (!has_event && dom->read[NTI_SLOT_CYCLES].n)
		nti_derive_row_add(d, dev, dom, NTI_SLOT_CYCLES, window);
	memset(dom->read, 0, sizeof(dom->read));
	dom->flags = 0;
	dom->is_read = false;
}

void nti_derive_window_end(struct ntime_derive *d, struct nti_derive_device *dev)
{
	if (!dev->is_reading || dev->is_settled)
		return;
	d->counts.windows++;
	nti_derive_units_sort(&dev->domains);
	d->looked += dev->domains.reads;
	for (size_t i = 0; i < dev->domains.reads; i++)
		domain_rows(d, dev, &dev->domain[dev->domains.read[i]], d->counts.windows);
	dev->domains.reads = 0;
	nti_derive_mp_rows(d, dev, d->counts.windows);
}
