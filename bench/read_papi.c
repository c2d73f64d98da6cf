// SPDX-License-Identifier: MIT
/*
 * PAPI's rows of the benchmark of reads.
 *
 * On a machine without a core PMU, PAPI 7.0 switches its perf_event component off ("no default PMU
 * found"), the kernel's software events with it, though reading those works. For a comparison
 * there, libpfm4 is made to tell PAPI, while it initialises and never later, of one more core PMU.
 * What is measured, PAPI_read() of software events that the kernel counts, is PAPI's own code
 * untouched.
 */
#include <dlfcn.h>
#include <papi.h>
#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <string.h>

#include "bench/read.h"

static const char *const papi_events[BENCH_EVENTS] = {
	"perf::PAGE-FAULTS",  "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
	"perf::MINOR-FAULTS", "perf::MAJOR-FAULTS",	"perf::CGROUP-SWITCHES",
	"perf::CPU-CLOCK",    "perf::TASK-CLOCK",
};

/* The table id of the core PMU that is claimed, or -1: libpfm4 is not talked over. */
static int claimed_pmu = -1;

typedef pfm_err_t (*pmu_info_function)(pfm_pmu_t pmu, pfm_pmu_info_t *info);

static pmu_info_function real_pmu_info(void)
{
	pmu_info_function function = NULL;
	void *symbol = dlsym(RTLD_NEXT, "pfm_get_pmu_info");

	/* POSIX promises that the address fits, ISO C knows no such cast. */
	memcpy(&function, &symbol, sizeof(function));
	return function;
}

/*
 * Stands before libpfm4's for everyone in this program: the same answers, but for the claimed PMU.
 */
pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	static pmu_info_function real;
	pfm_err_t ret;

	if (!real)
		real = real_pmu_info();
	ret = real(pmu, info);
	if (ret == PFM_SUCCESS && (int)pmu == claimed_pmu)
		info->is_present = 1;
	return ret;
}

/*
 * A core PMU of libpfm4 that PAPI takes for the default one: any but the architectural one, which
 * it skips. -1: this machine has one.
 */
static int find_pmu_to_claim(void)
{
	pfm_pmu_info_t info;
	int found = -1;

	(void)pfm_initialize();
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info((pfm_pmu_t)i, &info) != PFM_SUCCESS ||
		    info.type != PFM_PMU_TYPE_CORE || strcmp(info.name, "ix86arch") == 0)
			continue;
		if (info.is_present)
			return -1;
		if (found < 0 && info.num_cntrs >= BENCH_EVENTS)
			found = i;
	}
	return found;
}

static bool is_talked_over; /* a PMU was claimed */

static int init_papi(struct bench_state *s)
{
	static int initialised = PAPI_EINVAL;

	if (initialised != PAPI_VER_CURRENT) {
		claimed_pmu = find_pmu_to_claim();
		is_talked_over = claimed_pmu >= 0;
		initialised = PAPI_library_init(PAPI_VER_CURRENT);
		claimed_pmu = -1;
	}
	if (initialised == PAPI_VER_CURRENT)
		return 0;
	(void)snprintf(s->reason, sizeof(s->reason), "PAPI does not initialise: %s",
		       PAPI_strerror(initialised));
	return -1;
}

static int papi_failed(struct bench_state *s, const char *what, int error)
{
	(void)snprintf(s->reason, sizeof(s->reason), "%s: %s", what, PAPI_strerror(error));
	return -1;
}

static int open_real_cyc(struct bench_state *s, unsigned int events)
{
	(void)events;
	return init_papi(s);
}

static int open_event_set(struct bench_state *s, unsigned int events)
{
	int ret;

	if (init_papi(s) < 0)
		return -1;
	s->event_set = PAPI_NULL;
	ret = PAPI_create_eventset(&s->event_set);
	if (ret != PAPI_OK)
		return papi_failed(s, "PAPI_create_eventset", ret);
	for (unsigned int i = 0; i < events; i++) {
		ret = PAPI_add_named_event(s->event_set, papi_events[i]);
		if (ret != PAPI_OK)
			return papi_failed(s, papi_events[i], ret);
	}
	if (is_talked_over)
		(void)snprintf(
			s->reason, sizeof(s->reason),
			"there is no core PMU, so PAPI would count no software events: while it "
			"started it was told of one; what PAPI_read runs is its own");
	return 0;
}

/* PAPI lets one event set of a component run at a time. */
static int begin_event_set(struct bench_state *s)
{
	int ret = PAPI_start(s->event_set);

	return ret == PAPI_OK ? 0 : papi_failed(s, "PAPI_start", ret);
}

static int end_event_set(struct bench_state *s)
{
	int ret = PAPI_stop(s->event_set, s->papi);

	return ret == PAPI_OK ? 0 : papi_failed(s, "PAPI_stop", ret);
}

BENCH_LOOP(papi_real_cyc, s->count = (uint64_t)PAPI_get_real_cyc())
BENCH_LOOP(papi_read_1, BENCH_FAIL_IF(s, PAPI_read(s->event_set, s->papi) != PAPI_OK))
BENCH_LOOP(papi_read_8, BENCH_FAIL_IF(s, PAPI_read(s->event_set, s->papi) != PAPI_OK))

const struct bench_method bench_papi_methods[] = {
	{ "papi_real_cyc", 1, false, "PAPI_get_real_cyc", open_real_cyc, loop_papi_real_cyc, NULL,
	  NULL },
	{ "papi_read_1", 1, false, "PAPI_read", open_event_set, loop_papi_read_1, begin_event_set,
	  end_event_set },
	{ "papi_read_8", 8, false, "PAPI_read", open_event_set, loop_papi_read_8, begin_event_set,
	  end_event_set },
};
const size_t bench_papi_method_count = sizeof(bench_papi_methods) / sizeof(bench_papi_methods[0]);
