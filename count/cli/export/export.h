/* SPDX-License-Identifier: MIT */
/* ntime export: what its parts share. */
#ifndef CLI_EXPORT_EXPORT_H
#define CLI_EXPORT_EXPORT_H

#include <signal.h>
#include <stdio.h>

#include "base/output/memory.h"
#include "count/cli/shared/users.h"
#include "count/cli/export/gauges.h"
#include "count/cli/export/name.h"
#include "count/cli/export/options.h"
#include "count/cli/export/server.h"
#include "count/cli/export/sums.h"
#include "count/cli/watch/items.h"

/**
 * struct cli_exporter - one run
 * @name:	of each item; .family is NULL of what is not exported
 * @help:	of each item: what it counts
 * @order:	items that are exported, those of a family one after the other; @exported of them
 * @metrics:	so many of the first items may be metrics that are exported themselves
 * @gauges:	of these, if there are any
 * @cpu:	the processor's name; "" where nobody knows it
 * @started_s:	when ntime started, seconds of CLOCK_REALTIME; @began_s: when counting began
 * @answers:	how often the text was made
 * @answer_s:	what making it took the last time, with the read
 * @series:	how many it had
 */
struct cli_exporter {
	struct cli_export_options o;
	struct ntime_ctx *ctx;
	struct ntime_session *session;
	struct cli_watch_items items;
	struct cli_export_name *name;
	char **help;
	size_t *order, exported, metrics;
	struct cli_export_sums sums;
	struct cli_export_gauges gauges;
	struct cli_users cgroups;
	struct cli_listener listener[CLI_LISTEN_MAX];
	size_t listeners;
	struct cli_server server;
	char cpu[128];
	double started_s, began_s, answer_s;
	uint64_t answers;
	size_t series;
	struct cli_undo undo;
	sigset_t mask;
};

enum cli_export_format { CLI_EXPORT_TEXT, CLI_EXPORT_OPENMETRICS };

/* A state or a metric: it may fall. */
static inline bool cli_export_is_gauge(const struct cli_row_item *item)
{
	return item->info.is_state || item->info.is_metric;
}

/* Series that @order[@k] may have, without those that say when each began. */
size_t cli_export_series(const struct cli_exporter *e, size_t k);
size_t cli_export_open_files(void);
/* All that is known now, as Prometheus' text format 0.0.4 or as OpenMetrics 1.0. */
void cli_export_put(struct cli_exporter *e, FILE *f, enum cli_export_format format);

/* Print recording rules for all metrics. 0 or -errno after a sentence. */
int cli_export_rules(struct cli_exporter *e);

#endif
