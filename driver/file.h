/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* An open register file. */
#ifndef NTD_FILE_H
#define NTD_FILE_H

#include <linux/fs.h>

#include "driver/ntd.h"
#include "driver/who.h"

/* "0x", 16 digits, newline */
#define NTD_TEXT_BYTES 19

/* Lives from open to release; mappings hold the file, so they are gone before. */
struct ntd_file {
	struct ntd_reg *reg;
	unsigned int generation; /* of the unit at open */
	struct ntd_who who; /* opened it, for "status" */
	bool is_binary; /* set by mmap(2), never cleared */
	struct address_space *pages; /* of the inode */
	struct list_head mapped; /* in ntd_unit.mapped from the first mmap(2) on, by its lock */
	struct mutex lock; /* of what follows: threads may share the descriptor */
	bool has_text;
	char text[NTD_TEXT_BYTES + 1];
};

extern const struct file_operations ntd_file_operations;

/**
 * ntd_file_unmap() - take the pages of a unit's device out of all programs
 * @unit: a device's
 *
 * What touches them next asks again whether there is a page.
 *
 * Context: sleeps; none of our locks but device.c's.
 */
void ntd_file_unmap(struct ntd_unit *unit);

#endif
