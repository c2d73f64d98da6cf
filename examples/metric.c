// SPDX-License-Identifier: MIT
/*
 * Metrics: a ready-made one, and formulas of one's own, with the error that scaled counts bring
 * along.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <ntime/ntime.h>

static void work(void)
{
	const size_t bytes = 1u << 20;
	volatile char *memory;
	size_t i;
	int n;

	for (n = 0; n < 20; n++) {
		memory = malloc(bytes);
		for (i = 0; memory && i < bytes; i += 64)
			memory[i] = 1;
		free((void *)memory);
	}
}

static void print(const struct ntime_item *item, const struct ntime_value *v)
{
	/* What only a metric asked for is not shown. */
	if (item->is_hidden)
		return;
	if (v->flags & NTIME_ABSENT)
		printf("%-18s absent: %s\n", item->name, item->reason);
	else if (v->flags & NTIME_NOT_COUNTED)
		printf("%-18s not counted\n", item->name);
	else if (v->error > 0)
		printf("%-18s %.4g +- %.2g %s\n", item->name, v->value, v->error, item->unit_text);
	else
		printf("%-18s %.4g %s\n", item->name, v->value, item->unit_text);
}

static int print_all(struct ntime_session *s)
{
	size_t i, n = ntime_session_count(s);
	struct ntime_value *values = calloc(n, sizeof(*values));
	int ret = values ? ntime_session_read(s, values, n) : -ENOMEM;

	for (i = 0; ret >= 0 && i < n; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		ret = ntime_session_item(s, i, &item);
		if (ret == 0)
			print(&item, &values[i]);
	}
	free(values);
	return ret;
}

int main(void)
{
	static const char *const names[] = { "page-faults", "IPC",
					     "faults_per_second[1/s]=page-faults / real_ns * 1e9",
					     "cpus_used[CPUs]=task-clock / real_ns" };
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;
	size_t i;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0)
		ret = ntime_session_new(ctx, NULL, &s);
	for (i = 0; ret == 0 && i < sizeof(names) / sizeof(names[0]); i++)
		ret = ntime_session_add(s, names[i], NULL);
	if (ret == 0)
		ret = ntime_session_start(s);
	if (ret == 0) {
		work();
		ret = ntime_session_stop(s);
	}
	if (ret == 0)
		ret = print_all(s);
	if (ret < 0)
		fprintf(stderr, "metric: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
	ntime_session_free(s);
	ntime_close(ctx);
	return ret < 0;
}
