/* SPDX-License-Identifier: MIT */
/*
 * A front end of traces under a fuzzer: its input in two pieces. Of one input in FUZZ_MATCHED the
 * form is detected as well. Of one in FUZZ_WRITTEN what came out is written in every form, and
 * ntime's own form read again.
 */
#ifndef FUZZ_TRACE_FRONT_H
#define FUZZ_TRACE_FRONT_H

#include "trace/tests/fuzz/trace_write.h"

#define FUZZ_WRITTEN 64
#define FUZZ_MATCHED 8

/*
 * Memory of @bytes zeros that is used again by the next input: most of the time would go into
 * getting it from the system.
 */
static inline void *fuzz_zeros(void **kept, size_t bytes)
{
	if (!*kept)
		*kept = malloc(bytes + 1);
	fuzz_expect(*kept);
	return memset(*kept, 0, bytes);
}

static inline int fuzz_front(const struct nti_trace_front *front, const uint8_t *data, size_t bytes)
{
	static void *kept_state, *kept_order;
	static struct nti_trace_batch b;
	void *state = fuzz_zeros(&kept_state, front->state_bytes);
	void *order = fuzz_zeros(&kept_order, front->order_bytes);
	const char *text = (const char *)data, *newline;
	struct nti_trace_devices *devices = NULL;
	size_t cut = bytes / 2;
	ssize_t used;

	fuzz_expect(nti_trace_devices_new(&devices) == 0);
	nti_trace_batch_clear(&b);
	if (fuzz_is_chosen(data, bytes, FUZZ_MATCHED)) {
		(void)front->match(text, bytes);
		if (front->refuse)
			(void)front->refuse(text, bytes);
	}
	newline = front->is_text ? memchr(text + cut, '\n', bytes - cut) : NULL;
	if (newline)
		cut = (size_t)(newline - text) + 1;
	else if (front->is_text)
		cut = 0;
	used = fuzz_piece(front, state, order, devices, &b, text, cut, false);
	if (used >= 0)
		(void)fuzz_piece(front, state, order, devices, &b, text + used,
				 bytes - (size_t)used, true);
	if (fuzz_is_chosen(data, bytes, FUZZ_WRITTEN))
		fuzz_write_all(devices, &b);
	if (front->end)
		front->end(state);
	nti_trace_devices_free(devices);
	return 0;
}

#endif
