/* SPDX-License-Identifier: MIT */
/**
 * DOC: NVPerfKit's table interfaces (2011 on) over ntime
 *
 * Names, types and numbers of NVIDIA's interface, so that programs written for it are compiled
 * unchanged: they ask libNvPmApi.Core.so for a table of functions by its id. NvPmApi is the table
 * of 2014 and later; with NVPM_INTERFACE defined as 2 that of 2011 to 2013. nvperfsdk(3) says what
 * each call does here. NVPerfSDK.h has the earlier interface, of the same library; a file includes
 * one of the two.
 *
 * All functions may be called by any thread, and from within a function that enumerates. Contexts
 * are handles of one state: all of them have the same active counters.
 */
#ifndef NVPMAPI_H
#define NVPMAPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef NVPM_INTERFACE
#define NVPM_INTERFACE 3
#endif

#define NVPM_API extern __attribute__((visibility("default")))

typedef uint8_t NVPMUINT8;
typedef uint16_t NVPMUINT16;
typedef uint32_t NVPMUINT32;
typedef uint32_t NVPMUINT;
typedef uint64_t NVPMUINT64;
typedef double NVPMFLOAT64;
typedef NVPMUINT64 NVPMContext;
typedef NVPMUINT64 APIContextHandle;
typedef NVPMUINT NVPMCounterID;

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
	NVPM_ERROR_EXPERIMENT_INCOMPLETE = 9,
	NVPM_ERROR_INVALID_PASS = 10,
	NVPM_ERROR_INVALID_OBJECT = 11,
	NVPM_ERROR_COUNTER_NOT_ENABLED = 12,
	NVPM_ERROR_COUNTER_NOT_FOUND = 13,
	NVPM_ERROR_EXPERIMENT_NOT_RUN = 14,
	NVPM_ERROR_32BIT_ON_64BIT = 15,
	NVPM_ERROR_STATE_MACHINE = 16,
	NVPM_ERROR_INTERNAL = 17,
	NVPM_WARNING_ENDED_EARLY = 18,
	NVPM_ERROR_TIME_OUT = 19,
	NVPM_WARNING_DUPLICATE = 20,
	NVPM_ERROR_COUNTERS_ENABLED = 21,
	NVPM_ERROR_CONTEXT_NOT_SUPPORTED = 22,
	NVPM_ERROR_INVALID_CONTEXT = 23,
	NVPM_ERROR_GPU_UNSUPPORTED = 24,
#if NVPM_INTERFACE >= 3
	NVPM_INCORRECT_VALUE_TYPE = 25,
#endif
	NVPM_ERROR_MAX
} NVPMRESULT;

typedef enum {
	NVPM_CT_GPU,
	NVPM_CT_OGL,
	NVPM_CT_D3D,
	NVPM_CT_SIMEXP,
	NVPM_CT_USER, /* here: an event of NTIME_NVPM_EVENTS */
	NVPM_CT_AGGREGATE
} NVPMCOUNTERTYPE;
/* How to show it: 100 * value / cycles, or the value. */
typedef enum { NVPM_CD_RATIO, NVPM_CD_RAW } NVPMCOUNTERDISPLAY;
typedef enum { NVPM_VALUE_TYPE_UINT64, NVPM_VALUE_TYPE_FLOAT64 } NVPMCOUNTERVALUETYPE;
typedef enum {
	NVPMA_COUNTER_TYPE,    /* NVPMCOUNTERTYPE */
	NVPMA_COUNTER_DISPLAY, /* NVPMCOUNTERDISPLAY */
	NVPMA_COUNTER_DOMAIN,
#if NVPM_INTERFACE >= 3
	NVPMA_COUNTER_VALUE_TYPE, /* NVPMCOUNTERVALUETYPE */
#endif
	NVPMA_COUNTER_MAX /* largest value */
} NVPMATTRIBUTE;

/**
 * struct _NVPMSampleValue - a counter in a period
 * @ulValue:	what was counted
 * @ulCycles:	clocks of its domain in the same time; of events that are not the card's
 *		nanoseconds. 0: there is no number
 */
typedef struct _NVPMSampleValue {
	NVPMCounterID unCounterID;
	NVPMUINT64 ulValue;
	NVPMUINT64 ulCycles;
} NVPMSampleValue;

/**
 * struct _NVPMSampleValueEx - the same, and whether it is new
 * @ulVersion:	is stored, NVPMSAMPLEVALUEEX_VERSION()
 * @ulFlags:	NVPMSAMPLEEX_FLAG_OVERFLOW: the value is a lower bound;
 *		NVPMSAMPLEEX_FLAG_UPDATED: it is of this period
 */
typedef struct _NVPMSampleValueEx {
	NVPMUINT32 ulVersion;
	NVPMCounterID unCounterID;
#if NVPM_INTERFACE >= 3
	union {
		NVPMUINT64 ulValue;
		NVPMFLOAT64 dValue;
	};
#else
	NVPMUINT64 ulValue;
#endif
	NVPMUINT64 ulCycles;
	NVPMUINT64 ulFlags;
} NVPMSampleValueEx;

#define NVPMSAMPLEEX_FLAG_OVERFLOW 0x1
#define NVPMSAMPLEEX_FLAG_UPDATED 0x2
#define NVPMSAMPLEEX_FLAG_VALUE_TYPE_MASK 0xff00
#define NVPMSAMPLEEX_FLAG_VALUE_TYPE_SHIFT 8
#define NVPMSAMPLEEX_FLAG_VALUE_TYPE(flag)                                                         \
	((NVPMCOUNTERVALUETYPE)(((flag)&NVPMSAMPLEEX_FLAG_VALUE_TYPE_MASK) >>                      \
				NVPMSAMPLEEX_FLAG_VALUE_TYPE_SHIFT))
#define MAKE_NVPMSAMPLEVALUEEX_VERSION(VERSION, STRUCT_SIZE)                                       \
	((NVPMUINT32)((VERSION) << 16 | (STRUCT_SIZE)))
#define NVPMSAMPLEVALUEEX_VER_1 1
#if NVPM_INTERFACE >= 3
#define NVPMSAMPLEVALUEEX_VER_2 2
#define NVPMSAMPLEVALUEEX_VER NVPMSAMPLEVALUEEX_VER_2
#else
#define NVPMSAMPLEVALUEEX_VER NVPMSAMPLEVALUEEX_VER_1
#endif
#define NVPMSAMPLEVALUEEX_VERSION()                                                                \
	MAKE_NVPMSAMPLEVALUEEX_VERSION(NVPMSAMPLEVALUEEX_VER, sizeof(NVPMSampleValueEx))
#define NVPMSAMPLEVALUEEX_VERSION_GET_STRUCT_SIZE(X) ((X)&0xffff)
#define NVPMSAMPLEVALUEEX_VERSION_GET_VERSION(X) ((X) >> 16)

/* Called for each counter; returns NVPM_OK to go on. The name lives as long as the library. */
typedef int (*NVPMEnumFunc)(NVPMCounterID unCounterID, const char *pcCounterName);
typedef int (*NVPMEnumFuncUserData)(NVPMCounterID unCounterID, const char *pcCounterName,
				    void *pUserData);
typedef NVPMUINT64 (*FuncPtrNewDataProvider)(void);

typedef NVPMRESULT (*NVPMSetWarningLevel_Pfn)(NVPMUINT unLevel);
typedef NVPMRESULT (*NVPMGetExtendedError_Pfn)(NVPMUINT *pnError);
typedef NVPMRESULT (*NVPMInit_Pfn)(void);
typedef NVPMRESULT (*NVPMShutdown_Pfn)(void);
typedef NVPMRESULT (*NVPMCreateContextFromOGLContext_Pfn)(APIContextHandle, NVPMContext *);
typedef NVPMRESULT (*NVPMCreateContextFromCudaContext_Pfn)(APIContextHandle, NVPMContext *);
typedef NVPMRESULT (*NVPMDestroyContext_Pfn)(NVPMContext);
typedef NVPMRESULT (*NVPMEnumCountersByContext_Pfn)(NVPMContext, NVPMEnumFunc);
/* *punLen: bytes of pcString, then those that are needed. pcString NULL asks for these alone. */
typedef NVPMRESULT (*NVPMGetCounterName_Pfn)(NVPMCounterID, char *pcString, NVPMUINT *punLen);
typedef NVPMRESULT (*NVPMGetCounterDescription_Pfn)(NVPMCounterID, char *pcString,
						    NVPMUINT *punLen);
typedef NVPMRESULT (*NVPMGetCounterIDByContext_Pfn)(NVPMContext, const char *, NVPMCounterID *);
/* In MHz; 0: not known. */
typedef NVPMRESULT (*NVPMGetCounterClockRateByContext_Pfn)(NVPMContext, const char *, float *);
typedef NVPMRESULT (*NVPMGetCounterAttribute_Pfn)(NVPMCounterID, NVPMATTRIBUTE, NVPMUINT64 *);
typedef NVPMRESULT (*NVPMAddCounterByName_Pfn)(NVPMContext, const char *);
typedef NVPMRESULT (*NVPMAddCounter_Pfn)(NVPMContext, NVPMCounterID);
typedef NVPMRESULT (*NVPMAddCounters_Pfn)(NVPMContext, NVPMUINT, NVPMCounterID *);
typedef NVPMRESULT (*NVPMRemoveCounterByName_Pfn)(NVPMContext, const char *);
typedef NVPMRESULT (*NVPMRemoveCounter_Pfn)(NVPMContext, NVPMCounterID);
typedef NVPMRESULT (*NVPMRemoveCounters_Pfn)(NVPMContext, NVPMUINT, NVPMCounterID *);
typedef NVPMRESULT (*NVPMRemoveAllCounters_Pfn)(NVPMContext);
typedef NVPMRESULT (*NVPMReserveObjects_Pfn)(NVPMContext, NVPMUINT objNum);
typedef NVPMRESULT (*NVPMDeleteObjects_Pfn)(NVPMContext);
typedef NVPMRESULT (*NVPMBeginExperiment_Pfn)(NVPMContext, NVPMUINT *pnNumPasses);
typedef NVPMRESULT (*NVPMEndExperiment_Pfn)(NVPMContext);
typedef NVPMRESULT (*NVPMBeginPass_Pfn)(NVPMContext, NVPMUINT nPass);
typedef NVPMRESULT (*NVPMEndPass_Pfn)(NVPMContext, NVPMUINT nPass);
typedef NVPMRESULT (*NVPMBeginObject_Pfn)(NVPMContext, NVPMUINT nObjectID);
typedef NVPMRESULT (*NVPMEndObject_Pfn)(NVPMContext, NVPMUINT nObjectID);
/* *punCount: records that there is room for, then those that were stored. */
typedef NVPMRESULT (*NVPMSample_Pfn)(NVPMContext, NVPMSampleValue *, NVPMUINT *punCount);
typedef NVPMRESULT (*NVPMSampleEx_Pfn)(NVPMContext, NVPMSampleValueEx *, NVPMUINT *punCount);
typedef NVPMRESULT (*NVPMGetCounterValueByName_Pfn)(NVPMContext, const char *, NVPMUINT nObjectID,
						    NVPMUINT64 *pulValue, NVPMUINT64 *pulCycles);
typedef NVPMRESULT (*NVPMGetCounterValue_Pfn)(NVPMContext, NVPMCounterID, NVPMUINT nObjectID,
					      NVPMUINT64 *pulValue, NVPMUINT64 *pulCycles);
typedef NVPMRESULT (*NVPMGetGPUBottleneckName_Pfn)(NVPMContext, NVPMUINT64 ulValue, char *pcName);
typedef NVPMRESULT (*NVPMRegisterNewDataProviderCallback_Pfn)(FuncPtrNewDataProvider);
typedef NVPMRESULT (*NVPMGetCounterValueUint64_Pfn)(NVPMContext, NVPMCounterID, NVPMUINT nObjectID,
						    NVPMUINT64 *pulValue, NVPMUINT64 *pulCycles,
						    NVPMUINT8 *pOverflow);
typedef NVPMRESULT (*NVPMGetCounterValueFloat64_Pfn)(NVPMContext, NVPMCounterID, NVPMUINT nObjectID,
						     NVPMFLOAT64 *pdValue, NVPMUINT64 *pulCycles,
						     NVPMUINT8 *pOverflow);
typedef NVPMRESULT (*NVPMEnumCountersByContextUserData_Pfn)(NVPMContext, NVPMEnumFuncUserData,
							    void *pUserData);

typedef struct NVPM_UUID {
	NVPMUINT Data1;
	NVPMUINT16 Data2;
	NVPMUINT16 Data3;
	NVPMUINT8 Data4[8];
} NVPM_UUID;

/* With NVPM_INITGUID, in one file of a program, the id is defined. */
#ifdef NVPM_INITGUID
#define NVPM_DEFINE_GUID(name, a, b, c, ...)                                                       \
	extern const NVPM_UUID name;                                                               \
	const NVPM_UUID name = { a, b, c, { __VA_ARGS__ } }
#else
#define NVPM_DEFINE_GUID(name, a, b, c, ...) extern const NVPM_UUID name
#endif
#if NVPM_INTERFACE >= 3
NVPM_DEFINE_GUID(ETID_NvPmApi, 0x243e8da1, 0x4bf8, 0x44b9, 0x98, 0xc4, 0xf9, 0x84, 0xd0, 0x6b, 0xdf,
		 0x46);
#else
NVPM_DEFINE_GUID(ETID_NvPmApi, 0x25a31458, 0xd0ea, 0x11e0, 0x9c, 0x3c, 0x2d, 0x0a, 0x49, 0x24, 0x01,
		 0x9b);
#endif

/** struct _NvPmApi - the table. @struct_size: its bytes: later tables are longer */
typedef struct _NvPmApi {
#if NVPM_INTERFACE >= 3
	NVPMUINT struct_size;
#endif
	NVPMSetWarningLevel_Pfn SetWarningLevel;
	NVPMGetExtendedError_Pfn GetExtendedError;
	NVPMInit_Pfn Init;
	NVPMShutdown_Pfn Shutdown;
	NVPMCreateContextFromOGLContext_Pfn CreateContextFromOGLContext;
	NVPMCreateContextFromCudaContext_Pfn CreateContextFromCudaContext;
	NVPMDestroyContext_Pfn DestroyContext;
	NVPMEnumCountersByContext_Pfn EnumCountersByContext;
	NVPMGetCounterName_Pfn GetCounterName;
	NVPMGetCounterDescription_Pfn GetCounterDescription;
	NVPMGetCounterIDByContext_Pfn GetCounterIDByContext;
	NVPMGetCounterClockRateByContext_Pfn GetCounterClockRateByContext;
	NVPMGetCounterAttribute_Pfn GetCounterAttribute;
	NVPMAddCounterByName_Pfn AddCounterByName;
	NVPMAddCounter_Pfn AddCounter;
	NVPMAddCounters_Pfn AddCounters;
	NVPMRemoveCounterByName_Pfn RemoveCounterByName;
	NVPMRemoveCounter_Pfn RemoveCounter;
	NVPMRemoveCounters_Pfn RemoveCounters;
	NVPMRemoveAllCounters_Pfn RemoveAllCounters;
	NVPMReserveObjects_Pfn ReserveObjects;
	NVPMDeleteObjects_Pfn DeleteObjects;
	NVPMBeginExperiment_Pfn BeginExperiment;
	NVPMEndExperiment_Pfn EndExperiment;
	NVPMBeginPass_Pfn BeginPass;
	NVPMEndPass_Pfn EndPass;
	NVPMBeginObject_Pfn BeginObject;
	NVPMEndObject_Pfn EndObject;
	NVPMSample_Pfn Sample;
	NVPMSampleEx_Pfn SampleEx;
	NVPMGetCounterValueByName_Pfn GetCounterValueByName;
	NVPMGetCounterValue_Pfn GetCounterValue;
	NVPMGetGPUBottleneckName_Pfn GetGPUBottleneckName;
	NVPMRegisterNewDataProviderCallback_Pfn RegisterNewDataProviderCallback;
#if NVPM_INTERFACE >= 3
	NVPMGetCounterValueUint64_Pfn GetCounterValueUint64;
	NVPMGetCounterValueFloat64_Pfn GetCounterValueFloat64;
	NVPMEnumCountersByContextUserData_Pfn EnumCountersByContextUserData;
#endif
} NvPmApi;

typedef NVPMRESULT (*NVPMGetExportTable_Pfn)(const NVPM_UUID *pExportTableId, void **ppExportTable);
NVPM_API NVPMRESULT NVPMGetExportTable(const NVPM_UUID *pExportTableId, void **ppExportTable);

#ifdef __cplusplus
}
#endif
#endif
