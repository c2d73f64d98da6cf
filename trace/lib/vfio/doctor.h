/* SPDX-License-Identifier: MIT */
/* What the checks of ntime_vfio_doctor() share. */
#ifndef NTI_VFIO_DOCTOR_H
#define NTI_VFIO_DOCTOR_H

#include <ntime/trace/vfio.h>

#include "base/common/compiler.h"
#include "trace/lib/vfio/group.h"

struct nti_vfio_doctor {
	struct nti_os *os;
	struct nti_error *e;
	const struct ntime_vfio_question *q;
	int (*fn)(void *arg, const struct ntime_vfio_check *check);
	void *arg;
	int missing;
	int stopped;		      /* first negative result of .fn */
	struct nti_vfio_group *group; /* of the card; NULL: there is none */
	char card[NTI_VFIO_NAME_BYTES];
};

/* Tell of one thing; @remedy may be "". */
void nti_vfio_tell(struct nti_vfio_doctor *d, enum ntime_vfio_state state, const char *name,
		   const char *what, const char *remedy, const char *reason, ...) NTI_PRINTF(6, 7);

void nti_vfio_check_card(struct nti_vfio_doctor *d);
void nti_vfio_check_qemu(struct nti_vfio_doctor *d);

#endif
