/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Names of registers, written out. */
#ifndef NTHW_NAMES_H
#define NTHW_NAMES_H

#include "core/base/reg.h"

/* Enough for the name of every register, with its NUL; core/tests/core checks it. */
#define NTHW_NAME_SIZE 48

/*
 * The name of instance @index of @reg, as the vendor's manual has it, or as Linux has it:
 * IA32_PMC3, PMEVCNTR12_EL0. @size bytes of @buffer are written at most, with NUL; without room the
 * name is cut off there. Linux' name is empty where it has none.
 * Return: length of the whole name, so that it was cut off when that is not below @size.
 */
size_t nthw_reg_name(const struct nthw_reg *reg, uint32_t index, char *buffer, size_t size);
size_t nthw_reg_linux_name(const struct nthw_reg *reg, uint32_t index, char *buffer, size_t size);

/*
 * The register that @name is the vendor's or Linux' name of, with its number where there are more
 * than one. The first of @tables that has it; which instance of the row in *@index, which table in
 * *@table. NULL when none has it.
 */
const struct nthw_reg *nthw_find_name(const struct nthw_table *const *tables, size_t count,
				      const char *name, const struct nthw_table **table,
				      uint32_t *index);

/* Why @secret is one, as the end of a sentence; NULL of NTHW_SECRET_NONE. Static memory. */
const char *nthw_secret_why(enum nthw_secret secret);

/* Are they the same text? */
bool nthw_name_is(const char *a, const char *b);

#endif
