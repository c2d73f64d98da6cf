// SPDX-License-Identifier: MIT
/* The ladder of access methods to one register. */
#include <errno.h>

#include "count/lib/access/access.h"

/* NULL: the method reaches no single register, or not this one. */
static const struct nti_access_ops *ops_of(const struct nti_access *a, enum nti_method method)
{
	const struct nti_access_ops *ops = nti_method_get(method)->access;

	return ops && ops->reaches(a) ? ops : NULL;
}

static int refuse(struct nti_access *a, const struct nti_error *first)
{
	if (first->code)
		return nti_error(a->e, first->code, "%s", first->text);
	if (a->is_in_tree)
		return nti_error(a->e, -EOPNOTSUPP,
				 "%s is reached through ntime's driver alone, which gives a "
				 "register back when the program that wrote it ends and lets only "
				 "documented bits be written",
				 a->path);
	return nti_error(a->e, -EOPNOTSUPP,
			 "%s is reached through ntime's driver alone, which is not loaded (ntime "
			 "driver load)",
			 a->path);
}

int nti_access_open(struct nti_access *a)
{
	struct nti_error first = { 0 };
	enum nti_method i;

	a->fd = -1;
	for (i = 0; i < NTI_METHOD_COUNT; i++) {
		const struct nti_access_ops *ops = ops_of(a, i);
		int ret;

		if (!ops)
			continue;
		a->method = i;
		ret = ops->open(a);
		/* Whoever else has the register is not to be gone around. */
		if (ret == 0 || ret == -EBUSY || ret == -ENOMEM)
			return ret;
		if (!first.code)
			first = *a->e;
	}
	return refuse(a, &first);
}

void nti_access_close(struct nti_access *a)
{
	if (a->fd >= 0)
		a->os->ops->close(a->os, a->fd);
	a->fd = -1;
}

int nti_access_read(struct nti_access *a, uint64_t *value)
{
	return nti_method_get(a->method)->access->read(a, value);
}

int nti_access_write(struct nti_access *a, uint64_t value)
{
	return nti_method_get(a->method)->access->write(a, value);
}

enum nti_method nti_access_permitted(const struct nti_access *a, int mode)
{
	enum nti_method i;

	for (i = 0; i < NTI_METHOD_COUNT; i++) {
		const struct nti_access_ops *ops = ops_of(a, i);

		if (ops && ops->permits(a, mode) == 0)
			break;
	}
	return i;
}
