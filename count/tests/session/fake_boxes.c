// SPDX-License-Identifier: MIT
/* Boxes of counters outside of the cores behind msr devices and configuration space. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tests/tt.h"

#include "core/regs/regs.h"
#include "core/seq/box.h"
#include "include/uapi/ntime.h"
#include "count/lib/access/claim.h"
#include "count/lib/machine/topology.h"
#include "base/common/compiler.h"
#include "base/common/text.h"
#include "count/tests/session/fake_boxes.h"

#define DEV "/sys/bus/event_source/devices/"
#define CPU "/sys/devices/system/cpu/"
#define PERF_FD 1000
#define GLOBAL_OVF_CTRL 0x390u

#define TOPOLOGY(cpu, package, siblings)                                                           \
	{ CPU "cpu" cpu "/topology/physical_package_id", package },                                \
	{                                                                                          \
		CPU "cpu" cpu "/topology/core_siblings_list", siblings                             \
	}
#define IMC(number, code)                                                                          \
	{ DEV "uncore_imc_" number "/type", code },                                                \
		{ DEV "uncore_imc_" number "/cpumask", "0,2\n" },                                  \
		{ DEV "uncore_imc_" number "/format/event", "config:0-7\n" },                      \
		{ DEV "uncore_imc_" number "/format/umask", "config:8-15\n" },                     \
	{                                                                                          \
		DEV "uncore_imc_" number "/format/thresh", "config:24-31\n"                        \
	}

static const struct fake_file files[] = {
	{ "/proc/sys/kernel/perf_event_paranoid", "2\n" },
	{ CPU "online", "0-3\n" },
	TOPOLOGY("0", "0\n", "0-1\n"),
	TOPOLOGY("1", "0\n", "0-1\n"),
	TOPOLOGY("2", "1\n", "2-3\n"),
	TOPOLOGY("3", "1\n", "2-3\n"),
	{ DEV "software/type", "1\n" },
	{ DEV "cpu/type", "4\n" },
	{ DEV "cpu/format/event", "config:0-7\n" },
	{ DEV "cpu/format/umask", "config:8-15\n" },
	{ DEV "cpu/format/edge", "config:18\n" },
	{ DEV "cpu/format/cmask", "config:24-31\n" },
	{ DEV "cpu/format/offcore_rsp", "config1:0-63\n" },
	{ DEV "cpu/events/ref-cycles", "event=0x00,umask=0x03\n" },
	{ DEV "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ DEV "cpu/events/instructions", "event=0xc0\n" },
	{ DEV "uncore/type", "10\n" },
	{ DEV "uncore/cpumask", "0,2\n" },
	{ DEV "uncore/format/event", "config:0-7\n" },
	{ DEV "uncore/format/umask", "config:8-15\n" },
	{ DEV "uncore/format/edge", "config:18\n" },
	{ DEV "uncore/format/odd", "config:21\n" },
	{ DEV "uncore/format/more", "config1:0-7\n" },
	{ DEV "uncore_cha_0/type", "15\n" },
	{ DEV "uncore_cha_0/cpumask", "0\n" },
	{ DEV "uncore_cha_0/format/event", "config:0-7\n" },
	{ DEV "uncore_cha_0/format/umask", "config:8-15\n" },
	{ DEV "uncore_cha_0/format/filter_opc0", "config1:41-50\n" },
	{ DEV "power/type", "16\n" },
	{ DEV "power/cpumask", "0,2\n" },
	{ DEV "power/format/event", "config:0-7\n" },
	{ DEV "thermal/type", "17\n" },
	{ DEV "thermal/cpumask", "0-3\n" },
	{ DEV "thermal/format/event", "config:0-7\n" },
	IMC("0", "11\n"),
	IMC("1", "12\n"),
	IMC("2", "13\n"),
	IMC("3", "14\n"),
	{ NULL },
};

/* Nehalem, 06_1AH: architectural PMU version 2, 4 + 3 counters of 48 bits. */
static const struct fake_leaf leaves[] = {
	{ 0x0, { 0xb, 0x756e6547u, 0x6c65746eu, 0x49656e69u } },
	{ 0x1, { 0x000106a5, 0, 0, 0 } },
	{ 0xa, { 0x07300402, 0, 0, 0x00000603 } },
};

static const struct fake_machine machine = { "nhm", "x86_64", leaves, NTI_ARRAY_SIZE(leaves),
					     files };

static struct nti_os_ops ops;
static const struct nti_os_ops *plain_ops; /* of the table of files alone */

static struct fake_boxes *fake_of(struct nti_os *os)
{
	return (struct fake_boxes *)os;
}

static unsigned int package_of(unsigned int cpu)
{
	return cpu / (FAKE_CPUS / FAKE_PACKAGES);
}

/* Every access of a register and every opening of a file comes by here. */
static int fault(struct fake_boxes *f, bool is_write)
{
	unsigned int n = ++f->accesses;

	if (!f->fail_from || n < f->fail_from || n > f->fail_to ||
	    (f->failure == FAKE_FAIL_WRITES && !is_write))
		return 0;
	return f->fail_with;
}

int fake_boxes_fault(struct fake_boxes *f, uint32_t address, bool is_write)
{
	int ret = fault(f, is_write);

	if (ret < 0 && !f->has_failed) {
		f->has_failed = true;
		f->failed_at = address;
	}
	return ret;
}

bool fake_boxes_leaves_out(const struct fake_boxes *f, int error)
{
	return error < 0 && f->failure != FAKE_FAIL_BEHIND;
}

/* ---- msr ---- */

static bool parse_device(const char *path, unsigned int *cpu)
{
	char rest[8] = "";

	return sscanf(path, "/dev/cpu/%u/%7s", cpu, rest) == 2 && strcmp(rest, "msr") == 0 &&
	       *cpu < FAKE_CPUS;
}

static int rdmsr(struct fake_boxes *f, unsigned int cpu, uint32_t address, uint64_t *value)
{
	struct fake_silicon *silicon = &f->silicon;
	unsigned int package = package_of(cpu);
	int ret = ntm_nhm_uncore_rdmsr(&silicon->uncore[package], address, value);

	if (ret == NTM_NOT_MINE)
		ret = ntm_x86_power_package_rdmsr(&silicon->power[package], address, value);
	if (ret == NTM_NOT_MINE)
		ret = ntm_x86_power_core_rdmsr(&silicon->thermal[cpu], address, value);
	if (ret == NTM_NOT_MINE && !package && address - FAKE_CHA < FAKE_CHA_REGISTERS) {
		*value = silicon->cha[address - FAKE_CHA];
		return 0;
	}
	return ret == NTM_NOT_MINE ? ntm_x86_pmu_rdmsr(&silicon->pmu[cpu], address, value) : ret;
}

static int wrmsr(struct fake_boxes *f, unsigned int cpu, uint32_t address, uint64_t value)
{
	struct fake_silicon *silicon = &f->silicon;
	unsigned int package = package_of(cpu);
	int ret = ntm_nhm_uncore_wrmsr(&silicon->uncore[package], address, value);

	f->writes++;
	if (ret == NTM_NOT_MINE && !package && address - FAKE_CHA < FAKE_CHA_REGISTERS) {
		silicon->cha[address - FAKE_CHA] = value;
		return 0;
	}
	return ret == NTM_NOT_MINE ? ntm_x86_pmu_wrmsr(&silicon->pmu[cpu], address, value) : ret;
}

struct ntm_snbep_imc *fake_boxes_channel(struct fake_boxes *f, size_t index)
{
	return &f->silicon.imc[index / FAKE_CHANNELS][index % FAKE_CHANNELS];
}

/* ---- the driver ---- */

/* Device 16 of buses 7f and ff, functions 0, 1, 4 and 5: Intel 327043-001, table 2-58. */
const uint8_t fake_boxes_buses[FAKE_PACKAGES] = { 0x7f, 0xff };

const uint8_t fake_boxes_functions[FAKE_CHANNELS] = { 0, 1, 4, 5 };

/* The driver shows registers of a package, reached by a CPU of it, and those of its functions. */
static bool parse_register(const char *path, struct fake_box_file *file)
{
	unsigned int function;
	size_t i;

	*file = (struct fake_box_file){ .is_register = true };
	if (sscanf(path, NTIME_FS_PATH "/core%u/msr/0x%x", &file->cpu, &file->address) == 2) {
		file->is_core = true;
		return file->cpu < FAKE_CPUS;
	}
	if (sscanf(path, NTIME_FS_PATH "/core%u/uncore/msr/0x%x", &file->cpu, &file->address) == 2)
		return file->cpu < FAKE_CPUS;
	if (sscanf(path, NTIME_FS_PATH "/core%u/uncore/pci/D16:F%u/0x%x", &file->cpu, &function,
		   &file->address) != 3 ||
	    file->cpu >= FAKE_CPUS)
		return false;
	file->is_pci = true;
	for (i = 0; i < FAKE_CHANNELS; i++) {
		file->function = package_of(file->cpu) * FAKE_CHANNELS + i;
		if (fake_boxes_functions[i] == function)
			return true;
	}
	return false;
}

static bool is_core_counter(const struct fake_box_file *file)
{
	return file->is_core && ((file->address >= 0xc1 && file->address <= 0xc8) ||
				 (file->address >= 0x309 && file->address <= 0x30c));
}

static uint32_t bits_of(const struct fake_box_file *file)
{
	uint32_t index;
	const struct nthw_reg *row = nthw_table_find(
		file->is_pci ? &nthw_snbep_imc : &nthw_nhm_uncore, file->address, &index);

	if (file->is_core)
		return is_core_counter(file) ? 48 : 64;
	return row ? row->bits : 64;
}

static int read_register(struct fake_boxes *f, const struct fake_box_file *file, uint64_t *value)
{
	if (!file->is_pci)
		return rdmsr(f, file->cpu, file->address, value);
	*value = ntm_snbep_imc_read(fake_boxes_channel(f, file->function), file->address, 4);
	if (bits_of(file) > 32)
		*value |= (uint64_t)ntm_snbep_imc_read(fake_boxes_channel(f, file->function),
						       file->address + 4, 4)
			  << 32;
	return 0;
}

static int write_register(struct fake_boxes *f, const struct fake_box_file *file, uint64_t value)
{
	if (!file->is_pci)
		return wrmsr(f, file->cpu, file->address, value);
	f->writes++;
	ntm_snbep_imc_write(fake_boxes_channel(f, file->function), file->address, 4,
			    (uint32_t)value);
	if (bits_of(file) > 32)
		ntm_snbep_imc_write(fake_boxes_channel(f, file->function), file->address + 4, 4,
				    (uint32_t)(value >> 32));
	return 0;
}

static bool has_writer(const struct fake_boxes *f, const struct fake_box_file *file)
{
	size_t i;

	for (i = 0; i < FAKE_FDS; i++) {
		const struct fake_box_file *other = &f->fd[i];

		if (other->is_open && other->is_writer && other->is_pci == file->is_pci &&
		    other->function == file->function && other->address == file->address &&
		    (file->is_core ? other->cpu == file->cpu
				   : package_of(other->cpu) == package_of(file->cpu)))
			return true;
	}
	return false;
}

static int driver_access(const struct fake_boxes *f, const char *path, int mode)
{
	bool is_root = strcmp(path, NTIME_FS_PATH) == 0;

	if (!f->has_driver || (f->driver == FAKE_LOADED && !is_root))
		return -ENOENT;
	if ((f->driver == FAKE_LOCKED && !is_root) ||
	    (f->driver == FAKE_UNREADABLE && mode != F_OK))
		return -EACCES;
	return 0;
}

/* What the driver keeps on opening: the register is there, and nobody else writes it. */
static int open_register(struct fake_boxes *f, const char *path, int flags,
			 struct fake_box_file *file)
{
	uint64_t value;
	int ret = driver_access(f, path, flags == O_RDONLY ? R_OK : W_OK);

	if (ret < 0)
		return ret;
	if (!parse_register(path, file))
		return -ENOENT;
	file->is_writer = flags != O_RDONLY;
	file->is_readable = flags != O_WRONLY;
	/* What only clears cannot be read. */
	if (file->is_core && file->address == GLOBAL_OVF_CTRL && file->is_readable)
		return -EACCES;
	if (file->is_readable && read_register(f, file, &value))
		return -ENOENT;
	return file->is_writer && (f->is_taken || has_writer(f, file)) ? -EBUSY : 0;
}

static bool is_in_tree(const char *path)
{
	return strncmp(path, NTIME_FS_PATH, strlen(NTIME_FS_PATH)) == 0;
}

/* ---- descriptors ---- */

static int os_access(struct nti_os *os, const char *path, int mode)
{
	struct fake_boxes *f = fake_of(os);
	unsigned int cpu;

	if (is_in_tree(path))
		return driver_access(f, path, mode);
	if (parse_device(path, &cpu))
		return f->is_user && mode != F_OK ? -EACCES : 0;
	return plain_ops->access(os, path, mode);
}

static int open_device(struct fake_boxes *f, const char *path, struct fake_box_file *file)
{
	*file = (struct fake_box_file){ .cpu = 0 };
	if (!parse_device(path, &file->cpu) || f->is_offline[file->cpu])
		return -ENOENT;
	return f->is_user ? -EACCES : 0;
}

static int os_open(struct nti_os *os, const char *path, int flags)
{
	struct fake_boxes *f = fake_of(os);
	struct fake_box_file file;
	int i, ret = fault(f, false);

	if (ret < 0)
		return ret;
	ret = is_in_tree(path) ? open_register(f, path, flags, &file) : open_device(f, path, &file);
	if (ret < 0)
		return ret;
	for (i = 0; i < FAKE_FDS; i++) {
		if (f->fd[i].is_open)
			continue;
		f->fd[i] = file;
		f->fd[i].is_open = true;
		return i;
	}
	return -EMFILE;
}

static struct fake_box_file *file_of(struct fake_boxes *f, int fd)
{
	TT_IS(fd >= 0 && fd < FAKE_FDS && f->fd[fd].is_open, 1);
	return &f->fd[fd];
}

static void os_close(struct nti_os *os, int fd)
{
	struct fake_boxes *f = fake_of(os);

	if (fd == PERF_FD)
		return;
	/* The driver's promise. */
	if (file_of(f, fd)->is_changed)
		(void)write_register(f, &f->fd[fd], f->fd[fd].saved);
	f->fd[fd].is_open = false;
}

/* 0 or -errno. */
static int begin_access(struct fake_boxes *f, const struct fake_box_file *file, uint64_t offset,
			bool is_write)
{
	uint32_t address = file->is_register ? file->address : (uint32_t)offset;
	int ret = fake_boxes_fault(f, address, is_write);

	if (ret < 0)
		return ret;
	if (file->is_register)
		return f->is_unplugged ? -ENODEV : 0;
	return f->is_offline[file->cpu] ? -ENXIO : 0;
}

static ssize_t os_pread(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset)
{
	struct fake_boxes *f = fake_of(os);
	struct fake_box_file *file = file_of(f, fd);
	uint64_t value;
	int ret = begin_access(f, file, offset, false);

	if (ret < 0)
		return ret;
	if (file->is_register && !file->is_readable)
		return -EBADF;
	TT_IS(!file->is_register || file->is_binary, 1);
	TT_IS(size, sizeof(value));
	if (f->is_short)
		return 4;
	ret = file->is_register ? read_register(f, file, &value)
				: rdmsr(f, file->cpu, (uint32_t)offset, &value);
	if (ret)
		return -EIO;
	memcpy(buf, &value, sizeof(value));
	return sizeof(value);
}

static int write_file(struct fake_boxes *f, struct fake_box_file *file, uint64_t value)
{
	uint64_t now;

	TT_IS(file->is_writer, 1);
	if (!file->is_changed && read_register(f, file, &now) == 0) {
		file->is_changed = true;
		file->saved = now;
	}
	return write_register(f, file, value);
}

static ssize_t os_pwrite(struct nti_os *os, int fd, const void *buf, size_t size, uint64_t offset)
{
	struct fake_boxes *f = fake_of(os);
	struct fake_box_file *file = file_of(f, fd);
	uint64_t value;
	int ret, error = begin_access(f, file, offset, true);

	if (fake_boxes_leaves_out(f, error))
		return error;
	if (file->is_register && !file->is_binary)
		value = strtoull(buf, NULL, 0);
	else
		memcpy(&value, buf, sizeof(value));
	ret = file->is_register ? write_file(f, file, value)
				: wrmsr(f, file->cpu, (uint32_t)offset, value);
	if (error < 0)
		return error;
	return ret ? -EIO : (ssize_t)size;
}

/* ---- the rest ---- */

static bool os_is_privileged(struct nti_os *os, bool perf)
{
	(void)perf;
	return !fake_of(os)->is_user;
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

static ssize_t os_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	const uint64_t reading[] = { 1, fake_of(os)->now_ns, fake_of(os)->now_ns, 7 };

	TT_IS(fd, PERF_FD);
	TT_IS(size >= sizeof(reading), 1);
	memcpy(buf, reading, sizeof(reading));
	return sizeof(reading);
}

static int os_map(struct nti_os *os, int fd, size_t bytes, void **out)
{
	struct fake_boxes *f = fake_of(os);
	struct fake_box_file *file;
	struct ntime_page page;
	int ret;

	*out = NULL;
	if (fd == PERF_FD)
		return -EINVAL;
	file = file_of(f, fd);
	ret = fault(f, false);
	if (ret < 0)
		return ret;
	if (!file->is_readable)
		return -EACCES;
	page = (struct ntime_page){ .size = sizeof(page),
				    .type = f->is_granted && is_core_counter(file) ? NTIME_PAGE_PMC
										   : NTIME_PAGE_MSR,
				    .width = bits_of(file),
				    .index = file->address >= 0x309
						     ? 0x40000000u | (file->address - 0x309)
						     : file->address - 0xc1,
				    .cpu = file->cpu,
				    .address = file->address,
				    .name = "TEST" };
	if (f->page.size)
		page = f->page;
	TT_IS(bytes, sysconf(_SC_PAGESIZE));
	*out = aligned_alloc(bytes, bytes);
	assert_non_null(*out);
	memset(*out, 0xa5, bytes);
	memcpy(*out, &page, page.size < sizeof(page) && page.size > 4 ? page.size : sizeof(page));
	file->is_binary = true;
	f->maps++;
	return 0;
}

static void os_unmap(struct nti_os *os, void *address, size_t bytes)
{
	(void)bytes;
	if (address)
		fake_of(os)->maps--;
	free(address);
}

static int os_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	(void)os, (void)request, (void)arg;
	TT_IS(fd, PERF_FD);
	return 0;
}

static int os_directory(struct nti_os *os, const char *path, bool make)
{
	int fd, ret = fault(fake_of(os), false);

	(void)make;
	if (ret < 0)
		return ret;
	TT_TEXT(path, NTI_CLAIM_DIRECTORY);
	fd = open(fake_of(os)->claims, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int os_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		   void *arg)
{
	struct dirent **entry;
	int n, i, ret = 0;

	if (strcmp(path, NTIME_FS_PATH "/core0/msr") == 0)
		return fake_of(os)->has_driver ? fn(arg, "0xc1") : -ENOENT;
	if (strcmp(path, NTI_CLAIM_DIRECTORY) != 0)
		return plain_ops->list(os, path, fn, arg);
	n = scandir(fake_of(os)->claims, &entry, NULL, alphasort);
	assert_true(n >= 0);
	for (i = 0; i < n; i++) {
		if (ret == 0 && entry[i]->d_name[0] != '.')
			ret = fn(arg, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return ret;
}

static void keep_log(void *arg, const char *line)
{
	struct fake_boxes *f = arg;
	size_t used = strlen(f->log);

	snprintf(f->log + used, sizeof(f->log) - used, "%s\n", line);
}

/* One box at each CPU of @unit's list. */
static void attach(struct fake_boxes *f, struct nti_unit *unit, const char *name,
		   const char *function)
{
	const struct nthw_box_kind *kind = nthw_box_kind(name);
	unsigned int cpu;

	assert_non_null(kind);
	if (!f->has_uncore)
		unit->method = function ? NTI_METHOD_PCI : NTI_METHOD_MSR;
	free(unit->box);
	unit->box = calloc(FAKE_CPUS, sizeof(*unit->box));
	assert_non_null(unit->box);
	unit->boxes = 0;
	unit->kind = NTI_UNIT_UNCORE;
	unit->scope = kind->scope == NTHW_SCOPE_CPU ? NTI_SCOPE_CPU : NTI_SCOPE_PACKAGE;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
		struct nti_unit_box *box = &unit->box[unit->boxes];

		if (!nti_text_list_has(unit->cpus, cpu))
			continue;
		unit->boxes++;
		*box = (struct nti_unit_box){ .kind = kind,
					      .cpu = cpu,
					      .package = package_of(cpu) };
		if (function)
			snprintf(box->function, sizeof(box->function), "0000:%02x:10.%s",
				 fake_boxes_buses[box->package], function);
	}
}

static const struct attach_row {
	const char *unit, *kind, *function;
} attach_rows[] = {
	{ "uncore", "nhm_uncore", NULL },     { "uncore_imc_0", "snbep_imc", "0" },
	{ "uncore_imc_1", "snbep_imc", "1" }, { "uncore_imc_2", "snbep_imc", "4" },
	{ "uncore_imc_3", "snbep_imc", "5" }, { "uncore_cha_0", "skx_cha", NULL },
	{ "power", "power", NULL },	      { "thermal", "thermal", NULL },
};

/* What count/lib/machine/boxes.c finds out of real hardware is known here. */
static void attach_boxes(struct fake_boxes *f, struct ntime_ctx *ctx)
{
	size_t i, k;

	TT_IS(nti_units_load(ctx->os, &ctx->units, &ctx->error), 0);
	ctx->names = (struct nti_names){ .os = ctx->os, .units = &ctx->units };
	ctx->has_units = true;
	for (i = 0; i < ctx->units.count; i++) {
		for (k = 0; k < NTI_ARRAY_SIZE(attach_rows); k++) {
			if (strcmp(ctx->units.unit[i]->name, attach_rows[k].unit) == 0)
				attach(f, ctx->units.unit[i], attach_rows[k].kind,
				       attach_rows[k].function);
		}
	}
}

#define CPU_ROW(number)                                                                            \
	{                                                                                          \
		.is_online = true, .cpu = (number), .core = (number), .package = (number) / 2,     \
		.node = (number) / 2, .l3 = (number) / 2                                           \
	}

static struct nti_cpu cpus[FAKE_CPUS] = { CPU_ROW(0), CPU_ROW(1), CPU_ROW(2), CPU_ROW(3) };
static struct nti_topology topology = { .total = { .size = sizeof(struct ntime_topology),
						   .cpus = FAKE_CPUS,
						   .online_cpus = FAKE_CPUS,
						   .cores = FAKE_CPUS,
						   .packages = FAKE_PACKAGES,
						   .nodes = FAKE_PACKAGES },
					.cpu = cpus };

void fake_boxes_second(struct fake_boxes *f, struct ntime_ctx *ctx)
{
	*ctx = (struct ntime_ctx){ .os = &f->base.os,
				   .cpus = FAKE_CPUS,
				   .topology = &topology,
				   .log = keep_log,
				   .log_arg = f };
	attach_boxes(f, ctx);
}

void fake_boxes_init_bare(struct fake_boxes *f, bool has_uncore)
{
	unsigned int i;

	memset(f, 0, sizeof(*f));
	fake_os_init(&f->base, &machine);
	plain_ops = f->base.os.ops;
	ops = *plain_ops;
	ops.access = os_access;
	ops.list = os_list;
	ops.is_privileged = os_is_privileged;
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
	ops.directory = os_directory;
	f->base.os.ops = &ops;
	f->has_uncore = has_uncore;
	snprintf(f->claims, sizeof(f->claims), "/tmp/ntime-test-XXXXXX");
	assert_non_null(mkdtemp(f->claims));
	for (i = 0; i < FAKE_CPUS; i++) {
		TT_IS(ntm_x86_pmu_init(&f->silicon.pmu[i], &ntm_x86_intel), 0);
		ntm_x86_power_core_reset(&f->silicon.thermal[i], &ntm_x86_power_snbep);
	}
	for (i = 0; i < FAKE_PACKAGES; i++) {
		ntm_nhm_uncore_reset(&f->silicon.uncore[i]);
		ntm_x86_power_package_reset(&f->silicon.power[i], &ntm_x86_power_snbep);
	}
	for (i = 0; i < FAKE_PACKAGES * FAKE_CHANNELS; i++)
		ntm_snbep_imc_init(fake_boxes_channel(f, i), i % FAKE_CHANNELS);
	fake_boxes_second(f, &f->ctx);
}

void fake_boxes_fini_context(struct ntime_ctx *ctx)
{
	size_t i;

	for (i = 0; i < ctx->units.count; i++) {
		free(ctx->units.unit[i]->box);
		ctx->units.unit[i]->box = NULL;
		ctx->units.unit[i]->boxes = 0;
	}
	nti_units_fini(&ctx->units);
}

void fake_boxes_fini(struct fake_boxes *f)
{
	fake_boxes_fini_context(&f->ctx);
	TT_IS(fake_boxes_open_files(f), 0);
	TT_IS(f->maps, 0);
	TT_IS(fake_boxes_claims(f), 0);
	TT_IS(rmdir(f->claims), 0);
	if (f->end_bus)
		f->end_bus();
}

#define RUN 0x400000u /* of a select */
#define FIXED_RUN 0x3333u

bool fake_silicon_runs(const struct fake_silicon *now, const struct fake_silicon *was)
{
	uint64_t more = 0;

	for (int p = 0; p < FAKE_PACKAGES; p++) {
		more |= now->uncore[p].fixed_ctrl & ~was->uncore[p].fixed_ctrl & 1;
		for (int i = 0; i < NTM_NHM_COUNTERS; i++)
			more |= now->uncore[p].select[i] & ~was->uncore[p].select[i] & RUN;
		/* The four controls of a channel, and behind them that of the clocks. */
		for (int c = 0; c < FAKE_CHANNELS; c++)
			for (uint32_t at = 0xd8; at <= 0xf0; at += at == 0xe4 ? 12 : 4)
				more |= ntm_snbep_imc_read(&now->imc[p][c], at, 4) &
					~ntm_snbep_imc_read(&was->imc[p][c], at, 4) & RUN;
	}
	for (int cpu = 0; cpu < FAKE_CPUS; cpu++) {
		more |= now->pmu[cpu].fixed_ctrl & ~was->pmu[cpu].fixed_ctrl & FIXED_RUN;
		for (int i = 0; i < NTM_X86_GENERAL_MAX; i++)
			more |= now->pmu[cpu].select[i] & ~was->pmu[cpu].select[i] & RUN;
	}
	for (int i = 1; i <= 4; i++)
		more |= now->cha[i] & ~was->cha[i] & RUN;
	return more;
}

void fake_boxes_soil(struct fake_boxes *f)
{
	unsigned int i;

	for (i = 0; i < FAKE_PACKAGES; i++) {
		TT_IS(ntm_nhm_uncore_wrmsr(&f->silicon.uncore[i], 0x3c1, 0x1040467), 0);
		TT_IS(ntm_nhm_uncore_wrmsr(&f->silicon.uncore[i], 0x3b0, 0x123456789abc), 0);
		TT_IS(ntm_nhm_uncore_wrmsr(&f->silicon.uncore[i], 0x391, 0x1000000a0), 0);
		ntm_snbep_imc_write(&f->silicon.imc[i][0], 0xdc, 4, 0x1040404);
		ntm_snbep_imc_write(&f->silicon.imc[i][0], 0xa8, 4, 0x77777777);
	}
	TT_IS(ntm_x86_pmu_wrmsr(&f->silicon.pmu[0], 0x187, 0x300c0), 0);
	TT_IS(ntm_x86_pmu_wrmsr(&f->silicon.pmu[0], 0x38f, 0x70000000f), 0);
}

void fake_boxes_work(struct fake_boxes *f, unsigned int package, uint64_t clocks,
		     uint64_t throttled, uint64_t core)
{
	const struct ntm_nhm_work w = { .clocks = clocks,
					.memory_throttled = throttled,
					.core_throttled = { core } };

	ntm_nhm_uncore_advance(&f->silicon.uncore[package], &w);
}

void fake_boxes_move(struct fake_boxes *f, unsigned int package, unsigned int channel,
		     uint64_t reads, uint64_t writes)
{
	const uint64_t cas[NTM_SNBEP_IMC_CAS_KINDS] = {
		[NTM_SNBEP_IMC_READ] = reads, [NTM_SNBEP_IMC_WRITE_MAJOR] = writes
	};

	ntm_snbep_imc_advance(&f->silicon.imc[package][channel], 8 * (reads + writes), cas);
}

void fake_boxes_burn(struct fake_boxes *f, unsigned int package, uint64_t steps)
{
	struct ntm_x86_package_work w = { .energy = { [NTM_X86_ENERGY_PACKAGE] = steps } };

	ntm_x86_power_package_advance(&f->silicon.power[package], &w);
}

struct fake_silicon fake_silicon_without_flags(const struct fake_silicon *silicon)
{
	struct fake_silicon plain = *silicon;
	unsigned int i;

	for (i = 0; i < FAKE_PACKAGES; i++)
		plain.uncore[i].global_status = 0;
	for (i = 0; i < FAKE_CPUS; i++) {
		plain.pmu[i].global_status = 0;
		plain.pmu[i].pmi = false;
	}
	return plain;
}

bool fake_silicon_is(const struct fake_silicon *now, const struct fake_silicon *found)
{
	const struct fake_silicon plain = fake_silicon_without_flags(now);

	/* Padding counts, too: both were made of zeros. */
	/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c) */
	return memcmp(&plain, found, sizeof(plain)) == 0;
}

int fake_boxes_open(struct ntime_ctx *ctx, const char *at, uint32_t flags, uint32_t via,
		    const char *list, struct ntime_session **s)
{
	const struct ntime_target target = { .size = sizeof(target),
					     .kind = at ? NTIME_TARGET_CPUS : NTIME_TARGET_MACHINE,
					     .cpus = at,
					     .flags = flags,
					     .via = via };
	int ret = ntime_session_new(ctx, &target, s);

	if (ret == 0)
		ret = ntime_session_add_list(*s, list);
	return ret == 0 ? ntime_session_open(*s) : ret;
}

unsigned int fake_boxes_open_files(const struct fake_boxes *f)
{
	unsigned int n = 0;
	size_t i;

	for (i = 0; i < FAKE_FDS; i++)
		n += f->fd[i].is_open;
	return n;
}

unsigned int fake_boxes_claims(const struct fake_boxes *f)
{
	DIR *dir = opendir(f->claims);
	unsigned int n = 0;
	struct dirent *entry;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}
