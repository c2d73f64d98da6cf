/* SPDX-License-Identifier: MIT */
/* Errata: processors that are known to count an event wrongly. The rows are count/data/errata. */
#ifndef NTI_ERRATUM_H
#define NTI_ERRATUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nti_erratum_action {
	NTI_ERRATUM_NOTE,   /* the number is nearly right, or only at times wrong: say so */
	NTI_ERRATUM_DOUBT,  /* it can be far off: implausible */
	NTI_ERRATUM_REFUSE, /* it says nothing: absent */
};

/*
 * Processors of one make: x86 by CPUID's vendor, display family, display models and steppings; Arm
 * by the main ID register's implementer ("arm"), its number, part and variant * 16 + revision.
 */
struct nti_erratum_cpu {
	const char *vendor;			/* "intel", "amd", "hygon", "arm" */
	uint16_t family, model[2], stepping[2]; /* first and last */
};

/**
 * struct nti_erratum - one row
 * @name:	vendor's number, or a word
 * @event:	what it is about, as struct nti_limit has it, or "rHEX": a code of the core PMU with
 *		its unit mask; of two digits: with any
 * @cpu:	@cpus of them
 * @with_smt:	only where another thread of the core runs as well
 * @about:	what is wrong, a sentence
 * @remedy:	what to do, "none"
 */
struct nti_erratum {
	const char *name;
	const char *const *event;
	size_t events;
	const struct nti_erratum_cpu *cpu;
	size_t cpus;
	enum nti_erratum_action action;
	bool with_smt;
	const char *about, *remedy, *source, *trust;
};

/* count/data/errata, made by core/embed. */
extern const struct nti_erratum nti_errata[];
extern const size_t nti_erratum_count;

/* Is @cpu, of one model and stepping, among those of @e? */
bool nti_erratum_has_cpu(const struct nti_erratum *e, const struct nti_erratum_cpu *cpu);

#endif
