// SPDX-License-Identifier: MIT
/* Which units of the machine count for a PMU of libpfm4. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/box_events.h"
#include "count/lib/event/pfm.h"

/* of a part whose PMU is not here: the kernel gives PMUs their numbers */
#define TYPE_NONE UINT32_MAX

/* Models of hybrids stand side by side, others are replacements for one another. */
bool nti_pfm_is_hybrid(const struct nti_model *model)
{
	return model->core[1] && nti_pfm_has_prefix(model->core[0], "adl_glc");
}

bool nti_pfm_is_fallback_here(const struct nti_pfm_request *r)
{
	const struct nti_os *os = r->names->os;

	/*
	 * A processor that our table lacks: libpfm4's own look at it counts, where it is looked at.
	 */
	return !r->model && !os->is_elsewhere && strcmp(os->ops->name, "linux") == 0 &&
	       r->pmu.is_present;
}

bool nti_pfm_is_here(const struct nti_pfm_request *r)
{
	enum nthw_vendor vendor = r->names->units->cpu.vendor;

	if (!r->model)
		return nti_pfm_is_fallback_here(r);
	if (r->pmu.type == PFM_PMU_TYPE_CORE && nti_model_has_core(r->model, r->pmu.name))
		return true;
	if (nti_model_has_uncore(r->model, r->pmu.name))
		return true;
	if (nti_text_compare(r->pmu.name, "ix86arch") == 0 ||
	    nti_text_compare(r->pmu.name, "rapl") == 0)
		return vendor == NTHW_VENDOR_INTEL;
	return nti_text_compare(r->pmu.name, "amd64_rapl") == 0 && vendor == NTHW_VENDOR_AMD;
}

/*
 * Which core PMU counts for a model: all, except on hybrids and big.LITTLE, where the names tell.
 */
bool nti_pfm_is_core_of(const struct nti_pfm_request *r, const struct nti_unit *unit)
{
	if (r->unit)
		return unit == r->unit;
	if (strcmp(unit->name, "cpu_core") == 0)
		return !nti_pfm_has_prefix(r->pmu.name, "adl_grt");
	if (strcmp(unit->name, "cpu_atom") == 0)
		return nti_pfm_has_prefix(r->pmu.name, "adl_grt");
	return true;
}

static int add_core(const struct nti_pfm_request *r, struct perf_event_attr *attr,
		    struct nti_event *out)
{
	const struct nti_unit *unit;
	size_t at = 0;
	int ret = 0;

	while (ret == 0 && (unit = nti_core_next(r->names->units, &at))) {
		if (!nti_pfm_is_core_of(r, unit))
			continue;
		attr->type = nti_core_count(r->names->units) > 1 ? unit->type : PERF_TYPE_RAW;
		ret = nti_event_add_part(out, unit, attr);
	}
	return ret;
}

/*
 * libpfm4 knows codes but no units: where sysfs or count/data/events has the same code under
 * another name, its scale holds for both.
 */
static int find_scale(const struct nti_pfm_request *r, const struct nti_unit *unit,
		      const struct perf_event_attr *attr, struct nti_event *out)
{
	struct nti_event alias;
	int ret;

	if (strcmp(unit->name, "power") != 0)
		return 0;
	ret = nti_alias_find(r->names, unit, attr->config, UINT64_MAX, &alias);
	if (ret == 1) {
		out->scale = alias.scale;
		out->box_scale = alias.box_scale;
		ret = nti_event_describe(out, NULL, alias.unit_text);
	}
	nti_event_fini(&alias);
	return ret;
}

/* The kernel's name of the boxes, without the number for a family. */
bool nti_pfm_unit_name(const struct nti_pfm_request *r, char *buf, size_t size)
{
	size_t length;

	if (!nti_model_unit_name(r->pmu.name, buf, size))
		return false;
	length = strlen(buf);
	if (r->is_family && length > 2 && strcmp(buf + length - 2, "_0") == 0)
		buf[length - 2] = '\0';
	return true;
}

static int add_uncore(const struct nti_pfm_request *r, struct perf_event_attr *attr,
		      struct nti_event *out)
{
	const struct nti_unit *unit;
	char name[NTI_PFM_NAME_BYTES];
	size_t at = 0;
	int ret = 0;

	if (!nti_pfm_unit_name(r, name, sizeof(name)))
		return 0;
	while (ret == 0 && (unit = nti_units_match(r->names->units, name, &at))) {
		if (r->unit && unit != r->unit)
			continue;
		attr->type = unit->type;
		ret = nti_event_add_part(out, unit, attr);
		if (ret == 0)
			ret = find_scale(r, unit, attr, out);
	}
	return ret;
}

const char *nti_pfm_best_core(const struct nti_model *model)
{
	pfm_pmu_info_t pmu;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(model->core) && model->core[i]; i++)
		if (nti_pfm_find_pmu(model->core[i], &pmu))
			return model->core[i];
	return model->core[0];
}

static int note_foreign(const struct nti_pfm_request *r, struct nti_event *out)
{
	char unit[NTI_PFM_NAME_BYTES];

	if (nti_pfm_is_here(r) && nti_pfm_unit_name(r, unit, sizeof(unit)))
		return nti_absence_set(
			&out->absent, NTIME_REASON_KERNEL, unit,
			"boot a kernel with a driver for that unit; in a virtual machine its "
			"hypervisor must expose it",
			"%s counts on '%s', which the kernel does not show on this machine",
			r->pmu.name, unit);
	if (r->model)
		return nti_absence_set(&out->absent, NTIME_REASON_NO_HARDWARE, r->pmu.name, "",
				       "%s is a PMU of other processors (%s); this one's is %s",
				       r->pmu.name, r->pmu.desc, nti_pfm_best_core(r->model));
	return nti_absence_set(&out->absent, NTIME_REASON_NO_HARDWARE, r->pmu.name, "",
			       "%s is a PMU of other processors (%s)", r->pmu.name, r->pmu.desc);
}

/* A part for each unit that counts it, or one without unit and a reason. */
int nti_pfm_add_parts(const struct nti_pfm_request *r, struct perf_event_attr *attr,
		      struct nti_event *out)
{
	size_t before = out->parts;
	int ret = 0;

	if (nti_pfm_is_here(r))
		ret = r->pmu.type == PFM_PMU_TYPE_CORE ? add_core(r, attr, out)
						       : add_uncore(r, attr, out);
	if (ret < 0 || out->parts > before)
		return ret;
	attr->type = r->pmu.type == PFM_PMU_TYPE_CORE ? PERF_TYPE_RAW : TYPE_NONE;
	ret = nti_event_add_part(out, NULL, attr);
	return ret < 0 ? ret : note_foreign(r, out);
}
