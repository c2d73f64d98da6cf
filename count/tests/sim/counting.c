// SPDX-License-Identifier: MIT
/* The part of a machine file that says how the simulated kernel counts. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "base/os/replay/load.h"
#include "count/tests/sim/sim.h"

#define MAX_LIST 10000
#define MIN_SLICE_NS 1000
#define MAX_STEP_NS UINT64_C(1000000000000) /* 1000 s: sums stay far from 64 bits */
#define MAX_RATE UINT64_C(1000000000000)    /* 1e12/s: no unit is faster */
#define DEFAULT_SLICE_NS 4000000	    /* a tick at CONFIG_HZ=250 */
#define DEFAULT_RATE 1000000

/* perf's names of the generic events; numbers from include/uapi/linux/perf_event.h. */
static const struct generic {
	const char *name;
	uint32_t type;
	uint64_t config;
} generics[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
};

/* Split "PMU:CONFIG"; PMU may be a type number. */
static int parse_pair(const char *text, struct nti_sim_named *out)
{
	const char *colon = strrchr(text, ':');
	uint64_t type;
	char *pmu;

	if (!colon || colon == text || nti_text_parse_u64(colon + 1, &out->config) < 0)
		return -EINVAL;
	pmu = strndup(text, (size_t)(colon - text));
	if (!pmu)
		return -ENOMEM;
	if (nti_text_parse_u64(pmu, &type) < 0) {
		out->pmu = pmu;
		return 0;
	}
	free(pmu);
	out->type = (uint32_t)type;
	return type <= UINT32_MAX ? 0 : -EINVAL;
}

static int parse_event(struct nti_machine_loader *l, const char *text, struct nti_sim_named *out,
		       const char *where)
{
	size_t i;
	int ret;

	for (i = 0; i < NTI_ARRAY_SIZE(generics); i++) {
		if (strcmp(generics[i].name, text) != 0)
			continue;
		out->type = generics[i].type;
		out->config = generics[i].config;
		return 0;
	}
	ret = parse_pair(text, out);
	if (ret == -ENOMEM)
		return nti_error(l->e, ret, "%s: memory is short", l->name);
	if (ret < 0)
		return nti_machine_bad(l,
				       "%s: \"%s\" is neither a generic event such as cycles nor "
				       "like cpu:0x3c or 4:0x3c",
				       where, text);
	return 0;
}

static int get_number(struct nti_machine_loader *l, const json_t *counting, const char *key,
		      uint64_t min, uint64_t max, uint64_t *out)
{
	const json_t *value = json_object_get(counting, key);
	char where[64];
	int ret;

	if (!value)
		return 0;
	(void)snprintf(where, sizeof(where), "counting.%s", key);
	ret = nti_machine_number(l, value, max, out, where);
	if (!ret && *out < min)
		return nti_machine_bad(l, "%s must be at least %llu", where,
				       (unsigned long long)min);
	return ret;
}

static int load_clock(struct nti_machine_loader *l, const json_t *counting,
		      struct nti_sim_counting *c)
{
	const json_t *clock = json_object_get(counting, "clock");
	const json_t *step = json_object_get(clock, "step_ns");
	const char *text = json_string_value(clock);
	int ret;

	if (!clock || (text && strcmp(text, "real") == 0))
		return 0;
	if (!step || json_object_size(clock) != 1)
		return nti_machine_bad(l, "counting.clock must be \"real\" or { \"step_ns\": N }");
	ret = nti_machine_number(l, step, MAX_STEP_NS, &c->step_ns, "counting.clock.step_ns");
	if (!ret && !c->step_ns)
		return nti_machine_bad(l, "counting.clock.step_ns must be at least 1");
	return ret;
}

static int load_wobble(struct nti_machine_loader *l, const json_t *counting,
		       struct nti_sim_counting *c)
{
	static const char *const keys[] = { "permille", "period_ns", NULL };
	json_t *wobble = json_object_get(counting, "wobble");
	uint64_t permille = 0;
	int ret;

	if (!wobble)
		return 0;
	if (!json_is_object(wobble))
		return nti_machine_bad(l, "counting.wobble must be an object");
	ret = nti_machine_known(l, wobble, keys, "counting.wobble ");
	if (!ret)
		ret = nti_machine_number(l, json_object_get(wobble, "permille"), 1000, &permille,
					 "counting.wobble.permille");
	if (!ret)
		ret = nti_machine_number(l, json_object_get(wobble, "period_ns"), MAX_STEP_NS,
					 &c->wobble_period_ns, "counting.wobble.period_ns");
	if (!ret && c->wobble_period_ns < 2)
		return nti_machine_bad(l, "counting.wobble.period_ns must be at least 2");
	c->wobble_permille = (unsigned int)permille;
	return ret;
}

/* Room for @count entries of @bytes each; NULL only when memory is short. */
static void *list_new(size_t count, size_t bytes)
{
	return calloc(count ? count : 1, bytes);
}

static int load_rates(struct nti_machine_loader *l, const json_t *counting,
		      struct nti_sim_counting *c)
{
	json_t *rates = json_object_get(counting, "rates"), *value;
	char where[128];
	const char *key;
	int ret;

	if (!rates)
		return 0;
	if (!json_is_object(rates) || json_object_size(rates) > MAX_LIST)
		return nti_machine_bad(l, "counting.rates must be an object of at most %d events",
				       MAX_LIST);
	c->rates = list_new(json_object_size(rates), sizeof(*c->rates));
	if (!c->rates)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	json_object_foreach(rates, key, value)
	{
		struct nti_sim_rate *rate = &c->rates[c->rate_count++];

		ret = parse_event(l, key, &rate->event, "counting.rates");
		(void)snprintf(where, sizeof(where), "counting.rates.\"%s\"", key);
		if (!ret)
			ret = nti_machine_number(l, value, MAX_RATE, &rate->per_s, where);
		if (ret)
			return ret;
	}
	return 0;
}

static int load_counters_entry(struct nti_machine_loader *l, const char *key, json_t *value,
			       struct nti_sim_counters *out)
{
	static const char *const keys[] = { "general", "fixed", NULL };
	uint64_t general = 0, fixed = 0;
	char where[128];
	int ret;

	if (!json_is_object(value))
		return nti_machine_bad(l, "counting.counters.\"%s\" must be an object", key);
	(void)snprintf(where, sizeof(where), "counting.counters.\"%s\" ", key);
	ret = nti_machine_known(l, value, keys, where);
	(void)snprintf(where, sizeof(where), "counting.counters.\"%s\".general", key);
	if (!ret)
		ret = nti_machine_number(l, json_object_get(value, "general"), 64, &general, where);
	(void)snprintf(where, sizeof(where), "counting.counters.\"%s\".fixed", key);
	if (!ret && json_object_get(value, "fixed"))
		ret = nti_machine_number(l, json_object_get(value, "fixed"), 4, &fixed, where);
	if (ret)
		return ret;
	out->general = (unsigned int)general;
	out->fixed = (unsigned int)fixed;
	out->pmu = strdup(key);
	return out->pmu ? 0 : nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
}

static int load_counters(struct nti_machine_loader *l, const json_t *counting,
			 struct nti_sim_counting *c)
{
	json_t *counters = json_object_get(counting, "counters"), *value;
	const char *key;
	int ret = 0;

	if (!counters)
		return 0;
	if (!json_is_object(counters) || json_object_size(counters) > MAX_LIST)
		return nti_machine_bad(l, "counting.counters must be an object of at most %d PMUs",
				       MAX_LIST);
	c->counters = list_new(json_object_size(counters), sizeof(*c->counters));
	if (!c->counters)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	json_object_foreach(counters, key, value)
	{
		ret = load_counters_entry(l, key, value, &c->counters[c->counters_count++]);
		if (ret)
			break;
	}
	return ret;
}

static int load_unsupported(struct nti_machine_loader *l, const json_t *counting,
			    struct nti_sim_counting *c)
{
	const json_t *array = json_object_get(counting, "unsupported");
	size_t i, count = json_array_size(array);
	int ret = 0;

	if (!array)
		return 0;
	if (!json_is_array(array) || count > MAX_LIST)
		return nti_machine_bad(
			l, "counting.unsupported must be an array of at most %d events", MAX_LIST);
	c->unsupported = list_new(count, sizeof(*c->unsupported));
	if (!c->unsupported)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	for (i = 0; !ret && i < count; i++) {
		const char *text = json_string_value(json_array_get(array, i));

		if (!text)
			return nti_machine_bad(l, "counting.unsupported[%zu] must be text", i);
		ret = parse_event(l, text, &c->unsupported[c->unsupported_count++],
				  "counting.unsupported");
	}
	return ret;
}

void nti_machine_counting_free(void *counting)
{
	struct nti_sim_counting *c = counting;
	size_t i;

	for (i = 0; c && i < c->rate_count; i++)
		free(c->rates[i].event.pmu);
	for (i = 0; c && i < c->counters_count; i++)
		free(c->counters[i].pmu);
	for (i = 0; c && i < c->unsupported_count; i++)
		free(c->unsupported[i].pmu);
	if (c) {
		free(c->rates);
		free(c->counters);
		free(c->unsupported);
	}
	free(c);
}

int nti_machine_load_counting(struct nti_machine_loader *l, json_t *counting)
{
	static const char *const keys[] = { "clock",	"rates",	 "default_rate",
					    "counters", "slice_ns",	 "wobble",
					    "tsc_hz",	"user_permille", "unsupported",
					    NULL };
	struct nti_sim_counting *c = calloc(1, sizeof(*c));
	uint64_t user = 750;
	int ret = nti_machine_known(l, counting, keys, "counting ");

	l->m->counting = c;
	if (!c)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	c->slice_ns = DEFAULT_SLICE_NS;
	c->default_rate = DEFAULT_RATE;
	if (!ret)
		ret = load_clock(l, counting, c);
	if (!ret)
		ret = get_number(l, counting, "slice_ns", MIN_SLICE_NS, MAX_STEP_NS, &c->slice_ns);
	if (!ret)
		ret = get_number(l, counting, "default_rate", 0, MAX_RATE, &c->default_rate);
	if (!ret)
		ret = get_number(l, counting, "tsc_hz", 1, MAX_RATE, &c->tsc_hz);
	if (!ret)
		ret = get_number(l, counting, "user_permille", 0, 1000, &user);
	c->user_permille = (unsigned int)user;
	if (!ret)
		ret = load_wobble(l, counting, c);
	if (!ret)
		ret = load_rates(l, counting, c);
	if (!ret)
		ret = load_counters(l, counting, c);
	return ret ? ret : load_unsupported(l, counting, c);
}
