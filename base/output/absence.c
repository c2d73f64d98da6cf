// SPDX-License-Identifier: MIT
/* What is missing, in sentences. */
#include <stdio.h>
#include <string.h>

#include "base/output/absence.h"

bool cli_absence_is_alike(const struct cli_absence *a, const struct cli_absence *b)
{
	return a->reason_code == b->reason_code && strcmp(a->about, b->about) == 0 &&
	       strcmp(a->remedy, b->remedy) == 0;
}

const char *cli_absence_why(const struct cli_absence *a)
{
	return *a->cause ? a->cause : "this machine has nothing that counts it";
}

const char *cli_absence_short(const struct cli_absence *a)
{
	switch (a->reason_code) {
	case NTIME_REASON_NO_HARDWARE:
		return "this machine has none";
	case NTIME_REASON_HYPERVISOR:
		return "this VM has none";
	case NTIME_REASON_KERNEL:
		return "this kernel has none";
	case NTIME_REASON_PERMISSION:
	case NTIME_REASON_PARANOID:
		return "this user may not";
	case NTIME_REASON_FILTERED:
		return "a sandbox forbids it";
	default:
		return cli_absence_why(a);
	}
}

bool cli_absence_was_told(const struct cli_absence *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (cli_absence_is_alike(&all[k], &all[i]))
			return true;
	return false;
}

static size_t add(char *text, size_t used, const char *part)
{
	if (used < CLI_ABSENCE_BYTES)
		used += (size_t)snprintf(text + used, CLI_ABSENCE_BYTES - used, "%s", part);
	return used;
}

/* All names that have what the @first one has; all there are when that does not matter. */
static size_t add_names(char *text, const struct cli_absence *all, size_t n, size_t first,
			bool is_brief)
{
	size_t used = 0;

	for (size_t i = first; i < n; i++) {
		if (!is_brief && !cli_absence_is_alike(&all[i], &all[first]))
			continue;
		if (i > first)
			used = add(text, used, ", ");
		used = add(text, used, all[i].name);
	}
	return used;
}

void cli_absences_tell(const struct cli_absence *all, size_t n, bool is_brief,
		       void (*say)(void *arg, const char *sentence), void *arg)
{
	char text[CLI_ABSENCE_BYTES];

	for (size_t i = 0; i < n; i++) {
		const struct cli_absence *a = &all[i];
		size_t used;

		if (cli_absence_was_told(all, i))
			continue;
		used = add_names(text, all, n, i, is_brief);
		if (!is_brief) {
			used = add(text, used, ": ");
			used = add(text, used, cli_absence_why(a));
		}
		if (!is_brief && a->remedy_kind != NTIME_REMEDY_NONE) {
			used = add(text, used, " (");
			used = add(text, used, a->remedy);
			(void)add(text, used, ")");
		}
		say(arg, text);
		if (is_brief)
			return;
	}
}
