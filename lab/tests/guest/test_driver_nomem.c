// SPDX-License-Identifier: MIT
/*
 * Each allocation of the kernel's fails once, one after the other, while devices and CPUs go and
 * come, while files are opened, names are given, and while the tree is mounted. What goes is gone
 * with all its files, what could not come comes whole the next time, and every error is one that
 * somebody can act on.
 *
 * Linux, Documentation/fault-injection: /proc/PID/fail-nth has the Nth allocation of a thread fail.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/tests/guest/device.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/fail.h"
#include "lab/tests/guest/file.h"

/* More allocations than anything here makes; reached, it is a failure of its own. */
#define NTH_MOST 5000
#define COUNT_FROM 1000000
/* Of loading, and of a CPU's coming: what the driver makes is in them. */
#define LAST_ALLOCATIONS 120
#define LAST_OF_COMING 30

/* ---- failing ---- */

static int fail_nth = -1; /* of the thread whose allocations fail */

static void need_failures(void)
{
	if (!lab_fail_quietly())
		TT_SKIP("this guest's kernel has no fault injection (CONFIG_FAILSLAB)");
}

static void fail_in(pid_t thread)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/fail-nth", thread);
	fail_nth = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fail_nth >= 0);
}

static void fail_at(unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	TT_IS(pwrite(fail_nth, text, (size_t)length, 0), length);
}

/* How many more until one fails; 0: one did, or none is to. None does from now on. */
static unsigned int stop_failing(void)
{
	char text[32] = "";

	/*
	 * Asking makes copies that are counted as well: when one of these is to fail, nothing
	 * before it was.
	 */
	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		return 1;
	while (pwrite(fail_nth, "0", 1, 0) < 0)
		assert_true(errno == EFAULT);
	return (unsigned int)strtoul(text, NULL, 10);
}

static bool has_failed(void)
{
	return stop_failing() == 0;
}

/* The thread of the kernel in which a CPU comes on line and goes. */
static pid_t thread_called(const char *name)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	assert_non_null(proc);
	while (!found && (entry = readdir(proc))) {
		char path[300], comm[64];

		(void)snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		lab_line(path, comm, sizeof(comm));
		if (strcmp(comm, name) == 0)
			found = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	(void)closedir(proc);
	return found;
}

/* ---- what is there ---- */

/* How many names are below a folder; 0: it is not there. */
static unsigned int names_below(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned int names = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[2 * LAB_FILE];
		struct stat st;

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		/* Whatever is listed is there. */
		if (lstat(path, &st) < 0)
			fail_msg("%s is listed, and is not there: %s", path, strerror(errno));
		names += 1 + (S_ISDIR(st.st_mode) ? names_below(path) : 0);
	}
	if (dir)
		(void)closedir(dir);
	return names;
}

static unsigned int names_of(const char *unit)
{
	char path[LAB_FILE];

	return names_below(lab_reg_path(unit, path));
}

/* ---- units go and come ---- */

struct unit {
	const char *folder; /* its uppermost one, which goes with it */
	const char *reg;
	long (*off)(void *unused), (*on)(void *unused);
};

/* As it was before: all of it, and it answers. */
static void check_whole(const struct unit *u, unsigned int names)
{
	uint64_t value;

	TT_IS(names_of(u->folder), names);
	LAB_GOOD(lab_reg_get(u->reg, &value));
}

/* It may be that it has not gone: others fail too. What has gone is gone whole. */
static void go_without_memory(const struct unit *u, unsigned int names)
{
	unsigned int nth, stayed = 0;
	bool is_failing = true;

	for (nth = 1; is_failing && nth < NTH_MOST; nth++) {
		unsigned int left;

		fail_at(nth);
		(void)u->off(NULL);
		is_failing = has_failed();
		left = names_of(u->folder);
		if (left) {
			stayed++;
			TT_IS(left, names);
			LAB_GOOD(u->off(NULL));
			TT_IS(names_of(u->folder), 0);
		}
		TT_IS(lab_reg_open(u->reg, O_RDONLY), -ENOENT);
		LAB_GOOD(u->on(NULL));
		check_whole(u, names);
	}
	print_message("# going: %u allocations failed, it stayed %u times\n", nth - 2, stayed);
	assert_true(nth < NTH_MOST);
}

/*
 * Whole, or not at all; and the next time whole. The driver comes last of all that comes with it.
 */
static void come_without_memory(const struct unit *u, unsigned int names)
{
	unsigned int all, i, failed = 0;

	LAB_GOOD(u->off(NULL));
	fail_at(COUNT_FROM);
	LAB_GOOD(u->on(NULL));
	all = COUNT_FROM - stop_failing();
	for (i = 0; i < LAST_OF_COMING && i < all; i++) {
		unsigned int have;

		LAB_GOOD(u->off(NULL));
		TT_IS(names_of(u->folder), 0);
		fail_at(all - i);
		(void)u->on(NULL);
		(void)stop_failing();
		have = names_of(u->folder);
		if (have != names) {
			TT_IS(have, 0);
			failed++;
			/* What came without being shown goes first. */
			(void)u->off(NULL);
			LAB_GOOD(u->on(NULL));
		}
		check_whole(u, names);
	}
	print_message("# coming: %u of %u allocations failed, it was not shown %u times\n", i, all,
		      failed);
}

static unsigned int names_before(const struct unit *u)
{
	unsigned int names = names_of(u->folder);

	assert_true(names > 1);
	print_message("# %u names below %s\n", names, u->folder);
	return names;
}

static char device_reg[LAB_PATH], device_folder[LAB_PATH];
static const struct unit test_device = { device_folder, device_reg, lab_do_remove_device,
					 lab_do_rescan };

static void find_test_device(void)
{
	lab_of_test_device(8, device_reg);
	(void)snprintf(device_folder, sizeof(device_folder), "%.*s",
		       (int)(strchr(device_reg, '/') - device_reg), device_reg);
}

TEST(devices_go)
{
	need_failures();
	find_test_device();
	fail_in(getpid());
	go_without_memory(&test_device, names_before(&test_device));
}

/* It loads, and what it could not show comes whole the next time; or it does not. */
static bool load_without_memory(unsigned int names)
{
	int ret = lab_driver_load("");

	(void)stop_failing();
	if (ret < 0) {
		assert_true(ret == -ENOMEM || ret == -EFAULT);
		return false;
	}
	LAB_GOOD(lab_driver_mount(""));
	if (names_of(device_folder) != names) {
		TT_IS(names_of(device_folder), 0);
		LAB_GOOD(lab_do_remove_device(NULL));
		LAB_GOOD(lab_do_rescan(NULL));
	}
	check_whole(&test_device, names);
	LAB_GOOD(lab_driver_stop());
	return true;
}

/*
 * Loading makes names of all there is. Not by a rescan of the bus: without memory the kernel's own
 * code for that goes wrong (Linux 6.1, pci_device_add(): WARN_ON, and a device that is half there).
 */
TEST(devices_come_with_the_module)
{
	unsigned int names, all, loaded = 0, i;

	need_failures();
	find_test_device();
	names = names_before(&test_device);
	LAB_GOOD(lab_driver_stop());
	fail_in(getpid());
	fail_at(COUNT_FROM);
	LAB_GOOD(lab_driver_load(""));
	all = COUNT_FROM - stop_failing();
	LAB_GOOD(lab_driver_unload());
	/* From the end: most are the kernel's, for the module's file. */
	for (i = 0; i < LAST_ALLOCATIONS && i < all; i++) {
		fail_at(all - i);
		loaded += load_without_memory(names);
	}
	print_message("# %u of %u allocations failed, and it loaded %u times\n", i, all, loaded);
	LAB_GOOD(lab_driver_start(""));
	check_whole(&test_device, names);
}

TEST(cpus_go_and_come)
{
	struct unit u = { "core1", lab_need_cpu1(), lab_do_switch_cpu1_off, lab_do_switch_cpu1_on };
	unsigned int names;

	need_failures();
	fail_in(thread_called("cpuhp/1"));
	names = names_before(&u);
	go_without_memory(&u, names);
	come_without_memory(&u, names);
}

/* ---- files and mounts ---- */

/* Nothing that was looked up before is remembered. */
static void forget_names(void)
{
	LAB_GOOD(lab_write("/proc/sys/vm/drop_caches", "2"));
}

/*
 * Until @fn makes no allocation more: -ENOMEM, or as it should be. The kernel's copies from
 * programs are counted with them, and are -EFAULT.
 */
static void without_memory(const char *what, int (*fn)(void), void (*undo)(void))
{
	unsigned int nth, failed = 0;
	bool is_failing = true;

	fail_in(getpid());
	for (nth = 1; is_failing && nth < NTH_MOST; nth++) {
		int ret;

		forget_names();
		fail_at(nth);
		ret = fn();
		is_failing = has_failed();
		if (ret < 0) {
			assert_true(ret == -ENOMEM || ret == -EFAULT);
			failed += ret == -ENOMEM;
		} else {
			undo();
		}
	}
	print_message("# %s: %u allocations failed, and it %u times\n", what, nth - 2, failed);
	assert_true(failed > 0 && nth < NTH_MOST);
	LAB_GOOD(fn());
	undo();
}

static char any_reg[LAB_PATH];
static int opened;

static int open_reg(void)
{
	opened = lab_reg_open(any_reg, O_RDONLY);
	return opened;
}

static void close_reg(void)
{
	(void)close(opened);
}

TEST(files_are_opened)
{
	need_failures();
	(void)snprintf(any_reg, sizeof(any_reg), "%s", lab_any_register());
	without_memory("open", open_reg, close_reg);
}

static int mount_anew(void)
{
	return lab_driver_mount("");
}

static void unmount(void)
{
	LAB_GOOD(lab_driver_unmount());
}

TEST(tree_is_mounted)
{
	unsigned int names = names_of("");

	need_failures();
	unmount();
	without_memory("mount", mount_anew, unmount);
	LAB_GOOD(mount_anew());
	TT_IS(names_of(""), names);
}

static char local_a[LAB_FILE], local_b[LAB_FILE];

/* A link that was made is there whatever became of the second call. */
static int give_names(void)
{
	struct stat st;
	int ret;

	if (symlink("../nowhere", local_a) < 0)
		return -errno;
	if (rename(local_a, local_b) == 0)
		return 0;
	ret = -errno;
	return lstat(local_b, &st) == 0 || unlink(local_a) < 0 ? -EPROTO : ret;
}

static void forget_name(void)
{
	LAB_CALL(unlink(local_b));
}

TEST(names_are_given)
{
	need_failures();
	if (!lab_reg_is_here("core0/local"))
		TT_SKIP("no CPU of this guest has a register with a row");
	lab_reg_path("core0/local/A", local_a);
	lab_reg_path("core0/local/B", local_b);
	without_memory("symlink and rename", give_names, forget_name);
	TT_IS(names_of("core0/local"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(files_are_opened),
		LAB_DRIVER_TEST(tree_is_mounted),
		LAB_DRIVER_TEST(names_are_given),
		LAB_DRIVER_TEST(devices_go),
		LAB_DRIVER_TEST(devices_come_with_the_module),
		LAB_DRIVER_TEST(cpus_go_and_come),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
