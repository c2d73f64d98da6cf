// SPDX-License-Identifier: MIT
/* Why something cannot be counted. */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/absence.h"
#include "base/common/compiler.h"
#include "base/common/text.h"

/* What a remedy says where there is none. */
#define NO_REMEDY "none"

const struct nti_why nti_why_nothing = { NTIME_REASON_NONE, "", "", "" };

/* Word of each code, and where its remedies are applied. */
static const struct reason_row {
	const char *name;
	enum ntime_remedy_kind remedy_kind;
} reason_rows[] = {
	[NTIME_REASON_NONE] = { "", NTIME_REMEDY_NONE },
	/*
	 * Hardware that is not there is found in other machines, or events that other units have.
	 */
	[NTIME_REASON_NO_HARDWARE] = { "no-hardware", NTIME_REMEDY_ELSEWHERE },
	[NTIME_REASON_HYPERVISOR] = { "hypervisor", NTIME_REMEDY_ELSEWHERE },
	[NTIME_REASON_KERNEL] = { "kernel", NTIME_REMEDY_HERE },
	[NTIME_REASON_NOT_LOADED] = { "not-loaded", NTIME_REMEDY_HERE },
	[NTIME_REASON_NOT_MOUNTED] = { "not-mounted", NTIME_REMEDY_HERE },
	[NTIME_REASON_PERMISSION] = { "permission", NTIME_REMEDY_HERE },
	[NTIME_REASON_PARANOID] = { "paranoid", NTIME_REMEDY_HERE },
	[NTIME_REASON_LOCKDOWN] = { "lockdown", NTIME_REMEDY_HERE },
	[NTIME_REASON_SETTING] = { "setting", NTIME_REMEDY_HERE },
	[NTIME_REASON_BUSY] = { "busy", NTIME_REMEDY_HERE },
	[NTIME_REASON_LEFTOVER] = { "leftover", NTIME_REMEDY_HERE },
	[NTIME_REASON_OFFLINE] = { "offline", NTIME_REMEDY_HERE },
	[NTIME_REASON_LIMIT] = { "limit", NTIME_REMEDY_HERE },
	[NTIME_REASON_UNKNOWN_EVENT] = { "unknown-event", NTIME_REMEDY_HERE },
	[NTIME_REASON_NOT_SUPPORTED] = { "not-supported", NTIME_REMEDY_HERE },
	[NTIME_REASON_SCOPE] = { "scope", NTIME_REMEDY_HERE },
	[NTIME_REASON_RECORDING] = { "recording", NTIME_REMEDY_HERE },
	[NTIME_REASON_NOT_COUNTING] = { "not-counting", NTIME_REMEDY_ELSEWHERE },
	[NTIME_REASON_FAILED] = { "failed", NTIME_REMEDY_HERE },
	[NTIME_REASON_NOT_INSTALLED] = { "not-installed", NTIME_REMEDY_HERE },
	[NTIME_REASON_IMPLAUSIBLE] = { "implausible", NTIME_REMEDY_HERE },
	[NTIME_REASON_ERRATUM] = { "erratum", NTIME_REMEDY_HERE },
	[NTIME_REASON_FILTERED] = { "filtered", NTIME_REMEDY_ELSEWHERE },
	[NTIME_REASON_EVERY_MODE] = { "every-mode", NTIME_REMEDY_HERE },
	[NTIME_REASON_ONE_UNIT] = { "one-unit", NTIME_REMEDY_HERE },
	[NTIME_REASON_OUTLIVED] = { "outlived", NTIME_REMEDY_HERE },
};

const char *ntime_reason_name(uint32_t code)
{
	return code < NTI_ARRAY_SIZE(reason_rows) ? reason_rows[code].name : NULL;
}

const char *ntime_remedy_kind_name(uint32_t kind)
{
	static const char *const names[] = {
		[NTIME_REMEDY_NONE] = NO_REMEDY,
		[NTIME_REMEDY_HERE] = "here",
		[NTIME_REMEDY_ELSEWHERE] = "elsewhere",
	};

	return kind < NTI_ARRAY_SIZE(names) ? names[kind] : NULL;
}

static bool is_remedy(const char *remedy)
{
	return remedy && *remedy && strcmp(remedy, NO_REMEDY) != 0;
}

enum ntime_remedy_kind nti_remedy_kind(enum ntime_reason code, const char *remedy)
{
	return is_remedy(remedy) ? reason_rows[code].remedy_kind : NTIME_REMEDY_NONE;
}

const char *nti_why_remedy(const struct nti_why *why)
{
	return why->code == NTIME_REASON_NONE || is_remedy(why->remedy) ? why->remedy : NO_REMEDY;
}

void nti_absence_fini(struct nti_absence *a)
{
	free(a->about);
	free(a->reason);
	free(a->remedy);
	*a = (struct nti_absence){ 0 };
}

const char *nti_absence_cause(const struct nti_absence *a)
{
	return a->reason ? a->reason + a->cause_at : "";
}

/* Replace @a; @reason is taken over, also on failure. */
static int fill(struct nti_absence *a, enum ntime_reason code, const char *about,
		const char *remedy, char *reason)
{
	struct nti_absence new = {
		.code = code,
		.remedy_kind = nti_remedy_kind(code, remedy),
		.about = strdup(about),
		.reason = reason,
		.remedy = strdup(is_remedy(remedy) ? remedy : NO_REMEDY),
	};

	if (!new.about || !new.reason || !new.remedy) {
		nti_absence_fini(&new);
		return -ENOMEM;
	}
	nti_absence_fini(a);
	*a = new;
	return 0;
}

int nti_absence_set(struct nti_absence *a, enum ntime_reason code, const char *about,
		    const char *remedy, const char *reason, ...)
{
	char *text;
	va_list args;

	va_start(args, reason);
	text = nti_text_vformat(reason, args);
	va_end(args);
	return fill(a, code, about, remedy, text);
}

int nti_absence_set_failed(struct nti_absence *a, enum ntime_reason code, const char *about,
			   int error, const char *remedy, const char *reason, ...)
{
	char of[256], *text;
	va_list args;

	(void)snprintf(of, sizeof(of), "%.128s: %s", about, strerror(-error));
	va_start(args, reason);
	text = nti_text_vformat(reason, args);
	va_end(args);
	return fill(a, code, of, remedy, text);
}

int nti_absence_set_why(struct nti_absence *a, const struct nti_why *why)
{
	return fill(a, why->code, why->about, why->remedy, strdup(why->reason));
}

int nti_absence_set_needs(struct nti_absence *a, const char *event, const struct nti_absence *cause)
{
	const char *of_event = nti_absence_cause(cause);
	int ret = nti_absence_set(a, cause->code, cause->about, cause->remedy, "needs %s: %s",
				  event, of_event);

	if (ret == 0)
		a->cause_at = strlen(a->reason) - strlen(of_event);
	return ret;
}

int nti_absence_copy(struct nti_absence *to, const struct nti_absence *from)
{
	int ret;

	if (!from->reason) {
		nti_absence_fini(to);
		return 0;
	}
	ret = fill(to, from->code, from->about, from->remedy, strdup(from->reason));
	if (ret == 0)
		to->cause_at = from->cause_at;
	return ret;
}
