// SPDX-License-Identifier: MIT
/* lib/os/file.h: names that stay below a folder, with openat2(2) and on kernels that lack it. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/os/file.h"
#include "tests/tt.h"

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
	       symlink("../../secret", "db/sub/out") || symlink("/etc", "db/etc");
}

static int leave(void **state)
{
	(void)state;
	return unlink("db/etc") || unlink("db/sub/out") || unlink("db/sub/link") ||
	       unlink("secret") || unlink("db/sub/file") || rmdir("db/sub") || rmdir("db") ||
	       chdir("/") || rmdir(directory);
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

TEST(names_on_older_kernels)
{
	TT_FOR_EACH_ROW(r, name_rows) {
		pid_t child = fork();
		int status;

		if (child == 0)
			_exit(forbid() ? 255 : -try(r->name));
		TT_EQ(r, waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 255)
			TT_SKIP("system calls cannot be filtered here (seccomp)");
		TT_EQ(r, -WEXITSTATUS(status), r->old);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(names_on_older_kernels),
	};

	return cmocka_run_group_tests(tests, enter, leave) ? 1 : 0;
}
