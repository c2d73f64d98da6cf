// SPDX-License-Identifier: MIT
/* Descriptors of simulated perf events: read, ioctl, close. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/tests/sim/sim.h"

#define MAX_WORDS (NTI_SIM_MAX_READ_BYTES / sizeof(uint64_t))

/* The CPUs of the kernel's list in file @path; none when there is no such file. 0 or -ENOMEM. */
static int load_cpus(const struct nti_machine *m, const char *path, struct nti_set *out)
{
	char *text = malloc(NTI_OS_TEXT_BYTES);
	int ret;

	if (!text)
		return -ENOMEM;
	ret = nti_machine_text(m, path, text, NTI_OS_TEXT_BYTES);
	if (ret >= 0)
		ret = nti_set_add_list(out, nti_text_trim(text), NTI_CPU_LIMIT);
	free(text);
	return ret == -ENOMEM ? ret : 0;
}

static void free_banks(struct nti_sim *sim)
{
	struct nti_sim_bank *bank, *next;
	size_t i;

	for (i = 0; i < NTI_SIM_BANK_SLOTS; i++) {
		for (bank = sim->banks[i]; bank; bank = next) {
			next = bank->next;
			free(bank->leaders);
			free(bank);
		}
	}
}

int nti_sim_new(const struct nti_machine *m, struct nti_sim **out)
{
	struct nti_sim *sim = calloc(1, sizeof(*sim));
	int ret;

	*out = NULL;
	if (!sim)
		return -ENOMEM;
	sim->m = m;
	sim->counting = m->counting;
	sim->next_id = 1;
	sim->is_x86 = strcmp(m->arch, "x86_64") == 0 || strcmp(m->arch, "i686") == 0;
	ret = load_cpus(m, "/sys/devices/system/cpu/online", &sim->online);
	if (ret == 0)
		ret = load_cpus(m, "/sys/devices/system/cpu/possible", &sim->possible);
	if (ret == 0)
		ret = nti_sim_pmus_load(sim);
	if (ret < 0) {
		nti_sim_free(sim);
		return ret;
	}
	*out = sim;
	return 0;
}

void nti_sim_free(struct nti_sim *sim)
{
	size_t i;

	if (!sim)
		return;
	for (i = 0; i < sim->event_count; i++)
		free(sim->events[i]);
	free_banks(sim);
	free(sim->events);
	nti_set_fini(&sim->online);
	nti_set_fini(&sim->possible);
	nti_sim_pmus_fini(sim);
	free(sim);
}

struct nti_sim_event *nti_sim_event_get(const struct nti_sim *sim, int fd)
{
	if (fd < NTI_SIM_FD || (size_t)(fd - NTI_SIM_FD) >= sim->event_count)
		return NULL;
	return sim->events[fd - NTI_SIM_FD];
}

static size_t put_value(const struct nti_sim_event *event, uint64_t format, uint64_t *words)
{
	size_t n = 0;

	words[n++] = nti_sim_count(event);
	if (format & PERF_FORMAT_GROUP) {
		if (format & PERF_FORMAT_ID)
			words[n++] = event->id;
	} else {
		if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
			words[n++] = event->enabled_ns;
		if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
			words[n++] = event->running_ns;
		if (format & PERF_FORMAT_ID)
			words[n++] = event->id;
	}
	if (format & PERF_FORMAT_LOST)
		words[n++] = 0;
	return n;
}

/* The layouts of include/uapi/linux/perf_event.h, enum perf_event_read_format. */
static ssize_t put_group(const struct nti_sim_event *event, uint64_t *words)
{
	const struct nti_sim_event *leader = event->leader, *member;
	uint64_t format = event->attr.read_format;
	size_t n = 1;

	words[0] = 0;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = leader->enabled_ns;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = leader->running_ns;
	for (member = leader; member; member = member->next) {
		if (n + 3 > MAX_WORDS)
			return -E2BIG;
		n += put_value(member, format, words + n);
		words[0]++;
	}
	return (ssize_t)n;
}

ssize_t nti_sim_read(struct nti_sim *sim, int fd, void *buf, size_t size, uint64_t now_ns)
{
	struct nti_sim_event *event = nti_sim_event_get(sim, fd);
	uint64_t words[MAX_WORDS];
	ssize_t n;

	if (!event)
		return -EBADF;
	nti_sim_advance(sim, event->bank, now_ns);
	/* A pinned event that lost its counter reads as end of file. */
	if (event->leader->is_error)
		return 0;
	if (event->attr.read_format & PERF_FORMAT_GROUP)
		n = put_group(event, words);
	else
		n = (ssize_t)put_value(event, event->attr.read_format, words);
	if (n < 0)
		return n;
	if (size < (size_t)n * sizeof(*words))
		return -ENOSPC;
	memcpy(buf, words, (size_t)n * sizeof(*words));
	return n * (ssize_t)sizeof(*words);
}

static int apply(struct nti_sim_event *event, unsigned long request)
{
	switch (request) {
	case PERF_EVENT_IOC_ENABLE:
		event->is_enabled = true;
		event->is_error = false;
		return 0;
	case PERF_EVENT_IOC_DISABLE:
		event->is_enabled = false;
		return 0;
	case PERF_EVENT_IOC_RESET:
		event->base += nti_sim_count(event);
		return 0;
	default:
		return -ENOTTY;
	}
}

int nti_sim_ioctl(struct nti_sim *sim, int fd, unsigned long request, unsigned long arg,
		  uint64_t now_ns)
{
	struct nti_sim_event *event = nti_sim_event_get(sim, fd), *member;
	int ret = 0;

	if (!event)
		return -EBADF;
	nti_sim_advance(sim, event->bank, now_ns);
	if (request == PERF_EVENT_IOC_ID) {
		if (!arg)
			return -EFAULT;
		memcpy((void *)arg, &event->id, sizeof(event->id));
		return 0;
	}
	if (!(arg & PERF_IOC_FLAG_GROUP))
		return apply(event, request);
	for (member = event->leader; member && !ret; member = member->next)
		ret = apply(member, request);
	return ret;
}

/* Members of a group that loses its leader go on alone, as in the kernel. */
static void release_members(struct nti_sim_event *leader)
{
	struct nti_sim_event *member = leader->next, *next;

	for (; member; member = next) {
		next = member->next;
		member->leader = member;
		member->next = NULL;
		nti_sim_bank_add(member->bank, member);
	}
}

static void leave_group(struct nti_sim_event *event)
{
	struct nti_sim_event *before = event->leader;

	while (before->next != event)
		before = before->next;
	before->next = event->next;
}

int nti_sim_close(struct nti_sim *sim, int fd, uint64_t now_ns)
{
	struct nti_sim_event *event = nti_sim_event_get(sim, fd);

	if (!event)
		return -EBADF;
	nti_sim_advance(sim, event->bank, now_ns);
	event->bank->events--;
	if (event->leader == event) {
		nti_sim_bank_remove(event->bank, event);
		release_members(event);
	} else {
		leave_group(event);
	}
	sim->events[fd - NTI_SIM_FD] = NULL;
	if ((size_t)(fd - NTI_SIM_FD) < sim->first_free)
		sim->first_free = (size_t)(fd - NTI_SIM_FD);
	free(event);
	return 0;
}
