/* SPDX-License-Identifier: MIT */
/*
 * Terms and events of units that registers reach: count/data/events, built in. A kind of box
 * (core/seq/box.h) is a family here. The kernel's drivers say the same in sysfs where they are
 * loaded; codes are theirs, so that an event has one encoding whoever counts it.
 *
 * Counters that always run have a code as well ("event=0x02"), which is the kernel's where the
 * kernel has a PMU of that name. Name and code are those of a struct nthw_box_free; a test compares
 * both sides.
 */
#ifndef NTI_BOX_EVENTS_H
#define NTI_BOX_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "core/seq/box.h"
#include "count/lib/event/event.h"

/* A term and its bits: "umask", "config:8-15". */
struct nti_box_term {
	const char *name, *format;
};

#define NTI_PERFKIT_MAX 2

/* A counter of NVPerfKit that an event gives: its number, and how programs are to show it. */
struct nti_perfkit {
	uint32_t id; /* 0: none */
	bool is_ratio;
	const char *rest; /* its name, if it has the clocks in which the event is not; else NULL */
};

struct nti_box_event {
	const char *name;  /* "cas_count_read" */
	const char *terms; /* "event=0x04,umask=0x03" */
	const char *unit;  /* of its count times .scale, "" for plain events */
	const char *about, *source;
	double scale;	 /* 0: Joules a step as the registers say (nti_unit.energy_scale) */
	uint64_t config; /* what .terms make */
	bool is_state;
	enum nti_together together;
	/*
	 * Of a card: further lists of terms, separated by blanks, whose counts are added, or NULL;
	 * why nobody can count it, and what to do about that, or NULL: then it has no terms.
	 */
	const char *more, *absent, *remedy;
	const char *trust; /* "guessed", "measured"; NULL: as "documented" */
	struct nti_perfkit perfkit[NTI_PERFKIT_MAX];
};

struct nti_box_family {
	const char *kind; /* nthw_box_kind.name */
	const char *unit; /* nthw_box_kind.unit */
	const struct nti_box_term *term;
	size_t terms;
	const struct nti_box_event *event;
	size_t events;
};

extern const struct nti_box_family nti_box_families[];
extern const size_t nti_box_family_count;

/* Of graphics cards, by enum nthw_nv_family: made of core/gpu. */
extern const struct nti_box_family nti_gpu_families[];

/* NULL for a kind without text, and for NULL. */
const struct nti_box_family *nti_box_family_find(const struct nthw_box_kind *kind);
/*
 * What we know of @unit's events whether the kernel shows it or not; NULL: registers do not reach
 * it.
 */
const struct nti_box_family *nti_box_family_of(const struct nti_unit *unit);

const struct nti_box_event *nti_box_event_find(const struct nti_box_family *family,
					       const char *name);
/* The event whose whole encoding @config is; NULL when it has no name. */
const struct nti_box_event *nti_box_event_by_config(const struct nti_box_family *family,
						    uint64_t config);
const struct nti_box_term *nti_box_term_find(const struct nti_box_family *family, const char *name);
/*
 * What one step of the register means in .unit; 0: not known, because the register that would tell
 * could not be read.
 */
double nti_box_event_scale(const struct nti_unit *unit, const struct nti_box_event *event);
/*
 * Does this machine have the counter of @event, which is not in the kernel's list? Of counters that
 * always run a processor has some: those that were found, or those that the kernel's driver lists.
 */
bool nti_box_event_is_there(const struct nti_unit *unit, const struct nti_box_event *event);

#endif
