// SPDX-License-Identifier: MIT
/* ntime was built without libmicrohttpd or zlib: it serves nobody. */
#include <errno.h>

#include "base/output/say.h"
#include "count/cli/export/server.h"

int cli_server_start(struct cli_server *s, const struct cli_listener *listener, size_t n)
{
	(void)s, (void)listener, (void)n;
	cli_say("this ntime was built without libmicrohttpd and serves nobody: use --textfile, or "
		"--once");
	return -ENOSYS;
}

int cli_server_open(struct cli_server *s)
{
	(void)s;
	return -ENOSYS;
}

int cli_server_answer(struct cli_server *s, const char *text, size_t bytes)
{
	(void)s, (void)text, (void)bytes;
	return -ENOSYS;
}

void cli_server_end(struct cli_server *s)
{
	(void)s;
}
