// SPDX-License-Identifier: MIT
/* A libpfm4 name turned into libpfm4's register values, and its refusals into sentences. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/pfm.h"

/* Where memory is short libpfm4 answers with any error. */
static int known_error(int error)
{
	return error != PFM_SUCCESS && errno == ENOMEM ? PFM_ERR_NOMEM : error;
}

static int is_there(int error)
{
	error = known_error(error);
	return error == PFM_ERR_NOMEM ? -ENOMEM : error == PFM_SUCCESS;
}

int nti_pfm_get_event(int idx, pfm_event_info_t *out)
{
	*out = (pfm_event_info_t){ .size = sizeof(*out) };
	errno = 0;
	return is_there(pfm_get_event_info(idx, PFM_OS_NONE, out));
}

int nti_pfm_get_attr(int idx, int i, pfm_event_attr_info_t *out)
{
	*out = (pfm_event_attr_info_t){ .size = sizeof(*out) };
	errno = 0;
	return is_there(pfm_get_event_attr_info(idx, i, PFM_OS_NONE, out));
}

int nti_pfm_encode_once(const char *pmu, const char *text, int dfl_plm, struct nti_pfm_codes *out)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	char name[NTI_PFM_TEXT_BYTES + NTI_PFM_NAME_BYTES];
	locale_t before;
	int ret, i;

	(void)snprintf(name, sizeof(name), "%s::%s", pmu, text);
	before = nti_text_use_c();
	errno = 0;
	ret = known_error(pfm_get_os_event_encoding(name, dfl_plm, PFM_OS_NONE, &arg));
	uselocale(before);
	if (ret == PFM_SUCCESS && arg.count > NTI_PFM_CODES_MAX)
		ret = PFM_ERR_TOOMANY;
	if (ret == PFM_SUCCESS) {
		memset(out, 0, sizeof(*out));
		for (i = 0; i < arg.count; i++)
			out->code[i] = arg.codes[i];
		out->count = arg.count;
		out->idx = arg.idx;
	}
	free(arg.codes);
	return ret;
}

/* Attributes of libpfm4's perf layer and their letters; with "=0" they say nothing. */
static const struct mod_row {
	const char *name, *letter;
} mod_rows[] = {
	{ "mg", "G" }, { "mh", "H" }, { "pinned", "D" }, { "excl", "e" }, { "precise", "p" },
};

static const char *const sampling_attrs[] = { "period", "freq", "cpu", "hw_smpl" };

#define LETTERS_BYTES 16

/* Letters for one attribute into @letters (at most 3); false when it is not one of ours. */
static bool translate_attr(const char *attr, char letters[LETTERS_BYTES])
{
	const char *value = strchr(attr, '=');
	size_t length = value ? (size_t)(value - attr) : strlen(attr), i;
	unsigned int n = value ? (unsigned int)strtoul(value + 1, NULL, 10) : 1;

	letters[0] = '\0';
	if (nti_mods_is(attr) && nti_text_append(letters, LETTERS_BYTES, attr))
		return true;
	for (i = 0; i < NTI_ARRAY_SIZE(mod_rows); i++) {
		if (strlen(mod_rows[i].name) != length ||
		    nti_text_compare_n(mod_rows[i].name, attr, length) != 0)
			continue;
		if (value && (!isdigit((unsigned char)value[1]) || value[2]))
			return false;
		for (; n > 0 && strlen(letters) < 4; n--)
			(void)nti_text_append(letters, LETTERS_BYTES, mod_rows[i].letter);
		if (mod_rows[i].letter[0] != 'p')
			letters[letters[0] ? 1 : 0] = '\0';
		return true;
	}
	return false;
}

static int refuse_sampling(const struct nti_pfm_request *r, const char *attr)
{
	size_t length = strcspn(attr, "="), i;

	for (i = 0; i < NTI_ARRAY_SIZE(sampling_attrs); i++)
		if (strlen(sampling_attrs[i]) == length &&
		    nti_text_compare_n(attr, sampling_attrs[i], length) == 0)
			return nti_error(
				r->e, -EINVAL,
				"event '%s': attribute %s is about sampling; ntime only counts",
				r->whole, sampling_attrs[i]);
	return 0;
}

/* Take the last attribute off when it is a modifier. 1 taken, 0 it is none, or -EINVAL. */
static int peel(struct nti_pfm_request *r)
{
	char *colon = strrchr(r->text, ':'), letters[LETTERS_BYTES];
	int ret;

	if (!colon)
		return 0;
	ret = refuse_sampling(r, colon + 1);
	if (ret < 0)
		return ret;
	if (!translate_attr(colon + 1, letters) ||
	    !nti_text_append(r->mods, sizeof(r->mods), letters))
		return 0;
	*colon = '\0';
	return 1;
}

/* Is @attr one of event @idx? Collects what there is beside it. */
static bool walk_attrs(int idx, const char *attr, struct nti_known *known)
{
	bool is_known = attr[0] == '0' && (attr[1] | 0x20) == 'x';
	pfm_event_info_t event;
	pfm_event_attr_info_t info;
	size_t length = strcspn(attr, "=");
	int i;

	if (nti_pfm_get_event(idx, &event) <= 0)
		return is_known;
	pfm_for_each_event_attr(i, &event)
	{
		if (nti_pfm_get_attr(idx, i, &info) <= 0)
			continue;
		if (strlen(info.name) == length && nti_text_compare_n(info.name, attr, length) == 0)
			is_known = true;
		nti_known_add(known, info.name);
	}
	return is_known;
}

/* libpfm4's number of the event alone, -1 when it has none. */
static int find_event(const struct nti_pfm_request *r)
{
	char name[NTI_PFM_TEXT_BYTES + NTI_PFM_NAME_BYTES];
	locale_t before;
	int idx;

	(void)snprintf(name, sizeof(name), "%s::%.*s", r->pmu.name, (int)strcspn(r->text, ":."),
		       r->text);
	before = nti_text_use_c();
	idx = pfm_find_event(name);
	uselocale(before);
	return idx;
}

/* "a, b": what may stand behind the event. */
static const char *attrs_of(int idx, struct nti_known *all)
{
	if (idx >= 0)
		(void)walk_attrs(idx, "", all);
	return all->text[0] ? all->text : "none";
}

/*
 * libpfm4 only says that some attribute is wrong; people want to know which, and what would be
 * right.
 */
static int refuse_attr(const struct nti_pfm_request *r)
{
	struct nti_known all = { .suggest = { .text = "" } };
	char copy[NTI_PFM_TEXT_BYTES], *attr, *save = NULL, near[256];
	int idx = find_event(r);

	(void)snprintf(copy, sizeof(copy), "%s", r->text);
	(void)strtok_r(copy, ":.", &save);
	while (idx >= 0 && (attr = strtok_r(NULL, ":.", &save))) {
		struct nti_known known = { .suggest = { .text = attr } };

		if (walk_attrs(idx, attr, &known))
			continue;
		nti_suggest_finish(&known.suggest, near, sizeof(near));
		return nti_error(r->e, -EINVAL, "event '%s': no attribute '%s'%s; there are %s",
				 r->whole, attr, near, known.text[0] ? known.text : "none");
	}
	return nti_error(
		r->e, -EINVAL,
		"event '%s': an attribute is missing or may not be used here; there are %s",
		r->whole, attrs_of(idx, &all));
}

static int refuse_umask(const struct nti_pfm_request *r, int error)
{
	struct nti_known all = { .suggest = { .text = "" } };

	return nti_error(r->e, -EINVAL, "event '%s': %s; its unit masks and attributes are %s",
			 r->whole,
			 error == PFM_ERR_UMASK ? "needs a unit mask"
						: "these unit masks cannot be combined",
			 attrs_of(find_event(r), &all));
}

static int refuse(const struct nti_pfm_request *r, int error)
{
	switch (error) {
	case PFM_ERR_NOTFOUND:
		return -ENOENT;
	case PFM_ERR_NOMEM:
		return nti_event_no_memory(r->e, r->whole);
	case PFM_ERR_ATTR:
		return refuse_attr(r);
	case PFM_ERR_UMASK:
	case PFM_ERR_FEATCOMB:
		return refuse_umask(r, error);
	case PFM_ERR_ATTR_VAL:
		return nti_error(r->e, -EINVAL,
				 "event '%s': the value of an attribute is out of its range",
				 r->whole);
	case PFM_ERR_ATTR_SET:
		return nti_error(r->e, -EINVAL,
				 "event '%s': an attribute contradicts what its unit mask fixes",
				 r->whole);
	default:
		return nti_error(r->e, -EINVAL, "event '%s': libpfm4 cannot encode it (%s)",
				 r->whole, pfm_strerror(error));
	}
}

/*
 * As written; then again and again without the last attribute while that is a modifier libpfm4 need
 * not know.
 */
int nti_pfm_encode(struct nti_pfm_request *r, struct nti_pfm_codes *out)
{
	/*
	 * Arm's encoder takes the hypervisor for excluded unless it is asked for; AMD's would count
	 * it alone.
	 */
	int dfl_plm = PFM_PLM0 | PFM_PLM3 | (nti_pfm_is_arm(&r->pmu) ? PFM_PLMH : 0), ret, peeled;

	for (;;) {
		ret = nti_pfm_encode_once(r->pmu.name, r->text, dfl_plm, out);
		if (ret != PFM_ERR_ATTR)
			return ret == PFM_SUCCESS ? 0 : refuse(r, ret);
		peeled = peel(r);
		if (peeled < 0)
			return peeled;
		if (!peeled)
			return refuse(r, ret);
	}
}
