// SPDX-License-Identifier: MIT
/* What an item is called where it is exported. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "count/cli/export/name.h"

/*
 * Base units as OpenMetrics 1.0 and Prometheus ask for them ("Metric and label naming", base
 * units). The first ones are those of libntime and of the kernel's files of units
 * (Documentation/ABI/testing/sysfs-bus-event_source-devices-events).
 */
static const struct unit {
	const char *text, *base;
	double factor;
} units[] = {
	{ "", "", 1 },
	{ "1=yes", "", 1 },
	{ "ns", "seconds", 1e-9 },
	{ "us", "seconds", 1e-6 },
	{ "ms", "seconds", 1e-3 },
	{ "s", "seconds", 1 },
	{ "bytes", "bytes", 1 },
	{ "KiB", "bytes", 1024 },
	{ "MiB", "bytes", 1048576 },
	{ "Joules", "joules", 1 },
	{ "J", "joules", 1 },
	{ "W", "watts", 1 },
	{ "Watts", "watts", 1 },
	{ "mWatts", "watts", 1e-3 },
	{ "C", "celsius", 1 },
	{ "GHz", "hertz", 1e9 },
	{ "MHz", "hertz", 1e6 },
	{ "%", "ratio", 0.01 },
	{ "MiB/s", "bytes_per_second", 1048576 },
};

/* @text behind @to in small letters and digits, all else a "_" between two of them. Its new end. */
static char *put_word(char *to, const char *text, size_t bytes)
{
	if (bytes)
		*to++ = '_';
	for (size_t i = 0; i < bytes; i++) {
		char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			*to++ = c;
		else if (to[-1] != '_')
			*to++ = '_';
	}
	while (to[-1] == '_')
		to--;
	*to = '\0';
	return to;
}

static size_t digits_at_end(const char *text)
{
	size_t bytes = strlen(text), n = 0;

	while (n < bytes && text[bytes - 1 - n] >= '0' && text[bytes - 1 - n] <= '9')
		n++;
	return n;
}

/* Of "uncore_imc_0" and "gpu0" the kind; "amd_l3" is one. */
static size_t kind_bytes(const char *unit)
{
	size_t bytes = strlen(unit), digits = digits_at_end(unit), kind = bytes - digits;

	if (digits && kind > 1 && unit[kind - 1] == '_')
		return kind - 1;
	return digits && kind == 3 && strncmp(unit, "gpu", 3) == 0 ? kind : bytes;
}

/*
 * Of "uncore_imc/cas_count_read/" and "core::INST_RETIRED" how long the unit is that is named
 * there.
 */
static size_t named_bytes(const char *name)
{
	size_t bytes = strcspn(name, "/:");

	return name[bytes] == '/' || strncmp(name + bytes, "::", 2) == 0 ? bytes : 0;
}

static const struct unit *find_unit(const char *text)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].text, text) == 0)
			return &units[i];
	return NULL;
}

/* Has @family the word @base at its end? */
static bool ends_with(const char *family, const char *base)
{
	size_t bytes = strlen(family), more = strlen(base);

	return bytes > more && family[bytes - more - 1] == '_' &&
	       strcmp(family + bytes - more, base) == 0;
}

void cli_export_name_init(struct cli_export_name *name, const struct ntime_item *item)
{
	static const char prefix[] = "ntime";
	size_t named = named_bytes(item->name);
	/* What needs no unit's name is of a CPU, of whatever kind its cores are. */
	bool is_of_cpu = item->scope == NTIME_SCOPE_CPU && !named && !item->is_metric &&
			 strcmp(item->unit, "tracepoint") != 0;
	const char *of = is_of_cpu ? "cpu" : item->unit;
	const struct unit *unit = find_unit(item->unit_text);
	/* "insn/cycle" is a ratio, of which Prometheus names no unit. */
	const char *base = unit ? unit->base : strchr(item->unit_text, '/') ? "" : item->unit_text;
	size_t kind = kind_bytes(of);
	/* A sum over all units of the kind is named without a number. */
	bool is_one =
		of[kind] && named && item->name[named - 1] >= '0' && item->name[named - 1] <= '9';
	const char *event = item->name + named;
	char *to;

	name->family =
		cli_malloc(sizeof(prefix) + strlen(of) + strlen(item->name) + strlen(base) + 3);
	memcpy(name->family, prefix, sizeof(prefix));
	to = put_word(name->family + strlen(prefix), of, kind);
	to = put_word(to, event, strlen(event));
	if (*base && !ends_with(name->family, base)) {
		put_word(to, base, strlen(base));
		name->base = *to ? to + 1 : to;
	} else {
		name->base = to - strlen(base);
	}
	name->factor = unit ? unit->factor : 1;
	name->instance = cli_strdup(is_one ? of : "");
}

void cli_export_name_fini(struct cli_export_name *name)
{
	free(name->family);
	free(name->instance);
	*name = (struct cli_export_name){ NULL };
}
