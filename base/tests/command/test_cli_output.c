// SPDX-License-Identifier: MIT
/* base/output/file.h: files that appear complete or not at all. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/output/file.h"
#include "base/tests/command/folder.h"
#include "base/tests/tt.h"

TEST(appears_at_the_end)
{
	struct cli_output o;
	struct stat st;

	TT_IS(cli_output_open(&o, "new", false), 0);
	fputs("hello\n", o.f);
	TT_IS(cli_output_flush(&o), 0);
	assert_null(tt_folder_content("new"));
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(tt_folder_content("new"), "hello\n");
	TT_IS(tt_folder_files(), 1);
	/* as open(2) would have made it, not with the 0600 of mkstemp(3) */
	TT_IS(stat("new", &st), 0);
	TT_IS(st.st_mode & 0777 & ~0022, 0644 & ~0022);
	unlink("new");
}

TEST(old_file_stays_when_it_is_abandoned)
{
	struct cli_output o;

	tt_folder_put("old", "old\n");
	TT_IS(cli_output_open(&o, "old", false), 0);
	fputs("half", o.f);
	cli_output_abandon(&o);
	TT_TEXT(tt_folder_content("old"), "old\n");
	TT_IS(tt_folder_files(), 1);
	unlink("old");
}

TEST(mode_of_a_replaced_file_stays)
{
	struct cli_output o;
	struct stat st;

	tt_folder_put("old", "old\n");
	chmod("old", 0640);
	TT_IS(cli_output_open(&o, "old", false), 0);
	TT_IS(cli_output_close(&o), 0);
	stat("old", &st);
	TT_IS(st.st_mode & 0777, 0640);
	TT_IS(st.st_size, 0);
	unlink("old");
}

TEST(links_are_followed)
{
	struct cli_output o;
	struct stat st;

	tt_folder_put("real", "old\n");
	TT_IS(symlink("real", "link"), 0);
	TT_IS(cli_output_open(&o, "link", false), 0);
	fputs("new\n", o.f);
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(tt_folder_content("real"), "new\n");
	lstat("link", &st);
	assert_true(S_ISLNK(st.st_mode));
	unlink("real");
	/* Where it leads to nothing, neither it nor what it names appears. */
	TT_IS(cli_output_open(&o, "link", false), -ENOENT);
	lstat("link", &st);
	assert_true(S_ISLNK(st.st_mode));
	unlink("link");
}

/* ---- strangers ---- */

#define STRANGER 12345

static void need_root(void)
{
	bool may;

	tt_folder_put("given", "");
	may = geteuid() == 0 && chown("given", STRANGER, STRANGER) == 0;
	unlink("given");
	if (!may)
		TT_SKIP("only root with capabilities can make files of another user");
}

static int opens(const char *path)
{
	struct cli_output o;
	int ret = cli_output_open(&o, path, false);

	if (ret == 0) {
		fputs("new\n", o.f);
		ret = cli_output_close(&o);
	}
	return ret;
}

/* What a stranger put into "shared", and whether root may write there. */
static const struct stranger_row {
	int line;
	mode_t folder;
	uid_t of_folder, of_link;
	int ret;
} stranger_rows[] = {
	{ __LINE__, 01777, 0, STRANGER, -EPERM },
	{ __LINE__, 0777, 0, STRANGER, -EPERM },
	{ __LINE__, 01777, 0, 0, 0 },
	{ __LINE__, 01777, STRANGER, STRANGER, 0 },
	{ __LINE__, 0755, STRANGER, STRANGER, 0 },
	{ __LINE__, 0755, 0, STRANGER, 0 },
};

static void make_shared(const struct stranger_row *r)
{
	TT_IS(mkdir("shared", 0755), 0);
	TT_IS(chmod("shared", r->folder), 0);
	TT_IS(chown("shared", r->of_folder, r->of_folder), 0);
}

TEST(links_of_strangers_are_refused)
{
	need_root();
	TT_FOR_EACH_ROW(r, stranger_rows) {
		make_shared(r);
		tt_folder_put("secret", "old\n");
		TT_IS(symlink("../secret", "shared/link"), 0);
		TT_IS(lchown("shared/link", r->of_link, r->of_link), 0);
		TT_EQ(r, opens("shared/link"), r->ret);
		TT_STR(r, tt_folder_content("secret"), r->ret ? "old\n" : "new\n");
		unlink("shared/link");
		/* one in the middle is no better */
		TT_IS(symlink("..", "shared/up"), 0);
		TT_IS(lchown("shared/up", r->of_link, r->of_link), 0);
		TT_EQ(r, opens("shared/up/made"), r->ret);
		TT_EQ(r, access("made", F_OK), r->ret ? -1 : 0);
		unlink("made");
		unlink("shared/up");
		unlink("secret");
		rmdir("shared");
	}
	TT_IS(tt_folder_files(), 0);
}

TEST(files_of_strangers_are_refused_in_folders_of_everybody)
{
	need_root();
	TT_FOR_EACH_ROW(r, stranger_rows) {
		make_shared(r);
		tt_folder_put("shared/file", "old\n");
		TT_IS(chown("shared/file", r->of_link, r->of_link), 0);
		TT_EQ(r, opens("shared/file"), r->ret);
		TT_STR(r, tt_folder_content("shared/file"), r->ret ? "old\n" : "new\n");
		unlink("shared/file");
		if (r->ret) {
			/* It would wait for somebody who reads. */
			TT_IS(mkfifo("shared/pipe", 0666), 0);
			TT_IS(chown("shared/pipe", r->of_link, r->of_link), 0);
			TT_EQ(r, opens("shared/pipe"), r->ret);
			unlink("shared/pipe");
		}
		rmdir("shared");
	}
	TT_IS(tt_folder_files(), 0);
}

TEST(owner_and_mode_stay)
{
	struct stat st;

	need_root();
	tt_folder_put("old", "old\n");
	TT_IS(chown("old", STRANGER, STRANGER + 1), 0);
	TT_IS(chmod("old", 06640), 0);
	TT_IS(opens("old"), 0);
	TT_TEXT(tt_folder_content("old"), "new\n");
	TT_IS(stat("old", &st), 0);
	TT_IS(st.st_uid, STRANGER);
	TT_IS(st.st_gid, STRANGER + 1);
	/* But what lends rights is gone, as it is after each write(2). */
	TT_IS(st.st_mode & 07777, 0640);
	unlink("old");
}

/* The status of what an ordinary user does. */
static int as_stranger(int (*fn)(const char *path), const char *path)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(setresgid(STRANGER, STRANGER, STRANGER) ||
		      setresuid(STRANGER, STRANGER, STRANGER) || -fn(path));
	TT_IS(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

TEST(owner_that_cannot_be_kept_is_not_lost)
{
	struct stat st;

	need_root();
	TT_IS(chmod(".", 0755), 0);
	TT_IS(mkdir("of-all", 0755), 0);
	/* Its owner may write there, and the file may be written by all. */
	TT_IS(chown("of-all", STRANGER, STRANGER), 0);
	tt_folder_put("of-all/file", "old\n");
	TT_IS(chmod("of-all/file", 0666), 0);
	TT_IS(as_stranger(opens, "of-all/file"), -EPERM);
	TT_TEXT(tt_folder_content("of-all/file"), "old\n");
	TT_IS(stat("of-all/file", &st), 0);
	TT_IS(st.st_uid, 0);
	unlink("of-all/file");
	TT_IS(rmdir("of-all"), 0);
}

/* acl(5): the owner reads and writes, user 12345 reads, others nothing; as the kernel has it. */
static const unsigned char access_list[] = {
	2,    0, 0, 0,								   /* version */
	0x01, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 4, 0, 0x39, 0x30, 0,	0, /* user 12345 */
	0x04, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x10, 0, 4, 0, 0xff, 0xff, 0xff, 0xff, /* mask */
	0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
};

TEST(access_lists_stay)
{
	unsigned char now[sizeof(access_list) + 1];

	tt_folder_put("old", "old\n");
	if (setxattr("old", "system.posix_acl_access", access_list, sizeof(access_list), 0)) {
		unlink("old");
		TT_SKIP("the file system has no access lists");
	}
	TT_IS(opens("old"), 0);
	TT_IS(getxattr("old", "system.posix_acl_access", now, sizeof(now)), sizeof(access_list));
	TT_IS(memcmp(now, access_list, sizeof(access_list)), 0);
	TT_TEXT(tt_folder_content("old"), "new\n");
	unlink("old");
}

/* What goes to stderr while @fn works. */
static const char *said_by(int (*fn)(const char *path), const char *path)
{
	int saved = dup(STDERR_FILENO), fd = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
	static char text[1024];
	ssize_t n;

	dup2(fd, STDERR_FILENO);
	(void)fn(path);
	dup2(saved, STDERR_FILENO);
	close(saved);
	n = pread(fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	unlink("said");
	return text;
}

TEST(hard_links_are_told)
{
	tt_folder_put("one", "old\n");
	TT_TEXT(said_by(opens, "one"), "");
	TT_IS(link("one", "two"), 0);
	TT_HAS(said_by(opens, "one"), "one has 2 names (hard links)");
	TT_TEXT(tt_folder_content("one"), "new\n");
	unlink("one");
	unlink("two");
}

TEST(whose_it_is_is_told)
{
	need_root();
	make_shared(&stranger_rows[0]);
	TT_IS(symlink("../secret", "shared/link"), 0);
	TT_IS(lchown("shared/link", STRANGER, STRANGER), 0);
	TT_HAS(said_by(opens, "shared/link"),
	       "cannot write to shared/link: a symbolic link there belongs to another user (uid "
	       "12345), in a folder that others may write to");
	unlink("shared/link");
	rmdir("shared");
}

/* ---- links in circles, and other ways ---- */

static const struct way_row {
	int line;
	const char *path;
	int ret;
} way_rows[] = {
	{ __LINE__, "loop", -ELOOP },
	{ __LINE__, "loop/x", -ELOOP },
	{ __LINE__, "folder/up/file", 0 },
	{ __LINE__, "folder/../file", 0 },
	{ __LINE__, "./folder//up/file", 0 },
	{ __LINE__, "absolute/file", 0 },
	{ __LINE__, "link-link", 0 },
	{ __LINE__, "file/", -ENOTDIR },
	{ __LINE__, "file/x", -ENOTDIR },
	{ __LINE__, "folder/", -EISDIR },
	{ __LINE__, "folder/..", -EISDIR },
	{ __LINE__, "folder/up", -EISDIR },
	{ __LINE__, "/", -EISDIR },
	{ __LINE__, "/proc/self/cwd/file", 0 },
	{ __LINE__, "/proc/self/cwd/", -EISDIR },
};

TEST(ways_that_names_may_go)
{
	char directory[64];

	assert_non_null(getcwd(directory, sizeof(directory)));
	TT_IS(symlink("loop", "loop"), 0);
	TT_IS(mkdir("folder", 0755), 0);
	TT_IS(symlink("..", "folder/up"), 0);
	TT_IS(symlink(directory, "absolute"), 0);
	TT_IS(symlink("folder/up/link", "link-link"), 0);
	TT_IS(symlink("file", "link"), 0);
	TT_FOR_EACH_ROW(r, way_rows) {
		tt_folder_put("file", "old\n");
		TT_EQ(r, opens(r->path), r->ret);
		TT_STR(r, tt_folder_content("file"), r->ret ? "old\n" : "new\n");
		TT_EQ(r, tt_folder_files(), 6);
	}
	unlink("loop");
	unlink("folder/up");
	rmdir("folder");
	unlink("absolute");
	unlink("link-link");
	unlink("link");
	unlink("file");
}

TEST(names_that_are_too_long)
{
	char name[5000];

	memset(name, 'x', sizeof(name));
	name[256] = '\0';
	TT_IS(opens(name), -ENAMETOOLONG);
	name[255] = '\0';
	TT_IS(opens(name), 0);
	/* also where it is replaced through another name */
	TT_IS(opens(name), 0);
	unlink(name);
	name[255] = name[256] = 'x';
	name[sizeof(name) - 1] = '\0';
	TT_IS(opens(name), -ENAMETOOLONG);
	TT_IS(tt_folder_files(), 0);
}

/* ---- what is no file of its own ---- */

TEST(descriptors_keep_their_place)
{
	char path[64];
	int fd = open("file", O_WRONLY | O_CREAT, 0600), hidden;

	TT_IS(write(fd, "begun, ", 7), 7);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	TT_IS(opens(path), 0);
	TT_IS(write(fd, "end\n", 4), 4);
	TT_TEXT(tt_folder_content("file"), "begun, new\nend\n");
	/* Nobody gave us that one. */
	hidden = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", hidden);
	TT_IS(opens(path), -EBADF);
	TT_IS(opens("/dev/fd/999"), -ENOENT);
	close(hidden);
	close(fd);
	unlink("file");
}

TEST(pipes_are_written_to)
{
	char text[8] = "";
	int fd;

	TT_IS(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	TT_IS(opens("pipe"), 0);
	TT_IS(read(fd, text, sizeof(text) - 1), 4);
	TT_TEXT(text, "new\n");
	close(fd);
	unlink("pipe");
}

TEST(appending)
{
	struct cli_output o;

	tt_folder_put("log", "one\n");
	TT_IS(cli_output_open(&o, "log", true), 0);
	fputs("two\n", o.f);
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(tt_folder_content("log"), "one\ntwo\n");
	TT_IS(tt_folder_files(), 1);
	unlink("log");
	TT_IS(cli_output_open(&o, "log", true), 0);
	fputs("first\n", o.f);
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(tt_folder_content("log"), "first\n");
	unlink("log");
}

TEST(full_device)
{
	struct cli_output o;

	TT_IS(cli_output_open(&o, "/dev/full", false), 0);
	fputs("x", o.f);
	TT_IS(cli_output_close(&o), -ENOSPC);
	TT_IS(cli_output_open(&o, "/dev/full", false), 0);
	fputs("x", o.f);
	/* seen at a flush in the middle, and still at the end */
	TT_IS(cli_output_flush(&o), -ENOSPC);
	assert_true(cli_output_close(&o) < 0);
}

static const struct bad_row {
	int line;
	const char *path;
	int ret;
} bad_rows[] = {
	{ __LINE__, "", -ENOENT },
	{ __LINE__, "no/such/file", -ENOENT },
	{ __LINE__, ".", -EISDIR },
	{ __LINE__, "new/", -EISDIR },
	{ __LINE__, "/dev/null/x", -ENOTDIR },
};

TEST(bad_places)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct cli_output o;

		TT_EQ(r, cli_output_open(&o, r->path, false), r->ret);
		cli_output_abandon(&o);
		TT_EQ(r, tt_folder_files(), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appears_at_the_end),
		cmocka_unit_test(old_file_stays_when_it_is_abandoned),
		cmocka_unit_test(mode_of_a_replaced_file_stays),
		cmocka_unit_test(links_are_followed),
		cmocka_unit_test(links_of_strangers_are_refused),
		cmocka_unit_test(files_of_strangers_are_refused_in_folders_of_everybody),
		cmocka_unit_test(owner_and_mode_stay),
		cmocka_unit_test(owner_that_cannot_be_kept_is_not_lost),
		cmocka_unit_test(access_lists_stay),
		cmocka_unit_test(hard_links_are_told),
		cmocka_unit_test(whose_it_is_is_told),
		cmocka_unit_test(ways_that_names_may_go),
		cmocka_unit_test(names_that_are_too_long),
		cmocka_unit_test(descriptors_keep_their_place),
		cmocka_unit_test(pipes_are_written_to),
		cmocka_unit_test(appending),
		cmocka_unit_test(full_device),
		cmocka_unit_test(bad_places),
	};

	/* sentences about failures are expected; TAP goes to stdout */
	return cmocka_run_group_tests(tests, tt_folder_enter, tt_folder_leave) ? 1 : 0;
}
