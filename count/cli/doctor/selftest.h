/* SPDX-License-Identifier: MIT */
/* ntime doctor --self-test: try every counter that this user may read. */
#ifndef CLI_DOCTOR_SELFTEST_H
#define CLI_DOCTOR_SELFTEST_H

#include <stdbool.h>

#include "count/cli/shared/machine.h"

enum cli_selftest_form {
	CLI_SELFTEST_TEXT,
	CLI_SELFTEST_CSV,
	CLI_SELFTEST_JSON,
};

/*
 * On the machine @m, which must be this one. 0: nothing was found; 1: something lies;
 * CLI_EXIT_FAILED after a sentence.
 */
int cli_doctor_selftest(const struct cli_machine *m, enum cli_selftest_form form);

#endif
