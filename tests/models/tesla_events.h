/* SPDX-License-Identifier: MIT */
/*
 * Events of graphics chips, typed in from re-pcounter-tools' tables of events: what a judge is
 * given and our own definitions (data/gpu) have no part in.
 */
#ifndef TESTS_TESLA_EVENTS_H
#define TESTS_TESLA_EVENTS_H

#include <stddef.h>
#include <stdint.h>

struct tesla_event {
	int line;
	const char *chip, *name;
	uint32_t mode;	  /* CTR_MODE */
	uint32_t start;	  /* START_SRC of sums, with START_OP ffff; 0 of others */
	uint32_t src, op; /* EVENT_SRC, EVENT_OP */
	const char *mux;  /* the unit whose multiplexer is set; NULL: none */
	uint32_t value;	  /* of it */
	/* the chip's table has no START_SRC: .start is this chip's; NULL: its own */
	const char *start_of;
};

extern const struct tesla_event tesla_events[];
extern const size_t tesla_event_count;

#endif
