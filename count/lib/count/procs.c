// SPDX-License-Identifier: MIT
/* Items that the kernel's text files tell. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/access/proc.h"
#include "base/common/set.h"
#include "base/common/text.h"
#include "count/lib/count/doubt.h"
#include "count/lib/count/procs.h"
#include "count/lib/count/session.h"

/* A number of one CPU, or the machine's. */
struct cell {
	uint64_t last;	  /* as the file had it; NTI_PROC_NONE: not seen since the start */
	uint64_t count;	  /* what was counted: all steps up, or a state */
	uint64_t lost_ns; /* of periods in which it went back, or was no number */
	bool is_seen;
};

struct slot {
	const struct nti_proc_row *row;
	size_t item;
	size_t place; /* in the reader */
	struct cell *cell;
	size_t cells;
};

struct nti_procs {
	struct nti_proc *reader;
	struct slot *slot;
	size_t slots;
	uint64_t at_ns; /* the session's time when they were looked at */
};

static int last_of(void *arg, unsigned int cpu)
{
	unsigned int *cpus = arg;

	*cpus = cpu + 1 > *cpus ? cpu + 1 : *cpus;
	return 0;
}

/* One more than the highest number that a CPU can have: those that come later are read too. */
static unsigned int count_cpus(const struct ntime_session *s)
{
	unsigned int cpus = 1;
	char list[4096];
	size_t i;

	if (nti_os_line(s->ctx->os, list, sizeof(list), "/sys/devices/system/cpu/possible") >= 0)
		(void)nti_text_for_each_in_list(list, NTI_CPU_LIMIT, last_of, &cpus);
	for (i = 0; i < s->where_count; i++)
		if (s->where[i].cpu >= 0)
			(void)last_of(&cpus, (unsigned int)s->where[i].cpu);
	return cpus;
}

static int add_slot(struct ntime_session *s, struct nti_session_item *item)
{
	struct nti_procs *procs = s->procs;
	size_t row = (size_t)item->event.part[0].attr.config;
	struct slot *slot = &procs->slot[procs->slots];
	int place = nti_proc_add(procs->reader, row);

	if (place < 0)
		return place;
	*slot = (struct slot){ .row = nti_proc_row(row),
			       .item = (size_t)(item - s->item),
			       .place = (size_t)place };
	slot->cells = slot->row->is_per_cpu ? count_cpus(s) : 1;
	slot->cell = calloc(slot->cells, sizeof(*slot->cell));
	if (!slot->cell)
		return -ENOMEM;
	item->proc = procs->slots++;
	return 0;
}

/* What is not of the target: everything that runs, where a program or some CPUs are meant. */
static int refuse_scope(const struct ntime_session *s, struct nti_session_item *item)
{
	const struct nti_proc_row *row = nti_proc_row((size_t)item->event.part[0].attr.config);

	if (nti_session_is_of_tasks(s))
		return nti_absence_set(&item->absent, NTIME_REASON_SCOPE, "proc",
				       "count the whole machine: -a",
				       "proc counts for everything that runs, not for one program");
	if (s->target.kind == NTIME_TARGET_MACHINE || row->is_per_cpu)
		return 0;
	return nti_absence_set(&item->absent, NTIME_REASON_SCOPE, row->source,
			       "count the whole machine: -a",
			       "the kernel tells it of the whole machine, not of some CPUs");
}

static bool is_counted(const struct nti_session_item *item)
{
	return item->is_proc && !nti_session_item_is_absent(item);
}

int nti_session_procs_open(struct ntime_session *s)
{
	size_t i, n = 0;
	int ret = 0;

	for (i = 0; ret == 0 && i < s->items; i++) {
		if (is_counted(&s->item[i]))
			ret = refuse_scope(s, &s->item[i]);
		n += is_counted(&s->item[i]);
	}
	if (ret < 0 || !n)
		return ret;
	s->procs = calloc(1, sizeof(*s->procs));
	if (!s->procs)
		return -ENOMEM;
	s->procs->slot = calloc(n, sizeof(*s->procs->slot));
	ret = s->procs->slot ? nti_proc_new(s->ctx->os, count_cpus(s), &s->procs->reader) : -ENOMEM;
	for (i = 0; ret == 0 && i < s->items; i++)
		if (is_counted(&s->item[i]))
			ret = add_slot(s, &s->item[i]);
	return ret;
}

void nti_session_procs_close(struct ntime_session *s)
{
	size_t i;

	if (!s->procs)
		return;
	for (i = 0; i < s->procs->slots; i++)
		free(s->procs->slot[i].cell);
	free(s->procs->slot);
	nti_proc_free(s->procs->reader);
	free(s->procs);
	s->procs = NULL;
}

/*
 * Counters go up, but for idle times, which the kernel sometimes takes back (proc(5)), and for
 * faults: nobody knows what happened in a period in which one went back. It begins anew there.
 */
static void look_at(struct ntime_session *s, const struct slot *slot, struct cell *c, uint64_t now,
		    uint64_t period_ns)
{
	char *text = s->doubts->text ? s->doubts->text[slot->item].text : NULL;
	uint64_t last = c->last;

	if (slot->row->is_state)
		c->is_seen = false, c->lost_ns = 0;
	/* A CPU may go; a line of the machine's may not. */
	if (now == NTI_PROC_NONE && (slot->row->is_per_cpu || slot->row->is_state))
		return;
	c->is_seen = true;
	c->last = now < NTI_PROC_BAD ? now : NTI_PROC_BAD;
	if (c->last != NTI_PROC_BAD && (slot->row->is_state || last == NTI_PROC_NONE)) {
		c->count = slot->row->is_state ? now : c->count;
		return;
	}
	if (now >= last && c->last != NTI_PROC_BAD) {
		c->count += now - last;
		return;
	}
	c->lost_ns += period_ns ? period_ns : 1;
	if (text && (c->last == NTI_PROC_BAD || last == NTI_PROC_BAD))
		(void)snprintf(text, NTI_DOUBT_TEXT_BYTES,
			       "what the kernel's file said was negative, too large or no number");
	else if (text)
		(void)snprintf(text, NTI_DOUBT_TEXT_BYTES, NTI_DOUBT_BACK, (unsigned long long)last,
			       (unsigned long long)now);
}

/* @real_ns: the session's time. */
static int look(struct ntime_session *s, bool is_start, uint64_t real_ns)
{
	struct nti_procs *procs = s->procs;
	uint64_t period_ns = real_ns > procs->at_ns ? real_ns - procs->at_ns : 0;
	int ret = nti_proc_read(procs->reader);
	const char *path;
	size_t i, k;

	if (ret < 0)
		return nti_error(&s->ctx->error, ret, "not enough memory for a file of /proc");
	for (i = 0; i < procs->slots; i++) {
		struct slot *slot = &procs->slot[i];

		ret = nti_proc_error(procs->reader, slot->place, &path);
		if (ret < 0 && path)
			return nti_error(&s->ctx->error, ret, "cannot read %s: %s", path,
					 strerror(-ret));
		for (k = 0; k < slot->cells; k++) {
			if (is_start)
				slot->cell[k].last = NTI_PROC_NONE;
			look_at(s, slot, &slot->cell[k],
				nti_proc_value(procs->reader, slot->place, (unsigned int)k),
				period_ns);
		}
	}
	procs->at_ns += period_ns;
	return 0;
}

int nti_session_procs_start(struct ntime_session *s)
{
	return s->procs ? look(s, true, s->clock.elapsed_ns) : 0;
}

int nti_session_procs_stop(struct ntime_session *s)
{
	/* A recording's clock moves when it is asked: of the end nobody wants the length. */
	return s->procs ? look(s, false, 0) : 0;
}

int nti_session_procs_read(struct ntime_session *s)
{
	return s->clock.is_running
		       ? look(s, false, nti_session_real_ns_at(s, s->clock.moment.at_ns))
		       : 0;
}

/* What several CPUs have together. */
struct sum {
	uint64_t count, lost_ns;
	size_t seen, missing;
};

static void add_cell(struct sum *sum, const struct slot *slot, size_t cpu)
{
	const struct cell *c = cpu < slot->cells ? &slot->cell[cpu] : NULL;

	if (!c || !c->is_seen) {
		sum->missing++;
		return;
	}
	sum->seen++;
	sum->lost_ns += c->lost_ns;
	if (!slot->row->is_state)
		sum->count += c->count;
	else if (c->count > sum->count)
		sum->count = c->count;
}

struct ntime_value nti_session_procs_value(const struct ntime_session *s,
					   const struct nti_session_item *item, size_t at,
					   uint64_t real_ns)
{
	const struct slot *slot = &s->procs->slot[item->proc];
	struct ntime_value out = { .value = NAN, .scale = item->event.scale };
	size_t i = at == NTI_PROCS_ALL ? 0 : at;
	size_t end = at == NTI_PROCS_ALL ? s->where_count : at + 1;
	struct sum sum = { 0 };

	/* The machine's are told by its first CPU. */
	if (!slot->row->is_per_cpu && at != NTI_PROCS_ALL && at) {
		out.flags = NTIME_ELSEWHERE;
		return out;
	}
	for (; slot->row->is_per_cpu && i < end; i++)
		if (s->where[i].cpu >= 0)
			add_cell(&sum, slot, (size_t)s->where[i].cpu);
	if (!slot->row->is_per_cpu)
		add_cell(&sum, slot, 0);
	if (!s->clock.was_started || !sum.seen) {
		out.flags = NTIME_NOT_COUNTED;
		return out;
	}
	out.count = sum.count;
	out.wanted_ns = out.counted_ns = real_ns * sum.seen;
	out.flags = sum.missing ? NTIME_PARTIAL : 0;
	if (sum.lost_ns) {
		out.counted_ns -= sum.lost_ns < out.wanted_ns ? sum.lost_ns : out.wanted_ns;
		out.flags |= NTI_PROCS_LOST;
		return out;
	}
	out.value = (double)sum.count * item->event.scale;
	return out;
}
