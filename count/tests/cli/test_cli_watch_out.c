// SPDX-License-Identifier: MIT
/* count/cli/watch/out.h: lines arrive whole. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <unistd.h>

#include "base/output/number.h"
#include "count/cli/watch/out.h"
#include "base/tests/tt.h"

/* More than the buffer holds goes out in the middle, and nothing is lost or doubled. */
TEST(long_samples_are_whole)
{
	char path[] = "/tmp/ntime-out-XXXXXX", line[16];
	struct cli_watch_out o;
	int fd = mkstemp(path);
	FILE *f;

	TT_IS(cli_watch_out_open(&o, path, false), 0);
	for (uint64_t i = 0; i < 100000; i++) {
		cli_watch_put(&o, cli_number_digits(i).text);
		cli_watch_put(&o, "\n");
	}
	if (o.writes > 20)
		fail_msg("%llu writes for 600 KB", (unsigned long long)o.writes);
	TT_IS(cli_watch_out_close(&o), 0);
	f = fdopen(fd, "r");
	for (uint64_t i = 0; i < 100000; i++)
		TT_IS(fgets(line, sizeof(line), f) ? strtoull(line, NULL, 10) : UINT64_MAX, i);
	TT_IS(fgets(line, sizeof(line), f) != NULL, 0);
	fclose(f);
	unlink(path);
}

/* A pipe that does not wait is waited for; one without a reader ends it all without a word. */
TEST(pipes)
{
	char buffer[4096];
	struct cli_watch_out o;
	int end[2], saved = dup(STDOUT_FILENO);

	(void)signal(SIGPIPE, SIG_IGN);
	TT_IS(pipe(end), 0);
	TT_IS(cli_watch_out_open(&o, NULL, false), 0);
	o.fd = end[1];
	cli_watch_put(&o, "a line\n");
	TT_IS(cli_watch_out_flush(&o), 0);
	TT_IS(read(end[0], buffer, sizeof(buffer)), 7);
	close(end[0]);
	cli_watch_put(&o, "another\n");
	TT_IS(cli_watch_out_flush(&o), -EPIPE);
	cli_watch_put(&o, "one more\n");
	TT_IS(cli_watch_out_flush(&o), -EPIPE);
	TT_IS(cli_watch_out_close(&o), 0);
	close(end[1]);
	close(saved);
}

TEST(full_devices_are_told)
{
	struct cli_watch_out o;

	TT_IS(cli_watch_out_open(&o, "/dev/full", false), 0);
	cli_watch_put(&o, "a line\n");
	TT_IS(cli_watch_out_flush(&o), -ENOSPC);
	TT_IS(cli_watch_out_close(&o), -ENOSPC);
	TT_IS(cli_watch_out_open(&o, "/no/such/folder/file", false), -ENOENT);
	TT_IS(cli_watch_out_close(&o), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_samples_are_whole),
		cmocka_unit_test(pipes),
		cmocka_unit_test(full_devices_are_told),
	};

	return TT_RUN(tests);
}
