/* SPDX-License-Identifier: MIT */
/*
 * The registers of one machine: which rows it has, what they are called, and how they are reached.
 */
#ifndef NTI_REGISTER_H
#define NTI_REGISTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ntime/register.h>

#include "core/base/names.h"
#include "core/base/reg.h"
#include "include/uapi/ntime.h"
#include "count/lib/access/access.h"
#include "count/lib/access/msr.h"
#include "count/lib/access/pci.h"
#include "base/common/error.h"
#include "base/os/os.h"

/* One register of one unit. */
struct nti_register {
	const struct nthw_table *table;
	const struct nthw_reg *row;
	const struct nti_pci_function *function; /* NULL: not reached through PCI */
	uint32_t index, address;
	enum nthw_scope scope;
	unsigned int number;
	unsigned int cpu;
	bool is_in_tree; /* of the driver, at .path below NTIME_FS_PATH */
	char unit[32], path[64];
	char name[NTHW_NAME_SIZE], linux_name[NTHW_NAME_SIZE];
};

/*
 * What the registers are looked for with; all of it is lent, and @os and @msr outlive the
 * registers.
 */
struct nti_register_source {
	struct nti_os *os;
	struct nti_msr *msr;
	/* Package of a CPU where sysfs does not tell; negative: not known. */
	int (*package_of)(void *arg, unsigned int cpu);
	void *arg;
};

/* All of them, in the order of ntime_register_for_each(). */
struct nti_registers {
	const struct nti_register_source *handles; /* while they are looked for */
	struct nti_os *os;
	struct nti_msr *msr;
	struct nti_pci *pci; /* NULL: PCI cannot be reached */
	struct nti_register *reg;
	size_t count;
};

/* Look for them. 0 or -ENOMEM; that there are none is no error. */
int nti_registers_new(const struct nti_register_source *handles, struct nti_registers **out);
void nti_registers_free(struct nti_registers *r);

/* ---- which: processor.c, tree.c, function.c ---- */

/* One more; scope, number and cpu say of what. NULL without memory. Valid until the next call. */
struct nti_register *nti_registers_add(struct nti_registers *r, const struct nthw_table *table,
				       const struct nthw_reg *row, uint32_t index,
				       enum nthw_scope scope, unsigned int number);

/* Those in the driver's tree: number of units found, or -ENOMEM. */
int nti_registers_from_tree(struct nti_registers *r);
/* Those that the processor says it has, for machines without a tree. 0 or -ENOMEM. */
int nti_registers_from_processor(struct nti_registers *r);
/*
 * Those of PCI functions; such as are in the tree already learn which function they are of. 0 or
 * -ENOMEM.
 */
int nti_registers_from_functions(struct nti_registers *r);

/* The package of a CPU, numbered as in the paths of its registers; @handles may be NULL. */
unsigned int nti_register_package(struct nti_os *os, const struct nti_register_source *handles,
				  unsigned int cpu);

/* The name of an address' file in the tree: "0x38d", "0x0f4", "0x00a680". */
void nti_register_file(enum nthw_space space, uint32_t address, char *buf, size_t size);

/* ---- names: name.c ---- */

/* Does @typed stand for it? Exact: with its instance; else the name of all instances counts too. */
bool nti_register_is(const struct nti_register *reg, const char *typed, bool is_exact);
/* The row of @table called @name with the instance behind it, NULL when there is none. */
const struct nthw_reg *nti_register_row(const char *table, const char *name);

/* ---- what is told: info.c ---- */

/* How @reg is accessed: all but the sentence of errors, and what is wanted. */
struct nti_access nti_register_access(const struct nti_registers *r,
				      const struct nti_register *reg);

void nti_register_info(const struct nti_registers *r, const struct nti_register *reg,
		       struct ntime_register_info *out);

/* ---- access: access.c; struct ntime_register is defined there ---- */

int nti_register_open(struct nti_registers *r, struct nti_error *e, const struct nti_register *reg,
		      uint32_t flags, struct ntime_register **out);

#endif
