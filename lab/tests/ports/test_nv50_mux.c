// SPDX-License-Identifier: MIT
/*
 * Multiplexers of a card that is a model: which signals wires are, by what registers say.
 * Addresses, masks and signals are typed in from envytools' documentation of PCOUNTER, not taken
 * from rows.
 */
#include "lab/card/scene.h"
#include "base/tests/tt.h"

/* Units of the board in a mask, 0: all of the die. */
#define ON (1u << 31)
#define TEX_ON (1u << 11)

struct poke {
	uint32_t address, value;
};

static const struct mux_row {
	int line;
	const char *chip;
	uint32_t tpcs, rops;
	struct poke poke[6]; /* of address 0: no more */
	const char *wires;   /* of one clock of a scene */
	const char *signals; /* that are 1 then: domain and number */
} mux_rows[] = {
	/* clang-format off */
	/* None: after reset VFETCH and ZCULL select 0, the others show nothing. */
	{ __LINE__, "G80", 0, 0, { { 0 } }, "idle.0 vattr.1 trast.7", "1.7d 1.c8 1.e3" },
	{ __LINE__, "GT218", 0, 0, { { 0 } }, "idle.0 vattr.1 trast.7 vfetch_vertex=5 vfetch_a.0", "1.54 1.56 1.85 1.cb 1.e7" },
	{ __LINE__, "GT218", 0, 0, { { 0 } }, "prop_rop=255 crop_wait=15 zrop_wait=15 tex_cache=7 tex_level=15 shader_rop=3 slot_mp0=15", "" },

	/* VFETCH: bit 0 on G80, bits 0 and 1 from G84 on; others mean nothing. */
	{ __LINE__, "G80", 0, 0, { { 0x400c0c, 0xffe } }, "vfetch_prim.0 vfetch_vertex.1", "1.35" },
	{ __LINE__, "G80", 0, 0, { { 0x400c0c, 0xf3 } }, "vfetch_prim.0 vfetch_vertex.1 vfetch_wait.0", "1.2e 1.34" },
	{ __LINE__, "G84", 0, 0, { { 0x400c0c, 0x71 } }, "vfetch_prim.0 vfetch_vertex.1 vfetch_b.1", "1.6e 1.7e" },
	{ __LINE__, "G84", 0, 0, { { 0x400c0c, 2 } }, "vfetch_prim.0 vfetch_vertex.1", "" },
	{ __LINE__, "G200", 0, 0, { { 0x400c0c, 3 } }, "vfetch_prim.0 vfetch_vertex.1", "" },

	/* ZCULL: 15 bits. */
	{ __LINE__, "G80", 0, 0, { { 0x402ca4, 0xff8000 } }, "zcull_in=33 zcull_killed=6", "1.20 1.25" },
	{ __LINE__, "GT215", 0, 0, { { 0x402ca4, 0xff000007 } }, "zcull_in=33 zcull_killed=6", "1.08 1.09" },
	{ __LINE__, "GT215", 0, 0, { { 0x402ca4, 0x4000 } }, "zcull_in=33 zcull_killed=6", "" },
	{ __LINE__, "GT215", 0, 0, { { 0x402ca4, 0x4007 } }, "zcull_in=33 zcull_killed=6", "" },

	/* PROP: enabled, selected, and of the first TPC that is both there and enabled. */
	{ __LINE__, "GT215", 0, 0, { { 0x408750, 0x16 } }, "prop_out=1 prop_rop=2", "" },
	{ __LINE__, "GT215", 0, 0, { { 0x408750, ON | 0x16 } }, "prop_out=1 prop_rop=2", "2.00" },
	{ __LINE__, "GT215", 0, 0, { { 0x408750, ON } }, "prop_out=1 prop_rop=2", "2.01" },
	{ __LINE__, "GT215", 0, 0, { { 0x408750, ON | 0x36 } }, "prop_out=1 prop_rop=2", "" },
	{ __LINE__, "G84", 0, 0, { { 0x408e50, ON | 0x36 } }, "prop_out=1 prop_rop=2", "2.00" },
	{ __LINE__, "G80", 0, 0, { { 0x40fe50, ON | 0x1b } }, "prop_latez=128 tpc7.prop_latez.0 tpc0.prop_latez.1", "2.00 2.07" },
	{ __LINE__, "GT215", 0, 0, { { 0x408f50, ON | 0x16 }, { 0x409750, ON | 0x16 } }, "tpc0.prop_out=1 tpc1.prop_out=2 tpc2.prop_out=4 prop_out=64", "2.01 2.06" },
	{ __LINE__, "GT215", 0, 0, { { 0x408f50, 0x16 }, { 0x409750, ON | 0x16 } }, "tpc0.prop_out=1 tpc1.prop_out=2 tpc2.prop_out=4", "2.02" },
	{ __LINE__, "GT215", 0, 0, { { 0x408f50, ON | 0x15 }, { 0x409750, ON | 0x16 } }, "prop_out=1 tpc1.prop_samples=2 tpc2.prop_samples=4", "2.01" },
	{ __LINE__, "GT215", 6, 0, { { 0x408750, ON | 0x16 }, { 0x409750, ON | 0x16 } }, "tpc1.prop_out=2 tpc2.prop_out=4", "2.02" },
	{ __LINE__, "GT215", 6, 0, { { 0x408750, ON | 0x16 }, { 0x409f50, ON | 0x16 } }, "prop_out=1", "" },
	{ __LINE__, "G200", 0x200, 0, { { 0x40cf50, ON | 0x1a } }, "tpc9.prop_earlyz=5", "2.00 2.02" },

	/* CROP and ZROP, of memory partitions, each with two fields. */
	{ __LINE__, "G80", 0, 0, { { 0x407508, ON | 1 }, { 0x40748c, ON | 1 } }, "rop5.crop_wait=8 rop4.zrop_wait=4 rop0.crop_wait=15", "2.55 2.6e" },
	{ __LINE__, "G80", 0, 0, { { 0x407008, ON | 9 } }, "crop_wait=8", "2.55" },
	{ __LINE__, "G84", 0, 0, { { 0x407008, ON | 9 } }, "crop_wait=8", "" },
	{ __LINE__, "G84", 0, 0, { { 0x407008, ON | 0x100001 }, { 0x40708c, ON | 0x100001 } }, "crop_wait=8 zrop_wait=1", "2.33 2.44" },
	{ __LINE__, "G200", 0, 0, { { 0x407008, ON | 0x100001 }, { 0x40708c, ON | 0x100001 } }, "crop_wait=8 zrop_wait=1", "2.74" },
	{ __LINE__, "G200", 0, 0, { { 0x407008, ON | 0x10001 }, { 0x40708c, ON | 0x80001 } }, "crop_wait=8 zrop_wait=1", "" },
	{ __LINE__, "G200", 0, 0xc0, { { 0x407008, ON | 1 }, { 0x407608, 1 }, { 0x407708, ON | 1 } }, "rop6.crop_wait=4 rop7.crop_wait=8", "2.58" },
	{ __LINE__, "G200", 1, 0xc0, { { 0x40768c, ON | 1 }, { 0x40778c, ON | 1 } }, "rop6.zrop_wait=4 rop7.zrop_wait=8", "2.76" },
	{ __LINE__, "GT215", 1, 2, { { 0x407008, ON | 1 }, { 0x407108, ON } }, "crop_wait=15", "" },

	/* TEX and, for the cache's wires, TEX2 of the same TPC; G80 has none. */
	{ __LINE__, "G80", 0, 0, { { 0x408808, TEX_ON } }, "tex_cache=4 tex_level=8", "2.42 2.73" },
	{ __LINE__, "G80", 0, 0, { { 0x408808, ~TEX_ON } }, "tex_cache=4 tex_level=8", "" },
	{ __LINE__, "G84", 0, 0, { { 0x409808, TEX_ON } }, "tex_cache=4 tex_level=8", "2.4b" },
	{ __LINE__, "G84", 0, 0, { { 0x40981c, TEX_ON } }, "tex_cache=4 tex_level=8", "" },
	{ __LINE__, "G84", 0, 0, { { 0x409808, TEX_ON }, { 0x40981c, TEX_ON | 3 } }, "tpc0.tex_cache=3 tpc1.tex_cache=4 tex_level=8", "2.1c 2.4b" },
	{ __LINE__, "GT215", 0, 0, { { 0x408508, TEX_ON }, { 0x408d1c, TEX_ON } }, "tex_cache=4 tex_level=8", "2.83" },
	{ __LINE__, "GT215", 0, 0, { { 0x408d08, TEX_ON }, { 0x40851c, TEX_ON }, { 0x408d1c, TEX_ON } }, "tex_cache=4", "" },
	{ __LINE__, "GT215", 2, 0, { { 0x408d08, TEX_ON }, { 0x40851c, TEX_ON }, { 0x408d1c, TEX_ON } }, "tex_cache=4", "2.3c" },

	/* Groups: byte i leads one to signals 4i to 4i + 3, in the first TPC that leads any out. */
	{ __LINE__, "GT218", 0, 0, { { 0x40833c, 0x02010014 }, { 0x408340, 1 } }, "slot_mp0=1 shader_rop=3 shader_tex=4 tex_shader=2", "3.00 3.04 3.05 3.0a 3.0d" },
	{ __LINE__, "GT218", 0, 0, { { 0x40833c, 0x02010014 }, { 0x408340, 2 } }, "slot_mp0=1 shader_rop=3 shader_tex=4 tex_shader=2", "" },
	{ __LINE__, "GT218", 0, 0, { { 0x40833c, 0x16161616 }, { 0x408340, 0xffffffff } }, "geom_mp0=1 shader_mp0=2", "3.00 3.03 3.04 3.07 3.08 3.0b 3.0c 3.0f" },
	{ __LINE__, "G96", 0, 0, { { 0x408330, 0x11000304 }, { 0x408334, 1 } }, "slot_mp0=8 geom_mp0=1 geom_mp1=2 shader_mp1=1 tex_shader=1", "3.02 3.04 3.07 3.0b 3.0c" },
	{ __LINE__, "G96", 0, 0, { { 0x408330, 0x01010101 }, { 0x409330, 5 }, { 0x408334, 0x10 }, { 0x409334, 1 } }, "slot_mp1=1 tpc0.shader_rop=2 tpc1.shader_rop=1", "3.00" },
	{ __LINE__, "GT215", 6, 0, { { 0x408340, 1 }, { 0x408b40, 1 }, { 0x409340, 1 }, { 0x408b3c, 0x7f7f017f } }, "tpc1.shader_tex=2 tpc2.shader_tex=4 shader_rop=1", "3.05" },
	{ __LINE__, "GT215", 0, 0, { { 0x408b40, 1 }, { 0x408b3c, 0x01ffffff } }, "d3.2 d3.0x15 shader_tex=1", "3.02 3.06 3.0a 3.0c 3.0e 3.15" },

	/* By number: whatever multiplexers select. */
	{ __LINE__, "GT215", 0, 0, { { 0x408750, ON | 0x15 } }, "d2.0 prop_out=2 d1.0x54 d4.3", "1.54 2.00 4.03" },
	/* clang-format on */
};

struct seen {
	struct ntm_nv50_card card;
	char text[256];
};

static void see(void *arg, const struct ntm_stretch *stretch)
{
	struct seen *s = arg;
	struct ntm_nv50_wires wires;
	size_t n = 0;

	ntm_wires_of(stretch, &s->card, &wires);
	for (uint32_t i = 0; i < NTHW_NV_DOMAINS * 256 && n < sizeof(s->text); i++)
		if (wires.of[i / 256][i % 256 / 32] >> i % 32 & 1)
			n += (size_t)snprintf(s->text + n, sizeof(s->text) - n, "%s%u.%02x",
					      n ? " " : "", i / 256, i % 256);
}

TEST(multiplexers_show_what_they_select)
{
	uint32_t *bar = calloc(1, NTM_NV50_BAR_BYTES);

	TT_FOR_EACH_ROW(r, mux_rows) {
		const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(r->chip);
		uint32_t keep[NTM_NV50_KINDS] = {
			[NTM_NV50_TPCS] = r->tpcs, [NTM_NV50_ROPS] = r->rops
		};
		struct ntm_scene *scene;
		struct seen s = { 0 };
		char text[256], why[256] = "";

		assert_true(ntm_nv50_card_init(&s.card, chip, bar));
		for (uint32_t i = 0; i < NTM_NV50_KINDS; i++)
			TT_EQ(r, !keep[i] || ntm_nv50_card_keep(&s.card, i, keep[i]), true);
		for (const struct poke *p = r->poke; p->address; p++)
			TT_EQ(r, ntm_nv50_card_write(&s.card, p->address, p->value), 0);
		(void)snprintf(text, sizeof(text), "frame\nclocks 1 %s\n", r->wires);
		if (ntm_scene_parse("s", text, strlen(text), chip, &scene, why, sizeof(why)) < 0)
			fail_msg("line %d: %s", r->line, why);
		for (uint32_t i = 0; i < NTM_NV50_KINDS; i++)
			if (keep[i])
				ntm_scene_keep(scene, i, keep[i]);
		ntm_scene_frame(scene, 1, see, &s);
		if (strcmp(s.text, r->signals) != 0)
			fail_msg("line %d: %s instead of %s", r->line, s.text, r->signals);
		ntm_scene_free(scene);
		for (const struct poke *p = r->poke; p->address; p++)
			bar[p->address / 4] = 0;
	}
	free(bar);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplexers_show_what_they_select),
	};

	return TT_RUN(tests);
}
