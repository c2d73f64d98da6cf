// SPDX-License-Identifier: MIT
/*
 * Which boxes a machine has, on machines made of a table of files, CPUID leaves, registers and PCI
 * functions.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/tests/tt.h"

#include "core/seq/box.h"
#include "count/lib/machine/box_bus.h"
#include "count/lib/machine/boxes.h"
#include "base/common/compiler.h"
#include "count/tests/event/fake_os.h"

#define DEV "/sys/bus/event_source/devices/"
#define CPU "/sys/devices/system/cpu/"
#define INTEL 0xb, 0x756e6547u, 0x6c65746eu, 0x49656e69u
#define AMD 0x10, 0x68747541u, 0x444d4163u, 0x69746e65u
#define MSR_FD 1000

/* A register that can be read, on every CPU or on one. */
struct reg {
	int cpu; /* -1: all */
	uint32_t address;
	uint64_t value;
};

struct function {
	struct nti_pci_function told;  /* first: what is lent is this pointer */
	uint32_t address[2], value[2]; /* registers of its configuration space */
};

/* One machine; what a test looks at while it runs. */
static struct {
	struct fake_os os;
	struct nti_os_ops ops;
	bool has_msr, is_root, has_no_modules;
	const struct reg *reg;
	size_t regs;
	struct function *function;
	size_t functions;
	const struct nti_boxes_cpu *cpu;
	size_t cpus;
	int topology_calls, topology_error, writes, reads, fail_at, fail_with;
	int opens; /* of devices */
	/* whose device may not be opened; 0: none, CPU 0 tells what can be reached */
	int closed_cpu;
	struct nti_units units;
	struct nti_error error;
} m;

/* ---- the operating system ---- */

static int file_access(struct nti_os *os, const char *path, int mode)
{
	char text[4096];
	int ret;

	(void)mode;
	if (strcmp(path, "/dev/cpu/0/msr") == 0)
		return m.has_msr ? (m.is_root ? 0 : -EACCES) : -ENOENT;
	if (strcmp(path, "/proc/modules") == 0)
		return m.has_no_modules ? -ENOENT : 0;
	ret = os->ops->text(os, path, text, sizeof(text));
	return ret < 0 ? ret : 0;
}

static int fake_open(struct nti_os *os, const char *path, int flags)
{
	int cpu;

	(void)os;
	assert_int_equal(flags & O_ACCMODE, O_RDONLY);
	if (sscanf(path, "/dev/cpu/%d/msr", &cpu) != 1)
		return -ENOENT;
	m.opens++;
	return cpu && cpu == m.closed_cpu ? -EACCES : MSR_FD + cpu;
}

static ssize_t fake_pread(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset)
{
	size_t i;

	(void)os;
	TT_IS(size, 8);
	if (++m.reads == m.fail_at)
		return m.fail_with;
	for (i = 0; i < m.regs; i++) {
		if (m.reg[i].address == offset &&
		    (m.reg[i].cpu < 0 || m.reg[i].cpu == fd - MSR_FD)) {
			memcpy(buf, &m.reg[i].value, 8);
			return 8;
		}
	}
	return -EIO;
}

static ssize_t fake_pwrite(struct nti_os *os, int fd, const void *buf, size_t size, uint64_t offset)
{
	(void)os;
	(void)fd;
	(void)buf;
	(void)offset;
	m.writes++;
	return (ssize_t)size;
}

static void fake_close(struct nti_os *os, int fd)
{
	(void)os;
	assert_true(fd >= MSR_FD);
}

/* These machines have neither settings nor units of perf: it is asked, and there is none. */
static int fake_perf_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			  int group, unsigned long flags)
{
	(void)os, (void)attr, (void)pid, (void)cpu, (void)group, (void)flags;
	return -ENOSYS;
}

static bool fake_is_privileged(struct nti_os *os, bool perf)
{
	(void)os;
	(void)perf;
	return m.is_root;
}

static const struct nti_pci_function *fake_get(void *arg, size_t index)
{
	(void)arg;
	return index < m.functions ? &m.function[index].told : NULL;
}

static int fake_read(void *arg, const struct nti_pci_function *f, uint32_t address, uint64_t *value)
{
	const struct function *function = (const struct function *)f;
	size_t i;

	(void)arg;
	for (i = 0; m.is_root && i < 2; i++) {
		if (function->address[i] == address) {
			*value = function->value[i];
			return 0;
		}
	}
	return -EACCES;
}

static const struct nti_box_pci fake_pci = { .get = fake_get, .read = fake_read };

/* ---- machines ---- */

static int lend_cpus(void *arg, const struct nti_boxes_cpu **out, size_t *n)
{
	(void)arg;
	m.topology_calls++;
	if (m.topology_error)
		return m.topology_error;
	*out = m.cpu;
	*n = m.cpus;
	return 0;
}

/* Root on @machine with its msr driver; a test changes what it wants before find(). */
static void init(const struct fake_machine *machine, const struct nti_boxes_cpu *cpu, size_t cpus,
		 const struct reg *reg, size_t regs)
{
	memset(&m, 0, sizeof(m));
	fake_os_init(&m.os, machine);
	m.ops = *m.os.os.ops;
	m.ops.access = file_access;
	m.ops.open = fake_open;
	m.ops.perf_open = fake_perf_open;
	m.ops.pread = fake_pread;
	m.ops.pwrite = fake_pwrite;
	m.ops.close = fake_close;
	m.ops.is_privileged = fake_is_privileged;
	m.os.os.ops = &m.ops;
	m.has_msr = m.is_root = true;
	m.cpu = cpu;
	m.cpus = cpus;
	m.reg = reg;
	m.regs = regs;
}

#define INIT(machine, cpu, reg)                                                                    \
	init(&(machine), (cpu), NTI_ARRAY_SIZE(cpu), (reg), NTI_ARRAY_SIZE(reg))

static const struct nti_boxes_source lent = { .cpus = lend_cpus, .pci = &fake_pci };

static void find(void)
{
	TT_IS(nti_units_load(&m.os.os, &m.units, &m.error), 0);
	TT_IS(nti_boxes_add(&m.os.os, &lent, &m.units, &m.error), 0);
	TT_IS(m.writes, 0);
}

static void fini(void)
{
	nti_units_fini(&m.units);
}

static const struct nti_unit *unit_of(const char *name)
{
	const struct nti_unit *unit = nti_units_find(&m.units, name);

	if (!unit)
		fail_msg("there is no unit %s", name);
	return unit;
}

static void has_box(const struct nti_unit *unit, size_t i, unsigned int cpu, unsigned int package,
		    uint32_t number, const char *function)
{
	assert_true(i < unit->boxes);
	TT_IS(unit->box[i].cpu, cpu);
	TT_IS(unit->box[i].package, package);
	TT_IS(unit->box[i].number, number);
	TT_TEXT(unit->box[i].function, function);
}

/* Two packages of two cores, physical ids 0 and 1. */
static const struct nti_boxes_cpu two_sockets[] = {
	{ 0, 0, 0, 0 }, { 1, 1, 0, 0 }, { 2, 2, 1, 1 }, { 3, 3, 1, 1 }
};
#define TWO_SOCKETS                                                                                \
	{ CPU "online", "0-3\n" }, { CPU "cpu0/topology/physical_package_id", "0\n" },             \
		{ CPU "cpu1/topology/physical_package_id", "0\n" },                                \
		{ CPU "cpu2/topology/physical_package_id", "1\n" },                                \
	{                                                                                          \
		CPU "cpu3/topology/physical_package_id", "1\n"                                     \
	}

static const struct fake_file plain_files[] = { TWO_SOCKETS, { NULL } };

/* Westmere-EP, 06_2CH. */
static const struct fake_leaf westmere_leaves[] = { { 0, { INTEL } }, { 1, { 0x000206c2 } } };
static const struct fake_machine westmere = { "wsm", "x86_64", westmere_leaves,
					      NTI_ARRAY_SIZE(westmere_leaves), plain_files };

/* Its uncore's counters, and two of its idle states, of which one stands at 0. */
static const struct reg westmere_regs[] = {
	{ -1, 0x3b0, 0 },   { -1, 0x3b1, 0 }, { -1, 0x3b2, 0 }, { -1, 0x3b3, 0 }, { -1, 0x3b4, 0 },
	{ -1, 0x3b5, 0 },   { -1, 0x3b6, 0 }, { -1, 0x3b7, 0 }, { -1, 0x394, 0 }, { -1, 0x395, 0 },
	{ -1, 0x3c0, 0 },   { -1, 0x3c1, 0 }, { -1, 0x3c2, 0 }, { -1, 0x3c3, 0 }, { -1, 0x3c4, 0 },
	{ -1, 0x3c5, 0 },   { -1, 0x3c6, 0 }, { -1, 0x3c7, 0 }, { -1, 0x391, 0 }, { -1, 0x392, 0 },
	{ -1, 0x3fc, 500 }, { -1, 0x3fd, 0 },
};

TEST(uncore_once_a_package)
{
	const struct nti_unit *unit;

	INIT(westmere, two_sockets, westmere_regs);
	find();
	unit = unit_of("uncore");
	TT_IS(unit->boxes, 2);
	has_box(unit, 0, 0, 0, 0, "");
	has_box(unit, 1, 2, 1, 0, "");
	TT_TEXT(unit->box[0].kind->name, "nhm_uncore");
	TT_TEXT(unit->cpus, "0,2");
	TT_IS(unit->kind, NTI_UNIT_UNCORE);
	TT_IS(unit->method, NTI_METHOD_MSR);
	TT_IS(unit->scope, NTI_SCOPE_PACKAGE);
	TT_IS(unit->counters, 8);
	TT_IS(unit->fixed, 1);
	assert_true(!unit->absent.reason && !unit->has_sysfs && *unit->desc);
	fini();
}

/* CPU 2 is off line: its package is read on CPU 3. */
TEST(first_cpu_of_a_package_is_off_line)
{
	static const struct nti_boxes_cpu cpus[] = { { 0, 0, 0, 0 },
						     { 1, 1, 0, 0 },
						     { 3, 3, 1, 1 } };
	const struct nti_unit *unit;

	INIT(westmere, cpus, westmere_regs);
	find();
	unit = unit_of("uncore");
	TT_TEXT(unit->cpus, "0,3");
	has_box(unit, 1, 3, 1, 0, "");
	fini();
}

/* The second package refuses: there is one box, not two. */
TEST(package_without_the_box)
{
	static const struct reg regs[] = {
		{ 0, 0x3b0, 0 }, { 0, 0x3c0, 0 }, { 1, 0x3b0, 0 }, { 1, 0x3c0, 0 }, { -1, 0x391, 0 }
	};
	const struct nti_unit *unit;

	INIT(westmere, two_sockets, regs);
	find();
	unit = unit_of("uncore");
	TT_TEXT(unit->cpus, "0");
	TT_IS(unit->boxes, 1);
	TT_IS(unit->counters, 1);
	TT_IS(unit->fixed, 0);
	fini();
}

/*
 * One idle state of a core counts, one never moved, the others do not exist; and no package state
 * does.
 */
TEST(idle_states_that_are_there)
{
	const struct nti_unit *unit;

	INIT(westmere, two_sockets, westmere_regs);
	find();
	unit = unit_of("cstate_core");
	TT_TEXT(unit->cpus, "0-3");
	TT_IS(unit->scope, NTI_SCOPE_CORE);
	TT_IS(unit->frees, 1 << 1); /* c3-residency */
	TT_IS(unit->counters, 0);
	assert_true(!nti_units_find(&m.units, "cstate_pkg"));
	fini();
}

static const struct reach_row {
	int line;
	bool has_msr, is_root, has_no_modules;
	const char *reason, *remedy;
} reach_rows[] = {
	{ __LINE__, false, true, false, "the msr driver is not loaded", "modprobe msr" },
	{ __LINE__, false, true, true, "cannot load modules", "CONFIG_X86_MSR=y" },
	{ __LINE__, true, false, false, "root", "ntime driver load" },
};

TEST(out_of_reach_is_told)
{
	TT_FOR_EACH_ROW(r, reach_rows) {
		const struct nti_unit *unit;

		INIT(westmere, two_sockets, westmere_regs);
		m.has_msr = r->has_msr;
		m.is_root = r->is_root;
		m.has_no_modules = r->has_no_modules;
		find();
		unit = unit_of("uncore");
		TT_HAS(unit->absent.reason, r->reason);
		TT_HAS(unit->absent.remedy, r->remedy);
		/* Names of its events can be understood all the same. */
		TT_EQ(r, unit->boxes, 1);
		TT_STR(r, unit->box[0].kind->name, "nhm_uncore");
		/* Nobody needs the topology for that. */
		TT_EQ(r, m.topology_calls, 0);
		fini();
	}
}

TEST(guests_lack_nothing)
{
	static const struct fake_leaf leaves[] = { { 0, { INTEL } },
						   { 1, { 0x000206c2, 0, 1u << 31 } } };
	static const struct fake_machine guest = { "guest", "x86_64", leaves,
						   NTI_ARRAY_SIZE(leaves), plain_files };

	INIT(guest, two_sockets, westmere_regs);
	m.has_msr = false;
	find();
	assert_true(!nti_units_find(&m.units, "uncore"));
	fini();
}

/* A recording lacks what was not recorded; nobody can load a driver there. */
TEST(recordings_are_not_completed)
{
	INIT(westmere, two_sockets, westmere_regs);
	m.has_msr = false;
	m.os.os.is_elsewhere = m.os.os.is_simulated = true;
	find();
	assert_true(!nti_units_find(&m.units, "uncore"));
	fini();
	/* Another root directory likewise. */
	m.os.os.is_simulated = false;
	find();
	assert_true(!nti_units_find(&m.units, "uncore"));
	fini();
}

static const struct fake_file kernel_files[] = { TWO_SOCKETS,
						 { DEV "uncore/type", "13\n" },
						 { DEV "uncore/cpumask", "1,2\n" },
						 { DEV "uncore/format/event", "config:0-7\n" },
						 { NULL } };

/* The kernel has the unit: it keeps it, on its CPUs, and registers reach the same boxes. */
TEST(kernels_unit_gets_boxes)
{
	static const struct fake_machine machine = { "wsm", "x86_64", westmere_leaves,
						     NTI_ARRAY_SIZE(westmere_leaves),
						     kernel_files };
	const struct nti_unit *unit;

	INIT(machine, two_sockets, westmere_regs);
	find();
	unit = unit_of("uncore");
	TT_IS(unit->method, NTI_METHOD_PERF);
	TT_IS(unit->type, 13);
	TT_TEXT(unit->cpus, "1,2");
	TT_IS(unit->has_sysfs, 1);
	TT_IS(unit->boxes, 2);
	has_box(unit, 0, 1, 0, 0, "");
	has_box(unit, 1, 2, 1, 0, "");
	fini();
}

/* Skylake-SP, 06_55H, with thermal status of core and package. */
static const struct fake_leaf skx_leaves[] = { { 0, { INTEL } },
					       { 1, { 0x00050654 } },
					       { 6, { 0x41, 0, 1 } } };
static const struct fake_machine skx = { "skx", "x86_64", skx_leaves, NTI_ARRAY_SIZE(skx_leaves),
					 plain_files };

/* Package 0 has three of these boxes, package 1 two; energy, heat, clocks. */
static const struct reg skx_regs[] = {
	{ -1, 0xe01, 0 },      { -1, 0xe08, 0 }, { -1, 0xe11, 0 },	    { 0, 0xe21, 0 },
	{ -1, 0xe18, 0 },      { 0, 0xe28, 0 },	 { -1, 0x606, 0xa0e03 },    { -1, 0x611, 5 },
	{ -1, 0x619, 7 },      { -1, 0x639, 0 }, { -1, 0x19c, 0x88350000 }, { -1, 0x1a2, 97 },
	{ -1, 0x1b1, 0x8833 }, { -1, 0xe7, 9 },	 { -1, 0xe8, 9 },	    { -1, 0x10, 123456 },
};

TEST(boxes_with_numbers_are_counted)
{
	INIT(skx, two_sockets, skx_regs);
	find();
	TT_TEXT(unit_of("uncore_cha_0")->cpus, "0,2");
	TT_TEXT(unit_of("uncore_cha_1")->cpus, "0,2");
	has_box(unit_of("uncore_cha_1"), 1, 2, 1, 1, "");
	TT_TEXT(unit_of("uncore_cha_2")->cpus, "0");
	assert_true(!nti_units_find(&m.units, "uncore_cha_3"));
	/* Their names stand in order among the others. */
	TT_IS(unit_of("uncore_cha_1")->number - unit_of("uncore_cha_0")->number, 1);
	TT_IS(unit_of("uncore_cha_2")->number - unit_of("uncore_cha_1")->number, 1);
	TT_IS(m.topology_calls, 1);
	fini();
}

/* How many there are nobody can tell from outside: one stands for all. */
TEST(unreachable_boxes_are_one)
{
	size_t i, absent = 0;

	INIT(skx, two_sockets, skx_regs);
	m.has_msr = false;
	find();
	for (i = 0; i < m.units.count; i++)
		absent += strncmp(m.units.unit[i]->name, "uncore_cha", 10) == 0;
	TT_IS(absent, 1);
	TT_HAS(unit_of("uncore_cha")->absent.reason, "the msr driver is not loaded");
	fini();
}

TEST(energy_has_the_registers_step)
{
	const struct nti_unit *unit;

	INIT(skx, two_sockets, skx_regs);
	find();
	unit = unit_of("power");
	TT_TEXT(unit->box[0].kind->name, "power_hsx");
	assert_true(unit->energy_scale == 1.0 / 16384); /* 0x606 bits 12:8 are 14 */
	TT_IS(unit->frees, 1 << 1 | 1 << 2);		/* package and memory; 0x639 never moved */
	TT_TEXT(unit->cpus, "0,2");
	fini();
}

TEST(heat_of_each_core_and_package)
{
	/* Two threads a core. */
	static const struct nti_boxes_cpu threads[] = {
		{ 0, 0, 0, 0 }, { 1, 1, 0, 0 }, { 2, 0, 0, 0 }, { 3, 1, 0, 0 }
	};

	INIT(skx, threads, skx_regs);
	find();
	TT_TEXT(unit_of("thermal")->cpus, "0-1");
	TT_IS(unit_of("thermal")->scope, NTI_SCOPE_CORE);
	TT_TEXT(unit_of("thermal_pkg")->cpus, "0");
	TT_IS(unit_of("thermal_pkg")->scope, NTI_SCOPE_PACKAGE);
	/* States of 0 are states. */
	assert_true(unit_of("thermal")->frees & 1);
	TT_TEXT(unit_of("msr")->cpus, "0-3");
	TT_IS(unit_of("msr")->scope, NTI_SCOPE_CPU);
	fini();
}

/*
 * Limits of power and current are reserved bits where CPUID does not name them: no state is made of
 * those.
 */
TEST(heat_has_the_fields_of_the_processor)
{
	static const struct fake_leaf leaves[] = { { 0, { INTEL } },
						   { 1, { 0x00050654 } },
						   { 6, { 0xd1, 0, 1 } } };
	static const struct fake_machine hwp = { "hwp", "x86_64", leaves, NTI_ARRAY_SIZE(leaves),
						 plain_files };

	INIT(skx, two_sockets, skx_regs);
	find();
	TT_IS(unit_of("thermal")->frees, 0x303f);
	TT_IS(unit_of("thermal_pkg")->frees, 0x33f);
	fini();
	INIT(hwp, two_sockets, skx_regs);
	find();
	TT_IS(unit_of("thermal")->frees, 0x3fff);
	TT_IS(unit_of("thermal_pkg")->frees, 0x3ff);
	fini();
}

/* How much is asked depends on the packages: a start does not wake each core of a large machine. */
TEST(cores_are_not_woken)
{
	static struct nti_boxes_cpu cpus[64];
	int reads, i;

	for (i = 0; i < 64; i++)
		cpus[i] = (struct nti_boxes_cpu){ (unsigned int)i, i, i / 32, i / 32 };
	/* The idle states are on no core at all, which two of each package say. */
	INIT(skx, two_sockets, skx_regs);
	find();
	TT_IS(m.opens, 4);
	reads = m.reads;
	assert_true(reads <= 120);
	fini();
	INIT(skx, cpus, skx_regs);
	find();
	TT_IS(m.opens, 4);
	TT_IS(unit_of("thermal")->boxes, 64);
	TT_IS(unit_of("msr")->boxes, 64);
	TT_IS(m.reads, reads);
	fini();
}

/* Efficient cores lack what the others have; one core of each kind is asked. */
TEST(kinds_of_core_are_asked_apart)
{
	static const struct fake_file files[] = {
		{ CPU "online", "0-5\n" },	  { DEV "cpu_core/type", "4\n" },
		{ DEV "cpu_core/cpus", "0-3\n" }, { DEV "cpu_atom/type", "8\n" },
		{ DEV "cpu_atom/cpus", "4-5\n" }, { NULL }
	};
	static const struct fake_machine hybrid = { "hybrid", "x86_64", skx_leaves,
						    NTI_ARRAY_SIZE(skx_leaves), files };
	/* Threads 0 and 1 are of core 0, 2 and 3 of core 1; each efficient core has one. */
	static const struct nti_boxes_cpu cpus[] = {
		{ 0, 0, 0, 0 }, { 1, 0, 0, 0 }, { 2, 1, 0, 0 },
		{ 3, 1, 0, 0 }, { 4, 2, 0, 0 }, { 5, 3, 0, 0 }
	};
	/* CPU 2 is not asked, so that nobody wakes it. */
	static const struct reg regs[] = {
		{ 0, 0x19c, 0x88350000 }, { 4, 0x19c, 0x88350000 }, { 0, 0x3fc, 5 }, { 0, 0x3fd, 5 }
	};

	INIT(hybrid, cpus, regs);
	find();
	TT_TEXT(unit_of("thermal")->cpus, "0,2,4-5");
	TT_TEXT(unit_of("cstate_core")->cpus, "0,2");
	fini();
}

/* Zen 2, family 17h: two caches a package, of which one has its first CPU off line. */
TEST(amd_cache_of_each_complex)
{
	static const struct fake_leaf leaves[] = {
		{ 0, { AMD } },
		{ 1, { 0x00830f10 } },
		{ 0x80000000, { 0x80000022 } },
		{ 0x80000001, { 0, 0, 1u << 24 | 1u << 28, 0 } },
		{ 0x80000007, { 0, 0, 0, 1u << 14 } },
	};
	static const struct fake_machine zen2 = { "zen2", "x86_64", leaves, NTI_ARRAY_SIZE(leaves),
						  plain_files };
	static const struct nti_boxes_cpu cpus[] = { { 0, 0, 0, 0 },
						     { 1, 1, 0, 0 },
						     { 3, 3, 1, 0 } };
	static const struct reg regs[] = { { -1, 0xc0010230, 0 },	{ -1, 0xc0010231, 0 },
					   { -1, 0xc0010240, 0 },	{ -1, 0xc0010241, 0 },
					   { -1, 0xc0010299, 0xa1003 }, { -1, 0xc001029b, 77 } };

	INIT(zen2, cpus, regs);
	find();
	TT_TEXT(unit_of("amd_l3")->cpus, "0,3");
	TT_IS(unit_of("amd_l3")->scope, NTI_SCOPE_L3);
	TT_TEXT(unit_of("amd_l3")->box[0].kind->name, "amd_l3_f17h");
	TT_TEXT(unit_of("amd_df")->cpus, "0");
	TT_TEXT(unit_of("amd_df")->box[0].kind->name, "amd_df");
	assert_true(unit_of("power")->energy_scale == 1.0 / 65536);
	fini();
}

/* Zen 1, family 17h: a package of two dies has two Data Fabrics, of which Linux counts each. */
TEST(a_box_of_each_die)
{
	static const struct fake_leaf leaves[] = { { 0, { AMD } },
						   { 1, { 0x00800f12 } },
						   { 0x80000000, { 0x80000022 } },
						   { 0x80000001, { 0, 0, 1u << 24, 0 } } };
#define DIE(cpu, id, cpus)                                                                         \
	{ CPU "cpu" cpu "/topology/physical_package_id", "0\n" },                                  \
		{ CPU "cpu" cpu "/topology/core_siblings_list", "0-3\n" },                         \
		{ CPU "cpu" cpu "/topology/die_id", id },                                          \
	{                                                                                          \
		CPU "cpu" cpu "/topology/die_cpus_list", cpus                                      \
	}
	static const struct fake_file files[] = { DIE("0", "0\n", "0-1\n"),
						  DIE("1", "0\n", "0-1\n"),
						  DIE("2", "1\n", "2-3\n"),
						  DIE("3", "1\n", "2-3\n"),
						  { NULL } };
	static const struct fake_machine naples = { "naples", "x86_64", leaves,
						    NTI_ARRAY_SIZE(leaves), files };
	static const struct reg regs[] = { { -1, 0xc0010240, 0 }, { -1, 0xc0010241, 0 } };
	const struct nti_unit *unit;

	INIT(naples, two_sockets, regs);
	find();
	unit = unit_of("amd_df");
	TT_TEXT(unit->cpus, "0,2");
	TT_IS(unit->boxes, 2);
	has_box(unit, 0, 0, 0, 0, "");
	has_box(unit, 1, 2, 0, 0, "");
	TT_IS(unit->box[0].has_dies && unit->box[1].has_dies, 1);
	TT_IS(unit->box[0].die, 0);
	TT_IS(unit->box[1].die, 1);
	fini();
}

/* ---- boxes in configuration space ---- */

#define IMC(b, hex, d, f, id)                                                                      \
	{                                                                                          \
		{                                                                                  \
			0, b, d, f, 0x8086, id, "0000:" hex ":" #d "." #f                          \
		}                                                                                  \
	}

/* Sandy Bridge-EP, 06_2DH. */
static const struct fake_leaf snbep_leaves[] = { { 0, { INTEL } }, { 1, { 0x000206d7 } } };
static const struct fake_machine snbep = { "snbep", "x86_64", snbep_leaves,
					   NTI_ARRAY_SIZE(snbep_leaves), plain_files };

/*
 * Node 1 is package 0, node 0 package 1 (the map's three bits each: 1, 0). The Uboxes sit on buses
 * 63 and 127; controllers on bus 63, and on 100, which has no Ubox: then the next higher bus that
 * has one speaks for it. Bus 200 has none above it.
 */
static struct function snbep_functions[] = {
	{ { 0, 63, 11, 0, 0x8086, 0x3ce0, "0000:3f:0b.0" }, { 0x40, 0x54 }, { 1, 0x01 } },
	IMC(63, "3f", 10, 0, 0x3cb0),
	IMC(63, "3f", 10, 4, 0x3cb4),
	IMC(100, "64", 10, 0, 0x3cb0),
	IMC(100, "64", 10, 5, 0x3cb5),
	{ { 0, 127, 11, 0, 0x8086, 0x3ce0, "0000:7f:0b.0" }, { 0x40, 0x54 }, { 0, 0x01 } },
	IMC(200, "c8", 10, 0, 0x3cb0),
	/* Another vendor's function with such a number is none of these. */
	{ { 0, 63, 1, 0, 0x1234, 0x3cb1, "0000:3f:01.0" } },
};

static const struct reg no_regs[] = { { -1, 0x10, 1 } };

static void init_snbep(const struct fake_machine *machine)
{
	init(machine, two_sockets, NTI_ARRAY_SIZE(two_sockets), no_regs, NTI_ARRAY_SIZE(no_regs));
	m.function = snbep_functions;
	m.functions = NTI_ARRAY_SIZE(snbep_functions);
}

TEST(two_buses_two_packages)
{
	const struct nti_unit *unit;

	init_snbep(&snbep);
	find();
	unit = unit_of("uncore_imc_0");
	TT_IS(unit->boxes, 2);
	has_box(unit, 0, 0, 0, 0, "0000:3f:10.0");
	has_box(unit, 1, 2, 1, 0, "0000:64:10.0");
	TT_TEXT(unit->cpus, "0,2");
	TT_IS(unit->method, NTI_METHOD_PCI);
	TT_IS(unit->scope, NTI_SCOPE_PACKAGE);
	TT_IS(unit->counters, 4);
	TT_IS(unit->fixed, 1);
	assert_true(!nti_units_find(&m.units, "uncore_imc_1"));
	TT_TEXT(unit_of("uncore_imc_2")->cpus, "0");
	TT_TEXT(unit_of("uncore_imc_3")->cpus, "2");
	fini();
}

/*
 * The Uboxes are root's; the kernel knows which CPUs are near. One that is near to all is of no
 * package.
 */
TEST(ordinary_users_see_controllers_only)
{
	static const struct fake_file files[] = {
		TWO_SOCKETS,
		{ "/sys/bus/pci/devices/0000:3f:10.0/local_cpulist", "0-1\n" },
		{ "/sys/bus/pci/devices/0000:3f:10.4/local_cpulist", "0-3\n" },
		{ "/sys/bus/pci/devices/0000:64:10.0/local_cpulist", "2-3\n" },
		{ NULL }
	};
	static const struct fake_machine machine = { "snbep", "x86_64", snbep_leaves,
						     NTI_ARRAY_SIZE(snbep_leaves), files };

	init_snbep(&machine);
	m.is_root = false;
	find();
	TT_HAS(unit_of("uncore_imc_0")->absent.reason, "root");
	TT_HAS(unit_of("uncore_imc_0")->absent.remedy, "ntime driver load");
	TT_IS(unit_of("uncore_imc_0")->boxes, 1);
	assert_true(!nti_units_find(&m.units, "uncore_imc_2"));
	fini();
}

TEST(kernels_controllers_get_functions)
{
	static const struct fake_file files[] = { TWO_SOCKETS,
						  { DEV "uncore_imc_0/type", "20\n" },
						  { DEV "uncore_imc_0/cpumask", "1,3\n" },
						  { DEV "uncore_imc_3/type", "23\n" },
						  { DEV "uncore_imc_3/cpumask", "1\n" },
						  { NULL } };
	static const struct fake_machine machine = { "snbep", "x86_64", snbep_leaves,
						     NTI_ARRAY_SIZE(snbep_leaves), files };
	const struct nti_unit *unit;

	init_snbep(&machine);
	find();
	unit = unit_of("uncore_imc_0");
	TT_IS(unit->method, NTI_METHOD_PERF);
	TT_IS(unit->boxes, 2);
	has_box(unit, 0, 1, 0, 0, "0000:3f:10.0");
	has_box(unit, 1, 3, 1, 0, "0000:64:10.0");
	/* The kernel counts this one on no CPU of package 1, where the function is. */
	TT_IS(unit_of("uncore_imc_3")->boxes, 0);
	/* And what it lacks is added all the same. */
	TT_IS(unit_of("uncore_imc_2")->method, NTI_METHOD_PCI);
	fini();
}

/* More nodes than the map has room for: Linux does not ask the Uboxes either. */
TEST(many_nodes)
{
	static const struct fake_file files[] = {
		TWO_SOCKETS,
		{ "/sys/devices/system/node/possible", "0-15\n" },
		{ "/sys/bus/pci/devices/0000:3f:10.0/local_cpulist", "2\n" },
		{ NULL }
	};
	static const struct fake_machine machine = { "snbep", "x86_64", snbep_leaves,
						     NTI_ARRAY_SIZE(snbep_leaves), files };

	init_snbep(&machine);
	find();
	TT_TEXT(unit_of("uncore_imc_0")->cpus, "2");
	assert_true(!nti_units_find(&m.units, "uncore_imc_2"));
	fini();
}

/*
 * Both Uboxes say the same node: no box is taken for another one's, and the kernel goes on
 * counting.
 */
TEST(two_functions_of_one_package)
{
	static const struct fake_file files[] = { TWO_SOCKETS,
						  { DEV "uncore_imc_0/type", "20\n" },
						  { DEV "uncore_imc_0/cpumask", "0,2\n" },
						  { NULL } };
	static const struct fake_machine machine = { "snbep", "x86_64", snbep_leaves,
						     NTI_ARRAY_SIZE(snbep_leaves), files };
	static struct function functions[] = {
		{ { 0, 63, 11, 0, 0x8086, 0x3ce0, "0000:3f:0b.0" }, { 0x40, 0x54 }, { 0, 0 } },
		IMC(63, "3f", 10, 0, 0x3cb0),
		IMC(63, "3f", 10, 1, 0x3cb1),
		{ { 0, 127, 11, 0, 0x8086, 0x3ce0, "0000:7f:0b.0" }, { 0x40, 0x54 }, { 0, 0 } },
		IMC(127, "7f", 10, 0, 0x3cb0),
		IMC(127, "7f", 10, 1, 0x3cb1),
	};

	init_snbep(&machine);
	m.function = functions;
	m.functions = NTI_ARRAY_SIZE(functions);
	find();
	TT_IS(unit_of("uncore_imc_0")->boxes, 0);
	assert_true(!unit_of("uncore_imc_0")->absent.reason);
	TT_HAS(unit_of("uncore_imc_1")->absent.reason,
	       "0000:3f:10.1 and 0000:7f:10.1 both say that they are uncore_imc_1 of package 0");
	TT_IS(unit_of("uncore_imc_1")->boxes, 1);
	assert_true(!unit_of("uncore_imc_1")->cpus);
	fini();
}

/* Nobody but the kernel knows which die of a package a function is of. */
TEST(functions_of_dies)
{
#define HALF(cpu, id, cpus)                                                                        \
	{ CPU "cpu" cpu "/topology/core_siblings_list", "0-3\n" },                                 \
		{ CPU "cpu" cpu "/topology/die_id", id },                                          \
	{                                                                                          \
		CPU "cpu" cpu "/topology/die_cpus_list", cpus                                      \
	}
	static const struct fake_file files[] = { { CPU "online", "0-3\n" },
						  HALF("0", "0\n", "0-1\n"),
						  HALF("1", "0\n", "0-1\n"),
						  HALF("2", "1\n", "2-3\n"),
						  HALF("3", "1\n", "2-3\n"),
						  { DEV "uncore_imc_0/type", "20\n" },
						  { DEV "uncore_imc_0/cpumask", "0,2\n" },
						  { NULL } };
	static const struct fake_machine machine = { "snbep", "x86_64", snbep_leaves,
						     NTI_ARRAY_SIZE(snbep_leaves), files };

	init_snbep(&machine);
	find();
	TT_IS(unit_of("uncore_imc_0")->boxes, 0);
	assert_true(!unit_of("uncore_imc_0")->absent.reason);
	TT_HAS(unit_of("uncore_imc_2")->absent.reason, "several dies");
	fini();
}

/*
 * Skylake: the place on the bus tells the number, and a bus without Ubox is the next lower one's.
 */
static struct function skx_functions[] = {
	{ { 0, 22, 8, 0, 0x8086, 0x2014, "0000:16:08.0" }, { 0xc0, 0xd4 }, { 0, 0x08 } },
	IMC(58, "3a", 10, 2, 0x2042),
	IMC(58, "3a", 12, 2, 0x2042),
	IMC(58, "3a", 12, 6, 0x2046),
	IMC(58, "3a", 9, 0, 0x2066),
	IMC(58, "3a", 20, 0, 0x2066), /* no such place */
	{ { 0, 150, 8, 0, 0x8086, 0x2014, "0000:96:08.0" }, { 0xc0, 0xd4 }, { 1, 0x08 } },
	IMC(174, "ae", 10, 2, 0x2042),
	IMC(174, "ae", 16, 0, 0x2058),
};

TEST(skylake_numbers_by_place)
{
	INIT(skx, two_sockets, skx_regs);
	m.function = skx_functions;
	m.functions = NTI_ARRAY_SIZE(skx_functions);
	find();
	TT_TEXT(unit_of("uncore_imc_0")->cpus, "0,2");
	has_box(unit_of("uncore_imc_0"), 1, 2, 1, 0, "0000:ae:10.2");
	TT_TEXT(unit_of("uncore_imc_3")->cpus, "0");
	TT_TEXT(unit_of("uncore_imc_4")->cpus, "0");
	TT_TEXT(unit_of("uncore_m2m_1")->cpus, "0");
	assert_true(!nti_units_find(&m.units, "uncore_m2m_0"));
	TT_TEXT(unit_of("uncore_upi_2")->cpus, "2");
	fini();
}

/* Haswell-EP: bus 63 has no Ubox, bus 127 is the next one that has. */
static struct function hsw_functions[] = {
	IMC(63, "3f", 20, 0, 0x2fb0),
	{ { 0, 127, 16, 7, 0x8086, 0x2f1e, "0000:7f:10.7" }, { 0x40, 0x54 }, { 1, 0x08 } },
	{ { 0, 255, 16, 7, 0x8086, 0x2f1e, "0000:ff:10.7" }, { 0x40, 0x54 }, { 0, 0x08 } },
	IMC(255, "ff", 23, 1, 0x2fd1),
};

TEST(haswell_has_channels)
{
	static const struct fake_leaf leaves[] = { { 0, { INTEL } }, { 1, { 0x000306f2 } } };
	static const struct fake_machine machine = { "hswep", "x86_64", leaves,
						     NTI_ARRAY_SIZE(leaves), plain_files };

	init_snbep(&machine);
	m.function = hsw_functions;
	m.functions = NTI_ARRAY_SIZE(hsw_functions);
	find();
	has_box(unit_of("uncore_imc_0"), 0, 2, 1, 0, "0000:3f:20.0");
	has_box(unit_of("uncore_imc_5"), 0, 0, 0, 0, "0000:ff:23.1");
	TT_TEXT(unit_of("uncore_imc_0")->box[0].kind->name, "skx_imc");
	fini();
}

/*
 * Every access fails once with @error; @is_refusal: that means that the register is not there.
 * Nothing is written, nothing else is lost.
 */
static void fail_each(int error, bool is_refusal, int accesses, size_t whole)
{
	int at;
	size_t i;

	for (at = 1; at <= accesses; at++) {
		size_t absent = 0;

		INIT(skx, two_sockets, skx_regs);
		m.fail_at = at;
		m.fail_with = error;
		find();
		/* Of a box that is not there nobody knows that it is not. */
		assert_true(m.units.count <= whole + !is_refusal && m.units.count >= whole - 3);
		assert_non_null(nti_units_find(&m.units, "software"));
		for (i = 0; i < m.units.count; i++) {
			const struct nti_unit *unit = m.units.unit[i];

			if (unit->kind != NTI_UNIT_UNCORE || !unit->absent.reason)
				continue;
			absent++;
			TT_HAS(unit->absent.about, strerror(-error));
			assert_true(*unit->absent.remedy);
			/* Its names can be understood, and nobody takes a part of it for all. */
			TT_IS(unit->boxes, 1);
			assert_true(unit->box[0].kind && !unit->cpus && !unit->frees);
		}
		if (is_refusal)
			TT_IS(absent, 0);
		else
			assert_true(absent <= 1);
		fini();
	}
}

/*
 * Whatever access fails, how it fails: the unit that could not be asked is not there, or says why,
 * and the others are.
 */
TEST(every_access_fails_once)
{
	static const int refusals[] = { -EIO, -ENXIO, -ENODEV };
	static const int errors[] = { -EACCES, -EMFILE, -ENOENT, -EINTR };
	int accesses;
	size_t e, whole;

	INIT(skx, two_sockets, skx_regs);
	find();
	accesses = m.reads;
	whole = m.units.count;
	fini();
	assert_true(accesses > 40);
	for (e = 0; e < NTI_ARRAY_SIZE(refusals); e++)
		fail_each(refusals[e], true, accesses, whole);
	for (e = 0; e < NTI_ARRAY_SIZE(errors); e++)
		fail_each(errors[e], false, accesses, whole);
}

/* The second package may not be asked: its half is not silently left out. */
TEST(half_of_a_unit_is_none)
{
	INIT(westmere, two_sockets, westmere_regs);
	m.closed_cpu = 2;
	find();
	TT_HAS(unit_of("uncore")->absent.reason, "/dev/cpu/2/msr needs root");
	TT_HAS(unit_of("uncore")->absent.remedy, "root");
	TT_HAS(unit_of("cstate_core")->absent.reason, "/dev/cpu/2/msr");
	fini();
}

/* A topology that cannot be had adds nothing and is no error; without memory it is one. */
TEST(topology_fails)
{
	INIT(skx, two_sockets, skx_regs);
	m.topology_error = -EIO;
	find();
	assert_true(!nti_units_find(&m.units, "thermal"));
	fini();
	m.topology_error = -ENOMEM;
	TT_IS(nti_units_load(&m.os.os, &m.units, &m.error), 0);
	TT_IS(nti_boxes_add(&m.os.os, &lent, &m.units, &m.error), -ENOMEM);
	TT_HAS(m.error.text, "memory");
	fini();
}

/* A processor without CPUID has none of this. */
TEST(other_processors)
{
	static const struct fake_machine arm = { "arm", "aarch64", NULL, 0, plain_files };
	size_t before;

	INIT(arm, two_sockets, no_regs);
	TT_IS(nti_units_load(&m.os.os, &m.units, &m.error), 0);
	before = m.units.count;
	fini();
	find();
	TT_IS(m.units.count, before);
	fini();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uncore_once_a_package),
		cmocka_unit_test(first_cpu_of_a_package_is_off_line),
		cmocka_unit_test(package_without_the_box),
		cmocka_unit_test(idle_states_that_are_there),
		cmocka_unit_test(out_of_reach_is_told),
		cmocka_unit_test(guests_lack_nothing),
		cmocka_unit_test(recordings_are_not_completed),
		cmocka_unit_test(kernels_unit_gets_boxes),
		cmocka_unit_test(boxes_with_numbers_are_counted),
		cmocka_unit_test(unreachable_boxes_are_one),
		cmocka_unit_test(energy_has_the_registers_step),
		cmocka_unit_test(heat_of_each_core_and_package),
		cmocka_unit_test(heat_has_the_fields_of_the_processor),
		cmocka_unit_test(cores_are_not_woken),
		cmocka_unit_test(kinds_of_core_are_asked_apart),
		cmocka_unit_test(amd_cache_of_each_complex),
		cmocka_unit_test(a_box_of_each_die),
		cmocka_unit_test(two_buses_two_packages),
		cmocka_unit_test(ordinary_users_see_controllers_only),
		cmocka_unit_test(kernels_controllers_get_functions),
		cmocka_unit_test(many_nodes),
		cmocka_unit_test(two_functions_of_one_package),
		cmocka_unit_test(functions_of_dies),
		cmocka_unit_test(skylake_numbers_by_place),
		cmocka_unit_test(haswell_has_channels),
		cmocka_unit_test(every_access_fails_once),
		cmocka_unit_test(half_of_a_unit_is_none),
		cmocka_unit_test(topology_fails),
		cmocka_unit_test(other_processors),
	};

	return TT_RUN(tests);
}
