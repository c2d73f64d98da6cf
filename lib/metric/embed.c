// SPDX-License-Identifier: MIT
/*
 * Build program, not part of the library: lint metric files with the library's own parser and write them as C.
 *
 *     metric-embed OUT.c FILE...
 *
 * Prints FILE:LINE: and what is wrong and exits 1, so that a bad metric ends the build; OUT.c is then not left behind. The
 * files must be free of errors together, since a context reads them into one set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/metric/metric.h"

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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * One string literal a line. Bytes beyond ASCII become three octal digits, which cannot run into what follows; '?' is escaped
 * against trigraphs.
 */
static void write_text(FILE *out, const char *text, size_t bytes)
{
	size_t i;

	fputs("\t\t\"", out);
	for (i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\n')
			fputs(i + 1 < bytes ? "\\n\"\n\t\t\"" : "\\n", out);
		else if (c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%c", c);
		else if (c < ' ' || c > '~')
			fprintf(out, "\\%03o", (unsigned int)c);
		else
			fputc(c, out);
	}
	fputs("\",\n", out);
}

/* Lints @name into @all and writes it; 0 or 1, the exit status. */
static int embed(FILE *out, const char *name, struct nti_metrics *all)
{
	struct nti_error e = { 0 };
	size_t bytes;
	char *text = read_file(name, &bytes);
	int ret;

	if (!text)
		return 1;
	ret = nti_metrics_parse(name, text, bytes, all, &e);
	if (ret < 0) {
		fprintf(stderr, "%s\n", e.text);
	} else {
		fprintf(out, "\t{\n\t\t\"%s\",\n", base_name(name));
		write_text(out, text, bytes);
		fprintf(out, "\t\t%zu,\n\t},\n", bytes);
	}
	free(text);
	return ret < 0 ? 1 : 0;
}

static int embed_all(FILE *out, char **names)
{
	struct nti_metrics all = { 0 };
	int ret = 0;

	fputs("/* Made by metric-embed from data/metrics; change those files. */\n"
	      "#include \"lib/metric/metric.h\"\n\n"
	      "const struct nti_metric_file nti_metric_files[] = {\n",
	      out);
	for (; *names; names++)
		ret |= embed(out, *names, &all);
	fputs("\t{ 0 },\n};\n", out);
	nti_metrics_fini(&all);
	return ret;
}

int main(int argc, char **argv)
{
	FILE *out;
	int ret;

	if (argc < 3) {
		fputs("usage: metric-embed OUT.c FILE...\n", stderr);
		return 1;
	}
	out = fopen(argv[1], "w");
	if (!out) {
		fprintf(stderr, "%s: cannot be written: %s\n", argv[1], strerror(errno));
		return 1;
	}
	ret = embed_all(out, argv + 2);
	if (fclose(out)) {
		fprintf(stderr, "%s: cannot be written: %s\n", argv[1], strerror(errno));
		ret = 1;
	}
	if (ret)
		remove(argv[1]);
	return ret;
}
