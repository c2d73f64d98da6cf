// SPDX-License-Identifier: MIT
/* Allocations of the kernel's that fail because a test says so. */
#include <stdio.h>

#include "lab/tests/guest/fail.h"
#include "lab/tests/guest/file.h"

#define DEBUG_FS "/sys/kernel/debug"

bool lab_fail_quietly(void)
{
	static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };
	char path[96];
	int ret = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		(void)snprintf(path, sizeof(path), DEBUG_FS "/%s/verbose", kinds[i]);
		ret |= lab_write(path, "0");
	}
	ret |= lab_write(DEBUG_FS "/failslab/ignore-gfp-wait", "N");
	ret |= lab_write(DEBUG_FS "/fail_page_alloc/ignore-gfp-wait", "N");
	ret |= lab_write(DEBUG_FS "/fail_page_alloc/ignore-gfp-highmem", "N");
	ret |= lab_write(DEBUG_FS "/fail_page_alloc/min-order", "0");
	return ret == 0;
}
