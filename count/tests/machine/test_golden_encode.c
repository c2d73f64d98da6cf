// SPDX-License-Identifier: MIT
/*
 * What the kernel would be asked for, on three recorded servers and a hybrid: every field of
 * perf_event_attr that names an event. Expected values are worked out from the formats in sysfs and
 * the codes in the sources named below, not taken from a run.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include "count/tests/machine/golden.h"

/* Bits of ntime_encoding.exclude. */
#define USER 1
#define KERNEL 2
#define HV 4
#define HOST 8
#define GUEST 16

#define CACHE(cache, op, result)                                                                   \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                          \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct encode_row {
	int line;
	const char *machine;
	const char *event;
	const char *unit; /* of the first part */
	int parts;	  /* types count up from part to part, everything else is the same */
	uint32_t type;
	uint64_t config;
	uint32_t exclude;
	uint64_t config1, config2;
	uint32_t precise;
} encode_rows[] = {
	/*
	 * Generic: include/uapi/linux/perf_event.h. Guests are left out of core events as perf does
	 * (evsel__config() of tools/perf); ":u" leaves out kernel and hypervisor, ":k" user and
	 * hypervisor (perf-list(1), EVENT MODIFIERS).
	 */
	{ __LINE__, SKX, "cycles", "cpu", 1, 0, 0, GUEST },
	{ __LINE__, SKX, "instructions:u", "cpu", 1, 0, 1, GUEST | KERNEL | HV },
	{ __LINE__, SKX, "branch-misses:k", "cpu", 1, 0, 5, GUEST | USER | HV },
	{ __LINE__, SKX, "cycles:G", "cpu", 1, 0, 0, HOST },
	{ __LINE__, SKX, "ref-cycles:ukh", "cpu", 1, 0, 9, GUEST },
	{ __LINE__, SKX, "instructions:pp", "cpu", 1, 0, 1, GUEST, 0, 0, 2 },
	{ __LINE__, SKX, "page-faults", "software", 1, 1, 2 },
	{ __LINE__, SKX, "context-switches", "software", 1, 1, 3 },
	{ __LINE__, SKX, "LLC-load-misses", "cpu", 1, 3, CACHE(LL, READ, MISS), GUEST },
	{ __LINE__, SKX, "dTLB-store-misses", "cpu", 1, 3, 0x10103, GUEST },
	{ __LINE__, SKX, "L1-icache-load-misses", "cpu", 1, 3, 0x10001, GUEST },
	{ __LINE__, SKX, "node-prefetches", "cpu", 1, 3, CACHE(NODE, PREFETCH, ACCESS), GUEST },
	/* Tracepoint numbers are those of the recording. */
	{ __LINE__, SKX, "sched:sched_switch", "tracepoint", 1, 2, 316 },
	/*
	 * Names and terms of sysfs: arch/x86/events/intel/core.c; where the bits go: format/ of the
	 * PMU.
	 */
	{ __LINE__, SKX, "mem-loads", "cpu", 1, 4, 0x1cd, GUEST, 3 },
	{ __LINE__, SKX, "cpu/mem-loads,ldlat=30/pp", "cpu", 1, 4, 0x1cd, GUEST, 30, 0, 2 },
	{ __LINE__, SKX, "cpu/cycles-ct/", "cpu", 1, 4, 0x30000003c, GUEST },
	{ __LINE__, SKX, "topdown-recovery-bubbles", "cpu", 1, 4, 0x120010d, GUEST },
	{ __LINE__, SKX, "cpu/event=0xc0,umask=0x1,cmask=2,inv=1/u", "cpu", 1, 4, 0x28001c0,
	  GUEST | KERNEL | HV },
	{ __LINE__, SKX, "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10003c0001/", "cpu", 1, 4, 0x1b7,
	  GUEST, 0x10003c0001 },
	{ __LINE__, SKX, "cpu/event=0xc6,umask=1,frontend=0x400406/p", "cpu", 1, 4, 0x1c6, GUEST,
	  0x400406, 0, 1 },
	{ __LINE__, SKX, "cpu::cycles-t:u", "cpu", 1, 4, 0x10000003c, GUEST | KERNEL | HV },
	{ __LINE__, SKX, "r1a8", "cpu", 1, 4, 0x1a8, GUEST },
	{ __LINE__, SKX, "r13c:k", "cpu", 1, 4, 0x13c, GUEST | USER | HV },
	/*
	 * libpfm4's names. Codes of the Skylake-SP core: 0xc0 and 0x1b7 as in
	 * arch/x86/events/intel/core.c, 0x11 in MSR_PEBS_FRONTEND as in
	 * tools/perf/pmu-events/arch/x86/skylakex/frontend.json. From memory: 0x20d1, 0xc5, 0x1b1,
	 * and bits 0 (demand data reads) and 16 (any response) of MSR_OFFCORE_RSP.
	 */
	{ __LINE__, SKX, "skx::INST_RETIRED:ANY_P:u", "cpu", 1, 4, 0xc0, GUEST | KERNEL | HV },
	{ __LINE__, SKX, "core::MEM_LOAD_RETIRED:L3_MISS", "cpu", 1, 4, 0x20d1, GUEST },
	{ __LINE__, SKX, "BR_MISP_RETIRED:ALL_BRANCHES", "cpu", 1, 4, 0xc5, GUEST },
	{ __LINE__, SKX, "OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE", "cpu", 1, 4, 0x1b7, GUEST,
	  0x10001 },
	{ __LINE__, SKX, "FRONTEND_RETIRED:DSB_MISS", "cpu", 1, 4, 0x1c6, GUEST, 0x11 },
	{ __LINE__, SKX, "UOPS_EXECUTED:THREAD:c=1:i", "cpu", 1, 4, 0x18001b1, GUEST },
	/*
	 * Uncore: arch/x86/events/intel/uncore_snbep.c; nothing is left out, a box sees no modes.
	 */
	{ __LINE__, SKX, "uncore_imc/cas_count_read/", "uncore_imc_0", 6, 13, 0x304 },
	{ __LINE__, SKX, "imc/cas_count_write/", "uncore_imc_0", 6, 13, 0xc04 },
	{ __LINE__, SKX, "uncore_imc_5/clockticks/", "uncore_imc_5", 1, 18, 0 },
	{ __LINE__, SKX, "uncore_imc_1::cas_count_read", "uncore_imc_1", 1, 14, 0x304 },
	{ __LINE__, SKX, "uncore_cha/event=0x35,umask=0x21,filter_opc0=0x182/", "uncore_cha_0", 28,
	  32, 0x2135, 0, 0x3040000000000 },
	{ __LINE__, SKX, "uncore_cha_27/event=0x34,umask=3,filter_state=0x3ff/", "uncore_cha_27", 1,
	  59, 0x334, 0, 0x7fe0000 },
	{ __LINE__, SKX, "uncore_upi/event=0x2,umask=0xff0f/", "uncore_upi_0", 3, 21,
	  0xff00000f02 },
	{ __LINE__, SKX, "uncore_iio_0/event=0x83,umask=0x4,ch_mask=0x1,fc_mask=0x7/",
	  "uncore_iio_0", 1, 60, 0x701000000483 },
	{ __LINE__, SKX, "uncore_iio_free_running/ioclk/", "uncore_iio_free_running_0", 6, 66,
	  0x10ff },
	{ __LINE__, SKX, "uncore_iio_free_running_3/bw_out_port2/", "uncore_iio_free_running_3", 1,
	  69, 0x26ff },
	{ __LINE__, SKX, "uncore_m3upi_?/event=1/", "uncore_m3upi_0", 3, 28, 1 },
	{ __LINE__, SKX, "uncore_pcu/event=0xb,filter_band0=0x20/", "uncore_pcu", 1, 78, 0xb, 0,
	  0x20 },
	{ __LINE__, SKX, "skx_unc_imc2::UNC_M_CAS_COUNT:RD", "uncore_imc_2", 1, 15, 0x304 },
	{ __LINE__, SKX, "skx_unc_cha3::UNC_C_CLOCKTICKS", "uncore_cha_3", 1, 35, 0 },
	{ __LINE__, SKX, "power/energy-ram/", "power", 1, 10, 3 },
	{ __LINE__, SKX, "rapl::RAPL_ENERGY_PKG", "power", 1, 10, 2 },
	{ __LINE__, SKX, "cstate_pkg/c6-residency/", "cstate_pkg", 1, 12, 2 },
	{ __LINE__, SKX, "msr/aperf/", "msr", 1, 9, 1 },
	/*
	 * AMD: arch/x86/events/amd/core.c and uncore.c; the code has 12 bits on the core and 14 on
	 * the fabric.
	 */
	{ __LINE__, ZEN, "cycles", "cpu", 1, 0, 0, GUEST },
	{ __LINE__, ZEN, "instructions:uk", "cpu", 1, 0, 1, GUEST | HV },
	{ __LINE__, ZEN, "stalled-cycles-backend", "cpu", 1, 0, 8, GUEST },
	{ __LINE__, ZEN, "cpu/stalled-cycles-frontend/", "cpu", 1, 4, 0x287, GUEST },
	{ __LINE__, ZEN, "iTLB-load-misses", "cpu", 1, 3, 0x10004, GUEST },
	{ __LINE__, ZEN, "cpu/event=0x1c7,umask=0x3/", "cpu", 1, 4, 0x1000003c7, GUEST },
	{ __LINE__, ZEN, "cpu/branch-misses,cmask=1,edge=1/u", "cpu", 1, 4, 0x10400c3,
	  GUEST | KERNEL | HV },
	{ __LINE__, ZEN, "rc0:u", "cpu", 1, 4, 0xc0, GUEST | KERNEL | HV },
	{ __LINE__, ZEN, "CYCLES_NOT_IN_HALT", "cpu", 1, 4, 0x76, GUEST },
	{ __LINE__, ZEN, "amd64_fam17h_zen2::RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED:k", "cpu", 1,
	  4, 0xc3, GUEST | USER | HV },
	{ __LINE__, ZEN, "amd_df/event=0x107,umask=0x38/", "amd_df", 1, 12, 0x100003807 },
	{ __LINE__, ZEN, "amd_df/event=0x1007/", "amd_df", 1, 12, 0x800000000000007 },
	{ __LINE__, ZEN, "amd_l3/event=0x4,umask=0xff,slicemask=0xf,threadmask=0xff/", "amd_l3", 1,
	  13, 0xff0f00000000ff04 },
	{ __LINE__, ZEN, "ibs_op/cnt_ctl=1/", "ibs_op", 1, 9, 0x80000 },
	{ __LINE__, ZEN, "power/energy-pkg/", "power", 1, 11, 2 },
	{ __LINE__, ZEN, "msr/irperf/", "msr", 1, 10, 6 },
	/*
	 * arm64: arch/arm64/kernel/perf_event.c, drivers/perf/arm-cmn.c, arm_dsu_pmu.c,
	 * arm_spe_pmu.c
	 */
	{ __LINE__, ARM, "cycles", "armv8_pmuv3_0", 1, 0, 0, GUEST },
	{ __LINE__, ARM, "instructions:u", "armv8_pmuv3_0", 1, 0, 1, GUEST | KERNEL | HV },
	{ __LINE__, ARM, "branches", "armv8_pmuv3_0", 1, 0, 4, GUEST },
	{ __LINE__, ARM, "L1-dcache-load-misses", "armv8_pmuv3_0", 1, 3, 0x10000, GUEST },
	{ __LINE__, ARM, "l2d_cache", "armv8_pmuv3_0", 1, 8, 0x16, GUEST },
	{ __LINE__, ARM, "stall_backend:k", "armv8_pmuv3_0", 1, 8, 0x24, GUEST | USER | HV },
	{ __LINE__, ARM, "armv8_pmuv3_0/l1d_cache_refill/u", "armv8_pmuv3_0", 1, 8, 3,
	  GUEST | KERNEL | HV },
	{ __LINE__, ARM, "armv8_pmuv3_0::ll_cache_miss_rd", "armv8_pmuv3_0", 1, 8, 0x37, GUEST },
	{ __LINE__, ARM, "armv8_pmuv3_0/event=0x11,long=1/", "armv8_pmuv3_0", 1, 8, 0x11, GUEST,
	  1 },
	{ __LINE__, ARM, "r4000", "armv8_pmuv3_0", 1, 4, 0x4000, GUEST },
	{ __LINE__, ARM, "arm_cmn/hnf_cache_miss/", "arm_cmn_0", 1, 10, 0x10005 },
	{ __LINE__, ARM,
	  "arm_cmn_0/type=0x770,wp_dev_sel=1,wp_grp=1,wp_val=0x2c,wp_mask=0xffffffffffffff80/",
	  "arm_cmn_0", 1, 10, 0x101000000000770, 0, 0x2c, 0xffffffffffffff80 },
	{ __LINE__, ARM, "arm_cmn_0/hnf_mc_reqs,bynodeid=1,nodeid=0x24/", "arm_cmn_0", 1, 10,
	  0x24800d0005 },
	{ __LINE__, ARM, "arm_dsu/l3d_cache_refill/", "arm_dsu_0", 40, 11, 0x2a },
	{ __LINE__, ARM, "arm_dsu_7/cycles/", "arm_dsu_7", 1, 18, 0x11 },
	{ __LINE__, ARM, "arm_spe_0/ts_enable=1,pct_enable=1,event_filter=2,min_latency=100/",
	  "arm_spe_0", 1, 9, 5, 0, 2, 100 },
	{ __LINE__, ARM, "raw_syscalls:sys_enter", "tracepoint", 1, 2, 348 },
	/*
	 * One kind of core of a hybrid is asked by its own type; arch/x86/events/intel/core.c,
	 * adl_hybrid_*.
	 */
	{ __LINE__, ADL, "cpu_core/slots/", "cpu_core", 1, 4, 0x400, GUEST },
	{ __LINE__, ADL, "cpu_core::topdown-mem-bound", "cpu_core", 1, 4, 0x8700, GUEST },
	{ __LINE__, ADL, "cpu_atom/mem-loads/ppp", "cpu_atom", 1, 8, 0x5d0, GUEST, 3, 0, 3 },
	{ __LINE__, ADL, "uncore_cbox/event=0x34,umask=0x8f/", "uncore_cbox_0", 10, 13, 0x8f34 },
};

struct encode_check {
	const struct encode_row *row;
	uint32_t part;
};

static int check_part(void *arg, const struct ntime_encoding *e)
{
	struct encode_check *c = arg;
	const struct encode_row *r = c->row;

	if (!c->part)
		TT_STR(r, e->unit, r->unit);
	TT_EQ(r, e->size, sizeof(*e));
	TT_EQ(r, e->type, r->type + c->part);
	TT_EQ(r, e->config, r->config);
	TT_EQ(r, e->config1, r->config1);
	TT_EQ(r, e->config2, r->config2);
	TT_EQ(r, e->exclude, r->exclude);
	TT_EQ(r, e->precise, r->precise);
	c->part++;
	return 0;
}

TEST(events_are_encoded)
{
	TT_FOR_EACH_ROW(r, encode_rows) {
		struct encode_check c = { .row = r };
		struct ntime_ctx *ctx = golden_open(r->machine);
		int ret = ntime_event_encode(ctx, r->event, check_part, &c);

		if (ret < 0)
			print_error("%s: %s\n", r->event, ntime_error_text(ctx));
		TT_EQ(r, ret, r->parts);
		TT_EQ(r, c.part, r->parts);
		ntime_close(ctx);
	}
}

static int add_config(void *arg, const struct ntime_encoding *e)
{
	uint64_t **next = arg;

	*(*next)++ = e->config;
	*(*next)++ = e->type;
	return 0;
}

/*
 * Generic events of a hybrid: the type of the core PMU in the upper half (PERF_PMU_TYPE_SHIFT); raw
 * codes by its own type.
 */
TEST(hybrids_have_a_part_for_each_kind_of_core)
{
	struct ntime_ctx *ctx = golden_open(ADL);
	uint64_t seen[8] = { 0 }, *next = seen;

	TT_IS(ntime_event_encode(ctx, "instructions", add_config, &next), 2);
	TT_IS(seen[0], 4ull << 32 | 1);
	TT_IS(seen[1], PERF_TYPE_HARDWARE);
	TT_IS(seen[2], 8ull << 32 | 1);
	TT_IS(seen[3], PERF_TYPE_HARDWARE);
	TT_IS(ntime_event_encode(ctx, "r13c", add_config, &next), 2);
	TT_IS(seen[4], 0x13c);
	TT_IS(seen[5], 4);
	TT_IS(seen[6], 0x13c);
	TT_IS(seen[7], 8);
	ntime_close(ctx);
}

static const struct refuse_row {
	int line;
	const char *machine, *event;
	int ret;
	const char *text;
} refuse_rows[] = {
	{ __LINE__, SKX, "cycels", -ENOENT, "did you mean cycles" },
	{ __LINE__, SKX, "uncore_imc/cas_count_raed/", -ENOENT, "cas_count_raed" },
	{ __LINE__, SKX, "cpu/event=0x1c0/", -EINVAL, "event" },
	{ __LINE__, SKX, "uncore_imc/cas_count_read/u", -EINVAL, "uncore_imc" },
	{ __LINE__, SKX, "cycles:pppp", -EINVAL, "" },
	{ __LINE__, ZEN, "amd_l3/event=0x104/", -EINVAL, "event" },
	{ __LINE__, ZEN, "uncore_imcc/cas_count_read/", -ENOENT, "uncore_imcc" },
	{ __LINE__, ARM, "armv8_pmuv3_0/umask=1/", -EINVAL, "umask" },
	{ __LINE__, ARM, "armv8_pmuv3_0/inst_retierd/", -ENOENT, "inst_retired" },
};

TEST(what_makes_no_sense_is_refused)
{
	TT_FOR_EACH_ROW(r, refuse_rows) {
		struct ntime_ctx *ctx = golden_open(r->machine);
		uint64_t room[256], *next = room;

		TT_EQ(r, ntime_event_encode(ctx, r->event, add_config, &next), r->ret);
		TT_EQ(r, next - room, 0);
		tt_has_(ntime_error_text(ctx), r->text, r->event, __FILE__, r->line);
		ntime_close(ctx);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_encoded),
		cmocka_unit_test(hybrids_have_a_part_for_each_kind_of_core),
		cmocka_unit_test(what_makes_no_sense_is_refused),
	};

	return TT_RUN(tests);
}
