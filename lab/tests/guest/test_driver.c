// SPDX-License-Identifier: MIT
/*
 * The driver's tree and its files are what include/uapi/ntime.h says: shape, names, forms, one
 * writer, masks, restoring, permissions, mappings, and that nothing but rows can be reached. Runs
 * in every guest; what a guest lacks is skipped with the reason.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/regs/regs.h"
#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

/* ---- the tree ---- */

TEST(file_system_is_what_it_says)
{
	struct statfs fs;
	struct stat st;

	LAB_GOOD(statfs(NTIME_FS_PATH, &fs));
	TT_IS(fs.f_type, NTIME_FS_MAGIC);
	LAB_GOOD(stat(NTIME_FS_PATH, &st));
	assert_true(S_ISDIR(st.st_mode));
	LAB_GOOD(stat(NTIME_FS_PATH "/status", &st));
	TT_IS(st.st_mode, S_IFREG | 0444);
}

static bool is_numbered(const char *name, const char *stem)
{
	size_t length = strlen(stem);

	return strncmp(name, stem, length) == 0 && name[length] &&
	       strspn(name + length, "0123456789") == strlen(name + length);
}

/* A folder's names, one after the other; "" when there is no more. */
static DIR *listing(const char *folder)
{
	char path[LAB_FILE];
	DIR *dir = opendir(lab_reg_path(folder, path));

	if (!dir)
		fail_msg("%s: %s", path, strerror(errno));
	return dir;
}

static const char *next_name(DIR *dir)
{
	struct dirent *entry;

	do
		entry = readdir(dir);
	while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry ? entry->d_name : "";
}

static void check_core(const char *core)
{
	static const char *const known[] = { "msr", "pmc",    "intel", "amd",	"perf",	 "local",
					     "arm", "sysreg", "cp15",  "pmsel", "uncore" };
	char path[LAB_PATH], file[LAB_FILE], target[64] = "";
	DIR *dir = listing(core);
	const char *name;

	while (*(name = next_name(dir))) {
		size_t i = 0;

		while (i < sizeof(known) / sizeof(known[0]) && strcmp(known[i], name) != 0)
			i++;
		if (i == sizeof(known) / sizeof(known[0]))
			fail_msg("%s/%s: no such folder is known", core, name);
	}
	(void)closedir(dir);
	(void)snprintf(path, sizeof(path), "%s/local", core);
	TT_IS(lab_reg_is_here(path), true);
	dir = listing(path);
	TT_TEXT(next_name(dir), "");
	(void)closedir(dir);
	(void)snprintf(path, sizeof(path), "%s/uncore", core);
	if (readlink(lab_reg_path(path, file), target, sizeof(target) - 1) > 0) {
		assert_true(strncmp(target, "../uncore", 9) == 0);
		TT_IS(access(file, F_OK), 0);
	}
}

TEST(tree_shows_this_machine)
{
	unsigned int cores = 0;
	DIR *root = listing("");
	const char *name;
	char core[32];

	while (*(name = next_name(root))) {
		cores += is_numbered(name, "core");
		if (!is_numbered(name, "core") && !is_numbered(name, "uncore") &&
		    !is_numbered(name, "gpu") && !is_numbered(name, "device") &&
		    strcmp(name, "status") != 0)
			fail_msg("%s: nothing in the root is called so", name);
	}
	(void)closedir(root);
	for (unsigned int cpu = 0; cpu < lab_cpus(); cpu++) {
		(void)snprintf(core, sizeof(core), "core%u", cpu);
		if (lab_reg_is_here(core))
			check_core(core);
	}
	if (!cores)
		TT_SKIP("no CPU of this guest has a register with a row");
	TT_IS(cores, sysconf(_SC_NPROCESSORS_ONLN));
}

/*
 * Each file is an instance of a row, in its place and named by its address; its mode says whether
 * the row may be written.
 */
TEST(only_rows_exist)
{
	struct lab_rows rows;

	LAB_GOOD(lab_rows_take(&rows));
	for (size_t i = 0; i < rows.count; i++) {
		const struct lab_row *r = &rows.rows[i];
		const char *base = strrchr(r->path, '/') + 1;
		const struct nthw_reg *row = r->reg;
		uint32_t address;
		char text[32];

		if (!row)
			fail_msg("%s (%s) has no row", r->path, r->name);
		address = nthw_reg_addr(row, r->index);
		if (row->space == NTHW_SPACE_PCI)
			(void)snprintf(text, sizeof(text), "0x%03x", address);
		else if (row->space == NTHW_SPACE_MMIO)
			(void)snprintf(text, sizeof(text), "0x%06x", address);
		else
			(void)snprintf(text, sizeof(text), "0x%x", address);
		TT_TEXT(base, text);
		if ((strncmp(r->path, "core", 4) == 0) != (nthw_reg_listed(row) == NTHW_SCOPE_CPU))
			fail_msg("%s (%s) is in the wrong unit", r->path, r->name);
		if (!!(r->mode & 0222) != (nthw_reg_settable(row) || nthw_reg_clearable(row)))
			fail_msg("%s (%s) has mode %o", r->path, r->name, r->mode);
		TT_IS(r->mode & 0111, 0);
		if (nthw_reg_is_readable(row))
			TT_IS(r->mode & 0444, 0400);
		/* What a row says cannot be told reads as an error, the rest as a number. */
		if (nthw_reg_is_readable(row) && r->error && r->error != -EIO)
			fail_msg("%s (%s) reads as error %d", r->path, r->name, r->error);
	}
	print_message("# %zu files\n", rows.count);
	lab_rows_free(&rows);
	TT_IS(lab_reg_open("core0/msr/0x1b", O_RDONLY), -ENOENT);
	TT_IS(lab_reg_open("core0/msr/0x38D", O_RDONLY), -ENOENT);
	TT_IS(lab_reg_open("core0/msr/0x038d", O_RDONLY), -ENOENT);
	TT_IS(lab_reg_open("core4096/msr/0x10", O_RDONLY), -ENOENT);
}

/* Upper bits of a register narrower than 64 bits are 0, in text and in binary. */
TEST(results_have_64_bits)
{
	struct lab_rows rows;
	unsigned int narrow = 0;

	LAB_GOOD(lab_rows_take(&rows));
	for (size_t i = 0; i < rows.count; i++) {
		const struct lab_row *r = &rows.rows[i];
		const struct nthw_reg *row = r->reg;
		struct ntime_page page;
		uint64_t value = UINT64_MAX;
		int fd;

		if (!row || row->bits >= 64 || r->error)
			continue;
		narrow++;
		TT_IS(r->value >> row->bits, 0);
		fd = LAB_OPEN(r->path, O_RDONLY);
		LAB_GOOD(lab_fd_describe(fd, &page));
		LAB_GOOD(lab_fd_value(fd, &value));
		TT_IS(value >> row->bits, 0);
		if (!lab_row_moves(r->name))
			TT_IS(value, r->value);
		(void)close(fd);
	}
	lab_rows_free(&rows);
	print_message("# %u registers narrower than 64 bits\n", narrow);
	if (!narrow)
		TT_SKIP("all registers here have 64 bits");
}

static void check_link(const char *folder, const char *name)
{
	char path[LAB_PATH], file[LAB_FILE], target[128] = "", again[LAB_PATH];
	struct stat link, to;
	struct ntime_page page;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (readlink(lab_reg_path(path, file), target, sizeof(target) - 1) < 0)
		fail_msg("%s is no symbolic link: %s", path, strerror(errno));
	if (strncmp(target, "../", 3) != 0)
		fail_msg("%s leads to %s", path, target);
	LAB_GOOD(stat(file, &to));
	(void)snprintf(again, sizeof(again), "%.*s%s", (int)(strrchr(folder, '/') - folder + 1),
		       folder, target + 3);
	LAB_GOOD(stat(lab_reg_path(again, file), &link));
	TT_IS(link.st_ino, to.st_ino);
	/* Only what can be read says what it is. */
	if (lab_reg_describe(path, &page) == 0 && !strstr(folder, "/perf"))
		TT_TEXT(page.name, name);
}

TEST(names_lead_to_registers)
{
	static const char *const folders[] = { "intel", "amd", "arm", "perf" };
	unsigned int links = 0;

	for (unsigned int cpu = 0; cpu < lab_cpus(); cpu++)
		for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
			char folder[64];
			const char *name;
			DIR *dir;

			(void)snprintf(folder, sizeof(folder), "core%u/%s", cpu, folders[i]);
			if (!lab_reg_is_here(folder))
				continue;
			dir = listing(folder);
			while (*(name = next_name(dir))) {
				check_link(folder, name);
				links++;
			}
			(void)closedir(dir);
		}
	print_message("# %u names\n", links);
	if (!links)
		TT_SKIP("no CPU of this guest has a register with a row");
}

/* Below pmc/ are the same files again, by the number that the counter's instruction wants. */
TEST(counters_have_a_second_place)
{
	char path[LAB_PATH], file[LAB_FILE];
	struct ntime_page page;
	struct stat st, other;
	unsigned int counters = 0;
	const char *name;
	DIR *dir;

	if (!lab_reg_is_here("core0/pmc"))
		TT_SKIP("no counter here has an instruction");
	dir = listing("core0/pmc");
	while (*(name = next_name(dir))) {
		(void)snprintf(path, sizeof(path), "core0/pmc/%s", name);
		LAB_GOOD(lab_reg_describe(path, &page));
		LAB_GOOD(lstat(lab_reg_path(path, file), &st));
		assert_true(S_ISREG(st.st_mode));
		assert_true(st.st_nlink >= 2);
		(void)snprintf(path, sizeof(path), "core0/%s/0x%llx",
			       lab_reg_is_here("core0/msr")	 ? "msr"
			       : lab_reg_is_here("core0/sysreg") ? "sysreg"
			       : lab_reg_is_here("core0/pmsel") && !is_numbered(name, "fixed")
				       ? "pmsel"
				       : "cp15",
			       (unsigned long long)page.address);
		LAB_GOOD(stat(lab_reg_path(path, file), &other));
		TT_IS(st.st_ino, other.st_ino);
		counters++;
	}
	(void)closedir(dir);
	assert_true(counters > 0);
	TT_IS(lab_reg_is_here("core0/pmc/0"), true);
}

TEST(nothing_else_can_be_made)
{
	char file[LAB_FILE], other[LAB_FILE];
	const char *reg = lab_any_register();

	assert_true(open(NTIME_FS_PATH "/new", O_CREAT | O_RDWR, 0600) < 0);
	assert_true(mkdir(NTIME_FS_PATH "/new", 0700) < 0);
	assert_true(symlink("status", NTIME_FS_PATH "/new") < 0);
	assert_true(mknod(NTIME_FS_PATH "/new", S_IFCHR | 0600, 0x103) < 0);
	assert_true(unlink(lab_reg_path(reg, file)) < 0);
	assert_true(unlink(NTIME_FS_PATH "/status") < 0);
	assert_true(rename(file, NTIME_FS_PATH "/new") < 0);
	assert_true(link(file, NTIME_FS_PATH "/new") < 0);
	*strrchr(strcpy(other, file), '/') = '\0';
	assert_true(rmdir(other) < 0);
	assert_true(rename(other, NTIME_FS_PATH "/new") < 0);
	TT_IS(lab_reg_is_here("new"), false);
	TT_IS(lab_reg_is_here(reg), true);
	/* Writing has its own rules, and size is not one of them. */
	assert_true(truncate(file, 100) < 0 || access(file, F_OK) == 0);
}

/* ---- local ---- */

TEST(administrator_names_registers)
{
	char local[LAB_FILE], renamed[LAB_FILE], text[LAB_FILE], bad[LAB_FILE];
	const char *reg = lab_need_core();
	struct stat st, direct;

	lab_reg_path("core0/local/MINE", local);
	lab_reg_path("core0/local/OURS", renamed);
	(void)snprintf(text, sizeof(text), "../%s", reg + 6);
	LAB_CALL(symlink(text, local));
	assert_true(symlink(text, local) < 0 && errno == EEXIST);
	LAB_GOOD(stat(local, &st));
	LAB_GOOD(stat(lab_reg_path(reg, bad), &direct));
	TT_IS(st.st_ino, direct.st_ino);
	TT_IS(readlink(local, bad, sizeof(bad)), strlen(text));
	TT_IS(strncmp(bad, text, strlen(text)), 0);
	LAB_CALL(rename(local, renamed));
	assert_true(access(local, F_OK) < 0 && errno == ENOENT);
	TT_IS(access(renamed, R_OK), 0);
	/* Nothing but symbolic links, and they stay where they are. */
	assert_true(open(local, O_CREAT | O_RDWR, 0600) < 0);
	assert_true(mkdir(local, 0700) < 0);
	assert_true(mknod(local, S_IFIFO | 0600, 0) < 0);
	assert_true(link(renamed, local) < 0);
	assert_true(rename(renamed, NTIME_FS_PATH "/OURS") < 0);
	TT_IS(access(renamed, R_OK), 0);
	LAB_CALL(unlink(renamed));
	assert_true(lstat(renamed, &st) < 0 && errno == ENOENT);
	/* Even one that leads nowhere, or to itself. */
	LAB_CALL(symlink("MINE", local));
	assert_true(open(local, O_RDONLY) < 0 && errno == ELOOP);
	LAB_CALL(unlink(local));
}

/* Inodes are forgotten when nobody uses them; what was changed is not. */
TEST(permissions_outlive_inodes)
{
	const char *reg = lab_any_register();
	char file[LAB_FILE], folder[LAB_FILE], local[LAB_FILE];
	struct stat st, before;
	bool has_local = lab_reg_is_here("core0/local");

	*strrchr(strcpy(folder, lab_reg_path(reg, file)), '/') = '\0';
	LAB_GOOD(stat(file, &before));
	LAB_GOOD(chmod(file, 0440));
	LAB_GOOD(chown(file, 1000, 77));
	LAB_GOOD(chmod(folder, 0750));
	LAB_GOOD(chmod(NTIME_FS_PATH "/status", 0400));
	lab_reg_path("core0/local/MINE", local);
	if (has_local) {
		LAB_CALL(symlink("../nowhere", local));
		LAB_CALL(lchown(local, 1000, 77));
	}
	LAB_GOOD(lab_write("/proc/sys/vm/drop_caches", "2"));
	LAB_GOOD(stat(file, &st));
	TT_IS(st.st_mode, S_IFREG | 0440);
	TT_IS(st.st_uid, 1000);
	TT_IS(st.st_gid, 77);
	TT_IS(st.st_ino, before.st_ino);
	LAB_GOOD(stat(folder, &st));
	TT_IS(st.st_mode, S_IFDIR | 0750);
	LAB_GOOD(stat(NTIME_FS_PATH "/status", &st));
	TT_IS(st.st_mode, S_IFREG | 0400);
	if (!has_local)
		return;
	LAB_GOOD(lstat(local, &st));
	TT_IS(st.st_uid, 1000);
	TT_IS(st.st_gid, 77);
	LAB_CALL(unlink(local));
}

/* ---- text and binary ---- */

TEST(text_is_one_sample)
{
	const char *reg = lab_any_register();
	int fd = LAB_OPEN(reg, O_RDONLY);
	char whole[32], part[32];
	uint64_t value;
	ssize_t n;

	TT_IS(read(fd, whole, sizeof(whole)), 19);
	TT_IS(read(fd, part, sizeof(part)), 0);
	TT_IS(lseek(fd, 0, SEEK_SET), 0);
	/* Byte by byte: one sample, however long it takes. */
	for (n = 0; n < 19; n++)
		TT_IS(read(fd, part + n, 1), 1);
	TT_IS(read(fd, part + n, 1), 0);
	TT_IS(part[0] == '0' && part[1] == 'x' && part[18] == '\n', true);
	/* From the middle: the rest of it. */
	TT_IS(pread(fd, whole, sizeof(whole), 17), 2);
	TT_IS(whole[1], '\n');
	TT_IS(pread(fd, whole, sizeof(whole), 19), 0);
	TT_IS(pread(fd, whole, sizeof(whole), 1 << 20), 0);
	assert_true(lseek(fd, -1, SEEK_SET) < 0 && errno == EINVAL);
	TT_IS(read(fd, NULL, 0), 0);
	LAB_GOOD(lab_fd_text(fd, &value));
	assert_true(pread(fd, lab_nowhere(), 19, 0) < 0 && errno == EFAULT);
}

/* The clock of this guest, if it has one that runs. */
static const char *clock_register(void)
{
	const char *tsc = "core0/msr/0x10";
	uint64_t a, b;

	return lab_reg_get(tsc, &a) == 0 && lab_reg_get(tsc, &b) == 0 && b > a ? tsc : NULL;
}

/* What comes later of a text is of the moment in which its beginning was read. */
TEST(text_is_of_the_moment_of_its_beginning)
{
	const char *reg = clock_register();
	char text[32] = "";
	uint64_t before, between, after;
	int fd;

	if (!reg)
		TT_SKIP("no register of this guest is a running clock");
	fd = LAB_OPEN(reg, O_RDONLY);
	LAB_GOOD(lab_reg_get(reg, &before));
	TT_IS(read(fd, text, 1), 1);
	LAB_GOOD(lab_reg_get(reg, &between));
	TT_IS(read(fd, text + 1, sizeof(text) - 1), 18);
	after = strtoull(text, NULL, 16);
	assert_true(before < after && after < between);
	/* From the beginning again: a new one. */
	TT_IS(lseek(fd, 0, SEEK_SET), 0);
	TT_IS(read(fd, text, sizeof(text)), 19);
	assert_true(strtoull(text, NULL, 16) > between);
}

/* readv and a buffer that is longer than all. */
TEST(text_comes_in_pieces)
{
	int fd = LAB_OPEN(lab_any_register(), O_RDONLY);
	char a[2], b[16], c[100];
	struct iovec v[] = { { a, 2 }, { b, 16 }, { c, 100 } };

	TT_IS(readv(fd, v, 3), 19);
	TT_IS(a[0] == '0' && a[1] == 'x' && c[0] == '\n', true);
}

TEST(mapping_switches_to_binary)
{
	const char *reg = lab_any_register();
	int fd = LAB_OPEN(reg, O_RDONLY);
	int text = LAB_OPEN(reg, O_RDONLY), same = dup(fd);
	struct ntime_page page, again;
	uint64_t value[4] = { 0 }, plain;
	char few[7];

	LAB_GOOD(lab_fd_text(fd, &plain));
	LAB_GOOD(lab_fd_describe(fd, &page));
	TT_IS(page.size, sizeof(page));
	/* As often as wanted, at any offset, no end. */
	for (unsigned int i = 0; i < 1000; i++)
		TT_IS(read(fd, value, 8), 8);
	TT_IS(pread(fd, value, 8, 3), 8);
	TT_IS(pread(fd, value, 8, 1 << 20), 8);
	if (!lab_row_moves(page.name))
		TT_IS(value[0], plain);
	/* One value a call; never a part of one. */
	TT_IS(pread(fd, value, sizeof(value), 0), 8);
	assert_true(pread(fd, few, sizeof(few), 0) < 0);
	/* dup(2) is the same open file, another open(2) is not. */
	TT_IS(read(same, value, 8), 8);
	LAB_GOOD(lab_fd_text(text, &plain));
	/* The description does not change. */
	LAB_GOOD(lab_fd_describe(fd, &again));
	TT_IS(memcmp(&page, &again, sizeof(page)), 0);
	LAB_GOOD(lab_reg_get(reg, &plain));
}

TEST(description_is_true)
{
	struct lab_rows rows;

	LAB_GOOD(lab_rows_take(&rows));
	for (size_t i = 0; i < rows.count; i++) {
		const struct lab_row *r = &rows.rows[i];
		const struct nthw_reg *row = r->reg;
		struct ntime_page page;

		assert_non_null(row);
		if (lab_reg_describe(r->path, &page) < 0) {
			TT_IS(nthw_reg_is_readable(row), false);
			continue;
		}
		TT_IS(page.size, sizeof(page));
		TT_IS(page.address, nthw_reg_addr(row, r->index));
		TT_IS(page.reserved[0] | page.reserved[1] | page.reserved[2], 0);
		assert_true(page.type <= NTIME_PAGE_TSC && page.width >= 1 && page.width <= 64);
		assert_true(page.width <= row->bits);
		/*
		 * Not pinned, which with one CPU everybody is: never the instruction of a counter.
		 */
		if (!lab_is_pinned(0))
			TT_IS(page.type == NTIME_PAGE_PMC, false);
		TT_IS(page.type == NTIME_PAGE_TSC,
		      row->space == NTHW_SPACE_MSR && row->addr == 0x10);
		if (strncmp(r->path, "core", 4) == 0)
			TT_IS(page.cpu, strtoul(r->path + 4, NULL, 10));
		if (page.type == NTIME_PAGE_MSR)
			TT_IS(row->space, NTHW_SPACE_MSR);
		TT_IS(page.type == NTIME_PAGE_MEMORY, row->space == NTHW_SPACE_MMIO);
		TT_IS(!!page.device, page.type == NTIME_PAGE_MEMORY);
	}
	lab_rows_free(&rows);
}

/* ---- mappings ---- */

static int try_map(int fd, size_t bytes, int protection, int flags, off_t offset)
{
	void *pages = mmap(NULL, bytes, protection, flags, fd, offset);

	if (pages == MAP_FAILED)
		return -errno;
	(void)munmap(pages, bytes);
	return 0;
}

TEST(only_readable_pages_are_mapped)
{
	const struct lab_pair *pair = lab_pair();
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)LAB_GOOD(pair ? lab_reg_open(pair->control, O_RDWR)
				    : lab_reg_open(lab_any_register(), O_RDONLY));
	struct lab_map map;

	TT_IS(try_map(fd, page, PROT_READ, MAP_SHARED, 0), 0);
	TT_IS(try_map(fd, page, PROT_READ, MAP_PRIVATE, 0), 0);
	TT_IS(try_map(fd, page, PROT_READ | PROT_WRITE, MAP_SHARED, 0), -EACCES);
	TT_IS(try_map(fd, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0), -EACCES);
	TT_IS(try_map(fd, page, PROT_WRITE, MAP_PRIVATE, 0), -EACCES);
	/* the file system is mounted noexec as well: either may say no */
	assert_true(try_map(fd, page, PROT_READ | PROT_EXEC, MAP_SHARED, 0) < 0);
	TT_IS(try_map(fd, 3 * page, PROT_READ, MAP_SHARED, 0), -EINVAL);
	TT_IS(try_map(fd, 2 * page, PROT_READ, MAP_SHARED, (off_t)page), -EINVAL);
	TT_IS(try_map(fd, page, PROT_READ, MAP_SHARED, (off_t)(2 * page)), -EINVAL);
	LAB_GOOD(lab_fd_map(fd, 1, &map));
	assert_true(mprotect(map.pages, page, PROT_READ | PROT_WRITE) < 0 && errno == EACCES);
	assert_true(mprotect(map.pages, page, PROT_READ | PROT_EXEC) < 0 && errno == EACCES);
	LAB_GOOD(mprotect(map.pages, page, PROT_NONE));
	LAB_GOOD(mprotect(map.pages, page, PROT_READ));
	TT_IS(((struct ntime_page *)(void *)map.pages)->size, sizeof(struct ntime_page));
	lab_unmap(&map);
}

/*
 * The mapping outlives its descriptor and cannot be written; where there is no device, its page is
 * SIGBUS.
 */
TEST(mapped_pages_cannot_be_written)
{
	int fd = LAB_OPEN(lab_any_register(), O_RDONLY);
	struct lab_map map;

	LAB_GOOD(lab_fd_map(fd, 2, &map));
	(void)close(fd);
	TT_IS(lab_signal(lab_do_load, map.pages), 0);
	TT_IS(lab_signal(lab_do_store, map.pages), SIGSEGV);
	if (!map.page.device) {
		TT_IS(lab_signal(lab_do_load, map.pages + map.bytes / 2), SIGBUS);
		TT_IS(lab_signal(lab_do_store, map.pages + map.bytes / 2), SIGSEGV);
	}
	TT_IS(((struct ntime_page *)(void *)map.pages)->size, sizeof(struct ntime_page));
	lab_unmap(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(file_system_is_what_it_says),
		LAB_DRIVER_TEST(tree_shows_this_machine),
		LAB_DRIVER_TEST(only_rows_exist),
		LAB_DRIVER_TEST(results_have_64_bits),
		LAB_DRIVER_TEST(names_lead_to_registers),
		LAB_DRIVER_TEST(counters_have_a_second_place),
		LAB_DRIVER_TEST(nothing_else_can_be_made),
		LAB_DRIVER_TEST(administrator_names_registers),
		LAB_DRIVER_TEST(permissions_outlive_inodes),
		LAB_DRIVER_TEST(text_is_one_sample),
		LAB_DRIVER_TEST(text_is_of_the_moment_of_its_beginning),
		LAB_DRIVER_TEST(text_comes_in_pieces),
		LAB_DRIVER_TEST(mapping_switches_to_binary),
		LAB_DRIVER_TEST(description_is_true),
		LAB_DRIVER_TEST(only_readable_pages_are_mapped),
		LAB_DRIVER_TEST(mapped_pages_cannot_be_written),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
