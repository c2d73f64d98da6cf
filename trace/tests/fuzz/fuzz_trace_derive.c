// SPDX-License-Identifier: MIT
/*
 * The input as accesses: five bytes each choose a register of counters and multiplexers, or any,
 * and a value. Whatever comes, rows are whole, equal to themselves unless unknown, and within
 * bounds.
 */
#include <ntime/trace/derive.h>

#include "base/tests/fuzz/fuzz.h"
#include "trace/lib/base/context.h"

/* Blocks that the deriver knows, and one that it does not. */
static const uint32_t bases[] = { 0xa400,   0xa500,   0xa600,	0xa700,	  0x400000,
				  0x400800, 0x400c00, 0x402c00, 0x407000, 0x408300,
				  0x408500, 0x408800, 0x180000, 0x1a0000, 0x1b0000,
				  0x504600, 0x504700, 0x419e00, 0x140000, 0x000000 };

static struct ntime_record record(const uint8_t *p)
{
	struct ntime_record r = { .width = 4, .flags = NTIME_RECORD_VALUED };

	r.kind = p[0] & 1;
	r.offset = bases[p[0] / 4 % NTI_ARRAY_SIZE(bases)] + p[1];
	memcpy(&r.value, p + 2, 3);
	r.value = p[4] & 0x80 ? r.value << 8 : r.value;
	if (p[0] == 0xff)
		r.kind = NTIME_RECORD_LIST;
	else if (p[0] == 0xfe)
		r.width = (uint8_t)(1u << (p[1] & 3));
	r.device = p[4] & 1;
	return r;
}

static void check(const struct ntime_derive *d)
{
	struct ntime_derived row = { .size = sizeof(row) };

	for (size_t i = 0; ntime_derive_get(d, i, &row) == 0; i++) {
		fuzz_expect(row.n_values <= row.reads && row.min <= row.max && row.windows);
		fuzz_expect(row.first_window <= row.last_window);
		fuzz_expect(row.logic[0] && row.key[0] && row.counter[0]);
		fuzz_expect(ntime_derived_is_equal(&row, &row) ==
			    (row.role != NTIME_DERIVED_UNKNOWN));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char *const chips[] = { NULL, "GT218", "G80", "G86", "GF108", "GK104" };
	struct ntime_record rec[64];
	struct ntime_trace_batch batch = { .size = sizeof(batch), .records = rec, .text = "" };
	struct ntime_trace_ctx ctx = { 0 };
	struct ntime_derive *d;

	if (!bytes || ntime_derive_new(&ctx, chips[data[0] % NTI_ARRAY_SIZE(chips)], &d))
		return 0;
	for (size_t i = 1; i + 5 <= bytes; i += 5) {
		rec[batch.n++] = record(data + i);
		if (batch.n == NTI_ARRAY_SIZE(rec) || i + 10 > bytes) {
			fuzz_expect(ntime_derive_feed(d, &batch, NULL) == 0);
			batch.n = 0;
		}
	}
	fuzz_expect(ntime_derive_end(d) == 0);
	check(d);
	ntime_derive_free(d);
	return 0;
}
