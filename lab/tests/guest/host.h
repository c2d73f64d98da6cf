/* SPDX-License-Identifier: MIT */
/* Ask the host of the guest that a test runs in: /lab/host REQUEST, one line of answer. */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include "base/tests/tt.h"

/* The answer without its newline; a request that fails fails the test. */
static inline void host_ask(const char *request, char *answer, size_t bytes)
{
	char command[256];
	FILE *pipe;
	size_t got;

	snprintf(command, sizeof(command), "/lab/host %s", request);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	got = fread(answer, 1, bytes - 1, pipe);
	answer[got] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	if (pclose(pipe) != 0) {
		print_error("%s failed\n", command);
		fail();
	}
}

/* The same where only success matters. */
__attribute__((format(printf, 1, 2))) static inline void host_tell(const char *format, ...)
{
	char request[128], answer[512];
	va_list args;

	va_start(args, format);
	vsnprintf(request, sizeof(request), format, args);
	va_end(args);
	host_ask(request, answer, sizeof(answer));
}

#endif
