// SPDX-License-Identifier: MIT
/*
 * Who lets the driver in, and whom it lets in: strangers do not load it, what is loaded opens
 * nothing by itself, secret rows are root's however it is mounted, and the name of root alone, of a
 * container above all, writes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/reg.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

#define MODPROBE_PATH "/proc/sys/kernel/modprobe"
#define ASKED "/tmp/asked"     /* what the kernel called modprobe with, a line a call */
#define HELPER "/tmp/modprobe" /* notes that, and calls busybox's */
#define CONTROL "ntimecontrol" /* a type of file system that is an alias of ours here alone */

#if defined(__x86_64__)
#define SIGNAL_OF_INSTRUCTION SIGSEGV
#else
#define SIGNAL_OF_INSTRUCTION SIGILL
#endif

static void create(const char *path, const char *text, mode_t mode)
{
	int fd = (int)LAB_GOOD(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));

	(void)close(fd);
	lab_set_file(path, text);
}

/* ---- a user namespace ---- */

static bool has_user_namespaces(void)
{
	return access("/proc/self/ns/user", F_OK) == 0;
}

static void need_user_namespaces(void)
{
	if (!has_user_namespaces())
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
	lab_must(line, 0, "");
	create(HELPER, "#!/bin/sh\necho \"$@\" >>" ASKED "\nexec modprobe \"$@\"\n", 0755);
	lab_set_file(MODPROBE_PATH, HELPER);
	(void)unlink(ASKED);
	create(ASKED, "", 0666);
}

static long mount_type(void *type)
{
	int ret = lab_enter_user_namespace();

	if (ret < 0)
		return ret;
	return mount("none", "/tmp", type, 0, NULL) < 0 ? -errno : 0;
}

static long open_type(void *type)
{
	int ret = lab_enter_user_namespace();

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
	TT_IS(lab_file_has(ASKED, "fs-" NTIME_FS_TYPE "\n"), true);
	TT_IS(lab_driver_is_loaded(), false);
	TT_IS(lab_child(&lab_stranger, open_type, NTIME_FS_TYPE), -ENODEV);
	TT_IS(lab_driver_is_loaded(), false);
	TT_IS(lab_child(&lab_stranger, mount_type, CONTROL), -ENODEV);
	TT_IS(lab_file_has(ASKED, "fs-" CONTROL "\n"), true);
	TT_IS(lab_driver_is_loaded(), true);
	/* Loaded, it is not theirs to mount either. */
	TT_IS(lab_child(&lab_stranger, mount_type, NTIME_FS_TYPE), -EPERM);
	TT_IS(lab_child(&lab_root, mount_type, NTIME_FS_TYPE), -EPERM);
	LAB_GOOD(lab_driver_unload());
	/* Root loads it by its name, and mounts it by one command. */
	lab_must("modprobe ntime", 0, "");
	TT_IS(lab_driver_is_loaded(), true);
	LAB_GOOD(lab_driver_unload());
	lab_must("ntime driver load", 0, "");
	TT_IS(access(NTIME_FS_PATH "/status", F_OK), 0);
	lab_must("ntime driver unload", 0, "");
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
	TT_IS(lab_signal(read_counter, &lab_stranger), SIGNAL_OF_INSTRUCTION);
	LAB_GOOD(lab_driver_load(""));
	TT_IS(lab_file_has("/proc/mounts", NTIME_FS_TYPE), false);
	TT_IS(lab_signal(read_counter, &lab_stranger), SIGNAL_OF_INSTRUCTION);
	TT_IS(lab_signal(read_counter, &lab_root), SIGNAL_OF_INSTRUCTION);
	/* Nor does mounting: no file was opened by permission. */
	LAB_GOOD(lab_driver_mount("mode=0444"));
	TT_IS(lab_signal(read_counter, &lab_stranger), SIGNAL_OF_INSTRUCTION);
}

/* ---- secret rows ---- */

#define GROUP 77

static const struct lab_user member = { 1000, 1000, GROUP };

static bool is_secret(const struct lab_row *row)
{
	assert_non_null(row->reg);
	return row->reg->secret;
}

/* The secret one with number @n, from 0; false: there are not so many. */
static bool find_secret(size_t n, char path[LAB_PATH])
{
	struct lab_rows rows;
	bool is_found = false;

	LAB_GOOD(lab_rows_take(&rows));
	for (size_t i = 0; i < rows.count && !is_found; i++)
		if (is_secret(&rows.rows[i]) && n-- == 0) {
			strcpy(path, rows.rows[i].path);
			is_found = true;
		}
	lab_rows_free(&rows);
	return is_found;
}

/* The first, in a tree that is mounted with @options. */
static void need_secret(const char *options, char path[LAB_PATH])
{
	lab_mount_anew(options);
	if (!find_secret(0, path))
		TT_SKIP("no register of this guest is secret");
}

TEST(secret_rows_are_roots)
{
	struct lab_rows rows;
	size_t secret = 0;

	lab_mount_anew("uid=1000,gid=77,mode=0666");
	LAB_GOOD(lab_rows_take(&rows));
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
		TT_IS(lab_child(&member, lab_do_read, r->path), -EACCES);
		TT_IS(lab_child(&lab_root, lab_do_read, r->path), 0);
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
	char given[LAB_PATH], other[LAB_PATH], file[LAB_FILE];

	need_secret("gid=77,mode=0440", given);
	TT_IS(lab_child(&member, lab_do_read, given), -EACCES);
	LAB_CALL(chown(lab_reg_path(given, file), 0, GROUP));
	TT_IS(lab_child(&member, lab_do_read, given), -EACCES);
	LAB_CALL(chmod(file, 0440));
	TT_IS(lab_child(&member, lab_do_read, given), 0);
	lab_mount_anew("mode=0444");
	TT_IS(lab_child(&member, lab_do_read, given), 0);
	TT_IS(lab_child(&lab_stranger, lab_do_read, given), -EACCES);
	if (find_secret(1, other))
		TT_IS(lab_child(&member, lab_do_read, other), -EACCES);
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
	if (!lab_file_has(SAID, part))
		fail_msg("%s lacks '%s'", SAID, part);
}

/* What a member of the group is told that asks for one; of others he has values. */
TEST(secret_rows_are_explained)
{
	char line[256], row[LAB_PATH];

	need_secret("gid=77,mode=0440", row);
	(void)snprintf(line, sizeof(line), "ntime reg get %s", row);
	TT_IS(run_as(&member, line), false);
	must_have_said("may not be read by this user, because ");
	must_have_said("let root give this user that one file");
	(void)snprintf(line, sizeof(line), "ntime reg get %s", lab_any_register());
	TT_IS(run_as(&member, line), true);
}

/* Energy is absent for a member of the group, and what else he asked for is not. */
TEST(secret_events_are_absent)
{
	if (!lab_reg_is_here("uncore0/msr/0x611"))
		TT_SKIP("this guest has no counters of energy");
	lab_perf_begins();
	lab_mount_anew("gid=77,mode=0440");
	lab_set_file("/proc/sys/kernel/perf_event_paranoid", "2");
	TT_IS(run_as(&member, "ntime -a -e power/energy-pkg/,cstate_pkg/c6-residency/ -- true"),
	      true);
	must_have_said("  cstate_pkg/c6-residency/\n");
	must_have_said("Not counted here:\n  power/energy-pkg/ package-power\n");
	must_have_said("is root's alone");
	must_have_said("give this user that one file");
	TT_IS(run_as(&member, "ntime list -v package-power"), true);
	must_have_said("(not here) package-power");
	must_have_said("is root's alone");
	TT_IS(run_as(&lab_root, "ntime list -v package-power"), true);
	TT_IS(lab_file_has(SAID, "not here"), false);
	lab_perf_has_ended();
}

/* ---- root by name, and root of a container ---- */

/* Who a child is before it tries something. */
enum who {
	REAL_ROOT,
	ROOT_WITHOUT_RAWIO, /* all other capabilities: more than a container's root has */
	BARE_ROOT,	    /* no capability at all */
	BARE_MEMBER_ROOT,   /* and in the group */
	USER,
	MEMBER,
	USER_WITH_OVERRIDE, /* CAP_DAC_OVERRIDE and no other capability */
	USER_NAMESPACE,	    /* a member who is root of his own */
	ROOT_NAMESPACE,	    /* root as which root of the initial one is mapped */
};

static const struct lab_user user_of[] = {
	[REAL_ROOT] = { 0, 0, -1 },
	[ROOT_WITHOUT_RAWIO] = { 0, 0, -1 },
	[BARE_ROOT] = { 0, 0, -1 },
	[BARE_MEMBER_ROOT] = { 0, 0, GROUP },
	[USER] = { 1000, 1000, -1 },
	[MEMBER] = { 1000, 1000, GROUP },
	[USER_WITH_OVERRIDE] = { 0, 0, -1 }, /* becomes the user itself */
	[USER_NAMESPACE] = { 1000, 1000, GROUP },
	[ROOT_NAMESPACE] = { 0, 0, -1 },
};

static bool is_outside(enum who who)
{
	return who == USER_NAMESPACE || who == ROOT_NAMESPACE;
}

static int set_capabilities(uint64_t all)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	for (int i = 0; i < 2; i++) {
		uint32_t word = (uint32_t)(all >> 32 * i);

		data[i] = (struct __user_cap_data_struct){ word, word, 0 };
	}
	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static uint64_t all_capabilities(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { 0 };

	(void)syscall(SYS_capget, &header, data);
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

static int become_user_with(uint64_t capabilities)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 || setgroups(0, NULL) < 0 || setgid(1000) < 0 ||
	    setuid(1000) < 0)
		return -errno;
	return set_capabilities(capabilities);
}

static int become_who(enum who who)
{
	/* Else root has all capabilities again when he becomes another program. */
	if (geteuid() == 0 && who != REAL_ROOT && !is_outside(who) &&
	    prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0) < 0)
		return -errno;
	switch (who) {
	case ROOT_WITHOUT_RAWIO:
		return set_capabilities(all_capabilities() & ~(UINT64_C(1) << CAP_SYS_RAWIO));
	case BARE_ROOT:
	case BARE_MEMBER_ROOT:
		return set_capabilities(0);
	case USER_WITH_OVERRIDE:
		return become_user_with(UINT64_C(1) << CAP_DAC_OVERRIDE);
	case USER_NAMESPACE:
	case ROOT_NAMESPACE:
		return lab_enter_user_namespace();
	default:
		return 0;
	}
}

struct attempt {
	enum who who;
	long (*fn)(const struct attempt *a);
	const char *reg;
	int flags;
	int fd; /* of whoever is asked */
};

static long become_and_attempt(void *arg)
{
	const struct attempt *a = arg;
	int ret = become_who(a->who);

	return ret < 0 ? -EPROTO : a->fn(a);
}

/* What comes of it must be @want; not tried where there are no user namespaces to be in. */
#define ATTEMPT(want, ...) check_attempt(__LINE__, (want), &(struct attempt){ __VA_ARGS__ })
static void check_attempt(int line, long want, const struct attempt *a)
{
	if (is_outside(a->who) && !has_user_namespaces())
		return;
	tt_eq_(lab_child(&user_of[a->who], become_and_attempt, a), want, "an attempt", __FILE__,
	       line);
}

static long open_it(const struct attempt *a)
{
	int fd = lab_reg_open(a->reg, a->flags);

	return fd < 0 ? fd : 0;
}

/* Owner, group and mode of the file, and what who gets. */
static const struct open_row {
	int line;
	uid_t uid;
	gid_t gid;
	mode_t mode;
	enum who who;
	int reading, writing; /* 0 or -errno */
} open_rows[] = {
	{ __LINE__, 0, 0, 0600, REAL_ROOT, 0, 0 },
	{ __LINE__, 0, 0, 0600, ROOT_WITHOUT_RAWIO, 0, -EPERM },
	{ __LINE__, 0, 0, 0600, BARE_ROOT, 0, -EPERM },
	{ __LINE__, 0, 0, 0600, USER, -EACCES, -EACCES },
	{ __LINE__, 0, 0, 0600, USER_WITH_OVERRIDE, 0, -EPERM },
	{ __LINE__, 0, 0, 0600, USER_NAMESPACE, -EACCES, -EACCES },
	{ __LINE__, 0, 0, 0600, ROOT_NAMESPACE, 0, -EPERM },
	/* the group may */
	{ __LINE__, 0, GROUP, 0660, REAL_ROOT, 0, 0 },
	{ __LINE__, 0, GROUP, 0660, MEMBER, 0, 0 },
	{ __LINE__, 0, GROUP, 0660, USER, -EACCES, -EACCES },
	{ __LINE__, 0, GROUP, 0660, BARE_MEMBER_ROOT, 0, 0 },
	{ __LINE__, 0, GROUP, 0660, BARE_ROOT, 0, -EPERM },
	{ __LINE__, 0, GROUP, 0660, ROOT_WITHOUT_RAWIO, 0, -EPERM },
	{ __LINE__, 0, GROUP, 0660, USER_WITH_OVERRIDE, 0, -EPERM },
	{ __LINE__, 0, GROUP, 0660, USER_NAMESPACE, 0, -EPERM },
	{ __LINE__, 0, GROUP, 0640, MEMBER, 0, -EACCES },
	/* a user owns it */
	{ __LINE__, 1000, 0, 0600, USER, 0, 0 },
	{ __LINE__, 1000, 0, 0600, REAL_ROOT, 0, 0 },
	{ __LINE__, 1000, 0, 0600, ROOT_WITHOUT_RAWIO, 0, -EPERM },
	{ __LINE__, 1000, 0, 0600, BARE_ROOT, -EACCES, -EACCES },
	{ __LINE__, 1000, 0, 0600, USER_NAMESPACE, 0, -EPERM },
	/* all may */
	{ __LINE__, 0, 0, 0666, USER, 0, 0 },
	{ __LINE__, 0, 0, 0666, BARE_ROOT, 0, 0 },
	{ __LINE__, 0, 0, 0666, USER_NAMESPACE, 0, -EPERM },
	{ __LINE__, 0, 0, 0666, ROOT_NAMESPACE, 0, -EPERM },
};

static void set_file(const char *reg, uid_t uid, gid_t gid, mode_t mode)
{
	char file[LAB_FILE];

	LAB_CALL(chown(lab_reg_path(reg, file), uid, gid));
	LAB_CALL(chmod(file, mode));
}

/* The mount lets all into the folders, so that files alone decide. */
static const char *control_in_open_folders(void)
{
	const char *reg = lab_need_pair()->control;

	lab_mount_anew("mode=0444");
	return reg;
}

TEST(names_of_root_write_nothing)
{
	const char *reg = control_in_open_folders();
	unsigned int tried = 0;

	TT_FOR_EACH_ROW(r, open_rows) {
		if (is_outside(r->who) && !has_user_namespaces())
			continue;
		set_file(reg, r->uid, r->gid, r->mode);
		check_attempt(r->line, r->reading,
			      &(struct attempt){ r->who, open_it, reg, O_RDONLY });
		check_attempt(r->line, r->writing,
			      &(struct attempt){ r->who, open_it, reg, O_WRONLY });
		check_attempt(r->line, r->writing,
			      &(struct attempt){ r->who, open_it, reg, O_RDWR });
		tried++;
	}
	print_message("# %u of %zu rows\n", tried, sizeof(open_rows) / sizeof(open_rows[0]));
}

/* The sentence of the driver, and that of the command. */
TEST(refusals_are_told)
{
	const char *reg = control_in_open_folders();
	int64_t refusals = LAB_GOOD(lab_status_number("refusals"));

	ATTEMPT(-EPERM, BARE_ROOT, open_it, reg, O_WRONLY);
	TT_IS(lab_status_number("refusals"), refusals + 1);
	LAB_REFUSED("without CAP_SYS_RAWIO");
	if (!has_user_namespaces())
		return;
	ATTEMPT(-EPERM, ROOT_NAMESPACE, open_it, reg, O_WRONLY);
	LAB_REFUSED("initial user namespace");
}

static long set_by_command(const struct attempt *a)
{
	char line[256];

	(void)snprintf(line, sizeof(line), "ntime reg set %s 0 -- true >" SAID " 2>&1", a->reg);
	return WEXITSTATUS(system(line));
}

TEST(the_command_tells_it)
{
	const char *reg = control_in_open_folders();

	(void)unlink(SAID);
	ATTEMPT(125, BARE_ROOT, set_by_command, reg);
	must_have_said("cannot be written: without CAP_SYS_RAWIO");
	(void)unlink(SAID);
	ATTEMPT(0, REAL_ROOT, set_by_command, reg);
}

/* ---- descriptors ---- */

static long open_anew(const struct attempt *a)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", a->fd);
	fd = open(path, a->flags);
	return fd < 0 ? -errno : 0;
}

static long open_and_anew(const struct attempt *a)
{
	struct attempt again = *a;

	again.fd = lab_reg_open(a->reg, O_RDONLY);
	return again.fd < 0 ? -EPROTO : open_anew(&again);
}

static long flip_and_back(const struct attempt *a)
{
	const struct lab_pair *pair = lab_pair();
	uint64_t value, now;
	int ret = lab_fd_text(a->fd, &value);

	if (ret == 0)
		ret = lab_fd_set_text(a->fd, value ^ pair->flip);
	if (ret == 0)
		ret = lab_fd_text(a->fd, &now);
	if (ret == 0 && now != (value ^ pair->flip))
		ret = -EPROTO;
	return ret ? ret : lab_fd_set_text(a->fd, value);
}

/*
 * What may be done with a descriptor was decided when it was opened, and goes with it. What it does
 * not have nobody gets out of it who may not open the file.
 */
TEST(descriptors_are_what_they_were_opened_for)
{
	const char *reg = control_in_open_folders();
	static const enum who all[] = { ROOT_WITHOUT_RAWIO, BARE_ROOT, ROOT_NAMESPACE };
	char file[LAB_FILE];
	int path, reader, writer;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		path = (int)LAB_GOOD(open(lab_reg_path(reg, file), O_PATH));
		reader = LAB_OPEN(reg, O_RDONLY);
		ATTEMPT(-EPERM, all[i], open_and_anew, reg, O_RDWR);
		ATTEMPT(-EPERM, all[i], open_anew, reg, O_RDWR, reader);
		ATTEMPT(-EPERM, all[i], open_anew, reg, O_WRONLY, path);
		ATTEMPT(0, all[i], open_anew, reg, O_RDONLY, path);
		(void)close(path);
		(void)close(reader);
		writer = LAB_OPEN(reg, O_RDWR);
		ATTEMPT(0, all[i], flip_and_back, reg, 0, writer);
		(void)close(writer);
	}
}

/* ---- the policy itself ---- */

static long change_mode(const struct attempt *a)
{
	char file[LAB_FILE];

	return chmod(lab_reg_path(a->reg, file), 0666) < 0 ? -errno : 0;
}

static long change_owner(const struct attempt *a)
{
	char file[LAB_FILE];

	/* To whom it is now: others do not exist in a user namespace. */
	return chown(lab_reg_path(a->reg, file), 0, 0) < 0 ? -errno : 0;
}

static long name_it(const struct attempt *a)
{
	(void)a;
	return symlink("../status", NTIME_FS_PATH "/core0/local/THEIRS") < 0 ? -errno : 0;
}

static long mount_it(const struct attempt *a)
{
	(void)a;
	return lab_driver_mount("mode=0666");
}

/* Else whoever may not write would give it to himself. */
TEST(names_of_root_change_no_permission)
{
	const char *reg = control_in_open_folders();
	static const enum who all[] = { ROOT_WITHOUT_RAWIO, BARE_ROOT, ROOT_NAMESPACE };
	struct stat before, after;
	char file[LAB_FILE];

	LAB_GOOD(stat(lab_reg_path(reg, file), &before));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		ATTEMPT(-EPERM, all[i], change_mode, reg);
		ATTEMPT(-EPERM, all[i], change_owner, reg);
		ATTEMPT(-EPERM, all[i], change_mode, "core0");
		ATTEMPT(-EPERM, all[i], change_mode, "status");
		ATTEMPT(-EPERM, all[i], name_it);
	}
	LAB_GOOD(stat(file, &after));
	TT_IS(after.st_mode, before.st_mode);
	TT_IS(after.st_uid, before.st_uid);
	/* An owner may, as everywhere; and root. */
	set_file(reg, 1000, 0, 0600);
	ATTEMPT(0, USER, change_mode, reg);
	ATTEMPT(0, REAL_ROOT, name_it);
	LAB_CALL(unlink(NTIME_FS_PATH "/core0/local/THEIRS"));
	set_file(reg, 0, 0, 0600);
	/* The first mount makes the policy. */
	LAB_GOOD(lab_driver_unmount());
	ATTEMPT(-EPERM, ROOT_WITHOUT_RAWIO, mount_it);
	LAB_GOOD(lab_driver_mount(""));
}

static long open_in_other_mounts(const struct attempt *a)
{
	if (unshare(CLONE_NEWNS) < 0)
		return -EPROTO;
	return open_it(a);
}

/* Another view of mounts, and another mount, are no other rules. */
TEST(other_mounts_have_the_same_rules)
{
	const char *reg = control_in_open_folders();
	char other[LAB_FILE];

	ATTEMPT(0, REAL_ROOT, open_in_other_mounts, reg, O_RDWR);
	(void)mkdir("/tmp/again", 0755);
	LAB_GOOD(lab_driver_mount_at("/tmp/again", 0, ""));
	(void)snprintf(other, sizeof(other), "../../../tmp/again/%s", reg);
	ATTEMPT(0, REAL_ROOT, open_it, other, O_RDWR);
	ATTEMPT(-EPERM, BARE_ROOT, open_it, other, O_RDWR);
	ATTEMPT(-EPERM, ROOT_NAMESPACE, open_it, other, O_RDWR);
	LAB_CALL(umount2("/tmp/again", 0));
}

/* What is secret is read as everything is written. */
TEST(names_of_root_read_no_secret)
{
	char reg[LAB_PATH];

	need_secret("mode=0444", reg);
	ATTEMPT(0, REAL_ROOT, open_it, reg, O_RDONLY);
	ATTEMPT(-EPERM, BARE_ROOT, open_it, reg, O_RDONLY);
	ATTEMPT(-EPERM, ROOT_WITHOUT_RAWIO, open_it, reg, O_RDONLY);
	ATTEMPT(-EPERM, ROOT_NAMESPACE, open_it, reg, O_RDONLY);
	set_file(reg, 0, GROUP, 0440);
	ATTEMPT(0, BARE_MEMBER_ROOT, open_it, reg, O_RDONLY);
	ATTEMPT(0, MEMBER, open_it, reg, O_RDONLY);
	ATTEMPT(-EPERM, USER_NAMESPACE, open_it, reg, O_RDONLY);
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
		LAB_DRIVER_TEST(names_of_root_write_nothing),
		LAB_DRIVER_TEST(refusals_are_told),
		LAB_DRIVER_TEST(the_command_tells_it),
		LAB_DRIVER_TEST(descriptors_are_what_they_were_opened_for),
		LAB_DRIVER_TEST(names_of_root_change_no_permission),
		LAB_DRIVER_TEST(other_mounts_have_the_same_rules),
		LAB_DRIVER_TEST(names_of_root_read_no_secret),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
