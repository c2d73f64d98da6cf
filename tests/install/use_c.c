// SPDX-License-Identifier: MIT
/* A program as users write it, in C: measures itself with the clock and with page faults. */
#include <ntime/ntime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGES 64
#define PAGE_BYTES 4096

static int fail(struct ntime_ctx *ctx, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, ctx ? ntime_error_text(ctx) : "no context");
	ntime_close(ctx);
	return 1;
}

/* At least one fault per page, if the kernel lets us count at all. */
static int touch_pages(void)
{
	volatile char *memory = malloc(PAGES * PAGE_BYTES);
	size_t i;

	if (!memory)
		return -1;
	for (i = 0; i < PAGES; i++)
		memory[i * PAGE_BYTES] = 1;
	free((void *)memory);
	return 0;
}

static int show(struct ntime_session *s, const struct ntime_value *values)
{
	struct ntime_item item = { 0 };
	size_t i;

	item.size = sizeof(item);
	for (i = 0; i < ntime_session_count(s); i++) {
		if (ntime_session_item(s, i, &item) < 0)
			return -1;
		if (values[i].flags & NTIME_ABSENT) {
			printf("%s: absent: %s\n", item.name, item.reason);
			if (!item.reason[0])
				return -1;
		} else {
			printf("%s: %llu\n", item.name, (unsigned long long)values[i].count);
			if (!values[i].count)
				return -1;
		}
	}
	return 0;
}

int main(void)
{
	struct ntime_value values[2];
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx = NULL;
	char version[32];

	(void)snprintf(version, sizeof(version), "%d.%d.%d", NTIME_VERSION_MAJOR,
		       NTIME_VERSION_MINOR, NTIME_VERSION_PATCH);
	if (strcmp(version, ntime_version()) != 0)
		return fail(NULL, "headers and library are of different versions");
	if (ntime_open(&ctx, NULL) < 0)
		return fail(ctx, "ntime_open");
	if (ntime_session_new(ctx, NULL, &s) < 0 ||
	    ntime_session_add_list(s, "tsc,page-faults") < 0 || ntime_session_start(s) < 0)
		return fail(ctx, "starting a session");
	if (touch_pages() < 0 || ntime_session_stop(s) < 0 || ntime_session_read(s, values, 2) != 2)
		return fail(ctx, "reading the session");
	if (show(s, values) < 0)
		return fail(ctx, "a count that should be there is 0, or an absence has no reason");
	ntime_session_free(s);
	ntime_close(ctx);
	return 0;
}
