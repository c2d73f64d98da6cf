/* SPDX-License-Identifier: MIT */
/**
 * DOC: Recording a machine, so that it can be looked at elsewhere
 */
#ifndef NTIME_MACHINE_H
#define NTIME_MACHINE_H

#include <stddef.h>

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ntime_machine_record() - everything that the library reads on this machine, as a file's text
 * @ctx:	context of the real machine
 * @write:	takes @n bytes of the recording (ntime-machine(5)); 0 or -errno, which ends all
 * @arg:	its first argument
 *
 * Records PMU descriptions from sysfs, CPUID, topology, limits and the values of readable registers
 * with rows. No host name, serial number, process or user data.
 * Nothing is written before all was read. Return: 0; -EACCES, -ENOMEM, ... with a sentence; what
 * @write returned, without one. Since 0.1.
 */
NTIME_API int ntime_machine_record(struct ntime_ctx *ctx,
				   int (*write)(void *arg, const void *bytes, size_t n), void *arg);

#ifdef __cplusplus
}
#endif
#endif
