// SPDX-License-Identifier: MIT
/* Places as people write them, and the text of records. */
#include <errno.h>

#include "trace/lib/vfio/record.h"
#include "base/tests/tt.h"

static const struct place_row {
	int line;
	const char *text, *name; /* NULL: it is none */
} place_rows[] = {
	{ __LINE__, "0000:05:00.0", "0000:05:00.0" },
	{ __LINE__, "05:00.0", "0000:05:00.0" },
	{ __LINE__, "5:0.7", "0000:05:00.7" },
	{ __LINE__, "ABCD:fE:1F.3", "abcd:fe:1f.3" },
	/* Intel's VMD */
	{ __LINE__, "10000:e1:00.0", "10000:e1:00.0" },
	{ __LINE__, "", NULL },
	{ __LINE__, "05:00", NULL },
	{ __LINE__, "05:20.0", NULL },
	{ __LINE__, "05:00.8", NULL },
	{ __LINE__, "05:00.0 ", NULL },
	{ __LINE__, "../05:00.0", NULL },
	{ __LINE__, "0000:0000:05:00.0", NULL },
	{ __LINE__, "100000:05:00.0", NULL },
	{ __LINE__, "0x5:00.0", NULL },
	{ __LINE__, "eth0", NULL },
	{ __LINE__, ":05:00.0", NULL },
};

TEST(places)
{
	char name[NTI_VFIO_NAME_BYTES];

	TT_FOR_EACH_ROW(r, place_rows) {
		TT_EQ(r, nti_vfio_place(r->text, name), r->name ? 0 : -EINVAL);
		if (r->name)
			TT_STR(r, name, r->name);
	}
}

#define HEAD "ntime-vfio-1\tabc\t14\n"
#define ONE "0000:05:00.0\tnouveau\t-\n"

static const struct text_row {
	int line;
	const char *text;
	int n; /* -1: it is damaged */
} text_rows[] = {
	{ __LINE__, HEAD ONE "end\t1\n", 1 },
	{ __LINE__, HEAD "0000:05:00.0\t-\tx\n" ONE "end\t2\n", 2 },
	{ __LINE__, HEAD "end\t0\n", 0 },
	/* a longer one from before, not cut off yet */
	{ __LINE__, HEAD ONE "end\t1\nd\t2\n", 1 },
	/* broken off at each place */
	{ __LINE__, HEAD ONE "end\t", -1 },
	{ __LINE__, HEAD ONE, -1 },
	{ __LINE__, HEAD "0000:05:00.0\tnouv", -1 },
	{ __LINE__, HEAD, -1 },
	{ __LINE__, "ntime-vfio-1\tabc", -1 },
	/* somebody else's, or another version */
	{ __LINE__, "ntime-claim-1\tabc\t14\nend\t0\n", -1 },
	{ __LINE__, "ntime-vfio-2\tabc\t14\nend\t0\n", -1 },
	/* wrong number, place, and drivers that would lead elsewhere */
	{ __LINE__, HEAD ONE "end\t2\n", -1 },
	{ __LINE__, HEAD "05:00.0\tnouveau\t-\nend\t1\n", -1 },
	{ __LINE__, HEAD "0000:05:00.0\t../../x\t-\nend\t1\n", -1 },
	{ __LINE__, HEAD "0000:05:00.0\t..\t-\nend\t1\n", -1 },
	{ __LINE__, HEAD "0000:05:00.0\t\t-\nend\t1\n", -1 },
};

TEST(texts)
{
	static struct nti_vfio_record record;
	const char *reason;

	TT_FOR_EACH_ROW(r, text_rows) {
		TT_EQ(r, nti_vfio_record_parse(r->text, &record, &reason), r->n < 0 ? -EBADMSG : 0);
		if (r->n >= 0)
			TT_EQ(r, record.n, r->n);
	}
}

TEST(round_trip_of_the_longest)
{
	static struct nti_vfio_record record, back;
	static char text[1 << 16];
	const char *reason;
	size_t i;

	strcpy(record.boot, "0123456789abcdef0123456789abcdef0123456");
	record.group = 4294967295u;
	for (i = 0; i < NTI_VFIO_FUNCTIONS_MAX; i++, record.n++) {
		struct nti_vfio_had *had = &record.had[i];

		(void)snprintf(had->name, sizeof(had->name), "fffff:%02x:1f.7", (unsigned int)i);
		memset(had->driver, 'd', sizeof(had->driver) - 1);
		if (i % 2)
			memset(had->override, 'o', sizeof(had->override) - 1);
	}
	TT_IS(nti_vfio_record_format(&record, text, 100), -E2BIG);
	assert_true(nti_vfio_record_format(&record, text, sizeof(text)) > 0);
	TT_IS(nti_vfio_record_parse(text, &back, &reason), 0);
	assert_memory_equal(&record, &back, sizeof(record));
	assert_null(nti_vfio_record_find(&back, "0000:00:00.0"));
	assert_ptr_equal(nti_vfio_record_find(&back, "fffff:03:1f.7"), &back.had[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
		cmocka_unit_test(texts),
		cmocka_unit_test(round_trip_of_the_longest),
	};

	return TT_RUN(tests);
}
