// SPDX-License-Identifier: MIT
/* Events of the unit "proc": what the kernel's text files tell. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "count/lib/access/proc.h"
#include "count/lib/event/resolve.h"

static int refuse(const char *terms, const struct nti_event *event, struct nti_error *e)
{
	struct nti_suggest suggest = { .text = terms };
	const struct nti_proc_row *row;
	char near[256];
	size_t i;

	for (i = 0; (row = nti_proc_row(i)); i++)
		nti_suggest_offer(&suggest, row->name);
	nti_suggest_finish(&suggest, near, sizeof(near));
	return nti_error(e, -ENOENT, "event '%s': proc has no '%s'%s ('ntime list proc' shows all)",
			 event->name, terms, near);
}

int nti_proc_resolve(const struct nti_names *names, const struct nti_unit *unit, const char *terms,
		     struct nti_event *out, struct nti_error *e)
{
	int found = nti_proc_find(terms, strlen(terms));
	const struct nti_proc_row *row = found < 0 ? NULL : nti_proc_row((size_t)found);
	struct perf_event_attr attr = { .type = unit->type };

	if (!row)
		return refuse(terms, out, e);
	attr.config = (uint64_t)found;
	if (nti_event_add_part(out, unit, &attr) < 0 ||
	    nti_event_describe(out, row->about, row->unit) < 0 ||
	    nti_proc_problem(names->os, (size_t)found, &out->absent) < 0)
		return nti_event_no_memory(e, out->name);
	out->scale = row->scale;
	out->is_state = row->is_state;
	out->together = row->is_state ? NTI_MAX : NTI_SUM;
	return 0;
}

int nti_proc_for_each(const struct nti_names *names, const struct nti_unit *unit,
		      int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg)
{
	const struct nti_proc_row *row;
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && (row = nti_proc_row(i)); i++) {
		struct nti_absence absent = { 0 };
		char name[64];

		ret = nti_proc_problem(names->os, i, &absent);
		if (ret < 0)
			return ret;
		(void)snprintf(name, sizeof(name), "%s/%s/", unit->name, row->name);
		ret = fn(arg, &(struct nti_event_entry){ .name = name,
							 .unit = unit,
							 .unit_name = unit->name,
							 .desc = row->about,
							 .unit_text = row->unit,
							 .absence = &absent });
		nti_absence_fini(&absent);
	}
	return ret;
}
