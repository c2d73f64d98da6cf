// SPDX-License-Identifier: MIT
/* The driver's functions by name, and ours. */
#include <stdlib.h>
#include <string.h>

#include "gl/extension/driver.h"

static const struct glp_driver *first;

__attribute__((weak)) void glp_driver_await(void)
{
}

const struct glp_driver *glp_driver_first(void)
{
	if (!first)
		glp_driver_await();
	return first;
}

void glp_driver_init(struct glp_driver *d, void *(*get_proc)(const char *name))
{
#define FILL(name) *(void **)&d->name = get_proc("gl" #name);
	GLP_HOOKED(FILL, GLP_NO_OTHER)
	GLP_CALLED(FILL)
#undef FILL
	if (!first)
		first = d;
}

/* In order: a start of glvnd asks for some 2,700 names. */
#define OTHER(name, function) { "gl" #name, (void *)gl##function },
#define HOOK(name) OTHER(name, name)
static const struct glp_hook hooks[] = { GLP_HOOKED(HOOK, OTHER) };

static int compare_names(const void *name, const void *hook)
{
	return strcmp(name, ((const struct glp_hook *)hook)->name);
}

void *glp_hook_find(const char *name)
{
	const struct glp_hook *h = bsearch(name, hooks, sizeof(hooks) / sizeof(hooks[0]),
					   sizeof(hooks[0]), compare_names);

	return h ? h->function : NULL;
}

void *glp_hook_among(const struct glp_hook *among, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, among[i].name) == 0)
			return among[i].function;
	return NULL;
}

bool glp_hook_is_own(const char *name)
{
	return strstr(name, "PerfMonitor") && glp_hook_find(name);
}
