// SPDX-License-Identifier: MIT
/*
 * NVPerfKit's three interfaces by their published layouts alone: no header of ours is read. Every
 * function with NULL, with wrong numbers and in wrong orders, and what each interface answers.
 *
 * test_nvpm_calls LIBRARY
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tests/tt.h"

enum { I, II, III, INTERFACES };

static const char *path;
static void *library;

/* A call has at most six arguments, each of which fits into a register. */
typedef int call_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

/* In the order of the tables; how interface I calls it, NULL: not at all. */
static const struct function {
	const char *name, *flat;
	bool has_context;
} functions[] = {
	{ "SetWarningLevel", "SetWarningLevel", false },
	{ "GetExtendedError", "GetExtendedError", false },
	{ "Init", "Init", false },
	{ "Shutdown", "Shutdown", false },
	{ "CreateContextFromOGLContext", NULL, false },
	{ "CreateContextFromCudaContext", NULL, false },
	{ "DestroyContext", NULL, true },
	{ "EnumCountersByContext", "EnumCounters", true },
	{ "GetCounterName", "GetCounterName", false },
	{ "GetCounterDescription", "GetCounterDescription", false },
	{ "GetCounterIDByContext", "GetCounterIndex", true },
	{ "GetCounterClockRateByContext", "GetCounterClockRate", true },
	{ "GetCounterAttribute", "GetCounterAttribute", false },
	{ "AddCounterByName", "AddCounterByName", true },
	{ "AddCounter", "AddCounter", true },
	{ "AddCounters", "AddCounters", true },
	{ "RemoveCounterByName", "RemoveCounterByName", true },
	{ "RemoveCounter", "RemoveCounter", true },
	{ "RemoveCounters", "RemoveCounters", true },
	{ "RemoveAllCounters", "RemoveAllCounters", true },
	{ "ReserveObjects", "AllocObjects", true },
	{ "DeleteObjects", "DeleteObjects", true },
	{ "BeginExperiment", "BeginExperiment", true },
	{ "EndExperiment", "EndExperiment", true },
	{ "BeginPass", "BeginPass", true },
	{ "EndPass", "EndPass", true },
	{ "BeginObject", "BeginObject", true },
	{ "EndObject", "EndObject", true },
	{ "Sample", "Sample", true },
	{ "SampleEx", "SampleEx", true },
	{ "GetCounterValueByName", "GetCounterValueByName", true },
	{ "GetCounterValue", "GetCounterValue", true },
	{ "GetGPUBottleneckName", "GetGPUBottleneckName", true },
	{ "RegisterNewDataProviderCallback", NULL, false },
	{ "GetCounterValueUint64", NULL, true },
	{ "GetCounterValueFloat64", NULL, true },
	{ "EnumCountersByContextUserData", NULL, true },
};
#define OF_II 34

static const unsigned char ids[INTERFACES][16] = {
	[II] = { 0x58, 0x14, 0xa3, 0x25, 0xea, 0xd0, 0xe0, 0x11, 0x9c, 0x3c, 0x2d, 0x0a, 0x49, 0x24,
		 0x01, 0x9b },
	[III] = { 0xa1, 0x8d, 0x3e, 0x24, 0xf8, 0x4b, 0xb9, 0x44, 0x98, 0xc4, 0xf9, 0x84, 0xd0,
		  0x6b, 0xdf, 0x46 },
};

/* Records as they were published. */
struct record {
	uint32_t id;
	uint64_t value, cycles;
};

static struct {
	int interface;
	uint64_t context;
	uint32_t id, other, u, list[2];
	uint64_t v, c;
	uint8_t overflow;
	float f;
	char text[64];
	uint32_t length;
	unsigned int enumerated, stop_after;
	struct record records[3];
	uint64_t extended[3][4];
} with;

static call_fn *find(const struct function *f)
{
	char name[64];
	uint32_t *table = NULL;
	size_t at = (size_t)(f - functions);
	call_fn *get, *fn;

	if (with.interface == I) {
		(void)snprintf(name, sizeof(name), "NVPM%s", f->flat);
		*(void **)&fn = dlsym(library, name);
		return fn;
	}
	*(void **)&get = dlsym(library, "NVPMGetExportTable");
	TT_IS(get((uintptr_t)ids[with.interface], (uintptr_t)&table, 0, 0, 0, 0), 0);
	if (with.interface == III) {
		TT_IS(table[0], 38 * sizeof(void *));
		at++;
	}
	memcpy(&fn, (char *)table + at * sizeof(void *), sizeof(fn));
	return fn;
}

static int enumerated(uint32_t id, const char *name)
{
	if (strcmp(name, "page-faults") == 0)
		with.id = id;
	else
		with.other = id;
	return ++with.enumerated == with.stop_after;
}

static int enumerated_with_data(uint32_t id, const char *name, const void *arg)
{
	TT_IS((uintptr_t)arg, 0x77);
	return enumerated(id, name);
}

/* What a word of a row stands for. */
static uint64_t value_of(const char *word)
{
	const struct {
		const char *word;
		uint64_t value;
	} words[] = {
		{ "null", 0 },
		{ "id", with.id },
		{ "bad", 0xdead },
		{ "name", (uintptr_t) "page-faults" },
		{ "other", (uintptr_t) "minor-faults" },
		{ "unknown", (uintptr_t) "GPU Bottleneck" },
		{ "&u", (uintptr_t)&with.u },
		{ "&v", (uintptr_t)&with.v },
		{ "&c", (uintptr_t)&with.c },
		{ "&f", (uintptr_t)&with.f },
		{ "&overflow", (uintptr_t)&with.overflow },
		{ "&context", (uintptr_t)&with.context },
		{ "text", (uintptr_t)with.text },
		{ "&length", (uintptr_t)&with.length },
		{ "list", (uintptr_t)with.list },
		{ "records", (uintptr_t)with.records },
		{ "extended", (uintptr_t)with.extended },
		{ "callback", (uintptr_t)enumerated },
		{ "with_data", (uintptr_t)enumerated_with_data },
		{ "data", 0x77 },
		{ "version", with.interface == I ? 1u << 24 | 1u << 16 | 32 : 0 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0)
			return words[i].value;
	return strtoull(word, NULL, 0);
}

static const struct function *function_of(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	fail_msg("no function %s", name);
	return NULL;
}

/* "GetCounterValue id 0 &v &c": the context stands in front where there is one. */
static int call(const char *text)
{
	uint64_t a[7] = { 0 };
	char copy[160], *save, *word;
	const struct function *f;
	size_t n = 0;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	f = function_of(strtok_r(copy, " ", &save));
	if (f->has_context && with.interface != I)
		a[n++] = with.context;
	while ((word = strtok_r(NULL, " ", &save)))
		a[n++] = value_of(word);
	return find(f)(a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* One call and its results; NO: the interface does not have it. */
#define NO 1000
struct row {
	int line;
	const char *text;
	int flat, table;
};

static bool has(int interface, const struct row *r)
{
	char name[64] = "";

	(void)sscanf(r->text, "%63s", name);
	if (interface == I)
		return r->flat != NO;
	return r->table != NO && (interface == III || function_of(name) - functions < OF_II);
}

static void run(const struct row *rows, size_t n)
{
	for (with.interface = I; with.interface < INTERFACES; with.interface++)
		for (const struct row *r = rows; r < rows + n; r++)
			if (has(with.interface, r))
				TT_EQ(r, call(r->text), with.interface == I ? r->flat : r->table);
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof((rows)[0]))
#define BEGIN                                                                                      \
	{ __LINE__, "Init", 0, 0 },                                                                \
		{ __LINE__, "CreateContextFromOGLContext 0x1234 &context", NO, 0 },                \
	{                                                                                          \
		__LINE__, "EnumCountersByContext callback", 0, 0                                   \
	}
#define END                                                                                        \
	{ __LINE__, "DestroyContext", NO, 0 },                                                     \
	{                                                                                          \
		__LINE__, "Shutdown", 0, 0                                                         \
	}

/* Arguments with which it would succeed, before Init and after Shutdown. */
TEST(before_init_nothing_works)
{
	for (with.interface = I; with.interface < INTERFACES; with.interface++)
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
			char text[80];

			if ((with.interface == I && !functions[i].flat) ||
			    (with.interface == II && i >= OF_II) ||
			    strcmp(functions[i].name, "Init") == 0)
				continue;
			(void)snprintf(text, sizeof(text), "%s 0 &v &c &v", functions[i].name);
			if (call(text) != 3)
				fail_msg("interface %d: %s does not say that Init is missing",
					 with.interface + 1, functions[i].name);
		}
}

TEST(null_and_unknown_numbers_are_refused)
{
	static const struct row rows[] = {
		BEGIN,
		{ __LINE__, "Init", 4, 4 },
		{ __LINE__, "GetExtendedError null", 1, 1 },
		{ __LINE__, "GetExtendedError &u", 0, 0 },
		{ __LINE__, "SetWarningLevel 3", 0, 0 },
		{ __LINE__, "CreateContextFromCudaContext 1 null", NO, 1 },
		{ __LINE__, "RegisterNewDataProviderCallback null", NO, 1 },
		{ __LINE__, "RegisterNewDataProviderCallback callback", NO, 0 },
		{ __LINE__, "EnumCountersByContext null", 5, 5 },
		{ __LINE__, "EnumCountersByContextUserData null data", NO, 5 },
		{ __LINE__, "EnumCountersByContextUserData with_data data", NO, 0 },
		{ __LINE__, "GetCounterName id text null", 1, 1 },
		{ __LINE__, "GetCounterName bad text &length", 7, 7 },
		{ __LINE__, "GetCounterDescription id null &length", 0, 0 },
		{ __LINE__, "GetCounterDescription bad null &length", 7, 7 },
		{ __LINE__, "GetCounterIDByContext null &u", 1, 1 },
		{ __LINE__, "GetCounterIDByContext name null", 1, 1 },
		{ __LINE__, "GetCounterIDByContext unknown &u", 18, 13 },
		{ __LINE__, "GetCounterClockRateByContext name &f", 0, 0 },
		{ __LINE__, "GetCounterClockRateByContext name null", 1, 1 },
		{ __LINE__, "GetCounterClockRateByContext unknown &f", 18, 13 },
		{ __LINE__, "GetCounterAttribute id 0 null", 1, 1 },
		{ __LINE__, "GetCounterAttribute bad 0 &v", 7, 7 },
		{ __LINE__, "GetCounterAttribute id 9 &v", 1, 1 },
		{ __LINE__, "GetCounterAttribute id -1 &v", 1, 1 },
		{ __LINE__, "AddCounterByName null", 1, 1 },
		{ __LINE__, "AddCounterByName unknown", 18, 13 },
		{ __LINE__, "AddCounter bad", 7, 7 },
		{ __LINE__, "AddCounters 1 null", 1, 1 },
		{ __LINE__, "AddCounters 0 null", 0, 0 },
		{ __LINE__, "RemoveCounter bad", 7, 7 },
		{ __LINE__, "RemoveCounter id", 17, 12 },
		{ __LINE__, "RemoveCounterByName null", 1, 1 },
		{ __LINE__, "RemoveCounterByName unknown", 18, 13 },
		{ __LINE__, "RemoveCounters 1 null", 1, 1 },
		{ __LINE__, "BeginExperiment null", 1, 1 },
		{ __LINE__, "GetCounterValue id 0 null &c", 1, 1 },
		{ __LINE__, "GetCounterValue bad 0 &v &c", 7, 7 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 17, 12 },
		{ __LINE__, "GetCounterValueByName null 0 &v &c", 1, 1 },
		{ __LINE__, "GetCounterValueByName unknown 0 &v &c", 18, 13 },
		{ __LINE__, "GetGPUBottleneckName 0 null", 1, 1 },
		{ __LINE__, "GetGPUBottleneckName 0 text", 18, 13 },
		END,
	};

	tt_need_events();
	RUN(rows);
	with.interface = II;
	TT_IS(call("Init"), 0);
	with.context = 42;
	TT_IS(call("RemoveAllCounters"), 23);
	with.context = UINT64_MAX;
	TT_IS(call("RemoveAllCounters"), 23);
	TT_IS(call("DestroyContext"), 23);
	TT_IS(call("CreateContextFromOGLContext 1 &context"), 0);
	with.u = (uint32_t)with.context;
	TT_IS(call("Shutdown"), 0);
	/* A handle of before is none. */
	TT_IS(call("Init"), 0);
	TT_IS(call("CreateContextFromOGLContext 1 &context"), 0);
	with.context -= (uint32_t)with.context - with.u;
	TT_IS(call("RemoveAllCounters"), 23);
	TT_IS(call("Shutdown"), 0);
}

TEST(an_unknown_table_is_refused)
{
	static const char other[16];
	void *table = (void *)other;
	call_fn *get;

	*(void **)&get = dlsym(library, "NVPMGetExportTable");
	TT_IS(get((uintptr_t)other, (uintptr_t)&table, 0, 0, 0, 0), 1);
	TT_IS((uintptr_t)table, 0);
	TT_IS(get(0, (uintptr_t)&table, 0, 0, 0, 0), 1);
	TT_IS(get((uintptr_t)ids[II], 0, 0, 0, 0, 0), 1);
}

TEST(adding_and_sampling_in_any_order)
{
	static const struct row rows[] = {
		BEGIN,
		/* Nothing is active. */
		{ __LINE__, "Sample null &u", 0, 0 },
		{ __LINE__, "AddCounter id", 0, 0 },
		{ __LINE__, "AddCounter id", 0, 20 },
		{ __LINE__, "AddCounterByName other", 0, 0 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 19, 14 },
		{ __LINE__, "GetCounterValue id 1 &v &c", 16, 11 },
		{ __LINE__, "Sample null null", 0, 0 },
		{ __LINE__, "GetCounterValue id 0 &v null", 0, 0 },
		{ __LINE__, "Sample records null", 0, 0 },
		{ __LINE__, "SampleEx null null version", 0, 0 },
		{ __LINE__, "SampleEx extended null version", 0, 0 },
		{ __LINE__, "SampleEx extended &u 7", 1, NO },
		{ __LINE__, "GetCounterValueByName name 0 &v &c", 0, 0 },
		{ __LINE__, "GetCounterValueUint64 id 0 &v &c &overflow", NO, 0 },
		{ __LINE__, "GetCounterValueUint64 id 0 &v &c null", NO, 0 },
		{ __LINE__, "GetCounterValueFloat64 id 0 &v &c &overflow", NO, 25 },
		{ __LINE__, "GetCounterValueFloat64 id 0 null &c &overflow", NO, 1 },
		{ __LINE__, "RemoveCounter id", 0, 0 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 17, 12 },
		{ __LINE__, "Sample null &u", 0, 0 },
		{ __LINE__, "RemoveCounterByName other", 0, 0 },
		{ __LINE__, "Sample null &u", 0, 0 },
		{ __LINE__, "RemoveAllCounters", 0, 0 },
		END,
	};

	tt_need_events();
	RUN(rows);
}

TEST(experiments_in_wrong_orders)
{
	static const struct row rows[] = {
		BEGIN,
		{ __LINE__, "EndExperiment", 9, 16 },
		{ __LINE__, "BeginPass 0", 9, 16 },
		{ __LINE__, "EndPass 0", 9, 16 },
		{ __LINE__, "BeginObject 0", 9, 16 },
		{ __LINE__, "EndObject 0", 9, 16 },
		{ __LINE__, "ReserveObjects -1", 1, NO },
		{ __LINE__, "ReserveObjects 2", 0, 0 },
		{ __LINE__, "AddCounter id", 0, 0 },
		{ __LINE__, "BeginExperiment &u", 0, 0 },
		{ __LINE__, "BeginExperiment &u", 20, 16 },
		{ __LINE__, "AddCounterByName other", 20, 16 },
		{ __LINE__, "RemoveAllCounters", 20, 16 },
		{ __LINE__, "RemoveCounter id", 20, 16 },
		{ __LINE__, "ReserveObjects 3", 20, 16 },
		{ __LINE__, "DeleteObjects", 20, 16 },
		{ __LINE__, "Sample null &u", 20, 16 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 10, 9 },
		{ __LINE__, "EndPass 0", 12, 16 },
		{ __LINE__, "BeginObject 0", 12, 16 },
		{ __LINE__, "EndObject 0", 12, 16 },
		{ __LINE__, "BeginPass 1", 11, 10 },
		{ __LINE__, "BeginPass -1", 11, 10 },
		{ __LINE__, "BeginPass 0", 0, 0 },
		{ __LINE__, "BeginPass 0", 13, 16 },
		{ __LINE__, "EndPass 1", 11, 10 },
		{ __LINE__, "EndObject 0", 14, 16 },
		{ __LINE__, "BeginObject 2", 16, 11 },
		{ __LINE__, "BeginObject 1", 0, 0 },
		{ __LINE__, "BeginObject 0", 15, 16 },
		{ __LINE__, "EndObject 0", 16, 11 },
		{ __LINE__, "EndPass 0", 0, 0 }, /* with what is open */
		{ __LINE__, "BeginPass 0", 11, 10 },
		{ __LINE__, "EndExperiment", 0, 0 },
		{ __LINE__, "GetCounterValue id 1 &v &c", 0, 0 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 10, 9 }, /* never begun */
		{ __LINE__, "GetCounterValue id 2 &v &c", 16, 11 },
		{ __LINE__, "Sample null &u", 0, 0 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 0, 0 },
		{ __LINE__, "GetCounterValue id 1 &v &c", 19, 14 },
		{ __LINE__, "Sample null &u", 0, 0 },
		/* What an experiment counted goes with its objects; nothing older comes back. */
		{ __LINE__, "BeginExperiment &u", 0, 0 },
		{ __LINE__, "BeginPass 0", 0, 0 },
		{ __LINE__, "EndExperiment", 0, 0 },
		{ __LINE__, "DeleteObjects", 0, 0 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 19, 14 },
		/* A pass is left out, and another one open. */
		{ __LINE__, "BeginExperiment &u", 0, 0 },
		{ __LINE__, "EndExperiment", 10, 18 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 10, 9 },
		{ __LINE__, "BeginExperiment &u", 0, 0 },
		{ __LINE__, "BeginPass 0", 0, 0 },
		{ __LINE__, "BeginObject 0", 0, 0 },
		{ __LINE__, "EndExperiment", 0, 0 },
		{ __LINE__, "GetCounterValue id 0 &v &c", 0, 0 },
		/* Nothing is active: a pass of nothing. */
		{ __LINE__, "RemoveAllCounters", 0, 0 },
		{ __LINE__, "BeginExperiment &u", 0, 0 },
		{ __LINE__, "BeginPass 0", 0, 0 },
		{ __LINE__, "EndPass 0", 0, 0 },
		{ __LINE__, "EndExperiment", 0, 0 },
		{ __LINE__, "AddCounter id", 0, 0 },
		{ __LINE__, "BeginExperiment &u", 0, 0 },
		{ __LINE__, "BeginPass 0", 0, 0 },
		END, /* in the middle of it */
	};

	tt_need_events();
	RUN(rows);
}

static void fault(size_t pages)
{
	char *memory =
		mmap(NULL, pages << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	TT_IS(memory != MAP_FAILED, true);
	(void)madvise(memory, pages << 12, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i << 12] = 1;
	(void)munmap(memory, pages << 12);
}

/* Records of all interfaces, with a guard behind those that there is room for. */
TEST(records_have_published_layouts)
{
	static const struct row begin[] = { BEGIN };

	tt_need_events();
	for (int i = I; i < INTERFACES; i++) {
		for (with.interface = i; with.interface == i; with.interface++)
			for (const struct row *r = begin; r < begin + 3; r++)
				if (has(i, r))
					TT_EQ(r, call(r->text), 0);
		with.interface = i;
		TT_IS(call("AddCounterByName other"), 0);
		TT_IS(call("AddCounterByName name"), 0);
		memset(with.records, 0x55, sizeof(with.records));
		with.u = 3;
		TT_IS(call("Sample records &u"), 0);
		TT_IS(with.u, 2);
		TT_IS(with.records[1].cycles, 0);
		TT_IS(with.records[2].id, 0x55555555);
		fault(500);
		with.u = 1;
		TT_IS(call("Sample records &u"), 0);
		TT_IS(with.u, 1);
		TT_IS(with.records[0].id, with.other);
		TT_IS(with.records[0].cycles > 0, true);
		TT_IS(with.records[1].cycles, 0);
		TT_IS(call("GetCounterValue id 0 &v &c"), 0);
		TT_IS(with.v >= 500, true);
		TT_IS(with.c, with.records[0].cycles);
		with.u = 3;
		TT_IS(call("SampleEx extended &u version"), 0);
		TT_IS(with.u, 2);
		TT_IS(with.extended[1][2] > 0, true);
		if (i == I) {
			TT_IS((uint32_t)with.extended[1][0], with.id);
			TT_IS((uint32_t)with.extended[1][3], 1);
		} else {
			TT_IS(with.extended[1][0],
			      (uint64_t)with.id << 32 | (i == II ? 1 : 2) << 16 | 32);
			TT_IS(with.extended[1][3], 2);
		}
		TT_IS(call("Shutdown"), 0);
	}
}

TEST(attributes_have_each_interface_s_numbers)
{
	static const struct {
		int line, interface, attribute;
		uint64_t value;
	} rows[] = {
		{ __LINE__, I, 0, 0 },	  { __LINE__, I, 1, 1 },   { __LINE__, I, 2, 1 },
		{ __LINE__, I, 3, -1 },	  { __LINE__, II, 0, 4 },  { __LINE__, II, 1, 1 },
		{ __LINE__, II, 2, 0 },	  { __LINE__, II, 3, -1 }, { __LINE__, III, 0, 4 },
		{ __LINE__, III, 1, 1 },  { __LINE__, III, 2, 0 }, { __LINE__, III, 3, 0 },
		{ __LINE__, III, 4, -1 },
	};

	tt_need_events();
	TT_FOR_EACH_ROW(r, rows) {
		char text[64];

		with.interface = r->interface;
		TT_EQ(r, call("Init"), 0);
		TT_EQ(r, r->interface == I || call("CreateContextFromOGLContext 1 &context") == 0,
		      1);
		TT_EQ(r, call("GetCounterIDByContext name &u"), 0);
		(void)snprintf(text, sizeof(text), "GetCounterAttribute %u %d &v", with.u,
			       r->attribute);
		TT_EQ(r, call(text), 0);
		TT_EQ(r, with.v, r->value);
		TT_EQ(r, call("Shutdown"), 0);
	}
}

TEST(texts_need_their_room)
{
	const uint32_t needed = sizeof("page-faults");

	tt_need_events();
	with.interface = II;
	TT_IS(call("Init"), 0);
	TT_IS(call("CreateContextFromOGLContext 1 &context"), 0);
	with.enumerated = 0;
	with.stop_after = 1;
	TT_IS(call("EnumCountersByContext callback"), 0);
	TT_IS(with.enumerated, 1);
	TT_IS(call("GetCounterName id null &length"), 0);
	TT_IS(with.length, needed);
	with.length = needed - 1;
	memset(with.text, 'x', sizeof(with.text));
	TT_IS(call("GetCounterName id text &length"), 6);
	TT_IS(with.length, needed);
	TT_IS(with.text[0], 'x');
	TT_IS(call("GetCounterName id text &length"), 0);
	TT_TEXT(with.text, "page-faults");
	TT_IS(with.text[needed], 'x');
	TT_IS(call("Shutdown"), 0);
}

static void *sample_a_lot(void *arg)
{
	(void)arg;
	for (int i = 0; i < 200; i++) {
		TT_IS(call("Sample null null"), 0);
		TT_IS(call("GetCounterValueByName name 0 &v &c"), 0);
	}
	return NULL;
}

TEST(threads_and_children)
{
	pthread_t thread[3];
	int status;
	pid_t pid;

	tt_need_events();
	with.interface = I;
	TT_IS(call("Init"), 0);
	TT_IS(call("AddCounterByName name"), 0);
	TT_IS(call("Sample null null"), 0);
	for (int i = 0; i < 3; i++)
		TT_IS(pthread_create(&thread[i], NULL, sample_a_lot, NULL), 0);
	for (int i = 0; i < 3; i++)
		TT_IS(pthread_join(thread[i], NULL), 0);
	pid = fork();
	if (pid == 0)
		_exit(call("Sample null null") == 3 && call("Init") == 0 &&
				      call("AddCounterByName name") == 0 &&
				      call("Sample null null") == 0
			      ? 0
			      : 1);
	TT_IS(waitpid(pid, &status, 0), pid);
	TT_IS(status, 0);
	fault(300);
	TT_IS(call("Sample null null"), 0);
	TT_IS(call("GetCounterValueByName name 0 &v &c"), 0);
	TT_IS(with.v >= 300, true);
	TT_IS(call("Shutdown"), 0);
	/* Without Shutdown, and another time from the beginning. */
	TT_IS(call("Init"), 0);
	TT_IS(call("AddCounterByName name"), 0);
	TT_IS(call("Sample null null"), 0);
	TT_IS(dlclose(library), 0);
	library = dlopen(path, RTLD_NOW);
	TT_IS(library != NULL, true);
	TT_IS(call("Init"), 0);
	TT_IS(call("Shutdown"), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_init_nothing_works),
		cmocka_unit_test(an_unknown_table_is_refused),
		cmocka_unit_test(null_and_unknown_numbers_are_refused),
		cmocka_unit_test(adding_and_sampling_in_any_order),
		cmocka_unit_test(experiments_in_wrong_orders),
		cmocka_unit_test(records_have_published_layouts),
		cmocka_unit_test(attributes_have_each_interface_s_numbers),
		cmocka_unit_test(texts_need_their_room),
		cmocka_unit_test(threads_and_children),
	};

	path = argc > 1 ? argv[1] : "";
	(void)setenv("NTIME_NVPM_EVENTS", "page-faults,minor-faults", 1);
	(void)unsetenv("NTIME_MODEL");
	library = dlopen(path, RTLD_NOW);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	return TT_RUN(tests);
}
