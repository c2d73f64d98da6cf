/* SPDX-License-Identifier: MIT */
/* What the golden tests share: a recorded machine opened through the public API. */
#ifndef TESTS_MACHINE_GOLDEN_H
#define TESTS_MACHINE_GOLDEN_H

#include <unistd.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#define SKX "intel-skx-2s"
#define ZEN "amd-zen2"
#define ARM "arm64-neoverse-n1"
#define ADL "hybrid-adl"
#define KVM "vm-kvm"
#define RES "restricted"

static inline struct ntime_ctx *golden_open(const char *machine)
{
	char path[128];
	struct ntime_options options = { .size = sizeof(options), .machine = path };
	struct ntime_ctx *ctx;
	int ret;

	snprintf(path, sizeof(path), "count/tests/machine/%s.json", machine);
	ret = ntime_open(&ctx, &options);
	if (ret < 0)
		fail_msg("%s: %d: %s", path, ret, ctx ? ntime_error_text(ctx) : "");
	return ctx;
}

/* The text of @path, in memory that the caller frees; its length in @length. */
static inline char *golden_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "r");
	char *text;

	if (!file || fseek(file, 0, SEEK_END) < 0)
		fail_msg("cannot read %s", path);
	*length = (size_t)ftell(file);
	rewind(file);
	text = calloc(*length + 1, 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *length, file), *length);
	fclose(file);
	return text;
}

/*
 * The same with the first @from of the file replaced by @to: a setting that the recording has
 * otherwise. NULL: as it is.
 */
static inline struct ntime_ctx *golden_open_changed(const char *machine, const char *from,
						    const char *to)
{
	char path[128], name[] = "/tmp/ntime-golden-XXXXXX";
	struct ntime_options options = { .size = sizeof(options), .machine = name };
	struct ntime_ctx *ctx;
	size_t length, head;
	char *text, *at;
	FILE *file;
	int fd;

	if (!from)
		return golden_open(machine);
	snprintf(path, sizeof(path), "count/tests/machine/%s.json", machine);
	text = golden_text(path, &length);
	at = strstr(text, from);
	if (!at)
		fail_msg("%s does not hold %s", path, from);
	head = (size_t)(at - text);
	fd = mkstemp(name);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	assert_non_null(file);
	fprintf(file, "%.*s%s%s", (int)head, text, to, at + strlen(from));
	fclose(file);
	free(text);
	TT_IS(ntime_open(&ctx, &options), 0);
	unlink(name);
	return ctx;
}

#endif
