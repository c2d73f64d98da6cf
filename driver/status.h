/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the file "status" counts and tells. */
#ifndef NTD_STATUS_H
#define NTD_STATUS_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/percpu.h>

#include "driver/ntd.h"

struct ntd_status_cpu {
	u64 reads;
	u64 writes;
	u64 errors;
};

DECLARE_PER_CPU(struct ntd_status_cpu, ntd_status_cpu);
extern atomic_t ntd_status_open;

/**
 * ntd_status_refuse() - count an open or a write that was refused
 * @reg: of what
 * @error: negative
 * @why: kept until the next one
 *
 * Context: of the caller that is refused.
 */
void ntd_status_refuse(const struct ntd_reg *reg, int error, const char *why);

/* The same of what is no register. */
void ntd_status_refuse_named(const char *name, int error, const char *why);

/**
 * ntd_status_exit() - forget the last refusal
 *
 * When nothing is open any more.
 */
void ntd_status_exit(void);

extern const struct file_operations ntd_status_operations;

#endif
