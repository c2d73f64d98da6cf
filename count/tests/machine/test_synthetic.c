// SPDX-License-Identifier: MIT
/*
 * Synthetic topologies as they are read without hwloc: each CPU has the place that hwloc gives it.
 * The judge is hwloc, which reads the same words and is asked through its XML.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "count/lib/machine/topology.h"
#include "base/os/replay/replay.h"
#include "base/tests/tt.h"

#define HEAD                                                                                       \
	"{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"test\",\"arch\":\"x86_64\","     \
	"\"topology\":{\"%s\":\"%s\"}}"

static const struct synthetic_row {
	int line;
	const char *text;
	int ret;
} synthetic_rows[] = {
	/* those of the recordings */
	{ __LINE__, "package:2 [numa] core:28 pu:2(indexes=2*56:56*1)", 0 },
	{ __LINE__, "package:1 [numa] core:80 pu:1", 0 },
	{ __LINE__, "package:1 [numa] l3:8 core:2 pu:2(indexes=2*16:16*1)", 0 },
	{ __LINE__, "pu:1", 0 },
	{ __LINE__, "pu:7", 0 },
	{ __LINE__, "Package:2 Die:2 [NUMANode] L3:2 L2:1 Core:2 PU:2", 0 },
	{ __LINE__, "package:4 core:2 pu:2", 0 },
	{ __LINE__, "[numa] package:2 core:4 pu:1", 0 },
	{ __LINE__, "package:2 l3cache:2 [numa] core:3 pu:4(indexes=4*12:12*1)", 0 },
	{ __LINE__, "core:4 pu:2(indexes=2*4:4*1)", 0 },
	{ __LINE__, "package:2 core:2 pu:2(indexes=2*2:4*2:1*2)", 0 },
	{ __LINE__, "package:2 core:2 pu:2(indexes=4*2:2*2:1*2)", 0 },
	{ __LINE__, "package:2 core:2 pu:2(indexes=1*4:4*2)", 0 },
	/* hwloc numbers what lies lower first; not every order is written down here */
	{ __LINE__, "package:2 core:2 pu:2(indexes=4*2:2*1)", -ENOTSUP },
	{ __LINE__, "package:2 core:2 pu:2(indexes=2*2:2*4:2*1)", -ENOTSUP },
	{ __LINE__, "package:2 core:2 pu:2(indexes=7,6,5,4,3,2,1,0)", -ENOTSUP },
	{ __LINE__, "package:2 core:2 pu:2(indexes=core:package)", -ENOTSUP },
	{ __LINE__, "package:2 core:2 pu:2(indexes=2*2:2*1)", -ENOTSUP },
	{ __LINE__, "package:2 core:2 pu:2(indexes=2*8:2*2:2*1)", -ENOTSUP },
	{ __LINE__, "package:2 core:2 pu:2(indexes=2*2:2*2:2*1)", -ENOTSUP },
	{ __LINE__, "numa:2 core:2 pu:2", -ENOTSUP },
	{ __LINE__, "package:2 [numa] l3:2 [numa] core:2 pu:2", -ENOTSUP },
	{ __LINE__, "package:2 [numa(memory=4GB)] core:2 pu:2", -ENOTSUP },
	{ __LINE__, "package:2 group:2 core:2 pu:2", -ENOTSUP },
	{ __LINE__, "core:2 package:2 pu:2", -ENOTSUP },
	{ __LINE__, "core:2 core:2 pu:2", -ENOTSUP },
	{ __LINE__, "package:2 core:2", -ENOTSUP },
	{ __LINE__, "package:65536 core:65536 pu:2", -ENOTSUP },
	{ __LINE__, "package:0 pu:2", -ENOTSUP },
	{ __LINE__, "package:-1 pu:2", -ENOTSUP },
	{ __LINE__, "2 4 2", -ENOTSUP },
	{ __LINE__, "", -ENOTSUP },
	{ __LINE__, "pu:2(indexes=", -ENOTSUP },
	{ __LINE__, "pu:2 core", -ENOTSUP },
};

/* A recording that has @topology in its key @key. */
static struct nti_os *machine_of(const char *key, const char *topology)
{
	struct nti_error e = { 0 };
	struct nti_machine *m;
	struct nti_os *os;
	char *text;

	assert_true(asprintf(&text, HEAD, key, topology) > 0);
	assert_int_equal(nti_machine_load_text("m", text, strlen(text), &m, &e), 0);
	assert_int_equal(nti_os_replay_new(m, &os), 0);
	free(text);
	return os;
}

/* As a part of JSON. */
static char *escaped(const char *xml)
{
	char *out = calloc(2, strlen(xml) + 1), *to = out;

	assert_non_null(out);
	for (; *xml; xml++) {
		if (*xml == '\n' || *xml == '"' || *xml == '\\')
			*to++ = '\\';
		*to++ = *xml;
		if (*xml == '\n')
			to[-1] = 'n';
	}
	return out;
}

static struct nti_topology *topology_of_hwloc(const char *synthetic)
{
	struct nti_os *os = machine_of("synthetic", synthetic);
	struct nti_error e = { 0 };
	struct nti_topology *t;
	char *xml, *text;

	assert_int_equal(nti_topology_xml(os, &xml, &e), 0);
	os->ops->free(os);
	text = escaped(xml);
	os = machine_of("xml", text);
	assert_int_equal(nti_topology_new(os, &t, &e), 0);
	os->ops->free(os);
	free(text);
	free(xml);
	return t;
}

static void check_same(int line, const struct nti_topology *t, const struct nti_topology *judge)
{
	const struct {
		int line;
	} row = { line }, *r = &row;
	uint32_t i;

	TT_EQ(r, t->total.cpus, judge->total.cpus);
	TT_EQ(r, t->total.online_cpus, judge->total.online_cpus);
	TT_EQ(r, t->total.cores, judge->total.cores);
	TT_EQ(r, t->total.packages, judge->total.packages);
	TT_EQ(r, t->total.nodes, judge->total.nodes);
	for (i = 0; i < t->total.cpus; i++) {
		TT_EQ(r, t->cpu[i].cpu, judge->cpu[i].cpu);
		TT_EQ(r, t->cpu[i].is_online, judge->cpu[i].is_online);
		TT_EQ(r, t->cpu[i].core, judge->cpu[i].core);
		TT_EQ(r, t->cpu[i].package, judge->cpu[i].package);
		TT_EQ(r, t->cpu[i].node, judge->cpu[i].node);
		TT_EQ(r, t->cpu[i].l3, judge->cpu[i].l3);
		TT_EQ(r, t->cpu[i].die, judge->cpu[i].die);
	}
}

TEST(as_hwloc_reads_them)
{
	TT_FOR_EACH_ROW(r, synthetic_rows) {
		struct nti_topology *t = calloc(1, sizeof(*t)), *judge;

		assert_non_null(t);
		TT_EQ(r, nti_topology_from_synthetic(r->text, t), r->ret);
		if (r->ret == 0) {
			judge = topology_of_hwloc(r->text);
			check_same(r->line, t, judge);
			nti_topology_free(judge);
		}
		nti_topology_free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_hwloc_reads_them),
	};

	return TT_RUN(tests);
}
