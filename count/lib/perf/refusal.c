// SPDX-License-Identifier: MIT
/*
 * Who refused perf_event_open(2).
 *
 * Linux 6.1, kernel/events/core.c, in this order: unknown flags are EINVAL before anything else is
 * looked at; a security module may refuse any call (EACCES); perf_event_paranoid forbids kernel
 * mode, CPUs (EACCES) and tracepoints (EPERM) to who lacks CAP_PERFMON and CAP_SYS_ADMIN in the
 * first user namespace; and the rights over the process are those of ptrace(2) for reading
 * (EACCES). So a call with unknown flags shows whether the kernel is asked at all, unless a filter
 * answers EINVAL too: no kernel does so to the least event of the caller's own thread. And a call
 * for that thread shows whether it is the process.
 */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/lib/perf/permission.h"
#include "count/lib/perf/refusal.h"
#include "base/os/file.h"

#define STATUS "/proc/self/status"
#define MODULES "/sys/kernel/security/lsm"
#define SECCOMP_MODE_FILTER 2
#define STATUS_MAX 8192

static const struct nti_perf_where self = { .pid = 0, .cpu = -1 };

/* The number behind @key in a status file of /proc; -1 where there is none. */
static long long status_number(struct nti_os *os, const char *path, const char *key, int base)
{
	char text[STATUS_MAX], *at;

	if (os->ops->text(os, path, text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, key);
	return at && (at == text || at[-1] == '\n') ? strtoll(at + strlen(key), NULL, base) : -1;
}

/* 0 when @attr can be opened at @where; else -errno. */
static int try_open(struct nti_os *os, struct perf_event_attr *attr, struct nti_perf_where where,
		    unsigned long flags)
{
	int fd = os->ops->perf_open(os, attr, where.pid, where.cpu, -1, flags);

	if (fd < 0)
		return fd;
	os->ops->close(os, fd);
	return 0;
}

/* The least that can be asked for. */
static struct perf_event_attr least_attr(void)
{
	return (struct perf_event_attr){ .size = sizeof(struct perf_event_attr),
					 .type = PERF_TYPE_SOFTWARE,
					 .config = PERF_COUNT_SW_DUMMY,
					 .disabled = 1,
					 .exclude_kernel = 1,
					 .exclude_hv = 1 };
}

int nti_perf_probe(struct nti_os *os)
{
	struct perf_event_attr attr = least_attr();

	return try_open(os, &attr, self, 0);
}

static bool has_filter(struct nti_os *os)
{
	return status_number(os, STATUS, "Seccomp:", 10) == SECCOMP_MODE_FILTER;
}

bool nti_refusal_is_filtered(struct nti_os *os)
{
	struct perf_event_attr attr = least_attr();
	int ret;

	if (os->is_simulated || os->is_elsewhere)
		return false;
	ret = try_open(os, &attr, self, ~0ul);
	if (ret >= 0 || ret == -EPERM || ret == -EACCES)
		return ret < 0;
	if (!has_filter(os))
		return false;
	/* Only a kernel with perf events has that setting. */
	if (ret == -ENOSYS)
		return nti_perf_paranoid(os) != INT_MAX;
	return ret != -EINVAL || nti_perf_probe(os) == -EINVAL;
}

/* Docker and Podman allow the call to who has the capability; systemd has lists of its own. */
int nti_refusal_explain_filter(struct nti_os *os, struct nti_absence *out)
{
	if (os->is_simulated || has_filter(os))
		return nti_absence_set(
			out, NTIME_REASON_FILTERED, "perf_event_open(2)",
			"allow perf_event_open(2) in the container's seccomp profile (docker, "
			"podman: --cap-add PERFMON, or --security-opt seccomp=PROFILE; systemd: "
			"SystemCallFilter=perf_event_open)",
			"a seccomp filter refuses perf_event_open(2): the kernel is not even "
			"asked");
	return nti_absence_set(out, NTIME_REASON_FILTERED, "perf_event_open(2)",
			       "count outside of this sandbox",
			       "a sandbox refuses perf_event_open(2): the kernel is not even "
			       "asked");
}

/* Security modules that decide over perf events (Linux, security/: perf_event_open hooks). */
static const char *const deciders[] = { "selinux", "bpf" };

static const char *find_decider(struct nti_os *os, char *list, size_t size)
{
	char *word, *rest;
	size_t i;

	if (nti_os_line(os, list, size, MODULES) < 0)
		return NULL;
	for (word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		for (i = 0; i < sizeof(deciders) / sizeof(deciders[0]); i++) {
			if (strcmp(word, deciders[i]) == 0)
				return deciders[i];
		}
	}
	return NULL;
}

static int explain_rest(struct nti_os *os, int error, struct nti_absence *out)
{
	char list[256];
	const char *decider = find_decider(os, list, sizeof(list));

	if (decider)
		return nti_absence_set(
			out, NTIME_REASON_PERMISSION, MODULES,
			"look for the denial in the audit log (dmesg, ausearch -m avc), and allow "
			"it in the module's policy",
			"the kernel refuses perf events although perf_event_paranoid and "
			"capabilities allow them; the security module %s can do that",
			decider);
	return nti_absence_set(out, NTIME_REASON_PERMISSION, "perf_event_open(2)",
			       os->ops->is_privileged(os, false)
				       ? "look into the kernel's log (dmesg)"
				       : "run as root, and look into the kernel's log (dmesg)",
			       "the kernel refuses perf events (%s), although perf_event_paranoid "
			       "and capabilities allow them",
			       strerror(-error));
}

/* ptrace(2), "Ptrace access mode checking": for reading, with the real ids. */
static int explain_process(struct nti_os *os, pid_t pid, struct nti_absence *out)
{
	bool is_namespace = nti_os_is_in_user_namespace(os);
	bool is_root = !is_namespace && os->ops->is_privileged(os, false);
	const char *remedy =
		is_namespace ? "run as root outside of this user namespace (of the container)"
		: is_root    ? "give ntime CAP_SYS_PTRACE (docker, podman: --cap-add SYS_PTRACE)"
			     : "run as root";
	long long owner, user = status_number(os, STATUS, "Uid:", 10);
	char path[40], about[40], mine[160];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	(void)snprintf(about, sizeof(about), "process %d", (int)pid);
	(void)snprintf(mine, sizeof(mine), "measure processes of your own, or %s", remedy);
	owner = status_number(os, path, "Uid:", 10);
	if (owner >= 0 && user >= 0 && owner != user)
		return nti_absence_set(out, NTIME_REASON_PERMISSION, about, mine,
				       "process %d is of another user (user id %lld)%s", (int)pid,
				       owner,
				       is_root ? ", and this root lacks CAP_SYS_PTRACE" : "");
	return nti_absence_set(
		out, NTIME_REASON_PERMISSION, about, remedy,
		"the kernel protects process %d from being looked into%s: it has other "
		"capabilities, another group or namespace, or forbids it itself "
		"(prctl PR_SET_DUMPABLE)",
		(int)pid, is_root ? " by root without CAP_SYS_PTRACE" : "");
}

/* May every process be looked into? Then it is not a process's rights that refuse. */
static bool may_trace_all(struct nti_os *os)
{
	long long capabilities = status_number(os, STATUS, "CapEff:", 16);

	return capabilities > 0 && capabilities >> CAP_SYS_PTRACE & 1 &&
	       !nti_os_is_in_user_namespace(os);
}

/* Highest level at which an ordinary user may open @attr at @where. */
static int level_for(const struct nti_unit *unit, const struct perf_event_attr *attr,
		     struct nti_perf_where where, int level)
{
	int wanted = nti_perf_level_of(unit);

	if (where.pid == -1)
		return NTI_PERF_CPUS;
	/* Up to there the kernel's mode is what is forbidden. */
	if (wanted == NTI_PERF_USER && level <= NTI_PERF_USER && !attr->exclude_kernel)
		return NTI_PERF_KERNEL;
	return wanted;
}

int nti_refusal_explain(struct nti_os *os, const struct nti_unit *unit,
			const struct perf_event_attr *attr, struct nti_perf_where where, int error,
			struct nti_absence *out)
{
	int level = nti_perf_paranoid(os), wanted = level_for(unit, attr, where, level);
	bool is_open, is_privileged = os->ops->is_privileged(os, true);

	/*
	 * A recording says what was answered, and not by whom. The kernel's own answer is EACCES.
	 */
	if (os->is_simulated && error == -EPERM)
		return nti_refusal_explain_filter(os, out);
	if (!is_privileged && level > wanted && level != INT_MAX)
		return nti_perf_explain_level(os, unit, level, wanted, out);
	is_open = nti_perf_probe(os) == 0;
	if (where.pid > 0 && is_open && !may_trace_all(os))
		return explain_process(os, where.pid, out);
	if (!is_privileged && level == INT_MAX && !is_open)
		return nti_perf_explain_level(os, unit, level, wanted, out);
	return explain_rest(os, error, out);
}
