// SPDX-License-Identifier: MIT
/* What CPUID (or its equivalent) says about the processor. */
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/text.h"
#include "lib/machine/cpu.h"
#include "lib/os/sysfs.h"

/* Leaves: Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E. */
#define LEAF_VENDOR 0x0u
#define LEAF_VERSION 0x1u
#define LEAF_PERFMON 0xau
#define LEAF_HYBRID 0x1au
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_EXTENDED 0x80000000u
#define LEAF_EXTENDED_FEATURES 0x80000001u
#define LEAF_AMD_PERFMON 0x80000022u

#define EAX 0
#define EBX 1
#define ECX 2
#define EDX 3

static bool read_leaf(struct nti_os *os, uint32_t leaf, uint32_t r[4])
{
	uint32_t top[4];

	memset(r, 0, 4 * sizeof(r[0]));
	/* A leaf above the highest one answers with some other leaf's data on Intel (SDM vol. 2A, CPUID, "INPUT EAX"). */
	if (os->ops->cpuid(os, leaf & LEAF_EXTENDED, 0, top) < 0 || top[EAX] < leaf)
		return false;
	return os->ops->cpuid(os, leaf, 0, r) == 0;
}

static unsigned int bits(uint32_t value, unsigned int first, unsigned int last)
{
	return value >> first & (0xffffffffu >> (31 - (last - first)));
}

static const struct vendor_row {
	const char *text;
	enum nti_cpu_vendor vendor;
} vendor_rows[] = {
	{ "GenuineIntel", NTI_CPU_INTEL },
	{ "AuthenticAMD", NTI_CPU_AMD },
	{ "HygonGenuine", NTI_CPU_AMD },
};

/* Intel SDM vol. 2A, CPUID, "version information": extended fields count from family 6 / 15 (model) and 15 (family). */
static void decode_version(uint32_t eax, struct nti_cpu *cpu)
{
	cpu->stepping = bits(eax, 0, 3);
	cpu->model = bits(eax, 4, 7);
	cpu->family = bits(eax, 8, 11);
	if (cpu->family == 6 || cpu->family == 15)
		cpu->model |= bits(eax, 16, 19) << 4;
	if (cpu->family == 15)
		cpu->family += bits(eax, 20, 27);
}

void nti_cpu_identify(struct nti_os *os, struct nti_cpu *out)
{
	uint32_t r[4];
	char text[13];
	size_t i;

	memset(out, 0, sizeof(*out));
	if (!read_leaf(os, LEAF_VENDOR, r))
		return;
	memcpy(text, &r[EBX], 4);
	memcpy(text + 4, &r[EDX], 4);
	memcpy(text + 8, &r[ECX], 4);
	text[12] = '\0';
	for (i = 0; i < NTI_ARRAY_SIZE(vendor_rows); i++)
		if (strcmp(text, vendor_rows[i].text) == 0)
			out->vendor = vendor_rows[i].vendor;
	if (read_leaf(os, LEAF_VERSION, r))
		decode_version(r[EAX], out);
}

/*
 * Intel SDM vol. 3B, 20.2 "architectural performance monitoring": version in EAX 7-0 (0: no counters), general counters in
 * EAX 15-8. Fixed counters exist from version 2: number in EDX 4-0; version 5 adds a bitmap in ECX, and counter i
 * exists when either says so. Only those from 0 on without a gap are counted: a counter too few costs a pass, one that a
 * hypervisor keeps for itself would be planned in vain.
 */
static void count_intel(struct nti_os *os, unsigned int *counters, unsigned int *fixed)
{
	uint32_t r[4];
	unsigned int version, i;

	if (!read_leaf(os, LEAF_PERFMON, r))
		return;
	version = bits(r[EAX], 0, 7);
	if (!version)
		return;
	*counters = bits(r[EAX], 8, 15);
	if (version < 2)
		return;
	*fixed = bits(r[EDX], 0, 4);
	if (version < 5)
		return;
	for (i = *fixed; i < 32 && r[ECX] >> i & 1; i++)
		*fixed = i + 1;
}

/*
 * AMD APM vol. 2, 13.2 and vol. 3, CPUID: Fn8000_0022 EBX 3-0 is the number of core counters where EAX 0 (PerfMonV2) is
 * set; before, Fn8000_0001 ECX 23 (PerfCtrExtCore) means six and its absence the four legacy ones.
 */
static void count_amd(struct nti_os *os, unsigned int *counters)
{
	uint32_t r[4];

	if (read_leaf(os, LEAF_AMD_PERFMON, r) && bits(r[EAX], 0, 0) && bits(r[EBX], 0, 3)) {
		*counters = bits(r[EBX], 0, 3);
		return;
	}
	if (read_leaf(os, LEAF_EXTENDED_FEATURES, r))
		*counters = bits(r[ECX], 23, 23) ? 6 : 4;
}

void nti_cpu_counters(struct nti_os *os, const struct nti_cpu *cpu, unsigned int *counters,
		      unsigned int *fixed)
{
	*counters = 0;
	*fixed = 0;
	if (cpu->vendor == NTI_CPU_INTEL)
		count_intel(os, counters, fixed);
	else if (cpu->vendor == NTI_CPU_AMD)
		count_amd(os, counters);
}

/*
 * Intel SDM vol. 2A, CPUID leaf 0xa: width of general counters in EAX 23-16, of fixed ones in EDX 12-5. AMD's are 48 bits wide, all of them
 * (APM vol. 2, 13.2.1 "performance counter MSRs"; Linux arch/x86/events/amd/core.c, amd_pmu.cntval_bits).
 */
void nti_cpu_counter_widths(struct nti_os *os, const struct nti_cpu *cpu, unsigned int *general,
			    unsigned int *fixed)
{
	uint32_t r[4];

	*general = cpu->vendor == NTI_CPU_AMD ? 48 : 0;
	*fixed = 0;
	if (cpu->vendor != NTI_CPU_INTEL || !read_leaf(os, LEAF_PERFMON, r))
		return;
	*general = bits(r[EAX], 16, 23);
	*fixed = bits(r[EDX], 5, 12);
}

unsigned int nti_cpu_perfmon(struct nti_os *os, const struct nti_cpu *cpu)
{
	uint32_t r[4];

	if (cpu->vendor == NTI_CPU_INTEL)
		return read_leaf(os, LEAF_PERFMON, r) ? bits(r[EAX], 0, 7) : 0;
	if (cpu->vendor != NTI_CPU_AMD)
		return 0;
	if (read_leaf(os, LEAF_AMD_PERFMON, r) && bits(r[EAX], 0, 0))
		return 2;
	return read_leaf(os, LEAF_EXTENDED_FEATURES, r) ? bits(r[ECX], 23, 23) : 0;
}

/*
 * Hybrids whose efficient cores are switched on tell on every core what both kinds have, 6 and 3, and the performance cores
 * have two and one more. With the efficient cores off the leaf tells all that the performance cores have (Linux
 * arch/x86/events/intel/core.c, intel_pmu_init(), case ALDERLAKE, and its quirk). Any other answer is taken as that of the core
 * that asks: then nothing is known of the other kind.
 */
#define HYBRID_COMMON 6
#define HYBRID_COMMON_FIXED 3
#define HYBRID_MORE 2
#define HYBRID_MORE_FIXED 1

void nti_cpu_hybrid_counters(struct nti_os *os, const struct nti_cpu *cpu, char kind,
			     unsigned int *counters, unsigned int *fixed)
{
	nti_cpu_counters(os, cpu, counters, fixed);
	if (*counters == HYBRID_COMMON && *fixed == HYBRID_COMMON_FIXED) {
		if (kind == 'c') {
			*counters += HYBRID_MORE;
			*fixed += HYBRID_MORE_FIXED;
		}
	} else if (nti_cpu_hybrid_kind(os, cpu) != kind) {
		*counters = 0;
		*fixed = 0;
	}
}

/* AMD APM vol. 3, CPUID: Fn8000_0022 EBX 15-10; before PerfMonV2 Fn8000_0001 ECX 24 (PerfCtrExtNB) means four. */
unsigned int nti_cpu_amd_df_counters(struct nti_os *os, const struct nti_cpu *cpu)
{
	uint32_t r[4];

	if (cpu->vendor != NTI_CPU_AMD)
		return 0;
	if (read_leaf(os, LEAF_AMD_PERFMON, r) && bits(r[EAX], 0, 0) && bits(r[EBX], 10, 15))
		return bits(r[EBX], 10, 15);
	return read_leaf(os, LEAF_EXTENDED_FEATURES, r) && bits(r[ECX], 24, 24) ? 4 : 0;
}

/* Intel SDM vol. 2A, CPUID leaf 0x1a: core type in EAX 31-24. */
char nti_cpu_hybrid_kind(struct nti_os *os, const struct nti_cpu *cpu)
{
	uint32_t r[4];

	if (cpu->vendor != NTI_CPU_INTEL || !read_leaf(os, LEAF_HYBRID, r))
		return 0;
	switch (bits(r[EAX], 24, 31)) {
	case 0x20:
		return 'a';
	case 0x40:
		return 'c';
	default:
		return 0;
	}
}

/*
 * Signatures: Linux arch/x86/include/asm/kvm_para.h, mshyperv.h and xen/cpuid.h; Linux arch/x86/kernel/cpu/vmware.c,
 * acrn.c; QEMU target/i386/cpu.c (TCG); FreeBSD sys/x86 (bhyve). The last rows are the words of device trees
 * (/hypervisor/compatible) and of DMI's system vendor.
 */
static const struct nti_hypervisor hypervisors[] = {
	{ "KVMKVMKVM", "KVM",
	  "start the guest with a virtual PMU (QEMU: -cpu host,pmu=on; in clouds: a metal or "
	  "PMU-enabled instance type)" },
	{ "VMwareVMware", "VMware",
	  "set vpmc.enable = TRUE in the guest's .vmx file (virtualize CPU performance counters)" },
	{ "Microsoft Hv", "Hyper-V",
	  "on the host: Set-VMProcessor -VMName NAME -Perfmon @(\"pmu\")" },
	{ "XenVMMXenVMM", "Xen", "boot the host's Xen with vpmu=on" },
	{ "TCGTCGTCGTCG", "QEMU TCG",
	  "run the guest with KVM and -cpu host,pmu=on: QEMU's emulator has no x86 PMU" },
	{ "VBoxVBoxVBox", "VirtualBox", "" },
	{ "bhyve bhyve ", "bhyve", "" },
	{ " lrpepyh  vr", "Parallels", "" },
	{ "ACRNACRNACRN", "ACRN", "" },
	{ "QNXQVMBSQG", "QNX", "" },
	{ "linux,kvm", "KVM",
	  "start the guest with a virtual PMU (QEMU: -cpu host,pmu=on; in clouds: a metal or "
	  "PMU-enabled instance type)" },
	{ "xen,xen", "Xen", "boot the host's Xen with vpmu=on" },
	{ "QEMU", "QEMU", "start the guest with a virtual PMU (QEMU: -cpu host,pmu=on)" },
};

static const struct nti_hypervisor unknown_hypervisor = { "", "of unknown make", "" };

static const struct nti_hypervisor *find_hypervisor(const char *signature)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(hypervisors); i++)
		if (strcmp(signature, hypervisors[i].signature) == 0)
			return &hypervisors[i];
	return NULL;
}

/* Where there is no CPUID: the device tree's hypervisor node (KVM makes none), else the maker that DMI names. */
static const struct nti_hypervisor *find_without_cpuid(struct nti_os *os)
{
	const struct nti_hypervisor *found;
	char text[256];

	if (nti_sysfs_text(os, text, sizeof(text), "/proc/device-tree/hypervisor/compatible") ==
	    0) {
		found = find_hypervisor(text);
		return found ? found : &unknown_hypervisor;
	}
	if (nti_sysfs_text(os, text, sizeof(text), "/sys/class/dmi/id/sys_vendor") == 0)
		return find_hypervisor(text);
	return NULL;
}

const struct nti_hypervisor *nti_cpu_hypervisor(struct nti_os *os)
{
	const struct nti_hypervisor *found;
	char text[13];
	uint32_t r[4];

	/* CPUID 1 ECX 31 is kept 0 by hardware and set by hypervisors (AMD APM vol. 3, CPUID Fn0000_0001). */
	if (!read_leaf(os, LEAF_VERSION, r))
		return find_without_cpuid(os);
	if (!bits(r[ECX], 31, 31))
		return NULL;
	if (os->ops->cpuid(os, LEAF_HYPERVISOR, 0, r) < 0)
		return &unknown_hypervisor;
	memcpy(text, &r[EBX], 4);
	memcpy(text + 4, &r[ECX], 4);
	memcpy(text + 8, &r[EDX], 4);
	text[12] = '\0';
	found = find_hypervisor(text);
	return found ? found : &unknown_hypervisor;
}
