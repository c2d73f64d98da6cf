// SPDX-License-Identifier: MIT
/*
 * Registers that a measurement of ours could not restore: told at its end, since it is over and
 * nobody else would.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/list.h>

#include "base/command/command.h"
#include "count/cli/shared/leftover.h"
#include "base/output/memory.h"
#include "base/output/say.h"

#define NAME_BYTES 64

/* One PMU instance; strings of our own, since the library cannot be called while it tells. */
struct pmu {
	char name[NAME_BYTES], what[NAME_BYTES];
	uint64_t registers;
};

struct leftover {
	struct pmu *pmu;
	size_t n;
	char gone[NAME_BYTES]; /* a device that is no more */
};

static int note_pmu(void *arg, const struct ntime_leftover *left)
{
	struct leftover *l = arg;
	struct pmu *b;

	if (left->pid != (int32_t)getpid() || !left->registers)
		return 0;
	cli_grow(&l->pmu, l->n);
	b = &l->pmu[l->n++];
	*b = (struct pmu){ .registers = left->registers };
	(void)snprintf(b->name, sizeof(b->name), "%s", left->name);
	(void)snprintf(b->what, sizeof(b->what), "%s", left->what);
	return 0;
}

static int note_gone(void *arg, const struct ntime_repair_step *step)
{
	struct leftover *l = arg;

	if (step->error == -ENODEV)
		(void)snprintf(l->gone, sizeof(l->gone), "%s", step->device);
	return 0;
}

/*
 * Looking at the registers once more tells why: the library's sentence has the reason, but for
 * devices that are gone. False: somebody was faster and has put them back.
 */
static bool say_pmu(struct ntime_ctx *ctx, struct leftover *l, const struct pmu *b)
{
	int ret;

	l->gone[0] = '\0';
	ret = ntime_repair(ctx, b->name, NTIME_REPAIR_LOOK, note_gone, l);
	if (ret == -ENOENT)
		return false;
	if (ret < 0)
		cli_say("%s was not restored: %s", b->what, ntime_error_text(ctx));
	else
		cli_say("%s was not restored: %llu register%s on record%s%s%s", b->what,
			(unsigned long long)b->registers, b->registers == 1 ? " stays" : "s stay",
			*l->gone ? ": " : "", l->gone, *l->gone ? " is gone" : "");
	return true;
}

int cli_leftover_say(struct ntime_ctx *ctx)
{
	struct leftover l = { .n = 0 };
	bool is_told = false;
	int ret = 0;

	/* Who may not look into the records has made none. */
	if (ctx && ntime_leftover_for_each(ctx, note_pmu, &l) == -ENOMEM)
		ret = cli_say_no_memory();
	for (size_t i = 0; i < l.n; i++)
		is_told |= say_pmu(ctx, &l, &l.pmu[i]);
	if (is_told) {
		cli_say("as soon as these registers can be reached: ntime doctor --repair");
		ret = CLI_EXIT_FAILED;
	}
	free(l.pmu);
	return ret;
}
