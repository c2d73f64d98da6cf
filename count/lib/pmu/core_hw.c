// SPDX-License-Identifier: MIT
/* The core PMU of one CPU, by the sequences of core/seq/core_pmu.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/names.h"
#include "core/regs/regs.h"
#include "count/lib/pmu/pmu_hw.h"
#include "count/lib/machine/cpu.h"

/*
 * PMCR, whose bits 15 to 11 are the number of event counters (Arm ARM DDI 0487, PMCR_EL0; DDI 0406,
 * PMCR).
 */
#define ARMV8_PMCR NTHW_SYSREG(3, 3, 9, 12, 0)
#define ARMV7_PMCR NTHW_CP15(9, 0, 12, 0)
#define PMCR_N_SHIFT 11
#define PMCR_N_MASK 31

/*
 * The ARM1176 has two and the cycle counter (ARM1176JZF-S manual, "system performance monitor";
 * none of its registers tells).
 */
#define ARM1176_COUNTERS 2

/*
 * No processor counts faster: 8 events a cycle at 4 GHz. Only what this bound excludes is excluded;
 * a generous one makes a count unsure a little earlier, a tight one could make it wrong.
 */
#define EVENTS_PER_US 32000

struct core_hw {
	struct nti_pmu_hw hw; /* first */
	struct nti_handle *handle;
	unsigned int cpu;
	struct nthw_core_pmu pmu;
	struct nthw_core_state state;
	uint64_t current; /* counters programmed by the last core_program() */
};

static struct core_hw *core_of(struct nti_pmu_hw *hw)
{
	return (struct core_hw *)hw;
}

static const struct core_hw *core_of_const(const struct nti_pmu_hw *hw)
{
	return (const struct core_hw *)hw;
}

static struct nthw_io *io_of(const struct core_hw *core)
{
	return nti_handle_io(core->handle);
}

static bool starts_with(const char *text, const char *head)
{
	return strncmp(text, head, strlen(head)) == 0;
}

static int find_x86(struct core_hw *core, struct nti_os *os, const struct nti_unit *unit)
{
	struct nthw_x86_cpu cpu;

	nti_cpu_identify(os, &cpu);
	if (cpu.vendor == NTHW_VENDOR_INTEL && cpu.perfmon >= 2)
		core->pmu.kind = NTHW_CORE_INTEL;
	else if (cpu.vendor == NTHW_VENDOR_AMD)
		core->pmu.kind = cpu.perfmon >= 2 ? NTHW_CORE_AMD_V2
				 : cpu.perfmon	  ? NTHW_CORE_AMD
						  : NTHW_CORE_AMD_LEGACY;
	else
		return -ENOTSUP;
	core->pmu.general = unit->counters;
	/*
	 * More than core/seq has rows for are left alone: topdown's counter is not one that counts
	 * events.
	 */
	core->pmu.fixed = unit->fixed < NTHW_CORE_FIXED_MAX ? unit->fixed : NTHW_CORE_FIXED_MAX;
	return unit->counters ? 0 : -ENOTSUP;
}

static int find_arm(struct core_hw *core, enum nthw_core_kind kind, enum nthw_space space,
		    uint32_t pmcr)
{
	struct nthw_io *io = io_of(core);
	uint64_t value;
	int ret = io->read(io, space, core->cpu, pmcr, &value);

	if (ret < 0)
		return ret;
	core->pmu.kind = kind;
	core->pmu.general = (uint32_t)(value >> PMCR_N_SHIFT & PMCR_N_MASK);
	core->pmu.fixed = 1;
	return 0;
}

/* The kind of PMU and how many counters it has. */
static int find_kind(struct core_hw *core, struct nti_os *os, const struct nti_unit *unit)
{
	const char *arch = os->ops->arch(os);

	core->pmu.has_filter = !unit->is_mode_blind;
	if (strcmp(arch, "x86_64") == 0)
		return find_x86(core, os, unit);
	if (strcmp(arch, "aarch64") == 0)
		return find_arm(core, NTHW_CORE_ARMV8, NTHW_SPACE_SYSREG, ARMV8_PMCR);
	if (starts_with(arch, "armv7"))
		return find_arm(core, NTHW_CORE_ARMV7, NTHW_SPACE_CP15, ARMV7_PMCR);
	if (!starts_with(arch, "armv6"))
		return -ENOTSUP;
	core->pmu.kind = NTHW_CORE_ARM1176;
	core->pmu.general = ARM1176_COUNTERS;
	core->pmu.fixed = 1;
	return 0;
}

static int core_describe(struct nti_pmu_hw *hw, unsigned int counter, struct ntime_page *out)
{
	struct core_hw *core = core_of(hw);
	enum nthw_space space;
	uint32_t address;

	if (!nthw_core_address(&core->pmu, counter, &space, &address))
		return -ENOTSUP;
	return nti_handle_describe(core->handle, space, address, out);
}

/* How wide a counter is says the driver; its number must be known before. */
static int find_width(struct core_hw *core, unsigned int counter, uint32_t *width)
{
	struct ntime_page page;
	int ret;

	/* Any width will do to find the address. */
	*width = 64;
	ret = core_describe(&core->hw, counter, &page);
	if (ret < 0)
		return ret;
	*width = page.width;
	return page.width ? 0 : -EIO;
}

/* Without a driver that tells, the processor does. */
static int find_widths_by_cpuid(struct core_hw *core, struct nti_os *os)
{
	struct nthw_x86_cpu cpu;

	nti_cpu_identify(os, &cpu);
	core->pmu.width = cpu.general_width;
	core->pmu.fixed_width = cpu.fixed_width;
	return (core->pmu.general && !core->pmu.width) ||
			       (core->pmu.fixed && !core->pmu.fixed_width)
		       ? -ENOTSUP
		       : 0;
}

static int find_widths(struct core_hw *core, struct nti_os *os)
{
	int ret;

	if (!core->pmu.is_guarded)
		return find_widths_by_cpuid(core, os);
	core->pmu.width = core->pmu.fixed_width = 64;
	ret = core->pmu.general ? find_width(core, 0, &core->pmu.width) : 0;
	if (ret == 0 && core->pmu.fixed)
		ret = find_width(core, NTHW_CORE_FIXED, &core->pmu.fixed_width);
	return ret;
}

/* Hold every counter: who comes later is refused at once and not in the middle of counting. */
static int hold(struct core_hw *core)
{
	enum nthw_space space;
	unsigned int counter;
	uint32_t address;
	int ret = 0;

	for (counter = 0; ret == 0 && counter < NTI_PMU_COUNTERS; counter++) {
		if (nthw_core_address(&core->pmu, counter, &space, &address))
			ret = nti_handle_hold(core->handle, space, address);
	}
	return ret;
}

static int core_encode(const struct nti_pmu_hw *hw, const struct nti_names *names,
		       const struct nti_part *part, struct nti_pmu_event *out,
		       struct nti_absence *absent)
{
	(void)hw;
	return nti_code_of(names, part, &out->code, absent);
}

static int program_one(struct core_hw *core, const struct nti_pmu_event *event)
{
	const struct nthw_core_event what = {
		/* A fixed counter counts its event: it has no code. */
		.config = event->counter < NTHW_CORE_FIXED ? event->code.config : 0,
		.is_user = event->code.in_user,
		.is_kernel = event->code.in_kernel,
	};

	return nthw_core_program(io_of(core), &core->pmu, core->cpu, event->counter, &what,
				 &core->state);
}

static int core_program(struct nti_pmu_hw *hw, const struct nti_pmu_event *event, size_t n,
			uint64_t *taken)
{
	struct core_hw *core = core_of(hw);
	int ret = 0;
	size_t i;

	core->current = 0;
	*taken = 0;
	for (i = 0; ret == 0 && i < n; i++) {
		uint64_t bit = (uint64_t)1 << event[i].counter;

		ret = program_one(core, &event[i]);
		/* Also one that could not be programmed may have to be stopped. */
		if (ret == -EBUSY)
			*taken |= bit;
		else
			core->current |= bit;
		ret = ret == -EBUSY ? 0 : ret;
	}
	return ret;
}

static int core_start(struct nti_pmu_hw *hw)
{
	struct core_hw *core = core_of(hw);

	return nthw_core_start(io_of(core), &core->pmu, core->cpu, core->current, &core->state);
}

static int core_stop(struct nti_pmu_hw *hw)
{
	struct core_hw *core = core_of(hw);

	return nthw_core_stop(io_of(core), &core->pmu, core->cpu, core->current, &core->state);
}

static int core_overflows(struct nti_pmu_hw *hw, uint64_t *counters)
{
	struct core_hw *core = core_of(hw);

	return nthw_core_overflows(io_of(core), &core->pmu, core->cpu, core->current, counters);
}

/* ntime's driver keeps others away; through msr anybody may come. */
static int core_check(struct nti_pmu_hw *hw, uint64_t *lost)
{
	struct core_hw *core = core_of(hw);

	*lost = 0;
	if (core->pmu.is_guarded)
		return 0;
	return nthw_core_check(io_of(core), &core->pmu, core->cpu, core->current, &core->state,
			       lost);
}

static void core_begin(struct nti_pmu_hw *hw)
{
	(void)hw;
}

static int core_read(struct nti_pmu_hw *hw, unsigned int counter, uint64_t *value)
{
	struct core_hw *core = core_of(hw);

	return nthw_core_read(io_of(core), &core->pmu, core->cpu, counter, value);
}

static unsigned int core_width(const struct nti_pmu_hw *hw, unsigned int counter)
{
	const struct core_hw *core = core_of_const(hw);

	return counter < NTHW_CORE_FIXED ? core->pmu.width : core->pmu.fixed_width;
}

static void core_name(const struct nti_pmu_hw *hw, unsigned int counter, char *text, size_t size)
{
	enum nthw_space space;
	const struct nthw_reg *row;
	uint32_t address, index;
	size_t i;

	*text = '\0';
	if (!nthw_core_address(&core_of_const(hw)->pmu, counter, &space, &address))
		return;
	for (i = 0; i < nthw_table_count; i++) {
		row = nthw_table_find(nthw_tables[i], address, &index);
		if (row && row->space == space) {
			(void)nthw_reg_name(row, index, text, size);
			return;
		}
	}
}

/*
 * Which of all that were programmed are somebody else's by now: .check() looked at those of the
 * last turn.
 */
static int find_taken(struct core_hw *core)
{
	uint64_t lost;

	if (core->pmu.is_guarded || !core->state.counters)
		return 0;
	return nthw_core_check(io_of(core), &core->pmu, core->cpu, core->state.counters,
			       &core->state, &lost);
}

/* Nothing is written while it is not known whose it is. */
static int core_release(struct nti_pmu_hw *hw)
{
	struct core_hw *core = core_of(hw);
	int stopped, ret = find_taken(core);

	if (ret < 0)
		return ret;
	stopped = nthw_core_stop(io_of(core), &core->pmu, core->cpu, core->state.counters,
				 &core->state);
	ret = nthw_core_restore(io_of(core), &core->pmu, core->cpu, &core->state);
	return ret < 0 ? ret : stopped;
}

static const struct nti_pmu_hw_ops core_ops = {
	.encode = core_encode,
	.program = core_program,
	.start = core_start,
	.stop = core_stop,
	.overflows = core_overflows,
	.check = core_check,
	.begin = core_begin,
	.read = core_read,
	.width = core_width,
	.describe = core_describe,
	.name = core_name,
	.release = core_release,
};

static bool has_flags(const struct nthw_core_pmu *pmu)
{
	return pmu->kind != NTHW_CORE_AMD && pmu->kind != NTHW_CORE_AMD_LEGACY;
}

static int take(struct core_hw *core, struct nti_os *os, const struct nti_unit *unit)
{
	uint64_t free_counters = 0;
	int ret = find_kind(core, os, unit);

	if (ret == 0)
		ret = find_widths(core, os);
	core->hw.all = nthw_core_counters(&core->pmu);
	if (ret == 0 && !core->hw.all)
		ret = -ENOTSUP;
	if (ret == 0)
		ret = hold(core);
	if (ret == 0)
		ret = nthw_core_find_free(io_of(core), &core->pmu, core->cpu, &free_counters);
	core->hw.counters = core->hw.all & free_counters;
	core->hw.has_flags = has_flags(&core->pmu);
	return ret;
}

int nti_core_hw_new(struct nti_os *os, struct nti_handle *handle, const struct nti_unit *unit,
		    struct nti_pmu_hw **out)
{
	struct core_hw *core = calloc(1, sizeof(*core));
	int ret;

	*out = NULL;
	if (!core)
		return -ENOMEM;
	*core = (struct core_hw){ .hw.ops = &core_ops,
				  .hw.events_per_us = EVENTS_PER_US,
				  .handle = handle,
				  .cpu = nti_handle_unit(handle),
				  .pmu.is_guarded = nti_handle_is_guarded(handle) };
	ret = take(core, os, unit);
	if (ret < 0) {
		free(core);
		return ret;
	}
	*out = &core->hw;
	return 0;
}
