// SPDX-License-Identifier: MIT
/* What CPUID (or its equivalent) says about the processor. */
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/text.h"
#include "count/lib/machine/cpu.h"

#define LEAF_HYPERVISOR 0x40000000u

/* A machine's CPUID as the decoder in core/ asks for it. */
struct source {
	struct nthw_cpuid cpuid; /* first: what is lent gets this pointer */
	struct nti_os *os;
};

static int read_leaf(struct nthw_cpuid *cpuid, uint32_t leaf, uint32_t r[4])
{
	struct nti_os *os = ((struct source *)cpuid)->os;

	return os->ops->cpuid(os, leaf, 0, r);
}

void nti_cpu_identify(struct nti_os *os, struct nthw_x86_cpu *out)
{
	struct source source = { .cpuid.read = read_leaf, .os = os };

	nthw_x86_identify(&source.cpuid, out);
}

/*
 * Hybrids whose efficient cores are switched on tell on every core what both kinds have, 6 and 3,
 * and the performance cores have two and one more. With the efficient cores off the leaf tells all
 * that the performance cores have (Linux arch/x86/events/intel/core.c, intel_pmu_init(), case
 * ALDERLAKE, and its quirk). Any other answer is taken as that of the core that asks: then nothing
 * is known of the other kind.
 */
#define HYBRID_COMMON 6
#define HYBRID_COMMON_FIXED 3
#define HYBRID_MORE 2
#define HYBRID_MORE_FIXED 1

void nti_cpu_hybrid_counters(const struct nthw_x86_cpu *cpu, char kind, unsigned int *counters,
			     unsigned int *fixed)
{
	*counters = cpu->general;
	*fixed = nthw_x86_fixed_count(cpu);
	if (*counters == HYBRID_COMMON && *fixed == HYBRID_COMMON_FIXED) {
		if (kind == 'c') {
			*counters += HYBRID_MORE;
			*fixed += HYBRID_MORE_FIXED;
		}
	} else if (cpu->core_kind != kind) {
		*counters = 0;
		*fixed = 0;
	}
}

/* For hypervisors of which no setting is known here. */
#define ASK_HOST                                                                                   \
	"ask who runs the host whether it can give its guests a PMU; or count on the host or on "  \
	"a bare-metal machine"

/* libvirt: "Domain XML format", cpu and features/pmu; QEMU: docs/system, "-cpu", property pmu. */
#define VIRTUAL_PMU                                                                                \
	"ask who runs the host for a virtual PMU (libvirt: <cpu mode='host-passthrough'/> and "    \
	"<pmu state='on'/> in <features>; QEMU: -cpu host,pmu=on; cloud: a bare-metal instance)"

/* Xen: docs/misc/xen-command-line, "vpmu". */
#define XEN_VPMU "ask who runs the host to boot Xen with vpmu=on on its command line"

/*
 * Signatures: Linux arch/x86/include/asm/kvm_para.h, mshyperv.h and xen/cpuid.h; Linux
 * arch/x86/kernel/cpu/vmware.c, acrn.c; QEMU target/i386/cpu.c (TCG); FreeBSD sys/x86 (bhyve). The
 * last rows are the words of device trees (/hypervisor/compatible) and of DMI's system vendor.
 */
static const struct nti_hypervisor hypervisors[] = {
	{ "KVMKVMKVM", "KVM", VIRTUAL_PMU },
	/*
	 * Broadcom (VMware) knowledge base 344161, "Using Virtual CPU Performance Monitoring
	 * Counters"
	 */
	{ "VMwareVMware", "VMware",
	  "ask who runs the host to enable virtualized CPU performance counters: vpmc.enable = "
	  "\"TRUE\" in the guest's .vmx file" },
	/*
	 * Microsoft Learn, "Enable Intel Performance Monitoring Hardware in a Hyper-V virtual
	 * machine"
	 */
	{ "Microsoft Hv", "Hyper-V",
	  "on the host, while the guest is off: Set-VMProcessor -VMName NAME -Perfmon "
	  "@(\"pmu\")" },
	{ "XenVMMXenVMM", "Xen", XEN_VPMU },
	{ "TCGTCGTCGTCG", "QEMU TCG",
	  "start the guest with KVM and -cpu host,pmu=on: QEMU's emulator has no x86 PMU" },
	{ "VBoxVBoxVBox", "VirtualBox", ASK_HOST },
	{ "bhyve bhyve ", "bhyve", ASK_HOST },
	{ " lrpepyh  vr", "Parallels", ASK_HOST },
	{ "ACRNACRNACRN", "ACRN", ASK_HOST },
	{ "QNXQVMBSQG", "QNX", ASK_HOST },
	{ "linux,kvm", "KVM", VIRTUAL_PMU },
	{ "xen,xen", "Xen", XEN_VPMU },
	{ "QEMU", "QEMU", VIRTUAL_PMU },
};

/*
 * Providers by DMI's system vendor: their customers cannot set the host's hypervisor, but choose
 * another instance.
 */
static const struct nti_hypervisor clouds[] = {
	/*
	 * Brendan Gregg, "The PMCs of EC2: Measuring IPC" (2017): dedicated hosts and sizes that
	 * fill one; AWS: *.metal
	 */
	{ "Amazon EC2", "Amazon EC2",
	  "take a bare-metal instance (*.metal), or a size that fills a whole host or socket" },
	/* Google Cloud, Compute Engine, "PMU overview" and "Manage the PMU in VMs" */
	{ "Google", "Google Compute Engine",
	  "take a C4 or C4A instance with advancedMachineFeatures.performanceMonitoringUnit: "
	  "STANDARD, or a bare-metal instance" },
};

static const struct nti_hypervisor unknown_hypervisor = { "", "of unknown make", ASK_HOST };

static const struct nti_hypervisor *find_by(const struct nti_hypervisor *row, size_t rows,
					    const char *signature)
{
	size_t i;

	for (i = 0; i < rows; i++)
		if (strcmp(signature, row[i].signature) == 0)
			return &row[i];
	return NULL;
}

static const struct nti_hypervisor *find_hypervisor(const char *signature)
{
	return find_by(hypervisors, NTI_ARRAY_SIZE(hypervisors), signature);
}

/*
 * The cloud in which this machine is, bare-metal instances included; NULL in none that is listed.
 */
static const struct nti_hypervisor *find_cloud(struct nti_os *os)
{
	char text[256];

	if (nti_os_line(os, text, sizeof(text), "/sys/class/dmi/id/sys_vendor") < 0)
		return NULL;
	return find_by(clouds, NTI_ARRAY_SIZE(clouds), text);
}

/*
 * Where there is no CPUID: the device tree's hypervisor node (KVM makes none), else the maker that
 * DMI names.
 */
static const struct nti_hypervisor *find_without_cpuid(struct nti_os *os)
{
	const struct nti_hypervisor *found;
	char text[256];

	if (nti_os_line(os, text, sizeof(text), "/proc/device-tree/hypervisor/compatible") >= 0) {
		found = find_hypervisor(text);
		return found ? found : &unknown_hypervisor;
	}
	if (nti_os_line(os, text, sizeof(text), "/sys/class/dmi/id/sys_vendor") < 0)
		return NULL;
	found = find_hypervisor(text);
	if (found)
		return found;
	/* EC2's product is the instance type: c6g.metal has no hypervisor. */
	if (nti_os_line(os, text, sizeof(text), "/sys/class/dmi/id/product_name") >= 0 &&
	    strstr(text, "metal"))
		return NULL;
	return find_cloud(os);
}

const struct nti_hypervisor *nti_cpu_hypervisor(struct nti_os *os, const struct nthw_x86_cpu *cpu)
{
	const struct nti_hypervisor *found;
	char text[13];
	uint32_t r[4];

	if (!cpu->family)
		return find_without_cpuid(os);
	if (!(cpu->features & NTHW_X86_GUEST))
		return NULL;
	found = find_cloud(os);
	if (found)
		return found;
	if (os->ops->cpuid(os, LEAF_HYPERVISOR, 0, r) < 0)
		return &unknown_hypervisor;
	/* Signature in EBX, ECX, EDX. */
	memcpy(text, &r[1], 12);
	text[12] = '\0';
	found = find_hypervisor(text);
	return found ? found : &unknown_hypervisor;
}
