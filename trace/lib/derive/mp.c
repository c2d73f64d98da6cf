// SPDX-License-Identifier: MIT
/*
 * Counters inside the multiprocessors of Fermi and later: one signal a counter (Fermi), or
 * selectors that nobody has described (later chips).
 *
 * Source: register operations of NVIDIA's driver on GF100 to GM206; Mesa's tables of signals and
 * sources for Fermi. Trust: measured; that a source is a number of the signal's group in bits 4 to
 * 7 beside the counter's own number in bits 0 to 3 is a guess that fits all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/lib/derive/registers.h"
#include "trace/lib/derive/state.h"

/* Bytes from the start of the block. */
#define MP(row) NTI_GF100_PGRAPH_GPC_TPC_MP_##row
/* a byte for each of counters 0 to 3, and in the next word for 4 to 7 */
#define SIGSEL MP(PM_SIGSEL)
#define SRCSEL MP(PM_SRCSEL) /* a word for each */
#define COUNTER MP(PM_COUNTER)
#define COUNTERS MP(PM_COUNTER_LENGTH)
/* A selector that Fermi does not have. */
#define KEPLER_ONLY NTI_GK104_PGRAPH_GPC_TPC_MP_PM_B_MODE

/* The block from the start of its TPC, from where people count. */
#define TPC_MP (MP(BASE) - NTI_GF100_PGRAPH_GPC_TPC_BASE)

static uint32_t mp_address(const struct nti_derive_mp *mp, uint32_t offset)
{
	return MP(BASE) + (mp->instance >> 8) * MP(STEP) + (mp->instance & 0xffu) * MP(STEP_2) +
	       offset;
}

/* True when the word was set in this set-up. */
static bool is_set(const struct nti_derive_device *dev, const struct nti_derive_mp *mp,
		   uint32_t offset)
{
	return mp->config[offset / 4].known && mp->epoch[offset / 4] == dev->epoch;
}

static void put_config(struct nti_derive_row *r, const struct nti_derive_mp *mp, uint32_t offset)
{
	const struct nti_derive_word *w = &mp->config[offset / 4];

	nti_derive_put(&r->mux, "%s0x%06x=0x%08x", r->mux.n ? ";" : "", mp_address(mp, offset),
		       w->value);
	nti_derive_put(&r->relative, "%sTPC+0x%03x=0x%08x", r->relative.n ? ";" : "",
		       TPC_MP + offset, w->value);
	nti_derive_put(&r->origin, "MP: access %llu", (unsigned long long)w->access);
	if (w->list)
		nti_derive_put(&r->origin, " (list %llu)", (unsigned long long)w->list);
	nti_derive_put(&r->origin, ": 0x%06x = 0x%08x\n", mp_address(mp, offset), w->value);
}

static void begin_row(struct nti_derive_row *r, const struct nti_derive_device *dev,
		      const struct nti_derive_mp *mp)
{
	nti_derive_row_init(r);
	r->chips = dev->chips;
	r->d.device = dev->number;
	r->d.unit = "MP";
	nti_derive_put(&r->instance, "GPC %u TPC %u", mp->instance >> 8, mp->instance & 0xffu);
	nti_derive_put(&r->event_src, "-");
	nti_derive_put(&r->event_op, "-");
	nti_derive_put(&r->start_src, "-");
	nti_derive_put(&r->start_op, "-");
	snprintf(r->mode, sizeof(r->mode), "MP");
	if (__builtin_popcountll(dev->chips) == 1)
		nti_derive_put(&r->chip, "%s",
			       nti_derive_chip_at((unsigned int)__builtin_ctzll(dev->chips))->name);
}

static void end_row(struct ntime_derive *d, struct nti_derive_row *r, uint32_t window)
{
	if (r->tally.max == 0xffffffff)
		r->d.flags |= NTIME_DERIVED_SATURATED;
	nti_derive_row_join(d, r, window);
}

static unsigned int signal_of(const struct nti_derive_mp *mp, unsigned int counter)
{
	return mp->config[SIGSEL / 4 + counter / 4].value >> 8 * (counter % 4) & 0xff;
}

/* Drivers of GF100 and GF110 write no sources: there the order of the counters is all there is. */
static void put_sources(struct nti_derive_row *r, const struct nti_derive_device *dev,
			const struct nti_derive_mp *mp, unsigned int signal, uint32_t counters)
{
	bool is_first = true;
	unsigned int n = 0;

	nti_derive_put(&r->key, "MP f{");
	for (unsigned int i = 0; i < COUNTERS; i++) {
		uint32_t source = mp->config[SRCSEL / 4 + i].value;

		if (!(counters >> i & 1))
			continue;
		nti_derive_put(&r->key, "%s", is_first ? "" : ",");
		nti_derive_put(&r->logic, "%s", is_first ? "" : " + ");
		nti_derive_put(&r->counter, "%s%03x", is_first ? "" : "+",
			       TPC_MP + COUNTER + 4 * i);
		if (!is_set(dev, mp, SRCSEL + 4 * i)) {
			nti_derive_put(&r->key, "%02x#%u", signal, n);
			nti_derive_put(&r->logic, "MP.%02x", signal);
		} else if (source >> 8 == 0 && (source & 0xf) == i) {
			nti_derive_put(&r->key, "%02x.%u", signal, source >> 4);
			nti_derive_put(&r->logic, "MP.%02x.%u", signal, source >> 4);
		} else {
			nti_derive_put(&r->key, "%02x.raw%x@%u", signal, source, i);
			nti_derive_put(&r->logic, "MP.%02x (source 0x%x)", signal, source);
		}
		is_first = false;
		n++;
	}
	nti_derive_put(&r->key, "}");
}

/* Words beside signals and sources, as they are. */
static void put_rest(struct nti_derive_row *r, const struct nti_derive_device *dev,
		     const struct nti_derive_mp *mp, bool is_fermi)
{
	for (uint32_t offset = 0; offset < 4 * NTI_MP_WORDS; offset += 4) {
		bool is_selector = offset == SIGSEL || offset == SIGSEL + 4 ||
				   (offset >= SRCSEL && offset < SRCSEL + 4 * COUNTERS);

		if (!is_set(dev, mp, offset))
			continue;
		if (is_fermi && is_selector)
			continue;
		if (mp->config[offset / 4].value) {
			nti_derive_put(&r->key, "; MP+0x%03x/ffffffff=%08x", TPC_MP + offset,
				       mp->config[offset / 4].value);
			put_config(r, mp, offset);
		}
	}
}

/* Counters of one signal: the bits of one event, or several events of one group. */
static void fermi_row(struct ntime_derive *d, const struct nti_derive_device *dev,
		      struct nti_derive_mp *mp, unsigned int signal, uint32_t counters,
		      uint32_t window)
{
	struct nti_derive_row r;

	begin_row(&r, dev, mp);
	put_sources(&r, dev, mp, signal, counters);
	put_config(&r, mp, SIGSEL);
	if (counters >> 4)
		put_config(&r, mp, SIGSEL + 4);
	for (unsigned int i = 0; i < COUNTERS; i++) {
		if (!(counters >> i & 1))
			continue;
		nti_derive_tally_join(&r.tally, mp->read[COUNTER / 4 + i]);
		if (is_set(dev, mp, SRCSEL + 4 * i))
			put_config(&r, mp, SRCSEL + 4 * i);
	}
	put_rest(&r, dev, mp, true);
	if (counters & (counters - 1))
		nti_derive_put(&r.notes,
			       "counters of one signal: bits of one event, or events of one group");
	end_row(d, &r, window);
}

static void fermi_rows(struct ntime_derive *d, const struct nti_derive_device *dev,
		       struct nti_derive_mp *mp, uint32_t window)
{
	uint32_t done = 0;

	for (unsigned int i = 0; i < COUNTERS; i++) {
		uint32_t counters = 0;

		if (done >> i & 1 || !mp->read[COUNTER / 4 + i])
			continue;
		for (unsigned int j = i; j < COUNTERS; j++)
			if (mp->read[COUNTER / 4 + j] && signal_of(mp, j) == signal_of(mp, i))
				counters |= 1u << j;
		done |= counters;
		fermi_row(d, dev, mp, signal_of(mp, i), counters, window);
	}
}

static void later_row(struct ntime_derive *d, const struct nti_derive_device *dev,
		      struct nti_derive_mp *mp, uint32_t window)
{
	struct nti_derive_row r;

	begin_row(&r, dev, mp);
	nti_derive_put(&r.key, "MP raw");
	put_rest(&r, dev, mp, false);
	nti_derive_put(&r.logic, "%s", r.relative.n ? r.relative.p : "0");
	for (unsigned int i = 0; i < NTI_MP_WORDS; i++) {
		if (!mp->read[i])
			continue;
		nti_derive_put(&r.counter, "%s%03x", r.counter.n ? "+" : "", TPC_MP + 4 * i);
		nti_derive_tally_join(&r.tally, mp->read[i]);
	}
	nti_derive_put(&r.notes, "selectors of MPs of this generation are not described, so they "
				 "stand as written");
	end_row(d, &r, window);
}

static void forget(struct nti_derive_mp *mp)
{
	for (unsigned int i = 0; i < NTI_MP_WORDS; i++) {
		free(mp->read[i]);
		mp->read[i] = NULL;
	}
	mp->is_read = false;
}

void nti_derive_mp_rows(struct ntime_derive *d, struct nti_derive_device *dev, uint32_t window)
{
	nti_derive_units_sort(&dev->mps);
	d->looked += dev->mps.reads;
	for (size_t i = 0; i < dev->mps.reads; i++) {
		struct nti_derive_mp *mp = &dev->mp[dev->mps.read[i]];
		bool is_set_up = false;

		for (unsigned int j = 0; j < NTI_MP_WORDS; j++)
			is_set_up |= mp->config[j].known && mp->epoch[j] == dev->epoch;
		if (is_set_up) {
			if (is_set(dev, mp, KEPLER_ONLY) || !is_set(dev, mp, SIGSEL))
				later_row(d, dev, mp, window);
			else
				fermi_rows(d, dev, mp, window);
		}
		forget(mp);
	}
	dev->mps.reads = 0;
}
