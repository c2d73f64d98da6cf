// SPDX-License-Identifier: MIT
/*
 * What execve(2) would make of a file: see Linux 6.1, fs/exec.c and fs/binfmt_script.c. Called
 * between a program's system call and exec, in a process that may have threads: nothing is
 * allocated.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulator/program.h"

const struct nte_machine nte_machines[] = {
	{ "x86_64", EM_X86_64 },
	{ "aarch64", EM_AARCH64 },
	{ "riscv64", EM_RISCV },
	{ "ppc64le", EM_PPC64 },
	{ NULL, 0 },
};

const char *nte_host_emulator(void)
{
#if defined(__x86_64__)
	return "qemu-x86_64";
#elif defined(__aarch64__)
	return "qemu-aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
	return "qemu-riscv64";
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
	return "qemu-ppc64le";
#else
	return NULL;
#endif
}

/* As much of a file as the kernel looks at, and as many interpreters of interpreters. */
#define HEAD_BYTES 256
#define SCRIPTS_MOST 4

/* Bytes read, or -1: it cannot be executed, or be read. *@is_special: set-uid or set-gid. */
static ssize_t read_head(const char *path, char *head, int *is_special)
{
	struct stat st;
	ssize_t n = -1;
	int fd;

	if (access(path, X_OK) != 0)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		*is_special = (st.st_mode & S_ISUID) != 0 ||
			      (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP);
		n = read(fd, head, HEAD_BYTES);
	}
	(void)close(fd);
	return n;
}

static int is_of_machine(const char *head, ssize_t n, unsigned int machine)
{
	Elf64_Ehdr e;

	if (n < (ssize_t)sizeof(e))
		return 0;
	memcpy(&e, head, sizeof(e));
	return e.e_ident[EI_CLASS] == ELFCLASS64 && e.e_machine == machine;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * The interpreter of "#! INTERPRETER [ARGUMENT]" and its one argument, or NULL, in @line, which
 * ends with NUL. 0: there is none.
 */
static int split_line(char *line, char **interpreter, char **argument)
{
	char *end = line + strcspn(line, "\n"), *at = line + 2;

	while (end > at && (is_blank(end[-1]) || end[-1] == '\r'))
		end--;
	*end = '\0';
	while (is_blank(*at))
		at++;
	*interpreter = at;
	*argument = NULL;
	if (!*at)
		return 0;
	while (*at && !is_blank(*at))
		at++;
	if (!*at)
		return 1;
	*at++ = '\0';
	while (is_blank(*at))
		at++;
	*argument = *at ? at : NULL;
	return 1;
}

/* What is in front of the arguments: script lines, the last one first. */
struct front {
	char *word[2 * SCRIPTS_MOST];
	size_t n;
};

static enum nte_kind put_command(const struct nte_emulator *e, const char *program,
				 const struct front *front, const char *script, char *const argv[],
				 char **out, size_t most)
{
	size_t n = 0, i, args = 0;

	while (argv[args])
		args++;
	if (8 + front->n + 1 + args > most)
		return NTE_ERROR;
	out[n++] = (char *)e->qemu;
	out[n++] = (char *)"-plugin";
	out[n++] = (char *)e->plugin;
	/* A script's interpreter is named by the line. */
	out[n++] = (char *)"-0";
	out[n++] = script ? (char *)program : args ? argv[0] : (char *)"";
	out[n++] = (char *)program;
	for (i = front->n; i-- > 0;)
		out[n++] = front->word[i];
	if (script)
		out[n++] = (char *)script;
	for (i = 1; i < args; i++)
		out[n++] = argv[i];
	out[n] = NULL;
	return NTE_PROGRAM;
}

enum nte_kind nte_program_command(const struct nte_emulator *e, const char *path,
				  char *const argv[], char *text, size_t room, char **out,
				  size_t most)
{
	const char *program = path, *script = NULL;
	struct front front = { .n = 0 };
	unsigned int depth;

	for (depth = 0; depth <= SCRIPTS_MOST; depth++) {
		char *interpreter, *argument;
		int is_special = 0;
		ssize_t n;

		if (room < HEAD_BYTES + 1)
			return NTE_ERROR;
		n = read_head(program, text, &is_special);
		if (n < 4)
			return n < 0 && access(program, X_OK) == 0 && access(program, R_OK) != 0
				       ? NTE_FOREIGN
				       : NTE_ERROR;
		text[n] = '\0';
		if (memcmp(text, ELFMAG, SELFMAG) == 0) {
			if (is_special || !is_of_machine(text, n, e->machine))
				return NTE_FOREIGN;
			return put_command(e, program, &front, script, argv, out, most);
		}
		if (text[0] != '#' || text[1] != '!' || depth == SCRIPTS_MOST ||
		    !split_line(text, &interpreter, &argument))
			return NTE_ERROR;
		/*
		 * "interpreter [argument] script", and the same in front of it for a script's
		 * script.
		 */
		if (!script)
			script = path;
		else
			front.word[front.n++] = (char *)program;
		if (argument)
			front.word[front.n++] = argument;
		program = interpreter;
		text += HEAD_BYTES + 1;
		room -= HEAD_BYTES + 1;
	}
	return NTE_ERROR;
}
