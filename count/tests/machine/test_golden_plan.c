// SPDX-License-Identifier: MIT
/*
 * Plans on the recorded machines: how many passes, which pass each event gets, and what forced
 * them.
 */
#include <errno.h>

#include "count/tests/machine/golden.h"

#define MAX_EVENTS 16

/* Events of general counters that no fixed counter takes: codes that mean nothing elsewhere. */
#define C1(pmu) pmu "/event=0x11/"
#define C2(pmu) pmu "/event=0x12/"
#define C3(pmu) pmu "/event=0x13/"
#define C4(pmu) pmu "/event=0x14/"
#define C5(pmu) pmu "/event=0x15/"
#define C6(pmu) pmu "/event=0x16/"
#define C7(pmu) pmu "/event=0x17/"
#define C8(pmu) pmu "/event=0x18/"
#define C9(pmu) pmu "/event=0x19/"
#define FOUR(pmu) C1(pmu) "," C2(pmu) "," C3(pmu) "," C4(pmu)
#define SIX(pmu) FOUR(pmu) "," C5(pmu) "," C6(pmu)
#define EIGHT(pmu) SIX(pmu) "," C7(pmu) "," C8(pmu)
#define NINE(pmu) EIGHT(pmu) "," C9(pmu)
/* Event 0x11 of Arm is the cycle counter's, so these begin elsewhere. */
#define ARM_PMU "armv8_pmuv3_0"
#define A(n) ARM_PMU "/event=0x" #n "/"
#define A_SIX A(3) "," A(4) "," A(10) "," A(13) "," A(14) "," A(16)
#define A_TWELVE A_SIX "," A(17) "," A(18) "," A(19) "," A(1d) "," A(21) "," A(22)
#define FIXED "cycles,instructions,ref-cycles"
#define OFFCORE(n) "cpu/event=0xb7,umask=0x1,offcore_rsp=" #n "/"
#define WATCHDOG_OFF "nmi_watchdog\": \"0"
#define WATCHDOG_ON "nmi_watchdog\": \"1"

#define MACHINE NTIME_TARGET_MACHINE

static const struct plan_row {
	int line;
	const char *machine;
	const char *events;
	const char *pass; /* of each event, one digit each */
	const char *why;  /* part of what is said of pass 1, "" when there is one pass only */
	uint32_t kind;
	const char *from, *to; /* words of the machine file that are replaced; NULL: none */
} plan_rows[] = {
	/* Skylake-SP: 4 general counters and 3 fixed ones (CPUID 0xA of the file). */
	{ __LINE__, SKX, FIXED "," FOUR("cpu"), "0000000", "" },
	{ __LINE__, SKX, FIXED "," NINE("cpu"), "000000011112", "cpu" },
	/* a flag of the general counters keeps an event off its fixed one */
	{ __LINE__, SKX, "cpu/event=0x3c,cmask=1/," FOUR("cpu"), "00001", "cpu" },
	{ __LINE__, SKX, "cycles:u,cycles:k," FOUR("cpu"), "000001", "cpu" },
	/* groups stay together; what is left over fills the gaps */
	{ __LINE__, SKX,
	  "{" C1("cpu") "," C2("cpu") "," C3("cpu") "},{" C4("cpu") "," C5("cpu") "," C6("cpu") "}",
	  "000111", "room for 4" },
	{ __LINE__, SKX,
	  "{cycles," C1("cpu") "," C2("cpu") "},{instructions," C3("cpu") "," C4("cpu") "}",
	  "000000", "" },
	/*
	 * one register for all off-core events of a core, one for the load latency, one for the
	 * front end
	 */
	{ __LINE__, SKX, OFFCORE(0x10001) "," OFFCORE(0x10002), "01", "MSR_OFFCORE_RSP_0" },
	{ __LINE__, SKX, OFFCORE(0x10001) "," OFFCORE(0x10001) ":u", "00", "" },
	{ __LINE__, SKX,
	  "OFFCORE_RESPONSE_0:DMND_DATA_RD:ANY_RESPONSE,OFFCORE_RESPONSE_0:DMND_RFO:ANY_RESPONSE",
	  "01", "MSR_OFFCORE_RSP_0" },
	{ __LINE__, SKX, "cpu/mem-loads,ldlat=30/p,cpu/mem-loads,ldlat=60/p", "01",
	  "MSR_PEBS_LD_LAT" },
	{ __LINE__, SKX, "FRONTEND_RETIRED:DSB_MISS,FRONTEND_RETIRED:ITLB_MISS,cycles", "010",
	  "MSR_PEBS_FRONTEND" },
	/* the NMI watchdog holds the fixed cycle counter, so cycles need a general one */
	{ __LINE__, SKX, FIXED "," FOUR("cpu"), "0000001", "cpu", 0, WATCHDOG_OFF, WATCHDOG_ON },
	{ __LINE__, SKX, FIXED "," C1("cpu") "," C2("cpu") "," C3("cpu"), "000000", "", 0,
	  WATCHDOG_OFF, WATCHDOG_ON },
	/* boxes of the uncore: each has its own counters, all change passes together */
	{ __LINE__, SKX, FOUR("uncore_cha"), "0000", "", MACHINE },
	{ __LINE__, SKX, SIX("uncore_cha"), "000011", "uncore_cha", MACHINE },
	{ __LINE__, SKX, FOUR("uncore_imc") ",uncore_imc/cas_count_read/", "00001", "uncore_imc",
	  MACHINE },
	{ __LINE__, SKX, FOUR("uncore_m3upi"), "0001", "uncore_m3upi", MACHINE },
	{ __LINE__, SKX, C1("uncore_ubox") "," C2("uncore_ubox") "," C3("uncore_ubox"), "001",
	  "uncore_ubox", MACHINE },
	{ __LINE__, SKX, FOUR("uncore_cha") "," FOUR("uncore_imc_0") ",power/energy-pkg/",
	  "000000000", "", MACHINE },
	/* counters that always run are no problem */
	{ __LINE__, SKX,
	  "uncore_iio_free_running/ioclk/,uncore_iio_free_running/bw_in_port0/,"
	  "uncore_iio_free_running/bw_in_port1/,uncore_iio_free_running/bw_in_port2/,"
	  "uncore_iio_free_running/bw_in_port3/,uncore_iio_free_running/bw_out_port0/",
	  "000000", "", MACHINE },
	/* Zen 2: six counters, none fixed; four on the fabric, six on the L3 */
	{ __LINE__, ZEN, SIX("cpu"), "000000", "" },
	{ __LINE__, ZEN, "cycles,instructions," SIX("cpu"), "00000011", "cpu" },
	{ __LINE__, ZEN, FOUR("amd_df") "," C5("amd_df"), "00001", "amd_df", MACHINE },
	{ __LINE__, ZEN, SIX("amd_l3"), "000000", "", MACHINE },
	{ __LINE__, ZEN, SIX("amd_l3") "," C7("amd_l3"), "0000001", "amd_l3", MACHINE },
	/*
	 * Neoverse N1: six and the cycle counter. The six are found out from what the kernel takes.
	 */
	{ __LINE__, ARM, "cycles," A_SIX, "0000000", "" },
	{ __LINE__, ARM, A_SIX ",cpu_cycles", "0000000", "" },
	{ __LINE__, ARM, A_SIX "," A(17), "0000001", ARM_PMU },
	{ __LINE__, ARM, A_TWELVE ",cycles", "0000001111110", ARM_PMU },
	{ __LINE__, ARM, "cycles:u,cycles:k," A_SIX, "00000001", ARM_PMU },
	/* the mesh: eight, found out the same way */
	{ __LINE__, ARM,
	  "arm_cmn/hnf_cache_miss/,arm_cmn/hnf_slc_sf_cache_access/,arm_cmn/hnf_cache_fill/,"
	  "arm_cmn/hnf_pocq_retry/,arm_cmn/hnf_pocq_reqs_recvd/,arm_cmn/hnf_sf_hit/,"
	  "arm_cmn/hnf_sf_evictions/,arm_cmn/hnf_mc_retries/,arm_cmn/hnf_mc_reqs/",
	  "000000001", "arm_cmn_0", MACHINE },
	/* Alder Lake: 8 + 4 and 6 + 3 */
	{ __LINE__, ADL, EIGHT("cpu_core") ",cpu_core/slots/,cpu_core/cycles/", "0000000000", "" },
	{ __LINE__, ADL, NINE("cpu_core"), "000000001", "cpu_core" },
	{ __LINE__, ADL, SIX("cpu_atom") ",cpu_atom/cpu-cycles/", "0000000", "" },
	{ __LINE__, ADL, SIX("cpu_atom") "," C7("cpu_atom"), "0000001", "cpu_atom" },
};

/* A session on @machine, in which words of the file may have been replaced. */
struct rig {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
};

static void init(struct rig *rig, const char *machine, const char *from, const char *to,
		 uint32_t kind, uint32_t flags)
{
	struct ntime_target target = { .size = sizeof(target), .kind = kind, .flags = flags };

	rig->ctx = golden_open_changed(machine, from, to);
	TT_IS(ntime_session_new(rig->ctx, &target, &rig->s), 0);
}

static void fini(struct rig *rig)
{
	ntime_session_free(rig->s);
	ntime_close(rig->ctx);
}

TEST(passes_are_these)
{
	TT_FOR_EACH_ROW(r, plan_rows) {
		unsigned int last = 0;
		char seen[MAX_EVENTS + 1];
		struct rig rig;
		size_t i, n;
		int ret;

		init(&rig, r->machine, r->from, r->to, r->kind, 0);
		ret = ntime_session_add_list(rig.s, r->events);
		if (ret == 0)
			ret = ntime_session_open(rig.s);
		if (ret < 0)
			print_error("%s: %s\n", r->events, ntime_error_text(rig.ctx));
		TT_EQ(r, ret, 0);
		n = ntime_session_count(rig.s);
		TT_EQ(r, n, strlen(r->pass));
		for (i = 0; i < n; i++) {
			struct ntime_item item = { .size = sizeof(item) };

			TT_EQ(r, ntime_session_item(rig.s, i, &item), 0);
			TT_STR(r, item.reason, "");
			seen[i] = (char)('0' + item.pass);
			last = item.pass > last ? item.pass : last;
		}
		seen[n] = '\0';
		TT_STR(r, seen, r->pass);
		TT_EQ(r, ntime_session_passes(rig.s), last + 1);
		TT_STR(r, ntime_session_plan_text(rig.s, 0), "");
		tt_has_(ntime_session_plan_text(rig.s, 1), r->why, r->events, __FILE__, r->line);
		TT_EQ(r, !*ntime_session_plan_text(rig.s, 1), last == 0);
		fini(&rig);
	}
}

static const struct group_row {
	int line;
	const char *machine;
	const char *events;
	const char *text;
} group_rows[] = {
	{ __LINE__, SKX, "{" FOUR("cpu") "," C5("cpu") "}", "cpu/event=0x1" },
	{ __LINE__, SKX, "{" OFFCORE(0x10001) "," OFFCORE(0x10002) "}", "MSR_OFFCORE_RSP_0" },
	{ __LINE__, ZEN, "{" SIX("cpu") "," C7("cpu") "}", "cpu/event=0x1" },
	{ __LINE__, ARM, "{" A_SIX "," A(17) "}", ARM_PMU "/event=0x" },
};

TEST(impossible_groups_are_refused)
{
	TT_FOR_EACH_ROW(r, group_rows) {
		struct rig rig;

		init(&rig, r->machine, NULL, NULL, NTIME_TARGET_THREAD, 0);
		TT_EQ(r, ntime_session_add_list(rig.s, r->events), 0);
		TT_EQ(r, ntime_session_open(rig.s), -ENOSPC);
		tt_has_(ntime_error_text(rig.ctx), r->text, r->events, __FILE__, r->line);
		TT_EQ(r, ntime_session_passes(rig.s), 0);
		fini(&rig);
	}
}

static const struct absent_row {
	int line;
	const char *machine;
	uint32_t kind;
	const char *from, *to;
	const char *event;
	const char *reason, *remedy;
} absent_rows[] = {
	{ __LINE__, SKX, 0, NULL, NULL, "stalled-cycles-backend", "", "" },
	{ __LINE__, SKX, 0, NULL, NULL, "uncore_imc/cas_count_read/",
	  "uncore_imc_0 counts for everything that runs", "-a" },
	{ __LINE__, SKX, 0, "\"tsc_hz\": 2500000000,", "", "tsc",
	  "this architecture has no counter that user mode may read", "task-clock" },
	{ __LINE__, SKX, 0, "\"tsc_hz\": 2500000000,", "", "tsc-frequency",
	  "needs tsc: ", "task-clock" },
	{ __LINE__, SKX, NTIME_TARGET_MACHINE, NULL, NULL, "rapl::RAPL_ENERGY_GPU", "", "" },
	{ __LINE__, ZEN, 0, NULL, NULL, "skx::INST_RETIRED:ANY_P",
	  "is a PMU of other processors (Intel Skylake X)", "" },
	{ __LINE__, ARM, 0, NULL, NULL, "branches", "", "" },
	{ __LINE__, KVM, 0, NULL, NULL, "cycles", "hypervisor (KVM) exposes no core PMU",
	  "-cpu host,pmu=on" },
	{ __LINE__, RES, 0, NULL, NULL, "page-faults", "perf_event_paranoid is 4",
	  "kernel.perf_event_paranoid" },
};

/* What cannot be counted is no error of the session, and no 0. */
TEST(what_is_missing_has_a_reason)
{
	TT_FOR_EACH_ROW(r, absent_rows) {
		struct ntime_item item = { .size = sizeof(item) };
		struct ntime_value value[4];
		struct rig rig;
		int at;

		init(&rig, r->machine, r->from, r->to, r->kind, 0);
		TT_EQ(r, ntime_session_add(rig.s, r->event, &at), 0);
		TT_EQ(r, ntime_session_add(rig.s, "dummy", NULL), 0);
		TT_EQ(r, ntime_session_start(rig.s), 0);
		TT_EQ(r, ntime_session_item(rig.s, (size_t)at, &item), 0);
		TT_EQ(r, !*item.reason, 0);
		tt_has_(item.reason, r->reason, r->event, __FILE__, r->line);
		tt_has_(item.remedy, r->remedy, r->event, __FILE__, r->line);
		TT_EQ(r, ntime_session_read(rig.s, value, ntime_session_count(rig.s)),
		      ntime_session_count(rig.s));
		TT_EQ(r, value[at].flags & (NTIME_ABSENT | NTIME_SIMULATED),
		      NTIME_ABSENT | NTIME_SIMULATED);
		TT_EQ(r, value[at].count, 0);
		TT_EQ(r, value[at].value != value[at].value, 1); /* NaN */
		fini(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes_are_these),
		cmocka_unit_test(impossible_groups_are_refused),
		cmocka_unit_test(what_is_missing_has_a_reason),
	};

	return TT_RUN(tests);
}
