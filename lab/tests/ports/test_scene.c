// SPDX-License-Identifier: MIT
/*
 * Scenes of a card that is a model: what is refused, what words expand to, and truth, which knows
 * no counter, against the model stepping clock by clock.
 */
#include <errno.h>
#include <inttypes.h>

#include "lab/card/lines.h"
#include "lab/card/truth.h"
#include "base/tests/tt.h"

#define SRC(slot) (0xa400u + 0x40 * (slot))
#define OP(slot) (0xa420u + 0x40 * (slot))
#define CTRL 0xa7c0u
#define CYCLES 0xa600u
#define SLOTS 4
#define EVENT_SLOT 2

/* In the order of the inputs. */
static const uint32_t counters[SLOTS] = { 0xa700, 0xa6c0, 0xa680, 0xa740 };

static struct ntm_scene *parse(const char *text, const char *chip)
{
	struct ntm_scene *scene;
	char why[512] = "";

	if (ntm_scene_parse("s", text, strlen(text), nthw_nv_chip_by_name(chip), &scene, why,
			    sizeof(why)) < 0)
		print_error("%s\n%s\n", why, text);
	assert_non_null(scene);
	return scene;
}

static uint64_t truth(const struct ntm_scene *scene, const char *text, uint32_t frames,
		      uint64_t busy)
{
	char why[1024] = "";
	uint64_t clocks;

	if (ntm_truth(text, scene, "", 1, frames, busy, &clocks, why, sizeof(why)) < 0)
		fail_msg("%s", why);
	return clocks;
}

static const struct bad_row {
	int line;
	const char *text, *why;
} bad_rows[] = {
	{ __LINE__, "", "s:1: there is no 'frame'" },
	{ __LINE__, "seed 3\n\n", "s:2: there is no 'frame'" },
	{ __LINE__, "fly", "s:1: there is no word 'fly'; there are seed, frame, between, " },
	{ __LINE__, "gap 5", "s:1: a step stands below 'frame' or 'between'" },
	{ __LINE__, "frame\nseed 3", "s:2: 'seed' stands before the first frame, once" },
	{ __LINE__, "seed 3\nseed 3", "s:2: 'seed' stands before the first frame, once" },
	{ __LINE__, "seed 0", "s:1: 'seed' is followed by a number from 1" },
	{ __LINE__, "seed x", "s:1: 'seed' is followed by a number" },
	{ __LINE__, "seed", "s:1: 'seed' is followed by a number" },
	{ __LINE__, "frame 3", "s:1: 'frame' stands alone, or as in frame 3 times" },
	{ __LINE__, "frame 0 times", "s:1: '0' is neither a number from 1 to 10000" },
	{ __LINE__, "frame 2-3 times", "s:1: how often a frame comes is one number" },
	{ __LINE__, "frame 9999 times\nframe 2 times", "s:2: more than 10000 frames" },
	{ __LINE__, "between now", "s:1: 'between' stands alone" },
	{ __LINE__, "between\nframe\nbetween", "s:3: 'between' is there already" },
	{ __LINE__, "frame\n# x\n gap", "s:3: 'gap' is followed by a number of clocks" },
	{ __LINE__, "frame\ngap 5 trast.1", "s:2: 'gap' is followed by a number of clocks" },
	{ __LINE__, "frame\nbusy -1", "s:2: '-1' is neither a number from 0 to " },
	{ __LINE__, "frame\nclocks", "s:2: 'clocks' needs a number of them" },
	{ __LINE__, "frame\nclocks 1000000000001", "s:2: '1000000000001' is neither a number" },
	{ __LINE__, "frame\nclocks 99999999999999999999", "is neither a number" },
	{ __LINE__, "frame\nclocks 9-5", "s:2: '9-5' is neither a number" },
	{ __LINE__, "frame\nclocks 5-", "s:2: '5-' is neither a number" },
	{ __LINE__, "frame\nclocks 5x", "s:2: '5x' is neither a number" },
	{ __LINE__, "frame\nclocks 5 foo.1", "s:2: 'foo.1': it is neither a wire of a unit" },
	{ __LINE__, "frame\nclocks 5 trast.8", "s:2: 'trast.8': it is neither a wire of a unit" },
	{ __LINE__, "frame\nclocks 5 trast.1x", "s:2: 'trast.1x': something follows the wire" },
	{ __LINE__, "frame\nclocks 5 d8.1", "s:2: 'd8.1': the chip has no such domain" },
	{ __LINE__, "frame\nclocks 5 d2.0x8c", "s:2: 'd2.0x8c': the domain has no such signal" },
	{ __LINE__, "frame\nclocks 5 d2.", "s:2: 'd2.': it is neither a wire of a unit" },
	{ __LINE__, "frame\nclocks 5 foo=1", "s:2: there is no unit 'foo' whose wires" },
	{ __LINE__, "frame\nclocks 5 zcull_in=64", "s:2: '64' is neither a number from 0 to 63" },
	{ __LINE__, "frame\nclocks 5 zcull_in=", "s:2: '' is neither a number from 0 to 63" },
	{ __LINE__,
	  "frame\nclocks 1 trast=1 trast=1 trast=1 trast=1 trast=1 trast=1 trast=1 "
	  "trast=1 trast=1",
	  "s:2: more than 8 amounts in one line" },
	{ __LINE__, "frame\ndraw 5", "s:2: 'draw' is followed by a number and a word" },
	{ __LINE__, "frame\ndraw 5 cats", "s:2: 'cats' cannot be drawn" },
	{ __LINE__, "frame\ndraw 1000000 tiles\ndraw 1 tiles", "s:3: a frame has at most " },
	{ __LINE__, "frame\nclocks 600000000000\nbusy 600000000000", "s:3: a frame has at most " },
	{ __LINE__, "frame\ndraw 1000001 tiles", "s:2: '1000001' is neither a number from 0 to " },
	{ __LINE__, "frame\ngap 5\x01", "s:2: the byte 0x01 in column 6 is not printable ASCII" },
	{ __LINE__, "frame\ngap \xc3\xa9", "s:2: the byte 0xc3 in column 5 is not" },
};

TEST(bad_scenes)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct ntm_scene *scene;
		char why[512] = "";

		TT_EQ(r,
		      ntm_scene_parse("s", r->text, strlen(r->text), nthw_nv_chip_by_name("G96"),
				      &scene, why, sizeof(why)),
		      -EINVAL);
		assert_null(scene);
		if (!strstr(why, r->why))
			fail_msg("line %d: %s", r->line, why);
	}
}

TEST(sizes)
{
	char *text = malloc(NTM_LINES_BYTES_MAX + 1), why[128] = "";
	struct ntm_scene *scene;

	memset(text, '\n', NTM_LINES_BYTES_MAX + 1);
	memcpy(text, "frame", 5);
	TT_IS(ntm_scene_parse("s", text, NTM_LINES_BYTES_MAX, nthw_nv_chip_by_name("G80"), &scene,
			      why, sizeof(why)),
	      0);
	ntm_scene_free(scene);
	TT_IS(ntm_scene_parse("s", text, NTM_LINES_BYTES_MAX + 1, nthw_nv_chip_by_name("G80"),
			      &scene, why, sizeof(why)),
	      -EINVAL);
	TT_HAS(why, "larger than 1 MiB");
	memset(text, ' ', 600);
	TT_IS(ntm_scene_parse("s", text, 600, nthw_nv_chip_by_name("G80"), &scene, why,
			      sizeof(why)),
	      -EINVAL);
	TT_HAS(why, "s:1: the line is longer than 511 bytes");
	free(text);
}

/* What is drawn is so much, however it is spread. */
static const struct count_row {
	int line;
	const char *step, *of;
	uint64_t count;
} count_rows[] = {
	{ __LINE__, "draw 1000 vertices", "geom_vertex_in_count", 1000 },
	{ __LINE__, "draw 1000 vertices", "geom_vertex_out_count", 1000 },
	{ __LINE__, "draw 777 primitives", "geom_primitive_in_count", 777 },
	{ __LINE__, "draw 777 primitives", "geom_primitive_out_count", 777 },
	{ __LINE__, "draw 777 primitives", "setup_primitive_count", 777 },
	{ __LINE__, "draw 777 primitives", "d1: (trast.1 | trast.2 | trast.3) & trast.6 & trast.7",
	  777 },
	{ __LINE__, "draw 5000 tiles", "rasterizer_tiles_in_count", 5000 },
	{ __LINE__, "draw 4097 pixels",
	  "prop_out.7 & prop_out.6; amount prop_out.0 prop_out.1 prop_out.2 prop_out.3 prop_out.4 "
	  "prop_out.5",
	  4097 },
	{ __LINE__, "draw 0 tiles", "d1: 1", 0 },
	{ __LINE__, "gap 20", "gpu_idle", 20 },
	{ __LINE__, "clocks 20", "gpu_idle", 0 },
	{ __LINE__, "clocks 20", "d1: 1", 20 },
	{ __LINE__, "clocks 0x10 trast.1 # comment", "trast.1", 16 },
	{ __LINE__, "clocks 1000000000000 d7.3", "d7.3", 1000000000000 },
	{ __LINE__, "clocks 3 zcull_in=37 zcull_killed=5", "rasterizer_tiles_in_count", 111 },
	{ __LINE__, "clocks 3 zcull_in=37 zcull_killed=5", "zcull_in.0 & !zcull_in.1", 3 },
	{ __LINE__, "clocks 3 zcull_in=37 zcull_killed=5", "rasterizer_tiles_killed_by_zcull_count",
	  15 },
	{ __LINE__, "busy 10", "rasterizer_tiles_in_count", 630 },
	/* G96: trast.1 is signal 0xd3 of domain 1. */
	{ __LINE__, "clocks 5 d1.0xd3", "trast.1", 5 },
	{ __LINE__, "clocks 010 d1.0211", "trast.1", 10 },
	/* Where wires lie that a multiplexer moves. */
	{ __LINE__, "clocks 5 d1.0x74 d1.0x7", "rasterizer_tiles_in_count", 5 },
	{ __LINE__, "clocks 5 d1.0x74 d1.0x7", "input_assembler_waits_for_fb", 5 },
	{ __LINE__, "clocks 5 trast.1", "d1.0xd3", 5 },
	/* A group's wires are wherever it is led. */
	{ __LINE__, "clocks 5 d3.14", "d3.2 & tex_shader.0", 0 },
	{ __LINE__, "clocks 5 d3.14", "d3.2 & shader_tex.2 & shader_mp1.0", 5 },
	{ __LINE__, "clocks 5 slot_mp0.2 slot_mp1.1", "d3.6 & !d3.1", 5 },
	{ __LINE__, "clocks 5 d3.16", "d3.16 & !d3.0", 5 },
	{ __LINE__, "clocks 5 trast.1", "d1.211; amount 1.0", 0 },
};

TEST(words_are_so_much)
{
	TT_FOR_EACH_ROW(r, count_rows) {
		char text[128], why[1024];
		struct ntm_scene *scene;
		uint64_t clocks = 0;

		(void)snprintf(text, sizeof(text), "frame\r\n\t%s\nframe\n", r->step);
		scene = parse(text, "G96");
		if (strstr(r->of, "1.0") && !r->count)
			TT_EQ(r, ntm_truth(r->of, scene, "", 1, 1, 0, &clocks, why, sizeof(why)),
			      -EINVAL);
		else
			TT_EQ(r, truth(scene, r->of, 1, 0), r->count);
		if (!strncmp(r->step, "draw", 4))
			TT_EQ(r, truth(scene, r->of, 3, 0), 2 * r->count);
		ntm_scene_free(scene);
	}
}

TEST(frames_follow_one_another)
{
	struct ntm_scene *scene = parse("seed 5\nframe 2 times\nclocks 10 trast.1\nframe\n"
					"clocks 1000 trast.1\nbetween\nclocks 3 trast.2 trast.1\n",
					"G80");
	struct ntm_scene *range = parse("frame\nclocks 1-1000000 trast.1\n", "G80");
	struct ntm_scene *other = parse("seed 2\nframe\nclocks 1-1000000 trast.1\n", "G80");

	TT_IS(truth(scene, "trast.1", 2, 0), 26);
	TT_IS(truth(scene, "trast.1", 3, 0), 1029);
	TT_IS(truth(scene, "trast.1", 5, 0), 1055);
	TT_IS(truth(scene, "trast.2", 5, 0), 15);
	TT_IS(truth(scene, "vattr.0", 1, 12), 12);
	TT_IS(truth(range, "trast.1", 5, 0), truth(range, "trast.1", 5, 0));
	assert_true(truth(range, "trast.1", 2, 0) != 2 * truth(range, "trast.1", 1, 0));
	assert_true(truth(range, "trast.1", 1, 0) != truth(other, "trast.1", 1, 0));
	ntm_scene_free(scene);
	ntm_scene_free(range);
	ntm_scene_free(other);
}

static const struct function_row {
	int line;
	const char *text, *why;
} function_rows[] = {
	{ __LINE__, "", "it ends too early" },
	{ __LINE__, "trast.1 &", "it ends too early" },
	{ __LINE__, "trast.1 trast.2", "something follows that is no operator at 'trast.2'" },
	{ __LINE__, "(trast.1", "a ')' is missing" },
	{ __LINE__, "trast.1 & d2.3", "its wires are of different domains at 'd2.3'" },
	{ __LINE__, "d2: trast.1", "its wires are of different domains at 'trast.1'" },
	{ __LINE__, "d9: trast.1", "the chip has no such domain" },
	{ __LINE__, "d5: d5.1", "the chip has no such domain" },
	{ __LINE__, "trast.1;", "'amount' and its wires are missing behind ';'" },
	{ __LINE__, "trast.1; amount", "'amount' is followed by no wire" },
	{ __LINE__, "trast.1; amounttrast.1", "'amount' and its wires are missing behind ';'" },
	{ __LINE__, "1; amount d1.1 d1.1 d1.1 d1.1 d1.1 d1.1 d1.1", "an amount has six bits" },
	{ __LINE__, "gpu_idle & trast.1", "neither a wire of a unit" },
	{ __LINE__, "((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))",
	  "parentheses are too deep" },
};

TEST(bad_functions)
{
	struct ntm_scene *scene = parse("frame\n", "G80");

	TT_FOR_EACH_ROW(r, function_rows) {
		char why[1024] = "";
		uint64_t clocks;

		TT_EQ(r, ntm_truth(r->text, scene, "", 1, 1, 0, &clocks, why, sizeof(why)),
		      -EINVAL);
		if (!strstr(why, r->why) || !strstr(why, "gpu_idle"))
			fail_msg("line %d: %s", r->line, why);
	}
	ntm_scene_free(scene);
}

/* ---- truth against the model, clock by clock ---- */

static uint64_t random_state = 1;

static uint32_t below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state % n);
}

struct twin {
	const struct nthw_nv_chip *chip;
	struct ntm_nv50_card card;
	uint32_t domain;
	uint32_t bar[NTM_NV50_BAR_BYTES / 4];
};

static void step_by_step(void *arg, const struct ntm_stretch *stretch)
{
	struct twin *t = arg;
	struct ntm_nv50_wires wires;

	ntm_wires_of(stretch, &t->card, &wires);
	for (uint64_t i = 0; i < stretch->clocks; i++)
		ntm_nv50_pm_advance(&t->card.domain[t->domain], wires.of[t->domain], 1);
}

/* Does the first unit, which the test has alone, lead out what @select selects? */
static bool leads(const struct twin *t, uint32_t number, uint32_t select)
{
	const struct nthw_nv_mux_row *mux = &nthw_nv_muxes[number];
	uint32_t family = t->chip->family, value = t->card.bar[mux->address[family] / 4];

	return !mux->address[family] ||
	       (value & (mux->mask[family] | mux->enable)) == (select | mux->enable);
}

/* A wire that can be seen now: its text, and its signal. */
static uint32_t any_wire(const struct twin *t, char *text, size_t bytes)
{
	for (;;) {
		const struct nthw_nv_wires *unit =
			&nthw_nv_wires[below((uint32_t)nthw_nv_wires_count)];
		uint32_t wire = below(unit->count);

		if (!below(6)) {
			/* Where no unit has wires. */
			uint32_t signal = (t->domain == 1 ? 0xb4 : 0x10) + below(6);

			(void)snprintf(text, bytes, "d%u.%u", t->domain, signal);
			return signal;
		}
		if (unit->domain != t->domain || !leads(t, unit->mux, unit->select) ||
		    !leads(t, unit->also, 0))
			continue;
		(void)snprintf(text, bytes, "%s.%u", unit->name, wire);
		return unit->first[t->chip->family] + wire;
	}
}

/* A text that says the same as a truth table of @arguments wires. */
static void say_table(uint32_t table, char wire[SLOTS][24], uint32_t arguments, char *out,
		      size_t bytes)
{
	size_t n = (size_t)snprintf(out, bytes, "!1");

	for (uint32_t i = 0; i < 1u << arguments; i++) {
		if (!(table >> i & 1))
			continue;
		n += (size_t)snprintf(out + n, bytes - n, " | (1");
		for (uint32_t k = 0; k < arguments; k++)
			n += (size_t)snprintf(out + n, bytes - n, " & %s%s", i >> k & 1 ? "" : "!",
					      wire[k]);
		n += (size_t)snprintf(out + n, bytes - n, ")");
	}
	assert_true(n < bytes);
}

static void set(struct twin *t, uint32_t addr, uint32_t value)
{
	TT_IS(ntm_nv50_pm_write(&t->card.domain[t->domain], addr + 4 * t->domain, value), 0);
}

/* Input @slot becomes a function of @arguments wires; its text to @out. */
static uint32_t program(struct twin *t, uint32_t slot, uint32_t arguments, char *out, size_t bytes)
{
	uint32_t table = below(1u << (1u << arguments)), src = 0, op = 0;
	char wire[SLOTS][24];

	for (uint32_t i = 0; i < SLOTS; i++)
		src |= any_wire(t, wire[i], sizeof(wire[i])) << 8 * i;
	for (uint32_t i = 0; i < 16; i++)
		op |= (table >> (i & ((1u << arguments) - 1)) & 1) << i;
	set(t, SRC(slot), src);
	set(t, OP(slot), op);
	say_table(table, wire, arguments, out, bytes);
	return src;
}

static void add_random_step(const struct twin *t, char *text, size_t bytes)
{
	static const char *const forms[][2] = {
		{ "gap", "" },		 { "busy", "" },
		{ "draw", "vertices" },	 { "draw", "primitives" },
		{ "draw", "tiles" },	 { "draw", "pixels" },
		{ "clocks", "trast.1" },
	};
	const char *const *form = forms[below(NTHW_ARRAY_SIZE(forms))];
	size_t n = strlen(text);
	char wire[24];

	if (below(2)) {
		(void)snprintf(text + n, bytes - n, "%s %u %s\n", form[0], below(40), form[1]);
		return;
	}
	n += (size_t)snprintf(text + n, bytes - n, "clocks %u-%u", below(5), 5 + below(30));
	for (uint32_t i = below(9); i; i--) {
		(void)any_wire(t, wire, sizeof(wire));
		n += (size_t)snprintf(text + n, bytes - n, " %s", wire);
	}
	(void)snprintf(text + n, bytes - n, "%s\n", below(2) ? " zcull_in=0-63" : "");
}

static struct ntm_scene *random_scene(const struct twin *t)
{
	char text[4096];

	(void)snprintf(text, sizeof(text), "seed %u\nframe %u times\n", 1 + below(1000),
		       1 + below(3));
	for (uint32_t i = 1 + below(8); i; i--)
		add_random_step(t, text, sizeof(text));
	if (below(2))
		(void)strcat(text, "frame\nbusy 7\nbetween\nclocks 5 vattr.1 d2.3\n");
	return parse(text, t->chip->name);
}

/* A sum's amount: START's signals, and with six bits EVENT's last two. */
static void program_amount(struct twin *t, uint32_t bits, uint32_t event_src, char *out,
			   size_t bytes)
{
	size_t n = (size_t)snprintf(out, bytes, "; amount");
	uint32_t src = 0;
	char wire[24];

	for (uint32_t i = 0; i < bits; i++) {
		uint32_t signal = any_wire(t, wire, sizeof(wire));

		if (i < 4)
			src |= signal << 8 * i;
		else
			event_src = (event_src & ~(0xffu << 8 * (i - 2))) | signal << 8 * (i - 2);
		n += (size_t)snprintf(out + n, bytes - n, " %s", wire);
	}
	set(t, SRC(1), src);
	set(t, SRC(EVENT_SLOT), event_src);
}

static void compare(struct twin *t, uint32_t frames)
{
	struct ntm_nv50_pm *domain = &t->card.domain[t->domain];
	const struct ntm_nv50_wires nothing = { 0 };
	uint32_t mode = below(3), value;
	struct ntm_scene *scene;
	char text[SLOTS][2048];

	set(t, CTRL, 1 | mode << 4);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		uint32_t src = program(t, slot, mode && slot == EVENT_SLOT ? 2 : 4, text[slot],
				       sizeof(text[slot]));
		size_t n = strlen(text[slot]);

		if (mode && slot == EVENT_SLOT)
			program_amount(t, mode == 1 ? 4 : 6, src, text[slot] + n,
				       sizeof(text[slot]) - n);
	}
	scene = random_scene(t);
	ntm_nv50_pm_trigger(domain);
	for (uint32_t frame = 1; frame <= frames; frame++)
		ntm_scene_frame(scene, frame, step_by_step, t);
	ntm_nv50_pm_trigger(domain);
	ntm_nv50_pm_advance(domain, nothing.of[0], 1);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		/* A sum has START for its amount. */
		if (mode && slot == 1)
			continue;
		TT_IS(ntm_nv50_pm_read(domain, counters[slot] + 4 * t->domain, &value), 0);
		if (value != truth(scene, text[slot], frames, 0))
			fail_msg("%s, domain %u, mode %u, slot %u: counted %u, true %" PRIu64
				 " of %s",
				 t->chip->name, t->domain, mode, slot, value,
				 truth(scene, text[slot], frames, 0), text[slot]);
	}
	TT_IS(ntm_nv50_pm_read(domain, CYCLES + 4 * t->domain, &value), 0);
	TT_IS(value, truth(scene, t->domain == 1 ? "d1: 1" : "d2: 1", frames, 0));
	ntm_scene_free(scene);
}

TEST(truth_is_what_the_model_counts)
{
	static const char *const chips[] = { "G80", "G84", "G92", "G98", "G200", "GT215", "GT218" };
	struct twin *t = calloc(1, sizeof(*t));

	for (uint32_t i = 0; i < 1000; i++) {
		t->chip = nthw_nv_chip_by_name(chips[i % NTHW_ARRAY_SIZE(chips)]);
		t->domain = 1 + !below(8);
		assert_true(ntm_nv50_card_init(&t->card, t->chip, t->bar));
		/* Of each multiplexer, what somebody needs of it; or it leads nothing out. */
		for (size_t k = 0; k < nthw_nv_wires_count; k++) {
			const struct nthw_nv_wires *unit = &nthw_nv_wires[k];
			const struct nthw_nv_mux_row *mux = &nthw_nv_muxes[unit->mux];

			if (unit->mux && below(2))
				t->bar[mux->address[t->chip->family] / 4] =
					unit->select | (below(8) ? mux->enable : 0);
			mux = &nthw_nv_muxes[unit->also];
			if (mux->address[t->chip->family] && below(2))
				t->bar[mux->address[t->chip->family] / 4] = mux->enable;
		}
		compare(t, 1 + below(4));
	}
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_scenes),
		cmocka_unit_test(sizes),
		cmocka_unit_test(words_are_so_much),
		cmocka_unit_test(frames_follow_one_another),
		cmocka_unit_test(bad_functions),
		cmocka_unit_test(truth_is_what_the_model_counts),
	};

	return TT_RUN(tests);
}
