// SPDX-License-Identifier: MIT
/*
 * Fuzz event texts and lists. The first byte chooses a machine and how the rest is read: as one
 * event, as a list, or with a tail of it as the content of a sysfs file (formats and events come
 * from drivers, but a recording may say anything).
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tests/event/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct fake_machine *const machines[] = { &fake_skx,	&fake_adl, &fake_zen3,
						       &fake_biglittle, &fake_kvm, &fake_noperf };

#define LIST_BIT 0x40
#define FILE_BIT 0x80

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

/* What the header promises, whatever the text. */
static void parse_one(const struct nti_names *names, const char *text)
{
	struct nti_error e = { 0 };
	struct nti_event event;
	size_t i;
	int ret;

	ret = nti_event_parse(names, text, &event, &e);
	check(ret <= 0);
	if (ret < 0) {
		check(e.code == ret && e.text[0] && !event.name && !event.part && !event.parts);
		return;
	}
	check(event.name && event.desc && event.unit_text && event.scale > 0);
	check(event.parts > 0 || event.absent.reason);
	for (i = 0; i < event.parts; i++) {
		check(event.part[i].unit || event.absent.reason);
		check(event.part[i].need.want_count <= NTI_PLAN_MAX_WANTS);
	}
	nti_event_fini(&event);
}

static int parse_entry(void *arg, const char *text, unsigned int group)
{
	(void)group;
	check(text[0] != '\0');
	parse_one(arg, text);
	return 0;
}

static void parse_list(const struct nti_names *names, const char *text)
{
	struct nti_error e = { 0 };
	int ret = nti_event_list_split(text, parse_entry, (void *)names, &e);

	check(ret <= 0 && (ret == 0 || e.text[0]));
}

/* The same machine with one PMU more, "fuzz", whose event and format are the input. */
static void parse_with_file(const char *text)
{
	static const char separator[] = "\n\n";
	const char *second = strstr(text, separator);
	char *event = second ? strndup(text, (size_t)(second - text)) : strdup(text);
	const struct fake_file files[] = {
		{ "/proc/sys/kernel/perf_event_paranoid", "2" },
		{ "/sys/bus/event_source/devices/fuzz/type", "77" },
		{ "/sys/bus/event_source/devices/fuzz/cpumask", "0" },
		{ "/sys/bus/event_source/devices/fuzz/format/event",
		  second ? second + 2 : "config:0-7" },
		{ "/sys/bus/event_source/devices/fuzz/events/x", event },
		{ "/sys/bus/event_source/devices/fuzz/events/x.scale", event },
		{ "/sys/bus/event_source/devices/fuzz/events/x.unit", event },
		{ NULL },
	};
	const struct fake_machine machine = { "fuzz", "x86_64", NULL, 0, files };
	struct tt_names t;

	if (event && tt_names_init(&t, &machine) == 0) {
		parse_one(&t.names, "fuzz/x/");
		parse_one(&t.names, "fuzz/event=0xff,x/u");
		tt_names_fini(&t);
	}
	free(event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tt_names t;
	char *text;

	if (size < 1 || size > 4096)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	if (data[0] & FILE_BIT) {
		parse_with_file(text);
	} else if (tt_names_init(&t, machines[(data[0] & 0xf) % NTI_ARRAY_SIZE(machines)]) == 0) {
		if (data[0] & LIST_BIT)
			parse_list(&t.names, text);
		else
			parse_one(&t.names, text);
		tt_names_fini(&t);
	}
	free(text);
	return 0;
}
