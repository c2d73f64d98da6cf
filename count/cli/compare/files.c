// SPDX-License-Identifier: MIT
/* Results of several files as one. */
#include "count/cli/compare/files.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command/confine.h"
#include "count/cli/compare/json.h"
#include "base/output/exit.h"
#include "base/output/memory.h"
#include "base/output/say.h"

#define SUFFIX ".json"

bool cli_operand_is_file(const char *operand)
{
	size_t chars = strlen(operand), suffix = strlen(SUFFIX);

	return chars > suffix && strcmp(operand + chars - suffix, SUFFIX) == 0 &&
	       !strpbrk(operand, " \t\n");
}

/**
 * struct files - what was read
 * @of:		one a path, and one of what was run, which has no path
 * @have_one_each: command
 * @are_stems_alike: of two paths at least, which then are the names
 */
struct files {
	struct cli_results *of;
	const char **path;
	size_t n;
	bool have_one_each;
	bool are_stems_alike;
};

static const char *path_of(const struct files *f, size_t i)
{
	return f->path[i] ? f->path[i] : "what was run";
}

static bool have_one_each(const struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->of[i].sides != 1)
			return false;
	return true;
}

/* What a person calls the file, for free(3). */
static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return cli_strndup(name, strlen(name) - strlen(SUFFIX));
}

static bool are_stems_alike(const struct files *f)
{
	bool are_alike = false;

	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < i && f->path[i]; k++) {
			char *a = stem_of(f->path[i]),
			     *b = stem_of(f->path[k] ? f->path[k] : SUFFIX);

			are_alike |= strcmp(a, b) == 0;
			free(a);
			free(b);
		}
	}
	return are_alike;
}

static char *name_of(const struct files *f, size_t file, size_t side)
{
	char *stem, *name;

	if (!f->path[file])
		return cli_strdup(f->of[file].side[side].name);
	stem = f->are_stems_alike ? cli_strdup(f->path[file]) : stem_of(f->path[file]);
	if (f->have_one_each)
		return stem;
	name = cli_format("%s (%s)", f->of[file].side[side].name, stem);
	free(stem);
	return name;
}

/* Its number in the results, where it is added if no other file has it. */
static size_t metric_of(struct cli_results *r, const struct cli_metric *m)
{
	size_t at = cli_results_find_metric(r, m->name);

	if (at == SIZE_MAX)
		return cli_results_add_metric(r, m->name, m->unit, m->reason);
	/* Counted in one of them. */
	if (!*m->reason)
		*r->metric[at].reason = '\0';
	return at;
}

static int add_metrics(struct cli_results *r, const struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < f->of[i].metrics; k++) {
			const struct cli_metric *m = &f->of[i].metric[k];
			size_t at = metric_of(r, m);

			if (strcmp(r->metric[at].unit, m->unit) == 0)
				continue;
			cli_say("%s: '%s' has the unit '%s' here and '%s' in another file",
				path_of(f, i), m->name, m->unit, r->metric[at].unit);
			return -EINVAL;
		}
	}
	return 0;
}

/* @value of @from in the order of the metrics of @r: to @row. */
static void order(const struct cli_results *r, const struct cli_results *from, const double *value,
		  double *row)
{
	for (size_t k = 0; k < r->metrics; k++) {
		size_t at = cli_results_find_metric(from, r->metric[k].name);

		row[k] = at == SIZE_MAX ? NAN : value[at];
	}
}

static void copy_runs(struct cli_results *r, size_t to, const struct cli_results *from, size_t side)
{
	const struct cli_side *s = &from->side[side];
	double *row = cli_calloc(r->metrics, sizeof(*row));

	for (size_t i = 0; i < s->runs; i++) {
		order(r, from, s->value + i * from->metrics, row);
		cli_results_add_run(r, to, s->round[i], row);
	}
	for (size_t i = 0; i < s->n_failed; i++) {
		order(r, from, s->failed[i].value, row);
		cli_results_add_failed(r, to, s->failed[i].round, &s->failed[i].outcome, row);
	}
	for (size_t i = 0; i < s->parameters; i++)
		cli_results_add_parameter(r, to, s->parameter[i].name, s->parameter[i].value);
	memcpy(r->side[to].mean, s->mean, sizeof(s->mean));
	r->side[to].outlived += s->outlived;
	for (size_t i = 0; i < s->left_out.n; i++)
		cli_outcomes_add_runs(&r->side[to].left_out, &s->left_out.of[i].outcome,
				      s->left_out.of[i].runs);
	free(row);
}

static bool is_same_command(const struct cli_side *a, const struct cli_side *b)
{
	bool is_same = strcmp(a->line, b->line) == 0 && a->parameters == b->parameters;

	for (size_t i = 0; i < a->parameters && is_same; i++)
		is_same = strcmp(cli_side_parameter(b, a->parameter[i].name),
				 a->parameter[i].value) == 0;
	return is_same;
}

/* The command of the first file that is this one, or SIZE_MAX. */
static size_t reference_of(const struct files *f, size_t file, size_t side)
{
	if (!file)
		return SIZE_MAX;
	if (f->have_one_each || (!f->path[file] && f->of[0].sides == 1))
		return 0;
	for (size_t i = 0; i < f->of[0].sides; i++)
		if (is_same_command(&f->of[0].side[i], &f->of[file].side[side]))
			return i;
	return SIZE_MAX;
}

/* The first file's sides come first, so that their numbers are the same here. */
static void add_sides(struct cli_results *r, const struct files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		for (size_t k = 0; k < f->of[i].sides; k++) {
			char *name = name_of(f, i, k);
			size_t at = cli_results_add_side(r, name, f->of[i].side[k].line);

			free(name);
			r->side[at].reference = reference_of(f, i, k);
			/* Which file it is of is in its name alone. */
			r->side[at].is_named = true;
			copy_runs(r, at, &f->of[i], k);
		}
	}
}

static int join(struct cli_results *r, const struct files *f)
{
	size_t compared = 0;
	int ret;

	r->is_finished = true;
	r->is_in_emulator = f->of[0].is_in_emulator;
	for (size_t i = 0; i < f->n; i++) {
		if (f->of[i].is_in_emulator != r->is_in_emulator) {
			cli_say("%s and %s: one was counted in the emulator and the other was not, "
				"which counts other instructions",
				path_of(f, 0), path_of(f, i));
			return -EINVAL;
		}
		r->is_finished &= f->of[i].is_finished;
		/* Of results of others it is not known. */
		r->has_other_host |= *f->of[i].host && *f->of[0].host &&
				     strcmp(f->of[i].host, f->of[0].host) != 0;
	}
	ret = add_metrics(r, f);
	if (ret)
		return ret;
	add_sides(r, f);
	for (size_t i = 0; i < r->sides; i++)
		compared += r->side[i].reference != SIZE_MAX;
	if (compared)
		return 0;
	cli_say("no command of %s is in another file", path_of(f, 0));
	return -EINVAL;
}

int cli_files_load(struct cli_compare_options *o)
{
	int ret = 0;

	o->text = cli_calloc(o->file.n + 1, sizeof(*o->text));
	o->bytes = cli_calloc(o->file.n + 1, sizeof(*o->bytes));
	for (size_t i = 0; i < o->file.n && !ret; i++)
		ret = cli_results_load(o->file.word[i], &o->text[i], &o->bytes[i]);
	return ret;
}

/* The files of @o, and @now, which may be NULL and is emptied, where the user named it. */
static int read_all(struct files *f, const struct cli_compare_options *o, struct cli_results *now)
{
	size_t at = o->runs_first ? 0 : o->file.n;
	int ret = 0;

	*f = (struct files){ .n = o->file.n + (now ? 1 : 0) };
	f->of = cli_calloc(f->n, sizeof(*f->of));
	f->path = cli_calloc(f->n, sizeof(*f->path));
	for (size_t i = 0; i < f->n && !ret; i++) {
		size_t file = i - (now && i > at);

		if (now && i == at) {
			f->of[i] = *now;
			*now = (struct cli_results){ 0 };
			continue;
		}
		f->path[i] = o->file.word[file];
		ret = cli_results_read(&f->of[i], f->path[i], o->text[file], o->bytes[file]);
	}
	f->have_one_each = have_one_each(f);
	f->are_stems_alike = are_stems_alike(f);
	return ret;
}

static void free_all(struct files *f)
{
	for (size_t i = 0; i < f->n; i++)
		cli_results_fini(&f->of[i]);
	free(f->of);
	free(f->path);
}

/* As the user wants, and so that they can be told apart. */
static int rename_sides(struct cli_results *r, const struct cli_words *name)
{
	if (name->n && name->n != r->sides)
		return cli_compare_misuse("--name is given %zu times and there are %zu commands: "
					  "give it once for each",
					  name->n, r->sides);
	for (size_t i = 0; i < name->n; i++) {
		free(r->side[i].name);
		r->side[i].name = cli_strdup(name->word[i]);
		r->side[i].is_named = true;
	}
	for (size_t i = 0; i < r->sides; i++) {
		for (size_t k = 0; k < i; k++) {
			char *name_of_twin = r->side[i].name;

			if (strcmp(name_of_twin, r->side[k].name) != 0)
				continue;
			r->side[i].name = cli_format("%s #%zu", name_of_twin, i + 1);
			free(name_of_twin);
		}
	}
	return 0;
}

static int check_decider(const struct cli_results *r)
{
	size_t at = r->by ? cli_results_find_metric(r, r->by) : 0;

	if (at != SIZE_MAX)
		return 0;
	for (int i = 0; i < CLI_FIGURES; i++) {
		if (strcmp(r->by, cli_figure_forms[i].name) == 0 && !isnan(r->side[0].mean[i])) {
			cli_say("--by %s: hyperfine writes its mean and not the number of each "
				"run, without which there is no verdict",
				r->by);
			return -EINVAL;
		}
	}
	cli_say("--by %s: no file has it", r->by);
	return -EINVAL;
}

/* Before they are run, what they will give: their names and lines. */
static void foresee(struct cli_results *now, const struct cli_compare_commands *c)
{
	*now = (struct cli_results){ .host = cli_strdup("") };
	for (size_t i = 0; i < c->n; i++) {
		const struct cli_compare_command *of = &c->of[i];

		(void)cli_results_add_side(now, of->name, of->line);
		for (size_t k = 0; k < of->parameters; k++)
			cli_results_add_parameter(now, i, of->parameter[k].name,
						  of->parameter[k].value);
	}
}

/* In a process that has given up its rights; the status it ends with. */
static int check(const struct cli_compare_options *o, const struct cli_compare_commands *c)
{
	struct cli_results now, r = { 0 };
	const struct cli_results *first;
	struct files f;
	int ret;

	cli_confine(o->verbose);
	foresee(&now, c);
	ret = read_all(&f, o, &now);
	/* They will be counted as the first file was. */
	first = &f.of[o->runs_first];
	f.of[o->runs_first ? 0 : o->file.n].is_in_emulator = first->is_in_emulator;
	if (!ret)
		ret = join(&r, &f);
	if (!ret)
		ret = rename_sides(&r, &o->name);
	if (!ret && o->by) {
		r.by = cli_strdup(o->by);
		ret = check_decider(&r);
	}
	return ret ? CLI_EXIT_FAILED : first->is_in_emulator;
}

int cli_files_check(const struct cli_compare_options *o, const struct cli_compare_commands *c)
{
	int status = 0;
	pid_t child;

	child = fork();
	if (child == 0)
		_exit(check(o, c));
	if (child < 0 || waitpid(child, &status, 0) != child) {
		cli_say("no process can be made to read %s: %s", o->file.word[0], strerror(errno));
		return -EINVAL;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? WEXITSTATUS(status) : -EINVAL;
}

int cli_results_of_files(struct cli_results *r, const struct cli_compare_options *o,
			 struct cli_results *now)
{
	struct files f;
	int ret;

	*r = (struct cli_results){ 0 };
	ret = read_all(&f, o, now);
	if (!ret && f.n == 1) {
		/* The file itself is what is compared. */
		*r = f.of[0];
		f.of[0] = (struct cli_results){ 0 };
	} else if (!ret) {
		ret = join(r, &f);
	}
	if (!ret) {
		if (o->by) {
			free(r->by);
			r->by = cli_strdup(o->by);
		}
		ret = rename_sides(r, &o->name);
	}
	if (!ret)
		ret = check_decider(r);
	free_all(&f);
	return ret;
}
