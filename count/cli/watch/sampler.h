/* SPDX-License-Identifier: MIT */
/*
 * When a sample is due: the k-th at start + k * interval, however long the work takes.
 *
 * What comes too late is left out and counted; the beat stays. Between two samples there are looks
 * where counters would wrap, or wait for their turn, if nobody read them for that long. All times
 * are nanoseconds of CLOCK_MONOTONIC that the caller hands in.
 */
#ifndef CLI_WATCH_SAMPLER_H
#define CLI_WATCH_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct cli_watch_sampler - the beat
 * @look_ns:	longest time between two reads, UINT64_MAX: any will do
 * @number:	of the last sample; 0: the start
 * @missed:	samples that were left out
 * @read_ns:	when counters were read last
 * @longest_ns:	longest time there was between two reads
 */
struct cli_watch_sampler {
	uint64_t start_ns, interval_ns, look_ns;
	uint64_t number, missed;
	uint64_t read_ns, longest_ns;
};

enum cli_watch_due { CLI_DUE_NOTHING, CLI_DUE_LOOK, CLI_DUE_SAMPLE };

void cli_watch_sampler_init(struct cli_watch_sampler *s, uint64_t now_ns, uint64_t interval_ns,
			    uint64_t look_ns);

/* When something is due next. */
uint64_t cli_watch_sampler_next(const struct cli_watch_sampler *s);

/*
 * What is due at @now_ns; it counts as done. Of a sample, *@missed are those right before it that
 * were left out.
 */
enum cli_watch_due cli_watch_sampler_due(struct cli_watch_sampler *s, uint64_t now_ns,
					 uint64_t *missed);

/*
 * The sample that was due is of @at_ns, so late that it may be the turn of another one: then that
 * is it, and *@missed more are left out.
 */
void cli_watch_sampler_took(struct cli_watch_sampler *s, uint64_t at_ns, uint64_t *missed);

#endif
