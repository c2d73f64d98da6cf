// SPDX-License-Identifier: MIT
/* The pci and mmio access methods, on libpciaccess. */
#include <errno.h>
#include <pciaccess.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/access/pci.h"
#include "base/common/grow.h"
#include "base/lazy/lazy.h"

/* pci_read_config() of Linux 6.1 drivers/pci/pci-sysfs.c gives more only to CAP_SYS_ADMIN */

struct function {
	struct nti_pci_function told;
	struct pci_device *device;
	void *memory; /* BAR 0, NULL: not mapped */
	size_t bytes;
	bool is_writable;
	struct shared *shared; /* whose .memory it is; NULL: its own */
};

/* A mapping that several have; under the lock. */
struct shared {
	struct pci_device *device;
	void *memory;
	size_t bytes, users;
	struct shared *next;
};
static struct shared *all_shared;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

struct nti_pci {
	struct function *function;
	size_t count;
};

/*
 * libpciaccess keeps its list of devices in a global of its own (docs/adr/0004): made once, never
 * freed, others may use it too.
 */
static pthread_once_t system_once = PTHREAD_ONCE_INIT;
static int system_error;

/* libpciaccess takes a folder that it has no memory to read for an empty one. */
static void system_init(void)
{
	errno = 0;
	system_error = -pci_system_init();
	if (!system_error && errno == ENOMEM)
		system_error = -ENOMEM;
}

static int add(struct nti_pci *p, struct pci_device *device)
{
	struct function *f;

	if (!nti_grow(&p->function, p->count))
		return -ENOMEM;
	f = &p->function[p->count++];
	*f = (struct function){ .device = device,
				.told = { .domain = device->domain,
					  .bus = device->bus,
					  .device = device->dev,
					  .function = device->func,
					  .vendor_id = device->vendor_id,
					  .device_id = device->device_id } };
	(void)snprintf(f->told.address, sizeof(f->told.address), "%04x:%02x:%02x.%x",
		       f->told.domain & 0xffff, f->told.bus & 0xff, f->told.device & 0xff,
		       f->told.function & 0xf);
	return 0;
}

static int by_address(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	return strcmp(a->told.address, b->told.address);
}

static int add_all(struct nti_pci *p)
{
	struct pci_device_iterator *all = pci_slot_match_iterator_create(NULL);
	struct pci_device *device;
	int ret = 0;

	if (!all)
		return -ENOMEM;
	while (!ret && (device = pci_device_next(all)))
		ret = add(p, device);
	pci_iterator_destroy(all);
	if (p->count)
		qsort(p->function, p->count, sizeof(*p->function), by_address);
	return ret;
}

int nti_pci_new(struct nti_os *os, struct nti_pci **out)
{
	struct nti_pci *p;
	int ret;

	*out = NULL;
	if (os->is_elsewhere)
		return 0;
	/*
	 * Before it is initialised once and for all: a library that is missing now may be there
	 * later.
	 */
	ret = nti_lazy_load(&nti_lazy_pciaccess, NULL);
	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	(void)pthread_once(&system_once, system_init);
	if (system_error)
		return system_error == -ENOMEM ? -ENOMEM : 0;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	ret = add_all(p);
	if (ret < 0) {
		nti_pci_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

struct nti_lazy *nti_pci_library(void)
{
	return &nti_lazy_pciaccess;
}

static void leave(struct shared *s)
{
	struct shared **at = &all_shared;

	(void)pthread_mutex_lock(&shared_lock);
	if (--s->users == 0) {
		while (*at != s)
			at = &(*at)->next;
		*at = s->next;
		(void)pci_device_unmap_range(s->device, s->memory, s->bytes);
		free(s);
	}
	(void)pthread_mutex_unlock(&shared_lock);
}

void nti_pci_free(struct nti_pci *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->count; i++) {
		if (p->function[i].shared)
			leave(p->function[i].shared);
		else if (p->function[i].memory)
			(void)pci_device_unmap_range(p->function[i].device, p->function[i].memory,
						     p->function[i].bytes);
	}
	free(p->function);
	free(p);
}

const struct nti_pci_function *nti_pci_get(const struct nti_pci *p, size_t index)
{
	return p && index < p->count ? &p->function[index].told : NULL;
}

/* told is the first member. */
static struct function *function_of(const struct nti_pci_function *f)
{
	return (struct function *)(uintptr_t)f;
}

/* @error is libpciaccess's: a positive errno. */
static int explain(const struct nti_pci_function *f, uint32_t address, const char *verb, int error,
		   struct nti_error *e)
{
	if (error == EACCES || error == EPERM ||
	    (error == ENXIO && address >= NTI_PCI_PUBLIC_BYTES && strcmp(verb, "read") == 0))
		return nti_error(e, -EACCES,
				 "register %#x of PCI function %s can be %s only by root with all "
				 "capabilities",
				 address, f->address,
				 strcmp(verb, "read") == 0 ? "read" : "written");
	if (error == ENOENT || error == ENODEV)
		return nti_error(e, -ENODEV, "PCI function %s is gone", f->address);
	return nti_error(e, -EIO, "cannot %s register %#x of PCI function %s: %s", verb, address,
			 f->address, strerror(error));
}

static int config_get(struct pci_device *device, uint32_t address, uint32_t bytes, uint32_t *value)
{
	uint8_t byte;
	uint16_t half;
	uint32_t i;
	int error = 0;

	switch (bytes) {
	case 2:
		error = pci_device_cfg_read_u16(device, &half, address);
		*value = half;
		return error;
	case 4:
		return pci_device_cfg_read_u32(device, value, address);
	default:
		*value = 0;
		for (i = 0; i < bytes && !error; i++) {
			error = pci_device_cfg_read_u8(device, &byte, address + i);
			*value |= (uint32_t)byte << 8 * i;
		}
		return error;
	}
}

static int config_put(struct pci_device *device, uint32_t address, uint32_t bytes, uint32_t value)
{
	uint32_t i;
	int error = 0;

	switch (bytes) {
	case 2:
		return pci_device_cfg_write_u16(device, (uint16_t)value, address);
	case 4:
		return pci_device_cfg_write_u32(device, value, address);
	default:
		for (i = 0; i < bytes && !error; i++)
			error = pci_device_cfg_write_u8(device, (uint8_t)(value >> 8 * i),
							address + i);
		return error;
	}
}

static int config_read(const struct nti_pci_function *f, uint32_t address, uint32_t bits,
		       uint64_t *value, struct nti_error *e)
{
	struct pci_device *device = function_of(f)->device;
	uint32_t low = 0, high = 0, again = 0;
	int error;

	if (bits <= 32) {
		error = config_get(device, address, (bits + 7) / 8, &low);
	} else {
		error = config_get(device, address + 4, 4, &again);
		do {
			high = again;
			if (!error)
				error = config_get(device, address, 4, &low);
			if (!error)
				error = config_get(device, address + 4, 4, &again);
		} while (!error && again != high);
	}
	if (error)
		return explain(f, address, "read", error, e);
	*value = (uint64_t)high << 32 | low;
	return 0;
}

static int config_write(const struct nti_pci_function *f, uint32_t address, uint32_t bits,
			uint64_t value, struct nti_error *e)
{
	struct pci_device *device = function_of(f)->device;
	int error = 0;

	if (bits > 32)
		error = config_put(device, address + 4, 4, (uint32_t)(value >> 32));
	if (!error)
		error = config_put(device, address, bits > 32 ? 4 : (bits + 7) / 8,
				   (uint32_t)value);
	return error ? explain(f, address, "write", error, e) : 0;
}

/* The first @bytes of BAR 0 of @f, or all where it has less. */
static int map_range(struct function *f, size_t bytes, bool for_write, void **memory,
		     struct nti_error *e)
{
	int error = pci_device_map_range(f->device, f->device->regions[0].base_addr, bytes,
					 for_write ? PCI_DEV_MAP_FLAG_WRITABLE : 0, memory);

	if (!error)
		return 0;
	*memory = NULL;
	if (error == EACCES || error == EPERM)
		return nti_error(
			e, -EACCES,
			"the memory of PCI function %s can be mapped only by root with all "
			"capabilities, and not where the kernel is locked down",
			f->told.address);
	return nti_error(e, -EIO, "cannot map the memory of PCI function %s: %s", f->told.address,
			 strerror(error));
}

/* Bytes of its memory. */
static int look_at_memory(struct function *f, size_t *bytes, struct nti_error *e)
{
	const struct pci_mem_region *region = &f->device->regions[0];
	int error = pci_device_probe(f->device);

	if (error)
		return explain(&f->told, 0, "read", error, e);
	if (region->is_IO || !region->size)
		return nti_error(e, -ENODEV, "PCI function %s has no memory", f->told.address);
	*bytes = region->size;
	return 0;
}

/* BAR 0 of @f, mapped for what is wanted; it stays mapped. */
static int map(struct function *f, bool for_write, struct nti_error *e)
{
	int ret;

	if (f->memory && (f->is_writable || !for_write))
		return 0;
	if (f->memory)
		(void)pci_device_unmap_range(f->device, f->memory, f->bytes);
	f->memory = NULL;
	ret = look_at_memory(f, &f->bytes, e);
	if (ret == 0)
		ret = map_range(f, f->bytes, for_write, &f->memory, e);
	f->is_writable = ret == 0 && for_write;
	return ret;
}

/* A new mapping for others as well; under the lock. */
static int make_shared(struct function *f, uint32_t bytes, struct nti_error *e)
{
	struct shared *s;
	size_t all;
	int ret = look_at_memory(f, &all, e);

	if (ret < 0)
		return ret;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	*s = (struct shared){ .device = f->device, .bytes = bytes < all ? bytes : all };
	ret = map_range(f, s->bytes, true, &s->memory, e);
	if (ret < 0) {
		free(s);
		return ret;
	}
	s->next = all_shared;
	all_shared = f->shared = s;
	return 0;
}

int nti_pci_memory_share(const struct nti_pci_function *told, uint32_t bytes, struct nti_error *e)
{
	struct function *f = function_of(told);
	int ret = 0;

	if (f->memory)
		return 0;
	(void)pthread_mutex_lock(&shared_lock);
	f->shared = all_shared;
	while (f->shared && f->shared->device != f->device)
		f->shared = f->shared->next;
	if (!f->shared)
		ret = make_shared(f, bytes, e);
	if (ret == 0) {
		f->shared->users++;
		f->memory = f->shared->memory;
		f->bytes = f->shared->bytes;
		f->is_writable = true;
	}
	(void)pthread_mutex_unlock(&shared_lock);
	return ret;
}

static int place(const struct nti_pci_function *f, uint32_t address, uint32_t bits, bool for_write,
		 volatile uint32_t **out, struct nti_error *e)
{
	struct function *function = function_of(f);
	int ret = map(function, for_write, e);

	if (ret < 0)
		return ret;
	if (address % 4 || function->bytes < bits / 8 || address > function->bytes - bits / 8)
		return nti_error(e, -EIO,
				 "register %#x is outside of the memory of PCI function %s",
				 address, f->address);
	*out = (volatile uint32_t *)((char *)function->memory + address);
	return 0;
}

static int memory_read(const struct nti_pci_function *f, uint32_t address, uint32_t bits,
		       uint64_t *value, struct nti_error *e)
{
	volatile uint32_t *at = NULL;
	uint32_t low, high, again;
	int ret = place(f, address, bits, false, &at, e);

	if (!at)
		return ret;
	if (bits <= 32) {
		*value = at[0];
		return 0;
	}
	again = at[1];
	do {
		high = again;
		low = at[0];
		again = at[1];
	} while (again != high);
	*value = (uint64_t)high << 32 | low;
	return 0;
}

static int memory_write(const struct nti_pci_function *f, uint32_t address, uint32_t bits,
			uint64_t value, struct nti_error *e)
{
	volatile uint32_t *at = NULL;
	int ret = place(f, address, bits, true, &at, e);

	if (!at)
		return ret;
	if (bits > 32)
		at[1] = (uint32_t)(value >> 32);
	at[0] = (uint32_t)value;
	return 0;
}

int nti_pci_read(const struct nti_pci_function *f, enum nthw_space space, uint32_t address,
		 uint32_t bits, uint64_t *value, struct nti_error *e)
{
	return space == NTHW_SPACE_MMIO ? memory_read(f, address, bits, value, e)
					: config_read(f, address, bits, value, e);
}

int nti_pci_write(const struct nti_pci_function *f, enum nthw_space space, uint32_t address,
		  uint32_t bits, uint64_t value, struct nti_error *e)
{
	return space == NTHW_SPACE_MMIO ? memory_write(f, address, bits, value, e)
					: config_write(f, address, bits, value, e);
}
