// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Monitor of a memory channel of Sandy Bridge-EP. Registers: core/regs/snbep_imc.c, which names the
 * sources. Ids: Linux 6.1 include/linux/pci_ids.h, PCI_DEVICE_ID_INTEL_UNC_IMC0 to 3, as found in
 * the alias table of its intel-uncore module. Events and unit masks: libpfm4
 * lib/events/intel_snbep_unc_imc_events.h; event 0 from perf's list for this processor (jaketown),
 * where UNC_M_CLOCKTICKS has no code.
 */
#include "core/models/snbep_imc.h"

#include "core/regs/regs.h"

#define COUNTER 0xa0 /* step 8 */
#define FIXED_COUNTER 0xd0
#define CONTROL 0xd8 /* step 4 */
#define FIXED_CONTROL 0xf0
#define BOX_CONTROL 0xf4

#define EVENT_MASK 0xffu
#define UMASK_SHIFT 8
#define EDGE (1u << 18)
#define EN (1u << 22)
#define INVERT (1u << 23)
#define THRESHOLD_SHIFT 24
#define FIXED_RST (1u << 19)
#define RST_CTRL (1u << 0)
#define RST_CTRS (1u << 1)
#define FRZ (1u << 8)
#define FRZ_EN (1u << 16)

#define EVENT_CLOCKS 0x00
#define EVENT_CAS 0x04

#define COUNTER_MASK 0xffffffffffffu /* 48 bits */

void ntm_snbep_imc_init(struct ntm_snbep_imc *m, uint32_t channel)
{
	static const uint16_t devices[NTM_SNBEP_IMC_CHANNELS] = { 0x3cb0, 0x3cb1, 0x3cb4, 0x3cb5 };
	struct ntm_pci_identity id = {
		.vendor = 0x8086,
		.device = devices[channel % NTM_SNBEP_IMC_CHANNELS],
		/*
		 * System peripheral, other: as lspci shows these functions on such machines; from
		 * memory.
		 */
		.class_code = 0x088000,
		.is_multifunction = true,
	};

	ntm_pci_config_init(&m->config, &id);
	ntm_pci_config_add_table(&m->config, &nthw_snbep_imc);
	m->unknown = 0;
}

void ntm_snbep_imc_reset(struct ntm_snbep_imc *m)
{
	ntm_pci_config_reset(&m->config);
	m->unknown = 0;
}

uint32_t ntm_snbep_imc_read(const struct ntm_snbep_imc *m, uint32_t addr, uint32_t bytes)
{
	return ntm_pci_config_read(&m->config, addr, bytes);
}

static void reset_counters(struct ntm_snbep_imc *m)
{
	uint32_t i;

	for (i = 0; i < NTM_SNBEP_IMC_COUNTERS; i++)
		ntm_pci_config_put(&m->config, COUNTER + 8 * i, 8, 0);
	ntm_pci_config_put(&m->config, FIXED_COUNTER, 8, 0);
}

static void reset_controls(struct ntm_snbep_imc *m)
{
	uint32_t i;

	for (i = 0; i < NTM_SNBEP_IMC_COUNTERS; i++)
		ntm_pci_config_put(&m->config, CONTROL + 4 * i, 4, 0);
	ntm_pci_config_put(&m->config, FIXED_CONTROL, 4, 0);
}

void ntm_snbep_imc_write(struct ntm_snbep_imc *m, uint32_t addr, uint32_t bytes, uint32_t value)
{
	uint32_t box = ntm_pci_config_ones(BOX_CONTROL, addr, bytes, value);
	uint32_t fixed = ntm_pci_config_ones(FIXED_CONTROL, addr, bytes, value);

	ntm_pci_config_write(&m->config, addr, bytes, value);
	if (fixed & FIXED_RST)
		ntm_pci_config_put(&m->config, FIXED_COUNTER, 8, 0);
	if (box & RST_CTRL)
		reset_controls(m);
	if (box & RST_CTRS)
		reset_counters(m);
}

static void add(struct ntm_snbep_imc *m, uint32_t addr, uint64_t events)
{
	uint64_t now = ntm_pci_config_get(&m->config, addr, 8);

	ntm_pci_config_put(&m->config, addr, 8, (now + events) & COUNTER_MASK);
}

/*
 * Events of @control that are single pulses in clocks of their own: all CAS that the unit mask
 * takes. False: unknown.
 */
static bool count_pulses(uint32_t control, uint64_t clocks, uint64_t pulses, uint64_t *events)
{
	uint32_t threshold = control >> THRESHOLD_SHIFT;

	if (!threshold) {
		/* Both compare with the threshold, which must not be 0 then (table 2-61). */
		if (control & (EDGE | INVERT))
			return false;
		*events = pulses;
		return true;
	}
	if (control & EDGE) {
		/*
		 * Each pulse rises once, and inverted falls once; a higher threshold is never
		 * reached, so nothing changes.
		 */
		*events = threshold == 1 ? pulses : 0;
		return true;
	}
	if (!(control & INVERT)) {
		*events = threshold == 1 ? pulses : 0;
		return true;
	}
	if (threshold > 1) {
		*events = clocks;
		return true;
	}
	if (pulses > clocks)
		return false;
	*events = clocks - pulses;
	return true;
}

/* The same for what happens once in every clock. */
static bool count_clocks(uint32_t control, uint64_t clocks, uint64_t *events)
{
	uint32_t threshold = control >> THRESHOLD_SHIFT;

	if ((control & EDGE) || (!threshold && (control & INVERT)))
		return false;
	*events = (threshold <= 1) == !(control & INVERT) ? clocks : 0;
	return true;
}

static bool count(uint32_t control, uint64_t clocks, const uint64_t cas[NTM_SNBEP_IMC_CAS_KINDS],
		  uint64_t *events)
{
	uint32_t umask = control >> UMASK_SHIFT & 0xff, kind;
	uint64_t pulses = 0;

	if ((control & EVENT_MASK) == EVENT_CLOCKS)
		return count_clocks(control, clocks, events);
	if ((control & EVENT_MASK) != EVENT_CAS || !umask || umask >> NTM_SNBEP_IMC_CAS_KINDS)
		return false;
	for (kind = 0; kind < NTM_SNBEP_IMC_CAS_KINDS; kind++)
		if (umask >> kind & 1)
			pulses += cas[kind];
	return count_pulses(control, clocks, pulses, events);
}

void ntm_snbep_imc_advance(struct ntm_snbep_imc *m, uint64_t clocks,
			   const uint64_t cas[NTM_SNBEP_IMC_CAS_KINDS])
{
	uint32_t box = (uint32_t)ntm_pci_config_get(&m->config, BOX_CONTROL, 4), i;

	if ((box & FRZ) && (box & FRZ_EN))
		return;
	for (i = 0; i < NTM_SNBEP_IMC_COUNTERS; i++) {
		uint32_t control = (uint32_t)ntm_pci_config_get(&m->config, CONTROL + 4 * i, 4);
		uint64_t events = 0;

		if (!(control & EN))
			continue;
		if (count(control, clocks, cas, &events))
			add(m, COUNTER + 8 * i, events);
		else
			m->unknown |= 1u << i;
	}
	if (ntm_pci_config_get(&m->config, FIXED_CONTROL, 4) & EN)
		add(m, FIXED_COUNTER, clocks);
}

uint64_t ntm_snbep_imc_counter(const struct ntm_snbep_imc *m, uint32_t index)
{
	return ntm_pci_config_get(
		&m->config, index < NTM_SNBEP_IMC_COUNTERS ? COUNTER + 8 * index : FIXED_COUNTER,
		8);
}
