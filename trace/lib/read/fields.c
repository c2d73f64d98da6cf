// SPDX-License-Identifier: MIT
/* Values of hexadecimal digits; literals with other white space than is usual. */
#include "trace/lib/read/fields.h"

#define NONE4 0xff, 0xff, 0xff, 0xff
#define NONE16 NONE4, NONE4, NONE4, NONE4

const uint8_t nti_hex_values[256] = {
	/* clang-format off */
	NONE16, NONE16, NONE16,
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xff, 0xff, NONE4,
	0xff, 10, 11, 12, 13, 14, 15, 0xff, NONE4, NONE4, NONE16,
	0xff, 10, 11, 12, 13, 14, 15, 0xff, NONE4, NONE4, NONE16,
	NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16,
	/* clang-format on */
};

void nti_fields_loose(struct nti_fields *f, const char *text)
{
	if (nti_fields_take(f, text))
		return;
	nti_fields_skip(f);
	for (; *text && !f->is_bad; text++) {
		if (*text != ' ')
			f->is_bad = f->p == f->end || *f->p++ != *text;
		else
			nti_fields_skip(f);
	}
}
