// SPDX-License-Identifier: MIT
/* Counts what one region of this program does, and says why some of it cannot be counted here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <ntime/ntime.h>

#define ITEMS 5

static void work(void)
{
	const size_t bytes = 4u << 20;
	volatile char *memory = malloc(bytes);
	size_t i;

	/* The first touch of each page is a page fault. */
	for (i = 0; memory && i < bytes; i += 64)
		memory[i] = 1;
	free((void *)memory);
}

static void print(const struct ntime_item *item, const struct ntime_value *v)
{
	if (v->flags & NTIME_ABSENT) {
		printf("%-14s absent: %s\n", item->name, item->reason);
		if (*item->remedy)
			printf("%-14s remedy: %s\n", "", item->remedy);
		return;
	}
	if (v->flags & NTIME_NOT_COUNTED) {
		printf("%-14s not counted: it never got a counter in this time\n", item->name);
		return;
	}
	printf("%-14s %.0f %s", item->name, v->value, item->unit_text);
	if (v->flags & NTIME_SCALED)
		printf(" +- %.0f (counted %" PRIu64 " of %" PRIu64 " ns)", v->error, v->counted_ns,
		       v->wanted_ns);
	/* A reason without NTIME_ABSENT says what is left out of the count. */
	printf("%s%s\n", *item->reason ? " - " : "", item->reason);
}

static int print_all(struct ntime_session *s)
{
	struct ntime_value values[ITEMS];
	size_t i;
	int ret = ntime_session_read(s, values, ITEMS);

	for (i = 0; ret >= 0 && i < ITEMS; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		ret = ntime_session_item(s, i, &item);
		if (ret == 0)
			print(&item, &values[i]);
	}
	return ret;
}

int main(void)
{
	static const char *const names[ITEMS] = { "task-clock", "page-faults", "cycles",
						  "instructions", "tsc" };
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;
	size_t i;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0)
		ret = ntime_session_new(ctx, NULL, &s);
	for (i = 0; ret == 0 && i < ITEMS; i++)
		ret = ntime_session_add(s, names[i], NULL);
	/* Opening first keeps its cost out of the region. */
	if (ret == 0)
		ret = ntime_session_open(s);
	if (ret == 0)
		ret = ntime_session_start(s);
	if (ret == 0) {
		work();
		ret = ntime_session_stop(s);
	}
	if (ret == 0)
		ret = print_all(s);
	if (ret < 0)
		fprintf(stderr, "count: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
	ntime_session_free(s);
	ntime_close(ctx);
	return ret < 0;
}
