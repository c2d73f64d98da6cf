// SPDX-License-Identifier: MIT
/* The command may count on recorded machines: os.c has a kernel for them. */
#include "count/cli/shared/machine.h"

bool cli_machine_recordings_count(void)
{
	return true;
}
