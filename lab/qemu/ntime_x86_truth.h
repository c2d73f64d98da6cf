/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens in an emulated machine that QEMU has no idea of: heat, energy, idle time, memory
 * traffic. All of it is a function of virtual time, different in each socket, so that whoever reads
 * one register and another one can tell what must stand in them, and a socket that is taken for
 * another shows. The functions stand in the table of README.md. No state: what happened between two
 * times.
 */
#ifndef NTIME_X86_TRUTH_H
#define NTIME_X86_TRUTH_H

#include "core/models/nhm_uncore.h"
#include "core/models/x86_power.h"

/*
 * What happened in @socket, or a core of it, after @from and until @to, nanoseconds of virtual time
 * since the start of the machine.
 */
void ntime_x86_uncore_truth(unsigned int socket, uint64_t from, uint64_t to,
			    struct ntm_nhm_work *work);
void ntime_x86_package_truth(unsigned int socket, uint64_t from, uint64_t to,
			     struct ntm_x86_package_work *work);
void ntime_x86_core_truth(unsigned int socket, unsigned int core, uint64_t from, uint64_t to,
			  struct ntm_x86_core_work *work);

/*
 * What registers hold that begin with something: energy, and a reason of throttling that is over.
 * After their reset.
 */
void ntime_x86_begin_package(struct ntm_x86_power_package *package);
void ntime_x86_begin_core(unsigned int socket, struct ntm_x86_power_core *core);

#endif
