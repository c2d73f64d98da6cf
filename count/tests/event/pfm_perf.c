// SPDX-License-Identifier: MIT
/*
 * libpfm4's own perf_event_attr; apart, because its header and the kernel's describe the same
 * structs.
 */
#include <perfmon/pfmlib_perf_event.h>
#include <string.h>

#include "count/tests/event/pfm_perf.h"

int tt_pfm_perf(const char *text, uint64_t config[2])
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg;
	int ret;

	memset(&attr, 0, sizeof(attr));
	memset(&arg, 0, sizeof(arg));
	attr.size = sizeof(attr);
	arg.attr = &attr;
	arg.size = sizeof(arg);
	ret = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	config[0] = attr.config;
	config[1] = attr.config1;
	return ret;
}
