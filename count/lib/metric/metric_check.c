// SPDX-License-Identifier: MIT
/* What a metric must be like, wherever it was written. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "count/lib/metric/metric.h"
#include "base/common/text.h"
#include "count/lib/metric/metric_check.h"

/*
 * Names that mean an event wherever perf's names are understood, so a metric of that name could not
 * be asked for. Source: perf-list(1) and the tables event_symbols_hw, event_symbols_sw and of tool
 * events in Linux 6.1, tools/perf/util/parse-events.c; tsc is ntime's own.
 */
static const char *const event_names[] = {
	"alignment-faults",
	"bpf-output",
	"branch-instructions",
	"branch-misses",
	"branches",
	"bus-cycles",
	"cache-misses",
	"cache-references",
	"cgroup-switches",
	"context-switches",
	"cpu-clock",
	"cpu-cycles",
	"cpu-migrations",
	"cs",
	"cycles",
	"dummy",
	"duration_time",
	"emulation-faults",
	"faults",
	"idle-cycles-backend",
	"idle-cycles-frontend",
	"instructions",
	"major-faults",
	"migrations",
	"minor-faults",
	"page-faults",
	"ref-cycles",
	"stalled-cycles-backend",
	"stalled-cycles-frontend",
	"system_time",
	"task-clock",
	"tsc",
	"user_time",
};

/*
 * Generic cache events are made of two parts: same source, evsel__hw_cache and evsel__hw_cache_op
 * of tools/perf/util/evsel.c.
 */
static const char *const cache_names[] = { "L1-dcache-", "L1-icache-", "LLC-", "dTLB-",
					   "iTLB-",	 "branch-",    "node-" };
static const char *const cache_ops[] = { "loads",	 "load-misses", "stores",
					 "store-misses", "prefetches",	"prefetch-misses" };

static const char *const formula_words[] = { "min", "max", "wanted_ns", "real_ns", "cpus" };

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (nti_text_compare(name, names[i]) == 0)
			return true;
	return false;
}

static bool is_cache_event(const char *name)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(cache_names); i++) {
		size_t bytes = strlen(cache_names[i]);

		if (nti_text_compare_n(name, cache_names[i], bytes) == 0 &&
		    is_one_of(name + bytes, cache_ops, NTI_ARRAY_SIZE(cache_ops)))
			return true;
	}
	return false;
}

/* "r" and up to 16 hexadecimal digits, such as r01c0, and such as "race". */
static bool is_raw_event(const char *name)
{
	size_t digits;

	if (name[0] != 'r' && name[0] != 'R')
		return false;
	digits = strspn(name + 1, "0123456789abcdefABCDEF");
	return digits >= 1 && digits <= 16 && !name[1 + digits];
}

size_t nti_metric_name_bytes(const char *text, size_t bytes)
{
	size_t n;

	for (n = 0; n < bytes; n++) {
		char c = text[n];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		bool is_other = (c >= '0' && c <= '9') || c == '_' || c == '-';

		if (!is_letter && !(n && is_other))
			break;
	}
	return n;
}

int nti_metric_check_name(const char *name, struct nti_error *e)
{
	size_t bytes = strlen(name);

	if (bytes > NTI_METRIC_MAX_NAME_BYTES)
		return nti_error(e, -E2BIG,
				 "the name of a metric has at most %d bytes, this one %zu",
				 NTI_METRIC_MAX_NAME_BYTES, bytes);
	if (!bytes || nti_metric_name_bytes(name, bytes) != bytes)
		return nti_error(e, -EINVAL,
				 "the name of a metric is a letter, then letters, digits, '_' and "
				 "'-'; '%s' is not",
				 name);
	if (is_one_of(name, formula_words, NTI_ARRAY_SIZE(formula_words)))
		return nti_error(e, -EINVAL,
				 "'%s' has a meaning in formulas; a metric needs another name",
				 name);
	if (is_one_of(name, event_names, NTI_ARRAY_SIZE(event_names)) || is_cache_event(name) ||
	    is_raw_event(name))
		return nti_error(e, -EINVAL,
				 "'%s' is an event of perf's; a metric needs another name", name);
	return 0;
}

int nti_metric_check_unit(const char *unit, struct nti_error *e)
{
	size_t bytes = strlen(unit);

	if (bytes > NTI_METRIC_MAX_UNIT_BYTES)
		return nti_error(e, -E2BIG,
				 "the unit of a metric has at most %d bytes, this one %zu",
				 NTI_METRIC_MAX_UNIT_BYTES, bytes);
	return nti_metric_check_text(unit, bytes, e);
}

/*
 * Bytes of the character at @s, 0 when it is none. Source: RFC 3629, section 4; C1 controls (U+0080
 * to U+009F) are refused too.
 */
static size_t utf8_bytes(const unsigned char *s, size_t left)
{
	uint32_t c;
	size_t bytes, i;

	if (s[0] < 0x80)
		return (s[0] >= ' ' && s[0] != 0x7f) || s[0] == '\t' ? 1 : 0;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	bytes = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (bytes > left)
		return 0;
	c = s[0] & (0x7fu >> bytes);
	for (i = 1; i < bytes; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < 0xa0 || (bytes == 3 && c < 0x800) || (bytes == 4 && c < 0x10000))
		return 0;
	return (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff ? 0 : bytes;
}

int nti_metric_check_text(const char *text, size_t bytes, struct nti_error *e)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t at = 0;

	while (at < bytes) {
		size_t n = utf8_bytes(s + at, bytes - at);

		if (!n)
			return nti_error(e, -EINVAL,
					 "the byte 0x%02x in column %zu is not printable UTF-8",
					 (unsigned int)s[at], at + 1);
		at += n;
	}
	return 0;
}
