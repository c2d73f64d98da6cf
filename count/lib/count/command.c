// SPDX-License-Identifier: MIT
/* A command that is started only when counters are attached. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/command.h>

#include "count/lib/context/context.h"
#include "count/lib/count/session.h"
#include "count/lib/count/follow.h"
#include "base/os/exec_file.h"
#include "base/os/file.h"
#include "base/os/launcher.h"
#include "base/os/process.h"

struct ntime_command {
	struct ntime_ctx *ctx;
	char *name;
	struct nti_process process;
	pid_t pid; /* stays known after the end */
	bool was_started, has_ended;
	bool is_protected; /* its counters are taken off at exec */
	uint64_t cpu_ns;   /* that it used, with the children that it waited for */
};

/* A command of a launcher, as the launcher's copy of its arguments was when it was forked. */
struct launched {
	char *name;
	bool is_protected;
};

struct ntime_launcher {
	struct ntime_ctx *ctx;
	struct nti_launcher *launcher;
	size_t n;
	struct launched of[];
};

/* What both need to be told of a command that gets no process. */
static int explain_no_process(struct ntime_ctx *ctx, const char *name, int ret)
{
	const char *why = strerror(-ret);

	if (ret == -EPIPE)
		why = "the process that starts it was killed";
	if (ret == -ENOSYS)
		why = "the kernel refuses pidfd_open(2), with which its end is waited for: Linux "
		      "5.3 has it; let it through what limits system calls here (seccomp of a "
		      "container or service)";
	if (ret == -EBUSY)
		why = "the one before was not waited for";
	return nti_error(&ctx->error, ret, "cannot make a process for %s: %s", name, why);
}

static int check_command(struct ntime_ctx *ctx, char *const argv[])
{
	if (!argv || !argv[0])
		return nti_error(&ctx->error, -EINVAL, "no command was given");
	return 0;
}

/* Number @which of @launcher, or forked with @argv where there is none. */
static int new_command(struct ntime_ctx *ctx, const char *name, struct nti_launcher *launcher,
		       size_t which, char *const argv[], bool is_protected,
		       struct ntime_command **out)
{
	struct ntime_command *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	c->ctx = ctx;
	c->is_protected = is_protected;
	c->name = strdup(name);
	if (!c->name) {
		ret = -ENOMEM;
		goto err_free;
	}
	ret = launcher ? nti_launcher_fork(launcher, which, &c->process)
		       : nti_process_fork(&c->process, argv);
	if (ret < 0) {
		ret = explain_no_process(ctx, c->name, ret);
		goto err_name;
	}
	c->pid = c->process.pid;
	*out = c;
	return 0;
err_name:
	free(c->name);
err_free:
	free(c);
	return ret;
}

int ntime_command_new(struct ntime_ctx *ctx, char *const argv[], struct ntime_command **out)
{
	int ret = check_command(ctx, argv);

	*out = NULL;
	if (ret == 0)
		ret = new_command(ctx, argv[0], NULL, 0, argv, nti_exec_is_protected(argv[0]), out);
	return ret;
}

int ntime_launcher_new(struct ntime_ctx *ctx, char *const *const argv[], size_t n,
		       struct ntime_launcher **out)
{
	struct ntime_launcher *l;
	int ret = n ? 0 : check_command(ctx, NULL);

	*out = NULL;
	for (size_t i = 0; i < n && !ret; i++)
		ret = check_command(ctx, argv[i]);
	if (ret < 0)
		return ret;
	l = calloc(1, sizeof(*l) + n * sizeof(l->of[0]));
	if (!l)
		return -ENOMEM;
	l->ctx = ctx;
	l->n = n;
	for (size_t i = 0; i < n; i++) {
		l->of[i].name = strdup(argv[i][0]);
		l->of[i].is_protected = nti_exec_is_protected(argv[i][0]);
		ret = l->of[i].name ? ret : -ENOMEM;
	}
	ret = ret ? ret : nti_launcher_new(argv, n, &l->launcher);
	if (ret < 0) {
		if (ret != -ENOMEM)
			ret = explain_no_process(ctx, argv[0][0], ret);
		ntime_launcher_free(l);
		return ret;
	}
	*out = l;
	return 0;
}

int ntime_launcher_command(struct ntime_launcher *l, size_t which, struct ntime_command **out)
{
	*out = NULL;
	if (which >= l->n)
		return nti_error(&l->ctx->error, -EINVAL, "the launcher has no command %zu", which);
	return new_command(l->ctx, l->of[which].name, l->launcher, which, NULL,
			   l->of[which].is_protected, out);
}

void ntime_launcher_free(struct ntime_launcher *l)
{
	if (!l)
		return;
	nti_launcher_free(l->launcher);
	for (size_t i = 0; i < l->n; i++)
		free(l->of[i].name);
	free(l);
}

pid_t ntime_command_pid(const struct ntime_command *c)
{
	return c->pid;
}

static int explain_start(struct ntime_command *c, int ret)
{
	struct nti_file_state state;

	if (ret == -ENOENT && strchr(c->name, '/') && nti_file_state_of(c->name, &state) == 0)
		return nti_error(&c->ctx->error, ret,
				 "cannot execute %s: the interpreter that it names is missing",
				 c->name);
	if (ret == -ENOENT)
		return nti_error(&c->ctx->error, ret, "%s: command not found",
				 *c->name ? c->name : "''");
	return nti_error(&c->ctx->error, ret, "cannot execute %s: %s", c->name, strerror(-ret));
}

int ntime_command_start(struct ntime_command *c)
{
	int ret = nti_process_release(&c->process);

	if (ret < 0)
		return explain_start(c, ret);
	c->was_started = true;
	return 0;
}

uint64_t ntime_command_began_ns(const struct ntime_command *c)
{
	return c->was_started ? c->process.begin.ns : 0;
}

int ntime_session_take_times(struct ntime_session *s, const struct ntime_command *c)
{
	if (!s->clock.is_running || !c->was_started)
		return nti_error(&s->ctx->error, -EINVAL,
				 "start the session and the command first");
	nti_session_take_times(s, &c->process.begin, c->has_ended ? &c->process.end : NULL);
	if (c->has_ended)
		nti_session_expect_cpu_time(s, c->cpu_ns, c->is_protected);
	return 0;
}

static uint64_t ns_of(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

int ntime_command_wait(struct ntime_command *c, uint64_t timeout_ns, struct ntime_command_end *end)
{
	struct nti_process_end e;
	int ret;

	ret = nti_error_check_size(&c->ctx->error, "struct ntime_command_end", end->size,
				   sizeof(*end));
	if (ret < 0)
		return ret;
	ret = nti_process_wait(&c->process, timeout_ns, &e);
	if (ret == -ECHILD)
		return nti_error(&c->ctx->error, ret,
				 "%s has ended and was waited for elsewhere, or SIGCHLD is ignored "
				 "here: how it "
				 "ended is lost",
				 c->name);
	if (ret < 0 && ret != -EINTR)
		return explain_start(c, ret);
	if (ret != 1)
		return ret;
	c->has_ended = true;
	c->cpu_ns = ns_of(e.usage.ru_utime) + ns_of(e.usage.ru_stime);
	*end = (struct ntime_command_end){
		.size = sizeof(*end),
		.status = e.status,
		.real_ns = e.real_ns,
		.user_ns = ns_of(e.usage.ru_utime),
		.sys_ns = ns_of(e.usage.ru_stime),
		.max_rss_bytes =
			(uint64_t)e.usage.ru_maxrss * 1024u, /* ru_maxrss is in KiB: getrusage(2) */
		.max_rss_floor_bytes = e.max_rss_floor_bytes,
		.minor_faults = (uint64_t)e.usage.ru_minflt,
		.major_faults = (uint64_t)e.usage.ru_majflt,
		.voluntary_switches = (uint64_t)e.usage.ru_nvcsw,
		.involuntary_switches = (uint64_t)e.usage.ru_nivcsw,
		.in_blocks = (uint64_t)e.usage.ru_inblock,
		.out_blocks = (uint64_t)e.usage.ru_oublock,
	};
	return 1;
}

int ntime_command_kill(struct ntime_command *c, int sig)
{
	return nti_process_kill(&c->process, sig);
}

void ntime_command_free(struct ntime_command *c)
{
	if (!c)
		return;
	nti_process_fini(&c->process);
	free(c->name);
	free(c);
}
