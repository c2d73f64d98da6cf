// SPDX-License-Identifier: MIT
/* Conveniences on top of an operating system's entry points. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/common/error.h"
#include "base/common/text.h"
#include "base/os/os.h"
#include "base/os/process.h"

/* The longest line that is worth having: a CPU list of a very large machine. */
#define LINE_BYTES 4096
#define COMPONENT_BYTES 128
/*
 * /proc/stat has a line of up to 220 bytes for each CPU, and one with a number for each interrupt.
 */
#define STAT_BYTES ((size_t)4 << 20)
/* Distributions know values above upstream's 2: from 3 (Debian) nothing is open to the ordinary. */
#define PARANOID_NOTHING 3

int nti_os_take_shortage(struct nti_os *os, struct nti_error *e)
{
	int error = os->shortage.error;

	if (!error)
		return 0;
	os->shortage.error = 0;
	return nti_error(e, error, "cannot read %s: %s", os->shortage.path, strerror(-error));
}

static NTI_PRINTF(2, 0) int format_path(char *path, const char *format, va_list args)
{
	int n = nti_text_vprint(path, PATH_MAX, format, args);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static NTI_PRINTF(4, 0) int read_line(struct nti_os *os, char *buf, size_t size, const char *format,
				      va_list args)
{
	char path[PATH_MAX], *text;
	int ret = format_path(path, format, args);
	size_t length;

	if (ret == 0)
		ret = os->ops->text(os, path, buf, size);
	if (ret < 0)
		return ret;
	buf[strcspn(buf, "\n")] = '\0';
	text = nti_text_trim(buf);
	length = strlen(text);
	memmove(buf, text, length + 1);
	return (int)length;
}

int nti_os_line(struct nti_os *os, char *buf, size_t size, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = read_line(os, buf, size, format, args);
	va_end(args);
	return ret;
}

int nti_os_u64(struct nti_os *os, uint64_t *out, const char *format, ...)
{
	char line[64];
	va_list args;
	int ret;

	va_start(args, format);
	ret = read_line(os, line, sizeof(line), format, args);
	va_end(args);
	return ret < 0 ? ret : nti_text_parse_u64(line, out);
}

/* The CPUs that have a line in @text, of /proc/stat: those on line (Linux 6.1, fs/proc/stat.c). */
static int list_cpus(const char *text, char *buf, size_t size)
{
	long cpu, first = 0, last = LONG_MAX;
	size_t at = 0, used = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (strncmp(text, "cpu", 3) != 0 || !isdigit((unsigned char)text[3]))
			continue;
		cpu = strtol(text + 3, NULL, 10);
		if (!used || cpu - 1 != last)
			at = used, first = cpu;
		last = cpu;
		used = at + (size_t)snprintf(buf + at, size - at,
					     cpu == first ? "%s%ld" : "%s%ld-%ld", at ? "," : "",
					     first, cpu);
		if (used >= size)
			return -E2BIG;
	}
	return used ? (int)used : -ENOENT;
}

int nti_os_online(struct nti_os *os, char *buf, size_t size)
{
	int ret = nti_os_line(os, buf, size, "/sys/devices/system/cpu/online");
	char *text;

	if (ret != -ENOENT)
		return ret;
	text = malloc(STAT_BYTES);
	ret = text ? os->ops->text(os, "/proc/stat", text, STAT_BYTES) : -ENOMEM;
	if (ret >= 0)
		ret = list_cpus(text, buf, size);
	free(text);
	return ret == -ENOENT && os->is_elsewhere ? snprintf(buf, size, "0") : ret;
}

int nti_os_package(struct nti_os *os, unsigned int cpu)
{
	uint64_t package;

	if (nti_os_u64(os, &package, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
		       cpu) < 0 ||
	    package >= NTI_CPU_LIMIT)
		return -1;
	return (int)package;
}

/* Linux, include/linux/proc_ns.h: PROC_USER_INIT_INO, 0xeffffffd. */
#define FIRST_USER_NAMESPACE "user:[4026531837]"

/*
 * As Linux does (kernel/events/core.c). Tracepoints are like others as long as they are counted:
 * only samples of what they carry take level -1 (kernel/trace/trace_event_perf.c; looked at on
 * 6.1).
 */
int nti_os_perf_refusal(struct nti_os *os, const struct perf_event_attr *attr, pid_t pid)
{
	char text[32], *end = text;
	long level = 2;

	if (nti_os_line(os, text, sizeof(text), NTI_PERF_PARANOID) >= 0)
		level = strtol(text, &end, 10);
	if (end == text)
		level = 2;
	if (level >= PARANOID_NOTHING && !os->ops->is_privileged(os, false))
		return -EACCES;
	if (os->ops->is_privileged(os, true))
		return 0;
	return (!attr->exclude_kernel && level > 1) || (pid == -1 && level > 0) ? -EACCES : 0;
}

bool nti_os_is_in_user_namespace(struct nti_os *os)
{
	char name[64];

	return os->ops->link(os, "/proc/self/ns/user", name, sizeof(name)) > 0 &&
	       strcmp(name, FIRST_USER_NAMESPACE) != 0;
}

bool nti_os_exists(struct nti_os *os, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int ret;

	va_start(args, format);
	ret = format_path(path, format, args);
	va_end(args);
	return ret == 0 && os->ops->access(os, path, F_OK) == 0;
}

bool nti_os_has_process(struct nti_os *os, pid_t pid)
{
	return os->is_simulated || nti_process_exists(pid);
}

bool nti_os_has_modules(struct nti_os *os)
{
	return os->is_simulated || nti_os_exists(os, "/proc/modules");
}

int nti_os_dup(struct nti_os *os, char **out, const char *format, ...)
{
	char line[LINE_BYTES];
	va_list args;
	int ret;

	va_start(args, format);
	ret = read_line(os, line, sizeof(line), format, args);
	va_end(args);
	*out = ret < 0 ? NULL : strdup(line);
	return ret < 0 ? ret : *out ? 0 : -ENOMEM;
}

bool nti_os_die(struct nti_os *os, unsigned int cpu, unsigned int *die)
{
	static const char path[] = "/sys/devices/system/cpu/cpu%u/topology/%s";
	char of_die[4096], of_package[4096];
	uint64_t number;

	*die = 0;
	if (nti_os_line(os, of_die, sizeof(of_die), path, cpu, "die_cpus_list") < 0 ||
	    nti_os_line(os, of_package, sizeof(of_package), path, cpu, "core_siblings_list") < 0 ||
	    nti_os_u64(os, &number, path, cpu, "die_id") < 0 || number >= NTI_CPU_LIMIT ||
	    strcmp(of_die, of_package) == 0)
		return false;
	*die = (unsigned int)number;
	return true;
}

int nti_os_list(struct nti_os *os, int (*fn)(void *arg, const char *name), void *arg,
		const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int ret;

	va_start(args, format);
	ret = format_path(path, format, args);
	va_end(args);
	return ret < 0 ? ret : os->ops->list(os, path, fn, arg);
}

bool nti_os_is_component(const char *name)
{
	return *name && strlen(name) < COMPONENT_BYTES && !strchr(name, '/') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}
