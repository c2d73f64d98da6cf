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

/* A function of the tables. */
#define TABLE(name, parameters, context, does)                                                     \
	static NVPMRESULT name parameters                                                          \
	{                                                                                          \
		NVPM_CALL(NVPM_TABLE, context, does);                                              \
	}

static const NVPM_UUID id_of_ii = {
	0x25a31458, 0xd0ea, 0x11e0, { 0x9c, 0x3c, 0x2d, 0x0a, 0x49, 0x24, 0x01, 0x9b }
};

static NVPMRESULT set_warning_level(NVPMUINT level)
{
	(void)level; /* NTIME_DEBUG is what says more */
	NVPM_CALL(NVPM_TABLE, NULL, NVPM_DONE);
}

TABLE(get_extended_error, (NVPMUINT * error), NULL,
      error ? (*error = nvpm.error, NVPM_DONE) : NVPM_BAD_PARAMETER)

static NVPMRESULT init(void)
{
	return nvpm_init(NVPM_TABLE);
}

TABLE(shutdown, (void), NULL, nvpm_shutdown())

/* The card is counted, whatever context draws. */
static NVPMRESULT create_context(APIContextHandle of, NVPMContext *out)
{
	(void)of;
	NVPM_CALL(NVPM_TABLE, NULL, nvpm_context_new(out));
}

TABLE(destroy_context, (NVPMContext context), &context, nvpm_context_free(context))

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

static NVPMRESULT enumerate(NVPMContext context, NVPMEnumFunc fn)
{
	struct enumeration e = { .fn = fn };

	NVPM_CALL(NVPM_TABLE, &context,
		  fn ? nvpm_enumerate(call_program, &e) : NVPM_BAD_ENUMERATOR);
}

static NVPMRESULT enumerate_with_data(NVPMContext context, NVPMEnumFuncUserData fn, void *data)
{
	struct enumeration e = { .fn_with_data = fn, .data = data };

	NVPM_CALL(NVPM_TABLE, &context,
		  fn ? nvpm_enumerate(call_program, &e) : NVPM_BAD_ENUMERATOR);
}

TABLE(get_name, (NVPMCounterID id, char *text, NVPMUINT *length), NULL,
      nvpm_get_text(id, false, text, length))
TABLE(get_description, (NVPMCounterID id, char *text, NVPMUINT *length), NULL,
      nvpm_get_text(id, true, text, length))
TABLE(get_id, (NVPMContext context, const char *name, NVPMCounterID *out), &context,
      nvpm_get_number(name, out))
TABLE(get_clock_rate, (NVPMContext context, const char *name, float *mhz), &context,
      nvpm_get_clock_rate(name, mhz))

static NVPMRESULT get_attribute_of_ii(NVPMCounterID id, NVPMATTRIBUTE attribute, NVPMUINT64 *out)
{
	static const enum nvpm_attribute attributes[] = { NVPM_TYPE, NVPM_IS_RAW, NVPM_DOMAIN,
							  NVPM_MAX };

	NVPM_CALL(NVPM_TABLE, NULL,
		  (unsigned int)attribute < 4 ? nvpm_get_attribute(id, attributes[attribute], out)
					      : NVPM_BAD_PARAMETER);
}

static int attribute_of_iii(NVPMCounterID id, NVPMATTRIBUTE attribute, NVPMUINT64 *out)
{
	static const enum nvpm_attribute attributes[] = { NVPM_TYPE, NVPM_IS_RAW, NVPM_DOMAIN,
							  NVPM_TYPE, NVPM_MAX };
	int ret = (unsigned int)attribute < 5 ? nvpm_get_attribute(id, attributes[attribute], out)
					      : NVPM_BAD_PARAMETER;

	if (ret == NVPM_DONE && attribute == NVPMA_COUNTER_VALUE_TYPE)
		*out = NVPM_VALUE_TYPE_UINT64;
	return ret;
}

TABLE(get_attribute, (NVPMCounterID id, NVPMATTRIBUTE attribute, NVPMUINT64 *out), NULL,
      attribute_of_iii(id, attribute, out))
TABLE(add_by_name, (NVPMContext context, const char *name), &context, nvpm_add_name(name))
TABLE(add, (NVPMContext context, NVPMCounterID id), &context, nvpm_add(1, &id))
TABLE(add_all, (NVPMContext context, NVPMUINT n, NVPMCounterID *ids), &context, nvpm_add(n, ids))
TABLE(remove_by_name, (NVPMContext context, const char *name), &context, nvpm_remove_name(name))
TABLE(remove_one, (NVPMContext context, NVPMCounterID id), &context, nvpm_remove(1, &id))
TABLE(remove_some, (NVPMContext context, NVPMUINT n, NVPMCounterID *ids), &context,
      nvpm_remove(n, ids))
TABLE(remove_all, (NVPMContext context), &context, nvpm_remove_all())
TABLE(reserve_objects, (NVPMContext context, NVPMUINT n), &context, nvpm_reserve(n))
TABLE(delete_objects, (NVPMContext context), &context, nvpm_reserve(0))
TABLE(begin_experiment, (NVPMContext context, NVPMUINT *passes), &context,
      nvpm_experiment_begin(passes))
TABLE(end_experiment, (NVPMContext context), &context, nvpm_experiment_end())
TABLE(begin_pass, (NVPMContext context, NVPMUINT pass), &context, nvpm_pass_begin(pass))
TABLE(end_pass, (NVPMContext context, NVPMUINT pass), &context, nvpm_pass_end(pass))
TABLE(begin_object, (NVPMContext context, NVPMUINT object), &context, nvpm_object_begin(object))
TABLE(end_object, (NVPMContext context, NVPMUINT object), &context, nvpm_object_end(object))

_Static_assert(sizeof(NVPMSampleValue) == sizeof(struct nvpm_record), "one layout");
TABLE(sample, (NVPMContext context, NVPMSampleValue *samples, NVPMUINT *n), &context,
      nvpm_sample_records(nvpm_put_record, samples, n))

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

static void put_extended_of_ii(void *records, uint32_t i, uint32_t id, const struct nvpm_value *v)
{
	NVPMSampleValueEx *record = (NVPMSampleValueEx *)records + i;

	put_extended(records, i, id, v);
	record->ulVersion =
		MAKE_NVPMSAMPLEVALUEEX_VERSION(NVPMSAMPLEVALUEEX_VER_1, sizeof(*record));
}

/* Of the fourth argument the published text speaks, the published declaration does not have it. */
TABLE(sample_extended, (NVPMContext context, NVPMSampleValueEx *samples, NVPMUINT *n), &context,
      nvpm_sample_records(put_extended, samples, n))
TABLE(sample_extended_of_ii, (NVPMContext context, NVPMSampleValueEx *samples, NVPMUINT *n),
      &context, nvpm_sample_records(put_extended_of_ii, samples, n))
TABLE(get_value_by_name,
      (NVPMContext context, const char *name, NVPMUINT object, NVPMUINT64 *value,
       NVPMUINT64 *cycles),
      &context, nvpm_get_value_name(name, object, value, cycles))
TABLE(get_value,
      (NVPMContext context, NVPMCounterID id, NVPMUINT object, NVPMUINT64 *value,
       NVPMUINT64 *cycles),
      &context, nvpm_get_value(id, object, value, cycles, NULL))

static int get_with_overflow(NVPMCounterID id, NVPMUINT object, NVPMUINT64 *value,
			     NVPMUINT64 *cycles, NVPMUINT8 *overflow)
{
	bool overflowed = false;
	int ret = nvpm_get_value(id, object, value, cycles, overflow ? &overflowed : NULL);

	if (ret == NVPM_DONE && overflow)
		*overflow = overflowed;
	return ret;
}

TABLE(get_value_uint64,
      (NVPMContext context, NVPMCounterID id, NVPMUINT object, NVPMUINT64 *value,
       NVPMUINT64 *cycles, NVPMUINT8 *overflow),
      &context, get_with_overflow(id, object, value, cycles, overflow))

/* Where there is a value, it is an integer. */
static int get_as_float(NVPMCounterID id, NVPMUINT object, const NVPMFLOAT64 *value)
{
	NVPMUINT64 v;
	int ret = value ? nvpm_get_value(id, object, &v, NULL, NULL) : NVPM_BAD_PARAMETER;

	return ret == NVPM_DONE ? NVPM_OTHER_TYPE : ret;
}

static NVPMRESULT get_value_float64(NVPMContext context, NVPMCounterID id, NVPMUINT object,
				    NVPMFLOAT64 *value, NVPMUINT64 *cycles, NVPMUINT8 *overflow)
{
	(void)cycles;
	(void)overflow;
	NVPM_CALL(NVPM_TABLE, &context, get_as_float(id, object, value));
}

static NVPMRESULT get_bottleneck_name(NVPMContext context, NVPMUINT64 value, char *name)
{
	(void)value;
	NVPM_CALL(NVPM_TABLE, &context, nvpm_get_bottleneck_name(name));
}

/* All counters are there from Init on: there is nothing to call it for. */
TABLE(register_provider_callback, (FuncPtrNewDataProvider fn), NULL,
      fn ? NVPM_DONE : NVPM_BAD_PARAMETER)

static const NvPmApi table = {
	.struct_size = sizeof(NvPmApi),
	.SetWarningLevel = set_warning_level,
	.GetExtendedError = get_extended_error,
	.Init = init,
	.Shutdown = shutdown,
	.CreateContextFromOGLContext = create_context,
	.CreateContextFromCudaContext = create_context,
	.DestroyContext = destroy_context,
	.EnumCountersByContext = enumerate,
	.GetCounterName = get_name,
	.GetCounterDescription = get_description,
	.GetCounterIDByContext = get_id,
	.GetCounterClockRateByContext = get_clock_rate,
	.GetCounterAttribute = get_attribute,
	.AddCounterByName = add_by_name,
	.AddCounter = add,
	.AddCounters = add_all,
	.RemoveCounterByName = remove_by_name,
	.RemoveCounter = remove_one,
	.RemoveCounters = remove_some,
	.RemoveAllCounters = remove_all,
	.ReserveObjects = reserve_objects,
	.DeleteObjects = delete_objects,
	.BeginExperiment = begin_experiment,
	.EndExperiment = end_experiment,
	.BeginPass = begin_pass,
	.EndPass = end_pass,
	.BeginObject = begin_object,
	.EndObject = end_object,
	.Sample = sample,
	.SampleEx = sample_extended,
	.GetCounterValueByName = get_value_by_name,
	.GetCounterValue = get_value,
	.GetGPUBottleneckName = get_bottleneck_name,
	.RegisterNewDataProviderCallback = register_provider_callback,
	.GetCounterValueUint64 = get_value_uint64,
	.GetCounterValueFloat64 = get_value_float64,
	.EnumCountersByContextUserData = enumerate_with_data,
};

/* II begins with III's first function and ends before its last three. */
static NvPmApi table_of_ii;

__attribute__((constructor)) static void make_table_of_ii(void)
{
	table_of_ii = table;
	table_of_ii.GetCounterAttribute = get_attribute_of_ii;
	table_of_ii.SampleEx = sample_extended_of_ii;
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
