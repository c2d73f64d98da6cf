// SPDX-License-Identifier: MIT
/*
 * cli/base/confine.h: what a process may do afterwards, and what not. Built without sanitizers,
 * which need system calls of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cli/base/confine.h"
#include "lib/lazy/lazy.h"
#include "tests/tt.h"

static int opens_a_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int runs_a_program(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno;
}

static int counts(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1 };

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0 ? errno : 0;
}

static int looks_into_another(void)
{
	return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) < 0 ? errno : 0;
}

static int mounts(void)
{
	return mount("none", "/", "tmpfs", 0, NULL) < 0 ? errno : 0;
}

static int leaves_its_namespace(void)
{
	return unshare(CLONE_NEWUSER) < 0 ? errno : 0;
}

/* As unshare(2) does it; clone3(2) has its flags where no filter sees them. */
static int begins_in_a_namespace(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		_exit(0);
	return child < 0 ? errno : 0;
}

static int has_clone3(void)
{
	return syscall(SYS_clone3, NULL, (size_t)0) < 0 ? errno : 0;
}

/* Not on a terminal: what is allowed ends with ENOTTY. */
static int asks(unsigned long request)
{
	struct termios about;

	return ioctl(open("/dev/null", O_RDWR), request, &about) < 0 ? errno : 0;
}

static int types_into_a_terminal(void)
{
	return asks(TIOCSTI);
}

/* The kernel does not look at the upper half. */
static int types_with_a_long_number(void)
{
	return asks((~0ul ^ UINT32_MAX) | TIOCSTI);
}

static int asks_a_terminal(void)
{
	return asks(TCGETS);
}

/* As ntime trace does with signals that come before a wait. */
static int sets_an_alarm(void)
{
	(void)alarm(100);
	return alarm(0) ? 0 : EPROTO;
}

/* As the process that puts a file in its place. */
static int leaves_its_session(void)
{
	return setsid() < 0 ? errno : 0;
}

static void *end_at_once(void *arg)
{
	return arg;
}

static int has_a_thread(void)
{
	pthread_t thread;
	int ret = pthread_create(&thread, NULL, end_at_once, NULL);

	return ret ? ret : pthread_join(thread, NULL);
}

static int reads_and_writes(void)
{
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC),
	    out = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	char text[16];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (out < 0 && errno == EOPNOTSUPP)
		out = open("/dev/null", O_WRONLY);
	return n == sizeof(text) && write(out, text, sizeof(text)) == sizeof(text) ? 0 : errno;
}

static int has_a_child(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(3);
	return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3 ? 0 : EPROTO;
}

/* A line of /proc/self/status, in base 16; UINT64_MAX where there is none. */
static uint64_t status_of(const char *key)
{
	FILE *f = fopen("/proc/self/status", "re");
	uint64_t value = UINT64_MAX;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtoull(line + strlen(key), NULL, 16);
	if (f)
		(void)fclose(f);
	return value;
}

static int is_filtered(void)
{
	return status_of("Seccomp:") == 2 ? 0 : EPROTO;
}

static int has_few_capabilities(void)
{
	const uint64_t files = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH |
			       1u << CAP_CHOWN | 1u << CAP_FOWNER | 1u << CAP_FSETID;

	return (status_of("CapPrm:") | status_of("CapEff:") | status_of("CapInh:")) & ~files
		       ? EPROTO
		       : 0;
}

static const struct confine_row {
	int line;
	int (*does)(void); /* errno of it, in a child that is confined */
	int error;
} confine_rows[] = {
	{ __LINE__, is_filtered, 0 },
	{ __LINE__, opens_a_socket, EPERM },
	{ __LINE__, runs_a_program, EPERM },
	{ __LINE__, counts, EPERM },
	{ __LINE__, looks_into_another, EPERM },
	{ __LINE__, mounts, EPERM },
	{ __LINE__, leaves_its_namespace, EPERM },
	{ __LINE__, begins_in_a_namespace, EPERM },
	{ __LINE__, has_clone3, ENOSYS },
	{ __LINE__, types_into_a_terminal, EPERM },
	{ __LINE__, types_with_a_long_number, EPERM },
	{ __LINE__, asks_a_terminal, ENOTTY },
	{ __LINE__, sets_an_alarm, 0 },
	{ __LINE__, leaves_its_session, 0 },
	{ __LINE__, has_a_thread, 0 },
	{ __LINE__, reads_and_writes, 0 },
	{ __LINE__, has_a_child, 0 },
	{ __LINE__, has_few_capabilities, 0 },
};

static int in_child(int (*does)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		cli_confine(0);
		_exit(does());
	}
	TT_IS(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(what_is_left)
{
	char why[NTI_LAZY_WHY_BYTES];

	if (status_of("Seccomp:") == UINT64_MAX)
		TT_SKIP("system calls cannot be filtered here: the kernel has no seccomp");
	if (nti_lazy_load(&nti_lazy_seccomp, why))
		TT_SKIP(why);
	TT_FOR_EACH_ROW(r, confine_rows)
		TT_EQ(r, in_child(r->does), r->error);
}

TEST(twice_is_once)
{
	cli_confine(0);
	TT_IS(in_child(reads_and_writes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(twice_is_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
