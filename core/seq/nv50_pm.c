// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The order of accesses that counts with PCOUNTER. Registers: core/regs/nv50_pcounter.c.
 *
 * A domain counts always; what changes is when a period ends. In QUAD mode a pulse of the signal
 * that SWAP selects moves all counts to where they can be read and begins anew. QUAD_STATE says
 * how many periods ended since they were acknowledged: EMPTY, VALID, OVERFLOW. So each period ends
 * with EMPTY becoming VALID, and OVERFLOW is somebody else's trigger (envytools' documentation of
 * PCOUNTER; trust: documented). A pulse crosses clocks: one has to wait for it.
 *
 * A write of PRE_OP acts: in SINGLE mode it starts a run, from G84 on it ends a period of QUAD
 * mode. So it is written only where CTRL is known to say QUAD, and CTRL is put back last.
 */
#include "core/seq/nv50_pm.h"

#define BOOT_0 0x0u
#define DEBUG_1 0x400084u
#define DEBUG_1_PM_TRIGGER 0x20u

/* Of domain 0. */
#define PRE_SRC 0xa400u
#define PRE_OP 0xa420u
#define SPEC_SRC 0xa560u
#define CTR_CYCLES 0xa600u
#define CTR_EVENT 0xa680u
#define CTR_START 0xa6c0u
#define CTR_PRE 0xa700u
#define CTR_STOP 0xa740u
#define CTRL 0xa7c0u
#define QUAD_ACK_TRIGGER 0xa7e0u
#define DOMAIN_STEP 4u
#define SLOT_STEP 0x40u /* from PRE_SRC to START_SRC and so on; not of counters */

#define OP_FUNC 0xffffu /* as a truth table: always 1 */
#define SPEC_SRC_SWAP 0xffu
#define CTRL_MODE 0x3u
#define CTRL_MODE_QUAD 0x1u
#define CTRL_CTR_MODE 0x70u
#define CTRL_CTR_MODE_SHIFT 4
#define CTRL_QUAD_STATE_SHIFT 24
#define CTRL_STATES 0x33000000u /* QUAD_STATE and SINGLE_STATE: read only */
#define CTRL_FAULT_CLEAR 0x08000000u
#define CTRL_QUIET (~(CTRL_STATES | CTRL_FAULT_CLEAR)) /* writing the others does nothing now */

#define UNIT_IS_ROP 0x10u
#define ROPS 8u	  /* that UNITS has bits for, at most */
#define SHADER 3u /* the domain whose wires come in groups */

enum { QUAD_EMPTY = 0, QUAD_VALID = 1, QUAD_OVERFLOW = 3 };

/* PM_TRIGGER in a domain's trailer, counted from its end. */
#define TRIGGER_FROM_LAST 0x10u

#define GONE 0xffffffffu /* what reads give where no card answers; a counter that is full, too */

/* Of several steps that are all taken, the first error counts. */
static int first(int before, int now)
{
	return before ? before : now;
}

/* ---- registers ---- */

static int get(const struct nthw_nv50_pm *pm, uint32_t address, uint32_t *value)
{
	uint64_t now = 0;
	int ret = pm->io->read(pm->io, NTHW_SPACE_MMIO, pm->unit, address, &now);

	if (!ret)
		*value = (uint32_t)now;
	return ret;
}

/* One that never reads as all ones while the card is there. */
static int get_present(const struct nthw_nv50_pm *pm, uint32_t address, uint32_t *value)
{
	int ret = get(pm, address, value);

	return !ret && *value == GONE ? NTHW_EIO : ret;
}

static int put(const struct nthw_nv50_pm *pm, uint32_t address, uint32_t value)
{
	return pm->io->write(pm->io, NTHW_SPACE_MMIO, pm->unit, address, value);
}

static uint32_t at(uint32_t address, uint32_t domain)
{
	return address + DOMAIN_STEP * domain;
}

static uint32_t src_at(uint32_t domain, uint32_t slot)
{
	return at(PRE_SRC, domain) + SLOT_STEP * slot;
}

static uint32_t op_at(uint32_t domain, uint32_t slot)
{
	return at(PRE_OP, domain) + SLOT_STEP * slot;
}

/* Counters are not in the order of slots. */
static uint32_t counter_at(uint32_t counter)
{
	static const uint32_t counters[NTHW_NV50_SLOTS] = { CTR_PRE, CTR_START, CTR_EVENT,
							    CTR_STOP };

	if (counter >= NTHW_NV50_CLOCKS)
		return at(CTR_CYCLES, counter - NTHW_NV50_CLOCKS);
	return at(counters[counter % NTHW_NV50_SLOTS], counter / NTHW_NV50_SLOTS);
}

static bool has_spec(const struct nthw_nv50_pm *pm)
{
	return pm->chip->family != NTHW_NV_G80;
}

/* Does the register hold @ours in @bits, as far as these keep what is written? */
static int compare_bits(const struct nthw_nv50_pm *pm, uint32_t address, uint32_t ours,
			uint32_t bits, bool *is_same)
{
	uint32_t now, index;
	const struct nthw_reg *reg = nthw_nv_reg_at(pm->chip, address, &index);
	int ret = get(pm, address, &now);

	if (!ret)
		*is_same = !((now ^ ours) & bits & (reg ? nthw_reg_stored(reg) : GONE));
	return ret;
}

static int compare(const struct nthw_nv50_pm *pm, uint32_t address, uint32_t ours, bool *is_same)
{
	return compare_bits(pm, address, ours, GONE, is_same);
}

static int put_kept(const struct nthw_nv50_pm *pm, uint32_t address, uint32_t value)
{
	bool is_same = false;
	int ret = put(pm, address, value);

	if (!ret)
		ret = compare(pm, address, value, &is_same);
	return !ret && !is_same ? NTHW_EIO : ret;
}

/* ---- sets of counters ---- */

static uint64_t counter_bit(uint32_t domain, uint32_t slot)
{
	return (uint64_t)1 << (NTHW_NV50_SLOTS * domain + slot);
}

static uint64_t slots_of(uint32_t domain)
{
	return (uint64_t)0xf << (NTHW_NV50_SLOTS * domain);
}

static uint64_t clocks_of(uint32_t domain)
{
	return (uint64_t)1 << (NTHW_NV50_CLOCKS + domain);
}

static uint64_t counters_of(uint32_t domain)
{
	return slots_of(domain) | clocks_of(domain);
}

/* Counters of the domain that are ours still. */
static uint64_t ours_in(const struct nthw_nv50_state *state, uint32_t domain)
{
	return state->counters & ~state->foreign & counters_of(domain);
}

static bool is_all_foreign(const struct nthw_nv50_state *state, uint32_t domain)
{
	return state->counters & counters_of(domain) && !ours_in(state, domain);
}

/* ---- what there is ---- */

static bool has_domain(const struct nthw_nv_chip *chip, uint32_t domain)
{
	return domain < NTHW_NV_DOMAINS && chip->last[domain];
}

static bool are_signals(const struct nthw_nv_chip *chip, uint32_t domain, uint64_t signals)
{
	uint32_t shift;

	for (shift = 0; shift < 32; shift += 8)
		if ((signals >> shift & 0xff) > chip->last[domain])
			return false;
	return true;
}

static int take_mux(const struct nthw_nv_chip *chip, uint32_t i, uint32_t words,
		    struct nthw_nv50_event *event)
{
	uint32_t mux = words & 0x1f, select = words >> 5;

	if (mux > NTHW_NV_TEX2)
		return NTHW_ENOTSUP;
	if (select & ~nthw_nv_muxes[mux].mask[chip->family] ||
	    (mux && !nthw_nv_muxes[mux].address[chip->family]) ||
	    (i && mux && mux == event->mux[0]))
		return NTHW_EINVAL;
	event->mux[i] = mux;
	event->select[i] = select;
	return 0;
}

/* Groups that have one of these signals. */
static uint32_t led_by(uint32_t signals)
{
	uint32_t shift, out = 0;

	for (shift = 0; shift < 32; shift += 8)
		if ((signals >> shift & 0xff) < 16)
			out |= (uint32_t)1 << (signals >> shift & 0xff) / 4;
	return out;
}

static bool wants(const struct nthw_nv50_event *event, uint32_t number, uint32_t *select)
{
	uint32_t i;

	for (i = 0; i < NTHW_NV50_MUXES; i++)
		if (event->mux[i] && event->mux[i] == number) {
			*select = event->select[i];
			return true;
		}
	*select = 0;
	if (number == NTHW_NV_MPC_OUT)
		return event->led;
	i = number - NTHW_NV_GROUP;
	if (number < NTHW_NV_GROUP || !(event->led >> i & 1))
		return false;
	*select = event->groups & (uint32_t)0xff << 8 * i;
	return true;
}

bool nthw_nv50_wants(const struct nthw_nv50_event *event, uint32_t number, uint32_t *select,
		     uint32_t *unit)
{
	*unit = nthw_nv_muxes[number].units == event->kind ? event->unit : 0;
	return wants(event, number, select);
}

/* Bits 59 to 63 of the words: of a kind that the event has a multiplexer of. */
static int take_unit(uint32_t bits, struct nthw_nv50_event *event)
{
	uint32_t number, select;

	if (!bits)
		return 0;
	event->kind = bits & UNIT_IS_ROP ? NTHW_NV_ROP : NTHW_NV_TPC;
	event->unit = bits & ~UNIT_IS_ROP;
	if (!event->unit || (event->kind == NTHW_NV_ROP && event->unit > ROPS))
		return NTHW_EINVAL;
	for (number = 1; number < NTHW_NV_MUXES; number++)
		if (nthw_nv_muxes[number].units == event->kind && wants(event, number, &select))
			return 0;
	return NTHW_EINVAL;
}

#define SLOT_BITS ((uint64_t)0x1f << 59 | (uint64_t)7 << 56 | (uint64_t)0xf << 32 | 0xff)

/* The words of a slot. Nobody knows any on G80. */
static int encode_slot(const struct nthw_nv_chip *chip, uint64_t config, uint64_t others,
		       struct nthw_nv50_event *out)
{
	uint32_t mps = (uint32_t)chip->tpcs * chip->mps;

	out->is_slot = 1;
	out->slot.signal = config & 0xff;
	out->slot.unit = config >> 32 & 7;
	out->slot.is_pulse = config >> 35 & 1;
	out->unit = (uint32_t)(config >> 59);
	return config & ~SLOT_BITS || others || chip->family == NTHW_NV_G80 || out->unit > mps
		       ? NTHW_EINVAL
		       : 0;
}

int nthw_nv50_encode(const struct nthw_nv_chip *chip, uint64_t config, uint64_t config1,
		     uint64_t config2, struct nthw_nv50_event *event)
{
	struct nthw_nv50_event out;
	uint32_t i, domain = config >> 53 & 7, mode = nthw_nv50_mode(config);
	int ret = 0;

	memset(&out, 0, sizeof(out));
	out.domain = domain;
	if (mode == NTHW_NV50_MODE_CLOCKS) {
		if (config & ~((uint64_t)0x3f << 53) || config1 || config2 ||
		    !has_domain(chip, domain))
			return NTHW_EINVAL;
		out.is_clocks = 1;
		*event = out;
		return 0;
	}
	if (mode == NTHW_NV50_MODE_SLOT) {
		out.domain = 0;
		ret = encode_slot(chip, config, config1 | config2, &out);
		if (!ret)
			*event = out;
		return ret;
	}
	if (mode >= NTHW_NV50_MODES || config >> 48 & 0x1f)
		return NTHW_ENOTSUP;
	if ((config1 >> 32 && domain != SHADER) ||
	    ((uint32_t)config1 && mode == NTHW_NV50_SIMPLE) || !has_domain(chip, domain) ||
	    !are_signals(chip, domain, config) || !are_signals(chip, domain, config1))
		return NTHW_EINVAL;
	for (i = 0; !ret && i < NTHW_NV50_MUXES; i++)
		ret = take_mux(chip, i, (uint32_t)(config2 >> 32 * i), &out);
	if (ret)
		return ret;
	out.src = (uint32_t)config;
	out.function = config >> 32 & OP_FUNC;
	out.mode = mode;
	out.amount = (uint32_t)config1;
	if (domain == SHADER) {
		out.groups = (uint32_t)(config1 >> 32);
		out.led = led_by(out.src) | (out.mode ? led_by(out.amount) : 0);
	}
	ret = take_unit((uint32_t)(config >> 59), &out);
	if (!ret)
		*event = out;
	return ret;
}

uint64_t nthw_nv50_counters(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event)
{
	if (event->is_slot)
		return (1u << NTHW_NV_MP_SLOTS) - 1;
	if (!has_domain(chip, event->domain))
		return 0;
	if (event->is_clocks)
		return clocks_of(event->domain);
	return event->mode ? counter_bit(event->domain, NTHW_NV50_EVENT) : slots_of(event->domain);
}

uint64_t nthw_nv50_also(const struct nthw_nv50_event *event)
{
	return event->mode ? counter_bit(event->domain, NTHW_NV50_START) : 0;
}

bool nthw_nv50_can_share(const struct nthw_nv50_event *a, const struct nthw_nv50_event *b)
{
	uint32_t i, of_a, of_b, in_a, in_b;

	for (i = 1; i < NTHW_NV_MUXES; i++)
		if (nthw_nv50_wants(a, i, &of_a, &in_a) && nthw_nv50_wants(b, i, &of_b, &in_b) &&
		    (of_a != of_b || in_a != in_b))
			return false;
	return true;
}

/* From G200 on each MP has twenty groups, from this one on; before, MP 0 and 1 share some. */
#define NEW_MP_GROUP 0x14u

uint32_t nthw_nv50_mps(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event)
{
	bool is_new = chip->family >= NTHW_NV_G200;
	uint32_t i, mps = 0;

	for (i = 0; i < 4; i++) {
		uint32_t group = event->groups >> 8 * i & 0xff;

		if (!(event->led >> i & 1))
			continue;
		if (is_new && group >= NEW_MP_GROUP && group < 5 * NEW_MP_GROUP)
			mps |= (uint32_t)1 << (group / NEW_MP_GROUP - 1);
		else if (!is_new && group < 2)
			mps |= (uint32_t)1 << group;
		else if (!is_new && (group == 3 || group == 4))
			mps |= 3;
	}
	return mps;
}

uint32_t nthw_nv50_missing(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event,
			   uint32_t units)
{
	uint32_t mps = nthw_nv50_mps(chip, event), i, select, unit;

	if (event->is_slot && event->unit)
		return nthw_nv_all_mps(chip, nthw_nv_units_of(chip, NTHW_NV_TPC, units),
				       nthw_nv_units_of(chip, NTHW_NV_MP, units)) >>
					       (event->unit - 1) &
				       1
			       ? NTHW_NV_GRAPH
			       : NTHW_NV_MP;
	if (mps && !(mps & nthw_nv_units_of(chip, NTHW_NV_MP, units)))
		return NTHW_NV_MP;
	for (i = 1; i < NTHW_NV_MUXES; i++) {
		uint32_t kind = nthw_nv_muxes[i].units, there = nthw_nv_units_of(chip, kind, units);

		if (nthw_nv50_wants(event, i, &select, &unit) &&
		    (!there || (unit && !(there >> (unit - 1) & 1))))
			return kind;
	}
	return NTHW_NV_GRAPH;
}

bool nthw_nv50_shows_slots(const struct nthw_nv_chip *chip, const struct nthw_nv50_event *event)
{
	uint32_t i;

	for (i = 0; i < 4; i++) {
		uint32_t group = event->groups >> 8 * i & 0xff;

		if (event->led >> i & 1 &&
		    (chip->family >= NTHW_NV_G200 ? group && group % NEW_MP_GROUP == 0 &&
							    group / NEW_MP_GROUP <= chip->mps
						  : group < 2))
			return true;
	}
	return false;
}

/*
 * No domain of these chips is known to run above 2.0 GHz; with 2.5 a counter of clocks is full
 * after 1.7 s (a guess to the safe side).
 */
#define EVENTS_PER_US 2500u
#define HORIZON_NS (((uint64_t)1 << 32) * 1000u / EVENTS_PER_US)

uint64_t nthw_nv50_horizon_ns(const struct nthw_nv50_event *event)
{
	/* What it adds in a clock at most: 1, 15, 63. */
	static const uint64_t horizon[NTHW_NV50_MODES] = { HORIZON_NS, HORIZON_NS / 15,
							   HORIZON_NS / 63 };

	return horizon[event->mode];
}

uint64_t nthw_nv50_all(const struct nthw_nv_chip *chip)
{
	uint64_t all = 0;
	uint32_t d;

	for (d = 0; d < NTHW_NV_DOMAINS; d++)
		if (has_domain(chip, d))
			all |= counters_of(d);
	return all;
}

const struct nthw_reg *nthw_nv50_counter(const struct nthw_nv_chip *chip, uint32_t counter,
					 uint32_t *index)
{
	return nthw_nv_reg_at(chip, counter_at(counter), index);
}

int nthw_nv50_identify(const struct nthw_nv50_pm *pm)
{
	uint32_t boot;
	int ret = get_present(pm, BOOT_0, &boot);

	if (ret)
		return ret;
	return nthw_nv_chip_by_boot(boot) == pm->chip ? 0 : NTHW_ENOTSUP;
}

/* ---- periods ---- */

static int get_quad(const struct nthw_nv50_pm *pm, uint32_t domain, uint32_t *quad)
{
	uint32_t ctrl;
	int ret = get_present(pm, at(CTRL, domain), &ctrl);

	if (!ret)
		*quad = ctrl >> CTRL_QUAD_STATE_SHIFT & QUAD_OVERFLOW;
	return ret;
}

static int acknowledge(const struct nthw_nv50_pm *pm, uint32_t domain, uint32_t quad)
{
	int ret = 0;

	if (quad != QUAD_EMPTY)
		ret = put(pm, at(QUAD_ACK_TRIGGER, domain), 1);
	if (!ret && quad > QUAD_VALID)
		ret = put(pm, at(QUAD_ACK_TRIGGER, domain), 1);
	return ret;
}

/* Acknowledge until nothing is left; *@quad is EMPTY then, else the domain does not listen. */
static int drain(const struct nthw_nv50_pm *pm, uint32_t domain, uint32_t *quad)
{
	uint32_t i;
	int ret = get_quad(pm, domain, quad);

	for (i = 1; !ret && *quad != QUAD_EMPTY && i < NTHW_NV50_WAIT; i++) {
		ret = acknowledge(pm, domain, *quad);
		if (!ret)
			ret = get_quad(pm, domain, quad);
	}
	return ret;
}

static int stuck(uint32_t domain, struct nthw_nv50_state *state)
{
	state->stuck |= (uint32_t)1 << domain;
	return NTHW_ETIMEDOUT;
}

static int drain_or_stuck(const struct nthw_nv50_pm *pm, uint32_t domain,
			  struct nthw_nv50_state *state)
{
	uint32_t quad = QUAD_EMPTY;
	int ret = drain(pm, domain, &quad);

	return !ret && quad != QUAD_EMPTY ? stuck(domain, state) : ret;
}

/* Until the trigger has come over; never EMPTY after success. */
static int wait_for_period(const struct nthw_nv50_pm *pm, uint32_t domain,
			   struct nthw_nv50_state *state, uint32_t *quad)
{
	uint32_t i;
	int ret = 0;

	*quad = QUAD_EMPTY;
	for (i = 0; !ret && *quad == QUAD_EMPTY && i < NTHW_NV50_WAIT; i++)
		ret = get_quad(pm, domain, quad);
	return !ret && *quad == QUAD_EMPTY ? stuck(domain, state) : ret;
}

/* Whether all other bits read as 0 is not known on every chip: they are written as they are. */
static int trigger(const struct nthw_nv50_pm *pm)
{
	uint32_t now;
	int ret = get_present(pm, DEBUG_1, &now);

	return ret ? ret : put(pm, DEBUG_1, now | DEBUG_1_PM_TRIGGER);
}

static int begin_domain(const struct nthw_nv50_pm *pm, uint32_t domain,
			struct nthw_nv50_state *state)
{
	uint32_t quad;
	int ret = wait_for_period(pm, domain, state, &quad);

	return ret ? ret : drain_or_stuck(pm, domain, state);
}

int nthw_nv50_begin(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state)
{
	uint32_t d, used = 0;
	int ret = 0;

	state->stuck = 0;
	for (d = 0; d < NTHW_NV_DOMAINS; d++)
		if (ours_in(state, d)) {
			used |= (uint32_t)1 << d;
			ret = first(ret, drain_or_stuck(pm, d, state));
		}
	if (!ret && used)
		ret = trigger(pm);
	if (ret)
		return ret;
	/* on to the last, so that .stuck has all of them */
	for (d = 0; d < NTHW_NV_DOMAINS; d++)
		if (used >> d & 1)
			ret = first(ret, begin_domain(pm, d, state));
	return ret;
}

/* Those of one domain. */
static int read_counters(const struct nthw_nv50_pm *pm, uint32_t domain, uint64_t counters,
			 struct nthw_nv50_period *period)
{
	uint32_t slot, counter;
	int ret = 0;

	for (slot = 0; !ret && slot <= NTHW_NV50_SLOTS; slot++) {
		counter = slot < NTHW_NV50_SLOTS ? NTHW_NV50_SLOTS * domain + slot
						 : NTHW_NV50_CLOCKS + domain;
		if (!(counters >> counter & 1))
			continue;
		ret = get(pm, counter_at(counter), &period->count[counter]);
		if (period->count[counter] == GONE)
			period->unsure |= (uint64_t)1 << counter;
	}
	return ret;
}

/*
 * Two periods that ended: what is read is of the later one, or, if that ended while it was read, of
 * both.
 */
static int end_domain(const struct nthw_nv50_pm *pm, uint32_t domain, struct nthw_nv50_state *state,
		      struct nthw_nv50_period *period)
{
	uint64_t counters = ours_in(state, domain);
	uint32_t before, quad;
	int ret = wait_for_period(pm, domain, state, &before);

	if (!ret)
		ret = read_counters(pm, domain, counters, period);
	if (!ret)
		ret = get_quad(pm, domain, &quad);
	if (ret)
		return ret;
	if (before > QUAD_VALID || quad > QUAD_VALID)
		period->unsure |= counters;
	return acknowledge(pm, domain, quad);
}

int nthw_nv50_end(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state,
		  struct nthw_nv50_period *period)
{
	struct nthw_nv50_period now;
	uint32_t d;
	int ret = 0;

	memset(&now, 0, sizeof(now));
	state->stuck = 0;
	if (state->counters & ~state->foreign)
		ret = trigger(pm);
	if (ret)
		return ret;
	for (d = 0; d < NTHW_NV_DOMAINS; d++)
		if (ours_in(state, d))
			ret = first(ret, end_domain(pm, d, state, &now));
	if (!ret)
		*period = now;
	return ret;
}

/* ---- giving back ---- */

static int give_counter_back(const struct nthw_nv50_pm *pm, uint32_t domain, uint32_t slot,
			     struct nthw_nv50_state *state)
{
	const struct nthw_nv50_domain_state *found = &state->domain[domain];
	int ret = put(pm, src_at(domain, slot), found->src[slot]);

	ret = first(ret, put(pm, op_at(domain, slot), found->op[slot]));
	if (!ret) {
		state->counters &= ~counter_bit(domain, slot);
		state->spoilt &= ~counter_bit(domain, slot);
	}
	return ret;
}

static uint32_t mux_at(const struct nthw_nv50_pm *pm, uint32_t mux, uint32_t unit)
{
	const struct nthw_nv_mux_row *row = &nthw_nv_muxes[mux];

	return row->address[pm->chip->family] + row->step[pm->chip->family] * unit;
}

/* What of its register is ours to change. */
static uint32_t bits_of(const struct nthw_nv50_pm *pm, uint32_t mux)
{
	const struct nthw_nv_mux_row *row = &nthw_nv_muxes[mux];

	return row->is_part ? row->mask[pm->chip->family] : GONE;
}

/*
 * Other bits of the register than those of @mux stay as they are. One of several parts may be all
 * ones: that the card is there UNITS has told.
 */
static int put_part(const struct nthw_nv50_pm *pm, uint32_t mux, uint32_t unit, uint32_t *value)
{
	uint32_t bits = bits_of(pm, mux), now = 0;
	int ret = 0;

	if (bits != GONE) {
		ret = get(pm, mux_at(pm, mux, unit), &now);
		*value = (*value & bits) | (now & ~bits);
	}
	return ret ? ret : put(pm, mux_at(pm, mux, unit), *value);
}

/* All of its units are written; the first error counts. */
static int give_mux_back(const struct nthw_nv50_pm *pm, uint32_t mux,
			 const struct nthw_nv50_mux_state *s)
{
	uint32_t unit, value;
	int ret = 0;

	for (unit = 0; unit < NTHW_NV_UNITS_MAX; unit++) {
		value = s->found[unit];
		if (s->units >> unit & 1)
			ret = first(ret, put_part(pm, mux, unit, &value));
	}
	return ret;
}

/* @counters need multiplexers no longer: those that nobody else needs are given back. */
static int leave_muxes(const struct nthw_nv50_pm *pm, uint32_t counters,
		       struct nthw_nv50_state *state)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < NTHW_NV_MUXES; i++) {
		struct nthw_nv50_mux_state *mux = &state->mux[i];
		int now = 0;

		if (mux->counters && !(mux->counters & ~counters))
			now = give_mux_back(pm, i, mux);
		if (!now)
			mux->counters &= ~counters;
		ret = first(ret, now);
	}
	return ret;
}

/*
 * CTRL waits while a counter could not be given back: trying again would write PRE_OP in what may
 * be SINGLE mode. A domain that does not take the acknowledgement is no error, as QUAD_STATE is
 * nothing that could be given back.
 */
static int give_registers_back(const struct nthw_nv50_pm *pm, uint32_t domain,
			       struct nthw_nv50_state *state)
{
	const struct nthw_nv50_domain_state *found = &state->domain[domain];
	uint32_t quad;
	int ret = 0;

	if (has_spec(pm))
		ret = put(pm, at(SPEC_SRC, domain), found->spec);
	ret = first(ret, drain(pm, domain, &quad));
	if (ours_in(state, domain))
		return ret;
	ret = first(ret, put(pm, at(CTRL, domain), found->ctrl & CTRL_QUIET));
	if (!ret)
		state->saved &= ~((uint32_t)1 << domain);
	return ret;
}

/* Counters @set of the domain, and its own registers when no other counter of ours needs them. */
static int give_back(const struct nthw_nv50_pm *pm, uint32_t domain, uint64_t set,
		     struct nthw_nv50_state *state)
{
	static const uint32_t order[NTHW_NV50_SLOTS] = { NTHW_NV50_START, NTHW_NV50_EVENT,
							 NTHW_NV50_STOP, NTHW_NV50_PRE };
	uint32_t i;
	int ret = 0;

	state->counters &= ~(set & clocks_of(domain));
	for (i = 0; i < NTHW_NV50_SLOTS; i++)
		if (ours_in(state, domain) & set & counter_bit(domain, order[i]))
			ret = first(ret, give_counter_back(pm, domain, order[i], state));
	if (!(state->counters & counter_bit(domain, NTHW_NV50_START)))
		state->sums &= ~((uint32_t)1 << domain);
	if (state->saved >> domain & 1 && !(ours_in(state, domain) & ~set))
		ret = first(ret, give_registers_back(pm, domain, state));
	return ret;
}

/* Nothing of it is ours any more: what it has is somebody else's. */
static void forget_foreign(uint32_t domain, struct nthw_nv50_state *state)
{
	if (is_all_foreign(state, domain))
		state->saved &= ~((uint32_t)1 << domain);
	state->counters &= ~(state->foreign & counters_of(domain));
	state->foreign &= ~counters_of(domain);
}

int nthw_nv50_restore(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state)
{
	uint32_t d;
	int ret = 0;

	for (d = 0; d < NTHW_NV_DOMAINS; d++) {
		forget_foreign(d, state);
		ret = first(ret, give_back(pm, d, counters_of(d), state));
	}
	ret = first(ret, leave_muxes(pm, ~(uint32_t)state->counters, state));
	if (!ret)
		memset(state, 0, sizeof(*state));
	return ret;
}

/* ---- programming ---- */

static int keep_domain(const struct nthw_nv50_pm *pm, uint32_t domain,
		       struct nthw_nv50_state *state)
{
	struct nthw_nv50_domain_state *found = &state->domain[domain];
	int ret;

	if (state->saved >> domain & 1)
		return 0;
	ret = get_present(pm, at(CTRL, domain), &found->ctrl);
	if (!ret && has_spec(pm))
		ret = get(pm, at(SPEC_SRC, domain), &found->spec);
	return ret;
}

static int keep_counter(const struct nthw_nv50_pm *pm, uint32_t domain, uint32_t slot,
			struct nthw_nv50_state *state)
{
	struct nthw_nv50_domain_state *found = &state->domain[domain];
	int ret;

	if (state->counters & counter_bit(domain, slot))
		return 0;
	ret = get(pm, src_at(domain, slot), &found->src[slot]);
	return ret ? ret : get(pm, op_at(domain, slot), &found->op[slot]);
}

/*
 * With every counter: a domain that was half given back is set up again. The counter mode is that
 * of its sum.
 */
static int put_domain(const struct nthw_nv50_pm *pm, const struct nthw_nv50_event *event,
		      struct nthw_nv50_state *state)
{
	uint32_t domain = event->domain, mode = event->mode << CTRL_CTR_MODE_SHIFT;
	struct nthw_nv50_domain_state *s = &state->domain[domain];
	uint32_t signal = pm->chip->last[domain] - TRIGGER_FROM_LAST;
	int ret = 0;

	if (!event->mode && state->sums >> domain & 1)
		mode = s->ctrl_ours & CTRL_CTR_MODE;
	s->spec_ours = (s->spec & ~SPEC_SRC_SWAP) | signal;
	s->ctrl_ours =
		(s->ctrl & CTRL_QUIET & ~(CTRL_MODE | CTRL_CTR_MODE)) | CTRL_MODE_QUAD | mode;
	state->saved |= (uint32_t)1 << domain;
	if (has_spec(pm))
		ret = put_kept(pm, at(SPEC_SRC, domain), s->spec_ours);
	return ret ? ret : put_kept(pm, at(CTRL, domain), s->ctrl_ours);
}

static int put_slot(const struct nthw_nv50_pm *pm, uint32_t domain, uint32_t slot, uint32_t src,
		    uint32_t function, struct nthw_nv50_state *state)
{
	struct nthw_nv50_domain_state *s = &state->domain[domain];
	int ret;

	s->src_ours[slot] = src;
	s->op_ours[slot] = function & OP_FUNC;
	state->counters |= counter_bit(domain, slot);
	state->spoilt &= ~counter_bit(domain, slot);
	ret = put_kept(pm, src_at(domain, slot), s->src_ours[slot]);
	return ret ? ret : put_kept(pm, op_at(domain, slot), s->op_ours[slot]);
}

static int put_counter(const struct nthw_nv50_pm *pm, uint32_t slot,
		       const struct nthw_nv50_event *event, struct nthw_nv50_state *state)
{
	uint32_t domain = event->domain;
	int ret = 0;

	if (event->mode) {
		state->sums |= (uint32_t)1 << domain;
		ret = put_slot(pm, domain, NTHW_NV50_START, event->amount, OP_FUNC, state);
	}
	return ret ? ret : put_slot(pm, domain, slot, event->src, event->function, state);
}

/* Is the counter, or what else @event needs, taken by an event beside it? */
static bool is_taken(uint32_t slot, const struct nthw_nv50_event *event,
		     const struct nthw_nv50_state *state)
{
	bool has_sum = state->sums >> event->domain & 1;

	if (event->mode)
		return !has_sum && state->counters & nthw_nv50_also(event);
	return has_sum && slot == NTHW_NV50_START;
}

/* A sum that gives way to something else on EVENT needs START no longer. */
static int leave_sum(const struct nthw_nv50_pm *pm, uint32_t slot,
		     const struct nthw_nv50_event *event, struct nthw_nv50_state *state)
{
	uint32_t domain = event->domain;
	int ret;

	if (event->mode || slot != NTHW_NV50_EVENT || !(state->sums >> domain & 1))
		return 0;
	ret = give_counter_back(pm, domain, NTHW_NV50_START, state);
	if (!ret)
		state->sums &= ~((uint32_t)1 << domain);
	return ret;
}

/*
 * Which units have it, what it holds in each, and which one is to lead: @unit - 1, or the first
 * one. Without an enable bit that one suffices.
 */
static int keep_mux(const struct nthw_nv50_pm *pm, uint32_t number, uint32_t unit,
		    struct nthw_nv50_mux_state *mux)
{
	const struct nthw_nv_mux_row *row = &nthw_nv_muxes[number];
	uint32_t units = 0, i;
	int ret = 0;

	if (row->units != NTHW_NV_GRAPH)
		ret = get_present(pm, NTHW_NV_UNITS, &units);
	if (ret)
		return ret;
	units = nthw_nv_units_of(pm->chip, row->units, units);
	if (!units || (unit && !(units >> (unit - 1) & 1)))
		return NTHW_ENOTSUP;
	for (mux->first = 0; !(units >> mux->first & 1); mux->first++)
		;
	mux->leader = unit ? unit - 1 : mux->first;
	mux->units = row->enable ? units : (uint32_t)1 << mux->leader;
	for (i = 0; !ret && i < NTHW_NV_UNITS_MAX; i++)
		if (mux->units >> i & 1)
			ret = row->is_part ? get(pm, mux_at(pm, number, i), &mux->found[i])
					   : get_present(pm, mux_at(pm, number, i), &mux->found[i]);
	return ret;
}

static int put_unit(const struct nthw_nv50_pm *pm, uint32_t number, uint32_t unit, uint32_t *value)
{
	bool is_same = false;
	int ret = put_part(pm, number, unit, value);

	if (!ret)
		ret = compare(pm, mux_at(pm, number, unit), *value, &is_same);
	return !ret && !is_same ? NTHW_EIO : ret;
}

/* One unit leads its wires out, and the others do not. */
static int put_mux(const struct nthw_nv50_pm *pm, uint32_t counter, uint32_t number,
		   uint32_t select, uint32_t unit, struct nthw_nv50_state *state)
{
	const struct nthw_nv_mux_row *row = &nthw_nv_muxes[number];
	struct nthw_nv50_mux_state *mux = &state->mux[number];
	uint32_t bit = (uint32_t)1 << counter, i;
	int ret = 0;

	if (!mux->counters)
		ret = keep_mux(pm, number, unit, mux);
	if (ret)
		return ret;
	if (mux->counters & ~bit &&
	    (mux->select != select || mux->leader != (unit ? unit - 1 : mux->first)))
		return NTHW_EBUSY;
	mux->select = select;
	mux->counters |= bit;
	for (i = 0; !ret && i < NTHW_NV_UNITS_MAX; i++) {
		if (!(mux->units >> i & 1))
			continue;
		mux->ours[i] = mux->found[i] & ~row->enable;
		if (i == mux->leader)
			mux->ours[i] = (mux->found[i] & ~row->mask[pm->chip->family]) | select |
				       row->enable;
		ret = put_unit(pm, number, i, &mux->ours[i]);
	}
	return ret;
}

static int put_muxes(const struct nthw_nv50_pm *pm, uint32_t counter,
		     const struct nthw_nv50_event *event, struct nthw_nv50_state *state)
{
	uint32_t number, select, unit;
	int ret = 0;

	for (number = 1; !ret && number < NTHW_NV_MUXES; number++)
		if (nthw_nv50_wants(event, number, &select, &unit))
			ret = put_mux(pm, counter, number, select, unit, state);
	return ret;
}

/* Clocks are counted whatever the domain's inputs are. */
static int program_clocks(const struct nthw_nv50_pm *pm, const struct nthw_nv50_event *event,
			  struct nthw_nv50_state *state)
{
	int ret = keep_domain(pm, event->domain, state);

	if (ret)
		return ret;
	ret = put_domain(pm, event, state);
	state->counters |= clocks_of(event->domain);
	if (ret)
		give_back(pm, event->domain, clocks_of(event->domain), state);
	return ret;
}

int nthw_nv50_program(const struct nthw_nv50_pm *pm, uint32_t counter,
		      const struct nthw_nv50_event *event, struct nthw_nv50_state *state)
{
	uint32_t domain = event->domain, slot = counter % NTHW_NV50_SLOTS;
	int ret;

	if (counter >= NTHW_NV50_COUNTERS || event->is_slot ||
	    !(nthw_nv50_counters(pm->chip, event) >> counter & 1))
		return NTHW_EINVAL;
	if (state->foreign >> counter & 1 || state->foreign & nthw_nv50_also(event) ||
	    is_all_foreign(state, domain))
		return NTHW_EBUSY;
	if (event->is_clocks)
		return program_clocks(pm, event, state);
	if (is_taken(slot, event, state))
		return NTHW_EBUSY;
	ret = keep_domain(pm, domain, state);
	if (!ret && event->mode)
		ret = keep_counter(pm, domain, NTHW_NV50_START, state);
	if (!ret)
		ret = keep_counter(pm, domain, slot, state);
	if (!ret)
		ret = leave_muxes(pm, (uint32_t)1 << counter, state);
	if (!ret)
		ret = leave_sum(pm, slot, event, state);
	if (ret)
		return ret;
	ret = put_muxes(pm, counter, event, state);
	if (!ret)
		ret = put_domain(pm, event, state);
	if (!ret)
		ret = put_counter(pm, slot, event, state);
	if (ret) {
		give_back(pm, domain, counter_bit(domain, slot) | nthw_nv50_also(event), state);
		leave_muxes(pm, ~(uint32_t)state->counters, state);
	}
	return ret;
}

/* ---- is it still ours? ---- */

static int check_domain(const struct nthw_nv50_pm *pm, uint32_t domain,
			const struct nthw_nv50_state *state, bool *is_ours)
{
	const struct nthw_nv50_domain_state *s = &state->domain[domain];
	bool is_same = true;
	uint32_t ctrl;
	int ret = get_present(pm, at(CTRL, domain), &ctrl);

	if (!ret && has_spec(pm))
		ret = compare(pm, at(SPEC_SRC, domain), s->spec_ours, &is_same);
	if (!ret)
		*is_ours = is_same && !((ctrl ^ s->ctrl_ours) & (CTRL_MODE | CTRL_CTR_MODE));
	return ret;
}

static int check_counter(const struct nthw_nv50_pm *pm, uint32_t domain, uint32_t slot,
			 const struct nthw_nv50_state *state, uint64_t *lost)
{
	const struct nthw_nv50_domain_state *s = &state->domain[domain];
	bool is_src = true, is_op = true;
	int ret = compare(pm, src_at(domain, slot), s->src_ours[slot], &is_src);

	if (!ret)
		ret = compare(pm, op_at(domain, slot), s->op_ours[slot], &is_op);
	if (!ret && !(is_src && is_op))
		*lost |= counter_bit(domain, slot);
	return ret;
}

static int check_counters(const struct nthw_nv50_pm *pm, uint32_t domain,
			  const struct nthw_nv50_state *state, uint64_t *lost)
{
	bool is_ours = true;
	uint32_t slot;
	int ret = check_domain(pm, domain, state, &is_ours);

	if (!is_ours)
		*lost |= ours_in(state, domain);
	for (slot = 0; !ret && slot < NTHW_NV50_SLOTS; slot++)
		if (ours_in(state, domain) & counter_bit(domain, slot))
			ret = check_counter(pm, domain, slot, state, lost);
	return ret;
}

/* Have all units of the multiplexer what we put there? */
static int check_mux(const struct nthw_nv50_pm *pm, uint32_t number,
		     const struct nthw_nv50_mux_state *mux, bool *is_ours)
{
	uint32_t unit;
	int ret = 0;

	for (unit = 0; !ret && *is_ours && unit < NTHW_NV_UNITS_MAX; unit++)
		if (mux->counters && mux->units >> unit & 1)
			ret = compare_bits(pm, mux_at(pm, number, unit), mux->ours[unit],
					   bits_of(pm, number), is_ours);
	return ret;
}

int nthw_nv50_check(const struct nthw_nv50_pm *pm, struct nthw_nv50_state *state, uint64_t *lost)
{
	uint64_t found = state->foreign, spoilt = state->spoilt;
	uint32_t d, i, moved = 0;
	int ret = 0;

	for (d = 0; !ret && d < NTHW_NV_DOMAINS; d++) {
		if (ours_in(state, d))
			ret = check_counters(pm, d, state, &found);
		if (state->sums >> d & 1 && found & counter_bit(d, NTHW_NV50_START))
			spoilt |= counter_bit(d, NTHW_NV50_EVENT);
	}
	for (i = 0; !ret && i < NTHW_NV_MUXES; i++) {
		bool is_ours = true;

		ret = check_mux(pm, i, &state->mux[i], &is_ours);
		moved |= (uint32_t)!is_ours << i;
	}
	if (ret)
		return ret;
	for (i = 0; i < NTHW_NV_MUXES; i++)
		if (moved >> i & 1) {
			spoilt |= state->mux[i].counters & state->counters;
			state->mux[i].counters = 0;
		}
	state->foreign = found;
	state->spoilt = spoilt;
	*lost = found | spoilt;
	return 0;
}
