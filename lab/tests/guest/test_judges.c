// SPDX-License-Identifier: MIT
/*
 * Judges that nobody here wrote: the kernel's own PMU drivers. Each must bind to the emulated PMU
 * by itself, and count on it what is true. The library has no part in this: events are opened and
 * read by the kernel's interface alone.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/tests/guest/ask.h"
#include "lab/tests/guest/file.h"
#include "lab/tests/guest/spin.h"
#include "base/tests/tt.h"

#define LOG_BYTES (1 << 20)
#define READ_ALL 3 /* klogctl(2): SYSLOG_ACTION_READ_ALL */
#define RING_PAGES 64
#define DEVICES "/sys/bus/event_source/devices/"

/*
 * What each guest's kernel must say when its driver binds, and how the driver calls the PMU. armv6:
 * the driver knows neither modes nor sampling. With two CPUs QEMU cannot count exactly. Of Arm's
 * counters Linux 6.1 says "7 counters available", 6.12 "7 (0,8000003f) counters available": the
 * words end with the number.
 */
static const struct judge {
	const char *guest, *words, *pmu;
	bool has_modes, is_exact, has_samples, has_uncore;
} judges[] = {
	{ "x86-nehalem", "Nehalem events, 16-deep LBR, Intel PMU driver", "cpu", true, true, true,
	  true },
	{ "x86-nehalem-strict", "Nehalem events, 16-deep LBR, Intel PMU driver", "cpu", true, true,
	  true, true },
	{ "x86-2s", "Nehalem events, 16-deep LBR, Intel PMU driver", "cpu", true, false, false,
	  true },
	{ "x86-amd", "core perfctr, AMD PMU driver", "cpu", true, true, true, false },
	{ "x86-amd-legacy", "Performance Events: AMD PMU driver", "cpu", true, true, true, false },
	{ "arm64", "enabled with armv8_pmuv3 PMU driver, 7 ", "armv8_pmuv3", true, true, true,
	  false },
	{ "armv7", "enabled with armv7_cortex_a15 PMU driver", "armv7_cortex_a15", true, true,
	  false, false },
	{ "rpi", "enabled with armv6_1176 PMU driver, 3 ", "armv6_1176", false, true, false,
	  false },
};

static const struct judge *judge;
static unsigned int shift; /* log2 of cycles per instruction */

static void find_judge(void)
{
	const char *guest = getenv("NTIME_LAB_GUEST"), *text = getenv("NTIME_LAB_SHIFT");
	size_t length = guest ? strlen(guest) : 0;

	/* The same machine with a newer kernel. */
	if (length > 5 && strcmp(guest + length - 5, "-6.12") == 0)
		length -= 5;
	TT_FOR_EACH_ROW(j, judges) {
		if (strlen(j->guest) == length && memcmp(j->guest, guest, length) == 0)
			judge = j;
	}
	shift = text ? (unsigned int)strtoul(text, NULL, 10) : 0;
}

/* The line of the kernel's log that has @words. */
static bool find_in_log(const char *words, char *line, size_t room)
{
	char *log = calloc(1, LOG_BYTES + 1), *at, *end;
	bool is_found = false;

	assert_non_null(log);
	if (klogctl(READ_ALL, log, LOG_BYTES) > 0 && (at = strstr(log, words))) {
		while (at > log && at[-1] != '\n')
			at--;
		end = strchr(at, '\n');
		(void)snprintf(line, room, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
		is_found = true;
	}
	free(log);
	return is_found;
}

TEST(the_kernels_driver_binds)
{
	char line[256] = "", path[128], type[16];

	if (!find_in_log(judge->words, line, sizeof(line)))
		print_error("the kernel's log has no \"%s\"\n", judge->words);
	print_message("# %s\n", line);
	assert_true(*line != '\0');
	(void)snprintf(path, sizeof(path), DEVICES "%s/type", judge->pmu);
	lab_line(path, type, sizeof(type));
	print_message("# %s is %s\n", path, type);
	assert_true(*type != '\0');
}

static int open_event(uint32_t type, uint64_t config, uint64_t period, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
		.sample_period = period,
		.sample_type = period ? PERF_SAMPLE_IP : 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_kernel = cpu < 0 && judge->has_modes,
		.exclude_hv = cpu < 0 && judge->has_modes,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		print_error("perf_event_open(2), type %u, config %#llx: %s\n", type,
			    (unsigned long long)config, strerror(errno));
	assert_true(fd >= 0);
	return fd;
}

/* Count, enabled ns and running ns. */
static void read_event(int fd, uint64_t value[3])
{
	TT_IS(read(fd, value, 3 * sizeof(value[0])), 3 * sizeof(value[0]));
	/* It had its counter all the time. */
	TT_IS(value[1], value[2]);
}

/* The least of several, since without modes an interrupt adds to some. */
static uint64_t count_spin(int fd, unsigned long turns)
{
	uint64_t least = UINT64_MAX, before[3], after[3];

	for (int i = 0; i < 20; i++) {
		read_event(fd, before);
		lab_spin(turns);
		read_event(fd, after);
		if (after[0] - before[0] < least)
			least = after[0] - before[0];
	}
	return least;
}

/* What the reads and the frame of the loop take is the same for any number of turns. */
static void check_counts(const char *name, uint64_t event, unsigned int cycles_shift)
{
	static const unsigned long turns[] = { 1000, 100000, 1000000 };
	int fd = open_event(PERF_TYPE_HARDWARE, event, 0, -1);
	uint64_t none = count_spin(fd, 1);
	/*
	 * The last takes as long as from one timer interrupt to the next: without modes none is
	 * free of one.
	 */
	size_t n = judge->has_modes ? 3 : 2;

	for (size_t i = 0; i < n; i++) {
		uint64_t count = count_spin(fd, turns[i]) - none;
		uint64_t truth = LAB_SPIN_INSTRUCTIONS * (uint64_t)(turns[i] - 1) << cycles_shift;

		print_message("# %s of %lu turns: %llu, truth %llu\n", name, turns[i],
			      (unsigned long long)count, (unsigned long long)truth);
		if (judge->is_exact)
			TT_IS(count, truth);
		else
			assert_true(count > 0);
	}
	(void)close(fd);
}

TEST(the_kernels_driver_counts_instructions)
{
	check_counts("instructions", PERF_COUNT_HW_INSTRUCTIONS, 0);
}

TEST(the_kernels_driver_counts_cycles)
{
	check_counts("cycles", PERF_COUNT_HW_CPU_CYCLES, shift);
}

/* ---- overflow interrupts ---- */

static size_t count_samples(const struct perf_event_mmap_page *page, size_t page_bytes)
{
	const uint8_t *data = (const uint8_t *)page + page_bytes;
	uint64_t head = page->data_head, at = 0;
	size_t samples = 0;

	/*
	 * The event is stopped, so nobody writes; nothing was read out, so the ring begins at 0 and
	 * records lie whole.
	 */
	assert_true(head <= RING_PAGES * page_bytes);
	while (at < head) {
		const struct perf_event_header *record =
			(const struct perf_event_header *)(const void *)(data + at);

		if (record->type == PERF_RECORD_LOST)
			print_error("samples were lost\n");
		assert_true(record->size && record->type != PERF_RECORD_LOST);
		samples += record->type == PERF_RECORD_SAMPLE;
		at += record->size;
	}
	return samples;
}

TEST(the_kernels_driver_gets_its_overflow_interrupts)
{
	const uint64_t period = 100000;
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), samples;
	uint64_t value[3];
	void *ring;
	int fd;

	if (!judge->has_samples)
		TT_SKIP("this guest's PMU or driver has no interrupt that is exact");
	fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, period, -1);
	ring = mmap(NULL, (1 + RING_PAGES) * page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(ring != MAP_FAILED);
	lab_spin(5000000);
	read_event(fd, value);
	TT_IS(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	samples = count_samples(ring, page_bytes);
	print_message("# %llu cycles, a sample every %llu: %zu samples\n",
		      (unsigned long long)value[0], (unsigned long long)period, samples);
	assert_true(samples >= 100);
	TT_IS(samples, value[0] / period);
	(void)munmap(ring, (1 + RING_PAGES) * page_bytes);
	(void)close(fd);
}

/* ---- Nehalem's uncore ---- */

static uint32_t uncore_type(char *cpumask, int size)
{
	char line[16];

	lab_line(DEVICES "uncore/type", line, sizeof(line));
	lab_line(DEVICES "uncore/cpumask", cpumask, size);
	return (uint32_t)strtoul(line, NULL, 10);
}

/*
 * Virtual nanoseconds: the TSC of every CPU (lab/qemu/README.md). The kernel's own clock is
 * as good as its calibration on a busy host.
 */
static uint64_t virtual_ns(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/*
 * The model's clock ticks once a virtual nanosecond; event ffh is the kernel's name for the fixed
 * counter. The ticks between two reads are no fewer than the time between them and no more than the
 * time around them.
 */
static void check_clockticks(uint32_t type, int cpu)
{
	int fd = open_event(type, 0xff, 0, cpu);
	uint64_t before[3], after[3], ticks, at[4];

	at[0] = virtual_ns();
	read_event(fd, before);
	at[1] = virtual_ns();
	(void)usleep(200000);
	at[2] = virtual_ns();
	read_event(fd, after);
	at[3] = virtual_ns();
	ticks = after[0] - before[0];
	print_message("# uncore of CPU %d: %llu clock ticks in %llu to %llu ns\n", cpu,
		      (unsigned long long)ticks, (unsigned long long)(at[2] - at[1]),
		      (unsigned long long)(at[3] - at[0]));
	assert_in_range(ticks, at[2] - at[1] - 1, at[3] - at[0] + 1);
	assert_true(at[2] - at[1] > 100000000);
	(void)close(fd);
}

TEST(the_kernels_uncore_driver_counts)
{
	char cpumask[32];
	uint32_t type;
	uint64_t value[3];
	int fd;

	if (!judge->has_uncore)
		TT_SKIP("this guest's processor has no uncore PMU");
	type = uncore_type(cpumask, sizeof(cpumask));
	print_message("# uncore: type %u, CPUs %s\n", type, cpumask);
	assert_true(type > 0);
	TT_TEXT(cpumask, strcmp(judge->guest, "x86-2s") == 0 ? "0-1" : "0");
	check_clockticks(type, 0);
	if (strchr(cpumask, '1'))
		check_clockticks(type, 1);
	/* What the model does not know counts nothing: 2dh, reads of high priority. */
	fd = open_event(type, 0x0f2d, 0, 0);
	(void)usleep(50000);
	read_event(fd, value);
	print_message("# uncore event 0x2d, umask 0xf: %llu\n", (unsigned long long)value[0]);
	TT_IS(value[0], 0);
	(void)close(fd);
}

/* perf beside it: the same ticks by the name that the driver exports. */
TEST(perf_counts_the_uncore)
{
	double ticks = -1, clock_ns = -1, most;
	uint64_t begin;
	char line[256];
	FILE *f;

	if (!judge->has_uncore || !lab_has_perf())
		TT_SKIP("this guest has no uncore PMU, or no perf (--with perf)");
	begin = virtual_ns();
	f = popen("perf stat -x, -C 0 -e uncore/clockticks/,cpu-clock -- sleep 0.2 2>&1", "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "clockticks"))
			ticks = strtod(line, NULL);
		else if (strstr(line, "cpu-clock"))
			clock_ns = strtod(line, NULL) * 1e6;
	}
	TT_IS(pclose(f), 0);
	most = (double)(virtual_ns() - begin);
	print_message("# perf stat: %.0f clock ticks, cpu-clock %.0f ns\n", ticks, clock_ns);
	/* A busy host makes the two differ, and what the kernel takes for 0.2 s. */
	assert_true(clock_ns >= 198e6 && ticks >= 150e6 && ticks <= most);
	if (judge->is_exact)
		assert_true(ticks > clock_ns * 0.999 && ticks < clock_ns * 1.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernels_driver_binds),
		cmocka_unit_test(the_kernels_driver_counts_instructions),
		cmocka_unit_test(the_kernels_driver_counts_cycles),
		cmocka_unit_test(the_kernels_driver_gets_its_overflow_interrupts),
		cmocka_unit_test(the_kernels_uncore_driver_counts),
		cmocka_unit_test(perf_counts_the_uncore),
	};

	find_judge();
	if (!judge)
		return tt_skip_all("no driver of this guest is known (NTIME_LAB_GUEST)");
	return TT_RUN(tests);
}
