// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Test vectors as text: parsed into acts, which are done to a fresh card for each domain and chip.
 */
#include "lab/card/vectors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/models/nv50_card.h"
#include "lab/card/lines.h"

#define EVERY_DOMAIN NTHW_NV_DOMAINS
/* Chips are bits. */
#define CHIPS_MAX 32

enum what { CLOCKS, WRITE, READ, PRESET };

struct act {
	enum what what;
	size_t line;
	uint64_t value; /* or how many clocks */
	uint32_t addr;	/* of domain 0, or of the one instance; of PRESET: which counter */
	uint32_t step;	/* from domain to domain */
	int domain;	/* that is named; negative: that of the vector */
	char name[24];	/* of the register */
	uint32_t high[NTM_NV50_WIRE_WORDS];
};

struct vector {
	char name[NTM_LINE_BYTES];
	uint32_t chips, domain; /* .chips 0, .domain EVERY_DOMAIN: not said so far */
	size_t line, first, acts;
};

struct ntm_vectors {
	const char *file;
	struct act *act; /* of all; first those that each vector begins with */
	size_t acts, begin;
	struct vector *vector;
	size_t vectors;
};

struct parser {
	struct ntm_lines l;
	struct ntm_vectors *v;
};

static bool has_counters(const struct nthw_nv_chip *chip)
{
	return chip->family < NTHW_NV_FERMI;
}

static uint32_t every_chip(void)
{
	uint32_t chips = 0;

	for (size_t i = 0; i < nthw_nv_chip_count && i < CHIPS_MAX; i++)
		if (has_counters(&nthw_nv_chips[i]))
			chips |= UINT32_C(1) << i;
	return chips;
}

/* ---- text ---- */

static struct vector *last(struct parser *p)
{
	return p->v->vectors ? &p->v->vector[p->v->vectors - 1] : NULL;
}

static int parse_value(struct parser *p, const char *text, uint64_t most, uint64_t *out)
{
	const char *at = text;

	if (!ntm_number_take(&at, most, out) || *at)
		return ntm_lines_fail(&p->l, "'%.40s' is no number up to %#llx", text,
				      (unsigned long long)most);
	return 0;
}

static int add_act(struct parser *p, const struct act *act)
{
	struct ntm_vectors *v = p->v;
	struct act *more;

	if (!(v->acts & (v->acts - 1))) {
		more = reallocarray(v->act, v->acts ? 2 * v->acts : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		v->act = more;
	}
	v->act[v->acts] = *act;
	v->act[v->acts++].line = p->l.line;
	if (last(p))
		last(p)->acts++;
	else
		v->begin++;
	return 0;
}

/* The row called so of any chip, and where its table is; NULL: there is none. */
static const struct nthw_reg *find_row(const char *name, uint32_t *base)
{
	for (const struct nthw_nv_chip *c = nthw_nv_chips; c < nthw_nv_chips + nthw_nv_chip_count;
	     c++) {
		for (size_t i = 0; has_counters(c) && i < c->place_count; i++) {
			const struct nthw_table *t = &c->places[i].table->rows;

			/* Units that there may be several of have no register that is meant. */
			for (size_t k = 0; !c->places[i].step[0] && k < t->count; k++)
				if (strcmp(t->regs[k]->name, name) == 0) {
					*base = c->places[i].base;
					return t->regs[k];
				}
		}
	}
	return NULL;
}

/* "CTR_PRE", "CTRL[2]" or "0x400084" */
static int parse_register(struct parser *p, char *text, struct act *act)
{
	const struct nthw_reg *reg;
	uint64_t number;
	char *index = strchr(text, '[');
	uint32_t base = 0;

	(void)snprintf(act->name, sizeof(act->name), "%s", text);
	act->domain = -1;
	if (*text >= '0' && *text <= '9') {
		if (parse_value(p, text, NTM_NV50_BAR_BYTES - 4, &number) < 0)
			return -EINVAL;
		act->addr = (uint32_t)number;
		return number % 4 ? ntm_lines_fail(&p->l, "'%.40s' is no multiple of 4", text) : 0;
	}
	if (index) {
		if (index[1] < '0' || index[1] >= '0' + NTHW_NV_DOMAINS ||
		    strcmp(index + 2, "]") != 0)
			return ntm_lines_fail(&p->l, "'%.40s' names no domain from 0 to %d", text,
					      NTHW_NV_DOMAINS - 1);
		act->domain = index[1] - '0';
		*index = '\0';
	}
	reg = find_row(text, &base);
	if (!reg || (index && !reg->step))
		return ntm_lines_fail(&p->l, "there is no register '%.40s'%s", text,
				      reg ? " of domains" : "");
	act->addr = base + reg->addr;
	act->step = reg->step;
	return 0;
}

static int parse_access(struct parser *p, enum what what)
{
	struct act act = { .what = what };
	int ret;

	if (p->l.words != 3)
		return ntm_lines_fail(&p->l, "'%s' is followed by a register and a value",
				      p->l.word[0]);
	ret = parse_register(p, p->l.word[1], &act);
	if (ret == 0)
		ret = parse_value(p, p->l.word[2], UINT32_MAX, &act.value);
	return ret < 0 ? ret : add_act(p, &act);
}

static int parse_write(void *arg)
{
	return parse_access(arg, WRITE);
}

static int parse_read(void *arg)
{
	return parse_access(arg, READ);
}

/* "clocks 5 0 0x40": signals 0 and 0x40 are 1 */
static int parse_clocks(void *arg)
{
	struct parser *p = arg;
	struct act act = { .what = CLOCKS };
	uint64_t signal;
	int ret;

	if (p->l.words < 2)
		return ntm_lines_fail(&p->l, "'clocks' needs a number of them");
	ret = parse_value(p, p->l.word[1], UINT64_MAX, &act.value);
	for (size_t i = 2; ret == 0 && i < p->l.words; i++) {
		ret = parse_value(p, p->l.word[i], 32 * NTM_NV50_WIRE_WORDS - 1, &signal);
		if (ret == 0)
			act.high[signal / 32] |= UINT32_C(1) << signal % 32;
	}
	return ret < 0 ? ret : add_act(p, &act);
}

/* "preset PRE 0xfffffffe": the count that goes on behind the register */
static int parse_preset(void *arg)
{
	struct parser *p = arg;

	static const char *const names[NTM_NV50_COUNTERS] = {
		[NTM_NV50_CYCLES] = "CYCLES", [NTM_NV50_PRE] = "PRE",	[NTM_NV50_START] = "START",
		[NTM_NV50_EVENT] = "EVENT",   [NTM_NV50_STOP] = "STOP",
	};
	struct act act = { .what = PRESET };

	if (p->l.words != 3)
		return ntm_lines_fail(&p->l, "'preset' is followed by a counter and a value");
	while (act.addr < NTM_NV50_COUNTERS && strcmp(names[act.addr], p->l.word[1]) != 0)
		act.addr++;
	if (act.addr == NTM_NV50_COUNTERS)
		return ntm_lines_fail(&p->l,
				      "'%.40s' is no counter: write CYCLES, PRE, START, EVENT or "
				      "STOP",
				      p->l.word[1]);
	if (parse_value(p, p->l.word[2], UINT32_MAX, &act.value) < 0)
		return -EINVAL;
	return add_act(p, &act);
}

static int parse_vector(void *arg)
{
	struct parser *p = arg;
	struct ntm_vectors *v = p->v;
	struct vector *more;
	size_t n = 0;

	if (p->l.words < 2)
		return ntm_lines_fail(&p->l, "a vector has a name");
	more = reallocarray(v->vector, v->vectors + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	v->vector = more;
	more += v->vectors++;
	*more = (struct vector){ .domain = EVERY_DOMAIN, .line = p->l.line, .first = v->acts };
	for (size_t i = 1; i < p->l.words; i++)
		n += (size_t)snprintf(more->name + n, sizeof(more->name) - n, "%s%s",
				      i > 1 ? " " : "", p->l.word[i]);
	return 0;
}

/* "chips G80 G84", "chips not G80" */
static int parse_chips(void *arg)
{
	struct parser *p = arg;
	bool is_not = p->l.words > 1 && strcmp(p->l.word[1], "not") == 0;
	uint32_t chips = 0;

	if (!last(p) || last(p)->chips)
		return ntm_lines_fail(&p->l, "'chips' stands in a vector, once");
	for (size_t i = 1 + is_not; i < p->l.words; i++) {
		const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(p->l.word[i]);

		if (!chip || !has_counters(chip))
			return ntm_lines_fail(&p->l, "there is no chip '%.40s' with PCOUNTER",
					      p->l.word[i]);
		chips |= UINT32_C(1) << (chip - nthw_nv_chips);
	}
	if (!chips)
		return ntm_lines_fail(&p->l, "'chips' is followed by names of chips");
	last(p)->chips = is_not ? every_chip() & ~chips : chips;
	return last(p)->chips ? 0 : ntm_lines_fail(&p->l, "no chip is left");
}

static int parse_domain(void *arg)
{
	struct parser *p = arg;
	uint64_t domain = 0;

	if (!last(p) || last(p)->domain != EVERY_DOMAIN)
		return ntm_lines_fail(&p->l, "'domain' stands in a vector, once");
	if (p->l.words != 2)
		return ntm_lines_fail(&p->l, "'domain' is followed by a number");
	if (parse_value(p, p->l.word[1], NTHW_NV_DOMAINS - 1, &domain) < 0)
		return -EINVAL;
	last(p)->domain = (uint32_t)domain;
	return 0;
}

static const struct ntm_lines_word words[] = {
	{ "vector", parse_vector }, { "chips", parse_chips }, { "domain", parse_domain },
	{ "clocks", parse_clocks }, { "write", parse_write }, { "read", parse_read },
	{ "preset", parse_preset },
};

int ntm_vectors_parse(const char *file, const char *text, size_t bytes, struct ntm_vectors **out,
		      char *why, size_t why_bytes)
{
	struct parser p = { .l = { .file = file, .why = why, .why_bytes = why_bytes } };
	int ret;

	*out = NULL;
	p.v = calloc(1, sizeof(*p.v));
	if (!p.v)
		return -ENOMEM;
	p.v->file = file;
	ret = ntm_lines_each(&p.l, text, bytes, words, sizeof(words) / sizeof(words[0]), &p);
	if (ret == 0 && !p.v->vectors) {
		p.l.line += !p.l.line;
		ret = ntm_lines_fail(&p.l, "there is no 'vector'");
	}
	if (ret < 0) {
		ntm_vectors_free(p.v);
		return ret;
	}
	*out = p.v;
	return 0;
}

void ntm_vectors_free(struct ntm_vectors *v)
{
	if (!v)
		return;
	free(v->act);
	free(v->vector);
	free(v);
}

/* ---- running ---- */

struct run {
	struct ntm_nv50_card card;
	const struct ntm_vectors *v;
	uint32_t domain;
	char wrong[256]; /* "": nothing was so far */
};

static uint32_t address_of(const struct run *r, const struct act *act)
{
	return act->addr + act->step * (act->domain < 0 ? r->domain : (uint32_t)act->domain);
}

static void check(struct run *r, const struct act *act)
{
	uint32_t value = 0;

	(void)ntm_nv50_card_peek(&r->card, address_of(r, act), &value);
	if (value == act->value || *r->wrong)
		return;
	(void)snprintf(r->wrong, sizeof(r->wrong),
		       "%s:%zu: %s of domain %u of %s is %#x, expected %#llx", r->v->file,
		       act->line, act->name, r->domain, r->card.chip->name, value,
		       (unsigned long long)act->value);
}

/* Signals of the trailer are the domain's own, and behind it there are none. */
static void check_signals(struct run *r, const struct act *act)
{
	uint32_t zero = (uint32_t)nthw_nv_zero(r->card.chip, r->domain), signal = zero;

	while (signal < 32 * NTM_NV50_WIRE_WORDS && !(act->high[signal / 32] >> signal % 32 & 1))
		signal++;
	if (signal < 32 * NTM_NV50_WIRE_WORDS && !*r->wrong)
		(void)snprintf(r->wrong, sizeof(r->wrong),
			       "%s:%zu: domain %u of %s has no signal %#x of its own", r->v->file,
			       act->line, r->domain, r->card.chip->name, signal);
}

static void do_act(struct run *r, const struct act *act)
{
	struct ntm_nv50_wires wires = { 0 };

	switch (act->what) {
	case CLOCKS:
		check_signals(r, act);
		memcpy(wires.of[r->domain], act->high, sizeof(act->high));
		ntm_nv50_card_advance(&r->card, &wires, act->value);
		break;
	case WRITE:
		(void)ntm_nv50_card_poke(&r->card, address_of(r, act), (uint32_t)act->value);
		break;
	case READ:
		check(r, act);
		break;
	case PRESET:
		r->card.domain[r->domain].shadow[act->addr] = (uint32_t)act->value;
		break;
	}
}

/* What was written is taken back: to clear all of a BAR takes longer than most vectors. */
static void clear(struct run *r, const struct act *act, size_t acts)
{
	for (size_t i = 0; i < acts; i++)
		if (act[i].what == WRITE)
			r->card.bar[address_of(r, &act[i]) / 4] = 0;
}

static void run_on(struct run *r, const struct vector *vector, const struct nthw_nv_chip *chip,
		   uint32_t *bar)
{
	const struct act *act = r->v->act + vector->first;

	(void)ntm_nv50_card_init(&r->card, chip, bar);
	for (size_t i = 0; i < r->v->begin; i++)
		do_act(r, &r->v->act[i]);
	for (size_t i = 0; i < vector->acts; i++)
		do_act(r, &act[i]);
	clear(r, r->v->act, r->v->begin);
	clear(r, act, vector->acts);
}

static void run_vector(struct run *r, const struct vector *vector, uint32_t *bar, size_t *runs)
{
	uint32_t chips = vector->chips ? vector->chips : every_chip();

	for (size_t i = 0; i < nthw_nv_chip_count && i < CHIPS_MAX; i++) {
		const struct nthw_nv_chip *chip = &nthw_nv_chips[i];

		if (!(chips >> i & 1))
			continue;
		for (r->domain = 0; r->domain < NTHW_NV_DOMAINS && chip->last[r->domain];
		     r->domain++) {
			if (vector->domain != EVERY_DOMAIN && vector->domain != r->domain)
				continue;
			run_on(r, vector, chip, bar);
			(*runs)++;
		}
	}
}

int ntm_vectors_run(const struct ntm_vectors *v,
		    void (*fn)(void *arg, const char *name, const char *wrong), void *arg,
		    struct ntm_vectors_result *result)
{
	uint32_t *bar = calloc(1, NTM_NV50_BAR_BYTES);

	*result = (struct ntm_vectors_result){ .vectors = v->vectors };
	if (!bar)
		return -ENOMEM;
	for (size_t i = 0; i < v->vectors; i++) {
		struct run r = { .v = v };
		size_t before = result->runs;

		run_vector(&r, &v->vector[i], bar, &result->runs);
		if (result->runs == before)
			(void)snprintf(r.wrong, sizeof(r.wrong),
				       "%s:%zu: none of its chips has the domain", v->file,
				       v->vector[i].line);
		result->failed += *r.wrong != '\0';
		fn(arg, v->vector[i].name, *r.wrong ? r.wrong : NULL);
	}
	free(bar);
	return 0;
}
