/* SPDX-License-Identifier: MIT */
/*
 * What the library knows of a machine, copied, so that it can be grouped and chosen from; and the
 * forms it is written in.
 */
#ifndef CLI_LIST_CATALOG_H
#define CLI_LIST_CATALOG_H

#include <stdbool.h>
#include <stdio.h>

#include <ntime/list.h>

#include "base/output/json.h"
#include "base/output/term.h"

/* Parts of a catalog. */
#define CLI_METHODS (1u << 0)
#define CLI_UNITS (1u << 1)
#define CLI_EVENTS (1u << 2)
#define CLI_METRICS (1u << 3)
#define CLI_PROBLEMS (1u << 4)

/**
 * struct cli_catalog - strings are owned; entries are in the library's order
 * @units:	those that were chosen; the others stand behind them up to @all_units, since their
 *		events may be chosen
 */
struct cli_catalog {
	struct ntime_method_info *method;
	size_t methods;
	struct ntime_unit_info *unit;
	size_t units;
	size_t all_units;
	struct ntime_event_info *event;
	size_t events;
	struct ntime_event_info *metric;
	size_t metrics;
	struct ntime_problem *problem;
	size_t problems;
	struct cli_texts *texts; /* of all entries */
};

/*
 * Load @parts. @model: events of that libpfm4 PMU model instead of the machine's, or NULL. 0, or
 * -errno with the library's sentence; cli_catalog_fini() in every case.
 */
int cli_catalog_load(struct cli_catalog *c, struct ntime_ctx *ctx, unsigned int parts,
		     const char *model);
void cli_catalog_fini(struct cli_catalog *c);

/* How many of @n events, or metrics, can be counted. */
size_t cli_catalog_usable(const struct ntime_event_info *event, size_t n);

/* Keep the events that a context counts, by slots of a card's multiprocessors. */
void cli_catalog_keep_contexts(struct cli_catalog *c);

/* The pattern that stands for a card's events which are counters of NVPerfKit. */
#define CLI_NVPM "nvpm"

/*
 * Keep what one of the patterns fits: a glob over the whole name where it has *, ? or [, else a
 * part of the name or of the description, both without case. A unit fits by its name alone and
 * keeps its events, a group of metrics its metrics. No pattern keeps all. Returns how many entries
 * of @parts remain.
 */
size_t cli_catalog_choose(struct cli_catalog *c, unsigned int parts, char *const *patterns,
			  size_t n);

/**
 * struct cli_catalog_style - how to write it
 * @parts:	what to write
 * @model:	whose events they are; NULL for this machine's
 * @version:	of ntime
 * @emulated:	name of the lab's guest that this is; NULL elsewhere
 * @is_simulated: it is a recorded machine
 */
struct cli_catalog_style {
	struct cli_look look;
	unsigned int parts;
	unsigned int verbose;
	const char *model;
	const char *version;
	const char *emulated;
	bool is_simulated;
};

/* Where the values are from, if not from this machine. */
void cli_catalog_put_head(FILE *f, const struct cli_catalog_style *style);
/* On one screen: what can be counted, and where the rest is. Of units, events and metrics. */
void cli_catalog_write_overview(FILE *f, const struct cli_catalog_style *style,
				const struct cli_catalog *c);
void cli_catalog_write_text(FILE *f, const struct cli_catalog_style *style,
			    const struct cli_catalog *c);
void cli_catalog_write_csv(FILE *f, const struct cli_catalog_style *style,
			   const struct cli_catalog *c);
void cli_catalog_write_json(FILE *f, const struct cli_catalog_style *style,
			    const struct cli_catalog *c);
/* Arrays of the parts that others show too. */
json_t *cli_catalog_methods(const struct cli_catalog *c);
json_t *cli_catalog_units(const struct cli_catalog *c);
/* One name a line: events, metrics and their groups. */
void cli_catalog_write_names(FILE *f, const struct cli_catalog *c);
/* Names of NVPerfKit's counters instead, in the order of their numbers. */
void cli_catalog_write_perfkit(FILE *f, const struct cli_catalog *c);

#endif
