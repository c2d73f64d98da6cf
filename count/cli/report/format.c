// SPDX-License-Identifier: MIT
/*
 * --format: a line of the user's own. Its sequences are those of GNU time 1.9 (info time, "The
 * Format String"), but that what Linux does not count (getrusage(2)) is -, not 0, and that %M tells
 * where it is an upper bound only; %{EVENT} is any event or metric.
 */
#include "count/cli/report/format.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output/number.h"
#include "count/cli/report/brief.h"

/* What %LETTER may be; %% and \-escapes are text. The last ones Linux does not count. */
#define LETTERS "eESUPMFRIOcwxCZ" UNCOUNTED
#define UNCOUNTED "DKXptsrkW"

/**
 * struct piece - of a format
 * @kind:	a letter of LETTERS; '{' a name; 0 text
 * @text, @chars: the name or the text
 */
struct piece {
	char kind;
	const char *text;
	size_t chars;
};

static struct piece escape(const char *at)
{
	static const char escapes[] = "n\nt\t\\\\";

	for (const char *e = escapes; *e; e += 2)
		if (e[0] == at[1])
			return (struct piece){ .text = e + 1, .chars = 1 };
	/* As it stands. */
	return (struct piece){ .text = at, .chars = 1 };
}

/* The piece at @at, which is not the end; what follows it. NULL: it is none. */
static const char *next(const char *at, struct piece *p)
{
	const char *end;

	if (*at == '\\') {
		*p = escape(at);
		return at + (p->text == at ? 1 : 2);
	}
	if (*at != '%') {
		*p = (struct piece){ .text = at, .chars = strcspn(at, "%\\") };
		return at + p->chars;
	}
	if (at[1] == '%') {
		*p = (struct piece){ .text = at, .chars = 1 };
		return at + 2;
	}
	if (at[1] == '{') {
		end = strchr(at, '}');
		*p = (struct piece){ .kind = '{', .text = at + 2 };
		if (!end || end == p->text)
			return NULL;
		p->chars = (size_t)(end - p->text);
		return end + 1;
	}
	*p = (struct piece){ .kind = at[1] };
	return at[1] && strchr(LETTERS, at[1]) ? at + 2 : NULL;
}

const char *cli_format_check(const char *format,
			     void (*name)(void *arg, const char *event, size_t chars), void *arg)
{
	struct piece p;

	while (*format) {
		const char *after = next(format, &p);

		if (!after)
			return format;
		if (p.kind == '{')
			name(arg, p.text, p.chars);
		format = after;
	}
	return NULL;
}

/* What is not known is no 0. */
static void put_unknown(FILE *f)
{
	putc('-', f);
}

static void put_figure(FILE *f, const struct cli_report *r, enum cli_figure_id id, double unit,
		       int decimals)
{
	if (r->figure[id].n)
		fprintf(f, "%s%.*f", r->at_most[id] ? "<=" : "", decimals,
			r->figure[id].mean / unit);
	else
		put_unknown(f);
}

/* [hours:]minutes:seconds */
static void put_clock(FILE *f, double ns)
{
	double hundredths = nearbyint(ns / 1e7), minutes = floor(hundredths / 6000);

	hundredths -= minutes * 6000;
	if (minutes >= 60)
		fprintf(f, "%.0f:%02.0f:%02.0f", floor(minutes / 60), fmod(minutes, 60),
			floor(hundredths / 100));
	else
		fprintf(f, "%.0f:%05.2f", minutes, hundredths / 100);
}

static void put_share(FILE *f, const struct cli_report *r)
{
	const struct cli_item *counted = cli_report_find(r, "CPUs-used");
	double real = r->figure[CLI_REAL].mean;

	if (!r->argv && !r->is_of_cpus && counted && cli_value_is_known(&counted->value))
		fprintf(f, "%.0f%%", floor(100 * counted->value.value));
	else if (real > 0 && r->figure[CLI_USER].n)
		fprintf(f, "%.0f%%",
			floor((r->figure[CLI_USER].mean + r->figure[CLI_SYS].mean) * 100 / real));
	else
		put_unknown(f);
}

/* 128 and the signal's number, as a shell has it. */
static void put_status(FILE *f, const struct cli_report *r)
{
	if (!r->has_ended)
		put_unknown(f);
	else
		fprintf(f, "%d",
			WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status)
					       : WEXITSTATUS(r->status));
}

static void put_item(FILE *f, const struct cli_report *r, const struct piece *p)
{
	const struct cli_item *item = NULL;

	for (size_t i = 0; i < r->items && !item; i++)
		if (strncmp(r->item[i].name, p->text, p->chars) == 0 && !r->item[i].name[p->chars])
			item = &r->item[i];
	if (item && cli_value_is_known(&item->value))
		fputs(cli_number_exact(item->value.value).text, f);
	else
		put_unknown(f);
}

static void put_letter(FILE *f, const struct cli_report *r, char letter)
{
	static const struct {
		char letter;
		enum cli_figure_id id;
		double unit;
		int decimals;
	} figures[] = {
		{ 'e', CLI_REAL, 1e9, 2 },
		{ 'S', CLI_SYS, 1e9, 2 },
		{ 'U', CLI_USER, 1e9, 2 },
		{ 'M', CLI_MAX_RSS, 1024, 0 },
		{ 'F', CLI_MAJOR_FAULTS, 1, 0 },
		{ 'R', CLI_MINOR_FAULTS, 1, 0 },
		{ 'I', CLI_IN_BLOCKS, 1, 0 },
		{ 'O', CLI_OUT_BLOCKS, 1, 0 },
		{ 'c', CLI_INVOLUNTARY_SWITCHES, 1, 0 },
		{ 'w', CLI_VOLUNTARY_SWITCHES, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (figures[i].letter == letter)
			put_figure(f, r, figures[i].id, figures[i].unit, figures[i].decimals);
	if (letter == 'E')
		put_clock(f, r->figure[CLI_REAL].mean);
	else if (strchr(UNCOUNTED, letter))
		put_unknown(f);
	else if (letter == 'P')
		put_share(f, r);
	else if (letter == 'x')
		put_status(f, r);
	else if (letter == 'Z')
		fprintf(f, "%ld", sysconf(_SC_PAGESIZE));
	for (size_t i = 0; letter == 'C' && r->argv && r->argv[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", r->argv[i]);
}

static void summary(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	struct piece p;

	for (const char *at = style->format; *at;) {
		at = next(at, &p);
		/* It was checked when it was given. */
		if (!at)
			break;
		if (p.kind == '{')
			put_item(f, r, &p);
		else if (p.kind)
			put_letter(f, r, p.kind);
		else
			fwrite(p.text, 1, p.chars, f);
	}
	putc('\n', f);
}

const struct cli_writer cli_format_writer = { .summary = summary };
