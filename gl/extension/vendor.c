// SPDX-License-Identifier: MIT
/* The real vendor's library of glvnd, by name. */
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gl/extension/vendor.h"

/* A list that names us would have us open ourselves without an end. */
static bool is_own(void *symbol)
{
	Dl_info theirs, ours;

	return dladdr(symbol, &theirs) && dladdr((void *)glp_vendor_open, &ours) &&
	       theirs.dli_fbase == ours.dli_fbase;
}

void *glp_vendor_open(const char *variable, const char *usual, unsigned int n, const char *symbol)
{
	/* A program that gained rights opens no library that its user names. */
	const char *list = secure_getenv(variable);
	char name[PATH_MAX];
	void *library, *found;

	if (!list || !*list)
		list = usual;
	while (n--) {
		list += strcspn(list, ":");
		if (*list++ != ':')
			return NULL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(list, ":"), list);
	library = *name ? dlopen(name, RTLD_LAZY | RTLD_LOCAL) : NULL;
	found = library ? dlsym(library, symbol) : NULL;
	return found && !is_own(found) ? found : NULL;
}

void glp_vendor_show_own(void *symbol)
{
	Dl_info own;

	if (dladdr(symbol, &own) && own.dli_fname)
		// cppcheck-suppress leakReturnValNotUsed ; it stays open
		(void)dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}
