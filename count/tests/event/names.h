/* SPDX-License-Identifier: MIT */
/* The names of a machine, ready for nti_event_parse(). */
#ifndef TT_NAMES_H
#define TT_NAMES_H

#include "count/lib/event/event.h"
#include "count/tests/event/fake_os.h"

struct tt_names {
	struct fake_os fake;
	struct nti_units units;
	struct nti_names names;
};

static inline int tt_names_init(struct tt_names *t, const struct fake_machine *machine)
{
	fake_os_init(&t->fake, machine);
	t->names.os = &t->fake.os;
	t->names.units = &t->units;
	t->units = (struct nti_units){ 0 };
	return nti_units_load(&t->fake.os, &t->units, NULL);
}

static inline void tt_names_fini(struct tt_names *t)
{
	nti_units_fini(&t->units);
}

/* Bits of ntime_encoding.exclude: 0 user, 1 kernel, 2 hypervisor, 3 host, 4 guest, 5 idle. */
static inline unsigned int tt_exclude(const struct perf_event_attr *attr)
{
	return (unsigned int)(attr->exclude_user | attr->exclude_kernel << 1 |
			      attr->exclude_hv << 2 | attr->exclude_host << 3 |
			      attr->exclude_guest << 4 | attr->exclude_idle << 5);
}

#endif
