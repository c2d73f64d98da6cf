/* SPDX-License-Identifier: MIT */
/*
 * Registers that the counters of a PMU instance share: which bits must stay, because somebody
 * else's counters run by them. Between the files of claims.
 */
#ifndef NTI_CLAIM_SHARED_H
#define NTI_CLAIM_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include "count/lib/access/claim_file.h"

/*
 * Lets counters run (a bit each), or stops the whole box: what a repair changes in it may concern
 * others.
 */
bool nti_claim_is_shared(const struct nti_claim_line *line);

/*
 * Bits of shared register @index of @record that are to stay as they are found: the enable bits of
 * counters that are enabled now and are not the record's, and what stops the box while there are
 * such. A bit cannot tell by itself whose it is; the select registers do. Reads only. 0, or the
 * error of an access.
 */
int nti_claim_needed(struct nti_claim_access *handles, const struct nti_claim_record *record,
		     size_t index, uint64_t *bits, struct nti_error *e);

#endif
