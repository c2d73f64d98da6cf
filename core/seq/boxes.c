// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Kinds of boxes: which rows are what of a box, which bits an event may choose, how fast it can
 * count at most.
 *
 * Names of units and events, and what perf's config words mean, are those of Linux 6.1 in the file
 * that .source names, so that an event is called the same with and without the kernel's PMU. Where
 * the kernel has none (thermal, thermal_pkg) they are ours, and .config is the number of the
 * counter.
 *
 * .events_per_us only has to be true, and small enough that a wrap can be told from none: it is the
 * highest clock of such a box times the most that one clock can add. Clocks are rounded up from
 * what was ever sold; what one clock adds is the largest queue whose occupancy an event of
 * libpfm4's tables counts, rounded up: 64 entries of a memory channel or of Nehalem's uncore, 256
 * of a home agent.
 */
#include "core/regs/box_rows.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"

#define SNB "Linux 6.1 arch/x86/events/intel/uncore_snb.c"
#define SNBEP "Linux 6.1 arch/x86/events/intel/uncore_snbep.c"
#define AMD_UNCORE "Linux 6.1 arch/x86/events/amd/uncore.c"
#define RAPL "Linux 6.1 arch/x86/events/rapl.c"
#define CSTATE "Linux 6.1 arch/x86/events/intel/cstate.c"

/*
 * event that stands for the fixed counter: UNCORE_FIXED_EVENT of Linux 6.1
 * arch/x86/events/intel/uncore.h
 */
#define CLOCKTICKS 0xff
#define SNBEP_EVENT_BITS 0xff84ffffull /* SNBEP_PMON_RAW_EVENT_MASK */
#define SNBEP_EN (1ull << 22)
#define SNBEP_FRZ (1ull << 8)
#define SNBEP_FRZ_EN (1ull << 16)

#define LIST(member, number, list) .member = (list), .number = (uint32_t)NTHW_ARRAY_SIZE(list)

/* ---- boxes that are programmed ---- */

/*
 * Intel 253669, 18.17.2.2: bit 17 of a select register resets the occupancy of the queue that the
 * event counts.
 */
static const struct nthw_box_kind nhm_uncore = {
	.name = "nhm_uncore",
	.unit = "uncore",
	.source = SNB ", nhm_uncore_msr_ops and nhm_uncore; Intel 253669, 18.17.2; the recipe of "
		      "the project's facts on this uncore",
	.space = NTHW_SPACE_MSR,
	.scope = NTHW_SCOPE_PACKAGE,
	.table = &nthw_nhm_uncore,
	.boxes = 1,
	.select = &nthw_nhm_uncore_select,
	.counter = &nthw_nhm_uncore_counter,
	.fixed_select = &nthw_nhm_uncore_fixed_select,
	.fixed_counter = &nthw_nhm_uncore_fixed_counter,
	.enable = &nthw_nhm_uncore_enable,
	.status = &nthw_nhm_uncore_status,
	.clear = &nthw_nhm_uncore_clear,
	.width = 48,
	.fixed_width = 48,
	.event_bits = 0xff84ffff, /* NHM_UNC_RAW_EVENT_MASK */
	.run_bit = 1ull << 22,
	.reset_bits = 1ull << 17,
	.fixed_run_bit = 1,
	.fixed_event = CLOCKTICKS,
	.events_per_us = 4000 * 64,
};

#define SNBEP_BOX(row)                                                                             \
	.table = &nthw_##row, .select = &nthw_##row##_select, .counter = &nthw_##row##_counter,    \
	.control = &nthw_##row##_control, .width = 48, .run_bit = SNBEP_EN,                        \
	.freeze_bit = SNBEP_FRZ
#define SNBEP_PCI(row) .space = NTHW_SPACE_PCI, .scope = NTHW_SCOPE_DEVICE, SNBEP_BOX(row)
#define SNBEP_CLOCK(row)                                                                           \
	.fixed_select = &nthw_##row##_fixed_select, .fixed_counter = &nthw_##row##_fixed_counter,  \
	.fixed_width = 48, .fixed_run_bit = SNBEP_EN, .fixed_event = CLOCKTICKS

static const struct nthw_box_kind snbep_imc = {
	.name = "snbep_imc",
	.unit = "uncore_imc",
	.source = SNBEP ", snbep_uncore_pci_ops and snbep_uncore_imc; Intel 327043-001, 2.5",
	SNBEP_PCI(snbep_imc),
	SNBEP_CLOCK(snbep_imc),
	.boxes = 4,
	.event_bits = SNBEP_EVENT_BITS,
	.freeze_bits = SNBEP_FRZ | SNBEP_FRZ_EN,
	.events_per_us = 2000 * 64,
};

static const struct nthw_box_kind skx_imc = {
	.name = "skx_imc",
	.unit = "uncore_imc",
	.source = SNBEP ", ivbep_uncore_pci_ops and skx_uncore_imc",
	SNBEP_PCI(skx_imc),
	SNBEP_CLOCK(skx_imc),
	.boxes = 6,
	.event_bits = SNBEP_EVENT_BITS,
	.freeze_bits = SNBEP_FRZ,
	.events_per_us = 2000 * 64,
};

/* skx_uncore_chabox_constraints */
static const struct nthw_box_limit cha_limits[] = {
	{ 0xff, 0x11, 1 },
	{ 0xff, 0x36, 1 },
};

/*
 * skx_uncore_cha_extra_regs and skx_cha_filter_mask(). An event with tid_en needs the thread; Linux
 * then lets it claim all other fields too, which only makes it share less.
 */
#define CHA_TID 0x1ffull
#define CHA_LINK 0x1e00ull
#define CHA_STATE 0x7fe0000ull
#define CHA_UPPER 0xdffffe3bull
static const struct nthw_box_filter_rule cha_filters[] = {
	{ 0xffff, 0x0334, { CHA_STATE } },	{ 0xffff, 0x0534, { CHA_STATE } },
	{ 0xffff, 0x0934, { CHA_STATE } },	{ 0xffff, 0x1134, { CHA_STATE } },
	{ 0xffff, 0x3134, { CHA_STATE } },	{ 0xffff, 0x9134, { CHA_STATE } },
	{ 0xff, 0x35, { 0, CHA_UPPER } },	{ 0xff, 0x36, { 0, CHA_UPPER } },
	{ 0xff, 0x38, { CHA_TID | CHA_LINK } }, { 1u << 19, 1u << 19, { CHA_TID } },
};

static const struct nthw_box_kind skx_cha = {
	.name = "skx_cha",
	.unit = "uncore_cha",
	.source = SNBEP ", skx_uncore_chabox_ops, hswep_cbox_enable_event() and skx_uncore_chabox",
	.space = NTHW_SPACE_MSR,
	.scope = NTHW_SCOPE_PACKAGE,
	SNBEP_BOX(skx_cha),
	.boxes = 28,
	.step = 0x10,
	.filter = { &nthw_skx_cha_filter0, &nthw_skx_cha_filter1 },
	.event_bits = SNBEP_EVENT_BITS | 1u << 19, /* HSWEP_S_MSR_PMON_RAW_EVENT_MASK */
	.freeze_bits = SNBEP_FRZ,
	.filter_bits = { CHA_TID | CHA_LINK | CHA_STATE, CHA_UPPER },
	.events_per_us = 4000 * 256,
	LIST(limit, limits, cha_limits),
	LIST(filter_rule, filter_rules, cha_filters),
};

static const struct nthw_box_kind skx_m2m = {
	.name = "skx_m2m",
	.unit = "uncore_m2m",
	.source = SNBEP ", skx_m2m_uncore_pci_ops and skx_uncore_m2m",
	SNBEP_PCI(skx_m2m),
	.boxes = 2,
	.event_bits = SNBEP_EVENT_BITS,
	.freeze_bits = SNBEP_FRZ,
	.events_per_us = 4000 * 256,
};

static const struct nthw_box_kind skx_upi = {
	.name = "skx_upi",
	.unit = "uncore_upi",
	.source = SNBEP ", skx_upi_uncore_pci_ops and skx_uncore_upi",
	SNBEP_PCI(skx_upi),
	.boxes = 3,
	.event_bits = SNBEP_EVENT_BITS | 0xffefffull << 32, /* SKX_UPI_CTL_UMASK_EXT */
	.freeze_bits = SNBEP_FRZ,
	.events_per_us = 2000 * 64,
};

#define AMD_BOX(of, row)                                                                           \
	.space = NTHW_SPACE_MSR, .scope = NTHW_SCOPE_##of, .table = &nthw_##row, .boxes = 1,       \
	.select = &nthw_##row##_select, .counter = &nthw_##row##_counter, .width = 48,             \
	.run_bit = 1ull << 22

/* amd_uncore_l3_event_init(): without slices and threads all of them count. */
static const struct nthw_box_default l3_f17h_defaults[] = {
	{ .unless = 0xfull << 48, .set = 0xfull << 48 },
	{ .unless = 0xffull << 56, .set = 0xffull << 56 },
};
static const struct nthw_box_kind amd_l3_f17h = {
	.name = "amd_l3_f17h",
	.unit = "amd_l3",
	.source = AMD_UNCORE
	", amd_uncore_add(), amd_uncore_start(), amd_uncore_stop(), amd_uncore_l3_event_init()",
	AMD_BOX(L3, amd_l3),
	.event_bits = 0xff0f00000000ffff, /* event, umask, slicemask, threadmask */
	.events_per_us = 6000 * 64,
	LIST(defaults, default_count, l3_f17h_defaults),
};

static const struct nthw_box_default l3_f19h_defaults[] = {
	{ .unless = 3ull << 56,
	  .clear = 7ull << 42 | 7ull << 48,
	  .set = 3ull << 56 | 1ull << 46 | 1ull << 47 },
};
static const struct nthw_box_kind amd_l3_f19h = {
	.name = "amd_l3_f19h",
	.unit = "amd_l3",
	.source = AMD_UNCORE
	", amd_uncore_add(), amd_uncore_start(), amd_uncore_stop(), amd_uncore_l3_event_init()",
	AMD_BOX(L3, amd_l3),
	.event_bits =
		/* event, umask, coreid, enallslices, enallcores, sliceid, threadmask */
	0x0307dc000000ffff,
	.events_per_us = 6000 * 64,
	LIST(defaults, default_count, l3_f19h_defaults),
};

static const struct nthw_box_kind amd_df = {
	.name = "amd_df",
	.unit = "amd_df",
	.source = AMD_UNCORE
	", amd_uncore_df_add(), amd_uncore_start(), amd_uncore_stop(), format_attr_event14",
	AMD_BOX(PACKAGE, amd_df),
	.counters = 4, /* NUM_COUNTERS_NB */
	.event_bits = 0x1800000f0000ffff,
	.events_per_us = 3000 * 64,
};

/* Version 2 of AMD's performance monitoring: CPUID 8000_0022H EBX[15:10] tells how many. */
static const struct nthw_box_kind amd_df_v2 = {
	.name = "amd_df_v2",
	.unit = "amd_df",
	.source = AMD_UNCORE ", amd_uncore_df_add(), amd_uncore_start(), amd_uncore_stop(), "
			     "format_attr_event14v2, format_attr_umask12",
	AMD_BOX(PACKAGE, amd_df),
	.event_bits = 0x3f0f00ffff, /* AMD64_PERFMON_V2_RAW_EVENT_MASK_NB */
	.events_per_us = 3000 * 64,
};

/* ---- counters that always run ---- */

#define MSR(title, code, row, bits)                                                                \
	{                                                                                          \
		.name = (title), .config = (code), .reg = &(row), .field = &(bits)                 \
	}
#define MSRS(of, rows, list)                                                                       \
	.space = NTHW_SPACE_MSR, .scope = NTHW_SCOPE_##of, .table = &(rows), .boxes = 1,           \
	LIST(free, frees, list)

/*
 * Energy. .config as in rapl.c (enum perf_rapl_events plus one). At the smallest unit that Linux
 * knows of a package, 2^-16 J, 128 steps a microsecond are 2 kW.
 */
#define ENERGY(title, code, row) MSR(title, code, row, nthw_x86_energy_fields[0])
static const struct nthw_box_free power_counters[] = {
	ENERGY("energy-cores", 1, nthw_x86_pp0_energy),
	ENERGY("energy-pkg", 2, nthw_x86_pkg_energy),
	ENERGY("energy-ram", 3, nthw_x86_dram_energy),
	ENERGY("energy-gpu", 4, nthw_x86_pp1_energy),
	ENERGY("energy-psys", 5, nthw_x86_platform_energy),
};

/*
 * rapl_check_hw_unit(): on Haswell's and later servers memory has a unit of its own, 2^-16 J; on
 * Sapphire Rapids psys counts joules.
 */
#define OWN_UNIT(title, code, row, n)                                                              \
	{                                                                                          \
		.name = (title), .config = (code), .reg = &(row),                                  \
		.field = &nthw_x86_energy_fields[0], .has_unit = true, .unit_bits = (n)            \
	}
static const struct nthw_box_free power_hsx_counters[] = {
	ENERGY("energy-cores", 1, nthw_x86_pp0_energy),
	ENERGY("energy-pkg", 2, nthw_x86_pkg_energy),
	OWN_UNIT("energy-ram", 3, nthw_x86_dram_energy, 16),
};
static const struct nthw_box_free power_spr_counters[] = {
	ENERGY("energy-cores", 1, nthw_x86_pp0_energy),
	ENERGY("energy-pkg", 2, nthw_x86_pkg_energy),
	ENERGY("energy-ram", 3, nthw_x86_dram_energy),
	OWN_UNIT("energy-psys", 5, nthw_x86_platform_energy, 0),
};

#define POWER(title, list)                                                                         \
	static const struct nthw_box_kind title = {                                                \
		.name = #title,                                                                    \
		.unit = "power",                                                                   \
		.source = RAPL                                                                     \
		", intel_rapl_msrs[], rapl_check_hw_unit(), rapl_event_update() (32 bits)",        \
		MSRS(PACKAGE, nthw_x86, list),                                                     \
		.events_per_us = 128,                                                              \
		.energy_unit = &nthw_x86_energy_unit,                                              \
		.energy_field = &nthw_x86_energy_unit_fields[1],                                   \
	}
POWER(power, power_counters);
POWER(power_hsx, power_hsx_counters);
POWER(power_spr, power_spr_counters);

static const struct nthw_box_free amd_power_counters[] = {
	MSR("energy-pkg", 2, nthw_amd_pkg_energy, nthw_amd_energy_fields[0]),
};
static const struct nthw_box_kind amd_power = {
	.name = "amd_power",
	.unit = "power",
	.source = RAPL ", amd_rapl_msrs[], model_amd_hygon",
	MSRS(PACKAGE, nthw_amd_rapl, amd_power_counters),
	.events_per_us = 128,
	.energy_unit = &nthw_amd_energy_unit,
	.energy_field = &nthw_amd_energy_unit_fields[1],
};

/*
 * Of each core. Later kernels than 6.1 call the PMU and its event so (arch/x86/events/rapl.c since
 * 6.15).
 */
static const struct nthw_box_free amd_power_core_counters[] = {
	MSR("energy-core", 1, nthw_amd_core_energy, nthw_amd_energy_fields[0]),
};
static const struct nthw_box_kind amd_power_core = {
	.name = "amd_power_core",
	.unit = "power_core",
	.source = "Linux 6.1 arch/x86/include/asm/msr-index.h (MSR_AMD_CORE_ENERGY_STATUS); names "
		  "of PMU and event as in Linux since 6.15",
	MSRS(CPU, nthw_amd_rapl, amd_power_core_counters),
	.events_per_us = 128,
	.energy_unit = &nthw_amd_energy_unit,
	.energy_field = &nthw_amd_energy_unit_fields[1],
};

/* .config as in enum perf_msr_id. They do not wrap within years. */
static const struct nthw_box_free msr_counters[] = {
	MSR("tsc", 0, nthw_x86_tsc, nthw_x86_tsc_fields[0]),
	MSR("aperf", 1, nthw_x86_aperf, nthw_x86_aperf_fields[0]),
	MSR("mperf", 2, nthw_x86_mperf, nthw_x86_mperf_fields[0]),
};
static const struct nthw_box_kind msr = {
	.name = "msr",
	.unit = "msr",
	.source = "Linux 6.1 arch/x86/events/msr.c, msr[] and msr_read_counter()",
	MSRS(CPU, nthw_x86, msr_counters),
	.events_per_us = 10000,
};

/*
 * .config as in enum perf_cstate_core_events and _pkg_events. They count at the rate of the time
 * stamp counter.
 */
#define CSTATE_OF(title, code, row) MSR(title, code, row, nthw_intel_cstate_fields[0])
static const struct nthw_box_free cstate_core_counters[] = {
	CSTATE_OF("c1-residency", 0, nthw_intel_core_c1),
	CSTATE_OF("c3-residency", 1, nthw_intel_core_c3),
	CSTATE_OF("c6-residency", 2, nthw_intel_core_c6),
	CSTATE_OF("c7-residency", 3, nthw_intel_core_c7),
};
static const struct nthw_box_free cstate_pkg_counters[] = {
	CSTATE_OF("c2-residency", 0, nthw_intel_pkg_c2),
	CSTATE_OF("c3-residency", 1, nthw_intel_pkg_c3),
	CSTATE_OF("c6-residency", 2, nthw_intel_pkg_c6),
	CSTATE_OF("c7-residency", 3, nthw_intel_pkg_c7),
	CSTATE_OF("c8-residency", 4, nthw_intel_pkg_c8),
	CSTATE_OF("c9-residency", 5, nthw_intel_pkg_c9),
	CSTATE_OF("c10-residency", 6, nthw_intel_pkg_c10),
};
static const struct nthw_box_kind cstate_core = {
	.name = "cstate_core",
	.unit = "cstate_core",
	.source = CSTATE ", core_msr[]",
	MSRS(CPU, nthw_intel_cstate, cstate_core_counters),
	.events_per_us = 10000,
};
static const struct nthw_box_kind cstate_pkg = {
	.name = "cstate_pkg",
	.unit = "cstate_pkg",
	.source = CSTATE ", pkg_msr[]",
	MSRS(PACKAGE, nthw_intel_cstate, cstate_pkg_counters),
	.events_per_us = 10000,
};

/* ---- states ---- */

#define STATE(title, code, row, n)                                                                 \
	{                                                                                          \
		.name = (title), .config = (code), .reg = &nthw_x86_##row,                         \
		.field = &nthw_x86_##row##_fields[n], .is_state = true                             \
	}
static const struct nthw_box_free thermal_states[] = {
	STATE("hot", 0, therm_status, 0),
	STATE("hot-log", 1, therm_status, 1),
	STATE("prochot", 2, therm_status, 2),
	STATE("prochot-log", 3, therm_status, 3),
	STATE("critical", 4, therm_status, 4),
	STATE("critical-log", 5, therm_status, 5),
	STATE("power-limit", 6, therm_status, 10),
	STATE("power-limit-log", 7, therm_status, 11),
	STATE("current-limit", 8, therm_status, 12),
	STATE("current-limit-log", 9, therm_status, 13),
	STATE("cross-domain", 10, therm_status, 14),
	STATE("cross-domain-log", 11, therm_status, 15),
	{ .name = "headroom",
	  .config = 12,
	  .reg = &nthw_x86_therm_status,
	  .field = &nthw_x86_therm_status_fields[16],
	  .valid = &nthw_x86_therm_status_fields[18],
	  .is_state = true },
	STATE("limit", 13, temperature_target, 1),
};
static const struct nthw_box_kind thermal = {
	.name = "thermal",
	.unit = "thermal",
	.source = "Intel SDM vol. 3B, 14.7.5.2; Linux 6.1 drivers/hwmon/coretemp.c",
	MSRS(CPU, nthw_x86, thermal_states),
};

static const struct nthw_box_free thermal_pkg_states[] = {
	STATE("hot", 0, package_therm_status, 0),
	STATE("hot-log", 1, package_therm_status, 1),
	STATE("prochot", 2, package_therm_status, 2),
	STATE("prochot-log", 3, package_therm_status, 3),
	STATE("critical", 4, package_therm_status, 4),
	STATE("critical-log", 5, package_therm_status, 5),
	STATE("power-limit", 6, package_therm_status, 10),
	STATE("power-limit-log", 7, package_therm_status, 11),
	STATE("headroom", 12, package_therm_status, 12),
	STATE("limit", 13, temperature_target, 1),
};
static const struct nthw_box_kind thermal_pkg = {
	.name = "thermal_pkg",
	.unit = "thermal_pkg",
	.source = "Intel SDM vol. 3B, page 14-29; Linux 6.1 "
		  "drivers/thermal/intel/x86_pkg_temp_thermal.c",
	MSRS(PACKAGE, nthw_x86, thermal_pkg_states),
};

const struct nthw_box_kind *const nthw_box_kinds[] = {
	&nhm_uncore, &snbep_imc,   &skx_imc,	 &skx_cha,   &skx_m2m,
	&skx_upi,    &amd_l3_f17h, &amd_l3_f19h, &amd_df,    &amd_df_v2,
	&power,	     &power_hsx,   &power_spr,	 &amd_power, &amd_power_core,
	&msr,	     &cstate_core, &cstate_pkg,	 &thermal,   &thermal_pkg,
};
const size_t nthw_box_kind_count = NTHW_ARRAY_SIZE(nthw_box_kinds);
