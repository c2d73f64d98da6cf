/* SPDX-License-Identifier: MIT */
/**
 * DOC: The emulator: counts of a program where there is no PMU
 *
 * qemu-user runs the program, and a plugin of ours counts what it executes: instructions and the
 * like, exact and the same in each run of a program that does the same in each, at 4 to 16 times
 * its own time. What it starts is counted too. Times, and events of the kernel, are those of
 * the emulator with it.
 */
#ifndef NTIME_EMULATOR_H
#define NTIME_EMULATOR_H

#include <stdint.h>

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_emulator;

/**
 * ntime_emulator_new() - prepare to run a command in the emulator
 * @ctx:	context, for the error's sentence
 * @argv:	NULL-terminated; argv[0] is looked up in PATH, and a script is run by its
 *		interpreter. Borrowed until the command was made
 * @plugin:	file of ntime's plugin
 * @out:	the emulator; NULL on failure. Free with ntime_emulator_free(), behind the sessions
 *		that it counts for
 *
 * Give ntime_emulator_argv() to ntime_command_new(), and the emulator to struct ntime_target with
 * NTIME_VIA_EMULATOR. It runs one command.
 * Return: 0; -ENOENT (no such command), -EACCES; -ENOPKG (the emulator is not installed); -EINVAL
 * (a name that QEMU cannot be told of); -ENOEXEC (a program that no emulator here runs, or that the
 * kernel gives rights of its own: set-uid); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_emulator_new(struct ntime_ctx *ctx, char *const argv[], const char *plugin,
				 struct ntime_emulator **out);

/** ntime_emulator_argv() - the command that runs it; lives as long as @e and its own argv */
NTIME_API char *const *ntime_emulator_argv(const struct ntime_emulator *e);

/**
 * ntime_emulator_outside() - programs that the command ran without the emulator, so far: they are
 * in no count
 *
 * Of another architecture, set-uid, not readable, or started by execveat(2). Since 0.1.
 */
NTIME_API uint32_t ntime_emulator_outside(const struct ntime_emulator *e);

/** ntime_emulator_free() - NULL is accepted */
NTIME_API void ntime_emulator_free(struct ntime_emulator *e);

#ifdef __cplusplus
}
#endif
#endif
