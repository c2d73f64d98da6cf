// SPDX-License-Identifier: MIT
/*
 * Build program, not part of the library: check files of data/ with the library's own parsers and
 * write them as C.
 *
 *     embed metrics OUT.c FILE...
 *
 * Prints FILE:LINE: and what is wrong and exits 1, so that a bad file ends the build; OUT.c is then
 * not left behind. The files must be free of errors together, since they become one set.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "data/embed/all.h"

static const struct embed_kind *const kinds[] = { &embed_metrics };

void embed_text(FILE *out, const char *text)
{
	if (!text) {
		fputs("NULL", out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c > '~')
			fprintf(out, "\\%03o", (unsigned int)c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

/* All of a file in new memory; NULL with a sentence on stderr. */
static char *read_file(const char *name, size_t *bytes)
{
	FILE *in = fopen(name, "rb");
	char *text = NULL;
	size_t room = 0;

	*bytes = 0;
	if (!in) {
		fprintf(stderr, "%s: cannot be opened: %s\n", name, strerror(errno));
		return NULL;
	}
	do {
		char *more;

		room = room ? room * 2 : 16384;
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
		*bytes += fread(text + *bytes, 1, room - *bytes, in);
	} while (*bytes == room);
	if (ferror(in) || *bytes == room) {
		fprintf(stderr, "%s: cannot be read\n", name);
		free(text);
		text = NULL;
	}
	fclose(in);
	return text;
}

static int parse_file(const struct embed_kind *kind, const char *name, union embed_all *all)
{
	struct nti_error e = { 0 };
	size_t bytes;
	char *text = read_file(name, &bytes);
	int ret;

	if (!text)
		return 1;
	ret = kind->parse(all, name, text, bytes, &e);
	if (ret < 0)
		fprintf(stderr, "%s\n", e.text);
	free(text);
	return ret < 0 ? 1 : 0;
}

static int write_file(const struct embed_kind *kind, const char *name, const union embed_all *all)
{
	FILE *out = fopen(name, "w");

	if (out) {
		fprintf(out, "/* Made by data/embed from data/%s; change those files. */\n",
			kind->name);
		kind->write(out, all);
		if (fclose(out) == 0)
			return 0;
	}
	fprintf(stderr, "%s: cannot be written: %s\n", name, strerror(errno));
	remove(name);
	return 1;
}

int main(int argc, char **argv)
{
	const struct embed_kind *kind = NULL;
	union embed_all all;
	int ret = 0, i;

	for (i = 0; argc >= 4 && i < (int)(sizeof(kinds) / sizeof(kinds[0])); i++)
		if (strcmp(argv[1], kinds[i]->name) == 0)
			kind = kinds[i];
	if (!kind) {
		fputs("usage: embed metrics OUT.c "
		      "FILE...\n",
		      stderr);
		return 1;
	}
	memset(&all, 0, sizeof(all));
	for (i = 3; i < argc; i++)
		ret |= parse_file(kind, argv[i], &all);
	if (!ret)
		ret = write_file(kind, argv[2], &all);
	else
		(void)remove(argv[2]); /* of an earlier build */
	kind->fini(&all);
	return ret;
}
