/* SPDX-License-Identifier: MIT */
/*
 * Which code of the module a system call reached, where the kernel can tell (CONFIG_KCOV, and a
 * module built with KCOV_INSTRUMENT=y). Places are shared by all processes that are forked after
 * lab_kcov_open().
 *
 * Linux, Documentation/dev-tools/kcov.rst.
 */
#ifndef LAB_KCOV_H
#define LAB_KCOV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of module @name, which is loaded; as root. NULL, or why nothing can be told. */
const char *lab_kcov_open(const char *name);
void lab_kcov_close(void);
/* In each process that makes calls, while it is root. 0 or -errno. */
int lab_kcov_attach(void);
/* Around calls. @is_first: what was noted before is forgotten. */
void lab_kcov_enable(bool is_first);
void lab_kcov_disable(void);
/* Take what was noted since; how many places nobody had reached before. */
size_t lab_kcov_take(void);
/* How many places were reached by all. */
size_t lab_kcov_places(void);

#endif
