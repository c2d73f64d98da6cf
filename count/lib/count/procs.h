/* SPDX-License-Identifier: MIT */
/* Items that the kernel's text files tell: they need no counter, and have one number a CPU. */
#ifndef NTI_PROCS_H
#define NTI_PROCS_H

#include <stddef.h>

#include <ntime/session.h>

struct ntime_session;
struct nti_session_item;
struct nti_procs;

/* Of all CPUs of the target. */
#define NTI_PROCS_ALL SIZE_MAX
/*
 * In some period it went back or was no number: .counted_ns lacks that time, and .count is what the
 * other periods had.
 */
#define NTI_PROCS_LOST (NTIME_PROC | NTIME_NOT_COUNTED | NTIME_IMPLAUSIBLE)

/* The session is opened: find the files. 0 or -errno; nti_session_procs_close() in any case. */
int nti_session_procs_open(struct ntime_session *s);
void nti_session_procs_close(struct ntime_session *s);
/* It starts, it stops, it is read: look at the files. 0 or -errno with a sentence. */
int nti_session_procs_start(struct ntime_session *s);
int nti_session_procs_stop(struct ntime_session *s);
int nti_session_procs_read(struct ntime_session *s);
/* @item, as read last, at place @at of the target. */
struct ntime_value nti_session_procs_value(const struct ntime_session *s,
					   const struct nti_session_item *item, size_t at,
					   uint64_t real_ns);

#endif
