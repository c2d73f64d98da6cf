// SPDX-License-Identifier: MIT
/*
 * The methods through ntime's driver: what its files cost bare, from the uapi header alone, and
 * through the library; and what it costs to get there. The driver is loaded from /lab/ntime.ko
 * ("--driver") where it is not loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "bench/lab/cost.h"
#include "include/uapi/ntime.h"

#define MODULE "/lab/ntime.ko"
#define CORE NTIME_FS_PATH "/core0"
/* IA32_TIME_STAMP_COUNTER (Intel SDM vol. 4, table 2-2), also read by pread(2) of msr. */
#define TSC CORE "/msr/0x10"

/* A counter whose instruction takes no switch over its number. */
#if defined(__aarch64__) || defined(__arm__)
#define COUNTER CORE "/pmc/fixed0"
/*
 * arm64: the kernel opens the registers to user mode only while there are events on the PMU: those
 * that hold it for the driver.
 */
#define NEEDS_RESERVED true
#else
#define COUNTER CORE "/pmc/0"
#define NEEDS_RESERVED false
#endif

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

/* Why the driver cannot be used; "" when it can. */
static char why_not[128] =
	"the driver is neither loaded nor in this guest (ntime lab run --driver)";

static bool is_loaded_here;

/* Load and mount; false with the reason. */
static bool load(void)
{
	int fd = open(MODULE, O_RDONLY | O_CLOEXEC);
	bool is_good;

	if (fd < 0)
		return false;
	is_good = syscall(SYS_finit_module, fd, "", 0) == 0 &&
		  mount(NTIME_FS_TYPE, NTIME_FS_PATH, NTIME_FS_TYPE, 0, NULL) == 0;
	if (!is_good)
		(void)snprintf(why_not, sizeof(why_not),
			       "the driver cannot be loaded and mounted: %s", strerror(errno));
	(void)close(fd);
	return is_good;
}

void cost_ntimefs_prepare(void)
{
	cpu_set_t first;

	/* A counter of CPU 0 is read by its instruction there alone. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	(void)sched_setaffinity(0, sizeof(first), &first);
	is_loaded_here = access(NTIME_FS_PATH "/status", F_OK) < 0 && load();
	if (access(NTIME_FS_PATH "/status", F_OK) == 0)
		why_not[0] = '\0';
}

void cost_ntimefs_finish(void)
{
	if (!is_loaded_here)
		return;
	if (umount2(NTIME_FS_PATH, UMOUNT_NOFOLLOW) < 0 ||
	    syscall(SYS_delete_module, "ntime", O_NONBLOCK) < 0)
		fprintf(stderr, "cost: the driver cannot be unloaded: %s\n", strerror(errno));
}

static int failed(struct cost_state *s, const char *what)
{
	(void)snprintf(s->reason, sizeof(s->reason), "%s: %s", what, strerror(errno));
	return -1;
}

static int ntime_failed(struct cost_state *s)
{
	(void)snprintf(s->reason, sizeof(s->reason), "%s", ntime_error_text(s->ctx));
	return -1;
}

/* ---- bare ---- */

static inline uint64_t counter_instruction(uint32_t index)
{
#if defined(__x86_64__)
	return ntime_pmc_(index + 1);
#elif defined(__aarch64__)
	uint64_t value;

	(void)index;
	__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
	return value;
#else
	(void)index;
	return 0;
#endif
}

static inline uint64_t clock_instruction(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return ntime_tsc_();
#else
	return 0;
#endif
}

/*
 * open(2), and mmap(2) for the description, which stays mapped: for a counter it is the permission.
 */
static int open_page(const char *path, size_t pages, int *fd, const struct ntime_page **page)
{
	void *memory;

	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return -1;
	memory = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, *fd, 0);
	if (memory == MAP_FAILED) {
		(void)close(*fd);
		return -1;
	}
	*page = memory;
	return 0;
}

static int open_type(struct cost_state *s, const char *path, size_t pages, uint32_t type)
{
	if (*why_not) {
		(void)snprintf(s->reason, sizeof(s->reason), "%s", why_not);
		return -1;
	}
	if (open_page(path, pages, &s->fd[0], &s->ntimefs) < 0)
		return failed(s, path);
	s->fds = 1;
	s->ntimefs_bytes = pages * PAGE;
	if (type == COST_ANY_TYPE || s->ntimefs->type == type)
		return 0;
	(void)snprintf(s->reason, sizeof(s->reason),
		       "the driver gives type %u for %s and not %u here", s->ntimefs->type, path,
		       type);
	return -1;
}

static int open_tsc(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_type(s, TSC, 1, NTIME_PAGE_TSC);
}

/* The first register of this machine that a load reads. */
static int open_memory(struct cost_state *s, unsigned int events)
{
	static const char *const places[] = { NTIME_FS_PATH "/*/mmio/0x*",
					      NTIME_FS_PATH "/*/pci/*/0x*" };
	int ret = -1;

	(void)events;
	(void)snprintf(s->reason, sizeof(s->reason), "%s",
		       *why_not ? why_not
				: "no device with known registers is here; the guest x86-pci has "
				  "some, and no instruction time to count with");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && ret < 0 && !*why_not; i++) {
		glob_t found;

		if (glob(places[i], 0, NULL, &found) != 0)
			continue;
		ret = open_type(s, found.gl_pathv[0], 2, NTIME_PAGE_MEMORY);
		globfree(&found);
	}
	if (ret == 0)
		s->word = (const volatile uint32_t *)((const char *)s->ntimefs + PAGE +
						      s->ntimefs->offset);
	return ret;
}

/* Text: the file as it is opened. */
static int open_text(struct cost_state *s, const char *path)
{
	if (*why_not) {
		(void)snprintf(s->reason, sizeof(s->reason), "%s", why_not);
		return -1;
	}
	s->fd[0] = open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd[0] < 0)
		return failed(s, path);
	s->fds = 1;
	return 0;
}

static int open_text_counter(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_text(s, COUNTER);
}

static int open_binary_counter(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_type(s, COUNTER, 1, COST_ANY_TYPE);
}

static int open_binary_tsc(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_type(s, TSC, 1, COST_ANY_TYPE);
}

COST_RUN(counter_instruction, s->count = counter_instruction(s->ntimefs->index))
COST_RUN(clock_instruction, s->count = clock_instruction())
COST_RUN(memory, s->count = *s->word)
COST_RUN(text, COST_FAIL_IF(s, pread(s->fd[0], s->raw, sizeof(s->raw), 0) != 19))
COST_RUN(binary, COST_FAIL_IF(s, read(s->fd[0], &s->count, 8) != 8))

/* ---- through the library ---- */

/* Of CPU 0, counted through the driver: with the library's name of each event. */
static int open_session(struct cost_state *s, const char *events, struct ntime_session **session)
{
	struct ntime_target target = {
		.size = sizeof(target),
		.kind = NTIME_TARGET_CPUS,
		.cpus = "0",
		.via = NTIME_VIA_NTIMEFS,
	};
	struct ntime_item item = { .size = sizeof(item) };

	if (ntime_session_new(s->ctx, &target, session) < 0 ||
	    ntime_session_add_list(*session, events) < 0 || ntime_session_start(*session) < 0)
		return ntime_failed(s);
	for (size_t i = 0; i < ntime_session_count(*session); i++) {
		if (ntime_session_item(*session, i, &item) < 0 || *item.reason) {
			(void)snprintf(s->reason, sizeof(s->reason), "%s: %s", item.name,
				       item.reason);
			return -1;
		}
	}
	return 0;
}

static int reader_of(struct cost_state *s, struct ntime_session *session, size_t item,
		     struct ntime_reader *reader)
{
	reader->size = sizeof(*reader);
	if (ntime_get_reader(session, item, reader) < 0)
		return ntime_failed(s);
	if (reader->state->type == NTIME_READER_CORE)
		return 0;
	(void)snprintf(s->reason, sizeof(s->reason), "read by another method here: %s",
		       ntime_reader_why(reader));
	return -1;
}

/*
 * While the driver holds the core PMU perf has no counter on it, so what measures must be counted
 * through the driver as well: the first two events of the session are the meter. Everything on the
 * CPU is counted; the least of many reads has nothing of others.
 */
static int open_driver_session(struct cost_state *s, const char *events)
{
	struct ntime_reader meter[2];

	if (*why_not) {
		(void)snprintf(s->reason, sizeof(s->reason), "%s", why_not);
		return -1;
	}
	if (open_session(s, events, &s->session) < 0)
		return -1;
	s->items = ntime_session_count(s->session);
	for (size_t i = 0; i < 2; i++) {
		if (reader_of(s, s->session, i, &meter[i]) < 0)
			return -1;
		s->own_meter[i] = meter[i].state->index + 1;
	}
	return 0;
}

#define METER "instructions:u,instructions"

static int open_counter_instruction(struct cost_state *s, unsigned int events)
{
	(void)events;
	if (NEEDS_RESERVED && open_driver_session(s, METER) < 0)
		return -1;
	return open_type(s, COUNTER, 1, NTIME_PAGE_PMC);
}

static int open_reader(struct cost_state *s, unsigned int events)
{
	(void)events;
	if (open_driver_session(s, METER ",cycles:u") < 0)
		return -1;
	return reader_of(s, s->session, 2, &s->reader);
}

static int open_session_3(struct cost_state *s, unsigned int events)
{
	(void)events;
	return open_driver_session(s, METER ",cycles:u");
}

COST_RUN(reader, COST_FAIL_IF(s, ntime_read(&s->reader, &s->count) != 0))
COST_RUN(pinned, COST_FAIL_IF(s, ntime_read_pinned(&s->reader, &s->count) != 0))
COST_RUN(session, COST_FAIL_IF(s, ntime_session_read(s->session, s->values, s->items) < 0))

/* ---- getting there ---- */

static int open_nothing(struct cost_state *s, unsigned int events)
{
	(void)events;
	if (!*why_not)
		return NEEDS_RESERVED ? open_driver_session(s, METER) : 0;
	(void)snprintf(s->reason, sizeof(s->reason), "%s", why_not);
	return -1;
}

/* From the path to the first use of the instruction's number. */
static void run_open_counter(struct cost_state *s, size_t n)
{
	for (; n; n--) {
		const struct ntime_page *page = NULL;
		int fd = -1;

		cost_before();
		if (open_page(COUNTER, 1, &fd, &page) == 0)
			s->count = page->index;
		cost_after();
		COST_FAIL_IF(s, !page || page->type != NTIME_PAGE_PMC);
		if (page)
			(void)munmap((void *)(uintptr_t)page, PAGE);
		if (fd >= 0)
			(void)close(fd);
	}
}

#define TURNS 1000000
#define TURN 2 /* instructions */

static void turns(unsigned long n)
{
#if defined(__x86_64__)
	__asm__ volatile("1: decq %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#else
	(void)n;
#endif
}

/*
 * Under -icount the clock is instructions: how many a tick is, from a loop that is known. The least
 * has no interrupt in it.
 */
static double instructions_per_tick(void)
{
	uint64_t least = UINT64_MAX;

	for (int again = 0; again < 10; again++) {
		uint64_t ticks = clock_instruction();

		turns(TURNS);
		ticks = clock_instruction() - ticks;
		least = ticks < least ? ticks : least;
	}
	return least ? (double)TURN * TURNS / (double)least : 0;
}

/*
 * The same through the library: a session of one event, its counter reserved, programmed and
 * started, and its reader. Who measured with a counter would hold the registers that this wants.
 */
static void run_open_reader(struct cost_state *s, size_t n)
{
	double factor = instructions_per_tick();

	for (; n; n--) {
		struct ntime_session *session = NULL;
		uint64_t ticks = clock_instruction();
		int ret = open_session(s, "cycles:u", &session);

		if (ret == 0)
			ret = reader_of(s, session, 0, &s->reader);
		ticks = clock_instruction() - ticks;
		cost_keep((uint64_t)((double)ticks * factor));
		COST_FAIL_IF(s, ret < 0);
		ntime_session_free(session);
	}
}

static int open_clocked(struct cost_state *s, unsigned int events)
{
	(void)events;
	if (!*why_not)
		return 0;
	(void)snprintf(s->reason, sizeof(s->reason), "%s", why_not);
	return -1;
}

const struct cost_method cost_ntimefs_methods[] = {
	{ "ntimefs_counter", 1, "ntimefs, bare counter from its page", open_counter_instruction,
	  run_counter_instruction, NULL },
	{ "ntimefs_tsc", 1, "ntimefs, bare clock from its page", open_tsc, run_clock_instruction,
	  NULL },
	{ "ntimefs_memory", 1, "ntimefs, load from the device", open_memory, run_memory, NULL },
	{ "ntimefs_reader", 1, "ntime_read, ntimefs", open_reader, run_reader, NULL },
	{ "ntimefs_pinned", 1, "ntime_read_pinned, ntimefs", open_reader, run_pinned, NULL },
	{ "ntimefs_session", 3, "ntime_session_read, ntimefs", open_session_3, run_session, NULL },
	{ "ntimefs_binary", 1, "bare read(2) of ntimefs, counter", open_binary_counter, run_binary,
	  NULL },
	{ "ntimefs_text", 1, "bare pread(2) of ntimefs, text", open_text_counter, run_text, NULL },
	{ "ntimefs_binary_tsc", 1, "bare read(2) of ntimefs, clock", open_binary_tsc, run_binary,
	  NULL },
	{ "ntimefs_open", 1, "ntimefs, open(2), mmap(2)", open_nothing, run_open_counter, NULL },
	{ "ntimefs_open_reader", 1, "ntimefs, session and reader", open_clocked, run_open_reader,
	  NULL, true },
};
const size_t cost_ntimefs_method_count =
	sizeof(cost_ntimefs_methods) / sizeof(cost_ntimefs_methods[0]);
