/* SPDX-License-Identifier: MIT */
/* What a program or library calls the code at a place of its file: the symbols of ELF. */
#ifndef NTI_SYMBOLS_H
#define NTI_SYMBOLS_H

#include <stdint.h>

#include "base/common/error.h"
#include "base/lazy/lazy.h"

struct nti_symbols;

/* What reads them; NULL: ntime was built without. */
struct nti_lazy *nti_symbols_library(void);
/* Can symbols be read at all? 0, or -ELIBACC with a sentence that says what to install. */
int nti_symbols_ready(struct nti_error *e);
/*
 * Of the file behind @fd, which stays the caller's. 0; -ENOEXEC: it is no ELF file, or damaged;
 * -ENOMEM.
 */
int nti_symbols_read(int fd, struct nti_symbols **out);
/*
 * The function that has the byte at @offset of the file; where no symbol says so, the section
 * ("[.plt]"). NULL: neither. It lives as long as @s.
 */
const char *nti_symbols_name(const struct nti_symbols *s, uint64_t offset);
/* NULL is accepted. */
void nti_symbols_free(struct nti_symbols *s);

#endif
