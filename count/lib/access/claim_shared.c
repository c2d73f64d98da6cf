// SPDX-License-Identifier: MIT
/* Which bits of the registers that counters share are somebody else's by now. */
#include <errno.h>
#include <string.h>

#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "count/lib/access/claim_shared.h"
#include "base/common/compiler.h"

#define FIXED NTHW_BOX_FIXED
/* Behind the last fixed counter that any PMU has. */
#define COUNTERS (FIXED + 4)

/* One counter's own enable bits, and its bit in the shared register. */
struct own {
	uint32_t address;
	uint64_t run_bits;
};

/*
 * Core PMUs have no kind of box. General counters by their select registers; Intel's fixed counters
 * by four bits each of one register, two of which enable (core/regs/x86.c, IA32_FIXED_CTR_CTRL).
 */
static const struct core_row {
	const char *name; /* of the global register */
	uint32_t select, step, general;
	uint32_t fixed_control, fixed;
} core_rows[] = {
	{ "IA32_PERF_GLOBAL_CTRL", 0x186, 1, 8, 0x38d, 4 },
	{ "PerfCntrGlobalCtl", 0xc0010200, 2, 6, 0, 0 },
};
#define RUN_BIT (1ull << 22) /* of IA32_PERFEVTSEL and PERF_CTL */
#define FIXED_BITS 4
#define FIXED_RUN_BITS 3ull

static const struct core_row *find_core(const struct nti_claim_line *line)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(core_rows); i++) {
		if (line->space == NTHW_SPACE_MSR && strcmp(line->name, core_rows[i].name) == 0)
			return &core_rows[i];
	}
	return NULL;
}

/* Which box of its kind has @reg at @line's address? */
static bool is_of(const struct nthw_box_kind *kind, const struct nthw_reg *reg,
		  const struct nti_claim_line *line, uint32_t *number)
{
	uint32_t offset;

	if (!reg || kind->space != line->space || line->address < reg->addr ||
	    strncmp(line->name, reg->name, strcspn(reg->name, "#")) != 0)
		return false;
	offset = line->address - reg->addr;
	*number = kind->step ? offset / kind->step : 0;
	return *number < kind->boxes && *number * kind->step == offset;
}

static const struct nthw_box_kind *find_kind(const struct nti_claim_line *line, uint32_t *number)
{
	size_t i;

	for (i = 0; i < nthw_box_kind_count; i++) {
		const struct nthw_box_kind *kind = nthw_box_kinds[i];

		if (is_of(kind, kind->enable, line, number) ||
		    is_of(kind, kind->control, line, number))
			return kind;
	}
	return NULL;
}

bool nti_claim_is_shared(const struct nti_claim_line *line)
{
	uint32_t number;

	return line->kind == NTI_CLAIM_CONTROL && (find_core(line) || find_kind(line, &number));
}

/* The select register of counter @counter; false without such a counter. */
static bool find_own(const struct nthw_box_kind *kind, uint32_t number, uint32_t counter,
		     struct own *own)
{
	const struct nthw_reg *reg = counter == FIXED ? kind->fixed_select : kind->select;
	const struct nthw_box box = { .kind = kind, .number = number };

	if (!reg || counter > FIXED || (counter != FIXED && counter >= reg->count))
		return false;
	own->run_bits = counter == FIXED ? kind->fixed_run_bit : kind->run_bit;
	own->address = nthw_box_address(&box, reg, counter == FIXED ? 0 : counter);
	return true;
}

static bool find_core_own(const struct core_row *row, uint32_t counter, struct own *own)
{
	if (counter < row->general) {
		*own = (struct own){ row->select + counter * row->step, RUN_BIT };
		return true;
	}
	if (counter < FIXED || counter - FIXED >= row->fixed)
		return false;
	*own = (struct own){ row->fixed_control, FIXED_RUN_BITS << FIXED_BITS * (counter - FIXED) };
	return true;
}

/*
 * What @own's register will hold once the record's own bits are restored, which does not enable
 * anything that is not enabled already.
 */
static uint64_t after_repair(const struct nti_claim_record *record,
			     const struct nti_claim_line *shared, const struct own *own,
			     uint64_t found)
{
	uint64_t restored;
	size_t i;

	for (i = 0; i < record->lines; i++) {
		const struct nti_claim_line *line = &record->line[i];

		if (line->kind == NTI_CLAIM_CONTROL && line->space == shared->space &&
		    line->address == own->address && strcmp(line->device, shared->device) == 0 &&
		    nti_claim_judge(line, found, &restored) == 0)
			return restored;
	}
	return found;
}

/*
 * Width of the select registers beside @line: those of PCI space have 32 bits but for Skylake-SP's
 * links and mesh.
 */
static uint32_t width_of(const struct nthw_box_kind *kind, uint32_t counter)
{
	if (!kind)
		return 64;
	return counter == FIXED ? kind->fixed_select->bits : kind->select->bits;
}

static int read_own(struct nti_claim_access *handles, const struct nti_claim_line *shared,
		    const struct own *own, uint32_t bits, uint64_t *value, struct nti_error *e)
{
	const struct nti_claim_repair at = { .space = shared->space,
					     .device = shared->device,
					     .name = shared->name,
					     .address = own->address,
					     .package = shared->package };

	return handles->read(handles, &at, bits, value, e);
}

int nti_claim_needed(struct nti_claim_access *handles, const struct nti_claim_record *record,
		     size_t index, uint64_t *bits, struct nti_error *e)
{
	const struct nti_claim_line *line = &record->line[index];
	const struct core_row *core = find_core(line);
	uint32_t number = 0, counter;
	const struct nthw_box_kind *kind = core ? NULL : find_kind(line, &number);
	uint64_t enabled = 0, value;
	struct own own;
	int ret;

	*bits = 0;
	if (!core && !kind)
		return 0;
	for (counter = 0; counter < COUNTERS; counter++) {
		if (kind ? !find_own(kind, number, counter, &own)
			 : !find_core_own(core, counter, &own))
			continue;
		ret = read_own(handles, line, &own, width_of(kind, counter), &value, e);
		/*
		 * Core PMUs differ in their number of counters; one that there is not needs
		 * nothing.
		 */
		if (core && ret == -EIO)
			continue;
		if (ret < 0)
			return ret;
		if (after_repair(record, line, &own, value) & own.run_bits)
			enabled |= (uint64_t)1 << counter;
	}
	/* Who counts in a box that was stopped when it was found must not be stopped with it. */
	if (kind && !is_of(kind, kind->enable, line, &number))
		enabled = enabled ? line->old : 0;
	*bits = enabled & line->ours;
	return 0;
}
