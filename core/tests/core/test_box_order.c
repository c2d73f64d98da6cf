// SPDX-License-Identifier: MIT
/*
 * core/seq/box: the order of accesses of every kind, typed in from the manuals and from what Linux'
 * drivers do, with the source beside each; and where counters are that always run.
 */
#include <errno.h>

#include "core/seq/box.h"
#include "core/tests/core/box_bank.h"
#include "base/tests/tt.h"

/* ---- the order of accesses, typed in ---- */

static const struct box_row order_rows[] = {
	/*
	 * The recipe for throttled blades (facts on this uncore; Intel 253669, 18.17.2): event 83h
	 * umask 01h on counter 2 is 0x420183 to 0x3c2 and 1 << 2 ORed into 0x391. Counter 0 counts
	 * for somebody, whose bits stay.
	 */
	{ __LINE__, "nhm_uncore", 0,
	  "set m391 0x8000000000000001 m3c0 0x400101 m3b2 0x123456789abc\n"
	  "discover = 0x1000000ff: R m3c0 R m3b0 R m3c1 R m3b1 R m3c2 R m3b2 R m3c3 R m3b3 "
	  "R m3c4 R m3b4 R m3c5 R m3b5 R m3c6 R m3b6 R m3c7 R m3b7 R m395 R m394\n"
	  "find_free 0x1000000ff = 0x1000000fe: R m3c0 R m3c1 R m3c2 R m3c3 R m3c4 R m3c5 "
	  "R m3c6 R m3c7 R m395\n"
	  "program 2 0x0183: R m3c2 R m3b2 R m391 R m392 R m391 W m3b2 0 R m3b2 W m3c2 420183 "
	  "R m3c2\n"
	  "has m3c2 0x400183\n" /* bit 17 reads 0 */
	  "counters = 4\n"
	  "start 4: R m392 R m391 W m391 8000000000000005\n"
	  "set m3b2 0x1234567 m392 0x8000000000000004\n"
	  "read 2 = 0x1234567: R m3b2\n"
	  "overflows 4 = 4: R m392 W m393 4\n"
	  "has m392 0x8000000000000000\n"
	  "set m392 0\n"
	  "check 4 = 0: R m391 R m3c2\n"
	  "stop 4: R m391 W m391 8000000000000001\n"
	  "restore: R m3c2 W m3c2 0 W m3b2 123456789abc R m392 R m391\n" },
	/*
	 * Linux left all bits of 0x391 set when it counted last (uncore_snb.c,
	 * nhm_uncore_msr_enable_box()), an event without its enable bit, and flags: what is taken
	 * is cleared while it is set up, started together with one write, and given back.
	 */
	{ __LINE__, "nhm_uncore", 0,
	  "set m391 0x1000000ff m3c1 0x0000012f m3b1 77 m395 4 m392 0x100000001\n"
	  "program 1 0x2a840f2c: R m3c1 R m3b1 R m391 R m392 R m391 W m391 1000000fd W m3b1 0 "
	  "R m3b1 W m3c1 2ac60f2c R m3c1\n"
	  "program 32 0xff: R m395 R m394 R m391 R m392 R m391 W m391 fd W m394 0 R m394 "
	  "W m395 1 R m395\n"
	  "start 0x100000002: R m392 W m393 100000000 R m391 W m391 1000000ff\n"
	  "changed m392 1\n" /* it can be cleared and not set */
	  "restore: R m3c1 R m395 R m391 W m391 fd R m3c1 W m3c1 12f W m3b1 4d R m395 W m395 4 "
	  "W m394 0 R m392 R m391 W m391 1000000ff\n" },
	/*
	 * Linux 6.1 uncore_snbep.c, snbep_uncore_pci_*: enable bit 22 of 0xd8 + 4n, freeze with
	 * bit 8 of 0xf4 where bit 16 is set. Nobody counts: the box stands while the enable bits
	 * are set, so that counters start together; 0xf4 is then as it was. Events: CAS_COUNT.RD
	 * and .WR.
	 */
	{ __LINE__, "snbep_imc", 0,
	  "set pf4 0x10003\n" /* what the resets read as is never written back */
	  "set pa8 0x800000000001\n"
	  "program 0 0x0304: R pd8 R pa0 W pa0 0 R pa0 W pd8 304 R pd8\n"
	  "program 1 0x0c04: R pdc R pa8 W pa8 0 R pa8 W pdc c04 R pdc\n"
	  "program 32 0xff: R pf0 R pd0 W pd0 0 R pd0 W pf0 0 R pf0\n"
	  "start 0x100000003: R pf4 R pe0 R pe4 W pf4 10100 R pd8 W pd8 400304 R pdc "
	  "W pdc 400c04 R pf0 W pf0 400000 W pf4 10000\n"
	  "set pa8 0xffff000000000007\n" /* the upper bits are not the counter's */
	  "read 1 = 7: R pa8\n"
	  "set pa8 7\n"
	  "overflows 3 ! ENOTSUP\n"
	  "check 0x100000003 = 0: R pf4 R pd8 R pdc R pf0\n"
	  "stop 0x100000003: R pf4 R pe0 R pe4 W pf4 10100 R pd8 W pd8 304 R pdc W pdc c04 "
	  "R pf0 W pf0 0 W pf4 10000\n"
	  "restore: R pd8 W pd8 0 W pa0 0 R pdc W pdc 0 W pa8 800000000001 R pf0 W pf0 0 "
	  "W pd0 0\n" },
	/*
	 * Somebody counts with counter 3: his box is never stopped, counters start and stop one
	 * after the other.
	 */
	{ __LINE__, "snbep_imc", 0,
	  "set pf4 0x10000 pe4 0x400001\n"
	  "program 0 0x0304\n"
	  "program 1 0x0c04\n"
	  "start 3: R pf4 R pe0 R pe4 R pf0 R pd8 W pd8 400304 R pdc W pdc 400c04\n"
	  "restore: R pd8 R pdc R pf4 R pe0 R pe4 R pf0 R pd8 W pd8 304 R pdc W pdc c04 R pd8 "
	  "W pd8 0 W pa0 0 R pdc W pdc 0 W pa8 0\n" },
	/*
	 * A box that Linux froze (snbep_uncore_pci_disable_box()) and in which nobody counts runs
	 * while we count, and stands again.
	 */
	{ __LINE__, "snbep_imc", 0,
	  "set pf4 0x10100\n"
	  "program 2 0x0304\n"
	  "start 4: R pf4 R pd8 R pdc R pe4 R pf0 R pe0 W pe0 400304 W pf4 10000\n"
	  "stop 4: R pf4 R pd8 R pdc R pe4 R pf0 W pf4 10100 R pe0 W pe0 304\n"
	  "restore\n" },
	/*
	 * And one in which somebody has a counter enabled that would run then is not started;
	 * nothing is written.
	 */
	{ __LINE__, "snbep_imc", 0,
	  "set pf4 0x10100\n"
	  "program 2 0x0304\n"
	  "set pd8 0x400001\n"
	  "remember\n"
	  "start 4 ! EBUSY: reads\n"
	  "found\n"
	  "changed pd8 0x400001\n"
	  "restore\n"
	  "has pf4 0x10100 pd8 0x400001\n" },
	/* Who began to count in a box that we let run relies on its running. */
	{ __LINE__, "snbep_imc", 0,
	  "set pf4 0x10100\n"
	  "program 2 0x0304\n"
	  "start 4\n"
	  "set pd8 0x400001\n"
	  "changed pf4 0x10000 pd8 0x400001\n"
	  "restore\n"
	  "has pf4 0x10000 pd8 0x400001 pe0 0\n" },
	/* Without frz_en the box is not frozen, whatever frz says. */
	{ __LINE__, "snbep_imc", 0,
	  "set pf4 0x100\n"
	  "program 0 0x0304\n"
	  "start 1: R pf4 R pdc R pe0 R pe4 R pf0 W pf4 10100 R pd8 W pd8 400304 W pf4 100\n"
	  "restore\n" },
	/* Linux 6.1 uncore_snbep.c, skx_uncore_imc: the same addresses, and no frz_en. */
	{ __LINE__, "skx_imc", 0,
	  "program 3 0x0304: R pe4 R pb8 W pb8 0 R pb8 W pe4 304 R pe4\n"
	  "program 32 0xff: R pf0 R pd0 W pd0 0 R pd0 W pf0 0 R pf0\n"
	  "start 0x100000008: R pf4 R pd8 R pdc R pe0 W pf4 100 R pe4 W pe4 400304 R pf0 "
	  "W pf0 400000 W pf4 0\n"
	  "restore: R pe4 R pf0 R pf4 R pd8 R pdc R pe0 W pf4 100 R pe4 W pe4 304 R pf0 W pf0 0 "
	  "W pf4 0 R pe4 W pe4 0 W pb8 0 R pf0 W pf0 0 W pd0 0\n" },
	/*
	 * SKX_M2M_PCI_PMON_*: counters from 0x200 and select registers from 0x228 every 8 bytes,
	 * box control 0x258. DIRECTORY_UPDATE.ANY.
	 */
	{ __LINE__, "skx_m2m", 0,
	  "program 1 0x012e: R p230 R p208 W p208 0 R p208 W p230 12e R p230\n"
	  "start 2: R p258 R p228 R p238 R p240 W p258 100 R p230 W p230 40012e W p258 0\n"
	  "restore: R p230 R p258 R p228 R p238 R p240 W p258 100 R p230 W p230 12e W p258 0 "
	  "R p230 W p230 0 W p208 0\n" },
	/*
	 * SKX_UPI_PCI_PMON_*: counters from 0x318, select registers of 64 bits from 0x350,
	 * SKX_UPI_CTL_UMASK_EXT in their upper half, box control 0x378.
	 */
	{ __LINE__, "skx_upi", 0,
	  "program 2 0x00100e0000001f05: R p360 R p328 W p328 0 R p328 W p360 100e0000001f05 "
	  "R p360\n"
	  "start 4: R p378 R p350 R p358 R p368 W p378 100 R p360 W p360 100e0000401f05 "
	  "W p378 0\n"
	  "restore: R p360 R p378 R p350 R p358 R p368 W p378 100 R p360 W p360 100e0000001f05 "
	  "W p378 0 R p360 W p360 0 W p328 0\n" },
	/*
	 * HSWEP_C0_MSR_PMON_* + 0x10 for each box (box 5: 0xe50), filters in two halves
	 * (hswep_cbox_enable_event()). LLC_LOOKUP.ANY (0x1134) needs the states of filter 0,
	 * TOR_INSERTS (0x35) filter 1; a clock needs none.
	 */
	{ __LINE__, "skx_cha", 5,
	  "set me55 0x1e01 me56 0x3b\n"
	  "program 0 0x1134 0x1e20000: R me51 R me58 R me55 R me51 R me52 R me53 R me54 "
	  "W me55 1e21e01 W me58 0 R me58 W me51 1134 R me51\n"
	  "program 2 0x2135 0x4043300000000: R me53 R me5a R me56 R me52 R me53 R me54 "
	  "W me56 40433 W me5a 0 R me5a W me53 2135 R me53\n"
	  "program 3 0: R me54 R me5b W me5b 0 R me5b W me54 0 R me54\n"
	  "start 0xd: R me50 R me52 W me50 100 R me51 W me51 401134 R me53 W me53 402135 R me54 "
	  "W me54 400000 W me50 0\n"
	  "stop 0xd\n"
	  "release 5: R me51 W me51 0 W me58 0 R me53 W me53 0 W me5a 0 R me55 W me55 1e01 "
	  "R me56 W me56 3b\n"
	  "counters = 8\n"
	  "restore: R me54 W me54 0 W me5b 0\n" },
	/*
	 * Linux 6.1 amd/uncore.c, amd_uncore_start(): the counter is written, then the select
	 * register with its enable bit. L3 misses, all slices and threads.
	 */
	{ __LINE__, "amd_l3_f17h", 0,
	  "set mc0010230 0xff0f000000400106\n" /* counter 0 is somebody's */
	  "set mc0010235 0x123\n"
	  "program 2 0x0106: R mc0010234 R mc0010235 W mc0010235 0 R mc0010235 "
	  "W mc0010234 ff0f000000000106 R mc0010234\n"
	  "start 4: R mc0010234 W mc0010234 ff0f000000400106\n"
	  "stop 4: R mc0010234 W mc0010234 ff0f000000000106\n"
	  "restore: R mc0010234 W mc0010234 0 W mc0010235 123\n" },
	/* Family 19h, no thread: all cores, slices, both threads (amd_uncore_l3_event_init()). */
	{ __LINE__, "amd_l3_f19h", 0,
	  "program 5 0x0104: R mc001023a R mc001023b W mc001023b 0 R mc001023b "
	  "W mc001023a 300c00000000104 R mc001023a\n"
	  "start 0x20: R mc001023a W mc001023a 300c00000400104\n" },
	/*
	 * Data fabric: MSR_F15H_NB_PERF_CTL and _CTR alternate; event bits 8 to 11 are 32 to 35
	 * (DRAM channel 0, event 7, umask 0x38).
	 */
	{ __LINE__, "amd_df", 0,
	  "program 0 0x3807: R mc0010240 R mc0010241 W mc0010241 0 R mc0010241 W mc0010240 3807 "
	  "R mc0010240\n"
	  "program 3 0x800000100003887: R mc0010246 R mc0010247 W mc0010247 0 R mc0010247 "
	  "W mc0010246 800000100003887 R mc0010246\n"
	  "start 9: R mc0010240 W mc0010240 403807 R mc0010246 W mc0010246 800000100403887\n"
	  "restore: R mc0010240 W mc0010240 3807 R mc0010246 W mc0010246 800000100003887 "
	  "R mc0010240 W mc0010240 0 W mc0010241 0 R mc0010246 W mc0010246 0 W mc0010247 0\n" },
	{ __LINE__, "amd_df_v2", 0,
	  "program 15 0x3f0f00ff1f: R mc001025e R mc001025f W mc001025f 0 R mc001025f "
	  "W mc001025e 3f0f00ff1f R mc001025e\n"
	  "start 0x8000: R mc001025e W mc001025e 3f0f40ff1f\n" },
	/* Bit 31 of IA32_THERM_STATUS: readout is valid. Without it no temperature is read. */
	{ __LINE__, "thermal", 0,
	  "set m19c 0x270001\n"
	  "read 12 ! ENODATA\n"
	  "read 0 = 1\n" },
	/* perf_msr_probe(): a domain that reads 0 is not there; a unit of 0 is an emulator's. */
	{ __LINE__, "power", 0,
	  "discover ! ENOTSUP: R m606\n"
	  "set m606 0xa0e03\n"
	  "discover ! ENOTSUP\n"
	  "set m611 5 m619 6\n"
	  "discover = 6: R m606 R m639 R m611 R m619 R m641 R m64d\n" },
	/* A register of many states is read once to find them. */
	{ __LINE__, "thermal", 0,
	  "discover = 0x3fff: R m19c R m1a2\n"
	  "fail_at 1\n"
	  "discover = 0x1fff\n" },
};

TEST(accesses_are_in_order)
{
	TT_FOR_EACH_ROW(r, order_rows)
		box_play(r);
}

/* ---- counters that always run, and states ---- */

static const struct free_row {
	int line;
	const char *kind;
	uint64_t config;
	const char *name;
	uint32_t address;
	uint64_t held, value;
	uint32_t width;
	bool is_state;
} free_rows[] = {
	/*
	 * MSR_*_ENERGY_STATUS, 32 bits (rapl.c); config as in
	 * /sys/bus/event_source/devices/power/events
	 */
	{ __LINE__, "power", 1, "energy-cores", 0x639, 0x1ffffffff, 0xffffffff, 32, false },
	{ __LINE__, "power", 2, "energy-pkg", 0x611, 7, 7, 32, false },
	{ __LINE__, "power", 3, "energy-ram", 0x619, 7, 7, 32, false },
	{ __LINE__, "power", 4, "energy-gpu", 0x641, 7, 7, 32, false },
	{ __LINE__, "power", 5, "energy-psys", 0x64d, 7, 7, 32, false },
	{ __LINE__, "power_hsx", 3, "energy-ram", 0x619, 7, 7, 32, false },
	{ __LINE__, "power_spr", 5, "energy-psys", 0x64d, 7, 7, 32, false },
	{ __LINE__, "amd_power", 2, "energy-pkg", 0xc001029b, 7, 7, 32, false },
	{ __LINE__, "amd_power_core", 1, "energy-core", 0xc001029a, 7, 7, 32, false },
	{ __LINE__, "msr", 0, "tsc", 0x10, UINT64_MAX, UINT64_MAX, 64, false },
	{ __LINE__, "msr", 1, "aperf", 0xe8, 5, 5, 64, false },
	{ __LINE__, "msr", 2, "mperf", 0xe7, 5, 5, 64, false },
	{ __LINE__, "cstate_core", 0, "c1-residency", 0x660, 5, 5, 64, false },
	{ __LINE__, "cstate_core", 1, "c3-residency", 0x3fc, 5, 5, 64, false },
	{ __LINE__, "cstate_core", 2, "c6-residency", 0x3fd, 5, 5, 64, false },
	{ __LINE__, "cstate_core", 3, "c7-residency", 0x3fe, 5, 5, 64, false },
	{ __LINE__, "cstate_pkg", 0, "c2-residency", 0x60d, 5, 5, 64, false },
	{ __LINE__, "cstate_pkg", 1, "c3-residency", 0x3f8, 5, 5, 64, false },
	{ __LINE__, "cstate_pkg", 2, "c6-residency", 0x3f9, 5, 5, 64, false },
	{ __LINE__, "cstate_pkg", 3, "c7-residency", 0x3fa, 5, 5, 64, false },
	{ __LINE__, "cstate_pkg", 4, "c8-residency", 0x630, 5, 5, 64, false },
	{ __LINE__, "cstate_pkg", 5, "c9-residency", 0x631, 5, 5, 64, false },
	{ __LINE__, "cstate_pkg", 6, "c10-residency", 0x632, 5, 5, 64, false },
	/* bits of IA32_THERM_STATUS: SDM vol. 3B, 14.7.5.2 */
	{ __LINE__, "thermal", 0, "hot", 0x19c, 0x1, 1, 1, true },
	{ __LINE__, "thermal", 1, "hot-log", 0x19c, 0x2, 1, 1, true },
	{ __LINE__, "thermal", 2, "prochot", 0x19c, 0x4, 1, 1, true },
	{ __LINE__, "thermal", 3, "prochot-log", 0x19c, 0x8, 1, 1, true },
	{ __LINE__, "thermal", 4, "critical", 0x19c, 0x10, 1, 1, true },
	{ __LINE__, "thermal", 5, "critical-log", 0x19c, 0x20, 1, 1, true },
	{ __LINE__, "thermal", 6, "power-limit", 0x19c, 0x400, 1, 1, true },
	{ __LINE__, "thermal", 7, "power-limit-log", 0x19c, 0x800, 1, 1, true },
	{ __LINE__, "thermal", 8, "current-limit", 0x19c, 0x1000, 1, 1, true },
	{ __LINE__, "thermal", 9, "current-limit-log", 0x19c, 0x2000, 1, 1, true },
	{ __LINE__, "thermal", 10, "cross-domain", 0x19c, 0x4000, 1, 1, true },
	{ __LINE__, "thermal", 11, "cross-domain-log", 0x19c, 0x8000, 1, 1, true },
	{ __LINE__, "thermal", 12, "headroom", 0x19c, 0x80270000, 39, 7, true },
	{ __LINE__, "thermal", 13, "limit", 0x1a2, 0x640a00, 100, 8, true },
	{ __LINE__, "thermal_pkg", 0, "hot", 0x1b1, 0x1, 1, 1, true },
	{ __LINE__, "thermal_pkg", 1, "hot-log", 0x1b1, 0x2, 1, 1, true },
	{ __LINE__, "thermal_pkg", 2, "prochot", 0x1b1, 0x4, 1, 1, true },
	{ __LINE__, "thermal_pkg", 3, "prochot-log", 0x1b1, 0x8, 1, 1, true },
	{ __LINE__, "thermal_pkg", 4, "critical", 0x1b1, 0x10, 1, 1, true },
	{ __LINE__, "thermal_pkg", 5, "critical-log", 0x1b1, 0x20, 1, 1, true },
	{ __LINE__, "thermal_pkg", 6, "power-limit", 0x1b1, 0x400, 1, 1, true },
	{ __LINE__, "thermal_pkg", 7, "power-limit-log", 0x1b1, 0x800, 1, 1, true },
	{ __LINE__, "thermal_pkg", 12, "headroom", 0x1b1, 0x270000, 39, 7, true },
	{ __LINE__, "thermal_pkg", 13, "limit", 0x1a2, 0x640a00, 100, 8, true },
};

/* The one counter of a set. */
static uint32_t only_of(uint64_t counters)
{
	uint32_t n = 0;

	assert_true(counters && !(counters & (counters - 1)));
	while (!(counters >> n & 1))
		n++;
	return n;
}

TEST(what_always_runs_is_read_where_it_is)
{
	TT_FOR_EACH_ROW(r, free_rows) {
		struct bank bank;
		struct nthw_box box = box_of(&bank, r->kind, 0);
		struct nthw_box_state st = { 0 };
		struct nthw_box_event event = event_of(&box, r->config, 0);
		uint32_t n = only_of(nthw_box_counters(box.kind, &event)), index;
		uint64_t value = 0;
		char expected[32];

		TT_STR(r, box.kind->free[n].name, r->name);
		TT_EQ(r, nthw_reg_addr(nthw_box_counter(box.kind, n, &index), index), r->address);
		TT_EQ(r, nthw_box_width(box.kind, n), r->width);
		TT_EQ(r, nthw_box_is_state(box.kind, n), r->is_state);
		set(&bank, MSR(r->address), r->held);
		TT_EQ(r, nthw_box_read(&box, n, &value), 0);
		TT_EQ(r, value, r->value);
		snprintf(expected, sizeof(expected), "R m%x\n", r->address);
		TT_STR(r, bank.log, expected);
		/* it cannot be programmed, and nothing has to be */
		bank_forget(&bank);
		TT_EQ(r, nthw_box_find_free(&box, BIT(n), &value), 0);
		TT_EQ(r, value, BIT(n));
		TT_EQ(r, nthw_box_program(&box, n, &event, &st), -EINVAL);
		TT_EQ(r, nthw_box_start(&box, 0, &st), 0);
		TT_EQ(r, nthw_box_stop(&box, 0, &st), 0);
		TT_EQ(r, nthw_box_check(&box, 0, &st, &value), 0);
		TT_EQ(r, nthw_box_restore(&box, &st), 0);
		TT_EQ(r, nthw_box_overflows(&box, BIT(n), &value), -ENOTSUP);
		TT_EQ(r, bank.accesses, 0);
	}
}

TEST(all_that_always_run_are_in_the_table_above)
{
	size_t i, rows = 0;

	for (i = 0; i < nthw_box_kind_count; i++)
		rows += nthw_box_kinds[i]->frees;
	/* those of the two further kinds of "power" that are in "power" as well */
	TT_IS(rows, NTHW_ARRAY_SIZE(free_rows) + 2 + 3);
}

/*
 * 0xa0e03: power 3, energy 14, time 10. Memory of Haswell's servers and psys of Sapphire Rapids
 * have their own (rapl_check_hw_unit()).
 */
static const struct energy_row {
	int line;
	const char *kind;
	uint32_t counter, unit_address;
	int error;
	uint32_t bits;
} energy_rows[] = {
	{ __LINE__, "power", 0, 0x606, 0, 14 },
	{ __LINE__, "power", 4, 0x606, 0, 14 },
	{ __LINE__, "power_hsx", 1, 0x606, 0, 14 },
	{ __LINE__, "power_hsx", 2, 0x606, 0, 16 },
	{ __LINE__, "power_spr", 2, 0x606, 0, 14 },
	{ __LINE__, "power_spr", 3, 0x606, 0, 0 },
	{ __LINE__, "amd_power", 0, 0xc0010299, 0, 14 },
	{ __LINE__, "amd_power_core", 0, 0xc0010299, 0, 14 },
	{ __LINE__, "power", 5, 0x606, -ENOTSUP, 9 },
	{ __LINE__, "msr", 0, 0x10, -ENOTSUP, 9 },
	{ __LINE__, "nhm_uncore", 0, 0x391, -ENOTSUP, 9 },
};

TEST(units_of_energy_are_told)
{
	TT_FOR_EACH_ROW(r, energy_rows) {
		struct bank bank;
		struct nthw_box box = box_of(&bank, r->kind, 0);
		uint32_t bits = 9;

		set(&bank, MSR(r->unit_address), 0xa0e03);
		TT_EQ(r, nthw_box_energy_bits(&box, r->counter, &bits), r->error);
		TT_EQ(r, bits, r->bits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_are_in_order),
		cmocka_unit_test(what_always_runs_is_read_where_it_is),
		cmocka_unit_test(all_that_always_run_are_in_the_table_above),
		cmocka_unit_test(units_of_energy_are_told),
	};

	return TT_RUN(tests);
}
