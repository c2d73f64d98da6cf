// SPDX-License-Identifier: MIT
/*
 * core/models/nv50_card against Linux's driver nouveau, whose text is compiled without a change:
 * what it does with a card's registers, and what it counts there.
 */
#include <errno.h>

#include "core/seq/nv50_pm.h"
#include "count/lib/event/box_events.h"
#include "lab/card/truth.h"
#include "lab/tests/ports/nouveau/judge.h"
#include "lab/tests/ports/tesla_events.h"
#include "base/tests/tt.h"

#define DOMAIN 1
#define COUNTER(domain, slot) (NTHW_NV50_SLOTS * (domain) + (slot))
#define CTR_CYCLES (0xa600u + 4 * DOMAIN)

/* ---- a card that writes down what is done with it ---- */

struct card {
	struct nthw_io io; /* for our sequence */
	struct ntm_nv50_card model;
	uint32_t *bar;
	size_t used;
	char log[2048];
};

__attribute__((format(printf, 2, 3))) static void note(struct card *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	c->used += (size_t)vsnprintf(c->log + c->used, sizeof(c->log) - c->used, format, args);
	va_end(args);
	assert_true(c->used < sizeof(c->log));
}

static uint32_t read_model(struct card *c, uint32_t address)
{
	uint32_t value = 0;

	assert_int_equal(ntm_nv50_card_peek(&c->model, address, &value), 0);
	ntm_scene_pass(&c->model);
	return value;
}

static void write_model(struct card *c, uint32_t address, uint32_t value)
{
	assert_int_equal(ntm_nv50_card_poke(&c->model, address, value), 0);
	ntm_scene_pass(&c->model);
}

static uint32_t card_read(void *card, uint32_t address)
{
	struct card *c = card;
	uint32_t value = read_model(c, address);

	note(c, "R %x %x\n", address, value);
	return value;
}

static void card_write(void *card, uint32_t address, uint32_t value)
{
	struct card *c = card;

	write_model(c, address, value);
	note(c, "W %x %x\n", address, value);
}

static int io_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		   uint64_t *value)
{
	assert_true(space == NTHW_SPACE_MMIO && unit == 0);
	*value = read_model((struct card *)io, address);
	return 0;
}

static int io_write(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		    uint64_t value)
{
	assert_true(space == NTHW_SPACE_MMIO && unit == 0);
	write_model((struct card *)io, address, (uint32_t)value);
	return 0;
}

static void insert(struct card *c, const char *chip)
{
	memset(c, 0, sizeof(*c));
	c->io = (struct nthw_io){ io_read, io_write };
	c->bar = calloc(1, NTM_NV50_BAR_BYTES);
	assert_non_null(c->bar);
	assert_true(ntm_nv50_card_init(&c->model, nthw_nv_chip_by_name(chip), c->bar));
}

static void eject(struct card *c)
{
	free(c->bar);
}

static struct judge *judge_of(struct card *c)
{
	const struct judge_io io = { c, card_read, card_write };
	struct judge *j;

	TT_IS(judge_new(c->bar[0], &io, &j), 0);
	return j;
}

static void went(struct card *c, const char *expected)
{
	TT_TEXT(c->log, expected);
	c->used = 0;
	c->log[0] = '\0';
}

/* ---- accesses ---- */

/* PRE counts idle clocks, START both vertices and primitives, EVENT a wire of VFETCH, STOP all. */
static const struct judge_slot four[JUDGE_SLOTS] = {
	{ { 0xbd }, 0xaaaa },
	{ { 0x5c, 0x5d }, 0x8888 },
	{ { 0x6e }, 0xaaaa, "vfetch", 1 },
	{ { 0xec }, 0x5555 },
};

/* As nouveau's own module did them on an emulated card, in a kernel; typed in. */
TEST(accesses_in_order)
{
	uint32_t count[JUDGE_SLOTS], clocks;
	struct card c;
	struct judge *j;

	insert(&c, "G96");
	j = judge_of(&c);
	went(&c, "");
	TT_IS(judge_program(j, DOMAIN, four, 0), 0);
	went(&c, "W a7c4 1\nW a404 bd\nW a424 aaaa\n"
		 "W a7c4 1\nW a444 5d5c\nW a464 8888\n"
		 "W a7c4 1\nW a484 6e\nW a4a4 aaaa\nR 400c0c 0\nW 400c0c 1\n"
		 "W a7c4 1\nW a4c4 ec\nW a4e4 5555\n");
	TT_IS(judge_sample(j, DOMAIN), 0);
	went(&c, "W 400084 20\n");
	ntm_nv50_card_advance(&c.model, &(struct ntm_nv50_wires){ { { 0 } } }, 984);
	TT_IS(judge_sample(j, DOMAIN), 0);
	went(&c, "W 400084 20\n");
	TT_IS(judge_read(j, DOMAIN, count, &clocks), 0);
	went(&c, "R a704 0\nR a604 3e8\nR a6c4 0\nR a604 3e8\nR a684 0\nR a604 3e8\n"
		 "R a744 3e8\nR a604 3e8\n");
	TT_IS(clocks, 1000);
	TT_IS(count[3], 1000);
	TT_IS(judge_delete(j, DOMAIN), 0);
	went(&c, "R 400c0c 1\nW 400c0c 0\n");
	judge_free(j);
	went(&c, "");
	eject(&c);
}

static const struct refusal {
	int line;
	uint32_t domain;
	struct judge_slot slot;
	int ret;
} refusals[] = {
	{ __LINE__, 1, { { 0x5e, 0xbc }, 0x8888 }, -EINVAL },	     /* no name */
	{ __LINE__, 1, { { 0xf0 }, 0xaaaa }, -EINVAL },		     /* none at all */
	{ __LINE__, 3, { { 1 }, 0xaaaa }, -EINVAL },		     /* a domain without names */
	{ __LINE__, 8, { { 1 }, 0xaaaa }, -EINVAL },		     /* no domain */
	{ __LINE__, 1, { { 0x5c }, 0xaaaa, "vfetch", 1 }, -ENOENT }, /* of no multiplexer */
	{ __LINE__, 1, { { 0x6e }, 0xaaaa, "zcull", 1 }, -ENOENT },  /* of another one */
};

/* What nouveau refuses, and what its client does in its place, touches no register. */
TEST(refusals_without_accesses)
{
	struct card c;
	struct judge *j;

	insert(&c, "G96");
	j = judge_of(&c);
	TT_IS(judge_is_exclusive(j), -EBUSY);
	TT_FOR_EACH_ROW(r, refusals) {
		const struct judge_slot slot[JUDGE_SLOTS] = { [2] = r->slot };

		TT_EQ(r, judge_program(j, r->domain, slot, 0), r->ret);
	}
	went(&c, "");
	TT_IS(judge_program(j, DOMAIN, four, 0), 0);
	TT_IS(judge_program(j, DOMAIN, four, 0), -EEXIST);
	judge_free(j);
	eject(&c);
}

/* nouveau has a table for each chip that the model has, and for none that it has not. */
TEST(chips)
{
	for (size_t i = 0; i < nthw_nv_chip_count; i++) {
		const struct nthw_nv_chip *chip = &nthw_nv_chips[i];
		const struct judge_io io = { NULL, card_read, card_write };
		struct judge *j;

		TT_IS(judge_new((uint32_t)chip->id << 20 | 0xa1, &io, &j),
		      chip->last[0] ? 0 : -ENOENT);
		judge_free(j);
	}
}

/* ---- counts ---- */

#define FRAMES 8

/* What a period had, as the card shows it. */
struct counts {
	uint32_t of[JUDGE_SLOTS], clocks;
};

/* What one of the two is to count: nouveau's slots, or our events, in the same slots. */
struct task {
	const char *chip;
	uint32_t domain;
	struct judge_slot slot[JUDGE_SLOTS];
	uint32_t mode;
	struct nthw_nv50_event event[JUDGE_SLOTS];
	uint32_t slots; /* of .event: a bit each */
};

static struct ntm_scene *scene_of(const char *chip)
{
	const struct nthw_nv_chip *of = nthw_nv_chip_by_name(chip);
	struct ntm_scene *scene;
	char why[256];

	TT_IS(ntm_scene_parse("default", ntm_scene_default, strlen(ntm_scene_default), of, &scene,
			      why, sizeof(why)),
	      0);
	return scene;
}

static void draw_stretch(void *arg, const struct ntm_stretch *stretch)
{
	struct card *c = arg;
	struct ntm_nv50_wires wires;

	ntm_wires_of(stretch, &c->model, &wires);
	ntm_nv50_card_advance(&c->model, &wires, stretch->clocks);
}

/* The card draws. Multiplexers have been set: they select what of it is seen. */
static void play(struct card *c, const struct ntm_scene *scene, uint32_t frames)
{
	for (uint32_t frame = 1; frame <= frames; frame++)
		ntm_scene_frame(scene, frame, draw_stretch, c);
}

/* Returns what nouveau says to the programming; with 0 the counts are there. */
static int count_with_nouveau(const struct task *t, const struct ntm_scene *scene, uint32_t frames,
			      struct counts *out)
{
	struct card c;
	struct judge *j;
	int ret;

	insert(&c, t->chip);
	j = judge_of(&c);
	ret = judge_program(j, t->domain, t->slot, t->mode);
	if (!ret) {
		TT_IS(judge_sample(j, t->domain), 0);
		play(&c, scene, frames);
		TT_IS(judge_sample(j, t->domain), 0);
		TT_IS(judge_read(j, t->domain, out->of, &out->clocks), 0);
		TT_IS(judge_delete(j, t->domain), 0);
	}
	judge_free(j);
	eject(&c);
	return ret;
}

/* A sum, which is EVENT's, needs START, and so comes before the others. */
static const uint32_t our_order[] = { NTHW_NV50_EVENT, NTHW_NV50_PRE, NTHW_NV50_START,
				      NTHW_NV50_STOP };

static struct counts count_with_ours(const struct task *t, const struct ntm_scene *scene,
				     uint32_t frames)
{
	struct card c;
	struct nthw_nv50_pm pm = { nthw_nv_chip_by_name(t->chip), &c.io, 0 };
	struct nthw_nv50_state st = { 0 };
	struct nthw_nv50_period period;
	struct counts out = { 0 };

	insert(&c, t->chip);
	TT_IS(nthw_nv50_identify(&pm), 0);
	for (size_t i = 0; i < NTHW_ARRAY_SIZE(our_order); i++) {
		uint32_t slot = our_order[i];

		if (t->slots >> slot & 1)
			TT_IS(nthw_nv50_program(&pm, COUNTER(t->domain, slot), &t->event[slot],
						&st),
			      0);
	}
	TT_IS(nthw_nv50_begin(&pm, &st), 0);
	play(&c, scene, frames);
	TT_IS(nthw_nv50_end(&pm, &st, &period), 0);
	TT_IS(period.unsure, 0);
	for (size_t slot = 0; slot < JUDGE_SLOTS; slot++)
		out.of[slot] = period.count[COUNTER(t->domain, slot)];
	out.clocks = read_model(&c, CTR_CYCLES + 4 * (t->domain - DOMAIN));
	TT_IS(nthw_nv50_restore(&pm, &st), 0);
	eject(&c);
	return out;
}

/* ---- documented events ---- */

/* TT_EQ() of a row that stands in another file, on one of its chips. */
static void row_is(const struct tesla_event *r, const char *chip, const char *what, uint64_t got,
		   uint64_t want)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "%s of %s", what, chip);
	tt_eq_((long long)got, (long long)want, text, "lab/tests/ports/tesla_events.c", r->line);
}

/* Of a term in a list: "amount=0x12"; 0: it has none. */
static uint32_t term_of(const char *terms, const char *name)
{
	const char *at = strstr(terms, name), *end = strchr(terms, ' ');

	return at && (!end || at < end) ? (uint32_t)strtoul(at + strlen(name), NULL, 0) : 0;
}

/* Our definition, and of one that is a sum its function @pass. */
static void set_ours(struct task *t, const char *name, size_t pass)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(t->chip);
	const struct nti_box_event *event =
		nti_box_event_find(&nti_gpu_families[chip->family], name);
	const char *terms;

	assert_non_null(event);
	terms = pass ? event->more : event->terms;
	for (size_t i = 1; i < pass; i++)
		terms = strchr(terms, ' ') + 1;
	TT_IS(nthw_nv50_encode(
		      chip, event->config, term_of(terms, ",amount="),
		      (term_of(terms, ",mux=") | term_of(terms, ",sel=") << 5) |
			      (uint64_t)(term_of(terms, ",mux2=") | term_of(terms, ",sel2=") << 5)
				      << 32,
		      &t->event[NTHW_NV50_EVENT]),
	      0);
	t->slots = 1u << NTHW_NV50_EVENT;
}

static void set_signals(struct judge_slot *slot, uint32_t src, uint32_t function)
{
	for (size_t i = 0; i < JUDGE_SLOTS; i++)
		slot->signal[i] = (uint8_t)(src >> 8 * i);
	slot->function = (uint16_t)function;
}

/* The wires that the multiplexer leads are the amount's where there is one. */
static void set_nouveaus(struct task *t, const struct tesla_event *r, size_t pass)
{
	struct judge_slot *muxed = &t->slot[r->mode ? NTHW_NV50_START : NTHW_NV50_EVENT];

	t->mode = r->mode;
	set_signals(&t->slot[NTHW_NV50_EVENT], r->src, r->op);
	if (r->mode)
		set_signals(&t->slot[NTHW_NV50_START], r->start, 0xffff);
	muxed->source = r->mux;
	muxed->value = pass ? r->more[pass - 1] : r->value;
	muxed->source2 = r->mux2;
	muxed->value2 = r->value2;
}

/* The same frames on two cards: programmed as the tables say and as our definitions say. */
static int compare_event(const struct tesla_event *r, const char *chip)
{
	struct ntm_scene *scene = scene_of(chip);
	uint64_t truth, nouveaus = 0, our = 0;
	char why[256];
	int ret = 0;

	for (size_t pass = 0; pass < 3 && (!pass || r->more[pass - 1]); pass++) {
		struct task t = { .chip = chip, .domain = r->domain ? r->domain : DOMAIN };
		struct counts nouveau = { 0 };

		set_nouveaus(&t, r, pass);
		set_ours(&t, r->name, pass);
		ret = count_with_nouveau(&t, scene, FRAMES, &nouveau);
		nouveaus += nouveau.of[NTHW_NV50_EVENT];
		our += count_with_ours(&t, scene, FRAMES).of[NTHW_NV50_EVENT];
	}
	TT_IS(ntm_truth(r->name, scene, "", 1, FRAMES, 0, &truth, why, sizeof(why)), 0);
	assert_true(truth > 0);
	if (!ret)
		row_is(r, chip, "nouveau's", nouveaus, truth);
	row_is(r, chip, "ours", our, truth);
	ntm_scene_free(scene);
	return ret;
}

TEST(documented_events)
{
	size_t rows = 0, compared = 0, borrowed = 0;

	for (size_t i = 0; i < tesla_event_count * TESLA_CHIPS; i++) {
		const struct tesla_event *r = &tesla_events[i / TESLA_CHIPS];
		const char *chip = tesla_chips[i % TESLA_CHIPS];
		int ret;

		if (!tesla_event_is_of(r, chip))
			continue;
		ret = compare_event(r, chip);
		if (ret)
			print_message("# %s %s: nouveau cannot express it: %s\n", chip, r->name,
				      strerror(-ret));
		rows++;
		compared += !ret;
		borrowed += r->start_of != NULL;
	}
	print_message("# %zu rows compared, %zu of them with what another chip's table has\n",
		      compared, borrowed);
	TT_IS(rows, 352); /* 16 events of domain 1 and 16 of domain 2, of 11 chips */
	/* not: texture_waits_for_fb from G84 on, and 8 rows with a signal that no chip has */
	TT_IS(compared, 334);
}

/* ---- any function ---- */

#define TASKS 400
#define TASK_FRAMES 2
#define AMOUNT_BITS 6

/* What the multiplexers of a task's units select. */
struct selection {
	uint32_t of[NTHW_NV_MUXES];
};

static const char *const mux_names[NTHW_NV_MUXES] = { NULL, "vfetch", "zcull" };

/* Its wires, in the order of the signals' bytes: what the truth is worked out from. */
struct question {
	struct ntm_wire wire[NTHW_NV50_SLOTS][JUDGE_SLOTS];
	struct ntm_wire amount[AMOUNT_BITS]; /* .unit NULL: it has no such bit */
};

static uint32_t below(uint64_t *random, uint32_t n)
{
	return (uint32_t)(tt_random(random) >> 32) % n;
}

/* Does the unit of these wires have the multiplexer, if any, with the value that is selected? */
static bool is_eligible(const struct nthw_nv_wires *unit, uint32_t mux, const struct selection *s)
{
	return unit->domain == DOMAIN &&
	       (unit->mux == NTHW_NV_NO_MUX || (unit->mux == mux && unit->select == s->of[mux]));
}

static const struct nthw_nv_wires *draw_unit(uint64_t *random, uint32_t mux,
					     const struct selection *s)
{
	const struct nthw_nv_wires *unit;

	do
		unit = &nthw_nv_wires[below(random, (uint32_t)nthw_nv_wires_count)];
	while (!is_eligible(unit, mux, s));
	return unit;
}

/*
 * A wire that nouveau has a name for: of trast it has six of eight. Its signal is returned, what it
 * is goes to @out, its multiplexer to @event.
 */
static uint8_t draw_wire(uint64_t *random, const struct task *t, uint32_t mux,
			 const struct selection *s, struct ntm_wire *out,
			 struct nthw_nv50_event *event)
{
	uint32_t family = nthw_nv_chip_by_name(t->chip)->family;
	const struct nthw_nv_wires *unit;
	uint32_t wire;

	do {
		unit = draw_unit(random, mux, s);
		wire = below(random, unit->count);
	} while (strcmp(unit->name, "trast") == 0 && (wire == 4 || wire == 5));
	*out = (struct ntm_wire){ unit, unit->domain, wire };
	if (unit->mux) {
		event->mux[0] = unit->mux;
		event->select[0] = unit->select;
	}
	return (uint8_t)(unit->first[family] + wire);
}

/* A function of four wires for one slot; those of one multiplexer at most are among them. */
static void draw_function(uint64_t *random, struct task *t, const struct selection *s,
			  uint32_t slot, struct question *q)
{
	uint32_t mux = below(random, NTHW_NV_MUXES);
	struct nthw_nv50_event *event = &t->event[slot];

	*event = (struct nthw_nv50_event){ .domain = DOMAIN };
	for (size_t i = 0; i < JUDGE_SLOTS; i++)
		event->src |= (uint32_t)draw_wire(random, t, mux, s, &q->wire[slot][i], event)
			      << 8 * i;
	event->function = (uint32_t)(tt_random(random) >> 48);
	set_signals(&t->slot[slot], event->src, event->function);
	t->slot[slot].source = mux_names[event->mux[0]];
	t->slot[slot].value = event->select[0];
	t->slots |= 1u << slot;
}

/* EVENT, which is drawn, adds an amount: START's wires, and two of EVENT's own where it has six. */
static void draw_amount(uint64_t *random, struct task *t, const struct selection *s,
			struct question *q)
{
	struct nthw_nv50_event *event = &t->event[NTHW_NV50_EVENT];
	struct judge_slot *start = &t->slot[NTHW_NV50_START];

	t->mode = event->mode = 1 + below(random, 2);
	for (size_t i = 0; i < JUDGE_SLOTS; i++)
		event->amount |=
			(uint32_t)draw_wire(random, t, event->mux[0], s, &q->amount[i], event)
			<< 8 * i;
	if (t->mode == 2) {
		q->amount[4] = q->wire[NTHW_NV50_EVENT][2];
		q->amount[5] = q->wire[NTHW_NV50_EVENT][3];
	}
	*start = (struct judge_slot){ .source = NULL };
	set_signals(start, event->amount, 0xffff);
	t->slots &= ~(1u << NTHW_NV50_START);
}

/* One of two is of simple functions alone. */
static void draw_task(uint64_t *random, struct task *t, struct question *q)
{
	const struct selection s = { { 0, below(random, 2), 7 * below(random, 2) } };
	bool is_sum = below(random, 2);

	*t = (struct task){ .domain = DOMAIN, .chip = tesla_chips[below(random, TESLA_CHIPS)] };
	*q = (struct question){ 0 };
	for (uint32_t slot = 0; slot < JUDGE_SLOTS; slot++)
		draw_function(random, t, &s, slot, q);
	if (is_sum)
		draw_amount(random, t, &s, q);
}

static uint32_t bits_of(const struct ntm_stretch *stretch, const struct task *t,
			const struct ntm_wire *wire, size_t n)
{
	const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(t->chip);
	uint32_t value = 0;

	for (size_t i = 0; i < n; i++)
		if (wire[i].unit)
			value |= (uint32_t)ntm_wire_is_high(&wire[i], chip, stretch) << i;
	return value;
}

/* What counter @slot adds in a clock of @stretch. */
static uint32_t step_of(const struct task *t, const struct question *q, uint32_t slot,
			const struct ntm_stretch *stretch)
{
	uint32_t arguments = bits_of(stretch, t, q->wire[slot], JUDGE_SLOTS);

	if (!(t->event[slot].function >> arguments & 1))
		return 0;
	return t->event[slot].mode ? bits_of(stretch, t, q->amount, AMOUNT_BITS) : 1;
}

struct tally {
	const struct task *t;
	const struct question *q;
	uint32_t slot;
	uint64_t sum, clocks;
};

static void add_stretch(void *arg, const struct ntm_stretch *stretch)
{
	struct tally *y = arg;

	y->sum += stretch->clocks * step_of(y->t, y->q, y->slot, stretch);
	y->clocks += stretch->clocks;
}

/* In a period of @clocks clocks; in those that frames do not have, every wire is 0. */
static uint64_t truth_of(const struct task *t, const struct question *q,
			 const struct ntm_scene *scene, uint32_t slot, uint32_t clocks)
{
	const struct ntm_stretch idle = { .clocks = 1 };
	struct tally y = { .t = t, .q = q, .slot = slot };

	for (uint32_t frame = 1; frame <= TASK_FRAMES; frame++)
		ntm_scene_frame(scene, frame, add_stretch, &y);
	assert_true(y.clocks <= clocks);
	return y.sum + (clocks - y.clocks) * step_of(t, q, slot, &idle);
}

static bool is_right(const char *who, const struct task *t, uint32_t slot, uint32_t got,
		     uint64_t want)
{
	if (got == want)
		return true;
	print_error("%s on %s, slot %u, mode %u, signals %#x, function %#x: %u, not %llu\n", who,
		    t->chip, slot, t->mode, t->event[slot].src, t->event[slot].function, got,
		    (unsigned long long)want);
	return false;
}

/* START of a sum counts nothing of ours; nouveau has it count clocks. */
static bool compare_task(const struct task *t, const struct question *q)
{
	struct ntm_scene *scene = scene_of(t->chip);
	struct counts nouveau, ours;
	bool is_same = true;

	TT_IS(count_with_nouveau(t, scene, TASK_FRAMES, &nouveau), 0);
	ours = count_with_ours(t, scene, TASK_FRAMES);
	for (uint32_t slot = 0; slot < JUDGE_SLOTS; slot++) {
		if (!(t->slots >> slot & 1)) {
			is_same &= is_right("nouveau", t, slot, nouveau.of[slot], nouveau.clocks);
			continue;
		}
		is_same &= is_right("nouveau", t, slot, nouveau.of[slot],
				    truth_of(t, q, scene, slot, nouveau.clocks));
		is_same &= is_right("ntime", t, slot, ours.of[slot],
				    truth_of(t, q, scene, slot, ours.clocks));
	}
	ntm_scene_free(scene);
	return is_same;
}

TEST(functions_at_random)
{
	uint64_t random = tt_seed();
	struct task task;
	struct question question;

	for (int i = 0; i < (int)tt_rounds(TASKS, TASKS / 8); i++) {
		draw_task(&random, &task, &question);
		assert_true(compare_task(&task, &question));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accesses_in_order),
		cmocka_unit_test(refusals_without_accesses),
		cmocka_unit_test(chips),
		cmocka_unit_test(documented_events),
		cmocka_unit_test(functions_at_random),
	};

	return TT_RUN(tests);
}
