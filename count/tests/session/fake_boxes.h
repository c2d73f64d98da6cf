/* SPDX-License-Identifier: MIT */
/*
 * A machine of two packages with two CPUs each, made of models: the uncore of Nehalem and core PMUs
 * behind /dev/cpu/N/msr, four memory channels of Sandy Bridge-EP a package in PCI configuration
 * space, and a directory for claims. Any access of a register can be made to fail.
 */
#ifndef TT_FAKE_BOXES_H
#define TT_FAKE_BOXES_H

#include <ntime/session.h>

#include "count/lib/context/context.h"
#include "core/models/nhm_uncore.h"
#include "core/models/snbep_imc.h"
#include "core/models/x86_pmu.h"
#include "core/models/x86_power.h"
#include "count/tests/event/fake_os.h"
#include "include/uapi/ntime.h"

#define FAKE_PACKAGES 2
#define FAKE_CPUS 4 /* 0 and 1 of package 0, 2 and 3 of package 1 */
#define FAKE_CHANNELS NTM_SNBEP_IMC_CHANNELS
#define FAKE_FDS 128
#define FAKE_CHA 0xe00 /* Linux, SKX: HSWEP_C0_MSR_PMON_BOX_CTL, and the registers behind it */
#define FAKE_CHA_REGISTERS 16

/* Events of its boxes: of the uncore, of a memory channel, of energy and heat. */
#define THROTTLED "uncore/event=0x67,umask=0x1/"
#define CORE0 "uncore/event=0x81,umask=0x1/"
#define CLOCKS "uncore/event=0xff/"
#define READS "uncore_imc_0/event=0x04,umask=0x03/"
#define WRITES "uncore_imc_0/event=0x04,umask=0x0c/"
#define ENERGY "power/event=2/" /* energy-pkg */
#define HEADROOM "thermal/event=12/"

/* All that registers are made of: compared before and after. */
struct fake_silicon {
	struct ntm_nhm_uncore uncore[FAKE_PACKAGES];
	struct ntm_x86_pmu pmu[FAKE_CPUS];
	struct ntm_snbep_imc imc[FAKE_PACKAGES][FAKE_CHANNELS];
	struct ntm_x86_power_package power[FAKE_PACKAGES];
	struct ntm_x86_power_core thermal[FAKE_CPUS];
	uint64_t cha[FAKE_CHA_REGISTERS]; /* box 0 of package 0: only kept, nothing counts */
};

/* Which accesses fail, of those whose number says so, and how. */
enum fake_failure {
	FAKE_FAIL_ALL,
	FAKE_FAIL_WRITES, /* reads do not */
	FAKE_FAIL_BEHIND, /* a write has been done all the same */
};

/* Of ntime.ko that is loaded. */
enum fake_driver {
	FAKE_MOUNTED,
	FAKE_LOADED,	 /* not mounted */
	FAKE_LOCKED,	 /* nobody may look into the tree */
	FAKE_UNREADABLE, /* registers are root's */
};

struct fake_boxes {
	struct fake_os base; /* first: ops get its os */
	struct ntime_ctx ctx;
	struct fake_silicon silicon;
	void (*end_bus)(void);
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
		bool is_register, is_writer, is_readable, is_binary, is_changed;
		bool is_pci, is_core; /* else of the package */
		size_t function;
		uint32_t address;
		uint64_t saved;
	} fd[FAKE_FDS];
	bool has_driver; /* ntime.ko, for everybody */
	enum fake_driver driver;
	bool is_taken;		/* perf counts: opening for writing is EBUSY */
	bool is_unplugged;	/* the driver's CPUs went off line */
	bool is_short;		/* reads return 4 bytes */
	bool is_granted;	/* user mode may read counters */
	struct ntime_page page; /* .size != 0: what mappings show, instead of the truth */
	unsigned int maps;
	uint64_t now_ns;
	unsigned int accesses;		 /* of registers */
	unsigned int fail_from, fail_to; /* those that fail, counted from 1; 0: none */
	int fail_with;
	enum fake_failure failure;
	bool has_failed;     /* an access of a register has, since this was cleared, */
	uint32_t failed_at;  /* at this address first */
	unsigned int writes; /* that reached a model */
	char log[8192];
};

/*
 * @has_uncore: see there. Must be freed with fake_boxes_fini(), which checks that nothing is open
 *	and no claim is left.
 */
void fake_boxes_init(struct fake_boxes *f, bool has_uncore);
void fake_boxes_fini(struct fake_boxes *f);
/* The same without the PCI bus, where libpciaccess is missing. */
void fake_boxes_init_bare(struct fake_boxes *f, bool has_uncore);
/* Another context on the same machine, as another program has it. */
void fake_boxes_second(struct fake_boxes *f, struct ntime_ctx *ctx);
void fake_boxes_fini_context(struct ntime_ctx *ctx);

/* Does a counter run that did not, in what @was? */
bool fake_silicon_runs(const struct fake_silicon *now, const struct fake_silicon *was);

/* What somebody left in the registers: a session gives it back as it was. */
void fake_boxes_soil(struct fake_boxes *f);
/*
 * @clocks in @package, memory throttled in @throttled of them, core 0 in @core; reads and writes of
 * a memory channel.
 */
void fake_boxes_work(struct fake_boxes *f, unsigned int package, uint64_t clocks,
		     uint64_t throttled, uint64_t core);
void fake_boxes_move(struct fake_boxes *f, unsigned int package, unsigned int channel,
		     uint64_t reads, uint64_t writes);
/* Steps of the package's counter of energy. */
void fake_boxes_burn(struct fake_boxes *f, unsigned int package, uint64_t steps);
/* Without flags of overflow, which cannot be restored. */
struct fake_silicon fake_silicon_without_flags(const struct fake_silicon *silicon);
/* Is it what was @found, made by that? */
bool fake_silicon_is(const struct fake_silicon *now, const struct fake_silicon *found);
/* A session on the CPUs @at (NULL: the machine), with @list; 0 or -errno, *@s is to be freed. */
int fake_boxes_open(struct ntime_ctx *ctx, const char *at, uint32_t flags, uint32_t via,
		    const char *list, struct ntime_session **s);

/* For the bus: a channel by number, where it is, and whether and how an access fails. */
extern const uint8_t fake_boxes_functions[FAKE_CHANNELS], fake_boxes_buses[FAKE_PACKAGES];
struct ntm_snbep_imc *fake_boxes_channel(struct fake_boxes *f, size_t index);
int fake_boxes_fault(struct fake_boxes *f, uint32_t address, bool is_write);
/* A write that fails with @error is left out. */
bool fake_boxes_leaves_out(const struct fake_boxes *f, int error);

unsigned int fake_boxes_open_files(const struct fake_boxes *f);
/* Files in the directory of the claims. */
unsigned int fake_boxes_claims(const struct fake_boxes *f);

#endif
