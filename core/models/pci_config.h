/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Configuration space of one PCI function with a header of type 0: 256 bytes that know which of
 * their bits may change.
 */
#ifndef NTM_PCI_CONFIG_H
#define NTM_PCI_CONFIG_H

#include "core/base/reg.h"

#define NTM_PCI_CONFIG_BYTES 256
#define NTM_PCI_BARS 6

/* What tells one function from another. */
struct ntm_pci_identity {
	uint16_t vendor, device, subvendor, subsystem;
	uint32_t class_code; /* base class << 16 | subclass << 8 | interface */
	uint8_t revision;
	uint8_t interrupt_pin; /* 0 none, 1 to 4 INTA# to INTD# */
	bool is_multifunction;
};

struct ntm_pci_bar {
	uint32_t bytes; /* 0: there is none */
	bool is_io;
};

/* Initialise with ntm_pci_config_init(); plain data, to be copied and compared at will. */
struct ntm_pci_config {
	uint8_t value[NTM_PCI_CONFIG_BYTES];
	uint8_t reset[NTM_PCI_CONFIG_BYTES];
	uint8_t stored[NTM_PCI_CONFIG_BYTES];  /* bits that keep what is written */
	uint8_t cleared[NTM_PCI_CONFIG_BYTES]; /* bits that a written 1 clears */
	struct ntm_pci_bar bar[NTM_PCI_BARS];
	uint32_t last_capability; /* offset of the end of the list; 0 without */
};

/*
 * A function after power-on. Registers and the masks of their bits are those of the rows of
 * nthw_pci; no BAR, no capability yet.
 */
void ntm_pci_config_init(struct ntm_pci_config *c, const struct ntm_pci_identity *id);

/*
 * More registers, behind the header: reset values and masks of @table, whose addresses are offsets
 * below 256.
 */
void ntm_pci_config_add_table(struct ntm_pci_config *c, const struct nthw_table *table);

/*
 * BAR @index with @bytes, a power of two of at least 16: 32-bit memory, not prefetchable, or I/O.
 * False, and nothing changed, when there is no such BAR, it is taken, or the size is not one that a
 * BAR can have.
 */
bool ntm_pci_config_add_bar(struct ntm_pci_config *c, uint32_t index, uint32_t bytes, bool is_io);

/*
 * Put capability @id at @offset (0x40 to 0xfc, a multiple of 4) at the end of the list. What
 * follows its two bytes is the caller's to put, with ntm_pci_config_put_reset(). False, and nothing
 * changed, for another offset or one that the list has already.
 */
bool ntm_pci_config_add_capability(struct ntm_pci_config *c, uint8_t id, uint32_t offset);

/* As the bus sees it after reset: every register has its reset value, BARs are unassigned. */
void ntm_pci_config_reset(struct ntm_pci_config *c);

/*
 * An access of the bus: @bytes from 1 to 4 at @addr. Bits behind byte 255 read as 1 and are not
 * written: there is nothing there.
 */
uint32_t ntm_pci_config_read(const struct ntm_pci_config *c, uint32_t addr, uint32_t bytes);
void ntm_pci_config_write(struct ntm_pci_config *c, uint32_t addr, uint32_t bytes, uint32_t value);

/* Which bits of the 4 bytes at @reg a write sets to 1: what registers that act want to know. */
uint32_t ntm_pci_config_ones(uint32_t reg, uint32_t addr, uint32_t bytes, uint32_t value);

/*
 * The device's own access: @bytes from 1 to 8 inside the space, no bit refused. put_reset changes
 * the value after reset as well.
 */
uint64_t ntm_pci_config_get(const struct ntm_pci_config *c, uint32_t addr, uint32_t bytes);
void ntm_pci_config_put(struct ntm_pci_config *c, uint32_t addr, uint32_t bytes, uint64_t value);
void ntm_pci_config_put_reset(struct ntm_pci_config *c, uint32_t addr, uint32_t bytes,
			      uint64_t value);

/* Are these bits of the command register set? (NTM_PCI_IO and so on) */
#define NTM_PCI_IO 0x1u
#define NTM_PCI_MEMORY 0x2u
#define NTM_PCI_MASTER 0x4u
#define NTM_PCI_NO_INTX 0x400u
bool ntm_pci_config_is_enabled(const struct ntm_pci_config *c, uint32_t command_bits);

/*
 * The function wants an interrupt: bit 3 of the status register, which does not depend on the pin
 * being allowed.
 */
void ntm_pci_config_set_interrupt(struct ntm_pci_config *c, bool is_pending);

/*
 * Which BAR answers an access to @bytes at bus address @address, and where in it (*@offset)? Its
 * decoding must be enabled and the whole access inside. Returns the BAR's index, or NTM_PCI_BARS
 * when none answers.
 */
uint32_t ntm_pci_config_find_bar(const struct ntm_pci_config *c, uint64_t address, uint32_t bytes,
				 bool is_io, uint32_t *offset);

/*
 * What it does not model: bridges (header type 1); 64-bit and prefetchable BARs, a ROM; the 4096
 * bytes of PCI Express; what a capability does (it is bytes in a list); errors on the bus, so the
 * bits that report them are never set by an access; special cycles, palette snooping, the latency
 * timer's effect; the difference between kinds of reset; an access across 4 bytes, which no bus
 * does and which is taken byte by byte here.
 */

#endif
