/* SPDX-License-Identifier: MIT */
/*
 * A machine of two packages with two CPUs each, made of models: the uncore of Nehalem and core PMUs
 * behind /dev/cpu/N/msr, four memory channels of Sandy Bridge-EP a package in PCI configuration
 * space, and a directory for claims. Any access of a register can be made to fail.
 */
#ifndef TT_FAKE_BOXES_H
#define TT_FAKE_BOXES_H

#include "lib/context/context.h"
#include "models/nhm_uncore.h"
#include "models/snbep_imc.h"
#include "models/x86_pmu.h"
#include "models/x86_power.h"
#include "tests/event/fake_os.h"
#include "tests/session/fake_pciaccess.h"

#define FAKE_PACKAGES 2
#define FAKE_CPUS 4 /* 0 and 1 of package 0, 2 and 3 of package 1 */
#define FAKE_CHANNELS NTM_SNBEP_IMC_CHANNELS
#define FAKE_FDS 128
#define FAKE_CHA 0xe00 /* Linux, SKX: HSWEP_C0_MSR_PMON_BOX_CTL, and the registers behind it */
#define FAKE_CHA_REGISTERS 16

/* All that registers are made of: compared before and after. */
struct fake_silicon {
	struct ntm_nhm_uncore uncore[FAKE_PACKAGES];
	struct ntm_x86_pmu pmu[FAKE_CPUS];
	struct ntm_snbep_imc imc[FAKE_PACKAGES][FAKE_CHANNELS];
	struct ntm_x86_power_package power[FAKE_PACKAGES];
	struct ntm_x86_power_core thermal[FAKE_CPUS];
	uint64_t cha[FAKE_CHA_REGISTERS]; /* box 0 of package 0: only kept, nothing counts */
};

struct fake_boxes {
	struct fake_os base; /* first: ops get its os */
	struct ntime_ctx ctx;
	struct fake_silicon silicon;
	struct fake_pci pci;
	char claims[64]; /* directory of the claims */
	bool is_offline[FAKE_CPUS];
	bool is_gone[FAKE_PACKAGES];   /* its memory channels answer with ones */
	bool is_broken[FAKE_PACKAGES]; /* every access of its memory channels fails */
	bool is_user;		       /* not root: no registers */
	bool has_perf;		       /* the kernel counts for us; its counters read 7 */
	bool has_uncore;	       /* the kernel has PMUs of the boxes */
	struct fake_box_file {
		bool is_open;
		unsigned int cpu;
		/* Of the driver: one register. */
		bool is_register, is_writer, is_binary, is_changed, is_pci;
		size_t function;
		uint32_t address;
		uint64_t saved;
	} fd[FAKE_FDS];
	bool has_driver; /* ntime.ko, for everybody */
	unsigned int maps;
	uint64_t now_ns;
	unsigned int accesses;		 /* of registers */
	unsigned int fail_from, fail_to; /* those that fail, counted from 1; 0: none */
	int fail_with;
	unsigned int writes; /* that reached a model */
	char log[8192];
};

/*
 * @has_uncore: see there. Must be freed with fake_boxes_fini(), which checks that nothing is open
 *	and no claim is left.
 */
void fake_boxes_init(struct fake_boxes *f, bool has_uncore);
void fake_boxes_fini(struct fake_boxes *f);
/* Another context on the same machine, as another program has it. */
void fake_boxes_second(struct fake_boxes *f, struct ntime_ctx *ctx);
void fake_boxes_fini_context(struct ntime_ctx *ctx);

unsigned int fake_boxes_open_files(const struct fake_boxes *f);
/* Files in the directory of the claims. */
unsigned int fake_boxes_claims(const struct fake_boxes *f);

#endif
