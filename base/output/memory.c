// SPDX-License-Identifier: MIT
/* Memory, or the end. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/output/exit.h"
#include "base/output/memory.h"
#include "base/output/say.h"

#define CLI_NO_FILE EBADFD

/* ---- the end ---- */

static struct cli_undo *undo;

void cli_undo_add(struct cli_undo *u)
{
	u->next = undo;
	undo = u;
}

void cli_undo_remove(struct cli_undo *u)
{
	struct cli_undo **at = &undo;

	while (*at && *at != u)
		at = &(*at)->next;
	if (*at)
		*at = u->next;
}

/*
 * _exit(): what stands in the buffers of stdio is a part of a result. Who runs out of memory while
 * things are undone leaves the rest.
 */
_Noreturn void cli_memory_end(void)
{
	static int is_ending;
	struct cli_undo *u;

	if (!__atomic_exchange_n(&is_ending, 1, __ATOMIC_ACQ_REL)) {
		while ((u = undo)) {
			undo = u->next;
			u->run(u->arg);
		}
		/* Last, as a full screen is gone then. */
		(void)cli_say_no_memory();
	}
	_exit(CLI_EXIT_FAILED);
}

/* ---- memory ---- */

static void *must(void *memory)
{
	if (!memory)
		cli_memory_end();
	return memory;
}

void *cli_malloc(size_t bytes)
{
	return must(malloc(bytes ? bytes : 1));
}

void *cli_calloc(size_t n, size_t bytes)
{
	return must(calloc(n ? n : 1, bytes));
}

void *cli_realloc(void *old, size_t n, size_t bytes)
{
	return must(reallocarray(old, n ? n : 1, bytes));
}

void cli_grow_bytes(void *array, size_t n, size_t bytes)
{
	void *objects;

	if (n & (n - 1))
		return;
	memcpy(&objects, array, sizeof(objects));
	objects = cli_realloc(objects, n ? 2 * n : 1, bytes);
	memcpy(array, &objects, sizeof(objects));
}

char *cli_strdup(const char *text)
{
	return must(strdup(text));
}

char *cli_strndup(const char *text, size_t most)
{
	return must(strndup(text, most));
}

char *cli_format_args(const char *format, va_list args)
{
	char *text;

	/* The only other reason to fail is a text above INT_MAX. */
	if (vasprintf(&text, format, args) < 0)
		cli_memory_end();
	return text;
}

char *cli_format(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = cli_format_args(format, args);
	va_end(args);
	return text;
}

/* ---- files ---- */

FILE *cli_fopen(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);

	if (!f && errno == ENOMEM)
		cli_memory_end();
	return f;
}

FILE *cli_fopen_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct statfs system;
	struct stat st;
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	/* A pipe without a name has a writer: standard input, and <(...) of a shell. */
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
	    (!S_ISFIFO(st.st_mode) || fstatfs(fd, &system) || system.f_type != PIPEFS_MAGIC))
		errno = CLI_NO_FILE;
	else if (fcntl(fd, F_SETFL, 0) == 0)
		f = fdopen(fd, "r");
	if (!f && errno == ENOMEM)
		cli_memory_end();
	if (!f)
		(void)close(fd);
	return f;
}

const char *cli_fopen_why(void)
{
	return errno == CLI_NO_FILE ? "it is not a regular file" : strerror(errno);
}

DIR *cli_opendir(const char *path)
{
	DIR *dir = opendir(path);

	if (!dir && errno == ENOMEM)
		cli_memory_end();
	return dir;
}

/* Without memory getline(3) returns what it returns at the end of the file. */
ssize_t cli_getline(char **line, size_t *room, FILE *f)
{
	ssize_t n;

	errno = 0;
	n = getline(line, room, f);
	if (n < 0 && errno == ENOMEM)
		cli_memory_end();
	return n;
}

/* ---- a text like a file ---- */

/* open_memstream(3) of glibc 2.36 may end in SIGSEGV, or leave NULL, when it cannot grow. */
static ssize_t grow(void *arg, const char *from, size_t bytes)
{
	struct cli_text *t = arg;

	while (t->room - t->bytes <= bytes) {
		t->text = cli_realloc(t->text, t->room, 2);
		t->room *= 2;
	}
	memcpy(t->text + t->bytes, from, bytes);
	t->bytes += bytes;
	return (ssize_t)bytes;
}

void cli_text_begin(struct cli_text *t)
{
	const cookie_io_functions_t functions = { .write = grow };

	*t = (struct cli_text){ .room = 256 };
	t->text = cli_malloc(t->room);
	t->f = must(fopencookie(t, "w", functions));
}

char *cli_text_end(struct cli_text *t)
{
	(void)fclose(t->f);
	t->text[t->bytes] = '\0';
	return t->text;
}
