// SPDX-License-Identifier: MIT
/*
 * Where traces come from: compressed, cut off, longer than a block, growing, cut and replaced;
 * filters.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ntime/trace/context.h>
#include <ntime/trace/trace.h>
#include <ntime/trace/filter.h>

#include "trace/lib/read/unpack.h"
#include "trace/tests/lib/context.h"
#include "trace/tests/lib/forms.h"
#include "trace/tests/lib/reading.h"

#define LINE "vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
#define SECOND "vfio_region_read  (0000:05:00.0:region0+0x8, 4) = 0x2\n"
#define MMIOTRACE "VERSION 20070824\nW 4 1.000000 1 0xfa000000 0x0 0x0 0\n"
#define LINE_RECORD "W 0:0+4/4=1\n"
#define SECOND_RECORD "R 0:0+8/4=2\n"

/* What printf(1) is told of them. */
#define LINE_SHELL "vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\\n"
#define SECOND_SHELL "vfio_region_read  (0000:05:00.0:region0+0x8, 4) = 0x2\\n"

/* Output of a shell's command that has two texts in it, as bytes. */
static void pack(int line, const char *format, const char *first, const char *second, char **out,
		 size_t *n)
{
	char command[1024];
	FILE *from, *to = open_memstream(out, n);
	int c;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(command, sizeof(command), format, first, second);
#pragma GCC diagnostic pop
	from = popen(command, "r");
	while (from && (c = fgetc(from)) != EOF)
		(void)fputc(c, to);
	(void)fclose(to);
	tt_eq_(from && pclose(from) == 0, 1, "the command ran", __FILE__, line);
}

/* Read to its end, or to where that fails. */
static int read_packed(const char *bytes, size_t n)
{
	char *path = tt_file(bytes, n);
	struct ntime_trace_options o = { .size = sizeof(o), .form = NTIME_TRACE_VFIO };
	struct ntime_trace *t;
	int ret = ntime_trace_open(tt_ctx, path, &o, &t);

	if (!ret)
		free(tt_records(t, &ret));
	ntime_trace_close(t);
	tt_drop(path);
	return ret;
}

static const struct packed_row {
	int line;
	const struct nti_unpack *way;
	const char *command; /* of two parts after each other */
} packed_rows[] = {
	{ __LINE__, &nti_unpack_gzip, "(printf '%s' | gzip -c; printf '%s' | gzip -c)" },
	{ __LINE__, &nti_unpack_xz, "(printf '%s' | xz -c; printf '%s' | xz -c)" },
	{ __LINE__, &nti_unpack_zstd, "(printf '%s' | zstd -qc; printf '%s' | zstd -qc)" },
	/* a frame that is to be skipped, in front */
	{ __LINE__, &nti_unpack_zstd,
	  "(printf '\\120\\052\\115\\030\\003\\000\\000\\000abc'; (printf '%s'; printf '%s') | "
	  "zstd -qc)" },
	/* zeros behind the last member, as a tape leaves them */
	{ __LINE__, &nti_unpack_gzip,
	  "((printf '%s'; printf '%s') | gzip -c; printf '\\000\\000\\000\\000')" },
};

/* All of it, and all but its last bytes. Where nothing at all comes out of it, opening tells. */
TEST(compressed_traces_are_read_whole)
{
	TT_FOR_EACH_ROW(r, packed_rows) {
		struct ntime_trace_info info;
		char *bytes, *got;
		size_t n;

		if (!r->way->library)
			continue;
		pack(r->line, r->command, LINE_SHELL, SECOND_SHELL, &bytes, &n);
		got = tt_read(tt_ctx, bytes, n, NTIME_TRACE_ANY, 0, &info);
		TT_STR(r, got, LINE_RECORD SECOND_RECORD);
		TT_STR(r, info.compression, r->way->name);
		TT_EQ(r, info.bytes, n);
		TT_EQ(r, read_packed(bytes, n - 12), -EBADMSG);
		TT_HAS(ntime_trace_error_text(tt_ctx), "cut off");
		free(got);
		free(bytes);
	}
}

static const struct stranger_row {
	int line;
	const struct nti_unpack *way;
	const char *packer, *tail; /* behind what it makes, for printf(1) */
	int at;			   /* where that ceases to be of the way; -1 it is nowhere */
} stranger_rows[] = {
	{ __LINE__, &nti_unpack_gzip, "gzip -c", "x", 0 },
	{ __LINE__, &nti_unpack_gzip, "gzip -c", "junk and more junk", 0 },
	{ __LINE__, &nti_unpack_gzip, "gzip -c", "\\037\\213junk", 0 },
	{ __LINE__, &nti_unpack_gzip, "gzip -c", "\\000\\000junk", 2 },
	{ __LINE__, &nti_unpack_gzip, "gzip -c", "\\000", -1 },
	{ __LINE__, &nti_unpack_xz, "xz -c", "x", 0 },
	{ __LINE__, &nti_unpack_xz, "xz -c", "junk and more junk", 0 },
	{ __LINE__, &nti_unpack_xz, "xz -c", "\\3757zXjunk", 0 },
	{ __LINE__, &nti_unpack_xz, "xz -c", "\\000\\000\\000\\000junk", 4 },
	/* padding is a multiple of four */
	{ __LINE__, &nti_unpack_xz, "xz -c", "\\000\\000\\000\\000\\000", 4 },
	{ __LINE__, &nti_unpack_xz, "xz -c", "\\000\\000junk", 0 },
	{ __LINE__, &nti_unpack_xz, "xz -c", "\\000\\000\\000\\000", -1 },
	{ __LINE__, &nti_unpack_zstd, "zstd -qc", "x", 0 },
	{ __LINE__, &nti_unpack_zstd, "zstd -qc", "junk and more junk", 0 },
	{ __LINE__, &nti_unpack_zstd, "zstd -qc", "\\000\\000\\000\\000", 0 },
};

TEST(what_stands_behind_packed_data_is_told)
{
	char command[256], tail[64], sentence[200], *bytes;
	size_t n, packed;

	TT_FOR_EACH_ROW(r, stranger_rows) {
		if (!r->way->library)
			continue;
		(void)snprintf(command, sizeof(command), "printf '" LINE_SHELL "' | %s", r->packer);
		(void)snprintf(tail, sizeof(tail), "; printf '%s'", r->tail);
		pack(r->line, "%s%s", command, "", &bytes, &packed);
		free(bytes);
		pack(r->line, "%s%s", command, tail, &bytes, &n);
		TT_EQ(r, read_packed(bytes, n), r->at < 0 ? 0 : -EBADMSG);
		free(bytes);
		if (r->at < 0)
			continue;
		(void)snprintf(sentence, sizeof(sentence),
			       "data that is not %s follows the end of its %s data, from "
			       "byte %zu on; cut it off",
			       r->way->name, r->way->name, packed + (size_t)r->at);
		TT_HAS(ntime_trace_error_text(tt_ctx), sentence);
	}
}

/* The first part is whole, in the second a bit of its check is wrong. */
static const struct flipped_row {
	int line;
	const struct nti_unpack *way;
	const char *command; /* of both parts */
	size_t from_end;     /* of the check */
	const char *trusted;
} flipped_rows[] = {
	{ __LINE__, &nti_unpack_gzip, "printf '%s' | gzip -c", 8, "nothing that was read from it" },
	{ __LINE__, &nti_unpack_gzip, "printf '%s' | gzip -c; printf '%s' | gzip -c", 8,
	  "nothing after the first 54 bytes of its uncompressed data" },
	{ __LINE__, &nti_unpack_xz, "printf '%s' | xz -c", 10, "nothing that was read from it" },
	{ __LINE__, &nti_unpack_xz, "printf '%s' | xz -c; printf '%s' | xz -c", 10,
	  "nothing after the first 54 bytes of its uncompressed data" },
	{ __LINE__, &nti_unpack_zstd, "printf '%s' | zstd -qc", 1,
	  "nothing that was read from it" },
	{ __LINE__, &nti_unpack_zstd, "printf '%s' | zstd -qc; printf '%s' | zstd -qc", 1,
	  "nothing after the first 54 bytes of its uncompressed data" },
};

TEST(what_can_be_trusted_of_packed_data_is_told)
{
	char sentence[200], *bytes;
	size_t n;

	TT_FOR_EACH_ROW(r, flipped_rows) {
		if (!r->way->library)
			continue;
		pack(r->line, r->command, LINE_SHELL, LINE_SHELL, &bytes, &n);
		bytes[n - r->from_end] ^= 1;
		TT_EQ(r, read_packed(bytes, n), -EBADMSG);
		free(bytes);
		(void)snprintf(sentence, sizeof(sentence), "it is not %s, and %s can be trusted",
			       r->way->name, r->trusted);
		TT_HAS(ntime_trace_error_text(tt_ctx), sentence);
	}
}

static const struct refused_row {
	int line;
	const char *path, *text; /* of a file that is made, or NULL */
	uint32_t form;
	int ret;
	const char *sentence;
} refused_rows[] = {
	{ __LINE__, "/nonexistent/x", NULL, 0, -ENOENT, "there is no such file" },
	{ __LINE__, "/", NULL, 0, -EISDIR, "is a directory" },
	{ __LINE__, NULL, "", 0, -EBADMSG, "is empty" },
	{ __LINE__, NULL, "hello world\n", 0, -EBADMSG, "begins with 'hello world'" },
	{ __LINE__, NULL, "\x01\x02", 0, -EBADMSG, "begins with '?\?'" },
	{ __LINE__, NULL, LINE, NTIME_TRACE_JSON, -EINVAL, "is not read" },
	/* Who says the form is believed, but for what is plainly another one. */
	{ __LINE__, NULL, LINE, NTIME_TRACE_MMIOTRACE, -EBADMSG, "not mmiotrace" },
	{ __LINE__, NULL, LINE, NTIME_TRACE_BINARY, -EBADMSG, "not ntime's binary form" },
	{ __LINE__, NULL, LINE, NTIME_TRACE_SIMPLE, -EBADMSG, "that is VFIO events of QEMU, not " },
	{ __LINE__, NULL, "somebody else's line\n" MMIOTRACE, NTIME_TRACE_VFIO, -EBADMSG,
	  "that is mmiotrace, not VFIO events of QEMU" },
};

TEST(what_cannot_be_read_is_refused)
{
	TT_FOR_EACH_ROW(r, refused_rows) {
		struct ntime_trace_options o = { .size = sizeof(o), .form = r->form };
		char *path = r->path ? strdup(r->path) : tt_file(r->text, strlen(r->text));
		struct ntime_trace *t;

		TT_EQ(r, ntime_trace_open(tt_ctx, path, &o, &t), r->ret);
		TT_HAS(ntime_trace_error_text(tt_ctx), r->sentence);
		TT_EQ(r, t == NULL, 1);
		tt_drop(path);
	}
}

TEST(lines_of_any_length_pass)
{
	const size_t n = 3u << 20;
	char *text = malloc(n), *got, *p = text;
	struct ntime_trace_info info;

	p = stpcpy(p, LINE);
	memset(p, 'x', 2u << 20);
	p += 2u << 20;
	p = stpcpy(p, "\n" SECOND);
	*p++ = '\0';
	p = stpcpy(p, "\n" LINE);
	got = tt_read(tt_ctx, text, (size_t)(p - text), NTIME_TRACE_ANY, 0, &info);
	TT_TEXT(got, LINE_RECORD SECOND_RECORD LINE_RECORD);
	TT_IS(info.lines, 5);
	TT_IS(info.others, 2);
	TT_IS(info.accesses, 3);
	free(got);
	free(text);
}

/* Somebody else's text may stand in front of the first event. */
TEST(the_form_is_found_behind_other_text)
{
	const size_t n = 400000;
	char *text = malloc(n + sizeof(LINE)), *got;
	struct ntime_trace_info info;
	size_t i;

	for (i = 0; i < n; i++)
		text[i] = i % 40 == 39 ? '\n' : 'y';
	memcpy(text + n, LINE, sizeof(LINE));
	got = tt_read(tt_ctx, text, n + sizeof(LINE) - 1, NTIME_TRACE_ANY, 0, &info);
	TT_TEXT(got, LINE_RECORD);
	TT_IS(info.others, n / 40);
	TT_IS(info.lines, n / 40 + 1);
	free(got);
	free(text);
}

/* An event of QEMU 2.3 to 2.5, as lines end in Unix and in Windows. */
#define TWO_LINES_TEXT(newline)                                                                    \
	"vfio_populate_device_region Device 0000:05:00.0 region 1:" newline                        \
	"  size: 0x1000, offset: 0x10000000000, flags: 0x7"
#define TWO_LINES TWO_LINES_TEXT("\n") "\n"
#define TWO_LINES_CRLF TWO_LINES_TEXT("\r\n") "\r\n"

/* Writes one line after the other, each when the one before was read. */
static void *write_lines(void *arg)
{
	const char *p = TWO_LINES TWO_LINES_CRLF, *end;
	int *to = arg, left;

	for (; *p; p = end) {
		end = strchr(p, '\n') + 1;
		if (write(*to, p, (size_t)(end - p)) != end - p)
			break;
		while (!ioctl(*to, FIONREAD, &left) && left)
			(void)usleep(1000);
	}
	(void)close(*to);
	return NULL;
}

TEST(two_lines_of_an_event_come_apart)
{
	struct ntime_trace_info info = { .size = sizeof(info) };
	struct ntime_trace *t;
	pthread_t thread;
	char path[32], *got;
	int ends[2], ret;

	TT_IS(pipe(ends), 0);
	(void)snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
	TT_IS(pthread_create(&thread, NULL, write_lines, &ends[1]), 0);
	TT_IS(ntime_trace_open(tt_ctx, path, NULL, &t), 0);
	(void)close(ends[0]);
	got = tt_records(t, &ret);
	TT_IS(pthread_join(thread, NULL), 0);
	TT_IS(ret, 0);
	TT_TEXT(got,
		"event '" TWO_LINES_TEXT("\n") "'\n"
					       "region 0:1+7/0=1000 synthetic\n"
					       "style '%r'\n"
					       "event '" TWO_LINES_TEXT(
						       "\r\n") "'\n"
							       "region 0:1+7/0=1000 synthetic\n");
	TT_IS(ntime_trace_get_info(t, &info), 0);
	TT_IS(info.lines, 4);
	TT_IS(info.others, 0);
	ntime_trace_close(t);
	free(got);
}

/* A file that grows: what is written step by step, and what the reader must have seen by then. */
struct growing {
	struct ntime_trace *t;
	char *path;
	int step; /* atomic: records seen so far */
	char *records;
	int ret;
};

static void *follow(void *arg)
{
	struct growing *g = arg;
	struct ntime_trace_batch b = { .size = sizeof(b) };
	size_t n, i;
	FILE *out = open_memstream(&g->records, &n);

	do {
		g->ret = ntime_trace_next(g->t, &b);
		for (i = 0; !g->ret && i < b.n; i++)
			tt_put_record(out, &b.records[i], b.text);
		__atomic_fetch_add(&g->step, g->ret ? 0 : (int)b.n, __ATOMIC_RELEASE);
	} while (!g->ret && b.n);
	(void)fclose(out);
	return NULL;
}

static void wait_for(struct growing *g, int step)
{
	/* No time is asserted: a machine that never gets there is ended by the test's own limit. */
	while (__atomic_load_n(&g->step, __ATOMIC_ACQUIRE) < step)
		(void)usleep(2000);
}

/* Open g->path and follow it in a thread of its own, until @step records came. */
static pthread_t begin(struct growing *g, int step)
{
	struct ntime_trace_options o = { .size = sizeof(o), .flags = NTIME_TRACE_FOLLOW };
	pthread_t thread;

	TT_IS(ntime_trace_open(tt_ctx, g->path, &o, &g->t), 0);
	TT_IS(pthread_create(&thread, NULL, follow, g), 0);
	wait_for(g, step);
	return thread;
}

/* What came in all. */
static void end(struct growing *g, const char *records)
{
	TT_IS(g->ret, 0);
	TT_TEXT(g->records, records);
	ntime_trace_close(g->t);
	free(g->records);
	tt_drop(g->path);
}

static void append(const char *path, const char *text, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);

	TT_IS(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), 1);
	(void)close(fd);
}

TEST(growing_files_are_followed)
{
	struct growing g = { .path = tt_file(LINE "vfio_region_re", sizeof(LINE) - 1 + 14) };
	pthread_t thread = begin(&g, 1);
	char other[64];

	(void)snprintf(other, sizeof(other), "%s.new", g.path);
	append(g.path, "ad  (0000:05:00.0:region0+0x8, 4) = 0x2\n", O_APPEND);
	wait_for(&g, 2);
	/* cut: a mark says that something may be missing */
	append(g.path, LINE, O_TRUNC);
	wait_for(&g, 4);
	/* replaced by another file */
	append(other, SECOND, O_TRUNC);
	TT_IS(rename(other, g.path), 0);
	wait_for(&g, 6);
	(void)unlink(g.path);
	TT_IS(pthread_join(thread, NULL), 0);
	end(&g, LINE_RECORD SECOND_RECORD
	    "lost -1:0+0/0 'the file was cut or replaced'\n" LINE_RECORD
	    "lost -1:0+0/0 'the file was cut or replaced'\n" SECOND_RECORD);
}

TEST(following_can_be_stopped)
{
	struct growing g = { .path = tt_file(LINE, sizeof(LINE) - 1) };
	pthread_t thread = begin(&g, 1);

	ntime_trace_stop(g.t);
	TT_IS(pthread_join(thread, NULL), 0);
	end(&g, LINE_RECORD);
}

/* A line that is being written when following is stopped is not torn. */
TEST(what_is_not_written_yet_is_not_torn)
{
	struct ntime_trace_options o = { .size = sizeof(o), .flags = NTIME_TRACE_FOLLOW };
	struct growing g = { .path = tt_file(LINE SECOND "vfio_region_re",
					     sizeof(LINE SECOND) - 1 + 14) };
	char *warnings;

	TT_IS(ntime_trace_open(tt_ctx, g.path, &o, &g.t), 0);
	/* What is there by now is read all the same. */
	ntime_trace_stop(g.t);
	(void)follow(&g);
	warnings = tt_warnings(g.t);
	TT_TEXT(warnings, "");
	free(warnings);
	end(&g, LINE_RECORD SECOND_RECORD);
}

/* A pipe whose writer is slow: the end that we write into, which keeps it open. */
static int slow_pipe(char **path)
{
	int fd;

	*path = tt_file("", 0);
	(void)unlink(*path);
	TT_IS(mkfifo(*path, 0600), 0);
	fd = open(*path, O_RDWR | O_CLOEXEC);
	TT_IS(fd >= 0, 1);
	return fd;
}

static void put_in(int fd, const void *bytes, size_t n)
{
	TT_IS(write(fd, bytes, n), (int)n);
}

static const struct slow_row {
	int line;
	uint32_t flags;
} slow_rows[] = {
	{ __LINE__, 0 },
	{ __LINE__, NTIME_TRACE_FOLLOW },
};

/* Two lines and a part of the third. The first bytes alone do not tell the form. */
#define SLOW "10@5.000000:" LINE "10@5.000001:" SECOND "10@5.000002:vfio_region_re"

TEST(what_is_there_comes_before_a_wait)
{
	TT_FOR_EACH_ROW(r, slow_rows) {
		struct ntime_trace_options o = { .size = sizeof(o), .flags = r->flags };
		struct ntime_trace_batch b = { .size = sizeof(b) };
		struct ntime_trace *t;
		char *path;
		int fd = slow_pipe(&path);

		/* Each call hangs where the reader waits for more than was written. */
		put_in(fd, SLOW, sizeof(SLOW) - 1);
		TT_EQ(r, ntime_trace_open(tt_ctx, path, &o, &t), 0);
		TT_EQ(r, ntime_trace_next(t, &b), 0);
		/* the style, and an access each */
		TT_EQ(r, b.n, 3);
		put_in(fd, "ad  (0000:05:00.0:region0+0x8, 4) = 0x2\n", 40);
		TT_EQ(r, ntime_trace_next(t, &b), 0);
		TT_EQ(r, b.n, 1);
		(void)close(fd);
		TT_EQ(r, ntime_trace_next(t, &b), 0);
		TT_EQ(r, b.n, 0);
		ntime_trace_close(t);
		tt_drop(path);
	}
}

static void *open_and_follow(void *arg)
{
	struct ntime_trace_options o = { .size = sizeof(o) };
	struct growing *g = arg;

	TT_IS(ntime_trace_open(tt_ctx, g->path, &o, &g->t), 0);
	return follow(g);
}

/* Lines before the first event, which come one by one. */
TEST(the_form_is_seen_in_the_first_line_that_tells_it)
{
	static const char others[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\ntwelve\nten\n"
				     "a line that is much longer than the event behind it, so that "
				     "there is not twice as much\n";
	struct growing g = { 0 };
	int fd = slow_pipe(&g.path), left = 1;
	pthread_t thread;

	put_in(fd, others, sizeof(others) - 1);
	TT_IS(pthread_create(&thread, NULL, open_and_follow, &g), 0);
	while (left) {
		(void)usleep(2000);
		TT_IS(ioctl(fd, FIONREAD, &left), 0);
	}
	put_in(fd, LINE, sizeof(LINE) - 1);
	wait_for(&g, 1);
	(void)close(fd);
	TT_IS(pthread_join(thread, NULL), 0);
	end(&g, LINE_RECORD);
}

#define FILTERED                                                                                   \
	"10@5.000000:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"                      \
	"10@5.500000:vfio_region_read  (0000:05:00.1:region0+0x8, 4) = 0x21\n"                     \
	"11@6.000000:vfio_region_write  (0001:05:00.0:region1+0x100, 0x3, 1)\n"                    \
	"11@6.500000:vfio_msi_interrupt  (0000:05:00.1) vector 0 0x1/0x2\n"                        \
	"10@7.000000:vfio_region_read  (0000:05:00.0:region0+0xfe, 8) = 0x5\n"

/* Accesses of FILTERED are numbered 0, 1, 2, 4; the mark is 3. */
static const struct filter_row {
	int line;
	const char *terms[3]; /* one that begins with '!' is negated */
	const char *kept;
	int ret;
} filter_rows[] = {
	{ __LINE__, { NULL }, "01234", 0 },
	{ __LINE__, { "device=0000:05:00.0" }, "04", 0 },
	{ __LINE__, { "device=05:00.*" }, "01234", 0 },
	{ __LINE__, { "device=0000:05:00.*" }, "0134", 0 },
	{ __LINE__, { "device=0000:05:00.0", "device=0001:*" }, "024", 0 },
	{ __LINE__, { "!device=0000:05:00.1" }, "024", 0 },
	{ __LINE__, { "region=0" }, "0134", 0 },
	{ __LINE__, { "range=0x4-0x8" }, "013", 0 },
	{ __LINE__, { "range=0x4" }, "03", 0 },
	{ __LINE__, { "range=0x100+0x10" }, "234", 0 },
	{ __LINE__, { "range=0x4", "range=0x100", "!region=1" }, "034", 0 },
	{ __LINE__, { "access=write" }, "023", 0 },
	{ __LINE__, { "!access=write" }, "134", 0 },
	{ __LINE__, { "value=0x1" }, "03", 0 },
	{ __LINE__, { "value=1/1", "width=4" }, "013", 0 },
	{ __LINE__, { "thread=11" }, "23", 0 },
	{ __LINE__, { "time=0.5-1" }, "12", 0 },
	{ __LINE__, { "time=-1" }, "012", 0 },
	{ __LINE__, { "time=500ms-1s" }, "12", 0 },
	{ __LINE__, { "time=500000us-1000000000ns" }, "12", 0 },
	{ __LINE__, { "time=0.1min-" }, "", 0 },
	{ __LINE__, { "time=.5-1" }, "12", 0 },
	{ __LINE__, { "time=1m-2m" }, NULL, -EINVAL },
	{ __LINE__, { "time=1.-2" }, NULL, -EINVAL },
	{ __LINE__, { "time=.-2" }, NULL, -EINVAL },
	{ __LINE__, { "time=@6.5-" }, "34", 0 },
	/* a name is the range of each of its copies */
	{ __LINE__, { "register=PRE_SRC@GT218", "range=0x8" }, "13", 0 },
	{ __LINE__, { "register=nonsense@GT218" }, NULL, -ENOENT },
	{ __LINE__, { "register=PRE_SRC[" }, NULL, -ENOENT },
	{ __LINE__, { "colour=red" }, NULL, -EINVAL },
	{ __LINE__, { "range=8-4" }, NULL, -EINVAL },
	{ __LINE__, { "width=3" }, NULL, -EINVAL },
	{ __LINE__, { "time=x" }, NULL, -EINVAL },
	{ __LINE__, { "thread=" }, NULL, -EINVAL },
};

static int add_terms(struct ntime_trace_filter *f, const struct filter_row *r,
		     const struct ntime_regdb *db)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < 3 && r->terms[i] && !ret; i++)
		ret = ntime_trace_filter_add(f, r->terms[i] + (r->terms[i][0] == '!'),
					     r->terms[i][0] == '!', db);
	return ret;
}

TEST(filters_keep_what_is_wanted)
{
	char *path = tt_file(FILTERED, sizeof(FILTERED) - 1);
	struct ntime_regdb *db;

	TT_IS(ntime_regdb_new(tt_ctx, &db), 0);
	TT_FOR_EACH_ROW(r, filter_rows) {
		static const uint64_t offsets[] = { 0x4, 0x8, 0x100, UINT64_MAX, 0xfe };
		struct ntime_trace_options o = { .size = sizeof(o) };
		struct ntime_trace_batch b = { .size = sizeof(b) };
		struct ntime_trace_filter *f;
		struct ntime_trace *t;
		char kept[16] = "";
		size_t i, k, n = 0;

		TT_EQ(r, ntime_trace_filter_new(tt_ctx, &f), 0);
		TT_EQ(r, add_terms(f, r, db), r->ret);
		o.filter = f;
		TT_EQ(r, ntime_trace_open(tt_ctx, path, &o, &t), 0);
		while (r->kept && ntime_trace_next(t, &b) == 0 && b.n) {
			for (i = 0; i < b.n; i++) {
				uint64_t offset = b.records[i].kind == NTIME_RECORD_INTERRUPT
							  ? UINT64_MAX
							  : b.records[i].offset;

				for (k = 0; k < 5; k++)
					if (offset == offsets[k] &&
					    b.records[i].kind != NTIME_RECORD_STYLE)
						kept[n++] = (char)('0' + k);
			}
		}
		if (r->kept)
			TT_STR(r, kept, r->kept);
		ntime_trace_close(t);
		ntime_trace_filter_free(f);
	}
	ntime_regdb_free(db);
	tt_drop(path);
}

TEST(a_form_that_is_told_is_read)
{
	struct forms_bytes text = forms_text(LINE SECOND), bytes;
	struct ntime_trace_info info;
	char *got;

	bytes = FORMS_HERE(&text, .to = NTIME_TRACE_BINARY);
	got = tt_read(tt_ctx, bytes.p, bytes.n, NTIME_TRACE_BINARY, 0, &info);
	TT_TEXT(got, LINE_RECORD SECOND_RECORD);
	TT_IS(info.form, NTIME_TRACE_BINARY);
	free(got);
	free(bytes.p);
	got = tt_read(tt_ctx, "hello\n" LINE, sizeof("hello\n" LINE) - 1, NTIME_TRACE_VFIO, 0,
		      &info);
	TT_TEXT(got, LINE_RECORD);
	free(got);
}

/* Many pieces, devices that appear late, other lines, styles that change. */
static char *long_trace(size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);
	unsigned int i;

	for (i = 0; i < 60000; i++) {
		if (i % 20000 < 10000)
			fprintf(out, "%u@%u.%06u:", 100 + i % 7, 1000 + i / 1000, i % 1000 * 1000);
		if (i % 1000 == 999)
			fprintf(out, "vfio_msi_interrupt  (0000:05:00.0) vector %u 0x1/0x2\n",
				i % 4);
		else if (i % 777 == 0)
			fprintf(out, "somebody else's line %u\n", i);
		else
			fprintf(out, "vfio_region_write  (0000:%02x:00.0:region%u+0x%x, 0x%x, 4)\n",
				5 + i / 3000, i % 6, i * 4 % 4096, i);
	}
	(void)fclose(out);
	return text;
}

/* Marks of mmiotrace with events of QEMU, and lines PCIDEV: both bring devices. */
static char *long_mmiotrace(size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);
	unsigned int i;

	fprintf(out, "VERSION 20070824\n");
	for (i = 0; i < 40000; i++) {
		fprintf(out, "W 4 %u.%06u 1 0x%x 0x%x 0x0 0\n", 1 + i / 1000, i % 1000 * 1000,
			0xfa000000 + i % 256 * 4, i);
		if (i % 1000 == 0)
			fprintf(out,
				"PCIDEV %02x00 10de0640 10 %x 0 0 0 0 0 0 1000000 0 0 0 0 0 0 \n",
				5 + i / 1000, 0xa0000000 + i / 1000 * 0x1000000);
		if (i % 1000 == 1)
			fprintf(out,
				"MARK %u.000000 vfio_region_write  (0001:%02x:00.0:region0+0x4, "
				"0x1, 4)\n",
				1 + i / 1000, 5 + i / 1000);
	}
	(void)fclose(out);
	return text;
}

TEST(devices_have_numbers_in_the_order_of_the_trace)
{
	size_t n;
	char *text = long_mmiotrace(&n), *path = tt_file(text, n);
	struct ntime_trace_device device = { .size = sizeof(device) };
	struct ntime_trace_batch b = { .size = sizeof(b) };
	struct ntime_trace *t;

	TT_IS(ntime_trace_open(tt_ctx, path, NULL, &t), 0);
	while (ntime_trace_next(t, &b) == 0 && b.n)
		;
	TT_IS(ntime_trace_devices(t), 80);
	TT_IS(ntime_trace_get_device(t, 1, &device), 0);
	TT_TEXT(device.name, "0001:05:00.0");
	TT_IS(ntime_trace_get_device(t, 2, &device), 0);
	TT_TEXT(device.name, "0000:06:00.0");
	ntime_trace_close(t);
	free(text);
	tt_drop(path);
}

TEST(pieces_lose_nothing)
{
	struct ntime_trace_info info;
	char *text, *got;
	size_t n;

	text = long_trace(&n);
	got = tt_read(tt_ctx, text, n, NTIME_TRACE_ANY, NTIME_TRACE_OTHERS, &info);
	TT_IS(info.lines, 60000);
	/* Behind a prefix of the tracer's it is an event that nobody knows: 39 of 78. */
	TT_IS(info.others, 39);
	TT_IS(info.accesses, 60000 - 60 - 78);
	free(got);
	free(text);
}

/* What is told of a trace that was read to its end. */
static char *warnings_of(const char *text, size_t n, uint64_t *accesses)
{
	char *path = tt_file(text, n), *warnings;
	struct ntime_trace_info info = { .size = sizeof(info) };
	struct ntime_trace *t;
	int ret;

	TT_IS(ntime_trace_open(tt_ctx, path, NULL, &t), 0);
	free(tt_records(t, &ret));
	TT_IS(ret, 0);
	TT_IS(ntime_trace_get_info(t, &info), 0);
	*accesses = info.accesses;
	warnings = tt_warnings(t);
	ntime_trace_close(t);
	tt_drop(path);
	return warnings;
}

TEST(devices_without_a_number_are_told)
{
	char *text = NULL, *warnings;
	uint64_t accesses;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	unsigned int i;

	for (i = 0; i < 65540; i++)
		fprintf(out, "vfio_region_write  (device-of-some-length-%u:region0+0x4, 0x1, 4)\n",
			i);
	/* The last one again and again: guesses of the parser count as well. */
	for (i = 0; i < 10; i++)
		fprintf(out,
			"vfio_region_write  (device-of-some-length-65539:region0+0x4, 0x1, 4)\n");
	fprintf(out, "vfio_region_read  (device-of-some-length-7:region0+0x4, 4) = 0x1\n");
	fprintf(out, "vfio_vga_write  (0x3d4, 0x1, 1)\n");
	(void)fclose(out);
	warnings = warnings_of(text, n, &accesses);
	TT_IS(accesses, 65552);
	TT_TEXT(warnings, "15 accesses lost their device: no more than 65,535 devices are "
			  "distinguished, by names of up to 4,096 bytes\n");
	free(warnings);
	free(text);
}

TEST(zeros_in_texts_are_told)
{
	static const char text[] = LINE "hello\0world\n" SECOND;
	struct ntime_trace_options o = { .size = sizeof(o), .flags = NTIME_TRACE_OTHERS };
	char *path = tt_file(text, sizeof(text) - 1), *records, *warnings;
	struct ntime_trace *t;
	int ret;

	TT_IS(ntime_trace_open(tt_ctx, path, &o, &t), 0);
	records = tt_records(t, &ret);
	TT_IS(ret, 0);
	TT_TEXT(records, LINE_RECORD "other 'hello'\n" SECOND_RECORD);
	warnings = tt_warnings(t);
	TT_HAS(warnings, "1 texts are cut where a zero byte stands in them\n");
	ntime_trace_close(t);
	free(warnings);
	free(records);
	tt_drop(path);
}

TEST(places_without_room_are_told)
{
	char *text = NULL, *warnings;
	uint64_t accesses;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	unsigned int i;

	fprintf(out, "VERSION 20070824\n");
	/* Five more than there is room for. Devices themselves have room. */
	for (i = 0; i < 4101; i++)
		fprintf(out, "PCIDEV %04x 10de0640 10 %x 0 0 0 0 0 0 1000 0 0 0 0 0 0 \n", i,
			0x10000000 + i * 0x1000);
	/*
	 * Two more than that of mappings; one that takes the place of another of its region takes
	 * nothing away.
	 */
	for (i = 0; i < 4098; i++)
		fprintf(out, "MARK 1.000000 ntime: map %u is region %u of device 0500\n", i,
			i < 4096 ? 8 : 9);
	fprintf(out, "MARK 1.000000 ntime: map 4098 is region 8 of device 0500\n");
	(void)fclose(out);
	warnings = warnings_of(text, n, &accesses);
	TT_TEXT(warnings, "7 devices or regions were passed over because too many are known "
			  "already: accesses to them keep their physical addresses\n");
	free(warnings);
	free(text);
}

#define STARTED "10@5.000000:" LINE
#define ASKED                                                                                      \
	"LOG:         0: dir: 0x00000100, mmio: 0x0040833c, value: 0x00000000, mask: 0x00000000\n"
#define ASKED_ELSE                                                                                 \
	"LOG:         0: dir: 0x00000100, mmio: 0x00408340, value: 0x00000000, mask: 0x00000000\n"
#define ANSWERED                                                                                   \
	"LOG:         0: dir: 0x00000100, mmio: 0x0040833c, value: 0x00000014, mask: 0x00000000\n"
#define REQUEST "REQUEST: DIR=0 MMIO=a7cc VALUE=00000000 MASK=00000000 UNK=00000000,00000000\n"
#define RETURND "RETURND: DIR=0 MMIO=a7cc VALUE=00000007 MASK=00000000 UNK=00000000,00000000\n"

#define MM "VERSION 20070824\n"
#define TORN(times, lines)                                                                         \
#times " lines that begin as an event and break off or go on otherwise: line " lines "\n"

#define UNRETURNED(times)                                                                          \
#times " lists of register operations were handed in and did not come back whole: what "   \
	       "they read is not known\n"

static const struct warning_row {
	int line;
	const char *text, *warnings;
} warning_rows[] = {
	{ __LINE__, STARTED, "" },
	{ __LINE__, STARTED "somebody else\nsomebody else\n",
	  "2 lines of other origin were passed over\n" },
	/* the last line: nobody can tell what it would have become */
	{ __LINE__, STARTED "10@5.000001:vfio_region_wr",
	  "1 the last line is incomplete and was ignored\n" },
	{ __LINE__, STARTED "somebody", "1 the last line is incomplete and was ignored\n" },
	{ __LINE__, ASKED "LOG:         1: dir: 0x000001",
	  "1 the last line is incomplete and was ignored\n" UNRETURNED(1) },
	/* and one that breaks off before it */
	{ __LINE__, STARTED "10@5.000001:vfio_region_write  (0000:05\n" STARTED, TORN(1, "2") },
	{ __LINE__,
	  LINE LINE "vfio_region_write 4\nx\nvfio_region_read  ()\t\n\x1b[1mvfio_bar_read 3\n",
	  TORN(3, "3, 5, 6") "1 lines of other origin were passed over\n" },
	/* One was broken off by another of the same line. */
	{ __LINE__, LINE "vfio_region_read  (0000:01:00.0:region0+0x144, 4 " LINE, TORN(1, "2") },
	{ __LINE__, MM "R 4 z\nMAP\t1\nW 4\n  UNMAP x\nMARK\nPCIDEV 1\nR us, R 4\n",
	  TORN(5, "2, 3, 4, 5, ...") "2 lines of other origin were passed over\n" },
	{ __LINE__, ASKED "LOG: 1: dir: 0x0\n RETURND: DIR=\nLOGS\n",
	  TORN(2, "2, 3") UNRETURNED(1) "1 lines of other origin were passed over\n" },
	/* white space and colours that are none of the tracer's */
	{ __LINE__,
	  MM " \tR 4 0.1 1 0x90000008 0x5 0x0 0 \n\x1b[32mMAP\t1.0 1 0x90000000 0x0 0x1000 0x0 "
	     "0\x1b[0m\n",
	  "" },
	{ __LINE__, "\tR 4 1.1 1 0x90000008 0x5 0x0 0\n", "" },
	{ __LINE__, "  LOG:\t0: dir:  0x100,mmio:0x40 , value: 0x0, mask: 0x0 \n\x1b[1m" ASKED,
	  UNRETURNED(2) },
	{ __LINE__,
	  "  REQUEST:  DIR=0\tMMIO=a7cc VALUE=0 MASK=0 \n RETURND: DIR=0 MMIO=a7cc VALUE=7 "
	  "MASK=0\n",
	  "" },
	/* what is asked for has no value, what was answered has */
	{ __LINE__, ASKED ANSWERED, "" },
	{ __LINE__, REQUEST REQUEST RETURND RETURND, "" },
	{ __LINE__, REQUEST REQUEST, UNRETURNED(1) },
	{ __LINE__, ASKED ASKED_ELSE ASKED_ELSE ASKED, UNRETURNED(2) },
	/* the last digit of a value may be missing */
	{ __LINE__, STARTED "10@5.000001:vfio_region_read  (0000:05:00.0:region0+0x8, 4) = 0x2",
	  "1 reads whose value the trace does not have\n" },
};

TEST(warnings_count_what_is_missing)
{
	TT_FOR_EACH_ROW(r, warning_rows) {
		uint64_t accesses;
		char *warnings = warnings_of(r->text, strlen(r->text), &accesses);

		TT_STR(r, warnings, r->warnings);
		free(warnings);
	}
}

#define OP(index, dir, value)                                                                      \
	"LOG:         " #index ": dir: 0x0000000" #dir                                             \
	", mmio: 0x0000a40c, value: 0x0000000" #value ", mask: 0xffffffff\n"
#define OLD(way, dir, value)                                                                       \
#way ": DIR=" #dir " MMIO=a40c VALUE=0000000" #value                                       \
	     " MASK=ffffffff UNK=00000000,00000000,00000000,00000000\n"

/* .records: what comes without NTIME_TRACE_REQUESTS, list marks as the number that they carry. */
static const struct list_row {
	int line;
	const char *text, *records;
	int requests, unreturned; /* accesses with the flag; lists that are told of */
} list_rows[] = {
	{ __LINE__, OP(0, 1, 5) OP(1, 0, 0) OP(0, 1, 5) OP(1, 0, 7), "1 W5 R7 ", 4, 0 },
	{ __LINE__, OLD(REQUEST, 1, 5) OLD(REQUEST, 0, 0) OLD(RETURND, 1, 5) OLD(RETURND, 0, 7),
	  "1 W5 R7 ", 4, 0 },
	{ __LINE__, OP(0, 1, 5) OP(0, 1, 5) OP(0, 1, 5) OP(0, 1, 5), "1 W5 1 W5 ", 4, 0 },
	/* it never comes back, in the middle and at the end */
	{ __LINE__, OLD(REQUEST, 1, 5) OLD(REQUEST, 0, 0), "2 W5 R? ", 2, 1 },
	{ __LINE__, OP(0, 1, 5) OP(1, 0, 0) OP(0, 0, 0) OP(0, 0, 3), "2 W5 R? 1 R3 ", 4, 1 },
	{ __LINE__, OP(0, 1, 5) OP(0, 1, 5) OP(0, 1, 6), "1 W5 2 W6 ", 3, 1 },
	/* the end of the second copy was cut off */
	{ __LINE__, OP(0, 1, 5) OP(1, 0, 0) OP(2, 1, 8) OP(0, 1, 5), "1 W5 2 R? W8 ", 4, 1 },
	/* others' lines stay */
	{ __LINE__, OP(0, 1, 5) "nobody\n" OP(0, 1, 5), "o 1 W5 ", 2, 0 },
};

static void put_list_record(char *p, const struct ntime_record *r)
{
	if (r->kind == NTIME_RECORD_LIST)
		sprintf(p, "%u ", (unsigned int)r->value);
	else if (r->kind == NTIME_RECORD_OTHER)
		strcpy(p, "o ");
	else if (r->flags & NTIME_RECORD_VALUED)
		sprintf(p, "%c%u ", r->kind == NTIME_RECORD_WRITE ? 'W' : 'R',
			(unsigned int)r->value);
	else
		sprintf(p, "%c? ", r->kind == NTIME_RECORD_WRITE ? 'W' : 'R');
}

static int count_unreturned(void *arg, const char *sentence, const char *remedy, uint64_t count)
{
	(void)remedy;
	if (strstr(sentence, "did not come back"))
		*(int *)arg = (int)count;
	return 0;
}

/* Accesses; the records as words, and how many lists never came back. */
static int read_lists(const char *file, uint32_t flags, char *words, int *unreturned)
{
	struct ntime_trace_options o = { .size = sizeof(o), .flags = flags | NTIME_TRACE_OTHERS };
	struct ntime_trace_batch b = { .size = sizeof(b) };
	struct ntime_trace_info info = { .size = sizeof(info) };
	struct ntime_trace *t;
	size_t i;

	*words = '\0';
	*unreturned = 0;
	TT_IS(ntime_trace_open(tt_ctx, file, &o, &t), 0);
	while (ntime_trace_next(t, &b) == 0 && b.n)
		for (i = 0; i < b.n; i++)
			put_list_record(words + strlen(words), &b.records[i]);
	TT_IS(ntime_trace_get_info(t, &info), 0);
	(void)ntime_trace_warnings(t, count_unreturned, unreturned);
	ntime_trace_close(t);
	return (int)info.accesses;
}

/* Lists of register operations are the same accesses twice; one of the copies counts. */
TEST(lists_come_once)
{
	TT_FOR_EACH_ROW(r, list_rows) {
		char *file = tt_file(r->text, strlen(r->text)), words[256];
		int unreturned;

		(void)read_lists(file, 0, words, &unreturned);
		TT_STR(r, words, r->records);
		TT_EQ(r, unreturned, r->unreturned);
		TT_EQ(r, read_lists(file, NTIME_TRACE_REQUESTS, words, &unreturned), r->requests);
		TT_EQ(r, unreturned, 0);
		tt_drop(file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compressed_traces_are_read_whole),
		cmocka_unit_test(what_stands_behind_packed_data_is_told),
		cmocka_unit_test(what_can_be_trusted_of_packed_data_is_told),
		cmocka_unit_test(what_cannot_be_read_is_refused),
		cmocka_unit_test(a_form_that_is_told_is_read),
		cmocka_unit_test(lines_of_any_length_pass),
		cmocka_unit_test(the_form_is_found_behind_other_text),
		cmocka_unit_test(two_lines_of_an_event_come_apart),
		cmocka_unit_test(growing_files_are_followed),
		cmocka_unit_test(following_can_be_stopped),
		cmocka_unit_test(what_is_not_written_yet_is_not_torn),
		cmocka_unit_test(what_is_there_comes_before_a_wait),
		cmocka_unit_test(the_form_is_seen_in_the_first_line_that_tells_it),
		cmocka_unit_test(filters_keep_what_is_wanted),
		cmocka_unit_test(pieces_lose_nothing),
		cmocka_unit_test(devices_without_a_number_are_told),
		cmocka_unit_test(zeros_in_texts_are_told),
		cmocka_unit_test(places_without_room_are_told),
		cmocka_unit_test(devices_have_numbers_in_the_order_of_the_trace),
		cmocka_unit_test(warnings_count_what_is_missing),
		cmocka_unit_test(lists_come_once),
	};
	int ret = cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;

	ntime_trace_ctx_free(forms_context());
	return ret;
}
