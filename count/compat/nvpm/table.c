// SPDX-License-Identifier: MIT
/*
 * Interfaces II and III: tables of functions, and counters by id. III is II with its size in front
 * and three functions behind; the two have other numbers for attributes and for the version of a
 * record.
 */
#include <stddef.h>
#include <string.h>

#include "count/compat/nvpm/nvpm.h"

#define NVPM_INITGUID
#include "count/compat/nvpm/NvPmApi.h"

static const NVPM_UUID id_of_ii = {
	0x25a31458, 0xd0ea, 0x11e0, { 0x9c, 0x3c, 0x2d, 0x0a, 0x49, 0x24, 0x01, 0x9b }
};

struct enumeration {
	NVPMEnumFunc fn;
	NVPMEnumFuncUserData fn_with_data;
	void *data;
};

static int call_program(void *arg, uint32_t id, const char *name)
{
	const struct enumeration *e = arg;

	return e->fn ? e->fn(id, name) : e->fn_with_data(id, name, e->data);
}

static int attribute_of(NVPMCounterID id, NVPMATTRIBUTE attribute, NVPMUINT64 *out)
{
	static const enum nvpm_attribute attributes[] = { NVPM_TYPE, NVPM_IS_RAW, NVPM_DOMAIN,
							  NVPM_TYPE, NVPM_MAX };
	int ret = (unsigned int)attribute < 5 ? nvpm_get_attribute(id, attributes[attribute], out)
					      : NVPM_BAD_PARAMETER;

	if (ret == NVPM_DONE && attribute == NVPMA_COUNTER_VALUE_TYPE)
		*out = NVPM_VALUE_TYPE_UINT64;
	return ret;
}

_Static_assert(sizeof(NVPMSampleValue) == sizeof(struct nvpm_record), "one layout");

static void put_extended(void *records, uint32_t i, uint32_t id, const struct nvpm_value *v)
{
	((NVPMSampleValueEx *)records)[i] = (NVPMSampleValueEx){
		.ulVersion = NVPMSAMPLEVALUEEX_VERSION(),
		.unCounterID = id,
		.ulValue = v->value,
		.ulCycles = v->cycles,
		.ulFlags = (v->is_overflowed ? NVPMSAMPLEEX_FLAG_OVERFLOW : 0) |
			   (v->is_updated ? NVPMSAMPLEEX_FLAG_UPDATED : 0),
	};
}

/* Where there is a value, it is an integer. */
static int get_as_float(NVPMCounterID id, NVPMUINT object, const NVPMFLOAT64 *value)
{
	NVPMUINT64 v;
	int ret = value ? nvpm_get_value(id, object, &v, NULL, NULL) : NVPM_BAD_PARAMETER;

	return ret == NVPM_DONE ? NVPM_OTHER_TYPE : ret;
}

/*
 * All of III but Init: the name in the table, parameters, the context that it is called of, and
 * what it does.
 */
#define FUNCTIONS(X)                                                                               \
	/* NTIME_DEBUG is what says more */                                                        \
	X(SetWarningLevel, (NVPMUINT level), NULL, ((void)level, NVPM_DONE))                       \
	X(GetExtendedError, (NVPMUINT * error), NULL,                                              \
	  error ? (*error = nvpm.error, NVPM_DONE) : NVPM_BAD_PARAMETER)                           \
	X(Shutdown, (void), NULL, nvpm_shutdown())                                                 \
	/* The card is counted, whatever context draws. */                                         \
	X(CreateContextFromOGLContext, (APIContextHandle of, NVPMContext * out), NULL,             \
	  ((void)of, nvpm_context_new(out)))                                                       \
	X(DestroyContext, (NVPMContext context), &context, nvpm_context_free(context))             \
	X(EnumCountersByContext, (NVPMContext context, NVPMEnumFunc fn), &context,                 \
	  fn ? nvpm_enumerate(call_program, &(struct enumeration){ .fn = fn })                     \
	     : NVPM_BAD_ENUMERATOR)                                                                \
	X(GetCounterName, (NVPMCounterID id, char *text, NVPMUINT *length), NULL,                  \
	  nvpm_get_text(id, false, text, length))                                                  \
	X(GetCounterDescription, (NVPMCounterID id, char *text, NVPMUINT *length), NULL,           \
	  nvpm_get_text(id, true, text, length))                                                   \
	X(GetCounterIDByContext, (NVPMContext context, const char *name, NVPMCounterID *out),      \
	  &context, nvpm_get_number(name, out))                                                    \
	X(GetCounterClockRateByContext, (NVPMContext context, const char *name, float *mhz),       \
	  &context, nvpm_get_clock_rate(name, mhz))                                                \
	X(GetCounterAttribute, (NVPMCounterID id, NVPMATTRIBUTE attribute, NVPMUINT64 * out),      \
	  NULL, attribute_of(id, attribute, out))                                                  \
	X(AddCounterByName, (NVPMContext context, const char *name), &context,                     \
	  nvpm_by_name(name, nvpm_add))                                                            \
	X(AddCounter, (NVPMContext context, NVPMCounterID id), &context, nvpm_add(1, &id))         \
	X(AddCounters, (NVPMContext context, NVPMUINT n, NVPMCounterID * ids), &context,           \
	  nvpm_add(n, ids))                                                                        \
	X(RemoveCounterByName, (NVPMContext context, const char *name), &context,                  \
	  nvpm_by_name(name, nvpm_remove))                                                         \
	X(RemoveCounter, (NVPMContext context, NVPMCounterID id), &context, nvpm_remove(1, &id))   \
	X(RemoveCounters, (NVPMContext context, NVPMUINT n, NVPMCounterID * ids), &context,        \
	  nvpm_remove(n, ids))                                                                     \
	X(RemoveAllCounters, (NVPMContext context), &context, nvpm_remove_all())                   \
	X(ReserveObjects, (NVPMContext context, NVPMUINT n), &context, nvpm_reserve(n))            \
	X(DeleteObjects, (NVPMContext context), &context, nvpm_reserve(0))                         \
	X(BeginExperiment, (NVPMContext context, NVPMUINT * passes), &context,                     \
	  nvpm_experiment_begin(passes))                                                           \
	X(EndExperiment, (NVPMContext context), &context, nvpm_experiment_end())                   \
	X(BeginPass, (NVPMContext context, NVPMUINT pass), &context, nvpm_pass_begin(pass))        \
	X(EndPass, (NVPMContext context, NVPMUINT pass), &context, nvpm_pass_end(pass))            \
	X(BeginObject, (NVPMContext context, NVPMUINT object), &context,                           \
	  nvpm_object_begin(object))                                                               \
	X(EndObject, (NVPMContext context, NVPMUINT object), &context, nvpm_object_end(object))    \
	X(Sample, (NVPMContext context, NVPMSampleValue * samples, NVPMUINT * n), &context,        \
	  nvpm_sample_records(nvpm_put_record, samples, n))                                        \
	/* Of a fourth argument the published text speaks, not the published declaration. */       \
	X(SampleEx, (NVPMContext context, NVPMSampleValueEx * samples, NVPMUINT * n), &context,    \
	  nvpm_sample_records(put_extended, samples, n))                                           \
	X(GetCounterValueByName,                                                                   \
	  (NVPMContext context, const char *name, NVPMUINT object, NVPMUINT64 *value,              \
	   NVPMUINT64 *cycles),                                                                    \
	  &context, nvpm_get_value_name(name, object, value, cycles))                              \
	X(GetCounterValue,                                                                         \
	  (NVPMContext context, NVPMCounterID id, NVPMUINT object, NVPMUINT64 * value,             \
	   NVPMUINT64 * cycles),                                                                   \
	  &context, nvpm_get_value(id, object, value, cycles, NULL))                               \
	X(GetGPUBottleneckName, (NVPMContext context, NVPMUINT64 value, char *name), &context,     \
	  ((void)value, nvpm_get_bottleneck_name(name)))                                           \
	/* All counters are there from Init on: there is nothing to call it for. */                \
	X(RegisterNewDataProviderCallback, (FuncPtrNewDataProvider fn), NULL,                      \
	  fn ? NVPM_DONE : NVPM_BAD_PARAMETER)                                                     \
	X(GetCounterValueUint64,                                                                   \
	  (NVPMContext context, NVPMCounterID id, NVPMUINT object, NVPMUINT64 * value,             \
	   NVPMUINT64 * cycles, NVPMUINT8 * overflow),                                             \
	  &context, nvpm_get_value(id, object, value, cycles, overflow))                           \
	X(GetCounterValueFloat64,                                                                  \
	  (NVPMContext context, NVPMCounterID id, NVPMUINT object, NVPMFLOAT64 * value,            \
	   NVPMUINT64 * cycles, NVPMUINT8 * overflow),                                             \
	  &context, ((void)cycles, (void)overflow, get_as_float(id, object, value)))               \
	X(EnumCountersByContextUserData,                                                           \
	  (NVPMContext context, NVPMEnumFuncUserData fn, void *data), &context,                    \
	  fn ? nvpm_enumerate(call_program,                                                        \
			      &(struct enumeration){ .fn_with_data = fn, .data = data })           \
	     : NVPM_BAD_ENUMERATOR)

#define FUNCTION(name, parameters, context, does)                                                  \
	static NVPMRESULT call_##name parameters                                                   \
	{                                                                                          \
		NVPM_CALL(NVPM_TABLE, context, does);                                              \
	}
FUNCTIONS(FUNCTION)

static NVPMRESULT init(void)
{
	return nvpm_init(NVPM_TABLE);
}

static const NvPmApi table = { .struct_size = sizeof(NvPmApi),
			       .Init = init,
			       .CreateContextFromCudaContext = call_CreateContextFromOGLContext,
#define MEMBER(name, parameters, context, does) .name = call_##name,
			       FUNCTIONS(MEMBER)
#undef MEMBER
};

/* It has no type of values, and so the last number less. */
static NVPMATTRIBUTE attribute_of_ii(NVPMATTRIBUTE attribute)
{
	if (attribute == NVPMA_COUNTER_VALUE_TYPE)
		return NVPMA_COUNTER_MAX;
	return attribute == NVPMA_COUNTER_MAX ? NVPMA_COUNTER_MAX + 1 : attribute;
}

static void put_extended_of_ii(void *records, uint32_t i, uint32_t id, const struct nvpm_value *v)
{
	NVPMSampleValueEx *record = (NVPMSampleValueEx *)records + i;

	put_extended(records, i, id, v);
	record->ulVersion =
		MAKE_NVPMSAMPLEVALUEEX_VERSION(NVPMSAMPLEVALUEEX_VER_1, sizeof(*record));
}

FUNCTION(attribute_of_ii, (NVPMCounterID id, NVPMATTRIBUTE attribute, NVPMUINT64 *out), NULL,
	 attribute_of(id, attribute_of_ii(attribute), out))
FUNCTION(sample_of_ii, (NVPMContext context, NVPMSampleValueEx *samples, NVPMUINT *n), &context,
	 nvpm_sample_records(put_extended_of_ii, samples, n))

/* II begins with III's first function and ends before its last three. */
static NvPmApi table_of_ii;

__attribute__((constructor)) static void make_table_of_ii(void)
{
	table_of_ii = table;
	table_of_ii.GetCounterAttribute = call_attribute_of_ii;
	table_of_ii.SampleEx = call_sample_of_ii;
}

NVPMRESULT NVPMGetExportTable(const NVPM_UUID *pExportTableId, void **ppExportTable)
{
	if (!ppExportTable)
		return NVPM_ERROR_INVALID_PARAMETER;
	*ppExportTable = NULL;
	if (!pExportTableId)
		return NVPM_ERROR_INVALID_PARAMETER;
	if (memcmp(pExportTableId, &ETID_NvPmApi, sizeof(ETID_NvPmApi)) == 0)
		*ppExportTable = (void *)(uintptr_t)&table;
	else if (memcmp(pExportTableId, &id_of_ii, sizeof(id_of_ii)) == 0)
		*ppExportTable = &table_of_ii.SetWarningLevel;
	return *ppExportTable ? NVPM_OK : NVPM_ERROR_INVALID_PARAMETER;
}
