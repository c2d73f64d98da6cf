/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Which processor and which PCI function has which registers and which boxes of counters. Driver
 * and library ask here and nowhere else.
 *
 * Kinds of boxes are called by their names in core/seq/boxes.c; core/tests/core checks that each has a
 * row here and each name here a kind.
 */
#ifndef NTHW_DEVICES_H
#define NTHW_DEVICES_H

#include "core/base/reg.h"
#include "core/regs/x86_cpuid.h"

/* ---- x86 processors ---- */

/*
 * Has the processor instance @index of @row of @table, a table of MSRs? By what CPUID and model
 * say: under a hypervisor the register may be missing all the same. Of a model that the lists do
 * not have energy is expected, idle states and uncore are not.
 */
bool nthw_cpu_has(const struct nthw_x86_cpu *cpu, const struct nthw_table *table,
		  const struct nthw_reg *row, uint32_t index);
/* The table of its core counters; NULL: none. */
const struct nthw_table *nthw_cpu_core_table(const struct nthw_x86_cpu *cpu);
/*
 * Rows that no bit of CPUID tells of: energy of Intel. Emulators that answer any register read
 * MSR_RAPL_POWER_UNIT as 0, which as a unit would be a joule: who can read it believes these rows
 * only when it is not 0.
 */
bool nthw_cpu_is_energy(const struct nthw_reg *row);

/* Has it boxes of that kind, of those that MSRs reach? How many, their registers tell. */
bool nthw_cpu_has_box(const struct nthw_x86_cpu *cpu, const char *kind);
/*
 * Has it the field behind @counter, a counter of that kind that always runs? A reserved bit reads 0
 * and would pass for a state.
 */
bool nthw_cpu_has_state(const struct nthw_x86_cpu *cpu, const char *kind, const char *counter);

/* ---- PCI functions ---- */

/* A function that tells which socket its bus belongs to. */
struct nthw_ubox {
	const struct nthw_reg *node, *map; /* rows of its table: its own node; the node of each socket */
	/*
	 * It is on the last bus of its socket, so buses without one belong to the next above that
	 * has one; else to the next below.
	 */
	bool is_above;
	uint8_t models[2]; /* of Intel's family 6 that have it; 0: none */
};
/*
 * The socket of which @node is the node, by what the two registers hold; below 0: @map does not
 * have it.
 */
int nthw_ubox_socket(uint64_t node, uint64_t map);
/* Sockets that @map has room for. */
#define NTHW_UBOX_SOCKETS 8

/*
 * Where a function that is a box is on its bus, and which number of its kind in its package Linux
 * gives it.
 */
struct nthw_pci_slot {
	int8_t device, function; /* -1: anywhere */
	uint8_t number;
};

struct nthw_pci_device {
	uint16_t vendor, device;
	const struct nthw_table *table; /* its registers */
	const char *vendor_names;	/* folder of the driver in which they have their vendor's names */
	uint32_t bar;			/* of rows in space MMIO */
	/*
	 * What tells its socket, itself or a function of this kind on its bus or near; NULL: a
	 * device of its own.
	 */
	const struct nthw_ubox *ubox;
	bool is_ubox;
	const char *box; /* the kind of box that it is; NULL: none */
	struct nthw_pci_slot slot[3];
	uint32_t slots;
};

/* NULL: none whose registers are known beyond the header that all have. */
const struct nthw_pci_device *nthw_pci_device(uint32_t vendor, uint32_t device);
/*
 * Which box of its kind a function of @known at @device, @function of its bus is; NULL: it is none.
 */
const struct nthw_pci_slot *nthw_pci_slot(const struct nthw_pci_device *known, uint32_t device,
					  uint32_t function);

/* Has it boxes that are PCI functions? If not, nobody needs to look at the bus. */
bool nthw_cpu_has_pci_box(const struct nthw_x86_cpu *cpu);

/* All rows: for tests. */
extern const struct nthw_pci_device nthw_pci_devices[];
extern const size_t nthw_pci_device_count;
/*
 * Kinds of boxes that rows of processors and functions name, from @number 0 on, some several times;
 * NULL: no more. For tests.
 */
const char *nthw_box_named(size_t number);

#endif
