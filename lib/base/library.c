// SPDX-License-Identifier: MIT
/* A library of others that is not there, as a sentence. */
#include "lib/base/library.h"

int nti_library_need(struct nti_lazy *l, const char *what, struct nti_error *e)
{
	char why[NTI_LAZY_WHY_BYTES];
	int ret = nti_lazy_load(l, why);

	return ret < 0 ? nti_error(e, ret, "%s: %s cannot be loaded (%s); install %s", what,
				   l->file, why, l->package)
		       : 0;
}
