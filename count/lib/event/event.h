/* SPDX-License-Identifier: MIT */
/*
 * Events: a name in any of the languages people use, turned into what the kernel wants to hear.
 *
 * Order of resolution of one event text (after its modifiers are cut off):
 *   pmu/term,term=1/mods   sysfs PMU (perf's rules)          uncore_imc_0/cas_count_read/
 *   unit::name             a unit of this machine, else a     software::page-faults,
 *                          libpfm4 PMU model                  skx::INST_RETIRED:ANY_P:u
 *   name[:mods]            perf's generic names               cycles, L1-dcache-load-misses
 *   clock's own            tsc
 *   rHEX[:mods]            raw code of the core PMU           r01c0:u
 *   name[:mods]            an event in sysfs of a core PMU    mem-loads
 *   system:name[:mods]     tracepoint                         sched:sched_switch
 *   NAME[:attr...]         libpfm4 on its default PMUs
 */
#ifndef NTI_EVENT_H
#define NTI_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/common/error.h"
#include "count/lib/machine/unit.h"
#include "count/lib/plan/plan.h"

/*
 * One kernel event. An event over several units ("uncore_imc/..." on a machine with six) has
 * several parts, summed up.
 */
struct nti_part {
	/*
	 * Of the nti_units it was resolved with; NULL: another machine's PMU, the event is absent.
	 */
	const struct nti_unit *unit;
	/*
	 * type, config*, exclude_*, precise_ip, pinned, exclusive; everything else 0. .type is
	 * UINT32_MAX where only the kernel of another machine knows it.
	 */
	struct perf_event_attr attr;
	/* counters, wants; .pmu and .group are filled by the session */
	struct nti_plan_event need;
	bool counts_guests; /* modifier G: what virtual machines on this machine do counts too */
};

/* Does the kernel count it in every mode? */
static inline bool nti_attr_is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_TASK_CLOCK ||
						    attr->config == PERF_COUNT_SW_CPU_CLOCK);
}

/*
 * @part's attr as it is opened: like perf, what guests of this machine do in its cores is left out
 * unless G asks for it.
 */
static inline struct perf_event_attr nti_part_attr(const struct nti_part *part)
{
	struct perf_event_attr attr = part->attr;

	if (part->unit && part->unit->kind == NTI_UNIT_CORE && !part->unit->is_mode_blind &&
	    !part->counts_guests && !attr.exclude_host)
		attr.exclude_guest = 1;
	return attr;
}

/* What counts of several places make together; the numbers of enum ntime_together. */
enum nti_together {
	NTI_SUM,
	NTI_MAX, /* of states: the worst one speaks for all */
	NTI_MIN,
};

struct nti_event {
	char *name;	 /* as written, for people */
	char *desc;	 /* one sentence or "" */
	char *unit_text; /* "ns", "Joules", "" */
	char *corrected; /* it has another code than libpfm4 says: which, and why; NULL */
	/* factor from count to unit_text, of counts as .part[0].unit->way gives them */
	double scale;
	/*
	 * The same of counts that we read from the registers ourselves: of a unit that both the
	 * kernel and registers reach, the kernel may count in other steps (energy: 2^-32 J). 0: not
	 * known, or not of such a unit.
	 */
	double box_scale;
	bool is_raw;	    /* asked for by its code, not by a name that somebody knows */
	bool is_every_mode; /* a clock that was asked for in one mode: it runs in all of them */
	bool is_state;	    /* tells how things are, not what happened: a temperature */
	enum nti_together together;
	struct nti_part *part;
	/*
	 * 0 only when absent: the kernel's files that would tell the encoding are missing or locked
	 */
	size_t parts;
	struct nti_absence absent; /* known, but not here: no core PMU, unit missing */
};

void nti_event_fini(struct nti_event *event);

/* Which of the planner's counters are @unit's fixed ones: a mask. */
uint32_t nti_need_fixed(const struct nti_unit *unit);
/* The one that is fixed counter @i; 0: there is none. */
uint32_t nti_need_fixed_counter(const struct nti_unit *unit, unsigned int i);

/* Everything names are resolved with; borrowed by every call, owned by the context. */
struct nti_names {
	struct nti_os *os;
	const struct nti_units *units;
};

/* One that the kernel counts by itself: nti_units_start() found all that it needs. */
bool nti_event_is_software(const char *text);
/*
 * Resolve one event text. 0; -ENOENT (no such name; sentence in @e, with the nearest names);
 * -EINVAL (syntax, attribute, term, value out of range); -ENOMEM. On failure @out is empty.
 */
int nti_event_parse(const struct nti_names *names, const char *text, struct nti_event *out,
		    struct nti_error *e);

/*
 * A list such as "a,{b,c}:u,d/x,y=1/": calls @fn for each event text with its group number (0 =
 * none) and modifiers applied ("b:u", "c:u"). Splits at commas outside //, braces; -EINVAL with a
 * sentence for unbalanced braces, empty entries and nested groups. First non-zero of @fn is
 * returned.
 */
int nti_event_list_split(const char *list,
			 int (*fn)(void *arg, const char *text, unsigned int group), void *arg,
			 struct nti_error *e);

/*
 * Is there an event with @part's event select (of Arm: its number) among those that libpfm4 or
 * sysfs has of this processor's cores? Unit masks are not compared: they may be combined. 1; 0:
 * none has it; *@code is what was looked for; -ENOENT: there is no whole list, so nobody knows;
 * -ENOMEM.
 */
int nti_event_is_listed(const struct nti_names *names, const struct nti_part *part,
			unsigned int *code);

/* One listable event. Strings live during the call. */
struct nti_event_entry {
	const char *name;	     /* as nti_event_parse() takes it */
	const struct nti_unit *unit; /* NULL for events of a model that is not this machine's */
	const char *unit_name;
	const char *desc;
	const char *unit_text;
	const char *absent, *remedy;	   /* why nobody can count it; NULL: not so */
	const struct nti_absence *absence; /* why it is not here, empty or NULL: it is */
};
/*
 * perf's generic names, clock's, sysfs events of every PMU, tracepoints where readable, libpfm4's
 * events of PMUs present.
 */
int nti_event_for_each(const struct nti_names *names,
		       int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg,
		       struct nti_error *e);
/*
 * Events of libpfm4 PMU model @model ("skx"), with their unit masks as "skx::EVENT:UMASK". -ENOENT
 * with the nearest models.
 */
int nti_event_for_each_of_model(const char *model,
				int (*fn)(void *arg, const struct nti_event_entry *entry),
				void *arg, struct nti_error *e);
/* Those models; of the boxes of an uncore unit the first alone. */
int nti_event_for_each_model(int (*fn)(void *arg, const char *name, const char *desc), void *arg,
			     struct nti_error *e);

#endif
