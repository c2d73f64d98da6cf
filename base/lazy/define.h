/* SPDX-License-Identifier: MIT */
/*
 * For the files of libraries: NTI_LAZY_DEFINE(NAME, FILE, PACKAGE, WHAT_FOR, FUNCTIONS) makes
 * struct nti_lazy nti_lazy_NAME, the functions, and the note that tells packagers what is loaded.
 *
 * FUNCTIONS is a macro: FUNCTIONS(F) calls F(type, failure, name, parameters, arguments) for each
 * function. The compiler compares all but the failure with the library's header; failure is (void)0
 * where there is nothing to return.
 */
#ifndef NTI_LAZY_DEFINE_H
#define NTI_LAZY_DEFINE_H

#include <stdint.h>

#include "base/lazy/lazy.h"

/*
 * Packager's note of a library that is loaded by dlopen(3):
 * https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
 */
struct nti_lazy_note {
	uint32_t name_bytes, text_bytes, type;
	char name[4];
	char text[256];
};

/* What "install" is said of. */
#ifdef NTI_LAZY_STATIC
#define NTI_LAZY_PACKAGE(packaged) "an ntime that is not static and " packaged
#else
#define NTI_LAZY_PACKAGE(packaged) packaged
#endif

/* NOLINTBEGIN(bugprone-macro-parentheses) types, names and lists in parentheses already */
#define NTI_LAZY_INDEX(type, failure, name, parameters, arguments) INDEX_##name,
#define NTI_LAZY_NAME(type, failure, name, parameters, arguments) #name,
#define NTI_LAZY_FORWARD(type, failure, name, parameters, arguments)                               \
	type name parameters                                                                       \
	{                                                                                          \
		__typeof__(&name) function =                                                       \
			(__typeof__(&name))nti_lazy_function(this_library, INDEX_##name);          \
                                                                                                   \
		return function ? function arguments : failure;                                    \
	}

#define NTI_LAZY_DEFINE(library, so, packaged, what_for_text, functions)                           \
	enum { functions(NTI_LAZY_INDEX) FUNCTION_COUNT };                                         \
	static const char *const function_names[] = { functions(NTI_LAZY_NAME) };                  \
	static void *function_table[FUNCTION_COUNT];                                               \
	struct nti_lazy nti_lazy_##library = { .file = so,                                         \
					       .package = NTI_LAZY_PACKAGE(packaged),              \
					       .what_for = what_for_text,                          \
					       .name = function_names,                             \
					       .function = function_table,                         \
					       .count = FUNCTION_COUNT };                          \
	__attribute__((used, section(".note.dlopen"),                                              \
		       aligned(4))) static const struct nti_lazy_note dlopen_note = {              \
		.name_bytes = 4,                                                                   \
		.text_bytes = sizeof(dlopen_note.text),                                            \
		.type = 0x407c0c0a,                                                                \
		.name = "FDO",                                                                     \
		.text = "[{\"feature\":\"" #library "\",\"description\":\"" what_for_text          \
			"\",\"priority\":\"recommended\",\"soname\":[\"" so "\"]}]",               \
	};                                                                                         \
	static struct nti_lazy *const this_library = &nti_lazy_##library;                          \
	functions(NTI_LAZY_FORWARD)
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
