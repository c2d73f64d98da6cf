// SPDX-License-Identifier: MIT
/*
 * The input as what the small parsers take that others are made of: numbers, lengths of time, lists
 * of CPUs, names compared with names, and text of others that is made fit for a terminal.
 */
#include <errno.h>

#include "base/output/clean.h"
#include "base/output/number.h"
#include "base/common/text.h"
#include "base/tests/fuzz/fuzz.h"

#define CPUS 1024

struct seen {
	unsigned int n;
	bool has[CPUS];
};

static int see(void *arg, unsigned int n)
{
	struct seen *s = arg;

	fuzz_expect(n < CPUS);
	s->has[n] = true;
	/* A list may name one as often as it likes. */
	return ++s->n == 4 * CPUS;
}

static void try_list(const char *text)
{
	struct seen s = { 0 };
	int ret = nti_text_for_each_in_list(text, CPUS, see, &s);

	fuzz_expect(ret == 0 || ret == 1 || ret == -EINVAL || ret == -ERANGE);
	for (unsigned int i = 0; i < CPUS && ret == 0; i += 37)
		fuzz_expect(nti_text_list_has(text, i) == s.has[i]);
}

static void try_numbers(const char *text)
{
	const char *at = text;
	uint64_t number, ns;
	uint32_t small;
	int ret = nti_text_parse_u64(text, &number);

	fuzz_expect(ret == 0 || ret == -EINVAL || ret == -ERANGE);
	if (!cli_number_parse(text, 3, 1000, &number))
		fuzz_expect(number >= 3 && number <= 1000);
	ret = cli_time_parse(text, &ns);
	fuzz_expect(ret == 0 || ret == -EINVAL || ret == -ERANGE);
	if (nti_text_take_u32(&at, 16, &small))
		fuzz_expect(at > text && at <= text + strlen(text));
	else
		fuzz_expect(at == text);
}

static void try_names(const char *text)
{
	size_t half = strlen(text) / 2;
	char *other = strndup(text, half);

	fuzz_expect(other != NULL);
	fuzz_expect(nti_text_distance(text, text, 4) == (strlen(text) > 255 ? 5 : 0));
	fuzz_expect(nti_text_distance(text, other, 4) == nti_text_distance(other, text, 4));
	fuzz_expect(nti_text_find(text, other) != NULL);
	fuzz_expect(strlen(nti_text_trim(other)) <= half);
	free(other);
}

/* Whatever is printed has no control character, and stays as it is when it is cleaned again. */
static void try_clean(const char *text, size_t bytes)
{
	char *once = malloc(bytes + 1), *twice = malloc(bytes + 1);
	size_t n, at, length;
	uint32_t code;

	fuzz_expect(once && twice);
	n = cli_clean_copy(once, text, bytes);
	fuzz_expect(n <= bytes);
	for (at = 0; at < n; at += length) {
		length = cli_utf8_char(once + at, n - at, &code);
		fuzz_expect(length && length <= n - at && !cli_is_control(code));
	}
	fuzz_expect(cli_clean_copy(twice, once, n) == n && memcmp(once, twice, n) == 0);
	fuzz_expect(strlen(cli_clean(text)) <= strlen(text));
	free(once);
	free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = fuzz_text(data, bytes);

	try_list(text);
	try_numbers(text);
	try_names(text);
	try_clean(text, bytes);
	free(text);
	return 0;
}
