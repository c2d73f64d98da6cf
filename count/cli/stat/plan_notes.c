// SPDX-License-Identifier: MIT
/* How each item is counted, as lines for people. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/list.h>

#include "base/output/memory.h"
#include "count/cli/stat/plan_notes.h"

static void add_line(struct cli_notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void add_line(struct cli_notes *notes, const char *format, ...)
{
	va_list args;

	cli_grow(&notes->line, notes->n);
	va_start(args, format);
	notes->line[notes->n++] = cli_format_args(format, args);
	va_end(args);
}

/* @last: unit of the last one, owned; @units: that follow each other with different names. */
struct parts {
	FILE *f;
	size_t n, units;
	char *last;
};

/* Levels that are left out, in the order of the bits of ntime_encoding.exclude. */
static const char *const levels[] = { "user", "kernel", "hypervisor", "host", "guest", "idle" };

static int print_part(void *arg, const struct ntime_encoding *part)
{
	struct parts *parts = arg;
	bool has_level = false;

	if (!parts->last || strcmp(parts->last, part->unit) != 0) {
		free(parts->last);
		parts->last = cli_strdup(part->unit);
		parts->units++;
	}
	fprintf(parts->f, "%s%s type %" PRIu32 " config 0x%" PRIx64, parts->n ? "; " : "",
		part->unit, part->type, part->config);
	if (part->config1)
		fprintf(parts->f, " config1 0x%" PRIx64, part->config1);
	if (part->config2)
		fprintf(parts->f, " config2 0x%" PRIx64, part->config2);
	if (part->precise)
		fprintf(parts->f, " precise %" PRIu32, part->precise);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!(part->exclude & 1u << i))
			continue;
		fprintf(parts->f, "%s%s", has_level ? "," : " without ", levels[i]);
		has_level = true;
	}
	parts->n++;
	return 0;
}

/* *@encoding is the caller's; "" where there is none. */
static int note_item(struct cli_notes *notes, struct ntime_ctx *ctx, const struct cli_report *r,
		     const struct cli_item *item, char **encoding)
{
	char pass[32] = "", units[128] = "";
	struct parts parts = { .n = 0 };
	struct cli_text text;
	int ret = 0;

	if (item->is_rusage) {
		add_line(notes, "%s: %s", item->name,
			 item->is_attached ? "/proc, in steps of 10 ms"
					   : "wait4(2), whose counts begin at fork");
		return 0;
	}
	cli_text_begin(&text);
	parts.f = text.f;
	ret = ntime_event_encode(ctx, item->name, print_part, &parts);
	*encoding = cli_text_end(&text);
	/* Not every way has an encoding, and a wrong one would be worse than none. */
	if (strcmp(item->method, "perf") != 0)
		**encoding = '\0';
	if (parts.units > 1)
		snprintf(units, sizeof(units), " to %.80s (%zu)", parts.last, parts.units);
	free(parts.last);
	if (r->passes > 1 && item->is_in_every_pass)
		snprintf(pass, sizeof(pass), ", in every pass");
	else if (r->passes > 1)
		snprintf(pass, sizeof(pass), ", pass %u of %u", item->pass + 1, r->passes);
	add_line(notes, "%s: %s%s%s%s%s%s%s%s", item->name, item->method,
		 parts.units > 1 ? ", units "
		 : *item->unit	 ? ", unit "
				 : "",
		 item->unit, units, pass, item->is_hidden ? ", for a metric" : "",
		 **encoding ? ": " : "", *encoding);
	return ret == -ENOMEM ? ret : 0;
}

/* Two names of one encoding have two counters, which must agree. */
static void note_twin(struct cli_notes *notes, const struct cli_report *r, char *const *encoding,
		      size_t i)
{
	for (size_t k = 0; k < i && encoding[i] && *encoding[i]; k++) {
		if (!encoding[k] || strcmp(encoding[k], encoding[i]) != 0)
			continue;
		add_line(notes, "%s: the same encoding as %s above; each has a counter of its own",
			 r->item[i].name, r->item[k].name);
		return;
	}
}

int cli_notes_take(struct cli_notes *notes, struct ntime_ctx *ctx, struct ntime_session *s,
		   const struct cli_report *r)
{
	char **encoding = cli_calloc(r->items + 1, sizeof(*encoding));
	int ret = 0;

	for (size_t i = 0; i < r->items && !ret; i++)
		if (!r->item[i].is_metric && !(r->item[i].value.flags & NTIME_ABSENT))
			ret = note_item(notes, ctx, r, &r->item[i], &encoding[i]);
	for (size_t i = 0; i < r->items && !ret; i++)
		note_twin(notes, r, encoding, i);
	for (size_t i = 0; i < r->items; i++)
		free(encoding[i]);
	free(encoding);
	for (unsigned int pass = 0; pass < r->passes && !ret; pass++) {
		const char *text = ntime_session_plan_text(s, pass);

		if (*text)
			add_line(notes, "pass %u: %s", pass + 1, text);
	}
	return ret;
}

void cli_notes_fini(struct cli_notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		free(notes->line[i]);
	free(notes->line);
	*notes = (struct cli_notes){ 0 };
}
