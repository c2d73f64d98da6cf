// SPDX-License-Identifier: MIT
/*
 * Tracepoints: "sched:sched_switch", numbered by the kernel in a file that often only root may
 * read.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/common/text.h"
#include "count/lib/event/resolve.h"
#include "base/os/file.h"

/*
 * tracefs has been at the first place since Linux 4.1, and is seen at the second where debugfs is
 * mounted.
 */
#define TRACEFS "/sys/kernel/tracing"
static const char *const roots[] = { TRACEFS, "/sys/kernel/debug/tracing" };

#define SYSTEM_BYTES 64

/*
 * Names of systems and events are C identifiers (Linux kernel/trace/trace_events.c); systems use
 * small letters.
 */
static bool split(const char *text, char *system, const char **event)
{
	const char *colon = strchr(text, ':'), *p;
	size_t length = colon ? (size_t)(colon - text) : 0;

	if (!length || length >= SYSTEM_BYTES || !colon[1])
		return false;
	for (p = text; *p; p++)
		if (p != colon && !nti_text_is_alnum(*p) && *p != '_' && *p != '-')
			return false;
	memcpy(system, text, length);
	system[length] = '\0';
	*event = colon + 1;
	return true;
}

static int stop_at_first(void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return 1;
}

/*
 * 0; -ENOENT; -EACCES when only others may look; -ENOTDIR when the file system with the numbers is
 * not mounted.
 */
static int read_id(struct nti_os *os, const char *system, const char *event, uint64_t *id)
{
	int result = -ENOTDIR, ret;
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(roots); i++) {
		ret = nti_os_u64(os, id, "%s/events/%s/%s/id", roots[i], system, event);
		if (ret == 0)
			return 0;
		if (ret == -EACCES || ret == -EPERM)
			result = -EACCES;
		else if (nti_os_list(os, stop_at_first, NULL, "%s/events", roots[i]) == 1)
			return -ENOENT;
	}
	return result;
}

static int add(const struct nti_names *names, uint64_t id, const char *text, struct nti_event *out)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .config = id };
	char desc[160];

	(void)snprintf(desc, sizeof(desc), "times that the kernel passed the tracepoint %.100s",
		       text);
	if (nti_event_add_part(out, nti_units_find(names->units, "tracepoint"), &attr) < 0)
		return -ENOMEM;
	return nti_event_describe(out, desc, "");
}

/* Files of tracefs are for root, whoever may look into its folders (Linux fs/tracefs). */
#define REMEDY                                                                                     \
	"as root: mount -t tracefs nodev " TRACEFS "; for other users also: chmod a+rx " TRACEFS   \
	"; chmod -R a+rX " TRACEFS "/events; sysctl kernel.perf_event_paranoid=1"

/* Why read_id() gave @error. */
static const struct nti_why *why_no_id(struct nti_os *os, int error)
{
	static const struct nti_why closed = {
		NTIME_REASON_PERMISSION,
		TRACEFS,
		"only root may read " TRACEFS "/events, where the numbers of tracepoints are",
		REMEDY,
	};
	static const struct nti_why not_mounted = {
		NTIME_REASON_NOT_MOUNTED,
		TRACEFS,
		TRACEFS "/events, where the numbers of tracepoints are, is not mounted",
		REMEDY,
	};
	static const struct nti_why not_there = {
		NTIME_REASON_KERNEL,
		TRACEFS,
		"there is no " TRACEFS ": the kernel has no tracefs, or /sys is not mounted",
		"boot a kernel built with CONFIG_FTRACE=y, or as root: mount -t sysfs nodev /sys",
	};

	if (error == -EACCES)
		return &closed;
	return os->is_simulated || nti_os_exists(os, TRACEFS) ? &not_mounted : &not_there;
}

static int stop_at_event(void *arg, const struct nti_event_entry *entry)
{
	(void)arg;
	(void)entry;
	return 1;
}

const struct nti_why *nti_tracepoint_problem(const struct nti_names *names)
{
	uint64_t id;
	int ret = nti_tracepoint_for_each(names, stop_at_event, NULL);

	return ret == 1 ? &nti_why_nothing
			: why_no_id(names->os, read_id(names->os, "sched", "sched_switch", &id));
}

int nti_tracepoint_resolve(const struct nti_names *names, const char *text, struct nti_event *out,
			   struct nti_error *e)
{
	char system[SYSTEM_BYTES];
	const char *event;
	uint64_t id;
	int ret;

	if (!split(text, system, &event) || !nti_os_is_component(event))
		return -ENOENT;
	ret = read_id(names->os, system, event, &id);
	if (ret == 0) {
		ret = add(names, id, text, out);
	} else if (ret != -ENOENT && system[0] >= 'a' && system[0] <= 'z') {
		ret = nti_absence_set_why(&out->absent, why_no_id(names->os, ret));
		if (ret >= 0)
			ret = nti_event_describe(out, "tracepoint", "");
	} else {
		return -ENOENT;
	}
	return ret < 0 ? nti_event_no_memory(e, text) : 0;
}

struct lister {
	const struct nti_names *names;
	const char *root;
	char system[SYSTEM_BYTES];
	int (*fn)(void *arg, const struct nti_event_entry *entry);
	void *arg;
	int stop; /* what @fn returned, apart from what reading a directory may return */
};

static int list_event(void *arg, const char *event)
{
	struct lister *l = arg;
	struct nti_event_entry entry = { .desc = "", .unit_name = "tracepoint", .unit_text = "" };
	char name[NTI_SYSFS_PATH_BYTES];
	uint64_t id;

	/* Directories also hold the files "enable" and "filter", which have no id. */
	if (nti_os_u64(l->names->os, &id, "%s/events/%s/%s/id", l->root, l->system, event) < 0)
		return 0;
	(void)snprintf(name, sizeof(name), "%s:%s", l->system, event);
	entry.name = name;
	entry.unit = nti_units_find(l->names->units, "tracepoint");
	l->stop = l->fn(l->arg, &entry);
	return l->stop;
}

static int list_system(void *arg, const char *system)
{
	struct lister *l = arg;
	int ret;

	l->system[0] = '\0';
	if (!nti_text_append(l->system, sizeof(l->system), system))
		return 0;
	/* "enable", "header_page" and so on are files: not being able to list them is expected. */
	ret = nti_os_list(l->names->os, list_event, l, "%s/events/%s", l->root, system);
	if (l->stop)
		return l->stop;
	return ret == -ENOMEM ? ret : 0;
}

int nti_tracepoint_for_each(const struct nti_names *names,
			    int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg)
{
	struct lister l = { .names = names, .fn = fn, .arg = arg };
	size_t i;
	int ret;

	for (i = 0; i < NTI_ARRAY_SIZE(roots); i++) {
		l.root = roots[i];
		ret = nti_os_list(names->os, list_system, &l, "%s/events", l.root);
		if (l.stop || ret == -ENOMEM)
			return l.stop ? l.stop : ret;
		if (ret >= 0)
			return 0; /* both places show the same */
	}
	return 0;
}
