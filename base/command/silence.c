// SPDX-License-Identifier: MIT
/* For a while, what is started reads nothing, and what it writes goes nowhere. */
#include "base/command/silence.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int cli_silence_begin(struct cli_silence *s)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), ret = 0;

	if (null < 0)
		return -errno;
	*s = (struct cli_silence){ { -1, -1, -1 } };
	for (int i = 0; i < 3 && !ret; i++) {
		/* Above the three, so that none of them is taken for a copy. */
		s->fd[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
		ret = s->fd[i] < 0 && errno != EBADF ? -errno : 0;
	}
	for (int i = 0; i < 3 && !ret; i++)
		(void)dup2(null, i);
	for (int i = 0; i < 3 && ret; i++)
		if (s->fd[i] >= 0)
			close(s->fd[i]);
	close(null);
	return ret;
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
