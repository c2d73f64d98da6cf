// SPDX-License-Identifier: MIT
/* The files below /sys/bus/event_source/devices, read through struct nti_os. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/os/sysfs.h"

#define COMPONENT_BYTES 128

static int read_trimmed(struct nti_os *os, char *buf, size_t size, const char *path)
{
	char *text;
	int ret = os->ops->text(os, path, buf, size);

	if (ret < 0)
		return ret;
	text = nti_text_trim(buf);
	memmove(buf, text, strlen(text) + 1);
	return 0;
}

int nti_sysfs_text(struct nti_os *os, char *buf, size_t size, const char *format, ...)
{
	char path[NTI_SYSFS_PATH_BYTES];
	va_list args;
	int n, ret;

	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	ret = n < 0 || (size_t)n >= sizeof(path) ? -ENAMETOOLONG : 0;
	return ret < 0 ? ret : read_trimmed(os, buf, size, path);
}

int nti_sysfs_dup(struct nti_os *os, char **out, const char *format, ...)
{
	char path[NTI_SYSFS_PATH_BYTES], line[NTI_SYSFS_LINE_BYTES + 1];
	va_list args;
	int n, ret;

	*out = NULL;
	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	ret = n < 0 || (size_t)n >= sizeof(path) ? -ENAMETOOLONG : 0;
	if (ret < 0)
		return ret;
	ret = read_trimmed(os, line, sizeof(line), path);
	if (ret < 0)
		return ret;
	*out = strdup(line);
	return *out ? 0 : -ENOMEM;
}

int nti_sysfs_number(struct nti_os *os, uint64_t *out, const char *format, ...)
{
	char path[NTI_SYSFS_PATH_BYTES], line[64];
	va_list args;
	int n, ret;

	va_start(args, format);
	n = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	ret = n < 0 || (size_t)n >= sizeof(path) ? -ENAMETOOLONG : 0;
	if (ret < 0)
		return ret;
	ret = read_trimmed(os, line, sizeof(line), path);
	return ret < 0 ? ret : nti_text_parse_u64(line, out);
}

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
