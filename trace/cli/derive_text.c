// SPDX-License-Identifier: MIT
/* ntime trace derive: a table for people, and groups of equal set-ups. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/output/clean.h"
#include "base/output/memory.h"
#include "trace/cli/derive.h"

/* Names of a class that are shown before "... (13)". */
#define CLASS_NAMES 2

enum { DEVICE, WINDOW, DOMAIN, MODE, COUNTER, EVENT, LOGIC, MUX, VALUES, SAME, COLUMNS };

static const char *const titles[COLUMNS] = { "DEVICE", "WINDOW", "DOMAIN", "MODE",   "COUNTER",
					     "EVENT",  "COUNTS", "MUX",	   "VALUES", "SAME" };

struct line {
	char *cell[COLUMNS];
};

static unsigned int names_in(const char *event)
{
	unsigned int n = 1;

	for (const char *p = event; *p; p++)
		n += *p == '|';
	return n;
}

/* "sm_cta_launched|branch|... (13)" */
static char *short_event(const struct ntime_derived *d)
{
	unsigned int names = names_in(d->event);
	const char *end = d->event;

	if (!d->event[0])
		return cli_strdup(d->role == NTIME_DERIVED_CLOCK     ? "(clock)"
				  : d->role == NTIME_DERIVED_NOTHING ? "(nothing)"
								     : "-");
	if (names <= CLASS_NAMES) {
		if (strcmp(d->part, "-") == 0 || strcmp(d->part, "0") == 0)
			return cli_strdup(d->event);
		return cli_format("%s.%s", d->event, d->part);
	}
	for (unsigned int i = 0; i < CLASS_NAMES; i++)
		end += strcspn(end, "|") + 1;
	return cli_format("%.*s... (%u)", (int)(end - d->event), d->event, names);
}

static char *domain_text(const struct ntime_derived *d)
{
	if (strcmp(d->unit, "MP") == 0)
		return cli_format("MP of %s", d->instance);
	if (strcmp(d->unit, "PCOUNTER") == 0)
		return cli_format("%u%s%s", d->set, d->instance[0] ? ", " : "", d->instance);
	return cli_format("%s %s domain %u", d->unit, d->instance, d->set);
}

static char *mux_text(const struct ntime_derived *d)
{
	bool has_group = strcmp(d->group_sel, "-") != 0, has_mux = strcmp(d->mux, "-") != 0;

	if (strcmp(d->unit, "MP") == 0)
		return cli_strdup(d->relative);
	return cli_format("%s%s%s%s", has_group ? "groups " : "", has_group ? d->group_sel : "",
			  has_group && has_mux ? "; " : "",
			  has_mux     ? d->mux
			  : has_group ? ""
				      : "-");
}

bool cli_derive_has_clocks(const struct ntime_derived *d)
{
	for (uint32_t i = 0; i < d->n_values; i++)
		if (d->clocks[i] != NTIME_DERIVED_NO_CLOCKS)
			return true;
	return d->is_cycles_read;
}

/* " of 1000", of each value its own; where only others have them "of ?". */
static void put_clocks(FILE *f, const struct ntime_derived *d, uint64_t clocks)
{
	if (!cli_derive_has_clocks(d))
		return;
	if (clocks == NTIME_DERIVED_NO_CLOCKS)
		fputs(" of ?", f);
	else
		fprintf(f, " of %" PRIu64, clocks);
}

/* "6250", "1, 2, 3 ... (17)", ">= 4294967295", "111 of 1000, 112 of 1001 clocks" */
static char *values_text(const struct ntime_derived *d)
{
	uint32_t shown = d->n_values > 6 ? 4 : d->n_values;
	struct cli_text text;

	cli_text_begin(&text);
	for (uint32_t i = 0; i < shown; i++) {
		fprintf(text.f, "%s%s%" PRIu64, i ? ", " : "",
			d->values[i] == 0xffffffff ? ">= " : "", d->values[i]);
		put_clocks(text.f, d, d->clocks[i]);
	}
	if (d->reads > shown) {
		fprintf(text.f, " ... %" PRIu64, d->last);
		put_clocks(text.f, d, d->is_cycles_read ? d->cycles : NTIME_DERIVED_NO_CLOCKS);
	}
	if (cli_derive_has_clocks(d))
		fputs(" clocks", text.f);
	if (d->reads > shown)
		fprintf(text.f, " (%" PRIu64 " reads)", d->reads);
	if (d->flags & NTIME_DERIVED_OVERFLOW)
		fputs(", periods lost", text.f);
	return cli_text_end(&text);
}

static void fill(struct line *l, const struct cli_derive_row *r)
{
	const struct ntime_derived *d = &r->d;

	/* "0000:05:00.0 (GT218)": where cards stand side by side, each has its chip. */
	l->cell[DEVICE] = cli_format("%s%s%s%s", cli_derive_device(r), d->chip[0] ? " (" : "",
				     d->chip, d->chip[0] ? ")" : "");
	l->cell[WINDOW] = cli_strdup(d->windows_text);
	l->cell[DOMAIN] = domain_text(d);
	l->cell[MODE] = cli_strdup(d->mode);
	l->cell[COUNTER] = cli_strdup(d->counter);
	l->cell[EVENT] = short_event(d);
	l->cell[LOGIC] = cli_strdup(d->logic);
	l->cell[MUX] = mux_text(d);
	l->cell[VALUES] = values_text(d);
	l->cell[SAME] = cli_format("%u", r->same);
}

static void free_lines(struct line *lines, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned int c = 0; c < COLUMNS; c++)
			free(lines[i].cell[c]);
	free(lines);
}

/* Cells that are wider do not widen their column for all. */
#define CELL_WIDTH 44

static void measure(const struct line *lines, size_t n, size_t *width, bool has_device,
		    bool has_same)
{
	for (unsigned int c = 0; c < COLUMNS; c++) {
		width[c] = (c == SAME && !has_same) || (c == DEVICE && !has_device)
				   ? 0
				   : strlen(titles[c]);
		for (size_t i = 0; width[c] && i < n; i++) {
			size_t bytes = strlen(lines[i].cell[c]);

			if (bytes > width[c] && bytes <= CELL_WIDTH)
				width[c] = bytes;
		}
	}
}

static void put_line(FILE *f, const char *const *cells, const size_t *width)
{
	unsigned int last = width[SAME] ? SAME : VALUES;

	for (unsigned int c = width[DEVICE] ? DEVICE : WINDOW; c <= last; c++)
		fprintf(f, "%-*s%s", c == last ? 0 : (int)width[c], cli_clean(cells[c]),
			c == last ? "\n" : "  ");
}

/* Side by side where there is room; else each row is a paragraph. */
static bool has_room(const struct cli_look *look, const size_t *width)
{
	size_t sum = 0;

	for (unsigned int c = 0; c < COLUMNS; c++)
		sum += width[c] ? width[c] + 2 : 0;
	return !look->is_terminal || sum <= look->width + 2;
}

static void put_row_paragraph(FILE *f, const struct cli_look *look, const char *const *cells,
			      const size_t *width)
{
	struct cli_text text;
	bool is_first = true;

	cli_text_begin(&text);
	for (unsigned int c = 0; c < COLUMNS; c++) {
		if (!width[c])
			continue;
		fprintf(text.f, "%s%s %s", is_first ? "" : "; ", titles[c], cells[c]);
		is_first = false;
	}
	cli_text_end(&text);
	cli_wrap(f, look, 0, 4, text.text);
	free(text.text);
}

static void put_origin(FILE *f, const struct ntime_derived *d)
{
	for (const char *p = d->origin; *p;) {
		size_t bytes = strcspn(p, "\n");

		fputs("        ", f);
		cli_clean_print(f, p, bytes);
		putc('\n', f);
		p += bytes + (p[bytes] == '\n');
	}
	fprintf(f, "        key: %s\n", cli_clean(d->key));
	if (strcmp(d->relative, "-") != 0)
		fprintf(f, "        of its unit: %s\n", cli_clean(d->relative));
	if (strcmp(d->event_src, "-") != 0)
		fprintf(f, "        as written: %s/%s%s%s%s%s\n", d->event_src, d->event_op,
			strcmp(d->start_src, "-") ? ", START " : "",
			strcmp(d->start_src, "-") ? d->start_src : "",
			strcmp(d->start_src, "-") ? "/" : "",
			strcmp(d->start_src, "-") ? d->start_op : "");
}

static void put_detail(FILE *f, const struct cli_look *look, const char *title, const char *text)
{
	fprintf(f, "        %s", title);
	if (look->is_terminal)
		cli_wrap(f, look, 8 + strlen(title), 10, text);
	else
		fprintf(f, " %s\n", cli_clean(text));
}

static void put_details(FILE *f, const struct cli_look *look, const struct ntime_derived *d,
			unsigned int verbose)
{
	if (names_in(d->event) > CLASS_NAMES)
		put_detail(f, look, "one of:", d->event);
	if (strcmp(d->notes, "-") != 0)
		put_detail(f, look, "note:", d->notes);
	if (verbose)
		put_origin(f, d);
}

/* From row @first on, where those of @trace begin if it has any. The row behind them. */
static size_t print_trace(FILE *f, const struct cli_look *look, const struct cli_derive *d,
			  const struct cli_derive_trace *trace, const struct line *lines,
			  size_t first)
{
	size_t width[COLUMNS], n = 0;
	const char *chip = "";
	bool has_device = false, is_table;

	while (first + n < d->n && d->row[first + n].trace == trace)
		n++;
	for (size_t i = 0; i < n; i++) {
		has_device = has_device || d->row[first + i].d.device != d->row[first].d.device;
		if (d->row[first + i].d.chip[0])
			chip = d->row[first + i].d.chip;
	}
	if (has_device)
		chip = "";
	if (d->traces > 1 || chip[0])
		fprintf(f, "%s%s%s\n", cli_clean(trace->path), chip[0] ? ": chip " : "",
			cli_clean(chip));
	if (!n)
		return first;
	measure(lines + first, n, width, has_device, d->traces > 1);
	is_table = has_room(look, width);
	if (is_table)
		put_line(f, titles, width);
	for (size_t i = first; i < first + n; i++) {
		const char *cells[COLUMNS];

		for (unsigned int c = 0; c < COLUMNS; c++)
			cells[c] = lines[i].cell[c];
		if (is_table)
			put_line(f, cells, width);
		else
			put_row_paragraph(f, look, cells, width);
		put_details(f, look, &d->row[i].d, d->verbose);
	}
	return first + n;
}

static void print_traces(FILE *f, const struct cli_look *look, const struct cli_derive *d,
			 const struct line *lines)
{
	size_t at = 0;

	for (size_t i = 0; i < d->traces; i++) {
		if (i)
			fputc('\n', f);
		at = print_trace(f, look, d, &d->trace[i], lines, at);
	}
	if (d->hidden)
		fprintf(f, "(%u clocks and unused slots are not shown; -v shows them)\n",
			d->hidden);
}

void cli_derive_print_table(FILE *f, const struct cli_look *look, const struct cli_derive *d)
{
	struct line *lines = cli_calloc(d->n ? d->n : 1, sizeof(*lines));

	for (size_t i = 0; i < d->n; i++)
		fill(&lines[i], &d->row[i]);
	print_traces(f, look, d, lines);
	free_lines(lines, d->n);
}

static void print_member(FILE *f, const struct cli_derive_row *r)
{
	char *domain = domain_text(&r->d), *event = short_event(&r->d);

	fprintf(f, "    %s: window %s, domain %s, %s %s/%s: %s\n", cli_clean(r->trace->path),
		r->d.windows_text, cli_clean(domain), r->d.counter, r->d.event_src, r->d.event_op,
		cli_clean(event));
	free(domain);
	free(event);
}

/*
 * Rows by their groups, each group in the order it has: group g is order[first[g]] up to
 * order[first[g + 1]].
 */
struct groups {
	size_t *first, *order;
};

static void sort_groups(struct groups *g, const struct cli_derive *d)
{
	/* Counted two behind and placed one behind its own, so the places end as beginnings. */
	g->first = cli_calloc((size_t)d->groups + 3, sizeof(*g->first));
	g->order = cli_calloc(d->n ? d->n : 1, sizeof(*g->order));
	for (size_t i = 0; i < d->n; i++)
		g->first[d->row[i].same + 2]++;
	for (size_t i = 2; i < (size_t)d->groups + 3; i++)
		g->first[i] += g->first[i - 1];
	for (size_t i = 0; i < d->n; i++)
		g->order[g->first[d->row[i].same + 1]++] = i;
}

/* @n rows, at least one. */
static void print_group(FILE *f, const struct cli_derive *d, unsigned int number,
			const size_t *order, size_t n)
{
	const struct cli_derive_row *last = &d->row[order[n - 1]];
	unsigned int traces = 1;

	for (size_t i = 1; i < n; i++)
		traces += d->row[order[i]].trace != d->row[order[i - 1]].trace;
	fprintf(f, "%u: %s, %s: ", number, last->d.mode, last->d.logic);
	if (traces == d->traces)
		fprintf(f, "equal in all traces (%zu rows)\n", n);
	else if (traces > 1)
		fprintf(f, "equal in %u of %zu traces\n", traces, d->traces);
	else
		fprintf(f, "only in %s\n", cli_clean(last->trace->path));
	for (size_t i = 0; i < n; i++)
		print_member(f, &d->row[order[i]]);
}

void cli_derive_print_groups(FILE *f, const struct cli_derive *d)
{
	struct groups g;

	sort_groups(&g, d);
	for (unsigned int i = 1; i <= d->groups; i++)
		print_group(f, d, i, g.order + g.first[i], g.first[i + 1] - g.first[i]);
	for (size_t i = 0; i < g.first[1]; i++) {
		fputs("not comparable, the trace lacks its set-up:\n", f);
		print_member(f, &d->row[g.order[i]]);
	}
	free(g.first);
	free(g.order);
}
