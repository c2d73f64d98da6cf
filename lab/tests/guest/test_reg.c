// SPDX-License-Identifier: MIT
/*
 * ntime reg, ntime driver and the registers of the library with the real driver, as root: every
 * access method tells the same, what is set comes back or stays as was promised, and who is in the
 * group reads and writes nothing.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

#define GROUP 777 /* of nobody else */

/* ---- the library ---- */

static struct ntime_ctx *open_context(void)
{
	struct ntime_ctx *ctx;

	LAB_GOOD(ntime_open(&ctx, NULL));
	return ctx;
}

struct infos {
	struct ntime_register_info info[1024];
	size_t n;
};

static int keep(void *arg, const struct ntime_register_info *info)
{
	struct infos *all = arg;

	assert_in_range(all->n, 0, 1023);
	all->info[all->n++] = *info;
	return 0;
}

static struct infos all;

static void find_all(struct ntime_ctx *ctx)
{
	all.n = 0;
	LAB_GOOD(ntime_register_for_each(ctx, keep, &all));
}

static uint64_t read_now(struct ntime_ctx *ctx, const struct ntime_register_info *info)
{
	struct ntime_register *r;
	uint64_t value = 0;

	LAB_GOOD(ntime_register_open(ctx, info, 0, &r));
	LAB_GOOD(ntime_register_read(r, &value));
	LAB_GOOD(ntime_register_close(r));
	return value;
}

/* ---- every way tells the same ---- */

/* Without ntime. */
static uint64_t read_msr(const struct ntime_register_info *info)
{
	uint64_t value = 0;
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", info->cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	TT_IS(pread(fd, &value, sizeof(value), info->address), sizeof(value));
	close(fd);
	return value;
}

/* Between two readings by msr; what moves only upward must lie between them. */
static void compare_with_msr(struct ntime_ctx *ctx, const struct ntime_register_info *info)
{
	uint64_t before, tree, after;

	before = read_msr(info);
	tree = read_now(ctx, info);
	after = read_msr(info);
	if (before <= tree && tree <= after)
		return;
	print_error("%s: msr %#llx, ntimefs %#llx, msr %#llx\n", info->path,
		    (unsigned long long)before, (unsigned long long)tree,
		    (unsigned long long)after);
	fail();
}

TEST(ntimefs_and_msr_agree)
{
	struct ntime_ctx *ctx = open_context();
	size_t compared = 0;

	if (access("/dev/cpu/0/msr", R_OK))
		TT_SKIP("this guest has no msr device");
	find_all(ctx);
	for (size_t i = 0; i < all.n; i++) {
		if (strcmp(all.info[i].space, "msr") != 0 || !all.info[i].is_readable ||
		    lab_row_moves(all.info[i].name))
			continue;
		assert_string_equal(all.info[i].method, "ntimefs");
		compare_with_msr(ctx, &all.info[i]);
		compared++;
	}
	ntime_close(ctx);
	/* x86-pci has no core PMU, but every x86 has some register. */
	if (!compared)
		TT_SKIP("no register of this guest is an MSR that stands still");
	print_message("# %zu registers compared\n", compared);
}

/* The same register through the tree, and around it as if the driver was not there. */
TEST(ntimefs_and_pci_agree)
{
	struct ntime_ctx *ctx = open_context();
	size_t compared = 0;
	struct ntime_register *r;
	uint64_t value;

	find_all(ctx);
	for (size_t i = 0; i < all.n; i++) {
		const struct ntime_register_info *info = &all.info[i];

		if (!*info->device || strcmp(info->method, "ntimefs") != 0 || !info->is_readable ||
		    !info->is_writable || lab_row_moves(info->name))
			continue;
		/* To keep what is written the driver is gone around, already for reading. */
		LAB_GOOD(ntime_register_open(ctx, info, NTIME_REGISTER_WRITE | NTIME_REGISTER_KEEP,
					     &r));
		assert_string_not_equal(ntime_register_method(r), "ntimefs");
		LAB_GOOD(ntime_register_read(r, &value));
		LAB_GOOD(ntime_register_close(r));
		if (value != read_now(ctx, info))
			fail_msg("%s through PCI is not what it is through ntimefs", info->path);
		compared++;
	}
	ntime_close(ctx);
	if (!compared)
		TT_SKIP("no PCI function of this guest is in the driver's tree");
	print_message("# %zu registers compared\n", compared);
}

TEST(the_tree_has_what_is_told)
{
	struct ntime_ctx *ctx = open_context();
	size_t in_tree = 0;

	find_all(ctx);
	for (size_t i = 0; i < all.n; i++) {
		if (strcmp(all.info[i].method, "ntimefs") != 0)
			continue;
		assert_true(lab_reg_is_here(all.info[i].path));
		in_tree++;
	}
	ntime_close(ctx);
	assert_true(in_tree > 0);
	print_message("# %zu registers\n", in_tree);
}

/* ---- what is set ---- */

static uint64_t get(const char *path)
{
	uint64_t value = 0;

	LAB_GOOD(lab_reg_get(path, &value));
	return value;
}

/* "ntime reg set CONTROL VALUE ..." */
static const char *set_line(const struct lab_pair *pair, uint64_t value, const char *rest)
{
	static char line[512];

	(void)snprintf(line, sizeof(line), "ntime reg set %s %#llx%s", pair->control,
		       (unsigned long long)value, rest);
	return line;
}

TEST(set_for_a_command)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before = get(pair->control);
	char part[32], rest[256];

	(void)snprintf(part, sizeof(part), "0x%016llx  (ntimefs)",
		       (unsigned long long)(before ^ pair->flip));
	(void)snprintf(rest, sizeof(rest), " -- ntime reg get -b %s", pair->control);
	lab_must(set_line(pair, before ^ pair->flip, rest), 0, part);
	LAB_REG_IS(pair->control, before);
	lab_must(set_line(pair, before ^ pair->flip, " -- sh -c 'exit 7'"), 7, "(ntimefs)");
	LAB_REG_IS(pair->control, before);
}

/* Start "ntime reg set --hold", and come back when it holds. */
static pid_t hold(const struct lab_pair *pair, uint64_t value)
{
	char text[32], said[256];
	int pipes[2];
	size_t n = 0;
	pid_t pid;

	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	(void)snprintf(text, sizeof(text), "%#llx", (unsigned long long)value);
	pid = fork();
	if (!pid) {
		(void)dup2(pipes[1], STDERR_FILENO);
		(void)dup2(pipes[1], STDOUT_FILENO);
		(void)execlp("ntime", "ntime", "reg", "set", pair->control, text, "--hold", NULL);
		_exit(127);
	}
	(void)close(pipes[1]);
	while (n < sizeof(said) - 1 && read(pipes[0], said + n, 1) == 1) {
		said[++n] = '\0';
		if (strstr(said, "held until"))
			break;
	}
	(void)close(pipes[0]);
	if (!n || !strstr(said, "held until"))
		fail_msg("ntime reg set --hold said: %s", n ? said : "nothing");
	return pid;
}

static void hold_and_end(int sig)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before = get(pair->control);
	pid_t pid = hold(pair, before ^ pair->flip);
	int status;

	LAB_REG_IS(pair->control, before ^ pair->flip);
	/* One writer: the sentence names what is in the way. */
	lab_must(set_line(pair, before, " -- true"), 125, "is taken");
	lab_must("ntime driver status", 0, "ntime");
	lab_must("ntime driver unload", 125, "is in use by ");
	assert_int_equal(kill(pid, sig), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	LAB_REG_IS(pair->control, before);
}

TEST(hold_ends_with_a_signal)
{
	hold_and_end(SIGTERM);
}

TEST(hold_comes_back_after_kill_9)
{
	hold_and_end(SIGKILL);
}

/* Without a command it stays: around the driver, and back by the same way. */
TEST(set_stays)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before = get(pair->control);
	char part[64];

	if (strstr(pair->control, "/msr/") && access("/dev/cpu/0/msr", W_OK))
		TT_SKIP("this guest has no msr device");
	if (!strstr(pair->control, "/msr/") && !strstr(pair->control, "/pci/"))
		TT_SKIP("only the driver reaches registers of this processor");
	(void)snprintf(part, sizeof(part), "0x%016llx -> 0x%016llx (%s)",
		       (unsigned long long)before, (unsigned long long)(before ^ pair->flip),
		       strstr(pair->control, "/msr/") ? "msr" : "pci");
	lab_must(set_line(pair, before ^ pair->flip, ""), 0, part);
	LAB_REG_IS(pair->control, before ^ pair->flip);
	lab_must(set_line(pair, before, ""), 0, "->");
	LAB_REG_IS(pair->control, before);
}

TEST(hammer_puts_back)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before = get(pair->control);
	int64_t writes = lab_status_number("writes");
	char line[128];

	(void)snprintf(line, sizeof(line), "ntime reg hammer -n 100 %s %#llx", pair->control,
		       (unsigned long long)(before ^ pair->flip));
	lab_must(line, 0, "100 writes of");
	LAB_REG_IS(pair->control, before);
	/* The driver saw each of them, and what put the old value back. */
	assert_in_range(lab_status_number("writes") - writes, 100, 200);
}

TEST(diff_finds_what_was_set)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before = get(pair->control);

	lab_must("ntime reg dump -o /tmp/before && echo done", 0, "done");
	lab_must(set_line(pair, before ^ pair->flip, " -- sh -c 'ntime reg diff /tmp/before live'"),
		 1, pair->control);
}

/* ---- who may ---- */

/* In children: 1 when it worked. */
static long user_gets(void *path)
{
	char line[256];

	(void)snprintf(line, sizeof(line),
		       "out=$(ntime reg get -b %s 2>&1) && echo \"$out\" | grep -q '(ntimefs)'",
		       (const char *)path);
	return system(line) == 0;
}

static long user_sets(void *path)
{
	char line[256];

	(void)snprintf(line, sizeof(line), "ntime reg set %s 0 -- true >/dev/null 2>&1",
		       (const char *)path);
	return system(line) == 0;
}

TEST(members_of_the_group_read)
{
	const struct lab_user member = { .uid = 1000, .gid = 1000, .extra = GROUP };
	const char *path = lab_any_register();

	LAB_GOOD(lab_driver_unmount());
	lab_must("ntime driver load --gid 777", 0, "");
	lab_must("ntime driver status", 0, "gid=777,mode=0440");
	assert_int_equal(lab_child(&member, user_gets, path), 1);
	assert_int_equal(lab_child(&lab_stranger, user_gets, path), 0);
	if (lab_pair()) {
		path = lab_pair()->control;
		assert_int_equal(lab_child(&member, user_sets, path), 0);
		assert_int_equal(lab_child(&lab_stranger, user_sets, path), 0);
	}
}

/* ---- the module ---- */

TEST(command_loads_and_unloads)
{
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_driver_unload());
	lab_must("ntime driver status", 1, "loaded: no");
	lab_must("ntime driver load --module " LAB_MODULE " && ntime driver status", 0,
		 "mounted: " NTIME_FS_PATH);
	/* Once more is no mistake. */
	lab_must("ntime driver load && echo done", 0, "done");
	lab_must("ntime driver load --mode 0444", 125, "is already mounted");
	lab_must("ntime driver unload && ntime driver status", 1, "loaded: no");
	lab_must("ntime driver unload", 0, "is not loaded");
	lab_must("ntime driver load --module /bin/busybox", 125, "is not a module for this kernel");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(ntimefs_and_msr_agree),
		LAB_DRIVER_TEST(ntimefs_and_pci_agree),
		LAB_DRIVER_TEST(the_tree_has_what_is_told),
		LAB_DRIVER_TEST(set_for_a_command),
		LAB_DRIVER_TEST(hold_ends_with_a_signal),
		LAB_DRIVER_TEST(hold_comes_back_after_kill_9),
		LAB_DRIVER_TEST(set_stays),
		LAB_DRIVER_TEST(hammer_puts_back),
		LAB_DRIVER_TEST(diff_finds_what_was_set),
		LAB_DRIVER_TEST(members_of_the_group_read),
		LAB_DRIVER_TEST(command_loads_and_unloads),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
