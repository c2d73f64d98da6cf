// SPDX-License-Identifier: MIT
/*
 * CPU by CPU: what each socket did and took, while nobody divides what belongs to a socket as a
 * whole.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep() with -std=c11 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ntime/ntime.h>

#define MAX_SOCKETS 64

/* Sums of one item over the CPUs of each socket; NaN is nobody's sum. */
struct sums {
	double value[MAX_SOCKETS];
	unsigned int cpus[MAX_SOCKETS];
};

static int add_row(struct ntime_session *s, size_t row, const struct ntime_value *v,
		   struct sums *sums)
{
	struct ntime_where_info info = { .size = sizeof(info) };
	int ret = ntime_session_where(s, row, &info);

	if (ret < 0)
		return ret;
	/* Counted on another CPU of this socket: it stands there. */
	if (v->flags & (NTIME_ELSEWHERE | NTIME_ABSENT | NTIME_NOT_COUNTED) || info.package < 0 ||
	    info.package >= MAX_SOCKETS)
		return 0;
	sums->value[info.package] += v->value;
	sums->cpus[info.package]++;
	return 0;
}

static int print_item(struct ntime_session *s, size_t i, const struct ntime_value *rows, size_t n)
{
	struct ntime_item item = { .size = sizeof(item) };
	struct sums sums = { 0 };
	size_t row;
	unsigned int socket;
	int ret = ntime_session_item(s, i, &item);

	if (ret == 0 && *item.reason)
		printf("%-18s absent: %s\n", item.name, item.reason);
	for (row = 0; ret == 0 && row < ntime_session_where_count(s); row++)
		ret = add_row(s, row, &rows[row * n + i], &sums);
	for (socket = 0; ret == 0 && socket < MAX_SOCKETS; socket++) {
		if (sums.cpus[socket])
			printf("%-18s socket %u: %.4g %s (read on %u of its CPUs)\n", item.name,
			       socket, sums.value[socket], item.unit_text, sums.cpus[socket]);
	}
	return ret;
}

static int print_all(struct ntime_session *s)
{
	size_t i, n = ntime_session_count(s), cpus = ntime_session_where_count(s);
	struct ntime_value *rows = calloc(n * cpus, sizeof(*rows));
	int ret = rows ? ntime_session_read_where(s, rows, n, cpus) : -ENOMEM;

	for (i = 0; ret >= 0 && i < n; i++)
		ret = print_item(s, i, rows, n);
	free(rows);
	return ret;
}

int main(void)
{
	static const char *const names[] = { "task-clock", "power/energy-pkg/" };
	const struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_MACHINE };
	const struct timespec pause = { .tv_nsec = 100000000 };
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;
	size_t i;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0)
		ret = ntime_session_new(ctx, &target, &s);
	for (i = 0; ret == 0 && i < sizeof(names) / sizeof(names[0]); i++) {
		ret = ntime_session_add(s, names[i], NULL);
		/* Not every machine has one. */
		if (ret == -ENOENT) {
			printf("%-18s %s\n", names[i], ntime_error_text(ctx));
			ret = 0;
		}
	}
	if (ret == 0)
		ret = ntime_session_start(s);
	if (ret == 0) {
		nanosleep(&pause, NULL);
		ret = ntime_session_stop(s);
	}
	if (ret == 0)
		ret = print_all(s);
	if (ret < 0)
		fprintf(stderr, "where: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
	ntime_session_free(s);
	ntime_close(ctx);
	/* Who may not count what all programs do has the sentence above. */
	return ret < 0 && ret != -EACCES;
}
