// SPDX-License-Identifier: MIT
/* Why something cannot be counted. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/absence.h"

void nti_absence_fini(struct nti_absence *a)
{
	free(a->reason);
	free(a->remedy);
	a->reason = NULL;
	a->remedy = NULL;
}

int nti_absence_set(struct nti_absence *a, const char *remedy, const char *reason, ...)
{
	struct nti_absence new = { 0 };
	va_list args;
	int n;

	new.remedy = strdup(remedy ? remedy : "");
	va_start(args, reason);
	n = vasprintf(&new.reason, reason, args);
	va_end(args);
	if (n < 0 || !new.remedy) {
		if (n < 0)
			new.reason = NULL; /* vasprintf() leaves it undefined */
		nti_absence_fini(&new);
		return -ENOMEM;
	}
	nti_absence_fini(a);
	*a = new;
	return 0;
}

int nti_absence_copy(struct nti_absence *to, const struct nti_absence *from)
{
	if (!from->reason) {
		nti_absence_fini(to);
		return 0;
	}
	return nti_absence_set(to, from->remedy, "%s", from->reason);
}
