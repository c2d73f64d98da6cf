// SPDX-License-Identifier: MIT
/* Raw codes: "r1a8" goes to the core PMU as it is. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/event/resolve.h"

#define HEX_DIGITS 16 /* of a 64-bit config */

int nti_raw_parse(const char *text, const char *event, uint64_t *config, struct nti_error *e)
{
	if (text[0] != 'r' || !text[1] ||
	    strspn(text + 1, "0123456789abcdefABCDEF") != strlen(text + 1))
		return -ENOENT;
	if (strlen(text + 1) > HEX_DIGITS)
		return nti_error(e, -EINVAL,
				 "event '%s': a raw code has at most %d hexadecimal digits", event,
				 HEX_DIGITS);
	*config = strtoull(text + 1, NULL, 16);
	return 0;
}

/*
 * With several core PMUs the type says which of them; a single one answers to PERF_TYPE_RAW under
 * any name.
 */
static int add(const struct nti_names *names, const struct nti_unit *unit, uint64_t config,
	       struct nti_event *out)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW, .config = config };

	if (nti_core_count(names->units) > 1)
		attr.type = unit->type;
	return nti_event_add_part(out, unit, &attr);
}

int nti_raw_resolve(const struct nti_names *names, const struct nti_unit *unit, const char *text,
		    struct nti_event *out, struct nti_error *e)
{
	const struct nti_unit *core;
	uint64_t config;
	size_t at = 0;
	int ret = unit && unit->kind != NTI_UNIT_CORE ? -ENOENT
						      : nti_raw_parse(text, text, &config, e);

	if (ret < 0)
		return ret;
	if (unit)
		ret = add(names, unit, config, out);
	while (!unit && ret == 0 && (core = nti_core_next(names->units, &at)))
		ret = add(names, core, config, out);
	out->is_raw = true;
	if (ret == 0)
		ret = nti_event_describe(out, "raw code of the core PMU", "");
	return ret < 0 ? nti_event_no_memory(e, text) : 0;
}
