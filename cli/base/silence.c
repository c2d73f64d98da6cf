// SPDX-License-Identifier: MIT
/* For a while, what is started reads nothing, and what it writes goes nowhere. */
#include "cli/base/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int cli_silence_begin(struct cli_silence *s)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -errno;
	for (int i = 0; i < 3; i++) {
		/* Above the three, so that none of them is taken for a copy. */
		s->fd[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		(void)dup2(null, i);
	}
	close(null);
	return 0;
}

void cli_silence_end(struct cli_silence *s)
{
	for (int i = 0; i < 3; i++) {
		if (s->fd[i] < 0) {
			close(i);
			continue;
		}
		(void)dup2(s->fd[i], i);
		close(s->fd[i]);
	}
}
