// SPDX-License-Identifier: MIT
/* Files of data/gpu: functions of wires, and what they are on chips of each family. */
#include "lib/event/gpu_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/entry.h"

/* ---- functions ---- */

#define DEPTH_MAX 16

struct reader {
	const char *at;
	struct nti_gpu_function *f;
	uint32_t values; /* of the arguments, bit i of argument i */
	unsigned int depth;
	const char *bad; /* NULL: nothing is */
};

static bool read_or(struct reader *r);

static bool take(struct reader *r, char c)
{
	r->at += strspn(r->at, " \t");
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static bool give_up(struct reader *r, const char *why)
{
	if (!r->bad)
		r->bad = why;
	return false;
}

/* False: there is no room for the multiplexer, or it has another value already. */
static bool want_mux(struct nti_gpu_function *f, uint32_t number, uint32_t select)
{
	size_t i;

	for (i = 0; i < f->muxes; i++)
		if (f->mux[i].number == number)
			return f->mux[i].select == select;
	if (!number)
		return true;
	if (i == NTI_ARRAY_SIZE(f->mux))
		return false;
	f->mux[i].number = number;
	f->mux[i].select = select;
	f->muxes++;
	return true;
}

/* A wire that stands next, which must fit to the others; NULL: it does not. */
static const struct nthw_nv_wires *take_wire(struct reader *r, uint32_t *wire)
{
	struct nti_gpu_function *f = r->f;
	const struct nthw_nv_wires *unit;

	r->at += strspn(r->at, " \t");
	unit = nthw_nv_wires_take(r->at, wire, &r->at);
	if (!unit)
		(void)give_up(r, "a wire of a unit is missing, as in 'trast.6'");
	else if (f->first && f->first->domain != unit->domain)
		(void)give_up(r, "its wires are of different domains");
	else if (!want_mux(f, unit->mux, unit->select) || !want_mux(f, unit->also, 0))
		(void)give_up(r, "its wires need three multiplexers, or two values of one");
	if (r->bad)
		return NULL;
	f->first = f->first ? f->first : unit;
	return unit;
}

static bool read_wire(struct reader *r)
{
	struct nti_gpu_function *f = r->f;
	uint32_t wire = 0;
	const struct nthw_nv_wires *unit = take_wire(r, &wire);
	size_t i;

	if (!unit)
		return false;
	for (i = 0; i < f->arguments; i++)
		if (f->unit[i] == unit && f->wire[i] == wire)
			return r->values >> i & 1;
	if (i == NTI_GPU_ARGUMENTS)
		return give_up(r, "a counter has four signals, and these are more");
	f->unit[i] = unit;
	f->wire[i] = wire;
	f->arguments++;
	return r->values >> i & 1;
}

static bool read_not(struct reader *r)
{
	bool is_not = false, value;

	while (take(r, '!'))
		is_not = !is_not;
	if (take(r, '1'))
		return !is_not;
	if (!take(r, '('))
		return read_wire(r) != is_not;
	if (++r->depth > DEPTH_MAX)
		return give_up(r, "parentheses are too deep");
	value = read_or(r);
	r->depth--;
	if (!take(r, ')'))
		return give_up(r, "a ')' is missing");
	return value != is_not;
}

static bool read_and(struct reader *r)
{
	bool value = read_not(r);

	while (!r->bad && take(r, '&'))
		value = read_not(r) && value;
	return value;
}

static bool read_or(struct reader *r)
{
	bool value = read_and(r);

	while (!r->bad && take(r, '|'))
		value = read_and(r) || value;
	return value;
}

int nti_gpu_function_parse(const char *text, struct nti_gpu_function *out, struct nti_error *e)
{
	*out = (struct nti_gpu_function){ 0 };
	for (uint32_t i = 0; i < 1u << NTI_GPU_ARGUMENTS; i++) {
		struct reader r = { .at = text, .f = out, .values = i };
		bool value = read_or(&r);

		if (!r.bad && !take(&r, '\0'))
			(void)give_up(&r, "something follows that is no operator");
		if (r.bad)
			return nti_error(e, -EINVAL,
					 "'%.80s' is no function of wires: %s at '%.20s'", text,
					 r.bad, r.at);
		out->table |= (uint32_t)value << i;
	}
	return 0;
}

int nti_gpu_amount_parse(const char *text, struct nti_gpu_function *f, struct nti_error *e)
{
	struct reader r = { .at = text, .f = f };

	for (f->bits = 0; !r.bad && *r.at; f->bits++) {
		size_t i = f->bits;

		if (i == NTI_GPU_AMOUNT_BITS)
			(void)give_up(&r, "an amount has six bits, and these are more");
		else
			f->amount_unit[i] = take_wire(&r, &f->amount_wire[i]);
		r.at += strspn(r.at, " \t");
	}
	if (!r.bad && f->bits > 4 && f->arguments > 2)
		(void)give_up(&r, "an amount of more than four bits has its function's arguments "
				  "2 and 3");
	if (!r.bad)
		return 0;
	return nti_error(e, -EINVAL, "'%.80s' is no amount: %s at '%.20s'", text, r.bad, r.at);
}

/* ---- files ---- */

enum key {
	KEY_NONE, /* between entries */
	KEY_EVENT,
	KEY_FAMILIES,
	KEY_FUNCTION,
	KEY_AMOUNT,
	KEY_ABSENT,
	KEY_REMEDY,
	KEY_ABOUT,
	KEY_SOURCE,
	KEY_TRUST,
	KEY_GUESSED,
	KEY_GUESS,
	KEY_COUNT,
};

#define TEXT(member) NTI_ENTRY_TO(struct nti_gpu_event, member)
#define SENTENCE(member) NTI_ENTRY_SAYS(struct nti_gpu_event, member)

static const struct nti_entry_key key_rules[KEY_COUNT] = {
	[KEY_NONE] = { "", 1u << KEY_EVENT },
	[KEY_EVENT] = { "gpu-event", 1u << KEY_FAMILIES | 1u << KEY_FUNCTION | 1u << KEY_ABSENT,
			TEXT(name) },
	[KEY_FAMILIES] = { "families", 1u << KEY_FUNCTION | 1u << KEY_ABSENT },
	[KEY_FUNCTION] = { "function", 1u << KEY_FUNCTION | 1u << KEY_AMOUNT | 1u << KEY_ABSENT |
					       1u << KEY_ABOUT },
	[KEY_AMOUNT] = { "amount", 1u << KEY_FUNCTION | 1u << KEY_ABSENT | 1u << KEY_ABOUT },
	[KEY_ABSENT] = { "absent", 1u << KEY_REMEDY, TEXT(absent) },
	[KEY_REMEDY] = { "remedy", 1u << KEY_ABOUT, TEXT(remedy) },
	[KEY_ABOUT] = { "about", 1u << KEY_SOURCE, SENTENCE(about) },
	[KEY_SOURCE] = { "source", 1u << KEY_TRUST, TEXT(source) },
	[KEY_TRUST] = { "trust", 1u << KEY_NONE | 1u << KEY_GUESSED },
	[KEY_GUESSED] = { "guessed", 1u << KEY_GUESS },
	[KEY_GUESS] = { "guess", 0, SENTENCE(guess) },
};

/* A chip of each family, for the constant of its domains 1 to 3, which all of the family share. */
static const struct family {
	const char *name, *kind, *chip;
} families[] = {
	[NTHW_NV_G80] = { "g80", "nv_g80", "G80" },
	[NTHW_NV_G84] = { "g84", "nv_g84", "G84" },
	[NTHW_NV_G200] = { "g200", "nv_g200", "G200" },
	[NTHW_NV_GT215] = { "gt215", "nv_gt215", "GT215" },
};

#define ALL_FAMILIES ((1u << NTI_ARRAY_SIZE(families)) - 1)

/* "g80 g84" */
static int parse_families(char *list, unsigned int *out, struct nti_error *e)
{
	char *save = NULL, *name;
	size_t i;

	*out = 0;
	for (name = strtok_r(list, " \t", &save); name; name = strtok_r(NULL, " \t", &save)) {
		for (i = 0; i < NTI_ARRAY_SIZE(families); i++)
			if (strcmp(families[i].name, name) == 0)
				break;
		if (i == NTI_ARRAY_SIZE(families) || *out >> i & 1)
			return nti_error(e, -EINVAL,
					 "families are g80, g84, g200 and gt215, each once, and "
					 "not '%.40s'",
					 name);
		*out |= 1u << i;
	}
	return 0;
}

static void *begin_entry(void *arg)
{
	struct nti_gpu_text *t = arg;
	struct nti_gpu_event *more = reallocarray(t->event, t->events + 1, sizeof(*more));

	if (!more)
		return NULL;
	t->event = more;
	more[t->events] = (struct nti_gpu_event){ 0 };
	return &more[t->events++];
}

static int add_function(struct nti_gpu_event *event, const char *text, struct nti_error *e)
{
	size_t i = event->functions;

	if (i == NTI_GPU_FUNCTIONS)
		return nti_error(e, -EINVAL, "more than %d functions", NTI_GPU_FUNCTIONS);
	event->functions++;
	event->function[i] = strdup(text);
	return event->function[i] ? nti_gpu_function_parse(text, &event->of[i], e)
				  : nti_error(e, -ENOMEM, "memory is short for a function");
}

static int add_amount(struct nti_gpu_event *event, const char *text, struct nti_error *e)
{
	size_t i = event->functions - 1;

	event->amount[i] = strdup(text);
	return event->amount[i] ? nti_gpu_amount_parse(text, &event->of[i], e)
				: nti_error(e, -ENOMEM, "memory is short for an amount");
}

static int check_functions(const struct nti_gpu_event *event, struct nti_error *e)
{
	for (size_t i = 0; i < event->functions; i++) {
		if (!event->of[i].first)
			return nti_error(e, -EINVAL, "%s has no wire", event->name);
		if (event->of[i].first->domain != event->of[0].first->domain)
			return nti_error(e, -EINVAL, "functions of %s are of different domains",
					 event->name);
	}
	return 0;
}

static int set_value(void *arg, unsigned int key, char *value, struct nti_error *e)
{
	struct nti_gpu_text *t = arg;
	struct nti_gpu_event *event = &t->event[t->events - 1];

	if (key == KEY_EVENT)
		return 0;
	if (key == KEY_FAMILIES)
		return parse_families(value, &event->is_of, e);
	if (key == KEY_GUESSED)
		return parse_families(value, &event->is_guessed, e);
	if (!event->is_of)
		event->is_of = ALL_FAMILIES;
	if (key == KEY_FUNCTION)
		return add_function(event, value, e);
	if (key == KEY_AMOUNT)
		return add_amount(event, value, e);
	if (key == KEY_ABOUT)
		return check_functions(event, e);
	if (key == KEY_TRUST && strcmp(value, "documented") != 0)
		return nti_error(e, -EINVAL,
				 "trust is 'documented', not '%.40s'; what is guessed "
				 "stands below it",
				 value);
	return 0;
}

static const struct nti_entries gpu_entries = {
	.key = key_rules,
	.keys = KEY_COUNT,
	.check = nti_entry_check_ascii,
	.begin = begin_entry,
	.set = set_value,
};

int nti_gpu_text_parse(const char *file, const char *text, size_t bytes, struct nti_gpu_text *out,
		       struct nti_error *e)
{
	return nti_entries_parse(&gpu_entries, file, text, bytes, out, e);
}

void nti_gpu_text_fini(struct nti_gpu_text *t)
{
	for (size_t i = 0; i < t->events; i++) {
		nti_entry_fini(&gpu_entries, &t->event[i]);
		for (size_t k = 0; k < NTI_GPU_FUNCTIONS; k++) {
			free(t->event[i].function[k]);
			free(t->event[i].amount[k]);
		}
	}
	free(t->event);
	*t = (struct nti_gpu_text){ 0 };
}

/* ---- families ---- */

static uint32_t zero_of(const struct nti_gpu_function *f, unsigned int family)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(families[family].chip);

	return (uint32_t)nthw_nv_zero(chip, f->first->domain);
}

/* Groups of domain 3, in the order in which the function names wires of them. */
struct groups {
	uint8_t number[4];
	size_t count;
};

/* Of domain 3 the signal behind which the wire's group stands: it gets a place if it has none. */
static uint32_t signal_of(const struct nthw_nv_wires *unit, uint32_t wire, unsigned int family,
			  struct groups *groups)
{
	uint32_t first = unit->first[family];
	size_t i;

	if (unit->mux != NTHW_NV_GROUP)
		return first + wire;
	for (i = 0; i < groups->count; i++)
		if (groups->number[i] == first / 4)
			break;
	/* A counter has no more than four signals, so there is room. */
	if (i == groups->count)
		groups->number[groups->count++] = (uint8_t)(first / 4);
	return (uint32_t)(4 * i) + first % 4 + wire;
}

/* Bit @i of the amount; what it does not have is the domain's constant. */
static uint32_t amount_of(const struct nti_gpu_function *f, size_t i, unsigned int family,
			  struct groups *groups)
{
	return i < f->bits ? signal_of(f->amount_unit[i], f->amount_wire[i], family, groups)
			   : zero_of(f, family);
}

static uint32_t amounts_of(const struct nti_gpu_function *f, unsigned int family,
			   struct groups *groups)
{
	uint32_t out = 0;

	for (size_t i = 0; i < NTI_GPU_ARGUMENTS; i++)
		out |= amount_of(f, i, family, groups) << 8 * i;
	return out;
}

/*
 * The four signals of @f; arguments that it does not use are the domain's constant, or the upper
 * bits of an amount of six.
 */
static uint32_t signals_of(const struct nti_gpu_function *f, unsigned int family,
			   struct groups *groups)
{
	uint32_t out = 0;

	for (size_t i = 0; i < NTI_GPU_ARGUMENTS; i++) {
		uint32_t signal = i < 2 ? zero_of(f, family) : amount_of(f, i + 2, family, groups);

		if (i < f->arguments)
			signal = signal_of(f->unit[i], f->wire[i], family, groups);
		out |= signal << 8 * i;
	}
	return out;
}

/* Of the counters, as CTRL has it. */
static unsigned int mode_of(const struct nti_gpu_function *f)
{
	return !f->bits ? 0 : f->bits > 4 ? 2 : 1;
}

static uint32_t groups_of(const struct groups *groups)
{
	uint32_t out = 0;

	for (size_t i = 0; i < groups->count; i++)
		out |= (uint32_t)groups->number[i] << 8 * i;
	return out;
}

/* Those that chips of the family have. */
static void write_muxes(FILE *out, const struct nti_gpu_function *f, unsigned int family)
{
	const char *behind = "";

	for (size_t i = 0; i < f->muxes; i++) {
		/* Of domain 3 the groups say it. */
		if (!nthw_nv_muxes[f->mux[i].number].address[family] ||
		    f->mux[i].number > NTHW_NV_TEX2)
			continue;
		fprintf(out, ",mux%s=%u,sel%s=%u", behind, f->mux[i].number, behind,
			f->mux[i].select);
		behind = "2";
	}
}

static void write_terms(FILE *out, const struct nti_gpu_function *f, unsigned int family)
{
	struct groups groups = { .count = 0 };

	fprintf(out, "domain=%u,src=%#010x,op=%#06x", f->first->domain,
		signals_of(f, family, &groups), f->table);
	if (f->bits)
		fprintf(out, ",mode=%u,amount=%#010x", mode_of(f), amounts_of(f, family, &groups));
	write_muxes(out, f, family);
	if (groups.count)
		fprintf(out, ",groups=%#x", groups_of(&groups));
}

static void write_event(FILE *out, const struct nti_gpu_event *event, unsigned int family)
{
	bool is_guessed = event->is_guessed >> family & 1;

	fprintf(out, "\nevent %s\n", event->name);
	for (size_t i = 0; !event->absent && i < event->functions; i++) {
		fputs(i == 0 ? "terms " : i == 1 ? "\nmore " : " ", out);
		write_terms(out, &event->of[i], family);
	}
	if (event->absent)
		fprintf(out, "absent %s\nremedy %s", event->absent, event->remedy);
	fprintf(out, "\nabout %s%s%s\nsource %s\n", event->about, is_guessed ? " Guessed: " : "",
		is_guessed ? event->guess : "", event->source);
}

/* Terms have the bits of docs/adr/0019. */
static void write_family(FILE *out, const struct nti_gpu_text *t, unsigned int family)
{
	fprintf(out,
		"kind %s\npmu gpu\nterm src config:0-31\nterm op config:32-52\n"
		"term domain config:53-55\nterm mode config:56-58\n"
		"term tpc config:59-62+1\nterm rop config:59-63+17\nterm mux config2:0-4\n"
		"term sel config2:5-31\nterm mux2 config2:32-36\nterm sel2 config2:37-63\n"
		"term amount config1:0-31\nterm groups config1:32-63\nsource docs/adr/0019\n",
		families[family].kind);
	for (size_t i = 0; i < t->events; i++)
		if (t->event[i].is_of >> family & 1)
			write_event(out, &t->event[i], family);
}

/* ---- set-ups ---- */

/* "G84,G86,...": those whose wires are known. */
static void write_chips(FILE *out, unsigned int family)
{
	const char *comma = "";

	for (size_t i = 0; i < nthw_nv_chip_count; i++) {
		if (nthw_nv_chips[i].family != family || !nthw_nv_has_wires(&nthw_nv_chips[i]))
			continue;
		fprintf(out, "%s%s", comma, nthw_nv_chips[i].name);
		comma = ",";
	}
}

/* As a register of the first unit: who only enables leaves the other bits. */
static void write_registers(FILE *out, const struct nti_gpu_function *f, unsigned int family)
{
	const char *before = "";

	for (size_t i = 0; i < f->muxes; i++) {
		const struct nthw_nv_mux_row *row = &nthw_nv_muxes[f->mux[i].number];

		if (!row->address[family] || f->mux[i].number > NTHW_NV_TEX2)
			continue;
		fprintf(out, "%s0x%x=0x%08x", before, row->address[family],
			f->mux[i].select | row->enable);
		if (!row->mask[family])
			fprintf(out, "&0x%08x", row->enable);
		before = ";";
	}
	fputs(*before ? "\n" : "-\n", out);
}

/* "rop_samples_in_count.1" is part 1 of its event. */
static void write_set_up(FILE *out, const struct nti_gpu_event *event,
			 const struct nti_gpu_function *f, unsigned int family)
{
	static const char *const modes[] = { "SIMPLE", "EVENT_B4", "EVENT_B6" };
	struct groups groups = { .count = 0 };
	const char *dot = strchr(event->name, '.');
	uint32_t signals = signals_of(f, family, &groups);

	fprintf(out, "counter %.*s %s ", dot ? (int)(dot - event->name) : 80, event->name,
		dot ? dot + 1 : "0");
	write_chips(out, family);
	fprintf(out, " %u %s ", f->first->domain, modes[mode_of(f)]);
	if (f->bits)
		fprintf(out, "%08x/ffff", amounts_of(f, family, &groups));
	else
		fputs("-", out);
	fprintf(out, " %08x/%04x ", signals, f->table);
	if (groups.count)
		fprintf(out, "%x ", groups_of(&groups));
	else
		fputs("- ", out);
	write_registers(out, f, family);
}

void nti_gpu_text_write_set_ups(const struct nti_gpu_text *t, FILE *out)
{
	for (size_t i = 0; i < t->events; i++) {
		const struct nti_gpu_event *event = &t->event[i];

		for (unsigned int family = 0; family < NTI_ARRAY_SIZE(families); family++) {
			if (!event->functions || !(event->is_of >> family & 1))
				continue;
			fprintf(out, "source %s\ntrust %s\n", event->source,
				event->is_guessed >> family & 1 ? "guessed" : "documented");
			for (size_t k = 0; k < event->functions; k++)
				write_set_up(out, event, &event->of[k], family);
			fputs("\n", out);
		}
	}
}

/* ---- as events of units ---- */

int nti_gpu_text_expand(const struct nti_gpu_text *t, struct nti_box_text *out, struct nti_error *e)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < NTI_ARRAY_SIZE(families); i++) {
		char *text = NULL;
		size_t bytes = 0;
		FILE *f = open_memstream(&text, &bytes);

		if (!f)
			return nti_error(e, -ENOMEM, "memory is short for a family of chips");
		write_family(f, t, i);
		if (fclose(f) == 0)
			ret = nti_box_text_parse(families[i].kind, text, bytes, out, e);
		else
			ret = nti_error(e, -ENOMEM, "memory is short for a family of chips");
		free(text);
	}
	return ret;
}
