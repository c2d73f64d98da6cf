// SPDX-License-Identifier: MIT
/*
 * perf_event_open(2) of the simulated kernel: who may open what. The checks and their order follow
 * SYSCALL_DEFINE5(perf_event_open), perf_copy_attr() and perf_init_event() in kernel/events/core.c
 * of Linux 6.1, and the event_init functions of arch/x86/events/core.c,
 * arch/x86/events/intel/uncore.c and drivers/perf/arm_pmu.c.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/text.h"
#include "count/tests/sim/sim.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define SAMPLE_RATE "/proc/sys/kernel/perf_event_max_sample_rate"
/*
 * Distributions know values above upstream's 2: from 3 (Debian) nothing is open to the
 * unprivileged.
 */
#define PARANOID_NOTHING 3
#define HW_CACHE_TYPES PERF_COUNT_HW_CACHE_MAX
#define SAMPLE_TYPES (PERF_SAMPLE_MAX - 1)
/* 1 to 16 inclusive: enabled, running, id, group, lost. */
#define READ_FORMATS                                                                               \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |        \
	 PERF_FORMAT_GROUP | PERF_FORMAT_LOST)
#define OPEN_FLAGS                                                                                 \
	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

/* One call on its way through the checks. */
struct request {
	struct nti_sim *sim;
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	struct nti_sim_event *leader; /* of the group to join, or NULL */
	const struct nti_sim_pmu *pmu;
	uint64_t now_ns;
};

static long long number_of(const struct nti_sim *sim, const char *path, long long otherwise)
{
	char text[64], *end;
	long long number;

	if (nti_machine_text(sim->m, path, text, sizeof(text)) < 0)
		return otherwise;
	number = strtoll(text, &end, 10);
	return end == text ? otherwise : number;
}

static bool is_zero(const unsigned char *bytes, size_t n)
{
	while (n && !*bytes) {
		bytes++;
		n--;
	}
	return !n;
}

static int copy_attr(struct perf_event_attr *to, struct perf_event_attr *from)
{
	uint32_t size = from->size ? from->size : PERF_ATTR_SIZE_VER0;
	bool is_too_new;

	if (size < PERF_ATTR_SIZE_VER0 || size > 4096)
		goto too_big;
	is_too_new = size > sizeof(*to) &&
		     !is_zero((unsigned char *)from + sizeof(*to), size - sizeof(*to));
	if (is_too_new)
		goto too_big;
	memset(to, 0, sizeof(*to));
	memcpy(to, from, size < sizeof(*to) ? size : sizeof(*to));
	to->size = size;
	if (to->__reserved_1 || to->__reserved_2 || to->__reserved_3 ||
	    to->sample_type & ~(uint64_t)SAMPLE_TYPES || to->read_format & ~(uint64_t)READ_FORMATS)
		return -EINVAL;
	return 0;
too_big:
	from->size = sizeof(*to); /* as the kernel tells its size */
	return -E2BIG;
}

static bool is_sampling(const struct perf_event_attr *attr)
{
	return attr->sample_period != 0;
}

static int check_permission(const struct request *r)
{
	const struct nti_machine *m = r->sim->m;
	long long paranoid = number_of(r->sim, PARANOID, 2);

	if (paranoid >= PARANOID_NOTHING && !m->is_root)
		return -EACCES;
	if (!r->attr.exclude_kernel && paranoid > 1 && !m->is_perfmon)
		return -EACCES;
	return r->attr.namespaces && !m->is_perfmon ? -EACCES : 0;
}

static int check_period(const struct request *r)
{
	if (r->attr.freq)
		return (long long)r->attr.sample_freq > number_of(r->sim, SAMPLE_RATE, 100000)
			       ? -EINVAL
			       : 0;
	return r->attr.sample_period >> 63 ? -EINVAL : 0;
}

/* The process is one of this machine: a recording has none. */
static int check_process(const struct request *r)
{
	if (r->pid <= 0)
		return r->pid < -1 ? -ESRCH : 0;
	return kill(r->pid, 0) < 0 && errno == ESRCH ? -ESRCH : 0;
}

static int check_group_fd(struct request *r, int group, unsigned long flags)
{
	if (group == -1)
		return 0;
	r->leader = nti_sim_event_get(r->sim, group);
	if (!r->leader)
		return -EBADF;
	if (flags & PERF_FLAG_FD_NO_GROUP)
		r->leader = NULL;
	if (r->leader && r->pid != -1 && r->leader->attr.inherit != r->attr.inherit)
		return -EINVAL;
	return 0;
}

static bool is_in(const struct nti_set *cpus, int cpu)
{
	return cpu >= 0 && nti_set_has(cpus, (unsigned int)cpu);
}

static int check_target(const struct request *r)
{
	if (r->cpu == -1)
		return r->pid == -1 ? -EINVAL : 0;
	if (r->cpu < 0)
		return -EINVAL;
	return is_in(&r->sim->possible, r->cpu) || is_in(&r->sim->online, r->cpu) ? 0 : -EINVAL;
}

bool nti_sim_rule_matches(const struct nti_sim_pmu *pmu, const struct perf_event_attr *attr,
			  const struct nti_sim_named *rule)
{
	uint64_t config = attr->config;

	/* The upper half of generic events only says on which core PMU. */
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		config &= UINT32_MAX;
	if (config != rule->config)
		return false;
	if (!rule->pmu)
		return attr->type == rule->type;
	return attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_HW_CACHE &&
	       nti_sim_pmu_matches(pmu, rule->pmu);
}

static bool is_unsupported(const struct request *r)
{
	const struct nti_sim_counting *c = r->sim->counting;
	size_t i;

	for (i = 0; i < c->unsupported_count; i++)
		if (nti_sim_rule_matches(r->pmu, &r->attr, &c->unsupported[i]))
			return true;
	return false;
}

static int check_generic(const struct request *r)
{
	uint32_t config = (uint32_t)r->attr.config;

	if (r->attr.type == PERF_TYPE_HARDWARE && config >= PERF_COUNT_HW_MAX)
		return -EINVAL;
	if (r->attr.type == PERF_TYPE_HW_CACHE &&
	    ((config & 0xff) >= HW_CACHE_TYPES ||
	     (config >> 8 & 0xff) >= PERF_COUNT_HW_CACHE_OP_MAX ||
	     (config >> 16 & 0xff) >= PERF_COUNT_HW_CACHE_RESULT_MAX || config >> 24))
		return -EINVAL;
	return 0;
}

static int check_core(const struct request *r)
{
	int ret;

	if (r->pmu->has_cpus && r->cpu != -1 && !is_in(&r->pmu->cpus, r->cpu))
		return -ENOENT;
	ret = check_generic(r);
	if (ret < 0)
		return ret;
	return r->pmu->has_max_precise && r->attr.precise_ip > r->pmu->max_precise ? -EOPNOTSUPP
										   : 0;
}

struct config_search {
	const struct request *r;
	const char *directory;
};

/* events/NAME holds "event=0x2" for those PMUs whose config is nothing but the event. */
static int match_config(void *arg, const char *name)
{
	struct config_search *s = arg;
	char path[NTI_MACHINE_PATH_BYTES], text[256];
	uint64_t config;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", s->directory, name) >= sizeof(path))
		return 0;
	if (nti_machine_text(s->r->sim->m, path, text, sizeof(text)) < 0 ||
	    strncmp(text, "event=", 6) != 0)
		return 0;
	return nti_text_parse_u64(nti_text_trim(text + 6), &config) == 0 &&
	       config == s->r->attr.config;
}

static int check_listed(const struct request *r)
{
	char directory[NTI_MACHINE_PATH_BYTES];
	struct config_search s = { .r = r, .directory = directory };

	if ((size_t)snprintf(directory, sizeof(directory),
			     "/sys/bus/event_source/devices/%s/events",
			     r->pmu->name) >= sizeof(directory))
		return -EINVAL;
	return nti_machine_list(r->sim->m, directory, match_config, &s) == 1 ? 0 : -EINVAL;
}

static bool is_tracepoint_id(const char *path)
{
	static const char *const roots[] = { "/sys/kernel/tracing/events/",
					     "/sys/kernel/debug/tracing/events/" };
	size_t length = strlen(path);

	return length > 3 && strcmp(path + length - 3, "/id") == 0 &&
	       (strncmp(path, roots[0], strlen(roots[0])) == 0 ||
		strncmp(path, roots[1], strlen(roots[1])) == 0);
}

static int check_tracepoint(const struct request *r)
{
	const struct nti_machine *m = r->sim->m;
	size_t i;

	for (i = 0; i < m->node_count; i++)
		if (m->nodes[i].kind == NTI_MACHINE_NODE_FILE &&
		    is_tracepoint_id(m->nodes[i].path) &&
		    strtoull(m->nodes[i].text, NULL, 10) == r->attr.config)
			return 0;
	return -ENOENT;
}

static bool has_excludes(const struct perf_event_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

static int check_event(const struct request *r)
{
	int ret = 0;

	if (r->pmu->kind == NTI_SIM_CORE)
		ret = check_core(r);
	else if (r->pmu->kind == NTI_SIM_SOFTWARE)
		ret = r->attr.config >= PERF_COUNT_SW_MAX ? -ENOENT : 0;
	else if (r->pmu->kind == NTI_SIM_TRACEPOINT)
		ret = check_tracepoint(r);
	else if (r->pmu->kind == NTI_SIM_UNCORE && (r->cpu < 0 || is_sampling(&r->attr)))
		ret = -EINVAL;
	if (!ret && r->pmu->is_listed_only)
		ret = check_listed(r);
	if (ret)
		return ret;
	if (is_unsupported(r))
		return -ENOENT;
	if (!r->pmu->has_exclude && has_excludes(&r->attr))
		return -EINVAL;
	return is_sampling(&r->attr) && !r->pmu->can_interrupt ? -EOPNOTSUPP : 0;
}

/*
 * Events without a task need paranoid 0 or less. Uncore PMUs, and IBS before Linux 6.2, have no
 * task context at all.
 */
static int check_context(const struct request *r)
{
	if (r->pid != -1)
		return r->pmu->kind == NTI_SIM_UNCORE || strncmp(r->pmu->name, "ibs_", 4) == 0
			       ? -EINVAL
			       : 0;
	if (number_of(r->sim, PARANOID, 2) > 0 && !r->sim->m->is_perfmon)
		return -EACCES;
	return 0;
}

static int check_online(const struct request *r)
{
	return r->pid == -1 && !is_in(&r->sim->online, r->cpu) ? -ENODEV : 0;
}

static bool is_software(const struct nti_sim_pmu *pmu)
{
	return pmu->kind == NTI_SIM_SOFTWARE || pmu->kind == NTI_SIM_TRACEPOINT;
}

static int check_group(const struct request *r)
{
	const struct nti_sim_event *leader = r->leader;
	const struct nti_sim_pmu *bank;

	if (!leader)
		return 0;
	bank = leader->bank->pmu;
	if (leader->leader != leader || leader->cpu != r->cpu || leader->pid != r->pid ||
	    r->attr.exclusive || r->attr.pinned)
		return -EINVAL;
	if (is_software(r->pmu))
		return 0;
	if (!is_software(bank) && bank != r->pmu)
		return -EINVAL;
	return 0;
}

static uint64_t rate_of(const struct request *r)
{
	const struct nti_sim_counting *c = r->sim->counting;
	size_t i;

	for (i = 0; i < c->rate_count; i++)
		if (nti_sim_rule_matches(r->pmu, &r->attr, &c->rates[i].event))
			return c->rates[i].per_s;
	if (r->attr.type == PERF_TYPE_SOFTWARE && r->attr.config == PERF_COUNT_SW_DUMMY)
		return 0;
	return c->default_rate;
}

static uint64_t share_of(const struct request *r)
{
	unsigned int user = r->sim->counting->user_permille;

	return (r->attr.exclude_user ? 0 : user) + (r->attr.exclude_kernel ? 0 : 1000 - user);
}

static void event_init(struct nti_sim_event *event, const struct request *r)
{
	event->attr = r->attr;
	event->pmu = r->pmu;
	event->pid = r->pid;
	event->cpu = r->cpu;
	event->leader = event;
	event->rate = rate_of(r);
	event->share_permille = share_of(r);
	event->is_enabled = !r->attr.disabled || r->attr.enable_on_exec;
}

/* Lowest free descriptor. */
static int find_slot(struct nti_sim *sim)
{
	struct nti_sim_event **more;
	size_t i;

	for (i = sim->first_free; i < sim->event_count; i++)
		if (!sim->events[i])
			break;
	sim->first_free = i;
	if (i < sim->event_count)
		return (int)i;
	if (i >= NTI_SIM_MAX_EVENTS)
		return -EMFILE;
	if (i == sim->event_room) {
		size_t room = i ? 2 * i : 64;

		more = realloc(sim->events, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		sim->events = more;
		sim->event_room = room;
	}
	sim->events[i] = NULL;
	sim->event_count = i + 1;
	return (int)i;
}

static size_t group_length(const struct nti_sim_event *leader)
{
	size_t n = 0;

	for (; leader; leader = leader->next)
		n++;
	return n;
}

/* A group of software events that a hardware event joins moves to the hardware's counters. */
static void move_group(struct nti_sim_event *leader, struct nti_sim_bank *to)
{
	size_t length = group_length(leader);
	struct nti_sim_event *member;

	if (leader->bank == to)
		return;
	nti_sim_bank_remove(leader->bank, leader);
	leader->bank->events -= length;
	nti_sim_bank_add(to, leader);
	to->events += length;
	for (member = leader; member; member = member->next)
		member->bank = to;
}

static void append(struct nti_sim_event *leader, struct nti_sim_event *event)
{
	struct nti_sim_event *last = leader;

	while (last->next)
		last = last->next;
	last->next = event;
	event->leader = leader;
}

static int join(const struct request *r, struct nti_sim_event *event)
{
	const struct nti_sim_pmu *pmu =
		r->leader && is_software(r->pmu) ? r->leader->bank->pmu : r->pmu;
	struct nti_sim_bank *bank = nti_sim_bank_get(r->sim, pmu, r->pid, r->cpu, r->now_ns);

	if (!bank || nti_sim_bank_reserve(bank, group_length(r->leader) + 1) < 0)
		return -ENOMEM;
	event->bank = bank;
	nti_sim_advance(r->sim, bank, r->now_ns);
	if (r->leader) {
		nti_sim_advance(r->sim, r->leader->bank, r->now_ns);
		move_group(r->leader, bank);
		append(r->leader, event);
	} else {
		nti_sim_bank_add(bank, event);
	}
	bank->events++;
	return 0;
}

static int create(const struct request *r)
{
	struct nti_sim_event *event;
	int slot = find_slot(r->sim), ret;

	if (slot < 0)
		return slot;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	event_init(event, r);
	ret = join(r, event);
	if (ret < 0) {
		free(event);
		return ret;
	}
	event->id = r->sim->next_id++;
	r->sim->events[slot] = event;
	return NTI_SIM_FD + slot;
}

static int check(struct request *r, int group, unsigned long flags)
{
	int ret = check_permission(r);

	if (!ret)
		ret = check_period(r);
	/* A recording has no control groups and no buffers to redirect output to. */
	if (!ret && flags & (PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_OUTPUT))
		ret = -EOPNOTSUPP;
	if (!ret)
		ret = check_process(r);
	if (!ret)
		ret = check_group_fd(r, group, flags);
	if (!ret)
		ret = check_target(r);
	if (ret)
		return ret;
	r->pmu = nti_sim_pmu_find(r->sim, r->attr.type, r->attr.config);
	if (!r->pmu)
		return -ENOENT;
	ret = check_event(r);
	if (!ret)
		ret = check_context(r);
	if (!ret)
		ret = check_group(r);
	return ret;
}

/* What a read of the whole group will return. */
static size_t read_bytes(const struct request *r)
{
	uint64_t format = r->attr.read_format;
	size_t entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	return (3 + (group_length(r->leader) + 1) * entry) * sizeof(uint64_t);
}

/* Only now the event exists far enough to see whether it fits beside the others of its group. */
static int check_fit(const struct request *r)
{
	struct nti_sim_event event = { 0 };

	event_init(&event, r);
	if (read_bytes(r) >= NTI_SIM_MAX_READ_BYTES)
		return -E2BIG;
	if (r->pmu->kind != NTI_SIM_CORE && r->pmu->kind != NTI_SIM_UNCORE)
		return 0;
	return nti_sim_group_fits(r->sim, r->pmu, r->leader, &event) ? 0 : -EINVAL;
}

int nti_sim_open(struct nti_sim *sim, struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		 unsigned long flags, uint64_t now_ns)
{
	struct request r = { .sim = sim, .pid = pid, .cpu = cpu, .now_ns = now_ns };
	int ret;

	if (sim->m->denied_perf)
		return sim->m->denied_perf;
	if (flags & ~(unsigned long)OPEN_FLAGS)
		return -EINVAL;
	ret = copy_attr(&r.attr, attr);
	if (!ret)
		ret = check(&r, group, flags);
	if (!ret)
		ret = check_fit(&r);
	if (!ret)
		ret = check_online(&r);
	return ret ? ret : create(&r);
}
