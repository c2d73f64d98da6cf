// SPDX-License-Identifier: MIT
/* What the tests inside a guest share. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "lab/tests/workloads/count.h"
#include "base/tests/tt.h"
#include "lab/tests/guest/open.h"
#include "lab/tests/guest/report.h"

#define REPORT "/tmp/lab-report.json"
#define WATCHDOG "/proc/sys/kernel/nmi_watchdog"
/* Two ticks of a kernel with 100 Hz. */
#define LONGEST_TICKS_NS 20000000

static struct ntime_ctx *ctx;

int lab_ok_(int ret, const char *what, const char *file, int line)
{
	if (ret < 0) {
		print_error("%s:%d: %s is %d (%s): %s\n", file, line, what, ret, strerror(-ret),
			    ctx ? ntime_error_text(ctx) : "");
		_fail(file, line);
	}
	return ret;
}

struct ntime_ctx *lab_ctx(void)
{
	if (!ctx)
		LAB_OK(lab_open(&ctx));
	return ctx;
}

struct ntime_session *lab_session(const char *events, const struct ntime_target *target)
{
	struct ntime_session *s;

	LAB_OK(ntime_session_new(lab_ctx(), target, &s));
	LAB_OK(ntime_session_add_list(s, events));
	LAB_OK(ntime_session_open(s));
	for (size_t i = 0; i < ntime_session_count(s); i++) {
		struct ntime_item item = { .size = sizeof(item) };

		LAB_OK(ntime_session_item(s, i, &item));
		/* What its processor may count wrongly the guest does not. */
		if (*item.reason && item.reason_code != NTIME_REASON_ERRATUM)
			fail_msg("%s: %s", item.name, item.reason);
	}
	return s;
}

struct ntime_session *lab_started(const char *events)
{
	struct ntime_session *s = lab_session(events, NULL);

	LAB_OK(ntime_session_start(s));
	return s;
}

struct ntime_reader lab_reader(struct ntime_session *s, size_t item)
{
	struct ntime_reader r = { .size = sizeof(r) };

	LAB_OK(ntime_get_reader(s, item, &r));
	return r;
}

uint64_t lab_read_call(const struct ntime_reader *r)
{
	uint64_t count = 0;

	/* Flags would say that the number is not the whole. */
	TT_IS(ntime_read_call(r, &count), 0);
	return count;
}

void lab_set(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) == EOF || fclose(f) == EOF)
		fail_msg("%s cannot be set to %s: %s (is this root?)", path, text, strerror(errno));
}

void lab_stop_watchdog(void)
{
	if (access(WATCHDOG, W_OK) == 0)
		lab_set(WATCHDOG, "0");
}

bool lab_can_read_counters(void)
{
#if defined(__aarch64__)
	lab_set("/proc/sys/kernel/perf_user_access", "1");
	return true;
#elif defined(__x86_64__)
	/* 1 is the kernel's default: who has the event may read the counter. */
	lab_set("/sys/bus/event_source/devices/cpu/rdpmc", "1");
	return true;
#else
	return false;
#endif
}

void lab_leave_end_of_second(void)
{
	const struct timespec ticks = { .tv_nsec = LONGEST_TICKS_NS };
	struct timespec now;

	while (clock_gettime(CLOCK_MONOTONIC, &now) == 0 && now.tv_nsec < LONGEST_TICKS_NS)
		(void)nanosleep(&ticks, NULL);
}

static double number_of(const json_t *item, const char *key, double missing)
{
	const json_t *value = json_object_get(item, key);

	return json_is_number(value) ? json_number_value(value) : missing;
}

static struct lab_value value_of(const json_t *item)
{
	struct lab_value v = { .value = number_of(item, "value", NAN) };
	const json_t *count = json_object_get(item, "count");
	const char *name = json_string_value(json_object_get(item, "name"));

	snprintf(v.name, sizeof(v.name), "%s", name ? name : "");
	v.count = json_is_integer(count) ? (uint64_t)json_integer_value(count) : 0;
	v.error = number_of(item, "error", NAN);
	v.min = number_of(item, "min", v.value);
	v.max = number_of(item, "max", v.value);
	v.pass = (unsigned int)number_of(item, "pass", 0);
	v.is_scaled = lab_has_flag(item, "scaled");
	v.in_every_pass = json_is_true(json_object_get(item, "in_every_pass"));
	v.is_implausible = lab_has_flag(item, "implausible");
	v.is_absent = json_object_get(item, "absent") != NULL;
	return v;
}

void lab_ntime(const char *arguments, struct lab_value *values, size_t n)
{
	json_error_t error;
	json_t *root, *items;
	char command[1024];
	int status;

	snprintf(command, sizeof(command), "exec ntime --json -o " REPORT " %s", arguments);
	status = system(command);
	if (status != 0)
		fail_msg("\"%s\" ended with status %#x", command, (unsigned int)status);
	root = json_load_file(REPORT, 0, &error);
	if (!root)
		fail_msg("\"%s\" wrote no JSON: %s", command, error.text);
	items = json_object_get(root, "items");
	if (lab_asked(items) != n)
		fail_msg("\"%s\" reports %zu items, expected %zu", command, lab_asked(items), n);
	for (size_t i = 0; i < n; i++)
		values[i] = value_of(json_array_get(items, i));
	json_decref(root);
	(void)unlink(REPORT);
}

int lab_open_event(uint32_t type, uint64_t config, uint64_t sample_period, int group_fd)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.sample_period = sample_period,
		.exclude_kernel = 1,
		.exclude_hv = 1,
#ifdef __aarch64__
		/* Bit 1: user mode may read it (Documentation/arm64/perf.rst). */
		.config1 = 2,
#endif
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, group_fd, 0ul);

	return fd < 0 ? -errno : (int)fd;
}

static uint64_t read_event(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		fail_msg("read(2) of an event: %s", strerror(errno));
	return count;
}

static unsigned int shift_of_loop(void)
{
	int instructions = lab_open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1);
	int cycles = lab_open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1);
	uint64_t before[2], after[2];
	double ratio;
	unsigned int shift = 0;

	if (instructions < 0 || cycles < 0)
		fail_msg("this guest's kernel counts no instructions or no cycles");
	before[0] = read_event(instructions);
	before[1] = read_event(cycles);
	lab_turns(1000000);
	after[0] = read_event(instructions);
	after[1] = read_event(cycles);
	(void)close(instructions);
	(void)close(cycles);
	ratio = (double)(after[1] - before[1]) / (double)(after[0] - before[0]);
	while (ratio > 1.5) {
		ratio /= 2;
		shift++;
	}
	return shift;
}

unsigned int lab_shift(void)
{
	const char *text = getenv("NTIME_LAB_SHIFT");
	static unsigned long shift;
	static bool is_known;
	char *end = NULL;

	if (!is_known) {
		shift = text ? strtoul(text, &end, 10) : shift_of_loop();
		if (text && (!*text || *end || shift > 10))
			fail_msg("NTIME_LAB_SHIFT is \"%s\": QEMU's -icount shift is 0 to 10",
				 text);
		is_known = true;
	}
	return (unsigned int)shift;
}
