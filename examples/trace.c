// SPDX-License-Identifier: MIT
/* Prints each register access of a trace, with the register's name and the value in words. */
#include <inttypes.h>
#include <stdio.h>

#include <ntime/trace.h>

struct printer {
	struct ntime_decoder *decoder;
	const struct ntime_trace *trace;
};

/* The chip follows from the device's PCI id and from what it answers. */
static int identify(const struct printer *p, const struct ntime_record *r)
{
	struct ntime_trace_device device = { .size = sizeof(device) };
	int ret = ntime_trace_get_device(p->trace, r->device, &device);

	if (ret == 0)
		ret = ntime_decoder_identify(p->decoder, r->device, device.vendor_device, r->region,
					     r->offset, r->value);
	return ret;
}

static int print(const struct printer *p, const struct ntime_record *r)
{
	struct ntime_regdb_hit hit = { .size = sizeof(hit) };
	const char *kind = r->kind == NTIME_RECORD_READ ? "read" : "write";
	char value[256];
	int ret;

	if (r->kind != NTIME_RECORD_READ && r->kind != NTIME_RECORD_WRITE)
		return 0;
	ret = identify(p, r);
	if (ret >= 0)
		ret = ntime_decoder_find(p->decoder, r->device, r->region, r->offset, r->width,
					 &hit);
	if (ret < 0)
		return ret;
	if (ret == 0) {
		printf("%-5s %d:%06" PRIx64 " = 0x%" PRIx64 "\n", kind, r->region, r->offset,
		       r->value);
		return 0;
	}
	ntime_decoder_value(p->decoder, &hit, r->width, r->value, value, sizeof(value));
	printf("%-5s %d:%06" PRIx64 " %s = %s\n", kind, r->region, r->offset, hit.name, value);
	return 0;
}

static int print_all(struct ntime_trace *trace, struct ntime_decoder *decoder)
{
	const struct printer p = { decoder, trace };
	struct ntime_trace_batch batch = { .size = sizeof(batch) };
	size_t i;
	int ret;

	do {
		ret = ntime_trace_next(trace, &batch);
		for (i = 0; ret == 0 && i < batch.n; i++)
			ret = print(&p, &batch.records[i]);
	} while (ret == 0 && batch.n);
	return ret;
}

int main(int argc, char **argv)
{
	struct ntime_decoder *decoder = NULL;
	struct ntime_trace *trace = NULL;
	struct ntime_regdb *db = NULL;
	struct ntime_trace_ctx *ctx;
	int ret = ntime_trace_ctx_new(&ctx, NULL);

	if (ret == 0)
		ret = ntime_regdb_new(ctx, &db);
	if (ret == 0)
		ret = ntime_decoder_new(db, &decoder);
	if (ret == 0)
		ret = ntime_trace_open(ctx, argc > 1 ? argv[1] : "-", NULL, &trace);
	if (ret == 0)
		ret = print_all(trace, decoder);
	if (ret < 0)
		fprintf(stderr, "trace: %s\n", ctx ? ntime_trace_error_text(ctx) : "out of memory");
	ntime_trace_close(trace);
	ntime_decoder_free(decoder);
	ntime_regdb_free(db);
	ntime_trace_ctx_free(ctx);
	return ret < 0;
}
