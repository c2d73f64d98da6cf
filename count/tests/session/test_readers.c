// SPDX-License-Identifier: MIT
/*
 * Readers shared by threads while the session's owner reads as well and asks for more readers:
 * counts only grow, and nobody is ahead of what the owner sees at the end. Bounded by the owner's
 * rounds, not by time; the thread sanitizer watches too.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/tests/session/perf_here.h"
#include "base/tests/tt.h"

#define MODEL4 "count/tests/session/model4.json"
#define THREADS 3
#define ITEMS_MAX 4
#define ROUNDS 300
#define READS_MIN 100 /* of each thread while the owner still goes on */

struct shared {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
	size_t items;
	struct ntime_reader reader[ITEMS_MAX];
	pthread_barrier_t begin;
	atomic_int busy; /* threads that still owe reads */
	atomic_bool is_over;
};

/* Asserts belong to the main thread alone: threads count what they saw. */
struct thread {
	pthread_t id;
	struct shared *shared;
	unsigned int reads, failed, backwards;
	uint64_t last[ITEMS_MAX];
	int flags;
};

static void read_items(struct thread *t)
{
	struct shared *sh = t->shared;
	size_t i;

	for (i = 0; i < sh->items; i++) {
		uint64_t count = 0;
		int ret = ntime_read(&sh->reader[i], &count);

		t->failed += ret < 0;
		t->backwards += count < t->last[i];
		t->flags |= ret < 0 ? 0 : ret;
		t->last[i] = count;
	}
	if (++t->reads == READS_MIN)
		atomic_fetch_sub(&sh->busy, 1);
}

static void *run_thread(void *arg)
{
	struct thread *t = arg;

	(void)pthread_barrier_wait(&t->shared->begin);
	while (!atomic_load(&t->shared->is_over))
		read_items(t);
	return NULL;
}

static void open_session(struct shared *sh, const char *machine, const char *list)
{
	struct ntime_options options = { .size = sizeof(options), .machine = machine };
	size_t i;

	memset(sh, 0, sizeof(*sh));
	TT_IS(ntime_open(&sh->ctx, &options), 0);
	TT_IS(ntime_session_new(sh->ctx, NULL, &sh->s), 0);
	TT_IS(ntime_session_add_list(sh->s, list), 0);
	if (ntime_session_start(sh->s) < 0)
		fail_msg("%s", ntime_error_text(sh->ctx));
	sh->items = ntime_session_count(sh->s);
	assert_true(sh->items <= ITEMS_MAX);
	for (i = 0; i < sh->items; i++) {
		sh->reader[i].size = sizeof(sh->reader[i]);
		TT_IS(ntime_get_reader(sh->s, i, &sh->reader[i]), 0);
	}
	TT_IS(pthread_barrier_init(&sh->begin, NULL, THREADS + 1), 0);
	atomic_store(&sh->busy, THREADS);
}

static void close_session(struct shared *sh)
{
	(void)pthread_barrier_destroy(&sh->begin);
	ntime_session_free(sh->s);
	ntime_close(sh->ctx);
}

/* One page fault of this thread, the measured one. */
static void touch_page(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory =
		mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	*memory = 1;
	(void)munmap((void *)memory, page);
}

/* One round of the owner: something to count, a read of all, one more reader of each item. */
static void own_round(struct shared *sh)
{
	struct ntime_reader more = { .size = sizeof(more) };
	struct ntime_value values[ITEMS_MAX];
	uint64_t count;
	size_t i;

	touch_page();
	TT_IS(ntime_session_read(sh->s, values, sh->items), sh->items);
	for (i = 0; i < sh->items; i++) {
		TT_IS(ntime_get_reader(sh->s, i, &more), 0);
		assert_true(ntime_read(&more, &count) >= 0);
		assert_true(count >= values[i].count);
	}
	(void)sched_yield();
}

static void share(struct shared *sh, struct thread *threads)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		threads[i] = (struct thread){ .shared = sh };
		TT_IS(pthread_create(&threads[i].id, NULL, run_thread, &threads[i]), 0);
	}
	/* Readers that get no processor after their reads until all is over have seen this one. */
	touch_page();
	(void)pthread_barrier_wait(&sh->begin);
	for (i = 0; i < ROUNDS || atomic_load(&sh->busy) > 0; i++)
		own_round(sh);
	atomic_store(&sh->is_over, true);
	for (i = 0; i < THREADS; i++)
		TT_IS(pthread_join(threads[i].id, NULL), 0);
}

static void check(struct shared *sh, const struct thread *threads, int flags)
{
	struct ntime_value values[ITEMS_MAX];
	unsigned int k;
	size_t i;

	TT_IS(ntime_session_stop(sh->s), 0);
	TT_IS(ntime_session_read(sh->s, values, sh->items), sh->items);
	for (k = 0; k < THREADS; k++) {
		assert_true(threads[k].reads >= READS_MIN);
		TT_IS(threads[k].failed, 0);
		TT_IS(threads[k].backwards, 0);
		TT_IS(threads[k].flags, flags);
		for (i = 0; i < sh->items; i++) {
			assert_true(threads[k].last[i] > 0);
			assert_true(threads[k].last[i] <= values[i].count);
		}
	}
}

TEST(real_counters)
{
	struct thread threads[THREADS];
	struct ntime_value values[ITEMS_MAX];
	struct shared sh;

	TT_NEED_PERF();
	open_session(&sh, NULL, "page-faults:u,task-clock,tsc");
	share(&sh, threads);
	check(&sh, threads, 0);
	TT_IS(ntime_session_read(sh.s, values, sh.items), sh.items);
	assert_true(values[0].count >= ROUNDS);
	close_session(&sh);
}

/*
 * The simulated machine's clock moves when somebody looks: all its state is behind the readers'
 * calls.
 */
TEST(simulated_counters)
{
	struct thread threads[THREADS];
	struct shared sh;

	open_session(&sh, MODEL4, "cycles,instructions,task-clock,tsc");
	share(&sh, threads);
	check(&sh, threads, NTIME_SIMULATED);
	close_session(&sh);
}

#if defined(__x86_64__)
/* perf's index is RDPMC's operand plus one: what is no counter never reaches the instruction. */
static const struct index_row {
	int line;
	uint32_t index;
	bool is_run;
} index_rows[] = {
	{ __LINE__, 0, false },
	{ __LINE__, 1, true },
	{ __LINE__, 32, true },
	{ __LINE__, 33, false },
	{ __LINE__, (1u << 29) + 1, false },
	{ __LINE__, 1u << 29, false },
	{ __LINE__, (1u << 29) + 5, false },
	{ __LINE__, 1u << 30, false },
	{ __LINE__, (1u << 30) + 1, true },
	{ __LINE__, (1u << 30) + 4, true },
	{ __LINE__, (1u << 30) + 33, false },
	{ __LINE__, (3u << 29) + 1, false },
	{ __LINE__, (1u << 31) + 1, false },
	{ __LINE__, UINT32_MAX, false },
};

TEST(only_counters_reach_the_instruction)
{
	static struct perf_event_mmap_page page = { .cap_user_rdpmc = 1, .pmc_width = 48 };
	struct ntime_reader_state own = { .thread = ntime_thread_pointer_(), .source = &page };

	TT_FOR_EACH_ROW(r, index_rows) {
		uint64_t count;

		TT_EQ(r, NTIME_IS_COUNTER_(r->index), r->is_run);
		page.index = r->index;
		if (!r->is_run)
			TT_EQ(r, ntime_read_pmc_(&own, &count), -1);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_counters),
		cmocka_unit_test(simulated_counters),
#if defined(__x86_64__)
		cmocka_unit_test(only_counters_reach_the_instruction),
#endif
	};

	return TT_RUN(tests);
}
