/* SPDX-License-Identifier: MIT */
/* A session's own time: how long it ran, by the system's clock and in TSC ticks; clock.c. */
#ifndef NTI_SESSION_CLOCK_H
#define NTI_SESSION_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/os/clock.h"

struct ntime_session;

/* Of which moment the counts of a reading are. */
struct nti_session_moment {
	uint64_t at_ns;	    /* of the system's clock; 0: nobody looked */
	uint64_t unsure_ns; /* how far from there it may have been */
};

struct nti_session_clock {
	bool is_running, was_started;
	uint64_t started_ns, elapsed_ns; /* of the current run; of the runs before it */
	uint64_t started_tsc, elapsed_tsc;
	struct nti_moment end; /* of what is measured, where it is known; else 0 */
	bool needs_time;       /* reading needs it */
	uint64_t read_tsc; /* of the last reading: taken with its time, whose rate it is part of */
	struct nti_session_moment moment; /* of the last reading */
	uint64_t least_ns;		  /* that one has taken */
};

void nti_session_clock_start(struct ntime_session *s);
void nti_session_clock_stop(struct ntime_session *s);
/* TSC ticks while the session ran. */
uint64_t nti_session_tsc(const struct ntime_session *s);
uint64_t nti_session_real_ns(const struct ntime_session *s);
/* The same when the system's clock said @now_ns. */
uint64_t nti_session_real_ns_at(const struct ntime_session *s, uint64_t now_ns);
/* The run of @s that goes on began at @begin, if it waits for exec, and ended at @end; or NULL. */
void nti_session_take_times(struct ntime_session *s, const struct nti_moment *begin,
			    const struct nti_moment *end);

#endif
