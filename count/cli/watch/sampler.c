// SPDX-License-Identifier: MIT
/* When a sample is due. */
#include "count/cli/watch/sampler.h"

void cli_watch_sampler_init(struct cli_watch_sampler *s, uint64_t now_ns, uint64_t interval_ns,
			    uint64_t look_ns)
{
	*s = (struct cli_watch_sampler){
		.start_ns = now_ns,
		.interval_ns = interval_ns,
		.look_ns = look_ns,
		.read_ns = now_ns,
	};
}

static uint64_t next_sample(const struct cli_watch_sampler *s)
{
	return s->start_ns + (s->number + 1) * s->interval_ns;
}

uint64_t cli_watch_sampler_next(const struct cli_watch_sampler *s)
{
	uint64_t sample = next_sample(s);

	if (s->look_ns >= s->interval_ns || s->read_ns + s->look_ns >= sample)
		return sample;
	return s->read_ns + s->look_ns;
}

static void was_read(struct cli_watch_sampler *s, uint64_t now_ns)
{
	if (now_ns - s->read_ns > s->longest_ns)
		s->longest_ns = now_ns - s->read_ns;
	s->read_ns = now_ns;
}

/* The sample is the last one that was due at @now_ns, not one before it. */
static void leave_out(struct cli_watch_sampler *s, uint64_t now_ns, uint64_t *missed)
{
	uint64_t number = (now_ns - s->start_ns) / s->interval_ns;

	*missed += number - s->number;
	s->missed += number - s->number;
	s->number = number;
}

enum cli_watch_due cli_watch_sampler_due(struct cli_watch_sampler *s, uint64_t now_ns,
					 uint64_t *missed)
{
	*missed = 0;
	if (now_ns < cli_watch_sampler_next(s))
		return CLI_DUE_NOTHING;
	was_read(s, now_ns);
	if (now_ns < next_sample(s))
		return CLI_DUE_LOOK;
	s->number++;
	leave_out(s, now_ns, missed);
	return CLI_DUE_SAMPLE;
}

void cli_watch_sampler_took(struct cli_watch_sampler *s, uint64_t at_ns, uint64_t *missed)
{
	was_read(s, at_ns);
	leave_out(s, at_ns, missed);
}
