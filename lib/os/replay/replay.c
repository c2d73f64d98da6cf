// SPDX-License-Identifier: MIT
/* A recorded machine as an operating system: the entry points of lib/os/os.h. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/compiler.h"
#include "lib/os/replay/machine.h"
#include "lib/os/replay/sim.h"

#define DEVICE_FD 0x60000000 /* descriptors of msr devices; events have NTI_SIM_FD */
#define MAX_DEVICES 65536
#define TSC_UNIT_NS UINT64_C(1000000000)

/* An open /dev/cpu/N/msr. */
struct device {
	bool is_open;
	int flags;
	uint32_t cpu;
};

/* Registers that were written: the recording itself never changes. */
struct written {
	uint32_t cpu, address;
	uint64_t value;
};

struct replay {
	struct nti_os os;
	struct nti_machine *m;
	pthread_mutex_t
		lock; /* what readers come to from any thread: simulation, clock, count of calls */
	struct nti_sim *sim;
	uint64_t start_ns; /* real clock when the replay began */
	uint64_t steps_ns; /* simulated clock */
	uint64_t calls[NTI_CALLS];
	struct device *devices;
	size_t device_count;
	struct written *written;
	size_t written_count;
};

static struct replay *replay_of(struct nti_os *os)
{
	return (struct replay *)os; /* os is its first member */
}

/* Count the call; the injected error when it is this one's turn. */
static int fault(struct replay *r, enum nti_call call)
{
	uint64_t nth = ++r->calls[call];
	size_t i;

	for (i = 0; i < r->m->fault_count; i++)
		if (r->m->faults[i].call == call && r->m->faults[i].nth == nth)
			return r->m->faults[i].error;
	return 0;
}

static uint64_t real_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Time since the replay began, for the simulation; looking does not move the clock. */
static uint64_t elapsed_ns(const struct replay *r)
{
	return r->m->counting.step_ns ? r->steps_ns : real_ns() - r->start_ns;
}

static uint64_t replay_now_ns(struct nti_os *os)
{
	struct replay *r = replay_of(os);
	uint64_t now_ns;

	if (!r->m->counting.step_ns)
		return real_ns();
	(void)pthread_mutex_lock(&r->lock);
	r->steps_ns += r->m->counting.step_ns;
	now_ns = r->steps_ns;
	(void)pthread_mutex_unlock(&r->lock);
	return now_ns;
}

static int replay_text(struct nti_os *os, const char *path, char *buf, size_t size)
{
	struct replay *r = replay_of(os);
	int ret = fault(r, NTI_CALL_TEXT);

	return ret ? ret : nti_machine_text(r->m, path, buf, size);
}

static int replay_list(struct nti_os *os, const char *path, int (*fn)(void *arg, const char *name),
		       void *arg)
{
	struct replay *r = replay_of(os);
	int ret = fault(r, NTI_CALL_LIST);

	return ret ? ret : nti_machine_list(r->m, path, fn, arg);
}

static int replay_link(struct nti_os *os, const char *path, char *buf, size_t size)
{
	struct replay *r = replay_of(os);
	char real[NTI_MACHINE_PATH_BYTES];
	const struct nti_machine_node *node;
	int ret = fault(r, NTI_CALL_LINK);
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

/* Recorded files are readable and, for root, writable as far as access(2) is concerned. */
static int replay_access(struct nti_os *os, const char *path, int mode)
{
	struct replay *r = replay_of(os);
	char real[NTI_MACHINE_PATH_BYTES];
	const struct nti_machine_node *node;
	int ret = fault(r, NTI_CALL_ACCESS);

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
	const struct replay *r = replay_of(os);
	size_t i;

	memset(out, 0, 4 * sizeof(*out));
	if (!r->sim->is_x86)
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

static int replay_tsc(struct nti_os *os, uint64_t *ticks)
{
	struct replay *r = replay_of(os);
	uint64_t hz = r->m->counting.tsc_hz;

	*ticks = 0;
	if (!hz)
		return -ENOTSUP;
	(void)pthread_mutex_lock(&r->lock);
	*ticks = nti_wide_div(nti_wide_mul(elapsed_ns(r), hz), TSC_UNIT_NS).low;
	(void)pthread_mutex_unlock(&r->lock);
	return 0;
}

static int replay_perf_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			    int group, unsigned long flags)
{
	struct replay *r = replay_of(os);
	int ret;

	(void)pthread_mutex_lock(&r->lock);
	ret = fault(r, NTI_CALL_PERF_OPEN);
	if (!ret)
		ret = nti_sim_open(r->sim, attr, pid, cpu, group, flags, elapsed_ns(r));
	(void)pthread_mutex_unlock(&r->lock);
	return ret;
}

static int device_new(struct replay *r, uint32_t cpu, int flags)
{
	struct device *more;
	size_t i;

	for (i = 0; i < r->device_count && r->devices[i].is_open; i++)
		;
	if (i == MAX_DEVICES)
		return -EMFILE;
	if (i == r->device_count) {
		more = realloc(r->devices, (i + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->devices = more;
		r->device_count++;
	}
	r->devices[i] = (struct device){ .is_open = true, .flags = flags, .cpu = cpu };
	return DEVICE_FD + (int)i;
}

static struct device *device_get(struct replay *r, int fd)
{
	if (fd < DEVICE_FD || (size_t)(fd - DEVICE_FD) >= r->device_count ||
	    !r->devices[fd - DEVICE_FD].is_open)
		return NULL;
	return &r->devices[fd - DEVICE_FD];
}

/* Only msr devices can be opened; text files are read with text(). */
static int replay_open(struct nti_os *os, const char *path, int flags)
{
	struct replay *r = replay_of(os);
	char real[NTI_MACHINE_PATH_BYTES];
	const struct nti_machine_node *node;
	int ret = fault(r, NTI_CALL_OPEN);

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

static ssize_t replay_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	struct replay *r = replay_of(os);
	ssize_t ret;

	(void)pthread_mutex_lock(&r->lock);
	ret = fault(r, NTI_CALL_READ);
	if (!ret)
		ret = nti_sim_read(r->sim, fd, buf, size, elapsed_ns(r));
	(void)pthread_mutex_unlock(&r->lock);
	return ret;
}

static struct written *find_written(const struct replay *r, uint32_t cpu, uint32_t address)
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
static int check_msr(const struct replay *r, const struct device *d, size_t size, uint64_t offset)
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
	struct replay *r = replay_of(os);
	const struct device *d = device_get(r, fd);
	const struct written *w;
	uint64_t value;
	size_t i;
	int ret = fault(r, NTI_CALL_PREAD);

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
	struct replay *r = replay_of(os);
	const struct device *d = device_get(r, fd);
	struct written *w, *more;
	int ret = fault(r, NTI_CALL_PWRITE);

	if (!ret)
		ret = check_msr(r, d, size, offset);
	if (ret)
		return ret;
	if ((d->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	w = find_written(r, d->cpu, (uint32_t)offset);
	if (!w) {
		more = realloc(r->written, (r->written_count + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->written = more;
		w = &more[r->written_count++];
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

static int replay_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	struct replay *r = replay_of(os);
	int ret;

	(void)pthread_mutex_lock(&r->lock);
	ret = fault(r, NTI_CALL_IOCTL);
	if (!ret)
		ret = nti_sim_ioctl(r->sim, fd, request, arg, elapsed_ns(r));
	(void)pthread_mutex_unlock(&r->lock);
	return ret;
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
	struct replay *r = replay_of(os);
	struct device *d = device_get(r, fd);

	if (d) {
		d->is_open = false;
		return;
	}
	(void)pthread_mutex_lock(&r->lock);
	(void)nti_sim_close(r->sim, fd, elapsed_ns(r));
	(void)pthread_mutex_unlock(&r->lock);
}

/* Nobody keeps files below a recording. */
static int replay_directory(struct nti_os *os, const char *path, bool make)
{
	(void)os, (void)path, (void)make;
	return -EOPNOTSUPP;
}

static void replay_free(struct nti_os *os)
{
	struct replay *r;

	if (!os)
		return;
	r = replay_of(os);
	nti_sim_free(r->sim);
	nti_machine_free(r->m);
	free(r->devices);
	free(r->written);
	(void)pthread_mutex_destroy(&r->lock);
	free(r);
}

static const struct nti_os_ops replay_ops = {
	.name = "replay",
	.text = replay_text,
	.list = replay_list,
	.link = replay_link,
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

int nti_os_replay_new(struct nti_machine *m, struct nti_os **out)
{
	struct replay *r = calloc(1, sizeof(*r));
	int ret;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->os.ops = &replay_ops;
	r->os.is_replay = true;
	ret = nti_sim_new(m, &r->sim);
	if (ret < 0) {
		free(r);
		return ret;
	}
	(void)pthread_mutex_init(&r->lock, NULL); /* cannot fail without attributes on Linux */
	r->m = m;
	r->start_ns = real_ns();
	*out = &r->os;
	return 0;
}

int nti_machine_topology(struct nti_os *os, const char **xml, const char **synthetic)
{
	const struct nti_machine *m;

	*xml = NULL;
	*synthetic = NULL;
	if (os->ops != &replay_ops)
		return -ENOTSUP;
	m = replay_of(os)->m;
	*xml = m->topology_xml;
	*synthetic = m->topology_synthetic;
	return *xml || *synthetic ? 0 : -ENOENT;
}
