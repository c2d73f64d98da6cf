// SPDX-License-Identifier: MIT
/* Everything from a reader into a writer. */
#include <ntime/trace/writer.h>

int ntime_trace_copy(struct ntime_trace *t, struct ntime_trace_writer *w,
		     int (*progress)(void *arg, uint64_t position), void *arg)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	int ret;

	do {
		ret = ntime_trace_next(t, &batch);
		if (!ret && batch.n)
			ret = ntime_trace_writer_put(w, &batch);
		if (!ret && progress)
			ret = progress(arg, batch.position);
	} while (!ret && batch.n);
	return ret;
}
