/* SPDX-License-Identifier: MIT */
/* Two traces that are read one after the other and compared. */
#ifndef CLI_TRACE_PAIR_H
#define CLI_TRACE_PAIR_H

#include <ntime/trace/diff.h>

#include "trace/cli/trace.h"
#include "trace/cli/chips.h"

/**
 * struct cli_trace_pair - both traces, opened; names of devices and chips live as long
 * @is_open:	of each side
 * @has_chips:	likewise
 */
struct cli_trace_pair {
	struct cli_trace *t;
	struct cli_trace_input in[2];
	struct cli_chips chips[2];
	bool is_open[2], has_chips[2];
	struct ntime_trace_diff *diff;
};

/*
 * Read both operands of @t into a comparison with @options. 0; -1 after a sentence, or after a
 * signal.
 */
int cli_pair_read(struct cli_trace_pair *p, struct cli_trace *t,
		  const struct ntime_trace_diff_options *options);
/* Tell what both traces lack. */
void cli_pair_tell(struct cli_trace_pair *p);
void cli_pair_fini(struct cli_trace_pair *p);

#endif
