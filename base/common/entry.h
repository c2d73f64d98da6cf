/* SPDX-License-Identifier: MIT */
/*
 * Files of entries, the form of all text in count/data and core/gpu, which
 * core/embed/entries.py reads, and of users' metric files, which are read here: lines of a key and
 * a value, separated by blanks.
 * A blank line ends an entry, '#' begins a comment line. Which key may follow which is a table.
 */
#ifndef NTI_ENTRY_H
#define NTI_ENTRY_H

#include <stddef.h>

#include "base/common/error.h"

#define NTI_ENTRY_TITLE_BYTES 48

enum nti_entry_form {
	NTI_ENTRY_OWN,	    /* nothing is kept of it by itself */
	NTI_ENTRY_TEXT,	    /* a copy, in new memory, goes into the entry */
	NTI_ENTRY_SENTENCE, /* likewise, and it ends with a full stop */
};

/* A key and what may come on the line below it, as bits of key numbers. */
struct nti_entry_key {
	const char *name;
	unsigned int next;
	enum nti_entry_form form;
	size_t text; /* offset of the char * in the entry */
};
/* The end of a row of a text. */
#define NTI_ENTRY_TO(entry, member) NTI_ENTRY_TEXT, offsetof(entry, member)
#define NTI_ENTRY_SAYS(entry, member) NTI_ENTRY_SENTENCE, offsetof(entry, member)

/**
 * struct nti_entries - a kind of file
 * @key:   by number; number 0 is between entries, a key without .next is the last of an entry
 * @check: is a line's text allowed? 0, or an error whose sentence names the column
 * @begin: where the texts of a new entry go, before its first line
 * @set:   a line's value, which is not empty; @value may be changed. Its text is in the entry by
 *         then. An error's sentence lacks file and line
 * @end:   an entry is complete. Likewise
 */
struct nti_entries {
	const struct nti_entry_key *key;
	size_t keys;
	int (*check)(const char *text, size_t bytes, struct nti_error *e);
	void *(*begin)(void *arg);
	int (*set)(void *arg, unsigned int key, char *value, struct nti_error *e);
	int (*end)(void *arg, struct nti_error *e);
};

/*
 * Parse the text of a file; @file is for sentences: "FILE:LINE: ...". 0, or the first error:
 * -EINVAL, -ENOMEM or what @kind's functions return.
 */
int nti_entries_parse(const struct nti_entries *kind, const char *file, const char *text,
		      size_t bytes, void *arg, struct nti_error *e);

#endif
