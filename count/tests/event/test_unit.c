// SPDX-License-Identifier: MIT
/*
 * count/lib/machine/unit.h: which units a machine has, what they are, and why a core PMU is
 * missing.
 */
#include <errno.h>

#include "count/lib/event/event.h"
#include "count/lib/machine/unit.h"
#include "count/lib/machine/unit_rows.h"
#include "count/tests/event/fake_os.h"
#include "base/tests/tt.h"

static const struct unit_row {
	int line;
	const struct fake_machine *machine;
	const char *name;
	enum nti_unit_kind kind;
	uint32_t type;
	unsigned int counters, fixed;
	const char *cpus; /* NULL = any */
	const char *desc;
} unit_rows[] = {
	/* CPUID 0xA: version 4, 4 general, 3 fixed */
	{ __LINE__, &fake_skx, "cpu", NTI_UNIT_CORE, 4, 4, 3, NULL, "CPU cores (skylake)" },
	{ __LINE__, &fake_skx, "software", NTI_UNIT_SOFTWARE, 1, 0, 0, NULL, "kernel" },
	{ __LINE__, &fake_skx, "tracepoint", NTI_UNIT_TRACEPOINT, 2, 0, 0, NULL, "tracepoints" },
	{ __LINE__, &fake_skx, "clock", NTI_UNIT_CLOCK, 0, 0, 0, NULL, "TSC" },
	{ __LINE__, &fake_skx, "uncore_imc_0", NTI_UNIT_UNCORE, 13, 4, 0, "0,28",
	  "memory controller" },
	{ __LINE__, &fake_skx, "uncore_pcu", NTI_UNIT_UNCORE, 32, 4, 0, "0,28", "power control" },
	{ __LINE__, &fake_skx, "power", NTI_UNIT_UNCORE, 9, 0, 0, "0,28", "RAPL" },
	{ __LINE__, &fake_skx, "msr", NTI_UNIT_OTHER, 10, 0, 0, NULL, "APERF" },
	{ __LINE__, &fake_skx, "breakpoint", NTI_UNIT_OTHER, 5, 0, 0, NULL, "breakpoints" },
	/* version 5: fixed counter 3 only in the bitmap of ECX */
	{ __LINE__, &fake_adl, "cpu_core", NTI_UNIT_CORE, 4, 8, 4, "0-15",
	  "performance cores (alderlake_hybrid)" },
	/*
	 * all counters of the core that was asked, not what both kinds have: nothing is known of
	 * the other kind
	 */
	{ __LINE__, &fake_adl, "cpu_atom", NTI_UNIT_CORE, 10, 0, 0, "16-23", "efficient cores" },
	{ __LINE__, &fake_zen3, "cpu", NTI_UNIT_CORE, 4, 6, 0, NULL, "CPU cores" },
	{ __LINE__, &fake_zen3, "amd_df", NTI_UNIT_UNCORE, 12, 4, 0, "0", "data fabric" },
	{ __LINE__, &fake_zen4, "cpu", NTI_UNIT_CORE, 4, 6, 0, NULL, "CPU cores" },
	{ __LINE__, &fake_zen4, "amd_df", NTI_UNIT_UNCORE, 12, 16, 0, "0", "data fabric" },
	{ __LINE__, &fake_k8, "cpu", NTI_UNIT_CORE, 4, 4, 0, NULL, "CPU cores" },
	/* the cycle counter; nothing tells the number of the others */
	{ __LINE__, &fake_arm, "armv8_pmuv3_0", NTI_UNIT_CORE, 8, 0, 1, "0-63", "CPU cores" },
	{ __LINE__, &fake_armv7, "armv7_cortex_a15", NTI_UNIT_CORE, 8, 0, 1, "0", "CPU cores" },
	{ __LINE__, &fake_arm, "arm_dsu_0", NTI_UNIT_UNCORE, 9, 6, 0, "0", "cluster" },
	{ __LINE__, &fake_arm, "arm_spe_0", NTI_UNIT_OTHER, 10, 0, 0, "0-63", "SPE" },
	{ __LINE__, &fake_arm, "clock", NTI_UNIT_CLOCK, 0, 0, 0, NULL, "CNTVCT" },
	{ __LINE__, &fake_rpi, "armv6_1176", NTI_UNIT_CORE, 8, 2, 1, "0", "CPU cores" },
	/* made up where the kernel shows none */
	{ __LINE__, &fake_kvm, "cpu", NTI_UNIT_CORE, 4, 0, 0, NULL, "CPU cores" },
	{ __LINE__, &fake_noperf, "software", NTI_UNIT_SOFTWARE, 1, 0, 0, NULL, "kernel" },
	{ __LINE__, &fake_armguest, "armv8_pmuv3_0", NTI_UNIT_CORE, 4, 0, 0, NULL, "CPU cores" },
};

TEST(units)
{
	TT_FOR_EACH_ROW(r, unit_rows) {
		const struct nti_unit *unit;
		struct nti_error e = { 0 };
		struct nti_units units = { 0 };
		struct fake_os fake;

		fake_os_init(&fake, r->machine);
		TT_EQ(r, nti_units_load(&fake.os, &units, &e), 0);
		unit = nti_units_find(&units, r->name);
		TT_EQ(r, unit != NULL, 1);
		TT_EQ(r, unit->kind, r->kind);
		TT_EQ(r, unit->type, r->type);
		TT_EQ(r, unit->counters, r->counters);
		TT_EQ(r, unit->fixed, r->fixed);
		TT_STR(r, unit->cpus ? unit->cpus : "", r->cpus ? r->cpus : "");
		TT_HAS(unit->desc, r->desc);
		TT_EQ(r, unit->method,
		      r->kind == NTI_UNIT_CLOCK ? NTI_METHOD_CLOCK : NTI_METHOD_PERF);
		nti_units_fini(&units);
	}
}

static const struct blind_row {
	int line;
	const struct fake_machine *machine;
	const char *name;
	bool is_blind, excludes_guests;
} blind_rows[] = {
	/*
	 * drivers without a filter of modes refuse any exclude bit, also the one that leaves out
	 * guests
	 */
	{ __LINE__, &fake_rpi, "armv6_1176", true, false },
	{ __LINE__, &fake_arm, "armv8_pmuv3_0", false, true },
	{ __LINE__, &fake_biglittle, "armv8_cortex_a53", false, true },
	{ __LINE__, &fake_skx, "cpu", false, true },
	/* not a core PMU: never excludes */
	{ __LINE__, &fake_skx, "uncore_pcu", false, false },
};

TEST(modes)
{
	TT_FOR_EACH_ROW(r, blind_rows) {
		struct nti_part part = { 0 };
		struct nti_units units = { 0 };
		struct fake_os fake;

		fake_os_init(&fake, r->machine);
		TT_EQ(r, nti_units_load(&fake.os, &units, NULL), 0);
		part.unit = nti_units_find(&units, r->name);
		assert_non_null(part.unit);
		TT_EQ(r, part.unit->is_mode_blind, r->is_blind);
		TT_EQ(r, nti_part_attr(&part).exclude_guest, r->excludes_guests);
		nti_units_fini(&units);
	}
}

static const struct name_row {
	int line;
	const char *name;
	bool is_blind;
} name_rows[] = {
	{ __LINE__, "armv5_xscale1", true },	 { __LINE__, "armv6_1136", true },
	{ __LINE__, "armv7_cortex_a5", true },	 { __LINE__, "armv7_cortex_a8", true },
	{ __LINE__, "armv7_cortex_a9", true },	 { __LINE__, "armv7_scorpion", true },
	{ __LINE__, "armv7_scorpion_mp", true }, { __LINE__, "armv7_krait", false },
	{ __LINE__, "armv7_cortex_a7", false },	 { __LINE__, "armv7_cortex_a12", false },
	{ __LINE__, "armv7_cortex_a15", false }, { __LINE__, "armv7_cortex_a17", false },
	{ __LINE__, "armv8_cortex_a53", false }, { __LINE__, "cpu", false },
	{ __LINE__, "nobody", false },
};

TEST(names_that_know_no_modes)
{
	TT_FOR_EACH_ROW(r, name_rows)
		TT_EQ(r, nti_unit_row(r->name)->is_mode_blind, r->is_blind);
}

static const struct absent_row {
	int line;
	const struct fake_machine *machine;
	const char *unit, *reason, *remedy;
	enum ntime_reason code;
	enum ntime_remedy_kind kind;
} absent_rows[] = {
	{ __LINE__, &fake_kvm, "cpu", "the hypervisor (KVM) exposes no core PMU to this guest",
	  "-cpu host,pmu=on", NTIME_REASON_HYPERVISOR, NTIME_REMEDY_ELSEWHERE },
	{ __LINE__, &fake_noperf, "cpu", "the kernel has no perf events", "CONFIG_PERF_EVENTS=y",
	  NTIME_REASON_KERNEL, NTIME_REMEDY_HERE },
	{ __LINE__, &fake_noperf, "software", "the kernel has no perf events",
	  "CONFIG_PERF_EVENTS=y", NTIME_REASON_KERNEL, NTIME_REMEDY_HERE },
	/* What is missing below /proc/sys was hidden. */
	{ __LINE__, &fake_hidden, "cpu", "no driver for the core PMU of this processor",
	  "newer kernel", NTIME_REASON_KERNEL, NTIME_REMEDY_HERE },
	{ __LINE__, &fake_nodriver, "cpu", "no driver for the core PMU of this processor",
	  "newer kernel", NTIME_REASON_KERNEL, NTIME_REMEDY_HERE },
	{ __LINE__, &fake_armguest, "armv8_pmuv3_0", "the hypervisor (QEMU)", "pmu=on",
	  NTIME_REASON_HYPERVISOR, NTIME_REMEDY_ELSEWHERE },
	{ __LINE__, &fake_skx, "cpu", NULL, NULL, NTIME_REASON_NONE, NTIME_REMEDY_NONE },
	{ __LINE__, &fake_kvm, "software", NULL, NULL, NTIME_REASON_NONE, NTIME_REMEDY_NONE },
};

TEST(absences)
{
	TT_FOR_EACH_ROW(r, absent_rows) {
		const struct nti_unit *unit;
		struct nti_units units = { 0 };
		struct fake_os fake;

		fake_os_init(&fake, r->machine);
		TT_EQ(r, nti_units_load(&fake.os, &units, NULL), 0);
		unit = nti_units_find(&units, r->unit);
		TT_EQ(r, unit != NULL, 1);
		TT_EQ(r, unit->absent.reason != NULL, r->reason != NULL);
		TT_EQ(r, unit->absent.code, r->code);
		TT_EQ(r, unit->absent.remedy_kind, r->kind);
		if (r->reason) {
			TT_HAS(unit->absent.reason, r->reason);
			TT_HAS(unit->absent.remedy, r->remedy);
		}
		nti_units_fini(&units);
	}
}

/* Signatures of CPUID 0x40000000 as their makers document them. */
static const struct hypervisor_row {
	int line;
	const char *signature, *name, *remedy;
} hypervisor_rows[] = {
	{ __LINE__, "KVMKVMKVM\0\0\0", "KVM", "<pmu state='on'/>" },
	{ __LINE__, "KVMKVMKVM\0\0\0", "KVM", "-cpu host,pmu=on" },
	{ __LINE__, "VMwareVMware", "VMware", "vpmc.enable = \"TRUE\"" },
	{ __LINE__, "Microsoft Hv", "Hyper-V", "Set-VMProcessor -VMName NAME -Perfmon @(\"pmu\")" },
	{ __LINE__, "XenVMMXenVMM", "Xen", "vpmu=on" },
	{ __LINE__, "TCGTCGTCGTCG", "QEMU TCG", "start the guest with KVM" },
	{ __LINE__, "VBoxVBoxVBox", "VirtualBox", "ask who runs the host" },
	{ __LINE__, "bhyve bhyve ", "bhyve", "ask who runs the host" },
	{ __LINE__, "SomethingNew", "of unknown make", "ask who runs the host" },
};

/*
 * Why the core PMU of a guest of @signature is absent; @file, where not NULL, is there beside the
 * guest's own. Caller frees.
 */
static struct nti_absence absence_of_guest(const char *signature, const struct fake_file *file)
{
	struct fake_leaf leaves[3] = {
		{ 0x0, { 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 } },
		{ 0x1, { 0x50654, 0, 0x80000000, 0 } },
		{ 0x40000000, { 0x40000001 } },
	};
	struct fake_machine guest = fake_nodriver;
	struct fake_file files[32] = { { NULL } };
	struct nti_absence absent = { 0 };
	struct nti_units units = { 0 };
	struct fake_os fake;
	size_t i;

	memcpy(&leaves[2].r[1], signature, 12);
	guest.leaves = leaves;
	guest.leaf_count = 3;
	for (i = 0; guest.files[i].path && i < 30; i++)
		files[i] = guest.files[i];
	if (file)
		files[i] = *file;
	guest.files = files;
	fake_os_init(&fake, &guest);
	TT_IS(nti_units_load(&fake.os, &units, NULL), 0);
	TT_IS(nti_absence_copy(&absent, &nti_units_find(&units, "cpu")->absent), 0);
	nti_units_fini(&units);
	return absent;
}

TEST(hypervisors)
{
	TT_FOR_EACH_ROW(r, hypervisor_rows) {
		struct nti_absence absent = absence_of_guest(r->signature, NULL);
		char want[64];

		snprintf(want, sizeof(want), "the hypervisor (%s) exposes", r->name);
		TT_HAS(absent.reason, want);
		tt_has_(absent.remedy, r->remedy, r->name, __FILE__, r->line);
		TT_HAS(absent.remedy, "ntime lab list");
		/* Where the lab has no guest to start. */
		TT_HAS(absent.remedy, "ntime --via emulator");
		TT_EQ(r, absent.code, NTIME_REASON_HYPERVISOR);
		TT_EQ(r, absent.remedy_kind, NTIME_REMEDY_ELSEWHERE);
		nti_absence_fini(&absent);
	}
}

/* What a customer of a cloud can do is not what its host's administrator would. */
TEST(clouds)
{
	static const struct fake_file ec2 = { "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n" },
				      google = { "/sys/class/dmi/id/sys_vendor", "Google\n" };
	struct nti_absence absent = absence_of_guest("KVMKVMKVM\0\0\0", &ec2);

	TT_HAS(absent.reason, "(Amazon EC2)");
	TT_HAS(absent.remedy, "*.metal");
	nti_absence_fini(&absent);
	absent = absence_of_guest("KVMKVMKVM\0\0\0", &google);
	TT_HAS(absent.remedy, "performanceMonitoringUnit");
	nti_absence_fini(&absent);
}

/* CPUID 0xA of Intel: SDM vol. 3B, "architectural performance monitoring". */
static const struct perfmon_row {
	int line;
	uint32_t eax, ecx, edx;
	unsigned int counters, fixed;
} perfmon_rows[] = {
	{ __LINE__, 0x07280201, 0, 0x00000000, 2, 0 }, /* version 1 has no fixed counters */
	{ __LINE__, 0x07280201, 0, 0x00000503, 2, 0 }, /* and EDX does not count */
	{ __LINE__, 0x07280202, 0, 0x00000503, 2, 3 }, /* Core 2 */
	{ __LINE__, 0x07300803, 0, 0x00000603, 8, 3 }, /* Haswell without hyper-threading */
	{ __LINE__, 0x08300805, 0x0000000f, 0x00008604, 8, 4 }, /* Ice Lake */
	{ __LINE__, 0x08300805, 0x0000000f, 0x00008600, 8, 4 }, /* fixed ones only in the bitmap */
	{ __LINE__, 0x08300805, 0x0000000a, 0x00008600, 8, 0 }, /* a gap at 0 */
	{ __LINE__, 0x08300805, 0x0000001b, 0x00008602, 8, 2 }, /* a gap at 2 */
	{ __LINE__, 0x08300800, 0, 0x00008603, 0, 0 },		/* version 0: no counters */
};

TEST(perfmon_leaf)
{
	TT_FOR_EACH_ROW(r, perfmon_rows) {
		struct fake_leaf leaves[3] = {
			{ 0x0, { 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 } },
			{ 0x1, { 0x50654, 0, 0, 0 } },
			{ 0xa, { r->eax, 0, r->ecx, r->edx } },
		};
		struct fake_machine machine = fake_skx;
		struct nti_units units = { 0 };
		struct fake_os fake;

		machine.leaves = leaves;
		machine.leaf_count = 3;
		fake_os_init(&fake, &machine);
		TT_EQ(r, nti_units_load(&fake.os, &units, NULL), 0);
		TT_EQ(r, nti_units_find(&units, "cpu")->counters, r->counters);
		TT_EQ(r, nti_units_find(&units, "cpu")->fixed, r->fixed);
		nti_units_fini(&units);
	}
}

/*
 * What CPUID 0xA says on a hybrid, and on which kind of core (CPUID 0x1a EAX 31-24: 0x40
 * performance, 0x20 efficient).
 */
static const struct hybrid_row {
	int line;
	uint32_t kind, eax, edx;
	unsigned int core, core_fixed, atom, atom_fixed;
} hybrid_rows[] = {
	/* what both kinds have */
	{ __LINE__, 0x40, 0x07300605, 0x8603, 8, 4, 6, 3 },
	{ __LINE__, 0x20, 0x07300605, 0x8603, 8, 4, 6, 3 },
	/* efficient cores off, or a processor that tells each kind's own */
	{ __LINE__, 0x40, 0x07300805, 0x8604, 8, 4, 0, 0 },
	{ __LINE__, 0x20, 0x07300805, 0x8603, 0, 0, 8, 3 },
};

TEST(hybrid_counters)
{
	TT_FOR_EACH_ROW(r, hybrid_rows) {
		struct fake_leaf leaves[4] = {
			{ 0x0, { 0x20, 0x756e6547, 0x6c65746e, 0x49656e69 } },
			{ 0x1, { 0x90672, 0, 0, 0 } },
			{ 0xa, { r->eax, 0, 0, r->edx } },
			{ 0x1a, { r->kind << 24, 0, 0, 0 } },
		};
		struct fake_machine machine = fake_adl;
		struct nti_units units = { 0 };
		struct fake_os fake;

		machine.leaves = leaves;
		machine.leaf_count = 4;
		fake_os_init(&fake, &machine);
		TT_EQ(r, nti_units_load(&fake.os, &units, NULL), 0);
		TT_EQ(r, nti_units_find(&units, "cpu_core")->counters, r->core);
		TT_EQ(r, nti_units_find(&units, "cpu_core")->fixed, r->core_fixed);
		TT_EQ(r, nti_units_find(&units, "cpu_atom")->counters, r->atom);
		TT_EQ(r, nti_units_find(&units, "cpu_atom")->fixed, r->atom_fixed);
		nti_units_fini(&units);
	}
}

TEST(order)
{
	static const char *const want[] = { "cpu",	    "software",	    "clock",
					    "breakpoint",   "msr",	    "odd",
					    "power",	    "tracepoint",   "uncore_cha_0",
					    "uncore_cha_1", "uncore_iio_0", "uncore_imc_0",
					    "uncore_imc_1", "uncore_imc_2", "uncore_imc_10",
					    "uncore_pcu",   "uncore_upi_0" };
	struct nti_units units = { 0 };
	struct fake_os fake;
	size_t i;

	fake_os_init(&fake, &fake_skx);
	TT_IS(nti_units_load(&fake.os, &units, NULL), 0);
	TT_IS(units.count, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < units.count; i++)
		TT_TEXT(units.unit[i]->name, want[i]);
	nti_units_fini(&units);
	fake_os_init(&fake, &fake_adl);
	TT_IS(nti_units_load(&fake.os, &units, NULL), 0);
	TT_TEXT(units.unit[0]->name, "cpu_core");
	TT_TEXT(units.unit[1]->name, "cpu_atom");
	nti_units_fini(&units);
}

static const struct match_row {
	int line;
	const char *name, *units;
} match_rows[] = {
	{ __LINE__, "uncore_imc", "uncore_imc_0 uncore_imc_1 uncore_imc_2 uncore_imc_10 " },
	{ __LINE__, "imc", "uncore_imc_0 uncore_imc_1 uncore_imc_2 uncore_imc_10 " },
	{ __LINE__, "imc_1", "uncore_imc_1 " },
	{ __LINE__, "uncore_imc_1", "uncore_imc_1 " },
	{ __LINE__, "uncore_imc_1*", "uncore_imc_1 uncore_imc_10 " },
	{ __LINE__, "cha_?", "uncore_cha_0 uncore_cha_1 " },
	{ __LINE__, "pcu", "uncore_pcu " },
	{ __LINE__, "cpu", "cpu " },
	{ __LINE__, "im", "" },
	{ __LINE__, "uncore", "" },
	{ __LINE__, "uncore_imc_", "" },
	{ __LINE__, "", "" },
};

TEST(matches)
{
	struct nti_units units = { 0 };
	struct fake_os fake;

	fake_os_init(&fake, &fake_skx);
	TT_IS(nti_units_load(&fake.os, &units, NULL), 0);
	TT_FOR_EACH_ROW(r, match_rows) {
		const struct nti_unit *unit;
		char seen[256] = "";
		size_t at = 0;

		while ((unit = nti_units_match(&units, r->name, &at)))
			sprintf(seen + strlen(seen), "%s ", unit->name);
		TT_STR(r, seen, r->units);
	}
	TT_IS(nti_units_find(&units, "uncore_imc") == NULL, 1);
	nti_units_fini(&units);
}

TEST(absence_texts)
{
	struct nti_absence a = { 0 }, b = { 0 };

	TT_IS(nti_absence_set(&a, NTIME_REASON_NO_HARDWARE, "x", NULL, "%d of %s", 3, "x"), 0);
	TT_TEXT(a.reason, "3 of x");
	TT_TEXT(a.about, "x");
	TT_TEXT(a.remedy, "none");
	TT_IS(a.remedy_kind, NTIME_REMEDY_NONE);
	TT_IS(nti_absence_set(&a, NTIME_REASON_BUSY, "y", "do %d", "again"), 0);
	TT_TEXT(a.remedy, "do %d");
	TT_IS(a.remedy_kind, NTIME_REMEDY_HERE);
	TT_IS(nti_absence_copy(&b, &a), 0);
	TT_TEXT(b.reason, "again");
	TT_IS(b.code, NTIME_REASON_BUSY);
	TT_TEXT(nti_absence_cause(&b), "again");
	TT_IS(nti_absence_set_needs(&b, "needs : event", &a), 0);
	TT_TEXT(b.reason, "needs needs : event: again");
	TT_TEXT(nti_absence_cause(&b), "again");
	TT_TEXT(b.about, "y");
	TT_IS(b.code, NTIME_REASON_BUSY);
	/* Of what a metric's own metric needs the innermost cause is left. */
	TT_IS(nti_absence_set_needs(&a, "z", &b), 0);
	TT_TEXT(a.reason, "needs z: again");
	nti_absence_fini(&a);
	TT_IS(nti_absence_copy(&b, &a), 0);
	TT_IS(b.reason == NULL && b.remedy == NULL && b.about == NULL && !b.code, 1);
	TT_TEXT(nti_absence_cause(&b), "");
	nti_absence_fini(&b);
}

TEST(reasons_have_names_and_kinds)
{
	const char *name, *other;
	uint32_t code, k;

	TT_TEXT(ntime_reason_name(NTIME_REASON_NONE), "");
	for (code = 1; (name = ntime_reason_name(code)); code++) {
		assert_true(*name);
		for (k = 0; k < code; k++) {
			other = ntime_reason_name(k);
			assert_string_not_equal(name, other);
		}
		/*
		 * Only the word tells that nothing can be done; every remedy is applied somewhere.
		 */
		TT_IS(nti_remedy_kind(code, NULL), NTIME_REMEDY_NONE);
		TT_IS(nti_remedy_kind(code, ""), NTIME_REMEDY_NONE);
		TT_IS(nti_remedy_kind(code, "none"), NTIME_REMEDY_NONE);
		assert_true(nti_remedy_kind(code, "reboot") != NTIME_REMEDY_NONE);
	}
	TT_IS(code, NTIME_REASON_OUTLIVED + 1);
	TT_IS(nti_remedy_kind(NTIME_REASON_HYPERVISOR, "ask"), NTIME_REMEDY_ELSEWHERE);
	TT_IS(nti_remedy_kind(NTIME_REASON_PARANOID, "sysctl"), NTIME_REMEDY_HERE);
	TT_TEXT(ntime_remedy_kind_name(NTIME_REMEDY_NONE), "none");
	TT_TEXT(ntime_remedy_kind_name(NTIME_REMEDY_HERE), "here");
	TT_TEXT(ntime_remedy_kind_name(NTIME_REMEDY_ELSEWHERE), "elsewhere");
	assert_null(ntime_remedy_kind_name(3));
}

static int refuse_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		       void *arg)
{
	(void)os;
	(void)path;
	(void)fn;
	(void)arg;
	return -EIO;
}

TEST(unreadable_devices)
{
	struct nti_os_ops ops;
	struct nti_error e = { 0 };
	struct nti_units units = { 0 };
	struct fake_os fake;

	fake_os_init(&fake, &fake_skx);
	ops = *fake.os.ops;
	ops.list = refuse_list;
	fake.os.ops = &ops;
	TT_IS(nti_units_load(&fake.os, &units, &e), -EIO);
	TT_HAS(e.text, "/sys/bus/event_source/devices");
	TT_IS(units.count, 2); /* those that every machine has */
	nti_units_fini(&units);
}

static int perf_answer;

static int answer_perf(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
		       int group, unsigned long flags)
{
	(void)os, (void)attr, (void)pid, (void)cpu, (void)group, (void)flags;
	return perf_answer;
}

/* In a chroot without /proc and /sys a missing file says nothing of the kernel: it is asked. */
TEST(no_proc_is_not_no_perf)
{
	static const struct fake_file no_files[] = { { NULL } };
	struct fake_machine chroot = fake_noperf;
	struct nti_os_ops ops;
	struct nti_error e = { 0 };
	struct nti_units units = { 0 };
	const struct nti_unit *software;
	struct fake_os fake;

	chroot.files = no_files;
	fake_os_init(&fake, &chroot);
	ops = *fake.os.ops;
	ops.perf_open = answer_perf;
	fake.os.ops = &ops;
	perf_answer = -EINVAL;
	TT_IS(nti_units_load(&fake.os, &units, &e), 0);
	software = nti_units_find(&units, "software");
	assert_non_null(software);
	assert_null(software->absent.reason);
	nti_units_fini(&units);
	perf_answer = -ENOSYS;
	TT_IS(nti_units_load(&fake.os, &units, &e), 0);
	software = nti_units_find(&units, "software");
	TT_HAS(software->absent.reason, "without /proc/sys it is not known whether the kernel");
	TT_HAS(software->absent.remedy, "mount -t proc");
	nti_units_fini(&units);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		cmocka_unit_test(no_proc_is_not_no_perf),
		cmocka_unit_test(absences),
		cmocka_unit_test(hypervisors),
		cmocka_unit_test(order),
		cmocka_unit_test(perfmon_leaf),
		cmocka_unit_test(matches),
		cmocka_unit_test(absence_texts),
		cmocka_unit_test(reasons_have_names_and_kinds),
		cmocka_unit_test(clouds),
		cmocka_unit_test(unreadable_devices),
		cmocka_unit_test(hybrid_counters),
		cmocka_unit_test(modes),
		cmocka_unit_test(names_that_know_no_modes),
	};

	return TT_RUN(tests);
}
