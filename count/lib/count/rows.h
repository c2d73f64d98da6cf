/* SPDX-License-Identifier: MIT */
/* How sessions are read per thread or CPU: a row for each. */
#ifndef NTI_ROWS_H
#define NTI_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <ntime/session.h>

#include "count/lib/count/doubt.h"
#include "count/lib/count/estimate.h"

/* What an event is at one thread or CPU of the target. */
enum nti_session_where {
	NTI_NOWHERE,   /* its units are not there: another kind of core */
	NTI_ELSEWHERE, /* they are, but are counted on another CPU */
	NTI_HERE,
};

struct nti_session_rows {
	struct ntime_where_info *info;
	/* per row, and one more: its groups are those from here to before the next row's */
	size_t *first;
	size_t count;		       /* rows */
	uint8_t *where;		       /* enum nti_session_where of row * items + item */
	struct nti_estimate *estimate; /* likewise */
	struct nti_seen *seen;	       /* likewise; doubt.c */
	struct nti_moved *moved;       /* of row * checks + check */
};

/*
 * Rows of an opened session, made the first time: then the topology is looked at and memory is
 * allocated. 0, -EIO, -ENOMEM with a sentence.
 */
int nti_session_rows_get(struct ntime_session *s, const struct nti_session_rows **out);
void nti_session_rows_fini(struct ntime_session *s);
/* The session has more CPUs than the rows: make them anew. 0 or as nti_session_rows_get(). */
int nti_session_rows_grow(struct ntime_session *s);

#endif
