// SPDX-License-Identifier: MIT
/*
 * A recorded machine whose events count: the entry points of base/os/replay with a simulated kernel
 * in place of one that never counts. What is linked with this file gets it from
 * nti_os_replay_new().
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/os/replay/replay_inner.h"
#include "count/tests/sim/sim.h"

#define TSC_UNIT_NS UINT64_C(1000000000)

struct sim_os {
	struct nti_replay replay; /* first */
	struct nti_os_ops ops;
	pthread_mutex_t lock; /* readers come from any thread */
	struct nti_sim *sim;
	uint64_t start_ns; /* real clock when the replay began */
	uint64_t steps_ns; /* simulated clock */
};

static struct sim_os *sim_of(struct nti_os *os)
{
	return (struct sim_os *)os;
}

static uint64_t step_ns(const struct sim_os *s)
{
	return s->sim->counting->step_ns;
}

/* Time since the replay began; looking does not move the clock. */
static uint64_t elapsed_ns(struct sim_os *s)
{
	return step_ns(s) ? s->steps_ns : nti_replay_ops.now_ns(&s->replay.os) - s->start_ns;
}

static uint64_t sim_now_ns(struct nti_os *os)
{
	struct sim_os *s = sim_of(os);
	uint64_t now_ns;

	if (!step_ns(s))
		return nti_replay_ops.now_ns(os);
	(void)pthread_mutex_lock(&s->lock);
	s->steps_ns += step_ns(s);
	now_ns = s->steps_ns;
	(void)pthread_mutex_unlock(&s->lock);
	return now_ns;
}

static int sim_tsc(struct nti_os *os, uint64_t *ticks)
{
	struct sim_os *s = sim_of(os);
	uint64_t hz = s->sim->counting->tsc_hz;

	*ticks = 0;
	if (!hz)
		return -ENOTSUP;
	(void)pthread_mutex_lock(&s->lock);
	*ticks = nti_sim_scale(elapsed_ns(s), hz, TSC_UNIT_NS);
	(void)pthread_mutex_unlock(&s->lock);
	return 0;
}

static int sim_perf_open(struct nti_os *os, struct perf_event_attr *attr, pid_t pid, int cpu,
			 int group, unsigned long flags)
{
	struct sim_os *s = sim_of(os);
	int ret;

	(void)pthread_mutex_lock(&s->lock);
	ret = nti_replay_fault(&s->replay, NTI_CALL_PERF_OPEN);
	if (!ret)
		ret = nti_sim_open(s->sim, attr, pid, cpu, group, flags, elapsed_ns(s));
	(void)pthread_mutex_unlock(&s->lock);
	return ret;
}

static ssize_t sim_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	struct sim_os *s = sim_of(os);
	ssize_t ret;

	(void)pthread_mutex_lock(&s->lock);
	ret = nti_replay_fault(&s->replay, NTI_CALL_READ);
	if (!ret)
		ret = nti_sim_read(s->sim, fd, buf, size, elapsed_ns(s));
	(void)pthread_mutex_unlock(&s->lock);
	return ret;
}

static int sim_ioctl(struct nti_os *os, int fd, unsigned long request, unsigned long arg)
{
	struct sim_os *s = sim_of(os);
	int ret;

	(void)pthread_mutex_lock(&s->lock);
	ret = nti_replay_fault(&s->replay, NTI_CALL_IOCTL);
	if (!ret)
		ret = nti_sim_ioctl(s->sim, fd, request, arg, elapsed_ns(s));
	(void)pthread_mutex_unlock(&s->lock);
	return ret;
}

static void sim_close(struct nti_os *os, int fd)
{
	struct sim_os *s = sim_of(os);

	nti_replay_ops.close(os, fd);
	(void)pthread_mutex_lock(&s->lock);
	(void)nti_sim_close(s->sim, fd, elapsed_ns(s));
	(void)pthread_mutex_unlock(&s->lock);
}

static void sim_free(struct nti_os *os)
{
	struct sim_os *s = sim_of(os);

	if (!os)
		return;
	nti_sim_free(s->sim);
	nti_replay_fini(&s->replay);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

int nti_os_replay_new(struct nti_machine *m, struct nti_os **out)
{
	struct sim_os *s;
	int ret;

	if (!m->counting)
		return nti_replay_new(m, out);
	*out = NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = nti_sim_new(m, &s->sim);
	if (ret < 0) {
		free(s);
		return ret;
	}
	s->ops = nti_replay_ops;
	s->ops.now_ns = sim_now_ns;
	s->ops.tsc = sim_tsc;
	s->ops.perf_open = sim_perf_open;
	s->ops.read = sim_read;
	s->ops.ioctl = sim_ioctl;
	s->ops.close = sim_close;
	s->ops.free = sim_free;
	s->replay = (struct nti_replay){ .os = { .ops = &s->ops,
						 .is_elsewhere = true,
						 .is_simulated = true,
						 .is_timeless = true },
					 .m = m };
	(void)pthread_mutex_init(&s->lock, NULL); /* cannot fail without attributes on Linux */
	s->start_ns = nti_replay_ops.now_ns(&s->replay.os);
	*out = &s->replay.os;
	return 0;
}
