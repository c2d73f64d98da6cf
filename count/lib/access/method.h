/* SPDX-License-Identifier: MIT */
/*
 * Access methods: how registers and counters are reached. Each has a row, in the file that is about
 * it, and stands once in the list below.
 */
#ifndef NTI_METHOD_H
#define NTI_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/reg.h"
#include "base/common/absence.h"
#include "base/os/os.h"

/*
 * X(NAME, name) of each, in the order of trying: the kernel knows who else counts, the driver keeps
 * others away and puts all back, claims are only advice. Their rows are called nti_method_name.
 */
#define NTI_METHODS(X)                                                                             \
	X(PERF, perf)                                                                              \
	X(CLOCK, clock)                                                                            \
	X(PROC, proc) /* text files of the kernel */                                               \
	/* We program the counters, through registers that are reached by */                       \
	X(NTIMEFS, ntimefs)   /* ntime's driver */                                                 \
	X(MSR, msr)	      /* /dev/cpu/N/msr */                                                 \
	X(PCI, pci)	      /* configuration space; memory of graphics cards */                  \
	X(MMIO, mmio)	      /* memory of a PCI function */                                       \
	X(MODEL, model)	      /* the socket of a card that is a model */                           \
	X(REPLAY, replay)     /* a recording */                                                    \
	X(EMULATOR, emulator) /* a plugin of qemu-user */

#define NTI_METHOD_NUMBER(NAME, name) NTI_METHOD_##NAME,
enum nti_method { NTI_METHODS(NTI_METHOD_NUMBER) NTI_METHOD_COUNT };

/* Spaces of registers as the driver's folders are called: "msr". */
#define NTI_SPACES (NTHW_SPACE_PMSEL + 1)
extern const char *const nti_space_names[NTI_SPACES]; /* the first, of no space, is "" */

struct nti_method_ops; /* handle_inner.h */
struct nti_access_ops; /* access.h */

struct nti_method_row {
	const char *name; /* in options, lists and JSON */
	uint32_t via;	  /* enum ntime_via that asks for it; NTIME_VIA_AUTO: cannot be asked for */
	const char *reaches;		     /* one phrase; NULL: not listed by itself */
	const char *cost;		     /* of a read, one phrase */
	const struct nti_method_ops *ops;    /* NULL: gives no handles on registers */
	const struct nti_access_ops *access; /* NULL: reaches no single register */
	const char *registers; /* whose absence is worth a word where no box needs them; or NULL */
	const struct nti_why *missing; /* of a file that is not there; NULL: a device is gone */
	bool is_guarded;	       /* it keeps perf away from what we program */
	bool is_inline;		       /* a counter of a core may be read by an instruction */
	/* -ENODEV is of the device that has the registers, not of the CPU that reads them */
	bool outlives_cpu;
};

#define NTI_METHOD_ROW(NAME, name) extern const struct nti_method_row nti_method_##name;
NTI_METHODS(NTI_METHOD_ROW)

/* The row of a method; static memory. */
const struct nti_method_row *nti_method_get(enum nti_method method);
/* That which @via asks for; NTI_METHOD_COUNT: none. */
enum nti_method nti_method_of_via(uint32_t via);

struct nti_unit_box;
struct nti_unit_card;

/* The method that reaches the registers of @card. */
enum nti_method nti_method_of_card(const struct nti_unit_card *card);
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
