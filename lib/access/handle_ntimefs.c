// SPDX-License-Identifier: MIT
/*
 * Handles on registers through ntime's driver, which keeps owners apart and restores registers
 * itself.
 */
#include <string.h>

#include "lib/access/handle_inner.h"

static bool reaches(enum nthw_space space)
{
	(void)space;
	return true;
}

static bool reaches_core(struct nti_os *os)
{
	(void)os;
	return true;
}

static int open_ntimefs(struct nti_handle *handle, const struct nti_handle_request *what)
{
	return nti_ntimefs_new(handle->handles->os, what->box ? what->box->function : "",
			       &handle->handles->error, &handle->fs);
}

static int explain(struct nti_handles *l, const struct nti_handle_request *what, int error,
		   struct nti_absence *out)
{
	char where[NTI_HANDLE_WHERE_BYTES];

	nti_handle_where(what, where, sizeof(where));
	if (l->recent && l->recent->fs)
		return nti_ntimefs_explain(l->recent->fs, where, error, out);
	return nti_absence_set_failed(out, NTIME_REASON_FAILED, where, error, "dmesg",
				      "the registers of %s cannot be opened: %s", where,
				      strerror(-error));
}

const struct nti_method_ops nti_method_ntimefs = {
	.reaches = reaches,
	.reaches_core = reaches_core,
	.probe = nti_ntimefs_probe,
	.open = open_ntimefs,
	.explain = explain,
};
