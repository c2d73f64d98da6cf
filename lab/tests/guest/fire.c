// SPDX-License-Identifier: MIT
/* Volleys of fast reads between two read(2)s. */
#include <inttypes.h>
#include <linux/perf_event.h>

#include "fire.h"
#include "guest.h"
#include "lab/tests/workloads/count.h"
#include "base/tests/tt.h"

#define LEARNED 50
#define WRONGS_TOLD 5

unsigned long lab_all_reads;

#ifdef NTIME_HAS_PMC_

/* Instructions from one read of a volley to the next; 0 while they are not known. */
static uint64_t steps[LAB_VOLLEY];

static void tell_wrong(struct lab_fire *f, const char *what, uint64_t a, uint64_t b)
{
	if (f->wrong++ < WRONGS_TOLD)
		print_error("%s, read %lu: %s: %" PRIu64 " and %" PRIu64 "\n", f->name, f->reads,
			    what, a, b);
}

struct lab_fire lab_fire_open(const char *name, const char *events)
{
	return (struct lab_fire){ .name = name, .r = lab_reader(lab_started(events), 0) };
}

void lab_fire_look(struct lab_fire *f)
{
	const volatile struct perf_event_mmap_page *page = f->r.state->source;
	uint32_t index = page->index;
	uint64_t raw;

	if (!index)
		return;
	raw = ntime_pmc_(index);
	if (page->index != index)
		return;
	f->wraps += raw < f->raw;
	f->raw = raw;
}

/*
 * Every second read looks whether the instruction alone would do; the others are what programs
 * call.
 */
static inline int read_one(struct lab_fire *f, unsigned int k, uint64_t *count)
{
	if (k % 2 == 0 && !f->read_call)
		return ntime_read(&f->r, count);
	f->tried++;
	if (ntime_read_pmc_(f->r.state, count) == 0) {
		f->fast++;
		return 0;
	}
	if (!f->read_call)
		return ntime_read_call(&f->r, count);
	*count = f->read_call(f->arg);
	return 0;
}

static uint64_t read_call(struct lab_fire *f)
{
	return f->read_call ? f->read_call(f->arg) : lab_read_call(&f->r);
}

static void check_volley(struct lab_fire *f, uint64_t before, const uint64_t *v, uint64_t after)
{
	if (v[0] < before)
		tell_wrong(f, "below the read(2) before it", v[0], before);
	if (after < v[LAB_VOLLEY - 1])
		tell_wrong(f, "above the read(2) after it", v[LAB_VOLLEY - 1], after);
	for (unsigned int k = 1; k < LAB_VOLLEY; k++) {
		if (v[k] < v[k - 1])
			tell_wrong(f, "backward", v[k - 1], v[k]);
		else if (!f->read_call && v[k] - v[k - 1] < steps[k])
			tell_wrong(f, "instructions are missing", v[k] - v[k - 1], steps[k]);
		f->uneven += !f->read_call && steps[k] && v[k] - v[k - 1] != steps[k];
	}
}

/*
 * One loop for learning and for all tests, so that the instructions between two reads are the same.
 */
static __attribute__((noinline)) void fire(struct lab_fire *f, uint64_t v[LAB_VOLLEY])
{
	uint64_t before = read_call(f), after;
	int flags = 0;

	for (unsigned int k = 0; k < LAB_VOLLEY; k++)
		flags |= read_one(f, k, &v[k]);
	after = read_call(f);
	f->reads += LAB_VOLLEY;
	lab_all_reads += LAB_VOLLEY;
	if (flags)
		tell_wrong(f, "flags of a counter that nobody took away", (uint64_t)flags, 0);
	check_volley(f, before, v, after);
	lab_fire_look(f);
}

void lab_fire(struct lab_fire *f)
{
	uint64_t v[LAB_VOLLEY];

	fire(f, v);
}

static bool is_exact(struct lab_fire *f)
{
	uint64_t first = 0;

	for (int i = 0; i < 5; i++) {
		uint64_t before = lab_read_call(&f->r), took;

		lab_turns(100000);
		took = lab_read_call(&f->r) - before;
		/* The first round goes through the dynamic linker. */
		if (i == 1)
			first = took;
		else if (i > 1 && took != first)
			return false;
	}
	return true;
}

bool lab_fire_learn(struct lab_fire *f)
{
	uint64_t v[LAB_VOLLEY], least[LAB_VOLLEY];

	if (!is_exact(f))
		return false;
	memset(least, 0xff, sizeof(least));
	for (int i = 0; i < LEARNED; i++) {
		fire(f, v);
		for (unsigned int k = 1; i && k < LAB_VOLLEY; k++) {
			if (v[k] - v[k - 1] < least[k])
				least[k] = v[k] - v[k - 1];
		}
	}
	least[0] = 0;
	memcpy(steps, least, sizeof(steps));
	print_message("# steps between reads: %" PRIu64 " and %" PRIu64 " instructions\n", steps[1],
		      steps[2]);
	return true;
}

void lab_fire_at(struct lab_fire *f, uint64_t before, uint64_t value, uint64_t after)
{
	f->reads++;
	lab_all_reads++;
	if (value < before || after < value)
		tell_wrong(f, "not between two read(2)s: value and lower bound", value, before);
}

void lab_fire_must_be_fast(const struct lab_fire *f)
{
	if (f->fast * 100 < f->tried * 99)
		fail_msg("%s: the instruction did for %lu of %lu reads only (%s)", f->name, f->fast,
			 f->tried, ntime_reader_why(&f->r));
}

void lab_fire_close(struct lab_fire *f)
{
	print_message("# %s: %lu reads, the instruction did for %lu of %lu, %lu uneven steps, "
		      "%lu wraps, %lu wrong\n",
		      f->name, f->reads, f->fast, f->tried, f->uneven, f->wraps, f->wrong);
	ntime_session_free(f->r.session);
	TT_IS(f->wrong, 0);
	TT_IS(f->fast > 0, 1);
}

#endif
