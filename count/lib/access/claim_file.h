/* SPDX-License-Identifier: MIT */
/*
 * What a claim's file looks like. Each line has 256 bytes with its newline: fields separated by
 * tabs, blanks, and the CRC-32 of all before it, so that a line never lies in two pages and is
 * there as a whole or not at all when its writer is killed (the kernel looks for signals that kill
 * between pages, generic_perform_write() in Linux 6.1 mm/filemap.c).
 *
 *     ntime-claim-2 PID STARTED BOOT WHAT COMMAND                                            CRC
 *     msr 0x3c2 64 CPU_3 0 MSR_UNCORE_PERFEVTSEL2 LAST NEXT OURS                             CRC
 *
 * A line is written before the register is: NEXT is what is being written, LAST what it holds if
 * that write does not happen any more, OURS all bits that its owner has changed. A last line that
 * is not whole was never followed by a write. An empty file, or a part of a first line, is a claim
 * that nothing was done with.
 */
#ifndef NTI_CLAIM_FILE_H
#define NTI_CLAIM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/names.h"
#include "core/base/reg.h"
#include "count/lib/access/claim.h"

#define NTI_CLAIM_LINE_BYTES 256
/* More registers than any PMU instance has. */
#define NTI_CLAIM_LINES_MAX 127
#define NTI_CLAIM_FILE_BYTES ((NTI_CLAIM_LINES_MAX + 1) * NTI_CLAIM_LINE_BYTES)
#define NTI_CLAIM_DEVICE_BYTES 16

struct nti_claim_head {
	struct nti_claim_owner owner;
	uint64_t started_ticks;
	char boot[40];
	char what[NTI_CLAIM_WHAT_BYTES];
};

struct nti_claim_line {
	enum nthw_space space;
	uint32_t address, bits;
	int package; /* any CPU of it reaches the register; -1: this device alone */
	char device[NTI_CLAIM_DEVICE_BYTES];
	char name[NTHW_NAME_SIZE];
	uint64_t last, next, ours;
};

/* A file as it was read. */
struct nti_claim_record {
	bool has_head;
	struct nti_claim_head head;
	size_t lines;
	struct nti_claim_line line[NTI_CLAIM_LINES_MAX];
};

/*
 * Exactly NTI_CLAIM_LINE_BYTES, without NUL. -E2BIG: it does not fit; -EINVAL: it would not be
 * believed when it is read, as it has no row or bits that its row does not store.
 */
int nti_claim_head_format(const struct nti_claim_head *head, char *text);
int nti_claim_line_format(const struct nti_claim_line *line, char *text);

/* Make the line of NTI_CLAIM_LINE_BYTES whole whose text is in @line: checksum and newline. */
void nti_claim_seal(char *line);

/* 0; -EBADMSG and in *@reason (static memory) what is wrong with it. */
int nti_claim_parse(const char *text, size_t bytes, struct nti_claim_record *out,
		    const char **reason);
/* The same of the file behind @fd, also -errno: then *@out is NULL, else it is to be freed. */
int nti_claim_read(int fd, struct nti_claim_record **out, const char **reason);

/*
 * What register @line, of row @row, which holds @found, is to hold so that nothing of its owner's
 * runs. -EBUSY: bits that he changed are neither as he left them nor as they were about to be, so
 * somebody else has programmed it since. He may have been killed before a write or after it.
 */
int nti_claim_judge(const struct nti_claim_line *line, const struct nthw_reg *row, uint64_t found,
		    uint64_t *now);

/*
 * Was it written since this machine was started, which is @boot? What was written before that says
 * nothing of the registers of today.
 */
bool nti_claim_is_of_boot(const struct nti_claim_head *head, const char *boot);
/* Can that be told? Not where either has no /proc. */
bool nti_claim_knows_boot(const struct nti_claim_head *head, const char *boot);

/* The number of "CPU 3"; -1: it is no CPU. */
long nti_claim_cpu(const char *device);

/* Whatever is not printable ASCII becomes '?'. */
void nti_claim_clean(char *text);

/* Letters, digits and "-_.:", not too long, and no hidden file: fit to be a claim's name. */
bool nti_claim_is_name(const char *name);

/* ---- what a repair may write: claim_row.c ---- */

/*
 * The row of the register that @line names, in the table of a PMU, of one of its boxes or of a
 * graphics chip; NULL when none has that name at that address, in that width. Tables of other
 * machines count: which of them this one has is not known where a recording or another root is
 * looked at.
 */
const struct nthw_reg *nti_claim_row(const struct nti_claim_line *line);

/* Does its register let counters run, and are all its bits such as hardware keeps in it? */
bool nti_claim_is_repairable(const struct nti_claim_line *line);

/*
 * Has the PCI function of these ids the register @name, which lets counters run, at @address of its
 * configuration space, or of BAR 0 of a graphics card? A record could name any function.
 */
bool nti_claim_is_of_device(uint32_t vendor_id, uint32_t device_id, const char *name,
			    uint32_t address);

#endif
