/* SPDX-License-Identifier: MIT */
/* Records of a trace as a text, and members of a struct as one: what rows of tables are made of. */
#ifndef TESTS_TRACE_RECORDS_H
#define TESTS_TRACE_RECORDS_H

#include <stddef.h>

#include <ntime/trace/trace.h>

#include "base/tests/tt.h"

/*
 * Words separated by blanks: "W10=5" writes 5 to 0x10, "R10=5" reads 5, "R10" has no answer; "L?5"
 * is a number that is no value of a register. Behind it ":1" is the width in bytes (else 4), "&f0"
 * the mask of a write, "@100" the time in ns, "^7" the thread. In front "#1" is the device, "%1"
 * the region, "!" says that ntime made it up. Other kinds: C and D a read and a write of the
 * configuration space, I an interrupt, L records that are lost, T a list of register operations.
 * Returns how many there are.
 */
size_t tt_parse_records(const char *text, struct ntime_record *out, size_t room);

/* A member of a struct by its name; .bytes 0: a pointer to text. */
struct tt_field {
	const char *name;
	size_t offset, bytes;
};

#define TT_NUMBER(type, member)                                                                    \
	{                                                                                          \
#member, offsetof(type, member), sizeof(((type *)0)->member)                       \
	}
#define TT_WORDS(type, member)                                                                     \
	{                                                                                          \
#member, offsetof(type, member), 0                                                 \
	}

/*
 * @object must have what @want says of it, "reads=4, mode=EVENT_B4"; @fields end with one without a
 * name. A failure names the member, and the row by its line.
 */
#define TT_FIELDS(r, object, fields, want)                                                         \
	tt_fields_((object), (fields), (want), __FILE__, (r)->line)

void tt_fields_(const void *object, const struct tt_field *fields, const char *want,
		const char *file, int line);

#endif
