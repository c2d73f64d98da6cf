// SPDX-License-Identifier: MIT
/* ntime trace lookup: the databases of names asked directly, by address or by name. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output/json.h"
#include "base/output/emulated.h"
#include "base/command/options.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/trace.h"

enum { ID_REGION = CLI_TRACE_OWN };

/* Text of one value. */
#define VALUE_BYTES 4096
/* Vendor NVIDIA, device unknown: ntime's own rows are asked also where no chip is told. */
#define SOME_NVIDIA 0x10de0000u

struct lookup {
	uint64_t region;
	uint64_t value;
	bool has_value;
	struct ntime_decoder *decoder;
	struct cli_look look;
	json_t *found;
	int count;
};

static const struct cli_option options[] = {
	{ ID_REGION, "region", "N", "the region of the address (default: 0, which is BAR 0)" },
	CLI_OPTION_END,
};

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct lookup *l = t->own;

	return cli_trace_number(t, o->name, value, NTIME_REGION_VGA, &l->region);
}

/* " (8, every 0x4)" for each array whose copies are all meant. */
static void put_arrays(FILE *f, const struct ntime_regdb_hit *hit)
{
	for (uint64_t i = 0; i < hit->array_count; i++) {
		const struct ntime_regdb_array *a = &hit->arrays[i];

		if (a->length == 1)
			continue;
		fprintf(f, ", ");
		if (a->length)
			fprintf(f, "%" PRIu64 " of them", a->length);
		else
			fprintf(f, "any number of them");
		if (a->stride)
			fprintf(f, " every 0x%" PRIx64, a->stride);
	}
}

/* Behind the name, or in the next line where a terminal has no room. */
static void put_size(const struct lookup *l, size_t column, const struct ntime_regdb_hit *hit,
		     bool is_search)
{
	struct cli_text text;

	cli_text_begin(&text);
	if (hit->bits)
		fprintf(text.f, "%" PRIu32 " bits", hit->bits);
	else
		fprintf(text.f, "no register of it is known here");
	if (is_search)
		put_arrays(text.f, hit);
	cli_text_end(&text);
	if (l->look.is_terminal && column + 2 + text.bytes > l->look.width)
		printf("\n    %s\n", text.text);
	else
		printf("  %s\n", text.text);
	free(text.text);
}

/* In lines that fit, on a terminal. */
static void put_paragraph(const struct lookup *l, const char *text)
{
	printf("    ");
	if (l->look.is_terminal) {
		cli_wrap(stdout, &l->look, 4, 4, text);
		return;
	}
	cli_print_safe(stdout, text);
	printf("\n");
}

static void put_text(struct lookup *l, uint64_t offset, const struct ntime_regdb_hit *hit,
		     const char *value, bool is_search)
{
	size_t column = (size_t)printf("0x%06" PRIx64 "  ", offset) + cli_text_columns(hit->name);

	printf("%s", cli_colour(&l->look, CLI_BOLD));
	cli_print_safe(stdout, hit->name);
	if (hit->skew)
		column += (size_t)printf("+0x%" PRIx32, hit->skew);
	printf("%s", cli_colour(&l->look, CLI_PLAIN));
	put_size(l, column, hit, is_search);
	if (value)
		put_paragraph(l, value);
	if (*hit->about)
		put_paragraph(l, hit->about);
	if (hit->is_guess) {
		printf("%s", cli_colour(&l->look, CLI_WARN));
		put_paragraph(l, "this is a guess: the chip is not known (--chip), or the source "
				 "is uncertain");
		printf("%s", cli_colour(&l->look, CLI_PLAIN));
	}
	printf("%s", cli_colour(&l->look, CLI_DIM));
	put_paragraph(l, hit->source);
	printf("%s", cli_colour(&l->look, CLI_PLAIN));
}

#define ARRAY(member) CLI_OF(struct ntime_regdb_array, member, COUNT)
static const struct cli_column array_columns[] = {
	{ "index", ARRAY(index) },
	{ "length", ARRAY(length) },
	{ "stride", ARRAY(stride) },
};

static json_t *arrays_json(const void *of)
{
	static const struct cli_columns c = { .column = array_columns, .n = 3 };
	const struct ntime_regdb_hit *hit = of;

	return cli_json_rows(&c, hit->arrays, hit->array_count, sizeof(*hit->arrays));
}

#define HIT(member, kind) CLI_OF(struct ntime_regdb_hit, member, kind)
#define HIT_COLUMNS(X)                                                                             \
	X(REGION, "region")                                                                        \
	X(OFFSET, "offset")                                                                        \
	X(NAME, "name", HIT(name, TEXT))                                                           \
	X(SKEW, "skew", HIT(skew, COUNT))                                                          \
	X(BITS, "bits", HIT(bits, COUNT))                                                          \
	X(IS_GUESS, "is_guess", HIT(is_guess, BOOL))                                               \
	X(ARRAYS, "arrays")                                                                        \
	X(VALUE, "value")                                                                          \
	X(ABOUT, "about", HIT(about, TEXT))                                                        \
	X(SOURCE, "source", HIT(source, TEXT))

enum { HIT_COLUMNS(CLI_COLUMN_ID) COLUMNS };
static const struct cli_column columns[] = { HIT_COLUMNS(CLI_COLUMN_ROW) };

static int put_json(struct lookup *l, uint64_t offset, const struct ntime_regdb_hit *hit,
		    const char *value)
{
	static const struct cli_columns c = { .column = columns, .n = COLUMNS, .has_nulls = true };
	struct cli_cell cell[COLUMNS];

	cli_cells_fill(cell, &c, hit);
	cell[REGION] = cli_count(l->region);
	cell[OFFSET] = cli_count(offset);
	cell[ARRAYS] = cli_made(arrays_json, hit, "");
	cell[VALUE] = cli_if(value, cli_text(value));
	json_array_append_new(l->found, cli_json_row(&c, cell));
	return 0;
}

static int put_hit(struct cli_trace *t, uint64_t offset, const struct ntime_regdb_hit *hit,
		   bool is_search)
{
	struct lookup *l = t->own;
	char text[VALUE_BYTES], *value = NULL;

	l->count++;
	if (l->has_value) {
		uint32_t bytes = hit->bits / 8 > hit->skew ? hit->bits / 8 - hit->skew : 8;

		/* a value that the register has no room for is shown as it is */
		if (bytes < 8 && l->value >> bytes * 8)
			bytes = 8;
		ntime_decoder_value(l->decoder, hit, bytes, l->value, text, sizeof(text));
		value = text;
	}
	if (t->is_json)
		return put_json(l, offset, hit, value);
	put_text(l, offset, hit, value, is_search);
	return 0;
}

static int on_name(void *arg, uint8_t region, uint64_t offset, const struct ntime_regdb_hit *hit)
{
	struct cli_trace *t = arg;
	struct lookup *l = t->own;

	l->region = region;
	return put_hit(t, offset, hit, true);
}

/*
 * Registers and their values are hexadecimal, with 0x or without: "0xa40c", "400084". Without it
 * the first one is a digit, else it is a name.
 */
static bool read_hex(const char *text, uint64_t *out)
{
	const char *digits = "0123456789abcdefABCDEF";
	size_t prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
	size_t n = strlen(text + prefix);

	if (!n || strspn(text + prefix, digits) != n || (!prefix && strchr(digits + 10, text[0])))
		return false;
	errno = 0;
	*out = strtoull(text + prefix, NULL, 16);
	return !errno;
}

static int find_address(struct cli_trace *t, uint64_t address)
{
	struct lookup *l = t->own;
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	int ret = ntime_decoder_find(l->decoder, 0, (uint8_t)l->region, address, 4, &hit);
	const char *chip = ntime_decoder_chip(l->decoder, 0);

	if (ret > 0)
		return put_hit(t, address, &hit, false);
	if (ret == 0 && !t->is_quiet)
		cli_say("nothing is known at 0x%" PRIx64 " of region %" PRIu64 "%s%s", address,
			l->region,
			*chip ? " of " : "; name the chip with --chip, or a database with --regs",
			chip);
	return ret;
}

static int find_name(struct cli_trace *t, const char *name)
{
	struct lookup *l = t->own;
	int ret = ntime_decoder_search(l->decoder, 0, name, on_name, t);

	if (ret == -ENOENT) {
		if (!t->is_quiet)
			cli_trace_say(t->ctx, ret);
		ret = 0;
	}
	return ret;
}

static int write_json(struct cli_trace *t)
{
	struct lookup *l = t->own;
	json_t *root = cli_json_machine_head(ntime_trace_version(), false, cli_emulated());

	json_object_set_new(root, "chip", cli_json_text(ntime_decoder_chip(l->decoder, 0)));
	json_object_set_new(root, "registers", l->found);
	l->found = NULL;
	return cli_json_write(stdout, root, 1) < 0 ? CLI_EXIT_FAILED : 0;
}

static int run_lookup(struct cli_trace *t)
{
	struct lookup *l = t->own;
	uint64_t address;
	int ret;

	if (t->n > 1 && !read_hex(t->operand[1], &l->value))
		return cli_say_misuse(t->self->name, "'%s' is not a hexadecimal number",
				      t->operand[1]);
	l->has_value = t->n > 1;
	if (cli_trace_names(t) || cli_trace_decoder(t, &l->decoder))
		return CLI_EXIT_FAILED;
	l->look = cli_look_at(STDOUT_FILENO);
	if (t->is_json)
		l->found = json_array();
	ret = ntime_decoder_identify(l->decoder, 0, SOME_NVIDIA, UINT8_MAX, 0, 0);
	if (ret >= 0)
		ret = read_hex(t->operand[0], &address) ? find_address(t, address)
							: find_name(t, t->operand[0]);
	if (ret < 0)
		ret = cli_trace_say(t->ctx, ret);
	else if (t->is_json)
		ret = write_json(t);
	else
		ret = 0;
	json_decref(l->found);
	ntime_decoder_free(l->decoder);
	if (cli_say_stdout_end())
		return CLI_EXIT_FAILED;
	return ret ? ret : l->count == 0;
}

const struct cli_trace_action cli_trace_lookup = {
	.name = "lookup",
	.usage = "[OPTION...] ADDRESS|NAME [VALUE]",
	.about = "what is at an address, where a register is, and what a value means",
	.details = "Looks into ntime's own rows and the databases of --regs. ADDRESS is an offset "
		   "in BAR 0, or in the region of --region. It and VALUE are hexadecimal, with or "
		   "without 0x: 0xa40c, 400084; without it they begin with a digit. NAME is a "
		   "register's name or the end of it (PRE_SRC), "
		   "with or without array indices (PCOUNTER.PRE_SRC[3]); * and ? match "
		   "anything.\nExit status: 0 if something was found, else 1.",
	.groups = CLI_TRACE_NAMES | CLI_TRACE_JSON,
	.min = 1,
	.max = 2,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct lookup),
	.run = run_lookup,
};
