// SPDX-License-Identifier: MIT
/* ntime export: what watch shows, as text that Prometheus and others scrape. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <ntime/list.h>

#include "base/command/signals.h"
#include "base/command/wait.h"
#include "base/output/file.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "count/cli/export/export.h"
#include "count/cli/shared/leftover.h"
#include "count/cli/shared/machine.h"
#include "count/cli/stat/sessions.h"

/* So often it is asked whether CPUs came or went. */
#define FOLLOW_NS 1000000000u
/* Passes that take turns are looked at so often, as ntime stat does. */
#define TURN_NS 100000000u
/* Below this, looks cost more than they find. */
#define LEAST_LOOK_NS 1000000u

/* Items by family, what was asked for before what a metric needs, then by instance. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct cli_exporter *e = arg;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int ret = strcmp(e->name[i].family, e->name[k].family);

	if (!ret)
		ret = (int)e->items.item[i].info.is_hidden - (int)e->items.item[k].info.is_hidden;
	if (!ret)
		ret = strcmp(e->name[i].instance, e->name[k].instance);
	return ret ? ret : i < k ? -1 : 1;
}

/* Which of the first @kept has the name of item @i: of the same unit, or one of them of all. */
static size_t find_twin(const struct cli_exporter *e, size_t kept, size_t i)
{
	const struct cli_export_name *b = &e->name[i];

	while (kept--) {
		const struct cli_export_name *a = &e->name[e->order[kept]];

		if (strcmp(a->family, b->family) == 0 &&
		    (!*a->instance || !*b->instance || strcmp(a->instance, b->instance) == 0))
			return e->order[kept];
	}
	return SIZE_MAX;
}

/*
 * Two items of one name that were asked for: sums over them would count twice. What only metrics
 * need is left out instead. 0, or -EINVAL after a sentence.
 */
static int part(struct cli_exporter *e)
{
	size_t kept = 0;

	for (size_t k = 0; k < e->exported; k++) {
		size_t i = e->order[k], other = find_twin(e, kept, i);

		if (other == SIZE_MAX) {
			e->order[kept++] = i;
			continue;
		}
		if (e->items.item[i].info.is_hidden)
			continue;
		cli_say("%s and %s would both be exported as %s: leave one of them out",
			e->items.item[other].name, e->items.item[i].name, e->name[i].family);
		return -EINVAL;
	}
	e->exported = kept;
	return 0;
}

static int find_help(void *arg, const struct ntime_event_info *event)
{
	struct cli_exporter *e = arg;

	for (size_t k = 0; k < e->exported; k++) {
		size_t i = e->order[k];

		if (e->help[i] || strcmp(e->items.item[i].name, event->name) != 0)
			continue;
		e->help[i] = cli_format("%s (%s)", event->desc, event->name);
	}
	return 0;
}

/* "IPC=cycles/2" of the command line, which may have the name of another metric; or NULL. */
static char *own_formula(const struct cli_exporter *e, const char *name)
{
	size_t chars = strlen(name);

	for (size_t k = 0; k < e->o.metric_count; k++) {
		const char *text = e->o.metric[k].text;

		if (strncmp(text, name, chars) == 0 && (text[chars] == '=' || text[chars] == '['))
			return cli_strdup(text);
	}
	return NULL;
}

/* What is exported, and what it is called. 0, or -errno after a sentence. */
static int name_items(struct cli_exporter *e)
{
	int ret;

	e->name = cli_calloc(e->items.n + 1, sizeof(*e->name));
	e->help = cli_calloc(e->items.n + 1, sizeof(*e->help));
	e->order = cli_calloc(e->items.n + 1, sizeof(*e->order));
	for (size_t i = 0; i < e->items.n; i++) {
		struct ntime_item item = e->items.item[i].info;

		if (!e->items.item[i].is_shown || (item.is_metric && i >= e->metrics))
			continue;
		if (item.is_metric) {
			e->help[i] = own_formula(e, item.name);
			item.unit = "metric";
		}
		cli_export_name_init(&e->name[i], &item);
		e->order[e->exported++] = i;
	}
	qsort_r(e->order, e->exported, sizeof(*e->order), compare, e);
	ret = part(e);
	if (!ret)
		ret = cli_machine_check(e->ctx, ntime_event_for_each(e->ctx, NULL, find_help, e));
	if (!ret && e->metrics)
		ret = cli_machine_check(e->ctx, ntime_metric_for_each(e->ctx, find_help, e));
	for (size_t k = 0; k < e->exported && !ret; k++) {
		size_t i = e->order[k];

		if (!e->help[i])
			e->help[i] = cli_strdup(e->items.item[i].name);
	}
	return ret ? ret : cli_watch_items_check(&e->items, e->exported);
}

/* Those that are exported themselves come first. 0, or -errno after a sentence. */
static int add_metrics(struct cli_exporter *e)
{
	struct ntime_item item = { .size = sizeof(item) };
	int ret =
		cli_watch_items_add(&e->items, e->ctx, e->session, e->o.metric, e->o.metric_count);

	e->metrics = ntime_session_count(e->session);
	for (size_t i = 0; i < e->metrics && !ret; i++) {
		ret = cli_machine_check(e->ctx, ntime_session_item(e->session, i, &item));
		if (ret || item.is_metric || item.is_hidden)
			continue;
		cli_say("-m takes a metric, and %s is an event: take -e", item.name);
		ret = -EINVAL;
	}
	return ret;
}

/* As the kernel has it; not all architectures' has a name (proc(5)). A recording has none. */
static void find_cpu(struct cli_exporter *e)
{
	FILE *f = e->o.machine ? NULL : cli_fopen("/proc/cpuinfo", "re");
	char line[256];

	while (f && !*e->cpu && fgets(line, sizeof(line), f))
		(void)sscanf(line, "model name : %127[^\n]", e->cpu);
	if (f)
		fclose(f);
}

static int open_session(struct cli_exporter *e)
{
	struct ntime_target target = { .size = sizeof(target),
				       .via = e->o.via,
				       .cpus = e->o.cpus,
				       .context = e->o.context,
				       .kind = e->o.cpus ? NTIME_TARGET_CPUS
							 : NTIME_TARGET_MACHINE };
	int ret = cli_machine_check(e->ctx, ntime_session_new(e->ctx, &target, &e->session));

	if (!ret && e->o.metric_count)
		ret = add_metrics(e);
	if (!ret && (e->o.wishes || !e->o.metric_count))
		ret = cli_watch_items_add(&e->items, e->ctx, e->session, e->o.wish, e->o.wishes);
	return ret ? ret : cli_sessions_open(e->ctx, &e->session, 1);
}

/* Count from here on. */
static int begin(struct cli_exporter *e)
{
	/* First of all: from then on a CPU that goes is no error. */
	int ret = ntime_session_follow(e->session);

	if (ret >= 0)
		ret = ntime_session_start(e->session);
	e->began_s = (double)cli_wall_ns() / 1e9;
	if (ret >= 0)
		ret = cli_export_sums_begin(&e->sums, e->session);
	if (!ret)
		ret = cli_watch_items_describe(&e->items, e->session, e->sums.last,
					       e->sums.where_count, true);
	return cli_machine_check(e->ctx, ret);
}

/* The counts of this moment. 0, or -errno after a sentence. */
static int look(struct cli_exporter *e)
{
	int ret = cli_export_sums_read(&e->sums, e->session, e->items.item);

	if (!ret && e->metrics)
		ret = cli_export_gauges_take(&e->gauges, &e->sums, e->session, e->items.item);
	return cli_machine_check(e->ctx, ret);
}

/* No more series than were agreed on: those who store them pay for each. */
static int check_series(struct cli_exporter *e)
{
	size_t n = 0, most = 0, most_k = 0;

	for (size_t k = 0; k < e->exported; k++) {
		bool is_gauge = cli_export_is_gauge(&e->items.item[e->order[k]]);
		size_t series = cli_export_series(e, k) * (is_gauge ? 1 : 2);

		n += series;
		if (series > most) {
			most = series;
			most_k = k;
		}
	}
	if (n > e->o.max_series) {
		cli_say("%zu series, with those that say when each began, may be more than the "
			"%llu of --max-series, %zu of them %s: take --per socket or fewer events, "
			"or allow more",
			n, (unsigned long long)e->o.max_series, most,
			e->name[e->order[most_k]].family);
		return -E2BIG;
	}
	if (!e->o.cgroups)
		return 0;
	cli_users_init(&e->cgroups, e->o.cgroups, (unsigned int)e->o.depth,
		       (e->o.max_series - n) / CLI_USER_FAMILIES);
	n = cli_users_read(&e->cgroups);
	if (e->cgroups.dropped) {
		cli_say("%zu control groups are more than the %zu that have series of their own: "
			"take fewer, or less of --depth, or more of --max-series",
			n, e->cgroups.most);
		return -E2BIG;
	}
	if (!n) {
		cli_say("--cgroups '%s' is no control group here: paths below /sys/fs/cgroup, "
			"such as system.slice; / is all",
			e->o.cgroups);
		return -ENOENT;
	}
	return 0;
}

static int prepare(struct cli_exporter *e)
{
	int ret = open_session(e);

	if (!ret)
		ret = begin(e);
	if (!ret)
		ret = name_items(e);
	if (ret)
		return ret;
	if (!e->o.is_quiet)
		cli_watch_items_tell(&e->items, "export", e->o.verbose);
	find_cpu(e);
	/* What can be counted at all has its number after a second read. */
	ret = look(e);
	return ret ? ret : check_series(e);
}

/*
 * Counters that wrap, and events that take turns, are read meanwhile; CPUs that come are counted.
 */
static uint64_t look_ns(const struct cli_exporter *e)
{
	uint64_t look = ntime_session_max_read_interval_ns(e->session) / 2;

	if (look > FOLLOW_NS)
		look = FOLLOW_NS;
	if (ntime_session_passes(e->session) > 1 && look > TURN_NS)
		look = TURN_NS;
	return look < LEAST_LOOK_NS ? LEAST_LOOK_NS : look;
}

/*
 * Until @until_ns, a signal that asks for the end, or input from @fd: 1. 0, or -errno without a
 * sentence.
 */
static int count(struct cli_exporter *e, uint64_t until_ns, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t look = look_ns(e);
	int ret = 0;

	while (!ret && !cli_signals_stop()) {
		uint64_t now = cli_now_ns(), left = until_ns > now ? until_ns - now : 0;
		struct timespec time;

		if (!left)
			return 0;
		left = left < look ? left : look;
		/* Control groups are looked for at each answer anyway. */
		(void)cli_signals_took_hangup();
		time = (struct timespec){ (time_t)(left / 1000000000u),
					  (long)(left % 1000000000u) };
		if (ppoll(&p, 1, &time, &e->mask) > 0)
			return 1;
		ret = look < FOLLOW_NS ? cli_export_sums_read(&e->sums, e->session, e->items.item)
				       : cli_export_sums_follow(&e->sums, e->session);
	}
	return ret;
}

/* The counts of this moment to @f. 0, or -errno after a sentence. */
static int answer(struct cli_exporter *e, FILE *f, enum cli_export_format format)
{
	uint64_t begin_ns = cli_now_ns();
	int ret = look(e);

	if (ret)
		return ret;
	if (e->o.cgroups)
		(void)cli_users_read(&e->cgroups);
	cli_export_put(e, f, format);
	e->answer_s = (double)(cli_now_ns() - begin_ns) / 1e9;
	return 0;
}

/* 0, or -errno after a sentence; nothing is half written then. */
static int write_answer(struct cli_exporter *e, const char *path)
{
	struct cli_output out = { .fd = -1 };
	int ret = cli_output_open(&out, path, false);

	if (ret)
		return ret;
	/* Whoever collects it is another user. */
	if (out.is_whole && fchmod(out.fd, 0644))
		ret = -errno;
	if (ret)
		cli_say("cannot let others read %s: %s", path, strerror(-ret));
	else
		ret = answer(e, out.f, CLI_EXPORT_TEXT);
	if (!ret)
		return cli_output_close(&out);
	cli_output_abandon(&out);
	return ret;
}

/*
 * A pipe would be waited for, and a link or device is not ours to remove. 0 or -EINVAL after a
 * sentence.
 */
static int check_textfile(const char *path)
{
	struct stat file;

	if (lstat(path, &file) || S_ISREG(file.st_mode))
		return 0;
	cli_say("--textfile makes a regular file, and %s is none", path);
	return -EINVAL;
}

static int write_once(struct cli_exporter *e)
{
	int ret = e->o.textfile ? check_textfile(e->o.textfile) : 0;

	if (!ret)
		ret = cli_machine_check(e->ctx, count(e, cli_now_ns() + e->o.interval_ns, -1));
	/* Who ends it earlier has what was counted until then. */
	return ret ? ret : write_answer(e, e->o.textfile ? e->o.textfile : "-");
}

/* Until a signal asks for the end: then nobody is to go on collecting what stands still. */
static int write_textfile(struct cli_exporter *e)
{
	uint64_t due = cli_now_ns();
	bool is_written = false;
	int ret = 0;

	cli_signals_keep_hangup(true);
	while (!ret && !cli_signals_stop()) {
		ret = check_textfile(e->o.textfile);
		if (!ret)
			ret = write_answer(e, e->o.textfile);
		is_written = is_written || !ret;
		/* A disk that is full now, which was told, may not be later. */
		if (ret && !is_written)
			break;
		due += e->o.interval_ns;
		if (due < cli_now_ns())
			due = cli_now_ns();
		ret = cli_machine_check(e->ctx, count(e, due, -1));
	}
	if (is_written && !check_textfile(e->o.textfile) && unlink(e->o.textfile) &&
	    errno != ENOENT)
		cli_say("cannot remove %s: %s", e->o.textfile, strerror(errno));
	return ret;
}

/* Sockets are bound before anything is counted, and by whoever may do that. 0 or -errno. */
static int start_server(struct cli_exporter *e)
{
	int ret = 0;

	while (!ret && e->listeners < e->o.listens) {
		struct cli_listener *l = &e->listener[e->listeners];

		ret = cli_listener_open(l, e->o.listen[e->listeners++]);
		if (!ret && cli_listener_is_open_to_others(l) && !e->o.is_quiet)
			cli_say("%s can be reached by other machines, and asks for no password: "
				"put a proxy before it",
				l->text);
	}
	if (!ret)
		ret = cli_server_start(&e->server, e->listener, e->listeners);
	/* Whoever counts has no socket. */
	for (size_t i = 0; i < e->listeners; i++) {
		if (e->listener[i].fd >= 0)
			close(e->listener[i].fd);
		e->listener[i].fd = -1;
	}
	return ret;
}

/* One answer to the server, which asked for it. 0, or -errno after a sentence: it is gone. */
static int serve_one(struct cli_exporter *e)
{
	struct cli_text text;
	char format;
	int ret;

	if (read(e->server.ask, &format, 1) != 1) {
		cli_say("the server has ended");
		return -EPIPE;
	}
	cli_text_begin(&text);
	/* What cannot be read was told, and may be read the next time. */
	ret = answer(e, text.f, (enum cli_export_format)format);
	text.text = cli_text_end(&text);
	ret = cli_server_answer(&e->server, text.text, ret ? 0 : text.bytes);
	free(text.text);
	if (ret)
		cli_say("the server has ended");
	return ret;
}

static int serve(struct cli_exporter *e)
{
	int ret = cli_server_open(&e->server);

	cli_signals_keep_hangup(true);
	for (size_t i = 0; i < e->listeners && !ret && !e->o.is_quiet; i++)
		cli_say("serving at %s", e->listener[i].text);
	while (!ret && !cli_signals_stop()) {
		ret = count(e, UINT64_MAX, e->server.ask);
		if (ret > 0)
			ret = serve_one(e);
		else
			ret = cli_machine_check(e->ctx, ret);
	}
	return ret;
}

/* What an answer would have, and what it costs. */
static int check(struct cli_exporter *e)
{
	struct timespec before, after;
	struct cli_text text;
	double cost;
	int ret;

	cli_text_begin(&text);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	ret = answer(e, text.f, CLI_EXPORT_TEXT);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	free(cli_text_end(&text));
	if (ret)
		return ret;
	cost = (double)(after.tv_sec - before.tv_sec) * 1e3 +
	       (double)(after.tv_nsec - before.tv_nsec) / 1e6;
	for (size_t k = 0; k < e->exported; k++) {
		size_t i = e->order[k];

		printf("%7zu  %s%s: %s\n", cli_export_series(e, k), e->name[i].family,
		       cli_export_is_gauge(&e->items.item[i]) ? "" : "_total",
		       e->items.item[i].name);
	}
	for (size_t i = 0; i < CLI_USER_FAMILIES && e->o.cgroups; i++) {
		const struct cli_user_family *family = &cli_user_families[i];
		size_t n = 0;

		for (size_t k = 0; k < e->cgroups.n; k++)
			n += e->cgroups.user[k].has[i] && !e->cgroups.user[k].is_folded;
		if (n)
			printf("%7zu  %s%s: %s\n", n, family->name,
			       family->is_state ? "" : "_total", family->help);
	}
	printf("%7zu  series in an answer of %zu bytes, which takes %.3g ms of CPU time and %zu "
	       "open files; %zu of what was asked for is absent\n",
	       e->series, text.bytes, cost, cli_export_open_files(), e->items.absences);
	return 0;
}

static int export(struct cli_exporter *e)
{
	int ret;

	cli_signals_init();
	cli_signals_block(&e->mask);
	cli_signals_interrupt(true);
	ret = prepare(e);
	cli_signals_interrupt(false);
	if (!ret && e->o.is_check)
		ret = check(e);
	else if (!ret && e->o.is_once)
		ret = write_once(e);
	else if (!ret)
		ret = e->o.textfile ? write_textfile(e) : serve(e);
	cli_signals_unblock(&e->mask);
	return ret;
}

/* 0, or CLI_EXIT_FAILED after sentences about what was not given back. */
static int fini(struct cli_exporter *e)
{
	int ret;

	cli_undo_remove(&e->undo);
	cli_server_end(&e->server);
	for (size_t i = 0; i < e->listeners; i++)
		cli_listener_close(&e->listener[i]);
	/* Counters are given back here: before anything else can fail. */
	ntime_session_free(e->session);
	ret = cli_leftover_say(e->ctx);
	for (size_t i = 0; e->name && i < e->items.n; i++) {
		cli_export_name_fini(&e->name[i]);
		free(e->help[i]);
	}
	free(e->name);
	free(e->help);
	free(e->order);
	cli_export_gauges_fini(&e->gauges);
	cli_export_sums_fini(&e->sums);
	cli_users_fini(&e->cgroups);
	cli_watch_items_fini(&e->items);
	cli_export_options_fini(&e->o);
	ntime_close(e->ctx);
	return ret;
}

/* Without memory: counters are given back. */
static void undo(void *arg)
{
	struct cli_exporter *e = arg;

	ntime_session_free(e->session);
}

static int run_export(const struct cli_command *self, int argc, char **argv)
{
	struct cli_exporter e = { .started_s = (double)cli_wall_ns() / 1e9 };
	struct cli_machine machine;
	int ret = cli_export_options_parse(&e.o, self, argc, argv), left;

	if (ret < 0) {
		cli_export_options_fini(&e.o);
		return cli_options_end(ret);
	}
	machine = (struct cli_machine){
		.recording = e.o.machine,
		.model = e.o.model,
		.metrics = e.o.metrics,
		.verbose = e.o.verbose,
		.no_self_test = e.o.no_self_test,
		.counts = !e.o.is_rules,
	};
	e.undo = (struct cli_undo){ .run = undo, .arg = &e };
	cli_undo_add(&e.undo);
	if (!e.o.is_once && !e.o.is_check && !e.o.is_rules && !e.o.textfile)
		ret = start_server(&e);
	if (!ret)
		ret = cli_machine_open(&machine, &e.ctx);
	if (!ret)
		ret = e.o.is_rules ? cli_export_rules(&e) : export(&e);
	if (ret || cli_say_stdout_end())
		ret = CLI_EXIT_FAILED;
	left = fini(&e);
	return ret ? ret : left;
}

const struct cli_command cli_export_command = {
	.name = "export",
	.usage = "export [--listen ADDRESS|--textfile FILE|--once|--check|--rules] [OPTION...] "
		 "[GROUP|METRIC|EVENT...]",
	.about = "counters as text that Prometheus and others collect",
	.details = "It serves http://" CLI_LISTEN_DEFAULT
		   "/metrics, or writes a file or standard output. Without operands it exports "
		   "the events of the overview of 'ntime watch'. Of metrics the events are "
		   "exported, of which whoever collects them computes rates and ratios. Counters "
		   "begin at 0 when ntime begins, and never fall. TIME is a number of seconds, or "
		   "a number with ns, us, ms, s or min.\n\nExit status: 0, also after Ctrl-C; 125 "
		   "if ntime itself failed, or none of the requested events can be counted.",
	.options = cli_export_option_table,
	.is_permuting = true,
	.run = run_export,
};
