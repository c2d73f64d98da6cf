// SPDX-License-Identifier: MIT
/*
 * Files of metrics: text into a set, with a lint that names file and line. metric.h has the format.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/entry.h"
#include "base/common/grow.h"
#include "base/common/text.h"
#include "count/lib/metric/metric.h"
#include "count/lib/metric/metric_check.h"

enum key {
	KEY_NONE, /* between entries */
	KEY_METRIC,
	KEY_UNIT,
	KEY_GROUP,
	KEY_FORMULA,
	KEY_BESIDE,
	KEY_ABOUT,
	KEY_SOURCE,
	KEY_COUNT,
};

#define TEXT(member) NTI_ENTRY_TO(struct nti_metric, member)
#define SENTENCE(member) NTI_ENTRY_SAYS(struct nti_metric, member)

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_METRIC },
	[KEY_METRIC] = { "metric", 1u << KEY_UNIT, TEXT(name) },
	[KEY_UNIT] = { "unit", 1u << KEY_GROUP | 1u << KEY_FORMULA, TEXT(unit) },
	[KEY_GROUP] = { "group", 1u << KEY_FORMULA, TEXT(group) },
	[KEY_FORMULA] = { "formula", 1u << KEY_FORMULA | 1u << KEY_BESIDE | 1u << KEY_ABOUT },
	[KEY_BESIDE] = { "beside", 1u << KEY_ABOUT, TEXT(beside) },
	[KEY_ABOUT] = { "about", 1u << KEY_SOURCE, SENTENCE(about) },
	[KEY_SOURCE] = { "source", 0, TEXT(source) },
};

struct file_parser {
	struct nti_metric now;
	struct nti_metrics found; /* .metric in this parser's memory */
	struct nti_metric *metric;
	const struct nti_metrics *known;
};

static int fail_memory(struct nti_error *e)
{
	return nti_error(e, -ENOMEM, "memory is short for a metric");
}

static int check_name(struct file_parser *p, const char *value, struct nti_error *e)
{
	int ret = nti_metric_check_name(value, e);

	if (ret < 0)
		return ret;
	if (nti_metrics_find(p->known, value) || nti_metrics_find(&p->found, value))
		return nti_error(e, -EINVAL, "there is a metric %s already", value);
	if (nti_metrics_has_group(p->known, value) || nti_metrics_has_group(&p->found, value))
		return nti_error(e, -EINVAL, "%s is the name of a group of metrics", value);
	if (nti_metrics_count(p->known) + p->found.count >= NTI_METRIC_MAX_COUNT)
		return nti_error(e, -E2BIG, "more than %d metrics", NTI_METRIC_MAX_COUNT);
	return 0;
}

static int check_group(struct file_parser *p, const char *value, struct nti_error *e)
{
	int ret = nti_metric_check_name(value, e);

	if (ret < 0)
		return ret;
	if (nti_metrics_find(p->known, value) || nti_metrics_find(&p->found, value) ||
	    nti_text_compare(p->now.name, value) == 0)
		return nti_error(e, -EINVAL, "%s is the name of a metric", value);
	return 0;
}

static void *begin_entry(void *arg)
{
	struct file_parser *p = arg;

	return &p->now;
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct file_parser *p = arg;

	switch (key) {
	case KEY_METRIC:
		return check_name(p, value, e);
	case KEY_UNIT:
		return nti_metric_check_unit(value, e);
	case KEY_GROUP:
		return check_group(p, value, e);
	case KEY_FORMULA:
		return nti_metric_add_formula(&p->now, value, e);
	case KEY_BESIDE:
		return nti_metric_uses(&p->now, value)
			       ? 0
			       : nti_error(e, -EINVAL, "no formula of %s uses the event %s",
					   p->now.name, value);
	default:
		return 0;
	}
}

static int end_entry(void *arg, struct nti_error *e)
{
	struct file_parser *p = arg;

	if (!nti_grow(&p->metric, p->found.count))
		return fail_memory(e);
	p->found.metric = p->metric;
	p->metric[p->found.count++] = p->now;
	p->now = (struct nti_metric){ 0 };
	return 0;
}

static const struct nti_entries metric_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_metric_check_text,
	.begin = begin_entry,
	.set = set_value,
	.end = end_entry,
};

/* Members of a set that was parsed are const because those of constant sets are. */
static void *writable(const void *memory)
{
	return (void *)(uintptr_t)memory;
}

/* qsort(3) hands nothing on, so what is sorted is by pointer. */
static int by_name(const void *left, const void *right)
{
	const struct nti_metric *const *a = left, *const *b = right;

	return nti_text_compare((*a)->name, (*b)->name);
}

static int by_text(const void *left, const void *right)
{
	const char *const *a = left, *const *b = right;

	return nti_text_compare(*a, *b);
}

/* Look-up tables of @m, which has metrics, in new memory. -ENOMEM: @m is as before. */
static int index_set(struct nti_metrics *m)
{
	const struct nti_metric **sorted = calloc(m->count, sizeof(*sorted));
	uint16_t *numbers = calloc(m->count, sizeof(*numbers));
	const char **group = calloc(m->count, sizeof(*group));
	size_t i, groups = 0, unique = 0;

	if (!sorted || !numbers || !group) {
		free(sorted);
		free(numbers);
		free(group);
		return -ENOMEM;
	}
	for (i = 0; i < m->count; i++) {
		sorted[i] = &m->metric[i];
		if (m->metric[i].group)
			group[groups++] = m->metric[i].group;
	}
	qsort(sorted, m->count, sizeof(*sorted), by_name);
	qsort(group, groups, sizeof(*group), by_text);
	for (i = 0; i < m->count; i++)
		numbers[i] = (uint16_t)(sorted[i] - m->metric);
	for (i = 0; i < groups; i++)
		if (!unique || nti_text_compare(group[unique - 1], group[i]) != 0)
			group[unique++] = group[i];
	free(sorted);
	free(writable(m->by_name));
	free(writable(m->group));
	m->by_name = numbers;
	m->group = group;
	m->groups = unique;
	return 0;
}

/* Moves what was found to the end of @to. */
static int append(struct nti_metrics *to, struct file_parser *p)
{
	size_t count = to->count;
	struct nti_metric *more;

	if (!p->found.count)
		return 0;
	more = reallocarray(writable(to->metric), count + p->found.count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memcpy(more + count, p->metric, p->found.count * sizeof(*more));
	to->metric = more;
	to->count += p->found.count;
	if (index_set(to) < 0) {
		to->count = count;
		return -ENOMEM;
	}
	free(p->metric);
	p->metric = NULL;
	p->found = (struct nti_metrics){ 0 };
	return 0;
}

int nti_metrics_parse(const char *file, const char *text, size_t bytes, struct nti_metrics *out,
		      struct nti_error *e)
{
	struct file_parser p = { .known = out };
	int ret = nti_entries_parse(&metric_entries, file, text, bytes, &p, e);

	if (ret == 0 && append(out, &p) < 0)
		ret = nti_error_prefix(e, fail_memory(e), "%s", file);
	nti_metric_fini(&p.now);
	nti_metrics_fini(&p.found);
	return ret;
}

void nti_metrics_fini(struct nti_metrics *m)
{
	struct nti_metric *metric = writable(m->metric);
	size_t i;

	for (i = 0; i < m->count; i++)
		nti_metric_fini(&metric[i]);
	free(metric);
	free(writable(m->by_name));
	free(writable(m->group));
	*m = (struct nti_metrics){ 0 };
}

size_t nti_metrics_count(const struct nti_metrics *m)
{
	return m->count + (m->base ? m->base->count : 0);
}

const struct nti_metric *nti_metrics_get(const struct nti_metrics *m, size_t i)
{
	size_t before = m->base ? m->base->count : 0;

	return i < before ? &m->base->metric[i] : &m->metric[i - before];
}

/* A set that has no indices is one that is being parsed. */
static const struct nti_metric *find_own(const struct nti_metrics *m, const char *name)
{
	size_t low = 0, high = m->count, middle;
	int order;

	for (; !m->by_name && low < high; low++)
		if (nti_text_compare(m->metric[low].name, name) == 0)
			return &m->metric[low];
	while (low < high) {
		middle = low + (high - low) / 2;
		order = nti_text_compare(name, m->metric[m->by_name[middle]].name);
		if (!order)
			return &m->metric[m->by_name[middle]];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

const struct nti_metric *nti_metrics_find(const struct nti_metrics *m, const char *name)
{
	const struct nti_metric *found = m->base ? find_own(m->base, name) : NULL;

	return found ? found : find_own(m, name);
}

bool nti_metric_is_in_group(const struct nti_metric *metric, const char *name)
{
	return metric->group && nti_text_compare(metric->group, name) == 0;
}

bool nti_metrics_has_group(const struct nti_metrics *m, const char *name)
{
	size_t i;

	if (m->base && nti_metrics_has_group(m->base, name))
		return true;
	if (m->groups)
		return bsearch(&name, m->group, m->groups, sizeof(*m->group), by_text) != NULL;
	for (i = 0; !m->by_name && i < m->count; i++)
		if (nti_metric_is_in_group(&m->metric[i], name))
			return true;
	return false;
}
