// SPDX-License-Identifier: MIT
/* Which registers CPUs have where no driver tells: what CPUID says, and where it says nothing, which processors the rows are of. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/regs/intel_model.h"
#include "core/regs/regs.h"
#include "lib/base/text.h"
#include "lib/machine/register/register.h"

#define ONLINE_BYTES 4096

struct nti_processor {
	bool is_intel, is_amd;
	uint32_t family, model;
	uint32_t pmu_version, counters,
		fixed; /* CPUID 0xA; Intel SDM vol. 2A, CPUID (not opened), Linux union cpuid10_eax */
	uint32_t core_counters; /* AMD's, of its core extension */
	bool has_tsc, has_aperf, has_thermal, has_package_thermal;
	bool has_core_extension, has_l3, has_fabric, has_version2; /* AMD */
	uint32_t fabric_counters;
	const struct nthw_intel_model
		*intel;		      /* NULL: another vendor's, or one that we do not know */
	const struct nthw_table *arm; /* the one table of an ARM processor; NULL on others */
};

struct words {
	uint32_t eax, ebx, ecx, edx;
};

/* All zero where the leaf does not exist. */
static struct words cpuid(struct nti_os *os, uint32_t leaf)
{
	uint32_t highest[4], r[4];

	if (os->ops->cpuid(os, leaf & 0x80000000u, 0, highest) < 0 || highest[0] < leaf ||
	    os->ops->cpuid(os, leaf, 0, r) < 0)
		return (struct words){ 0 };
	return (struct words){ r[0], r[1], r[2], r[3] };
}

/* Family and model as Linux 6.1 arch/x86/lib/cpu.c puts them together. */
static void read_version(struct nti_os *os, struct nti_processor *p)
{
	struct words w = cpuid(os, 1);

	p->family = w.eax >> 8 & 0xf;
	if (p->family == 0xf)
		p->family += w.eax >> 20 & 0xff;
	p->model = w.eax >> 4 & 0xf;
	if (p->family >= 6)
		p->model += (w.eax >> 16 & 0xf) << 4;
	p->has_tsc = w.edx >> 4 & 1;
}

/* Bits of Linux 6.1 arch/x86/include/asm/cpufeatures.h: APERFMPERF 6:ECX[0], DTHERM 6:EAX[0], PTS 6:EAX[6]; core/regs/amd.c has AMD's. */
static void read_features(struct nti_os *os, struct nti_processor *p)
{
	struct words vendor = cpuid(os, 0), power = cpuid(os, 6), pmu = cpuid(os, 0xa),
		     more = cpuid(os, 0x80000001), perfmon = cpuid(os, 0x80000022);

	p->is_intel = vendor.ebx == 0x756e6547;				  /* "Genu" */
	p->is_amd = vendor.ebx == 0x68747541 || vendor.ebx == 0x6f677948; /* "Auth", "Hygo" */
	p->has_aperf = power.ecx & 1;
	p->has_thermal = power.eax & 1;
	p->has_package_thermal = power.eax >> 6 & 1;
	p->pmu_version = pmu.eax & 0xff;
	p->counters = pmu.eax >> 8 & 0xff;
	p->fixed = p->pmu_version > 1 ? pmu.edx & 0x1f : 0;
	p->has_core_extension = more.ecx >> 23 & 1;
	p->has_fabric = more.ecx >> 24 & 1;
	p->has_l3 = more.ecx >> 28 & 1;
	p->has_version2 = perfmon.eax & 1;
	/* Before version 2 numbers are not told (Linux 6.1 arch/x86/events/amd/core.c and uncore.c: six and four). */
	p->core_counters = p->has_version2 ? perfmon.ebx & 0xf : 6;
	p->fabric_counters = p->has_version2 ? perfmon.ebx >> 10 & 0x3f : 4;
}

/* uname -m tells which monitor there is; how many counters it has only the driver can ask, so instance 0 stands for all. */
static const struct nthw_table *arm_table(const char *arch)
{
	if (strcmp(arch, "aarch64") == 0)
		return &nthw_armv8_pmu;
	if (strncmp(arch, "armv7", 5) == 0 || strncmp(arch, "armv8", 5) == 0)
		return &nthw_armv7_pmu;
	return strncmp(arch, "armv6", 5) == 0 ? &nthw_arm1176 : NULL;
}

int nti_processor_new(struct nti_os *os, struct nti_processor **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	read_version(os, *out);
	read_features(os, *out);
	if ((*out)->is_intel)
		(*out)->intel = nthw_intel_model((*out)->family, (*out)->model);
	(*out)->arm = arm_table(os->ops->arch(os));
	return 0;
}

static bool intel_has(const struct nti_processor *p, const struct nthw_reg *row, uint32_t index)
{
	switch (row->addr) {
	case 0xc1:
	case 0x186:
		return p->pmu_version && index < p->counters;
	case 0x309:
		return index < p->fixed;
	case 0x38d:
	case 0x38e:
	case 0x38f:
	case 0x390:
		return p->pmu_version > 1;
	case 0x19c:
	case 0x1a2:
		return p->has_thermal;
	case 0x1b1:
		return p->has_package_thermal;
	default:
		break;
	}
	if (p->intel)
		return nthw_intel_model_has(p->intel, &nthw_x86, row);
	/* Energy is told by no bit of CPUID; it came with Sandy Bridge (Linux 6.1 arch/x86/events/rapl.c). */
	return !nthw_intel_is_energy(row) || (p->family == 6 && p->model >= 0x2a);
}

static bool x86_has(const struct nti_processor *p, const struct nthw_reg *row, uint32_t index)
{
	if (row->addr == 0x10)
		return p->has_tsc;
	if (row->addr == 0xe7 || row->addr == 0xe8)
		return p->has_aperf;
	return p->is_intel && intel_has(p, row, index);
}

static bool amd_has(const struct nti_processor *p, const struct nthw_table *table, uint32_t index)
{
	if (!p->is_amd)
		return false;
	if (table == &nthw_amd_legacy)
		return p->family >= 6;
	if (table == &nthw_amd_core)
		return p->has_core_extension && index < p->core_counters;
	if (table == &nthw_amd_v2)
		return p->has_version2;
	if (p->family < 0x17)
		return false;
	if (table == &nthw_amd_df)
		return p->has_fabric && index < p->fabric_counters;
	return table == &nthw_amd_l3 ? p->has_l3 : table == &nthw_amd_rapl;
}

bool nti_processor_has(const struct nti_processor *p, const struct nthw_table *table,
		       const struct nthw_reg *row, uint32_t index)
{
	if (p->arm)
		return table == p->arm && index == 0 && row->first == 0;
	if (table == &nthw_x86)
		return x86_has(p, row, index);
	if (p->intel && nthw_intel_model_has(p->intel, table, row))
		return true;
	return row->space == NTHW_SPACE_MSR && amd_has(p, table, index);
}

/* CPUs on line, each with its package, as the kernel numbers both. */
struct cpus {
	struct nti_registers *r;
	struct nti_processor *p;
	uint64_t packages[NTI_CPU_LIMIT / 64]; /* seen so far */
	unsigned int package;
	int ret;
};

static int add_row(struct cpus *c, unsigned int cpu, const struct nthw_table *table,
		   const struct nthw_reg *row, enum nthw_scope scope)
{
	struct nti_register *reg;
	uint32_t i;

	for (i = 0; i < row->count; i++) {
		if (!nti_processor_has(c->p, table, row, i))
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

static bool is_new_package(struct cpus *c, unsigned int cpu)
{
	unsigned int package = nti_register_package(c->r->os, c->r->handles, cpu);
	uint64_t bit = (uint64_t)1 << package % 64;

	c->package = package;
	if (c->packages[package / 64] & bit)
		return false;
	c->packages[package / 64] |= bit;
	return true;
}

static int add_cpu(void *arg, unsigned int cpu)
{
	struct cpus *c = arg;

	c->ret = add_scope(c, cpu, NTHW_SCOPE_CPU);
	if (!c->ret && is_new_package(c, cpu))
		c->ret = add_scope(c, cpu, NTHW_SCOPE_PACKAGE);
	return c->ret;
}

int nti_registers_from_processor(struct nti_registers *r)
{
	char online[ONLINE_BYTES] = "0";
	struct cpus *c = calloc(1, sizeof(*c));
	int ret = c ? nti_processor_new(r->os, &c->p) : -ENOMEM;

	if (ret < 0)
		goto out;
	c->r = r;
	/* A kernel without CPU hotplug has no such file: one CPU is sure. */
	(void)nti_os_line(r->os, online, sizeof(online), "/sys/devices/system/cpu/online");
	(void)nti_text_for_each_in_list(online, NTI_CPU_LIMIT, add_cpu, c);
	ret = c->ret;
	free(c->p);
out:
	free(c);
	return ret;
}
