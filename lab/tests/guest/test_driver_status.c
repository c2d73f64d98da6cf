// SPDX-License-Identifier: MIT
/*
 * What the file "status" tells whom: a program cannot write lines into it by its name, and who may
 * not know of a process learns neither its name nor its number.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/file.h"

#define STATUS NTIME_FS_PATH "/status"

/* ---- reading it ---- */

struct text {
	char all[8192];
};

static long read_status(struct text *text)
{
	ssize_t bytes = lab_read(STATUS, text->all, sizeof(text->all));

	return bytes < 0 ? bytes : 0;
}

static long lines_that_begin(const struct text *text, const char *with)
{
	long count = 0;

	for (const char *at = text->all; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
		count += strncmp(at, with, strlen(with)) == 0;
	return count;
}

/* ---- names ---- */

static const struct name_row {
	int line;
	const char *name, *shown;
} name_rows[] = {
	{ __LINE__, "plain name", "plain name" },
	{ __LINE__, "x\nopen: 99\n", "x\\012open: 99\\012" },
	{ __LINE__, "\033[2Jred", "\\033[2Jred" },
	{ __LINE__, "\xff\xc3\xa9", "\\377\\303\\251" },
	{ __LINE__, "a), pid 1\\", "a\\051\\054 pid 1\\134" },
	{ __LINE__, "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14",
	  "\\001\\002\\003\\004\\005\\006\\007\\010\\016\\017\\020\\021\\022\\023\\024" },
};

TEST(names_are_escaped)
{
	const struct lab_pair *pair = lab_need_pair();
	static struct text text;
	char expected[256];

	TT_FOR_EACH_ROW(r, name_rows) {
		int fd;

		TT_EQ(r, prctl(PR_SET_NAME, r->name), 0);
		fd = LAB_OPEN(pair->control, O_WRONLY);
		TT_EQ(r, lab_reg_open(pair->control, O_WRONLY), -EBUSY);
		LAB_GOOD(read_status(&text));
		TT_EQ(r, lines_that_begin(&text, "open: "), 1);
		TT_EQ(r, lines_that_begin(&text, "writer: "), 1);
		TT_EQ(r, lines_that_begin(&text, "last refusal: "), 1);
		(void)snprintf(expected, sizeof(expected), " pid %d %s\n", getpid(), r->shown);
		tt_has_(text.all, expected, "writer", __FILE__, r->line);
		(void)snprintf(expected, sizeof(expected), "(error %d, %s, pid %d)\n", EBUSY,
			       r->shown, getpid());
		tt_has_(text.all, expected, "last refusal", __FILE__, r->line);
		(void)close(fd);
	}
}

/* ---- who may know ---- */

/*
 * Does the caller learn who the writer is, and who was refused? 2 for both, 0 for none, else
 * something is half told.
 */
static long is_told(void *arg)
{
	static struct text text;
	long ret = read_status(&text), told;

	(void)arg;
	if (ret < 0)
		return ret;
	if (lines_that_begin(&text, "writer: ") != 1 ||
	    lines_that_begin(&text, "last refusal: ") != 1)
		return -ENODATA;
	told = !!strstr(strstr(text.all, "\nwriter: "), " pid ");
	told += !!strstr(strstr(text.all, "\nlast refusal: "), ", pid ");
	/* The name alone would tell as much. */
	if (told < 2 && strstr(text.all, "private"))
		return -EPROTO;
	return told;
}

struct holder {
	const char *reg;
	uid_t uid;
	bool is_secretive;
};

static long hold_and_be_refused(void *arg)
{
	const struct holder *h = arg;
	int fd;

	if (setgroups(0, NULL) < 0 || setgid(h->uid) < 0 || setuid(h->uid) < 0)
		return -errno;
	/* setuid(2) made it so; a program that is started is as this. */
	if (prctl(PR_SET_NAME, "private") < 0 || prctl(PR_SET_DUMPABLE, !h->is_secretive) < 0)
		return -errno;
	fd = lab_reg_open(h->reg, O_WRONLY);
	if (fd < 0)
		return fd;
	if (lab_reg_open(h->reg, O_WRONLY) != -EBUSY)
		return -ENODATA;
	lab_be_ready_and_wait();
}

static const struct knowledge_row {
	int line;
	const char *what;
	struct lab_user reader;
	uid_t holder;
	bool is_secretive;
	long told;
} knowledge_rows[] = {
	{ __LINE__, "root and a stranger's", { 0, 0, -1 }, 1000, false, 2 },
	{ __LINE__, "root and one that shows nothing", { 0, 0, -1 }, 1000, true, 2 },
	{ __LINE__, "a stranger and his own", { 1000, 1000, -1 }, 1000, false, 2 },
	{ __LINE__, "a stranger and a set-user-ID program", { 1000, 1000, -1 }, 1000, true, 0 },
	{ __LINE__, "a stranger and root's", { 1000, 1000, -1 }, 0, false, 0 },
	{ __LINE__, "a stranger and another's", { 1001, 1001, -1 }, 1000, false, 0 },
	{ __LINE__, "his user, another group", { 1000, 1001, -1 }, 1000, false, 0 },
};

TEST(who_may_know)
{
	const struct lab_pair *pair = lab_need_pair();

	lab_load_anew("", "mode=0666");
	TT_FOR_EACH_ROW(r, knowledge_rows) {
		struct holder h = { pair->control, r->holder, r->is_secretive };
		struct lab_process p;
		long told;

		print_message("# %s\n", r->what);
		LAB_GOOD(lab_spawn(&p, hold_and_be_refused, &h));
		told = lab_child(&r->reader, is_told, NULL);
		(void)lab_kill(&p);
		TT_EQ(r, told, r->told);
	}
}

/* What @fn returns in a namespace of processes of its own: root there, 100 for what is negative. */
static long in_namespace(long (*fn)(void *arg), void *arg)
{
	int status = -1;
	pid_t pid;

	if (unshare(CLONE_NEWPID) < 0)
		return -ENOSYS;
	pid = fork();
	if (pid == 0) {
		long ret = fn(arg);

		_exit(ret < 0 ? 100 : (int)ret);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return WEXITSTATUS(status);
}

/* It sees none that are outside. */
static long ask_in_namespace(void *unused)
{
	return in_namespace(is_told, unused);
}

TEST(processes_outside_have_no_number)
{
	struct holder h = { lab_need_pair()->control, 0, false };
	struct lab_process p;
	long told;

	LAB_GOOD(lab_spawn(&p, hold_and_be_refused, &h));
	told = lab_child(&lab_root, ask_in_namespace, NULL);
	(void)lab_kill(&p);
	if (told == -ENOSYS)
		TT_SKIP("this guest's kernel has no namespaces of processes");
	TT_IS(told, 0);
}

/* The number is the reader's: who holds it himself finds himself. */
static long find_myself(void *arg)
{
	static struct text text;
	char mine[64];
	int fd = lab_reg_open(arg, O_WRONLY);

	if (fd < 0)
		return fd;
	if (read_status(&text) < 0)
		return -EIO;
	(void)snprintf(mine, sizeof(mine), " pid %d ", getpid());
	return strstr(text.all, mine) ? getpid() : -ENODATA;
}

static long find_myself_in_namespace(void *reg)
{
	return in_namespace(find_myself, reg);
}

TEST(numbers_are_the_readers)
{
	long ret = lab_child(&lab_root, find_myself_in_namespace, lab_need_pair()->control);

	if (ret == -ENOSYS)
		TT_SKIP("this guest's kernel has no namespaces of processes");
	TT_IS(ret, 1); /* the first process of the namespace */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(names_are_escaped),
		LAB_DRIVER_TEST(who_may_know),
		LAB_DRIVER_TEST(processes_outside_have_no_number),
		LAB_DRIVER_TEST(numbers_are_the_readers),
		LAB_DRIVER_LAST,
	};

	return LAB_DRIVER_RUN(tests);
}
