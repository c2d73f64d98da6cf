// SPDX-License-Identifier: MIT
/* ntime doctor --repair: switch off what killed programs left running. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/list.h>

#include "base/command/command.h"
#include "count/cli/doctor/repair.h"
#include "count/cli/shared/machine.h"
#include "base/output/memory.h"
#include "base/output/say.h"
#include "base/output/term.h"

/* One PMU instance; strings of our own, since the library cannot be called while it tells. */
struct left {
	char *name, *what, *command;
	int pid;
	uint64_t registers;
};

struct repair {
	struct ntime_ctx *ctx;
	struct left *left;
	size_t n;
	bool is_look;
};

static int note(void *arg, const struct ntime_leftover *left)
{
	struct repair *r = arg;

	cli_grow(&r->left, r->n);
	r->left[r->n++] = (struct left){ .name = cli_strdup(left->name),
					 .what = cli_strdup(left->what),
					 .command = cli_strdup(left->command),
					 .pid = left->pid,
					 .registers = left->registers };
	return 0;
}

static void forget(struct repair *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->left[i].name);
		free(r->left[i].what);
		free(r->left[i].command);
	}
	free(r->left);
}

static int put_step(void *arg, const struct ntime_repair_step *step)
{
	const struct repair *r = arg;

	printf("  %s of %s: ", step->name, step->device);
	switch (step->error) {
	case 0:
		if (step->found == step->now)
			printf("%#llx, does not run\n", (unsigned long long)step->found);
		else
			printf(r->is_look ? "holds %#llx, off it is %#llx\n"
					  : "found %#llx, now %#llx\n",
			       (unsigned long long)step->found, (unsigned long long)step->now);
		break;
	case -EBUSY:
		printf("%#llx, left unchanged: another program uses it now\n",
		       (unsigned long long)step->found);
		break;
	case -ENODEV:
		puts("gone, with its value");
		break;
	default:
		printf("not switched off: %s\n", *step->why ? step->why : strerror(-step->error));
	}
	return 0;
}

/* Look at one PMU instance, or switch it off. 0 or CLI_EXIT_FAILED. */
static int repair_one(struct repair *r, const struct left *l)
{
	int ret;

	printf("%s, left by %s (pid %d):\n", l->what, *l->command ? l->command : "a program",
	       l->pid);
	ret = ntime_repair(r->ctx, l->name, r->is_look ? NTIME_REPAIR_LOOK : 0, put_step, r);
	/* Sentences go to stderr and belong below the lines. */
	fflush(stdout);
	/* Somebody else was faster. */
	if (ret == -ENOENT) {
		puts("  nothing left to repair");
		return 0;
	}
	if (ret >= 0)
		return 0;
	(void)cli_machine_say(r->ctx, ret);
	if (ret == -EIO)
		cli_say("as soon as these registers can be reached: ntime doctor --repair");
	return CLI_EXIT_FAILED;
}

static int repair_all(struct repair *r, bool is_look)
{
	int status = 0, ret;

	r->is_look = is_look;
	for (size_t i = 0; i < r->n; i++) {
		if (!r->left[i].registers)
			continue;
		ret = repair_one(r, &r->left[i]);
		status = status ? status : ret;
	}
	return status;
}

/* Files that nothing can be repaired with: how many, each of them told. */
static size_t say_damaged(const struct repair *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->left[i].registers)
			continue;
		cli_say("%s; remove it when no program counts with it", r->left[i].what);
		n++;
	}
	return n;
}

/* Who cannot be asked has not agreed. */
static bool ask(void)
{
	char answer[16];

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		cli_say("nothing was written, because there is no terminal to ask on: add --yes");
		return false;
	}
	fputs("Write these registers? [y/N] ", stdout);
	fflush(stdout);
	if (!fgets(answer, sizeof(answer), stdin)) {
		putchar('\n');
		answer[0] = '\0';
	}
	if (answer[0] == 'y' || answer[0] == 'Y')
		return true;
	cli_say("nothing was written");
	return false;
}

/* 1: go on, 0: no, CLI_EXIT_FAILED. */
static int is_wanted(struct repair *r, bool is_sure)
{
	int ret;

	if (is_sure)
		return 1;
	ret = repair_all(r, true);
	if (ret)
		return ret;
	return ask();
}

static int repair(struct repair *r, bool is_sure)
{
	size_t damaged = say_damaged(r);
	int ret;

	if (r->n == damaged) {
		if (!damaged)
			puts("nothing to repair: no program left counters running");
		return damaged ? CLI_EXIT_FAILED : 0;
	}
	ret = is_wanted(r, is_sure);
	if (ret == 0)
		return CLI_EXIT_FAILED;
	if (ret == 1)
		ret = repair_all(r, false);
	return ret || !damaged ? ret : CLI_EXIT_FAILED;
}

int cli_doctor_repair(struct ntime_ctx *ctx, bool is_sure)
{
	struct repair r = { .ctx = ctx };
	int ret = ntime_leftover_for_each(ctx, note, &r);

	if (ret < 0)
		ret = cli_machine_say(ctx, ret);
	else
		ret = repair(&r, is_sure);
	forget(&r);
	return ret ? ret : cli_say_stdout_end();
}
