// SPDX-License-Identifier: MIT
/* The functions of cli_files.h. */
#include <errno.h>
#include <stdio.h>

#include "base/command/command.h"
#include "base/command/confine.h"
#include "base/output/exit.h"
#include "base/output/say.h"
#include "count/tests/fuzz/cli_files.h"

static const struct fuzz_opened *files;
static size_t file_count;
static unsigned int said;

/* What fopen() is, with offsets of 64 bits. */
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);
int __wrap_access(const char *path, int mode);
void __wrap_cli_say(const char *format, ...);
int __wrap_cli_say_misuse(const char *command, const char *format, ...);
int __wrap_cli_say_stdout_end(void);
void __wrap_cli_confine(unsigned int verbose);

void fuzz_files(const struct fuzz_opened *file, size_t n)
{
	static FILE *nowhere;

	if (!nowhere) {
		nowhere = __real_fopen64("/dev/null", "w");
		fuzz_expect(nowhere != NULL);
		stdout = nowhere;
	}
	files = file;
	file_count = n;
}

unsigned int fuzz_said(void)
{
	unsigned int n = said;

	said = 0;
	return n;
}

static const struct fuzz_opened *find(const char *path)
{
	for (size_t i = 0; i < file_count; i++)
		if (strcmp(files[i].path, path) == 0)
			return &files[i];
	return NULL;
}

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	const struct fuzz_opened *f = find(path);

	if (!f) {
		errno = ENOENT;
		return NULL;
	}
	/* Nothing is written by this name. */
	fuzz_expect(*mode == 'r');
	/* glibc's fmemopen() refuses to open nothing. */
	return f->n ? fmemopen((void *)(uintptr_t)f->bytes, f->n, "r")
		    : __real_fopen64("/dev/null", "r");
}

int __wrap_access(const char *path, int mode)
{
	(void)mode;
	if (find(path))
		return 0;
	errno = ENOENT;
	return -1;
}

void __wrap_cli_say(const char *format, ...)
{
	fuzz_expect(*format);
	said++;
}

int __wrap_cli_say_misuse(const char *command, const char *format, ...)
{
	fuzz_expect(*command && *format);
	said++;
	return CLI_EXIT_FAILED;
}

int __wrap_cli_say_stdout_end(void)
{
	return 0;
}

void __wrap_cli_confine(unsigned int verbose)
{
	(void)verbose;
}
