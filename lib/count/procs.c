// SPDX-License-Identifier: MIT
/* Items that the kernel's text files tell. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/access/proc.h"
#include "lib/base/set.h"
#include "lib/base/text.h"
#include "lib/count/procs.h"
#include "lib/count/session.h"

/* A number of one CPU, or the machine's. */
struct cell {
	uint64_t base;	 /* when the session started; NTI_PROC_NONE: not seen since */
	uint64_t before; /* what was counted in runs before this one */
	uint64_t count;	 /* as read last */
	bool is_seen;
};

struct slot {
	const struct nti_proc_row *row;
	size_t place; /* in the reader */
	struct cell *cell;
	size_t cells;
};

struct nti_procs {
	struct nti_proc *reader;
	struct slot *slot;
	size_t slots;
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
	*slot = (struct slot){ .row = nti_proc_row(row), .place = (size_t)place };
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
 * Counters go up, but for idle times, which the kernel sometimes takes back (proc(5)): what was
 * seen stays.
 */
static void look_at(struct cell *c, const struct nti_proc_row *row, uint64_t now)
{
	if (row->is_state)
		c->is_seen = false;
	if (now == NTI_PROC_NONE)
		return;
	c->is_seen = true;
	if (row->is_state) {
		c->count = now;
		return;
	}
	if (c->base == NTI_PROC_NONE)
		c->base = now;
	if (now > c->base && c->before + (now - c->base) > c->count)
		c->count = c->before + (now - c->base);
}

static int look(struct ntime_session *s, bool is_start)
{
	struct nti_procs *procs = s->procs;
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
			if (is_start) {
				slot->cell[k].base = NTI_PROC_NONE;
				slot->cell[k].before = slot->cell[k].count;
			}
			look_at(&slot->cell[k], slot->row,
				nti_proc_value(procs->reader, slot->place, (unsigned int)k));
		}
	}
	return 0;
}

int nti_session_procs_start(struct ntime_session *s)
{
	return s->procs ? look(s, true) : 0;
}

int nti_session_procs_stop(struct ntime_session *s)
{
	return s->procs ? look(s, false) : 0;
}

int nti_session_procs_read(struct ntime_session *s)
{
	return s->procs && s->clock.is_running ? look(s, false) : 0;
}

/* What several CPUs have together. */
struct sum {
	uint64_t count;
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
	out.value = (double)sum.count * item->event.scale;
	out.wanted_ns = out.counted_ns = real_ns * sum.seen;
	out.flags = sum.missing ? NTIME_PARTIAL : 0;
	return out;
}
