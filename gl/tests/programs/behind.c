// SPDX-License-Identifier: MIT
/* Preloaded behind ours: its dlsym(RTLD_NEXT) must begin behind itself, not behind us. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int puts(const char *text);

__attribute__((visibility("default"))) int puts(const char *text)
{
	int (*next)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "puts");

	if (next == puts || !next)
		abort();
	return next(text);
}
