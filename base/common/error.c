// SPDX-License-Identifier: MIT
/* The last error of a context. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/common/error.h"
#include "base/common/text.h"

int nti_error(struct nti_error *e, int code, const char *format, ...)
{
	va_list args;

	if (!e)
		return code;
	e->code = code;
	va_start(args, format);
	(void)nti_text_vprint(e->text, sizeof(e->text), format, args);
	va_end(args);
	return code;
}

int nti_error_check_size(struct nti_error *e, const char *name, size_t size, size_t expected)
{
	if (size == expected)
		return 0;
	if (!size)
		return nti_error(e, -EINVAL, "%s.size is 0: set it to sizeof(%s) before the call",
				 name, name);
	return nti_error(e, -EINVAL,
			 "%s has %zu bytes, and %zu in this library: build against the headers of "
			 "the library that is loaded",
			 name, size, expected);
}

int nti_error_prefix(struct nti_error *e, int code, const char *format, ...)
{
	char old[NTI_ERROR_TEXT_BYTES];
	va_list args;
	size_t used;
	int n;

	if (!e)
		return code;
	memcpy(old, e->text, sizeof(old));
	va_start(args, format);
	n = nti_text_vprint(e->text, sizeof(e->text), format, args);
	va_end(args);
	used = n < 0 ? 0 : (size_t)n;
	if (used < sizeof(e->text) &&
	    snprintf(e->text + used, sizeof(e->text) - used, ": %s", old) < 0)
		e->text[used] = '\0';
	e->code = code;
	return code;
}
