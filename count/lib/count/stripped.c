// SPDX-License-Identifier: MIT
/*
 * Counters that the kernel took off a command.
 *
 * When a process executes a program that changes its user or that it may not read, the kernel takes
 * its counters off without a word (Linux 6.1, fs/exec.c, begin_new_exec(): perf_event_exit_task()
 * if others may not look into the process), and what it starts from then on has none either. Of the
 * command itself its file tells; of what it starts only the kernel's account of its CPU time does.
 */
#include <stdio.h>

#include "base/common/text.h"
#include "count/lib/count/session.h"
#include "count/lib/count/stripped.h"

/*
 * The account has what the counters have not: the time before exec, and of the tearing down of
 * memory at the end.
 */
#define USUAL_NS 20000000u
#define USUAL_SHARE 5

void nti_session_expect_cpu_time(struct ntime_session *s, uint64_t cpu_ns, bool is_protected)
{
	/* CPUs are counted whatever runs on them. */
	if (s->target.kind >= NTIME_TARGET_CPUS)
		return;
	s->stripped->expected_ns = cpu_ns;
	s->stripped->is_protected = is_protected;
}

/* Counted by the kernel along with the thread: neither of a CPU, nor by others. */
static bool is_of_task(const struct nti_session_item *item)
{
	return !item->is_metric && !nti_session_item_is_free(item);
}

static bool is_watched(const struct nti_session_item *item, const struct ntime_value *v)
{
	return is_of_task(item) && !(v->flags & (NTIME_ABSENT | NTIME_STATE));
}

/* For how long the command was on a CPU with its counters. */
static uint64_t watched_ns(const struct ntime_session *s, const struct ntime_value *values)
{
	uint64_t longest = 0;
	size_t i;

	for (i = 0; i < s->items; i++) {
		if (is_watched(&s->item[i], &values[i]) && values[i].wanted_ns > longest)
			longest = values[i].wanted_ns;
	}
	return longest;
}

void nti_session_check_stripped(struct ntime_session *s, struct ntime_value *values)
{
	uint64_t watched = watched_ns(s, values), all = s->stripped->expected_ns;
	size_t i;

	s->stripped->why[0] = '\0';
	if (!s->stripped->is_protected &&
	    (!(s->target.flags & NTIME_CHILDREN) || !(s->target.flags & NTIME_ON_EXEC) ||
	     all < watched + USUAL_NS + all / USUAL_SHARE))
		return;
	(void)nti_text_print(
		s->stripped->why, sizeof(s->stripped->why),
		"a program that changes its user, or may not be read, has no counters: "
		"%.1f of %.1f ms of CPU time were counted",
		(double)watched / 1e6, (double)all / 1e6);
	for (i = 0; i < s->items; i++) {
		if (is_watched(&s->item[i], &values[i]))
			values[i].flags |= NTIME_PARTIAL;
	}
}

const char *nti_session_why_stripped(const struct ntime_session *s, size_t i)
{
	return *s->stripped->why && is_of_task(&s->item[i]) ? s->stripped->why : NULL;
}
