// SPDX-License-Identifier: MIT
/* cli/output/file.h: files that appear complete or not at all. */
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/file.h"
#include "tests/tt.h"

static char directory[] = "/tmp/ntime-output-XXXXXX";

static int enter(void **state)
{
	(void)state;
	return !mkdtemp(directory) || chdir(directory);
}

static int leave(void **state)
{
	(void)state;
	return chdir("/") || rmdir(directory);
}

static const char *content(const char *path)
{
	static char text[256];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static size_t files(void)
{
	DIR *d = opendir(".");
	size_t n = 0;

	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(d);
	return n;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

TEST(appears_at_the_end)
{
	struct cli_output o;
	struct stat st;

	TT_IS(cli_output_open(&o, "new", false), 0);
	fputs("hello\n", o.f);
	TT_IS(cli_output_flush(&o), 0);
	assert_null(content("new"));
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(content("new"), "hello\n");
	TT_IS(files(), 1);
	/* as open(2) would have made it, not with the 0600 of mkstemp(3) */
	TT_IS(stat("new", &st), 0);
	TT_IS(st.st_mode & 0777 & ~0022, 0644 & ~0022);
	unlink("new");
}

TEST(old_file_stays_when_it_is_abandoned)
{
	struct cli_output o;

	put("old", "old\n");
	TT_IS(cli_output_open(&o, "old", false), 0);
	fputs("half", o.f);
	cli_output_abandon(&o);
	TT_TEXT(content("old"), "old\n");
	TT_IS(files(), 1);
	unlink("old");
}

TEST(mode_of_a_replaced_file_stays)
{
	struct cli_output o;
	struct stat st;

	put("old", "old\n");
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

	put("real", "old\n");
	TT_IS(symlink("real", "link"), 0);
	TT_IS(cli_output_open(&o, "link", false), 0);
	fputs("new\n", o.f);
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(content("real"), "new\n");
	lstat("link", &st);
	assert_true(S_ISLNK(st.st_mode));
	unlink("real");
	/* Where it leads to nothing, neither it nor what it names appears. */
	TT_IS(cli_output_open(&o, "link", false), -ENOENT);
	lstat("link", &st);
	assert_true(S_ISLNK(st.st_mode));
	unlink("link");
}

TEST(appending)
{
	struct cli_output o;

	put("log", "one\n");
	TT_IS(cli_output_open(&o, "log", true), 0);
	fputs("two\n", o.f);
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(content("log"), "one\ntwo\n");
	TT_IS(files(), 1);
	unlink("log");
	TT_IS(cli_output_open(&o, "log", true), 0);
	fputs("first\n", o.f);
	TT_IS(cli_output_close(&o), 0);
	TT_TEXT(content("log"), "first\n");
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
		TT_EQ(r, files(), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appears_at_the_end),
		cmocka_unit_test(old_file_stays_when_it_is_abandoned),
		cmocka_unit_test(mode_of_a_replaced_file_stays),
		cmocka_unit_test(links_are_followed),
		cmocka_unit_test(appending),
		cmocka_unit_test(full_device),
		cmocka_unit_test(bad_places),
	};

	/* sentences about failures are expected; TAP goes to stdout */
	return cmocka_run_group_tests(tests, enter, leave) ? 1 : 0;
}
