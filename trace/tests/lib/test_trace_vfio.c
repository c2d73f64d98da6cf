// SPDX-License-Identifier: MIT
/*
 * Text of QEMU's VFIO events: each prefix and generation by hand, and lines at random against a
 * parser that knows nothing of the line before.
 */
#include <errno.h>
#include <inttypes.h>

#include <ntime/trace/context.h>
#include <ntime/trace/trace.h>

#include "trace/lib/base/device.h"
#include "trace/lib/read/front.h"
#include "trace/tests/lib/context.h"
#include "trace/tests/lib/reading.h"

#define WRITE "vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\n"
#define WROTE "W 0:0+a404/4=deadbeef"
#define READ "vfio_region_read  (0000:05:00.0:region2+0x10, 8) = 0x1122334455667788\n"

static const struct line_row {
	int line;
	const char *text;
	const char *records; /* without the style where there is but one */
	const char *style;   /* NULL: no prefix */
	uint32_t flags;
} line_rows[] = {
	/* the line of the recipe */
	{ __LINE__, "12347@1424299207.289770:" WRITE,
	  "style '%t@%s.%u:'\n" WROTE " @1424299207.289770000 #12347\n", "process or thread" },
	/* zeros in front of the seconds are letters of the style */
	{ __LINE__, "12350@01795212965.331917:" WRITE,
	  "style '%t@0%s.%u:'\n" WROTE " @1795212965.331917000 #12350\n", "process or thread" },
	{ __LINE__, "MARK 01234.567899 " WRITE, "style 'MARK 0%s.%u '\n" WROTE " @1234.567899000\n",
	  "a mark of mmiotrace" },
	{ __LINE__, WRITE READ, WROTE "\nR 0:2+10/8=1122334455667788\n" },
	{ __LINE__, "12347@1424299207.289770:" WRITE "12347@1424299207.000001:" READ,
	  "style '%t@%s.%u:'\n" WROTE " @1424299207.289770000 #12347\n"
	  "R 0:2+10/8=1122334455667788 @1424299207.000001000 #12347\n",
	  "process or thread" },
	/* GLib leaves out a fraction of 0 */
	{ __LINE__, "2025-07-21T18:43:28.089797Z " WRITE "2025-07-21T18:43:29Z " WRITE,
	  "style '%i '\n" WROTE " @1753123408.089797000\n" WROTE " @1753123409.000000000\n",
	  "ISO 8601" },
	/* others do not */
	{ __LINE__, "2025-07-21T18:43:28.089797Z " WRITE "2025-07-21T18:43:29.000000Z " WRITE,
	  "style '%i '\n" WROTE " @1753123408.089797000\n"
	  "style '2025-07-21T18:43:29.000000Z '\n" WROTE " @1753123409.000000000\n",
	  "ISO 8601" },
	{ __LINE__, "[fish food] qemu-system-x86_64: (1144713:main): " WRITE,
	  "style '[fish food] qemu-system-x86_64: (%t:main): '\n" WROTE " #1144713\n", "program" },
	{ __LINE__, "2025-07-21T18:43:28.000001Z [g] qemu-kvm: (7:CPU 0/KVM): " WRITE,
	  "style '%i [g] qemu-kvm: (%t:CPU 0/KVM): '\n" WROTE " @1753123408.000001000 #7\n",
	  "program" },
	{ __LINE__, "Feb 18 22:40:07 host qemu-system-x86_64[12347]: " WRITE,
	  "style 'Feb 18 22:40:07 host qemu-system-x86_64[%t]: '\n" WROTE
	  " @4228807.000000000 #12347\n",
	  "syslog" },
	{ __LINE__, " qemu-system-x86-12347 [001] .....  1234.567899: tracing_mark_write: " WRITE,
	  "style ' qemu-system-x86-%t [001] .....  %s.%u: tracing_mark_write: '\n" WROTE
	  " @1234.567899000 #12347\n",
	  "ftrace" },
	/* columns filled up: the thread's by the kernel, the event's by trace-cmd report */
	{ __LINE__, "            qemu-812     [001] ..... 1234.567899: tracing_mark_write:  " WRITE,
	  "style '            qemu-%t     [001] ..... %s.%u: tracing_mark_write:  '\n" WROTE
	  " @1234.567899000 #812\n",
	  "ftrace" },
	{ __LINE__,
	  " qemu-system-x86-12347 [001]  1234.567899: print:                "
	  "tracing_mark_write: " WRITE,
	  "style ' qemu-system-x86-%t [001]  %s.%u: print:                tracing_mark_write: "
	  "'\n" WROTE " @1234.567899000 #12347\n",
	  "ftrace" },
	/* trace-cmd report -t: nanoseconds; other numbers of digits are no time */
	{ __LINE__,
	  " qemu-system-x86-12347 [001]  1234.567899012: print:                "
	  "tracing_mark_write: " WRITE
	  " qemu-system-x86-12347 [001]  1235.000000001: print:                "
	  "tracing_mark_write: " WRITE,
	  "style ' qemu-system-x86-%t [001]  %s.%f: print:                tracing_mark_write: "
	  "'\n" WROTE " @1234.567899012 #12347\n" WROTE " @1235.000000001 #12347\n",
	  "ftrace" },
	{ __LINE__, " qemu-7 [001] 1234.567899012: tracing_mark_write: " WRITE,
	  "style ' qemu-%t [001] %s.%f: tracing_mark_write: '\n" WROTE " @1234.567899012 #7\n",
	  "ftrace" },
	{ __LINE__, " qemu-7 [001] 1234.56789901: tracing_mark_write: " WRITE,
	  "style ' qemu-%t [001] 1234.56789901: tracing_mark_write: '\n" WROTE " #7\n", "ftrace" },
	{ __LINE__, "12347@1424299207.289770123:" WRITE,
	  "style '12347@1424299207.289770123:'\n" WROTE "\n", "an unknown prefix" },
	/*
	 * names of threads that hold what stands around their number; the process in front of the
	 * CPU
	 */
	{ __LINE__,
	  " kvm-7 [002] (9:a-4711    [003] .....  1234.567890: tracing_mark_write: " WRITE,
	  "style ' kvm-7 [002] (9:a-%t    [003] .....  %s.%u: tracing_mark_write: '\n" WROTE
	  " @1234.567890000 #4711\n",
	  "ftrace" },
	{ __LINE__,
	  "  CPU 0/KVM-4711  ( 4700) [003] ...1  1234.567890: tracing_mark_write: " WRITE
	  "  CPU 0/KVM-812   (-------) [003] ...1  1234.567891: tracing_mark_write: " WRITE,
	  "style '  CPU 0/KVM-%t  ( 4700) [003] ...1  %s.%u: tracing_mark_write: '\n" WROTE
	  " @1234.567890000 #4711\n"
	  "style '  CPU 0/KVM-%t   (-------) [003] ...1  %s.%u: tracing_mark_write: '\n" WROTE
	  " @1234.567891000 #812\n",
	  "ftrace" },
	{ __LINE__, "MARK 1234.567899 " WRITE, "style 'MARK %s.%u '\n" WROTE " @1234.567899000\n",
	  "a mark of mmiotrace" },
	{ __LINE__, "12347@1424299207289770123 " WRITE,
	  "style '%t@%n '\n" WROTE " @1424299207.289770123 #12347\n", "SystemTap" },
	{ __LINE__,
	  "vfio: vfio_bar_write(0000:05:00.0:BAR2+0x74, 0x1f000, 4)\n"
	  "vfio: vfio_bar_read(0000:05:00.0:BAR2+0x74, 4) = 0x8001f000\n",
	  "style 'vfio: '\nW 0:2+74/4=1f000\nR 0:2+74/4=8001f000\n", "before 2.3" },
	{ __LINE__,
	  "[12:34:56.123456789] (+0.000001234) host qemu:vfio_region_write: { cpu_id = 1 }, { name "
	  "= "
	  "\"0000:05:00.0\", index = 3, addr = 0xA404, data = 0x1F, size = 4 }\n",
	  "style 'lttng: '\nW 0:3+a404/4=1f @45296.123456789\n", "LTTng" },
	/* names that hold what stands around them */
	{ __LINE__, "vfio_region_write  (VFIO user /tmp/a :region2+0x1)b:region1+0x8, 0x1, 1)\n",
	  "W 0:1+8/1=1\n" },
	{ __LINE__, "vfio_region_read  (fff51000.ethernet:region11+0x1000000000, 2) = 0x0\n",
	  "R 0:11+1000000000/2=0\n" },
	/* 2.3 and 2.4: no 0x in front of the value, so the text is kept */
	{ __LINE__, "vfio_pci_read_config  (0000:05:00.0, @0x0, len=0x4) 64010de\n",
	  "config-R 0:7+0/4=64010de 'vfio_pci_read_config  (0000:05:00.0, @0x0, len=0x4) "
	  "64010de'\n" },
	{ __LINE__,
	  "vfio_pci_read_config  (0000:05:00.0, @0x0, len=0x4) 0x64010de\n"
	  "vfio_pci_write_config  (0000:05:00.0, @0x4, 0x7, len=0x2)\n",
	  "config-R 0:7+0/4=64010de\nconfig-W 0:7+4/2=7\n" },
	/* two lines of one event */
	{ __LINE__,
	  "vfio_populate_device_region Device 0000:05:00.0 region 1:\n"
	  "  size: 0x10000000, offset: 0x10000000000, flags: 0x7\n" WRITE,
	  "event 'vfio_populate_device_region Device 0000:05:00.0 region 1:\n"
	  "  size: 0x10000000, offset: 0x10000000000, flags: 0x7'\n"
	  "region 0:1+7/0=10000000 synthetic\n" WROTE "\n" },
	{ __LINE__,
	  "vfio_region_setup Device 0000:05:00.0, region 1 \"0000:05:00.0 BAR 1\", flags: 0x7, "
	  "offset: 0x10000000000, size: 0x10000000\n",
	  "region 0:1+7/0=10000000 '0000:05:00.0 BAR 1'\n" },
	{ __LINE__,
	  "vfio_region_mmap Region 0000:05:00.0 BAR 1 mmaps[0] [0x0 - 0xfffffff]\n"
	  "vfio_region_mmaps_set_enabled Region 0000:05:00.0 BAR 1 mmaps enabled: 1\n",
	  NULL },
	{ __LINE__, "vfio_vga_write  (0x3d4, 0x11, 1)\nvfio_vga_read  (0x3d5, 1) = 0x5\n",
	  "W -1:8+3d4/1=11 'vfio_vga_write  (0x3d4, 0x11, 1)'\n"
	  "R -1:8+3d5/1=5 'vfio_vga_read  (0x3d5, 1) = 0x5'\n" },
	{ __LINE__, "vfio_rom_read  (0000:05:00.0, 0x10, 0x4) = 0xaa55\n",
	  "R 0:6+10/4=aa55 'vfio_rom_read  (0000:05:00.0, 0x10, 0x4) = 0xaa55'\n" },
	{ __LINE__,
	  "vfio_intx_interrupt  (0000:05:00.0) Pin B\n"
	  "vfio_msi_interrupt  (0000:05:00.0) vector 3 0xfee01004/0x4021\n",
	  "interrupt 0:0+0/0=2 'vfio_intx_interrupt  (0000:05:00.0) Pin B'\n"
	  "interrupt 0:0+0/0=3 'vfio_msi_interrupt  (0000:05:00.0) vector 3 0xfee01004/0x4021'\n" },
	{ __LINE__,
	  "memory_region_ops_write mr 0x5581 addr 0 value 0x1 size 4\n"
	  "memory_region_ops_read cpu -1 mr 0x5581 addr 0xfd000000 value 0x2 size 4 name 'x'\n",
	  "W -1:255+0/4=1 'memory_region_ops_write mr 0x5581 addr 0 value 0x1 size 4'\n"
	  "R -1:255+fd000000/4=2 'memory_region_ops_read cpu -1 mr 0x5581 addr 0xfd000000 value "
	  "0x2 "
	  "size 4 name 'x''\n" },
	/* an event that is not ours, and lines that are nobody's */
	{ __LINE__, "77@1.000002:kvm_vm_ioctl type 0x1, arg 0x2\n77@1.000003:" WRITE,
	  "style '%t@%s.%u:'\nevent @1.000002000 #77 'kvm_vm_ioctl type 0x1, arg 0x2'\n" WROTE
	  " @1.000003000 #77\n",
	  "process or thread" },
	{ __LINE__, "hello\n" WRITE "\nworld\n",
	  "other 'hello'\n" WROTE "\nother ''\nother 'world'\n", NULL, NTIME_TRACE_OTHERS },
	{ __LINE__, "hello\n" WRITE "\nworld\n", WROTE "\n" },
	/* carriage returns; zeros in front of numbers are not QEMU's, so the text is kept */
	{ __LINE__, "vfio_region_write  (0000:05:00.0:region0+0xa404, 0xdeadbeef, 4)\r\n" WRITE,
	  "style '%r'\n" WROTE "\nstyle ''\n" WROTE "\n" },
	{ __LINE__, "vfio_region_write  (a:region0+0x04, 0x1, 4)\n",
	  "W 0:0+4/4=1 'vfio_region_write  (a:region0+0x04, 0x1, 4)'\n" },
	/* torn at the end: what could have had more digits has no value */
	{ __LINE__, "vfio_region_read  (0000:05:00.0:region0+0xa404, 4) = 0xdea",
	  "R 0:0+a404/4\n" },
	{ __LINE__, "vfio_region_read  (0000:05:00.0:region0+0xa404, 4) = 0xdeadbeef",
	  "R 0:0+a404/4=deadbeef\n" },
	{ __LINE__, WRITE "vfio_region_write  (0000:05:00.0:region0+0xa4", WROTE "\n" },
	/* nor is a torn read of the configuration space a value, or the 0 of its "0x" one */
	{ __LINE__, WRITE "vfio_pci_read_config  (0000:05:00.0, @0x0, len=0x4) 0x10de123",
	  WROTE "\n" },
	{ __LINE__, WRITE "vfio_pci_read_config  (0000:05:00.0, @0x0, len=0x4) 0", WROTE "\n" },
	/* numbers that no register has, widths that do not exist, letters that are no digits */
	{ __LINE__, WRITE "vfio_region_write  (0000:05:00.0:region0+0x11111111111111111, 0x1, 4)\n",
	  WROTE "\n" },
	{ __LINE__, WRITE "vfio_region_write  (0000:05:00.0:region0+0x1, 0x1, 3)\n", WROTE "\n" },
	{ __LINE__, WRITE WRITE "vfio_region_write  (0000:05:00.0:region0+0xa40g, 0x1, 4)\n",
	  WROTE "\n" WROTE "\n" },
	{ __LINE__, WRITE "vfio_region_write  (0000:05:00.0:region256+0x1, 0x1, 4)\n", WROTE "\n" },
	/* white space as editors leave it; where blanks are more or less the text is kept */
	{ __LINE__,
	  "vfio_region_write(a:region0+0x4, 0x1, 4)\nvfio_region_write \t (a:region0+0x4, 0x1, "
	  "4)\n",
	  "W 0:0+4/4=1 'vfio_region_write(a:region0+0x4, 0x1, 4)'\n"
	  "W 0:0+4/4=1 'vfio_region_write \t (a:region0+0x4, 0x1, 4)'\n" },
	{ __LINE__,
	  "vfio_region_read  (a:region0+0x4, 4) = 0x1  \nvfio_region_read  ( a :region0 + 0x4,4 "
	  ")=0x1\t\r\n",
	  "R 0:0+4/4=1\nstyle '%r'\nR 0:0+4/4=1\n" },
	{ __LINE__,
	  "vfio_pci_write_config(a,@0x4,0x7,\tlen=0x2)\nvfio_pci_read_config  (a, @0x4, len=0x2)  "
	  "0x7\n",
	  "config-W 0:7+4/2=7\nconfig-R 0:7+4/2=7\n" },
	{ __LINE__, "vfio: vfio_bar_write (a:BAR2+0x74, 0x1f000, 4) \n",
	  "style 'vfio: '\nW 0:2+74/4=1f000\n", "before 2.3" },
	{ __LINE__, "\t 12347@1424299207.289770: \t" WRITE,
	  "style '\t %t@%s.%u: \t'\n" WROTE " @1424299207.289770000 #12347\n",
	  "process or thread" },
	/* colours, the mark of UTF-8, a title of the terminal */
	{ __LINE__,
	  "\xef\xbb\xbf\x1b[33m7@1.000002:\x1b[0m\x1b[1;31m\x1b[Kvfio_region\x1b[m\x1b[K_write  "
	  "(a:region0+0x4, 0x1, 4)\x1b[0m\n\x1b]0;t\a\x1b(B7@1.000003:vfio_vga_write  (0x3d4, "
	  "0x11, 1)\n",
	  "style '%t@%s.%u:'\nW 0:0+4/4=1 @1.000002000 #7\n"
	  "W -1:8+3d4/1=11 @1.000003000 #7 'vfio_vga_write  (0x3d4, 0x11, 1)'\n",
	  "process or thread" },
	/* names that are no events: an option of QEMU's, its message about an access */
	{ __LINE__,
	  WRITE "qemu -trace vfio_region_write -D log\n"
		"qemu: vfio_region_write(a:region0+0x4, 0x1,4) failed: Bad address\n",
	  WROTE "\n" },
	/* times of other programs are letters of the style */
	{ __LINE__, "[    0.123456] " WRITE "[12345.678] q[7]: " WRITE,
	  "style '[    0.123456] '\n" WROTE " @0.123456000\n"
	  "style '[12345.678] q[%t]: '\n" WROTE " @12345.678000000 #7\n",
	  "dmesg" },
	{ __LINE__,
	  "2024-01-02T03:04:05.678+02:00 " WRITE "2024-01-02T03:04:05,678901-0330 " WRITE
	  "2024-01-02T03:04:05.5Z " WRITE "2024-01-02 03:04:05.678+0000: " WRITE,
	  "style '2024-01-02T03:04:05.678+02:00 '\n" WROTE " @1704157445.678000000\n"
	  "style '2024-01-02T03:04:05,678901-0330 '\n" WROTE " @1704177245.678901000\n"
	  "style '2024-01-02T03:04:05.5Z '\n" WROTE " @1704164645.500000000\n"
	  "style '2024-01-02 03:04:05.678+0000: '\n" WROTE " @1704164645.678000000\n",
	  "ISO 8601" },
	{ __LINE__,
	  "2024-01-02T03:04:05+24:00 " WRITE "[1.] " WRITE "2024-01-02T03:04:05.1234567890Z " WRITE,
	  "style '2024-01-02T03:04:05+24:00 '\n" WROTE "\nstyle '[1.] '\n" WROTE
	  "\nstyle '2024-01-02T03:04:05.1234567890Z '\n" WROTE "\n",
	  "an unknown prefix" },
	{ __LINE__,
	  WRITE "99999999999@1.000000:vfio_region_write  (0000:05:00.0:region0+0x1, 0x1, 4)\n",
	  WROTE "\nstyle '99999999999@1.000000:'\nW 0:0+1/4=1\n" },
};

TEST(each_line_is_what_it_says)
{
	TT_FOR_EACH_ROW(r, line_rows) {
		const char *style = r->style ? r->style : "no prefix";
		struct ntime_trace_info info;
		char *got = tt_read(tt_ctx, r->text, strlen(r->text), NTIME_TRACE_VFIO, r->flags,
				    &info);

		if (r->records)
			TT_STR(r, got, r->records);
		TT_STR(r, strstr(info.style, style) ? style : info.style, style);
		free(got);
	}
}

static uint64_t seed;

static uint64_t below(uint64_t n)
{
	return tt_random(&seed) % n;
}

/* A line of some style; now and then with something wrong in it. */
static size_t any_line(char *p, size_t room, unsigned int style)
{
	static const char *const names[] = {
		"0000:05:00.0",	      "0000:05:00.1",	   "a",
		"VFIO user /tmp/x y", "fff51000.ethernet", "4b1d2a52-0b3c-4c8e-9d63-3b8a3ac0f001"
	};
	static const char *const fronts[] = {
		"",
		"%u@%u.%06u:",
		"2025-07-21T18:43:%02u.%06uZ ",
		"%u@%u%09u ",
		" qemu-%u [001] .....  %u.%06u: tracing_mark_write: ",
		"q: (%u:main): ",
		" qemu-%u [001]  %u.%09u: print:  tracing_mark_write: ",
	};
	const char *name = names[below(6)];
	uint64_t value = tt_random(&seed) >> below(64), offset = tt_random(&seed) >> below(64);
	unsigned int thread = 100 + (unsigned int)below(3), s = 14242992 + (unsigned int)below(2);
	unsigned int us = (unsigned int)below(1000000), width = 1u << below(4);
	size_t n = 0;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (style == 2)
		n = (size_t)snprintf(p, room, fronts[style], s % 60, below(8) ? us : 0);
	else if (style)
		n = (size_t)snprintf(p, room, fronts[style], thread, s, us);
#pragma GCC diagnostic pop
	if (below(2))
		n += (size_t)snprintf(p + n, room - n,
				      "vfio_region_write  (%s:region%u+0x%" PRIx64 ", 0x%" PRIx64
				      ", %u)\n",
				      name, (unsigned int)below(12), offset, value, width);
	else
		n += (size_t)snprintf(p + n, room - n,
				      "vfio_region_read  (%s:region%u+0x%" PRIx64
				      ", %u) = 0x%" PRIx64 "\n",
				      name, (unsigned int)below(12), offset, width, value);
	if (below(20) == 0)
		p[below(n)] =
			below(4) ? "0123456789abcdefg`:,.() x\n@"[below(27)] : (char)below(256);
	return n;
}

/*
 * Records of a text by the front end, a call for all of it or one for each line with a state that
 * knows nothing.
 */
static char *parse(const char *text, size_t n, bool by_line, struct nti_trace_batch *counts)
{
	void *state = calloc(1, nti_trace_vfio.state_bytes);
	struct nti_trace_piece piece = { .gives_others = true };
	struct nti_trace_devices *devices;
	const char *p = text, *newline;
	struct nti_trace_batch b;
	char *out = NULL;
	size_t i, bytes;
	FILE *file = open_memstream(&out, &bytes);

	TT_IS(nti_trace_devices_new(&devices), 0);
	memset(counts, 0, sizeof(*counts));
	while (p < text + n) {
		newline = memchr(p, '\n', (size_t)(text + n - p));
		piece.bytes = p;
		piece.n = by_line ? (size_t)(newline + 1 - p) : n;
		p += piece.n;
		TT_IS(nti_trace_batch_init(&b, 16), 0);
		TT_IS(nti_trace_vfio.parse(state, &piece, devices, &b), (long long)piece.n);
		for (i = 0; i < b.n; i++)
			if (b.rec[i].kind != NTIME_RECORD_STYLE)
				tt_put_record(file, &b.rec[i], b.text);
		counts->lines += b.lines;
		counts->accesses += b.accesses;
		counts->others += b.others;
		counts->torn += b.torn;
		nti_trace_batch_fini(&b);
		if (by_line)
			memset(state, 0, nti_trace_vfio.state_bytes);
	}
	(void)fclose(file);
	nti_trace_devices_free(devices);
	free(state);
	return out;
}

TEST(a_guess_changes_nothing)
{
	const size_t lines = 2000, room = 256;
	char *text = calloc(lines + 1, room), *all, *each;
	struct nti_trace_batch a, b;
	unsigned int style, round;
	size_t n, i;

	seed = tt_seed();
	for (round = 0; round < 21; round++) {
		style = round % 7;
		for (n = 0, i = 0; i < lines; i++)
			n += any_line(text + n, room, round < 7 ? style : (unsigned int)below(7));
		text[n - 1] = '\n';
		memset(text + n, 0, 64);
		all = parse(text, n, false, &a);
		each = parse(text, n, true, &b);
		TT_TEXT(all, each);
		TT_IS(a.lines, b.lines);
		TT_IS(a.accesses, b.accesses);
		TT_IS(a.others, b.others);
		TT_IS(a.torn, b.torn);
		TT_IS(a.accesses > lines / 2, 1);
		free(all);
		free(each);
	}
	free(text);
}

struct warned {
	char text[4096];
};

static int warn(void *arg, const char *sentence, const char *remedy, uint64_t count)
{
	struct warned *w = arg;
	size_t n = strlen(w->text);

	(void)snprintf(w->text + n, sizeof(w->text) - n, "%" PRIu64 " %s; %s\n", count, sentence,
		       remedy);
	return 0;
}

TEST(what_is_missing_is_told)
{
	static const char text[] =
		"5@2.000000:vfio_region_mmap Region 0000:05:00.0 BAR 1 mmaps[0] [0x0 - 0xfffffff]\n"
		"5@1.000000:vfio_ioeventfd_init 0000:05:00.0+0x88068[1]:0xff vfio:0\n"
		"5@1.000001:vfio_region_write  (0000:05:00.0:region0+0x88068, 0xff, 1)\n"
		"5@1.000002:vfio_region_write  (0000:05:00.0:region0+0x1, broken)\n"
		"somebody else\n"
		"5@1.000003:vfio_region_read  (0000:05:00.0:region0+0x0, 4) = 0x1";
	struct ntime_trace_options o = { .size = sizeof(o) };
	char *path = tt_file(text, sizeof(text) - 1), *records;
	struct warned w = { "" };
	struct ntime_trace *t;
	int ret;

	TT_IS(ntime_trace_open(tt_ctx, path, &o, &t), 0);
	records = tt_records(t, &ret);
	TT_IS(ret, 0);
	TT_IS(ntime_trace_warnings(t, warn, &w), 7);
	TT_IS(strstr(w.text, "is incomplete") == NULL, 1);
	TT_HAS(w.text, "x-no-mmap=on");
	TT_HAS(w.text, "x-no-vfio-ioeventfd=on");
	TT_HAS(w.text, "x-no-geforce-quirks=on");
	TT_HAS(w.text, "1 lines that begin as an event");
	TT_HAS(w.text, "1 reads whose value");
	TT_HAS(w.text, "1 times that lie before");
	TT_HAS(w.text, "1 lines of other origin");
	ntime_trace_close(t);
	free(records);
	tt_drop(path);
}

TEST(devices_are_learnt)
{
	static const char text[] =
		"vfio_pci_read_config  (0000:05:00.0, @0x0, len=0x2) 0x10de\n"
		"vfio_pci_read_config  (0000:05:00.0, @0x2, len=0x2) 0x640\n"
		"vfio_pci_write_config  (0000:05:00.0, @0x10, 0xffffffff, len=0x4)\n"
		"vfio_pci_read_config  (0000:05:00.0, @0x10, len=0x4) 0xff000000\n"
		"vfio_pci_write_config  (0000:05:00.0, @0x10, 0xfd000000, len=0x4)\n"
		/* a 64-bit BAR, prefetchable, of 256 MiB, put above 4 GiB */
		"vfio_pci_read_config  (0000:05:00.0, @0x14, len=0x4) 0xc\n"
		"vfio_pci_write_config  (0000:05:00.0, @0x14, 0xffffffff, len=0x4)\n"
		"vfio_pci_write_config  (0000:05:00.0, @0x18, 0xffffffff, len=0x4)\n"
		"vfio_pci_read_config  (0000:05:00.0, @0x14, len=0x4) 0xf000000c\n"
		"vfio_pci_read_config  (0000:05:00.0, @0x18, len=0x4) 0xffffffff\n"
		"vfio_pci_write_config  (0000:05:00.0, @0x14, 0xe000000c, len=0x4)\n"
		"vfio_pci_write_config  (0000:05:00.0, @0x18, 0x18, len=0x4)\n"
		"vfio_region_setup Device 0000:05:00.0, region 3 \"x\", flags: 0x7, offset: "
		"0x30000000000, size: 0x2000000\n"
		"vfio_region_read  (fff51000.ethernet:region0+0x0, 4) = 0x1\n";
	struct ntime_trace_options o = { .size = sizeof(o) };
	struct ntime_trace_device d = { .size = sizeof(d) };
	char *path = tt_file(text, sizeof(text) - 1);
	struct ntime_trace *t;
	int ret;

	TT_IS(ntime_trace_open(tt_ctx, path, &o, &t), 0);
	free(tt_records(t, &ret));
	TT_IS(ntime_trace_devices(t), 2);
	TT_IS(ntime_trace_get_device(t, 0, &d), 0);
	TT_TEXT(d.name, "0000:05:00.0");
	TT_IS(d.is_pci, 1);
	TT_IS(d.bus_devfn, 0x500);
	TT_IS(d.vendor_device, 0x10de0640);
	TT_IS(d.bar[0], 0xfd000000);
	TT_IS(d.bar_bytes[0], 0x1000000);
	TT_IS(d.bar[1], 0x18e000000cLL);
	TT_IS(d.bar_bytes[1], 0x10000000);
	TT_IS(d.bar_bytes[3], 0x2000000);
	TT_IS(d.bars, 3);
	TT_IS(ntime_trace_get_device(t, 1, &d), 0);
	TT_IS(d.is_pci, 0);
	TT_IS(ntime_trace_get_device(t, 2, &d), -ERANGE);
	ntime_trace_close(t);
	tt_drop(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_what_it_says),
		cmocka_unit_test(a_guess_changes_nothing),
		cmocka_unit_test(what_is_missing_is_told),
		cmocka_unit_test(devices_are_learnt),
	};

	return cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;
}
