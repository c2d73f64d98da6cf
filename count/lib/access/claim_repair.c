// SPDX-License-Identifier: MIT
/* What killed programs left: finding it, and switching it off by what they wrote down. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/access/claim.h"
#include "count/lib/access/claim_file.h"
#include "count/lib/access/msr.h"
#include "count/lib/access/pci.h"
#include "base/common/text.h"
#include "base/os/locked.h"
#include "base/os/process.h"

/* A claim's file that is open. */
struct file {
	int dir, fd;
	struct nti_claim_record *record;
	const char *reason; /* what is wrong with it */
};

static const char no_plain_file[] = "it is no plain file of root's";

static void close_file(struct file *f)
{
	nti_locked_close(f->fd);
	nti_locked_close(f->dir);
	free(f->record);
}

static int read_file(struct file *f)
{
	free(f->record);
	return nti_claim_read(f->fd, &f->record, &f->reason);
}

/* ---- what there is ---- */

struct walk {
	struct nti_os *os;
	struct file file;
	struct nti_process_identity self;
	int (*fn)(void *arg, const struct nti_claim_leftover *left);
	void *arg;
};

static int tell_damaged(struct walk *w, const char *name)
{
	char clean[NTI_CLAIM_NAME_BYTES], what[192];

	(void)snprintf(clean, sizeof(clean), "%s", name);
	nti_claim_clean(clean);
	(void)snprintf(what, sizeof(what), "%s/%s cannot be used: %s", NTI_CLAIM_DIRECTORY, clean,
		       w->file.reason);
	return w->fn(w->arg, &(struct nti_claim_leftover){
				     .name = clean, .what = what, .is_damaged = true });
}

static const char of_unknown_boot[] = "it is not known whether it was written since this machine "
				      "was started (/proc is missing, or was)";

static int tell_leftover(struct walk *w, const char *name)
{
	const struct nti_claim_record *r = w->file.record;
	struct nti_claim_leftover left = {
		.name = name, .what = r->head.what, .owner = r->head.owner, .registers = r->lines
	};

	if (r->lines && !nti_claim_knows_boot(&r->head, w->self.boot)) {
		w->file.reason = of_unknown_boot;
		return tell_damaged(w, name);
	}
	if (!r->lines || !nti_claim_is_of_boot(&r->head, w->self.boot))
		return 0;
	left.owner.has_ended = true;
	return w->fn(w->arg, &left);
}

static int look_at(struct walk *w, const char *name)
{
	int ret;

	/* ntime's own, and no claims (claim.h). */
	if (*name == '.')
		return 0;
	w->file.reason = no_plain_file;
	if (!nti_claim_is_name(name)) {
		w->file.reason = "its name is none of ntime's";
		return tell_damaged(w, name);
	}
	w->file.fd = nti_locked_open(w->file.dir, name);
	if (w->file.fd == -EBADMSG)
		return tell_damaged(w, name);
	/* It went away meanwhile. */
	if (w->file.fd < 0)
		return w->file.fd == -ENOENT ? 0 : w->file.fd;
	ret = nti_locked_is_taken(w->file.fd);
	if (ret > 0)
		return 0;
	if (ret == 0)
		ret = read_file(&w->file);
	if (ret == -EBADMSG)
		return tell_damaged(w, name);
	return ret < 0 ? ret : tell_leftover(w, name);
}

static int look_at_next(void *arg, const char *name)
{
	struct walk *w = arg;
	int ret;

	w->file.fd = -1;
	ret = look_at(w, name);
	nti_locked_close(w->file.fd);
	w->file.fd = -1;
	return ret;
}

int nti_claim_for_each_leftover(struct nti_os *os,
				int (*fn)(void *arg, const struct nti_claim_leftover *left),
				void *arg)
{
	struct walk w = { .os = os, .file.fd = -1, .fn = fn, .arg = arg };
	int ret;

	w.file.dir = nti_locked_directory(os, NTI_CLAIM_DIRECTORY, false);
	if (w.file.dir < 0)
		return w.file.dir == -ENOENT ? 0 : w.file.dir;
	nti_process_identify(&w.self);
	ret = os->ops->list(os, NTI_CLAIM_DIRECTORY, look_at_next, &w);
	close_file(&w.file);
	return ret;
}

/* ---- registers ---- */

struct real_handles {
	struct nti_claim_access handles; /* first: its functions get this pointer */
	struct nti_os *os;
	struct nti_msr *msr;
	struct nti_pci *pci;
	bool has_pci; /* it was looked for */
};

static struct real_handles *real_of(struct nti_claim_access *handles)
{
	return (struct real_handles *)handles;
}

struct search {
	struct nti_os *os;
	int package;
	unsigned int cpu;
};

static int is_of_package(void *arg, unsigned int cpu)
{
	struct search *s = arg;

	s->cpu = cpu;
	return nti_os_package(s->os, cpu) == s->package;
}

/*
 * The CPU that is named, or, when that is off line now, another one that reaches the same register.
 */
static unsigned int cpu_for(struct real_handles *l, const struct nti_claim_repair *at)
{
	unsigned int cpu = (unsigned int)nti_claim_cpu(at->device);
	struct search search = { .os = l->os, .package = at->package };
	char online[4096];

	if (at->package < 0 || nti_os_online(l->os, online, sizeof(online)) < 0 ||
	    nti_text_list_has(online, cpu) ||
	    nti_text_for_each_in_list(online, NTI_CPU_LIMIT, is_of_package, &search) <= 0)
		return cpu;
	return search.cpu;
}

/* A record could name any function; only those with such a register are written. */
static int check_function(const struct nti_pci_function *f, const struct nti_claim_repair *at,
			  struct nti_error *e)
{
	if (nti_claim_is_of_device(f->vendor_id, f->device_id, at->name, at->address))
		return 0;
	return nti_error(e, -ENOTSUP,
			 "PCI function %s (%04x:%04x) has no register at 0x%x that ntime knows",
			 f->address, f->vendor_id, f->device_id, at->address);
}

static int find_function(struct real_handles *l, const struct nti_claim_repair *at,
			 const struct nti_pci_function **out, struct nti_error *e)
{
	const char *address = at->device;
	int ret = l->has_pci ? 0 : nti_pci_new(l->os, &l->pci);

	*out = NULL;
	if (ret < 0)
		return ret;
	l->has_pci = true;
	if (!l->pci)
		return nti_error(e, -ENOTSUP, "PCI function %s cannot be reached from here",
				 address);
	*out = nti_pci_find(l->pci, address, NULL);
	return *out ? check_function(*out, at, e)
		    : nti_error(e, -ENODEV, "PCI function %s is gone", address);
}

static int real_read(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		     uint32_t bits, uint64_t *value, struct nti_error *e)
{
	struct real_handles *l = real_of(handles);
	const struct nti_pci_function *function = NULL;
	int ret;

	if (at->space == NTHW_SPACE_MSR)
		return nti_msr_read(l->msr, cpu_for(l, at), at->address, value, e);
	ret = find_function(l, at, &function, e);
	if (ret < 0)
		return ret;
	ret = nti_pci_read(function, at->space, at->address, bits, value, e);
	/* A memory that is there and answers with ones is switched off, and keeps what it has. */
	if (ret == 0 && at->space != NTHW_SPACE_PCI && *value == UINT32_MAX)
		ret = nti_error(e, -EIO, "the memory of PCI function %s is switched off",
				function->address);
	return ret;
}

static int real_write(struct nti_claim_access *handles, const struct nti_claim_repair *at,
		      uint32_t bits, uint64_t value, struct nti_error *e)
{
	struct real_handles *l = real_of(handles);
	const struct nti_pci_function *function = NULL;
	int ret;

	if (at->space == NTHW_SPACE_MSR)
		return nti_msr_write(l->msr, cpu_for(l, at), at->address, value, e);
	ret = find_function(l, at, &function, e);
	if (ret < 0)
		return ret;
	return nti_pci_write(function, at->space, at->address, bits, value, e);
}

/* ---- switching off ---- */

struct repair {
	struct nti_claim_access *handles;
	struct file file;
	uint32_t flags;
	int (*fn)(void *arg, const struct nti_claim_repair *step);
	void *arg;
	struct nti_error *e;
	int failed;	/* the first access that failed */
	size_t missing; /* registers that it could not be done to */
};

/*
 * A PCI function that is gone, but not yet taken off the list, answers with ones alone
 * (PCI_ERROR_RESPONSE in Linux 6.1 include/linux/pci.h). No register of ours has that value: all
 * have bits that read 0.
 */
static int read_found(struct repair *r, const struct nti_claim_line *line,
		      struct nti_claim_repair *step, struct nti_error *e)
{
	uint64_t gone = line->bits >= 64 ? UINT64_MAX : ((uint64_t)1 << line->bits) - 1;
	int ret = r->handles->read(r->handles, step, line->bits, &step->found, e);

	return ret == 0 && line->space == NTHW_SPACE_PCI && step->found == gone ? -ENODEV : ret;
}

static int switch_off(struct repair *r, const struct nti_claim_line *line,
		      struct nti_claim_repair *step, struct nti_error *error)
{
	int ret = read_found(r, line, step, error);

	step->now = step->found;
	if (ret == 0)
		ret = nti_claim_judge(line, nti_claim_row(line), step->found, &step->now);
	if (ret == 0 && step->now != step->found && !(r->flags & NTI_CLAIM_LOOK))
		ret = r->handles->write(r->handles, step, line->bits, step->now, error);
	if (ret == 0)
		return 0;
	step->now = step->found;
	if (ret == -EBUSY || ret == -ENODEV)
		return ret;
	if (!r->failed && r->e)
		*r->e = *error;
	r->failed = r->failed ? r->failed : ret;
	r->missing++;
	return ret;
}

static int repair_lines(struct repair *r)
{
	const struct nti_claim_line *line = r->file.record->line,
				    *end = line + r->file.record->lines;
	int ret = 0;

	for (; ret == 0 && line < end; line++) {
		struct nti_claim_repair step = { .space = line->space,
						 .device = line->device,
						 .name = line->name,
						 .address = line->address,
						 .package = line->package,
						 .why = "" };
		struct nti_error error = { 0 };

		step.error = switch_off(r, line, &step, &error);
		if (step.error)
			step.why = error.text;
		ret = r->fn ? r->fn(r->arg, &step) : 0;
	}
	return ret;
}

static int say_busy(struct repair *r, const char *name)
{
	const struct nti_claim_owner *owner;

	if (read_file(&r->file) < 0 || !r->file.record->has_head)
		return nti_error(r->e, -EBUSY, "another program has the counters of %s now", name);
	owner = &r->file.record->head.owner;
	return nti_error(r->e, -EBUSY, "%s has the counters of %s now (pid %d)",
			 *owner->command ? owner->command : "a program", r->file.record->head.what,
			 (int)owner->pid);
}

static int say_open(struct repair *r, const char *name, int error)
{
	switch (error) {
	case -ENOENT:
		return nti_error(r->e, error, "there is no record %s in %s: nothing to repair",
				 name, NTI_CLAIM_DIRECTORY);
	case -ENOTDIR:
		return nti_error(r->e, error, "%s is not a directory that only root can write to",
				 NTI_CLAIM_DIRECTORY);
	case -EACCES:
	case -EPERM:
		return nti_error(r->e, -EACCES, "%s/%s is for root only: " NTI_AS_ROOT,
				 NTI_CLAIM_DIRECTORY, name);
	case -EBADMSG:
		return nti_error(r->e, error,
				 "nothing is repaired with %s/%s: %s; when no program counts with "
				 "it, remove it",
				 NTI_CLAIM_DIRECTORY, name, r->file.reason);
	default:
		return nti_error(r->e, error, "cannot use %s/%s: %s", NTI_CLAIM_DIRECTORY, name,
				 strerror(-error));
	}
}

/* Have the file, locked and read. */
static int open_record(struct nti_os *os, struct repair *r, const char *name)
{
	struct nti_process_identity self;
	int ret;

	r->file.dir = nti_claim_is_name(name) ? nti_locked_directory(os, NTI_CLAIM_DIRECTORY, false)
					      : -ENOENT;
	ret = r->file.dir < 0 ? r->file.dir
			      : nti_locked_take(r->file.dir, name, false, &r->file.fd);
	if (ret == -EBUSY)
		return say_busy(r, name);
	if (ret == 0)
		ret = read_file(&r->file);
	if (ret < 0)
		return say_open(r, name, ret);
	nti_process_identify(&self);
	if (r->file.record->lines && !nti_claim_knows_boot(&r->file.record->head, self.boot)) {
		r->file.reason = of_unknown_boot;
		return say_open(r, name, -EBADMSG);
	}
	return r->file.record->lines && nti_claim_is_of_boot(&r->file.record->head, self.boot)
		       ? 0
		       : say_open(r, name, -ENOENT);
}

static int say_failed(struct repair *r, const char *name)
{
	int code = r->failed == -EACCES || r->failed == -EPERM ? -EACCES : -EIO;
	char why[NTI_ERROR_TEXT_BYTES];

	if (!r->e)
		return code;
	(void)snprintf(why, sizeof(why), "%s", r->e->text);
	return nti_error(r->e, code,
			 "%zu register%s of %s could not be switched off and stay%s on record: %s",
			 r->missing, r->missing == 1 ? "" : "s", name, r->missing == 1 ? "s" : "",
			 *why ? why : strerror(-r->failed));
}

int nti_claim_repair_through(struct nti_os *os, struct nti_claim_access *handles, const char *name,
			     uint32_t flags,
			     int (*fn)(void *arg, const struct nti_claim_repair *step), void *arg,
			     struct nti_error *e)
{
	struct repair r = { .handles = handles,
			    .file = { .dir = -1, .fd = -1, .reason = no_plain_file },
			    .flags = flags,
			    .fn = fn,
			    .arg = arg,
			    .e = e };
	int ret = open_record(os, &r, name);

	if (ret == 0)
		ret = repair_lines(&r);
	if (ret == 0 && r.missing)
		ret = say_failed(&r, name);
	else if (ret == 0 && !(flags & NTI_CLAIM_LOOK))
		nti_locked_remove(r.file.dir, name, r.file.fd);
	close_file(&r.file);
	return ret;
}

int nti_claim_repair(struct nti_os *os, const char *name, uint32_t flags,
		     int (*fn)(void *arg, const struct nti_claim_repair *step), void *arg,
		     struct nti_error *e)
{
	struct real_handles real = { .handles = { .read = real_read, .write = real_write },
				     .os = os };
	int ret = nti_msr_new(os, &real.msr);

	if (ret == 0)
		ret = nti_claim_repair_through(os, &real.handles, name, flags, fn, arg, e);
	nti_pci_free(real.pci);
	nti_msr_free(real.msr);
	return ret;
}
