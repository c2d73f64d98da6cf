// SPDX-License-Identifier: MIT
/* What a typed name or address stands for. */
#include <stdio.h>
#include <string.h>

#include "core/regs/regs.h"
#include "base/common/text.h"
#include "count/lib/machine/register/register.h"

/* Are the two the same but for the '#' where a name has its number? */
static bool is_numberless(const char *name, const char *typed)
{
	for (; *name; name++) {
		if (*name == '#')
			continue;
		if (nti_text_lower(*name) != nti_text_lower(*typed))
			return false;
		typed++;
	}
	return !*typed;
}

static bool is_name(const struct nti_register *reg, const char *typed, bool is_exact)
{
	if (nti_text_compare(reg->name, typed) == 0 ||
	    (*reg->linux_name && nti_text_compare(reg->linux_name, typed) == 0))
		return true;
	/* The name of all instances: "IA32_PMC" of IA32_PMC0, "PMEVCNTR_EL0" of PMEVCNTR3_EL0. */
	return !is_exact && (is_numberless(reg->row->name, typed) ||
			     (reg->row->linux_name && is_numberless(reg->row->linux_name, typed)));
}

static bool is_address(const struct nti_register *reg, const char *typed)
{
	uint64_t address;

	return nti_text_parse_u64(typed, &address) == 0 && reg->address == address;
}

/* "7f:10.0" is the end of "0000:7f:10.0". */
static bool is_function(const struct nti_register *reg, const char *typed, size_t chars)
{
	const char *address;
	size_t all;

	if (!reg->function)
		return false;
	address = reg->function->address;
	all = strlen(address);
	return (chars == all || chars + 5 == all) &&
	       nti_text_compare_n(address + all - chars, typed, chars) == 0;
}

/* "msr:0x38d", "pci:7f:10.0:0xf4": the space, and behind the last colon the address. */
static bool is_in_space(const struct nti_register *reg, const char *typed)
{
	const char *space = nti_space_names[reg->row->space], *last = strrchr(typed, ':'), *first;
	size_t chars = strlen(space);

	if (nti_text_compare_n(typed, space, chars) != 0 || typed[chars] != ':' ||
	    !is_address(reg, last + 1))
		return false;
	first = typed + chars;
	return first == last || is_function(reg, first + 1, (size_t)(last - first - 1));
}

/* "core0/IA32_PMC0": the unit, and behind it a name or an address. */
static bool is_of_unit(const struct nti_register *reg, const char *typed, bool is_exact)
{
	size_t chars = strlen(reg->unit);

	return nti_text_compare_n(typed, reg->unit, chars) == 0 && typed[chars] == '/' &&
	       (is_name(reg, typed + chars + 1, is_exact) || is_address(reg, typed + chars + 1));
}

/* "nhm_uncore.NAME" */
static bool is_of_table(const struct nti_register *reg, const char *typed, bool is_exact)
{
	size_t chars = strlen(reg->table->name);

	return nti_text_compare_n(typed, reg->table->name, chars) == 0 && typed[chars] == '.' &&
	       is_name(reg, typed + chars + 1, is_exact);
}

bool nti_register_is(const struct nti_register *reg, const char *typed, bool is_exact)
{
	return nti_text_compare(reg->path, typed) == 0 || is_name(reg, typed, is_exact) ||
	       is_address(reg, typed) || is_in_space(reg, typed) ||
	       is_of_unit(reg, typed, is_exact) || is_of_table(reg, typed, is_exact);
}

const struct nthw_reg *nti_register_row(const char *table, const char *name)
{
	const struct nthw_table *found;
	const struct nthw_reg *row;
	uint32_t index;
	size_t i;

	for (i = 0; i < nthw_table_count; i++) {
		if (strcmp(nthw_tables[i]->name, table) != 0)
			continue;
		row = nthw_find_name(&nthw_tables[i], 1, name, &found, &index);
		if (row)
			return row;
	}
	return NULL;
}
