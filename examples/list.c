// SPDX-License-Identifier: MIT
/* What this machine can count, what it cannot, and what would change that. */
#include <stdio.h>

#include <ntime/ntime.h>

static void print(const char *name, const char *what, uint32_t usable, const char *reason,
		  const char *remedy)
{
	printf("  %-14s %s\n", name, what);
	if (*reason)
		printf("  %-14s %s: %s\n", "", usable ? "limited" : "not usable", reason);
	if (*remedy)
		printf("  %-14s remedy: %s\n", "", remedy);
}

static int print_method(void *arg, const struct ntime_method_info *method)
{
	(void)arg;
	print(method->name, method->reaches, method->usable, method->reason, method->remedy);
	return 0;
}

static int print_unit(void *arg, const struct ntime_unit_info *unit)
{
	(void)arg;
	print(unit->name, unit->desc, unit->usable, unit->reason, unit->remedy);
	return 0;
}

struct count {
	unsigned int all, usable;
};

static int count_event(void *arg, const struct ntime_event_info *event)
{
	struct count *count = arg;

	count->all++;
	count->usable += event->usable;
	return 0;
}

static int print_problem(void *arg, const struct ntime_problem *problem)
{
	(void)arg;
	print(ntime_remedy_kind_name(problem->remedy_kind), problem->what, 0, problem->reason,
	      problem->remedy);
	return 0;
}

int main(void)
{
	struct count events = { 0, 0 }, metrics = { 0, 0 };
	struct ntime_ctx *ctx;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0) {
		printf("ntime %s\naccess methods:\n", ntime_version());
		ret = ntime_method_for_each(ctx, print_method, NULL);
	}
	if (ret == 0) {
		printf("units:\n");
		ret = ntime_unit_for_each(ctx, print_unit, NULL);
	}
	if (ret == 0)
		ret = ntime_event_for_each(ctx, NULL, count_event, &events);
	if (ret == 0)
		ret = ntime_metric_for_each(ctx, count_event, &metrics);
	if (ret == 0) {
		printf("%u of %u events and %u of %u metrics can be counted\nproblems:\n",
		       events.usable, events.all, metrics.usable, metrics.all);
		ret = ntime_problem_for_each(ctx, print_problem, NULL);
	}
	if (ret < 0)
		fprintf(stderr, "list: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
	ntime_close(ctx);
	return ret < 0;
}
