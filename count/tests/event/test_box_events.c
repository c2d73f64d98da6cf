// SPDX-License-Identifier: MIT
/*
 * count/data/events: agrees with the kinds of boxes and with vendors' documents, and names resolve
 * where only registers reach a unit.
 */
#include <errno.h>
#include <math.h>

#include "base/common/compiler.h"
#include "count/lib/event/box_events.h"
#include "count/lib/event/format.h"
#include "count/tests/event/names.h"
#include "base/tests/tt.h"

static const struct nthw_box_kind *kind_of(const char *name)
{
	size_t i;

	for (i = 0; i < nthw_box_kind_count; i++)
		if (strcmp(nthw_box_kinds[i]->name, name) == 0)
			return nthw_box_kinds[i];
	fail_msg("there is no kind of box %s", name);
	return NULL;
}

/* ---- both sides agree ---- */

static void check_free(const struct nti_box_family *family, const struct nthw_box_kind *kind)
{
	uint32_t i;

	for (i = 0; i < kind->frees; i++) {
		const struct nthw_box_free *counter = &kind->free[i];
		const struct nti_box_event *event = nti_box_event_find(family, counter->name);

		if (!event)
			fail_msg("count/data/events lacks %s of %s", counter->name, kind->name);
		if (event->config != counter->config || event->is_state != counter->is_state)
			fail_msg("%s of %s is another one in count/data/events", counter->name,
				 kind->name);
		/* What is not in Joules or a state counts by ones. */
		if ((event->scale == 0) != (kind->energy_unit != NULL))
			fail_msg("%s of %s has the wrong scale", counter->name, kind->name);
	}
	TT_IS(family->events, kind->frees);
}

/* All bits of a term are bits of an event. */
static void check_term(const struct nti_box_term *term, const struct nthw_box_kind *kind)
{
	struct nthw_box_event encoded;
	unsigned int width;
	__u64 word = 0;

	if (strncmp(term->format, "config:", 7) != 0)
		return;
	TT_IS(nti_format_scatter(term->format + 7, 0, &word, &width), 0);
	TT_IS(nti_format_scatter(term->format + 7, UINT64_MAX >> (64 - width), &word, &width), 0);
	if (nthw_box_encode(kind, word, 0, &encoded) < 0)
		fail_msg("term %s of %s has bits that are none of an event", term->name,
			 kind->name);
}

/* Some counter can count each event, and the bits of each term are those of an event. */
static void check_programmed(const struct nti_box_family *family, const struct nthw_box_kind *kind)
{
	size_t i;

	for (i = 0; i < family->events; i++) {
		struct nthw_box_event encoded;

		if (nthw_box_encode(kind, family->event[i].config, 0, &encoded) < 0 ||
		    !nthw_box_counters(kind, &encoded))
			fail_msg("no counter of %s counts %s", kind->name, family->event[i].name);
		if (family->event[i].is_state)
			fail_msg("%s of %s is no state", family->event[i].name, kind->name);
	}
	for (i = 0; i < family->terms; i++)
		check_term(&family->term[i], kind);
}

TEST(kinds_have_their_text)
{
	size_t i;

	for (i = 0; i < nthw_box_kind_count; i++) {
		const struct nthw_box_kind *kind = nthw_box_kinds[i];
		const struct nti_box_family *family = nti_box_family_find(kind);

		if (!family)
			fail_msg("count/data/events has nothing of the kind %s", kind->name);
		TT_TEXT(family->unit, kind->unit);
		if (kind->frees)
			check_free(family, kind);
		else
			check_programmed(family, kind);
	}
	/* and of no other */
	for (i = 0; i < nti_box_family_count; i++)
		(void)kind_of(nti_box_families[i].kind);
	TT_IS(nti_box_family_count, nthw_box_kind_count);
	assert_null(nti_box_family_find(NULL));
}

/*
 * Typed in from vendors' documents, not from count/data/events. SDM: Intel SDM vol. 3B, uncore
 * events of the Xeon 5500 (Nehalem); 327043: Intel Xeon E5-2600 uncore guide; 336274: Intel Xeon
 * Scalable uncore reference; PPR: AMD's of family 17h, L3 PMC and data fabric; enums: of Linux 6.1.
 */
static const struct golden_row {
	int line;
	const char *kind, *event;
	uint64_t config;
	const char *source;
} golden_rows[] = {
	{ __LINE__, "nhm_uncore", "qmc_normal_reads", 0x072c, "SDM: 2CH 07H" },
	{ __LINE__, "nhm_uncore", "qmc_writes_full", 0x072f, "SDM: 2FH 07H" },
	{ __LINE__, "nhm_uncore", "qhl_request_remote_reads", 0x0420, "SDM: 20H 04H" },
	{ __LINE__, "snbep_imc", "cas_count_read", 0x0304, "327043: CAS_COUNT 04H, RD 00000011b" },
	{ __LINE__, "snbep_imc", "cas_count_write", 0x0c04, "327043: CAS_COUNT 04H, WR 00001100b" },
	{ __LINE__, "skx_imc", "cas_count_read", 0x0304, "336274: CAS_COUNT 04H, RD 00000011b" },
	{ __LINE__, "skx_imc", "cas_count_write", 0x0c04, "336274: CAS_COUNT 04H, WR 00001100b" },
	{ __LINE__, "skx_imc", "clockticks", 0, "336274: CLOCKTICKS 00H" },
	{ __LINE__, "skx_cha", "clockticks", 0, "336274: CLOCKTICKS 00H" },
	{ __LINE__, "skx_m2m", "imc_reads", 0x0437, "336274: IMC_READS 37H, ALL 00000100b" },
	{ __LINE__, "skx_m2m", "imc_writes", 0x1038, "336274: IMC_WRITES 38H, ALL 00010000b" },
	{ __LINE__, "skx_upi", "clockticks", 0x01, "336274: CLOCKTICKS 01H" },
	{ __LINE__, "skx_upi", "txl_flits_all_data", 0x0f02, "336274: TxL_FLITS 02H, ALL_DATA" },
	{ __LINE__, "amd_l3_f17h", "l3_lookup_miss", 0x0104, "PPR: L3PMCx04, bit 0" },
	{ __LINE__, "amd_l3_f19h", "l3_lookup_all", 0xff04, "PPR: L3PMCx04" },
	{ __LINE__, "amd_df", "dram_channel_data_controller_0", 0x3807, "PPR: DF event 07H" },
	/* a code of nine bits and more continues at bit 32 */
	{ __LINE__, "amd_df", "dram_channel_data_controller_4", 0x100003807ull, "DF event 107H" },
	{ __LINE__, "amd_df", "remote_outbound_data_controller_1", 0x800000207ull,
	  "PPR: DF event 807H" },
	{ __LINE__, "power", "energy-pkg", 2, "enum perf_rapl_events and one" },
	{ __LINE__, "power", "energy-psys", 5, "enum perf_rapl_events and one" },
	{ __LINE__, "amd_power", "energy-pkg", 2, "enum perf_rapl_events and one" },
	{ __LINE__, "msr", "mperf", 2, "enum perf_msr_id" },
	{ __LINE__, "cstate_core", "c6-residency", 2, "enum perf_cstate_core_events" },
	{ __LINE__, "cstate_pkg", "c10-residency", 6, "enum perf_cstate_pkg_events" },
};

/* Older than the rule that each event of count/data/events has a row above. */
static const char *const without_row[] = { "amd_df/dram_channel_data_controller_1",
					   "amd_df/dram_channel_data_controller_2",
					   "amd_df/dram_channel_data_controller_3",
					   "amd_df/dram_channel_data_controller_5",
					   "amd_df/dram_channel_data_controller_6",
					   "amd_df/dram_channel_data_controller_7",
					   "amd_df/remote_outbound_data_controller_0",
					   "amd_df/remote_outbound_data_controller_2",
					   "amd_df/remote_outbound_data_controller_3",
					   "amd_l3_f17h/l3_lookup_all",
					   "amd_l3_f19h/l3_lookup_miss",
					   "nhm_uncore/clockticks",
					   "nhm_uncore/qmc_writes_full_any",
					   "nhm_uncore/qmc_normal_reads_any",
					   "nhm_uncore/qhl_request_ioh_reads",
					   "nhm_uncore/qhl_request_ioh_writes",
					   "nhm_uncore/qhl_request_remote_writes",
					   "nhm_uncore/qhl_request_local_reads",
					   "nhm_uncore/qhl_request_local_writes",
					   "skx_imc/clockticks_fixed",
					   "skx_m2m/clockticks",
					   "skx_upi/rxl_flits_all_data",
					   "snbep_imc/clockticks" };

static void check_row(const struct nti_box_family *family, const char *event)
{
	char name[128];
	size_t i;

	for (i = 0; i < NTHW_ARRAY_SIZE(golden_rows); i++)
		if (strcmp(golden_rows[i].kind, family->kind) == 0 &&
		    strcmp(golden_rows[i].event, event) == 0)
			return;
	(void)snprintf(name, sizeof(name), "%s/%s", family->kind, event);
	for (i = 0; i < NTHW_ARRAY_SIZE(without_row); i++)
		if (strcmp(without_row[i], name) == 0)
			return;
	fail_msg("golden_rows has no row for %s of count/data/events", name);
}

TEST(against_documents)
{
	size_t i, k;

	TT_FOR_EACH_ROW(r, golden_rows) {
		const struct nti_box_family *family = nti_box_family_find(kind_of(r->kind));
		const struct nti_box_event *event = nti_box_event_find(family, r->event);

		TT_EQ(r, event != NULL && r->source != NULL, 1);
		TT_EQ(r, event->config, r->config);
		TT_EQ(r, nti_box_event_by_config(family, r->config) == event, 1);
	}
	/* Counters that always run are compared with core/seq above. */
	for (i = 0; i < nti_box_family_count; i++)
		for (k = 0;
		     !kind_of(nti_box_families[i].kind)->frees && k < nti_box_families[i].events;
		     k++)
			check_row(&nti_box_families[i], nti_box_families[i].event[k].name);
}

/* ---- names, where the kernel shows nothing but itself ---- */

#define DEV "/sys/bus/event_source/devices/"
#define VENDOR_INTEL 0x756e6547u, 0x6c65746eu, 0x49656e69u
#define VENDOR_AMD 0x68747541u, 0x444d4163u, 0x69746e65u

static const struct fake_file plain_files[] = {
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ DEV "software/type", "1\n" },
	{ NULL },
};

/* The kernel has the units of energy and uncore; sysfs says what it can. */
static const struct fake_file kernel_files[] = {
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ DEV "software/type", "1\n" },
	{ DEV "power/type", "9\n" },
	{ DEV "power/format/event", "config:0-7\n" },
	{ DEV "power/events/energy-pkg", "event=0x02\n" },
	{ DEV "power/events/energy-pkg.unit", "Joules\n" },
	{ DEV "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ DEV "power/events/energy-ram", "event=0x03\n" },
	{ DEV "power/events/energy-ram.scale", "2.3283064365386962890625e-10\n" },
	{ DEV "uncore/type", "10\n" },
	{ DEV "uncore/format/event", "config:0-7\n" },
	{ DEV "uncore/format/umask", "config:8-15\n" },
	{ DEV "uncore/events/clockticks", "event=0xff,umask=0x00\n" },
	{ DEV "msr/type", "11\n" },
	{ DEV "msr/format/event", "config:0-63\n" },
	{ DEV "msr/events/cpu_thermal_margin", "event=0x07\n" },
	{ DEV "msr/events/cpu_thermal_margin.snapshot", "1\n" },
	{ DEV "msr/events/cpu_thermal_margin.unit", "C\n" },
	{ NULL },
};

#define INTEL_LEAVES(name, signature)                                                              \
	static const struct fake_leaf name[] = {                                                   \
		{ 0x0, { 0xb, VENDOR_INTEL } },                                                    \
		{ 0x1, { (signature), 0, 0, 0 } },                                                 \
	}

INTEL_LEAVES(nhm_leaves, 0x000106a5);	/* 06_1AH */
INTEL_LEAVES(wsm_leaves, 0x000206c2);	/* 06_2CH */
INTEL_LEAVES(snbep_leaves, 0x000206d7); /* 06_2DH */
INTEL_LEAVES(skx_leaves, 0x00050654);	/* 06_55H */
static const struct fake_leaf zen3_leaves[] = {
	{ 0x0, { 0x10, VENDOR_AMD } },
	{ 0x1, { 0x00a00f11, 0, 0, 0 } },
};

#define MACHINE(title, files)                                                                      \
	static const struct fake_machine title##_machine = { #title, "x86_64", title##_leaves,     \
							     NTI_ARRAY_SIZE(title##_leaves),       \
							     files }
MACHINE(nhm, plain_files);
MACHINE(wsm, plain_files);
MACHINE(snbep, plain_files);
MACHINE(skx, plain_files);
MACHINE(zen3, plain_files);
static const struct fake_machine kernel_machine = { "kernel", "x86_64", wsm_leaves,
						    NTI_ARRAY_SIZE(wsm_leaves), kernel_files };

#define UNITS_MAX 24

/* A machine whose units are those of the kernel and some that registers reach. */
struct rig {
	struct fake_os fake;
	struct nti_units loaded, all;
	struct nti_unit unit[UNITS_MAX], *pointer[UNITS_MAX];
	struct nti_unit_box box[UNITS_MAX];
	struct nti_names names;
};

static void rig_init(struct rig *rig, const struct fake_machine *machine)
{
	size_t i;

	memset(rig, 0, sizeof(*rig));
	fake_os_init(&rig->fake, machine);
	TT_IS(nti_units_load(&rig->fake.os, &rig->loaded, NULL), 0);
	for (i = 0; i < UNITS_MAX; i++)
		rig->pointer[i] = &rig->unit[i];
	for (i = 0; i < rig->loaded.count; i++)
		rig->unit[i] = *rig->loaded.unit[i];
	rig->all = rig->loaded;
	rig->all.unit = rig->pointer;
	rig->names = (struct nti_names){ .os = &rig->fake.os, .units = &rig->all };
}

static void rig_fini(struct rig *rig)
{
	nti_units_fini(&rig->loaded);
}

/* Unit @name of one box of @kind, which the kernel lacks. */
static struct nti_unit *rig_add(struct rig *rig, const char *name, const char *kind)
{
	size_t i = rig->all.count++;

	TT_IS(i < UNITS_MAX, 1);
	rig->box[i] = (struct nti_unit_box){ .kind = kind_of(kind) };
	rig->unit[i] = (struct nti_unit){
		.number = i,
		.name = (char *)name,
		.desc = (char *)"",
		.kind = NTI_UNIT_UNCORE,
		.method = NTI_METHOD_MSR,
		.type = UINT32_MAX,
		.counters = kind_of(kind)->frees ? 0 : 4,
		.fixed = kind_of(kind)->fixed_counter != NULL,
		.box = &rig->box[i],
		.boxes = 1,
	};
	return &rig->unit[i];
}

/* The kernel's unit @name is of @kind. */
static struct nti_unit *rig_attach(struct rig *rig, const char *name, const char *kind)
{
	struct nti_unit *unit = (struct nti_unit *)nti_units_find(&rig->all, name);

	assert_non_null(unit);
	rig->box[0] = (struct nti_unit_box){ .kind = kind_of(kind) };
	unit->box = &rig->box[0];
	unit->boxes = 1;
	return unit;
}

static void add_skx(struct rig *rig)
{
	rig_add(rig, "uncore_imc_0", "skx_imc");
	rig_add(rig, "uncore_imc_1", "skx_imc");
	rig_add(rig, "uncore_imc_5", "skx_imc");
	rig_add(rig, "uncore_cha_0", "skx_cha");
	rig_add(rig, "uncore_cha_3", "skx_cha");
	rig_add(rig, "uncore_m2m_0", "skx_m2m");
	rig_add(rig, "uncore_upi_0", "skx_upi");
	rig_add(rig, "uncore_upi_1", "skx_upi");
	rig_add(rig, "power", "power_hsx")->energy_scale = 0x1p-14;
	rig_add(rig, "msr", "msr");
	rig_add(rig, "cstate_core", "cstate_core");
	rig_add(rig, "thermal", "thermal");
	rig_add(rig, "thermal_pkg", "thermal_pkg");
}

static void add_westmere(struct rig *rig)
{
	rig_add(rig, "uncore", "nhm_uncore");
}

static void add_snbep(struct rig *rig)
{
	rig_add(rig, "uncore_imc_0", "snbep_imc");
	rig_add(rig, "uncore_imc_1", "snbep_imc");
}

static void add_zen3(struct rig *rig)
{
	rig_add(rig, "amd_l3", "amd_l3_f19h");
	rig_add(rig, "amd_df", "amd_df");
	rig_add(rig, "power", "amd_power")->energy_scale = 0x1p-16;
	rig_add(rig, "power_core", "amd_power_core")->energy_scale = 0x1p-16;
}

#define MIB 6.103515625e-5

static const struct name_row {
	int line;
	const struct fake_machine *machine;
	void (*add)(struct rig *rig);
	const char *text;
	size_t parts;
	const char *unit; /* of the last part */
	uint64_t config, config1;
	double scale;
	const char *unit_text;
} name_rows[] = {
	/* by perf's rules */
	{ __LINE__, &wsm_machine, add_westmere, "uncore/qmc_normal_reads/", 1, "uncore", 0x072c, 0,
	  MIB, "MiB" },
	{ __LINE__, &wsm_machine, add_westmere, "uncore/event=0x67,umask=1,edge/", 1, "uncore",
	  0x40167, 0, 1, "" },
	{ __LINE__, &wsm_machine, add_westmere, "uncore/qhl_request_ioh_reads,cmask=2/", 1,
	  "uncore", 0x02000120, 0, 1, "" },
	{ __LINE__, &wsm_machine, add_westmere, "uncore::clockticks", 1, "uncore", 0xff, 0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "uncore_imc/cas_count_read/", 3, "uncore_imc_5", 0x0304,
	  0, MIB, "MiB" },
	{ __LINE__, &skx_machine, add_skx, "imc_1/cas_count_write/", 1, "uncore_imc_1", 0x0c04, 0,
	  MIB, "MiB" },
	{ __LINE__, &skx_machine, add_skx,
	  "uncore_cha/event=0x34,umask=0x11,filter_state=0x3ff,filter_opc1=1/", 2, "uncore_cha_3",
	  0x1134, 0x3ffull << 17 | 1ull << 51, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "uncore_upi/event=2,umask=0x1000f/", 2, "uncore_upi_1",
	  0x0f02 | 1ull << 40, 0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "uncore_m2m/imc_reads/", 1, "uncore_m2m_0", 0x0437, 0,
	  MIB, "MiB" },
	{ __LINE__, &skx_machine, add_skx, "power/energy-pkg/", 1, "power", 2, 0, 0x1p-14,
	  "Joules" },
	/* memory has a step of its own on such servers */
	{ __LINE__, &skx_machine, add_skx, "power/energy-ram/", 1, "power", 3, 0, 0x1p-16,
	  "Joules" },
	{ __LINE__, &skx_machine, add_skx, "msr/aperf/", 1, "msr", 1, 0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "cstate_core/c6-residency/", 1, "cstate_core", 2, 0, 1,
	  "" },
	{ __LINE__, &skx_machine, add_skx, "thermal/headroom/", 1, "thermal", 12, 0, 1, "C" },
	{ __LINE__, &zen3_machine, add_zen3, "amd_l3/l3_lookup_miss/", 1, "amd_l3", 0x0104, 0, 1,
	  "" },
	{ __LINE__, &zen3_machine, add_zen3, "amd_l3/event=0x4,umask=0xff,sliceid=3,threadmask=1/",
	  1, "amd_l3", 0xff04 | 3ull << 48 | 1ull << 56, 0, 1, "" },
	{ __LINE__, &zen3_machine, add_zen3, "amd_df/dram_channel_data_controller_7/", 1, "amd_df",
	  0x1000038c7ull, 0, MIB, "MiB" },
	{ __LINE__, &zen3_machine, add_zen3, "power/energy-pkg/", 1, "power", 2, 0, 0x1p-16,
	  "Joules" },
	{ __LINE__, &zen3_machine, add_zen3, "power_core/energy-core/", 1, "power_core", 1, 0,
	  0x1p-16, "Joules" },
	/* libpfm4's names, by its names of PMUs and alone */
	{ __LINE__, &wsm_machine, add_westmere, "wsm_unc::UNC_DRAM_THERMAL_THROTTLED", 1, "uncore",
	  0x0167, 0, 1, "" },
	{ __LINE__, &wsm_machine, add_westmere, "wsm_unc::UNC_THERMAL_THROTTLING_PROCHOT:CORE_3", 1,
	  "uncore", 0x0883, 0, 1, "" },
	{ __LINE__, &wsm_machine, add_westmere, "uncore::UNC_THERMAL_THROTTLED_TEMP:CORE_1:e", 1,
	  "uncore", 0x40281, 0, 1, "" },
	{ __LINE__, &wsm_machine, add_westmere, "UNC_QMC_WRITES:FULL_ANY", 1, "uncore", 0x072f, 0,
	  1, "" },
	{ __LINE__, &wsm_machine, add_westmere, "wsm_unc::UNC_CLK_UNHALTED", 1, "uncore", 0xff, 0,
	  1, "" },
	{ __LINE__, &nhm_machine, add_westmere, "nhm_unc::UNC_QMC_NORMAL_READS:ANY", 1, "uncore",
	  0x072c, 0, 1, "" },
	{ __LINE__, &snbep_machine, add_snbep, "snbep_unc_imc1::UNC_M_CAS_COUNT:RD", 1,
	  "uncore_imc_1", 0x0304, 0, 1, "" },
	{ __LINE__, &snbep_machine, add_snbep, "snbep_unc_imc::UNC_M_CAS_COUNT:WR", 2,
	  "uncore_imc_1", 0x0c04, 0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "skx_unc_imc0::UNC_M_CAS_COUNT:RD", 1, "uncore_imc_0",
	  0x0304, 0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "skx_unc_cha3::UNC_C_HITME_LOOKUP:READ", 1,
	  "uncore_cha_3", 0x015e, 0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "skx_unc_upi::UNC_UPI_TXL_FLITS:ALL_DATA", 2,
	  "uncore_upi_1", 0x0f02, 0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "skx_unc_m2m0::UNC_M2_CLOCKTICKS", 1, "uncore_m2m_0", 0,
	  0, 1, "" },
	{ __LINE__, &skx_machine, add_skx, "rapl::RAPL_ENERGY_PKG", 1, "power", 2, 0, 0x1p-14,
	  "Joules" },
	{ __LINE__, &zen3_machine, add_zen3, "amd64_fam19h_zen3_l3::UNC_L3_REQUESTS:ALL", 1,
	  "amd_l3", 0xff04, 0, 1, "" },
};

TEST(names)
{
	TT_FOR_EACH_ROW(r, name_rows) {
		struct nti_error e = { 0 };
		struct nti_event event;
		struct rig rig;
		const struct nti_part *last;
		int ret;

		rig_init(&rig, r->machine);
		r->add(&rig);
		ret = nti_event_parse(&rig.names, r->text, &event, &e);
		if (ret < 0)
			print_error("%s: %s\n", r->text, e.text);
		TT_EQ(r, ret, 0);
		TT_STR(r, event.absent.reason ? event.absent.reason : "", "");
		TT_EQ(r, event.parts, r->parts);
		last = &event.part[event.parts - 1];
		TT_STR(r, last->unit->name, r->unit);
		TT_EQ(r, last->attr.config, r->config);
		TT_EQ(r, last->attr.config1, r->config1);
		TT_EQ(r, last->attr.type, UINT32_MAX);
		TT_EQ(r, event.scale == r->scale, 1);
		TT_STR(r, event.unit_text, r->unit_text);
		TT_EQ(r, event.desc[0] != '\0' || strchr(r->text, '=') != NULL, 1);
		nti_event_fini(&event);
		rig_fini(&rig);
	}
}

static const struct state_row {
	int line;
	const char *text;
	bool is_state;
	enum nti_together together;
} state_rows[] = {
	{ __LINE__, "thermal/hot/", true, NTI_MAX },
	{ __LINE__, "thermal/power-limit-log/", true, NTI_MAX },
	{ __LINE__, "thermal/headroom/", true, NTI_MIN },
	{ __LINE__, "thermal_pkg/limit/", true, NTI_MIN },
	/* by its code as well */
	{ __LINE__, "thermal/event=12/", true, NTI_MIN },
	{ __LINE__, "power/energy-pkg/", false, NTI_SUM },
	{ __LINE__, "uncore_imc/cas_count_read/", false, NTI_SUM },
	{ __LINE__, "cycles", false, NTI_SUM },
};

TEST(states)
{
	struct rig rig;

	rig_init(&rig, &skx_machine);
	add_skx(&rig);
	TT_FOR_EACH_ROW(r, state_rows) {
		struct nti_event event;

		TT_EQ(r, nti_event_parse(&rig.names, r->text, &event, NULL), 0);
		TT_EQ(r, event.is_state, r->is_state);
		TT_EQ(r, event.together, r->together);
		nti_event_fini(&event);
	}
	rig_fini(&rig);
}

static const struct error_row {
	int line;
	const char *text;
	int ret;
	const char *error;
} error_rows[] = {
	{ __LINE__, "uncore_imc_0/cas_count_raed/", -ENOENT,
	  "event 'uncore_imc_0/cas_count_raed/': uncore_imc_0 has no event or term "
	  "'cas_count_raed'; did you mean cas_count_read, cas_count_write?; its terms are "
	  "event, umask, edge, "
	  "inv, thresh" },
	{ __LINE__, "uncore_imc_0/umsk=3/", -EINVAL,
	  "event 'uncore_imc_0/umsk=3/': uncore_imc_0 has no term 'umsk'; did you mean umask?; "
	  "its terms are event, umask, edge, inv, thresh" },
	{ __LINE__, "uncore_imc_0/event=0x100/", -EINVAL,
	  "event 'uncore_imc_0/event=0x100/': event=0x100 does not fit into the 8 bits of this "
	  "term" },
	{ __LINE__, "thermal/hto/", -ENOENT,
	  "event 'thermal/hto/': thermal has no event or term 'hto'; did you mean hot?; its "
	  "terms are event" },
};

TEST(errors)
{
	struct rig rig;

	rig_init(&rig, &skx_machine);
	add_skx(&rig);
	TT_FOR_EACH_ROW(r, error_rows) {
		struct nti_error e = { 0 };
		struct nti_event event;

		TT_EQ(r, nti_event_parse(&rig.names, r->text, &event, &e), r->ret);
		TT_STR(r, e.text, r->error);
	}
	rig_fini(&rig);
}

/*
 * Without a machine's units their events are known, and absent; without their step energy is no
 * number of Joules.
 */
TEST(absences)
{
	struct nti_event event;
	struct rig rig;

	rig_init(&rig, &skx_machine);
	TT_IS(nti_event_parse(&rig.names, "thermal/hot/", &event, NULL), 0);
	TT_TEXT(event.absent.reason, "the kernel shows no PMU 'thermal' on this machine, and ntime "
				     "knows no registers for it here");
	nti_event_fini(&event);
	rig_add(&rig, "power", "power");
	TT_IS(nti_event_parse(&rig.names, "power/energy-pkg/", &event, NULL), 0);
	TT_TEXT(event.absent.reason,
		"the processor does not report what one step of this counter means");
	nti_event_fini(&event);
	rig_fini(&rig);
}

/* In a guest it is the hypervisor's doing, if one can look at all. */
TEST(absences_of_guests)
{
	/* CPUID 1 ECX 31 and "KVMKVMKVM", as Linux arch/x86/include/asm/kvm_para.h has it */
	static const struct fake_leaf leaves[] = {
		{ 0x0, { 0x16, 0x756e6547, 0x6c65746e, 0x49656e69 } },
		{ 0x1, { 0x00050654, 0, 1u << 31, 0 } },
		{ 0x40000000, { 0x40000001, 0x4b4d564b, 0x564b4d56, 0x0000004d } },
	};
	static const struct fake_file bare[] = { { "/proc/sys/kernel/perf_event_paranoid", "2\n" },
						 { NULL } };
	static const struct fake_file files[] = {
		{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
		{ "/dev/cpu/0/msr", "" },
		{ "/sys/bus/event_source/devices/msr/type", "9\n" },
		{ "/sys/bus/event_source/devices/msr/events/tsc", "event=0x00\n" },
		{ "/sys/bus/event_source/devices/msr/format/event", "config:0-63\n" },
		{ NULL },
	};
	const struct fake_machine closed = { "closed", "x86_64", leaves, 3, bare };
	const struct fake_machine machine = { "kvm", "x86_64", leaves, 3, files };
	struct nti_event event;
	struct rig rig;

	rig_init(&rig, &closed);
	TT_IS(nti_event_parse(&rig.names, "thermal/hot/", &event, NULL), 0);
	TT_TEXT(event.absent.reason, "the kernel of this guest (KVM) shows no thermal, and its "
				     "registers are out of reach");
	TT_HAS(event.absent.remedy, "as root");
	TT_HAS(event.absent.remedy, "ntime driver load");
	nti_event_fini(&event);
	/* Everybody sees which PCI functions there are: no msr device would show more of them. */
	TT_IS(nti_event_parse(&rig.names, "uncore_imc/cas_count_read/", &event, NULL), 0);
	TT_TEXT(event.absent.reason, "the hypervisor (KVM) shows this guest no uncore_imc");
	TT_HAS(event.absent.remedy, "on the host");
	TT_IS(event.absent.remedy_kind, NTIME_REMEDY_ELSEWHERE);
	nti_event_fini(&event);
	rig_fini(&rig);
	rig_init(&rig, &machine);
	TT_IS(nti_event_parse(&rig.names, "thermal/hot/", &event, NULL), 0);
	TT_TEXT(event.absent.reason, "the hypervisor (KVM) shows this guest no thermal");
	nti_event_fini(&event);
	TT_IS(nti_event_parse(&rig.names, "msr/aperf/", &event, NULL), 0);
	TT_TEXT(event.absent.reason, "the hypervisor (KVM) shows this guest no such event of msr");
	nti_event_fini(&event);
	TT_IS(nti_event_parse(&rig.names, "msr/apref/", &event, NULL), -ENOENT);
	rig_fini(&rig);
}

struct seen {
	const struct nti_unit *unit;
	size_t events;
	bool has_name;
};

static int see(void *arg, const struct nti_event_entry *entry)
{
	struct seen *seen = arg;

	if (entry->unit != seen->unit || !strchr(entry->name, '/'))
		return 0;
	seen->events++;
	if (strcmp(entry->name, "uncore/qmc_normal_reads/") == 0) {
		seen->has_name = true;
		TT_TEXT(entry->unit_text, "MiB");
		TT_HAS(entry->desc, "Data read from memory");
	}
	return 0;
}

/* Of a kind's counters a processor may have some: the others are absent, and not in lists. */
TEST(missing_counters)
{
	struct nti_event event;
	struct nti_unit *unit;
	struct seen seen = { 0 };
	struct rig rig;

	rig_init(&rig, &skx_machine);
	unit = rig_add(&rig, "cstate_core", "cstate_core");
	unit->frees = 1u << 0 | 1u << 2;
	TT_IS(nti_event_parse(&rig.names, "cstate_core/c6-residency/", &event, NULL), 0);
	assert_null(event.absent.reason);
	nti_event_fini(&event);
	TT_IS(nti_event_parse(&rig.names, "cstate_core/c7-residency/", &event, NULL), 0);
	TT_TEXT(event.absent.reason, "the cstate_core of this processor does not have this event");
	TT_IS(event.absent.code, NTIME_REASON_NO_HARDWARE);
	TT_TEXT(event.absent.about, "cstate_core");
	TT_TEXT(event.absent.remedy, "none");
	nti_event_fini(&event);
	seen.unit = unit;
	TT_IS(nti_event_for_each(&rig.names, see, &seen, NULL), 0);
	TT_IS(seen.events, 2);
	rig_fini(&rig);
}

/*
 * Where the kernel has the unit as well, its words come first; its counts step as it says, ours as
 * the registers do.
 */
TEST(beside_the_kernel)
{
	struct nti_event event;
	struct rig rig;

	rig_init(&rig, &kernel_machine);
	rig_attach(&rig, "power", "power_hsx")->energy_scale = 0x1p-14;
	TT_IS(nti_event_parse(&rig.names, "power/energy-pkg/", &event, NULL), 0);
	TT_IS(event.part[0].attr.type, 9);
	assert_true(event.scale == 0x1p-32);
	assert_true(event.box_scale == 0x1p-14);
	nti_event_fini(&event);
	TT_IS(nti_event_parse(&rig.names, "power/energy-ram/", &event, NULL), 0);
	assert_true(event.scale == 0x1p-32);
	assert_true(event.box_scale == 0x1p-16);
	nti_event_fini(&event);
	TT_IS(nti_event_parse(&rig.names, "rapl::RAPL_ENERGY_PKG", &event, NULL), 0);
	assert_true(event.scale == 0x1p-32);
	assert_true(event.box_scale == 0x1p-14);
	nti_event_fini(&event);

	rig_attach(&rig, "uncore", "nhm_uncore");
	/* sysfs has no such event, count/data/events has */
	TT_IS(nti_event_parse(&rig.names, "uncore/qmc_writes_full/", &event, NULL), 0);
	TT_IS(event.part[0].attr.config, 0x072f);
	TT_IS(event.part[0].attr.type, 10);
	assert_true(event.scale == MIB);
	nti_event_fini(&event);
	TT_IS(nti_event_parse(&rig.names, "uncore/clockticks/", &event, NULL), 0);
	TT_TEXT(event.desc, "clockticks of uncore: event=0xff,umask=0x00");
	nti_event_fini(&event);

	TT_IS(nti_event_parse(&rig.names, "msr/cpu_thermal_margin/", &event, NULL), 0);
	TT_IS(event.is_state, 1);
	TT_IS(event.together, NTI_MIN);
	nti_event_fini(&event);
	rig_fini(&rig);
}

/* Which counters of the planner: "clockticks" sits on the fixed one. */
TEST(needs)
{
	struct nti_event event;
	struct rig rig;

	rig_init(&rig, &wsm_machine);
	add_westmere(&rig);
	TT_IS(nti_event_parse(&rig.names, "uncore/clockticks/", &event, NULL), 0);
	TT_IS(event.part[0].need.counters, nti_need_fixed(event.part[0].unit));
	nti_event_fini(&event);
	TT_IS(nti_event_parse(&rig.names, "uncore/qmc_normal_reads/", &event, NULL), 0);
	TT_IS(event.part[0].need.counters, 0xf);
	nti_event_fini(&event);
	rig_fini(&rig);

	rig_init(&rig, &skx_machine);
	add_skx(&rig);
	TT_IS(nti_event_parse(&rig.names, "thermal/hot/", &event, NULL), 0);
	TT_IS(event.part[0].need.counters, 0);
	nti_event_fini(&event);
	rig_fini(&rig);
}

TEST(listed)
{
	struct seen seen = { 0 };
	struct rig rig;

	rig_init(&rig, &wsm_machine);
	seen.unit = rig_add(&rig, "uncore", "nhm_uncore");
	TT_IS(nti_event_for_each(&rig.names, see, &seen, NULL), 0);
	TT_IS(seen.has_name, 1);
	TT_IS(seen.events, nti_box_family_of(seen.unit)->events);
	rig_fini(&rig);

	/* with the kernel's unit each once */
	rig_init(&rig, &kernel_machine);
	seen = (struct seen){ .unit = rig_attach(&rig, "uncore", "nhm_uncore") };
	TT_IS(nti_event_for_each(&rig.names, see, &seen, NULL), 0);
	TT_IS(seen.has_name, 1);
	TT_IS(seen.events, nti_box_family_of(seen.unit)->events);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_have_their_text),
		cmocka_unit_test(against_documents),
		cmocka_unit_test(names),
		cmocka_unit_test(states),
		cmocka_unit_test(errors),
		cmocka_unit_test(absences),
		cmocka_unit_test(absences_of_guests),
		cmocka_unit_test(missing_counters),
		cmocka_unit_test(beside_the_kernel),
		cmocka_unit_test(needs),
		cmocka_unit_test(listed),
	};

	return TT_RUN(tests);
}
