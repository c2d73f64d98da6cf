// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Frames that are made up: a gap without work, then some draws, each through the stages. */
#include "models/port/card/frames.h"

#include <assert.h>
#include <string.h>

/* splitmix64, of which the algorithm is in the public domain. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t ntm_wire_bit(const struct nthw_nv_wires *unit, uint32_t wire)
{
	uint32_t n = wire;

	for (const struct nthw_nv_wires *u = nthw_nv_wires; u != unit; u++)
		n += u->count;
	assert(n < 32);
	return UINT32_C(1) << n;
}

/* "trast.6" */
static uint32_t bit_of(const char *name)
{
	uint32_t wire = 0;
	const struct nthw_nv_wires *unit = nthw_nv_wires_take(name, &wire, &name);

	assert(unit);
	return ntm_wire_bit(unit, wire);
}

void ntm_wires_of(uint32_t wires, unsigned int family, struct ntm_nv50_wires *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < nthw_nv_wires_count; i++)
		for (uint32_t wire = 0; wire < nthw_nv_wires[i].count; wire++) {
			const struct nthw_nv_wires *unit = &nthw_nv_wires[i];
			uint32_t signal = unit->first[family] + wire;

			if (wires & ntm_wire_bit(unit, wire))
				out->of[unit->domain][signal / 32] |= UINT32_C(1) << signal % 32;
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

static void put(struct frame *f, uint32_t clocks, uint32_t wires)
{
	assert(f->count < NTM_FRAME_STRETCHES_MAX);
	if (clocks)
		f->stretch[f->count++] = (struct ntm_stretch){ clocks, wires };
}

/* At most 10 stretches. Some primitives come while setup cannot take them, some are dropped. */
static void draw(struct frame *f)
{
	static const char *const kinds[] = { "trast.1", "trast.2", "trast.3" };
	uint32_t primitives = 1 + up_to(f, 60), kind = bit_of(kinds[up_to(f, 2)]);
	uint32_t ready = bit_of("trast.6") | bit_of("trast.7");

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

size_t ntm_frame(uint64_t number, struct ntm_stretch out[NTM_FRAME_STRETCHES_MAX])
{
	struct frame f = { .stretch = out, .random = number };
	uint32_t draws = 1 + up_to(&f, 3);

	put(&f, 100 + up_to(&f, 2000), bit_of("idle.0"));
	while (draws--)
		draw(&f);
	return f.count;
}
