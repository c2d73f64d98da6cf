// SPDX-License-Identifier: MIT
/* Division of 128 bits by 64. */
#include "lib/base/wide.h"

struct nti_wide nti_wide_div(struct nti_wide a, uint64_t by)
{
	struct nti_wide out = { a.high / by, 0 };
	uint64_t rest = a.high % by;
	int bit;

	if (!rest) {
		out.low = a.low / by;
		return out;
	}
	/*
	 * Long division in base 2. What is shifted out of the rest is its bit 64: then the rest
	 * exceeds any divisor.
	 */
	for (bit = 63; bit >= 0; bit--) {
		uint64_t carry = rest >> 63;

		rest = rest << 1 | (a.low >> bit & 1);
		if (carry || rest >= by) {
			rest -= by;
			out.low |= (uint64_t)1 << bit;
		}
	}
	return out;
}
