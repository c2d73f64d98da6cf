/* SPDX-License-Identifier: MIT */
/* Allocations of the kernel's that fail because a test says so: /proc/PID/fail-nth. */
#ifndef LAB_FAIL_H
#define LAB_FAIL_H

#include <stdbool.h>

/*
 * Those that may sleep fail too, and nobody is told in the log, where the lab would take it for a
 * fault. False: this kernel has no fault injection.
 */
bool lab_fail_quietly(void);

#endif
