// SPDX-License-Identifier: MIT
/* The real vendor's library of glvnd, by name. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/glperf/vendor.h"

void *glp_vendor_open(const char *variable, const char *usual, unsigned int n, const char *symbol)
{
	/* A program that gained rights opens no library that its user names. */
	const char *list = secure_getenv(variable);
	char name[PATH_MAX];
	void *library;

	if (!list || !*list)
		list = usual;
	while (n--) {
		list += strcspn(list, ":");
		if (*list++ != ':')
			return NULL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(list, ":"), list);
	library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
	return library ? dlsym(library, symbol) : NULL;
}

void glp_vendor_show_own(void *symbol)
{
	Dl_info own;

	if (dladdr(symbol, &own) && own.dli_fname)
		// cppcheck-suppress leakReturnValNotUsed ; it stays open
		(void)dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}
