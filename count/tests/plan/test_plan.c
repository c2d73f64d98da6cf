// SPDX-License-Identifier: MIT
/*
 * count/lib/plan/plan.h on small model PMUs: passes, order, reasons, sentences, refusals; and that
 * the check can fail.
 */
#include "count/tests/plan/model.h"
#include "base/tests/tt.h"

#define MAX_NAMES 16

struct problem {
	struct nti_plan_event events[MAX_NAMES];
	size_t n;
};

static int make_problem(const char *model, const char *const *names, struct problem *p)
{
	int ret;

	for (p->n = 0; p->n < MAX_NAMES && names[p->n]; p->n++) {
		ret = tt_model_event(model, names[p->n], &p->events[p->n]);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* "0011": the pass of each event. */
static const char *passes_text(const struct nti_plan *plan, size_t n, char *text)
{
	for (size_t i = 0; i < n; i++)
		text[i] = (char)('0' + plan->pass[i]);
	text[n] = '\0';
	return text;
}

#define NONE NTI_PLAN_LIMIT_NONE
#define COUNTERS NTI_PLAN_LIMIT_COUNTERS
#define RESOURCE NTI_PLAN_LIMIT_RESOURCE
#define EXCLUSIVE NTI_PLAN_LIMIT_EXCLUSIVE
#define MIXED NTI_PLAN_LIMIT_MIXED

static const struct plan_row {
	int line;
	const char *pmu, *events[MAX_NAMES];
	const char *passes;
	enum nti_plan_limit last; /* reason of the last pass */
} plan_rows[] = {
	{ __LINE__, "model4", { "a" }, "0", NONE },
	{ __LINE__, "model4", { "soft", "soft" }, "00", NONE },
	{ __LINE__, "model4", { "a", "b", "c", "d" }, "0000", NONE },
	/* four general counters: the fifth event needs a second pass */
	{ __LINE__, "model4", { "a", "b", "c", "d", "e" }, "00001", COUNTERS },
	{ __LINE__, "model4", { "a", "b", "c", "d", "fixed", "soft" }, "000000", NONE },
	/* what could use the fixed counter does so once the others are taken, whatever the order */
	{ __LINE__, "model4", { "either", "a", "b", "c", "d" }, "00000", NONE },
	{ __LINE__, "model4", { "either", "fixed", "a", "b", "c", "d" }, "000001", COUNTERS },
	/* only2 may sit on counter 2 alone, so two of them never share a pass */
	{ __LINE__, "model4", { "only2", "also2" }, "01", COUNTERS },
	{ __LINE__, "model4", { "a", "b", "c", "only2" }, "0000", NONE },
	{ __LINE__, "model4", { "low", "low'", "low''" }, "001", COUNTERS },
	{ __LINE__, "model4", { "a", "b", "low", "low'" }, "0000", NONE },
	/*
	 * one value of a register at a time; the same value twice is one value; other PMUs see it
	 * too
	 */
	{ __LINE__, "model4", { "rsp=1", "rsp=1'" }, "00", NONE },
	{ __LINE__, "model4", { "rsp=1", "rsp=2", "rsp=1'" }, "010", RESOURCE },
	{ __LINE__, "model4", { "rsp=1", "rsp=2", "rsp=3" }, "012", RESOURCE },
	{ __LINE__, "model4", { "rsp=1", "lat=1" }, "00", NONE },
	/* A resource is its PMU's alone. */
	{ __LINE__, "model4", { "rsp=1", "box:rsp=2" }, "00", NONE },
	{ __LINE__, "model4", { "box:rsp=1", "rsp=1", "rsp=2", "box:rsp=2" }, "0011", RESOURCE },
	/* an event with two wants meets one in each */
	{ __LINE__, "model4", { "rsp=2", "lat=1", "rsp=1,lat=2" }, "001", RESOURCE },
	/* three values of one register among five wants: that alone explains the third pass */
	{ __LINE__, "model4", { "rsp=2", "lat=1", "rsp=1,lat=2", "rsp=3" }, "0012", RESOURCE },
	{ __LINE__, "model4", { "alone", "a" }, "01", EXCLUSIVE },
	{ __LINE__, "model4", { "a", "alone", "b" }, "010", EXCLUSIVE },
	{ __LINE__, "model4", { "alone", "alone'", "a" }, "012", EXCLUSIVE },
	{ __LINE__, "model4", { "alone", "box:x" }, "00", NONE },
	{ __LINE__, "model4", { "alone", "a", "b", "c", "d", "e" }, "011112", MIXED },
	/* groups stay together, across PMUs as well, and bring their software events along */
	{ __LINE__, "model4", { "a", "b", "c/1", "d/1", "e/1" }, "00111", COUNTERS },
	{ __LINE__, "model4", { "only2", "also2/1", "box:x/1", "soft/1" }, "0111", COUNTERS },
	{ __LINE__, "model4", { "soft/1", "soft/1", "a" }, "000", NONE },
	{ __LINE__, "model3", { "a/1", "b/1", "c/2", "d/2", "e/3", "f/3" }, "001122", MIXED },
	/* two triples and two singles fill two passes of four only when the singles are parted */
	{ __LINE__,
	  "model4",
	  { "a", "b", "c/1", "d/1", "e/1", "f/2", "g/2", "h/2" },
	  "01000111",
	  COUNTERS },
	{ __LINE__, "model3", { "top", "top'" }, "01", COUNTERS },
	{ __LINE__, "model4", { 0 }, "", NONE },
};

TEST(plan_passes)
{
	TT_FOR_EACH_ROW(r, plan_rows) {
		struct problem p;
		struct nti_plan plan;
		char text[MAX_NAMES + 1];

		TT_EQ(r, make_problem(r->pmu, r->events, &p), 0);
		TT_EQ(r, nti_plan_make(p.events, p.n, NULL, &plan, NULL), 0);
		TT_STR(r, passes_text(&plan, p.n, text), r->passes);
		TT_EQ(r, plan.is_minimal, true);
		TT_EQ(r, plan.lower, plan.passes);
		TT_EQ(r, plan.passes ? plan.reason[plan.passes - 1].limit : NONE, r->last);
		TT_EQ(r, nti_plan_check(p.events, p.n, &plan), 0);
	}
}

static const struct error_row {
	int line;
	const char *pmu, *events[MAX_NAMES];
	int ret;
	const char *text;
} error_rows[] = {
	{ __LINE__, "model4", { "a", "want9" }, -EINVAL, "event 1 wants 9 resources" },
	{ __LINE__, "model4", { "want16" }, -EINVAL, "event 0 wants resource 16" },
	{ __LINE__, "model4", { "torn" }, -EINVAL, "event 0 wants two values of resource 3" },
	{ __LINE__, "model3", { "none,want" }, -EINVAL, "event 0 names no counter" },
	{ __LINE__, "model3", { "a", "none,alone" }, -EINVAL, "event 1 names no counter" },
	{ __LINE__,
	  "model4",
	  { "a/1", "b/1", "c/1", "soft/1", "d/1", "e/1" },
	  -ENOSPC,
	  "event 5 does not fit into its group: 5 events of the group need counters 0-3 of PMU "
	  "0" },
	{ __LINE__,
	  "model4",
	  { "only2/9", "a/9", "also2/9" },
	  -ENOSPC,
	  "event 2 does not fit into its group: 2 events of the group need counter 2 of PMU 0" },
	{ __LINE__,
	  "model4",
	  { "a", "rsp=1/2", "rsp=2/2" },
	  -ENOSPC,
	  "event 2 cannot be in one group with event 1: both want resource 0, with different "
	  "values" },
	{ __LINE__,
	  "model4",
	  { "a/3", "alone/3" },
	  -ENOSPC,
	  "event 1 cannot be in one group with event 0: event 1 must be alone on PMU 0" },
};

TEST(plan_refuses)
{
	TT_FOR_EACH_ROW(r, error_rows) {
		struct nti_error e = { 0 };
		struct problem p;
		struct nti_plan plan;

		TT_EQ(r, make_problem(r->pmu, r->events, &p), 0);
		TT_EQ(r, nti_plan_make(p.events, p.n, NULL, &plan, &e), r->ret);
		tt_has_(e.text, r->text, "e.text", __FILE__, r->line);
		TT_EQ(r, e.code, r->ret);
	}
}

TEST(plan_refuses_too_many)
{
	static struct nti_plan_event events[NTI_PLAN_MAX_EVENTS + 1];
	struct nti_error e = { 0 };
	struct nti_plan plan;

	TT_IS(nti_plan_make(events, NTI_PLAN_MAX_EVENTS + 1, NULL, &plan, &e), -E2BIG);
	TT_HAS(e.text, "65 events are too many to plan at once, the most is 64");
	TT_IS(nti_plan_make(events, NTI_PLAN_MAX_EVENTS, NULL, &plan, &e), 0);
	TT_IS(plan.passes, 1);
}

static const char *pmu_name(const void *arg, unsigned int pmu)
{
	(void)arg;
	return pmu ? NULL : "cpu";
}

static const char *resource_name(const void *arg, unsigned int pmu, unsigned int resource)
{
	(void)arg;
	return pmu == 0 && resource == 0 ? "OFFCORE_RSP_0" : NULL;
}

static const struct text_row {
	int line;
	const char *pmu, *events[MAX_NAMES];
	unsigned int pass;
	const char *text;
	size_t own; /* events; those behind them are further counters of one of them */
} text_rows[] = {
	{ __LINE__, "model4", { "a" }, 0, "" },
	{ __LINE__,
	  "model4",
	  { "a", "b", "c", "d", "e" },
	  1,
	  "5 events need counters 0-3 of cpu, where 1 pass has room for 4, so e waits" },
	{ __LINE__,
	  "model4",
	  { "a", "b", "c", "d", "a" },
	  1,
	  "4 events need 5 of counters 0-3 of cpu, where 1 pass has room for 4, so a waits",
	  4 },
	{ __LINE__,
	  "model4",
	  { "low", "low'", "low''", "low", "low'" },
	  2,
	  "5 events need counters 0-1 of cpu, where 2 passes have room for 4, so low' waits" },
	{ __LINE__,
	  "model4",
	  { "only2", "also2" },
	  1,
	  "2 events need counter 2 of cpu, where 1 pass has room for 1, so also2 waits" },
	{ __LINE__,
	  "model4",
	  { "box:x", "box:y", "box:x" },
	  1,
	  "3 events need counters 0-1 of PMU 7, where 1 pass has room for 2, so box:x waits" },
	{ __LINE__,
	  "model4",
	  { "rsp=1", "rsp=2", "rsp=3" },
	  2,
	  "OFFCORE_RSP_0 of cpu is wanted as 1, as 2 and as 3, so rsp=3 waits" },
	{ __LINE__,
	  "model4",
	  { "lat=1", "lat=2" },
	  1,
	  "resource 1 of cpu is wanted as 1 and as 2, so lat=2 waits" },
	{ __LINE__,
	  "model4",
	  { "box:rsp=1", "rsp=3", "box:rsp=2" },
	  1,
	  "resource 0 of PMU 7 is wanted as 1 and as 2, so box:rsp=2 waits" },
	{ __LINE__, "model4", { "a", "alone" }, 1, "alone must be alone on cpu" },
	{ __LINE__,
	  "model4",
	  { "alone", "a" },
	  1,
	  "a waits because another event must be alone on cpu" },
	{ __LINE__,
	  "model3",
	  { "a/1", "b/1", "c/2", "d/2", "e/3", "f/3" },
	  2,
	  "counters, shared registers, groups and events that must be alone, taken together, do "
	  "not fit into 2 passes" },
};

TEST(reason_sentences)
{
	TT_FOR_EACH_ROW(r, text_rows) {
		const struct nti_plan_names names = { .events = r->events,
						      .event_count = r->own,
						      .pmu = pmu_name,
						      .resource = resource_name };
		struct problem p;
		struct nti_plan plan;
		char text[200];

		TT_EQ(r, make_problem(r->pmu, r->events, &p), 0);
		TT_EQ(r, nti_plan_make(p.events, p.n, NULL, &plan, NULL), 0);
		TT_EQ(r,
		      nti_plan_reason_text(p.events, p.n, &plan, r->pass, &names, text,
					   sizeof(text)),
		      0);
		TT_STR(r, text, r->text);
		TT_EQ(r, nti_plan_reason_text(p.events, p.n, &plan, plan.passes, &names, text, 9),
		      -EINVAL);
	}
}

TEST(reason_sentences_without_names)
{
	static const char *const events[] = { "only2", "also2", NULL };
	struct problem p;
	struct nti_plan plan;
	char text[100];

	TT_IS(make_problem("model4", events, &p), 0);
	TT_IS(nti_plan_make(p.events, p.n, NULL, &plan, NULL), 0);
	TT_IS(nti_plan_reason_text(p.events, p.n, &plan, 1, NULL, text, sizeof(text)), 0);
	TT_TEXT(text,
		"2 events need counter 2 of PMU 0, where 1 pass has room for 1, so event 1 waits");
	TT_IS(nti_plan_reason_text(p.events, p.n, &plan, 1, NULL, text, 9), 0);
	TT_TEXT(text, "2 events");
	TT_IS(nti_plan_reason_text(p.events, p.n, &plan, 1, NULL, text, 0), -EINVAL);
	plan.is_minimal = false;
	plan.lower = 1;
	plan.reason[1].limit = NTI_PLAN_LIMIT_MIXED;
	TT_IS(nti_plan_reason_text(p.events, p.n, &plan, 1, NULL, text, sizeof(text)), 0);
	TT_HAS(text, "no way to count all in 1 pass was found before the search ended");
}

/* A good plan of a problem with everything in it, then spoilt in one way each. */
static const char *const spoilt_events[] = { "a",     "low",	"low'",	 "low''", "rsp=1",
					     "rsp=2", "alone",	"box:x", "e/1",	  "box:y/1",
					     "soft",  "soft/1", NULL };

static void spoil(struct nti_plan *plan, int how)
{
	switch (how) {
	case 0: /* no counter for an event that needs one */
		plan->counter[0] = -1;
		break;
	case 1: /* a counter outside the mask */
		plan->counter[1] = 2;
		break;
	case 2: /* two events on one counter */
		plan->pass[2] = plan->pass[1];
		plan->counter[2] = plan->counter[1];
		break;
	case 3: /* a pass that is not there */
		plan->pass[0] = (uint8_t)plan->passes;
		break;
	case 4: /* two values of a resource at once */
		plan->pass[5] = plan->pass[4];
		plan->counter[5] = (int8_t)(plan->counter[4] == 3 ? 2 : 3);
		plan->counter[0] = 0;
		break;
	case 5: /* company for the one that must be alone */
		plan->pass[0] = plan->pass[6];
		plan->counter[0] = (int8_t)(plan->counter[6] ^ 1);
		break;
	case 6: /* a group torn apart */
		plan->pass[11] = (uint8_t)(plan->pass[8] ? 0 : 1);
		break;
	case 7: /* software late without a group */
		plan->pass[10] = 1;
		break;
	case 8: /* a counter for software */
		plan->counter[10] = 0;
		break;
	case 9: /* a pass without events */
		plan->passes++;
		plan->lower++;
		plan->reason[plan->passes - 1].limit = NTI_PLAN_LIMIT_MIXED;
		break;
	case 10: /* claims more than it proves */
		plan->lower--;
		break;
	case 11: /* a lower bound above the plan */
		plan->lower++;
		plan->is_minimal = false;
		break;
	case 12: /* a reason for the first pass */
		plan->reason[0].limit = NTI_PLAN_LIMIT_MIXED;
		break;
	case 13: /* reasons that are not true, one of each kind */
		plan->reason[1] =
			(struct nti_plan_reason){ NTI_PLAN_LIMIT_COUNTERS, 0, 0x1f, 0, 0 };
		break;
	case 14:
		plan->reason[2] = (struct nti_plan_reason){ NTI_PLAN_LIMIT_RESOURCE, 0, 0, 0, 5 };
		break;
	case 15:
		plan->reason[2] = (struct nti_plan_reason){ NTI_PLAN_LIMIT_EXCLUSIVE, 0, 0, 0, 6 };
		break;
	case 16: /* no reason */
		plan->reason[1].limit = NTI_PLAN_LIMIT_NONE;
		break;
	case 17: /* an event that did not have to wait */
		plan->reason[plan->passes - 1].event = 0;
		break;
	}
}

TEST(check_finds_what_is_wrong)
{
	struct problem p;
	struct nti_plan good, bad;

	TT_IS(make_problem("model4", spoilt_events, &p), 0);
	TT_IS(nti_plan_make(p.events, p.n, NULL, &good, NULL), 0);
	TT_IS(nti_plan_check(p.events, p.n, &good), 0);
	TT_IS(good.passes, 3);
	for (int how = 0; how <= 17; how++) {
		bad = good;
		spoil(&bad, how);
		if (nti_plan_check(p.events, p.n, &bad) != -EINVAL)
			print_error("spoilt in way %d\n", how);
		TT_IS(nti_plan_check(p.events, p.n, &bad), -EINVAL);
	}
}

/*
 * Plans of large problems are right, the same when asked again, and never claim a proof beyond the
 * bound.
 */
TEST(large_plans_are_right)
{
	static struct nti_plan_event events[NTI_PLAN_MAX_EVENTS];
	uint64_t seed = tt_seed() | 1;

	for (int round = 0; round < 60; round++) {
		uint64_t density = tt_random(&seed) >> 32;
		struct nti_plan plan, again;

		memset(events, 0, sizeof(events));
		for (int i = 0; i < NTI_PLAN_MAX_EVENTS; i++) {
			uint64_t word = tt_random(&seed) >> 8;

			events[i].counters = (uint32_t)(1u << (word & 15) | 1u << (word >> 4 & 15));
			events[i].pmu = (uint16_t)((word >> 8 & 3) * (density & 1) * 1000);
			events[i].want_count = (uint8_t)((word >> 12 & 3) * (density >> 1 & 1));
			for (int w = 0; w < events[i].want_count; w++) {
				events[i].wants[w].resource =
					(uint8_t)(4 * w + (word >> (16 + 2 * w) & 3));
				events[i].wants[w].value = word >> (24 + 2 * w) & 3;
			}
			events[i].is_exclusive = (word >> 40 & 63) == 0;
		}
		TT_IS(nti_plan_make(events, NTI_PLAN_MAX_EVENTS, NULL, &plan, NULL), 0);
		TT_IS(nti_plan_check(events, NTI_PLAN_MAX_EVENTS, &plan), 0);
		TT_IS(nti_plan_make(events, NTI_PLAN_MAX_EVENTS, NULL, &again, NULL), 0);
		assert_memory_equal(&plan, &again, sizeof(plan));
	}
}

/*
 * Colouring dense graphs is beyond the budget at times: such plans are right, and say what is not
 * proven.
 */
TEST(unproven_plans_say_so)
{
	static struct nti_plan_event events[NTI_PLAN_MAX_EVENTS];
	uint64_t seed = 1;
	int unproven = 0;

	for (int round = 0; round < 8; round++) {
		char text[160] = "";
		struct nti_plan plan;

		memset(events, 0, sizeof(events));
		for (int i = 0; i < NTI_PLAN_MAX_EVENTS * 4; i++) {
			struct nti_plan_event *event = &events[i / 4];
			unsigned int word = (unsigned int)(tt_random(&seed) >> 40);

			event->counters = 0xffff;
			event->wants[event->want_count].resource =
				(uint8_t)(i % 4 * 4 + (word & 3));
			event->wants[event->want_count++].value = (word >> 2) % 3;
		}
		TT_IS(nti_plan_make(events, NTI_PLAN_MAX_EVENTS, NULL, &plan, NULL), 0);
		TT_IS(nti_plan_check(events, NTI_PLAN_MAX_EVENTS, &plan), 0);
		if (plan.is_minimal)
			continue;
		unproven++;
		TT_IS(plan.reason[plan.lower].limit, NTI_PLAN_LIMIT_MIXED);
		TT_IS(nti_plan_reason_text(events, NTI_PLAN_MAX_EVENTS, &plan, plan.lower, NULL,
					   text, sizeof(text)),
		      0);
		TT_HAS(text, "it is not proven that there is none");
	}
	assert_true(unproven > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plan_passes),
		cmocka_unit_test(plan_refuses),
		cmocka_unit_test(plan_refuses_too_many),
		cmocka_unit_test(reason_sentences),
		cmocka_unit_test(reason_sentences_without_names),
		cmocka_unit_test(check_finds_what_is_wrong),
		cmocka_unit_test(large_plans_are_right),
		cmocka_unit_test(unproven_plans_say_so),
	};

	return TT_RUN(tests);
}
