// SPDX-License-Identifier: MIT
/* ntime trace: the options that its actions share. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/number.h"
#include "base/command/options.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/trace.h"

enum {
	ID_REGION = 256,
	ID_RANGE,
	ID_REGISTER,
	ID_READ,
	ID_WRITE,
	ID_VALUE,
	ID_WIDTH,
	ID_TIME,
	ID_THREAD,
	ID_NOT,
	ID_REGS,
	ID_CHIP,
	ID_DOMAIN,
	ID_FROM,
	ID_CSV,
	ID_JSON,
	ID_COLOUR,
};

static const char *const forms[] = { [NTIME_TRACE_VFIO] = "vfio",
				     [NTIME_TRACE_SIMPLE] = "simple",
				     [NTIME_TRACE_MMIOTRACE] = "mmiotrace",
				     [NTIME_TRACE_DEMMT] = "demmt",
				     [NTIME_TRACE_BINARY] = "binary" };

const char *cli_trace_form_name(uint32_t form)
{
	return form < sizeof(forms) / sizeof(forms[0]) ? forms[form] : NULL;
}

static const char *from_word(size_t i)
{
	return cli_trace_form_name(NTIME_TRACE_VFIO + (uint32_t)i);
}

static const char *colour_word(size_t i)
{
	static const char *const words[] = { [CLI_TRACE_AUTO] = "auto",
					     [CLI_TRACE_ALWAYS] = "always",
					     [CLI_TRACE_NEVER] = "never" };

	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

/* An option, and the group that has it; 0: all have it. */
static const struct common {
	uint32_t group;
	struct cli_option option;
} common[] = {
	{ CLI_TRACE_FILTERS,
	  { 'd', "device", "GLOB", "only devices of this name, such as 0000:05:00.* or 5:00.0" } },
	{ CLI_TRACE_FILTERS,
	  { ID_REGION, "region", "N",
	    "only this region: 0 to 5 (BARs), 6 or rom, 7 or config, 8 or vga, a higher "
	    "number (one of the device's own), or physical" } },
	{ CLI_TRACE_FILTERS,
	  { ID_RANGE, "range", "A-B|A+LEN",
	    "only these addresses of a region, both ends included" } },
	{ CLI_TRACE_FILTERS,
	  { ID_REGISTER, "register", "NAME", "only registers of this name or glob" } },
	{ CLI_TRACE_FILTERS, { ID_READ, "read", NULL, "only reads" } },
	{ CLI_TRACE_FILTERS, { ID_WRITE, "write", NULL, "only writes" } },
	{ CLI_TRACE_FILTERS,
	  { ID_VALUE, "value", "V[/MASK]", "only accesses with this value, or with these bits" } },
	{ CLI_TRACE_FILTERS,
	  { ID_WIDTH, "width", "BYTES", "only accesses of 1, 2, 4 or 8 bytes" } },
	{ CLI_TRACE_FILTERS,
	  { ID_TIME, "time", "A-B",
	    "only records of this time since the first record (seconds, or with ns, us, ms, min), "
	    "or with @ of the clock; "
	    "either end may be missing" } },
	{ CLI_TRACE_FILTERS, { ID_THREAD, "thread", "N", "only records of this thread" } },
	{ CLI_TRACE_FILTERS,
	  { ID_NOT, "not", "TERM",
	    "exclude these: device=GLOB, range=A-B, access=read, ... as above" } },
	{ CLI_TRACE_NAMES,
	  { ID_REGS, "regs", "FILE|DIR",
	    "register names from a rules-ng-ng database; may be repeated" } },
	{ CLI_TRACE_NAMES,
	  { ID_CHIP, "chip", "[BDF=]CHIP",
	    "the chip of the devices, or of one, such as GT218; default: detected in the trace" } },
	{ CLI_TRACE_NAMES,
	  { ID_DOMAIN, "domain", "REGION=NAME",
	    "the database domain of a region, such as 0=NV_MMIO" } },
	{ CLI_TRACE_FORMS,
	  { ID_FROM, "from", "FORM",
	    "format of the trace: vfio, simple, mmiotrace, demmt, binary; default: detected",
	    .word = from_word } },
	{ CLI_TRACE_FOLLOWS,
	  { 'f', "follow", NULL, "wait for more data at the end, as tail -f; Ctrl-C ends" } },
	{ CLI_TRACE_OUTPUT, { 'o', "output", "FILE", "write to FILE, complete or not at all" } },
	{ CLI_TRACE_CSV, { ID_CSV, "csv", NULL, "write CSV" } },
	{ CLI_TRACE_JSON, { ID_JSON, "json", NULL, "write JSON" } },
	{ CLI_TRACE_COLOUR,
	  { ID_COLOUR, "color", "WHEN", "colour: auto (on terminals), always, never",
	    .word = colour_word } },
	{ 0, { 'q', "quiet", NULL, "no progress, and no warnings about gaps in the trace" } },
	{ 0, { 'v', "verbose", NULL, "print what was read; twice: also the library's decisions" } },
	{ 0, CLI_OPTION_HELP },
};

#define COMMON (sizeof(common) / sizeof(common[0]))

/* An action may mean something else by a name. */
static bool has_own(const struct cli_trace_action *a, const char *name)
{
	for (const struct cli_option *own = a->options; own && own->name; own++)
		if (strcmp(own->name, name) == 0)
			return true;
	return false;
}

void cli_trace_options(const struct cli_trace_action *a, struct cli_option *out)
{
	size_t n = 0;

	for (const struct cli_option *o = a->options; o && o->name && n < CLI_OPTIONS_MAX; o++)
		out[n++] = *o;
	for (size_t i = 0; i < COMMON && n < CLI_OPTIONS_MAX; i++)
		if ((!common[i].group || (a->groups & common[i].group)) &&
		    !has_own(a, common[i].option.name))
			out[n++] = common[i].option;
	out[n] = (struct cli_option)CLI_OPTION_END;
}

int cli_trace_add_word(struct cli_trace *t, struct cli_trace_words *words, const char *option,
		       const char *value)
{
	if (words->n == CLI_TRACE_TERMS) {
		cli_say_misuse(t->self->name, "--%s may be given %d times at most", option,
			       CLI_TRACE_TERMS);
		return -EINVAL;
	}
	words->word[words->n++] = value;
	return 0;
}

static int add_term(struct cli_trace *t, const char *kind, const char *value, bool is_negated)
{
	struct cli_trace_term *term = &t->terms[t->n_terms];

	if (t->n_terms == CLI_TRACE_TERMS) {
		cli_say_misuse(t->self->name, "there may be %d filters at most", CLI_TRACE_TERMS);
		return -EINVAL;
	}
	term->text = cli_format("%s%s%s", kind, *kind ? "=" : "", value);
	term->is_negated = is_negated;
	t->n_terms++;
	return 0;
}

int cli_trace_number(const struct cli_trace *t, const char *option, const char *value,
		     uint64_t high, uint64_t *out)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(value, &end, 0);
	/* strtoull(3) takes signs and blanks. */
	if (!isdigit((unsigned char)value[0]) || *end || errno || n > high) {
		cli_say_misuse(t->self->name, "--%s takes a number up to %llu, not '%s'", option,
			       (unsigned long long)high, value);
		return -EINVAL;
	}
	*out = n;
	return 0;
}

static int set_common(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	int word = o->word ? cli_option_word(t->self->name, o, value) : 0;

	if (word < 0)
		return word;
	switch (o->id) {
	case ID_READ:
	case ID_WRITE:
		return add_term(t, "access", o->name, false);
	case 'd':
	case ID_REGION:
	case ID_RANGE:
	case ID_REGISTER:
	case ID_VALUE:
	case ID_WIDTH:
	case ID_TIME:
	case ID_THREAD:
		return add_term(t, o->name, value, false);
	case ID_NOT:
		return add_term(t, "", value, true);
	case ID_REGS:
		return cli_trace_add_word(t, &t->regs, o->name, value);
	case ID_CHIP:
		return cli_trace_add_word(t, &t->chips, o->name, value);
	case ID_DOMAIN:
		return cli_trace_add_word(t, &t->domains, o->name, value);
	case ID_FROM:
		t->form = NTIME_TRACE_VFIO + (uint32_t)word;
		return 0;
	case ID_COLOUR:
		t->colour = (enum cli_trace_colour)word;
		return 0;
	case 'f':
		t->follows = true;
		return 0;
	case 'o':
		t->output = value;
		return 0;
	case ID_CSV:
		t->is_csv = true;
		return 0;
	case ID_JSON:
		t->is_json = true;
		return 0;
	case 'q':
		t->is_quiet = true;
		return 0;
	default:
		t->verbose++;
		return 0;
	}
}

static bool is_own(const struct cli_trace_action *a, const struct cli_option *o)
{
	for (const struct cli_option *own = a->options; own && own->name; own++)
		if (own->id == o->id)
			return true;
	return false;
}

int cli_trace_set(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	return is_own(t->action, o) ? t->action->set(t, o, value) : set_common(t, o, value);
}

int cli_trace_check(const struct cli_trace *t)
{
	if (t->is_csv && t->is_json)
		return cli_say_misuse(t->self->name, "--json and --csv cannot be combined");
	return 0;
}

void cli_trace_fini(struct cli_trace *t)
{
	for (size_t i = 0; i < t->n_terms; i++)
		free(t->terms[i].text);
	ntime_trace_filter_free(t->filter);
	ntime_regdb_free(t->db);
	ntime_trace_ctx_free(t->ctx);
}
