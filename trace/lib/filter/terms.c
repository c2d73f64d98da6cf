// SPDX-License-Identifier: MIT
/* Terms of filters: from text into sets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/trace/filter.h>

#include "base/common/compiler.h"
#include "base/common/grow.h"
#include "base/common/text.h"
#include "trace/lib/base/context.h"
#include "trace/lib/filter/names.h"
#include "trace/lib/filter/terms.h"
#include "trace/lib/base/scan.h"

#define NS_PER_S 1000000000ull
#define MAX_TERMS 65536

int ntime_trace_filter_new(struct ntime_trace_ctx *ctx, struct ntime_trace_filter **out)
{
	struct ntime_trace_filter *f = calloc(1, sizeof(*f));

	*out = f;
	if (!f)
		return nti_error(&ctx->error, -ENOMEM, "no memory for a filter");
	f->ctx = ctx;
	return 0;
}

static void free_terms(struct nti_terms *s)
{
	size_t i;

	for (i = 0; i < s->globs; i++)
		free(s->glob[i]);
	free(s->glob);
	free(s->range);
	free(s->value);
	free(s->thread);
	free(s->time);
}

void ntime_trace_filter_free(struct ntime_trace_filter *f)
{
	if (!f)
		return;
	free_terms(&f->wanted);
	free_terms(&f->unwanted);
	free(f);
}

/* Room for one more term of a kind. */
#define GROW(array, n) ((n) < MAX_TERMS && nti_grow((array), (n)))

static int add_glob(struct nti_terms *s, const char *text)
{
	if (!GROW(&s->glob, s->globs))
		return -ENOMEM;
	s->glob[s->globs] = strdup(text);
	if (!s->glob[s->globs])
		return -ENOMEM;
	s->globs++;
	s->has |= NTI_TERM_DEVICE;
	return *text ? 0 : -EINVAL;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct nti_range *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* In order, and what overlaps or touches is one. */
static void sort_ranges(struct nti_terms *s)
{
	size_t n = 0, i;

	if (s->ranges)
		qsort(s->range, s->ranges, sizeof(*s->range), compare_ranges);
	for (i = 0; i < s->ranges; i++) {
		struct nti_range *last = n ? &s->range[n - 1] : NULL, *r = &s->range[i];

		if (last && last->region == r->region &&
		    (last->last == UINT64_MAX || r->first <= last->last + 1))
			last->last = r->last > last->last ? r->last : last->last;
		else
			s->range[n++] = *r;
	}
	s->ranges = n;
	for (s->any = 0; s->any < n && s->range[s->any].region < NTI_ANY_REGION; s->any++)
		;
	for (s->own = s->any; s->own < n && s->range[s->own].region < NTI_OWN_ROWS; s->own++)
		;
}

/*
 * Names have many copies, and every variant of a chip has them again: what is the same goes first.
 */
static int make_room(struct nti_terms *s)
{
	size_t room = s->room ? 2 * s->room : 16;
	struct nti_range *more;

	sort_ranges(s);
	if (s->ranges > MAX_TERMS)
		return -E2BIG;
	if (s->ranges < s->room / 2)
		return 0;
	more = realloc(s->range, room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->range = more;
	s->room = room;
	return 0;
}

static int add_range(struct nti_terms *s, const struct nti_range *range)
{
	int ret = s->ranges == s->room ? make_room(s) : 0;

	if (ret < 0)
		return ret;
	s->range[s->ranges++] = *range;
	s->has |= NTI_TERM_ADDRESS;
	return 0;
}

/* A whole number up to @end. */
static int parse_part(const char *text, const char *end, uint64_t *out)
{
	char buf[32];
	size_t n = (size_t)(end - text);

	if (!n || n >= sizeof(buf))
		return -EINVAL;
	memcpy(buf, text, n);
	buf[n] = '\0';
	return nti_text_parse_u64(buf, out);
}

/* "A", "A-B", "A+BYTES" */
static int parse_range(struct nti_terms *s, const char *text)
{
	struct nti_range range = { .region = NTI_ANY_REGION };
	size_t n = strcspn(text, "-+");
	uint64_t second = 0;
	int ret = parse_part(text, text + n, &range.first);

	range.last = range.first;
	if (!ret && text[n]) {
		ret = parse_part(text + n + 1, text + strlen(text), &second);
		range.last = text[n] == '-' ? second : range.first + second - 1;
		if (!ret && (range.last < range.first || (text[n] == '+' && !second)))
			ret = -EINVAL;
	}
	return ret < 0 ? -EINVAL : add_range(s, &range);
}

static int parse_region(struct nti_terms *s, const char *text)
{
	static const struct {
		const char *name;
		uint8_t region;
	} names[] = { { "rom", NTIME_REGION_ROM },
		      { "config", NTIME_REGION_CONFIG },
		      { "vga", NTIME_REGION_VGA },
		      { "physical", NTIME_REGION_PHYSICAL } };
	uint64_t number;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(names); i++) {
		if (strcmp(text, names[i].name) == 0)
			break;
	}
	if (i < NTI_ARRAY_SIZE(names))
		number = names[i].region;
	else if (nti_text_parse_u64(strncmp(text, "bar", 3) == 0 ? text + 3 : text, &number) < 0 ||
		 number > NTIME_REGION_PHYSICAL)
		return -EINVAL;
	s->region[number / 8] |= (uint8_t)(1u << (number % 8));
	s->has |= NTI_TERM_REGION;
	return 0;
}

static int parse_access(struct nti_terms *s, const char *text)
{
	if (strcmp(text, "read") == 0)
		s->kinds |= 1u << NTIME_RECORD_READ;
	else if (strcmp(text, "write") == 0)
		s->kinds |= 1u << NTIME_RECORD_WRITE;
	else
		return -EINVAL;
	s->has |= NTI_TERM_ACCESS;
	return 0;
}

/* "V", "V/MASK" */
static int parse_value(struct nti_terms *s, const char *text)
{
	const char *slash = strchr(text, '/');
	struct nti_value_term v = { 0, UINT64_MAX };

	if (parse_part(text, slash ? slash : text + strlen(text), &v.value) < 0)
		return -EINVAL;
	if (slash && nti_text_parse_u64(slash + 1, &v.mask) < 0)
		return -EINVAL;
	if (!GROW(&s->value, s->values))
		return -ENOMEM;
	v.value &= v.mask;
	s->value[s->values++] = v;
	s->has |= NTI_TERM_VALUE;
	return 0;
}

static int parse_width(struct nti_terms *s, const char *text)
{
	uint64_t width;

	if (nti_text_parse_u64(text, &width) < 0 ||
	    (width != 1 && width != 2 && width != 4 && width != 8))
		return -EINVAL;
	s->widths |= 1u << width;
	s->has |= NTI_TERM_WIDTH;
	return 0;
}

static int parse_thread(struct nti_terms *s, const char *text)
{
	uint64_t thread;

	if (nti_text_parse_u64(text, &thread) < 0 || thread > UINT32_MAX)
		return -EINVAL;
	if (!GROW(&s->thread, s->threads))
		return -ENOMEM;
	s->thread[s->threads++] = (uint32_t)thread;
	s->has |= NTI_TERM_THREAD;
	return 0;
}

/* What stands behind a number of a time. In that order: "m" begins two of them. */
static uint64_t scan_unit(struct nti_scan *s)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 },
		      { "us", 1000 },
		      { "ms", 1000000 },
		      { "min", 60 * NS_PER_S },
		      { "s", NS_PER_S } };
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(units); i++)
		if (nti_scan_text(s, units[i].name))
			return units[i].ns;
	return NS_PER_S;
}

/* "NUMBER[.FRACTION][UNIT]", of seconds where no unit stands, up to nanoseconds. */
static bool scan_time(struct nti_scan *s, uint64_t *ns)
{
	const char *part, *end;
	uint64_t number = 0, unit;
	const char *begin = s->p;

	(void)nti_scan_decimal(s, &number);
	part = end = s->p;
	if (nti_scan_text(s, ".")) {
		part = s->p;
		while (s->p < s->end && nti_scan_is_digit(*s->p))
			s->p++;
		end = s->p;
		if (part == end)
			s->p = begin;
	}
	if (s->p == begin)
		return false;
	unit = scan_unit(s);
	if (number >= UINT64_MAX / unit)
		return false;
	for (*ns = number * unit; part < end; part++) {
		unit /= 10;
		*ns += (uint64_t)(*part - '0') * unit;
	}
	return true;
}

/* "[@]A-B", either may be missing. */
static int parse_time(struct nti_terms *s, const char *text)
{
	struct nti_scan scan = { text, text + strlen(text), false };
	struct nti_time_term t = { 0, UINT64_MAX, nti_scan_text(&scan, "@") };
	bool has_first = scan_time(&scan, &t.first), has_last;

	if (!nti_scan_text(&scan, "-"))
		return -EINVAL;
	has_last = !nti_scan_ended(&scan);
	if ((has_last && !scan_time(&scan, &t.last)) || !nti_scan_ended(&scan) ||
	    (!has_first && !has_last) || t.last < t.first)
		return -EINVAL;
	if (!GROW(&s->time, s->times))
		return -ENOMEM;
	s->time[s->times++] = t;
	s->has |= NTI_TERM_TIME;
	return 0;
}

static const struct term_row {
	const char *name;
	int (*parse)(struct nti_terms *s, const char *text);
	const char *wanted;
} term_rows[] = {
	{ "device", add_glob, "NAME; * and ? match anything" },
	{ "region", parse_region, "NUMBER up to 255, rom, config, vga or physical" },
	{ "range", parse_range, "0xA, 0xA-0xB or 0xA+BYTES" },
	{ "access", parse_access, "read or write" },
	{ "value", parse_value, "NUMBER or NUMBER/MASK" },
	{ "width", parse_width, "1, 2, 4 or 8" },
	{ "thread", parse_thread, "NUMBER" },
	{ "time", parse_time,
	  "FROM-TO, FROM- or -TO, in seconds or with ns, us, ms, min, or with @ in front" },
};

static int add_register(void *arg, uint32_t region, uint64_t first, uint64_t last)
{
	const struct nti_range range = { .first = first, .last = last, .region = region };

	return add_range(arg, &range);
}

static int add_name(struct ntime_trace_filter *f, struct nti_terms *s, const char *name,
		    const struct ntime_regdb *db)
{
	int ret;

	if (!db)
		return nti_error(&f->ctx->error, -EINVAL,
				 "filter 'register=%s' needs a database of register names", name);
	ret = nti_filter_names(db, name, add_register, s);
	sort_ranges(s);
	if (ret == -E2BIG)
		return nti_error(&f->ctx->error, -EINVAL,
				 "filter 'register=%s' matches registers at too many addresses: "
				 "give more of the name, or a range",
				 name);
	return ret == -ENOMEM ? nti_error(&f->ctx->error, ret, "no memory for a filter") : ret;
}

static const struct term_row *find_row(const char *term, size_t n)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(term_rows); i++) {
		if (strlen(term_rows[i].name) == n && memcmp(term_rows[i].name, term, n) == 0)
			return &term_rows[i];
	}
	return NULL;
}

int ntime_trace_filter_add(struct ntime_trace_filter *f, const char *term, int is_negated,
			   const struct ntime_regdb *db)
{
	struct nti_terms *s = is_negated ? &f->unwanted : &f->wanted;
	size_t n = strcspn(term, "=");
	const struct term_row *row = find_row(term, n);
	int ret;

	if (n == strlen("register") && term[n] && strncmp(term, "register", n) == 0)
		return add_name(f, s, term + n + 1, db);
	if (!row || !term[n])
		return nti_error(&f->ctx->error, -EINVAL,
				 "'%s' is not a filter: write NAME=VALUE with device, region, "
				 "range, register, access, value, width, thread or time",
				 term);
	ret = row->parse(s, term + n + 1);
	sort_ranges(s);
	if (ret == -EINVAL)
		return nti_error(&f->ctx->error, ret, "'%s' is not a filter: write %s=%s", term,
				 row->name, row->wanted);
	if (ret < 0)
		return nti_error(&f->ctx->error, ret, "no memory for a filter");
	return 0;
}
