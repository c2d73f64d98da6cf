// SPDX-License-Identifier: MIT
/* A library of others that is not there, as a sentence. */
#include <errno.h>
#include <stdio.h>

#include "base/common/library.h"

int nti_library_need(struct nti_lazy *l, const char *what, struct nti_error *e)
{
	char why[NTI_LAZY_WHY_BYTES];
	int ret = nti_lazy_load(l, why);

	if (ret == -ENOMEM)
		return ret;
	return ret < 0 ? nti_error(e, ret, "%s: %s cannot be loaded (%s); install %s", what,
				   l->file, why, l->package)
		       : 0;
}

int nti_library_explain(struct nti_lazy *l, struct nti_absence *out)
{
	char why[NTI_LAZY_WHY_BYTES], remedy[64];
	int ret;

	ret = nti_lazy_load(l, why);
	if (!ret || ret == -ENOMEM)
		return ret;
	(void)snprintf(remedy, sizeof(remedy), "install %s", l->package);
	ret = nti_absence_set(out, NTIME_REASON_NOT_INSTALLED, l->package, remedy,
			      "%s, which is needed for %s, cannot be loaded (%s)", l->file,
			      l->what_for, why);
	return ret < 0 ? ret : 1;
}
