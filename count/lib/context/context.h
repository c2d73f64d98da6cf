/* SPDX-License-Identifier: MIT */
/*
 * The context's inside: what the library knows of one machine. Units, topology and MSR devices are
 * looked at when first asked for.
 */
#ifndef NTI_CONTEXT_H
#define NTI_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <ntime/context.h>

#include "base/common/error.h"
#include "base/common/interrupt.h"
#include "count/lib/context/selftest.h"
#include "count/lib/doubt/erratum.h"
#include "count/lib/event/event.h"
#include "count/lib/machine/unit.h"
#include "count/lib/metric/metric.h"
#include "base/os/os.h"

struct nti_boxes_cpu;
struct nti_topology;
struct nti_msr;
struct nti_registers;

struct ntime_ctx {
	struct nti_error error;
	struct nti_os *os;
	struct nti_units units;
	bool has_units;	      /* all of them; else those that every machine has, or none */
	bool has_scopes;      /* nti_context_scopes() was asked */
	bool has_selftest;    /* it was tried whether the core PMU counts */
	bool has_no_selftest; /* NTIME_NO_SELF_TEST: nothing is tried */
	bool has_anew;	      /* NTIME_SELF_TEST_ANEW: what is remembered is not asked */
	struct nti_selftests selftests;
	bool has_erratum_cpu, has_smt; /* .erratum_cpu was looked at; a core has several threads */
	struct nti_erratum_cpu erratum_cpu;
	struct nti_names names; /* of the units found so far */
	struct nti_metrics metrics;
	struct nti_topology *topology;	 /* NULL until asked for */
	struct nti_boxes_cpu *boxes_cpu; /* while units are looked for */
	struct nti_msr *msr;		 /* likewise */
	struct nti_registers *registers; /* likewise */
	char *model;			 /* socket of a card that is one; NULL: none */
	const struct nthw_nv_chip *model_chip;
	uint32_t model_units; /* its NTHW_NV_UNITS */
	unsigned int cpus;    /* on line when they were counted; 0: they were not */
	struct nti_interrupt interrupt;
	bool is_broken; /* opening failed: only the error's text may be used */
	void (*log)(void *arg, const char *line);
	void *log_arg;
};

/*
 * 0, or -ENOMEM, -EMFILE or -ENFILE with a sentence, once, where a file could not be looked at
 * since the last call: what was found out meanwhile may lack a part.
 */
int nti_context_shortage(struct ntime_ctx *ctx);
/* Find the units if that was not done yet. 0 or -errno with a sentence. */
int nti_context_units(struct ntime_ctx *ctx);

/*
 * As nti_context_units(), and find out whether the core PMU counts: opens a counter the first time.
 * 0 or -errno.
 */
int nti_context_core(struct ntime_ctx *ctx);

/*
 * nti_event_parse() of an event that is to be counted: the first one of a core PMU asks
 * nti_context_core().
 */
int nti_context_event(struct ntime_ctx *ctx, const char *name, struct nti_event *out,
		      struct nti_error *e);

/* Load the topology on first use; it belongs to @ctx. 0, -EIO, -ENOMEM with a sentence. */
int nti_context_topology(struct ntime_ctx *ctx, const struct nti_topology **out);

/*
 * Find out of what the uncore units have one instance each. Once; 0 or as nti_context_topology().
 */
int nti_context_scopes(struct ntime_ctx *ctx);

/* Shall what takes long end? 0, or -EINTR with a sentence. */
int nti_context_interrupted(struct ntime_ctx *ctx);

/* One line to the context's log, if it has one: "plan: ...". */
void nti_context_log(struct ntime_ctx *ctx, const char *format, ...) NTI_PRINTF(2, 3);

/* Make .cpus valid; it stays 0 where nobody knows. 0 or -errno with a sentence. */
int nti_context_count_cpus(struct ntime_ctx *ctx);
/* CPUs on line as the kernel's list in memory of the caller. 0 or -errno. */
int nti_context_online(struct ntime_ctx *ctx, char *buf, size_t size);

/* ---- which errata this machine's processors have: errata.c ---- */

/*
 * The next erratum from number *@next (start with 0) on that this machine has; NULL at the end. The
 * processor is looked at when first asked.
 */
const struct nti_erratum *nti_context_erratum(struct ntime_ctx *ctx, size_t *next);

/* ---- what an event of a graphics card needs, and beside which others: card_events.c ---- */

struct nti_card_events;

/* Of all events of card @unit that can be counted. 0 or -ENOMEM. */
int nti_card_events_new(struct ntime_ctx *ctx, const struct nti_unit *unit,
			struct nti_card_events **out);
void nti_card_events_free(struct nti_card_events *c);
/* Of the event that nti_event_parse() takes as @name; NULL: it cannot be counted. Lives in @c. */
const struct ntime_card_event *nti_card_events_find(const struct nti_card_events *c,
						    const char *name);

#endif
