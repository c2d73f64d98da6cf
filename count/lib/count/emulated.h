/* SPDX-License-Identifier: MIT */
/*
 * Events that a plugin of the emulator counts for a command, in memory that it shares with us:
 * items that need no counter.
 */
#ifndef NTI_EMULATED_H
#define NTI_EMULATED_H

#include <stdint.h>

#include <ntime/emulator.h>
#include <ntime/session.h>

#include "base/common/absence.h"

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
