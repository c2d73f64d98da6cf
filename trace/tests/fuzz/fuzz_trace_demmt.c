// SPDX-License-Identifier: MIT
/*
 * The input as a trace of that form: nothing crashes, and what is read can be written in every
 * form.
 */
#include "trace/tests/fuzz/trace_front.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	return fuzz_front(&nti_trace_demmt, data, bytes);
}
