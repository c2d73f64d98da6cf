// SPDX-License-Identifier: MIT
/*
 * What the registers hold: by hand, and against a memory of single bits that is asked at every
 * step.
 */
#include <errno.h>
#include <stdbool.h>

#include <ntime/trace/state.h>

#include "trace/tests/lib/context.h"
#include "trace/tests/lib/records.h"

static struct ntime_trace_state *state_new(uint32_t registers)
{
	struct ntime_trace_state_options options = { .size = sizeof(options),
						     .registers = registers };
	struct ntime_trace_state *s;

	TT_IS(ntime_trace_state_new(tt_ctx, &options, &s), 0);
	return s;
}

static void put(struct ntime_trace_state *s, const char *text)
{
	struct ntime_record records[16];

	TT_IS(ntime_trace_state_put(s, records, tt_parse_records(text, records, 16)), 0);
}

#define NUMBER(member) TT_NUMBER(struct ntime_register_state, member)

static const struct tt_field fields[] = {
	NUMBER(flags),
	NUMBER(offset),
	NUMBER(value),
	NUMBER(known),
	NUMBER(volatile_bits),
	NUMBER(unlike_bits),
	NUMBER(reads),
	NUMBER(writes),
	NUMBER(device),
	NUMBER(region),
	NUMBER(width),
	NUMBER(last_read.number),
	NUMBER(last_read.value),
	NUMBER(last_read.offset),
	NUMBER(last_read.width),
	NUMBER(last_read.flags),
	NUMBER(last_write.number),
	NUMBER(last_write.time_ns),
	NUMBER(last_write.value),
	NUMBER(last_write.thread),
	NUMBER(last_write.mask),
	{ 0 },
};

/* What a read like @at would find. */
static int find(struct ntime_trace_state *s, const struct ntime_record *at,
		struct ntime_register_state *now)
{
	*now = (struct ntime_register_state){ .size = sizeof(*now) };
	return ntime_trace_state_find(s, at->device, at->region, at->offset, at->width, now);
}

static const struct state_row {
	int line;
	const char *name;		/* a state begins; NULL: the one before goes on */
	const char *records, *at, *has; /* .has NULL: nothing is known of what .at reads */
	uint64_t accesses;		/* 0: not asked for */
} state_rows[] = {
	{ __LINE__, "parts of a register are known apart", "W100=12:1", "R100",
	  "known=0xff, value=0x12", 0 },
	{ __LINE__, NULL, "W102=abcd:2", "R100", "known=0xffff00ff, value=0xabcd0012", 0 },
	{ __LINE__, NULL, "", "R101:1", "known=0", 0 },
	{ __LINE__, NULL, "", "R100:8", "known=0xffff00ff", 0 },
	{ __LINE__, NULL, "R100=abcd5612", "R100",
	  "known=0xffffffff, value=0xabcd5612, reads=1, writes=2, unlike_bits=0, volatile_bits=0",
	  0 },
	{ __LINE__, "masked writes tell of their bits alone", "W8=ffffffff&f0", "R8",
	  "known=0xf0, value=0xf0, last_write.mask=0xf0", 0 },
	{ __LINE__, "reads that differ make bits volatile", "R0=10 R0=11", "R0", "volatile_bits=1",
	  0 },
	/* A write in between: that may be why. */
	{ __LINE__, NULL, "R4=10 W4=20 R4=20", "R4", "volatile_bits=0, unlike_bits=0", 0 },
	/* But a write of another byte of it is not. */
	{ __LINE__, NULL, "R8=1000 W8=01:1 R8=2001", "R8", "volatile_bits=0x3000", 0 },
	{ __LINE__, "bits that do not read back are unknown after a write", "W0=8001", "R0",
	  "known=0xffffffff", 0 },
	{ __LINE__, NULL, "R0=1", "R0", "unlike_bits=0x8000, known=0xffffffff", 0 },
	{ __LINE__, NULL, "W0=8003", "R0", "known=0xffff7fff, value=3", 0 },
	{ __LINE__, NULL, "R0=3", "R0", "known=0xffffffff, volatile_bits=0", 0 },
	{ __LINE__, "who and when is kept", "W40=7@5000^12 R41=f00:1@6000", "R40",
	  "last_write.number=1, last_write.time_ns=5000, last_write.thread=12, last_write.value=7, "
	  "last_read.number=2, last_read.offset=0x41, last_read.width=1, last_read.value=0, "
	  "last_read.flags=3",
	  2 },
	{ __LINE__, "what is not known is not invented", "", "R0", NULL, 0 },
	/* A read that gave nothing, something ntime made up, and marks. */
	{ __LINE__, NULL, "R0 !R4=9 C8=9", "R0", "known=0, reads=1", 0 },
	{ __LINE__, NULL, "", "R4:8", NULL, 0 },
	{ __LINE__, NULL, "", "%1R0", NULL, 0 },
	{ __LINE__, NULL, "", "#1R0", NULL, 0 },
	{ __LINE__, "losses are told", "W0=1", "R0", "flags=0", 0 },
	{ __LINE__, NULL, "L?5", "R0", "flags=1", 0 }, /* NTIME_STATE_BEFORE_LOSS */
	{ __LINE__, NULL, "W4=1", "R4", "flags=0", 0 },
	{ __LINE__, NULL, "W0=1", "R0", "flags=0", 0 },
	{ __LINE__, "lists of operations count once", "T?0 W0=5 R4 T?1 W0=5 R4=77", "R0",
	  "writes=1", 2 },
	{ __LINE__, NULL, "", "R4", "reads=1, value=0x77", 0 },
	{ __LINE__, "accesses across eight bytes", "W6=44332211", "R6", "value=0x44332211", 0 },
	{ __LINE__, NULL, "", "R8:2", "value=0x4433", 0 },
	{ __LINE__, NULL, "", "R0:8", "known=0xffff000000000000", 0 },
	{ __LINE__, NULL, "", "R4:8", "value=0x0000443322110000", 0 },
	{ __LINE__, NULL, "W1=8877665544332211:8", "R1:8", "value=0x8877665544332211", 0 },
	{ __LINE__, NULL, "", "R8:1", "value=0x88", 0 },
};

TEST(what_registers_hold)
{
	struct ntime_trace_state *s = NULL;

	TT_FOR_EACH_ROW(r, state_rows) {
		struct ntime_register_state now;
		struct ntime_record at;
		int ret;

		if (r->name) {
			ntime_trace_state_free(s);
			s = state_new(0);
		}
		put(s, r->records);
		TT_EQ(r, tt_parse_records(r->at, &at, 1), 1);
		ret = find(s, &at, &now);
		if (r->has)
			TT_FIELDS(r, &now, fields, r->has);
		else
			TT_EQ(r, ret, 0);
		if (r->accesses)
			TT_EQ(r, ntime_trace_state_accesses(s), r->accesses);
	}
	ntime_trace_state_free(s);
}

/* Registers in the order they come. */
struct rows {
	struct ntime_register_state row[16];
	int n;
};

static int take(void *arg, const struct ntime_register_state *row)
{
	struct rows *rows = arg;

	assert_true(rows->n < 16);
	rows->row[rows->n++] = *row;
	return 0;
}

TEST(the_widest_access_makes_the_register)
{
	static const struct {
		int line;
		const char *has;
	} want[] = {
		{ __LINE__, "offset=0x10, width=4, writes=2, reads=1, value=0x03000004" },
		{ __LINE__, "offset=0x20, width=1" },
		{ __LINE__, "offset=0x21" },
		{ __LINE__, "device=1, region=2, width=8" },
	};
	struct ntime_trace_state *s = state_new(0);
	struct rows rows = { .n = 0 };

	put(s, "W20=1:1 W21=2:1 W13=3:1 W10=4 R12=300:2 #1%2W0=0:8");
	TT_IS(ntime_trace_state_for_each(s, take, &rows), 4);
	TT_FOR_EACH_ROW(r, want)
		TT_FIELDS(r, &rows.row[r - want], fields, r->has);
	ntime_trace_state_free(s);
}

TEST(memory_has_a_limit)
{
	struct ntime_trace_state *s = state_new(3);
	struct rows rows = { .n = 0 };

	put(s, "W0=0 W4=1 W8=2 Wc=3 W10=4 W0=9");
	TT_IS(ntime_trace_state_dropped(s), 2);
	TT_IS(ntime_trace_state_accesses(s), 6);
	TT_IS(ntime_trace_state_for_each(s, take, &rows), 3);
	TT_IS(rows.row[0].value, 9);
	ntime_trace_state_free(s);
}

TEST(options_are_checked)
{
	struct ntime_trace_state_options options = { .size = 1 };
	struct ntime_register_state now = { .size = sizeof(now) };
	struct ntime_trace_state *s;

	TT_IS(ntime_trace_state_new(tt_ctx, &options, &s), -EINVAL);
	TT_HAS(ntime_trace_error_text(tt_ctx), "version");
	options = (struct ntime_trace_state_options){ .size = sizeof(options),
						      .registers = UINT32_MAX };
	TT_IS(ntime_trace_state_new(tt_ctx, &options, &s), -EINVAL);
	TT_HAS(ntime_trace_error_text(tt_ctx), "at most");
	TT_IS(ntime_trace_state_new(tt_ctx, NULL, &s), 0);
	put(s, "R0 !R4=9 C8=9");
	TT_IS(ntime_trace_state_find(s, 0, 0, 0, 3, &now), -EINVAL);
	now.size = 1;
	TT_IS(ntime_trace_state_find(s, 0, 0, 0, 4, &now), -EINVAL);
	ntime_trace_state_free(s);
	ntime_trace_state_free(NULL);
}

/* A memory where each bit stands alone. */
#define BITS (64 * 8)

struct simple {
	bool known[BITS], value[BITS], by_read[BITS], by_write[BITS], is_volatile[BITS],
		is_unlike[BITS];
};

static void simple_access(struct simple *m, bool is_write, uint64_t offset, unsigned int width,
			  uint64_t value, uint64_t mask)
{
	for (unsigned int i = 0; i < 8 * width; i++) {
		unsigned int at_bit = (unsigned int)offset * 8 + i;
		bool bit = value >> i & 1;

		if (!(mask >> i & 1))
			continue;
		if (!is_write && m->by_read[at_bit] && m->value[at_bit] != bit)
			m->is_volatile[at_bit] = true;
		if (!is_write && m->by_write[at_bit] && m->value[at_bit] != bit)
			m->is_unlike[at_bit] = true;
		m->value[at_bit] = bit;
		m->by_read[at_bit] = !is_write;
		m->by_write[at_bit] = is_write;
		m->known[at_bit] = !is_write || !m->is_unlike[at_bit];
	}
}

static uint64_t bits_of(const bool *bit, uint64_t offset, unsigned int width)
{
	uint64_t all = 0;

	for (unsigned int i = 0; i < 8 * width; i++)
		all |= (uint64_t)bit[offset * 8 + i] << i;
	return all;
}

static unsigned int draw(uint64_t *seed, unsigned int below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(*seed >> 33) % below;
}

TEST(random_accesses_against_single_bits)
{
	uint64_t seed = tt_seed();

	for (int round = 0; round < 20; round++) {
		struct ntime_trace_state *s = state_new(0);
		struct simple *m = calloc(1, sizeof(*m));

		assert_non_null(m);
		for (int step = 0; step < 400; step++) {
			unsigned int width = 1u << draw(&seed, 4);
			uint64_t offset = draw(&seed, 64 - width + 1), mask = UINT64_MAX;
			bool is_write = draw(&seed, 2),
			     is_masked = is_write && width <= 4 && draw(&seed, 2);
			/* Few values, so that many bits stay. */
			uint64_t value = draw(&seed, 4) * UINT64_C(0x1111111111111111);
			struct ntime_register_state now;
			struct ntime_record at;

			if (is_masked)
				mask = draw(&seed, 0xffff) * UINT64_C(0x10001);
			at = (struct ntime_record){
				.kind = is_write,
				.offset = offset,
				.width = (uint8_t)width,
				.value = value,
				.mask = (uint32_t)mask,
				.flags = NTIME_RECORD_VALUED | (is_masked ? NTIME_RECORD_MASKED : 0)
			};
			TT_IS(ntime_trace_state_put(s, &at, 1), 0);
			simple_access(m, is_write, offset, width, value,
				      is_masked ? (uint32_t)mask : UINT64_MAX);
			width = 1u << draw(&seed, 4);
			offset = draw(&seed, 64 - width + 1);
			at = (struct ntime_record){ .offset = offset, .width = (uint8_t)width };
			find(s, &at, &now);
			TT_IS(now.known, bits_of(m->known, offset, width));
			TT_IS(now.value,
			      bits_of(m->known, offset, width) & bits_of(m->value, offset, width));
			TT_IS(now.volatile_bits, bits_of(m->is_volatile, offset, width));
			TT_IS(now.unlike_bits, bits_of(m->is_unlike, offset, width));
		}
		free(m);
		ntime_trace_state_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_registers_hold),
		cmocka_unit_test(the_widest_access_makes_the_register),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(options_are_checked),
		cmocka_unit_test(random_accesses_against_single_bits),
	};

	return cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;
}
