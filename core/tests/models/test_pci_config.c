// SPDX-License-Identifier: MIT
/*
 * core/models/pci_config: a PCI header that takes only what it may. What is expected is typed in
 * from the specification.
 */
#include "core/regs/regs.h"
#include "core/models/pci_config.h"
#include "core/tests/models/traffic.h"

#define COMMAND 0x04
#define STATUS 0x06

static const struct ntm_pci_identity some = {
	.vendor = 0x8086,
	.device = 0x3cb0,
	.subvendor = 0x1234,
	.subsystem = 0x5678,
	.class_code = 0x088001,
	.revision = 7,
	.interrupt_pin = 2,
	.is_multifunction = true,
};

static void make(struct ntm_pci_config *c)
{
	ntm_pci_config_init(c, &some);
	assert_true(ntm_pci_config_add_bar(c, 0, 4096, false));
	assert_true(ntm_pci_config_add_bar(c, 1, 32, true));
	assert_true(ntm_pci_config_add_bar(c, 5, 0x100000, false));
	assert_true(ntm_pci_config_add_capability(c, 0x09, 0x40));
	assert_true(ntm_pci_config_add_capability(c, 0x05, 0x50));
}

/*
 * What make() gives must hold after reset, and which bits of it software may set or clear: dwords 0
 * to 15.
 */
static const struct header_row {
	int line;
	uint32_t addr, reset, stored, cleared;
} header_rows[] = {
	{ __LINE__, 0x00, 0x3cb08086, 0, 0 },
	/*
	 * command 0x547: io, memory, master, parity, serr, no_intx; status 0xf900 clears; bit 4:
	 * has capabilities
	 */
	{ __LINE__, 0x04, 0x00100000, 0x00000547, 0xf9000000 },
	{ __LINE__, 0x08, 0x08800107, 0, 0 },
	{ __LINE__, 0x0c, 0x00800000, 0x0000ffff, 0 },
	{ __LINE__, 0x10, 0x00000000, 0xfffff000, 0 },
	{ __LINE__, 0x14, 0x00000001, 0xffffffe0, 0 },
	{ __LINE__, 0x18, 0x00000000, 0, 0 },
	{ __LINE__, 0x1c, 0x00000000, 0, 0 },
	{ __LINE__, 0x20, 0x00000000, 0, 0 },
	{ __LINE__, 0x24, 0x00000000, 0xfff00000, 0 },
	{ __LINE__, 0x28, 0x00000000, 0, 0 },
	{ __LINE__, 0x2c, 0x56781234, 0, 0 },
	{ __LINE__, 0x30, 0x00000000, 0, 0 },
	{ __LINE__, 0x34, 0x00000040, 0, 0 },
	{ __LINE__, 0x38, 0x00000000, 0, 0 },
	{ __LINE__, 0x3c, 0x00000200, 0x000000ff, 0 },
	{ __LINE__, 0x40, 0x00005009, 0, 0 },
	{ __LINE__, 0x50, 0x00000005, 0, 0 },
	{ __LINE__, 0xfc, 0x00000000, 0, 0 },
};

TEST(reset_values)
{
	struct ntm_pci_config c;

	make(&c);
	TT_FOR_EACH_ROW(r, header_rows)
		TT_EQ(r, ntm_pci_config_read(&c, r->addr, 4), r->reset);
	memset(c.value, 0xa5, sizeof(c.value));
	ntm_pci_config_reset(&c);
	TT_FOR_EACH_ROW(r, header_rows)
		TT_EQ(r, ntm_pci_config_read(&c, r->addr, 4), r->reset);
}

static uint8_t byte_of(uint32_t word, uint32_t index)
{
	return (uint8_t)(word >> (8 * index));
}

/* Random writes of 1, 2 and 4 bytes anywhere; the oracle is the table above, byte by byte. */
TEST(random_writes)
{
	uint8_t want[256], stored[256] = { 0 }, cleared[256] = { 0 };
	uint64_t seed = tt_seed();
	struct ntm_pci_config c;
	uint32_t i, round;

	make(&c);
	TT_FOR_EACH_ROW(r, header_rows)
		for (i = 0; i < 4; i++) {
			stored[r->addr + i] = byte_of(r->stored, i);
			cleared[r->addr + i] = byte_of(r->cleared, i);
		}
	memcpy(want, c.value, sizeof(want));
	for (round = 0; round < 20000; round++) {
		uint32_t bytes = 1u << tt_random(&seed) % 3;
		uint32_t addr = (uint32_t)(tt_random(&seed) % 256) & ~(bytes - 1);
		uint32_t value = (uint32_t)traffic_value(&seed);

		if (round % 16 == 0) {
			/* An error on the bus, so that there is something to clear. */
			uint16_t status = (uint16_t)(tt_random(&seed) & 0xf900) | 0x10;

			ntm_pci_config_put(&c, STATUS, 2, status);
			want[STATUS] = byte_of(status, 0);
			want[STATUS + 1] = byte_of(status, 1);
		}
		ntm_pci_config_write(&c, addr, bytes, value);
		for (i = 0; i < bytes; i++) {
			uint8_t b = byte_of(value, i), *w = &want[addr + i];

			*w = (uint8_t)((*w & ~stored[addr + i]) | (b & stored[addr + i]));
			*w = (uint8_t)(*w & ~(b & cleared[addr + i]));
		}
		assert_memory_equal(c.value, want, sizeof(want));
		assert_int_equal(ntm_pci_config_read(&c, addr & ~3u, 4),
				 want[addr & ~3u] | want[(addr & ~3u) + 1] << 8 |
					 want[(addr & ~3u) + 2] << 16 |
					 (uint32_t)want[(addr & ~3u) + 3] << 24);
	}
}

static int traffic_read(void *model, uint32_t addr, uint64_t *value)
{
	const struct nthw_reg *reg;
	uint32_t index;

	reg = nthw_table_find(&nthw_pci, addr, &index);
	*value = reg->bits > 16 ? ntm_pci_config_read(model, addr & ~3u, 4) >> (8 * (addr & 3))
				: ntm_pci_config_read(model, addr, reg->bits / 8);
	return 0;
}

static int traffic_write(void *model, uint32_t addr, uint64_t value)
{
	const struct nthw_reg *reg;
	uint32_t index, i;

	reg = nthw_table_find(&nthw_pci, addr, &index);
	for (i = 0; i < reg->bits / 8; i++)
		ntm_pci_config_write(model, addr + i, 1, byte_of((uint32_t)value, i));
	return 0;
}

static uint64_t traffic_reset(void *model, const struct nthw_reg *reg, uint32_t index)
{
	struct ntm_pci_config c;
	uint64_t value;

	(void)model;
	/*
	 * Identity and BARs are the function's own: what make() gives, which reset_values compares
	 * with typed-in numbers.
	 */
	make(&c);
	traffic_read(&c, reg->addr + index * reg->step, &value);
	return value;
}

static uint64_t traffic_after(void *model, const struct nthw_reg *reg, uint32_t index,
			      uint64_t before, uint64_t value, bool *refused)
{
	static const uint32_t bar_bits[6] = { 0xfffff000, 0xffffffe0, 0, 0, 0, 0xfff00000 };
	uint64_t after = traffic_stored(reg, before, value);

	(void)model;
	*refused = false;
	if (strcmp(reg->name, "PCI_BASE_ADDRESS") == 0)
		after = (before & ~(uint64_t)bar_bits[index]) | (value & bar_bits[index]);
	if (strcmp(reg->name, "PCI_STATUS") == 0)
		after = before & ~(value & 0xf900);
	return after;
}

TEST(random_traffic_by_rows)
{
	uint64_t seed = tt_seed();
	struct ntm_pci_config c;
	struct traffic t = {
		.table = &nthw_pci,
		.model = &c,
		.read = traffic_read,
		.write = traffic_write,
		.reset = traffic_reset,
		.after = traffic_after,
	};

	make(&c);
	traffic_check_reset(&t);
	ntm_pci_config_put(&c, STATUS, 2, 0xf910);
	traffic_run(&t, &seed, 5000);
}

static const struct size_row {
	int line;
	uint32_t index, bytes;
	bool is_io;
	bool is_good;
	uint32_t ones; /* what reads back after all ones were written */
} size_rows[] = {
	{ __LINE__, 0, 16, false, true, 0xfffffff0 },
	{ __LINE__, 1, 4096, false, true, 0xfffff000 },
	{ __LINE__, 2, 0x80000000, false, true, 0x80000000 },
	{ __LINE__, 3, 16, true, true, 0xfffffff1 },
	{ __LINE__, 4, 256, true, true, 0xffffff01 },
	{ __LINE__, 5, 512, true, false, 0 },
	{ __LINE__, 5, 0, false, false, 0 },
	{ __LINE__, 5, 8, false, false, 0 },
	{ __LINE__, 5, 48, false, false, 0 },
	{ __LINE__, 6, 4096, false, false, 0 },
	{ __LINE__, UINT32_MAX, 4096, false, false, 0 },
};

TEST(bars_tell_their_size)
{
	TT_FOR_EACH_ROW(r, size_rows) {
		struct ntm_pci_config c;

		ntm_pci_config_init(&c, &some);
		TT_EQ(r, ntm_pci_config_add_bar(&c, r->index, r->bytes, r->is_io), r->is_good);
		if (r->is_good) {
			assert_false(ntm_pci_config_add_bar(&c, r->index, 32, false));
			ntm_pci_config_write(&c, 0x10 + 4 * r->index, 4, UINT32_MAX);
			TT_EQ(r, ntm_pci_config_read(&c, 0x10 + 4 * r->index, 4), r->ones);
		} else {
			ntm_pci_config_write(&c, 0x24, 4, UINT32_MAX);
			TT_EQ(r, ntm_pci_config_read(&c, 0x24, 4), 0);
		}
	}
}

static const struct decode_row {
	int line;
	uint32_t command;
	uint64_t address;
	uint32_t bytes;
	bool is_io;
	uint32_t bar, offset;
} decode_rows[] = {
	{ __LINE__, 3, 0xfe001000, 4, false, 0, 0 },
	{ __LINE__, 3, 0xfe001ffc, 4, false, 0, 0xffc },
	{ __LINE__, 3, 0xfe001ff8, 8, false, 0, 0xff8 },
	/* over its end, before its begin, above 4 GiB */
	{ __LINE__, 3, 0xfe001ffd, 4, false, 6, 0 },
	{ __LINE__, 3, 0xfe000ffc, 4, false, 6, 0 },
	{ __LINE__, 3, 0x1fe001000, 4, false, 6, 0 },
	/* memory is not I/O, and each must be enabled */
	{ __LINE__, 3, 0xfe001000, 4, true, 6, 0 },
	{ __LINE__, 1, 0xfe001000, 4, false, 6, 0 },
	{ __LINE__, 3, 0xc01f, 1, true, 1, 0x1f },
	{ __LINE__, 3, 0xc01f, 2, true, 6, 0 },
	{ __LINE__, 2, 0xc000, 1, true, 6, 0 },
	{ __LINE__, 3, 0xfd0abcde, 1, false, 5, 0xabcde },
};

TEST(bars_are_found)
{
	struct ntm_pci_config c;

	make(&c);
	ntm_pci_config_write(&c, 0x10, 4, 0xfe001000);
	ntm_pci_config_write(&c, 0x14, 4, 0xc000);
	ntm_pci_config_write(&c, 0x24, 4, 0xfd000000);
	TT_FOR_EACH_ROW(r, decode_rows) {
		uint32_t offset = 0;

		ntm_pci_config_write(&c, COMMAND, 2, r->command);
		TT_EQ(r, ntm_pci_config_find_bar(&c, r->address, r->bytes, r->is_io, &offset),
		      r->bar);
		TT_EQ(r, offset, r->offset);
	}
}

TEST(capabilities_make_a_list)
{
	struct ntm_pci_config c;

	ntm_pci_config_init(&c, &some);
	TT_IS(ntm_pci_config_read(&c, STATUS, 2), 0);
	TT_IS(ntm_pci_config_read(&c, 0x34, 1), 0);
	assert_true(ntm_pci_config_add_capability(&c, 0x10, 0xf0));
	assert_true(ntm_pci_config_add_capability(&c, 0x01, 0x40));
	assert_false(ntm_pci_config_add_capability(&c, 0x01, 0xf0));
	assert_false(ntm_pci_config_add_capability(&c, 0x01, 0x3c));
	assert_false(ntm_pci_config_add_capability(&c, 0x01, 0x42));
	assert_false(ntm_pci_config_add_capability(&c, 0x01, 0x100));
	TT_IS(ntm_pci_config_read(&c, STATUS, 2), 0x10);
	TT_IS(ntm_pci_config_read(&c, 0x34, 1), 0xf0);
	TT_IS(ntm_pci_config_read(&c, 0xf0, 2), 0x4010);
	TT_IS(ntm_pci_config_read(&c, 0x40, 2), 0x0001);
}

TEST(nothing_behind_the_end)
{
	struct ntm_pci_config c, before;

	make(&c);
	before = c;
	ntm_pci_config_write(&c, 0x100, 4, 0x12345678);
	ntm_pci_config_write(&c, UINT32_MAX, 4, 0x12345678);
	assert_memory_equal(&c, &before, sizeof(c));
	TT_IS(ntm_pci_config_read(&c, 0x100, 4), 0xffffffff);
	TT_IS(ntm_pci_config_read(&c, 0x100, 2), 0xffff);
	TT_IS(ntm_pci_config_read(&c, 0xfe, 4), 0xffff0000);
	TT_IS(ntm_pci_config_read(&c, UINT32_MAX, 4), 0xffffffff);
}

TEST(ones_of_a_write)
{
	TT_IS(ntm_pci_config_ones(0xf4, 0xf4, 4, 0x10003), 0x10003);
	TT_IS(ntm_pci_config_ones(0xf4, 0xf6, 1, 0x01), 0x10000);
	TT_IS(ntm_pci_config_ones(0xf4, 0xf5, 2, 0x8001), 0x800100);
	TT_IS(ntm_pci_config_ones(0xf4, 0xf0, 4, UINT32_MAX), 0);
	TT_IS(ntm_pci_config_ones(0xf4, 0xf8, 4, UINT32_MAX), 0);
	TT_IS(ntm_pci_config_ones(0xf4, 0xf4, 1, UINT32_MAX), 0xff);
}

TEST(interrupt_is_a_status_bit)
{
	struct ntm_pci_config c;

	make(&c);
	ntm_pci_config_set_interrupt(&c, true);
	TT_IS(ntm_pci_config_read(&c, STATUS, 2), 0x18);
	ntm_pci_config_write(&c, STATUS, 2, 0xffff);
	TT_IS(ntm_pci_config_read(&c, STATUS, 2), 0x18);
	ntm_pci_config_set_interrupt(&c, false);
	TT_IS(ntm_pci_config_read(&c, STATUS, 2), 0x10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reset_values),
		cmocka_unit_test(random_writes),
		cmocka_unit_test(random_traffic_by_rows),
		cmocka_unit_test(bars_tell_their_size),
		cmocka_unit_test(bars_are_found),
		cmocka_unit_test(capabilities_make_a_list),
		cmocka_unit_test(nothing_behind_the_end),
		cmocka_unit_test(ones_of_a_write),
		cmocka_unit_test(interrupt_is_a_status_bit),
	};

	return TT_RUN(tests);
}
