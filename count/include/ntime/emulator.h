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
#include <sys/types.h>

#include <ntime/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ntime_emulator;

enum {
	NTIME_EMULATOR_FUNCTIONS = 1 << 0 /* counts are wanted by function, too */
};

/**
 * ntime_emulator_new() - prepare to run a command in the emulator
 * @ctx:	context, for the error's sentence
 * @argv:	NULL-terminated; argv[0] is looked up in PATH, and a script is run by its
 *		interpreter. Borrowed until the command was made
 * @plugin:	file of ntime's plugin
 * @flags:	0 or NTIME_EMULATOR_FUNCTIONS, which makes it slower
 * @out:	the emulator; NULL on failure. Free with ntime_emulator_free(), behind the sessions
 *		that it counts for
 *
 * Give ntime_emulator_argv() to ntime_command_new(), and the emulator to struct ntime_target with
 * NTIME_VIA_EMULATOR. It runs one command.
 * Return: 0; -ENOENT (no such command), -EACCES; -ENOPKG (the emulator is not installed, or cannot
 * be executed); -EINVAL (a name that QEMU cannot be told of, or an unknown flag); -ENOEXEC (a
 * program that no emulator here runs, or that the kernel gives rights of its own: set-uid);
 * -ELIBACC (libelf is not installed, which functions need); -ENOMEM. Since 0.1.
 */
NTIME_API int ntime_emulator_new(struct ntime_ctx *ctx, char *const argv[], const char *plugin,
				 uint32_t flags, struct ntime_emulator **out);

/** ntime_emulator_argv() - the command that runs it; lives as long as @e and its own argv */
NTIME_API char *const *ntime_emulator_argv(const struct ntime_emulator *e);

/**
 * struct ntime_emulator_info - how it went so far; set @size
 * @size:	sizeof(struct ntime_emulator_info)
 * @processes:	in which the plugin began; 0: QEMU has not loaded it, and nothing was counted
 * @outside:	programs that the command ran without the emulator and that are in no count: of
 *		another architecture, set-uid, not readable, or started by execveat(2)
 * @lacking:	system calls that the emulator does not know, and answered with ENOSYS; @system_call
 *		is the last one's number. Those that C libraries do without are left out
 * @faults:	signals of faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL) that the command handled: by at
 *		most that many blocks of instructions, of 512 at most, are instructions and branches
 *		too high (NTIME_AT_MOST)
 *
 * Since 0.1.
 */
struct ntime_emulator_info {
	uint32_t size;
	uint32_t processes;
	uint32_t outside;
	uint32_t lacking;
	uint32_t system_call;
	uint32_t faults;
};

/** ntime_emulator_get_info() - 0 or -EINVAL (wrong size). Since 0.1. */
NTIME_API int ntime_emulator_get_info(const struct ntime_emulator *e,
				      struct ntime_emulator_info *out);

#define NTIME_EMULATED_EVENTS 8

/**
 * struct ntime_function - what a function executed, in all processes together
 * @file:	of the program or library; NULL: of none that is known, as code that a program makes
 *		as it runs
 * @name:	by the file's symbols, as they are there (mangled, of C++); a section in brackets
 *		where these have no name ("[.plt]"); "[no room]": all that was too much, beyond
 *		1,023 files or a million blocks of instructions. NULL: not known, as the file is no
 *		longer there or has changed
 * @count:	of each event, by its number: ntime_emulator_event()
 *
 * What a function called is in the function that was called. Since 0.1.
 */
struct ntime_function {
	union {
		const char *file;
		uint64_t room_of_file; /* on machines of 32 bits too */
	};
	union {
		const char *name;
		uint64_t room_of_name;
	};
	uint64_t count[NTIME_EMULATED_EVENTS];
};

/** ntime_emulator_event() - number of event @name in struct ntime_function, or -ENOENT */
NTIME_API int ntime_emulator_event(const char *name);

/**
 * ntime_emulator_functions() - counts by function, of an emulator with NTIME_EMULATOR_FUNCTIONS
 * @out:	most instructions first; they live as long as @e, or until the next call
 *
 * Loads and stores, and taken branches, are 0 where no session counts them. Reads the symbols of
 * each file that ran: milliseconds to seconds. Since 0.1.
 * Return: how many; -EINVAL (@e is without); -ENOMEM.
 */
NTIME_API ssize_t ntime_emulator_functions(struct ntime_ctx *ctx, struct ntime_emulator *e,
					   const struct ntime_function **out);

/** ntime_emulator_free() - NULL is accepted */
NTIME_API void ntime_emulator_free(struct ntime_emulator *e);

#ifdef __cplusplus
}
#endif
#endif
