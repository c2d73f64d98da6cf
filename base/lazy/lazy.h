/* SPDX-License-Identifier: MIT */
/*
 * Shared libraries of others, loaded when one of their functions is called first, not when the
 * program starts.
 *
 * A library has a file here that defines its functions with the prototypes of its own header; each
 * loads the library if that was not done yet and calls the real one. Callers write pfm_initialize()
 * as ever and link with ours instead of -lpfm. What is loaded stays loaded, is of the whole
 * process, and its symbols serve nobody else (RTLD_LOCAL). Any thread may call.
 *
 * A library that is not installed is an absence and no accident: its functions then return what its
 * file says, which is a failure of the library's. Who can say more calls nti_lazy_load() first.
 */
#ifndef NTI_LAZY_H
#define NTI_LAZY_H

#include <stddef.h>

/**
 * struct nti_lazy - a library
 * @file:	as a linker notes it (DT_NEEDED), with the version of the binary interface
 * @package:	Debian's name, for the remedy "install PACKAGE"
 * @what_for:	what is not to be had without it
 * @name:	the functions
 * @function:	where they are, once @is_loaded
 */
struct nti_lazy {
	const char *file, *package, *what_for;
	const char *const *name;
	void **function;
	size_t count;
	int is_loaded; /* atomic */
};

#define NTI_LAZY_WHY_BYTES 256

/*
 * Load @l unless that was done. 0; -ELIBACC with the loader's sentence in @why ("libpfm.so.4:
 * cannot open shared object file: No such file or directory"); -ENOMEM. It is tried again the next
 * time.
 */
int nti_lazy_load(struct nti_lazy *l, char why[NTI_LAZY_WHY_BYTES]);
/* Function @i of @l, which is loaded if need be; NULL when it cannot be. */
void *nti_lazy_function(struct nti_lazy *l, size_t i);

extern struct nti_lazy nti_lazy_elf, nti_lazy_expat, nti_lazy_hwloc, nti_lazy_jansson,
	nti_lazy_lzma, nti_lazy_microhttpd, nti_lazy_ncursesw, nti_lazy_pciaccess, nti_lazy_pfm,
	nti_lazy_zlib, nti_lazy_zstd;

#endif
