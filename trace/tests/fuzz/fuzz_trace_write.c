// SPDX-License-Identifier: MIT
/*
 * Records that no front end makes, in each form that is written. First byte: the form and its
 * flags; then records, and behind them what texts are made of. ntime's own form is read again and
 * has all of them.
 */
#include "trace/tests/fuzz/trace_records.h"
#include "trace/tests/fuzz/trace_write.h"

#define WRITTEN_RECORDS 48
#define TEXT_MOST 24

/* Texts of the records that have one in traces, from the back of the input. */
static void add_texts(struct nti_trace_batch *b, const uint8_t *data, size_t bytes)
{
	size_t i, n;
	char text[TEXT_MOST];

	for (i = 0; i < b->n; i++) {
		struct ntime_record *r = &b->rec[i];

		r->text = 0;
		if (r->kind < NTIME_RECORD_MARK && r->value % 8)
			continue;
		for (n = 0; n < TEXT_MOST && n < bytes && data[bytes - 1 - n]; n++)
			text[n] = (char)data[bytes - 1 - n];
		bytes -= n < bytes ? n + 1 : n;
		r->text = nti_trace_batch_text(b, text, n);
		fuzz_expect(r->text != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const uint32_t forms[] = { NTIME_TRACE_VFIO, NTIME_TRACE_MMIOTRACE, NTIME_TRACE_JSON,
					  NTIME_TRACE_BINARY };
	struct fuzz_bytes in = { data, data + bytes };
	struct nti_trace_devices *devices = fuzz_make_devices();
	struct nti_trace_bytes out = { 0 };
	static struct nti_trace_batch b;
	uint8_t how = (uint8_t)fuzz_get(&in, 1);
	uint32_t form = forms[how & 3], flags = 0;

	nti_trace_batch_clear(&b);
	fuzz_expect(nti_trace_batch_reserve(&b, WRITTEN_RECORDS) == 0);
	b.n = fuzz_records(&in, b.rec, WRITTEN_RECORDS);
	add_texts(&b, data, bytes);
	flags |= how & 0x04 ? NTIME_WRITER_REBASE : 0;
	flags |= how & 0x08 ? NTIME_WRITER_KEEP_THREAD : 0;
	flags |= how & 0x10 ? NTIME_WRITER_NO_MARKS : 0;
	flags |= how & 0x20 ? NTIME_WRITER_IO_MARKS : 0;
	flags |= how & 0x40 ? NTIME_WRITER_LIVE : 0;
	fuzz_write(form, flags, devices, &b, &out);
	if (form == NTIME_TRACE_BINARY && !(flags & NTIME_WRITER_NO_MARKS))
		fuzz_read_binary(&out, b.n);
	free(out.p);
	nti_trace_devices_free(devices);
	return 0;
}
