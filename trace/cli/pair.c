// SPDX-License-Identifier: MIT
/* Two traces that are read one after the other and compared. */
#include <errno.h>
#include <string.h>

#include "base/output/say.h"
#include "trace/cli/pair.h"

static int put_all(struct cli_trace_pair *p, uint32_t side)
{
	struct ntime_trace_batch batch = { 0 };
	int ret;

	while ((ret = cli_trace_input_next(&p->in[side], &batch)) > 0) {
		ret = cli_chips_learn(&p->chips[side], &batch);
		if (ret < 0)
			return ret;
		ret = ntime_trace_diff_put(p->diff, side, &batch);
		if (ret < 0) {
			cli_progress_clear(&p->in[side].progress.line);
			cli_trace_say(p->t->ctx, ret);
			return ret;
		}
	}
	cli_progress_clear(&p->in[side].progress.line);
	return ret;
}

static int tell_devices(struct cli_trace_pair *p, uint32_t side)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	struct ntime_trace *trace = p->in[side].trace;
	int ret = 0;

	for (size_t i = 0; i < ntime_trace_devices(trace) && ret >= 0; i++)
		if (!ntime_trace_get_device(trace, i, &device))
			ret = ntime_trace_diff_device(p->diff, side, i, &device);
	if (ret < 0)
		cli_trace_say(p->t->ctx, ret);
	return ret;
}

static int read_side(struct cli_trace_pair *p, uint32_t side)
{
	if (cli_trace_input_open(&p->in[side], p->t, p->t->operand[side], 0))
		return -1;
	p->is_open[side] = true;
	if (cli_chips_init(&p->chips[side], &p->in[side]))
		return -1;
	p->has_chips[side] = true;
	return put_all(p, side) < 0 || tell_devices(p, side) < 0 ? -1 : 0;
}

int cli_pair_read(struct cli_trace_pair *p, struct cli_trace *t,
		  const struct ntime_trace_diff_options *options)
{
	int ret;

	*p = (struct cli_trace_pair){ .t = t };
	if (strcmp(t->operand[0], "-") == 0 && strcmp(t->operand[1], "-") == 0) {
		cli_say_misuse(t->self->name, "standard input is only one trace: name a FILE");
		return -1;
	}
	if (cli_trace_names(t))
		return -1;
	ret = ntime_trace_diff_new(t->ctx, options, &p->diff);
	if (ret < 0) {
		cli_trace_say(t->ctx, ret);
		return -1;
	}
	return read_side(p, 0) || read_side(p, 1) ? -1 : 0;
}

void cli_pair_tell(struct cli_trace_pair *p)
{
	for (int side = 0; side < 2; side++)
		cli_trace_input_tell(&p->in[side]);
}

void cli_pair_fini(struct cli_trace_pair *p)
{
	ntime_trace_diff_free(p->diff);
	for (int side = 0; side < 2; side++) {
		if (p->has_chips[side])
			cli_chips_fini(&p->chips[side]);
		if (p->is_open[side])
			cli_trace_input_close(&p->in[side]);
	}
}
