/* SPDX-License-Identifier: MIT */
/* The command line of ntime export, understood but not yet acted upon. */
#ifndef CLI_EXPORT_OPTIONS_H
#define CLI_EXPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/command/command.h"
#include "count/cli/export/listen.h"
#include "count/cli/report/rows.h"
#include "count/cli/watch/options.h"

/**
 * struct cli_export_options - strings are the command line's
 * @wish:	none, and no @metric: the overview of ntime watch
 * @metric:	of -m
 * @listen:	addresses, where neither --once, --check nor @textfile is given
 * @interval_ns: between two writes of @textfile; for how long --once counts
 * @per:	CLI_PER_CHOSEN: as far as each item divides
 */
struct cli_export_options {
	struct cli_watch_wish *wish, *metric;
	size_t wishes, metric_count;
	const char *listen[CLI_LISTEN_MAX];
	size_t listens;
	uint64_t interval_ns;
	uint64_t max_series, depth;
	enum cli_per per;
	uint32_t via;
	unsigned int verbose;
	const char *cpus, *textfile, *cgroups, *machine, *model, *context, *metrics;
	bool is_once, is_check, is_rules, is_quiet, no_self_test, has_depth, has_bounds;
};

extern const struct cli_option cli_export_option_table[];

/*
 * 0; -EINVAL after a sentence; -ECANCELED after --help. In every case
 * cli_export_options_fini() frees.
 */
int cli_export_options_parse(struct cli_export_options *o, const struct cli_command *self, int argc,
			     char **argv);
void cli_export_options_fini(struct cli_export_options *o);

#endif
