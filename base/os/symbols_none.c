// SPDX-License-Identifier: MIT
/* In place of symbols.c where libelf was not found. */
#include <errno.h>
#include <stddef.h>

#include "base/os/symbols.h"

struct nti_lazy *nti_symbols_library(void)
{
	return NULL;
}

int nti_symbols_ready(struct nti_error *e)
{
	return nti_error(e, -ELIBACC,
			 "names of functions need libelf, without which ntime was built");
}

int nti_symbols_read(int fd, struct nti_symbols **out)
{
	(void)fd;
	*out = NULL;
	return -ENOEXEC;
}

const char *nti_symbols_name(const struct nti_symbols *s, uint64_t offset)
{
	(void)s, (void)offset;
	return NULL;
}

void nti_symbols_free(struct nti_symbols *s)
{
	(void)s;
}
