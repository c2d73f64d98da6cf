// SPDX-License-Identifier: MIT
/*
 * A program of the table of 2014, as debuggers of frames are: all counters that there are, and the
 * draw calls of a frame as objects, which are repeated in each pass.
 *
 * nvpm_client_iii LIBRARY OBJECTS COMMAND...	COMMAND draws one object after the other
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>

#define NVPM_INITGUID
#include <NvPmApi.h>

#include "count/tests/compat/nvpm_frames.h"

struct counters {
	NVPMCounterID id[256];
	NVPMUINT n;
};

static const NvPmApi *api;
static NVPMContext context;

static int count(NVPMCounterID id, const char *name, void *n)
{
	(void)id;
	(void)name;
	++*(NVPMUINT *)n;
	return NVPM_OK;
}

static int gather(NVPMCounterID id, const char *name, void *data)
{
	struct counters *c = data;
	NVPMUINT64 type;

	(void)name;
	need(api->GetCounterAttribute(id, NVPMA_COUNTER_VALUE_TYPE, &type), "type");
	if (type == NVPM_VALUE_TYPE_UINT64)
		c->id[c->n++] = id;
	return NVPM_OK;
}

static void pass(NVPMUINT number, NVPMUINT objects, char **command)
{
	struct frames frames = { .command = command };

	need(api->BeginPass(context, number), "pass");
	for (NVPMUINT i = 0; i < objects; i++) {
		need(api->BeginObject(context, i), "object");
		if (!frame_draw(&frames))
			exit(4);
		need(api->EndObject(context, i), "object's end");
	}
	need(api->EndPass(context, number), "pass's end");
	frames_end(&frames);
}

static void print_counter(NVPMCounterID id, NVPMUINT objects)
{
	NVPMUINT64 value, cycles;
	NVPMUINT8 overflow = 1;
	NVPMUINT length = 0;
	char *name;

	need(api->GetCounterName(id, NULL, &length), "length");
	name = malloc(length);
	need(api->GetCounterName(id, name, &length), "name");
	printf("%s", name);
	free(name);
	for (NVPMUINT i = 0; i < objects; i++) {
		need(api->GetCounterValueUint64(context, id, i, &value, &cycles, &overflow),
		     "value");
		printf(" %" PRIu64 "/%" PRIu64 "%s", value, cycles, overflow ? "+" : "");
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	void *library = argc > 3 ? dlopen(argv[1], RTLD_NOW) : NULL, *table = NULL;
	NVPMGetExportTable_Pfn get_table;
	struct counters counters = { .n = 0 };
	NVPMUINT n = 0, passes = 0, objects;

	if (!library)
		return 2;
	*(void **)(&get_table) = dlsym(library, "NVPMGetExportTable");
	need(get_table(&ETID_NvPmApi, &table), "table");
	api = table;
	need(api->Init(), "init");
	need(api->CreateContextFromOGLContext(0x1234, &context), "context");
	need(api->EnumCountersByContextUserData(context, count, &n), "count");
	need(api->EnumCountersByContextUserData(context, gather, &counters), "gather");
	need(api->AddCounters(context, counters.n, counters.id), "add");
	objects = (NVPMUINT)strtoul(argv[2], NULL, 10);
	need(api->ReserveObjects(context, objects), "objects");
	need(api->BeginExperiment(context, &passes), "experiment");
	printf("%u counters, %u passes, table of %u bytes\n", n, passes, api->struct_size);
	for (NVPMUINT i = 0; i < passes; i++)
		pass(i, objects, argv + 3);
	need(api->EndExperiment(context), "experiment's end");
	for (NVPMUINT i = 0; i < counters.n; i++)
		print_counter(counters.id[i], objects);
	need(api->DeleteObjects(context), "delete");
	need(api->DestroyContext(context), "destroy");
	need(api->Shutdown(), "shutdown");
	return dlclose(library);
}
