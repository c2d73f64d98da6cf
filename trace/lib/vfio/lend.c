// SPDX-License-Identifier: MIT
/*
 * Giving functions to vfio-pci, and back. By driver_override and the files bind and unbind of
 * drivers alone (Documentation/ABI/testing/sysfs-bus-pci of Linux): new_id would take every card of
 * the same kind, and drivers_probe does not tell why a driver refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/trace/vfio.h>

#include "trace/lib/base/context.h"
#include "trace/lib/vfio/record.h"
#include "trace/lib/vfio/use.h"

#define FLAGS (NTIME_VFIO_LOOK | NTIME_VFIO_FORCE)

/* One bind or unbind. */
struct lend {
	struct nti_os *os;
	struct nti_error *e;
	uint32_t flags;
	int (*fn)(void *arg, const struct ntime_vfio_write *write);
	void *arg;
	int stopped; /* first non-zero of .fn */
	struct nti_vfio_group *group;
	struct nti_vfio_store store;
};

/* ---- one write ---- */

static int write_file(struct nti_os *os, const char *path, const char *text)
{
	char line[NTI_VFIO_DRIVER_BYTES + 1];
	int n = snprintf(line, sizeof(line), "%s\n", text);
	/* O_TRUNC is nothing to sysfs, and makes a plain file of a test hold the text alone. */
	int fd = os->ops->open(os, path, O_WRONLY | O_TRUNC);
	ssize_t done;

	if (fd < 0)
		return fd;
	done = os->ops->pwrite(os, fd, line, (size_t)n, 0);
	os->ops->close(os, fd);
	return done < 0 ? (int)done : done == n ? 0 : -EIO;
}

/* 0, or -errno with a sentence; -ECANCELED: .fn wants no more. */
static int put(struct lend *l, const char *path, const char *text)
{
	struct ntime_vfio_write w = { .size = sizeof(w), .path = path, .text = text };

	if (!(l->flags & NTIME_VFIO_LOOK))
		w.error = write_file(l->os, path, text);
	if (l->fn && !l->stopped)
		l->stopped = l->fn(l->arg, &w);
	if (w.error < 0)
		return nti_error(l->e, w.error, "cannot write '%s' to %s: %s", text, path,
				 strerror(-w.error));
	return l->stopped ? -ECANCELED : 0;
}

static int put_override(struct lend *l, const char *name, const char *driver)
{
	char path[160];

	(void)snprintf(path, sizeof(path), NTI_VFIO_DEVICES "/%s/driver_override", name);
	return put(l, path, driver);
}

/* @file is "bind" or "unbind" of @driver. */
static int put_driver(struct lend *l, const char *driver, const char *file, const char *name)
{
	char path[160];

	(void)snprintf(path, sizeof(path), NTI_VFIO_DRIVERS "/%s/%s", driver, file);
	return put(l, path, name);
}

/* The kernel took the write; did it do it as well? */
static int check_driver(struct lend *l, const char *name, const char *driver)
{
	struct nti_vfio_function now;
	int ret;

	if (l->flags & NTIME_VFIO_LOOK)
		return 0;
	ret = nti_vfio_function_load(l->os, name, &now);
	if (ret < 0)
		return nti_error(l->e, ret, "%s went away", name);
	if (strcmp(now.driver, driver) == 0)
		return 0;
	return nti_error(l->e, -EIO,
			 "the kernel did not bind %s to %s (it has %s): see its log (dmesg)", name,
			 *driver ? driver : "no driver", *now.driver ? now.driver : "none");
}

/* Take @f from its driver, if it has one, and bind it to @driver, if that is one. */
static int move(struct lend *l, const struct nti_vfio_function *f, const char *driver)
{
	int ret = 0;

	if (strcmp(f->driver, driver) == 0)
		return 0;
	if (*f->driver)
		ret = put_driver(l, f->driver, "unbind", f->name);
	if (ret == 0 && *driver)
		ret = put_driver(l, driver, "bind", f->name);
	return ret < 0 ? ret : check_driver(l, f->name, driver);
}

/* ---- back ---- */

/*
 * 1: something was changed; 0; -errno with a sentence. What somebody else has bound since stays
 * where it is.
 */
static int give_back(struct lend *l, const struct nti_vfio_had *had)
{
	struct nti_vfio_function f;
	bool is_changed = false;
	int ret = nti_vfio_function_load(l->os, had->name, &f);

	/* It was taken out of the machine: it comes back without override, and probed. */
	if (ret == -ENODEV)
		return 0;
	if (ret == 0 && strcmp(f.override, had->override) != 0 &&
	    strcmp(f.override, NTI_VFIO_DRIVER) == 0) {
		is_changed = true;
		ret = put_override(l, f.name, had->override);
	}
	if (ret == 0 && strcmp(f.driver, had->driver) != 0 &&
	    (!*f.driver || nti_vfio_is_lent(&f))) {
		is_changed = true;
		ret = move(l, &f, had->driver);
	}
	if (ret == -ENOENT && *had->driver)
		return nti_error(
			l->e, -EIO,
			"%s cannot be given back to %s, which is not loaded any more: load it "
			"and try again",
			f.name, had->driver);
	return ret < 0 ? ret : is_changed;
}

/*
 * Give back all of the record, the last first; what could not be given back stays on record. How
 * many were changed, or the first error, whose sentence stays.
 */
static int give_all_back(struct lend *l)
{
	struct nti_vfio_record *r = &l->store.record;
	struct nti_error first = { 0 }, *outer = l->e, mine = { 0 };
	size_t i = r->n, left = 0;
	int ret, changed = 0;

	l->e = &mine;
	while (i--) {
		ret = give_back(l, &r->had[i]);
		if (ret >= 0) {
			changed += ret;
			r->had[i].name[0] = '\0';
		} else if (!first.code) {
			first = mine;
			first.code = ret;
		}
	}
	l->e = outer;
	if (l->flags & NTIME_VFIO_LOOK)
		return changed;
	for (i = 0; i < r->n; i++) {
		if (r->had[i].name[0])
			r->had[left++] = r->had[i];
	}
	r->n = left;
	ret = nti_vfio_store_save(&l->store, first.code ? NULL : l->e);
	if (first.code)
		return nti_error(l->e, first.code, "%s", first.text);
	return ret < 0 ? ret : changed;
}

/* ---- what is allowed ---- */

static int begin(struct ntime_trace_ctx *ctx, struct lend *l, const char *card)
{
	l->os = ctx->os;
	l->store.fd = l->store.dir = -1;
	if (l->flags & ~FLAGS) {
		(void)nti_error(l->e, -EINVAL, "flags %#x of vfio are unknown", l->flags);
		return -EINVAL;
	}
	return nti_vfio_group_load(l->os, card, &l->group, l->e);
}

static int check_root(struct lend *l, const char *verb)
{
	if ((l->flags & NTIME_VFIO_LOOK) || l->os->is_elsewhere ||
	    l->os->ops->is_privileged(l->os, false))
		return 0;
	return nti_error(l->e, -EACCES, "only root can %s cards: run as root", verb);
}

static int check_use(struct lend *l, const struct nti_vfio_function *f)
{
	char why[512];
	int ret = l->flags & NTIME_VFIO_FORCE ? 0 : nti_vfio_use(l->os, f, why, sizeof(why));

	if (ret == -ENOMEM)
		return nti_error(l->e, ret, "no memory left");
	if (ret == 0)
		return 0;
	return nti_error(l->e, -EBUSY,
			 "%s, of IOMMU group %u, is in use: %s; end that, or use --force", f->name,
			 l->group->number, why);
}

/* Functions that have to be given. 0 is none, -errno with a sentence. */
static int check_group(struct lend *l)
{
	size_t i, able = 0;
	int todo = 0, ret = 0;

	for (i = 0; i < l->group->n && ret == 0; i++) {
		const struct nti_vfio_function *f = &l->group->function[i];

		if (f->is_bridge)
			continue;
		able++;
		if (nti_vfio_is_lent(f))
			continue;
		todo++;
		ret = check_use(l, f);
	}
	if (ret == 0 && !able)
		return nti_error(l->e, -EINVAL,
				 "IOMMU group %u holds bridges only, which are not lent",
				 l->group->number);
	return ret < 0 ? ret : todo;
}

static int check_vfio(struct lend *l)
{
	if (nti_os_exists(l->os, NTI_VFIO_DRIVERS "/" NTI_VFIO_DRIVER))
		return 0;
	return nti_error(l->e, -ENOENT,
			 "the driver vfio-pci is not loaded: modprobe vfio-pci, then try again");
}

/* ---- there ---- */

/*
 * What @f has, into the record. An old entry of a function that has a driver says what it had once:
 * somebody has bound it by hand since then. One without a driver was left so on the way there or
 * back, and one that asks for vfio-pci has asked for something else before. -ENOSPC with a
 * sentence.
 */
static int remember_function(struct lend *l, const struct nti_vfio_function *f)
{
	struct nti_vfio_record *r = &l->store.record;
	const struct nti_vfio_had *old = nti_vfio_record_find(r, f->name);
	struct nti_vfio_had *had = old ? &r->had[old - r->had] : &r->had[r->n];

	if (!old && r->n == NTI_VFIO_FUNCTIONS_MAX)
		return nti_error(l->e, -ENOSPC,
				 "there is no room to write down what %s has: the record of IOMMU "
				 "group %u holds %d functions; ntime trace unbind %s empties it",
				 f->name, l->group->number, NTI_VFIO_FUNCTIONS_MAX, f->name);
	memcpy(had->name, f->name, sizeof(had->name));
	if (!old || *f->driver)
		memcpy(had->driver, f->driver, sizeof(had->driver));
	if (!old || (*f->driver && strcmp(f->override, NTI_VFIO_DRIVER) != 0))
		memcpy(had->override, f->override, sizeof(had->override));
	r->n += !old;
	return 0;
}

/* Functions that are lent had something else before: that stays. */
static int remember(struct lend *l)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < l->group->n && ret == 0; i++) {
		const struct nti_vfio_function *f = &l->group->function[i];

		if (!f->is_bridge && !nti_vfio_is_lent(f))
			ret = remember_function(l, f);
	}
	return ret;
}

static int give(struct lend *l)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < l->group->n && ret == 0; i++) {
		const struct nti_vfio_function *f = &l->group->function[i];

		if (f->is_bridge || nti_vfio_is_lent(f))
			continue;
		if (strcmp(f->override, NTI_VFIO_DRIVER) != 0)
			ret = put_override(l, f->name, NTI_VFIO_DRIVER);
		if (ret == 0)
			ret = move(l, f, NTI_VFIO_DRIVER);
	}
	return ret;
}

static int undo(struct lend *l, int error)
{
	struct nti_error why = *l->e, *outer = l->e, more = { 0 };
	int ret, stopped = l->stopped;

	/* Who wants no more is not asked about the way back. */
	l->stopped = 0;
	if (stopped)
		l->fn = NULL;
	l->e = &more;
	ret = give_all_back(l);
	l->e = outer;
	l->stopped = stopped;
	if (ret < 0)
		return nti_error(
			l->e, -ESTALE,
			"%.400s; and not all could be given back (%.300s): ntime trace unbind %s "
			"tries again",
			why.text, more.text, l->group->function[0].name);
	if (error == -ECANCELED)
		return error;
	return nti_error(l->e, -EIO, "%.700s; all functions have the drivers again that they had",
			 why.text);
}

static int bind(struct lend *l)
{
	int ret;

	if (l->flags & NTIME_VFIO_LOOK)
		return give(l);
	ret = nti_vfio_store_open(l->os, &l->store, l->group->number, true, true, l->e);
	if (ret < 0)
		return ret;
	ret = remember(l);
	if (ret < 0)
		return ret;
	ret = nti_vfio_store_save(&l->store, l->e);
	if (ret < 0) {
		l->store.record.n = 0;
		(void)nti_vfio_store_save(&l->store, NULL);
		return ret;
	}
	ret = give(l);
	return ret < 0 ? undo(l, ret) : 0;
}

/* -ECANCELED is what .fn ended it with. */
static int end(struct lend *l, int ret)
{
	nti_vfio_store_close(&l->store);
	free(l->group);
	return ret == -ECANCELED && l->stopped ? l->stopped : ret;
}

int ntime_vfio_bind(struct ntime_trace_ctx *ctx, const char *card, uint32_t flags,
		    int (*fn)(void *arg, const struct ntime_vfio_write *write), void *arg)
{
	struct lend *l = calloc(1, sizeof(*l));
	int ret, todo = 0;

	if (!l)
		return nti_error(&ctx->error, -ENOMEM, "no memory left");
	*l = (struct lend){ .e = &ctx->error, .flags = flags, .fn = fn, .arg = arg };
	ret = begin(ctx, l, card);
	if (ret == 0)
		ret = todo = check_group(l);
	if (todo > 0)
		ret = check_root(l, "lend");
	if (ret == 0 && todo > 0)
		ret = check_vfio(l);
	if (ret == 0 && todo > 0)
		ret = bind(l);
	ret = end(l, ret);
	free(l);
	return ret ? ret : todo;
}

/* ---- unbind ---- */

static size_t count_lent(const struct nti_vfio_group *g)
{
	size_t i, n = 0;

	for (i = 0; i < g->n; i++)
		n += nti_vfio_is_lent(&g->function[i]);
	return n;
}

/* Nobody wrote down what they had: Linux finds a driver. */
static int give_away(struct lend *l)
{
	size_t i;
	int ret = 0, changed = 0;

	for (i = 0; i < l->group->n && ret == 0; i++) {
		const struct nti_vfio_function *f = &l->group->function[i];

		if (!nti_vfio_is_lent(f))
			continue;
		if (*f->override)
			ret = put_override(l, f->name, "");
		if (ret == 0)
			ret = move(l, f, "");
		if (ret == 0)
			ret = put(l, "/sys/bus/pci/drivers_probe", f->name);
		changed++;
	}
	return ret < 0 ? ret : changed;
}

static int unbind(struct lend *l)
{
	size_t lent = count_lent(l->group);
	int ret = nti_vfio_store_open(l->os, &l->store, l->group->number,
				      !(l->flags & NTIME_VFIO_LOOK), false, l->e);

	if (ret < 0)
		return ret;
	if (lent && nti_vfio_group_is_open(l->os, l->group->number) == 1)
		return nti_error(l->e, -EBUSY,
				 "a program has IOMMU group %u open, QEMU perhaps (fuser "
				 "/dev/vfio/%u tells): end it first",
				 l->group->number, l->group->number);
	if (l->store.record.n)
		return give_all_back(l);
	/* A file without a record in it. */
	if (!(l->flags & NTIME_VFIO_LOOK))
		(void)nti_vfio_store_save(&l->store, NULL);
	if (!lent)
		return 0;
	if (l->flags & NTIME_VFIO_FORCE)
		return give_away(l);
	return nti_error(
		l->e, -ENOENT,
		"vfio-pci has functions of IOMMU group %u, but ntime did not give them to it and "
		"does not know what they had: --force gives them to the drivers that Linux finds",
		l->group->number);
}

int ntime_vfio_unbind(struct ntime_trace_ctx *ctx, const char *card, uint32_t flags,
		      int (*fn)(void *arg, const struct ntime_vfio_write *write), void *arg)
{
	struct lend *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return nti_error(&ctx->error, -ENOMEM, "no memory left");
	*l = (struct lend){ .e = &ctx->error, .flags = flags, .fn = fn, .arg = arg };
	ret = begin(ctx, l, card);
	if (ret == 0)
		ret = check_root(l, "give back");
	if (ret == 0)
		ret = unbind(l);
	ret = end(l, ret);
	free(l);
	return ret;
}

/* ---- what there is ---- */

static int tell_function(const struct nti_vfio_group *g, const struct nti_vfio_function *f,
			 const struct nti_vfio_had *had,
			 int (*fn)(void *arg, const struct ntime_vfio_function *function),
			 void *arg)
{
	return fn(arg, &(struct ntime_vfio_function){ .size = sizeof(struct ntime_vfio_function),
						      .group = g->number,
						      .name = f->name,
						      .driver = f->driver,
						      .had = had ? had->driver : "",
						      .vendor_device = f->vendor_device,
						      .pci_class = f->pci_class,
						      .is_bridge = f->is_bridge,
						      .is_lent = had != NULL });
}

int ntime_vfio_function_for_each(struct ntime_trace_ctx *ctx, const char *card,
				 int (*fn)(void *arg, const struct ntime_vfio_function *function),
				 void *arg)
{
	struct lend *l = calloc(1, sizeof(*l));
	size_t i;
	int ret;

	if (!l)
		return nti_error(&ctx->error, -ENOMEM, "no memory left");
	*l = (struct lend){ .e = &ctx->error };
	ret = begin(ctx, l, card);
	/* Records that this user cannot read tell him nothing. */
	if (ret == 0)
		(void)nti_vfio_store_open(l->os, &l->store, l->group->number, false, false, NULL);
	for (i = 0; ret == 0 && i < l->group->n; i++) {
		const struct nti_vfio_function *f = &l->group->function[i];

		ret = tell_function(l->group, f, nti_vfio_record_find(&l->store.record, f->name),
				    fn, arg);
	}
	ret = end(l, ret);
	free(l);
	return ret;
}
