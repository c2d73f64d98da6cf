// SPDX-License-Identifier: MIT
/* Names in filters: which bytes they mean. */
#include <errno.h>

#include "trace/lib/filter/names.h"
#include "trace/lib/filter/terms.h"
#include "base/tests/tt.h"

/* "407008-40700b", with "?" where only devices that may be NVIDIA's have it. */
static int note(void *arg, uint32_t region, uint64_t first, uint64_t last)
{
	char *text = arg;

	assert_int_equal(region & ~NTI_OWN_ROWS, 0);
	if (strlen(text) < 400)
		sprintf(text + strlen(text), "%s%llx-%llx%s", *text ? " " : "",
			(unsigned long long)first, (unsigned long long)last, region ? "?" : "");
	return 0;
}

static const struct range_row {
	int line;
	const char *text;
	int ret;
	const char *ranges;
} rows[] = {
	{ __LINE__, "PCOUNTER.PRE_SRC@GT218", 0, "a400-a41f" },
	{ __LINE__, "pre_src[3]@nva8", 0, "a40c-a40f" },
	{ __LINE__, "SIG_STATUS@GT218", 0, "a800-a8ff" },
	{ __LINE__, "SIG_STATUS[2]@GT218", 0, "a840-a85f" },
	{ __LINE__, "TPC[1].MPC.PM_OUT_ENABLE@G96", 0, "409334-409337" },
	{ __LINE__, "CROP.PM_MUX@G80", 0,
	  "407008-40700b 407108-40710b 407208-40720b 407308-40730b 407408-40740b 407508-40750b "
	  "407608-40760b "
	  "407708-40770b" },
	{ __LINE__, "TPC[0].MP.PM_COUNTER@G80", 0, "408228-408237 4082a8-4082b7" },
	/* without a chip: both layouts of a TPC */
	{ __LINE__, "TPC[0].MPC.PM_GROUP_SEL", 0, "408330-408333? 40833c-40833f?" },
	{ __LINE__, "PRE_SCR@GT218", -ENOENT, "" },
	{ __LINE__, "PRE_SRC@GT2180", -ENOENT, "" },
	{ __LINE__, "", -ENOENT, "" },
};

TEST(names_become_ranges)
{
	struct ntime_trace_ctx *ctx;
	struct ntime_regdb *db;
	char text[600];

	assert_int_equal(ntime_trace_ctx_new(&ctx, NULL), 0);
	assert_int_equal(ntime_regdb_new(ctx, &db), 0);
	TT_FOR_EACH_ROW(r, rows) {
		text[0] = '\0';
		TT_EQ(r, nti_filter_names(db, r->text, note, text), r->ret);
		TT_STR(r, text, r->ranges);
		TT_EQ(r, !r->ret || ntime_trace_error_text(ctx)[0], 1);
	}
	/* 32 units of 8 domains with all their registers: a filter takes them all */
	text[0] = '\0';
	TT_IS(nti_filter_names(db, "*@GF100", note, text), 0);
	TT_IS(strlen(text) >= 400, 1);
	ntime_regdb_free(db);
	ntime_trace_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_ranges),
	};

	return TT_RUN(tests);
}
