// SPDX-License-Identifier: MIT
/* What is missing, in sentences. */
#include <stdio.h>
#include <string.h>

#include "cli/watch_absence.h"

#define SENTENCE_BYTES 2048

/* Metrics that lack different events of one unit lack the unit: "needs EVENT: why" is why. */
static const char *why(const struct cli_watch_absence *a)
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

static bool is_alike(const struct cli_watch_absence *a, const struct cli_watch_absence *b)
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
static bool has_event_before(const struct cli_watch_items *items, size_t first, size_t i)
{
	for (size_t k = first; k < i; k++)
		if (is_alike(&items->absence[k], &items->absence[first]) &&
		    strcmp(why(&items->absence[k]), why(&items->absence[i])) == 0)
			return true;
	return false;
}

static bool was_told(const struct cli_watch_items *items, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_alike(&items->absence[k], &items->absence[i]))
			return true;
	return false;
}

static size_t add(char *text, size_t used, const char *part)
{
	if (used < SENTENCE_BYTES)
		used += (size_t)snprintf(text + used, SENTENCE_BYTES - used, "%s", part);
	return used;
}

/* All names that have what the @first one has; all there are when that does not matter. */
static size_t add_names(char *text, const struct cli_watch_items *items, size_t first,
			bool is_brief)
{
	size_t used = 0;

	for (size_t i = first; i < items->absences; i++) {
		if (!is_brief && !is_alike(&items->absence[i], &items->absence[first]))
			continue;
		if (i > first)
			used = add(text, used, ", ");
		used = add(text, used, items->absence[i].name);
	}
	return used;
}

/* Why all that are like the @first one are missing. */
static size_t add_why(char *text, size_t used, const struct cli_watch_items *items, size_t first)
{
	const char *reason = why(&items->absence[first]);
	size_t before = chars_before_event(reason);
	char part[SENTENCE_BYTES];

	if (!*reason)
		return add(text, used, "this machine has nothing that counts it");
	if (!before)
		return add(text, used, reason);
	for (size_t i = first; i < items->absences; i++) {
		const char *other = why(&items->absence[i]);

		if (!is_alike(&items->absence[i], &items->absence[first]) ||
		    has_event_before(items, first, i))
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

void cli_watch_absences_tell(const struct cli_watch_items *items, bool is_brief,
			     void (*say)(void *arg, const char *sentence), void *arg)
{
	char text[SENTENCE_BYTES];

	for (size_t i = 0; i < items->absences; i++) {
		const struct cli_watch_absence *a = &items->absence[i];
		size_t used;

		if (was_told(items, i))
			continue;
		used = add_names(text, items, i, is_brief);
		if (!is_brief) {
			used = add(text, used, ": ");
			used = add_why(text, used, items, i);
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
