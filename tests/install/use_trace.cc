// SPDX-License-Identifier: MIT
// A program as users write it, in C++: writes a trace of its own and reads it again. It needs
// libntime-trace alone.
#include <ntime/trace.h>

#include <cstdio>
#include <cstring>

static int fail(ntime_trace_ctx *ctx, const char *what)
{
	std::fprintf(stderr, "%s: %s\n", what, ctx ? ntime_trace_error_text(ctx) : "no context");
	ntime_trace_ctx_free(ctx);
	return 1;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "use_trace.log";
	ntime_trace_ctx *ctx = nullptr;
	ntime_trace *trace = nullptr;
	ntime_trace_batch batch = {};
	ntime_trace_info info = {};
	char version[32];

	std::snprintf(version, sizeof(version), "%d.%d.%d", NTIME_VERSION_MAJOR,
		      NTIME_VERSION_MINOR, NTIME_VERSION_PATCH);
	if (std::strcmp(version, ntime_trace_version()) != 0)
		return fail(nullptr, "headers and library are of different versions");
	std::FILE *file = std::fopen(path, "w");
	if (!file ||
	    std::fputs("vfio_region_read  (0000:05:00.0:region0+0x0, 4) = 0x96480a1\n", file) < 0 ||
	    std::fclose(file))
		return fail(nullptr, path);
	if (ntime_trace_ctx_new(&ctx, nullptr) < 0)
		return fail(ctx, "ntime_trace_ctx_new");
	if (ntime_trace_open(ctx, path, nullptr, &trace) < 0)
		return fail(ctx, "ntime_trace_open");
	std::remove(path);
	batch.size = sizeof(batch);
	info.size = sizeof(info);
	if (ntime_trace_next(trace, &batch) < 0 || batch.n != 1 ||
	    batch.records[0].value != 0x96480a1)
		return fail(ctx, "the access is not what was written");
	if (ntime_trace_get_info(trace, &info) < 0 || info.form != NTIME_TRACE_VFIO)
		return fail(ctx, "the form is not what was written");
	ntime_trace_close(trace);
	ntime_trace_ctx_free(ctx);
	return 0;
}
