// SPDX-License-Identifier: MIT
/*
 * Modifiers: the letters behind an event that say in which mode of the processor it counts, and
 * how.
 */
#include <errno.h>
#include <string.h>

#include "count/lib/event/resolve.h"

/* Letters and meaning: the kernel's tools/perf/Documentation/perf-list.txt, "event modifiers". */
#define LETTERS "ukhGHpPSDIWebR"
#define PRECISE_MAX 3 /* perf_event_attr.precise_ip has two bits */

static const struct refusal {
	char letter;
	const char *why;
} refusals[] = {
	{ 'P', "P (most precise) is about samples; p, pp and ppp ask for a precise event" },
	{ 'S', "S (read the group at a sample) is about samples" },
	{ 'W', "W (weak group) is not needed: groups that do not fit are reported" },
	{ 'b', "b (count in BPF) is not supported" },
	{ 'R', "R (retirement latency) is about samples" },
};

bool nti_mods_is(const char *text)
{
	return *text && strspn(text, LETTERS) == strlen(text);
}

static int refuse(char letter, const char *event, struct nti_error *e)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(refusals); i++)
		if (refusals[i].letter == letter)
			return nti_error(e, -EINVAL, "event '%s': modifier %s", event,
					 refusals[i].why);
	return nti_error(
		e, -EINVAL,
		"event '%s': '%c' is not a modifier; known are u k h G H p pp ppp I D e "
		"(user, kernel, hypervisor, guest, host, precise, not idle, pinned, exclusive)",
		event, letter);
}

int nti_mods_parse(const char *text, const char *event, struct nti_mods *out, struct nti_error *e)
{
	memset(out, 0, sizeof(*out));
	for (; *text; text++) {
		switch (*text) {
		case 'u':
			out->user = true;
			break;
		case 'k':
			out->kernel = true;
			break;
		case 'h':
			out->hv = true;
			break;
		case 'G':
			out->guest = true;
			break;
		case 'H':
			out->host = true;
			break;
		case 'I':
			out->idle = true;
			break;
		case 'D':
			out->pinned = true;
			break;
		case 'e':
			out->exclusive = true;
			break;
		case 'p':
			if (++out->precise > PRECISE_MAX)
				return nti_error(
					e, -EINVAL,
					"event '%s': more than three p; ppp is the most precise",
					event);
			break;
		default:
			return refuse(*text, event, e);
		}
	}
	return 0;
}

/*
 * PMUs outside the cores, msr and old cores count for all modes at once; the kernel refuses any
 * exclude_* bit for them.
 */
static bool can_exclude(const struct nti_unit *unit)
{
	return !unit || (unit->kind != NTI_UNIT_UNCORE && unit->kind != NTI_UNIT_DEVICE &&
			 !unit->is_mode_blind && strcmp(unit->name, "msr") != 0);
}

/*
 * What the kernel counts itself knows no mode, or one only: a count for another mode would be a
 * number of something else, or always 0.
 */
static int check_software(const struct nti_mods *mods, const struct nti_event *event,
			  struct nti_error *e)
{
	const struct perf_event_attr *attr = &event->part[0].attr;
	bool is_mode = mods->user || mods->kernel || mods->hv;

	if (mods->guest && !mods->host)
		return nti_error(
			e, -EINVAL,
			"event '%s': the kernel counts it for itself, never for guests (G)",
			event->name);
	if (attr->type != PERF_TYPE_SOFTWARE || !is_mode || nti_attr_is_clock(attr))
		return 0;
	if ((attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
	     attr->config == PERF_COUNT_SW_CPU_MIGRATIONS) &&
	    !mods->kernel)
		return nti_error(
			e, -EINVAL,
			"event '%s': it happens in the kernel alone; leave out the modifier u",
			event->name);
	return 0;
}

static int check_unit(const struct nti_mods *mods, const struct nti_event *event,
		      const struct nti_unit *unit, struct nti_error *e)
{
	bool is_filter =
		mods->user || mods->kernel || mods->hv || mods->guest || mods->host || mods->idle;

	if (unit && (unit->kind == NTI_UNIT_CLOCK || unit->kind == NTI_UNIT_PROC) &&
	    (is_filter || mods->precise || mods->pinned || mods->exclusive))
		return nti_error(e, -EINVAL,
				 "event '%s': it counts in every mode and takes no modifiers",
				 event->name);
	if (!can_exclude(unit) && (is_filter || mods->precise))
		return nti_error(e, -EINVAL,
				 "event '%s': %s counts for all modes at once and takes only the "
				 "modifiers D and e",
				 event->name, unit->name);
	if (unit && unit->kind == NTI_UNIT_SOFTWARE && (is_filter || mods->guest))
		return check_software(mods, event, e);
	if (mods->precise && unit && unit->kind != NTI_UNIT_CORE)
		return nti_error(e, -EINVAL,
				 "event '%s': only events of a core PMU can be precise (p)",
				 event->name);
	return 0;
}

/*
 * perf's rules (the kernel's tools/perf/util/parse-events.c): the first letter of u k h excludes
 * the other two, likewise G and H; a precise event leaves guests out unless G or H is given, as
 * their samples would be the host's.
 */
static void apply_to(const struct nti_mods *mods, struct nti_part *part)
{
	struct perf_event_attr *attr = &part->attr;

	if ((mods->user || mods->kernel || mods->hv) && !nti_attr_is_clock(attr)) {
		attr->exclude_user = !mods->user;
		attr->exclude_kernel = !mods->kernel;
		attr->exclude_hv = !mods->hv;
	}
	part->counts_guests = mods->guest;
	if (mods->guest || mods->host) {
		attr->exclude_guest = !mods->guest;
		attr->exclude_host = !mods->host;
	} else if (mods->precise) {
		attr->exclude_guest = 1;
	}
	if (mods->idle)
		attr->exclude_idle = 1;
	if (mods->precise)
		attr->precise_ip = mods->precise & PRECISE_MAX;
	if (mods->pinned)
		attr->pinned = 1;
	if (mods->exclusive)
		attr->exclusive = 1;
}

int nti_mods_apply(const struct nti_mods *mods, struct nti_event *event, struct nti_error *e)
{
	size_t i;
	int ret;

	for (i = 0; i < event->parts; i++) {
		ret = check_unit(mods, event, event->part[i].unit, e);
		if (ret < 0)
			return ret;
		apply_to(mods, &event->part[i]);
		event->is_every_mode |= nti_attr_is_clock(&event->part[i].attr) &&
					(mods->user || mods->kernel || mods->hv);
	}
	return 0;
}
