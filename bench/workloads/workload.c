// SPDX-License-Identifier: MIT
/* What the workloads share: their command line, and what the kernel told them of themselves. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

static _Noreturn void misused(const char *name)
{
	fprintf(stderr, "usage: %s [--json] [--wait] N\n", name);
	exit(2);
}

static void wait_for_go(void)
{
	ssize_t n;
	char go;

	printf("ready\n");
	if (fflush(stdout))
		exit(2);
	do
		n = read(STDIN_FILENO, &go, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		exit(2); /* whoever was to attach is gone */
}

static void look(struct rusage usage[2])
{
	(void)getrusage(RUSAGE_SELF, &usage[0]);
	(void)getrusage(RUSAGE_CHILDREN, &usage[1]);
}

void workload_begin(struct workload *w, const char *name, int argc, char **argv)
{
	bool is_waiting = false;
	char *end;
	int i;

	*w = (struct workload){ .name = name };
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--json") == 0)
			w->is_told = true;
		else if (strcmp(argv[i], "--wait") == 0)
			is_waiting = true;
		else
			misused(name);
	}
	if (i + 1 != argc || argv[i][0] < '0' || argv[i][0] > '9')
		misused(name);
	errno = 0;
	w->n = strtoul(argv[i], &end, 10);
	if (*end || errno || w->n > 1000000)
		misused(name);
	if (is_waiting)
		wait_for_go();
	look(w->begin);
}

static long us_of(struct timeval t)
{
	return (long)t.tv_sec * 1000000 + (long)t.tv_usec;
}

struct sums {
	long faults, switches, us;
};

/* @n: 1 for the process itself, 2 with its children */
static struct sums sums_of(const struct rusage usage[2], int n)
{
	struct sums s = { 0 };

	for (int i = 0; i < n; i++) {
		s.faults += usage[i].ru_minflt + usage[i].ru_majflt;
		s.switches += usage[i].ru_nvcsw + usage[i].ru_nivcsw;
		s.us += us_of(usage[i].ru_utime) + us_of(usage[i].ru_stime);
	}
	return s;
}

static void tell(const char *name, struct sums begin, struct sums end)
{
	printf(", \"%s\": {\"faults\": %ld, \"switches\": %ld, \"cpu_us\": %ld}", name,
	       end.faults - begin.faults, end.switches - begin.switches, end.us - begin.us);
}

int workload_end(const struct workload *w, const char *format, ...)
{
	struct rusage usage[2];
	va_list args;

	if (!w->is_told)
		return 0;
	look(usage);
	printf("{\"workload\": \"%s\", ", w->name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	tell("work", sums_of(w->begin, 2), sums_of(usage, 2));
	tell("own", sums_of(w->begin, 1), sums_of(usage, 1));
	tell("total", (struct sums){ 0 }, sums_of(usage, 2));
	printf("}\n");
	return fflush(stdout) ? 1 : 0;
}
