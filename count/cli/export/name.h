/* SPDX-License-Identifier: MIT */
/*
 * What an item is called where it is exported: "ntime_", the kind of unit that counts it, the
 * event, the base unit.
 */
#ifndef CLI_EXPORT_NAME_H
#define CLI_EXPORT_NAME_H

#include <ntime/session.h>

/**
 * struct cli_export_name - the name
 * @family:	"ntime_uncore_imc_cas_count_read_bytes"; counters have "_total" behind it
 * @base:	its end: the base unit, "bytes"; "" where it has none
 * @factor:	from the item's own unit to the base unit
 * @instance:	which of several units of its kind counts it, "uncore_imc_0"; "": all, or the one
 */
struct cli_export_name {
	char *family;
	const char *base;
	double factor;
	char *instance;
};

/* The name of @item, an event. */
void cli_export_name_init(struct cli_export_name *name, const struct ntime_item *item);
void cli_export_name_fini(struct cli_export_name *name);

#endif
