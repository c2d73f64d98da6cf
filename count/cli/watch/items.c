// SPDX-License-Identifier: MIT
/* What is watched: operands to items, and the reasons of what is missing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/list.h>

#include "count/cli/shared/machine.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "count/cli/watch/items.h"

/*
 * What is worth seeing of any machine, those that hardware lacks left out. Names that no table has
 * are no metrics of this architecture.
 */
static const char *const overview[] = {
	"CPU-use",
	"user-share",
	"system-share",
	"iowait-share",
	"steal-share",
	"CPU-pressure",
	"memory-pressure",
	"IO-pressure",
	"cgroup-CPUs",
	CLI_WATCH_QUOTA,
	"proc/cgroup-throttled/",
	"IPC",
	"busy-frequency",
	"proc/frequency/",
	"active-share",
	"memory-read-bandwidth",
	"memory-write-bandwidth",
	"package-power",
	"DRAM-power",
	"thermal-headroom",
	"proc/temperature/",
	"core-thermal-limit",
	"core-prochot",
	"core-power-limit",
	"package-thermal-limit",
	"package-prochot",
	"package-power-limit",
	"proc/core-throttles/",
	"memory-throttled-share",
	"context-switches",
	"proc/context-switches/",
	"page-faults",
	"proc/page-faults/",
	"proc/major-faults/",
	NULL,
};

/* Of the overview: who has the first, per CPU and to the bit, needs not the kernel's file. */
static const char *const twins[][2] = {
	{ "context-switches", "proc/context-switches/" },
	{ "page-faults", "proc/page-faults/" },
	{ "busy-frequency", "proc/frequency/" },
};

/* A copy of @from; its strings are the caller's, to be freed by absence_fini(). */
static struct cli_absence absence_copy(const struct cli_absence *from)
{
	return (struct cli_absence){
		.name = cli_strdup(from->name),
		.reason = cli_strdup(from->reason),
		.remedy = cli_strdup(from->remedy),
		.about = cli_strdup(from->about),
		.cause = cli_strdup(from->cause),
		.reason_code = from->reason_code,
		.remedy_kind = from->remedy_kind,
	};
}

static void absence_fini(struct cli_absence *absence)
{
	free((char *)absence->name);
	free((char *)absence->reason);
	free((char *)absence->remedy);
	free((char *)absence->about);
	free((char *)absence->cause);
}

static void add_absence(struct cli_watch_items *items, const struct cli_absence *absence)
{
	/* It may have been asked for twice. */
	for (size_t i = 0; i < items->absences; i++)
		if (strcmp(items->absence[i].name, absence->name) == 0)
			return;
	cli_grow(&items->absence, items->absences);
	items->absence[items->absences++] = absence_copy(absence);
}

static void add_item(struct cli_watch_items *items, const struct cli_row_item *item)
{
	add_absence(items, &CLI_ABSENCE(item->name, &item->info));
}

/* Each of its events is counted, but in no row are all of them. */
static void add_item_of_two_rows(struct cli_watch_items *items, const struct cli_row_item *item)
{
	static const char why[] = "no row has all its events: some are of CPUs, some of a device";

	add_absence(items, &(struct cli_absence){ .name = item->name,
						  .reason = why,
						  .remedy = "ntime stat -a",
						  .about = item->name,
						  .cause = why,
						  .reason_code = NTIME_REASON_NOT_SUPPORTED,
						  .remedy_kind = NTIME_REMEDY_HERE });
}

static bool has_item(const struct ntime_session *s, const char *name)
{
	for (size_t i = 0; i < ntime_session_count(s); i++) {
		struct ntime_item item = { .size = sizeof(item) };

		if (ntime_session_item(s, i, &item) == 0 && !item.is_hidden &&
		    strcmp(item.name, name) == 0)
			return true;
	}
	return false;
}

/*
 * The library's metrics, asked for once: why each cannot be counted takes its time. They are added
 * after the walk, for the library is not to be changed while it tells.
 */
struct metrics {
	struct known {
		struct cli_absence metric;
		char *group;
	} * known;
	size_t n;
};

static int keep_metric(void *arg, const struct ntime_event_info *metric)
{
	struct metrics *all = arg;

	cli_grow(&all->known, all->n);
	all->known[all->n++] = (struct known){
		.metric = absence_copy(&CLI_ABSENCE(metric->name, metric)),
		.group = cli_strdup(metric->group ? metric->group : ""),
	};
	return 0;
}

static void metrics_fini(struct metrics *all)
{
	for (size_t i = 0; i < all->n; i++) {
		absence_fini(&all->known[i].metric);
		free(all->known[i].group);
	}
	free(all->known);
}

static int add_found(struct cli_watch_items *items, struct ntime_ctx *ctx, struct ntime_session *s,
		     const struct cli_absence *metric)
{
	int ret;

	if (has_item(s, metric->name))
		return 0;
	ret = ntime_session_add(s, metric->name, NULL);
	/* None of its formulas has all of its events here: that is an answer, not a mistake. */
	if (ret == -ENOENT) {
		add_absence(items, *metric->reason
					   ? metric
					   : &(struct cli_absence){
						     .name = metric->name,
						     .reason = ntime_error_text(ctx),
						     .remedy = "",
						     .about = metric->name,
						     .cause = ntime_error_text(ctx),
						     .reason_code = NTIME_REASON_UNKNOWN_EVENT });
		return 0;
	}
	return cli_machine_check(ctx, ret);
}

/*
 * Add the metrics of the group @word, or the one that is called so. How many there were, or -errno
 * after a sentence.
 */
static int add_metrics(struct cli_watch_items *items, struct ntime_ctx *ctx,
		       struct ntime_session *s, const struct metrics *all, bool is_group,
		       const char *word)
{
	int ret = 0, n = 0;

	for (size_t i = 0; i < all->n && ret >= 0; i++) {
		const struct known *k = &all->known[i];

		if (strcmp(is_group ? k->group : k->metric.name, word) != 0)
			continue;
		ret = add_found(items, ctx, s, &k->metric);
		n++;
	}
	return ret < 0 ? ret : n;
}

static int add_wish(struct cli_watch_items *items, struct ntime_ctx *ctx, struct ntime_session *s,
		    const struct metrics *all, const struct cli_watch_wish *wish)
{
	int ret;

	if (wish->kind == CLI_WISH_OPERAND) {
		ret = add_metrics(items, ctx, s, all, true, wish->text);
		if (ret || has_item(s, wish->text))
			return ret < 0 ? ret : 0;
	}
	/* The commas of a formula part arguments. */
	if (wish->kind != CLI_WISH_METRIC || !strchr(wish->text, '='))
		return cli_machine_check(ctx, ntime_session_add_list(s, wish->text));
	return cli_machine_check(ctx, ntime_session_add(s, wish->text, NULL));
}

static int add_overview(struct cli_watch_items *items, struct ntime_ctx *ctx,
			struct ntime_session *s, const struct metrics *all)
{
	items->is_overview = true;
	for (const char *const *name = overview; *name; name++) {
		int ret = add_metrics(items, ctx, s, all, false, *name);

		if (!ret) {
			ret = ntime_session_add(s, *name, NULL);
			if (ret < 0 && ret != -ENOENT)
				cli_machine_say(ctx, ret);
		}
		if (ret < 0 && ret != -ENOENT)
			return ret;
	}
	return 0;
}

int cli_watch_items_add(struct cli_watch_items *items, struct ntime_ctx *ctx,
			struct ntime_session *s, const struct cli_watch_wish *wish, size_t n)
{
	bool has_operand = !n;
	struct metrics all = { NULL };
	int ret = 0;

	for (size_t i = 0; i < n; i++)
		has_operand |= wish[i].kind == CLI_WISH_OPERAND;
	if (has_operand)
		ret = cli_machine_check(ctx, ntime_metric_for_each(ctx, keep_metric, &all));
	if (!ret && !n)
		ret = add_overview(items, ctx, s, &all);
	for (size_t i = 0; i < n && !ret; i++)
		ret = add_wish(items, ctx, s, &all, &wish[i]);
	metrics_fini(&all);
	return ret;
}

/* CPUs that leave it to others say nothing of it. */
static bool is_absent_everywhere(const struct ntime_value *values, size_t n, size_t where_count,
				 size_t item)
{
	size_t absent = 0;

	for (size_t p = 0; p < where_count; p++) {
		uint32_t flags = values[p * n + item].flags;

		if (!(flags & (NTIME_ABSENT | NTIME_ELSEWHERE)))
			return false;
		absent += (flags & NTIME_ABSENT) != 0;
	}
	return absent;
}

static struct cli_row_item *find_item(const struct cli_watch_items *items, const char *name)
{
	for (size_t i = 0; i < items->n; i++)
		if (strcmp(items->item[i].name, name) == 0)
			return &items->item[i];
	return NULL;
}

static void drop_absence(struct cli_watch_items *items, const char *name)
{
	size_t kept = 0;

	for (size_t i = 0; i < items->absences; i++) {
		if (strcmp(items->absence[i].name, name) == 0)
			absence_fini(&items->absence[i]);
		else
			items->absence[kept++] = items->absence[i];
	}
	items->absences = kept;
}

/* One of two is enough: the other is neither shown nor missed. Nor is a quota that is not set. */
static void settle_twins(struct cli_watch_items *items)
{
	const struct cli_row_item *quota = find_item(items, CLI_WATCH_QUOTA);

	if (items->is_overview && quota && quota->is_missing) {
		drop_absence(items, "cgroup-CPUs");
		drop_absence(items, CLI_WATCH_QUOTA);
		drop_absence(items, "proc/cgroup-throttled/");
	}
	for (size_t i = 0; items->is_overview && i < sizeof(twins) / sizeof(twins[0]); i++) {
		struct cli_row_item *first = find_item(items, twins[i][0]);
		struct cli_row_item *second = find_item(items, twins[i][1]);
		bool has_first = first && first->is_shown, has_second = second && second->is_shown;

		if (has_first && has_second) {
			second->is_shown = false;
			items->shown--;
		}
		if (has_first)
			drop_absence(items, twins[i][1]);
		else if (has_second)
			drop_absence(items, twins[i][0]);
	}
}

static bool is_simulated(const struct ntime_value *values, size_t n, size_t where_count,
			 size_t item)
{
	uint32_t flags = 0;

	for (size_t p = 0; p < where_count; p++)
		flags |= values[p * n + item].flags;
	return flags & NTIME_SIMULATED;
}

static void describe(struct cli_watch_items *items, struct cli_row_item *item, bool shows_hidden)
{
	size_t chars =
		item->info.is_metric ? strcspn(item->info.name, "[=") : strlen(item->info.name);

	item->name = cli_strndup(item->info.name, chars);
	item->has_rate = !item->info.is_metric && !item->info.is_state;
	item->is_shown = !item->is_missing && (!item->info.is_hidden || shows_hidden);
	items->shown += item->is_shown;
	if (!item->is_missing || item->info.is_hidden)
		return;
	if (!item->info.reason_code && item->info.scope == NTIME_SCOPE_DEVICE)
		add_item_of_two_rows(items, item);
	else
		add_item(items, item);
}

int cli_watch_items_of_ring(struct cli_watch_items *items, const struct ntime_frame_ring *ring,
			    const struct ntime_value *values, size_t n, bool shows_hidden)
{
	items->n = n;
	items->item = cli_calloc(n + 1, sizeof(*items->item));
	for (size_t i = 0; i < n; i++) {
		struct cli_row_item *item = &items->item[i];
		int ret;

		item->info.size = sizeof(item->info);
		ret = ntime_frame_ring_item(ring, i, &item->info);
		if (ret < 0)
			return ret;
		/* A device that has gone since has its numbers in the frames before. */
		item->is_missing =
			is_absent_everywhere(values, n, 1, i) && !(values[i].flags & NTIME_GONE);
		describe(items, item, shows_hidden);
		/*
		 * A frame is its own measure, and not each value is of the frame that it stands in.
		 */
		item->has_rate = false;
		items->is_simulated |= is_simulated(values, n, 1, i);
	}
	settle_twins(items);
	return 0;
}

int cli_watch_items_describe(struct cli_watch_items *items, struct ntime_session *s,
			     const struct ntime_value *values, size_t where_count,
			     bool shows_hidden)
{
	int ret = 0;

	items->n = ntime_session_count(s);
	items->item = cli_calloc(items->n + 1, sizeof(*items->item));
	for (size_t i = 0; i < items->n && !ret; i++) {
		struct cli_row_item *item = &items->item[i];

		ret = cli_row_item_learn(item, s, i);
		if (ret < 0)
			break;
		item->is_missing = is_absent_everywhere(values, items->n, where_count, i);
		describe(items, item, shows_hidden);
		items->is_simulated |= is_simulated(values, items->n, where_count, i);
	}
	if (!ret)
		settle_twins(items);
	return ret;
}

void cli_watch_items_lose(struct cli_watch_items *items, const struct ntime_session *s, size_t i)
{
	struct cli_row_item *item = &items->item[i];

	item->is_gone = true;
	(void)ntime_session_item(s, i, &item->info);
	add_item(items, item);
}

static void say_absence(void *arg, const char *sentence)
{
	(void)arg;
	cli_say("not here: %s", sentence);
}

void cli_watch_items_tell(const struct cli_watch_items *items, const char *command, bool is_verbose)
{
	bool is_brief = items->is_overview && !is_verbose;

	cli_absences_tell(items->absence, items->absences, is_brief, say_absence, NULL);
	if (is_brief && items->absences)
		cli_say("'ntime %s -v' prints why", command);
}

int cli_watch_items_check(const struct cli_watch_items *items, size_t n)
{
	if (n)
		return 0;
	cli_absences_tell(items->absence, items->absences, false, say_absence, NULL);
	cli_say("none of the requested events can be counted here");
	return -ENOENT;
}

void cli_watch_items_fini(struct cli_watch_items *items)
{
	for (size_t i = 0; items->item && i < items->n; i++)
		free(items->item[i].name);
	free(items->item);
	for (size_t i = 0; i < items->absences; i++)
		absence_fini(&items->absence[i]);
	free(items->absence);
	*items = (struct cli_watch_items){ 0 };
}
