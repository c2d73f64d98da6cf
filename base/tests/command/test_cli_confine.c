// SPDX-License-Identifier: MIT
/*
 * base/command/confine.h: what a process may do afterwards, and what not. Built without sanitizers,
 * which need system calls of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
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

#ifdef HAS_SECCOMP
#include <linux/audit.h>
#include <seccomp.h>
#include <sys/mman.h>
#endif

#include "base/command/confine.h"
#include "base/command/confine_filter.h"
#include "base/tests/tt.h"

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

static int sockets[2];

static int has_its_sockets(void)
{
	char byte = 0;

	return send(sockets[0], &byte, 1, 0) == 1 && recv(sockets[1], &byte, 1, 0) == 1 ? 0 : errno;
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

/* The same of a server. */
static const struct confine_row server_rows[] = {
	{ __LINE__, opens_a_socket, EPERM },   { __LINE__, runs_a_program, EPERM },
	{ __LINE__, counts, EPERM },	       { __LINE__, looks_into_another, EPERM },
	{ __LINE__, reads_and_writes, EPERM }, { __LINE__, begins_in_a_namespace, EPERM },
	{ __LINE__, asks_a_terminal, EPERM },  { __LINE__, has_its_sockets, 0 },
};

static int in_child_as(void (*confine)(unsigned int verbose), int (*does)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		confine(0);
		_exit(does());
	}
	TT_IS(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int in_child(int (*does)(void))
{
	return in_child_as(cli_confine, does);
}

TEST(what_is_left)
{
	if (status_of("Seccomp:") == UINT64_MAX)
		TT_SKIP("system calls cannot be filtered here: the kernel has no seccomp");
	TT_FOR_EACH_ROW(r, confine_rows)
		TT_EQ(r, in_child(r->does), r->error);
	TT_IS(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	TT_FOR_EACH_ROW(r, server_rows)
		TT_EQ(r, in_child_as(cli_confine_server, r->does), r->error);
	close(sockets[0]);
	close(sockets[1]);
}

TEST(twice_is_once)
{
	cli_confine(0);
	TT_IS(in_child(reads_and_writes), 0);
}

/* What a filter of the kernel's does; those of libseccomp have no other instructions. */
static uint32_t run(const struct sock_filter *code, size_t n, const struct seccomp_data *data)
{
	uint32_t a = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct sock_filter *c = &code[i];

		switch (c->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			memcpy(&a, (const char *)data + c->k, sizeof(a));
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= c->k;
			break;
		case BPF_JMP | BPF_JA:
			i += c->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			i += a == c->k ? c->jt : c->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			i += a >= c->k ? c->jt : c->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			i += a > c->k ? c->jt : c->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			i += a & c->k ? c->jt : c->jf;
			break;
		case BPF_RET | BPF_K:
			return c->k;
		default:
			fail_msg("instruction %#x is not known", c->code);
		}
	}
	fail_msg("the filter has no end");
	return 0;
}

/* More than any architecture has. */
#define MOST_CALLS 1024

/*
 * uretprobe(2) and uprobe(2) of x86-64: since Linux 6.14 no filter is asked about them (kernel/
 * seccomp.c). Who is not in a probe gets SIGILL.
 */
static bool is_unfiltered(int nr)
{
#ifdef __x86_64__
	return nr == 335 || nr == 336;
#else
	return nr < 0;
#endif
}

/* All that are not allowed, with arguments that mean nothing: how many are not refused. */
static int makes_forbidden_calls(void)
{
	unsigned short n;
	const struct sock_filter *code = cli_confine_filter(CLI_CONFINED_FILES, &n);
	struct seccomp_data data = { .arch = code[1].k };
	int made = 0, tried = 0;

	memset(data.args, 0xff, sizeof(data.args));
	for (data.nr = 0; data.nr < MOST_CALLS; data.nr++) {
		if (run(code, n, &data) == SECCOMP_RET_ALLOW || is_unfiltered(data.nr))
			continue;
		errno = 0;
		tried++;
		made += syscall(data.nr, -1L, -1L, -1L, -1L, -1L, -1L) != -1 ||
			(errno != EPERM && data.nr != SYS_clone3);
	}
	/* There are some 350 or more, and 150 are allowed. */
	return tried < MOST_CALLS / 2 ? EPROTO : made;
}

TEST(each_other_call_is_refused)
{
	if (status_of("Seccomp:") == UINT64_MAX)
		TT_SKIP("system calls cannot be filtered here: the kernel has no seccomp");
	TT_IS(in_child(makes_forbidden_calls), 0);
}

#ifdef HAS_SECCOMP

#define CLONE_BITS                                                                                 \
	(CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID |              \
	 CLONE_NEWUSER | CLONE_NEWUTS)
#define CALL(name) #name,

static const char *const names[] = {
#include "base/command/calls.h"
};

static const unsigned int requests[] = { TCGETS,     TCSETS,   TCSETSW,	   TCSETSF,    TCFLSH,
					 TIOCGWINSZ, FIONREAD, 0x802c542a, 0x402c542b, 0x402c542c,
					 0x402c542d, TIOCSTI,  TIOCLINUX,  0 };

static void allow(scmp_filter_ctx filter, const char *name, unsigned int arg, uint64_t mask,
		  uint64_t value)
{
	const struct scmp_arg_cmp is = {
		.arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value
	};

	TT_IS(seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(name), 1,
				     &is),
	      0);
}

/* The same by libseccomp; the number of instructions. */
static size_t make_theirs(struct sock_filter *code, size_t room)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int fd = memfd_create("filter", MFD_CLOEXEC);
	ssize_t n;
	size_t i;

	assert_non_null(filter);
	TT_IS(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		TT_IS(seccomp_rule_add_array(filter, SCMP_ACT_ALLOW,
					     seccomp_syscall_resolve_name(names[i]), 0, NULL),
		      0);
	allow(filter, "clone", 0, CLONE_BITS, 0);
	/* All but the last three. */
	for (i = 0; i + 3 < sizeof(requests) / sizeof(requests[0]); i++)
		allow(filter, "ioctl", 1, UINT32_MAX, requests[i]);
	TT_IS(seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOSYS),
				     seccomp_syscall_resolve_name("clone3"), 0, NULL),
	      0);
	TT_IS(seccomp_export_bpf(filter, fd), 0);
	seccomp_release(filter);
	n = pread(fd, code, room * sizeof(*code), 0);
	close(fd);
	assert_true(n > 0 && (size_t)n < room * sizeof(*code));
	return (size_t)n / sizeof(*code);
}

/*
 * Each call of this architecture, and with each argument that matters; of others and of x32, too.
 */
TEST(it_does_what_libseccomp_would)
{
	static const uint32_t architectures[] = { SCMP_ARCH_NATIVE, AUDIT_ARCH_I386,
						  AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 };
	static const uint32_t bases[] = { 0, 0x40000000, 0x80000000, 0xfffffc00 };
	struct sock_filter theirs[2048];
	size_t n = make_theirs(theirs, sizeof(theirs) / sizeof(theirs[0])), compared = 0;
	size_t i, k, allowed = 0;
	unsigned short ours_n;
	const struct sock_filter *ours = cli_confine_filter(CLI_CONFINED_FILES, &ours_n);
	struct seccomp_data data;
	uint32_t nr;

	for (i = 0; i < sizeof(architectures) / sizeof(architectures[0]); i++) {
		for (k = 0; k < sizeof(bases) / sizeof(bases[0]) * 1024 * 64; k++) {
			nr = bases[k / 64 / 1024] + (uint32_t)(k / 64 % 1024);
			data = (struct seccomp_data){ .nr = (int)nr, .arch = architectures[i] };
			if (!i)
				data.arch = seccomp_arch_native();
			/* A bit of the flags, or a request, and of half of them the upper half. */
			data.args[0] = k % 32 ? 1u << k % 32 : SIGCHLD;
			data.args[1] = requests[k % (sizeof(requests) / sizeof(requests[0]))];
			if (k & 32) {
				data.args[0] |= 0xabcd00000000ull;
				data.args[1] |= 0xabcd00000000ull;
			}
			TT_IS(run(ours, ours_n, &data), run(theirs, n, &data));
			compared++;
			allowed += run(ours, ours_n, &data) == SECCOMP_RET_ALLOW;
		}
	}
	print_message("# %zu of ours and %zu instructions: the same of %zu calls, %zu allowed\n",
		      (size_t)ours_n, n, compared, allowed);
	assert_true(allowed > sizeof(names) / sizeof(names[0]));
}

#else

TEST(it_does_what_libseccomp_would)
{
	TT_SKIP("libseccomp is not installed: scripts/install-deps test");
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(each_other_call_is_refused),
		cmocka_unit_test(it_does_what_libseccomp_would),
		cmocka_unit_test(twice_is_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
