// SPDX-License-Identifier: MIT
/* The events of the ARM1176, and what counts them on other processors. */
#include "count/compat/rpi_pmu/pmu.h"
#include "count/compat/rpi_pmu/rpi_pmu.h"

/*
 * Codes: ARM1176JZF-S technical reference manual. What counts them elsewhere, by libntime's names:
 * - ARMv7 and ARMv8: the architected event of the same meaning by the name that the core PMU has in
 *   sysfs, which shows those alone that the processor has (arm64); generic names where processors
 *   differ in the number (the Cortex-A9 has no INST_RETIRED).
 * - x86: perf's generic events; those of the data side count loads and not stores (Linux
 *   arch/x86/events/intel/core.c).
 * No other processor tells a stall of the instruction buffer or on data from other stalls.
 */
#if defined(__arm__) || defined(__aarch64__)
#define ROW(number, name, arm, x86, x86_note)                                                      \
	{                                                                                          \
		number, name, arm, NULL                                                            \
	}
#else
#define ROW(number, name, arm, x86, x86_note)                                                      \
	{                                                                                          \
		number, name, x86, x86_note                                                        \
	}
#endif

#define LOADS "loads only"

static const struct rpi_event events[] = {
	ROW(ARMV6_EVENT_ICACHE_MISS, "Instruction cache miss", "l1i_cache_refill",
	    "L1-icache-load-misses", NULL),
	ROW(ARMV6_EVENT_IBUF_STALL, "Instruction buffer stall", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_DDEP_STALL, "Data dependency stall", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_ITLB_MISS, "Instruction micro TLB miss", "l1i_tlb_refill",
	    "iTLB-load-misses", NULL),
	ROW(ARMV6_EVENT_DTLB_MISS, "Data micro TLB miss", "l1d_tlb_refill", "dTLB-load-misses",
	    LOADS),
	ROW(ARMV6_EVENT_BR_EXEC, "Executed branch", "branches", "branches", NULL),
	ROW(ARMV6_EVENT_BR_MISPREDICT, "Mispredicted branch", "branch-misses", "branch-misses",
	    NULL),
	ROW(ARMV6_EVENT_INSTR_EXEC, "Executed instruction", "instructions", "instructions", NULL),
	ROW(ARMV6_EVENT_DCACHE_HIT, "Data cache access (cacheable)", "l1d_cache", NULL, NULL),
	ROW(ARMV6_EVENT_DCACHE_ACCESS, "Data cache access", "mem_access", "L1-dcache-loads", LOADS),
	ROW(ARMV6_EVENT_DCACHE_MISS, "Data cache miss", "l1d_cache_refill", "L1-dcache-load-misses",
	    LOADS),
	ROW(ARMV6_EVENT_DCACHE_WBACK, "Data cache write-back", "l1d_cache_wb", NULL, NULL),
	ROW(ARMV6_EVENT_SW_PC_CHANGE, "Software change of PC", "pc_write_retired", NULL, NULL),
	ROW(ARMV6_EVENT_MAIN_TLB_MISS, "Main TLB miss", "l2d_tlb_refill", NULL, NULL),
	ROW(ARMV6_EVENT_EXPL_D_ACCESS, "Explicit external data access", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_LSU_FULL_STALL, "Load/store queue full stall", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_WBUF_DRAINED, "Write buffer drained", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_NOP, "No operation", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_CALL_EXEC, "Executed call", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_RET_EXEC, "Executed return", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_RET_PREDICT, "Predicted return", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_RET_MISPREDICT, "Mispredicted return", NULL, NULL, NULL),
	ROW(ARMV6_EVENT_CPU_CYCLES, "CPU cycles", "cycles", "cycles", NULL),
};

const struct rpi_event *rpi_event_find(int number)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].number == number)
			return &events[i];
	return NULL;
}
