// SPDX-License-Identifier: MIT
/*
 * Metrics as recording rules of Prometheus ("Recording rules", "Querying: operators, functions"):
 * the formulas of ntime-metrics(5) over the families that are exported.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/list.h>

#include "base/output/number.h"
#include "base/output/say.h"
#include "count/cli/export/export.h"
#include "count/cli/shared/machine.h"

/* Rates are of so long, which has a few answers in it at each usual period. */
#define RATE "5m"
/* What an event is divided by within a machine; the labels of the machine stay. */
#define WITHIN "without (cpu, core, l3, package, node, unit)"

struct formula {
	const char *at;
	struct cli_exporter *e;
	bool is_vector; /* an event was there: what has none is a number to Prometheus */
	bool is_bad;	/* an event that is not exported, or no formula */
};

/* The item that is called so; NULL: there is none. */
static const struct cli_row_item *find(const struct cli_exporter *e, const char *name, size_t chars,
				       const struct cli_export_name **as)
{
	for (size_t i = 0; i < e->items.n; i++) {
		const struct cli_row_item *item = &e->items.item[i];

		*as = &e->name[i];
		if (!item->info.is_metric && strlen(item->info.name) == chars &&
		    strncmp(item->info.name, name, chars) == 0)
			return item;
	}
	return NULL;
}

/*
 * An event in its own unit for each second, a state as it is; or, for its time, at how many places.
 */
static void put_event(struct formula *f, FILE *out, const char *name, size_t chars, bool is_time)
{
	static const char *const together[] = { "sum", "max", "min" };
	const struct cli_export_name *as;
	const struct cli_row_item *item = find(f->e, name, chars, &as);
	const char *end, *by;

	f->is_vector = true;
	/* Of what is absent nobody may know the unit, and so not the name. */
	f->is_bad = f->is_bad || !item || !*item->info.unit;
	if (f->is_bad)
		return;
	if (is_time) {
		fprintf(out, "(sum without (item) (ntime_places{item=\"%s\"}) * 1e9)",
			item->info.name);
		return;
	}
	end = item->info.is_state ? "" : "_total";
	by = item->info.is_state ? together[item->info.together] : "sum";
	fprintf(out, "(%s " WITHIN " (%s%s%s", by, item->info.is_state ? "" : "rate(", as->family,
		end);
	if (*as->instance)
		fprintf(out, "{unit=\"%s\"}", as->instance);
	fputs(item->info.is_state ? ")" : "[" RATE "]))", out);
	if (as->factor != 1)
		fprintf(out, " / %s", cli_number_exact(as->factor).text);
	fputc(')', out);
}

static void put_sum(struct formula *f, FILE *out);

/* Of two numbers that Prometheus knows no function of, unless one of them is no event's. */
static void put_extreme(struct formula *f, FILE *out, bool is_max)
{
	bool was_vector = f->is_vector, is_vector[2];
	struct cli_text text[2];

	for (int i = 0; i < 2; i++) {
		cli_text_begin(&text[i]);
		f->is_vector = false;
		put_sum(f, text[i].f);
		is_vector[i] = f->is_vector;
		text[i].text = cli_text_end(&text[i]);
		f->is_bad = f->is_bad || *f->at != (i ? ')' : ',');
		f->at += *f->at != '\0';
	}
	/* No rule computes with two numbers. */
	f->is_bad = f->is_bad || (!is_vector[0] && !is_vector[1]);
	f->is_vector = was_vector || is_vector[0] || is_vector[1];
	if (is_vector[0] && is_vector[1])
		fprintf(out, "((%s) %c (%s) or (%s))", text[0].text, is_max ? '>' : '<',
			text[1].text, text[1].text);
	else
		fprintf(out, "clamp_%s(%s, %s)", is_max ? "min" : "max", text[!is_vector[0]].text,
			text[is_vector[0]].text);
	free(text[0].text);
	free(text[1].text);
}

static size_t word_chars(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || (at[n] && strchr("_.:", at[n])) ||
	       (at[n] == '-' && (isalnum((unsigned char)at[n + 1]) || at[n + 1] == '_')))
		n++;
	return n;
}

/* An event at @f->at, in quotes or not: where it stands, and behind it. */
static const char *take_event(struct formula *f, size_t *chars)
{
	const char *name = f->at;

	if (*name == '\'' || *name == '"') {
		const char *end = strchr(name + 1, *name);

		*chars = end ? (size_t)(end - name - 1) : 0;
		f->at = end ? end + 1 : name + strlen(name);
		return name + 1;
	}
	*chars = word_chars(name);
	f->at += *chars;
	return name;
}

static bool is_word(const char *at, size_t chars, const char *word)
{
	return strlen(word) == chars && strncmp(at, word, chars) == 0;
}

static void put_word(struct formula *f, FILE *out)
{
	bool is_quoted = strchr("'\"", *f->at);
	size_t chars;
	const char *name = take_event(f, &chars);

	if (is_quoted) {
		put_event(f, out, name, chars, false);
	} else if (is_word(name, chars, "real_ns")) {
		fputs("1e9", out);
	} else if (is_word(name, chars, "cpus")) {
		fputs("ntime_cpus", out);
		f->is_vector = true;
	} else if (*f->at == '(' && (is_word(name, chars, "min") || is_word(name, chars, "max"))) {
		f->at++;
		put_extreme(f, out, name[1] == 'a');
	} else if (*f->at == '(' && is_word(name, chars, "wanted_ns")) {
		f->at++;
		name = take_event(f, &chars);
		put_event(f, out, name, chars, true);
		f->is_bad = f->is_bad || *f->at != ')';
		f->at += *f->at != '\0';
	} else {
		put_event(f, out, name, chars, false);
	}
}

/* Until what ends an argument, or the formula. */
static void put_sum(struct formula *f, FILE *out)
{
	while (*f->at && !f->is_bad && *f->at != ',' && *f->at != ')') {
		if (*f->at == '(') {
			fputc(*f->at++, out);
			put_sum(f, out);
			f->is_bad = f->is_bad || *f->at != ')';
			fputc(')', out);
			f->at += *f->at != '\0';
		} else if (isdigit((unsigned char)*f->at)) {
			char *end;

			(void)strtod(f->at, &end);
			fwrite(f->at, 1, (size_t)(end - f->at), out);
			f->at = end;
		} else if (isalpha((unsigned char)*f->at) || strchr("_'\"", *f->at)) {
			put_word(f, out);
		} else {
			fputc(*f->at++, out);
		}
	}
}

/* Which were printed, a name a line, and of which exporter. */
struct rules {
	struct cli_exporter *e;
	char *said;
};

static int put_rule(void *arg, const struct ntime_event_info *metric)
{
	struct rules *r = arg;
	struct formula f = { .at = metric->formula, .e = r->e };
	const struct ntime_item item = {
		.name = metric->name, .is_metric = true, .unit = "", .unit_text = metric->unit_text
	};
	struct cli_export_name name;
	struct cli_text text;
	char *rule, *said;

	cli_text_begin(&text);
	put_sum(&f, text.f);
	text.text = cli_text_end(&text);
	cli_export_name_init(&name, &item);
	rule = cli_format("\n%s\n", strchr(name.family, '_') + 1);
	if (f.is_bad || *f.at) {
		printf("  # %s has events that this machine does not know.\n", metric->name);
	} else if (strstr(r->said, rule)) {
		printf("  # %s would be ntime:%s as well.\n", metric->name,
		       strchr(name.family, '_') + 1);
	} else {
		printf("  # %s: %s\n  - record: ntime:%s    expr: (%s) * %s\n", metric->name,
		       metric->desc, rule + 1, text.text, cli_number_exact(name.factor).text);
		said = cli_format("%s%s", r->said, rule + 1);
		free(r->said);
		r->said = said;
	}
	free(rule);
	cli_export_name_fini(&name);
	free(text.text);
	return 0;
}

struct names {
	char **name;
	size_t n;
};

static int keep_name(void *arg, const struct ntime_event_info *metric)
{
	struct names *all = arg;

	cli_grow(&all->name, all->n);
	all->name[all->n++] = cli_strdup(metric->name);
	return 0;
}

/* A session of all metrics, which tells what their events are. 0 or -errno after a sentence. */
static int add_metrics(struct cli_exporter *e)
{
	struct names all = { NULL };
	int ret = cli_machine_check(e->ctx, ntime_metric_for_each(e->ctx, keep_name, &all));

	if (!ret)
		ret = cli_machine_check(e->ctx, ntime_session_new(e->ctx, NULL, &e->session));
	for (size_t i = 0; i < all.n; i++) {
		/* What this machine has no event for has a line that says so. */
		if (!ret && ntime_session_add(e->session, all.name[i], NULL) == -ENOMEM)
			ret = cli_machine_check(e->ctx, -ENOMEM);
		free(all.name[i]);
	}
	free(all.name);
	return ret;
}

int cli_export_rules(struct cli_exporter *e)
{
	struct rules rules = { .e = e };
	int ret = add_metrics(e);

	if (ret)
		return ret;
	e->items.n = ntime_session_count(e->session);
	e->items.item = cli_calloc(e->items.n + 1, sizeof(*e->items.item));
	e->name = cli_calloc(e->items.n + 1, sizeof(*e->name));
	e->help = cli_calloc(e->items.n + 1, sizeof(*e->help));
	for (size_t i = 0; i < e->items.n && !ret; i++) {
		ret = cli_row_item_learn(&e->items.item[i], e->session, i);
		if (!ret)
			cli_export_name_init(&e->name[i], &e->items.item[i].info);
	}
	if (ret)
		return cli_machine_check(e->ctx, ret);
	printf("# Metrics of ntime over what 'ntime export' exports, as 'ntime export --rules' "
	       "makes them.\ngroups:\n- name: ntime\n  rules:\n");
	rules.said = cli_strdup("\n");
	ret = cli_machine_check(e->ctx, ntime_metric_for_each(e->ctx, put_rule, &rules));
	free(rules.said);
	return ret;
}
