/* SPDX-License-Identifier: MIT */
/* Signals of a graphics card's PCOUNTER by name, and functions of them. */
#ifndef NTI_CARD_SIGNALS_H
#define NTI_CARD_SIGNALS_H

#include <stdint.h>

#include "core/regs/nv50_chip.h"
#include "count/lib/event/resolve.h"

/* .count signals from .first on, of the chips that are bits of .chips. */
struct nti_card_signal {
	const char *name;
	uint8_t domain, first, count;
	uint16_t chips;
};
/* core/gpu/tesla.signals; chip i is called nti_card_signal_chips[i]. */
extern const struct nti_card_signal nti_card_signals[];
extern const size_t nti_card_signal_count;
extern const char *const nti_card_signal_chips[];
extern const size_t nti_card_signal_chip_count;

#define NTI_CARD_ARGUMENTS 4

struct nti_card_function {
	uint32_t src;	/* four signals, a byte each; those that are not used are the constant 0 */
	uint32_t table; /* bit a0 + 2 a1 + 4 a2 + 8 a3 */
	uint32_t domain;
};
/*
 * What @text stands for on @chip: names of signals of one domain with "!", "&", "|", parentheses
 * and "1", of several of a name "CTXCTL.USER.2"; in upper or lower case, '_' is as good as '.'.
 * @domain is the user's, or negative; those of a trailer need one. 0 or -EINVAL, with a sentence
 * about @event.
 */
int nti_card_function_parse(const struct nthw_nv_chip *chip, const char *text, int domain,
			    const char *event, struct nti_card_function *out, struct nti_error *e);

#endif
