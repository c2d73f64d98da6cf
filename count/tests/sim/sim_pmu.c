// SPDX-License-Identifier: MIT
/* The PMUs of a recorded machine, as the simulated kernel sees them. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/text.h"
#include "count/tests/sim/sim.h"

#define DEVICES "/sys/bus/event_source/devices"
#define LIST_BYTES 8192

static int device_text(const struct nti_sim *sim, const char *name, const char *file, char *buf,
		       size_t size)
{
	char path[NTI_MACHINE_PATH_BYTES];
	int ret;

	if ((size_t)snprintf(path, sizeof(path), DEVICES "/%s/%s", name, file) >= sizeof(path))
		return -ENAMETOOLONG;
	ret = nti_machine_text(sim->m, path, buf, size);
	if (ret >= 0)
		memmove(buf, nti_text_trim(buf), strlen(nti_text_trim(buf)) + 1);
	return ret;
}

static bool starts_with(const char *text, const char *head)
{
	return strncmp(text, head, strlen(head)) == 0;
}

/*
 * What the drivers say with PERF_PMU_CAP_NO_EXCLUDE and _NO_INTERRUPT (Linux 6.1; arch/x86/events,
 * drivers/perf).
 */
static void set_abilities(struct nti_sim_pmu *pmu)
{
	bool is_spe = starts_with(pmu->name, "arm_spe");
	bool is_pt = strcmp(pmu->name, "intel_pt") == 0 || strcmp(pmu->name, "intel_bts") == 0;
	bool is_ibs = starts_with(pmu->name, "ibs_");

	pmu->has_exclude = pmu->kind == NTI_SIM_CORE || pmu->kind == NTI_SIM_SOFTWARE ||
			   pmu->kind == NTI_SIM_TRACEPOINT || is_spe || is_pt ||
			   pmu->type == PERF_TYPE_BREAKPOINT || strcmp(pmu->name, "kprobe") == 0 ||
			   strcmp(pmu->name, "uprobe") == 0;
	pmu->can_interrupt = pmu->has_exclude || is_ibs;
	pmu->is_listed_only = strcmp(pmu->name, "msr") == 0 || strcmp(pmu->name, "power") == 0 ||
			      starts_with(pmu->name, "cstate_");
}

static enum nti_sim_kind kind_of(const struct nti_sim *sim, const struct nti_sim_pmu *pmu)
{
	char mask[LIST_BYTES];

	if (pmu->type == PERF_TYPE_SOFTWARE)
		return NTI_SIM_SOFTWARE;
	if (pmu->type == PERF_TYPE_TRACEPOINT)
		return NTI_SIM_TRACEPOINT;
	if (strcmp(pmu->name, "cpu") == 0 || pmu->has_cpus)
		return NTI_SIM_CORE;
	/* arm_spe has a mask too, but follows tasks. */
	if (!starts_with(pmu->name, "arm_spe") &&
	    device_text(sim, pmu->name, "cpumask", mask, sizeof(mask)) >= 0)
		return NTI_SIM_UNCORE;
	return NTI_SIM_OTHER;
}

static void set_counters(const struct nti_sim *sim, struct nti_sim_pmu *pmu)
{
	const struct nti_sim_counting *c = sim->counting;
	size_t i;

	for (i = 0; i < c->counters_count; i++) {
		if (!nti_sim_pmu_matches(pmu, c->counters[i].pmu))
			continue;
		pmu->is_limited = true;
		pmu->general = c->counters[i].general;
		pmu->fixed = c->counters[i].fixed;
		return;
	}
}

static int pmu_init(const struct nti_sim *sim, struct nti_sim_pmu *pmu, const char *name)
{
	char text[LIST_BYTES];
	uint64_t number;

	pmu->name = strdup(name);
	if (!pmu->name)
		return -ENOMEM;
	if (device_text(sim, name, "cpus", text, sizeof(text)) >= 0) {
		pmu->has_cpus = true;
		if (nti_set_add_list(&pmu->cpus, text, NTI_CPU_LIMIT) == -ENOMEM)
			return -ENOMEM;
	}
	if (device_text(sim, name, "caps/max_precise", text, sizeof(text)) >= 0 &&
	    nti_text_parse_u64(text, &number) == 0) {
		pmu->has_max_precise = true;
		pmu->max_precise = number > 3 ? 3 : (unsigned int)number;
	}
	pmu->kind = kind_of(sim, pmu);
	set_abilities(pmu);
	set_counters(sim, pmu);
	return 0;
}

static struct nti_sim_pmu *pmu_append(struct nti_sim *sim)
{
	struct nti_sim_pmu *more = realloc(sim->pmus, (sim->pmu_count + 1) * sizeof(*more));

	if (!more)
		return NULL;
	sim->pmus = more;
	more += sim->pmu_count++;
	memset(more, 0, sizeof(*more));
	return more;
}

static int add_pmu(void *arg, const char *name)
{
	struct nti_sim *sim = arg;
	struct nti_sim_pmu *pmu;
	char text[64];
	uint64_t type;

	/* A device without a readable type cannot be opened by anybody. */
	if (device_text(sim, name, "type", text, sizeof(text)) < 0 ||
	    nti_text_parse_u64(text, &type) < 0 || type > UINT32_MAX)
		return 0;
	pmu = pmu_append(sim);
	if (!pmu)
		return -ENOMEM;
	pmu->type = (uint32_t)type;
	return pmu_init(sim, pmu, name);
}

/* The kernel has these with or without a sysfs that shows them. */
static int add_builtin(struct nti_sim *sim, const char *name, uint32_t type)
{
	struct nti_sim_pmu *pmu;
	size_t i;

	for (i = 0; i < sim->pmu_count; i++)
		if (sim->pmus[i].type == type)
			return 0;
	pmu = pmu_append(sim);
	if (!pmu)
		return -ENOMEM;
	pmu->type = type;
	return pmu_init(sim, pmu, name);
}

int nti_sim_pmus_load(struct nti_sim *sim)
{
	int ret = nti_machine_list(sim->m, DEVICES, add_pmu, sim);

	if (ret == -ENOMEM)
		return ret;
	ret = add_builtin(sim, "software", PERF_TYPE_SOFTWARE);
	return ret ? ret : add_builtin(sim, "tracepoint", PERF_TYPE_TRACEPOINT);
}

void nti_sim_pmus_fini(struct nti_sim *sim)
{
	size_t i;

	for (i = 0; i < sim->pmu_count; i++) {
		free(sim->pmus[i].name);
		nti_set_fini(&sim->pmus[i].cpus);
	}
	free(sim->pmus);
}

static const struct nti_sim_pmu *find_type(const struct nti_sim *sim, uint32_t type)
{
	size_t i;

	for (i = 0; i < sim->pmu_count; i++)
		if (sim->pmus[i].type == type)
			return &sim->pmus[i];
	return NULL;
}

/*
 * The generic types belong to the PMU of type 4 if there is one (x86), else to the first core PMU
 * (arm64).
 */
const struct nti_sim_pmu *nti_sim_pmu_find(const struct nti_sim *sim, uint32_t type,
					   uint64_t config)
{
	const struct nti_sim_pmu *pmu;
	size_t i;

	if (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE) {
		uint32_t extended = (uint32_t)(config >> PERF_PMU_TYPE_SHIFT);

		if (extended) {
			pmu = find_type(sim, extended);
			return pmu && pmu->kind == NTI_SIM_CORE ? pmu : NULL;
		}
		type = PERF_TYPE_RAW;
	}
	pmu = find_type(sim, type);
	if (pmu || type != PERF_TYPE_RAW)
		return pmu;
	for (i = 0; i < sim->pmu_count; i++)
		if (sim->pmus[i].kind == NTI_SIM_CORE)
			return &sim->pmus[i];
	return NULL;
}

bool nti_sim_pmu_matches(const struct nti_sim_pmu *pmu, const char *glob)
{
	return fnmatch(glob, pmu->name, 0) == 0;
}
