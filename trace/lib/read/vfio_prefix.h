/* SPDX-License-Identifier: MIT */
/*
 * What stands in front of a trace event of QEMU: times, threads, names, as each of its ways to log
 * puts them.
 */
#ifndef NTI_TRACE_VFIO_PREFIX_H
#define NTI_TRACE_VFIO_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest prefix that is looked at. */
#define NTI_PREFIX_BYTES 160
/* Its style: each byte may become two, and a NUL. */
#define NTI_STYLE_BYTES (2 * NTI_PREFIX_BYTES + 8)

/**
 * struct nti_prefix - a prefix understood
 * @style:	as in .text of NTIME_RECORD_STYLE (trace/lib/read/front.h)
 * @time_ns, @thread, @flags: for the record
 * @fraction_at, @fraction_bytes: where the digits of the fraction of the second are, 0 bytes:
 *	nowhere
 * @fraction_ns: what they are worth; @time_ns without them is the same for all lines that begin
 *	with the same bytes
 * @zeros:	in front of the seconds, which tracers do not write: letters of the style
 * @thread_at:	where the thread's digits begin, 0 also when there are none
 */
struct nti_prefix {
	char style[NTI_STYLE_BYTES];
	uint64_t time_ns;
	uint64_t fraction_ns;
	uint32_t thread;
	uint32_t flags;
	uint32_t fraction_at, fraction_bytes;
	uint32_t zeros;
	uint32_t thread_at;
};

/*
 * The style of LTTng's text, all of it: the prefix has the time since the line before, which is no
 * part of a style. The time is that of the day; who knows the lines before adds the days. Written,
 * such events look as QEMU's of 4.0 to 10.0.
 */
#define NTI_STYLE_LTTNG "lttng: "

bool nti_style_is_lttng(const char *style);

/* Behind a style: a carriage return stands in front of the newline of each event. */
#define NTI_STYLE_CR "%r"

/* Understand the @n bytes in front of an event. False: nothing of a tracer's. */
bool nti_prefix_parse(const char *p, size_t n, struct nti_prefix *out);

/* Length of "PID@SEC.USEC:" at the start of @p, 0: there is none that is looked at. */
size_t nti_prefix_classic(const char *p, size_t n);

/* Who writes that style, in static memory; and the clock of its times. */
const char *nti_style_name(const char *style);
uint32_t nti_style_clock(const char *style);

#endif
