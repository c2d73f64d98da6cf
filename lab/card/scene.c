// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Scenes: text into steps, and steps into stretches of clocks, frame by frame. */
#include "lab/card/scene.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/uapi/ntime_model.h"
#include "lab/card/lines.h"
#include "lab/card/truth.h"

#define TIMES_MAX 10000
/* Of each frame, so that one does not take long. */
#define DRAW_MAX 1000000

/* A number, or one between two: chosen in each frame. */
struct range {
	uint64_t low, high;
};

/* Bits of an amount on the wires of a unit. */
struct amount {
	const struct nthw_nv_wires *unit;
	uint32_t of; /* as of struct ntm_wire */
	struct range value;
};

#define AMOUNTS 8 /* of a line, and wires of one TPC or partition; both together NTM_OWN_MAX */

enum kind { CLOCKS, VERTICES, PRIMITIVES, TILES, PIXELS, BUSY };

struct step {
	enum kind kind;
	struct range number; /* of clocks, or of what is drawn */
	struct ntm_wire_set wires;
	struct ntm_nv50_wires signal;
	struct ntm_own own[AMOUNTS];
	size_t owns;
	struct amount amount[AMOUNTS];
	size_t amounts;
	struct ntm_mp_signals mp;
	size_t context; /* index of its name; 0: none */
};

/* Steps of a frame, or of what is between two. */
struct part {
	struct step *step;
	size_t steps;
	uint32_t times;
	uint64_t clocks, drawn; /* at most, in one of them */
};

struct ntm_scene {
	const struct nthw_nv_chip *chip;
	uint64_t seed;
	struct part *frame, between;
	size_t frames;
	uint32_t round;			/* frames until the first one comes again */
	struct ntm_wire_set missing;	/* of units that the board does not have */
	uint32_t first[NTM_NV50_KINDS]; /* of those that it has */
	uint32_t units[NTM_NV50_KINDS]; /* which these are */
	/* the first one is none */
	char context[1 + NTIME_MODEL_CONTEXTS_MAX][NTIME_MODEL_NAME_BYTES];
	size_t contexts; /* besides */
};

/* ---- wires ---- */

static size_t index_of(const struct nthw_nv_wires *unit)
{
	size_t i = (size_t)(unit - nthw_nv_wires);

	assert(i < NTM_WIRE_UNITS && unit->count <= 8);
	return i;
}

static bool has_wire(const struct ntm_wire_set *set, const struct nthw_nv_wires *unit,
		     uint32_t wire)
{
	return set->of[index_of(unit)] >> wire & 1;
}

static void put_wire(struct ntm_wire_set *set, const struct nthw_nv_wires *unit, uint32_t wire)
{
	set->of[index_of(unit)] |= (uint8_t)(1u << wire);
}

static const struct nthw_nv_wires *unit_of(const char *name)
{
	for (size_t i = 0; i < nthw_nv_wires_count; i++)
		if (strcmp(nthw_nv_wires[i].name, name) == 0)
			return &nthw_nv_wires[i];
	return NULL;
}

/* These and no others, "vfetch_a.0 vfetch_a.1": there are such. */
static struct ntm_wire_set wires(const char *names)
{
	struct ntm_wire_set set = { { 0 } };

	while (*names) {
		uint32_t wire = 0;
		const struct nthw_nv_wires *unit = nthw_nv_wires_take(names, &wire, &names);

		assert(unit);
		put_wire(&set, unit, wire);
		names += strspn(names, " ");
	}
	return set;
}

/* And @amount on those of a unit that there is. */
static struct ntm_wire_set and_amount(struct ntm_wire_set set, const char *name, uint64_t amount)
{
	const struct nthw_nv_wires *unit = unit_of(name);

	assert(unit && amount >> unit->count == 0);
	set.of[index_of(unit)] |= (uint8_t)amount;
	return set;
}

static struct ntm_wire_set both(struct ntm_wire_set a, struct ntm_wire_set b)
{
	for (size_t i = 0; i < NTM_WIRE_UNITS; i++)
		a.of[i] |= b.of[i];
	return a;
}

/*
 * These where no texture is sampled, and the wires for the level say so. Lines of a scene that list
 * wires have those alone.
 */
static struct ntm_wire_set plain(const char *names)
{
	return and_amount(wires(names), "tex_level", 15);
}

static bool has_signal(const struct ntm_nv50_wires *of, uint32_t domain, uint32_t signal)
{
	return of->of[domain][signal / 32] >> signal % 32 & 1;
}

static void put_signal(struct ntm_nv50_wires *of, uint32_t domain, uint32_t signal)
{
	of->of[domain][signal / 32] |= UINT32_C(1) << signal % 32;
}

/* Signals 0 to 15 of domain 3 are behind groups of four, which can be led to any four of them. */
static bool is_of_groups(uint32_t domain, unsigned long signal)
{
	return domain == 3 && signal < 16;
}

/* Of a TPC, of a partition, or there once. */
static enum nthw_nv_units kind_of(const struct nthw_nv_wires *unit)
{
	return nthw_nv_muxes[unit->mux].units;
}

/*
 * "tpc1." or "rop0.", which *@text then is behind: the number + 1 in *@of. NULL, or why that is no
 * unit of the chip.
 */
static const char *take_of(const char **text, const struct nthw_nv_chip *chip, uint32_t *of,
			   enum nthw_nv_units *kind)
{
	bool is_tpc = strncmp(*text, "tpc", 3) == 0;
	unsigned long number;
	char *end;

	*of = 0;
	*kind = NTHW_NV_GRAPH;
	if ((!is_tpc && strncmp(*text, "rop", 3) != 0) || (*text)[3] < '0' || (*text)[3] > '9')
		return NULL;
	number = strtoul(*text + 3, &end, 10);
	if (*end != '.')
		return NULL;
	*kind = is_tpc ? NTHW_NV_TPC : NTHW_NV_ROP;
	if (number >= (is_tpc ? chip->tpcs : chip->parts))
		return is_tpc ? "the chip has no such TPC" : "the chip has no such partition";
	*of = (uint32_t)number + 1;
	*text = end + 1;
	return NULL;
}

static const char one_of_kind[] = "its unit is not there in each of these";

const char *ntm_wire_take(const char *text, const struct nthw_nv_chip *chip, struct ntm_wire *out,
			  const char **end)
{
	enum nthw_nv_units kind;
	unsigned long number;
	char *behind;
	const char *why;
	uint32_t domain;

	*end = text;
	*out = (struct ntm_wire){ 0 };
	why = take_of(&text, chip, &out->of, &kind);
	if (why)
		return why;
	out->unit = nthw_nv_wires_take(text, &out->number, end);
	if (out->unit) {
		out->domain = out->unit->domain;
		return out->of && kind_of(out->unit) != kind ? one_of_kind : NULL;
	}
	if (out->of)
		return "it is no wire of a unit, as trast.6";
	if (text[0] != 'd' || text[1] < '0' || text[1] > '9' || text[2] != '.' || text[3] < '0' ||
	    text[3] > '9')
		return "it is neither a wire of a unit, as trast.6, nor a signal, as d2.0x40";
	domain = (uint32_t)(text[1] - '0');
	if (domain >= NTHW_NV_DOMAINS || !chip->last[domain])
		return "the chip has no such domain";
	number = strtoul(text + 3, &behind, strncmp(text + 3, "0x", 2) == 0 ? 16 : 10);
	if (number >= (unsigned long)nthw_nv_zero(chip, domain))
		return "the domain has no such signal of its own";
	out->domain = domain;
	/* Which of the groups is behind it is not fixed, which of their wires is. */
	out->number = (uint32_t)(is_of_groups(domain, number) ? number % 4 : number);
	*end = behind;
	return NULL;
}

static bool is_own(const struct ntm_wire *wire, const struct ntm_stretch *stretch)
{
	for (size_t i = 0; i < stretch->owns; i++) {
		const struct ntm_own *own = &stretch->own[i];

		if (own->row == index_of(wire->unit) && own->bits >> wire->number & 1 &&
		    (wire->of ? own->unit + 1u == wire->of : own->is_first))
			return true;
	}
	return false;
}

/* Is the wire, which no multiplexer moves or group 0 has, of that signal 1? */
static bool has_fixed(const struct ntm_stretch *stretch, const struct nthw_nv_chip *chip,
		      uint32_t domain, uint32_t signal)
{
	for (size_t i = 0; i < nthw_nv_wires_count; i++) {
		const struct nthw_nv_wires *unit = &nthw_nv_wires[i];
		struct ntm_wire wire = { .unit = unit,
					 .number = signal - unit->first[chip->family] };

		if (unit->domain == domain && wire.number < unit->count &&
		    unit->mux == (is_of_groups(domain, signal) ? NTHW_NV_GROUP : NTHW_NV_NO_MUX))
			return has_wire(&stretch->wires, unit, wire.number) ||
			       is_own(&wire, stretch);
	}
	return false;
}

bool ntm_wire_is_high(const struct ntm_wire *wire, const struct nthw_nv_chip *chip,
		      const struct ntm_stretch *stretch)
{
	uint32_t signal = wire->number;

	if (!wire->unit)
		return has_signal(&stretch->signal, wire->domain, signal) ||
		       has_fixed(stretch, chip, wire->domain, signal);
	signal += wire->unit->first[chip->family];
	if (wire->unit->mux == NTHW_NV_GROUP)
		signal %= 4;
	return is_own(wire, stretch) || has_wire(&stretch->wires, wire->unit, wire->number) ||
	       has_signal(&stretch->signal, wire->domain, signal);
}

/* Unit and signal of the event that @text begins with. */
static const char *take_event(const char *text, const struct nthw_nv_chip *chip,
			      struct ntm_mp_signal *out, const char **end)
{
	size_t chars = 0;

	while (isalnum((unsigned char)text[chars]) || text[chars] == '_')
		chars++;
	for (size_t i = 0; i < ntm_card_event_count; i++) {
		const struct ntm_card_event *e = &ntm_card_events[i];

		if (strncmp(e->function, "mp.u", 4) != 0 || !(e->families >> chip->family & 1) ||
		    strlen(e->name) != chars || strncmp(e->name, text, chars) != 0)
			continue;
		*end = text + chars;
		out->unit = (uint8_t)(e->function[4] - '0');
		out->signal = (uint8_t)strtoul(e->function + 6, NULL, 16);
		return NULL;
	}
	return "the chip has no such signal of a multiprocessor, as mp.u4.0x02 or mp.instructions";
}

const char *ntm_mp_take(const char *text, const struct nthw_nv_chip *chip,
			struct ntm_mp_signal *out, const char **end)
{
	unsigned long mp = NTM_MPS_MAX, signal;
	char *behind;

	text += strlen("mp");
	if (isdigit((unsigned char)*text)) {
		mp = strtoul(text, &behind, 10);
		text = behind;
		if (mp >= (unsigned long)chip->tpcs * chip->mps)
			return "the chip has no such multiprocessor";
	}
	if (*text++ != '.')
		return "it is no signal of multiprocessors, as mp.u4.0x02 or mp1.instructions";
	out->mp = (uint8_t)mp;
	if (text[0] != 'u' || text[1] < '0' || text[1] > '7' || strncmp(text + 2, ".0x", 3) != 0)
		return take_event(text, chip, out, end);
	signal = strtoul(text + 5, &behind, 16);
	if (!isxdigit((unsigned char)text[5]) || signal > 0xff)
		return "signals of multiprocessors are 0x00 to 0xff";
	out->unit = (uint8_t)(text[1] - '0');
	out->signal = (uint8_t)signal;
	*end = behind;
	return NULL;
}

uint32_t ntm_mp_high(const struct ntm_mp_signal *signal, const struct ntm_stretch *stretch,
		     uint32_t mps)
{
	uint32_t high = 0;

	for (size_t i = 0; i < stretch->mp.count; i++) {
		const struct ntm_mp_signal *of = &stretch->mp.of[i];

		if (of->unit == signal->unit && of->signal == signal->signal)
			high |= of->mp == NTM_MPS_MAX ? UINT32_MAX : UINT32_C(1) << of->mp;
	}
	return high & mps & (signal->mp == NTM_MPS_MAX ? UINT32_MAX : UINT32_C(1) << signal->mp);
}

/* The first unit whose wires the multiplexer leads out has them; NTHW_NV_UNITS_MAX: none. */
static uint32_t who_leads(const struct ntm_nv50_card *card, uint32_t number, uint32_t *value)
{
	const struct nthw_nv_mux_row *mux = &nthw_nv_muxes[number];
	uint32_t family = card->chip->family, i;
	uint32_t units = nthw_nv_units_of(card->chip, mux->units, card->bar[NTHW_NV_UNITS / 4]);

	for (i = 0; i < NTHW_NV_UNITS_MAX; i++) {
		*value = card->bar[(mux->address[family] + mux->step[family] * i) / 4];
		if (units >> i & 1 && (*value & mux->enable) == mux->enable)
			break;
	}
	return i;
}

/* Is it led out by the unit *@leader, in which its multiplexers are as it needs them? */
static bool is_selected(const struct nthw_nv_wires *unit, const struct ntm_nv50_card *card,
			uint32_t *leader)
{
	uint32_t family = card->chip->family, value, other;

	*leader = NTHW_NV_UNITS_MAX;
	if (!unit->mux)
		return true;
	*leader = who_leads(card, unit->mux, &value);
	if (nthw_nv_muxes[unit->also].address[family] &&
	    who_leads(card, unit->also, &other) != *leader)
		return false;
	return *leader < NTHW_NV_UNITS_MAX &&
	       (value & nthw_nv_muxes[unit->mux].mask[family]) == unit->select;
}

/* The wires of the unit that are 1 in the TPC or partition @leader. */
static void show(const struct ntm_stretch *stretch, const struct nthw_nv_wires *unit,
		 uint32_t leader, uint32_t first, struct ntm_nv50_wires *out)
{
	uint32_t bits = stretch->wires.of[index_of(unit)];

	for (size_t i = 0; i < stretch->owns; i++)
		if (stretch->own[i].row == index_of(unit) && stretch->own[i].unit == leader)
			bits |= stretch->own[i].bits;
	for (uint32_t wire = 0; wire < unit->count; wire++)
		if (bits >> wire & 1)
			put_signal(out, unit->domain, first + wire);
}

/* What a context has set up slots for, where the unit is those of an MP. */
static void show_slots(const struct ntm_stretch *stretch, const struct nthw_nv_wires *unit,
		       const struct nthw_nv_chip *chip, uint32_t leader, uint32_t first,
		       struct ntm_nv50_wires *out)
{
	static const char name[] = "slot_mp";
	uint32_t mp;

	if (strncmp(unit->name, name, strlen(name)) != 0)
		return;
	mp = (uint32_t)(unit->name[strlen(name)] - '0');
	if (mp >= chip->mps)
		return;
	for (uint32_t slot = 0; slot < NTHW_NV_MP_SLOTS; slot++)
		if (stretch->slots[leader * chip->mps + mp] >> slot & 1)
			put_signal(out, unit->domain, first + slot);
}

/* Wherever the TPC that leads its groups out has the unit's. */
static void show_group(const struct ntm_stretch *stretch, const struct nthw_nv_wires *unit,
		       const struct ntm_nv50_card *card, struct ntm_nv50_wires *out)
{
	const struct nthw_nv_mux_row *mux = &nthw_nv_muxes[NTHW_NV_GROUP];
	uint32_t family = card->chip->family, first = unit->first[family], groups;
	uint32_t leader = who_leads(card, NTHW_NV_MPC_OUT, &groups);

	if (leader == NTHW_NV_UNITS_MAX || first == NTHW_NV_NO_WIRES)
		return;
	groups = card->bar[(mux->address[family] + mux->step[family] * leader) / 4];
	for (uint32_t i = 0; i < 4; i++)
		if ((groups >> 8 * i & 0xff) == first / 4) {
			show(stretch, unit, leader, 4 * i + first % 4, out);
			show_slots(stretch, unit, card->chip, leader, 4 * i, out);
		}
}

void ntm_wires_of(const struct ntm_stretch *stretch, const struct ntm_nv50_card *card,
		  struct ntm_nv50_wires *out)
{
	*out = stretch->signal;
	out->of[3][0] |= (out->of[3][0] & 0xf) * 0x1110; /* a wire of all groups */
	for (size_t i = 0; i < nthw_nv_wires_count; i++) {
		const struct nthw_nv_wires *unit = &nthw_nv_wires[i];
		uint32_t leader;

		if (unit->mux == NTHW_NV_GROUP)
			show_group(stretch, unit, card, out);
		else if (is_selected(unit, card, &leader))
			show(stretch, unit, leader, unit->first[card->chip->family], out);
	}
}

void ntm_scene_pass(struct ntm_nv50_card *card)
{
	const struct ntm_stretch idle = { .wires = plain(""), .context = "" };
	struct ntm_nv50_wires wires;

	ntm_wires_of(&idle, card, &wires);
	ntm_nv50_card_advance(card, &wires, NTM_NV50_ACCESS_CLOCKS);
}

/* ---- text ---- */

struct parser {
	struct ntm_lines l;
	struct ntm_scene *scene;
	struct part *part; /* what steps belong to; NULL: nothing began yet */
	size_t context;	   /* in which they run */
};

/* "20" or "5-20", from @least to @most. */
static int parse_range(struct parser *p, const char *text, uint64_t least, uint64_t most,
		       struct range *out)
{
	const char *at = text;
	bool is_number = ntm_number_take(&at, NTM_SCENE_NUMBER_MAX, &out->low);

	out->high = out->low;
	if (is_number && *at == '-') {
		at++;
		is_number = ntm_number_take(&at, NTM_SCENE_NUMBER_MAX, &out->high);
	}
	if (!is_number || *at || out->low < least || out->high > most || out->low > out->high)
		return ntm_lines_fail(
			&p->l,
			"'%.40s' is neither a number from %llu to %llu nor a range of them, as "
			"in 5-20",
			text, (unsigned long long)least, (unsigned long long)most);
	return 0;
}

/* "zcull_in=37" */
static int parse_amount(struct parser *p, char *word, char *sign, struct step *step)
{
	struct amount *amount = &step->amount[step->amounts];
	enum nthw_nv_units kind;
	const char *name = word, *why;

	if (step->amounts == AMOUNTS)
		return ntm_lines_fail(&p->l, "more than %d amounts in one line", AMOUNTS);
	*sign = '\0';
	why = take_of(&name, p->scene->chip, &amount->of, &kind);
	amount->unit = unit_of(name);
	if (!why && amount->unit && amount->of && kind_of(amount->unit) != kind)
		why = one_of_kind;
	if (why)
		return ntm_lines_fail(&p->l, "'%.40s': %s", word, why);
	if (!amount->unit)
		return ntm_lines_fail(
			&p->l, "there is no unit '%.40s' whose wires could be an amount", word);
	step->amounts++;
	return parse_range(p, sign + 1, 0, (UINT64_C(1) << amount->unit->count) - 1,
			   &amount->value);
}

static struct ntm_own own_of(const struct nthw_nv_wires *unit, uint32_t of, uint64_t bits)
{
	return (struct ntm_own){ .row = (uint8_t)index_of(unit),
				 .unit = (uint8_t)(of - 1),
				 .bits = (uint8_t)bits };
}

/* "mp.branch" */
static int parse_mp(struct parser *p, char *word, struct step *step)
{
	const char *end = word, *why;

	if (step->mp.count == NTM_MP_SIGNALS)
		return ntm_lines_fail(&p->l, "more than %d signals of multiprocessors in a line",
				      NTM_MP_SIGNALS);
	why = ntm_mp_take(word, p->scene->chip, &step->mp.of[step->mp.count++], &end);
	if (!why && *end)
		why = "something follows the signal";
	return why ? ntm_lines_fail(&p->l, "'%.40s': %s", word, why) : 0;
}

static int parse_wire(struct parser *p, char *word, struct step *step)
{
	char *sign = strchr(word, '=');
	struct ntm_wire wire;
	const char *end, *why;

	if (strncmp(word, "mp", 2) == 0)
		return parse_mp(p, word, step);
	if (sign)
		return parse_amount(p, word, sign, step);
	why = ntm_wire_take(word, p->scene->chip, &wire, &end);
	if (!why && *end)
		why = "something follows the wire";
	if (!why && wire.of && step->owns == AMOUNTS)
		why = "more than eight wires of one TPC or partition in a line";
	if (why)
		return ntm_lines_fail(&p->l, "'%.40s': %s", word, why);
	if (wire.of)
		step->own[step->owns++] = own_of(wire.unit, wire.of, 1u << wire.number);
	else if (wire.unit)
		put_wire(&step->wires, wire.unit, wire.number);
	else
		put_signal(&step->signal, wire.domain, wire.number);
	return 0;
}

static int add_step(struct parser *p, const struct step *step)
{
	struct part *part = p->part;
	struct step *more;

	if (!part)
		return ntm_lines_fail(&p->l, "a step stands below 'frame' or 'between'");
	if (step->kind == CLOCKS || step->kind == BUSY)
		part->clocks += step->number.high;
	else
		part->drawn += step->number.high;
	/* Sums of clocks and amounts over all frames fit into 64 bits. */
	if (part->clocks > NTM_SCENE_NUMBER_MAX || part->drawn > DRAW_MAX)
		return ntm_lines_fail(
			&p->l, "a frame has at most %llu clocks, and draws at most %d things",
			(unsigned long long)NTM_SCENE_NUMBER_MAX, DRAW_MAX);
	/* In steps of doubling. */
	if (!(part->steps & (part->steps - 1))) {
		more = reallocarray(part->step, part->steps ? 2 * part->steps : 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		part->step = more;
	}
	part->step[part->steps] = *step;
	part->step[part->steps++].context = p->context;
	return 0;
}

/* "clocks 20 trast.1 zcull_in=37" */
static int parse_clocks(void *arg)
{
	struct parser *p = arg;
	struct step step = { .kind = CLOCKS };
	int ret;

	if (p->l.words < 2)
		return ntm_lines_fail(&p->l, "'clocks' needs a number of them");
	ret = parse_range(p, p->l.word[1], 0, NTM_SCENE_NUMBER_MAX, &step.number);
	for (size_t i = 2; ret == 0 && i < p->l.words; i++)
		ret = parse_wire(p, p->l.word[i], &step);
	return ret < 0 ? ret : add_step(p, &step);
}

/* "gap 500": PGRAPH has nothing to do. "busy 500": it draws all the time. */
static int parse_time(struct parser *p, enum kind kind, const char *names)
{
	struct step step = { .kind = kind, .wires = plain(names) };
	int ret;

	if (p->l.words != 2)
		return ntm_lines_fail(&p->l,
				      "'%s' is followed by a number of clocks and nothing else",
				      p->l.word[0]);
	ret = parse_range(p, p->l.word[1], 0, NTM_SCENE_NUMBER_MAX, &step.number);
	return ret < 0 ? ret : add_step(p, &step);
}

static int parse_gap(void *arg)
{
	return parse_time(arg, CLOCKS, "idle.0");
}

static int parse_busy(void *arg)
{
	return parse_time(arg, BUSY, "");
}

/* "draw 30 primitives" */
static int parse_draw(void *arg)
{
	struct parser *p = arg;
	static const struct {
		const char *name;
		enum kind kind;
	} things[] = {
		{ "vertices", VERTICES },
		{ "primitives", PRIMITIVES },
		{ "tiles", TILES },
		{ "pixels", PIXELS },
	};
	struct step step = { 0 };
	int ret;

	if (p->l.words != 3)
		return ntm_lines_fail(
			&p->l, "'draw' is followed by a number and a word, as in draw 30 tiles");
	ret = parse_range(p, p->l.word[1], 0, DRAW_MAX, &step.number);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		step.kind = things[i].kind;
		if (strcmp(p->l.word[2], things[i].name) == 0)
			return add_step(p, &step);
	}
	return ntm_lines_fail(
		&p->l, "'%.40s' cannot be drawn: write vertices, primitives, tiles or pixels",
		p->l.word[2]);
}

/* "frame" or "frame 3 times" */
static int parse_frame(void *arg)
{
	struct parser *p = arg;
	struct ntm_scene *s = p->scene;
	struct range times = { 1, 1 };
	struct part *more;
	int ret = 0;

	if (p->l.words == 3 && strcmp(p->l.word[2], "times") == 0)
		ret = parse_range(p, p->l.word[1], 1, TIMES_MAX, &times);
	else if (p->l.words != 1)
		return ntm_lines_fail(&p->l, "'frame' stands alone, or as in frame 3 times");
	if (ret < 0)
		return ret;
	if (times.low != times.high)
		return ntm_lines_fail(&p->l, "how often a frame comes is one number");
	if (s->round > TIMES_MAX - times.low)
		return ntm_lines_fail(&p->l, "more than %d frames", TIMES_MAX);
	more = reallocarray(s->frame, s->frames + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->frame = more;
	p->part = &more[s->frames++];
	*p->part = (struct part){ .times = (uint32_t)times.low };
	s->round += p->part->times;
	p->context = 0;
	return 0;
}

static int parse_between(void *arg)
{
	struct parser *p = arg;

	if (p->l.words != 1)
		return ntm_lines_fail(&p->l, "'between' stands alone");
	if (p->scene->between.times)
		return ntm_lines_fail(&p->l, "'between' is there already");
	p->part = &p->scene->between;
	p->part->times = 1;
	p->context = 0;
	return 0;
}

size_t ntm_scene_context(const struct ntm_scene *s, const char *name)
{
	size_t i = s->contexts;

	while (i && strcmp(s->context[i], name) != 0)
		i--;
	return i;
}

/* "context a": the steps below it run in it. */
static int parse_context(void *arg)
{
	struct parser *p = arg;
	struct ntm_scene *s = p->scene;
	const char *name = p->l.words == 2 ? p->l.word[1] : "";

	if (!p->part || !*name || strlen(name) >= sizeof(s->context[0]))
		return ntm_lines_fail(&p->l,
				      "'context' stands below 'frame' or 'between', with a name of "
				      "at most %zu characters",
				      sizeof(s->context[0]) - 1);
	p->context = ntm_scene_context(s, name);
	if (p->context)
		return 0;
	if (s->contexts == NTIME_MODEL_CONTEXTS_MAX)
		return ntm_lines_fail(&p->l, "more than %d contexts", NTIME_MODEL_CONTEXTS_MAX);
	p->context = ++s->contexts;
	memcpy(s->context[p->context], name, strlen(name));
	return 0;
}

static int parse_seed(void *arg)
{
	struct parser *p = arg;
	const char *at = p->l.words == 2 ? p->l.word[1] : "";

	if (p->part || p->scene->seed)
		return ntm_lines_fail(&p->l, "'seed' stands before the first frame, once");
	if (!ntm_number_take(&at, UINT64_MAX, &p->scene->seed) || *at || !p->scene->seed)
		return ntm_lines_fail(&p->l, "'seed' is followed by a number from 1");
	return 0;
}

static const struct ntm_lines_word words[] = {
	{ "seed", parse_seed },	    { "frame", parse_frame },	  { "between", parse_between },
	{ "clocks", parse_clocks }, { "gap", parse_gap },	  { "busy", parse_busy },
	{ "draw", parse_draw },	    { "context", parse_context },
};

int ntm_scene_parse(const char *file, const char *text, size_t bytes,
		    const struct nthw_nv_chip *chip, struct ntm_scene **out, char *why,
		    size_t why_bytes)
{
	struct parser p = { .l = { .file = file, .why = why, .why_bytes = why_bytes } };
	int ret;

	*out = NULL;
	p.scene = calloc(1, sizeof(*p.scene));
	if (!p.scene)
		return -ENOMEM;
	p.scene->chip = chip;
	for (unsigned int k = 0; k < NTM_NV50_KINDS; k++)
		ntm_scene_keep(p.scene, k, (1u << ntm_nv50_units_of(chip, k)) - 1);
	ret = ntm_lines_each(&p.l, text, bytes, words, sizeof(words) / sizeof(words[0]), &p);
	if (ret == 0 && !p.scene->frames) {
		p.l.line += !p.l.line;
		ret = ntm_lines_fail(&p.l, "there is no 'frame'");
	}
	if (ret < 0) {
		ntm_scene_free(p.scene);
		return ret;
	}
	*out = p.scene;
	return 0;
}

void ntm_scene_keep(struct ntm_scene *s, enum ntm_nv50_units kind, uint32_t mask)
{
	static const char *const of_mps[] = {
		"geom_mp0.0 geom_mp0.1 shader_mp0.0 shader_mp0.1",
		"geom_mp1.0 geom_mp1.1 shader_mp1.0 shader_mp1.1",
	};

	s->units[kind] = mask;
	for (s->first[kind] = 0; !(mask >> s->first[kind] & 1); s->first[kind]++)
		;
	if (kind != NTM_NV50_MPS)
		return;
	s->missing = wires("");
	for (size_t i = 0; i < sizeof(of_mps) / sizeof(of_mps[0]); i++)
		if (!(mask >> i & 1))
			s->missing = both(s->missing, wires(of_mps[i]));
}

void ntm_scene_free(struct ntm_scene *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->frames; i++)
		free(s->frame[i].step);
	free(s->frame);
	free(s->between.step);
	free(s);
}

const struct nthw_nv_chip *ntm_scene_chip(const struct ntm_scene *s)
{
	return s->chip;
}

uint32_t ntm_scene_mps(const struct ntm_scene *s)
{
	return nthw_nv_all_mps(s->chip, s->units[NTM_NV50_TPCS], s->units[NTM_NV50_MPS]);
}

/* ---- frames ---- */

struct player {
	uint64_t random;
	const struct ntm_scene *scene;
	void (*fn)(void *arg, const struct ntm_stretch *stretch);
	void *arg;
	const char *context;
};

/* splitmix64, of which the algorithm is in the public domain. */
static uint64_t next_random(struct player *p)
{
	uint64_t z = p->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint64_t choose(struct player *p, struct range range)
{
	return range.low +
	       (range.high > range.low ? next_random(p) % (range.high - range.low + 1) : 0);
}

static void play(struct player *p, struct ntm_stretch stretch)
{
	for (size_t i = 0; i < NTM_WIRE_UNITS; i++)
		stretch.wires.of[i] &= (uint8_t)~p->scene->missing.of[i];
	for (size_t i = 0; i < stretch.owns; i++) {
		struct ntm_own *own = &stretch.own[i];
		bool is_rop = kind_of(&nthw_nv_wires[own->row]) == NTHW_NV_ROP;

		own->bits &= (uint8_t)~p->scene->missing.of[own->row];
		own->is_first =
			own->unit == p->scene->first[is_rop ? NTM_NV50_ROPS : NTM_NV50_TPCS];
	}
	stretch.context = p->context;
	if (stretch.clocks)
		p->fn(p->arg, &stretch);
}

static void put(struct player *p, uint64_t clocks, struct ntm_wire_set set)
{
	play(p, (struct ntm_stretch){ .clocks = clocks, .wires = set });
}

/*
 * @left of something that comes in amounts of @most at a time: how many clocks of which amount are
 * next. It is all used up in the end.
 */
static uint64_t next_amount(struct player *p, uint64_t *left, uint64_t most, uint64_t *clocks)
{
	uint64_t amount = choose(p, (struct range){ 1, *left < most ? *left : most });

	*clocks = choose(p, (struct range){ 1, *left / amount < 8 ? *left / amount : 8 });
	*left -= amount * *clocks;
	return amount;
}

/* They come in, some with gaps between, and go out of the geometry stage. */
static void draw_vertices(struct player *p, uint64_t n)
{
	static const char *const mps[] = {
		"geom_mp0.0 geom_mp0.1",
		"geom_mp1.0 geom_mp1.1 shader_mp0.0",
		"geom_mp0.0 geom_mp1.0 shader_mp0.0 shader_mp0.1",
		"geom_mp1.0 geom_mp1.1 shader_mp1.0 shader_mp1.1",
		"geom_mp0.1 geom_mp1.1 shader_mp1.0",
	};
	uint64_t left = n, clocks, amount;

	put(p, choose(p, (struct range){ 1, 20 }), plain("vfetch_a.0 vfetch_a.1"));
	while (left) {
		amount = next_amount(p, &left, 7, &clocks);
		put(p, clocks, and_amount(plain("vfetch_b.0 vfetch_b.1"), "vfetch_vertex", amount));
		put(p, choose(p, (struct range){ 0, 3 }), plain("vfetch_wait.0"));
	}
	put(p, n, plain("vattr.1"));
	for (size_t i = 0; i < sizeof(mps) / sizeof(mps[0]); i++)
		put(p, choose(p, (struct range){ 0, n }), plain(mps[i]));
}

/* Points, lines and triangles; some come while setup cannot take them, some are dropped. */
static void draw_primitives(struct player *p, uint64_t n)
{
	static const char *const done[] = { "trast.0 trast.1 trast.6 trast.7",
					    "trast.0 trast.2 trast.6 trast.7",
					    "trast.0 trast.3 trast.6 trast.7" };
	static const char *const early[] = { "trast.1 trast.6", "trast.2 trast.6",
					     "trast.3 trast.6" };
	static const char *const late[] = { "trast.1 trast.7", "trast.2 trast.7",
					    "trast.3 trast.7" };
	uint64_t left = n, clocks, kind;

	put(p, n, plain("vfetch_prim.0"));
	put(p, n, plain("vattr.0"));
	put(p, choose(p, (struct range){ 0, 40 }), plain("strmout.0 strmout.1"));
	put(p, choose(p, (struct range){ 0, 20 }), plain("strmout.1"));
	while (left) {
		kind = choose(p, (struct range){ 0, 2 });
		clocks = choose(p, (struct range){ 1, left });
		put(p, clocks, plain(done[kind]));
		put(p, choose(p, (struct range){ 0, 9 }), plain(early[kind]));
		put(p, choose(p, (struct range){ 0, 9 }), plain(late[kind]));
		left -= clocks;
	}
	put(p, choose(p, (struct range){ 0, n }), plain("culled.0"));
}

/* They come in, and some are dropped at the same time. */
static void draw_tiles(struct player *p, uint64_t n)
{
	uint64_t left = n, clocks, amount, killed;

	while (left) {
		amount = next_amount(p, &left, 63, &clocks);
		killed = choose(p, (struct range){ 0, amount });
		put(p, clocks,
		    and_amount(and_amount(plain(""), "zcull_in", amount), "zcull_killed", killed));
		put(p, choose(p, (struct range){ 0, 5 }), plain(""));
	}
}

/* Bits of an amount on a multiplexer's wires, with its strobes. */
static struct ntm_wire_set and_samples(struct player *p, struct ntm_wire_set set, const char *name,
				       uint64_t amount)
{
	return and_amount(set, name, amount | choose(p, (struct range){ 0, 3 }) << 6);
}

/* A texture is looked up, or waited for; level 15 is no sample. */
static struct ntm_wire_set and_texture(struct player *p, struct ntm_wire_set set)
{
	static const char *const shader[] = {
		"shader_tex.0 shader_tex.1 shader_rop.0",
		"shader_tex.2 tex_shader.0",
		"shader_tex.2 shader_tex.3 shader_rop.0 shader_rop.1",
		"tex_shader.0 tex_shader.1 shader_tex.0",
	};
	uint64_t level = choose(p, (struct range){ 0, 3 });

	set = both(set, wires(shader[choose(p, (struct range){ 0, 3 })]));
	set = and_amount(set, "tex_cache", UINT64_C(1) << choose(p, (struct range){ 0, 2 }));
	return and_amount(set, "tex_level", level == 3 ? 15 : level);
}

/* In three parts, which is where they are counted. */
static void shade(struct player *p, uint64_t n)
{
	static const char *const units[] = { "prop_shaded_a", "prop_shaded_b", "prop_shaded_c" };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t part = i < 2 ? choose(p, (struct range){ 0, n }) : n;

		put(p, choose(p, (struct range){ 0, 2 }), and_amount(plain(""), units[i], 2));
		put(p, part != 0, and_samples(p, plain(""), units[i], part));
		n -= part;
	}
}

/*
 * They come out of the rasterizer, and the ROP works on them: some of their samples are dropped
 * before, some behind.
 */
static void draw_pixels(struct player *p, uint64_t n)
{
	static const char *const busy[] = {
		"prop_rop.2 prop_rop.3 crop_wait.2",
		"prop_rop.4 prop_rop.5 zrop_wait.2 zrop_wait.3",
		"prop_rop.6 crop_wait.3 zrop_wait.3 zrop_wait.2",
		"prop_rop.6 prop_rop.7 zrop_wait.3",
	};
	uint64_t left = n, clocks, amount, early, late;

	while (left) {
		struct ntm_wire_set set = plain(busy[choose(p, (struct range){ 0, 3 })]);

		amount = next_amount(p, &left, 63, &clocks);
		early = choose(p, (struct range){ 0, amount });
		late = choose(p, (struct range){ 0, amount - early });
		set = and_amount(set, "prop_out", 1 << 6 | 1 << 7 | amount);
		set = and_samples(p, set, "prop_samples", amount - early);
		set = and_samples(p, set, "prop_earlyz", early);
		put(p, clocks, and_samples(p, set, "prop_latez", late));
		shade(p, amount - early);
		set = wires(busy[choose(p, (struct range){ 0, 3 })]);
		put(p, choose(p, (struct range){ 0, 5 }), and_texture(p, set));
	}
}

struct ntm_stretch ntm_scene_busy(uint64_t clocks)
{
	struct ntm_wire_set all = plain("vfetch_prim.0 vattr.0 vattr.1 trast.0");

	all = and_amount(all, "zcull_in", 63);
	all = and_amount(all, "zcull_killed", 21);
	return (struct ntm_stretch){ .clocks = clocks,
				     .context = "",
				     .wires = and_amount(all, "vfetch_vertex", 7) };
}

static void play_clocks(struct player *p, const struct step *step, uint64_t clocks)
{
	struct ntm_stretch stretch = { .clocks = clocks,
				       .wires = step->wires,
				       .signal = step->signal,
				       .owns = step->owns,
				       .mp = step->mp };

	memcpy(stretch.own, step->own, sizeof(step->own));
	for (size_t i = 0; i < step->amounts; i++) {
		const struct amount *amount = &step->amount[i];
		uint64_t bits = choose(p, amount->value);

		if (amount->of)
			stretch.own[stretch.owns++] = own_of(amount->unit, amount->of, bits);
		else
			stretch.wires.of[index_of(amount->unit)] |= (uint8_t)bits;
	}
	play(p, stretch);
}

static void play_step(struct player *p, const struct step *step)
{
	uint64_t n = choose(p, step->number);

	p->context = p->scene->context[step->context];
	switch (step->kind) {
	case CLOCKS:
		play_clocks(p, step, n);
		break;
	case VERTICES:
		draw_vertices(p, n);
		break;
	case PRIMITIVES:
		draw_primitives(p, n);
		break;
	case TILES:
		draw_tiles(p, n);
		break;
	case PIXELS:
		draw_pixels(p, n);
		break;
	case BUSY:
		play(p, ntm_scene_busy(n));
		break;
	}
}

static const struct part *frame_of(const struct ntm_scene *s, uint32_t number)
{
	uint32_t at = (number - 1) % s->round;
	size_t i;

	for (i = 0; at >= s->frame[i].times; i++)
		at -= s->frame[i].times;
	return &s->frame[i];
}

void ntm_scene_frame(const struct ntm_scene *s, uint32_t number,
		     void (*fn)(void *arg, const struct ntm_stretch *stretch), void *arg)
{
	struct player p = { .random = (s->seed ? s->seed : 1) * 0xd1342543de82ef95u + number,
			    .scene = s,
			    .fn = fn,
			    .arg = arg };
	const struct part *frame = frame_of(s, number);

	for (size_t i = 0; i < frame->steps; i++)
		play_step(&p, &frame->step[i]);
	for (size_t i = 0; i < s->between.steps; i++)
		play_step(&p, &s->between.step[i]);
}

/*
 * CUPTI's sample that adds vectors, on a GT218: 50000 elements in 196 blocks of 256 threads. Counts
 * of its first MP (the second one's blocks are what is left of 196) and of its TPC, as NVIDIA's
 * driver read them (re-pcounter-tools, traces; trust: measured). In which clocks they come is made
 * up.
 */
static const char vectoradd[] = "frame\n"
				"clocks 97 cta.0 mp0.sm_cta_launched\n"
				"clocks 99 cta.0 mp1.sm_cta_launched\n"
				"clocks 784 mp.branch\n"
				"clocks 10120 mp.instructions\n"
				"clocks 3125 gld.1 gld.3 coherence.1 gst.1 gst.3 coherence.3\n"
				"clocks 3125 gld.1 gld.3 coherence.1 coherence.3\n"
				"clocks 6250 coherence.3\n";

const char *ntm_scene_work(const char *name)
{
	return strcmp(name, "vectoradd") == 0 ? vectoradd : NULL;
}

/* In the manner of a program that draws. */
const char ntm_scene_default[] = "frame\n"
				 "gap 100-2000\n"
				 "clocks 1-20 vfetch_a.1 vfetch_b.0\n"
				 "clocks 1-50 vfetch_b.0 vfetch_b.1 vfetch_wait.0\n"
				 "draw 10-200 vertices\n"
				 "draw 1-60 primitives\n"
				 "draw 20-500 tiles\n"
				 "draw 20-900 pixels\n"
				 "clocks 1-20 strmout.0\n"
				 "clocks 1-90 strmout.0 strmout.1\n"
				 "clocks 1-60 culled.0 trast.0\n"
				 "draw 10-200 vertices\n"
				 "draw 1-60 primitives\n"
				 "draw 20-500 tiles\n"
				 "clocks 0-300\n";
