// SPDX-License-Identifier: MIT
/*
 * Nobody holds the driver up. Programs are held in the kernel, in the middle of listing folders, of
 * reading and writing files, of mounting, because the memory that they gave comes from a stranger's
 * program that does not answer. Meanwhile CPUs and devices come and go, root lists, opens, names
 * and mounts, and each of these ends; files of what went answer ENODEV at once.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lab/tests/guest/device.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/stall.h"

#define BYTES 4096
#define OTHER_PLACE "/tmp/second"

/* ---- what is held ---- */

/* Names of a folder, from the beginning. */
static long list(void *page, void *folder)
{
	char path[LAB_FILE];
	int fd = open(lab_reg_path(folder, path), O_RDONLY | O_DIRECTORY);
	long ret;

	if (fd < 0)
		return -errno;
	ret = syscall(SYS_getdents64, fd, page, BYTES);
	return ret < 0 ? -errno : ret;
}

/* A descriptor that was opened before. */
static long read_fd(void *page, void *fd)
{
	ssize_t n = read(*(const int *)fd, page, BYTES);

	return n < 0 ? -errno : n;
}

static long write_fd(void *page, void *fd)
{
	ssize_t n = write(*(const int *)fd, page, 8);

	return n < 0 ? -errno : n;
}

static long read_status(void *page, void *unused)
{
	int fd = open(NTIME_FS_PATH "/status", O_RDONLY);

	(void)unused;
	return fd < 0 ? -errno : read_fd(page, &fd);
}

/* Its options are what is not there. */
static long mount_it(void *page, void *unused)
{
	(void)unused;
	return mount("ntime", OTHER_PLACE, NTIME_FS_TYPE, 0, page) < 0 ? -errno : 0;
}

/* ---- what root does meanwhile ---- */

/* Everything below a folder: each name is looked up, each file is opened and read. */
static long walk(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	long seen = 0, ret = 0;

	if (!dir)
		return -errno;
	while (ret >= 0 && (entry = readdir(dir))) {
		char path[2 * LAB_FILE], text[64];
		struct stat st;
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (lstat(path, &st) < 0)
			ret = -errno;
		else if (S_ISDIR(st.st_mode))
			ret = walk(path);
		seen += ret > 0 ? ret : 1;
		if (!S_ISREG(st.st_mode))
			continue;
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		(void)!read(fd, text, sizeof(text));
		(void)close(fd);
	}
	(void)closedir(dir);
	return ret < 0 ? ret : seen;
}

static long walk_all(void *unused)
{
	(void)unused;
	return walk(NTIME_FS_PATH);
}

static long mount_again(void *unused)
{
	(void)unused;
	return lab_driver_mount_at(OTHER_PLACE, 0, "");
}

static long unmount_again(void *unused)
{
	(void)unused;
	return umount(OTHER_PLACE) < 0 ? -errno : 0;
}

static long unmount(void *unused)
{
	(void)unused;
	return lab_driver_unmount();
}

static long remount(void *flags)
{
	unsigned long more = flags ? MS_RDONLY : 0;

	return mount(NULL, NTIME_FS_PATH, NULL,
		     MS_REMOUNT | MS_NOSUID | MS_NODEV | MS_NOEXEC | more, "") < 0
		       ? -errno
		       : 0;
}

static long give_names(void *local)
{
	char a[2 * LAB_FILE], b[2 * LAB_FILE];
	char file[LAB_FILE];

	(void)snprintf(a, sizeof(a), "%s/A", lab_reg_path(local, file));
	(void)snprintf(b, sizeof(b), "%s/B", file);
	if (symlink("../nowhere", a) < 0 || rename(a, b) < 0 || unlink(b) < 0)
		return -errno;
	return 0;
}

static long change_mode(void *reg)
{
	char file[LAB_FILE];

	return chmod(lab_reg_path(reg, file), 0440) < 0 ? -errno : 0;
}

static long open_reg(void *reg)
{
	int fd = lab_reg_open(reg, O_RDONLY);

	return fd < 0 ? fd : 0;
}

/* A stranger who may not make a file, but may wait for the lock of the folder to be told so. */
static long create(void *folder)
{
	char path[2 * LAB_FILE], file[LAB_FILE];

	(void)snprintf(path, sizeof(path), "%s/new", lab_reg_path(folder, file));
	return open(path, O_CREAT | O_RDWR, 0600) < 0 ? -errno : 0;
}

/* ---- one round: a unit goes and comes while everybody is held ---- */

struct round {
	const char *unit;    /* its folder */
	const char *reg;     /* of it, can be read */
	const char *written; /* of it, can be written; NULL: none */
	uint64_t value;	     /* that may be written there */
	const char *local;   /* NULL: none */
	long (*off)(void *unused), (*on)(void *unused);
};

#define STALLED_MOST 16

struct hold {
	struct lab_stalled stalled[STALLED_MOST];
	size_t count;
	char folder[LAB_PATH]; /* that the register is in */
	int reader, binary, writer;
};

static void add(struct hold *h, const char *what, const struct lab_user *user,
		long (*fn)(void *page, void *arg), void *arg)
{
	assert_true(h->count < STALLED_MOST);
	h->stalled[h->count++] = (struct lab_stalled){ what, user, fn, arg, 0, 0 };
}

static void hold_all(struct hold *h, const struct round *r)
{
	struct ntime_page page;

	memset(h, 0, sizeof(*h));
	*strrchr(strcpy(h->folder, r->reg), '/') = '\0';
	h->reader = LAB_OPEN(r->reg, O_RDONLY);
	h->binary = LAB_OPEN(r->reg, O_RDONLY);
	LAB_GOOD(lab_fd_describe(h->binary, &page));
	add(h, "list of the root", &lab_stranger, list, "");
	add(h, "list of the unit", &lab_root, list, (void *)(uintptr_t)r->unit);
	add(h, "list of its registers", &lab_root, list, h->folder);
	if (r->local)
		add(h, "list of local names", &lab_root, list, (void *)(uintptr_t)r->local);
	add(h, "read of text", &lab_root, read_fd, &h->reader);
	add(h, "read of a value", &lab_root, read_fd, &h->binary);
	add(h, "read of status", &lab_stranger, read_status, NULL);
	add(h, "mount", &lab_root, mount_it, NULL);
	h->writer = -1;
	if (r->written) {
		h->writer = LAB_OPEN(r->written, O_RDWR);
		add(h, "write", &lab_root, write_fd, &h->writer);
	}
	lab_stall_begin(h->stalled, h->count);
}

/* The result of trying it is @want; false is told, and the round goes on. */
static bool tried(const char *what, const struct lab_user *user, long (*fn)(void *arg),
		  const void *arg, long want)
{
	long ret = lab_stall_try(what, user, fn, (void *)(uintptr_t)arg);

	if (ret != want)
		print_error("%s: %ld, expected %ld\n", what, ret, want);
	return ret == want;
}

static bool walked(void)
{
	long seen = lab_stall_try("ls -R", &lab_root, walk_all, NULL);

	if (seen <= 0)
		print_error("ls -R: %ld\n", seen);
	return seen > 0;
}

static bool is_dead(int fd, const char *what)
{
	uint64_t value;
	ssize_t n = fd < 0 ? -1 : pread(fd, &value, sizeof(value), 0);
	int error = fd < 0 ? ENODEV : errno;

	if (n < 0 && error == ENODEV)
		return true;
	print_error("%s: %zd, errno %d, expected ENODEV\n", what, n, error);
	return false;
}

static bool goes_and_comes(const struct hold *h, const struct round *r)
{
	int fd = lab_reg_open(r->reg, O_RDONLY);
	bool is_good = fd >= 0 && tried("going", &lab_root, r->off, NULL, 0);

	is_good = is_dead(fd, "a descriptor") && is_good;
	is_good = is_dead(h->binary, "a descriptor that was mapped") && is_good;
	is_good = is_dead(h->writer, "a writer") && is_good;
	(void)close(fd);
	is_good = tried("open of what is gone", &lab_root, open_reg, r->reg, -ENOENT) && is_good;
	is_good = walked() && is_good;
	is_good = tried("coming", &lab_root, r->on, NULL, 0) && is_good;
	is_good = tried("open of what is back", &lab_root, open_reg, r->reg, 0) && is_good;
	return is_dead(h->binary, "what was mapped, of what is back") && is_good;
}

static bool all_goes_on(const struct hold *h, const struct round *r)
{
	bool is_good = walked();

	/* Wants the locks of folders for itself; who lists or looks up waits behind it. */
	is_good = tried("O_CREAT in the root", &lab_stranger, create, "", -EACCES) && is_good;
	is_good = tried("O_CREAT in the unit", &lab_root, create, r->unit, -EACCES) && is_good;
	is_good = tried("O_CREAT beside it", &lab_root, create, h->folder, -EACCES) && is_good;
	is_good = walked() && is_good;
	if (r->local)
		is_good = tried("names", &lab_root, give_names, r->local, 0) && is_good;
	is_good = tried("chmod", &lab_root, change_mode, r->reg, 0) && is_good;
	is_good = tried("mount", &lab_root, mount_again, NULL, 0) && is_good;
	is_good = goes_and_comes(h, r) && is_good;
	is_good = tried("umount", &lab_root, unmount_again, NULL, 0) && is_good;
	is_good = tried("umount of what is in use", &lab_root, unmount, NULL, -EBUSY) && is_good;
	is_good = tried("remount", &lab_root, remount, NULL, 0) && is_good;
	is_good = goes_and_comes(h, r) && is_good;
	return walked() && lab_stall_stuck() == 0 && is_good;
}

/* What was held has its result, and it is a right one. */
static void check_let_go(const struct hold *h)
{
	for (size_t i = 0; i < h->count; i++) {
		const struct lab_stalled *s = &h->stalled[i];

		print_message("# %s: %ld\n", s->what, s->ret);
		if (s->fn == list || s->fn == read_status)
			assert_true(s->ret > 0);
		else if (s->fn == write_fd)
			TT_IS(s->ret, -EINVAL); /* zeros are no text */
		else if (s->fn == mount_it)
			TT_IS(s->ret, 0);
		else
			assert_true(s->ret == 8 || s->ret == 19);
	}
}

static void play(const struct round *r)
{
	struct stat st;
	struct hold h;
	char file[LAB_FILE];
	uint64_t value;
	bool is_good;

	(void)mkdir(OTHER_PLACE, 0700);
	hold_all(&h, r);
	is_good = all_goes_on(&h, r);
	lab_stall_end();
	assert_true(is_good);
	check_let_go(&h);
	LAB_CALL(umount(OTHER_PLACE));
	LAB_GOOD(lab_reg_get(r->reg, &value));
	LAB_GOOD(stat(lab_reg_path(r->reg, file), &st));
	TT_IS(st.st_mode & 0777, 0440);
}

/* ---- CPUs and devices ---- */

TEST(cpu_goes_under_who_is_held)
{
	const struct lab_pair *pair = lab_pair();
	char written[LAB_PATH];
	struct round r = { .unit = "core1",
			   .reg = lab_need_cpu1(),
			   .local = "core1/local",
			   .off = lab_do_switch_cpu1_off,
			   .on = lab_do_switch_cpu1_on };

	if (pair && pair->is_core)
		r.written = lab_of_cpu(pair->control, 1, written);
	play(&r);
}

TEST(device_goes_under_who_is_held)
{
	char reg[LAB_PATH], unit[LAB_PATH];
	struct round r = { .unit = unit,
			   .reg = reg,
			   .written = reg,
			   .off = lab_do_remove_device,
			   .on = lab_do_rescan };

	lab_of_test_device(8, reg);
	(void)snprintf(unit, sizeof(unit), "%.*s", (int)(strchr(reg, '/') - reg), reg);
	play(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(cpu_goes_under_who_is_held),
		LAB_DRIVER_TEST(device_goes_under_who_is_held),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
