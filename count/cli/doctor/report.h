/* SPDX-License-Identifier: MIT */
/* What ntime doctor found, as text and as JSON. */
#ifndef CLI_DOCTOR_REPORT_H
#define CLI_DOCTOR_REPORT_H

#include <ntime/topology.h>

#include "count/cli/list/catalog.h"

struct cli_doctor_style {
	struct cli_look look;
	unsigned int verbose;
	const char *version;
	const char *emulated; /* as in struct cli_catalog_style */
	bool is_simulated;
	bool has_topology;
	const char *why_no_topology; /* of a tree; else NULL */
	struct ntime_topology topology;
};

void cli_doctor_write_text(FILE *f, const struct cli_doctor_style *style,
			   const struct cli_catalog *c);
void cli_doctor_write_json(FILE *f, const struct cli_doctor_style *style,
			   const struct cli_catalog *c);

#endif
