/* SPDX-License-Identifier: MIT */
/* Graphics cards as units: "gpu0", whose counters count the card and nothing else. */
#ifndef NTI_CARDS_H
#define NTI_CARDS_H

#include "base/common/error.h"
#include "count/lib/machine/unit.h"

/*
 * Which chip the card has that is served at @socket, its rows, and which units: NTHW_NV_UNITS. 0,
 * or -errno with a sentence: nobody serves there, it speaks something else, or no events of its
 * chip are known (-ENOTSUP).
 */
int nti_card_find_model(const char *socket, const struct nthw_nv_chip **chip, uint32_t *has,
			struct nti_error *e);
/* A unit for it; names of cards are in order of coming. 0 or -ENOMEM. */
int nti_cards_add_model(struct nti_units *units, const struct nthw_nv_chip *chip, uint32_t has,
			const char *socket);
/*
 * Units for NVIDIA's cards on the bus of @os, absent with a reason where they cannot be counted.
 * Their registers are looked at on this machine alone. 0 or -ENOMEM.
 */
int nti_cards_add(struct nti_os *os, struct nti_units *units);

#endif
