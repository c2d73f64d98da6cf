/* SPDX-License-Identifier: MIT */
/**
 * DOC: Registers by address, through /dev/cpu/N/msr or a recording
 */
#ifndef NTIME_REGISTER_H
#define NTIME_REGISTER_H

#include <stdint.h>

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ntime_msr_read() - read one model-specific register of one CPU
 * @ctx:	context
 * @cpu:	CPU number
 * @address:	register
 * @value:	64 bits, written only on success
 *
 * Cost: one pread(2); the kernel runs RDMSR on that CPU. The device stays open until the context is closed.
 * Return: 0; -ENOENT (no msr driver: the sentence has the command that loads it); -EACCES; -ENXIO (no such CPU, or off line);
 * -EIO (the processor refuses that register); -ENOTSUP (no MSRs on this architecture). Since 0.1.
 */
NTIME_API int ntime_msr_read(struct ntime_ctx *ctx, unsigned int cpu, uint32_t address,
			     uint64_t *value);

/** ntime_msr_write() - write one; errors as ntime_msr_read() and -EPERM (locked down). Never done by the library itself. */
NTIME_API int ntime_msr_write(struct ntime_ctx *ctx, unsigned int cpu, uint32_t address,
			      uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
