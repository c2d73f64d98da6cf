/* SPDX-License-Identifier: MIT */
/*
 * Random register traffic against the rows: after every write each register of the table holds what
 * its row says it must. One struct traffic a model under test; what a row cannot say (a write that
 * clears another register, one that faults) the test tells in .after and .touches, typed in from
 * the document, never by asking the model.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "core/base/reg.h"
#include "base/tests/tt.h"

struct traffic {
	const struct nthw_table *table;
	void *model;
	/* 0, or negative when the access is refused; *@value only on success */
	int (*read)(void *model, uint32_t addr, uint64_t *value);
	int (*write)(void *model, uint32_t addr, uint64_t value);
	/* How many instances of @reg this model has; NULL: as many as the row. */
	uint32_t (*count)(void *model, const struct nthw_reg *reg);
	/* What instance @index of @reg must hold after a reset; NULL: the row's reset value. */
	uint64_t (*reset)(void *model, const struct nthw_reg *reg, uint32_t index);
	/*
	 * What it must hold after @value was written over @before; *@refused must be set when the
	 * write has to fail (the register then keeps @before). NULL: traffic_stored().
	 */
	uint64_t (*after)(void *model, const struct nthw_reg *reg, uint32_t index, uint64_t before,
			  uint64_t value, bool *refused);
	/*
	 * A write to @reg instance @index changed another register (clears a status, is an alias):
	 * adjust @expected of @other. NULL: registers are apart from each other.
	 */
	uint64_t (*touches)(void *model, const struct nthw_reg *reg, uint32_t index, uint64_t value,
			    const struct nthw_reg *other, uint32_t other_index, uint64_t expected);
};

#define TRAFFIC_MAX 128

/* The usual register: RW and OS bits take what is written, all others stay. */
static inline uint64_t traffic_stored(const struct nthw_reg *reg, uint64_t before, uint64_t value)
{
	uint64_t stored = nthw_reg_stored(reg);

	return (before & ~stored) | (value & stored);
}

/* Random values as software writes them: nothing, everything, one bit, half of them, any. */
static inline uint64_t traffic_value(uint64_t *seed)
{
	uint64_t any = tt_random(seed);

	switch (tt_random(seed) % 6) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return (uint64_t)1 << (any % 64);
	case 3:
		return any & tt_random(seed);
	case 4:
		return any & 0xffffffff;
	default:
		return any;
	}
}

static inline uint32_t traffic_count_(const struct traffic *t, const struct nthw_reg *reg)
{
	return t->count ? t->count(t->model, reg) : reg->count;
}

static inline uint32_t traffic_addr_(const struct nthw_reg *reg, uint32_t index)
{
	return reg->addr + index * reg->step;
}

/* All readable registers of the model in table order; a refused read fails the test. */
static inline size_t traffic_read_all_(const struct traffic *t, uint64_t *values)
{
	size_t n = 0, i;
	uint32_t k;

	for (i = 0; i < t->table->count; i++) {
		const struct nthw_reg *reg = t->table->regs[i];

		for (k = 0; k < traffic_count_(t, reg); k++) {
			assert_true(n < TRAFFIC_MAX);
			values[n] = 0;
			if (t->read(t->model, traffic_addr_(reg, k), &values[n]) != 0) {
				print_error("%s %u cannot be read\n", reg->name, k);
				fail();
			}
			n++;
		}
	}
	return n;
}

/* Every register holds its reset value. Call it after reset and before the traffic. */
static inline void traffic_check_reset(const struct traffic *t)
{
	uint64_t values[TRAFFIC_MAX], want;
	size_t n = 0, i;
	uint32_t k;

	traffic_read_all_(t, values);
	for (i = 0; i < t->table->count; i++) {
		const struct nthw_reg *reg = t->table->regs[i];

		for (k = 0; k < traffic_count_(t, reg); k++, n++) {
			want = t->reset ? t->reset(t->model, reg, k) : reg->reset;
			if (values[n] == want)
				continue;
			print_error("%s %u is %#llx after reset, expected %#llx\n", reg->name, k,
				    (unsigned long long)values[n], (unsigned long long)want);
			fail();
		}
	}
	assert_true(n > 0);
}

static inline void traffic_compare_(const struct traffic *t, const struct nthw_reg *written,
				    uint32_t index, uint64_t value, bool refused,
				    const uint64_t *before)
{
	uint64_t now[TRAFFIC_MAX], want;
	size_t n = 0, i;
	uint32_t k;

	traffic_read_all_(t, now);
	for (i = 0; i < t->table->count; i++) {
		const struct nthw_reg *reg = t->table->regs[i];

		for (k = 0; k < traffic_count_(t, reg); k++, n++) {
			want = before[n];
			if (!refused && reg == written && k == index) {
				bool no = false;

				want = t->after ? t->after(t->model, reg, k, want, value, &no)
						: traffic_stored(reg, want, value);
			} else if (!refused && t->touches) {
				want = t->touches(t->model, written, index, value, reg, k, want);
			}
			if (now[n] == want)
				continue;
			print_error("%s %u is %#llx, expected %#llx, after %#llx was written to "
				    "%s %u%s\n",
				    reg->name, k, (unsigned long long)now[n],
				    (unsigned long long)want, (unsigned long long)value,
				    written->name, index, refused ? " (refused)" : "");
			fail();
		}
	}
}

/* @rounds writes of random values to random registers; nothing may be counting meanwhile. */
static inline void traffic_run(const struct traffic *t, uint64_t *seed, unsigned int rounds)
{
	uint64_t before[TRAFFIC_MAX];
	unsigned int accepted = 0;

	while (rounds--) {
		const struct nthw_reg *reg = t->table->regs[tt_random(seed) % t->table->count];
		uint64_t value = traffic_value(seed);
		uint32_t count = traffic_count_(t, reg), index;
		bool refused = false;
		int ret;

		if (!count)
			continue;
		index = (uint32_t)(tt_random(seed) % count);
		traffic_read_all_(t, before);
		if (t->after)
			t->after(t->model, reg, index, 0, value, &refused);
		ret = t->write(t->model, traffic_addr_(reg, index), value);
		if ((ret != 0) != refused) {
			print_error("writing %#llx to %s %u returned %d, which is wrong\n",
				    (unsigned long long)value, reg->name, index, ret);
			fail();
		}
		accepted += !refused;
		traffic_compare_(t, reg, index, value, refused, before);
	}
	assert_true(accepted > 0);
}

#endif
