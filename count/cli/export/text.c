// SPDX-License-Identifier: MIT
/*
 * The text of an answer: OpenMetrics 1.0 (github.com/OpenObservability/OpenMetrics,
 * specification/OpenMetrics.md), or Prometheus' text format 0.0.4 ("Exposition formats").
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <ntime/reason.h>

#include "base/command/wait.h"
#include "base/output/clean.h"
#include "base/output/number.h"
#include "count/cli/export/export.h"
#include "count/cli/report/report.h"
#include "count/cli/report/tally.h"

/* A CPU that went keeps its series for so long. */
#define GONE_NS (UINT64_C(300) * 1000000000)

/* Flags that matter to whoever looks at a sum. */
#define FLAGS                                                                                      \
	(NTIME_PARTIAL | NTIME_HOTPLUG | NTIME_IMPLAUSIBLE | NTIME_LOST | NTIME_GONE |             \
	 NTIME_SIMULATED | NTIME_PROC | NTIME_USER_ONLY | NTIME_OVERFLOWED | NTIME_SCALED |        \
	 NTIME_BOUNDED)

struct put {
	FILE *f;
	bool is_open; /* OpenMetrics */
	struct cli_exporter *e;
	size_t series;
	const char *item; /* whose flags are put */
};

/*
 * @text where quotes are around it, or in a line: of bytes that are no UTF-8 the sign for that and
 * two digits.
 */
static void put_escaped(FILE *f, const char *text, bool escapes_quotes)
{
	while (*text) {
		uint32_t code;
		size_t bytes = cli_utf8_char(text, strlen(text), &code);

		/* The sign itself is told apart from one that was put here. */
		bytes = code == 0xfffd ? 0 : bytes;
		if (!bytes)
			fprintf(f, "\357\277\275%02x", (unsigned char)*text);
		else if (*text == '\n')
			fputs("\\n", f);
		else if (*text == '\\' || (*text == '"' && escapes_quotes))
			fprintf(f, "\\%c", *text);
		else
			fwrite(text, 1, bytes, f);
		text += bytes ? bytes : 1;
	}
}

enum kind { COUNTER, GAUGE, INFO };

static void put_head(struct put *p, const char *family, enum kind kind, const char *base,
		     const char *help)
{
	static const char *const type[] = { "counter", "gauge", "info" };
	static const char *const end[] = { "_total", "", "_info" };
	const char *behind = p->is_open ? "" : end[kind];

	fprintf(p->f, "# HELP %s%s ", family, behind);
	put_escaped(p->f, help, p->is_open);
	fprintf(p->f, "\n# TYPE %s%s %s\n", family, behind,
		kind == INFO && !p->is_open ? "gauge" : type[kind]);
	if (p->is_open && *base)
		fprintf(p->f, "# UNIT %s %s\n", family, base);
}

/* A label is put behind those that are there. */
static void put_label(struct put *p, bool *has, const char *name, const char *value)
{
	fprintf(p->f, "%c%s=\"", *has ? ',' : '{', name);
	put_escaped(p->f, value, true);
	fputc('"', p->f);
	*has = true;
}

/* @label: names and values, NULL behind the last; one without a value is left out. */
static void put_words(struct put *p, const char *const *label)
{
	bool has = false;

	for (; *label; label += 2)
		if (*label[1])
			put_label(p, &has, label[0], label[1]);
	if (has)
		fputc('}', p->f);
}

static void put_one(struct put *p, const char *name, const char *const *label, double value)
{
	const char *end = strstr(name, "_total");

	fputs(name, p->f);
	put_words(p, label);
	fprintf(p->f, " %s\n", cli_number_exact(value).text);
	p->series++;
	if (!p->is_open || !end)
		return;
	fprintf(p->f, "%.*s_created", (int)(end - name), name);
	put_words(p, label);
	fprintf(p->f, " %.3f\n", p->e->started_s);
	p->series++;
}

static void put_number_label(struct put *p, bool *has, const char *name, int value)
{
	if (value < 0)
		return;
	fprintf(p->f, "%c%s=\"%d\"", *has ? ',' : '{', name, value);
	*has = true;
}

/* What divides @scope, and the unit's instance. */
static void put_labels(struct put *p, uint32_t scope, const struct ntime_where_info *where,
		       const char *instance)
{
	bool has = false;

	if (scope == NTIME_SCOPE_CPU)
		put_number_label(p, &has, "cpu", where->cpu);
	if (scope <= NTIME_SCOPE_CORE)
		put_number_label(p, &has, "core", where->core);
	if (scope == NTIME_SCOPE_L3)
		put_number_label(p, &has, "l3", where->l3);
	if (scope <= NTIME_SCOPE_PACKAGE)
		put_number_label(p, &has, "package", where->package);
	if (scope <= NTIME_SCOPE_CORE)
		put_number_label(p, &has, "node", where->node);
	if (*instance)
		put_label(p, &has, "unit", instance);
	if (has)
		fputc('}', p->f);
}

/* How far item @i is divided: by itself, or by --per. */
static uint32_t scope_of(const struct cli_exporter *e, size_t i)
{
	static const uint32_t least[] = {
		[CLI_PER_CHOSEN] = NTIME_SCOPE_CPU,   [CLI_PER_SOCKET] = NTIME_SCOPE_PACKAGE,
		[CLI_PER_CORE] = NTIME_SCOPE_CORE,    [CLI_PER_THREAD] = NTIME_SCOPE_CPU,
		[CLI_PER_NONE] = NTIME_SCOPE_MACHINE,
	};
	const struct cli_row_item *item = &e->items.item[i];
	uint32_t scope = item->info.scope;

	if (item->is_clock || scope > NTIME_SCOPE_MACHINE)
		return NTIME_SCOPE_MACHINE;
	return scope > least[e->o.per] ? scope : least[e->o.per];
}

/* Places together; @upper: the upper end, which may be more than 64 bits hold. */
struct part {
	struct cli_export_sum sum;
	double upper;
	bool is_gone;
};

/* Item @i of all places in the part that @first is of; @is_wanted: that may have it. */
static struct part sum_up(const struct cli_exporter *e, size_t i, uint32_t scope, size_t first,
			  bool is_wanted)
{
	const struct cli_export_sums *s = &e->sums;
	const struct cli_row_item *item = &e->items.item[i];
	struct part part = { .is_gone = true };
	struct cli_export_sum *out = &part.sum;
	uint64_t now = cli_now_ns();

	for (size_t place = first; place < s->where_count; place++) {
		const struct cli_export_sum *sum = &s->sum[place * s->items + i];
		bool may_have = is_wanted && !(sum->flags & (NTIME_ABSENT | NTIME_ELSEWHERE));

		if (s->first[scope][place] != first || !(sum->has_number || may_have))
			continue;
		part.is_gone = part.is_gone && s->off_ns[place] && now - s->off_ns[place] > GONE_NS;
		for (enum cli_export_end end = 0; end < CLI_EXPORT_ENDS; end++)
			cli_export_steps_add(&out->end[end], sum->end[end].whole,
					     sum->end[end].rest);
		part.upper +=
			(double)sum->end[CLI_EXPORT_UPPER].whole + sum->end[CLI_EXPORT_UPPER].rest;
		out->is_open = out->is_open || sum->is_open;
		if (!out->has_number || item->info.together == NTIME_SUM)
			out->state += sum->state;
		else if ((item->info.together == NTIME_MAX) == (sum->state > out->state))
			out->state = sum->state;
		out->has_number = true;
		/* Time passes once, and a CPU is one place. */
		if (item->is_clock || scope == NTIME_SCOPE_CPU)
			break;
	}
	return part;
}

static void put_value(struct put *p, const struct cli_row_item *item,
		      const struct cli_export_name *name, const struct part *part,
		      enum cli_export_end end)
{
	double factor = item->info.scale * name->factor;
	uint64_t whole = part->sum.end[end].whole;

	if (item->info.is_state)
		fprintf(p->f, " %s\n", cli_number_exact(part->sum.state * name->factor).text);
	else if (end == CLI_EXPORT_UPPER)
		fprintf(p->f, " %s\n", cli_number_exact(part->upper * factor).text);
	else if (factor == 1)
		fprintf(p->f, " %" PRIu64 "\n", whole);
	else
		fprintf(p->f, " %s\n", cli_number_exact((double)whole * factor).text);
}

/* Of bounds the base unit stays at the end: "ntime_cpu_cycles_lower". */
static char *family_of(const struct cli_export_name *name, enum cli_export_end end)
{
	static const char *const words[] = { "", "_lower", "_upper" };
	const char *base = *name->base ? name->base - 1 : name->base;

	return cli_format("%.*s%s%s", (int)(base - name->family), name->family, words[end], base);
}

/* In which rows a metric stands that is divided as counters of @scope are. */
static enum cli_per per_of(uint32_t scope)
{
	if (scope == NTIME_SCOPE_CPU)
		return CLI_PER_THREAD;
	if (scope == NTIME_SCOPE_CORE)
		return CLI_PER_CORE;
	return scope <= NTIME_SCOPE_PACKAGE ? CLI_PER_SOCKET : CLI_PER_NONE;
}

static const struct cli_rows *rows_of(struct put *p, size_t i)
{
	cli_export_gauges_compute(&p->e->gauges, p->e->session, p->e->items.item,
				  per_of(scope_of(p->e, i)));
	return &p->e->gauges.rows;
}

/* The labels that counters have of which row @i is the sum. */
static void put_row_labels(struct put *p, const struct cli_rows *rows, size_t i)
{
	static const uint32_t scope[] = {
		[CLI_ROW_MACHINE] = NTIME_SCOPE_MACHINE, [CLI_ROW_SOCKET] = NTIME_SCOPE_PACKAGE,
		[CLI_ROW_CORE] = NTIME_SCOPE_CORE,	 [CLI_ROW_THREAD] = NTIME_SCOPE_CPU,
		[CLI_ROW_DEVICE] = NTIME_SCOPE_MACHINE,
	};
	size_t place = 0;

	while (rows->of[place][0] != i && rows->of[place][1] != i && rows->of[place][2] != i)
		place++;
	put_labels(p, scope[rows->row[i].kind], &rows->where[place], "");
}

/* The series of item @i, a metric. With .f NULL they are counted, with those to come. */
static void put_metric(struct put *p, size_t i)
{
	const struct cli_rows *rows = rows_of(p, i);

	for (size_t k = 0; k < rows->n; k++) {
		const struct ntime_value *v = &rows->value[k * rows->items + i];

		if (!cli_rows_show(rows, k, &p->e->items.item[i]) ||
		    (p->f && (!cli_value_is_known(v) || v->flags & NTIME_IMPLAUSIBLE)))
			continue;
		p->series++;
		if (!p->f)
			continue;
		fputs(p->e->name[i].family, p->f);
		put_row_labels(p, rows, k);
		fprintf(p->f, " %s\n", cli_number_exact(v->value * p->e->name[i].factor).text);
	}
}

/* The series of item @i, of @family. With .f NULL they are counted. */
static void put_item(struct put *p, size_t i, enum cli_export_end end, const char *family)
{
	const struct cli_exporter *e = p->e;
	const struct cli_row_item *item = &e->items.item[i];
	const struct cli_export_name *name = &e->name[i];
	uint32_t scope = scope_of(e, i);

	if (item->info.is_metric) {
		put_metric(p, i);
		return;
	}
	for (size_t place = 0; place < e->sums.where_count; place++) {
		struct part part;

		if (e->sums.first[scope][place] != place)
			continue;
		part = sum_up(e, i, scope, place, !p->f);
		if (!part.sum.has_number || part.is_gone ||
		    (end == CLI_EXPORT_UPPER && part.sum.is_open))
			continue;
		p->series++;
		if (!p->f)
			continue;
		fprintf(p->f, "%s%s", family, item->info.is_state ? "" : "_total");
		put_labels(p, scope, &e->sums.where[place], name->instance);
		put_value(p, item, name, &part, end);
		if (!p->is_open || item->info.is_state)
			continue;
		p->series++;
		fprintf(p->f, "%s_created", family);
		put_labels(p, scope, &e->sums.where[place], name->instance);
		fprintf(p->f, " %.3f\n", e->began_s);
	}
}

static uint32_t flags_of(struct put *p, size_t i)
{
	const struct cli_export_sums *sums = &p->e->sums;
	bool is_estimated = false;
	uint32_t flags = 0;

	if (p->e->items.item[i].info.is_metric) {
		const struct cli_rows *rows = rows_of(p, i);

		for (size_t k = 0; k < rows->n; k++)
			if (cli_rows_show(rows, k, &p->e->items.item[i]))
				flags |= rows->value[k * rows->items + i].flags;
		return flags;
	}
	for (size_t place = 0; place < sums->where_count; place++) {
		flags |= sums->sum[place * sums->items + i].flags;
		is_estimated |= sums->sum[place * sums->items + i].is_estimated;
	}
	return is_estimated ? flags & ~NTIME_BOUNDED : flags;
}

/* Of what was never estimated both ends are the value; with .f NULL: of what may be. */
static bool has_end(struct put *p, size_t i, enum cli_export_end end)
{
	const struct cli_row_item *item = &p->e->items.item[i];
	bool takes_turns = ntime_session_passes(p->e->session) > 1 && !item->info.in_every_pass;

	return end == CLI_EXPORT_VALUE ||
	       (p->e->o.has_bounds && !cli_export_is_gauge(item) &&
		(flags_of(p, i) & NTIME_SCALED || (!p->f && takes_turns)));
}

size_t cli_export_series(const struct cli_exporter *e, size_t k)
{
	struct put p = { .e = (struct cli_exporter *)e };

	for (enum cli_export_end end = 0; end < CLI_EXPORT_ENDS; end++)
		if (has_end(&p, e->order[k], end))
			put_item(&p, e->order[k], end, "");
	return p.series;
}

static void put_items(struct put *p, enum cli_export_end end)
{
	static const char *const of[] = { "", "at least, of ", "at most, of " };
	const struct cli_exporter *e = p->e;
	const char *last = "";

	for (size_t k = 0; k < e->exported; k++) {
		size_t i = e->order[k];
		const struct cli_export_name *name = &e->name[i];
		bool is_gauge = cli_export_is_gauge(&e->items.item[i]);
		char *family, *help;

		if (!has_end(p, i, end))
			continue;
		family = family_of(name, end);
		if (strcmp(name->family, last) != 0) {
			help = cli_format("%s%s", of[end], e->help[i]);
			put_head(p, family, is_gauge ? GAUGE : COUNTER, name->base, help);
			free(help);
		}
		last = name->family;
		put_item(p, i, end, family);
		free(family);
	}
}

static void put_flag(void *arg, const char *word)
{
	struct put *p = arg;

	put_one(p, "ntime_flag_info", (const char *[]){ "item", p->item, "flag", word, NULL }, 1);
}

static void put_flags(struct put *p)
{
	put_head(p, "ntime_flag", INFO, "", "What must be known to believe an event's numbers.");
	for (size_t k = 0; k < p->e->exported; k++) {
		p->item = p->e->items.item[p->e->order[k]].name;
		cli_flag_words_for_each(flags_of(p, p->e->order[k]) & FLAGS, put_flag, p);
	}
}

static void put_absences(struct put *p)
{
	put_head(p, "ntime_absent", INFO, "",
		 "What was asked for and is not counted here; 'ntime doctor' has the sentences.");
	for (size_t i = 0; i < p->e->items.absences; i++) {
		const struct cli_absence *absence = &p->e->items.absence[i];
		const char *const label[] = {
			"item",	       absence->name,
			"reason",      ntime_reason_name(absence->reason_code),
			"remedy_kind", ntime_remedy_kind_name(absence->remedy_kind),
			NULL
		};

		put_one(p, "ntime_absent_info", label, 1);
	}
}

/* What is told of each event beside its numbers. */
enum beside { PLACES, COUNTED, WANTED };

/* Of item @i at one place. */
static double beside_at(const struct cli_export_sums *s, size_t place, size_t i, enum beside what)
{
	size_t cell = place * s->items + i;
	const struct cli_export_sum *sum = &s->sum[cell];

	if (what == PLACES)
		return sum->has_number && !s->off_ns[place] && !(sum->flags & NTIME_GONE);
	if (what == COUNTED)
		return (double)sum->counted_ns / 1e9;
	/* What was not counted since then was wanted all the same. */
	return (double)(sum->wanted_ns + s->now[cell].wanted_ns - s->last[cell].wanted_ns) / 1e9;
}

static void put_beside(struct put *p, const char *name, enum beside what)
{
	for (size_t k = 0; k < p->e->exported; k++) {
		size_t i = p->e->order[k];
		const struct cli_row_item *item = &p->e->items.item[i];
		double all = 0;

		/* Times of estimates: for which part of the time they were counted. */
		if (item->info.is_metric ||
		    (what != PLACES && (item->info.is_state ||
					!(flags_of(p, i) & (NTIME_SCALED | NTIME_NOT_COUNTED)))))
			continue;
		for (size_t place = 0; place < p->e->sums.where_count; place++)
			all += beside_at(&p->e->sums, place, i, what);
		put_one(p, name, (const char *[]){ "item", item->name, NULL }, all);
	}
}

static void put_self(struct put *p, const char *family, enum kind kind, const char *base,
		     double value, const char *help)
{
	char name[64];

	put_head(p, family, kind, base, help);
	(void)snprintf(name, sizeof(name), "%s%s", family, kind == COUNTER ? "_total" : "");
	put_one(p, name, (const char *[]){ NULL }, value);
}

/* Labels of a control group, which stay what they are. */
static char *group_labels(const char *path)
{
	struct cli_cgroup_names names = cli_cgroup_names(path);
	const char *const label[] = { "cgroup",	 path,	    "unit",	    names.unit,
				      "pod_uid", names.pod, "container_id", names.container,
				      NULL };
	struct cli_text text;

	cli_text_begin(&text);
	put_words(&(struct put){ .f = text.f }, label);
	return cli_text_end(&text);
}

static void put_cgroup(struct put *p, struct cli_user *g, size_t i)
{
	const struct cli_user_family *family = &cli_user_families[i];

	if (!g->labels)
		g->labels = group_labels(g->path);
	fprintf(p->f, "%s%s%s %s\n", family->name, family->is_state ? "" : "_total", g->labels,
		cli_number_exact(g->value[i]).text);
	p->series++;
}

static void put_cgroups(struct put *p)
{
	struct cli_users *c = &p->e->cgroups;

	if (!c->patterns)
		return;
	for (size_t i = 0; i < CLI_USER_FAMILIES; i++) {
		const struct cli_user_family *family = &cli_user_families[i];

		put_head(p, family->name, family->is_state ? GAUGE : COUNTER, family->base,
			 family->help);
		for (size_t k = 0; k < c->n; k++)
			if (c->user[k].has[i] && !c->user[k].is_folded)
				put_cgroup(p, &c->user[k], i);
		if (c->others.has[i])
			put_cgroup(p, &c->others, i);
	}
	put_self(p, "ntime_dropped_cgroups", COUNTER, "", (double)c->dropped,
		 "Control groups that were too many for series of their own.");
}

size_t cli_export_open_files(void)
{
	DIR *folder = cli_opendir("/proc/self/fd");
	size_t n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	/* "." and "..", and this one. */
	return n > 3 ? n - 3 : 0;
}

static void put_selves(struct put *p)
{
	const struct cli_exporter *e = p->e;
	struct timespec cpu = { 0 };
	struct utsname kernel;
	size_t cpus = 0;

	put_head(p, "ntime_build", INFO, "", "Version of ntime and of the kernel; the processor.");
	put_one(p, "ntime_build_info",
		(const char *[]){ "version", ntime_version(), "kernel",
				  uname(&kernel) ? "" : kernel.release, "cpu", e->cpu, NULL },
		1);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	put_self(p, "ntime_cpu_seconds", COUNTER, "seconds",
		 (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9, "CPU time of ntime itself.");
	for (size_t i = 0; i < e->sums.where_count; i++)
		cpus += e->sums.where[i].cpu >= 0 && !e->sums.where[i].is_off_line;
	put_self(p, "ntime_cpus", GAUGE, "", (double)cpus, "CPUs that are counted.");
	put_self(p, "ntime_open_files", GAUGE, "", (double)cli_export_open_files(),
		 "Open files of ntime itself, most of them counters.");
	put_self(p, "ntime_scrape_seconds", GAUGE, "seconds", e->answer_s,
		 "Time that the answer before this one took, reading the counters included.");
	put_self(p, "ntime_scrapes", COUNTER, "", (double)e->answers,
		 "Answers, this one included.");
	put_self(p, "ntime_series", GAUGE, "", (double)(p->series + 1), "Series of this answer.");
}

void cli_export_put(struct cli_exporter *e, FILE *f, enum cli_export_format format)
{
	struct put p = { .f = f, .is_open = format == CLI_EXPORT_OPENMETRICS, .e = e };

	e->answers++;
	for (enum cli_export_end end = 0; end < CLI_EXPORT_ENDS; end++)
		put_items(&p, end);
	put_flags(&p);
	put_absences(&p);
	put_head(&p, "ntime_places", GAUGE, "",
		 "CPUs, cores, packages or devices at which an event is counted.");
	put_beside(&p, "ntime_places", PLACES);
	put_cgroups(&p);
	put_head(&p, "ntime_counted_seconds", COUNTER, "seconds",
		 "Time in which an event was counted, of all CPUs.");
	put_beside(&p, "ntime_counted_seconds_total", COUNTED);
	put_head(&p, "ntime_wanted_seconds", COUNTER, "seconds",
		 "Time for which it was wanted; where it was counted in a part of it, its numbers "
		 "are estimates.");
	put_beside(&p, "ntime_wanted_seconds_total", WANTED);
	put_selves(&p);
	if (p.is_open)
		fputs("# EOF\n", f);
	e->series = p.series;
}
