// SPDX-License-Identifier: MIT
/*
 * The way on every other processor: a session of libntime that counts what has the same meaning
 * there.
 *
 * On Arm it asks ntime.ko first, where that is loaded, this user may write its registers and user
 * mode may read the counters (PMUSERENR). The driver counts a CPU, as the registers of the ARM1176
 * do: the thread is kept on the CPU where it is until stop_counting(). Else it is perf, which
 * counts this thread.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <ntime/ntime.h>

#include "count/compat/rpi_pmu/pmu.h"
#include "include/uapi/ntime.h"

#if defined(__arm__) || defined(__aarch64__)
#define HAS_DRIVER_WAY 1
#else
#define HAS_DRIVER_WAY 0
#endif

/* What the cycle counter counts, and ARMV6_EVENT_CPU_CYCLES (events.c). */
#define CYCLES "cycles"

static struct {
	struct ntime_ctx *ctx; /* opened once */
	struct ntime_session *session;
	bool has_item[RPI_COUNTERS];
	struct ntime_reader reader[RPI_COUNTERS];
	uint64_t base[RPI_COUNTERS];
	bool is_pinned;
	cpu_set_t before,
		/* where the thread may run: before start_counting(), and until stop_counting() */
		pinned;
} counting;

static bool is_here(void)
{
	return true;
}

static int say_error(char *why, size_t size, int ret)
{
	(void)snprintf(why, size, "%s",
		       counting.ctx ? ntime_error_text(counting.ctx) : strerror(-ret));
	return ret;
}

static void end(void)
{
	ntime_session_free(counting.session);
	counting.session = NULL;
	if (counting.is_pinned)
		(void)sched_setaffinity(0, sizeof(counting.before), &counting.before);
	counting.is_pinned = false;
}

/* Keep this thread where it is. The number of the CPU, or -1 with nothing changed. */
static int pin(void)
{
	int cpu = sched_getcpu();

	if (cpu < 0 || cpu >= CPU_SETSIZE ||
	    sched_getaffinity(0, sizeof(counting.before), &counting.before) < 0)
		return -1;
	CPU_ZERO(&counting.pinned);
	CPU_SET(cpu, &counting.pinned);
	if (sched_setaffinity(0, sizeof(counting.pinned), &counting.pinned) < 0)
		return -1;
	counting.is_pinned = true;
	return cpu;
}

/* What is absent keeps its reason in @out; the rest has a reader. */
static int get_reader(int counter, size_t item, struct rpi_count *out)
{
	struct ntime_item info = { .size = sizeof(info) };
	const char *remedy;
	int ret;

	counting.reader[counter].size = sizeof(counting.reader[counter]);
	ret = ntime_get_reader(counting.session, item, &counting.reader[counter]);
	if (ret < 0 && ret != -ENODATA)
		return ret;
	if (ntime_session_item(counting.session, item, &info) < 0)
		return -EINVAL;
	if (ret == -ENODATA) {
		remedy = info.remedy_kind == NTIME_REMEDY_NONE ? "" : info.remedy;
		(void)snprintf(out->reason, sizeof(out->reason), "%s%s%s", info.reason,
			       *remedy ? "; " : "", remedy);
		return 0;
	}
	counting.has_item[counter] = true;
	/*
	 * A reason of something that is counted tells what is left out: the kernel, where it is
	 * closed to this user.
	 */
	if (*info.reason && !*out->note)
		out->note = "user mode only";
	return 0;
}

/* One item of the session, or a reason. */
static int add(const char *name, int item[RPI_COUNTERS], int counter, struct rpi_count *out)
{
	int ret = ntime_session_add(counting.session, name, &item[counter]);

	/* The processor's kernel driver has no event of that name. */
	if (ret == -ENOENT) {
		item[counter] = -1;
		(void)snprintf(out->reason, sizeof(out->reason),
			       "this processor has nothing that counts it ('%s')", name);
		return 0;
	}
	return ret;
}

static int add_all(const struct rpi_event *const evt[2], struct rpi_count out[RPI_COUNTERS],
		   int item[RPI_COUNTERS])
{
	int ret = add(CYCLES, item, RPI_CYCLES, &out[RPI_CYCLES]);

	for (int i = 0; i < 2 && ret == 0; i++) {
		struct rpi_count *c = &out[RPI_EVENT0 + i];

		item[RPI_EVENT0 + i] = -1;
		if (!evt[i])
			continue;
		if (evt[i]->other && strcmp(evt[i]->other, CYCLES) == 0) {
			/*
			 * The same item: ARMv7 counts cycles in one counter only (Linux
			 * perf_event_v7.c).
			 */
			item[RPI_EVENT0 + i] = item[RPI_CYCLES];
			memcpy(c->reason, out[RPI_CYCLES].reason, sizeof(c->reason));
		} else if (evt[i]->other) {
			ret = add(evt[i]->other, item, RPI_EVENT0 + i, c);
			c->note = evt[i]->note ? evt[i]->note : "";
		} else {
			(void)snprintf(c->reason, sizeof(c->reason),
				       "no counter of this processor counts the same, only the "
				       "ARM1176 does");
		}
	}
	return ret;
}

/* More than one pass would count a part of the time only. */
static int check_passes(struct rpi_count out[RPI_COUNTERS])
{
	if (ntime_session_passes(counting.session) <= 1)
		return 0;
	for (int i = 0; i < RPI_COUNTERS; i++) {
		if (!counting.has_item[i])
			continue;
		counting.has_item[i] = false;
		(void)snprintf(
			out[i].reason, sizeof(out[i].reason),
			"the counters of this processor cannot count these events at the same "
			"time: take one event");
	}
	return 0;
}

static int open_session(const struct ntime_target *target, const struct rpi_event *const evt[2],
			struct rpi_count out[RPI_COUNTERS])
{
	int item[RPI_COUNTERS] = { -1, -1, -1 };
	int ret = ntime_session_new(counting.ctx, target, &counting.session);

	memset(counting.has_item, 0, sizeof(counting.has_item));
	if (ret == 0)
		ret = add_all(evt, out, item);
	if (ret == 0)
		ret = ntime_session_open(counting.session);
	for (int i = 0; i < RPI_COUNTERS && ret == 0; i++)
		if (item[i] >= 0)
			ret = get_reader(i, (size_t)item[i], &out[i]);
	return ret < 0 ? ret : check_passes(out);
}

/*
 * Is every counter read by an instruction? Else a read is a system call for each, dearer than
 * perf's.
 */
static bool has_cheap_readers(void)
{
	/* What the driver grants is known once it counts: they are asked for anew. */
	for (int i = 0; i < RPI_COUNTERS; i++)
		if (counting.has_item[i] &&
		    (ntime_get_reader(counting.session, counting.reader[i].item,
				      &counting.reader[i]) < 0 ||
		     counting.reader[i].state->type != NTIME_READER_CORE))
			return false;
	return true;
}

/*
 * Through ntime.ko, if that counts everything that perf could and lets user mode at the counters:
 * else nothing is changed, and false.
 */
static bool open_by_driver(const struct rpi_event *const evt[2], struct rpi_count out[RPI_COUNTERS])
{
	struct ntime_target target = {
		.size = sizeof(target),
		.kind = NTIME_TARGET_CPUS,
		.via = NTIME_VIA_NTIMEFS,
	};
	struct rpi_count tried[RPI_COUNTERS];
	char cpus[16];
	int cpu;

	if (access(NTIME_FS_PATH "/status", F_OK) < 0)
		return false;
	cpu = pin();
	if (cpu < 0)
		return false;
	(void)snprintf(cpus, sizeof(cpus), "%d", cpu);
	target.cpus = cpus;
	memcpy(tried, out, sizeof(tried));
	if (open_session(&target, evt, tried) == 0 && counting.has_item[RPI_CYCLES] &&
	    (!evt[0] || !evt[0]->other || counting.has_item[RPI_EVENT0]) &&
	    (!evt[1] || !evt[1]->other || counting.has_item[RPI_EVENT1]) &&
	    ntime_session_start(counting.session) == 0 && has_cheap_readers()) {
		memcpy(out, tried, sizeof(tried));
		return true;
	}
	end();
	return false;
}

/*
 * Order and instructions are the same at both ends, so that what they add is a constant. The first
 * time pages are touched and functions are bound: start_counting() calls it twice.
 */
static __attribute__((noinline)) void read_all(uint64_t counts[RPI_COUNTERS],
					       int status[RPI_COUNTERS])
{
	for (int i = 0; i < RPI_COUNTERS; i++)
		if (counting.has_item[i])
			status[i] = ntime_read(&counting.reader[i], &counts[i]);
}

static int start(const struct rpi_event *const evt[2], struct rpi_count out[RPI_COUNTERS],
		 char *why, size_t size)
{
	int status[RPI_COUNTERS], ret = 0;

	if (!counting.ctx)
		ret = ntime_open(&counting.ctx, NULL);
	if (ret < 0) {
		(void)say_error(why, size, ret);
		ntime_close(counting.ctx);
		counting.ctx = NULL;
		return ret;
	}
	if (!HAS_DRIVER_WAY || !open_by_driver(evt, out)) {
		ret = open_session(NULL, evt, out);
		/* Nothing to start: each counter has its reason. */
		if (ret == 0 && !counting.has_item[RPI_CYCLES] && !counting.has_item[RPI_EVENT0] &&
		    !counting.has_item[RPI_EVENT1])
			return 0;
		if (ret == 0)
			ret = ntime_session_start(counting.session);
	}
	if (ret < 0) {
		(void)say_error(why, size, ret);
		end();
		return ret;
	}
	read_all(counting.base, status);
	read_all(counting.base, status);
	return 0;
}

static int stop(struct rpi_count out[RPI_COUNTERS], char *why, size_t size)
{
	int status[RPI_COUNTERS] = { 0 };
	uint64_t now[RPI_COUNTERS] = { 0 };
	cpu_set_t cpus;

	read_all(now, status);
	if (counting.is_pinned && (sched_getaffinity(0, sizeof(cpus), &cpus) < 0 ||
				   !CPU_EQUAL(&cpus, &counting.pinned))) {
		(void)snprintf(why, size,
			       "the thread was allowed to leave its CPU while that was counted: "
			       "leave its affinity alone between start_counting() and "
			       "stop_counting()");
		counting.is_pinned = false;
		end();
		return -ESTALE;
	}
	for (int i = 0; i < RPI_COUNTERS; i++) {
		if (!counting.has_item[i])
			continue;
		if (status[i] < 0)
			(void)snprintf(out[i].reason, sizeof(out[i].reason),
				       "its counter could not be read (%s)", strerror(-status[i]));
		else if (status[i] & ~(int)NTIME_USER_ONLY)
			(void)snprintf(out[i].reason, sizeof(out[i].reason),
				       "its counter was used by another program for a part of the "
				       "time: end what else counts and measure again");
		out[i].count = now[i] - counting.base[i];
	}
	out[RPI_CYCLES].count /= RPI_CYCLES_STEP;
	end();
	return 0;
}

/*
 * Descriptors and mappings of the parent stay as they are: closing them is harmless, but ending the
 * session would stop the parent's counters, which the two share (perf_event_open(2), ioctl). What
 * they take is freed when the child execs or ends.
 */
static void forget(void)
{
	counting.session = NULL;
	counting.ctx = NULL;
	if (counting.is_pinned)
		(void)sched_setaffinity(0, sizeof(counting.before), &counting.before);
	counting.is_pinned = false;
}

const struct rpi_method rpi_method_session = { is_here, start, stop, forget };
