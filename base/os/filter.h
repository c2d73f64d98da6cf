/* SPDX-License-Identifier: MIT */
/*
 * A program that the kernel runs for the calling thread, and whose length is known: a filter of
 * packets on a socket that nobody else has. Every user may have one.
 */
#ifndef NTI_FILTER_H
#define NTI_FILTER_H

#include <stdbool.h>

/* Turns that fit every kernel's limit for the filter of a socket (net.core.optmem_max). */
#define NTI_FILTER_TURNS_MAX 1000

/*
 * Where the kernel translates filters for this processor, as nearly all do (bpf_jit_enable), a turn
 * takes so much; an interpreter takes several times as much. 0: it is not known here.
 */
#if defined(__x86_64__) || defined(__aarch64__)
#define NTI_FILTER_INSTRUCTIONS 2 /* a comparison and a branch, which is taken */
#define NTI_FILTER_BRANCHES 1
#else
#define NTI_FILTER_INSTRUCTIONS 0
#define NTI_FILTER_BRANCHES 0
#endif

struct nti_filter {
	int fd[2]; /* of its socket and of the other end */
};

/* A filter of @turns, at most NTI_FILTER_TURNS_MAX. 0, or -errno. */
int nti_filter_open(struct nti_filter *f, unsigned int turns);
/* Run it once: a system call, which is over when the filter has run. False: it did not. */
bool nti_filter_run(const struct nti_filter *f);
void nti_filter_close(struct nti_filter *f);

#endif
