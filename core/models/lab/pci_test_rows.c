// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * BAR 0 of ntime's own PCI test device, which exists in core/models/pci_test.c only: something to
 * access, copy and interrupt with where the answer is known. Its ids are 1234:6e74; 1234 is
 * assigned to nobody known and widely used by emulated devices.
 */
#include "core/regs/pci_test.h"
#include "core/regs/regs.h"

#define OWN "core/models/pci_test.h, which defines the device"

#define ROW(reg, what, title, offset, width, start, mask, list)                                    \
	static const struct nthw_reg reg = {                                                       \
		.name = (title),                                                                   \
		.role = NTHW_ROLE_##what,                                                          \
		.space = NTHW_SPACE_MMIO,                                                          \
		.addr = (offset),                                                                  \
		.count = 1,                                                                        \
		.bits = (width),                                                                   \
		.reset = (start),                                                                  \
		.writable = (mask),                                                                \
		NTHW_FIELDS(list),                                                                 \
		.source = OWN,                                                                     \
		.trust = NTHW_DOCUMENTED,                                                          \
		.scope = NTHW_SCOPE_DEVICE,                                                        \
	}

static const struct nthw_field id_fields[] = {
	{ "id", 0, 32, NTHW_RO, "0x6d69746e: \"ntim\" in memory" },
};
ROW(id, OTHER, "TEST_ID", 0x00, 32, 0x6d69746e, 0, id_fields);

static const struct nthw_field version_fields[] = {
	{ "version", 0, 32, NTHW_RO, "of these registers" },
};
ROW(version, OTHER, "TEST_VERSION", 0x04, 32, 1, 0, version_fields);

static const struct nthw_field scratch_fields[] = {
	{ "any", 0, 64, NTHW_RW, "keeps what is written" },
};
ROW(scratch, OTHER, "TEST_SCRATCH", 0x08, 64, 0, 0xffffffffffffffff, scratch_fields);

static const struct nthw_field counter_fields[] = {
	{ "ticks", 0, 64, NTHW_RO, "what the model was told to count" },
};
ROW(counter, GAUGE, "TEST_COUNTER", 0x10, 64, 0, 0, counter_fields);

static const struct nthw_field reads_fields[] = {
	{ "count", 0, 32, NTHW_RO, "reads of this BAR since reset, without the one that reads it" },
};
ROW(reads, GAUGE, "TEST_READS", 0x18, 32, 0, 0, reads_fields);

static const struct nthw_field writes_fields[] = {
	{ "count", 0, 32, NTHW_RO, "writes of this BAR since reset" },
};
ROW(writes, GAUGE, "TEST_WRITES", 0x1c, 32, 0, 0, writes_fields);

static const struct nthw_field address_fields[] = {
	{ "address", 0, 64, NTHW_RW, "in memory" },
};
ROW(source, OTHER, "TEST_DMA_SOURCE", 0x40, 64, 0, 0xffffffffffffffff, address_fields);
ROW(target, OTHER, "TEST_DMA_TARGET", 0x48, 64, 0, 0xffffffffffffffff, address_fields);

static const struct nthw_field bytes_fields[] = {
	{ "bytes", 0, 24, NTHW_RW, "how much to copy" },
};
ROW(bytes, OTHER, "TEST_DMA_BYTES", 0x50, 32, 0, 0xffffff, bytes_fields);

static const struct nthw_field start_fields[] = {
	{ "start", 0, 1, NTHW_W1C, "copies; done or failed is set when the write has ended" },
};
ROW(start, CONTROL, "TEST_DMA_START", 0x54, 32, 0, 1, start_fields);

static const struct nthw_field dma_status_fields[] = {
	{ "done", 0, 1, NTHW_RW1C, "all was copied" },
	{ "failed", 1, 1, NTHW_RW1C, "not all could be copied: not a master, or no memory there" },
};
ROW(dma_status, STATUS, "TEST_DMA_STATUS", 0x58, 32, 0, 3, dma_status_fields);

static const struct nthw_field raise_fields[] = {
	{ "raise", 0, 32, NTHW_W1C, "sets these bits of pending" },
};
ROW(irq_raise, CONTROL, "TEST_IRQ_RAISE", 0x60, 32, 0, 0xffffffff, raise_fields);

static const struct nthw_field pending_fields[] = {
	{ "pending", 0, 32, NTHW_RW1C, "what was raised; bit 31 is raised by each end of a copy" },
};
ROW(irq_pending, STATUS, "TEST_IRQ_PENDING", 0x64, 32, 0, 0xffffffff, pending_fields);

static const struct nthw_field enable_fields[] = {
	{ "enable", 0, 32, NTHW_RW, "the interrupt pin is asserted while one of these is pending" },
};
ROW(irq_enable, CONTROL, "TEST_IRQ_ENABLE", 0x68, 32, 0, 0xffffffff, enable_fields);

static const struct nthw_reg *const regs[] = {
	&id,	 &version, &scratch, &counter,	  &reads,     &writes,	    &source,
	&target, &bytes,   &start,   &dma_status, &irq_raise, &irq_pending, &irq_enable,
};
const struct nthw_table nthw_pci_test = {
	.name = "pci_test",
	.regs = regs,
	.count = NTHW_ARRAY_SIZE(regs),
};
