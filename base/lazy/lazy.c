// SPDX-License-Identifier: MIT
/* The one place that loads libraries. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/lazy/lazy.h"

/* The loader's sentence; dlerror() is one of the calling thread. */
static int refuse(const struct nti_lazy *l, bool is_short, char why[NTI_LAZY_WHY_BYTES])
{
	const char *text = dlerror();

	if (is_short)
		return -ENOMEM;
	if (why)
		(void)snprintf(why, NTI_LAZY_WHY_BYTES, "%s", text ? text : l->file);
	return -ELIBACC;
}

/*
 * Two threads may do this at once: both find the same addresses. dlclose() is never called: libpfm4
 * and libpciaccess keep what they found out in globals (docs/adr/0004), and another user of a
 * library in this process may have set something in it.
 */
int nti_lazy_load(struct nti_lazy *l, char why[NTI_LAZY_WHY_BYTES])
{
	void *handle, *function;
	size_t i;

	if (__atomic_load_n(&l->is_loaded, __ATOMIC_ACQUIRE))
		return 0;
	errno = 0;
	handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
	/* A descriptor or memory may have been short for a moment; the loader keeps its errno. */
	if (!handle)
		handle = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return refuse(l, errno == ENOMEM, why);
	for (i = 0; i < l->count; i++) {
		function = dlsym(handle, l->name[i]);
		if (!function)
			return refuse(l, false, why);
		__atomic_store_n(&l->function[i], function, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&l->is_loaded, 1, __ATOMIC_RELEASE);
	return 0;
}

void *nti_lazy_function(struct nti_lazy *l, size_t i)
{
	if (nti_lazy_load(l, NULL) < 0)
		return NULL;
	return __atomic_load_n(&l->function[i], __ATOMIC_RELAXED);
}
