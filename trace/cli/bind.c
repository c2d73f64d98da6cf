// SPDX-License-Identifier: MIT
/* ntime trace bind and unbind: a card to vfio-pci, and back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <ntime/trace/vfio.h>

#include "base/command/options.h"
#include "base/output/clean.h"
#include "base/output/say.h"
#include "trace/cli/trace.h"

enum {
	ID_FORCE = CLI_TRACE_OWN,
	ID_DRY_RUN,
	ID_ROOT,
};

struct lend {
	bool is_forced, is_dry;
};

static const struct cli_option bind_options[] = {
	{ ID_FORCE, "force", NULL,
	  "also functions that are in use: the console, mounted disks, networks" },
	{ ID_DRY_RUN, "dry-run", NULL, "print the writes instead of doing them" },
	{ ID_ROOT, "root", "DIR", "look for the system's files below DIR" },
	CLI_OPTION_END,
};

static const struct cli_option unbind_options[] = {
	{ ID_FORCE, "force", NULL,
	  "also functions that ntime did not bind: they go to the driver that Linux finds" },
	{ ID_DRY_RUN, "dry-run", NULL, "print the writes instead of doing them" },
	{ ID_ROOT, "root", "DIR", "look for the system's files below DIR" },
	CLI_OPTION_END,
};

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct lend *b = t->own;

	switch (o->id) {
	case ID_FORCE:
		b->is_forced = true;
		break;
	case ID_DRY_RUN:
		b->is_dry = true;
		break;
	default:
		t->root = value;
	}
	return 0;
}

/* As a shell could do it. Errors are told by the library's sentence. */
static int tell_write(void *arg, const struct ntime_vfio_write *write)
{
	const struct cli_trace *t = arg;
	const struct lend *b = t->own;

	if (b->is_dry)
		printf("echo %s > %s\n", cli_clean(write->text), cli_clean(write->path));
	else if (t->verbose && write->error == 0)
		cli_say("wrote '%s' to %s", write->text, write->path);
	return 0;
}

static int tell_function(void *arg, const struct ntime_vfio_function *f)
{
	unsigned int *group = arg;

	if (*group != f->group)
		printf("IOMMU group %u:\n", f->group);
	*group = f->group;
	printf("  %s %04x:%04x %s", f->name, f->vendor_device >> 16, f->vendor_device & 0xffff,
	       *f->driver ? cli_clean(f->driver) : "no driver");
	if (f->is_bridge)
		printf(", a bridge, which stays");
	else if (f->is_lent)
		printf(", lent by %s", *f->had ? cli_clean(f->had) : "nobody");
	putchar('\n');
	return 0;
}

/* How it is now, unless it was only looked at. */
static int tell_result(struct cli_trace *t, const char *nothing, int changed)
{
	const struct lend *b = t->own;
	unsigned int group = ~0u;
	int ret = 0;

	if (!changed && !t->is_quiet)
		cli_say("%s", nothing);
	if (!b->is_dry && !t->is_quiet)
		ret = ntime_vfio_function_for_each(t->ctx, t->operand[0], tell_function, &group);
	if (ret < 0)
		return cli_trace_say(t->ctx, ret);
	return cli_say_stdout_end();
}

static uint32_t flags_of(const struct lend *b)
{
	return (b->is_forced ? NTIME_VFIO_FORCE : 0) | (b->is_dry ? NTIME_VFIO_LOOK : 0);
}

static int run_bind(struct cli_trace *t)
{
	int ret = ntime_vfio_bind(t->ctx, t->operand[0], flags_of(t->own), tell_write, t);

	if (ret < 0)
		return cli_trace_say(t->ctx, ret);
	return tell_result(t, "nothing to do: vfio-pci already has the whole group", ret);
}

static int run_unbind(struct cli_trace *t)
{
	int ret = ntime_vfio_unbind(t->ctx, t->operand[0], flags_of(t->own), tell_write, t);

	if (ret < 0)
		return cli_trace_say(t->ctx, ret);
	return tell_result(t, "nothing to do: nothing of the group is lent", ret);
}

const struct cli_trace_action cli_trace_bind = {
	.name = "bind",
	.usage = "[--force] [--dry-run] BDF",
	.about = "bind a card and its IOMMU group to vfio-pci",
	.details = "BDF is the address of the card, such as 0000:05:00.0. All functions of its "
		   "IOMMU group except bridges are bound with it. Their drivers are recorded in "
		   "/run/ntime-vfio until 'ntime trace unbind' restores them; if one function "
		   "cannot be bound, all are restored at once.",
	.min = 1,
	.max = 1,
	.uses_machine = true,
	.options = bind_options,
	.set = set_option,
	.own_bytes = sizeof(struct lend),
	.run = run_bind,
};

const struct cli_trace_action cli_trace_unbind = {
	.name = "unbind",
	.usage = "[--force] [--dry-run] BDF",
	.about = "give a card and its IOMMU group back to their drivers",
	.details = "BDF is the address of any function of the group.",
	.min = 1,
	.max = 1,
	.uses_machine = true,
	.options = unbind_options,
	.set = set_option,
	.own_bytes = sizeof(struct lend),
	.run = run_unbind,
};
