/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Performance monitor of one memory channel of Sandy Bridge-EP: PCI device 16, functions 0, 1, 4
 * and 5 of the socket's bus. Registers are the rows of nthw_snbep_imc; what they count is told by
 * ntm_snbep_imc_advance().
 */
#ifndef NTM_SNBEP_IMC_H
#define NTM_SNBEP_IMC_H

#include "core/models/pci_config.h"

#define NTM_SNBEP_IMC_CHANNELS 4
#define NTM_SNBEP_IMC_COUNTERS 4

/* Kinds of column accesses (CAS) that the unit mask of event 4 tells apart, bit 0 first. */
enum ntm_snbep_imc_cas {
	NTM_SNBEP_IMC_READ,	   /* ordinary reads */
	NTM_SNBEP_IMC_UNDERFILL,   /* reads that complete a partial write */
	NTM_SNBEP_IMC_WRITE_MAJOR, /* writes in write major mode */
	NTM_SNBEP_IMC_WRITE_MINOR, /* writes in between, in read major mode */
	NTM_SNBEP_IMC_CAS_KINDS,
};

struct ntm_snbep_imc {
	struct ntm_pci_config config; /* holds every register */
	uint32_t
		/* bit n: counter n was told to count what is not modelled, and stood still */
		unknown;
};

/* Channel @channel, 0 to 3, after reset. */
void ntm_snbep_imc_init(struct ntm_snbep_imc *m, uint32_t channel);
void ntm_snbep_imc_reset(struct ntm_snbep_imc *m);

/*
 * Accesses to configuration space: as ntm_pci_config_read() and _write(), with what the registers
 * do.
 */
uint32_t ntm_snbep_imc_read(const struct ntm_snbep_imc *m, uint32_t addr, uint32_t bytes);
void ntm_snbep_imc_write(struct ntm_snbep_imc *m, uint32_t addr, uint32_t bytes, uint32_t value);

/*
 * @clocks DRAM clocks went by, with @cas[kind] column accesses in them. Counters that run and whose
 * event is known count; others stand, and those that run on something unknown are noted in
 * .unknown.
 *
 * One CAS moves 8 words on both edges, so two are at least 4 clocks apart on one channel: each is a
 * pulse of its own, one event in one clock. That is what makes thresholds and edges computable from
 * sums (see the rules in the source).
 */
void ntm_snbep_imc_advance(struct ntm_snbep_imc *m, uint64_t clocks,
			   const uint64_t cas[NTM_SNBEP_IMC_CAS_KINDS]);

/* What is in the counter: 0 to 3 the general ones, 4 the one for clocks. */
uint64_t ntm_snbep_imc_counter(const struct ntm_snbep_imc *m, uint32_t index);

/*
 * What it does not model: events other than 0x00 (clocks) and 0x04 (CAS), and of these an empty
 * unit mask, an edge without threshold, a threshold on clocks with an edge, or more CAS than fit
 * into the clocks where the comparison is inverted - each is noted in .unknown and counts nothing.
 * The freeze signal from the Ubox and the overflow message to it; the counters' time (a read of low
 * and high half is two reads, as in hardware); all other registers of the memory controller, whose
 * functions 16.2, 16.3, 16.6 and 16.7 are not there.
 */

#endif
