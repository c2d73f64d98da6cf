// SPDX-License-Identifier: MIT
/*
 * What a read costs stays what docs/performance.md says: the benchmark itself (bench/lab/cost.c),
 * as a test. Instructions are exact in the guests that run it, so no figure depends on time or
 * load. Needs --with papi.
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	execl("/lab/cost", "cost", "--tap", (char *)NULL);
	perror("/lab/cost");
	return 1;
}
