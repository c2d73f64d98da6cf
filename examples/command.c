// SPDX-License-Identifier: MIT
/*
 * Runs a command with counters on it and its children, from its first instruction on: command
 * [COMMAND [ARGUMENT...]]
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>

#include <ntime/ntime.h>

#define MAX_ITEMS 16

static int print_item(const struct ntime_session *s, size_t i, const struct ntime_value *v)
{
	struct ntime_item item = { .size = sizeof(item) };
	int ret = ntime_session_item(s, i, &item);

	if (ret < 0)
		return ret;
	if (v->flags & NTIME_ABSENT)
		printf("%-18s absent: %s\n", item.name, item.reason);
	else if (v->flags & NTIME_NOT_COUNTED)
		printf("%-18s not counted\n", item.name);
	else
		printf("%-18s %.15g %s%s\n", item.name, v->value, item.unit_text,
		       v->flags & NTIME_SCALED ? " (estimated)" : "");
	return 0;
}

static int print_all(struct ntime_session *s, const struct ntime_command_end *end)
{
	struct ntime_value values[MAX_ITEMS];
	size_t i, n = ntime_session_count(s);
	int ret;

	if (n > MAX_ITEMS)
		return -E2BIG;
	ret = ntime_session_read(s, values, n);
	for (i = 0; ret >= 0 && i < n; i++)
		ret = print_item(s, i, &values[i]);
	printf("real %.3f s, user %.3f s, sys %.3f s\n", 1e-9 * (double)end->real_ns,
	       1e-9 * (double)end->user_ns, 1e-9 * (double)end->sys_ns);
	return ret;
}

/* Attach, let it run, wait. */
static int measure(struct ntime_ctx *ctx, struct ntime_command *command,
		   struct ntime_command_end *end)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = NTIME_TARGET_PROCESS,
				       .flags = NTIME_CHILDREN | NTIME_ON_EXEC,
				       .pid = ntime_command_pid(command) };
	struct ntime_session *s = NULL;
	int ret = ntime_session_new(ctx, &target, &s);

	if (ret == 0)
		ret = ntime_session_add_list(
			s, "task-clock,context-switches,page-faults,{cycles,instructions}");
	/* Armed now; NTIME_ON_EXEC lets the kernel begin when the command does. */
	if (ret == 0)
		ret = ntime_session_start(s);
	if (ret == 0)
		ret = ntime_command_start(command);
	/* What metrics divide by begins and ends with the command, however busy the machine is. */
	if (ret == 0)
		ret = ntime_session_take_times(s, command);
	if (ret == 0) {
		do
			ret = ntime_command_wait(command, UINT64_MAX, end);
		while (ret == -EINTR);
	}
	if (ret >= 0)
		ret = ntime_session_take_times(s, command);
	if (ret >= 0)
		ret = print_all(s, end);
	ntime_session_free(s);
	return ret;
}

int main(int argc, char **argv)
{
	static char *loop[] = { "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done",
				NULL };
	struct ntime_command_end end = { .size = sizeof(end) };
	struct ntime_command *command = NULL;
	struct ntime_ctx *ctx;
	int ret = ntime_open(&ctx, NULL);

	if (ret == 0)
		ret = ntime_command_new(ctx, argc > 1 ? argv + 1 : loop, &command);
	if (ret == 0)
		ret = measure(ctx, command, &end);
	if (ret < 0)
		fprintf(stderr, "command: %s\n", ctx ? ntime_error_text(ctx) : "out of memory");
	ntime_command_free(command);
	ntime_close(ctx);
	/* As a shell reports it. */
	if (ret < 0)
		return ret == -ENOENT ? 127 : 126;
	return WIFSIGNALED(end.status) ? 128 + WTERMSIG(end.status) : WEXITSTATUS(end.status);
}
