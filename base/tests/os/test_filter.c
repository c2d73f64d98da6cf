// SPDX-License-Identifier: MIT
/* base/os/filter.h: a real filter of a real socket. */
#include <errno.h>
#include <unistd.h>

#include "base/os/filter.h"
#include "base/tests/tt.h"

TEST(a_filter_runs)
{
	static const unsigned int turns[] = { 1, 8, 264, NTI_FILTER_TURNS_MAX };
	unsigned int i, run;

	for (i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
		struct nti_filter f;
		char byte;

		TT_IS(nti_filter_open(&f, turns[i]), 0);
		/* More than a queue holds: the filter lets nothing through. */
		for (run = 0; run < 1000; run++)
			TT_IS(nti_filter_run(&f), true);
		TT_IS(read(f.fd[0], &byte, 1), -1);
		TT_IS(errno, EAGAIN);
		nti_filter_close(&f);
	}
}

TEST(limits)
{
	struct nti_filter f;

	TT_IS(nti_filter_open(&f, 0), -EINVAL);
	TT_IS(nti_filter_open(&f, NTI_FILTER_TURNS_MAX + 1), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_runs),
		cmocka_unit_test(limits),
	};

	return TT_RUN(tests);
}
