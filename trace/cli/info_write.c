// SPDX-License-Identifier: MIT
/* ntime trace info: for people and for programs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ntime/trace/writer.h>

#include "base/output/clean.h"
#include "base/output/json.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "trace/cli/info.h"

static const char *const clocks[] = { [NTIME_CLOCK_NONE] = "none",
				      [NTIME_CLOCK_WALL] = "since 1970",
				      [NTIME_CLOCK_BOOT] = "since the start of the machine",
				      [NTIME_CLOCK_OTHER] = "other" };
static const char *const clock_keys[] = { [NTIME_CLOCK_NONE] = NULL,
					  [NTIME_CLOCK_WALL] = "wall",
					  [NTIME_CLOCK_BOOT] = "boot",
					  [NTIME_CLOCK_OTHER] = "other" };

/* Without the bits that say what kind of BAR it is; PCI Local Bus Specification 3.0, 6.2.5. */
static uint64_t address_of(const struct ntime_trace_device *d, unsigned int region)
{
	uint64_t bar = d->bar[region];

	if (region == NTIME_REGION_ROM)
		return bar & ~UINT64_C(0x7ff);
	return bar & 1 ? bar & ~UINT64_C(3) : bar & ~UINT64_C(0xf);
}

/* All 0 of a device without accesses. */
static const struct cli_info_device *tally_of(const struct cli_info *info, size_t i)
{
	static const struct cli_info_device none;

	return i < info->devices && info->device[i] ? info->device[i] : &none;
}

static const char *chip_of(const struct cli_info *info, size_t device)
{
	return ntime_decoder_chip(info->chips.decoder, (uint32_t)device);
}

static const char *region_name(unsigned int region, char *buffer, size_t bytes)
{
	static const char *const names[] = { "ROM", "configuration", "VGA" };

	if (region == NTIME_REGION_PHYSICAL)
		return "physical addresses";
	if (region >= NTIME_REGION_ROM && region <= NTIME_REGION_VGA)
		return names[region - NTIME_REGION_ROM];
	snprintf(buffer, bytes, region < NTIME_REGION_ROM ? "BAR %u" : "region %u", region);
	return buffer;
}

/* ---- for people ---- */

static void put_counts(FILE *f, const struct cli_info_counts *c)
{
	fprintf(f, "%s reads, %s writes", cli_number_count(c->reads).text,
		cli_number_count(c->writes).text);
}

static void put_region(FILE *f, const struct ntime_trace_device *d, unsigned int region,
		       const struct cli_info_counts *c)
{
	bool is_told = region <= NTIME_REGION_ROM && (d->bar[region] || d->bar_bytes[region]);
	char buffer[32];

	if (!c->reads && !c->writes && !is_told)
		return;
	fprintf(f, "    %s: ", region_name(region, buffer, sizeof(buffer)));
	if (is_told && d->bar[region])
		fprintf(f, "at %s, ", cli_number_hex(address_of(d, region), 1).text);
	if (is_told && d->bar_bytes[region])
		fprintf(f, "%s bytes, ", cli_number_hex(d->bar_bytes[region], 1).text);
	put_counts(f, c);
	fputc('\n', f);
}

static void put_device(FILE *f, const struct cli_info *info, size_t i)
{
	const struct cli_info_device *t = tally_of(info, i);
	struct ntime_trace_device d = { .size = sizeof(d) };
	char *name;

	if (ntime_trace_get_device(info->in.trace, i, &d))
		return;
	name = cli_malloc(strlen(d.name) + 1);
	name[cli_clean_copy(name, d.name, strlen(d.name))] = '\0';
	fprintf(f, "Device %s", name);
	free(name);
	if (d.vendor_device)
		fprintf(f, ", %04x:%04x", d.vendor_device >> 16, d.vendor_device & 0xffff);
	if (*chip_of(info, i))
		fprintf(f, ", chip %s", chip_of(info, i));
	fputs(": ", f);
	put_counts(f, &t->all);
	fputc('\n', f);
	for (unsigned int region = 0; region < CLI_INFO_REGIONS; region++)
		put_region(f, &d, region, &t->region[region]);
}

/* Accesses of no known device. */
static void put_nameless(FILE *f, const struct cli_info *info)
{
	if (info->devices <= NTIME_DEVICE_NONE || !info->device[NTIME_DEVICE_NONE])
		return;
	fputs("No known device: ", f);
	put_counts(f, &info->device[NTIME_DEVICE_NONE]->all);
	fputc('\n', f);
}

static void put_kinds(FILE *f, const struct cli_info *info)
{
	const char *before = "Marks: ";

	for (uint32_t kind = NTIME_RECORD_MARK; kind < NTIME_RECORD_KINDS; kind++) {
		if (!info->kind[kind] || kind == NTIME_RECORD_STYLE)
			continue;
		fprintf(f, "%s%s %s", before, cli_number_count(info->kind[kind]).text,
			ntime_record_kind_name(kind));
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', f);
}

static void put_times(FILE *f, const struct cli_info *info)
{
	const struct ntime_trace_info *of = &info->of;
	const char *unit = "";
	struct cli_number length;

	if (of->clock == NTIME_CLOCK_NONE) {
		fputs("Times: none\n", f);
		return;
	}
	fprintf(f, "Times: from %" PRIu64 ".%09" PRIu64 " s to %" PRIu64 ".%09" PRIu64 " s",
		of->first_ns / 1000000000, of->first_ns % 1000000000, of->last_ns / 1000000000,
		of->last_ns % 1000000000);
	/* Of a clock that went back nobody knows how long it was. */
	if (of->last_ns >= of->first_ns) {
		length = cli_number_value((double)(of->last_ns - of->first_ns), "ns", false, &unit);
		fprintf(f, ", %s %s long", length.text, unit);
	}
	fprintf(f, "; clock: %s\n", clocks[of->clock]);
}

void cli_info_put_text(FILE *f, const struct cli_info *info)
{
	const struct ntime_trace_info *of = &info->of;
	const struct cli_info_counts all = { info->kind[NTIME_RECORD_READ],
					     info->kind[NTIME_RECORD_WRITE] };
	size_t devices = ntime_trace_devices(info->in.trace);

	fprintf(f, "Format: %s", cli_trace_form_name(of->form));
	if (*of->style)
		fprintf(f, ", %s", of->style);
	if (*of->compression)
		fprintf(f, ", compressed with %s", of->compression);
	fputc('\n', f);
	if (of->bytes)
		fprintf(f, "Size: %s bytes\n", cli_number_count(of->bytes).text);
	if (of->lines)
		fprintf(f, "Lines: %s, of other origin %s\n", cli_number_count(of->lines).text,
			cli_number_count(of->others).text);
	fputs("Accesses: ", f);
	put_counts(f, &all);
	fputc('\n', f);
	put_kinds(f, info);
	put_times(f, info);
	for (size_t i = 0; i < devices; i++)
		put_device(f, info, i);
	put_nameless(f, info);
}

/* ---- for programs ---- */

static void set_counts(json_t *o, const struct cli_info_counts *c)
{
	json_object_set_new(o, "reads", cli_json_count(c->reads));
	json_object_set_new(o, "writes", cli_json_count(c->writes));
}

static json_t *regions_json(const struct ntime_trace_device *d, const struct cli_info_device *t)
{
	json_t *regions = json_array(), *o;

	for (unsigned int region = 0; region < CLI_INFO_REGIONS; region++) {
		bool is_bar = region <= NTIME_REGION_ROM;

		if (!t->region[region].reads && !t->region[region].writes &&
		    !(is_bar && (d->bar[region] || d->bar_bytes[region])))
			continue;
		o = json_object();
		if (region == NTIME_REGION_PHYSICAL)
			json_object_set_new(o, "region", json_string("physical"));
		else
			json_object_set_new(o, "region", json_integer(region));
		if (is_bar && d->bar[region])
			json_object_set_new(o, "address", cli_json_hex(address_of(d, region), 1));
		if (is_bar && d->bar_bytes[region])
			json_object_set_new(o, "bytes", cli_json_count(d->bar_bytes[region]));
		set_counts(o, &t->region[region]);
		json_array_append_new(regions, o);
	}
	return regions;
}

static json_t *device_json(const struct cli_info *info, size_t i)
{
	const struct cli_info_device *t = tally_of(info, i);
	struct ntime_trace_device d = { .size = sizeof(d) };
	json_t *o = json_object();
	char id[16];

	if (i == NTIME_DEVICE_NONE) {
		json_object_set_new(o, "device", json_null());
	} else if (!ntime_trace_get_device(info->in.trace, i, &d)) {
		json_object_set_new(o, "device", cli_json_text(d.name));
		snprintf(id, sizeof(id), "%04x:%04x", d.vendor_device >> 16,
			 d.vendor_device & 0xffff);
		json_object_set_new(o, "id", d.vendor_device ? json_string(id) : json_null());
		json_object_set_new(o, "chip",
				    *chip_of(info, i) ? cli_json_text(chip_of(info, i))
						      : json_null());
	}
	set_counts(o, &t->all);
	json_object_set_new(o, "regions", regions_json(&d, t));
	return o;
}

static int add_warning(void *arg, const char *sentence, const char *remedy, uint64_t times)
{
	json_t *o = json_object();

	json_object_set_new(o, "text", cli_json_text(sentence));
	json_object_set_new(o, "remedy", *remedy ? cli_json_text(remedy) : json_null());
	json_object_set_new(o, "count", cli_json_count(times));
	json_array_append_new(arg, o);
	return 0;
}

static json_t *some_text(const char *text)
{
	return text && *text ? cli_json_text(text) : json_null();
}

static void set_what(json_t *o, const struct cli_info *info)
{
	const struct ntime_trace_info *of = &info->of;
	bool is_timed = of->clock != NTIME_CLOCK_NONE;

	json_object_set_new(o, "file", cli_json_text(info->in.path));
	json_object_set_new(o, "form", some_text(cli_trace_form_name(of->form)));
	json_object_set_new(o, "style", some_text(of->style));
	json_object_set_new(o, "compression", some_text(of->compression));
	json_object_set_new(o, "bytes", of->bytes ? cli_json_count(of->bytes) : json_null());
	json_object_set_new(o, "lines", of->lines ? cli_json_count(of->lines) : json_null());
	json_object_set_new(o, "others", cli_json_count(of->others));
	json_object_set_new(o, "clock", some_text(clock_keys[of->clock]));
	json_object_set_new(o, "first_ns", is_timed ? cli_json_count(of->first_ns) : json_null());
	json_object_set_new(o, "last_ns", is_timed ? cli_json_count(of->last_ns) : json_null());
}

void cli_info_put_json(FILE *f, const struct cli_info *info)
{
	json_t *o = cli_json_head(ntime_trace_version()), *kinds = json_object(),
	       *list = json_array(), *warnings = json_array();
	size_t devices = ntime_trace_devices(info->in.trace);

	set_what(o, info);
	for (uint32_t kind = 0; kind < NTIME_RECORD_KINDS; kind++)
		if (info->kind[kind] && kind != NTIME_RECORD_STYLE)
			json_object_set_new(kinds, ntime_record_kind_name(kind),
					    cli_json_count(info->kind[kind]));
	json_object_set_new(o, "records", kinds);
	for (size_t i = 0; i < devices; i++)
		json_array_append_new(list, device_json(info, i));
	if (info->devices > NTIME_DEVICE_NONE && info->device[NTIME_DEVICE_NONE])
		json_array_append_new(list, device_json(info, NTIME_DEVICE_NONE));
	json_object_set_new(o, "devices", list);
	ntime_trace_warnings(info->in.trace, add_warning, warnings);
	json_object_set_new(o, "warnings", warnings);
	cli_json_write(f, o, 1);
}
