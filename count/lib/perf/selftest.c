// SPDX-License-Identifier: MIT
/* One event of cycles around a short loop. */
#include "count/lib/perf/perf.h"
#include "count/lib/perf/selftest.h"

/* A microsecond or a few: well above any divider, well below what anybody notices. */
#define TURNS 1000
/* Above every clock; a counter that starts late or steps by large numbers stays below. */
#define MAX_CYCLES_PER_NS 100
#define MAX_CYCLES_AT_ONCE 1000000
/*
 * How often more than that has to be credible: rubbish divided by a long time, in which a host had
 * other things to do, once is.
 */
#define LARGE_TURNS 3

static void work(void)
{
	volatile unsigned int turn;

	for (turn = 0; turn < TURNS; turn++)
		;
}

/* False when that cannot be found out. */
static bool measure(struct nti_os *os, const struct perf_event_attr *cycles,
		    struct nti_selftest *out)
{
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };
	struct nti_perf_reading seen;
	struct nti_perf_group g;
	bool is_seen = false;

	nti_perf_group_init(&g, self);
	if (nti_perf_group_add(os, &g, cycles) == 0 && nti_perf_group_enable(os, &g) == 0) {
		work();
		is_seen = nti_perf_group_read(os, &g, &seen) == 0 && seen.running_ns > 0;
	}
	if (is_seen)
		*out = (struct nti_selftest){ .cycles = seen.count[0], .ns = seen.running_ns };
	nti_perf_group_fini(os, &g);
	return is_seen;
}

bool nti_selftest_is_missing(struct nti_os *os, const struct nti_unit *unit,
			     struct nti_selftest *out)
{
	const struct perf_event_attr cycles = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		/* What every user may count; not every driver can leave it out. */
		.exclude_kernel = !unit->is_mode_blind,
		.exclude_hv = !unit->is_mode_blind,
	};
	unsigned int turn;

	for (turn = 0; turn < LARGE_TURNS; turn++) {
		if (!measure(os, &cycles, out))
			return false;
		if (!out->cycles ||
		    (out->cycles > MAX_CYCLES_AT_ONCE && out->cycles / MAX_CYCLES_PER_NS > out->ns))
			return true;
		if (out->cycles <= MAX_CYCLES_AT_ONCE)
			return false;
	}
	return false;
}
