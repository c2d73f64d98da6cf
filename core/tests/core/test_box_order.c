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

/*
 * The recipe for throttled blades (facts on this uncore; Intel 253669, 18.17.2): event 83h umask
 * 01h on counter 2 is 0x420183 to 0x3c2 and 1 << 2 ORed into 0x391. Counter 0 counts for somebody,
 * whose bits stay.
 */
TEST(nehalem_recipe_in_order)
{
	struct nthw_box_state st = { 0 };
	uint64_t value = 0;
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "nhm_uncore", 0);

	set(&bank, MSR(0x391), 0x8000000000000001);
	set(&bank, MSR(0x3c0), 0x400101);
	set(&bank, MSR(0x3b2), 0x123456789abc);
	before = copy_of(&bank);
	TT_IS(nthw_box_discover(&box, &value), 0);
	TT_IS(value, FIXED | 0xff);
	went(&bank, "R m3c0\nR m3b0\nR m3c1\nR m3b1\nR m3c2\nR m3b2\nR m3c3\nR m3b3\n"
		    "R m3c4\nR m3b4\nR m3c5\nR m3b5\nR m3c6\nR m3b6\nR m3c7\nR m3b7\n"
		    "R m395\nR m394\n");
	TT_IS(nthw_box_find_free(&box, value, &value), 0);
	TT_IS(value, FIXED | 0xfe);
	went(&bank, "R m3c0\nR m3c1\nR m3c2\nR m3c3\nR m3c4\nR m3c5\nR m3c6\nR m3c7\nR m395\n");

	TT_IS(program(&box, 2, 0x0183, 0, &st), 0);
	went(&bank, "R m3c2\nR m3b2\nR m391\nR m392\n"
		    "R m391\nW m3b2 0\nR m3b2\nW m3c2 420183\nR m3c2\n");
	TT_IS(at(&bank, MSR(0x3c2)), 0x400183); /* bit 17 reads 0 */
	TT_IS(st.counters, 4);
	TT_IS(nthw_box_start(&box, 4, &st), 0);
	went(&bank, "R m392\nR m391\nW m391 8000000000000005\n");

	set(&bank, MSR(0x3b2), 0x1234567);
	set(&bank, MSR(0x392), 0x8000000000000004);
	TT_IS(nthw_box_read(&box, 2, &value), 0);
	TT_IS(value, 0x1234567);
	went(&bank, "R m3b2\n");
	TT_IS(nthw_box_overflows(&box, 4, &value), 0);
	TT_IS(value, 4);
	went(&bank, "R m392\nW m393 4\n");
	TT_IS(at(&bank, MSR(0x392)), 0x8000000000000000);
	set(&bank, MSR(0x392), 0);
	TT_IS(nthw_box_check(&box, 4, &st, &value), 0);
	TT_IS(value, 0);
	went(&bank, "R m391\nR m3c2\n");

	TT_IS(nthw_box_stop(&box, 4, &st), 0);
	went(&bank, "R m391\nW m391 8000000000000001\n");
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R m3c2\nW m3c2 0\nW m3b2 123456789abc\nR m392\nR m391\n");
	TT_IS(st.counters, 0);
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * Linux left all bits of 0x391 set when it counted last (uncore_snb.c,
 * nhm_uncore_msr_enable_box()), an event without its enable bit, and flags: what is taken is
 * cleared while it is set up, started together with one write, and given back.
 */
TEST(nehalem_after_perf_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "nhm_uncore", 0);

	set(&bank, MSR(0x391), 0x1000000ff);
	set(&bank, MSR(0x3c1), 0x0000012f);
	set(&bank, MSR(0x3b1), 77);
	set(&bank, MSR(0x395), 4);
	set(&bank, MSR(0x392), 0x100000001);
	before = copy_of(&bank);
	TT_IS(program(&box, 1, 0x2a840f2c, 0, &st), 0);
	went(&bank, "R m3c1\nR m3b1\nR m391\nR m392\n"
		    "R m391\nW m391 1000000fd\nW m3b1 0\nR m3b1\nW m3c1 2ac60f2c\nR m3c1\n");
	TT_IS(program(&box, 32, 0xff, 0, &st), 0);
	went(&bank, "R m395\nR m394\nR m391\nR m392\n"
		    "R m391\nW m391 fd\nW m394 0\nR m394\nW m395 1\nR m395\n");
	TT_IS(nthw_box_start(&box, FIXED | 2, &st), 0);
	went(&bank, "R m392\nW m393 100000000\nR m391\nW m391 1000000ff\n");
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R m3c1\nR m395\nR m391\nW m391 fd\n"
		    "R m3c1\nW m3c1 12f\nW m3b1 4d\nR m395\nW m395 4\nW m394 0\n"
		    "R m392\nR m391\nW m391 1000000ff\n");
	is_as_found(&bank, before, 0x392, FIXED);
	free(before);
}

/*
 * Linux 6.1 uncore_snbep.c, snbep_uncore_pci_*: enable bit 22 of 0xd8 + 4n, freeze with bit 8 of
 * 0xf4 where bit 16 is set. Nobody counts: the box stands while the enable bits are set, so that
 * counters start together; 0xf4 is then as it was. Events: CAS_COUNT.RD and .WR.
 */
TEST(snbep_imc_in_order)
{
	struct nthw_box_state st = { 0 };
	uint64_t value = 0;
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "snbep_imc", 0);

	set(&bank, PCI(0xf4), 0x10003); /* what the resets read as is never written back */
	set(&bank, PCI(0xa8), 0x800000000001);
	before = copy_of(&bank);
	TT_IS(program(&box, 0, 0x0304, 0, &st), 0);
	went(&bank, "R pd8\nR pa0\nW pa0 0\nR pa0\nW pd8 304\nR pd8\n");
	TT_IS(program(&box, 1, 0x0c04, 0, &st), 0);
	went(&bank, "R pdc\nR pa8\nW pa8 0\nR pa8\nW pdc c04\nR pdc\n");
	TT_IS(program(&box, 32, 0xff, 0, &st), 0);
	went(&bank, "R pf0\nR pd0\nW pd0 0\nR pd0\nW pf0 0\nR pf0\n");

	TT_IS(nthw_box_start(&box, FIXED | 3, &st), 0);
	went(&bank, "R pf4\nR pe0\nR pe4\nW pf4 10100\n"
		    "R pd8\nW pd8 400304\nR pdc\nW pdc 400c04\nR pf0\nW pf0 400000\n"
		    "W pf4 10000\n");
	set(&bank, PCI(0xa8), 0xffff000000000007); /* the upper bits are not the counter's */
	TT_IS(nthw_box_read(&box, 1, &value), 0);
	TT_IS(value, 7);
	went(&bank, "R pa8\n");
	set(&bank, PCI(0xa8), 7);
	TT_IS(nthw_box_overflows(&box, 3, &value), -ENOTSUP);
	TT_IS(nthw_box_check(&box, FIXED | 3, &st, &value), 0);
	TT_IS(value, 0);
	went(&bank, "R pf4\nR pd8\nR pdc\nR pf0\n");
	TT_IS(nthw_box_stop(&box, FIXED | 3, &st), 0);
	went(&bank, "R pf4\nR pe0\nR pe4\nW pf4 10100\n"
		    "R pd8\nW pd8 304\nR pdc\nW pdc c04\nR pf0\nW pf0 0\nW pf4 10000\n");
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R pd8\nW pd8 0\nW pa0 0\nR pdc\nW pdc 0\nW pa8 800000000001\n"
		    "R pf0\nW pf0 0\nW pd0 0\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * Somebody counts with counter 3: his box is never stopped, counters start and stop one after the
 * other.
 */
TEST(snbep_imc_beside_others_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "snbep_imc", 0);

	set(&bank, PCI(0xf4), 0x10000);
	set(&bank, PCI(0xe4), 0x400001);
	before = copy_of(&bank);
	TT_IS(program(&box, 0, 0x0304, 0, &st), 0);
	TT_IS(program(&box, 1, 0x0c04, 0, &st), 0);
	bank_forget(&bank);
	TT_IS(nthw_box_start(&box, 3, &st), 0);
	went(&bank, "R pf4\nR pe0\nR pe4\nR pf0\nR pd8\nW pd8 400304\nR pdc\nW pdc 400c04\n");
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R pd8\nR pdc\nR pf4\nR pe0\nR pe4\nR pf0\nR pd8\nW pd8 304\nR pdc\nW pdc c04\n"
		    "R pd8\nW pd8 0\nW pa0 0\nR pdc\nW pdc 0\nW pa8 0\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * A box that Linux froze (snbep_uncore_pci_disable_box()) and in which nobody counts runs while we
 * count, and stands again.
 */
TEST(a_frozen_box_is_frozen_again)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "snbep_imc", 0);

	set(&bank, PCI(0xf4), 0x10100);
	before = copy_of(&bank);
	TT_IS(program(&box, 2, 0x0304, 0, &st), 0);
	bank_forget(&bank);
	TT_IS(nthw_box_start(&box, 4, &st), 0);
	went(&bank, "R pf4\nR pd8\nR pdc\nR pe4\nR pf0\nR pe0\nW pe0 400304\nW pf4 10000\n");
	TT_IS(nthw_box_stop(&box, 4, &st), 0);
	went(&bank, "R pf4\nR pd8\nR pdc\nR pe4\nR pf0\nW pf4 10100\nR pe0\nW pe0 304\n");
	TT_IS(nthw_box_restore(&box, &st), 0);
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * And one in which somebody has a counter enabled that would run then is not started; nothing is
 * written.
 */
TEST(a_frozen_box_of_others_is_left_frozen)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "snbep_imc", 0);

	set(&bank, PCI(0xf4), 0x10100);
	TT_IS(program(&box, 2, 0x0304, 0, &st), 0);
	set(&bank, PCI(0xd8), 0x400001);
	bank_forget(&bank);
	before = copy_of(&bank);
	TT_IS(nthw_box_start(&box, 4, &st), -EBUSY);
	assert_null(strchr(bank.log, 'W'));
	is_as_found(&bank, before, 0, 0);
	TT_IS(nthw_box_restore(&box, &st), 0);
	TT_IS(at(&bank, PCI(0xf4)), 0x10100);
	TT_IS(at(&bank, PCI(0xd8)), 0x400001);
	free(before);
}

/* Who began to count in a box that we let run relies on its running. */
TEST(a_box_that_others_use_by_now_is_not_frozen_again)
{
	struct nthw_box_state st = { 0 };
	struct bank bank;
	struct nthw_box box = box_of(&bank, "snbep_imc", 0);

	set(&bank, PCI(0xf4), 0x10100);
	TT_IS(program(&box, 2, 0x0304, 0, &st), 0);
	TT_IS(nthw_box_start(&box, 4, &st), 0);
	set(&bank, PCI(0xd8), 0x400001);
	TT_IS(nthw_box_restore(&box, &st), 0);
	TT_IS(at(&bank, PCI(0xf4)), 0x10000);
	TT_IS(at(&bank, PCI(0xd8)), 0x400001);
	TT_IS(at(&bank, PCI(0xe0)), 0);
}

/* Without frz_en the box is not frozen, whatever frz says. */
TEST(frz_alone_freezes_no_sandy_bridge)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "snbep_imc", 0);

	set(&bank, PCI(0xf4), 0x100);
	before = copy_of(&bank);
	TT_IS(program(&box, 0, 0x0304, 0, &st), 0);
	bank_forget(&bank);
	TT_IS(nthw_box_start(&box, 1, &st), 0);
	went(&bank,
	     "R pf4\nR pdc\nR pe0\nR pe4\nR pf0\nW pf4 10100\nR pd8\nW pd8 400304\nW pf4 100\n");
	TT_IS(nthw_box_restore(&box, &st), 0);
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/* Linux 6.1 uncore_snbep.c, skx_uncore_imc: the same addresses, and no frz_en. */
TEST(skx_imc_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "skx_imc", 0);

	before = copy_of(&bank);
	TT_IS(program(&box, 3, 0x0304, 0, &st), 0);
	TT_IS(program(&box, 32, 0xff, 0, &st), 0);
	TT_IS(nthw_box_start(&box, FIXED | 8, &st), 0);
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R pe4\nR pb8\nW pb8 0\nR pb8\nW pe4 304\nR pe4\n"
		    "R pf0\nR pd0\nW pd0 0\nR pd0\nW pf0 0\nR pf0\n"
		    "R pf4\nR pd8\nR pdc\nR pe0\nW pf4 100\n"
		    "R pe4\nW pe4 400304\nR pf0\nW pf0 400000\nW pf4 0\n"
		    "R pe4\nR pf0\nR pf4\nR pd8\nR pdc\nR pe0\nW pf4 100\n"
		    "R pe4\nW pe4 304\nR pf0\nW pf0 0\nW pf4 0\n"
		    "R pe4\nW pe4 0\nW pb8 0\nR pf0\nW pf0 0\nW pd0 0\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * SKX_M2M_PCI_PMON_*: counters from 0x200 and select registers from 0x228 every 8 bytes, box
 * control 0x258. DIRECTORY_UPDATE.ANY.
 */
TEST(skx_m2m_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "skx_m2m", 0);

	before = copy_of(&bank);
	TT_IS(program(&box, 1, 0x012e, 0, &st), 0);
	TT_IS(nthw_box_start(&box, 2, &st), 0);
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank,
	     "R p230\nR p208\nW p208 0\nR p208\nW p230 12e\nR p230\n"
	     "R p258\nR p228\nR p238\nR p240\nW p258 100\nR p230\nW p230 40012e\nW p258 0\n"
	     "R p230\nR p258\nR p228\nR p238\nR p240\nW p258 100\nR p230\nW p230 12e\nW p258 0\n"
	     "R p230\nW p230 0\nW p208 0\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * SKX_UPI_PCI_PMON_*: counters from 0x318, select registers of 64 bits from 0x350,
 * SKX_UPI_CTL_UMASK_EXT in their upper half, box control 0x378.
 */
TEST(skx_upi_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "skx_upi", 0);

	before = copy_of(&bank);
	TT_IS(program(&box, 2, 0x00100e0000001f05ull, 0, &st), 0);
	TT_IS(nthw_box_start(&box, 4, &st), 0);
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R p360\nR p328\nW p328 0\nR p328\nW p360 100e0000001f05\nR p360\n"
		    "R p378\nR p350\nR p358\nR p368\nW p378 100\n"
		    "R p360\nW p360 100e0000401f05\nW p378 0\n"
		    "R p360\nR p378\nR p350\nR p358\nR p368\nW p378 100\n"
		    "R p360\nW p360 100e0000001f05\nW p378 0\n"
		    "R p360\nW p360 0\nW p328 0\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * HSWEP_C0_MSR_PMON_* + 0x10 for each box (box 5: 0xe50), filters in two halves
 * (hswep_cbox_enable_event()). LLC_LOOKUP.ANY (0x1134) needs the states of filter 0, TOR_INSERTS
 * (0x35) filter 1; a clock needs none.
 */
TEST(skx_cha_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "skx_cha", 5);

	set(&bank, MSR(0xe55), 0x1e01);
	set(&bank, MSR(0xe56), 0x3b);
	before = copy_of(&bank);
	TT_IS(program(&box, 0, 0x1134, 0x1e20000, &st), 0);
	went(&bank, "R me51\nR me58\nR me55\nR me51\nR me52\nR me53\nR me54\nW me55 1e21e01\n"
		    "W me58 0\nR me58\nW me51 1134\nR me51\n");
	TT_IS(program(&box, 2, 0x2135, 0x4043300000000, &st), 0);
	went(&bank, "R me53\nR me5a\nR me56\nR me52\nR me53\nR me54\nW me56 40433\n"
		    "W me5a 0\nR me5a\nW me53 2135\nR me53\n");
	TT_IS(program(&box, 3, 0, 0, &st), 0);
	went(&bank, "R me54\nR me5b\nW me5b 0\nR me5b\nW me54 0\nR me54\n");
	TT_IS(nthw_box_start(&box, 0xd, &st), 0);
	went(&bank, "R me50\nR me52\nW me50 100\nR me51\nW me51 401134\nR me53\nW me53 402135\n"
		    "R me54\nW me54 400000\nW me50 0\n");
	TT_IS(nthw_box_stop(&box, 0xd, &st), 0);
	bank_forget(&bank);
	TT_IS(nthw_box_release(&box, 5, &st), 0);
	went(&bank, "R me51\nW me51 0\nW me58 0\nR me53\nW me53 0\nW me5a 0\n"
		    "R me55\nW me55 1e01\nR me56\nW me56 3b\n");
	TT_IS(st.counters, 8);
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R me54\nW me54 0\nW me5b 0\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/*
 * Linux 6.1 amd/uncore.c, amd_uncore_start(): the counter is written, then the select register with
 * its enable bit. L3 misses, all slices and threads.
 */
TEST(amd_l3_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "amd_l3_f17h", 0);

	set(&bank, MSR(0xc0010230), 0xff0f000000400106); /* counter 0 is somebody's */
	set(&bank, MSR(0xc0010235), 0x123);
	before = copy_of(&bank);
	TT_IS(program(&box, 2, 0x0106, 0, &st), 0);
	TT_IS(nthw_box_start(&box, 4, &st), 0);
	TT_IS(nthw_box_stop(&box, 4, &st), 0);
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank, "R mc0010234\nR mc0010235\nW mc0010235 0\nR mc0010235\n"
		    "W mc0010234 ff0f000000000106\nR mc0010234\n"
		    "R mc0010234\nW mc0010234 ff0f000000400106\n"
		    "R mc0010234\nW mc0010234 ff0f000000000106\n"
		    "R mc0010234\nW mc0010234 0\nW mc0010235 123\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

/* Family 19h: without a thread all cores, slices and both threads (amd_uncore_l3_event_init()). */
TEST(amd_l3_of_family_19h_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank;
	struct nthw_box box = box_of(&bank, "amd_l3_f19h", 0);

	TT_IS(program(&box, 5, 0x0104, 0, &st), 0);
	TT_IS(nthw_box_start(&box, 0x20, &st), 0);
	went(&bank, "R mc001023a\nR mc001023b\nW mc001023b 0\nR mc001023b\n"
		    "W mc001023a 300c00000000104\nR mc001023a\n"
		    "R mc001023a\nW mc001023a 300c00000400104\n");
}

/*
 * Data fabric: MSR_F15H_NB_PERF_CTL and _CTR alternate; event bits 8 to 11 are 32 to 35 (DRAM
 * channel 0, event 7, umask 0x38).
 */
TEST(amd_df_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank, *before;
	struct nthw_box box = box_of(&bank, "amd_df", 0);

	before = copy_of(&bank);
	TT_IS(program(&box, 0, 0x3807, 0, &st), 0);
	TT_IS(program(&box, 3, 0x800000100003887ull, 0, &st), 0);
	TT_IS(nthw_box_start(&box, 9, &st), 0);
	TT_IS(nthw_box_restore(&box, &st), 0);
	went(&bank,
	     "R mc0010240\nR mc0010241\nW mc0010241 0\nR mc0010241\nW mc0010240 3807\nR mc0010240\n"
	     "R mc0010246\nR mc0010247\nW mc0010247 0\nR mc0010247\n"
	     "W mc0010246 800000100003887\nR mc0010246\n"
	     "R mc0010240\nW mc0010240 403807\nR mc0010246\nW mc0010246 800000100403887\n"
	     "R mc0010240\nW mc0010240 3807\nR mc0010246\nW mc0010246 800000100003887\n"
	     "R mc0010240\nW mc0010240 0\nW mc0010241 0\n"
	     "R mc0010246\nW mc0010246 0\nW mc0010247 0\n");
	is_as_found(&bank, before, 0, 0);
	free(before);
}

TEST(amd_df_of_version_2_in_order)
{
	struct nthw_box_state st = { 0 };
	struct bank bank;
	struct nthw_box box = box_of(&bank, "amd_df_v2", 0);

	TT_IS(program(&box, 15, 0x3f0f00ff1full, 0, &st), 0);
	TT_IS(nthw_box_start(&box, 0x8000, &st), 0);
	went(&bank, "R mc001025e\nR mc001025f\nW mc001025f 0\nR mc001025f\n"
		    "W mc001025e 3f0f00ff1f\nR mc001025e\n"
		    "R mc001025e\nW mc001025e 3f0f40ff1f\n");
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

/* Bit 31 of IA32_THERM_STATUS: readout is valid. */
TEST(a_temperature_that_is_not_valid_is_not_told)
{
	uint64_t value = 99;
	struct bank bank;
	struct nthw_box box = box_of(&bank, "thermal", 0);

	set(&bank, MSR(0x19c), 0x270001);
	TT_IS(nthw_box_read(&box, 12, &value), -ENODATA);
	TT_IS(value, 99);
	TT_IS(nthw_box_read(&box, 0, &value), 0);
	TT_IS(value, 1);
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

/* perf_msr_probe(): a domain that reads 0 is not there; a unit of 0 is an emulator's. */
TEST(energy_that_is_not_there_is_not_found)
{
	uint64_t found = 0;
	struct bank bank;
	struct nthw_box box = box_of(&bank, "power", 0);

	TT_IS(nthw_box_discover(&box, &found), -ENOTSUP);
	went(&bank, "R m606\n");
	set(&bank, MSR(0x606), 0xa0e03);
	TT_IS(nthw_box_discover(&box, &found), -ENOTSUP);
	set(&bank, MSR(0x611), 5);
	set(&bank, MSR(0x619), 6);
	bank_forget(&bank);
	TT_IS(nthw_box_discover(&box, &found), 0);
	TT_IS(found, 6);
	went(&bank, "R m606\nR m639\nR m611\nR m619\nR m641\nR m64d\n");
}

TEST(a_register_of_many_states_is_read_once_to_find_them)
{
	uint64_t found = 0;
	struct bank bank;
	struct nthw_box box = box_of(&bank, "thermal", 0);

	TT_IS(nthw_box_discover(&box, &found), 0);
	TT_IS(found, 0x3fff);
	went(&bank, "R m19c\nR m1a2\n");
	bank.fail_at = 1;
	TT_IS(nthw_box_discover(&box, &found), 0);
	TT_IS(found, 0x1fff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nehalem_recipe_in_order),
		cmocka_unit_test(nehalem_after_perf_in_order),
		cmocka_unit_test(snbep_imc_in_order),
		cmocka_unit_test(snbep_imc_beside_others_in_order),
		cmocka_unit_test(a_frozen_box_is_frozen_again),
		cmocka_unit_test(a_frozen_box_of_others_is_left_frozen),
		cmocka_unit_test(a_box_that_others_use_by_now_is_not_frozen_again),
		cmocka_unit_test(frz_alone_freezes_no_sandy_bridge),
		cmocka_unit_test(skx_imc_in_order),
		cmocka_unit_test(skx_m2m_in_order),
		cmocka_unit_test(skx_upi_in_order),
		cmocka_unit_test(skx_cha_in_order),
		cmocka_unit_test(amd_l3_in_order),
		cmocka_unit_test(amd_l3_of_family_19h_in_order),
		cmocka_unit_test(amd_df_in_order),
		cmocka_unit_test(amd_df_of_version_2_in_order),
		cmocka_unit_test(what_always_runs_is_read_where_it_is),
		cmocka_unit_test(all_that_always_run_are_in_the_table_above),
		cmocka_unit_test(a_temperature_that_is_not_valid_is_not_told),
		cmocka_unit_test(units_of_energy_are_told),
		cmocka_unit_test(energy_that_is_not_there_is_not_found),
		cmocka_unit_test(a_register_of_many_states_is_read_once_to_find_them),
	};

	return TT_RUN(tests);
}
