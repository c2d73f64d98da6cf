// SPDX-License-Identifier: MIT
/*
 * Sessions that count outside of the cores through msr devices and configuration space, on models:
 * counts, wraps, turns, counters that others use or take, CPUs and functions that go away.
 */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "core/seq/box.h"
#include "count/lib/machine/box_bus.h"
#include "count/lib/access/claim.h"
#include "count/lib/access/handle.h"
#include "count/tests/session/fake_boxes.h"
#include "count/tests/session/scene.h"

#define ALL_READS "uncore_imc/event=0x04,umask=0x03/"
#define HOT "thermal/event=0/"
#define OPCODE "uncore_cha_0/event=0x35,umask=0x21,filter_opc0="
#define HOT_LOG "thermal/event=1/"

/* ---- the machine and its verbs ---- */

enum leaves {
	AS_FOUND,  /* the registers are as they were */
	OFF,	   /* what cannot be put back does not run */
	UNWRITTEN, /* nothing was written; the models have moved */
	LOST,	   /* a counter that was somebody else's at the end */
};

static struct fake_boxes f;
static struct fake_silicon found;
static struct ntime_ctx other;
static enum leaves leaves;
static unsigned int accesses_before;

static void init(struct scene *s, bool has_uncore)
{
	fake_boxes_init(&f, has_uncore);
	fake_boxes_soil(&f);
	fake_boxes_second(&f, &other);
	found = fake_silicon_without_flags(&f.silicon);
	s->ctx = &f.ctx;
	s->other = &other;
	s->now_ns = &f.now_ns;
}

static void begin(struct scene *s)
{
	leaves = AS_FOUND;
	init(s, false);
}

/* kernel: it has PMUs of the boxes; comes before all else. */
SCENE_STEP(kernel)
{
	fake_boxes_fini_context(&other);
	fake_boxes_fini(&f);
	init(s, true);
}

static void end(struct scene *s)
{
	if (leaves == AS_FOUND)
		SCENE_IS(s, fake_silicon_is(&f.silicon, &found), true);
	if (leaves == OFF)
		SCENE_IS(s, fake_silicon_runs(&f.silicon, &found), false);
	if (leaves == UNWRITTEN)
		SCENE_IS(s, f.writes, 0);
	fake_boxes_fini_context(&other);
	fake_boxes_fini(&f);
}

/* leaves off|unwritten|lost: what is checked at the end. */
SCENE_STEP(leaves)
{
	leaves = strcmp(rest, "off") == 0 ? OFF : strcmp(rest, "lost") == 0 ? LOST : UNWRITTEN;
}

/* sysfs 0|1: whether the kernel's files of units have a driver behind them that could switch. */
SCENE_STEP(sysfs)
{
	size_t i;

	for (i = 0; i < f.ctx.units.count; i++)
		f.ctx.units.unit[i]->has_sysfs = n[0];
}

/* work PACKAGE CLOCKS THROTTLED CORE0 */
SCENE_STEP(work)
{
	fake_boxes_work(&f, (unsigned int)n[0], n[1], n[2], n[3]);
}

/* move PACKAGE CHANNEL READS WRITES */
SCENE_STEP(move)
{
	fake_boxes_move(&f, (unsigned int)n[0], (unsigned int)n[1], n[2], n[3]);
}

/* burn PACKAGE STEPS: energy */
SCENE_STEP(burn)
{
	fake_boxes_burn(&f, (unsigned int)n[0], n[1]);
}

/* run CPU INSTRUCTIONS CYCLES: in each of user and kernel mode */
SCENE_STEP(run)
{
	const struct ntm_x86_work done = { .instructions = n[1], .cycles = n[2] };

	ntm_x86_pmu_advance(&f.silicon.pmu[n[0]], true, &done);
	ntm_x86_pmu_advance(&f.silicon.pmu[n[0]], false, &done);
}

/* heat CPU HOT HEADROOM; and headroom_invalid CPU: the sensor says that it does not know. */
SCENE_STEP(heat)
{
	const struct ntm_x86_core_work w = { .heat = { .now = n[1] ? NTM_X86_HOT : 0,
						       .headroom = (uint32_t)n[2] } };

	ntm_x86_power_core_advance(&f.silicon.thermal[n[0]], &w);
}

SCENE_STEP(headroom_invalid)
{
	f.silicon.thermal[n[0]].thermal &= ~(1u << 31);
}

/* channel PACKAGE OFFSET BYTES VALUE: in channel 0's configuration space; channel_is likewise */
SCENE_STEP(channel)
{
	ntm_pci_config_put(&f.silicon.imc[n[0]][0].config, (uint32_t)n[1], (uint32_t)n[2], n[3]);
}

SCENE_STEP(channel_is)
{
	struct ntm_pci_config *config = &f.silicon.imc[n[0]][0].config;

	SCENE_IS(s, ntm_pci_config_get(config, (uint32_t)n[1], (uint32_t)n[2]), n[3]);
}

/* mark; ...; accesses NUMBER: of registers since then */
SCENE_STEP(mark)
{
	accesses_before = f.accesses;
}

SCENE_STEP(accesses)
{
	SCENE_IS(s, f.accesses - accesses_before, n[0]);
}

SCENE_STEP(claims)
{
	SCENE_IS(s, fake_boxes_claims(&f), n[0]);
}

SCENE_STEP(repair)
{
	SCENE_IS(s, nti_claim_repair(&f.base.os, rest, 0, NULL, NULL, NULL), 0);
}

/* Repairing needs to know the boot; a test that does not is left before anything is open. */
SCENE_STEP(needs_boot)
{
	if (tt_knows_boot())
		return;
	end(s);
	TT_SKIP(TT_NO_BOOT);
}

/* by_us ITEM: its reason names this process. */
SCENE_STEP(by_us)
{
	char pid[32];

	snprintf(pid, sizeof(pid), "(pid %d)", (int)getpid());
	scene_has(s, "reason", scene_item(s, n[0]).reason, pid);
}

/* filter OPCODE: what the second filter of the box of channels lets through */
SCENE_STEP(filter)
{
	SCENE_IS(s, f.silicon.cha[6] >> 9 & 0x3ff, n[0]);
}

SCENE_STEP(plan_has)
{
	scene_has(s, "plan", ntime_session_plan_text(scene_session(s), 1), rest);
}

/*
 * climb NUMBER STEP: the step with part after part of the number, in so many looks that none sees
 * more than there was time for, nor a whole round.
 */
SCENE_STEP(climb)
{
	unsigned int i;

	for (i = 1; i <= 8; i++) {
		scene_do(s, s->file, s->line, "%s %#llx", rest,
			 (unsigned long long)(i < 8 ? n[0] / 8 * i : n[0]));
		f.now_ns += ntime_session_max_read_interval_ns(scene_session(s)) / 4;
		scene_do(s, s->file, s->line, "read");
	}
}

/* Metrics of a file of our own, with events that come by one method and by two. */
SCENE_STEP(two_metrics)
{
	static const char text[] = "metric one-way\n"
				   "unit 1\n"
				   "group core\n"
				   "formula '" READS "' / '" WRITES "' * real_ns\n"
				   "about Beside the clock all come the same way.\n"
				   "source made up\n"
				   "\n"
				   "metric two-ways\n"
				   "unit 1\n"
				   "group core\n"
				   "formula '" READS "' / '" THROTTLED "'\n"
				   "about Channels through pci, the uncore through msr.\n"
				   "source made up\n";

	SCENE_IS(s, nti_metrics_parse("two", text, strlen(text), &f.ctx.metrics, &f.ctx.error), 0);
}

SCENE_STEP(no_metrics)
{
	nti_metrics_fini(&f.ctx.metrics);
}

/* A package of two dies, each with an uncore of its own. */
#define CPU_TOPOLOGY(cpu, file) "/sys/devices/system/cpu/cpu" cpu "/topology/" file
#define ON_DIE(cpu, id, cpus)                                                                      \
	{ CPU_TOPOLOGY(cpu, "physical_package_id"), "0\n" },                                       \
		{ CPU_TOPOLOGY(cpu, "core_siblings_list"), "0-3\n" },                              \
		{ CPU_TOPOLOGY(cpu, "die_id"), id },                                               \
	{                                                                                          \
		CPU_TOPOLOGY(cpu, "die_cpus_list"), cpus                                           \
	}
static const struct fake_file die_files[] = {
	ON_DIE("0", "0\n", "0-1\n"),
	ON_DIE("1", "0\n", "0-1\n"),
	ON_DIE("2", "1\n", "2-3\n"),
	ON_DIE("3", "1\n", "2-3\n"),
	{ NULL },
};

/* Its files stand before those of the machine of two packages. */
static void hide_packages(void)
{
	static struct fake_machine machine;
	static struct fake_file all[256];
	const struct fake_file *file;
	size_t n = 0;

	for (file = die_files; file->path; file++)
		all[n++] = *file;
	for (file = f.base.machine->files; file->path; file++) {
		assert_true(n + 1 < NTI_ARRAY_SIZE(all));
		all[n++] = *file;
	}
	all[n] = (struct fake_file){ NULL };
	machine = *f.base.machine;
	machine.files = all;
	f.base.machine = &machine;
}

SCENE_STEP(dies)
{
	const struct nti_unit *unit = nti_units_find(&f.ctx.units, "uncore");
	size_t i;

	hide_packages();
	SCENE_IS(s, unit->boxes, 2);
	for (i = 0; i < 2; i++) {
		struct nti_unit_box *box = &unit->box[i];

		box->package = 0;
		/* Not known before: those were the files of two packages. */
		SCENE_IS(s, box->has_dies, 0);
		box->has_dies = nti_os_die(&f.base.os, box->cpu, &box->die);
		SCENE_IS(s, box->has_dies, 1);
		SCENE_IS(s, box->die, i);
	}
}

static const struct scene_verb verbs[] = {
	{ "accesses", 1, step_accesses },
	{ "burn", 2, step_burn },
	{ "by_us", 1, step_by_us },
	{ "channel", 4, step_channel },
	{ "channel_is", 4, step_channel_is },
	{ "claims", 1, step_claims },
	{ "climb", 1, step_climb },
	{ "dies", 0, step_dies },
	{ "filter", 1, step_filter },
	{ "headroom_invalid", 1, step_headroom_invalid },
	{ "heat", 3, step_heat },
	{ "kernel", 0, step_kernel },
	{ "leaves", 0, step_leaves },
	{ "mark", 0, step_mark },
	{ "move", 4, step_move },
	{ "needs_boot", 0, step_needs_boot },
	{ "no_metrics", 0, step_no_metrics },
	{ "plan_has", 0, step_plan_has },
	{ "repair", 0, step_repair },
	{ "run", 3, step_run },
	{ "sysfs", 1, step_sysfs },
	{ "two_metrics", 0, step_two_metrics },
	{ "work", 4, step_work },
	{ NULL, 0, NULL },
};

/* Switches of the machine; registers of a package, and of a CPU's core. */
static const struct scene_field fields[] = {
	SCENE_FIELD("driver", f.has_driver),
	SCENE_FIELD("perf", f.has_perf),
	SCENE_FIELD("user", f.is_user),
	SCENE_FIELDS("broken", f.is_broken[0], bool),
	SCENE_FIELDS("gone", f.is_gone[0], bool),
	SCENE_FIELDS("offline", f.is_offline[0], bool),
	SCENE_FIELDS("select", f.silicon.uncore[0].select[0], f.silicon.uncore[0]),
	SCENE_FIELDS("count", f.silicon.uncore[0].count[0], f.silicon.uncore[0]),
	SCENE_FIELDS("fixed_count", f.silicon.uncore[0].fixed_count, f.silicon.uncore[0]),
	SCENE_FIELDS("fixed_ctrl", f.silicon.uncore[0].fixed_ctrl, f.silicon.uncore[0]),
	SCENE_FIELDS("global_ctrl", f.silicon.uncore[0].global_ctrl, f.silicon.uncore[0]),
	SCENE_FIELDS("core_fixed_ctrl", f.silicon.pmu[0].fixed_ctrl, f.silicon.pmu[0]),
	SCENE_FIELDS("core_select", f.silicon.pmu[0].select[0], f.silicon.pmu[0]),
	SCENE_FIELDS("cha", f.silicon.cha[0], f.silicon.cha[0]),
	{ NULL, NULL, 0, 0, 0 },
};

static const struct scene_machine boxes = { verbs, fields, begin, end };

/* ---- scenarios ---- */

/* A counter that is put near its end behind the library's back, and what comes then. */
#define WRAP(event, counter, to, work, pause, value)                                               \
	"open cpus=0 " event "; start; climb " to " " counter "; work 0 " work " " work            \
	"; move 0 0 " work "; pause " pause "; read " value "; read " value "; interval 1s 1h"
#define GENERAL7 "set count.0.7"
#define FIXED "set fixed_count"
#define CHANNEL3 "channel 0 0xb8 8" /* the value of its last counter */

/*
 * What somebody else does with a counter that is ours is noticed; what is his now is left to him.
 */
#define TAKEN(event, taking, left)                                                                 \
	"leaves lost; open cpus=0 " event "; start; work 0 100 40; move 0 0 40; read 40; " taking  \
	"; pause 200ms; work 0 100 40; move 0 0 0 40; read 40/lost; free; " left
#define CONTROL3 " 0 0xe4 4 " /* of that counter */

/*
 * More than can have been counted since the last look was not counted: somebody wrote into the
 * counter.
 */
#define WRITTEN(event, writing)                                                                    \
	"leaves lost; open cpus=0 " event "; start; work 0 5000 5000; move 0 0 5000; pause 10ms;"  \
	"read 5000; " writing "; pause 10ms; read 5000/lost; pause 10ms; read 5000/lost"

/* Twelve events in two turns: each value is a half, and twice that extrapolated. */
#define PAIR "5000=10000:199.9/scaled 70=140:2.9/scaled "

static const struct scenario scenarios[] = {
	/* Before the start and after the stop nothing counts. */
	{ __LINE__, "uncore through msr",
	  "open " THROTTLED "," CORE0 "," CLOCKS "; reason 0; method 0 msr; passes 1;"
	  "work 0 99 9 9; start; work 0 1000 300 20; work 1 2000 5; read 305 20 3000;"
	  "stop; work 0 99 9 9; start; work 1 10 10; read 315 20 3010" },
	{ __LINE__, "metrics have the method of their events",
	  "two_metrics; open one-way,two-ways; method 2 pci; method 4; free; no_metrics" },
	{ __LINE__, "channels through pci",
	  "open " READS "," WRITES "," ALL_READS "; reason 2; method 2 pci; start;"
	  "move 0 0 1000 10; move 1 0 200; move 0 3 30; move 1 2 4 5; read 1200 10 1234" },
	/* CPU 1 is not the one on which the package is read. */
	{ __LINE__, "core through msr",
	  "open cpus=1 via=msr instructions:u,cycles," THROTTLED "; reason 0; method 0 msr;"
	  "reason 2 CPU 0,2 only; start; run 1 1000 2000; read 1000 4000" },
	/*
	 * Through the driver's folders of packages and of functions; nothing is claimed, and what
	 * is held nobody else can write.
	 */
	{ __LINE__, "through the driver",
	  "set driver; set user; open " THROTTLED "," READS "; reason 0; method 0 ntimefs;"
	  "reason 1; method 1 ntimefs; claims 0; start; work 0 1000 300; work 1 1000 5;"
	  "move 0 0 40 7; move 1 0 2 7; read 305 42;"
	  "open second " THROTTLED "; reason 0 a counter of package 0 is in use by perf" },
	/* A counter that always runs; a domain without energy is not there. Anybody may read it. */
	{ __LINE__, "energy",
	  "leaves unwritten; burn 0 0xffffff00; burn 1 77; open " ENERGY "; reason 0; burn 1 1000;"
	  "start; burn 0 0x200; burn 1 1; read 0x201; interval 20s 40s; stop; burn 0 5;"
	  "read 0x201; start; burn 0 2; open second " ENERGY "," ENERGY "; reason 0; free;"
	  "read 0x203; pause 60s; read 0x203/overflowed" },
	/*
	 * Bits of one register are read with one access. When the sensor says that it does not
	 * know, that is not 0, and the others are not touched by it.
	 */
	{ __LINE__, "states",
	  "leaves unwritten; heat 1 0 40; open cpus=1 " HEADROOM "," HOT "," HOT_LOG "; start;"
	  "read 40/state 0/state 0/state; heat 1 1 3; heat 1 0 5; mark;"
	  "read 5/state 0/state 1/state; accesses 1; interval 0xfffffffffffffffe;"
	  "headroom_invalid 1; read -/state+not_counted 0/state 1/state" },
	/* Different values of a register that the counters of a box share take turns. */
	{ __LINE__, "filters",
	  "set cha.5 0x20; open " OPCODE "0x201/," OPCODE "0x201/,uncore_cha_0/event=0x50/;"
	  "reason 0; passes 1; start; filter 0x201; free; peek cha.6 0;"
	  "open " OPCODE "0x201/," OPCODE "0x202/,uncore_cha_0/event=0x50/; passes 2;"
	  "plan_has the second filter of uncore_cha_0 is wanted as 0x40200dffffe3b and as "
	  "0x40400dffffe3b, so uncore_cha_0/event=0x35,umask=0x21,filter_opc0=0x202/ waits;"
	  "start; read; filter 0x202; free; peek cha.6 0; set cha.5 0" },
	{ __LINE__, "programs are not counted",
	  "open thread via=msr error=EINVAL;"
	  "error msr counts CPUs, not programs: add -a or -C CPUS;"
	  "open thread via=pci error=EINVAL" },
	{ __LINE__, "a bit of config that registers lack",
	  "open uncore/event=0x67,odd=1/," CLOCKS "; reason 0 bits 0x200000 of config; start;"
	  "work 1 10; read -/absent 10" },
	{ __LINE__, "bits of config1 that registers lack",
	  "open uncore/event=0x67,more=3/," CLOCKS "; reason 0 bits 0x3 of config1; start;"
	  "work 1 10; read -/absent 10" },
	/* Wraps with a flag: however long it took, until there was time for two. */
	{ __LINE__, "up to the last number",
	  WRAP(THROTTLED, GENERAL7, "0xffffffffff00", "255", "1h", "0xffffffffffff") },
	{ __LINE__, "over the last number",
	  WRAP(THROTTLED, GENERAL7, "0xffffffffff00", "1256", "0", "0x10000000003e8") },
	{ __LINE__, "over it, with time for two",
	  WRAP(THROTTLED, GENERAL7, "0xffffffffff00", "1256", "1h", "0x10000000003e8/overflowed") },
	{ __LINE__, "a fixed counter over the last number",
	  WRAP(CLOCKS, FIXED, "0xffffffffff00", "1256", "0", "0x10000000003e8") },
	/* Without: a smaller number is a wrap, and after the time of a round nothing is sure. */
	{ __LINE__, "no flag, up to the last number",
	  WRAP(READS, CHANNEL3, "0xffffffffff00", "255", "0", "0xffffffffffff") },
	{ __LINE__, "no flag, over the last number",
	  WRAP(READS, CHANNEL3, "0xffffffffff00", "1256", "0", "0x10000000003e8") },
	{ __LINE__, "no flag, over it after half an hour",
	  WRAP(READS, CHANNEL3, "0xffffffffff00", "1256", "1800s", "0x10000000003e8") },
	{ __LINE__, "no flag, over it after an hour",
	  WRAP(READS, CHANNEL3, "0xffffffffff00", "1256", "1h", "0x10000000003e8/overflowed") },
	{ __LINE__, "no flag, nothing seen for an hour",
	  WRAP(READS, CHANNEL3, "0", "1000", "1h", "1000/overflowed") },
	{ __LINE__, "more events than counters",
	  "open cpus=0 {" THROTTLED "," CORE0 "}," THROTTLED "," CORE0 "," THROTTLED "," CORE0
	  "," THROTTLED "," CORE0 "," THROTTLED "," CORE0 "," THROTTLED "," CORE0 "; passes 2;"
	  "start; repeat 20 work 0 1000 500 7 | pause 10ms | read; stop;"
	  "read " PAIR PAIR PAIR PAIR PAIR PAIR },
	/*
	 * Where the kernel's driver may be who counts, it would stop and start ours with its own.
	 */
	{ __LINE__, "box in use by the kernel",
	  "kernel; his select.0.6 0x400167; open via=msr " THROTTLED "," CLOCKS ";"
	  "reason 0 counter MSR_UNCORE_PMC6 of package 0 is in use;"
	  "reason 0 the kernel's own unit \"uncore\"; reason 1 MSR_UNCORE_PMC6" },
	/*
	 * The NMI watchdog holds one counter of each core: perf stops and starts all of them when
	 * it looks at it.
	 */
	{ __LINE__, "core in use by the kernel",
	  "kernel; his core_fixed_ctrl.0 0xb0; open cpus=0 via=msr instructions;"
	  "reason 0 counter IA32_FIXED_CTR1 of CPU 0 is in use; remedy 0 nmi_watchdog=0" },
	/*
	 * Counters that somebody uses stay his, the others are ours. The first one of the box may
	 * have run while somebody's global bits were set.
	 */
	{ __LINE__, "counters in use",
	  "his select.0 0x400167 5; open unopened " THROTTLED "," CORE0 "," CLOCKS "; sysfs 0;"
	  "start; sysfs 1; passes 1; work 0 100 50 3; read 50 3 100; free;"
	  "set count.0.0 0x123456789abc" },
	{ __LINE__, "all counters in use",
	  "his select.1 0x400167 8; open unopened " THROTTLED "," CLOCKS "; sysfs 0; start;"
	  "sysfs 1; reason 0 counter MSR_UNCORE_PMC0 of package 1 is in use by a program;"
	  "reason 1; free; his fixed_ctrl.1 1; open " THROTTLED "," CLOCKS ";"
	  "reason 0 of package 1 is in use; reason 1 of package 1 is in use; start;"
	  "read -/absent -/absent" },
	/* Two programs: the second one is told who is there, before and while that one counts. */
	{ __LINE__, "two sessions",
	  "open " THROTTLED "," READS "; open other " THROTTLED "," READS
	  ",uncore_imc_1/event=0x04/; reason 0 uncore of package 0 is in use by ; by_us 0;"
	  "reason 1 uncore_imc_0 of package 0; by_us 1; reason 2; free; start;"
	  "open other " THROTTLED "," READS ",uncore_imc_1/event=0x04/;"
	  "reason 0 MSR_UNCORE_PERFEVTSEL7 of package 0 is in use by ; by_us 0;"
	  "reason 1 MC_CH_PCI_PMON_CTL3 of package 0; by_us 1; free; work 0 10 10; read 10; free;"
	  "open other " THROTTLED "; reason 0" },
	{ __LINE__, "counter stopped by somebody",
	  TAKEN(THROTTLED, "set select.0.7 0x167", "peek select.0.7 0") },
	{ __LINE__, "counter programmed by somebody",
	  TAKEN(THROTTLED, "set select.0.7 0x400981", "peek select.0.7 0x400981") },
	{ __LINE__, "channel stopped by somebody",
	  TAKEN(READS, "channel" CONTROL3 "0x304", "channel_is" CONTROL3 "0") },
	{ __LINE__, "channel programmed by somebody",
	  TAKEN(READS, "channel" CONTROL3 "0x400c04", "channel_is" CONTROL3 "0x400c04") },
	/* With and without flags of overflow. */
	{ __LINE__, "counter set to 0", WRITTEN(THROTTLED, GENERAL7 " 0") },
	{ __LINE__, "counter set near its end", WRITTEN(THROTTLED, GENERAL7 " 0xfffffff00000") },
	{ __LINE__, "channel set to 0", WRITTEN(READS, CHANNEL3 " 0") },
	{ __LINE__, "channel set near its end", WRITTEN(READS, CHANNEL3 " 0xfffffff00000") },
	/* What somebody has taken since the last look goes on counting when the session ends. */
	{ __LINE__, "freed while others count",
	  "leaves lost; open cpus=0 " THROTTLED "; start; read -; his select.0.7 0x400981;"
	  "his global_ctrl.0 0x1000000ff" },
	/* The same with a core PMU, which msr keeps nobody away from, after the last look. */
	{ __LINE__, "core freed while others count",
	  "leaves lost; open cpus=0 via=msr cpu/event=0xc0/,cpu/event=0xc4/; start; read - -; stop;"
	  "his core_select.0 0x5300c4 4" },
	/* Just before the end of counting, between two looks. */
	{ __LINE__, "counter taken away at last",
	  "leaves lost; open cpus=0 " THROTTLED "; start; set global_ctrl.0 0x100000020;"
	  "stop; read -/lost" },
	{ __LINE__, "CPU of the package goes off line",
	  "open " THROTTLED "; start; work 1 100 40; read 40; set offline.2; work 1 100 2;"
	  "pause 200ms; read 42; set offline.3; fails ESTALE CPU 2; set offline.3 0; read 42; "
	  "stop" },
	/* Each die is claimed by itself, and no CPU of the other one stands for one off line. */
	{ __LINE__, "dies of a package",
	  "dies; open " THROTTLED "; reason 0; start; open second " THROTTLED ";"
	  "reason 0 of package 0, die 0 is in use by; free; work 1 100 40; set offline.2;"
	  "pause 200ms; read 40; set offline.3; fails ESTALE; set offline.2 0; set offline.3 0;"
	  "stop" },
	/*
	 * A device vanishes before it was looked at once: there is no number, also not 0. Found out
	 * when it is stopped; nothing keeps the session from that, nor from going on.
	 */
	{ __LINE__, "function vanishes unseen",
	  "needs_boot; leaves off; open " READS "; start; move 0 0 40; set gone.1; pause 1ms; stop;"
	  "rows 4; row 0 40; row 2 -=nan/not_counted+lost+gone; start; move 0 0 2; rows; row 0 42;"
	  "row 2 -/not_counted+lost+gone; free; claims 1; set gone.1 0; repair uncore_imc_0-1" },
	/* Events that take turns on it are lost together. */
	{ __LINE__, "function vanishes between turns",
	  "open " READS "," WRITES ",uncore_imc_0/event=0x01/,uncore_imc_0/event=0x02/,"
	  "uncore_imc_0/event=0x05/; passes 2; start; repeat 3 pause 200ms | read; set gone.1;"
	  "repeat 3 pause 200ms | read; has_flag 0 lost; has_flag 4 lost; set gone.0; pause 200ms;"
	  "fails EIO; set gone.0 0; set gone.1 0" },
};

/* ---- what a scenario cannot say ---- */

static const struct method_row {
	int line;
	uint32_t via;
	bool has_uncore, has_perf, is_user;
	const char *event, *method, *reason;
	int ret;
} method_rows[] = {
	/* the kernel counts what it knows, if it lets us */
	{ __LINE__, NTIME_VIA_AUTO, true, true, false, THROTTLED, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, true, false, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, true, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, true, false, false, READS, "pci", "", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, true, true, THROTTLED, "ntimefs", "not loaded", 0 },
	{ __LINE__, NTIME_VIA_AUTO, false, true, true, READS, "ntimefs", "not loaded", 0 },
	{ __LINE__, NTIME_VIA_AUTO, true, false, true, THROTTLED, "perf", "", -EACCES },
	/* what was asked for, where it reaches */
	{ __LINE__, NTIME_VIA_PERF, true, true, false, THROTTLED, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_PERF, true, false, false, THROTTLED, "perf", "", -EACCES },
	{ __LINE__, NTIME_VIA_PERF, false, true, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_MSR, true, true, false, THROTTLED, "msr", "", 0 },
	{ __LINE__, NTIME_VIA_MSR, true, true, false, READS, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_PCI, true, true, false, READS, "pci", "", 0 },
	{ __LINE__, NTIME_VIA_PCI, true, true, false, THROTTLED, "perf", "", 0 },
	{ __LINE__, NTIME_VIA_MSR, true, true, true, THROTTLED, "msr", "needs root", 0 },
	{ __LINE__, NTIME_VIA_NTIMEFS, true, true, false, THROTTLED, "ntimefs", "not loaded", 0 },
};

TEST(methods)
{
	TT_FOR_EACH_ROW(r, method_rows) {
		struct scene s;

		scene_begin(&s, &boxes);
		scene_do(&s, __FILE__, r->line, "%s", r->has_uncore ? "kernel" : "");
		f.has_perf = r->has_perf;
		f.is_user = r->is_user;
		scene_do(&s, __FILE__, r->line, "open via=%s %s %s", ntime_via_name(r->via),
			 r->ret ? "error=EACCES" : "", r->event);
		if (r->ret == 0)
			scene_do(&s, __FILE__, r->line, "method 0 %s; reason 0 %s", r->method,
				 r->reason);
		scene_end(&s);
	}
}

/*
 * What to do about an access that failed depends on the method: configuration space has no driver.
 */
static const struct access_row {
	int line;
	enum nti_method method;
	const char *kind;
	int error;
	enum ntime_reason code;
	const char *about, *remedy;
} access_rows[] = {
	{ __LINE__, NTI_METHOD_MSR, "nhm_uncore", -ENOENT, NTIME_REASON_NOT_LOADED,
	  "uncore: No such file or directory", "modprobe msr" },
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -ENOENT, NTIME_REASON_OFFLINE,
	  "uncore: No such file or directory", "count what is there: ntime list -v" },
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -EPERM, NTIME_REASON_PERMISSION,
	  "uncore: Operation not permitted", NTI_AS_ROOT ", where the kernel is not locked down" },
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -EIO, NTIME_REASON_FAILED,
	  "uncore: Input/output error", "dmesg" },
	/* Another cause is another reason, though code and remedy are the same. */
	{ __LINE__, NTI_METHOD_PCI, "snbep_imc", -ENOSPC, NTIME_REASON_FAILED,
	  "uncore: No space left on device", "dmesg" },
};

TEST(accesses_that_failed)
{
	struct nti_handles *handles;
	struct scene s;

	scene_begin(&s, &boxes);
	TT_IS(nti_handles_new(f.ctx.os, &handles), 0);
	TT_FOR_EACH_ROW(r, access_rows) {
		const struct nti_unit_box box = { .kind = nthw_box_kind(r->kind) };
		const struct nti_handle_request what = { .name = "uncore",
							 .scope = NTI_SCOPE_PACKAGE,
							 .method = r->method,
							 .box = &box };
		struct nti_absence why = { 0 };

		TT_EQ(r, nti_handles_explain(handles, &what, r->error, &why), 0);
		TT_EQ(r, why.code, r->code);
		TT_STR(r, why.about, r->about);
		TT_STR(r, why.remedy, r->remedy);
		nti_absence_fini(&why);
	}
	nti_handles_free(handles);
	scene_end(&s);
}

TEST(handles_that_only_read)
{
	const struct nti_unit_box box = { .kind = nthw_box_kind("nhm_uncore") };
	const struct nti_handle_request what = { .name = "uncore",
						 .scope = NTI_SCOPE_PACKAGE,
						 .method = NTI_METHOD_MSR,
						 .box = &box,
						 .reads_only = true };
	struct nti_handles *handles;
	struct nti_handle *handle;
	struct nthw_io *io;
	struct scene s;
	uint64_t value;

	scene_begin(&s, &boxes);
	TT_IS(nti_handles_new(f.ctx.os, &handles), 0);
	TT_IS(nti_handle_new(handles, &what, &handle), 0);
	io = nti_handle_io(handle);
	f.silicon.uncore[0].select[6] = 0x167;
	TT_IS(io->read(io, NTHW_SPACE_MSR, 0, 0x3c6, &value), 0);
	TT_IS(value, 0x167);
	TT_IS(io->write(io, NTHW_SPACE_MSR, 0, 0x3c6, 0), -EPERM);
	TT_IS(f.silicon.uncore[0].select[6], 0x167);
	f.silicon.uncore[0].select[6] = 0;
	nti_handle_free(handle);
	nti_handles_free(handles);
	scene_end(&s);
}

/*
 * One channel's device goes: its count stays what it was, the other one's goes on, and with it the
 * session. @how: "gone" or "broken".
 */
static void lose_devices(const char *how, const char *why)
{
	struct ntime_value before, after, delta;
	struct scene s;

	scene_begin(&s, &boxes);
	SCENE(&s,
	      "needs_boot; leaves off; open " READS "; start; move 0 0 40; move 1 0 50;"
	      "pause 1000; rows; row 0 40; row 2 50; reason 0; set %s.1",
	      how);
	before = s.v[2];
	for (unsigned int turn = 1; turn <= 3; turn++) {
		SCENE(&s,
		      "move 0 0 5; pause 200ms; rows; row 0 %u; row 2 50=50/lost+gone;"
		      "reason 0 %s",
		      40 + 5 * turn, why);
		after = s.v[2];
		/* Of this period nothing is known, from its first on. */
		ntime_value_delta(&before, &after, &delta);
		TT_IS(delta.flags, NTIME_ABSENT | NTIME_LOST | NTIME_GONE);
		TT_IS(isnan(delta.value), 1);
		/* The fake moves its clock whenever it is asked, by far less. */
		TT_IS(after.counted_ns <= before.counted_ns + 100000000, 1);
		TT_IS(after.wanted_ns, after.counted_ns);
		before = after;
		SCENE(&s, "read -=%u/lost", 90 + 5 * turn);
	}
	/* Nothing counts any more. What it had is gone with it; the records of that stay. */
	SCENE(&s,
	      "set %s.0; pause 200ms; fails EIO %s; stop; free; claims 2;"
	      "set %s.0 0; set %s.1 0; repair uncore_imc_0-0; repair uncore_imc_0-1",
	      how, why, how, how);
	scene_end(&s);
}

TEST(function_vanishes)
{
	lose_devices("gone", "PCI function 0000:");
}

TEST(function_breaks)
{
	lose_devices("broken", "of PCI function 0000:");
}

int main(void)
{
	static const struct CMUnitTest functions[] = {
		cmocka_unit_test(methods),
		cmocka_unit_test(accesses_that_failed),
		cmocka_unit_test(handles_that_only_read),
		cmocka_unit_test(function_vanishes),
		cmocka_unit_test(function_breaks),
	};

	return SCENE_RUN(&boxes, scenarios, functions);
}
