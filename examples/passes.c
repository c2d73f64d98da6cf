// SPDX-License-Identifier: MIT
/*
 * More events than counters, and work that can be repeated: once per pass, so that nothing is
 * extrapolated.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <ntime/ntime.h>

static volatile unsigned int sink;

static void work(void)
{
	unsigned int i;

	for (i = 0; i < 1000000; i++)
		sink += i * i;
}

static int run_all_passes(struct ntime_session *s)
{
	unsigned int pass, n;
	int ret = ntime_session_open(s);

	if (ret < 0)
		return ret;
	n = ntime_session_passes(s);
	printf("%u pass%s\n", n, n == 1 ? "" : "es");
	for (pass = 1; pass < n; pass++)
		printf("  pass %u is needed because %s\n", pass, ntime_session_plan_text(s, pass));
	ret = ntime_session_start(s);
	while (ret >= 0) {
		work();
		ret = ntime_session_next_pass(s);
	}
	return ret == -ENODATA ? 0 : ret; /* that was the last one */
}

static int print_all(struct ntime_session *s)
{
	size_t i, n = ntime_session_count(s);
	struct ntime_value *values = calloc(n, sizeof(*values));
	int ret = values ? ntime_session_read(s, values, n) : -ENOMEM;

	for (i = 0; ret >= 0 && i < n; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		ret = ntime_session_item(s, i, &item);
		if (ret < 0)
			break;
		if (values[i].flags & NTIME_ABSENT)
			printf("%-22s absent: %s\n", item.name, item.reason);
		else if (values[i].flags & NTIME_NOT_COUNTED)
			printf("%-22s not counted\n", item.name);
		else
			printf("%-22s %15.0f %s in pass %u\n", item.name, values[i].value,
			       item.unit_text, item.pass);
	}
	free(values);
	return ret;
}

int main(void)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = NTIME_TARGET_THREAD,
				       .flags = NTIME_BY_PASS };
	struct ntime_session *s = NULL;
	struct ntime_ctx *ctx;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0)
		ret = ntime_session_new(ctx, &target, &s);
	if (ret == 0)
		ret = ntime_session_add_list(
			s, "task-clock,page-faults,cycles,instructions,branches,branch-misses,"
			   "cache-references,cache-misses,L1-dcache-loads,L1-dcache-load-misses,"
			   "dTLB-loads,dTLB-load-misses,iTLB-load-misses");
	if (ret == 0)
		ret = run_all_passes(s);
	if (ret == 0)
		ret = print_all(s);
	if (ret < 0)
		fprintf(stderr, "passes: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
	ntime_session_free(s);
	ntime_close(ctx);
	return ret < 0;
}
