/* SPDX-License-Identifier: MIT */
/*
 * Memory of the command. None of these returns NULL: without memory ntime ends with a sentence and
 * CLI_EXIT_FAILED, as a result that lacks a part may not look like a whole one. What may not be
 * left by that is undone first (struct cli_undo). scripts/check-house finds who calls others.
 *
 * What the library returns is another matter: its -ENOMEM is an error that each caller handles.
 */
#ifndef CLI_OUTPUT_MEMORY_H
#define CLI_OUTPUT_MEMORY_H

#include <dirent.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* All for free(3). */
void *cli_malloc(size_t bytes);
void *cli_calloc(size_t n, size_t bytes);
/* @n elements of @bytes. */
void *cli_realloc(void *old, size_t n, size_t bytes);
/* @array: the address of a pointer to objects of @bytes each. Of cli_grow(). */
void cli_grow_bytes(void *array, size_t n, size_t bytes);
char *cli_strdup(const char *text);
/* At most @most bytes of @text. */
char *cli_strndup(const char *text, size_t most);
/* As asprintf(3). */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cli_format_args(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/*
 * Room for one more behind the @n objects of *@array, which only cli_grow() has allocated, from n =
 * 0 on: NULL then, or what is to be used again. It doubles where @n is a power of two.
 */
#define cli_grow(array, n) cli_grow_bytes((array), (n), sizeof(**(array)))

/* As those of C; what they answer to other failures they answer still. */
FILE *cli_fopen(const char *path, const char *mode);
/*
 * The same for reading a file that the user named, and nothing that would be waited for; NULL and
 * why, as a part of a sentence.
 */
FILE *cli_fopen_file(const char *path);
const char *cli_fopen_why(void);
DIR *cli_opendir(const char *path);
ssize_t cli_getline(char **line, size_t *room, FILE *f);

/**
 * struct cli_text - a text that is written like a file
 * @f:	to write to, until cli_text_end()
 */
struct cli_text {
	FILE *f;
	char *text;
	size_t bytes, room;
};

/* @t stays where it is until cli_text_end(). */
void cli_text_begin(struct cli_text *t);
/* The text, for free(3). */
char *cli_text_end(struct cli_text *t);

/**
 * struct cli_undo - what is to be done if memory runs out; the caller's storage
 * @run:	does it; allocates nothing of its own
 */
struct cli_undo {
	void (*run)(void *arg);
	void *arg;
	struct cli_undo *next;
};

/* From now on until cli_undo_remove(); the last one is done first. One thread. */
void cli_undo_add(struct cli_undo *u);
/* Does nothing where @u was not added. */
void cli_undo_remove(struct cli_undo *u);

/* End ntime for want of memory: the undoing, a sentence, CLI_EXIT_FAILED. Any thread. */
_Noreturn void cli_memory_end(void);

#endif
