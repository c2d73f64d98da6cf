// SPDX-License-Identifier: MIT
/*
 * Round trips of random traces: text to mmiotrace and back, records to ntime's own form and back,
 * and that form damaged in every way.
 */
#include "trace/lib/base/context.h"
#include "trace/lib/base/device.h"
#include "trace/lib/write/writer.h"
#include "trace/tests/lib/forms.h"

#define ROUNDS 12
#define EVENTS 3000

static const char *const devices[] = { "0000:05:00.0", "0000:06:00.1", "0001:05:00.0",
				       "2f0b7d9c-5f1e-4f7a-9d6e-1c2b3a495867",
				       "VFIO user /run/x (1)" };

static void append(struct forms_bytes *b, const char *text)
{
	(void)forms_take(b, text, strlen(text));
}

static uint64_t few_bits(uint64_t *seed)
{
	return tt_random(seed) >> tt_random(seed) % 64;
}

/* One line of QEMU's; offsets up to @bits bits. */
static void random_line(struct forms_bytes *b, uint64_t *seed, uint64_t *us, unsigned int bits)
{
	static const unsigned int sizes[] = { 1, 2, 4, 4, 4, 8 };
	const char *device = devices[tt_random(seed) % 5];
	unsigned int size = sizes[tt_random(seed) % 6], region = (unsigned int)tt_random(seed) % 6;
	uint64_t value = few_bits(seed), offset = few_bits(seed) >> (64 - bits);
	char line[256];

	if (size < 8)
		value &= (1ull << 8 * size) - 1;
	*us += few_bits(seed) % 100000;
	snprintf(line, sizeof(line), "0@%llu.%06llu:", (unsigned long long)(*us / 1000000),
		 (unsigned long long)(*us % 1000000));
	append(b, line);
	if (tt_random(seed) & 1)
		snprintf(line, sizeof(line),
			 "vfio_region_write  (%s:region%u+0x%llx, 0x%llx, %u)\n", device, region,
			 (unsigned long long)offset, (unsigned long long)value, size);
	else
		snprintf(line, sizeof(line),
			 "vfio_region_read  (%s:region%u+0x%llx, %u) = 0x%llx\n", device, region,
			 (unsigned long long)offset, size, (unsigned long long)value);
	append(b, line);
}

static struct forms_bytes random_text(uint64_t *seed, unsigned int bits)
{
	struct forms_bytes b = { 0 };
	uint64_t us = 1000000000ull + few_bits(seed) % 1000000000000ull;
	int i;

	for (i = 0; i < EVENTS; i++)
		random_line(&b, seed, &us, bits);
	return b;
}

/*
 * Texts by way of @job and back are the same accesses, whatever was made up between; each has more
 * @bits in its offsets than the one before. Every second one is without hints.
 */
static void check_rounds(struct forms_job job, unsigned int first, unsigned int bits)
{
	const char *hints = job.hints;
	uint64_t seed = tt_seed();

	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct forms_bytes text = random_text(&seed, first + i * bits), between;

		job.hints = i & 1 ? hints : NULL;
		between = forms_made_(&text, job, __FILE__, __LINE__);
		FORMS_IS_HERE(&between, &text, .to = NTIME_TRACE_VFIO);
		if (job.to == NTIME_TRACE_BINARY)
			assert_true(between.n < text.n / 3);
		/* mmiotrace again is the same bytes. */
		else if (!job.flags)
			FORMS_IS_HERE(&between, &between, .to = NTIME_TRACE_MMIOTRACE);
		free(between.p);
		free(text.p);
	}
}

TEST(through_mmiotrace)
{
	check_rounds((struct forms_job){ .to = NTIME_TRACE_MMIOTRACE, .hints = "chip==GT218" }, 1,
		     3);
}

/* Looking ahead or not, the accesses are the same. */
TEST(live)
{
	check_rounds((struct forms_job){ .to = NTIME_TRACE_MMIOTRACE, .flags = NTIME_WRITER_LIVE },
		     2, 3);
}

TEST(text_through_binary)
{
	check_rounds((struct forms_job){ .to = NTIME_TRACE_BINARY }, 1, 5);
}

static void random_record(struct nti_trace_batch *b, uint64_t *seed, size_t longest)
{
	static const uint8_t kinds[] = { NTIME_RECORD_READ, NTIME_RECORD_WRITE };
	struct ntime_record *r;
	char *text;
	size_t n, i;

	assert_int_equal(nti_trace_batch_reserve(b, 1), 0);
	r = &b->rec[b->n++];
	*r = (struct ntime_record){
		.time_ns = few_bits(seed),
		.offset = few_bits(seed),
		.value = few_bits(seed),
		.thread = (uint32_t)few_bits(seed),
		.mask = (uint32_t)few_bits(seed),
		.source = (uint32_t)few_bits(seed),
		.device = tt_random(seed) % 6 == 5 ? NTIME_DEVICE_NONE
						   : (uint16_t)(tt_random(seed) % 5),
		.region = (uint8_t)tt_random(seed),
		.width = (uint8_t)tt_random(seed),
		.kind = kinds[tt_random(seed) & 1],
		.flags = tt_random(seed) & 0x1f,
	};
	if (tt_random(seed) % 3 == 0)
		r->kind = (uint8_t)(NTIME_RECORD_MARK +
				    tt_random(seed) % (NTIME_RECORD_KINDS - NTIME_RECORD_MARK));
	/* Only these have a time. */
	if (!(r->flags & NTIME_RECORD_TIMED))
		r->time_ns = 0;
	if (tt_random(seed) % 4)
		return;
	n = few_bits(seed) % longest;
	text = malloc(n + 1);
	assert_non_null(text);
	for (i = 0; i < n; i++)
		text[i] = (char)(1 + tt_random(seed) % 255);
	r->text = nti_trace_batch_text(b, text, n);
	free(text);
}

static struct nti_trace_devices *make_devices(void)
{
	struct nti_trace_devices *d;
	size_t i;

	assert_int_equal(nti_trace_devices_new(&d), 0);
	for (i = 0; i < 5; i++)
		TT_IS(nti_trace_device_number(d, devices[i], strlen(devices[i])), i);
	return d;
}

/* Write @b in ntime's own form. */
static struct forms_bytes to_binary(const struct nti_trace_batch *b)
{
	struct nti_trace_devices *d = make_devices();
	struct forms_bytes out = { 0 };
	struct ntime_trace_writer_options wo = { .size = sizeof(wo),
						 .form = NTIME_TRACE_BINARY,
						 .write = forms_take,
						 .write_arg = &out };
	struct ntime_trace_batch pub = {
		.size = sizeof(pub), .n = b->n, .records = b->rec, .text = b->text
	};
	struct ntime_trace_writer *w;

	TT_IS(nti_trace_writer_make(forms_context(), d, &wo, &w), 0);
	TT_IS(ntime_trace_writer_put(w, &pub), 0);
	TT_IS(ntime_trace_writer_end(w), 0);
	ntime_trace_writer_free(w);
	nti_trace_devices_free(d);
	return out;
}

static void same_record(const struct ntime_record *got, const char *got_text,
			const struct ntime_record *want, const char *want_text)
{
	TT_IS(got->time_ns, want->time_ns);
	TT_IS(got->offset, want->offset);
	TT_IS(got->value, want->value);
	TT_IS(got->thread, want->thread);
	TT_IS(got->mask, want->mask);
	TT_IS(got->source, want->source);
	TT_IS(got->device, want->device);
	TT_IS(got->region, want->region);
	TT_IS(got->width, want->width);
	TT_IS(got->kind, want->kind);
	TT_IS(got->flags, want->flags);
	TT_IS(got->text != 0, want->text != 0);
	assert_string_equal(nti_trace_text(got_text, got), nti_trace_text(want_text, want));
}

/* Read @bytes and compare with the beginning of @b. How many records; *ret is what ended it. */
static size_t read_back(const struct forms_bytes *bytes, const struct nti_trace_batch *b, int *ret)
{
	struct ntime_trace_options o = { .size = sizeof(o), .flags = NTIME_TRACE_REQUESTS };
	struct ntime_trace_batch got = { .size = sizeof(got) };
	struct ntime_trace *t;
	size_t n = 0, i;

	*ret = ntime_trace_open(forms_context(), forms_file(bytes->p, bytes->n), &o, &t);
	if (*ret < 0)
		return 0;
	while (!(*ret = ntime_trace_next(t, &got)) && got.n)
		for (i = 0; i < got.n; i++, n++) {
			assert_true(n < b->n);
			same_record(&got.records[i], got.text, &b->rec[n], b->text);
		}
	ntime_trace_close(t);
	return n;
}

/* Every field of every record, texts longer than a block among them. */
TEST(records_through_binary)
{
	uint64_t seed = tt_seed();
	int i, j, ret;

	for (i = 0; i < ROUNDS; i++) {
		struct nti_trace_batch b;
		struct forms_bytes bytes;

		TT_IS(nti_trace_batch_init(&b, 16), 0);
		for (j = 0; j < 4000; j++)
			random_record(&b, &seed, j % 1000 ? 300 : 200000);
		bytes = to_binary(&b);
		TT_IS(read_back(&bytes, &b, &ret), b.n);
		TT_IS(ret, 0);
		free(bytes.p);
		nti_trace_batch_fini(&b);
	}
}

/* Cut or changed anywhere: what comes is right, and something is told. */
TEST(damaged_binary)
{
	uint64_t seed = tt_seed();
	struct nti_trace_batch b;
	struct forms_bytes whole, part;
	size_t n, i;
	int ret;

	TT_IS(nti_trace_batch_init(&b, 16), 0);
	for (i = 0; i < 24; i++)
		random_record(&b, &seed, 20);
	whole = to_binary(&b);
	for (n = 16; n < whole.n; n++) {
		part = (struct forms_bytes){ whole.p, n };
		(void)read_back(&part, &b, &ret);
		TT_IS(ret, -EBADMSG);
	}
	for (n = 0; n < whole.n; n++) {
		char was = whole.p[n];

		whole.p[n] ^= (char)(1u << tt_random(&seed) % 8);
		(void)read_back(&whole, &b, &ret);
		TT_IS(ret, -EBADMSG);
		whole.p[n] = was;
	}
	/* something behind the end */
	(void)forms_take(&whole, "x", 1);
	(void)read_back(&whole, &b, &ret);
	TT_IS(ret, -EBADMSG);
	free(whole.p);
	nti_trace_batch_fini(&b);
	(void)unlink(forms_file("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(through_mmiotrace),   cmocka_unit_test(live),
		cmocka_unit_test(text_through_binary), cmocka_unit_test(records_through_binary),
		cmocka_unit_test(damaged_binary),
	};
	int ret = TT_RUN(tests);

	ntime_trace_ctx_free(forms_context());
	return ret;
}
