// SPDX-License-Identifier: MIT
/* Frames from files: ntime's CSV, what glretrace prints, Mesa's HUD, and published means. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "count/cli/compare/frames.h"
#include "count/cli/compare/json.h"
#include "base/output/memory.h"
#include "base/output/say.h"

/* What ntime gl --csv begins with, and the first of its columns of counters. */
#define CSV_HEAD "drawable,frame,flags,begin_s,frame_s"
enum { DRAWABLE, FRAME, FLAGS, BEGIN_S, FRAME_S };

/**
 * struct reader - a file that is being read
 * @path:	of the file, which in a folder is not the operand
 * @line:	number of the line, from 1 on; 0: no line is to blame
 * @rest:	what follows it
 * @field:	@fields of the line, which lie in it
 */
struct reader {
	struct cli_frame_files *all;
	const char *operand_path, *path;
	size_t operand;
	size_t line;
	char *rest;
	char **field;
	size_t fields;
};

static int wrong(const struct reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A sentence about where @r is, then -EINVAL. */
static int wrong(const struct reader *r, const char *format, ...)
{
	va_list args;
	char *what;

	va_start(args, format);
	what = cli_format_args(format, args);
	va_end(args);
	if (r->line)
		cli_say("%s: line %zu: %s", r->path, r->line, what);
	else
		cli_say("%s: %s", r->path, what);
	free(what);
	return -EINVAL;
}

/* ---- series ---- */

static struct cli_frame_series *series_of(struct reader *r, unsigned long drawable)
{
	struct cli_frame_files *all = r->all;

	for (size_t i = 0; i < all->n; i++)
		if (all->series[i].operand == r->operand && all->series[i].drawable == drawable)
			return &all->series[i];
	cli_grow(&all->series, all->n);
	all->series[all->n] = (struct cli_frame_series){ .path = r->operand_path,
							 .operand = r->operand,
							 .drawable = drawable,
							 .reference = SIZE_MAX };
	return &all->series[all->n++];
}

static struct cli_frame_counter *add_counter(struct cli_frame_series *s, const char *name,
					     size_t chars, const char *unit)
{
	struct cli_frame_counter *c;

	cli_grow(&s->counter, s->counters);
	c = &s->counter[s->counters++];
	*c = (struct cli_frame_counter){ .name = cli_strndup(name, chars),
					 .unit = cli_strdup(unit),
					 .mean = NAN,
					 .min = NAN,
					 .max = NAN };
	return c;
}

/* "NAME [UNIT]" or "NAME". */
static void add_titled(struct cli_frame_series *s, const char *title)
{
	size_t chars = strlen(title);
	const char *unit = strstr(title, " [");
	char *of;

	if (!unit || title[chars - 1] != ']') {
		(void)add_counter(s, title, chars, "");
		return;
	}
	of = cli_strndup(unit + 2, strlen(unit) - 3);
	(void)add_counter(s, title, (size_t)(unit - title), of);
	free(of);
}

static void add_value(struct cli_frame_counter *c, double value)
{
	cli_grow(&c->value, c->n);
	c->value[c->n++] = value;
}

/* What is known of all frames together. */
static void sum_up(struct cli_frame_counter *c)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (isnan(c->value[i]))
			continue;
		sum += c->value[i];
		n++;
		c->min = fmin(c->min, c->value[i]);
		c->max = fmax(c->max, c->value[i]);
	}
	if (n)
		c->mean = sum / (double)n;
}

static int check_names(const struct reader *r, const struct cli_frame_series *s)
{
	for (size_t i = 0; i < s->counters; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(s->counter[i].name, s->counter[k].name) == 0)
				return wrong(r, "the counter '%s' is there twice",
					     s->counter[i].name);
	return 0;
}

/* ---- lines, fields and numbers ---- */

/* The next line that is not blank, NULL at the end. Its own end is taken away. */
static char *next_line(struct reader *r)
{
	while (*r->rest) {
		char *line = r->rest, *end = line + strcspn(line, "\n");

		r->rest = *end ? end + 1 : end;
		r->line++;
		if (end > line && end[-1] == '\r')
			end[-1] = '\0';
		*end = '\0';
		if (line[strspn(line, " \t")])
			return line;
	}
	return NULL;
}

/* Part @line at each @separator; quotes are those of RFC 4180. */
static int split(struct reader *r, char *line, char separator)
{
	bool is_over = false;

	for (r->fields = 0; !is_over; r->fields++) {
		bool is_quoted = *line == '"';
		char *to = line;

		cli_grow(&r->field, r->fields);
		r->field[r->fields] = line;
		line += is_quoted;
		for (; *line && (is_quoted || *line != separator); line++) {
			if (is_quoted && *line == '"' && *++line != '"') {
				is_quoted = false;
				line--;
			} else {
				*to++ = *line;
			}
		}
		if (is_quoted)
			return wrong(r, "a quote has no end: the file is cut short, or damaged");
		is_over = !*line++;
		*to = '\0';
	}
	return 0;
}

static int check_fields(const struct reader *r, size_t columns)
{
	if (r->fields == columns)
		return 0;
	return wrong(r, "%zu fields and not %zu as in the first line: the file is %s", r->fields,
		     columns, r->fields < columns ? "cut short, or damaged" : "damaged");
}

/* A finite decimal number; @none, which stands for no number, is NAN. */
static int take_number(const struct reader *r, const char *text, const char *none, double *number)
{
	char *end;

	*number = NAN;
	if (strcmp(text, none) == 0)
		return 0;
	if (*text && !text[strspn(text, "0123456789+-.eE")]) {
		*number = strtod(text, &end);
		if (!*end && isfinite(*number))
			return 0;
	}
	return wrong(r, "'%.40s' is no number", text);
}

static int take_row(const struct reader *r, struct cli_frame_series *s, size_t first,
		    const char *none)
{
	int ret = 0;

	for (size_t i = 0; i < s->counters && !ret; i++) {
		double number;

		ret = take_number(r, r->field[first + i], none, &number);
		/* The first column of a CSV is of seconds. */
		if (!ret)
			add_value(&s->counter[i], !i && first == FRAME_S ? number * 1e9 : number);
	}
	return ret;
}

/* ---- ntime gl --csv ---- */

static bool has_word(const char *words, const char *word)
{
	size_t chars = strlen(word);

	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");

		if (n == chars && strncmp(at, word, n) == 0)
			return true;
		at += n;
	}
	return false;
}

static struct cli_frame_series *series_with(struct reader *r, unsigned long drawable, char **title,
					    size_t titles)
{
	struct cli_frame_series *s = series_of(r, drawable);

	if (s->counters)
		return s;
	(void)add_counter(s, CLI_FRAME_TIME, strlen(CLI_FRAME_TIME), "ns");
	for (size_t i = FRAME_S + 1; i < titles; i++)
		add_titled(s, title[i]);
	return s;
}

static int read_csv_row(struct reader *r, char *line, char **title, size_t titles)
{
	double drawable, unused;
	int ret = split(r, line, ',');

	if (!ret)
		ret = check_fields(r, titles);
	if (!ret)
		ret = take_number(r, r->field[DRAWABLE], "", &drawable);
	for (size_t i = FRAME; i <= BEGIN_S && !ret; i++)
		ret = i == FLAGS ? 0 : take_number(r, r->field[i], "", &unused);
	if (ret || has_word(r->field[FLAGS], "first"))
		return ret;
	if (drawable < 0 || drawable > UINT32_MAX)
		return wrong(r, "'%s' is no number of a drawable", r->field[DRAWABLE]);
	return take_row(
		r, series_with(r, isnan(drawable) ? 0 : (unsigned long)drawable, title, titles),
		FRAME_S, "");
}

static int read_csv(struct reader *r)
{
	char **title, *line;
	size_t titles;
	int ret = split(r, next_line(r), ',');

	title = r->field;
	titles = r->fields;
	r->field = NULL;
	while (!ret && (line = next_line(r)))
		ret = read_csv_row(r, line, title, titles);
	for (size_t i = 0; i < r->all->n && !ret; i++)
		if (r->all->series[i].operand == r->operand)
			ret = check_names(r, &r->all->series[i]);
	free(title);
	return ret;
}

/* ---- glretrace --pframes ---- */

static int read_retrace(struct reader *r)
{
	struct cli_frame_series *s = series_of(r, 0);
	bool has_first = false;
	char *line;
	int ret = 0;

	while (!ret && (line = next_line(r))) {
		if (strncmp(line, "Rendered ", 9) == 0)
			continue;
		ret = split(r, line, '\t');
		if (ret)
			break;
		if (!s->counters && strcmp(r->field[0], "#") == 0) {
			for (size_t i = 1; i < r->fields; i++)
				(void)add_counter(s, r->field[i], strlen(r->field[i]), "");
			ret = check_names(r, s);
			continue;
		}
		if (!s->counters || strcmp(r->field[0], "frame") != 0)
			return wrong(r,
				     "'%.40s' is neither the head nor a frame of glretrace "
				     "--pframes",
				     r->field[0]);
		ret = check_fields(r, s->counters + 1);
		if (!ret && has_first)
			ret = take_row(r, s, 1, "-");
		has_first = true;
	}
	return ret;
}

/* ---- Mesa's HUD ---- */

static int read_hud(struct reader *r)
{
	struct cli_frame_series *s = series_of(r, 0);
	char *name = cli_frame_stem(r->path), *line;
	struct cli_frame_counter *c = add_counter(s, name, strlen(name), "");
	int ret = 0;

	free(name);
	while (!ret && (line = next_line(r))) {
		double number;

		ret = take_number(r, line, *line == '-' ? "-nan" : "nan", &number);
		if (!ret)
			add_value(c, number);
	}
	return ret;
}

/* ---- published means ---- */

/* A number of block @c; of all blocks the file has one list of fps. */
static int take_figure(const struct reader *r, struct cli_frame_series *s, size_t at, char *word)
{
	static const char *const keys[] = { "fps=", "mean=", "min=", "max=" };
	size_t key = 0, chars;
	double number;
	char *digits;

	while (key < 4 && strncmp(word, keys[key], strlen(keys[key])) != 0)
		key++;
	if (key == 4)
		return wrong(r, "'%.40s' is none of fps=, mean=, min= and max=", word);
	digits = word + strlen(keys[key]);
	chars = strlen(digits);
	if (key && chars && digits[chars - 1] == '%') {
		digits[chars - 1] = '\0';
		memcpy(s->counter[at].unit, "%", 2);
	}
	if (take_number(r, digits, "-", &number))
		return -EINVAL;
	if (key)
		*(key == 1   ? &s->counter[at].mean
		  : key == 2 ? &s->counter[at].min
			     : &s->counter[at].max) = number;
	else
		add_value(&s->counter[0], number);
	return 0;
}

static int read_words(struct reader *r, struct cli_frame_series *s, char *line, bool *is_open,
		      bool *has_stats)
{
	char *save, *word = strtok_r(line, " \t", &save);
	int ret = 0;

	for (; word && !ret; word = strtok_r(NULL, " \t", &save)) {
		struct cli_frame_counter *c = &s->counter[s->counters - 1];

		if (strcmp(word, "OPTIONS:") == 0 && *is_open == *has_stats) {
			char *name = cli_frame_stem(r->path);

			/* Room for the unit, which a number names. */
			c = add_counter(s, name, strlen(name), " ");
			*c->unit = '\0';
			free(name);
			*is_open = true;
			*has_stats = false;
		} else if (strcmp(word, "STATS:") == 0 && *is_open && !*has_stats) {
			*has_stats = true;
		} else if (!strchr(word, '=') || !*is_open) {
			ret = wrong(r,
				    "'%.40s' is not expected here: OPTIONS: and STATS: "
				    "alternate, with KEY=VALUE behind them",
				    word);
		} else if (*has_stats) {
			ret = take_figure(r, s, s->counters - 1, word);
		} else if (strncmp(word, "counter=", 8) == 0) {
			free(c->name);
			c->name = cli_strdup(word + 8);
		}
	}
	return ret;
}

static int read_means(struct reader *r)
{
	struct cli_frame_series *s = series_of(r, 0);
	bool is_open = false, has_stats = false;
	char *line;
	int ret = 0;

	(void)add_counter(s, "fps", 3, "");
	while (!ret && (line = next_line(r)))
		ret = read_words(r, s, line, &is_open, &has_stats);
	if (!ret && !has_stats)
		ret = wrong(r, "the block that ends here has no STATS:");
	/* They are no frames. */
	sum_up(&s->counter[0]);
	s->counter[0].n = 0;
	return ret ? ret : check_names(r, s);
}

/* ---- all of them ---- */

static int read_text(struct reader *r, bool is_folder)
{
	const char *text = r->rest + strspn(r->rest, " \t\r\n"), *last = strrchr(text, '\n');

	if (!is_folder && (strncmp(text, "OPTIONS:", 8) == 0 || strncmp(text, "STATS:", 6) == 0))
		return read_means(r);
	if (*text && (!last || last[1]))
		return wrong(r, "the last line has no end: the file is cut short");
	if (is_folder || !*text || strchr("0123456789+-.n", *text))
		return read_hud(r);
	if (strncmp(text, CSV_HEAD, strlen(CSV_HEAD)) == 0)
		return read_csv(r);
	if (strncmp(text, "#\t", 2) == 0 || strncmp(text, "Rendered ", 9) == 0)
		return read_retrace(r);
	r->line = 1;
	return wrong(r, "it has no frames: neither those of ntime gl --csv, of glretrace "
			"--pframes or of Mesa's HUD, nor OPTIONS: and STATS:");
}

static int read_file(struct cli_frame_files *all, const char *operand, size_t number,
		     const char *path)
{
	struct reader r = { .all = all, .operand_path = operand, .path = path, .operand = number };
	char *text;
	size_t bytes;
	int ret;

	ret = cli_results_load(path, &text, &bytes);
	if (!ret) {
		text = cli_realloc(text, bytes + 1, 1);
		text[bytes] = '\0';
		r.rest = text;
		ret = strlen(text) == bytes ? read_text(&r, path != operand)
					    : wrong(&r, "it is no text");
	}
	free(r.field);
	free(text);
	return ret;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct cli_frame_counter *)a)->name,
		      ((const struct cli_frame_counter *)b)->name);
}

/* A file a counter, by their names. */
static int read_folder(struct cli_frame_files *all, const char *path, size_t number)
{
	DIR *folder = cli_opendir(path);
	size_t first = all->n;
	struct dirent *of;
	int ret = 0;

	if (!folder) {
		cli_say("%s: %s", path, strerror(errno));
		return -EINVAL;
	}
	while (!ret && (of = readdir(folder))) {
		char *name = cli_format("%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/",
					of->d_name);

		if (of->d_name[0] != '.')
			ret = read_file(all, path, number, name);
		free(name);
	}
	closedir(folder);
	if (!ret && all->n > first)
		qsort(all->series[first].counter, all->series[first].counters,
		      sizeof(struct cli_frame_counter), compare_names);
	return ret;
}

int cli_frame_files_read(struct cli_frame_files *all, const char *path, size_t operand)
{
	bool has_number = false;
	int ret = cli_operand_is_frame_folder(path) ? read_folder(all, path, operand)
						    : read_file(all, path, operand, path);

	for (size_t i = 0; i < all->n; i++) {
		struct cli_frame_series *s = &all->series[i];

		for (size_t k = 0; k < s->counters && s->operand == operand; k++) {
			if (s->counter[k].n)
				sum_up(&s->counter[k]);
			has_number |= !isnan(s->counter[k].mean) || !isnan(s->counter[k].min) ||
				      !isnan(s->counter[k].max);
		}
	}
	if (ret || has_number)
		return ret;
	cli_say("%s: it has no frame with a number (frame 0 is left out)", path);
	return -EINVAL;
}

void cli_frame_files_fini(struct cli_frame_files *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct cli_frame_series *s = &all->series[i];

		for (size_t k = 0; k < s->counters; k++) {
			free(s->counter[k].name);
			free(s->counter[k].unit);
			free(s->counter[k].value);
		}
		free(s->counter);
		free(s->name);
	}
	free(all->series);
	*all = (struct cli_frame_files){ 0 };
}

const struct cli_frame_counter *cli_frame_find(const struct cli_frame_series *s, const char *name)
{
	for (size_t i = 0; i < s->counters; i++) {
		const struct cli_frame_counter *c = &s->counter[i];

		if (strcmp(c->name, name) == 0 &&
		    !(isnan(c->mean) && isnan(c->min) && isnan(c->max)))
			return c;
	}
	return NULL;
}

/* ---- operands ---- */

static const char *suffix_of(const char *path)
{
	static const char *const suffixes[] = { ".csv", ".stats", ".txt", ".tsv" };
	size_t chars = strlen(path);

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (chars > n && strcmp(path + chars - n, suffixes[i]) == 0)
			return path + chars - n;
	}
	return path + chars;
}

char *cli_frame_stem(const char *path)
{
	size_t end = (size_t)(suffix_of(path) - path), begin;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (begin = end; begin && path[begin - 1] != '/'; begin--)
		;
	return cli_strndup(path + begin, end - begin);
}

bool cli_operand_is_frame_file(const char *operand)
{
	struct stat s;

	return *suffix_of(operand) && !strpbrk(operand, " \t\n") && stat(operand, &s) == 0 &&
	       S_ISREG(s.st_mode) && !(s.st_mode & 0111);
}

bool cli_operand_is_frame_folder(const char *operand)
{
	struct stat s;

	return strchr(operand, '/') && !strpbrk(operand, " \t\n") && stat(operand, &s) == 0 &&
	       S_ISDIR(s.st_mode);
}
