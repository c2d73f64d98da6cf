// SPDX-License-Identifier: MIT
/* A stretch of a real program, counted and walked through. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"
#include "walk.h"

#define CALLS_AT_FIRST 256
#define CALL_STOP (SIGTRAP | 0x80)

static _Noreturn void be_walked(char *const argv[])
{
	/* The same each time: every run sees the same addresses and strings. */
	static char *const environment[] = { "PATH=/programs:/bin", "LC_ALL=C",		"HOME=/tmp",
					     "PERL_HASH_SEED=0",    "PYTHONHASHSEED=0", NULL };
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd <= 2; fd++)
		(void)dup2(nothing, fd);
	if (personality(ADDR_NO_RANDOMIZE) < 0 || chdir("/tmp") < 0 ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(126);
	execve(argv[0], argv, environment);
	_exit(127);
}

/* The child stands at its first instruction; its pid or -errno. */
static pid_t start(char *const argv[])
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		be_walked(argv);
	if (pid < 0)
		return -errno;
	if (waitpid(pid, &status, 0) < 0)
		return -errno;
	if (!WIFSTOPPED(status))
		return -ECHILD;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   (void *)(long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) < 0)
		return -errno;
	return pid;
}

static int stop_of(pid_t pid, int *status)
{
	if (waitpid(pid, status, __WALL) < 0)
		return -errno;
	return 0;
}

static void *signal_of(int status)
{
	int sig = WSTOPSIG(status);

	return (void *)(long)(sig == SIGTRAP || sig == CALL_STOP ? 0 : sig);
}

/* To the end of the next system call. Return: 1, 0 (the program has ended well), -errno. */
static int to_next_call(pid_t pid)
{
	int status = SIGTRAP << 8 | 0x7f;

	for (int stops = 0; stops < 2;) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, signal_of(status)) < 0)
			return -errno;
		if (stop_of(pid, &status) < 0)
			return -errno;
		if (!WIFSTOPPED(status))
			return status == 0 ? 0 : -ECHILD;
		stops += WSTOPSIG(status) == CALL_STOP;
	}
	return 1;
}

static void end(pid_t pid)
{
	if (pid <= 0)
		return;
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WALL) > 0 || errno == EINTR)
		;
}

static int add_count(struct lab_calls *c, size_t *room, uint64_t count)
{
	if (c->n + 1 >= *room) {
		uint64_t *more = realloc(c->count, 2 * *room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		c->count = more;
		*room *= 2;
	}
	c->count[c->n] = count;
	return 0;
}

static int count_calls(pid_t pid, const struct ntime_reader *r, struct lab_calls *c)
{
	size_t room = CALLS_AT_FIRST;
	int ret, more = 1;

	c->n = 0;
	c->count = calloc(room, sizeof(*c->count));
	if (!c->count)
		return -ENOMEM;
	ret = add_count(c, &room, lab_read_call(r));
	while (ret == 0 && more > 0) {
		more = to_next_call(pid);
		c->n++;
		ret = more < 0 ? more : add_count(c, &room, lab_read_call(r));
	}
	return ret;
}

int lab_count_calls(char *const argv[], struct lab_calls *calls)
{
	struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_THREAD };
	struct ntime_session *s;
	struct ntime_reader r;
	pid_t pid = start(argv);
	int ret;

	*calls = (struct lab_calls){ 0 };
	if (pid < 0)
		return pid;
	target.pid = pid;
	s = lab_session("instructions:u", &target);
	LAB_OK(ntime_session_start(s));
	r = lab_reader(s, 0);
	ret = count_calls(pid, &r, calls);
	ntime_session_free(s);
	end(pid);
	return ret;
}

/* ---- one instruction at a time ---- */

#if defined(__x86_64__)
#define PC_OF(regs) ((regs).rip)
#elif defined(__aarch64__)
#define PC_OF(regs) ((regs).pc)
#endif

static int get_pc(pid_t pid, uint64_t *pc)
{
#ifdef PC_OF
	struct user_regs_struct regs;
	struct iovec io = { .iov_base = &regs, .iov_len = sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &io) < 0)
		return -errno;
	*pc = PC_OF(regs);
	return 0;
#else
	(void)pid, (void)pc;
	return -ENOTSUP; /* 32-bit ARM has no single steps */
#endif
}

#if defined(__x86_64__)
/* syscall: 0f 05. */
static bool is_call(uint64_t word)
{
	return (word & 0xffff) == 0x050f;
}

/* MOVS, CMPS, STOS, LODS or SCAS behind REP or REPNE, with size prefixes and REX between. */
static bool is_repeated(uint64_t word)
{
	bool has_rep = false;

	for (int i = 0; i < 5; i++, word >>= 8) {
		uint8_t byte = word & 0xff;

		if (byte == 0xf2 || byte == 0xf3)
			has_rep = true;
		else if ((byte & 0xf0) != 0x40 && byte != 0x66 && byte != 0x67)
			return has_rep &&
			       ((byte >= 0xa4 && byte <= 0xa7) || (byte >= 0xaa && byte <= 0xaf));
	}
	return false;
}

#elif defined(__aarch64__)

#define BREAK 0xd4200000u /* brk #0 */
#define SEQUENCE 16	  /* longest sequence, in instructions */
#define TARGETS 4

/* svc #0 */
static bool is_call(uint64_t word)
{
	return (word & 0xffffffff) == 0xd4000001;
}

/* Load/store exclusive, register or pair (Arm ARM, C4.1): o2 is 0; bit 22 is set in loads. */
static bool is_exclusive(uint32_t word, bool is_load)
{
	return (word & 0x3f800000) == 0x08000000 && (!(word & 1u << 21) || word >> 31) &&
	       !(word >> 22 & 1) == !is_load;
}

/* Where a conditional branch goes, or 0. */
static uint64_t branch_of(uint64_t pc, uint32_t word)
{
	if ((word & 0xff000010) == 0x54000000 || (word & 0x7e000000) == 0x34000000)
		return pc + (uint64_t)((int64_t)((int32_t)(word << 8) >> 13) * 4);
	if ((word & 0x7e000000) == 0x36000000)
		return pc + (uint64_t)((int64_t)((int32_t)(word << 13) >> 18) * 4);
	return 0;
}

static uint32_t word_at(pid_t pid, uint64_t pc)
{
	return (uint32_t)((uint64_t)ptrace(PTRACE_PEEKTEXT, pid, (void *)(pc & ~7ull), NULL) >>
			  (pc & 4 ? 32 : 0));
}

static void put_word(pid_t pid, uint64_t pc, uint32_t word)
{
	uint64_t both = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, (void *)(pc & ~7ull), NULL);
	unsigned int shift = pc & 4 ? 32 : 0;

	both = (both & ~(0xffffffffull << shift)) | (uint64_t)word << shift;
	(void)ptrace(PTRACE_POKETEXT, pid, (void *)(pc & ~7ull), (void *)both);
}

struct exits {
	size_t n;
	struct {
		uint64_t pc;
		uint32_t word;
		uint64_t steps; /* instructions when it is reached */
	} at[TARGETS];
};

static bool add_exit(struct exits *e, uint64_t pc, uint64_t steps)
{
	for (size_t i = 0; i < e->n; i++) {
		if (e->at[i].pc == pc)
			return false;
	}
	if (e->n == TARGETS)
		return false;
	e->at[e->n].pc = pc;
	e->at[e->n++].steps = steps;
	return true;
}

/* The ways out of the sequence that begins with the load-exclusive at @pc. */
static bool find_exits(pid_t pid, uint64_t pc, struct exits *e)
{
	for (unsigned int k = 1; k < SEQUENCE; k++) {
		uint64_t here = pc + 4 * k, target;
		uint32_t word = word_at(pid, here);

		if (is_exclusive(word, false))
			return add_exit(e, here + 4, k + 1);
		target = branch_of(here, word);
		if (target && !add_exit(e, target, k + 1))
			return false;
	}
	return false;
}

/*
 * A single step is an exception, and an exception takes the reservation away: the store never
 * succeeds. So the whole sequence runs at once, to a breakpoint at each of its ways out.
 */
static bool ends_sequence(pid_t pid, uint64_t pc, uint64_t word, struct lab_walk *w)
{
	struct exits e = { 0 };
	uint64_t now = 0;
	bool is_done = false;
	int status;

	if (!is_exclusive((uint32_t)word, true) || !find_exits(pid, pc, &e))
		return false;
	for (size_t i = 0; i < e.n; i++) {
		e.at[i].word = word_at(pid, e.at[i].pc);
		put_word(pid, e.at[i].pc, BREAK);
	}
	if (ptrace(PTRACE_CONT, pid, NULL, NULL) < 0 || stop_of(pid, &status) < 0 ||
	    !WIFSTOPPED(status) || get_pc(pid, &now) < 0)
		return false;
	for (size_t i = 0; i < e.n; i++) {
		put_word(pid, e.at[i].pc, e.at[i].word);
		if (e.at[i].pc == now) {
			w->steps += e.at[i].steps;
			w->sequences++;
			is_done = true;
		}
	}
	return is_done;
}

#else

static bool is_call(uint64_t word)
{
	(void)word;
	return false;
}

#endif

#if !defined(__x86_64__)
static bool is_repeated(uint64_t word)
{
	(void)word;
	return false;
}
#endif

#if !defined(__aarch64__)
static bool ends_sequence(pid_t pid, uint64_t pc, uint64_t word, struct lab_walk *w)
{
	(void)pid, (void)pc, (void)word, (void)w;
	return false;
}
#endif

/*
 * One instruction. A string instruction with a REP prefix stops after each round, and stands where
 * it stood. Return: 1, 0 (ended well), -errno.
 */
static int step(pid_t pid, uint64_t *pc, size_t *calls, struct lab_walk *w)
{
	uint64_t word, before = *pc;
	int status, ret;

	errno = 0;
	word = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)before, NULL);
	if (errno)
		return -errno;
	if (ends_sequence(pid, before, word, w))
		return (ret = get_pc(pid, pc)) < 0 ? ret : 1;
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0)
		return errno == EIO ? -ENOTSUP : -errno;
	ret = stop_of(pid, &status);
	if (ret < 0)
		return ret;
	*calls += is_call(word);
	if (!WIFSTOPPED(status)) {
		/* The call that ends it does not come back to be looked at. */
		w->steps++;
		return status == 0 ? 0 : -ECHILD;
	}
	if (WSTOPSIG(status) != SIGTRAP)
		return -EINTR;
	ret = get_pc(pid, pc);
	if (ret < 0)
		return ret;
	/* A stop at the same place is no instruction: the kernel may stop twice behind a call. */
	if (*pc != before)
		w->steps++;
	else
		w->repeats += is_repeated(word);
	return 1;
}

int lab_walk(char *const argv[], size_t from, size_t to, struct lab_walk *walk)
{
	pid_t pid = start(argv);
	size_t calls = 0;
	uint64_t pc = 0;
	int ret = pid < 0 ? pid : 1;

	*walk = (struct lab_walk){ 0 };
	for (; ret > 0 && calls < from; calls++)
		ret = to_next_call(pid);
	if (ret > 0)
		ret = get_pc(pid, &pc) < 0 ? -ENOTSUP : 1;
	while (ret > 0 && calls < to)
		ret = step(pid, &pc, &calls, walk);
	end(pid);
	if (ret < 0)
		return ret;
	return calls == to ? 0 : -ECHILD;
}
