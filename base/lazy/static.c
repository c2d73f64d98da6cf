// SPDX-License-Identifier: MIT
/*
 * In place of dlopen(3) in a program that is linked with -static: a library brings the machine's
 * own C library with it, and where that is another one the program ends with a signal.
 */
#include <dlfcn.h>
#include <nss.h>
#include <stddef.h>

void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

void *dlsym(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

char *dlerror(void)
{
	static char text[] = "a static ntime loads no libraries";

	return text;
}

/* Other sources of names of groups than /etc/group are libraries, too. */
__attribute__((constructor)) static void only_files(void)
{
	(void)__nss_configure_lookup("group", "files");
}
