// SPDX-License-Identifier: MIT
#include <string.h>

#include "lab/tests/guest/report.h"

bool lab_has_flag(const json_t *item, const char *flag)
{
	const json_t *flags = json_object_get(item, "flags");

	for (size_t i = 0; i < json_array_size(flags); i++) {
		const char *text = json_string_value(json_array_get(flags, i));

		if (text && strcmp(text, flag) == 0)
			return true;
	}
	return false;
}

size_t lab_asked(const json_t *items)
{
	size_t n = json_array_size(items);

	while (n > 0 && lab_has_flag(json_array_get(items, n - 1), "metric"))
		n--;
	return n;
}
