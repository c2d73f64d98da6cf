// SPDX-License-Identifier: MIT
/* What a core PMU's own registers are told for an event. */
#include <errno.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/code.h"
#include "count/lib/event/resolve.h"

/*
 * Where a generic event's number shares the word with the PMU's type
 * (include/uapi/linux/perf_event.h, PERF_PMU_TYPE_SHIFT).
 */
#define GENERIC_MASK 0xffffffffu

/*
 * Names under which the kernel's drivers show what they count for a generic event: Linux 6.1
 * arch/x86/events/core.c, EVENT_ATTR(); drivers/perf/arm_pmuv3.c (6.1:
 * arch/arm64/kernel/perf_event.c), armv8_pmuv3_perf_map, and arch/arm/kernel/perf_event_v7.c,
 * armv7_a*_perf_map, by the names of their sysfs events. Where the processor says that it lacks the
 * event they show none: its code by Intel SDM vol. 3B, table 20-1 and Linux'
 * intel_perfmon_event_map; Arm ARM, "common event numbers", PMUv3.
 */
static const struct generic_name {
	const char *x86, *arm;
	uint16_t intel, armv8;
} generic_names[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = { "cpu-cycles", "cpu_cycles", 0x003c, 0x11 },
	[PERF_COUNT_HW_INSTRUCTIONS] = { "instructions", "inst_retired", 0x00c0, 0x08 },
	[PERF_COUNT_HW_CACHE_REFERENCES] = { "cache-references", "l1d_cache", 0x4f2e, 0x04 },
	[PERF_COUNT_HW_CACHE_MISSES] = { "cache-misses", "l1d_cache_refill", 0x412e, 0x03 },
	/*
	 * Arm: pc_write_retired, or br_retired with newer kernels, or a model's own: which one, the
	 * kernel does not show.
	 */
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = { "branch-instructions", NULL, 0x00c4, 0 },
	[PERF_COUNT_HW_BRANCH_MISSES] = { "branch-misses", "br_mis_pred", 0x00c5, 0x10 },
	[PERF_COUNT_HW_BUS_CYCLES] = { "bus-cycles", "bus_cycles", 0x013c, 0x1d },
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = { "stalled-cycles-frontend", "stall_frontend", 0,
						    0x23 },
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = { "stalled-cycles-backend", "stall_backend", 0,
						   0x24 },
	[PERF_COUNT_HW_REF_CPU_CYCLES] = { "ref-cycles", NULL, 0x0300, 0 },
};

uint64_t nti_code_of_intel(uint32_t generic)
{
	return generic < PERF_COUNT_HW_MAX ? generic_names[generic].intel : 0;
}

/*
 * Linux 6.1 arch/arm/kernel/perf_event_v6.c, armv6_perf_map and enum armv6_perf_types: its driver
 * shows no events in sysfs.
 */
#define NONE UINT32_MAX
static const uint32_t armv6_codes[PERF_COUNT_HW_MAX] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 0xff,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x7,
	[PERF_COUNT_HW_CACHE_REFERENCES] = NONE,
	[PERF_COUNT_HW_CACHE_MISSES] = NONE,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x5,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x6,
	[PERF_COUNT_HW_BUS_CYCLES] = NONE,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x1,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x11,
	[PERF_COUNT_HW_REF_CPU_CYCLES] = NONE,
};

/* The cycle counter of ARMv6 and ARMv7, see count/lib/event/need.c. */
#define CYCLES_APART 0xff

static bool is_x86(const struct nti_unit *unit)
{
	return strncmp(unit->name, "cpu", 3) == 0;
}

static int no_code(struct nti_absence *absent, const struct nti_unit *unit)
{
	return nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, unit->name,
			       "name the processor's own event (ntime list), or --via perf",
			       "the kernel does not show what perf counts for this generic name "
			       "on %s, or counts nothing",
			       unit->name) < 0
		       ? -ENOMEM
		       : -ENOTSUP;
}

static int code_in_sysfs(const struct nti_names *names, const struct nti_unit *unit,
			 const char *name, uint64_t *config)
{
	struct nti_event event = { 0 };
	struct nti_error e = { 0 };
	int ret = nti_alias_resolve(names, unit, name, &event, &e);

	/* More than a code (load latency's threshold) is no generic event's. */
	if (ret == 0 && event.parts == 1 && !event.part[0].attr.config1)
		*config = event.part[0].attr.config;
	else if (ret == 0)
		ret = -ENOENT;
	nti_event_fini(&event);
	return ret;
}

/*
 * Drivers whose events in sysfs are what they count for generic names. ARMv7's is not always: the
 * Cortex-A9 counts renamed instructions for "instructions" (armv7_a9_perf_map), Krait and Scorpion
 * have maps of their own.
 */
static bool shows_what_it_counts(const struct nti_unit *unit)
{
	return strncmp(unit->name, "armv7_", 6) != 0 ||
	       (strncmp(unit->name, "armv7_cortex_", 13) == 0 &&
		strcmp(unit->name, "armv7_cortex_a9") != 0);
}

static int generic_code(const struct nti_names *names, const struct nti_part *part,
			uint64_t *config, struct nti_absence *absent)
{
	const struct nti_unit *unit = part->unit;
	uint32_t id = (uint32_t)(part->attr.config & GENERIC_MASK);
	const char *name = NULL;
	int ret = -ENOENT;

	if (id >= PERF_COUNT_HW_MAX)
		return no_code(absent, unit);
	if (strncmp(unit->name, "armv6_", 6) == 0) {
		*config = armv6_codes[id];
		return armv6_codes[id] == NONE ? no_code(absent, unit) : 0;
	}
	if (id == PERF_COUNT_HW_CPU_CYCLES && nti_unit_keeps_cycles_apart(unit)) {
		*config = CYCLES_APART;
		return 0;
	}
	name = is_x86(unit) ? generic_names[id].x86 : generic_names[id].arm;
	if (name && shows_what_it_counts(unit))
		ret = code_in_sysfs(names, unit, name, config);
	if (ret == -ENOMEM)
		return ret;
	return ret < 0 ? no_code(absent, unit) : 0;
}

int nti_code_generic(const struct nti_names *names, const struct nti_part *part,
		     struct nti_part *out)
{
	bool is_intel = names->units->cpu.vendor == NTHW_VENDOR_INTEL;
	bool is_armv8 = strncmp(part->unit->name, "armv8_", 6) == 0;

	if ((part->attr.type != part->unit->type && part->attr.type != PERF_TYPE_RAW) ||
	    part->attr.config1 || part->attr.config2)
		return 0;
	*out = *part;
	out->attr.type = PERF_TYPE_HARDWARE;
	for (uint32_t id = 0; id < PERF_COUNT_HW_MAX; id++) {
		const struct generic_name *row = &generic_names[id];
		struct nti_absence none = { 0 };
		uint64_t code = 0;
		int ret;

		out->attr.config = id;
		ret = generic_code(names, out, &code, &none);
		nti_absence_fini(&none);
		if (ret == -ENOMEM)
			return ret;
		if (ret < 0)
			code = is_intel ? row->intel : is_armv8 ? row->armv8 : 0;
		if (code && code == part->attr.config)
			return 1;
	}
	return 0;
}

/* What the kernel does beside setting a selector: @about, and what that is. */
struct beyond {
	const char *about, *text;
};

static const struct beyond beyond_register = {
	"second register", "needs a register beside its counter, which ntimefs does not set"
};
static const struct beyond beyond_precise = {
	":p", "is sampled by the processor (:p), which is the kernel's to do"
};
static const struct beyond beyond_guest = {
	":G", "is to count in guests alone (:G), which is the kernel's to do"
};
static const struct beyond beyond_idle = {
	":I", "is to leave out idle time (:I), which is the kernel's to do"
};

/* What of it @part asks for, or NULL. */
static const struct beyond *beyond_a_selector(const struct nti_part *part)
{
	const struct perf_event_attr *attr = &part->attr;
	/*
	 * arm64's terms that ask the kernel for a wide counter and for user access: no registers of
	 * their own.
	 */
	uint64_t harmless = is_x86(part->unit) ? 0 : 3;

	if (part->need.want_count || attr->config1 & ~harmless || attr->config2)
		return &beyond_register;
	if (attr->precise_ip)
		return &beyond_precise;
	if (attr->exclude_host)
		return &beyond_guest;
	if (attr->exclude_idle)
		return &beyond_idle;
	return NULL;
}

static int set_config(const struct nti_names *names, const struct nti_part *part,
		      struct nti_code *out, struct nti_absence *absent)
{
	if (part->attr.type == PERF_TYPE_HARDWARE)
		return generic_code(names, part, &out->config, absent);
	if (part->attr.type == PERF_TYPE_HW_CACHE)
		return no_code(absent, part->unit);
	out->config = part->attr.config;
	return 0;
}

int nti_code_of(const struct nti_names *names, const struct nti_part *part, struct nti_code *out,
		struct nti_absence *absent)
{
	/* What a cache event needs beside its code, the library knows; the code it does not. */
	const struct beyond *beyond =
		part->attr.type == PERF_TYPE_HW_CACHE ? NULL : beyond_a_selector(part);

	*out = (struct nti_code){ .in_user = !part->attr.exclude_user,
				  .in_kernel = !part->attr.exclude_kernel };
	if (!beyond)
		return set_config(names, part, out, absent);
	return nti_absence_set(absent, NTIME_REASON_NOT_SUPPORTED, beyond->about,
			       "count it through perf: --via perf", "it %s", beyond->text) < 0
		       ? -ENOMEM
		       : -ENOTSUP;
}
