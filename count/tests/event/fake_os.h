/* SPDX-License-Identifier: MIT */
/*
 * An operating system made of a table of files and CPUID leaves, for machines that nobody here has.
 */
#ifndef TT_FAKE_OS_H
#define TT_FAKE_OS_H

#include "base/os/os.h"

struct fake_file {
	const char *
		/* NULL ends a table; "DIR/" with NULL text: nobody may look into the directory */
		path;
	const char *text; /* NULL: may not be read */
};

struct fake_leaf {
	uint32_t leaf;
	uint32_t r[4]; /* eax ebx ecx edx */
};

struct fake_machine {
	const char *name, *arch;
	const struct fake_leaf *leaves; /* NULL: no CPUID; ends with a leaf whose registers are 0 */
	size_t leaf_count;
	const struct fake_file *files;
};

struct fake_os {
	struct nti_os os; /* first: ops get this pointer */
	const struct fake_machine *machine;
};

/* Machines written after the documents named beside them in machines.c; not recordings. */
extern const struct fake_machine fake_skx, fake_clx, fake_adl, fake_zen3, fake_zen4, fake_k8,
	fake_arm, fake_biglittle, fake_kvm, fake_noperf, fake_hidden, fake_nodriver, fake_armguest,
	fake_rpi, fake_armv7;

void fake_os_init(struct fake_os *fake, const struct fake_machine *machine);

#endif
