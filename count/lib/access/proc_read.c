// SPDX-License-Identifier: MIT
/* Reading the kernel's text files: each once, whoever needs it, and with nothing allocated. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/access/proc.h"
#include "base/common/compiler.h"
#include "base/common/grow.h"

/* So many stay open; those of more CPUs are opened each time. */
#define KEPT 256
#define FIRST_BYTES 16384
/* What is read of a file of one number. */
#define NUMBER_BYTES 64
#define PATH_BYTES 128

/* A file that is read whole. */
struct file {
	char path[PATH_BYTES];
	int fd; /* -1: not open */
	bool is_kept;
	unsigned int cpu; /* of files that are of a CPU */
};

struct place {
	const struct nti_proc_row *row;
	uint64_t *value; /* of each CPU, or one */
	size_t values;
};

struct nti_proc {
	struct nti_os *os;
	unsigned int cpus;
	struct place *place;
	size_t places;
	struct file *file[NTI_PROC_FILES];
	size_t files[NTI_PROC_FILES];
	int error[NTI_PROC_FILES]; /* of the last read */
	size_t kept;
	struct nti_cgroup group;
	char *text;
	size_t room;
};

static const char *const paths[NTI_PROC_FILES] = {
	[NTI_PROC_STAT_CPU] = "/proc/stat",
	[NTI_PROC_STAT] = "/proc/stat",
	[NTI_PROC_VMSTAT] = "/proc/vmstat",
	[NTI_PROC_MEMINFO] = "/proc/meminfo",
	[NTI_PROC_PRESSURE_CPU] = "/proc/pressure/cpu",
	[NTI_PROC_PRESSURE_MEMORY] = "/proc/pressure/memory",
	[NTI_PROC_PRESSURE_IO] = "/proc/pressure/io",
	[NTI_PROC_FREQUENCY] = "cpufreq/scaling_cur_freq",
	[NTI_PROC_CORE_THROTTLE] = "thermal_throttle/core_throttle_count",
	[NTI_PROC_PACKAGE_THROTTLE] = "thermal_throttle/package_throttle_count",
};

static bool is_of_cpus(enum nti_proc_file kind)
{
	return kind == NTI_PROC_FREQUENCY || kind == NTI_PROC_CORE_THROTTLE ||
	       kind == NTI_PROC_PACKAGE_THROTTLE;
}

/* Files of one number each, of a CPU or a sensor. */
static bool has_numbers(enum nti_proc_file kind)
{
	return is_of_cpus(kind) || kind == NTI_PROC_TEMPERATURE;
}

/* Both kinds of lines of /proc/stat are of one file. */
static enum nti_proc_file file_of(enum nti_proc_file kind)
{
	return kind == NTI_PROC_STAT_CPU ? NTI_PROC_STAT : kind;
}

int nti_proc_new(struct nti_os *os, unsigned int cpus, struct nti_proc **out)
{
	struct nti_proc *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p)
		return -ENOMEM;
	p->os = os;
	p->cpus = cpus ? cpus : 1;
	p->text = malloc(FIRST_BYTES);
	p->room = FIRST_BYTES;
	if (!p->text) {
		free(p);
		return -ENOMEM;
	}
	*out = p;
	return 0;
}

void nti_proc_free(struct nti_proc *p)
{
	size_t kind, i;

	if (!p)
		return;
	for (kind = 0; kind < NTI_PROC_FILES; kind++) {
		for (i = 0; i < p->files[kind]; i++)
			if (p->file[kind][i].fd >= 0)
				p->os->ops->close(p->os, p->file[kind][i].fd);
		free(p->file[kind]);
	}
	for (i = 0; i < p->places; i++)
		free(p->place[i].value);
	free(p->place);
	free(p->text);
	free(p);
}

static int add_file(struct nti_proc *p, enum nti_proc_file kind, unsigned int cpu, const char *path)
{
	struct file *f;

	if (!nti_grow(&p->file[kind], p->files[kind]))
		return -ENOMEM;
	f = &p->file[kind][p->files[kind]++];
	*f = (struct file){ .fd = -1, .cpu = cpu, .is_kept = p->kept < KEPT };
	p->kept += f->is_kept;
	(void)snprintf(f->path, sizeof(f->path), "%s", path);
	return 0;
}

static int find_cpu_files(struct nti_proc *p, enum nti_proc_file kind)
{
	char path[PATH_BYTES];
	unsigned int cpu;
	int ret = 0;

	for (cpu = 0; ret == 0 && cpu < p->cpus; cpu++) {
		(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu,
			       paths[kind]);
		if (nti_os_exists(p->os, "%s", path))
			ret = add_file(p, kind, cpu, path);
	}
	return ret;
}

/* Sensors of processors: hwmon drivers (Documentation/hwmon) and types of thermal zones. */
static const char *const drivers[] = { "coretemp",    "k10temp",     "k8temp",	   "zenpower",
				       "via_cputemp", "cpu_thermal", "soc_thermal" };
static const char *const zones[] = { "x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc-thermal",
				     "soc_thermal" };

/* State of looking for sensors. */
struct search {
	struct nti_proc *p;
	const char *device;
	int ret;
};

static bool is_among(const char *name, const char *const *names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static int add_input(void *arg, const char *name)
{
	struct search *s = arg;
	size_t bytes = strlen(name);
	char path[PATH_BYTES];

	if (strncmp(name, "temp", 4) != 0 || bytes < 6 || strcmp(name + bytes - 6, "_input") != 0 ||
	    snprintf(path, sizeof(path), "/sys/class/hwmon/%s/%s", s->device, name) >=
		    (int)sizeof(path))
		return 0;
	s->ret = add_file(s->p, NTI_PROC_TEMPERATURE, 0, path);
	return s->ret;
}

static int add_device(void *arg, const char *name)
{
	struct search *s = arg;
	char driver[64];

	if (!nti_os_is_component(name) ||
	    nti_os_line(s->p->os, driver, sizeof(driver), "/sys/class/hwmon/%s/name", name) < 0 ||
	    !is_among(driver, drivers, NTI_ARRAY_SIZE(drivers)))
		return 0;
	s->device = name;
	(void)nti_os_list(s->p->os, add_input, s, "/sys/class/hwmon/%s", name);
	return s->ret;
}

static int add_zone(void *arg, const char *name)
{
	struct search *s = arg;
	char type[64], path[PATH_BYTES];

	if (!nti_os_is_component(name) ||
	    nti_os_line(s->p->os, type, sizeof(type), "/sys/class/thermal/%s/type", name) < 0 ||
	    !is_among(type, zones, NTI_ARRAY_SIZE(zones)) ||
	    snprintf(path, sizeof(path), "/sys/class/thermal/%s/temp", name) >= (int)sizeof(path))
		return 0;
	s->ret = add_file(s->p, NTI_PROC_TEMPERATURE, 0, path);
	return s->ret;
}

static int find_sensors(struct nti_proc *p)
{
	struct search s = { .p = p };

	(void)nti_os_list(p->os, add_device, &s, "/sys/class/hwmon");
	if (!s.ret && !p->files[NTI_PROC_TEMPERATURE])
		(void)nti_os_list(p->os, add_zone, &s, "/sys/class/thermal");
	return s.ret;
}

static int find_files(struct nti_proc *p, enum nti_proc_file kind)
{
	if (p->files[kind])
		return 0;
	/* A file that stands for those of the group: they are opened each time. */
	if (kind == NTI_PROC_CGROUP) {
		nti_cgroup_find(p->os, &p->group);
		return add_file(p, kind, 0, p->group.path);
	}
	if (kind == NTI_PROC_TEMPERATURE)
		return find_sensors(p);
	return is_of_cpus(kind) ? find_cpu_files(p, kind) : add_file(p, kind, 0, paths[kind]);
}

int nti_proc_add(struct nti_proc *p, size_t row)
{
	const struct nti_proc_row *r = nti_proc_row(row);
	struct place *at;
	size_t i;

	for (i = 0; i < p->places; i++)
		if (p->place[i].row == r)
			return (int)i;
	if (!nti_grow(&p->place, p->places))
		return -ENOMEM;
	at = &p->place[p->places];
	*at = (struct place){ .row = r, .values = r->is_per_cpu ? p->cpus : 1 };
	at->value = malloc(at->values * sizeof(*at->value));
	if (!at->value)
		return -ENOMEM;
	for (i = 0; i < at->values; i++)
		at->value[i] = NTI_PROC_NONE;
	p->places++;
	return find_files(p, file_of(r->file)) < 0 ? -ENOMEM : (int)(p->places - 1);
}

uint64_t nti_proc_value(const struct nti_proc *p, size_t place, unsigned int cpu)
{
	const struct place *at = &p->place[place];

	return cpu < at->values ? at->value[cpu] : NTI_PROC_NONE;
}

int nti_proc_error(const struct nti_proc *p, size_t place, const char **path)
{
	enum nti_proc_file kind = file_of(p->place[place].row->file);

	*path = has_numbers(kind) ? NULL : kind == NTI_PROC_CGROUP ? p->group.path : paths[kind];
	return p->error[kind];
}

/* ---- reading ---- */

static int open_file(struct nti_proc *p, struct file *f)
{
	if (f->fd < 0)
		f->fd = p->os->ops->open(p->os, f->path, O_RDONLY | O_CLOEXEC);
	return f->fd < 0 ? f->fd : 0;
}

/* After its text was read to @used bytes, or @error. One that was replaced, as of a CPU that came
 * back, is opened anew. */
static ssize_t end_file(struct nti_proc *p, struct file *f, size_t used, ssize_t error)
{
	if (error < 0 || !f->is_kept) {
		if (f->fd >= 0)
			p->os->ops->close(p->os, f->fd);
		f->fd = -1;
	}
	p->text[error < 0 ? 0 : used] = '\0';
	return error < 0 ? error : (ssize_t)used;
}

/* Its text at p->text, NUL at the end, as much as fits. Bytes, or -errno. */
static ssize_t read_text(struct nti_proc *p, struct file *f)
{
	size_t used = 0;
	ssize_t n = open_file(p, f);

	while (n >= 0 && used < p->room - 1) {
		n = p->os->ops->pread(p->os, f->fd, p->text + used, p->room - 1 - used, used);
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	return end_file(p, f, used, n);
}

/* The same of a file of sysfs, which comes at once (Linux 6.1, fs/sysfs/file.c). */
static ssize_t read_number(struct nti_proc *p, struct file *f)
{
	ssize_t n = open_file(p, f);

	if (n >= 0)
		n = p->os->ops->pread(p->os, f->fd, p->text, NUMBER_BYTES, 0);
	return end_file(p, f, (size_t)n, n);
}

/* All of it: the buffer grows when it is read first. */
static ssize_t read_whole(struct nti_proc *p, struct file *f)
{
	ssize_t n;
	char *bigger;

	while ((n = read_text(p, f)) == (ssize_t)(p->room - 1)) {
		bigger = realloc(p->text, 2 * p->room);
		if (!bigger)
			return -ENOMEM;
		p->text = bigger;
		p->room *= 2;
	}
	return n;
}

/*
 * The word at *@text, which moves behind it, as a number; NTI_PROC_NONE: the line ends;
 * NTI_PROC_BAD.
 */
static uint64_t take_number(const char **text)
{
	const char *at = *text + strspn(*text, " \t"), *end = at + strcspn(at, " \t\n");
	uint64_t n = 0;

	*text = end;
	if (at == end)
		return NTI_PROC_NONE;
	for (; at < end; at++)
		if (!isdigit((unsigned char)*at) || __builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
			return NTI_PROC_BAD;
	return n < NTI_PROC_BAD ? n : NTI_PROC_BAD;
}

/* "cpu12 1 2 3 ...": @line is behind "cpu". */
static void take_cpu(struct nti_proc *p, const char *line)
{
	uint64_t column[16];
	uint64_t cpu = take_number(&line);
	size_t n = 0, i;

	if (cpu >= p->cpus)
		return;
	while (n < NTI_ARRAY_SIZE(column) && (column[n] = take_number(&line)) != NTI_PROC_NONE)
		n++;
	for (i = 0; i < p->places; i++) {
		const struct nti_proc_row *row = p->place[i].row;

		if (row->file == NTI_PROC_STAT_CPU && row->column < n)
			p->place[i].value[cpu] = column[row->column];
	}
}

/* The number of a line that begins with the key of @row; of pressure that behind "total=". */
static void take_line(struct place *at, const char *line)
{
	size_t bytes = strlen(at->row->key);
	const char *total;

	if (strncmp(line, at->row->key, bytes) != 0 || (line[bytes] != ' ' && line[bytes] != '\t'))
		return;
	line += bytes;
	if (at->row->file >= NTI_PROC_PRESSURE_CPU && at->row->file <= NTI_PROC_PRESSURE_IO) {
		total = strstr(line, "total=");
		line = total ? total + 6 : "";
	}
	at->value[0] = take_number(&line);
	if (at->value[0] == NTI_PROC_NONE)
		at->value[0] = NTI_PROC_BAD;
}

static void take_lines(struct nti_proc *p, enum nti_proc_file kind)
{
	const char *line, *end;
	size_t i;

	for (line = p->text; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (kind == NTI_PROC_STAT && strncmp(line, "cpu", 3) == 0 &&
		    isdigit((unsigned char)line[3])) {
			take_cpu(p, line + 3);
			continue;
		}
		for (i = 0; i < p->places; i++)
			if (p->place[i].row->file == kind && *p->place[i].row->key == *line)
				take_line(&p->place[i], line);
	}
}

/* A file with number @n, of a CPU or of one of several sensors, of which the highest counts. */
static void take_one(struct nti_proc *p, enum nti_proc_file kind, const struct file *f, uint64_t n)
{
	size_t i;

	for (i = 0; n != NTI_PROC_NONE && i < p->places; i++) {
		uint64_t *value = &p->place[i].value[f->cpu];

		if (p->place[i].row->file == kind &&
		    (kind != NTI_PROC_TEMPERATURE || *value >= NTI_PROC_BAD ||
		     (n > *value && n != NTI_PROC_BAD)))
			*value = n;
	}
}

/* 0 or -ENOMEM. */
static int read_kind(struct nti_proc *p, enum nti_proc_file kind)
{
	ssize_t n;
	size_t i;

	p->error[kind] = 0;
	for (i = 0; i < p->files[kind]; i++) {
		struct file *f = &p->file[kind][i];
		const char *text = p->text;

		n = has_numbers(kind)	      ? read_number(p, f)
		    : kind == NTI_PROC_CGROUP ? nti_cgroup_read(p->os, &p->group, p->text, p->room)
					      : read_whole(p, f);
		if (n == -ENOMEM)
			return -ENOMEM;
		if (n < 0)
			p->error[kind] = (int)n;
		/* Files of a CPU or sensor that went are no longer there, or fail so. */
		if (has_numbers(kind) && n != -ENOENT && n != -ENODEV && n != -ENXIO)
			take_one(p, kind, f, n < 0 ? NTI_PROC_BAD : take_number(&text));
		else if (n >= 0)
			take_lines(p, kind);
	}
	return 0;
}

int nti_proc_read(struct nti_proc *p)
{
	size_t i, k;
	int ret = 0;

	for (i = 0; i < p->places; i++)
		for (k = 0; k < p->place[i].values; k++)
			p->place[i].value[k] = NTI_PROC_NONE;
	for (i = 0; ret == 0 && i < NTI_PROC_FILES; i++)
		ret = read_kind(p, (enum nti_proc_file)i);
	return ret;
}
