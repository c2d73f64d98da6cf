// SPDX-License-Identifier: MIT
/* What a target means: the threads or CPUs on which counters are opened. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/set.h"
#include "base/common/text.h"
#include "count/lib/count/session.h"
#include "base/os/process.h"

static int add_place(struct ntime_session *s, pid_t pid, int cpu)
{
	struct nti_perf_where *bigger = realloc(s->where, (s->where_count + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	s->where = bigger;
	s->where[s->where_count++] = (struct nti_perf_where){ .pid = pid, .cpu = cpu };
	return 0;
}

int nti_session_add_device_place(struct ntime_session *s)
{
	if (s->where_count && nti_session_is_device_place(s->where[s->where_count - 1]))
		return 0;
	return add_place(s, -1, -1);
}

static int add_thread(void *arg, const char *name)
{
	uint64_t tid;

	return nti_text_parse_u64(name, &tid) < 0 ? 0 : add_place(arg, (pid_t)tid, -1);
}

static int find_threads(struct ntime_session *s)
{
	pid_t pid = s->target.pid;
	char path[32];
	int ret;

	if (pid < 0)
		return nti_error(&s->ctx->error, -EINVAL, "%d is not a process id", pid);
	/* What was forked for exec has one thread, and of several one goes through exec. */
	if (s->target.flags & NTIME_ON_EXEC && nti_os_has_process(s->ctx->os, pid))
		return add_place(s, pid, -1);
	if (pid == 0)
		(void)snprintf(path, sizeof(path), "/proc/self/task");
	else
		(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	ret = s->ctx->os->ops->list(s->ctx->os, path, add_thread, s);
	if (ret == -ENOENT && nti_os_has_process(s->ctx->os, pid))
		return add_place(s, pid,
				 -1); /* another root directory, with another /proc or none */
	if (ret == -ENOENT)
		return nti_error(&s->ctx->error, -ESRCH, "there is no process %d", pid);
	if (ret < 0)
		return nti_error(&s->ctx->error, ret, "cannot list the threads of process %d: %s",
				 pid, strerror(-ret));
	return s->where_count ? 0 : nti_error(&s->ctx->error, -ESRCH, "process %d has ended", pid);
}

static int find_thread(struct ntime_session *s)
{
	pid_t pid = s->target.pid;

	if (pid < 0)
		return nti_error(&s->ctx->error, -EINVAL, "%d is not a thread id", pid);
	/* A recording has no processes: there the command that runs is a real one. */
	if (pid && !nti_os_has_process(s->ctx->os, pid))
		return nti_error(&s->ctx->error, -ESRCH, "there is no thread %d", pid);
	return add_place(s, pid, -1);
}

int nti_session_cpu_is_off_line(struct ntime_session *s, unsigned int cpu)
{
	return nti_error(&s->ctx->error, -ENODEV,
			 "CPU %u is off line (echo 1 > /sys/devices/system/cpu/cpu%u/online)", cpu,
			 cpu);
}

/* State of walking a list of CPUs: each must be on line. */
struct cpu_walk {
	struct ntime_session *s;
	const char *text; /* of .online */
	struct nti_set online, seen;
};

static int add_cpu(void *arg, unsigned int cpu)
{
	struct cpu_walk *w = arg;
	struct ntime_session *s = w->s;
	int ret;

	if (nti_set_has(&w->seen, cpu)) /* "0,0" must not count twice */
		return 0;
	if (nti_set_has(&w->online, cpu)) {
		ret = nti_set_add(&w->seen, cpu);
		return ret < 0 ? ret : add_place(s, -1, (int)cpu);
	}
	if (nti_os_exists(s->ctx->os, "/sys/devices/system/cpu/cpu%u", cpu))
		return nti_session_cpu_is_off_line(s, cpu);
	return nti_error(&s->ctx->error, -ENODEV, "there is no CPU %u (on line: %s)", cpu, w->text);
}

static int find_cpus(struct ntime_session *s)
{
	struct ntime_ctx *ctx = s->ctx;
	char online[4096];
	struct cpu_walk walk = { .s = s, .text = online };
	const char *list = s->target.kind == NTIME_TARGET_CPUS ? s->cpus : online;
	int ret = nti_context_online(ctx, online, sizeof(online));

	if (ret < 0)
		return ret;
	ret = nti_set_add_list(&walk.online, online, NTI_CPU_LIMIT);
	if (ret != -ENOMEM)
		ret = nti_text_for_each_in_list(list, NTI_CPU_LIMIT, add_cpu, &walk);
	nti_set_fini(&walk.online);
	nti_set_fini(&walk.seen);
	if (ret == -EINVAL || ret == -ERANGE)
		return nti_error(&ctx->error, -EINVAL, "'%s' is not a CPU list such as 0-3,8",
				 list);
	return ret;
}

int nti_session_find_where(struct ntime_session *s)
{
	switch (s->target.kind) {
	case NTIME_TARGET_THREAD:
		return find_thread(s);
	case NTIME_TARGET_PROCESS:
		return find_threads(s);
	default:
		return find_cpus(s);
	}
}
