// SPDX-License-Identifier: MIT
/*
 * data/gpu: as families of lib/event/box_events.h for the library, and as functions of wires for
 * who asks what the truth is (models/port/card/truth.h).
 */
#include <stdlib.h>

#include "data/embed/all.h"

static int parse_functions(union embed_all *all, const char *file, const char *text, size_t bytes,
			   struct nti_error *e)
{
	return nti_gpu_text_parse(file, text, bytes, &all->gpu, e);
}

static void fini_functions(union embed_all *all)
{
	nti_gpu_text_fini(&all->gpu);
}

/* An event that is a sum has several rows. */
static void write_function(FILE *out, const struct nti_gpu_event *event, size_t i)
{
	fputs("\t{ ", out);
	embed_text(out, event->name);
	fputs(", ", out);
	embed_text(out, event->function[i]);
	fputs(", ", out);
	embed_text(out, event->amount[i] ? event->amount[i] : "");
	fprintf(out, ", %#x },\n", event->is_of);
}

static void write_functions(FILE *out, const union embed_all *all)
{
	size_t i, k, n = 0;

	fputs("#include \"models/port/card/truth.h\"\n\n"
	      "const struct ntm_card_event ntm_card_events[] = {\n",
	      out);
	for (i = 0; i < all->gpu.events; i++)
		for (k = 0; k < all->gpu.event[i].functions; k++, n++)
			write_function(out, &all->gpu.event[i], k);
	fprintf(out, "};\nconst size_t ntm_card_event_count = %zu;\n", n);
}

const struct embed_kind embed_gpu_functions = {
	.name = "gpu-functions",
	.parse = parse_functions,
	.write = write_functions,
	.fini = fini_functions,
};

static int parse(union embed_all *all, const char *file, const char *text, size_t bytes,
		 struct nti_error *e)
{
	struct nti_gpu_text gpu = { 0 };
	int ret = nti_gpu_text_parse(file, text, bytes, &gpu, e);

	if (ret == 0)
		ret = nti_gpu_text_expand(&gpu, &all->events, e);
	nti_gpu_text_fini(&gpu);
	return ret;
}

static void fini(union embed_all *all)
{
	nti_box_text_fini(&all->events);
}

static void write_all(FILE *out, const union embed_all *all)
{
	embed_families(out, &all->events, "nti_gpu_families");
}

const struct embed_kind embed_gpu = {
	.name = "gpu",
	.parse = parse,
	.write = write_all,
	.fini = fini,
};
