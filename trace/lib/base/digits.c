// SPDX-License-Identifier: MIT
/* Decimal digits, three at a time. */
#include "trace/lib/base/digits.h"

#define TRIPLE(a, b, c)                                                                            \
	{                                                                                          \
		a, b, c, '\0'                                                                      \
	}
#define TRIPLES10(a, b)                                                                            \
	TRIPLE(a, b, '0'), TRIPLE(a, b, '1'), TRIPLE(a, b, '2'), TRIPLE(a, b, '3'),                \
		TRIPLE(a, b, '4'), TRIPLE(a, b, '5'), TRIPLE(a, b, '6'), TRIPLE(a, b, '7'),        \
		TRIPLE(a, b, '8'), TRIPLE(a, b, '9')
#define TRIPLES100(a)                                                                              \
	TRIPLES10(a, '0'), TRIPLES10(a, '1'), TRIPLES10(a, '2'), TRIPLES10(a, '3'),                \
		TRIPLES10(a, '4'), TRIPLES10(a, '5'), TRIPLES10(a, '6'), TRIPLES10(a, '7'),        \
		TRIPLES10(a, '8'), TRIPLES10(a, '9')

const char nti_digit_triples[1000][4] = { TRIPLES100('0'), TRIPLES100('1'), TRIPLES100('2'),
					  TRIPLES100('3'), TRIPLES100('4'), TRIPLES100('5'),
					  TRIPLES100('6'), TRIPLES100('7'), TRIPLES100('8'),
					  TRIPLES100('9') };

void nti_seconds_keep(struct nti_seconds *s, uint64_t ns)
{
	uint32_t milli = (uint32_t)(ns % 1000000000 / 1000000);
	char *p = nti_put_dec(s->digits, ns / 1000000000);

	*p++ = '.';
	memcpy(p, nti_digit_triples[milli], 4);
	s->bytes = (uint32_t)(p + 3 - s->digits);
	s->from_ns = ns / 1000000 * 1000000;
}
