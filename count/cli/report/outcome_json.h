/* SPDX-License-Identifier: MIT */
/* How runs ended, and places of a machine, in JSON. */
#ifndef CLI_REPORT_OUTCOME_JSON_H
#define CLI_REPORT_OUTCOME_JSON_H

#include <jansson.h>

#include "count/cli/report/outcome.h"
#include "count/cli/report/rows.h"

/* {"status": N} or {"signal": N}; "timeout" when ntime ended the command. @status: wait(2)'s. */
json_t *cli_exit_json(int status, bool timed_out);
json_t *cli_outcome_json(const struct cli_outcome *o);
/* The same back again. 0, or -EINVAL: it is something else. */
int cli_outcome_from_json(struct cli_outcome *o, const json_t *json);
/* The runs that are in no mean, an object for each way in which they ended. */
json_t *cli_outcomes_json(const struct cli_outcomes *all);
/* The same back again. 0, or -EINVAL: it is something else. */
int cli_outcomes_from_json(struct cli_outcomes *all, const json_t *json);

/* {"where": "core 3", "socket": 0, "core": 3}; "cpu" of a CPU. */
json_t *cli_row_json(const struct cli_row *row);

#endif
