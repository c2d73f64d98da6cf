/* SPDX-License-Identifier: MIT */
/**
 * DOC: Recording a machine, so that it can be looked at elsewhere
 */
#ifndef NTIME_MACHINE_H
#define NTIME_MACHINE_H

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ntime_machine_record() - write to a file everything that the library reads on this machine
 * @ctx:	context of the real machine
 * @path:	new file (ntime-machine(5)); appears complete or not at all
 *
 * Records PMU descriptions from sysfs, CPUID, topology, limits and the values of readable registers
 * with rows. No host name, serial number, process or user data.
 * Return: 0, -ENOSPC, -EACCES, -ENOMEM, ... with a sentence. Since 0.1.
 */
NTIME_API int ntime_machine_record(struct ntime_ctx *ctx, const char *path);

#ifdef __cplusplus
}
#endif
#endif
