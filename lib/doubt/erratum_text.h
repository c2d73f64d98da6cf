/* SPDX-License-Identifier: MIT */
/*
 * Files of data/errata, read by the build program embed (data/embed) and by tests; the library has
 * the result (lib/doubt/erratum.h). An entry has these keys, in this order:
 *     erratum HSD11			the vendor's number
 *     cpu intel 0x6 0x3c 1-3		vendor, family, models, steppings ("all"); may be repeated.
 *					Arm: implementer, part, variant * 16 + revision
 *     event instructions		may be repeated; "rHEX": code and unit mask of the core PMU
 *     does doubt			or: note, refuse
 *     when smt				may be missing
 *     about It counts too much.
 *     remedy what to do		or: none
 *     source the vendor's document, or where Linux knows it from
 *     trust how it was verified
 */
#ifndef NTI_ERRATUM_TEXT_H
#define NTI_ERRATUM_TEXT_H

#include "lib/base/error.h"
#include "lib/doubt/erratum.h"

struct nti_erratum_text {
	struct nti_erratum *erratum; /* each owns its strings and arrays */
	size_t count;
};

/*
 * Parse the text of a file and append to @out. -EINVAL with "FILE:LINE: ..." (@file is only for the
 * sentence), -ENOMEM; on failure @out is to be freed all the same.
 */
int nti_erratum_text_parse(const char *file, const char *text, size_t bytes,
			   struct nti_erratum_text *out, struct nti_error *e);
void nti_erratum_text_fini(struct nti_erratum_text *t);

#endif
