// SPDX-License-Identifier: MIT
/*
 * The way on the ARM1176: the instructions themselves. User mode may run them while V is set in the
 * access validation register, which ntime.ko does where the administrator loads it with
 * user_access=1; else each is an illegal instruction, and is caught.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "count/compat/rpi_pmu/arm1176.h"
#include "count/compat/rpi_pmu/guard.h"
#include "count/compat/rpi_pmu/pmu.h"
#include "count/compat/rpi_pmu/rpi_pmu.h"
#include "include/uapi/ntime.h"

/* MRC and MCR exist in ARM state only on ARMv6. */
#define CP15 RPI_GUARDED __attribute__((target("arm")))

/* A faulting MRC leaves its register as it was. */
#define MRC(value, opc2) __asm__ volatile("mrc p15, 0, %0, c15, c12, " #opc2 : "+r"(value))
#define MCR(value, opc2) __asm__ volatile("mcr p15, 0, %0, c15, c12, " #opc2 : : "r"(value))

CP15 static uint32_t read_register(void *arg, enum rpi_register reg)
{
	uint32_t value = 0;

	(void)arg;
	switch (reg) {
	case RPI_PMCR:
		MRC(value, 0);
		break;
	case RPI_CCR:
		MRC(value, 1);
		break;
	case RPI_CR0:
		MRC(value, 2);
		break;
	case RPI_CR1:
		MRC(value, 3);
		break;
	}
	return value;
}

/* The counts are cleared through PMCR, never written. */
CP15 static void write_register(void *arg, enum rpi_register reg, uint32_t value)
{
	(void)arg;
	if (reg == RPI_PMCR)
		MCR(value, 0);
}

static const struct rpi_io io = { read_register, write_register, NULL };
static struct rpi_arm1176 monitor;
/*
 * While a file of ntime.ko is open it cannot be unloaded and take the access away, or load-time
 * values put back over the counts.
 */
static int pin = -1;

static bool is_here(void)
{
	/* The same numbers are other registers on other processors, so nothing is tried out. */
	static bool is_known, is_arm1176;
	FILE *f;

	if (is_known)
		return is_arm1176;
	f = fopen("/proc/cpuinfo", "re");
	if (!f)
		return false;
	is_arm1176 = rpi_is_arm1176(f);
	is_known = true;
	(void)fclose(f);
	return is_arm1176;
}

static void say_closed(char *why, size_t size)
{
	if (access("/sys/module/ntime", F_OK) < 0)
		(void)snprintf(
			why, size,
			"user mode may not touch the counters of this ARM1176: load ntime.ko "
			"(as root: ntime driver load --user-access)");
	else
		(void)snprintf(
			why, size,
			"ntime.ko is loaded, and yet user mode may not touch the counters of this "
			"ARM1176: either it was loaded without user access (as root: ntime driver "
			"unload, then ntime driver load --user-access), or this is an emulator "
			"without them (count on hardware, or in the lab's guest rpi)");
}

static void end(void)
{
	rpi_guard_lower();
	if (pin >= 0)
		(void)close(pin);
	pin = -1;
}

static int start(const struct rpi_event *const evt[2], struct rpi_count out[RPI_COUNTERS],
		 char *why, size_t size)
{
	/*
	 * A counter that is not wanted is parked where Linux' driver parks it: an event that never
	 * happens.
	 */
	unsigned int code[2] = { ARMV6_EVENT_NOP, ARMV6_EVENT_NOP };
	int ret = rpi_guard_raise();

	(void)out;
	if (ret < 0) {
		(void)snprintf(why, size, "the handler of SIGILL cannot be set");
		return ret;
	}
	for (int i = 0; i < 2; i++)
		if (evt[i])
			code[i] = (unsigned int)evt[i]->number;
	/* Not there without ntime.ko, or where it is not mounted: then nothing is pinned. */
	pin = open(NTIME_FS_PATH "/status", O_RDONLY | O_CLOEXEC);
	(void)read_register(NULL, RPI_PMCR);
	if (rpi_guard_has_caught()) {
		say_closed(why, size);
		ret = -EACCES;
	} else {
		ret = rpi_arm1176_start(&monitor, &io, code[0], code[1], why, size);
	}
	if (ret < 0)
		end();
	return ret;
}

static int stop(struct rpi_count out[RPI_COUNTERS], char *why, size_t size)
{
	int ret = rpi_arm1176_stop(&monitor, &io, out, why, size);

	if (rpi_guard_has_caught()) {
		(void)snprintf(why, size,
			       "the access to the counters was taken away while they counted: load "
			       "ntime.ko (ntime driver load --user-access) and leave it loaded");
		ret = -EACCES;
	}
	end();
	return ret;
}

/* The registers go on counting for the parent. */
static void forget(void)
{
	end();
}

const struct rpi_method rpi_method_cp15 = { is_here, start, stop, forget };
