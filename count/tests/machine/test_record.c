// SPDX-License-Identifier: MIT
/* Recording: what is written comes back the same. */
#include <errno.h>
#include <jansson.h>
#include <unistd.h>

#include "count/tests/machine/recorded.h"

static char directory[] = "/tmp/ntime-record-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", directory, name);
	return path[turn];
}

static int put(void *arg, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, arg) == n ? 0 : -EIO;
}

static void record(const char *from, const char *to)
{
	struct nti_os *os = os_of_file(from);
	struct nti_error e = { 0 };
	const char *xml, *synthetic;
	FILE *f = fopen(to, "w");

	(void)nti_machine_topology(os, &xml, &synthetic);
	if (nti_machine_record(os, xml, put, f, &e) < 0)
		fail_msg("%s", e.text);
	fclose(f);
	os->ops->free(os);
}

static const struct machine_row {
	int line;
	const char *path;
} machine_rows[] = {
	{ __LINE__, "count/tests/machine/intel-skx-2s.json" },
	{ __LINE__, "count/tests/machine/amd-zen2.json" },
	{ __LINE__, "count/tests/machine/arm64-neoverse-n1.json" },
	{ __LINE__, "count/tests/machine/hybrid-adl.json" },
	{ __LINE__, "count/tests/machine/vm-kvm.json" },
	{ __LINE__, "count/tests/machine/restricted.json" },
};

/* A recording of a recording is the same file. */
TEST(recordings_repeat)
{
	TT_FOR_EACH_ROW(r, machine_rows) {
		json_t *one, *two;

		record(r->path, path_of("one.json"));
		record(path_of("one.json"), path_of("two.json"));
		one = json_load_file(path_of("one.json"), 0, NULL);
		two = json_load_file(path_of("two.json"), 0, NULL);
		assert_non_null(one);
		TT_EQ(r, json_equal(one, two), 1);
		json_decref(one);
		json_decref(two);
	}
}

/* Both machines answer alike: every file, link, error, CPUID leaf and register of the first. */
static void compare_nodes(const struct machine_row *r, const struct nti_machine *a,
			  const struct nti_machine *b)
{
	size_t i;

	TT_EQ(r, b->node_count, a->node_count);
	for (i = 0; i < a->node_count; i++) {
		const struct nti_machine_node *other = nti_machine_node_find(b, a->nodes[i].path);

		if (!other)
			fail_msg("%s: %s was not recorded", r->path, a->nodes[i].path);
		TT_EQ(r, other->kind, a->nodes[i].kind);
		TT_EQ(r, other->error, a->nodes[i].error);
		if (a->nodes[i].text)
			TT_STR(r, other->text, a->nodes[i].text);
	}
}

static void compare_cpuid(const struct machine_row *r, const struct nti_machine *a,
			  const struct nti_machine *b)
{
	size_t i, k;

	for (i = 0; i < a->cpuid_count; i++) {
		for (k = 0; k < b->cpuid_count; k++)
			if (b->cpuid[k].leaf == a->cpuid[i].leaf &&
			    b->cpuid[k].subleaf == a->cpuid[i].subleaf &&
			    memcmp(b->cpuid[k].r, a->cpuid[i].r, sizeof(a->cpuid[i].r)) == 0)
				break;
		if (k == b->cpuid_count)
			fail_msg("%s: CPUID leaf 0x%x subleaf %u was not recorded", r->path,
				 a->cpuid[i].leaf, a->cpuid[i].subleaf);
	}
	TT_EQ(r, b->cpuid_count, a->cpuid_count);
}

static void compare_registers(const struct machine_row *r, const struct nti_machine *a,
			      const struct nti_machine *b)
{
	size_t i;

	TT_EQ(r, b->has_registers, a->has_registers);
	for (i = 0; i < a->register_count; i++) {
		uint32_t cpu = a->registers[i].cpu == NTI_MACHINE_ANY_CPU ? 1 : a->registers[i].cpu;
		const struct nti_machine_register *other =
			nti_machine_register_find(b, cpu, a->registers[i].address);

		if (!other)
			fail_msg("%s: register 0x%x was not recorded", r->path,
				 a->registers[i].address);
		TT_EQ(r, other->value, a->registers[i].value);
	}
}

TEST(recordings_hold_all_of_the_machine)
{
	TT_FOR_EACH_ROW(r, machine_rows) {
		struct nti_machine *a, *b;
		struct nti_error e = { 0 };

		record(r->path, path_of("one.json"));
		TT_EQ(r, nti_machine_load(r->path, &a, &e), 0);
		TT_EQ(r, nti_machine_load(path_of("one.json"), &b, &e), 0);
		compare_nodes(r, a, b);
		compare_cpuid(r, a, b);
		compare_registers(r, a, b);
		TT_EQ(r, b->is_root, a->is_root);
		TT_EQ(r, b->is_perfmon, a->is_perfmon);
		TT_STR(r, b->arch, a->arch);
		if (a->topology_xml)
			TT_STR(r, b->topology_xml, a->topology_xml);
		nti_machine_free(a);
		nti_machine_free(b);
	}
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

TEST(secrets_stay_at_home)
{
	static const char text[] =
		"{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"t\",\"arch\":\"x86_64\","
		"\"files\":{"
		"\"/proc/cpuinfo\":\"processor: 0\\nSerial\\t\\t: 0123\\npart: 9\\n\\nprocessor: "
		"1\\nSerial: 4567\\n\","
		"\"/proc/sys/kernel/hostname\":\"bob\\n\",\"/etc/hostname\":\"bob\\n\"},"
		"\"cpuid\":[{\"leaf\":0,\"eax\":3,\"ebx\":0,\"ecx\":0,\"edx\":0},{\"leaf\":3,"
		"\"eax\":7,\"ebx\":0,\"ecx\":0,\"edx\":0}]}";
	struct nti_machine *m;
	struct nti_error e = { 0 };
	const struct nti_machine_node *node;

	write_text(path_of("in.json"), text);
	record(path_of("in.json"), path_of("one.json"));
	TT_IS(nti_machine_load(path_of("one.json"), &m, &e), 0);
	node = nti_machine_node_find(m, "/proc/cpuinfo");
	assert_non_null(node);
	TT_TEXT(node->text, "processor: 0\npart: 9\n\n");
	TT_IS(m->node_count, 1);
	TT_IS(m->cpuid_count, 1);
	nti_machine_free(m);
	unlink(path_of("in.json"));
}

TEST(a_sandbox_that_denies_perf_is_kept)
{
	struct nti_machine *m;
	struct nti_error e = { 0 };

	write_text(
		path_of("in.json"),
		"{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"t\",\"arch\":\"x86_64\","
		"\"denied_perf\":\"ENOSYS\",\"files\":{\"/sys/{{odd}}\":\"\"}}");
	record(path_of("in.json"), path_of("one.json"));
	TT_IS(nti_machine_load(path_of("one.json"), &m, &e), 0);
	TT_IS(m->denied_perf, -ENOSYS);
	nti_machine_free(m);
	unlink(path_of("in.json"));
}

struct taken {
	size_t calls;
	int ret;
};

static int take(void *arg, const void *bytes, size_t n)
{
	struct taken *taken = arg;

	assert_non_null(bytes);
	assert_true(n > 0);
	taken->calls++;
	return taken->ret;
}

/* Who takes the text may refuse it, and has his own word for that. */
TEST(what_is_not_taken_ends_it)
{
	struct taken taken = { .ret = -ENOSPC };
	struct nti_error e = { 0 };
	struct nti_os *os = os_of_file("count/tests/machine/amd-zen2.json");

	TT_IS(nti_machine_record(os, NULL, take, &taken, &e), -ENOSPC);
	TT_IS(taken.calls, 1);
	TT_TEXT(e.text, "");
	os->ops->free(os);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path_of("one.json"));
	unlink(path_of("two.json"));
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recordings_repeat),
		cmocka_unit_test(recordings_hold_all_of_the_machine),
		cmocka_unit_test(secrets_stay_at_home),
		cmocka_unit_test(a_sandbox_that_denies_perf_is_kept),
		cmocka_unit_test(what_is_not_taken_ends_it),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) ? 1 : 0;
}
