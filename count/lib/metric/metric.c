// SPDX-License-Identifier: MIT
/* One metric: its memory, and the form "NAME[unit]=FORMULA" that a command line gives. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "count/lib/metric/metric.h"
#include "count/lib/metric/metric_check.h"

/*
 * Metrics that were parsed own what constant ones share with nobody; so the members are const, and
 * cast here alone.
 */
static void drop(const void *memory)
{
	free((void *)(uintptr_t)memory);
}

void nti_metric_fini(struct nti_metric *m)
{
	size_t i;

	for (i = 0; i < m->formulas; i++)
		nti_formula_free((struct nti_formula *)(uintptr_t)m->formula[i]);
	drop(m->formula);
	drop(m->name);
	drop(m->unit);
	drop(m->group);
	drop(m->beside);
	drop(m->about);
	drop(m->source);
	*m = (struct nti_metric){ 0 };
}

int nti_metric_add_formula(struct nti_metric *m, const char *text, struct nti_error *e)
{
	struct nti_formula *f;
	int ret = nti_formula_parse(text, &f, e);

	if (ret < 0)
		return ret;
	if (!nti_formula_count(f)) {
		nti_formula_free(f);
		return nti_error(e, -EINVAL, "the formula uses no event");
	}
	if (!nti_grow(&m->formula, m->formulas)) {
		nti_formula_free(f);
		return nti_error(e, -ENOMEM, "memory is short for a metric");
	}
	((const struct nti_formula **)(uintptr_t)m->formula)[m->formulas++] = f;
	return 0;
}

bool nti_metric_uses(const struct nti_metric *m, const char *event)
{
	size_t i, k;

	for (i = 0; i < m->formulas; i++)
		for (k = 0; k < nti_formula_count(m->formula[i]); k++)
			if (strcmp(nti_formula_event(m->formula[i], k), event) == 0)
				return true;
	return false;
}

/* The parts of an inline metric; all point into its text. */
struct inline_text {
	const char *name;
	size_t name_bytes;
	const char *behind; /* first character behind name and blanks: '[' or '=' */
};

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

static bool inline_split(const char *text, struct inline_text *out)
{
	out->name = skip_blanks(text);
	out->name_bytes = nti_metric_name_bytes(out->name, strlen(out->name));
	out->behind = skip_blanks(out->name + out->name_bytes);
	return out->name_bytes && (*out->behind == '=' || *out->behind == '[');
}

bool nti_metric_is_inline(const char *text)
{
	struct inline_text parts;

	return inline_split(text, &parts);
}

/* From '[' to behind ']'. *out is new memory. */
static int inline_unit(const char **s, const char **out, struct nti_error *e)
{
	const char *begin = skip_blanks(*s + 1), *end = strchr(*s, ']'), *last = end;

	if (!end)
		return nti_error(e, -EINVAL, "the unit that begins with '[' has no ']'");
	while (last > begin && (last[-1] == ' ' || last[-1] == '\t'))
		last--;
	if (last == begin)
		return nti_error(e, -EINVAL, "the unit between '[' and ']' is empty");
	*out = strndup(begin, (size_t)(last - begin));
	if (!*out)
		return nti_error(e, -ENOMEM, "memory is short for a metric");
	*s = skip_blanks(end + 1);
	return nti_metric_check_unit(*out, e);
}

static int inline_formula(const char *text, struct nti_metric *m, struct nti_error *e)
{
	int ret = nti_metric_add_formula(m, text, e);

	if (ret < 0)
		return ret;
	m->about = strdup("Computed by a formula that the user gave.");
	m->source = strdup("");
	if (!m->unit)
		m->unit = strdup("");
	if (!m->about || !m->source || !m->unit)
		return nti_error(e, -ENOMEM, "memory is short for a metric");
	return 0;
}

static int inline_fill(const struct inline_text *parts, struct nti_metric *m, struct nti_error *e)
{
	const char *s = parts->behind;
	int ret;

	m->name = strndup(parts->name, parts->name_bytes);
	if (!m->name)
		return nti_error(e, -ENOMEM, "memory is short for a metric");
	ret = nti_metric_check_name(m->name, e);
	if (ret < 0)
		return ret;
	if (*s == '[') {
		ret = inline_unit(&s, &m->unit, e);
		if (ret < 0)
			return nti_error_prefix(e, ret, "metric %s", m->name);
	}
	if (*s != '=')
		return nti_error(e, -EINVAL, "metric %s: expected '=' and a formula after the unit",
				 m->name);
	ret = inline_formula(skip_blanks(s + 1), m, e);
	return ret < 0 ? nti_error_prefix(e, ret, "metric %s", m->name) : 0;
}

int nti_metric_parse_inline(const char *text, struct nti_metric *out, struct nti_error *e)
{
	struct inline_text parts;
	int ret;

	*out = (struct nti_metric){ 0 };
	if (!inline_split(text, &parts))
		return nti_error(
			e, -EINVAL,
			"a metric is written NAME=FORMULA or NAME[unit]=FORMULA, not '%.200s'",
			text);
	ret = inline_fill(&parts, out, e);
	if (ret < 0)
		nti_metric_fini(out);
	return ret;
}
