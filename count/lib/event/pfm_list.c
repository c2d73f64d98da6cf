// SPDX-License-Identifier: MIT
/* Lists of libpfm4's events: of this machine and of any model. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/library.h"
#include "base/common/text.h"
#include "count/lib/event/pfm.h"

struct lister {
	int (*fn)(void *arg, const struct nti_event_entry *entry);
	void *arg;
	const struct nti_unit *unit;
	const struct nti_names *names; /* NULL: a model's list, whatever machine this is */
};

static int list_one(const struct lister *l, const pfm_pmu_info_t *pmu, const char *event,
		    const char *umask, const char *desc)
{
	struct nti_event_entry entry = { .unit = l->unit, .desc = desc, .unit_text = "" };
	char name[NTI_PFM_TEXT_BYTES];

	(void)snprintf(name, sizeof(name), "%s::%s%s%s", pmu->name, event, umask ? ":" : "",
		       umask ? umask : "");
	entry.name = name;
	entry.unit_name = l->unit ? l->unit->name : pmu->name;
	return l->fn(l->arg, &entry);
}

/*
 * Energy counters that this processor lacks are left out: libpfm4 lists those of every one; the
 * kernel takes those that it shows in sysfs and no other (Linux arch/x86/events/rapl.c,
 * rapl_pmu_event_init()). 1, 0 or -ENOMEM.
 */
static int is_missing(const struct lister *l, const pfm_pmu_info_t *pmu, const char *event)
{
	struct perf_event_attr attr = { 0 };
	struct nti_pfm_codes codes;
	int ret;

	if (!l->names || !l->unit || strcmp(l->unit->name, "power") != 0)
		return 0;
	ret = nti_pfm_encode_once(pmu->name, event, PFM_PLM0 | PFM_PLM3, &codes);
	if (ret != PFM_SUCCESS)
		return ret == PFM_ERR_NOMEM ? -ENOMEM : 0;
	nti_pfm_to_attr(pmu, &codes, &attr);
	ret = nti_alias_has_code(l->names, l->unit, attr.config, UINT64_MAX);
	return ret < 0 ? ret : !ret;
}

/* What is known of the code that libpfm4 has, behind its sentence. 0 or -ENOMEM. */
static int add_correction(const pfm_pmu_info_t *pmu, const char *event, const char *text,
			  const struct nti_pfm_codes *codes, char *desc, size_t size)
{
	const struct nti_pfm_correction *row;
	struct perf_event_attr attr;
	char *what;

	nti_pfm_to_attr(pmu, codes, &attr);
	row = nti_pfm_correct(pmu->name, event, text, &attr);
	what = row ? nti_pfm_correction_text(row) : NULL;
	if (what)
		(void)snprintf(desc + strlen(desc), size - strlen(desc), " (%s)", what);
	free(what);
	return row && !what ? -ENOMEM : 0;
}

/* An event with each of its unit masks, as far as one of them alone makes a complete event. */
static int list_event(const struct lister *l, const pfm_pmu_info_t *pmu, int idx)
{
	pfm_event_info_t event;
	pfm_event_attr_info_t attr;
	char text[NTI_PFM_TEXT_BYTES], desc[1024];
	struct nti_pfm_codes codes;
	bool has_umask = false;
	int i, ret;

	ret = nti_pfm_get_event(idx, &event);
	if (ret <= 0)
		return ret;
	ret = is_missing(l, pmu, event.name);
	if (ret)
		return ret < 0 ? ret : 0;
	pfm_for_each_event_attr(i, &event)
	{
		ret = nti_pfm_get_attr(idx, i, &attr);
		if (ret < 0)
			return ret;
		if (!ret || attr.type != PFM_ATTR_UMASK)
			continue;
		(void)snprintf(text, sizeof(text), "%s:%s", event.name, attr.name);
		ret = nti_pfm_encode_once(pmu->name, text, PFM_PLM0 | PFM_PLM3, &codes);
		if (ret == PFM_ERR_NOMEM)
			return -ENOMEM;
		if (ret != PFM_SUCCESS)
			continue;
		has_umask = true;
		(void)snprintf(desc, sizeof(desc), "%s: %s", event.desc ? event.desc : "",
			       attr.desc ? attr.desc : "");
		ret = add_correction(pmu, event.name, text, &codes, desc, sizeof(desc));
		if (ret < 0)
			return ret;
		ret = list_one(l, pmu, event.name, attr.name, desc);
		if (ret)
			return ret;
	}
	return has_umask ? 0 : list_one(l, pmu, event.name, NULL, event.desc ? event.desc : "");
}

static int list_pmu(const struct lister *l, const pfm_pmu_info_t *pmu)
{
	int idx, ret = 0;

	for (idx = pmu->first_event; ret == 0 && idx != -1; idx = pfm_get_event_next(idx))
		ret = list_event(l, pmu, idx);
	return ret;
}

/* The unit that would count, or NULL for a PMU that is not of this machine or has no boxes here. */
static const struct nti_unit *unit_for_list(const struct nti_pfm_request *r)
{
	const struct nti_unit *unit;
	char name[NTI_PFM_NAME_BYTES];
	size_t at = 0;

	if (r->pmu.type == PFM_PMU_TYPE_OS_GENERIC || !nti_pfm_is_here(r))
		return NULL;
	if (r->pmu.type != PFM_PMU_TYPE_CORE)
		return nti_pfm_unit_name(r, name, sizeof(name))
			       ? nti_units_match(r->names->units, name, &at)
			       : NULL;
	/* The architectural events are in the model's list under their own names. */
	if (r->model && nti_text_compare(r->pmu.name, "ix86arch") == 0)
		return NULL;
	while ((unit = nti_core_next(r->names->units, &at)))
		if (nti_pfm_is_core_of(r, unit))
			return unit;
	return NULL;
}

/* Of models that replace one another only the best that libpfm4 has. */
static bool is_best_core(const struct nti_pfm_request *r)
{
	return !r->model || r->pmu.type != PFM_PMU_TYPE_CORE || nti_pfm_is_hybrid(r->model) ||
	       nti_text_compare(nti_pfm_best_core(r->model), r->pmu.name) == 0;
}

/*
 * Call @fn with each PMU of libpfm4 that counts here; boxes of a kind are alike, so the first one
 * stands for all.
 */
static int for_each_pmu_here(const struct nti_names *names,
			     int (*fn)(const struct lister *l, const pfm_pmu_info_t *pmu),
			     struct lister *l)
{
	struct nti_pfm_request r = { .names = names, .whole = "" };
	int i, ret = nti_pfm_start();

	if (ret <= 0)
		return ret;
	r.model = nti_model_find(names->os);
	pfm_for_all_pmus(i)
	{
		if (!nti_pfm_get_pmu(i, &r.pmu))
			continue;
		l->unit = unit_for_list(&r);
		if (!l->unit || !is_best_core(&r) ||
		    (r.pmu.type == PFM_PMU_TYPE_UNCORE && !nti_pfm_is_first_box(r.pmu.name)))
			continue;
		ret = fn(l, &r.pmu);
		if (ret)
			return ret;
	}
	return 0;
}

int nti_pfm_for_each(const struct nti_names *names,
		     int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg)
{
	struct lister l = { .fn = fn, .arg = arg, .names = names };

	return for_each_pmu_here(names, list_pmu, &l);
}

static int offer_pmu(const struct lister *l, const pfm_pmu_info_t *pmu)
{
	pfm_event_info_t event;
	int idx;

	for (idx = pmu->first_event; idx != -1; idx = pfm_get_event_next(idx)) {
		if (nti_pfm_get_event(idx, &event) > 0)
			nti_suggest_offer(l->arg, event.name);
	}
	return 0;
}

void nti_pfm_offer_events(const struct nti_names *names, struct nti_suggest *s)
{
	struct lister l = { .arg = s };

	(void)for_each_pmu_here(names, offer_pmu, &l);
}

static int for_each_model(int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	pfm_pmu_info_t pmu;
	int i, ret = 0;

	pfm_for_all_pmus(i)
	{
		/* "zen4" of a core PMU is no fourth box. */
		if (nti_pfm_get_pmu(i, &pmu) &&
		    (pmu.type != PFM_PMU_TYPE_UNCORE || nti_pfm_is_first_box(pmu.name)))
			ret = fn(arg, pmu.name, pmu.desc);
		if (ret)
			break;
	}
	return ret;
}

static int offer_model(void *arg, const char *name, const char *desc)
{
	(void)desc;
	nti_suggest_offer(arg, name);
	return 0;
}

void nti_pfm_offer_models(struct nti_suggest *s)
{
	if (nti_pfm_start() > 0)
		(void)for_each_model(offer_model, s);
}

struct code_search {
	const struct nti_unit *unit;
	unsigned int code, mask;
	bool has_list;
	const char *best[2]; /* PMUs whose lists are of just this processor */
};

static bool is_whole(const struct code_search *s, const char *pmu)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(s->best); i++)
		if (s->best[i] && nti_text_compare(s->best[i], pmu) == 0)
			return true;
	return false;
}

static int find_code(const struct lister *l, const pfm_pmu_info_t *pmu)
{
	struct code_search *s = l->arg;
	pfm_event_info_t event;
	int idx, ret;

	if (l->unit != s->unit || pmu->type != PFM_PMU_TYPE_CORE || !is_whole(s, pmu->name))
		return 0;
	s->has_list = true;
	for (idx = pmu->first_event; idx != -1; idx = pfm_get_event_next(idx)) {
		ret = nti_pfm_get_event(idx, &event);
		if (ret < 0)
			return ret;
		if (ret && ((event.code ^ s->code) & s->mask) == 0)
			return 1;
	}
	return 0;
}

int nti_pfm_has_code(const struct nti_names *names, const struct nti_unit *unit, unsigned int code,
		     unsigned int mask)
{
	struct code_search s = { .unit = unit, .code = code, .mask = mask };
	const struct nti_model *model = nti_model_find(names->os);
	struct lister l = { .arg = &s, .names = names };
	int ret;

	if (!model)
		return -ENOENT;
	s.best[0] = model->core[0];
	if (nti_pfm_is_hybrid(model))
		s.best[1] = model->core[1];
	ret = for_each_pmu_here(names, find_code, &l);
	return ret || s.has_list ? ret : -ENOENT;
}

static int refuse_model(const char *model, struct nti_error *e)
{
	struct nti_suggest suggest = { .text = model };
	char near[256];

	nti_pfm_offer_models(&suggest);
	nti_suggest_finish(&suggest, near, sizeof(near));
	return nti_error(e, -ENOENT, "libpfm4 has no PMU model '%s'%s", model, near);
}

/* 0, or why libpfm4 knows no model. */
static int start_models(struct nti_error *e)
{
	int ret = nti_library_need(&nti_lazy_pfm, "PMU models", e);

	if (!ret)
		ret = nti_pfm_start();
	if (!ret)
		return nti_error(e, -ENOENT,
				 "libpfm4 cannot be initialised here, so no model is known");
	return ret < 0 ? ret : 0;
}

int nti_event_for_each_model(int (*fn)(void *arg, const char *name, const char *desc), void *arg,
			     struct nti_error *e)
{
	int ret = start_models(e);

	return ret ? ret : for_each_model(fn, arg);
}

int nti_event_for_each_of_model(const char *model,
				int (*fn)(void *arg, const struct nti_event_entry *entry),
				void *arg, struct nti_error *e)
{
	struct lister l = { .fn = fn, .arg = arg };
	pfm_pmu_info_t pmu;
	int ret = start_models(e);

	if (ret)
		return ret;
	if (!nti_pfm_find_pmu(model, &pmu) && !nti_pfm_find_family(model, &pmu))
		return refuse_model(model, e);
	return list_pmu(&l, &pmu);
}
