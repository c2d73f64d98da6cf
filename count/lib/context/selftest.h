/* SPDX-License-Identifier: MIT */
/*
 * What self-tests found out about the core PMU, and what that means for an event. The result is
 * remembered until the next boot, where there is a directory that nobody else can write to.
 */
#ifndef NTI_CONTEXT_SELFTEST_H
#define NTI_CONTEXT_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/common/absence.h"
#include "count/lib/perf/trial.h"
#include "count/lib/event/event.h"

struct ntime_ctx;

/* An event that was tried by itself, as it was first used. */
struct nti_selftest_event {
	uint32_t type;
	uint64_t config;
	struct nti_trial_misses trial;
};

#define NTI_SELFTEST_EVENTS 64

/**
 * struct nti_selftests - of one context
 * @has_trial:	@trial was made, or is remembered
 * @is_kept:	it is remembered from now on
 */
struct nti_selftests {
	bool has_trial, is_kept;
	struct nti_trial trial;
	struct nti_selftest_event event[NTI_SELFTEST_EVENTS];
	size_t events;
};

/*
 * Try the core PMU, or remember what came of it. It becomes absent where it does not count at all.
 * 0 or -ENOMEM.
 */
int nti_context_selftest(struct ntime_ctx *ctx);

/*
 * Refuse @event, which is to be counted and is not absent, where its counter counts nothing: tries
 * it, if that was not done yet. What has the encoding of a generic event is refused as that is. 0
 * or -ENOMEM.
 */
int nti_context_selftest_event(struct ntime_ctx *ctx, struct nti_event *event);

/*
 * Something that the core PMU's driver has does not count here, so that more may not: hypervisors
 * show a PMU of a few events, and emulators have one.
 */
bool nti_context_is_in_part(const struct ntime_ctx *ctx);

/*
 * Can a count of 0 of @event be believed? Not of a core PMU that lacks another event of its
 * driver's (CPUID says so, or a trial found it dead), unless something showed that it counts this
 * one: a trial, or nti_context_counted(). 1, 0 or -ENOMEM.
 */
int nti_context_vouches_for_0(struct ntime_ctx *ctx, const struct nti_event *event);
/* @event, which is not vouched for, counted something: remembered with the self-tests. */
void nti_context_counted(struct ntime_ctx *ctx, const struct nti_event *event);

/*
 * Events of @unit take turns: find out, once, whether estimates can be believed where they do.
 * Where nothing can be remembered it is not tried: it takes a tenth of a second.
 */
void nti_context_selftest_rotation(struct ntime_ctx *ctx, const struct nti_unit *unit);
/* 0, or -ENOMEM: what speaks against estimates of @unit's events, in @doubt, which is empty. */
int nti_context_rotation_doubt(struct ntime_ctx *ctx, const struct nti_unit *unit,
			       struct nti_absence *doubt);

/*
 * Events of @unit count the kernel too: find out, once, whether its part is right. The session's
 * own counters do not count yet.
 */
void nti_context_selftest_kernel(struct ntime_ctx *ctx, const struct nti_unit *unit);

/*
 * What speaks against counts of @event: in @doubt, which is empty. @is_user_only: the kernel's mode
 * is left out, though the event does not say so; @has_twin: the same event is counted by another
 * counter at the same time. 0 or -ENOMEM.
 */
int nti_context_selftest_doubt(struct ntime_ctx *ctx, const struct nti_event *event,
			       bool is_user_only, bool has_twin, struct nti_absence *doubt);

/* remembered.c: fill @out with what an earlier run found on this boot. False: nothing, or not to be
 * believed. */
bool nti_selftests_recall(struct ntime_ctx *ctx, const struct nti_unit *core,
			  struct nti_selftests *out);
/* Write it down. False: nobody could. */
bool nti_selftests_remember(struct ntime_ctx *ctx, const struct nti_unit *core,
			    const struct nti_selftests *tests);

#endif
