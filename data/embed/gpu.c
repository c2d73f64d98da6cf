// SPDX-License-Identifier: MIT
/*
 * data/gpu: as families of lib/event/box_events.h for the library, and as functions of wires for
 * who asks what the truth is (models/port/card/truth.h).
 */
#include <inttypes.h>
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

static void write_terms(FILE *out, const struct nti_box_family *f)
{
	size_t i;

	fprintf(out, "static const struct nti_box_term %s_terms[] = {\n", f->kind);
	for (i = 0; i < f->terms; i++) {
		fputs("\t{ ", out);
		embed_text(out, f->term[i].name);
		fputs(", ", out);
		embed_text(out, f->term[i].format);
		fputs(" },\n", out);
	}
	fputs("};\n", out);
}

static void write_events(FILE *out, const struct nti_box_family *f)
{
	static const char *const together[] = { "NTI_SUM", "NTI_MAX", "NTI_MIN" };
	size_t i, k;

	fprintf(out, "static const struct nti_box_event %s_events[] = {\n", f->kind);
	for (i = 0; i < f->events; i++) {
		const struct nti_box_event *event = &f->event[i];
		const char *const texts[] = { event->name, event->terms, event->unit, event->about,
					      event->source };
		const char *const rare[] = { event->more, event->absent, event->remedy };

		fputs("\t{ ", out);
		for (k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
			embed_text(out, texts[k]);
			fputs(", ", out);
		}
		fprintf(out, "%.17g, %#" PRIx64 "u, %d, %s, ", event->scale, event->config,
			event->is_state, together[event->together]);
		for (k = 0; k < sizeof(rare) / sizeof(rare[0]); k++) {
			if (rare[k])
				embed_text(out, rare[k]);
			else
				fputs("0", out);
			fputs(k + 1 < sizeof(rare) / sizeof(rare[0]) ? ", " : " },\n", out);
		}
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

static void write_families(FILE *out, const struct nti_box_text *all, const char *name)
{
	size_t i;

	fputs("#include \"lib/event/box_events.h\"\n\n", out);
	for (i = 0; i < all->families; i++) {
		if (first_of(all, i) != &all->family[i])
			continue;
		write_terms(out, &all->family[i]);
		write_events(out, &all->family[i]);
	}
	fprintf(out, "const struct nti_box_family %s[] = {\n", name);
	for (i = 0; i < all->families; i++) {
		const struct nti_box_family *f = &all->family[i], *first = first_of(all, i);

		fprintf(out, "\t{ \"%s\", \"%s\", %s_terms, %zu, %s_events, %zu },\n", f->kind,
			f->unit, first->kind, f->terms, first->kind, f->events);
	}
	fputs("};\n", out);
}

static void write_all(FILE *out, const union embed_all *all)
{
	write_families(out, &all->events, "nti_gpu_families");
}

const struct embed_kind embed_gpu = {
	.name = "gpu",
	.parse = parse,
	.write = write_all,
	.fini = fini,
};
