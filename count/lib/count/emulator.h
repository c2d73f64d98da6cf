/* SPDX-License-Identifier: MIT */
/* A command in the emulator, from within. */
#ifndef NTI_EMULATOR_H
#define NTI_EMULATOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include <ntime/emulator.h>
#include <ntime/session.h>

#include "base/common/absence.h"
#include "base/os/map.h"
#include "emulator/counts.h"
#include "emulator/program.h"

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

/*
 * Events that a plugin of the emulator counts for a command, in memory that it shares with us:
 * items that need no counter.
 */

struct nti_session_item;

/* The event called @name (with or without :u) is number ...; -1: the emulator has none such. */
int nti_emulated_find(const char *name);
/*
 * @e is to count event @name, which was found; why it cannot, in @out, which stays empty where it
 * does. 0 or -ENOMEM.
 */
int nti_emulated_want(const struct ntime_emulator *e, const char *name, struct nti_absence *out);
/* What item @item, which is one of these, has now; the session ran for @real_ns. */
struct ntime_value nti_emulated_value(const struct ntime_session *s,
				      const struct nti_session_item *item, uint64_t real_ns);

#endif
