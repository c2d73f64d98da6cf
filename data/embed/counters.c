// SPDX-License-Identifier: MIT
/* data/counters and the set-ups of data/gpu: the table of trace/derive/names.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/embed/all.h"

#define GPU ".events"

/* Definitions of data/gpu, as rows of this table. */
static int parse_gpu(union embed_all *all, const char *file, const char *text, size_t bytes,
		     struct nti_error *e)
{
	struct nti_gpu_text gpu = { 0 };
	char *rows = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&rows, &n);
	int ret = out ? nti_gpu_text_parse(file, text, bytes, &gpu, e) : -ENOMEM;

	if (ret == 0)
		nti_gpu_text_write_set_ups(&gpu, out);
	if (out && fclose(out) != 0)
		ret = -ENOMEM;
	if (ret == 0)
		ret = nti_known_text_parse(file, rows, n, &all->counters, e);
	free(rows);
	nti_gpu_text_fini(&gpu);
	return ret;
}

static int parse(union embed_all *all, const char *file, const char *text, size_t bytes,
		 struct nti_error *e)
{
	size_t n = strlen(file);

	if (n > strlen(GPU) && strcmp(file + n - strlen(GPU), GPU) == 0)
		return parse_gpu(all, file, text, bytes, e);
	return nti_known_text_parse(file, text, bytes, &all->counters, e);
}

static void fini(union embed_all *all)
{
	nti_known_text_fini(&all->counters);
}

static void write_all(FILE *out, const union embed_all *all)
{
	size_t i, n;

	fputs("#include \"trace/derive/names.h\"\n\n"
	      "const struct nti_known_counter nti_known_counters[] = {\n",
	      out);
	for (i = 0; i < all->counters.count; i++) {
		const struct nti_known_counter *k = &all->counters.counter[i];
		const char *const texts[] = { k->chips, k->mux, k->source, k->trust };

		fputs("\t{ ", out);
		embed_text(out, k->event);
		fprintf(out,
			", %u, %u, %u, %d, %d, 0x%08" PRIx32 ", 0x%04" PRIx32 ", 0x%08" PRIx32
			", 0x%04" PRIx32 ", 0x%" PRIx32,
			k->part, k->set, k->mode, k->has_start, k->has_group, k->start_src,
			k->start_op, k->event_src, k->event_op, k->group);
		for (n = 0; n < sizeof(texts) / sizeof(texts[0]); n++) {
			fputs(", ", out);
			embed_text(out, texts[n]);
		}
		fputs(" },\n", out);
	}
	fprintf(out, "};\nconst unsigned int nti_known_counter_count = %zu;\n",
		all->counters.count);
}

const struct embed_kind embed_counters = {
	.name = "counters",
	.parse = parse,
	.write = write_all,
	.fini = fini,
};
