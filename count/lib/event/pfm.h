/* SPDX-License-Identifier: MIT */
/* Between the pfm*.c files: one libpfm4 name on its way from text to perf_event_attr. */
#ifndef NTI_PFM_H
#define NTI_PFM_H

#include <perfmon/pfmlib.h>
#include <string.h>

#include "count/lib/event/model.h"
#include "base/common/text.h"
#include "count/lib/event/resolve.h"

#define NTI_PFM_NAME_BYTES 256
#define NTI_PFM_TEXT_BYTES 512
#define NTI_PFM_CODES_MAX 4

/* What one libpfm4 name is made of, and of whom it speaks. */
struct nti_pfm_request {
	const struct nti_names *names;
	const struct nti_model *model; /* of the machine, may be NULL */
	const struct nti_unit *unit;   /* only this one; NULL: as the PMU's rule says */
	const char *whole;	       /* event as written, for sentences */
	pfm_pmu_info_t pmu;
	bool is_family; /* all boxes of .pmu's name */
	char text
		/* EVENT:ATTRS without PMU, shortened as modifiers are taken off */
		[NTI_PFM_TEXT_BYTES];
	char mods[32]; /* letters of the modifiers taken off */
	struct nti_error *e;
};

struct nti_pfm_codes {
	uint64_t code[NTI_PFM_CODES_MAX];
	int count;
	int idx; /* libpfm4's number of the event */
};

static inline bool nti_pfm_has_prefix(const char *text, const char *prefix)
{
	return nti_text_compare_n(text, prefix, strlen(prefix)) == 0;
}

static inline bool nti_pfm_is_arm(const pfm_pmu_info_t *pmu)
{
	return nti_pfm_has_prefix(pmu->name, "arm");
}

/* pfm_pmu.c: libpfm4's table of PMUs. */

/* PMU number @i of pfm_for_all_pmus(); false for numbers that nobody has. */
bool nti_pfm_get_pmu(int i, pfm_pmu_info_t *out);
bool nti_pfm_find_pmu(const char *name, pfm_pmu_info_t *out);
/* "skx_unc_cha" is the family of skx_unc_cha0, skx_unc_cha1 ...: all boxes of one name. */
bool nti_pfm_find_family(const char *name, pfm_pmu_info_t *out);
/* Box 0 of a kind, or the only one: it stands for its family. */
bool nti_pfm_is_first_box(const char *name);

/* pfm_encode.c: libpfm4's register values. */

/* Event @idx, and its attribute @i. 1; 0: there is none; -ENOMEM. */
int nti_pfm_get_event(int idx, pfm_event_info_t *out);
int nti_pfm_get_attr(int idx, int i, pfm_event_attr_info_t *out);
/* One of libpfm4's errors; PFM_ERR_NOMEM wherever memory was short. */
int nti_pfm_encode_once(const char *pmu, const char *text, int dfl_plm, struct nti_pfm_codes *out);
/*
 * As written; modifiers that libpfm4 need not know are moved from .text to .mods. -ENOENT has no
 * sentence.
 */
int nti_pfm_encode(struct nti_pfm_request *r, struct nti_pfm_codes *out);

/* pfm_attr.c: config* and exclude_* of the values. */
void nti_pfm_to_attr(const pfm_pmu_info_t *pmu, const struct nti_pfm_codes *c,
		     struct perf_event_attr *attr);

/**
 * struct nti_pfm_correction - an event of some PMUs whose code libpfm4 has otherwise
 * @pmus, @umasks: words
 * @config1:	that the right code needs as well
 * @is_same:	both count the same, and libpfm4's stays
 */
struct nti_pfm_correction {
	const char *pmus, *event, *umasks;
	uint32_t wrong, right;
	uint64_t config1;
	bool is_same;
	const char *source;
};

/*
 * pfm_correct.c: put the right code into @attr of libpfm4's @event, which was asked for by @text
 * (EVENT:ATTRS). The row, or NULL: there is none.
 */
const struct nti_pfm_correction *nti_pfm_correct(const char *pmu, const char *event,
						 const char *text, struct perf_event_attr *attr);
/* What @row says, in memory to free; NULL: memory is short. */
char *nti_pfm_correction_text(const struct nti_pfm_correction *row);

/* pfm_list.c: lists of them. */

/*
 * Has libpfm4's list of just the processor of @unit an event with this code in the bits of @mask?
 * 1; 0; -ENOENT: there is no such list; -ENOMEM.
 */
int nti_pfm_has_code(const struct nti_names *names, const struct nti_unit *unit, unsigned int code,
		     unsigned int mask);

/* pfm_unit.c: which units of the machine count for a PMU of libpfm4. */

bool nti_pfm_is_here(const struct nti_pfm_request *r);
/* libpfm4's own look at the processor, where our table does not know it. */
bool nti_pfm_is_fallback_here(const struct nti_pfm_request *r);
/* Models of hybrids stand side by side, others replace one another. */
bool nti_pfm_is_hybrid(const struct nti_model *model);
/* This machine's model by a name that "ntime list --cpu" takes, if there is one. */
const char *nti_pfm_best_core(const struct nti_model *model);
bool nti_pfm_is_core_of(const struct nti_pfm_request *r, const struct nti_unit *unit);
/* The kernel's name of the boxes, without the number for a family. */
bool nti_pfm_unit_name(const struct nti_pfm_request *r, char *buf, size_t size);
/* A part for each unit that counts it, or one without unit and a reason. 0 or -ENOMEM. */
int nti_pfm_add_parts(const struct nti_pfm_request *r, struct perf_event_attr *attr,
		      struct nti_event *out);

#endif
