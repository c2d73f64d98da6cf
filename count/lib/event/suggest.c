// SPDX-License-Identifier: MIT
/* Names near a mistyped one. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/resolve.h"

#define WORD_BYTES 64
#define SUBSTRING_CHARS 3 /* shorter texts are inside everything */
#define SUBSTRING_SCORE 2

/*
 * Distance to the nearest part of the name between @delimiters: to "ref" or "cycles" of
 * "ref-cycles".
 */
static unsigned int part_distance(const char *text, const char *name, const char *delimiters,
				  unsigned int limit)
{
	unsigned int best = limit + 1;
	char word[WORD_BYTES];

	while (*name) {
		size_t length = strcspn(name, delimiters);

		if (length && length < sizeof(word)) {
			unsigned int distance;

			memcpy(word, name, length);
			word[length] = '\0';
			distance = nti_text_distance(text, word, limit);
			best = distance < best ? distance : best;
		}
		name += length + (name[length] != '\0');
	}
	return best;
}

/* Without what separates words: "pagef" is in "page-faults". */
static bool contains_squeezed(const char *name, const char *text)
{
	char word[WORD_BYTES];
	size_t used = 0;

	for (; *name && used + 1 < sizeof(word); name++)
		if (!strchr("-_.", *name))
			word[used++] = *name;
	word[used] = '\0';
	return nti_text_find(word, text) != NULL;
}

/* UINT_MAX: not near. Of equally near names the shorter is the likelier one. */
static unsigned int score_of(const char *text, const char *name, unsigned int limit)
{
	static const char *const delimiters[] = { "/:", "-_./:" };
	unsigned int best = nti_text_distance(text, name, limit);
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(delimiters) && best > 1; i++) {
		unsigned int part = part_distance(text, name, delimiters[i], limit);

		if (part <= limit && part + 1 < best)
			best = part + 1;
	}
	if (best > limit)
		best = UINT_MAX;
	if (best > SUBSTRING_SCORE && strlen(text) >= SUBSTRING_CHARS &&
	    (nti_text_find(name, text) || contains_squeezed(name, text)))
		best = SUBSTRING_SCORE;
	return best;
}

static bool is_offered(const struct nti_suggest *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (strcmp(s->best[i].name, name) == 0)
			return true;
	return false;
}

/* Sorted by score, then by length; the first offered stays first. */
void nti_suggest_offer(struct nti_suggest *s, const char *name)
{
	/*
	 * A third of the letters may be wrong; below, "cs" would be near to "tsc" and everything
	 * else.
	 */
	size_t limit = strlen(s->text) / 3;
	unsigned int score = score_of(s->text, name, limit > 4 ? 4 : (unsigned int)limit);
	size_t at = s->count, length = strlen(name);

	if (score == UINT_MAX || length >= NTI_SUGGEST_BYTES)
		return;
	score = score * NTI_SUGGEST_BYTES + (unsigned int)length;
	while (at > 0 && s->best[at - 1].score > score)
		at--;
	if (at == NTI_SUGGEST_COUNT || is_offered(s, name))
		return;
	if (s->count == NTI_SUGGEST_COUNT)
		s->count--;
	memmove(&s->best[at + 1], &s->best[at], (s->count - at) * sizeof(s->best[0]));
	memcpy(s->best[at].name, name, length + 1);
	s->best[at].score = score;
	s->count++;
}

void nti_suggest_finish(struct nti_suggest *s, char *buf, size_t size)
{
	size_t i, used;

	buf[0] = '\0';
	for (i = 0; i < s->count; i++) {
		used = strlen(buf);
		(void)snprintf(buf + used, size - used, "%s%s%s", i ? ", " : "; did you mean ",
			       s->best[i].name, i + 1 == s->count ? "?" : "");
	}
	s->count = 0;
}

static int offer_entry(void *arg, const struct nti_event_entry *entry)
{
	nti_suggest_offer(arg, entry->name);
	return 0;
}

/* Names of all languages; libpfm4's without unit masks, which would be thousands. */
static void offer_all(const struct nti_names *names, struct nti_suggest *s)
{
	(void)nti_generic_for_each(names, offer_entry, s);
	(void)nti_alias_for_each(names, offer_entry, s);
	if (strchr(s->text, ':'))
		(void)nti_tracepoint_for_each(names, offer_entry, s);
	nti_pfm_offer_events(names, s);
}

/*
 * What other tools call it: PAPI 7.0, src/papi_events.csv; perf's tool events, which are in Linux
 * 6.1, tools/perf/util/evsel.c.
 */
static const struct foreign {
	const char *name;
	const char *event;
	const char *instead; /* where it is no event here */
} foreign[] = {
	{ "PAPI_TOT_CYC", .event = "cycles" },
	{ "PAPI_REF_CYC", .event = "ref-cycles" },
	{ "PAPI_TOT_INS", .event = "instructions" },
	{ "PAPI_BR_INS", .event = "branches" },
	{ "PAPI_BR_MSP", .event = "branch-misses" },
	{ "PAPI_L1_DCM", .event = "L1-dcache-load-misses" },
	{ "PAPI_L1_ICM", .event = "L1-icache-load-misses" },
	{ "PAPI_L3_TCA", .event = "cache-references" },
	{ "PAPI_L3_TCM", .event = "cache-misses" },
	{ "PAPI_TLB_DM", .event = "dTLB-load-misses" },
	{ "PAPI_TLB_IM", .event = "iTLB-load-misses" },
	{ "duration_time", .instead = "real time is in every report" },
	{ "user_time", .instead = "the time in user mode is in every report" },
	{ "system_time", .instead = "the time in the kernel is in every report" },
};

static const struct foreign *find_foreign(const char *text)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(foreign); i++)
		if (nti_text_compare(foreign[i].name, text) == 0)
			return &foreign[i];
	return NULL;
}

/* "zen4" is no event, and there is a PMU model amd64_fam19h_zen4. */
static void suggest_model(const char *text, char *buf, size_t size)
{
	struct nti_suggest s = { .text = text };

	nti_pfm_offer_models(&s);
	if (s.count)
		(void)snprintf(buf, size, "; 'ntime list --cpu %s' lists those of that processor",
			       s.best[0].name);
}

int nti_suggest_event(const struct nti_names *names, const char *text, struct nti_error *e)
{
	char near[512], base[NTI_SUGGEST_BYTES];
	const struct foreign *known = find_foreign(text);
	struct nti_suggest s = { .text = text };

	if (known && known->instead)
		return nti_error(e, -ENOENT, "no event '%s': %s", text, known->instead);
	if (known)
		return nti_error(e, -ENOENT, "no event '%s'; it is called %s here", text,
				 known->event);
	offer_all(names, &s);
	/*
	 * "INST_RETIERD:ANY_P": the mistake is more likely before the unit mask than in the whole.
	 */
	if (!s.count && strchr(text, ':') && strcspn(text, ":") < sizeof(base)) {
		(void)snprintf(base, sizeof(base), "%.*s", (int)strcspn(text, ":"), text);
		s.text = base;
		nti_pfm_offer_events(names, &s);
	}
	nti_suggest_finish(&s, near, sizeof(near));
	if (!*near)
		suggest_model(text, near, sizeof(near));
	return nti_error(e, -ENOENT, "no event '%s'%s ('ntime list' shows all)", text, near);
}

int nti_suggest_unit(const struct nti_names *names, const char *unit, struct nti_error *e)
{
	struct nti_suggest s = { .text = unit };
	char near[512];
	size_t i;

	for (i = 0; i < names->units->count; i++)
		nti_suggest_offer(&s, names->units->unit[i]->name);
	nti_pfm_offer_models(&s);
	nti_suggest_finish(&s, near, sizeof(near));
	return nti_error(e, -ENOENT, "no unit or PMU model '%s'%s", unit, near);
}
