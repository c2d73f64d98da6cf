// SPDX-License-Identifier: MIT
/*
 * The registers that ntime's driver shows: folders are units, files are addresses, and a row is
 * found for each.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/regs.h"
#include "base/common/text.h"
#include "count/lib/machine/register/register.h"

void nti_register_file(enum nthw_space space, uint32_t address, char *buf, size_t size)
{
	int digits = space == NTHW_SPACE_PCI ? 3 : space == NTHW_SPACE_MMIO ? 6 : 1;

	(void)snprintf(buf, size, "0x%0*x", digits, address);
}

/* Where the walk is. */
struct place {
	struct nti_registers *r;
	enum nthw_scope scope;
	unsigned int number, cpu;
	enum nthw_space space;
	char unit[32];	   /* "core0" */
	char folder[96];   /* "core0/msr" */
	const char *names; /* "intel", "amd", "arm", "" when there is no such folder */
	unsigned int units;
};

/* Is there a link of the vendor's name to this register? It tells rows of one address apart. */
static bool has_link(const struct place *p, const struct nthw_reg *row, uint32_t index)
{
	char name[NTHW_NAME_SIZE], path[160], target[160];

	(void)nthw_reg_name(row, index, name, sizeof(name));
	if (!*p->names || snprintf(path, sizeof(path), NTIME_FS_PATH "/%s/%s/%s", p->unit, p->names,
				   name) >= (int)sizeof(path))
		return false;
	return p->r->os->ops->link(p->r->os, path, target, sizeof(target)) >= 0;
}

static int add_file(void *arg, const char *name)
{
	struct place *p = arg;
	const struct nthw_table *table = NULL;
	const struct nthw_reg *row = NULL, *found;
	struct nti_register *reg;
	uint64_t address;
	uint32_t index = 0, at;
	size_t i;

	if (nti_text_parse_u64(name, &address) < 0 || address > UINT32_MAX)
		return 0;
	for (i = 0; i < nthw_table_count; i++) {
		found = nthw_table_find(nthw_tables[i], (uint32_t)address, &at);
		if (!found || found->space != p->space ||
		    (p->scope != NTHW_SCOPE_DEVICE && found->space == NTHW_SPACE_MSR &&
		     nthw_reg_listed(found) != p->scope))
			continue;
		if (row && !has_link(p, found, at))
			continue;
		table = nthw_tables[i];
		row = found;
		index = at;
	}
	/* A file without a row is of a newer driver: nothing is known of it here. */
	if (!row)
		return 0;
	reg = nti_registers_add(p->r, table, row, index, p->scope, p->number);
	if (!reg)
		return -ENOMEM;
	reg->is_in_tree = true;
	reg->cpu = p->cpu;
	(void)snprintf(reg->unit, sizeof(reg->unit), "%s", p->unit);
	(void)snprintf(reg->path, sizeof(reg->path), "%.46s/%.16s", p->folder, name);
	return 0;
}

/* Files of one folder of the tree; that it is not there is no error. */
static int add_folder(struct place *p)
{
	char path[160];
	int ret;

	(void)snprintf(path, sizeof(path), NTIME_FS_PATH "/%s", p->folder);
	ret = p->r->os->ops->list(p->r->os, path, add_file, p);
	return ret == -ENOMEM ? ret : 0;
}

static int add_function(void *arg, const char *name)
{
	struct place *p = arg;

	(void)snprintf(p->folder, sizeof(p->folder), "%s/pci/%.16s", p->unit, name);
	return add_folder(p);
}

static int add_unit_folder(void *arg, const char *name)
{
	struct place *p = arg;
	char path[160];
	int ret;

	p->space = NTHW_SPACE_MSR;
	while (strcmp(name, nti_space_names[p->space]) != 0)
		if (++p->space == NTI_SPACES)
			return 0;
	(void)snprintf(p->folder, sizeof(p->folder), "%s/%s", p->unit, name);
	if (p->space != NTHW_SPACE_PCI)
		return add_folder(p);
	(void)snprintf(path, sizeof(path), NTIME_FS_PATH "/%s", p->folder);
	ret = p->r->os->ops->list(p->r->os, path, add_function, p);
	return ret == -ENOMEM ? ret : 0;
}

static const char *names_of(struct nti_os *os, const char *unit)
{
	static const char *const names[] = { "intel", "amd", "arm" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (nti_os_exists(os, NTIME_FS_PATH "/%s/%s", unit, names[i]))
			return names[i];
	}
	return "";
}

/* Any CPU of package @number; 0 when none is known. */
static unsigned int cpu_of(struct nti_registers *r, unsigned int number)
{
	unsigned int cpu;

	for (cpu = 0; nti_os_exists(r->os, "/sys/devices/system/cpu/cpu%u", cpu); cpu++) {
		if (nti_os_exists(r->os, NTIME_FS_PATH "/core%u", cpu) &&
		    nti_register_package(r->os, r->handles, cpu) == number)
			return cpu;
	}
	return 0;
}

/* "core12" is 12 of its kind; devices may be of any name with a number. */
static int add_unit(void *arg, const char *name)
{
	struct place *p = arg;
	size_t letters = strcspn(name, "0123456789");
	uint64_t number;
	char path[96];

	if (!letters || !name[letters] || strlen(name) >= sizeof(p->unit) ||
	    nti_text_parse_u64(name + letters, &number) < 0 || number > UINT32_MAX)
		return 0;
	(void)snprintf(p->unit, sizeof(p->unit), "%s", name);
	p->number = (unsigned int)number;
	p->scope = letters == 4 && strncmp(name, "core", 4) == 0     ? NTHW_SCOPE_CPU
		   : letters == 6 && strncmp(name, "uncore", 6) == 0 ? NTHW_SCOPE_PACKAGE
								     : NTHW_SCOPE_DEVICE;
	p->cpu = p->scope == NTHW_SCOPE_CPU	  ? p->number
		 : p->scope == NTHW_SCOPE_PACKAGE ? cpu_of(p->r, p->number)
						  : 0;
	p->names = names_of(p->r->os, name);
	p->units++;
	(void)snprintf(path, sizeof(path), NTIME_FS_PATH "/%s", name);
	return p->r->os->ops->list(p->r->os, path, add_unit_folder, p) == -ENOMEM ? -ENOMEM : 0;
}

int nti_registers_from_tree(struct nti_registers *r)
{
	struct place p = { .r = r, .names = "" };

	if (r->os->ops->list(r->os, NTIME_FS_PATH, add_unit, &p) == -ENOMEM)
		return -ENOMEM;
	return (int)p.units;
}
