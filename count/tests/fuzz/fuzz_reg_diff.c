// SPDX-License-Identifier: MIT
/*
 * The input as two dumps that ntime reg diff compares, as text and as JSON; where "\n--\n" stands
 * ends the first. A dump does not differ from itself, and what is refused is so with a sentence.
 */
#include "base/output/exit.h"
#include "count/cli/reg/reg.h"
#include "count/tests/fuzz/cli_files.h"

static int diff(const char *a, const char *b, bool is_json)
{
	char *operands[] = { (char *)(uintptr_t)a, (char *)(uintptr_t)b };
	struct cli_reg r = { .operand = operands, .n = 2, .is_json = is_json };
	int ret = cli_reg_diff(&r);

	fuzz_expect(ret == 0 || ret == 1 || ret == CLI_EXIT_FAILED);
	fuzz_expect((fuzz_said() > 0) == (ret == CLI_EXIT_FAILED));
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char separator[] = "\n--\n";
	const char *cut = memmem(data, bytes, separator, sizeof(separator) - 1);
	size_t first = cut ? (size_t)(cut - (const char *)data) + 1 : bytes;
	size_t second = cut ? first + sizeof(separator) - 2 : 0;
	char *a = fuzz_text(data, first), *b = fuzz_text(data + second, bytes - second);
	const struct fuzz_opened files[] = { { "a", a, first }, { "b", b, bytes - second } };
	int ret;

	fuzz_files(files, 2);
	ret = diff("a", "a", bytes & 1);
	fuzz_expect(ret != 1);
	if (ret == 0 && cut)
		(void)diff("a", "b", bytes & 1);
	free(a);
	free(b);
	return 0;
}
