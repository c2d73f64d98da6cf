// SPDX-License-Identifier: MIT
/* Runs of several commands. */
#include "count/cli/compare/results.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "base/statistics/spread.h"

size_t cli_results_add_metric(struct cli_results *r, const char *name, const char *unit,
			      const char *reason)
{
	cli_grow(&r->metric, r->metrics);
	r->metric[r->metrics] = (struct cli_metric){ .name = cli_strdup(name),
						     .unit = cli_strdup(unit),
						     .reason = cli_strdup(reason) };
	return r->metrics++;
}

void cli_results_add_figures(struct cli_results *r)
{
	for (int i = 0; i < CLI_FIGURES; i++)
		(void)cli_results_add_metric(r, cli_figure_forms[i].name, cli_figure_forms[i].unit,
					     "");
	(void)cli_results_add_metric(r, CLI_METRIC_CPU, "ns", "");
}

size_t cli_results_add_side(struct cli_results *r, const char *name, const char *line)
{
	cli_grow(&r->side, r->sides);
	r->side[r->sides] = (struct cli_side){ .name = cli_strdup(name),
					       .line = cli_strdup(line),
					       .reference = r->sides ? 0 : SIZE_MAX };
	for (int i = 0; i < CLI_FIGURES; i++)
		r->side[r->sides].mean[i] = NAN;
	return r->sides++;
}

void cli_parameters_free(struct cli_parameter *parameter, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(parameter[i].name);
		free(parameter[i].value);
	}
	free(parameter);
}

void cli_results_add_parameter(struct cli_results *r, size_t side, const char *name,
			       const char *value)
{
	struct cli_side *s = &r->side[side];

	cli_grow(&s->parameter, s->parameters);
	s->parameter[s->parameters++] =
		(struct cli_parameter){ .name = cli_strdup(name), .value = cli_strdup(value) };
}

char *cli_parameters_text(const char *name, const struct cli_parameter *parameter, size_t n)
{
	struct cli_text out;

	cli_text_begin(&out);
	fputs(name, out.f);
	for (size_t i = 0; i < n; i++)
		fprintf(out.f, "%s%s=%s", i || *name ? " " : "", parameter[i].name,
			parameter[i].value);
	return cli_text_end(&out);
}

const char *cli_side_parameter(const struct cli_side *s, const char *name)
{
	for (size_t i = 0; i < s->parameters; i++)
		if (strcmp(s->parameter[i].name, name) == 0)
			return s->parameter[i].value;
	return "";
}

void cli_results_add_run(struct cli_results *r, size_t side, size_t round, const double *value)
{
	struct cli_side *s = &r->side[side];
	size_t row = r->metrics * sizeof(*value);

	/* As cli_grow(), for rows. */
	if (!(s->runs & (s->runs - 1)))
		s->value = cli_realloc(s->value, s->runs ? 2 * s->runs : 1, row);
	cli_grow(&s->round, s->runs);
	memcpy(s->value + s->runs * r->metrics, value, row);
	s->round[s->runs++] = round;
}

void cli_results_add_failed(struct cli_results *r, size_t side, size_t round,
			    const struct cli_outcome *outcome, const double *value)
{
	struct cli_side *s = &r->side[side];
	size_t row = r->metrics * sizeof(*value);

	cli_grow(&s->failed, s->n_failed);
	s->failed[s->n_failed] = (struct cli_failed_run){ .round = round,
							  .outcome = *outcome,
							  .value = cli_malloc(row + 1) };
	memcpy(s->failed[s->n_failed++].value, value, row);
}

static void fini_side(struct cli_side *s)
{
	for (size_t i = 0; i < s->n_failed; i++)
		free(s->failed[i].value);
	free(s->failed);
	cli_parameters_free(s->parameter, s->parameters);
	free(s->name);
	free(s->line);
	free(s->value);
	free(s->round);
	cli_outcomes_fini(&s->left_out);
}

void cli_results_fini(struct cli_results *r)
{
	for (size_t i = 0; i < r->metrics; i++) {
		free(r->metric[i].name);
		free(r->metric[i].unit);
		free(r->metric[i].reason);
	}
	for (size_t i = 0; i < r->sides; i++)
		fini_side(&r->side[i]);
	free(r->metric);
	free(r->side);
	free(r->by);
	free(r->host);
	*r = (struct cli_results){ 0 };
}

bool cli_results_has_silent_side(const struct cli_results *r)
{
	for (size_t i = 0; i < r->sides; i++)
		if (!r->side[i].runs)
			return true;
	return false;
}

bool cli_metric_is_figure(const char *name)
{
	bool is = strcmp(name, CLI_METRIC_CPU) == 0;

	for (int i = 0; i < CLI_FIGURES; i++)
		is |= strcmp(name, cli_figure_forms[i].name) == 0;
	return is;
}

size_t cli_results_find_metric(const struct cli_results *r, const char *name)
{
	for (size_t i = 0; i < r->metrics; i++)
		if (strcmp(r->metric[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

double *cli_side_numbers(const struct cli_results *r, size_t side, size_t metric, size_t *n)
{
	const struct cli_side *s = &r->side[side];
	double *number = cli_calloc(s->runs + 1, sizeof(*number));

	*n = 0;
	for (size_t i = 0; i < s->runs; i++) {
		double value = s->value[i * r->metrics + metric];

		if (!isnan(value))
			number[(*n)++] = value;
	}
	return number;
}

bool cli_side_has_number(const struct cli_results *r, size_t side, size_t metric)
{
	const struct cli_side *s = &r->side[side];

	for (size_t i = 0; i < s->runs; i++)
		if (!isnan(s->value[i * r->metrics + metric]))
			return true;
	return false;
}

double cli_side_median(const struct cli_results *r, size_t side, size_t metric)
{
	double *number, median = NAN;
	size_t n;

	number = cli_side_numbers(r, side, metric, &n);
	cli_sort(number, n);
	if (n)
		median = cli_quantile(number, n, 0.5);
	free(number);
	return median;
}
