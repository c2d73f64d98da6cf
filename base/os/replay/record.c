// SPDX-License-Identifier: MIT
/*
 * Recording a machine: everything the library looks at, through the same door the library uses,
 * as the text of one file.
 *
 * Nothing that names a person, a process or the machine itself is looked at: no host name, no
 * serial numbers (CPUID leaf 3 and the "Serial" line of /proc/cpuinfo are left out), no process
 * list.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/regs/regs.h"
#include "base/common/compiler.h"
#include "base/common/library.h"
#include "base/common/text.h"
#include "base/os/replay/machine.h"

#define DEVICES "/sys/bus/event_source/devices"
#define CPUS "/sys/devices/system/cpu/"
#define FUNCTIONS "/sys/bus/pci/devices"
#define DISPLAY "0x03" /* class of graphics cards */
#define MAX_SUBLEAVES 64
/* CPUID.01H:ECX, Intel SDM vol. 2A; reserved there, used by all hypervisors */
#define HYPERVISOR_BIT (1u << 31)

struct recorder {
	struct nti_os *os;
	struct nti_error *e;
	json_t *files, *links, *errors, *cpuid, *msr;
};

/* Files of their own. */
static const char *const single_files[] = {
	CPUS "online",
	CPUS "possible",
	CPUS "present",
	CPUS "smt/active",
	CPUS "smt/control",
	"/proc/sys/kernel/nmi_watchdog",
	"/proc/sys/kernel/perf_event_max_sample_rate",
	"/proc/sys/kernel/perf_event_mlock_kb",
	"/proc/sys/kernel/perf_event_paranoid",
	"/proc/sys/kernel/perf_user_access",
};

/* Directories of a PMU's sysfs entry whose files describe it, and files beside them. */
static const char *const pmu_directories[] = { "caps", "events", "format" };
static const char *const pmu_files[] = {
	"associated_cpus",
	"cpumask",
	"cpus",
	"freeze_on_smi",
	"identifier",
	"max_nonturbo_ratio",
	"nr_addr_filters",
	"perf_event_mux_interval_ms",
	"rdpmc",
	"tsc_art_ratio",
	"type",
};

/*
 * Tracepoints: the numbers of the systems people ask for most; all of them would be thousands of
 * files.
 */
static const char *const trace_roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
static const char *const trace_systems[] = { "exceptions", "irq", "raw_syscalls", "sched" };

/* Leaves whose answer depends on ECX (Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E). */
static const uint32_t subleaf_leaves[] = {
	0x4,  0x7,  0xb,  0xd,	0xf,  0x10, 0x12,	0x14,	    0x17,
	0x18, 0x1b, 0x1d, 0x1f, 0x23, 0x24, 0x8000001d, 0x80000020, 0x80000026,
};

static int short_of_memory(struct recorder *r)
{
	return nti_error(r->e, -ENOMEM, "memory is short while recording the machine");
}

/* Keys are escaped, so that the loader's ranges leave them alone. */
static int put(struct recorder *r, json_t *object, const char *path, const char *text)
{
	char *key = nti_expand_escape(path);
	json_t *value = json_string(text);
	int ret = 0;

	if (!key || !value || json_object_set(object, key, value) < 0)
		ret = short_of_memory(r);
	json_decref(value);
	free(key);
	return ret;
}

/*
 * What looking at @path gave: its text, the error worth keeping, or nothing when it is not there.
 */
static int keep_text(struct recorder *r, const char *path, const char *text, int ret)
{
	if (ret >= 0) {
		json_t *probe;

		errno = 0;
		probe = json_string(text);
		/* Not UTF-8: no file that describes a PMU is, so there is nothing to keep. */
		if (!probe)
			return errno == ENOMEM ? short_of_memory(r) : 0;
		json_decref(probe);
		return put(r, r->files, path, text);
	}
	if (ret == -EACCES || ret == -EPERM)
		return put(r, r->errors, path, nti_errno_name(ret));
	return 0;
}

static int record_file(struct recorder *r, const char *path)
{
	char *text = malloc(NTI_OS_TEXT_BYTES + 1);
	int ret;

	if (!text)
		return short_of_memory(r);
	ret = r->os->ops->text(r->os, path, text, NTI_OS_TEXT_BYTES + 1);
	ret = keep_text(r, path, text, ret);
	free(text);
	return ret;
}

static int record_below(struct recorder *r, const char *directory, const char *name)
{
	char path[NTI_MACHINE_PATH_BYTES];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", directory, name) >= sizeof(path))
		return 0;
	return record_file(r, path);
}

struct directory {
	struct recorder *r;
	const char *path;
};

static int record_entry(void *arg, const char *name)
{
	struct directory *d = arg;

	return record_below(d->r, d->path, name);
}

/* Where a link in @directory points, without "..". False when it does not fit. */
static bool follow(const char *directory, const char *target, char *out, size_t size)
{
	size_t used, length;

	if (*target == '/' || strlen(directory) >= size)
		return (size_t)snprintf(out, size, "%s", target) < size;
	memcpy(out, directory, strlen(directory) + 1);
	for (; *target; target += length + strspn(target + length, "/")) {
		length = strcspn(target, "/");
		if (length == 2 && strncmp(target, "..", 2) == 0) {
			char *slash = strrchr(out, '/');

			if (slash)
				*slash = '\0';
			continue;
		}
		used = strlen(out);
		if (used + length + 2 > size)
			return false;
		(void)snprintf(out + used, size - used, "/%.*s", (int)length, target);
	}
	return true;
}

static int record_pmu(void *arg, const char *name)
{
	struct recorder *r = arg;
	char path[NTI_MACHINE_PATH_BYTES], target[NTI_MACHINE_PATH_BYTES],
		real[NTI_MACHINE_PATH_BYTES];
	char directory[NTI_MACHINE_PATH_BYTES];
	struct directory d = { .r = r, .path = directory };
	size_t i;
	int ret = 0;

	if ((size_t)snprintf(path, sizeof(path), DEVICES "/%s", name) >= sizeof(path))
		return 0;
	memcpy(real, path, strlen(path) + 1);
	if (r->os->ops->link(r->os, path, target, sizeof(target)) > 0 &&
	    follow(DEVICES, target, real, sizeof(real)))
		ret = put(r, r->links, path, target);
	for (i = 0; !ret && i < NTI_ARRAY_SIZE(pmu_files); i++)
		ret = record_below(r, real, pmu_files[i]);
	for (i = 0; !ret && i < NTI_ARRAY_SIZE(pmu_directories); i++) {
		if ((size_t)snprintf(directory, sizeof(directory), "%s/%s", real,
				     pmu_directories[i]) >= sizeof(directory))
			continue;
		if (r->os->ops->list(r->os, directory, record_entry, &d) == -ENOMEM)
			ret = short_of_memory(r);
	}
	return ret;
}

static int record_pmus(struct recorder *r)
{
	int ret = r->os->ops->list(r->os, DEVICES, record_pmu, r);

	if (ret == -EACCES || ret == -EPERM)
		return put(r, r->errors, DEVICES, nti_errno_name(ret));
	/*
	 * No such directory: a kernel without perf, which the recording then says by its absence.
	 */
	return ret == -ENOMEM ? ret : 0;
}

static int record_link(struct recorder *r, const char *path)
{
	char target[NTI_MACHINE_PATH_BYTES];

	return r->os->ops->link(r->os, path, target, sizeof(target)) > 0
		       ? put(r, r->links, path, target)
		       : 0;
}

/* Graphics cards, and who drives them. */
static int record_card(void *arg, const char *address)
{
	static const char *const files[] = { "class", "device", "resource", "vendor" };
	struct recorder *r = arg;
	char folder[NTI_MACHINE_PATH_BYTES], class[16];
	size_t i;
	int ret = 0;

	if ((size_t)snprintf(folder, sizeof(folder) - 16, FUNCTIONS "/%s", address) >=
		    sizeof(folder) - 16 ||
	    nti_os_line(r->os, class, sizeof(class), "%s/class", folder) < 0 ||
	    strncmp(class, DISPLAY, strlen(DISPLAY)) != 0)
		return 0;
	for (i = 0; !ret && i < NTI_ARRAY_SIZE(files); i++)
		ret = record_below(r, folder, files[i]);
	(void)strcat(folder, "/driver");
	return ret ? ret : record_link(r, folder);
}

static int record_cards(struct recorder *r)
{
	int ret = r->os->ops->list(r->os, FUNCTIONS, record_card, r);

	return ret == -ENOMEM ? ret : 0;
}

/* The part of /proc/cpuinfo about the first processor, without a serial number. */
static void cut_cpuinfo(char *text)
{
	char *end = strstr(text, "\n\n"), *line, *next;

	if (end)
		end[2] = '\0';
	for (line = text; *line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		if (strncmp(line, "Serial", 6) == 0) {
			memmove(line, next, strlen(next) + 1);
			next = line;
		}
	}
}

static int record_cpuinfo(struct recorder *r)
{
	static const char path[] = "/proc/cpuinfo";
	/*
	 * Large machines have megabytes here; the os refuses more than NTI_OS_TEXT_BYTES, and then
	 * there is none.
	 */
	char *text = malloc(NTI_OS_TEXT_BYTES + 1);
	int ret;

	if (!text)
		return short_of_memory(r);
	ret = r->os->ops->text(r->os, path, text, NTI_OS_TEXT_BYTES + 1);
	if (ret >= 0)
		cut_cpuinfo(text);
	ret = keep_text(r, path, text, ret);
	free(text);
	return ret;
}

static int record_tracepoint(void *arg, const char *name)
{
	struct directory *d = arg;
	char path[NTI_MACHINE_PATH_BYTES];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/id", d->path, name) >= sizeof(path))
		return 0;
	return record_file(d->r, path);
}

static int record_trace_root(struct recorder *r, const char *root)
{
	char path[NTI_MACHINE_PATH_BYTES];
	struct directory d = { .r = r, .path = path };
	size_t i;
	int ret;

	ret = r->os->ops->access(r->os, root, R_OK);
	if (ret == -EACCES || ret == -EPERM)
		return put(r, r->errors, root, nti_errno_name(ret));
	for (i = 0; i < NTI_ARRAY_SIZE(trace_systems); i++) {
		(void)snprintf(path, sizeof(path), "%s/events/%s", root, trace_systems[i]);
		ret = r->os->ops->list(r->os, path, record_tracepoint, &d);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

static int record_midr(void *arg, unsigned int cpu)
{
	char path[128];

	(void)snprintf(path, sizeof(path), CPUS "cpu%u/regs/identification/midr_el1", cpu);
	return record_file(arg, path);
}

static int record_tree(struct recorder *r)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < NTI_ARRAY_SIZE(single_files); i++)
		ret = record_file(r, single_files[i]);
	if (!ret)
		ret = record_pmus(r);
	if (!ret)
		ret = record_cards(r);
	if (!ret)
		ret = record_cpuinfo(r);
	for (i = 0; !ret && i < NTI_ARRAY_SIZE(trace_roots); i++)
		ret = record_trace_root(r, trace_roots[i]);
	return ret;
}

static int put_cpuid(struct recorder *r, uint32_t leaf, uint32_t subleaf, bool has_subleaf,
		     const uint32_t v[4])
{
	static const char *const names[] = { "eax", "ebx", "ecx", "edx" };
	json_t *entry = json_object();
	char text[16];
	size_t i;
	int ret;

	(void)snprintf(text, sizeof(text), "0x%x", leaf);
	ret = json_object_set_new(entry, "leaf", json_string(text));
	if (has_subleaf)
		ret |= json_object_set_new(entry, "subleaf", json_integer(subleaf));
	for (i = 0; i < NTI_ARRAY_SIZE(names); i++) {
		(void)snprintf(text, sizeof(text), "0x%x", v[i]);
		ret |= json_object_set_new(entry, names[i], json_string(text));
	}
	ret |= json_array_append_new(r->cpuid, entry);
	return ret ? short_of_memory(r) : 0;
}

static bool has_subleaves(uint32_t leaf)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(subleaf_leaves); i++)
		if (subleaf_leaves[i] == leaf)
			return true;
	return false;
}

/* All subleaves up to the last one that says something: leaves such as 0xd have holes. */
static int record_leaf(struct recorder *r, uint32_t leaf)
{
	uint32_t v[4], subleaf, count = has_subleaves(leaf) ? MAX_SUBLEAVES : 1;
	int ret;

	/*
	 * Leaf 3 is a serial number. Leaf 0xb answers every level beyond its last with that level's
	 * number in ECX.
	 */
	if (leaf == 3)
		return 0;
	for (subleaf = 0; subleaf < count; subleaf++) {
		if (r->os->ops->cpuid(r->os, leaf, subleaf, v) < 0)
			return 0;
		if ((leaf == 0xb || leaf == 0x1f || leaf == 0x80000026) && !(v[0] | v[1]))
			break;
		if (!(v[0] | v[1] | v[2] | v[3]))
			continue;
		ret = put_cpuid(r, leaf, subleaf, count > 1, v);
		if (ret)
			return ret;
	}
	return 0;
}

static int record_leaves(struct recorder *r, uint32_t base)
{
	uint32_t v[4], leaf, last;
	int ret = 0;

	if (r->os->ops->cpuid(r->os, base, 0, v) < 0)
		return 0;
	last = v[0];
	/* Real ranges have some dozens of leaves; anything else is no answer to the question. */
	if (last < base || last - base > 0xff)
		last = base;
	for (leaf = base; !ret && leaf <= last; leaf++)
		ret = record_leaf(r, leaf);
	return ret;
}

static int record_cpuid(struct recorder *r)
{
	uint32_t v[4];
	int ret;

	if (r->os->ops->cpuid(r->os, 1, 0, v) < 0)
		return 0;
	ret = record_leaves(r, 0);
	if (!ret && v[2] & HYPERVISOR_BIT)
		ret = record_leaves(r, 0x40000000);
	return ret ? ret : record_leaves(r, 0x80000000);
}

static int put_register(struct recorder *r, json_t *set, uint32_t address, uint64_t value)
{
	char key[16], text[24];

	(void)snprintf(key, sizeof(key), "0x%x", address);
	(void)snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	return json_object_set_new(set, key, json_string(text)) < 0 ? short_of_memory(r) : 0;
}

static int record_row(struct recorder *r, int fd, const struct nthw_reg *reg, json_t *set)
{
	uint64_t value;
	uint32_t i;
	int ret = 0;

	if (reg->space != NTHW_SPACE_MSR || !nthw_reg_is_readable(reg))
		return 0;
	for (i = 0; !ret && i < reg->count; i++) {
		uint32_t address = reg->addr + i * reg->step;

		/* A register this processor lacks answers -EIO and is left out. */
		if (r->os->ops->pread(r->os, fd, &value, sizeof(value), address) ==
		    (ssize_t)sizeof(value))
			ret = put_register(r, set, address, value);
	}
	return ret;
}

static int record_cpu(void *arg, unsigned int cpu)
{
	struct recorder *r = arg;
	char path[64], key[16];
	json_t *set;
	size_t i;
	int fd, ret = 0;

	if (nti_is_interrupted(r->os->interrupt))
		return nti_error(r->e, -EINTR, "interrupted while registers were recorded");
	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = r->os->ops->open(r->os, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	set = json_object();
	for (i = 0; !ret && i < nthw_x86.count; i++)
		ret = record_row(r, fd, nthw_x86.regs[i], set);
	r->os->ops->close(r->os, fd);
	(void)snprintf(key, sizeof(key), "%u", cpu);
	if (!ret && json_object_set_new(r->msr, key, json_incref(set)) < 0)
		ret = short_of_memory(r);
	json_decref(set);
	return ret;
}

/* For each CPU on line, one after the other. */
static int record_cpus(struct recorder *r)
{
	char list[8192];
	int ret = r->os->ops->text(r->os, CPUS "online", list, sizeof(list));

	if (ret < 0)
		return 0;
	ret = nti_text_for_each_in_list(nti_text_trim(list), NTI_CPU_LIMIT, record_midr, r);
	if (!ret)
		ret = nti_text_for_each_in_list(nti_text_trim(list), NTI_CPU_LIMIT, record_cpu, r);
	return ret == -ENOMEM || ret == -EINTR ? ret : 0;
}

/* A recording keeps the answer of a sandbox that forbids the system call altogether. */
static const char *denied_perf(struct nti_os *os)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = os->ops->perf_open(os, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		os->ops->close(os, fd);
	return fd == -EPERM || fd == -ENOSYS ? nti_errno_name(fd) : NULL;
}

static json_t *privileged(struct nti_os *os)
{
	if (os->ops->is_privileged(os, false))
		return json_true();
	return os->ops->is_privileged(os, true) ? json_string("perfmon") : json_false();
}

/* Set @key to @value, which is taken over; nothing when the value is an empty container. */
static int set_part(json_t *root, const char *key, json_t *value)
{
	if ((json_is_object(value) || json_is_array(value)) && !json_object_size(value) &&
	    !json_array_size(value)) {
		json_decref(value);
		return 0;
	}
	return json_object_set_new(root, key, value);
}

static json_t *build_root(struct recorder *r, const char *topology_xml)
{
	json_t *root = json_object();
	const char *denied = denied_perf(r->os);
	int ret;

	ret = set_part(root, "format", json_string(NTI_MACHINE_FORMAT));
	ret |= set_part(root, "version", json_integer(NTI_MACHINE_VERSION));
	ret |= set_part(root, "source", json_string("recorded"));
	ret |= set_part(root, "arch", json_string(r->os->ops->arch(r->os)));
	ret |= set_part(root, "privileged", privileged(r->os));
	if (denied)
		ret |= set_part(root, "denied_perf", json_string(denied));
	if (topology_xml)
		ret |= set_part(root, "topology", json_pack("{s:s}", "xml", topology_xml));
	ret |= set_part(root, "files", json_incref(r->files));
	ret |= set_part(root, "links", json_incref(r->links));
	ret |= set_part(root, "errors", json_incref(r->errors));
	ret |= set_part(root, "cpuid", json_incref(r->cpuid));
	if (json_object_size(r->msr))
		ret |= set_part(root, "registers", json_pack("{s:O}", "msr", r->msr));
	if (!ret)
		return root;
	json_decref(root);
	return NULL;
}

struct dump {
	char *text;
	size_t bytes, room;
	bool is_short; /* of memory: jansson 2.14 goes on behind a key that could not be put */
};

static int put_text(const char *text, size_t n, void *arg)
{
	struct dump *d = arg;
	size_t room = d->room;
	char *more = d->text;

	if (!n)
		return 0;
	if (d->room - d->bytes < n) {
		room = 2 * d->room + n;
		more = d->is_short ? NULL : realloc(d->text, room);
	}
	if (!more) {
		d->is_short = true;
		return -1;
	}
	d->text = more;
	d->room = room;
	memcpy(d->text + d->bytes, text, n);
	d->bytes += n;
	return 0;
}

static int record_all(struct recorder *r, const char *topology_xml,
		      int (*write)(void *arg, const void *bytes, size_t n), void *arg)
{
	struct dump dump = { 0 };
	json_t *root;
	int ret = record_tree(r);

	if (!ret)
		ret = record_cpus(r);
	if (!ret)
		ret = record_cpuid(r);
	if (!ret)
		ret = nti_os_take_shortage(r->os, r->e);
	if (ret)
		return ret;
	root = build_root(r, topology_xml);
	if (!root || json_dump_callback(root, put_text, &dump, JSON_INDENT(1) | JSON_SORT_KEYS))
		dump.is_short = true;
	json_decref(root);
	ret = dump.is_short ? short_of_memory(r) : write(arg, dump.text, dump.bytes);
	free(dump.text);
	return ret;
}

int nti_machine_record(struct nti_os *os, const char *topology_xml,
		       int (*write)(void *arg, const void *bytes, size_t n), void *arg,
		       struct nti_error *e)
{
	struct recorder r = { .os = os, .e = e };
	int ret = nti_library_need(&nti_lazy_jansson, "a recording", e);

	if (ret < 0)
		return ret;
	r.files = json_object();
	r.links = json_object();
	r.errors = json_object();
	r.cpuid = json_array();
	r.msr = json_object();
	if (r.files && r.links && r.errors && r.cpuid && r.msr)
		ret = record_all(&r, topology_xml, write, arg);
	else
		ret = short_of_memory(&r);
	json_decref(r.files);
	json_decref(r.links);
	json_decref(r.errors);
	json_decref(r.cpuid);
	json_decref(r.msr);
	return ret;
}
