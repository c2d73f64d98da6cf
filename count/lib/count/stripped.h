/* SPDX-License-Identifier: MIT */
/* Counters that the kernel took off a command at exec, without a word; stripped.c. */
#ifndef NTI_STRIPPED_H
#define NTI_STRIPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/value.h>

struct ntime_session;

struct nti_stripped {
	/* the command's CPU time, 0: not known; it changed its user when it was executed */
	uint64_t expected_ns;
	bool is_protected;
	char why[128]; /* why counts lack a part of the command; "": they do not */
};

/*
 * @cpu_ns: what wait4(2) says of the command that @s counts; @is_protected: the kernel takes its
 * counters off at exec
 */
void nti_session_expect_cpu_time(struct ntime_session *s, uint64_t cpu_ns, bool is_protected);
/* Counts that lack a part of the command are NTIME_PARTIAL. Allocates nothing. */
void nti_session_check_stripped(struct ntime_session *s, struct ntime_value *values);
/* Why values of item @i lack a part of the command; NULL: they do not, as far as it is known. */
const char *nti_session_why_stripped(const struct ntime_session *s, size_t i);

#endif
