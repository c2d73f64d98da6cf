/* SPDX-License-Identifier: MIT */
/*
 * Between the files of this folder: one resolver per language of event names, see event.h for their
 * order.
 *
 * A resolver returns 0 (the event is in @out, all parts), -ENOENT (not a name of its language; no
 * sentence stored unless said otherwise) or another -errno with a sentence in @e. It never leaves a
 * half-made event: nti_event_parse() clears what a failed resolver left.
 */
#ifndef NTI_RESOLVE_H
#define NTI_RESOLVE_H

#include "count/lib/event/event.h"

/* Add one part; @attr holds type and config*, and for libpfm4 also exclude_*. 0 or -ENOMEM. */
int nti_event_add_part(struct nti_event *event, const struct nti_unit *unit,
		       const struct perf_event_attr *attr);
/* Fill the texts that are still empty. 0 or -ENOMEM. NULL leaves one as it is. */
int nti_event_describe(struct nti_event *event, const char *desc, const char *unit_text);
int nti_event_no_memory(struct nti_error *e, const char *text);

/* How many core PMUs, and the next one: more than one on hybrids and big.LITTLE. */
size_t nti_core_count(const struct nti_units *units);
const struct nti_unit *nti_core_next(const struct nti_units *units, size_t *from);

/* What stands behind the last colon or slash. */
struct nti_mods {
	bool user, kernel, hv, host, guest; /* letters u k h H G */
	bool idle, pinned, exclusive;	    /* I D e */
	unsigned int precise;		    /* number of p */
};
/* True when @text consists of perf's modifier letters, supported or not. */
bool nti_mods_is(const char *text);
/*
 * -EINVAL with a sentence for letters that make no sense here. @event is the whole text, for the
 * sentence.
 */
int nti_mods_parse(const char *text, const char *event, struct nti_mods *out, struct nti_error *e);
/*
 * Set exclude_*, precise_ip, pinned and exclusive of every part; -EINVAL where a unit cannot honour
 * them.
 */
int nti_mods_apply(const struct nti_mods *mods, struct nti_event *event, struct nti_error *e);

/* The code of "r1a8"; -EINVAL with a sentence on @event: it is too long. -ENOENT: it is none. */
int nti_raw_parse(const char *text, const char *event, uint64_t *config, struct nti_error *e);
/* r1a8: raw code of the core PMUs (only @unit where it is not NULL). */
int nti_raw_resolve(const struct nti_names *names, const struct nti_unit *unit, const char *text,
		    struct nti_event *out, struct nti_error *e);

/* cycles, page-faults, L1-dcache-load-misses, tsc. */
int nti_generic_resolve(const struct nti_names *names, const struct nti_unit *unit,
			const char *text, struct nti_event *out, struct nti_error *e);
/* "cycles" of PERF_COUNT_HW_CPU_CYCLES, however it was spelled; NULL: it is no generic event. */
const char *nti_generic_name(const struct perf_event_attr *attr);
/* Does the kernel count @text by itself? */
bool nti_generic_is_software(const char *text);
int nti_generic_for_each(const struct nti_names *names,
			 int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg);

/* PMU "pmu" with terms "a=1,b"; -ENOENT and a sentence when no unit is called so. */
int nti_terms_resolve(const struct nti_names *names, const char *pmu, const char *terms,
		      struct nti_event *out, struct nti_error *e);
/* A name in UNIT/events. */
int nti_alias_resolve(const struct nti_names *names, const struct nti_unit *unit, const char *text,
		      struct nti_event *out, struct nti_error *e);
int nti_alias_for_each(const struct nti_names *names,
		       int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg);
/*
 * An event of @unit, in sysfs, else in count/data/events, whose config is @config in the bits of
 * @mask: 1, and it is in @found, which the caller frees; 0 or -ENOMEM.
 */
int nti_alias_find(const struct nti_names *names, const struct nti_unit *unit, uint64_t config,
		   uint64_t mask, struct nti_event *found);
/* Is there one? */
int nti_alias_has_code(const struct nti_names *names, const struct nti_unit *unit, uint64_t config,
		       uint64_t mask);

/* sched:sched_switch. Where the files may not be read: 0 and an absent event. */
int nti_tracepoint_resolve(const struct nti_names *names, const char *text, struct nti_event *out,
			   struct nti_error *e);
/* Why no tracepoint's number can be read; nti_why_nothing where one can. */
const struct nti_why *nti_tracepoint_problem(const struct nti_names *names);
int nti_tracepoint_for_each(const struct nti_names *names,
			    int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg);

/*
 * libpfm4. @model is a PMU name of libpfm4, @unit a unit of this machine, both may be NULL: this
 * machine's models.
 */
int nti_pfm_resolve(const struct nti_names *names, const char *model, const struct nti_unit *unit,
		    const char *text, struct nti_event *out, struct nti_error *e);
/* The first call reads libpfm4's tables in. 1; 0: libpfm4 is of no use; -ENOMEM. */
int nti_pfm_start(void);
bool nti_pfm_is_model(const char *name);
int nti_pfm_for_each(const struct nti_names *names,
		     int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg);

/* Fill .need of a part from its unit and attr. */
void nti_need_fill(struct nti_part *part);

/* proc_event.c: "proc/TERMS/", and all of them. As nti_terms_resolve() and nti_alias_for_each(). */
int nti_proc_resolve(const struct nti_names *names, const struct nti_unit *unit, const char *terms,
		     struct nti_event *out, struct nti_error *e);
int nti_proc_for_each(const struct nti_names *names, const struct nti_unit *unit,
		      int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg);

/* -ENOENT with 'no event "X"; did you mean A, B? ("ntime list" shows all)'. */
int nti_suggest_event(const struct nti_names *names, const char *text, struct nti_error *e);
/* -ENOENT with 'no unit or PMU model "X"; did you mean A, B?'. */
int nti_suggest_unit(const struct nti_names *names, const char *unit, struct nti_error *e);

/* The nearest of the names that are offered, at most three. */
#define NTI_SUGGEST_COUNT 3
#define NTI_SUGGEST_BYTES 256 /* longer names are near to nothing */
struct nti_suggest {
	const char *text;
	struct {
		char name[NTI_SUGGEST_BYTES];
		unsigned int score;
	} best[NTI_SUGGEST_COUNT];
	size_t count;
};
void nti_suggest_offer(struct nti_suggest *s, const char *name);
/* "; did you mean a, b?" into @buf, "" when nothing is near. */
void nti_suggest_finish(struct nti_suggest *s, char *buf, size_t size);
/* What there is instead of a word that is not known. */
struct nti_known {
	struct nti_suggest suggest;
	char text[400]; /* all of it, for a sentence, as far as there is room */
};
/* terms.c: one more word, which is offered as well. */
void nti_known_add(struct nti_known *known, const char *name);
/* Offer libpfm4's events of this machine's models, and the names of all its models. */
void nti_pfm_offer_events(const struct nti_names *names, struct nti_suggest *s);
void nti_pfm_offer_models(struct nti_suggest *s);

#endif
