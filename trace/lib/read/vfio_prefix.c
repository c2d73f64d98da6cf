// SPDX-License-Identifier: MIT
/*
 * Prefixes of trace events.
 *
 * QEMU, trace/simpletrace and scripts/tracetool/backend: log.py writes "PID@SEC.USEC:" up to 10.0
 * (from 6.0 on only with -msg timestamp=on), then the ISO time of g_date_time_format_iso8601(),
 * which leaves out a fraction of 0; ftrace.py writes into trace_marker; syslog.py calls syslog(3);
 * scripts/tracetool/format/log_stap.py has "PID@NANOSECONDS ". What is none of these is kept as it
 * stands and means nothing.
 */
#include <stdio.h>
#include <string.h>

#include <ntime/trace/trace.h>

#include "base/common/compiler.h"
#include "trace/lib/base/scan.h"
#include "trace/lib/read/vfio_prefix.h"

#define NS_PER_S 1000000000ull
#define NS_PER_US 1000ull
/* Seconds that fit in nanoseconds of 64 bits. */
#define MOST_SECONDS (UINT64_MAX / NS_PER_S - 1)

/* The style in the making. @thread: where a thread stands, if that is known beforehand. */
struct style {
	char *p;
	size_t n;
	const char *thread;
};

static void put_text(struct style *s, const char *text, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (text[i] == '%')
			s->p[s->n++] = '%';
		s->p[s->n++] = text[i];
	}
	s->p[s->n] = '\0';
}

static void put_field(struct style *s, const char *field)
{
	size_t n = strlen(field);

	memcpy(s->p + s->n, field, n + 1);
	s->n += n;
}

/* "SEC.USEC", or "SEC.NSEC" with nine digits, which trace-cmd report -t prints */
static bool scan_seconds(struct nti_scan *s, const char *start, struct nti_prefix *out)
{
	const char *digits = s->p;
	uint64_t seconds, fraction;

	if (!nti_scan_decimal(s, &seconds) || seconds > MOST_SECONDS || !nti_scan_text(s, "."))
		return false;
	for (out->zeros = 0; digits[0] == '0' && nti_scan_is_digit(digits[1]); digits++)
		out->zeros++;
	digits = s->p;
	if (!nti_scan_decimal(s, &fraction) || (s->p - digits != 6 && s->p - digits != 9))
		return false;
	out->fraction_at = (uint32_t)(digits - start);
	out->fraction_bytes = (uint32_t)(s->p - digits);
	out->fraction_ns = out->fraction_bytes == 6 ? fraction * NS_PER_US : fraction;
	out->time_ns = seconds * NS_PER_S + out->fraction_ns;
	out->flags |= NTIME_RECORD_TIMED;
	return true;
}

static bool scan_thread(struct nti_scan *s, const char *start, struct nti_prefix *out)
{
	const char *digits = s->p;
	uint64_t thread;

	if (!nti_scan_decimal(s, &thread) || thread > UINT32_MAX ||
	    (*digits == '0' && s->p - digits > 1))
		return false;
	out->thread = (uint32_t)thread;
	out->thread_at = (uint32_t)(digits - start);
	out->flags |= NTIME_RECORD_THREADED;
	return true;
}

/* As scan_seconds() found it. */
static void put_stamp(struct style *style, const struct nti_prefix *prefix)
{
	uint32_t i;

	for (i = 0; i < prefix->zeros; i++)
		put_text(style, "0", 1);
	put_field(style, prefix->fraction_bytes == 9 ? "%s.%f" : "%s.%u");
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "PID@SEC.USEC:", with blanks behind it, and the number of bytes it has. */
static bool parse_classic(const char *p, size_t n, struct nti_prefix *out, size_t *used)
{
	struct nti_scan s = { p, p + n, false };
	struct style style = { out->style, 0, NULL };

	if (!scan_thread(&s, p, out) || !nti_scan_text(&s, "@") || !scan_seconds(&s, p, out) ||
	    out->fraction_bytes != 6 || !nti_scan_text(&s, ":"))
		return false;
	put_field(&style, "%t@");
	put_stamp(&style, out);
	put_field(&style, ":");
	for (; s.p < s.end && is_blank(*s.p); s.p++)
		put_text(&style, s.p, 1);
	*used = (size_t)(s.p - p);
	return true;
}

size_t nti_prefix_classic(const char *p, size_t n)
{
	struct nti_prefix prefix = { "" };
	size_t used;

	return parse_classic(p, n < NTI_PREFIX_BYTES ? n : NTI_PREFIX_BYTES, &prefix, &used) ? used
											     : 0;
}

/* "PID@NANOSECONDS " */
static bool parse_stap(const char *p, size_t n, struct nti_prefix *out)
{
	struct nti_scan s = { p, p + n, false };
	const char *digits;
	uint64_t ns;

	if (!scan_thread(&s, p, out) || !nti_scan_text(&s, "@"))
		return false;
	digits = s.p;
	if (!nti_scan_decimal(&s, &ns) || s.is_odd)
		return false;
	if (s.p - digits > 9) {
		out->fraction_at = (uint32_t)(s.p - 9 - p);
		out->fraction_bytes = 9;
		out->fraction_ns = ns % NS_PER_S;
	}
	out->time_ns = ns;
	out->flags |= NTIME_RECORD_TIMED;
	strcpy(out->style, "%t@%n ");
	return nti_scan_text(&s, " ") && nti_scan_ended(&s);
}

/* Days from 1 March of year 0 to a day, in the calendar of today carried back. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	int64_t y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;

	return y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1;
}

static bool scan_field(struct nti_scan *s, int digits, uint64_t *out)
{
	int i;

	*out = 0;
	for (i = 0; i < digits; i++, s->p++) {
		if (s->p >= s->end || !nti_scan_is_digit(*s->p))
			return false;
		*out = *out * 10 + (uint64_t)(*s->p - '0');
	}
	return true;
}

/* "hh:mm:ss" */
static bool scan_clock(struct nti_scan *s, uint64_t *out)
{
	uint64_t h, m, sec;

	if (!scan_field(s, 2, &h) || !nti_scan_text(s, ":") || !scan_field(s, 2, &m) ||
	    !nti_scan_text(s, ":") || !scan_field(s, 2, &sec))
		return false;
	*out = h * 3600 + m * 60 + sec;
	return h < 24 && m < 60 && sec < 61;
}

/* Digits of a fraction, up to nine, in nanoseconds; how many there are. */
static bool scan_fraction(struct nti_scan *s, uint64_t *ns, uint32_t *digits)
{
	uint32_t i;

	for (*digits = 0, *ns = 0; s->p < s->end && nti_scan_is_digit(*s->p); s->p++, ++*digits)
		*ns = *digits < 9 ? *ns * 10 + (uint64_t)(*s->p - '0') : 0;
	for (i = *digits; i < 9; i++)
		*ns *= 10;
	return *digits && *digits <= 9;
}

/* "Z", or how far the clock is before UTC: "+02:00", "-0330", "+02". */
static bool scan_zone(struct nti_scan *s, int64_t *east)
{
	const bool is_west = s->p < s->end && *s->p == '-';
	uint64_t h, m = 0;

	*east = 0;
	if (nti_scan_text(s, "Z"))
		return true;
	if (!(nti_scan_text(s, "+") || nti_scan_text(s, "-")) || !scan_field(s, 2, &h))
		return false;
	if ((nti_scan_text(s, ":") || (s->p < s->end && nti_scan_is_digit(*s->p))) &&
	    !scan_field(s, 2, &m))
		return false;
	*east = (int64_t)(h * 3600 + m * 60) * (is_west ? -1 : 1);
	return h < 24 && m < 60;
}

/*
 * "2025-07-21T18:43:28.089797Z". GLib writes a fraction only where it is not 0, of six digits, and
 * UTC: what is otherwise comes from another program (libvirt, journalctl, dmesg), and *@is_odd is
 * set.
 */
static bool scan_iso(struct nti_scan *s, const char *start, struct nti_prefix *out, bool *is_odd)
{
	uint64_t year, month, day, seconds, ns = 0;
	int64_t east;

	if (!scan_field(s, 4, &year) || !nti_scan_text(s, "-") || !scan_field(s, 2, &month) ||
	    !nti_scan_text(s, "-") || !scan_field(s, 2, &day))
		return false;
	*is_odd = !nti_scan_text(s, "T");
	if ((*is_odd && !nti_scan_text(s, " ")) || !scan_clock(s, &seconds))
		return false;
	if (year < 1970 || year > 2500 || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	out->fraction_bytes = 0;
	*is_odd |= s->p < s->end && *s->p == ',';
	if (nti_scan_text(s, ".") || nti_scan_text(s, ",")) {
		out->fraction_at = (uint32_t)(s->p - start);
		if (!scan_fraction(s, &ns, &out->fraction_bytes))
			return false;
		*is_odd |= out->fraction_bytes != 6 || !ns;
	}
	*is_odd |= s->p < s->end && *s->p != 'Z';
	if (!scan_zone(s, &east))
		return false;
	seconds += (uint64_t)(days_of((int64_t)year, (int64_t)month, (int64_t)day) -
			      days_of(1970, 1, 1)) *
		   86400;
	if (east > (int64_t)seconds)
		return false;
	/* One that is written elsewhere says nothing of other lines. */
	if (*is_odd)
		out->fraction_at = out->fraction_bytes = 0;
	out->fraction_ns = ns;
	out->time_ns = (seconds - (uint64_t)east) * NS_PER_S + ns;
	out->flags |= NTIME_RECORD_TIMED;
	return true;
}

/* "[    0.123456] ", as the kernel's log and journalctl -o short-monotonic have it. */
static bool scan_dmesg(struct nti_scan *s, struct nti_prefix *out)
{
	uint64_t seconds, ns;
	uint32_t digits;

	if (!nti_scan_text(s, "["))
		return false;
	while (nti_scan_text(s, " "))
		;
	if (!nti_scan_decimal(s, &seconds) || seconds > MOST_SECONDS || !nti_scan_text(s, ".") ||
	    !scan_fraction(s, &ns, &digits) || !nti_scan_text(s, "]"))
		return false;
	out->time_ns = seconds * NS_PER_S + ns;
	out->flags |= NTIME_RECORD_TIMED;
	return true;
}

/* "[hh:mm:ss.nnnnnnnnn] (+0.000001234) HOST qemu:", as babeltrace prints what LTTng recorded. */
static bool parse_lttng(const char *p, size_t n, struct nti_prefix *out)
{
	struct nti_scan s = { p, p + n, false };
	uint64_t seconds, ns;

	if (!nti_scan_text(&s, "[") || !scan_clock(&s, &seconds) || !nti_scan_text(&s, ".") ||
	    !scan_field(&s, 9, &ns) || !nti_scan_text(&s, "] (+"))
		return false;
	out->time_ns = seconds * NS_PER_S + ns;
	out->flags |= NTIME_RECORD_TIMED;
	strcpy(out->style, NTI_STYLE_LTTNG);
	return p[n - 1] == ':' || p[n - 1] == ' ';
}

/* syslog's "Nov  1 12:36:37": the year is not there; time is from the start of a leap year. */
static bool scan_syslog(struct nti_scan *s, struct nti_prefix *out)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	uint64_t day, seconds;
	const char *month;
	char name[4] = "";

	if (s->end - s->p < 15)
		return false;
	memcpy(name, s->p, 3);
	month = strstr(months, name);
	if (!month || (month - months) % 3)
		return false;
	s->p += 3;
	if (!nti_scan_text(s, " "))
		return false;
	if (nti_scan_text(s, " ") ? !scan_field(s, 1, &day) : !scan_field(s, 2, &day))
		return false;
	if (day < 1 || day > 31 || !nti_scan_text(s, " ") || !scan_clock(s, &seconds) ||
	    !nti_scan_text(s, " "))
		return false;
	seconds += (uint64_t)(days_of(2000, (month - months) / 3 + 1, (int64_t)day) -
			      days_of(2000, 1, 1)) *
		   86400;
	out->time_ns = seconds * NS_PER_S;
	out->flags |= NTIME_RECORD_TIMED;
	return true;
}

/* @text, in which a blank stands for one and more: trace-cmd and ftrace fill their columns up. */
static bool scan_columns(struct nti_scan *s, const char *text)
{
	for (; *text; text++) {
		if (s->p >= s->end || *s->p != *text)
			return false;
		for (s->p++; *text == ' ' && s->p < s->end && *s->p == ' ';)
			s->p++;
	}
	return true;
}

/* What @scan takes, in front of @behind, which ends the prefix if @is_end. */
static bool scan_before(struct nti_scan *s, const char *start,
			bool (*scan)(struct nti_scan *s, const char *start, struct nti_prefix *out),
			const char *behind, bool is_end, struct nti_prefix *out)
{
	struct nti_scan try = *s;
	struct nti_prefix copy = *out;
	const char *end;

	if (!scan(&try, start, &copy))
		return false;
	end = try.p;
	if (!scan_columns(&try, behind) || (is_end && !nti_scan_ended(&try)))
		return false;
	s->p = end;
	*out = copy;
	return true;
}

/* A thread between @before, where we stand, and @behind. */
static bool scan_between(struct nti_scan *s, const char *start, const char *before,
			 const char *behind, struct nti_prefix *out)
{
	struct nti_scan try = *s;

	if (out->flags & NTIME_RECORD_THREADED || !nti_scan_text(&try, before) ||
	    !scan_before(&try, start, scan_thread, behind, false, out))
		return false;
	*s = try;
	return true;
}

/*
 * Behind ftrace's thread: "  [003]", with the option record-tgid "  ( 4700) [003]" or "  (-------)
 *                                                                   [003]".
 */
static bool is_before_cpu(const char *p, const char *end)
{
	struct nti_scan s = { p, end, false };
	uint64_t cpu;

	if (!scan_columns(&s, " "))
		return false;
	if (nti_scan_text(&s, "(")) {
		while (s.p < end && (*s.p == ' ' || *s.p == '-' || nti_scan_is_digit(*s.p)))
			s.p++;
		if (!scan_columns(&s, ") "))
			return false;
	}
	return nti_scan_text(&s, "[") && nti_scan_decimal(&s, &cpu) && nti_scan_text(&s, "]");
}

/*
 * The thread of ftrace's "COMM-TID [CPU]", NULL: it has none. A thread's name may hold whatever
 * stands around its number (Linux, kernel/trace/trace_output.c, trace_print_context()), so the last
 * number that may be it is.
 */
static const char *find_ftrace_thread(const char *p, size_t n)
{
	static const char marker[] = "tracing_mark_write:";
	const char *end = p + n, *digits, *at;

	while (end > p && end[-1] == ' ')
		end--;
	if ((size_t)(end - p) < sizeof(marker) ||
	    memcmp(end - (sizeof(marker) - 1), marker, sizeof(marker) - 1) != 0)
		return NULL;
	for (at = end - 1; at > p; at--) {
		if (*at != '-' || !nti_scan_is_digit(at[1]))
			continue;
		for (digits = at + 1; digits < end && nti_scan_is_digit(*digits); digits++)
			;
		if (is_before_cpu(digits, end))
			return at + 1;
	}
	return NULL;
}

/* The next field, or a letter that means nothing. */
static void walk(struct nti_scan *s, const char *start, struct nti_prefix *out, struct style *style)
{
	/*
	 * QEMU after 10.2: "PROG: (TID:THREAD): "; what is like ftrace: "COMM-TID [CPU]"; syslog:
	 * "PROG[PID]: "
	 */
	static const char *const around[][2] = { { " (", ":" }, { "-", " [" }, { "[", "]: " } };
	size_t i;

	if (style->thread && s->p == style->thread &&
	    scan_before(s, start, scan_thread, "", false, out)) {
		put_field(style, "%t");
		return;
	}
	for (i = 0; !style->thread && i < NTI_ARRAY_SIZE(around); i++) {
		if (!scan_between(s, start, around[i][0], around[i][1], out))
			continue;
		put_text(style, around[i][0], strlen(around[i][0]));
		put_field(style, "%t");
		return;
	}
	/* Read from the file, and by trace-cmd. */
	if ((s->p == start || s->p[-1] == ' ') &&
	    (scan_before(s, start, scan_seconds, ": tracing_mark_write: ", true, out) ||
	     scan_before(s, start, scan_seconds, ": print: tracing_mark_write: ", true, out))) {
		put_stamp(style, out);
		return;
	}
	put_text(style, s->p, 1);
	s->p++;
}

static bool parse_any(const char *p, size_t n, struct nti_prefix *out)
{
	struct style style = { out->style, 0, find_ftrace_thread(p, n) };
	struct nti_scan s = { p, p + n, false }, first = s;
	bool is_odd = false;

	out->style[0] = '\0';
	if (scan_iso(&s, p, out, &is_odd)) {
		if (is_odd)
			put_text(&style, p, (size_t)(s.p - p));
		else
			put_field(&style, "%i");
	} else if (memset(out, 0, sizeof(*out)), s = first,
		   scan_syslog(&s, out) || (s = first, scan_dmesg(&s, out))) {
		put_text(&style, p, (size_t)(s.p - p));
	} else {
		memset(out, 0, sizeof(*out));
		s = first;
		/* mmiotrace's, when that is the current tracer of the host. */
		if (nti_scan_text(&s, "MARK ") &&
		    scan_before(&s, p, scan_seconds, " ", false, out)) {
			put_field(&style, "MARK ");
			put_stamp(&style, out);
		} else {
			memset(out, 0, sizeof(*out));
			s = first;
		}
	}
	while (s.p < s.end)
		walk(&s, p, out, &style);
	return n == 0 || is_blank(p[n - 1]) || p[n - 1] == ':';
}

/* A prefix that begins with a letter. */
static bool parse_prefix(const char *p, size_t n, struct nti_prefix *out)
{
	size_t used;

	if (parse_classic(p, n, out, &used) && used == n)
		return true;
	memset(out, 0, sizeof(*out));
	if (parse_stap(p, n, out))
		return true;
	memset(out, 0, sizeof(*out));
	if (parse_lttng(p, n, out))
		return true;
	memset(out, 0, sizeof(*out));
	return parse_any(p, n, out);
}

bool nti_prefix_parse(const char *p, size_t n, struct nti_prefix *out)
{
	uint32_t blanks = 0;

	memset(out, 0, sizeof(*out));
	if (n > NTI_PREFIX_BYTES || memchr(p, '\0', n))
		return false;
	while (blanks < n && is_blank(p[blanks]))
		blanks++;
	if (blanks < n && !parse_prefix(p + blanks, n - blanks, out))
		return false;
	if (!blanks || nti_style_is_lttng(out->style))
		return true;
	memmove(out->style + blanks, out->style, strlen(out->style) + 1);
	memcpy(out->style, p, blanks);
	out->fraction_at += out->fraction_bytes ? blanks : 0;
	out->thread_at += out->flags & NTIME_RECORD_THREADED ? blanks : 0;
	return true;
}

static const struct style_row {
	const char *part;
	uint32_t clock;
	const char *name;
} style_rows[] = {
	{ "tracing_mark_write: ", NTIME_CLOCK_BOOT, "ftrace's marker" },
	{ "MARK %s", NTIME_CLOCK_BOOT, "a mark of mmiotrace" },
	{ "MARK 0", NTIME_CLOCK_BOOT, "a mark of mmiotrace" },
	{ "%t@%n ", NTIME_CLOCK_WALL, "process @ nanoseconds (SystemTap)" },
	/* Zeros may stand in front of the seconds. */
	{ "%t@", NTIME_CLOCK_WALL,
	  "process or thread @ seconds (QEMU 2.3 to 5.2; to 10.0 with -msg timestamp=on)" },
	{ NTI_STYLE_LTTNG, NTIME_CLOCK_OTHER, "LTTng, as babeltrace prints it" },
	{ "(%t:", NTIME_CLOCK_WALL, "program, thread and its name (QEMU after 10.2)" },
	{ "%i ", NTIME_CLOCK_WALL, "ISO 8601 (QEMU 10.1 and later, with -msg timestamp=on)" },
	{ "[%t]: ", NTIME_CLOCK_OTHER, "syslog" },
	{ "vfio: ", NTIME_CLOCK_NONE, "QEMU before 2.3, built with DEBUG_VFIO" },
};

static const struct style_row *find_row(const char *style)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(style_rows); i++) {
		if (strstr(style, style_rows[i].part))
			return &style_rows[i];
	}
	return NULL;
}

bool nti_style_is_lttng(const char *style)
{
	return !strncmp(style, NTI_STYLE_LTTNG, sizeof(NTI_STYLE_LTTNG) - 1);
}

/* The style of a time that no field of a style can write is that time. */
static const struct style_row *find_stamp(const char *style)
{
	static const struct style_row iso = { "", NTIME_CLOCK_WALL, "ISO 8601" },
				      dmesg = { "", NTIME_CLOCK_BOOT,
						"seconds of the kernel's log (dmesg)" };
	struct nti_scan s = { style + strspn(style, " \t"), style + strlen(style), false }, t = s;
	struct nti_prefix out = { "" };
	bool is_odd;

	if (scan_iso(&s, style, &out, &is_odd))
		return &iso;
	return scan_dmesg(&t, &out) ? &dmesg : find_row(style);
}

const char *nti_style_name(const char *style)
{
	const struct style_row *row = find_stamp(style);

	if (!*style || !strcmp(style, NTI_STYLE_CR))
		return "no prefix (QEMU 6.0 and later)";
	return row ? row->name : "an unknown prefix";
}

uint32_t nti_style_clock(const char *style)
{
	const struct style_row *row = find_stamp(style);

	return row ? row->clock : NTIME_CLOCK_NONE;
}
