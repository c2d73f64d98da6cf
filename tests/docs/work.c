// SPDX-License-Identifier: MIT
/*
 * What README.md compares: two builds with other TURNS, of which so much is known. scripts/readme
 * runs them.
 */
#include <stdint.h>
#include <stdio.h>

int main(void)
{
	uint64_t state = 1, sum = 0;

	for (long i = 0; i < TURNS * 100000l; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += state >> 60;
	}
	return printf("%ju\n", (uintmax_t)sum) < 0;
}
