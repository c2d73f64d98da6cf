// SPDX-License-Identifier: MIT
/*
 * "pmu/term,term=1/": terms of a PMU as its directory in sysfs describes them.
 *
 *   format/umask               "config:8-15,32-55": which bits a term fills, the lowest bits of the
 *                              value first
 *   events/cas_count_read      "event=0x04,umask=0x03": terms that an event stands for, beside it
 *                              .scale and .unit
 *
 * The rules are those of Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}
 * of Linux and of perf-list(1): an event's own terms come first, the user's override them one by
 * one.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/regs/nv50_wires.h"
#include "core/seq/nv50_pm.h"
#include "base/common/text.h"
#include "count/lib/event/box_events.h"
#include "count/lib/event/card_signals.h"
#include "count/lib/machine/cpu.h"
#include "count/lib/event/format.h"
#include "count/lib/event/resolve.h"
#include "count/lib/machine/unit_rows.h"

/* One event of one unit while its terms are put together. */
struct build {
	const struct nti_names *names;
	const struct nti_unit *unit;
	const char *text; /* the whole event, for sentences */
	const char *user; /* the user's terms, or "" */
	struct perf_event_attr attr;
	bool is_named; /* an event of the unit is among the terms */
	/* of an event that is a sum: which of its lists of terms it is, of how many */
	unsigned int list, lists;
	struct nti_event *out;
	struct nti_error *e;
};

static int describe(struct build *b, const char *desc, const char *unit_text)
{
	return nti_event_describe(b->out, desc, unit_text) < 0 ? nti_event_no_memory(b->e, b->text)
							       : 0;
}

/* The number behind @term, or -EINVAL with a sentence. */
static int parse_value(const struct build *b, const struct nti_term *term, uint64_t *out)
{
	int ret = nti_term_value(term, out);

	if (ret == 0)
		return 0;
	return nti_error(b->e, -EINVAL, "event '%s': '%s' of term %s is not a %s", b->text,
			 term->value, term->name, ret == -ERANGE ? "64-bit number" : "number");
}

/* The word of @b's attr that is called @name; false: there is none. */
static bool find_word(struct build *b, const char *name, __u64 **word)
{
	if (strcmp(name, "config") == 0)
		*word = &b->attr.config;
	else if (strcmp(name, "config1") == 0)
		*word = &b->attr.config1;
	else if (strcmp(name, "config2") == 0)
		*word = &b->attr.config2;
#ifdef PERF_ATTR_SIZE_VER8 /* Linux 6.3 added config3 */
	else if (strcmp(name, "config3") == 0)
		*word = &b->attr.config3;
#endif
	else
		return false;
	return true;
}

/*
 * Formats of a core PMU that is not there, so that "cpu/event=0x3c/" can be encoded all the same.
 */
static const struct format_row {
	const char *arch, *name, *format;
} format_rows[] = {
	/*
	 * Linux arch/x86/events/core.c and intel/core.c, PMU_FORMAT_ATTR; Intel SDM vol. 3B, figure
	 * 20-6.
	 */
	{ "x86_64", "event", "config:0-7" },
	{ "x86_64", "umask", "config:8-15" },
	{ "x86_64", "edge", "config:18" },
	{ "x86_64", "pc", "config:19" },
	{ "x86_64", "any", "config:21" },
	{ "x86_64", "inv", "config:23" },
	{ "x86_64", "cmask", "config:24-31" },
	/* Linux drivers/perf/arm_pmuv3.c */
	{ "aarch64", "event", "config:0-15" },
};

static int read_format(const struct build *b, const char *name, char *buf, size_t size)
{
	const struct nti_box_family *family = nti_box_family_of(b->unit);
	const char *arch = b->names->os->ops->arch(b->names->os);
	const struct nti_box_term *term;
	size_t i;

	if (!nti_os_is_component(name))
		return -ENOENT;
	/* Of a unit that the kernel does not show. */
	if (!b->unit->has_sysfs && family) {
		term = nti_box_term_find(family, name);
		if (term)
			(void)snprintf(buf, size, "%s", term->format);
		return term ? 0 : -ENOENT;
	}
	if (b->unit->has_sysfs || !b->unit->absent.reason)
		return nti_os_line(b->names->os, buf, size, NTI_SYSFS_DEVICES "/%s/format/%s",
				   b->unit->name, name);
	for (i = 0; i < NTI_ARRAY_SIZE(format_rows); i++) {
		if (strcmp(format_rows[i].arch, arch) == 0 &&
		    strcmp(format_rows[i].name, name) == 0) {
			(void)snprintf(buf, size, "%s", format_rows[i].format);
			return 0;
		}
	}
	return -ENOENT;
}

static int apply_format(struct build *b, const struct nti_term *term, char *format)
{
	char *ranges = strchr(format, ':');
	unsigned int width = 0;
	uint64_t value;
	__u64 *word;
	int ret;

	if (ranges)
		*ranges++ = '\0';
	if (!ranges || !find_word(b, nti_text_trim(format), &word))
		return nti_error(b->e, -EINVAL,
				 "event '%s': cannot use term %s of %s: its format '%s' is unknown",
				 b->text, term->name, b->unit->name, format);
	ret = parse_value(b, term, &value);
	if (ret < 0)
		return ret;
	ret = nti_format_scatter(nti_text_trim(ranges), value, word, &width);
	if (ret == -ERANGE)
		return nti_error(b->e, -EINVAL,
				 "event '%s': %s=%#llx does not fit into the %u bit%s of this term",
				 b->text, term->name, (unsigned long long)value, width,
				 width == 1 ? "" : "s");
	if (ret < 0)
		return nti_error(
			b->e, -EINVAL,
			"event '%s': cannot use term %s of %s: its bits '%s' are no ranges",
			b->text, term->name, b->unit->name, ranges);
	return 0;
}

/*
 * perf's terms about sampling and threads of perf itself; refused by name rather than called
 * unknown.
 */
static const char *const sampling_terms[] = { "period",	     "freq",
					      "branch_type", "time",
					      "call-graph",  "stack-size",
					      "inherit",     "no-inherit",
					      "max-stack",   "nr",
					      "overwrite",   "percore",
					      "aux-output",  "aux-sample-size",
					      "cpu",	     "no-overwrite",
					      "aux-action",  "driver-config" };

static bool is_sampling_term(const char *name)
{
	size_t i;

	for (i = 0; i < NTI_ARRAY_SIZE(sampling_terms); i++)
		if (strcmp(name, sampling_terms[i]) == 0)
			return true;
	return false;
}

/* "mem-loads", not "mem-loads.scale". */
static bool is_event_name(const char *name)
{
	static const char *const suffixes[] = { ".scale", ".unit", ".snapshot", ".per-pkg" };
	size_t length = strlen(name), i;

	for (i = 0; i < NTI_ARRAY_SIZE(suffixes); i++) {
		size_t cut = strlen(suffixes[i]);

		if (length > cut && strcmp(name + length - cut, suffixes[i]) == 0)
			return false;
	}
	return true;
}

void nti_known_add(struct nti_known *known, const char *name)
{
	size_t used = strlen(known->text);

	nti_suggest_offer(&known->suggest, name);
	if (used + strlen(name) + 3 < sizeof(known->text))
		(void)snprintf(known->text + used, sizeof(known->text) - used, "%s%s",
			       used ? ", " : "", name);
}

static int note_term(void *arg, const char *name)
{
	nti_known_add(arg, name);
	return 0;
}

static int note_event(void *arg, const char *name)
{
	struct nti_known *known = arg;

	if (is_event_name(name))
		nti_suggest_offer(&known->suggest, name);
	return 0;
}

/* "; G84, G86 have it": chips of other families that have the event; "" where none has. */
static void note_chips(const struct build *b, const char *name, char *text, size_t size)
{
	size_t i, n = 0;

	*text = '\0';
	for (i = 0; b->unit->card && i < nthw_nv_chip_count && n < size; i++) {
		const struct nthw_nv_chip *chip = &nthw_nv_chips[i];

		if (nthw_nv_has_wires(chip) &&
		    nti_box_event_find(&nti_gpu_families[chip->family], name))
			n += (size_t)snprintf(text + n, size - n, "%s%s",
					      n ? ", " : "; it is one of ", chip->name);
	}
}

/* What count/data/events knows; beside sysfs only its events. */
static void note_box(const struct build *b, bool is_event, struct nti_known *known)
{
	const struct nti_box_family *family = nti_box_family_of(b->unit);
	size_t i;

	for (i = 0; family && !b->unit->has_sysfs && i < family->terms; i++)
		nti_known_add(known, family->term[i].name);
	if (b->unit->card) {
		nti_known_add(known, "signal");
		nti_known_add(known, "fn");
	}
	for (i = 0; family && is_event && i < family->events; i++)
		(void)note_event(known, family->event[i].name);
}

/* A bare word is most likely a mistyped event, "a=1" a mistyped term. */
static int refuse_term(const struct build *b, const struct nti_term *term)
{
	struct nti_known known = { .suggest = { .text = term->name } };
	char near[256], chips[160];

	if (is_sampling_term(term->name))
		return nti_error(b->e, -EINVAL,
				 "event '%s': term %s is about sampling; ntime only counts",
				 b->text, term->name);
	(void)nti_os_list(b->names->os, note_term, &known, NTI_SYSFS_DEVICES "/%s/format",
			  b->unit->name);
	if (!term->value)
		(void)nti_os_list(b->names->os, note_event, &known, NTI_SYSFS_DEVICES "/%s/events",
				  b->unit->name);
	note_box(b, !term->value, &known);
	nti_suggest_finish(&known.suggest, near, sizeof(near));
	note_chips(b, term->name, chips, sizeof(chips));
	if (!term->value && *chips)
		return nti_error(b->e, -ENOENT, "event '%s': %s, a %s, has no event '%s'%s",
				 b->text, b->unit->name, b->unit->card->chip->name, term->name,
				 chips);
	return nti_error(b->e, term->value ? -EINVAL : -ENOENT,
			 "event '%s': %s has no %s '%s'%s%s%s", b->text, b->unit->name,
			 term->value ? "term" : "event or term", term->name, near,
			 known.text[0] ? "; its terms are " : "", known.text);
}

static int set_name(struct build *b, const struct nti_term *term)
{
	char *name;

	if (!term->value || !*term->value)
		return nti_error(b->e, -EINVAL,
				 "event '%s': term name needs a text, as in name=loads", b->text);
	name = strdup(term->value);
	if (!name)
		return nti_event_no_memory(b->e, b->text);
	free(b->out->name);
	b->out->name = name;
	return 0;
}

/* "cpu_core/cycles/": one of perf's generic names on one core PMU. */
static int set_generic(struct build *b, const struct nti_term *term)
{
	struct nti_event found = { 0 };
	int ret;

	if (term->value || b->unit->kind != NTI_UNIT_CORE)
		return -ENOENT;
	ret = nti_generic_resolve(b->names, b->unit, term->name, &found, b->e);
	if (ret == 0 && found.parts) {
		b->attr.type = found.part[0].attr.type;
		b->attr.config = found.part[0].attr.config;
		ret = describe(b, found.desc, found.unit_text);
	}
	nti_event_fini(&found);
	return ret;
}

/* How often the user's terms give @name a value. */
static unsigned int user_sets(const struct build *b, const char *name)
{
	char *copy = strdup(b->user), *list = copy;
	struct nti_term term;
	unsigned int times = 0;

	while (copy && nti_term_next(&list, &term))
		times += term.value && strcmp(term.name, name) == 0;
	free(copy);
	return times;
}

/* The domain that the user's terms name goes to *@domain, which stays where there is none. */
static int user_domain(const struct build *b, int *domain)
{
	char *copy = strdup(b->user), *list = copy;
	struct nti_term term;
	uint64_t value = 0;
	int ret = copy ? 0 : nti_event_no_memory(b->e, b->text);

	while (ret == 0 && nti_term_next(&list, &term)) {
		if (!term.value || strcmp(term.name, "domain") != 0)
			continue;
		ret = parse_value(b, &term, &value);
		*domain = value < INT_MAX ? (int)value : INT_MAX;
	}
	free(copy);
	return ret;
}

/* "signal=PBUS_PCIE_WR", "fn=A & !B": signals by name, of which src, op and domain follow. */
static int set_function(struct build *b, const struct nti_term *term)
{
	struct nti_card_function f;
	int domain = -1, ret;

	if (user_sets(b, "signal") + user_sets(b, "fn") > 1 || user_sets(b, "src") ||
	    user_sets(b, "op") || user_sets(b, "config"))
		return nti_error(b->e, -EINVAL,
				 "event '%s': %s stands for src and op, and is given once", b->text,
				 term->name);
	ret = user_domain(b, &domain);
	if (ret == 0)
		ret = nti_card_function_parse(b->unit->card->chip, term->value, domain, b->text, &f,
					      b->e);
	if (ret == 0)
		b->attr.config = (b->attr.config & UINT64_C(0xff) << 56) | f.src |
				 (uint64_t)f.table << 32 | (uint64_t)f.domain << 53;
	return ret;
}

static int apply_term(struct build *b, const struct nti_term *term)
{
	char format[NTI_SYSFS_LINE_BYTES + 1];
	uint64_t value;
	__u64 *word;
	int ret;

	if (!*term->name)
		return nti_error(b->e, -EINVAL, "event '%s': empty term between commas", b->text);
	ret = read_format(b, term->name, format, sizeof(format));
	if (ret >= 0)
		return apply_format(b, term, format);
	if (ret != -ENOENT)
		return nti_error(b->e, ret, "event '%s': cannot read the format of term %s of %s",
				 b->text, term->name, b->unit->name);
	if (strcmp(term->name, "name") == 0)
		return set_name(b, term);
	if (b->unit->card && term->value &&
	    (strcmp(term->name, "signal") == 0 || strcmp(term->name, "fn") == 0))
		return set_function(b, term);
	if (term->value && find_word(b, term->name, &word)) {
		ret = parse_value(b, term, &value);
		*word = ret < 0 ? *word : value;
		return ret;
	}
	ret = term->value ? -ENOENT : nti_raw_parse(term->name, b->text, &value, b->e);
	if (ret == 0)
		b->attr.config = value;
	if (ret == -ENOENT)
		ret = set_generic(b, term);
	return ret == -ENOENT ? refuse_term(b, term) : ret;
}

/* The terms an event of sysfs stands for. "chip=?" asks the user for a value. */
static int apply_definition(struct build *b, char *list)
{
	struct nti_term term;
	int ret = 0;

	while (ret == 0 && nti_term_next(&list, &term)) {
		if (!*term.name)
			continue;
		if (!term.value || strcmp(term.value, "?") != 0)
			ret = apply_term(b, &term);
		else if (!user_sets(b, term.name))
			ret = nti_error(b->e, -EINVAL,
					"event '%s': needs a value for %s, as in %s=1", b->text,
					term.name, term.name);
	}
	return ret;
}

/* One scale for all units of the event. */
static int set_scale(struct build *b, double scale, double box_scale)
{
	if (b->out->parts && b->out->scale != scale)
		return nti_error(
			b->e, -EINVAL,
			"event '%s': its units count on different scales; name one of them",
			b->text);
	b->out->scale = scale;
	b->out->box_scale = box_scale;
	return 0;
}

static int read_scale(struct build *b, const char *alias)
{
	const struct nti_box_event *box = nti_box_event_find(nti_box_family_of(b->unit), alias);
	double scale, box_scale = box ? nti_box_event_scale(b->unit, box) : 0;
	char text[256];
	int ret;

	if (nti_os_line(b->names->os, text, sizeof(text), NTI_SYSFS_DEVICES "/%s/events/%s.scale",
			b->unit->name, alias) < 0)
		return set_scale(b, 1.0, box_scale);
	ret = nti_text_parse_real(text, &scale);
	if (ret == -ENOMEM)
		return nti_event_no_memory(b->e, b->text);
	if (ret >= 0 && (!(scale > 0) || scale > 1e300))
		ret = -EINVAL;
	if (ret < 0)
		return nti_error(
			b->e, ret,
			"event '%s': the scale '%s' that %s gives it is no positive number",
			b->text, text, b->unit->name);
	return set_scale(b, scale, box_scale);
}

static int read_unit_text(struct build *b, const char *alias)
{
	char text[64];

	if (nti_os_line(b->names->os, text, sizeof(text), NTI_SYSFS_DEVICES "/%s/events/%s.unit",
			b->unit->name, alias) < 0)
		return 0;
	return describe(b, NULL, text);
}

/*
 * An event that sysfs calls a snapshot tells how things are; the only one there is tells how many
 * degrees are left (Linux arch/x86/events/msr.c, cpu_thermal_margin.snapshot), of which the
 * smallest number counts.
 */
static void read_state(struct build *b, const char *alias)
{
	if (!nti_os_exists(b->names->os, NTI_SYSFS_DEVICES "/%s/events/%s.snapshot", b->unit->name,
			   alias))
		return;
	b->out->is_state = true;
	b->out->together = strcmp(alias, "cpu_thermal_margin") == 0 ? NTI_MIN : NTI_MAX;
}

/* "cas_count_read" of uncore_imc_0: what sysfs tells about an event is its name and terms. */
static int describe_alias(struct build *b, const char *alias, const char *definition)
{
	char *desc = nti_text_format("%s of %s: %s", alias, b->unit->name, definition);
	int ret = desc ? describe(b, desc, NULL) : nti_event_no_memory(b->e, b->text);

	free(desc);
	return ret;
}

#define MSR_DEVICE "/dev/cpu/0/msr"
#define HOST_REMEDY "count it on the host, or on a machine without a hypervisor"

/*
 * The hypervisor that keeps boxes from its guests; NULL where the processor itself decides what
 * there is.
 */
static const struct nti_hypervisor *box_hypervisor(const struct build *b)
{
	struct nti_os *os = b->names->os;

	return strcmp(os->ops->arch(os), "x86_64") == 0
		       ? nti_cpu_hypervisor(os, &b->names->units->cpu)
		       : NULL;
}

/*
 * Are the registers of @pmu model-specific ones, on any machine? Others are those of PCI functions,
 * and which there are everybody sees.
 */
static bool has_msrs(const char *pmu)
{
	size_t i;

	for (i = 0; i < nti_box_family_count; i++) {
		const struct nthw_box_kind *kind = nthw_box_kind(nti_box_families[i].kind);

		if (strcmp(nti_box_families[i].unit, pmu) == 0 && kind->space == NTHW_SPACE_MSR)
			return true;
	}
	return false;
}

static const struct look_why {
	enum ntime_reason code;
	const char *remedy;
} closed = { NTIME_REASON_PERMISSION, NTI_AS_ROOT ", or as root: ntime driver load" },
  not_loaded = { NTIME_REASON_NOT_LOADED, "as root: modprobe msr, or: ntime driver load" },
  no_modules = { NTIME_REASON_KERNEL,
		 "boot a kernel that can load modules, or one with CONFIG_X86_MSR=y" };

/* Registers could not be asked whether there is a unit: why. */
static const struct look_why *why_not_looked(struct nti_os *os)
{
	if (nti_os_exists(os, MSR_DEVICE))
		return &closed;
	return nti_os_has_modules(os) ? &not_loaded : &no_modules;
}

/*
 * An event of @pmu, or without @is_event all of it, is not here: the guest's hypervisor, or @bare,
 * is why. The event stays unnamed: what is absent is named beside the reason, and one reason may
 * stand for many. 0 or -ENOMEM.
 */
static int blame(struct build *b, const char *pmu, bool is_event, const char *bare)
{
	const struct nti_hypervisor *hypervisor = box_hypervisor(b);
	const char *such = is_event ? "such event of " : "";
	struct nti_os *os = b->names->os;

	if (b->out->absent.reason)
		return 0;
	if (!hypervisor)
		return nti_absence_set(&b->out->absent, NTIME_REASON_NO_HARDWARE, pmu, "", "%s",
				       bare);
	/* Who cannot read the registers of @pmu does not know what hypervisors show. */
	if (!os->is_simulated && has_msrs(pmu) && os->ops->access(os, MSR_DEVICE, R_OK) != 0) {
		const struct look_why *why = why_not_looked(os);

		return nti_absence_set(&b->out->absent, why->code, pmu, why->remedy,
				       "the kernel of this guest (%s) shows no %s%s, and its "
				       "registers are out of reach",
				       hypervisor->name, such, pmu);
	}
	return nti_absence_set(&b->out->absent, NTIME_REASON_HYPERVISOR, pmu, HOST_REMEDY,
			       "the hypervisor (%s) shows this guest no %s%s", hypervisor->name,
			       such, pmu);
}

/* Events that units of this name have with other processors, or where registers can be read. */
static const struct nti_box_event *event_of_others(const struct nti_unit *unit, const char *alias)
{
	const struct nti_box_event *event = NULL;
	size_t i;

	for (i = 0; !event && i < nti_box_family_count; i++)
		if (strcmp(nti_box_families[i].unit, unit->name) == 0)
			event = nti_box_event_find(&nti_box_families[i], alias);
	return event;
}

/* The list of terms whose turn it is; b->lists says how many there are. */
static char *terms_of(struct build *b, const struct nti_box_event *event)
{
	const char *list = event->more ? event->more : "";
	unsigned int lists = 1, i;

	for (const char *at = list; *at; at += strspn(at, " ")) {
		at += strcspn(at, " ");
		lists++;
	}
	if (lists > b->lists)
		b->lists = lists;
	if (!b->list)
		return strdup(event->terms);
	for (i = 1; i < b->list && *list; i++)
		list += strcspn(list, " ") + strspn(list + strcspn(list, " "), " ");
	return strndup(list, strcspn(list, " "));
}

/*
 * An event of count/data/events. The reader of the registers is whoever counts where the kernel
 * does not show the unit.
 */
static int apply_box_alias(struct build *b, const char *alias)
{
	const struct nti_box_event *event = nti_box_event_find(nti_box_family_of(b->unit), alias);
	double scale = event ? nti_box_event_scale(b->unit, event) : 0;
	const struct nti_box_event *other = event ? NULL : event_of_others(b->unit, alias);
	char *terms, bare[160];
	int ret;

	if (!event && !other)
		return -ENOENT;
	(void)snprintf(bare, sizeof(bare), "the %s of this processor does not have this event",
		       b->unit->name);
	if ((other || !nti_box_event_is_there(b->unit, event)) &&
	    blame(b, b->unit->name, true, bare) < 0)
		return nti_event_no_memory(b->e, b->text);
	if (other)
		return describe(b, other->about, other->unit);
	if (event->absent && !b->out->absent.reason &&
	    nti_absence_set(&b->out->absent, NTIME_REASON_NOT_SUPPORTED, b->unit->name,
			    event->remedy, "%s", event->absent) < 0)
		return nti_event_no_memory(b->e, b->text);
	terms = terms_of(b, event);
	ret = terms ? describe(b, event->about, event->unit) : nti_event_no_memory(b->e, b->text);
	if (ret == 0)
		ret = apply_definition(b, terms);
	free(terms);
	return ret < 0 ? ret : set_scale(b, scale, scale);
}

/* -ENOENT without a sentence when sysfs has no such event. */
static int apply_sysfs_alias(struct build *b, const char *alias)
{
	char definition[NTI_SYSFS_LINE_BYTES + 1];
	int ret;

	if (!b->unit->has_sysfs || !nti_os_is_component(alias) || !is_event_name(alias))
		return -ENOENT;
	ret = nti_os_line(b->names->os, definition, sizeof(definition),
			  NTI_SYSFS_DEVICES "/%s/events/%s", b->unit->name, alias);
	if (ret < 0)
		return ret == -ENOENT || ret == -EISDIR
			       ? -ENOENT
			       : nti_error(b->e, ret,
					   "event '%s': cannot read its definition in sysfs",
					   b->text);
	read_state(b, alias);
	ret = describe_alias(b, alias, definition);
	if (ret == 0)
		ret = apply_definition(b, definition);
	if (ret == 0)
		ret = read_scale(b, alias);
	return ret < 0 ? ret : read_unit_text(b, alias);
}

/*
 * What the kernel says of its unit comes first; count/data/events knows events beside. -ENOENT
 * without a sentence when the unit has no such event.
 */
static int apply_alias(struct build *b, const char *alias)
{
	int ret = apply_sysfs_alias(b, alias);

	return ret == -ENOENT ? apply_box_alias(b, alias) : ret;
}

/* Is @name an event of the unit? 1, 0 or -errno. */
static int is_alias(const struct build *b, const char *name)
{
	char line[NTI_SYSFS_LINE_BYTES + 1];
	int ret = -ENOENT;

	if (!nti_os_is_component(name) || !is_event_name(name))
		return 0;
	if (b->unit->has_sysfs)
		ret = nti_os_line(b->names->os, line, sizeof(line),
				  NTI_SYSFS_DEVICES "/%s/events/%s", b->unit->name, name);
	return ret >= 0 || nti_box_event_find(nti_box_family_of(b->unit), name) ||
	       event_of_others(b->unit, name);
}

static int apply_user_term(struct build *b, const struct nti_term *term)
{
	if (term->value && user_sets(b, term->name) > 1)
		return nti_error(b->e, -EINVAL, "event '%s': term %s is given more than once",
				 b->text, term->name);
	return apply_term(b, term);
}

/* First the event among the user's terms, if there is one, then the other terms in their order. */
static int apply_user(struct build *b)
{
	char *copy = strdup(b->user), *list;
	struct nti_term term;
	int ret = 0, pass;

	for (pass = 0; copy && ret == 0 && pass < 2; pass++) {
		memcpy(copy, b->user, strlen(b->user) + 1); /* the first pass cut it up */
		list = copy;
		while (ret == 0 && nti_term_next(&list, &term)) {
			/*
			 * a name that is a format and an event (perf: "event wins" only for bare
			 * words)
			 */
			bool is_event = !term.value && is_alias(b, term.name);

			if (is_event == (pass == 0))
				ret = is_event ? apply_alias(b, term.name)
					       : apply_user_term(b, &term);
			b->is_named |= is_event;
		}
	}
	if (!copy)
		ret = nti_event_no_memory(b->e, b->text);
	free(copy);
	return ret;
}

/*
 * What the user wrote to a card's event: a sum of several set-ups goes with nothing but the unit to
 * count in. Of those there is one, and mp is that of slots: all three have the same bits.
 */
static int check_words(struct build *b)
{
	bool is_slot = nthw_nv50_mode(b->attr.config) == NTHW_NV50_MODE_SLOT;
	char *copy = strdup(b->user), *list = copy;
	unsigned int names = 0, units = 0, mps = 0, others = 0;
	struct nti_term term;

	while (copy && nti_term_next(&list, &term)) {
		bool is_name = !term.value && is_alias(b, term.name);
		bool is_mp = strcmp(term.name, "mp") == 0;
		bool is_unit = strcmp(term.name, "tpc") == 0 || strcmp(term.name, "rop") == 0;

		names += is_name;
		mps += is_mp;
		units += is_unit || is_mp;
		others += !is_name && !is_unit && strcmp(term.name, "name") != 0;
	}
	free(copy);
	if (!copy)
		return nti_event_no_memory(b->e, b->text);
	if (is_slot && units > mps)
		return nti_error(b->e, -EINVAL,
				 "event '%s': it is counted by slots of multiprocessors: take mp "
				 "in place of tpc or rop",
				 b->text);
	if (!is_slot && mps)
		return nti_error(b->e, -EINVAL,
				 "event '%s': it is not counted by slots of multiprocessors: take "
				 "tpc or rop in place of mp",
				 b->text);
	if (units > 1)
		return nti_error(
			b->e, -EINVAL,
			"event '%s': tpc and rop cannot be combined, and each is given once",
			b->text);
	if (b->lists > 1 && (names > 1 || others))
		return nti_error(
			b->e, -EINVAL,
			"event '%s': it is a sum of several set-ups, and goes with nothing "
			"but tpc or rop",
			b->text);
	return 0;
}

static int add_unit(struct build *b)
{
	int ret;

	b->lists = 1;
	for (b->list = 0, ret = 0; ret == 0 && b->list < b->lists; b->list++) {
		memset(&b->attr, 0, sizeof(b->attr));
		b->attr.type = b->unit->type;
		b->is_named = false;
		ret = apply_user(b);
		if (ret == 0 && b->unit->card && !b->list)
			ret = check_words(b);
		b->out->is_raw = !b->is_named && b->attr.type == b->unit->type;
		if (ret == 0 && nti_event_add_part(b->out, b->unit, &b->attr) < 0)
			ret = nti_event_no_memory(b->e, b->text);
	}
	return ret;
}

/* The core PMU is missing, and with it the files that would tell what its events are. */
static int note_absence(struct build *b)
{
	int ret = add_unit(b);

	if (ret == -ENOENT)
		ret = nti_event_describe(b->out, "", "");
	return ret == -ENOMEM ? nti_event_no_memory(b->e, b->text) : ret;
}

/* Could registers reach a unit of this name, on other machines? */
static bool is_box_unit(const char *pmu)
{
	size_t i;

	for (i = 0; i < nti_box_family_count; i++)
		if (strcmp(nti_box_families[i].unit, pmu) == 0)
			return true;
	return false;
}

/*
 * A PMU that the kernel has on other machines is missing here, and its event absent; any other name
 * is a mistake.
 */
static int refuse_pmu(struct build *b, const char *pmu)
{
	struct nti_suggest suggest = { .text = pmu };
	char near[256], bare[160];
	int ret;
	size_t i;

	if (nti_unit_row_is_name(pmu)) {
		(void)snprintf(
			bare, sizeof(bare), "the kernel shows no PMU '%s' on this machine%s", pmu,
			is_box_unit(pmu) ? ", and ntime knows no registers for it here" : "");
		ret = is_box_unit(pmu) ? blame(b, pmu, false, bare)
				       : nti_absence_set(&b->out->absent, NTIME_REASON_NO_HARDWARE,
							 pmu, "", "%s", bare);
		return ret < 0 ? nti_event_no_memory(b->e, b->text) : 0;
	}
	for (i = 0; i < b->names->units->count; i++)
		nti_suggest_offer(&suggest, b->names->units->unit[i]->name);
	nti_suggest_finish(&suggest, near, sizeof(near));
	return nti_error(b->e, -ENOENT, "event '%s': no PMU '%s'%s ('ntime list' shows all)",
			 b->text, pmu, near);
}

int nti_terms_resolve(const struct nti_names *names, const char *pmu, const char *terms,
		      struct nti_event *out, struct nti_error *e)
{
	struct build b = { .names = names, .text = out->name, .user = terms, .out = out, .e = e };
	char *whole = strdup(out->name); /* name= replaces out->name */
	size_t at = 0, matches = 0;
	int ret = 0, missing = 0;

	if (!whole)
		return nti_event_no_memory(e, out->name);
	b.text = whole;
	while (ret == 0 && (b.unit = nti_units_match(names->units, pmu, &at))) {
		if (b.unit->kind == NTI_UNIT_CLOCK)
			continue;
		matches++;
		if (b.unit->kind == NTI_UNIT_PROC) {
			ret = nti_proc_resolve(names, b.unit, terms, out, e);
			continue;
		}
		ret = b.unit->absent.reason ? note_absence(&b) : add_unit(&b);
		if (ret == 0 && b.unit->absent.reason &&
		    nti_absence_copy(&out->absent, &b.unit->absent) < 0)
			ret = nti_event_no_memory(e, whole);
		/*
		 * Boxes of one name may differ in their events: those that have this one count it.
		 */
		if (ret == -ENOENT) {
			missing = ret;
			ret = 0;
		}
	}
	if (ret == 0 && !matches)
		ret = refuse_pmu(&b, pmu);
	else if (ret == 0 && missing && !out->parts)
		ret = missing;
	free(whole);
	return ret;
}

int nti_alias_resolve(const struct nti_names *names, const struct nti_unit *unit, const char *text,
		      struct nti_event *out, struct nti_error *e)
{
	struct build b = {
		.names = names, .unit = unit, .text = text, .user = "", .out = out, .e = e
	};
	int ret;

	b.attr.type = unit->type;
	ret = apply_alias(&b, text);
	if (ret == 0 && nti_event_add_part(out, unit, &b.attr) < 0)
		ret = nti_event_no_memory(e, text);
	return ret;
}

struct code_search {
	const struct nti_names *names;
	const struct nti_unit *unit;
	uint64_t config, mask;
	struct nti_event *found;
};

static int compare_code(void *arg, const char *alias)
{
	struct code_search *s = arg;
	int ret = -ENOENT;

	*s->found = (struct nti_event){ .scale = 1.0 };
	if (is_event_name(alias))
		ret = nti_alias_resolve(s->names, s->unit, alias, s->found, NULL);
	if (ret == 0 && s->found->parts && !((s->found->part[0].attr.config ^ s->config) & s->mask))
		return 1;
	nti_event_fini(s->found);
	return ret == -ENOMEM ? ret : 0;
}

int nti_alias_find(const struct nti_names *names, const struct nti_unit *unit, uint64_t config,
		   uint64_t mask, struct nti_event *found)
{
	const struct nti_box_family *family = nti_box_family_of(unit);
	struct code_search s = { names, unit, config, mask, found };
	size_t i;
	int ret = 0;

	*found = (struct nti_event){ 0 };
	if (unit->has_sysfs)
		ret = nti_os_list(names->os, compare_code, &s, NTI_SYSFS_DEVICES "/%s/events",
				  unit->name);
	for (i = 0; !unit->has_sysfs && !ret && family && i < family->events; i++)
		ret = compare_code(&s, family->event[i].name);
	return ret == 1 || ret == -ENOMEM ? ret : 0;
}

int nti_alias_has_code(const struct nti_names *names, const struct nti_unit *unit, uint64_t config,
		       uint64_t mask)
{
	struct nti_event found;
	int ret = nti_alias_find(names, unit, config, mask, &found);

	nti_event_fini(&found);
	return ret;
}

struct lister {
	const struct nti_names *names;
	const struct nti_unit *unit;
	int (*fn)(void *arg, const struct nti_event_entry *entry);
	void *arg;
	int stop; /* what @fn returned, apart from what reading the directory may return */
};

static int list_alias(void *arg, const char *alias)
{
	struct lister *l = arg;
	struct nti_event_entry entry = { .unit = l->unit, .unit_name = l->unit->name };
	char name[NTI_SYSFS_PATH_BYTES], desc[NTI_SYSFS_LINE_BYTES + 1], unit_text[64];

	if (!is_event_name(alias))
		return 0;
	(void)snprintf(name, sizeof(name), "%s/%s/", l->unit->name, alias);
	if (nti_os_line(l->names->os, desc, sizeof(desc), NTI_SYSFS_DEVICES "/%s/events/%s",
			l->unit->name, alias) < 0)
		return 0; /* nobody can be told what it is: no event */
	if (nti_os_line(l->names->os, unit_text, sizeof(unit_text),
			NTI_SYSFS_DEVICES "/%s/events/%s.unit", l->unit->name, alias) < 0)
		unit_text[0] = '\0';
	entry.name = name;
	entry.desc = desc;
	entry.unit_text = unit_text;
	l->stop = l->fn(l->arg, &entry);
	return l->stop;
}

/* Is the event one of sysfs, which were listed already? */
static bool is_in_sysfs(const struct lister *l, const char *alias)
{
	return l->unit->has_sysfs &&
	       nti_os_exists(l->names->os, NTI_SYSFS_DEVICES "/%s/events/%s", l->unit->name, alias);
}

static int list_box(struct lister *l)
{
	const struct nti_box_family *family = nti_box_family_of(l->unit);
	struct nti_event_entry entry = { .unit = l->unit, .unit_name = l->unit->name };
	char name[NTI_SYSFS_PATH_BYTES];
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && family && i < family->events; i++) {
		if (is_in_sysfs(l, family->event[i].name) ||
		    !nti_box_event_is_there(l->unit, &family->event[i]))
			continue;
		(void)snprintf(name, sizeof(name), "%s/%s/", l->unit->name, family->event[i].name);
		entry.name = name;
		entry.desc = family->event[i].about;
		entry.unit_text = family->event[i].unit;
		entry.absent = family->event[i].absent;
		entry.remedy = family->event[i].remedy;
		ret = l->fn(l->arg, &entry);
	}
	return ret;
}

int nti_alias_for_each(const struct nti_names *names,
		       int (*fn)(void *arg, const struct nti_event_entry *entry), void *arg)
{
	struct lister l = { .names = names, .fn = fn, .arg = arg };
	size_t i;
	int ret;

	for (i = 0; i < names->units->count; i++) {
		l.unit = names->units->unit[i];
		/*
		 * A PMU without events of its own, or one that may not be looked into, is no reason
		 * to stop.
		 */
		ret = l.unit->has_sysfs ? nti_os_list(names->os, list_alias, &l,
						      NTI_SYSFS_DEVICES "/%s/events", l.unit->name)
					: 0;
		if (l.stop || ret == -ENOMEM)
			return l.stop ? l.stop : ret;
		ret = l.unit->kind == NTI_UNIT_PROC ? nti_proc_for_each(names, l.unit, fn, arg)
						    : list_box(&l);
		if (ret)
			return ret;
	}
	return 0;
}
