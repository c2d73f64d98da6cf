/* SPDX-License-Identifier: MIT */
/* ntime trace info: what was counted, and how it is written. */
#ifndef CLI_TRACE_INFO_H
#define CLI_TRACE_INFO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/cli/chips.h"
#include "trace/cli/trace.h"

/* Regions by their number: BARs, ROM, configuration, VGA, others, physical addresses. */
#define CLI_INFO_REGIONS 256u

struct cli_info_counts {
	uint64_t reads, writes;
};

/* Of one device, or of what has none. */
struct cli_info_device {
	struct cli_info_counts all, region[CLI_INFO_REGIONS];
};

/**
 * struct cli_info - what was counted
 * @kind:	records by enum ntime_record_kind
 * @device:	by index, @devices of them; the last one has none
 */
struct cli_info {
	struct cli_trace_input in;
	struct cli_chips chips;
	struct ntime_trace_info of;
	uint64_t kind[NTIME_RECORD_KINDS];
	struct cli_info_device **device;
	size_t devices;
};

void cli_info_put_text(FILE *f, const struct cli_info *info);
void cli_info_put_json(FILE *f, const struct cli_info *info);

#endif
