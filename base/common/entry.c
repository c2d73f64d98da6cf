// SPDX-License-Identifier: MIT
/* Files of entries. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/entry.h"
#include "base/common/text.h"

struct parser {
	const struct nti_entries *kind;
	const char *file;
	size_t line;
	unsigned int last;		   /* key of the line before, in this entry */
	size_t last_line;		   /* its number */
	char title[NTI_ENTRY_TITLE_BYTES]; /* value of the entry's first line */
	void *arg, *entry;
	struct nti_error *e;
};

static int fail_at(struct parser *p, int code)
{
	return code < 0 ? nti_error_prefix(p->e, code, "%s:%zu", p->file, p->line) : 0;
}

/* Bytes of @text, @most at most and whole characters of UTF-8. */
static int shown(const char *text, size_t bytes, size_t most)
{
	size_t n = bytes > most ? most : bytes;

	while (n < bytes && (text[n] & 0xc0) == 0x80)
		n--;
	return (int)n;
}

/* Key 0 has no name. */
static unsigned int find_key(const struct nti_entries *kind, const char *name, size_t bytes)
{
	unsigned int key;

	for (key = 1; key < kind->keys; key++)
		if (strlen(kind->key[key].name) == bytes &&
		    memcmp(kind->key[key].name, name, bytes) == 0)
			return key;
	return 0;
}

#define LIST_BYTES 512

/* The keys of @mask behind the text in @out; a blank line is key 0, and comes last. */
static void list_keys(const struct nti_entries *kind, unsigned int mask, const char *quote,
		      const char *last, char out[LIST_BYTES])
{
	const char *comma = "";
	unsigned int i, key;
	char item[80];

	for (i = 1; mask; i++) {
		key = i < kind->keys ? i : 0;
		if (!(mask & 1u << key))
			continue;
		mask &= ~(1u << key);
		(void)snprintf(item, sizeof(item), "%s%s%s%s", comma, key ? quote : "",
			       key ? kind->key[key].name : "a blank line", key ? quote : "");
		(void)nti_text_append(out, LIST_BYTES, item);
		comma = mask & (mask - 1) ? ", " : last;
	}
}

/* What may come behind the line before. */
static const char *expected(const struct parser *p, char out[LIST_BYTES])
{
	const struct nti_entry_key *key = &p->kind->key[p->last];

	(void)snprintf(out, LIST_BYTES,
		       p->last ? "'%s' is followed by " : "an entry begins with %s", key->name);
	list_keys(p->kind, key->next ? key->next : 1u, "'", " or ", out);
	return out;
}

static int fail_unknown_key(struct parser *p, const char *name, size_t bytes)
{
	char all[LIST_BYTES] = "";

	list_keys(p->kind, (1u << p->kind->keys) - 2, "", " and ", all);
	return nti_error(p->e, -EINVAL, "%s:%zu: there is no key '%.*s%s'; the keys are %s",
			 p->file, p->line, shown(name, bytes, 40), name,
			 shown(name, bytes, 40) < (int)bytes ? "..." : "", all);
}

static int end_entry(struct parser *p)
{
	const struct nti_entry_key *last = &p->kind->key[p->last];
	char text[LIST_BYTES];

	if (!p->last)
		return 0;
	if (last->next)
		return nti_error(p->e, -EINVAL, "%s:%zu: the entry of %s ends too early: %s",
				 p->file, p->last_line, p->title, expected(p, text));
	p->last = 0;
	return fail_at(p, p->kind->end(p->arg, p->e));
}

/* The text of a key that is one, into the entry. */
static int keep_text(struct parser *p, const struct nti_entry_key *key, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return nti_error(p->e, -ENOMEM, "memory is short for a text");
	memcpy((char *)p->entry + key->text, &copy, sizeof(copy));
	if (key->form == NTI_ENTRY_SENTENCE && value[strlen(value) - 1] != '.')
		// cppcheck-suppress memleak ; the entry has it
		return nti_error(p->e, -EINVAL, "'%s' is a sentence and ends with a full stop",
				 key->name);
	// cppcheck-suppress memleak ; the entry has it
	return 0;
}

/* @line has neither blanks at its ends nor a line end and is not empty. */
static int parse_entry_line(struct parser *p, char *line)
{
	const struct nti_entry_key *key = p->kind->key;
	size_t bytes = strcspn(line, " \t");
	char *value = line + bytes + strspn(line + bytes, " \t");
	unsigned int number = find_key(p->kind, line, bytes);
	char text[LIST_BYTES];
	int ret = 0;

	if (!number)
		return fail_unknown_key(p, line, bytes);
	if (!(key[p->last].next & 1u << number))
		return nti_error(p->e, -EINVAL, "%s:%zu: %s, not '%s'", p->file, p->line,
				 expected(p, text), key[number].name);
	if (!*value)
		return nti_error(p->e, -EINVAL, "%s:%zu: '%s' has no value", p->file, p->line,
				 key[number].name);
	if (!p->last) {
		(void)snprintf(p->title, sizeof(p->title), "%.*s",
			       shown(value, strlen(value), sizeof(p->title) - 1), value);
		p->entry = p->kind->begin(p->arg);
	}
	p->last = number;
	p->last_line = p->line;
	if (key[number].form)
		ret = keep_text(p, &key[number], value);
	return fail_at(p, ret < 0 ? ret : p->kind->set(p->arg, number, value, p->e));
}

/* A line end of DOS is a blank, too. */
static int parse_line(void *arg, const char *begin, size_t bytes)
{
	struct parser *p = arg;
	char *copy, *line;
	int ret;

	p->line++;
	if (bytes && begin[bytes - 1] == '\r')
		bytes--;
	ret = fail_at(p, p->kind->check(begin, bytes, p->e));
	if (ret < 0)
		return ret;
	copy = strndup(begin, bytes);
	if (!copy)
		return nti_error(p->e, -ENOMEM, "%s:%zu: memory is short for a line", p->file,
				 p->line);
	line = nti_text_trim(copy);
	if (!*line)
		ret = end_entry(p);
	else if (*line != '#')
		ret = parse_entry_line(p, line);
	free(copy);
	return ret;
}

int nti_entries_parse(const struct nti_entries *kind, const char *file, const char *text,
		      size_t bytes, void *arg, struct nti_error *e)
{
	struct parser p = { .kind = kind, .file = file, .arg = arg, .e = e };
	int ret = nti_text_for_each_line(text, bytes, parse_line, &p);

	return ret < 0 ? ret : end_entry(&p);
}
