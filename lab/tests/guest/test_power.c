// SPDX-License-Identifier: MIT
/*
 * Inside x86-westmere and x86-pci-2s, as root: registers of heat, energy, frequency and idle time
 * hold what the table in lab/qemu/README.md says, and Linux' msr, cstate and rapl drivers,
 * which nobody here wrote, count the same. A judge of the models, before ntime is judged by them.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "lab/tests/guest/outside.h"

#define LATER 50000 /* microseconds between two readings */

static bool is_here(const struct lab_clockwork *row)
{
	bool is_only_there = row->msr == 0x3fe || row->msr == 0x60d || row->bits == 32;

	return !is_only_there || lab_is_sandy_bridge();
}

static uint64_t mask_of(const struct lab_clockwork *row)
{
	return row->bits == 64 ? UINT64_MAX : ((uint64_t)1 << row->bits) - 1;
}

/* Read between two looks at the clock: it must hold what it held at some moment between them. */
static void check_register(const struct lab_clockwork *row, unsigned int cpu)
{
	unsigned int socket = lab_socket_of(cpu), core = lab_core_of(cpu);
	uint64_t before = lab_now(), value = lab_msr(cpu, row->msr), after = lab_now();
	uint64_t least = lab_clockwork_at(row, socket, core, before);
	uint64_t most = lab_clockwork_at(row, socket, core, after);

	if (((value - least) & mask_of(row)) <= most - least)
		return;
	fail_msg("%s of CPU %u is %#llx, and must be from %#llx to %#llx", row->name, cpu,
		 (unsigned long long)value, (unsigned long long)least, (unsigned long long)most);
}

TEST(registers_hold_the_time)
{
	for (const struct lab_clockwork *row = lab_clockwork; row->name; row++)
		for (unsigned int cpu = 0; is_here(row) && cpu < lab_all_cpus(); cpu++)
			check_register(row, cpu);
}

TEST(units_and_limits)
{
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++) {
		TT_IS(lab_msr(cpu, 0x1a2) >> 16, lab_is_sandy_bridge() ? 95 : 100);
		if (lab_is_sandy_bridge())
			TT_IS(lab_msr(cpu, 0x606), 0xa1003);
	}
}

/* ---- heat ---- */

/* Even sockets: hot in every other 2^30 ns. Both must be seen, which takes so long. */
static void check_hot_and_cold(unsigned int cpu)
{
	unsigned int headroom = 11 + 10 * lab_socket_of(cpu) + lab_core_of(cpu);
	bool seen[2] = { false, false };

	while (!seen[0] || !seen[1]) {
		uint64_t before = lab_now(), value = lab_msr(cpu, 0x19c), after = lab_now();
		unsigned int hot = before >> 30 & 1;

		if (before >> 30 != after >> 30)
			continue;
		seen[hot] = true;
		TT_IS(value & 1, hot);
		TT_IS(value >> 16 & 0x7f, hot ? 0 : headroom);
		TT_IS(value >> 31 & 1, 1);
		if (hot)
			TT_IS(value & 3, 3);
		(void)usleep(10000);
	}
}

/*
 * Odd sockets: held down all the time, which is logged again when it was cleared. What was critical
 * before the start stays where 1 is written (ntime watch clears it, test_watch).
 */
static void check_held(unsigned int cpu)
{
	uint64_t held = lab_is_sandy_bridge() ? 0xc0c : 0xc;
	uint64_t rest = 0x88000000 | (11 + 10 * lab_socket_of(cpu) + lab_core_of(cpu)) << 16 | held;

	TT_IS(lab_msr(cpu, 0x19c), rest | 0x20);
	TT_IS(lab_msr_set(cpu, 0x19c, (rest & ~(uint64_t)0xaaa) | 0x20), 0);
	TT_IS(lab_msr(cpu, 0x19c), rest | 0x20);
}

TEST(cores_tell_why_they_are_throttled)
{
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++)
		if (lab_socket_of(cpu) & 1)
			check_held(cpu);
		else
			check_hot_and_cold(cpu);
}

TEST(packages_tell_it_too)
{
	uint64_t value;

	if (!lab_is_sandy_bridge())
		TT_SKIP("this processor has no thermal status of a package");
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++) {
		value = lab_msr(cpu, 0x1b1);
		if (lab_socket_of(cpu) & 1)
			TT_IS(value, 0x140c0c);
		else
			TT_IS(value >> 16, value & 1 ? 0 : 10);
	}
}

/* ---- the kernel's drivers ---- */

/* rapl counts in 2^-32 J, the register in 2^-16. */
static uint64_t steps_of(const struct lab_clockwork *row, uint64_t count)
{
	return row->bits == 32 ? count >> 16 : count;
}

static void check_kernel(const struct lab_clockwork *row, unsigned int cpu)
{
	unsigned int socket = lab_socket_of(cpu), core = lab_core_of(cpu);
	uint64_t at[4], value[2], least, most;
	int fd = lab_perf_open_named(row->event, cpu);

	if (fd < 0)
		fail_msg("%s on CPU %u: %s", row->event, cpu, strerror(-fd));
	TT_IS(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	for (int i = 0; i < 2; i++) {
		at[2 * i] = lab_now();
		value[i] = lab_perf_get(fd);
		at[2 * i + 1] = lab_now();
		(void)usleep(LATER);
	}
	close(fd);
	least = lab_clockwork_at(row, socket, core, at[2]) -
		lab_clockwork_at(row, socket, core, at[1]);
	most = lab_clockwork_at(row, socket, core, at[3]) -
	       lab_clockwork_at(row, socket, core, at[0]);
	/* Each reading is rounded down. */
	assert_in_range(steps_of(row, value[1]) - steps_of(row, value[0]) + 1, least, most + 2);
}

TEST(the_kernels_drivers_count_the_same)
{
	size_t n = 0;

	for (const struct lab_clockwork *row = lab_clockwork; row->name; row++)
		for (unsigned int cpu = 0; is_here(row) && cpu < lab_all_cpus(); cpu++) {
			/* Registers of a package: the kernel counts them on its first CPU. */
			if (lab_core_of(cpu) && strncmp(row->event, "cstate_pkg", 10) == 0)
				continue;
			check_kernel(row, cpu);
			n++;
		}
	print_message("# %zu counts of the kernel compared\n", n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_hold_the_time),
		cmocka_unit_test(units_and_limits),
		cmocka_unit_test(cores_tell_why_they_are_throttled),
		cmocka_unit_test(packages_tell_it_too),
		cmocka_unit_test(the_kernels_drivers_count_the_same),
	};

	if (lab_outside_why_not())
		return tt_skip_all(lab_outside_why_not());
	return TT_RUN(tests);
}
