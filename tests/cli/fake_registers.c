// SPDX-License-Identifier: MIT
/*
 * The registers of the stand-in for the library: one machine without any. What ntime reg makes of registers is tested below another root
 * directory, with the library.
 */
#include <errno.h>
#include <stddef.h>

#include <ntime/register.h>

int ntime_register_for_each(struct ntime_ctx *ctx,
			    int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	(void)ctx, (void)fn, (void)arg;
	return -ENOTSUP;
}

int ntime_register_find(struct ntime_ctx *ctx, const char *name, const char *cpus,
			int (*fn)(void *arg, const struct ntime_register_info *reg), void *arg)
{
	(void)ctx, (void)name, (void)cpus, (void)fn, (void)arg;
	return -ENOTSUP;
}

int ntime_register_field_at(const char *table, const char *name, uint32_t index,
			    struct ntime_register_field *out)
{
	(void)table, (void)name, (void)index, (void)out;
	return -ENOENT;
}

int ntime_register_open(struct ntime_ctx *ctx, const char *path, uint32_t flags,
			struct ntime_register **out)
{
	(void)ctx, (void)path, (void)flags;
	*out = NULL;
	return -ENOTSUP;
}

const char *ntime_register_way(const struct ntime_register *r)
{
	(void)r;
	return "";
}

const char *ntime_register_place(const struct ntime_register *r)
{
	(void)r;
	return "";
}

int ntime_register_read(struct ntime_register *r, uint64_t *value)
{
	(void)r, (void)value;
	return -ENOTSUP;
}

int ntime_register_merge(struct ntime_register *r, uint64_t value, uint64_t *merged)
{
	(void)r, (void)value, (void)merged;
	return -ENOTSUP;
}

int ntime_register_write(struct ntime_register *r, uint64_t value)
{
	(void)r, (void)value;
	return -ENOTSUP;
}

int ntime_register_close(struct ntime_register *r)
{
	(void)r;
	return 0;
}
