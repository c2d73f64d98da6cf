/* SPDX-License-Identifier: MIT */
/* What inline readers of a session look at; reader.c. */
#ifndef NTI_READER_INSIDE_H
#define NTI_READER_INSIDE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <ntime/reader.h>

struct ntime_session;

/*
 * arm64's PMU driver: "rdpmc" term, config1 bit 1, asks for access from user mode (Linux,
 * drivers/perf/arm_pmuv3.c).
 */
#define NTI_ARM_USER_ACCESS 2

struct nti_readers {
	/* thread pointer of who opened: the one measured if the target is "this thread" */
	uintptr_t thread;
	/* per item; page of its own, wiped on fork. NULL until a reader is asked for */
	struct ntime_reader_state *state;
	void **page; /* perf page per item, or NULL */
	size_t state_bytes, page_bytes;
	pid_t page_owner; /* process that mapped the pages */
};

/*
 * Map perf's pages before anything counts or is read. A page that is mapped after a read(2) of its
 * running event is wrong by the counter's whole range until the event is next programmed: the
 * kernel then takes the counter's raw value for what was counted (perf_mmap() ->
 * perf_event_update_userpage() subtracts hw.prev_count, which armpmu_event_update() and
 * x86_perf_event_update() leave without the sign that they program it with). 0 or -ENOMEM.
 */
int nti_session_readers_map(struct ntime_session *s);
void nti_session_readers_fini(struct ntime_session *s);
/*
 * The session was read: readers of ntimefs whose counters went so far that the inline code cannot
 * tell a wrap are told.
 */
void nti_session_readers_refresh(struct ntime_session *s);
/* Tell the readers that counting started (true) or stopped. */
void nti_session_readers_update(struct ntime_session *s);

#endif
