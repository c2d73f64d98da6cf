// SPDX-License-Identifier: MIT
/*
 * The machine files themselves: they load and hold what the documents say. Facts are typed in here
 * a second time, from the same documents, so that an accident in a file does not go unseen.
 */
#include <errno.h>
#include <fnmatch.h>
#include <hwloc.h>
#include <linux/perf_event.h>

#include "base/common/text.h"
#include "count/tests/machine/recorded.h"

#define SKX "intel-skx-2s"
#define ZEN "amd-zen2"
#define ARM "arm64-neoverse-n1"
#define ADL "hybrid-adl"
#define KVM "vm-kvm"
#define RES "restricted"

static struct nti_os *os_of(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "count/tests/machine/%s.json", name);
	return os_of_file(path);
}

static const struct pmu_row {
	int line;
	const char *machine;
	const char *pmu;      /* glob */
	unsigned int count;   /* PMUs of that name */
	const char *cpus;     /* of its cpumask or cpus file, NULL: none */
	unsigned int formats; /* entries of its format directory */
	unsigned int events;  /* names without .unit, .scale */
} pmu_rows[] = {
	{ __LINE__, SKX, "cpu", 1, NULL, 12, 27 },
	{ __LINE__, SKX, "uncore_imc_?", 6, "0,28", 5, 3 },
	{ __LINE__, SKX, "uncore_cha_*", 28, "0,28", 17, 0 },
	{ __LINE__, SKX, "uncore_m2m_?", 2, "0,28", 5, 0 },
	{ __LINE__, SKX, "uncore_upi_?", 3, "0,28", 5, 0 },
	{ __LINE__, SKX, "uncore_m3upi_?", 3, "0,28", 5, 0 },
	{ __LINE__, SKX, "uncore_m2pcie_?", 4, "0,28", 5, 0 },
	{ __LINE__, SKX, "uncore_iio_?", 6, "0,28", 7, 0 },
	{ __LINE__, SKX, "uncore_iio_free_running_?", 6, "0,28", 2, 17 },
	{ __LINE__, SKX, "uncore_irp_?", 6, "0,28", 5, 0 },
	{ __LINE__, SKX, "uncore_pcu", 1, "0,28", 11, 0 },
	{ __LINE__, SKX, "uncore_ubox", 1, "0,28", 5, 0 },
	{ __LINE__, SKX, "power", 1, "0,28", 1, 2 },
	{ __LINE__, SKX, "cstate_core", 1, "0-55", 1, 3 },
	{ __LINE__, SKX, "cstate_pkg", 1, "0,28", 1, 4 },
	{ __LINE__, SKX, "msr", 1, NULL, 1, 6 },
	{ __LINE__, SKX, "intel_pt", 1, NULL, 14, 0 },
	{ __LINE__, ZEN, "cpu", 1, NULL, 5, 8 },
	{ __LINE__, ZEN, "amd_df", 1, "0", 2, 0 },
	{ __LINE__, ZEN, "amd_l3", 1, "0,2,4,6,8,10,12,14", 4, 0 },
	{ __LINE__, ZEN, "ibs_fetch", 1, NULL, 1, 0 },
	{ __LINE__, ZEN, "ibs_op", 1, NULL, 1, 0 },
	{ __LINE__, ZEN, "power", 1, "0", 1, 1 },
	{ __LINE__, ZEN, "msr", 1, NULL, 1, 4 },
	{ __LINE__, ARM, "armv8_pmuv3_0", 1, "0-79", 3, 44 },
	{ __LINE__, ARM, "arm_cmn_0", 1, "0", 12, 173 },
	{ __LINE__, ARM, "arm_spe_0", 1, "0-79", 9, 0 },
	{ __LINE__, ARM, "arm_dsu_*", 40, NULL, 1, 8 },
	{ __LINE__, ADL, "cpu_core", 1, "0-15", 10, 20 },
	{ __LINE__, ADL, "cpu_atom", 1, "16-23", 9, 14 },
	{ __LINE__, ADL, "cpu", 0, NULL, 0, 0 },
	{ __LINE__, ADL, "uncore_cbox_?", 10, "0", 5, 0 },
	{ __LINE__, ADL, "uncore_imc_?", 2, "0", 3, 0 },
	{ __LINE__, ADL, "uncore_imc_free_running_?", 2, "0", 2, 3 },
	{ __LINE__, KVM, "cpu*", 0, NULL, 0, 0 },
	{ __LINE__, KVM, "software", 1, NULL, 0, 0 },
	{ __LINE__, KVM, "msr", 1, NULL, 1, 2 },
	{ __LINE__, RES, "cpu", 1, NULL, 10, 10 },
};

struct pmu_search {
	const struct pmu_row *row;
	struct nti_os *os;
	unsigned int count;
};

static int count_name(void *arg, const char *name)
{
	if (!strstr(name, ".unit") && !strstr(name, ".scale") && !strstr(name, ".snapshot"))
		++*(unsigned int *)arg;
	return 0;
}

static unsigned int count_names(struct nti_os *os, const char *pmu, const char *directory)
{
	char path[256];
	unsigned int n = 0;
	int ret;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu, directory);
	ret = os->ops->list(os, path, count_name, &n);
	if (ret != 0)
		assert_int_equal(ret, -ENOENT);
	return n;
}

static void check_cpus(struct nti_os *os, const struct pmu_row *r, const char *pmu)
{
	char path[256], text[256];
	int ret;

	if (!r->cpus)
		return;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpumask", pmu);
	ret = os->ops->text(os, path, text, sizeof(text));
	if (ret == -ENOENT) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpus", pmu);
		ret = os->ops->text(os, path, text, sizeof(text));
	}
	TT_EQ(r, ret > 0, 1);
	TT_STR(r, nti_text_trim(text), r->cpus);
}

static int check_pmu(void *arg, const char *name)
{
	struct pmu_search *s = arg;
	char path[256], text[64];
	uint64_t type;

	if (fnmatch(s->row->pmu, name, 0) != 0)
		return 0;
	s->count++;
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	TT_EQ(s->row, s->os->ops->text(s->os, path, text, sizeof(text)) > 0, 1);
	TT_EQ(s->row, nti_text_parse_u64(nti_text_trim(text), &type), 0);
	TT_EQ(s->row, count_names(s->os, name, "format"), s->row->formats);
	TT_EQ(s->row, count_names(s->os, name, "events"), s->row->events);
	check_cpus(s->os, s->row, name);
	return 0;
}

TEST(pmus_are_there)
{
	TT_FOR_EACH_ROW(r, pmu_rows) {
		struct nti_os *os = os_of(r->machine);
		struct pmu_search s = { .row = r, .os = os };

		TT_EQ(r, os->ops->list(os, "/sys/bus/event_source/devices", check_pmu, &s), 0);
		TT_EQ(r, s.count, r->count);
		os->ops->free(os);
	}
}

static const struct text_row {
	int line;
	const char *machine;
	const char *path; /* below /sys/bus/event_source/devices/ */
	const char *text;
} text_rows[] = {
	/* arch/x86/events/intel/core.c, Linux 6.1 */
	{ __LINE__, SKX, "cpu/events/cpu-cycles", "event=0x3c" },
	{ __LINE__, SKX, "cpu/events/cache-misses", "event=0x2e,umask=0x41" },
	{ __LINE__, SKX, "cpu/events/ref-cycles", "event=0x00,umask=0x03" },
	{ __LINE__, SKX, "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ __LINE__, SKX, "cpu/events/topdown-recovery-bubbles",
	  "event=0xd,umask=0x1,cmask=1,any=1" },
	{ __LINE__, SKX, "cpu/format/frontend", "config1:0-23" },
	{ __LINE__, SKX, "cpu/caps/pmu_name", "skylake" },
	/* arch/x86/events/intel/uncore_snbep.c */
	{ __LINE__, SKX, "uncore_imc_5/events/cas_count_write", "event=0x04,umask=0x0c" },
	{ __LINE__, SKX, "uncore_imc_5/events/cas_count_write.scale", "6.103515625e-5" },
	{ __LINE__, SKX, "uncore_cha_27/format/filter_opc1", "config1:51-60" },
	{ __LINE__, SKX, "uncore_upi_2/format/umask", "config:8-15,32-43,45-55" },
	{ __LINE__, SKX, "uncore_iio_0/format/fc_mask", "config:44-46" },
	{ __LINE__, SKX, "uncore_iio_free_running_3/events/bw_out_port2", "event=0xff,umask=0x26" },
	{ __LINE__, SKX, "uncore_pcu/format/filter_band3", "config1:24-31" },
	{ __LINE__, SKX, "power/events/energy-ram.scale", "2.3283064365386962890625e-10" },
	/* arch/x86/events/amd */
	{ __LINE__, ZEN, "cpu/format/event", "config:0-7,32-35" },
	{ __LINE__, ZEN, "cpu/events/cpu-cycles", "event=0x76" },
	{ __LINE__, ZEN, "cpu/events/stalled-cycles-frontend", "event=0x87,umask=0x02" },
	{ __LINE__, ZEN, "amd_df/format/event", "config:0-7,32-35,59-60" },
	{ __LINE__, ZEN, "amd_l3/format/threadmask", "config:56-63" },
	{ __LINE__, ZEN, "amd_l3/format/slicemask", "config:48-51" },
	{ __LINE__, ZEN, "ibs_op/format/cnt_ctl", "config:19" },
	{ __LINE__, ZEN, "power/events/energy-pkg", "event=0x02" },
	/* arch/arm64/kernel/perf_event.c, drivers/perf */
	{ __LINE__, ARM, "armv8_pmuv3_0/events/cpu_cycles", "event=0x0011" },
	{ __LINE__, ARM, "armv8_pmuv3_0/events/ll_cache_miss_rd", "event=0x0037" },
	{ __LINE__, ARM, "armv8_pmuv3_0/format/rdpmc", "config1:1" },
	{ __LINE__, ARM, "arm_cmn_0/events/hnf_cache_miss", "type=0x5,eventid=0x1" },
	{ __LINE__, ARM, "arm_cmn_0/events/mxp_s_dat_txflit_stall", "type=0x6,eventid=0x6e" },
	{ __LINE__, ARM, "arm_cmn_0/events/rnid_rdb_ord", "type=0xa,eventid=0x14" },
	{ __LINE__, ARM, "arm_cmn_0/format/wp_val", "config1:0-63" },
	{ __LINE__, ARM, "arm_dsu_39/associated_cpus", "78-79" },
	{ __LINE__, ARM, "arm_dsu_0/events/l3d_cache_refill", "event=0x2a" },
	{ __LINE__, ARM, "arm_spe_0/format/min_latency", "config2:0-11" },
	/* hybrid */
	{ __LINE__, ADL, "cpu_core/events/topdown-mem-bound", "event=0x00,umask=0x87" },
	{ __LINE__, ADL, "cpu_atom/events/topdown-bad-spec", "event=0x73,umask=0x0" },
	{ __LINE__, ADL, "cpu_atom/events/mem-stores", "event=0xd0,umask=0x6" },
	{ __LINE__, ADL, "uncore_imc_1/format/chmask", "config:8-11" },
};

TEST(descriptions_are_right)
{
	TT_FOR_EACH_ROW(r, text_rows) {
		struct nti_os *os = os_of(r->machine);
		char path[256], text[256];

		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", r->path);
		TT_EQ(r, os->ops->text(os, path, text, sizeof(text)) > 0, 1);
		TT_STR(r, nti_text_trim(text), r->text);
		os->ops->free(os);
	}
}

static const struct cpuid_row {
	int line;
	const char *machine;
	uint32_t leaf, subleaf;
	int reg;
	uint32_t shift, width, value;
} cpuid_rows[] = {
	/* family and model of CPUID.01H:EAX: base + (extended << 4); the whole word is compared */
	{ __LINE__, SKX, 1, 0, 0, 0, 32, 0x50654 },
	{ __LINE__, ZEN, 1, 0, 0, 0, 32, 0x830f10 },
	{ __LINE__, ADL, 1, 0, 0, 0, 32, 0x90672 },
	{ __LINE__, RES, 1, 0, 0, 0, 32, 0x506e3 },
	/* CPUID.0AH: version, general counters, their width, fixed counters */
	{ __LINE__, SKX, 0xa, 0, 0, 0, 8, 4 },
	{ __LINE__, SKX, 0xa, 0, 0, 8, 8, 4 },
	{ __LINE__, SKX, 0xa, 0, 0, 16, 8, 48 },
	{ __LINE__, SKX, 0xa, 0, 3, 0, 5, 3 },
	{ __LINE__, SKX, 0xa, 0, 3, 5, 8, 48 },
	{ __LINE__, ADL, 0xa, 0, 0, 0, 8, 5 },
	{ __LINE__, ADL, 0xa, 0, 0, 8, 8, 6 },
	{ __LINE__, ZEN, 0xa, 0, 0, 0, 32, 0 },
	{ __LINE__, KVM, 0xa, 0, 0, 0, 32, 0 },
	/* CPUID.0BH subleaf 1: logical processors of a package */
	{ __LINE__, SKX, 0xb, 1, 1, 0, 16, 56 },
	{ __LINE__, ZEN, 0xb, 1, 1, 0, 16, 32 },
	/* caches: CPUID.04H subleaf 3, sets - 1 of 38.5 MiB in 11 ways of 64 bytes */
	{ __LINE__, SKX, 4, 3, 2, 0, 32, 57343 },
	/* AMD: 8000_0001H:ECX bits 23, 24, 28: counters of the core, the data fabric, the L3 */
	{ __LINE__, ZEN, 0x80000001, 0, 2, 23, 2, 3 },
	{ __LINE__, ZEN, 0x80000001, 0, 2, 28, 1, 1 },
	/* hypervisor bit and hybrid bit */
	{ __LINE__, KVM, 1, 0, 2, 31, 1, 1 },
	{ __LINE__, SKX, 1, 0, 2, 31, 1, 0 },
	{ __LINE__, ADL, 7, 0, 3, 15, 1, 1 },
	{ __LINE__, SKX, 7, 0, 3, 15, 1, 0 },
};

TEST(cpuid_is_that_of_the_processor)
{
	TT_FOR_EACH_ROW(r, cpuid_rows) {
		struct nti_os *os = os_of(r->machine);
		uint32_t v[4];

		TT_EQ(r, os->ops->cpuid(os, r->leaf, r->subleaf, v), 0);
		TT_EQ(r,
		      v[r->reg] >> r->shift & (r->width == 32 ? UINT32_MAX : (1u << r->width) - 1),
		      r->value);
		os->ops->free(os);
	}
}

static const struct topology_row {
	int line;
	const char *machine;
	int packages, cores, cpus;
	unsigned int
		second; /* number of the second thread of the first core, or of the second core */
} topology_rows[] = {
	{ __LINE__, SKX, 2, 56, 112, 56 }, { __LINE__, ZEN, 1, 16, 32, 16 },
	{ __LINE__, ARM, 1, 80, 80, 1 },   { __LINE__, ADL, 1, 16, 24, 1 },
	{ __LINE__, KVM, 1, 2, 2, 1 },	   { __LINE__, RES, 1, 4, 8, 4 },
};

TEST(topologies_are_read_by_hwloc)
{
	TT_FOR_EACH_ROW(r, topology_rows) {
		struct nti_os *os = os_of(r->machine);
		const char *xml, *synthetic;
		hwloc_topology_t t;

		TT_EQ(r, nti_machine_topology(os, &xml, &synthetic), 0);
		hwloc_topology_init(&t);
		if (xml)
			TT_EQ(r, hwloc_topology_set_xmlbuffer(t, xml, (int)strlen(xml) + 1), 0);
		else
			TT_EQ(r, hwloc_topology_set_synthetic(t, synthetic), 0);
		TT_EQ(r, hwloc_topology_load(t), 0);
		TT_EQ(r, hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE), r->packages);
		TT_EQ(r, hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE), r->cores);
		TT_EQ(r, hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PU), r->cpus);
		TT_EQ(r, hwloc_get_obj_by_type(t, HWLOC_OBJ_PU, 1)->os_index, r->second);
		hwloc_topology_destroy(t);
		os->ops->free(os);
	}
}

static const struct open_row {
	int line;
	const char *machine;
	uint32_t type;
	uint64_t config;
	int pid, cpu, ret;
	uint64_t per_10ms; /* count after one step of the clock */
} open_rows[] = {
	{ __LINE__, SKX, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, 0, 32400000 },
	{ __LINE__, SKX, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0, -1, -ENOENT,
	  0 },
	{ __LINE__, SKX, 13, 0x304, -1, 28, 0, 480000 },
	{ __LINE__, SKX, 10, 3, -1, 0, 0, 1030792151 },
	{ __LINE__, SKX, 10, 1, -1, 0, -EINVAL, 0 },
	{ __LINE__, ZEN, PERF_TYPE_RAW, 0x76, 0, -1, 0, 35200000 },
	{ __LINE__, ZEN, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0, -1, -ENOENT, 0 },
	{ __LINE__, ARM, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, -1, 0, 46200000 },
	{ __LINE__, ARM, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0, -1, -ENOENT, 0 },
	{ __LINE__, ARM, 11, 0x11, -1, 0, 0, 11000 },
	{ __LINE__, ARM, 11, 0x11, 0, -1, -EINVAL, 0 },
	{ __LINE__, ARM, 9, 0, 0, -1, 0, 11000 },
	{ __LINE__, ADL, 4, 0x3c, -1, 3, 0, 49000000 },
	{ __LINE__, ADL, 4, 0x3c, -1, 16, -ENOENT, 0 },
	{ __LINE__, ADL, 8, 0x3c, -1, 16, 0, 37000000 },
	{ __LINE__, ADL, PERF_TYPE_HARDWARE, 8ull << 32, -1, 17, 0, 27000000 },
	{ __LINE__, KVM, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -ENOENT, 0 },
	{ __LINE__, KVM, PERF_TYPE_RAW, 0x3c, 0, -1, -ENOENT, 0 },
	{ __LINE__, RES, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, -EACCES, 0 },
	{ __LINE__, RES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, -1, -EACCES, 0 },
};

TEST(events_open_and_count)
{
	TT_FOR_EACH_ROW(r, open_rows) {
		struct nti_os *os = os_of(r->machine);
		struct perf_event_attr attr = { .type = r->type,
						.size = sizeof(attr),
						.config = r->config };
		int fd = os->ops->perf_open(os, &attr, r->pid, r->cpu, -1, 0);
		uint64_t count;

		TT_EQ(r, fd < 0 ? fd : 0, r->ret);
		if (fd >= 0) {
			(void)os->ops->now_ns(os);
			TT_EQ(r, os->ops->read(os, fd, &count, sizeof(count)), 8);
			TT_EQ(r, count, r->per_10ms);
		}
		os->ops->free(os);
	}
}

static int expect_names(void *arg, const char *name)
{
	strcat(arg, name);
	strcat(arg, " ");
	return 0;
}

TEST(the_restricted_user_sees_no_tracepoints)
{
	struct nti_os *os = os_of(RES);
	char seen[256] = "";

	TT_IS(os->ops->is_privileged(os, true), 0);
	TT_IS(os->ops->access(os, "/sys/kernel/tracing/events", R_OK), -EACCES);
	os->ops->free(os);
	os = os_of(SKX);
	TT_IS(os->ops->list(os, "/sys/kernel/tracing/events", expect_names, seen), 0);
	TT_TEXT(seen, "exceptions irq raw_syscalls sched ");
	os->ops->free(os);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pmus_are_there),
		cmocka_unit_test(descriptions_are_right),
		cmocka_unit_test(cpuid_is_that_of_the_processor),
		cmocka_unit_test(topologies_are_read_by_hwloc),
		cmocka_unit_test(events_open_and_count),
		cmocka_unit_test(the_restricted_user_sees_no_tracepoints),
	};

	return TT_RUN(tests);
}
