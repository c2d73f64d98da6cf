// SPDX-License-Identifier: MIT
/* ntime gl list: a context without a window, and what the extension says in it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "base/command/signals.h"
#include "gl/cli/context.h"
#include "gl/cli/gl.h"
#include "gl/extension/driver.h"
#include "base/output/absence.h"
#include "base/output/csv.h"
#include "base/output/exit.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "base/output/table.h"

#define TEXT_BYTES 1000
#define MOST_GROUPS 64

/* Those of GL, from GetProcAddress. The last one is ours (gl/extension). */
#define FUNCTIONS(X)                                                                               \
	X(GetString)                                                                               \
	X(GetPerfMonitorGroupsAMD)                                                                 \
	X(GetPerfMonitorCountersAMD)                                                               \
	X(GetPerfMonitorGroupStringAMD)                                                            \
	X(GetPerfMonitorCounterStringAMD)                                                          \
	X(GetPerfMonitorCounterInfoAMD)                                                            \
	X(GetPerfMonitorMissingNTIME)

struct functions {
/* NOLINTNEXTLINE(bugprone-macro-parentheses) the name of a member cannot have any */
#define MEMBER(name) __typeof__(&gl##name) name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

/**
 * struct row - a counter that is there, or is missing
 * @is_there:	the numbers and the type are known
 * @group_id, @counter: by which programs select it
 * @most:	how many counters of the group may be active together
 * @reason, @remedy: NULL where it is there
 */
struct row {
	char *group, *name, *reason, *remedy;
	const char *type;
	uint32_t is_there;
	uint32_t group_id, counter, most;
};

struct list {
	struct cli_gl_context context;
	struct functions f;
	char *version, *renderer;
	struct row *row;
	size_t n;
};

#define ROW(member, of) CLI_OF(struct row, member, of)
#define THERE CLI_IF(struct row, is_there, 1)
static const struct cli_column column[] = {
	{ "group", .title = "GROUP", ROW(group, TEXT), .flags = CLI_COLUMN_LEFT },
	{ "group_id", .title = "NUMBER", ROW(group_id, COUNT), THERE, .rank = 1 },
	{ "counter_id", .title = "COUNTER", ROW(counter, COUNT), THERE },
	{ "name", .title = "NAME", ROW(name, TEXT), .flags = CLI_COLUMN_LEFT },
	{ "type", .title = "TYPE", ROW(type, TEXT), .flags = CLI_COLUMN_LEFT, .rank = 2 },
	{ "most_active", ROW(most, COUNT), THERE },
	{ "usable", ROW(is_there, BOOL), .flags = CLI_COLUMN_YES },
	{ "reason", ROW(reason, TEXT) },
	{ "remedy", ROW(remedy, TEXT) },
};
static const struct cli_columns columns = { .column = column,
					    .n = sizeof(column) / sizeof(column[0]) };

static const char *name_of_type(GLenum type)
{
	switch (type) {
	case GL_UNSIGNED_INT:
		return "uint32";
	case GL_UNSIGNED_INT64_AMD:
		return "uint64";
	case GL_PERCENTAGE_AMD:
		return "percentage";
	default:
		return "float";
	}
}

static void add_row(struct list *l, struct row row)
{
	cli_grow(&l->row, l->n);
	l->row[l->n++] = row;
}

static void read_group(struct list *l, GLuint group)
{
	GLint n = 0, most = 0;
	GLuint *counter;

	l->f.GetPerfMonitorCountersAMD(group, &n, &most, 0, NULL);
	counter = cli_calloc((size_t)(n > 0 ? n : 1), sizeof(*counter));
	l->f.GetPerfMonitorCountersAMD(group, NULL, NULL, n, counter);
	for (GLint i = 0; i < n; i++) {
		char group_name[TEXT_BYTES] = "", name[TEXT_BYTES] = "";
		GLenum type = 0;

		l->f.GetPerfMonitorGroupStringAMD(group, TEXT_BYTES - 1, NULL, group_name);
		l->f.GetPerfMonitorCounterStringAMD(group, counter[i], TEXT_BYTES - 1, NULL, name);
		l->f.GetPerfMonitorCounterInfoAMD(group, counter[i], GL_COUNTER_TYPE_AMD, &type);
		add_row(l, (struct row){ .group = cli_strdup(group_name),
					 .name = cli_strdup(name),
					 .type = name_of_type(type),
					 .is_there = 1,
					 .group_id = group,
					 .counter = counter[i],
					 .most = (uint32_t)most });
	}
	free(counter);
}

static void read_missing(struct list *l)
{
	char group[TEXT_BYTES], name[TEXT_BYTES], reason[TEXT_BYTES], remedy[TEXT_BYTES];

	for (GLuint i = 0;
	     l->f.GetPerfMonitorMissingNTIME(i, TEXT_BYTES, group, name, reason, remedy); i++)
		add_row(l, (struct row){ .group = cli_strdup(group),
					 .name = cli_strdup(name),
					 .reason = cli_strdup(reason),
					 .remedy = cli_strdup(remedy) });
}

static int read_rows(struct list *l)
{
	GLuint group[MOST_GROUPS];
	GLint n = 0;

	/* glvnd has a function for every name that begins with gl. */
#define LOAD(name) *(void **)&l->f.name = (void *)l->context.egl.GetProcAddress("gl" #name);
	FUNCTIONS(LOAD)
#undef LOAD
	l->version = cli_strdup((const char *)l->f.GetString(GL_VERSION));
	l->renderer = cli_strdup((const char *)l->f.GetString(GL_RENDERER));
	if (!strstr((const char *)l->f.GetString(GL_EXTENSIONS), "GL_AMD_performance_monitor")) {
		cli_say("GL_AMD_performance_monitor did not get into the context: is libEGL_ntime "
			"there, and can it be loaded (LD_DEBUG=libs)?");
		return -1;
	}
	l->f.GetPerfMonitorGroupsAMD(&n, MOST_GROUPS, group);
	for (GLint i = 0; i < n && i < MOST_GROUPS; i++)
		read_group(l, group[i]);
	read_missing(l);
	return 0;
}

static void say_missing(void *look, const char *sentence)
{
	printf("  ");
	cli_wrap(stdout, look, 2, 4, sentence);
}

static void write_text(const struct list *l)
{
	struct cli_absence *absence = cli_calloc(l->n + 1, sizeof(*absence));
	struct cli_look look = cli_look_at(STDOUT_FILENO);
	struct cli_cell cell[CLI_COLUMNS_MAX];
	struct cli_table table;
	size_t n = 0;

	cli_wrap(stdout, &look, 0, 2, l->renderer);
	cli_wrap(stdout, &look, 0, 2, l->version);
	cli_table_init(&table, &columns, look.utf8);
	for (size_t i = 0; i < l->n; i++) {
		const struct row *r = &l->row[i];

		if (r->is_there) {
			cli_cells_fill(cell, &columns, r);
			cli_table_row(&table, cell);
			continue;
		}
		/* Those with one reason and one remedy share a sentence. */
		absence[n++] = (struct cli_absence){ .name = r->name,
						     .reason = r->reason,
						     .cause = r->reason,
						     .about = r->reason,
						     .remedy = r->remedy,
						     .remedy_kind = strcmp(r->remedy, "none")
									    ? NTIME_REMEDY_HERE
									    : NTIME_REMEDY_NONE };
	}
	cli_table_print(&table, stdout, &look);
	cli_table_fini(&table);
	if (n)
		printf("Not here:\n");
	cli_absences_tell(absence, n, false, say_missing, &look);
	free(absence);
}

static void write_json(const struct list *l)
{
	json_t *root = cli_json_head(ntime_version());

	cli_json_put_where(root);
	json_object_set_new(root, "renderer", cli_json_text(l->renderer));
	json_object_set_new(root, "version", cli_json_text(l->version));
	json_object_set_new(root, "counters",
			    cli_json_rows(&columns, l->row, l->n, sizeof(*l->row)));
	cli_json_write(stdout, root, 1);
}

static void write_csv(const struct list *l)
{
	struct cli_cell cell[CLI_COLUMNS_MAX];

	cli_csv_head(stdout, &columns);
	for (size_t i = 0; i < l->n; i++) {
		cli_cells_fill(cell, &columns, &l->row[i]);
		cli_csv_row(stdout, &columns, cell);
	}
}

static void fini(struct list *l)
{
	cli_gl_context_end(&l->context);
	for (size_t i = 0; i < l->n; i++) {
		free(l->row[i].group);
		free(l->row[i].name);
		free(l->row[i].reason);
		free(l->row[i].remedy);
	}
	free(l->row);
	free(l->version);
	free(l->renderer);
}

static int list_here(const struct cli_gl *gl)
{
	const struct cli_gl_surface none = { .is_es = gl->is_es };
	struct list l = { .n = 0 };
	int ret = CLI_EXIT_FAILED;

	if (cli_gl_context_begin(&l.context, &none) == 0 && read_rows(&l) == 0) {
		if (gl->is_json)
			write_json(&l);
		else if (gl->is_csv)
			write_csv(&l);
		else
			write_text(&l);
		ret = cli_say_stdout_end();
	}
	fini(&l);
	return ret;
}

/* A driver may do what it likes in a process of its own: what ended that is said here. */
int cli_gl_list(const struct cli_gl *gl)
{
	int status = 0;
	pid_t child, ended;

	(void)fflush(stdout);
	child = fork();
	if (child < 0) {
		cli_say("cannot try the driver in a process of its own: %s", strerror(errno));
		return CLI_EXIT_FAILED;
	}
	if (child == 0)
		exit(list_here(gl));
	cli_signals_forward(child);
	do
		ended = waitpid(child, &status, 0);
	while (ended < 0 && errno == EINTR);
	cli_signals_forward(0);
	if (ended == child && WIFEXITED(status))
		return WEXITSTATUS(status);
	if (ended == child && WTERMSIG(status) != SIGINT)
		cli_say("the driver of EGL was ended by signal %d (%s); asked were %s: try another "
			"one with --vendor",
			WTERMSIG(status), strsignal(WTERMSIG(status)), getenv(CLI_GL_VENDORS));
	return CLI_EXIT_FAILED;
}
