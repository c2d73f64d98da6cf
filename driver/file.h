/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An open register file. */
#ifndef NTD_FILE_H
#define NTD_FILE_H

#include <linux/fs.h>
#include <linux/sched.h>

#include "driver/ntd.h"

/* "0x", 16 digits, newline */
#define NTD_TEXT_BYTES 19

/* Lives from open to release; mappings hold the file, so they are gone before. */
struct ntd_file {
	struct ntd_reg *reg; /* by the inode's reference to the unit */
	unsigned int generation; /* of the unit at open */
	void *prepared; /* ntd_arch_prepare()'s */
	pid_t pid; /* who opened it, for "status" */
	char comm[TASK_COMM_LEN];
	bool is_binary; /* set by mmap(2), never cleared */
	struct mutex lock; /* of what follows: threads may share the descriptor */
	bool has_text;
	char text[NTD_TEXT_BYTES + 1];
};

extern const struct file_operations ntd_file_operations;

#endif
