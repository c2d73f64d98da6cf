/* SPDX-License-Identifier: MIT */
/* Events made from bytes, so that random tests and the fuzzer speak one language. */
#ifndef TT_RANDOM_EVENTS_H
#define TT_RANDOM_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "count/lib/plan/plan.h"

#define TT_EVENT_BYTES 8

/*
 * One event of 8 bytes: 0-1 low half of the mask, 2 PMU (low 2 bits) and group (next 3), 3 flags
 * (0: software, 1-3 zero: exclusive, 4-5: number of wants), 4-7 one want each (resource in the low
 * 2 bits, value in the next 2).
 * @wide uses all bits instead: large numbers, odd masks, invalid ones too.
 */
static inline void tt_event_from_bytes(const uint8_t *bytes, int wide, struct nti_plan_event *event)
{
	memset(event, 0, sizeof(*event));
	event->counters = (uint32_t)bytes[0] |
			  (wide ? (uint32_t)bytes[1] << 8 | (uint32_t)bytes[7] << 24 : 0);
	event->pmu = bytes[2] & 3;
	event->group = bytes[2] >> 2 & (wide ? 63 : 7);
	event->is_exclusive = (bytes[3] & 0xe) == 0;
	event->want_count = bytes[3] >> 4 & (wide ? 15 : 3);
	for (int i = 0; i < event->want_count && i < NTI_PLAN_MAX_WANTS; i++) {
		event->wants[i].resource = bytes[4 + i % 4] & (wide ? 31 : 3);
		event->wants[i].value = bytes[4 + i % 4] >> (wide ? 5 : 2) & 3;
	}
	if (wide)
		return;
	if (bytes[3] & 1 && (bytes[1] & 7) == 0)
		event->counters = 0;
	if (!event->counters) {
		event->is_exclusive = false;
		event->want_count = 0;
	}
}

#endif
