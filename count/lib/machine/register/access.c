// SPDX-License-Identifier: MIT
/* A register that is open: through which way, what it held, and how that comes back. */
#include <errno.h>
#include <stdlib.h>

#include "core/base/names.h"
#include "core/base/write.h"
#include "base/common/text.h"
#include "count/lib/machine/register/register.h"

struct ntime_register {
	struct nti_access a;
	const struct nti_register *reg;
	uint32_t flags;
	bool is_changed;
	uint64_t saved; /* valid with is_changed: what it held before */
};

static int check_readable(const struct nti_register *reg, struct nti_error *e)
{
	return nthw_reg_is_readable(reg->row)
		       ? 0
		       : nti_error(e, -EOPNOTSUPP,
				   "%s cannot be read usefully: it only clears other registers",
				   reg->name);
}

static int check_row(const struct nti_register *reg, uint32_t flags, struct nti_error *e)
{
	if (!(flags & NTIME_REGISTER_WRITE))
		return check_readable(reg, e);
	if (flags & NTIME_REGISTER_FORCE)
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
	*new = (struct ntime_register){ .a = nti_register_access(r, reg),
					.reg = reg,
					.flags = flags };
	new->a.e = e;
	new->a.writes = (flags & NTIME_REGISTER_WRITE) != 0;
	new->a.is_kept = (flags & (NTIME_REGISTER_KEEP | NTIME_REGISTER_FORCE)) != 0;
	ret = nti_access_open(&new->a);
	if (ret < 0) {
		free(new);
		return ret;
	}
	*out = new;
	return 0;
}

const char *ntime_register_method(const struct ntime_register *r)
{
	return nti_method_get(r->a.method)->name;
}

const char *ntime_register_where(const struct ntime_register *r)
{
	return r->a.place;
}

int ntime_register_read(struct ntime_register *r, uint64_t *value)
{
	int ret = check_readable(r->reg, r->a.e);

	return ret < 0 ? ret : nti_access_read(&r->a, value);
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
	return nti_error(r->a.e, -EINVAL, "%#llx does not fit into the %u bits of %s",
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
		ret = nti_access_read(&r->a, old);
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
	return nti_error(r->a.e, -EINVAL,
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
 * Through the driver the kernel does it when the file closes. What was set by ones is cleared at
 * another address, which only the driver writes as part of the same register. A log cannot be put
 * back, and writing what it was would clear what came since.
 */
static bool is_restored_by_us(const struct ntime_register *r)
{
	const struct nthw_reg *row = r->reg->row;

	return r->a.fd < 0 && nthw_reg_is_readable(row) && !nthw_reg_bits_of(row, NTHW_RW1S) &&
	       (nthw_reg_kept(row) || !nthw_reg_bits_of(row, NTHW_RW0C));
}

/* Once more where it fails: to leave it would be worse. */
static int put_back(struct ntime_register *r, uint64_t found)
{
	uint64_t value = nthw_write_restore(r->reg->row, ~(uint64_t)0, found, 0);
	int ret = nti_access_write(&r->a, value);

	return ret < 0 ? nti_access_write(&r->a, value) : 0;
}

/*
 * A write that failed may have been done in part: configuration space takes a wide register in two
 * pieces. @old is what the register held; the sentence is that of the write.
 */
static int undo_write(struct ntime_register *r, uint64_t old, int error)
{
	const struct nti_error why = *r->a.e;
	uint64_t now;

	if (!is_restored_by_us(r))
		return error;
	if ((nti_access_read(&r->a, &now) < 0 || now != old) && put_back(r, old) < 0) {
		if (!r->is_changed)
			r->saved = old;
		r->is_changed = true;
		return nti_error(r->a.e, error, "%s; %s may hold a part of it, it was %#llx",
				 why.text, r->reg->path, (unsigned long long)old);
	}
	*r->a.e = why;
	return error;
}

int ntime_register_write(struct ntime_register *r, uint64_t value)
{
	uint64_t old = 0, merged = 0;
	int ret;

	if (!(r->flags & NTIME_REGISTER_WRITE))
		return nti_error(r->a.e, -EBADF, "%s is open for reading only", r->reg->path);
	ret = merge(r, value, &old, &merged);
	if (ret < 0)
		return ret;
	ret = nti_access_write(&r->a, merged);
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
	return nti_error_prefix(r->a.e, r->a.e->code, "%s keeps what was written, it was %#llx",
				r->reg->path, (unsigned long long)r->saved);
}

int ntime_register_close(struct ntime_register *r)
{
	int ret;

	if (!r)
		return 0;
	ret = restore(r);
	nti_access_close(&r->a);
	free(r);
	return ret;
}
