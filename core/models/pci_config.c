// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Configuration space of a PCI function: bytes, and masks that were expanded from rows. */
#include "core/models/pci_config.h"

#include "core/regs/regs.h"

#define VENDOR 0x00
#define DEVICE 0x02
#define COMMAND 0x04
#define STATUS 0x06
#define REVISION 0x08
#define CLASS_CODE 0x09
#define HEADER_TYPE 0x0e
#define BAR0 0x10
#define SUBVENDOR 0x2c
#define SUBSYSTEM 0x2e
#define CAPABILITIES 0x34
#define INTERRUPT_PIN 0x3d
#define HEADER_END 0x40

#define STATUS_INTERRUPT 0x08
#define STATUS_CAPABILITIES 0x10
#define MULTIFUNCTION 0x80
#define BAR_IO 0x1
/* what is no address in either kind, as no BAR here is smaller than 16 bytes */
#define BAR_FLAGS 0xf

static uint64_t access_mask(const struct nthw_reg *reg, enum nthw_access a, enum nthw_access b)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < reg->field_count; i++)
		if (reg->fields[i].access == a || reg->fields[i].access == b)
			mask |= nthw_field_mask(&reg->fields[i]);
	return mask;
}

static void add_register(struct ntm_pci_config *c, const struct nthw_reg *reg, uint32_t addr)
{
	uint64_t stored = nthw_reg_stored(reg);
	uint64_t cleared = access_mask(reg, NTHW_RW1C, NTHW_OS_RW1C);
	uint32_t i;

	for (i = 0; i < reg->bits / 8 && addr + i < NTM_PCI_CONFIG_BYTES; i++) {
		c->stored[addr + i] = (uint8_t)(stored >> (8 * i));
		c->cleared[addr + i] = (uint8_t)(cleared >> (8 * i));
		c->reset[addr + i] = c->value[addr + i] = (uint8_t)(reg->reset >> (8 * i));
	}
}

void ntm_pci_config_add_table(struct ntm_pci_config *c, const struct nthw_table *table)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < table->count; i++)
		for (k = 0; k < table->regs[i]->count; k++)
			add_register(c, table->regs[i],
				     table->regs[i]->addr + k * table->regs[i]->step);
}

uint64_t ntm_pci_config_get(const struct ntm_pci_config *c, uint32_t addr, uint32_t bytes)
{
	uint64_t value = 0;
	uint32_t i;

	for (i = 0; i < bytes; i++)
		value |= (uint64_t)c->value[addr + i] << (8 * i);
	return value;
}

void ntm_pci_config_put(struct ntm_pci_config *c, uint32_t addr, uint32_t bytes, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < bytes; i++)
		c->value[addr + i] = (uint8_t)(value >> (8 * i));
}

void ntm_pci_config_put_reset(struct ntm_pci_config *c, uint32_t addr, uint32_t bytes,
			      uint64_t value)
{
	uint32_t i;

	ntm_pci_config_put(c, addr, bytes, value);
	for (i = 0; i < bytes; i++)
		c->reset[addr + i] = c->value[addr + i];
}

void ntm_pci_config_init(struct ntm_pci_config *c, const struct ntm_pci_identity *id)
{
	uint32_t i;

	memset(c, 0, sizeof(*c));
	ntm_pci_config_add_table(c, &nthw_pci);
	/*
	 * Registers of BARs that are not there read as 0: ntm_pci_config_add_bar() gives back what
	 * one keeps.
	 */
	for (i = 0; i < NTM_PCI_BARS * 4; i++)
		c->stored[BAR0 + i] = 0;
	ntm_pci_config_put_reset(c, VENDOR, 2, id->vendor);
	ntm_pci_config_put_reset(c, DEVICE, 2, id->device);
	ntm_pci_config_put_reset(c, REVISION, 1, id->revision);
	ntm_pci_config_put_reset(c, CLASS_CODE, 3, id->class_code);
	ntm_pci_config_put_reset(c, HEADER_TYPE, 1, id->is_multifunction ? MULTIFUNCTION : 0);
	ntm_pci_config_put_reset(c, SUBVENDOR, 2, id->subvendor);
	ntm_pci_config_put_reset(c, SUBSYSTEM, 2, id->subsystem);
	ntm_pci_config_put_reset(c, INTERRUPT_PIN, 1, id->interrupt_pin);
}

bool ntm_pci_config_add_bar(struct ntm_pci_config *c, uint32_t index, uint32_t bytes, bool is_io)
{
	uint32_t addr = BAR0 + 4 * index, i;

	if (index >= NTM_PCI_BARS || c->bar[index].bytes)
		return false;
	/* PCI allows an I/O BAR 256 bytes at most. */
	if (bytes < 16 || (bytes & (bytes - 1)) || (is_io && bytes > 256))
		return false;
	c->bar[index].bytes = bytes;
	c->bar[index].is_io = is_io;
	for (i = 0; i < 4; i++)
		c->stored[addr + i] = (uint8_t)(~(bytes - 1) >> (8 * i));
	ntm_pci_config_put_reset(c, addr, 4, is_io ? BAR_IO : 0);
	return true;
}

bool ntm_pci_config_add_capability(struct ntm_pci_config *c, uint8_t id, uint32_t offset)
{
	uint32_t at;

	if (offset < HEADER_END || offset > NTM_PCI_CONFIG_BYTES - 4 || offset % 4)
		return false;
	for (at = c->reset[CAPABILITIES]; at; at = c->reset[at + 1])
		if (at == offset)
			return false;
	ntm_pci_config_put_reset(c, offset, 2, id);
	ntm_pci_config_put_reset(c, c->last_capability ? c->last_capability + 1 : CAPABILITIES, 1,
				 offset);
	c->last_capability = offset;
	ntm_pci_config_put_reset(c, STATUS, 2, c->reset[STATUS] | STATUS_CAPABILITIES);
	return true;
}

void ntm_pci_config_reset(struct ntm_pci_config *c)
{
	memcpy(c->value, c->reset, sizeof(c->value));
}

uint32_t ntm_pci_config_read(const struct ntm_pci_config *c, uint32_t addr, uint32_t bytes)
{
	uint32_t value = 0, i;

	for (i = 0; i < bytes && i < 4; i++) {
		uint64_t at = (uint64_t)addr + i;

		value |= (uint32_t)(at < NTM_PCI_CONFIG_BYTES ? c->value[at] : 0xff) << (8 * i);
	}
	return value;
}

void ntm_pci_config_write(struct ntm_pci_config *c, uint32_t addr, uint32_t bytes, uint32_t value)
{
	uint32_t i;

	for (i = 0; i < bytes && i < 4; i++) {
		uint64_t at = (uint64_t)addr + i;
		uint8_t written = (uint8_t)(value >> (8 * i));

		if (at >= NTM_PCI_CONFIG_BYTES)
			break;
		c->value[at] =
			(uint8_t)((c->value[at] & ~c->stored[at]) | (written & c->stored[at]));
		c->value[at] = (uint8_t)(c->value[at] & ~(written & c->cleared[at]));
	}
}

uint32_t ntm_pci_config_ones(uint32_t reg, uint32_t addr, uint32_t bytes, uint32_t value)
{
	uint32_t ones = 0, i;

	for (i = 0; i < bytes && i < 4; i++) {
		uint32_t at = addr + i - reg;

		if (at < 4)
			ones |= (value >> (8 * i) & 0xff) << (8 * at);
	}
	return ones;
}

bool ntm_pci_config_is_enabled(const struct ntm_pci_config *c, uint32_t command_bits)
{
	return (ntm_pci_config_get(c, COMMAND, 2) & command_bits) == command_bits;
}

void ntm_pci_config_set_interrupt(struct ntm_pci_config *c, bool is_pending)
{
	uint64_t status = ntm_pci_config_get(c, STATUS, 2);

	status = is_pending ? status | STATUS_INTERRUPT : status & ~(uint64_t)STATUS_INTERRUPT;
	ntm_pci_config_put(c, STATUS, 2, status);
}

uint32_t ntm_pci_config_find_bar(const struct ntm_pci_config *c, uint64_t address, uint32_t bytes,
				 bool is_io, uint32_t *offset)
{
	uint32_t i;

	if (!ntm_pci_config_is_enabled(c, is_io ? NTM_PCI_IO : NTM_PCI_MEMORY))
		return NTM_PCI_BARS;
	for (i = 0; i < NTM_PCI_BARS; i++) {
		uint64_t base = ntm_pci_config_get(c, BAR0 + 4 * i, 4) & ~(uint64_t)BAR_FLAGS;

		if (c->bar[i].is_io != is_io || bytes > c->bar[i].bytes)
			continue;
		if (address >= base && address - base <= c->bar[i].bytes - bytes) {
			*offset = (uint32_t)(address - base);
			return i;
		}
	}
	return NTM_PCI_BARS;
}
