// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Frames that are made up: a gap without work, then some draws, each through the stages. */
#include "models/port/card/frames.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* splitmix64, of which the algorithm is in the public domain. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t ntm_wire_bit(const struct nthw_nv_wires *unit, uint32_t wire)
{
	uint32_t n = wire;

	for (const struct nthw_nv_wires *u = nthw_nv_wires; u != unit; u++)
		n += u->count;
	assert(n < 64);
	return UINT64_C(1) << n;
}

/* "trast.6" */
static uint64_t bit_of(const char *name)
{
	uint32_t wire = 0;
	const struct nthw_nv_wires *unit = nthw_nv_wires_take(name, &wire, &name);

	assert(unit);
	return ntm_wire_bit(unit, wire);
}

static bool is_selected(const struct nthw_nv_wires *unit, const struct ntm_nv50_card *card)
{
	const struct nthw_nv_mux_row *mux = &nthw_nv_muxes[unit->mux];

	return !unit->mux ||
	       (card->bar[mux->address / 4] & mux->mask[card->chip->family]) == unit->select;
}

void ntm_wires_of(uint64_t wires, const struct ntm_nv50_card *card, struct ntm_nv50_wires *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < nthw_nv_wires_count; i++) {
		const struct nthw_nv_wires *unit = &nthw_nv_wires[i];

		uint32_t shown = is_selected(unit, card) ? unit->count : 0;

		for (uint32_t wire = 0; wire < shown; wire++) {
			uint32_t signal = unit->first[card->chip->family] + wire;

			if (wires & ntm_wire_bit(unit, wire))
				out->of[unit->domain][signal / 32] |= UINT32_C(1) << signal % 32;
		}
	}
}

struct frame {
	struct ntm_stretch *stretch;
	size_t count;
	uint64_t random;
};

static uint32_t up_to(struct frame *f, uint32_t most)
{
	return (uint32_t)(next_random(&f->random) % (most + 1));
}

static void put(struct frame *f, uint32_t clocks, uint64_t wires)
{
	assert(f->count < NTM_FRAME_STRETCHES_MAX);
	if (clocks)
		f->stretch[f->count++] = (struct ntm_stretch){ clocks, wires };
}

/* The bits of an amount on wires of @unit, "zcull_in". */
static uint64_t amount_on(const char *unit, uint32_t amount)
{
	uint64_t wires = 0;
	char name[32];

	for (unsigned int i = 0; amount >> i; i++) {
		(void)snprintf(name, sizeof(name), "%s.%u", unit, i);
		if (amount >> i & 1)
			wires |= bit_of(name);
	}
	return wires;
}

/* Tiles come in, and some are dropped at the same time; 3 stretches. */
static void cull(struct frame *f)
{
	for (int i = 0; i < 3; i++) {
		uint32_t in = up_to(f, 63);

		put(f, up_to(f, 12),
		    amount_on("zcull_in", in) | amount_on("zcull_killed", up_to(f, in)));
	}
}

/* The input assembler: busy in two ways, also while it waits; at most 8 stretches. */
static void fetch(struct frame *f, uint32_t primitives)
{
	uint64_t a = bit_of("vfetch_a.0") | bit_of("vfetch_a.1");
	uint64_t b = bit_of("vfetch_b.0") | bit_of("vfetch_b.1");

	put(f, up_to(f, 20), bit_of("vfetch_a.1") | bit_of("vfetch_b.0"));
	put(f, up_to(f, 50), a);
	put(f, up_to(f, 50), b | bit_of("vfetch_wait.0"));
	put(f, up_to(f, 30), a | b);
	put(f, up_to(f, 20), bit_of("vfetch_wait.0"));
	put(f, primitives, bit_of("vfetch_prim.0") | amount_on("vfetch_vertex", up_to(f, 7)));
	put(f, up_to(f, 30), amount_on("vfetch_vertex", up_to(f, 7)));
}

/* At most 22 stretches. Some primitives come while setup cannot take them, some are dropped. */
static void draw(struct frame *f)
{
	static const char *const kinds[] = { "trast.1", "trast.2", "trast.3" };
	uint32_t primitives = 1 + up_to(f, 60);
	uint64_t kind = bit_of(kinds[up_to(f, 2)]);
	uint64_t ready = bit_of("trast.6") | bit_of("trast.7");

	fetch(f, primitives);
	cull(f);
	put(f, primitives + 2, bit_of("vattr.1"));
	put(f, primitives, bit_of("vattr.0"));
	if (up_to(f, 1)) {
		put(f, up_to(f, 20), bit_of("strmout.0"));
		put(f, up_to(f, 90), bit_of("strmout.0") | bit_of("strmout.1"));
		put(f, up_to(f, 20), bit_of("strmout.1"));
	}
	put(f, primitives, bit_of("trast.0") | kind | ready);
	put(f, up_to(f, 9), kind | bit_of("trast.6"));
	put(f, up_to(f, 9), kind | bit_of("trast.7"));
	put(f, up_to(f, primitives), bit_of("culled.0") | bit_of("trast.0"));
	put(f, up_to(f, 300), 0);
}

uint64_t ntm_busy_wires(void)
{
	return amount_on("zcull_in", 63) | amount_on("zcull_killed", 21) |
	       amount_on("vfetch_vertex", 7) | bit_of("vfetch_prim.0") | bit_of("vattr.0") |
	       bit_of("vattr.1") | bit_of("trast.0");
}

size_t ntm_frame(uint64_t number, struct ntm_stretch out[NTM_FRAME_STRETCHES_MAX])
{
	struct frame f = { .stretch = out, .random = number };
	uint32_t draws = 1 + up_to(&f, 3);

	put(&f, 100 + up_to(&f, 2000), bit_of("idle.0"));
	while (draws--)
		draw(&f);
	return f.count;
}
