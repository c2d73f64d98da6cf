/* SPDX-License-Identifier: MIT */
/*
 * Numbers that cannot be right, found out while they are counted: what was read is compared with
 * what was read before and with count/data/limits. Nothing is corrected.
 */
#ifndef NTI_DOUBT_H
#define NTI_DOUBT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/value.h>

#include "base/common/absence.h"
#include "count/lib/doubt/limit.h"

struct ntime_session;
struct nti_unit;
struct nti_session_item;

/* Of one item, of the whole session or of one thread or CPU: how it was read last. */
struct nti_seen {
	uint64_t count, counted_ns;
	uint32_t state; /* NTI_WAS_READ, NTI_DOUBTED */
};

#define NTI_WAS_READ 1u
#define NTI_DOUBTED 2u

/* The same of one check: when its event moved last, as the other one counts or in ns. */
struct nti_moved {
	uint64_t count, other;
};

/* A limit that is about item @item, and about item @of where it has another event. */
struct nti_check {
	const struct nti_limit *limit;
	size_t item, of;
};

#define NTI_DOUBT_TEXT_BYTES 320

#define NTI_DOUBT_BACK "its count went back, from %llu to %llu"

/* Why an item is doubted: what was found last, "" where nothing was. */
struct nti_doubt_text {
	char text[NTI_DOUBT_TEXT_BYTES];
};

/**
 * struct nti_doubts - those of a session
 * @check:	@checks that its items have; they are of pairs of one group
 * @twin:	@twins pairs of items that count the same event
 * @text:	per item
 * @seen, @moved: of the session: per item and per check
 */
struct nti_doubts {
	struct nti_check *check;
	size_t checks;
	struct nti_check *twin;
	size_t twins;
	struct nti_doubt_text *text;
	struct nti_seen *seen;
	struct nti_moved *moved;
	bool has_doubt_of_0; /* an item has .doubt_of_0 */
	/* against all estimates of events of this unit; NULL: nothing */
	const struct nti_unit *rotated;
	struct nti_absence rotation;
};

/*
 * Why a 0 says nothing where the machine lacks other events, and the same once the event counted
 * something: .doubt_of_0 of items.
 */
extern const char nti_doubt_unvouched[], nti_doubt_vouched[];

/* known.c: is @item counted, so that its numbers can be compared? */
bool nti_doubt_can_check(const struct nti_session_item *item);
/* Is @event, as a row of count/lib/doubt names it, what @item counts? */
bool nti_doubt_is_about(const struct nti_session_item *item, const char *event);

/* Which limits the items of @s, which is open, have. 0 or -ENOMEM. Recordings have none. */
int nti_doubts_init(struct ntime_session *s);
void nti_doubts_fini(struct ntime_session *s);

/*
 * Compare @values, which were just read, with what was seen before: flags are added. @seen and
 * @moved are the session's, or those of one thread or CPU. Allocates nothing.
 */
void nti_doubts_check(struct ntime_session *s, struct nti_seen *seen, struct nti_moved *moved,
		      struct ntime_value *values);

/*
 * Before the rows of a reading: what counted at one thread or CPU, by the sums of all groups, is
 * vouched for at the others.
 */
void nti_doubts_vouch(struct ntime_session *s);

/* Why values of item @i are implausible, as far as was found out by reading; NULL: they are not. */
/* @item is a share, and its value more than all of it. */
void nti_doubt_share(const struct ntime_session *s, const struct nti_session_item *item);
const char *nti_doubts_why(const struct ntime_session *s, size_t i);

#endif
