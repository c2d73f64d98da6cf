// SPDX-License-Identifier: MIT
/* The PCI bus of fake_boxes.h, where libpciaccess can be stood in for. */
#include <errno.h>

#include "count/tests/session/fake_boxes.h"
#include "count/tests/session/fake_pciaccess.h"

static struct fake_pci bus;

static int pci_fault(struct fake_boxes *f, size_t index, uint32_t address, bool is_write)
{
	int ret = fake_boxes_fault(f, address, is_write);

	return f->is_broken[index / FAKE_CHANNELS] ? -EIO : ret;
}

static int pci_read(void *arg, size_t index, uint32_t address, uint32_t bytes, uint32_t *value)
{
	struct fake_boxes *f = arg;
	int ret = pci_fault(f, index, address, false);

	if (ret < 0)
		return -ret;
	*value = f->is_gone[index / FAKE_CHANNELS]
			 ? UINT32_MAX >> (32 - 8 * bytes)
			 : ntm_snbep_imc_read(fake_boxes_channel(f, index), address, bytes);
	return 0;
}

static int pci_write(void *arg, size_t index, uint32_t address, uint32_t bytes, uint32_t value)
{
	struct fake_boxes *f = arg;
	int ret = pci_fault(f, index, address, true);

	if (fake_boxes_leaves_out(f, ret))
		return -ret;
	f->writes++;
	if (!f->is_gone[index / FAKE_CHANNELS])
		ntm_snbep_imc_write(fake_boxes_channel(f, index), address, bytes, value);
	return -ret;
}

static void make_bus(struct fake_boxes *f)
{
	size_t i;

	bus.count = FAKE_PACKAGES * FAKE_CHANNELS;
	bus.arg = f;
	bus.read = pci_read;
	bus.write = pci_write;
	for (i = 0; i < bus.count; i++) {
		struct pci_device *d = &bus.device[i];

		d->bus = fake_boxes_buses[i / FAKE_CHANNELS];
		d->dev = 0x10;
		d->func = fake_boxes_functions[i % FAKE_CHANNELS];
		d->vendor_id = (uint16_t)ntm_snbep_imc_read(fake_boxes_channel(f, i), 0, 2);
		d->device_id = (uint16_t)ntm_snbep_imc_read(fake_boxes_channel(f, i), 2, 2);
	}
	fake_pci_use(&bus);
}

static void end_bus(void)
{
	fake_pci_use(NULL);
}

void fake_boxes_init(struct fake_boxes *f, bool has_uncore)
{
	fake_boxes_init_bare(f, has_uncore);
	make_bus(f);
	f->end_bus = end_bus;
}
