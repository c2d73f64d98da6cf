// SPDX-License-Identifier: MIT
/* lib/event/gpu_text.h: functions of wires, files of data/gpu, and what was built of them. */
#include <errno.h>

#include "lib/event/gpu_text.h"
#include "tests/tt.h"

/* ---- functions ---- */

static const struct function_row {
	int line;
	const char *text;
	uint32_t table;
	size_t arguments;
} function_rows[] = {
	/* truth tables as the tables of events have them */
	{ __LINE__, "trast.0", 0xaaaa, 1 },
	{ __LINE__, "!trast.0", 0x5555, 1 },
	{ __LINE__, "trast.0 & trast.1", 0x8888, 2 },
	{ __LINE__, "trast.0&trast.1&trast.2", 0x8080, 3 },
	{ __LINE__, "trast.0 | trast.1", 0xeeee, 2 },
	{ __LINE__, "trast.0 & !trast.1", 0x2222, 2 },
	{ __LINE__, "trast.0 & trast.1 | trast.2 & trast.3", 0xf888, 4 },
	{ __LINE__, "(trast.0 & !trast.1) | (trast.2 & !trast.3)", 0x22f2, 4 },
	{ __LINE__, "!(trast.0 & trast.1 & trast.2 & trast.3)", 0x7fff, 4 },
	{ __LINE__, "!trast.0 & !trast.1 & !trast.2 & !trast.3", 0x0001, 4 },
	{ __LINE__, "trast.0 | (trast.1 & trast.2)", 0xeaea, 3 },
	/* "&" binds more than "|"; a wire is one argument however often it stands there */
	{ __LINE__, "trast.0 | trast.1 & trast.0", 0xaaaa, 2 },
	{ __LINE__, "(trast.0 | trast.1) & trast.0 & ! ! trast.1", 0x8888, 2 },
	{ __LINE__, "idle.0 & culled.0", 0x8888, 2 },
};

TEST(functions)
{
	TT_FOR_EACH_ROW(r, function_rows) {
		struct nti_gpu_function f;
		struct nti_error e = { 0 };

		TT_EQ(r, nti_gpu_function_parse(r->text, &f, &e), 0);
		TT_EQ(r, f.table, r->table);
		TT_EQ(r, f.arguments, r->arguments);
	}
}

#define BAD(text, why) "'" text "' is no function of wires: " why
static const struct bad_row {
	int line;
	const char *text, *error;
} bad_rows[] = {
	{ __LINE__, "", BAD("", "a wire of a unit is missing, as in 'trast.6' at ''") },
	{ __LINE__, "trast",
	  BAD("trast", "a wire of a unit is missing, as in 'trast.6' at 'trast'") },
	{ __LINE__, "trast.8",
	  BAD("trast.8", "a wire of a unit is missing, as in 'trast.6' at 'trast.8'") },
	{ __LINE__, "trast.99999999999",
	  BAD("trast.99999999999",
	      "a wire of a unit is missing, as in 'trast.6' at 'trast.99999999999'") },
	{ __LINE__, "trast.0 &",
	  BAD("trast.0 &", "a wire of a unit is missing, as in 'trast.6' at ''") },
	{ __LINE__, "(trast.0", BAD("(trast.0", "a ')' is missing at ''") },
	{ __LINE__, "trast.0)", BAD("trast.0)", "something follows that is no operator at ')'") },
	{ __LINE__, "trast.0 trast.1",
	  BAD("trast.0 trast.1", "something follows that is no operator at 'trast.1'") },
	{ __LINE__, "trast.0|trast.1|trast.2|trast.3|trast.4",
	  BAD("trast.0|trast.1|trast.2|trast.3|trast.4",
	      "a counter has four signals, and these are more at ''") },
	{ __LINE__, "!((((((((((((((((((trast.0",
	  BAD("!((((((((((((((((((trast.0", "parentheses are too deep at '(trast.0'") },
};

TEST(bad_functions)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct nti_gpu_function f;
		struct nti_error e = { 0 };

		TT_EQ(r, nti_gpu_function_parse(r->text, &f, &e), -EINVAL);
		TT_STR(r, e.text, r->error);
	}
}

/* ---- files ---- */

static const struct lint_row {
	int line;
	const char *text, *error;
} lint_rows[] = {
	{ __LINE__, "function idle.0\n",
	  "x.events:1: an entry begins with 'gpu-event', not 'function'" },
	{ __LINE__, "gpu-event a\nfunction idle.1\n",
	  "x.events:2: 'idle.1' is no function of wires: a wire of a unit is missing, as in "
	  "'trast.6' at 'idle.1'" },
	{ __LINE__, "gpu-event a\nfunction vfetch_prim.0 & vfetch_vertex.0\n",
	  "x.events:2: 'vfetch_prim.0 & vfetch_vertex.0' is no function of wires: its wires need "
	  "three multiplexers, or two values of one at ''" },
	{ __LINE__, "gpu-event a\nfunction prop_rop.0 & crop_wait.0 & zrop_wait.0\n",
	  "x.events:2: 'prop_rop.0 & crop_wait.0 & zrop_wait.0' is no function of wires: its "
	  "wires need three multiplexers, or two values of one at ''" },
	{ __LINE__, "gpu-event a\nfunction vfetch_prim.0\namount vfetch_vertex.0 zcull_in.0\n",
	  "x.events:3: 'vfetch_vertex.0 zcull_in.0' is no amount: its wires need three "
	  "multiplexers, or two values of one at 'zcull_in.0'" },
	{ __LINE__,
	  "gpu-event a\nfunction trast.0 & trast.1 & trast.2\namount zcull_in.0 zcull_in.1 "
	  "zcull_in.2 zcull_in.3 zcull_in.4\n",
	  "x.events:3: 'zcull_in.0 zcull_in.1 zcull_in.2 zcull_in.3 zcull_in.4' is no amount: an "
	  "amount of more than four bits has its function's arguments 2 and 3 at ''" },
	{ __LINE__,
	  "gpu-event a\nfunction 1\namount trast.0 trast.1 trast.2 trast.3 trast.4 trast.5 "
	  "trast.6\n",
	  "x.events:3: 'trast.0 trast.1 trast.2 trast.3 trast.4 trast.5 trast.6' is no amount: "
	  "an amount has six bits, and these are more at 'trast.6'" },
	{ __LINE__, "gpu-event a\nfunction 1\nabout It.\n", "x.events:3: a has no wire" },
	{ __LINE__, "gpu-event a\nfunction idle.0\nfunction 1\nabout It.\n",
	  "x.events:4: a has no wire" },
	{ __LINE__, "gpu-event a\nfunction idle.0\nfunction prop_rop.1\nabout It.\n",
	  "x.events:4: functions of a are of different domains" },
	{ __LINE__,
	  "gpu-event a\nfunction idle.0\nfunction idle.0\nfunction idle.0\nfunction idle.0\n",
	  "x.events:5: more than 3 functions" },
	{ __LINE__, "gpu-event a\nabsent it is\nabout It.\n",
	  "x.events:3: 'absent' is followed by 'remedy', not 'about'" },
	{ __LINE__, "gpu-event a\nfamilies g80 g81\n",
	  "x.events:2: families are g80, g84, g200 and gt215, each once, and not 'g81'" },
	{ __LINE__, "gpu-event a\nfamilies g80 g80\n",
	  "x.events:2: families are g80, g84, g200 and gt215, each once, and not 'g80'" },
	{ __LINE__, "gpu-event a\nfunction idle.0\nabout It.\nsource B\ntrust guessed\n",
	  "x.events:5: trust is 'documented', not 'guessed'; what is guessed stands below it" },
	{ __LINE__,
	  "gpu-event a\nfunction idle.0\nabout It.\nsource B\ntrust documented\nguessed g81\n",
	  "x.events:6: families are g80, g84, g200 and gt215, each once, and not 'g81'" },
	{ __LINE__,
	  "gpu-event a\nfunction idle.0\nabout It.\nsource B\ntrust documented\nguessed g80\n",
	  "x.events:6: the entry of a ends too early: 'guessed' is followed by 'guess'" },
};

TEST(lint)
{
	TT_FOR_EACH_ROW(r, lint_rows) {
		struct nti_gpu_text t = { 0 };
		struct nti_error e = { 0 };

		TT_EQ(r, nti_gpu_text_parse("x.events", r->text, strlen(r->text), &t, &e), -EINVAL);
		TT_STR(r, e.text, r->error);
		nti_gpu_text_fini(&t);
	}
}

/* ---- what was built ---- */

/*
 * EVENT_SRC and EVENT_OP of G80, G84 to G98, G200 and GT215 to GT218 as the tables of events of
 * re-pcounter-tools have them.
 */
static const struct golden_row {
	int line;
	const char *name;
	uint32_t src[4], op;
	const char *mux; /* terms of its multiplexer; NULL: it has none */
	unsigned int mode;
	uint32_t amount[4];
	unsigned int domain;   /* 0: 1 */
	unsigned int families; /* bit of each that has it so; 0: all */
	uint32_t groups[4];    /* of domain 3 */
	unsigned int more[2];  /* what PROP selects for further functions that are the same */
} golden_rows[] = {
	{ __LINE__, "gpu_idle", { 0xeeeeeec8, 0xecececbd, 0xecececc9, 0xecececcb }, 0xaaaa },
	{ __LINE__,
	  "input_assembler_busy",
	  { 0x28293d3e, 0x68697d7e, 0x48495a5b, 0x48495a5b },
	  0xf888,
	  ",mux=1,sel=1" },
	{ __LINE__,
	  "vertex_attribute_count",
	  { 0x28293d3e, 0x68697d7e, 0x48495a5b, 0x48495a5b },
	  0xf888,
	  ",mux=1,sel=1" },
	{ __LINE__,
	  "input_assembler_waits_for_fb",
	  { 0xeeeeee34, 0xececec74, 0xececec51, 0xececec51 },
	  0xaaaa,
	  ",mux=1,sel=1" },
	{ __LINE__,
	  "geom_vertex_in_count",
	  { 0xeeeeeeee, 0xecececec, 0xecececec, 0xecececec },
	  0xffff, /* as G80's tables have sums; 0x5555 elsewhere, of the constant */
	  ",mux=1,sel=0",
	  1,
	  { 0xee363534, 0xec767574, 0xec565554, 0xec565554 } },
	{ __LINE__,
	  "rasterizer_tiles_killed_by_zcull_count",
	  { 0x2524eeee, 0x0c0becec, 0x0c0becec, 0x0c0becec },
	  0xffff,
	  ",mux=2,sel=7",
	  2,
	  { 0x23222120, 0x0a090807, 0x0a090807, 0x0a090807 } },
	{ __LINE__,
	  "rasterizer_tiles_in_count",
	  { 0x2524eeee, 0x0c0becec, 0x0c0becec, 0x0c0becec },
	  0xffff,
	  ",mux=2,sel=0",
	  2,
	  { 0x23222120, 0x0a090807, 0x0a090807, 0x0a090807 } },
	{ __LINE__,
	  "geom_primitive_in_count",
	  { 0xeeeeee2e, 0xececec6e, 0xececec4e, 0xececec4e },
	  0xaaaa,
	  ",mux=1,sel=1" },
	{ __LINE__,
	  "geom_vertex_out_count",
	  { 0xeeeeee7d, 0xececec5d, 0xececec83, 0xececec85 },
	  0xaaaa },
	{ __LINE__,
	  "geom_primitive_out_count",
	  { 0xeeeeee7c, 0xececec5c, 0xececec82, 0xececec84 },
	  0xaaaa },
	{ __LINE__, "stream_out_busy", { 0xeeee807f, 0xecec5f5e, 0xecec8584, 0xecec8786 }, 0x8888 },
	{ __LINE__,
	  "setup_primitive_count",
	  { 0xeeeeeedc, 0xecececd2, 0xecececde, 0xececece0 },
	  0xaaaa },
	{ __LINE__,
	  "setup_point_count",
	  { 0xeee3e2dd, 0xecd9d8d3, 0xece5e4df, 0xece7e6e1 },
	  0x8080 },
	{ __LINE__,
	  "setup_line_count",
	  { 0xeee3e2de, 0xecd9d8d4, 0xece5e4e0, 0xece7e6e2 },
	  0x8080 },
	{ __LINE__,
	  "setup_triangle_count",
	  { 0xeee3e2df, 0xecd9d8d5, 0xece5e4e1, 0xece7e6e3 },
	  0x8080 },
	{ __LINE__,
	  "setup_primitive_culled_count",
	  { 0xeeeeeeae, 0xecececa4, 0xecececb0, 0xecececb2 },
	  0xaaaa },
	{ __LINE__,
	  "rop_busy",
	  { 0x05040302, 0x05040302, 0x05040302, 0x05040302 },
	  0xf888,
	  ",mux=3,sel=0",
	  .domain = 2 },
	{ __LINE__,
	  "rop_waits_for_shader",
	  { 0xeeee0706, 0x8c8c0706, 0xecec0706, 0xcccc0706 },
	  0x2222,
	  ",mux=3,sel=0",
	  .domain = 2 },
	{ __LINE__,
	  "rop_waits_for_fb",
	  { 0x6e6f5455, 0x46473233, 0x76775758, 0x7e7f6667 },
	  0x22f2,
	  ",mux=4,sel=1,mux2=5,sel2=1",
	  .domain = 2 },
	{ __LINE__,
	  "rasterizer_pixels_out_count.0",
	  { 0xeeee0607, 0x8c8c0607, 0xecec0607, 0xcccc0607 },
	  0x8888,
	  ",mux=3,sel=22",
	  .domain = 2 },
	{ __LINE__,
	  "rasterizer_pixels_out_count.1",
	  { 0x0504eeee, 0x05048c8c, 0x0504ecec, 0x0504cccc },
	  0xffff,
	  ",mux=3,sel=22",
	  .domain = 2,
	  .mode = 2,
	  .amount = { 0x03020100, 0x03020100, 0x03020100, 0x03020100 },
	  .families = 1 },
	{ __LINE__,
	  "rasterizer_pixels_out_count.1",
	  { 0x0504ee07, 0x05048c07, 0x0504ec07, 0x0504cc07 },
	  0xaaaa,
	  ",mux=3,sel=22",
	  .domain = 2,
	  .mode = 2,
	  .amount = { 0x03020100, 0x03020100, 0x03020100, 0x03020100 },
	  .families = 0xe },
	{ __LINE__,
	  "rop_samples_in_count.0",
	  { 0xeeee0607, 0x8c8c0607, 0xecec0607, 0xcccc0607 },
	  0x8888,
	  ",mux=3,sel=21",
	  .domain = 2 },
	{ __LINE__,
	  "rop_samples_in_count.1",
	  { 0x0504ee07, 0x05048c07, 0x0504ec07, 0x0504cc07 },
	  0xaaaa,
	  ",mux=3,sel=21",
	  .domain = 2,
	  .mode = 2,
	  .amount = { 0x03020100, 0x03020100, 0x03020100, 0x03020100 } },
	{ __LINE__,
	  "rop_samples_killed_by_earlyz_count",
	  { 0x0504ee07, 0x05048c07, 0x0504ec07, 0x0504cc07 },
	  0xaaaa,
	  ",mux=3,sel=26",
	  .domain = 2,
	  .mode = 2,
	  .amount = { 0x03020100, 0x03020100, 0x03020100, 0x03020100 } },
	{ __LINE__,
	  "rop_samples_killed_by_latez_count",
	  { 0x0504ee07, 0x05048c07, 0x0504ec07, 0x0504cc07 },
	  0xaaaa,
	  ",mux=3,sel=27",
	  .domain = 2,
	  .mode = 2,
	  .amount = { 0x03020100, 0x03020100, 0x03020100, 0x03020100 } },
	{ __LINE__,
	  "texture_waits_for_fb",
	  { 0xeeeeee42 },
	  0xaaaa,
	  ",mux=6,sel=0",
	  .domain = 2,
	  .families = 1 },
	{ __LINE__,
	  "texture_waits_for_fb",
	  { 0, 0x8c8c8c1c, 0xececec34, 0xcccccc3c },
	  0xaaaa,
	  ",mux=6,sel=0,mux2=7,sel2=0",
	  .domain = 2,
	  .families = 0xe },
	{ __LINE__,
	  "texture_sample_base_level_rate.0",
	  { 0x73727170, 0x4b4a4948, 0x7b7a7978, 0x83828180 },
	  0x7fff,
	  ",mux=6,sel=0",
	  .domain = 2 },
	{ __LINE__,
	  "texture_sample_base_level_rate.1",
	  { 0x73727170, 0x4b4a4948, 0x7b7a7978, 0x83828180 },
	  0x0001,
	  ",mux=6,sel=0",
	  .domain = 2 },
	{ __LINE__,
	  "texture_sample_average_level.0",
	  { 0x73727170, 0x4b4a4948, 0x7b7a7978, 0x83828180 },
	  0x7fff,
	  ",mux=6,sel=0",
	  .domain = 2 },
	{ __LINE__,
	  "texture_sample_average_level.1",
	  { 0x73727170, 0x4b4a4948, 0x7b7a7978, 0x83828180 },
	  0x0001,
	  ",mux=6,sel=0",
	  .domain = 2 },
	{ __LINE__,
	  "shaded_pixel_count.0",
	  { 0, 0x8c020100, 0xec020100, 0xcc020100 },
	  0x0404,
	  ",mux=3,sel=28",
	  .domain = 2,
	  .families = 0xe,
	  .more = { 29, 3 } },
	{ __LINE__,
	  "shaded_pixel_count.1",
	  { 0, 0x05048c07, 0x0504ec07, 0x0504cc07 },
	  0xaaaa,
	  ",mux=3,sel=28",
	  .domain = 2,
	  .mode = 2,
	  .amount = { 0, 0x03020100, 0x03020100, 0x03020100 },
	  .families = 0xe,
	  .more = { 29, 3 } },
	{ __LINE__,
	  "geom_busy",
	  { 0x03020100, 0x03020100, 0x05040100, 0x05040100 },
	  0xf888,
	  .domain = 3,
	  .groups = { 3, 3, 0x2a16, 0x2a16 } },
	{ __LINE__,
	  "geom_waits_for_shader",
	  { 0x03020100, 0x03020100, 0x05040100, 0x05040100 },
	  0x22f2,
	  .domain = 3,
	  .groups = { 3, 3, 0x2a16, 0x2a16 } },
	{ __LINE__,
	  "shader_waits_for_geom",
	  { 0x03020100, 0x03020100, 0x07060302, 0x07060302 },
	  0x22f2,
	  .domain = 3,
	  .groups = { 4, 4, 0x2a16, 0x2a16 } },
	{ __LINE__,
	  "shader_waits_for_texture",
	  { 0x01000302, 0x01000302, 0x01000302, 0x01000302 },
	  0x22f2,
	  .domain = 3,
	  .groups = { 0x10, 0x10, 1, 1 } },
	{ __LINE__,
	  "shader_waits_for_rop",
	  { 0x2e2e0100, 0x2c2c0100, 0x2c2c0100, 0x2c2c0100 },
	  0x2222,
	  .domain = 3,
	  .groups = { 5, 5, 0, 0 } },
	{ __LINE__,
	  "texture_busy",
	  { 0x2e050402, 0x2c050402, 0x2c050402, 0x2c050402 },
	  0xeaea,
	  .domain = 3,
	  .groups = { 0x1110, 0x1110, 0x0201, 0x0201 } },
	{ __LINE__,
	  "texture_waits_for_shader",
	  { 0x2e2e0100, 0x2c2c0100, 0x2c2c0100, 0x2c2c0100 },
	  0x2222,
	  .domain = 3,
	  .groups = { 0x11, 0x11, 2, 2 } },
	{ __LINE__,
	  "shaded_pixel_count.0",
	  { 0xeeee0607, 0x8c8c0607, 0xecec0607, 0xcccc0607 },
	  0x8888,
	  ",mux=3,sel=22",
	  .domain = 2,
	  .families = 1 },
	{ __LINE__,
	  "shaded_pixel_count.1",
	  { 0x0504eeee, 0x05048c8c, 0x0504ecec, 0x0504cccc },
	  0xffff,
	  ",mux=3,sel=22",
	  .domain = 2,
	  .mode = 2,
	  .amount = { 0x03020100, 0x03020100, 0x03020100, 0x03020100 },
	  .families = 1 },
};

/* The same terms once more for each of @selects. */
static void check_more(const unsigned int selects[2], const struct nti_box_event *event)
{
	const char *select = strstr(event->terms, ",sel=");
	char want[256] = "";
	size_t n = 0;

	for (size_t i = 0; selects[0] && i < 2; i++)
		n += (size_t)snprintf(want + n, sizeof(want) - n, "%s%.*s,sel=%u", i ? " " : "",
				      (int)(select - event->terms), event->terms, selects[i]);
	assert_string_equal(event->more ? event->more : "", want);
}

TEST(events_are_those_of_the_tables)
{
	size_t found[4] = { 0 };

	TT_FOR_EACH_ROW(r, golden_rows) {
		for (unsigned int family = 0; family < 4; family++) {
			const struct nti_box_event *event =
				nti_box_event_find(&nti_gpu_families[family], r->name);
			const char *mux, *amount, *groups;

			if (r->families && !(r->families >> family & 1))
				continue;
			found[family]++;
			assert_non_null(event);
			TT_EQ(r, event->config,
			      r->src[family] | (uint64_t)r->op << 32 |
				      (r->domain ? (uint64_t)r->domain : 1) << 53 |
				      (uint64_t)r->mode << 56);
			amount = strstr(event->terms, ",amount=");
			TT_EQ(r, amount ? strtoul(amount + 8, NULL, 0) : 0, r->amount[family]);
			groups = strstr(event->terms, ",groups=");
			TT_EQ(r, groups != NULL, r->domain == 3);
			TT_EQ(r, groups ? strtoul(groups + 8, NULL, 0) : 0, r->groups[family]);
			check_more(r->more, event);
			mux = strstr(event->terms, ",mux=");
			TT_STR(r, mux ? mux : "", r->mux ? r->mux : "");
		}
	}
	for (unsigned int family = 0; family < 4; family++) {
		const struct nti_box_family *f = &nti_gpu_families[family];
		size_t absent = 0;

		/* shader_busy, five wholes of two parts, six of the MPs' counters */
		for (size_t i = 0; i < f->events; i++)
			absent += f->event[i].absent && *f->event[i].remedy && !*f->event[i].terms;
		TT_IS(absent, 12);
		TT_IS(found[family] + absent, f->events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(bad_functions),
		cmocka_unit_test(lint),
		cmocka_unit_test(events_are_those_of_the_tables),
	};

	return TT_RUN(tests);
}
