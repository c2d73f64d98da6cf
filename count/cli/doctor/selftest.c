// SPDX-License-Identifier: MIT
/*
 * ntime doctor --self-test: try every counter that this user may read, and print what came of it.
 * The library tests counters as they are first used and compares what it reads; this uses all of
 * them, on each CPU, anew.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <ntime/context.h>
#include <ntime/list.h>
#include <ntime/reason.h>
#include <ntime/session.h>

#include "base/command/command.h"
#include "count/cli/doctor/selftest.h"
#include "base/output/clean.h"
#include "base/output/csv.h"
#include "base/output/emulated.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "base/output/table.h"

/*
 * Long enough for what moves once a millisecond; twice, for what is compared with the first time.
 */
#define WORK_NS 60000000LL
#define PERIODS 2
/* Of the core's events on one CPU. */
#define CORE_NS 4000000LL
/* Events that are counted in one session: what a unit has more is counted in the next one. */
#define AT_ONCE 16
#define MEMORY_BYTES ((size_t)4 << 20)
/* In turns: more than any core PMU has counters. */
#define TURNS 20

/* What every core is asked for, on one CPU, and on the others. */
static const char *const core_events[] = {
	"cycles",	    "instructions",
	"branches",	    "branch-misses",
	"cache-references", "cache-misses",
	"cycles:u",	    "instructions:u",
	"L1-dcache-loads",  "L1-dcache-load-misses",
	"LLC-loads",	    "LLC-load-misses",
	"dTLB-loads",	    "bus-cycles",
	"ref-cycles",	    "task-clock",
};
static const char *const few_events[] = { "cycles", "instructions", "branches" };

#define SELFTEST_COLUMNS(X)                                                                        \
	X(EVENT, "event", .title = "event", .flags = CLI_COLUMN_LEFT)                              \
	X(UNIT_NAME, "unit_name", .title = "unit", .flags = CLI_COLUMN_LEFT, .rank = 3)            \
	X(CPU, "cpu", .title = "CPU", .rank = 1)                                                   \
	X(METHOD, "method", .title = "method", .flags = CLI_COLUMN_LEFT, .rank = 4)                \
	X(RESULT, "result", .title = "result", .flags = CLI_COLUMN_LEFT)                           \
	X(VALUE, "value", .title = "counted", .rank = 2)                                           \
	X(UNIT, "unit", .title = "", .flags = CLI_COLUMN_LEFT, .rank = 2)                          \
	X(SECONDS, "seconds")                                                                      \
	X(REASON, "reason")                                                                        \
	X(REMEDY, "remedy")

enum { SELFTEST_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { SELFTEST_COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns all_columns = { .column = columns, .n = COLUMNS };

/* One counter. Its texts but the result, which is one word, are the row's own; "" is no value. */
struct row {
	struct cli_cell cell[COLUMNS];
	bool is_bad;
};

struct selftest {
	const struct cli_machine *m;
	struct ntime_ctx *ctx;
	struct row *row;
	size_t n;
	char **event; /* of units outside of the cores */
	char **unit;  /* unit of each of them */
	size_t events;
	size_t bad;
	bool has_failed;
};

/* Something of everything: cycles, branches that nobody predicts, and memory. */
static void work(long long ns)
{
	static volatile uint32_t sink;
	struct timespec begin, now;
	volatile char *memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t random = 1;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 5000; i++) {
			random = random * 1664525 + 1013904223;
			if (random >> 31)
				sink += random;
			if (memory != MAP_FAILED)
				memory[random % MEMORY_BYTES]++;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000LL + now.tv_nsec - begin.tv_nsec < ns);
	if (memory != MAP_FAILED)
		munmap((void *)memory, MEMORY_BYTES);
}

static bool is_without(const struct ntime_value *v)
{
	return v->flags & (NTIME_ABSENT | NTIME_NOT_COUNTED);
}

/* One word, and whether it speaks against the counter. */
static const char *judge(const struct ntime_item *item, const struct ntime_value *v, bool *is_bad)
{
	*is_bad = v->flags & NTIME_IMPLAUSIBLE ||
		  (v->flags & NTIME_ABSENT && (item->reason_code == NTIME_REASON_NOT_COUNTING ||
					       item->reason_code == NTIME_REASON_ERRATUM));
	if (v->flags & NTIME_IMPLAUSIBLE)
		return "implausible";
	if (v->flags & NTIME_ABSENT)
		return *is_bad ? "refused" : "absent";
	if (v->flags & NTIME_NOT_COUNTED)
		return "not-counted";
	if (item->reason_code == NTIME_REASON_ERRATUM)
		return "erratum";
	/* Nothing happened, or nothing was seen of it: it is not known which. */
	return v->count || item->is_state ? "passed" : "zero";
}

static struct cli_cell own_text(const char *text)
{
	return cli_some_text(*text ? cli_strdup(text) : "");
}

/* @cpu: on which it was tried, -1 for all together. */
static struct row *add_row(struct selftest *t, const struct ntime_item *item,
			   const struct ntime_value *v, int64_t cpu)
{
	bool is_bad, has_value = !is_without(v);
	const char *result = judge(item, v, &is_bad);

	cli_grow(&t->row, t->n);
	t->row[t->n] = (struct row){
		.cell = {
			[EVENT] = own_text(item->name),
			[UNIT_NAME] = own_text(item->unit),
			[CPU] = cli_if(cpu >= 0, cli_count((uint64_t)cpu)),
			[METHOD] = own_text(item->method),
			[RESULT] = cli_text(result),
			[VALUE] = cli_if(has_value, cli_real(v->value)),
			[UNIT] = own_text(item->unit_text),
			[SECONDS] = cli_if(has_value, cli_real((double)v->counted_ns / 1e9)),
			[REASON] = own_text(item->reason),
			[REMEDY] = own_text(item->remedy),
		},
		.is_bad = is_bad,
	};
	return &t->row[t->n++];
}

static void drop_row(struct selftest *t)
{
	struct cli_cell *cell = t->row[--t->n].cell;

	for (size_t i = 0; i < COLUMNS; i++)
		if (cell[i].kind == CLI_CELL_TEXT && i != RESULT)
			free((char *)cell[i].text);
}

static void add_rows(struct selftest *t, struct ntime_session *s, const struct ntime_value *v,
		     size_t n, int64_t cpu)
{
	for (size_t i = 0; i < n; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		if (ntime_session_item(s, i, &item) == 0 && !item.is_hidden)
			add_row(t, &item, &v[i], cpu);
	}
}

/* Start, work, read: twice. False: the session has an error. */
static bool count(struct ntime_session *s, long long ns, struct ntime_value *v, size_t n)
{
	if (ntime_session_start(s) < 0)
		return false;
	for (int i = 0; i < PERIODS; i++) {
		work(ns);
		if (ntime_session_read(s, v, n) < 0)
			return false;
	}
	return true;
}

/*
 * Events that nobody may count all together, or of none of which anything is known, are left out.
 */
static void try_session(struct selftest *t, struct ntime_session *s, long long ns, int64_t cpu)
{
	size_t n = ntime_session_count(s);
	struct ntime_value *v = cli_calloc(n + 1, sizeof(*v));

	if (n && count(s, ns, v, n))
		add_rows(t, s, v, n, cpu);
	else if (n)
		cli_say("%s", ntime_error_text(t->ctx));
	free(v);
}

/* At one time: relations need several events in one session. */
static void try_events(struct selftest *t, uint32_t kind, const char *const *events, size_t n,
		       long long ns, int64_t cpu)
{
	const struct ntime_target target = { .size = sizeof(target), .kind = kind };
	struct ntime_session *s;

	if (ntime_session_new(t->ctx, &target, &s) < 0) {
		/* Which CPUs the machine has is not known everywhere: what was tried stands. */
		if (kind == NTIME_TARGET_MACHINE)
			return;
		(void)cli_machine_say(t->ctx, -EINVAL);
		t->has_failed = true;
		return;
	}
	/* Where an architecture lacks the very word, it is left out. */
	for (size_t i = 0; i < n; i++)
		(void)ntime_session_add(s, events[i], NULL);
	try_session(t, s, ns, cpu);
	ntime_session_free(s);
}

/* What find_counters() looks for, and how many any event may use. */
struct wanted_unit {
	const char *name;
	uint32_t counters;
};

static int find_counters(void *arg, const struct ntime_unit_info *unit)
{
	struct wanted_unit *w = arg;

	if (strcmp(unit->name, w->name) == 0)
		w->counters = unit->counters;
	return 0;
}

/* What no counter of one event alone counts; the first that there is. */
static const char *const general_events[] = { "branches", "bus-cycles", "cache-references", NULL };

/* Does a group of @n times @event count? */
static bool counts_at_once(struct selftest *t, const char *event, unsigned int n,
			   struct ntime_item *item)
{
	char list[2048] = "{", *end = list + 1;
	struct ntime_value v[64] = { 0 };
	struct ntime_session *s;
	bool is_good;

	if (n > sizeof(v) / sizeof(v[0]) || ntime_session_new(t->ctx, NULL, &s) < 0)
		return false;
	for (unsigned int i = 0; i < n; i++)
		end = stpcpy(stpcpy(end, i ? "," : ""), event);
	(void)stpcpy(end, "}");
	is_good = ntime_session_add_list(s, list) == 0 && count(s, CORE_NS / 4, v, n) &&
		  ntime_session_item(s, 0, item) == 0;
	for (unsigned int i = 0; i < n; i++)
		is_good = is_good && !is_without(&v[i]);
	ntime_session_free(s);
	return is_good;
}

/*
 * How many of the counters that a core's PMU has are free: the others are the NMI watchdog's,
 * another program's, the firmware's or the hypervisor's. Who takes one is not to be seen from here.
 */
static void try_counters(struct selftest *t, const char *unit, int64_t cpu)
{
	struct wanted_unit w = { .name = unit };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_value v = { 0 };
	const char *const *event = general_events;
	struct row *row;
	unsigned int n;
	char reason[96];

	if (ntime_unit_for_each(t->ctx, find_counters, &w) < 0)
		return;
	/* What is not known needs no trial. */
	if (!w.counters)
		return;
	while (*event && !counts_at_once(t, *event, 1, &item))
		event++;
	if (!*event)
		return;
	for (n = w.counters; !counts_at_once(t, *event, n, &item); n--)
		if (n == 1)
			return;
	item.name = "counters";
	item.unit = unit;
	/* Not an event that happens: how many there are. */
	item.unit_text = "";
	snprintf(reason, sizeof(reason), "%u of the %u counters that any event may use are free", n,
		 w.counters);
	item.reason = n < w.counters ? reason : "";
	item.remedy = n < w.counters
			      ? "sysctl kernel.nmi_watchdog=0, end other users of the PMU; of the "
				"firmware, the kernel's log says 'corrupted hw-PMU resources'"
			      : "";
	v.value = n;
	v.count = n;
	row = add_row(t, &item, &v, cpu);
	if (n < w.counters)
		row->cell[RESULT] = cli_text("taken");
}

/* The unit of the first event of the rows from @first on; NULL: there is none that counts. */
static const char *unit_of_rows(const struct selftest *t, size_t first)
{
	for (size_t i = first; i < t->n; i++)
		if (t->row[i].cell[VALUE].kind && t->row[i].cell[UNIT_NAME].kind)
			return t->row[i].cell[UNIT_NAME].text;
	return NULL;
}

/*
 * The same event so often that the counters do not suffice: estimates of one truth. The worst
 * speaks for all.
 */
static void try_turns(struct selftest *t)
{
	const char *events[TURNS];
	size_t first = t->n, worst = first;
	struct row row;

	for (size_t i = 0; i < TURNS; i++)
		events[i] = "instructions:u";
	try_events(t, NTIME_TARGET_THREAD, events, TURNS, WORK_NS, -1);
	if (t->n == first)
		return;
	while (worst < t->n - 1 && !t->row[worst].is_bad)
		worst++;
	worst = t->row[worst].is_bad ? worst : first;
	row = t->row[worst];
	t->row[worst] = t->row[first];
	t->row[first] = row;
	while (t->n > first + 1)
		drop_row(t);
	free((char *)row.cell[EVENT].text);
	t->row[first].cell[EVENT] = own_text("instructions:u in turns");
}

/* Not events whose units were tried on each CPU, or are no counters of hardware. */
static int note_event(void *arg, const struct ntime_event_info *event)
{
	static const char *const others[] = { "software", "tracepoint", "breakpoint",
					      "clock",	  "kprobe",	"uprobe" };
	struct selftest *t = arg;

	if (!event->usable)
		return 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(event->unit, others[i]) == 0)
			return 0;
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->row[i].cell[UNIT_NAME].text, event->unit) == 0)
			return 0;
	cli_grow(&t->event, t->events);
	cli_grow(&t->unit, t->events);
	t->event[t->events] = cli_strdup(event->name);
	t->unit[t->events++] = cli_strdup(event->unit);
	return 0;
}

/* At one time those of one unit. */
static void try_others(struct selftest *t)
{
	size_t i, n;

	if (ntime_event_for_each(t->ctx, NULL, note_event, t) < 0) {
		(void)cli_machine_say(t->ctx, -EIO);
		t->has_failed = true;
		return;
	}
	for (i = 0; i < t->events; i += n) {
		for (n = 1; i + n < t->events && n < AT_ONCE; n++)
			if (strcmp(t->unit[i], t->unit[i + n]) != 0)
				break;
		try_events(t, NTIME_TARGET_MACHINE, (const char *const *)&t->event[i], n, WORK_NS,
			   -1);
	}
}

/* What was learned of one CPU says nothing of the next one. */
static bool open_context(struct selftest *t)
{
	struct cli_machine m = *t->m;

	ntime_close(t->ctx);
	m.tests_anew = true;
	t->has_failed = t->has_failed || cli_machine_open(&m, &t->ctx);
	return !t->has_failed;
}

static void try_cpus(struct selftest *t)
{
	size_t bytes = CPU_ALLOC_SIZE(CPU_SETSIZE * 8);
	cpu_set_t *all = cli_calloc(1, bytes), *one = cli_calloc(1, bytes);
	const char *unit;
	bool is_first = true;
	size_t first;

	if (sched_getaffinity(0, bytes, all) < 0)
		goto out;
	for (int cpu = 0; cpu < CPU_SETSIZE * 8 && !t->has_failed; cpu++) {
		if (!CPU_ISSET_S((size_t)cpu, bytes, all))
			continue;
		CPU_ZERO_S(bytes, one);
		CPU_SET_S((size_t)cpu, bytes, one);
		if (sched_setaffinity(0, bytes, one) < 0 || !open_context(t))
			continue;
		for (size_t i = 0; is_first && i < sizeof(core_events) / sizeof(core_events[0]);
		     i++)
			try_events(t, NTIME_TARGET_THREAD, &core_events[i], 1, CORE_NS, cpu);
		first = t->n;
		try_events(t, NTIME_TARGET_THREAD, few_events,
			   sizeof(few_events) / sizeof(few_events[0]), CORE_NS, cpu);
		unit = unit_of_rows(t, first);
		if (unit)
			try_counters(t, unit, cpu);
		is_first = false;
	}
	(void)sched_setaffinity(0, bytes, all);
out:
	free(all);
	free(one);
}

static void write_csv(FILE *f, const struct selftest *t)
{
	cli_csv_head(f, &all_columns);
	for (size_t i = 0; i < t->n; i++)
		cli_csv_row(f, &all_columns, t->row[i].cell);
}

static void write_json(FILE *f, const struct selftest *t)
{
	json_t *root = cli_json_machine_head(ntime_version(), false, cli_emulated());
	json_t *rows = json_array();

	for (size_t i = 0; i < t->n; i++)
		json_array_append_new(rows, cli_json_row(&all_columns, t->row[i].cell));
	json_object_set_new(root, "bad", cli_json_count(t->bad));
	json_object_set_new(root, "tests", rows);
	cli_json_write(f, root, 1);
}

/* Each reason once. */
static void write_reasons(FILE *f, const struct cli_look *look, const struct selftest *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct cli_cell *cell = t->row[i].cell;
		bool is_told = !cell[REASON].kind;

		for (size_t k = 0; k < i && !is_told; k++)
			is_told = strcmp(t->row[k].cell[REASON].text, cell[REASON].text) == 0;
		if (is_told)
			continue;
		fprintf(f,
			"%s%s%s (%s): ", cli_colour(look, t->row[i].is_bad ? CLI_BAD : CLI_PLAIN),
			cli_clean(cell[EVENT].text), cli_colour(look, CLI_PLAIN),
			cell[RESULT].text);
		cli_wrap(f, look, 2, 2, cell[REASON].text);
	}
}

static void write_text(FILE *f, const struct selftest *t)
{
	struct cli_look look = cli_look_at(fileno(f));
	struct cli_table table;

	cli_emulated_put(f, &look, cli_emulated());
	cli_table_init(&table, &all_columns, look.utf8);
	for (size_t i = 0; i < t->n; i++)
		cli_table_row(&table, t->row[i].cell);
	cli_table_print(&table, f, &look);
	cli_table_fini(&table);
	putc('\n', f);
	write_reasons(f, &look, t);
	if (t->bad)
		fprintf(f, "\n%s%zu of %zu tests found counters that lie.%s\n",
			cli_colour(&look, CLI_BAD), t->bad, t->n, cli_colour(&look, CLI_PLAIN));
	else
		fprintf(f, "\n%sNo counter was found to lie in %zu tests.%s\n",
			cli_colour(&look, CLI_GOOD), t->n, cli_colour(&look, CLI_PLAIN));
}

static void fini(struct selftest *t)
{
	while (t->n)
		drop_row(t);
	for (size_t i = 0; i < t->events; i++) {
		free(t->event[i]);
		free(t->unit[i]);
	}
	free(t->row);
	free(t->event);
	free(t->unit);
	ntime_close(t->ctx);
}

int cli_doctor_selftest(const struct cli_machine *m, enum cli_selftest_form form)
{
	struct selftest t = { .m = m };
	int ret = CLI_EXIT_FAILED;

	try_cpus(&t);
	if (!t.has_failed && open_context(&t)) {
		try_turns(&t);
		try_others(&t);
	}
	for (size_t i = 0; i < t.n; i++)
		t.bad += t.row[i].is_bad;
	if (!t.has_failed) {
		if (form == CLI_SELFTEST_CSV)
			write_csv(stdout, &t);
		else if (form == CLI_SELFTEST_JSON)
			write_json(stdout, &t);
		else
			write_text(stdout, &t);
		ret = cli_say_stdout_end();
		ret = ret ? ret : t.bad > 0;
	}
	fini(&t);
	return ret;
}
