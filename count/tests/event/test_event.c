// SPDX-License-Identifier: MIT
/* count/lib/event/event.h: event texts in every language, on machines made of tables. */
#include <errno.h>

#include "core/regs/devices.h"
#include "core/regs/regs.h"
#include "count/lib/event/model.h"
#include "count/lib/event/resolve.h"
#include "count/tests/event/names.h"
#include "base/tests/tt.h"

#define U 1
#define K 2
#define H 4
#define HOST 8
#define GUEST 16
#define IDLE 32

static const struct encode_row {
	int line;
	const struct fake_machine *machine;
	const char *text;
	uint32_t type;
	uint64_t config, config1, config2;
	unsigned int exclude, precise;
	size_t parts;
	const char *unit; /* of the last part; NULL: none */
	const char *unit_text;
} encode_rows[] = {
	/* perf's generic hardware events: enum perf_hw_id */
	{ __LINE__, &fake_skx, "cycles", 0, 0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu-cycles", 0, 0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "  instructions\n", 0, 1, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cache-references", 0, 2, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cache-misses", 0, 3, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "branches", 0, 4, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "branch-instructions", 0, 4, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "branch-misses", 0, 5, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "bus-cycles", 0, 6, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "idle-cycles-frontend", 0, 7, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "stalled-cycles-backend", 0, 8, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "ref-cycles", 0, 9, 0, 0, 0, 0, 1, "cpu", "" },
	/* software: enum perf_sw_ids */
	{ __LINE__, &fake_skx, "cpu-clock", 1, 0, 0, 0, 0, 0, 1, "software", "ns" },
	{ __LINE__, &fake_skx, "task-clock", 1, 1, 0, 0, 0, 0, 1, "software", "ns" },
	{ __LINE__, &fake_skx, "page-faults", 1, 2, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "faults:u", 1, 2, 0, 0, K | H, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "cs", 1, 3, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "context-switches", 1, 3, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "migrations", 1, 4, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "minor-faults", 1, 5, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "major-faults", 1, 6, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "alignment-faults", 1, 7, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "emulation-faults", 1, 8, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "dummy", 1, 9, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "bpf-output", 1, 10, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "cgroup-switches", 1, 11, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "software::page-faults", 1, 2, 0, 0, 0, 0, 1, "software", "" },
	/* hardware cache events: id | op << 8 | result << 16 */
	{ __LINE__, &fake_skx, "L1-dcache-loads", 3, 0x00000, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "L1-dcache-load-misses", 3, 0x10000, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "l1d-stores", 3, 0x00100, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "L1-icache-load-misses", 3, 0x10001, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "LLC-prefetch-misses", 3, 0x10202, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "LLC-load-misses:k", 3, 0x10002, 0, 0, U | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "dTLB-store-misses", 3, 0x10103, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "itlb-misses", 3, 0x10004, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "iTLB-misses-loads", 3, 0x10004, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "branch-load-misses", 3, 0x10005, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "bpu", 3, 0x00005, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "node-store-misses", 3, 0x10106, 0, 0, 0, 0, 1, "cpu", "" },
	/* modifiers */
	{ __LINE__, &fake_skx, "cycles:u", 0, 0, 0, 0, K | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:uk", 0, 0, 0, 0, H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:ukh", 0, 0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:k:u", 0, 0, 0, 0, H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:G", 0, 0, 0, 0, HOST, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:H", 0, 0, 0, 0, GUEST, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:GH", 0, 0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:p", 0, 0, 0, 0, GUEST, 1, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:uppp", 0, 0, 0, 0, K | H | GUEST, 3, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:ppG", 0, 0, 0, 0, HOST, 2, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:I", 0, 0, 0, 0, IDLE, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cycles:De", 0, 0, 0, 0, 0, 0, 1, "cpu", "" },
	/* raw codes */
	{ __LINE__, &fake_skx, "r1a8", 4, 0x1a8, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "rFFFFFFFFFFFFFFFF:k", 4, UINT64_MAX, 0, 0, U | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu::r01c0:u", 4, 0x1c0, 0, 0, K | H, 0, 1, "cpu", "" },
	/* terms of sysfs */
	{ __LINE__, &fake_skx, "cpu/event=0x3c,umask=0x1/", 4, 0x13c, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/event=60,umask=010/u", 4, 0xa3c, 0, 0, K | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/event=0x3c,edge,cmask=1/:k", 4, 0x104003c, 0, 0, U | H, 0, 1,
	  "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/event=0xb7,umask=1,offcore_rsp=0x3f803c0001/", 4, 0x1b7,
	  0x3f803c0001, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/event=0x3c/u:k", 4, 0x3c, 0, 0, H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/event=0x3c/k:", 4, 0x3c, 0, 0, U | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/mem-loads/", 4, 0x1cd, 3, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/mem-loads,ldlat=30/pp", 4, 0x1cd, 30, 0, GUEST, 2, 1, "cpu",
	  "" },
	{ __LINE__, &fake_skx, "cpu/ldlat=30,mem-loads/", 4, 0x1cd, 30, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/cycles-ct/", 4, 0x30000003c, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/cycles-ct,in_tx=0/", 4, 0x20000003c, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/config=0x1a8,name=stalls/", 4, 0x1a8, 0, 0, 0, 0, 1, "cpu",
	  "" },
	{ __LINE__, &fake_skx, "cpu/config=1,config1=0x2,config2=3/", 4, 1, 2, 3, 0, 0, 1, "cpu",
	  "" },
	{ __LINE__, &fake_skx, "cpu/r1a8/", 4, 0x1a8, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu/branch-misses/", 0, 5, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "mem-loads", 4, 0x1cd, 3, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "cpu::mem-stores:u", 4, 0x82d0, 0, 0, K | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "core::cycles", 0, 0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "uncore_imc_0/cas_count_read/", 13, 0x304, 0, 0, 0, 0, 1,
	  "uncore_imc_0", "MiB" },
	{ __LINE__, &fake_skx, "uncore_imc/cas_count_read/", 15, 0x304, 0, 0, 0, 0, 4,
	  "uncore_imc_10", "MiB" },
	{ __LINE__, &fake_skx, "imc/cas_count_read,thresh=0xff/", 15, 0xff000304, 0, 0, 0, 0, 4,
	  "uncore_imc_10", "MiB" },
	{ __LINE__, &fake_skx, "uncore_imc_1*/event=4/D", 15, 4, 0, 0, 0, 0, 2, "uncore_imc_10",
	  "" },
	{ __LINE__, &fake_skx, "uncore_imc_2::cas_count_read", 16, 0x304, 0, 0, 0, 0, 1,
	  "uncore_imc_2", "MiB" },
	{ __LINE__, &fake_skx, "uncore_upi_0/event=5,umask=0x1f0e/", 30, 0x1f00000e05, 0, 0, 0, 0,
	  1, "uncore_upi_0", "" },
	{ __LINE__, &fake_skx, "uncore_upi_0/umask=0x7fffff0e/", 30, 0xffefff00000e00, 0, 0, 0, 0,
	  1, "uncore_upi_0", "" },
	{ __LINE__, &fake_skx, "uncore_iio_0/port,ch_mask=1/", 31, 0x701000000083, 0, 0, 0, 0, 1,
	  "uncore_iio_0", "" },
	{ __LINE__, &fake_skx, "uncore_cha_0/event=0x35,umask=1,filter_opc0=0x3ff/", 20, 0x135,
	  0x7fe0000000000, 0, 0, 0, 1, "uncore_cha_0", "" },
	{ __LINE__, &fake_skx, "power/energy-pkg/", 9, 2, 0, 0, 0, 0, 1, "power", "Joules" },
	{ __LINE__, &fake_skx, "msr/aperf/", 10, 1, 0, 0, 0, 0, 1, "msr", "" },
	{ __LINE__, &fake_skx, "odd/all=0xffffffffffffffff/", 40, UINT64_MAX, 0, 0, 0, 0, 1, "odd",
	  "" },
	/* tracepoints */
	{ __LINE__, &fake_skx, "sched:sched_switch", 2, 314, 0, 0, 0, 0, 1, "tracepoint", "" },
	{ __LINE__, &fake_skx, "sched:sched_switch:u", 2, 314, 0, 0, K | H, 0, 1, "tracepoint",
	  "" },
	/* the clock */
	{ __LINE__, &fake_skx, "tsc", 0, 0, 0, 0, 0, 0, 1, "clock", "" },
	{ __LINE__, &fake_arm, "clock::tsc", 0, 0, 0, 0, 0, 0, 1, "clock", "" },
	/* libpfm4 on this machine's models */
	{ __LINE__, &fake_skx, "INST_RETIRED:ANY_P", 4, 0xc0, 0, 0, 0, 0, 1, "cpu", "" },
	/* Of the maker's list, where libpfm4 has another name. */
	{ __LINE__, &fake_skx, "inst_retired.any", 4, 0xc0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "CPU_CLK_UNHALTED.THREAD:u", 4, 0x3c, 0, 0, K | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "skx::cpu_clk_unhalted:ref_tsc", 4, 0x300, 0, 0, 0, 0, 1, "cpu",
	  "" },
	{ __LINE__, &fake_skx, "INST_RETIRED:ANY_P:u", 4, 0xc0, 0, 0, K | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "inst_retired.any_p:ukppp", 4, 0xc0, 0, 0, H | GUEST, 3, 1, "cpu",
	  "" },
	{ __LINE__, &fake_skx, "INST_RETIRED:ANY_P:u=1:k=0:precise=2:pinned", 4, 0xc0, 0, 0,
	  K | H | GUEST, 2, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "INST_RETIRED:ANY_P:c=1:i:mg=1", 4, 0x18000c0, 0, 0, HOST, 0, 1,
	  "cpu", "" },
	{ __LINE__, &fake_skx, "skx::L2_RQSTS:DEMAND_DATA_RD_MISS", 4, 0x2124, 0, 0, 0, 0, 1, "cpu",
	  "" },
	{ __LINE__, &fake_skx, "cpu::INST_RETIRED:ANY_P", 4, 0xc0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "core::INST_RETIRED:ANY_P", 4, 0xc0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_skx, "MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=100", 4, 0x1cd, 100, 0, 0, 0,
	  1, "cpu", "" },
	{ __LINE__, &fake_skx, "skx_unc_imc2::UNC_M_CAS_COUNT:RD", 16, 0x304, 0, 0, 0, 0, 1,
	  "uncore_imc_2", "" },
	{ __LINE__, &fake_skx, "skx_unc_imc::UNC_M_CAS_COUNT:RD", 15, 0x304, 0, 0, 0, 0, 4,
	  "uncore_imc_10", "" },
	{ __LINE__, &fake_skx, "UNC_M_CAS_COUNT:RD", 15, 0x304, 0, 0, 0, 0, 4, "uncore_imc_10",
	  "" },
	{ __LINE__, &fake_skx, "uncore_imc_1::UNC_M_CAS_COUNT:WR", 14, 0xc04, 0, 0, 0, 0, 1,
	  "uncore_imc_1", "" },
	{ __LINE__, &fake_skx, "skx_unc_cha1::UNC_C_TOR_INSERTS:IA_HIT", 21, 0x1135, 0x3b00000000,
	  0, 0, 0, 1, "uncore_cha_1", "" },
	/* the header filter of UPI stands in bits 32-55 of config */
	{ __LINE__, &fake_skx, "skx_unc_upi0::UNC_UPI_RXL_BASIC_HDR_MATCH:NCB:FILT_DATA", 30,
	  0x800000e05, 0, 0, 0, 0, 1, "uncore_upi_0", "" },
	{ __LINE__, &fake_skx, "rapl::RAPL_ENERGY_PKG", 9, 2, 0, 0, 0, 0, 1, "power", "Joules" },
	{ __LINE__, &fake_skx, "perf::PERF_COUNT_HW_CPU_CYCLES:u", 0, 0, 0, 0, K | H, 0, 1, "cpu",
	  "" },
	{ __LINE__, &fake_skx, "PERF_COUNT_SW_PAGE_FAULTS", 1, 2, 0, 0, 0, 0, 1, "software", "" },
	{ __LINE__, &fake_skx, "perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS", 3, 0x10000, 0, 0, 0, 0, 1,
	  "cpu", "" },
	{ __LINE__, &fake_skx, "perf_raw::r1a8", 4, 0x1a8, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_clx, "clx::INST_RETIRED:ANY_P", 4, 0xc0, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_zen3, "RETIRED_INSTRUCTIONS:u", 4, 0xc0, 0, 0, K | H, 0, 1, "cpu", "" },
	{ __LINE__, &fake_zen3, "amd64_fam19h_zen3::RETIRED_INSTRUCTIONS:g", 4, 0xc0, 0, 0, HOST, 0,
	  1, "cpu", "" },
	{ __LINE__, &fake_zen3, "amd64_fam19h_zen3_l3::UNC_L3_REQUESTS:ALL", 11, 0xff04, 0, 0, 0, 0,
	  1, "amd_l3", "" },
	{ __LINE__, &fake_zen3, "cpu/event=0x1c2/", 4, 0x1000000c2, 0, 0, 0, 0, 1, "cpu", "" },
	{ __LINE__, &fake_zen3, "amd_df/event=0x3fff/", 12, 0x1800000f000000ff, 0, 0, 0, 0, 1,
	  "amd_df", "" },
	/* hybrids: one part for each core PMU, its type in the upper half of config */
	{ __LINE__, &fake_adl, "cycles", 0, 0xa00000000, 0, 0, 0, 0, 2, "cpu_atom", "" },
	{ __LINE__, &fake_adl, "LLC-loads", 3, 0xa00000002, 0, 0, 0, 0, 2, "cpu_atom", "" },
	{ __LINE__, &fake_adl, "cpu_core/cycles/", 0, 0x400000000, 0, 0, 0, 0, 1, "cpu_core", "" },
	{ __LINE__, &fake_adl, "cpu_atom::instructions:u", 0, 0xa00000001, 0, 0, K | H, 0, 1,
	  "cpu_atom", "" },
	{ __LINE__, &fake_adl, "r1a8", 10, 0x1a8, 0, 0, 0, 0, 2, "cpu_atom", "" },
	{ __LINE__, &fake_adl, "mem-loads", 10, 0x5d0, 3, 0, 0, 0, 2, "cpu_atom", "" },
	{ __LINE__, &fake_adl, "slots", 4, 0x400, 0, 0, 0, 0, 1, "cpu_core", "" },
	{ __LINE__, &fake_adl, "page-faults", 1, 2, 0, 0, 0, 0, 1, "software", "" },
	/* big.LITTLE: the drivers' own events where there are any */
	{ __LINE__, &fake_biglittle, "cycles", 9, 0x11, 0, 0, 0, 0, 2, "armv8_cortex_a72", "" },
	{ __LINE__, &fake_biglittle, "instructions:k", 9, 0x8, 0, 0, U | H, 0, 2,
	  "armv8_cortex_a72", "" },
	{ __LINE__, &fake_biglittle, "branches", 0, 0x900000004, 0, 0, 0, 0, 2, "armv8_cortex_a72",
	  "" },
	{ __LINE__, &fake_biglittle, "armv8_cortex_a53/cpu_cycles/", 8, 0x11, 0, 0, 0, 0, 1,
	  "armv8_cortex_a53", "" },
	{ __LINE__, &fake_arm, "cycles", 0, 0, 0, 0, 0, 0, 1, "armv8_pmuv3_0", "" },
	{ __LINE__, &fake_arm, "armv8_pmuv3_0/event=0x11,long/", 8, 0x11, 1, 0, 0, 0, 1,
	  "armv8_pmuv3_0", "" },
	{ __LINE__, &fake_arm, "armv8_pmuv3/inst_retired/", 8, 0x8, 0, 0, 0, 0, 1, "armv8_pmuv3_0",
	  "" },
	{ __LINE__, &fake_arm, "r11", 4, 0x11, 0, 0, 0, 0, 1, "armv8_pmuv3_0", "" },
	{ __LINE__, &fake_arm, "cpu_cycles", 8, 0x11, 0, 0, 0, 0, 1, "armv8_pmuv3_0", "" },
};

TEST(encodings)
{
	TT_FOR_EACH_ROW(r, encode_rows) {
		struct nti_error e = { 0 };
		struct nti_event event;
		const struct nti_part *part;
		struct tt_names t;
		int ret;

		TT_EQ(r, tt_names_init(&t, r->machine), 0);
		ret = nti_event_parse(&t.names, r->text, &event, &e);
		if (ret < 0)
			print_error("%s: %s\n", r->text, e.text);
		TT_EQ(r, ret, 0);
		TT_EQ(r, event.parts, r->parts);
		part = &event.part[event.parts - 1];
		TT_EQ(r, part->attr.type, r->type);
		TT_EQ(r, part->attr.config, r->config);
		TT_EQ(r, part->attr.config1, r->config1);
		TT_EQ(r, part->attr.config2, r->config2);
		TT_EQ(r, tt_exclude(&part->attr), r->exclude);
		TT_EQ(r, part->attr.precise_ip, r->precise);
		TT_STR(r, part->unit->name, r->unit);
		TT_STR(r, event.unit_text, r->unit_text);
		TT_EQ(r, event.absent.reason == NULL, 1);
		TT_EQ(r, event.desc != NULL, 1);
		nti_event_fini(&event);
		tt_names_fini(&t);
	}
}

static const struct error_row {
	int line;
	const struct fake_machine *machine;
	const char *text;
	int ret;
	const char *error;
} error_rows[] = {
	{ __LINE__, &fake_skx, "", -EINVAL, "name of an event is missing" },
	{ __LINE__, &fake_skx, "  ", -EINVAL, "name of an event is missing" },
	{ __LINE__, &fake_rpi, "cycles:u", -EINVAL, "armv6_1176 counts for all modes at once" },
	{ __LINE__, &fake_rpi, "r7:k", -EINVAL, "armv6_1176 counts for all modes at once" },
	{ __LINE__, &fake_skx, "cylces", -ENOENT,
	  "no event 'cylces'; did you mean cycles, bus-cycles, ref-cycles?" },
	{ __LINE__, &fake_skx, "cylces", -ENOENT, "('ntime list' shows all)" },
	{ __LINE__, &fake_skx, "page-fault", -ENOENT, "did you mean page-faults" },
	{ __LINE__, &fake_skx, "L1-dcache-load-mises", -ENOENT,
	  "did you mean L1-dcache-load-misses" },
	{ __LINE__, &fake_skx, "sched:sched_swich", -ENOENT, "did you mean sched:sched_switch" },
	{ __LINE__, &fake_skx, "mem-laods", -ENOENT, "did you mean cpu/mem-loads/" },
	{ __LINE__, &fake_skx, "INST_RETIERD", -ENOENT, "INST_RETIRED" },
	{ __LINE__, &fake_skx, "INST_RETIERD:ANY_P:u", -ENOENT, "did you mean INST_RETIRED" },
	{ __LINE__, &fake_skx, "zzzzzzzzzzzz", -ENOENT, "no event 'zzzzzzzzzzzz' (" },
	{ __LINE__, &fake_skx, "skx::INST_RETIERD:ANY_P", -ENOENT,
	  "skx has no event 'INST_RETIERD'; did you mean INST_RETIRED" },
	{ __LINE__, &fake_skx, "skz::INST_RETIRED", -ENOENT,
	  "no unit or PMU model 'skz'; did you mean skl, skx?" },
	{ __LINE__, &fake_skx, "cycles:x", -EINVAL,
	  "'x' is not a modifier; known are u k h G H p" },
	{ __LINE__, &fake_skx, "cycles:pppp", -EINVAL, "more than three p" },
	{ __LINE__, &fake_skx, "cycles:P", -EINVAL, "modifier P (most precise) is about samples" },
	{ __LINE__, &fake_skx, "cycles:uS", -EINVAL, "modifier S" },
	{ __LINE__, &fake_skx, "cycles:W", -EINVAL, "modifier W" },
	{ __LINE__, &fake_skx, "page-faults:p", -EINVAL,
	  "only events of a core PMU can be precise" },
	{ __LINE__, &fake_skx, "tsc:u", -EINVAL, "it counts in every mode" },
	{ __LINE__, &fake_skx, "power/energy-pkg/u", -EINVAL,
	  "power counts for all modes at once" },
	{ __LINE__, &fake_skx, "skx_unc_imc0::UNC_M_CAS_COUNT:RD:u", -EINVAL,
	  "counts for all modes at once" },
	{ __LINE__, &fake_skx, "L1-icache-stores", -EINVAL,
	  "there are no stores of the first level instruction cache" },
	{ __LINE__, &fake_skx, "r11111111111111111", -EINVAL, "at most 16 hexadecimal digits" },
	{ __LINE__, &fake_skx, "cpu/r11111111111111111/", -EINVAL,
	  "at most 16 hexadecimal digits" },
	{ __LINE__, &fake_skx, "cpu/event=0x3c", -EINVAL, "a / must also follow the terms" },
	{ __LINE__, &fake_skx, "cpu//", -EINVAL, "no terms between the slashes" },
	{ __LINE__, &fake_skx, "/event=1/", -EINVAL, "name of a PMU is missing" },
	{ __LINE__, &fake_skx, "cpu/a/b/c/", -EINVAL, "more than two slashes" },
	{ __LINE__, &fake_skx, "cpu/event=0x3c/x", -EINVAL, "'x' is not a modifier" },
	{ __LINE__, &fake_skx, "cpu/event=0x3c,,umask=1/", -EINVAL, "empty term between commas" },
	{ __LINE__, &fake_skx, "cpu/event=1,umask=1,event=2/", -EINVAL,
	  "term event is given more than once" },
	{ __LINE__, &fake_skx, "cpu/event=0x100/", -EINVAL,
	  "event=0x100 does not fit into the 8 bits" },
	{ __LINE__, &fake_skx, "cpu/edge=2/", -EINVAL, "edge=0x2 does not fit into the 1 bit of" },
	{ __LINE__, &fake_skx, "cpu/event=x/", -EINVAL, "'x' of term event is not a number" },
	{ __LINE__, &fake_skx, "cpu/event=-1/", -EINVAL, "'-1' of term event is not a number" },
	{ __LINE__, &fake_skx, "cpu/event=0x/", -EINVAL, "is not a number" },
	{ __LINE__, &fake_skx, "cpu/event=1z/", -EINVAL, "is not a number" },
	{ __LINE__, &fake_skx, "cpu/config=0x10000000000000000/", -EINVAL,
	  "is not a 64-bit number" },
	{ __LINE__, &fake_skx, "cpu/umsk=1/", -EINVAL,
	  "cpu has no term 'umsk'; did you mean umask?; its terms are any, cmask" },
	{ __LINE__, &fake_skx, "uncore_imc/cas_count_raed/", -ENOENT,
	  "did you mean cas_count_read" },
	{ __LINE__, &fake_skx, "uncore_imc_0/cas_count_read.scale/", -ENOENT, "no event or term" },
	{ __LINE__, &fake_skx, "cpu/event=0x3c,period=1000/", -EINVAL,
	  "term period is about sampling" },
	{ __LINE__, &fake_skx, "cpu/name=/", -EINVAL, "term name needs a text" },
	{ __LINE__, &fake_skx, "cpu/../", -ENOENT, "no event or term '..'" },
	{ __LINE__, &fake_skx, "cpu/bad-definition/", -EINVAL, "no term 'warp'" },
	{ __LINE__, &fake_skx, "uncore_iio_0/port/", -EINVAL, "needs a value for ch_mask" },
	{ __LINE__, &fake_skx, "odd/wide=1/", -EINVAL, "its format 'config9' is unknown" },
	{ __LINE__, &fake_skx, "odd/high=1/", -EINVAL, "are no ranges" },
	{ __LINE__, &fake_skx, "odd/locked=1/", -EACCES, "cannot read the format of term locked" },
	{ __LINE__, &fake_skx, "odd/cold/", -EINVAL,
	  "the scale '-3' that odd gives it is no positive number" },
	{ __LINE__, &fake_skx, "uncore_icm/clockticks/", -ENOENT,
	  "no PMU 'uncore_icm'; did you mean uncore_" },
	{ __LINE__, &fake_skx, "zzz/x/", -ENOENT, "no PMU 'zzz'" },
	{ __LINE__, &fake_skx, "zz*/x/", -ENOENT, "no PMU 'zz*'" },
	{ __LINE__, &fake_skx, "::cycles", -EINVAL, "the unit is missing before the ::" },
	{ __LINE__, &fake_skx, "cpu::", -EINVAL, "the event is missing after the ::" },
	{ __LINE__, &fake_skx, "software::cycles", -ENOENT, "no event 'software::cycles'" },
	{ __LINE__, &fake_skx, "INST_RETIRED:ANYP", -EINVAL,
	  "no attribute 'ANYP'; did you mean ANY_P" },
	{ __LINE__, &fake_skx, "INST_RETIRED:ANY_P:c=256", -EINVAL,
	  "value of an attribute is out of its range" },
	{ __LINE__, &fake_skx, "INST_RETIRED:ANY_P:period=100", -EINVAL,
	  "attribute period is about sampling" },
	{ __LINE__, &fake_skx, "L2_RQSTS:0x1:0x2:0x3:0x4:0x5:0x6:0x7:0x8:0x9", -EINVAL,
	  "more than 8 attributes" },
	{ __LINE__, &fake_skx, "skx_unc_pcu::UNC_P_FREQ_BAND0_CYCLES", -EINVAL,
	  "an attribute is missing" },
	{ __LINE__, &fake_skx, "netburst::TC_DELIVER_MODE", -EINVAL, "Pentium 4" },
	{ __LINE__, &fake_kvm, "cycles:x", -EINVAL, "'x' is not a modifier" },
	{ __LINE__, &fake_noperf, "nosuch", -ENOENT, "no event 'nosuch'" },
};

TEST(errors)
{
	TT_FOR_EACH_ROW(r, error_rows) {
		struct nti_error e = { 0 };
		struct nti_event event;
		struct tt_names t;

		TT_EQ(r, tt_names_init(&t, r->machine), 0);
		TT_EQ(r, nti_event_parse(&t.names, r->text, &event, &e), r->ret);
		TT_EQ(r, e.code, r->ret);
		TT_HAS(e.text, r->error);
		TT_EQ(r, event.name == NULL && event.part == NULL && event.parts == 0, 1);
		tt_names_fini(&t);
	}
}

/* Known, and not here. */
static const struct absent_row {
	int line;
	const struct fake_machine *machine;
	const char *text;
	size_t parts;
	uint32_t type;
	uint64_t config;
	const char *reason;
} absent_rows[] = {
	{ __LINE__, &fake_kvm, "cycles", 1, 0, 0, "the hypervisor (KVM) exposes no core PMU" },
	{ __LINE__, &fake_kvm, "L1-dcache-load-misses:u", 1, 3, 0x10000, "the hypervisor (KVM)" },
	{ __LINE__, &fake_kvm, "r1a8", 1, 4, 0x1a8, "the hypervisor (KVM)" },
	{ __LINE__, &fake_kvm, "cpu/event=0x3c,umask=1/", 1, 4, 0x13c, "the hypervisor (KVM)" },
	{ __LINE__, &fake_kvm, "cpu/instructions/", 1, 0, 1, "the hypervisor (KVM)" },
	{ __LINE__, &fake_kvm, "cpu/mem-loads/", 0, 0, 0, "the hypervisor (KVM)" },
	{ __LINE__, &fake_kvm, "INST_RETIRED:ANY_P", 1, 4, 0xc0, "the hypervisor (KVM)" },
	{ __LINE__, &fake_kvm, "skx::INST_RETIRED:ANY_P", 1, 4, 0xc0, "the hypervisor (KVM)" },
	{ __LINE__, &fake_kvm, "uncore_imc/cas_count_read/", 0, 0, 0,
	  "the hypervisor (KVM) shows this guest no uncore_imc" },
	{ __LINE__, &fake_kvm, "cpu_core/cycles/", 0, 0, 0, "the kernel shows no PMU 'cpu_core'" },
	{ __LINE__, &fake_kvm, "skx_unc_cha0::UNC_C_CLOCKTICKS", 1, UINT32_MAX, 0,
	  "skx_unc_cha0 counts on 'uncore_cha_0', which the kernel does not show" },
	{ __LINE__, &fake_kvm, "sched:sched_switch", 0, 0, 0,
	  "only root may read /sys/kernel/tracing/events" },
	{ __LINE__, &fake_zen3, "sched:sched_switch:u", 0, 0, 0, "the kernel has no tracefs" },
	{ __LINE__, &fake_noperf, "page-faults", 1, 1, 2, "the kernel has no perf events" },
	{ __LINE__, &fake_noperf, "cycles", 1, 0, 0, "the kernel has no perf events" },
	{ __LINE__, &fake_skx, "hsw::INST_RETIRED:ANY_P", 1, 4, 0xc0,
	  "hsw is a PMU of other processors (Intel Haswell); this one's is skx" },
	{ __LINE__, &fake_skx, "wsm_unc::UNC_DRAM_THERMAL_THROTTLED", 1, UINT32_MAX, 0x167,
	  "wsm_unc is a PMU of other processors (Intel Westmere uncore" },
	{ __LINE__, &fake_zen3, "skx::INST_RETIRED:ANY_P", 1, 4, 0xc0,
	  "this one's is amd64_fam19h_zen3" },
	/* libpfm4's Core 2, where no core PMU of this machine has the name */
	{ __LINE__, &fake_biglittle, "core::UNHALTED_CORE_CYCLES", 1, 4, 0x3c,
	  "core is a PMU of other processors (Intel Core" },
	{ __LINE__, &fake_arm, "skx::INST_RETIRED:ANY_P", 1, 4, 0xc0,
	  "skx is a PMU of other processors (Intel Skylake X" },
};

TEST(absences)
{
	TT_FOR_EACH_ROW(r, absent_rows) {
		struct nti_error e = { 0 };
		struct nti_event event;
		struct tt_names t;
		int ret;

		TT_EQ(r, tt_names_init(&t, r->machine), 0);
		ret = nti_event_parse(&t.names, r->text, &event, &e);
		if (ret < 0)
			print_error("%s: %s\n", r->text, e.text);
		TT_EQ(r, ret, 0);
		TT_EQ(r, event.parts, r->parts);
		TT_HAS(event.absent.reason, r->reason);
		TT_EQ(r, event.absent.remedy != NULL, 1);
		if (r->parts) {
			TT_EQ(r, event.part[0].attr.type, r->type);
			TT_EQ(r, event.part[0].attr.config, r->config);
		}
		nti_event_fini(&event);
		tt_names_fini(&t);
	}
}

static void parse_one(const struct fake_machine *machine, const char *text, struct nti_event *event)
{
	struct tt_names t;

	TT_IS(tt_names_init(&t, machine), 0);
	TT_IS(nti_event_parse(&t.names, text, event, NULL), 0);
	tt_names_fini(
		/* .part[].unit dangles from here; the callers look at texts and numbers only */
		&t);
}

TEST(texts)
{
	struct nti_event event;

	parse_one(&fake_skx, "uncore_imc/cas_count_read/", &event);
	TT_TEXT(event.name, "uncore_imc/cas_count_read/");
	TT_IS(event.scale == 6.103515625e-5, 1);
	TT_HAS(event.desc, "cas_count_read of uncore_imc_0");
	nti_event_fini(&event);
	parse_one(&fake_skx, "power/energy-pkg/", &event);
	TT_IS(event.scale == 2.3283064365386962890625e-10, 1);
	nti_event_fini(&event);
	/* the same register under libpfm4's name has the same scale */
	parse_one(&fake_skx, "rapl::RAPL_ENERGY_PKG", &event);
	TT_IS(event.scale == 2.3283064365386962890625e-10, 1);
	nti_event_fini(&event);
	parse_one(&fake_skx, "cpu/config=0x1a8,name=stalls/u", &event);
	TT_TEXT(event.name, "stalls");
	TT_IS(event.scale == 1.0, 1);
	nti_event_fini(&event);
	parse_one(&fake_skx, " cycles:De ", &event);
	TT_TEXT(event.name, "cycles:De");
	TT_IS(event.part[0].attr.pinned, 1);
	TT_IS(event.part[0].attr.exclusive, 1);
	TT_IS(event.part[0].need.is_exclusive, 1);
	nti_event_fini(&event);
	parse_one(&fake_skx, "skx::INST_RETIRED:ANY_P", &event);
	TT_HAS(event.desc, "retired");
	nti_event_fini(&event);
}

/*
 * Needs: 4 general counters are bits 0-3, fixed ones bits 4-6 on fake_skx; 8 and 4 on the
 * performance cores of fake_adl.
 */
static const struct need_row {
	int line;
	const struct fake_machine *machine;
	const char *text;
	uint32_t counters;
	unsigned int wants;
	uint8_t resource;
	uint64_t value;
} need_rows[] = {
	{ __LINE__, &fake_skx, "instructions", 0x1f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "cycles:u", 0x2f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "ref-cycles", 0x40, 0, 0, 0 },
	{ __LINE__, &fake_skx, "branches", 0x0f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "r00c0", 0x1f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "r003c", 0x2f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "r0300", 0x40, 0, 0, 0 },
	/* edge, cmask, inv: only a general counter has them */
	{ __LINE__, &fake_skx, "cpu/event=0xc0,cmask=1,inv/", 0x0f, 0, 0, 0 },
	/* no slots counter here: the kernel will say so, the planner must not invent one */
	{ __LINE__, &fake_skx, "r0400", 0x0f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "skx::UNHALTED_REFERENCE_CYCLES", 0x40, 0, 0, 0 },
	{ __LINE__, &fake_skx, "OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_HIT", 0x0f, 1, 0, 0x3f803c0001 },
	{ __LINE__, &fake_skx, "OFFCORE_RESPONSE_1:DMND_DATA_RD:L3_HIT", 0x0f, 1, 1, 0x3f803c0001 },
	{ __LINE__, &fake_skx, "cpu/mem-loads,ldlat=30/p", 0x0f, 1, 2, 30 },
	{ __LINE__, &fake_skx, "FRONTEND_RETIRED:L2_MISS", 0x0f, 1, 3, 0x13 },
	{ __LINE__, &fake_skx, "LLC-loads", 0x0f, 1, 0, 1ull << 63 | 0x00002 },
	{ __LINE__, &fake_skx, "LLC-load-misses", 0x0f, 1, 1, 1ull << 63 | 0x10002 },
	{ __LINE__, &fake_skx, "L1-dcache-loads", 0x0f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "uncore_imc_0/cas_count_read/", 0x0f, 0, 0, 0 },
	{ __LINE__, &fake_skx, "power/energy-pkg/", 0, 0, 0, 0 },
	{ __LINE__, &fake_skx, "page-faults", 0, 0, 0, 0 },
	{ __LINE__, &fake_skx, "tsc", 0, 0, 0, 0 },
	{ __LINE__, &fake_skx, "msr/tsc/", 0, 0, 0, 0 },
	{ __LINE__, &fake_skx, "sched:sched_switch", 0, 0, 0, 0 },
	{ __LINE__, &fake_adl, "slots", 0x800, 0, 0, 0 },
	{ __LINE__, &fake_adl, "cpu_core/cycles/", 0x2ff, 0, 0, 0 },
	/* number of counters not known: any that the planner has */
	{ __LINE__, &fake_adl, "cpu_atom/cycles/", UINT32_MAX, 0, 0, 0 },
	{ __LINE__, &fake_arm, "cycles", UINT32_MAX, 0, 0, 0 },
	/* ARMv7: cycles on the cycle counter alone, everything else on any other */
	{ __LINE__, &fake_armv7, "cycles", 0x80000000, 0, 0, 0 },
	{ __LINE__, &fake_armv7, "cycles:u", 0x80000000, 0, 0, 0 },
	{ __LINE__, &fake_armv7, "armv7_cortex_a15/cpu_cycles/", 0x80000000, 0, 0, 0 },
	{ __LINE__, &fake_armv7, "armv7_cortex_a15/event=0x11/", 0x7fffffff, 0, 0, 0 },
	{ __LINE__, &fake_armv7, "instructions", 0x7fffffff, 0, 0, 0 },
	{ __LINE__, &fake_armv7, "L1-dcache-loads", 0x7fffffff, 0, 0, 0 },
	/* ARMv6: as ARMv7 with two others */
	{ __LINE__, &fake_rpi, "cycles", 0x4, 0, 0, 0 },
	{ __LINE__, &fake_rpi, "rff", 0x4, 0, 0, 0 },
	{ __LINE__, &fake_rpi, "r7", 0x3, 0, 0, 0 },
	{ __LINE__, &fake_rpi, "instructions", 0x3, 0, 0, 0 },
	/* AMD has no fixed counters, and 0x1b7 is no off-core response there */
	{ __LINE__, &fake_zen3, "instructions", 0x3f, 0, 0, 0 },
	{ __LINE__, &fake_zen3, "cpu/config=0x1b7,config1=1/", 0x3f, 0, 0, 0 },
};

TEST(needs)
{
	TT_FOR_EACH_ROW(r, need_rows) {
		struct nti_event event;
		const struct nti_plan_event *need;
		struct tt_names t;

		TT_EQ(r, tt_names_init(&t, r->machine), 0);
		TT_EQ(r, nti_event_parse(&t.names, r->text, &event, NULL), 0);
		need = &event.part[0].need;
		TT_EQ(r, need->counters, r->counters);
		TT_EQ(r, need->want_count, r->wants);
		if (r->wants) {
			TT_EQ(r, need->wants[0].resource, r->resource);
			TT_EQ(r, need->wants[0].value, r->value);
		}
		TT_EQ(r, need->pmu, 0);
		TT_EQ(r, need->group, 0);
		nti_event_fini(&event);
		tt_names_fini(&t);
	}
}

struct seen {
	const struct nti_names *names;
	size_t entries, failed;
	bool has_cycles, has_cache, has_sysfs, has_tracepoint, has_pfm, has_uncore, has_tsc;
};

/* Every name that is listed must be taken back. */
static int check_entry(void *arg, const struct nti_event_entry *entry)
{
	struct seen *seen = arg;
	struct nti_error e = { 0 };
	struct nti_event event;

	seen->entries++;
	seen->has_cycles |= strcmp(entry->name, "cycles") == 0;
	seen->has_cache |= strcmp(entry->name, "L1-dcache-load-misses") == 0;
	seen->has_sysfs |= strcmp(entry->name, "uncore_imc_10/cas_count_read/") == 0;
	seen->has_tracepoint |= strcmp(entry->name, "sched:sched_switch") == 0;
	seen->has_pfm |= strcmp(entry->name, "skx::INST_RETIRED:ANY_P") == 0;
	seen->has_uncore |= strcmp(entry->name, "skx_unc_imc0::UNC_M_CAS_COUNT:RD") == 0;
	seen->has_tsc |= strcmp(entry->name, "tsc") == 0;
	if (!entry->desc || !entry->unit_text || !entry->unit_name)
		return -1;
	if (nti_event_parse(seen->names, entry->name, &event, &e) < 0) {
		/*
		 * the two that machines.c made wrong, the one that asks for a value, libpfm4's that
		 * need ff=N
		 */
		if (!strstr(entry->name, "bad-definition") && !strstr(entry->name, "odd/cold") &&
		    !strstr(entry->name, "uncore_iio_0/port") &&
		    !strstr(e.text, "there are e, i, t, ff"))
			print_error("%s: %s\n", entry->name, e.text);
		seen->failed++;
	}
	nti_event_fini(&event);
	return 0;
}

TEST(listing)
{
	struct seen seen = { 0 };
	struct tt_names t;

	TT_IS(tt_names_init(&t, &fake_skx), 0);
	seen.names = &t.names;
	TT_IS(nti_event_for_each(&t.names, check_entry, &seen, NULL), 0);
	TT_IS(seen.has_cycles && seen.has_cache && seen.has_sysfs && seen.has_tracepoint, 1);
	TT_IS(seen.has_pfm && seen.has_uncore && seen.has_tsc, 1);
	TT_IS(seen.entries > 1000, 1);
	TT_IS(seen.failed, 7);
	tt_names_fini(&t);
}

static int stop_at_third(void *arg, const struct nti_event_entry *entry)
{
	(void)entry;
	return ++*(int *)arg == 3 ? -EACCES : 0;
}

/* What the function returns is handed on, also where the same number means something for files. */
static int stop_at_name(void *arg, const struct nti_event_entry *entry)
{
	return strcmp(entry->name, arg) == 0 ? -ENOENT : 0;
}

TEST(listing_stops)
{
	struct tt_names t;
	int calls = 0;

	TT_IS(tt_names_init(&t, &fake_skx), 0);
	TT_IS(nti_event_for_each(&t.names, stop_at_third, &calls, NULL), -EACCES);
	TT_IS(calls, 3);
	TT_IS(nti_event_for_each(&t.names, stop_at_name, "cpu/mem-loads/", NULL), -ENOENT);
	TT_IS(nti_event_for_each(&t.names, stop_at_name, "sched:sched_switch", NULL), -ENOENT);
	TT_IS(nti_event_for_each(&t.names, stop_at_name, "skx::INST_RETIRED:ANY_P", NULL), -ENOENT);
	tt_names_fini(&t);
}

static int count_entry(void *arg, const struct nti_event_entry *entry)
{
	size_t *n = arg;

	(*n)++;
	return entry->unit ? -1 : 0;
}

TEST(models)
{
	struct nti_error e = { 0 };
	size_t n = 0;

	TT_IS(nti_event_for_each_of_model("skx", count_entry, &n, &e), 0);
	TT_IS(n > 300, 1);
	n = 0;
	TT_IS(nti_event_for_each_of_model("WSM_UNC", count_entry, &n, &e), 0);
	TT_IS(n > 50, 1);
	TT_IS(nti_event_for_each_of_model("skq", count_entry, &n, &e), -ENOENT);
	TT_HAS(e.text, "no PMU model 'skq'");
	TT_HAS(e.text, "skx");
}

/* libpfm4 4.13 has no event list for these models of Intel. */
static const uint8_t nameless[] = { 0x66, 0x7a, 0x9c, 0xaa, 0xac, 0xbe };

/* Every model in the list of core/regs/devices.c has idle states. */
static bool is_listed(const struct nthw_x86_cpu *cpu)
{
	size_t i;

	for (i = 0; i < nthw_intel_cstate.count; i++)
		if (nthw_cpu_has(cpu, &nthw_intel_cstate, nthw_intel_cstate.regs[i], 0))
			return true;
	return false;
}

TEST(models_with_registers_have_names)
{
	struct nthw_x86_cpu cpu = { .vendor = NTHW_VENDOR_INTEL, .family = 6 };

	for (cpu.model = 0; cpu.model < 0x100; cpu.model++) {
		const struct fake_leaf leaves[] = {
			{ 0, { 1, 0x756e6547, 0x6c65746e, 0x49656e69 } },
			{ 1, { 0x600 | (cpu.model & 0xf) << 4 | cpu.model >> 4 << 16 } },
		};
		const struct fake_machine machine = { "listed", "x86_64", leaves, 2,
						      fake_skx.files };
		struct fake_os fake;

		fake_os_init(&fake, &machine);
		if (is_listed(&cpu) && !nti_model_find(&fake.os) ==
					       !memchr(nameless, (int)cpu.model, sizeof(nameless)))
			fail_msg("model 0x%x has registers in core/regs/devices.c: either "
				 "count/lib/event/model.c names its events or nameless[] lists it",
				 cpu.model);
	}
}

static const struct tracepoint_row {
	int line;
	const struct fake_machine *machine;
	enum ntime_reason code;
} tracepoint_rows[] = {
	{ __LINE__, &fake_skx, NTIME_REASON_NONE },
	/* Only root may look there. */
	{ __LINE__, &fake_kvm, NTIME_REASON_PERMISSION },
	{ __LINE__, &fake_zen3, NTIME_REASON_KERNEL },
};

TEST(tracepoints_of_machines)
{
	TT_FOR_EACH_ROW(r, tracepoint_rows) {
		struct tt_names t;

		TT_IS(tt_names_init(&t, r->machine), 0);
		TT_EQ(r, nti_tracepoint_problem(&t.names)->code, r->code);
		tt_names_fini(&t);
	}
}

static const struct listed_row {
	int line;
	const struct fake_machine *machine;
	const char *name;
	bool is_raw;
	int listed;
	unsigned int code;
} listed_rows[] = {
	/* 0xc0 is INST_RETIRED; no list of Skylake's has 0xff, and masks and edges do not matter */
	{ __LINE__, &fake_skx, "r1c0", true, 1, 0xc0 },
	{ __LINE__, &fake_skx, "r1ff", true, 0, 0xff },
	{ __LINE__, &fake_skx, "r4001c0:u", true, 1, 0xc0 },
	{ __LINE__, &fake_skx, "cpu/event=0xff,umask=1/", true, 0, 0xff },
	{ __LINE__, &fake_skx, "cpu/event=0xd0,umask=0x82/", true, 1, 0xd0 },
	{ __LINE__, &fake_skx, "cpu/mem-stores/", false, 1, 0xd0 },
	{ __LINE__, &fake_skx, "skx::INST_RETIRED:ANY_P", false, 1, 0xc0 },
	/* AMD's upper four bits are apart: 0x1c7 is one event, 0xc7 another */
	{ __LINE__, &fake_zen3, "rc0", true, 1, 0xc0 },
	{ __LINE__, &fake_zen3, "r1000000c7", true, 1, 0x1c7 },
	{ __LINE__, &fake_zen3, "rf000000fe", true, 0, 0xffe },
	/* Arm's numbers have 16 bits; a libpfm4 of another architecture has no list of them */
	{ __LINE__, &fake_arm, "r8", true, 1, 8 },
	{ __LINE__, &fake_arm, "r7008", true, 0, 0x7008 },
	{ __LINE__, &fake_k8, "rff", true, 0, 0xff },
};

TEST(codes_of_lists)
{
	TT_FOR_EACH_ROW(r, listed_rows) {
		struct nti_error e = { 0 };
		struct nti_event event;
		struct tt_names t;
		unsigned int code;
		bool has_list;

		TT_IS(tt_names_init(&t, r->machine), 0);
		TT_EQ(r, nti_event_parse(&t.names, r->name, &event, &e), 0);
		TT_EQ(r, event.is_raw, r->is_raw);
		has_list = r->machine != &fake_arm || nti_pfm_is_model("arm_n1");
		TT_EQ(r, nti_event_is_listed(&t.names, &event.part[0], &code),
		      has_list ? r->listed : -ENOENT);
		TT_EQ(r, code, r->code);
		nti_event_fini(&event);
		tt_names_fini(&t);
	}
}

/* A program that is started must not find what was set for libpfm4. */
TEST(environment)
{
	struct nti_event event;

	parse_one(&fake_skx, "hsw::INST_RETIRED:ANY_P", &event);
	nti_event_fini(&event);
	TT_IS(getenv("LIBPFM_ENCODE_INACTIVE") == NULL, 1);
}

/* Events whose code libpfm4 4.13 has otherwise than Intel's newest lists. */
static const struct corrected_row {
	int line;
	const char *text;
	uint64_t config, config1;
	bool is_corrected;
} corrected_rows[] = {
	{ __LINE__, "skx::UOPS_RETIRED:STALL_CYCLES", 0x18002c2, 0, true },
	{ __LINE__, "skx::UOPS_RETIRED:TOTAL_CYCLES", 0x108002c2, 0, true },
	{ __LINE__, "clx::UOPS_RETIRED:STALL_CYCLES", 0x18002c2, 0, true },
	{ __LINE__, "skl::UOPS_RETIRED:TOTAL_CYCLES", 0x108002c2, 0, true },
	{ __LINE__, "icx::MEM_LOAD_MISC_RETIRED:UC", 0x4d4, 0, true },
	{ __LINE__, "icl::TOPDOWN:BACKEND_BOUND_SLOTS", 0x2a4, 0, true },
	{ __LINE__, "spr::MEM_TRANS_RETIRED:STORE_SAMPLE", 0x2cd, 0, true },
	{ __LINE__, "spr::ARITH:IDIV_ACTIVE", 0x10008b0, 0, true },
	{ __LINE__, "spr::ARITH:INT_DIVIDER_ACTIVE", 0x10008b0, 0, true },
	{ __LINE__, "spr::INT_MISC:UNKNOWN_BRANCH_CYCLES", 0x40ad, 7, true },
	{ __LINE__, "spr::TOPDOWN:BACKEND_BOUND_SLOTS", 0x2a4, 0, true },
	{ __LINE__, "spr::TOPDOWN:BAD_SPEC_SLOTS", 0x4a4, 0, true },
	{ __LINE__, "spr::TOPDOWN:BR_MISPREDICT_SLOTS", 0x8a4, 0, true },
	{ __LINE__, "spr::TOPDOWN:MEMORY_BOUND_SLOTS", 0x10a4, 0, true },
	{ __LINE__, "spr::UOPS_RETIRED:MS", 0x4c2, 8, true },
	{ __LINE__, "hsw_ep::L2_RQSTS:CODE_RD_HIT", 0xc424, 0, true },
	{ __LINE__, "bdw_ep::L2_RQSTS:DEMAND_DATA_RD_HIT", 0xc124, 0, true },
	{ __LINE__, "hsw::L2_RQSTS:L2_PF_HIT", 0xd024, 0, true },
	{ __LINE__, "hsw::L2_RQSTS:PF_HIT", 0xd024, 0, true },
	{ __LINE__, "bdw::L2_RQSTS:L2_PF_MISS", 0x3024, 0, true },
	{ __LINE__, "bdw_ep::L2_RQSTS:RFO_HIT", 0xc224, 0, true },
	{ __LINE__, "hsw_ep::UOPS_RETIRED:TOTAL_CYCLES", 0x108001c2, 0, true },
	{ __LINE__, "nhm::MACRO_INSTS:FUSIONS_DECODED", 0x1a6, 0, true },
	{ __LINE__, "glm::CPU_CLK_UNHALTED:CORE_P", 0x3c, 0, true },
	{ __LINE__, "glm::CPU_CLK_UNHALTED:REF", 0x13c, 0, true },
	{ __LINE__, "ivb::MOVE_ELIMINATION:INT_ELIMINATED", 0x158, 0, true },
	{ __LINE__, "ivb::MOVE_ELIMINATION:INT_NOT_ELIMINATED", 0x458, 0, true },
	{ __LINE__, "ivb_ep::MEM_LOAD_UOPS_LLC_MISS_RETIRED:LOCAL_DRAM", 0x3d3, 0, true },
	/* every spelling is the same event */
	{ __LINE__, "SKX::uops_retired.stall_cycles:u", 0x18002c2, 0, true },
	{ __LINE__, "UOPS_RETIRED:STALL_CYCLES:D", 0x18002c2, 0, true },
	{ __LINE__, "cpu::UOPS_RETIRED.TOTAL_CYCLES", 0x108002c2, 0, true },
	{ __LINE__, "glm::CPU_CLK_UNHALTED:u", 0x3c, 0, true },
	{ __LINE__, "icx::MEM_LOAD_MISC_RETIRED:UC:c=3", 0x30004d4, 0, true },
	/* who asks for a code or for a counter mask has it, and other events are theirs */
	{ __LINE__, "skx::UOPS_RETIRED:ALL:i=1:c=1", 0x18001c2, 0, false },
	{ __LINE__, "spr::UOPS_RETIRED:0x8", 0x8c2, 0, false },
	{ __LINE__, "spr::ARITH:IDIV_ACTIVE:c=2", 0x20008b0, 0, false },
	{ __LINE__, "spr::TOPDOWN:SLOTS", 0x400, 0, false },
	/* two codes of one count: libpfm4's stays */
	{ __LINE__, "nhm::BR_INST_RETIRED:ALL_BRANCHES", 0xc4, 0, false },
	{ __LINE__, "nhm_ex::INST_RETIRED:ANY_P", 0xc0, 0, false },
	{ __LINE__, "wsm::BR_INST_RETIRED:ALL_BRANCHES", 0xc4, 0, false },
	{ __LINE__, "wsm_dp::BR_MISP_RETIRED:ALL_BRANCHES", 0xc5, 0, false },
};

TEST(codes_of_libpfm4_are_corrected)
{
	TT_FOR_EACH_ROW(r, corrected_rows) {
		struct nti_event event;

		parse_one(&fake_skx, r->text, &event);
		TT_EQ(r, event.part[0].attr.config, r->config);
		TT_EQ(r, event.part[0].attr.config1, r->config1);
		TT_EQ(r, event.corrected != NULL, r->is_corrected);
		nti_event_fini(&event);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(codes_of_libpfm4_are_corrected),
		cmocka_unit_test(encodings),
		cmocka_unit_test(errors),
		cmocka_unit_test(absences),
		cmocka_unit_test(texts),
		cmocka_unit_test(needs),
		cmocka_unit_test(listing),
		cmocka_unit_test(listing_stops),
		cmocka_unit_test(models),
		cmocka_unit_test(environment),
		cmocka_unit_test(codes_of_lists),
		cmocka_unit_test(models_with_registers_have_names),
		cmocka_unit_test(tracepoints_of_machines),
	};

	return TT_RUN(tests);
}
