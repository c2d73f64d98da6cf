/* SPDX-License-Identifier: MIT */
/* What an event of a graphics card needs, and beside which others it can be counted. */
#ifndef NTI_CARD_EVENTS_H
#define NTI_CARD_EVENTS_H

#include "count/lib/context/context.h"

struct nti_card_events;

/* Of all events of card @unit that can be counted. 0 or -ENOMEM. */
int nti_card_events_new(struct ntime_ctx *ctx, const struct nti_unit *unit,
			struct nti_card_events **out);
void nti_card_events_free(struct nti_card_events *c);
/* Of the event that nti_event_parse() takes as @name; NULL: it cannot be counted. Lives in @c. */
const struct ntime_card_event *nti_card_events_find(const struct nti_card_events *c,
						    const char *name);

#endif
