// SPDX-License-Identifier: MIT
/* Who uses the machine, as files of the kernel tell it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output/memory.h"
#include "count/cli/shared/users.h"

const struct cli_user_family cli_user_families[CLI_USER_FAMILIES] = {
	[CLI_USE_CPU] = { "ntime_cgroup_cpu_seconds", "seconds",
			  "CPU time of a control group and those below it, without steal" },
	[CLI_USE_USER] = { "ntime_cgroup_user_seconds", "seconds", "the part of it in user mode" },
	[CLI_USE_SYSTEM] = { "ntime_cgroup_system_seconds", "seconds",
			     "the part of it in the kernel" },
	[CLI_USE_THROTTLED] = { "ntime_cgroup_throttled_seconds", "seconds",
				"time for which its CPU quota stopped it, of all CPUs" },
	[CLI_USE_THROTTLES] = { "ntime_cgroup_throttles", "",
				"periods of the quota in which it was stopped" },
	[CLI_USE_PERIODS] = { "ntime_cgroup_periods", "",
			      "periods of the quota in which it had work" },
	[CLI_USE_CPU_PRESSURE] = { "ntime_cgroup_cpu_pressure_seconds", "seconds",
				   "time in which one of its tasks waited for a CPU" },
	[CLI_USE_MEMORY_PRESSURE] = { "ntime_cgroup_memory_pressure_seconds", "seconds",
				      "time in which one of its tasks waited for memory" },
	[CLI_USE_IO_PRESSURE] = { "ntime_cgroup_io_pressure_seconds", "seconds",
				  "time in which one of its tasks waited for a disk" },
	[CLI_USE_MEMORY] = { "ntime_cgroup_memory_bytes", "bytes", "memory in use", true },
	[CLI_USE_FAULTS] = { "ntime_cgroup_page_faults", "", "page faults, minor and major" },
	[CLI_USE_MAJOR_FAULTS] = { "ntime_cgroup_major_faults", "",
				   "page faults that needed the disk" },
	[CLI_USE_READ] = { "ntime_cgroup_read_bytes", "bytes", "bytes read from disks" },
	[CLI_USE_WRITTEN] = { "ntime_cgroup_written_bytes", "bytes", "bytes written to disks" },
	[CLI_USE_TASKS] = { "ntime_cgroup_tasks", "", "tasks that there are", true },
};

/* Where hierarchies are mounted, of systemd and by hand. */
enum root { V2, HYBRID, V1_CPU, V1_CPUACCT, V1_MEMORY, V1_BLKIO, V1_PIDS, ROOTS };
static const struct {
	const char *path;
	bool is_walked; /* for groups that no other has */
} roots[ROOTS] = {
	[V2] = { "/sys/fs/cgroup", true },
	[HYBRID] = { "/sys/fs/cgroup/unified", true },
	[V1_CPU] = { "/sys/fs/cgroup/cpu", false },
	[V1_CPUACCT] = { "/sys/fs/cgroup/cpuacct", true },
	[V1_MEMORY] = { "/sys/fs/cgroup/memory", true },
	[V1_BLKIO] = { "/sys/fs/cgroup/blkio", false },
	[V1_PIDS] = { "/sys/fs/cgroup/pids", false },
};

/*
 * A file, and what behind a word of its lines is the number; in lines of devices the numbers are
 * added. Files of one name stand together: each is read once.
 */
static const struct source {
	uint32_t roots;
	const char *file, *word;
	double factor;
	enum cli_use family;
} sources[] = {
#define BOTH (1u << V2 | 1u << HYBRID)
	{ BOTH, "cpu.stat", "usage_usec ", 1e-6, CLI_USE_CPU },
	{ BOTH, "cpu.stat", "user_usec ", 1e-6, CLI_USE_USER },
	{ BOTH, "cpu.stat", "system_usec ", 1e-6, CLI_USE_SYSTEM },
	{ BOTH, "cpu.stat", "throttled_usec ", 1e-6, CLI_USE_THROTTLED },
	{ BOTH, "cpu.stat", "nr_throttled ", 1, CLI_USE_THROTTLES },
	{ BOTH, "cpu.stat", "nr_periods ", 1, CLI_USE_PERIODS },
	{ BOTH, "cpu.pressure", "some avg10=", 1e-6, CLI_USE_CPU_PRESSURE },
	{ BOTH, "memory.pressure", "some avg10=", 1e-6, CLI_USE_MEMORY_PRESSURE },
	{ BOTH, "io.pressure", "some avg10=", 1e-6, CLI_USE_IO_PRESSURE },
	{ BOTH, "memory.current", "", 1, CLI_USE_MEMORY },
	{ BOTH, "memory.stat", "pgfault ", 1, CLI_USE_FAULTS },
	{ BOTH, "memory.stat", "pgmajfault ", 1, CLI_USE_MAJOR_FAULTS },
	{ BOTH, "io.stat", " rbytes=", 1, CLI_USE_READ },
	{ BOTH, "io.stat", " wbytes=", 1, CLI_USE_WRITTEN },
	{ BOTH | 1u << V1_PIDS, "pids.current", "", 1, CLI_USE_TASKS },
	{ 1u << V1_CPU, "cpu.stat", "throttled_time ", 1e-9, CLI_USE_THROTTLED },
	{ 1u << V1_CPU, "cpu.stat", "nr_throttled ", 1, CLI_USE_THROTTLES },
	{ 1u << V1_CPU, "cpu.stat", "nr_periods ", 1, CLI_USE_PERIODS },
	{ 1u << V1_CPUACCT, "cpuacct.usage", "", 1e-9, CLI_USE_CPU },
	/* Ticks of USER_HZ. */
	{ 1u << V1_CPUACCT, "cpuacct.stat", "user ", 1e-2, CLI_USE_USER },
	{ 1u << V1_CPUACCT, "cpuacct.stat", "system ", 1e-2, CLI_USE_SYSTEM },
	{ 1u << V1_MEMORY, "memory.usage_in_bytes", "", 1, CLI_USE_MEMORY },
	{ 1u << V1_MEMORY, "memory.stat", "total_pgfault ", 1, CLI_USE_FAULTS },
	{ 1u << V1_MEMORY, "memory.stat", "total_pgmajfault ", 1, CLI_USE_MAJOR_FAULTS },
	{ 1u << V1_BLKIO, "blkio.throttle.io_service_bytes_recursive", " Read ", 1, CLI_USE_READ },
	{ 1u << V1_BLKIO, "blkio.throttle.io_service_bytes_recursive", " Write ", 1,
	  CLI_USE_WRITTEN },
};
#define SOURCES (sizeof(sources) / sizeof(sources[0]))

/* ---- files ---- */

/* Of pressure the total stands at the line's end. */
static bool take_number(const char *text, const struct source *s, double *out)
{
	bool is_pressure = strstr(s->word, "avg10"), is_listed = *s->word == ' ', has = false;
	const char *at = text;
	uint64_t sum = 0;

	while ((at = strstr(at, s->word))) {
		bool is_begin = at == text || at[-1] == '\n' || is_listed;

		at += strlen(s->word);
		if (is_begin && is_pressure) {
			const char *total = strstr(at, "total=");

			at = total ? total + strlen("total=") : at;
			is_begin = total;
		}
		if (is_begin) {
			sum += strtoull(at, NULL, 10);
			has = true;
		}
		if ((has && !is_listed) || !*at)
			break;
	}
	*out = (double)sum * s->factor;
	return has;
}

/* File @name of @folder, AT_FDCWD for a path. */
static bool read_file(int folder, const char *name, char *text, size_t bytes)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, bytes - 1);

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* A file that was not there is looked for again after so many reads: a controller was enabled. */
#define LOOK_AGAIN 16
_Static_assert(SOURCES <= 32, "struct cli_user has a bit for each");

/* @mounted: the roots, -1 where one is not. */
static void read_group(struct cli_user *g, const int *mounted)
{
	char text[65536];

	if (g->reads % LOOK_AGAIN == 0)
		g->lacks = 0;
	for (enum root root = V2; root < ROOTS; root++) {
		const char *file = "";
		bool is_there = false, is_lacking = false;
		int folder = -1;

		for (size_t i = 0; i < SOURCES && mounted[root] >= 0; i++) {
			const struct source *s = &sources[i];

			if (!(s->roots >> root & 1) || g->has[s->family] || g->lacks >> i & 1)
				continue;
			if (folder < 0)
				folder = openat(mounted[root], g->path[1] ? g->path + 1 : ".",
						O_PATH | O_DIRECTORY | O_CLOEXEC);
			if (strcmp(s->file, file) != 0) {
				errno = 0;
				is_there = read_file(folder, s->file, text, sizeof(text));
				is_lacking = !is_there && (errno == ENOENT || errno == EBADF);
			}
			file = s->file;
			g->has[s->family] = is_there && take_number(text, s, &g->value[s->family]);
			g->lacks |= (uint32_t)is_lacking << i;
		}
		if (folder >= 0)
			close(folder);
	}
}

/* ---- processes ---- */

/* Its name may have any characters: the last bracket ends it. */
static const char *read_stat(long pid, char *text, size_t bytes)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "/proc/%ld/stat", pid);
	return read_file(AT_FDCWD, name, text, bytes) ? strrchr(text, ')') : NULL;
}

static void set(struct cli_user *u, enum cli_use what, double value)
{
	u->value[what] = value;
	u->has[what] = true;
}

static void read_process(struct cli_user *u)
{
	static const struct source io[] = { { 0, "", "read_bytes: ", 1, CLI_USE_READ },
					    { 0, "", "write_bytes: ", 1, CLI_USE_WRITTEN } };
	unsigned long long minor, major, user, system, threads, pages;
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	long pid = strtol(u->path, NULL, 10);
	char text[4096], name[32];
	const char *at = read_stat(pid, text, sizeof(text));

	/* Fields 10, 12, 14, 15, 20 and 24 of proc(5). */
	if (!at ||
	    sscanf(at,
		   ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu %*u %llu %llu %*d %*d %*d %*d "
		   "%llu %*d %*u %*u %llu",
		   &minor, &major, &user, &system, &threads, &pages) != 6)
		return;
	set(u, CLI_USE_USER, (double)user * tick);
	set(u, CLI_USE_SYSTEM, (double)system * tick);
	set(u, CLI_USE_CPU, (double)(user + system) * tick);
	set(u, CLI_USE_FAULTS, (double)(minor + major));
	set(u, CLI_USE_MAJOR_FAULTS, (double)major);
	set(u, CLI_USE_TASKS, (double)threads);
	set(u, CLI_USE_MEMORY, (double)pages * (double)sysconf(_SC_PAGESIZE));
	(void)snprintf(name, sizeof(name), "/proc/%ld/io", pid);
	if (!read_file(AT_FDCWD, name, text, sizeof(text)))
		return;
	for (size_t i = 0; i < sizeof(io) / sizeof(io[0]); i++)
		u->has[io[i].family] = take_number(text, &io[i], &u->value[io[i].family]);
}

/* ---- which groups ---- */

static unsigned int levels(const char *path)
{
	unsigned int n = 0;

	for (; *path; path++)
		n += *path == '/' && path[1];
	return n;
}

/* "system.slice" is one level, with "/" before it or not; "/" is none. */
static unsigned int pattern_levels(const char *pattern)
{
	pattern += *pattern == '/';
	return *pattern ? levels(pattern) + 1 : 0;
}

/* Is it one that a pattern names, or at most @c->depth levels below one? */
static bool is_wanted(const struct cli_users *c, const char *path)
{
	unsigned int level = levels(path);

	for (size_t i = 0; i < c->patterns; i++) {
		const char *pattern = c->pattern[i] + (c->pattern[i][0] == '/');
		unsigned int of = pattern_levels(pattern);
		char *above;
		size_t chars = 0;
		bool is_it;

		if (level < of || level - of > c->depth)
			continue;
		/* Its first levels, as many as the pattern has. */
		for (unsigned int n = 0; path[1 + chars]; chars++) {
			n += path[1 + chars] == '/';
			if (n == of)
				break;
		}
		above = cli_strndup(path + 1, of ? chars : 0);
		is_it = fnmatch(pattern, above, FNM_PATHNAME) == 0;
		free(above);
		if (is_it)
			return true;
	}
	return false;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct cli_user *)a)->path, ((const struct cli_user *)b)->path);
}

/* Behind the first @known, which are sorted: those are kept. */
static void add(struct cli_users *c, size_t known, const char *path)
{
	const struct cli_user key = { .path = (char *)path };
	struct cli_user *g =
		known ? bsearch(&key, c->user, known, sizeof(*c->user), compare) : NULL;

	if (g) {
		g->is_there = true;
		return;
	}
	cli_grow(&c->user, c->n);
	c->user[c->n++] =
		(struct cli_user){ .path = cli_strdup(path), .is_there = true, .is_new = true };
}

static void sort(struct cli_users *c)
{
	if (c->n)
		qsort(c->user, c->n, sizeof(*c->user), compare);
}

/* Levels of a path below which no pattern reaches. */
static unsigned int deepest(const struct cli_users *c)
{
	unsigned int most = 0;

	for (size_t i = 0; i < c->patterns; i++) {
		unsigned int of = pattern_levels(c->pattern[i]);

		most = of > most ? of : most;
	}
	return most + c->depth;
}

/*
 * Group @path, "" for the root, which is @name in folder @above, and those below it: it has some
 * where it has more than two links.
 */
static void walk(struct cli_users *c, size_t known, int above, const char *name, const char *path,
		 unsigned int level)
{
	struct dirent *entry;
	struct stat file;
	DIR *folder;
	int fd;

	if (is_wanted(c, *path ? path : "/"))
		add(c, known, *path ? path : "/");
	if (level >= deepest(c) || (*path && !fstatat(above, name, &file, 0) && file.st_nlink == 2))
		return;
	fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder && fd >= 0)
		close(fd);
	while (folder && (entry = readdir(folder))) {
		char below[PATH_MAX];

		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0 &&
		    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
			    (int)sizeof(below))
			walk(c, known, dirfd(folder), entry->d_name, below, level + 1);
	}
	if (folder)
		closedir(folder);
}

static void walk_processes(struct cli_users *c)
{
	DIR *folder = cli_opendir("/proc");
	size_t known = c->n;
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		long pid = strtol(entry->d_name, NULL, 10);
		char text[4096], name[64], *end;

		if (pid <= 0 || !read_stat(pid, text, sizeof(text)))
			continue;
		end = strrchr(text, ')');
		*end = '\0';
		(void)snprintf(name, sizeof(name), "%ld %.40s", pid, strchr(text, '(') + 1);
		add(c, known, name);
	}
	if (folder)
		closedir(folder);
	sort(c);
}

static void free_group(struct cli_user *g)
{
	free(g->path);
	free(g->labels);
}

/* Those that went, and were there once more, are forgotten. */
static void forget(struct cli_users *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!c->user[i].is_there) {
			c->shown -= !c->user[i].is_folded;
			free_group(&c->user[i]);
			continue;
		}
		c->user[kept++] = c->user[i];
		c->user[kept - 1].is_there = false;
	}
	c->n = kept;
}

/* All its counters went back: it is another one of that name. */
static bool is_anew(const struct cli_user *g)
{
	bool has_fallen = false, has_grown = false;

	for (size_t i = 0; i < CLI_USER_FAMILIES; i++)
		if (!cli_user_families[i].is_state && g->has[i] && g->last[i] > 0) {
			has_fallen |= g->value[i] < g->last[i];
			has_grown |= g->value[i] >= g->last[i];
		}
	return has_fallen && !has_grown;
}

/* A group that has no series of its own: what it used since it was read last goes to the others. */
static void fold(struct cli_users *c, const struct cli_user *g)
{
	bool is_other = is_anew(g);

	if (!c->others.path)
		c->others.path = cli_strdup(CLI_USER_OTHERS);
	for (size_t i = 0; i < CLI_USER_FAMILIES; i++) {
		bool is_whole = cli_user_families[i].is_state || is_other;
		double more = g->value[i] - (is_whole ? 0 : g->last[i]);

		c->others.has[i] |= g->has[i];
		if (g->has[i] && more > 0)
			c->others.value[i] += more;
	}
}

void cli_users_init(struct cli_users *c, const char *list, unsigned int depth, size_t most)
{
	*c = (struct cli_users){ .depth = depth,
				 .most = most < CLI_USERS_MAX ? most : CLI_USERS_MAX };
	while (*list) {
		size_t chars = strcspn(list, ","), bytes = chars;

		/* As a shell completes folders; "/" is the root. */
		while (bytes > 1 && list[bytes - 1] == '/')
			bytes--;
		if (bytes) {
			cli_grow(&c->pattern, c->patterns);
			c->pattern[c->patterns++] = cli_strndup(list, bytes);
		}
		list += chars + (list[chars] == ',');
	}
}

/* -1: it is not mounted; the first one may be a folder of mounts. */
static int open_root(enum root root)
{
	int fd = open(roots[root].path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && faccessat(fd, "cgroup.procs", F_OK, 0) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

size_t cli_users_read(struct cli_users *c)
{
	int mounted[ROOTS];
	size_t there = 0;

	forget(c);
	if (c->is_processes)
		walk_processes(c);
	for (enum root root = V2; root < ROOTS; root++) {
		mounted[root] = c->is_processes ? -1 : open_root(root);
		if (mounted[root] < 0 || !roots[root].is_walked)
			continue;
		walk(c, c->n, mounted[root], ".", "", 0);
		sort(c);
	}
	for (size_t i = 0; i < CLI_USER_FAMILIES; i++)
		if (cli_user_families[i].is_state)
			c->others.value[i] = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct cli_user *g = &c->user[i];

		there += g->is_there;
		if (!g->is_there)
			continue;
		memcpy(g->last, g->value, sizeof(g->last));
		memset(g->has, 0, sizeof(g->has));
		if (c->is_processes)
			read_process(g);
		else
			read_group(g, mounted);
		g->reads++;
		if (g->is_new) {
			g->is_folded = c->shown == c->most;
			c->shown += !g->is_folded;
			c->dropped += g->is_folded;
			g->is_new = false;
		}
		if (g->is_folded)
			fold(c, g);
	}
	for (enum root root = V2; root < ROOTS; root++)
		if (mounted[root] >= 0)
			close(mounted[root]);
	return there;
}

void cli_users_fini(struct cli_users *c)
{
	for (size_t i = 0; i < c->n; i++)
		free_group(&c->user[i]);
	for (size_t i = 0; i < c->patterns; i++)
		free(c->pattern[i]);
	free(c->user);
	free(c->pattern);
	free_group(&c->others);
	*c = (struct cli_users){ 0 };
}

/* ---- names ---- */

/*
 * What runtimes call the group of a container: around its id of 64 hexadecimal digits (docker and
 * podman with systemd's and with their own groups; containerd and CRI-O below Kubernetes: their
 * documentation of "cgroup driver").
 */
static const char *const containers[][2] = {
	{ "docker-", ".scope" },
	{ "libpod-", ".scope" },
	{ "cri-containerd-", ".scope" },
	{ "crio-", ".scope" },
	{ "libpod-", "" },
	{ "crio-", "" },
	{ "", "" },
};
#define ID_CHARS 64

static void name_container(struct cli_cgroup_names *names, const char *name, size_t chars)
{
	for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
		size_t before = strlen(containers[i][0]), behind = strlen(containers[i][1]);

		if (chars == before + ID_CHARS + behind &&
		    strncmp(name, containers[i][0], before) == 0 &&
		    strspn(name + before, "0123456789abcdef") == ID_CHARS &&
		    strncmp(name + before + ID_CHARS, containers[i][1], behind) == 0)
			(void)snprintf(names->container, sizeof(names->container), "%.*s", ID_CHARS,
				       name + before);
	}
}

/*
 * "pod" and 36 characters, at the end or before ".slice"; systemd's groups have "_" in place of
 * "-".
 */
static void name_pod(struct cli_cgroup_names *names, const char *name, size_t chars)
{
	enum { UID = 36 };
	size_t end = chars > 6 && strncmp(name + chars - 6, ".slice", 6) == 0 ? chars - 6 : chars;

	if (end < UID + 3 || strncmp(name + end - UID - 3, "pod", 3) != 0)
		return;
	(void)snprintf(names->pod, sizeof(names->pod), "%.*s", UID, name + end - UID);
	for (char *at = names->pod; *at; at++)
		*at = *at == '_' ? '-' : *at;
}

struct cli_cgroup_names cli_cgroup_names(const char *path)
{
	static const char *const ends[] = { ".service", ".scope", ".slice", ".socket", ".mount" };
	struct cli_cgroup_names names = { "" };

	while (*path) {
		size_t chars = strcspn(++path, "/");

		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			if (chars > strlen(ends[i]) &&
			    strncmp(path + chars - strlen(ends[i]), ends[i], strlen(ends[i])) == 0)
				(void)snprintf(names.unit, sizeof(names.unit), "%.*s", (int)chars,
					       path);
		name_container(&names, path, chars);
		name_pod(&names, path, chars);
		path += chars;
	}
	return names;
}
