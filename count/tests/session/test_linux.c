// SPDX-License-Identifier: MIT
/*
 * Sessions on the real kernel with what every machine has: software events and the clock. True
 * counts are known: pages touched once, children that are forked, threads that run.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/tests/session/perf_here.h"
#include "base/tests/tt.h"

#define PAGES 200

struct rig {
	struct ntime_ctx *ctx;
	struct ntime_session *s;
	struct ntime_value v[8];
};

static void prepare(struct rig *rig, const struct ntime_target *target, const char *list)
{
	memset(rig, 0, sizeof(*rig));
	TT_IS(ntime_open(&rig->ctx, NULL), 0);
	if (ntime_session_new(rig->ctx, target, &rig->s) < 0)
		fail_msg("%s", ntime_error_text(rig->ctx));
	TT_IS(ntime_session_add_list(rig->s, list), 0);
}

static void start(struct rig *rig, const struct ntime_target *target, const char *list)
{
	prepare(rig, target, list);
	if (ntime_session_start(rig->s) < 0)
		fail_msg("%s", ntime_error_text(rig->ctx));
}

static void fini(struct rig *rig)
{
	ntime_session_free(rig->s);
	ntime_close(rig->ctx);
}

static void read_all(struct rig *rig)
{
	size_t n = ntime_session_count(rig->s);

	TT_IS(ntime_session_read(rig->s, rig->v, n), n);
}

/*
 * Each page of a fresh private mapping faults once when it is first written; huge pages are kept
 * away.
 */
static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	(void)madvise((void *)memory, PAGES * page, MADV_NOHUGEPAGE);
	for (i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	(void)munmap((void *)memory, PAGES * page);
}

static void run_child(void (*work)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		work();
		_exit(0);
	}
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
}

static void *thread_touch(void *arg)
{
	touch_pages();
	return arg;
}

static void run_thread(void)
{
	pthread_t thread;

	TT_IS(pthread_create(&thread, NULL, thread_touch, NULL), 0);
	TT_IS(pthread_join(thread, NULL), 0);
}

/*
 * What the kernel itself has seen of this thread, faults in kernel mode too: never fewer than
 * page-faults:u. How many there are beside those of the work is the kernel's affair: a page that
 * was taken away when memory was short faults again.
 */
static uint64_t own_faults(void)
{
	struct rusage use;

	TT_IS(getrusage(RUSAGE_THREAD, &use), 0);
	return (uint64_t)use.ru_minflt + (uint64_t)use.ru_majflt;
}

TEST(faults_of_this_thread)
{
	uint64_t before, own;
	struct rig rig;

	TT_NEED_PERF();
	start(&rig, NULL, "page-faults:u,tsc");
	own = own_faults();
	read_all(&rig);
	before = rig.v[0].count;
	touch_pages();
	read_all(&rig);
	own = own_faults() - own;
	TT_IS(rig.v[0].flags, 0);
	assert_true(rig.v[0].count - before >= PAGES);
	assert_true(rig.v[0].count - before <= own);
	assert_true(rig.v[1].count > 0);
	fini(&rig);
}

TEST(children_count_only_when_asked)
{
	struct ntime_target with = { .size = sizeof(with), .flags = NTIME_CHILDREN };
	struct rig rig;
	uint64_t own;

	TT_NEED_PERF();
	start(&rig, &with, "page-faults:u");
	run_child(touch_pages);
	run_thread();
	read_all(&rig);
	assert_true(rig.v[0].count >= 2 * PAGES);
	fini(&rig);
	prepare(&rig, NULL, "page-faults:u");
	own = own_faults();
	TT_IS(ntime_session_start(rig.s), 0);
	run_child(touch_pages);
	run_thread();
	read_all(&rig);
	assert_true(rig.v[0].count <= own_faults() - own);
	fini(&rig);
}

/* A thread that lives as long as a session, to be found in /proc/self/task. */
static void *helper_run(void *go)
{
	(void)pthread_barrier_wait(go);
	(void)pthread_barrier_wait(go);
	touch_pages();
	return NULL;
}

TEST(process_has_all_its_threads)
{
	struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_PROCESS };
	pthread_barrier_t go;
	pthread_t thread;
	struct rig rig;

	TT_NEED_PERF();
	TT_IS(pthread_barrier_init(&go, NULL, 2), 0);
	TT_IS(pthread_create(&thread, NULL, helper_run, &go), 0);
	(void)pthread_barrier_wait(&go);
	start(&rig, &target, "page-faults:u");
	(void)pthread_barrier_wait(&go);
	TT_IS(pthread_join(thread, NULL), 0);
	read_all(&rig);
	assert_true(rig.v[0].count >= PAGES);
	fini(&rig);
	(void)pthread_barrier_destroy(&go);
}

/*
 * Reads until the clock has moved on from @last and @n times at least; slow clocks show one number
 * to several readings.
 */
static uint64_t read_on(const struct ntime_reader *reader, uint64_t last, unsigned int n)
{
	uint64_t begin = last, now;
	unsigned int i;

	for (i = 0; i < n || last == begin; i++) {
		TT_IS(ntime_read(reader, &now), 0);
		assert_true(now >= last);
		last = now;
	}
	return last;
}

TEST(clock_reader)
{
	struct ntime_reader reader = { .size = sizeof(reader) };
	uint64_t last, now;
	struct rig rig;

	start(&rig, NULL, "tsc");
	TT_IS(ntime_get_reader(rig.s, 0, &reader), 0);
	TT_HAS(ntime_reader_why(&reader), "instruction");
	(void)read_on(&reader, read_on(&reader, 0, 1), 1000);
	TT_IS(ntime_session_stop(rig.s), 0);
	TT_IS(ntime_read(&reader, &now), 0);
	TT_IS(ntime_read(&reader, &last), 0);
	TT_IS(now, last);
	TT_IS(ntime_session_start(rig.s), 0);
	(void)read_on(&reader, last, 1);
	fini(&rig);
}

#define FORKS 300

struct watcher {
	struct ntime_reader reader;
	atomic_bool is_over;
	int worst;
	atomic_uint reads;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;
	uint64_t count;

	while (!atomic_load(&w->is_over)) {
		int ret = ntime_read(&w->reader, &count);

		w->worst = ret < w->worst ? ret : w->worst;
		atomic_fetch_add(&w->reads, 1);
	}
	return NULL;
}

static void do_nothing(void)
{
}

/*
 * While a child gets its copy of the group, or gives it back, the kernel refuses to read the group.
 */
TEST(groups_can_be_read_while_children_come_and_go)
{
	struct ntime_target target = { .size = sizeof(target), .flags = NTIME_CHILDREN };
	struct watcher w = { .reader = { .size = sizeof(w.reader) } };
	pthread_t thread;
	struct rig rig;
	int i;

	TT_NEED_PERF();
	start(&rig, &target, "page-faults:u,minor-faults:u,major-faults:u,task-clock");
	TT_IS(ntime_get_reader(rig.s, 0, &w.reader), 0);
	TT_IS(pthread_create(&thread, NULL, watch, &w), 0);
	/* Whenever the watcher gets a processor: it reads beside forks. */
	for (i = 0; i < FORKS || atomic_load(&w.reads) < FORKS; i++)
		run_child(do_nothing);
	atomic_store(&w.is_over, true);
	TT_IS(pthread_join(thread, NULL), 0);
	TT_IS(w.worst, 0);
	fini(&rig);
}

static struct ntime_reader shared;

static void child_read(void)
{
	uint64_t count = 0;

	/*
	 * In the child the shared page is wiped; the call reads the parent's counter, which lives
	 * on.
	 */
	if (shared.state->type != NTIME_READER_CALL || ntime_read(&shared, &count) != 0 ||
	    count < PAGES)
		_exit(1);
}

TEST(readers_in_forked_children)
{
	struct rig rig;

	TT_NEED_PERF();
	start(&rig, NULL, "page-faults:u");
	shared = (struct ntime_reader){ .size = sizeof(shared) };
	TT_IS(ntime_get_reader(rig.s, 0, &shared), 0);
	touch_pages();
	run_child(child_read);
	fini(&rig);
}

static uint64_t cpu_ns_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	TT_IS(clock_getcpuclockid(pid, &clock), 0);
	TT_IS(clock_gettime(clock, &used), 0);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

#define RUNS "20"

TEST(command_agrees_with_getrusage)
{
	char *argv[] = { "sh", "-c",
			 "i=0; while [ $i -lt " RUNS " ]; do /bin/true; i=$((i + 1)); done", NULL };
	struct ntime_command_end end = { .size = sizeof(end) };
	struct ntime_target target = { .size = sizeof(target),
				       .flags = NTIME_CHILDREN | NTIME_ON_EXEC };
	struct ntime_command *command;
	struct rig rig = { 0 };
	uint64_t all, early_ns;

	TT_NEED_PERF();
	TT_IS(ntime_open(&rig.ctx, NULL), 0);
	TT_IS(ntime_command_new(rig.ctx, argv, &command), 0);
	target.pid = ntime_command_pid(command);
	TT_IS(ntime_session_new(rig.ctx, &target, &rig.s), 0);
	TT_IS(ntime_session_add_list(rig.s, "task-clock,page-faults,context-switches"), 0);
	TT_IS(ntime_session_start(rig.s), 0);
	TT_IS(ntime_session_take_times(rig.s, command), -EINVAL);
	TT_IS(ntime_command_began_ns(command), 0);
	TT_IS(ntime_command_start(command), 0);
	TT_IS(ntime_session_take_times(rig.s, command), 0);
	/* Here it is past exec: not less than what was before it, however long that took. */
	early_ns = cpu_ns_of(target.pid);
	TT_IS(ntime_command_wait(command, UINT64_MAX, &end), 1);
	TT_IS(end.status, 0);
	/* Whatever comes now is not the command's. */
	TT_IS(ntime_session_take_times(rig.s, command), 0);
	TT_IS(poll(NULL, 0, 3), 0);
	TT_IS(ntime_session_length_ns(rig.s), end.real_ns);
	TT_IS(ntime_session_stop(rig.s), 0);
	TT_IS(ntime_session_length_ns(rig.s), end.real_ns);
	read_all(&rig);
	/* getrusage has more: what was before exec. Without the children a tenth would be left. */
	all = end.minor_faults + end.major_faults;
	assert_true(rig.v[1].count <= all && 3 * rig.v[1].count >= all);
	/*
	 * And the switches away from each process on its last steps, when its counters are closed:
	 * how many nobody knows.
	 */
	assert_true(rig.v[2].count <= end.voluntary_switches + end.involuntary_switches);
	/*
	 * task-clock goes on while the hypervisor has the CPU, getrusage's time does not: above is
	 * only the clock on the wall.
	 */
	all = end.user_ns + end.sys_ns;
	assert_true(rig.v[0].value <=
		    1.01 * (double)end.real_ns * (double)sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(3 * (rig.v[0].value + (double)early_ns) >= (double)all);
	ntime_command_free(command);
	fini(&rig);
}

TEST(command_that_cannot_run)
{
	char *missing[] = { "/nonexistent/program", NULL }, *folder[] = { "/", NULL };
	struct ntime_command *command;
	struct ntime_ctx *ctx;

	TT_IS(ntime_open(&ctx, NULL), 0);
	TT_IS(ntime_command_new(ctx, missing, &command), 0);
	TT_IS(ntime_command_start(command), -ENOENT);
	TT_HAS(ntime_error_text(ctx), "/nonexistent/program: command not found");
	ntime_command_free(command);
	TT_IS(ntime_command_new(ctx, folder, &command), 0);
	TT_IS(ntime_command_start(command), -EACCES);
	TT_HAS(ntime_error_text(ctx), "cannot execute /");
	ntime_command_free(command);
	TT_IS(ntime_command_new(ctx, (char *[]){ NULL }, &command), -EINVAL);
	ntime_close(ctx);
}

TEST(dead_process)
{
	struct ntime_target target = { .size = sizeof(target), .kind = NTIME_TARGET_PROCESS };
	struct ntime_session *s;
	struct ntime_ctx *ctx;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	TT_IS(waitpid(pid, NULL, 0), pid);
	target.pid = pid;
	TT_IS(ntime_open(&ctx, NULL), 0);
	TT_IS(ntime_session_new(ctx, &target, &s), -ESRCH);
	TT_HAS(ntime_error_text(ctx), "there is no process");
	assert_null(s);
	target.kind = NTIME_TARGET_THREAD;
	TT_IS(ntime_session_new(ctx, &target, &s), -ESRCH);
	TT_HAS(ntime_error_text(ctx), "there is no thread");
	ntime_close(ctx);
}

static int find_skx(void *seen, const char *name, const char *desc)
{
	*(int *)seen += strcmp(name, "skx") == 0 && *desc;
	return 0;
}

static int count_method(void *seen, const struct ntime_method_info *method)
{
	assert_non_null(method->reason);
	/* Whatever cannot be used says why. */
	assert_true(method->usable || method->reason[0]);
	++*(int *)seen;
	return 0;
}

static int check_unit(void *seen, const struct ntime_unit_info *unit)
{
	assert_true(unit->usable || (unit->reason[0] && unit->remedy[0] && unit->reason_code));
	++*(int *)seen;
	return 0;
}

static int check_event(void *seen, const struct ntime_event_info *event)
{
	assert_true(event->name[0] != '\0');
	assert_true(event->usable || (event->reason[0] && event->remedy[0] && event->reason_code));
	++*(int *)seen;
	return 0;
}

TEST(everything_that_is_missing_has_a_reason)
{
	struct ntime_ctx *ctx;
	int methods = 0, units = 0, events = 0, metrics = 0, models = 0, ret;

	TT_IS(ntime_open(&ctx, NULL), 0);
	TT_IS(ntime_method_for_each(ctx, count_method, &methods), 0);
	TT_IS(methods, 9);
	TT_IS(ntime_unit_for_each(ctx, check_unit, &units), 0);
	assert_true(units >= 2);
	TT_IS(ntime_event_for_each(ctx, NULL, check_event, &events), 0);
	assert_true(events > 20);
	TT_IS(ntime_metric_for_each(ctx, check_event, &metrics), 0);
	assert_true(metrics > 10);
	/* libpfm4 may be missing. */
	ret = ntime_pmu_model_for_each(ctx, find_skx, &models);
	TT_IS(models, ret == 0);
	ntime_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(faults_of_this_thread),
		cmocka_unit_test(children_count_only_when_asked),
		cmocka_unit_test(process_has_all_its_threads),
		cmocka_unit_test(groups_can_be_read_while_children_come_and_go),
		cmocka_unit_test(clock_reader),
		cmocka_unit_test(readers_in_forked_children),
		cmocka_unit_test(command_agrees_with_getrusage),
		cmocka_unit_test(command_that_cannot_run),
		cmocka_unit_test(dead_process),
		cmocka_unit_test(everything_that_is_missing_has_a_reason),
	};

	return TT_RUN(tests);
}
