// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of qemu-user that counts what a program executes, in a file that ntime maps as well
 * (counts.h). Arguments: counts=FILE, qemu=FILE, plugin=FILE (its own path).
 *
 * Instructions are added when a block of them begins, which at most ends early by a fault. Threads
 * have places of their own; a child of fork gets new ones; a program that calls execve(2) goes on
 * in an emulator of its own, since the kernel would run it outside of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "emulator/branch.h"
#include "emulator/counts.h"
#include "emulator/program.h"
#include "emulator/qemu.h"
#include "emulator/where.h"

#define THREADS_MOST 65536
#define ARGUMENTS_MOST 131072
/* Of all architectures. QEMU 7.2 has none, and C libraries then use clone(2). */
#define CLONE3 435

NTE_EXPORT int qemu_plugin_version = NTE_QEMU_FIRST;

/* QEMU asks for the version when it has loaded the plugin, which is of either. */
__attribute__((constructor)) static void set_version(void)
{
	if (qemu_plugin_scoreboard_new)
		qemu_plugin_version = NTE_QEMU_SCOREBOARDS;
}

/* What differs between emulated processors. */
struct target {
	const char *name;							  /* QEMU's */
	int64_t exit_group, execve, execveat, mmap, munmap, mremap, rt_sigaction; /* system calls */
	/* QEMU 7.2 has none of them, and no C library needs them. */
	int64_t set_robust_list, rseq;
	enum nte_branch (*branch)(const uint8_t *code, size_t bytes);
	int (*is_rep)(const uint8_t *code, size_t bytes); /* NULL: it has none */
};

static const struct target targets[] = {
	{ "x86_64", 231, 59, 322, 9, 11, 25, 13, 273, 334, nte_x86_branch, nte_x86_is_rep },
	{ "aarch64", 94, 221, 281, 222, 215, 216, 134, 99, 293, nte_aarch64_branch, NULL },
	{ "riscv64", 94, 221, 281, 222, 215, 216, 134, 99, 293, nte_riscv_branch, NULL },
	{ "ppc64le", 234, 11, 362, 90, 91, 163, 173, 300, 387, nte_ppc_branch, NULL },
};

static struct nte_counts *counts;
static const struct target *target;
static const struct nte_machine *machine;
static int qemu_version; /* of its interface */
static char *qemu_path, *counts_path, *plugin_argument;
static uid_t first_uid[3];

static int complain(const char *what, const char *on)
{
	fprintf(stderr, "ntime: the emulator's plugin: %s: %s\n", on, what);
	return -1;
}

/* What the plugin knows of a thread, by QEMU's number of it. */
static struct thread {
	struct nte_place *place; /* NULL: the first one, which is for all */
	uint64_t executed;	 /* instructions, where .place is NULL */
	struct moment {
		uint64_t address, executed;
	} rep, load, store; /* where the last one was, and what had been executed up to its block */
	uint64_t not_taken; /* address behind the branch with which the last block ended, or 0 */
	struct nte_block *record; /* of the last block, where counts are wanted by function */
} threads[THREADS_MOST];

/*
 * The counts of this process, at addresses that children share: what QEMU adds to them without a
 * callback is right in them too. Of each thread by QEMU's number; without scoreboards of the first
 * one, while there is no other. NULL: there are none.
 */
static struct nte_page *pages;
#define PAGES_MOST (THREADS_MOST / NTE_PAGE_PLACES)
static int page_number[PAGES_MOST]; /* of each page; or */
#define NOT_MAPPED (-1)
#define NOT_COUNTED (-2) /* what is at that address is in no count */
static pthread_mutex_t is_in_pages = PTHREAD_MUTEX_INITIALIZER;

/* With which QEMU finds a thread's place; NULL: it has no scoreboards. */
static struct qemu_plugin_scoreboard *board;

/* Threads that QEMU has numbered, and those that have not ended. */
static unsigned int threads_known, threads_now;

/* QEMU's number of this thread, where it has scoreboards. */
static __thread unsigned int this_vcpu;

static struct thread *thread_of(unsigned int vcpu)
{
	return &threads[vcpu % THREADS_MOST];
}

static struct nte_place *take_place(void)
{
	uint32_t i = __atomic_fetch_add(&counts->used, 1, __ATOMIC_RELAXED);

	if (i < NTE_PLACES)
		return &counts->place[i];
	__atomic_store_n(&counts->used, NTE_PLACES, __ATOMIC_RELAXED);
	return NULL;
}

/* -1: there is none. */
static int take_page(void)
{
	for (unsigned int tries = 0; tries < NTE_PAGES; tries++) {
		uint32_t i =
			__atomic_fetch_add(&counts->next_page, 1, __ATOMIC_RELAXED) % NTE_PAGES;
		uint32_t is_taken = 0;

		if (__atomic_compare_exchange_n(&counts->has_page[i], &is_taken, 1, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return (int)i;
	}
	return -1;
}

/* This process adds no more to them. Other threads may, until they end with it. */
static void give_pages(void)
{
	for (size_t i = 0; pages && threads_now == 1 && i < PAGES_MOST; i++)
		if (page_number[i] >= 0)
			__atomic_store_n(&counts->has_page[page_number[i]], 0, __ATOMIC_RELEASE);
}

/*
 * Another page is to be page @i: mremap(2) of 0 bytes has the same one in several places. Where
 * there is none, what is executed is in no count.
 */
static void change_page(size_t i)
{
	page_number[i] = take_page();
	if (page_number[i] >= 0 && mremap(&counts->page[page_number[i]], 0, sizeof(*pages),
					  MREMAP_MAYMOVE | MREMAP_FIXED, &pages[i]) != MAP_FAILED)
		return;
	if (mmap(&pages[i], sizeof(*pages), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
		(void)complain(strerror(errno), "memory for counts");
		abort();
	}
	page_number[i] = NOT_COUNTED;
	__atomic_fetch_add(&counts->outside, 1, __ATOMIC_RELAXED);
}

/* All pages are another process's, or were given. This thread goes on with one of its own. */
static void change_pages(void)
{
	for (size_t i = 0; pages && i < PAGES_MOST; i++)
		if (i == this_vcpu / NTE_PAGE_PLACES)
			change_page(i);
		else if (page_number[i] != NOT_MAPPED)
			page_number[i] = NOT_COUNTED;
}

/* The place of a thread: in the pages of this process, if it has them. */
static struct nte_place *place_for(unsigned int vcpu)
{
	size_t i = vcpu / NTE_PAGE_PLACES;

	if (!pages)
		return take_place();
	if (i >= PAGES_MOST) {
		(void)complain("it has too many threads", "the program");
		abort();
	}
	(void)pthread_mutex_lock(&is_in_pages);
	if (page_number[i] < 0)
		change_page(i);
	(void)pthread_mutex_unlock(&is_in_pages);
	return &pages[i].place[vcpu % NTE_PAGE_PLACES];
}

static void add(struct thread *thread, enum nte_count which, uint64_t n)
{
	if (thread->place) {
		thread->place->count[which] += n;
		return;
	}
	__atomic_fetch_add(&counts->place[0].count[which], n, __ATOMIC_RELAXED);
	if (which == NTE_INSTRUCTIONS)
		thread->executed += n;
}

/* Is @now where the last one was, and in the same execution of a block? Then it is as it was. */
static bool is_again(const struct thread *thread, struct moment *last, uint64_t address)
{
	uint64_t executed =
		thread->place ? thread->place->count[NTE_INSTRUCTIONS] : thread->executed;

	if (last->address == address && last->executed == executed)
		return true;
	*last = (struct moment){ .address = address, .executed = executed };
	return false;
}

/*
 * Instructions that are executed one behind the other: most have no more to be known than what the
 * callback's argument has room for, which spares a look at memory.
 */
#define BRANCHES_SHIFT 16

static void on_block(unsigned int vcpu, void *arg)
{
	struct thread *thread = thread_of(vcpu);
	uintptr_t what = (uintptr_t)arg;

	add(thread, NTE_INSTRUCTIONS, what & 0xffff);
	if (what >> BRANCHES_SHIFT)
		add(thread, NTE_BRANCHES, what >> BRANCHES_SHIFT);
}

/* Others have it here, until QEMU forgets all translations. It translates one at a time. */
struct block {
	struct block *next;
	uint64_t address, rep, not_taken; /* of the REP that ends it; as in struct thread */
	struct nte_block *record;	  /* NULL: not by function */
	uint32_t instructions;
	enum nte_branch branch; /* of the last one, since a branch ends it */
};
static struct block *blocks;

static bool is_wanted(enum nte_count which)
{
	return counts->wanted & 1u << which;
}

/* Records are of all threads and processes. */
static void add_by_function(struct nte_block *record, enum nte_count which, uint64_t n)
{
	if (record)
		__atomic_fetch_add(&record->count[which], n, __ATOMIC_RELAXED);
}

static void add_both(struct thread *thread, enum nte_count which, uint64_t n)
{
	add(thread, which, n);
	add_by_function(thread->record, which, n);
}

static void on_known_block(unsigned int vcpu, void *arg)
{
	struct thread *thread = thread_of(vcpu);
	const struct block *block = arg;

	/* Each further turn of a REP is a block of QEMU's, of that one instruction. */
	if (block->rep == block->address && is_again(thread, &thread->rep, block->rep))
		return;
	/* Whether a branch is taken shows in the block behind it. */
	if (thread->not_taken && thread->not_taken != block->address)
		add_both(thread, NTE_TAKEN_BRANCHES, 1);
	thread->not_taken = block->not_taken;
	thread->record = block->record;
	add_both(thread, NTE_INSTRUCTIONS, block->instructions);
	if (block->rep)
		(void)is_again(thread, &thread->rep, block->rep);
	if (block->branch != NTE_NO_BRANCH) {
		add(thread, NTE_BRANCHES, 1);
		if (block->record == &counts->block[0])
			add_by_function(block->record, NTE_BRANCHES, 1);
	}
	if (block->branch == NTE_ALWAYS_TAKEN && is_wanted(NTE_TAKEN_BRANCHES))
		add_both(thread, NTE_TAKEN_BRANCHES, 1);
}

/* An instruction counts once, however many accesses QEMU makes of its own. */
static void on_memory(unsigned int vcpu, uint32_t info, uint64_t where, void *arg)
{
	struct thread *thread = thread_of(vcpu);
	unsigned int what = NTE_QEMU_ACCESS(info);

	(void)where;
	if (what & NTE_QEMU_LOAD && !is_again(thread, &thread->load, (uintptr_t)arg))
		add_both(thread, NTE_LOADS, 1);
	if (what & NTE_QEMU_STORE && !is_again(thread, &thread->store, (uintptr_t)arg))
		add_both(thread, NTE_STORES, 1);
}

/*
 * QEMU ends a block of x86 in front of an instruction that reaches into another page, though it has
 * shown it as the last one (disas_insn() of target/i386, 7.2). It forgets our callback with it.
 */
#define PAGE_BYTES 4096
#define INSTRUCTION_MOST 15

static bool may_be_left_out(const struct qemu_plugin_insn *last)
{
	return (qemu_plugin_insn_vaddr(last) & (PAGE_BYTES - 1)) > PAGE_BYTES - INSTRUCTION_MOST;
}

/* What is to be known of @n instructions from @first to @last. */
static struct block block_of(const struct qemu_plugin_insn *first,
			     const struct qemu_plugin_insn *last, size_t n)
{
	uint8_t room[INSTRUCTION_MOST];
	uintptr_t data = qemu_plugin_insn_data(last, room, sizeof(room));
	const uint8_t *code = qemu_version < NTE_QEMU_COPIES ? (const uint8_t *)data : room;
	size_t bytes = qemu_plugin_insn_size(last);
	uint64_t address = qemu_plugin_insn_vaddr(last);
	struct block out = { .address = qemu_plugin_insn_vaddr(first),
			     .instructions = (uint32_t)n,
			     .branch = target->branch(code, bytes) };

	if (out.branch == NTE_MAY_BE_TAKEN && is_wanted(NTE_TAKEN_BRANCHES))
		out.not_taken = address + bytes;
	if (target->is_rep && target->is_rep(code, bytes))
		out.rep = address;
	if (counts->by_function)
		out.record = nte_where_block(counts, qemu_plugin_insn_haddr(first), n,
					     out.branch != NTE_NO_BRANCH);
	return out;
}

/* A callback and its argument. */
struct callback {
	void (*fn)(unsigned int vcpu, void *arg);
	void *arg;
};

/* Is there nothing to be known of it but how many instructions and branches it has? */
static bool is_plain(const struct block *block)
{
	return !block->rep && !block->record && !is_wanted(NTE_TAKEN_BRANCHES);
}

static struct callback callback_for(const struct block *block)
{
	uintptr_t branches = block->branch != NTE_NO_BRANCH;
	struct block *kept;

	if (is_plain(block))
		return (struct callback){ on_block, (void *)(branches << BRANCHES_SHIFT |
							     block->instructions) };
	kept = malloc(sizeof(*kept));
	if (!kept) {
		(void)complain(strerror(ENOMEM), "translation");
		abort();
	}
	*kept = *block;
	kept->next = blocks;
	blocks = kept;
	return (struct callback){ on_known_block, kept };
}

/* QEMU adds @n itself when @tb begins, to the place of the thread in this process's pages. */
static void add_inline(struct qemu_plugin_tb *tb, enum nte_count which, uint64_t n)
{
	uint64_t *first = &pages->place[0].count[which];

	if (board)
		qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(
			tb, NTE_QEMU_ADD,
			(qemu_plugin_u64){
				board, (uintptr_t)first -
					       (uintptr_t)qemu_plugin_scoreboard_find(board, 0) },
			n);
	else
		qemu_plugin_register_vcpu_tb_exec_inline(tb, NTE_QEMU_ADD, first, n);
}

static void count_block(struct qemu_plugin_tb *tb, const struct block *block)
{
	struct callback call;

	if (!pages || !is_plain(block)) {
		call = callback_for(block);
		qemu_plugin_register_vcpu_tb_exec_cb(tb, call.fn, NTE_QEMU_NO_REGISTERS, call.arg);
		return;
	}
	add_inline(tb, NTE_INSTRUCTIONS, block->instructions);
	if (block->branch != NTE_NO_BRANCH)
		add_inline(tb, NTE_BRANCHES, 1);
}

/* One instruction alone, which is seldom enough for a callback. */
static void count_instruction(struct qemu_plugin_insn *insn)
{
	struct block block = block_of(insn, insn, 1);
	struct callback call = callback_for(&block);

	qemu_plugin_register_vcpu_insn_exec_cb(insn, call.fn, NTE_QEMU_NO_REGISTERS, call.arg);
}

static void count_accesses(struct qemu_plugin_tb *tb, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		qemu_plugin_register_vcpu_mem_cb(insn, on_memory, NTE_QEMU_NO_REGISTERS,
						 NTE_QEMU_LOAD | NTE_QEMU_STORE,
						 (void *)(uintptr_t)qemu_plugin_insn_vaddr(insn));
	}
}

/*
 * Functions that handle signals of instructions that cannot go on. QEMU tells a plugin of no
 * signal, but the first block of such a function begins when there is one. A function that ran
 * before it became one is missed, and one that handles other signals too makes the bound wider.
 */
#define HANDLERS_MOST 64
static uint64_t handlers[HANDLERS_MOST];

static bool is_handler(uint64_t address)
{
	for (size_t i = 0; i < HANDLERS_MOST; i++)
		if (__atomic_load_n(&handlers[i], __ATOMIC_RELAXED) == address)
			return true;
	return false;
}

/* rt_sigaction(2): the function is the first word of @action, here on all architectures. */
static void note_handler(int64_t signal, uint64_t action)
{
	static uint32_t next;
	uint64_t address = 0;
	struct iovec here = { &address, sizeof(address) };
	struct iovec there = { (void *)(uintptr_t)action, sizeof(address) };

	if (signal != SIGSEGV && signal != SIGBUS && signal != SIGFPE && signal != SIGILL)
		return;
	if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != sizeof(address) ||
	    address == (uintptr_t)SIG_DFL || address == (uintptr_t)SIG_IGN || is_handler(address))
		return;
	__atomic_store_n(&handlers[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % HANDLERS_MOST],
			 address, __ATOMIC_RELAXED);
}

static void on_fault(unsigned int vcpu, void *arg)
{
	(void)vcpu, (void)arg;
	__atomic_fetch_add(&counts->faults, 1, __ATOMIC_RELAXED);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *last = n ? qemu_plugin_tb_get_insn(tb, n - 1) : NULL;
	struct block block;

	(void)id;
	if (!n)
		return;
	if (is_wanted(NTE_LOADS) || is_wanted(NTE_STORES))
		count_accesses(tb, n);
	if (n > 1 && may_be_left_out(last)) {
		count_instruction(last);
		last = qemu_plugin_tb_get_insn(tb, --n - 1);
	}
	block = block_of(qemu_plugin_tb_get_insn(tb, 0), last, n);
	if (is_handler(block.address))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_fault, NTE_QEMU_NO_REGISTERS, NULL);
	count_block(tb, &block);
}

/* No thread is in one of them. */
static void on_flush(qemu_plugin_id_t id)
{
	(void)id;
	while (blocks) {
		struct block *next = blocks->next;

		free(blocks);
		blocks = next;
	}
}

/*
 * Without scoreboards, what was translated for one thread is used no more once there are two: QEMU
 * then translates with CF_PARALLEL (linux-user, clone(2)).
 */
static void leave_pages(void)
{
	for (unsigned int i = 0; i < threads_known && i < THREADS_MOST; i++)
		if (threads[i].place == &pages->place[0])
			threads[i].place = take_place();
	give_pages();
	pages = NULL;
}

/* Called by the new thread; without scoreboards by the one that begins it. */
static void on_thread(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	if (board)
		this_vcpu = vcpu;
	else if (threads_known && pages)
		leave_pages();
	*thread_of(vcpu) = (struct thread){ .place = place_for(vcpu) };
	__atomic_fetch_add(&threads_now, 1, __ATOMIC_RELAXED);
	if (threads_known <= vcpu)
		threads_known = vcpu + 1;
}

static void on_thread_end(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id, (void)vcpu;
	__atomic_fetch_sub(&threads_now, 1, __ATOMIC_RELAXED);
}

/* Who has it executes another program, or finds out that it cannot. */
static pthread_mutex_t is_in_exec = PTHREAD_MUTEX_INITIALIZER;

/* Only the thread that forked is there, whichever number it has. */
static void on_child(void)
{
	struct nte_place *place;

	(void)pthread_mutex_init(&is_in_exec, NULL);
	(void)pthread_mutex_init(&is_in_pages, NULL);
	threads_now = 1;
	change_pages();
	place = place_for(this_vcpu);
	for (size_t i = 0; i < threads_known && i < THREADS_MOST; i++)
		threads[i] = (struct thread){ .place = place };
	__atomic_fetch_add(&counts->plugins, 1, __ATOMIC_RELAXED);
}

/* This thread has just counted a program as outside, which the kernel may yet refuse. */
static __thread bool has_noted;

static void note_outside(void)
{
	__atomic_fetch_add(&counts->outside, 1, __ATOMIC_RELAXED);
	has_noted = true;
}

/*
 * A program that has become another user, or is in another root, has lost them: capabilities that
 * it has until exec(2) do not show what it may do behind it.
 */
static bool has_counts(void)
{
	uid_t uid[3];
	int fd;

	if (getresuid(&uid[0], &uid[1], &uid[2]) != 0 || memcmp(uid, first_uid, sizeof(uid)) != 0)
		return false;
	fd = open(counts_path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

/* Is @argv, which the program gave, in its memory up to the NULL? If that can be asked at all. */
static bool can_be_read(char *const argv[])
{
	for (size_t i = 0; i < ARGUMENTS_MOST; i++) {
		char *word;
		struct iovec here = { &word, sizeof(word) };
		struct iovec there = { (void *)(uintptr_t)&argv[i], sizeof(word) };

		if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) < 0)
			return errno != EFAULT;
		if (!word)
			return true;
	}
	return true;
}

/*
 * The program calls execve(2), which the kernel will do if this returns. Names and arguments are
 * where they are for the kernel: QEMU maps 64 bits as they are.
 */
static void go_on_in_emulator(const char *path, char *const argv[], char *const envp[])
{
	static char text[NTE_TEXT_BYTES];
	static char *command[ARGUMENTS_MOST];
	static char *no_arguments[] = { NULL };
	struct nte_emulator e = { .qemu = qemu_path,
				  .plugin = plugin_argument,
				  .machine = machine->elf };

	if (argv && !can_be_read(argv))
		return;
	(void)pthread_mutex_lock(&is_in_exec);
	switch (nte_program_command(&e, path, argv ? argv : no_arguments, text, sizeof(text),
				    command, ARGUMENTS_MOST)) {
	case NTE_PROGRAM:
		if (has_counts()) {
			give_pages();
			(void)execve(qemu_path, command, envp);
			if (threads_now == 1)
				change_pages();
		}
		note_outside();
		break;
	case NTE_FOREIGN:
		note_outside();
		break;
	case NTE_ERROR:
		/* It is the program's to know; it may try another one. */
		break;
	}
	(void)pthread_mutex_unlock(&is_in_exec);
}

static void on_syscall(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1,
		       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
		       uint64_t a8)
{
	(void)id, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	add_both(thread_of(vcpu), NTE_SYSCALLS, 1);
	if (number == target->exit_group)
		give_pages();
	if (number == target->rt_sigaction)
		note_handler((int64_t)a1, a2);
	if (number == target->execve)
		go_on_in_emulator((const char *)(uintptr_t)a1, (char *const *)(uintptr_t)a2,
				  (char *const *)(uintptr_t)a3);
	else if (number == target->execveat)
		note_outside();
}

static void on_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t ret)
{
	(void)id, (void)vcpu;
	if (ret == -ENOSYS && number != target->set_robust_list && number != target->rseq &&
	    number != CLONE3) {
		__atomic_store_n(&counts->system_call, (uint32_t)number, __ATOMIC_RELAXED);
		__atomic_fetch_add(&counts->lacking, 1, __ATOMIC_RELAXED);
	}
	if (number == target->mmap || number == target->munmap || number == target->mremap)
		nte_where_forget();
	/* Whatever returns from exec has executed nothing. */
	if (!has_noted || (number != target->execve && number != target->execveat))
		return;
	has_noted = false;
	__atomic_fetch_sub(&counts->outside, 1, __ATOMIC_RELAXED);
}

static int map_counts(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;
	void *memory;

	if (fd < 0 || fstat(fd, &st) != 0)
		return complain(strerror(errno), path);
	memory = MAP_FAILED;
	errno = EINVAL;
	if (st.st_size >= (off_t)NTE_PLAIN_BYTES)
		memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (memory == MAP_FAILED)
		return complain(strerror(errno), path);
	counts = memory;
	if (memcmp(counts->magic, NTE_COUNTS_MAGIC, sizeof(counts->magic)) != 0 ||
	    counts->version != NTE_COUNTS_VERSION)
		return complain("it is of another version of ntime", path);
	return 0;
}

/* Addresses for all that there may be. Without them a callback counts each block. */
static int make_pages(void)
{
	void *room;

	if (sysconf(_SC_PAGESIZE) != NTE_PAGE_BYTES)
		return 0;
	if (qemu_plugin_scoreboard_new)
		board = qemu_plugin_scoreboard_new(sizeof(struct nte_place));
	room = mmap(NULL, PAGES_MOST * sizeof(*pages), PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return complain(strerror(errno), "memory for counts");
	pages = room;
	for (size_t i = 0; i < PAGES_MOST; i++)
		page_number[i] = NOT_MAPPED;
	return 0;
}

/* The value of "NAME=VALUE" among the arguments, or NULL. */
static const char *argument(int argc, char **argv, const char *name)
{
	size_t bytes = strlen(name);

	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], name, bytes) == 0 && argv[i][bytes] == '=')
			return argv[i] + bytes + 1;
	return NULL;
}

NTE_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				   char **argv)
{
	const char *file = argument(argc, argv, "counts"), *qemu = argument(argc, argv, "qemu");
	const char *self = argument(argc, argv, "plugin");
	size_t i;

	if (!file || !qemu || !self)
		return complain("expected counts=, qemu= and plugin=", "arguments");
	qemu_version = info->version.cur;
	if (qemu_version > NTE_QEMU_LAST)
		return complain("its interface for plugins is newer than this plugin", qemu);
	for (i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (strcmp(targets[i].name, info->target_name) == 0)
			target = &targets[i];
	for (machine = nte_machines; machine->name; machine++)
		if (strcmp(machine->name, info->target_name) == 0)
			break;
	if (!target || !machine->name)
		return complain("its system calls are not known", info->target_name);
	if (map_counts(file) < 0)
		return -1;
	qemu_path = strdup(qemu);
	counts_path = strdup(file);
	(void)getresuid(&first_uid[0], &first_uid[1], &first_uid[2]);
	if (!qemu_path || !counts_path ||
	    asprintf(&plugin_argument, "%s,counts=%s,qemu=%s,plugin=%s", self, file, qemu, self) <
		    0)
		return complain(strerror(ENOMEM), "arguments");
	if (pthread_atfork(NULL, NULL, on_child) != 0)
		return complain(strerror(ENOMEM), "fork");
	if (make_pages() < 0)
		return -1;
	__atomic_fetch_add(&counts->plugins, 1, __ATOMIC_RELAXED);
	qemu_plugin_register_vcpu_init_cb(id, on_thread);
	qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_flush_cb(id, on_flush);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
	return 0;
}
