// SPDX-License-Identifier: MIT
/* ntime's driver as a table of descriptors over models of PMUs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "base/common/compiler.h"
#include "count/lib/machine/topology.h"
#include "count/tests/session/fake_ntimefs.h"

#define DEV "/sys/bus/event_source/devices/"
#define PERF_FD 1000
#define PAGE_BYTES ((size_t)sysconf(_SC_PAGESIZE))
#define GLOBAL_OVF_CTRL 0x390u

static const struct fake_file files[] = {
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ "/sys/devices/system/cpu/online", "0-1\n" },
	{ DEV "software/type", "1\n" },
	{ DEV "cpu/type", "4\n" },
	{ DEV "cpu/format/event", "config:0-7\n" },
	{ DEV "cpu/format/umask", "config:8-15\n" },
	{ DEV "cpu/format/edge", "config:18\n" },
	{ DEV "cpu/format/cmask", "config:24-31\n" },
	{ DEV "cpu/format/offcore_rsp", "config1:0-63\n" },
	{ DEV "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ DEV "cpu/events/instructions", "event=0xc0\n" },
	{ DEV "cpu/events/ref-cycles", "event=0x00,umask=0x03\n" },
	{ NULL },
};

/* Nehalem, 06_1AH: architectural PMU version 2, 4 + 3 counters of 48 bits. */
static const struct fake_leaf leaves[] = {
	{ 0x0, { 0xb, 0x756e6547u, 0x6c65746eu, 0x49656e69u } },
	{ 0x1, { 0x000106a3, 0, 0, 0 } },
	{ 0xa, { 0x07300402, 0, 0, 0x00000603 } },
};

static const struct fake_machine machine = { "nhm", "x86_64", leaves, NTI_ARRAY_SIZE(leaves),
					     files };

/* Registers that the tree has. */
static const uint32_t addresses[] = { 0xc1,  0xc2,  0xc3,  0xc4,  0x186, 0x187, 0x188, 0x189,
				      0x309, 0x30a, 0x30b, 0x38d, 0x38e, 0x38f, 0x390 };

static struct nti_os_ops ops;

static struct fake_ntimefs *fake_of(struct nti_os *os)
{
	return (struct fake_ntimefs *)os;
}

/* Every call that reaches the driver comes by here. */
static int fault(struct fake_ntimefs *f)
{
	return ++f->calls == f->fail_at ? f->fail_with : 0;
}

static bool is_ours(const char *path)
{
	return strncmp(path, NTIME_FS_PATH, strlen(NTIME_FS_PATH)) == 0;
}

static bool parse_path(const char *path, unsigned int *cpu, uint32_t *address)
{
	size_t i;

	if (sscanf(path, NTIME_FS_PATH "/core%u/msr/0x%x", cpu, address) != 2 || *cpu >= FAKE_CPUS)
		return false;
	for (i = 0; i < NTI_ARRAY_SIZE(addresses); i++) {
		if (addresses[i] == *address)
			return true;
	}
	return false;
}

static int driver_access(struct nti_os *os, const char *path, int mode)
{
	struct fake_ntimefs *f = fake_of(os);
	bool is_root = strcmp(path, NTIME_FS_PATH) == 0;
	unsigned int cpu;
	uint32_t address;

	if (f->driver == FAKE_ABSENT || (f->driver == FAKE_LOADED && !is_root))
		return -ENOENT;
	if (f->driver == FAKE_LOCKED && !is_root)
		return -EACCES;
	if (f->driver == FAKE_UNREADABLE && mode != F_OK)
		return -EACCES;
	return is_root || strcmp(path, NTIME_FS_PATH "/core0") == 0 ||
			       parse_path(path, &cpu, &address)
		       ? 0
		       : -ENOENT;
}

static int os_access(struct nti_os *os, const char *path, int mode)
{
	struct fake_os plain;

	if (is_ours(path))
		return driver_access(os, path, mode);
	fake_os_init(&plain, &machine);
	return plain.os.ops->access(os, path, mode);
}

static int os_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		   void *arg)
{
	struct fake_os plain;

	if (strcmp(path, NTIME_FS_PATH "/core0/msr") == 0)
		return fn(arg, "0xc1");
	if (is_ours(path))
		return -ENOENT;
	fake_os_init(&plain, &machine);
	return plain.os.ops->list(os, path, fn, arg);
}

static uint64_t os_now(struct nti_os *os)
{
	return fake_of(os)->now_ns += 1000;
}

static int os_tsc(struct nti_os *os, uint64_t *ticks)
{
	(void)os;
	*ticks = 0;
	return -ENOTSUP;
}

static int os_perf_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			int group, unsigned long flags)
{
	(void)pid, (void)cpu, (void)group, (void)flags;
	return fake_of(os)->has_perf || attr->type == PERF_TYPE_SOFTWARE ? PERF_FD : -EACCES;
}

static bool has_writer(const struct fake_ntimefs *f, unsigned int cpu, uint32_t address)
{
	size_t i;

	for (i = 0; i < FAKE_FDS; i++) {
		if (f->fd[i].is_open && f->fd[i].is_writer && f->fd[i].cpu == cpu &&
		    f->fd[i].address == address)
			return true;
	}
	return false;
}

static int open_checks(struct fake_ntimefs *f, const char *path, int flags, unsigned int *cpu,
		       uint32_t *address)
{
	int ret = fault(f);

	if (ret < 0)
		return ret;
	ret = driver_access(&f->base.os, path, flags == O_RDONLY ? R_OK : W_OK);
	if (ret < 0)
		return ret;
	if (!parse_path(path, cpu, address))
		return -ENOENT;
	/* What only clears cannot be read. */
	if (*address == GLOBAL_OVF_CTRL && flags != O_WRONLY)
		return -EACCES;
	if (flags != O_RDONLY && (f->is_taken || has_writer(f, *cpu, *address)))
		return -EBUSY;
	return 0;
}

static int os_open(struct nti_os *os, const char *path, int flags)
{
	struct fake_ntimefs *f = fake_of(os);
	unsigned int cpu;
	uint32_t address;
	int i, ret = open_checks(f, path, flags, &cpu, &address);

	if (ret < 0)
		return ret;
	for (i = 0; i < FAKE_FDS; i++) {
		if (f->fd[i].is_open)
			continue;
		f->fd[i] = (struct fake_fd){ .is_open = true,
					     .is_writer = flags != O_RDONLY,
					     .is_readable = flags != O_WRONLY,
					     .cpu = cpu,
					     .address = address };
		return i;
	}
	return -EMFILE;
}

static ssize_t os_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	const uint64_t reading[] = { 1, fake_of(os)->now_ns, fake_of(os)->now_ns, 7 };

	TT_IS(fd, PERF_FD);
	TT_IS(size >= sizeof(reading), 1);
	memcpy(buf, reading, sizeof(reading));
	return sizeof(reading);
}

static struct fake_fd *fd_of(struct fake_ntimefs *f, int fd)
{
	TT_IS(fd >= 0 && fd < FAKE_FDS && f->fd[fd].is_open, 1);
	return &f->fd[fd];
}

static ssize_t os_pread(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset)
{
	struct fake_ntimefs *f = fake_of(os);
	struct fake_fd *file = fd_of(f, fd);
	uint64_t value;
	int ret = fault(f);

	(void)offset;
	if (ret < 0)
		return ret;
	if (f->is_gone)
		return -ENODEV;
	if (!file->is_readable)
		return -EBADF;
	TT_IS(file->is_binary, 1);
	TT_IS(size, sizeof(value));
	if (f->is_short)
		return 4;
	if (ntm_x86_pmu_rdmsr(&f->pmu[file->cpu], file->address, &value))
		return -EIO;
	memcpy(buf, &value, sizeof(value));
	return sizeof(value);
}

static ssize_t os_pwrite(struct nti_os *os, int fd, const void *buf, size_t size, uint64_t offset)
{
	struct fake_ntimefs *f = fake_of(os);
	struct fake_fd *file = fd_of(f, fd);
	struct ntm_x86_pmu *pmu = &f->pmu[file->cpu];
	uint64_t value;
	int ret = fault(f);

	(void)offset;
	if (ret < 0)
		return ret;
	if (f->is_gone)
		return -ENODEV;
	TT_IS(file->is_writer, 1);
	if (file->is_binary)
		memcpy(&value, buf, sizeof(value));
	else
		value = strtoull(buf, NULL, 0);
	if (!file->is_changed && file->address != GLOBAL_OVF_CTRL)
		file->is_changed = !ntm_x86_pmu_rdmsr(pmu, file->address, &file->saved);
	return ntm_x86_pmu_wrmsr(pmu, file->address, value) ? -EIO : (ssize_t)size;
}

static bool is_counter(uint32_t address)
{
	return (address >= 0xc1 && address <= 0xc8) || (address >= 0x309 && address <= 0x30c);
}

static int os_map(struct nti_os *os, int fd, size_t bytes, void **out)
{
	struct fake_ntimefs *f = fake_of(os);
	struct fake_fd *file;
	struct ntime_page page;
	int ret;

	*out = NULL;
	if (fd == PERF_FD)
		return -EINVAL;
	file = fd_of(f, fd);
	ret = fault(f);
	if (ret < 0)
		return ret;
	if (!file->is_readable)
		return -EACCES;
	TT_IS(bytes, PAGE_BYTES);
	page = (struct ntime_page){ .size = sizeof(page),
				    .type = f->is_granted && is_counter(file->address)
						    ? NTIME_PAGE_PMC
						    : NTIME_PAGE_MSR,
				    .width = is_counter(file->address) ? 48 : 64,
				    .index = file->address >= 0x309
						     ? 0x40000000u | (file->address - 0x309)
						     : file->address - 0xc1,
				    .cpu = file->cpu,
				    .address = file->address,
				    .name = "TEST" };
	if (f->page.size)
		page = f->page;
	*out = aligned_alloc(PAGE_BYTES, PAGE_BYTES);
	assert_non_null(*out);
	memset(*out, 0xa5, PAGE_BYTES);
	memcpy(*out, &page, page.size < sizeof(page) && page.size > 4 ? page.size : sizeof(page));
	file->is_binary = true;
	f->maps++;
	return 0;
}

static void os_unmap(struct nti_os *os, void *address, size_t bytes)
{
	(void)bytes;
	if (!address)
		return;
	fake_of(os)->maps--;
	free(address);
}

static void os_close(struct nti_os *os, int fd)
{
	struct fake_ntimefs *f = fake_of(os);
	struct fake_fd *file;

	if (fd == PERF_FD)
		return;
	file = fd_of(f, fd);
	/* The driver's promise. */
	if (file->is_changed)
		(void)ntm_x86_pmu_wrmsr(&f->pmu[file->cpu], file->address, file->saved);
	file->is_open = false;
}

static int os_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	(void)os, (void)request, (void)arg;
	TT_IS(fd, PERF_FD);
	return 0;
}

static void keep_log(void *arg, const char *line)
{
	struct fake_ntimefs *f = arg;
	size_t used = strlen(f->log);

	snprintf(f->log + used, sizeof(f->log) - used, "%s\n", line);
}

void fake_ntimefs_init(struct fake_ntimefs *f)
{
	unsigned int cpu;

	memset(f, 0, sizeof(*f));
	fake_os_init(&f->base, &machine);
	ops = *f->base.os.ops;
	ops.access = os_access;
	ops.list = os_list;
	ops.now_ns = os_now;
	ops.tsc = os_tsc;
	ops.perf_open = os_perf_open;
	ops.open = os_open;
	ops.read = os_read;
	ops.pread = os_pread;
	ops.pwrite = os_pwrite;
	ops.map = os_map;
	ops.unmap = os_unmap;
	ops.close = os_close;
	ops.ioctl = os_ioctl;
	f->base.os.ops = &ops;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		TT_IS(ntm_x86_pmu_init(&f->pmu[cpu], &ntm_x86_intel), 0);
	f->ctx.os = &f->base.os;
	f->ctx.cpus = FAKE_CPUS;
	f->ctx.log = keep_log;
	f->ctx.log_arg = f;
}

void fake_ntimefs_fini(struct fake_ntimefs *f)
{
	if (f->ctx.has_units)
		nti_units_fini(&f->ctx.units);
	nti_topology_free(f->ctx.topology);
}

void fake_ntimefs_work(struct fake_ntimefs *f, unsigned int cpu, bool is_user, uint64_t n)
{
	const struct ntm_x86_work work = { .instructions = n, .cycles = 2 * n, .ref_cycles = n };

	ntm_x86_pmu_advance(&f->pmu[cpu], is_user, &work);
}

unsigned int fake_ntimefs_open_files(const struct fake_ntimefs *f)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < FAKE_FDS; i++)
		n += f->fd[i].is_open;
	return n;
}
