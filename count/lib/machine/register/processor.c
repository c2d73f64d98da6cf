// SPDX-License-Identifier: MIT
/* Which registers CPUs have where no driver tells: what their kind says. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/regs/devices.h"
#include "core/regs/regs.h"
#include "base/common/set.h"
#include "base/common/text.h"
#include "count/lib/machine/cpu.h"
#include "count/lib/machine/register/register.h"

#define ONLINE_BYTES 4096

/*
 * uname -m tells which monitor there is; how many counters it has only the driver can ask, so
 * instance 0 stands for all.
 */
static const struct nthw_table *arm_table(const char *arch)
{
	if (strcmp(arch, "aarch64") == 0)
		return &nthw_armv8_pmu;
	if (strncmp(arch, "armv7", 5) == 0 || strncmp(arch, "armv8", 5) == 0)
		return &nthw_armv7_pmu;
	return strncmp(arch, "armv6", 5) == 0 ? &nthw_arm1176 : NULL;
}

/* CPUs on line, each with its package, as the kernel numbers both. */
struct cpus {
	struct nti_registers *r;
	struct nthw_x86_cpu x86;
	const struct nthw_table *arm; /* the one table of an ARM processor; NULL on others */
	struct nti_set packages;      /* seen so far */
	unsigned int package;
	int ret;
};

static bool processor_has(const struct cpus *c, const struct nthw_table *table,
			  const struct nthw_reg *row, uint32_t index)
{
	if (c->arm)
		return table == c->arm && index == 0 && row->first == 0;
	return row->space == NTHW_SPACE_MSR && nthw_cpu_has(&c->x86, table, row, index);
}

static int add_row(struct cpus *c, unsigned int cpu, const struct nthw_table *table,
		   const struct nthw_reg *row, enum nthw_scope scope)
{
	struct nti_register *reg;
	uint32_t i;

	for (i = 0; i < row->count; i++) {
		if (!processor_has(c, table, row, i))
			continue;
		reg = nti_registers_add(c->r, table, row, i, scope,
					scope == NTHW_SCOPE_CPU ? cpu : c->package);
		if (!reg)
			return -ENOMEM;
		reg->cpu = cpu;
	}
	return 0;
}

static int add_scope(struct cpus *c, unsigned int cpu, enum nthw_scope scope)
{
	size_t i, k;
	int ret = 0;

	for (i = 0; i < nthw_table_count && !ret; i++) {
		for (k = 0; k < nthw_tables[i]->count && !ret; k++) {
			if (nthw_reg_listed(nthw_tables[i]->regs[k]) == scope)
				ret = add_row(c, cpu, nthw_tables[i], nthw_tables[i]->regs[k],
					      scope);
		}
	}
	return ret;
}

unsigned int nti_register_package(struct nti_os *os, const struct nti_register_source *handles,
				  unsigned int cpu)
{
	char path[64], target[128];
	const char *name;
	uint64_t number;
	int ret;

	(void)snprintf(path, sizeof(path), NTIME_FS_PATH "/core%u/uncore", cpu);
	if (os->ops->link(os, path, target, sizeof(target)) >= 0) {
		name = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
		if (strncmp(name, "uncore", 6) == 0 && nti_text_parse_u64(name + 6, &number) == 0 &&
		    number < NTI_CPU_LIMIT)
			return (unsigned int)number;
	}
	ret = nti_os_package(os, cpu);
	if (ret < 0 && handles)
		ret = handles->package_of(handles->arg, cpu);
	return ret < 0 || ret >= NTI_CPU_LIMIT ? 0 : (unsigned int)ret;
}

static int add_cpu(void *arg, unsigned int cpu)
{
	struct cpus *c = arg;

	c->package = nti_register_package(c->r->os, c->r->handles, cpu);
	c->ret = add_scope(c, cpu, NTHW_SCOPE_CPU);
	if (c->ret || nti_set_has(&c->packages, c->package))
		return c->ret;
	c->ret = nti_set_add(&c->packages, c->package);
	if (!c->ret)
		c->ret = add_scope(c, cpu, NTHW_SCOPE_PACKAGE);
	return c->ret;
}

int nti_registers_from_processor(struct nti_registers *r)
{
	char online[ONLINE_BYTES] = "0";
	struct cpus c = { .r = r, .arm = arm_table(r->os->ops->arch(r->os)) };

	nti_cpu_identify(r->os, &c.x86);
	(void)nti_os_online(r->os, online, sizeof(online));
	(void)nti_text_for_each_in_list(online, NTI_CPU_LIMIT, add_cpu, &c);
	nti_set_fini(&c.packages);
	return c.ret;
}
