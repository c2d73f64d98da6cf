/* SPDX-License-Identifier: MIT */
/* What a machine file says, as an operating system that the caller frees. */
#ifndef TESTS_MACHINE_RECORDED_H
#define TESTS_MACHINE_RECORDED_H

#include "base/os/replay/machine.h"
#include "base/tests/tt.h"

static inline struct nti_os *os_of_text(const char *text)
{
	struct nti_error e = { 0 };
	struct nti_machine *m;
	struct nti_os *os;

	if (nti_machine_load_text("m", text, strlen(text), &m, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(nti_os_replay_new(m, &os), 0);
	assert_true(os->is_simulated);
	return os;
}

static inline struct nti_os *os_of_file(const char *path)
{
	struct nti_error e = { 0 };
	struct nti_machine *m;
	struct nti_os *os;

	if (nti_machine_load(path, &m, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(nti_os_replay_new(m, &os), 0);
	return os;
}

#endif
