// SPDX-License-Identifier: MIT
/* Readers: the cheapest way to one counter, and the call they fall back to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/count/plan.h"
#include "count/lib/count/reader.h"
#include "count/lib/count/rotate.h"
#include "count/lib/count/session.h"
#include "count/lib/count/ways.h"
#include "base/os/page.h"
#include "base/os/process.h"

/* Readers in a forked child find 0, the type that falls back to the call. */
static int make_states(struct ntime_session *s)
{
	void *memory;
	int ret;

	if (s->readers->state)
		return 0;
	ret = nti_page_wiped_new(s->items * sizeof(*s->readers->state), &memory,
				 &s->readers->state_bytes);
	if (ret == 0)
		s->readers->state = memory;
	return ret;
}

/*
 * The hardware's counter belongs to this thread alone: one thread, this one, no children, one
 * kernel event.
 */
static bool can_use_page(const struct ntime_session *s, const struct nti_session_group *g)
{
#ifdef NTIME_HAS_PMC_
	return g && !g->direct && g->unit->kind == NTI_UNIT_CORE &&
	       s->target.kind == NTIME_TARGET_THREAD && !s->target.pid &&
	       !(s->target.flags &
		 (NTIME_CHILDREN | NTIME_BY_PASS | NTIME_PASS_ALONE | NTIME_READ_BY_CALL));
#else
	(void)s;
	(void)g;
	return false;
#endif
}

int nti_session_readers_map(struct ntime_session *s)
{
	size_t i;

	s->readers->page_bytes = nti_page_bytes();
	s->readers->page_owner = nti_process_self();
	s->readers->page = calloc(s->items, sizeof(*s->readers->page));
	if (!s->readers->page)
		return -ENOMEM;
	for (i = 0; i < s->items; i++) {
		const struct nti_session_item *item = &s->item[i];

		/* Failure leaves NULL: the call always works. */
		if (can_use_page(s, item->only))
			(void)s->ctx->os->ops->map(s->ctx->os, item->only->perf.fd[item->member],
						   s->readers->page_bytes, &s->readers->page[i]);
	}
	return 0;
}

static void use_page(struct ntime_session *s, size_t i, struct ntime_reader_state *state)
{
	if (!s->readers->page[i])
		return;
	state->thread = s->readers->thread;
	state->source = s->readers->page[i];
	state->type = NTIME_READER_PMC;
}

/* Threads or CPUs of the target: a device, which comes last, is none. */
static size_t places_of_target(const struct ntime_session *s)
{
	return s->where_count - nti_session_is_device_place(s->where[s->where_count - 1]);
}

/* One CPU's counter, by which the item is counted all the time. */
static bool can_read_core(const struct ntime_session *s, const struct nti_session_item *item)
{
	return item->only && item->only->direct && item->only->perf.where.cpu >= 0 &&
	       !(s->target.flags & NTIME_READ_BY_CALL) && places_of_target(s) == 1 &&
	       s->plan->passes == 1 && s->clock.was_started;
}

#ifdef NTIME_HAS_CORE_
/*
 * What the inline code may believe of the counter; the order of the last two is that of
 * ntime_read_core_().
 */
static void set_inline(struct ntime_reader_state *state, const struct nti_pmu_inline *in)
{
	__atomic_store_n(&state->base, in->base, __ATOMIC_RELEASE);
	__atomic_store_n(&state->origin, in->origin, __ATOMIC_RELEASE);
}

/*
 * The counter has come to where the inline code cannot tell any more (x86), or its window is over
 * (arm64): ask, and end or go on.
 */
static void refresh_core(const struct ntime_session *s, size_t i)
{
	const struct nti_session_item *item = &s->item[i];
	struct ntime_reader_state *state = s->readers->state ? &s->readers->state[i] : NULL;
	struct nti_pmu_inline in;

	/* In a forked child the state reads 0. */
	if (!state || __atomic_load_n(&state->pinned, __ATOMIC_RELAXED) == 0)
		return;
	if (nti_pmu_group_window(item->only->direct, item->member, &in))
		set_inline(state, &in);
	else
		__atomic_store_n(&state->pinned, 0, __ATOMIC_RELAXED);
}

/*
 * Pin the calling thread and ask the driver for the counter's instruction; without it the affinity
 * is as before.
 */
static void use_core(struct ntime_session *s, size_t i, struct ntime_reader_state *state)
{
	const struct nti_session_item *item = &s->item[i];
	struct nti_pmu_inline in;
	void *before;
	int ret;

	if (nti_process_pin((unsigned int)item->only->perf.where.cpu, &before) < 0)
		return;
	ret = nti_pmu_group_inline(item->only->direct, item->member, &in);
	if (ret == 0 && !NTIME_IS_COUNTER_(in.index + 1))
		ret = -ENOTSUP;
	nti_process_unpin(before, ret < 0);
	if (ret < 0)
		return;
	state->type = NTIME_READER_CORE;
	state->index = in.index;
	state->limit = in.limit;
	set_inline(state, &in);
	/* Last: with it the inline code believes the rest. */
	__atomic_store_n(&state->pinned, ntime_thread_pointer_(), __ATOMIC_RELEASE);
}

/* As set_state(); a second reader of the same thread finds the state as it is. */
static void set_core(struct ntime_session *s, size_t i)
{
	struct ntime_reader_state *state = &s->readers->state[i];

	if (can_read_core(s, &s->item[i]) && state->pinned != ntime_thread_pointer_())
		use_core(s, i, state);
}
#else
static void refresh_core(const struct ntime_session *s, size_t i)
{
	(void)s;
	(void)i;
}

static void set_core(struct ntime_session *s, size_t i)
{
	(void)s;
	(void)i;
}
#endif

/* From here on x86's inline code does not believe a counter, see NTIME_CORE_FULL_. */
#define FULL_SHIFT 47

void nti_session_readers_refresh(struct ntime_session *s)
{
	size_t i;

	for (i = 0; s->readers->state && i < s->items; i++) {
		const struct nti_session_item *item = &s->item[i];

		if (s->readers->state[i].type == NTIME_READER_CORE && *item->count >> FULL_SHIFT)
			refresh_core(s, i);
	}
}

/*
 * Writes only what changes: other threads may be reading the item when one more reader of it is
 * asked for.
 */
static void set_state(struct ntime_session *s, size_t i)
{
	struct ntime_reader_state *old = &s->readers->state[i];
	struct ntime_reader_state state = { .type = NTIME_READER_CALL };
	uint64_t now;

	if (s->item[i].only && s->item[i].only->direct) {
		set_core(s, i);
		return;
	}
	if (!s->item[i].is_clock) {
		use_page(s, i, &state);
	} else if (s->clock.is_running && !s->ctx->os->is_simulated &&
		   s->ctx->os->ops->tsc(s->ctx->os, &now) == 0) {
		state.origin = s->clock.started_tsc - s->clock.elapsed_tsc;
		state.type = NTIME_READER_TSC;
	}
	if (old->type != state.type || old->origin != state.origin || old->thread != state.thread ||
	    old->source != state.source)
		*old = state;
}

void nti_session_readers_update(struct ntime_session *s)
{
	size_t i;

	for (i = 0; s->readers->state && i < s->items; i++) {
		if (s->item[i].is_clock)
			set_state(s, i);
	}
}

void nti_session_readers_fini(struct ntime_session *s)
{
	size_t i;

	/* perf's pages are not handed on to a forked child: something else may lie there by now. */
	for (i = 0;
	     s->readers->page && s->readers->page_owner == nti_process_self() && i < s->items; i++)
		s->ctx->os->ops->unmap(s->ctx->os, s->readers->page[i], s->readers->page_bytes);
	free(s->readers->page);
	nti_page_wiped_free(s->readers->state, s->readers->state_bytes);
	s->readers->page = NULL;
	s->readers->state = NULL;
}

int ntime_get_reader(struct ntime_session *s, size_t i, struct ntime_reader *out)
{
	int ret;

	ret = nti_error_check_size(&s->ctx->error, "struct ntime_reader", out->size, sizeof(*out));
	if (ret < 0)
		return ret;
	if (!s->is_open || i >= s->items)
		return nti_error(&s->ctx->error, -EINVAL,
				 "a reader is for an item of an opened session");
	if (s->item[i].is_metric)
		return nti_error(&s->ctx->error, -ENOTSUP, "%s is a metric: read its events",
				 s->item[i].name);
	if (nti_session_item_is_absent(&s->item[i]))
		return nti_error(&s->ctx->error, -ENODATA, "%s cannot be counted: %s",
				 s->item[i].name, s->item[i].absent.reason);
	ret = make_states(s);
	if (ret < 0)
		return nti_error(&s->ctx->error, ret, "no memory for readers");
	set_state(s, i);
	*out = (struct ntime_reader){ .size = sizeof(*out),
				      .item = (uint32_t)i,
				      .state = &s->readers->state[i],
				      .session = s };
	return 0;
}

/* One group for one of its members: flags of the count, or -EIO, -ENODATA. */
static int read_group(const struct ntime_session *s, const struct nti_session_group *g,
		      struct nti_perf_reading *reading)
{
	int ret = nti_session_group_read(s->ctx->os, g, reading);

	if (ret < 0)
		return ret == -ENODATA ? -ENODATA : -EIO;
	if (!g->had_turn)
		return -ENODATA;
	if (reading->enabled_ns && !reading->running_ns)
		return (int)NTIME_NOT_COUNTED;
	if (reading->running_ns < reading->enabled_ns ||
	    (s->rotation->is_turning && !g->is_in_every_pass))
		return (int)NTIME_SCALED;
	return 0;
}

/* What is known of one member beside its count. */
static int doubts(const struct nti_session_group *g, const struct nti_perf_reading *r, size_t k)
{
	if (!g->direct)
		return 0;
	return (int)((r->overflowed >> k & 1 ? NTIME_OVERFLOWED : 0) |
		     (r->lost >> k & 1 ? NTIME_LOST : 0) |
		     (r->missing >> k & 1 ? NTIME_NOT_COUNTED : 0));
}

/* Several groups, or several members of one. */
static int read_sum(const struct ntime_session *s, size_t item, uint64_t *count)
{
	struct nti_perf_reading reading;
	int flags = -ENODATA, ret;
	uint64_t total = 0;
	size_t g, k;

	for (g = 0; g < s->groups.count; g++) {
		const struct nti_session_group *group = &s->groups.group[g];
		bool is_read = false;

		for (k = 0; k < group->perf.count; k++) {
			if (s->plan->part[group->part[k]].item != item)
				continue;
			if (!is_read) {
				ret = read_group(s, group, &reading);
				if (ret < 0)
					return ret;
				flags = flags < 0 ? ret : flags | ret;
				is_read = true;
			}
			total += reading.count[k];
			flags |= doubts(group, &reading, k);
		}
	}
	if (flags >= 0)
		*count = total;
	return flags;
}

static int read_item(const struct ntime_session *s, size_t i, uint64_t *count)
{
	const struct nti_session_item *item = &s->item[i];
	struct nti_perf_reading reading;
	int flags;

	if (item->is_clock) {
		*count = nti_session_tsc(s);
		return 0;
	}
	if (!item->only)
		return read_sum(s, i, count);
	flags = read_group(s, item->only, &reading);
	if (flags < 0)
		return flags;
	*count = reading.count[item->member];
	if (!item->only->direct)
		return flags;
	refresh_core(s, i);
	return flags | doubts(item->only, &reading, item->member);
}

/*
 * Of the session only what is locked is changed, so any thread may come here while the session
 * lives.
 */
int ntime_read_call(const struct ntime_reader *r, uint64_t *count)
{
	const struct ntime_session *s = r->session;
	int flags = s->clock.was_started ? read_item(s, r->item, count) : -ENODATA;

	return flags < 0 ? flags : flags | (int)(s->item[r->item].flags & NTIME_SIMULATED);
}

#ifdef __riscv
/*
 * Seen with Linux 6.12 (drivers/perf/riscv_pmu_sbi.c): an event that is disabled or takes turns
 * while its page is read ends the reading program by SIGILL.
 */
#define WHY_NO_INSTRUCTION                                                                         \
	"read(2): the kernel closes a counter's register whenever it stops the counter, which "    \
	"would end a program that reads it by an instruction"
#else
#define WHY_NO_INSTRUCTION                                                                         \
	"read(2): on this architecture no program may read counters by an instruction"
#endif

static const char *why_page(const struct ntime_session *s, const struct perf_event_mmap_page *page)
{
	uint64_t is_on;

	/*
	 * On arm64 the page does not tell what the sysctl forbids: the index stays 0 (Linux,
	 * armv8pmu_user_event_idx()).
	 */
	if (nti_os_u64(s->ctx->os, &is_on, "/proc/sys/kernel/perf_user_access") == 0 && !is_on)
		return "read(2): kernel.perf_user_access is 0, so the kernel does not allow the "
		       "counter's instruction";
	if (page->cap_user_rdpmc)
		return "perf's page and the counter's instruction, read(2) while the "
		       "counter is not on the processor";
	return "read(2): the kernel does not allow the counter's instruction here, or not "
	       "yet (rdpmc in the PMU's sysfs "
	       "folder; kernel.perf_user_access on arm64)";
}

static const char *why_core(const struct ntime_session *s, const struct nti_session_item *item)
{
	if (!s->clock.was_started)
		return "read(2): ask for the reader when the session was started";
	if (item->event.part[0].unit->kind == NTI_UNIT_DEVICE)
		return "a call: reading a device ends a period of all its counters";
	if (places_of_target(s) != 1)
		return "read(2): the count is the sum of several CPUs";
	if (!can_read_core(s, item))
		return "read(2): the counters take turns";
	if (!nti_method_get(nti_session_method(s, item->only->unit))->is_inline ||
	    item->only->unit->kind != NTI_UNIT_CORE)
		return "a call: an instruction reads counters of cores only, and only the driver "
		       "grants it";
#ifdef NTIME_HAS_CORE_
	return "read(2): this thread may not run on the CPU that is counted, or the driver does "
	       "not "
	       "grant the counter's instruction, or this is a forked child";
#else
	return "read(2): on this architecture the counters of ntimefs are read by calls";
#endif
}

const char *ntime_reader_why(const struct ntime_reader *r)
{
	const struct ntime_session *s = r->session;

	switch (r->state->type) {
	case NTIME_READER_TSC:
		return "the time stamp counter's instruction";
	case NTIME_READER_PMC:
		return why_page(s, r->state->source);
	case NTIME_READER_CORE:
		return "the counter's instruction, on the CPU to which the thread was pinned; a "
		       "call from other threads, and now and then to look for a wrap";
	default:
		break;
	}
	if (s->target.flags & NTIME_READ_BY_CALL && !s->item[r->item].is_clock &&
	    !s->ctx->os->is_simulated)
		return "a call: the session was made with NTIME_READ_BY_CALL";
	if (s->item[r->item].event.parts &&
	    nti_session_is_direct(s, s->item[r->item].event.part[0].unit))
		return why_core(s, &s->item[r->item]);
	if (s->ctx->os->is_simulated)
		return "a simulated read: this is a recording";
	if (s->item[r->item].is_clock)
		return "a call: the session is stopped";
	if (s->target.kind != NTIME_TARGET_THREAD || s->target.pid)
		return "read(2): the counter belongs to other threads or CPUs than this one";
	if (s->target.flags & NTIME_CHILDREN)
		return "read(2): the sum over children is known to the kernel alone";
	if (s->target.flags & (NTIME_BY_PASS | NTIME_PASS_ALONE))
		return "read(2): a session by pass switches the counter";
	/* What get_reader() set is wiped in a child. */
	if (s->readers->page[r->item])
		return "read(2): this process is a fork of the one that is counted";
#ifndef NTIME_HAS_PMC_
	if (s->item[r->item].only && s->item[r->item].only->unit->kind == NTI_UNIT_CORE)
		return WHY_NO_INSTRUCTION;
#endif
	return "read(2): the event is counted by the kernel, not by a counter of this processor";
}
