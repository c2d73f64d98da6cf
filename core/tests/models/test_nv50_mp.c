// SPDX-License-Identifier: MIT
/*
 * Counters of multiprocessors: words of slots against those of Mesa's table and of push buffers;
 * the sequence on contexts that are models, which take turns at random; readings that come late.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/models/nv50_mp.h"
#include "core/seq/nv50_mp.h"
#include "base/tests/tt.h"

#define CONTEXTS 2
#define MPS 6

/* Words of slot 0 as in push buffers of G200 under CUPTI and in Mesa; others follow by function. */
static const struct word_row {
	int line;
	struct nthw_nv_mp_event event;
	uint32_t slot, word;
} word_rows[] = {
	{ __LINE__, { 0x02, 4, 0 }, 0, 0x02aaaa40 }, /* branch */
	{ __LINE__, { 0x09, 4, 0 }, 0, 0x09aaaa40 }, /* divergent_branch */
	{ __LINE__, { 0x09, 4, 0 }, 1, 0x09cccc40 },
	{ __LINE__, { 0x04, 4, 0 }, 0, 0x04aaaa40 }, /* instructions */
	{ __LINE__, { 0x04, 4, 0 }, 2, 0x04f0f040 },
	{ __LINE__, { 0x26, 1, 0 }, 0, 0x26aaaa10 }, /* prof_trigger_00 */
	{ __LINE__, { 0x2d, 1, 0 }, 3, 0x2dff0010 },
	{ __LINE__, { 0x33, 1, 0 }, 0, 0x33aaaa10 }, /* sm_cta_launched */
	{ __LINE__, { 0x0b, 0, 0 }, 0, 0x0baaaa00 }, /* warp_serialize */
	{ __LINE__, { 0x34, 1, 0 }, 0, 0x34aaaa10 }, /* gld_request of G200 */
	{ __LINE__, { 0x35, 1, 1 }, 0, 0x35aaaa11 }, /* pulses of gst_request */
};

TEST(words_of_slots)
{
	TT_FOR_EACH_ROW(r, word_rows)
		TT_EQ(r, nthw_nv_mp_control(&r->event, r->slot), r->word);
}

/* ---- channels ---- */

struct card {
	struct nthw_io io; /* first */
	struct ntm_nv50_context context[CONTEXTS];
	struct ntm_nv50_channel channel[CONTEXTS];
	struct nthw_nv_mp mp[CONTEXTS];
	bool is_late; /* samples and read-outs are not done */
};

static int card_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t *value)
{
	struct card *card = (struct card *)io;
	uint32_t now = 0;

	assert_int_equal(space, NTHW_SPACE_CHANNEL);
	if (ntm_nv50_channel_read(&card->channel[unit], address, &now) < 0)
		return -EINVAL;
	*value = now;
	return 0;
}

static int card_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t value)
{
	struct card *card = (struct card *)io;

	assert_int_equal(space, NTHW_SPACE_CHANNEL);
	if (card->is_late && address >= NTHW_NV_MP_SAMPLE)
		return 0;
	return ntm_nv50_channel_method(&card->channel[unit], address, (uint32_t)value) < 0 ? -EINVAL
											   : 0;
}

static struct card *card_new(void)
{
	struct card *card = calloc(1, sizeof(*card));

	assert_non_null(card);
	card->io = (struct nthw_io){ .read = card_read, .write = card_write };
	for (unsigned int i = 0; i < CONTEXTS; i++) {
		card->context[i].mps = (1u << MPS) - 1;
		card->channel[i].context = &card->context[i];
		card->mp[i] = (struct nthw_nv_mp){ .io = &card->io, .channel = i };
	}
	return card;
}

static uint32_t draw(uint32_t below)
{
	return (uint32_t)rand() % below;
}

/*
 * Each has what happened while it ran, in the MP that it asked for, and pulses apart from clocks.
 */
TEST(contexts_take_turns)
{
	static const struct nthw_nv_mp_event events[] = {
		{ 4, 4, 0 }, { 2, 4, 0 }, { 4, 4, 1 }, { 0x33, 1, 0 }, { 7, 7, 1 }, { 0, 0, 0 }
	};
	struct card *card = card_new();

	srand(68);
	for (int round = 0; round < 50; round++) {
		const struct nthw_nv_mp_event *event[CONTEXTS][NTHW_NV_MP_SLOTS];
		uint32_t only[CONTEXTS][NTHW_NV_MP_SLOTS],
			should[CONTEXTS][NTHW_NV_MP_SLOTS] = { 0 };
		bool was[CONTEXTS][NTHW_NV_MP_SLOTS][MPS] = { 0 };
		uint32_t ran[CONTEXTS] = { 0 };
		struct nthw_nv_mp_reading before[CONTEXTS], reading;

		for (unsigned int c = 0; c < CONTEXTS; c++) {
			for (uint32_t i = 0; i < NTHW_NV_MP_SLOTS; i++) {
				event[c][i] = &events[draw(6)];
				only[c][i] = draw(MPS + 1);
				TT_IS(nthw_nv_mp_program(&card->mp[c], i, event[c][i], only[c][i]),
				      0);
				memset(card->context[c].was_high, 0, NTM_MPS_MAX);
			}
			TT_IS(nthw_nv_mp_ask(&card->mp[c]), 0);
			TT_IS(nthw_nv_mp_take(&card->mp[c], card->mp[c].number, &before[c]), 0);
		}
		for (int step = 0; step < 60; step++) {
			struct ntm_mp_signals signals = { .count = draw(NTM_MP_SIGNALS) };
			unsigned int c = draw(CONTEXTS);
			uint32_t clocks = 1 + draw(1000);

			for (size_t k = 0; k < signals.count; k++) {
				uint32_t which = draw(6), mp = draw(MPS + 1);

				signals.of[k] = (struct ntm_mp_signal){
					(uint8_t)(mp == MPS ? NTM_MPS_MAX : mp),
					(uint8_t)events[which].unit, (uint8_t)events[which].signal
				};
			}
			ntm_nv50_context_advance(&card->context[c], &signals, clocks);
			ran[c] += clocks;
			for (uint32_t i = 0; i < NTHW_NV_MP_SLOTS; i++)
				for (uint32_t mp = 0; mp < MPS; mp++) {
					bool is_high = false;

					for (size_t k = 0; k < signals.count; k++)
						is_high |=
							(signals.of[k].mp == mp ||
							 signals.of[k].mp == NTM_MPS_MAX) &&
							signals.of[k].unit == event[c][i]->unit &&
							signals.of[k].signal == event[c][i]->signal;
					if (is_high && (!only[c][i] || only[c][i] == mp + 1))
						should[c][i] += event[c][i]->is_pulse
									? !was[c][i][mp]
									: clocks;
					was[c][i][mp] = is_high;
				}
		}
		for (unsigned int c = 0; c < CONTEXTS; c++) {
			TT_IS(nthw_nv_mp_ask(&card->mp[c]), 0);
			TT_IS(nthw_nv_mp_take(&card->mp[c], card->mp[c].number, &reading), 0);
			TT_IS(reading.clocks - before[c].clocks, ran[c]);
			for (uint32_t i = 0; i < NTHW_NV_MP_SLOTS; i++)
				TT_IS(reading.count[i], should[c][i]);
		}
	}
	free(card);
}

/* A reading is found while it is one of the last eight, and said to be late or lost else. */
TEST(readings_by_number)
{
	const struct nthw_nv_mp_event event = { 4, 4, 0 };
	const struct ntm_mp_signals signals = { { { 0, 4, 4 } }, 1 };
	struct card *card = card_new();
	struct nthw_nv_mp *mp = &card->mp[1];
	struct nthw_nv_mp_reading reading;

	srand(8);
	TT_IS(nthw_nv_mp_take(mp, 1, &reading), NTHW_ENODATA);
	TT_IS(nthw_nv_mp_program(mp, 3, &event, 1), 0);
	for (uint32_t n = 1; n <= 10000; n++) {
		uint32_t asked = draw(12) < n ? n - draw(12) % n : n;

		ntm_nv50_context_advance(&card->context[1], &signals, 1);
		TT_IS(nthw_nv_mp_ask(mp), 0);
		TT_IS(mp->number, n);
		TT_IS(nthw_nv_mp_take(mp, asked, &reading),
		      n - asked < NTM_MP_DEPTH ? 0 : NTHW_ESTALE);
		if (n - asked < NTM_MP_DEPTH)
			TT_IS(reading.count[3], asked);
		TT_IS(nthw_nv_mp_take(mp, n + 1 + draw(3), &reading), NTHW_ENODATA);
	}
	/* One that the card has not come to, and numbers that go round. */
	card->is_late = true;
	TT_IS(nthw_nv_mp_ask(mp), 0);
	TT_IS(nthw_nv_mp_take(mp, mp->number, &reading), NTHW_ENODATA);
	card->is_late = false;
	mp->number = UINT32_MAX;
	TT_IS(nthw_nv_mp_ask(mp), 0);
	TT_IS(mp->number, 1);
	free(card);
}

TEST(methods_of_the_class_that_draws)
{
	struct card *card = card_new();

	for (uint32_t i = 0; i < NTHW_NV_MP_SLOTS; i++) {
		TT_IS(ntm_nv50_channel_method(&card->channel[0], 0x12f0 + 4 * i, 7 + i), 0);
		TT_IS(ntm_nv50_channel_method(&card->channel[0], 0x1580 + 4 * i, 0x04aaaa40 + i),
		      0);
		TT_IS(card->context[0].count[0][i], 7 + i);
		TT_IS(card->context[0].control[i], 0x04aaaa40 + i);
	}
	free(card);
}

TEST(methods_that_are_none)
{
	static const struct {
		uint32_t method, value;
	} rows[] = { { 0, 0 },	   { 0x2cc, 0 }, { 0x2e1, 0 },	     { 0x2f0, 0 },  { 0x610, 0 },
		     { 0x618, 0 }, { 0x614, 0 }, { 0x600, MPS + 1 }, { 0x60c, 99 }, { 0x5fc, 0 } };
	struct card *card = card_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		TT_IS(ntm_nv50_channel_method(&card->channel[0], rows[i].method, rows[i].value),
		      rows[i].method == 0x610 ? 0 : NTM_NOT_MINE);
	free(card);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_of_slots),
		cmocka_unit_test(contexts_take_turns),
		cmocka_unit_test(readings_by_number),
		cmocka_unit_test(methods_of_the_class_that_draws),
		cmocka_unit_test(methods_that_are_none),
	};

	return TT_RUN(tests);
}
