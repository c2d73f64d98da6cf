// SPDX-License-Identifier: MIT
/* libseccomp: which system calls stay allowed while a file that a stranger wrote is read. */
#include <errno.h>
#include <seccomp.h>

#include "lib/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(scmp_filter_ctx, NULL, seccomp_init, (uint32_t otherwise), (otherwise))                  \
	F(void, (void)0, seccomp_release, (scmp_filter_ctx filter), (filter))                      \
	F(int, -1, seccomp_syscall_resolve_name, (const char *name), (name))                       \
	F(int, -ENOSYS, seccomp_rule_add_array,                                                    \
	  (scmp_filter_ctx filter, uint32_t action, int number, unsigned int n,                    \
	   const struct scmp_arg_cmp *arguments),                                                  \
	  (filter, action, number, n, arguments))                                                  \
	F(int, -ENOSYS, seccomp_load, (const scmp_filter_ctx filter), (filter))

NTI_LAZY_DEFINE(seccomp, "libseccomp.so.2", "libseccomp2",
		"fewer system calls for what reads files of others", FUNCTIONS)
