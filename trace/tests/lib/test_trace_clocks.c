// SPDX-License-Identifier: MIT
/*
 * Which clocks a count has: counters as a model, read in any order, and the deriver beside it. It
 * knows when a period ends, the deriver knows only what the trace shows.
 */
#include <stdbool.h>
#include <string.h>

#include <ntime/trace/trace.h>

#include "trace/tests/lib/context.h"
#include "trace/tests/lib/derive_model.h"
#include "base/tests/tt.h"

/* Counters of a domain: PRE, START, EVENT, STOP, then CYCLES. */
enum { SLOTS = 4, CYCLES = SLOTS, COUNTERS };
enum { DOMAINS = 3, RECORDS = 4096, KEPT = 32, LONGEST = 1024 };

static const uint32_t counter_address[] = { 0xa700, 0xa6c0, 0xa680, 0xa740, 0xa600 };
static const uint32_t source_address[] = { 0xa400, 0xa440, 0xa480, 0xa4c0 };

/* A counter's values as they were read, and the clocks that they belong to. */
struct history {
	uint64_t value[LONGEST], clocks[LONGEST];
	bool is_certain[LONGEST]; /* the clocks must be known */
	bool is_hidden[LONGEST];  /* they must not: CYCLES was not read */
	uint32_t n;
};

struct model {
	uint32_t value[DOMAINS][COUNTERS];
	struct history history[DOMAINS][SLOTS];
	struct ntime_record record[RECORDS];
	size_t n;
};

static void access_register(struct model *m, uint8_t kind, uint32_t address, uint32_t value)
{
	assert_true(m->n < RECORDS);
	m->record[m->n++] = (struct ntime_record){ .offset = address,
						   .value = value,
						   .mask = UINT32_MAX,
						   .width = 4,
						   .kind = kind,
						   .flags = NTIME_RECORD_VALUED };
}

static void write_register(struct model *m, uint32_t address, uint32_t value)
{
	access_register(m, NTIME_RECORD_WRITE, address, value);
}

/* Each slot counts a signal of its own, so each has one row. */
static void set_up(struct model *m)
{
	for (uint32_t domain = 0; domain < DOMAINS; domain++) {
		write_register(m, 0xa7c0 + 4 * domain, 1);
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			write_register(m, source_address[slot] + 4 * domain, 0xa0 + slot);
			write_register(m, source_address[slot] + 0x20 + 4 * domain, 0xaaaa);
		}
	}
}

static void trigger(struct model *m)
{
	write_register(m, 0x400084, 0x20);
}

static void acknowledge(struct model *m, uint32_t domain)
{
	write_register(m, 0xa7e0 + 4 * domain, 1);
}

/* A read of a counter. */
struct reading {
	uint32_t domain, counter;
	bool is_certain, is_hidden;
};

static void read_counter(struct model *m, const struct reading *r)
{
	const uint32_t *value = m->value[r->domain];

	access_register(m, NTIME_RECORD_READ, counter_address[r->counter] + 4 * r->domain,
			value[r->counter]);
	if (r->counter != CYCLES) {
		struct history *h = &m->history[r->domain][r->counter];

		assert_true(h->n < LONGEST);
		h->value[h->n] = value[r->counter];
		h->clocks[h->n] = value[CYCLES];
		h->is_certain[h->n] = r->is_certain;
		h->is_hidden[h->n++] = r->is_hidden;
	}
}

/* Counts are small, so they are often equal. Clocks are too, if @may_stay. */
static void end_period(struct model *m, uint32_t domain, bool may_stay, uint64_t *seed)
{
	uint32_t *value = m->value[domain];

	for (uint32_t slot = 0; slot < SLOTS; slot++)
		value[slot] = dm_below(seed, 3);
	value[CYCLES] =
		may_stay ? 1000 + dm_below(seed, 2) : value[CYCLES] + 1 + dm_below(seed, 1000);
}

/*
 * The next set-up ends the measurement. ntime_derive_end() would do it too, but looks for the names
 * of all rows, which takes a hundred times as long.
 */
static struct ntime_derive *derive(struct model *m)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch),
					   .records = m->record,
					   .text = "" };
	struct ntime_derive *d;

	set_up(m);
	batch.n = m->n;
	TT_IS(ntime_derive_new(tt_ctx, "GT218", &d), 0);
	TT_IS(ntime_derive_feed(d, &batch, NULL), 0);
	return d;
}

/* How many clocks were known, and how many not. */
struct score {
	uint32_t known, unknown;
};

static void check_clocks(const struct history *h, uint32_t i, uint64_t clocks, struct score *score)
{
	if (clocks == NTIME_DERIVED_NO_CLOCKS) {
		assert_false(h->is_certain[i]);
		score->unknown++;
		return;
	}
	assert_false(h->is_hidden[i]);
	TT_IS(clocks, h->clocks[i]);
	score->known++;
}

static void check_slot(const struct ntime_derive *d, const struct model *m, uint32_t domain,
		       uint32_t slot, struct score *score)
{
	const struct history *h = &m->history[domain][slot];
	struct ntime_derived row;

	TT_IS(dm_find_row(d, domain, slot, &row), h->n != 0);
	if (!h->n)
		return;
	TT_IS(row.reads, h->n);
	TT_IS(row.n_values, h->n < KEPT ? h->n : KEPT);
	for (uint32_t i = 0; i < row.n_values; i++) {
		TT_IS(row.values[i], h->value[i]);
		check_clocks(h, i, row.clocks[i], score);
	}
	TT_IS(row.last, h->value[h->n - 1]);
	check_clocks(h, h->n - 1, row.is_cycles_read ? row.cycles : NTIME_DERIVED_NO_CLOCKS, score);
}

static void check(struct model *m, struct score *score)
{
	struct ntime_derive *d = derive(m);

	for (uint32_t domain = 0; domain < DOMAINS; domain++)
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			check_slot(d, m, domain, slot, score);
	ntime_derive_free(d);
}

/* How the reader of a model reads. */
struct way {
	int line;
	bool has_ends;	 /* the trace shows every end of a period */
	bool has_all;	 /* each period's reads are of the same counters */
	bool has_again;	 /* a counter may be read several times in a period */
	bool is_stopped; /* the last period's reads may end early */
	bool may_stay;	 /* two periods in a row may have equal clocks */
	bool is_certain; /* clocks that were read in a period must be known */
};

static const struct way ways[] = {
	{ __LINE__, .has_ends = true, .may_stay = true, .is_certain = true },
	{ __LINE__, .has_ends = true, .has_again = true, .may_stay = true },
	{ __LINE__, .has_all = true, .is_certain = true },
	{ __LINE__, .has_all = true, .may_stay = true },
	{ __LINE__, .has_all = true, .is_stopped = true },
	{ __LINE__, .has_all = true, .has_again = true },
	{ __LINE__, .has_all = true, .has_again = true, .may_stay = true },
};

/* Counters of one domain that a period's reads are of: each once, or more often, in any order. */
static uint32_t draw_readings(const struct way *w, uint32_t mask, struct reading *out,
			      uint32_t domain, uint64_t *seed)
{
	uint32_t n = 0;

	for (uint32_t counter = 0; counter < COUNTERS; counter++) {
		uint32_t times = mask >> counter & 1;

		if (times && w->has_again && dm_below(seed, 3) == 0)
			times += 1 + dm_below(seed, 2);
		while (times--)
			out[n++] = (struct reading){ .domain = domain, .counter = counter };
	}
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = dm_below(seed, i);
		struct reading kept = out[i - 1];

		out[i - 1] = out[j];
		out[j] = kept;
	}
	return n;
}

static bool has_cycles(const struct reading *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (r[i].counter == CYCLES)
			return true;
	return false;
}

/* Reads of all domains, each in its order, mixed. */
static void mix(struct model *m, struct reading r[DOMAINS][3 * COUNTERS], const uint32_t *n,
		uint64_t *seed)
{
	uint32_t done[DOMAINS] = { 0 }, left = 0;

	for (uint32_t domain = 0; domain < DOMAINS; domain++)
		left += n[domain];
	while (left) {
		uint32_t domain = dm_below(seed, DOMAINS);

		if (done[domain] == n[domain])
			continue;
		read_counter(m, &r[domain][done[domain]++]);
		left--;
	}
}

/* One period of all domains. @mask: counters that are read, of each domain. */
static void run_period(struct model *m, const struct way *w, const uint32_t *mask, bool is_last,
		       uint64_t *seed)
{
	struct reading r[DOMAINS][3 * COUNTERS];
	uint32_t n[DOMAINS];

	for (uint32_t domain = 0; domain < DOMAINS; domain++) {
		bool is_read;

		end_period(m, domain, w->may_stay, seed);
		n[domain] = draw_readings(w, mask[domain], r[domain], domain, seed);
		if (is_last && w->is_stopped && n[domain])
			n[domain] = 1 + dm_below(seed, n[domain]);
		is_read = has_cycles(r[domain], n[domain]);
		for (uint32_t i = 0; i < n[domain]; i++) {
			r[domain][i].is_certain = is_read && w->is_certain;
			r[domain][i].is_hidden = !is_read && w->has_ends;
		}
	}
	mix(m, r, n, seed);
}

/* The trace shows that all domains' periods end. */
static void show_end(struct model *m, uint64_t *seed)
{
	if (dm_below(seed, 2)) {
		trigger(m);
		return;
	}
	for (uint32_t domain = 0; domain < DOMAINS; domain++)
		acknowledge(m, domain);
}

/* Periods between two ends that the trace shows. */
static void run_stretch(struct model *m, const struct way *w, uint64_t *seed)
{
	uint32_t periods = 1 + dm_below(seed, 5), mask[DOMAINS];

	for (uint32_t domain = 0; domain < DOMAINS; domain++)
		mask[domain] = dm_below(seed, 1u << COUNTERS);
	for (uint32_t i = 0; i < periods; i++) {
		for (uint32_t domain = 0; domain < DOMAINS && !w->has_all; domain++)
			mask[domain] = dm_below(seed, 1u << COUNTERS);
		run_period(m, w, mask, i + 1 == periods, seed);
		if (w->has_ends)
			show_end(m, seed);
	}
}

TEST(clocks_are_true_or_unknown)
{
	uint64_t seed = tt_seed();
	static struct model m;

	/* No random number follows 0. */
	seed = seed ? seed : 1;
	TT_FOR_EACH_ROW(w, ways) {
		struct score score = { 0 };

		for (unsigned int round = 0; round < 60; round++) {
			memset(&m, 0, sizeof(m));
			for (uint32_t i = 1 + dm_below(&seed, 3); i > 0; i--) {
				set_up(&m);
				run_stretch(&m, w, &seed);
				show_end(&m, &seed);
				run_stretch(&m, w, &seed);
			}
			check(&m, &score);
		}
		/* Unknown everywhere would never be wrong. */
		TT_EQ(w, score.known > 1000, 1);
		print_message("# line %d: clocks of %u counts known, of %u not\n", w->line,
			      score.known, score.unknown);
	}
}

/* "C" and "E" are reads of CYCLES and EVENT, "S" of START; "." ends a period that nobody sees. */
struct order_row {
	int line;
	const char *reads;
	bool is_same;	     /* EVENT counts the same in each period */
	const char *periods; /* of EVENT, as they must come out: digits, or "?" */
};

static const struct order_row order_rows[] = {
	{ __LINE__, "CE.CE.CE.CE", false, "0123" },
	{ __LINE__, "CE.CE.CE.CE", true, "0123" },
	{ __LINE__, "EC.EC.EC.EC", false, "0123" },
	{ __LINE__, "EC.EC.EC.EC", true, "0123" },
	/* another order in each period */
	{ __LINE__, "CE.EC.CE.EC", true, "0123" },
	{ __LINE__, "SCE.ESC.CES.SEC", true, "0123" },
	/* CYCLES for each counter, or before and after them */
	{ __LINE__, "SCEC.SCEC.SCEC", false, "012" },
	{ __LINE__, "CEC.CEC.CEC", false, "012" },
	{ __LINE__, "ECE.ECE.ECE", false, "001122" },
	/* stopped in the middle of a period */
	{ __LINE__, "EC.EC.E", false, "01?" },
	{ __LINE__, "CE.CE.C", false, "01" },
	{ __LINE__, "EC.EC.E", true, "0??" },
	/* only one period's CYCLES was read: which is not known */
	{ __LINE__, "CE.E.E", false, "???" },
	{ __LINE__, "E.E.EC", false, "???" },
	{ __LINE__, "E.E.E", false, "???" },
	/* one without CYCLES in the middle, which looks like a reader of another order */
	{ __LINE__, "CE.E.CE", false, "???" },
	/* to what is before it or to what is after it */
	{ __LINE__, "CE.CS", false, "?" },
};

TEST(orders_of_reads)
{
	static struct model m;

	TT_FOR_EACH_ROW(r, order_rows) {
		uint32_t period = 0, n = 0;
		struct ntime_derive *d;
		struct ntime_derived row;

		memset(&m, 0, sizeof(m));
		set_up(&m);
		for (const char *p = r->reads; *p; p++) {
			m.value[0][CYCLES] = (period + 1) * 1000000;
			m.value[0][2] = r->is_same ? 100 : (period + 1) * 100;
			m.value[0][1] = 7;
			if (*p == '.')
				period++;
			else
				read_counter(&m, &(struct reading){ .counter = *p == 'C'   ? CYCLES
									       : *p == 'E' ? 2
											   : 1 });
		}
		d = derive(&m);
		TT_EQ(r, dm_find_row(d, 0, 2, &row), 1);
		TT_EQ(r, row.n_values, strlen(r->periods));
		for (const char *p = r->periods; *p; p++)
			TT_EQ(r, row.clocks[n++],
			      *p == '?' ? NTIME_DERIVED_NO_CLOCKS
					: (uint64_t)(*p - '0' + 1) * 1000000);
		ntime_derive_free(d);
	}
}

/* Memory does not grow with the trace: of what no end is shown for, only the first reads count. */
TEST(first_reads_of_many)
{
	static struct model m;
	struct ntime_derive *d;
	struct ntime_derived row;

	memset(&m, 0, sizeof(m));
	set_up(&m);
	for (uint32_t i = 0; i < 1000; i++) {
		m.value[0][CYCLES] = 1000 + i;
		m.value[0][2] = i;
		read_counter(&m, &(struct reading){ .counter = i % 2 ? CYCLES : 2 });
		read_counter(&m, &(struct reading){ .counter = i % 2 ? 2 : CYCLES });
	}
	trigger(&m);
	read_counter(&m, &(struct reading){ .counter = 2 });
	read_counter(&m, &(struct reading){ .counter = CYCLES });
	d = derive(&m);
	assert_true(dm_find_row(d, 0, 2, &row));
	TT_IS(row.reads, 1001);
	for (uint32_t i = 0; i < KEPT; i++)
		TT_IS(row.clocks[i], 1000 + i);
	TT_IS(row.cycles, 1999);
	ntime_derive_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_of_reads),
		cmocka_unit_test(clocks_are_true_or_unknown),
		cmocka_unit_test(first_reads_of_many),
	};

	return cmocka_run_group_tests(tests, tt_open_context, tt_close_context) ? 1 : 0;
}
