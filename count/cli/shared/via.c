// SPDX-License-Identifier: MIT
/* The option --via. */
#include <string.h>

#include <ntime/session.h>

#include "base/output/say.h"
#include "count/cli/shared/via.h"

const char *cli_via_word(size_t i)
{
	return ntime_via_name((uint32_t)i);
}

int cli_option_via(const char *command, const char *value, uint32_t *via)
{
	for (uint32_t i = 0; ntime_via_name(i); i++) {
		if (strcmp(value, ntime_via_name(i)) == 0) {
			*via = i;
			return 0;
		}
	}
	return cli_misuse(command, "--via takes one of " NTIME_VIA_NAMES ", not '%s'", value);
}
