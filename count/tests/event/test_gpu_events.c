// SPDX-License-Identifier: MIT
/* Events of graphics cards as they were built of core/gpu: count/lib/event/box_events.h. */
#include "count/lib/event/box_events.h"
#include "base/tests/tt.h"

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
	  "tex_cache_miss",
	  { 0, 0x8c8c8c1a, 0xececec32, 0xcccccc3a },
	  0xaaaa,
	  ",mux=6,sel=0,mux2=7,sel2=0",
	  .domain = 2,
	  .families = 0xe },
	{ __LINE__,
	  "tex_cache_hit",
	  { 0, 0x8c8c8c1b, 0xececec33, 0xcccccc3b },
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

/*
 * Compute events by groups of wires, as NVIDIA's driver sets them up under CUPTI: which event wire
 * i is, and which one any of the first three.
 */
static const struct group_row {
	int line;
	uint32_t old, group;   /* of G84 to G98, and from G200 on */
	unsigned int families; /* bit of each */
	const char *name[4], *total;
} group_rows[] = {
	{ __LINE__,
	  0x29,
	  0x0b,
	  0xe,
	  { "gld_incoherent", "gld_coherent", "gst_incoherent", "gst_coherent" } },
	{ __LINE__, 0, 0x0c, 0xc, { "gld_128b", "gld_64b", "gld_32b" }, "gld_total" },
	{ __LINE__, 0, 0x0c, 8, { NULL, NULL, NULL, "gld_request" } },
	{ __LINE__, 0, 0x0d, 0xc, { "gst_128b", "gst_64b", "gst_32b" }, "gst_total" },
	{ __LINE__, 0, 0x0d, 8, { NULL, NULL, NULL, "gst_request" } },
	{ __LINE__, 0x2a, 0x0e, 0xe, { "local_load", "local_store" } },
	{ __LINE__, 0, 0x0e, 0xc, { NULL, NULL, "cta_launched" } },
	{ __LINE__, 0x2b, 0, 2, { "cta_launched" } },
};

/* @src_op: as the raw words have them. */
static size_t check_wire(const struct nti_box_family *f, const struct group_row *r,
			 const char *name, uint64_t src_op)
{
	const struct nti_box_event *event = name ? nti_box_event_find(f, name) : NULL;
	char groups[24];

	if (!name)
		return 0;
	assert_non_null(event);
	TT_EQ(r, event->config, src_op | (uint64_t)3 << 53);
	(void)snprintf(groups, sizeof(groups), ",groups=%#x",
		       f == &nti_gpu_families[1] ? r->old : r->group);
	TT_STR(r, strstr(event->terms, ",groups="), groups);
	return 1;
}

/* How many there are that can be counted. */
static size_t check_compute(const struct nti_box_family *f, unsigned int family)
{
	size_t found = 0;

	TT_FOR_EACH_ROW(r, group_rows) {
		if (!(r->families >> family & 1))
			continue;
		for (uint64_t i = 0; i < 4; i++)
			found += check_wire(f, r, r->name[i], 0xaaaa2c2c2c00 | i);
		found += check_wire(f, r, r->total, 0xfefe2c020100);
	}
	return found;
}

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

/* G80 has five domains, and others eight. */
static size_t find_clocks(const struct nti_box_family *f)
{
	static const char *const names[] = {
		"cycles_host",	 "cycles_core_a", "cycles_core_b", "cycles_shader",
		"cycles_memory", "cycles_core_c", "cycles_vdec",   "cycles_core_d",
	};
	size_t found = 0;

	for (uint64_t d = 0; d < 8; d++) {
		const struct nti_box_event *event = nti_box_event_find(f, names[d]);

		assert_true((event != NULL) == (d < 5 || f != &nti_gpu_families[0]));
		if (!event)
			continue;
		TT_IS(event->config, d << 53 | (uint64_t)7 << 56);
		found++;
	}
	return found;
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
		size_t absent = 0, slots = 0;

		/*
		 * shader_busy, five wholes of two parts, six of the MPs' counters; from G84 on 13
		 * of compute programs are of slots, and two more on G200
		 */
		for (size_t i = 0; i < f->events; i++)
			absent += f->event[i].absent && *f->event[i].remedy && !*f->event[i].terms;
		for (size_t i = 0; i < f->events; i++)
			slots += strncmp(f->event[i].terms, "mode=6,", 7) == 0;
		TT_IS(absent, 12);
		TT_IS(slots, (family ? 13 : 0) + (family == 2 ? 2 : 0));
		found[family] += find_clocks(f) + check_compute(f, family);
		TT_IS(found[family] + absent + slots, f->events);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_those_of_the_tables),
	};

	return TT_RUN(tests);
}
