// SPDX-License-Identifier: MIT
/*
 * base/os/linux.c below another root: files, folders and links of a temporary directory stand in
 * for /sys and /proc.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/cpuinfo.h"
#include "base/os/os.h"
#include "base/tests/tt.h"

static char root[] = "/tmp/ntime-test-os-XXXXXX";
static struct nti_os *os;

static void write_file(const char *path, const char *text, size_t bytes)
{
	char full[PATH_MAX];
	int fd;

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	TT_IS(write(fd, text, bytes), bytes);
	TT_IS(close(fd), 0);
}

static void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

static void make_folder(const char *path)
{
	char full[PATH_MAX];

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	TT_IS(mkdir(full, 0755), 0);
}

static void make_link(const char *path, const char *target)
{
	char full[PATH_MAX];

	(void)snprintf(full, sizeof(full), "%s%s", root, path);
	TT_IS(symlink(target, full), 0);
}

/* CPU @cpu of a package; @text is what the kernel's file says. */
static void write_package(unsigned int cpu, const char *text)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u", cpu);
	make_folder(path);
	(void)strcat(path, "/topology");
	make_folder(path);
	(void)strcat(path, "/physical_package_id");
	write_text(path, text);
}

static void write_packages(void)
{
	make_folder("/sys/devices");
	make_folder("/sys/devices/system");
	make_folder("/sys/devices/system/cpu");
	write_package(0, "0\n");
	write_package(1, "65535\n");
	write_package(2, "65536\n");
	write_package(3, "-1\n");
}

static int set_up(void **state)
{
	char with_slashes[sizeof(root) + 2];

	(void)state;
	if (!mkdtemp(root))
		return -1;
	make_folder("/sys");
	make_folder("/sys/many");
	make_folder("/proc");
	make_folder("/sys/none");
	write_text("/sys/online", "0-3\nsecond line\n");
	write_text("/sys/empty", "");
	write_text("/sys/type", "42\n");
	write_text("/sys/blanks", "  0x2a \n");
	write_text("/sys/minus", "-1\n");
	write_text("/sys/huge", "18446744073709551616\n");
	write_text("/sys/words", "many words\n");
	write_file("/sys/bytes", "a\0b", 3);
	/* Made in an order that is not theirs; numbers sort as text. */
	write_text("/sys/many/cpu2", "");
	write_text("/sys/many/cpu10", "");
	write_text("/sys/many/cpu1", "");
	write_text("/sys/many/.hidden", "");
	make_link("/sys/link", "../devices/cpu");
	make_link("/sys/dangling", "nowhere");
	write_packages();
	/* Slashes at the end of a root are not part of names. */
	(void)snprintf(with_slashes, sizeof(with_slashes), "%s//", root);
	return nti_os_linux_new(with_slashes, &os);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	os->ops->free(os);
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static const struct text_row {
	int line;
	const char *path;
	size_t size;
	int ret;
	const char *text;
} text_rows[] = {
	{ __LINE__, "/sys/online", 64, 16, "0-3\nsecond line\n" },
	{ __LINE__, "/sys/empty", 64, 0, "" },
	{ __LINE__, "/sys/empty", 1, 0, "" },
	/* "42\n" and its NUL need four bytes */
	{ __LINE__, "/sys/type", 4, 3, "42\n" },
	{ __LINE__, "/sys/type", 3, -E2BIG, NULL },
	{ __LINE__, "/sys/type", 1, -E2BIG, NULL },
	{ __LINE__, "/sys/missing", 64, -ENOENT, NULL },
	{ __LINE__, "/sys/online/deeper", 64, -ENOTDIR, NULL },
	{ __LINE__, "/sys/many", 64, -EISDIR, NULL },
	{ __LINE__, "/sys/dangling", 64, -ENOENT, NULL },
};

TEST(texts)
{
	TT_FOR_EACH_ROW(r, text_rows) {
		char buf[64];

		TT_EQ(r, os->ops->text(os, r->path, buf, r->size), r->ret);
		if (r->text)
			TT_STR(r, buf, r->text);
	}
}

static const struct line_row {
	int line;
	const char *path;
	int ret;
	const char *text;
} line_rows[] = {
	{ __LINE__, "/sys/online", 3, "0-3" },
	{ __LINE__, "/sys/empty", 0, "" },
	{ __LINE__, "/sys/words", 10, "many words" },
	/* What stands behind a NUL is no text. */
	{ __LINE__, "/sys/bytes", 1, "a" },
	{ __LINE__, "/sys/missing", -ENOENT, NULL },
};

TEST(lines)
{
	TT_FOR_EACH_ROW(r, line_rows) {
		char buf[64];
		char *copy;

		TT_EQ(r, nti_os_line(os, buf, sizeof(buf), "%s", r->path), r->ret);
		TT_EQ(r, nti_os_dup(os, &copy, "%s", r->path), r->ret < 0 ? r->ret : 0);
		if (r->text) {
			TT_STR(r, buf, r->text);
			TT_STR(r, copy, r->text);
		} else {
			TT_EQ(r, copy == NULL, true);
		}
		free(copy);
	}
}

static const struct number_row {
	int line;
	const char *path;
	int ret;
	uint64_t number;
} number_rows[] = {
	{ __LINE__, "/sys/type", 0, 42 },	  { __LINE__, "/sys/blanks", 0, 42 },
	{ __LINE__, "/sys/minus", -EINVAL, 0 },	  { __LINE__, "/sys/huge", -ERANGE, 0 },
	{ __LINE__, "/sys/words", -EINVAL, 0 },	  { __LINE__, "/sys/empty", -EINVAL, 0 },
	{ __LINE__, "/sys/missing", -ENOENT, 0 },
};

TEST(numbers)
{
	TT_FOR_EACH_ROW(r, number_rows) {
		uint64_t number = 0;

		TT_EQ(r, nti_os_u64(os, &number, "%s", r->path), r->ret);
		if (!r->ret)
			TT_EQ(r, number, r->number);
	}
}

static const struct package_row {
	int line;
	unsigned int cpu;
	int package;
} package_rows[] = {
	{ __LINE__, 0, 0 },  { __LINE__, 1, 65535 }, { __LINE__, 2, -1 },
	{ __LINE__, 3, -1 }, { __LINE__, 4, -1 },
};

TEST(packages)
{
	TT_FOR_EACH_ROW(r, package_rows)
		TT_EQ(r, nti_os_package(os, r->cpu), r->package);
}

static const struct online_row {
	int line;
	const char *stat; /* /proc/stat, where /sys does not tell */
	size_t size;
	const char *list; /* NULL: @ret */
	int ret;
} online_rows[] = {
	{ __LINE__, "cpu  1 2 3\ncpu0 1 2 3\ncpu1 1 2 3\nintr 9\n", 64, "0-1", 0 },
	{ __LINE__, "cpu  1\ncpu0 1\ncpu2 1\ncpu3 1\ncpu10 1\n", 64, "0,2-3,10", 0 },
	{ __LINE__, "cpu  1\ncpu1 1", 64, "1", 0 },
	{ __LINE__, "cpu1 1\ncpu2 1\ncpu4 1\n", 5, NULL, -E2BIG },
	/* That of another machine says nothing: one CPU is sure. */
	{ __LINE__, "cpu  1\ncpux\nctxt 7\n", 64, "0", 0 },
};

TEST(on_line)
{
	TT_FOR_EACH_ROW(r, online_rows) {
		char list[64];
		int ret;

		write_text("/proc/stat", r->stat);
		ret = nti_os_online(os, list, r->size);
		TT_EQ(r, ret, r->list ? (int)strlen(r->list) : r->ret);
		if (r->list)
			TT_STR(r, list, r->list);
	}
	write_text("/sys/devices/system/cpu/online", "0-3\n");
	TT_IS(nti_os_online(os, (char[64]){ 0 }, 64), 3);
}

static const struct list_row {
	int line;
	const char *path, *stop;
	int ret;
	const char *seen;
} list_rows[] = {
	{ __LINE__, "/sys/many", "", 0, ".hidden cpu1 cpu10 cpu2 " },
	{ __LINE__, "/sys/many", "cpu10", 7, ".hidden cpu1 cpu10 " },
	{ __LINE__, "/sys/none", "", 0, "" },
	{ __LINE__, "/sys/missing", "", -ENOENT, "" },
	{ __LINE__, "/sys/online", "", -ENOTDIR, "" },
};

struct seen {
	const char *stop;
	char names[256];
};

static int append(void *arg, const char *name)
{
	struct seen *seen = arg;
	size_t used = strlen(seen->names);

	(void)snprintf(seen->names + used, sizeof(seen->names) - used, "%s ", name);
	return strcmp(name, seen->stop) == 0 ? 7 : 0;
}

TEST(lists)
{
	TT_FOR_EACH_ROW(r, list_rows) {
		struct seen seen = { .stop = r->stop };

		TT_EQ(r, os->ops->list(os, r->path, append, &seen), r->ret);
		TT_STR(r, seen.names, r->seen);
	}
}

static const struct link_row {
	int line;
	const char *path;
	size_t size;
	int ret;
	const char *target;
} link_rows[] = {
	{ __LINE__, "/sys/link", 64, 14, "../devices/cpu" },
	{ __LINE__, "/sys/link", 15, 14, "../devices/cpu" },
	{ __LINE__, "/sys/link", 14, -E2BIG, NULL },
	{ __LINE__, "/sys/dangling", 64, 7, "nowhere" },
	{ __LINE__, "/sys/online", 64, -EINVAL, NULL },
	{ __LINE__, "/sys/missing", 64, -ENOENT, NULL },
};

TEST(links)
{
	TT_FOR_EACH_ROW(r, link_rows) {
		char buf[64];

		TT_EQ(r, os->ops->link(os, r->path, buf, r->size), r->ret);
		if (r->target)
			TT_STR(r, buf, r->target);
	}
}

static unsigned int mode_of(int fd)
{
	struct stat st;

	TT_IS(fstat(fd, &st), 0);
	return (unsigned int)st.st_mode & 07777;
}

/* Nobody writes into the pipe, and no file of this machine is one of the tree. */
TEST(strangers_trees)
{
	char path[PATH_MAX], buf[64];

	(void)snprintf(path, sizeof(path), "%s/sys/pipe", root);
	TT_IS(mkfifo(path, 0600), 0);
	TT_IS(os->ops->text(os, "/sys/pipe", buf, sizeof(buf)), -EINVAL);
	TT_IS(os->ops->open(os, "/sys/pipe", O_RDONLY), -EINVAL);
	TT_IS(os->ops->text(os, "/sys/many", buf, sizeof(buf)), -EISDIR);
	make_link("/sys/out", "/etc/passwd");
	TT_IS(os->ops->text(os, "/sys/out", buf, sizeof(buf)), -ENOENT);
	make_link("/sys/up", "../../../../../../etc");
	TT_IS(os->ops->text(os, "/sys/up/passwd", buf, sizeof(buf)), -ENOENT);
	TT_IS(os->ops->access(os, "/sys/up", F_OK), -ENOENT);
	(void)snprintf(path, sizeof(path), "%s/etc", root);
	TT_IS(mkdir(path, 0700), 0);
	write_text("/etc/passwd", "theirs");
	TT_IS(os->ops->text(os, "/sys/out", buf, sizeof(buf)), 6);
	TT_IS(os->ops->text(os, "/sys/up/passwd", buf, sizeof(buf)), 6);
	TT_IS(strcmp(buf, "theirs"), 0);
}

TEST(directories)
{
	mode_t mask = umask(077);
	int fd;

	TT_IS(os->ops->directory(os, "/run/ours", false), -ENOENT);
	fd = os->ops->directory(os, "/run/ours", true);
	assert_true(fd >= 0);
	/* Whatever the umask: others may look. */
	TT_IS(mode_of(fd), 0755);
	TT_IS(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	TT_IS(fchmod(fd, 0700), 0);
	os->ops->close(os, fd);
	/* One that is there stays as it is. */
	fd = os->ops->directory(os, "/run/ours", true);
	TT_IS(mode_of(fd), 0700);
	os->ops->close(os, fd);
	make_link("/run/link", "ours");
	TT_IS(os->ops->directory(os, "/run/link", true), -ENOTDIR);
	write_text("/run/file", "");
	TT_IS(os->ops->directory(os, "/run/file", true), -ENOTDIR);
	TT_IS(os->ops->directory(os, "/run/file/x", true), -ENOTDIR);
	TT_IS(os->ops->directory(os, "/a/b/c", true), -ENOENT);
	(void)umask(mask);
}

TEST(access_and_exists)
{
	TT_IS(os->ops->access(os, "/sys/online", R_OK | W_OK), 0);
	TT_IS(os->ops->access(os, "/sys/online", F_OK), 0);
	TT_IS(os->ops->access(os, "/sys/missing", F_OK), -ENOENT);
	TT_IS(os->ops->access(os, "/sys/dangling", F_OK), -ENOENT);
	/* Nobody may run it, root included: no x bit is set. */
	TT_IS(os->ops->access(os, "/sys/online", X_OK), -EACCES);
	TT_IS(nti_os_exists(os, "/sys/many/cpu%d", 10), true);
	TT_IS(nti_os_exists(os, "/sys/many/cpu%d", 11), false);
}

/* A root without permission for others: only somebody who is not root can be refused. */
TEST(refused)
{
	char full[PATH_MAX], buf[8];

	if (geteuid() == 0) {
		print_message("# root may read everything\n");
		skip();
	}
	(void)snprintf(full, sizeof(full), "%s/sys/type", root);
	TT_IS(chmod(full, 0), 0);
	TT_IS(os->ops->text(os, "/sys/type", buf, sizeof(buf)), -EACCES);
	TT_IS(os->ops->access(os, "/sys/type", R_OK), -EACCES);
	TT_IS(chmod(full, 0644), 0);
}

/* Names that do not fit are refused, not cut: a cut name may be another file. */
TEST(long_names)
{
	static char path[PATH_MAX], long_root[PATH_MAX + 1];
	struct nti_os *other = os;
	char buf[8];
	int fd;

	memset(path, 'a', sizeof(path) - 1);
	path[0] = '/';
	TT_IS(os->ops->text(os, path, buf, sizeof(buf)), -ENAMETOOLONG);
	TT_IS(os->ops->list(os, path, append, NULL), -ENAMETOOLONG);
	TT_IS(os->ops->link(os, path, buf, sizeof(buf)), -ENAMETOOLONG);
	TT_IS(os->ops->access(os, path, F_OK), -ENAMETOOLONG);
	TT_IS(nti_os_exists(os, "%s%s", path, path), false);
	fd = os->ops->open(os, path, O_RDONLY);
	TT_IS(fd, -ENAMETOOLONG);
	memset(long_root, 'r', PATH_MAX);
	TT_IS(nti_os_linux_new(long_root, &other), -ENAMETOOLONG);
	assert_null(other);
}

TEST(descriptors)
{
	char buf[8] = "";
	void *map;
	int fd = os->ops->open(os, "/sys/type", O_RDWR);

	assert_true(fd >= 0);
	/* A command that is started must not inherit it. */
	TT_IS(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	TT_IS(os->ops->read(os, fd, buf, sizeof(buf)), 3);
	TT_TEXT(buf, "42\n");
	TT_IS(os->ops->read(os, fd, buf, sizeof(buf)), 0);
	TT_IS(os->ops->pread(os, fd, buf, 1, 1), 1);
	TT_IS(buf[0], '2');
	TT_IS(os->ops->pwrite(os, fd, "7", 1, 1), 1);
	TT_IS(os->ops->map(os, fd, 4096, &map), 0);
	TT_IS(memcmp(map, "47\n", 3), 0);
	os->ops->unmap(os, map, 4096);
	os->ops->unmap(os, NULL, 4096);
	TT_IS(os->ops->ioctl(os, fd, 0, 0), -ENOTTY);
	os->ops->close(os, fd);
	os->ops->close(os, -1);
	TT_IS(os->ops->read(os, fd, buf, sizeof(buf)), -EBADF);
	TT_IS(os->ops->pread(os, fd, buf, 1, 0), -EBADF);
	TT_IS(os->ops->pwrite(os, fd, buf, 1, 0), -EBADF);
	TT_IS(os->ops->map(os, fd, 4096, &map), -EBADF);
	assert_null(map);
	TT_IS(os->ops->open(os, "/sys/missing", O_RDONLY), -ENOENT);
	write_text("/sys/type", "42\n");
}

TEST(clocks)
{
	uint64_t first = os->ops->now_ns(os), ticks;

	assert_true(first > 0);
	assert_true(os->ops->now_ns(os) >= first);
	/* They are this machine's, and the tree is of another. */
	TT_IS(os->ops->tsc(os, &ticks), -ENOTSUP);
}

static const struct processor_row {
	int line;
	const char *text, *arch;
	uint32_t version, features; /* of CPUID's leaf 1: EAX, ECX; 0: no CPUID */
} processor_rows[] = {
	{ __LINE__,
	  "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: X 9\n"
	  "stepping\t: 7\nflags\t\t: fpu lm tsc hypervisor\n",
	  "x86_64", 0x50657, 1u << 31 },
	{ __LINE__,
	  "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t: 17\nstepping\t: 1\nflags\t: fpu "
	  "lm "
	  "tsc\n",
	  "x86_64", 0xa10f11, 0 },
	{ __LINE__, "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t: 15\nflags\t: fpu tsc\n",
	  "i686", 0x6f0, 0 },
	{ __LINE__, "vendor_id       : IBM/S390\n# processors    : 4\n", "s390x", 0, 0 },
	{ __LINE__, "CPU implementer\t: 0x41\nCPU architecture: 8\n", "aarch64", 0, 0 },
	{ __LINE__, "CPU architecture: 7\n", "armv7l", 0, 0 },
	{ __LINE__, "cpu\t\t: POWER9, altivec supported\n", "ppc64", 0, 0 },
	{ __LINE__, "cpu             : TI UltraSparc II\n", "sparc64", 0, 0 },
	{ __LINE__, "isa\t\t: rv64imafdc\n", "riscv64", 0, 0 },
	{ __LINE__, "", "unknown", 0, 0 },
};

/* Of a tree nothing is known of the processor but what its files tell. */
TEST(processors)
{
	uint32_t r[4] = { 1, 2, 3, 4 };

	TT_IS(os->ops->cpuid(os, 0, 0, r), -ENOTSUP);
	TT_IS(r[0] | r[1] | r[2] | r[3], 0);
	TT_FOR_EACH_ROW(row, processor_rows) {
		int ret = nti_cpuinfo_cpuid(row->text, 1, r);

		TT_EQ(row, ret, row->version ? 0 : -ENOTSUP);
		TT_EQ(row, r[0], row->version);
		TT_EQ(row, r[2], row->features);
		TT_STR(row, nti_cpuinfo_arch(os, row->text), row->arch);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),	   cmocka_unit_test(lines),
		cmocka_unit_test(numbers),	   cmocka_unit_test(lists),
		cmocka_unit_test(links),	   cmocka_unit_test(access_and_exists),
		cmocka_unit_test(refused),	   cmocka_unit_test(long_names),
		cmocka_unit_test(descriptors),	   cmocka_unit_test(clocks),
		cmocka_unit_test(processors),	   cmocka_unit_test(directories),
		cmocka_unit_test(packages),	   cmocka_unit_test(on_line),
		cmocka_unit_test(strangers_trees),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) ? 1 : 0;
}
