/* SPDX-License-Identifier: MIT */
/*
 * Terms of a PMU's events: "umask=0x03" and the bits "config:8-15" that it fills. Pure text,
 * nothing is read from the machine.
 */
#ifndef NTI_FORMAT_H
#define NTI_FORMAT_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>

struct nti_term {
	char *name;
	char *value; /* NULL: a bare term */
};

/* Cut the next term off *list, which is changed. False at the end. */
bool nti_term_next(char **list, struct nti_term *term);
/*
 * The number behind a term; 1 for a bare one. perf reads 0x as hexadecimal and everything else,
 * also with leading zeros, as decimal. 0, -EINVAL (no number), -ERANGE (more than 64 bits).
 */
int nti_term_value(const struct nti_term *term, uint64_t *out);

/*
 * Spread @value over the bits that @ranges ("0-7,32-35") names, lowest first; *width is their
 * number. A number may be added first ("59-62+1", as core/gpu has it, not the kernel). 0; -ERANGE
 * when the value has more bits, *word is as before; -EBADMSG for bad ranges.
 */
int nti_format_scatter(const char *ranges, uint64_t value, __u64 *word, unsigned int *width);

#endif
