/* SPDX-License-Identifier: MIT */
/*
 * Every perf_event_open(2) of a command and its children, as the kernel is given it, of any
 * program.
 */
#ifndef LAB_OPENS_H
#define LAB_OPENS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#define LAB_OPENS_MAX 64

/*
 * What glibc's headers are too old for is read all the same: bytes behind sizeof(attr) are not, but
 * .attr.size tells that there are any.
 */
struct lab_open {
	union {
		struct perf_event_attr attr;
		uint8_t bytes[256];
	};
	int64_t pid, cpu, group;
	uint64_t flags;
	int64_t result; /* descriptor, or -errno */
};

/**
 * lab_trace_opens() - run a command and take note of its perf_event_open(2) calls
 * @argv:	command, looked for in PATH; its standard output and error go to /dev/null
 * @out:	room for LAB_OPENS_MAX
 * @status:	its exit status, 128 + signal when one ended it
 *
 * Return: number of calls, or -errno (-E2BIG: more than there is room for; -EPROTO: the kernel's
 * tracing went wrong).
 */
int lab_trace_opens(char *const *argv, struct lab_open *out, int *status);

#endif
