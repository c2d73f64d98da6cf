// SPDX-License-Identifier: MIT
/*
 * Sessions on models of which each access of a register fails in turn: once, once though it was
 * done, each write from there on, and everything from there on. A call that fails names register
 * and CPU or device, a number is right or flagged, and what was in the registers is in them again,
 * or what still runs is on record.
 */
#include <errno.h>
#include <math.h>

#include <ntime/ntime.h>

#include "base/tests/tt.h"

#include "count/lib/access/claim.h"
#include "count/tests/session/fake_boxes.h"

#define OPCODE "uncore_cha_0/event=0x35,umask=0x21,filter_opc0=0x201/"
#define OTHER_OPCODE "uncore_cha_0/event=0x35,umask=0x21,filter_opc0=0x202/"
#define RETIRED "cpu/event=0xc0/"
#define AMD_CYCLES "cpu/event=0x76/"

/* What a turn brings. */
#define TURN_CLOCKS 1000u
#define TURN_THROTTLED 500u
#define TURN_CORE0 7u
#define TURN_READS 40u
#define TURN_WRITES 10u
#define TURN_STEPS 30u
#define TURN_CYCLES 1000u
#define TURN_RETIRED 300u
#define DEGREES 40u
#define TURNS 2

#define ITEMS_MAX 9

static const struct life {
	int line;
	const char *name, *list;
	uint64_t turn[ITEMS_MAX]; /* what one counts of a turn; DEGREES: a state */
	bool has_driver, takes_turns;
	const struct fake_machine *machine; /* whose processor it is; NULL: Nehalem */
	const struct ntm_x86_config *pmu;   /* with it */
} lives[] = {
	{ __LINE__, "uncore", THROTTLED "," CLOCKS "," CORE0,
	  .turn = { TURN_THROTTLED, TURN_CLOCKS, TURN_CORE0 } },
	{ __LINE__, "memory channel", READS "," WRITES, .turn = { TURN_READS, TURN_WRITES } },
	{ __LINE__, "filters", OPCODE ",uncore_cha_0/event=0x50/" },
	{ __LINE__, "filters that differ", OPCODE "," OTHER_OPCODE, .takes_turns = true },
	{ __LINE__, "counters that always run", ENERGY "," HEADROOM,
	  .turn = { TURN_STEPS, DEGREES } },
	{ __LINE__, "Intel core", RETIRED ",cycles,instructions",
	  .turn = { TURN_RETIRED, TURN_CYCLES, TURN_RETIRED } },
	{ __LINE__, "AMD core", RETIRED "," AMD_CYCLES, .turn = { TURN_RETIRED, TURN_CYCLES },
	  .machine = &fake_zen3, .pmu = &ntm_x86_amd_core },
	{ __LINE__, "old AMD core", RETIRED "," AMD_CYCLES, .turn = { TURN_RETIRED, TURN_CYCLES },
	  .machine = &fake_k8, .pmu = &ntm_x86_amd_legacy },
	{ __LINE__, "several kinds", RETIRED "," THROTTLED "," READS "," ENERGY,
	  .turn = { TURN_RETIRED, TURN_THROTTLED, TURN_READS, TURN_STEPS } },
	{ __LINE__, "turns of core counters",
	  RETIRED "," RETIRED "," RETIRED "," RETIRED "," RETIRED "," RETIRED, .takes_turns = true,
	  .turn = { TURN_RETIRED, TURN_RETIRED, TURN_RETIRED, TURN_RETIRED, TURN_RETIRED,
		    TURN_RETIRED } },
	{ __LINE__, "turns of a memory channel",
	  READS "," WRITES "," READS "," WRITES "," READS "," WRITES, .takes_turns = true,
	  .turn = { TURN_READS, TURN_WRITES, TURN_READS, TURN_WRITES, TURN_READS, TURN_WRITES } },
	{ __LINE__, "through the driver", THROTTLED "," READS, .has_driver = true,
	  .turn = { TURN_THROTTLED, TURN_READS } },
};

static const struct fault {
	const char *name;
	int error;
	enum fake_failure failure;
	bool is_for_good;
} faults[] = {
	{ "once", -EIO, FAKE_FAIL_ALL, false },
	{ "once, but done", -EIO, FAKE_FAIL_BEHIND, false },
	{ "all writes from there on", -EIO, FAKE_FAIL_WRITES, true },
	{ "for good", -EIO, FAKE_FAIL_ALL, true },
};

/* One that fails is to be found by what it says. */
struct run {
	struct fake_boxes f;
	const struct life *life;
	const struct fault *fault;
	unsigned int at;
	struct ntime_session *s;
	struct fake_silicon found;
	/* What was counted at least and at most, in turns: stopping may have failed. */
	uint64_t least, most;
};

#define WRONG(r, ...)                                                                              \
	do {                                                                                       \
		print_error("%s, access %u of MSR or register %#x, %s: ", (r)->life->name,         \
			    (r)->at, (r)->f.failed_at, (r)->fault->name);                          \
		print_error(__VA_ARGS__);                                                          \
		print_error("\n");                                                                 \
		_fail(__FILE__, (r)->life->line);                                                  \
	} while (0)

/* Of several that failed in one call any may be named. */
static bool names_register(const struct run *r, const char *text)
{
	char address[16], half[16];

	if (r->fault->is_for_good)
		return strstr(text, " 0x") || strstr(text, "/0x") || strstr(text, "/dev/cpu/0/msr");
	/* The upper half of a register has the address of its row. */
	snprintf(address, sizeof(address), "%x", r->f.failed_at);
	snprintf(half, sizeof(half), "%x", r->f.failed_at - 4);
	return strstr(text, address) || strstr(text, half);
}

/* What failed was an access of a register: that and where it is are in @text. */
static void judge_sentence(struct run *r, const char *text)
{
	if (!r->f.has_failed)
		return;
	if (!names_register(r, text))
		WRONG(r, "the sentence does not name the register: %s", text);
	if (!strstr(text, "CPU ") && !strstr(text, "PCI function ") && !strstr(text, "/core0/") &&
	    !strstr(text, "/dev/cpu/0/msr"))
		WRONG(r, "the sentence does not name the CPU or device: %s", text);
}

/* @ret is of a call that says why it failed. True: it did. */
static bool has_failed(struct run *r, int ret)
{
	const char *text = ntime_error_text(&r->f.ctx);

	if (ret >= 0)
		return false;
	if (!*text)
		WRONG(r, "%d without a sentence", ret);
	judge_sentence(r, text);
	r->f.ctx.error = (struct nti_error){ 0 };
	return true;
}

static void become(struct fake_boxes *f, const struct life *life, struct fake_machine *machine)
{
	unsigned int i;

	if (!life->machine)
		return;
	*machine = *f->base.machine;
	machine->leaves = life->machine->leaves;
	machine->leaf_count = life->machine->leaf_count;
	f->base.machine = machine;
	for (i = 0; i < FAKE_CPUS; i++)
		TT_IS(ntm_x86_pmu_init(&f->silicon.pmu[i], life->pmu), 0);
	fake_boxes_fini_context(&f->ctx);
	fake_boxes_second(f, &f->ctx);
}

static void begin(struct run *r, const struct life *life, struct fake_machine *machine)
{
	const struct ntm_x86_core_work warm = { .heat = { .headroom = DEGREES } };

	memset(r, 0, sizeof(*r));
	r->life = life;
	fake_boxes_init(&r->f, false);
	fake_boxes_soil(&r->f);
	r->f.has_driver = life->has_driver;
	/* A domain without energy is not there. */
	fake_boxes_burn(&r->f, 0, 0xfffffff0);
	ntm_x86_power_core_advance(&r->f.silicon.thermal[0], &warm);
	become(&r->f, life, machine);
}

static void advance(struct run *r)
{
	const struct ntm_x86_work done = { .instructions = TURN_RETIRED, .cycles = TURN_CYCLES };
	struct fake_boxes *f = &r->f;

	fake_boxes_work(f, 0, TURN_CLOCKS, TURN_THROTTLED, TURN_CORE0);
	fake_boxes_move(f, 0, 0, TURN_READS, TURN_WRITES);
	fake_boxes_burn(f, 0, TURN_STEPS);
	ntm_x86_pmu_advance(&f->silicon.pmu[0], true, &done);
	f->now_ns += 200000000;
}

#define NO_NUMBER (NTIME_ABSENT | NTIME_NOT_COUNTED)
#define LESS (NTIME_LOST | NTIME_OVERFLOWED | NTIME_SCALED | NTIME_PARTIAL)

static void judge_value(struct run *r, size_t i, const struct ntime_value *v)
{
	uint64_t turn = r->life->turn[i];

	if (v->flags & NO_NUMBER) {
		if (!isnan(v->value) || v->count)
			WRONG(r, "item %zu is absent and %g", i, v->value);
		return;
	}
	if (v->flags & NTIME_STATE) {
		if (v->count != turn && !(v->flags & NTIME_LOST))
			WRONG(r, "item %zu is %llu", i, (unsigned long long)v->count);
		return;
	}
	if (v->count > turn * r->most || (!(v->flags & LESS) && v->count < turn * r->least))
		WRONG(r, "item %zu is %llu, flags %#x; %llu to %llu turns of %llu happened", i,
		      (unsigned long long)v->count, v->flags, (unsigned long long)r->least,
		      (unsigned long long)r->most, (unsigned long long)turn);
	if (!(v->flags & NTIME_SCALED) && !r->life->takes_turns &&
	    v->value != (double)v->count * v->scale)
		WRONG(r, "item %zu is %llu and %g", i, (unsigned long long)v->count, v->value);
}

static void judge_items(struct run *r)
{
	struct ntime_item item = { .size = sizeof(item) };
	size_t i;

	for (i = 0; i < ntime_session_count(r->s); i++) {
		TT_IS(ntime_session_item(r->s, i, &item), 0);
		if (*item.reason && !*item.remedy)
			WRONG(r, "item %zu has no remedy: %s", i, item.reason);
	}
}

/* Once more after an error: what failed once does not fail again. */
static int again(struct run *r, int (*call)(struct run *r))
{
	int ret;

	r->f.has_failed = false;
	ret = call(r);
	if (ret >= 0)
		return ret;
	r->f.has_failed = false;
	ret = call(r);
	if (ret < 0 && !r->fault->is_for_good)
		WRONG(r, "failed twice");
	return ret;
}

static int open_one(struct run *r)
{
	int ret;

	ntime_session_free(r->s);
	ret = fake_boxes_open(&r->f.ctx, "0", 0,
			      r->life->has_driver ? NTIME_VIA_NTIMEFS : NTIME_VIA_MSR,
			      r->life->list, &r->s);

	if (has_failed(r, ret))
		return ret;
	judge_items(r);
	return 0;
}

static int start(struct run *r)
{
	int ret = ntime_session_start(r->s);

	return has_failed(r, ret) ? ret : 0;
}

static int look(struct run *r)
{
	struct ntime_value v[ITEMS_MAX];
	size_t i, n = ntime_session_count(r->s);
	int ret = ntime_session_read(r->s, v, n);

	if (has_failed(r, ret))
		return ret;
	for (i = 0; i < n; i++)
		judge_value(r, i, &v[i]);
	return 0;
}

static int stop(struct run *r)
{
	int ret = ntime_session_stop(r->s);

	return has_failed(r, ret) ? ret : 0;
}

/* The whole life of a session. */
static void live(struct run *r)
{
	int turn, ret = again(r, open_one);

	for (turn = 0; ret == 0 && turn < TURNS; turn++) {
		ret = again(r, start);
		if (ret < 0)
			break;
		advance(r);
		r->least++;
		r->most++;
		ret = again(r, look);
		if (stop(r) < 0)
			r->most++;
		advance(r);
		if (ret == 0)
			ret = again(r, look);
		if (r->most != r->least)
			break;
	}
	ntime_session_free(r->s);
	r->s = NULL;
}

static int keep_name(void *arg, const struct ntime_leftover *left)
{
	TT_IS(left->registers > 0, 1);
	snprintf(arg, NTI_CLAIM_NAME_BYTES, "%s", left->name);
	return 1;
}

/* Counters that always run went on. Both were cleared as a whole. */
static bool is_as_found(const struct run *r)
{
	struct fake_silicon now = r->f.silicon;

	memcpy(now.power, r->found.power, sizeof(now.power));
	return fake_silicon_is(&now, &r->found);
}

/*
 * All is as it was found; where no register could be reached any more, there is a record by which
 * what still runs is switched off.
 */
static unsigned int end(struct run *r)
{
	char name[NTI_CLAIM_NAME_BYTES];
	unsigned int repairs = 0;

	if (!r->fault->is_for_good && !is_as_found(r))
		WRONG(r, "a register stays changed");
	while (ntime_leftover_for_each(&r->f.ctx, keep_name, name) == 1) {
		if (ntime_repair(&r->f.ctx, name, 0, NULL, NULL) < 0)
			WRONG(r, "not repaired: %s", ntime_error_text(&r->f.ctx));
		repairs++;
	}
	if (fake_silicon_runs(&r->f.silicon, &r->found))
		WRONG(r, "a counter runs after %u repairs", repairs);
	if (!r->fault->is_for_good && repairs)
		WRONG(r, "%u records stay", repairs);
	if (fake_boxes_open_files(&r->f))
		WRONG(r, "%u files stay open", fake_boxes_open_files(&r->f));
	return repairs;
}

static unsigned int fail_at(struct run *r, const struct fault *fault, unsigned int at)
{
	struct fake_boxes *f = &r->f;
	unsigned int repairs;

	r->fault = fault;
	r->at = at;
	r->least = r->most = 0;
	f->accesses = 0;
	f->failed_at = 0;
	f->fail_from = at;
	f->fail_to = fault->is_for_good ? UINT32_MAX : at;
	f->fail_with = fault->error;
	f->failure = fault->failure;
	live(r);
	f->fail_from = 0;
	repairs = end(r);
	/* Flags of overflow, and what runs. */
	f->silicon = r->found;
	return repairs;
}

static void fail_each(const struct life *life)
{
	static const struct fault none = { "none", 0, FAKE_FAIL_ALL, false };
	unsigned int accesses, at, runs = 0, repairs = 0;
	struct run *r = calloc(1, sizeof(*r));
	struct fake_machine machine;
	size_t i;

	assert_non_null(r);
	begin(r, life, &machine);
	r->found = fake_silicon_without_flags(&r->f.silicon);
	TT_EQ(life, fail_at(r, &none, 0), 0);
	accesses = r->f.accesses;
	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		for (at = 1; at <= accesses; at++, runs++)
			repairs += fail_at(r, &faults[i], at);
	}
	print_message("# %s: %u accesses, %u runs, %u records of what could not be put back\n",
		      life->name, accesses, runs, repairs);
	TT_EQ(life, accesses > 10, 1);
	/* Nothing keeps the next one away, which removes what could not be removed. */
	TT_EQ(life, fail_at(r, &none, 0), 0);
	fake_boxes_fini(&r->f);
	free(r);
}

TEST(every_access_fails)
{
	TT_FOR_EACH_ROW(life, lives)
		fail_each(life);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_access_fails),
	};

	if (!tt_knows_boot())
		return tt_skip_all(TT_NO_BOOT);
	return TT_RUN(tests);
}
