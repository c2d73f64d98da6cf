// SPDX-License-Identifier: MIT
/*
 * libpfm4: the names that processor makers gave their events, for every model it knows, encoded
 * here whatever machine this is.
 *
 * libpfm4 is asked for raw register values (PFM_OS_NONE), which it gives for any model, and not for
 * a perf_event_attr, which it refuses for uncore PMUs that this machine lacks; what the kernel
 * wants is made of the values below.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/compiler.h"
#include "base/common/text.h"
#include "count/lib/event/pfm.h"

/*
 * libpfm4 4.13 writes unit masks into an array of 64 without looking at its end; one of ours may
 * stand for several.
 */
#define ATTRS_MAX 8

static const char *umask_desc(int idx, const pfm_event_info_t *event, const char *text,
			      pfm_event_attr_info_t *info)
{
	const char *attr = strpbrk(text, ":.");
	size_t length;
	int i;

	if (!attr)
		return NULL;
	length = strcspn(++attr, ":.");
	pfm_for_each_event_attr(i, event)
	{
		if (nti_pfm_get_attr(idx, i, info) > 0 && info->type == PFM_ATTR_UMASK &&
		    strlen(info->name) == length &&
		    nti_text_compare_n(info->name, attr, length) == 0)
			return info->desc;
	}
	return NULL;
}

/*
 * "Instructions retired: Number of ..." : the event's sentence, then that of its first unit mask.
 */
static int describe(const struct nti_pfm_request *r, int idx, struct nti_event *out)
{
	pfm_event_info_t event;
	pfm_event_attr_info_t info;
	const char *umask;
	size_t length;
	char *desc;
	int ret;

	ret = nti_pfm_get_event(idx, &event);
	if (ret <= 0 || !event.desc)
		return ret < 0 ? ret : 0;
	umask = umask_desc(idx, &event, r->text, &info);
	length = strlen(event.desc);
	if (length && event.desc[length - 1] == '.')
		length--;
	desc = nti_text_format("%.*s%s%s", (int)length, event.desc, umask ? ": " : "",
			       umask ? umask : "");
	if (!desc)
		return -ENOMEM;
	ret = nti_event_describe(out, desc, "");
	free(desc);
	return ret;
}

/* "perf::PERF_COUNT_HW_CPU_CYCLES": libpfm4's words for what the kernel calls generic events. */
static int resolve_perf(struct nti_pfm_request *r, struct nti_event *out)
{
	pfm_event_info_t event;
	struct perf_event_attr attr = { 0 };
	const struct nti_unit *unit;
	struct nti_pfm_codes codes;
	size_t at = 0;
	int ret;

	if (nti_text_compare(r->pmu.name, "perf_raw") == 0)
		return nti_raw_resolve(r->names, NULL, r->text, out, r->e);
	ret = nti_pfm_encode(r, &codes);
	if (ret < 0)
		return ret;
	ret = nti_pfm_get_event(codes.idx, &event);
	if (ret <= 0)
		return ret < 0 ? ret : -ENOENT;
	unit = nti_core_next(r->names->units, &at);
	if (nti_pfm_has_prefix(event.name, "PERF_COUNT_HW_CACHE_") && strpbrk(r->text, ":")) {
		attr.type = PERF_TYPE_HW_CACHE;
	} else if (nti_pfm_has_prefix(event.name, "PERF_COUNT_HW_")) {
		attr.type = PERF_TYPE_HARDWARE;
	} else if (nti_pfm_has_prefix(event.name, "PERF_COUNT_SW_")) {
		attr.type = PERF_TYPE_SOFTWARE;
		unit = nti_units_find(r->names->units, "software");
	} else {
		return nti_error(r->e, -EINVAL, "event '%s': write it without perf::", r->whole);
	}
	attr.config = codes.code[0];
	if (nti_event_add_part(out, unit, &attr) < 0 || describe(r, codes.idx, out) < 0)
		return nti_event_no_memory(r->e, r->whole);
	return 0;
}

/* Another code than libpfm4's, where that is known to be wrong. */
static int correct(const struct nti_pfm_request *r, int idx, struct perf_event_attr *attr,
		   struct nti_event *out)
{
	const struct nti_pfm_correction *row;
	pfm_event_info_t event;
	int ret = nti_pfm_get_event(idx, &event);

	row = ret > 0 ? nti_pfm_correct(r->pmu.name, event.name, r->text, attr) : NULL;
	if (!row || row->is_same)
		return ret == -ENOMEM ? nti_event_no_memory(r->e, r->whole) : 0;
	free(out->corrected);
	out->corrected = nti_pfm_correction_text(row);
	return out->corrected ? 0 : nti_event_no_memory(r->e, r->whole);
}

static int resolve_pmu(struct nti_pfm_request *r, struct nti_event *out)
{
	struct perf_event_attr attr;
	struct nti_pfm_codes codes;
	int ret;

	if (r->pmu.type == PFM_PMU_TYPE_OS_GENERIC)
		return resolve_perf(r, out);
	if (nti_pfm_has_prefix(r->pmu.name, "netburst"))
		return nti_error(r->e, -EINVAL,
				 "event '%s': events of the Pentium 4 are not supported", r->whole);
	ret = nti_pfm_encode(r, &codes);
	if (ret < 0)
		return ret;
	nti_pfm_to_attr(&r->pmu, &codes, &attr);
	ret = correct(r, codes.idx, &attr, out);
	if (ret < 0)
		return ret;
	if (describe(r, codes.idx, out) < 0 || nti_pfm_add_parts(r, &attr, out) < 0)
		return nti_event_no_memory(r->e, r->whole);
	return 0;
}

/* Modifiers that were taken off the text say more than the bits that libpfm4 made. */
static int finish(const struct nti_pfm_request *r, struct nti_event *out)
{
	struct nti_mods mods;
	int ret = nti_mods_parse(r->mods, r->whole, &mods, r->e);

	return ret < 0 ? ret : nti_mods_apply(&mods, out, r->e);
}

static int set_text(struct nti_pfm_request *r, const char *text)
{
	const char *p;
	size_t attrs = 0;

	if (strlen(text) >= sizeof(r->text) || strlen(text) >= 256)
		return nti_error(r->e, -EINVAL, "event '%.60s...' is longer than any event", text);
	for (p = text; *p; p++)
		attrs += *p == ':' || *p == '.';
	if (attrs > ATTRS_MAX)
		return nti_error(r->e, -EINVAL, "event '%s': more than %d attributes", text,
				 ATTRS_MAX);
	(void)snprintf(r->text, sizeof(r->text), "%s", text);
	r->mods[0] = '\0';
	return 0;
}

static int refuse_event(const struct nti_pfm_request *r)
{
	char name[NTI_PFM_TEXT_BYTES], near[256];
	struct nti_suggest suggest = { .text = name };
	pfm_event_info_t event;
	int idx;

	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(r->text, ":."), r->text);
	for (idx = r->pmu.first_event; idx != -1; idx = pfm_get_event_next(idx)) {
		if (nti_pfm_get_event(idx, &event) > 0)
			nti_suggest_offer(&suggest, event.name);
	}
	nti_suggest_finish(&suggest, near, sizeof(near));
	return nti_error(r->e, -ENOENT,
			 "event '%s': %s has no event '%s'%s ('ntime list --cpu %s' shows all)",
			 r->whole, r->pmu.name, name, near, r->pmu.name);
}

/* Try one PMU. 1: resolved, 0: not its event, or -errno. */
static int try_pmu(struct nti_pfm_request *r, const char *text, struct nti_event *out)
{
	int ret = set_text(r, text);

	if (ret == 0)
		ret = resolve_pmu(r, out);
	if (ret == -ENOENT)
		return 0;
	if (ret == 0)
		ret = finish(r, out);
	return ret < 0 ? ret : 1;
}

static int resolve_in_model(struct nti_pfm_request *r, const char *model, const char *text,
			    struct nti_event *out)
{
	int ret;

	if (!nti_pfm_find_pmu(model, &r->pmu)) {
		if (!nti_pfm_find_family(model, &r->pmu))
			return -ENOENT;
		r->is_family = true;
	}
	ret = try_pmu(r, text, out);
	if (ret == 0)
		return refuse_event(r);
	return ret < 0 ? ret : 0;
}

static int try_cores(struct nti_pfm_request *r, const char *text, struct nti_event *out)
{
	int ret, found = 0;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(r->model->core) && r->model->core[i]; i++) {
		if (!nti_pfm_find_pmu(r->model->core[i], &r->pmu))
			continue;
		ret = try_pmu(r, text, out);
		if (ret < 0)
			return ret;
		found |= ret;
		if (!nti_pfm_is_hybrid(r->model))
			break;
	}
	if (found || !nti_pfm_find_pmu("ix86arch", &r->pmu) || !nti_pfm_is_here(r))
		return found;
	return try_pmu(r, text, out);
}

/* Does the kernel show boxes of this PMU? Without the number: uncore_cha_0 of skx_unc_cha0. */
static bool has_unit(const struct nti_pfm_request *r)
{
	char name[NTI_PFM_NAME_BYTES];
	size_t at = 0;

	return nti_pfm_unit_name(r, name, sizeof(name)) &&
	       nti_units_match(r->names->units, name, &at);
}

static int try_uncores(struct nti_pfm_request *r, const char *text, struct nti_event *out)
{
	int i, ret;

	pfm_for_all_pmus(i)
	{
		if (!nti_pfm_get_pmu(i, &r->pmu) || r->pmu.type != PFM_PMU_TYPE_UNCORE ||
		    !nti_pfm_is_first_box(r->pmu.name) || !nti_pfm_is_here(r))
			continue;
		r->is_family = nti_text_find(r->pmu.name, "_unc_") != NULL;
		if (!has_unit(r))
			continue;
		ret = try_pmu(r, text, out);
		if (ret)
			return ret;
	}
	return 0;
}

/* A processor that is not in our table: whatever libpfm4 found. */
static int try_present(struct nti_pfm_request *r, const char *text, struct nti_event *out)
{
	int i, ret;

	pfm_for_all_pmus(i)
	{
		if (!nti_pfm_get_pmu(i, &r->pmu) || r->pmu.type == PFM_PMU_TYPE_OS_GENERIC ||
		    !nti_pfm_is_fallback_here(r))
			continue;
		ret = try_pmu(r, text, out);
		if (ret)
			return ret;
	}
	return 0;
}

static int resolve_default(struct nti_pfm_request *r, const char *text, struct nti_event *out)
{
	int ret = nti_pfm_start();

	if (ret <= 0)
		return ret < 0 ? ret : -ENOENT;
	ret = 0;
	if (r->model && (!r->unit || r->unit->kind == NTI_UNIT_CORE))
		ret = try_cores(r, text, out);
	if (!ret && r->model && (!r->unit || r->unit->kind == NTI_UNIT_UNCORE))
		ret = try_uncores(r, text, out);
	if (!ret && !r->model)
		ret = try_present(r, text, out);
	if (!ret && !r->unit && nti_pfm_has_prefix(text, "PERF_COUNT_") &&
	    nti_pfm_find_pmu("perf", &r->pmu))
		ret = try_pmu(r, text, out);
	return ret > 0 ? 0 : ret < 0 ? ret : -ENOENT;
}

/*
 * Names of the makers that libpfm4 4.13 has under another one for the same code: Intel's lists of
 * events (github.com/intel/perfmon: events of the fixed counters), AMD's processor programming
 * references (PMCx076, PMCx0C0 to PMCx0C3; the kernel's tools/perf/pmu-events/arch/x86/amdzen2).
 */
static const struct alias_row {
	const char *name, *of_pfm;
} alias_rows[] = {
	{ "cpu_clk_unhalted.thread", "UNHALTED_CORE_CYCLES" },
	{ "cpu_clk_unhalted.core", "UNHALTED_CORE_CYCLES" },
	{ "cpu_clk_unhalted.ref_tsc", "UNHALTED_REFERENCE_CYCLES" },
	{ "inst_retired.any", "INSTRUCTION_RETIRED" },
	{ "ls_not_halted_cyc", "CYCLES_NOT_IN_HALT" },
	{ "ex_ret_instr", "RETIRED_INSTRUCTIONS" },
	{ "ex_ret_brn", "RETIRED_BRANCH_INSTRUCTIONS" },
	{ "ex_ret_brn_misp", "RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED" },
};

/* @text with libpfm4's name in @buf; false: it is no such name. Also with ':' for the dot. */
static bool replace_alias(const char *text, char buf[NTI_PFM_TEXT_BYTES])
{
	char name[NTI_PFM_TEXT_BYTES], *colon;
	size_t i, bytes;

	(void)snprintf(name, sizeof(name), "%s", text);
	for (i = 0; i < NTI_ARRAY_SIZE(alias_rows); i++) {
		const struct alias_row *row = &alias_rows[i];

		bytes = strlen(row->name);
		colon = strchr(row->name, '.') ? name + strcspn(row->name, ".") : NULL;
		if (colon && strlen(name) > bytes - 1 && *colon == ':')
			*colon = '.';
		if (nti_text_compare_n(name, row->name, bytes) != 0 || !strchr(":", text[bytes]))
			continue;
		(void)snprintf(buf, NTI_PFM_TEXT_BYTES, "%s%s", row->of_pfm, text + bytes);
		return true;
	}
	return false;
}

static int resolve(const struct nti_names *names, const char *model, const struct nti_unit *unit,
		   const char *text, struct nti_event *out, struct nti_error *e)
{
	struct nti_pfm_request r = { .names = names, .unit = unit, .whole = out->name, .e = e };

	r.model = nti_model_find(names->os);
	return model ? resolve_in_model(&r, model, text, out) : resolve_default(&r, text, out);
}

int nti_pfm_resolve(const struct nti_names *names, const char *model, const struct nti_unit *unit,
		    const char *text, struct nti_event *out, struct nti_error *e)
{
	int ret = resolve(names, model, unit, text, out, e);
	char alias[NTI_PFM_TEXT_BYTES];
	struct nti_error other;

	/* The sentence is that of the name which was given. */
	if ((ret == -ENOENT || ret == -EINVAL) && replace_alias(text, alias) &&
	    resolve(names, model, unit, alias, out, &other) == 0)
		return 0;
	return ret;
}
