// SPDX-License-Identifier: MIT
/* jansson: JSON, written and read. */
#include <jansson.h>
#include <stdarg.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(void, (void)0, json_set_alloc_funcs, (json_malloc_t take, json_free_t give),             \
	  (take, give))                                                                            \
	F(json_t *, NULL, json_object, (void), ())                                                 \
	F(json_t *, NULL, json_array, (void), ())                                                  \
	F(json_t *, NULL, json_string, (const char *text), (text))                                 \
	F(json_t *, NULL, json_stringn, (const char *text, size_t bytes), (text, bytes))           \
	F(json_t *, NULL, json_integer, (json_int_t number), (number))                             \
	F(json_t *, NULL, json_real, (double number), (number))                                    \
	F(json_t *, NULL, json_true, (void), ())                                                   \
	F(json_t *, NULL, json_false, (void), ())                                                  \
	F(json_t *, NULL, json_null, (void), ())                                                   \
	F(void, (void)0, json_delete, (json_t * json), (json))                                     \
	F(size_t, 0, json_object_size, (const json_t *object), (object))                           \
	F(json_t *, NULL, json_object_get, (const json_t *object, const char *key), (object, key)) \
	F(int, -1, json_object_set_new, (json_t * object, const char *key, json_t *value),         \
	  (object, key, value))                                                                    \
	F(void *, NULL, json_object_iter, (json_t * object), (object))                             \
	F(void *, NULL, json_object_iter_next, (json_t * object, void *at), (object, at))          \
	F(const char *, "", json_object_iter_key, (void *at), (at))                                \
	F(json_t *, NULL, json_object_iter_value, (void *at), (at))                                \
	F(void *, NULL, json_object_key_to_iter, (const char *key), (key))                         \
	F(size_t, 0, json_array_size, (const json_t *array), (array))                              \
	F(json_t *, NULL, json_array_get, (const json_t *array, size_t i), (array, i))             \
	F(int, -1, json_array_append_new, (json_t * array, json_t * value), (array, value))        \
	F(const char *, NULL, json_string_value, (const json_t *string), (string))                 \
	F(double, 0, json_number_value, (const json_t *number), (number))                          \
	F(json_int_t, 0, json_integer_value, (const json_t *integer), (integer))                   \
	F(json_t *, NULL, json_vpack_ex,                                                           \
	  (json_error_t * error, size_t flags, const char *format, va_list args),                  \
	  (error, flags, format, args))                                                            \
	F(int, -1, json_vunpack_ex,                                                                \
	  (json_t * root, json_error_t * error, size_t flags, const char *format, va_list args),   \
	  (root, error, flags, format, args))                                                      \
	F(json_t *, NULL, json_loadb,                                                              \
	  (const char *text, size_t bytes, size_t flags, json_error_t *error),                     \
	  (text, bytes, flags, error))                                                             \
	F(json_t *, NULL, json_loadf, (FILE * file, size_t flags, json_error_t * error),           \
	  (file, flags, error))                                                                    \
	F(int, -1, json_dumpf, (const json_t *json, FILE *file, size_t flags),                     \
	  (json, file, flags))                                                                     \
	F(int, -1, json_dump_callback,                                                             \
	  (const json_t *json, json_dump_callback_t callback, void *data, size_t flags),           \
	  (json, callback, data, flags))

NTI_LAZY_DEFINE(jansson, "libjansson.so.4", "libjansson4", "JSON", FUNCTIONS)

/* As jansson has them itself (src/pack_unpack.c). */

json_t *json_pack(const char *format, ...)
{
	json_t *packed;
	va_list args;

	va_start(args, format);
	packed = json_vpack_ex(NULL, 0, format, args);
	va_end(args);
	return packed;
}

int json_unpack(json_t *root, const char *format, ...)
{
	va_list args;
	int ret;

	va_start(args, format);
	ret = json_vunpack_ex(root, NULL, 0, format, args);
	va_end(args);
	return ret;
}
