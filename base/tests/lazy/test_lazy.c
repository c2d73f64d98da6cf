// SPDX-License-Identifier: MIT
/*
 * base/lazy: each library under its name, with each of its functions; and libraries that are not
 * there.
 */
#include <errno.h>
#include <perfmon/pfmlib.h>
#include <pthread.h>

#include "base/common/library.h"
#include "base/tests/tt.h"

/*
 * A program that links a library notes its file: ours must be the same, or another version is
 * loaded than was compiled for.
 */
TEST(each_library_loads)
{
#define ADDRESS(name) &nti_lazy_##name,
	/* TT_LIBRARIES is of the build: those that were found. */
	static struct nti_lazy *const all[] = { TT_LIBRARIES(ADDRESS) };
	char why[NTI_LAZY_WHY_BYTES] = "";
	size_t i, k;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (nti_lazy_load(all[i], why) < 0)
			fail_msg("%s: %s", all[i]->file, why);
		for (k = 0; k < all[i]->count; k++)
			assert_non_null(nti_lazy_function(all[i], k));
	}
}

/* What is called is the library's own function. */
TEST(functions_are_those_of_the_library)
{
	TT_IS(pfm_initialize(), PFM_SUCCESS);
	TT_TEXT(pfm_strerror(PFM_ERR_NOTFOUND), "event not found");
}

static const char *const no_functions[] = { "nti_there_is_no_such_function" };
static void *no_addresses[1];

TEST(a_missing_library_has_a_sentence)
{
	struct nti_lazy none = { .file = "libntime-none.so.7",
				 .package = "libntime-none7",
				 .name = no_functions,
				 .function = no_addresses,
				 .count = 1 };
	struct nti_error e = { 0 };
	char why[NTI_LAZY_WHY_BYTES] = "";

	TT_IS(nti_lazy_load(&none, why), -ELIBACC);
	TT_HAS(why, "libntime-none.so.7");
	assert_null(nti_lazy_function(&none, 0));
	TT_IS(nti_library_need(&none, "the weather", &e), -ELIBACC);
	TT_IS(e.code, -ELIBACC);
	TT_HAS(e.text, "the weather: libntime-none.so.7 cannot be loaded (");
	TT_HAS(e.text, "); install libntime-none7");
}

/* One that is too old is not used in part. */
TEST(a_missing_function_is_a_missing_library)
{
	struct nti_lazy old = { .file = "libc.so.6",
				.package = "libc6",
				.name = no_functions,
				.function = no_addresses,
				.count = 1 };
	char why[NTI_LAZY_WHY_BYTES] = "";

	TT_IS(nti_lazy_load(&old, why), -ELIBACC);
	TT_HAS(why, "nti_there_is_no_such_function");
	assert_null(nti_lazy_function(&old, 0));
}

static void *call(void *arg)
{
	struct nti_lazy *l = arg;

	return nti_lazy_function(l, 0);
}

TEST(threads_may_load_at_once)
{
	static const char *const names[] = { "qsort" };
	void *addresses[1] = { NULL }, *got;
	struct nti_lazy c = {
		.file = "libc.so.6", .name = names, .function = addresses, .count = 1
	};
	pthread_t thread[8];
	size_t i;

	for (i = 0; i < 8; i++)
		TT_IS(pthread_create(&thread[i], NULL, call, &c), 0);
	for (i = 0; i < 8; i++) {
		TT_IS(pthread_join(thread[i], &got), 0);
		assert_ptr_equal(got, addresses[0]);
		assert_non_null(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_missing_library_has_a_sentence),
		cmocka_unit_test(a_missing_function_is_a_missing_library),
		cmocka_unit_test(threads_may_load_at_once),
		cmocka_unit_test(functions_are_those_of_the_library),
		cmocka_unit_test(each_library_loads),
	};

	return TT_RUN(tests);
}
