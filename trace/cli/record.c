// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "base/output/csv.h"
#include "trace/cli/record.h"
#include "trace/cli/trace.h"

/* Longest value in words. */
#define WORDS 2048

#define RECORD_COLUMNS(X)                                                                          \
	X(KIND, "kind")                                                                            \
	X(TIME, "time_ns")                                                                         \
	X(THREAD, "thread")                                                                        \
	X(DEVICE, "device")                                                                        \
	X(REGION, "region")                                                                        \
	X(OFFSET, "offset")                                                                        \
	X(WIDTH, "width")                                                                          \
	X(VALUE, "value")                                                                          \
	X(MASK, "mask")                                                                            \
	X(SOURCE, "source")                                                                        \
	X(REGISTER, "register")                                                                    \
	X(WORDS_OF_VALUE, "words")                                                                 \
	X(SYNTHETIC, "synthetic")                                                                  \
	X(TEXT, "text")

enum { RECORD_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { RECORD_COLUMNS(CLI_COLUMN_ROW) };
static const struct cli_columns record_columns = { .column = columns, .n = COLUMNS };

/* A line in the making. */
struct line {
	char *p, *end;
};

static void put(void *arg, const char *text, size_t bytes)
{
	struct line *l = arg;

	if ((size_t)(l->end - l->p) < bytes)
		bytes = (size_t)(l->end - l->p);
	memcpy(l->p, text, bytes);
	l->p += bytes;
}

size_t cli_record_csv_head(char *buf, size_t bytes)
{
	struct line l = { buf, buf + bytes };

	cli_csv_row_to(&record_columns, NULL, false, put, &l);
	return (size_t)(l.p - buf);
}

static bool is_access(const struct ntime_record *r)
{
	return r->kind <= NTIME_RECORD_WRITE;
}

/* Marks about the whole trace have no place, and those that are text alone no numbers. */
static bool has_numbers(const struct ntime_record *r)
{
	switch (r->kind) {
	case NTIME_RECORD_MARK:
	case NTIME_RECORD_LOST:
	case NTIME_RECORD_PCIDEV:
	case NTIME_RECORD_UNMAP:
	case NTIME_RECORD_LIST:
	case NTIME_RECORD_STYLE:
	case NTIME_RECORD_EVENT:
	case NTIME_RECORD_OTHER:
		return false;
	default:
		return true;
	}
}

static void fill(struct cli_cell *cell, const struct ntime_record *r,
		 const struct ntime_record_texts *t, char *region, size_t bytes)
{
	uint64_t value =
		r->width && r->width < 8 ? r->value & ((1ull << 8 * r->width) - 1) : r->value;
	bool is_physical = r->region == NTIME_REGION_PHYSICAL;

	cell[KIND] = cli_text(ntime_record_kind_name(r->kind));
	cell[TIME] = cli_if(r->flags & NTIME_RECORD_TIMED,
			    cli_count(r->time_ns < t->base_ns ? 0 : r->time_ns - t->base_ns));
	cell[THREAD] = cli_if(r->flags & NTIME_RECORD_THREADED, cli_count(r->thread));
	cell[DEVICE] = cli_some_text(t->device ? t->device : "");
	cell[SOURCE] = cli_if(r->source != 0, cli_count(r->source));
	cell[SYNTHETIC] = cli_bool(r->flags & NTIME_RECORD_SYNTHETIC);
	cell[REGISTER] = cli_some_text(t->register_name ? t->register_name : "");
	cell[WORDS_OF_VALUE] = cli_some_text(t->words ? t->words : "");
	cell[TEXT] = cli_some_text(t->text ? t->text : "");
	if (r->kind == NTIME_RECORD_LOST || r->kind == NTIME_RECORD_LIST)
		cell[VALUE] = cli_if(r->value || r->kind == NTIME_RECORD_LIST, cli_hex(r->value));
	if (!has_numbers(r))
		return;
	snprintf(region, bytes, "%u", r->region);
	cell[REGION] = cli_if(is_access(r) || is_physical || r->device != NTIME_DEVICE_NONE,
			      cli_text(is_physical ? "physical" : region));
	cell[OFFSET] = cli_hex(r->offset);
	cell[WIDTH] = cli_if(r->width != 0, cli_count(r->width));
	cell[VALUE] = cli_if(r->flags & NTIME_RECORD_VALUED || !is_access(r), cli_hex(value));
	cell[MASK] = cli_if(r->flags & NTIME_RECORD_MASKED, cli_hex(r->mask));
}

static size_t put_csv(char *buf, size_t bytes, bool is_terminal, const struct ntime_record *r,
		      const struct ntime_record_texts *t)
{
	struct cli_cell cell[COLUMNS] = { 0 };
	struct line l = { buf, buf + bytes };
	char region[8];

	fill(cell, r, t, region, sizeof(region));
	cli_csv_row_to(&record_columns, cell, is_terminal, put, &l);
	return (size_t)(l.p - buf);
}

static size_t bytes_of(const char *text)
{
	return text ? strlen(text) : 0;
}

size_t cli_record_room(const struct ntime_record_texts *texts)
{
	return NTIME_RECORD_JSON_BYTES +
	       NTIME_RECORD_JSON_ESCAPED *
		       (bytes_of(texts->device) + bytes_of(texts->text) + CLI_TRACE_NAME + WORDS);
}

size_t cli_record_put(char *buf, size_t bytes, enum cli_record_form form, bool is_terminal,
		      const struct ntime_record *r, struct ntime_record_texts *texts,
		      struct ntime_decoder *decoder)
{
	char name[CLI_TRACE_NAME], words[WORDS];

	texts->register_name = texts->words = NULL;
	if (decoder && is_access(r) && r->device != NTIME_DEVICE_NONE &&
	    ntime_decoder_name(decoder, r->device, r->region, r->offset, r->width, name,
			       sizeof(name))) {
		texts->register_name = name;
		if (r->flags & NTIME_RECORD_VALUED &&
		    ntime_decoder_words(decoder, r->device, r->region, r->offset, r->width,
					r->value, words, sizeof(words)))
			texts->words = words;
	}
	if (form == CLI_RECORD_CSV)
		return put_csv(buf, bytes, is_terminal, r, texts);
	return ntime_record_json(r, texts, buf, bytes);
}
