// SPDX-License-Identifier: MIT
/* Claims of PMU instances: taken, written down, ended. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/regs/nv50_chip.h"
#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "count/lib/access/claim.h"
#include "count/lib/access/claim_file.h"
#include "count/lib/access/why.h"
#include "base/os/locked.h"
#include "base/os/process.h"

/* One register that was written to. */
struct change {
	struct nti_claim_line line; /* as it stands in the file */
	size_t at;		    /* which line that is, from 1; 0: there is none */
	enum nthw_scope scope;
	unsigned int unit;
	uint64_t now; /* what it was written with last; before that what it held */
	/* what it was read or written with last: a bit that differs from it is one we change */
	uint64_t seen;
	uint64_t keeps; /* bits that stay as they are written; 0: it lets nothing run */
};

struct nti_claim {
	struct nthw_io io; /* first: its functions get this pointer */
	struct nthw_io *to;
	struct nti_os *os;
	int fd; /* -1: a recording */
	pid_t owner;
	char name[NTI_CLAIM_NAME_BYTES], function[NTI_CLAIM_DEVICE_BYTES];
	const struct nthw_box_kind *kind;
	uint32_t number;
	const struct nthw_nv_chip *chip;
	size_t changes, lines;
	struct change change[NTI_CLAIM_LINES_MAX];
};

static struct nti_claim *claim_of(struct nthw_io *io)
{
	return (struct nti_claim *)io;
}

/* ---- which register, and what is it like ---- */

static const struct nthw_reg *find_row(const struct nti_claim *c, enum nthw_space space,
				       uint32_t address, uint32_t *index)
{
	const struct nthw_reg *row = NULL;
	size_t i;

	if (c->chip)
		return nthw_nv_reg_at(c->chip, address, index);
	if (c->kind)
		row = nthw_table_find(c->kind->table, address - c->number * c->kind->step, index);
	if (row && row->space == space)
		return row;
	for (i = 0; i < nthw_table_count; i++) {
		row = nthw_table_find(nthw_tables[i], address, index);
		if (row && row->space == space)
			return row;
	}
	return NULL;
}

/*
 * A register of a package, or of what CPUs share, is the same one on each of them: a PMU has one
 * of it.
 */
static struct change *find_change(struct nti_claim *c, enum nthw_space space, unsigned int unit,
				  uint32_t address)
{
	struct change *change;

	for (change = c->change; change < c->change + c->changes; change++) {
		if (change->line.space == space && change->line.address == address &&
		    (change->scope != NTHW_SCOPE_CPU || change->unit == unit))
			return change;
	}
	return NULL;
}

/* What of it will be in the file. */
static void describe(const struct nti_claim *c, const struct nthw_reg *row, uint32_t index,
		     struct change *change)
{
	struct nti_claim_line *line = &change->line;
	unsigned int die;

	change->keeps = nthw_reg_stored(row);
	line->bits = line->space == NTHW_SPACE_MSR ? 64 : row->bits;
	line->package = -1;
	(void)nthw_reg_name(row, index, line->name, sizeof(line->name));
	if (line->space != NTHW_SPACE_MSR) {
		(void)snprintf(line->device, sizeof(line->device), "%s", c->function);
		return;
	}
	(void)snprintf(line->device, sizeof(line->device), "CPU %u", change->unit % NTI_CPU_LIMIT);
	/*
	 * -1: not known, or it has several dies: then no other CPU of the package may stand for
	 * this one.
	 */
	if (row->scope == NTHW_SCOPE_PACKAGE && !nti_os_die(c->os, change->unit, &die))
		line->package = nti_os_package(c->os, change->unit);
}

/* ---- the journal ---- */

/* Before @value is written to a register that can let a counter run. */
static int write_down(struct nti_claim *c, struct change *change, uint64_t value)
{
	struct nti_claim_line line = change->line;
	size_t at = change->at ? change->at : c->lines + 1;
	char text[NTI_CLAIM_LINE_BYTES];
	int ret;

	line.last = change->now;
	line.next = value;
	line.ours |= (change->seen ^ value) & change->keeps;
	if (!line.ours)
		return 0;
	ret = nti_claim_line_format(&line, text);
	if (ret == 0)
		ret = nti_locked_write(c->fd, text, sizeof(text),
				       at * (uint64_t)NTI_CLAIM_LINE_BYTES);
	if (ret == 0) {
		change->line = line;
		change->at = at;
		c->lines = at > c->lines ? at : c->lines;
	} else if (!change->at) {
		/*
		 * A part of a line is none, and the next line takes its place; but without it the
		 * file looks better.
		 */
		(void)nti_locked_cut(c->fd, at * (uint64_t)NTI_CLAIM_LINE_BYTES);
	}
	return ret;
}

/* The first write to a register. */
static int begin_change(struct nti_claim *c, enum nthw_space space, unsigned int unit,
			uint32_t address, struct change **out)
{
	struct change *change = &c->change[c->changes];
	uint32_t index;
	const struct nthw_reg *row = find_row(c, space, address, &index);
	int ret = 0;

	if (!row || (space != NTHW_SPACE_MSR && !*c->function))
		return -EINVAL;
	/* What lets nothing run is kept for speed alone. */
	if (c->changes == NTI_CLAIM_LINES_MAX)
		return row->role == NTHW_ROLE_SELECT && row->runs ? -ENOSPC : 0;
	*change = (struct change){ .unit = unit,
				   .scope = row->scope,
				   .line = { .space = space, .address = address } };
	if (row->role == NTHW_ROLE_SELECT && row->runs) {
		describe(c, row, index, change);
		ret = c->to->read(c->to, space, unit, address, &change->now);
		change->seen = change->now;
	}
	c->changes += ret == 0;
	*out = change;
	return ret;
}

static int claim_write(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		       uint32_t address, uint64_t value)
{
	struct nti_claim *c = claim_of(io);
	struct change *change;
	int ret = 0;

	if (c->fd < 0)
		return c->to->write(c->to, space, unit, address, value);
	if (nti_process_self() != c->owner)
		return -EPERM;
	change = find_change(c, space, unit, address);
	if (!change)
		ret = begin_change(c, space, unit, address, &change);
	if (ret == 0 && change && change->keeps)
		ret = write_down(c, change, value);
	if (ret == 0)
		ret = c->to->write(c->to, space, unit, address, value);
	if (ret == 0 && change)
		change->now = change->seen = value;
	return ret;
}

static int claim_read(struct nthw_io *io, enum nthw_space space, unsigned int unit,
		      uint32_t address, uint64_t *value)
{
	struct nti_claim *c = claim_of(io);
	struct change *change;
	int ret = c->to->read(c->to, space, unit, address, value);

	if (ret < 0 || c->fd < 0)
		return ret;
	change = find_change(c, space, unit, address);
	if (change)
		change->seen = *value;
	return ret;
}

struct nthw_io *nti_claim_io(struct nti_claim *claim)
{
	return &claim->io;
}

/* ---- taking ---- */

static bool has_ended(const struct nti_claim_head *head)
{
	uint64_t started = nti_process_started_ticks(head->owner.pid);

	if (!started || !head->started_ticks)
		return !nti_process_exists(head->owner.pid);
	return started != head->started_ticks;
}

static void tell_owner(int fd, struct nti_claim_owner *owner)
{
	struct nti_claim_record *r;
	const char *reason;

	if (nti_claim_read(fd, &r, &reason) < 0)
		return;
	if (r->has_head) {
		*owner = r->head.owner;
		owner->has_ended = has_ended(&r->head);
		if (r->lines)
			memcpy(owner->select, r->line[0].name, sizeof(owner->select));
	}
	free(r);
}

/*
 * Is the file that we have locked one that nobody needs any more? 0, -EUCLEAN, -EBADMSG or of
 * reading it.
 */
static int check_left(int fd, struct nti_claim_owner *owner)
{
	struct nti_process_identity self;
	struct nti_claim_record *r;
	const char *reason;
	int ret = nti_claim_read(fd, &r, &reason);

	if (ret < 0)
		return ret;
	nti_process_identify(&self);
	/* Of a start that is not known: somebody may be using what it left. */
	if (r->lines && (nti_claim_is_of_boot(&r->head, self.boot) ||
			 !nti_claim_knows_boot(&r->head, self.boot))) {
		*owner = r->head.owner;
		ret = -EUCLEAN;
	}
	free(r);
	return ret;
}

static int put_head(const struct nti_claim *c, const char *what)
{
	struct nti_process_identity self;
	struct nti_claim_head head;
	char text[NTI_CLAIM_LINE_BYTES];
	int ret;

	nti_process_identify(&self);
	head = (struct nti_claim_head){ .owner = { .pid = self.pid },
					.started_ticks = self.started_ticks };
	(void)snprintf(head.boot, sizeof(head.boot), "%s", self.boot);
	(void)snprintf(head.owner.command, sizeof(head.owner.command), "%s", self.command);
	(void)snprintf(head.what, sizeof(head.what), "%s", what);
	nti_claim_clean(head.what);
	ret = nti_claim_head_format(&head, text);
	if (ret == 0)
		ret = nti_locked_cut(c->fd, 0);
	return ret < 0 ? ret : nti_locked_write(c->fd, text, sizeof(text), 0);
}

static int take_in(struct nti_claim *c, int dir, const char *what, struct nti_claim_owner *owner)
{
	int ret = nti_locked_take(dir, c->name, true, &c->fd);

	if (ret == -EBUSY)
		tell_owner(c->fd, owner);
	if (ret == 0)
		ret = check_left(c->fd, owner);
	if (ret < 0)
		return ret;
	ret = put_head(c, what);
	if (ret < 0)
		nti_locked_remove(dir, c->name, c->fd);
	return ret;
}

static int take(struct nti_claim *c, const char *what, struct nti_claim_owner *owner)
{
	int dir = nti_locked_directory(c->os, NTI_CLAIM_DIRECTORY, true), ret;

	if (dir < 0)
		return dir;
	ret = take_in(c, dir, what, owner);
	nti_locked_close(dir);
	return ret;
}

static void let_go(struct nti_claim *c)
{
	nti_locked_close(c->fd);
	free(c);
}

/* The directory is not kept open meanwhile: a large machine has hundreds of PMU instances. */
static void remove_file(const struct nti_claim *c)
{
	int dir = c->os->ops->directory(c->os, NTI_CLAIM_DIRECTORY, false);

	if (dir < 0)
		return;
	nti_locked_remove(dir, c->name, c->fd);
	nti_locked_close(dir);
}

int nti_claim_new(struct nti_os *os, const struct nti_claim_pmu *pmu, struct nthw_io *io,
		  struct nti_claim_owner *owner, struct nti_claim **out)
{
	struct nti_claim *c;
	int ret = 0;

	*out = NULL;
	*owner = (struct nti_claim_owner){ .pid = 0 };
	if (!nti_claim_is_name(pmu->name))
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->io = (struct nthw_io){ .read = claim_read, .write = claim_write };
	c->to = io;
	c->os = os;
	c->fd = -1;
	c->owner = nti_process_self();
	c->kind = pmu->kind;
	c->number = pmu->number;
	c->chip = pmu->chip;
	(void)snprintf(c->name, sizeof(c->name), "%s", pmu->name);
	(void)snprintf(c->function, sizeof(c->function), "%s", pmu->function ? pmu->function : "");
	if (!os->is_simulated)
		ret = take(c, pmu->what, owner);
	if (ret < 0) {
		let_go(c);
		return ret;
	}
	*out = c;
	return 0;
}

void nti_claim_settle(struct nti_claim *claim)
{
	if (nti_process_self() != claim->owner)
		return;
	claim->changes = claim->lines = 0;
	if (claim->fd >= 0)
		(void)nti_locked_cut(claim->fd, NTI_CLAIM_LINE_BYTES);
}

void nti_claim_free(struct nti_claim *claim)
{
	if (!claim)
		return;
	if (claim->fd >= 0 && !claim->lines && nti_process_self() == claim->owner)
		remove_file(claim);
	let_go(claim);
}

/* ---- telling why not ---- */

static int explain_busy(const struct nti_claim_pmu *pmu, const struct nti_claim_owner *owner,
			struct nti_absence *out)
{
	const struct nti_user user = { .pid = owner->pid,
				       .command = owner->command,
				       .has_ended = owner->has_ended };

	/* It has all of the instance, and counts with this one. */
	if (*owner->select && !owner->has_ended)
		return nti_why_in_use(out, &user, "%s of %s", owner->select, pmu->where);
	return nti_why_in_use(out, &user, "%s", pmu->what);
}

int nti_claim_explain(const struct nti_claim_pmu *pmu, int error,
		      const struct nti_claim_owner *owner, struct nti_absence *out)
{
	char remedy[160];

	switch (error) {
	case -EBUSY:
		return explain_busy(pmu, owner, out);
	case -EUCLEAN:
		return nti_absence_set(
			out, NTIME_REASON_LEFTOVER, pmu->what, "ntime doctor --repair",
			"%s was left programmed by %s (pid %d)", pmu->what,
			*owner->command ? owner->command : "a program", (int)owner->pid);
	case -EBADMSG:
		(void)snprintf(remedy, sizeof(remedy),
			       "see that no program counts with it, then: rm %s/%s",
			       NTI_CLAIM_DIRECTORY, pmu->name);
		return nti_absence_set(
			out, NTIME_REASON_LEFTOVER, pmu->what, remedy,
			"the file that says who has %s, %s/%s, is damaged or not ntime's",
			pmu->what, NTI_CLAIM_DIRECTORY, pmu->name);
	case -ENOTDIR:
		return nti_absence_set(out, NTIME_REASON_FAILED, NTI_CLAIM_DIRECTORY, "remove it",
				       "%s is not a directory that only root can write to",
				       NTI_CLAIM_DIRECTORY);
	case -EACCES:
	case -EPERM:
		return nti_absence_set(
			out, NTIME_REASON_PERMISSION, NTI_CLAIM_DIRECTORY, NTI_AS_ROOT,
			"%s, where programs say which counters they have, is for root only",
			NTI_CLAIM_DIRECTORY);
	default:
		return nti_absence_set_failed(out, NTIME_REASON_FAILED, pmu->what, error,
					      "make sure that it can be written to",
					      "cannot write down in %s who has %s: %s",
					      NTI_CLAIM_DIRECTORY, pmu->what, strerror(-error));
	}
}
