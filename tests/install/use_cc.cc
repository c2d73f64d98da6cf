// SPDX-License-Identifier: MIT
/* A program as users write it, in C++: walks what the machine has and reads a clock inline. */
#include <ntime/ntime.h>

#include <cstdio>
#include <memory>

namespace
{
struct close_ctx {
	void operator()(ntime_ctx *ctx) const
	{
		ntime_close(ctx);
	}
};
struct free_session {
	void operator()(ntime_session *s) const
	{
		ntime_session_free(s);
	}
};

int count_way(void *arg, const ntime_method_info *way)
{
	std::printf("%s: %s\n", way->name, way->usable ? "usable" : way->reason);
	++*static_cast<int *>(arg);
	return 0;
}

int fail(const ntime_ctx *ctx, const char *what)
{
	std::fprintf(stderr, "%s: %s\n", what, ctx ? ntime_error_text(ctx) : "no context");
	return 1;
}

int read_clock(ntime_ctx *ctx, ntime_session *s)
{
	ntime_reader reader = {};
	uint64_t before = 0, after = 0;

	reader.size = sizeof(reader);
	if (ntime_session_start(s) < 0 || ntime_get_reader(s, 0, &reader) < 0)
		return fail(ctx, "a reader for tsc");
	if (ntime_read(&reader, &before) < 0 || ntime_read(&reader, &after) < 0)
		return fail(ctx, "ntime_read");
	std::printf("%s\n", ntime_reader_why(&reader));
	return after >= before ? 0 : fail(ctx, "the clock went backwards");
}
} // namespace

int main()
{
	ntime_ctx *raw = nullptr;
	const int opened = ntime_open(&raw, nullptr);
	const std::unique_ptr<ntime_ctx, close_ctx> ctx(raw);
	int ways = 0, index = -1;

	if (opened < 0)
		return fail(raw, "ntime_open");
	if (ntime_method_for_each(raw, count_way, &ways) != 0 || ways == 0)
		return fail(raw, "ntime_method_for_each");
	ntime_session *raw_session = nullptr;
	if (ntime_session_new(raw, nullptr, &raw_session) < 0)
		return fail(raw, "ntime_session_new");
	const std::unique_ptr<ntime_session, free_session> session(raw_session);
	if (ntime_session_add(raw_session, "tsc", &index) < 0 || index != 0)
		return fail(raw, "ntime_session_add");
	return read_clock(raw, raw_session);
}
