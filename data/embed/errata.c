// SPDX-License-Identifier: MIT
/* data/errata: the table of lib/doubt/erratum.h. */
#include "data/embed/all.h"

static int parse(union embed_all *all, const char *file, const char *text, size_t bytes,
		 struct nti_error *e)
{
	return nti_erratum_text_parse(file, text, bytes, &all->errata, e);
}

static void fini(union embed_all *all)
{
	nti_erratum_text_fini(&all->errata);
}

static void write_arrays(FILE *out, const struct nti_erratum *row, size_t number)
{
	size_t i;

	fprintf(out, "static const char *const events_%zu[] = { ", number);
	for (i = 0; i < row->events; i++) {
		embed_text(out, row->event[i]);
		fputs(", ", out);
	}
	fprintf(out, "};\nstatic const struct nti_erratum_cpu cpus_%zu[] = {\n", number);
	for (i = 0; i < row->cpus; i++) {
		const struct nti_erratum_cpu *c = &row->cpu[i];

		fprintf(out, "\t{ \"%s\", %#x, { %#x, %#x }, { %#x, %#x } },\n", c->vendor,
			c->family, c->model[0], c->model[1], c->stepping[0], c->stepping[1]);
	}
	fputs("};\n", out);
}

static void write_all(FILE *out, const union embed_all *all)
{
	size_t i, n;

	fputs("#include \"lib/doubt/erratum.h\"\n\n", out);
	for (i = 0; i < all->errata.count; i++)
		write_arrays(out, &all->errata.erratum[i], i);
	fputs("const struct nti_erratum nti_errata[] = {\n", out);
	for (i = 0; i < all->errata.count; i++) {
		const struct nti_erratum *row = &all->errata.erratum[i];
		const char *const texts[] = { row->about, row->remedy, row->source, row->trust };

		fputs("\t{ ", out);
		embed_text(out, row->name);
		fprintf(out, ", events_%zu, %zu, cpus_%zu, %zu, (enum nti_erratum_action)%d, %d", i,
			row->events, i, row->cpus, (int)row->action, row->with_smt);
		for (n = 0; n < sizeof(texts) / sizeof(texts[0]); n++) {
			fputs(", ", out);
			embed_text(out, texts[n]);
		}
		fputs(" },\n", out);
	}
	fprintf(out, "};\nconst size_t nti_erratum_count = %zu;\n", all->errata.count);
}

const struct embed_kind embed_errata = {
	.name = "errata",
	.parse = parse,
	.write = write_all,
	.fini = fini,
};
