// SPDX-License-Identifier: MIT
/*
 * Who lets the driver in, and whom it lets in: strangers do not load it, what is loaded opens
 * nothing by itself, secret rows are root's however it is mounted.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/base/reg.h"
#include "tests/lab/guest/driver.h"

#define MODPROBE_PATH "/proc/sys/kernel/modprobe"
#define ASKED "/tmp/asked"     /* what the kernel called modprobe with, a line a call */
#define HELPER "/tmp/modprobe" /* notes that, and calls busybox's */
#define CONTROL "ntimecontrol" /* a type of file system that is an alias of ours here alone */

#if defined(__x86_64__)
#define SIGNAL_OF_INSTRUCTION SIGSEGV
#else
#define SIGNAL_OF_INSTRUCTION SIGILL
#endif

static void put(const char *path, const char *text, int flags, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, mode);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	(void)close(fd);
}

static bool file_has(const char *path, const char *part)
{
	static char text[16384];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return false;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	(void)fclose(f);
	return strstr(text, part);
}

static void must(const char *command)
{
	if (system(command))
		fail_msg("%s failed", command);
}

/* ---- a user namespace ---- */

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	(void)close(fd);
	return ret;
}

/* Become root of a new one, who is outside of it what this process is; in a child. */
static int enter_user_namespace(void)
{
	char uid[32], gid[32];
	int ret;

	(void)snprintf(uid, sizeof(uid), "0 %u 1", (unsigned int)geteuid());
	(void)snprintf(gid, sizeof(gid), "0 %u 1", (unsigned int)getegid());
	/* Who has changed his user may not open his own files of /proc otherwise. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return -errno;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -errno;
	ret = write_file("/proc/self/setgroups", "deny");
	if (ret == 0)
		ret = write_file("/proc/self/uid_map", uid);
	return ret ? ret : write_file("/proc/self/gid_map", gid);
}

static void need_user_namespaces(void)
{
	if (access("/proc/self/ns/user", F_OK) != 0)
		TT_SKIP("this guest's kernel has no user namespaces (CONFIG_USER_NS)");
}

/* ---- loading ---- */

/* The module where modprobe looks for it, and a kernel that calls modprobe. */
static void install_module(void)
{
	struct utsname system;
	char line[512];

	(void)uname(&system);
	(void)snprintf(line, sizeof(line),
		       "mkdir -p /lib/modules/%s && cp " LAB_MODULE
		       " /lib/modules/%s/ && depmod && "
		       "echo 'alias fs-" CONTROL " ntime' >>/lib/modules/%s/modules.alias",
		       system.release, system.release, system.release);
	must(line);
	put(HELPER, "#!/bin/sh\necho \"$@\" >>" ASKED "\nexec modprobe \"$@\"\n", O_CREAT | O_TRUNC,
	    0755);
	put(MODPROBE_PATH, HELPER, 0, 0);
	(void)unlink(ASKED);
	put(ASKED, "", O_CREAT, 0666);
}

static long mount_type(void *type)
{
	int ret = enter_user_namespace();

	if (ret < 0)
		return ret;
	return mount("none", "/tmp", type, 0, NULL) < 0 ? -errno : 0;
}

static long open_type(void *type)
{
	int ret = enter_user_namespace();

	if (ret < 0)
		return ret;
	return syscall(SYS_fsopen, type, 0) < 0 ? -errno : 0;
}

/*
 * The kernel looks for a type before it asks whether the caller may mount it. That it does, and
 * that modprobe is called and finds the module, an alias shows that stands here alone.
 */
TEST(strangers_load_nothing)
{
	need_user_namespaces();
	LAB_GOOD(lab_driver_stop());
	install_module();
	TT_IS(lab_child(&lab_stranger, mount_type, NTIME_FS_TYPE), -ENODEV);
	TT_IS(file_has(ASKED, "fs-" NTIME_FS_TYPE "\n"), true);
	TT_IS(lab_driver_is_loaded(), false);
	TT_IS(lab_child(&lab_stranger, open_type, NTIME_FS_TYPE), -ENODEV);
	TT_IS(lab_driver_is_loaded(), false);
	TT_IS(lab_child(&lab_stranger, mount_type, CONTROL), -ENODEV);
	TT_IS(file_has(ASKED, "fs-" CONTROL "\n"), true);
	TT_IS(lab_driver_is_loaded(), true);
	/* Loaded, it is not theirs to mount either. */
	TT_IS(lab_child(&lab_stranger, mount_type, NTIME_FS_TYPE), -EPERM);
	TT_IS(lab_child(&lab_root, mount_type, NTIME_FS_TYPE), -EPERM);
	LAB_GOOD(lab_driver_unload());
	/* Root loads it by its name, and mounts it by one command. */
	must("modprobe ntime");
	TT_IS(lab_driver_is_loaded(), true);
	LAB_GOOD(lab_driver_unload());
	must("ntime driver load");
	TT_IS(access(NTIME_FS_PATH "/status", F_OK), 0);
	must("ntime driver unload");
}

static long read_counter(void *arg)
{
	const struct lab_user *user = arg;

	if (user->uid && (setgid(user->gid) < 0 || setuid(user->uid) < 0))
		return 1;
	(void)lab_pmc_read(0);
	return 0;
}

TEST(loading_opens_nothing)
{
	LAB_GOOD(lab_driver_stop());
	TT_IS(lab_signal(read_counter, (void *)(uintptr_t)&lab_stranger), SIGNAL_OF_INSTRUCTION);
	LAB_GOOD(lab_driver_load(""));
	TT_IS(file_has("/proc/mounts", NTIME_FS_TYPE), false);
	TT_IS(lab_signal(read_counter, (void *)(uintptr_t)&lab_stranger), SIGNAL_OF_INSTRUCTION);
	TT_IS(lab_signal(read_counter, (void *)(uintptr_t)&lab_root), SIGNAL_OF_INSTRUCTION);
	/* Nor does mounting: no file was opened by permission. */
	LAB_GOOD(lab_driver_mount("mode=0444"));
	TT_IS(lab_signal(read_counter, (void *)(uintptr_t)&lab_stranger), SIGNAL_OF_INSTRUCTION);
}

/* ---- secret rows ---- */

#define GROUP 77

static const struct lab_user member = { 1000, 1000, GROUP };

static long read_register(void *arg)
{
	uint64_t value;

	return lab_reg_get(arg, &value);
}

static bool is_secret(const struct lab_row *row)
{
	uint32_t index;
	const struct nthw_reg *reg = lab_row_find(row->path, row->name, &index);

	assert_non_null(reg);
	return reg->secret;
}

/* The secret one with number @n, from 0; NULL: there are not so many. */
static const struct lab_row *secret_row(const struct lab_rows *rows, size_t n)
{
	for (size_t i = 0; i < rows->count; i++)
		if (is_secret(&rows->rows[i]) && n-- == 0)
			return &rows->rows[i];
	return NULL;
}

static void mount_anew(const char *options, struct lab_rows *rows)
{
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_driver_mount(options));
	LAB_GOOD(lab_rows_take(rows));
}

TEST(secret_rows_are_roots)
{
	struct lab_rows rows;
	size_t secret = 0;

	mount_anew("uid=1000,gid=77,mode=0666", &rows);
	for (size_t i = 0; i < rows.count; i++) {
		const struct lab_row *r = &rows.rows[i];

		if (!is_secret(r)) {
			TT_IS(r->uid, 1000);
			TT_IS(r->gid, GROUP);
			continue;
		}
		TT_IS(r->uid, 0);
		TT_IS(r->gid, 0);
		TT_IS(r->mode & 07777 & ~0200u, 0400);
		TT_IS(lab_child(&member, read_register, (void *)(uintptr_t)r->path), -EACCES);
		TT_IS(lab_child(&lab_root, read_register, (void *)(uintptr_t)r->path), 0);
		secret++;
	}
	print_message("# %zu of %zu registers are secret\n", secret, rows.count);
	lab_rows_free(&rows);
	if (!secret)
		TT_SKIP("no register of this guest is secret");
}

/* One file, and it stays given; the others stay root's. */
TEST(secret_row_is_given_away_alone)
{
	const struct lab_row *given, *other;
	struct lab_rows rows, again;
	char file[LAB_FILE];

	mount_anew("gid=77,mode=0440", &rows);
	given = secret_row(&rows, 0);
	other = secret_row(&rows, 1);
	if (!given) {
		lab_rows_free(&rows);
		TT_SKIP("no register of this guest is secret");
	}
	TT_IS(lab_child(&member, read_register, (void *)(uintptr_t)given->path), -EACCES);
	LAB_GOOD(chown(lab_reg_path(given->path, file), 0, GROUP) < 0 ? -errno : 0);
	TT_IS(lab_child(&member, read_register, (void *)(uintptr_t)given->path), -EACCES);
	LAB_GOOD(chmod(file, 0440) < 0 ? -errno : 0);
	TT_IS(lab_child(&member, read_register, (void *)(uintptr_t)given->path), 0);
	mount_anew("mode=0444", &again);
	TT_IS(lab_child(&member, read_register, (void *)(uintptr_t)given->path), 0);
	TT_IS(lab_child(&lab_stranger, read_register, (void *)(uintptr_t)given->path), -EACCES);
	if (other)
		TT_IS(lab_child(&member, read_register, (void *)(uintptr_t)other->path), -EACCES);
	lab_rows_free(&again);
	lab_rows_free(&rows);
}

#define SAID "/tmp/said"

static long run_line(void *line)
{
	return system(line);
}

/* What @user's command writes is in SAID; whether its exit status is 0. */
static bool run_as(const struct lab_user *user, const char *command)
{
	char line[512];

	(void)unlink(SAID);
	(void)snprintf(line, sizeof(line), "exec >" SAID " 2>&1; %s", command);
	return lab_child(user, run_line, line) == 0;
}

static void must_have_said(const char *part)
{
	if (!file_has(SAID, part))
		fail_msg("%s lacks '%s'", SAID, part);
}

/* What a member of the group is told that asks for one; of others he has values. */
TEST(secret_rows_are_explained)
{
	const struct lab_row *row;
	struct lab_rows rows;
	char line[256];

	mount_anew("gid=77,mode=0440", &rows);
	row = secret_row(&rows, 0);
	if (!row) {
		lab_rows_free(&rows);
		TT_SKIP("no register of this guest is secret");
	}
	(void)snprintf(line, sizeof(line), "ntime reg get %s", row->path);
	TT_IS(run_as(&member, line), false);
	must_have_said("may not be read by this user, because ");
	must_have_said("let root give this user that one file");
	(void)snprintf(line, sizeof(line), "ntime reg get %s", lab_any_register());
	TT_IS(run_as(&member, line), true);
	lab_rows_free(&rows);
}

/* Energy is absent for a member of the group, and what else he asked for is not. */
TEST(secret_events_are_absent)
{
	if (!lab_reg_is_here("uncore0/msr/0x611"))
		TT_SKIP("this guest has no counters of energy");
	lab_perf_begins();
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_driver_mount("gid=77,mode=0440"));
	put("/proc/sys/kernel/perf_event_paranoid", "2", 0, 0);
	TT_IS(run_as(&member, "ntime -a -e power/energy-pkg/,cstate_pkg/c6-residency/ -- true"),
	      true);
	must_have_said("  cstate_pkg/c6-residency/\n");
	must_have_said("Not counted here:\n  power/energy-pkg/\n");
	must_have_said("is root's alone");
	must_have_said("remedy: run as root, or let root give this user that one file");
	TT_IS(run_as(&member, "ntime list -v package-power"), true);
	must_have_said("(not here) package-power");
	must_have_said("is root's alone");
	TT_IS(run_as(&lab_root, "ntime list -v package-power"), true);
	TT_IS(file_has(SAID, "not here"), false);
	lab_perf_has_ended();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(strangers_load_nothing),
		LAB_DRIVER_TEST(loading_opens_nothing),
		LAB_DRIVER_TEST(secret_rows_are_roots),
		LAB_DRIVER_TEST(secret_row_is_given_away_alone),
		LAB_DRIVER_TEST(secret_rows_are_explained),
		LAB_DRIVER_TEST(secret_events_are_absent),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
