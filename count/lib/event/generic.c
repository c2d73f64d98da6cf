// SPDX-License-Identifier: MIT
/* perf's generic names: events every machine is asked for by the same words. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/resolve.h"

/* Of include/uapi/linux/perf_event.h, since 5.13; spelled out for older headers. */
#define TYPE_SHIFT 32

/*
 * Names: tools/perf/Documentation/perf-list.txt and tools/perf/util/parse-events.c of Linux;
 * numbers: enum perf_hw_id and enum perf_sw_ids of include/uapi/linux/perf_event.h. .arm is the
 * event that arm64's driver counts for it, as its sysfs calls it (Linux drivers/perf/arm_pmuv3.c,
 * armv8_pmuv3_perf_map).
 */
static const struct generic_row {
	const char *name, *alias, *desc, *unit_text;
	uint32_t type;
	uint64_t config;
	const char *arm;
} generic_rows[] = {
	{ "cycles", "cpu-cycles", "clock cycles of the core while it is not halted", "",
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cpu_cycles" },
	{ "instructions", NULL, "instructions that were retired", "", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_INSTRUCTIONS, "inst_retired" },
	{ "cache-references", NULL,
	  "accesses to the last level cache (on Arm: the first level data cache)", "",
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "l1d_cache" },
	{ "cache-misses", NULL,
	  "accesses that missed the last level cache (on Arm: the first level data cache)", "",
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "l1d_cache_refill" },
	{ "branches", "branch-instructions", "branches that were retired", "", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "br_retired" },
	{ "branch-misses", NULL, "branches that were predicted wrongly", "", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_MISSES, "br_mis_pred" },
	{ "bus-cycles", NULL, "cycles of a bus clock while the core is not halted", "",
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus_cycles" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend",
	  "cycles in which no instruction could be issued", "", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stall_frontend" },
	{ "stalled-cycles-backend", "idle-cycles-backend",
	  "cycles in which no instruction could be executed", "", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stall_backend" },
	{ "ref-cycles", NULL, "cycles at constant rate while the core is not halted", "",
	  PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, NULL },
	{ "cpu-clock", NULL, "time that passed on the CPU, running or not", "ns",
	  PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NULL },
	{ "task-clock", NULL, "time that the task was running", "ns", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_TASK_CLOCK, NULL },
	{ "page-faults", "faults", "page faults, minor and major", "", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS, NULL },
	{ "context-switches", "cs", "switches to another task", "", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CONTEXT_SWITCHES, NULL },
	{ "cpu-migrations", "migrations", "moves of the task to another CPU", "",
	  PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, NULL },
	{ "minor-faults", NULL, "page faults that needed no disk", "", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS_MIN, NULL },
	{ "major-faults", NULL, "page faults that needed the disk", "", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS_MAJ, NULL },
	{ "alignment-faults", NULL, "accesses to unaligned addresses that the kernel had to mend",
	  "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, NULL },
	{ "emulation-faults", NULL, "instructions that the kernel had to emulate", "",
	  PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, NULL },
	{ "dummy", NULL, "counts nothing", "", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, NULL },
	{ "bpf-output", NULL, "records that BPF programs write", "", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_BPF_OUTPUT, NULL },
	/* PERF_COUNT_SW_CGROUP_SWITCHES, Linux 5.13 */
	{ "cgroup-switches", NULL, "switches to a task of another control group", "",
	  PERF_TYPE_SOFTWARE, 11, NULL },
};

#define OP(x) (1u << PERF_COUNT_HW_CACHE_OP_##x)

/* Words of hardware cache events; the first of each list is the one that lists show. */
static const char *const cache_words[PERF_COUNT_HW_CACHE_MAX][5] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1-d", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};

static const struct cache_row {
	const char *desc;
	unsigned int ops; /* which operations exist (perf's table of valid ones) */
} cache_rows[PERF_COUNT_HW_CACHE_MAX] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "first level data cache",
				      OP(READ) | OP(WRITE) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_L1I] = { "first level instruction cache", OP(READ) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_LL] = { "last level cache", OP(READ) | OP(WRITE) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_DTLB] = { "data TLB", OP(READ) | OP(WRITE) | OP(PREFETCH) },
	[PERF_COUNT_HW_CACHE_ITLB] = { "instruction TLB", OP(READ) },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch prediction unit", OP(READ) },
	[PERF_COUNT_HW_CACHE_NODE] = { "memory of the own node",
				       OP(READ) | OP(WRITE) | OP(PREFETCH) },
};

static const char *const op_words[PERF_COUNT_HW_CACHE_OP_MAX][4] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "loads", "load", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "stores", "store", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetches", "prefetch", "speculative-read",
					      "speculative-load" },
};

static const char *const result_words[PERF_COUNT_HW_CACHE_RESULT_MAX][4] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};

/* Length of @word at the start of @text where a dash or the end follows; 0 when it is not there. */
static size_t match_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	if (nti_text_compare_n(text, word, length) != 0 || (text[length] && text[length] != '-'))
		return 0;
	return length;
}

/* Which of @n lists of @max words stands at *text; moves behind it. -1 = none. */
static int take_word(const char **text, const char *const *words, size_t n, size_t max)
{
	size_t i, j, best = 0;
	int found = -1;

	for (i = 0; i < n; i++, words += max) {
		for (j = 0; j < max && words[j]; j++) {
			size_t length = match_word(*text, words[j]);

			if (length > best) {
				best = length;
				found = (int)i;
			}
		}
	}
	*text += best;
	return found;
}

struct cache_event {
	int cache, op, result;
};

/*
 * CACHE[-OP][-RESULT] with OP and RESULT in any order; without them loads and accesses are meant.
 */
static bool parse_cache(const char *text, struct cache_event *c)
{
	int found;

	c->op = -1;
	c->result = -1;
	c->cache = take_word(&text, &cache_words[0][0], NTI_ARRAY_SIZE(cache_words),
			     NTI_ARRAY_SIZE(cache_words[0]));
	if (c->cache < 0)
		return false;
	while (*text) {
		text++; /* the dash */
		found = take_word(&text, &op_words[0][0], NTI_ARRAY_SIZE(op_words),
				  NTI_ARRAY_SIZE(op_words[0]));
		if (found >= 0 && c->op < 0) {
			c->op = found;
			continue;
		}
		if (found >= 0)
			return false;
		found = take_word(&text, &result_words[0][0], NTI_ARRAY_SIZE(result_words),
				  NTI_ARRAY_SIZE(result_words[0]));
		if (found < 0 || c->result >= 0)
			return false;
		c->result = found;
	}
	if (c->op < 0)
		c->op = PERF_COUNT_HW_CACHE_OP_READ;
	if (c->result < 0)
		c->result = PERF_COUNT_HW_CACHE_RESULT_ACCESS;
	return true;
}

/* "L1-dcache-load-misses": the form that perf list shows. */
static void format_cache(const struct cache_event *c, char *buf, size_t size)
{
	const char *cache = cache_words[c->cache][0];
	const char *op = op_words[c->op][c->result == PERF_COUNT_HW_CACHE_RESULT_ACCESS ? 0 : 1];

	(void)snprintf(buf, size, "%s-%s%s", cache, op,
		       c->result == PERF_COUNT_HW_CACHE_RESULT_ACCESS ? "" : "-misses");
}

static void describe_cache(const struct cache_event *c, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%s %s the %s", op_words[c->op][0],
		       c->result == PERF_COUNT_HW_CACHE_RESULT_ACCESS ? "of" : "that missed",
		       cache_rows[c->cache].desc);
}

/*
 * One core PMU: the plain number. Several: the PMU's type goes into the upper half of config
 * (PERF_PMU_TYPE_SHIFT, Linux 5.13); Arm's drivers learned that years later and refuse it before,
 * so there the sysfs event of the same meaning is taken where it exists.
 */
static int add_core_part(const struct nti_names *names, const struct nti_unit *unit, uint32_t type,
			 uint64_t config, const char *arm, struct nti_event *out,
			 struct nti_error *e)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	int ret;

	if (nti_core_count(names->units) > 1) {
		if (arm && strcmp(names->os->ops->arch(names->os), "aarch64") == 0) {
			ret = nti_alias_resolve(names, unit, arm, out, e);
			if (ret != -ENOENT)
				return ret;
		}
		attr.config |= (uint64_t)unit->type << TYPE_SHIFT;
	}
	return nti_event_add_part(out, unit, &attr);
}

static int add_core(const struct nti_names *names, const struct nti_unit *only, uint32_t type,
		    uint64_t config, const char *arm, struct nti_event *out, struct nti_error *e)
{
	const struct nti_unit *unit;
	size_t at = 0;
	int ret = 0;

	if (only)
		return add_core_part(names, only, type, config, arm, out, e);
	while (ret == 0 && (unit = nti_core_next(names->units, &at)))
		ret = add_core_part(names, unit, type, config, arm, out, e);
	return ret;
}

static int resolve_row(const struct nti_names *names, const struct nti_unit *unit,
		       const struct generic_row *row, const char *text, struct nti_event *out,
		       struct nti_error *e)
{
	enum nti_unit_kind kind =
		row->type == PERF_TYPE_SOFTWARE ? NTI_UNIT_SOFTWARE : NTI_UNIT_CORE;
	const struct perf_event_attr attr = { .type = row->type, .config = row->config };
	int ret;

	if (unit && unit->kind != kind)
		return -ENOENT;
	if (kind == NTI_UNIT_SOFTWARE)
		ret = nti_event_add_part(out, nti_units_find(names->units, "software"), &attr);
	else
		ret = add_core(names, unit, row->type, row->config, row->arm, out, e);
	if (ret == 0)
		ret = nti_event_describe(out, row->desc, row->unit_text);
	return ret == -ENOMEM ? nti_event_no_memory(e, text) : ret;
}

static int resolve_cache(const struct nti_names *names, const struct nti_unit *unit,
			 const char *text, struct nti_event *out, struct nti_error *e)
{
	struct cache_event c;
	uint64_t config;
	char desc[128];
	int ret;

	if (!parse_cache(text, &c) || (unit && unit->kind != NTI_UNIT_CORE))
		return -ENOENT;
	if (!(cache_rows[c.cache].ops >> c.op & 1))
		return nti_error(e, -EINVAL, "event '%s': there are no %s of the %s", text,
				 op_words[c.op][0], cache_rows[c.cache].desc);
	/* Layout: include/uapi/linux/perf_event.h, PERF_TYPE_HW_CACHE. */
	config = (uint64_t)c.cache | (uint64_t)c.op << 8 | (uint64_t)c.result << 16;
	describe_cache(&c, desc, sizeof(desc));
	ret = add_core(names, unit, PERF_TYPE_HW_CACHE, config, NULL, out, e);
	if (ret == 0)
		ret = nti_event_describe(out, desc, "");
	return ret == -ENOMEM ? nti_event_no_memory(e, text) : ret;
}

#define TSC_DESC "ticks of the time stamp counter, which runs at constant rate"

static int resolve_clock(const struct nti_names *names, const struct nti_unit *unit,
			 const char *text, struct nti_event *out, struct nti_error *e)
{
	const struct perf_event_attr attr = { 0 };

	if (strcmp(text, "tsc") != 0 || (unit && unit->kind != NTI_UNIT_CLOCK))
		return -ENOENT;
	if (nti_event_add_part(out, nti_units_find(names->units, "clock"), &attr) < 0 ||
	    nti_event_describe(out, TSC_DESC, "") < 0)
		return nti_event_no_memory(e, text);
	return 0;
}

static const struct generic_row *find_row(const char *text)
{
	const struct generic_row *row;

	for (row = generic_rows; row < generic_rows + NTI_ARRAY_SIZE(generic_rows); row++) {
		if (strcmp(text, row->name) == 0 || (row->alias && strcmp(text, row->alias) == 0))
			return row;
	}
	return NULL;
}

bool nti_generic_is_software(const char *text)
{
	const struct generic_row *row = find_row(text);

	return row && row->type == PERF_TYPE_SOFTWARE;
}

const char *nti_generic_name(const struct perf_event_attr *attr)
{
	const struct generic_row *row;

	/* The upper half says which core PMU of a hybrid is meant. */
	for (row = generic_rows; row < generic_rows + NTI_ARRAY_SIZE(generic_rows); row++)
		if (attr->type == PERF_TYPE_HARDWARE && row->type == attr->type &&
		    row->config == (attr->config & UINT32_MAX))
			return row->name;
	return NULL;
}

int nti_generic_resolve(const struct nti_names *names, const struct nti_unit *unit,
			const char *text, struct nti_event *out, struct nti_error *e)
{
	const struct generic_row *row = find_row(text);
	int ret;

	if (row)
		return resolve_row(names, unit, row, text, out, e);
	ret = resolve_cache(names, unit, text, out, e);
	return ret == -ENOENT ? resolve_clock(names, unit, text, out, e) : ret;
}

static int list_rows(const struct nti_names *names, const struct nti_unit *core,
		     int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg)
{
	size_t i;
	int ret;

	for (i = 0; i < NTI_ARRAY_SIZE(generic_rows); i++) {
		const struct generic_row *row = &generic_rows[i];
		struct nti_event_entry entry = { .name = row->name,
						 .desc = row->desc,
						 .unit_text = row->unit_text };

		entry.unit = row->type == PERF_TYPE_SOFTWARE
				     ? nti_units_find(names->units, "software")
				     : core;
		entry.unit_name = entry.unit ? entry.unit->name : "";
		ret = fn(arg, &entry);
		if (ret)
			return ret;
	}
	return 0;
}

static int list_caches(const struct nti_unit *core,
		       int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg)
{
	struct cache_event c;
	char name[64], desc[128];
	int ret;

	for (c.cache = 0; c.cache < PERF_COUNT_HW_CACHE_MAX; c.cache++) {
		for (c.op = 0; c.op < PERF_COUNT_HW_CACHE_OP_MAX; c.op++) {
			if (!(cache_rows[c.cache].ops >> c.op & 1))
				continue;
			for (c.result = 0; c.result < PERF_COUNT_HW_CACHE_RESULT_MAX; c.result++) {
				struct nti_event_entry entry = { .name = name,
								 .unit = core,
								 .desc = desc };

				entry.unit_name = core ? core->name : "";
				entry.unit_text = "";
				format_cache(&c, name, sizeof(name));
				describe_cache(&c, desc, sizeof(desc));
				ret = fn(arg, &entry);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

int nti_generic_for_each(const struct nti_names *names,
			 int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg)
{
	struct nti_event_entry tsc = {
		.name = "tsc", .unit_name = "clock", .desc = TSC_DESC, .unit_text = ""
	};
	const struct nti_unit *core;
	size_t at = 0;
	int ret;

	core = nti_core_next(names->units, &at);
	ret = list_rows(names, core, fn, arg);
	if (ret == 0)
		ret = list_caches(core, fn, arg);
	if (ret)
		return ret;
	tsc.unit = nti_units_find(names->units, "clock");
	return fn(arg, &tsc);
}
