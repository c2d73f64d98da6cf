// SPDX-License-Identifier: MIT
/* libpciaccess made of a test's functions. */
#include <errno.h>

#include "base/tests/tt.h"

#include "base/lazy/lazy.h"
#include "count/tests/session/fake_pciaccess.h"

/* Loaded: the functions are below. Defined here, it keeps the linker from taking base/lazy's. */
struct nti_lazy nti_lazy_pciaccess = { .is_loaded = 1 };

struct pci_device_iterator {
	size_t next;
};

static struct fake_pci *bus;

void fake_pci_use(struct fake_pci *lent)
{
	bus = lent;
}

int pci_system_init(void)
{
	return 0;
}

struct pci_device_iterator *pci_slot_match_iterator_create(const struct pci_slot_match *match)
{
	assert_null(match);
	return calloc(1, sizeof(struct pci_device_iterator));
}

struct pci_device *pci_device_next(struct pci_device_iterator *iter)
{
	return bus && iter->next < bus->count ? &bus->device[iter->next++] : NULL;
}

void pci_iterator_destroy(struct pci_device_iterator *iter)
{
	free(iter);
}

static int read_bytes(struct pci_device *dev, uint32_t address, uint32_t bytes, uint32_t *value)
{
	assert_non_null(bus);
	return bus->read(bus->arg, (size_t)(dev - bus->device), address, bytes, value);
}

static int write_bytes(struct pci_device *dev, uint32_t address, uint32_t bytes, uint32_t value)
{
	assert_non_null(bus);
	return bus->write(bus->arg, (size_t)(dev - bus->device), address, bytes, value);
}

int pci_device_cfg_read_u8(struct pci_device *dev, uint8_t *data, pciaddr_t offset)
{
	uint32_t value = 0;
	int error = read_bytes(dev, (uint32_t)offset, 1, &value);

	*data = (uint8_t)value;
	return error;
}

int pci_device_cfg_read_u16(struct pci_device *dev, uint16_t *data, pciaddr_t offset)
{
	uint32_t value = 0;
	int error = read_bytes(dev, (uint32_t)offset, 2, &value);

	*data = (uint16_t)value;
	return error;
}

int pci_device_cfg_read_u32(struct pci_device *dev, uint32_t *data, pciaddr_t offset)
{
	return read_bytes(dev, (uint32_t)offset, 4, data);
}

int pci_device_cfg_write_u8(struct pci_device *dev, uint8_t data, pciaddr_t offset)
{
	return write_bytes(dev, (uint32_t)offset, 1, data);
}

int pci_device_cfg_write_u16(struct pci_device *dev, uint16_t data, pciaddr_t offset)
{
	return write_bytes(dev, (uint32_t)offset, 2, data);
}

int pci_device_cfg_write_u32(struct pci_device *dev, uint32_t data, pciaddr_t offset)
{
	return write_bytes(dev, (uint32_t)offset, 4, data);
}

/* Memory of devices is for other tests. */
int pci_device_probe(struct pci_device *dev)
{
	(void)dev;
	return ENODEV;
}

int pci_device_map_range(struct pci_device *dev, pciaddr_t base, pciaddr_t size, unsigned map_flags,
			 void **addr)
{
	(void)dev, (void)base, (void)size, (void)map_flags;
	*addr = NULL;
	return ENODEV;
}

int pci_device_unmap_range(struct pci_device *dev, void *memory, pciaddr_t size)
{
	(void)dev, (void)memory, (void)size;
	return 0;
}
