/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * A PCI device that exists nowhere else: registers to read and write, a counter that counts what it
 * is told, a copier (DMA) and an interrupt. For tests of drivers, tools and traces, where every
 * answer must be known.
 *
 *     BAR 0   memory, 4096 bytes: the rows of nthw_pci_test (core/models/lab/pci_test_rows.c), the
 *             same
 *             again
 *             every 256 bytes
 *     BAR 1   I/O, 16 bytes: the first 16 bytes of BAR 0
 *
 * An access of 1, 2, 4 or 8 bytes may lie anywhere. What has no register reads as 0 and ignores
 * writes.
 */
#ifndef NTM_PCI_TEST_H
#define NTM_PCI_TEST_H

#include "core/models/pci_config.h"

#define NTM_PCI_TEST_BAR_BYTES 4096
#define NTM_PCI_TEST_REGS_BYTES 256
#define NTM_PCI_TEST_COPY_IRQ 0x80000000u

/*
 * What a device asks of the bus. Lent by who plugs it in; called only from inside the functions
 * below.
 */
struct ntm_pci_bus {
	/*
	 * Read or write memory at a bus address; false when not all of it is there. NULL: no memory
	 * at all.
	 */
	bool (*read_memory)(struct ntm_pci_bus *bus, uint64_t address, void *to, size_t bytes);
	bool (*write_memory)(struct ntm_pci_bus *bus, uint64_t address, const void *from,
			     size_t bytes);
	/* The interrupt pin changed. NULL: not connected. */
	void (*set_interrupt)(struct ntm_pci_bus *bus, bool is_asserted);
};

struct ntm_pci_test {
	struct ntm_pci_config config;
	struct ntm_pci_bus *bus; /* borrowed; may be NULL */
	uint8_t value[NTM_PCI_TEST_REGS_BYTES];
	bool is_asserted; /* the pin */
};

void ntm_pci_test_init(struct ntm_pci_test *m, struct ntm_pci_bus *bus);
void ntm_pci_test_reset(struct ntm_pci_test *m);

uint32_t ntm_pci_test_config_read(const struct ntm_pci_test *m, uint32_t addr, uint32_t bytes);
void ntm_pci_test_config_write(struct ntm_pci_test *m, uint32_t addr, uint32_t bytes,
			       uint32_t value);

/*
 * Accesses to BAR 0 or 1 at @offset; counted in TEST_READS and TEST_WRITES. A read has no other
 * side effect.
 */
uint64_t ntm_pci_test_bar_read(struct ntm_pci_test *m, uint32_t bar, uint32_t offset,
			       uint32_t bytes);
void ntm_pci_test_bar_write(struct ntm_pci_test *m, uint32_t bar, uint32_t offset, uint32_t bytes,
			    uint64_t value);

/* @ticks things happened: TEST_COUNTER goes on, and wraps at 64 bits. */
void ntm_pci_test_advance(struct ntm_pci_test *m, uint64_t ticks);

/*
 * A copy runs inside the write that starts it, upward in pieces of 256 bytes, so source and target
 * that overlap are no problem when the target is below. It needs the bus master bit. It ends with
 * done or failed, and with bit 31 of TEST_IRQ_PENDING.
 *
 * What it does not model: time (a copy takes none), message-signalled interrupts, any real device.
 */

#endif
