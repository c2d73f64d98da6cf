// SPDX-License-Identifier: MIT
/*
 * Counter set-ups out of accesses: what a model of drivers put in must come out, in every form of
 * trace; and the rules one by one.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ntime/trace/derive.h>
#include <ntime/trace/trace.h>

#include "core/regs/nv50_chip.h"
#include "trace/lib/derive/chip.h"
#include "trace/lib/derive/names.h"
#include "trace/lib/derive/state.h"
#include "trace/tests/lib/context.h"
#include "trace/tests/lib/derive_model.h"
#include "trace/tests/lib/records.h"

/* A trace in a file, derived. */
static struct ntime_derive *derive_file(const char *path, const char *chip)
{
	struct ntime_trace_options o = { .size = sizeof(o), .flags = NTIME_TRACE_REQUESTS };
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	struct ntime_derive *d;
	struct ntime_trace *t;

	TT_IS(ntime_trace_open(tt_ctx, path, &o, &t), 0);
	TT_IS(ntime_derive_new(tt_ctx, chip, &d), 0);
	while (ntime_trace_next(t, &batch) == 0 && batch.n)
		TT_IS(ntime_derive_feed(d, &batch, t), 0);
	TT_IS(ntime_derive_end(d), 0);
	ntime_trace_close(t);
	return d;
}

static char path[64];

static FILE *begin_file(void)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	return f;
}

static struct ntime_derive *derive_model(const struct dm_trace *t, enum dm_form form,
					 bool has_boot0, const struct dm_chip *chip,
					 const char *told)
{
	FILE *f = begin_file();

	dm_print(t, form, has_boot0, chip, f);
	fclose(f);
	return derive_file(path, told);
}

static struct ntime_derive *derive_text(const char *text, const char *chip)
{
	FILE *f = begin_file();

	fputs(text, f);
	fclose(f);
	return derive_file(path, chip);
}

/* Accesses as words; "|" ends a list of register operations, "#1" is one of a context. */
static void parse_words(const char *words, struct dm_trace *t)
{
	char text[1024], *list, *rest = text;
	struct ntime_record r[32];

	assert_true((size_t)snprintf(text, sizeof(text), "%s", words) < sizeof(text));
	t->n = t->lists = 0;
	while ((list = strsep(&rest, "|"))) {
		size_t n = tt_parse_records(list, r, 32);

		for (size_t i = 0; i < n; i++)
			t->a[t->n++] = (struct dm_access){ r[i].kind == NTIME_RECORD_WRITE,
							   r[i].device == 1, (uint32_t)r[i].offset,
							   (uint32_t)r[i].value, t->lists };
		t->lists++;
	}
}

static struct ntime_derive *derive_words(const char *words, enum dm_form form, const char *chip)
{
	static struct dm_trace t;

	parse_words(words, &t);
	return derive_model(&t, form, false, dm_chips, chip);
}

#define WORDS(member) TT_WORDS(struct ntime_derived, member)
#define NUMBER(member) TT_NUMBER(struct ntime_derived, member)

static const struct tt_field fields[] = {
	WORDS(event),  WORDS(unit),  WORDS(instance),  WORDS(mode),    WORDS(counter),
	NUMBER(flags), WORDS(mux),   WORDS(logic),     WORDS(changed), WORDS(group_sel),
	WORDS(notes),  NUMBER(last), WORDS(event_src), NUMBER(sum),    WORDS(event_op),
	WORDS(extra),  { 0 },
};

static void get_row(const struct ntime_derive *d, size_t i, struct ntime_derived *out)
{
	*out = (struct ntime_derived){ .size = sizeof(*out) };
	TT_IS(ntime_derive_get(d, i, out), 0);
}

/*
 * Each test has random numbers of its own; no seed may end in 0, from which tt_random() never comes
 * away.
 */
static uint64_t seed_of(unsigned int test)
{
	uint64_t seed = tt_seed() ^ test;

	return seed ? seed : UINT64_MAX;
}

TEST(every_seed_gives_numbers)
{
	const char *old = getenv("TT_SEED");
	char *kept = old ? strdup(old) : NULL;
	char text[16];

	for (unsigned int test = 0; test < 4; test++) {
		uint64_t seed;

		snprintf(text, sizeof(text), "%u", test);
		setenv("TT_SEED", text, 1);
		seed = seed_of(test);
		assert_true(tt_random(&seed) != tt_random(&seed));
	}
	if (kept)
		setenv("TT_SEED", kept, 1);
	else
		unsetenv("TT_SEED");
	free(kept);
}

/* Levels of all wires in one clock. */
struct levels {
	bool signal[256];
	bool group[256][4];
};

static void draw_levels(struct levels *l, const struct dm_setup *s, unsigned int set,
			bool has_groups, uint64_t *seed)
{
	for (unsigned int i = 0; i < 256; i++) {
		l->signal[i] = tt_random(seed) >> 40 & 1;
		for (unsigned int j = 0; j < 4; j++)
			l->group[i][j] = tt_random(seed) >> 40 & 1;
	}
	l->signal[s->chip->zero[set]] = false;
	for (unsigned int i = 0; i < 16 && set == 3 && has_groups; i++)
		l->signal[i] = l->group[s->groups >> i / 4 * 8 & 0xff][i % 4];
}

static bool slot_level(const struct dm_slot *slot, const struct levels *l)
{
	unsigned int index = 0;

	for (unsigned int i = 0; i < 4; i++)
		index |= (unsigned int)l->signal[slot->src >> 8 * i & 0xff] << i;
	return slot->op >> index & 1;
}

/* What the hardware adds to the slot's counter in this clock. */
static unsigned int truth(const struct dm_domain *d, unsigned int slot, const struct levels *l)
{
	unsigned int sum = 0;

	if (!slot_level(&d->slot[slot], l))
		return 0;
	if (!d->mode || slot != 2)
		return 1;
	for (unsigned int i = 0; i < 4; i++)
		sum |= (unsigned int)l->signal[d->slot[1].src >> 8 * i & 0xff] << i;
	for (unsigned int i = 2; i < 4 && d->mode == 2; i++)
		sum |= (unsigned int)l->signal[d->slot[2].src >> 8 * i & 0xff] << (i + 2);
	return sum;
}

static bool wire_level(const char *name, const struct levels *l)
{
	unsigned int group, wire;

	if (sscanf(name, "MPC.%2x.%u", &group, &wire) == 2)
		return l->group[group][wire];
	if (strcmp(name, "0") == 0)
		return false;
	return l->signal[strtoul(name, NULL, 16)];
}

/* "a,b,c}": the number they make; sets @end behind the brace. */
static unsigned int wires_number(const char *text, const struct levels *l, const char **end)
{
	unsigned int number = 0, i = 0;
	char name[32];

	while (*text != '}') {
		size_t n = strcspn(text, ",}");

		assert_true(n && n < sizeof(name));
		memcpy(name, text, n);
		name[n] = '\0';
		number |= (unsigned int)wire_level(name, l) << i++;
		text += n + (text[n] == ',');
	}
	*end = text + 1;
	return number;
}

/* What the derived row says is added in this clock. */
static unsigned int derived(const struct ntime_derived *row, const struct levels *l)
{
	const char *at = strchr(row->key, '{'), *end;
	unsigned int sum = 1, index;

	assert_non_null(at);
	if (strncmp(at - 3, "int", 3) == 0) {
		sum = wires_number(at + 1, l, &end);
		at = strchr(end, '{');
	}
	index = wires_number(at + 1, l, &end);
	assert_true(*end == '=' && index < 64);
	return strtoull(end + 1, NULL, 16) >> index & 1 ? sum : 0;
}

static void check_slot(const struct ntime_derive *d, const struct dm_setup *s, unsigned int i,
		       unsigned int slot, bool has_groups, uint64_t *seed)
{
	const struct dm_domain *dom = &s->domain[i];
	static const char *const modes[] = { "SIMPLE", "EVENT_B4", "EVENT_B6" };
	struct ntime_derived row;
	struct levels l;
	char text[128];

	assert_true(dm_find_row(d, dom->set, slot, &row));
	snprintf(text, sizeof(text), "event_src=0x%08x, event_op=0x%04x, mode=%s, last=%u",
		 dom->slot[slot].src, dom->slot[slot].op, modes[dom->mode], dom->value[slot]);
	tt_fields_(&row, fields, text, __FILE__, __LINE__);
	TT_IS(!!(row.flags & NTIME_DERIVED_SATURATED), dom->value[slot] == 0xffffffff);
	for (unsigned int clock = 0; clock < 64; clock++) {
		draw_levels(&l, s, dom->set, has_groups, seed);
		TT_IS(derived(&row, &l), truth(dom, slot, &l));
	}
}

/* Is one of @n wires from @first on in what is counted? */
static bool has_wire(const struct ntime_derived *row, unsigned int first, unsigned int n)
{
	char text[16];

	for (unsigned int wire = first; wire < first + n; wire++) {
		snprintf(text, sizeof(text), "%02x", wire);
		if (strstr(row->logic, text))
			return true;
	}
	return false;
}

/* The unit that was chosen, and what was selected, in the words of the event tables. */
static void check_muxes(const struct ntime_derive *d, const struct dm_setup *s, unsigned int i,
			unsigned int slot)
{
	const struct dm_domain *dom = &s->domain[i];
	struct ntime_derived row;
	char text[96];

	assert_true(dm_find_row(d, dom->set, slot, &row));
	if (row.role != NTIME_DERIVED_EVENT)
		return;
	if (dom->set == 3 && strstr(row.logic, "MPC.")) {
		snprintf(text, sizeof(text),
			 "group_sel=0x%x, extra=PM_OUT_ENABLE=0x1, instance=TPC %u", s->groups,
			 s->tpc);
		tt_fields_(&row, fields, text, __FILE__, __LINE__);
	}
	snprintf(text, sizeof(text), "0x%06x=0x00000800&0x00000800",
		 0x408000 + s->tpc * s->chip->tpc->stride + s->chip->tpc->tex);
	if (dom->set == 2 && s->has_tex && has_wire(&row, s->chip->tex_signal, 3))
		TT_HAS(row.mux, text);
	snprintf(text, sizeof(text), "0x400c0c=0x%08x", s->vfetch);
	if (dom->set == 1 && s->has_vfetch && has_wire(&row, s->chip->vfetch_signal, 26))
		TT_HAS(row.mux, text);
}

static void check(const struct ntime_derive *d, const struct dm_setup *s, enum dm_driver driver,
		  uint64_t *seed)
{
	for (unsigned int i = 0; i < s->domains; i++)
		for (unsigned int slot = 0; slot < 4; slot++) {
			struct ntime_derived row;

			if (s->domain[i].slot[slot].is_used) {
				check_slot(d, s, i, slot, driver != DM_NVACOUNTER, seed);
				if (driver != DM_NVACOUNTER)
					check_muxes(d, s, i, slot);
			} else if (driver == DM_NOUVEAU) {
				assert_true(dm_find_row(d, s->domain[i].set, slot, &row));
				TT_IS(row.role, NTIME_DERIVED_NOTHING);
			} else {
				assert_false(dm_find_row(d, s->domain[i].set, slot, &row));
			}
		}
}

/* nvacounter has a way of its own: one domain, four signals, no multiplexers. */
static void narrow_for_nvacounter(struct dm_setup *s)
{
	s->domains = 1;
	s->domain[0].mode = 0;
	for (unsigned int slot = 0; slot < 4; slot++) {
		s->domain[0].slot[slot].is_used = true;
		s->domain[0].slot[slot].src &= 0xff;
		s->domain[0].slot[slot].op = 0xaaaa;
	}
}

TEST(what_was_set_up_comes_out)
{
	uint64_t seed = seed_of(0);
	static struct dm_trace t;

	for (unsigned int round = 0; round < 240; round++) {
		enum dm_driver driver = round % DM_DRIVERS;
		/* Only NVIDIA's driver hands in lists. */
		enum dm_form form =
			driver == DM_CUPTI ? round / 3 % DM_FORMS : DM_VFIO + round / 3 % 2;
		bool has_lists = form == DM_LOG || form == DM_REQUEST;
		bool has_boot0 = !has_lists && round % 5, is_told = round % 7 == 0;
		struct ntime_derive_counts counts = { .size = sizeof(counts) };
		struct ntime_derive *d;
		struct dm_setup s;

		dm_setup_random(&s, &seed, driver != DM_NVACOUNTER);
		if (driver == DM_NVACOUNTER)
			narrow_for_nvacounter(&s);
		t.n = t.lists = 0;
		dm_run(&t, &s, driver, &seed);
		d = derive_model(&t, form, has_boot0, s.chip, is_told ? s.chip->name : NULL);
		TT_IS(ntime_derive_get_counts(d, &counts), 0);
		TT_IS(counts.windows, 1);
		TT_IS(counts.unpaired, 0);
		TT_IS(counts.pairs, has_lists ? t.lists : 0);
		check(d, &s, driver, &seed);
		ntime_derive_free(d);
	}
}

/* Several measurements behind each other, as the passes of a metric. */
TEST(passes_stay_apart)
{
	uint64_t seed = seed_of(1);
	static struct dm_trace t;

	for (unsigned int round = 0; round < 40; round++) {
		struct dm_setup s[3];
		struct ntime_derive_counts counts = { .size = sizeof(counts) };
		struct ntime_derive *d;
		struct ntime_derived row;

		t.n = t.lists = 0;
		for (unsigned int i = 0; i < 3; i++) {
			dm_setup_random(&s[i], &seed, false);
			s[i].chip = &dm_chips[3];
			s[i].tpc_mask = 0x3f0;
			s[i].tpc = 4;
			/* Apart by their values. */
			s[i].domains = 1;
			s[i].domain[0].set = 3;
			s[i].has_groups = true;
			s[i].has_tex = s[i].has_vfetch = false;
			memset(s[i].domain[0].slot, 0, sizeof(s[i].domain[0].slot));
			s[i].groups = 0x0b0c0d0e;
			s[i].domain[0].slot[2] =
				(struct dm_slot){ true, 3 * i + round % 3, 0xaaaa };
			s[i].domain[0].value[2] = i + 1;
			dm_run(&t, &s[i], round % 2 ? DM_CUPTI : DM_NOUVEAU, &seed);
		}
		d = derive_model(&t, round % 2 ? (enum dm_form)(round / 2 % DM_FORMS) : DM_VFIO,
				 false, s[0].chip, "G200");
		TT_IS(ntime_derive_get_counts(d, &counts), 0);
		TT_IS(counts.windows, 3);
		for (unsigned int i = 0, seen = 0; seen < 3; i++) {
			get_row(d, i, &row);
			if (row.role != NTIME_DERIVED_EVENT)
				continue;
			seen++;
			TT_IS(row.first_window, seen);
			TT_IS(row.last, seen);
		}
		ntime_derive_free(d);
	}
}

static void same_row(const struct ntime_derived *a, const struct ntime_derived *b)
{
	TT_TEXT(a->event, b->event);
	TT_TEXT(a->chip, b->chip);
	TT_TEXT(a->instance, b->instance);
	TT_TEXT(a->key, b->key);
	TT_TEXT(a->mux, b->mux);
	TT_TEXT(a->relative, b->relative);
	TT_TEXT(a->group_sel, b->group_sel);
	TT_TEXT(a->extra, b->extra);
	TT_TEXT(a->notes, b->notes);
	TT_TEXT(a->origin, b->origin);
	TT_IS(a->flags, b->flags);
	TT_IS(a->values[0], b->values[0]);
}

/*
 * A session in a fresh context reads multiplexers as they are then: that tells nothing of the
 * session before.
 */
TEST(later_sessions_change_nothing)
{
	uint64_t seed = seed_of(3);
	static struct dm_trace t;

	for (unsigned int round = 0; round < 32; round++) {
		enum dm_form form = (enum dm_form)(round % DM_FORMS);
		struct ntime_derive *alone, *both;
		struct ntime_derived x, y;
		struct dm_setup s, next;

		dm_setup_random(&s, &seed, true);
		t.n = t.lists = 0;
		dm_run(&t, &s, DM_CUPTI, &seed);
		alone = derive_model(&t, form, false, s.chip, NULL);
		next = s;
		next.groups = ~s.groups;
		next.tpc = (unsigned int)(31 - __builtin_clz(s.tpc_mask));
		dm_run(&t, &next, DM_CUPTI, &seed);
		both = derive_model(&t, form, false, s.chip, NULL);
		for (size_t i = 0; i < ntime_derive_count(alone); i++) {
			get_row(alone, i, &x);
			get_row(both, i, &y);
			TT_IS(y.first_window, 1);
			/* What both count alike is one row of two units. */
			if (y.windows == 1)
				same_row(&x, &y);
		}
		ntime_derive_free(alone);
		ntime_derive_free(both);
	}
}

#define UNITS "R4008fc=70010024 "
#define COUNTED                                                                                    \
	"R409340=0 R40ab40=0 W409340=1 W40ab40=0 W40933c=c Wa7cc=1 Wa40c=0 Wa42c=aaaa W400084=20 "

/* What may come behind a measurement, and the state that it must have all the same. */
struct behind_row {
	int line;
	const char *before, *behind;
	uint32_t flags, windows;
};

static const struct behind_row behind_rows[] = {
	{ __LINE__, "", "", 0, 1 },
	/* a fresh context */
	{ __LINE__, "", "R409340=0 R40ab40=1 R40933c=d", 0, 1 },
	/* in which somebody counts */
	{ __LINE__, "", "R40933c=d Ra70c=7", 0, 2 },
	/* registers that have what they had */
	{ __LINE__, "", "R40933c=c Ra70c=7", 0, 1 },
	/* the state of a period: as it was read last, not behind an acknowledge */
	{ __LINE__, "Ra7cc=1 ", "", NTIME_DERIVED_EMPTY, 1 },
	{ __LINE__, "Ra7cc=1 Ra7cc=1000001 ", "", 0, 1 },
	{ __LINE__, "", "Ra7cc=3000001", NTIME_DERIVED_OVERFLOW, 1 },
	{ __LINE__, "", "Wa7ec=1 Ra7cc=1", 0, 1 },
};

TEST(accesses_behind_a_measurement)
{
	char text[4096];

	TT_FOR_EACH_ROW(r, behind_rows) {
		struct ntime_derive_counts counts = { .size = sizeof(counts) };
		struct ntime_derive *d;
		struct ntime_derived row;

		snprintf(text, sizeof(text), UNITS COUNTED "%sRa70c=5 %s", r->before, r->behind);
		d = derive_words(text, DM_VFIO, NULL);
		get_row(d, 0, &row);
		TT_FIELDS(r, &row, fields,
			  "event=gld_128b, instance=TPC 2, group_sel=0xc, notes=-");
		TT_EQ(r, row.flags, r->flags);
		TT_IS(ntime_derive_get_counts(d, &counts), 0);
		TT_EQ(r, counts.windows, r->windows);
		ntime_derive_free(d);
	}
}

#define PRE "Ra70c"
#define START "Ra6cc"
#define CYCLES "Ra60c"
#define PERIOD_END "W400084=20 "
#define ACKNOWLEDGE "Wa7ec=1 "

/* Reads of PRE, and the clocks of each: 0 unknown. */
struct clocks_row {
	int line;
	const char *reads;
	uint32_t n;
	uint64_t clocks[3];
};

static const struct clocks_row clocks_rows[] = {
	{ __LINE__, PRE "=5", 1, { 0 } },
	{ __LINE__, PRE "=5 " CYCLES "=3e8", 1, { 1000 } },
	{ __LINE__, CYCLES "=3e8 " PRE "=5", 1, { 1000 } },
	/* one clock counter for all slots, or one read of it for each */
	{ __LINE__,
	  PRE "=5 " CYCLES "=3e8 " START "=6 " CYCLES "=3e8 " PERIOD_END PRE "=7 " CYCLES "=3e9",
	  2,
	  { 1000, 1001 } },
	/* nothing but the reads tells where a period ends */
	{ __LINE__,
	  PRE "=5 " CYCLES "=3e8 " PRE "=7 " CYCLES "=3e9 " PRE "=9",
	  3,
	  { 1000, 1001, 0 } },
	/* clocks of another period */
	{ __LINE__, PRE "=5 " PERIOD_END CYCLES "=3e8", 1, { 0 } },
	{ __LINE__, CYCLES "=3e8 " ACKNOWLEDGE PRE "=5", 1, { 0 } },
	/* of which of two periods it is cannot be told */
	{ __LINE__,
	  CYCLES "=3e8 " PRE "=5 " CYCLES "=3e9 " START "=6 " PERIOD_END PRE "=7 " CYCLES "=3ea",
	  2,
	  { 0, 1002 } },
};

TEST(clocks_are_of_their_value)
{
	char text[4096];

	TT_FOR_EACH_ROW(r, clocks_rows) {
		struct ntime_derive *d;
		struct ntime_derived row;
		uint64_t last = r->clocks[r->n - 1];

		snprintf(text, sizeof(text), UNITS COUNTED "Wa44c=0 Wa46c=aaaa %s", r->reads);
		d = derive_words(text, DM_VFIO, NULL);
		assert_true(dm_find_row(d, 3, 0, &row));
		TT_EQ(r, row.n_values, r->n);
		for (uint32_t i = 0; i < r->n; i++)
			TT_EQ(r, row.clocks[i],
			      r->clocks[i] ? r->clocks[i] : NTIME_DERIVED_NO_CLOCKS);
		TT_EQ(r, row.is_cycles_read, last != 0);
		TT_EQ(r, row.cycles, last);
		ntime_derive_free(d);
	}
}

/* Swap arguments @a and @b, and the truth table with them. */
static struct dm_slot swap_arguments(struct dm_slot s, unsigned int a, unsigned int b)
{
	struct dm_slot out = { s.is_used, 0, 0 };

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int from = i == a ? b : i == b ? a : i;

		out.src |= (s.src >> 8 * from & 0xff) << 8 * i;
	}
	for (unsigned int i = 0; i < 16; i++) {
		unsigned int from = i & ~(1u << a | 1u << b);

		from |= (i >> a & 1) << b | (i >> b & 1) << a;
		out.op |= (s.op >> from & 1) << i;
	}
	return out;
}

TEST(order_of_signals_does_not_matter)
{
	uint64_t seed = seed_of(2);
	static struct dm_trace t;

	for (unsigned int round = 0; round < 100; round++) {
		struct ntime_derive *a, *b, *c;
		struct ntime_derived x, y, z;
		struct dm_setup s;
		struct dm_slot *slot = &s.domain[0].slot[0];

		dm_setup_random(&s, &seed, false);
		s.domains = 1;
		memset(slot, 0, sizeof(s.domain[0].slot));
		/*
		 * Four different signals, all of which matter: their parity, but for one row of the
		 * table.
		 */
		*slot = (struct dm_slot){ true, 0xa3a2a1a0, 0x6996 ^ 1u << round % 16 };
		if (s.domain[0].set == 3)
			slot->src = 0x0d090501;
		s.groups = 0x2b292a28;
		t.n = t.lists = 0;
		dm_run(&t, &s, DM_CUPTI, &seed);
		a = derive_model(&t, DM_LOG, false, s.chip, s.chip->name);
		*slot = swap_arguments(*slot, round % 4, (round + 1 + round % 3) % 4);
		s.tpc_mask = 1u << (s.chip->tpcs - 1);
		s.tpc = s.chip->tpcs - 1;
		t.n = t.lists = 0;
		dm_run(&t, &s, DM_CUPTI, &seed);
		b = derive_model(&t, DM_VFIO, true, s.chip, NULL);
		slot->op ^= 1u << round * 7 % 16;
		t.n = t.lists = 0;
		dm_run(&t, &s, DM_CUPTI, &seed);
		c = derive_model(&t, DM_MMIOTRACE, true, s.chip, NULL);
		get_row(a, 0, &x);
		get_row(b, 0, &y);
		get_row(c, 0, &z);
		TT_IS(ntime_derived_is_equal(&x, &y), 1);
		TT_IS(ntime_derived_is_equal(&y, &z), 0);
		ntime_derive_free(a);
		ntime_derive_free(b);
		ntime_derive_free(c);
	}
}

/*
 * Pairs of set-ups of domain 1 without multiplexers: "CTRL PRE/OP START/OP EVENT/OP", read from
 * EVENT.
 */
struct pair_row {
	int line;
	const char *chip;
	unsigned int mode;
	uint32_t start[2], event[2], event_op[2];
	int is_equal;
};

#define ABCD 0x0d0c0b0a /* a number of four wires */
#define FILL 0xecececec /* nothing but filler */

static const struct pair_row pair_rows[] = {
	/* the same AND in another order */
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x01301307, 0x07133001 }, { 0x8000, 0x8000 }, 1 },
	/* a constant 1, and not of a constant 0, gate the same sum */
	{ __LINE__, "GT218", 2, { ABCD, ABCD }, { 0xec0e00ec, 0xec0eecec }, { 0xffff, 0x5555 }, 1 },
	/* on a G80 that wire is no constant */
	{ __LINE__, "G80", 2, { ABCD, ABCD }, { 0xec0e00ec, 0xec0eecec }, { 0xffff, 0x5555 }, 0 },
	/* the order of a number's wires matters */
	{ __LINE__, "GT218", 1, { ABCD, 0x0d0c0a0b }, { FILL, FILL }, { 0x5555, 0x5555 }, 0 },
	/* START_OP does not, but a wire does */
	{ __LINE__, "GT218", 1, { ABCD, 0x0d0c0b0b }, { FILL, FILL }, { 0x5555, 0x5555 }, 0 },
	/* filler of arguments that the table does not look at */
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x000000cb, 0xecececcb }, { 0xaaaa, 0xaaaa }, 1 },
	/* a signal twice is one signal */
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x0000cbcb, 0x000000cb }, { 0x8888, 0xaaaa }, 1 },
	/* arguments that are late */
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x000000cb, 0x000000cb }, { 0x1aaaa, 0xaaaa }, 0 },
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x0000cb30, 0x000030cb }, { 0x12222, 0x22222 }, 0 },
	/* the same edge, written with either argument late */
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x0000cbcb, 0x0000cbcb }, { 0x12222, 0x24444 }, 1 },
	/* argument 2 alternate: only from G92 on */
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x000500cb, 0x000500cb }, { 0x8f0f0, 0x0f0f0 }, 0 },
	{ __LINE__, "G86", 0, { 0, 0 }, { 0x000500cb, 0x000500cb }, { 0x8f0f0, 0x0f0f0 }, 1 },
	{ __LINE__, "GT218", 0, { 0, 0 }, { 0x000000cb, 0x000000ca }, { 0xaaaa, 0xaaaa }, 0 },
};

static struct ntime_derive *derive_pair(const struct pair_row *r, unsigned int i)
{
	char text[256];

	snprintf(text, sizeof(text), "Wa7c4=%x Wa444=%x Wa464=%x Wa484=%x Wa4a4=%x Ra684=5",
		 1 | r->mode << 4, r->start[i], i ? 0xffff : 0x1234, r->event[i], r->event_op[i]);
	return derive_words(text, DM_VFIO, r->chip);
}

/* The first rows of @a and of @b, which are let go of. */
static void check_equal(int line, struct ntime_derive *a, struct ntime_derive *b, int is_equal)
{
	struct ntime_derived x, y;

	get_row(a, 0, &x);
	get_row(b, 0, &y);
	tt_eq_(ntime_derived_is_equal(&x, &y), is_equal, "is_equal", __FILE__, line);
	tt_eq_(ntime_derived_is_equal(&y, &x), is_equal, "is_equal", __FILE__, line);
	ntime_derive_free(a);
	ntime_derive_free(b);
}

TEST(equal_set_ups)
{
	TT_FOR_EACH_ROW(r, pair_rows)
		check_equal(r->line, derive_pair(r, 0), derive_pair(r, 1), r->is_equal);
}

/* What print_known() writes otherwise than the row of the event says. */
struct otherwise {
	int mux;       /* which multiplexer, -1 none */
	uint32_t flip; /* bits of its value */
	uint32_t group;
	bool is_disabled; /* no output of the shaders' groups */
};

static const struct otherwise as_it_says = { .mux = -1 };

/* The first of the chips that have @k. */
static const char *chip_of(const struct nti_known_counter *k)
{
	static char chip[16];

	snprintf(chip, sizeof(chip), "%.*s", (int)strcspn(k->chips, ","), k->chips);
	return chip;
}

/*
 * Writes and the read of a counter that an event of core/gpu is, on the first of its chips, which
 * @told says or nobody: the first row of what is derived.
 */
static struct ntime_derive *derive_known(const struct nti_known_counter *k, const char *before,
					 const struct otherwise *o, const char *told,
					 struct ntime_derived *row)
{
	bool is_old = strcmp(chip_of(k), "G200") != 0 && strncmp(chip_of(k), "GT", 2) != 0;
	char text[1024];
	int n = snprintf(text, sizeof(text), "%s", before), mux = 0;
	unsigned int at = k->set * 4;
	struct ntime_derive *d;

	for (const char *m = k->mux; *m; m = strchr(m, ';') ? strchr(m, ';') + 1 : "", mux++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "W%lx=%lx ", strtoul(m, NULL, 16),
			      strtoul(strchr(m, '=') + 1, NULL, 16) ^
				      (o->mux == mux ? o->flip : 0));
	if (k->has_group)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "W%x=%x W%x=%x ",
			      is_old ? 0x408330 : 0x40833c, k->group ^ o->group,
			      is_old ? 0x408334 : 0x408340, !o->is_disabled);
	snprintf(text + n, sizeof(text) - (size_t)n, "W%x=%x W%x=%x W%x=%x W%x=%x W%x=%x R%x=5",
		 0xa7c0 + at, 1 | k->mode << 4, 0xa440 + at, k->start_src, 0xa460 + at, k->start_op,
		 0xa480 + at, k->event_src, 0xa4a0 + at, k->event_op, 0xa680 + at);
	d = derive_words(text, DM_VFIO, told);
	get_row(d, 0, row);
	return d;
}

/*
 * Every event of core/gpu, set up as its row says, is found by its name. A number's high bits and
 * its condition are filled with the constant, which is another signal on another chip: it is in the
 * class on any chip all the same.
 */
TEST(known_events_have_names)
{
	unsigned int seen = 0;

	for (unsigned int i = 0; i < nti_known_counter_count; i++) {
		const struct nti_known_counter *k = &nti_known_counters[i];
		struct ntime_derived row;
		struct ntime_derive *d = derive_known(k, "", &as_it_says, chip_of(k), &row);

		TT_HAS(row.event, k->event);
		TT_TEXT(row.chip, chip_of(k));
		ntime_derive_free(d);
		if (!k->mode)
			continue;
		d = derive_known(k, "", &as_it_says, NULL, &row);
		TT_HAS(row.event, k->event);
		ntime_derive_free(d);
		seen++;
	}
	assert_true(seen > 10);
}

/* @event stands in @list, "a|b@G200". */
static bool is_named(const char *list, const char *event)
{
	size_t n = strlen(event);

	for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (strncmp(at, event, n) == 0 && (at[n] == '|' || at[n] == '@' || !at[n]))
			return true;
	return false;
}

/* Does a row of the event of @k, or an alternative of its own, have @value? */
static bool is_alternative(const struct nti_known_counter *k, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%08x", value);
	for (unsigned int i = 0; i < nti_known_counter_count; i++) {
		const struct nti_known_counter *o = &nti_known_counters[i];

		if (strcmp(o->event, k->event) == 0 && strcmp(o->chips, k->chips) == 0 &&
		    strstr(o->mux, text))
			return true;
	}
	return false;
}

/* Set up otherwise than its row says, it is not called by its name, and what is wrong is told. */
static void check_otherwise(const struct nti_known_counter *k, const struct otherwise *o,
			    const char *says)
{
	struct ntime_derived row;
	struct ntime_derive *d = derive_known(k, "", o, chip_of(k), &row);

	if (is_named(row.event, k->event) || !strstr(row.notes, says))
		fail_msg("%s of %s, mux %d ^ 0x%08x: named %s, %s", k->event, chip_of(k), o->mux,
			 o->flip, row.event, row.notes);
	ntime_derive_free(d);
}

TEST(what_is_off_or_wrong_has_no_name)
{
	unsigned int off = 0, wrong = 0;

	for (unsigned int i = 0; i < nti_known_counter_count; i++) {
		const struct nti_known_counter *k = &nti_known_counters[i];
		int mux = 0;

		for (const char *m = k->mux; *m;
		     m = strchr(m, ';') ? strchr(m, ';') + 1 : "", mux++) {
			uint32_t value = (uint32_t)strtoul(strchr(m, '=') + 1, NULL, 16);
			uint32_t enable = value & (strchr(m, '&') ? 0x800 : 0x80000000);
			struct otherwise o = { .mux = mux, .flip = enable };

			/* two feed the wires of textures */
			if (enable) {
				check_otherwise(k, &o,
						enable == 0x800 && strchr(k->mux, ';')
							? "the signals are those of"
							: "is off and drives no wires");
				off++;
			}
			/* the lowest bit of the selection */
			o.flip = 1;
			if (enable != 0x800 && !is_alternative(k, value ^ 1)) {
				check_otherwise(k, &o, "");
				wrong++;
			}
		}
		if (k->has_group) {
			check_otherwise(k, &(struct otherwise){ .mux = -1, .is_disabled = true },
					"enables no TPC");
			off++;
		}
	}
	assert_true(off > 100 && wrong > 50);
}

/* As if its row had no multiplexers. */
TEST(wires_that_nobody_drives_have_no_name)
{
	for (unsigned int i = 0; i < nti_known_counter_count; i++) {
		struct nti_known_counter k = nti_known_counters[i];
		struct ntime_derived row;
		struct ntime_derive *d;

		if (strcmp(k.event, "rop_waits_for_fb") != 0 || strncmp(k.chips, "G84,", 4) != 0)
			continue;
		k.mux = "";
		d = derive_known(&k, "W407008=1 ", &as_it_says, "G84", &row);
		TT_TEXT(row.event, "");
		TT_HAS(row.notes, "multiplexer CROP is off and drives no wires");
		ntime_derive_free(d);
		return;
	}
	fail_msg("the event is not in the table");
}

/* Operations of the driver's on a partition's domain of Fermi. */
#define GF108(before, after)                                                                       \
	"W1a0100=0 W1b4000=4|R140028=" before "|W140028=" after "|W1a009c=4000a W1a0048=2f2e2d2c " \
	"W1a004c=ffff W1a0050=1301307 W1a0054=8000|W1a006c=4d|R1a0080=931|W1a00a0=1"

/* What comes out of a trace, row by row. */
static const struct set_up_row {
	int line;
	const char *words, *chip, *has[2];
} set_up_rows[] = {
	/*
	 * The set-up block is no multiplexer. What was written to one stands whole, and beside it
	 * what that changed.
	 */
	{ __LINE__,
	  GF108("70e17", "71003"),
	  NULL,
	  { "unit=PART, instance=0, mode=EVENT_B4, counter=EVENT, mux=0x140028=0x00071003, "
	    "changed=L2+0x028=0x00001e14, "
	    "logic=2c + 2*2d + 4*2e + 8*2f while 01 & 07 & 13 & 30, last=0x931, flags=0" } },
	/*
	 * Another event's multiplexer, which drove its wires, is switched off; of two TPCs the
	 * first one drives, the second one not.
	 */
	{ __LINE__,
	  "R5042c0=80000004|W5042c0=0|R504ca8=3|W5044a8=80000006 W504ca8=0|"
	  "W18009c=40002 W180040=0 W180044=aaaa|R18008c=931",
	  "GF108",
	  { "mux=0x5044a8=0x80000006, changed=TPC+0x4a8=?" } },
	/*
	 * Counters of an MP with two signals are two events, and the number of the counter is no
	 * part of them.
	 */
	{ __LINE__,
	  "#1W504604=24242424 #1W504608=110024 #1W504730=10 #1W504734=21 #1W504748=6|"
	  "#1R504674=5 #1R504678=6 #1R50468c=7|#1W504674=0",
	  "GF108",
	  { "counter=674+678, logic=MP.24.1 + MP.24.2, sum=11",
	    "counter=68c, logic=MP.11.0, instance=GPC 0 TPC 0" } },
};

TEST(set_ups_of_fermi)
{
	TT_FOR_EACH_ROW(r, set_up_rows) {
		struct ntime_derive *d = derive_words(r->words, DM_LOG, r->chip);
		struct ntime_derived row;
		size_t n = 0;

		for (; n < 2 && r->has[n]; n++) {
			get_row(d, n, &row);
			TT_FIELDS(r, &row, fields, r->has[n]);
		}
		TT_EQ(r, ntime_derive_count(d), n);
		ntime_derive_free(d);
	}
}

/*
 * The same measurement with other values of a register before and after it was written than
 * 0x70e17 and 0x71003.
 */
static const struct kept_row {
	int line;
	const char *before, *after, *changed;
	int is_equal;
} kept_rows[] = {
	/* it held something else before */
	{ __LINE__, "71012", "0x00071003", "L2+0x028=0x00000011", 1 },
	/* it was set already: that belongs to the set-up, too */
	{ __LINE__, "71003", "0x00071003", "L2+0x028=0x00000000", 1 },
	/* the upper half is what the driver found there */
	{ __LINE__, "90e17", "0x00091003", "L2+0x028=0x00001e14", 1 },
	/* one that changed nothing does not say what it kept */
	{ __LINE__, "91003", "0x00091003", "L2+0x028=0x00000000", 0 },
	/* a bit of a byte that was changed */
	{ __LINE__, "70e07", "0x00071013", "L2+0x028=0x00001e14", 0 },
};

TEST(what_was_written_is_the_set_up)
{
	char text[512];

	TT_FOR_EACH_ROW(r, kept_rows) {
		struct ntime_derive *a = derive_words(GF108("70e17", "71003"), DM_LOG, "GF108"), *b;
		struct ntime_derived x, y;

		snprintf(text, sizeof(text), GF108("%s", "%s"), r->before, r->after);
		b = derive_words(text, DM_LOG, "GF108");
		get_row(a, 0, &x);
		get_row(b, 0, &y);
		TT_STR(r, y.changed, r->changed);
		TT_EQ(r, strstr(y.mux, r->after) != NULL, 1);
		TT_EQ(r, strcmp(x.key, y.key) == 0, strcmp(r->after, "0x00071003") == 0);
		check_equal(r->line, a, b, r->is_equal);
	}
}

/* A list without a partner is taken as it is; what follows is paired again. */
TEST(lists_without_partner)
{
	struct ntime_derive_counts counts = { .size = sizeof(counts) };
	static struct dm_trace t;
	struct ntime_derive *d;
	struct ntime_derived row;
	FILE *f = begin_file();

	fputs("LOG:         0: dir: 0x00000001, mmio: 0x001a0050, value: 0x00000011, mask: "
	      "0xffffffff\n",
	      f);
	parse_words(GF108("70e17", "71003"), &t);
	dm_print(&t, DM_LOG, false, dm_chips, f);
	fclose(f);
	d = derive_file(path, NULL);
	TT_IS(ntime_derive_get_counts(d, &counts), 0);
	TT_IS(counts.unpaired, 1);
	TT_IS(counts.pairs, 7);
	get_row(d, 0, &row);
	TT_TEXT(row.event_src, "0x01301307");
	TT_IS(row.last, 0x931);
	ntime_derive_free(d);
}

/* What was never set up in the trace stays unknown and is equal to nothing. */
TEST(unknown_stays_unknown)
{
	struct ntime_derive *d = derive_words("Ra68c=5", DM_VFIO, "GT218");
	struct ntime_derived row;

	TT_IS(ntime_derive_count(d), 1);
	get_row(d, 0, &row);
	TT_IS(row.role, NTIME_DERIVED_UNKNOWN);
	tt_fields_(&row, fields, "event_src=?, event=", __FILE__, __LINE__);
	TT_IS(ntime_derived_is_equal(&row, &row), 0);
	ntime_derive_free(d);
}

/* Narrow and wide accesses are parts and pairs of registers. */
TEST(widths)
{
	struct ntime_derive *d =
		derive_text("vfio_region_write  (0000:01:00.0:region0+0xa7c4, 0x1, 1)\n"
			    "vfio_region_write  (0000:01:00.0:region0+0xa7c5, 0x0, 1)\n"
			    "vfio_region_write  (0000:01:00.0:region0+0xa7c6, 0x0, 2)\n"
			    "vfio_region_write  (0000:01:00.0:region0+0xa480, 0xcb00000011, 8)\n"
			    "vfio_region_write  (0000:01:00.0:region0+0xa4a4, 0xaaaa, 4)\n"
			    "vfio_region_read  (0000:01:00.0:region0+0xa680, 8) = 0x700000005\n",
			    "GT218");
	struct ntime_derived row;

	assert_true(dm_find_row(d, 1, 2, &row));
	TT_TEXT(row.event_src, "0x000000cb");
	TT_TEXT(row.event, "gpu_idle");
	TT_IS(row.last, 7);
	ntime_derive_free(d);
}

TEST(chips_by_name)
{
	struct ntime_derive *d;

	TT_IS(ntime_derive_new(tt_ctx, "gt218,0000:05:00.0=NV96", &d), 0);
	ntime_derive_free(d);
	TT_IS(ntime_derive_new(tt_ctx, "GT219", &d), -2);
	assert_null(d);
	TT_HAS(ntime_trace_error_text(tt_ctx), "GT219");
	ntime_derive_free(NULL);
}

static int open_all(void **state)
{
	int fd;

	strcpy(path, "/tmp/ntime-derive-XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	return tt_open_context(state);
}

static int close_all(void **state)
{
	(void)unlink(path);
	return tt_close_context(state);
}

/* Who adds a chip to core/regs gives it a row here as well. */
TEST(chips_with_rows_are_known)
{
	uint64_t all = 0;

	for (size_t i = 0; i < nthw_nv_chip_count; i++) {
		const struct nthw_nv_chip *c = &nthw_nv_chips[i];
		uint64_t set = nti_derive_chip_named(c->name);

		TT_IS(__builtin_popcountll(set), 1);
		TT_IS(nti_derive_chip_named(c->alias[0]), set);
		TT_IS(nti_derive_chip_boot0((uint32_t)c->id << 20 | 0xa1), set);
		all |= set;
	}
	TT_IS(all, nti_derive_chips_all());
	TT_IS(nti_derive_chip_named("GP100"), 0);
}

#define WRITE "vfio_region_write  (0000:05:00.0:region0+0x%x, 0x%x, 4)\n"
#define READ "vfio_region_read  (0000:05:00.0:region0+0x%x, 4) = 0x%x\n"

/* Set-ups of counters of Fermi, each with a multiplexer that was not written before. */
static struct ntime_derive *derive_set_ups(unsigned int n)
{
	FILE *f = begin_file();

	for (unsigned int i = 0; i < n; i++) {
		uint32_t domain = 0x1a0000 + i % 128 * 0x200;

		fprintf(f, WRITE WRITE WRITE WRITE READ, 0x140000 + 4 * i, i + 1, domain + 0x9c,
			0x4000a, domain + 0x50, i, domain + 0x54, 0xaaaa, domain + 0x80, i);
	}
	fclose(f);
	return derive_file(path, "GF108");
}

/* What a measurement costs depends on its own accesses, not on those before it. */
TEST(work_is_as_long_as_the_trace)
{
	struct ntime_derive *few = derive_set_ups(512), *many = derive_set_ups(8 * 512);
	struct ntime_derived row;

	TT_IS(ntime_derive_count(many), 8 * 512);
	get_row(many, 8 * 512 - 1, &row);
	TT_TEXT(row.mux, "0x143ffc=0x00001000");
	assert_true(few->looked >= 512);
	assert_true(many->looked <= 9 * few->looked);
	ntime_derive_free(few);
	ntime_derive_free(many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_seed_gives_numbers),
		cmocka_unit_test(what_was_set_up_comes_out),
		cmocka_unit_test(passes_stay_apart),
		cmocka_unit_test(later_sessions_change_nothing),
		cmocka_unit_test(accesses_behind_a_measurement),
		cmocka_unit_test(clocks_are_of_their_value),
		cmocka_unit_test(order_of_signals_does_not_matter),
		cmocka_unit_test(equal_set_ups),
		cmocka_unit_test(known_events_have_names),
		cmocka_unit_test(what_is_off_or_wrong_has_no_name),
		cmocka_unit_test(wires_that_nobody_drives_have_no_name),
		cmocka_unit_test(set_ups_of_fermi),
		cmocka_unit_test(what_was_written_is_the_set_up),
		cmocka_unit_test(chips_with_rows_are_known),
		cmocka_unit_test(lists_without_partner),
		cmocka_unit_test(unknown_stays_unknown),
		cmocka_unit_test(widths),
		cmocka_unit_test(chips_by_name),
		cmocka_unit_test(work_is_as_long_as_the_trace),
	};

	return cmocka_run_group_tests(tests, open_all, close_all) ? 1 : 0;
}
