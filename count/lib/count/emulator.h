/* SPDX-License-Identifier: MIT */
/* A command in the emulator, from within. */
#ifndef NTI_EMULATOR_H
#define NTI_EMULATOR_H

#include <limits.h>
#include <stdbool.h>

#include <ntime/emulator.h>

#include "emulator/counts.h"
#include "emulator/program.h"
#include "base/os/map.h"

struct ntime_emulator {
	struct nti_map map;
	struct nte_counts *counts; /* in .map; whoever runs in the emulator can change it */
	bool by_function;
	const struct nte_machine *machine;
	char qemu[PATH_MAX], program[PATH_MAX], text[NTE_TEXT_BYTES];
	char plugin[3 * PATH_MAX]; /* its argument */
	char **argv;		   /* has pointers into those */
	struct nti_functions *functions;
};

/* NULL is accepted. */
void nti_functions_free(struct nti_functions *f);

#endif
