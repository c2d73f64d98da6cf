/* SPDX-License-Identifier: MIT */
/*
 * Files of data/counters, read by the build program embed and by tests; the library has the result
 * (names.h).
 *
 *     source ...			of the rows below, in this entry
 *     trust documented			or measured, guessed
 *     counter EVENT PART CHIPS DOMAIN MODE START EVENT-SELECT GROUP MUX	several;
 *     data/README.md has the columns
 */
#ifndef NTI_TRACE_DERIVE_KNOWN_TEXT_H
#define NTI_TRACE_DERIVE_KNOWN_TEXT_H

#include <stddef.h>

#include "lib/base/error.h"
#include "trace/derive/names.h"

struct nti_known_text {
	struct nti_known_counter *counter;
	size_t count;
	/* the texts that they point to */
	char **owned;
	size_t owns;
};

/*
 * Parse the text of a file and append to @out. -EINVAL with "FILE:LINE: ..." (@file is only for the
 * sentence), -ENOMEM; on failure @out is to be freed all the same.
 */
int nti_known_text_parse(const char *file, const char *text, size_t bytes,
			 struct nti_known_text *out, struct nti_error *e);
void nti_known_text_fini(struct nti_known_text *t);

#endif
