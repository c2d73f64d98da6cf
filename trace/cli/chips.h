/* SPDX-License-Identifier: MIT */
/*
 * Which chips the devices of a trace are: from --chip, or from what the devices answered.
 *
 * A driver asks a device what it is before it does anything else, but a filter may remove that, and
 * it may come late. So the beginning of a file is looked at first, for identifications alone.
 */
#ifndef CLI_TRACE_CHIPS_H
#define CLI_TRACE_CHIPS_H

#include "trace/cli/trace.h"

struct cli_chips {
	struct cli_trace *t;
	struct ntime_trace *trace;
	struct ntime_decoder *decoder;
	const char **device_name; /* by index, with room for all that there can be */
	bool *is_told;		  /* the user told the chip */
	size_t devices;
	struct cli_answer
		*answers; /* of the beginning of the file, by the number the device has there */
	size_t n_answers;
	bool has_learnt; /* of the batch at hand */
};

/*
 * Begin with an opened trace; looks at the beginning of its file. Names must be loaded. 0, or
 * CLI_EXIT_FAILED after a sentence.
 */
int cli_chips_init(struct cli_chips *c, struct cli_trace_input *in);
void cli_chips_fini(struct cli_chips *c);

/*
 * Learn from a batch what holds from its first record on. 1: names may be other ones now; 0; -errno
 * after a sentence.
 */
int cli_chips_learn(struct cli_chips *c, const struct ntime_trace_batch *batch);

#endif
