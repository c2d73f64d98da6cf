/* SPDX-License-Identifier: MIT */
/* Known set-ups of events: core/gpu, made into a table when ntime is built. */
#ifndef NTI_TRACE_DERIVE_NAMES_H
#define NTI_TRACE_DERIVE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct nti_known_counter - a row that core/embed/gpu.py makes of it
 * @chips:	names, separated by commas
 * @mode:	CTR_MODE
 * @has_start, @has_group: the columns are not "-"
 * @mux:	"0x408508=0x800&0x800;...", "" none; alternatives of one register separated by '|'
 * @trust:	"documented", "measured" or "guessed"
 */
struct nti_known_counter {
	const char *event;
	uint8_t part, set, mode;
	bool has_start, has_group;
	uint32_t start_src, start_op, event_src, event_op, group;
	const char *chips, *mux, *source, *trust;
};

extern const struct nti_known_counter nti_known_counters[];
extern const unsigned int nti_known_counter_count;

#endif
