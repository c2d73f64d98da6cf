/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is where a plan has several passes: moved from outside (NTIME_BY_PASS), or by the
 * session itself (NTIME_TURNS), and how long tasks ran meanwhile.
 */
#ifndef NTI_ROTATE_H
#define NTI_ROTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/lib/count/plan.h"
#include "count/lib/count/session.h"
#include "count/lib/count/turns.h"

struct nti_rotation {
	/* Known with the plan: */
	bool is_turning;	   /* its passes take turns that ntime_session_turn() makes */
	bool is_by_pass;	   /* one pass counts at a time, in such turns or as it is told */
	unsigned int pass;	   /* the current one, with NTIME_BY_PASS */
	unsigned int turns;	   /* passes entered after the first one */
	unsigned int pass_reached; /* the last pass that had a turn */
	/* With NTIME_TURNS and several passes: whose turn it is, and until when. */
	struct nti_turns order;
	unsigned int *turn_order;
	uint64_t turn_end_ns, turn_ns, turn_began_ns, idle_ns;
	uint64_t took_ns;	     /* the last change of turns; 0: there was none */
	uint64_t dead_ns;	     /* of CPUs: between turns, when no pass counted */
	struct nti_perf_group *span; /* of tasks: spans of them */
	size_t spans;
};

/* rotate.c: the passes of the plan that was made take turns from .pass on. 0 or -ENOMEM. */
int nti_session_turns_init(struct ntime_session *s);
void nti_session_turns_fini(struct ntime_session *s);
/* Does @g count now, if the session runs? */
static inline bool nti_session_is_current(const struct ntime_session *s,
					  const struct nti_session_group *g)
{
	return g->is_in_every_pass || !s->rotation->is_by_pass || g->pass == s->rotation->pass;
}

/* session.c: has @s, which must run by pass, begun? 0, -EINVAL or -EBUSY, with a sentence. */
int nti_session_check_by_pass(struct ntime_session *s);
/* session.c: @pass is the one that counts when the session, which does not run, is started. */
void nti_session_choose_pass(struct ntime_session *s, unsigned int pass);
/* session.c: end the turn of the current pass and begin that of @pass. @pass or -errno. */
int nti_session_go_to_pass(struct ntime_session *s, unsigned int pass);
/*
 * read.c: what the counters of @pass, whose turn ended, have now goes into its events' estimates.
 */
int nti_session_end_turn(struct ntime_session *s, unsigned int pass);

/* How long tasks ran while passes took turns; .span of the session. 0 or -errno. */
int nti_session_spans_open(struct ntime_session *s);
void nti_session_spans_close(struct ntime_session *s);
void nti_session_spans_switch(struct ntime_session *s, bool on);
/* 0: it cannot be read. */
uint64_t nti_session_span_ns(const struct ntime_session *s, size_t at);

#endif
