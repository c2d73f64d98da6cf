// SPDX-License-Identifier: MIT
/*
 * Files of QEMU's backend "simple", made here after its form: in the byte order of this machine, as
 * QEMU makes them.
 */
#include "trace/tests/lib/forms.h"
#include "trace/tests/lib/reading.h"

#define MAGIC 0xf2b177cb0aa429b4ull

struct simple {
	char p[8192];
	size_t n;
};

static void put(struct simple *s, const void *bytes, size_t n)
{
	assert_true(s->n + n <= sizeof(s->p));
	memcpy(s->p + s->n, bytes, n);
	s->n += n;
}

static void put64(struct simple *s, uint64_t value)
{
	put(s, &value, sizeof(value));
}

static void put32(struct simple *s, uint32_t value)
{
	put(s, &value, sizeof(value));
}

static void put_text(struct simple *s, const char *text)
{
	put32(s, (uint32_t)strlen(text));
	put(s, text, strlen(text));
}

static void begin(struct simple *s, uint64_t version)
{
	s->n = 0;
	put64(s, UINT64_MAX);
	put64(s, MAGIC);
	put64(s, version);
}

static void map(struct simple *s, uint64_t event, const char *name)
{
	put64(s, 0);
	put64(s, event);
	put_text(s, name);
}

/* Begin an event with @bytes of arguments. */
static void event(struct simple *s, uint64_t number, uint64_t ns, size_t bytes)
{
	put64(s, 1);
	put64(s, number);
	put64(s, ns);
	put32(s, (uint32_t)(24 + bytes));
	put32(s, 812);
}

/* An event whose arguments are a device and @n numbers. */
static void numbers_event(struct simple *s, uint64_t event_number, uint64_t ns, size_t n,
			  const uint64_t *numbers)
{
	event(s, event_number, ns, 16 + n * 8);
	put_text(s, "0000:05:00.0");
	put(s, numbers, n * 8);
}

#define NUMBERS(...)                                                                               \
	sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[])                                      \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* Everything a file may have. */
static void fill(struct simple *s)
{
	begin(s, 4);
	map(s, 7, "vfio_region_write");
	map(s, 8, "vfio_pci_read_config");
	map(s, 9, "somebody_else");
	map(s, 10, "vfio_intx_interrupt");
	map(s, 11, "vfio_region_setup");
	numbers_event(s, 7, 1000000001, NUMBERS(0, 0xa404, 0xdeadbeef, 4));
	/* nobody mapped this one */
	event(s, 99, 1000000002, 8);
	put64(s, 1);
	event(s, 9, 1000000003, 3);
	put(s, "abc", 3);
	numbers_event(s, 8, 1000000004, NUMBERS(0, 4, 0xa6c10de));
	numbers_event(s, 10, 1000000005, NUMBERS('B'));
	event(s, UINT64_MAX - 1, 1000000006, 8);
	put64(s, 17);
	/* the same number means another event from here on */
	map(s, 9, "vfio_region_read");
	numbers_event(s, 9, 1000000007, NUMBERS(1, 0x10, 8, 0x1122334455667788));
	/* arguments that are not this event's: one too many */
	numbers_event(s, 7, 1000000008, NUMBERS(0, 0, 0, 4, 0));
	event(s, 11, 1000000009, 16 + 8 + 4 + 5 + 3 * 8);
	put_text(s, "0000:05:00.0");
	put64(s, 0);
	put_text(s, "BAR 0");
	put64(s, 7);
	put64(s, 0);
	put64(s, 0x1000000);
}

static const char records[] =
	"{\"kind\":\"write\",\"time_ns\":1000000001,\"thread\":812,\"device\":\"0000:05:00.0\","
	"\"region\":0,\"offset\":\"0xa404\",\"width\":4,\"value\":\"0xdeadbeef\"}\n"
	"{\"kind\":\"config-read\",\"time_ns\":1000000004,\"thread\":812,\"device\":\"0000:05:00."
	"0\",\"region\":7,\"offset\":\"0x0\",\"width\":4,\"value\":\"0xa6c10de\"}\n"
	"{\"kind\":\"interrupt\",\"time_ns\":1000000005,\"thread\":812,\"device\":\"0000:05:00.0\","
	"\"region\":0,\"offset\":\"0x0\",\"value\":\"0x2\",\"text\":\"vfio_intx_interrupt  "
	"(0000:05:00.0) Pin B\"}\n"
	"{\"kind\":\"lost\",\"time_ns\":1000000006,\"thread\":812,\"count\":17}\n"
	"{\"kind\":\"read\",\"time_ns\":1000000007,\"thread\":812,\"device\":\"0000:05:00.0\","
	"\"region\":1,\"offset\":\"0x10\",\"width\":8,\"value\":\"0x1122334455667788\"}\n"
	"{\"kind\":\"region\",\"time_ns\":1000000009,\"thread\":812,\"device\":\"0000:05:00.0\","
	"\"region\":0,\"offset\":\"0x7\",\"value\":\"0x1000000\",\"text\":\"BAR 0\"}\n";

static const struct forms_job to_json = { .to = NTIME_TRACE_JSON };

TEST(all_events)
{
	struct forms_bytes got;
	struct simple s;

	fill(&s);
	TT_IS(forms_convert(s.p, s.n, &to_json, &got), 0);
	TT_TEXT(got.p, records);
	free(got.p);
}

/* The events that are known, as the text backends write them: the same records. */
TEST(same_as_text)
{
	static const char text[] =
		"812@1.000000:vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\n"
		"812@1.000000:vfio_pci_read_config  (0000:05:00.0, @0x0, len=0x4) 0xa6c10de\n"
		"812@1.000000:vfio_intx_interrupt  (0000:05:00.0) Pin B\n"
		"812@1.000000:vfio_region_read  (0000:05:00.0:region1+0x10, 8) = "
		"0x1122334455667788\n"
		"812@1.000000:vfio_region_setup Device 0000:05:00.0, region 0 \"BAR 0\", flags: "
		"0x7, offset: 0x0, size: 0x1000000\n";
	struct forms_bytes got;
	struct simple s;

	fill(&s);
	TT_IS(forms_convert(
		      s.p, s.n,
		      &(struct forms_job){ .from = NTIME_TRACE_SIMPLE, .to = NTIME_TRACE_VFIO },
		      &got),
	      0);
	TT_TEXT(got.p, text);
	free(got.p);
}

/* Reads all of it: what is warned of. */
static char *read_all(const struct simple *s, struct ntime_trace_info *info)
{
	struct ntime_trace_batch b = { .size = sizeof(b) };
	struct ntime_trace *t;
	char *warned;

	TT_IS(ntime_trace_open(forms_context(), forms_file(s->p, s->n), NULL, &t), 0);
	while (!ntime_trace_next(t, &b) && b.n)
		for (size_t i = 0; i < b.n; i++)
			assert_true(__builtin_popcount(b.records[i].width) <= 1);
	*info = (struct ntime_trace_info){ .size = sizeof(*info) };
	TT_IS(ntime_trace_get_info(t, info), 0);
	warned = tt_warnings(t);
	ntime_trace_close(t);
	return warned;
}

/* Events that are not in our table are counted, whether their number has a name or not. */
TEST(events_of_others_are_told)
{
	struct ntime_trace_info info;
	struct simple s;
	char *warned;

	fill(&s);
	warned = read_all(&s, &info);
	TT_IS(info.others, 2);
	TT_HAS(warned, "2 events that are none of VFIO's, or that ntime does not know, were passed "
		       "over\n");
	free(warned);
}

/* Cut anywhere: what is whole is there, and the end is told. */
TEST(cut)
{
	struct forms_bytes got;
	struct simple s;
	size_t n;
	int ret;

	fill(&s);
	for (n = 24; n < s.n; n++) {
		ret = forms_convert(s.p, n, &to_json, &got);
		assert_int_equal(ret, 0);
		assert_memory_equal(got.p, records, got.n);
		free(got.p);
	}
	/* in the middle of the last event */
	TT_IS(forms_convert(s.p, s.n - 1, &to_json, &got), 0);
	TT_IS(got.n, strstr(records, "{\"kind\":\"region\"") - records);
	free(got.p);
}

static const struct refused_row {
	int line;
	uint64_t version;
	bool swaps;
	const char *sentence;
} refused_rows[] = {
	{ __LINE__, 0, false, "version before 4" }, { __LINE__, 2, false, "version before 4" },
	{ __LINE__, 3, false, "version before 4" }, { __LINE__, 5, false, "version above 4" },
	{ __LINE__, 4, true, "other byte order" },
};

TEST(refused)
{
	TT_FOR_EACH_ROW(r, refused_rows) {
		struct forms_bytes got;
		struct simple s;
		uint64_t magic = __builtin_bswap64(MAGIC);

		begin(&s, r->version);
		if (r->swaps)
			memcpy(s.p + 8, &magic, sizeof(magic));
		TT_EQ(r, forms_convert(s.p, s.n, &to_json, &got), -EBADMSG);
		TT_HAS(ntime_trace_error_text(forms_context()), r->sentence);
		free(got.p);
	}
}

static const struct damaged_row {
	int line;
	uint64_t type, length;
} damaged_rows[] = {
	{ __LINE__, 2, 24 },	   /* a type that is none */
	{ __LINE__, 1, 23 },	   /* shorter than its own head */
	{ __LINE__, 1, 0xffffff }, /* longer than any event */
};

TEST(damaged)
{
	TT_FOR_EACH_ROW(r, damaged_rows) {
		struct forms_bytes got;
		struct simple s;
		char where[32];

		begin(&s, 4);
		map(&s, 7, "vfio_region_write");
		numbers_event(&s, 7, 1, NUMBERS(0, 0, 0, 4));
		snprintf(where, sizeof(where), "at byte %zu:", s.n);
		put(&s, (uint64_t[]){ r->type, 7, 2, r->length, 0 }, 5 * 8);
		/* what follows does not move it */
		numbers_event(&s, 7, 2, NUMBERS(0, 0, 0, 4));
		TT_EQ(r, forms_convert(s.p, s.n, &to_json, &got), -EBADMSG);
		TT_HAS(ntime_trace_error_text(forms_context()), where);
		TT_HAS(got.p, "\"write\"");
		free(got.p);
	}
}

/*
 * Accesses of devices have 1, 2, 4 or 8 bytes; others are records that could not be read, and
 * nobody else's lines.
 */
TEST(widths)
{
	static const uint64_t widths[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 32, 33, 1ull << 32 };
	struct ntime_trace_info info;
	struct simple s;
	char *warned;
	size_t i;

	begin(&s, 4);
	map(&s, 7, "vfio_region_write");
	for (i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
		numbers_event(&s, 7, i, NUMBERS(0, 0, 0, widths[i]));
	warned = read_all(&s, &info);
	TT_IS(info.accesses, 4);
	TT_IS(info.others, 0);
	TT_TEXT(warned, "9 records that could not be read: they do not have their event's "
			"arguments\n");
	free(warned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_others_are_told),
		cmocka_unit_test(all_events),
		cmocka_unit_test(same_as_text),
		cmocka_unit_test(cut),
		cmocka_unit_test(refused),
		cmocka_unit_test(damaged),
		cmocka_unit_test(widths),
	};
	int ret = TT_RUN(tests);

	ntime_trace_ctx_free(forms_context());
	return ret;
}
