// SPDX-License-Identifier: MIT
/* What is missing, in sentences. */
#include <stdio.h>
#include <string.h>

#include "cli/output/absence.h"

/* Metrics that lack different events of one unit lack the unit: "needs EVENT: why" is why. */
static const char *why(const struct cli_absence *a)
{
	const char *colon = strncmp(a->reason, "needs ", 6) == 0 ? strstr(a->reason, ": ") : NULL;

	return colon ? colon + 2 : a->reason;
}

/*
 * "this processor does not have C6 of cstate": the event's name is the only word that differs between those of one unit, and the names before the
 * colon say as much. Length of the part before it; 0: it is no such reason.
 */
static size_t chars_before_event(const char *reason)
{
	static const char *const beginnings[] = { "this processor does not have ", "this guest no ",
						  ") shows no " };

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		const char *at = strstr(reason, beginnings[i]);
		size_t word;

		if (!at)
			continue;
		at += strlen(beginnings[i]);
		word = strcspn(at, " ");
		if (strncmp(at + word, " of ", 4) == 0)
			return (size_t)(at - reason);
	}
	return 0;
}

/* What stands behind the event's name. */
static const char *after_event(const char *reason, size_t before)
{
	return reason + before + strcspn(reason + before, " ");
}

bool cli_absence_is_alike(const struct cli_absence *a, const struct cli_absence *b)
{
	size_t before = chars_before_event(why(a));

	if (strcmp(a->remedy, b->remedy) != 0)
		return false;
	if (strcmp(why(a), why(b)) == 0)
		return true;
	return before && before == chars_before_event(why(b)) &&
	       strncmp(why(a), why(b), before) == 0 &&
	       strcmp(after_event(why(a), before), after_event(why(b), before)) == 0;
}

/* Events of one sentence: "c3-residency, c6-residency", each once. */
static bool has_event_before(const struct cli_absence *all, size_t first, size_t i)
{
	for (size_t k = first; k < i; k++)
		if (cli_absence_is_alike(&all[k], &all[first]) &&
		    strcmp(why(&all[k]), why(&all[i])) == 0)
			return true;
	return false;
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

/* Why all that are like the @first one are missing. */
static size_t add_why(char *text, size_t used, const struct cli_absence *all, size_t n,
		      size_t first)
{
	const char *reason = why(&all[first]);
	size_t before = chars_before_event(reason);
	char part[CLI_ABSENCE_BYTES];

	if (!*reason)
		return add(text, used, "this machine has nothing that counts it");
	if (!before)
		return add(text, used, reason);
	for (size_t i = first; i < n; i++) {
		const char *other = why(&all[i]);

		if (!cli_absence_is_alike(&all[i], &all[first]) || has_event_before(all, first, i))
			continue;
		(void)snprintf(part, sizeof(part), "%.*s",
			       (int)(after_event(other, before) - other - (long)before),
			       other + before);
		if (i == first)
			(void)snprintf(part, sizeof(part), "%.*s",
				       (int)(after_event(other, before) - other), other);
		else
			used = add(text, used, ", ");
		used = add(text, used, part);
	}
	return add(text, used, after_event(reason, before));
}

void cli_absence_why(const struct cli_absence *all, size_t n, size_t first,
		     char text[CLI_ABSENCE_BYTES])
{
	(void)add_why(text, 0, all, n, first);
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
			used = add_why(text, used, all, n, i);
		}
		if (!is_brief && *a->remedy) {
			used = add(text, used, " (");
			used = add(text, used, a->remedy);
			(void)add(text, used, ")");
		}
		say(arg, text);
		if (is_brief)
			return;
	}
}
