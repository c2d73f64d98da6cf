/* SPDX-License-Identifier: MIT */
/*
 * Events of graphics chips, typed in from re-pcounter-tools' tables of events: what a judge is
 * given and our own definitions (core/gpu) have no part in.
 */
#ifndef TESTS_TESLA_EVENTS_H
#define TESTS_TESLA_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tesla_event {
	int line;
	const char *chips, *name; /* chips whose tables have this row: "G80,G84" */
	uint32_t mode;		  /* CTR_MODE */
	uint32_t start;		  /* START_SRC of sums, with START_OP ffff; 0 of others */
	uint32_t src, op;	  /* EVENT_SRC, EVENT_OP */
	const char *mux;	  /* the unit whose multiplexer is set; NULL: none */
	uint32_t value;		  /* of it */
	/*
	 * What the chip's table lacks of START_SRC and multiplexers is this chip's; NULL: it lacks
	 * nothing. Of two parts the sum is .1, as it is on most chips.
	 */
	const char *start_of;
	uint32_t domain;  /* 0: 1 */
	uint32_t more[2]; /* further values of the multiplexer, whose counts are added */
	const char *mux2; /* a second one; NULL: none */
	uint32_t value2;
};

extern const struct tesla_event tesla_events[];
extern const size_t tesla_event_count;

#define TESLA_CHIPS 11
/* All whose tables there are. */
extern const char *const tesla_chips[TESLA_CHIPS];

bool tesla_event_is_of(const struct tesla_event *event, const char *chip);

#endif
