// SPDX-License-Identifier: MIT
/* The perf access method: groups of kernel events, and the reasons for refusals. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/perf/perf.h"
#include "count/lib/perf/refusal.h"
#include "base/common/text.h"

/* What ntime's driver refused last, and who has a card. */
#define DRIVER_STATUS "cat /sys/devices/ntime/status"

void nti_perf_group_init(struct nti_perf_group *g, struct nti_perf_where where)
{
	g->where = where;
	g->count = 0;
}

static bool is_of_device(const struct nti_perf_group *g)
{
	return g->where.pid == -1 && g->where.cpu == -1;
}

int nti_perf_group_add(struct nti_os *os, struct nti_perf_group *g,
		       const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	bool is_device = is_of_device(g);
	int fd;

	if (g->count == NTI_PERF_GROUP_MAX)
		return -EINVAL;
	copy.size = sizeof(copy);
	copy.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	/* Members follow their leader: they are enabled, it is not. */
	copy.disabled = g->count == 0;
	if (g->count) {
		copy.enable_on_exec = 0;
		copy.pinned = 0;
		copy.exclusive = 0;
	}
	fd = os->ops->perf_open(os, &copy, g->where.pid,
				is_device ? g->where.device_cpu : g->where.cpu,
				g->count ? g->fd[0] : -1, 0);
	if (fd < 0)
		return fd;
	g->fd[g->count++] = fd;
	return 0;
}

void nti_perf_group_drop(struct nti_os *os, struct nti_perf_group *g)
{
	os->ops->close(os, g->fd[--g->count]);
}

int nti_perf_group_enable(struct nti_os *os, const struct nti_perf_group *g)
{
	int ret = os->ops->ioctl(os, g->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);

	return ret < 0 ? ret : 0;
}

int nti_perf_group_disable(struct nti_os *os, const struct nti_perf_group *g)
{
	int ret = os->ops->ioctl(os, g->fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);

	return ret < 0 ? ret : 0;
}

int nti_perf_group_read(struct nti_os *os, const struct nti_perf_group *g,
			struct nti_perf_reading *out)
{
	size_t bytes = offsetof(struct nti_perf_reading, count) + g->count * sizeof(uint64_t);
	ssize_t n = os->ops->read(os, g->fd[0], out, bytes);

	/* A card that failed while it was read: soon it is in error state. */
	if (n == 0 || (n == -EIO && is_of_device(g)))
		return -ENODATA;
	if (n < 0)
		return (int)n;
	return (size_t)n == bytes && out->members == g->count ? 0 : -ESTALE;
}

int nti_perf_group_read_apart(struct nti_os *os, const struct nti_perf_group *g,
			      struct nti_perf_reading *out)
{
	struct nti_perf_reading one;
	const size_t bytes = offsetof(struct nti_perf_reading, count) + sizeof(uint64_t);
	size_t i;

	memset(out, 0, sizeof(*out));
	out->members = g->count;
	for (i = 0; i < g->count; i++) {
		ssize_t n = os->ops->read(os, g->fd[i], &one, sizeof(one));

		if (n < 0)
			return (int)n;
		if ((size_t)n < bytes)
			return -ESTALE;
		out->count[i] = one.count[0];
		if (i == 0) {
			out->enabled_ns = one.enabled_ns;
			out->running_ns = one.running_ns;
		}
	}
	return 0;
}

void nti_perf_group_fini(struct nti_os *os, struct nti_perf_group *g)
{
	/* Members first: closing a leader would make leaders of them. */
	while (g->count)
		nti_perf_group_drop(os, g);
}

int nti_perf_explain(struct nti_os *os, const struct nti_unit *unit,
		     const struct perf_event_attr *attr, struct nti_perf_where where, int error,
		     struct nti_absence *out)
{
	char about[128];
	int ret;

	if (nti_refusal_is_filtered(os))
		return nti_refusal_explain_filter(os, out);
	switch (error) {
	case -EACCES:
	case -EPERM:
		return nti_refusal_explain(os, unit, attr, where, error, out);
	case -ENOENT:
		ret = nti_missing_explain(os, unit, attr, out);
		if (ret <= 0)
			return ret;
		return nti_absence_set(
			out, NTIME_REASON_KERNEL, unit->name,
			"choose another event of this unit (ntime list)",
			attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE
				? "the kernel's driver for %s has no event of that generic name"
				: "the kernel's driver for %s does not know this event",
			unit->name);
	case -EINVAL:
		(void)snprintf(about, sizeof(about), "%.64s config=%#llx", unit->name,
			       (unsigned long long)attr->config);
		return nti_absence_set(
			out, NTIME_REASON_NOT_SUPPORTED, about,
			unit->card ? DRIVER_STATUS
				   : "check the event's terms and modifiers (ntime -v shows the "
				     "encoding)",
			"the kernel's driver for %s refuses this encoding (type %u, config %#llx)",
			unit->name, attr->type, (unsigned long long)attr->config);
	case -EOPNOTSUPP:
		return nti_absence_set(out, NTIME_REASON_NOT_SUPPORTED, unit->name,
				       attr->precise_ip ? "leave out the :p modifiers"
							: "leave out the event's modifiers",
				       "%s cannot count this event in the way asked for",
				       unit->name);
	case -ENODEV:
	case -ENXIO:
		if (unit->card)
			return nti_absence_set(out, NTIME_REASON_OFFLINE, unit->name, DRIVER_STATUS,
					       "%s does not answer: its memory is switched off, or "
					       "it went",
					       unit->name);
		(void)snprintf(about, sizeof(about), "CPU %d", where.cpu);
		return nti_absence_set(
			out, NTIME_REASON_OFFLINE, about,
			"count on a CPU that is on line (/sys/devices/system/cpu/online)",
			"%s is not available on CPU %d", unit->name, where.cpu);
	case -EMFILE:
		return nti_absence_set(out, NTIME_REASON_LIMIT, "open files",
				       "raise the limit: ulimit -n 65536",
				       "too many open files for one more event");
	case -ENOSYS:
		return nti_absence_set(
			out, NTIME_REASON_KERNEL, "perf_event_open(2)",
			"use a kernel with CONFIG_PERF_EVENTS, or allow perf_event_open(2) in the "
			"container's seccomp profile",
			"perf_event_open(2) does not exist here");
	case -EBUSY:
		return nti_absence_set(out, NTIME_REASON_BUSY, unit->name,
				       unit->card ? DRIVER_STATUS : "end the other user of the PMU",
				       "another user holds %s for itself", unit->name);
	default:
		return nti_absence_set_failed(out, NTIME_REASON_FAILED, unit->name, error,
					      "see perf_event_open(2), ERRORS",
					      "perf_event_open(2) on %s failed: %s", unit->name,
					      strerror(-error));
	}
}

int nti_perf_explain_probe(struct nti_os *os, int error, struct nti_absence *out)
{
	static const struct nti_unit any = { .name = "perf", .kind = NTI_UNIT_SOFTWARE };
	static const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
						     .exclude_kernel = 1 };
	static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };

	return nti_perf_explain(os, &any, &attr, self, error, out);
}
