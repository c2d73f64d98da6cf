/* SPDX-License-Identifier: MIT */
/* What execve(2) would make of a file, and the command that runs it in qemu-user instead. */
#ifndef NTE_PROGRAM_H
#define NTE_PROGRAM_H

#include <stddef.h>

/* Processors that are emulated, as QEMU calls them; NULL ends. */
struct nte_machine {
	const char *name;
	unsigned int elf; /* EM_X86_64 */
};
extern const struct nte_machine nte_machines[];

/* This machine's, and the name of its emulator; NULL: it has none in the list. */
const char *nte_host_emulator(void);

/* For the first lines of a script and its interpreters. */
#define NTE_TEXT_BYTES 2048

enum nte_kind {
	NTE_PROGRAM, /* of the emulated architecture */
	NTE_FOREIGN, /* what execve(2) would run, and we cannot: another architecture, set-uid */
	NTE_ERROR    /* what execve(2) itself fails with */
};

/* How programs are run: strings are the caller's. */
struct nte_emulator {
	const char *qemu;     /* path of qemu-x86_64 */
	const char *plugin;   /* its argument: the plugin's path and options */
	unsigned int machine; /* EM_X86_64 */
};

/*
 * What is the file @path, a script's interpreter being followed? @room bytes of @text are for its
 * first lines. The command that runs it (qemu, options, program, arguments) goes to @out, which has
 * room for @most pointers with the NULL at its end; they borrow from @e, @argv and @text.
 * NTE_ERROR also where the rooms do not suffice: execve(2) is to say so.
 */
enum nte_kind nte_program_command(const struct nte_emulator *e, const char *path,
				  char *const argv[], char *text, size_t room, char **out,
				  size_t most);

#endif
