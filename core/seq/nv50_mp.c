// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Methods that count inside the multiprocessors, and readings of them. */
#include "core/seq/nv50_mp.h"

#define CONTROL_UNIT_SHIFT 4
#define CONTROL_FUNCTION_SHIFT 8
#define CONTROL_SIGNAL_SHIFT 24

static int submit(const struct nthw_nv_mp *m, uint32_t method, uint32_t value)
{
	return m->io->write(m->io, NTHW_SPACE_CHANNEL, m->channel, method, value);
}

static int look(const struct nthw_nv_mp *m, uint32_t address, uint32_t *value)
{
	uint64_t now = 0;
	int ret = m->io->read(m->io, NTHW_SPACE_CHANNEL, m->channel, address, &now);

	*value = (uint32_t)now;
	return ret;
}

/* A number of two words. */
static int look_wide(const struct nthw_nv_mp *m, uint32_t address, uint64_t *value)
{
	uint32_t low = 0, high = 0;
	int ret = look(m, address, &low);

	if (!ret)
		ret = look(m, address + 4, &high);
	*value = (uint64_t)high << 32 | low;
	return ret;
}

uint32_t nthw_nv_mp_control(const struct nthw_nv_mp_event *event, uint32_t slot)
{
	/*
	 * The table's arguments are the signals of slots 0 to 3: these are 1 where the slot's is.
	 */
	static const uint32_t own[NTHW_NV_MP_SLOTS] = { 0xaaaa, 0xcccc, 0xf0f0, 0xff00 };

	return event->signal << CONTROL_SIGNAL_SHIFT | own[slot] << CONTROL_FUNCTION_SHIFT |
	       event->unit << CONTROL_UNIT_SHIFT | event->is_pulse;
}

int nthw_nv_mp_program(const struct nthw_nv_mp *m, uint32_t slot,
		       const struct nthw_nv_mp_event *event, uint32_t mp)
{
	uint32_t word = event ? nthw_nv_mp_control(event, slot) : 0;
	int ret = 0;

	if (event)
		ret = submit(m, NTHW_NV_MP_SET + 4 * slot, 0);
	if (!ret && event)
		ret = submit(m, NTHW_NV_MP_CONFIGURE + 4 * slot, mp);
	return ret ? ret : submit(m, NTHW_NV_MP_CONTROL + 4 * slot, word);
}

int nthw_nv_mp_ask(struct nthw_nv_mp *m)
{
	int ret = submit(m, NTHW_NV_MP_SAMPLE, 0);

	if (ret)
		return ret;
	m->number += m->number == UINT32_MAX ? 2 : 1;
	return submit(m, NTHW_NV_MP_READ_OUT, m->number);
}

int nthw_nv_mp_take(const struct nthw_nv_mp *m, uint32_t number, struct nthw_nv_mp_reading *out)
{
	uint32_t depth = 0, latest = 0, before = 0, after = 0, at, i;
	int ret = look(m, NTHW_NV_MP_DEPTH, &depth);

	if (ret || !depth)
		return ret ? ret : NTHW_ENODATA;
	at = NTHW_NV_MP_RING + number % depth * NTHW_NV_MP_READING_BYTES;
	ret = look(m, at + NTHW_NV_MP_NUMBER, &before);
	if (!ret)
		ret = look_wide(m, at + NTHW_NV_MP_CLOCKS, &out->clocks);
	for (i = 0; !ret && i < NTHW_NV_MP_SLOTS; i++)
		ret = look_wide(m, at + NTHW_NV_MP_COUNT + 8 * i, &out->count[i]);
	/* What was overwritten meanwhile has another number now. */
	if (!ret)
		ret = look(m, at + NTHW_NV_MP_NUMBER, &after);
	if (ret || (before == number && after == number))
		return ret;
	ret = look(m, NTHW_NV_MP_LATEST, &latest);
	if (ret)
		return ret;
	return (int32_t)(latest - number) < 0 ? NTHW_ENODATA : NTHW_ESTALE;
}
