// SPDX-License-Identifier: MIT
/* ntime trace doctor: what tracing a card through QEMU needs, and whether it is there. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ntime/trace/vfio.h>

#include "base/output/clean.h"
#include "base/output/json.h"
#include "base/command/child.h"
#include "base/output/emulated.h"
#include "base/command/options.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "base/output/term.h"
#include "trace/cli/trace.h"

enum {
	ID_QEMU = CLI_TRACE_OWN,
	ID_LOG,
	ID_ROOT,
};

/* Room for what QEMU says to --version. */
#define VERSION_BYTES 1024
/* Columns of the state in front of each line. */
#define STATE_COLUMNS 9

struct doctor {
	const char *qemu, *log;
	struct cli_look look;
	json_t *checks;
	char *command; /* how QEMU is called: the last thing told to people */
	int missing;
};

static const struct cli_option options[] = {
	{ ID_QEMU, "qemu", "PROGRAM", "QEMU's program (qemu-system-x86_64)" },
	{ ID_LOG, "log", "FILE", "also check what this trace lacks" },
	{ ID_ROOT, "root", "DIR", "look for the system's files below DIR" },
	CLI_OPTION_END,
};

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct doctor *d = t->own;

	switch (o->id) {
	case ID_QEMU:
		d->qemu = value;
		break;
	case ID_LOG:
		d->log = value;
		break;
	default:
		t->root = value;
	}
	return 0;
}

static const struct {
	const char *json, *text;
	enum cli_colour colour;
} states[] = {
	[NTIME_VFIO_OK] = { "ok", "ok", CLI_GOOD },
	[NTIME_VFIO_MISSING] = { "missing", "missing", CLI_BAD },
	[NTIME_VFIO_UNKNOWN] = { "unknown", "unknown", CLI_WARN },
};

#define CHECK(member) CLI_OF(struct ntime_vfio_check, member, TEXT)
static const struct cli_column columns[] = {
	{ "name", CHECK(name) },     { "what", CHECK(what) },	  { "state" },
	{ "reason", CHECK(reason) }, { "remedy", CHECK(remedy) },
};

static int put_json(struct doctor *d, const struct ntime_vfio_check *check)
{
	static const struct cli_columns c = { .column = columns, .n = 5 };
	struct cli_cell cell[5];

	cli_cells_fill(cell, &c, check);
	cell[2] = cli_text(states[check->state].json);
	json_array_append_new(d->checks, cli_json_row(&c, cell));
	return 0;
}

/* A command line is there to be copied: in one piece. */
static void put_command(struct doctor *d)
{
	if (d->command)
		printf("\nQEMU's command line:\n  %s\n", cli_clean(d->command));
	free(d->command);
}

static void put_text(const struct doctor *d, const struct ntime_vfio_check *check)
{
	const char *state = states[check->state].text;
	size_t column = STATE_COLUMNS + strlen(check->what) + 2;

	printf("%s%s%s%*s%s: ", cli_colour(&d->look, states[check->state].colour), state,
	       cli_colour(&d->look, CLI_PLAIN), (int)(STATE_COLUMNS - strlen(state)), "",
	       check->what);
	cli_wrap(stdout, &d->look, column, STATE_COLUMNS + 2, check->reason);
	if (!*check->remedy)
		return;
	printf("%*sremedy: ", STATE_COLUMNS, "");
	cli_wrap(stdout, &d->look, STATE_COLUMNS + strlen("remedy: "), STATE_COLUMNS + 2,
		 check->remedy);
}

static int put_check(void *arg, const struct ntime_vfio_check *check)
{
	struct cli_trace *t = arg;
	struct doctor *d = t->own;

	if (t->is_json)
		return put_json(d, check);
	if (strcmp(check->name, "command") != 0)
		put_text(d, check);
	else if (!d->command)
		d->command = cli_strdup(check->reason);
	return 0;
}

/* Of this machine's own architecture, by QEMU's name of it. */
static const char *default_qemu(char *name, size_t size)
{
	struct utsname u;
	const char *arch = "x86_64";

	if (uname(&u) == 0)
		arch = u.machine[0] == 'i' && strcmp(u.machine + 2, "86") == 0 ? "i386"
		       : strncmp(u.machine, "armv", 4) == 0		       ? "arm"
									       : u.machine;
	snprintf(name, size, "qemu-system-%s", arch);
	return name;
}

/*
 * What QEMU says, NULL: it cannot be asked. Below another root it is not that machine's, unless it
 * was named.
 */
static const char *ask_qemu(const struct cli_trace *t, const char *program, char *text, size_t size)
{
	const struct doctor *d = t->own;
	char *argv[] = { (char *)program, (char *)"--version", NULL };

	if (!d->qemu && t->root)
		return NULL;
	return cli_child_read(argv, text, size) == 0 ? text : NULL;
}

/* ---- a trace ---- */

static void tell_log(struct cli_trace *t, uint32_t state, const char *name, const char *reason,
		     const char *remedy)
{
	struct doctor *d = t->own;
	struct ntime_vfio_check check = { .size = sizeof(check),
					  .state = state,
					  .name = name,
					  .what = "Trace",
					  .reason = reason,
					  .remedy = remedy };

	d->missing += state == NTIME_VFIO_MISSING;
	(void)put_check(t, &check);
}

/* What could be done about it is missing; what could not is told all the same. */
static int tell_warning(void *arg, const char *sentence, const char *remedy, uint64_t count)
{
	char reason[512];

	snprintf(reason, sizeof(reason), "%s (%" PRIu64 " time%s)", sentence, count,
		 count == 1 ? "" : "s");
	tell_log(arg, *remedy ? NTIME_VFIO_MISSING : NTIME_VFIO_UNKNOWN, "log-lacks", reason,
		 remedy);
	return 0;
}

static void tell_whole(struct cli_trace *t, const struct ntime_trace *trace)
{
	struct ntime_trace_info info = { .size = sizeof(info) };
	const struct doctor *d = t->own;
	char reason[512];

	(void)ntime_trace_get_info(trace, &info);
	snprintf(reason, sizeof(reason), "%.128s has %" PRIu64 " access%s%s%.128s",
		 strcmp(d->log, "-") == 0 ? "standard input" : d->log, info.accesses,
		 info.accesses == 1 ? "" : "es", *info.style ? "; its lines begin with " : "",
		 info.style);
	if (info.accesses)
		tell_log(t, NTIME_VFIO_OK, "log", reason, "");
	else
		tell_log(t, NTIME_VFIO_MISSING, "log", reason,
			 "QEMU needs -trace 'vfio_region_*', x-no-mmap=on for the device, and a "
			 "guest "
			 "that uses it");
}

/* Read it to its end. What cannot be read is a finding as well. */
static int check_log(struct cli_trace *t)
{
	const struct doctor *d = t->own;
	struct ntime_trace_options o = { .size = sizeof(o) };
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	struct ntime_trace *trace;
	int ret = ntime_trace_open(t->ctx, d->log, &o, &trace);

	if (ret < 0)
		return ret;
	do
		ret = ntime_trace_next(trace, &batch);
	while (ret == 0 && batch.n);
	if (ret == 0) {
		tell_whole(t, trace);
		ret = ntime_trace_warnings(trace, tell_warning, t);
	}
	ntime_trace_close(trace);
	return ret < 0 ? ret : 0;
}

static int write_json(struct cli_trace *t)
{
	struct doctor *d = t->own;
	json_t *root = cli_json_machine_head(ntime_trace_version(), false, cli_emulated());

	json_object_set_new(root, "missing", json_integer(d->missing));
	json_object_set_new(root, "checks", d->checks);
	d->checks = NULL;
	return cli_json_write(stdout, root, 1) < 0 ? CLI_EXIT_FAILED : 0;
}

static int run_doctor(struct cli_trace *t)
{
	struct doctor *d = t->own;
	char version[VERSION_BYTES], name[80];
	struct ntime_vfio_question q = { .size = sizeof(q) };
	int ret;

	q.card = t->n ? t->operand[0] : NULL;
	q.qemu = d->qemu ? d->qemu : default_qemu(name, sizeof(name));
	q.qemu_version = ask_qemu(t, q.qemu, version, sizeof(version));
	d->look = cli_look_at(STDOUT_FILENO);
	if (t->is_json)
		d->checks = json_array();
	ret = ntime_vfio_doctor(t->ctx, &q, put_check, t);
	if (ret >= 0) {
		d->missing += ret;
		ret = d->log ? check_log(t) : 0;
	}
	if (ret < 0) {
		json_decref(d->checks);
		put_command(d);
		return cli_trace_say(t->ctx, ret);
	}
	if (t->is_json)
		(void)write_json(t);
	put_command(d);
	ret = cli_say_stdout_end();
	return ret ? ret : d->missing > 0;
}

const struct cli_trace_action cli_trace_doctor = {
	.name = "doctor",
	.usage = "[OPTION...] [BDF]",
	.about = "check what tracing a card through QEMU needs",
	.details = "Checks processor, IOMMU, kernel modules and QEMU, the card at BDF (such as "
		   "0000:05:00.0) with its IOMMU group, and a trace. Each missing item has a "
		   "reason and a remedy; the last lines are QEMU's command line.\nExit status: 0 "
		   "if nothing is missing, else 1.",
	.groups = CLI_TRACE_JSON,
	.min = 0,
	.max = 1,
	.uses_machine = true,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct doctor),
	.run = run_doctor,
};
