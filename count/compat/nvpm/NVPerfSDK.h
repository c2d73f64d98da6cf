/* SPDX-License-Identifier: MIT */
/**
 * DOC: NVPerfKit's flat interface (2002 to 2010) over ntime
 *
 * Names, types and numbers of NVIDIA's interface, so that programs written for it are compiled and
 * linked unchanged; nvperfsdk(3) says what each call does here. NvPmApi.h has the later interface,
 * of the same library; a file includes one of the two.
 *
 * All functions may be called by any thread, and from within the function of NVPMEnumCounters().
 * A counter's index is its place in the list: 0 to NVPMGetNumCounters() - 1.
 */
#ifndef NVPERFSDK_H
#define NVPERFSDK_H

#ifdef __cplusplus
extern "C" {
#endif

#define NVPM_API extern __attribute__((visibility("default")))

typedef unsigned int UINT;
typedef unsigned long long UINT64;

/* The largest value of a counter that has none. */
#define NVPM_INFINITE_VAL 0xffffffffffffffffULL

/* Why a call failed. Below 0: the library cannot be used at all. */
typedef enum {
	NVPM_FAILURE_DISABLED = -5,
	NVPM_FAILURE_32BIT_ON_64BIT = -4,
	NVPM_NO_IMPLEMENTATION = -3,
	NVPM_LIBRARY_NOT_FOUND = -2,
	NVPM_FAILURE = -1,
	NVPM_OK = 0,
	NVPM_ERROR_INVALID_PARAMETER = 1,
	NVPM_ERROR_DRIVER_MISMATCH = 2,
	NVPM_ERROR_NOT_INITIALIZED = 3,
	NVPM_ERROR_ALREADY_INITIALIZED = 4,
	NVPM_ERROR_BAD_ENUMERATOR = 5,
	NVPM_ERROR_STRING_TOO_SMALL = 6,
	NVPM_ERROR_INVALID_COUNTER = 7,
	NVPM_ERROR_OUT_OF_MEMORY = 8,
	NVPM_ERROR_NOT_IN_EXPERIMENT = 9,
	NVPM_ERROR_EXPERIMENT_INCOMPLETE = 10,
	NVPM_ERROR_INVALID_PASS = 11,
	NVPM_ERROR_NOT_IN_PASS = 12,
	NVPM_ERROR_IN_PASS = 13,
	NVPM_ERROR_NOT_IN_OBJECT = 14,
	NVPM_ERROR_IN_OBJECT = 15,
	NVPM_ERROR_INVALID_OBJECT = 16,
	NVPM_ERROR_COUNTER_NOT_ENABLED = 17,
	NVPM_ERROR_COUNTER_NOT_FOUND = 18,
	NVPM_ERROR_EXPERIMENT_NOT_RUN = 19,
	NVPM_ERROR_EXPERIMENT_RUNNING = 20,
	NVPM_ERROR_32BIT_ON_64BIT = 21,
	NVPM_ERROR_INTERNAL = 22
} NVPMRESULT;

typedef enum { NVPM_CT_GPU, NVPM_CT_OGL, NVPM_CT_D3D, NVPM_CT_SIMEXP } NVPMCOUNTERTYPE;
typedef enum { NVPM_CV_PERCENT, NVPM_CV_RAW } NVPMCOUNTERVALUE;
typedef enum { NVPM_CDH_PERCENT, NVPM_CDH_RAW } NVPMCOUNTERDISPLAYHINT;
typedef enum {
	NVPMA_COUNTER_TYPE,	    /* NVPMCOUNTERTYPE */
	NVPMA_COUNTER_VALUE,	    /* NVPMCOUNTERVALUE */
	NVPMA_COUNTER_DISPLAY_HINT, /* NVPMCOUNTERDISPLAYHINT */
	NVPMA_COUNTER_MAX	    /* largest value */
} NVPMATTRIBUTE;

/**
 * struct _NVPMSampleValue - a counter in a period
 * @ulValue:	what was counted
 * @ulCycles:	clocks of its domain in the same time; of events that are not the card's
 *		nanoseconds. 0: there is no number
 */
typedef struct _NVPMSampleValue {
	UINT unCounterIndex;
	UINT64 ulValue;
	UINT64 ulCycles;
} NVPMSampleValue;

/* @unCounterValueUpdated: 0: it was not the counter's turn, and the numbers are older. */
typedef struct _NVPMSampleValueEx {
	UINT unCounterIndex;
	UINT64 ulValue;
	UINT64 ulCycles;
	UINT unCounterValueUpdated;
} NVPMSampleValueEx;

#define MAKEVERSION(MAJ, MIN, STRUCT) (((MAJ) << 24) | ((MIN) << 16) | sizeof(STRUCT))
#define NVPMSAMPLEVALUEEX_MAJVER 1
#define NVPMSAMPLEVALUEEX_MINVER 1
#define NVPMSAMPLEVALUEEX_VERSION()                                                                \
	MAKEVERSION(NVPMSAMPLEVALUEEX_MAJVER, NVPMSAMPLEVALUEEX_MINVER, NVPMSampleValueEx)

/* Called for each counter; returns NVPM_OK to go on. The name lives as long as the library. */
typedef int NVPMEnumFunc(UINT unCounterIndex, char *pcCounterName);

NVPM_API NVPMRESULT NVPMInit(void);
NVPM_API NVPMRESULT NVPMShutdown(void);
NVPM_API NVPMRESULT NVPMSetWarningLevel(UINT unLevel);
NVPM_API NVPMRESULT NVPMGetExtendedError(UINT *pnError);

NVPM_API NVPMRESULT NVPMEnumCounters(NVPMEnumFunc pEnumFunction);
NVPM_API NVPMRESULT NVPMGetNumCounters(UINT *punCount);
/* *punLen: bytes of pcString, then those that are needed. pcString NULL asks for these alone. */
NVPM_API NVPMRESULT NVPMGetCounterName(UINT unCounterIndex, char *pcString, UINT *punLen);
NVPM_API NVPMRESULT NVPMGetCounterDescription(UINT unCounterIndex, char *pcString, UINT *punLen);
NVPM_API NVPMRESULT NVPMGetCounterIndex(char *pcString, UINT *punCounterIndex);
/* In MHz; 0: not known. */
NVPM_API NVPMRESULT NVPMGetCounterClockRate(char *pcString, float *pfValue);
NVPM_API NVPMRESULT NVPMGetCounterAttribute(UINT unCounterIndex, NVPMATTRIBUTE nvAttribute,
					    UINT64 *punValue);

NVPM_API NVPMRESULT NVPMAddCounterByName(char *pcName);
NVPM_API NVPMRESULT NVPMAddCounter(UINT unCounterIndex);
NVPM_API NVPMRESULT NVPMAddCounters(UINT unCount, UINT *punCounterIndices);
NVPM_API NVPMRESULT NVPMRemoveCounterByName(char *pcName);
NVPM_API NVPMRESULT NVPMRemoveCounter(UINT unCounterIndex);
NVPM_API NVPMRESULT NVPMRemoveCounters(UINT unCount, UINT *punCounterIndices);
NVPM_API NVPMRESULT NVPMRemoveAllCounters(void);

NVPM_API NVPMRESULT NVPMAllocObjects(int nObjects);
NVPM_API NVPMRESULT NVPMDeleteObjects(void);
NVPM_API NVPMRESULT NVPMBeginExperiment(int *pnNumPasses);
NVPM_API NVPMRESULT NVPMEndExperiment(void);
NVPM_API NVPMRESULT NVPMBeginPass(int nPass);
NVPM_API NVPMRESULT NVPMEndPass(int nPass);
NVPM_API NVPMRESULT NVPMBeginObject(int nObjectID);
NVPM_API NVPMRESULT NVPMEndObject(int nObjectID);

/* *punCount: records that there is room for, then those that were stored. */
NVPM_API NVPMRESULT NVPMSample(NVPMSampleValue *pSamples, UINT *punCount);
NVPM_API NVPMRESULT NVPMSampleEx(NVPMSampleValueEx *pSamples, UINT *punCount,
				 UINT unNVPMSampleValueExVersion);
NVPM_API NVPMRESULT NVPMGetCounterValueByName(char *pcName, int nObjectID, UINT64 *pulValue,
					      UINT64 *pulCycles);
NVPM_API NVPMRESULT NVPMGetCounterValue(UINT unCounterIndex, int nObjectID, UINT64 *pulValue,
					UINT64 *pulCycles);
NVPM_API NVPMRESULT NVPMGetGPUBottleneckName(UINT64 ulValue, char *pcName);

#ifdef __cplusplus
}
#endif
#endif
