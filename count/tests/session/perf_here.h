/* SPDX-License-Identifier: MIT */
/*
 * Whether this process may use perf, asked of the kernel itself: what the library says of it is
 * what is tested.
 */
#ifndef TESTS_SESSION_PERF_HERE_H
#define TESTS_SESSION_PERF_HERE_H

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/tests/tt.h"

/* Why not even faults of its own in user mode can be counted, or NULL. */
static inline const char *tt_perf_why_not(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd;

	/* perf_event_open(2), "Notes": that this file exists is how a program finds out. */
	if (access("/proc/sys/kernel/perf_event_paranoid", F_OK) < 0)
		return "this kernel has no perf events";
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0) {
		close(fd);
		return NULL;
	}
	switch (errno) {
	case ENOSYS:
		return "this kernel has no perf events";
	case EPERM:
	case EACCES:
	/* No kernel does so; filters do. */
	case EINVAL:
	case EMFILE:
		return "this process is refused perf_event_open(2)";
	default:
		/* Something that a test must see. */
		return NULL;
	}
}

#define TT_NEED_PERF()                                                                             \
	do {                                                                                       \
		const char *why_not_ = tt_perf_why_not();                                          \
                                                                                                   \
		if (why_not_)                                                                      \
			TT_SKIP(why_not_);                                                         \
	} while (0)

#endif
