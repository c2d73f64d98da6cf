// SPDX-License-Identifier: MIT
/*
 * The input as a record of /run/ntime-vfio. What is accepted names places and drivers that cannot
 * lead out of their folders, is found by name, and is written as it was read.
 */
#include <errno.h>

#include "base/tests/fuzz/fuzz.h"
#include "trace/lib/vfio/record.h"

#define TEXT_BYTES 65536

static void check_driver(const char *driver)
{
	fuzz_expect(!strpbrk(driver, "/\n\t") && strcmp(driver, "..") != 0);
}

static void check(const struct nti_vfio_record *r)
{
	static struct nti_vfio_record again;
	static char text[TEXT_BYTES];
	const char *reason;
	char place[NTI_VFIO_NAME_BYTES];

	fuzz_expect(r->n <= NTI_VFIO_FUNCTIONS_MAX);
	for (size_t i = 0; i < r->n; i++) {
		const struct nti_vfio_had *had = nti_vfio_record_find(r, r->had[i].name);

		fuzz_expect(had && had <= &r->had[i]);
		fuzz_expect(nti_vfio_place(r->had[i].name, place) == 0);
		fuzz_expect(strcmp(place, r->had[i].name) == 0);
		check_driver(r->had[i].driver);
		check_driver(r->had[i].override);
	}
	fuzz_expect(nti_vfio_record_format(r, text, sizeof(text)) > 0);
	fuzz_expect(nti_vfio_record_parse(text, &again, &reason) == 0);
	fuzz_expect(memcmp(r, &again, sizeof(again)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct nti_vfio_record r;
	char *text = fuzz_text(data, bytes);
	const char *reason = NULL;
	int ret = nti_vfio_record_parse(text, &r, &reason);

	fuzz_expect(ret == 0 || (ret == -EBADMSG && reason && reason[0]));
	if (ret == 0)
		check(&r);
	free(text);
	return 0;
}
