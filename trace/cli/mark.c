// SPDX-License-Identifier: MIT
/* What marks between the accesses of a trace say to people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/output/clean.h"
#include "trace/cli/mark.h"

bool cli_mark_is_shown(const struct ntime_record *r)
{
	return r->kind != NTIME_RECORD_STYLE;
}

static const char *region_name(const struct ntime_record *r, char *buffer, size_t bytes)
{
	if (r->region == NTIME_REGION_PHYSICAL)
		return "physical memory";
	snprintf(buffer, bytes, "region %u", r->region);
	return buffer;
}

static int put_config(char *out, const struct ntime_record *r)
{
	const char *what = r->kind == NTIME_RECORD_CONFIG_READ ? "read" : "write";

	if (!(r->flags & NTIME_RECORD_VALUED))
		return sprintf(out, "config %s of %u bytes at 0x%02" PRIx64, what, r->width,
			       r->offset);
	return sprintf(out, "config %s of %u bytes at 0x%02" PRIx64 ": 0x%0*" PRIx64, what,
		       r->width, r->offset, 2 * (r->width ? r->width : 4), r->value);
}

static int put_quirk(char *out, const struct ntime_record *r)
{
	const char *what = r->kind == NTIME_RECORD_QUIRK_READ
				   ? "the emulator answered, the guest saw"
				   : "the emulator took or changed a write of";

	return sprintf(out, "%s 0x%" PRIx64 " at 0x%" PRIx64, what, r->value, r->offset);
}

static int put_map(char *out, const struct ntime_record *r)
{
	char region[32];

	return sprintf(out, "mapping %u: %s, 0x%" PRIx64 " bytes at 0x%" PRIx64, r->source,
		       region_name(r, region, sizeof(region)), r->value, r->offset);
}

/* What the numbers of a record say; its text follows. */
static int put_numbers(char *out, const struct ntime_record *r)
{
	char region[32];

	switch (r->kind) {
	case NTIME_RECORD_CONFIG_READ:
	case NTIME_RECORD_CONFIG_WRITE:
		return put_config(out, r);
	case NTIME_RECORD_INTERRUPT:
		return sprintf(out, "interrupt %" PRIu64, r->value);
	case NTIME_RECORD_REGION:
		return sprintf(out, "%s has 0x%" PRIx64 " bytes",
			       region_name(r, region, sizeof(region)), r->value);
	case NTIME_RECORD_MMAP:
		return sprintf(
			out, "accesses to %s from 0x%" PRIx64 " to 0x%" PRIx64 " bypass the trace",
			region_name(r, region, sizeof(region)), r->offset, r->value);
	case NTIME_RECORD_MMAP_SWITCH:
		return sprintf(out, "mapped parts bypass the trace from here on: %s",
			       r->value ? "yes" : "no longer");
	case NTIME_RECORD_IOEVENTFD:
		return sprintf(out, "writes of 0x%" PRIx64 " to 0x%" PRIx64 " bypass the trace",
			       r->value, r->offset);
	case NTIME_RECORD_QUIRK_READ:
	case NTIME_RECORD_QUIRK_WRITE:
		return put_quirk(out, r);
	case NTIME_RECORD_LOST:
		if (!r->value)
			return sprintf(out, "an unknown number of records is lost here");
		return sprintf(out, "%" PRIu64 " records are lost here", r->value);
	case NTIME_RECORD_PCIDEV:
		return sprintf(out, "PCIDEV");
	case NTIME_RECORD_MAP:
		return put_map(out, r);
	case NTIME_RECORD_UNMAP:
		return sprintf(out, "mapping %u ends", r->source);
	case NTIME_RECORD_UNKNOWN:
		return sprintf(out, "an access at 0x%" PRIx64 " that could not be decoded",
			       r->offset);
	case NTIME_RECORD_LIST:
		return sprintf(out, "list %u of register operations, handed %s", r->source,
			       r->value == 1 ? "back"
			       : r->value    ? "in, never back"
					     : "in");
	case NTIME_RECORD_OTHER:
		return sprintf(out, "line of other origin");
	default:
		return 0;
	}
}

size_t cli_mark_text(char *out, const struct ntime_record *r, const char *text)
{
	char *p = out + put_numbers(out, r);

	if (p > out && *text) {
		*p++ = ':';
		*p++ = ' ';
	}
	p += cli_clean_copy(p, text, strlen(text));
	return (size_t)(p - out);
}
