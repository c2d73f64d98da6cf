// SPDX-License-Identifier: MIT
/*
 * Make a log of VFIO events as a machine with several cards would: generate [-s STYLE] [-b BYTES]
 * [-r SEED] [-c LINES] > vfio.log
 *
 * Four devices with two regions each, runs of one register among accesses all over the place, all
 * sizes, half of it reads, values of any length; one event in 70 is no access; threads take turns.
 * The same seed gives the same accesses in every style. With -c a counter of NVIDIA's chips is set
 * up and read once in so many lines, with registers beside it that may be its multiplexers.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)1 << 20)
#define LINE_BYTES 512
#define FIRST_NS 1424299207289770000ull

static uint64_t seed = 0x9e3779b97f4a7c15ull;

/* xorshift64* */
static uint64_t any(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return seed * 0x2545f4914f6cdd1dull;
}

static uint64_t below(uint64_t n)
{
	return (any() >> 32) * n >> 32;
}

/* Where an access goes. */
struct place {
	unsigned int device, region, width;
	uint64_t offset;
};

/* What stands in front of events. */
struct style {
	const char *name;
	int (*prefix)(char *p, uint64_t ns, unsigned int thread);
};

/* Digits of a number, @least of them at least. */
static char *put_decimal(char *p, uint64_t v, int least)
{
	char digits[24];
	int n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n < least)
		digits[n++] = '0';
	while (n)
		*p++ = digits[--n];
	return p;
}

static char *put_hex(char *p, uint64_t v)
{
	int shift = v ? (63 - __builtin_clzll(v)) & ~3 : 0;

	*p++ = '0';
	*p++ = 'x';
	for (; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[v >> shift & 15];
	return p;
}

static char *put(char *p, const char *text)
{
	return stpcpy(p, text);
}

static char *put_stamp(char *p, uint64_t ns)
{
	p = put_decimal(p, ns / 1000000000, 1);
	*p++ = '.';
	return put_decimal(p, ns / 1000 % 1000000, 6);
}

static int plain(char *p, uint64_t ns, unsigned int thread)
{
	(void)p;
	(void)ns;
	(void)thread;
	return 0;
}

static int classic(char *p, uint64_t ns, unsigned int thread)
{
	char *q = put_decimal(p, thread, 1);

	*q++ = '@';
	q = put_stamp(q, ns);
	*q++ = ':';
	return (int)(q - p);
}

static int iso(char *p, uint64_t ns, unsigned int thread)
{
	static time_t last;
	static char text[64];
	time_t now = (time_t)(ns / 1000000000);
	struct tm tm;
	char *q;

	(void)thread;
	if (now != last && gmtime_r(&now, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	last = now;
	q = put(p, text);
	if (ns / 1000 % 1000000) {
		*q++ = '.';
		q = put_decimal(q, ns / 1000 % 1000000, 6);
	}
	q = put(q, "Z ");
	return (int)(q - p);
}

static int stap(char *p, uint64_t ns, unsigned int thread)
{
	char *q = put_decimal(p, thread, 1);

	*q++ = '@';
	q = put_decimal(q, ns, 1);
	*q++ = ' ';
	return (int)(q - p);
}

static int program(char *p, uint64_t ns, unsigned int thread)
{
	char *q = p + iso(p, ns, thread);

	q = put(q, "[guest] qemu-system-x86_64: (");
	q = put_decimal(q, thread, 1);
	q = put(q, ":CPU 0/KVM): ");
	return (int)(q - p);
}

static int ftrace(char *p, uint64_t ns, unsigned int thread)
{
	char *q = put(p, " qemu-system-x86-");

	q = put_decimal(q, thread, 1);
	q = put(q, " [001] ..... ");
	q = put_stamp(q, ns - FIRST_NS + 1234567890123);
	q = put(q, ": tracing_mark_write: ");
	return (int)(q - p);
}

static int syslog_style(char *p, uint64_t ns, unsigned int thread)
{
	char *q = put(p, "Feb 18 22:40:07 host qemu-system-x86_64[");

	(void)ns;
	q = put_decimal(q, thread, 1);
	q = put(q, "]: ");
	return (int)(q - p);
}

static const struct style styles[] = {
	{ "classic", classic },	    { "plain", plain },	    { "iso", iso },
	{ "stap", stap },	    { "program", program }, { "ftrace", ftrace },
	{ "syslog", syslog_style },
};

static const char *const devices[] = { "0000:05:00.0", "0000:05:00.1", "0000:0a:00.0",
				       "0000:c1:00.0" };

/* A new place: mostly registers of 32 bits in BAR 0. */
static struct place any_place(void)
{
	static const unsigned int widths[] = { 4, 4, 4, 4, 8, 2, 1, 4 };
	struct place p = { (unsigned int)below(4), below(3) ? 0 : 1 + 2 * (unsigned int)below(2),
			   widths[below(8)], 0 };

	p.offset = below(1ull << (8 + below(17))) & ~(uint64_t)(p.width - 1);
	return p;
}

static uint64_t any_value(unsigned int width)
{
	uint64_t v = any() >> below(64);

	return width < 8 ? v & ((1ull << (8 * width)) - 1) : v;
}

static char *put_access(char *q, const struct place *p, bool is_read, uint64_t value)
{
	q = put(q, is_read ? "vfio_region_read  (" : "vfio_region_write  (");
	q = put(q, devices[p->device]);
	q = put(q, ":region");
	q = put_decimal(q, p->region, 1);
	*q++ = '+';
	q = put_hex(q, p->offset);
	q = put(q, ", ");
	if (!is_read) {
		q = put_hex(q, value);
		q = put(q, ", ");
	}
	q = put_decimal(q, p->width, 1);
	*q++ = ')';
	if (is_read) {
		q = put(q, " = ");
		q = put_hex(q, value);
	}
	return q;
}

static char *put_other(char *q, const struct place *p)
{
	const char *d = devices[p->device];

	switch (below(4)) {
	case 0:
		return q + sprintf(q, "vfio_pci_read_config  (%s, @0x%x, len=0x4) 0x%" PRIx64, d,
				   (unsigned int)below(64) * 4, any_value(4));
	case 1:
		return q + sprintf(q, "vfio_pci_write_config  (%s, @0x4, 0x%" PRIx64 ", len=0x2)",
				   d, any_value(2));
	case 2:
		return q + sprintf(q, "vfio_msi_interrupt  (%s) vector 0 0xfee01004/0x4021", d);
	default:
		return q + sprintf(q, "vfio_intx_interrupt  (%s) Pin A", d);
	}
}

/* Lines from one set-up of a counter to the next, 0: none; those of it that are not written yet. */
static uint64_t lines_a_set_up;
static struct set_up {
	struct place place;
	bool is_read;
	uint64_t value;
} set_up[16];
static unsigned int set_up_lines, set_up_done;

static void add_access(unsigned int device, bool is_read, uint64_t offset, uint64_t value)
{
	set_up[set_up_lines++] = (struct set_up){ { device, 0, 4, offset }, is_read, value };
}

/* PCOUNTER of G80 to GT218: mode, signals, function, registers of PGRAPH, trigger, counts. */
static void make_tesla(unsigned int device)
{
	uint64_t domain = 4 * (1 + below(3));

	add_access(device, false, 0xa7c0 + domain, 1);
	add_access(device, false, 0xa480 + domain, any_value(4));
	add_access(device, false, 0xa4a0 + domain, any_value(2));
	for (unsigned int i = 0; i < 4; i++)
		add_access(device, false, 0x406400 + 4 * below(0x2700), any_value(4));
	add_access(device, false, 0x400084, 0x20);
	add_access(device, true, 0xa680 + domain, any_value(4));
	add_access(device, true, 0xa600 + domain, any_value(4));
}

/* The same of a partition's domain of Fermi. */
static void make_fermi(unsigned int device)
{
	uint64_t domain = 0x1a0000 + 0x200 * below(128);

	add_access(device, false, domain + 0x9c, 0x4000a);
	add_access(device, false, domain + 0x50, any_value(4));
	add_access(device, false, domain + 0x54, any_value(2));
	for (unsigned int i = 0; i < 4; i++)
		add_access(device, false, 0x140000 + 4 * below(0x10000), any_value(4));
	add_access(device, true, domain + 0x80, any_value(4));
}

static void make_set_up(void)
{
	unsigned int device = (unsigned int)below(4);

	set_up_lines = set_up_done = 0;
	if (device < 2)
		make_tesla(device);
	else
		make_fermi(device);
}

static char *put_any(char *q, const struct place *p)
{
	bool is_read = below(100) < 49;

	return put_access(q, p, is_read, any_value(p->width));
}

static char *put_line(char *q, const struct style *style)
{
	static uint64_t lines;
	static struct place place;
	static uint64_t ns = FIRST_NS;
	static unsigned int thread = 12347;

	if (below(4) == 0)
		place = any_place();
	if (below(16) == 0)
		thread = 12347 + (unsigned int)below(4);
	ns += 1000 + below(20000);
	q += style->prefix(q, ns, thread);
	if (lines_a_set_up && lines++ % lines_a_set_up == 0)
		make_set_up();
	if (set_up_done < set_up_lines) {
		const struct set_up *s = &set_up[set_up_done++];

		q = put_access(q, &s->place, s->is_read, s->value);
	} else {
		q = below(70) ? put_any(q, &place) : put_other(q, &place);
	}
	*q++ = '\n';
	return q;
}

static const struct style *find_style(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		if (strcmp(styles[i].name, name) == 0)
			return &styles[i];
	}
	return NULL;
}

/* Write @bytes and the rest of a line. 0, 1 when it cannot be written. */
static int generate(const struct style *style, uint64_t bytes)
{
	char *buf = malloc(BUFFER_BYTES + LINE_BYTES), *q;
	uint64_t done = 0;
	int ret = 0;

	while (buf && !ret && done < bytes) {
		for (q = buf; q < buf + BUFFER_BYTES && done + (uint64_t)(q - buf) < bytes;)
			q = put_line(q, style);
		done += (uint64_t)(q - buf);
		ret = fwrite(buf, 1, (size_t)(q - buf), stdout) != (size_t)(q - buf);
	}
	free(buf);
	return !buf || ret || fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	const struct style *style = &styles[0];
	uint64_t bytes = 2000000000;
	int option;

	while ((option = getopt(argc, argv, "s:b:r:c:")) != -1) {
		if (option == 's')
			style = find_style(optarg);
		else if (option == 'b')
			bytes = strtoull(optarg, NULL, 0);
		else if (option == 'r')
			seed = strtoull(optarg, NULL, 0) | 1;
		else if (option == 'c')
			lines_a_set_up = strtoull(optarg, NULL, 0);
		else
			style = NULL;
		if (!style) {
			fprintf(stderr,
				"usage: generate [-s STYLE] [-b BYTES] [-r SEED] [-c LINES]\n");
			return 2;
		}
	}
	if (generate(style, bytes)) {
		perror("generate: standard output");
		return 1;
	}
	return 0;
}
