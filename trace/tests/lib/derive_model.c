// SPDX-License-Identifier: MIT
/*
 * The model of drivers that count. Registers and orders of accesses: envytools' documentation,
 * nouveau, register operations of NVIDIA's driver.
 */
#include <string.h>

#include "trace/tests/lib/derive_model.h"
#include "base/tests/tt.h"

static const struct dm_tpc tpc_g80 = { 0x1000, 0x330, 0x334, 0x808, 0, false };
static const struct dm_tpc tpc_g84 = { 0x1000, 0x330, 0x334, 0x808, 0x81c, false };
static const struct dm_tpc tpc_g200 = { 0x800, 0x33c, 0x340, 0x508, 0x51c, true };

const struct dm_chip dm_chips[] = {
	{ "G80", 0x05000000, &tpc_g80, 8, 6, { 0, 0xee, 0xee, 0x2e }, 0x40, 0x26 },
	{ "G84", 0x084300a2, &tpc_g84, 2, 2, { 0, 0xec, 0x8c, 0x2c }, 0x1a, 0x66 },
	{ "G96", 0x096000a1, &tpc_g84, 2, 2, { 0, 0xec, 0x8c, 0x2c }, 0x1a, 0x66 },
	{ "G200", 0x0a0200a2, &tpc_g200, 10, 8, { 0, 0xec, 0xec, 0x2c }, 0x32, 0x46 },
	{ "GT215", 0x0a3100a2, &tpc_g200, 4, 2, { 0, 0xec, 0xcc, 0x2c }, 0x3a, 0x46 },
	{ "GT218", 0x0a8c00b1, &tpc_g200, 1, 1, { 0, 0xec, 0xcc, 0x2c }, 0x3a, 0x46 },
};
const unsigned int dm_chip_count = sizeof(dm_chips) / sizeof(dm_chips[0]);

const char *const dm_counters[4] = { "PRE", "START", "EVENT", "STOP" };

bool dm_find_row(const struct ntime_derive *d, unsigned int set, unsigned int slot,
		 struct ntime_derived *out)
{
	*out = (struct ntime_derived){ .size = sizeof(*out) };
	for (size_t i = 0; ntime_derive_get(d, i, out) == 0; i++)
		if (out->set == set && strcmp(out->counter, dm_counters[slot]) == 0 &&
		    strcmp(out->unit, "PCOUNTER") == 0)
			return true;
	return false;
}

uint32_t dm_below(uint64_t *seed, uint32_t n)
{
	return (uint32_t)(tt_random(seed) >> 33) % n;
}

static uint32_t random_mask(uint64_t *seed, unsigned int bits)
{
	uint32_t mask = 0;

	while (!mask)
		mask = dm_below(seed, 1u << bits);
	return mask;
}

/*
 * Signals that a domain may well have: of the shader domain the 16 of the groups, of the others
 * what no multiplexer feeds, often the constant 0.
 */
static uint32_t random_signal(const struct dm_setup *s, unsigned int set, uint64_t *seed)
{
	if (dm_below(seed, 4) == 0)
		return s->chip->zero[set];
	if (set == 3)
		return dm_below(seed, 16);
	if (set == 2 && s->has_tex)
		return s->chip->tex_signal + dm_below(seed, 3);
	if (set == 1 && s->has_vfetch)
		return s->chip->vfetch_signal + dm_below(seed, 26);
	return 0xa0 + dm_below(seed, 8);
}

static uint32_t random_src(const struct dm_setup *s, unsigned int set, uint64_t *seed)
{
	uint32_t src = 0;

	for (unsigned int i = 0; i < 4; i++)
		src |= random_signal(s, set, seed) << 8 * i;
	return src;
}

static void random_domain(struct dm_setup *s, struct dm_domain *d, uint64_t *seed, bool has_sums)
{
	static const uint16_t tables[] = { 0xaaaa, 0xcccc, 0x5555, 0x8888, 0xfefe, 0x22f2,
					   0xf888, 0xeaea, 0x0404, 0x7fff, 0x0001, 0x8080 };
	unsigned int used = 1 + dm_below(seed, 4);

	d->mode = has_sums ? dm_below(seed, 3) : 0;
	d->cycles = 1000000 + dm_below(seed, 1000000);
	for (unsigned int i = 0; i < 4; i++) {
		d->slot[i].is_used = i < used;
		d->slot[i].src = random_src(s, d->set, seed);
		d->slot[i].op =
			dm_below(seed, 2) ? tables[dm_below(seed, 12)] : dm_below(seed, 0x10000);
		d->value[i] = dm_below(seed, 100) == 0 ? 0xffffffff : dm_below(seed, 1000000);
	}
	if (d->mode) {
		/* Sums are in EVENT, their wires in START. */
		d->slot[0].is_used = d->slot[3].is_used = false;
		d->slot[1].is_used = d->slot[2].is_used = true;
		d->slot[1].op = 0xffff;
	}
}

void dm_setup_random(struct dm_setup *s, uint64_t *seed, bool has_sums)
{
	memset(s, 0, sizeof(*s));
	s->chip = &dm_chips[dm_below(seed, dm_chip_count)];
	s->tpc_mask = random_mask(seed, s->chip->tpcs);
	s->part_mask = random_mask(seed, s->chip->parts);
	s->tpc = (unsigned int)__builtin_ctz(s->tpc_mask);
	s->domains = 1 + dm_below(seed, 2);
	s->domain[0].set = 1 + dm_below(seed, 3);
	s->domain[1].set = 1 + (s->domain[0].set + dm_below(seed, 2)) % 3;
	for (unsigned int i = 0; i < s->domains; i++) {
		s->has_groups |= s->domain[i].set == 3;
		s->has_tex |= s->domain[i].set == 2 && dm_below(seed, 2);
		s->has_vfetch |= s->domain[i].set == 1 && dm_below(seed, 2);
	}
	s->groups = (uint32_t)tt_random(seed);
	s->vfetch = dm_below(seed, 3);
	for (unsigned int i = 0; i < s->domains; i++)
		random_domain(s, &s->domain[i], seed, has_sums);
}

static void add(struct dm_trace *t, bool is_write, bool is_context, uint32_t address,
		uint32_t value)
{
	if (t->n < DM_ACCESSES)
		t->a[t->n++] = (struct dm_access){ is_write, is_context, address, value, t->lists };
}

static void rd(struct dm_trace *t, uint32_t address, uint32_t value)
{
	add(t, false, address >= 0x408000, address, value);
}

static void wr(struct dm_trace *t, uint32_t address, uint32_t value)
{
	add(t, true, address >= 0x408000, address, value);
}

static uint32_t tpc(const struct dm_setup *s, unsigned int i, uint32_t offset)
{
	return 0x408000 + i * s->chip->tpc->stride + offset;
}

static uint32_t units(const struct dm_setup *s)
{
	return s->tpc_mask | s->part_mask << 16 |
	       (s->chip->tpc->units_are_new ? 0x30000000 : 0x00c00000);
}

static uint32_t counter(const struct dm_domain *d, unsigned int slot)
{
	static const uint32_t at[] = { 0xa700, 0xa6c0, 0xa680, 0xa740 };

	return at[slot] + d->set * 4;
}

/* Read it in all TPCs there are, enable it in the first, leave it in the others. */
static void cupti_unit(struct dm_trace *t, const struct dm_setup *s, uint32_t offset, uint32_t off,
		       uint32_t on)
{
	for (unsigned int i = 0; i < s->chip->tpcs; i++)
		if (s->tpc_mask >> i & 1)
			rd(t, tpc(s, i, offset), off);
	t->lists++;
	for (unsigned int i = 0; i < s->chip->tpcs; i++)
		if (s->tpc_mask >> i & 1)
			wr(t, tpc(s, i, offset), i == s->tpc ? on : off);
	t->lists++;
}

static void cupti_first(struct dm_trace *t, const struct dm_setup *s, uint32_t offset, uint32_t old,
			uint32_t value)
{
	rd(t, tpc(s, s->tpc, offset), old);
	t->lists++;
	wr(t, tpc(s, s->tpc, offset), value);
	t->lists++;
}

static void cupti_muxes(struct dm_trace *t, const struct dm_setup *s)
{
	if (s->has_groups) {
		cupti_unit(t, s, s->chip->tpc->enable, 0, 1);
		cupti_first(t, s, s->chip->tpc->select, 0, s->groups);
	}
	if (s->has_tex) {
		cupti_unit(t, s, s->chip->tpc->tex, 3, 0x803);
		if (s->chip->tpc->tex2)
			cupti_first(t, s, s->chip->tpc->tex2, 0x100, 0x900);
	}
	if (s->has_vfetch) {
		rd(t, 0x400c0c, 0);
		t->lists++;
		wr(t, 0x400c0c, s->vfetch);
		t->lists++;
	}
}

static void run_cupti(struct dm_trace *t, const struct dm_setup *s)
{
	rd(t, 0x4008fc, units(s));
	t->lists++;
	cupti_muxes(t, s);
	for (unsigned int i = 0; i < s->domains; i++) {
		const struct dm_domain *d = &s->domain[i];

		for (unsigned int slot = 0; slot < 4; slot++) {
			if (!d->slot[slot].is_used)
				continue;
			wr(t, 0xa7c0 + d->set * 4, 1 | d->mode << 4);
			wr(t, 0xa400 + d->set * 4 + slot * 0x40, d->slot[slot].src);
			wr(t, 0xa420 + d->set * 4 + slot * 0x40, d->slot[slot].op);
		}
		t->lists++;
	}
	for (unsigned int i = 0; i < s->domains; i++)
		for (unsigned int slot = 0; slot < 4; slot++)
			if (s->domain[i].slot[slot].is_used)
				rd(t, counter(&s->domain[i], slot), s->domain[i].value[slot]);
	t->lists++;
	for (unsigned int i = 0; i < 16; i++)
		wr(t, 0xa7e0 + i / 2 * 4, 1);
	t->lists++;
	wr(t, 0x400084, 0x20);
	t->lists++;
}

static void rmw(struct dm_trace *t, uint32_t address, uint32_t old, uint32_t value)
{
	rd(t, address, old);
	wr(t, address, value);
}

/* Always four slots, muxes behind each of them, one trigger, then counters and clocks in turn. */
static void run_nouveau(struct dm_trace *t, const struct dm_setup *s)
{
	for (unsigned int i = 0; i < s->domains; i++) {
		const struct dm_domain *d = &s->domain[i];

		for (unsigned int slot = 0; slot < 4; slot++) {
			bool is_used = d->slot[slot].is_used;

			wr(t, 0xa7c0 + d->set * 4, 1 | d->mode << 4);
			wr(t, 0xa400 + d->set * 4 + slot * 0x40, is_used ? d->slot[slot].src : 0);
			wr(t, 0xa420 + d->set * 4 + slot * 0x40, is_used ? d->slot[slot].op : 0);
			if (d->set == 3 && is_used) {
				rmw(t, tpc(s, s->tpc, s->chip->tpc->select), s->groups ^ 0x01010101,
				    s->groups);
				rmw(t, tpc(s, s->tpc, s->chip->tpc->enable), 0, 1);
			}
			if (d->set == 2 && s->has_tex && is_used) {
				rmw(t, tpc(s, s->tpc, s->chip->tpc->tex), 3, 0x803);
				if (s->chip->tpc->tex2)
					rmw(t, tpc(s, s->tpc, s->chip->tpc->tex2), 0x100, 0x900);
			}
			if (d->set == 1 && s->has_vfetch && is_used)
				rmw(t, 0x400c0c, 3, s->vfetch);
		}
	}
	wr(t, 0x400084, 0x20);
	for (unsigned int i = 0; i < s->domains; i++)
		for (unsigned int slot = 0; slot < 4; slot++) {
			const struct dm_domain *d = &s->domain[i];

			rd(t, counter(d, slot), d->slot[slot].is_used ? d->value[slot] : 0);
			rd(t, 0xa600 + d->set * 4, d->cycles);
		}
}

/*
 * Four signals of a domain, one a slot, and the driver's own accesses as work between two triggers.
 */
static void run_nvacounter(struct dm_trace *t, const struct dm_setup *s, uint64_t *seed)
{
	const struct dm_domain *d = &s->domain[0];
	uint32_t at = d->set * 4;

	wr(t, 0xa7c0 + at, 1);
	wr(t, 0xa500 + at, 0);
	wr(t, 0xa520 + at, 0);
	for (unsigned int slot = 0; slot < 4; slot++)
		wr(t, 0xa400 + at + slot * 0x40, d->slot[slot].src & 0xff);
	for (unsigned int slot = 0; slot < 4; slot++)
		wr(t, 0xa420 + at + slot * 0x40, 0xaaaa);
	rmw(t, 0x400084, 0x40, 0x60);
	/* The work: anything, in PGRAPH as well. */
	for (unsigned int i = 0; i < 20; i++) {
		wr(t, 0x409ff0 + dm_below(seed, 2) * 4, (uint32_t)tt_random(seed));
		rd(t, 0x000200, (uint32_t)tt_random(seed));
	}
	rmw(t, 0x400084, 0x40, 0x60);
	rmw(t, 0x400084, 0x40, 0x60);
	for (unsigned int slot = 0; slot < 4; slot++)
		rd(t, 0xa400 + at + slot * 0x40, d->slot[slot].src & 0xff);
	rd(t, 0xa600 + at, d->cycles);
	for (unsigned int slot = 0; slot < 4; slot++)
		rd(t, counter(d, slot), d->value[slot]);
}

void dm_run(struct dm_trace *t, const struct dm_setup *s, enum dm_driver driver, uint64_t *seed)
{
	switch (driver) {
	case DM_CUPTI:
		run_cupti(t, s);
		break;
	case DM_NOUVEAU:
		run_nouveau(t, s);
		break;
	default:
		run_nvacounter(t, s, seed);
	}
}

static void print_log(const struct dm_trace *t, unsigned int first, unsigned int n, bool is_return,
		      FILE *f)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct dm_access *a = &t->a[first + i];

		fprintf(f,
			"LOG:         %u: dir: 0x%08x, mmio: 0x%08x, value: 0x%08x, mask: 0x%08x\n",
			i, (a->is_context ? 0x100u : 0) | a->is_write, a->address,
			a->is_write || is_return ? a->value : 0, a->is_write ? 0xffffffff : 0);
	}
}

static void print_request(const struct dm_trace *t, unsigned int first, unsigned int n,
			  bool is_return, FILE *f)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct dm_access *a = &t->a[first + i];

		fprintf(f,
			"%s: DIR=%x MMIO=%x VALUE=%08x MASK=%08x UNK=00000000,00000000,00000000,"
			"00000000\n",
			is_return ? "RETURND" : "REQUEST",
			(a->is_context ? 0x100u : 0) | a->is_write, a->address,
			a->is_write || is_return ? a->value : 0, a->is_write ? 0xffffffff : 0);
	}
}

static void print_lists(const struct dm_trace *t, enum dm_form form, FILE *f)
{
	unsigned int n;

	for (unsigned int i = 0; i < t->n; i += n) {
		n = 1;
		while (i + n < t->n && t->a[i + n].list == t->a[i].list)
			n++;
		for (unsigned int copy = 0; copy < 2; copy++) {
			if (form == DM_LOG)
				print_log(t, i, n, copy, f);
			else
				print_request(t, i, n, copy, f);
		}
	}
}

static void print_access(const struct dm_access *a, enum dm_form form, unsigned int i, FILE *f)
{
	if (form == DM_MMIOTRACE)
		fprintf(f, "%c 4 %u.%06u 1 0x%x 0x%x 0x0 0\n", a->is_write ? 'W' : 'R',
			100 + i / 1000, i % 1000, 0xd2000000 + a->address, a->value);
	else if (a->is_write)
		fprintf(f, "4711@%u.%06u:vfio_region_write  (0000:05:00.0:region0+0x%x, 0x%x, 4)\n",
			1424299207 + i / 1000, i % 1000, a->address, a->value);
	else
		fprintf(f, "4711@%u.%06u:vfio_region_read  (0000:05:00.0:region0+0x%x, 4) = 0x%x\n",
			1424299207 + i / 1000, i % 1000, a->address, a->value);
}

void dm_print(const struct dm_trace *t, enum dm_form form, bool has_boot0,
	      const struct dm_chip *chip, FILE *f)
{
	struct dm_access boot0 = { .value = chip->boot0 };

	if (form == DM_LOG || form == DM_REQUEST) {
		print_lists(t, form, f);
		return;
	}
	if (form == DM_MMIOTRACE)
		fputs("VERSION 20070824\n"
		      "PCIDEV 0500 10de0640 1e d2000000 c000000c 0 d0000004 0 ec01 0 1000000 "
		      "10000000 0 2000000 0 80 0 nouveau\n"
		      "MAP 99.000000 1 0xd2000000 0xffffc90000000000 0x1000000 0x0 0\n",
		      f);
	if (has_boot0)
		print_access(&boot0, form, 0, f);
	for (unsigned int i = 0; i < t->n; i++)
		print_access(&t->a[i], form, i + 1, f);
}
