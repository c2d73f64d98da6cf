// SPDX-License-Identifier: MIT
/* What registers held at some time in a trace: as text, CSV and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/output/clean.h"
#include "base/output/csv.h"
#include "base/output/json.h"
#include "trace/cli/state.h"
#include "trace/cli/trace.h"

#define WORDS 2048
#define NAME CLI_TRACE_NAME
#define TIME_BYTES 40

/* "PCOUNTER.PRE_SRC[1]", or "bar0+0xa404" where nothing is known; false then. */
static bool put_name(const struct cli_state_style *s, const struct ntime_register_state *r,
		     char *out)
{
	static const char *const regions[] = { "rom", "config", "vga" };

	if (ntime_decoder_name(s->decoder, r->device, (uint8_t)r->region, r->offset, r->width, out,
			       NAME))
		return true;
	if (r->region == NTIME_REGION_PHYSICAL)
		snprintf(out, NAME, "phys+0x%" PRIx64, r->offset);
	else if (r->region < NTIME_REGION_ROM)
		snprintf(out, NAME, "bar%u+0x%" PRIx64, r->region, r->offset);
	else if (r->region <= NTIME_REGION_VGA)
		snprintf(out, NAME, "%s+0x%" PRIx64, regions[r->region - NTIME_REGION_ROM],
			 r->offset);
	else
		snprintf(out, NAME, "region%u+0x%" PRIx64, r->region, r->offset);
	return false;
}

/* "0x0000??12": '?' where nothing of a digit is known, '*' where a part of it is. */
static void put_value(const struct ntime_register_state *r, char *out)
{
	unsigned int digits = 2 * r->width;

	memcpy(out, "0x", 2);
	for (unsigned int i = 0; i < digits; i++) {
		unsigned int shift = 4 * (digits - 1 - i), known = r->known >> shift & 0xf;

		out[2 + i] = known == 0xf ? "0123456789abcdef"[r->value >> shift & 0xf]
			     : known	  ? '*'
					  : '?';
	}
	out[2 + digits] = '\0';
}

static bool has_part_of_digit(const struct ntime_register_state *r)
{
	uint64_t any = r->known | r->known >> 1 | r->known >> 2 | r->known >> 3;
	uint64_t all = r->known & r->known >> 1 & r->known >> 2 & r->known >> 3;

	return ((any ^ all) & 0x1111111111111111u) != 0;
}

static void put_time(const struct cli_state_style *s, const struct ntime_state_access *a, char *out)
{
	uint64_t ns = a->time_ns - s->base_ns;

	if (!(a->flags & NTIME_RECORD_TIMED))
		*out = '\0';
	else if (a->time_ns < s->base_ns)
		snprintf(out, TIME_BYTES, "%.9f", -(double)(s->base_ns - a->time_ns) / 1e9);
	else if (ns % 1000)
		snprintf(out, TIME_BYTES, "%" PRIu64 ".%09u", ns / 1000000000,
			 (unsigned int)(ns % 1000000000));
	else
		snprintf(out, TIME_BYTES, "%" PRIu64 ".%06u", ns / 1000000000,
			 (unsigned int)(ns % 1000000000 / 1000));
}

/* "#12 1.000123 by 4711" */
static void put_access(const struct cli_state_style *s, const struct ntime_state_access *a,
		       char *out, size_t room)
{
	char time[TIME_BYTES];
	size_t n;

	if (!a->number) {
		snprintf(out, room, "-");
		return;
	}
	put_time(s, a, time);
	n = (size_t)snprintf(out, room, "#%" PRIu64 "%s%s", a->number, *time ? " " : "", time);
	if (a->flags & NTIME_RECORD_THREADED && n < room && s->look.width >= 80)
		snprintf(out + n, room - n, " by %u", a->thread);
}

/* What is remarkable: "volatile 0x1, read back otherwise 0x8000". "" when nothing is. */
static void put_notes(const struct ntime_register_state *r, char *out, size_t room)
{
	size_t n = 0;

	*out = '\0';
	if (has_part_of_digit(r))
		n += (size_t)snprintf(out + n, room - n, "known bits 0x%" PRIx64, r->known);
	if (r->volatile_bits)
		n += (size_t)snprintf(out + n, room - n, "%svolatile bits 0x%" PRIx64,
				      n ? ", " : "", r->volatile_bits);
	if (r->unlike_bits)
		n += (size_t)snprintf(out + n, room - n, "%sread back otherwise 0x%" PRIx64,
				      n ? ", " : "", r->unlike_bits);
	if (r->flags & NTIME_STATE_BEFORE_LOSS)
		snprintf(out + n, room - n, "%sfrom before records were lost", n ? ", " : "");
}

/* Words only where every bit is known. */
static void put_words(const struct cli_state_style *s, const struct ntime_register_state *r,
		      bool is_named, char *out)
{
	uint64_t all_bits = r->width >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * r->width) - 1;

	*out = '\0';
	if (!is_named || r->known != all_bits)
		return;
	ntime_decoder_words(s->decoder, r->device, (uint8_t)r->region, r->offset, r->width,
			    r->value, out, WORDS);
}

static void put_indented(const struct cli_state_style *s, const char *line)
{
	fputs("    ", s->f);
	if (s->look.is_terminal)
		cli_wrap(s->f, &s->look, 4, 4, line);
	else
		fprintf(s->f, "%s\n", cli_clean(line));
}

static void put_second_line(const struct cli_state_style *s, const char *notes, const char *words)
{
	char line[WORDS + 256];

	snprintf(line, sizeof(line), "%s%s%s", words, *words && *notes ? "  " : "", notes);
	fputs(cli_colour(&s->look, *notes ? CLI_WARN : CLI_GOOD), s->f);
	put_indented(s, line);
	fputs(cli_colour(&s->look, CLI_PLAIN), s->f);
}

/* Columns of the table, without the gaps of two between them. */
struct columns {
	int device, name, value, access;
};

static struct columns columns_of(const struct cli_state_style *s)
{
	bool wide = s->look.width >= 100 || !s->look.is_terminal;

	return (struct columns){
		.device = s->devices > 1 ? 14 : 0,
		.name = wide ? 36 : 24,
		.value = (int)s->value_columns,
		.access = wide ? 28 : 18,
	};
}

static bool fits(const struct cli_state_style *s, const struct columns *c)
{
	return !s->look.is_terminal ||
	       (unsigned int)(c->device + c->name + c->value + 2 * c->access + 6) <= s->look.width;
}

static void put_heading(const struct cli_state_style *s, const struct columns *c)
{
	if (c->device)
		fprintf(s->f, "%-*s", c->device, "DEVICE");
	fprintf(s->f, "%-*s  %-*s  %-*s  %s\n", c->name, "REGISTER", c->value, "VALUE", c->access,
		"WRITTEN", "READ");
}

static void put_row(const struct cli_state_style *s, const struct columns *c, const char *device,
		    const char *name, const char *value, const char *written, const char *read)
{
	if (c->device) {
		cli_print_safe(s->f, device);
		fprintf(s->f, "%*s",
			(int)strlen(device) < c->device ? c->device - (int)strlen(device) : 1, "");
	}
	fprintf(s->f, "%s%-*s%s  %*s  %-*s  %s\n", cli_colour(&s->look, CLI_BOLD), c->name,
		cli_clean(name), cli_colour(&s->look, CLI_PLAIN), c->value, value, c->access,
		written, read);
}

/*
 * Where the table finds no room: the value in the first line where it can be, the accesses below.
 */
static void put_stacked(const struct cli_state_style *s, const struct columns *c,
			const char *device, const char *name, const char *value,
			const char *written, const char *read)
{
	size_t column = strlen(name) + (c->device ? strlen(device) + 2 : 0);
	char line[256];

	if (c->device) {
		cli_print_safe(s->f, device);
		fputs("  ", s->f);
	}
	fprintf(s->f, "%s%s%s", cli_colour(&s->look, CLI_BOLD), cli_clean(name),
		cli_colour(&s->look, CLI_PLAIN));
	fprintf(s->f, "%s%s\n", column + 2 + strlen(value) <= s->look.width ? "  " : "\n    ",
		value);
	snprintf(line, sizeof(line), "written %s, read %s",
		 strcmp(written, "-") ? written : "never", strcmp(read, "-") ? read : "never");
	put_indented(s, line);
}

int cli_state_measure(struct cli_state_style *s, const struct ntime_register_state *r)
{
	unsigned int columns = 2 + 2 * r->width;

	if (s->value_columns < 10)
		s->value_columns = 10;
	if (columns > s->value_columns)
		s->value_columns = columns;
	return 0;
}

int cli_state_put_text(struct cli_state_style *s, const struct ntime_register_state *r)
{
	char name[NAME], value[32], written[96], read[96], notes[256], words[WORDS];
	const char *device = r->device < s->devices ? s->device_name[r->device] : "-";
	struct columns c = columns_of(s);
	bool is_named = put_name(s, r, name);

	put_words(s, r, is_named, words);
	put_value(r, value);
	put_access(s, &r->last_write, written, sizeof(written));
	put_access(s, &r->last_read, read, sizeof(read));
	put_notes(r, notes, sizeof(notes));
	if (!s->rows++ && fits(s, &c))
		put_heading(s, &c);
	if (fits(s, &c))
		put_row(s, &c, device, name, value, written, read);
	else
		put_stacked(s, &c, device, name, value, written, read);
	if (*notes || *words)
		put_second_line(s, notes, words);
	return ferror(s->f) ? -EIO : 0;
}

/* ---- for programs ---- */

/* Of the last write and the last read. */
#define ACCESS(X, id, csv, json)                                                                   \
	X(id##_NUMBER, csv "_number", json ".number")                                              \
	X(id##_TIME, csv "_time", json ".time")                                                    \
	X(id##_THREAD, csv "_thread", json ".thread")                                              \
	X(id##_OFFSET, csv "_offset", json ".offset")                                              \
	X(id##_WIDTH, csv "_width", json ".width")                                                 \
	X(id##_VALUE, csv "_value", json ".value")                                                 \
	X(id##_MASK, csv "_mask", json ".mask", .flags = CLI_COLUMN_NOT_CSV | CLI_COLUMN_OMIT)

#define AT(member, kind) CLI_OF(struct ntime_register_state, member, kind)
#define STATE_COLUMNS(X)                                                                           \
	X(DEVICE, "device")                                                                        \
	X(REGION, "region", AT(region, COUNT))                                                     \
	X(OFFSET, "offset", AT(offset, HEX))                                                       \
	X(WIDTH, "width", AT(width, COUNT))                                                        \
	X(REGISTER, "register")                                                                    \
	X(VALUE, "value", AT(value, HEX))                                                          \
	X(KNOWN, "known", AT(known, HEX))                                                          \
	X(VOLATILE, "volatile", AT(volatile_bits, HEX))                                            \
	X(UNLIKE, "unlike", AT(unlike_bits, HEX))                                                  \
	X(READS, "reads", AT(reads, COUNT))                                                        \
	X(WRITES, "writes", AT(writes, COUNT))                                                     \
	ACCESS(X, WRITE, "write", "last_write")                                                    \
	ACCESS(X, READ, "read", "last_read")                                                       \
	X(BEFORE_LOSS, "before_loss", AT(flags, BOOL), .if_flag = NTIME_STATE_BEFORE_LOSS)         \
	X(WORDS_OF_VALUE, "words")

enum { STATE_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { STATE_COLUMNS(CLI_COLUMN_ROW) };

static const struct cli_columns state_columns = { .column = columns,
						  .n = COLUMNS,
						  .has_nulls = true };

/* A row, and room for texts that are made for it. */
struct row {
	struct cli_cell cell[COLUMNS];
	char name[NAME], words[WORDS], times[2][TIME_BYTES];
};

/* @cell: its columns of the write are filled. No values where there was none. */
static void fill_access(const struct cli_state_style *s, struct cli_cell *cell,
			const struct ntime_state_access *a, char *time)
{
	if (!a->number)
		return;
	put_time(s, a, time);
	cell[WRITE_NUMBER] = cli_count(a->number);
	/* Text, because a double has no nanoseconds of a clock since 1970. */
	cell[WRITE_TIME] = cli_some_text(time);
	cell[WRITE_THREAD] = cli_if(a->flags & NTIME_RECORD_THREADED, cli_count(a->thread));
	cell[WRITE_OFFSET] = cli_hex(a->offset);
	cell[WRITE_WIDTH] = cli_count(a->width);
	cell[WRITE_VALUE] = cli_if(a->flags & NTIME_RECORD_VALUED, cli_hex(a->value));
	cell[WRITE_MASK] = cli_if(a->flags & NTIME_RECORD_MASKED, cli_hex(a->mask));
}

static void fill(struct row *row, const struct cli_state_style *s,
		 const struct ntime_register_state *r)
{
	bool is_named = put_name(s, r, row->name);
	struct cli_cell *cell = row->cell;

	cli_cells_fill(cell, &state_columns, r);
	put_words(s, r, is_named, row->words);
	if (r->device < s->devices)
		cell[DEVICE] = cli_text(s->device_name[r->device]);
	cell[REGISTER] = cli_if(is_named, cli_text(row->name));
	fill_access(s, cell, &r->last_write, row->times[0]);
	fill_access(s, cell + READ_NUMBER - WRITE_NUMBER, &r->last_read, row->times[1]);
	cell[WORDS_OF_VALUE] = cli_some_text(row->words);
}

void cli_state_begin_csv(struct cli_state_style *s)
{
	cli_csv_head(s->f, &state_columns);
}

int cli_state_put_csv(struct cli_state_style *s, const struct ntime_register_state *r)
{
	struct row row;

	fill(&row, s, r);
	cli_csv_row(s->f, &state_columns, row.cell);
	return ferror(s->f) ? -EIO : 0;
}

void cli_state_begin_json(struct cli_state_style *s, uint64_t accesses, uint64_t dropped)
{
	fprintf(s->f,
		"{\"ntime\": \"%s\", \"schema\": %d, \"accesses\": %" PRIu64
		", \"dropped\": %" PRIu64 ", \"registers\": [",
		ntime_trace_version(), CLI_SCHEMA, accesses, dropped);
}

/* One at a time: a whole state as one JSON value would need many times its memory. */
int cli_state_put_json(struct cli_state_style *s, const struct ntime_register_state *r)
{
	struct row row;
	json_t *json;
	int failed;

	fill(&row, s, r);
	json = cli_json_row(&state_columns, row.cell);
	fputs(s->rows++ ? ",\n " : "\n ", s->f);
	failed = cli_json_dump(json, JSON_COMPACT, cli_json_put_file, s->f);
	json_decref(json);
	return failed ? -EIO : 0;
}

void cli_state_end_json(struct cli_state_style *s)
{
	fputs(s->rows ? "\n]}\n" : "]}\n", s->f);
}
