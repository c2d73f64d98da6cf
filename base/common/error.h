/* SPDX-License-Identifier: MIT */
/*
 * The last error of a context: the code travels by return value, the facts for a sentence stay
 * here.
 */
#ifndef NTI_ERROR_H
#define NTI_ERROR_H

#include <stddef.h>

#include "base/common/compiler.h"

#define NTI_ERROR_TEXT_BYTES 1024

/*
 * Zero-initialised by its owner; no memory behind it. One per context; not shared between threads.
 */
struct nti_error {
	int code; /* negative errno of the text, 0 = no error yet */
	char text
		/* one sentence without newline: what failed, on what, what to do */
		[NTI_ERROR_TEXT_BYTES];
};

/*
 * Store the sentence for @code and return @code, so that callers write `return nti_error(e,
 * -EINVAL, ...)`. The text is cut at NTI_ERROR_TEXT_BYTES. The errno's own words are NOT appended:
 * say what it means here.
 * @e may be NULL (then only the code is returned).
 */
int nti_error(struct nti_error *e, int code, const char *format, ...) NTI_PRINTF(3, 4);

/*
 * Is .size of a caller's struct @name what it is here? 0, or -EINVAL with a sentence: it was left
 * at 0, or the caller was built for another version.
 */
int nti_error_check_size(struct nti_error *e, const char *name, size_t size, size_t expected);

/*
 * Put "WHAT: " in front of the stored sentence; returns @code. For layers that know what was being
 * done.
 */
int nti_error_prefix(struct nti_error *e, int code, const char *format, ...) NTI_PRINTF(3, 4);

#endif
