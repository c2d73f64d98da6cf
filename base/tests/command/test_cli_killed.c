// SPDX-License-Identifier: MIT
/*
 * base/output/file.h: a signal at any moment leaves the old file or the new one, whole, and nothing
 * beside it; but SIGKILL may leave the name that the new file has before rename(2).
 *
 * A child writes a file and is traced: it is killed at its first system call, the next one at its
 * second, and so on until one comes to its end.
 */
#include <errno.h>
#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/output/file.h"
#include "base/tests/command/folder.h"
#include "base/tests/tt.h"

#define OLD "old\n"
#define NEW "new, and longer\n"
/* More system calls than a file needs. */
#define STEPS 1000

/* "" where there is no file. */
static const char *report(void)
{
	const char *text = tt_folder_content("report");

	return text ? text : "";
}

static const struct kill_row {
	int line;
	const char *old; /* NULL: there is none */
	bool is_append;
	int signal;
	const char *at_end;
} kill_rows[] = {
	{ __LINE__, NULL, false, SIGKILL, NEW },   { __LINE__, NULL, false, SIGTERM, NEW },
	{ __LINE__, OLD, false, SIGKILL, NEW },	   { __LINE__, OLD, false, SIGTERM, NEW },
	{ __LINE__, NULL, true, SIGKILL, NEW },	   { __LINE__, NULL, true, SIGTERM, NEW },
	{ __LINE__, OLD, true, SIGKILL, OLD NEW }, { __LINE__, OLD, true, SIGTERM, OLD NEW },
};

static void write_report(const struct kill_row *r)
{
	struct cli_output o;

	if (cli_output_open(&o, "report", r->is_append))
		_exit(1);
	fputs(NEW, o.f);
	_exit(cli_output_close(&o) ? 1 : 0);
}

static pid_t start(const struct kill_row *r)
{
	pid_t child = fork();

	if (child)
		return child;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
		_exit(77);
	write_report(r);
	return 0;
}

/* Go on to the end of a system call or its beginning. Whether there was one. */
static bool go_on(pid_t child, int *status)
{
	if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) || waitpid(child, status, 0) != child)
		return false;
	return WIFSTOPPED(*status);
}

/* Let it come to stop @steps, and kill it there. Returns false when it came to its end. */
static bool kill_at(const struct kill_row *r, unsigned int steps)
{
	pid_t child = start(r);
	int status;

	TT_EQ(r, waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		TT_SKIP("processes may not be traced here (ptrace)");
	while (steps && go_on(child, &status))
		steps--;
	if (WIFEXITED(status)) {
		TT_EQ(r, WEXITSTATUS(status), 0);
		return false;
	}
	kill(child, r->signal);
	/* A signal that is held off waits for the end. */
	(void)ptrace(PTRACE_DETACH, child, NULL, NULL);
	return true;
}

static void clear(void)
{
	glob_t left;

	if (glob(".report.ntime-*", 0, NULL, &left) == 0) {
		unlink(left.gl_pathv[0]);
		globfree(&left);
	}
	unlink("report");
}

static void check_whole(const struct kill_row *r, unsigned int step)
{
	bool may_leave = r->signal == SIGKILL && r->old && !r->is_append;
	const char *text = report();

	if (tt_folder_files() > (size_t)(*text ? 1 : 0) + may_leave)
		fail_msg("row of line %d: killed at stop %u it left another file", r->line, step);
	if (strcmp(text, r->old ? r->old : "") != 0 && strcmp(text, r->at_end) != 0)
		fail_msg("row of line %d: killed at stop %u it left '%s'", r->line, step, text);
}

TEST(killed_at_each_system_call)
{
	TT_FOR_EACH_ROW(r, kill_rows) {
		unsigned int step = 0;

		for (bool is_killed = true; is_killed; step++) {
			clear();
			if (r->old)
				tt_folder_put("report", r->old);
			is_killed = kill_at(r, step);
			while (wait(NULL) > 0)
				;
			check_whole(r, step);
			assert_true(step < STEPS);
		}
		TT_STR(r, report(), r->at_end);
		/* It does write something. */
		assert_true(step > 10);
		clear();
	}
}

/* ---- a file system without files that have no name ---- */

#define LOW(member)                                                                                \
	(offsetof(struct seccomp_data, member) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

/* As if no file system here had O_TMPFILE. */
static void forbid_nameless(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LOW(args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(77);
	if (open(".", O_TMPFILE | O_RDWR, 0600) >= 0 || errno != EOPNOTSUPP)
		_exit(77);
}

TEST(file_systems_without_nameless_files)
{
	TT_FOR_EACH_ROW(r, kill_rows) {
		pid_t child;
		int status;

		if (r->old)
			tt_folder_put("report", r->old);
		child = fork();
		if (child == 0) {
			forbid_nameless();
			write_report(r);
		}
		TT_EQ(r, waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			TT_SKIP("system calls cannot be filtered here (seccomp)");
		TT_EQ(r, status, 0);
		TT_STR(r, report(), r->at_end);
		TT_EQ(r, tt_folder_files(), 1);
		unlink("report");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_each_system_call),
		cmocka_unit_test(file_systems_without_nameless_files),
	};

	return cmocka_run_group_tests(tests, tt_folder_enter, tt_folder_leave) ? 1 : 0;
}
