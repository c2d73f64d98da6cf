// SPDX-License-Identifier: MIT
/*
 * Every form against golden files (trace/tests/lib/golden): NAME.in is a trace, NAME.json its
 * records, NAME.mmiotrace what becomes of it in that form. Inputs are written after the grammars;
 * expected files were made by ntime and read by people.
 */
#include "trace/tests/lib/forms.h"

#define GOLDEN "trace/tests/lib/golden/"

/* .same: written in its own form it is what it was. */
static const struct golden_row {
	int line;
	const char *name;
	uint32_t form;
	bool same;
} golden_rows[] = {
	{ __LINE__, "vfio-seed", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-plain", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-pid", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-iso", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-prog", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-syslog", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-ftrace", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-stap", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-old", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-2.3", NTIME_TRACE_VFIO, true },
	{ __LINE__, "vfio-events", NTIME_TRACE_VFIO, true },
	{ __LINE__, "mmiotrace-kernel", NTIME_TRACE_MMIOTRACE, true },
	{ __LINE__, "mmiotrace-loose", NTIME_TRACE_MMIOTRACE, false },
	{ __LINE__, "mmiotrace-qemu", NTIME_TRACE_MMIOTRACE, false },
	{ __LINE__, "demmt-log", NTIME_TRACE_DEMMT, false },
	{ __LINE__, "demmt-request", NTIME_TRACE_DEMMT, false },
};

static struct forms_bytes golden(const char *name, const char *end)
{
	char path[128];

	snprintf(path, sizeof(path), GOLDEN "%s%s", name, end);
	return forms_read(path);
}

TEST(golden_records)
{
	TT_FOR_EACH_ROW(r, golden_rows) {
		struct forms_bytes in = golden(r->name, ".in"), want = golden(r->name, ".json");

		FORMS_IS(r, &in, &want, .to = NTIME_TRACE_JSON);
		/* The same when the form is said. */
		FORMS_IS(r, &in, &want, .from = r->form, .to = NTIME_TRACE_JSON);
		free(in.p);
		free(want.p);
	}
}

/* A line of @n bytes without its value. */
static size_t without_value(const char *line, size_t n, char *out)
{
	const char *key = ",\"value\":\"", *at = strstr(line, key), *rest;
	size_t before;

	memcpy(out, line, n);
	if (!at || at >= line + n)
		return n;
	before = (size_t)(at - line);
	rest = strchr(at + strlen(key), '"') + 1;
	memcpy(out + before, rest, n - (size_t)(rest - line));
	return n - (size_t)(rest - at);
}

/*
 * Cut at any byte, a trace has the records of its beginning: what is torn is no record, or a read
 * that says that its value is unknown. It is never another number.
 */
TEST(golden_cut)
{
	unsigned int unvalued = 0;

	TT_FOR_EACH_ROW(r, golden_rows) {
		const struct forms_job job = { .from = r->form,
					       .to = NTIME_TRACE_JSON,
					       .without_others = true };
		struct forms_bytes in = golden(r->name, ".in"), want, got;
		size_t n;

		TT_EQ(r, forms_convert(in.p, in.n, &job, &want), 0);
		for (n = 1; n < in.n; n++) {
			const char *p, *w = want.p, *next;
			char buf[4096];

			TT_EQ(r, forms_convert(in.p, n, &job, &got), 0);
			for (p = got.p; *p; p = next) {
				size_t bytes = strcspn(w, "\n") + 1, left;

				next = strchr(p, '\n') + 1;
				if ((size_t)(next - p) == bytes && memcmp(p, w, bytes) == 0) {
					w += bytes;
					continue;
				}
				left = without_value(w, bytes, buf);
				if (*next || (size_t)(next - p) != left ||
				    memcmp(p, buf, left) != 0)
					fail_msg("%s cut at %zu: %s", r->name, n, p);
				unvalued++;
			}
			free(got.p);
		}
		free(in.p);
		free(want.p);
	}
	assert_true(unvalued > 10);
}

TEST(golden_written_again)
{
	TT_FOR_EACH_ROW(r, golden_rows) {
		struct forms_bytes in = golden(r->name, ".in");

		if (r->same)
			FORMS_IS(r, &in, &in, .to = r->form);
		free(in.p);
	}
}

/* ntime's own form loses nothing: records, and the text they came from. */
TEST(golden_through_binary)
{
	TT_FOR_EACH_ROW(r, golden_rows) {
		struct forms_bytes in = golden(r->name, ".in"), want = golden(r->name, ".json");
		struct forms_bytes binary = FORMS_MADE(r, &in, .to = NTIME_TRACE_BINARY);

		FORMS_IS(r, &binary, &want, .to = NTIME_TRACE_JSON);
		if (r->form == NTIME_TRACE_VFIO)
			FORMS_IS(r, &binary, &in, .to = NTIME_TRACE_VFIO);
		free(binary.p);
		free(in.p);
		free(want.p);
	}
}

/* To mmiotrace, with what the user knows. */
static const struct mmiotrace_row {
	int line;
	const char *name, *end, *hints;
	uint32_t flags;
} mmiotrace_rows[] = {
	/* write-only, of BAR 0 only: BAR 1 and the identification are made up */
	{ __LINE__, "vfio-seed", ".mmiotrace", "chip==GT218", 0 },
	/* nothing is known: no vendor */
	{ __LINE__, "vfio-seed", ".unknown.mmiotrace", NULL, 0 },
	{ __LINE__, "vfio-seed", ".told.mmiotrace",
	  "id=05:00.0=10de:0640\nbar=0000:05:*=0=0xfa000000+32M\nbar==1=0xd0000000+256M",
	  NTIME_WRITER_REBASE | NTIME_WRITER_KEEP_THREAD },
	/* no clock, one read later than the first access */
	{ __LINE__, "vfio-plain", ".mmiotrace", NULL, 0 },
	{ __LINE__, "vfio-events", ".mmiotrace", NULL, 0 },
	{ __LINE__, "vfio-events", ".quiet.mmiotrace", NULL, NTIME_WRITER_NO_MARKS },
	/* 64-bit BARs from what the guest wrote, two cards, one that moves */
	{ __LINE__, "vfio-moves", ".mmiotrace", "chip=c2:00.0=G96", 0 },
	{ __LINE__, "demmt-log", ".mmiotrace", "chip==NVA8", 0 },
};

TEST(golden_mmiotrace)
{
	TT_FOR_EACH_ROW(r, mmiotrace_rows) {
		struct forms_bytes in = golden(r->name, ".in"), want = golden(r->name, r->end);

		FORMS_IS(r, &in, &want, .to = NTIME_TRACE_MMIOTRACE, .flags = r->flags,
			 .hints = r->hints, .without_others = true, .without_requests = true);
		free(in.p);
		free(want.p);
	}
}

/*
 * What is written as VFIO text: times of traces without a style of VFIO's, and accesses at no
 * device's address.
 */
static const struct text_row {
	int line;
	const char *in, *out;
} text_rows[] = {
	{ __LINE__,
	  "VERSION 20070824\nMARK 0.000000 somebody\n"
	  "R 4 1.000002 1 0xe0000010 0x5 0x0 0\nW 1 2.000003 1 0xe0000010 0x7 0x0 0\n",
	  "0@1.000002:memory_region_ops_read cpu -1 mr 0x0 addr 0xe0000010 value 0x5 size 4 name "
	  "'physical'\n"
	  "0@2.000003:memory_region_ops_write cpu -1 mr 0x0 addr 0xe0000010 value 0x7 size 1 name "
	  "'physical'\n" },
	{ __LINE__,
	  "[23:59:59.123456789] (+0.000000001) host qemu:vfio_region_write: { cpu_id = 1 }, { "
	  "name = \"0000:05:00.0\", index = 0, addr = 0x4, data = 0x1, size = 4 }\n"
	  "[00:00:01.123456999] (+2.000000210) host qemu:vfio_region_read: { cpu_id = 1 }, { name "
	  "= \"0000:05:00.0\", index = 0, addr = 0x8, data = 0x2, size = 4 }\n",
	  "0@86399.123456:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
	  "0@86401.123456:vfio_region_read  (0000:05:00.0:region0+0x8, 4) = 0x2\n" },
	{ __LINE__,
	  "qemu-1234 [002] 905.123450: print: tracing_mark_write: vfio_region_write  "
	  "(0000:05:00.0:region0+0x4, 0x1, 4)\n",
	  "qemu-1234 [002] 905.123450: print: tracing_mark_write: vfio_region_write  "
	  "(0000:05:00.0:region0+0x4, 0x1, 4)\n" },
	{ __LINE__,
	  "qemu-1234 [002] 905.123450007: print: tracing_mark_write: vfio_region_write  "
	  "(0000:05:00.0:region0+0x4, 0x1, 4)\n",
	  "qemu-1234 [002] 905.123450007: print: tracing_mark_write: vfio_region_write  "
	  "(0000:05:00.0:region0+0x4, 0x1, 4)\n" },
};

TEST(vfio_text)
{
	TT_FOR_EACH_ROW(r, text_rows) {
		struct forms_bytes in = forms_text(r->in), out = forms_text(r->out);

		FORMS_IS(r, &in, &out, .to = NTIME_TRACE_VFIO);
		/* It is read again, the same accesses. */
		FORMS_IS(r, &out, &out, .to = NTIME_TRACE_VFIO);
	}
}

/* Logs that come back byte for byte, at once and through the binary form. */
static const struct same_row {
	int line;
	const char *text;
} same_rows[] = {
	/* zeros that no tracer writes in front of the seconds; from line to line more or less */
	{ __LINE__,
	  "12350@01795212965.331917:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
	  "12350@01795212965.331918:vfio_region_read  (0000:05:00.0:region0+0x4, 4) = 0x1\n"
	  "12350@1795212965.331919:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
	  "12350@0001795212965.331920:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
	  "12350@00.000001:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
	  "12350@00.000002:kvm_vm_ioctl type 0x1, arg 0x2\n" },
	{ __LINE__, "MARK 0905.123450 vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
		    " qemu-7 [001] 0905.123450007: tracing_mark_write: vfio_region_write  "
		    "(0000:05:00.0:region0+0x4, 0x1, 4)\n" },
	/*
	 * carriage returns: with a prefix and without, of events of each kind, in some of the lines
	 */
	{ __LINE__,
	  "12350@1795212965.331917:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\r\n"
	  "12350@1795212965.331918:vfio_region_read  (0000:05:00.0:region0+0x4, 4) = 0x1\r\n"
	  "somebody else\r\n"
	  "12350@1795212965.331918:kvm_vm_ioctl type 0x1, arg 0x2\r\n"
	  "12350@1795212965.331919:vfio_intx_interrupt  (0000:05:00.0) Pin B\r\n"
	  "12350@1795212965.331919:vfio_region_write  (0000:05:00.0:region0+0x04, 0x1, 4)\r\n"
	  "12350@1795212965.331920:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
	  "somebody else\n"
	  "12350@1795212965.331921:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n"
	  "12350@1795212965.331922:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\r\n"
	  "12350@1795212965.331923:vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\n" },
	{ __LINE__, "vfio_region_write  (0000:05:00.0:region0+0x4, 0x1, 4)\r\n"
		    "vfio_pci_write_config  (0000:05:00.0, @0x4, 0x7, len=0x2)\r\n"
		    "vfio_populate_device_region Device 0000:05:00.0 region 1:\r\n"
		    "  size: 0x10000000, offset: 0x10000000000, flags: 0x7\r\n"
		    "vfio_region_read  (0000:05:00.0:region0+0x4, 4) = 0x1\r\n" },
	{ __LINE__, "vfio: vfio_bar_write(0000:05:00.0:BAR2+0x74, 0x1f000, 4)\r\n"
		    "vfio: vfio_bar_read(0000:05:00.0:BAR2+0x74, 4) = 0x8001f000\r\n" },
};

TEST(vfio_text_again)
{
	TT_FOR_EACH_ROW(r, same_rows) {
		struct forms_bytes in = forms_text(r->text), binary;

		FORMS_IS(r, &in, &in, .to = NTIME_TRACE_VFIO);
		binary = FORMS_MADE(r, &in, .to = NTIME_TRACE_BINARY);
		FORMS_IS(r, &binary, &in, .to = NTIME_TRACE_VFIO);
		free(binary.p);
	}
}

#define SEED "vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\n"
#define BOOT0(value) "vfio_region_read  (0000:05:00.0:region0+0x0, 4) = " value "\n"

/* Decoders pass over what has no vendor: what tells it, and what is said where nothing does. */
static const struct vendor_row {
	int line;
	const char *in, *hints, *out, *warned;
} vendor_rows[] = {
	{ __LINE__, SEED, NULL, "PCIDEV 0500 00000000 ", "1 a device has no vendor" },
	{ __LINE__, SEED, "chip==GT218", "PCIDEV 0500 10de0000 0 80000000 90000000 ", NULL },
	{ __LINE__, SEED, "id==10de:0a6c", "PCIDEV 0500 10de0a6c 0 80000000 90000000 ", NULL },
	{ __LINE__, SEED, "id==8086:0a6c", "PCIDEV 0500 80860a6c ", NULL },
	{ __LINE__, SEED, "id==10de:ffff", "PCIDEV 0500 10deffff ",
	  "1 the trace does not show the chip" },
	/* the identification of the chip, first and last */
	{ __LINE__, BOOT0("0xa8000a2") SEED, NULL, "PCIDEV 0500 10de0000 0 80000000 90000000 ",
	  NULL },
	{ __LINE__, SEED BOOT0("0x172000a1"), NULL, "PCIDEV 0500 10de0000 0 80000000 90000000 ",
	  NULL },
	/* no chip's: the register of somebody else */
	{ __LINE__, SEED BOOT0("0xa800001"), NULL, "PCIDEV 0500 00000000 ", "no vendor" },
	{ __LINE__, SEED BOOT0("0xffffffff"), NULL, "PCIDEV 0500 00000000 ", "no vendor" },
	/* register operations are NVIDIA's by definition */
	{ __LINE__,
	  "LOG:         0: dir: 0x00000001, mmio: 0x0000a40c, value: 0x00000003, mask: 0xffffffff\n"
	  "LOG:         0: dir: 0x00000001, mmio: 0x0000a40c, value: 0x00000003, mask: "
	  "0xffffffff\n",
	  NULL, "PCIDEV ff00 10de0000 0 80000000 90000000 ", "1 the trace does not show the chip" },
};

TEST(vendors)
{
	TT_FOR_EACH_ROW(r, vendor_rows) {
		struct forms_bytes in = forms_text(r->in), got;

		got = FORMS_MADE(r, &in, .to = NTIME_TRACE_MMIOTRACE, .hints = r->hints);
		TT_HAS(got.p, r->out);
		if (r->warned)
			TT_HAS(forms_warned(), r->warned);
		else
			TT_STR(r, forms_warned(), "");
		free(got.p);
	}
}

/* Text of an access in each style that can be asked for. */
static const struct style_row {
	int line;
	const char *hints, *out;
} style_rows[] = {
	{ __LINE__, "style=plain",
	  "vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\n" },
	{ __LINE__, "style=iso",
	  "2015-02-18T22:40:07.289770Z vfio_region_write  (0000:05:00.0:region0+0xa404, "
	  "0xdeadbeef, 4)\n" },
	{ __LINE__, "style=stap",
	  "12347@1424299207289770000 vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, "
	  "4)\n" },
	{ __LINE__, "style=old",
	  "vfio: vfio_bar_write(0000:05:00.0:BAR0+0xa404, 0xdeadbeef, 4)\n" },
	{ __LINE__,
	  "style=%%r: ", "%r: vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\n" },
	{ __LINE__, "style=100%% %t: ",
	  "100% 12347: vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\n" },
};

TEST(styles)
{
	struct forms_bytes in = golden("vfio-seed", ".in");

	TT_FOR_EACH_ROW(r, style_rows) {
		struct forms_bytes out = forms_text(r->out);

		FORMS_IS(r, &in, &out, .to = NTIME_TRACE_VFIO, .hints = r->hints);
	}
	free(in.p);
}

static const struct hint_row {
	int line;
	uint32_t to;
	const char *hints, *sentence;
} hint_rows[] = {
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "colour=blue", "'colour' is not a hint" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "id=05:00.0", "write DEVICE=VENDOR:ID" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "id=05:00.0=10de", "'10de' is not an identification" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "id=05:00.0=10de:00640", NULL },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "id=05:00.0=10de:10640", "is not the id of a device" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "bar=05:00.0=7=0x1000", "'7' is not a BAR" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "bar=05:00.0=0=0x1001", "multiple of 4096" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "bar=05:00.0=0=0x1000+0", "'0' is not a size" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "bar=0=0x1000", "write DEVICE=BAR=START" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "bar==0=0xfffffffffffff000+64k", "after the last" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "chip==XYZ", "called 'XYZ'" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "chip=*=GA102", NULL },
	{ __LINE__, NTIME_TRACE_VFIO, "style=%x", "is not a style" },
	{ __LINE__, NTIME_TRACE_VFIO, "style=nonsense",
	  "'nonsense' is not a style: there are plain, pid@time, tid@time, iso, stap, old, and" },
	{ __LINE__, NTIME_TRACE_VFIO, "style=", "'' is not a style" },
	{ __LINE__, NTIME_TRACE_MMIOTRACE, "style=nonsense", "'nonsense' is not a style" },
	{ __LINE__, NTIME_TRACE_JSON, "style=nonsense", "'nonsense' is not a style" },
	{ __LINE__, NTIME_TRACE_BINARY, "style=nonsense", "'nonsense' is not a style" },
	{ __LINE__, NTIME_TRACE_SIMPLE, NULL, "cannot be written in form 2" },
};

TEST(hints)
{
	struct forms_bytes in = golden("vfio-seed", ".in"), got;

	TT_FOR_EACH_ROW(r, hint_rows) {
		TT_EQ(r,
		      forms_convert(in.p, in.n,
				    &(struct forms_job){ .to = r->to, .hints = r->hints }, &got),
		      r->sentence ? -EINVAL : 0);
		if (r->sentence)
			TT_HAS(ntime_trace_error_text(forms_context()), r->sentence);
		free(got.p);
	}
	free(in.p);
}

static int refuse(void *arg, const void *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return ++*(int *)arg ? -ENOSPC : 0;
}

/* What cannot be written ends all, once. */
TEST(write_errors)
{
	struct forms_bytes in = golden("vfio-seed", ".in");
	struct ntime_trace_batch b = { .size = sizeof(b) };
	int calls = 0;
	struct ntime_trace_writer_options wo = {
		.size = sizeof(wo), .form = NTIME_TRACE_VFIO, .write = refuse, .write_arg = &calls
	};
	struct ntime_trace_writer *w;
	struct ntime_trace *t;

	TT_IS(ntime_trace_open(forms_context(), forms_file(in.p, in.n), NULL, &t), 0);
	TT_IS(ntime_trace_writer_new(forms_context(), t, &wo, &w), 0);
	TT_IS(ntime_trace_next(t, &b), 0);
	TT_IS(ntime_trace_writer_put(w, &b), -ENOSPC);
	TT_IS(ntime_trace_writer_put(w, &b), -ENOSPC);
	TT_IS(ntime_trace_writer_end(w), -ENOSPC);
	TT_IS(calls, 1);
	ntime_trace_writer_free(w);
	ntime_trace_writer_free(NULL);
	wo.size--;
	TT_IS(ntime_trace_writer_new(forms_context(), t, &wo, &w), -EINVAL);
	wo.size++;
	wo.flags = 1u << 31;
	TT_IS(ntime_trace_writer_new(forms_context(), t, &wo, &w), -EINVAL);
	ntime_trace_close(t);
	(void)unlink(forms_file("", 0));
	free(in.p);
}

#define RUN_LINES 6000
#define RUN_LINE_BYTES 160

/* Microseconds of line @i: now and then it goes back. */
static unsigned int run_us(unsigned int i)
{
	return 1000 + i * 3 + (i % 11 ? 0 : 4000);
}

/*
 * A log of several devices whose lines have a time where @pattern, used again and again, has a 't'.
 * With @are_told the other lines have the time that they get in mmiotrace: of the last line that
 * has one, of the first where none was before; a log without any counts its records.
 */
static struct forms_bytes run_log(const char *pattern, bool are_told)
{
	struct forms_bytes b = { malloc(RUN_LINES * RUN_LINE_BYTES), 0 };
	const char *first = strchr(pattern, 't');
	unsigned int i, us = first ? run_us((unsigned int)(first - pattern)) : 0;

	assert_non_null(b.p);
	for (i = 0; i < RUN_LINES; i++) {
		char *line = b.p + b.n;
		int n;
		bool has_time = pattern[i % strlen(pattern)] == 't';

		us = has_time ? run_us(i) : first ? us : i + 1;
		n = has_time || are_told ? snprintf(line, RUN_LINE_BYTES, "7@0.%06u:", us) : 0;
		/* BAR 1 is of ports or of memory, at one address. */
		if (i % 500 == 3)
			n += snprintf(line + n, RUN_LINE_BYTES - (size_t)n,
				      "vfio_pci_read_config  (0000:05:00.0, @0x14, len=0x4) 0x%x\n",
				      0xe0000000u + (i % 1000 == 3));
		else if (i % 3)
			n += snprintf(line + n, RUN_LINE_BYTES - (size_t)n,
				      "vfio_region_write  (0000:05:00.%u:region%u+0x%x, 0x%x, 4)\n",
				      i / 7 % 2, i / 5 % 2, i * 4, i * i);
		else
			n += snprintf(line + n, RUN_LINE_BYTES - (size_t)n,
				      "vfio_region_read  (0000:05:00.%u:region%u+0x10, 4) = 0x%x\n",
				      i / 7 % 2, i / 5 % 2, i * i);
		b.n += (size_t)n;
	}
	return b;
}

/* Lines without a time, alone or among others, are written as those that say it. */
static const struct run_row {
	int line;
	const char *pattern;
	uint32_t flags;
} run_rows[] = {
	{ __LINE__, "-", 0 },
	{ __LINE__, "-", NTIME_WRITER_IO_MARKS },
	{ __LINE__, "-", NTIME_WRITER_KEEP_THREAD },
	{ __LINE__, "t-", 0 },
	{ __LINE__, "t-", NTIME_WRITER_REBASE },
	{ __LINE__, "-----tttttttt-t---", NTIME_WRITER_IO_MARKS },
	{ __LINE__, "-----tttttttt-t---", NTIME_WRITER_REBASE | NTIME_WRITER_NO_MARKS },
};

TEST(times_of_runs)
{
	TT_FOR_EACH_ROW(r, run_rows) {
		struct forms_bytes in = run_log(r->pattern, false),
				   told = run_log(r->pattern, true);
		struct forms_bytes got, want, got_rest, want_rest;

		/* The thread stands in front of the time. */
		want = FORMS_MADE(r, &told, .to = NTIME_TRACE_MMIOTRACE,
				  .flags = r->flags & ~NTIME_WRITER_KEEP_THREAD);
		got = FORMS_MADE(r, &in, .to = NTIME_TRACE_MMIOTRACE, .flags = r->flags);
		/* What stands in front of the first access tells that there are no times. */
		got_rest.p = strstr(got.p, "MAP 0.");
		want_rest.p = strstr(want.p, "MAP 0.");
		assert_non_null(got_rest.p);
		assert_non_null(want_rest.p);
		got_rest = forms_text(got_rest.p);
		want_rest = forms_text(want_rest.p);
		forms_same(&got_rest, &want_rest, r->pattern);
		free(got.p);
		free(want.p);
		free(in.p);
		free(told.p);
	}
}

#define CONFIG_BAR1(value) "vfio_pci_read_config  (0000:05:00.0, @0x14, len=0x4) " value "\n"
#define WRITE_BAR1(offset) "vfio_region_write  (0000:05:00.0:region1+" offset ", 0x5, 4)\n"

/*
 * A BAR that becomes one of ports at the same address is written as such from there on, also where
 * its mapping is in use.
 */
TEST(ports)
{
	static const char in[] = WRITE_BAR1("0x4") CONFIG_BAR1("0xe0000001") WRITE_BAR1("0x8")
		CONFIG_BAR1("0xe0000000") WRITE_BAR1("0xc") CONFIG_BAR1("0xe0000001")
			WRITE_BAR1("0x10");
	struct forms_bytes bytes = forms_text(in), got;

	got = FORMS_HERE(&bytes, .to = NTIME_TRACE_MMIOTRACE, .flags = NTIME_WRITER_IO_MARKS);
	TT_HAS(got.p, "vfio_region_write  (0000:05:00.0:region1+0x8, 0x5, 4)");
	TT_HAS(got.p, " 1 0xe000000c 0x5 ");
	TT_HAS(got.p, "vfio_region_write  (0000:05:00.0:region1+0x10, 0x5, 4)");
	free(got.p);
}

/*
 * Forth to mmiotrace and back it is @out; mmiotrace between must be the same bytes when it is
 * written again.
 */
static void comes_back(const char *in, const char *out, uint32_t flags)
{
	struct forms_bytes from = forms_text(in), want = forms_text(out);
	struct forms_bytes mm = FORMS_HERE(&from, .to = NTIME_TRACE_MMIOTRACE, .flags = flags);

	FORMS_IS_HERE(&mm, &mm, .to = NTIME_TRACE_MMIOTRACE, .flags = flags);
	FORMS_IS_HERE(&mm, &want, .to = NTIME_TRACE_VFIO);
	free(mm.p);
}

/*
 * Ports and legacy ranges of VGA are other addresses than memory's, and may overlap: 0xc000 is
 * between the registers of VGA and its memory.
 */
TEST(ports_come_back)
{
	static const char in[] =
		"0@100.000001:vfio_pci_read_config  (0000:05:00.0, @0x24, len=0x4) 0xc001\n"
		"0@100.000002:vfio_region_write  (0000:05:00.0:region5+0x8, 0x3, 4)\n"
		"0@100.000003:vfio_vga_write  (0x3d4, 0x11, 1)\n"
		"0@100.000004:vfio_vga_write  (0xa0004, 0x12, 1)\n"
		"0@100.000005:vfio_region_write  (0000:05:00.0:region0+0xc008, 0x4, 4)\n"
		"0@100.000006:vfio_region_read  (0000:05:00.0:region9+0x10, 4) = 0x5\n"
		"0@100.000007:vfio_pci_write_config  (0000:05:00.0, @0x24, 0xd001, len=0x4)\n"
		"0@100.000008:vfio_region_read  (0000:05:00.0:region5+0x8, 4) = 0x3\n"
		"0@100.000009:vfio_region_read  (0000:05:00.0:region5+0x1000, 4) = 0x7\n"
		"0@100.000010:vfio_vga_read  (0xa0004, 1) = 0x12\n";

	comes_back(in, in, 0);
}

/*
 * The same where no marks are wanted: the line PCIDEV has the ports, a mapping is as long; of
 * memory that happens to be there it is the memory's.
 */
TEST(ports_come_back_without_marks)
{
	static const char in[] =
		"0@100.000001:vfio_pci_read_config  (0000:05:00.0, @0x24, len=0x4) 0xc001\n"
		"0@100.000002:vfio_region_write  (0000:05:00.0:region5+0x8, 0x3, 4)\n"
		"0@100.000003:vfio_region_write  (0000:05:00.0:region0+0xc008, 0x4, 4)\n"
		"0@100.000004:vfio_pci_write_config  (0000:05:00.0, @0x24, 0xd001, len=0x4)\n"
		"0@100.000005:vfio_region_read  (0000:05:00.0:region5+0x8, 4) = 0x3\n"
		"0@100.000006:vfio_region_read  (0000:05:00.0:region5+0x1000, 4) = 0x7\n";
	static const char out[] =
		"0@100.000002:vfio_region_write  (0000:05:00.0:region5+0x8, 0x3, 4)\n"
		"0@100.000003:vfio_region_write  (0000:05:00.0:region0+0xc008, 0x4, 4)\n"
		"0@100.000005:vfio_region_read  (0000:05:00.0:region5+0x8, 4) = 0x3\n"
		"0@100.000006:vfio_region_read  (0000:05:00.0:region5+0x1000, 4) = 0x7\n";
	/* Mapping 3 is of another length, and where it is there is memory too; then it is ports. */
	static const char kernel[] =
		"PCIDEV 0500 10de0a65 10 c000 0 0 0 0 c001 0 1000 0 0 0 0 80 0 \n"
		"MAP 1.000001 3 0xc000 0xffffc9000000c000 0x80 0x0 0\n"
		"R 4 1.000002 3 0xc008 0x1 0x0 0\n"
		"PCIDEV 0500 10de0a65 10 0 0 0 0 0 c001 0 0 0 0 0 0 80 0 \n"
		"MAP 1.000003 3 0xc000 0xffffc9000000c000 0x100 0x0 0\n"
		"R 4 1.000004 3 0xc008 0x2 0x0 0\n"
		"MAP 1.000005 3 0xc000 0xffffc9000000c000 0x80 0x0 0\n"
		"R 4 1.000006 3 0xc008 0x3 0x0 0\n"
		"MAP 1.000007 3 0xe000 0xffffc9000000e000 0x80 0x0 0\n"
		"R 4 1.000008 3 0xc008 0x4 0x0 0\n";
	struct forms_bytes bytes = forms_text(kernel), back;

	comes_back(in, out, NTIME_WRITER_NO_MARKS);
	back = FORMS_HERE(&bytes, .to = NTIME_TRACE_VFIO);
	TT_TEXT(back.p, "0@1.000002:vfio_region_read  (0000:05:00.0:region0+0x8, 4) = 0x1\n"
			"0@1.000004:memory_region_ops_read cpu -1 mr 0x0 addr 0xc008 value 0x2 "
			"size 4 name 'physical'\n"
			"0@1.000006:vfio_region_read  (0000:05:00.0:region5+0x8, 4) = 0x3\n"
			"0@1.000008:memory_region_ops_read cpu -1 mr 0x0 addr 0xc008 value 0x4 "
			"size 4 name 'physical'\n");
	free(back.p);
}

/*
 * Bit 0 of the ROM in a line PCIDEV says that it is enabled: it is memory all the same, and its
 * accesses are no marks.
 */
TEST(enabled_rom)
{
	static const char in[] =
		"VERSION 20070824\n"
		"PCIDEV 0500 10de0a65 10 fd000000 d000000c 0 fa00000c 0 df01 fe000001 1000000 "
		"10000000 0 2000000 0 80 80000 nvidia\n"
		"MAP 10.000001 3 0xfe000000 0xffffc900fe000000 0x80000 0x0 0\n"
		"R 2 10.000002 3 0xfe000000 0xaa55 0x0 0\n"
		"R 1 10.000003 3 0xfe07ffff 0x5 0x0 0\n";
	struct forms_bytes bytes = forms_text(in), vfio;

	vfio = FORMS_HERE(&bytes, .to = NTIME_TRACE_VFIO);
	TT_TEXT(vfio.p, "0@10.000002:vfio_region_read  (0000:05:00.0:region6+0x0, 2) = 0xaa55\n"
			"0@10.000003:vfio_region_read  (0000:05:00.0:region6+0x7ffff, 1) = 0x5\n");
	/* no marks */
	FORMS_IS_HERE(&bytes, &bytes, .to = NTIME_TRACE_MMIOTRACE, .flags = NTIME_WRITER_IO_MARKS);
	free(vfio.p);
}

/*
 * Events of QEMU in the marks of a trace that has mappings: of a device, a BAR and an offset of
 * which it knows nothing, and of one that it knows.
 */
TEST(events_in_marks)
{
	static const char in[] =
		"VERSION 20070824\n"
		"MARK 10.000001 vfio_region_read  (0000:05:00.0:region0+0x4, 4) = 0x1\n"
		"PCIDEV 0500 10de0a65 10 fd000000 d000000c 0 fa00000c 0 df01 0 1000000 10000000 0 "
		"2000000 0 80 0 nvidia\n"
		"R 4 10.000003 2 0xfd000000 0xa8c00b1 0x0 0\n"
		"MARK 10.000008 vfio_region_write  (0000:07:00.0:region0+0xa404, 0xdeadbeef, 4)\n"
		"MARK 10.000009 vfio_region_read  (0000:07:00.0:region1+0x10, 4) = 0x1\n"
		"MARK 10.000010 vfio_region_read  (0000:05:00.0:region2+0x10, 4) = 0x2\n"
		"MARK 10.000011 vfio_region_read  (0000:05:00.0:region0+0x1000000, 4) = 0x3\n"
		"MARK 10.000012 vfio_region_read  (0000:05:00.0:region5+0x8, 4) = 0x4\n"
		"MARK 10.000013 vfio_vga_read  (0x3d4, 1) = 0x5\n"
		"W 4 10.000014 2 0xfd00a404 0x6 0x0 0\n";
	struct forms_bytes bytes = forms_text(in), mm, binary, json;

	FORMS_IS_HERE(&bytes, &bytes, .to = NTIME_TRACE_MMIOTRACE);
	/* the same records */
	mm = FORMS_HERE(&bytes, .to = NTIME_TRACE_MMIOTRACE);
	json = FORMS_HERE(&bytes, .to = NTIME_TRACE_JSON);
	FORMS_IS_HERE(&mm, &json, .to = NTIME_TRACE_JSON);
	binary = FORMS_HERE(&bytes, .to = NTIME_TRACE_BINARY);
	FORMS_IS_HERE(&binary, &bytes, .to = NTIME_TRACE_MMIOTRACE);
	free(mm.p);
	free(binary.p);
	free(json.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_records),
		cmocka_unit_test(golden_cut),
		cmocka_unit_test(golden_written_again),
		cmocka_unit_test(golden_through_binary),
		cmocka_unit_test(golden_mmiotrace),
		cmocka_unit_test(vendors),
		cmocka_unit_test(vfio_text),
		cmocka_unit_test(vfio_text_again),
		cmocka_unit_test(styles),
		cmocka_unit_test(hints),
		cmocka_unit_test(times_of_runs),
		cmocka_unit_test(ports),
		cmocka_unit_test(ports_come_back),
		cmocka_unit_test(ports_come_back_without_marks),
		cmocka_unit_test(enabled_rom),
		cmocka_unit_test(events_in_marks),
		cmocka_unit_test(write_errors),
	};
	int ret = TT_RUN(tests);

	ntime_trace_ctx_free(forms_context());
	return ret;
}
