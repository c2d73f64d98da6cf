// SPDX-License-Identifier: MIT
/*
 * A program of the flat interface, as those of 2007 are: adds what it finds while it enumerates,
 * samples behind each frame, and at the end prints means, minima and maxima of 100 * value /
 * cycles.
 *
 * nvpm_client_i [-v] [-c COUNTER,...] COMMAND...	-v: each frame; "-": it was not the turn
 */
#include <string.h>

#include <NVPerfSDK.h>

#include "count/tests/compat/nvpm_frames.h"

#define MOST 256

static const char *wanted;
static char *names[MOST];
static double sum[MOST], least[MOST], most[MOST];
static unsigned int times[MOST];

static int is_wanted(const char *name)
{
	size_t length = strlen(name);

	for (const char *at = wanted; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
			return 1;
	return !wanted;
}

static int add(UINT index, char *name)
{
	UINT64 type;

	need(NVPMGetCounterAttribute(index, NVPMA_COUNTER_TYPE, &type), "attribute");
	if (type != NVPM_CT_GPU || index >= MOST || !is_wanted(name))
		return NVPM_OK;
	names[index] = name;
	need(NVPMAddCounter(index), name);
	return NVPM_OK;
}

static void take(const NVPMSampleValueEx *s, int is_verbose)
{
	UINT i = s->unCounterIndex;
	double share = s->ulCycles ? 100 * (double)s->ulValue / (double)s->ulCycles : 0;
	UINT64 value, cycles;

	need(NVPMGetCounterValue(i, 0, &value, &cycles), "value");
	if (value != s->ulValue || cycles != s->ulCycles)
		need(NVPM_ERROR_INTERNAL, "two values");
	if (is_verbose && s->unCounterValueUpdated)
		printf(" %llu/%llu", s->ulValue, s->ulCycles);
	else if (is_verbose)
		printf(" -");
	if (!s->unCounterValueUpdated)
		return;
	sum[i] += share;
	least[i] = !times[i] || share < least[i] ? share : least[i];
	most[i] = !times[i] || share > most[i] ? share : most[i];
	times[i]++;
}

int main(int argc, char **argv)
{
	NVPMSampleValueEx samples[MOST];
	struct frames frames = { 0 };
	int is_verbose = 0, i;
	UINT n = 0;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "-v") == 0)
			is_verbose = 1;
		else
			wanted = argv[++i];
	}
	need(NVPMInit(), "init");
	need(NVPMEnumCounters(add), "enumerate");
	need(NVPMGetNumCounters(&n), "number");
	need(NVPMSample(NULL, &n), "first sample");
	frames.command = argv + i;
	while (frame_draw(&frames)) {
		n = MOST;
		need(NVPMSampleEx(samples, &n, NVPMSAMPLEVALUEEX_VERSION()), "sample");
		for (UINT k = 0; k < n; k++)
			take(&samples[k], is_verbose);
		if (is_verbose)
			printf("\n");
	}
	(void)close(frames.fd);
	for (UINT k = 0; k < MOST; k++)
		if (times[k])
			printf("%s %.3g%% %.3g%% %.3g%%\n", names[k], sum[k] / times[k], least[k],
			       most[k]);
	need(NVPMRemoveAllCounters(), "remove");
	need(NVPMShutdown(), "shutdown");
	return 0;
}
