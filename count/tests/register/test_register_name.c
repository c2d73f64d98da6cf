// SPDX-License-Identifier: MIT
/* Rows found by the names of their table and their register. */
#include "count/lib/machine/register/register.h"
#include "base/tests/tt.h"

TEST(names_and_tables_find_their_row)
{
	assert_ptr_equal(nti_register_row("x86", "IA32_PERFEVTSEL3"),
			 nti_register_row("x86", "IA32_PERFEVTSEL0"));
	assert_non_null(nti_register_row("armv8_pmu", "PMEVCNTR12_EL0"));
	assert_null(nti_register_row("armv8_pmu", "IA32_PERFEVTSEL0"));
	assert_null(nti_register_row("nonsense", "IA32_PERFEVTSEL0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_tables_find_their_row),
	};

	return TT_RUN(tests);
}
