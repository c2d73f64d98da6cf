// SPDX-License-Identifier: MIT
/* ntime trace state: what registers held at some time, from the trace alone. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/command/options.h"
#include "base/output/memory.h"
#include "base/output/file.h"
#include "base/output/number.h"
#include "base/output/say.h"
#include "trace/cli/trace.h"
#include "trace/cli/chips.h"
#include "trace/cli/state.h"

enum {
	ID_TIME = CLI_TRACE_OWN,
	ID_RECORD,
	ID_REGISTERS,
};

static const struct cli_option options[] = {
	{ ID_TIME, "time", "T",
	  "at this time since the first record (seconds, or with ns, us, ms, min), or with @ of "
	  "the "
	  "the "
	  "clock" },
	{ ID_RECORD, "record", "N",
	  "after N accesses that pass the filters, as 'show --number' counts them" },
	{ ID_REGISTERS, "registers", "N", "distinguish N registers (262144)" },
	CLI_OPTION_END,
};

/* What is asked for besides the common options. */
struct wanted {
	bool has_time, is_absolute;
	uint64_t time_ns;
	uint64_t record;
	struct ntime_trace_state_options state;
};

static int parse_time(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct wanted *w = t->own;

	w->has_time = true;
	w->is_absolute = *value == '@';
	if (!w->is_absolute)
		return cli_option_time(t->self->name, o, value, 0, &w->time_ns);
	if (!cli_time_parse(value + 1, &w->time_ns))
		return 0;
	cli_say_misuse(
		t->self->name,
		"--time '%s' is no time of the clock: write @ and seconds since 1970, such as "
		"@1424299207.28",
		value);
	return -EINVAL;
}

static int set_option(struct cli_trace *t, const struct cli_option *o, const char *value)
{
	struct wanted *w = t->own;
	uint64_t n = 0;
	int ret;

	switch (o->id) {
	case ID_TIME:
		return parse_time(t, o, value);
	case ID_RECORD:
		return cli_trace_number(t, o->name, value, UINT64_MAX - 1, &w->record);
	default:
		ret = cli_trace_number(t, o->name, value, 1 << 24, &n);
		w->state.registers = (uint32_t)n;
		return ret;
	}
}

/* One run. */
struct run {
	struct cli_trace *t;
	struct cli_trace_input in;
	struct cli_chips chips;
	struct ntime_trace_state *state;
	uint64_t first_ns;
	bool is_over; /* what follows is later than what is asked for */
};

/* How many records of a batch belong to it, up to the first access that does not. */
static size_t wanted_of(struct run *run, const struct ntime_trace_batch *batch)
{
	const struct wanted *w = run->t->own;
	uint64_t end_ns = w->time_ns + (w->is_absolute ? 0 : run->first_ns);
	uint64_t left = w->record - ntime_trace_state_accesses(run->state);

	for (size_t i = 0; i < batch->n; i++) {
		const struct ntime_record *r = &batch->records[i];

		if (w->has_time && r->flags & NTIME_RECORD_TIMED && r->time_ns > end_ns) {
			run->is_over = true;
			return i;
		}
		/* As the state counts: what ntime made up is no access. */
		if (w->record && r->kind <= NTIME_RECORD_WRITE &&
		    !(r->flags & NTIME_RECORD_SYNTHETIC) && !left--) {
			run->is_over = true;
			return i;
		}
	}
	return batch->n;
}

static int read_batch(struct run *run, const struct ntime_trace_batch *batch)
{
	struct ntime_trace_info info = { .size = sizeof(info) };
	int ret = cli_chips_learn(&run->chips, batch);

	if (ret < 0)
		return ret;
	if (!run->first_ns && !ntime_trace_get_info(run->in.trace, &info))
		run->first_ns = info.first_ns;
	ret = ntime_trace_state_put(run->state, batch->records, wanted_of(run, batch));
	if (ret < 0)
		cli_say_no_memory();
	return ret;
}

static int read_all(struct run *run)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	int ret = 0;

	while (!run->is_over && (ret = cli_trace_input_next(&run->in, &batch)) > 0) {
		ret = read_batch(run, &batch);
		if (ret < 0)
			break;
	}
	cli_progress_clear(&run->in.progress.line);
	if (ret >= 0)
		ret = cli_trace_input_check_times(&run->in,
						  ((struct wanted *)run->t->own)->has_time);
	return ret < 0 ? ret : 0;
}

/* What writes one register, and where to. */
struct each {
	struct cli_state_style *style;
	int (*put)(struct cli_state_style *s, const struct ntime_register_state *r);
};

/*
 * A register of which only parts were accessed, whole: nothing is known of the rest, which is not
 * the same as 0.
 */
static bool complete(const struct cli_state_style *s, const struct ntime_register_state *part,
		     struct ntime_register_state *out)
{
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	uint32_t bytes;

	*out = (struct ntime_register_state){ .size = sizeof(*out) };
	if (ntime_decoder_find(s->decoder, part->device, (uint8_t)part->region, part->offset,
			       part->width, &hit) <= 0)
		return false;
	bytes = hit.bits / 8;
	if (part->width >= bytes || hit.skew > bytes - part->width)
		return false;
	return ntime_trace_state_find(s->state, part->device, part->region, part->offset - hit.skew,
				      bytes, out) > 0;
}

static int on_register(void *arg, const struct ntime_register_state *r)
{
	struct each *each = arg;
	struct cli_state_style *s = each->style;
	struct ntime_register_state whole;

	/* Part of one that was told whole. */
	if (r->device == s->end.device && r->region == s->end.region && r->offset < s->end.offset &&
	    r->width <= s->end.offset - r->offset)
		return 0;
	if (!complete(s, r, &whole))
		return each->put(s, r);
	s->end = (struct cli_state_end){ r->device, r->region, whole.offset + whole.width };
	return each->put(s, &whole);
}

static void write_each(struct cli_state_style *style,
		       int (*put)(struct cli_state_style *s, const struct ntime_register_state *r))
{
	struct each each = { style, put };

	style->end.offset = 0;
	/* Failures of writing stay in ferror(). */
	if (ntime_trace_state_for_each(style->state, on_register, &each) == -ENOMEM)
		cli_memory_end();
}

static void write_state(const struct run *run, struct cli_state_style *style)
{
	const struct cli_trace *t = run->t;

	if (t->is_json) {
		cli_state_begin_json(style, ntime_trace_state_accesses(run->state),
				     ntime_trace_state_dropped(run->state));
		write_each(style, cli_state_put_json);
		cli_state_end_json(style);
	} else if (t->is_csv) {
		cli_state_begin_csv(style);
		write_each(style, cli_state_put_csv);
	} else {
		write_each(style, cli_state_measure);
		write_each(style, cli_state_put_text);
	}
}

static int write_output(struct run *run)
{
	const struct wanted *w = run->t->own;
	struct cli_state_style style = {
		.state = run->state,
		.decoder = run->chips.decoder,
		.device_name = run->chips.device_name,
		.devices = run->chips.devices,
		.base_ns = w->is_absolute ? 0 : run->first_ns,
	};
	struct cli_output out;

	if (cli_output_open(&out, run->t->output ? run->t->output : "-", false))
		return CLI_EXIT_FAILED;
	style.f = out.f;
	style.look = cli_look_at(out.fd);
	if (run->t->colour != CLI_TRACE_AUTO)
		style.look.colour = run->t->colour == CLI_TRACE_ALWAYS;
	write_state(run, &style);
	return cli_output_close(&out) ? CLI_EXIT_FAILED : 0;
}

static void tell(struct run *run)
{
	uint64_t dropped = ntime_trace_state_dropped(run->state);

	if (dropped)
		cli_say("%" PRIu64 " accesses to further registers were dropped; select with "
			"--region or --range, or raise --registers",
			dropped);
	cli_trace_input_tell(&run->in);
}

static int run_with_input(struct run *run)
{
	struct wanted *w = run->t->own;
	int ret;

	w->state.size = sizeof(w->state);
	ret = ntime_trace_state_new(run->t->ctx, &w->state, &run->state);
	if (ret < 0)
		return cli_trace_say(run->t->ctx, ret);
	ret = read_all(run);
	if (ret < 0 || write_output(run))
		ret = CLI_EXIT_FAILED;
	else
		tell(run);
	ntime_trace_state_free(run->state);
	return ret;
}

static int run(struct cli_trace *t)
{
	const char *path = cli_trace_operand(t, 0);
	struct run r = { .t = t };
	int ret = CLI_EXIT_FAILED;

	if (!path || cli_trace_names(t) || cli_trace_input_open(&r.in, t, path, 0))
		return CLI_EXIT_FAILED;
	if (!cli_chips_init(&r.chips, &r.in)) {
		ret = run_with_input(&r);
		cli_chips_fini(&r.chips);
	}
	cli_trace_input_close(&r.in);
	return ret;
}

const struct cli_trace_action cli_trace_state = {
	.name = "state",
	.usage = "[OPTION...] [FILE]",
	.about = "show what registers held at a given time, from the trace alone",
	.details = "A register holds what was last written or read; unknown digits are '?', partly "
		   "known ones '*'. Volatile bits differ between reads without a write; bits that "
		   "did not read back as written are unknown after the next write.",
	.groups = CLI_TRACE_READS | CLI_TRACE_OUTPUT | CLI_TRACE_CSV | CLI_TRACE_JSON |
		  CLI_TRACE_COLOUR,
	.max = 1,
	.options = options,
	.set = set_option,
	.own_bytes = sizeof(struct wanted),
	.run = run,
};
