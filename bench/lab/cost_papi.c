// SPDX-License-Identifier: MIT
/*
 * PAPI's rows of the table of costs. The library is loaded at run time, so that the program needs
 * none of it to be built or to run: a guest has it where it was asked for (ntime lab run GUEST
 * --with papi).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/lab/cost.h"

/* papi.h of PAPI 7.0: PAPI_VER_CURRENT and so on. */
#define PAPI_LIBRARY "libpapi.so.7.0"
#define PAPI_VERSION 0x07000000
#define PAPI_OK 0
#define PAPI_NULL (-1)
#define PAPI_INHERIT 28

static struct {
	void *library;
	int (*library_init)(int version);
	int (*create_eventset)(int *set);
	int (*add_named_event)(int set, const char *name);
	int (*assign_component)(int set, int component);
	int (*set_opt)(int option, void *value);
	int (*start)(int set);
	int (*read)(int set, long long *values);
	int (*stop)(int set, long long *values);
	int (*cleanup)(int set);
	int (*destroy)(int *set);
	const char *(*text)(int error);
} papi;

/* POSIX promises that the address of a function fits; ISO C knows no such cast. */
static bool find(const char *name, void *function)
{
	void *symbol = dlsym(papi.library, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol;
}

static int failed(struct cost_state *s, const char *what, int error)
{
	(void)snprintf(s->reason, sizeof(s->reason), "%s: %s", what, papi.text(error));
	return -1;
}

static int load(struct cost_state *s)
{
	int ret;

	if (papi.library)
		return 0;
	papi.library = dlopen(PAPI_LIBRARY, RTLD_NOW);
	if (!papi.library) {
		(void)snprintf(s->reason, sizeof(s->reason), "%s", dlerror());
		return -1;
	}
	if (!find("PAPI_library_init", &papi.library_init) ||
	    !find("PAPI_create_eventset", &papi.create_eventset) ||
	    !find("PAPI_add_named_event", &papi.add_named_event) ||
	    !find("PAPI_assign_eventset_component", &papi.assign_component) ||
	    !find("PAPI_set_opt", &papi.set_opt) || !find("PAPI_start", &papi.start) ||
	    !find("PAPI_read", &papi.read) || !find("PAPI_stop", &papi.stop) ||
	    !find("PAPI_cleanup_eventset", &papi.cleanup) ||
	    !find("PAPI_destroy_eventset", &papi.destroy) || !find("PAPI_strerror", &papi.text)) {
		(void)snprintf(s->reason, sizeof(s->reason), PAPI_LIBRARY " lacks a function");
		return -1;
	}
	ret = papi.library_init(PAPI_VERSION);
	return ret == PAPI_VERSION ? 0 : failed(s, "PAPI_library_init", ret);
}

static int make_set(struct cost_state *s)
{
	int ret;

	s->event_set = PAPI_NULL;
	if (load(s) < 0)
		return -1;
	ret = papi.create_eventset(&s->event_set);
	return ret == PAPI_OK ? 0 : failed(s, "PAPI_create_eventset", ret);
}

static int add_and_start(struct cost_state *s, const char *const *names, unsigned int events)
{
	int ret;

	for (unsigned int i = 0; i < events; i++) {
		ret = papi.add_named_event(s->event_set, names[i]);
		if (ret != PAPI_OK)
			return failed(s, names[i], ret);
	}
	ret = papi.start(s->event_set);
	return ret == PAPI_OK ? 0 : failed(s, "PAPI_start", ret);
}

static void close_set(struct cost_state *s)
{
	if (s->event_set == PAPI_NULL)
		return;
	/* Not started: says so and does nothing. */
	(void)papi.stop(s->event_set, s->papi);
	(void)papi.cleanup(s->event_set);
	(void)papi.destroy(&s->event_set);
}

static const char *const counters[] = {
	"PAPI_TOT_INS",
	"PAPI_TOT_CYC",
	"perf::INSTRUCTIONS:u=1:k=1",
	"perf::CYCLES:u=1:k=1",
};

static int open_counters(struct cost_state *s, unsigned int events)
{
	return make_set(s) < 0 ? -1 : add_and_start(s, counters, events);
}

/*
 * Counts of children are for the kernel to add: PAPI reads them by read(2), as ntime does, whatever
 * the processor allows.
 */
static int open_inherited(struct cost_state *s, unsigned int events)
{
	union {
		struct {
			int set, inherit;
		};
		char room[4096]; /* PAPI_option_t is a union of many */
	} option = { .inherit = 1 };
	int ret;

	if (make_set(s) < 0)
		return -1;
	ret = papi.assign_component(s->event_set, 0);
	if (ret != PAPI_OK)
		return failed(s, "PAPI_assign_eventset_component", ret);
	option.set = s->event_set;
	ret = papi.set_opt(PAPI_INHERIT, &option);
	if (ret != PAPI_OK)
		return failed(s, "PAPI_set_opt(PAPI_INHERIT)", ret);
	return add_and_start(s, counters, events);
}

/* The eight of cost.c; FAULTS and CS are PAPI's other names of two, and get events of their own. */
static int open_software(struct cost_state *s, unsigned int events)
{
	static const char *const names[COST_EVENTS] = {
		"perf::PAGE-FAULTS",	"perf::CONTEXT-SWITCHES",
		"perf::CPU-MIGRATIONS", "perf::MINOR-FAULTS",
		"perf::MAJOR-FAULTS",	"perf::CGROUP-SWITCHES",
		"perf::FAULTS",		"perf::CS",
	};

	return make_set(s) < 0 ? -1 : add_and_start(s, names, events);
}

COST_RUN(read, COST_FAIL_IF(s, papi.read(s->event_set, s->papi) != PAPI_OK))

const struct cost_method cost_papi_methods[] = {
	{ "papi_counter_1", 1, "PAPI_read, counter", open_counters, run_read, close_set },
	{ "papi_counter_4", 4, "PAPI_read, counters", open_counters, run_read, close_set },
	{ "papi_inherited", 1, "PAPI_read, counter, inherited", open_inherited, run_read,
	  close_set },
	{ "papi_software_1", 1, "PAPI_read, software", open_software, run_read, close_set },
	{ "papi_software_8", 8, "PAPI_read, software", open_software, run_read, close_set },
};
const size_t cost_papi_method_count = sizeof(cost_papi_methods) / sizeof(cost_papi_methods[0]);
