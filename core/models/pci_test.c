// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The PCI test device; registers in core/models/lab/pci_test_rows.c. */
#include "core/models/pci_test.h"

#include "core/regs/pci_test.h"

#define COUNTER 0x10
#define READS 0x18
#define WRITES 0x1c
#define DMA_SOURCE 0x40
#define DMA_TARGET 0x48
#define DMA_BYTES 0x50
#define DMA_START 0x54
#define DMA_STATUS 0x58
#define IRQ_RAISE 0x60
#define IRQ_PENDING 0x64
#define IRQ_ENABLE 0x68

#define DMA_DONE 1u
#define DMA_FAILED 2u
#define PIECE_BYTES 256
#define IO_BYTES 16

static uint64_t get(const struct ntm_pci_test *m, uint32_t offset, uint32_t bytes)
{
	uint64_t value = 0;
	uint32_t i;

	for (i = 0; i < bytes; i++)
		value |= (uint64_t)m->value[offset + i] << (8 * i);
	return value;
}

static void put(struct ntm_pci_test *m, uint32_t offset, uint32_t bytes, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < bytes; i++)
		m->value[offset + i] = (uint8_t)(value >> (8 * i));
}

static void reset_registers(struct ntm_pci_test *m)
{
	size_t i;

	memset(m->value, 0, sizeof(m->value));
	for (i = 0; i < nthw_pci_test.count; i++)
		put(m, nthw_pci_test.regs[i]->addr, nthw_pci_test.regs[i]->bits / 8,
		    nthw_pci_test.regs[i]->reset);
}

/* Pin and status bit follow the registers. */
static void update_interrupt(struct ntm_pci_test *m)
{
	bool is_pending = (get(m, IRQ_PENDING, 4) & get(m, IRQ_ENABLE, 4)) != 0;
	bool is_asserted = is_pending && !ntm_pci_config_is_enabled(&m->config, NTM_PCI_NO_INTX);

	ntm_pci_config_set_interrupt(&m->config, is_pending);
	if (is_asserted == m->is_asserted)
		return;
	m->is_asserted = is_asserted;
	if (m->bus && m->bus->set_interrupt)
		m->bus->set_interrupt(m->bus, is_asserted);
}

void ntm_pci_test_init(struct ntm_pci_test *m, struct ntm_pci_bus *bus)
{
	/*
	 * 0xff: a device that fits no class (PCI Code and ID Assignment, as in Linux
	 * PCI_CLASS_OTHERS).
	 */
	static const struct ntm_pci_identity id = {
		.vendor = 0x1234,
		.device = 0x6e74,
		.subvendor = 0x1234,
		.subsystem = 0x0001,
		.class_code = 0xff0000,
		.revision = 1,
		.interrupt_pin = 1,
	};

	memset(m, 0, sizeof(*m));
	m->bus = bus;
	ntm_pci_config_init(&m->config, &id);
	(void)ntm_pci_config_add_bar(&m->config, 0, NTM_PCI_TEST_BAR_BYTES, false);
	(void)ntm_pci_config_add_bar(&m->config, 1, IO_BYTES, true);
	/* 9: a capability of the vendor's own; its third byte is its length. */
	(void)ntm_pci_config_add_capability(&m->config, 0x09, 0x40);
	ntm_pci_config_put_reset(&m->config, 0x42, 1, 4);
	reset_registers(m);
}

void ntm_pci_test_reset(struct ntm_pci_test *m)
{
	ntm_pci_config_reset(&m->config);
	reset_registers(m);
	update_interrupt(m);
}

uint32_t ntm_pci_test_config_read(const struct ntm_pci_test *m, uint32_t addr, uint32_t bytes)
{
	return ntm_pci_config_read(&m->config, addr, bytes);
}

void ntm_pci_test_config_write(struct ntm_pci_test *m, uint32_t addr, uint32_t bytes,
			       uint32_t value)
{
	ntm_pci_config_write(&m->config, addr, bytes, value);
	update_interrupt(m);
}

static bool is_access(uint32_t bar, uint32_t offset, uint32_t bytes)
{
	uint32_t room = bar == 0 ? NTM_PCI_TEST_BAR_BYTES : IO_BYTES;

	return bar <= 1 && bytes >= 1 && bytes <= 8 && bytes <= room && offset <= room - bytes;
}

uint64_t ntm_pci_test_bar_read(struct ntm_pci_test *m, uint32_t bar, uint32_t offset,
			       uint32_t bytes)
{
	uint64_t value = 0;
	uint32_t i;

	if (!is_access(bar, offset, bytes))
		return ~(uint64_t)0 >> (bytes < 8 ? 64 - 8 * (bytes ? bytes : 1) : 0);
	for (i = 0; i < bytes; i++)
		value |= (uint64_t)m->value[(offset + i) % NTM_PCI_TEST_REGS_BYTES] << (8 * i);
	put(m, READS, 4, get(m, READS, 4) + 1);
	return value;
}

static bool copy_pieces(struct ntm_pci_test *m)
{
	uint64_t source = get(m, DMA_SOURCE, 8), target = get(m, DMA_TARGET, 8);
	uint64_t left = get(m, DMA_BYTES, 4);
	uint8_t piece[PIECE_BYTES];

	if (!m->bus || !m->bus->read_memory || !m->bus->write_memory ||
	    !ntm_pci_config_is_enabled(&m->config, NTM_PCI_MASTER))
		return false;
	while (left) {
		size_t bytes = left < sizeof(piece) ? (size_t)left : sizeof(piece);

		if (!m->bus->read_memory(m->bus, source, piece, bytes) ||
		    !m->bus->write_memory(m->bus, target, piece, bytes))
			return false;
		source += bytes;
		target += bytes;
		left -= bytes;
	}
	return true;
}

/*
 * One byte of one register: what of it is kept and what cleared; bits that act are handed to the
 * caller, who acts after the last byte.
 */
static void write_byte(struct ntm_pci_test *m, uint32_t offset, uint8_t written, bool *starts,
		       uint32_t *raises)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < nthw_pci_test.count; i++) {
		const struct nthw_reg *reg = nthw_pci_test.regs[i];
		uint32_t shift = 8 * (offset - reg->addr);
		uint8_t stored, cleared = 0;

		if (offset < reg->addr || shift >= reg->bits)
			continue;
		stored = (uint8_t)(nthw_reg_stored(reg) >> shift);
		for (k = 0; k < reg->field_count; k++)
			if (reg->fields[k].access == NTHW_RW1C)
				cleared |= (uint8_t)(nthw_field_mask(&reg->fields[k]) >> shift);
		m->value[offset] = (uint8_t)(((m->value[offset] & ~stored) | (written & stored)) &
					     ~(written & cleared));
		if (reg->addr == DMA_START && shift == 0 && (written & 1))
			*starts = true;
		if (reg->addr == IRQ_RAISE)
			*raises |= (uint32_t)written << shift;
		return;
	}
}

void ntm_pci_test_bar_write(struct ntm_pci_test *m, uint32_t bar, uint32_t offset, uint32_t bytes,
			    uint64_t value)
{
	bool starts = false;
	uint32_t raises = 0, i;

	if (!is_access(bar, offset, bytes))
		return;
	put(m, WRITES, 4, get(m, WRITES, 4) + 1);
	for (i = 0; i < bytes; i++)
		write_byte(m, (offset + i) % NTM_PCI_TEST_REGS_BYTES, (uint8_t)(value >> (8 * i)),
			   &starts, &raises);
	put(m, IRQ_PENDING, 4, get(m, IRQ_PENDING, 4) | raises);
	if (starts) {
		put(m, DMA_STATUS, 4, copy_pieces(m) ? DMA_DONE : DMA_FAILED);
		put(m, IRQ_PENDING, 4, get(m, IRQ_PENDING, 4) | NTM_PCI_TEST_COPY_IRQ);
	}
	update_interrupt(m);
}

void ntm_pci_test_advance(struct ntm_pci_test *m, uint64_t ticks)
{
	put(m, COUNTER, 8, get(m, COUNTER, 8) + ticks);
}
