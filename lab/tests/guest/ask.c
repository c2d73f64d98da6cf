// SPDX-License-Identifier: MIT
/* Counting in a process of its own; the answer comes through a pipe. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/tests/guest/ask.h"
#include "lab/tests/guest/spin.h"
#include "lab/tests/guest/open.h"

#define USER_ID 1000

static int deny_perf(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int count(struct ntime_ctx *ctx, const struct lab_question *q, struct lab_answer *a)
{
	struct ntime_target target = { .size = sizeof(target),
				       .kind = q->cpus ? NTIME_TARGET_CPUS : NTIME_TARGET_THREAD,
				       .cpus = q->cpus };
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_session *s = NULL;
	int ret = ntime_session_new(ctx, &target, &s);

	if (ret == 0)
		ret = ntime_session_add(s, q->event, NULL);
	if (ret == 0)
		ret = ntime_session_start(s);
	if (ret == 0) {
		lab_spin(LAB_ASK_TURNS);
		ret = ntime_session_read(s, &a->value, 1);
	}
	if (ret >= 0 && ntime_session_item(s, 0, &item) == 0) {
		(void)snprintf(a->reason, sizeof(a->reason), "%s", item.reason);
		(void)snprintf(a->remedy, sizeof(a->remedy), "%s", item.remedy);
	}
	ntime_session_free(s);
	return ret < 0 ? ret : 0;
}

static void answer_in_child(const struct lab_question *q, int fd)
{
	struct lab_answer a = { 0 };
	struct ntime_ctx *ctx = NULL;

	if (q->as_user && (setgroups(0, NULL) < 0 || setgid(USER_ID) < 0 || setuid(USER_ID) < 0))
		_exit(1);
	if (q->deny && deny_perf(q->deny) < 0)
		_exit(1);
	a.ret = q->tested ? ntime_open(&ctx, NULL) : lab_open_untested(&ctx);
	if (a.ret == 0)
		a.ret = count(ctx, q, &a);
	if (a.ret < 0 && ctx)
		(void)snprintf(a.error, sizeof(a.error), "%s", ntime_error_text(ctx));
	ntime_close(ctx);
	_exit(write(fd, &a, sizeof(a)) == (ssize_t)sizeof(a) ? 0 : 1);
}

int lab_ask(const struct lab_question *question, struct lab_answer *answer)
{
	int pipe_fd[2], status = -1;
	ssize_t n;
	pid_t child;

	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return -errno;
	child = fork();
	if (child == 0)
		answer_in_child(question, pipe_fd[1]);
	(void)close(pipe_fd[1]);
	n = child < 0 ? -1 : read(pipe_fd[0], answer, sizeof(*answer));
	(void)close(pipe_fd[0]);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -EPROTO;
	return n == (ssize_t)sizeof(*answer) && status == 0 ? 0 : -EPROTO;
}

const char *lab_core_pmu(void)
{
	static const char *const known[] = { "cpu", "armv8_pmuv3", "armv7_cortex_a15" };
	char path[128];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		(void)snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", known[i]);
		if (access(path, F_OK) == 0)
			return known[i];
	}
	return NULL;
}

bool lab_has_perf(void)
{
	return access("/bin/perf", X_OK) == 0 || access("/usr/bin/perf", X_OK) == 0;
}
