/* SPDX-License-Identifier: MIT */
/*
 * Limits: what no machine does, as relations between counts that were made at the same time. The
 * rows are count/data/limits; what breaks one is implausible.
 */
#ifndef NTI_LIMIT_H
#define NTI_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

enum nti_limit_kind {
	NTI_LIMIT_OF,	    /* count <= .most * that of .of + .slack, in one group */
	NTI_LIMIT_SECOND,   /* value <= .most * seconds for which it was counted + .slack */
	NTI_LIMIT_MOVES_OF, /* does not stand still while .of counts .most */
	NTI_LIMIT_MOVES,    /* does not stand still for .most seconds */
	NTI_LIMIT_RANGE,    /* of a state: .least <= value <= .most */
};

/**
 * struct nti_limit - one row
 * @name:	of the row
 * @event:	what it is about: a generic name of perf's ("cycles"), "UNIT/EVENT", or "UNIT:TEXT"
 *		for everything of a unit that is told in TEXT ("power:Joules")
 * @of:		the other event; NULL where there is none
 * @about:	why nothing can break it, a sentence
 */
struct nti_limit {
	const char *name, *event, *of;
	enum nti_limit_kind kind;
	double least, most, slack;
	const char *about, *source;
};

/* count/data/limits, made by core/embed. */
extern const struct nti_limit nti_limits[];
extern const size_t nti_limit_count;

#endif
