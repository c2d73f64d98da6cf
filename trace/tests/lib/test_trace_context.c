// SPDX-License-Identifier: MIT
/* The context of libntime-trace: its options, its sentences, its log. */
#include <errno.h>

#include <ntime/trace.h>

#include "base/tests/tt.h"

TEST(version)
{
	char wanted[32];

	snprintf(wanted, sizeof(wanted), "%d.%d.%d", NTIME_VERSION_MAJOR, NTIME_VERSION_MINOR,
		 NTIME_VERSION_PATCH);
	assert_string_equal(ntime_trace_version(), wanted);
}

#define SIZE sizeof(struct ntime_trace_ctx_options)

static const struct option_row {
	int line;
	struct ntime_trace_ctx_options options;
	int ret;
	const char *sentence; /* NULL: there is no context either */
} option_rows[] = {
	{ __LINE__, { .size = SIZE }, 0, "" },
	{ __LINE__, { .size = SIZE, .root = "/proc" }, 0, "" },
	{ __LINE__, { .size = 0 }, -EINVAL, NULL },
	{ __LINE__, { .size = SIZE + 8 }, -EINVAL, NULL },
	{ __LINE__, { .size = SIZE, .flags = 1 }, -EINVAL, NULL },
	{ __LINE__, { .size = SIZE, .reserved = { 0, 0, 0, 1 } }, -EINVAL, NULL },
	{ __LINE__,
	  { .size = SIZE, .root = "/proc/none" },
	  -ENOENT,
	  "there is no directory /proc/none" },
};

TEST(options)
{
	TT_FOR_EACH_ROW(r, option_rows) {
		struct ntime_trace_ctx *ctx;

		TT_EQ(r, ntime_trace_ctx_new(&ctx, &r->options), r->ret);
		TT_EQ(r, ctx != NULL, r->sentence != NULL);
		if (ctx)
			assert_string_equal(ntime_trace_error_text(ctx), r->sentence);
		ntime_trace_ctx_free(ctx);
	}
}

TEST(default_options)
{
	struct ntime_trace_ctx *ctx;

	assert_int_equal(ntime_trace_ctx_new(&ctx, NULL), 0);
	assert_string_equal(ntime_trace_error_text(ctx), "");
	ntime_trace_ctx_free(ctx);
	ntime_trace_ctx_free(NULL);
}

TEST(long_root)
{
	static char root[65536];
	struct ntime_trace_ctx_options options = { .size = sizeof(options), .root = root };
	struct ntime_trace_ctx *ctx;

	memset(root, 'a', sizeof(root) - 1);
	root[0] = '/';
	assert_int_equal(ntime_trace_ctx_new(&ctx, &options), -ENAMETOOLONG);
	assert_string_equal(ntime_trace_error_text(ctx),
			    "the name of the root directory is too long");
	ntime_trace_ctx_free(ctx);
}

/* Traces belong to the user: no root is put before their names. */
TEST(traces_are_not_below_the_root)
{
	struct ntime_trace_ctx_options options = { .size = sizeof(options), .root = "/proc" };
	struct ntime_trace *trace;
	struct ntime_trace_ctx *ctx;

	assert_int_equal(ntime_trace_ctx_new(&ctx, &options), 0);
	assert_int_equal(ntime_trace_open(ctx, "examples/g96-vfio.log", NULL, &trace), 0);
	ntime_trace_close(trace);
	assert_int_equal(ntime_trace_open(ctx, "/self/status", NULL, &trace), -ENOENT);
	TT_HAS(ntime_trace_error_text(ctx), "/self/status");
	ntime_trace_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version),
		cmocka_unit_test(options),
		cmocka_unit_test(default_options),
		cmocka_unit_test(long_root),
		cmocka_unit_test(traces_are_not_below_the_root),
	};

	return TT_RUN(tests);
}
