// SPDX-License-Identifier: MIT
/*
 * The planner on events made from any bytes: every plan must pass nti_plan_check() and say its
 * reasons; small problems must have the number of passes that brute force finds. First byte: bit 0
 * picks the wide reading of the rest, which knows invalid events, large masks and all resources;
 * then 8 bytes an event (count/tests/plan/random_events.h). Many events take long: one input in
 * LARGE_INPUTS has more than FEW_EVENTS.
 */
#include <errno.h>

#include "base/tests/fuzz/fuzz.h"
#include "count/tests/plan/brute.h"
#include "count/tests/plan/random_events.h"

#define SMALL_EVENTS 8
#define FEW_EVENTS 10
#define LARGE_INPUTS 32

static void check_reasons(const struct nti_plan_event *events, size_t n,
			  const struct nti_plan *plan)
{
	for (unsigned int pass = 0; pass < plan->passes; pass++) {
		char text[160];

		fuzz_expect(nti_plan_reason_text(events, n, plan, pass, NULL, text, sizeof(text)) ==
			    0);
		fuzz_expect((text[0] == '\0') == (pass == 0));
	}
}

static void check_against_brute_force(const struct nti_plan_event *events, size_t n, int ret,
				      const struct nti_plan *plan)
{
	static struct tt_brute brute;
	unsigned int want = tt_brute_make(&brute, events, n);

	if (ret == -ENOSPC) {
		fuzz_expect(want == 0);
		return;
	}
	fuzz_expect(plan->passes == want && plan->is_minimal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nti_plan_event events[NTI_PLAN_MAX_EVENTS + 1];
	struct nti_error e = { 0 };
	struct nti_plan plan;
	size_t most =
		fuzz_is_chosen(data, size, LARGE_INPUTS) ? NTI_PLAN_MAX_EVENTS + 1 : FEW_EVENTS;
	size_t n = 0;
	int ret;

	for (; 1 + (n + 1) * TT_EVENT_BYTES <= size && n < most; n++)
		tt_event_from_bytes(data + 1 + n * TT_EVENT_BYTES, data[0] & 1, &events[n]);
	ret = nti_plan_make(events, n, NULL, &plan, &e);
	fuzz_expect(ret <= 0 && (ret == 0) == (e.text[0] == '\0'));
	fuzz_expect(ret == 0 || ret == -EINVAL || ret == -ENOSPC || ret == -E2BIG);
	if (ret == 0) {
		fuzz_expect(nti_plan_check(events, n, &plan) == 0);
		check_reasons(events, n, &plan);
	}
	if ((ret == 0 || ret == -ENOSPC) && n <= SMALL_EVENTS)
		check_against_brute_force(events, n, ret, &plan);
	return 0;
}
