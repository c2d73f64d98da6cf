// SPDX-License-Identifier: MIT
/*
 * Sizes and offsets of NVPerfKit's records and tables in our headers: published, and never changed.
 * Built for each of the three interfaces.
 */
#if NVPM_INTERFACE == 1
#include "count/compat/nvpm/NVPerfSDK.h"
#else
#include "count/compat/nvpm/NvPmApi.h"
#endif

#include "base/tests/tt.h"

struct layout {
	int line;
	const char *name;
	size_t offset, size; /* on 64 bits */
};

#define MEMBER(type, member)                                                                       \
	{                                                                                          \
		__LINE__, #member, offsetof(type, member), sizeof(((type *)0)->member)             \
	}
#define STRUCT(type)                                                                               \
	{                                                                                          \
		__LINE__, #type, 0, sizeof(type)                                                   \
	}

static const struct layout records[] = {
#if NVPM_INTERFACE == 1
	MEMBER(NVPMSampleValue, unCounterIndex),
#else
	MEMBER(NVPMSampleValue, unCounterID),
#endif
	MEMBER(NVPMSampleValue, ulValue),
	MEMBER(NVPMSampleValue, ulCycles),
	STRUCT(NVPMSampleValue),
#if NVPM_INTERFACE == 1
	MEMBER(NVPMSampleValueEx, unCounterIndex),
#else
	MEMBER(NVPMSampleValueEx, ulVersion),
	MEMBER(NVPMSampleValueEx, unCounterID),
#endif
	MEMBER(NVPMSampleValueEx, ulValue),
	MEMBER(NVPMSampleValueEx, ulCycles),
#if NVPM_INTERFACE == 1
	MEMBER(NVPMSampleValueEx, unCounterValueUpdated),
#else
	MEMBER(NVPMSampleValueEx, ulFlags),
#endif
	STRUCT(NVPMSampleValueEx),
};

/* On 32 bits integers of 64 are at multiples of 4. */
static const size_t published[][2][2] = {
#define BOTH(offset, size)                                                                         \
	{                                                                                          \
		{ offset, size },                                                                  \
		{                                                                                  \
			offset, size                                                               \
		}                                                                                  \
	}
	BOTH(0, 4),
	{ { 8, 8 }, { 4, 8 } },
	{ { 16, 8 }, { 12, 8 } },
	{ { 0, 24 }, { 0, 20 } },
	BOTH(0, 4),
#if NVPM_INTERFACE == 1
	{ { 8, 8 }, { 4, 8 } },
	{ { 16, 8 }, { 12, 8 } },
	{ { 24, 4 }, { 20, 4 } },
	{ { 0, 32 }, { 0, 24 } },
#else
	BOTH(4, 4),
	BOTH(8, 8),
	BOTH(16, 8),
	BOTH(24, 8),
	BOTH(0, 32),
#endif
};

/* Only x86 aligns them so on 32 bits. */
#define IS_32 (sizeof(void *) == 4 && _Alignof(struct { unsigned long long x; }) == 4)

TEST(records_are_as_published)
{
	TT_IS(sizeof(records) / sizeof(records[0]), sizeof(published) / sizeof(published[0]));
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		TT_EQ(&records[i], records[i].offset, published[i][IS_32][0]);
		TT_EQ(&records[i], records[i].size, published[i][IS_32][1]);
	}
	TT_IS((uint32_t)NVPMSAMPLEVALUEEX_VERSION(),
	      (NVPM_INTERFACE == 1 ? 1 << 24 | 1 << 16 : (NVPM_INTERFACE - 1) << 16) |
		      sizeof(NVPMSampleValueEx));
}

#if NVPM_INTERFACE > 1
#define FUNCTION(member)                                                                           \
	{                                                                                          \
		__LINE__, #member, offsetof(NvPmApi, member), sizeof(void *)                       \
	}

static const struct layout functions[] = {
#if NVPM_INTERFACE == 3
	FUNCTION(struct_size),
#endif
	FUNCTION(SetWarningLevel),
	FUNCTION(GetExtendedError),
	FUNCTION(Init),
	FUNCTION(Shutdown),
	FUNCTION(CreateContextFromOGLContext),
	FUNCTION(CreateContextFromCudaContext),
	FUNCTION(DestroyContext),
	FUNCTION(EnumCountersByContext),
	FUNCTION(GetCounterName),
	FUNCTION(GetCounterDescription),
	FUNCTION(GetCounterIDByContext),
	FUNCTION(GetCounterClockRateByContext),
	FUNCTION(GetCounterAttribute),
	FUNCTION(AddCounterByName),
	FUNCTION(AddCounter),
	FUNCTION(AddCounters),
	FUNCTION(RemoveCounterByName),
	FUNCTION(RemoveCounter),
	FUNCTION(RemoveCounters),
	FUNCTION(RemoveAllCounters),
	FUNCTION(ReserveObjects),
	FUNCTION(DeleteObjects),
	FUNCTION(BeginExperiment),
	FUNCTION(EndExperiment),
	FUNCTION(BeginPass),
	FUNCTION(EndPass),
	FUNCTION(BeginObject),
	FUNCTION(EndObject),
	FUNCTION(Sample),
	FUNCTION(SampleEx),
	FUNCTION(GetCounterValueByName),
	FUNCTION(GetCounterValue),
	FUNCTION(GetGPUBottleneckName),
	FUNCTION(RegisterNewDataProviderCallback),
#if NVPM_INTERFACE == 3
	FUNCTION(GetCounterValueUint64),
	FUNCTION(GetCounterValueFloat64),
	FUNCTION(EnumCountersByContextUserData),
#endif
};

TEST(the_table_is_as_published)
{
	size_t n = sizeof(functions) / sizeof(functions[0]);

	for (size_t i = 0; i < n; i++)
		TT_EQ(&functions[i], functions[i].offset, i * sizeof(void *));
	TT_IS(sizeof(NvPmApi), n * sizeof(void *));
	TT_IS(sizeof(NVPM_UUID), 16);
	TT_IS(NVPM_ERROR_MAX, NVPM_INTERFACE == 3 ? 26 : 25);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_as_published),
#if NVPM_INTERFACE > 1
		cmocka_unit_test(the_table_is_as_published),
#endif
	};

	return TT_RUN(tests);
}
