/* SPDX-License-Identifier: MIT */
/* What the files that read a machine file share. */
#ifndef NTI_REPLAY_LOAD_H
#define NTI_REPLAY_LOAD_H

#include <jansson.h>

#include "base/common/compiler.h"
#include "base/os/replay/machine.h"

struct nti_machine_loader {
	const char *name; /* of the file, for sentences */
	struct nti_machine *m;
	struct nti_error *e;
};

/* Store "NAME: TEXT" and return -EBADMSG. */
int nti_machine_bad(struct nti_machine_loader *l, const char *format, ...) NTI_PRINTF(2, 3);
/* A number from JSON: an integer, or text such as "0x1f". @where is the key for the sentence. */
int nti_machine_number(struct nti_machine_loader *l, const json_t *value, uint64_t max,
		       uint64_t *out, const char *where);
/*
 * Refuse keys of @object that are not in @known (NULL ends), so that a typing error does not pass
 * silently.
 */
int nti_machine_known(struct nti_machine_loader *l, const json_t *object, const char *const *known,
		      const char *where);

/*
 * "counting" of a file says how events count where there is a simulated kernel: tests have one
 * (count/tests/sim) and functions of their own in place of these, which leave it alone.
 */
int nti_machine_load_counting(struct nti_machine_loader *l, json_t *counting);

#endif
