/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * All that core/ knows of the world: fixed-width types and two functions every compiler may call
 * anyway. The same sources go into the library, the driver and the tests, so there is neither libc
 * nor kernel below this line.
 */
#ifndef NTHW_BASE_H
#define NTHW_BASE_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
#endif

#define NTHW_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
