// SPDX-License-Identifier: MIT
/* base/os/file.h: names that stay below a folder, with openat2(2) and on kernels that lack it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/file.h"
#include "base/tests/tt.h"

static char directory[] = "/tmp/ntime-beneath-XXXXXX";

static int enter(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(directory) || chdir(directory) || mkdir("db", 0700) || mkdir("db/sub", 0700))
		return -1;
	f = fopen("db/sub/file", "w");
	if (!f || fclose(f))
		return -1;
	f = fopen("secret", "w");
	return !f || fclose(f) || symlink("file", "db/sub/link") ||
	       symlink("../../secret", "db/sub/out") || symlink("/etc", "db/etc") ||
	       symlink("/sub/../sub/link", "db/sub/absolute") || symlink("sub", "db/self");
}

static int leave(void **state)
{
	(void)state;
	return unlink("db/self") || unlink("db/sub/absolute") || unlink("db/etc") ||
	       unlink("db/sub/out") || unlink("db/sub/link") || unlink("secret") ||
	       unlink("db/sub/file") || rmdir("db/sub") || rmdir("db") || chdir("/") ||
	       rmdir(directory);
}

static const struct name_row {
	int line;
	const char *name;
	int ret, old; /* without openat2(2); 0: it is opened */
} name_rows[] = {
	{ __LINE__, "sub/file", 0, 0 },
	{ __LINE__, "sub//file", 0, 0 },
	{ __LINE__, "./sub/./file", 0, 0 },
	{ __LINE__, "sub/link", 0, -EXDEV },
	{ __LINE__, "sub/../sub/file", 0, -EXDEV },
	{ __LINE__, "sub/out", -EXDEV, -EXDEV },
	{ __LINE__, "../secret", -EXDEV, -EXDEV },
	{ __LINE__, "sub/../../secret", -EXDEV, -EXDEV },
	{ __LINE__, "etc/passwd", -EXDEV, -ENOTDIR },
	{ __LINE__, "/etc/passwd", -EXDEV, -ENOENT },
	{ __LINE__, "sub/none", -ENOENT, -ENOENT },
	{ __LINE__, "sub/file/x", -ENOTDIR, -ENOTDIR },
};

static int try(const char *name)
{
	int fd = nti_file_open_beneath("db", name);

	nti_file_close(fd);
	return fd < 0 ? fd : 0;
}

TEST(names)
{
	if (syscall(SYS_openat2, -1, "", NULL, 0) < 0 && errno == ENOSYS)
		TT_SKIP("this kernel has no openat2(2)");
	TT_FOR_EACH_ROW(r, name_rows)
		TT_EQ(r, try(r->name), r->ret);
	TT_IS(nti_file_open_beneath("none", "file"), -ENOENT);
}

#define IS_LINK (O_PATH | O_NOFOLLOW)

static const struct root_row {
	int line;
	const char *name;
	int flags;
	const char *is; /* what is opened; NULL: nothing is */
	int ret;
} root_rows[] = {
	{ __LINE__, "/", O_PATH, "db", 0 },
	{ __LINE__, "/sub/file", O_RDONLY, "db/sub/file", 0 },
	{ __LINE__, "sub/./file", O_RDONLY, "db/sub/file", 0 },
	{ __LINE__, "//sub/", O_RDONLY | O_DIRECTORY, "db/sub", 0 },
	{ __LINE__, "/sub/link", O_RDONLY, "db/sub/file", 0 },
	{ __LINE__, "/sub/link", IS_LINK, "db/sub/link", 0 },
	{ __LINE__, "/sub/absolute", O_RDONLY, "db/sub/file", 0 },
	{ __LINE__, "/sub/../../../sub/file", O_RDONLY, "db/sub/file", 0 },
	{ __LINE__, "../secret", O_RDONLY, NULL, -ENOENT },
	{ __LINE__, "/sub/out", O_RDONLY, NULL, -ENOENT },
	{ __LINE__, "/sub/out", IS_LINK, "db/sub/out", 0 },
	/* The link leads to itself there. */
	{ __LINE__, "/etc/passwd", O_RDONLY, NULL, -ELOOP },
	{ __LINE__, "/sub/none", O_RDONLY, NULL, -ENOENT },
	{ __LINE__, "/none/file", O_RDONLY, NULL, -ENOENT },
	{ __LINE__, "/sub/file/x", O_RDONLY, NULL, -ENOTDIR },
	{ __LINE__, "/sub/file/", O_RDONLY, NULL, -ENOTDIR },
	{ __LINE__, "/sub/file/..", O_PATH, NULL, -ENOTDIR },
	{ __LINE__, "/sub/file/.", O_PATH, NULL, -ENOTDIR },
	{ __LINE__, "/sub/link/", IS_LINK, NULL, -ENOTDIR },
	{ __LINE__, "/sub/link/..", O_PATH, NULL, -ENOTDIR },
	{ __LINE__, "/self", IS_LINK, "db/self", 0 },
	{ __LINE__, "/self/", IS_LINK, "db/sub", 0 },
	{ __LINE__, "/self/../self/file", O_RDONLY, "db/sub/file", 0 },
	{ __LINE__, "/sub/..", O_PATH, "db", 0 },
	{ __LINE__, "/none/..", O_PATH, NULL, -ENOENT },
	{ __LINE__, "", O_PATH, NULL, -ENOENT },
};

/* 0; the error; 1: something else was opened. */
static int try_in_root(const struct root_row *r)
{
	int root = open("db", O_PATH | O_DIRECTORY), fd, ret = 0;
	struct stat st, is;

	fd = nti_file_open_in_root(root, r->name, r->flags);
	if (fd >= 0)
		ret = !r->is || fstat(fd, &st) || lstat(r->is, &is) || st.st_ino != is.st_ino;
	nti_file_close(fd);
	nti_file_close(root);
	return fd < 0 ? fd : ret;
}

TEST(names_below_a_root)
{
	if (syscall(SYS_openat2, -1, "", NULL, 0) < 0 && errno == ENOSYS)
		TT_SKIP("this kernel has no openat2(2)");
	TT_FOR_EACH_ROW(r, root_rows)
		TT_EQ(r, try_in_root(r), r->ret);
}

static int forbid(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What a child that may not call openat2(2) exits with; the test ends where it cannot be one. */
static int status_of(pid_t child)
{
	int status;

	TT_IS(waitpid(child, &status, 0), child);
	TT_IS(WIFEXITED(status), 1);
	if (WEXITSTATUS(status) == 255)
		TT_SKIP("system calls cannot be filtered here (seccomp)");
	return WEXITSTATUS(status);
}

TEST(names_on_older_kernels)
{
	TT_FOR_EACH_ROW(r, name_rows) {
		pid_t child = fork();

		if (child == 0)
			_exit(forbid() ? 255 : -try(r->name));
		TT_EQ(r, -status_of(child), r->old);
	}
}

TEST(names_below_a_root_on_older_kernels)
{
	TT_FOR_EACH_ROW(r, root_rows) {
		pid_t child = fork();

		if (child == 0)
			_exit(forbid() ? 255 : abs(try_in_root(r)));
		TT_EQ(r, status_of(child), -r->ret);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(names_on_older_kernels),
		cmocka_unit_test(names_below_a_root),
		cmocka_unit_test(names_below_a_root_on_older_kernels),
	};

	return cmocka_run_group_tests(tests, enter, leave) ? 1 : 0;
}
