// SPDX-License-Identifier: MIT
/*
 * Machines for tests, written after Linux's drivers (arch/x86/events, drivers/perf) and the CPUID
 * chapters of Intel's SDM and AMD's APM. They are not recordings.
 */
#include "base/common/compiler.h"
#include "count/tests/event/fake_os.h"

#define DEV "/sys/bus/event_source/devices/"
#define VENDOR_INTEL 0x756e6547u, 0x6c65746eu, 0x49656e69u /* "Genu" "ntel" "ineI" as ebx ecx edx */
#define VENDOR_AMD 0x68747541u, 0x444d4163u, 0x69746e65u   /* "Auth" "cAMD" "enti" */
#define HYPERVISOR_BIT 0x80000000u

/* What every Linux with perf has. */
#define COMMON_FILES                                                                               \
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" }, { DEV "software/type", "1\n" },         \
		{ DEV "tracepoint/type", "2\n" },                                                  \
	{                                                                                          \
		DEV "breakpoint/type", "5\n"                                                       \
	}

#define X86_FORMATS(unit)                                                                          \
	{ DEV unit "/format/event", "config:0-7\n" },                                              \
		{ DEV unit "/format/umask", "config:8-15\n" },                                     \
		{ DEV unit "/format/edge", "config:18\n" },                                        \
		{ DEV unit "/format/pc", "config:19\n" },                                          \
		{ DEV unit "/format/any", "config:21\n" },                                         \
		{ DEV unit "/format/inv", "config:23\n" },                                         \
		{ DEV unit "/format/cmask", "config:24-31\n" },                                    \
		{ DEV unit "/format/in_tx", "config:32\n" },                                       \
		{ DEV unit "/format/in_tx_cp", "config:33\n" },                                    \
		{ DEV unit "/format/offcore_rsp", "config1:0-63\n" },                              \
		{ DEV unit "/format/ldlat", "config1:0-15\n" },                                    \
	{                                                                                          \
		DEV unit "/format/frontend", "config1:0-23\n"                                      \
	}

#define IMC_FILES(n, number)                                                                       \
	{ DEV "uncore_imc_" #n "/type", number "\n" },                                             \
		{ DEV "uncore_imc_" #n "/cpumask", "0,28\n" },                                     \
		{ DEV "uncore_imc_" #n "/format/event", "config:0-7\n" },                          \
		{ DEV "uncore_imc_" #n "/format/umask", "config:8-15\n" },                         \
		{ DEV "uncore_imc_" #n "/format/edge", "config:18\n" },                            \
		{ DEV "uncore_imc_" #n "/format/inv", "config:23\n" },                             \
		{ DEV "uncore_imc_" #n "/format/thresh", "config:24-31\n" },                       \
		{ DEV "uncore_imc_" #n "/events/clockticks", "event=0x00,umask=0x00\n" },          \
		{ DEV "uncore_imc_" #n "/events/cas_count_read", "event=0x04,umask=0x03\n" },      \
		{ DEV "uncore_imc_" #n "/events/cas_count_read.scale", "6.103515625e-5\n" },       \
	{                                                                                          \
		DEV "uncore_imc_" #n "/events/cas_count_read.unit", "MiB\n"                        \
	}

#define CHA_FILES(n, number)                                                                       \
	{ DEV "uncore_cha_" #n "/type", number "\n" },                                             \
		{ DEV "uncore_cha_" #n "/cpumask", "0,28\n" },                                     \
		{ DEV "uncore_cha_" #n "/format/event", "config:0-7\n" },                          \
		{ DEV "uncore_cha_" #n "/format/umask", "config:8-15\n" },                         \
	{                                                                                          \
		DEV "uncore_cha_" #n "/format/filter_opc0", "config1:41-50\n"                      \
	}

/*
 * Intel Xeon Scalable (Skylake-SP) of two sockets: 06_55H stepping 4, perfmon version 4 with 4 + 3
 * counters (hyper-threading on).
 */
#define SKX_FILES                                                                                  \
	COMMON_FILES, { DEV "cpu/type", "4\n" }, { DEV "cpu/caps/pmu_name", "skylake\n" },         \
		X86_FORMATS("cpu"), { DEV "cpu/events/cpu-cycles", "event=0x3c\n" },               \
		{ DEV "cpu/events/instructions", "event=0xc0\n" },                                 \
		{ DEV "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },                  \
		{ DEV "cpu/events/mem-stores", "event=0xd0,umask=0x82\n" },                        \
		{ DEV "cpu/events/cycles-ct", "event=0x3c,in_tx=1,in_tx_cp=1\n" },                 \
		{ DEV "cpu/events/bad-definition", "event=0x3c,warp=1\n" }, IMC_FILES(0, "13"),    \
		IMC_FILES(1, "14"), IMC_FILES(10, "15"), IMC_FILES(2, "16"), CHA_FILES(0, "20"),   \
		CHA_FILES(1, "21"), { DEV "uncore_upi_0/type", "30\n" },                           \
		{ DEV "uncore_upi_0/cpumask", "0,28\n" },                                          \
		{ DEV "uncore_upi_0/format/event", "config:0-7\n" },                               \
		{ DEV "uncore_upi_0/format/umask", "config:8-15,32-43,45-55\n" },                  \
		{ DEV "uncore_iio_0/type", "31\n" }, { DEV "uncore_iio_0/cpumask", "0,28\n" },     \
		{ DEV "uncore_iio_0/format/event", "config:0-7\n" },                               \
		{ DEV "uncore_iio_0/format/ch_mask", "config:36-43\n" },                           \
		{ DEV "uncore_iio_0/format/fc_mask", "config:44-46\n" },                           \
		{ DEV "uncore_iio_0/events/port", "event=0x83,ch_mask=?,fc_mask=0x07\n" },         \
		{ DEV "uncore_pcu/type", "32\n" }, { DEV "uncore_pcu/cpumask", "0,28\n" },         \
		{ DEV "uncore_pcu/format/event", "config:0-7\n" }, { DEV "power/type", "9\n" },    \
		{ DEV "power/cpumask", "0,28\n" }, { DEV "power/format/event", "config:0-7\n" },   \
		{ DEV "power/events/energy-pkg", "event=0x02\n" },                                 \
		{ DEV "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },         \
		{ DEV "power/events/energy-pkg.unit", "Joules\n" },                                \
		{ DEV "power/events/energy-ram", "event=0x03\n" },                                 \
		{ DEV "power/events/energy-ram.scale", "1.5258789062500000e-05\n" },               \
		{ DEV "power/events/energy-ram.unit", "Joules\n" }, { DEV "msr/type", "10\n" },    \
		{ DEV "msr/format/event", "config:0-63\n" },                                       \
		{ DEV "msr/events/tsc", "event=0x00\n" },                                          \
		{ DEV "msr/events/aperf", "event=0x01\n" }, { DEV "odd/type", "40\n" },            \
		{ DEV "odd/cpumask", "0\n" }, { DEV "odd/format/wide", "config9:0-7\n" },          \
		{ DEV "odd/format/high", "config:60-70\n" },                                       \
		{ DEV "odd/format/all", "config:0-63\n" }, { DEV "odd/format/locked", NULL },      \
		{ DEV "odd/events/cold", "all=0x1\n" }, { DEV "odd/events/cold.scale", "-3\n" },   \
		{ DEV "gone/type", "no number\n" },                                                \
		{ "/sys/kernel/tracing/events/sched/sched_switch/id", "314\n" },                   \
		{ "/sys/kernel/tracing/events/sched/enable", "0\n" },                              \
	{                                                                                          \
		"/sys/kernel/tracing/events/header_page", "x\n"                                    \
	}

static const struct fake_file skx_files[] = { SKX_FILES, { NULL } };

static const struct fake_leaf skx_leaves[] = {
	{ 0x0, { 0x16, VENDOR_INTEL } },
	{ 0x1, { 0x00050654, 0, 0, 0 } },
	{ 0xa, { 0x07300404, 0, 0, 0x00000603 } },
	{ 0x80000000, { 0x80000008, 0, 0, 0 } },
};

const struct fake_machine fake_skx = { "skx", "x86_64", skx_leaves, NTI_ARRAY_SIZE(skx_leaves),
				       skx_files };

/* The same with the stepping of Cascade Lake. */
static const struct fake_leaf clx_leaves[] = {
	{ 0x0, { 0x16, VENDOR_INTEL } },
	{ 0x1, { 0x00050657, 0, 0, 0 } },
	{ 0xa, { 0x07300404, 0, 0, 0x00000603 } },
};

const struct fake_machine fake_clx = { "clx", "x86_64", clx_leaves, NTI_ARRAY_SIZE(clx_leaves),
				       skx_files };

/*
 * Alder Lake 06_97H: performance and efficient cores; perfmon version 5, 8 general counters, fixed
 * ones 0 to 3.
 */
static const struct fake_file adl_files[] = {
	COMMON_FILES,
	{ DEV "cpu_core/type", "4\n" },
	{ DEV "cpu_core/cpus", "0-15\n" },
	{ DEV "cpu_core/caps/pmu_name", "alderlake_hybrid\n" },
	X86_FORMATS("cpu_core"),
	{ DEV "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
	{ DEV "cpu_core/events/slots", "event=0x00,umask=0x4\n" },
	{ DEV "cpu_atom/type", "10\n" },
	{ DEV "cpu_atom/cpus", "16-23\n" },
	X86_FORMATS("cpu_atom"),
	{ DEV "cpu_atom/events/mem-loads", "event=0xd0,umask=0x5,ldlat=3\n" },
	{ NULL },
};

static const struct fake_leaf adl_leaves[] = {
	{ 0x0, { 0x20, VENDOR_INTEL } },
	{ 0x1, { 0x00090672, 0, 0, 0 } },
	{ 0xa, { 0x07300805, 0, 0x0000000f, 0x00008603 } },
	{ 0x1a, { 0x40000001, 0, 0, 0 } },
};

const struct fake_machine fake_adl = { "adl", "x86_64", adl_leaves, NTI_ARRAY_SIZE(adl_leaves),
				       adl_files };

/*
 * AMD family 19h model 01h (Milan): six core counters, northbridge and L3 counters; no PerfMonV2.
 */
#define ZEN_FILES                                                                                  \
	COMMON_FILES, { DEV "cpu/type", "4\n" }, { DEV "cpu/format/event", "config:0-7,32-35\n" }, \
		{ DEV "cpu/format/umask", "config:8-15\n" },                                       \
		{ DEV "cpu/format/edge", "config:18\n" }, { DEV "cpu/format/inv", "config:23\n" }, \
		{ DEV "cpu/format/cmask", "config:24-31\n" },                                      \
		{ DEV "cpu/events/cpu-cycles", "event=0x76\n" }, { DEV "amd_l3/type", "11\n" },    \
		{ DEV "amd_l3/cpumask", "0,8\n" }, { DEV "amd_l3/format/event", "config:0-7\n" },  \
		{ DEV "amd_l3/format/umask", "config:8-15\n" },                                    \
		{ DEV "amd_l3/format/threadmask", "config:56-63\n" },                              \
		{ DEV "amd_df/type", "12\n" }, { DEV "amd_df/cpumask", "0\n" },                    \
		{ DEV "amd_df/format/event", "config:0-7,32-35,59-60\n" },                         \
	{                                                                                          \
		DEV "amd_df/format/umask", "config:8-15\n"                                         \
	}

static const struct fake_file zen_files[] = { ZEN_FILES, { NULL } };

static const struct fake_leaf zen3_leaves[] = {
	{ 0x0, { 0x10, VENDOR_AMD } },
	{ 0x1, { 0x00a00f11, 0, 0, 0 } },
	{ 0x80000000, { 0x80000021, 0, 0, 0 } },
	{ 0x80000001, { 0x00a00f11, 0, 0x11800000, 0 } },
};

const struct fake_machine fake_zen3 = { "zen3", "x86_64", zen3_leaves, NTI_ARRAY_SIZE(zen3_leaves),
					zen_files };

/* Family 19h model 11h (Genoa): PerfMonV2 says 6 core, 16 data fabric counters (EBX 3-0, 15-10). */
static const struct fake_leaf zen4_leaves[] = {
	{ 0x0, { 0x10, VENDOR_AMD } },
	{ 0x1, { 0x00a10f11, 0, 0, 0 } },
	{ 0x80000000, { 0x80000028, 0, 0, 0 } },
	{ 0x80000001, { 0x00a10f11, 0, 0x11800000, 0 } },
	{ 0x80000022, { 0x00000001, 6u | 16u << 10, 0, 0 } },
};

const struct fake_machine fake_zen4 = { "zen4", "x86_64", zen4_leaves, NTI_ARRAY_SIZE(zen4_leaves),
					zen_files };

/* An AMD processor before the core extension: four counters. */
static const struct fake_leaf k8_leaves[] = {
	{ 0x0, { 0x1, VENDOR_AMD } },
	{ 0x1, { 0x00100f42, 0, 0, 0 } },
	{ 0x80000000, { 0x8000001b, 0, 0, 0 } },
	{ 0x80000001, { 0x00100f42, 0, 0, 0 } },
};

const struct fake_machine fake_k8 = { "k8", "x86_64", k8_leaves, NTI_ARRAY_SIZE(k8_leaves),
				      zen_files };

#define ARM_PMU(name, number, cpus)                                                                \
	{ DEV name "/type", number "\n" }, { DEV name "/cpus", cpus "\n" },                        \
		{ DEV name "/format/event", "config:0-15\n" },                                     \
		{ DEV name "/format/long", "config1:0\n" },                                        \
		{ DEV name "/events/cpu_cycles", "event=0x0011\n" },                               \
		{ DEV name "/events/inst_retired", "event=0x0008\n" },                             \
	{                                                                                          \
		DEV name "/events/l1d_cache_refill", "event=0x0003\n"                              \
	}

/* Linux drivers/perf/arm_pmuv3.c on one cluster, as a Neoverse N1 server has it. */
static const struct fake_file arm_files[] = {
	COMMON_FILES,
	ARM_PMU("armv8_pmuv3_0", "8", "0-63"),
	{ DEV "arm_dsu_0/type", "9\n" },
	{ DEV "arm_dsu_0/cpumask", "0\n" },
	{ DEV "arm_spe_0/type", "10\n" },
	{ DEV "arm_spe_0/cpumask", "0-63\n" },
	{ "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000413fd0c1\n" },
	{ NULL },
};

const struct fake_machine fake_arm = { "arm", "aarch64", NULL, 0, arm_files };

static const struct fake_file biglittle_files[] = {
	COMMON_FILES,
	ARM_PMU("armv8_cortex_a53", "8", "0-3"),
	ARM_PMU("armv8_cortex_a72", "9", "4-5"),
	{ NULL },
};

/* Raspberry Pi Zero, as Linux 6.1 shows it: no format, no events. */
static const struct fake_file rpi_files[] = {
	COMMON_FILES,
	{ DEV "armv6_1176/type", "8\n" },
	{ DEV "armv6_1176/cpus", "0\n" },
	{ NULL },
};

const struct fake_machine fake_rpi = { "rpi", "armv6l", NULL, 0, rpi_files };

const struct fake_machine fake_biglittle = { "big.LITTLE", "aarch64", NULL, 0, biglittle_files };

/* Linux arch/arm/kernel/perf_event_v7.c on a Cortex-A15. */
static const struct fake_file armv7_files[] = {
	COMMON_FILES,
	{ DEV "armv7_cortex_a15/type", "8\n" },
	{ DEV "armv7_cortex_a15/cpus", "0\n" },
	{ DEV "armv7_cortex_a15/format/event", "config:0-7\n" },
	{ DEV "armv7_cortex_a15/events/cpu_cycles", "event=0xff\n" },
	{ DEV "armv7_cortex_a15/events/inst_retired", "event=0x08\n" },
	{ NULL },
};

const struct fake_machine fake_armv7 = { "armv7", "armv7l", NULL, 0, armv7_files };

/* A guest of KVM without a virtual PMU, where only root sees the tracepoints. */
static const struct fake_file kvm_files[] = {
	COMMON_FILES,
	{ DEV "power/type", "9\n" },
	{ DEV "power/cpumask", "0\n" },
	{ "/sys/kernel/tracing/", NULL },
	{ "/sys/kernel/debug/", NULL },
	{ NULL },
};

static const struct fake_leaf kvm_leaves[] = {
	{ 0x0, { 0x16, VENDOR_INTEL } },
	{ 0x1, { 0x00050654, 0, HYPERVISOR_BIT, 0 } },
	{ 0xa, { 0, 0, 0, 0 } },
	{ 0x40000000, { 0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d } },
};

const struct fake_machine fake_kvm = { "kvm", "x86_64", kvm_leaves, NTI_ARRAY_SIZE(kvm_leaves),
				       kvm_files };

static const struct fake_file noperf_files[] = {
	{ "/proc/version", "Linux version 6.1.0\n" },
	{ "/proc/sys/kernel/ostype", "Linux\n" },
	{ NULL },
};

const struct fake_machine fake_noperf = { "noperf", "x86_64", skx_leaves,
					  NTI_ARRAY_SIZE(skx_leaves), noperf_files };

static const struct fake_file hidden_files[] = {
	{ "/sys/bus/event_source/devices/software/type", "1\n" },
	{ NULL },
};

const struct fake_machine fake_hidden = { "hidden", "x86_64", skx_leaves,
					  NTI_ARRAY_SIZE(skx_leaves), hidden_files };

static const struct fake_file nodriver_files[] = { COMMON_FILES, { NULL } };

const struct fake_machine fake_nodriver = { "nodriver", "x86_64", skx_leaves,
					    NTI_ARRAY_SIZE(skx_leaves), nodriver_files };

static const struct fake_file armguest_files[] = {
	COMMON_FILES,
	{ "/sys/class/dmi/id/sys_vendor", "QEMU\n" },
	{ NULL },
};

const struct fake_machine fake_armguest = { "armguest", "aarch64", NULL, 0, armguest_files };
