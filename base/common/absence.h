/* SPDX-License-Identifier: MIT */
/* Why something cannot be counted, and what to do about it. */
#ifndef NTI_ABSENCE_H
#define NTI_ABSENCE_H

#include <stddef.h>

#include <ntime/reason.h>

/*
 * Why something cannot be counted; all NULL and 0: nothing is in the way. Owned strings.
 *
 * @about is what the reason is about: a unit, a counter, a CPU, a file. Who merges absences of the
 *	same @code, @about and
 * @remedy prints one of their reasons for all: a reason names neither the event nor anything else
 *	that is not in @about.
 */
struct nti_absence {
	enum ntime_reason code;
	enum ntime_remedy_kind remedy_kind;
	char *about;
	char *reason;
	char *remedy;
	/* of a metric: the event's own reason begins here, behind "needs EVENT: " */
	size_t cause_at;
};

/*
 * The same in static memory: what is asked for often, such as whether an access method can be used.
 */
struct nti_why {
	enum ntime_reason code;
	const char *about, *reason, *remedy;
};

/*
 * What whoever is refused may do, a container's root included: he has the name of root, and lacks
 * capabilities.
 */
#define NTI_AS_ROOT "run as root with all capabilities (docker, podman: --privileged)"

/* Nothing is in the way. */
extern const struct nti_why nti_why_nothing;

void nti_absence_fini(struct nti_absence *a);
/*
 * Replace the content by printf texts; 0 or -ENOMEM. @remedy is plain text, NULL when nobody can do
 * anything.
 */
int nti_absence_set(struct nti_absence *a, enum ntime_reason code, const char *about,
		    const char *remedy, const char *reason, ...)
	__attribute__((format(printf, 5, 6)));
/*
 * The same of something that failed with @error, whose text becomes part of what the reason is
 * about: that it failed for another cause is another reason.
 */
int nti_absence_set_failed(struct nti_absence *a, enum ntime_reason code, const char *about,
			   int error, const char *remedy, const char *reason, ...)
	__attribute__((format(printf, 6, 7)));
int nti_absence_set_why(struct nti_absence *a, const struct nti_why *why);
/* A metric cannot be computed without @event, which is absent because of @cause. */
int nti_absence_set_needs(struct nti_absence *a, const char *event,
			  const struct nti_absence *cause);
int nti_absence_copy(struct nti_absence *to, const struct nti_absence *from);

/* The kind follows from the code, and from whether there is a remedy at all. */
enum ntime_remedy_kind nti_remedy_kind(enum ntime_reason code, const char *remedy);

/*
 * For a user: never NULL. The reason of the event itself, where the reason is that a metric needs
 * it.
 */
const char *nti_absence_cause(const struct nti_absence *a);

/* Initialisers of the public structs that report an absence or a why; "" where there is none. */
#define NTI_ABSENCE_INFO(a)                                                                        \
	.reason_code = (a)->code, .remedy_kind = (a)->remedy_kind,                                 \
	.about = (a)->about ? (a)->about : "", .reason = (a)->reason ? (a)->reason : "",           \
	.remedy = (a)->remedy ? (a)->remedy : ""
#define NTI_WHY_INFO(w)                                                                            \
	.reason_code = (w)->code, .remedy_kind = nti_remedy_kind((w)->code, (w)->remedy),          \
	.about = (w)->about, .reason = (w)->reason, .remedy = nti_why_remedy(w)

/* "none" where nobody can do anything, "" where nothing is in the way. */
const char *nti_why_remedy(const struct nti_why *why);

#endif
