/* SPDX-License-Identifier: MIT */
/* ntime watch: what its parts share. */
#ifndef CLI_WATCH_WATCH_H
#define CLI_WATCH_WATCH_H

#include <signal.h>

#include "base/output/csv.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "count/cli/watch/frames.h"
#include "count/cli/watch/items.h"
#include "count/cli/watch/options.h"
#include "count/cli/watch/out.h"
#include "count/cli/report/report.h"
#include "count/cli/report/rows.h"
#include "count/cli/watch/sampler.h"

struct cli_watch_view;

/**
 * struct cli_watch - one run
 * @last, @now, @delta: of the CPUs: what was read before and now, and what happened between
 * @at_ns, @period_ns: of the sample that is shown: since the start, and since the sample before it
 * @frames:	of a ring, in place of the session; .ring is NULL without
 * @wall_ns:	when it was, by CLOCK_REALTIME
 * @unsure_ns:	how much @period_ns may be off
 * @missed:	samples that were left out right before it
 * @shown:	samples that were shown
 * @state:	the view's own
 * @emulated:	guest of the lab in which it runs, NULL elsewhere
 * @mask:	signals that are blocked but while we wait
 */
struct cli_watch {
	struct cli_watch_options o;
	struct ntime_ctx *ctx;
	struct ntime_session *session;
	struct cli_watch_items items;
	struct cli_rows rows;
	struct cli_watch_sampler sampler;
	struct cli_watch_frames frames;
	struct cli_watch_out out;
	struct ntime_value *last, *now, *delta;
	size_t values;	     /* room in each of them */
	bool has_other_cpus; /* than the rows have: some came or went */
	uint64_t last_ns, last_unsure_ns, at_ns, period_ns, wall_ns, unsure_ns, missed, shown;
	bool ends_by_itself; /* all that will come is there: no screen is needed */
	bool was_stopped;    /* a signal asked for the end before the first sample */
	const struct cli_watch_view *view;
	void *state;
	const char *emulated;
	struct cli_undo undo;
	sigset_t mask;
};

/* Until @deadline_ns, a key or a signal, which is heeded. 0; 1: it is to end; -errno. */
int cli_watch_pause(struct cli_watch *w, uint64_t deadline_ns);

/* --per cgroup, unit or process: all of it, without a session. 0; -errno after a sentence. */
int cli_watch_users_run(struct cli_watch *w);

/* A row, NULL: the head; a line, which is freed: 0 or -errno. */
void cli_watch_put_csv(struct cli_watch *w, const struct cli_columns *c,
		       const struct cli_cell *cell);
int cli_watch_put_json(struct cli_watch *w, json_t *root);

/* What a view's key() may ask for. */
enum cli_watch_wish_of_key { CLI_KEY_NOTHING, CLI_KEY_QUIT, CLI_KEY_PER };

/**
 * struct cli_watch_view - one form of output
 * @begin:	once everything is counted, before the first sample; 0 or -errno after a sentence
 * @head:	what stands before the first sample in a file; NULL: nothing
 * @has_head_once: however often a file is appended to
 * @sample:	show the rows. 0, or -errno: the output is gone
 * @redraw:	show the rows again, not a new sample; NULL: nothing to do
 * @key:	the terminal has input, or another size; NULL where there is none
 * @end:	undo begin; may be called without it
 * @input:	descriptor of keys, -1 for none
 */
struct cli_watch_view {
	int (*begin)(struct cli_watch *w); /* may be NULL */
	int (*head)(struct cli_watch *w);
	bool has_head_once;
	int (*sample)(struct cli_watch *w);
	void (*redraw)(struct cli_watch *w);
	enum cli_watch_wish_of_key (*key)(struct cli_watch *w);
	void (*end)(struct cli_watch *w);
	int (*input)(const struct cli_watch *w);
};

extern const struct cli_watch_view cli_watch_plain_view;
extern const struct cli_watch_view cli_watch_csv_view;
extern const struct cli_watch_view cli_watch_wide_view; /* of frames */
extern const struct cli_watch_view cli_watch_json_view;
/* Full screen; NULL where ntime was built without ncursesw. */
extern const struct cli_watch_view *const cli_watch_screen_view;

/* Rate per second of an event in the period that is shown. */
double cli_watch_rate(const struct cli_watch *w, const struct ntime_value *v);

/* The access methods that are used, separated by commas: "perf, msr". */
void cli_watch_methods(const struct cli_watch *w, char *text, size_t size);

/*
 * What must be known to believe item @i of @row, in words: those of its flags that are in @flags,
 * "unsure", which frames it is of.
 */
struct cli_flag_text cli_watch_flag_words(const struct cli_watch *w, size_t row, size_t i,
					  uint32_t flags);

/* What a CPU quota makes of the overview, in a sentence; "" where there is none. */
void cli_watch_quota_text(const struct cli_watch *w, char *text, size_t size);

/* Why a value has no number: "absent", "not counted", "elsewhere"; NULL when it has one. */
const char *cli_watch_no_number(const struct ntime_value *v);

/* A bit, whose unit is "1=yes", is "yes" or "no" for people; NULL for what has a number. */
const char *cli_watch_yes_or_no(const struct cli_row_item *item, const struct ntime_value *v);
/* Of what is counted one by one, nobody needs parts of one. */
bool cli_watch_is_whole(const struct cli_row_item *item, double number);
/* The unit that stands beside what people see; "" of a bit. */
const char *cli_watch_unit_text(const struct cli_row_item *item);

#endif
