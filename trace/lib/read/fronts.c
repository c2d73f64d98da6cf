// SPDX-License-Identifier: MIT
/* All front ends. */
#include "base/common/compiler.h"
#include "trace/lib/read/front.h"
#include "trace/lib/read/fronts.h"

static const struct nti_trace_front *const fronts[] = {
	&nti_trace_vfio,  &nti_trace_simple, &nti_trace_mmiotrace,
	&nti_trace_demmt, &nti_trace_binary,
};

const struct nti_trace_front *nti_trace_front_of(uint32_t form)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(fronts); i++) {
		if (fronts[i]->form == form)
			return fronts[i];
	}
	return NULL;
}

const struct nti_trace_front *nti_trace_front_match(const char *head, size_t n, int *score)
{
	const struct nti_trace_front *best = NULL;
	size_t i;
	int s;

	*score = 0;
	for (i = 0; i < NTI_ARRAY_SIZE(fronts); i++) {
		s = fronts[i]->match(head, n);
		if (s > *score) {
			*score = s;
			best = fronts[i];
		}
	}
	return best;
}
