// SPDX-License-Identifier: MIT
/* A comparison in JSON, with each run. */
#include "count/cli/compare/json.h"

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <ntime/context.h>

#include "count/cli/compare/verdict.h"
#include "base/output/emulated.h"
#include "base/output/json.h"
#include "count/cli/report/outcome_json.h"
#include "base/statistics/spread.h"

static json_t *metrics_json(const struct cli_results *r)
{
	json_t *json = json_array();

	for (size_t i = 0; i < r->metrics; i++) {
		const struct cli_metric *m = &r->metric[i];
		json_t *of = json_object();

		json_object_set_new(of, "name", cli_json_text(m->name));
		json_object_set_new(of, "unit", cli_json_text(m->unit));
		if (m->is_wanted)
			json_object_set_new(of, "wanted", json_true());
		if (*m->reason)
			json_object_set_new(of, "reason", cli_json_text(m->reason));
		json_array_append_new(json, of);
	}
	return json;
}

/* A list of one number a run; null where a run has none. */
static json_t *values_json(const struct cli_results *r, const struct cli_side *s, size_t metric)
{
	json_t *json = json_array();

	for (size_t i = 0; i < s->runs; i++)
		json_array_append_new(json, cli_json_number(s->value[i * r->metrics + metric]));
	return json;
}

/* The median's, of a command that is compared with nothing. */
static void put_interval(json_t *json, const struct cli_results *r, size_t metric)
{
	bool decides = metric == cli_results_decider(r);
	struct cli_interval of = cli_median_of(r, 0, metric, decides ? 0 : r->metrics - 1);

	if (!of.is_known)
		return;
	json_object_set_new(json, "low", cli_json_number(of.low));
	json_object_set_new(json, "high", cli_json_number(of.high));
}

static json_t *summary_json(const struct cli_results *r, size_t side, size_t metric)
{
	struct cli_spread s = { 0 };
	json_t *json;
	double *number;
	size_t n;

	number = cli_side_numbers(r, side, metric, &n);
	for (size_t i = 0; i < n; i++)
		cli_spread_add(&s, number[i]);
	free(number);
	if (!n)
		return json_null();
	json = json_object();
	json_object_set_new(json, "median", cli_json_number(cli_spread_median(&s)));
	if (r->sides == 1)
		put_interval(json, r, metric);
	json_object_set_new(json, "mean", cli_json_number(s.mean));
	json_object_set_new(json, "sd", cli_json_number(cli_spread_sd(&s)));
	json_object_set_new(json, "min", cli_json_number(s.min));
	json_object_set_new(json, "max", cli_json_number(s.max));
	cli_spread_fini(&s);
	return json;
}

json_t *cli_parameters_json(const struct cli_side *s)
{
	json_t *json = json_object();

	for (size_t i = 0; i < s->parameters; i++)
		json_object_set_new(json, s->parameter[i].name,
				    cli_json_text(s->parameter[i].value));
	return json;
}

/* Those that did not end well, with the numbers that they have. */
static json_t *failed_json(const struct cli_results *r, const struct cli_side *s)
{
	json_t *json = json_array();

	for (size_t i = 0; i < s->n_failed; i++) {
		const struct cli_failed_run *run = &s->failed[i];
		json_t *of = cli_outcome_json(&run->outcome), *values = json_object();

		for (size_t k = 0; k < r->metrics; k++)
			if (!isnan(run->value[k]))
				json_object_set_new(values, r->metric[k].name,
						    cli_json_number(run->value[k]));
		json_object_set_new(of, "round", json_integer((json_int_t)run->round));
		json_object_set_new(of, "values", values);
		json_array_append_new(json, of);
	}
	return json;
}

static json_t *means_json(const struct cli_side *s)
{
	json_t *json = json_object();

	for (int i = 0; i < CLI_FIGURES; i++)
		if (!isnan(s->mean[i]))
			json_object_set_new(json, cli_figure_forms[i].name,
					    cli_json_number(s->mean[i]));
	return json;
}

static json_t *side_json(const struct cli_results *r, size_t side)
{
	const struct cli_side *s = &r->side[side];
	json_t *json = json_object(), *rounds = json_array(), *values = json_object(),
	       *summary = json_object();

	json_object_set_new(json, "name", cli_json_text(s->name));
	json_object_set_new(json, "command", cli_json_text(s->line));
	if (s->is_named)
		json_object_set_new(json, "named", json_true());
	if (s->parameters)
		json_object_set_new(json, "parameters", cli_parameters_json(s));
	for (size_t i = 0; i < s->runs; i++)
		json_array_append_new(rounds, json_integer((json_int_t)s->round[i]));
	for (size_t i = 0; i < r->metrics; i++) {
		json_object_set_new(values, r->metric[i].name, values_json(r, s, i));
		json_object_set_new(summary, r->metric[i].name, summary_json(r, side, i));
	}
	json_object_set_new(json, "rounds", rounds);
	json_object_set_new(json, "values", values);
	json_object_set_new(json, "summary", summary);
	json_object_set_new(json, "runs_left_out", cli_outcomes_json(&s->left_out));
	if (s->n_failed)
		json_object_set_new(json, "failed", failed_json(r, s));
	if (!isnan(s->mean[CLI_USER]) || !isnan(s->mean[CLI_SYS]))
		json_object_set_new(json, "means", means_json(s));
	json_object_set_new(json, "runs_outlived", json_integer((json_int_t)s->outlived));
	return json;
}

static void add_change(json_t *json, const struct cli_comparison *c, size_t side, size_t metric)
{
	const struct cli_results *r = c->results;
	struct cli_change change = metric == c->by
					   ? cli_change_of(r, side, metric)
					   : cli_change_beside(r, side, metric, r->metrics - 1);
	json_t *of;

	if (isnan(change.factor.estimate))
		return;
	of = json_object();
	json_object_set_new(of, "command", cli_json_text(r->side[side].name));
	json_object_set_new(of, "than", cli_json_text(r->side[r->side[side].reference].name));
	json_object_set_new(of, "metric", cli_json_text(r->metric[metric].name));
	json_object_set_new(of, "decides", json_boolean(metric == c->by));
	json_object_set_new(of, "factor", cli_json_number(change.factor.estimate));
	if (change.factor.is_known) {
		json_object_set_new(of, "low", cli_json_number(change.factor.low));
		json_object_set_new(of, "high", cli_json_number(change.factor.high));
		json_object_set_new(of, "differs", json_boolean(change.differs));
	}
	json_array_append_new(json, of);
}

void cli_compare_write_json(FILE *f, const struct cli_comparison *c)
{
	const struct cli_results *r = c->results;
	json_t *root = cli_json_machine_head(ntime_version(), false, cli_emulated()),
	       *commands = json_array(), *changes = json_array();

	json_object_set_new(root, "kind", json_string("comparison"));
	cli_json_put_where(root);
	json_object_set_new(root, "in_emulator", json_boolean(r->is_in_emulator));
	json_object_set_new(root, "interleaved", json_boolean(r->is_interleaved));
	json_object_set_new(root, "finished", json_boolean(r->is_finished));
	json_object_set_new(root, "confidence", json_real(CLI_COMPARE_CONFIDENCE));
	json_object_set_new(root, "by",
			    c->by == SIZE_MAX ? json_null() : cli_json_text(r->metric[c->by].name));
	json_object_set_new(root, "by_user", json_boolean(r->by != NULL));
	json_object_set_new(root, "metrics", metrics_json(r));
	for (size_t i = 0; i < r->sides; i++)
		json_array_append_new(commands, side_json(r, i));
	json_object_set_new(root, "commands", commands);
	for (size_t i = 0; i < r->sides; i++)
		for (size_t k = 0; k < r->metrics && r->side[i].reference != SIZE_MAX; k++)
			add_change(changes, c, i, k);
	json_object_set_new(root, "changes", changes);
	cli_json_write(f, root, 1);
}
