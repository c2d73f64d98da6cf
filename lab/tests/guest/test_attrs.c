// SPDX-License-Identifier: MIT
/*
 * What ntime asks the kernel for is what perf asks for: for each of these events, by the same name,
 * the struct perf_event_attr of the two are compared field by field, and then byte by byte. Where
 * they may differ stands in allowed[] with the reason.
 */
#include <errno.h>
#include <stdbool.h>

#include "lab/tests/guest/ask.h"
#include "lab/tests/guest/opens.h"
#include "base/tests/tt.h"

#define EVENTS_MAX 64

/*
 * Of every machine; where the PMU lacks one, the kernel is asked for it all the same, and its
 * answer must be the same.
 */
static const char *const common_events[] = {
	/* generic names */
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
	/* modifiers */
	"instructions:u",
	"instructions:k",
	"instructions:uk",
	"instructions:h",
	"cycles:u",
	"cycles:k",
	"cycles:G",
	"cycles:H",
	"cycles:uG",
	"instructions:D",
	/* the kernel's own */
	"page-faults",
	"minor-faults",
	"major-faults",
	"context-switches",
	"cpu-migrations",
	"alignment-faults",
	"emulation-faults",
	"cpu-clock",
	"task-clock",
	"page-faults:u",
	"page-faults:k",
	"sched:sched_switch",
	/* caches */
	"L1-dcache-loads",
	"L1-dcache-load-misses",
	"L1-icache-load-misses",
	"LLC-loads",
	"LLC-store-misses",
	"dTLB-load-misses",
	"iTLB-load-misses",
	"branch-loads",
};

#if defined(__x86_64__)
static const char *const own_events[] = {
	"r00c0",
	"r003c:u",
	"r01c4:k",
	"cpu/event=0xc0/",
	"cpu/event=0x3c,umask=0x1/u",
	"cpu/event=0xc0,inv=1,cmask=2/k",
	"cpu/event=0x3c,edge=1,cmask=1/uk",
	"cpu/cpu-cycles/",
	"cpu/instructions/u",
};
#elif defined(__aarch64__)
static const char *const own_events[] = {
	"r8",
	"r11:u",
	"r08:k",
	"armv8_pmuv3/event=0x8/",
	"armv8_pmuv3/event=0x11/u",
	"armv8_pmuv3/event=0x11,long=1/",
	"armv8_pmuv3/cpu_cycles/k",
	"armv8_pmuv3/inst_retired/u",
	"armv8_pmuv3/event=0x10/",
};
#else
static const char *const own_events[] = { "r8", "r11" };
#endif

/* ---- the fields ---- */

struct field {
	const char *name;
	uint64_t (*get)(const struct perf_event_attr *attr);
	void (*set)(struct perf_event_attr *attr, uint64_t value);
};

#define FIELDS                                                                                     \
	FIELD(type)                                                                                \
	FIELD(size)                                                                                \
	FIELD(config)                                                                              \
	FIELD(sample_period)                                                                       \
	FIELD(sample_type)                                                                         \
	FIELD(read_format)                                                                         \
	FIELD(disabled)                                                                            \
	FIELD(inherit)                                                                             \
	FIELD(pinned)                                                                              \
	FIELD(exclusive)                                                                           \
	FIELD(exclude_user)                                                                        \
	FIELD(exclude_kernel)                                                                      \
	FIELD(exclude_hv)                                                                          \
	FIELD(exclude_idle)                                                                        \
	FIELD(mmap)                                                                                \
	FIELD(comm)                                                                                \
	FIELD(freq)                                                                                \
	FIELD(inherit_stat)                                                                        \
	FIELD(enable_on_exec)                                                                      \
	FIELD(task)                                                                                \
	FIELD(watermark)                                                                           \
	FIELD(precise_ip)                                                                          \
	FIELD(mmap_data)                                                                           \
	FIELD(sample_id_all)                                                                       \
	FIELD(exclude_host)                                                                        \
	FIELD(exclude_guest)                                                                       \
	FIELD(exclude_callchain_kernel)                                                            \
	FIELD(exclude_callchain_user)                                                              \
	FIELD(use_clockid)                                                                         \
	FIELD(context_switch)                                                                      \
	FIELD(wakeup_events)                                                                       \
	FIELD(bp_type)                                                                             \
	FIELD(config1)                                                                             \
	FIELD(config2)                                                                             \
	FIELD(branch_sample_type)                                                                  \
	FIELD(clockid)

#define FIELD(f)                                                                                   \
	static uint64_t get_##f(const struct perf_event_attr *attr)                                \
	{                                                                                          \
		return attr->f;                                                                    \
	}                                                                                          \
	static void set_##f(struct perf_event_attr *attr, uint64_t value)                          \
	{                                                                                          \
		attr->f = value;                                                                   \
	}
FIELDS
#undef FIELD

static const struct field fields[] = {
#define FIELD(f) { #f, get_##f, set_##f },
	FIELDS
#undef FIELD
};

/* Where the two may differ, from what to what, and why it is the same count all the same. */
#define ANY UINT64_MAX
static const struct allowed {
	const char *field;
	uint64_t perf, ntime;
	const char *why;
} allowed[] = {
	{ "size", ANY, ANY,
	  "of the headers that each was built with; what one lacks is 0 in the other" },
	{ "sample_type", PERF_SAMPLE_IDENTIFIER, 0,
	  "nothing is sampled, so nothing is identified" },
	{ "read_format", PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	  PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP,
	  "ntime reads a group with one call: the layout of the answer, not what is counted" },
};

/*
 * perf excludes virtual machines where no modifier is given or :u is among them, and software
 * events like the rest, where the kernel does not look at it; ntime excludes them from every core
 * event that names neither :G nor :H, and leaves software events alone.
 */
static bool may_differ_in_guests(const char *event, const struct perf_event_attr *perf)
{
	bool is_core = perf->type != PERF_TYPE_SOFTWARE && perf->type != PERF_TYPE_TRACEPOINT;

	return is_core ? !strpbrk(event, "GH") && !perf->exclude_guest : perf->exclude_guest;
}

static bool is_allowed(const char *event, const struct field *field,
		       const struct perf_event_attr *perf, const struct perf_event_attr *ntime)
{
	if (strcmp(field->name, "exclude_guest") == 0)
		return may_differ_in_guests(event, perf);
	TT_FOR_EACH_ROW(a, allowed) {
		if (strcmp(a->field, field->name) == 0 &&
		    (a->perf == ANY || a->perf == field->get(perf)) &&
		    (a->ntime == ANY || a->ntime == field->get(ntime)))
			return true;
	}
	return false;
}

/* ---- comparing ---- */

static const char *events[EVENTS_MAX];
static size_t event_count;
static struct lab_open by_perf[LAB_OPENS_MAX];

/* Fields in which the two differ without leave are told; true when there are none. */
static bool is_same(const char *event, const struct lab_open *perf, struct lab_open ntime)
{
	char differs[256] = "";
	bool is_good = true;

	TT_FOR_EACH_ROW(f, fields) {
		uint64_t a = f->get(&perf->attr), b = f->get(&ntime.attr);
		size_t used = strlen(differs);

		if (a == b)
			continue;
		if (!is_allowed(event, f, &perf->attr, &ntime.attr)) {
			print_error("%s: %s is %#llx by perf, %#llx by ntime\n", event, f->name,
				    (unsigned long long)a, (unsigned long long)b);
			is_good = false;
		}
		(void)snprintf(differs + used, sizeof(differs) - used, " %s %#llx/%#llx", f->name,
			       (unsigned long long)a, (unsigned long long)b);
		f->set(&ntime.attr, a);
	}
	print_message("# %-34s type %u config %#llx, kernel says %s; differs:%s\n", event,
		      perf->attr.type, (unsigned long long)perf->attr.config,
		      perf->result < 0 ? strerror((int)-perf->result) : "yes",
		      *differs ? differs : " nothing");
	/* Nothing that has no row above. */
	if (memcmp(perf->bytes, ntime.bytes, sizeof(perf->bytes)) != 0) {
		print_error("%s: bytes differ that belong to no field of the list\n", event);
		is_good = false;
	}
	return is_good;
}

/* Both follow a command and its children, wherever they run. */
static bool is_same_call(const char *event, const struct lab_open *perf,
			 const struct lab_open *ntime)
{
	bool is_result_same =
		perf->result < 0 || ntime->result < 0 ? perf->result == ntime->result : true;

	if (perf->pid > 0 && ntime->pid > 0 && perf->cpu == ntime->cpu &&
	    perf->group == ntime->group && perf->flags == ntime->flags && is_result_same)
		return true;
	print_error("%s: perf's call is pid %lld cpu %lld group %lld flags %#llx = %lld, ntime's "
		    "pid %lld cpu %lld group %lld flags %#llx = %lld\n",
		    event, (long long)perf->pid, (long long)perf->cpu, (long long)perf->group,
		    (unsigned long long)perf->flags, (long long)perf->result, (long long)ntime->pid,
		    (long long)ntime->cpu, (long long)ntime->group,
		    (unsigned long long)ntime->flags, (long long)ntime->result);
	return false;
}

static void add_events(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		events[event_count++] = names[i];
}

/* perf opens one after the other, in the order of its command line, with one call each. */
TEST(perf_asks_for_each_event_once)
{
	char *argv[2 * EVENTS_MAX + 5];
	int argc = 0, status = -1, n;

	add_events(common_events, sizeof(common_events) / sizeof(common_events[0]));
	add_events(own_events, sizeof(own_events) / sizeof(own_events[0]));
	argv[argc++] = (char *)"perf";
	argv[argc++] = (char *)"stat";
	for (size_t i = 0; i < event_count; i++) {
		argv[argc++] = (char *)"-e";
		argv[argc++] = (char *)(uintptr_t)events[i];
	}
	argv[argc++] = (char *)"true";
	argv[argc] = NULL;
	n = lab_trace_opens(argv, by_perf, &status);
	TT_IS(status, 0);
	TT_IS(n, event_count);
	assert_true(event_count >= 40);
}

TEST(ntime_asks_for_the_same)
{
	static struct lab_open by_ntime[LAB_OPENS_MAX];
	size_t good = 0, accepted = 0;

	for (size_t i = 0; i < event_count; i++) {
		/* What self-tests try is not what is asked for. */
		char *argv[] = { (char *)"ntime", (char *)"--no-self-test",
				 (char *)"-e",	  (char *)(uintptr_t)events[i],
				 (char *)"true",  NULL };
		int status = -1, n = lab_trace_opens(argv, by_ntime, &status);

		/*
		 * What it asks about itself (on AMD: how many counters there are) is not what it
		 * counts; where the kernel refuses that, it asks once more to learn why.
		 */
		const struct lab_open *open = NULL;

		for (int k = 0; k < n && !open; k++)
			open = by_ntime[k].pid ? &by_ntime[k] : NULL;
		if (!open || status != 0) {
			print_error("%s: ntime called perf_event_open(2) %d times and ended with "
				    "%d\n",
				    events[i], n, status);
			continue;
		}
		/* Both lines are wanted: no short circuit. */
		good += (size_t)(is_same(events[i], &by_perf[i], *open) &
				 is_same_call(events[i], &by_perf[i], open));
		accepted += open->result >= 0;
	}
	print_message("# %zu events, %zu the same, %zu counted by this kernel\n", event_count, good,
		      accepted);
	TT_IS(good, event_count);
	/* At least the kernel's own and the core PMU's two, in their variants. */
	assert_true(accepted >= 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_asks_for_each_event_once),
		cmocka_unit_test(ntime_asks_for_the_same),
	};

	if (!lab_has_perf())
		return tt_skip_all("perf is not in this guest: run it --with perf");
	return TT_RUN(tests);
}
