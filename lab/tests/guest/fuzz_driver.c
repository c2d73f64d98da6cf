// SPDX-License-Identifier: MIT
/*
 * Random system calls on the files of the driver: fuzz_driver [-b] [-n CALLS] [SECONDS [SEED]],
 * 1500 calls or 40 seconds without.
 * Processes that are root, members of the group that may read, and strangers, all at once, while a
 * keeper has CPUs and devices go and come and the machine prepare to sleep. Some calls are made in
 * user namespaces, some with memory that comes late (FUSE), some while allocations fail, where the
 * kernel can do that; root mounts and unmounts the tree in a second place. The second half goes on
 * beside events of perf on the same PMU.
 * Programs that reach code of the module which none had reached (KCOV) are kept and changed a
 * little for the next ones; with -b nothing is kept.
 * What the driver lets root write is harmless in a guest, or it is a bug. At
 * the end strangers must have opened no register and members written none, the driver must unload,
 * and all registers must be as they were. Skipped without the driver; the kernel's log is looked at
 * by the lab.
 * A seed gives each process the same decisions again; which process is where when, and which
 * program is kept first, is the machine's.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab/tests/guest/driver.h"
#include "lab/tests/guest/fuzz_calls.h"
#include "lab/tests/guest/kcov.h"
#include "lab/tests/guest/stall.h"

/* Whichever comes first: the kernel that checks itself makes few calls a second. */
#define CALLS 1500
#define SECONDS 40
#define KEPT_MOST 2048
#define SLOW_TURNS 4
#define CHANGES 4
#define TURN_MS 100
#define TELL_TURNS 100

/* Programs that reached something new. A process writes to its place, then says that it is full. */
static struct kept {
	unsigned int count; /* more than there are places: those were not kept */
	struct {
		bool is_full;
		struct fuzz_program program;
	} place[KEPT_MOST];
} * kept;

static struct fuzz_shared *shared;

/* When it is enough, of the whole; each of the two halves has half of it. */
static unsigned long calls_most;
static unsigned int seconds;
static bool is_blind;
static uint64_t seed_of_run;

/* ---- programs ---- */

static void make_new(struct fuzz_program *p, uint64_t *random)
{
	p->bytes = (uint16_t)(8 + tt_random(random) % (FUZZ_BYTES - 8));
	for (size_t i = 0; i < p->bytes; i++)
		p->byte[i] = (uint8_t)(tt_random(random) >> 32);
}

static const struct fuzz_program *some_kept(uint64_t *random)
{
	unsigned int count = __atomic_load_n(&kept->count, __ATOMIC_ACQUIRE);
	size_t i;

	if (count == 0)
		return NULL;
	i = (size_t)(tt_random(random) % (count < KEPT_MOST ? count : KEPT_MOST));
	return __atomic_load_n(&kept->place[i].is_full, __ATOMIC_ACQUIRE) ? &kept->place[i].program
									  : NULL;
}

/* Bytes from @at on give way to @count others; what does not fit falls off. */
static void insert(struct fuzz_program *p, size_t at, size_t count, uint64_t *random)
{
	if (at + count > FUZZ_BYTES)
		count = FUZZ_BYTES - at;
	memmove(p->byte + at + count, p->byte + at, FUZZ_BYTES - at - count);
	for (size_t i = 0; i < count; i++)
		p->byte[at + i] = (uint8_t)(tt_random(random) >> 32);
	p->bytes = (uint16_t)(p->bytes + count < FUZZ_BYTES ? p->bytes + count : FUZZ_BYTES);
}

static void take_out(struct fuzz_program *p, size_t at, size_t count)
{
	if (at + count >= p->bytes)
		return;
	memmove(p->byte + at, p->byte + at + count, p->bytes - at - count);
	p->bytes = (uint16_t)(p->bytes - count);
}

/* The tail of another one. */
static void cross(struct fuzz_program *p, size_t at, const struct fuzz_program *other)
{
	if (!other || at >= other->bytes)
		return;
	memcpy(p->byte + at, other->byte + at, other->bytes - at);
	p->bytes = other->bytes;
}

static void change(struct fuzz_program *p, uint64_t *random)
{
	for (uint64_t i = 1 + tt_random(random) % CHANGES; i-- > 0;) {
		size_t at = (size_t)(tt_random(random) % p->bytes);

		switch (tt_random(random) % 5) {
		case 0:
			insert(p, at, 1 + tt_random(random) % 16, random);
			break;
		case 1:
			take_out(p, at, 1 + tt_random(random) % 8);
			break;
		case 2:
			cross(p, at, some_kept(random));
			break;
		case 3: /* more calls behind what it does */
			insert(p, p->bytes, 1 + tt_random(random) % 32, random);
			break;
		default:
			p->byte[at] = (uint8_t)(tt_random(random) >> 32);
		}
	}
}

static void choose(struct fuzz_program *p, uint64_t *random)
{
	const struct fuzz_program *old = tt_random(random) % 4 ? some_kept(random) : NULL;

	if (is_blind || !old) {
		make_new(p, random);
		return;
	}
	*p = *old;
	change(p, random);
}

static void keep(const struct fuzz_program *p)
{
	unsigned int i = __atomic_fetch_add(&kept->count, 1, __ATOMIC_ACQ_REL);

	if (i >= KEPT_MOST)
		return;
	kept->place[i].program = *p;
	__atomic_store_n(&kept->place[i].is_full, true, __ATOMIC_RELEASE);
}

/* ---- processes ---- */

static const enum fuzz_who roles[] = { FUZZ_ROOT,   FUZZ_ROOT,	   FUZZ_ROOT,  FUZZ_MEMBER,
				       FUZZ_MEMBER, FUZZ_STRANGER, FUZZ_KEEPER };
#define PROCESSES (sizeof(roles) / sizeof(roles[0]))

struct limit {
	unsigned long calls; /* 0: none */
	time_t end;	     /* 0: none */
};

static bool is_over(const struct limit *limit)
{
	if (limit->calls && __atomic_load_n(&shared->calls, __ATOMIC_RELAXED) >= limit->calls)
		return true;
	return limit->end && time(NULL) >= limit->end;
}

/*
 * Expected faults are caught where they are expected; any other ends the process, and the parent
 * tells.
 */
static void work(uint64_t random, enum fuzz_who who, const struct limit *limit)
{
	fuzz_begin(who);
	while (!is_over(limit)) {
		struct fuzz_program program;

		choose(&program, &random);
		lab_kcov_enable(true);
		fuzz_run(&program);
		lab_kcov_disable();
		/* What the keeper does is no program for others. */
		if (lab_kcov_take() && who != FUZZ_KEEPER)
			keep(&program);
	}
	_exit(0);
}

/* Now and then how far all of them are, for who waits, or looks for what hangs. */
static int wait_and_tell(pid_t pid)
{
	unsigned int turns = 0;
	int status = -1;
	pid_t ended;

	while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
		(void)usleep(TURN_MS * 1000);
		if (++turns % TELL_TURNS)
			continue;
		print_message("# %lu calls, %zu places, %lu removed, %lu slept\n", shared->calls,
			      lab_kcov_places(), shared->gone, shared->slept);
		(void)fflush(stdout);
	}
	assert_true(ended == pid);
	return status;
}

/* How many ended otherwise than they should. */
static unsigned int work_all(const struct limit *limit, uint64_t *random)
{
	pid_t workers[PROCESSES];
	unsigned int died = 0;

	(void)fflush(NULL);
	for (size_t i = 0; i < PROCESSES; i++) {
		uint64_t seed = tt_random(random) | 1;

		workers[i] = fork();
		if (workers[i] == 0)
			work(seed, roles[i], limit);
		assert_true(workers[i] > 0);
	}
	for (size_t i = 0; i < PROCESSES; i++) {
		int status = wait_and_tell(workers[i]);

		if (status != 0) {
			print_error("process %zu ended with status %#x\n", i, (unsigned int)status);
			died++;
		}
	}
	return died;
}

/* ---- what is fuzzed ---- */

static void *share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static void tell(const char *why_blind)
{
	print_message(
		"# %lu calls, %lu of them did something; %lu lacked memory, %lu had to wait for "
		"it, %lu trees were mounted by fsmount(2), %lu events of perf were open, "
		"%lu devices were removed, the machine prepared to sleep %lu times\n",
		shared->calls, shared->good, shared->without_memory, shared->slow, shared->mounted,
		shared->perf, shared->gone, shared->slept);
	if (why_blind)
		print_message("# which code was reached is not known: %s\n", why_blind);
	else
		print_message(
			"# %zu places of the module's code were reached, %u programs reached new "
			"ones and were %s, seed %#llx\n",
			lab_kcov_places(), kept->count, is_blind ? "not used" : "kept",
			(unsigned long long)seed_of_run);
}

static void fuzz(bool with_perf)
{
	struct limit limit = { calls_most / 2, seconds ? time(NULL) + (seconds + 1) / 2 : 0 };
	uint64_t random = seed_of_run + with_perf;
	const char *why_blind;
	unsigned int died;
	size_t paths;
	int slow;

	shared = share(sizeof(*shared));
	kept = share(sizeof(*kept));
	LAB_GOOD(lab_driver_unmount());
	LAB_GOOD(lab_driver_mount("gid=77,mode=0440"));
	why_blind = lab_kcov_open("ntime");
	slow = lab_stall_lend(SLOW_TURNS);
	paths = fuzz_prepare(shared, slow, with_perf);
	assert_true(paths > 0);
	print_message("# %zu paths, at most %lu calls, %u s (0: no limit), seed %#llx\n", paths,
		      limit.calls, (seconds + 1) / 2, (unsigned long long)seed_of_run);
	died = work_all(&limit, &random);
	fuzz_end();
	if (slow >= 0) {
		(void)close(slow);
		lab_stall_end();
	}
	tell(why_blind);
	lab_kcov_close();
	TT_IS(died, 0);
	TT_IS(shared->stranger_in, 0);
	TT_IS(shared->member_wrote, 0);
	/* How many depends on the machine; that it was not only refusals does not. */
	assert_true(shared->good > shared->calls / 10);
	TT_IS(lab_status_number("open"), 0);
	/* Names that were given, permissions that were changed go with the module. */
	LAB_GOOD(lab_driver_stop());
	(void)munmap(kept, sizeof(*kept));
	(void)munmap(shared, sizeof(*shared));
}

TEST(random_calls_break_nothing)
{
	fuzz(false);
}

/* Apart: perf leaves the PMU's registers as they happen to be. */
TEST(random_calls_beside_perf_break_nothing)
{
	if (!lab_has_core_pmu())
		TT_SKIP("this guest has no core PMU");
	lab_perf_begins();
	fuzz(true);
	LAB_GOOD(lab_driver_start(""));
	lab_perf_has_ended();
}

static void usage(void)
{
	fprintf(stderr, "fuzz_driver [-b] [-n CALLS] [SECONDS [SEED]]: SEED may not be 0\n");
	exit(2);
}

static void take_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "bn:")) >= 0) {
		if (option == 'b')
			is_blind = true;
		else if (option == 'n')
			calls_most = strtoul(optarg, NULL, 10);
		else
			usage();
	}
	argv += optind;
	seconds = argv[0] ? (unsigned int)strtoul(argv[0], NULL, 10) : 0;
	seed_of_run = argv[0] && argv[1] ? strtoull(argv[1], NULL, 0)
					 : tt_seed() ^ (uint64_t)time(NULL) * 0x9e3779b97f4a7c15ull;
	if (!seed_of_run)
		usage();
	if (!seconds && !calls_most) {
		calls_most = CALLS;
		seconds = SECONDS;
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_FIRST,
		LAB_DRIVER_TEST(random_calls_break_nothing),
		LAB_DRIVER_TEST(random_calls_beside_perf_break_nothing),
		LAB_DRIVER_LAST,
	};

	take_options(argc, argv);
	return LAB_DRIVER_RUN(tests);
}
