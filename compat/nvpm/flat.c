// SPDX-License-Identifier: MIT
/* Interface I: exported functions, and counters by their place in the list. */
#include "compat/nvpm/nvpm.h"

#include "compat/nvpm/NVPerfSDK.h"

/* Negative numbers are none of passes and objects. */
#define NUMBER(n) ((n) < 0 ? UINT32_MAX : (uint32_t)(n))
#define FLAT(does) NVPM_CALL(NVPM_FLAT, NVPM_NO_CONTEXT, does)

NVPMRESULT NVPMInit(void)
{
	return nvpm_init(NVPM_FLAT);
}

static int shut_down(void)
{
	nvpm_shutdown();
	return NVPM_DONE;
}

NVPMRESULT NVPMShutdown(void)
{
	FLAT(shut_down());
}

NVPMRESULT NVPMSetWarningLevel(UINT unLevel)
{
	(void)unLevel; /* NTIME_DEBUG is what says more */
	FLAT(NVPM_DONE);
}

NVPMRESULT NVPMGetExtendedError(UINT *pnError)
{
	FLAT(pnError ? (*pnError = nvpm.error, NVPM_DONE) : NVPM_BAD_PARAMETER);
}

static int call_program(void *arg, uint32_t number, const char *name)
{
	NVPMEnumFunc **fn = arg;

	return (*fn)(number, (char *)(uintptr_t)name);
}

NVPMRESULT NVPMEnumCounters(NVPMEnumFunc pEnumFunction)
{
	NVPMEnumFunc *fn = pEnumFunction;

	FLAT(fn ? nvpm_enumerate(call_program, &fn) : NVPM_BAD_ENUMERATOR);
}

NVPMRESULT NVPMGetNumCounters(UINT *punCount)
{
	FLAT(punCount ? (*punCount = nvpm.counters, NVPM_DONE) : NVPM_BAD_PARAMETER);
}

NVPMRESULT NVPMGetCounterName(UINT unCounterIndex, char *pcString, UINT *punLen)
{
	FLAT(nvpm_get_text(unCounterIndex, false, pcString, punLen));
}

NVPMRESULT NVPMGetCounterDescription(UINT unCounterIndex, char *pcString, UINT *punLen)
{
	FLAT(nvpm_get_text(unCounterIndex, true, pcString, punLen));
}

NVPMRESULT NVPMGetCounterIndex(char *pcString, UINT *punCounterIndex)
{
	FLAT(nvpm_get_number(pcString, punCounterIndex));
}

NVPMRESULT NVPMGetCounterClockRate(char *pcString, float *pfValue)
{
	FLAT(nvpm_get_clock_rate(pcString, pfValue));
}

static int get_attribute(UINT index, NVPMATTRIBUTE attribute, UINT64 *out)
{
	/* What kind of value it is, is how it is shown. */
	static const enum nvpm_attribute attributes[] = { NVPM_TYPE, NVPM_IS_RAW, NVPM_IS_RAW,
							  NVPM_MAX };
	uint64_t value;
	int ret;

	if ((unsigned int)attribute >= sizeof(attributes) / sizeof(*attributes) || !out)
		return NVPM_BAD_PARAMETER;
	ret = nvpm_get_attribute(index, attributes[attribute], &value);
	if (ret == NVPM_DONE)
		*out = value;
	return ret;
}

NVPMRESULT NVPMGetCounterAttribute(UINT unCounterIndex, NVPMATTRIBUTE nvAttribute, UINT64 *punValue)
{
	FLAT(get_attribute(unCounterIndex, nvAttribute, punValue));
}

NVPMRESULT NVPMAddCounterByName(char *pcName)
{
	FLAT(nvpm_add_name(pcName));
}

NVPMRESULT NVPMAddCounter(UINT unCounterIndex)
{
	FLAT(nvpm_add(1, &unCounterIndex));
}

NVPMRESULT NVPMAddCounters(UINT unCount, UINT *punCounterIndices)
{
	FLAT(nvpm_add(unCount, punCounterIndices));
}

NVPMRESULT NVPMRemoveCounterByName(char *pcName)
{
	FLAT(nvpm_remove_name(pcName));
}

NVPMRESULT NVPMRemoveCounter(UINT unCounterIndex)
{
	FLAT(nvpm_remove(1, &unCounterIndex));
}

NVPMRESULT NVPMRemoveCounters(UINT unCount, UINT *punCounterIndices)
{
	FLAT(nvpm_remove(unCount, punCounterIndices));
}

NVPMRESULT NVPMRemoveAllCounters(void)
{
	FLAT(nvpm_remove_all());
}

NVPMRESULT NVPMAllocObjects(int nObjects)
{
	FLAT(nObjects < 0 ? NVPM_BAD_PARAMETER : nvpm_reserve((uint32_t)nObjects));
}

NVPMRESULT NVPMDeleteObjects(void)
{
	FLAT(nvpm_reserve(0));
}

static int begin_experiment(int *passes)
{
	uint32_t n = 0;
	int ret = passes ? nvpm_experiment_begin(&n) : NVPM_BAD_PARAMETER;

	if (ret == NVPM_DONE)
		*passes = (int)n;
	return ret;
}

NVPMRESULT NVPMBeginExperiment(int *pnNumPasses)
{
	FLAT(begin_experiment(pnNumPasses));
}

NVPMRESULT NVPMEndExperiment(void)
{
	FLAT(nvpm_experiment_end());
}

NVPMRESULT NVPMBeginPass(int nPass)
{
	FLAT(nvpm_pass_begin(NUMBER(nPass)));
}

NVPMRESULT NVPMEndPass(int nPass)
{
	FLAT(nvpm_pass_end(NUMBER(nPass)));
}

NVPMRESULT NVPMBeginObject(int nObjectID)
{
	FLAT(nvpm_object_begin(NUMBER(nObjectID)));
}

NVPMRESULT NVPMEndObject(int nObjectID)
{
	FLAT(nvpm_object_end(NUMBER(nObjectID)));
}

static void put_record(void *records, uint32_t i, uint32_t number, const struct nvpm_value *v)
{
	bool has_number = !v->is_overflowed; /* there is no room to say that it is a lower bound */

	((NVPMSampleValue *)records)[i] = (NVPMSampleValue){
		.unCounterIndex = number,
		.ulValue = has_number ? v->value : 0,
		.ulCycles = has_number ? v->cycles : 0,
	};
}

NVPMRESULT NVPMSample(NVPMSampleValue *pSamples, UINT *punCount)
{
	FLAT(nvpm_sample_records(put_record, pSamples, punCount));
}

static void put_extended(void *records, uint32_t i, uint32_t number, const struct nvpm_value *v)
{
	bool has_number = !v->is_overflowed;

	((NVPMSampleValueEx *)records)[i] = (NVPMSampleValueEx){
		.unCounterIndex = number,
		.ulValue = has_number ? v->value : 0,
		.ulCycles = has_number ? v->cycles : 0,
		.unCounterValueUpdated = v->is_updated,
	};
}

/*
 * The macro of the published header cannot be compiled: of @version only the size is relied upon.
 */
static int sample_extended(NVPMSampleValueEx *samples, UINT *n, UINT version)
{
	if (samples && (version & 0xffff) != sizeof(*samples))
		return NVPM_BAD_PARAMETER;
	return nvpm_sample_records(put_extended, samples, n);
}

NVPMRESULT NVPMSampleEx(NVPMSampleValueEx *pSamples, UINT *punCount,
			UINT unNVPMSampleValueExVersion)
{
	FLAT(sample_extended(pSamples, punCount, unNVPMSampleValueExVersion));
}

static int get_value(UINT index, const char *name, int object, UINT64 *value, UINT64 *cycles)
{
	uint64_t v = 0, c = 0;
	int ret;

	if (!value)
		return NVPM_BAD_PARAMETER;
	ret = name ? nvpm_get_value_name(name, NUMBER(object), &v, &c)
		   : nvpm_get_value(index, NUMBER(object), &v, &c, NULL);
	if (ret != NVPM_DONE)
		return ret;
	*value = v;
	if (cycles)
		*cycles = c;
	return NVPM_DONE;
}

NVPMRESULT NVPMGetCounterValueByName(char *pcName, int nObjectID, UINT64 *pulValue,
				     UINT64 *pulCycles)
{
	FLAT(pcName ? get_value(0, pcName, nObjectID, pulValue, pulCycles) : NVPM_BAD_PARAMETER);
}

NVPMRESULT NVPMGetCounterValue(UINT unCounterIndex, int nObjectID, UINT64 *pulValue,
			       UINT64 *pulCycles)
{
	FLAT(get_value(unCounterIndex, NULL, nObjectID, pulValue, pulCycles));
}

NVPMRESULT NVPMGetGPUBottleneckName(UINT64 ulValue, char *pcName)
{
	(void)ulValue;
	FLAT(nvpm_get_bottleneck_name(pcName));
}
