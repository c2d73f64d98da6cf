// SPDX-License-Identifier: MIT
/* What is known of this machine's processors against the counts of an item. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/context/errata.h"
#include "count/lib/count/doubt.h"
#include "count/lib/count/session.h"

/* Event select and unit mask of x86, event number of Arm. */
#define CODE_MASK 0xffffull
/* AMD's event selects have four more bits there; those of others say something else. */
#define CODE_MASK_AMD (CODE_MASK | 0xfull << 32)
/* Of an event select alone, which two digits are, the unit mask may be any. */
#define UNIT_MASK 0xff00ull
#define SELECT_DIGITS 2

/* Is "rHEX" the code of @item's only event, which a core PMU counts? */
static bool is_code(const struct nti_session_item *item, const char *event, uint64_t mask)
{
	const struct nti_part *part = &item->event.part[0];
	char *end;
	uint64_t code;

	if (*event != 'r' || part->unit->kind != NTI_UNIT_CORE ||
	    part->attr.type == PERF_TYPE_HARDWARE || part->attr.type == PERF_TYPE_HW_CACHE)
		return false;
	code = strtoull(event + 1, &end, 16);
	if (end == event + 1 + SELECT_DIGITS)
		mask &= ~UNIT_MASK;
	return end != event + 1 && !*end && (part->attr.config & mask) == code;
}

static bool is_about(const struct ntime_session *s, const struct nti_session_item *item,
		     const struct nti_erratum *e)
{
	bool is_amd = s->ctx->units.cpu.vendor == NTHW_VENDOR_AMD;
	size_t i;

	for (i = 0; i < e->events; i++)
		if (is_code(item, e->event[i], is_amd ? CODE_MASK_AMD : CODE_MASK) ||
		    nti_doubt_is_about(item, e->event[i]))
			return true;
	return false;
}

/* The worst erratum that @item has; NULL: none. */
static const struct nti_erratum *worst_of(struct ntime_session *s,
					  const struct nti_session_item *item)
{
	const struct nti_erratum *e, *worst = NULL;
	size_t next = 0;

	/* What the kernel counts by itself has no silicon to be wrong. */
	if (!item->event.parts || !item->event.part[0].unit ||
	    item->event.part[0].unit->kind == NTI_UNIT_SOFTWARE)
		return NULL;
	while ((e = nti_context_erratum(s->ctx, &next)))
		if (is_about(s, item, e) && (!worst || e->action > worst->action))
			worst = e;
	return worst;
}

static int explain(const struct nti_erratum *e, enum ntime_reason code, struct nti_absence *out)
{
	return nti_absence_set(out, code, e->name, e->remedy, "erratum %s: %s", e->name, e->about);
}

int nti_session_refuse_erratum(struct ntime_session *s, struct nti_session_item *item)
{
	const struct nti_erratum *e = worst_of(s, item);

	return e && e->action == NTI_ERRATUM_REFUSE && !item->absent.reason
		       ? explain(e, NTIME_REASON_ERRATUM, &item->absent)
		       : 0;
}

int nti_session_doubt_erratum(struct ntime_session *s, struct nti_session_item *item)
{
	const struct nti_erratum *e = worst_of(s, item);

	if (!e && item->event.corrected && !item->doubt.reason)
		return nti_absence_set(&item->doubt, NTIME_REASON_ERRATUM, "libpfm4", "none", "%s",
				       item->event.corrected);
	if (!e || item->doubt.reason)
		return 0;
	return explain(
		e, e->action == NTI_ERRATUM_NOTE ? NTIME_REASON_ERRATUM : NTIME_REASON_IMPLAUSIBLE,
		&item->doubt);
}
