// SPDX-License-Identifier: MIT
/*
 * What the registers hold: by hand, and against a memory of single bits that is asked at every
 * step.
 */
#include <errno.h>
#include <stdbool.h>

#include <ntime/trace/state.h>

#include "trace/tests/lib/context.h"
#include "base/tests/tt.h"

#define VALUED NTIME_RECORD_VALUED
#define TIMED NTIME_RECORD_TIMED

static struct ntime_trace_state *state_new(uint32_t registers)
{
	struct ntime_trace_state_options options = { .size = sizeof(options),
						     .registers = registers };
	struct ntime_trace_state *s;

	TT_IS(ntime_trace_state_new(tt_ctx, &options, &s), 0);
	return s;
}

static void put(struct ntime_trace_state *s, struct ntime_record r)
{
	TT_IS(ntime_trace_state_put(s, &r, 1), 0);
}

static void access_at(struct ntime_trace_state *s, int kind, uint64_t offset, uint8_t width,
		      uint64_t value)
{
	put(s, (struct ntime_record){ .kind = (uint8_t)kind,
				      .offset = offset,
				      .width = width,
				      .value = value,
				      .flags = VALUED });
}

static void read_at(struct ntime_trace_state *s, uint64_t offset, uint8_t width, uint64_t value)
{
	access_at(s, NTIME_RECORD_READ, offset, width, value);
}

static void write_at(struct ntime_trace_state *s, uint64_t offset, uint8_t width, uint64_t value)
{
	access_at(s, NTIME_RECORD_WRITE, offset, width, value);
}

static struct ntime_register_state at(struct ntime_trace_state *s, uint64_t offset, uint32_t width)
{
	struct ntime_register_state now = { .size = sizeof(now) };

	ntime_trace_state_find(s, 0, 0, offset, width, &now);
	return now;
}

TEST(parts_of_a_register_are_known_apart)
{
	struct ntime_trace_state *s = state_new(0);

	write_at(s, 0x100, 1, 0x12);
	TT_IS(at(s, 0x100, 4).known, 0xff);
	TT_IS(at(s, 0x100, 4).value, 0x12);
	write_at(s, 0x102, 2, 0xabcd);
	TT_IS(at(s, 0x100, 4).known, 0xffff00ff);
	TT_IS(at(s, 0x100, 4).value, 0xabcd0012);
	TT_IS(at(s, 0x101, 1).known, 0);
	TT_IS(at(s, 0x100, 8).known, 0xffff00ff);
	read_at(s, 0x100, 4, 0xabcd5612);
	TT_IS(at(s, 0x100, 4).known, 0xffffffff);
	TT_IS(at(s, 0x100, 4).value, 0xabcd5612);
	TT_IS(at(s, 0x100, 4).reads, 1);
	TT_IS(at(s, 0x100, 4).writes, 2);
	TT_IS(at(s, 0x100, 4).unlike_bits | at(s, 0x100, 4).volatile_bits, 0);
	ntime_trace_state_free(s);
}

TEST(masked_writes_tell_of_their_bits_alone)
{
	struct ntime_trace_state *s = state_new(0);

	put(s, (struct ntime_record){ .kind = NTIME_RECORD_WRITE,
				      .offset = 8,
				      .width = 4,
				      .value = 0xffffffff,
				      .mask = 0x00f0,
				      .flags = VALUED | NTIME_RECORD_MASKED });
	TT_IS(at(s, 8, 4).known, 0xf0);
	TT_IS(at(s, 8, 4).value, 0xf0);
	TT_IS(at(s, 8, 4).last_write.mask, 0xf0);
	ntime_trace_state_free(s);
}

TEST(reads_that_differ_make_bits_volatile)
{
	struct ntime_trace_state *s = state_new(0);

	read_at(s, 0, 4, 0x10);
	read_at(s, 0, 4, 0x11);
	TT_IS(at(s, 0, 4).volatile_bits, 1);
	/* A write in between: that may be why. */
	read_at(s, 4, 4, 0x10);
	write_at(s, 4, 4, 0x20);
	read_at(s, 4, 4, 0x20);
	TT_IS(at(s, 4, 4).volatile_bits, 0);
	TT_IS(at(s, 4, 4).unlike_bits, 0);
	/* But a write of another byte of it is not. */
	read_at(s, 8, 4, 0x1000);
	write_at(s, 8, 1, 0x01);
	read_at(s, 8, 4, 0x2001);
	TT_IS(at(s, 8, 4).volatile_bits, 0x3000);
	ntime_trace_state_free(s);
}

TEST(bits_that_do_not_read_back_are_unknown_after_a_write)
{
	struct ntime_trace_state *s = state_new(0);

	write_at(s, 0, 4, 0x8001);
	TT_IS(at(s, 0, 4).known, 0xffffffff);
	read_at(s, 0, 4, 0x0001);
	TT_IS(at(s, 0, 4).unlike_bits, 0x8000);
	TT_IS(at(s, 0, 4).known, 0xffffffff);
	write_at(s, 0, 4, 0x8003);
	TT_IS(at(s, 0, 4).known, 0xffff7fff);
	TT_IS(at(s, 0, 4).value, 0x0003);
	read_at(s, 0, 4, 0x0003);
	TT_IS(at(s, 0, 4).known, 0xffffffff);
	TT_IS(at(s, 0, 4).volatile_bits, 0);
	ntime_trace_state_free(s);
}

TEST(who_and_when_is_kept)
{
	struct ntime_trace_state *s = state_new(0);
	struct ntime_register_state now;

	put(s, (struct ntime_record){ .kind = NTIME_RECORD_WRITE,
				      .offset = 0x40,
				      .width = 4,
				      .value = 7,
				      .thread = 12,
				      .time_ns = 5000,
				      .flags = VALUED | TIMED | NTIME_RECORD_THREADED });
	put(s, (struct ntime_record){ .kind = NTIME_RECORD_READ,
				      .offset = 0x41,
				      .width = 1,
				      .value = 0xf00,
				      .time_ns = 6000,
				      .flags = VALUED | TIMED });
	now = at(s, 0x40, 4);
	TT_IS(now.last_write.number, 1);
	TT_IS(now.last_write.time_ns, 5000);
	TT_IS(now.last_write.thread, 12);
	TT_IS(now.last_write.value, 7);
	TT_IS(now.last_read.number, 2);
	TT_IS(now.last_read.offset, 0x41);
	TT_IS(now.last_read.width, 1);
	TT_IS(now.last_read.value, 0);
	TT_IS(now.last_read.flags & NTIME_RECORD_THREADED, 0);
	TT_IS(ntime_trace_state_accesses(s), 2);
	ntime_trace_state_free(s);
}

TEST(what_is_not_known_is_not_invented)
{
	struct ntime_trace_state *s = state_new(0);
	struct ntime_register_state now = { .size = sizeof(now) };

	TT_IS(ntime_trace_state_find(s, 0, 0, 0, 4, &now), 0);
	/* A read that gave nothing, something ntime made up, and marks. */
	put(s, (struct ntime_record){ .kind = NTIME_RECORD_READ, .offset = 0, .width = 4 });
	put(s, (struct ntime_record){
		       .kind = NTIME_RECORD_READ,
		       .offset = 4,
		       .width = 4,
		       .value = 9,
		       .flags = VALUED | NTIME_RECORD_SYNTHETIC,
	       });
	put(s, (struct ntime_record){ .kind = NTIME_RECORD_CONFIG_READ,
				      .offset = 8,
				      .width = 4,
				      .value = 9,
				      .flags = VALUED });
	TT_IS(at(s, 0, 4).known, 0);
	TT_IS(at(s, 0, 4).reads, 1);
	TT_IS(ntime_trace_state_find(s, 0, 0, 4, 8, &now), 0);
	TT_IS(ntime_trace_state_find(s, 0, 1, 0, 4, &now), 0);
	TT_IS(ntime_trace_state_find(s, 1, 0, 0, 4, &now), 0);
	TT_IS(ntime_trace_state_find(s, 0, 0, 0, 3, &now), -EINVAL);
	now.size = 1;
	TT_IS(ntime_trace_state_find(s, 0, 0, 0, 4, &now), -EINVAL);
	ntime_trace_state_free(s);
}

TEST(losses_are_told)
{
	struct ntime_trace_state *s = state_new(0);

	write_at(s, 0, 4, 1);
	TT_IS(at(s, 0, 4).flags, 0);
	put(s, (struct ntime_record){ .kind = NTIME_RECORD_LOST, .value = 5 });
	TT_IS(at(s, 0, 4).flags, NTIME_STATE_BEFORE_LOSS);
	write_at(s, 4, 4, 1);
	TT_IS(at(s, 4, 4).flags, 0);
	write_at(s, 0, 4, 1);
	TT_IS(at(s, 0, 4).flags, 0);
	ntime_trace_state_free(s);
}

TEST(lists_of_operations_count_once)
{
	struct ntime_trace_state *s = state_new(0);

	for (uint64_t back = 0; back < 2; back++) {
		put(s, (struct ntime_record){ .kind = NTIME_RECORD_LIST, .value = back });
		write_at(s, 0, 4, 5);
		put(s, (struct ntime_record){ .kind = NTIME_RECORD_READ,
					      .offset = 4,
					      .width = 4,
					      .value = back ? 0x77 : 0,
					      .flags = back ? VALUED : 0 });
	}
	TT_IS(at(s, 0, 4).writes, 1);
	TT_IS(at(s, 4, 4).reads, 1);
	TT_IS(at(s, 4, 4).value, 0x77);
	TT_IS(ntime_trace_state_accesses(s), 2);
	ntime_trace_state_free(s);
}

TEST(accesses_across_eight_bytes)
{
	struct ntime_trace_state *s = state_new(0);

	write_at(s, 6, 4, 0x44332211);
	TT_IS(at(s, 6, 4).value, 0x44332211);
	TT_IS(at(s, 8, 2).value, 0x4433);
	TT_IS(at(s, 0, 8).known, 0xffff000000000000);
	TT_IS(at(s, 4, 8).value, 0x0000443322110000);
	write_at(s, 1, 8, 0x8877665544332211);
	TT_IS(at(s, 1, 8).value, (long long)0x8877665544332211);
	TT_IS(at(s, 8, 1).value, 0x88);
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
	struct ntime_trace_state *s = state_new(0);
	struct rows rows = { .n = 0 };

	write_at(s, 0x20, 1, 1);
	write_at(s, 0x21, 1, 2);
	write_at(s, 0x13, 1, 3);
	write_at(s, 0x10, 4, 4);
	read_at(s, 0x12, 2, 0x0300);
	put(s, (struct ntime_record){ .kind = NTIME_RECORD_WRITE,
				      .device = 1,
				      .region = 2,
				      .width = 8,
				      .flags = VALUED });
	TT_IS(ntime_trace_state_for_each(s, take, &rows), 4);
	TT_IS(rows.row[0].offset, 0x10);
	TT_IS(rows.row[0].width, 4);
	TT_IS(rows.row[0].writes, 2);
	TT_IS(rows.row[0].reads, 1);
	TT_IS(rows.row[0].value, 0x03000004);
	TT_IS(rows.row[1].offset, 0x20);
	TT_IS(rows.row[1].width, 1);
	TT_IS(rows.row[2].offset, 0x21);
	TT_IS(rows.row[3].device, 1);
	TT_IS(rows.row[3].region, 2);
	TT_IS(rows.row[3].width, 8);
	ntime_trace_state_free(s);
}

TEST(memory_has_a_limit)
{
	struct ntime_trace_state *s = state_new(3);
	struct rows rows = { .n = 0 };

	for (uint64_t i = 0; i < 5; i++)
		write_at(s, 4 * i, 4, i);
	write_at(s, 0, 4, 9);
	TT_IS(ntime_trace_state_dropped(s), 2);
	TT_IS(ntime_trace_state_accesses(s), 6);
	TT_IS(ntime_trace_state_for_each(s, take, &rows), 3);
	TT_IS(rows.row[0].value, 9);
	ntime_trace_state_free(s);
}

TEST(options_are_checked)
{
	struct ntime_trace_state_options options = { .size = 1 };
	struct ntime_trace_state *s;

	TT_IS(ntime_trace_state_new(tt_ctx, &options, &s), -EINVAL);
	TT_HAS(ntime_trace_error_text(tt_ctx), "version");
	options = (struct ntime_trace_state_options){ .size = sizeof(options),
						      .registers = UINT32_MAX };
	TT_IS(ntime_trace_state_new(tt_ctx, &options, &s), -EINVAL);
	TT_HAS(ntime_trace_error_text(tt_ctx), "at most");
	TT_IS(ntime_trace_state_new(tt_ctx, NULL, &s), 0);
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

			if (is_masked)
				mask = draw(&seed, 0xffff) * UINT64_C(0x10001);
			put(s, (struct ntime_record){
				       .kind = is_write,
				       .offset = offset,
				       .width = (uint8_t)width,
				       .value = value,
				       .mask = (uint32_t)mask,
				       .flags = VALUED | (is_masked ? NTIME_RECORD_MASKED : 0) });
			simple_access(m, is_write, offset, width, value,
				      is_masked ? (uint32_t)mask : UINT64_MAX);
			width = 1u << draw(&seed, 4);
			offset = draw(&seed, 64 - width + 1);
			now = at(s, offset, width);
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
		cmocka_unit_test(parts_of_a_register_are_known_apart),
		cmocka_unit_test(masked_writes_tell_of_their_bits_alone),
		cmocka_unit_test(reads_that_differ_make_bits_volatile),
		cmocka_unit_test(bits_that_do_not_read_back_are_unknown_after_a_write),
		cmocka_unit_test(who_and_when_is_kept),
		cmocka_unit_test(what_is_not_known_is_not_invented),
		cmocka_unit_test(losses_are_told),
		cmocka_unit_test(lists_of_operations_count_once),
		cmocka_unit_test(accesses_across_eight_bytes),
		cmocka_unit_test(the_widest_access_makes_the_register),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(options_are_checked),
		cmocka_unit_test(random_accesses_against_single_bits),
	};

	return cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;
}
