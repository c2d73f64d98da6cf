// SPDX-License-Identifier: MIT
/* The files below /sys/bus/event_source/devices, read through struct nti_os. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/os/sysfs.h"

#define COMPONENT_BYTES 128

int nti_sysfs_list(struct nti_os *os, int (*fn)(void *arg, const char *name), void *arg,
		   const char *format, ...)
{
	char path[NTI_SYSFS_PATH_BYTES];
	va_list args;
	int n, ret;

	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	ret = n < 0 || (size_t)n >= sizeof(path) ? -ENAMETOOLONG : 0;
	return ret < 0 ? ret : os->ops->list(os, path, fn, arg);
}

bool nti_sysfs_is_component(const char *name)
{
	return *name && strlen(name) < COMPONENT_BYTES && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}
