// SPDX-License-Identifier: MIT
/* Names of signals and functions of them; positions are typed in from envytools' lists. */
#include <errno.h>

#include "count/lib/event/card_signals.h"
#include "base/tests/tt.h"

static const struct row {
	int line;
	const char *chip, *text;
	int domain;
	uint32_t src, table, of;
	const char *says; /* NULL: it is well */
} rows[] = {
	{ __LINE__, "GT218", "PBUS_PCIE_WR", -1, 0xecececa6, 0xaaaa, 0 },
	{ __LINE__, "G80", "PBUS_PCIE_WR", -1, 0x2e2e2e2a, 0xaaaa, 0 },
	{ __LINE__, "G80", "PGRAPH.IDLE", 1, 0xeeeeeec8, 0xaaaa, 1 },
	{ __LINE__, "GT218", "pgraph_idle", -1, 0xecececcb, 0xaaaa, 1 },
	{ __LINE__, "GT218", "ctxctl.user.3", -1, 0xecececd8, 0xaaaa, 1 },
	{ __LINE__, "G98", "CTXCTL_USER_0x2", -1, 0xecececc9, 0xaaaa, 1 },
	{ __LINE__, "GT218", "!PGRAPH.IDLE", -1, 0xecececcb, 0x5555, 1 },
	{ __LINE__, "GT218", "\"PGRAPH.IDLE & !PGRAPH.INTR\"", -1, 0xececcdcb, 0x2222, 1 },
	{ __LINE__, "GT218", "A|1", -1, .says = "GT218 has no signal 'A'" },
	{ __LINE__, "GT218", "CTXCTL.USER.0&CTXCTL.USER.1|CTXCTL.USER.2&CTXCTL.USER.3", -1,
	  0xd8d7d6d5, 0xf888, 1 },
	{ __LINE__, "GT218", "CTXCTL.USER.0&(CTXCTL.USER.1|!(CTXCTL.USER.0))", -1, 0xececd6d5,
	  0x8888, 1 },
	{ __LINE__, "GT218", "1", 3, 0x2c2c2c2c, 0xffff, 3 },
	{ __LINE__, "GT218", "!1|PGRAPH.IDLE", -1, 0xecececcb, 0xaaaa, 1 },
	/* the trailer: from the last signal of the domain down */
	{ __LINE__, "GT218", "PM_TRIGGER", 3, 0x2c2c2c2f, 0xaaaa, 3 },
	{ __LINE__, "G80", "PM_TRIGGER", 0, 0x2e2e2e2f, 0xaaaa, 0 },
	{ __LINE__, "GT218", "FLAG.0 & EVENT.7", 1, 0xececf0ff, 0x8888, 1 },
	{ __LINE__, "GT218", "PGRAPH.IDLE & ZERO", -1, 0xecececcb, 0x8888, 1 },
	{ __LINE__, "GT218", "PCOUNTER.USER.1", 4, 0x6c6c6c38, 0xaaaa, 4 },
	{ __LINE__, "G80", "PERIODIC", 1, .says = "G80 has no signal 'PERIODIC'" },
	{ __LINE__, "GT218", "PM_TRIGGER", -1, .says = "several domains have such a signal" },
	{ __LINE__, "GT218", "PCOUNTER.USER.0", -1, .says = "several domains have such a signal" },
	{ __LINE__, "GT218", "EVENT.8", 1,
	  .says = "EVENT has 8 signals: EVENT.0 is the first one" },
	{ __LINE__, "GT218", "CTXCTL.USER", -1, .says = "CTXCTL.USER has 4 signals" },
	{ __LINE__, "GT218", "PGRAPH.IDL", -1, .says = "did you mean PGRAPH.IDLE" },
	{ __LINE__, "GT218", "VUC_IDLE", -1, .says = "it is one of G98, G200, GT216" },
	{ __LINE__, "GT218", "PGRAPH.IDLE & PBUS_PCIE_WR", -1,
	  .says = "PBUS_PCIE_WR is of domain 0 and PGRAPH.IDLE of domain 1" },
	{ __LINE__, "GT218", "PGRAPH.IDLE", 2,
	  .says = "PGRAPH.IDLE is of domain 1 and the term domain of domain 2" },
	{ __LINE__, "GT218", "CTXCTL.USER.0|CTXCTL.USER.1|CTXCTL.USER.2|CTXCTL.USER.3|PGRAPH.IDLE",
	  -1, .says = "a counter has four signals" },
	{ __LINE__, "GT218", "", -1, .says = "the name of a signal is missing" },
	{ __LINE__, "GT218", "PGRAPH.IDLE &", -1, .says = "the name of a signal is missing" },
	{ __LINE__, "GT218", "PGRAPH.IDLE PGRAPH.INTR", -1, .says = "something follows" },
	{ __LINE__, "GT218", "(PGRAPH.IDLE", -1, .says = "a ')' is missing" },
	{ __LINE__, "GT218", "((((((((((((((((((((((((((((((((((((((((1", 1, .says = "too deep" },
	{ __LINE__, "GT218", "1", -1, .says = "it has no signal" },
	{ __LINE__, "G80", "1", 5, .says = "G80 has no domain 5" },
	{ __LINE__, "GT218", "PM_TRIGGER", 9, .says = "GT218 has no domain 9" },
};

TEST(functions_of_names)
{
	TT_FOR_EACH_ROW(r, rows) {
		struct nti_card_function f = { 0 };
		struct nti_error e = { 0 };
		int ret = nti_card_function_parse(nthw_nv_chip_by_name(r->chip), r->text, r->domain,
						  "x", &f, &e);

		TT_EQ(r, ret, r->says ? -EINVAL : 0);
		if (r->says) {
			if (!strstr(e.text, r->says))
				fail_msg("line %d: '%s' lacks '%s'", r->line, e.text, r->says);
			continue;
		}
		TT_EQ(r, f.src, r->src);
		TT_EQ(r, f.table, r->table);
		TT_EQ(r, f.domain, r->of);
	}
}

/* Every signal of each chip is below its domain's trailer, and no two names have the same one. */
TEST(signals_are_the_chips)
{
	size_t c, i, k;

	TT_IS(nti_card_signal_chip_count, 14);
	for (c = 0; c < nti_card_signal_chip_count; c++) {
		const struct nthw_nv_chip *chip = nthw_nv_chip_by_name(nti_card_signal_chips[c]);
		bool used[NTHW_NV_DOMAINS][256] = { { false } };
		size_t found = 0;

		assert_non_null(chip);
		for (i = 0; i < nti_card_signal_count; i++) {
			const struct nti_card_signal *row = &nti_card_signals[i];

			for (k = 0; row->chips >> c & 1 && k < row->count; k++, found++) {
				assert_true(row->first + k < chip->last[row->domain] - 0x13u ||
					    chip->family == NTHW_NV_G80);
				assert_false(used[row->domain][row->first + k]);
				used[row->domain][row->first + k] = true;
			}
		}
		assert_true(found > 40);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_names),
		cmocka_unit_test(signals_are_the_chips),
	};

	return TT_RUN(tests);
}
