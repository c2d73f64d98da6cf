// SPDX-License-Identifier: MIT
/*
 * Who may do what to the driver's registers, and what is left afterwards: one writer, masks,
 * restoring, permissions and mount options, the mark in the kernel, the tracepoint, unloading. Runs
 * in every guest; what a guest lacks is skipped with the reason.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/reg.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

#define MANY_READERS 100
#define TAINT_CPU_OUT_OF_SPEC 4 /* Linux 6.1 include/linux/panic.h: bit 2 */

/* ---- one writer ---- */

TEST(one_writer_many_readers)
{
	const struct lab_pair *pair = lab_need_pair();
	int writer = LAB_OPEN(pair->control, O_RDWR), fds[MANY_READERS];
	uint64_t value;

	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EBUSY);
	TT_IS(lab_reg_open(pair->control, O_RDWR), -EBUSY);
	if (pair->link)
		TT_IS(lab_reg_open(pair->link, O_WRONLY), -EBUSY);
	for (size_t i = 0; i < MANY_READERS; i++)
		fds[i] = LAB_OPEN(pair->control, O_RDONLY);
	for (size_t i = 0; i < MANY_READERS; i++) {
		LAB_GOOD(lab_fd_text(fds[i], &value));
		(void)close(fds[i]);
	}
	/* Another register has its own writer. */
	fds[0] = LAB_OPEN(pair->counter, O_WRONLY);
	(void)close(fds[0]);
	(void)close(writer);
	writer = LAB_OPEN(pair->link ? pair->link : pair->control, O_WRONLY);
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EBUSY);
	(void)close(writer);
}

/* Also of other processes; and a writer's descriptor that is inherited is the same one. */
TEST(writers_of_other_processes_are_refused)
{
	const struct lab_pair *pair = lab_need_pair();
	int writer = LAB_OPEN(pair->control, O_WRONLY);

	TT_IS(lab_child(&lab_root, lab_do_write, pair->control), -EBUSY);
	(void)close(writer);
	TT_IS(lab_child(&lab_root, lab_do_write, pair->control), 0);
}

/* Whoever may not read may not map: a descriptor for writing alone. */
TEST(writers_that_do_not_read_map_nothing)
{
	const struct lab_pair *pair = lab_need_pair();
	int fd = LAB_OPEN(pair->control, O_WRONLY);
	struct lab_map map;
	uint64_t value;

	TT_IS(lab_fd_map(fd, 1, &map), -EACCES);
	assert_true(read(fd, &value, 8) < 0 && errno == EBADF);
}

/* ---- what can be written ---- */

TEST(what_is_written_is_read)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before, value;
	int fd = (int)LAB_GOOD(lab_reg_flip(pair->control, pair->flip, &before));
	struct ntime_page page;

	LAB_TEXT_IS(fd, before ^ pair->flip);
	LAB_REG_IS(pair->control, before ^ pair->flip);
	if (pair->link)
		LAB_REG_IS(pair->link, before ^ pair->flip);
	/* Binary once switched. */
	LAB_GOOD(lab_fd_describe(fd, &page));
	LAB_GOOD(lab_fd_set_value(fd, before));
	LAB_VALUE_IS(fd, before);
	value = before ^ pair->flip;
	TT_IS(pwrite(fd, &value, 8, 123), 8);
	assert_true(pwrite(fd, &value, 4, 0) < 0 && errno == EINVAL);
	assert_true(pwrite(fd, "0x10", 4, 0) < 0 && errno == EINVAL);
	LAB_VALUE_IS(fd, before ^ pair->flip);
	(void)close(fd);
	LAB_REG_IS(pair->control, before);
}

/* @error 0: the register holds @value afterwards, else what it held before. */
static const struct text_row {
	int line;
	const char *text;
	int error;
	uint64_t value;
} text_rows[] = {
	{ __LINE__, "0x100", 0, 0x100 },
	{ __LINE__, "0x100\n", 0, 0x100 },
	{ __LINE__, "256", 0, 256 },
	{ __LINE__, "0400", 0, 256 },
	{ __LINE__, "0x0000000000000100\n", 0, 256 },
	{ __LINE__, "0", 0, 0 },
	{ __LINE__, "", EINVAL, 0 },
	{ __LINE__, "\n", EINVAL, 0 },
	{ __LINE__, "x", EINVAL, 0 },
	{ __LINE__, "0x", EINVAL, 0 },
	{ __LINE__, "-1", EINVAL, 0 },
	{ __LINE__, "0x1 2", EINVAL, 0 },
	{ __LINE__, "1 ", EINVAL, 0 },
	{ __LINE__, "0x1\n\n", EINVAL, 0 },
	{ __LINE__, "0x1\n0x2\n", EINVAL, 0 },
	{ __LINE__, "1.5", EINVAL, 0 },
	{ __LINE__, "0x10000000000000000", EINVAL, 0 },
	{ __LINE__, "18446744073709551616", EINVAL, 0 },
	{ __LINE__, "0x000000000000000000000000000000000000000000000000000000000000000000000000001",
	  EINVAL, 0 },
};

TEST(numbers_are_read_as_they_are_written)
{
	const struct lab_pair *pair = lab_need_pair();
	int fd = LAB_OPEN(pair->counter, O_RDWR);
	uint64_t value, before;

	TT_FOR_EACH_ROW(r, text_rows) {
		ssize_t n;

		LAB_GOOD(lab_fd_text(fd, &before));
		n = write(fd, r->text, strlen(r->text));
		if (r->error) {
			TT_EQ(r, n, -1);
			/* kstrtoull() says -ERANGE of what has no room in 64 bits. */
			TT_EQ(r, errno == r->error || errno == ERANGE, true);
		} else {
			TT_EQ(r, n, strlen(r->text));
		}
		LAB_GOOD(lab_fd_text(fd, &value));
		TT_EQ(r, value, r->error ? before : r->value);
	}
	assert_true(write(fd, lab_nowhere(), 4) < 0 && errno == EFAULT);
}

/*
 * Of every writable register: no bit that is not the caller's can be set, and those that are the
 * kernel's stay.
 */
TEST(masks_hold)
{
	struct lab_rows rows;
	unsigned int refused = 0, kept = 0;

	LAB_GOOD(lab_rows_take(&rows));
	for (size_t i = 0; i < rows.count; i++) {
		const struct lab_row *r = &rows.rows[i];
		uint64_t all, forbidden, value;
		const struct nthw_reg *row = r->reg;
		int fd;

		assert_non_null(row);
		if (!nthw_reg_settable(row) || !nthw_reg_is_readable(row) || r->error)
			continue;
		fd = lab_reg_open(r->path, O_RDWR);
		/* A box that someone uses is his. */
		if (fd == -EBUSY)
			continue;
		LAB_GOOD(fd);
		all = row->bits >= 64 ? UINT64_MAX : ((uint64_t)1 << row->bits) - 1;
		forbidden = ~nthw_reg_settable(row) & ~r->value;
		for (unsigned int bit = 0; bit < 64; bit++) {
			if (!(forbidden >> bit & 1))
				continue;
			if (lab_fd_set_text(fd, (r->value & all) | (uint64_t)1 << bit) != -EINVAL)
				fail_msg("%s (%s): bit %u can be set", r->path, r->name, bit);
			refused++;
		}
		LAB_GOOD(lab_fd_text(fd, &value));
		if (!lab_row_moves(r->name))
			TT_IS(value, r->value);
		(void)close(fd);
		kept++;
	}
	lab_rows_free(&rows);
	print_message("# %u registers, %u bits refused\n", kept, refused);
	if (!kept)
		TT_SKIP("no register of this guest can be written");
	assert_true(refused > 0);
}

/*
 * What is only read, or whose row rests on memory, cannot be opened for writing, by root neither.
 */
TEST(rows_that_are_not_for_writing_are_refused)
{
	struct lab_rows rows;
	unsigned int refused = 0;

	LAB_GOOD(lab_rows_take(&rows));
	for (size_t i = 0; i < rows.count; i++) {
		const struct lab_row *r = &rows.rows[i];
		char file[LAB_FILE];

		assert_non_null(r->reg);
		if (nthw_reg_settable(r->reg) || nthw_reg_clearable(r->reg))
			continue;
		TT_IS(lab_reg_open(r->path, O_WRONLY), -EACCES);
		TT_IS(lab_reg_open(r->path, O_RDWR), -EACCES);
		/* Nor when the administrator gives it a mode for that. */
		(void)chmod(lab_reg_path(r->path, file), 0666);
		TT_IS(lab_reg_open(r->path, O_RDWR), -EACCES);
		(void)chmod(file, r->mode & 07777);
		refused++;
	}
	lab_rows_free(&rows);
	print_message("# %u registers\n", refused);
	assert_true(refused > 0);
}

/* ---- what was written is restored ---- */

static long change_and_end(void *arg)
{
	const struct lab_pair *pair = arg;
	uint64_t before;

	return lab_reg_flip(pair->control, pair->flip, &before);
}

static long change_and_go_on(void *arg)
{
	const struct lab_pair *pair = arg;
	uint64_t before;
	int fd = lab_reg_flip(pair->control, pair->flip, &before), ret;

	if (fd < 0)
		return fd;
	/* Twice: what is restored is what was before the first. */
	ret = lab_fd_set_text(fd, before);
	if (ret == 0)
		ret = lab_fd_set_text(fd, before ^ pair->flip);
	if (ret < 0)
		return ret;
	lab_be_ready_and_wait();
}

static long change_and_crash(void *arg)
{
	if (change_and_end(arg) < 0)
		return 1;
	*(volatile int *)lab_nowhere() = 1;
	return 0;
}

TEST(killed_and_crashed_writers_leave_nothing)
{
	const struct lab_pair *pair = lab_need_pair();
	struct lab_process p;
	uint64_t before;

	LAB_GOOD(lab_reg_get(pair->control, &before));
	LAB_GOOD(lab_child(&lab_root, change_and_end, pair));
	LAB_REG_IS(pair->control, before);
	LAB_GOOD(lab_spawn(&p, change_and_go_on, pair));
	LAB_REG_IS(pair->control, before ^ pair->flip);
	TT_IS(lab_kill(&p), 128 + SIGKILL);
	LAB_REG_IS(pair->control, before);
	TT_IS(lab_signal(change_and_crash, pair), SIGSEGV);
	LAB_REG_IS(pair->control, before);
	/* And the next writer finds it free. */
	(void)close(LAB_OPEN(pair->control, O_WRONLY));
}

/* The last descriptor restores, not the first: of dup(2), and of a child. */
TEST(last_descriptor_puts_back)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before;
	int fd = (int)LAB_GOOD(lab_reg_flip(pair->control, pair->flip, &before)), other = dup(fd);

	(void)close(fd);
	LAB_REG_IS(pair->control, before ^ pair->flip);
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EBUSY);
	(void)close(other);
	LAB_REG_IS(pair->control, before);
}

/* A mapping is a reference to the open file too. */
TEST(mapping_keeps_the_writer)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before;
	int fd = (int)LAB_GOOD(lab_reg_flip(pair->control, pair->flip, &before));
	struct lab_map map;

	LAB_GOOD(lab_fd_map(fd, 1, &map));
	(void)close(fd);
	LAB_REG_IS(pair->control, before ^ pair->flip);
	lab_unmap(&map);
	LAB_REG_IS(pair->control, before);
}

static bool is_program(pid_t pid, const char *name)
{
	char path[64], comm[32];

	(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	lab_line(path, comm, sizeof(comm));
	return strcmp(comm, name) == 0;
}

/*
 * A child that changes the register and becomes another program, with the descriptor or without.
 * Returns when it has.
 */
static pid_t change_and_exec(const struct lab_pair *pair, int flags)
{
	pid_t pid = fork();

	if (pid == 0) {
		uint64_t before;
		int fd = lab_reg_flip(pair->control, pair->flip, &before);

		if (fd >= 0 && fcntl(fd, F_SETFD, flags) == 0)
			(void)execl("/bin/sleep", "sleep", "1000", (char *)NULL);
		_exit(1);
	}
	assert_true(pid > 0);
	while (!is_program(pid, "sleep")) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			fail_msg("the child could not change the register");
		(void)usleep(1000);
	}
	return pid;
}

TEST(exec_closes_what_it_should)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before, value;
	pid_t pid;

	LAB_GOOD(lab_reg_get(pair->control, &before));
	pid = change_and_exec(pair, FD_CLOEXEC);
	/* The kernel releases the file on the way to the new program, which has its name before. */
	for (unsigned int i = 0; i < 10000; i++) {
		LAB_GOOD(lab_reg_get(pair->control, &value));
		if (value == before)
			break;
		(void)usleep(1000);
	}
	TT_IS(value, before);
	(void)close(LAB_OPEN(pair->control, O_WRONLY));
	(void)kill(pid, SIGKILL);
	TT_IS(waitpid(pid, NULL, 0), pid);
	pid = change_and_exec(pair, 0);
	LAB_REG_IS(pair->control, before ^ pair->flip);
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EBUSY);
	(void)kill(pid, SIGKILL);
	TT_IS(waitpid(pid, NULL, 0), pid);
	LAB_REG_IS(pair->control, before);
}

/* ---- permissions ---- */

static long list_folder(void *folder)
{
	char path[LAB_FILE];
	DIR *dir = opendir(lab_reg_path(folder, path));

	if (!dir)
		return -errno;
	(void)closedir(dir);
	return 0;
}

static long name_it(void *folder)
{
	char path[LAB_FILE], name[LAB_FILE + 8];

	(void)snprintf(name, sizeof(name), "%s/THEIRS", lab_reg_path(folder, path));
	return symlink("../status", name) < 0 ? -errno : 0;
}

static long read_status(void *unused)
{
	int64_t open_files = lab_status_number("open");

	(void)unused;
	return open_files < 0 ? (long)open_files : 0;
}

/* What who may do to which file or folder of a file system with these options. */
static const char any[] = "some register", control[] = "a register that can be written";
static const struct permission_row {
	int line;
	const char *options;
	struct lab_user user;
	long (*fn)(void *path);
	const char *path;
	long ret;
} permission_rows[] = {
	/* strangers read nothing but the status */
	{ __LINE__, "", { 1000, 1000, -1 }, lab_do_read, any, -EACCES },
	{ __LINE__, "", { 1000, 1000, -1 }, lab_do_chmod, any, -EACCES },
	{ __LINE__, "", { 1000, 1000, -1 }, list_folder, "core0", -EACCES },
	{ __LINE__, "", { 1000, 1000, -1 }, lab_do_write, control, -EACCES },
	{ __LINE__, "", { 1000, 1000, -1 }, read_status, "status", 0 },
	/* and name nothing */
	{ __LINE__, "mode=0444", { 1000, 1000, -1 }, name_it, "core0/local", -EACCES },
	/* the group reads, and writes nothing */
	{ __LINE__, "gid=77,mode=0440", { 1000, 1000, -1 }, lab_do_read, any, -EACCES },
	{ __LINE__, "gid=77,mode=0440", { 1000, 1000, 77 }, lab_do_read, any, 0 },
	{ __LINE__, "gid=77,mode=0440", { 1000, 77, -1 }, lab_do_read, any, 0 },
	{ __LINE__, "gid=77,mode=0440", { 1000, 1000, 77 }, lab_do_chmod, any, -EPERM },
	{ __LINE__, "gid=77,mode=0440", { 1000, 1000, 77 }, lab_do_read, control, 0 },
	{ __LINE__, "gid=77,mode=0440", { 1000, 1000, 77 }, lab_do_write, control, -EACCES },
	{ __LINE__, "gid=77,mode=0440", { 0, 0, -1 }, lab_do_write, control, 0 },
	/* the owner of the mount writes */
	{ __LINE__, "uid=1000,mode=0400", { 1000, 1000, -1 }, lab_do_write, control, 0 },
	{ __LINE__, "uid=1000,mode=0400", { 1000, 1000, -1 }, lab_do_read, control, 0 },
	{ __LINE__, "uid=1000,mode=0400", { 1001, 1001, -1 }, lab_do_read, control, -EACCES },
};

TEST(files_are_for_whom_the_mount_says)
{
	const char *some = lab_any_register();
	const struct lab_pair *pair = lab_pair();
	unsigned int tried = 0;

	TT_FOR_EACH_ROW(r, permission_rows) {
		const char *path = r->path == any ? some : r->path;

		if (path == control)
			path = pair ? pair->control : NULL;
		lab_mount_anew(r->options);
		if (!path || !lab_reg_is_here(path))
			continue;
		TT_EQ(r, lab_child(&r->user, r->fn, path), r->ret);
		tried++;
	}
	LAB_GOOD(lab_driver_unmount());
	print_message("# %u of %zu rows\n", tried,
		      sizeof(permission_rows) / sizeof(permission_rows[0]));
}

static const struct mode_row {
	int line;
	const char *options;
	int ret;
	mode_t plain, writable, folder;
	uid_t uid;
	gid_t gid;
} mode_rows[] = {
	{ __LINE__, "", 0, 0400, 0600, 0500, 0, 0 },
	{ __LINE__, "mode=0444", 0, 0444, 0644, 0555, 0, 0 },
	{ __LINE__, "mode=444", 0, 0444, 0644, 0555, 0, 0 },
	{ __LINE__, "mode=0440,gid=7", 0, 0440, 0640, 0550, 0, 7 },
	{ __LINE__, "mode=0660,uid=5,gid=7", 0, 0440, 0660, 0550, 5, 7 },
	{ __LINE__, "mode=0666", 0, 0444, 0666, 0555, 0, 0 },
	{ __LINE__, "mode=bad", -EINVAL, 0, 0, 0, 0, 0 },
	{ __LINE__, "mode=07777777", -EINVAL, 0, 0, 0, 0, 0 },
	{ __LINE__, "uid=nobody", -EINVAL, 0, 0, 0, 0, 0 },
	{ __LINE__, "gid=-1", -EINVAL, 0, 0, 0, 0, 0 },
	{ __LINE__, "size=1", -EINVAL, 0, 0, 0, 0, 0 },
};

TEST(mount_options_make_the_policy)
{
	const struct lab_pair *pair = lab_pair();
	const char *reg = lab_any_register();
	char file[LAB_FILE], folder[LAB_FILE];
	struct stat st;

	*strrchr(strcpy(folder, lab_reg_path(reg, file)), '/') = '\0';
	LAB_GOOD(lab_driver_unmount());
	TT_FOR_EACH_ROW(r, mode_rows) {
		TT_EQ(r, lab_driver_mount(r->options), r->ret);
		if (r->ret < 0)
			continue;
		LAB_GOOD(stat(folder, &st));
		TT_EQ(r, st.st_mode & 0777 & ~(mode_t)0200, r->folder);
		LAB_GOOD(stat(lab_reg_path(reg, file), &st));
		TT_EQ(r, st.st_mode & 07777 & ~(mode_t)0222, r->plain);
		TT_EQ(r, st.st_uid, r->uid);
		TT_EQ(r, st.st_gid, r->gid);
		if (pair) {
			LAB_GOOD(stat(lab_reg_path(pair->control, file), &st));
			TT_EQ(r, st.st_mode & 07777, r->writable);
		}
		LAB_GOOD(lab_driver_unmount());
	}
}

/*
 * Even what was open for writing cannot be written on a file system that became read only; it can
 * be given back.
 */
TEST(read_only_is_read_only)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t value;
	char file[LAB_FILE];
	int fd;

	lab_mount_anew("ro");
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EROFS);
	LAB_GOOD(lab_reg_get(pair->control, &value));
	assert_true(chmod(lab_reg_path(pair->control, file), 0444) < 0 && errno == EROFS);
	assert_true(symlink("x", NTIME_FS_PATH "/core0/local/x") < 0);
	LAB_CALL(mount("", NTIME_FS_PATH, "", MS_REMOUNT, ""));
	fd = LAB_OPEN(pair->control, O_WRONLY);
	/* With a writer the kernel refuses it. */
	assert_true(mount("", NTIME_FS_PATH, "", MS_REMOUNT | MS_RDONLY, "") < 0 && errno == EBUSY);
	(void)close(fd);
	LAB_CALL(mount("", NTIME_FS_PATH, "", MS_REMOUNT | MS_RDONLY, ""));
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EROFS);
	LAB_GOOD(lab_driver_unmount());
}

/* One machine, one tree: a second mount shows the same files, with the same permissions. */
TEST(second_mount_is_the_same)
{
	const char *reg = lab_any_register();
	char first[LAB_FILE], second[LAB_FILE];
	struct stat a, b;

	(void)mkdir("/tmp/again", 0700);
	LAB_GOOD(lab_driver_mount_at("/tmp/again", 0, ""));
	(void)snprintf(second, sizeof(second), "/tmp/again/%s", reg);
	LAB_GOOD(stat(lab_reg_path(reg, first), &a));
	LAB_GOOD(stat(second, &b));
	TT_IS(a.st_ino, b.st_ino);
	TT_IS(a.st_dev, b.st_dev);
	LAB_GOOD(chmod(first, 0444));
	LAB_GOOD(stat(second, &b));
	TT_IS(b.st_mode & 0777, 0444);
	LAB_GOOD(chmod(first, a.st_mode & 0777));
	LAB_CALL(umount2("/tmp/again", 0));
	TT_IS(lab_reg_is_here(reg), true);
}

TEST(chosen_permissions_stay)
{
	const char *reg = lab_any_register();
	char file[LAB_FILE];
	struct stat st, before;

	LAB_GOOD(stat(lab_reg_path(reg, file), &before));
	LAB_CALL(chmod(file, 0440));
	LAB_CALL(chown(file, 3, 1000));
	TT_IS(lab_child(&lab_stranger, lab_do_read, reg), -EACCES);
	LAB_GOOD(stat(file, &st));
	TT_IS(st.st_mode & 0777, 0440);
	TT_IS(st.st_uid, 3);
	TT_IS(st.st_gid, 1000);
	/* Size and kind of a file are not to be changed, nor may it become a program. */
	(void)chmod(file, 07777);
	LAB_GOOD(stat(file, &st));
	TT_IS(S_ISREG(st.st_mode), true);
	TT_IS(access(file, X_OK) == 0 && st.st_mode & 06000, false);
	LAB_CALL(chmod(file, before.st_mode & 07777));
	LAB_CALL(chown(file, before.st_uid, before.st_gid));
}

/* ---- the driver as a whole ---- */

TEST(status_tells_what_goes_on)
{
	const struct lab_pair *pair = lab_need_pair();
	int64_t open_files = LAB_GOOD(lab_status_number("open")), reads, writes, refusals;
	struct ntime_page page;
	char text[256];
	uint64_t value;
	int fd, reader;

	refusals = LAB_GOOD(lab_status_number("refusals"));
	TT_IS(lab_status("writer", text, sizeof(text)), -ENOENT);
	fd = LAB_OPEN(pair->control, O_RDWR);
	reader = LAB_OPEN(pair->counter, O_RDONLY);
	TT_IS(lab_status_number("open"), open_files + 2);
	LAB_GOOD(lab_status("writer", text, sizeof(text)));
	print_message("# writer: %s\n", text);
	LAB_GOOD(lab_reg_describe(pair->control, &page));
	TT_HAS(text, page.name);
	TT_HAS(text, "test_driver");
	TT_HAS(text, "pid ");
	TT_IS(strtol(strstr(text, "pid ") + 4, NULL, 10), getpid());
	reads = LAB_GOOD(lab_status_number("reads"));
	writes = LAB_GOOD(lab_status_number("writes"));
	LAB_GOOD(lab_fd_text(reader, &value));
	TT_IS(lab_status_number("reads"), reads + 1);
	LAB_GOOD(lab_fd_text(fd, &value));
	LAB_GOOD(lab_fd_set_text(fd, value));
	TT_IS(lab_status_number("writes"), writes + 1);
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EBUSY);
	TT_IS(lab_status_number("refusals"), refusals + 1);
	LAB_GOOD(lab_status("last refusal", text, sizeof(text)));
	print_message("# last refusal: %s\n", text);
	TT_HAS(text, page.name);
	TT_IS(lab_status_number("errors"), 0);
	(void)close(fd);
	(void)close(reader);
	TT_IS(lab_status_number("open"), open_files);
	TT_IS(lab_status("writer", text, sizeof(text)), -ENOENT);
}

TEST(driver_stays_while_in_use)
{
	int fd = LAB_OPEN(lab_any_register(), O_RDONLY);
	struct lab_map map;

	assert_true(lab_driver_unload() < 0);
	assert_true(lab_driver_unmount() == -EBUSY);
	LAB_GOOD(lab_fd_map(fd, 1, &map));
	(void)close(fd);
	assert_true(lab_driver_unmount() == -EBUSY);
	/* Taken out of the tree, but open: still in use. */
	LAB_CALL(umount2(NTIME_FS_PATH, MNT_DETACH));
	assert_true(lab_driver_unload() < 0);
	TT_IS(((struct ntime_page *)(void *)map.pages)->size, sizeof(struct ntime_page));
	lab_unmap(&map);
	LAB_GOOD(lab_driver_unload());
	TT_IS(access(NTIME_FS_PATH, F_OK), -1);
	LAB_GOOD(lab_driver_load(""));
	TT_IS(access(NTIME_FS_PATH, F_OK), 0);
	TT_IS(lab_driver_load(""), -EEXIST);
	LAB_GOOD(lab_driver_mount(""));
	for (unsigned int i = 0; i < 5; i++) {
		LAB_GOOD(lab_driver_stop());
		LAB_GOOD(lab_driver_start(""));
	}
}

static bool is_tainted(void)
{
	char line[32];

	lab_line("/proc/sys/kernel/tainted", line, sizeof(line));
	assert_true(*line != '\0');
	return strtoull(line, NULL, 10) & TAINT_CPU_OUT_OF_SPEC;
}

/*
 * As msr.ko does. This is the first test that writes, so that it sees the kernel without the mark.
 */
TEST(writing_taints)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t value;
	bool was = is_tainted();
	int fd;

	LAB_GOOD(lab_reg_get(pair->control, &value));
	fd = LAB_OPEN(pair->control, O_RDWR);
	LAB_GOOD(lab_fd_text(fd, &value));
	TT_IS(is_tainted(), was);
	LAB_GOOD(lab_fd_set_text(fd, value));
	TT_IS(is_tainted(), true);
	print_message("# %s before\n", was ? "was set" : "not set");
}

#define TRACING "/sys/kernel/tracing/"
#define ACCESSES TRACING "events/ntime/ntime_access/enable"

static void forget_trace(void)
{
	int fd = open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	LAB_GOOD(fd);
	(void)close(fd);
}

static void must_be_in_trace(const char *trace, const char *format, uint64_t value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), format, (unsigned long long)value);
	TT_HAS(trace, text);
}

TEST(each_access_can_be_traced)
{
	const struct lab_pair *pair = lab_pair();
	const char *reg = pair ? pair->control : lab_any_register();
	static char text[65536];
	struct ntime_page page;
	uint64_t value;

	if (access(ACCESSES, F_OK) != 0)
		fail_msg("there is no tracepoint ntime:ntime_access");
	forget_trace();
	lab_set_file(ACCESSES, "1");
	LAB_GOOD(lab_reg_describe(reg, &page));
	LAB_GOOD(lab_reg_get(reg, &value));
	if (pair)
		LAB_GOOD(lab_reg_try_set(reg, value ^ pair->flip));
	lab_set_file(ACCESSES, "0");
	LAB_GOOD(lab_read(TRACING "trace", text, sizeof(text)));
	TT_HAS(text, "ntime_access:");
	must_be_in_trace(text, "0x%llx", page.address);
	if (pair)
		must_be_in_trace(text, "%llx", value ^ pair->flip);
	forget_trace();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(writing_taints),
		LAB_DRIVER_TEST(writers_that_do_not_read_map_nothing),
		LAB_DRIVER_TEST(one_writer_many_readers),
		LAB_DRIVER_TEST(writers_of_other_processes_are_refused),
		LAB_DRIVER_TEST(what_is_written_is_read),
		LAB_DRIVER_TEST(numbers_are_read_as_they_are_written),
		LAB_DRIVER_TEST(masks_hold),
		LAB_DRIVER_TEST(rows_that_are_not_for_writing_are_refused),
		LAB_DRIVER_TEST(killed_and_crashed_writers_leave_nothing),
		LAB_DRIVER_TEST(last_descriptor_puts_back),
		LAB_DRIVER_TEST(mapping_keeps_the_writer),
		LAB_DRIVER_TEST(exec_closes_what_it_should),
		LAB_DRIVER_TEST(files_are_for_whom_the_mount_says),
		LAB_DRIVER_TEST(mount_options_make_the_policy),
		LAB_DRIVER_TEST(read_only_is_read_only),
		LAB_DRIVER_TEST(second_mount_is_the_same),
		LAB_DRIVER_TEST(chosen_permissions_stay),
		LAB_DRIVER_TEST(status_tells_what_goes_on),
		LAB_DRIVER_TEST(each_access_can_be_traced),
		LAB_DRIVER_TEST(driver_stays_while_in_use),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
