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
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator/branch.h"
#include "emulator/counts.h"
#include "emulator/program.h"
#include "emulator/qemu.h"

#define THREADS_MOST 65536
#define ARGUMENTS_MOST 131072

NTE_EXPORT int qemu_plugin_version = NTE_QEMU_VERSION;

/* What differs between emulated processors. */
struct target {
	const char *name; /* QEMU's */
	int64_t execve, execveat;
	enum nte_branch (*branch_of)(const uint8_t *code, size_t bytes);
};

static const struct target targets[] = {
	{ "x86_64", 59, 322, nte_x86_branch },
	{ "aarch64", 221, 281, nte_aarch64_branch },
	{ "riscv64", 221, 281, nte_riscv_branch },
	{ "ppc64le", 11, 362, nte_ppc_branch },
};

static struct nte_counts *counts;
static const struct target *target;
static const struct nte_machine *machine;
static char *qemu_path, *counts_path, *plugin_argument;
static uid_t first_uid[3];

/* Of each thread, by QEMU's number: its place; NULL: the first one, which is for all. */
static struct nte_place *place_of[THREADS_MOST];

static struct nte_place *take_place(void)
{
	uint32_t i = __atomic_fetch_add(&counts->used, 1, __ATOMIC_RELAXED);

	if (i < NTE_PLACES)
		return &counts->place[i];
	__atomic_store_n(&counts->used, NTE_PLACES, __ATOMIC_RELAXED);
	return NULL;
}

static void add(unsigned int vcpu, enum nte_count which, uint64_t n)
{
	struct nte_place *place = place_of[vcpu % THREADS_MOST];

	if (place)
		place->count[which] += n;
	else
		__atomic_fetch_add(&counts->place[0].count[which], n, __ATOMIC_RELAXED);
}

/* What a block has, in the pointer that its callback gets: it may be freed while others run it. */
#define BRANCHES_SHIFT 16

static void on_block(unsigned int vcpu, void *arg)
{
	uintptr_t what = (uintptr_t)arg;

	add(vcpu, NTE_INSTRUCTIONS, what & 0xffff);
	if (what >> BRANCHES_SHIFT)
		add(vcpu, NTE_BRANCHES, what >> BRANCHES_SHIFT);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	uintptr_t branches = 0;

	(void)id;
	for (i = 0; i < n; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		branches += target->branch_of(qemu_plugin_insn_data(insn),
					      qemu_plugin_insn_size(insn)) != NTE_NO_BRANCH;
	}
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, NTE_QEMU_NO_REGISTERS,
					     (void *)(branches << BRANCHES_SHIFT | n));
}

static void on_thread(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	place_of[vcpu % THREADS_MOST] = take_place();
}

/* Only the thread that forked is there: whichever number it has, its place is a new one. */
static void on_child(void)
{
	struct nte_place *place = take_place();
	size_t i;

	for (i = 0; i < THREADS_MOST; i++)
		if (place_of[i])
			place_of[i] = place;
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

	switch (nte_program_command(&e, path, argv ? argv : no_arguments, text, sizeof(text),
				    command, ARGUMENTS_MOST)) {
	case NTE_PROGRAM:
		if (has_counts())
			(void)execve(qemu_path, command, envp);
		note_outside();
		break;
	case NTE_FOREIGN:
		note_outside();
		break;
	case NTE_ERROR:
		/* It is the program's to know; it may try another one. */
		break;
	}
}

static void on_syscall(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1,
		       uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
		       uint64_t a8)
{
	(void)id, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	add(vcpu, NTE_SYSCALLS, 1);
	if (number == target->execve)
		go_on_in_emulator((const char *)(uintptr_t)a1, (char *const *)(uintptr_t)a2,
				  (char *const *)(uintptr_t)a3);
	else if (number == target->execveat)
		note_outside();
}

/* Whatever returns from exec has executed nothing. */
static void on_return(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t ret)
{
	(void)id, (void)vcpu, (void)ret;
	if (!has_noted || (number != target->execve && number != target->execveat))
		return;
	has_noted = false;
	__atomic_fetch_sub(&counts->outside, 1, __ATOMIC_RELAXED);
}

static int complain(const char *what, const char *on)
{
	fprintf(stderr, "ntime: the emulator's plugin: %s: %s\n", on, what);
	return -1;
}

static int map_counts(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *memory;

	if (fd < 0)
		return complain(strerror(errno), path);
	memory = mmap(NULL, NTE_COUNTS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (memory == MAP_FAILED)
		return complain(strerror(errno), path);
	counts = memory;
	if (memcmp(counts->magic, NTE_COUNTS_MAGIC, sizeof(counts->magic)) != 0 ||
	    counts->version != NTE_COUNTS_VERSION)
		return complain("it is of another version of ntime", path);
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
	__atomic_fetch_add(&counts->plugins, 1, __ATOMIC_RELAXED);
	qemu_plugin_register_vcpu_init_cb(id, on_thread);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_return);
	return 0;
}
