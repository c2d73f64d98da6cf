// SPDX-License-Identifier: MIT
/*
 * Memory runs short at every allocation in turn: each time -ENOMEM with a sentence, nothing
 * changed, nothing leaked (the leak sanitizer looks). The linker sends the library's allocations
 * here, see meson.build.
 */
#include <errno.h>

#include "count/lib/metric/metric.h"
#include "base/tests/tt.h"

void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_reallocarray(void *old, size_t n, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_reallocarray(void *old, size_t n, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);

static long left = -1; /* allocations that still succeed; -1: all */

static int is_short(void)
{
	if (left < 0)
		return 0;
	return left == 0 || left-- == 0;
}

void *__wrap_calloc(size_t n, size_t bytes)
{
	return is_short() ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
	return is_short() ? NULL : __real_realloc(old, bytes);
}

void *__wrap_reallocarray(void *old, size_t n, size_t bytes)
{
	return is_short() ? NULL : __real_reallocarray(old, n, bytes);
}

char *__wrap_strdup(const char *text)
{
	return is_short() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t bytes)
{
	return is_short() ? NULL : __real_strndup(text, bytes);
}

#define LONG "a + b + c + d + e + f + g + h + i + j"
#define ENTRY(name)                                                                                \
	"metric " name "\nunit u\nformula " LONG "\nformula c\nbeside c\nabout A.\nsource b\n\n"

/* Each runs one call; its result is what is returned. They check what must hold on failure. */

static int run_formula(struct nti_error *e)
{
	struct nti_formula *f;
	int ret = nti_formula_parse(LONG, &f, e);

	assert_int_equal(ret == 0, f != NULL);
	nti_formula_free(f);
	return ret;
}

static int run_inline(struct nti_error *e)
{
	struct nti_metric m;
	int ret = nti_metric_parse_inline("x[u]=" LONG, &m, e);

	assert_int_equal(ret == 0, m.name != NULL);
	nti_metric_fini(&m);
	return ret;
}

static int run_inline_plain(struct nti_error *e)
{
	struct nti_metric m;
	int ret = nti_metric_parse_inline("x=a", &m, e);

	assert_int_equal(ret == 0, m.name != NULL);
	nti_metric_fini(&m);
	return ret;
}

static int run_file(struct nti_error *e)
{
	static const char before[] = ENTRY("before"), text[] = ENTRY("one") ENTRY("two");
	struct nti_metrics all = { 0 };
	long limit = left;
	int ret;

	left = -1;
	assert_int_equal(nti_metrics_parse("f", before, sizeof(before) - 1, &all, NULL), 0);
	left = limit;
	ret = nti_metrics_parse("f", text, sizeof(text) - 1, &all, e);
	assert_int_equal(all.count, ret == 0 ? 3 : 1);
	assert_string_equal(all.metric[0].name, "before");
	nti_metrics_fini(&all);
	return ret;
}

static const struct run_row {
	int line;
	int (*run)(struct nti_error *e);
	int least; /* allocations that it makes at least */
} run_rows[] = {
	{ __LINE__, run_formula, 10 },
	{ __LINE__, run_inline, 10 },
	{ __LINE__, run_inline_plain, 8 },
	{ __LINE__, run_file, 40 },
};

TEST(short_memory)
{
	TT_FOR_EACH_ROW(r, run_rows) {
		int allowed, ret = -ENOMEM;

		for (allowed = 0; allowed < 1000 && ret != 0; allowed++) {
			struct nti_error e = { 0 };

			left = allowed;
			ret = r->run(&e);
			left = -1;
			if (ret == 0)
				break;
			TT_EQ(r, ret, -ENOMEM);
			TT_HAS(e.text, "memory is short for a ");
		}
		TT_EQ(r, ret, 0);
		TT_EQ(r, allowed >= r->least, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_memory),
	};

	return TT_RUN(tests);
}
