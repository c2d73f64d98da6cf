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
#include "count/lib/count/ways.h"
#include "count/tests/event/fake_os.h"
#include "count/tests/session/scene.h"

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

#define FILES 48

/* One machine; what a test looks at while it runs. */
static struct {
	struct fake_os os;
	struct fake_machine machine;
	struct fake_file file[FILES + 1];
	char text[FILES][2][128]; /* of their paths and what is in them */
	size_t files;
	struct nti_os_ops ops;
	bool has_msr, is_root, has_no_modules;
	struct reg reg[32];
	size_t regs;
	const struct function *function;
	size_t functions;
	struct nti_boxes_cpu cpu[64];
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
	(void)os, (void)fd, (void)buf, (void)offset;
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
	(void)os, (void)perf;
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

static const struct nti_boxes_source lent = { .cpus = lend_cpus, .pci = &fake_pci };

#define LEAVES(name, ...) static const struct fake_leaf name##_leaves[] = { __VA_ARGS__ }

/* Westmere-EP, 06_2CH; Skylake-SP, 06_55H, with thermal status of core and package. */
LEAVES(wsm, { 0, { INTEL } }, { 1, { 0x000206c2 } });
LEAVES(guest, { 0, { INTEL } }, { 1, { 0x000206c2, 0, 1u << 31 } });
LEAVES(skx, { 0, { INTEL } }, { 1, { 0x00050654 } }, { 6, { 0x41, 0, 1 } });
LEAVES(hwp, { 0, { INTEL } }, { 1, { 0x00050654 } }, { 6, { 0xd1, 0, 1 } });
/* Sandy Bridge-EP, 06_2DH; Haswell-EP. */
LEAVES(snbep, { 0, { INTEL } }, { 1, { 0x000206d7 } });
LEAVES(hswep, { 0, { INTEL } }, { 1, { 0x000306f2 } });
/* Zen 1 and Zen 2, family 17h. */
LEAVES(naples, { 0, { AMD } }, { 1, { 0x00800f12 } }, { 0x80000000, { 0x80000022 } },
       { 0x80000001, { 0, 0, 1u << 24, 0 } });
LEAVES(zen2, { 0, { AMD } }, { 1, { 0x00830f10 } }, { 0x80000000, { 0x80000022 } },
       { 0x80000001, { 0, 0, 1u << 24 | 1u << 28, 0 } }, { 0x80000007, { 0, 0, 0, 1u << 14 } });

/* Its uncore's counters, and two of its idle states, of which one stands at 0. */
static const struct reg westmere_regs[] = {
	{ -1, 0x3b0, 0 },   { -1, 0x3b1, 0 }, { -1, 0x3b2, 0 }, { -1, 0x3b3, 0 }, { -1, 0x3b4, 0 },
	{ -1, 0x3b5, 0 },   { -1, 0x3b6, 0 }, { -1, 0x3b7, 0 }, { -1, 0x394, 0 }, { -1, 0x395, 0 },
	{ -1, 0x3c0, 0 },   { -1, 0x3c1, 0 }, { -1, 0x3c2, 0 }, { -1, 0x3c3, 0 }, { -1, 0x3c4, 0 },
	{ -1, 0x3c5, 0 },   { -1, 0x3c6, 0 }, { -1, 0x3c7, 0 }, { -1, 0x391, 0 }, { -1, 0x392, 0 },
	{ -1, 0x3fc, 500 }, { -1, 0x3fd, 0 },
};

/* Package 0 has three of these boxes, package 1 two; energy, heat, clocks. */
static const struct reg skx_regs[] = {
	{ -1, 0xe01, 0 },      { -1, 0xe08, 0 }, { -1, 0xe11, 0 },	    { 0, 0xe21, 0 },
	{ -1, 0xe18, 0 },      { 0, 0xe28, 0 },	 { -1, 0x606, 0xa0e03 },    { -1, 0x611, 5 },
	{ -1, 0x619, 7 },      { -1, 0x639, 0 }, { -1, 0x19c, 0x88350000 }, { -1, 0x1a2, 97 },
	{ -1, 0x1b1, 0x8833 }, { -1, 0xe7, 9 },	 { -1, 0xe8, 9 },	    { -1, 0x10, 123456 },
};

#define IMC(b, hex, d, f, id)                                                                      \
	{                                                                                          \
		{                                                                                  \
			0, b, d, f, 0x8086, id, "0000:" hex ":" #d "." #f                          \
		}                                                                                  \
	}

/*
 * Node 1 is package 0, node 0 package 1 (the map's three bits each: 1, 0). The Uboxes sit on buses
 * 63 and 127; controllers on bus 63, and on 100, which has no Ubox: then the next higher bus that
 * has one speaks for it. Bus 200 has none above it.
 */
static const struct function snbep_functions[] = {
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

/*
 * Skylake: the place on the bus tells the number, and a bus without Ubox is the next lower one's.
 */
static const struct function skx_functions[] = {
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

/* Haswell-EP: bus 63 has no Ubox, bus 127 is the next one that has. */
static const struct function hsw_functions[] = {
	IMC(63, "3f", 20, 0, 0x2fb0),
	{ { 0, 127, 16, 7, 0x8086, 0x2f1e, "0000:7f:10.7" }, { 0x40, 0x54 }, { 1, 0x08 } },
	{ { 0, 255, 16, 7, 0x8086, 0x2f1e, "0000:ff:10.7" }, { 0x40, 0x54 }, { 0, 0x08 } },
	IMC(255, "ff", 23, 1, 0x2fd1),
};

/* Both Uboxes say the same node. */
static const struct function twice_functions[] = {
	{ { 0, 63, 11, 0, 0x8086, 0x3ce0, "0000:3f:0b.0" }, { 0x40, 0x54 }, { 0, 0 } },
	IMC(63, "3f", 10, 0, 0x3cb0),
	IMC(63, "3f", 10, 1, 0x3cb1),
	{ { 0, 127, 11, 0, 0x8086, 0x3ce0, "0000:7f:0b.0" }, { 0x40, 0x54 }, { 0, 0 } },
	IMC(127, "7f", 10, 0, 0x3cb0),
	IMC(127, "7f", 10, 1, 0x3cb1),
};

#define SOME(array) array, NTI_ARRAY_SIZE(array)

static const struct machine_row {
	const char *name;
	const struct fake_leaf *leaves;
	size_t leaf_count;
	const struct reg *regs;
	size_t reg_count;
	const struct function *functions;
	size_t function_count;
} machine_rows[] = {
	{ "wsm", SOME(wsm_leaves), SOME(westmere_regs), NULL, 0 },
	{ "wsm-bare", SOME(wsm_leaves), NULL, 0, NULL, 0 },
	{ "guest", SOME(guest_leaves), SOME(westmere_regs), NULL, 0 },
	{ "skx", SOME(skx_leaves), SOME(skx_regs), NULL, 0 },
	{ "skx-pci", SOME(skx_leaves), SOME(skx_regs), SOME(skx_functions) },
	{ "skx-bare", SOME(skx_leaves), NULL, 0, NULL, 0 },
	{ "hwp", SOME(hwp_leaves), SOME(skx_regs), NULL, 0 },
	{ "snbep", SOME(snbep_leaves), NULL, 0, SOME(snbep_functions) },
	{ "twice", SOME(snbep_leaves), NULL, 0, SOME(twice_functions) },
	{ "hswep", SOME(hswep_leaves), NULL, 0, SOME(hsw_functions) },
	{ "naples", SOME(naples_leaves), NULL, 0, NULL, 0 },
	{ "zen2", SOME(zen2_leaves), NULL, 0, NULL, 0 },
	{ "arm", NULL, 0, NULL, 0, NULL, 0 },
};

/* ---- verbs ---- */

/* Root on a machine with its msr driver: two packages of two cores, physical ids 0 and 1. */
static void begin(struct scene *s)
{
	memset(&m, 0, sizeof(m));
	m.machine.files = m.file;
	fake_os_init(&m.os, &m.machine);
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
	SCENE(s, "cpu 0 0 0 0; cpu 1 1 0 0; cpu 2 2 1 1; cpu 3 3 1 1; file " CPU "online 0-3;"
		 "package 0 0; package 1 0; package 2 1; package 3 1");
}

static void end(struct scene *s)
{
	(void)s;
	nti_units_fini(&m.units);
}

SCENE_STEP(machine)
{
	TT_FOR_EACH_ROW(r, machine_rows) {
		if (strcmp(r->name, rest) != 0)
			continue;
		m.machine.name = r->name;
		m.machine.arch = r->leaves ? "x86_64" : "aarch64";
		m.machine.leaves = r->leaves;
		m.machine.leaf_count = r->leaf_count;
		for (m.regs = 0; m.regs < r->reg_count; m.regs++)
			m.reg[m.regs] = r->regs[m.regs];
		m.function = r->functions;
		m.functions = r->function_count;
		return;
	}
	fail_msg("there is no machine %s", rest);
}

/* reg CPU ADDRESS VALUE, CPU -1: of all; cpu CPU CORE L3 PACKAGE, after "no_cpus" */
SCENE_STEP(reg)
{
	assert_true(m.regs < NTI_ARRAY_SIZE(m.reg));
	m.reg[m.regs++] = (struct reg){ (int)n[0], (uint32_t)n[1], n[2] };
}

SCENE_STEP(no_cpus)
{
	m.cpus = 0;
}

SCENE_STEP(cpu)
{
	assert_true(m.cpus < NTI_ARRAY_SIZE(m.cpu));
	m.cpu[m.cpus++] =
		(struct nti_boxes_cpu){ (unsigned int)n[0], (int)n[1], (int)n[2], (int)n[3] };
}

/* file PATH TEXT; package CPU ID; die CPU ID CPUS: of a package of four; after "no_files" */
SCENE_STEP(no_files)
{
	m.files = 0;
	m.file[0] = (struct fake_file){ NULL };
}

SCENE_STEP(file)
{
	char(*text)[128] = m.text[m.files];

	assert_true(m.files < FILES);
	snprintf(text[0], sizeof(text[0]), "%s", scene_word(&rest));
	snprintf(text[1], sizeof(text[1]), "%s\n", rest);
	m.file[m.files++] = (struct fake_file){ text[0], text[1] };
}

SCENE_STEP(package)
{
	SCENE(s, "file " CPU "cpu%d/topology/physical_package_id %d", (int)n[0], (int)n[1]);
}

SCENE_STEP(die)
{
	SCENE(s,
	      "file " CPU "cpu%d/topology/core_siblings_list 0-3;"
	      "file " CPU "cpu%d/topology/die_id %d; file " CPU "cpu%d/topology/die_cpus_list %s",
	      (int)n[0], (int)n[0], (int)n[1], (int)n[0], rest);
}

SCENE_STEP(find)
{
	nti_units_fini(&m.units);
	SCENE_IS(s, nti_units_load(&m.os.os, &m.units, &m.error), 0);
	SCENE_IS(s, nti_boxes_add(&m.os.os, &lent, &m.units, &m.error), 0);
	SCENE_IS(s, m.writes, 0);
}

static const struct nti_unit *unit_of(const char *name)
{
	const struct nti_unit *unit = nti_units_find(&m.units, name);

	if (!unit)
		fail_msg("there is no unit %s", name);
	return unit;
}

static uint64_t number_of(const struct nti_unit *unit, const char *name)
{
	const struct {
		const char *name;
		uint64_t number;
	} rows[] = { { "boxes", unit->boxes },
		     { "counters", unit->counters },
		     { "fixed", unit->fixed },
		     { "frees", unit->frees },
		     { "has_desc", *unit->desc != '\0' },
		     { "is_absent", unit->absent.reason != NULL },
		     { "is_uncore", unit->kind == NTI_UNIT_UNCORE },
		     { "steps_per_joule", (uint64_t)(1 / unit->energy_scale) },
		     { "sysfs", unit->has_sysfs },
		     { "type", unit->type } };

	TT_FOR_EACH_ROW(r, rows)
		if (strcmp(r->name, name) == 0)
			return r->number;
	fail_msg("units have no %s", name);
	return 0;
}

/* unit NAME WHAT VALUE WHAT VALUE ...; see number_of() */
SCENE_STEP(unit)
{
	static const char *const scopes[] = { [NTI_SCOPE_CPU] = "cpu",
					      [NTI_SCOPE_CORE] = "core",
					      [NTI_SCOPE_L3] = "l3",
					      [NTI_SCOPE_PACKAGE] = "package" };
	const struct nti_unit *unit = unit_of(scene_word(&rest));
	const char *what;

	while (*(what = scene_word(&rest))) {
		const char *value = scene_word(&rest), *text = NULL;

		if (strcmp(what, "cpus") == 0)
			text = unit->cpus ? unit->cpus : "none";
		else if (strcmp(what, "kind") == 0)
			text = unit->box[0].kind->name;
		else if (strcmp(what, "method") == 0)
			text = nti_method_get(unit->method)->name;
		else if (strcmp(what, "scope") == 0)
			text = scopes[unit->scope];
		if (text)
			tt_str_(text, value, what, s->file, s->line);
		else
			scene_is(s, what, (long long)number_of(unit, what),
				 strtoll(value, NULL, 0));
	}
}

/* no_unit NAME */
SCENE_STEP(no_unit)
{
	SCENE_IS(s, nti_units_find(&m.units, rest) != NULL, 0);
}

/* box UNIT INDEX CPU PACKAGE NUMBER [FUNCTION] */
SCENE_STEP(box)
{
	const struct nti_unit *unit = unit_of(scene_word(&rest));
	uint64_t i = scene_number(s, &rest);
	const struct nti_unit_box *box = &unit->box[i];

	SCENE_IS(s, i < unit->boxes, 1);
	SCENE_IS(s, box->cpu, scene_number(s, &rest));
	SCENE_IS(s, box->package, scene_number(s, &rest));
	SCENE_IS(s, box->number, scene_number(s, &rest));
	tt_str_(box->function, rest, "function", s->file, s->line);
}

/* box_die UNIT INDEX DIE */
SCENE_STEP(box_die)
{
	const struct nti_unit_box *box = &unit_of(scene_word(&rest))->box[scene_number(s, &rest)];

	SCENE_IS(s, box->has_dies, 1);
	SCENE_IS(s, box->die, scene_number(s, &rest));
}

/* absent UNIT REASON; absent_remedy UNIT REMEDY */
SCENE_STEP(absent)
{
	const struct nti_unit *unit = unit_of(scene_word(&rest));

	scene_has(s, "reason", unit->absent.reason, rest);
}

SCENE_STEP(absent_remedy)
{
	const struct nti_unit *unit = unit_of(scene_word(&rest));

	scene_has(s, "remedy", unit->absent.remedy, rest);
}

/* units PREFIX NUMBER: so many begin with that */
SCENE_STEP(units)
{
	const char *prefix = scene_word(&rest);
	size_t i, count = 0;

	for (i = 0; i < m.units.count; i++)
		count += strncmp(m.units.unit[i]->name, prefix, strlen(prefix)) == 0;
	SCENE_IS(s, count, scene_number(s, &rest));
}

/* next UNIT OTHER: they stand in this order, with nothing between them. */
SCENE_STEP(next)
{
	const struct nti_unit *unit = unit_of(scene_word(&rest));

	SCENE_IS(s, unit_of(rest)->number - unit->number, 1);
}

static const struct scene_verb verbs[] = {
	{ "absent", 0, step_absent },	{ "absent_remedy", 0, step_absent_remedy },
	{ "box", 0, step_box },		{ "box_die", 0, step_box_die },
	{ "cpu", 4, step_cpu },		{ "die", 2, step_die },
	{ "file", 0, step_file },	{ "find", 0, step_find },
	{ "machine", 0, step_machine }, { "next", 0, step_next },
	{ "no_cpus", 0, step_no_cpus }, { "no_files", 0, step_no_files },
	{ "no_unit", 0, step_no_unit }, { "package", 2, step_package },
	{ "reg", 3, step_reg },		{ "unit", 0, step_unit },
	{ "units", 0, step_units },	{ NULL, 0, NULL },
};

static const struct scene_field fields[] = {
	SCENE_FIELD("msr", m.has_msr),
	SCENE_FIELD("root", m.is_root),
	SCENE_FIELD("no_modules", m.has_no_modules),
	SCENE_FIELD("closed_cpu", m.closed_cpu),
	SCENE_FIELD("fail_at", m.fail_at),
	SCENE_FIELD("fail_with", m.fail_with),
	SCENE_FIELD("topology_error", m.topology_error),
	SCENE_FIELD("topology_calls", m.topology_calls),
	SCENE_FIELD("opens", m.opens),
	SCENE_FIELD("elsewhere", m.os.os.is_elsewhere),
	SCENE_FIELD("simulated", m.os.os.is_simulated),
	{ NULL, NULL, 0, 0, 0 },
};

static const struct scene_machine machine = { verbs, fields, begin, end };

/* ---- scenarios ---- */

/* Names of its events can be understood all the same; nobody needs the topology for that. */
#define OUT_OF_REACH(how, reason, remedy)                                                          \
	"machine wsm; " how "; find; absent uncore " reason "; absent_remedy uncore " remedy       \
	"; unit uncore boxes 1 kind nhm_uncore; peek topology_calls 0"

static const struct scenario scenarios[] = {
	{ __LINE__, "uncore once a package",
	  "machine wsm; find; box uncore 0 0 0 0; box uncore 1 2 1 0;"
	  "unit uncore boxes 2 kind nhm_uncore cpus 0,2 is_uncore 1 method msr scope package "
	  "counters 8 fixed 1 is_absent 0 sysfs 0 has_desc 1" },
	/* CPU 2 is off line: its package is read on CPU 3. */
	{ __LINE__, "first CPU of a package is off line",
	  "machine wsm; no_cpus; cpu 0 0 0 0; cpu 1 1 0 0; cpu 3 3 1 1; find; unit uncore cpus 0,3;"
	  "box uncore 1 3 1 0" },
	/* The second package refuses: there is one box, not two. */
	{ __LINE__, "package without the box",
	  "machine wsm-bare; reg 0 0x3b0; reg 0 0x3c0; reg 1 0x3b0; reg 1 0x3c0; reg -1 0x391;"
	  "find; unit uncore cpus 0 boxes 1 counters 1 fixed 0" },
	/* One idle state of a core counts, one never moved; of packages there is none. */
	{ __LINE__, "idle states that are there",
	  "machine wsm; find; unit cstate_core cpus 0-3 scope core frees 2 counters 0;"
	  "no_unit cstate_pkg" },
	{ __LINE__, "msr driver not loaded",
	  OUT_OF_REACH("set msr 0", "the msr driver is not loaded", "modprobe msr") },
	{ __LINE__, "no modules",
	  OUT_OF_REACH("set msr 0; set no_modules", "cannot load modules", "CONFIG_X86_MSR=y") },
	{ __LINE__, "ordinary user", OUT_OF_REACH("set root 0", "root", "ntime driver load") },
	{ __LINE__, "guests lack nothing", "machine guest; set msr 0; find; no_unit uncore" },
	/* A recording, or another root directory: nobody can load a driver there. */
	{ __LINE__, "recordings are not completed",
	  "machine wsm; set msr 0; set elsewhere; set simulated; find; no_unit uncore;"
	  "set simulated 0; find; no_unit uncore" },
	/* The kernel has the unit: it keeps it, on its CPUs, and registers reach the same boxes. */
	{ __LINE__, "kernel's unit gets boxes",
	  "machine wsm; file " DEV "uncore/type 13; file " DEV "uncore/cpumask 1,2;"
	  "file " DEV "uncore/format/event config:0-7; find;"
	  "unit uncore method perf type 13 cpus 1,2 sysfs 1 boxes 2;"
	  "box uncore 0 1 0 0; box uncore 1 2 1 0" },
	{ __LINE__, "boxes with numbers are counted",
	  "machine skx; find; unit uncore_cha_0 cpus 0,2; unit uncore_cha_1 cpus 0,2;"
	  "box uncore_cha_1 1 2 1 1; unit uncore_cha_2 cpus 0; no_unit uncore_cha_3;"
	  "next uncore_cha_0 uncore_cha_1; next uncore_cha_1 uncore_cha_2; peek topology_calls 1" },
	/* How many there are nobody can tell from outside: one stands for all. */
	{ __LINE__, "unreachable boxes are one",
	  "machine skx; set msr 0; find; units uncore_cha 1;"
	  "absent uncore_cha the msr driver is not loaded" },
	/* 0x606 bits 12:8 are 14. Package and memory; 0x639 never moved. */
	{ __LINE__, "energy has the register's step",
	  "machine skx; find; unit power kind power_hsx steps_per_joule 16384 frees 6 cpus 0,2" },
	/* Two threads a core. States of 0 are states. */
	{ __LINE__, "heat of each core and package",
	  "machine skx; no_cpus; cpu 0 0 0 0; cpu 1 1 0 0; cpu 2 0 0 0; cpu 3 1 0 0; find;"
	  "unit thermal cpus 0-1 scope core frees 0x303f; unit thermal_pkg cpus 0 scope package;"
	  "unit msr cpus 0-3 scope cpu" },
	/* Limits of power and current are reserved bits where CPUID does not name them. */
	{ __LINE__, "heat has the fields of the processor",
	  "machine skx; find; unit thermal frees 0x303f; unit thermal_pkg frees 0x33f;"
	  "machine hwp; find; unit thermal frees 0x3fff; unit thermal_pkg frees 0x3ff" },
	/*
	 * Efficient cores lack what the others have; one core of each kind is asked. Threads 0 and
	 * 1 are of core 0, 2 and 3 of core 1; CPU 2 is not asked, so that nobody wakes it.
	 */
	{ __LINE__, "kinds of core are asked apart",
	  "machine skx-bare; no_files; file " CPU "online 0-5; file " DEV "cpu_core/type 4;"
	  "file " DEV "cpu_core/cpus 0-3; file " DEV "cpu_atom/type 8;"
	  "file " DEV "cpu_atom/cpus 4-5; no_cpus; cpu 0 0; cpu 1 0; cpu 2 1; cpu 3 1; cpu 4 2;"
	  "cpu 5 3; reg 0 0x19c 0x88350000; reg 4 0x19c 0x88350000; reg 0 0x3fc 5; reg 0 0x3fd 5;"
	  "find; unit thermal cpus 0,2,4-5; unit cstate_core cpus 0,2" },
	/* Two caches a package, of which one has its first CPU off line. */
	{ __LINE__, "AMD's cache of each complex",
	  "machine zen2; no_cpus; cpu 0 0 0 0; cpu 1 1 0 0; cpu 3 3 1 0; reg -1 0xc0010230;"
	  "reg -1 0xc0010231; reg -1 0xc0010240; reg -1 0xc0010241; reg -1 0xc0010299 0xa1003;"
	  "reg -1 0xc001029b 77; find; unit amd_l3 cpus 0,3 scope l3 kind amd_l3_f17h;"
	  "unit amd_df cpus 0 kind amd_df; unit power steps_per_joule 65536" },
	/* A package of two dies has two Data Fabrics, of which Linux counts each. */
	{ __LINE__, "a box of each die",
	  "machine naples; no_files; package 0 0; package 1 0; package 2 0; package 3 0;"
	  "die 0 0 0-1; die 1 0 0-1; die 2 1 2-3; die 3 1 2-3; reg -1 0xc0010240;"
	  "reg -1 0xc0010241; find; unit amd_df cpus 0,2 boxes 2; box amd_df 0 0 0 0;"
	  "box amd_df 1 2 0 0; box_die amd_df 0 0; box_die amd_df 1 1" },
	{ __LINE__, "two buses, two packages",
	  "machine snbep; find; box uncore_imc_0 0 0 0 0 0000:3f:10.0;"
	  "box uncore_imc_0 1 2 1 0 0000:64:10.0;"
	  "unit uncore_imc_0 boxes 2 cpus 0,2 method pci scope package counters 4 fixed 1;"
	  "no_unit uncore_imc_1; unit uncore_imc_2 cpus 0; unit uncore_imc_3 cpus 2" },
	/*
	 * The Uboxes are root's; the kernel knows which CPUs are near. One that is near to all is
	 * of no package.
	 */
	{ __LINE__, "ordinary users see controllers only",
	  "machine snbep; set root 0;"
	  "file /sys/bus/pci/devices/0000:3f:10.0/local_cpulist 0-1;"
	  "file /sys/bus/pci/devices/0000:3f:10.4/local_cpulist 0-3;"
	  "file /sys/bus/pci/devices/0000:64:10.0/local_cpulist 2-3; find;"
	  "absent uncore_imc_0 root; absent_remedy uncore_imc_0 ntime driver load;"
	  "unit uncore_imc_0 boxes 1; no_unit uncore_imc_2" },
	/* Of CPUs of package 1 the kernel counts uncore_imc_3 on none, where the function is. */
	{ __LINE__, "kernel's controllers get functions",
	  "machine snbep; file " DEV "uncore_imc_0/type 20; file " DEV "uncore_imc_0/cpumask 1,3;"
	  "file " DEV "uncore_imc_3/type 23; file " DEV "uncore_imc_3/cpumask 1; find;"
	  "unit uncore_imc_0 method perf boxes 2; box uncore_imc_0 0 1 0 0 0000:3f:10.0;"
	  "box uncore_imc_0 1 3 1 0 0000:64:10.0; unit uncore_imc_3 boxes 0;"
	  "unit uncore_imc_2 method pci" },
	/* More nodes than the map has room for: Linux does not ask the Uboxes either. */
	{ __LINE__, "many nodes",
	  "machine snbep; file /sys/devices/system/node/possible 0-15;"
	  "file /sys/bus/pci/devices/0000:3f:10.0/local_cpulist 2; find;"
	  "unit uncore_imc_0 cpus 2; no_unit uncore_imc_2" },
	/* No box is taken for another one's, and the kernel goes on counting. */
	{ __LINE__, "two functions of one package",
	  "machine twice; file " DEV "uncore_imc_0/type 20; file " DEV "uncore_imc_0/cpumask 0,2;"
	  "find; unit uncore_imc_0 boxes 0 is_absent 0; unit uncore_imc_1 boxes 1 cpus none;"
	  "absent uncore_imc_1 0000:3f:10.1 and 0000:7f:10.1 both say that they are uncore_imc_1 "
	  "of package 0" },
	/* Nobody but the kernel knows which die of a package a function is of. */
	{ __LINE__, "functions of dies",
	  "machine snbep; no_files; file " CPU "online 0-3; die 0 0 0-1; die 1 0 0-1; die 2 1 2-3;"
	  "die 3 1 2-3; file " DEV "uncore_imc_0/type 20; file " DEV "uncore_imc_0/cpumask 0,2;"
	  "find; unit uncore_imc_0 boxes 0 is_absent 0; absent uncore_imc_2 several dies" },
	{ __LINE__, "Skylake's numbers by place",
	  "machine skx-pci; find; unit uncore_imc_0 cpus 0,2;"
	  "box uncore_imc_0 1 2 1 0 0000:ae:10.2; unit uncore_imc_3 cpus 0;"
	  "unit uncore_imc_4 cpus 0; unit uncore_m2m_1 cpus 0; no_unit uncore_m2m_0;"
	  "unit uncore_upi_2 cpus 2" },
	{ __LINE__, "Haswell has channels",
	  "machine hswep; find; box uncore_imc_0 0 2 1 0 0000:3f:20.0;"
	  "box uncore_imc_5 0 0 0 0 0000:ff:23.1; unit uncore_imc_0 kind skx_imc" },
	/* The second package may not be asked: its half is not silently left out. */
	{ __LINE__, "half of a unit is none",
	  "machine wsm; set closed_cpu 2; find; absent uncore /dev/cpu/2/msr needs root;"
	  "absent_remedy uncore root; absent cstate_core /dev/cpu/2/msr" },
	/* A topology that cannot be had adds nothing and is no error. */
	{ __LINE__, "topology fails", "machine skx; set topology_error -5; find; no_unit thermal" },
};

/* ---- what a scenario cannot say ---- */

/* How much is asked depends on the packages: a start does not wake each core of a large machine. */
TEST(cores_are_not_woken)
{
	struct scene s;
	int reads, i;

	/* The idle states are on no core at all, which two of each package say. */
	scene_begin(&s, &machine);
	SCENE(&s, "machine skx; find; peek opens 4");
	reads = m.reads;
	assert_true(reads <= 120);
	scene_end(&s);
	scene_begin(&s, &machine);
	SCENE(&s, "machine skx; no_cpus");
	for (i = 0; i < 64; i++)
		SCENE(&s, "cpu %d %d %d %d", i, i, i / 32, i / 32);
	SCENE(&s, "find; peek opens 4; unit thermal boxes 64; unit msr boxes 64");
	TT_IS(m.reads, reads);
	scene_end(&s);
}

/*
 * Every access fails once with @error; @is_refusal: that means that the register is not there.
 * Nothing is written, nothing else is lost.
 */
static void fail_each(int error, bool is_refusal, int accesses, size_t whole)
{
	struct scene s;
	size_t i;
	int at;

	for (at = 1; at <= accesses; at++) {
		size_t absent = 0;

		scene_begin(&s, &machine);
		SCENE(&s, "machine skx; set fail_at %d; set fail_with %d; find", at, error);
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
		scene_end(&s);
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
	struct scene s;
	int accesses;
	size_t e, whole;

	scene_begin(&s, &machine);
	SCENE(&s, "machine skx; find");
	accesses = m.reads;
	whole = m.units.count;
	scene_end(&s);
	assert_true(accesses > 40);
	for (e = 0; e < NTI_ARRAY_SIZE(refusals); e++)
		fail_each(refusals[e], true, accesses, whole);
	for (e = 0; e < NTI_ARRAY_SIZE(errors); e++)
		fail_each(errors[e], false, accesses, whole);
}

/* Without memory a topology that cannot be had is an error. */
TEST(no_memory_for_the_topology)
{
	struct scene s;

	scene_begin(&s, &machine);
	SCENE(&s, "machine skx");
	m.topology_error = -ENOMEM;
	TT_IS(nti_units_load(&m.os.os, &m.units, &m.error), 0);
	TT_IS(nti_boxes_add(&m.os.os, &lent, &m.units, &m.error), -ENOMEM);
	TT_HAS(m.error.text, "memory");
	scene_end(&s);
}

/* A processor without CPUID has none of this. */
TEST(other_processors)
{
	struct scene s;
	size_t before;

	scene_begin(&s, &machine);
	SCENE(&s, "machine arm");
	TT_IS(nti_units_load(&m.os.os, &m.units, &m.error), 0);
	before = m.units.count;
	SCENE(&s, "find");
	TT_IS(m.units.count, before);
	scene_end(&s);
}

int main(void)
{
	static const struct CMUnitTest functions[] = {
		cmocka_unit_test(cores_are_not_woken),
		cmocka_unit_test(every_access_fails_once),
		cmocka_unit_test(no_memory_for_the_topology),
		cmocka_unit_test(other_processors),
	};

	return SCENE_RUN(&machine, scenarios, functions);
}
