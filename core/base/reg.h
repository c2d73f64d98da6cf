/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Rows: one register each, with what is known of it and from where. Rows are facts; what is done
 * with registers is elsewhere. core/tests/core checks every row.
 */
#ifndef NTHW_REG_H
#define NTHW_REG_H

#include "core/base/base.h"

enum nthw_space {
	NTHW_SPACE_MSR = 1, /* model-specific registers: one address space per CPU */
	NTHW_SPACE_PCI, /* configuration space of one PCI function; addresses are byte offsets */
	/* system coprocessor of 32-bit ARM, one per CPU; addresses by NTHW_CP15() */
	NTHW_SPACE_CP15,
	/* memory of a device; addresses are byte offsets in its BAR, which the table names */
	NTHW_SPACE_MMIO,
	/* system registers of 64-bit ARM, one set per CPU; addresses by NTHW_SYSREG() */
	NTHW_SPACE_SYSREG,
	/*
	 * 32-bit ARM: counters behind PMSELR; address n is PMXEVCNTR, 0x20 + n PMXEVTYPER of
	 * counter n
	 */
	NTHW_SPACE_PMSEL,
	/* a graphics card's channel: core/seq/nv50_mp.h; no table has rows of it */
	NTHW_SPACE_CHANNEL,
};

/* Of what there is one instance of the register. */
enum nthw_scope {
	NTHW_SCOPE_CPU = 0, /* each CPU */
	NTHW_SCOPE_L3,	    /* each last-level cache; which CPUs share one the row does not say */
	NTHW_SCOPE_PACKAGE, /* each package; any CPU of it reaches the same one */
	NTHW_SCOPE_DEVICE,  /* each device that has the table */
};

/*
 * Address of a coprocessor register: the four numbers of "mrc p15, opc1, Rt, CRn, CRm, opc2" in the
 * order in which manuals sort.
 */
#define NTHW_CP15(crn, opc1, crm, opc2)                                                            \
	((uint32_t)(crn) << 12 | (uint32_t)(opc1) << 8 | (uint32_t)(crm) << 4 | (uint32_t)(opc2))

/* Address of a system register: the five numbers of "mrs Xt, S<op0>_<op1>_C<crn>_C<crm>_<op2>". */
#define NTHW_SYSREG(op0, op1, crn, crm, op2)                                                       \
	((uint32_t)(op0) << 16 | (uint32_t)(op1) << 12 | (uint32_t)(crn) << 8 |                    \
	 (uint32_t)(crm) << 4 | (uint32_t)(op2))

enum nthw_access {
	NTHW_RO = 1, /* read only, or nothing is known of writing it */
	/* hardware lets it be written, but it is the operating system's: we only read it */
	NTHW_OS,
	/*
	 * as NTHW_OS, but who holds the register may clear it: an interrupt that nobody would
	 * handle
	 */
	NTHW_OS_CLEAR,
	/* can be read, writing 1 clears it, and that is the operating system's to do */
	NTHW_OS_RW1C,
	/*
	 * can be read, writing 0 clears it, and writing 1 leaves it: a log that cannot be restored
	 */
	NTHW_RW0C,
	NTHW_RW,
	NTHW_RW1C, /* can be read, and writing 1 clears it */
	/*
	 * can be read, writing 1 sets it, writing 0 leaves it: .clear_addr is where writing 1
	 * clears it
	 */
	NTHW_RW1S,
	NTHW_W1C, /* writing 1 clears or starts something elsewhere; reads as nothing useful */
};

/* How far a row can be believed. */
enum nthw_trust {
	NTHW_DOCUMENTED = 1, /* the vendor, or Linux in a file named by .source, says so */
	NTHW_MEASURED,	     /* seen; .source names the recording */
	NTHW_GUESSED,	     /* some of it rests on memory alone; .source tells which part */
};

/*
 * What a register is for. Who counts, claims and gives registers back decides by this and by .runs,
 * never by names or by the shape of fields.
 */
enum nthw_role {
	NTHW_ROLE_COUNTER = 1, /* a count that can be written: changes by itself while it runs */
	/* what counters count and in which mode: event, filter, their own enable bit */
	NTHW_ROLE_SELECT,
	NTHW_ROLE_CONTROL, /* lets many of them run, freezes or resets them */
	NTHW_ROLE_STATUS,  /* what happened: overflows, logs, levels */
	NTHW_ROLE_CLEAR,   /* clears what a status shows, and tells nothing itself */
	NTHW_ROLE_GAUGE,   /* counts or measures always, and nobody can write it */
	NTHW_ROLE_OTHER,   /* has no part in counting: identity, units, what the system sets up */
};

/*
 * What a register tells of other users beyond counts of their work. Where it does, its file is
 * root's in the driver's tree, however that is mounted, until root gives this one file away
 * (docs/security.md).
 */
enum nthw_secret {
	NTHW_SECRET_NONE = 0,
	NTHW_SECRET_ENERGY, /* energy in steps so small that they tell what was computed */
	/*
	 * addresses that others use: of branches, of sampled accesses, of buffers; or a choice of
	 * one
	 */
	NTHW_SECRET_ADDRESS,
};

struct nthw_field {
	const char *name;
	uint8_t shift;
	uint8_t width;
	enum nthw_access access;
	const char *about;
};

/*
 * Where .name or .linux_name has a '#', the number of the instance stands there; else it is
 * appended where there is more than one. nthw_reg_name() writes it out.
 */
struct nthw_reg {
	const char *name;
	enum nthw_role role; /* 0 only in tables of graphics chips, which no driver writes */
	/*
	 * Bits that make something count: of a SELECT while one is set somebody counts; of a
	 * CONTROL they only let it, and may stay set when nothing counts any more (Linux 6.1
	 * arch/x86/events/intel/uncore.c, uncore_pmu_enable()).
	 */
	uint64_t runs;
	enum nthw_space space;
	uint32_t addr;	/* of the first instance */
	uint32_t step;	/* from instance to instance; 0 when there is one */
	uint32_t count; /* instances the architecture has room for: fewer may exist */
	uint32_t
		/* number of the first instance, where one row after another describes a sequence */
		first;
	uint32_t
		/* of a row with RW1S fields: the register that clears what this one sets; else 0 */
		clear_addr;
	uint32_t bits; /* width of the register */
	uint64_t reset;
	uint64_t writable; /* by us; must equal the union of the RW, RW1C and W1C fields */
	const struct nthw_field *fields;
	uint32_t field_count;
	const char *source;
	enum nthw_trust trust;
	enum nthw_scope scope;
	enum nthw_secret secret; /* NTHW_SECRET_NONE: counts, states, identity */
	const char *
		/* what Linux calls it, if that differs from .name; NULL: the same, or nothing */
		linux_name;
	uint32_t
		/*
		 * of a table of several boxes of counters: which it is in. What counts in one is
		 * nothing to the others.
		 */
		box;
};

/*
 * The rows of one kind of unit. Within a table first addresses ascend and no address is in two
 * rows; two tables may use the same addresses.
 */
struct nthw_table {
	const char *name;
	const struct nthw_reg *const *regs;
	size_t count;
};

/* The field list of a row and its length, from one array. */
#define NTHW_FIELDS(list) .fields = (list), .field_count = (uint32_t)NTHW_ARRAY_SIZE(list)

/* Bits of a field in place. */
static inline uint64_t nthw_field_mask(const struct nthw_field *field)
{
	uint64_t ones = field->width >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << field->width) - 1;

	return ones << field->shift;
}

/* Value of a field in @word. */
static inline uint64_t nthw_field_get(const struct nthw_field *field, uint64_t word)
{
	return (word & nthw_field_mask(field)) >> field->shift;
}

/*
 * The row of @table that address @addr belongs to, and which instance of it in *@index; NULL when
 * there is none.
 */
static inline const struct nthw_reg *nthw_table_find(const struct nthw_table *table, uint32_t addr,
						     uint32_t *index)
{
	size_t i;

	for (i = 0; i < table->count; i++) {
		const struct nthw_reg *reg = table->regs[i];
		uint32_t offset = addr - reg->addr;

		if (addr < reg->addr)
			break;
		if (offset == 0 ||
		    (reg->step && offset % reg->step == 0 && offset / reg->step < reg->count)) {
			*index = reg->step ? offset / reg->step : 0;
			return reg;
		}
	}
	return NULL;
}

/* What the register at @addr holds after reset; 0 where no row is. */
static inline uint64_t nthw_table_reset(const struct nthw_table *table, uint32_t addr)
{
	uint32_t index;
	const struct nthw_reg *reg = nthw_table_find(table, addr, &index);

	return reg ? reg->reset : 0;
}

/* Bits of @reg that have @access. */
static inline uint64_t nthw_reg_bits_of(const struct nthw_reg *reg, enum nthw_access access)
{
	uint64_t mask = 0;
	uint32_t i;

	for (i = 0; i < reg->field_count; i++)
		if (reg->fields[i].access == access)
			mask |= nthw_field_mask(&reg->fields[i]);
	return mask;
}

/* Bits that hardware keeps as they are written, whoever writes. */
static inline uint64_t nthw_reg_stored(const struct nthw_reg *reg)
{
	return nthw_reg_bits_of(reg, NTHW_RW) | nthw_reg_bits_of(reg, NTHW_OS) |
	       nthw_reg_bits_of(reg, NTHW_OS_CLEAR);
}

/* Bits that whoever holds the register may clear, but not set. */
static inline uint64_t nthw_reg_clearable(const struct nthw_reg *reg)
{
	return nthw_reg_bits_of(reg, NTHW_OS_CLEAR) | nthw_reg_bits_of(reg, NTHW_RW0C);
}

/* Bits that can be restored once they were written: not those that only act, nor logs. */
static inline uint64_t nthw_reg_kept(const struct nthw_reg *reg)
{
	return nthw_reg_bits_of(reg, NTHW_RW) | nthw_reg_bits_of(reg, NTHW_OS_CLEAR);
}

/*
 * Bits that a driver may let its callers set: none of a row that is a guess, and none of one that
 * CPUs share which the row does not name, as two of them could not be told to be the same register.
 */
static inline uint64_t nthw_reg_settable(const struct nthw_reg *reg)
{
	return reg->trust == NTHW_GUESSED || reg->scope == NTHW_SCOPE_L3 ? 0 : reg->writable;
}

/*
 * Under what the register is listed: where CPUs that the row does not name share it, under each
 * CPU.
 */
static inline enum nthw_scope nthw_reg_listed(const struct nthw_reg *reg)
{
	return reg->scope == NTHW_SCOPE_L3 ? NTHW_SCOPE_CPU : reg->scope;
}

/* Address of instance @index. */
static inline uint32_t nthw_reg_addr(const struct nthw_reg *reg, uint32_t index)
{
	return reg->addr + index * reg->step;
}

/* Can reading the register tell anything? False when all of it only clears. */
static inline bool nthw_reg_is_readable(const struct nthw_reg *reg)
{
	uint32_t i;

	for (i = 0; i < reg->field_count; i++)
		if (reg->fields[i].access != NTHW_W1C)
			return true;
	return false;
}

#endif
