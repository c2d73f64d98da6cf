// SPDX-License-Identifier: MIT
/*
 * Sessions through ntimefs, on the model of a PMU behind a made-up driver: counts, turns, wraps,
 * refusals, and every call failing once.
 */
#include <errno.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "count/lib/access/ntimefs.h"
#include "base/common/text.h"
#include "count/tests/session/fake_boxes.h"
#include "count/tests/session/scene.h"

#define ITEMS 9
#define MANY                                                                                       \
	"instructions,instructions:u,instructions:k,instructions,instructions:u,instructions:k,"   \
	"instructions,instructions:u,instructions:k"

/* ---- the machine and its verbs ---- */

static struct fake_boxes f;
static struct fake_silicon found;
static struct ntime_reader reader;
static int cpus; /* on which this thread may run */

static int cpus_of_thread(void)
{
	cpu_set_t set;

	TT_IS(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

/*
 * A session that is given up again leaves the registers as they were; what other users left there
 * shows it. An ordinary user, on a machine with the driver.
 */
static void begin(struct scene *s)
{
	unsigned int cpu;

	fake_boxes_init_bare(&f, false);
	f.has_driver = true;
	f.is_user = true;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
		TT_IS(ntm_x86_pmu_wrmsr(&f.silicon.pmu[cpu], 0xc1, 0x1234), 0);
		TT_IS(ntm_x86_pmu_wrmsr(&f.silicon.pmu[cpu], 0x30a, 0x777777777), 0);
		TT_IS(ntm_x86_pmu_wrmsr(&f.silicon.pmu[cpu], 0x187, 0x300c0), 0);
		TT_IS(ntm_x86_pmu_wrmsr(&f.silicon.pmu[cpu], 0x38f, 0x70000000f), 0);
	}
	found = fake_silicon_without_flags(&f.silicon);
	s->ctx = &f.ctx;
	s->now_ns = &f.now_ns;
	cpus = cpus_of_thread();
}

static void end(struct scene *s)
{
	SCENE_IS(s, fake_silicon_is(&f.silicon, &found), true);
	fake_boxes_fini(&f);
}

static void work(unsigned int cpu, bool is_user, uint64_t instructions)
{
	const struct ntm_x86_work done = { .instructions = instructions,
					   .cycles = 2 * instructions,
					   .ref_cycles = instructions };

	ntm_x86_pmu_advance(&f.silicon.pmu[cpu], is_user, &done);
}

/* user CPU INSTRUCTIONS, kernel CPU INSTRUCTIONS */
SCENE_STEP(user)
{
	work((unsigned int)n[0], true, n[1]);
}

SCENE_STEP(kernel)
{
	work((unsigned int)n[0], false, n[1]);
}

/* driver STATE, see enum fake_driver */
SCENE_STEP(driver)
{
	static const char *const names[] = { "mounted", "loaded", "locked", "unreadable" };

	f.driver = FAKE_MOUNTED;
	while (strcmp(names[f.driver], rest) != 0) {
		f.driver++;
		assert_true(f.driver <= FAKE_UNREADABLE);
	}
}

/* page SIZE TYPE WIDTH CPU: what mappings show; size 0: the right one */
SCENE_STEP(page)
{
	f.page = (struct ntime_page){ .size = n[0] ? (uint32_t)n[0] : sizeof(f.page),
				      .type = (uint32_t)n[1],
				      .width = (uint32_t)n[2],
				      .cpu = (uint32_t)n[3] };
}

/* probe [ERROR]: what is said of the driver before any session; a reason where there is an error */
SCENE_STEP(probe)
{
	const struct nti_why *why;
	int error = scene_error(s, rest);

	SCENE_IS(s, nti_ntimefs_probe(&f.base.os, &why), error);
	SCENE_IS(s, *why->reason != '\0', error != 0);
}

SCENE_STEP(log_has)
{
	scene_has(s, "log", f.log, rest);
}

/* reader call|core [WHY]: of the first item; by a call the thread stays where it was. */
SCENE_STEP(reader)
{
	bool is_call = strcmp(scene_word(&rest), "call") == 0;

	reader = (struct ntime_reader){ .size = sizeof(reader) };
	SCENE_IS(s, ntime_get_reader(scene_session(s), 0, &reader), 0);
	SCENE_IS(s, reader.state->type, is_call ? NTIME_READER_CALL : NTIME_READER_CORE);
	SCENE_IS(s, cpus_of_thread(), is_call ? cpus : 1);
	if (*rest)
		scene_has(s, "why", ntime_reader_why(&reader), rest);
}

/* reads COUNT: the reader does */
SCENE_STEP(reads)
{
	uint64_t count;

	SCENE_IS(s, ntime_read(&reader, &count), 0);
	SCENE_IS(s, count, n[0]);
}

SCENE_STEP(reads_nothing)
{
	uint64_t count;

	SCENE_IS(s, ntime_read(&reader, &count), scene_error(s, rest));
}

static const struct scene_verb verbs[] = {
	{ "driver", 0, step_driver },	{ "kernel", 2, step_kernel },
	{ "log_has", 0, step_log_has }, { "page", 4, step_page },
	{ "probe", 0, step_probe },	{ "reader", 0, step_reader },
	{ "reads", 1, step_reads },	{ "reads_nothing", 0, step_reads_nothing },
	{ "user", 2, step_user },	{ NULL, 0, NULL },
};

static const struct scene_field fields[] = {
	SCENE_FIELD("taken", f.is_taken),
	SCENE_FIELD("gone", f.is_unplugged),
	SCENE_FIELD("short", f.is_short),
	SCENE_FIELD("granted", f.is_granted),
	SCENE_FIELD("perf", f.has_perf),
	SCENE_FIELD("loaded", f.has_driver),
	/* Of CPU 0, which counts instructions as with perf. */
	SCENE_FIELD("fixed", f.silicon.pmu[0].fixed_count[0]),
	{ NULL, NULL, 0, 0, 0 },
};

static const struct scene_machine driver = { verbs, fields, begin, end };

/* ---- scenarios ---- */

/* 1000 instructions in each mode, then as many in user mode; before and after nothing counts. */
#define COUNT(event, both, then)                                                                   \
	"open via=ntimefs " event "; reason 0; method 0 ntimefs; user 0 77; start; user 0 1000;"   \
	"kernel 1 1000; read " both "; stop; user 0 77; read " both                                \
	"; start; user 1 1000; read " then

#define THREE(value, flags) value flags " " value flags " 0" flags " "
#define NINE(value, flags) THREE(value, flags) THREE(value, flags) THREE(value, flags)
/* Half the time, but for what the calls took. */
#define HALF "10000=20000:399/scaled 10000=20000:399/scaled 0=0:399/scaled "

/*
 * A counter that is put to @from behind the library's back, and what it counts then. Stopping and
 * going on forgets no wrap.
 */
#define WRAP(from, work, pause, value, then)                                                       \
	"open cpus=0 via=ntimefs instructions:u; start; set fixed " from "; user 0 " work          \
	"; pause " pause "; read " value "; read " value "; set fixed 0xfffffffffff0; pause 3h;"   \
	"user 0 32; stop; start; user 0 5; read " then

/* No session while it is so; afterwards the same one can be had. */
#define REFUSED(how, probe, reason)                                                                \
	how "; probe " probe "; open via=ntimefs instructions:u; reason 0 " reason                 \
	    "; start; read -/absent; free; set loaded; driver mounted; set taken 0;"               \
	    "open via=ntimefs instructions:u; reason 0"

#define BEYOND(event, reason)                                                                      \
	"open via=ntimefs " event ",cycles; reason 0 " reason "; start; user 1 10; read -/absent " \
	"20"

#define GOOD_PAGE(page)                                                                            \
	"page " page "; open cpus=0 via=ntimefs instructions; reason 0; start; user 0 1000;"       \
	"read 1000; reader call"
#define BAD_PAGE(page, reason)                                                                     \
	"page " page "; open cpus=0 via=ntimefs instructions; reason 0 " reason                    \
	"; start; user 0 1000; read -/absent"
#define MSR "3" /* NTIME_PAGE_MSR */
#define PMC "2" /* NTIME_PAGE_PMC */

static const struct scenario scenarios[] = {
	{ __LINE__, "both modes", COUNT("instructions", "2000", "3000") },
	{ __LINE__, "user mode", COUNT("instructions:u", "1000", "2000") },
	{ __LINE__, "kernel mode", COUNT("instructions:k", "1000", "1000") },
	{ __LINE__, "cycles", COUNT("cycles", "4000", "6000") },
	{ __LINE__, "cycles in user mode", COUNT("cycles:u", "2000", "4000") },
	{ __LINE__, "ref-cycles in kernel mode", COUNT("ref-cycles:k", "1000", "1000") },
	{ __LINE__, "raw code", COUNT("r00c0:u", "1000", "2000") },
	{ __LINE__, "event by terms", COUNT("cpu/event=0x3c/k", "2000", "2000") },
	/* cmask needs a general counter, where the model's stands still. */
	{ __LINE__, "cmask", COUNT("cpu/event=0xc0,cmask=1/", "0", "0") },
	{ __LINE__, "all seven counters",
	  "open cpus=1 via=ntimefs instructions,cycles,ref-cycles,instructions:u,cycles:u,"
	  "instructions:k,cycles:k; passes 1; start; user 0 999; user 1 300; kernel 1 20;"
	  "read 320 640 320 300 600 20 40" },
	/* Nine events of which five fit: turns end when the session is read. */
	{ __LINE__, "turns",
	  "open cpus=0 via=ntimefs " MANY "; passes 2; start;"
	  "repeat 20 user 0 1000 | pause 1ms | read; stop; read " HALF HALF HALF },
	{ __LINE__, "by pass",
	  "open cpus=0 via=ntimefs by_pass " MANY "; start; user 0 1000; next_pass; user 0 1000;"
	  "next_pass ENODATA; read " NINE("1000", "") },
	{ __LINE__, "no wrap", WRAP("0", "1000", "0", "1000", "0x1000000000015") },
	{ __LINE__, "to the last number",
	  WRAP("0xffffffffff00", "255", "3h", "0xffffffffffff", "0x1000000000015/overflowed") },
	{ __LINE__, "over the last number",
	  WRAP("0xffffffffff00", "256", "3h", "0x1000000000000", "0x2000000000015") },
	{ __LINE__, "far over the last number",
	  WRAP("0xffffffffff00", "1256", "3h", "0x10000000003e8", "0x2000000000015") },
	{ __LINE__, "flag clear, however long it took",
	  WRAP("0", "1000", "1000h", "1000", "0x1000000000015") },
	{ __LINE__, "flag set, and time for a second wrap",
	  WRAP("0xffffffffff00", "1256", "1000h", "0x10000000003e8/overflowed",
	       "0x2000000000015/overflowed") },
	{ __LINE__, "flag set, just no time for a second wrap",
	  WRAP("0xffffffffff00", "1256", "4h", "0x10000000003e8", "0x2000000000015") },
	{ __LINE__, "flag set, just time for a second wrap",
	  WRAP("0xffffffffff00", "1256", "5h", "0x10000000003e8/overflowed",
	       "0x2000000000015/overflowed") },
	{ __LINE__, "driver not loaded",
	  REFUSED("set loaded 0", "ENOENT", "not loaded; remedy 0 ntime driver load") },
	{ __LINE__, "driver not mounted",
	  REFUSED("driver loaded", "ENOENT", "not mounted; remedy 0 mount -t ntime") },
	{ __LINE__, "locked tree", REFUSED("driver locked", "EACCES", "may not") },
	{ __LINE__, "root's registers", REFUSED("driver unreadable", "EACCES", "may not") },
	{ __LINE__, "taken by perf",
	  REFUSED("set taken", "", "is in use by perf; remedy 0 nmi_watchdog") },
	{ __LINE__, "perf first", "set perf; open cpus=0 instructions:u; method 0 perf" },
	{ __LINE__, "the driver where perf refuses",
	  "open cpus=0 instructions:u; method 0 ntimefs; log_has ntimefs: c" },
	{ __LINE__, "neither of them",
	  "set loaded 0; open cpus=0 error=EACCES instructions:u; log_has ntimefs: c" },
	{ __LINE__, "perf as asked for",
	  "set perf; open cpus=0 via=perf instructions:u; method 0 perf" },
	{ __LINE__, "perf as asked for, refused",
	  "open cpus=0 via=perf error=EACCES instructions:u" },
	{ __LINE__, "the driver as asked for",
	  "set perf; open cpus=0 via=ntimefs instructions:u; method 0 ntimefs" },
	{ __LINE__, "extra register",
	  BEYOND("cpu/event=0xb7,umask=0x1,offcore_rsp=0x3/", "register beside its counter") },
	{ __LINE__, "generic cache event", BEYOND("LLC-loads", "does not show what perf counts") },
	{ __LINE__, "generic event", BEYOND("branch-misses", "does not show what perf counts") },
	{ __LINE__, "precise event", BEYOND("instructions:pp", "sampled by the processor") },
	{ __LINE__, "guests", BEYOND("instructions:G", "in guests alone") },
	/* Pages of an older driver, of a newer one, of a type to come. */
	{ __LINE__, "older page", GOOD_PAGE("12 " MSR " 48") },
	{ __LINE__, "newer page", GOOD_PAGE("400 " MSR " 48") },
	{ __LINE__, "page of a type to come", GOOD_PAGE("0 77 48") },
	{ __LINE__, "short page", BAD_PAGE("4 " MSR " 48", "error") },
	{ __LINE__, "huge page", BAD_PAGE("0x40000000 " MSR " 48", "error") },
	{ __LINE__, "page without width", BAD_PAGE("0 " MSR, "error") },
	{ __LINE__, "page of 65 bits", BAD_PAGE("0 0 65", "program") },
	/* The driver grants another CPU's: not used, but counted all the same. */
	{ __LINE__, "page of another CPU", GOOD_PAGE("0 " PMC " 48 1") },
	{ __LINE__, "short reads",
	  "open cpus=0 via=ntimefs instructions; start; set short; fails EIO; set short 0;"
	  "user 0 5; read 5" },
	{ __LINE__, "CPU goes away",
	  "open cpus=1 via=ntimefs instructions; start; reader call; set gone;"
	  "fails ESTALE CPU 1; reads_nothing EIO; stop EIO" },
	/* A second session on the same CPU is told who is there. */
	{ __LINE__, "two sessions",
	  "open cpus=0 via=ntimefs instructions; open second cpus=1 via=ntimefs instructions; free;"
	  "open second via=ntimefs instructions; reason 0 another ntime; first; start" },
	/* Somebody may forbid the instruction; who asked for calls is not ended by that. */
	{ __LINE__, "readers by call",
	  "set granted; open cpus=0 via=ntimefs by_call instructions; start;"
	  "reader call made with NTIME_READ_BY_CALL; kernel 0 12; reads 12" },
	{ __LINE__, "no readers of several CPUs or of turns",
	  "set granted; open via=ntimefs instructions; start; reader call several CPUs; free;"
	  "open cpus=0 via=ntimefs " MANY "; start; reader call turns" },
};

/* ---- what a scenario cannot say ---- */

/* A pass that had no turn yet has no number. */
TEST(first_turn)
{
	struct scene s;
	size_t i;

	scene_begin(&s, &driver);
	SCENE(&s, "open cpus=0 via=ntimefs " MANY "; start; user 0 1000; read");
	for (i = 0; i < ITEMS; i++) {
		bool is_second = scene_item(&s, i).pass == 1;

		TT_IS(s.v[i].flags, is_second ? NTIME_NOT_COUNTED : 0);
		if (!is_second)
			TT_IS(s.v[i].count, i % 3 == 2 ? 0 : 1000);
	}
	scene_end(&s);
}

/* The header has the names for help texts, the table for everything else. */
TEST(names_stand_in_the_header)
{
	char names[sizeof(NTIME_VIA_NAMES) + 32] = "";
	uint32_t i;

	for (i = 0; ntime_via_name(i); i++) {
		(void)nti_text_append(names, sizeof(names), i ? "|" : "");
		(void)nti_text_append(names, sizeof(names), ntime_via_name(i));
	}
	TT_TEXT(names, NTIME_VIA_NAMES);
}

TEST(programs_are_not_counted)
{
	const struct ntime_target unknown = { .size = sizeof(unknown), .via = 3 };
	struct ntime_session *session;
	struct scene s;

	scene_begin(&s, &driver);
	SCENE(&s, "open thread via=ntimefs error=EINVAL;"
		  "error ntimefs counts CPUs, not programs: add -a or -C CPUS");
	TT_IS(ntime_session_new(&f.ctx, &unknown, &session), -EINVAL);
	scene_end(&s);
}

/*
 * Whether a reader is given; that it reads right is shown in the lab, where there is something to
 * read.
 */
TEST(readers)
{
	struct scene s;
	cpu_set_t before;
	uint64_t count;
	int status;
	pid_t pid;

	TT_IS(sched_getaffinity(0, sizeof(before), &before), 0);
	if (!CPU_ISSET(0, &before))
		TT_SKIP("this process may not run on CPU 0");
	scene_begin(&s, &driver);
	/* Not granted: not pinned either. */
	SCENE(&s, "open cpus=0 via=ntimefs instructions;"
		  "reader call when the session was started; start; reader call; kernel 0 12;"
		  "reads 12");
#ifdef __x86_64__
	SCENE(&s, "set granted; reader core pinned");
	TT_IS(reader.state->index, 0x40000000);
	TT_IS(ntime_read_call(&reader, &count), 0);
	TT_IS(count, 12);
	/* A child makes the call: an instruction that faults would end it by a signal. */
	pid = fork();
	if (pid == 0)
		_exit(reader.state->type != NTIME_READER_CALL || ntime_read(&reader, &count) ||
		      count != 12);
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	/* It can do no harm to the parent's count: neither by asking nor by freeing. */
	pid = fork();
	if (pid == 0) {
		struct ntime_value v;
		unsigned int calls, maps = f.maps;
		int ret = ntime_session_read(scene_session(&s), &v, 1) != 1 || v.count != 12 ||
			  ntime_session_stop(scene_session(&s)) != -EIO;

		/*
		 * It closes what it has, and writes nothing; what the parent mapped may be
		 * something else here.
		 */
		calls = f.accesses;
		ntime_session_free(scene_session(&s));
		_exit(ret || f.accesses != calls || f.maps != maps || fake_boxes_open_files(&f));
	}
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	/*
	 * From the highest bit on the instruction is not believed any more, and that ends it for
	 * good.
	 */
	SCENE(&s, "set fixed 0x800000000000; pause 2h");
	TT_IS(ntime_read_call(&reader, &count), 0);
	TT_IS(count, 1ull << 47);
	TT_IS(reader.state->pinned, 0);
	SCENE(&s, "set fixed 0xffffffffffff; pause 2h; kernel 0 3; reads 0x1000000000002");
#else
	(void)status, (void)pid, (void)count;
#endif
	SCENE(&s, "free");
	TT_IS(sched_setaffinity(0, sizeof(before), &before), 0);
	scene_end(&s);
}

/* The whole life of a session; each number is right, or there is none. */
static void live(void)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = NTIME_TARGET_CPUS,
					     .cpus = "0-1",
					     .via = NTIME_VIA_NTIMEFS };
	struct ntime_value v[ITEMS];
	struct ntime_session *s;
	unsigned int done = 0;
	int turn, ret;
	size_t i;

	ret = ntime_session_new(&f.ctx, &target, &s);
	if (ret == 0)
		ret = ntime_session_add_list(s, MANY);
	if (ret == 0)
		ret = ntime_session_open(s);
	for (turn = 0; ret >= 0 && turn < 4; turn++) {
		ret = ntime_session_start(s);
		if (ret < 0)
			break;
		work(0, true, 1000);
		work(1, true, 1000);
		done += 2000;
		ret = ntime_session_read(s, v, ITEMS);
		for (i = 0; ret >= 0 && i < ITEMS; i++) {
			if (v[i].flags & (NTIME_ABSENT | NTIME_NOT_COUNTED))
				continue;
			TT_IS(v[i].count <= done, 1);
			if (!v[i].flags)
				TT_IS(v[i].count, i % 3 == 2 ? 0 : done);
		}
		if (ret >= 0)
			ret = ntime_session_stop(s);
	}
	ntime_session_free(s);
}

TEST(every_call_fails_once)
{
	static const int errors[] = { -EIO,    -EACCES, -EBUSY, -ENODEV,
				      -EMFILE, -EAGAIN, -EPERM, -EINTR };
	unsigned int calls, at;
	struct scene s;
	size_t e;

	scene_begin(&s, &driver);
	live();
	calls = f.accesses;
	scene_end(&s);
	print_message("# %u calls, %zu errors\n", calls, sizeof(errors) / sizeof(errors[0]));
	TT_IS(calls > 50, 1);
	for (e = 0; e < sizeof(errors) / sizeof(errors[0]); e++) {
		for (at = 1; at <= calls; at++) {
			scene_begin(&s, &driver);
			f.fail_from = f.fail_to = at;
			f.fail_with = errors[e];
			live();
			scene_end(&s);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest functions[] = {
		cmocka_unit_test(first_turn),
		cmocka_unit_test(names_stand_in_the_header),
		cmocka_unit_test(programs_are_not_counted),
		cmocka_unit_test(readers),
		cmocka_unit_test(every_call_fails_once),
	};

	return SCENE_RUN(&driver, scenarios, functions);
}
