// SPDX-License-Identifier: MIT
/*
 * data/metrics: parsed formulas, and the metrics with their look-up tables, as struct nti_metrics
 * nti_metrics_built_in.
 */
#include "data/embed/all.h"
#include "lib/metric/formula.h"

static int parse(union embed_all *all, const char *file, const char *text, size_t bytes,
		 struct nti_error *e)
{
	return nti_metrics_parse(file, text, bytes, &all->metrics, e);
}

static void fini(union embed_all *all)
{
	nti_metrics_fini(&all->metrics);
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
				embed_text(out, f->event[n]);
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
			embed_text(out, f->text);
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
			embed_text(out, texts[k]);
			fputs(", ", out);
		}
		fprintf(out, "&formula_at[%zu], %zu },\n", formulas, one->formulas);
		formulas += one->formulas;
	}
	fputs("};\n", out);
}

static void write_all(FILE *out, const union embed_all *all)
{
	const struct nti_metrics *m = &all->metrics;
	size_t i;

	fputs("#include \"lib/metric/formula.h\"\n\n", out);
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
		embed_text(out, m->group[i]);
		fputs(",\n", out);
	}
	fprintf(out,
		"};\n"
		"const struct nti_metrics nti_metrics_built_in = {\n"
		"\t.metric = metric, .count = %zu, .by_name = by_name, .group = group, .groups = "
		"%zu\n};\n",
		m->count, m->groups);
}

const struct embed_kind embed_metrics = {
	.name = "metrics",
	.parse = parse,
	.write = write_all,
	.fini = fini,
};
