/* SPDX-License-Identifier: MIT */
/* Arrays of what a catalog has, as JSON. */
#ifndef CLI_LIST_CATALOG_JSON_H
#define CLI_LIST_CATALOG_JSON_H

#include "cli/list/catalog.h"
#include "cli/output/json.h"

json_t *cli_catalog_methods(const struct cli_catalog *c);
json_t *cli_catalog_units(const struct cli_catalog *c);
/* {"ntime", "schema", "simulated", "emulated"} */
json_t *cli_catalog_head(const char *version, bool is_simulated, const char *emulated);

#endif
