// SPDX-License-Identifier: MIT
/*
 * Who lets the driver in, and whom it lets in: strangers do not load it, what is loaded opens
 * nothing by itself.
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

static int write_map(const char *path, const char *format, unsigned int id)
{
	char text[64];
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	(void)snprintf(text, sizeof(text), format, id);
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	(void)close(fd);
	return ret;
}

/* Become root of a new one, who is outside of it what this process is; in a child. */
static int enter_user_namespace(void)
{
	unsigned int uid = geteuid(), gid = getegid();
	int ret;

	/* Who has changed his user may not open his own files of /proc otherwise. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		return -errno;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -errno;
	ret = write_map("/proc/self/setgroups", "deny", 0);
	if (ret == 0)
		ret = write_map("/proc/self/uid_map", "0 %u 1", uid);
	return ret ? ret : write_map("/proc/self/gid_map", "0 %u 1", gid);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(strangers_load_nothing),
		LAB_DRIVER_TEST(loading_opens_nothing),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
