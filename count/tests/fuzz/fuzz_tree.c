// SPDX-License-Identifier: MIT
/*
 * The input as the files of a machine (tree_os.h), as a tree under --root holds them: units and
 * boxes found in it, its CPUs and packages, and the events that its PMUs list. First byte: which
 * processor CPUID tells. Whatever the files hold, units are whole and have a reason where they
 * cannot be used.
 */
#include "count/lib/event/resolve.h"
#include "count/lib/machine/box_bus.h"
#include "count/lib/machine/boxes.h"
#include "count/lib/machine/unit.h"
#include "base/common/text.h"
#include "base/tests/fuzz/tree_os.h"

#define LOOKED_AT_CPUS 4

static const struct nti_boxes_cpu cpus[LOOKED_AT_CPUS] = {
	{ 0, 0, 0, 0 }, { 1, 1, 0, 0 }, { 2, 2, 1, 1 }, { 3, 3, 1, -1 }
};

static int lend_cpus(void *arg, const struct nti_boxes_cpu **out, size_t *n)
{
	(void)arg;
	*out = cpus;
	*n = LOOKED_AT_CPUS;
	return 0;
}

static const struct nti_pci_function *no_function(void *arg, size_t index)
{
	(void)arg;
	(void)index;
	return NULL;
}

static int on_event(void *arg, const struct nti_event_entry *entry)
{
	size_t *left = arg;

	fuzz_expect(entry->name && entry->name[0] && entry->desc && entry->unit_text);
	return --*left == 0;
}

static void check(const struct nti_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		const struct nti_unit *u = units->unit[i];

		fuzz_expect(u->name && u->name[0] && u->desc);
		fuzz_expect(nti_units_find(units, u->name) != NULL);
	}
}

static void look(struct fuzz_tree *t)
{
	static const struct nti_box_pci no_pci = { .get = no_function };
	const struct nti_boxes_source lent = { .cpus = lend_cpus, .pci = &no_pci };
	struct nti_units units = { 0 };
	struct nti_names names = { .os = &t->os, .units = &units };
	struct nti_error e = { 0 };
	char line[NTI_SYSFS_LINE_BYTES];
	unsigned int cpu, die;
	size_t left = 200;

	(void)nti_os_line(&t->os, line, sizeof(line), "/sys/devices/system/cpu/online");
	for (cpu = 0; cpu < LOOKED_AT_CPUS; cpu++) {
		fuzz_expect(nti_os_package(&t->os, cpu) >= -1);
		(void)nti_os_die(&t->os, cpu, &die);
	}
	if (nti_units_load(&t->os, &units, &e) < 0) {
		fuzz_expect(e.text[0] && units.count == 2);
	} else if (nti_boxes_add(&t->os, &lent, &units, &e) == 0) {
		check(&units);
		(void)nti_alias_for_each(&names, on_event, &left);
	}
	nti_units_fini(&units);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const struct {
		const char *arch;
		uint32_t family;
	} machines[] = { { "x86_64", 0x50654 }, { "x86_64", 0x106a5 }, { "aarch64", 0 },
			 { "armv7l", 0 },	{ "x86_64", 0xb06e0 }, { "riscv64", 0 } };
	struct fuzz_tree t;
	char *text;

	if (!bytes)
		return 0;
	text = fuzz_text(data + 1, bytes - 1);
	fuzz_tree_init(&t, text);
	t.arch = machines[data[0] % 6].arch;
	t.cpuid_family = machines[data[0] % 6].family;
	look(&t);
	free(text);
	return 0;
}
