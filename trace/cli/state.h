/* SPDX-License-Identifier: MIT */
/* What registers held at some time in a trace, for people and for programs. */
#ifndef CLI_TRACE_STATE_H
#define CLI_TRACE_STATE_H

#include <stdio.h>

#include <ntime/trace/regdb.h>
#include <ntime/trace/state.h>

#include "base/output/term.h"

/**
 * struct cli_state_style - how to write a state
 * @state:	the state, asked again for registers that were accessed in parts only
 * @end:	of the last register that was completed so: parts in it are told already
 * @base_ns:	what times count from
 * @device_name: by index
 * @devices:	how many there are
 * @rows:	written so far
 * @value_columns: of the widest value
 */
struct cli_state_style {
	FILE *f;
	struct cli_look look;
	const struct ntime_trace_state *state;
	struct ntime_decoder *decoder;
	struct cli_state_end {
		uint32_t device, region;
		uint64_t offset;
	} end;
	const char *const *device_name;
	size_t devices;
	uint64_t base_ns;
	uint64_t rows;
	unsigned int value_columns;
};

/* One register each; CSV and JSON need a begin and an end. */
int cli_state_measure(struct cli_state_style *s, const struct ntime_register_state *r);
int cli_state_put_text(struct cli_state_style *s, const struct ntime_register_state *r);
void cli_state_begin_csv(struct cli_state_style *s);
int cli_state_put_csv(struct cli_state_style *s, const struct ntime_register_state *r);
void cli_state_begin_json(struct cli_state_style *s, uint64_t accesses, uint64_t dropped);
int cli_state_put_json(struct cli_state_style *s, const struct ntime_register_state *r);
void cli_state_end_json(struct cli_state_style *s);

#endif
