// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A card: which chip and which units there are, PM_TRIGGER, and the domains of PCOUNTER. Registers:
 * core/regs/nv50_graph.c and nv50_pcounter.c, which name the sources.
 */
#include "core/models/nv50_card.h"

#define BOOT_0 0x0u
#define PBUS_UNITS 0x1540u
#define PCOUNTER 0xa400u
#define PCOUNTER_END 0xa900u
#define DEBUG_1 0x400084u
#define UNITS 0x4008fcu

#define DEBUG_1_PM_TRIGGER (1u << 5)
#define UNITS_ROP_MASK 16
#define UNITS_MP_MASK_G80 22
#define UNITS_MP_MASK_G200 28
#define PBUS_UNITS_MP_MASK 24

/*
 * Of a board of each chip where one was seen, with its straps and stepping; the others are made up.
 */
static uint32_t boot_0(const struct nthw_nv_chip *chip)
{
	static const uint32_t seen[] = { 0x084300a2, 0x086f00a2, 0x094380a1, 0x0a3100a2,
					 0x0a8c00b1 };
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(seen); i++)
		if (seen[i] >> 20 == chip->id)
			return seen[i];
	return (uint32_t)chip->id << 20 | 0xa1;
}

static uint32_t ones(uint32_t count)
{
	return (1u << count) - 1;
}

uint32_t ntm_nv50_units_of(const struct nthw_nv_chip *chip, enum ntm_nv50_units kind)
{
	return kind == NTM_NV50_TPCS ? chip->tpcs : kind == NTM_NV50_ROPS ? chip->parts : chip->mps;
}

/* Their masks begin there in UNITS and in the register of PBUS, which has none of partitions. */
static uint32_t shift_of(const struct nthw_nv_chip *chip, enum ntm_nv50_units kind)
{
	uint32_t mp = chip->family < NTHW_NV_G200 ? UNITS_MP_MASK_G80 : UNITS_MP_MASK_G200;

	return kind == NTM_NV50_TPCS ? 0 : kind == NTM_NV50_ROPS ? UNITS_ROP_MASK : mp;
}

static void set_units(struct ntm_nv50_card *card, enum ntm_nv50_units kind, uint32_t mask)
{
	uint32_t all = ones(ntm_nv50_units_of(card->chip, kind));
	uint32_t shift = shift_of(card->chip, kind);
	uint32_t bus = kind == NTM_NV50_MPS ? PBUS_UNITS_MP_MASK : 0;
	uint32_t *units = &card->bar[UNITS / 4], *bus_units = &card->bar[PBUS_UNITS / 4];

	*units = (*units & ~(all << shift)) | mask << shift;
	if (kind != NTM_NV50_ROPS)
		*bus_units = (*bus_units & ~(all << bus)) | mask << bus;
}

bool ntm_nv50_card_init(struct ntm_nv50_card *card, const struct nthw_nv_chip *chip, uint32_t *bar)
{
	uint32_t i;

	card->chip = chip;
	card->bar = bar;
	for (i = 0; i < NTHW_NV_DOMAINS && chip->last[i]; i++)
		ntm_nv50_pm_init(&card->domain[i], chip, i);
	card->domains = i;
	if (!i) /* other chips have no such domains */
		return false;
	bar[BOOT_0 / 4] = boot_0(chip);
	bar[UNITS / 4] = bar[PBUS_UNITS / 4] = 0;
	for (i = 0; i < NTM_NV50_KINDS; i++)
		set_units(card, i, ones(ntm_nv50_units_of(chip, i)));
	return true;
}

bool ntm_nv50_card_keep(struct ntm_nv50_card *card, enum ntm_nv50_units kind, uint32_t mask)
{
	if (!mask || mask & ~ones(ntm_nv50_units_of(card->chip, kind)))
		return false;
	set_units(card, kind, mask);
	return true;
}

void ntm_nv50_card_advance(struct ntm_nv50_card *card, const struct ntm_nv50_wires *wires,
			   uint64_t clocks)
{
	uint32_t i;

	for (i = 0; i < card->domains; i++)
		ntm_nv50_pm_advance(&card->domain[i], wires->of[i], clocks);
}

/* An access was done: its time goes by. */
static void pass(struct ntm_nv50_card *card)
{
	static const struct ntm_nv50_wires idle;

	ntm_nv50_card_advance(card, &idle, NTM_NV50_ACCESS_CLOCKS);
}

static bool is_in_bar(uint32_t addr)
{
	return addr < NTM_NV50_BAR_BYTES && addr % 4 == 0;
}

static uint32_t read_counters(const struct ntm_nv50_card *card, uint32_t addr)
{
	uint32_t i, value;

	for (i = 0; i < card->domains; i++)
		if (ntm_nv50_pm_read(&card->domain[i], addr, &value) == 0)
			return value;
	return card->bar[addr / 4];
}

int ntm_nv50_card_peek(const struct ntm_nv50_card *card, uint32_t addr, uint32_t *value)
{
	if (!is_in_bar(addr))
		return NTM_NOT_MINE;
	*value = read_counters(card, addr);
	return 0;
}

int ntm_nv50_card_read(struct ntm_nv50_card *card, uint32_t addr, uint32_t *value)
{
	int ret = ntm_nv50_card_peek(card, addr, value);

	if (ret == 0)
		pass(card);
	return ret;
}

/* Registers of domains, and those with one instance. What is neither stays 0 in .bar. */
static void write_counters(struct ntm_nv50_card *card, uint32_t addr, uint32_t value)
{
	const struct nthw_reg *reg;
	uint32_t i;

	for (i = 0; i < card->domains; i++)
		if (ntm_nv50_pm_write(&card->domain[i], addr, value) == 0)
			return;
	reg = nthw_table_find(card->domain[0].rows, addr, &i);
	if (reg && !reg->step)
		card->bar[addr / 4] = value & (uint32_t)nthw_reg_stored(reg);
}

int ntm_nv50_card_poke(struct ntm_nv50_card *card, uint32_t addr, uint32_t value)
{
	uint32_t i;

	if (!is_in_bar(addr))
		return NTM_NOT_MINE;
	if (addr == DEBUG_1) {
		card->bar[addr / 4] = value & ~DEBUG_1_PM_TRIGGER;
		for (i = 0; i < card->domains && (value & DEBUG_1_PM_TRIGGER); i++)
			ntm_nv50_pm_trigger(&card->domain[i]);
	} else if (addr >= PCOUNTER && addr < PCOUNTER_END) {
		write_counters(card, addr, value);
	} else if (addr != BOOT_0 && addr != UNITS && addr != PBUS_UNITS) {
		card->bar[addr / 4] = value;
	}
	return 0;
}

int ntm_nv50_card_write(struct ntm_nv50_card *card, uint32_t addr, uint32_t value)
{
	int ret = ntm_nv50_card_poke(card, addr, value);

	if (ret == 0)
		pass(card);
	return ret;
}
