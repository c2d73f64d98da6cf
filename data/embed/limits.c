// SPDX-License-Identifier: MIT
/* data/limits: the table of lib/doubt/limit.h. */
#include "data/embed/all.h"

static int parse(union embed_all *all, const char *file, const char *text, size_t bytes,
		 struct nti_error *e)
{
	return nti_limit_text_parse(file, text, bytes, &all->limits, e);
}

static void fini(union embed_all *all)
{
	nti_limit_text_fini(&all->limits);
}

static void write_all(FILE *out, const union embed_all *all)
{
	size_t i, n;

	fputs("#include \"lib/doubt/limit.h\"\n\nconst struct nti_limit nti_limits[] = {\n", out);
	for (i = 0; i < all->limits.count; i++) {
		const struct nti_limit *l = &all->limits.limit[i];
		const char *const names[] = { l->name, l->event, l->of };

		fputs("\t{ ", out);
		for (n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
			embed_text(out, names[n]);
			fputs(", ", out);
		}
		fprintf(out, "(enum nti_limit_kind)%d, %.17g, %.17g, %.17g, ", (int)l->kind,
			l->least, l->most, l->slack);
		embed_text(out, l->about);
		fputs(", ", out);
		embed_text(out, l->source);
		fputs(" },\n", out);
	}
	fprintf(out, "};\nconst size_t nti_limit_count = %zu;\n", all->limits.count);
}

const struct embed_kind embed_limits = {
	.name = "limits",
	.parse = parse,
	.write = write_all,
	.fini = fini,
};
