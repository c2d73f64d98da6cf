// SPDX-License-Identifier: MIT
/* count/lib/frame: what one thread, and another process, see of frames. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count/tests/session/truth.h"

#define DEPTH 8
/* What is other with halves does not depend on how many frames there are. */
#if defined(NTI_SHARED_HALVES)
#define FRAMES 10000u
#else
#define FRAMES tt_rounds(100000, 20000)
#endif

/* A session on a PMU of one counter, and its frames. */
struct rig {
	struct fake_pmu pmu;
	struct ntime_session *s;
	struct ntime_frames *f;
};

/* Events whose truth is known, without frames. */
static void begin(struct rig *r, size_t events)
{
	fake_pmu_init(&r->pmu, 1);
	r->s = truth_session(&r->pmu, events);
	r->f = NULL;
}

static void begin_frames(struct rig *r, size_t events, int fd)
{
	begin(r, events);
	TT_IS(ntime_frames_new(r->s, DEPTH, fd, &r->f), 0);
}

/* Any events and metrics, not started. */
static void begin_list(struct rig *r, uint32_t flags, uint32_t pass, const char *list)
{
	const struct ntime_target target = { .size = sizeof(target), .flags = flags, .pass = pass };

	fake_pmu_init(&r->pmu, 1);
	TT_IS(ntime_session_new(&r->pmu.ctx, &target, &r->s), 0);
	TT_IS(ntime_session_add_list(r->s, list), 0);
	r->f = NULL;
}

static void start(struct rig *r)
{
	TT_IS(ntime_session_start(r->s), 0);
	r->pmu.read_amounts = (struct fake_amounts){ 0 };
}

static void end(struct rig *r)
{
	ntime_frames_free(r->f);
	ntime_session_free(r->s);
	fake_pmu_fini(&r->pmu);
}

/* What happens in frame @n, and its end. */
static void make_frame(struct rig *r, uint64_t n)
{
	truth_work(&r->pmu, n);
	TT_IS(ntime_frame_end(r->f, NULL), 0);
}

static const struct depth_row {
	int line;
	size_t depth;
	int ret;
} depth_rows[] = {
	{ __LINE__, 2, 0 },
	{ __LINE__, 8, 0 },
	{ __LINE__, (size_t)1 << 20, 0 },
	/* a power of two, from 2 on */
	{ __LINE__, 0, -EINVAL },
	{ __LINE__, 1, -EINVAL },
	{ __LINE__, 3, -EINVAL },
	{ __LINE__, 1023, -EINVAL },
	{ __LINE__, (size_t)1 << 21, -EINVAL },
	{ __LINE__, SIZE_MAX, -EINVAL },
};

TEST(depths)
{
	struct rig rig;

	begin(&rig, 1);
	TT_FOR_EACH_ROW(r, depth_rows) {
		struct ntime_frames *f = (struct ntime_frames *)&f;

		TT_EQ(r, ntime_frames_new(rig.s, r->depth, -1, &f), r->ret);
		TT_EQ(r, f != NULL, r->ret == 0);
		ntime_frames_free(f);
	}
	ntime_frames_free(NULL);
	end(&rig);
}

static struct ntime_frame_ring_info info_of(const struct ntime_frame_ring *ring)
{
	struct ntime_frame_ring_info info = { .size = sizeof(info) };

	TT_IS(ntime_frame_ring_get_info(ring, &info), 0);
	return info;
}

/* Values of the caller's: of the frame that ends, of an older one, and not there. */
TEST(own_values)
{
	const struct ntime_item own[] = {
		{ .size = sizeof(own[0]), .name = "samples", .scale = 1 },
		{ .size = sizeof(own[0]), .name = "time", .unit_text = "ns", .scale = 0.5 },
	};
	struct ntime_item item = { .size = sizeof(item) }, wrong = { .size = 1 };
	struct ntime_frame_value v[3];
	const struct ntime_frame_ring *ring;
	struct rig r;

	begin(&r, 1);
	TT_IS(ntime_frames_new_own(r.s, &wrong, 1, DEPTH, -1, &r.f), -EINVAL);
	TT_IS(ntime_frames_new_own(r.s, own, 2, DEPTH, -1, &r.f), 0);
	ring = ntime_frames_ring(r.f);
	TT_IS(info_of(ring).items, 3);
	TT_IS(ntime_frame_ring_item(ring, 2, &item), 0);
	assert_string_equal(item.name, "time");
	assert_string_equal(item.unit_text, "ns");
	assert_string_equal(item.method, "");
	TT_IS(ntime_session_start(r.s), 0);
	TT_IS(ntime_frame_put(r.f, 2, 0, 1), -EINVAL);
	TT_IS(ntime_frame_put(r.f, 0, 1, 1), -EINVAL);
	for (uint64_t n = 0; n < 3; n++) {
		TT_IS(ntime_frame_put(r.f, 0, n, 10 + n), 0);
		TT_IS(n ? ntime_frame_put(r.f, 1, n - 1, 20 + n) : 0, 0);
		TT_IS(ntime_frame_end(r.f, NULL), 0);
		TT_IS(ntime_frame_read(ring, n, NULL, v, 3), 0);
		TT_IS(v[1].last, n);
		TT_IS(v[1].value.count, 10 + n);
		TT_IS(v[2].value.flags, n ? 0 : NTIME_NOT_COUNTED);
		TT_IS(v[2].last, n ? n - 1 : 0);
		assert_true(n == 0 || v[2].value.value == (20 + (double)n) / 2);
	}
	end(&r);
}

/* The last frame up to @n that had pass @pass of @passes; -1: none. */
static int64_t turn_before(uint64_t n, unsigned int pass, unsigned int passes)
{
	uint64_t back = (n + passes - pass % passes) % passes;

	return (int64_t)n - (int64_t)back;
}

/* Value @i of frame @n must be that of the last frame of its pass, exactly. */
static void check_value(const struct ntime_frame_value *v, uint64_t n, size_t i, unsigned int pass,
			unsigned int passes)
{
	int64_t of = turn_before(n, pass, passes);

	if (of < 0) {
		TT_IS(v->value.flags, NTIME_NOT_COUNTED);
		assert_true(isnan(v->value.value));
		return;
	}
	TT_IS(v->first, of);
	TT_IS(v->last, of);
	TT_IS(v->value.flags, 0);
	TT_IS(v->value.count, truth_of(i, (uint64_t)of));
	assert_true(v->value.value == (double)v->value.count && v->value.error == 0);
	TT_IS(v->value.counted_ns, v->value.wanted_ns);
}

/* A sum over all that readers were given, so that two runs can be compared. */
static uint64_t add_up(uint64_t sum, const struct ntime_frame *frame,
		       const struct ntime_frame_value *v, size_t n)
{
	size_t i;

	sum = truth_mix(sum + frame->number * 3 + frame->begin_ns * 5 + frame->end_ns * 7);
	for (i = 0; i < n; i++)
		sum = truth_mix(sum + v[i].value.count + v[i].first * 3 + v[i].last * 5 +
				v[i].value.wanted_ns * 7 + v[i].value.flags);
	return sum;
}

/* Frame @n, which was just ended, and one of those before it. */
static uint64_t look(const struct ntime_frame_ring *ring, uint64_t n, size_t events,
		     const unsigned int *pass, uint64_t sum)
{
	struct ntime_frame_value v[TRUTH_EVENTS];
	struct ntime_frame frame = { .size = sizeof(frame) };
	uint64_t back = truth_mix(n) % (2 * (uint64_t)DEPTH);
	size_t i;

	TT_IS(ntime_frame_read(ring, n + 1, &frame, v, events), -EAGAIN);
	if (back > n)
		return sum;
	if (back >= DEPTH) {
		TT_IS(ntime_frame_read(ring, n - back, &frame, v, events), -ESTALE);
		return sum;
	}
	TT_IS(ntime_frame_read(ring, n - back, &frame, v, events), 0);
	TT_IS(frame.number, n - back);
	TT_IS(frame.pass, (n - back) % events);
	assert_true(frame.end_ns - frame.begin_ns >= TRUTH_NS);
	for (i = 0; i < events; i++)
		check_value(&v[i], n - back, i, pass[i], (unsigned int)events);
	return add_up(sum, &frame, v, events);
}

/* All frames, of @events events on one counter: as many passes. */
static uint64_t run(size_t events)
{
	unsigned int pass[TRUTH_EVENTS];
	uint64_t n, number, sum = 0;
	struct rig r;
	size_t i;

	begin_frames(&r, events, -1);
	TT_IS(ntime_session_passes(r.s), events);
	for (i = 0; i < events; i++) {
		struct ntime_item item = { .size = sizeof(item) };

		TT_IS(ntime_session_item(r.s, i, &item), 0);
		pass[i] = item.pass;
	}
	for (n = 0; n < FRAMES; n++) {
		truth_work(&r.pmu, n);
		TT_IS(ntime_frame_end(r.f, &number), 0);
		TT_IS(number, n);
		sum = look(ntime_frames_ring(r.f), n, events, pass, sum);
	}
	end(&r);
	return sum;
}

TEST(every_number_is_of_its_frame)
{
	size_t events;

	for (events = 1; events <= TRUTH_EVENTS; events++)
		TT_IS(run(events), run(events));
}

/* A metric has a number when all of its events have, and says which frames they are of. */
TEST(metrics)
{
	struct ntime_frame_value v[8];
	int64_t of, first;
	struct rig r;
	uint64_t n;

	begin_list(&r, NTIME_BY_PASS, 0,
		   "instructions:u,instructions:k,branches:u,task-clock,"
		   "two=instructions:u / instructions:k,one=branches:u / task-clock,"
		   "every=task-clock * 2");
	start(&r);
	TT_IS(ntime_session_count(r.s), 7);
	TT_IS(ntime_session_passes(r.s), 3);
	TT_IS(ntime_frames_new(r.s, DEPTH, -1, &r.f), 0);
	for (n = 0; n < 100; n++) {
		make_frame(&r, n);
		TT_IS(ntime_frame_read(ntime_frames_ring(r.f), n, NULL, v, 7), 0);
		/* instructions:u is in pass 0, :k in pass 1, branches in pass 2 */
		of = turn_before(n, 1, 3);
		first = of - 1;
		if (n < 1) {
			assert_true(v[4].value.flags & NTIME_NOT_COUNTED);
			assert_true(isnan(v[4].value.value));
		} else {
			TT_IS(v[4].first, first);
			TT_IS(v[4].last, of);
			assert_true(v[4].value.value == (double)truth_of(0, (uint64_t)first) /
								(double)truth_of(1, (uint64_t)of));
		}
		of = turn_before(n, 2, 3);
		if (n >= 2) {
			TT_IS(v[5].first, of);
			TT_IS(v[5].last, of);
		}
		/* What counts all the time is what it was in that frame. */
		if (n % 3 == 2)
			assert_true(v[5].value.value == (double)truth_of(2, n) / v[3].value.value);
		TT_IS(v[6].last, n);
		assert_true(v[6].value.value == 2 * v[3].value.value);
	}
	end(&r);
}

#if defined(__SANITIZE_ADDRESS__)
extern int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *,
								       size_t),
						     void (*on_free)(const volatile void *));
static unsigned int allocations;

static void count_malloc(const volatile void *memory, size_t bytes)
{
	(void)memory, (void)bytes;
	allocations++;
}

static void count_free(const volatile void *memory)
{
	(void)memory;
	allocations++;
}
#endif

/* With one pass, with several, and with metrics. */
TEST(nothing_is_allocated)
{
#if defined(__SANITIZE_ADDRESS__)
	static const char *const lists[] = {
		"instructions:u,task-clock", "instructions:u,branches:u,task-clock",
		"instructions:u,branches:u,one=instructions:u / task-clock"
	};
	unsigned int before;
	struct rig r;
	size_t i, n;

	assert_true(__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) > 0);
	for (i = 0; i < 3; i++) {
		begin_list(&r, NTIME_BY_PASS, 0, lists[i]);
		TT_IS(ntime_session_start(r.s), 0);
		TT_IS(ntime_frames_new(r.s, DEPTH, -1, &r.f), 0);
		before = allocations;
		assert_true(before > 0);
		for (n = 0; n < 100; n++)
			make_frame(&r, n);
		TT_IS(allocations, before);
		end(&r);
	}
#else
	TT_SKIP("only the address sanitizer tells of allocations");
#endif
}

/*
 * A session that is started late, and stopped around each end: frames have their passes in turn,
 * what needs several has one of each, and lengths are those of the time that it ran.
 */
TEST(sessions_that_stand_still_between_frames)
{
	struct ntime_frame frame = { .size = sizeof(frame) };
	struct ntime_frame_value v[6];
	uint64_t n, begin_ns;
	struct rig r;
	size_t i;

	begin_list(&r, NTIME_BY_PASS, 0,
		   "instructions:u,instructions:k,branches:u,task-clock,"
		   "all=instructions:u + instructions:k + branches:u,ns=real_ns + 0 * task-clock");
	TT_IS(ntime_frames_new(r.s, DEPTH, -1, &r.f), 0);
	/* The PMU is tested at the start, and nothing is counted before. */
	truth_work(&r.pmu, 1000);
	start(&r);
	begin_ns = r.pmu.now_ns;
	for (n = 0; n < 30; n++) {
		truth_work(&r.pmu, n);
		if (n % 4 == 1) {
			TT_IS(ntime_session_stop(r.s), 0);
			truth_work(&r.pmu, 2000 + n);
		}
		TT_IS(ntime_frame_end(r.f, NULL), 0);
		TT_IS(ntime_session_start(r.s), 0);
		TT_IS(ntime_frame_read(ntime_frames_ring(r.f), n, &frame, v, 6), 0);
		TT_IS(frame.pass, n % 3);
		if (n == 0)
			TT_IS(frame.begin_ns, begin_ns);
		for (i = 0; i < 3; i++)
			check_value(&v[i], n, i, (unsigned int)i, 3);
		/* Readings take some time too. */
		assert_true(v[5].value.value >= TRUTH_NS && v[5].value.value < 1.1 * TRUTH_NS);
		if (n % 3 != 2)
			continue;
		TT_IS(v[4].first, n - 2);
		TT_IS(v[4].last, n);
		assert_true(v[4].value.value ==
			    (double)(truth_of(0, n - 2) + truth_of(1, n - 1) + truth_of(2, n)));
	}
	end(&r);
}

/* A frame of a session that counts one pass of several alone is of that pass. */
TEST(a_pass_alone)
{
	struct ntime_frame frame = { .size = sizeof(frame) };
	struct ntime_frame_value v[3];
	uint32_t pass;
	struct rig r;
	uint64_t n;

	for (pass = 0; pass < 3; pass++) {
		begin_list(&r, NTIME_PASS_ALONE, pass, "instructions:u,instructions:k,branches:u");
		start(&r);
		TT_IS(ntime_frames_new(r.s, DEPTH, -1, &r.f), 0);
		for (n = 0; n < 10; n++) {
			make_frame(&r, n);
			TT_IS(ntime_frame_read(ntime_frames_ring(r.f), n, &frame, v, 3), 0);
			TT_IS(frame.pass, pass);
			TT_IS(v[pass].value.count, truth_of(pass, n));
			TT_IS(v[pass].last, n);
		}
		end(&r);
	}
}

/* Its frames would come between those of its parent. */
TEST(a_forked_child_ends_no_frame)
{
	struct ntime_frame_value v;
	int fd = memfd_create("ring", MFD_CLOEXEC), status;
	struct ntime_frame_ring_info info;
	struct rig r;
	pid_t pid;

	begin_frames(&r, 1, fd);
	make_frame(&r, 0);
	pid = fork();
	if (pid == 0) {
		status = ntime_frame_end(r.f, NULL) == -EINVAL ? 0 : 1;
		ntime_frames_free(r.f);
		_exit(status);
	}
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	info = info_of(ntime_frames_ring(r.f));
	TT_IS(info.next, 1);
	TT_IS(info.state, NTIME_FRAMES_RUNNING);
	make_frame(&r, 1);
	TT_IS(ntime_frame_read(ntime_frames_ring(r.f), 1, NULL, &v, 1), 0);
	check_value(&v, 1, 0, 0, 1);
	(void)close(fd);
	end(&r);
}

/* Passes that take turns by time are no passes of frames. */
TEST(several_passes_by_time_are_refused)
{
	struct rig r;

	begin_list(&r, NTIME_TURNS, 0, "instructions:u,branches:u");
	TT_IS(ntime_frames_new(r.s, DEPTH, -1, &r.f), -EINVAL);
	TT_HAS(ntime_error_text(&r.pmu.ctx), "NTIME_BY_PASS");
	end(&r);
}

static ssize_t (*real_read)(struct nti_os *os, int fd, void *buf, size_t size);

static ssize_t broken_read(struct nti_os *os, int fd, void *buf, size_t size)
{
	(void)os, (void)fd, (void)buf, (void)size;
	return -EIO;
}

/* A frame that could not be read has no numbers, nor has the next one of each event. */
TEST(a_read_that_fails)
{
	struct ntime_frame_value v[3];
	struct nti_os_ops ops;
	struct rig r;
	uint64_t n;
	size_t i;

	begin_frames(&r, 3, -1);
	ops = *r.pmu.os.ops;
	real_read = ops.read;
	r.pmu.os.ops = &ops;
	for (n = 0; n < 30; n++) {
		truth_work(&r.pmu, n);
		ops.read = n == 10 ? broken_read : real_read;
		TT_IS(ntime_frame_end(r.f, NULL), n == 10 ? -EIO : 0);
		TT_IS(ntime_frame_read(ntime_frames_ring(r.f), n, NULL, v, 3), 0);
		for (i = 0; i < 3; i++) {
			uint64_t of = (uint64_t)turn_before(n, (unsigned int)i, 3);

			if (n < i || (n >= 10 && of <= 13))
				TT_IS(v[i].value.flags, NTIME_NOT_COUNTED);
			else
				check_value(&v[i], n, i, (unsigned int)i, 3);
		}
	}
	end(&r);
}

static struct ntime_ctx *reader_ctx(void)
{
	struct ntime_ctx *ctx;

	TT_IS(ntime_open(&ctx, NULL), 0);
	return ctx;
}

/* The ring in a memfd, and its reader another mapping of it. */
TEST(in_a_file)
{
	struct ntime_ctx *ctx = reader_ctx();
	struct ntime_item item = { .size = sizeof(item) };
	struct ntime_frame_value v[3];
	struct ntime_frame_ring *ring;
	struct ntime_frame_ring_info info;
	struct ntime_frames *other;
	int fd = memfd_create("ring", MFD_CLOEXEC);
	struct rig r;
	uint64_t n;
	size_t i;

	TT_IS(ntime_frame_ring_open(ctx, fd, &ring), -EBADMSG);
	begin_frames(&r, 3, fd);
	TT_IS(ntime_frames_new(r.s, DEPTH, fd, &other), -EBUSY);
	TT_IS(ntime_frame_ring_open(ctx, fd, &ring), 0);
	(void)close(fd);
	info = info_of(ring);
	TT_IS(info.state, NTIME_FRAMES_RUNNING);
	TT_IS(info.pid, getpid());
	TT_IS(info.depth, DEPTH);
	TT_IS(info.items, 3);
	TT_IS(info.passes, 3);
	TT_IS(info.next, 0);
	for (i = 0; i < 3; i++) {
		TT_IS(ntime_frame_ring_item(ring, i, &item), 0);
		assert_string_equal(item.name, truth_events[i].name);
		assert_string_equal(item.unit, "cpu");
		TT_IS(item.pass, i);
	}
	TT_IS(ntime_frame_ring_item(ring, 3, &item), -EINVAL);
	for (n = 0; n < 100; n++) {
		make_frame(&r, n);
		TT_IS(ntime_frame_read(ring, n, NULL, v, 3), 0);
		for (i = 0; i < 3; i++)
			check_value(&v[i], n, i, (unsigned int)i, 3);
		info = info_of(ring);
		TT_IS(info.next, n + 1);
		TT_IS(info.oldest, n + 1 < DEPTH ? 0 : n + 2 - DEPTH);
	}
	ntime_frames_free(r.f);
	r.f = NULL;
	info = info_of(ring);
	TT_IS(info.state, NTIME_FRAMES_ENDED);
	TT_IS(info.oldest, 100 - DEPTH);
	TT_IS(ntime_frame_read(ring, 99, NULL, v, 3), 0);
	ntime_frame_ring_close(ring);
	end(&r);
	ntime_close(ctx);
}

/* A process that stores ten frames and ends without a word. */
static void store_and_die(int fd)
{
	struct rig r;
	uint64_t n;

	begin(&r, 1);
	if (ntime_frames_new(r.s, DEPTH, fd, &r.f) == 0)
		for (n = 0; n < 10; n++)
			(void)ntime_frame_end(r.f, NULL);
	_exit(0);
}

TEST(a_writer_that_dies)
{
	struct ntime_ctx *ctx = reader_ctx();
	int status, fd = memfd_create("ring", MFD_CLOEXEC);
	struct ntime_frame_ring_info info;
	struct ntime_frame_ring *ring;
	pid_t pid = fork();

	if (pid == 0)
		store_and_die(fd);
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(ntime_frame_ring_open(ctx, fd, &ring), 0);
	info = info_of(ring);
	TT_IS(info.state, NTIME_FRAMES_LOST);
	TT_IS(info.pid, pid);
	TT_IS(info.next, 10);
	ntime_frame_ring_close(ring);
	(void)close(fd);
	ntime_close(ctx);
}

#define DAMAGED "the ring of frames is damaged: its parts do not lie in it"

/* A ring of which @bytes from @at on are others, cut to @length (0: as it is). */
static const struct damage_row {
	int line;
	off_t at;
	uint32_t word;
	off_t length;
	int ret;
	const char *sentence;
} damage_rows[] = {
	{ __LINE__, 8, 1, 0, 0, "" },
	{ __LINE__, 8, 2, 0, -EPROTO,
	  "the ring of frames has version 2, and this ntime reads 1: use the ntime that wrote it" },
	{ __LINE__, 8, 0, 0, -EPROTO,
	  "the ring of frames has version 0, and this ntime reads 1: use the ntime that wrote it" },
	{ __LINE__, 12, 16, 0, -EPROTO,
	  "the ring of frames is of a processor that shares words of 16 bits, and this one" },
	{ __LINE__, 0, 7, 0, -EBADMSG, "it is no ring of frames" },
	{ __LINE__, 8, 1, 4, -EBADMSG, "it is no ring of frames" },
	{ __LINE__, 8, 1, 40, -EBADMSG,
	  "the ring of frames was cut short: it has 40 bytes of 128" },
	{ __LINE__, 8, 1, 200, -EBADMSG, "the ring of frames was cut short: it has 200 bytes of" },
	{ __LINE__, 28, 3, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 28, 0, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 32, 0, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 32, 1000, 0, -EBADMSG, DAMAGED },
	/* sizes that fit into a file with holes, and not into the memory */
	{ __LINE__, 32, 1025, 0, -EBADMSG, "it says that it has 1025 items and" },
	{ __LINE__, 32, UINT32_MAX / 1024, 0, -EBADMSG,
	  "at most 1024, with 65536 bytes each, are" },
	{ __LINE__, 56, 128 << 10, 0, -EBADMSG, "1 items and 131072 bytes of strings" },
	{ __LINE__, 60, 1, 0, -EBADMSG, "the ring of frames is damaged: it says" },
	{ __LINE__, 40, 4, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 44, 1, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 48, 0xfffffff0, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 56, 0, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 64, 4096, 0, -EBADMSG, DAMAGED },
	{ __LINE__, 72, 8, 0, -EBADMSG, DAMAGED },
};

TEST(damaged_rings)
{
	struct ntime_ctx *ctx = reader_ctx();
	struct rig rig;

	begin(&rig, 1);
	TT_FOR_EACH_ROW(r, damage_rows) {
		int fd = memfd_create("ring", MFD_CLOEXEC);
		struct ntime_frame_ring *ring;
		struct ntime_frames *f;

		TT_IS(ntime_frames_new(rig.s, DEPTH, fd, &f), 0);
		TT_IS(pwrite(fd, &r->word, sizeof(r->word), r->at), sizeof(r->word));
		if (r->length)
			TT_IS(ftruncate(fd, r->length), 0);
		TT_EQ(r, ntime_frame_ring_open(ctx, fd, &ring), r->ret);
		if (r->ret)
			TT_HAS(ntime_error_text(ctx), r->sentence);
		ntime_frame_ring_close(ring);
		/* What is gone must not be written to. */
		TT_IS(ftruncate(fd, 1 << 20), 0);
		ntime_frames_free(f);
		(void)close(fd);
	}
	end(&rig);
	ntime_close(ctx);
}

TEST(a_ring_that_is_cut_while_it_is_read)
{
	struct ntime_ctx *ctx = reader_ctx();
	int fd = memfd_create("ring", MFD_CLOEXEC);
	struct ntime_frame_ring_info info = { .size = sizeof(info) };
	struct ntime_frame_ring *ring;
	struct ntime_frame_value v;
	struct rig r;

	begin_frames(&r, 1, fd);
	TT_IS(ntime_frame_ring_open(ctx, fd, &ring), 0);
	TT_IS(ftruncate(fd, 100), 0);
	TT_IS(ntime_frame_read(ring, 0, NULL, &v, 1), -EBADMSG);
	TT_IS(ntime_frame_ring_get_info(ring, &info), -EBADMSG);
	TT_IS(ftruncate(fd, 1 << 20), 0);
	ntime_frame_ring_close(ring);
	(void)close(fd);
	end(&r);
	ntime_close(ctx);
}

/* Where the ring cannot be. */
TEST(other_files)
{
	int fd, pair[2];
	struct rig r;

	begin(&r, 1);
	TT_IS(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	TT_IS(ntime_frames_new(r.s, DEPTH, pair[1], &r.f), -EINVAL);
	TT_TEXT(ntime_error_text(&r.pmu.ctx),
		"a ring of frames needs a regular file, or a memfd, whose size it can set");
	(void)close(pair[0]);
	(void)close(pair[1]);
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	TT_IS(ntime_frames_new(r.s, DEPTH, fd, &r.f), -EBADF);
	TT_TEXT(ntime_error_text(&r.pmu.ctx),
		"the file of a ring of frames must be open for reading and writing");
	(void)close(fd);
	/* One that cannot be written to by mapping it stays empty. */
	fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	TT_IS(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
	TT_IS(ntime_frames_new(r.s, DEPTH, fd, &r.f), -EPERM);
	TT_IS(lseek(fd, 0, SEEK_END), 0);
	(void)close(fd);
	fd = memfd_create("ring", MFD_CLOEXEC);
	TT_IS(write(fd, "x", 1), 1);
	TT_IS(ntime_frames_new(r.s, DEPTH, fd, &r.f), -EINVAL);
	TT_TEXT(ntime_error_text(&r.pmu.ctx), "the file of a ring of frames must be empty");
	(void)close(fd);
	TT_IS(ntime_frames_new(r.s, DEPTH, fd, &r.f), -EBADF);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depths),
		cmocka_unit_test(own_values),
		cmocka_unit_test(every_number_is_of_its_frame),
		cmocka_unit_test(metrics),
		cmocka_unit_test(nothing_is_allocated),
		cmocka_unit_test(sessions_that_stand_still_between_frames),
		cmocka_unit_test(a_pass_alone),
		cmocka_unit_test(a_forked_child_ends_no_frame),
		cmocka_unit_test(several_passes_by_time_are_refused),
		cmocka_unit_test(a_read_that_fails),
		cmocka_unit_test(in_a_file),
		cmocka_unit_test(a_writer_that_dies),
		cmocka_unit_test(damaged_rings),
		cmocka_unit_test(a_ring_that_is_cut_while_it_is_read),
		cmocka_unit_test(other_files),
	};

	return TT_RUN(tests);
}
