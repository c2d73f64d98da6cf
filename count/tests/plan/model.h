/* SPDX-License-Identifier: MIT */
/* Small made-up PMUs whose events are known by name, for tables of tests. */
#ifndef TT_MODEL_H
#define TT_MODEL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/plan/plan.h"

struct tt_model_event {
	const char *name;
	struct nti_plan_event need;
};

struct tt_model {
	const char *name;
	struct tt_model_event events[33]; /* the last one has no name */
};

#define TT_WANT(r, v) .want_count = 1, .wants = { { .resource = (r), .value = (v) } }
#define TT_WANTS(r, v, q, w)                                                                       \
	.want_count = 2,                                                                           \
	.wants = { { .resource = (r), .value = (v) }, { .resource = (q), .value = (w) } }

static const struct tt_model tt_models[] = {
	/* four general counters, one fixed; two registers with a value each */
	{ "model4",
	  {
		  { "a", { .counters = 0xf } },
		  { "b", { .counters = 0xf } },
		  { "c", { .counters = 0xf } },
		  { "d", { .counters = 0xf } },
		  { "e", { .counters = 0xf } },
		  { "f", { .counters = 0xf } },
		  { "g", { .counters = 0xf } },
		  { "h", { .counters = 0xf } },
		  { "i", { .counters = 0xf } },
		  { "fixed", { .counters = 0x10 } },
		  { "either", { .counters = 0x1f } },
		  { "only2", { .counters = 0x4 } },
		  { "also2", { .counters = 0x4 } },
		  { "low", { .counters = 0x3 } },
		  { "low'", { .counters = 0x3 } },
		  { "low''", { .counters = 0x3 } },
		  { "rsp=1", { .counters = 0xf, TT_WANT(0, 1) } },
		  { "rsp=1'", { .counters = 0xf, TT_WANT(0, 1) } },
		  { "rsp=2", { .counters = 0xf, TT_WANT(0, 2) } },
		  { "rsp=3", { .counters = 0xf, TT_WANT(0, 3) } },
		  { "lat=1", { .counters = 0xf, TT_WANT(1, 1) } },
		  { "lat=2", { .counters = 0xf, TT_WANT(1, 2) } },
		  { "rsp=1,lat=2", { .counters = 0xf, TT_WANTS(0, 1, 1, 2) } },
		  { "alone", { .counters = 0xf, .is_exclusive = true } },
		  { "alone'", { .counters = 0xf, .is_exclusive = true } },
		  { "box:x", { .counters = 0x3, .pmu = 7 } },
		  { "box:y", { .counters = 0x3, .pmu = 7 } },
		  { "box:rsp=1", { .counters = 0x3, .pmu = 7, TT_WANT(0, 1) } },
		  { "box:rsp=2", { .counters = 0x3, .pmu = 7, TT_WANT(0, 2) } },
		  { "soft", { .counters = 0 } },
		  { "want9", { .counters = 0xf, .want_count = 9 } },
		  { "want16", { .counters = 0xf, TT_WANT(16, 0) } },
		  { "torn", { .counters = 0xf, TT_WANTS(3, 1, 3, 2) } },
	  } },
	/* three counters: pairs do not pack */
	{ "model3",
	  {
		  { "a", { .counters = 0x7 } },
		  { "b", { .counters = 0x7 } },
		  { "c", { .counters = 0x7 } },
		  { "d", { .counters = 0x7 } },
		  { "e", { .counters = 0x7 } },
		  { "f", { .counters = 0x7 } },
		  { "none,want", { .counters = 0, TT_WANT(0, 1) } },
		  { "none,alone", { .counters = 0, .is_exclusive = true } },
		  { "top", { .counters = 0x80000000 } },
		  { "top'", { .counters = 0x80000000 } },
	  } },
};

static inline const struct nti_plan_event *tt_model_find(const char *model, const char *name,
							 size_t bytes)
{
	for (size_t m = 0; m < sizeof(tt_models) / sizeof(tt_models[0]); m++) {
		const struct tt_model_event *events = tt_models[m].events;

		for (size_t i = 0; strcmp(tt_models[m].name, model) == 0 && events[i].name; i++)
			if (strlen(events[i].name) == bytes &&
			    memcmp(events[i].name, name, bytes) == 0)
				return &events[i].need;
	}
	return NULL;
}

/* "name" or "name/3", where 3 is the group. 0 or -ENOENT. */
static inline int tt_model_event(const char *model, const char *text, struct nti_plan_event *out)
{
	const char *slash = strchr(text, '/');
	const struct nti_plan_event *found =
		tt_model_find(model, text, slash ? (size_t)(slash - text) : strlen(text));

	if (!found)
		return -ENOENT;
	*out = *found;
	out->group = slash ? (uint16_t)atoi(slash + 1) : 0;
	return 0;
}

#endif
