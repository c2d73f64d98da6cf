// SPDX-License-Identifier: MIT
/* Files of metrics: text into a set, with a lint that names file and line. metric.h has the format. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/text.h"
#include "lib/metric/metric.h"
#include "lib/metric/metric_check.h"

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

/* A key and what may come on the line below it. */
static const struct key_rule {
	const char *name;
	unsigned int next; /* bits of enum key */
	const char *expected;
} key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_METRIC, "an entry begins with \"metric\"" },
	[KEY_METRIC] = { "metric", 1u << KEY_UNIT, "behind \"metric\" comes \"unit\"" },
	[KEY_UNIT] = { "unit", 1u << KEY_GROUP | 1u << KEY_FORMULA,
		       "behind \"unit\" comes \"group\" or \"formula\"" },
	[KEY_GROUP] = { "group", 1u << KEY_FORMULA, "behind \"group\" comes \"formula\"" },
	[KEY_FORMULA] = { "formula", 1u << KEY_FORMULA | 1u << KEY_BESIDE | 1u << KEY_ABOUT,
			  "behind \"formula\" comes \"formula\", \"beside\" or \"about\"" },
	[KEY_BESIDE] = { "beside", 1u << KEY_ABOUT, "behind \"beside\" comes \"about\"" },
	[KEY_ABOUT] = { "about", 1u << KEY_SOURCE, "behind \"about\" comes \"source\"" },
	[KEY_SOURCE] = { "source", 0, "behind \"source\" comes a blank line" },
};

struct file_parser {
	const char *file;
	size_t line;
	enum key last;	  /* key of the line before, in this entry */
	size_t last_line; /* its number */
	struct nti_metric now;
	struct nti_metrics found;
	const struct nti_metrics *known;
	struct nti_error *e;
};

static int fail_memory(struct file_parser *p)
{
	return nti_error(p->e, -ENOMEM, "%s:%zu: memory is short for a metric", p->file, p->line);
}

/* Puts file and line in front of the sentence that a check left. */
static int fail_at(struct file_parser *p, int code)
{
	return nti_error_prefix(p->e, code, "%s:%zu", p->file, p->line);
}

static void replace(char **old, char *value)
{
	free(*old);
	*old = value;
}

/* The setters take a value that is not empty, in new memory, and own it from then on. */

static int set_name(struct file_parser *p, char *value)
{
	int ret;

	replace(&p->now.name, value);
	ret = nti_metric_check_name(value, p->e);
	if (ret < 0)
		return fail_at(p, ret);
	if (nti_metrics_find(p->known, value) || nti_metrics_find(&p->found, value))
		return nti_error(p->e, -EINVAL, "%s:%zu: there is a metric %s already", p->file,
				 p->line, value);
	if (nti_metrics_has_group(p->known, value) || nti_metrics_has_group(&p->found, value))
		return nti_error(p->e, -EINVAL, "%s:%zu: %s is the name of a group of metrics",
				 p->file, p->line, value);
	if (p->known->count + p->found.count >= NTI_METRIC_MAX_COUNT)
		return nti_error(p->e, -E2BIG, "%s:%zu: more than %d metrics", p->file, p->line,
				 NTI_METRIC_MAX_COUNT);
	return 0;
}

static int set_unit(struct file_parser *p, char *value)
{
	int ret;

	replace(&p->now.unit, value);
	ret = nti_metric_check_unit(value, p->e);
	return ret < 0 ? fail_at(p, ret) : 0;
}

static int set_group(struct file_parser *p, char *value)
{
	int ret;

	replace(&p->now.group, value);
	ret = nti_metric_check_name(value, p->e);
	if (ret < 0)
		return fail_at(p, ret);
	if (nti_metrics_find(p->known, value) || nti_metrics_find(&p->found, value) ||
	    strcasecmp(p->now.name, value) == 0)
		return nti_error(p->e, -EINVAL, "%s:%zu: %s is the name of a metric", p->file,
				 p->line, value);
	return 0;
}

static int add_formula(struct file_parser *p, char *value)
{
	struct nti_metric *m = &p->now;
	char **more = reallocarray(m->formula, m->formulas + 1, sizeof(*more));
	int ret;

	if (!more) {
		free(value);
		return fail_memory(p);
	}
	m->formula = more;
	m->formula[m->formulas++] = value;
	ret = nti_metric_check_formula(value, p->e);
	return ret < 0 ? fail_at(p, ret) : 0;
}

static int set_beside(struct file_parser *p, char *value)
{
	size_t i;
	int ret = 0;

	replace(&p->now.beside, value);
	for (i = 0; i < p->now.formulas && ret == 0; i++)
		ret = nti_metric_uses(p->now.formula[i], value, p->e);
	if (ret < 0)
		return fail_at(p, ret);
	return ret ? 0
		   : nti_error(p->e, -EINVAL, "%s:%zu: no formula of %s uses the event %s", p->file,
			       p->line, p->now.name, value);
}

static int set_about(struct file_parser *p, char *value)
{
	replace(&p->now.about, value);
	if (value[strlen(value) - 1] != '.')
		return nti_error(p->e, -EINVAL,
				 "%s:%zu: \"about\" is a sentence and ends with a full stop",
				 p->file, p->line);
	return 0;
}

static int set_value(struct file_parser *p, enum key key, char *value)
{
	switch (key) {
	case KEY_METRIC:
		return set_name(p, value);
	case KEY_UNIT:
		return set_unit(p, value);
	case KEY_GROUP:
		return set_group(p, value);
	case KEY_FORMULA:
		return add_formula(p, value);
	case KEY_BESIDE:
		return set_beside(p, value);
	case KEY_ABOUT:
		return set_about(p, value);
	default:
		assert(key == KEY_SOURCE);
		replace(&p->now.source, value);
		return 0;
	}
}

static bool is_key(enum key key, const char *name, size_t bytes)
{
	return strlen(key_rules[key].name) == bytes &&
	       memcmp(key_rules[key].name, name, bytes) == 0;
}

static enum key find_key(const char *name, size_t bytes)
{
	unsigned int key;

	for (key = KEY_METRIC; key < KEY_COUNT; key++)
		if (is_key((enum key)key, name, bytes))
			return (enum key)key;
	return KEY_NONE;
}

static int end_entry(struct file_parser *p)
{
	struct nti_metric *more;

	if (p->last == KEY_NONE)
		return 0;
	if (p->last != KEY_SOURCE)
		return nti_error(p->e, -EINVAL, "%s:%zu: the entry of %s ends too early: %s",
				 p->file, p->last_line, p->now.name, key_rules[p->last].expected);
	more = reallocarray(p->found.metric, p->found.count + 1, sizeof(*more));
	if (!more)
		return fail_memory(p);
	p->found.metric = more;
	p->found.metric[p->found.count++] = p->now;
	p->now = (struct nti_metric){ 0 };
	p->last = KEY_NONE;
	return 0;
}

/* Shows the begin of what stands there, cut between characters. */
static int fail_unknown_key(struct file_parser *p, const char *key, size_t bytes)
{
	size_t shown = bytes > 40 ? 40 : bytes;

	while (shown < bytes && (key[shown] & 0xc0) == 0x80)
		shown--;
	return nti_error(p->e, -EINVAL,
			 "%s:%zu: there is no key \"%.*s%s\"; the keys are metric, unit, group, "
			 "formula, beside, about and source",
			 p->file, p->line, (int)shown, key, shown < bytes ? "..." : "");
}

/* @line has neither blanks at its ends nor a line end and is not empty. */
static int parse_entry_line(struct file_parser *p, const char *line)
{
	size_t bytes = strcspn(line, " \t");
	const char *value = line + bytes + strspn(line + bytes, " \t");
	enum key key = find_key(line, bytes);
	char *copy;
	int ret;

	if (key == KEY_NONE)
		return fail_unknown_key(p, line, bytes);
	if (!(key_rules[p->last].next & 1u << key))
		return nti_error(p->e, -EINVAL, "%s:%zu: %s, not \"%s\"", p->file, p->line,
				 key_rules[p->last].expected, key_rules[key].name);
	if (!*value)
		return nti_error(p->e, -EINVAL, "%s:%zu: \"%s\" has no value", p->file, p->line,
				 key_rules[key].name);
	copy = strdup(value);
	if (!copy)
		return fail_memory(p);
	ret = set_value(p, key, copy);
	p->last = key;
	p->last_line = p->line;
	return ret;
}

/* A line end of DOS is a blank, too. */
static int parse_line(void *arg, const char *begin, size_t bytes)
{
	struct file_parser *p = arg;
	char *copy, *line;
	int ret;

	p->line++;
	if (bytes && begin[bytes - 1] == '\r')
		bytes--;
	ret = nti_metric_check_text(begin, bytes, p->e);
	if (ret < 0)
		return fail_at(p, ret);
	copy = strndup(begin, bytes);
	if (!copy)
		return fail_memory(p);
	line = nti_text_trim(copy);
	if (!*line)
		ret = end_entry(p);
	else if (*line != '#')
		ret = parse_entry_line(p, line);
	free(copy);
	return ret;
}

static int parse_lines(struct file_parser *p, const char *text, size_t bytes)
{
	int ret = nti_text_for_each_line(text, bytes, parse_line, p);

	return ret < 0 ? ret : end_entry(p);
}

/* Moves the content of @from to the end of @to. */
static int append(struct nti_metrics *to, struct nti_metrics *from)
{
	struct nti_metric *more;

	if (!from->count)
		return 0;
	more = reallocarray(to->metric, to->count + from->count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	memcpy(more + to->count, from->metric, from->count * sizeof(*more));
	to->metric = more;
	to->count += from->count;
	free(from->metric);
	*from = (struct nti_metrics){ 0 };
	return 0;
}

int nti_metrics_parse(const char *file, const char *text, size_t bytes, struct nti_metrics *out,
		      struct nti_error *e)
{
	struct file_parser p = { .file = file, .known = out, .e = e };
	int ret = parse_lines(&p, text, bytes);

	if (ret == 0 && append(out, &p.found) < 0)
		ret = fail_memory(&p);
	nti_metric_fini(&p.now);
	nti_metrics_fini(&p.found);
	return ret;
}

void nti_metrics_fini(struct nti_metrics *m)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		nti_metric_fini(&m->metric[i]);
	free(m->metric);
	*m = (struct nti_metrics){ 0 };
}

const struct nti_metric *nti_metrics_find(const struct nti_metrics *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (strcasecmp(m->metric[i].name, name) == 0)
			return &m->metric[i];
	return NULL;
}

bool nti_metric_is_in_group(const struct nti_metric *metric, const char *name)
{
	return metric->group && strcasecmp(metric->group, name) == 0;
}

bool nti_metrics_has_group(const struct nti_metrics *m, const char *name)
{
	size_t i;

	for (i = 0; i < m->count; i++)
		if (nti_metric_is_in_group(&m->metric[i], name))
			return true;
	return false;
}
