// SPDX-License-Identifier: MIT
/* The control group whose CPU quota limits this process (Linux 6.1, admin-guide/cgroup-v2.rst). */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "count/lib/access/proc.h"
#include "base/common/text.h"

#define PERIOD_MOST_US 1000000 /* kernel/sched/core.c, max_cfs_quota_period */

/* In millionths of a CPU; NTI_PROC_NONE or NTI_PROC_BAD. */
static uint64_t read_quota(struct nti_os *os, const char *folder)
{
	uint64_t quota_us, period_us;
	char line[128];
	int bytes;

	if (nti_os_line(os, line, sizeof(line), "%s/cpu.max", folder) < 0) {
		bytes = nti_os_line(os, line, 64, "%s/cpu.cfs_quota_us", folder);
		if (bytes < 0 || strcmp(line, "-1") == 0)
			return NTI_PROC_NONE;
		line[bytes] = ' ';
		if (nti_os_line(os, line + bytes + 1, 64, "%s/cpu.cfs_period_us", folder) < 0)
			return NTI_PROC_BAD;
	}
	if (strncmp(line, "max", 3) == 0)
		return NTI_PROC_NONE;
	if (nti_text_scan(line, "%" SCNu64 " %" SCNu64, &quota_us, &period_us) != 2 || !period_us ||
	    period_us > PERIOD_MOST_US || quota_us > UINT64_MAX / 1000000)
		return NTI_PROC_BAD;
	return quota_us * 1000000 / period_us;
}

/* Folder and usage of the own group, which may not be the one with the quota. False: none. */
static bool find_own(struct nti_os *os, struct nti_cgroup *g)
{
	char text[8192], *save, *line, *list, *path, *v1 = NULL, *v2 = NULL, *usage = NULL;
	const char *mount = "/sys/fs/cgroup/cpu";

	if (os->ops->text(os, "/proc/self/cgroup", text, sizeof(text)) < 0)
		return false;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		list = strchr(line, ':');
		path = list ? strchr(++list, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		for (char *comma = list; (comma = strchr(comma, ','));)
			*comma = ' ';
		v1 = nti_text_has_word(list, "cpu", 3) ? path : v1;
		v2 = *list ? v2 : path;
		usage = nti_text_has_word(list, "cpuacct", 7) ? path : usage;
	}
	g->has_usage = v1 && usage && strcmp(v1, usage) == 0;
	path = v1 ? v1 : v2;
	if (!v1)
		mount = nti_os_exists(os, "/sys/fs/cgroup/unified") ? "/sys/fs/cgroup/unified"
								    : "/sys/fs/cgroup";
	g->mount = (size_t)nti_text_print(g->path, sizeof(g->path), "%s", mount);
	/* Outside of what this namespace sees: all that can be read is at the mount's root. */
	return path && nti_os_exists(os, "%s", mount) &&
	       (strstr(path, "/..") || nti_text_append(g->path, sizeof(g->path), path));
}

void nti_cgroup_find(struct nti_os *os, struct nti_cgroup *out)
{
	uint64_t least = NTI_PROC_NONE, quota;
	struct nti_cgroup at = { 0 };
	char *slash = at.path;

	out->error = find_own(os, &at) ? -ENODATA : -ENOENT;
	/* Of all up to the mount the smallest counts. One that is no number may be that. */
	while (out->error != -ENOENT && slash && least != NTI_PROC_BAD) {
		quota = read_quota(os, at.path);
		if (quota < least || quota == NTI_PROC_BAD) {
			*out = at;
			least = quota;
		}
		slash = strrchr(at.path + at.mount, '/');
		if (slash)
			*slash = '\0';
	}
}

ssize_t nti_cgroup_read(struct nti_os *os, const struct nti_cgroup *g, char *text, size_t size)
{
	static const char *const keys[][3] = {
		/* their key, our key, what makes their digits ours */
		{ "usage_usec ", "cgroup-cpu", "000" },
		{ "usage_nsec ", "cgroup-cpu", "" },
		{ "nr_periods ", "cgroup-periods", "" },
		{ "nr_throttled ", "cgroup-throttles", "" },
		{ "throttled_usec ", "cgroup-throttled", "000" },
		{ "throttled_time ", "cgroup-throttled", "" },
		{ "quota ", "cgroup-quota", "" },
	};
	char stat[4096], part[NTI_CGROUP_BYTES + 16], *save, *line;
	uint64_t quota = read_quota(os, g->path);

	(void)nti_text_print(part, sizeof(part), "%s/cpu.stat", g->path);
	if (g->error || os->ops->text(os, part, stat, sizeof(stat)) < 0)
		*stat = '\0';
	if (g->has_usage &&
	    nti_os_line(os, part, 64, "/sys/fs/cgroup/cpuacct%s/cpuacct.usage",
			g->path + g->mount) >= 0 &&
	    nti_text_append(stat, sizeof(stat), "\nusage_nsec "))
		(void)nti_text_append(stat, sizeof(stat), part);
	(void)nti_text_print(part, sizeof(part), "\nquota %" PRIu64, quota);
	if (quota != NTI_PROC_NONE)
		(void)nti_text_append(stat, sizeof(stat), part);
	*text = '\0';
	for (line = strtok_r(stat, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			size_t bytes = strlen(keys[i][0]);

			if (strncmp(line, keys[i][0], bytes) != 0)
				continue;
			line[bytes + strcspn(line + bytes, " \t")] = '\0';
			(void)nti_text_print(part, sizeof(part), "%s %s%s\n", keys[i][1],
					     line + bytes, line[bytes] ? keys[i][2] : "");
			(void)nti_text_append(text, size, part);
		}
	return g->error;
}
