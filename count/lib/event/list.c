// SPDX-License-Identifier: MIT
/* Lists of events: "a,{b,c}:u,d/x,y=1/". */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/event.h"

struct splitter {
	const char *list; /* whole, for sentences */
	unsigned int groups;
	int (*fn)(void *arg, const char *text, unsigned int group);
	void *arg;
	struct nti_error *e;
};

/* One event of the list, trimmed, with the modifiers of its group behind it. */
static int emit(const struct splitter *s, const char *text, size_t length, const char *mods,
		size_t mods_length, unsigned int group)
{
	char *copy = strndup(text, length), *trimmed, *whole;
	int ret;

	if (!copy)
		return nti_error(s->e, -ENOMEM, "not enough memory for the event list");
	trimmed = nti_text_trim(copy);
	if (!*trimmed) {
		free(copy);
		return nti_error(s->e, -EINVAL,
				 "event list '%s': an event is missing between commas or braces",
				 s->list);
	}
	whole = mods_length ? nti_text_format("%s:%.*s", trimmed, (int)mods_length, mods)
			    : nti_text_format("%s", trimmed);
	free(copy);
	if (!whole)
		return nti_error(s->e, -ENOMEM, "not enough memory for the event list");
	ret = s->fn(s->arg, whole, group);
	free(whole);
	return ret;
}

/*
 * Length of the entry at @text: up to a comma or brace outside "/terms/". In a formula ("X=a/b")
 * slashes divide and commas may stand in parentheses, so there only those protect a comma.
 */
static int entry_length(const struct splitter *s, const char *text, size_t *length)
{
	bool is_formula = false, in_terms = false;
	int depth = 0;
	const char *p;

	for (p = text; *p; p++) {
		if (*p == '=' && !in_terms && p > text)
			is_formula = true;
		else if (*p == '/' && !is_formula)
			in_terms = !in_terms;
		else if (*p == '(' && is_formula)
			depth++;
		else if (*p == ')' && is_formula && depth > 0)
			depth--;
		else if (strchr(",{}", *p) && !in_terms && depth == 0)
			break;
	}
	if (in_terms)
		return nti_error(s->e, -EINVAL,
				 "event list '%s': the / that ends the terms of '%s' is missing",
				 s->list, text);
	*length = (size_t)(p - text);
	return 0;
}

/*
 * From the first event of a group to its brace, calling @fn only when @is_real; *text moves to the
 * closing brace.
 */
static int walk_group(const struct splitter *s, const char **text, bool is_real, const char *mods,
		      size_t mods_length)
{
	size_t length;
	int ret;

	for (;;) {
		ret = entry_length(s, *text, &length);
		if (ret < 0)
			return ret;
		if (is_real) {
			ret = emit(s, *text, length, mods, mods_length, s->groups);
			if (ret)
				return ret;
		}
		*text += length;
		if (**text == '}')
			return 0;
		if (!**text)
			return nti_error(s->e, -EINVAL,
					 "event list '%s': a group { is not closed by }", s->list);
		if (**text == '{')
			return nti_error(s->e, -EINVAL, "event list '%s': groups cannot be nested",
					 s->list);
		(*text)++;
	}
}

/*
 * @text is behind the opening brace. The modifiers stand at the end, so the group is walked twice.
 */
static int split_group(struct splitter *s, const char **text)
{
	const char *end = *text, *mods;
	size_t mods_length = 0;
	int ret;

	ret = walk_group(s, &end, false, NULL, 0);
	if (ret)
		return ret;
	end++;
	mods = end;
	if (*end == ':') {
		mods++;
		mods_length = strcspn(mods, ",{}/ \t\n");
		end = mods + mods_length;
		if (!mods_length)
			return nti_error(
				s->e, -EINVAL,
				"event list '%s': modifiers are missing after }:", s->list);
	}
	end += strspn(end, " \t\n");
	if (*end && *end != ',')
		return nti_error(
			s->e, -EINVAL,
			"event list '%s': expected a comma or :modifiers after }, not '%s'",
			s->list, end);
	s->groups++;
	ret = walk_group(s, text, true, mods, mods_length);
	*text = end;
	return ret;
}

static int split_single(struct splitter *s, const char **text)
{
	size_t length;
	int ret = entry_length(s, *text, &length);

	if (ret < 0)
		return ret;
	if ((*text)[length] == '}')
		return nti_error(s->e, -EINVAL, "event list '%s': a } without {", s->list);
	if ((*text)[length] == '{')
		return nti_error(
			s->e, -EINVAL,
			"event list '%s': a { in the middle of an event; a comma is missing",
			s->list);
	ret = emit(s, *text, length, NULL, 0, 0);
	*text += length;
	return ret;
}

int nti_event_list_split(const char *list,
			 int (*fn)(void *arg, const char *text, unsigned int group), void *arg,
			 struct nti_error *e)
{
	struct splitter s = { .list = list, .fn = fn, .arg = arg, .e = e };
	const char *text = list;
	int ret;

	for (;;) {
		text += strspn(text, " \t\n");
		if (*text == '{') {
			text++;
			ret = split_group(&s, &text);
		} else {
			ret = split_single(&s, &text);
		}
		if (ret || !*text)
			return ret;
		text++; /* the comma */
	}
}
