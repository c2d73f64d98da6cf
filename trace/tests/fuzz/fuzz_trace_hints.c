// SPDX-License-Identifier: MIT
/*
 * The input as hints of ntime trace convert. What is accepted keeps the bounds of its kind, and
 * each hint is found for the device that it names.
 */
#include "base/tests/fuzz/fuzz.h"
#include "trace/lib/write/hints.h"

static void check(const struct nti_hints *hints)
{
	static const char *const devices[] = { "0000:05:00.0", "05:00.0", "", "fff51000.ethernet" };
	size_t i, k;

	for (i = 0; i < hints->n; i++) {
		const struct nti_hint *h = &hints->list[i];

		fuzz_expect(h->kind <= NTI_HINT_STYLE && h->device && h->bar <= 6);
		fuzz_expect(h->kind != NTI_HINT_STYLE || nti_hint_style(h->name));
		for (k = 0; k < sizeof(devices) / sizeof(devices[0]); k++)
			fuzz_expect(!nti_hint_fits(h, devices[k]) ||
				    nti_hints_find(hints, h->kind, devices[k]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes);
	struct nti_hints hints = { 0 };
	struct nti_error e = { 0 };
	int ret = nti_hints_parse(&e, text, &hints);

	fuzz_expect(ret == 0 || (e.code == ret && e.text[0]));
	if (ret == 0)
		check(&hints);
	nti_hints_fini(&hints);
	free(text);
	return 0;
}
