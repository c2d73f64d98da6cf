/* SPDX-License-Identifier: MIT */
/*
 * A machine's sysfs in a temporary directory, with a kernel behind it: what is written to bind,
 * unbind, driver_override and drivers_probe does what Linux does (drivers/base/bus.c,
 * drivers/pci/pci-sysfs.c of Linux 6.1).
 */
#ifndef TT_FAKE_PCI_H
#define TT_FAKE_PCI_H

#include "trace/lib/base/context.h"

#define FAKE_CARD "0000:05:00.0"
#define FAKE_SOUND "0000:05:00.1"
#define FAKE_BRIDGE "0000:00:01.0"
#define FAKE_DISK "0000:00:1f.2"
#define FAKE_NET "0000:03:00.0"
#define FAKE_ALONE "0000:07:00.0"

struct fake_pci {
	struct nti_os os; /* first: ops get this pointer */
	struct nti_os *real;
	struct ntime_trace_ctx ctx;
	char root[64];
	char path[64][128]; /* of open descriptors that were opened for writing */
	bool is_root;
	const char *held;    /* this file is EBUSY: somebody has it open */
	const char *refuse;  /* drivers/DRIVER/bind refuses this function ... */
	const char *refuser; /* ... of this driver */
	int writes;
	char log[4096]; /* "PATH TEXT\n" of each write, /sys/bus/pci/ left out */
};

/* Each test has one of its own. */
extern struct fake_pci fake;

/*
 * Group 1 is the card (nouveau), its sound (snd_hda_intel, with the override of that name) and the
 * bridge above; 2 the controller of a disk, 3 a network card, 4 a card without driver; vfio-pci is
 * loaded.
 */
int fake_pci_set_up(void **state);
int fake_pci_tear_down(void **state);

/* Make a file, with the folders above it; NULL removes it. */
void fake_pci_file(const char *path, const char *text);
void fake_pci_link(const char *path, const char *target);
void fake_pci_remove(const char *path);
bool fake_pci_has(const char *path);
/* "DRIVER OVERRIDE" of a function, "-" for none; in static memory. */
const char *fake_pci_state(const char *function);

#endif
