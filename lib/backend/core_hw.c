// SPDX-License-Identifier: MIT
/* One CPU's core PMU through ntimefs. */
#include <errno.h>
#include <string.h>

#include "lib/backend/core_hw.h"
#include "lib/event/cpu.h"

/* PMCR, whose bits 15 to 11 are the number of event counters (Arm ARM DDI 0487, PMCR_EL0; DDI 0406, PMCR). */
#define ARMV8_PMCR NTHW_SYSREG(3, 3, 9, 12, 0)
#define ARMV7_PMCR NTHW_CP15(9, 0, 12, 0)
#define PMCR_N_SHIFT 11
#define PMCR_N_MASK 31

/* The ARM1176 has two and the cycle counter (ARM1176JZF-S manual, "system performance monitor"; none of its registers tells). */
#define ARM1176_COUNTERS 2

static bool starts_with(const char *text, const char *head)
{
	return strncmp(text, head, strlen(head)) == 0;
}

static int find_x86(struct nti_core_hw *hw, struct nti_os *os, const struct nti_unit *unit)
{
	struct nti_cpu cpu;
	unsigned int version;

	nti_cpu_identify(os, &cpu);
	version = nti_cpu_perfmon(os, &cpu);
	if (cpu.vendor == NTI_CPU_INTEL && version >= 2)
		hw->pmu.kind = NTHW_CORE_INTEL;
	else if (cpu.vendor == NTI_CPU_AMD)
		hw->pmu.kind = version >= 2 ? NTHW_CORE_AMD_V2
			       : version    ? NTHW_CORE_AMD
					    : NTHW_CORE_AMD_LEGACY;
	else
		return -ENOTSUP;
	hw->pmu.general = unit->counters;
	/* More than core/seq has rows for are left alone: topdown's counter is not one that counts events. */
	hw->pmu.fixed = unit->fixed < NTHW_CORE_FIXED_MAX ? unit->fixed : NTHW_CORE_FIXED_MAX;
	return unit->counters ? 0 : -ENOTSUP;
}

static int find_arm(struct nti_core_hw *hw, enum nthw_core_kind kind, enum nthw_space space,
		    uint32_t pmcr)
{
	struct nthw_io *io = nti_ntimefs_io(hw->fs);
	uint64_t value;
	int ret = io->read(io, space, hw->cpu, pmcr, &value);

	if (ret < 0)
		return ret;
	hw->pmu.kind = kind;
	hw->pmu.general = (uint32_t)(value >> PMCR_N_SHIFT & PMCR_N_MASK);
	hw->pmu.fixed = 1;
	return 0;
}

/* The kind of PMU and how many counters it has. */
static int find_kind(struct nti_core_hw *hw, struct nti_os *os, const struct nti_unit *unit)
{
	const char *arch = os->ops->arch(os);

	hw->pmu.has_filter = !unit->is_mode_blind;
	if (strcmp(arch, "x86_64") == 0)
		return find_x86(hw, os, unit);
	if (strcmp(arch, "aarch64") == 0)
		return find_arm(hw, NTHW_CORE_ARMV8, NTHW_SPACE_SYSREG, ARMV8_PMCR);
	if (starts_with(arch, "armv7"))
		return find_arm(hw, NTHW_CORE_ARMV7, NTHW_SPACE_CP15, ARMV7_PMCR);
	if (!starts_with(arch, "armv6"))
		return -ENOTSUP;
	hw->pmu.kind = NTHW_CORE_ARM1176;
	hw->pmu.general = ARM1176_COUNTERS;
	hw->pmu.fixed = 1;
	return 0;
}

int nti_core_hw_describe(struct nti_core_hw *hw, unsigned int seat, struct ntime_page *out)
{
	enum nthw_space space;
	uint32_t address;

	if (!nthw_core_address(&hw->pmu, seat, &space, &address))
		return -ENOTSUP;
	return nti_ntimefs_describe(hw->fs, space, hw->cpu, address, out);
}

/* How wide a counter is says the driver; its number must be known before. */
static int find_width(struct nti_core_hw *hw, unsigned int seat, uint32_t *width)
{
	struct ntime_page page;
	int ret;

	/* Any width will do to find the address. */
	*width = 64;
	ret = nti_core_hw_describe(hw, seat, &page);
	if (ret < 0)
		return ret;
	*width = page.width;
	return page.width ? 0 : -EIO;
}

static int find_widths(struct nti_core_hw *hw)
{
	int ret;

	hw->pmu.width = hw->pmu.fixed_width = 64;
	ret = hw->pmu.general ? find_width(hw, 0, &hw->pmu.width) : 0;
	if (ret == 0 && hw->pmu.fixed)
		ret = find_width(hw, NTHW_CORE_FIXED, &hw->pmu.fixed_width);
	return ret;
}

/* Open every counter for writing: who comes later is refused at once and not in the middle of counting. */
static int hold(struct nti_core_hw *hw)
{
	enum nthw_space space;
	unsigned int seat;
	uint32_t address;
	int ret = 0;

	for (seat = 0; ret == 0 && seat < NTI_CORE_SEATS; seat++) {
		if (nthw_core_address(&hw->pmu, seat, &space, &address))
			ret = nti_ntimefs_hold(hw->fs, space, hw->cpu, address);
	}
	return ret;
}

int nti_core_hw_take(struct nti_core_hw *hw, struct nti_os *os, struct nti_ntimefs *fs,
		     const struct nti_unit *unit, unsigned int cpu)
{
	uint64_t free_counters = 0;
	int ret;

	*hw = (struct nti_core_hw){ .fs = fs, .cpu = cpu, .pmu.is_guarded = true };
	ret = find_kind(hw, os, unit);
	if (ret == 0)
		ret = find_widths(hw);
	if (ret == 0 && !nthw_core_counters(&hw->pmu))
		ret = -ENOTSUP;
	if (ret == 0)
		ret = hold(hw);
	if (ret == 0)
		ret = nthw_core_find_free(nti_ntimefs_io(fs), &hw->pmu, cpu, &free_counters);
	if (ret < 0)
		return ret;
	hw->seats = nthw_core_counters(&hw->pmu) & free_counters;
	hw->has_flags = hw->pmu.kind != NTHW_CORE_AMD && hw->pmu.kind != NTHW_CORE_AMD_LEGACY;
	return hw->seats ? 0 : -EBUSY;
}

void nti_core_hw_release(struct nti_core_hw *hw)
{
	struct nthw_io *io = nti_ntimefs_io(hw->fs);

	(void)nthw_core_stop(io, &hw->pmu, hw->cpu, hw->state.counters, &hw->state);
	(void)nthw_core_restore(io, &hw->pmu, hw->cpu, &hw->state);
}

int nti_core_hw_program(struct nti_core_hw *hw, const struct nti_core_hw_event *event, size_t n)
{
	struct nthw_io *io = nti_ntimefs_io(hw->fs);
	int ret = 0;
	size_t i;

	hw->current = 0;
	for (i = 0; ret == 0 && i < n; i++) {
		const struct nthw_core_event what = {
			/* A fixed counter counts its event: it has no code. */
			.config = event[i].seat < NTHW_CORE_FIXED ? event[i].code.config : 0,
			.is_user = event[i].code.in_user,
			.is_kernel = event[i].code.in_kernel,
		};

		ret = nthw_core_program(io, &hw->pmu, hw->cpu, event[i].seat, &what, &hw->state);
		hw->current |= (uint64_t)1 << event[i].seat;
	}
	return ret;
}

int nti_core_hw_start(struct nti_core_hw *hw)
{
	return nthw_core_start(nti_ntimefs_io(hw->fs), &hw->pmu, hw->cpu, hw->current, &hw->state);
}

int nti_core_hw_stop(struct nti_core_hw *hw)
{
	return nthw_core_stop(nti_ntimefs_io(hw->fs), &hw->pmu, hw->cpu, hw->current, &hw->state);
}

int nti_core_hw_read(struct nti_core_hw *hw, unsigned int seat, uint64_t *value)
{
	return nthw_core_read(nti_ntimefs_io(hw->fs), &hw->pmu, hw->cpu, seat, value);
}

int nti_core_hw_overflows(struct nti_core_hw *hw, uint64_t *seats)
{
	return nthw_core_overflows(nti_ntimefs_io(hw->fs), &hw->pmu, hw->cpu, hw->current, seats);
}

unsigned int nti_core_hw_width(const struct nti_core_hw *hw, unsigned int seat)
{
	return seat < NTHW_CORE_FIXED ? hw->pmu.width : hw->pmu.fixed_width;
}
