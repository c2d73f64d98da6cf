// SPDX-License-Identifier: MIT
/* Which chips the devices of a trace are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output/memory.h"
#include "base/output/say.h"
#include "trace/cli/chips.h"

/*
 * As much of a file is looked at in search of identifications; a driver's first accesses are among
 * them.
 */
#define LOOK_BYTES (UINT64_C(4) << 20)
#define LOOK_RECORDS 64
/* A machine has a few cards. */
#define LOOK_DEVICES 64

/* What a device answered in the beginning of the file. */
struct cli_answer {
	char *name;
	uint32_t vendor_device;
	uint64_t value;
	bool has_value;
};

/*
 * Of device @number, a new one with @name if there was none; NULL for those behind the first ones.
 */
static struct cli_answer *answer_of(struct cli_chips *c, size_t number, const char *name)
{
	struct cli_answer *a;

	if (number >= LOOK_DEVICES)
		return NULL;
	if (!c->answers)
		c->answers = cli_calloc(LOOK_DEVICES, sizeof(*c->answers));
	a = &c->answers[number];
	if (!a->name)
		a->name = cli_strdup(name);
	if (c->n_answers <= number)
		c->n_answers = number + 1;
	return a;
}

/* Identification of NVIDIA's chips: BAR 0 at 0. Of others the id alone tells. */
static bool is_answer(const struct ntime_record *r)
{
	return r->kind == NTIME_RECORD_READ && r->region == 0 && r->offset == 0 &&
	       r->device != NTIME_DEVICE_NONE && r->flags & NTIME_RECORD_VALUED;
}

static void keep_answers(struct cli_chips *c, struct ntime_trace *trace,
			 const struct ntime_trace_batch *batch)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	struct cli_answer *a;

	for (size_t i = 0; i < batch->n; i++) {
		const struct ntime_record *r = &batch->records[i];

		if (!is_answer(r) || ntime_trace_get_device(trace, r->device, &device))
			continue;
		a = answer_of(c, r->device, device.name);
		if (!a || a->has_value)
			continue;
		a->value = r->value;
		a->has_value = true;
	}
}

/* Register operations are those of NVIDIA's driver, whatever card it is. */
#define SOME_NVIDIA 0x10de0000u

static void keep_ids(struct cli_chips *c, struct ntime_trace *trace)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	struct ntime_trace_info info = { .size = sizeof(info) };
	struct cli_answer *a;

	if (ntime_trace_get_info(trace, &info))
		return;
	for (size_t i = 0; i < ntime_trace_devices(trace) && i < LOOK_DEVICES; i++) {
		if (ntime_trace_get_device(trace, i, &device))
			continue;
		if (!device.vendor_device && info.form == NTIME_TRACE_DEMMT)
			device.vendor_device = SOME_NVIDIA;
		if (!device.vendor_device)
			continue;
		a = answer_of(c, i, device.name);
		if (a)
			a->vendor_device = device.vendor_device;
	}
}

/*
 * What is wrong with the trace is told when it is read in earnest. Any other failure may be of this
 * moment alone, and would leave names out then. 0 or CLI_EXIT_FAILED after a sentence.
 */
static int look_at_beginning(struct cli_chips *c, const struct cli_trace_input *in)
{
	struct ntime_trace_options options = { .size = sizeof(options), .form = in->t->form };
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	struct ntime_trace_filter *filter;
	struct ntime_trace *trace;
	struct stat st;
	int ret;

	if (strcmp(in->path, "-") == 0)
		return 0;
	if (stat(in->path, &st)) {
		cli_say("%s: %s", in->path, strerror(errno));
		return CLI_EXIT_FAILED;
	}
	if (!S_ISREG(st.st_mode))
		return 0;
	if (ntime_trace_filter_new(in->t->ctx, &filter))
		cli_memory_end();
	options.filter = filter;
	ret = ntime_trace_filter_add(filter, "range=0x0-0x3", 0, NULL);
	if (!ret)
		ret = ntime_trace_filter_add(filter, "region=0", 0, NULL);
	if (!ret)
		ret = ntime_trace_open(in->t->ctx, in->path, &options, &trace);
	if (!ret) {
		/* Whoever reads the identification all the time has told it at the first one. */
		for (size_t n = 0; n < LOOK_RECORDS; n++) {
			ret = ntime_trace_next(trace, &batch);
			if (ret || !batch.n)
				break;
			keep_answers(c, trace, &batch);
			if (batch.position > LOOK_BYTES)
				break;
		}
		keep_ids(c, trace);
		ntime_trace_close(trace);
	}
	ntime_trace_filter_free(filter);
	return ret >= 0 || ret == -EBADMSG || ret == -EOPNOTSUPP ? 0
								 : cli_trace_say(in->t->ctx, ret);
}

int cli_chips_init(struct cli_chips *c, struct cli_trace_input *in)
{
	*c = (struct cli_chips){ .t = in->t, .trace = in->trace };
	c->device_name = cli_calloc(NTIME_DEVICE_NONE + 1u, sizeof(*c->device_name));
	c->is_told = cli_calloc(NTIME_DEVICE_NONE + 1u, sizeof(*c->is_told));
	if (cli_trace_decoder(in->t, &c->decoder) || look_at_beginning(c, in)) {
		cli_chips_fini(c);
		return CLI_EXIT_FAILED;
	}
	return 0;
}

void cli_chips_fini(struct cli_chips *c)
{
	for (size_t i = 0; i < c->n_answers; i++)
		free(c->answers[i].name);
	free(c->answers);
	free(c->device_name);
	free(c->is_told);
	ntime_decoder_free(c->decoder);
	*c = (struct cli_chips){ 0 };
}

/* What came of telling the decoder. 0; -errno after a sentence. */
static int note(struct cli_chips *c, int ret, bool is_new)
{
	if (ret < 0) {
		cli_trace_say(c->t->ctx, ret);
		return ret;
	}
	c->has_learnt |= is_new;
	return 0;
}

static int learn_id(struct cli_chips *c, uint32_t device, uint32_t vendor_device)
{
	int ret = ntime_decoder_identify(c->decoder, device, vendor_device, UINT8_MAX, 0, 0);

	return note(c, ret, ret);
}

static int learn_value(struct cli_chips *c, uint32_t device, uint64_t value)
{
	int ret = ntime_decoder_identify(c->decoder, device, 0, 0, 0, value);

	return note(c, ret, ret);
}

static int learn_answer(struct cli_chips *c, uint32_t device, const char *name)
{
	int ret = 0;

	for (size_t i = 0; i < c->n_answers && !ret; i++) {
		const struct cli_answer *a = &c->answers[i];

		if (!a->name || strcmp(a->name, name) != 0)
			continue;
		if (a->vendor_device)
			ret = learn_id(c, device, a->vendor_device);
		if (a->has_value && !ret)
			ret = learn_value(c, device, a->value);
	}
	return ret;
}

static int learn_devices(struct cli_chips *c)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	size_t n = ntime_trace_devices(c->trace);
	int ret = 0;

	for (; c->devices < n && c->devices < NTIME_DEVICE_NONE && !ret; c->devices++) {
		uint32_t i = (uint32_t)c->devices;
		const char *chip;

		if (ntime_trace_get_device(c->trace, i, &device))
			break;
		c->device_name[i] = device.name;
		chip = cli_trace_chip_of(c->t, &device);
		c->is_told[i] = chip != NULL;
		if (chip)
			ret = note(c, ntime_decoder_set_chip(c->decoder, i, chip), true);
		else
			ret = learn_answer(c, i, device.name);
	}
	return ret;
}

static bool tells_id(const struct ntime_record *r)
{
	return (r->kind == NTIME_RECORD_CONFIG_READ || r->kind == NTIME_RECORD_PCIDEV) &&
	       r->device != NTIME_DEVICE_NONE && r->offset < 4;
}

/* One record of those that may identify a device. */
static int learn_record(struct cli_chips *c, const struct ntime_record *r)
{
	struct ntime_trace_device device = { .size = sizeof(device) };

	if (!(is_answer(r) || tells_id(r)) || c->is_told[r->device])
		return 0;
	if (is_answer(r))
		return learn_value(c, r->device, r->value);
	if (ntime_trace_get_device(c->trace, r->device, &device) || !device.vendor_device)
		return 0;
	return learn_id(c, r->device, device.vendor_device);
}

int cli_chips_learn(struct cli_chips *c, const struct ntime_trace_batch *batch)
{
	const struct ntime_record *r = batch->records, *end = r + batch->n;
	int ret;

	c->has_learnt = false;
	ret = learn_devices(c);
	for (; r < end && !ret; r++) {
		/* Most are further behind. */
		while (r->offset >= 4)
			if (++r == end)
				return c->has_learnt;
		ret = learn_record(c, r);
	}
	return ret ? ret : c->has_learnt;
}
