/* SPDX-License-Identifier: MIT */
/*
 * Between the files of the build program embed: what it does to a kind of file, and how text is
 * written as C.
 */
#ifndef EMBED_H
#define EMBED_H

#include <stdio.h>

#include "lib/base/error.h"

/* Room for what one kind's files hold together. */
union embed_all;

/**
 * struct embed_kind - files of one folder of data/
 * @name:  as the command line has it
 * @parse: a file's text, appended to what was parsed before; the parser of the library
 * @write: all of it as C
 */
struct embed_kind {
	const char *name;
	int (*parse)(union embed_all *all, const char *file, const char *text, size_t bytes,
		     struct nti_error *e);
	void (*write)(FILE *out, const union embed_all *all);
	void (*fini)(union embed_all *all);
};

extern const struct embed_kind embed_metrics;

/*
 * A string literal: bytes beyond ASCII as three octal digits, which cannot run into what follows,
 * '?' escaped against trigraphs. NULL: "NULL".
 */
void embed_text(FILE *out, const char *text);

#endif
