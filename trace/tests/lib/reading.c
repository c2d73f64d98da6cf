// SPDX-License-Identifier: MIT
/* Reading traces in tests. */
#include <inttypes.h>
#include <unistd.h>

#include "trace/tests/lib/reading.h"

char *tt_file(const void *bytes, size_t n)
{
	char *path = strdup("/tmp/ntime-trace-XXXXXX");
	int fd = path ? mkstemp(path) : -1;

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		fail_msg("no temporary file");
	(void)close(fd);
	return path;
}

void tt_drop(char *path)
{
	(void)unlink(path);
	free(path);
}

void tt_put_record(FILE *out, const struct ntime_record *r, const char *text)
{
	static const char *const names[NTIME_RECORD_KINDS] = {
		[NTIME_RECORD_READ] = "R",
		[NTIME_RECORD_WRITE] = "W",
		[NTIME_RECORD_MARK] = "mark",
		[NTIME_RECORD_CONFIG_READ] = "config-R",
		[NTIME_RECORD_CONFIG_WRITE] = "config-W",
		[NTIME_RECORD_INTERRUPT] = "interrupt",
		[NTIME_RECORD_REGION] = "region",
		[NTIME_RECORD_MMAP] = "mmap",
		[NTIME_RECORD_MMAP_SWITCH] = "switch",
		[NTIME_RECORD_IOEVENTFD] = "ioeventfd",
		[NTIME_RECORD_QUIRK_READ] = "quirk-R",
		[NTIME_RECORD_QUIRK_WRITE] = "quirk-W",
		[NTIME_RECORD_LOST] = "lost",
		[NTIME_RECORD_STYLE] = "style",
		[NTIME_RECORD_EVENT] = "event",
		[NTIME_RECORD_OTHER] = "other",
	};

	fprintf(out, "%s", names[r->kind] ? names[r->kind] : "?");
	if (r->kind < NTIME_RECORD_STYLE)
		fprintf(out, " %d:%u+%" PRIx64 "/%u",
			r->device == NTIME_DEVICE_NONE ? -1 : r->device, r->region, r->offset,
			r->width);
	if (r->kind < NTIME_RECORD_STYLE && (r->flags & NTIME_RECORD_VALUED || r->value))
		fprintf(out, "=%" PRIx64, r->value);
	if (r->flags & NTIME_RECORD_SYNTHETIC)
		fprintf(out, " synthetic");
	if (r->flags & NTIME_RECORD_TIMED)
		fprintf(out, " @%" PRIu64 ".%09" PRIu64, r->time_ns / 1000000000,
			r->time_ns % 1000000000);
	if (r->flags & NTIME_RECORD_THREADED)
		fprintf(out, " #%" PRIu32, r->thread);
	if (r->text)
		fprintf(out, " '%s'", text + r->text - 1);
	fprintf(out, "\n");
}

char *tt_records(struct ntime_trace *t, int *ret)
{
	struct ntime_trace_batch b = { .size = sizeof(b) };
	char *text = NULL;
	size_t n, i;
	FILE *out = open_memstream(&text, &n);

	do {
		*ret = ntime_trace_next(t, &b);
		for (i = 0; !*ret && i < b.n; i++)
			tt_put_record(out, &b.records[i], b.text);
	} while (!*ret && b.n);
	(void)fclose(out);
	return text;
}

static int put_warning(void *arg, const char *sentence, const char *remedy, uint64_t count)
{
	(void)remedy;
	fprintf(arg, "%" PRIu64 " %s\n", count, sentence);
	return 0;
}

char *tt_warnings(const struct ntime_trace *t)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	(void)ntime_trace_warnings(t, put_warning, out);
	(void)fclose(out);
	return text;
}

char *tt_read(struct ntime_trace_ctx *ctx, const char *text, size_t n, uint32_t form,
	      uint32_t flags, struct ntime_trace_info *info)
{
	struct ntime_trace_options o = { .size = sizeof(o), .form = form, .flags = flags };
	char *path = tt_file(text, n), *records;
	struct ntime_trace *t;
	int ret = ntime_trace_open(ctx, path, &o, &t);

	if (ret)
		fail_msg("%s", ntime_trace_error_text(ctx));
	records = tt_records(t, &ret);
	TT_IS(ret, 0);
	info->size = sizeof(*info);
	TT_IS(ntime_trace_get_info(t, info), 0);
	ntime_trace_close(t);
	tt_drop(path);
	return records;
}
