// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The made-up machine around the CPUs. Everything is virtual time shifted to the right, so that
 * what two readings differ by is the truth and at most one, however often somebody reads in
 * between.
 */
#include "lab/qemu/ntime_x86_truth.h"

#define HOT_SHIFT 30 /* sockets with an even number are hot in every other 2^30 ns */

/* One event in 2^@shift nanoseconds. */
static uint64_t part(uint64_t from, uint64_t to, unsigned int shift)
{
	return (to >> shift) - (from >> shift);
}

void ntime_x86_uncore_truth(unsigned int socket, uint64_t from, uint64_t to,
			    struct ntm_nhm_work *work)
{
	unsigned int i;

	work->clocks = to - from;
	work->memory_throttled = part(from, to, socket + 2);
	work->prochots = part(from, to, socket + 20);
	for (i = 0; i < NTM_NHM_CORES; i++) {
		work->core_hot[i] = part(from, to, i + 3);
		work->core_throttled[i] = part(from, to, i + 4);
		work->core_prochot[i] = part(from, to, socket + i + 6);
	}
	for (i = 0; i < NTM_NHM_CHANNELS; i++) {
		work->reads[i] = part(from, to, socket + i + 5);
		work->writes[i] = part(from, to, socket + i + 6);
		work->partial_writes[i] = part(from, to, socket + i + 8);
	}
}

/*
 * Even sockets are too hot now and then; odd ones are held down by a limit of power or, where that
 * is not told, by PROCHOT#, all the time.
 */
static struct ntm_x86_heat heat(unsigned int socket, uint64_t from, uint64_t to, uint32_t headroom)
{
	uint64_t first = from >> HOT_SHIFT, last = to >> HOT_SHIFT;
	uint32_t held = NTM_X86_PROCHOT | NTM_X86_POWER_LIMIT;

	if (socket & 1)
		return (struct ntm_x86_heat){ held, held, headroom };
	return (struct ntm_x86_heat){
		.now = last & 1 ? NTM_X86_HOT : 0,
		.was = (first & 1) || last != first ? NTM_X86_HOT : 0,
		.headroom = last & 1 ? 0 : headroom,
	};
}

void ntime_x86_package_truth(unsigned int socket, uint64_t from, uint64_t to,
			     struct ntm_x86_package_work *work)
{
	work->idle[NTM_X86_PACKAGE_C2] = part(from, to, 6);
	work->idle[NTM_X86_PACKAGE_C3] = part(from, to, 4);
	work->idle[NTM_X86_PACKAGE_C6] = part(from, to, socket + 3);
	work->idle[NTM_X86_PACKAGE_C7] = part(from, to, socket + 6);
	work->energy[NTM_X86_ENERGY_PACKAGE] = part(from, to, 8 - (socket & 7));
	work->energy[NTM_X86_ENERGY_CORES] = part(from, to, 9 - (socket & 7));
	work->energy[NTM_X86_ENERGY_RAM] = part(from, to, 10 - (socket & 7));
	work->heat = heat(socket, from, to, 10 + 10 * socket);
}

void ntime_x86_core_truth(unsigned int socket, unsigned int core, uint64_t from, uint64_t to,
			  struct ntm_x86_core_work *work)
{
	work->mperf = to - from;
	work->aperf = to - from - part(from, to, socket + 2);
	work->idle[NTM_X86_CORE_C3] = part(from, to, core + 3);
	work->idle[NTM_X86_CORE_C6] = part(from, to, socket + 2);
	work->idle[NTM_X86_CORE_C7] = part(from, to, socket + 5);
	work->heat = heat(socket, from, to, 11 + 10 * socket + core);
}

/*
 * The package's energy wraps soon: after 2^36 ns in socket 0, 2^35 in socket 1. One of 0 would be
 * none to Linux' driver.
 */
void ntime_x86_begin_package(struct ntm_x86_power_package *package)
{
	package->energy[NTM_X86_ENERGY_PACKAGE] = 0xf0000000;
	package->energy[NTM_X86_ENERGY_CORES] = 1;
	package->energy[NTM_X86_ENERGY_RAM] = 1;
}

/*
 * Odd sockets were too hot by far before the machine was started: one who clears the log sees that
 * it stays cleared.
 */
void ntime_x86_begin_core(unsigned int socket, struct ntm_x86_power_core *core)
{
	if (socket & 1)
		core->thermal |= NTM_X86_CRITICAL << 1;
}
