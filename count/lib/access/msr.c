// SPDX-License-Identifier: MIT
/* The msr access method. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/lib/access/msr.h"
#include "count/lib/access/why.h"
#include "base/common/compiler.h"
#include "base/common/grow.h"

struct device {
	int fd; /* -1 = not open */
	bool is_writable;
};

struct nti_msr {
	struct nti_os *os;
	struct device *cpu;
	size_t count;
};

int nti_msr_new(struct nti_os *os, struct nti_msr **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->os = os;
	return 0;
}

void nti_msr_free(struct nti_msr *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; i < m->count; i++) {
		if (m->cpu[i].fd >= 0)
			m->os->ops->close(m->os, m->cpu[i].fd);
	}
	free(m->cpu);
	free(m);
}

bool nti_msr_has(struct nti_os *os)
{
	const char *arch = os->ops->arch(os);

	return strcmp(arch, "x86_64") == 0 || strcmp(arch, "i686") == 0;
}

static int explain(struct nti_msr *m, unsigned int cpu, int error, struct nti_error *e)
{
	const struct nti_why *why;
	uint64_t online;

	switch (error) {
	case -ENOENT:
		if (nti_os_exists(m->os, "/sys/devices/system/cpu/cpu0") &&
		    !nti_os_exists(m->os, "/sys/devices/system/cpu/cpu%u", cpu))
			return nti_error(e, -ENXIO, "there is no CPU %u", cpu);
		if (nti_os_u64(m->os, &online, "/sys/devices/system/cpu/cpu%u/online", cpu) == 0 &&
		    !online)
			return nti_error(e, -ENXIO, "CPU %u is off line", cpu);
		(void)nti_msr_probe(m->os, &why);
		return nti_error(e, error, "no MSR device for CPU %u%s%s%s%s", cpu,
				 *why->reason ? ": " : "", why->reason,
				 *why->remedy ? "; remedy: " : "", why->remedy);
	case -ENXIO:
		return nti_error(e, error, "CPU %u does not exist or is off line", cpu);
	case -EACCES:
	case -EPERM:
		return nti_error(e, error,
				 "/dev/cpu/%u/msr needs root (CAP_SYS_RAWIO) and a kernel that is "
				 "not locked down",
				 cpu);
	default:
		return nti_error(e, error, "/dev/cpu/%u/msr: %s", cpu, strerror(-error));
	}
}

static int grow(struct nti_msr *m, unsigned int cpu)
{
	while (m->count <= cpu) {
		if (!nti_grow(&m->cpu, m->count))
			return -ENOMEM;
		m->cpu[m->count++] = (struct device){ .fd = -1 };
	}
	return 0;
}

/* The device of @cpu, opened for what is wanted; it stays open. */
static int device_fd(struct nti_msr *m, unsigned int cpu, bool for_write, struct nti_error *e)
{
	char path[40];
	int ret;

	if (cpu < m->count && m->cpu[cpu].fd >= 0 && (m->cpu[cpu].is_writable || !for_write))
		return m->cpu[cpu].fd;
	if (!nti_msr_has(m->os))
		return nti_error(e, -ENOTSUP, "%s processors have no model-specific registers",
				 m->os->ops->arch(m->os));
	if (cpu >= NTI_CPU_LIMIT)
		return nti_error(e, -ENXIO, "there is no CPU %u", cpu);
	ret = grow(m, cpu);
	if (ret < 0)
		return ret;
	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	ret = m->os->ops->open(m->os, path, for_write ? O_RDWR : O_RDONLY);
	if (ret < 0)
		return explain(m, cpu, ret, e);
	if (m->cpu[cpu].fd >= 0)
		m->os->ops->close(m->os, m->cpu[cpu].fd);
	m->cpu[cpu] = (struct device){ .fd = ret, .is_writable = for_write };
	return ret;
}

/*
 * What a failed access of an open device means: the driver passes on the processor's refusal as
 * EIO.
 */
static int access_error(struct nti_msr *m, unsigned int cpu, uint32_t address, ssize_t n,
			const char *verb, struct nti_error *e)
{
	if (n == -EIO)
		return nti_error(
			e, -EIO,
			"CPU %u refuses to %s MSR %#x (no such register, or not in this mode)", cpu,
			verb, address);
	if (n >= 0)
		return nti_error(e, -EIO, "short access to MSR %#x of CPU %u", address, cpu);
	return explain(m, cpu, (int)n, e);
}

int nti_msr_open(struct nti_msr *m, unsigned int cpu, bool for_write, struct nti_error *e)
{
	int fd = device_fd(m, cpu, for_write, e);

	return fd < 0 ? fd : 0;
}

int nti_msr_read(struct nti_msr *m, unsigned int cpu, uint32_t address, uint64_t *value,
		 struct nti_error *e)
{
	int fd = device_fd(m, cpu, false, e);
	uint64_t raw;
	ssize_t n;

	if (fd < 0)
		return fd;
	n = m->os->ops->pread(m->os, fd, &raw, sizeof(raw), address);
	if (n != (ssize_t)sizeof(raw))
		return access_error(m, cpu, address, n, "read", e);
	*value = raw;
	return 0;
}

int nti_msr_write(struct nti_msr *m, unsigned int cpu, uint32_t address, uint64_t value,
		  struct nti_error *e)
{
	int fd = device_fd(m, cpu, true, e);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = m->os->ops->pwrite(m->os, fd, &value, sizeof(value), address);
	return n == (ssize_t)sizeof(value) ? 0 : access_error(m, cpu, address, n, "write", e);
}

int nti_msr_probe(struct nti_os *os, const struct nti_why **why)
{
	int ret;

	*why = &nti_why_nothing;
	if (!nti_msr_has(os)) {
		*why = &nti_why_no_msrs;
		return -ENOTSUP;
	}
	ret = os->ops->access(os, "/dev/cpu/0/msr", R_OK);
	if (ret < 0)
		*why = ret != -ENOENT		? &nti_why_msr_for_root
		       : nti_os_has_modules(os) ? &nti_why_msr_not_loaded
						: &nti_why_msr_no_modules;
	return ret;
}
