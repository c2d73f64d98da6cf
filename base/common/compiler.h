/* SPDX-License-Identifier: MIT */
/* What the compiler is told beside C11, behind names of our own. */
#ifndef NTI_COMPILER_H
#define NTI_COMPILER_H

#define NTI_PRINTF(text, args) __attribute__((format(printf, text, args)))
/* A definition elsewhere stands before this one. */
#define NTI_WEAK __attribute__((weak))
#define NTI_UNUSED __attribute__((unused))

#define NTI_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
