// SPDX-License-Identifier: MIT
/* The four calls: one measurement, whichever way counts it, and what is said about it. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "count/compat/rpi_pmu/pmu.h"
#include "count/compat/rpi_pmu/rpi_pmu.h"

/* The package's functions have no handle: this is the one measurement. */
static struct {
	const struct rpi_method *method; /* that counts now; NULL: nothing counts */
	bool is_done;	/* .counts and .why are those of a measurement that ended */
	int numbers[2]; /* as the caller gave them */
	struct rpi_count counts[RPI_COUNTERS];
	char why[512];	  /* no counter counted: why */
	char error[2048]; /* rpi_pmu_error() */
} pmu;

static const char *const counter_names[RPI_COUNTERS] = { "Cycle Counter", "Counter 0",
							 "Counter 1" };

static const char *event_name(int counter)
{
	const struct rpi_event *row;

	if (counter == RPI_CYCLES)
		return "Processor cycles";
	row = rpi_event_find(pmu.numbers[counter - RPI_EVENT0]);
	return row ? row->name : "Unknown event";
}

static void add_error(const char *sentence)
{
	size_t length = strlen(pmu.error);

	(void)snprintf(pmu.error + length, sizeof(pmu.error) - length, "%s%s", length ? "; " : "",
		       sentence);
}

/* One sentence for each counter without a number, or the one for all of them. */
static void collect_errors(void)
{
	char sentence[640];

	pmu.error[0] = '\0';
	if (pmu.why[0]) {
		add_error(pmu.why);
		return;
	}
	for (int i = 0; i < RPI_COUNTERS; i++) {
		const struct rpi_count *c = &pmu.counts[i];

		if (c->reason[0])
			(void)snprintf(sentence, sizeof(sentence), "%s (%s) was not counted: %s",
				       counter_names[i], event_name(i), c->reason);
		else if (c->has_overflowed)
			(void)snprintf(sentence, sizeof(sentence),
				       "%s (%s) passed 2^32 and its count is not valid: measure "
				       "shorter parts",
				       counter_names[i], event_name(i));
		else
			continue;
		add_error(sentence);
	}
}

static void forget_counts(void)
{
	memset(pmu.counts, 0, sizeof(pmu.counts));
	for (int i = 0; i < RPI_COUNTERS; i++)
		pmu.counts[i].note = "";
	pmu.why[0] = '\0';
	pmu.error[0] = '\0';
	pmu.is_done = false;
}

static const struct rpi_method *find_method(void)
{
	for (size_t i = 0; rpi_methods[i]; i++)
		if (rpi_methods[i]->is_here())
			return rpi_methods[i];
	return NULL;
}

/* The child has the registers or descriptors of its parent's measurement, and must not end it. */
static void in_child(void)
{
	if (!pmu.method)
		return;
	pmu.method->forget();
	pmu.method = NULL;
	forget_counts();
	(void)snprintf(pmu.why, sizeof(pmu.why),
		       "counting was started before fork(2) and is the parent's: call "
		       "start_counting() in the child");
	pmu.is_done = true;
	collect_errors();
}

__attribute__((constructor)) static void watch_fork(void)
{
	(void)pthread_atfork(NULL, NULL, in_child);
}

/* Nothing keeps counting after the program: the ARM1176's registers know no programs. */
__attribute__((destructor)) static void stop_at_exit(void)
{
	stop_counting();
}

void start_counting(int evt0, int evt1)
{
	const struct rpi_event *rows[2] = { rpi_event_find(evt0), rpi_event_find(evt1) };
	const struct rpi_method *method = find_method();

	if (pmu.method)
		stop_counting();
	forget_counts();
	pmu.numbers[0] = evt0;
	pmu.numbers[1] = evt1;
	for (int i = 0; i < 2; i++)
		if (!rows[i])
			(void)snprintf(pmu.counts[RPI_EVENT0 + i].reason,
				       sizeof(pmu.counts[0].reason),
				       "the ARM1176 has no event %#x: take one of rpi_pmu.h",
				       (unsigned int)pmu.numbers[i]);
	if (!method) {
		(void)snprintf(pmu.why, sizeof(pmu.why),
			       "nothing here can count: this processor is not known");
	} else if (method->start(rows, pmu.counts, pmu.why, sizeof(pmu.why)) == 0) {
		pmu.method = method;
		return;
	}
	pmu.is_done = true;
	collect_errors();
}

void stop_counting(void)
{
	const struct rpi_method *method = pmu.method;

	if (!method)
		return;
	(void)method->stop(pmu.counts, pmu.why, sizeof(pmu.why));
	pmu.method = NULL;
	pmu.is_done = true;
	collect_errors();
}

/* Is there a number to vouch for? */
static bool has_count(int counter)
{
	return pmu.is_done && !pmu.why[0] && !pmu.counts[counter].reason[0];
}

static void give(uint64_t *to, int counter)
{
	const struct rpi_count *c = &pmu.counts[counter];

	if (to)
		*to = has_count(counter) && !c->has_overflowed ? c->count : RPI_PMU_NO_COUNT;
}

void get_counts(uint64_t *cycles, uint64_t *evt0, uint64_t *evt1)
{
	give(cycles, RPI_CYCLES);
	give(evt0, RPI_EVENT0);
	give(evt1, RPI_EVENT1);
}

static void print_counter(FILE *out, int counter)
{
	const struct rpi_count *c = &pmu.counts[counter];

	if (!has_count(counter)) {
		fprintf(out, "%s: not counted (%s): %s\n", counter_names[counter],
			event_name(counter), c->reason);
		return;
	}
	fprintf(out, "%s: %" PRIu64 "%s %s", counter_names[counter], c->count,
		c->has_overflowed ? " (OVERFLOW)" : "", event_name(counter));
	if (counter == RPI_CYCLES)
		fprintf(out, " (scaled by %d)", RPI_CYCLES_STEP);
	if (c->note[0])
		fprintf(out, " (%s)", c->note);
	fprintf(out, "\n");
}

void print_counts(FILE *out)
{
	if (!out)
		return;
	fprintf(out, "Performance Monitor events\n");
	if (!pmu.is_done)
		fprintf(out, "Nothing was counted: %s\n",
			pmu.method ? "counting still runs, call stop_counting()"
				   : "call start_counting() and stop_counting() first");
	else if (pmu.why[0])
		fprintf(out, "Nothing was counted: %s\n", pmu.why);
	else
		for (int i = 0; i < RPI_COUNTERS; i++)
			print_counter(out, i);
}

const char *rpi_pmu_error(void)
{
	return pmu.error;
}
