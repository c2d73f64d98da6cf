// SPDX-License-Identifier: MIT
/*
 * Fuzz event texts and lists. The first byte chooses a machine and how the rest is read: as one
 * event, as a list, or with a tail of it as the content of a sysfs file (formats and events come
 * from drivers, but a recording may say anything).
 *
 * The machines are looked at once. Names near an unknown one are looked for among thousands, which
 * takes a hundred times as long as all else: one input in NEAR_INPUTS does so. libpfm4 compares a
 * name with those of all its PMUs: one input in PFM_INPUTS asks it.
 */
#include <errno.h>

#include "base/common/compiler.h"
#include "count/lib/event/resolve.h"
#include "count/tests/event/names.h"
#include "base/tests/fuzz/fuzz.h"

static const struct fake_machine *const machines[] = { &fake_skx,	&fake_adl, &fake_zen3,
						       &fake_biglittle, &fake_kvm, &fake_noperf };

#define LIST_BIT 0x40
#define FILE_BIT 0x80
#define NEAR_INPUTS 256
#define PFM_INPUTS 4

static bool wants_near, asks_pfm;

/* In the place of these functions, see meson.build. */
int __real_nti_suggest_event(const struct nti_names *names, const char *text, struct nti_error *e);
int __wrap_nti_suggest_event(const struct nti_names *names, const char *text, struct nti_error *e);
int __real_nti_suggest_unit(const struct nti_names *names, const char *unit, struct nti_error *e);
int __wrap_nti_suggest_unit(const struct nti_names *names, const char *unit, struct nti_error *e);

int __real_nti_pfm_resolve(const struct nti_names *names, const char *model,
			   const struct nti_unit *unit, const char *text, struct nti_event *out,
			   struct nti_error *e);
int __wrap_nti_pfm_resolve(const struct nti_names *names, const char *model,
			   const struct nti_unit *unit, const char *text, struct nti_event *out,
			   struct nti_error *e);
bool __real_nti_pfm_is_model(const char *name);
bool __wrap_nti_pfm_is_model(const char *name);

int __wrap_nti_pfm_resolve(const struct nti_names *names, const char *model,
			   const struct nti_unit *unit, const char *text, struct nti_event *out,
			   struct nti_error *e)
{
	return asks_pfm ? __real_nti_pfm_resolve(names, model, unit, text, out, e)
			: nti_error(e, -ENOENT, "no event '%s'", text);
}

bool __wrap_nti_pfm_is_model(const char *name)
{
	return asks_pfm && __real_nti_pfm_is_model(name);
}

void __real_nti_suggest_offer(struct nti_suggest *s, const char *name);
void __wrap_nti_suggest_offer(struct nti_suggest *s, const char *name);

void __wrap_nti_suggest_offer(struct nti_suggest *s, const char *name)
{
	if (wants_near)
		__real_nti_suggest_offer(s, name);
}

int __wrap_nti_suggest_event(const struct nti_names *names, const char *text, struct nti_error *e)
{
	return wants_near ? __real_nti_suggest_event(names, text, e)
			  : nti_error(e, -ENOENT, "no event '%s'", text);
}

int __wrap_nti_suggest_unit(const struct nti_names *names, const char *unit, struct nti_error *e)
{
	return wants_near ? __real_nti_suggest_unit(names, unit, e)
			  : nti_error(e, -ENOENT, "no unit '%s'", unit);
}

/* What the header promises, whatever the text. */
static void parse_one(const struct nti_names *names, const char *text)
{
	struct nti_error e = { 0 };
	struct nti_event event;
	size_t i;
	int ret;

	ret = nti_event_parse(names, text, &event, &e);
	fuzz_expect(ret <= 0);
	if (ret < 0) {
		fuzz_expect(e.code == ret && e.text[0] && !event.name && !event.part &&
			    !event.parts);
		return;
	}
	fuzz_expect(event.name && event.desc && event.unit_text && event.scale > 0);
	fuzz_expect(event.parts > 0 || event.absent.reason);
	for (i = 0; i < event.parts; i++) {
		fuzz_expect(event.part[i].unit || event.absent.reason);
		fuzz_expect(event.part[i].need.want_count <= NTI_PLAN_MAX_WANTS);
	}
	nti_event_fini(&event);
}

static int parse_entry(void *arg, const char *text, unsigned int group)
{
	(void)group;
	fuzz_expect(text[0] != '\0');
	parse_one(arg, text);
	return 0;
}

static void parse_list(const struct nti_names *names, const char *text)
{
	struct nti_error e = { 0 };
	int ret = nti_event_list_split(text, parse_entry, (void *)names, &e);

	fuzz_expect(ret <= 0 && (ret == 0 || e.text[0]));
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

/* The names of machine @i, made at its first use and kept. */
static const struct nti_names *names_of(size_t i)
{
	static struct tt_names kept[NTI_ARRAY_SIZE(machines)];

	if (!kept[i].names.os)
		fuzz_expect(tt_names_init(&kept[i], machines[i]) == 0);
	return &kept[i].names;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct nti_names *names;
	char *text;

	if (bytes < 1)
		return 0;
	wants_near = fuzz_is_chosen(data, bytes, NEAR_INPUTS);
	asks_pfm = fuzz_is_chosen(data, bytes, PFM_INPUTS);
	text = fuzz_text(data + 1, bytes - 1);
	names = names_of((data[0] & 0xf) % NTI_ARRAY_SIZE(machines));
	if (data[0] & FILE_BIT)
		parse_with_file(text);
	else if (data[0] & LIST_BIT)
		parse_list(names, text);
	else
		parse_one(names, text);
	free(text);
	return 0;
}
