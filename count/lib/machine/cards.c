// SPDX-License-Identifier: MIT
/* Graphics cards as units. */
#include "count/lib/machine/cards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/nv50_wires.h"
#include "count/lib/access/handle.h"
#include "count/lib/access/pci.h"
#include "count/lib/access/why.h"
#include "base/os/socket.h"

#define FUNCTIONS "/sys/bus/pci/devices"
#define ALL_FUNCTIONS "/proc/bus/pci/devices" /* a line each: place, vendor and device, and more */
#define ALL_BYTES (1u << 18)
#define DISPLAY 0x03		      /* base class of a PCI function: PCI Code and ID Assignment */
#define REGISTERS ((uint64_t)1 << 24) /* bytes of BAR 0 of every chip of NVIDIA's since NV04 */
#define BOOT_0 0u
#define NOBODY UINT32_MAX /* what reads as ones alone */
#define COMMAND 4u	  /* of configuration space; PCI Local Bus Specification */
#define COMMAND_BITS 16
#define COMMAND_MEMORY 2u

int nti_card_find_model(const char *socket, const struct nthw_nv_chip **chip, uint32_t *has,
			struct nti_error *e)
{
	const struct ntime_model_request units = { .kind = NTIME_MODEL_READ,
						   .address = NTHW_NV_UNITS };
	struct ntime_model_hello hello;
	int fd = nti_socket_open(socket, &hello), ret = fd;

	*chip = fd >= 0 ? nthw_nv_chip_by_boot(hello.boot_0) : NULL;
	if (*chip && nthw_nv_has_wires(*chip))
		ret = nti_socket_ask(fd, &units, NULL, has, NULL, 0);
	nti_socket_close(fd);
	if (ret < 0)
		return nti_error(e, ret, "cannot reach a model of a card at %s: %s", socket,
				 nti_socket_why(ret));
	if (!*chip || !nthw_nv_has_wires(*chip))
		return nti_error(e, -ENOTSUP,
				 "the model at %s is a chip without known events (PMC.BOOT_0 %#x)",
				 socket, hello.boot_0);
	return 0;
}

/* The next card's unit, or, of its multiprocessors, the last card's. */
static struct nti_unit *new_unit(struct nti_units *units, const char *desc, bool is_mps)
{
	struct nti_unit_card *card = calloc(1, sizeof(*card));
	struct nti_unit *unit;
	unsigned int number = 0;
	char name[24];
	size_t i;

	for (i = 0; i < units->count; i++)
		number += units->unit[i]->kind == NTI_UNIT_DEVICE &&
			  !nti_unit_is_context(units->unit[i]);
	(void)snprintf(name, sizeof(name), "gpu%u%s", number - is_mps, is_mps ? "_mp" : "");
	unit = card ? nti_units_append(units, name, desc) : NULL;
	if (!unit) {
		free(card);
		return NULL;
	}
	unit->kind = NTI_UNIT_DEVICE;
	unit->type = UINT32_MAX;
	unit->scope = NTI_SCOPE_DEVICE;
	unit->card = card;
	card->is_mps = is_mps;
	return unit;
}

static struct nti_unit *new_model(struct nti_units *units, const struct nthw_nv_chip *chip,
				  uint32_t has, const char *socket, bool is_mps)
{
	struct nti_unit *unit;
	char desc[80];

	(void)snprintf(desc, sizeof(desc), "%s (%s)",
		       is_mps ? "multiprocessors of a card" : "graphics card", chip->name);
	unit = new_unit(units, desc, is_mps);
	if (!unit)
		return NULL;
	unit->method = NTI_METHOD_MODEL;
	unit->is_simulated = true;
	unit->card->chip = chip;
	unit->card->units = has;
	unit->card->socket = strdup(socket);
	return unit->card->socket ? unit : NULL;
}

int nti_cards_add_model(struct nti_units *units, const struct nthw_nv_chip *chip, uint32_t has,
			const char *socket)
{
	struct nti_unit *unit = new_model(units, chip, has, socket, false);

	if (!unit)
		return -ENOMEM;
	/* Before G84 nobody knows of them. */
	if (chip->family != NTHW_NV_G80) {
		unit->card->mps = new_model(units, chip, has, socket, true);
		if (!unit->card->mps)
			return -ENOMEM;
	}
	nti_units_sort(units);
	return 0;
}

/* ---- on the bus ---- */

struct finder {
	struct nti_os *os;
	struct nti_units *units;
	struct nti_pci *pci; /* NULL until it is needed */
};

/* Bytes of BAR 0, as the kernel has it; 0: none. */
static uint64_t bytes_of_bar(struct nti_os *os, const char *address)
{
	unsigned long long first, last;
	char path[96], text[4096]; /* a line for each of 13 resources, and of bridges 17 */

	(void)snprintf(path, sizeof(path), FUNCTIONS "/%.64s/resource", address);
	if (os->ops->text(os, path, text, sizeof(text)) < 0 ||
	    sscanf(text, "%llx %llx", &first, &last) != 2 || last <= first)
		return 0;
	return last - first + 1;
}

/* Who drives the card uses its counters as it likes, and may take its power away. */
static int check_driver(const struct finder *f, struct nti_unit *unit)
{
	const char *address = unit->card->function;
	char driver[32], remedy[128];
	int ret = nti_pci_driver(f->os, address, driver, sizeof(driver));

	if (ret == 0)
		return 0;
	if (ret < 0)
		return nti_absence_set(&unit->absent, NTIME_REASON_FAILED, unit->name,
				       "make " FUNCTIONS " readable",
				       "it cannot be told whether a driver has PCI function %s: %s",
				       address, strerror(-ret));
	(void)snprintf(remedy, sizeof(remedy), "echo %s >/sys/bus/pci/drivers/%s/unbind", address,
		       driver);
	return nti_absence_set(&unit->absent, NTIME_REASON_BUSY, unit->name, remedy,
			       "the driver %s has the card (PCI function %s), and may use its "
			       "counters",
			       driver, address);
}

/* Is it the chip that its id says, and which units has it? */
static int look_at(struct finder *f, struct nti_unit *unit)
{
	const struct nti_unit_card *card = unit->card;
	const struct nti_pci_function *function;
	const struct nthw_nv_chip *chip;
	struct nti_error error = { 0 };
	uint64_t command = 0, boot = 0, units = 0;
	char remedy[96];
	int ret = f->pci ? 0 : nti_pci_new(f->os, &f->pci);

	function = nti_pci_find(f->pci, card->function, NULL);
	if (ret == 0)
		ret = function ? nti_pci_read(function, NTHW_SPACE_PCI, COMMAND, COMMAND_BITS,
					      &command, &error)
			       : -ENODEV;
	(void)snprintf(remedy, sizeof(remedy), "echo 1 >" FUNCTIONS "/%s/enable", card->function);
	if (ret == 0 && !(command & COMMAND_MEMORY))
		return nti_absence_set(&unit->absent, NTIME_REASON_OFFLINE, unit->name, remedy,
				       "the memory of PCI function %s is switched off",
				       card->function);
	if (ret == 0)
		ret = nti_pci_memory_share(function, NTHW_NV_COUNTING_BYTES, &error);
	if (ret == 0)
		ret = nti_pci_read(function, NTHW_SPACE_MMIO, BOOT_0, 32, &boot, &error);
	if (ret == 0)
		ret = nti_pci_read(function, NTHW_SPACE_MMIO, NTHW_NV_UNITS, 32, &units, &error);
	if (ret == -ENOMEM)
		return ret;
	if (ret < 0)
		return nti_absence_set(&unit->absent, nti_why_of_access(NULL, ret)->code,
				       unit->name, nti_why_of_access(NULL, ret)->remedy, "%s",
				       error.code ? error.text : strerror(-ret));
	if (boot == NOBODY)
		return nti_absence_set(&unit->absent, NTIME_REASON_OFFLINE, unit->name,
				       "load its driver once, which gives it power",
				       "the registers of PCI function %s read as ones: the card is "
				       "without power",
				       card->function);
	chip = nthw_nv_chip_by_boot((uint32_t)boot);
	if (chip != card->chip)
		return nti_absence_set(
			&unit->absent, NTIME_REASON_NOT_SUPPORTED, unit->name, "none",
			"its PCI id is that of a %s, and PMC.BOOT_0 (%#x) that of %s",
			card->chip->name, (unsigned int)boot,
			chip ? chip->name : "a chip that is not known");
	unit->card->units = (uint32_t)units;
	return 0;
}

static const struct nti_why elsewhere = {
	NTIME_REASON_NOT_SUPPORTED,
	"registers",
	"the registers of another machine cannot be read here",
	"count on that machine",
};
static const struct nti_why for_root = {
	NTIME_REASON_PERMISSION,
	"memory of PCI functions",
	"the memory of PCI functions is for root only",
	NTI_AS_ROOT ", where the kernel is not locked down",
};

/* The PMU that ntime's driver made of it; NULL: there is none. */
static const struct nti_unit *pmu_of(const struct finder *f, const char *address)
{
	char function[32];
	size_t i;

	for (i = 0; i < f->units->count; i++) {
		const struct nti_unit *unit = f->units->unit[i];

		if (strncmp(unit->name, "ntime_gpu", 9) == 0 &&
		    nti_os_line(f->os, function, sizeof(function), NTI_SYSFS_DEVICES "/%s/function",
				unit->name) >= 0 &&
		    strcmp(function, address) == 0)
			return unit;
	}
	return NULL;
}

/* perf counts it: who may not, or comes second, is told when an event is opened. */
static int take_pmu(struct finder *f, struct nti_unit *unit, const struct nti_unit *pmu)
{
	uint64_t units = UINT32_MAX;

	/* Not where its memory is switched off. */
	(void)nti_os_u64(f->os, &units, NTI_SYSFS_DEVICES "/%s/units", pmu->name);
	unit->card->units = (uint32_t)units;
	unit->method = NTI_METHOD_PERF;
	unit->type = pmu->type;
	unit->cpus = pmu->cpus ? strdup(pmu->cpus) : NULL;
	return pmu->cpus && !unit->cpus ? -ENOMEM : check_driver(f, unit);
}

/* What keeps it from being counted, in the order in which a person would remove it. */
static int check(struct finder *f, struct nti_unit *unit)
{
	const char *address = unit->card->function;
	uint64_t bytes = bytes_of_bar(f->os, address);
	const struct nti_why *why;
	int ret;

	if (!bytes)
		return nti_absence_set(&unit->absent, NTIME_REASON_OFFLINE, unit->name,
				       "echo 1 >/sys/bus/pci/rescan",
				       "BAR 0 of PCI function %s has no place in memory", address);
	if (bytes < REGISTERS)
		return nti_absence_set(&unit->absent, NTIME_REASON_NOT_SUPPORTED, unit->name,
				       "lspci -v shows what it has",
				       "BAR 0 of PCI function %s has %llu KiB, and registers of a "
				       "%s have %llu",
				       address, (unsigned long long)bytes >> 10,
				       unit->card->chip->name, (unsigned long long)REGISTERS >> 10);
	ret = check_driver(f, unit);
	if (ret < 0 || unit->absent.reason)
		return ret;
	if (f->os->is_elsewhere)
		return nti_absence_set_why(&unit->absent,
					   f->os->is_simulated ? &nti_why_recording : &elsewhere);
	ret = nti_method_probe(f->os, NTI_METHOD_PCI, &why);
	if (ret == -ENOMEM)
		return ret;
	if (ret == -EACCES)
		why = &for_root;
	return ret < 0 ? nti_absence_set_why(&unit->absent, why) : look_at(f, unit);
}

static int see_function(void *arg, const char *address)
{
	struct finder *f = arg;
	const struct nthw_nv_chip *chip;
	uint64_t vendor, device, class;
	const struct nti_unit *pmu;
	struct nti_unit *unit;
	char desc[64], id[16];

	if (nti_os_u64(f->os, &vendor, FUNCTIONS "/%s/vendor", address) < 0 ||
	    vendor != NTHW_NV_VENDOR ||
	    nti_os_u64(f->os, &class, FUNCTIONS "/%s/class", address) < 0 ||
	    class >> 16 != DISPLAY ||
	    nti_os_u64(f->os, &device, FUNCTIONS "/%s/device", address) < 0)
		return 0;
	chip = nthw_nv_chip_by_device((uint32_t)device);
	(void)snprintf(id, sizeof(id), "10de:%04x", (unsigned int)(device & 0xffff));
	(void)snprintf(desc, sizeof(desc), "graphics card (%s)", chip ? chip->name : id);
	unit = new_unit(f->units, desc, false);
	if (!unit)
		return -ENOMEM;
	unit->method = NTI_METHOD_PCI;
	if (!chip || !nthw_nv_has_wires(chip)) {
		free(unit->card);
		unit->card = NULL;
		return nti_absence_set(&unit->absent, NTIME_REASON_NOT_SUPPORTED, unit->name,
				       "its maker's tools count it",
				       "ntime knows no events of this chip (PCI id %s)", id);
	}
	unit->card->chip = chip;
	unit->card->units = UINT32_MAX;
	(void)snprintf(unit->card->function, sizeof(unit->card->function), "%s", address);
	pmu = pmu_of(f, address);
	return pmu ? take_pmu(f, unit, pmu) : check(f, unit);
}

/*
 * False: no function is of NVIDIA. One file tells of all; asking each takes four system calls, and
 * servers have hundreds. Where it is not there, or longer, each is asked.
 */
static bool may_be_there(struct nti_os *os)
{
	char *text = malloc(ALL_BYTES);
	bool may = !text || os->ops->text(os, ALL_FUNCTIONS, text, ALL_BYTES) < 0 ||
		   strstr(text, "\t10de");

	free(text);
	return may;
}

int nti_cards_add(struct nti_os *os, struct nti_units *units)
{
	struct finder f = { .os = os, .units = units };
	size_t before = units->count;
	int ret = may_be_there(os) ? os->ops->list(os, FUNCTIONS, see_function, &f) : 0;

	nti_pci_free(f.pci);
	if (ret == -ENOMEM)
		return ret;
	if (units->count > before)
		nti_units_sort(units);
	return 0;
}
