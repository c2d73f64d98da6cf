// SPDX-License-Identifier: MIT
/* The fast reader: counters read inline around a short region, with everything a read may say. */
#include <inttypes.h>
#include <stdio.h>

#include <ntime/ntime.h>

#define ITEMS 4

static volatile unsigned int sink;

static void work(void)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		sink += i;
}

/* @before and @after are results of ntime_read(): negative, or flags. */
static void print(const char *name, int before, int after, uint64_t count)
{
	int flags = before | after;

	if (before < 0 || after < 0)
		printf("%-14s could not be read (%d)\n", name, before < 0 ? before : after);
	else if (flags & NTIME_NOT_COUNTED)
		printf("%-14s not counted: another event has the counter\n", name);
	else if (flags & NTIME_SCALED)
		/* Not extrapolated: for that, read the session, which knows the times. */
		printf("%-14s at least %" PRIu64 ", counted a part of the time\n", name, count);
	else
		printf("%-14s %" PRIu64 "%s\n", name, count,
		       flags & NTIME_SIMULATED ? " (simulated)" : "");
}

static int measure(struct ntime_session *s, size_t i, const char *name)
{
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_reader reader = { .size = sizeof(reader) };
	uint64_t first = 0, second = 0;
	int ret = ntime_session_item(s, i, &item), before, after;

	if (ret < 0)
		return ret;
	/* The session is open, so the reason is final. */
	ret = ntime_get_reader(s, i, &reader);
	if (ret < 0) {
		printf("%-14s absent: %s\n", name, item.reason);
		return 0;
	}
	before = ntime_read(&reader, &first);
	work();
	after = ntime_read(&reader, &second);
	print(name, before, after, second - first);
	printf("%-14s read by %s\n", "", ntime_reader_why(&reader));
	return 0;
}

int main(void)
{
	static const char *const names[ITEMS] = { "tsc", "task-clock", "cycles", "instructions" };
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;
	size_t i;
	int ret = ntime_open(&ctx, NULL);

	/* The calling thread, without children: only its counters can be read by an instruction. */
	if (ret == 0)
		ret = ntime_session_new(ctx, NULL, &s);
	for (i = 0; ret == 0 && i < ITEMS; i++)
		ret = ntime_session_add(s, names[i], NULL);
	if (ret == 0)
		ret = ntime_session_start(s);
	for (i = 0; ret == 0 && i < ITEMS; i++)
		ret = measure(s, i, names[i]);
	if (ret < 0)
		fprintf(stderr, "reader: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
	ntime_session_free(s);
	ntime_close(ctx);
	return ret < 0;
}
