// SPDX-License-Identifier: MIT
/*
 * What goes wrong, goes wrong with its reason and without a wrong number: permissions, denied
 * system calls, counters that others hold, CPUs that go, registers that are not there.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/tests/guest/ask.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/spin.h"
#include "lab/tests/guest/open.h"
#include "base/tests/tt.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define NMI_WATCHDOG "/proc/sys/kernel/nmi_watchdog"
#define CPU1_ONLINE "/sys/devices/system/cpu/cpu1/online"

/* IA32_TIME_STAMP_COUNTER, the row of which core/regs has for every x86. */
#define TSC "msr:0x10"

/* What the processor may count beside the loop in user mode: the calls around it. */
#define BESIDE 5000

static bool has_pmu;

static void show(const char *what, const struct lab_answer *a)
{
	print_message("# %s: %s%s", what, a->ret < 0 ? strerror(-a->ret) : "read",
		      a->ret < 0 ? ": " : "");
	if (a->ret < 0)
		print_message("%s\n", a->error);
	else
		print_message(", count %llu, flags %#x%s%s%s%s\n",
			      (unsigned long long)a->value.count, a->value.flags,
			      *a->reason ? ", reason: " : "", a->reason,
			      *a->remedy ? "; remedy: " : "", a->remedy);
}

static struct lab_answer ask(struct lab_question question, const char *what)
{
	struct lab_answer answer;

	TT_IS(lab_ask(&question, &answer), 0);
	show(what, &answer);
	return answer;
}

/* Nothing that could be taken for a count. */
static void check_no_number(const struct lab_answer *a, uint32_t flag)
{
	TT_IS(a->ret, 0);
	TT_IS(a->value.flags & flag, flag);
	assert_true(isnan(a->value.value));
	TT_IS(a->value.count, 0);
}

static void check_user_count(const struct lab_answer *a)
{
	TT_IS(a->ret, 0);
	/*
	 * With two CPUs an emulated counter goes by time: it counts, and nobody can say how much.
	 */
	if (has_pmu && !getenv("NTIME_LAB_SHIFT")) {
		assert_true(a->value.count > 0);
		return;
	}
	assert_in_range(a->value.count, LAB_SPIN_INSTRUCTIONS * LAB_ASK_TURNS,
			LAB_SPIN_INSTRUCTIONS * LAB_ASK_TURNS + BESIDE);
}

/* ---- perf_event_paranoid ---- */

#define USER_ONLY "counts user mode only: perf_event_paranoid is 2"
#define NOTHING "perf_event_paranoid is 3: an ordinary user may not count anything"
#define NO_KERNEL "perf_event_paranoid is 2: an ordinary user may not count in kernel mode"
#define NO_CPUS(level)                                                                             \
	"perf_event_paranoid is " #level ": an ordinary user may not count whole CPUs"
#define SET_TO(level) "perf_event_paranoid=" #level
/*
 * What an ordinary user gets at each level; @reason NULL: the count is whole. Debian's kernels know
 * 3: nothing at all.
 */
static const struct paranoid_row {
	int line;
	const char *level, *event, *cpus;
	int ret;
	uint32_t flags;
	const char *reason, *remedy;
} paranoid_rows[] = {
	{ __LINE__, "-1", "instructions", NULL, 0, 0, NULL, NULL },
	{ __LINE__, "0", "instructions", NULL, 0, 0, NULL, NULL },
	{ __LINE__, "1", "instructions", NULL, 0, 0, NULL, NULL },
	{ __LINE__, "2", "instructions", NULL, 0, NTIME_USER_ONLY, USER_ONLY, SET_TO(1) },
	{ __LINE__, "3", "instructions", NULL, 0, NTIME_ABSENT, NOTHING, SET_TO(2) },
	{ __LINE__, "2", "instructions:u", NULL, 0, 0, NULL, NULL },
	{ __LINE__, "3", "instructions:u", NULL, 0, NTIME_ABSENT, NOTHING, SET_TO(2) },
	{ __LINE__, "1", "instructions:k", NULL, 0, 0, NULL, NULL },
	{ __LINE__, "2", "instructions:k", NULL, 0, NTIME_ABSENT, NO_KERNEL, SET_TO(1) },
	{ __LINE__, "0", "instructions", "0", 0, 0, NULL, NULL },
	{ __LINE__, "1", "instructions", "0", -EACCES, 0, NO_CPUS(1), SET_TO(0) },
	{ __LINE__, "2", "instructions", "0", -EACCES, 0, NO_CPUS(2), SET_TO(0) },
	{ __LINE__, "3", "instructions", "0", -EACCES, 0, NO_CPUS(3), SET_TO(0) },
	{ __LINE__, "1", "page-faults", NULL, 0, 0, NULL, NULL },
	{ __LINE__, "2", "page-faults", NULL, 0, NTIME_USER_ONLY, USER_ONLY, SET_TO(1) },
	{ __LINE__, "3", "page-faults", NULL, 0, NTIME_ABSENT, NOTHING, SET_TO(2) },
	{ __LINE__, "2", "context-switches", NULL, 0, NTIME_ABSENT, NO_KERNEL, SET_TO(1) },
	{ __LINE__, "2", "task-clock", NULL, 0, 0, NULL, NULL },
};

static bool is_core(const char *event)
{
	return strncmp(event, "instructions", 12) == 0;
}

static void check_paranoid(const struct paranoid_row *r)
{
	struct lab_question q = { .event = r->event, .cpus = r->cpus, .as_user = true };
	struct lab_answer a;
	char what[128];

	TT_EQ(r, lab_write(PARANOID, r->level), 0);
	(void)snprintf(what, sizeof(what), "level %s, %s%s", r->level, r->event,
		       r->cpus ? ", CPU 0" : "");
	a = ask(q, what);
	TT_EQ(r, a.ret, r->ret);
	if (r->ret < 0) {
		tt_has_(a.error, r->reason, "error", __FILE__, r->line);
		tt_has_(a.error, r->remedy, "error", __FILE__, r->line);
		return;
	}
	/* Of a whole CPU the kernel's clock may be late on a busy machine, and that is told. */
	TT_EQ(r, a.value.flags & ~(r->cpus ? NTIME_PARTIAL : 0u), r->flags);
	tt_has_(a.reason, r->reason ? r->reason : "", "reason", __FILE__, r->line);
	tt_has_(a.remedy, r->remedy ? r->remedy : "", "remedy", __FILE__, r->line);
	/* What is known of the processor is told of right numbers, too. */
	if (!r->reason && strncmp(a.reason, "erratum ", 8) != 0)
		TT_TEXT(a.reason, "");
	if (r->flags & NTIME_ABSENT)
		check_no_number(&a, NTIME_ABSENT);
	else if (strcmp(r->event, "instructions:u") == 0 || r->flags & NTIME_USER_ONLY) {
		if (is_core(r->event))
			check_user_count(&a);
	} else if (strcmp(r->event, "instructions") == 0) {
		assert_true(a.value.count >= LAB_SPIN_INSTRUCTIONS * LAB_ASK_TURNS);
	}
}

TEST(an_ordinary_user_is_told_what_paranoid_forbids)
{
	char before[16];
	size_t asked = 0;

	lab_line(PARANOID, before, sizeof(before));
	TT_FOR_EACH_ROW(r, paranoid_rows) {
		if (is_core(r->event) && !has_pmu)
			continue;
		/* A kernel without Debian's patch treats 3 as 2. */
		if (*r->level == '3' && before[0] != '3')
			continue;
		check_paranoid(r);
		asked++;
	}
	TT_IS(lab_write(PARANOID, before), 0);
	print_message("# %zu rows\n", asked);
	assert_true(asked >= 5);
}

/* ---- seccomp ---- */

static const struct deny_row {
	int line;
	int error;
	bool as_user;
	const char *event;
} deny_rows[] = {
	{ __LINE__, EPERM, false, "instructions:u" },
	{ __LINE__, EACCES, false, "instructions:u" },
	{ __LINE__, ENOSYS, false, "instructions:u" },
	{ __LINE__, EPERM, true, "instructions" },
	{ __LINE__, EPERM, true, "instructions:u" },
	{ __LINE__, EPERM, false, "page-faults" },
	{ __LINE__, EPERM, true, "page-faults" },
	{ __LINE__, ENOSYS, true, "page-faults" },
};

TEST(a_denied_system_call_is_told_as_such)
{
	char before[16];
	size_t asked = 0;

	lab_line(PARANOID, before, sizeof(before));
	/*
	 * The level at which an ordinary user may count user mode: paranoid is not what forbids it.
	 */
	TT_IS(lab_write(PARANOID, "2"), 0);
	TT_FOR_EACH_ROW(r, deny_rows) {
		struct lab_question q = { .event = r->event,
					  .as_user = r->as_user,
					  .deny = r->error };
		struct lab_answer a;
		char what[128];

		if (is_core(r->event) && !has_pmu)
			continue;
		(void)snprintf(what, sizeof(what), "denied with %s, %s, %s", strerror(r->error),
			       r->as_user ? "ordinary user" : "root", r->event);
		a = ask(q, what);
		tt_has_(a.reason, "a seccomp filter refuses", "reason", __FILE__, r->line);
		tt_has_(a.remedy, "seccomp", "remedy", __FILE__, r->line);
		check_no_number(&a, NTIME_ABSENT);
		asked++;
	}
	TT_IS(lab_write(PARANOID, before), 0);
	assert_true(asked >= 3);
}

/* ---- counters that others hold ---- */

static int open_pinned(uint64_t event, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = event,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.pinned = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Pinned events of CPU 0, until one more finds no counter: it then reads as end of file. */
static int take_all_counters(uint64_t event, int *fd, int room)
{
	uint64_t value[3];
	int n = 0;

	while (n < room) {
		fd[n] = open_pinned(event, 0);
		if (fd[n] < 0)
			return -errno;
		if (read(fd[n], value, sizeof(value)) == 0) {
			(void)close(fd[n]);
			return n;
		}
		n++;
	}
	return n;
}

static void check_command_has_no_number(void)
{
	char line[512];
	int lines = 0, reasons = 0;
	FILE *f = popen("ntime -e instructions:u -- true 2>&1", "r");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		/* The first of two lines. */
		if (strncmp(line, "<not counted>: ", 15) == 0) {
			print_message("# and why: %s\n", line);
			TT_HAS(line,
			       "its counter never ran: other users (perf, the NMI watchdog) held");
			reasons++;
		}
		/* What is known of the event stands below, behind blanks. */
		if (!strstr(line, "instructions") || line[0] == ' ')
			continue;
		print_message("# the command says: %s\n", line);
		TT_TEXT(line, "<not counted>  instructions:u");
		lines++;
	}
	TT_IS(pclose(f), 0);
	TT_IS(lines, 1);
	TT_IS(reasons, 1);
}

TEST(counters_that_others_hold_are_not_counted)
{
	int fd[32], n;
	struct lab_answer a;

	if (!has_pmu)
		TT_SKIP("this guest has no PMU");
	n = take_all_counters(PERF_COUNT_HW_INSTRUCTIONS, fd, 32);
	print_message("# %d pinned events of CPU 0 hold all counters for instructions\n", n);
	assert_in_range(n, 1, 31);
	a = ask((struct lab_question){ .event = "instructions:u" }, "while they are held");
	check_no_number(&a, NTIME_NOT_COUNTED);
	assert_true(a.value.wanted_ns > 0);
	TT_IS(a.value.counted_ns, 0);
	check_command_has_no_number();
	while (n)
		(void)close(fd[--n]);
	a = ask((struct lab_question){ .event = "instructions:u" }, "when they are free again");
	TT_IS(a.value.flags, 0);
	check_user_count(&a);
}

/* ---- a session in this process ---- */

static struct ntime_ctx *open_ctx(void)
{
	struct ntime_ctx *ctx = NULL;

	TT_IS(lab_open(&ctx), 0);
	return ctx;
}

static struct ntime_session *start_on(struct ntime_ctx *ctx, const char *cpus, const char *events)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = cpus ? NTIME_TARGET_CPUS : NTIME_TARGET_THREAD,
				       .cpus = cpus };
	struct ntime_session *s = NULL;

	if (ntime_session_new(ctx, &target, &s) < 0 || ntime_session_add_list(s, events) < 0 ||
	    ntime_session_start(s) < 0)
		print_error("%s on CPUs %s: %s\n", events, cpus ? cpus : "-",
			    ntime_error_text(ctx));
	assert_non_null(s);
	return s;
}

/* A value that no read leaves behind. */
static const struct ntime_value untouched = { .count = 0x5a5a5a5a,
					      .value = -1,
					      .flags = 0x40000000 };

/* ---- the NMI watchdog ---- */

#define WATCHED 8
/*
 * What the watchdog says of itself when it took a counter (kernel/watchdog_hld.c, since 6.5
 * watchdog_perf.c).
 */
#define WATCHDOG_WORDS "Permanently consumes one hw-PMU counter"
#define LOG_BYTES (1 << 20)
#define READ_ALL 3 /* klogctl(2): SYSLOG_ACTION_READ_ALL */

/*
 * Not every hard lockup detector counts: that of the 6.12 kernel for 32-bit Arm lets CPUs watch
 * each other (CONFIG_HARDLOCKUP_DETECTOR_BUDDY) behind the same file of /proc. On x86 the PMU is
 * always the one that counts.
 */
static bool watchdog_counts(void)
{
#if defined(__x86_64__)
	return true;
#else
	char *log = calloc(1, LOG_BYTES + 1);
	bool is_said;

	assert_non_null(log);
	assert_true(klogctl(READ_ALL, log, LOG_BYTES) > 0);
	is_said = strstr(log, WATCHDOG_WORDS) != NULL;
	free(log);
	return is_said;
#endif
}

/*
 * The watchdog counts cycles. How many of eight are exact; each of the others says that it is not.
 */
static unsigned int count_exact(struct ntime_ctx *ctx, unsigned int *passes)
{
	struct ntime_session *s = start_on(ctx, NULL,
					   "cycles:u,cycles:u,cycles:u,cycles:u,"
					   "cycles:u,cycles:u,cycles:u,cycles:u");
	const char *shift_text = getenv("NTIME_LAB_SHIFT");
	unsigned int exact = 0, shift = shift_text ? (unsigned int)atoi(shift_text) : 0;
	struct ntime_value value[WATCHED];

	lab_spin(LAB_ASK_TURNS);
	TT_IS(ntime_session_read(s, value, WATCHED), WATCHED);
	*passes = ntime_session_passes(s);
	for (size_t i = 0; i < WATCHED; i++) {
		if (value[i].flags == 0) {
			/*
			 * Where nobody tells how many cycles an instruction takes, it takes one at
			 * least.
			 */
			assert_in_range(
				value[i].count, LAB_SPIN_INSTRUCTIONS * LAB_ASK_TURNS << shift,
				shift_text
					? (LAB_SPIN_INSTRUCTIONS * LAB_ASK_TURNS + BESIDE) << shift
					: INT64_MAX);
			exact++;
		} else {
			assert_true(value[i].flags & (NTIME_SCALED | NTIME_NOT_COUNTED));
			assert_true(value[i].counted_ns < value[i].wanted_ns);
		}
	}
	ntime_session_free(s);
	return exact;
}

TEST(the_watchdogs_counter_is_not_counted_on)
{
	struct ntime_ctx *ctx;
	char before[16];
	unsigned int passes[2] = { 0 }, exact[2] = { 0 };
	int held[2] = { 0 };

	lab_line(NMI_WATCHDOG, before, sizeof(before));
	if (!has_pmu || lab_write(NMI_WATCHDOG, "1") < 0)
		TT_SKIP("this guest's kernel has no NMI watchdog");
	for (int on = 0; on < 2; on++) {
		int fd[32];

		TT_IS(lab_write(NMI_WATCHDOG, on ? "1" : "0"), 0);
		held[on] = take_all_counters(PERF_COUNT_HW_CPU_CYCLES, fd, 32);
		for (int i = 0; i < held[on]; i++)
			(void)close(fd[i]);
		ctx = open_ctx();
		exact[on] = count_exact(ctx, &passes[on]);
		ntime_close(ctx);
		print_message("# watchdog %d: %d counters for cycles, 8 events in %u passes, %u "
			      "of them exact\n",
			      on, held[on], passes[on], exact[on]);
	}
	TT_IS(lab_write(NMI_WATCHDOG, before), 0);
	if (!watchdog_counts()) {
		TT_IS(held[1], held[0]);
		TT_SKIP("this kernel's watchdog takes no counter");
	}
	/* Else it took nothing, and nothing was tested. */
	assert_true(held[1] < held[0]);
	assert_true(passes[0] >= 2 && passes[1] >= passes[0]);
}

/* ---- a CPU that goes ---- */

static void need_two_cpus(void)
{
	if (access(CPU1_ONLINE, W_OK) < 0)
		TT_SKIP("this guest has one CPU");
}

static void check_stale(struct ntime_ctx *ctx, struct ntime_session *s, const char *words)
{
	struct ntime_value value = untouched;

	TT_IS(ntime_session_read(s, &value, 1), -ESTALE);
	print_message("# %s\n", ntime_error_text(ctx));
	TT_HAS(ntime_error_text(ctx), words);
	assert_memory_equal(&value, &untouched, sizeof(value));
}

/* Longer than starting many CPUs takes, so that a clock that stood still is seen. */
static void run_a_while(void)
{
	(void)usleep(300000);
}

static void check_cpu_that_goes(struct ntime_ctx *ctx, const char *cpus, const char *event)
{
	struct ntime_session *s = start_on(ctx, cpus, event);
	struct ntime_value value;

	run_a_while();
	TT_IS(ntime_session_read(s, &value, 1), 1);
	print_message("# CPUs %s, %s: %llu before\n", cpus, event, (unsigned long long)value.count);
	/* The kernel's clock may be late on a busy machine, and that is told. */
	TT_IS(value.flags & ~NTIME_PARTIAL, 0);
	assert_true(value.count > 0);
	TT_IS(lab_write(CPU1_ONLINE, "0"), 0);
	/*
	 * When the CPU is back only the missing time tells: most of all of it, however slow the
	 * host is.
	 */
	(void)usleep(1000000);
	check_stale(ctx, s, "CPU 1 went off line while it was counted");
	TT_IS(lab_write(CPU1_ONLINE, "1"), 0);
	check_stale(ctx, s, "CPU 1 was off line for a while");
	(void)ntime_session_stop(s);
	check_stale(ctx, s, "CPU 1 was off line for a while");
	ntime_session_free(s);
	s = start_on(ctx, cpus, event);
	run_a_while();
	TT_IS(ntime_session_read(s, &value, 1), 1);
	TT_IS(value.flags & ~NTIME_PARTIAL, 0);
	ntime_session_free(s);
}

TEST(a_cpu_that_goes_off_line_leaves_no_number)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = NTIME_TARGET_CPUS,
				       .cpus = "1" };
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;

	need_two_cpus();
	ctx = open_ctx();
	check_cpu_that_goes(ctx, "1", "cpu-clock");
	check_cpu_that_goes(ctx, "0-1", "cpu-clock");
	if (has_pmu)
		check_cpu_that_goes(ctx, "1", "cycles");
	/* And before the start. */
	TT_IS(lab_write(CPU1_ONLINE, "0"), 0);
	TT_IS(ntime_session_new(ctx, &target, &s), -ENODEV);
	print_message("# %s\n", ntime_error_text(ctx));
	TT_HAS(ntime_error_text(ctx), "CPU 1");
	assert_null(s);
	TT_IS(lab_write(CPU1_ONLINE, "1"), 0);
	ntime_close(ctx);
}

#if defined(__x86_64__)
struct opened {
	struct ntime_ctx *ctx;
	struct ntime_register *reg;
};

static int open_one(void *arg, const struct ntime_register_info *info)
{
	struct opened *opened = arg;

	return ntime_register_open(opened->ctx, info, 0, &opened->reg);
}
#endif

TEST(the_registers_of_a_cpu_that_goes_are_not_read)
{
#if defined(__x86_64__)
	struct opened before = { .ctx = open_ctx() }, after = { .ctx = before.ctx };
	uint64_t value = 0;

	need_two_cpus();
	TT_IS(ntime_register_find(before.ctx, TSC, "1", open_one, &before), 1);
	TT_IS(ntime_register_read(before.reg, &value), 0);
	TT_IS(lab_write(CPU1_ONLINE, "0"), 0);
	value = 42;
	TT_IS(ntime_register_read(before.reg, &value), -ENODEV);
	print_message("# opened before: %s\n", ntime_error_text(before.ctx));
	TT_HAS(ntime_error_text(before.ctx), "off line");
	/* Its device is gone too. */
	TT_IS(ntime_register_find(after.ctx, TSC, "1", open_one, &after), -ENXIO);
	print_message("# opened after: %s\n", ntime_error_text(after.ctx));
	TT_HAS(ntime_error_text(after.ctx), "off line");
	TT_IS(value, 42);
	TT_IS(lab_write(CPU1_ONLINE, "1"), 0);
	TT_IS(ntime_register_close(before.reg), 0);
	ntime_close(before.ctx);
#else
	TT_SKIP("this processor has no MSRs");
#endif
}

/* The command: what was counted until then, and a sentence. */
TEST(the_command_tells_of_a_cpu_that_goes)
{
	char text[4096];
	size_t n;
	int status;
	FILE *f;

	need_two_cpus();
	f = popen("ntime -C 1 -e cpu-clock -- sh -c 'sleep 0.3; echo 0 >" CPU1_ONLINE
		  "; sleep 0.3' 2>&1",
		  "r");
	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	status = pclose(f);
	TT_IS(lab_write(CPU1_ONLINE, "1"), 0);
	print_message("# exit status %d: %s\n", WEXITSTATUS(status), text);
	TT_HAS(text, "cpu-clock  [CPUs came or went: counted for ");
	TT_IS(WEXITSTATUS(status), 0);
}

int main(void)
{
	cpu_set_t first = { 0 };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_ordinary_user_is_told_what_paranoid_forbids),
		cmocka_unit_test(a_denied_system_call_is_told_as_such),
		cmocka_unit_test(counters_that_others_hold_are_not_counted),
		cmocka_unit_test(the_watchdogs_counter_is_not_counted_on),
		cmocka_unit_test(a_cpu_that_goes_off_line_leaves_no_number),
		cmocka_unit_test(the_registers_of_a_cpu_that_goes_are_not_read),
		cmocka_unit_test(the_command_tells_of_a_cpu_that_goes),
	};

	has_pmu = lab_core_pmu() != NULL;
	/* Where the counters are that others take; CPU 0 never goes. */
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first) < 0)
		return tt_skip_all("cannot stay on CPU 0");
	return TT_RUN(tests);
}
