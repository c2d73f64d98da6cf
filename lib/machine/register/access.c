// SPDX-License-Identifier: MIT
/* A register that is open: through which way, what it held, and how that comes back. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/names.h"
#include "core/base/write.h"
#include "lib/base/text.h"
#include "lib/access/method.h"
#include "lib/access/ntimefs.h"
#include "lib/machine/register/register.h"

/* "0x" and 16 digits and a newline, and then some. */
#define TEXT_BYTES 32
/* More than the driver says of itself with some writers; what does not fit is done without. */
#define STATUS_BYTES 16384

struct method;

struct ntime_register {
	struct nti_registers *r;
	struct nti_error *e;
	const struct nti_register *reg;
	const struct method *method;
	uint32_t flags;
	int fd; /* of the driver's file; -1: another way */
	bool is_changed;
	uint64_t saved; /* valid with is_changed: what it held before */
	char place[128];
};

/* One access method. @open leaves nothing behind on failure. Errors have their sentence. */
struct method {
	enum nti_method id;
	bool (*reaches)(const struct nti_register *reg, uint32_t flags);
	int (*open)(struct ntime_register *r);
	int (*read)(struct ntime_register *r, uint64_t *value);
	int (*write)(struct ntime_register *r, uint64_t value);
};

/* ---- ntime's driver ---- */

static bool tree_reaches(const struct nti_register *reg, uint32_t flags)
{
	/*
	 * The kernel puts the old value back when the descriptor closes, and lets nobody write what
	 * is not ours.
	 */
	return reg->is_in_tree && !(flags & (NTIME_REGISTER_KEEP | NTIME_REGISTER_FORCE));
}

/* What the driver last refused, and why, as its file "status" has it; "" when it says nothing. */
static void last_refusal(struct nti_os *os, char *buf, size_t size)
{
	static const char key[] = "\nlast refusal: ";
	char text[STATUS_BYTES];
	const char *at;

	buf[0] = '\0';
	if (os->ops->text(os, NTIME_FS_PATH "/status", text, sizeof(text)) < 0)
		return;
	at = strstr(text, key);
	if (at)
		(void)snprintf(buf, size, " (%.*s)", (int)strcspn(at + strlen(key), "\n"),
			       at + strlen(key));
}

static int tree_busy(const struct ntime_register *r)
{
	char why[256];

	last_refusal(r->r->os, why, sizeof(why));
	return nti_error(r->e, -EBUSY,
			 "%s is taken: another program has it open for writing, or perf or the NMI "
			 "watchdog counts%s",
			 r->place, why);
}

static int tree_denied(const struct ntime_register *r, int error, const char *verb)
{
	const char *why = nthw_secret_why(r->reg->row->secret);

	if (why)
		return nti_error(r->e, error,
				 "%s may not be %s by this user, because %s: " NTI_AS_ROOT
				 ", or let "
				 "root give this user that one file (chgrp, chmod)",
				 r->place, verb, why);
	return nti_error(r->e, error,
			 "%s may not be %s by this user: become a member of the group "
			 "that may (ls -l %s), or " NTI_AS_ROOT,
			 r->place, verb, r->place);
}

static int tree_refused(const struct ntime_register *r, int error, const char *verb)
{
	char why[128];

	if (!nti_ntimefs_refusal(r->r->os, why, sizeof(why)))
		(void)snprintf(why, sizeof(why),
			       "the kernel is locked down, or this is a container or root "
			       "without CAP_SYS_RAWIO");
	return nti_error(r->e, error, "%s cannot be %s: %s", r->place, verb, why);
}

static int tree_explain(const struct ntime_register *r, int error, const char *verb)
{
	switch (error) {
	case -EACCES:
		return tree_denied(r, error, verb);
	case -EBUSY:
		return tree_busy(r);
	case -EPERM:
		return tree_refused(r, error, verb);
	case -EROFS:
		return nti_error(r->e, error,
				 NTIME_FS_PATH " is mounted read only, so %s cannot be written",
				 r->place);
	case -ENODEV:
	case -ENOENT:
	case -ENXIO:
		return nti_error(r->e, -ENODEV, "%s went away: CPU or device is off line or gone",
				 r->place);
	case -EIO:
		return nti_error(r->e, error, "the hardware refuses to have %s %s", r->place, verb);
	default:
		return nti_error(r->e, error, "%s cannot be %s: %s", r->place, verb,
				 strerror(-error));
	}
}

static int tree_open(struct ntime_register *r)
{
	bool writes = r->flags & NTIME_REGISTER_WRITE;
	int flags = !writes ? O_RDONLY : !nthw_reg_is_readable(r->reg->row) ? O_WRONLY : O_RDWR;

	(void)snprintf(r->place, sizeof(r->place), NTIME_FS_PATH "/%s", r->reg->path);
	r->fd = r->r->os->ops->open(r->r->os, r->place, flags);
	return r->fd < 0 ? tree_explain(r, r->fd, writes ? "written" : "read") : 0;
}

static int tree_read(struct ntime_register *r, uint64_t *value)
{
	char text[TEXT_BYTES + 1];
	ssize_t n = r->r->os->ops->pread(r->r->os, r->fd, text, TEXT_BYTES, 0);

	if (n < 0)
		return tree_explain(r, (int)n, "read");
	text[n] = '\0';
	if (nti_text_parse_u64(nti_text_trim(text), value) < 0)
		return nti_error(r->e, -EIO, "%s says '%.32s', which is no number", r->place, text);
	return 0;
}

/*
 * The driver merges: only what is the caller's is handed over, so that nothing which changed
 * meanwhile is taken for a wish.
 */
static int tree_write(struct ntime_register *r, uint64_t value)
{
	const struct nthw_reg *row = r->reg->row;
	char text[TEXT_BYTES];
	int chars = snprintf(
		text, sizeof(text), "0x%016llx\n",
		(unsigned long long)(value & (nthw_reg_settable(row) | nthw_reg_clearable(row))));
	ssize_t n = r->r->os->ops->pwrite(r->r->os, r->fd, text, (size_t)chars, 0);

	if (n == chars)
		return 0;
	return tree_explain(r, n < 0 ? (int)n : -EIO, "written");
}

/* ---- /dev/cpu/N/msr ---- */

static bool msr_reaches(const struct nti_register *reg, uint32_t flags)
{
	(void)flags;
	return reg->row->space == NTHW_SPACE_MSR;
}

/*
 * Opening is done by the first access, so make one that does no harm: this tells who may not before
 * anything is promised.
 */
static int msr_open(struct ntime_register *r)
{
	uint64_t unused;
	char path[40];
	int ret;

	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", r->reg->cpu);
	(void)snprintf(r->place, sizeof(r->place), "%s at %#x", path, r->reg->address);
	if (r->flags & NTIME_REGISTER_WRITE) {
		ret = r->r->os->ops->access(r->r->os, path, W_OK);
		if (ret == -EACCES)
			return nti_error(r->e, ret,
					 "%s needs root (CAP_SYS_RAWIO) and a kernel that is not "
					 "locked down",
					 path);
	}
	if (!nthw_reg_is_readable(r->reg->row))
		return 0;
	return nti_msr_read(r->r->msr, r->reg->cpu, r->reg->address, &unused, r->e);
}

static int msr_read(struct ntime_register *r, uint64_t *value)
{
	return nti_msr_read(r->r->msr, r->reg->cpu, r->reg->address, value, r->e);
}

static int msr_write(struct ntime_register *r, uint64_t value)
{
	return nti_msr_write(r->r->msr, r->reg->cpu, r->reg->address, value, r->e);
}

/* ---- PCI: configuration space and memory ---- */

static bool pci_reaches(const struct nti_register *reg, uint32_t flags)
{
	(void)flags;
	return reg->function && reg->row->space == NTHW_SPACE_PCI;
}

static bool mmio_reaches(const struct nti_register *reg, uint32_t flags)
{
	(void)flags;
	return reg->function && reg->row->space == NTHW_SPACE_MMIO;
}

static int function_open(struct ntime_register *r)
{
	uint64_t unused;

	(void)snprintf(r->place, sizeof(r->place), "%s of PCI function %s at %#x",
		       r->reg->row->space == NTHW_SPACE_PCI ? "configuration space" : "memory",
		       r->reg->function->address, r->reg->address);
	if ((r->flags & NTIME_REGISTER_WRITE) && !r->r->os->ops->is_privileged(r->r->os, false))
		return nti_error(r->e, -EACCES, "%s can be written by root only", r->place);
	return !nthw_reg_is_readable(r->reg->row) ? 0 : r->method->read(r, &unused);
}

static int pci_read(struct ntime_register *r, uint64_t *value)
{
	return nti_pci_config_read(r->r->pci, r->reg->function, r->reg->address, r->reg->row->bits,
				   value, r->e);
}

static int pci_write(struct ntime_register *r, uint64_t value)
{
	return nti_pci_config_write(r->r->pci, r->reg->function, r->reg->address, r->reg->row->bits,
				    value, r->e);
}

static int mmio_read(struct ntime_register *r, uint64_t *value)
{
	return nti_pci_memory_read(r->r->pci, r->reg->function, r->reg->address, r->reg->row->bits,
				   value, r->e);
}

static int mmio_write(struct ntime_register *r, uint64_t value)
{
	return nti_pci_memory_write(r->r->pci, r->reg->function, r->reg->address, r->reg->row->bits,
				    value, r->e);
}

/* In the order in which they are tried. */
static const struct method methods[] = {
	{ NTI_METHOD_NTIMEFS, tree_reaches, tree_open, tree_read, tree_write },
	{ NTI_METHOD_MSR, msr_reaches, msr_open, msr_read, msr_write },
	{ NTI_METHOD_PCI, pci_reaches, function_open, pci_read, pci_write },
	{ NTI_METHOD_MMIO, mmio_reaches, function_open, mmio_read, mmio_write },
};

/* ---- what all ways share ---- */

static int check_row(const struct nti_register *reg, uint32_t flags, struct nti_error *e)
{
	if (!(flags & NTIME_REGISTER_WRITE) || (flags & NTIME_REGISTER_FORCE))
		return 0;
	if (reg->row->trust == NTHW_GUESSED && reg->row->writable)
		return nti_error(e, -EPERM,
				 "part of what is known of %s is a guess, so it is not written "
				 "(unless forced)",
				 reg->name);
	if (reg->row->scope == NTHW_SCOPE_L3 && reg->row->writable)
		return nti_error(e, -EPERM,
				 "CPUs share %s, and which ones is not known here, so it is not "
				 "written (unless forced)",
				 reg->name);
	if (!reg->row->writable && !nthw_reg_clearable(reg->row))
		return nti_error(e, -EPERM, "%s is read-only (unless forced)", reg->name);
	return 0;
}

/* The first way that opens; where none does, the error of the first one that could have. */
static int open_method(struct ntime_register *r)
{
	struct nti_error first = { 0 };
	size_t i;
	int ret;

	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (!methods[i].reaches(r->reg, r->flags))
			continue;
		r->method = &methods[i];
		ret = methods[i].open(r);
		/* Whoever else has the register is not to be gone around. */
		if (ret == 0 || ret == -EBUSY || ret == -ENOMEM)
			return ret;
		if (!first.code)
			first = *r->e;
	}
	if (first.code)
		return nti_error(r->e, first.code, "%s", first.text);
	if (r->reg->is_in_tree)
		return nti_error(r->e, -EOPNOTSUPP,
				 "%s is reached through ntime's driver alone, which gives a "
				 "register back when the program that wrote it ends and lets only "
				 "documented bits be written",
				 r->reg->path);
	return nti_error(r->e, -EOPNOTSUPP,
			 "%s is reached through ntime's driver alone, which is not loaded (ntime "
			 "driver load)",
			 r->reg->path);
}

int nti_register_open(struct nti_registers *r, struct nti_error *e, const struct nti_register *reg,
		      uint32_t flags, struct ntime_register **out)
{
	struct ntime_register *new;
	int ret = check_row(reg, flags, e);

	*out = NULL;
	if (ret < 0)
		return ret;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = (struct ntime_register){ .r = r, .e = e, .reg = reg, .flags = flags, .fd = -1 };
	ret = open_method(new);
	if (ret < 0) {
		free(new);
		return ret;
	}
	*out = new;
	return 0;
}

const char *ntime_register_method(const struct ntime_register *r)
{
	return nti_method_get(r->method->id)->name;
}

const char *ntime_register_where(const struct ntime_register *r)
{
	return r->place;
}

int ntime_register_read(struct ntime_register *r, uint64_t *value)
{
	if (!nthw_reg_is_readable(r->reg->row))
		return nti_error(r->e, -EOPNOTSUPP,
				 "%s cannot be read usefully: it only clears other registers",
				 r->reg->name);
	return r->method->read(r, value);
}

/* "event, umask": the fields that @bits are in; "no field" for the rest. */
static void name_fields(const struct nthw_reg *row, uint64_t bits, char *buf, size_t size)
{
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < row->field_count; i++) {
		if (!(bits & nthw_field_mask(&row->fields[i])))
			continue;
		if (*buf)
			(void)nti_text_append(buf, size, ", ");
		(void)nti_text_append(buf, size, row->fields[i].name);
		bits &= ~nthw_field_mask(&row->fields[i]);
	}
	if (bits)
		(void)nti_text_append(buf, size, *buf ? ", and bits of no field" : "of no field");
}

static int check_width(const struct ntime_register *r, uint64_t value)
{
	uint32_t bits = r->reg->row->bits;

	if (bits >= 64 || value >> bits == 0)
		return 0;
	return nti_error(r->e, -EINVAL, "%#llx does not fit into the %u bits of %s",
			 (unsigned long long)value, bits, r->reg->name);
}

/* What it holds now, 0 of a register that cannot tell, and what it would hold then. */
static int merge(struct ntime_register *r, uint64_t value, uint64_t *old, uint64_t *merged)
{
	char fields[256];
	uint64_t refused;
	int ret = check_width(r, value);

	*old = 0;
	if (ret == 0 && nthw_reg_is_readable(r->reg->row))
		ret = r->method->read(r, old);
	if (ret < 0)
		return ret;
	if (r->flags & NTIME_REGISTER_FORCE) {
		*merged = value;
		return 0;
	}
	refused = nthw_write_refuses(r->reg->row, *old, value);
	if (!refused) {
		*merged = nthw_write_merge(r->reg->row, *old, value);
		return 0;
	}
	name_fields(r->reg->row, refused, fields, sizeof(fields));
	return nti_error(r->e, -EINVAL,
			 "bits %#llx (%s) of %s may not be set: of this register %#llx is ours to "
			 "write, and %#llx can be cleared",
			 (unsigned long long)refused, fields, r->reg->name,
			 (unsigned long long)nthw_reg_settable(r->reg->row),
			 (unsigned long long)nthw_reg_clearable(r->reg->row));
}

int ntime_register_merge(struct ntime_register *r, uint64_t value, uint64_t *merged)
{
	uint64_t old;

	return merge(r, value, &old, merged);
}

/*
 * What was set by ones is cleared at another address, which only the driver writes as part of the
 * same register. A log cannot be put back, and writing what it was would clear what came since.
 */
static bool can_restore(const struct nthw_reg *row)
{
	return nthw_reg_is_readable(row) && !nthw_reg_bits_of(row, NTHW_RW1S) &&
	       (nthw_reg_kept(row) || !nthw_reg_bits_of(row, NTHW_RW0C));
}

/* Through the driver the kernel does it when the file closes. */
static bool is_restored_by_us(const struct ntime_register *r)
{
	return r->fd < 0 && can_restore(r->reg->row);
}

/* Once more where it fails: to leave it would be worse. */
static int put_back(struct ntime_register *r, uint64_t found)
{
	uint64_t value = nthw_write_restore(r->reg->row, ~(uint64_t)0, found, 0);
	int ret = r->method->write(r, value);

	return ret < 0 ? r->method->write(r, value) : 0;
}

/*
 * A write that failed may have been done in part: configuration space takes a wide register in two
 * pieces. @old is what the register held; the sentence is that of the write.
 */
static int undo_write(struct ntime_register *r, uint64_t old, int error)
{
	const struct nti_error why = *r->e;
	uint64_t now;

	if (!is_restored_by_us(r))
		return error;
	if ((r->method->read(r, &now) < 0 || now != old) && put_back(r, old) < 0) {
		if (!r->is_changed)
			r->saved = old;
		r->is_changed = true;
		return nti_error(r->e, error, "%s; %s may hold a part of it, it was %#llx",
				 why.text, r->reg->path, (unsigned long long)old);
	}
	*r->e = why;
	return error;
}

int ntime_register_write(struct ntime_register *r, uint64_t value)
{
	uint64_t old = 0, merged = 0;
	int ret;

	if (!(r->flags & NTIME_REGISTER_WRITE))
		return nti_error(r->e, -EBADF, "%s is open for reading only", r->reg->path);
	ret = merge(r, value, &old, &merged);
	if (ret < 0)
		return ret;
	ret = r->method->write(r, merged);
	if (ret < 0)
		return undo_write(r, old, ret);
	if (!r->is_changed) {
		r->saved = old;
		r->is_changed = true;
	}
	return 0;
}

static int restore(struct ntime_register *r)
{
	if (!r->is_changed || !is_restored_by_us(r) || (r->flags & NTIME_REGISTER_KEEP))
		return 0;
	if (put_back(r, r->saved) == 0)
		return 0;
	return nti_error_prefix(r->e, r->e->code, "%s keeps what was written, it was %#llx",
				r->reg->path, (unsigned long long)r->saved);
}

int ntime_register_close(struct ntime_register *r)
{
	int ret;

	if (!r)
		return 0;
	ret = restore(r);
	if (r->fd >= 0)
		r->r->os->ops->close(r->r->os, r->fd);
	free(r);
	return ret;
}
