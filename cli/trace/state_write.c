// SPDX-License-Identifier: MIT
/* What registers held at some time in a trace: as text, CSV and JSON. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/base/command.h"
#include "cli/output/csv.h"
#include "cli/output/json.h"
#include "cli/trace/state.h"

#define WORDS 2048
#define NAME 256
#define TIME_BYTES 40

/* "PCOUNTER.PRE_SRC[1]", or "bar0+0xa404" where nothing is known; false then. */
static bool put_name(const struct cli_state_style *s, const struct ntime_register_state *r,
		     struct ntime_regdb_hit *hit, char *out)
{
	static const char *const regions[] = { "rom", "config", "vga" };
	int ret;

	*hit = (struct ntime_regdb_hit){ .size = sizeof(*hit) };
	ret = ntime_decoder_find(s->decoder, r->device, (uint8_t)r->region, r->offset, r->width,
				 hit);
	if (ret > 0 && *hit->name) {
		snprintf(out, NAME, hit->skew ? "%s+0x%x" : "%s", hit->name, hit->skew);
		return true;
	}
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

static uint64_t all_bits(const struct ntime_register_state *r)
{
	return r->width >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * r->width) - 1;
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
		      const struct ntime_regdb_hit *hit, bool is_named, char *out)
{
	*out = '\0';
	if (!is_named || r->known != all_bits(r))
		return;
	ntime_decoder_value(s->decoder, hit, r->width, r->value, out, WORDS);
	if (strncmp(out, "0x", 2) == 0)
		*out = '\0';
}

static void put_indented(const struct cli_state_style *s, const char *line)
{
	fputs("    ", s->f);
	if (s->look.is_terminal)
		cli_wrap(s->f, &s->look, 4, 4, line);
	else
		fprintf(s->f, "%s\n", line);
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
	fprintf(s->f, "%s%-*s%s  %*s  %-*s  %s\n", cli_colour(&s->look, CLI_BOLD), c->name, name,
		cli_colour(&s->look, CLI_PLAIN), c->value, value, c->access, written, read);
}

/* Where the table finds no room: the value in the first line where it can be, the accesses below. */
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
	fprintf(s->f, "%s%s%s", cli_colour(&s->look, CLI_BOLD), name,
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
	struct ntime_regdb_hit hit;
	bool is_named = put_name(s, r, &hit, name);

	put_words(s, r, &hit, is_named, words);
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

void cli_state_begin_csv(struct cli_state_style *s)
{
	fputs("device,region,offset,width,register,value,known,volatile,unlike,reads,writes,"
	      "write_number,write_time,write_thread,write_offset,write_width,write_value,"
	      "read_number,read_time,read_thread,read_offset,read_width,read_value,before_loss,"
	      "words\n",
	      s->f);
}

static void put_csv_access(const struct cli_state_style *s, const struct ntime_state_access *a)
{
	char time[TIME_BYTES];

	if (!a->number) {
		fputs(",,,,,,", s->f);
		return;
	}
	put_time(s, a, time);
	fprintf(s->f, ",%" PRIu64 ",%s,", a->number, time);
	if (a->flags & NTIME_RECORD_THREADED)
		fprintf(s->f, "%u", a->thread);
	fprintf(s->f, ",0x%" PRIx64 ",%u,", a->offset, a->width);
	if (a->flags & NTIME_RECORD_VALUED)
		fprintf(s->f, "0x%" PRIx64, a->value);
}

int cli_state_put_csv(struct cli_state_style *s, const struct ntime_register_state *r)
{
	char name[NAME], words[WORDS];
	struct ntime_regdb_hit hit;
	bool is_named = put_name(s, r, &hit, name);

	put_words(s, r, &hit, is_named, words);
	cli_csv_put(s->f, r->device < s->devices ? s->device_name[r->device] : "");
	fprintf(s->f, ",%u,0x%" PRIx64 ",%u,", r->region, r->offset, r->width);
	cli_csv_put(s->f, is_named ? name : "");
	fprintf(s->f,
		",0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64 ",0x%" PRIx64 ",%" PRIu64 ",%" PRIu64,
		r->value, r->known, r->volatile_bits, r->unlike_bits, r->reads, r->writes);
	put_csv_access(s, &r->last_write);
	put_csv_access(s, &r->last_read);
	fprintf(s->f, ",%d,", r->flags & NTIME_STATE_BEFORE_LOSS ? 1 : 0);
	cli_csv_put(s->f, words);
	putc('\n', s->f);
	return ferror(s->f) ? -EIO : 0;
}

static json_t *hex(uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	return json_string(text);
}

/* null where there was none. */
static json_t *json_access(const struct cli_state_style *s, const struct ntime_state_access *a)
{
	char time[TIME_BYTES];
	json_t *json;

	if (!a->number)
		return json_null();
	json = json_object();
	json_object_set_new(json, "number", cli_json_count(a->number));
	put_time(s, a, time);
	/* Text, because a double has no nanoseconds of a clock since 1970. */
	json_object_set_new(json, "time", *time ? json_string(time) : json_null());
	json_object_set_new(json, "thread",
			    a->flags & NTIME_RECORD_THREADED ? json_integer(a->thread)
							     : json_null());
	json_object_set_new(json, "offset", hex(a->offset));
	json_object_set_new(json, "width", json_integer(a->width));
	json_object_set_new(json, "value",
			    a->flags & NTIME_RECORD_VALUED ? hex(a->value) : json_null());
	if (a->flags & NTIME_RECORD_MASKED)
		json_object_set_new(json, "mask", hex(a->mask));
	return json;
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
	char name[NAME], words[WORDS];
	struct ntime_regdb_hit hit;
	bool is_named = put_name(s, r, &hit, name);
	json_t *json = json_object();

	put_words(s, r, &hit, is_named, words);
	json_object_set_new(json, "device",
			    r->device < s->devices ? cli_json_text(s->device_name[r->device])
						   : json_null());
	json_object_set_new(json, "region", json_integer(r->region));
	json_object_set_new(json, "offset", hex(r->offset));
	json_object_set_new(json, "width", json_integer(r->width));
	json_object_set_new(json, "register", is_named ? cli_json_text(name) : json_null());
	json_object_set_new(json, "value", hex(r->value));
	json_object_set_new(json, "known", hex(r->known));
	json_object_set_new(json, "volatile", hex(r->volatile_bits));
	json_object_set_new(json, "unlike", hex(r->unlike_bits));
	json_object_set_new(json, "reads", cli_json_count(r->reads));
	json_object_set_new(json, "writes", cli_json_count(r->writes));
	json_object_set_new(json, "last_write", json_access(s, &r->last_write));
	json_object_set_new(json, "last_read", json_access(s, &r->last_read));
	json_object_set_new(json, "before_loss", json_boolean(r->flags & NTIME_STATE_BEFORE_LOSS));
	json_object_set_new(json, "words", *words ? cli_json_text(words) : json_null());
	fputs(s->rows++ ? ",\n " : "\n ", s->f);
	if (json_dumpf(json, s->f, JSON_COMPACT)) {
		json_decref(json);
		return ferror(s->f) ? -EIO : -ENOMEM;
	}
	json_decref(json);
	return 0;
}

void cli_state_end_json(struct cli_state_style *s)
{
	fputs(s->rows ? "\n]}\n" : "]}\n", s->f);
}
