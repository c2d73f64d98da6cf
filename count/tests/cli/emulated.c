// SPDX-License-Identifier: MIT
/*
 * A program whose instructions are known: emulated WHAT N, where each turn of its loop is two
 * instructions and a branch.
 *
 *     loop N      N turns        threads N [KERNEL]  in each of eight threads, at once
 *     many N      at first, and then in each of 100 threads, at once
 *     heirs N     in a child of each of 100 threads
 *     lacking N   N system calls that QEMU 7.2 lacks; ends with status 3 if it does
 *     forks N     in each of eight children, which do not call exec
 *     killed N    and then SIGKILL to itself
 *     calls N     N system calls
 *     straight N  N times 3000 instructions without a branch and three with two, on several pages
 *     KERNEL N    N turns of one of kernels[], x86-64 only
 *     misused N   N calls of execve(2) with arguments that are nowhere; ends with status 3 if one
 *                 is
 *                 anything but EFAULT
 *     faults N    N writes to a page that a handler of SIGSEGV makes writable
 *     runs PROGRAM [ARGUMENT...]   in a child, whose exit status is its own
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMES 8
#define MANY 100

#if defined(__x86_64__)
static char bytes[256] __attribute__((aligned(64)));

#define KERNEL(name, code)                                                                         \
	static void name(unsigned long n)                                                          \
	{                                                                                          \
		__asm__ volatile("1: " code " dec %0\n jnz 1b"                                     \
				 : "+r"(n)                                                         \
				 : "r"(bytes)                                                      \
				 : "rax", "rcx", "rdi", "xmm0", "memory", "cc");                   \
	}

KERNEL(load, "mov (%1), %%rax\n")
KERNEL(store, "mov %%rax, (%1)\n")
KERNEL(wide, "movdqu (%1), %%xmm0\n movdqu %%xmm0, 17(%1)\n")
KERNEL(update, "addq $1, (%1)\n")
KERNEL(atomic, "lock addq $1, (%1)\n")
KERNEL(skip, "test $1, %0\n jz 2f\n nop\n 2:\n")
KERNEL(call, "call 2f\n 2: pop %%rax\n")
KERNEL(repeat, "mov %1, %%rdi\n mov $99, %%ecx\n rep stosb\n")
KERNEL(repeat_none, "mov %1, %%rdi\n xor %%ecx, %%ecx\n rep stosb\n")

static const struct kernel {
	const char *name;
	void (*run)(unsigned long n);
} kernels[] = {
	{ "load", load },     { "store", store },   { "wide", wide },
	{ "update", update }, { "atomic", atomic }, { "skip", skip },
	{ "call", call },     { "repeat", repeat }, { "repeat-none", repeat_none },
};
#endif

__attribute__((noinline)) static void turns(unsigned long n)
{
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n jnz 1b" : "+r"(n));
#elif defined(__aarch64__)
	__asm__ volatile("1: sub %0, %0, #1\n cbnz %0, 1b" : "+r"(n));
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(n));
#elif defined(__powerpc64__)
	__asm__ volatile("1: addic. %0, %0, -1\n bne 1b" : "+r"(n) : : "cr0", "xer");
#else
	for (; n; n--)
		__asm__ volatile("" : : : "memory");
#endif
}

/* Their sizes are such that some reach from one page into the next. */
#if defined(__x86_64__)
#define THREE_THOUSAND ".rept 3000\n lea 0x1000(%%rax), %%rax\n .endr\n"
#define COUNT_DOWN "dec %0\n jz 2f\n jmp 1b\n"
#define CLOBBERS "rax", "cc"
#elif defined(__aarch64__)
#define THREE_THOUSAND ".rept 3000\n nop\n .endr\n"
#define COUNT_DOWN "sub %0, %0, #1\n cbz %0, 2f\n b 1b\n"
#define CLOBBERS "memory"
#elif defined(__riscv)
#define THREE_THOUSAND                                                                             \
	".option push\n .rept 1500\n .option rvc\n c.nop\n .option norvc\n nop\n .endr\n"          \
	".option pop\n"
#define COUNT_DOWN "addi %0, %0, -1\n beqz %0, 2f\n j 1b\n"
#define CLOBBERS "memory"
#elif defined(__powerpc64__)
#define THREE_THOUSAND ".rept 3000\n nop\n .endr\n"
#define COUNT_DOWN "addic. %0, %0, -1\n beq 2f\n b 1b\n"
#define CLOBBERS "cr0", "xer"
#else
#define THREE_THOUSAND
#define COUNT_DOWN
#define CLOBBERS "memory"
#endif

static void straight(unsigned long n)
{
	__asm__ volatile("1: " THREE_THOUSAND COUNT_DOWN "2:" : "+r"(n) : : CLOBBERS);
}

/* What the command line says is to be done in each thread. */
static void (*work)(unsigned long n) = turns;

static void choose_work(const char *name)
{
#if defined(__x86_64__)
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strcmp(kernels[i].name, name) == 0)
			work = kernels[i].run;
#else
	(void)name;
#endif
}

static void *run(void *arg)
{
	work(*(unsigned long *)arg);
	return NULL;
}

static void run_threads(unsigned long n, int times)
{
	pthread_t thread[MANY];
	int i;

	for (i = 0; i < times; i++)
		if (pthread_create(&thread[i], NULL, run, &n) != 0)
			exit(2);
	for (i = 0; i < times; i++)
		(void)pthread_join(thread[i], NULL);
}

static void run_many(unsigned long n)
{
	work(n);
	run_threads(n, MANY);
}

static pthread_barrier_t all_are_there;

static void have_heir(unsigned long n)
{
	int status;
	pid_t pid;

	(void)pthread_barrier_wait(&all_are_there);
	pid = fork();
	if (pid == 0) {
		turns(n);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(2);
}

static void run_heirs(unsigned long n)
{
	work = have_heir;
	(void)pthread_barrier_init(&all_are_there, NULL, MANY);
	run_threads(n, MANY);
}

static void run_children(unsigned long n)
{
	int i, status;

	for (i = 0; i < TIMES; i++) {
		if (fork() == 0) {
			turns(n);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		;
}

static int run_program(char **argv)
{
	int status;

	if (fork() == 0) {
		(void)execv(argv[0], argv);
		_exit(127);
	}
	return wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int misuse_exec(unsigned long n)
{
	char program[] = "/bin/true";
	char *const last_bad[] = { program, (char *)8, NULL };
	char *const *const bad[] = { (char *const *)8, last_bad };

	while (n--)
		for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
			if (syscall(SYS_execve, program, bad[i], NULL) != -1 || errno != EFAULT)
				return 3;
	return 0;
}

static int call_what_is_lacking(unsigned long n)
{
	int ret = 0;

	while (n--)
		if (syscall(SYS_io_uring_setup, 0, NULL) < 0 && errno == ENOSYS)
			ret = 3;
	return ret;
}

#define PAGE_BYTES 65536 /* the largest one of these architectures */
static char page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));

static void allow_page(int signal)
{
	(void)signal;
	(void)mprotect(page, PAGE_BYTES, PROT_READ | PROT_WRITE);
}

static int fault(unsigned long n)
{
	struct sigaction action = { .sa_handler = allow_page };

	if (sigaction(SIGSEGV, &action, NULL) != 0)
		return 2;
	while (n--) {
		if (mprotect(page, PAGE_BYTES, PROT_NONE) != 0)
			return 2;
		*(volatile char *)page = 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, i;

	if (argc > 2 && strcmp(argv[1], "runs") == 0)
		return run_program(argv + 2);
	if (!n)
		return 2;
	choose_work(argv[argc > 3 ? 3 : 1]);
	if (strcmp(argv[1], "threads") == 0)
		run_threads(n, TIMES);
	else if (strcmp(argv[1], "many") == 0)
		run_many(n);
	else if (strcmp(argv[1], "heirs") == 0)
		run_heirs(n);
	else if (strcmp(argv[1], "misused") == 0)
		return misuse_exec(n);
	else if (strcmp(argv[1], "lacking") == 0)
		return call_what_is_lacking(n);
	else if (strcmp(argv[1], "faults") == 0)
		return fault(n);
	else if (strcmp(argv[1], "forks") == 0)
		run_children(n);
	else if (strcmp(argv[1], "straight") == 0)
		straight(n);
	else if (strcmp(argv[1], "calls") == 0)
		for (i = 0; i < n; i++)
			(void)syscall(SYS_getppid);
	else
		work(n);
	if (strcmp(argv[1], "killed") == 0)
		(void)kill(getpid(), SIGKILL);
	return 0;
}
