// SPDX-License-Identifier: MIT
/*
 * count/lib/plan/match.h against a plain maximum flow: what the planner calls impossible must be.
 */
#include "count/lib/plan/match.h"
#include "base/tests/tt.h"

#define EVENTS 11
#define COUNTERS 4
#define PASSES 3
#define ROUNDS 4000

/*
 * Nodes of the flow: events, a pair of nodes for each item and counter, a place for each counter
 * and pass, both ends.
 */
#define ITEM_IN(i, c) (EVENTS + 2 * ((i)*COUNTERS + (c)))
#define PLACE(c, p) (EVENTS + 2 * EVENTS * COUNTERS + (c)*PASSES + (p))
#define SOURCE (PLACE(COUNTERS, 0))
#define SINK (SOURCE + 1)
#define NODES (SINK + 1)

static uint8_t room[NODES][NODES];

static bool push(unsigned int from, bool *seen)
{
	seen[from] = true;
	if (from == SINK)
		return true;
	for (unsigned int to = 0; to < NODES; to++) {
		if (!room[from][to] || seen[to] || !push(to, seen))
			continue;
		room[from][to]--;
		room[to][from]++;
		return true;
	}
	return false;
}

static bool flow_takes_all(const struct nti_plan_problem *pb, const uint64_t *domain)
{
	memset(room, 0, sizeof(room));
	for (unsigned int e = 0; e < pb->event_count; e++) {
		unsigned int item = pb->item_of[e];

		room[SOURCE][e] = 1;
		for (unsigned int c = 0; c < COUNTERS; c++) {
			unsigned int in = ITEM_IN(item, c);

			room[e][in] = pb->input[e].counters >> c & 1;
			room[in][in + 1] = 1;
			for (unsigned int p = 0; p < PASSES; p++) {
				room[in + 1][PLACE(c, p)] = domain[item] >> p & 1;
				room[PLACE(c, p)][SINK] = 1;
			}
		}
	}
	for (unsigned int e = 0; e < pb->event_count; e++) {
		bool seen[NODES] = { false };

		if (!push(SOURCE, seen))
			return false;
	}
	return true;
}

/* Places keep the rules: in domain and mask, one event a place, a counter once a group. */
static bool are_places_right(const struct nti_plan_problem *pb, const struct nti_plan_match *m)
{
	for (unsigned int e = 0; e < pb->event_count; e++) {
		if (!(m->placed >> e & 1))
			continue;
		if (!(m->domain[pb->item_of[e]] >> m->pass[e] & 1) ||
		    !(pb->input[e].counters >> pb->number[m->cell[e]] & 1))
			return false;
		for (unsigned int o = 0; o < e; o++)
			if ((m->placed >> o & 1) && m->cell[o] == m->cell[e] &&
			    (m->pass[o] == m->pass[e] || pb->item_of[o] == pb->item_of[e]))
				return false;
	}
	return true;
}

static void make_events(uint64_t *seed, struct nti_plan_event *events)
{
	memset(events, 0, EVENTS * sizeof(*events));
	for (int i = 0; i < EVENTS; i++) {
		uint64_t word = tt_random(seed) >> 16;

		events[i].counters = (uint32_t)(1u << (word & 3) | 1u << (word >> 2 & 3));
		events[i].group = (uint16_t)(word >> 4 & 7);
	}
}

TEST(agrees_with_flow)
{
	static struct nti_plan_problem pb;
	static struct nti_plan_match m;
	struct nti_plan_event events[EVENTS];
	unsigned int fits = 0, tried = 0;
	uint64_t seed = tt_seed() | 1, domain[NTI_PLAN_MAX_EVENTS], effort = 0;

	while (tried < ROUNDS) {
		make_events(&seed, events);
		if (nti_plan_problem_init(&pb, events, EVENTS, NULL, NULL) < 0)
			continue;
		for (int i = 0; i < EVENTS; i++)
			domain[i] = 7;
		nti_plan_match_init(&m, &pb, PASSES, domain);
		/* Domains change under the places, as in a search. */
		for (int change = 0; change < 6; change++, tried++) {
			unsigned int item = (unsigned int)(tt_random(&seed) >> 40) % pb.item_count;
			bool want = flow_takes_all(&pb, domain);

			TT_IS(nti_plan_match_place(&m, nti_plan_below(EVENTS), &effort), want);
			assert_true(are_places_right(&pb, &m));
			fits += want ? 1 : 0;
			nti_plan_match_drop(&m, pb.items[item].events);
			domain[item] = 1 + (tt_random(&seed) >> 40) % 7;
		}
	}
	/* Both answers must be common, or the test says little. */
	assert_in_range(fits, ROUNDS / 10, ROUNDS - ROUNDS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_flow),
	};

	return TT_RUN(tests);
}
