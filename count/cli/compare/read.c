// SPDX-License-Identifier: MIT
/* Results from files: ntime's and hyperfine's. */
#include "count/cli/compare/json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/report/outcome_json.h"
#include "count/cli/report/report.h"

/* Nothing that is measured is larger, and ratios of numbers up to it are numbers. */
#define MOST 1e100

static int wrong(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A sentence about @path, then -EINVAL. */
static int wrong(const char *path, const char *format, ...)
{
	va_list args;
	char *line;

	va_start(args, format);
	line = cli_format_args(format, args);
	va_end(args);
	cli_say("%s: %s", path, line);
	free(line);
	return -EINVAL;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* What a value is that cli_results_read() refuses: -ERANGE or another error. */
static const char *what_is_wrong(int error)
{
	return error == -ERANGE ? "negative" : "not a number";
}

/* 0; -EINVAL: @value is no number that was measured; -ERANGE: it is negative and must not be. */
static int take_number(const json_t *value, const char *metric, double scale, double *number)
{
	double found = json_number_value(value) * scale;

	if (!json_is_number(value) || !(fabs(found) <= MOST))
		return -EINVAL;
	/* Another metric may be a difference. */
	if (found < 0 && cli_metric_is_figure(metric))
		return -ERANGE;
	*number = found;
	return 0;
}

/*
 * Numbers of one metric of one command, which has as many runs already or none; a list that is
 * shorter lacks the last ones. null is no number, and anything else than a number is an error.
 */
static int put_values(struct cli_results *r, size_t side, size_t metric, const json_t *values,
		      double scale)
{
	struct cli_side *s = &r->side[side];
	int ret = 0;

	for (size_t i = 0; i < json_array_size(values) && i < s->runs && !ret; i++) {
		const json_t *value = json_array_get(values, i);

		if (!json_is_null(value))
			ret = take_number(value, r->metric[metric].name, scale,
					  &s->value[i * r->metrics + metric]);
	}
	return ret;
}

/* @runs runs of which no number is known. */
static void add_empty_runs(struct cli_results *r, size_t side, size_t runs, const json_t *rounds)
{
	double *none = cli_calloc(r->metrics + 1, sizeof(*none));

	for (size_t i = 0; i < r->metrics; i++)
		none[i] = NAN;
	for (size_t i = 0; i < runs; i++) {
		json_int_t round = json_integer_value(json_array_get(rounds, i));

		cli_results_add_run(r, side, rounds ? (size_t)round : i, none);
	}
	free(none);
}

static int read_parameters(struct cli_results *r, size_t side, const json_t *of, const char *path)
{
	json_t *parameters = json_object_get(of, "parameters"), *value;
	const char *name;

	json_object_foreach(parameters, name, value)
	{
		if (!json_is_string(value))
			return wrong(path, "the parameter '%s' of '%s' is no text", name,
				     r->side[side].line);
		cli_results_add_parameter(r, side, name, json_string_value(value));
	}
	return 0;
}

/* Means of numbers that single runs have not. */
static int read_mean(struct cli_side *s, enum cli_figure_id id, const json_t *mean, double scale,
		     const char *path)
{
	int ret = 0;

	if (mean && !json_is_null(mean))
		ret = take_number(mean, cli_figure_forms[id].name, scale, &s->mean[id]);
	return ret ? wrong(path, "the mean of %s of '%s' is %s", cli_figure_forms[id].name, s->line,
			   what_is_wrong(ret))
		   : 0;
}

/* ---- a comparison ---- */

/* One number a run, where there are any. */
static int read_values(struct cli_results *r, size_t side, const json_t *values, const char *path)
{
	const struct cli_side *s = &r->side[side];

	for (size_t i = 0; i < r->metrics; i++) {
		const json_t *list = json_object_get(values, r->metric[i].name);
		int ret = put_values(r, side, i, list, 1);

		if (ret)
			return wrong(path, "a value of '%s' is %s", r->metric[i].name,
				     what_is_wrong(ret));
		if (list && json_array_size(list) != s->runs)
			return wrong(path, "command %zu has %zu rounds and %zu values of '%s'",
				     side + 1, s->runs, json_array_size(list), r->metric[i].name);
	}
	return 0;
}

/* Runs that failed, which have numbers all the same. */
static int read_failed(struct cli_results *r, size_t side, const json_t *failed)
{
	double *row = cli_calloc(r->metrics, sizeof(*row));
	int ret = 0;

	for (size_t i = 0; i < json_array_size(failed) && !ret; i++) {
		const json_t *of = json_array_get(failed, i), *values;
		json_int_t round = json_integer_value(json_object_get(of, "round"));
		struct cli_outcome outcome;

		ret = round < 0 ? -EINVAL : cli_outcome_from_json(&outcome, of);
		values = json_object_get(of, "values");
		for (size_t k = 0; k < r->metrics && !ret; k++) {
			const json_t *value = json_object_get(values, r->metric[k].name);

			row[k] = NAN;
			ret = value ? take_number(value, r->metric[k].name, 1, &row[k]) : 0;
		}
		if (!ret)
			cli_results_add_failed(r, side, (size_t)round, &outcome, row);
	}
	free(row);
	return ret;
}

static int read_side(struct cli_results *r, const json_t *of, const char *path)
{
	const json_t *rounds = json_object_get(of, "rounds"),
		     *values = json_object_get(of, "values");
	size_t side = cli_results_add_side(r, text_of(of, "name"), text_of(of, "command"));
	json_int_t before = -1;

	if (!json_is_array(rounds) || !json_is_object(values))
		return wrong(path, "command %zu has no rounds and values", side + 1);
	for (size_t i = 0; i < json_array_size(rounds); i++) {
		json_int_t round = json_integer_value(json_array_get(rounds, i));

		if (!json_is_integer(json_array_get(rounds, i)) || round <= before)
			return wrong(path, "the rounds of command %zu do not rise", side + 1);
		before = round;
	}
	if (read_parameters(r, side, of, path))
		return -EINVAL;
	add_empty_runs(r, side, json_array_size(rounds), rounds);
	if (read_values(r, side, values, path))
		return -EINVAL;
	r->side[side].is_named = json_is_true(json_object_get(of, "named"));
	for (int i = 0; i < CLI_FIGURES; i++)
		if (read_mean(
			    &r->side[side], (enum cli_figure_id)i,
			    json_object_get(json_object_get(of, "means"), cli_figure_forms[i].name),
			    1, path))
			return -EINVAL;
	r->side[side].outlived = (size_t)json_integer_value(json_object_get(of, "runs_outlived"));
	if (cli_outcomes_from_json(&r->side[side].left_out, json_object_get(of, "runs_left_out")) ||
	    read_failed(r, side, json_object_get(of, "failed")))
		return wrong(path, "the runs that command %zu left out are not such", side + 1);
	return 0;
}

static int read_comparison(struct cli_results *r, const json_t *root, const char *path)
{
	const json_t *metrics = json_object_get(root, "metrics"),
		     *commands = json_object_get(root, "commands");
	int ret = 0;

	r->is_in_emulator = json_is_true(json_object_get(root, "in_emulator"));
	r->is_interleaved = json_is_true(json_object_get(root, "interleaved"));
	r->is_finished = json_is_true(json_object_get(root, "finished"));
	for (size_t i = 0; i < json_array_size(metrics); i++) {
		const json_t *of = json_array_get(metrics, i);
		size_t at = cli_results_add_metric(r, text_of(of, "name"), text_of(of, "unit"),
						   text_of(of, "reason"));

		r->metric[at].is_wanted = json_is_true(json_object_get(of, "wanted"));
	}
	if (json_is_true(json_object_get(root, "by_user")))
		r->by = cli_strdup(text_of(root, "by"));
	for (size_t i = 0; i < json_array_size(commands) && r->metrics && !ret; i++)
		ret = read_side(r, json_array_get(commands, i), path);
	return ret;
}

/* ---- ntime -r N --json ---- */

/* The command as a shell would take it, as far as a person needs. */
static char *line_of(const json_t *argv)
{
	struct cli_text text;

	cli_text_begin(&text);
	for (size_t i = 0; i < json_array_size(argv); i++) {
		const char *word = json_string_value(json_array_get(argv, i));
		bool is_plain = word && *word && !word[strcspn(word, " \t\n'\"$\\*?")];

		fprintf(text.f, "%s%s%s%s", i ? " " : "", is_plain ? "" : "'", word ? word : "",
			is_plain ? "" : "'");
	}
	return cli_text_end(&text);
}

static int read_figures(struct cli_results *r, const json_t *over_runs, const char *path)
{
	for (int i = 0; i < CLI_FIGURES; i++) {
		const json_t *of = json_object_get(over_runs, cli_figure_forms[i].key);

		int ret = put_values(r, 0, (size_t)i, json_object_get(of, "values"), 1);

		if (ret)
			return wrong(path, "a value of '%s' is %s", cli_figure_forms[i].key,
				     what_is_wrong(ret));
	}
	for (size_t i = 0; i < r->side[0].runs; i++) {
		double *row = &r->side[0].value[i * r->metrics];

		// cppcheck-suppress objectIndex ; a row of the table
		row[CLI_FIGURES] = row[CLI_USER] + row[CLI_SYS];
		/* They would be those of the emulator. */
		for (int k = 0; k <= CLI_FIGURES && r->is_in_emulator; k++)
			// cppcheck-suppress objectIndex ; a row of the table
			row[k] = NAN;
	}
	return 0;
}

static int read_repeated(struct cli_results *r, const json_t *root, const char *path)
{
	const json_t *over_runs = json_object_get(json_object_get(root, "time"), "over_runs"),
		     *items = json_object_get(root, "items"), *of;
	size_t runs =
		json_array_size(json_object_get(json_object_get(over_runs, "real_ns"), "values"));
	char *line;
	int ret;

	if (!over_runs)
		return wrong(path, "has a single run; make it with ntime -r N --json");
	cli_results_add_figures(r);
	for (size_t i = 0; i < json_array_size(items); i++) {
		of = json_array_get(items, i);
		(void)cli_results_add_metric(r, text_of(of, "name"), text_of(of, "unit"),
					     text_of(json_object_get(of, "absent"), "reason"));
	}
	r->is_in_emulator = json_is_true(json_object_get(root, "in_emulator"));
	line = line_of(json_object_get(root, "command"));
	(void)cli_results_add_side(r, line, line);
	free(line);
	add_empty_runs(r, 0, runs, NULL);
	ret = read_figures(r, over_runs, path);
	for (size_t i = 0; i < json_array_size(items) && !ret; i++) {
		of = json_array_get(items, i);
		ret = put_values(r, 0, (size_t)CLI_FIGURES + 1 + i, json_object_get(of, "values"),
				 1);
		if (ret)
			ret = wrong(path, "a value of '%s' is %s", text_of(of, "name"),
				    what_is_wrong(ret));
	}
	if (!ret &&
	    cli_outcomes_from_json(&r->side[0].left_out, json_object_get(root, "runs_left_out")))
		ret = wrong(path, "the runs that were left out are not such");
	r->is_finished = true;
	return ret;
}

/* ---- hyperfine ---- */

/* Lists of hyperfine beside that of the times. */
static const char *const beside[] = { "exit_codes", "memory_usage_byte" };

/* Each of them has one of a run, or is not there. */
static int check_result(const json_t *of, size_t number, const char *path)
{
	const json_t *times = json_object_get(of, "times"),
		     *codes = json_object_get(of, "exit_codes");

	if (!*text_of(of, "command") || !json_array_size(times))
		return wrong(path, "result %zu has no command and times", number);
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		const json_t *list = json_object_get(of, beside[i]);

		if (list && !json_is_null(list) && json_array_size(list) != json_array_size(times))
			return wrong(path, "result %zu has %zu times and %zu %s, of the same runs",
				     number, json_array_size(times), json_array_size(list),
				     beside[i]);
	}
	for (size_t i = 0; i < json_array_size(codes); i++) {
		const json_t *code = json_array_get(codes, i);

		if (!json_is_null(code) &&
		    (!json_is_integer(code) || json_integer_value(code) & ~0xffll))
			return wrong(path, "an exit code of '%s' is not a number from 0 to 255",
				     text_of(of, "command"));
	}
	for (size_t i = 0; i < json_array_size(times); i++)
		if (json_is_null(json_array_get(times, i)))
			return wrong(path, "a time of '%s' is not a number",
				     text_of(of, "command"));
	return 0;
}

/* Runs that did not end with status 0 are in no number; null is one that a signal ended. */
static void leave_out_failed(struct cli_results *r, struct cli_side *s, const json_t *codes)
{
	size_t kept = 0, metrics = r->metrics;

	for (size_t i = 0; i < s->runs; i++) {
		const json_t *code = json_array_get(codes, i);
		struct cli_outcome o = { .status = (int)json_integer_value(code) << 8,
					 .was_killed = json_is_null(code) };

		if (!cli_outcome_is_good(&o)) {
			cli_outcomes_add(&s->left_out, &o);
			cli_results_add_failed(r, (size_t)(s - r->side), i, &o,
					       &s->value[i * metrics]);
			continue;
		}
		memmove(&s->value[kept * metrics], &s->value[i * metrics],
			metrics * sizeof(*s->value));
		s->round[kept++] = s->round[i];
	}
	s->runs = kept;
}

static int read_result(struct cli_results *r, const json_t *of, const char *path)
{
	const char *line = text_of(of, "command");
	const json_t *times = json_object_get(of, "times");
	size_t side = cli_results_add_side(r, line, line);
	struct cli_side *s = &r->side[side];
	int ret;

	if (check_result(of, side + 1, path) || read_parameters(r, side, of, path) ||
	    read_mean(s, CLI_USER, json_object_get(of, "user"), 1e9, path) ||
	    read_mean(s, CLI_SYS, json_object_get(of, "system"), 1e9, path))
		return -EINVAL;
	add_empty_runs(r, side, json_array_size(times), NULL);
	ret = put_values(r, side, 0, times, 1e9);
	if (ret)
		return wrong(path, "a time of '%s' is %s", line, what_is_wrong(ret));
	ret = r->metrics > 1 ? put_values(r, side, 1, json_object_get(of, "memory_usage_byte"), 1)
			     : 0;
	if (ret)
		return wrong(path, "a memory_usage_byte of '%s' is %s", line, what_is_wrong(ret));
	leave_out_failed(r, s, json_object_get(of, "exit_codes"));
	return 0;
}

/* Command lines that are the same are told apart by their parameters. */
static void name_by_parameters(struct cli_results *r)
{
	for (size_t i = 0; i < r->sides; i++) {
		struct cli_side *s = &r->side[i];
		bool has_twin = false;

		for (size_t k = 0; k < r->sides; k++)
			has_twin |= k != i && strcmp(r->side[k].line, s->line) == 0;
		if (!has_twin || !s->parameters)
			continue;
		free(s->name);
		s->name = cli_parameters_text(s->line, s->parameter, s->parameters);
	}
}

/*
 * Its times are seconds, of runs one after the other; of user and system time it has means alone.
 */
static int read_hyperfine(struct cli_results *r, const json_t *results, const char *path)
{
	int ret = 0;

	(void)cli_results_add_metric(r, CLI_METRIC_REAL, "ns", "");
	for (size_t i = 0; i < json_array_size(results) && r->metrics == 1; i++)
		if (json_array_size(json_object_get(json_array_get(results, i), beside[1])))
			(void)cli_results_add_metric(r, cli_figure_forms[CLI_MAX_RSS].name,
						     cli_figure_forms[CLI_MAX_RSS].unit, "");
	for (size_t i = 0; i < json_array_size(results) && !ret; i++)
		ret = read_result(r, json_array_get(results, i), path);
	name_by_parameters(r);
	r->is_finished = true;
	return ret;
}

/* ---- all of them ---- */

static int read_ours(struct cli_results *r, const json_t *root, const char *path)
{
	const char *kind = text_of(root, "kind");
	json_int_t schema = json_integer_value(json_object_get(root, "schema"));

	if (schema != CLI_SCHEMA)
		return wrong(path, "was written by ntime %s in another form (%lld, this is %d)",
			     text_of(root, "ntime"), (long long)schema, CLI_SCHEMA);
	if (strcmp(kind, "comparison") == 0)
		return read_comparison(r, root, path);
	if (strcmp(kind, "summary") == 0)
		return read_repeated(r, root, path);
	return wrong(path, "has no runs of a command: it is of kind '%s'", kind);
}

static int read_root(struct cli_results *r, const json_t *root, const char *path)
{
	const json_t *results = json_object_get(root, "results");
	int ret;

	r->host = cli_strdup(text_of(root, "host"));
	if (json_object_get(root, "ntime"))
		ret = read_ours(r, root, path);
	else if (json_is_array(results))
		ret = read_hyperfine(r, results, path);
	else
		return wrong(path, "is no result of ntime --json or of hyperfine --export-json");
	if (!ret && !r->sides)
		ret = wrong(path, "has no command");
	if (!ret && !r->metrics)
		ret = wrong(path, "has no metric");
	return ret;
}

int cli_results_load(const char *path, char **text, size_t *bytes)
{
	size_t room = 0, got;
	FILE *f = cli_fopen_file(path);
	int ret = 0;

	*text = NULL;
	*bytes = 0;
	if (!f)
		return wrong(path, "%s", cli_fopen_why());
	do {
		if (*bytes == room) {
			room = room ? 2 * room : 65536;
			*text = cli_realloc(*text, room, 1);
		}
		got = fread(*text + *bytes, 1, room - *bytes, f);
		*bytes += got;
	} while (got);
	if (ferror(f))
		ret = wrong(path, "%s", strerror(errno));
	fclose(f);
	return ret;
}

int cli_results_read(struct cli_results *r, const char *path, const char *text, size_t bytes)
{
	json_error_t error;
	json_t *root;
	int ret;

	*r = (struct cli_results){ 0 };
	if (cli_json_check() < 0)
		return -EINVAL;
	root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
	ret = root ? read_root(r, root, path)
		   : wrong(path, "line %d: it is no JSON, or cut short: %s", error.line,
			   error.text);
	json_decref(root);
	return ret;
}
