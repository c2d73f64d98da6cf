/* SPDX-License-Identifier: MIT */
/*
 * Files of data/limits, read by the build program embed (data/embed) and by tests; the library has
 * the result (lib/doubt/limit.h). An entry has these keys, in this order:
 *     limit instructions-per-cycle
 *     event instructions
 *     bound at most 16 of cycles	or: at most 10e9 per second
 *					or: moves within 1e9 of instructions
 *					or: moves within 0.1 seconds
 *					or: between -60 and 150
 *     slack 10000			of "at most"; may be missing: 0
 *     about No processor retires more.
 *     source where that is from
 */
#ifndef NTI_LIMIT_TEXT_H
#define NTI_LIMIT_TEXT_H

#include "lib/base/error.h"
#include "lib/doubt/limit.h"

struct nti_limit_text {
	struct nti_limit *limit; /* each owns its strings */
	size_t count;
};

/*
 * Parse the text of a file and append to @out. -EINVAL with "FILE:LINE: ..." (@file is only for the
 * sentence), -ENOMEM; on failure @out is to be freed all the same.
 */
int nti_limit_text_parse(const char *file, const char *text, size_t bytes,
			 struct nti_limit_text *out, struct nti_error *e);
void nti_limit_text_fini(struct nti_limit_text *t);

#endif
