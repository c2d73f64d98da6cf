/* SPDX-License-Identifier: MIT */
/*
 * Access methods: how registers and counters are reached. Each stands once, in the table of
 * method.c.
 */
#ifndef NTI_METHOD_H
#define NTI_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/reg.h"
#include "lib/base/absence.h"
#include "lib/os/os.h"

/*
 * In the order of trying: the kernel knows who else counts, the driver keeps others away and puts
 * all back, claims are only advice.
 */
enum nti_method {
	NTI_METHOD_PERF,
	NTI_METHOD_CLOCK,
	/* We program the counters, through registers that are reached by */
	NTI_METHOD_NTIMEFS, /* ntime's driver */
	NTI_METHOD_MSR,	    /* /dev/cpu/N/msr */
	NTI_METHOD_PCI,	    /* configuration space */
	NTI_METHOD_MMIO,    /* memory of a PCI function */
	NTI_METHOD_MODEL,   /* the socket of a card that is a model */
	NTI_METHOD_REPLAY,  /* a recording */
	NTI_METHOD_COUNT
};

struct nti_method_ops; /* handle_inner.h */
struct nti_access_ops; /* access.h */

struct nti_method_row {
	const char *name; /* in options, lists and JSON */
	uint32_t via;	  /* enum ntime_via that asks for it; NTIME_VIA_AUTO: cannot be asked for */
	const char *reaches;		     /* one phrase; NULL: not listed by itself */
	const char *cost;		     /* of a read, one phrase */
	const struct nti_method_ops *ops;    /* NULL: gives no handles on registers */
	const struct nti_access_ops *access; /* NULL: reaches no single register */
};

/* The row of a method; static memory. */
const struct nti_method_row *nti_method_get(enum nti_method method);
/* That which @via asks for; NTI_METHOD_COUNT: none. */
enum nti_method nti_method_of_via(uint32_t via);

struct nti_unit_box;

/*
 * Are the registers of @box (NULL: of a core PMU) in a space that @method reaches? Whether this
 * user may use them is another question.
 */
bool nti_method_reaches(struct nti_os *os, const struct nti_unit_box *box, enum nti_method method);
/*
 * Does @method reach registers here and now, for this user? 0; -ENOMEM; -errno, and why in *@why
 * (static memory).
 */
int nti_method_probe(struct nti_os *os, enum nti_method method, const struct nti_why **why);

#endif
