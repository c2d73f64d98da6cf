// SPDX-License-Identifier: MIT
/*
 * Build program, not part of the library: check count/data/metrics with the library's own parser
 * and write them as C: parsed formulas, and the metrics with their look-up tables, as struct
 * nti_metrics nti_metrics_built_in.
 *
 *     embed OUT.c FILE...
 *
 * Prints FILE:LINE: and what is wrong and exits 1, so that a bad file ends the build; OUT.c is then
 * not left behind. The files must be free of errors together, since they become one set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/error.h"
#include "count/lib/metric/formula.h"
#include "count/lib/metric/metric.h"

/*
 * A string literal: bytes beyond ASCII as three octal digits, which cannot run into what follows,
 * '?' escaped against trigraphs. NULL: "NULL".
 */
static void write_text(FILE *out, const char *text)
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

/* Operations and events of all formulas are one array each. */
static void write_ops(FILE *out, const struct nti_metrics *m)
{
	size_t i, k, n;

	fputs("static const struct nti_op op[] = {\n", out);
	for (i = 0; i < m->count; i++) {
		for (k = 0; k < m->metric[i].formulas; k++) {
			const struct nti_formula *f = m->metric[i].formula[k];

			for (n = 0; n < f->ops; n++)
				fprintf(out, "\t{ (enum nti_op_kind)%d, %u, %.17g },\n",
					(int)f->op[n].kind, (unsigned int)f->op[n].event,
					f->op[n].number);
		}
	}
	fputs("};\n", out);
}

static void write_formula_events(FILE *out, const struct nti_metrics *m)
{
	size_t i, k, n;

	fputs("static const char *const event[] = {\n", out);
	for (i = 0; i < m->count; i++) {
		for (k = 0; k < m->metric[i].formulas; k++) {
			const struct nti_formula *f = m->metric[i].formula[k];

			for (n = 0; n < f->events; n++) {
				fputc('\t', out);
				write_text(out, f->event[n]);
				fputs(",\n", out);
			}
		}
	}
	fputs("};\n", out);
}

static void write_formulas(FILE *out, const struct nti_metrics *m)
{
	size_t i, k, ops = 0, events = 0, formulas = 0;

	fputs("static const struct nti_formula formula[] = {\n", out);
	for (i = 0; i < m->count; i++) {
		for (k = 0; k < m->metric[i].formulas; k++) {
			const struct nti_formula *f = m->metric[i].formula[k];

			fputs("\t{ ", out);
			write_text(out, f->text);
			fprintf(out, ", &op[%zu], %zu, &event[%zu], %zu },\n", ops, f->ops, events,
				f->events);
			ops += f->ops;
			events += f->events;
			formulas++;
		}
	}
	fputs("};\nstatic const struct nti_formula *const formula_at[] = {\n", out);
	for (i = 0; i < formulas; i++)
		fprintf(out, "\t&formula[%zu],\n", i);
	fputs("};\n", out);
}

static void write_metrics(FILE *out, const struct nti_metrics *m)
{
	size_t i, k, formulas = 0;

	fputs("static const struct nti_metric metric[] = {\n", out);
	for (i = 0; i < m->count; i++) {
		const struct nti_metric *one = &m->metric[i];
		const char *const texts[] = { one->name,   one->unit,  one->group,
					      one->beside, one->about, one->source };

		fputs("\t{ ", out);
		for (k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			write_text(out, texts[k]);
			fputs(", ", out);
		}
		fprintf(out, "&formula_at[%zu], %zu },\n", formulas, one->formulas);
		formulas += one->formulas;
	}
	fputs("};\n", out);
}

static void write_all(FILE *out, const struct nti_metrics *m)
{
	size_t i;

	fputs("#include \"count/lib/metric/formula.h\"\n\n", out);
	write_ops(out, m);
	write_formula_events(out, m);
	write_formulas(out, m);
	write_metrics(out, m);
	fputs("static const uint16_t by_name[] = {", out);
	for (i = 0; i < m->count; i++)
		fprintf(out, " %u,", (unsigned int)m->by_name[i]);
	fputs(" };\nstatic const char *const group[] = {\n", out);
	for (i = 0; i < m->groups; i++) {
		fputc('\t', out);
		write_text(out, m->group[i]);
		fputs(",\n", out);
	}
	fprintf(out,
		"};\n"
		"const struct nti_metrics nti_metrics_built_in = {\n"
		"\t.metric = metric, .count = %zu, .by_name = by_name, .group = group, .groups = "
		"%zu\n};\n",
		m->count, m->groups);
}

static int parse_file(const char *name, struct nti_metrics *m)
{
	struct nti_error e = { 0 };
	size_t bytes;
	char *text = read_file(name, &bytes);
	int ret;

	if (!text)
		return 1;
	ret = nti_metrics_parse(name, text, bytes, m, &e);
	if (ret < 0)
		fprintf(stderr, "%s\n", e.text);
	free(text);
	return ret < 0;
}

static int write_file(const char *name, const struct nti_metrics *m)
{
	FILE *out = fopen(name, "w");

	if (out) {
		fputs("/* Made by core/embed from count/data/metrics; change those files. */\n",
		      out);
		write_all(out, m);
		if (fclose(out) == 0)
			return 0;
	}
	fprintf(stderr, "%s: cannot be written: %s\n", name, strerror(errno));
	remove(name);
	return 1;
}

int main(int argc, char **argv)
{
	struct nti_metrics m = { 0 };
	int ret = 0, i;

	if (argc < 3) {
		fputs("usage: embed OUT.c FILE...\n", stderr);
		return 1;
	}
	for (i = 2; i < argc; i++)
		ret |= parse_file(argv[i], &m);
	if (!ret)
		ret = write_file(argv[1], &m);
	else
		(void)remove(argv[1]); /* of an earlier build */
	nti_metrics_fini(&m);
	return ret;
}
