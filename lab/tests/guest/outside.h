/* SPDX-License-Identifier: MIT */
/*
 * What is outside of the cores of the x86 guests, reached without ntime: MSRs through the kernel's
 * device, counters through perf_event_open(2), and what must stand in them
 * (lab/qemu/README.md).
 */
#ifndef LAB_OUTSIDE_H
#define LAB_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tests/tt.h"
#include "lab/tests/guest/file.h"

/* Virtual nanoseconds since the machine was started: the TSC is that, on every CPU. */
static inline uint64_t lab_now(void)
{
	return __builtin_ia32_rdtsc();
}

/* A register in which time stands, shifted. The socket's number @n, the core's in it @c. */
struct lab_clockwork {
	const char *name;
	uint32_t msr;
	uint64_t begin;
	unsigned int shift, per_core; /* T >> (shift + per_core * c + per_socket * n) */
	int per_socket;
	bool is_subtracted; /* T less that */
	unsigned int bits;  /* wraps there */
	const char *event;  /* of the kernel's perf units: "cstate_core/c3-residency"; NULL: none */
};
/* All of them, .name NULL ends. */
extern const struct lab_clockwork lab_clockwork[];
uint64_t lab_clockwork_at(const struct lab_clockwork *row, unsigned int socket, unsigned int core,
			  uint64_t now);

/* Package of a CPU that is on line, and which of its package's cores it is. */
unsigned int lab_socket_of(unsigned int cpu);
unsigned int lab_core_of(unsigned int cpu);
unsigned int lab_all_cpus(void);
unsigned int lab_sockets(void);

/* 0 or -errno; no register is -EIO. */
int lab_msr_get(unsigned int cpu, uint32_t msr, uint64_t *value);
int lab_msr_set(unsigned int cpu, uint32_t msr, uint64_t value);
/* Fails the test where it cannot be read. */
uint64_t lab_msr(unsigned int cpu, uint32_t msr);
/* As its units of energy tell; else a Westmere. */
bool lab_is_sandy_bridge(void);

/* All registers of the uncore that counting programs change, on every CPU that is on line. */
struct lab_snapshot {
	size_t count;
	struct {
		unsigned int cpu;
		uint32_t msr;
		uint64_t value;
	} row[1024];
};
void lab_snapshot_take(struct lab_snapshot *all);
/* How many differ now, each told. CPUs that went off line do not count. */
size_t lab_snapshot_differs(const struct lab_snapshot *before);

/*
 * perf_event_open(2) of an event of a unit of the kernel for a whole CPU, switched off; @config as
 * in its format, or the one of a named event when @event has a slash. A failure is -errno.
 */
int lab_perf_open(const char *unit, uint64_t config, unsigned int cpu, int group);
int lab_perf_open_named(const char *event, unsigned int cpu);
uint64_t lab_perf_get(int fd);

/* Without root or outside of the lab these tests have nothing to look at; NULL when they have. */
const char *lab_outside_why_not(void);

#endif
