// SPDX-License-Identifier: MIT
/*
 * Build program, not part of the library: lint files of data/events and write them as the tables of lib/event/box_events.h.
 *
 *     box-events-embed OUT.c FILE...
 *
 * Prints FILE:LINE: and what is wrong and exits 1, so that a bad file ends the build; OUT.c is then not left behind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/event/box_text.h"

#define FILE_BYTES (1u << 20)

/* Lints @name into @all; 0 or 1, the exit status. */
static int parse_file(const char *name, struct nti_box_text *all)
{
	struct nti_error e = { 0 };
	FILE *in = fopen(name, "rb");
	char *text = malloc(FILE_BYTES);
	size_t bytes;
	int ret = 1;

	if (!in || !text) {
		fprintf(stderr, "%s: cannot be opened: %s\n", name, strerror(errno));
		goto out;
	}
	bytes = fread(text, 1, FILE_BYTES, in);
	if (ferror(in) || bytes == FILE_BYTES) {
		fprintf(stderr, "%s: cannot be read\n", name);
		goto out;
	}
	ret = nti_box_text_parse(name, text, bytes, all, &e) < 0;
	if (ret)
		fprintf(stderr, "%s\n", e.text);
out:
	free(text);
	if (in)
		fclose(in);
	return ret;
}

/* The files are printable ASCII, so little has to be escaped; '?' against trigraphs. */
static void write_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, strchr("\"\\?", *text) ? "\\%c" : "%c", *text);
	fputs("\", ", out);
}

static void write_terms(FILE *out, const struct nti_box_family *f)
{
	size_t i;

	fprintf(out, "static const struct nti_box_term %s_terms[] = {\n", f->kind);
	for (i = 0; i < f->terms; i++) {
		fputs("\t{ ", out);
		write_text(out, f->term[i].name);
		write_text(out, f->term[i].format);
		fputs("},\n", out);
	}
	fputs("};\n", out);
}

static void write_events(FILE *out, const struct nti_box_family *f)
{
	static const char *const together[] = { "NTI_SUM", "NTI_MAX", "NTI_MIN" };
	size_t i;

	fprintf(out, "static const struct nti_box_event %s_events[] = {\n", f->kind);
	for (i = 0; i < f->events; i++) {
		const struct nti_box_event *event = &f->event[i];

		fputs("\t{ ", out);
		write_text(out, event->name);
		write_text(out, event->terms);
		write_text(out, event->unit);
		write_text(out, event->about);
		write_text(out, event->source);
		fprintf(out, "%.17g, %#" PRIx64 "u, %d, %s },\n", event->scale, event->config,
			event->is_state, together[event->together]);
	}
	fputs("};\n", out);
}

/* Families of one entry share its arrays, which are written with the first of them. */
static const struct nti_box_family *first_of(const struct nti_box_text *all, size_t i)
{
	while (i > 0 && all->family[i - 1].event == all->family[i].event)
		i--;
	return &all->family[i];
}

static void write_all(FILE *out, const struct nti_box_text *all)
{
	size_t i;

	fputs("/* Made by box-events-embed from data/events; change those files. */\n"
	      "#include \"lib/event/box_events.h\"\n\n",
	      out);
	for (i = 0; i < all->families; i++) {
		if (first_of(all, i) != &all->family[i])
			continue;
		write_terms(out, &all->family[i]);
		write_events(out, &all->family[i]);
	}
	fputs("const struct nti_box_family nti_box_families[] = {\n", out);
	for (i = 0; i < all->families; i++) {
		const struct nti_box_family *f = &all->family[i], *first = first_of(all, i);

		fprintf(out, "\t{ \"%s\", \"%s\", %s_terms, %zu, %s_events, %zu },\n", f->kind,
			f->unit, first->kind, f->terms, first->kind, f->events);
	}
	fprintf(out, "};\nconst size_t nti_box_family_count = %zu;\n", all->families);
}

static int write_file(const char *name, const struct nti_box_text *all)
{
	FILE *out = fopen(name, "w");

	if (out)
		write_all(out, all);
	if (out && fclose(out) == 0)
		return 0;
	fprintf(stderr, "%s: cannot be written: %s\n", name, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct nti_box_text all = { 0 };
	int ret = 0, i;

	if (argc < 3) {
		fputs("usage: box-events-embed OUT.c FILE...\n", stderr);
		return 1;
	}
	for (i = 2; i < argc; i++)
		ret |= parse_file(argv[i], &all);
	if (!ret)
		ret = write_file(argv[1], &all);
	nti_box_text_fini(&all);
	if (ret)
		remove(argv[1]);
	return ret;
}
