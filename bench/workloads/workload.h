/* SPDX-License-Identifier: MIT */
/* What the workloads share: their command line, and what the kernel told them of themselves. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <sys/resource.h>

struct workload {
	const char *name;
	unsigned long n;
	bool is_told;		/* --json */
	struct rusage begin[2]; /* self and children, when the work began */
};

/**
 * workload_begin() - read the command line, wait if told to, remember where the work begins
 * @w:		caller's
 * @name:	for messages
 * @argc, @argv: of main(): [--json] [--wait] N
 *
 * With --wait it says "ready" and begins when a byte can be read from standard input, so that a
 * counter can be attached before. Wrong arguments end the program with 2.
 */
void workload_begin(struct workload *w, const char *name, int argc, char **argv);

/**
 * workload_end() - with --json print one line of JSON: what was done, and getrusage(2) of the work
 * and of the whole process
 * @w:		that workload_begin() filled
 * @format, ...: members of the JSON object that this workload knows alone
 *
 * Return: exit status for main().
 */
int workload_end(const struct workload *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
