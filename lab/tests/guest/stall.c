// SPDX-License-Identifier: MIT
/*
 * Memory that comes when a stranger likes.
 *
 * The stranger is an ordinary user, for whom a file system is mounted whose program he is, as
 * fusermount(1) does for everybody. The file in it is handed to those who map it. A page that is
 * touched first is read from that program (FUSE_READ), which answers when it is told to. In a user
 * namespace he could mount it himself, but then the kernel asks nothing on behalf of users who are
 * not in it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/tests/guest/file.h"
#include "lab/tests/guest/stall.h"

#define PLACE "/tmp/stall"
#define NAME "pages"
#define FILE_NODE 2
/* until a child has done what it does, or is held; no result depends on how long it took */
#define PATIENCE_S 100
#define POLL_MS 10

/* Seen by all. */
static struct shared {
	atomic_int file; /* descriptor of the server's */
	atomic_uint held;
	atomic_bool is_over;
	unsigned int turns; /* lent memory is given after so many turns of the server at most */
	long ret[LAB_STALLS];
	atomic_bool has_ret[LAB_STALLS];
} * shared;

static struct lab_process server;
static struct lab_stalled *all;
static size_t all_count;

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* ---- the stranger's program ---- */

static int device = -1;
/* Requests to be answered in the end, or, of lent memory, after a while. */
static struct {
	uint64_t unique;
	size_t bytes;
	uint64_t turns; /* of lent memory: until it is given */
} waiting[LAB_STALLS];
static unsigned int waiting_count;

static void answer(uint64_t unique, int error, const void *body, size_t bytes)
{
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + bytes),
					.error = error,
					.unique = unique };
	struct iovec v[2] = { { &head, sizeof(head) }, { (void *)(uintptr_t)body, bytes } };

	(void)!writev(device, v, bytes ? 2 : 1);
}

static struct fuse_attr attributes(uint64_t node)
{
	struct fuse_attr a = { .ino = node, .nlink = 1, .blksize = 4096 };

	a.mode = node == FILE_NODE ? S_IFREG | 0666 : S_IFDIR | 0777;
	a.size = node == FILE_NODE ? LAB_STALLS * page_bytes() : 0;
	return a;
}

static void answer_page(unsigned int i)
{
	static uint8_t zeros[65536];

	answer(waiting[i].unique, 0, zeros, waiting[i].bytes);
	waiting[i] = waiting[--waiting_count];
}

static void answer_pages(void)
{
	while (waiting_count)
		answer_page(waiting_count - 1);
}

static void answer_some_pages(void)
{
	for (unsigned int i = waiting_count; i-- > 0;)
		if (waiting[i].turns-- == 0)
			answer_page(i);
}

static void wait_with_page(uint64_t unique, size_t bytes)
{
	if (waiting_count == LAB_STALLS)
		answer_page(0);
	waiting[waiting_count].unique = unique;
	waiting[waiting_count].bytes = bytes;
	waiting[waiting_count++].turns = shared->turns ? unique / 2 % shared->turns : 0;
	atomic_fetch_add(&shared->held, 1);
}

static void serve(const struct fuse_in_header *in, const void *body)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION,
				      .minor = 31,
				      .max_write = 4096,
				      .max_background = 64,
				      .congestion_threshold = 64 };
	struct fuse_entry_out entry = { .nodeid = FILE_NODE, .attr = attributes(FILE_NODE) };
	struct fuse_attr_out attr = { .attr = attributes(in->nodeid) };
	struct fuse_open_out open = { 0 };

	switch (in->opcode) {
	case FUSE_INIT:
		answer(in->unique, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		if (strcmp(body, NAME) == 0)
			answer(in->unique, 0, &entry, sizeof(entry));
		else
			answer(in->unique, -ENOENT, NULL, 0);
		break;
	case FUSE_GETATTR:
		answer(in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		answer(in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		wait_with_page(in->unique, ((const struct fuse_read_in *)body)->size);
		break;
	case FUSE_RELEASE:
		answer(in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default: /* FUSE_FLUSH too: then who ends does not wait for this program each time */
		answer(in->unique, -ENOSYS, NULL, 0);
	}
}

static void *server_loop(void *unused)
{
	static _Alignas(8) uint8_t request[65536 + 4096];
	struct pollfd p = { .fd = device, .events = POLLIN };

	(void)unused;
	for (;;) {
		if (atomic_load(&shared->is_over))
			answer_pages();
		else if (shared->turns)
			answer_some_pages();
		if (poll(&p, 1, POLL_MS) != 1)
			continue;
		if (read(device, request, sizeof(request)) >=
		    (ssize_t)sizeof(struct fuse_in_header))
			serve((const struct fuse_in_header *)request,
			      request + sizeof(struct fuse_in_header));
	}
	return NULL;
}

static int server_begin(void)
{
	char options[96];
	pthread_t thread;
	int ret, file;

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (device < 0)
		return -errno;
	(void)snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=%u,group_id=%u",
		       device, lab_stranger.uid, lab_stranger.gid);
	if (mount("stall", PLACE, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
		return -errno;
	ret = lab_become(&lab_stranger);
	if (ret < 0)
		return ret;
	ret = pthread_create(&thread, NULL, server_loop, NULL);
	if (ret)
		return -ret;
	file = open(PLACE "/" NAME, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return -errno;
	atomic_store(&shared->file, file);
	return 0;
}

static long server_run(void *unused)
{
	int ret;

	(void)unused;
	ret = server_begin();
	if (ret < 0)
		return ret;
	lab_be_ready_and_wait();
}

/* ---- who is held ---- */

/* The file of it, from the server. */
static int server_file(void)
{
	int pidfd = (int)syscall(SYS_pidfd_open, server.pid, 0);
	int file = (int)syscall(SYS_pidfd_getfd, pidfd, atomic_load(&shared->file), 0);

	(void)close(pidfd);
	return file;
}

static long hold(void *arg)
{
	struct lab_stalled *s = arg;
	size_t i = (size_t)(s - all);
	int file = server_file();
	uint8_t *page = mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file,
			     (off_t)(i * page_bytes()));
	long ret;

	if (page == MAP_FAILED)
		return -errno;
	/* No page but the one that is touched. */
	(void)madvise(page, page_bytes(), MADV_RANDOM);
	ret = lab_become(s->user);
	if (ret == 0) {
		lab_ready();
		ret = s->fn(page, s->arg);
	}
	shared->ret[i] = ret;
	atomic_store(&shared->has_ret[i], true);
	return ret;
}

/* The next one, @i, besides those before. */
static bool wait_until_held(size_t i)
{
	time_t end = time(NULL) + PATIENCE_S;

	while (atomic_load(&shared->held) <= i && !atomic_load(&shared->has_ret[i]) &&
	       time(NULL) < end)
		(void)usleep(POLL_MS * 1000);
	return atomic_load(&shared->held) > i;
}

static bool has_fuse(void)
{
	return access("/dev/fuse", F_OK) == 0 && (mkdir(PLACE, 0777) == 0 || errno == EEXIST);
}

static void server_start(unsigned int turns)
{
	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	memset(shared, 0, sizeof(*shared));
	shared->turns = turns;
	LAB_GOOD(lab_spawn(&server, server_run, NULL));
}

int lab_stall_lend(unsigned int turns)
{
	if (!has_fuse())
		return -ENODEV;
	all_count = 0;
	server_start(turns);
	return server_file();
}

void lab_stall_begin(struct lab_stalled *stalled, size_t count)
{
	if (!has_fuse())
		TT_SKIP("there is no such memory here (CONFIG_FUSE_FS)");
	assert_true(count <= LAB_STALLS);
	all = stalled;
	all_count = 0;
	server_start(0);
	for (size_t i = 0; i < count; i++) {
		struct lab_process process;
		long ret = lab_spawn(&process, hold, &stalled[i]);

		stalled[i].pid = process.pid;
		all_count += ret == 0;
		if (ret == 0 && wait_until_held(i))
			continue;
		print_error("%s: not held (%ld)\n", stalled[i].what,
			    ret			 ? ret
			    : shared->has_ret[i] ? shared->ret[i]
						 : 0);
		lab_stall_end();
		fail();
	}
}

void lab_stall_end(void)
{
	atomic_store(&shared->is_over, true);
	for (size_t i = 0; i < all_count; i++) {
		struct lab_process process = { all[i].pid };

		(void)lab_wait(&process);
		all[i].ret = atomic_load(&shared->has_ret[i]) ? shared->ret[i] : -EPROTO;
	}
	/* First: closing its file, the server would wait for itself. */
	(void)umount2(PLACE, MNT_FORCE);
	(void)umount2(PLACE, MNT_DETACH);
	(void)lab_kill(&server);
	server.pid = 0;
	all_count = 0;
}

bool lab_stall_has(pid_t pid)
{
	for (size_t i = 0; i < all_count; i++)
		if (all[i].pid == pid)
			return true;
	return pid == server.pid;
}

/* ---- who must not be ---- */

/* A line of /proc/PID/stat: name and state. */
static char state_of(pid_t pid, char name[64])
{
	char path[64], text[512], *end;

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	lab_line(path, text, sizeof(text));
	end = strrchr(text, ')');
	if (!end)
		return 0;
	*end = '\0';
	(void)snprintf(name, 64, "%s", strchr(text, '(') ? strchr(text, '(') + 1 : "");
	return end[1] ? end[2] : 0;
}

static void tell_where(const char *what, pid_t pid)
{
	char path[64], line[256], name[64] = "";
	char state = state_of(pid, name);
	FILE *stack;

	print_error("%s: process %d (%s) is in state %c\n", what, pid, name, state ? state : '-');
	(void)snprintf(path, sizeof(path), "/proc/%d/stack", pid);
	stack = fopen(path, "r");
	while (stack && fgets(line, sizeof(line), stack))
		print_error("    %s", line);
	if (stack)
		(void)fclose(stack);
}

struct attempt {
	const struct lab_user *user;
	long (*fn)(void *arg);
	void *arg;
	long *ret;
};

static long attempt(void *arg)
{
	struct attempt *a = arg;
	long ret = lab_become(a->user);

	if (ret == 0) {
		lab_ready();
		ret = a->fn(a->arg);
	}
	*a->ret = ret;
	return 0;
}

static bool has_ended(pid_t pid)
{
	time_t end = time(NULL) + PATIENCE_S;

	while (waitpid(pid, NULL, WNOHANG) != pid) {
		if (time(NULL) >= end)
			return false;
		(void)usleep(POLL_MS * 1000);
	}
	return true;
}

long lab_stall_try(const char *what, const struct lab_user *user, long (*fn)(void *arg), void *arg)
{
	long *ret =
		mmap(NULL, sizeof(*ret), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct attempt a = { user, fn, arg, ret };
	struct lab_process process;
	long value;

	if (ret == MAP_FAILED)
		return -ENOMEM;
	*ret = -EPROTO;
	value = lab_spawn(&process, attempt, &a);
	if (value == 0 && !has_ended(process.pid)) {
		tell_where(what, process.pid);
		return -ETIMEDOUT; /* it may still write to *ret */
	}
	if (value == 0)
		value = *ret;
	(void)munmap(ret, sizeof(*ret));
	return value;
}

/* Threads of the kernel wait so for a moment, too. */
static bool is_stuck(pid_t pid)
{
	char name[64];
	time_t end = time(NULL) + PATIENCE_S;

	while (state_of(pid, name) == 'D') {
		if (time(NULL) >= end)
			return true;
		(void)usleep(POLL_MS * 1000);
	}
	return false;
}

unsigned int lab_stall_stuck(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned int stuck = 0;

	assert_non_null(proc);
	while ((entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || lab_stall_has(pid) || !is_stuck(pid))
			continue;
		tell_where("nobody lets it go", pid);
		stuck++;
	}
	(void)closedir(proc);
	return stuck;
}
