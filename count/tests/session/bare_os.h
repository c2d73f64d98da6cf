/* SPDX-License-Identifier: MIT */
/* An operating system that has nothing, for tests that make up the few calls they need. */
#ifndef TT_BARE_OS_H
#define TT_BARE_OS_H

#include "base/os/os.h"

/*
 * On an x86-64 whose user may all: no file, no link, no CPUID, no time stamp counter; ioctl(),
 * unmap() and close() do nothing. Time, and opening and reading events, are the caller's to add.
 */
struct nti_os_ops tt_bare_os(void);

#endif
