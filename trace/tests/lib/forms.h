/* SPDX-License-Identifier: MIT */
/* Traces through the library and back: a file or bytes in, another form out as bytes. */
#ifndef TT_FORMS_H
#define TT_FORMS_H

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include <ntime/trace.h>

#include "base/tests/tt.h"

/* What a writer wrote. */
struct forms_bytes {
	char *p;
	size_t n, room;
};

static inline int forms_take(void *arg, const void *bytes, size_t n)
{
	struct forms_bytes *b = arg;

	/*
	 * Doubled: a realloc() for each piece takes most of the time under a sanitizer, which moves
	 * the bytes each time.
	 */
	if (b->room < b->n + n + 1) {
		b->room = 2 * (b->n + n + 1);
		b->p = realloc(b->p, b->room);
		assert_non_null(b->p);
	}
	memcpy(b->p + b->n, bytes, n);
	b->n += n;
	b->p[b->n] = '\0';
	return 0;
}

static inline struct ntime_trace_ctx *forms_context(void)
{
	static struct ntime_trace_ctx *ctx;

	if (!ctx)
		(void)ntime_trace_ctx_new(&ctx, NULL);
	assert_non_null(ctx);
	return ctx;
}

/* A file of @n bytes; its name is static. */
static inline const char *forms_file(const void *bytes, size_t n)
{
	static char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/ntime-forms-%ld", (long)getpid());
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* What the last conversion had to make up: sentences, a line each. */
static inline char *forms_warned(void)
{
	static char text[2048];

	return text;
}

static inline int forms_note(void *arg, const char *sentence, const char *remedy, uint64_t count)
{
	char *end = forms_warned() + strlen(forms_warned());

	(void)arg;
	snprintf(end, (size_t)(forms_warned() + 2048 - end), "%llu %s; %s\n",
		 (unsigned long long)count, sentence, remedy);
	return 0;
}

/* What to convert and how. */
struct forms_job {
	uint32_t from, to, flags;
	const char *hints;
	bool without_others, without_requests;
};

/*
 * Convert the file; *out is the caller's to free. First error of reading; what was written before
 * it is there.
 */
static inline int forms_convert_file(const char *path, const struct forms_job *job,
				     struct forms_bytes *out)
{
	struct ntime_trace_options o = { .size = sizeof(o),
					 .form = job->from,
					 .flags = (job->without_others ? 0 : NTIME_TRACE_OTHERS) |
						  (job->without_requests ? 0
									 : NTIME_TRACE_REQUESTS) };
	struct ntime_trace_writer_options wo = { .size = sizeof(wo),
						 .form = job->to,
						 .flags = job->flags,
						 .write = forms_take,
						 .write_arg = out,
						 .hints = job->hints };
	struct ntime_trace_batch b = { .size = sizeof(b) };
	struct ntime_trace_writer *w;
	struct ntime_trace *t;
	int ret;

	memset(out, 0, sizeof(*out));
	(void)forms_take(out, "", 0);
	ret = ntime_trace_open(forms_context(), path, &o, &t);
	if (ret < 0)
		return ret;
	ret = ntime_trace_writer_new(forms_context(), t, &wo, &w);
	if (ret < 0) {
		ntime_trace_close(t);
		return ret;
	}
	while (!(ret = ntime_trace_next(t, &b)) && b.n)
		assert_int_equal(ntime_trace_writer_put(w, &b), 0);
	assert_int_equal(ntime_trace_writer_end(w), 0);
	*forms_warned() = '\0';
	(void)ntime_trace_writer_warnings(w, forms_note, NULL);
	ntime_trace_writer_free(w);
	ntime_trace_close(t);
	return ret;
}

static inline int forms_convert(const void *bytes, size_t n, const struct forms_job *job,
				struct forms_bytes *out)
{
	const char *path = forms_file(bytes, n);
	int ret = forms_convert_file(path, job, out);

	(void)unlink(path);
	return ret;
}

/* A whole file; the caller frees. */
static inline struct forms_bytes forms_read(const char *path)
{
	struct forms_bytes b = { 0 };
	char block[4096];
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f)
		fail_msg("%s cannot be read", path);
	(void)forms_take(&b, "", 0);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		(void)forms_take(&b, block, n);
	(void)fclose(f);
	return b;
}

/* Both are the same; else the first line that differs is shown. */
static inline void forms_same(const struct forms_bytes *got, const struct forms_bytes *want,
			      const char *what)
{
	size_t i = 0, line = 0;

	if (got->n == want->n && !memcmp(got->p, want->p, got->n))
		return;
	for (; i < got->n && i < want->n && got->p[i] == want->p[i]; i++)
		if (got->p[i] == '\n')
			line = i + 1;
	fail_msg("%s: got \"%.*s\", expected \"%.*s\"", what,
		 (int)strcspn(got->p + (line < got->n ? line : got->n), "\n"),
		 got->p + (line < got->n ? line : got->n),
		 (int)strcspn(want->p + (line < want->n ? line : want->n), "\n"),
		 want->p + (line < want->n ? line : want->n));
}

/* Bytes that a string has. */
static inline struct forms_bytes forms_text(const char *text)
{
	return (struct forms_bytes){ (char *)text, strlen(text), 0 };
}

static inline struct forms_bytes forms_made_(const struct forms_bytes *in, struct forms_job job,
					     const char *file, int line)
{
	struct forms_bytes out;

	tt_eq_(forms_convert(in->p, in->n, &job, &out), 0, "forms_convert()", file, line);
	return out;
}

static inline void forms_is_(const struct forms_bytes *in, const struct forms_bytes *want,
			     struct forms_job job, const char *file, int line)
{
	struct forms_bytes got = forms_made_(in, job, file, line);
	char what[256];

	snprintf(what, sizeof(what), "%s:%d", file, line);
	forms_same(&got, want, what);
	free(got.p);
}

/* What @in becomes by the members of a job that follow; a failure names the row, or this line. */
#define FORMS_MADE(r, in, ...)                                                                     \
	forms_made_((in), (struct forms_job){ __VA_ARGS__ }, __FILE__, (r)->line)
#define FORMS_HERE(in, ...) forms_made_((in), (struct forms_job){ __VA_ARGS__ }, __FILE__, __LINE__)
/* It must become @want. */
#define FORMS_IS(r, in, want, ...)                                                                 \
	forms_is_((in), (want), (struct forms_job){ __VA_ARGS__ }, __FILE__, (r)->line)
#define FORMS_IS_HERE(in, want, ...)                                                               \
	forms_is_((in), (want), (struct forms_job){ __VA_ARGS__ }, __FILE__, __LINE__)

#endif
