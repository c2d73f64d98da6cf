// SPDX-License-Identifier: MIT
/* libpfm4's table of PMUs. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/pfm.h"
#include "base/lazy/lazy.h"

/*
 * libpfm4 is one global table per process. LIBPFM_ENCODE_INACTIVE is its only switch for models of
 * other machines, and is read once. It is taken back so that programs we start see the environment
 * they were given; a user's own setting stays. A program that initialised libpfm4 before us keeps
 * what it chose: then only models of this machine can be encoded.
 */
static pthread_mutex_t pfm_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_started;

/* Where memory is short nothing was asked of libpfm4 yet. */
static int start_pfm(void)
{
	bool is_ours = !getenv("LIBPFM_ENCODE_INACTIVE");

	if (is_ours && setenv("LIBPFM_ENCODE_INACTIVE", "1", 0))
		return -ENOMEM;
	(void)pfm_initialize();
	if (is_ours)
		(void)unsetenv("LIBPFM_ENCODE_INACTIVE");
	is_started = true;
	return 0;
}

/*
 * The first call loads libpfm4 and has it read its tables in; the answer of later ones is kept by
 * libpfm4. Without the library each call looks for it again, so that it may be installed while we
 * run.
 */
int nti_pfm_start(void)
{
	int ret = nti_lazy_load(&nti_lazy_pfm, NULL);

	if (ret < 0)
		return ret == -ENOMEM ? ret : 0;
	(void)pthread_mutex_lock(&pfm_lock);
	if (!is_started)
		ret = start_pfm();
	(void)pthread_mutex_unlock(&pfm_lock);
	return ret < 0 ? ret : pfm_initialize() == PFM_SUCCESS;
}

bool nti_pfm_get_pmu(int i, pfm_pmu_info_t *out)
{
	memset(out, 0, sizeof(*out));
	out->size = sizeof(*out);
	return pfm_get_pmu_info((pfm_pmu_t)i, out) == PFM_SUCCESS;
}

bool nti_pfm_find_pmu(const char *name, pfm_pmu_info_t *out)
{
	int i;

	if (nti_pfm_start() <= 0)
		return false;
	pfm_for_all_pmus(i)
	{
		if (nti_pfm_get_pmu(i, out) && nti_text_compare(out->name, name) == 0)
			return true;
	}
	return false;
}

/* "skx_unc_cha" is the family of skx_unc_cha0, skx_unc_cha1 ...: all boxes of one name. */
bool nti_pfm_find_family(const char *name, pfm_pmu_info_t *out)
{
	char first[NTI_PFM_NAME_BYTES];

	(void)snprintf(first, sizeof(first), "%.200s0", name);
	return nti_text_find(name, "_unc_") && nti_pfm_find_pmu(first, out);
}

bool nti_pfm_is_model(const char *name)
{
	pfm_pmu_info_t info;

	return nti_pfm_find_pmu(name, &info) || nti_pfm_find_family(name, &info);
}

/* Only box 0 (or the only one) of each kind is asked: it stands for its family. */
bool nti_pfm_is_first_box(const char *name)
{
	size_t length = strlen(name);

	return !isdigit((unsigned char)name[length - 1]) ||
	       (name[length - 1] == '0' && !isdigit((unsigned char)name[length - 2]));
}
