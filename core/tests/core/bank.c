// SPDX-License-Identifier: MIT
/*
 * Registers that behave as their rows say. What a row cannot say is here by address, typed in from
 * the manuals.
 */
#include "core/tests/core/bank.h"
#include "base/tests/tt.h"

static const char letters[] = "?mpcisp"; /* MSR, PCI, CP15, MMIO, SYSREG, PMSEL */

struct bank_cell *bank_find(struct bank *bank, enum nthw_space space, uint32_t address)
{
	size_t i;

	for (i = 0; i < bank->cells; i++) {
		struct bank_cell *cell = &bank->cell[i];

		if (cell->reg->space == space && nthw_reg_addr(cell->reg, cell->index) == address)
			return cell;
	}
	return NULL;
}

uint64_t *bank_at(struct bank *bank, enum nthw_space space, uint32_t address)
{
	struct bank_cell *cell = bank_find(bank, space, address);

	if (!cell) {
		print_error("no register at 0x%x\n", address);
		fail();
		return NULL;
	}
	return &cell->value;
}

static void note(struct bank *bank, char what, enum nthw_space space, uint32_t address,
		 uint64_t value)
{
	size_t used = strlen(bank->log);

	assert_true(used + 64 < BANK_LOG);
	if (what == 'R')
		snprintf(bank->log + used, BANK_LOG - used, "R %c%x\n", letters[space], address);
	else
		snprintf(bank->log + used, BANK_LOG - used, "W %c%x %llx\n", letters[space],
			 address, (unsigned long long)value);
}

/* A register that shows what another one keeps: where enables are cleared. */
static struct bank_cell *keeper(struct bank *bank, struct bank_cell *cell)
{
	size_t i;

	for (i = 0; i < bank->cells; i++) {
		struct bank_cell *other = &bank->cell[i];

		if (other->reg->clear_addr && other->reg->space == cell->reg->space &&
		    other->reg->clear_addr == nthw_reg_addr(cell->reg, cell->index))
			return other;
	}
	return cell;
}

static bool fails(struct bank *bank)
{
	int access = bank->accesses++;

	return bank->fail_at >= 0 &&
	       (access == bank->fail_at || (bank->fails_on && access > bank->fail_at));
}

static int bank_read(struct nthw_io *io, enum nthw_space space, unsigned int unit, uint32_t address,
		     uint64_t *value)
{
	struct bank *bank = (struct bank *)io;

	TT_IS(unit, bank->cpu);
	note(bank, 'R', space, address, 0);
	if (fails(bank))
		return bank->error;
	bank_at(bank, space, address);
	*value = keeper(bank, bank_find(bank, space, address))->value;
	return 0;
}

/* What ntime.ko writes of @value; false: it refuses. */
static bool guard(const struct nthw_reg *reg, uint64_t old, uint64_t *value)
{
	uint64_t settable = nthw_reg_settable(reg), clearable = nthw_reg_clearable(reg);

	if (*value & ~old & ~settable)
		return false;
	*value = (*value & settable) | (old & clearable & *value) | (old & ~settable & ~clearable);
	return true;
}

/* Registers that clear something elsewhere. */
static void act_elsewhere(struct bank *bank, const struct nthw_reg *reg, uint64_t value)
{
	if (reg->addr == 0x390)
		*bank_at(bank, NTHW_SPACE_MSR, 0x38e) &= ~value;
	else if (reg->addr == 0x393)
		*bank_at(bank, NTHW_SPACE_MSR, 0x392) &= ~value;
	else if (reg->addr == 0xc0000302)
		*bank_at(bank, NTHW_SPACE_MSR, 0xc0000300) &= ~value;
	else if (reg->addr == 0x3c0 && (value & nthw_reg_bits_of(reg, NTHW_W1C)) == 0x20000)
		return; /* Nehalem's uncore: occupancy of the queue, which no register shows */
	else if (value & nthw_reg_bits_of(reg, NTHW_W1C))
		fail_msg("%s: a reset that nobody asked for", reg->name);
}

static void store(struct bank_cell *cell, uint64_t value)
{
	const struct nthw_reg *reg = cell->reg;
	uint64_t kept = nthw_reg_stored(reg);

	if (cell->reg->space == NTHW_SPACE_MSR && reg->addr == 0xc1) {
		/* Intel: bits 31:0 are taken and bit 31 is copied upward, to 48 bits */
		cell->value = (uint64_t)(int64_t)(int32_t)value & 0xffffffffffff;
		return;
	}
	cell->value = (value & kept) | (cell->value & ~kept);
	cell->value |= value & nthw_reg_bits_of(reg, NTHW_RW1S);
	cell->value &= ~(value & nthw_reg_bits_of(reg, NTHW_RW1C));
}

static int bank_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t value)
{
	struct bank *bank = (struct bank *)io;
	struct bank_cell *cell, *kept;
	bool is_failing;

	TT_IS(unit, bank->cpu);
	note(bank, 'W', space, address, value);
	is_failing = fails(bank);
	if (is_failing && !bank->fails_behind)
		return bank->error;
	bank_at(bank, space, address);
	cell = bank_find(bank, space, address);
	kept = keeper(bank, cell);
	if (bank->is_guarded && !guard(cell->reg, kept->value, &value)) {
		print_error("%s: the driver would refuse 0x%llx over 0x%llx\n", cell->reg->name,
			    (unsigned long long)value, (unsigned long long)kept->value);
		return NTHW_EINVAL;
	}
	if (kept != cell)
		kept->value &= ~(value & nthw_reg_bits_of(cell->reg, NTHW_RW1C));
	else
		store(cell, value);
	act_elsewhere(bank, cell->reg, value);
	return is_failing ? bank->error : 0;
}

void bank_init(struct bank *bank, const struct nthw_table *const *tables, size_t count)
{
	uint32_t index;
	size_t i, k;

	memset(bank, 0, sizeof(*bank));
	bank->io.read = bank_read;
	bank->io.write = bank_write;
	bank->cpu = 3;
	bank->fail_at = -1;
	bank->error = -5;
	for (i = 0; i < count; i++) {
		for (k = 0; k < tables[i]->count; k++) {
			const struct nthw_reg *reg = tables[i]->regs[k];

			for (index = 0; index < reg->count; index++) {
				assert_true(bank->cells < BANK_CELLS);
				bank->cell[bank->cells++] =
					(struct bank_cell){ tables[i], reg, index, reg->reset };
			}
		}
	}
}

void bank_forget(struct bank *bank)
{
	bank->log[0] = '\0';
	bank->accesses = 0;
}

void set(struct bank *bank, enum nthw_space space, uint32_t address, uint64_t value)
{
	*bank_at(bank, space, address) = value;
}

uint64_t at(struct bank *bank, enum nthw_space space, uint32_t address)
{
	return *bank_at(bank, space, address);
}

void bank_is_as_found(const struct bank *now, const struct bank *before, const uint64_t *flags,
		      uint64_t bits)
{
	size_t i;

	for (i = 0; i < now->cells; i++) {
		const struct bank_cell *is = &now->cell[i], *was = &before->cell[i];
		uint64_t may_go = flags == &was->value ? bits : 0;

		if (now->is_guarded)
			may_go |= nthw_reg_clearable(is->reg);
		if (!((is->value ^ was->value) & ~(was->value & may_go)))
			continue;
		print_error("%s %u is 0x%llx and was 0x%llx; accesses:\n%s", is->reg->name,
			    is->index, (unsigned long long)is->value,
			    (unsigned long long)was->value, now->log);
		fail();
	}
}

/* PCI and PMSEL have the same letter; no bank has both. */
static uint64_t *value_at(struct bank *bank, uint64_t address)
{
	uint32_t space;

	for (space = 1; letters[space]; space++) {
		struct bank_cell *cell = bank_find(bank, (enum nthw_space)space, (uint32_t)address);

		if (cell && letters[space] == (char)(address >> 32))
			return &cell->value;
	}
	fail_msg("no register at 0x%llx", (unsigned long long)address);
	return NULL;
}

bool bank_is_set(struct bank *bank, struct bank *before, const struct script_call *call)
{
	bool is_set = script_is(call, "set"), is_has = script_is(call, "has");
	size_t i;

	if (!is_set && !is_has && !script_is(call, "changed"))
		return false;
	for (i = 0; i < call->args; i += 2)
		if (is_has)
			TT_IS(*value_at(bank, call->arg[i]), call->arg[i + 1]);
		else
			*value_at(is_set ? bank : before, call->arg[i]) = call->arg[i + 1];
	return true;
}
