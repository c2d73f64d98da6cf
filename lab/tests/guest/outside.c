// SPDX-License-Identifier: MIT
/* What is outside of the cores of the x86 guests, without ntime. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/tests/guest/outside.h"

#define CPUS "/sys/devices/system/cpu/"
#define UNITS "/sys/bus/event_source/devices/"

/* ---- what must stand in the registers ---- */

/* Register, what it begins with, the shifts, whether that is subtracted, its bits, perf's name. */
const struct lab_clockwork lab_clockwork[] = {
	{ "MPERF", 0xe7, 0, 0, 0, 0, false, 64, "msr/mperf" },
	{ "APERF", 0xe8, 0, 2, 0, 1, true, 64, "msr/aperf" },
	{ "core C3", 0x3fc, 0, 3, 1, 0, false, 64, "cstate_core/c3-residency" },
	{ "core C6", 0x3fd, 0, 2, 0, 1, false, 64, "cstate_core/c6-residency" },
	{ "core C7", 0x3fe, 0, 5, 0, 1, false, 64, "cstate_core/c7-residency" },
	{ "package C2", 0x60d, 0, 6, 0, 0, false, 64, "cstate_pkg/c2-residency" },
	{ "package C3", 0x3f8, 0, 4, 0, 0, false, 64, "cstate_pkg/c3-residency" },
	{ "package C6", 0x3f9, 0, 3, 0, 1, false, 64, "cstate_pkg/c6-residency" },
	{ "package C7", 0x3fa, 0, 6, 0, 1, false, 64, "cstate_pkg/c7-residency" },
	{ "energy of the package", 0x611, 0xf0000000, 8, 0, -1, false, 32, "power/energy-pkg" },
	{ "energy of the cores", 0x639, 1, 9, 0, -1, false, 32, "power/energy-cores" },
	{ "energy of memory", 0x619, 1, 10, 0, -1, false, 32, "power/energy-ram" },
	{ .name = NULL },
};

uint64_t lab_clockwork_at(const struct lab_clockwork *row, unsigned int socket, unsigned int core,
			  uint64_t now)
{
	int shift = (int)row->shift + (int)(row->per_core * core) + row->per_socket * (int)socket;
	uint64_t part = now >> shift;

	return row->begin + (row->is_subtracted ? now - part : part);
}

/* ---- CPUs ---- */

static unsigned int topology(unsigned int cpu, const char *file)
{
	char path[96], text[16] = "";
	FILE *f;

	snprintf(path, sizeof(path), CPUS "cpu%u/topology/%s", cpu, file);
	f = fopen(path, "re");
	if (!f || !fgets(text, sizeof(text), f))
		fail_msg("%s cannot be read", path);
	else
		fclose(f);
	return (unsigned int)strtoul(text, NULL, 10);
}

unsigned int lab_socket_of(unsigned int cpu)
{
	return topology(cpu, "physical_package_id");
}

unsigned int lab_core_of(unsigned int cpu)
{
	return topology(cpu, "core_id");
}

unsigned int lab_all_cpus(void)
{
	return (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
}

static bool is_online(unsigned int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	return access(path, F_OK) == 0;
}

unsigned int lab_sockets(void)
{
	unsigned int most = 0;

	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++)
		if (is_online(cpu) && lab_socket_of(cpu) > most)
			most = lab_socket_of(cpu);
	return most + 1;
}

/* ---- MSRs ---- */

static int msr_access(unsigned int cpu, uint32_t msr, uint64_t *value, bool is_write)
{
	char path[64];
	ssize_t n;
	int fd, ret;

	snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, (is_write ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = is_write ? pwrite(fd, value, sizeof(*value), msr)
		     : pread(fd, value, sizeof(*value), msr);
	ret = n == sizeof(*value) ? 0 : -errno;
	close(fd);
	return ret;
}

int lab_msr_get(unsigned int cpu, uint32_t msr, uint64_t *value)
{
	return msr_access(cpu, msr, value, false);
}

int lab_msr_set(unsigned int cpu, uint32_t msr, uint64_t value)
{
	return msr_access(cpu, msr, &value, true);
}

uint64_t lab_msr(unsigned int cpu, uint32_t msr)
{
	uint64_t value = 0;
	int ret = lab_msr_get(cpu, msr, &value);

	if (ret < 0)
		fail_msg("MSR %#x of CPU %u: %s", msr, cpu, strerror(-ret));
	return value;
}

bool lab_is_sandy_bridge(void)
{
	uint64_t value;

	return lab_msr_get(0, 0x606, &value) == 0 && value;
}

/*
 * Selects, controls and counters of the uncore: nothing that moves by itself while nobody counts,
 * nor that perf leaves as it happens to be.
 */
static const struct {
	uint32_t first, count;
} counting[] = { { 0x391, 2 }, { 0x394, 3 }, { 0x3b0, 8 }, { 0x3c0, 8 } };

void lab_snapshot_take(struct lab_snapshot *all)
{
	all->count = 0;
	for (unsigned int cpu = 0; cpu < lab_all_cpus(); cpu++)
		for (size_t k = 0; is_online(cpu) && k < sizeof(counting) / sizeof(counting[0]);
		     k++)
			for (uint32_t i = 0; i < counting[k].count; i++) {
				uint32_t msr = counting[k].first + i;
				uint64_t value;

				assert_in_range(all->count, 0, 1023);
				if (lab_msr_get(cpu, msr, &value) < 0)
					continue;
				all->row[all->count].cpu = cpu;
				all->row[all->count].msr = msr;
				all->row[all->count++].value = value;
			}
}

size_t lab_snapshot_differs(const struct lab_snapshot *before)
{
	size_t n = 0;

	for (size_t i = 0; i < before->count; i++) {
		uint64_t value;

		if (!is_online(before->row[i].cpu))
			continue;
		if (lab_msr_get(before->row[i].cpu, before->row[i].msr, &value) == 0 &&
		    value == before->row[i].value)
			continue;
		print_error("MSR %#x of CPU %u was %#llx, is %#llx\n", before->row[i].msr,
			    before->row[i].cpu, (unsigned long long)before->row[i].value,
			    (unsigned long long)value);
		n++;
	}
	return n;
}

/* ---- perf ---- */

static int read_line(const char *unit, const char *file, char *text, int bytes)
{
	char path[160];
	FILE *f;
	int ret = 0;

	snprintf(path, sizeof(path), UNITS "%s/%s", unit, file);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (!fgets(text, bytes, f))
		ret = -EIO;
	fclose(f);
	return ret;
}

int lab_perf_open(const char *unit, uint64_t config, unsigned int cpu, int group)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.config = config,
					.disabled = group < 0 };
	char text[32];
	int ret = read_line(unit, "type", text, sizeof(text));

	if (ret < 0)
		return ret;
	attr.type = (uint32_t)strtoul(text, NULL, 10);
	ret = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);
	return ret < 0 ? -errno : ret;
}

int lab_perf_open_named(const char *event, unsigned int cpu)
{
	char unit[64], file[96], text[64];
	const char *slash = strchr(event, '/'), *number;
	int ret;

	snprintf(unit, sizeof(unit), "%.*s", (int)(slash - event), event);
	snprintf(file, sizeof(file), "events/%s", slash + 1);
	ret = read_line(unit, file, text, sizeof(text));
	if (ret < 0)
		return ret;
	number = strchr(text, '=');
	if (!number)
		return -EPROTO;
	return lab_perf_open(unit, strtoull(number + 1, NULL, 0), cpu, -1);
}

uint64_t lab_perf_get(int fd)
{
	uint64_t count = 0;

	TT_IS(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

const char *lab_outside_why_not(void)
{
	if (access("/lab/host", X_OK) != 0)
		return "runs inside a guest of the lab: ntime lab run x86-westmere";
	if (geteuid() != 0)
		return "needs root to count for a whole socket";
	return NULL;
}
