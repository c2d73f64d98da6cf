// SPDX-License-Identifier: MIT
/* PAPI's rows of the benchmark of reads where PAPI was not there at configure time. */
#include <stdio.h>

#include "bench/read.h"

static int open_nothing(struct bench_state *s, unsigned int events)
{
	(void)events;
	(void)snprintf(s->reason, sizeof(s->reason),
		       "PAPI was not found when this was configured; apt-get install libpapi-dev");
	return -1;
}

const struct bench_method bench_papi_methods[] = {
	{ "papi_real_cyc", 1, false, "PAPI_get_real_cyc", open_nothing, NULL, NULL, NULL },
	{ "papi_read_1", 1, false, "PAPI_read", open_nothing, NULL, NULL, NULL },
	{ "papi_read_8", 8, false, "PAPI_read", open_nothing, NULL, NULL, NULL },
};
const size_t bench_papi_method_count = sizeof(bench_papi_methods) / sizeof(bench_papi_methods[0]);
