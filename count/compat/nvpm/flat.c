// SPDX-License-Identifier: MIT
/* Interface I: exported functions, and counters by their place in the list. */
#include "count/compat/nvpm/nvpm.h"

#include "count/compat/nvpm/NVPerfSDK.h"

/* A function of the interface. Negative numbers are beyond all passes and objects. */
#define FLAT(name, parameters, does)                                                               \
	NVPMRESULT name parameters                                                                 \
	{                                                                                          \
		NVPM_CALL(NVPM_FLAT, NULL, does);                                                  \
	}

NVPMRESULT NVPMInit(void)
{
	return nvpm_init(NVPM_FLAT);
}

FLAT(NVPMShutdown, (void), nvpm_shutdown())

/* NTIME_DEBUG is what says more. */
FLAT(NVPMSetWarningLevel, (UINT unLevel), ((void)unLevel, NVPM_DONE))
FLAT(NVPMGetExtendedError, (UINT * pnError),
     pnError ? (*pnError = nvpm.error, NVPM_DONE) : NVPM_BAD_PARAMETER)

static int call_program(void *arg, uint32_t number, const char *name)
{
	NVPMEnumFunc **fn = arg;

	return (*fn)(number, (char *)(uintptr_t)name);
}

FLAT(NVPMEnumCounters, (NVPMEnumFunc pEnumFunction),
     pEnumFunction ? nvpm_enumerate(call_program, &pEnumFunction) : NVPM_BAD_ENUMERATOR)
FLAT(NVPMGetNumCounters, (UINT * punCount),
     punCount ? (*punCount = nvpm.counters, NVPM_DONE) : NVPM_BAD_PARAMETER)
FLAT(NVPMGetCounterName, (UINT unCounterIndex, char *pcString, UINT *punLen),
     nvpm_get_text(unCounterIndex, false, pcString, punLen))
FLAT(NVPMGetCounterDescription, (UINT unCounterIndex, char *pcString, UINT *punLen),
     nvpm_get_text(unCounterIndex, true, pcString, punLen))
FLAT(NVPMGetCounterIndex, (char *pcString, UINT *punCounterIndex),
     nvpm_get_number(pcString, punCounterIndex))
FLAT(NVPMGetCounterClockRate, (char *pcString, float *pfValue),
     nvpm_get_clock_rate(pcString, pfValue))

static int get_attribute(UINT index, NVPMATTRIBUTE attribute, UINT64 *out)
{
	/* What kind of value it is, is how it is shown. */
	static const enum nvpm_attribute attributes[] = { NVPM_TYPE, NVPM_IS_RAW, NVPM_IS_RAW,
							  NVPM_MAX };

	if ((unsigned int)attribute >= sizeof(attributes) / sizeof(*attributes))
		return NVPM_BAD_PARAMETER;
	return nvpm_get_attribute(index, attributes[attribute], (uint64_t *)out);
}

FLAT(NVPMGetCounterAttribute, (UINT unCounterIndex, NVPMATTRIBUTE nvAttribute, UINT64 *punValue),
     get_attribute(unCounterIndex, nvAttribute, punValue))
FLAT(NVPMAddCounterByName, (char *pcName), nvpm_by_name(pcName, nvpm_add))
FLAT(NVPMAddCounter, (UINT unCounterIndex), nvpm_add(1, &unCounterIndex))
FLAT(NVPMAddCounters, (UINT unCount, UINT *punCounterIndices), nvpm_add(unCount, punCounterIndices))
FLAT(NVPMRemoveCounterByName, (char *pcName), nvpm_by_name(pcName, nvpm_remove))
FLAT(NVPMRemoveCounter, (UINT unCounterIndex), nvpm_remove(1, &unCounterIndex))
FLAT(NVPMRemoveCounters, (UINT unCount, UINT *punCounterIndices),
     nvpm_remove(unCount, punCounterIndices))
FLAT(NVPMRemoveAllCounters, (void), nvpm_remove_all())
FLAT(NVPMAllocObjects, (int nObjects),
     nObjects < 0 ? NVPM_BAD_PARAMETER : nvpm_reserve((uint32_t)nObjects))
FLAT(NVPMDeleteObjects, (void), nvpm_reserve(0))
FLAT(NVPMBeginExperiment, (int *pnNumPasses), nvpm_experiment_begin((uint32_t *)pnNumPasses))
FLAT(NVPMEndExperiment, (void), nvpm_experiment_end())
FLAT(NVPMBeginPass, (int nPass), nvpm_pass_begin((uint32_t)nPass))
FLAT(NVPMEndPass, (int nPass), nvpm_pass_end((uint32_t)nPass))
FLAT(NVPMBeginObject, (int nObjectID), nvpm_object_begin((uint32_t)nObjectID))
FLAT(NVPMEndObject, (int nObjectID), nvpm_object_end((uint32_t)nObjectID))

_Static_assert(sizeof(NVPMSampleValue) == sizeof(struct nvpm_record) &&
		       sizeof(UINT64) == sizeof(uint64_t),
	       "one layout");
FLAT(NVPMSample, (NVPMSampleValue * pSamples, UINT *punCount),
     nvpm_sample_records(nvpm_put_record, pSamples, punCount))

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
 * The macro of the published header cannot be compiled: of the version only the size is relied
 * upon.
 */
FLAT(NVPMSampleEx, (NVPMSampleValueEx * pSamples, UINT *punCount, UINT unNVPMSampleValueExVersion),
     pSamples && (unNVPMSampleValueExVersion & 0xffff) != sizeof(*pSamples)
	     ? NVPM_BAD_PARAMETER
	     : nvpm_sample_records(put_extended, pSamples, punCount))
FLAT(NVPMGetCounterValueByName, (char *pcName, int nObjectID, UINT64 *pulValue, UINT64 *pulCycles),
     pulValue ? nvpm_get_value_name(pcName, (uint32_t)nObjectID, (uint64_t *)pulValue,
				    (uint64_t *)pulCycles)
	      : NVPM_BAD_PARAMETER)
FLAT(NVPMGetCounterValue, (UINT unCounterIndex, int nObjectID, UINT64 *pulValue, UINT64 *pulCycles),
     nvpm_get_value(unCounterIndex, (uint32_t)nObjectID, (uint64_t *)pulValue,
		    (uint64_t *)pulCycles, NULL))
FLAT(NVPMGetGPUBottleneckName, (UINT64 ulValue, char *pcName),
     ((void)ulValue, nvpm_get_bottleneck_name(pcName)))
