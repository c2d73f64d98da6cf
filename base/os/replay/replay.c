// SPDX-License-Identifier: MIT
/* A recorded machine as an operating system: the entry points of base/os/os.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/common/compiler.h"
#include "base/common/grow.h"
#include "base/os/replay/machine.h"
#include "base/os/replay/replay_inner.h"

#define EVENT_FD 0x50000000  /* of perf events, which all have the same: they never count */
#define DEVICE_FD 0x60000000 /* the first one of msr devices */
#define MAX_DEVICES 65536
#define CPUID_1_EDX_TSC (1u << 4)

static struct nti_replay *replay_of(struct nti_os *os)
{
	return (struct nti_replay *)os; /* os is its first member */
}

/* Count the call; the injected error when it is this one's turn. */
int nti_replay_fault(struct nti_replay *r, enum nti_call call)
{
	uint64_t nth = ++r->calls[call];
	size_t i;

	for (i = 0; i < r->m->fault_count; i++)
		if (r->m->faults[i].call == call && r->m->faults[i].nth == nth)
			return r->m->faults[i].error;
	return 0;
}

static uint64_t replay_now_ns(struct nti_os *os)
{
	struct timespec t;

	(void)os;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int replay_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	struct nti_replay *r = replay_of(os);
	int ret = nti_replay_fault(r, NTI_CALL_TEXT);

	return ret ? ret : nti_machine_text(r->m, path, buf, size);
}

static int replay_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		       void *arg)
{
	struct nti_replay *r = replay_of(os);
	int ret = nti_replay_fault(r, NTI_CALL_LIST);

	return ret ? ret : nti_machine_list(r->m, path, fn, arg);
}

static int replay_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	struct nti_replay *r = replay_of(os);
	char real[NTI_MACHINE_PATH_BYTES];
	const struct nti_machine_node *node;
	int ret = nti_replay_fault(r, NTI_CALL_LINK);
	size_t length;

	if (!ret)
		ret = nti_machine_resolve(r->m, path, false, real, &node);
	if (ret)
		return ret;
	if (!node || node->kind != NTI_MACHINE_NODE_LINK)
		return -EINVAL;
	length = strlen(node->text);
	if (length + 1 > size)
		return -E2BIG;
	memcpy(buf, node->text, length + 1);
	return (int)length;
}

/* Nothing comes or goes in a recording. */
static int replay_identity(struct nti_os *os, const char *path, uint64_t *out)
{
	(void)os, (void)path, (void)out;
	return -EOPNOTSUPP;
}

/* Recorded files are readable and, for root, writable as far as access(2) is concerned. */
static int replay_access(struct nti_os *os, const char *path, int mode)
{
	struct nti_replay *r = replay_of(os);
	char real[NTI_MACHINE_PATH_BYTES];
	const struct nti_machine_node *node;
	int ret = nti_replay_fault(r, NTI_CALL_ACCESS);

	if (!ret)
		ret = nti_machine_resolve(r->m, path, true, real, &node);
	if (ret || mode == F_OK)
		return ret;
	if (node && node->kind == NTI_MACHINE_NODE_ERROR)
		return node->error;
	if ((mode & W_OK || (node && node->kind == NTI_MACHINE_NODE_MSR)) && !r->m->is_root)
		return -EACCES;
	return 0;
}

static int replay_cpuid(struct nti_os *os, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
	const struct nti_replay *r = replay_of(os);
	size_t i;

	memset(out, 0, 4 * sizeof(*out));
	if (strcmp(r->m->arch, "x86_64") != 0 && strcmp(r->m->arch, "i686") != 0)
		return -ENOTSUP;
	for (i = 0; i < r->m->cpuid_count; i++) {
		if (r->m->cpuid[i].leaf != leaf || r->m->cpuid[i].subleaf != subleaf)
			continue;
		memcpy(out, r->m->cpuid[i].r, sizeof(r->m->cpuid[i].r));
		break;
	}
	return 0;
}

static const char *replay_arch(struct nti_os *os)
{
	return replay_of(os)->m->arch;
}

static bool replay_is_privileged(struct nti_os *os, bool perf)
{
	const struct nti_machine *m = replay_of(os)->m;

	return perf ? m->is_perfmon : m->is_root;
}

/* It has one, and it stands still. */
static int replay_tsc(struct nti_os *os, uint64_t *ticks)
{
	uint32_t leaf[4];

	*ticks = 0;
	if (replay_cpuid(os, 1, 0, leaf) == 0 && leaf[3] & CPUID_1_EDX_TSC)
		return 0;
	return strcmp(replay_of(os)->m->arch, "aarch64") == 0 ? 0 : -ENOTSUP;
}

static int replay_perf_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid,
			    int cpu NTI_UNUSED, int group NTI_UNUSED,
			    unsigned long flags NTI_UNUSED)
{
	struct nti_replay *r = replay_of(os);
	int ret = nti_replay_fault(r, NTI_CALL_PERF_OPEN);

	if (ret || r->m->denied_perf)
		return ret ? ret : r->m->denied_perf;
	ret = nti_os_perf_refusal(os, attr, pid);
	return ret ? ret : EVENT_FD;
}

static int device_new(struct nti_replay *r, uint32_t cpu, int flags)
{
	size_t i;

	for (i = 0; i < r->device_count && r->devices[i].is_open; i++)
		;
	if (i == MAX_DEVICES)
		return -EMFILE;
	if (i == r->device_count) {
		if (!nti_grow(&r->devices, i))
			return -ENOMEM;
		r->device_count++;
	}
	r->devices[i] = (struct nti_replay_device){ .is_open = true, .flags = flags, .cpu = cpu };
	return DEVICE_FD + (int)i;
}

static struct nti_replay_device *device_get(struct nti_replay *r, int fd)
{
	if (fd < DEVICE_FD || (size_t)(fd - DEVICE_FD) >= r->device_count ||
	    !r->devices[fd - DEVICE_FD].is_open)
		return NULL;
	return &r->devices[fd - DEVICE_FD];
}

/* Only msr devices can be opened; text files are read with text(). */
static int replay_open(struct nti_os *os, const char *path, int flags)
{
	struct nti_replay *r = replay_of(os);
	char real[NTI_MACHINE_PATH_BYTES];
	const struct nti_machine_node *node;
	int ret = nti_replay_fault(r, NTI_CALL_OPEN);

	if (!ret)
		ret = nti_machine_resolve(r->m, path, true, real, &node);
	if (ret)
		return ret;
	if (!node)
		return -EISDIR;
	if (node->kind == NTI_MACHINE_NODE_ERROR)
		return node->error;
	if (node->kind != NTI_MACHINE_NODE_MSR)
		return -EOPNOTSUPP;
	return r->m->is_root ? device_new(r, node->number, flags) : -EACCES;
}

static ssize_t replay_read(struct nti_os *os NTI_UNUSED, int fd NTI_UNUSED, void *buf NTI_UNUSED,
			   size_t size NTI_UNUSED)
{
	return -EOPNOTSUPP;
}

static struct nti_replay_written *find_written(const struct nti_replay *r, uint32_t cpu,
					       uint32_t address)
{
	size_t i;

	for (i = 0; i < r->written_count; i++)
		if (r->written[i].cpu == cpu && r->written[i].address == address)
			return &r->written[i];
	return NULL;
}

/*
 * As arch/x86/kernel/msr.c: whole registers of 8 bytes, the file offset is the address, -EIO where
 * RDMSR faults.
 */
static int check_msr(const struct nti_replay *r, const struct nti_replay_device *d, size_t size,
		     uint64_t offset)
{
	if (!d)
		return -EBADF;
	if (!size || size % 8)
		return -EINVAL;
	if (offset > UINT32_MAX || !nti_machine_register_find(r->m, d->cpu, (uint32_t)offset))
		return -EIO;
	return 0;
}

static ssize_t replay_pread(struct nti_os *os, int fd, void *buf, size_t size, uint64_t offset)
{
	struct nti_replay *r = replay_of(os);
	const struct nti_replay_device *d = device_get(r, fd);
	const struct nti_replay_written *w;
	uint64_t value;
	size_t i;
	int ret = nti_replay_fault(r, NTI_CALL_PREAD);

	if (!ret)
		ret = check_msr(r, d, size, offset);
	if (ret)
		return ret;
	if ((d->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	w = find_written(r, d->cpu, (uint32_t)offset);
	value = w ? w->value : nti_machine_register_find(r->m, d->cpu, (uint32_t)offset)->value;
	for (i = 0; i < size; i += sizeof(value))
		memcpy((char *)buf + i, &value, sizeof(value));
	return (ssize_t)size;
}

static ssize_t replay_pwrite(struct nti_os *os, int fd, const void *buf, size_t size,
			     uint64_t offset)
{
	struct nti_replay *r = replay_of(os);
	const struct nti_replay_device *d = device_get(r, fd);
	struct nti_replay_written *w;
	int ret = nti_replay_fault(r, NTI_CALL_PWRITE);

	if (!ret)
		ret = check_msr(r, d, size, offset);
	if (ret)
		return ret;
	if ((d->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	w = find_written(r, d->cpu, (uint32_t)offset);
	if (!w) {
		if (!nti_grow(&r->written, r->written_count))
			return -ENOMEM;
		w = &r->written[r->written_count++];
		w->cpu = d->cpu;
		w->address = (uint32_t)offset;
	}
	/*
	 * Several values in one write go to the same register one after the other: the last one
	 * stays.
	 */
	memcpy(&w->value, (const char *)buf + size - sizeof(w->value), sizeof(w->value));
	return (ssize_t)size;
}

static int replay_ioctl(struct nti_os *os NTI_UNUSED, int fd NTI_UNUSED,
			unsigned long request NTI_UNUSED, unsigned long arg NTI_UNUSED)
{
	return -EOPNOTSUPP;
}

/*
 * The page of a perf event is not simulated: an index in it would make the reader execute RDPMC on
 * the real processor.
 */
static int replay_map(struct nti_os *os NTI_UNUSED, int fd NTI_UNUSED, size_t bytes NTI_UNUSED,
		      void **out)
{
	*out = NULL;
	return -ENODEV;
}

static void replay_unmap(struct nti_os *os NTI_UNUSED, void *address NTI_UNUSED,
			 size_t bytes NTI_UNUSED)
{
}

static void replay_close(struct nti_os *os, int fd)
{
	struct nti_replay *r = replay_of(os);
	struct nti_replay_device *d = device_get(r, fd);

	if (d)
		d->is_open = false;
}

/* Nobody keeps files below a recording: there are none, and none are made. */
static int replay_directory(struct nti_os *os, const char *path, bool make)
{
	(void)os, (void)path;
	return make ? -EOPNOTSUPP : -ENOENT;
}

void nti_replay_fini(struct nti_replay *r)
{
	nti_machine_free(r->m);
	free(r->devices);
	free(r->written);
}

static void replay_free(struct nti_os *os)
{
	if (os)
		nti_replay_fini(replay_of(os));
	free(os);
}

const struct nti_os_ops nti_replay_ops = {
	.name = "replay",
	.text = replay_text,
	.list = replay_list,
	.link = replay_link,
	.identity = replay_identity,
	.access = replay_access,
	.cpuid = replay_cpuid,
	.arch = replay_arch,
	.is_privileged = replay_is_privileged,
	.tsc = replay_tsc,
	.now_ns = replay_now_ns,
	.perf_open = replay_perf_open,
	.open = replay_open,
	.read = replay_read,
	.pread = replay_pread,
	.pwrite = replay_pwrite,
	.ioctl = replay_ioctl,
	.map = replay_map,
	.unmap = replay_unmap,
	.close = replay_close,
	.directory = replay_directory,
	.free = replay_free,
};

int nti_replay_new(struct nti_machine *m, struct nti_os **out)
{
	struct nti_replay *r = calloc(1, sizeof(*r));

	*out = NULL;
	if (!r)
		return -ENOMEM;
	*r = (struct nti_replay){ .os = { .ops = &nti_replay_ops,
					  .is_elsewhere = true,
					  .is_simulated = true,
					  .is_timeless = true,
					  .is_still = true },
				  .m = m };
	*out = &r->os;
	return 0;
}

NTI_WEAK int nti_os_replay_new(struct nti_machine *m, struct nti_os **out)
{
	return nti_replay_new(m, out);
}

int nti_machine_topology(struct nti_os *os, const char **xml, const char **synthetic)
{
	const struct nti_machine *m;

	*xml = NULL;
	*synthetic = NULL;
	if (!os->is_simulated)
		return -ENOTSUP;
	m = replay_of(os)->m;
	*xml = m->topology_xml;
	*synthetic = m->topology_synthetic;
	return *xml || *synthetic ? 0 : -ENOENT;
}
