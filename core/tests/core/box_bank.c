// SPDX-License-Identifier: MIT
/* Boxes over a bank. */
#include "core/tests/core/box_bank.h"
#include "base/tests/tt.h"

const struct nthw_box_kind *kind_of(const char *name)
{
	const struct nthw_box_kind *kind = nthw_box_kind(name);

	if (!kind)
		fail_msg("no kind %s", name);
	return kind;
}

struct nthw_box box_of(struct bank *bank, const char *name, uint32_t number)
{
	const struct nthw_box_kind *kind = kind_of(name);

	bank_init(bank, &kind->table, 1);
	return (struct nthw_box){
		.kind = kind, .io = &bank->io, .unit = CPU, .number = number, .is_guarded = false
	};
}

void set(struct bank *bank, enum nthw_space space, uint32_t address, uint64_t value)
{
	*bank_at(bank, space, address) = value;
}

uint64_t at(struct bank *bank, enum nthw_space space, uint32_t address)
{
	return *bank_at(bank, space, address);
}

void went(struct bank *bank, const char *expected)
{
	TT_TEXT(bank->log, expected);
	bank_forget(bank);
}

struct nthw_box_event event_of(const struct nthw_box *box, uint64_t config, uint64_t config1)
{
	struct nthw_box_event event;

	TT_IS(nthw_box_encode(box->kind, config, config1, &event), 0);
	return event;
}

int program(const struct nthw_box *box, uint32_t counter, uint64_t config, uint64_t config1,
	    struct nthw_box_state *state)
{
	struct nthw_box_event event = event_of(box, config, config1);

	return nthw_box_program(box, counter, &event, state);
}

void is_as_found(struct bank *now, struct bank *before, uint32_t flags_at, uint64_t flags)
{
	size_t i;

	for (i = 0; i < now->cells; i++) {
		struct bank_cell *is = &now->cell[i], *was = &before->cell[i];
		uint64_t may_go =
			nthw_reg_addr(is->reg, is->index) == flags_at ? was->value & flags : 0;

		if (now->is_guarded)
			may_go |= was->value & nthw_reg_clearable(is->reg);
		if (!((is->value ^ was->value) & ~may_go))
			continue;
		print_error("%s %u is 0x%llx and was 0x%llx; accesses:\n%s", is->reg->name,
			    is->index, (unsigned long long)is->value,
			    (unsigned long long)was->value, now->log);
		fail();
	}
}

struct bank *copy_of(const struct bank *bank)
{
	struct bank *copy = malloc(sizeof(*copy));

	assert_non_null(copy);
	*copy = *bank;
	return copy;
}
