// SPDX-License-Identifier: MIT
/*
 * A program of the table of 2011, as NVIDIA's examples are: counters by name, some of which may not
 * be there; frames one by one, then an experiment in which each frame is a pass.
 *
 * nvpm_client_ii LIBRARY COUNTER,... COMMAND...	COMMAND draws the frames of both
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>

#define NVPM_INTERFACE 2
#define NVPM_INITGUID
#include <NvPmApi.h>

#include "count/tests/compat/nvpm_frames.h"

static NvPmApi *api;
static NVPMContext context;
static const char *names[64];
static size_t n_names;

static void print_values(const char *title)
{
	printf("%s", title);
	for (size_t i = 0; i < n_names; i++) {
		NVPMUINT64 value = 0, cycles = 0;
		NVPMRESULT result =
			api->GetCounterValueByName(context, names[i], 0, &value, &cycles);

		if (result == NVPM_OK)
			printf(" %s=%" PRIu64 "/%" PRIu64, names[i], value, cycles);
		else
			printf(" %s:%d", names[i], (int)result);
	}
	printf("\n");
}

static void sample(struct frames *frames)
{
	NVPMUINT none = 77;

	need(api->Sample(context, NULL, &none), "first sample");
	for (int i = 0; i < 3 && frame_draw(frames); i++) {
		need(api->Sample(context, NULL, NULL), "sample");
		print_values("frame");
	}
}

static void experiment(struct frames *frames)
{
	NVPMUINT passes = 0;

	need(api->ReserveObjects(context, 1), "objects");
	need(api->RemoveAllCounters(context), "remove");
	for (size_t i = 0; i < n_names; i++)
		(void)api->AddCounterByName(context, names[i]);
	need(api->BeginExperiment(context, &passes), "experiment");
	for (NVPMUINT pass = 0; pass < passes; pass++) {
		need(api->BeginPass(context, pass), "pass");
		need(api->BeginObject(context, 0), "object");
		if (!frame_draw(frames))
			exit(4);
		need(api->EndObject(context, 0), "object's end");
		need(api->EndPass(context, pass), "pass's end");
	}
	need(api->EndExperiment(context), "experiment's end");
	printf("passes %u\n", passes);
	print_values("experiment");
}

int main(int argc, char **argv)
{
	NVPMGetExportTable_Pfn get_table;
	void *library = argc > 3 ? dlopen(argv[1], RTLD_NOW) : NULL, *table = NULL;
	struct frames frames = { 0 };

	if (!library)
		return 2;
	*(void **)(&get_table) = dlsym(library, "NVPMGetExportTable");
	need(get_table(&ETID_NvPmApi, &table), "table");
	api = table;
	need(api->Init(), "init");
	need(api->CreateContextFromOGLContext(0x1234, &context), "context");
	for (char *name = strtok(argv[2], ","); name; name = strtok(NULL, ",")) {
		(void)api->AddCounterByName(context, name);
		names[n_names++] = name;
	}
	frames.command = argv + 3;
	sample(&frames);
	experiment(&frames);
	frames_end(&frames);
	need(api->DestroyContext(context), "destroy");
	need(api->Shutdown(), "shutdown");
	return dlclose(library);
}
