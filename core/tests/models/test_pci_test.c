// SPDX-License-Identifier: MIT
/* core/models/pci_test: registers, copier and interrupt of the PCI test device. */
#include "core/regs/pci_test.h"
#include "core/models/pci_test.h"
#include "core/tests/models/traffic.h"

struct fake_bus {
	struct ntm_pci_bus bus; /* first: what the model gets */
	uint8_t memory[4096];	/* at bus address 0x10000 */
	unsigned int edges;
	bool is_asserted;
};
#define MEMORY 0x10000u

static uint8_t *at(struct ntm_pci_bus *bus, uint64_t address, size_t bytes)
{
	struct fake_bus *b = (struct fake_bus *)bus;

	if (address < MEMORY || address - MEMORY > sizeof(b->memory) - bytes)
		return NULL;
	return b->memory + (address - MEMORY);
}

static bool read_memory(struct ntm_pci_bus *bus, uint64_t address, void *to, size_t bytes)
{
	uint8_t *from = at(bus, address, bytes);

	if (from)
		memcpy(to, from, bytes);
	return from != NULL;
}

static bool write_memory(struct ntm_pci_bus *bus, uint64_t address, const void *from, size_t bytes)
{
	uint8_t *to = at(bus, address, bytes);

	if (to)
		memcpy(to, from, bytes);
	return to != NULL;
}

static void set_interrupt(struct ntm_pci_bus *bus, bool is_asserted)
{
	struct fake_bus *b = (struct fake_bus *)bus;

	assert_true(b->is_asserted != is_asserted);
	b->is_asserted = is_asserted;
	b->edges++;
}

static void make(struct ntm_pci_test *m, struct fake_bus *b)
{
	memset(b, 0, sizeof(*b));
	b->bus.read_memory = read_memory;
	b->bus.write_memory = write_memory;
	b->bus.set_interrupt = set_interrupt;
	ntm_pci_test_init(m, &b->bus);
}

static void set(struct ntm_pci_test *m, uint32_t offset, uint32_t bytes, uint64_t value)
{
	ntm_pci_test_bar_write(m, 0, offset, bytes, value);
}

static uint64_t get(struct ntm_pci_test *m, uint32_t offset, uint32_t bytes)
{
	return ntm_pci_test_bar_read(m, 0, offset, bytes);
}

TEST(header)
{
	struct ntm_pci_test m;

	ntm_pci_test_init(&m, NULL);
	TT_IS(ntm_pci_test_config_read(&m, 0, 4), 0x6e741234);
	TT_IS(ntm_pci_test_config_read(&m, 8, 4), 0xff000001);
	TT_IS(ntm_pci_test_config_read(&m, 0x3d, 1), 1);
	ntm_pci_test_config_write(&m, 0x10, 4, UINT32_MAX);
	ntm_pci_test_config_write(&m, 0x14, 4, UINT32_MAX);
	TT_IS(ntm_pci_test_config_read(&m, 0x10, 4), 0xfffff000);
	TT_IS(ntm_pci_test_config_read(&m, 0x14, 4), 0xfffffff1);
	TT_IS(ntm_pci_test_config_read(&m, 0x34, 1), 0x40);
	TT_IS(ntm_pci_test_config_read(&m, 0x40, 4), 0x00040009);
}

static int traffic_read(void *model, uint32_t addr, uint64_t *value)
{
	const struct ntm_pci_test *m = model;
	const struct nthw_reg *reg;
	uint32_t index, i;

	/* Straight from the state: reading through the BAR counts, which is tested apart. */
	reg = nthw_table_find(&nthw_pci_test, addr, &index);
	*value = 0;
	for (i = 0; i < reg->bits / 8; i++)
		*value |= (uint64_t)m->value[addr + i] << (8 * i);
	return 0;
}

static int traffic_write(void *model, uint32_t addr, uint64_t value)
{
	const struct nthw_reg *reg;
	uint32_t index;

	reg = nthw_table_find(&nthw_pci_test, addr, &index);
	set(model, addr, reg->bits / 8, value);
	return 0;
}

static uint64_t traffic_after(void *model, const struct nthw_reg *reg, uint32_t index,
			      uint64_t before, uint64_t value, bool *refused)
{
	(void)model;
	(void)index;
	*refused = false;
	if (strcmp(reg->name, "TEST_WRITES") == 0)
		return before + 1;
	if (strcmp(reg->name, "TEST_DMA_STATUS") == 0)
		return before & ~(value & 3);
	if (strcmp(reg->name, "TEST_IRQ_PENDING") == 0)
		return before & ~value & UINT32_MAX;
	return traffic_stored(reg, before, value);
}

static uint64_t traffic_touches(void *model, const struct nthw_reg *reg, uint32_t index,
				uint64_t value, const struct nthw_reg *other, uint32_t other_index,
				uint64_t expected)
{
	bool is_start = strcmp(reg->name, "TEST_DMA_START") == 0 && (value & 1);

	(void)model;
	(void)index;
	(void)other_index;
	if (strcmp(other->name, "TEST_WRITES") == 0)
		return expected + 1;
	if (is_start && strcmp(other->name, "TEST_DMA_STATUS") == 0)
		return 2; /* failed: it is no master */
	if (is_start && strcmp(other->name, "TEST_IRQ_PENDING") == 0)
		return expected | 0x80000000u;
	if (strcmp(reg->name, "TEST_IRQ_RAISE") == 0 &&
	    strcmp(other->name, "TEST_IRQ_PENDING") == 0)
		return expected | (value & UINT32_MAX);
	return expected;
}

TEST(random_traffic)
{
	uint64_t seed = tt_seed();
	struct ntm_pci_test m;
	struct fake_bus b;
	struct traffic t = {
		.table = &nthw_pci_test,
		.model = &m,
		.read = traffic_read,
		.write = traffic_write,
		.after = traffic_after,
		.touches = traffic_touches,
	};

	make(&m, &b);
	traffic_check_reset(&t);
	traffic_run(&t, &seed, 5000);
	assert_true(b.edges > 10);
	ntm_pci_test_reset(&m);
	traffic_check_reset(&t);
	assert_false(b.is_asserted);
}

TEST(accesses_of_all_sizes)
{
	struct ntm_pci_test m;
	struct fake_bus b;

	make(&m, &b);
	TT_IS(get(&m, 0, 4), 0x6d69746e);
	TT_IS(get(&m, 0, 8), 0x000000016d69746eull);
	TT_IS(get(&m, 1, 2), 0x6974);
	set(&m, 8, 8, 0x1122334455667788ull);
	set(&m, 9, 1, 0xab);
	set(&m, 0xc, 2, 0xcdef);
	TT_IS(get(&m, 8, 8), 0x1122cdef5566ab88ull);
	/* the same again 256 bytes further, and in the first 16 bytes by I/O */
	TT_IS(get(&m, 0x108, 4), 0x5566ab88);
	TT_IS(ntm_pci_test_bar_read(&m, 1, 0xf, 1), 0x11);
	/* no register, and behind the end */
	set(&m, 0x80, 4, UINT32_MAX);
	TT_IS(get(&m, 0x80, 4), 0);
	TT_IS(get(&m, 0xffd, 4), 0xffffffff);
	TT_IS(ntm_pci_test_bar_read(&m, 1, 0xf, 2), 0xffff);
	TT_IS(ntm_pci_test_bar_read(&m, 2, 0, 1), 0xff);
	TT_IS(get(&m, 0xffd, 8), UINT64_MAX);
}

TEST(accesses_are_counted)
{
	struct ntm_pci_test m;
	struct fake_bus b;

	make(&m, &b);
	TT_IS(get(&m, 0x18, 4), 0);
	TT_IS(get(&m, 0x18, 4), 1);
	set(&m, 8, 1, 1);
	set(&m, 0, 4, 1);
	TT_IS(get(&m, 0x1c, 4), 2);
	TT_IS(get(&m, 0x18, 4), 3);
	ntm_pci_test_advance(&m, 5);
	ntm_pci_test_advance(&m, UINT64_MAX);
	TT_IS(get(&m, 0x10, 8), 4);
}

static void copy(struct ntm_pci_test *m, uint64_t source, uint64_t target, uint32_t bytes)
{
	set(m, 0x40, 8, source);
	set(m, 0x48, 8, target);
	set(m, 0x50, 4, bytes);
	set(m, 0x54, 4, 1);
}

TEST(copies)
{
	struct ntm_pci_test m;
	struct fake_bus b;
	uint32_t i;

	make(&m, &b);
	for (i = 0; i < 1000; i++)
		b.memory[i] = (uint8_t)(i * 7 + 1);
	/* no master yet */
	copy(&m, MEMORY, MEMORY + 2000, 1000);
	TT_IS(get(&m, 0x58, 4), 2);
	TT_IS(b.memory[2000], 0);
	ntm_pci_test_config_write(&m, 4, 2, NTM_PCI_MASTER);
	copy(&m, MEMORY, MEMORY + 2000, 1000);
	TT_IS(get(&m, 0x58, 4), 1);
	assert_memory_equal(b.memory, b.memory + 2000, 1000);
	TT_IS(b.memory[3000], 0);
	TT_IS(get(&m, 0x64, 4), 0x80000000);
	/* nothing to copy is done; memory that is not there fails */
	copy(&m, 0, 0, 0);
	TT_IS(get(&m, 0x58, 4), 1);
	copy(&m, MEMORY + 4000, MEMORY, 97);
	TT_IS(get(&m, 0x58, 4), 2);
	copy(&m, UINT64_MAX, MEMORY, 2);
	TT_IS(get(&m, 0x58, 4), 2);
	set(&m, 0x58, 4, 3);
	TT_IS(get(&m, 0x58, 4), 0);
}

TEST(interrupts)
{
	struct ntm_pci_test m;
	struct fake_bus b;

	make(&m, &b);
	set(&m, 0x60, 4, 6);
	TT_IS(get(&m, 0x64, 4), 6);
	assert_false(b.is_asserted);
	set(&m, 0x68, 4, 4);
	assert_true(b.is_asserted);
	TT_IS(ntm_pci_test_config_read(&m, 6, 2) & 8, 8);
	/* the pin obeys the command register, the status bit does not */
	ntm_pci_test_config_write(&m, 4, 2, NTM_PCI_NO_INTX);
	assert_false(b.is_asserted);
	TT_IS(ntm_pci_test_config_read(&m, 6, 2) & 8, 8);
	ntm_pci_test_config_write(&m, 4, 2, 0);
	assert_true(b.is_asserted);
	set(&m, 0x64, 4, 2);
	assert_true(b.is_asserted);
	set(&m, 0x64, 1, 4);
	assert_false(b.is_asserted);
	TT_IS(ntm_pci_test_config_read(&m, 6, 2) & 8, 0);
	TT_IS(b.edges, 4);
}

TEST(works_without_a_bus)
{
	struct ntm_pci_test m;

	ntm_pci_test_init(&m, NULL);
	ntm_pci_test_config_write(&m, 4, 2, NTM_PCI_MASTER);
	copy(&m, MEMORY, MEMORY, 16);
	TT_IS(get(&m, 0x58, 4), 2);
	set(&m, 0x68, 4, UINT32_MAX);
	TT_IS(ntm_pci_test_config_read(&m, 6, 2) & 8, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header),
		cmocka_unit_test(random_traffic),
		cmocka_unit_test(accesses_of_all_sizes),
		cmocka_unit_test(accesses_are_counted),
		cmocka_unit_test(copies),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(works_without_a_bus),
	};

	return TT_RUN(tests);
}
