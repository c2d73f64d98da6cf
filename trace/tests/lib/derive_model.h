/* SPDX-License-Identifier: MIT */
/*
 * Drivers that count, as a model: chips with random units, random set-ups of counters, and the
 * accesses that nouveau, nvacounter of envytools and NVIDIA's driver under CUPTI make for them, in
 * every form that a trace has. It knows the registers by itself and shares no code with
 * trace/lib/derive: a mistake there must not agree with itself.
 */
#ifndef TESTS_TRACE_DERIVE_MODEL_H
#define TESTS_TRACE_DERIVE_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <ntime/trace/derive.h>

/* Where the registers of a TPC are. */
struct dm_tpc {
	uint32_t stride;
	uint32_t select, enable; /* of the shader domain, from a TPC's start */
	uint32_t tex, tex2;
	bool units_are_new; /* MPs in bits 28 to 31 of 0x4008fc */
};

struct dm_chip {
	const char *name;
	uint32_t boot0;
	const struct dm_tpc *tpc;
	unsigned int tpcs, parts;
	uint8_t zero[4]; /* of domains 0 to 3, 0 unknown */
	uint8_t tex_signal, vfetch_signal;
};

extern const struct dm_chip dm_chips[];
extern const unsigned int dm_chip_count;

/* One slot: PRE, START, EVENT, STOP. */
struct dm_slot {
	bool is_used;
	uint32_t src, op;
};

/* One domain of a set-up. */
struct dm_domain {
	unsigned int set, mode;
	struct dm_slot slot[4];
	uint32_t value[4];
	uint32_t cycles;
};

struct dm_setup {
	const struct dm_chip *chip;
	uint32_t tpc_mask, part_mask;
	unsigned int tpc; /* that drives the wires */
	struct dm_domain domain[2];
	unsigned int domains;
	bool has_groups, has_tex, has_vfetch;
	uint32_t groups, vfetch;
};

enum dm_driver { DM_CUPTI, DM_NOUVEAU, DM_NVACOUNTER, DM_DRIVERS };
enum dm_form { DM_LOG, DM_REQUEST, DM_VFIO, DM_MMIOTRACE, DM_FORMS };

struct dm_access {
	bool is_write, is_context;
	uint32_t address, value;
	unsigned int list;
};

#define DM_ACCESSES 4096

struct dm_trace {
	struct dm_access a[DM_ACCESSES];
	unsigned int n, lists;
};

/* Names of the slots. */
extern const char *const dm_counters[4];

/* The row of a slot of PCOUNTER; false: there is none. */
bool dm_find_row(const struct ntime_derive *d, unsigned int set, unsigned int slot,
		 struct ntime_derived *out);
/* A random number below @n. */
uint32_t dm_below(uint64_t *seed, uint32_t n);
/* A random set-up: @has_sums, one domain may sum numbers of several wires. */
void dm_setup_random(struct dm_setup *s, uint64_t *seed, bool has_sums);
/*
 * Behind what @t has: the accesses of one measurement. nvacounter sets up all four slots of domains
 * with one signal each.
 */
void dm_run(struct dm_trace *t, const struct dm_setup *s, enum dm_driver driver, uint64_t *seed);
void dm_print(const struct dm_trace *t, enum dm_form form, bool has_boot0,
	      const struct dm_chip *chip, FILE *f);

#endif
