// SPDX-License-Identifier: MIT
/* A report as CSV (RFC 4180 quoting, lines end with a newline alone): a header, then a row per item. */
#include <inttypes.h>
#include <string.h>

#include "cli/output/csv.h"
#include "cli/output/number.h"
#include "cli/stat/report.h"

static void begin(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	(void)r;
	fputs("name,value,unit,error,count,wanted_ns,counted_ns,flags,unit_name,way,reason,remedy",
	      f);
	if (style->by_interval)
		fputs(",time_s", f);
	if (style->by_run)
		fputs(",runs,min,max,spread", f);
	putc('\n', f);
}

struct words {
	char text[128];
};

/* Flags share a field, parted by blanks. */
static void add_word(void *arg, const char *word)
{
	struct words *w = arg;
	size_t used = strlen(w->text);

	snprintf(w->text + used, sizeof(w->text) - used, "%s%s", used ? " " : "", word);
}

static void put_spread(FILE *f, const struct cli_spread *s)
{
	if (!s->n)
		fputs(",0,,,", f);
	else
		fprintf(f, ",%zu,%s,%s,%s", s->n, cli_number_exact(s->min).text,
			cli_number_exact(s->max).text, cli_number_exact(cli_spread_error(s)).text);
}

static void put_item(FILE *f, const struct cli_style *style, const struct cli_report *r,
		     const struct cli_item *item, double time_s)
{
	const struct ntime_value *v = &item->value;
	bool is_known = cli_value_is_known(v);
	struct words flags = { "" };

	cli_flags_for_each(item, add_word, &flags);
	if (r->emulated)
		add_word(&flags, "emulated");
	cli_csv_put(f, item->name);
	fprintf(f, ",%s,", is_known ? cli_number_exact(v->value).text : "");
	cli_csv_put(f, item->unit_text);
	fprintf(f, ",%s,", is_known ? cli_number_exact(v->error).text : "");
	if (is_known && !item->is_metric)
		fprintf(f, "%" PRIu64, v->count);
	if (item->is_metric || (v->flags & NTIME_ABSENT))
		fputs(",,,", f);
	else
		fprintf(f, ",%" PRIu64 ",%" PRIu64 ",", v->wanted_ns, v->counted_ns);
	fprintf(f, "%s,", flags.text);
	cli_csv_put(f, item->unit);
	putc(',', f);
	cli_csv_put(f, item->method);
	putc(',', f);
	cli_csv_put(f, item->reason);
	putc(',', f);
	cli_csv_put(f, item->remedy);
	if (style->by_interval)
		fprintf(f, ",%.9f", time_s);
	if (style->by_run)
		put_spread(f, &item->spread);
	putc('\n', f);
}

static void put_items(FILE *f, const struct cli_style *style, const struct cli_report *r,
		      double time_s)
{
	for (size_t i = 0; i < r->items; i++)
		if (cli_item_is_shown(style, &r->item[i]))
			put_item(f, style, r, &r->item[i], time_s);
}

static void put_figures(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	for (int i = 0; i < CLI_FIGURES; i++) {
		const struct cli_spread *s = &r->figure[i];
		struct words flags = { "" };

		if (!s->n)
			continue;
		if (r->at_most[i])
			add_word(&flags, "at-most");
		if (r->emulated)
			add_word(&flags, "emulated");
		fprintf(f, "%s,%s,%s,0,%.0f,,,%s,command,wait4,,", cli_figure_forms[i].name,
			cli_number_exact(s->mean).text, cli_figure_forms[i].unit, s->mean,
			flags.text);
		if (style->by_run)
			put_spread(f, s);
		putc('\n', f);
	}
}

static void interval(FILE *f, const struct cli_style *style, const struct cli_report *r,
		     double time_s)
{
	put_items(f, style, r, time_s);
}

static void summary(FILE *f, const struct cli_style *style, const struct cli_report *r)
{
	/* Behind interval rows a sum would be taken for one more interval. */
	if (style->by_interval)
		return;
	put_figures(f, style, r);
	put_items(f, style, r, 0);
}

const struct cli_writer cli_csv_writer = { .begin = begin,
					   .interval = interval,
					   .summary = summary };
