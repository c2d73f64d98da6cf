// SPDX-License-Identifier: MIT
/* ntime trace info: what a trace is, and what is in it. */
#include <stdlib.h>
#include <string.h>

#include "base/output/file.h"
#include "base/output/memory.h"
#include "trace/cli/info.h"

static struct cli_info_device *tally_of(struct cli_info *info, uint16_t device)
{
	size_t n = (size_t)device + 1;

	if (n > info->devices) {
		info->device = cli_realloc(info->device, n, sizeof(struct cli_info_device *));
		memset(info->device + info->devices, 0,
		       (n - info->devices) * sizeof(struct cli_info_device *));
		info->devices = n;
	}
	if (!info->device[device])
		info->device[device] = cli_calloc(1, sizeof(struct cli_info_device));
	return info->device[device];
}

static void count(struct cli_info *info, const struct ntime_record *r)
{
	bool is_write = r->kind == NTIME_RECORD_WRITE;
	struct cli_info_device *d;

	if (r->flags & NTIME_RECORD_SYNTHETIC)
		return;
	if (r->kind < NTIME_RECORD_KINDS)
		info->kind[r->kind]++;
	if (r->kind > NTIME_RECORD_WRITE)
		return;
	d = tally_of(info, r->device);
	d->all.reads += !is_write;
	d->all.writes += is_write;
	d->region[r->region].reads += !is_write;
	d->region[r->region].writes += is_write;
}

static int read_all(struct cli_info *info)
{
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	int ret;

	while ((ret = cli_trace_input_next(&info->in, &batch)) > 0) {
		ret = cli_chips_learn(&info->chips, &batch);
		if (ret < 0)
			return ret;
		for (size_t i = 0; i < batch.n; i++)
			count(info, &batch.records[i]);
	}
	info->of.size = sizeof(info->of);
	return ret < 0 ? ret : ntime_trace_get_info(info->in.trace, &info->of);
}

static int write_info(struct cli_info *info)
{
	struct cli_trace *t = info->in.t;
	struct cli_output out;

	if (read_all(info) < 0 || cli_output_open(&out, t->output ? t->output : "-", false))
		return CLI_EXIT_FAILED;
	cli_progress_clear(&info->in.progress.line);
	if (t->is_json)
		cli_info_put_json(out.f, info);
	else
		cli_info_put_text(out.f, info);
	if (cli_output_close(&out))
		return CLI_EXIT_FAILED;
	return cli_trace_input_tell(&info->in);
}

static int run(struct cli_trace *t)
{
	const char *path = cli_trace_operand(t, 0);
	struct cli_info info = { 0 };
	int ret = CLI_EXIT_FAILED;

	if (!path || cli_trace_names(t) || cli_trace_input_open(&info.in, t, path, 0))
		return CLI_EXIT_FAILED;
	if (!cli_chips_init(&info.chips, &info.in))
		ret = write_info(&info);
	for (size_t i = 0; i < info.devices; i++)
		free(info.device[i]);
	free(info.device);
	cli_chips_fini(&info.chips);
	cli_trace_input_close(&info.in);
	return ret;
}

const struct cli_trace_action cli_trace_info = {
	.name = "info",
	.usage = "[OPTION...] [FILE]",
	.about = "show what a trace is: format, times, devices with their chips and BARs, counts",
	.details = "Filters choose what is counted; format, size, lines and times are of the whole "
		   "trace.",
	.groups = CLI_TRACE_READS | CLI_TRACE_OUTPUT | CLI_TRACE_JSON,
	.max = 1,
	.run = run,
};
