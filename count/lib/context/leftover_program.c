// SPDX-License-Identifier: MIT
/*
 * What programs that were killed, or could not put it back, left running, program by program.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "count/lib/access/claim.h"
#include "count/lib/context/problem.h"
#include "count/lib/machine/unit.h"

/* A server has dozens of boxes: names beyond this are counted only. */
#define WHAT_BYTES 512

struct program {
	struct nti_claim_owner owner;
	char what[WHAT_BYTES];
	size_t pmus, unnamed, registers;
	bool has_kernel_unit;
};

struct killed {
	struct ntime_ctx *ctx;
	struct program *program;
	size_t programs;
	int (*fn)(void *arg, const char *what, const char *reason, const char *remedy);
	void *arg;
};

static struct program *program_of(struct killed *k, const struct nti_claim_owner *owner)
{
	for (size_t i = 0; i < k->programs; i++)
		if (k->program[i].owner.pid == owner->pid &&
		    strcmp(k->program[i].owner.command, owner->command) == 0)
			return &k->program[i];
	if (!nti_grow(&k->program, k->programs))
		return NULL;
	k->program[k->programs] = (struct program){ .owner = *owner };
	return &k->program[k->programs++];
}

/*
 * PMUs are called by their unit and a number: "uncore_imc_0-1". perf does not know of claims, and
 * counts there all the same.
 */
static bool has_kernel_unit(const struct ntime_ctx *ctx, const char *pmu)
{
	const char *dash = strrchr(pmu, '-');
	const struct nti_unit *unit;
	char name[NTI_CLAIM_NAME_BYTES];

	if (!dash)
		return false;
	(void)snprintf(name, sizeof(name), "%.*s", (int)(dash - pmu), pmu);
	unit = nti_units_find(&ctx->units, name);
	return unit && unit->method == NTI_METHOD_PERF && !unit->absent.reason;
}

static void name_pmu(struct program *p, const char *what)
{
	size_t used = strlen(p->what);

	if (p->unnamed || used + strlen(what) + 3 > sizeof(p->what)) {
		p->unnamed++;
		return;
	}
	(void)snprintf(p->what + used, sizeof(p->what) - used, "%s%s", used ? ", " : "", what);
}

static int tell_damaged(const struct killed *k, const struct nti_claim_leftover *left)
{
	char remedy[160];

	(void)snprintf(remedy, sizeof(remedy),
		       "see that no program counts with it, then: rm " NTI_CLAIM_DIRECTORY "/%s",
		       left->name);
	return k->fn(k->arg, "counters through msr and pci", left->what, remedy);
}

static int note(void *arg, const struct nti_claim_leftover *left)
{
	struct killed *k = arg;
	struct program *p;

	if (left->is_damaged)
		return tell_damaged(k, left);
	p = program_of(k, &left->owner);
	if (!p)
		return -ENOMEM;
	p->pmus++;
	p->registers += left->registers;
	p->has_kernel_unit |= has_kernel_unit(k->ctx, left->name);
	name_pmu(p, left->what);
	return 0;
}

static int tell_program(const struct killed *k, const struct program *p)
{
	char what[WHAT_BYTES + 32], reason[384], pmus[32] = "";

	(void)snprintf(what, sizeof(what), "%s", p->what);
	if (p->unnamed)
		(void)snprintf(what, sizeof(what), "%s and %zu more", p->what, p->unnamed);
	if (p->pmus > 1)
		(void)snprintf(pmus, sizeof(pmus), " of %zu boxes", p->pmus);
	(void)snprintf(reason, sizeof(reason), "%s (pid %d) left %zu register%s%s programmed%s",
		       *p->owner.command ? p->owner.command : "a program", (int)p->owner.pid,
		       p->registers, p->registers == 1 ? "" : "s", pmus,
		       p->has_kernel_unit ? "; the kernel's own driver (perf) knows nothing of it "
					    "and counts there all the same: end that before the "
					    "repair"
					  : "");
	return k->fn(k->arg, what, reason, "ntime doctor --repair");
}

int nti_leftover_program_for_each(struct ntime_ctx *ctx,
				  int (*fn)(void *arg, const char *what, const char *reason,
					    const char *remedy),
				  void *arg)
{
	struct killed k = { .ctx = ctx, .fn = fn, .arg = arg };
	int ret = nti_claim_for_each_leftover(ctx->os, note, &k);

	for (size_t i = 0; ret == 0 && i < k.programs; i++)
		ret = tell_program(&k, &k.program[i]);
	free(k.program);
	return ret;
}
